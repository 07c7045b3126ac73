//! The control flow of a process, as SPIN sees it.
//!
//! State counts only agree if locations do, so this follows SPIN's construction (`flow.c` and the tables of its
//! verifier): a statement is an **element**, sequences are lists of elements, and the place where a process stands is
//! an element. A statement leads to the element after it, but not to a jump: jumps are followed (**hunted**) at once,
//! unless that would leave an atomic sequence. So `x = 1; goto L` is one step and `:: goto L` is one, too.
//!
//! * `if` is an element with the options below it and a target after it, which all options end in. `do` is the same with the
//!   target in front and one more element, where `break` leads, behind.
//! * A block, `atomic` and `d_step` are elements with a sequence below them. Where a process stands before a block is
//!   another place than before its first statement, and SPIN tells these states apart.
//! * All statements of an atomic sequence but its last are marked: after one of those the process goes on alone.
//! * `unless` is its main sequence with the escape noted at every element of it.

use super::ast::{Name, Statement, StatementKind};
use super::resolve::{Cell, Target, Value};
use super::written::Written;
use crate::place::Place;
use sempre_base::Span;
use std::sync::Arc;

/// The number of an element.
pub(super) type El = usize;
/// The number of a sequence.
pub(super) type Seq = usize;

/// Where a jump leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Jump {
    Label(Name, Vec<usize>),
    Break(usize),
}

/// What an element does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `None`: to `_`, which keeps nothing.
    Assign(Option<Cell>, Value),
    Send(Value, Vec<Value>, bool),
    Receive(Value, Vec<Target>, bool, bool),
    Condition(Value),
    Else,
    Assert(Value),
    /// The process, its new priority; true for `_priority = …`.
    SetPriority(Value, Value, bool),
    Print(Option<Arc<str>>, Vec<Value>),
    Goto(Jump),
    /// The target of options.
    Dot,
    /// Where `break` leads.
    Break,
    If(Vec<Seq>),
    Do(Vec<Seq>),
    Atomic(Seq),
    Block(Seq),
    DStep(Seq),
    Unless(Seq, Seq),
    /// The end of the process.
    End,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub kind: Kind,
    pub span: Span,
    /// What the author wrote.
    pub written: Option<Arc<Written>>,
    pub next: Option<El>,
    /// Does the process go on alone after it?
    pub atom: bool,
    /// The last of an atomic sequence.
    pub last: bool,
    /// Inside of a `d_step`?
    pub step: bool,
    /// The latest first.
    pub escapes: Vec<Seq>,
}

impl Element {
    /// Its statement, as the author wrote it.
    pub(super) fn text(&self) -> &str {
        self.written.as_ref().map_or("", |w| &w.text)
    }

    /// Where the author wrote it, and the calls that brought it.
    pub(super) fn places(&self) -> &[Place] {
        self.written.as_ref().map_or(&[], |w| &w.places)
    }

    /// Both.
    pub(super) fn shown(&self) -> String {
        self.written
            .as_ref()
            .map_or_else(String::new, |w| w.to_string())
    }

    /// The line.
    pub(super) fn line(&self) -> usize {
        self.written.as_ref().map_or(0, |w| w.line())
    }

    /// The place as the name of a location.
    pub(super) fn location(&self) -> String {
        self.written
            .as_ref()
            .map_or_else(String::new, |w| w.location())
    }
}

/// Elements one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    pub first: Option<El>,
    pub last: Option<El>,
    /// The last that was written, without targets.
    pub extent: Option<El>,
}

/// A label and where it is.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub name: Arc<str>,
    /// The inlines that it is in.
    pub inlines: Vec<usize>,
    pub element: El,
}

/// The control flow of a proctype.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub elements: Vec<Element>,
    pub sequences: Vec<Sequence>,
    pub labels: Vec<Label>,
    /// Where each `break` leads.
    pub breaks: Vec<Option<El>>,
    pub start: El,
    /// What is merged into the step of each element, if steps are merged.
    pub chains: Vec<Option<Chain>>,
    /// The leaves that nobody reads after each element, if these are forgotten.
    pub dead: Vec<Vec<usize>>,
    /// What the author wrote of the elements that are made now.
    pub written: Option<Arc<Written>>,
}

