//! For tests: the semantics of programs in the fewest words, and an exploration with a hash set.
//!
//! Shares nothing with the interpreter of `sempre-model`, which it therefore can check. It knows what the
//! languages of this crate produce: scalars, guards, assignments and tables; no classes, no registers.

use rustc_hash::FxHashSet;
use sempre_model::ir::{Behaviour, Binary, Expr, Place, Program, Stmt, Unary};

pub(crate) fn evaluate(expr: &Expr, state: &[i64]) -> i64 {
    let truth = i64::from;
    match expr {
        Expr::Constant(c) => *c,
        Expr::Read(Place::Scalar(v)) => state[v.0 as usize],
        Expr::Unary(Unary::Not, a) => truth(evaluate(a, state) == 0),
        Expr::Unary(Unary::Negate, a) => -evaluate(a, state),
        Expr::If(c, a, b) => match evaluate(c, state) != 0 {
            true => evaluate(a, state),
            false => evaluate(b, state),
        },
        Expr::Binary(op, a, b) => {
            let (a, b) = (evaluate(a, state), evaluate(b, state));
            match op {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::Multiply => a * b,
                Binary::Equal => truth(a == b),
                Binary::NotEqual => truth(a != b),
                Binary::Less => truth(a < b),
                Binary::LessEqual => truth(a <= b),
                Binary::Greater => truth(a > b),
                Binary::GreaterEqual => truth(a >= b),
                Binary::And => truth(a != 0 && b != 0),
                Binary::Or => truth(a != 0 || b != 0),
                Binary::Implies => truth(a == 0 || b != 0),
                other => panic!("no test needs {other:?}"),
            }
        }
        other => panic!("no test needs {other:?}"),
    }
}

/// The successors of a state: action, marks, state.
pub(crate) fn successors(program: &Program, state: &[i64]) -> Vec<(usize, u64, Vec<i64>)> {
    let mut out = Vec::new();
    for (number, action) in program.actions.iter().enumerate() {
        match &action.behaviour {
            Behaviour::Guarded { guard, effect } => {
                if evaluate(guard, state) != 0 {
                    let mut next = state.to_vec();
                    for stmt in effect {
                        let Stmt::Assign(Place::Scalar(v), value) = stmt else {
                            panic!("no test needs {stmt:?}");
                        };
                        next[v.0 as usize] = evaluate(value, &next);
                    }
                    out.push((number, 0, next));
                }
            }
            Behaviour::Table(table) => {
                for (row, (from, to)) in table.rows.iter().enumerate() {
                    if table
                        .reads
                        .iter()
                        .zip(from)
                        .all(|(&c, v)| state[c as usize] == *v)
                    {
                        let mut next = state.to_vec();
                        for (&c, v) in table.writes.iter().zip(to) {
                            next[c as usize] = *v;
                        }
                        out.push((number, table.marks_of(row), next));
                    }
                }
            }
        }
    }
    out
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    pub(crate) deadlocks: usize,
}

/// Counts all states, unless there are more than `limit`.
pub(crate) fn explore(program: &Program, limit: usize) -> Counts {
    let mut counts = Counts {
        states: 0,
        transitions: 0,
        deadlocks: 0,
    };
    for_each_state(program, limit, |_, edges| {
        counts.states += 1;
        counts.transitions += edges.len();
        counts.deadlocks += usize::from(edges.is_empty());
    });
    counts
}

/// Visits all states with their successors.
pub(crate) fn for_each_state(
    program: &Program,
    limit: usize,
    mut visit: impl FnMut(&[i64], &[(usize, u64, Vec<i64>)]),
) {
    let mut seen: FxHashSet<Vec<i64>> = program.initial.iter().cloned().collect();
    let mut todo: Vec<Vec<i64>> = seen.iter().cloned().collect();
    while let Some(state) = todo.pop() {
        let edges = successors(program, &state);
        visit(&state, &edges);
        for (_, _, next) in edges {
            if seen.insert(next.clone()) {
                todo.push(next);
                assert!(seen.len() <= limit, "more than {limit} states");
            }
        }
    }
}
