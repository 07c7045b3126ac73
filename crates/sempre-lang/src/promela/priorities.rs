//! Priorities of processes: among those that could move, only those of the highest priority may.
//!
//! So SPIN has it since version 6.2 (`highest_priority` of its verifiers): a process may move if no process of a
//! higher priority is **enabled**, which is to say that its `provided` holds and one of its statements is executable. A process at its
//! end is enabled if it can die.
//!
//! * A process has the number after `active proctype … priority` or `run … priority`, and 1 without; what a proctype
//!   that is run says of its own is not asked. `set_priority` and assignments to `_priority` change it. It is a cell of
//!   the state, unless it is the same for all that ever live in the slot.
//! * The condition is part of the guard of every statement. So a process that becomes enabled during an atomic sequence of a
//!   process of lower priority takes over there, and the rest of the sequence waits: the atomic register is left, as where a
//!   process cannot go on. No one comes in between the statements of a `d_step`.
//! * `timeout` is true for all where nothing else is possible, and there, too, the highest of those that wait for it moves.
//! * SPIN refuses rendezvous channels in models with priorities, since whether a send is executable depends on the
//!   receivers; so do we.
//!
//! Cost: the guard of each statement contains the guards of all statements of all processes that may have a higher priority.

use super::body::Body;
use super::flow::Kind;
use super::instances::World;
use super::lower::{Open, Resolved, uses};
use super::resolve::Value;
use super::steps::{all, any, find_run};
use super::symbols::Start;
use crate::report::Report;
use sempre_base::{Diagnostic, Span};
use sempre_model::ir::{Binary, Expr, Place, Stmt, Type, Unary};

/// More operators than these in all guards are too many.
const OPERATORS: usize = 20_000_000;

/// Does a body set or ask priorities, or run something with one?
fn has_priority(body: &Body) -> bool {
    let asks = |v: &Value| match v {
        Value::Run(_, _, n) => *n != 1,
        v => matches!(v, Value::Priority(_) | Value::OwnPriority),
    };
    body.priority.is_some() || sets(body) || uses(body, &asks)
}

fn sets(body: &Body) -> bool {
    (body.flow.elements.iter()).any(|e| matches!(e.kind, Kind::SetPriority(..)))
}

/// Complains where priorities and rendezvous channels meet.
pub(super) fn check(resolved: &Resolved, report: &mut Report) {
    let Some(body) = resolved.bodies.iter().find(|b| has_priority(b)) else {
        return;
    };
    let local = resolved.bodies.iter().flat_map(|b| &b.store.leaves);
    let mut leaves = resolved.globals.store.leaves.iter().chain(local);
    let Some(leaf) = leaves.find(|l| matches!(&l.start, Start::Channel(s) if s.capacity == 0))
    else {
        return;
    };
    let written = body.flow.elements.iter().find_map(|e| match &e.kind {
        Kind::SetPriority(..) => Some(e.span),
        Kind::Condition(v) | Kind::Assign(_, v) if find_run(v).is_some_and(|r| r.2 != 1) => {
            Some(e.span)
        }
        _ => None,
    });
    let first = (resolved.bodies.iter()).find_map(|b| b.priority.map(|p| p.1));
    let span = first.or(written).unwrap_or(Span::new(0, 0));
    let message = format!(
        "priorities cannot be combined with rendezvous channels, and `{}` is one",
        leaf.name
    );
    let help = "SPIN refuses this, too: whether a send is executable depends on the receivers";
    report.push(Diagnostic::error(span, message).with_help(help));
}

/// Declares the cells that hold priorities.
pub(super) fn declare(world: &mut World, bodies: &[Body], births: &dyn Fn(usize) -> Vec<usize>) {
    if !bodies.iter().any(has_priority) {
        return;
    }
    let change = bodies.iter().any(sets);
    let mut possible: Vec<Vec<u8>> = vec![Vec::new(); world.slots.len()];
    let mut initial: Vec<u8> = vec![0; world.slots.len()];
    for (slot, s) in world.slots.iter().enumerate() {
        if let Some(i) = s.initial {
            let body = &bodies[world.instances[i].proctype];
            initial[slot] = body.priority.map_or(1, |p| p.0);
            possible[slot].push(initial[slot]);
        }
    }
    for body in bodies {
        for element in &body.flow.elements {
            if let Kind::Condition(v) | Kind::Assign(_, v) = &element.kind
                && let Some((proctype, _, priority)) = find_run(v)
            {
                births(proctype)
                    .into_iter()
                    .for_each(|slot| possible[slot].push(priority));
            }
        }
    }
    world.priorities = (0..world.slots.len())
        .map(|slot| match possible[slot].as_slice() {
            [n, rest @ ..] if !change && rest.iter().all(|m| m == n) => Expr::Constant((*n).into()),
            _ => {
                let process = world.slots[slot].process;
                let name = &world.program.processes[process.0 as usize].name;
                let name = format!("{name}._priority");
                let v = world
                    .program
                    .declare(&name, Type::BYTE, None, Some(process));
                world.initial.push(initial[slot].into());
                Expr::variable(v)
            }
        })
        .collect();
}

