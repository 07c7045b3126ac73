//! Accepting runs near the initial states, without knowing all states of the model first.
//!
//! Most violations are near the initial states, and some automata let only a small part of the model through. Here the product is
//! searched level by level and on the fly ([`crate::product::on_the_fly`]). Now and then what has been found so far is taken for the whole
//! product, and asked for an accepting run ([`crate::search::owcty`]).
//!
//! Invariant: a cycle that was not there at the last attempt has a state in the levels since, that one's last included. So an attempt
//! begins with what these lead to.
//!
//! Cost: attempts take about as many nodes as levels do; one that has taken four times as many is given up and made again later. Worse than
//! saturation where the first levels have large diagrams, or the nearest accepting cycle is far; so it takes turns with it
//! ([`crate::turns`]).

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Root};
use crate::product::on_the_fly::OnTheFly;
use crate::relation::model::Model;
use crate::search::explored_part::{AcceptAll, ExploredPart};
use crate::search::outcome::Outcome;
use sempre_base::Stop;

/// Nodes of an attempt, if levels have not taken more.
const MIN_CHECK_BUDGET: u64 = 1 << 20;

/// A search by levels.
pub(crate) struct BoundedSearch {
    /// All states that were found.
    pub found: Root,
    levels: Vec<Root>,
    /// The first level since the last attempt.
    unchecked_from: usize,
    /// The nodes that levels and attempts have taken.
    search_nodes: u64,
    check_nodes: u64,
}

impl BoundedSearch {
    /// A search that has not begun.
    pub fn new(forest: &mut Forest, product: &OnTheFly<'_>) -> Self {
        let initial = forest.get(product.initial);
        Self {
            found: forest.protect(initial),
            levels: vec![forest.protect(initial)],
            unchecked_from: 0,
            search_nodes: 0,
            check_nodes: 0,
        }
    }

    /// Goes one level on. An answer, if there is one.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn advance(
        &mut self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        product: &mut OnTheFly<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let begin = forest.nodes_made();
        let found = self.found;
        let part = ExploredPart { product, found };
        let before = self.levels[..self.levels.len() - 1].iter().copied();
        let last = self.levels[self.levels.len() - 1];
        match part.accept_all_run(forest, model, before, last)? {
            AcceptAll::Violated(outcome) => return Ok(Some(outcome)),
            // A run that goes on is looked for as any other.
            AcceptAll::Fails => product.accepts_all = None,
            AcceptAll::Nothing => {}
        }
        let is_done = forest.get(last) == EMPTY;
        if !is_done {
            let next = product.expand(forest, model, last)?;
            let new = forest.difference(next, forest.get(found))?;
            self.levels.push(forest.protect(new));
            forest.union_into(found, new)?;
        }
        self.search_nodes += forest.nodes_made() - begin;
        let part = ExploredPart { product, found };
        if is_done || self.check_nodes <= self.search_nodes {
            let begin = forest.nodes_made();
            let start = forest.protect(EMPTY);
            for &level in &self.levels[self.unchecked_from..] {
                forest.union_into(start, forest.get(level))?;
            }
            let budget = match is_done {
                true => u64::MAX,
                false => MIN_CHECK_BUDGET.max(4 * self.search_nodes),
            };
            let hull = forest.with_budget(budget, |forest| part.hull(forest, forest.get(start)))?;
            forest.unprotect(start);
            match hull {
                Some(Some(hull)) => return Ok(Some(part.run(forest, model, &hull)?)),
                Some(None) => self.unchecked_from = self.levels.len() - 1,
                None => {}
            }
            self.check_nodes += forest.nodes_made() - begin;
        }
        if is_done {
            return Ok(Some(part.exhausted(forest, model)?));
        }
        Ok(None)
    }
}
