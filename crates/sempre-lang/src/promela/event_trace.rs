//! Event traces: `trace { … }` and `notrace { … }`, automata that watch sends and receives.
//!
//! * A trace observes the channels that it names: the sends to those that it has a send of, the receives from those that it has
//!   a receive of. Other events, and peeks (`c?<x>`), are none of its business. Where it is, is part of the state.
//! * An event fits a statement of the trace if the channel is the same and so are the fields that the statement gives as a
//!   constant or `eval(…)`. As in SPIN (`require` of its verifiers), a send is compared with the last message of the
//!   channel after it, and a receive with the first before it, also where `!!` and `??` use another.
//! * **`trace`**: an observed event that fits nothing is a failing step; so is any after the end. Where all
//!   processes are at an end but the trace is neither at its own nor at a label `end…`, the end is invalid, unless all processes are gone.
//! * **`notrace`**: the step that brings the trace to its end fails. With the first event that fits nothing the trace is over.
//! * An event that fits several statements is a failing step: a trace is deterministic.
//! * A rendezvous is a send and then a receive. (SPIN sees the send where it is offered, even if nobody takes it.)
//!
//! The effect of each send and receive goes on with a choice by the place of the trace; so all engines have it.

use super::ast::EventTrace;
use super::body::Body;
use super::flow::{El, Kind};
use super::instances::{AT_END, Channel, World, places};
use super::lower::Resolved;
use super::resolve::{Target, Value};
use super::steps::{all, any};
use crate::report::Report;
use rustc_hash::FxHashMap;
use sempre_base::Diagnostic;
use sempre_model::ir::{Binary, Expr, Place, Stmt, Type, Unary, VariableId};

/// An event that a trace waits for at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    from: i64,
    to: i64,
    /// The fields that are compared.
    fields: Vec<(usize, Expr)>,
}

/// See the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Watch {
    /// Where the trace is.
    place: VariableId,
    negated: bool,
    /// The place at its end.
    end: i64,
    /// Where the system may end.
    stops: Vec<i64>,
    /// The steps of each channel that is observed, by channel and whether it is sent.
    steps: FxHashMap<(usize, bool), Vec<Step>>,
}

/// Complains about what cannot be in a trace.
pub(super) fn check(trace: &EventTrace, body: &Body, report: &mut Report) {
    let word = trace.word();
    if let Some(leaf) = body.store.leaves.first() {
        let message = format!(
            "a `{word}` only watches: it has no variables (`{}`)",
            leaf.name
        );
        report.error(trace.body.name.span, message);
    }
    for e in (places(body).iter()).flat_map(|&p| body.flow.groups(p).unwrap_or_default().concat()) {
        let element = &body.flow.elements[e];
        let plain = match &element.kind {
            Kind::Send(_, _, sorted) => !sorted,
            Kind::Receive(_, _, random, keeps) => !random && !keeps,
            Kind::End => true,
            _ => false,
        };
        if !plain || !element.escapes.is_empty() {
            let message =
                format!("a `{word}` consists of sends and receives, and choices between them");
            let help = "`!!`, `??` and `?<…>` are no events either; `!` and `?` stand for them";
            report.push(Diagnostic::error(element.span, message).with_help(help));
        }
    }
}

/// The trace of a model, ready to watch.
pub(super) fn declare(world: &mut World, resolved: &Resolved, report: &mut Report) {
    let Some((body, negated)) = &resolved.trace else {
        return;
    };
    let flow = &body.flow;
    let all_places = places(body);
    let number: FxHashMap<El, i64> = all_places.iter().copied().zip(0..).collect();
    let names = all_places.iter().map(|&e| {
        let label = flow.labels.iter().find(|l| l.element == e);
        match (label, &flow.elements[e].kind) {
            (Some(label), _) => label.name.to_string(),
            (None, Kind::End) => AT_END.to_string(),
            _ => flow.elements[e].location(),
        }
    });
    let mut names: Vec<String> = names.collect();
    // A trace that is a loop never comes to its end, but a `notrace` may be over all the same.
    let is_end = |e: &El| flow.elements[*e].kind == Kind::End;
    let end = match all_places.iter().find(|e| is_end(e)) {
        Some(e) => number[e],
        None => {
            names.push(AT_END.to_string());
            names.len() as i64 - 1
        }
    };
    let mut stops: Vec<i64> = (all_places.iter())
        .filter(|&&e| flow.has_label(e, &["end"]))
        .map(|e| number[e])
        .collect();
    stops.push(end);
    let mut steps: FxHashMap<(usize, bool), Vec<Step>> = FxHashMap::default();
    for &p in &all_places {
        for e in flow.groups(p).unwrap_or_default().concat() {
            let span = flow.elements[e].span;
            let (channel, sends, targets) = match &flow.elements[e].kind {
                Kind::Send(channel, values, _) => {
                    let constant = |v: &Value| match v {
                        Value::Number(_) => Target::Match(v.clone()),
                        _ => Target::Ignore,
                    };
                    (channel, true, values.iter().map(constant).collect())
                }
                Kind::Receive(channel, targets, ..) => (channel, false, targets.clone()),
                _ => continue,
            };
            let Some(c) = world.candidates(None, channel).only() else {
                report.error(span, "the channel of an event must be the same for ever");
                continue;
            };
            let n = world.channels[c].signature.fields.len();
            if targets.len() != n {
                let name = &world.channels[c].name;
                let s = if n == 1 { "" } else { "s" };
                let message = format!("`{name}` carries {n} value{s}, not {}", targets.len());
                report.error(span, message);
            }
            let fields = targets.iter().enumerate().filter_map(|(i, t)| match t {
                Target::Match(v) => Some((i, world.expr(None, v, false))),
                _ => None,
            });
            let to = flow.target(e).ok().flatten().and_then(|to| number.get(&to));
            steps.entry((c, sends)).or_default().push(Step {
                from: number[&p],
                to: to.copied().unwrap_or(end),
                fields: fields.collect(),
            });
        }
    }
    let first = number.get(&flow.start).copied().unwrap_or(end);
    let word = if *negated { "_notrace" } else { "_trace" };
    let place = world
        .program
        .declare(word, Type::Enum { names }, None, None);
    world.initial.push(first);
    world.watch = Some(Watch {
        place,
        negated: *negated,
        end,
        stops,
        steps,
    });
}