/// The number of operators and operands.
fn size(e: &Expr) -> usize {
    match e {
        Expr::Constant(_) | Expr::Read(Place::Scalar(_) | Place::Register(_)) => 1,
        Expr::Read(Place::Element(_, i)) => 1 + size(i),
        Expr::Unary(_, a) => 1 + size(a),
        Expr::Binary(_, a, b) => 1 + size(a) + size(b),
        Expr::If(a, b, c) => 1 + size(a) + size(b) + size(c),
    }
}

/// Adds to the guards that no process of higher priority is enabled; false if they become too large.
pub(super) fn restrict(world: &World, bodies: &[Body], open: &mut [Open]) -> bool {
    // A statement in the middle of a `d_step` goes on without asking.
    let inside = |o: &Open| {
        let flow = &bodies[world.instances[o.instance].proctype].flow;
        flow.elements[o.place].step
    };
    // When each process is enabled, and when it is if `timeout` is true.
    let mut enabled: Vec<[Expr; 2]> = Vec::new();
    for slot in 0..world.slots.len() {
        let here =
            || (open.iter()).filter(|o| world.instances[o.instance].slot == slot && !inside(o));
        let can = |timeout: bool| {
            let halves = here().filter(|o| timeout || !o.half.timeout);
            any(halves.map(|o| all([world.is_at(o.instance, o.place), o.half.guard.clone()])))
        };
        enabled.push([can(false), can(true)]);
    }
    let sizes: Vec<usize> = enabled.iter().map(|e| size(&e[1])).collect();
    let mut total = 0;
    for o in open.iter_mut().filter(|o| !inside(o)) {
        let slot = world.instances[o.instance].slot;
        let mut parts = vec![o.half.guard.clone()];
        for other in (0..world.slots.len()).filter(|&s| s != slot) {
            let higher = super::values::binary(
                Binary::Greater,
                world.priority_of(other),
                world.priority_of(slot),
            );
            let comes_first = all([higher, enabled[other][usize::from(o.half.timeout)].clone()]);
            if comes_first != Expr::FALSE {
                parts.push(Expr::Unary(Unary::Not, Box::new(comes_first)));
                total += sizes[other];
            }
        }
        if total > OPERATORS {
            return false;
        }
        o.half.guard = all(parts);
    }
    true
}

impl World {
    /// The priority of the process in a slot.
    pub fn priority_of(&self, slot: usize) -> Expr {
        self.priorities.get(slot).cloned().unwrap_or(Expr::TRUE)
    }

    /// The statements that set the priority of a process, if it lives. With a message, other numbers than 1 to 255 are an
    /// error; without, they are cut to a byte.
    pub fn set_priority(&self, process: &Expr, value: &Expr, message: Option<String>) -> Vec<Stmt> {
        let mut chain = Vec::new();
        for slot in (0..self.slots.len()).rev() {
            let here =
                super::values::binary(Binary::Equal, process.clone(), Expr::Constant(slot as i64));
            let Some(Expr::Read(place)) = self.priorities.get(slot) else {
                continue;
            };
            let mut set = Vec::new();
            if let Some(message) = &message {
                let compare = |op, n| Expr::binary(op, value.clone(), Expr::Constant(n));
                let fits = Expr::all([
                    compare(Binary::GreaterEqual, 1),
                    compare(Binary::LessEqual, 255),
                ]);
                set.push(Stmt::Assert(fits, message.clone()));
            }
            set.push(Stmt::Assign(place.clone(), value.clone()));
            if message.is_some() {
                set = vec![Stmt::If(self.is_empty(slot), Vec::new(), set)];
            }
            chain = match here {
                Expr::Constant(0) => chain,
                Expr::Constant(_) => set,
                here => vec![Stmt::If(here, set, chain)],
            };
        }
        chain
    }
}