/// What a step goes on to do in the same step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub elements: Vec<El>,
    /// Where it leads in the end.
    pub to: Option<El>,
    pub atom: bool,
}

/// Jumps in a circle.
#[derive(Debug)]
pub(super) struct Circle(pub Span);

impl Flow {
    pub fn element(&mut self, kind: Kind, span: Span) -> El {
        self.elements.push(Element {
            kind,
            span,
            written: self.written.clone(),
            next: None,
            atom: false,
            last: false,
            step: false,
            escapes: Vec::new(),
        });
        self.elements.len() - 1
    }

    /// The sequences directly below an element.
    pub fn below(&self, e: El) -> Vec<Seq> {
        match &self.elements[e].kind {
            Kind::If(options) | Kind::Do(options) => options.clone(),
            Kind::Unless(main, escape) => vec![*main, *escape],
            Kind::Atomic(s) | Kind::Block(s) | Kind::DStep(s) => vec![*s],
            _ => Vec::new(),
        }
    }

    /// The elements of a sequence up to `last`.
    fn list(&self, first: Option<El>, last: Option<El>) -> Vec<El> {
        sempre_base::checkpoint();
        let mut all = Vec::new();
        let mut at = first;
        while let Some(e) = at {
            if all.contains(&e) {
                break;
            }
            all.push(e);
            if Some(e) == last {
                break;
            }
            at = self.elements[e].next;
        }
        all
    }

    /// Is it a label of the element with one of these beginnings?
    pub fn has_label(&self, e: El, beginnings: &[&str]) -> bool {
        (self.labels.iter())
            .any(|l| l.element == e && beginnings.iter().any(|b| l.name.starts_with(b)))
    }

    pub fn append(&mut self, e: El, s: Seq, span: Span) {
        if matches!(self.elements[e].kind, Kind::Goto(_))
            && self.has_label(e, &["accept", "end", "progress"])
        {
            // A jump is no place to be in, so the label gets one.
            let skip = self.element(Kind::Condition(Value::Number(1)), span);
            self.elements[skip].written = self.elements[e].written.clone();
            if let Some(label) = self.labels.iter_mut().rev().find(|l| l.element == e) {
                label.element = skip;
            }
            self.append(skip, s, span);
        }
        let sequence = &mut self.sequences[s];
        match sequence.last {
            None => sequence.first = Some(e),
            Some(last) => self.elements[last].next = Some(e),
        }
        self.sequences[s].last = Some(e);
    }

    /// Marks the elements of an atomic sequence; `step` for those of a `d_step`.
    pub fn make_atomic(&mut self, s: Seq, step: bool) {
        self.walk_atomic(s, step);
        let Some(last) = self.sequences[s].last else {
            return;
        };
        match self.elements[last].kind {
            Kind::Block(inner) | Kind::Atomic(inner) | Kind::Unless(inner, _) => {
                self.make_atomic(inner, step);
            }
            _ => {
                self.elements[last].atom = false;
                self.elements[last].last = true;
            }
        }
    }

    fn walk_atomic(&mut self, s: Seq, step: bool) {
        sempre_base::checkpoint();
        let Sequence { first, last, .. } = self.sequences[s];
        for e in self.list(first, last) {
            let element = &mut self.elements[e];
            element.atom = true;
            element.step |= step;
            match element.kind {
                Kind::Atomic(inner) => element.kind = Kind::Block(inner),
                Kind::DStep(inner) if step => element.kind = Kind::Block(inner),
                Kind::DStep(_) => continue,
                _ => {}
            }
            for inner in self.below(e) {
                self.walk_atomic(inner, step);
            }
        }
    }

    /// Notes an escape at all elements of a sequence.
    pub fn attach_escape(&mut self, s: Seq, escape: Seq) {
        let Sequence { first, extent, .. } = self.sequences[s];
        for e in self.list(first, extent) {
            self.escape_element(e, escape);
        }
    }

    fn escape_element(&mut self, e: El, escape: Seq) {
        sempre_base::checkpoint();
        if self.elements[e].escapes.contains(&escape) {
            return;
        }
        // The escapes that are there already can be left, too.
        for inner in self.elements[e].escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elements[e].escapes.insert(0, escape);
        match self.elements[e].kind.clone() {
            Kind::Unless(main, _) => self.attach_escape(main, escape),
            Kind::If(options) | Kind::Do(options) => {
                for option in options {
                    self.attach_escape(option, escape);
                }
            }
            Kind::DStep(inner) => {
                if let Some(first) = self.sequences[inner].first {
                    self.escape_element(first, escape);
                }
            }
            Kind::Atomic(inner) | Kind::Block(inner) => self.attach_escape(inner, escape),
            _ => {}
        }
    }

