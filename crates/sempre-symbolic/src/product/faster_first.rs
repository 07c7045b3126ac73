//! Two computations of the same set, tried in turns.

use crate::dd::forest::Forest;
use crate::dd::node::Node;
use sempre_base::Stop;
use std::cell::Cell;

/// Reachability in one way or the other: the work of both may grow until one is done with it, and that one comes first the next time.
#[derive(Debug)]
pub(crate) struct FasterFirst {
    whole_first: Cell<bool>,
}

/// Nodes of the first try.
const FIRST_BUDGET: u64 = 1 << 21;

impl FasterFirst {
    /// Under self-loops first.
    pub fn new() -> Self {
        Self {
            whole_first: Cell::new(false),
        }
    }

    /// What one of two computations finds: `by_loops`, or `whole`.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn reach(
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

    /// The one that needs less work is heard, whichever began, and begins the next time.
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
        let mut ask = |loops: u64, whole: u64| {
            let begin = forest.nodes_made();
            let found = schedule.reach(&mut forest, works(0, loops), works(1, whole));
            let who = forest.first(found.unwrap()).unwrap()[0];
            (who, (forest.nodes_made() - begin) / FIRST_BUDGET)
        };
        assert_eq!(ask(FIRST_BUDGET / 2, FIRST_BUDGET / 4), (0, 0));
        assert_eq!(ask(2 * FIRST_BUDGET, FIRST_BUDGET / 2), (1, 1));
        assert_eq!(ask(FIRST_BUDGET / 4, FIRST_BUDGET / 2), (1, 0));
        // Two tries for nothing, and that of the other.
        assert_eq!(ask(2 * FIRST_BUDGET, 100 * FIRST_BUDGET), (0, 2 + 4 + 2));
        assert_eq!(ask(FIRST_BUDGET / 4, FIRST_BUDGET / 2), (0, 0));
    }
}
