//! `system sync`: all processes step together.
//!
//! As in DiVinE 2, a step of a synchronous system takes one transition of *each* process; if one process has
//! none, the system is stuck. Guards and right-hand sides see the source state (and what the same
//! process wrote before in the same step). Two processes that write the same variable in one step are an
//! erroneous step. Channels mean nothing here: a rendezvous is taken as if it had no `sync` and carries no value, a
//! transition on a buffered channel is never taken, and committed locations are like others; the first
//! two come with a warning.
//!
//! There is one action for each combination of transitions, so the number of actions is the product of
//! the numbers of transitions; more than [`COMBINATIONS`] are refused.
//!
//! The effects of the IR run one after the other, so a value that one process reads after another has
//! written it is saved in a register first. For an element with a computed index all elements are saved and one is
//! chosen by cases, so long arrays ([`SAVED`]) that are used like that are refused.

use super::declarations::Carrier;
use super::lower::{End, Move};
use crate::report::Report;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::Span;
use sempre_model::ir::{Behaviour, VariableId};
use sempre_model::{Action, Expr, Place, Program, Stmt};

/// More combinations of transitions than these are refused.
pub(super) const COMBINATIONS: usize = 1 << 17;
/// Longer arrays are not saved.
const SAVED: u32 = 256;

/// Adds the actions of a synchronous system to the program.
pub(super) fn compose(
    program: &mut Program,
    moves: &[Move],
    channels: &[Carrier],
    report: &mut Report,
) {
    let mut choices: Vec<Vec<&Move>> = vec![Vec::new(); program.processes.len()];
    for m in moves {
        if let Some(sync) = &m.sync {
            if channels[sync.channel].buffer.is_some() {
                let message =
                    "in a synchronous system this transition is never taken: it uses a buffer";
                report.warning(sync.span, message);
                continue;
            }
            let message = match &sync.end {
                End::Receive(places) if !places.is_empty() => {
                    "a synchronous system ignores this `sync`: nothing is received"
                }
                _ => "a synchronous system ignores this `sync`",
            };
            report.warning(sync.span, message);
        }
        choices[m.process.0 as usize].push(m);
    }
    let combinations = (choices.iter()).try_fold(1usize, |n, c| n.checked_mul(c.len()));
    if combinations.is_none_or(|n| n > COMBINATIONS) {
        let message = format!(
            "a synchronous system of these processes has more than {COMBINATIONS} combinations of transitions"
        );
        report.error(Span::new(0, 0), message);
        return;
    }
    for mut number in 0..combinations.unwrap_or(0) {
        sempre_base::checkpoint();
        let mut chosen = Vec::with_capacity(choices.len());
        for own in choices.iter().rev() {
            chosen.push(own[number % own.len()]);
            number /= own.len();
        }
        chosen.reverse();
        match together(program, &chosen) {
            Ok(action) => program.actions.push(action),
            Err(array) => {
                let name = &program.variable(array).name;
                let message = format!(
                    "`{name}` is too long to be read by one process while another writes it"
                );
                report.error(Span::new(0, 0), message);
                return;
            }
        }
    }
}

/// The action of one transition of each process; or the array that is too long to be saved.
fn together(program: &mut Program, moves: &[&Move]) -> Result<Action, VariableId> {
    let mut guard: Vec<Expr> = moves.iter().map(|m| m.here()).collect();
    guard.extend(moves.iter().map(|m| m.guard.clone()));
    let labels: Vec<&str> = moves.iter().map(|m| m.label.as_str()).collect();
    let lines: Vec<String> = moves.iter().map(|m| m.line.to_string()).collect();
    let mut saved = Saved::default();
    let mut effect = Vec::new();
    let mut written: FxHashSet<VariableId> = FxHashSet::default();
    let mut clash = None;
    for m in moves {
        let step = m.step();
        let own: FxHashSet<VariableId> = step.iter().filter_map(target).collect();
        clash = clash.or_else(|| own.intersection(&written).min().copied());
        for statement in step {
            if let Stmt::Assign(place, value) = statement {
                let value = saved.rewrite(program, &written, value)?;
                let place = match place {
                    Place::Element(id, index) => {
                        Place::Element(id, Box::new(saved.rewrite(program, &written, *index)?))
                    }
                    place => place,
                };
                effect.push(Stmt::Assign(place, value));
            }
        }
        written.extend(own);
    }
    if let Some(id) = clash {
        let name = &program.variable(id).name;
        let message = format!("two processes write `{name}` in one step of a synchronous system");
        effect = vec![Stmt::Assert(Expr::FALSE, message)];
    } else {
        let mut all = saved.statements;
        all.append(&mut effect);
        effect = all;
        program.registers = program.registers.max(saved.registers);
    }
    Ok(Action {
        name: format!("{} (lines {})", labels.join(", "), lines.join(", ")),
        processes: moves.iter().map(|m| m.process).collect(),
        class: 0,
        behaviour: Behaviour::Guarded {
            guard: Expr::all(guard),
            effect,
        },
    })
}

fn target(statement: &Stmt) -> Option<VariableId> {
    match statement {
        Stmt::Assign(Place::Scalar(id) | Place::Element(id, _), _) => Some(*id),
        _ => None,
    }
}

/// Values of the source state in registers.
#[derive(Default)]
struct Saved {
    /// The first register of each saved variable.
    first: FxHashMap<VariableId, u32>,
    statements: Vec<Stmt>,
    registers: u32,
}

impl Saved {
    fn save(&mut self, program: &Program, id: VariableId) -> Result<u32, VariableId> {
        if let Some(&first) = self.first.get(&id) {
            return Ok(first);
        }
        let variable = program.variable(id);
        if variable.cells() > SAVED {
            return Err(id);
        }
        let first = self.registers;
        for i in 0..variable.cells() {
            let value = match variable.length {
                None => Expr::variable(id),
                Some(_) => Expr::element(id, Expr::Constant(i.into())),
            };
            let register = Place::Register(first + i);
            self.statements.push(Stmt::Assign(register, value));
        }
        self.registers += variable.cells();
        self.first.insert(id, first);
        Ok(first)
    }

    /// The expression with what others have `written` read from registers.
    fn rewrite(
        &mut self,
        program: &Program,
        written: &FxHashSet<VariableId>,
        e: Expr,
    ) -> Result<Expr, VariableId> {
        let mut again = |e: Box<Expr>| self.rewrite(program, written, *e).map(Box::new);
        Ok(match e {
            Expr::Read(Place::Scalar(id)) if written.contains(&id) => {
                Expr::Read(Place::Register(self.save(program, id)?))
            }
            Expr::Read(Place::Element(id, index)) => {
                let index = *again(index)?;
                if !written.contains(&id) {
                    return Ok(Expr::element(id, index));
                }
                let first = self.save(program, id)?;
                // Out of range stays an access to the array, for its error.
                let mut value = Expr::element(id, index.clone());
                for i in (0..program.variable(id).cells()).rev() {
                    let chosen = Expr::equal(index.clone(), Expr::Constant(i.into()));
                    let saved = Expr::Read(Place::Register(first + i));
                    value = Expr::If(Box::new(chosen), Box::new(saved), Box::new(value));
                }
                value
            }
            Expr::Unary(op, a) => Expr::Unary(op, again(a)?),
            Expr::Binary(op, a, b) => {
                let a = again(a)?;
                Expr::Binary(op, a, again(b)?)
            }
            Expr::If(a, b, c) => {
                let (a, b) = (again(a)?, again(b)?);
                Expr::If(a, b, again(c)?)
            }
            e => e,
        })
    }
}