    /// Ties the ends of sequences below elements to what follows, from the outside in.
    pub fn tie(&mut self, s: Seq) {
        let Sequence { first, last, .. } = self.sequences[s];
        for e in self.list(first, last) {
            match self.elements[e].kind {
                Kind::Atomic(inner) | Kind::Block(inner) | Kind::DStep(inner) => {
                    self.patch_atomic(inner);
                    let next = self.elements[e].next;
                    if let Some(end) = self.sequences[inner].last {
                        self.elements[end].next = next;
                    }
                    self.tie(inner);
                }
                _ => {
                    for inner in self.below(e) {
                        self.tie(inner);
                    }
                }
            }
        }
    }

    /// Jumps out of an atomic sequence end it, jumps into another go on.
    fn patch_atomic(&mut self, s: Seq) {
        let Sequence { first, extent, .. } = self.sequences[s];
        for e in self.list(first, extent) {
            if let Kind::Goto(jump) = &self.elements[e].kind {
                let Some(to) = self.jump(jump) else {
                    continue;
                };
                let inside = self.elements[to].atom || self.elements[to].last;
                let element = &mut self.elements[e];
                if (element.atom || element.last) && !inside {
                    element.atom = false;
                    element.last = true;
                }
                if element.last && inside {
                    element.last = false;
                    element.atom = true;
                }
            } else if let Kind::If(_) | Kind::Do(_) | Kind::Unless(..) = self.elements[e].kind {
                for inner in self.below(e) {
                    self.patch_atomic(inner);
                }
            }
        }
    }

    /// Where a jump leads; `None` if there is no such label.
    pub fn jump(&self, jump: &Jump) -> Option<El> {
        match jump {
            Jump::Break(n) => self.breaks[*n],
            Jump::Label(name, inlines) => {
                let named = self.labels.iter().filter(|l| l.name == name.text);
                // The nearest inline around the jump that has the label; else any.
                named
                    .max_by_key(|l| {
                        if inlines.starts_with(&l.inlines) {
                            1 + l.inlines.len()
                        } else {
                            0
                        }
                    })
                    .map(|l| l.element)
            }
        }
    }

    /// Where somebody asks for a label of a jump, a process stays there for a step; otherwise, nobody would ever be there.
    pub fn stay_at(&mut self, label: &str) {
        let Some(e) = (self.labels.iter().find(|l| &*l.name == label)).map(|l| l.element) else {
            return;
        };
        let Element { span, next, .. } = self.elements[e];
        if let Kind::Goto(jump) = self.elements[e].kind.clone() {
            let goes = self.element(Kind::Goto(jump), span);
            self.elements[goes].written = self.elements[e].written.clone();
            self.elements[goes].next = next;
            self.elements[e].kind = Kind::Condition(Value::Number(1));
            self.elements[e].next = Some(goes);
        }
    }

    /// The place that one stands at on the way to `e`, from a statement that is `atom` or not.
    pub fn hunt(&self, e: El, atom: bool) -> Result<El, Circle> {
        sempre_base::checkpoint();
        let mut at = e;
        for _ in 0..500 {
            let element = &self.elements[at];
            let next = match &element.kind {
                Kind::Goto(jump) => match self.jump(jump) {
                    Some(to) => to,
                    None => return Ok(at),
                },
                Kind::Dot | Kind::Break => match element.next {
                    Some(next) => next,
                    None => return Ok(at),
                },
                Kind::Unless(main, _) => match self.sequences[*main].first {
                    Some(first) => self.hunt(first, atom)?,
                    None => return Ok(at),
                },
                _ => return Ok(at),
            };
            if atom && !self.elements[next].atom {
                return Ok(at);
            }
            at = next;
        }
        Err(Circle(self.elements[e].span))
    }

