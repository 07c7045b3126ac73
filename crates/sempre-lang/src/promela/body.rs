//! From the statements of a process to its control flow.

use super::ast::{
    Declaration, Expression, ExpressionKind, Name, Proctype, Reference, Statement, StatementKind,
};
use super::declarations::{declared, warn_if_cut};
use super::exclusive::{Claim, refers_to_channel};
use super::flow::{El, Flow, Jump, Kind, Label, Seq, Sequence};
use super::resolve::{Cell, Face, Resolver, Scopes, Target, Value};
use super::symbols::{Globals, Scalar, Shape, Start, Store};
use crate::report::Report;
use crate::report::shown;
use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Span};

/// A proctype, resolved.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub flow: Flow,
    pub store: Store,
    /// `priority n` of the proctype.
    pub priority: Option<(u8, Span)>,
    pub provided: Option<Value>,
    /// The channels that only this process sends to or receives from.
    pub exclusive: Vec<Claim>,
}

pub(super) struct Builder<'a> {
    pub globals: &'a Globals,
    pub faces: &'a [Face],
    pub report: &'a mut Report,
    pub flow: Flow,
    pub store: Store,
    pub scopes: Scopes,
    /// Open sequences.
    open: Vec<Seq>,
    /// Loops around, by the number of their `break`.
    pub loops: Vec<usize>,
    /// Inlines around.
    pub inlines: Vec<usize>,
    calls: usize,
    /// May a declaration still be part of the start of the process?
    at_start: bool,
    pub in_step: usize,
    exclusive: Vec<Claim>,
    /// Was there a claim on a channel already, in this or an earlier process?
    claimed: &'a mut bool,
    /// Is it an event trace?
    watches: bool,
}

/// What others need to know of a proctype: its variables.
pub(super) fn face(globals: &Globals, proctype: &Proctype, report: &mut Report) -> Face {
    let mut store = Store::default();
    let mut scopes = Scopes {
        stack: vec![FxHashMap::default()],
    };
    let mut names = FxHashMap::default();
    let mut parameters = 0;
    let mut add = |d: &Declaration, store: &mut Store, report: &mut Report| {
        for item in &d.items {
            let found = declared(globals, store, Some(&scopes), &d.ty, item, true, report);
            if let Some((v, _)) = found {
                scopes.stack[0].insert(item.name.text.clone(), v);
                if matches!(store.variables[v].shape, Shape::Scalar(_)) {
                    names
                        .entry(item.name.text.clone())
                        .or_insert(store.variables[v].first);
                }
            }
        }
    };
    for declaration in &proctype.parameters {
        add(declaration, &mut store, report);
        parameters = store.leaves.len();
    }
    // Complaints about the rest come when the body is read.
    let mut quiet = Report::default();
    for statement in &proctype.body {
        if let StatementKind::Declaration(d) = &statement.kind {
            add(d, &mut store, &mut quiet);
        }
    }
    Face {
        name: proctype.name.text.clone(),
        parameters,
        leaves: store.leaves,
        names,
    }
}

/// The body of a process.
pub(super) fn body(
    globals: &Globals,
    faces: &[Face],
    proctype: &Proctype,
    claimed: &mut bool,
    report: &mut Report,
) -> Body {
    let mut b = Builder {
        globals,
        faces,
        report,
        flow: Flow::default(),
        store: Store::default(),
        scopes: Scopes {
            stack: vec![FxHashMap::default()],
        },
        open: Vec::new(),
        loops: Vec::new(),
        inlines: Vec::new(),
        calls: 0,
        at_start: true,
        in_step: 0,
        exclusive: Vec::new(),
        claimed,
        watches: matches!(&*proctype.name.text, "trace" | "notrace"),
    };
    for declaration in &proctype.parameters {
        b.declaration(declaration);
    }
    // The variables of the outermost level come first, in the order of `face`.
    b.open.push(0);
    b.flow.sequences.push(Sequence::default());
    b.outermost(&proctype.body);
    b.sequence(&proctype.body);
    b.flow.written.clone_from(&proctype.end_written);
    let end = b.flow.element(Kind::End, proctype.end);
    b.flow.append(end, 0, proctype.end);
    b.flow.sequences[0].extent = Some(end);
    let provided = proctype.provided.as_ref().map(|e| b.value(e));
    b.check_jumps();
    let Builder {
        mut flow,
        store,
        report,
        exclusive,
        ..
    } = b;
    flow.tie(0);
    if let Some(first) = flow.sequences[0].first {
        match flow.hunt(first, flow.elements[first].atom) {
            Ok(start) => flow.start = start,
            Err(circle) => report.error(circle.0, "these jumps lead in a circle"),
        }
    }
    for e in 0..flow.elements.len() {
        let leads = flow.target(e).map(|_| ()).and(flow.groups(e).map(|_| ()));
        if let Err(circle) = leads {
            report.error(circle.0, "these jumps lead in a circle");
            break;
        }
    }
    Body {
        flow,
        store,
        priority: proctype.priority,
        provided,
        exclusive,
    }
}

