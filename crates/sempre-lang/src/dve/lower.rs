//! From a DVE file to a program of the IR. What the steps mean is in [`super`]; here is how they look.
//!
//! * A transition without rendezvous becomes one action. A rendezvous becomes one action for each pair of
//!   a sending and a receiving transition of different processes on the channel.
//! * A guard starts with the tests of locations, the sender's, then the receiver's, so that whoever
//!   looks for enabled actions can ask for locations first; then, if the file has committed locations and the
//!   action does not start in one, that nobody is in one; then the guards as written; then that the
//!   buffer is not full, or not empty.
//! * An effect first hands over the values, then does what the sender does (location, effects in order),
//!   then the receiver.
//! * Buffers are arrays with a length ([`super::channels`]).
//!
//! Numbers of actions are the product of senders and receivers, and of all processes in a synchronous
//! system ([`super::synchronous`]): more than [`ACTIONS`] are refused.

use super::ast::{Acceptance, File, Name, Process, Scalar, Sync, Transition};
use super::channels::{buffered, handed_over};
use super::declarations::{Declared, declare};
use super::expressions::Resolver;
use super::symbols::Symbol;
use super::{DveModel, PropertyProcess, PropertyTransition, synchronous};
use crate::model::{Queue, Said, SourceStep};
use crate::place::Place as Written;
use crate::report::Report;
use crate::report::shown;
use sempre_base::{Diagnostic, Span};
use sempre_model::ir::{Behaviour, ProcessId, Type, VariableId};
use sempre_model::{Action, Binary, Expr, Place, Stmt};

/// More actions than these are refused.
pub(super) const ACTIONS: usize = 1 << 20;

/// One transition, resolved.
pub(super) struct Move {
    pub process: ProcessId,
    pub location: VariableId,
    pub from: u32,
    pub to: u32,
    pub committed: bool,
    pub guard: Expr,
    pub sync: Option<Channelled>,
    pub effects: Vec<Stmt>,
    pub line: usize,
    /// `P: a -> b`
    pub label: String,
    /// What is between its braces, in one line, not too long.
    pub source: String,
}

/// The part of a transition in a communication.
pub(super) struct Channelled {
    pub channel: usize,
    /// What is sent, or where what is received goes.
    pub end: End,
    pub span: Span,
}

pub(super) enum End {
    Send(Vec<Expr>),
    Receive(Vec<(Place, Scalar)>),
}

impl Move {
    /// Is the process where the transition starts?
    pub fn here(&self) -> Expr {
        let location = Expr::variable(self.location);
        Expr::equal(location, Expr::Constant(self.from.into()))
    }

    /// The step of the process: its location, then its effects.
    pub fn step(&self) -> Vec<Stmt> {
        let mut step = Vec::new();
        if self.from != self.to {
            let place = Place::Scalar(self.location);
            step.push(Stmt::Assign(place, Expr::Constant(self.to.into())));
        }
        step.extend(self.effects.iter().cloned());
        step
    }
}

/// What stands in the file for an action of these transitions; `passed` are the values of a rendezvous.
fn sources(moves: &[&Move], passed: &[Expr]) -> Vec<SourceStep> {
    let value = |e: &Expr| (e.clone(), Type::INT);
    let source = |(i, m): (usize, &&Move)| SourceStep {
        process: m.process.0 as usize,
        name: m.label.clone(),
        statement: m.source.clone(),
        places: vec![Written {
            file: None,
            line: m.line,
        }],
        said: (i == 0 && !passed.is_empty()).then(|| Said {
            format: None,
            values: passed.iter().map(value).collect(),
        }),
        after: 0,
    };
    moves.iter().enumerate().map(source).collect()
}

struct Lowering<'f, 'a> {
    file: &'f File<'a>,
    text: &'a str,
    /// Where each line starts.
    lines: Vec<usize>,
    declared: Declared,
    report: Report,
    /// How many values each channel carries, and who said so.
    arity: Vec<Option<(usize, Span)>>,
    /// The transitions of each action.
    steps: Vec<Vec<SourceStep>>,
}

/// What is between the braces of a transition is cut after so many characters.
const SHOWN: usize = 100;

