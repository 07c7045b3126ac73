//! A second variable order for long searches.
//!
//! FORCE sees which cells the actions use together, not which values occur together. If most actions use cells from
//! everywhere, as in puzzles, its order may be worse than the order of declarations. The two orders are compared on a
//! sample of states: the better one has the smaller diagram. States near the initial ones are too similar, so half of
//! the sample comes from a long random walk.
//!
//! The comparison takes as long as many a whole search. So it is done after [`DELAY`] nodes, and the search restarts
//! only if the new diagram is smaller by [`REQUIRED_RATIO`].
//!
//! The order of declarations is reversed, processes above what they share: that was better on seven of nine models of
//! BEEM, equal on one and worse on one (`lifts.6`).

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use rustc_hash::FxHashSet;
use sempre_base::Random;
use sempre_base::Stop;
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::Program;
use std::collections::VecDeque;

/// Nodes after which the orders are compared.
const DELAY: u64 = 1 << 20;
/// Number of states in the sample.
const SAMPLE: usize = 30_000;
/// Work for the sample, in actions tried.
const WORK: usize = 8_000_000;
/// Steps of a random walk before it restarts.
const WALK_LENGTH: usize = 2_000;
/// The other diagram must be smaller than this share.
const REQUIRED_RATIO: (usize, usize) = (97, 100);

/// The state of the comparison.
#[derive(Clone, Debug, Default)]
pub(crate) enum Reordering {
    /// The order is given, or the comparison is over.
    #[default]
    None,
    /// The order comes from FORCE, and has not been compared.
    Pending,
    /// This order is better.
    Found(Vec<u32>),
}

impl Reordering {
    /// Compares the orders if it is time.
    ///
    /// # Errors
    /// If the search should restart.
    #[inline]
    pub(crate) fn consider(
        &mut self,
        forest: &Forest,
        program: &Program,
        order: &[u32],
    ) -> Result<(), Stop> {
        match self {
            Self::Pending if forest.nodes_made() >= DELAY => self.compute(program, order),
            _ => Ok(()),
        }
    }

    #[cold]
    fn compute(&mut self, program: &Program, order: &[u32]) -> Result<(), Stop> {
        *self = Self::None;
        if let Some(better) = better_order(program, order)? {
            *self = Self::Found(better);
            // The caller of the search finds the new order here and restarts.
            return Err(Stop::Cancelled);
        }
        Ok(())
    }
}

/// The other order, if its diagram of the sample is smaller.
fn better_order(program: &Program, order: &[u32]) -> Result<Option<Vec<u32>>, Stop> {
    let upside_down: Vec<u32> = (0..order.len() as u32).rev().collect();
    let states = sample_states(program);
    let (diagram_size, other) = (
        diagram_size(&states, order)?,
        diagram_size(&states, &upside_down)?,
    );
    Ok((other * REQUIRED_RATIO.1 < diagram_size * REQUIRED_RATIO.0).then_some(upside_down))
}

/// A sample of reachable states.
fn sample_states(program: &Program) -> Vec<Vec<i64>> {
    let interpreter = Interpreter::new(program);
    let mut left = (WORK / program.actions.len().max(1)).min(2 * SAMPLE);
    let successors = |state: &[i64]| -> Vec<Vec<i64>> {
        let all = interpreter.successors(state).into_iter();
        all.filter_map(|(_, next)| next.ok()).collect()
    };
    let mut seen: FxHashSet<Vec<i64>> = program.initial.iter().cloned().collect();
    let mut queue: VecDeque<Vec<i64>> = program.initial.iter().cloned().collect();
    let half = left / 2;
    while left > half
        && seen.len() < SAMPLE / 2
        && let Some(state) = queue.pop_front()
    {
        left -= 1;
        for next in successors(&state) {
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    let mut random = Random::new(1);
    let mut state: Option<Vec<i64>> = None;
    while left > 0 && seen.len() < SAMPLE {
        let Some(first) = program.initial.first() else {
            break;
        };
        left -= 1;
        let here = state.take().unwrap_or_else(|| first.clone());
        let mut next = successors(&here);
        if !next.is_empty() && !left.is_multiple_of(WALK_LENGTH) {
            let next = next.swap_remove(random.below(next.len()));
            seen.insert(next.clone());
            state = Some(next);
        }
    }
    seen.into_iter().collect()
}

/// The number of nodes of the diagram of these states.
fn diagram_size(states: &[Vec<i64>], order: &[u32]) -> Result<usize, Stop> {
    // Only equality of values matters, hardly their order.
    let vector = |state: &Vec<i64>| -> Vec<u32> {
        (order.iter())
            .map(|&cell| state[cell as usize] as u32)
            .collect()
    };
    let mut vectors: Vec<Vec<u32>> = states.iter().map(vector).collect();
    let mut forest = Forest::new(Limits::default());
    let set = forest.set_of(&mut vectors)?;
    Ok(forest.size(set))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_model::ir::{Action, Behaviour, Expr, Place, Stmt, Type};

    /// Pairs of cells that are always equal.
    fn twins(pairs: u32) -> Program {
        let mut program = Program::new("twins");
        let cells: Vec<_> = (0..2 * pairs)
            .map(|i| program.declare(&format!("x{i}"), Type::BYTE, None, None))
            .collect();
        for pair in cells.chunks(2) {
            for value in 0..4 {
                let set = |v| Stmt::Assign(Place::Scalar(v), Expr::Constant(value));
                program.actions.push(Action {
                    name: "both".to_string(),
                    processes: Vec::new(),
                    class: 0,
                    behaviour: Behaviour::Guarded {
                        guard: Expr::TRUE,
                        effect: pair.iter().map(|&v| set(v)).collect(),
                    },
                });
            }
        }
        program.initial = vec![vec![0; 2 * pairs as usize]];
        program
    }

    #[test]
    fn twins_belong_together() {
        let program = twins(7);
        // First all left cells, then all right cells.
        let apart: Vec<u32> = (0..14).step_by(2).chain((1..14).step_by(2)).collect();
        let found = better_order(&program, &apart).unwrap();
        assert_eq!(found, Some((0..14).rev().collect()));
        let together: Vec<u32> = (0..14).collect();
        assert_eq!(better_order(&program, &together).unwrap(), None);
    }

    #[test]
    fn states_are_those_of_the_program() {
        let states = sample_states(&twins(2));
        assert_eq!(states.len(), 16);
        assert!(states.iter().all(|s| s[0] == s[1] && s[2] == s[3]));
    }

    /// A program without steps, and one without states.
    #[test]
    fn nothing_to_walk_on() {
        let mut program = twins(1);
        program.actions.clear();
        assert_eq!(sample_states(&program).len(), 1);
        program.initial.clear();
        assert!(sample_states(&program).is_empty());
    }
}
