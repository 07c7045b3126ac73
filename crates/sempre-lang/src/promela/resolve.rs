//! Names made into what they stand for, and types checked.
//!
//! The result no longer knows names, but still speaks of "this process": variables of a proctype are numbers of its
//! leaves, and it is for [`super::instances`] to say which cells these are.

use super::ast::{Argument, Expression, ExpressionKind, Name, Reference, Remote, Temporal, Test};
use super::symbols::{Globals, Leaf, Scalar, Shape, Store, Symbol, Variable};
use crate::report::Report;
use crate::report::shown;
use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Span};
use sempre_model::ir::{Binary, Unary};
use std::sync::Arc;

/// A cell of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Of this process, or of everybody?
    pub local: bool,
    pub leaf: usize,
    /// The element, over all dimensions.
    pub index: Option<Box<Value>>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Number(i64),
    Read(Cell),
    Unary(Unary, Box<Value>),
    Binary(Binary, Box<Value>, Box<Value>),
    If(Box<Value>, Box<Value>, Box<Value>),
    Pid,
    ProcessCount,
    Last,
    Timeout,
    NonProgress,
    /// The proctype, the arguments, the priority.
    Run(usize, Vec<Value>, u8),
    /// `get_priority(…)`
    Priority(Box<Value>),
    /// `_priority`
    OwnPriority,
    Channel(Test, Box<Value>),
    Poll(Box<Value>, Vec<Target>, bool),
    RemoteLabel(usize, Option<Box<Value>>, Arc<str>, Span),
    RemoteVariable(usize, Option<Box<Value>>, usize, Option<Box<Value>>),
}

impl Value {
    /// Does this hold for some part?
    pub fn any(&self, is: &dyn Fn(&Value) -> bool) -> bool {
        is(self)
            || match self {
                Value::Read(cell) => cell.index.as_ref().is_some_and(|i| i.any(is)),
                Value::Unary(_, a) | Value::Channel(_, a) | Value::Priority(a) => a.any(is),
                Value::Binary(_, a, b) => a.any(is) || b.any(is),
                Value::If(a, b, c) => a.any(is) || b.any(is) || c.any(is),
                Value::Run(_, arguments, _) => arguments.iter().any(|a| a.any(is)),
                Value::Poll(c, arguments, _) => {
                    c.any(is)
                        || (arguments.iter()).any(|a| matches!(a, Target::Match(v) if v.any(is)))
                }
                Value::RemoteLabel(_, i, ..) => i.as_ref().is_some_and(|i| i.any(is)),
                Value::RemoteVariable(_, i, _, j) => {
                    i.as_ref().is_some_and(|i| i.any(is)) || j.as_ref().is_some_and(|j| j.any(is))
                }
                _ => false,
            }
    }
}

/// What becomes of a field of a message that is received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// It is stored.
    Store(Cell),
    /// It must have this value.
    Match(Value),
    /// Nothing.
    Ignore,
}

/// Names inside of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    pub stack: Vec<FxHashMap<Arc<str>, usize>>,
}

impl Scopes {
    fn find(&self, name: &str) -> Option<usize> {
        (self.stack.iter().rev()).find_map(|s| s.get(name).copied())
    }
}

/// A proctype as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Face {
    pub name: Arc<str>,
    /// Its first leaves are its parameters.
    pub parameters: usize,
    pub leaves: Vec<Leaf>,
    /// The leaf of each variable that is declared on the outermost level.
    pub names: FxHashMap<Arc<str>, usize>,
}

/// Resolves names in one place of the file.
pub(super) struct Resolver<'a> {
    pub globals: &'a Globals,
    /// The proctypes so far; all of them in the end.
    pub faces: &'a [Face],
    pub local: Option<(&'a Store, &'a Scopes)>,
    pub report: &'a mut Report,
}