    /// The first element of an option that does something.
    pub fn hunt_start(&self, e: El) -> El {
        let mut at = e;
        for _ in 0..200 {
            match (&self.elements[at].kind, self.elements[at].next) {
                (Kind::Dot, Some(next)) => at = next,
                (Kind::Unless(main, _), _) => match self.sequences[*main].first {
                    Some(first) => at = first,
                    None => return at,
                },
                _ => return at,
            }
        }
        at
    }

    /// Where an element leads; `None` for the end of the process.
    pub fn target(&self, e: El) -> Result<Option<El>, Circle> {
        if let Some(Some(chain)) = self.chains.get(e) {
            return Ok(chain.to);
        }
        let element = &self.elements[e];
        match &element.kind {
            Kind::Goto(jump) => match self.jump(jump) {
                Some(to) => self.hunt(to, element.atom).map(Some),
                None => Ok(None),
            },
            _ => match element.next {
                Some(next) => self.hunt(next, element.atom).map(Some),
                None => Ok(None),
            },
        }
    }

    /// The statements that can be executed at a place, `else` last.
    pub fn leaves(&self, e: El) -> Vec<El> {
        let mut all = Vec::new();
        self.collect(e, &mut all, 0);
        all
    }

    fn collect(&self, e: El, out: &mut Vec<El>, depth: usize) {
        sempre_base::checkpoint();
        if depth > 1000 {
            return;
        }
        match &self.elements[e].kind {
            Kind::If(options) | Kind::Do(options) => {
                for &option in options {
                    let Some(first) = self.sequences[option].first else {
                        continue;
                    };
                    let start = self.hunt_start(first);
                    let element = &self.elements[start];
                    if element.kind == Kind::Condition(Value::Number(0))
                        && element.escapes.is_empty()
                    {
                        continue;
                    }
                    self.collect(start, out, depth + 1);
                }
            }
            Kind::Atomic(s) | Kind::Block(s) => {
                if let Some(first) = self.sequences[*s].first {
                    self.collect(self.hunt_start(first), out, depth + 1);
                }
            }
            Kind::Unless(main, _) => {
                if let Some(first) = self.sequences[*main].first {
                    self.collect(self.hunt_start(first), out, depth + 1);
                }
            }
            _ if out.contains(&e) => {}
            _ => out.push(e),
        }
    }

    /// The statements of a place, in groups: if one of a group can be executed, those of later groups cannot. The last
    /// are the statements themselves, the earlier ones escapes.
    pub fn groups(&self, e: El) -> Result<Vec<Vec<El>>, Circle> {
        let main = self.leaves(e);
        let mut groups: Vec<(El, Vec<El>)> = Vec::new();
        for &leaf in &main {
            let element = &self.elements[leaf];
            if element.kind == Kind::Dot {
                continue;
            }
            for &escape in element.escapes.iter().rev() {
                let Some(first) = self.sequences[escape].first else {
                    continue;
                };
                let place = self.hunt(first, element.atom)?;
                if groups.iter().any(|g| g.0 == place) {
                    continue;
                }
                let known = |l: &El| main.contains(l) || groups.iter().any(|g| g.1.contains(l));
                let mut leaves = self.leaves(place);
                leaves.retain(|l| !known(l));
                groups.insert(0, (place, leaves));
            }
        }
        let mut all: Vec<Vec<El>> = groups.into_iter().map(|g| g.1).collect();
        all.push(main);
        Ok(all)
    }

    /// Removes all but the first of several `skip` in a row, inside of options, as SPIN does.
    pub fn prune(&mut self, s: Seq) {
        let Sequence {
            first,
            last,
            extent,
        } = self.sequences[s];
        let mut count = 0;
        let mut before: Option<El> = None;
        for e in self.list(first, last) {
            let is_skip = matches!(
                self.elements[e].kind,
                Kind::Print(..) | Kind::Condition(Value::Number(1))
            );
            if is_skip && !self.labels.iter().any(|l| l.element == e) {
                count += 1;
                if count > 1
                    && !matches!(self.elements[e].kind, Kind::Print(..))
                    && Some(e) != first
                    && Some(e) != last
                    && Some(e) != extent
                    && let Some(before) = before
                {
                    self.elements[before].next = self.elements[e].next;
                    continue;
                }
            } else {
                count = 0;
            }
            before = Some(e);
        }
    }
}

/// Is it a block that `unless` takes apart?
pub(super) fn is_block(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Block(..))
}
