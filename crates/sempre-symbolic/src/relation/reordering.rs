//! A second order of the cells, for searches that turn out to be long.
//!
//! FORCE knows which cells the actions use together, not which values occur together. Where most actions use cells from
//! everywhere, as in puzzles, its order may be worse than the one in which somebody wrote the model down. Which of the
//! two is better is asked of some states of the model: the order in which their diagram is smaller. States near the initial
//! ones are too alike to tell, so half of them are from a long random walk.
//!
//! Since that takes as long as many a search, it is done only when a search has made [`TRIAL`] nodes, and what has been
//! found until then is given up only for a gain that is [`WORTH`] it.
//!
//! The order of declarations is taken upside down, processes above what they share: that was better on seven of nine models
//! of BEEM, even on one and worse on one (`lifts.6`).

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use rustc_hash::FxHashSet;
use sempre_base::Random;
use sempre_base::Stop;
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::Program;
use std::collections::VecDeque;

/// Nodes after which a search has second thoughts.
const DELAY: u64 = 1 << 20;
/// States that are looked at.
const SAMPLE: usize = 30_000;
/// What they may cost, in actions that are tried.
const WORK: usize = 8_000_000;
/// Steps after which a walk begins again.
const WALK_LENGTH: usize = 2_000;
/// The share of the other diagram that is small enough.
const REQUIRED_RATIO: (usize, usize) = (97, 100);

/// The second thoughts of a search.
#[derive(Clone, Debug, Default)]
pub(crate) enum Reordering {
    /// The order is given, or has been thought of.
    #[default]
    None,
    /// The order is ours.
    Pending,
    /// This one is better.
    Found(Vec<u32>),
}

impl Reordering {
    /// Has them if it is time.
    ///
    /// # Errors
    /// If the search is to begin again.
    #[inline]
    pub fn consider(
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
            // Whoever began the search sees why, and begins again.
            return Err(Stop::Cancelled);
        }
        Ok(())
    }
}

/// An order that is likely to be better than the given one, if one is known.
fn better_order(program: &Program, order: &[u32]) -> Result<Option<Vec<u32>>, Stop> {
    let upside_down: Vec<u32> = (0..order.len() as u32).rev().collect();
    let states = sample_states(program);
    let (diagram_size, other) = (
        diagram_size(&states, order)?,
        diagram_size(&states, &upside_down)?,
    );
    Ok((other * REQUIRED_RATIO.1 < diagram_size * REQUIRED_RATIO.0).then_some(upside_down))
}

/// Some states that the program can come to.
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

/// The nodes of the diagram of these states.
fn diagram_size(states: &[Vec<i64>], order: &[u32]) -> Result<usize, Stop> {
    // Only which values are equal matters, and hardly their order.
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
        // First all that are left, then all that are right.
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

    /// A program without steps, and one without anything.
    #[test]
    fn nothing_to_walk_on() {
        let mut program = twins(1);
        program.actions.clear();
        assert_eq!(sample_states(&program).len(), 1);
        program.initial.clear();
        assert!(sample_states(&program).is_empty());
    }
}
