//! Who may live in which slot.
//!
//! Processes that are there from the start have the first slots, in the order of the file. For those that `run` makes, in
//! most models one process makes them all, one after the other, before any of them can die; then each `run` has
//! its slot, and arguments that are constants stay so. Otherwise any proctype that is run may live in any slot from the
//! first that can become free. If no `run` is in a loop, `population.rs` has bounds: as many slots as processes can be made, and
//! for each proctype the slots that are possible. If not, how many slots there are is tried: a few, and if random walks find that they are
//! too few, twice as many, up to the 255 of SPIN. If they are too few after all, that is an erroneous step.

use super::ast::File;
use super::body::Body;
use super::declarations::constant;
use super::flow::{El, Kind};
use super::instances::{Tenants, World, places};
use super::lower::Resolved;
use super::population::{population, sites};
use super::resolve::Value;
use super::steps::has_run;
use crate::report::Report;
use rustc_hash::FxHashMap;
use sempre_base::Random;
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::{Expr, StepError};

/// As many processes as in SPIN.
const PROCESSES: usize = 255;

/// How the error of one process too many starts.
pub(super) const TOO_MANY: &str = "too many processes";

/// What random walks may cost, in guards.
const WORK: usize = 1_000_000;

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub(super) struct Tenancy {
    pub slots: Vec<Tenants>,
    /// The slots in which processes are made.
    made: Vec<usize>,
    /// Is it a guess how many slots are enough?
    pub guessed: bool,
}

impl Tenancy {
    /// The slots that a process of that type may be made in.
    pub fn births(&self, proctype: usize) -> Vec<usize> {
        (self.made.iter().copied())
            .filter(|&s| self.slots[s].proctypes.iter().any(|p| p.0 == proctype))
            .collect()
    }
}

/// Do random walks find that there are too few slots? Those that make processes are preferred.
pub(super) fn are_too_few(world: &World) -> bool {
    let program = &world.program;
    let interpreter = Interpreter::new(program);
    let mut random = Random::new(1);
    let mut work = 0;
    let homes: Vec<usize> = (world.slots.iter())
        .map(|s| program.variable(s.location).first as usize)
        .collect();
    let living = |state: &[i64]| homes.iter().filter(|&&h| state[h] != 0).count();
    while work < WORK {
        let mut state = world.initial.clone();
        for _ in 0..500 {
            let steps = interpreter.steps(&state);
            work += program.actions.len() + 20;
            let failed =
                |e: &StepError| matches!(e, StepError::Assertion(t) if t.starts_with(TOO_MANY));
            if steps.iter().any(|s| s.1.as_ref().is_err_and(failed)) {
                return true;
            }
            let next: Vec<Vec<i64>> = steps.into_iter().filter_map(|s| s.1.ok()).collect();
            let more = next.iter().position(|n| living(n) > living(&state));
            match (more, next.len()) {
                (_, 0) => break,
                (Some(i), _) if random.chance(0.8) => state.clone_from(&next[i]),
                (_, n) => state.clone_from(&next[random.below(n)]),
            }
            if work >= WORK {
                break;
            }
        }
    }
    false
}

/// Who may live in which slot; `extra` are the slots besides those from the start, where it is a guess.
pub(super) fn tenancy(
    file: &File,
    resolved: &Resolved,
    extra: usize,
    report: &mut Report,
) -> Tenancy {
    let mut tenancy = Tenancy::default();
    for (i, proctype) in file.proctypes.iter().enumerate() {
        let Some(active) = &proctype.active else {
            continue;
        };
        let count = constant(&resolved.globals, None, active, report).unwrap_or(0);
        if !(0..=PROCESSES as i64).contains(&count) {
            report.error(active.span, "there can be at most 255 processes");
            continue;
        }
        let parameters = resolved.faces[i].parameters;
        for _ in 0..count {
            tenancy.slots.push(Tenants {
                initial: Some(i),
                proctypes: vec![(i, vec![None; parameters])],
            });
        }
    }
    if tenancy.slots.len() > PROCESSES {
        let span = file.proctypes[0].name.span;
        report.error(span, "there can be at most 255 processes");
        tenancy.slots.truncate(PROCESSES);
    }
    if tenancy.slots.is_empty() && report.errors() == 0 {
        let end = file.proctypes.last().map_or(0, |p| p.end.end);
        report.error(
            sempre_base::Span::new(end, end),
            "nothing runs: there is neither `init` nor an `active` process",
        );
    }
    let runs: Vec<usize> = (0..resolved.bodies.len())
        .filter(|&i| super::lower::uses(&resolved.bodies[i], &|v| matches!(v, Value::Run(..))))
        .collect();
    if runs.is_empty() {
        return tenancy;
    }
    if let Some(exact) = in_order(&tenancy, resolved, &runs) {
        return exact;
    }
    anywhere(tenancy, resolved, extra)
}

fn may_end(body: &Body) -> bool {
    (places(body).iter()).any(|&e| body.flow.elements[e].kind == Kind::End)
}

