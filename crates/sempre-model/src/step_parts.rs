//! The parts of a step.
//!
//! A step of a program with an atomic register may consist of several actions ([`crate::ir`]); a run records only the
//! first of them and the end state. Reports to users show all of them: a breadth-first search finds a shortest
//! sequence.

use crate::interpreter::{Interpreter, MAX_INTERMEDIATE_STATES};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A part of a step: an action, and the state that it leads to.
pub type Part = (u32, Vec<i64>);

impl Interpreter<'_> {
    /// The parts of a step of `action` from one state to another. `None` if there is no such step.
    ///
    /// If the process that continued alone became blocked, the last part leads to the state with the register
    /// cleared.
    pub fn parts(&self, before: &[i64], action: u32, after: &[i64]) -> Option<Vec<Part>> {
        let program = self.program();
        let register = program.atomic.map(|v| program.variable(v).first as usize);
        let first = program.actions.get(action as usize)?;
        let mut from: FxHashMap<Vec<i64>, Option<Part>> = FxHashMap::default();
        let mut queue: VecDeque<Vec<i64>> = VecDeque::new();
        for (_, next) in self.steps_of(first, before) {
            let next = next.ok()?;
            let is_over = register.is_none_or(|cell| next[cell] == 0);
            if is_over && next == after {
                return Some(vec![(action, next)]);
            }
            if !is_over && from.insert(next.clone(), None).is_none() {
                queue.push_back(next);
            }
        }
        let cell = register?;
        while let Some(state) = queue.pop_front() {
            if from.len() >= MAX_INTERMEDIATE_STATES {
                return None;
            }
            let own = self.own(&state, cell);
            let mut cleared = state.clone();
            cleared[cell] = 0;
            if own.is_empty() && cleared == after {
                return Some(path(&from, action, state, None, after));
            }
            for number in own {
                for (_, next) in self.steps_of(&program.actions[number as usize], &state) {
                    let Ok(next) = next else {
                        continue;
                    };
                    if next[cell] == 0 {
                        if next == after {
                            return Some(path(&from, action, state, Some(number), after));
                        }
                    } else if !from.contains_key(&next) {
                        from.insert(next.clone(), Some((number, state.clone())));
                        queue.push_back(next);
                    }
                }
            }
        }
        None
    }
}

/// The parts up to an intermediate state, and perhaps one more action.
fn path(
    from: &FxHashMap<Vec<i64>, Option<Part>>,
    first: u32,
    state: Vec<i64>,
    last: Option<u32>,
    after: &[i64],
) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    parts.extend(last.map(|a| (a, after.to_vec())));
    let mut at = state;
    loop {
        let shown = match parts.is_empty() {
            true => after.to_vec(),
            false => at.clone(),
        };
        match from.get(&at) {
            Some(Some((action, before))) => {
                parts.push((*action, shown));
                at = before.clone();
            }
            _ => {
                parts.push((first, shown));
                break;
            }
        }
    }
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Action, Behaviour, Binary, Expr, Place, ProcessId, Program, Stmt, Type};

    /// P counts to three atomically, or stops at two; Q does something else.
    fn program() -> Program {
        let mut p = Program::new("t");
        p.declare_process("P", &[]);
        p.declare_process("Q", &[]);
        let x = p.declare("x", Type::BYTE, None, None);
        let register = p.declare("atomic", Type::BYTE, None, None);
        p.atomic = Some(register);
        let number = Expr::Constant;
        let set = |v, value| Stmt::Assign(Place::Scalar(v), value);
        let mut add = |process: u32, from: i64, to: i64, holder: i64| {
            p.actions.push(Action {
                name: format!("{from} to {to}"),
                processes: vec![ProcessId(process)],
                class: 0,
                behaviour: Behaviour::Guarded {
                    guard: Expr::binary(Binary::Equal, Expr::variable(x), number(from)),
                    effect: vec![set(x, number(to)), set(register, number(holder))],
                },
            });
        };
        add(0, 0, 1, 1);
        add(0, 1, 2, 1);
        add(0, 1, 5, 1);
        add(0, 2, 3, 0);
        add(1, 0, 7, 0);
        p.initial = vec![vec![0, 0]];
        p
    }

    #[test]
    fn steps_are_taken_apart() {
        let p = program();
        let i = Interpreter::new(&p);
        let s = |x: i64, holder: i64| vec![x, holder];
        let long = vec![(0, s(1, 1)), (1, s(2, 1)), (3, s(3, 0))];
        assert_eq!(i.parts(&s(0, 0), 0, &s(3, 0)), Some(long));
        // At 5 the process is blocked.
        let stuck = vec![(0, s(1, 1)), (2, s(5, 0))];
        assert_eq!(i.parts(&s(0, 0), 0, &s(5, 0)), Some(stuck));
        assert_eq!(i.parts(&s(0, 0), 4, &s(7, 0)), Some(vec![(4, s(7, 0))]));
        assert_eq!(i.parts(&s(0, 0), 0, &s(7, 0)), None);
        assert_eq!(i.parts(&s(0, 0), 99, &s(7, 0)), None);
        // Every step of the interpreter has parts.
        for (action, next) in i.successors(&s(0, 0)) {
            assert!(i.parts(&s(0, 0), action, &next.unwrap()).is_some());
        }
    }
}