/// The model of a file, or what is wrong with it. `warnings` of the parser are kept.
pub(super) fn lower(
    name: &str,
    text: &str,
    file: &File<'_>,
    warnings: Vec<Diagnostic>,
) -> Result<DveModel, Vec<Diagnostic>> {
    let mut report = Report::default();
    for warning in warnings {
        report.push(warning);
    }
    let declared = declare(name, file, &mut report);
    let newlines = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
    let mut lowering = Lowering {
        file,
        text,
        lines: newlines.map(|(i, _)| i).collect(),
        arity: declared
            .channels
            .iter()
            .map(|c| c.types.as_ref().map(|t| (t.len(), Span::new(0, 0))))
            .collect(),
        declared,
        report,
        steps: Vec::new(),
    };
    let mut moves = Vec::new();
    let mut property = None;
    for (i, process) in file.processes.iter().enumerate() {
        if lowering.declared.processes[i].is_some() {
            let mut own = lowering.process(i, process);
            moves.append(&mut own);
        } else {
            property = lowering.property(i, process);
        }
    }
    if lowering.declared.program.processes.is_empty() && lowering.report.errors() == 0 {
        let end = Span::new(text.len(), text.len());
        lowering.report.error(end, "the system has no process");
    }
    if lowering.report.errors() == 0 {
        if file.synchronous {
            synchronous::compose(
                &mut lowering.declared.program,
                &moves,
                &lowering.declared.channels,
                &mut lowering.report,
            );
        } else {
            lowering.asynchronous(&moves);
        }
    }
    if lowering.report.errors() > 0 {
        return Err(lowering.report.list);
    }
    let queues = (lowering.declared.channels.iter())
        .filter_map(|c| {
            let buffer = c.buffer.as_ref()?;
            Some(Queue {
                name: c.name.clone(),
                length: buffer.length,
                parts: buffer.parts.clone(),
            })
        })
        .collect();
    Ok(DveModel {
        program: lowering.declared.program,
        property,
        warnings: lowering.report.list,
        queues,
        source_steps: lowering.steps,
        symbols: lowering.declared.symbols,
    })
}

