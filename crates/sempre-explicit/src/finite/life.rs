//! Does a state have a run that never ends?
//!
//! Where runs that end do not count, a bad prefix is a violation only if the system can go on for ever after it. From a state
//! that has accepted all states have accepted; a depth-first search among them that closes a cycle says yes. One that ends
//! without says no, of all that it visited: it is not visited again. So all such searches together look at each state
//! once.
//!
//! # Invariants
//! - **I1** Only finite paths lead from a state that is `Ends`.

use super::Targets;
use crate::emptiness::search_stack::{SearchStack, Step};
use crate::per_state::PerState;
use crate::space::{Edge, Run, Stop};
use sempre_store::Budget;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    OnStack,
    Ends,
}

/// What comes after a bad prefix, for ever, if that was asked for.
pub(super) type GoesOn = Option<Run<u32>>;

/// What is known of states that have accepted.
pub(super) struct Life {
    known: PerState<Known>,
}

impl Life {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            known: PerState::new(Known::Nothing, budget),
        }
    }

    /// A run from a state that has accepted which never ends, `None` if there is none. Without `life` nobody asks, and it
    /// is left out.
    pub(super) fn lasts(
        life: &mut Option<Life>,
        space: &mut dyn Targets,
        state: u32,
    ) -> Result<Option<GoesOn>, Stop> {
        match life {
            Some(life) => Ok(life.search(space, state)?.map(Some)),
            None => Ok(Some(None)),
        }
    }

    fn search(&mut self, space: &mut dyn Targets, from: u32) -> Result<Option<Run<u32>>, Stop> {
        if self.known.get(from) == Known::Ends {
            return Ok(None);
        }
        let mut stack: SearchStack<u32> = SearchStack::new(&space.budget());
        let mut new = Some(Edge::to(from));
        loop {
            if let Some(edge) = new.take() {
                self.known.set(edge.target, Known::OnStack)?;
                stack.push(space.as_space(), edge)?;
            }
            match stack.step() {
                Step::Met(edge) => match self.known.get(edge.target) {
                    Known::Nothing => new = Some(edge),
                    Known::OnStack => {
                        let back = stack.position(edge.target).unwrap_or(0);
                        let mut prefix = stack.path(0, edge);
                        let cycle = prefix.split_off(back);
                        return Ok(Some(Run { prefix, cycle }));
                    }
                    Known::Ends => {}
                },
                // I1: all its successors are known to end.
                Step::Left(edge) => self.known.set(edge.target, Known::Ends)?,
                Step::Done => return Ok(None),
            }
        }
    }
}