impl Resolver<'_> {
    fn wrong(&mut self, span: Span, message: impl Into<String>) -> Value {
        self.report.error(span, message);
        Value::Number(0)
    }

    /// The variable that a name stands for, and whether it is one of this process.
    fn variable(&mut self, name: &Name) -> Option<(bool, Variable)> {
        if let Some((store, scopes)) = self.local
            && let Some(v) = scopes.find(&name.text)
        {
            return Some((true, store.variables[v].clone()));
        }
        match self.globals.names.get(&name.text) {
            Some(Symbol::Variable(v)) => Some((false, self.globals.store.variables[*v].clone())),
            Some(Symbol::Broken) => None,
            Some(Symbol::Constant(_)) => {
                let message = format!("`{}` is a constant", shown(&name.text));
                self.report.error(name.span, message);
                None
            }
            None if self.globals.proctypes.contains_key(&name.text) => {
                let message = format!("`{}` is a proctype", shown(&name.text));
                self.report.error(name.span, message);
                None
            }
            None => {
                let mut known: Vec<&str> = self.globals.names.keys().map(|k| &**k).collect();
                if let Some((_, scopes)) = self.local {
                    known.extend(scopes.stack.iter().flat_map(|s| s.keys()).map(|k| &**k));
                }
                known.sort_unstable();
                self.report.unknown(name, "variable", known);
                None
            }
        }
    }

    /// The cells that a reference stands for: one, or all leaves of a structure.
    fn cells(&mut self, reference: &Reference) -> Option<Vec<(Cell, Scalar)>> {
        let (name, index) = &reference.parts[0];
        let (local, variable) = self.variable(name)?;
        let mut leaf = variable.first;
        let mut shape = variable.shape;
        let mut element: Option<Value> = None;
        let mut length = variable.length;
        let mut written = (name.clone(), index.as_deref());
        // Is an index outside of its array, whatever the state?
        let mut outside = false;
        let mut rest = reference.parts[1..].iter();
        loop {
            let (name, index) = &written;
            match (length, index) {
                (None, None) => {}
                (None, Some(index)) => {
                    let message = format!("`{}` is not an array", shown(&name.text));
                    let span = name.span.to(index.span);
                    if self.value(index) != Value::Number(0) {
                        self.report.error(span, message);
                        return None;
                    }
                    // So SPIN reads it.
                    self.report
                        .warning(span, message + "; index 0 means itself");
                }
                (Some(n), None) => {
                    // So SPIN reads it, with the same warning, and models rely on it.
                    let name_shown = shown(&name.text);
                    let message =
                        format!("`{name_shown}` is an array; alone it means `{name_shown}[0]`");
                    self.report.warning(name.span, message);
                    element = Some(match element {
                        None => Value::Number(0),
                        Some(outer) => below(outer, n, Value::Number(0)),
                    });
                }
                (Some(n), Some(index)) => {
                    let span = index.span;
                    let value = self.value(index);
                    if let Value::Number(i) = value
                        && !(0..i64::from(n)).contains(&i)
                    {
                        let name = shown(&name.text);
                        let message = format!(
                            "index {i} is outside `{name}`, which has {n} elements: this step fails"
                        );
                        self.report.warning(span, message);
                        outside = true;
                    }
                    element = Some(match element {
                        None => value,
                        Some(outer) => below(outer, n, value),
                    });
                }
            }
            let Some((field, field_index)) = rest.next() else {
                break;
            };
            let Shape::Struct(s) = shape else {
                let message = format!("`{}` is not a structure", shown(&written.0.text));
                self.report.error(written.0.span, message);
                return None;
            };
            let structure = &self.globals.structures[s];
            let Some(found) = structure.fields.iter().find(|f| f.name == field.text) else {
                let what = format!("field of `{}` called", structure.name);
                let known = structure.fields.iter().map(|f| &*f.name);
                self.report.unknown(field, &what, known);
                return None;
            };
            leaf += found.first;
            shape = found.shape.clone();
            length = found.length;
            written = (field.clone(), field_index.as_deref());
        }
        if outside {
            element = Some(Value::Number(-1));
        }
        let mut all = Vec::new();
        self.expand(local, leaf, &shape, element, &mut all);
        Some(all)
    }

    /// The cells of a shape, from its first leaf on.
    fn expand(
        &self,
        local: bool,
        leaf: usize,
        shape: &Shape,
        element: Option<Value>,
        out: &mut Vec<(Cell, Scalar)>,
    ) {
        match shape {
            Shape::Scalar(scalar) => out.push((
                Cell {
                    local,
                    leaf,
                    index: element.map(Box::new),
                },
                *scalar,
            )),
            Shape::Struct(s) => {
                for field in &self.globals.structures[*s].fields {
                    for i in 0..field.length.unwrap_or(1) {
                        let element = match (field.length, element.clone()) {
                            (None, e) => e,
                            (Some(_), None) => Some(Value::Number(i.into())),
                            (Some(n), Some(e)) => Some(below(e, n, Value::Number(i.into()))),
                        };
                        self.expand(local, leaf + field.first, &field.shape, element, out);
                    }
                }
            }
        }
    }

    /// The cell that a reference stands for, which must be a scalar.
    pub fn cell(&mut self, reference: &Reference) -> Option<(Cell, Scalar)> {
        let mut cells = self.cells(reference)?;
        if cells.len() != 1 {
            let message = "this is a structure: one of its fields must be named";
            self.report.error(reference.span, message);
            return None;
        }
        cells.pop()
    }

    /// What is assigned to; constants and `_pid` are not.
    pub fn target(&mut self, reference: &Reference) -> Option<(Cell, Scalar)> {
        let name = &reference.parts[0].0;
        if &*name.text == "_priority" {
            let message = "`_priority` is set by assignments and `set_priority` only";
            self.report.error(name.span, message);
            return None;
        }
        if &*name.text == "_" {
            let message = "`_` only stands alone to the left of `=` and among what is received";
            self.report.error(name.span, message);
            return None;
        }
        if matches!(&*name.text, "_pid" | "_nr_pr" | "_last") {
            let message = format!("`{}` cannot be assigned to", name.text);
            self.report.error(name.span, message);
            return None;
        }
        self.cell(reference)
    }

    /// The channel that a reference stands for.
    pub fn channel(&mut self, reference: &Reference) -> Value {
        match self.cell(reference) {
            Some((cell, Scalar::Chan)) => Value::Read(cell),
            Some(_) => self.wrong(reference.span, "this is not a channel"),
            None => Value::Number(0),
        }
    }

    /// Values that may be structures, all their fields one after the other.
    pub fn values(&mut self, all: &[Expression]) -> Vec<Value> {
        let mut out = Vec::new();
        for e in all {
            if let ExpressionKind::Reference(reference) = &e.kind
                && self.is_structure(reference)
            {
                let cells = self.cells(reference).unwrap_or_default();
                out.extend(cells.into_iter().map(|(cell, _)| Value::Read(cell)));
            } else {
                out.push(self.value(e));
            }
        }
        out
    }

    /// Does the reference end at a structure? Asks quietly.
    pub fn is_structure(&self, reference: &Reference) -> bool {
        (self.shape(reference)).is_some_and(|(shape, _)| matches!(shape, Shape::Struct(_)))
    }

    /// What a reference is, without regard to its last index, and how long it is if it is an array. Asks quietly.
    pub fn shape(&self, reference: &Reference) -> Option<(Shape, Option<u32>)> {
        let mut quiet = Report::default();
        let mut resolver = Resolver {
            globals: self.globals,
            faces: self.faces,
            local: self.local,
            report: &mut quiet,
        };
        let (_, variable) = resolver.variable(&reference.parts[0].0)?;
        let (mut shape, mut length) = (variable.shape, variable.length);
        for (field, _) in &reference.parts[1..] {
            let Shape::Struct(s) = shape else {
                return None;
            };
            let fields = &self.globals.structures[s].fields;
            let field = fields.iter().find(|f| f.name == field.text)?;
            (shape, length) = (field.shape.clone(), field.length);
        }
        Some((shape, length))
    }

    /// The arguments of a receive.
    pub fn targets(&mut self, arguments: &[Argument]) -> Vec<Target> {
        let mut all = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Match(value) => all.push(Target::Match(self.value(value))),
                Argument::Reference(reference) => {
                    let name = &reference.parts[0].0;
                    let is_local = (self.local).is_some_and(|(_, s)| s.find(&name.text).is_some());
                    if &*name.text == "_" {
                        all.push(Target::Ignore);
                    } else if &*name.text == "_pid" && !is_local && self.local.is_some() {
                        let message =
                            "nothing is stored in `_pid`: what is received must be equal to it";
                        let warning = Diagnostic::warning(name.span, message)
                            .with_help("write `eval(_pid)`, which SPIN reads so, too");
                        self.report.push(warning);
                        all.push(Target::Match(Value::Pid));
                    } else if let (false, Some(Symbol::Constant(n))) =
                        (is_local, self.globals.names.get(&name.text))
                    {
                        all.push(Target::Match(Value::Number(*n)));
                    } else if let Some(cells) = self.cells(reference) {
                        all.extend(cells.into_iter().map(|(cell, _)| Target::Store(cell)));
                    }
                }
            }
        }
        all
    }

    pub fn value(&mut self, e: &Expression) -> Value {
        match &e.kind {
            ExpressionKind::Number(n) => Value::Number(*n),
            ExpressionKind::Reference(reference) => self.read(reference),
            ExpressionKind::Unary(op, a) => {
                let a = self.value(a);
                match (op, &a) {
                    (Unary::Negate, Value::Number(n)) => Value::Number(n.wrapping_neg()),
                    (Unary::Not, Value::Number(n)) => Value::Number(i64::from(*n == 0)),
                    _ => Value::Unary(*op, Box::new(a)),
                }
            }
            ExpressionKind::Binary(op, a, b) => {
                let (left, right) = (self.value(a), self.value(b));
                if let (Value::Number(x), Value::Number(y)) = (&left, &right) {
                    return match op.apply(*x, *y) {
                        Some(n) => Value::Number(n),
                        None => self.wrong(e.span, "this divides by zero"),
                    };
                }
                Value::Binary(*op, Box::new(left), Box::new(right))
            }
            ExpressionKind::If(c, a, b) => {
                let (c, a, b) = (self.value(c), self.value(a), self.value(b));
                Value::If(Box::new(c), Box::new(a), Box::new(b))
            }
            ExpressionKind::Run(name, arguments, priority) => {
                // Whatever the proctype says, as in SPIN.
                let priority = priority.unwrap_or(1).max(1);
                self.run(name, arguments, priority, e.span)
            }
            ExpressionKind::Priority(process) => Value::Priority(Box::new(self.value(process))),
            ExpressionKind::Channel(test, channel) => {
                Value::Channel(*test, Box::new(self.channel(channel)))
            }
            ExpressionKind::Poll(channel, arguments, random) => {
                let channel = self.channel(channel);
                let targets = self.targets(arguments);
                Value::Poll(Box::new(channel), targets, *random)
            }
            ExpressionKind::Timeout => Value::Timeout,
            ExpressionKind::NonProgress => Value::NonProgress,
            ExpressionKind::Remote(name, index, remote) => self.remote(name, index, remote),
            ExpressionKind::Temporal(Temporal::Implies, parts) if parts.len() == 2 => {
                let (a, b) = (self.value(&parts[0]), self.value(&parts[1]));
                Value::Binary(Binary::Implies, Box::new(a), Box::new(b))
            }
            ExpressionKind::Temporal(..) => {
                let message = "an operator of temporal logic only stands in formulas";
                let error = Diagnostic::error(e.span, message).with_help(
                    "`[]`, `<>`, `X` and `!` bind more tightly than `==`: write `[] (a == b)`",
                );
                self.report.push(error);
                Value::Number(0)
            }
        }
    }

    fn read(&mut self, reference: &Reference) -> Value {
        let name = &reference.parts[0].0;
        let is_local = (self.local).is_some_and(|(_, s)| s.find(&name.text).is_some());
        if !is_local && reference.parts.len() == 1 {
            match &*name.text {
                "_pid" if self.local.is_some() => return Value::Pid,
                "_priority" if self.local.is_some() => return Value::OwnPriority,
                "_nr_pr" => return Value::ProcessCount,
                "_last" => return Value::Last,
                "_" => return self.wrong(name.span, "`_` can only be written"),
                _ => {}
            }
            if let Some(Symbol::Constant(n)) = self.globals.names.get(&name.text) {
                return Value::Number(*n);
            }
        }
        match self.cell(reference) {
            Some((cell, _)) => Value::Read(cell),
            None => Value::Number(0),
        }
    }

    fn run(&mut self, name: &Name, arguments: &[Expression], priority: u8, span: Span) -> Value {
        let values = self.values(arguments);
        let Some(&number) = self.globals.proctypes.get(&name.text) else {
            let known = self.globals.proctypes.keys().map(|k| &**k);
            self.report.unknown(name, "proctype", known);
            return Value::Number(1);
        };
        if self.local.is_none() {
            return self.wrong(span, "`run` only stands in a process");
        }
        if let Some(face) = self.faces.get(number)
            && face.parameters != values.len()
        {
            let (n, given) = (face.parameters, values.len());
            let name = shown(&name.text);
            return self.wrong(span, format!("`{name}` takes {n} arguments, not {given}"));
        }
        Value::Run(number, values, priority)
    }

    fn remote(&mut self, name: &Name, index: &Option<Box<Expression>>, remote: &Remote) -> Value {
        let Some(&number) = self.globals.proctypes.get(&name.text) else {
            let known = self.globals.proctypes.keys().map(|k| &**k);
            self.report.unknown(name, "proctype", known);
            return Value::Number(0);
        };
        let index = index.as_ref().map(|i| Box::new(self.value(i)));
        match remote {
            Remote::Label(label) => {
                Value::RemoteLabel(number, index, label.text.clone(), label.span)
            }
            Remote::Variable(variable, element) => {
                let element = element.as_ref().map(|e| Box::new(self.value(e)));
                let Some(face) = self.faces.get(number) else {
                    return self.wrong(variable.span, "this proctype is declared further down");
                };
                match face.names.get(&variable.text) {
                    Some(&leaf) => {
                        if face.leaves[leaf].length().is_some() != element.is_some() {
                            let message = "an index is missing here, or too much";
                            return self.wrong(variable.span, message);
                        }
                        Value::RemoteVariable(number, index, leaf, element)
                    }
                    None => {
                        let what = format!("variable of `{}` called", face.name);
                        let known: Vec<&str> = face.names.keys().map(|k| &**k).collect();
                        self.report.unknown(variable, &what, known);
                        Value::Number(0)
                    }
                }
            }
        }
    }
}

/// The element `inner` of the array of `n` that is element `outer`; outside, if it is outside.
fn below(outer: Value, n: u32, inner: Value) -> Value {
    let n = i64::from(n);
    let binary = |op, a, b| Value::Binary(op, Box::new(a), Box::new(b));
    if let (Value::Number(a), Value::Number(b)) = (&outer, &inner) {
        return Value::Number(a.wrapping_mul(n).wrapping_add(*b));
    }
    let base = binary(Binary::Multiply, outer, Value::Number(n));
    match inner {
        Value::Number(i) => binary(Binary::Add, base, Value::Number(i)),
        inner => {
            let low = binary(Binary::GreaterEqual, inner.clone(), Value::Number(0));
            let high = binary(Binary::Less, inner.clone(), Value::Number(n));
            Value::If(
                Box::new(binary(Binary::And, low, high)),
                Box::new(binary(Binary::Add, base, inner)),
                Box::new(Value::Number(-1)),
            )
        }
    }
}