impl Watch {
    /// What the trace does when a message with these fields is sent to a channel, or received from it.
    fn see(&self, channel: &Channel, c: usize, sends: bool, message: &[Expr]) -> Vec<Stmt> {
        let Some(steps) = self.steps.get(&(c, sends)) else {
            return Vec::new();
        };
        let at = |n: i64| Expr::equal(Expr::variable(self.place), Expr::Constant(n));
        let go = |n: i64| Stmt::Assign(Place::Scalar(self.place), Expr::Constant(n));
        let fail = |message: String| vec![Stmt::Assert(Expr::FALSE, message)];
        let word = if sends { "send to" } else { "receive from" };
        let name = &channel.name;
        let miss = match self.negated {
            true => vec![go(self.end)],
            false => fail(format!("the trace does not allow this {word} `{name}`")),
        };
        let mut places: Vec<i64> = steps.iter().map(|s| s.from).collect();
        places.dedup();
        let mut chain = miss.clone();
        for &p in places.iter().rev() {
            let here: Vec<(&Step, Expr)> = (steps.iter().filter(|s| s.from == p))
                .map(|s| {
                    let same = s.fields.iter().filter_map(|(i, wanted)| {
                        let found = message.get(*i)?.clone();
                        Some(super::values::binary(Binary::Equal, found, wanted.clone()))
                    });
                    (s, all(same))
                })
                .collect();
            let mut choice = miss.clone();
            for (k, (step, fits)) in here.iter().enumerate().rev() {
                let taken = match self.negated && step.to == self.end {
                    true => fail(format!(
                        "all events of the notrace have happened, with this {word} `{name}`"
                    )),
                    false => vec![go(step.to)],
                };
                let others = any(here[k + 1..].iter().map(|o| o.1.clone()));
                let several = fail(format!(
                    "several events of the trace fit this {word} `{name}`"
                ));
                let taken = decide(others, several, taken);
                choice = decide(fits.clone(), taken, choice);
            }
            chain = decide(at(p), choice, chain);
        }
        chain
    }
}

fn decide(condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Vec<Stmt> {
    match condition {
        Expr::Constant(0) => otherwise,
        Expr::Constant(_) => then,
        condition => vec![Stmt::If(condition, then, otherwise)],
    }
}

impl World {
    /// What the trace does with a message of a rendezvous.
    pub fn passed(&self, c: usize, sends: bool, message: &[Expr]) -> Vec<Stmt> {
        let watch = self.watch.as_ref();
        watch.map_or_else(Vec::new, |w| w.see(&self.channels[c], c, sends, message))
    }

    /// What the trace does with the last message of a buffer, which was sent, or with the first, which is received.
    pub fn seen(&self, c: usize, sends: bool) -> Vec<Stmt> {
        let channel = &self.channels[c];
        let Some(length) = channel.length else {
            return Vec::new();
        };
        let place = match sends && channel.signature.capacity > 1 {
            true => Expr::binary(Binary::Subtract, Expr::variable(length), Expr::Constant(1)),
            false => Expr::Constant(0),
        };
        let fields = channel.fields.iter();
        let message: Vec<Expr> = fields.map(|&f| Expr::element(f, place.clone())).collect();
        self.passed(c, sends, &message)
    }

    /// Does the trace wait for more events?
    pub fn trace_goes_on(&self) -> Expr {
        let Some(watch) = &self.watch else {
            return Expr::FALSE;
        };
        let place = || Expr::variable(watch.place);
        let stops = watch.stops.iter();
        let waits = stops.map(|&n| Expr::binary(Binary::NotEqual, place(), Expr::Constant(n)));
        // As in SPIN, where all processes are gone nothing is asked.
        let lives = Expr::Unary(Unary::Not, Box::new(self.is_empty(0)));
        all(waits.chain([lives]))
    }
}