impl Builder<'_> {
    pub fn resolver(&mut self) -> Resolver<'_> {
        Resolver {
            globals: self.globals,
            faces: self.faces,
            local: Some((&self.store, &self.scopes)),
            report: self.report,
        }
    }

    pub fn value(&mut self, e: &Expression) -> Value {
        sempre_base::checkpoint();
        self.resolver().value(e)
    }

    pub fn current(&self) -> Seq {
        self.open.last().copied().unwrap_or(0)
    }

    pub fn open(&mut self) -> Seq {
        self.flow.sequences.push(Sequence::default());
        let s = self.flow.sequences.len() - 1;
        self.open.push(s);
        self.at_start = false;
        s
    }

    pub fn close(&mut self) {
        if let Some(s) = self.open.pop() {
            self.flow.sequences[s].extent = self.flow.sequences[s].last;
        }
    }

    pub fn add(&mut self, kind: Kind, span: Span) -> El {
        let e = self.flow.element(kind, span);
        self.flow.append(e, self.current(), span);
        e
    }

    /// Declares the variables of the outermost level before all others, so that others can speak of them.
    fn outermost(&mut self, sequence: &[Statement]) {
        for statement in sequence {
            if let StatementKind::Declaration(d) = &statement.kind {
                self.declaration(d);
            }
        }
    }

    pub fn declaration(&mut self, d: &Declaration) {
        for item in &d.items {
            if let Some(scope) = self.scopes.stack.last()
                && scope.contains_key(&item.name.text)
            {
                let message = format!("`{}` is declared twice", shown(&item.name.text));
                self.report.error(item.name.span, message);
                continue;
            }
            let found = declared(
                self.globals,
                &mut self.store,
                Some(&self.scopes),
                &d.ty,
                item,
                true,
                self.report,
            );
            if let (Some((v, _)), Some(scope)) = (found, self.scopes.stack.last_mut()) {
                scope.insert(item.name.text.clone(), v);
            }
        }
    }

    /// A declaration among statements: if it comes late it is a step that sets the variable.
    fn late_declaration(&mut self, d: &Declaration, outermost: bool) {
        if !outermost {
            self.declaration(d);
        }
        if self.at_start {
            return;
        }
        for item in &d.items {
            let Some(&v) = (self.scopes.stack.last()).and_then(|s| s.get(&item.name.text)) else {
                continue;
            };
            let variable = self.store.variables[v].clone();
            let leaf = variable.first;
            let start = std::mem::replace(&mut self.store.leaves[leaf].start, Start::Zero);
            let index = variable.length.map(|_| Box::new(Value::Number(0)));
            let cell = Cell {
                local: true,
                leaf,
                index,
            };
            let span = item.name.span;
            match start {
                Start::Channel(s) => {
                    self.store.leaves[leaf].start = Start::Channel(s);
                    let message = "a channel is declared before the first statement";
                    self.report.error(span, message);
                }
                Start::List(values) => {
                    self.store.leaves[leaf].start = Start::List(values);
                    let message =
                        "an array with initial values is declared before the first statement";
                    self.report.error(span, message);
                }
                Start::Value(value) if variable.length.is_some() => {
                    self.store.leaves[leaf].start = Start::Value(value);
                }
                Start::Value(value) => {
                    self.store.leaves[leaf].written = true;
                    self.add(Kind::Assign(Some(cell), value), span);
                }
                Start::Zero if matches!(variable.shape, Shape::Struct(_)) => {
                    // No `skip`: SPIN removes those that follow each other.
                    self.add(Kind::Assign(None, Value::Number(0)), span);
                }
                Start::Zero => {
                    self.store.leaves[leaf].written = true;
                    self.add(Kind::Assign(Some(cell), Value::Number(0)), span);
                }
            }
        }
    }

    fn sequence(&mut self, sequence: &[Statement]) {
        let outermost = self.open.len() == 1 && self.scopes.stack.len() == 1;
        for statement in sequence {
            match &statement.kind {
                StatementKind::Declaration(d) => {
                    let around = self.flow.written.clone();
                    self.flow.written.clone_from(&statement.written);
                    self.late_declaration(d, outermost);
                    self.flow.written = around;
                }
                StatementKind::Exclusive(channels, sends) => {
                    for channel in channels {
                        let span = channel.span;
                        let channel = self.first_of(channel);
                        let channel = self.resolver().channel(&channel);
                        *self.claimed = true;
                        self.exclusive.push(Claim {
                            channel,
                            sends: *sends,
                            span,
                        });
                    }
                }
                _ => {
                    self.statement(statement);
                    self.at_start = false;
                }
            }
        }
        let s = self.current();
        if self.flow.sequences[s].first.is_none() && self.open.len() > 1 {
            // Only declarations at the start, or something wrong.
            let span = sequence.first().map_or(Span::new(0, 0), |s| s.span);
            self.add(Kind::Condition(Value::Number(1)), span);
        }
    }

    pub fn scoped(&mut self, sequence: &[Statement]) {
        self.scopes.stack.push(FxHashMap::default());
        self.sequence(sequence);
        self.scopes.stack.pop();
    }

    /// Adds a statement to the open sequence; the element that a label of it stands for.
    pub fn statement(&mut self, statement: &Statement) -> Option<El> {
        let (element, appended) = self.element(statement)?;
        if !appended {
            self.flow.append(element, self.current(), statement.span);
        }
        Some(element)
    }

    /// The element of a statement, and whether it is in the open sequence already.
    fn element(&mut self, statement: &Statement) -> Option<(El, bool)> {
        let around = self.flow.written.clone();
        if statement.written.is_some() {
            self.flow.written.clone_from(&statement.written);
        }
        let element = self.element_of(statement);
        self.flow.written = around;
        element
    }

    fn element_of(&mut self, statement: &Statement) -> Option<(El, bool)> {
        sempre_base::checkpoint();
        let span = statement.span;
        let simple = |b: &mut Self, kind: Kind| Some((b.flow.element(kind, span), false));
        match &statement.kind {
            StatementKind::Declaration(_) | StatementKind::Exclusive(..) => None,
            StatementKind::Assign(target, value) if is_plain(target, "_priority") => {
                let value = self.value(value);
                simple(self, Kind::SetPriority(Value::Pid, value, true))
            }
            StatementKind::SetPriority(process, priority) => {
                let process = self.value(process);
                let priority = self.value(priority);
                simple(self, Kind::SetPriority(process, priority, false))
            }
            StatementKind::Assign(target, value) if is_plain(target, "_") => {
                let value = self.value(value);
                simple(self, Kind::Assign(None, value))
            }
            StatementKind::Assign(target, value) => {
                let (cell, value) = self.assignment(target, value)?;
                simple(self, Kind::Assign(Some(cell), value))
            }
            StatementKind::Send(channel, values, sorted) => {
                let channel = self.resolver().channel(channel);
                let values = match self.watches {
                    true => self.expected(values),
                    false => self.resolver().values(values),
                };
                simple(self, Kind::Send(channel, values, *sorted))
            }
            StatementKind::Receive(channel, arguments, random, keeps) => {
                let channel = self.resolver().channel(channel);
                let targets = self.resolver().targets(arguments);
                for target in &targets {
                    if let Target::Store(cell) = target {
                        self.note_written(cell);
                    }
                }
                simple(self, Kind::Receive(channel, targets, *random, *keeps))
            }
            StatementKind::Expression(e) => {
                let value = self.value(e);
                simple(self, Kind::Condition(value))
            }
            StatementKind::Else => simple(self, Kind::Else),
            StatementKind::Assert(e) => {
                let value = self.value(e);
                simple(self, Kind::Assert(value))
            }
            StatementKind::Print(format, values) => {
                let values = self.resolver().values(values);
                simple(self, Kind::Print(format.clone(), values))
            }
            StatementKind::Goto(name) => {
                let jump = Jump::Label(name.clone(), self.inlines.clone());
                simple(self, Kind::Goto(jump))
            }
            StatementKind::Break => match self.loops.last() {
                Some(&n) => simple(self, Kind::Goto(Jump::Break(n))),
                None => {
                    self.report
                        .error(span, "there is no loop around this `break`");
                    None
                }
            },
            StatementKind::If(options) => self.selection(options, false, span),
            StatementKind::Do(options) => self.selection(options, true, span),
            StatementKind::Atomic(inside) => {
                let s = self.below(inside);
                self.flow.make_atomic(s, false);
                simple(self, Kind::Atomic(s))
            }
            StatementKind::DStep(inside) => {
                self.in_step += 1;
                let s = self.below(inside);
                self.in_step -= 1;
                self.flow.make_atomic(s, true);
                simple(self, Kind::DStep(s))
            }
            StatementKind::Block(inside, inlined) => {
                if *inlined {
                    self.calls += 1;
                    self.inlines.push(self.calls);
                }
                let s = self.below(inside);
                if *inlined {
                    self.inlines.pop();
                }
                simple(self, Kind::Block(s))
            }
            StatementKind::Label(name, inner) => self.label(name, inner.as_deref(), span),
            StatementKind::Unless(main, escape) => self.unless(main, escape, span),
            StatementKind::For(variable, from, to, inside) => {
                let (cell, from) = self.assignment(variable, from)?;
                let to = self.value(to);
                self.counting(cell, from, to, Some(inside), span)
            }
            StatementKind::ForIn(variable, channel, inside)
                if self.resolver().is_structure(variable) =>
            {
                self.messages(variable, channel, inside, span)
            }
            StatementKind::ForIn(variable, array, inside) => {
                let length = self.array_length(array)?;
                let (cell, _) = self.resolver().target(variable)?;
                self.note_written(&cell);
                let last = Value::Number(i64::from(length) - 1);
                self.counting(cell, Value::Number(0), last, Some(inside), span)
            }
            StatementKind::Select(variable, from, to) => {
                if let Some(choice) = self.enumerated(variable, from, to, span) {
                    return choice;
                }
                let (cell, from) = self.assignment(variable, from)?;
                let to = self.value(to);
                self.counting(cell, from, to, None, span)
            }
        }
    }

    /// The values of a send that a trace watches for. What is not constant is not compared, `_` among it.
    fn expected(&mut self, values: &[Expression]) -> Vec<Value> {
        let mut all = Vec::new();
        for value in values {
            match &value.kind {
                ExpressionKind::Reference(r) if &*r.parts[0].0.text == "_" => all.push(Value::Pid),
                _ => all.extend(self.resolver().values(std::slice::from_ref(value))),
            }
        }
        all
    }

    fn below(&mut self, inside: &[Statement]) -> Seq {
        let s = self.open();
        self.scoped(inside);
        self.close();
        s
    }

    /// The first element, if it is an array as a whole.
    fn first_of(&mut self, array: &Reference) -> Reference {
        let mut quiet = Report::default();
        let resolver = Resolver {
            globals: self.globals,
            faces: self.faces,
            local: Some((&self.store, &self.scopes)),
            report: &mut quiet,
        };
        let mut first = array.clone();
        if { resolver }.cell(array).is_none()
            && let Some(last) = first.parts.last_mut()
            && last.1.is_none()
        {
            last.1 = Some(Box::new(Expression {
                kind: ExpressionKind::Number(0),
                span: array.span,
            }));
        }
        first
    }

    fn array_length(&mut self, array: &Reference) -> Option<u32> {
        match self.resolver().shape(array) {
            Some((_, Some(length))) if array.parts.last().is_some_and(|p| p.1.is_none()) => {
                Some(length)
            }
            Some((Shape::Scalar(Scalar::Chan), _)) => {
                let message = "a message of a channel goes into a structure";
                self.report.push(
                    Diagnostic::error(array.span, message)
                        .with_help("the variable before `in` must be of the type of the messages"),
                );
                None
            }
            Some(_) => {
                self.report.error(array.span, "this is not an array");
                None
            }
            // A name of it is unknown.
            None => {
                self.resolver().cell(array);
                None
            }
        }
    }

    fn note_written(&mut self, cell: &Cell) {
        if cell.local {
            self.store.leaves[cell.leaf].written = true;
        }
    }

    pub fn assignment(&mut self, target: &Reference, value: &Expression) -> Option<(Cell, Value)> {
        let found = self.resolver().target(target);
        let stored = self.value(value);
        let (cell, scalar) = found?;
        self.note_written(&cell);
        if let Value::Number(n) = stored {
            warn_if_cut(scalar, n, value.span, self.report);
        }
        Some((cell, stored))
    }

    fn label(&mut self, name: &Name, inner: Option<&Statement>, span: Span) -> Option<(El, bool)> {
        let twice =
            (self.flow.labels.iter()).any(|l| l.name == name.text && l.inlines == self.inlines);
        if twice {
            let message = format!("the label `{}` is there twice", shown(&name.text));
            self.report.error(name.span, message);
        }
        let (element, appended) = match inner {
            Some(inner) => self.element(inner)?,
            None => {
                let skip = Kind::Condition(Value::Number(1));
                (self.flow.element(skip, span), false)
            }
        };
        self.flow.labels.push(Label {
            name: name.text.clone(),
            inlines: self.inlines.clone(),
            element,
        });
        Some((element, appended))
    }

    pub fn selection(
        &mut self,
        options: &[Vec<Statement>],
        is_loop: bool,
        span: Span,
    ) -> Option<(El, bool)> {
        if is_loop {
            self.flow.breaks.push(None);
            self.loops.push(self.flow.breaks.len() - 1);
        }
        let mut all = Vec::new();
        for option in options {
            let s = self.open();
            self.sequence(option);
            self.close();
            all.push(s);
        }
        for &s in &all {
            self.flow.prune(s);
        }
        let e = self.chosen(all, is_loop, span);
        Some((e, true))
    }

    /// The elements of an `if` or `do` with these options, in the open sequence.
    pub fn chosen(&mut self, mut options: Vec<Seq>, is_loop: bool, span: Span) -> El {
        let is_else = |flow: &Flow, s: Seq| {
            (flow.sequences[s].first).is_some_and(|f| flow.elements[f].kind == Kind::Else)
        };
        let elses: Vec<Seq> = (options.iter().copied())
            .filter(|&s| is_else(&self.flow, s))
            .collect();
        if elses.len() > 1 {
            let first = self.flow.sequences[elses[1]].first;
            let span = first.map_or(span, |f| self.flow.elements[f].span);
            self.report
                .error(span, "there is more than one `else` here");
        }
        options.retain(|s| !elses.contains(s));
        let first = |s: &Seq| self.flow.sequences[*s].first;
        let refers =
            |s: &Seq| first(s).is_some_and(|f| refers_to_channel(&self.flow.elements[f].kind));
        if *self.claimed
            && let Some(other) = elses.first().and_then(first)
            && options.iter().any(refers)
        {
            let span = self.flow.elements[other].span;
            let message = "`else` cannot stand beside sends, receives and tests of channels where there are `xr` or `xs`";
            let help =
                "SPIN refuses this, too; ask the channel instead: `:: c!x … :: full(c) -> …`";
            self.report
                .push(Diagnostic::error(span, message).with_help(help));
        }
        options.extend(elses);
        let kind = if is_loop {
            Kind::Do(options.clone())
        } else {
            Kind::If(options.clone())
        };
        let e = self.flow.element(kind, span);
        let target = self.flow.element(Kind::Dot, span);
        for &s in &options {
            self.flow.append(target, s, span);
        }
        let current = self.current();
        if is_loop {
            self.flow.append(target, current, span);
            self.flow.append(e, current, span);
            let out = self.flow.element(Kind::Break, span);
            self.flow.append(out, current, span);
            if let Some(n) = self.loops.pop() {
                self.flow.breaks[n] = Some(out);
            }
        } else {
            self.flow.append(e, current, span);
            self.flow.append(target, current, span);
        }
        e
    }

    /// Is this the first statement of a sequence, perhaps in blocks?
    fn starts(&self, mut s: Seq, e: El) -> bool {
        loop {
            match self.flow.sequences[s].first {
                Some(first) if first == e => return true,
                Some(first) => match self.flow.elements[first].kind {
                    Kind::Block(inner) | Kind::Atomic(inner) => s = inner,
                    _ => return false,
                },
                None => return false,
            }
        }
    }

    fn check_jumps(&mut self) {
        for e in 0..self.flow.elements.len() {
            if let Kind::Goto(jump @ Jump::Label(name, _)) = &self.flow.elements[e].kind
                && self.flow.jump(jump).is_none()
            {
                let known: Vec<&str> = self.flow.labels.iter().map(|l| &*l.name).collect();
                self.report.unknown(&name.clone(), "label", known);
            }
            let element = &self.flow.elements[e];
            if element.kind == Kind::Else {
                let heads = (self.flow.elements.iter()).any(|x| match &x.kind {
                    Kind::If(options) | Kind::Do(options) => {
                        options.iter().any(|&s| self.starts(s, e))
                    }
                    _ => false,
                });
                if !heads {
                    // As in SPIN: there is nothing else that could be done here.
                    let message = "an `else` that does not start an option is always executable";
                    let warning = Diagnostic::warning(element.span, message)
                        .with_help("write `:: else -> …` in an `if` or `do`");
                    self.report.push(warning);
                    self.flow.elements[e].kind = Kind::Condition(Value::Number(1));
                }
            }
        }
    }
}

/// Is the reference this name, without an index or fields?
fn is_plain(reference: &Reference, name: &str) -> bool {
    matches!(reference.parts.as_slice(), [(n, None)] if &*n.text == name)
}