impl Lowering<'_, '_> {
    fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|&end| end < offset) + 1
    }

    /// What is between the braces of a transition.
    fn source(&self, span: Span) -> String {
        let text = &self.text[span.start..span.end];
        let inside = text.split_once('{').map_or("", |(_, inside)| inside);
        let words: Vec<&str> = inside.trim_end_matches('}').split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    fn resolver(&mut self, process: usize) -> Resolver<'_> {
        Resolver {
            symbols: &self.declared.symbols,
            report: &mut self.report,
            process: Some(process),
            proposition: false,
        }
    }

    /// The number of a location of a process.
    fn state(&mut self, process: usize, name: Name<'_>) -> Option<u32> {
        let symbols = &self.declared.symbols.processes[process];
        let found = symbols.states.get(name.text).copied();
        if found.is_none() {
            let what = format!("location of process `{}` called", shown(&symbols.name));
            self.report
                .unknown(&name, &what, symbols.states.keys().map(String::as_str));
        }
        found
    }

    fn process(&mut self, index: usize, process: &Process<'_>) -> Vec<Move> {
        let committed: Vec<Option<u32>> =
            (process.committed.iter().map(|s| self.state(index, *s))).collect();
        for state in process.acceptance.iter().flat_map(states_of) {
            self.state(index, state);
        }
        let (id, location) = match (
            self.declared.processes[index],
            self.declared.symbols.processes[index].location,
        ) {
            (Some(id), Some(location)) => (id, location),
            _ => return Vec::new(),
        };
        for (name, condition) in &process.assertions {
            let Some(state) = self.state(index, *name) else {
                continue;
            };
            let holds = self.resolver(index).value(condition);
            let here = Expr::equal(Expr::variable(location), Expr::Constant(state.into()));
            let written = &self.text[condition.span.start..condition.span.end];
            let words: Vec<&str> = written.split_whitespace().collect();
            let line = self.line(condition.span.start);
            let text = format!(
                "{}.{}: {} (line {line})",
                process.name.text,
                name.text,
                words.join(" ")
            );
            let assertion = Expr::binary(Binary::Implies, here, holds);
            self.declared.program.assertions.push((assertion, text));
        }
        let mut moves = Vec::new();
        for transition in &process.transitions {
            sempre_base::checkpoint();
            let from = self.state(index, transition.from);
            let to = self.state(index, transition.to);
            let guard = self.guard(index, transition);
            let sync = transition.sync.as_ref().map(|s| self.sync(index, s));
            let effects = self.effects(index, transition);
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            let sync = match sync {
                Some(None) => continue,
                Some(sync) => sync,
                None => None,
            };
            moves.push(Move {
                process: id,
                location,
                from,
                to,
                committed: committed.contains(&Some(from)),
                guard,
                sync,
                effects,
                line: self.line(transition.span.start),
                label: format!(
                    "{}: {} -> {}",
                    process.name.text, transition.from.text, transition.to.text
                ),
                source: self.source(transition.span),
            });
        }
        moves
    }

    fn guard(&mut self, process: usize, transition: &Transition<'_>) -> Expr {
        match &transition.guard {
            Some(guard) => self.resolver(process).value(guard),
            None => Expr::TRUE,
        }
    }

    fn effects(&mut self, process: usize, transition: &Transition<'_>) -> Vec<Stmt> {
        let mut effects = Vec::new();
        for (place, value) in &transition.effects {
            let target = self.resolver(process).place(place);
            let stored = self.resolver(process).value(value);
            if let Some((target, scalar)) = target {
                self.warn_if_cut(scalar, &stored, value.span);
                effects.push(Stmt::Assign(target, stored));
            }
        }
        effects
    }

    fn warn_if_cut(&mut self, scalar: Scalar, value: &Expr, span: Span) {
        if let Expr::Constant(n) = value
            && scalar.store(*n) != *n
        {
            let (word, stored) = (scalar.word(), scalar.store(*n));
            let message = format!("{n} does not fit in `{word}` and becomes {stored}");
            self.report.warning(span, message);
        }
    }

    fn sync(&mut self, process: usize, sync: &Sync<'_>) -> Option<Channelled> {
        let name = sync.channel;
        let channel = match self.declared.symbols.lookup(Some(process), name.text) {
            Some(Symbol::Channel(channel)) => *channel,
            Some(Symbol::Broken) => return None,
            Some(_) => {
                let message = format!("`{}` is not a channel", shown(name.text));
                self.report.error(name.span, message);
                return None;
            }
            None => {
                let known = self.declared.channels.iter().map(|c| c.name.as_str());
                self.report.unknown(&name, "channel", known);
                return None;
            }
        };
        let end = if sync.sends {
            let mut resolver = self.resolver(process);
            End::Send(sync.values.iter().map(|e| resolver.value(e)).collect())
        } else {
            let mut resolver = self.resolver(process);
            let places: Vec<_> = sync.values.iter().map(|e| resolver.place(e)).collect();
            End::Receive(places.into_iter().collect::<Option<_>>()?)
        };
        if let (End::Send(values), Some(types)) =
            (&end, self.declared.channels[channel].types.clone())
        {
            for ((value, scalar), e) in values.iter().zip(types).zip(&sync.values) {
                self.warn_if_cut(scalar, value, e.span);
            }
        }
        self.check_arity(channel, sync);
        Some(Channelled {
            channel,
            end,
            span: sync.span,
        })
    }

    /// Everybody must put the same number of values through a channel.
    fn check_arity(&mut self, channel: usize, sync: &Sync<'_>) {
        let n = sync.values.len();
        match self.arity[channel] {
            None => self.arity[channel] = Some((n, sync.span)),
            Some((expected, first)) if expected != n => {
                let name = shown(sync.channel.text);
                let message = format!("channel `{name}` carries {}, not {n}", values(expected));
                let help = if first.end == 0 {
                    "as its declaration says".to_string()
                } else {
                    format!("as in line {}", self.line(first.start))
                };
                self.report
                    .push(Diagnostic::error(sync.span, message).with_help(help));
            }
            Some(_) => {}
        }
    }

    fn property(&mut self, index: usize, process: &Process<'_>) -> Option<PropertyProcess> {
        let mut transitions = Vec::new();
        for (name, _) in &process.assertions {
            self.report
                .error(name.span, "a property process has no assertions");
        }
        for name in &process.committed {
            self.report
                .error(name.span, "a property process has no committed locations");
        }
        for transition in &process.transitions {
            if let Some(sync) = &transition.sync {
                let message = "a property process does not take part in synchronisation";
                self.report.error(sync.span, message);
            }
            if let Some((place, _)) = transition.effects.first() {
                let message = "a property process only watches: it has no effects";
                self.report.error(place.span, message);
            }
            let guard = self.guard(index, transition);
            let from = self.state(index, transition.from);
            let to = self.state(index, transition.to);
            if let (Some(from), Some(to)) = (from, to) {
                transitions.push(PropertyTransition {
                    from: from as usize,
                    to: to as usize,
                    guard,
                    text: (transition.guard.as_ref()).map_or("true".to_string(), |g| {
                        let words = self.text[g.span.start..g.span.end].split_whitespace();
                        words.collect::<Vec<_>>().join(" ")
                    }),
                    line: self.line(transition.span.start),
                });
            }
        }
        let acceptance = process
            .acceptance
            .clone()
            .unwrap_or(Acceptance::Buchi(Vec::new()));
        let acceptance =
            acceptance.map(&mut |name| self.state(index, name).map_or(0, |s| s as usize));
        let initial = self.state(index, process.initial?)?;
        Some(PropertyProcess {
            name: process.name.text.to_string(),
            states: process.states.iter().map(|s| s.text.to_string()).collect(),
            initial: initial as usize,
            acceptance,
            transitions,
        })
    }

    /// "Nobody is in a committed location", for the processes other than these.
    fn uncommitted(&self, but: &[ProcessId]) -> Vec<Expr> {
        let mut tests = Vec::new();
        for (i, process) in self.file.processes.iter().enumerate() {
            sempre_base::checkpoint();
            let symbols = &self.declared.symbols.processes[i];
            let (Some(id), Some(location)) = (self.declared.processes[i], symbols.location) else {
                continue;
            };
            if but.contains(&id) {
                continue;
            }
            for state in &process.committed {
                if let Some(&state) = symbols.states.get(state.text) {
                    let location = Expr::variable(location);
                    let state = Expr::Constant(state.into());
                    tests.push(Expr::binary(Binary::NotEqual, location, state));
                }
            }
        }
        tests
    }

    fn asynchronous(&mut self, moves: &[Move]) {
        let mut receivers: Vec<Vec<&Move>> = vec![Vec::new(); self.declared.channels.len()];
        for m in moves {
            if let Some(Channelled {
                channel,
                end: End::Receive(_),
                ..
            }) = &m.sync
            {
                receivers[*channel].push(m);
            }
        }
        for m in moves {
            let Some(sync) = &m.sync else {
                let action = self.action(
                    &[m],
                    Vec::new(),
                    Vec::new(),
                    format!("{} (line {})", m.label, m.line),
                );
                self.declared.program.actions.push(action);
                self.steps.push(sources(&[m], &[]));
                continue;
            };
            let carrier = &self.declared.channels[sync.channel];
            if let Some(buffer) = &carrier.buffer {
                let sign = if matches!(sync.end, End::Send(_)) {
                    '!'
                } else {
                    '?'
                };
                let name = format!("{} ({}{sign}, line {})", m.label, carrier.name, m.line);
                let (ready, transfer) = buffered(carrier, buffer, &sync.end);
                let action = self.action(&[m], vec![ready], transfer, name);
                self.declared.program.actions.push(action);
                self.steps.push(sources(&[m], &[]));
                continue;
            }
            let End::Send(values) = &sync.end else {
                continue;
            };
            for &receiver in &receivers[sync.channel] {
                sempre_base::checkpoint();
                // Both or none: the one that is committed lets nobody else move.
                if receiver.process == m.process || receiver.committed != m.committed {
                    continue;
                }
                let Some(Channelled {
                    end: End::Receive(places),
                    ..
                }) = &receiver.sync
                else {
                    continue;
                };
                if self.declared.program.actions.len() >= ACTIONS {
                    let message = format!(
                        "the rendezvous of channel `{}` make more than {ACTIONS} actions",
                        carrier.name
                    );
                    self.report.error(sync.span, message);
                    return;
                }
                let lines = if m.line == receiver.line {
                    format!("line {}", m.line)
                } else {
                    format!("lines {} and {}", m.line, receiver.line)
                };
                let name = format!(
                    "{}, {} ({}, {lines})",
                    m.label, receiver.label, carrier.name
                );
                let transfer = handed_over(carrier, places, values);
                let action = self.action(&[m, receiver], Vec::new(), transfer, name);
                self.declared.program.actions.push(action);
                self.steps.push(sources(&[m, receiver], values));
            }
        }
        let registers = self.arity.iter().flatten().map(|a| 2 * a.0 as u32).max();
        self.declared.program.registers = registers.unwrap_or(0).max(1);
    }

    fn action(
        &self,
        moves: &[&Move],
        ready: Vec<Expr>,
        transfer: Vec<Stmt>,
        name: String,
    ) -> Action {
        sempre_base::checkpoint();
        let processes: Vec<ProcessId> = moves.iter().map(|m| m.process).collect();
        let mut guard: Vec<Expr> = moves.iter().map(|m| m.here()).collect();
        if !moves.iter().any(|m| m.committed) {
            guard.extend(self.uncommitted(&processes));
        }
        guard.extend(moves.iter().map(|m| m.guard.clone()));
        guard.extend(ready);
        let mut effect = transfer;
        for m in moves {
            effect.extend(m.step());
        }
        Action {
            name,
            processes,
            class: 0,
            behaviour: Behaviour::Guarded {
                guard: Expr::all(guard),
                effect,
            },
        }
    }
}

fn values(n: usize) -> String {
    match n {
        0 => "no value".to_string(),
        1 => "one value".to_string(),
        n => format!("{n} values"),
    }
}

fn states_of<'a>(acceptance: &Acceptance<Name<'a>>) -> Vec<Name<'a>> {
    let mut all = Vec::new();
    acceptance.clone().map(&mut |name| all.push(name));
    all
}