/// If one process makes all others, each `run` in a slot of its own.
fn in_order(from_start: &Tenancy, resolved: &Resolved, runs: &[usize]) -> Option<Tenancy> {
    let [maker] = runs else {
        return None;
    };
    let slots = &from_start.slots;
    let own: Vec<usize> = (0..slots.len())
        .filter(|&s| slots[s].initial == Some(*maker))
        .collect();
    let [own] = own.as_slice() else {
        return None;
    };
    if (own + 1..slots.len()).any(|s| {
        let initial = slots[s].initial;
        initial.is_none_or(|p| may_end(&resolved.bodies[p]))
    }) {
        return None;
    }
    let flow = &resolved.bodies[*maker].flow;
    // How many processes were made before each place.
    let mut before: FxHashMap<El, usize> = FxHashMap::default();
    before.insert(flow.start, 0);
    let mut open = vec![flow.start];
    let mut made: Vec<(usize, El, usize, Vec<Value>)> = Vec::new();
    let mut unbroken = true;
    let mut most = 0;
    while let Some(place) = open.pop() {
        let count = before[&place];
        for leaf in flow.groups(place).ok()?.into_iter().flatten() {
            let element = &flow.elements[leaf];
            let mut after = count;
            if let Kind::Condition(v) | Kind::Assign(_, v) = &element.kind
                && has_run(v)
            {
                let (Value::Run(proctype, arguments, _), Kind::Condition(_)) = (v, &element.kind)
                else {
                    return None;
                };
                if proctype == maker || made.len() >= PROCESSES {
                    return None;
                }
                made.push((count, leaf, *proctype, arguments.clone()));
                after += 1;
                most = most.max(after);
            }
            let Some(to) = flow.target(leaf).ok()? else {
                continue;
            };
            match before.get(&to) {
                Some(&known) if known != after => return None,
                Some(_) => {}
                None => {
                    before.insert(to, after);
                    open.push(to);
                }
            }
        }
    }
    // Between the first and the last, nobody else may have moved, or nobody may die.
    for (&place, &count) in &before {
        if count == 0 || count >= most {
            continue;
        }
        let leaves = flow.leaves(place);
        unbroken &= leaves.len() == 1
            && match &flow.elements[leaves[0]].kind {
                Kind::Condition(v) => has_run(v) || matches!(v, Value::Number(n) if *n != 0),
                Kind::Assign(..) | Kind::Print(..) | Kind::Goto(_) | Kind::Dot | Kind::Break => {
                    true
                }
                _ => false,
            };
    }
    let first_runs = made.iter().filter(|m| m.0 + 1 < most);
    unbroken &= first_runs.clone().all(|m| flow.elements[m.1].atom);
    for (&place, &count) in &before {
        if count > 0 && count < most {
            let step = flow.leaves(place).first().copied();
            let last = made.iter().any(|m| m.0 + 1 == most && Some(m.1) == step);
            unbroken &= last || step.is_some_and(|e| flow.elements[e].atom);
        }
    }
    let mortal = made.iter().any(|m| may_end(&resolved.bodies[m.2]));
    if mortal && !unbroken {
        return None;
    }
    let mut tenancy = from_start.clone();
    let first = tenancy.slots.len();
    if first + most > PROCESSES {
        return None;
    }
    // What an argument is, is known when the world without the new processes is.
    let world = World::new(
        "",
        &resolved.globals,
        &resolved.bodies,
        &resolved.faces,
        &resolved.written,
        &tenancy.slots,
    );
    let me = world.instances.iter().position(|i| i.proctype == *maker);
    for number in 0..most {
        let here: Vec<_> = made.iter().filter(|m| m.0 == number).collect();
        let mut tenants = Tenants::default();
        for (_, _, proctype, arguments) in &here {
            let leaves = &resolved.bodies[*proctype].store.leaves;
            let known: Vec<Option<i64>> = (arguments.iter().zip(leaves))
                .map(|(a, leaf)| match world.expr(me, a, false) {
                    Expr::Constant(n) if !leaf.written && here.len() == 1 => Some(n),
                    _ => None,
                })
                .collect();
            if !tenants.proctypes.iter().any(|p| p.0 == *proctype) {
                tenants.proctypes.push((*proctype, known));
            }
        }
        tenancy.made.push(first + number);
        tenancy.slots.push(tenants);
    }
    // Each `run` has one slot only if its proctype is made in one slot, else the first empty one is it: the order is
    // the same.
    Some(tenancy)
}

/// Any proctype that is run, in any slot that it can have.
fn anywhere(mut tenancy: Tenancy, resolved: &Resolved, extra: usize) -> Tenancy {
    let from_start = tenancy.slots.len();
    let mut first = from_start;
    while first > 1
        && tenancy.slots[first - 1]
            .initial
            .is_some_and(|p| may_end(&resolved.bodies[p]))
    {
        first -= 1;
    }
    let initial: Vec<usize> = tenancy.slots.iter().filter_map(|s| s.initial).collect();
    let (count, homes) = match population(&initial, first, &resolved.bodies) {
        Some(bounds) if bounds.most <= PROCESSES => (bounds.most, bounds.slots),
        _ => {
            let mut run = FxHashMap::default();
            for body in &resolved.bodies {
                for site in sites(body) {
                    run.insert(site.proctype, (first, PROCESSES));
                }
            }
            let count = (from_start + extra).min(PROCESSES);
            tenancy.guessed = count < PROCESSES;
            (count, run)
        }
    };
    tenancy.slots.resize(count, Tenants::default());
    let mut homes: Vec<_> = homes.into_iter().collect();
    homes.sort_unstable();
    for slot in first..count {
        for &(proctype, (least, most)) in &homes {
            let all = &mut tenancy.slots[slot].proctypes;
            if (least..=most).contains(&slot) && !all.iter().any(|p| p.0 == proctype) {
                all.push((proctype, Vec::new()));
            }
        }
        tenancy.made.push(slot);
    }
    tenancy
}
