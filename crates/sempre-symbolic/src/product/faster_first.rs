//! Two computations of the same set with growing budgets; the faster one starts first the next time.

use crate::dd::forest::Forest;
use crate::dd::node::Node;
use sempre_base::Stop;
use std::cell::Cell;

/// Which of two computations starts: the one that finished last time.
#[derive(Debug)]
pub(crate) struct FasterFirst {
    whole_first: Cell<bool>,
}

/// Nodes of the first budget.
const FIRST_BUDGET: u64 = 1 << 21;

impl FasterFirst {
    /// Reachability under self-loops starts.
    pub(crate) fn new() -> Self {
        Self {
            whole_first: Cell::new(false),
        }
    }

    /// The result of one of two computations, which tries both in turns with growing budgets.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn reach(
        &self,
        forest: &mut Forest,
        by_loops: impl Fn(&mut Forest) -> Result<Node, Stop>,
        whole: impl Fn(&mut Forest) -> Result<Node, Stop>,
    ) -> Result<Node, Stop> {
        let mut nodes = FIRST_BUDGET;
        let mut is_whole = self.whole_first.get();
        loop {
            for _ in 0..2 {
                let found = match is_whole {
                    true => forest.with_budget(nodes, &whole)?,
                    false => forest.with_budget(nodes, &by_loops)?,
                };
                if let Some(found) = found {
                    self.whole_first.set(is_whole);
                    return Ok(found);
                }
                is_whole = !is_whole;
            }
            nodes *= 4;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::control::Limits;
    use crate::dd::node::{EMPTY, UNIT};

    /// The computation that needs less work finishes, whichever started, and starts the next time.
    #[test]
    fn turns_of_two() {
        let mut forest = Forest::new(Limits::default());
        let schedule = FasterFirst::new();
        let works = |value: u32, nodes: u64| {
            move |forest: &mut Forest| -> Result<Node, Stop> {
                for _ in 0..nodes {
                    forest.make(value, UNIT, EMPTY)?;
                }
                forest.make(value, UNIT, EMPTY)
            }
        };
        let mut measure = |loops: u64, whole: u64| {
            let begin = forest.nodes_made();
            let found = schedule.reach(&mut forest, works(0, loops), works(1, whole));
            let winner = forest.first(found.unwrap()).unwrap()[0];
            (winner, (forest.nodes_made() - begin) / FIRST_BUDGET)
        };
        assert_eq!(measure(FIRST_BUDGET / 2, FIRST_BUDGET / 4), (0, 0));
        assert_eq!(measure(2 * FIRST_BUDGET, FIRST_BUDGET / 2), (1, 1));
        assert_eq!(measure(FIRST_BUDGET / 4, FIRST_BUDGET / 2), (1, 0));
        // Two attempts that exceed their budgets, and those of the other computation.
        assert_eq!(
            measure(2 * FIRST_BUDGET, 100 * FIRST_BUDGET),
            (0, 2 + 4 + 2)
        );
        assert_eq!(measure(FIRST_BUDGET / 4, FIRST_BUDGET / 2), (0, 0));
    }
}
