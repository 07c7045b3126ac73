//! Bounded search: accepting runs near the initial states, without all states of the model.
//!
//! Most violations are near the initial states, and some automata admit only a small part of the model. Here the
//! product is explored breadth-first, on the fly ([`crate::product::on_the_fly`]). From time to time, the explored part
//! is checked for an accepting run as if it were the whole product ([`crate::search::owcty`]).
//!
//! Invariant: a cycle that did not exist at the last check has a state in a level since then, or in the last level of
//! that check. So a check considers the states reachable from these.
//!
//! Cost: checks take about as many nodes as levels do; a check that exceeds four times as many is repeated later.
//! Bounded search is worse than saturation if the first levels have large diagrams, or if the nearest accepting cycle
//! is far away. So they take turns ([`crate::turns`]).

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Root};
use crate::product::on_the_fly::OnTheFly;
use crate::relation::model::Model;
use crate::search::explored_part::{AcceptAll, ExploredPart};
use crate::search::outcome::Outcome;
use sempre_base::Stop;

/// Minimal node budget of a check.
const MIN_CHECK_BUDGET: u64 = 1 << 20;

/// A breadth-first search with checks.
pub(crate) struct BoundedSearch {
    /// All states found.
    pub found: Root,
    levels: Vec<Root>,
    /// The first level that no check has covered.
    unchecked_from: usize,
    /// Nodes made by the search and by the checks.
    search_nodes: u64,
    check_nodes: u64,
}

impl BoundedSearch {
    /// A search at the initial states.
    pub(crate) fn new(forest: &mut Forest, product: &OnTheFly<'_>) -> Self {
        let initial = forest.get(product.initial);
        Self {
            found: forest.protect(initial),
            levels: vec![forest.protect(initial)],
            unchecked_from: 0,
            search_nodes: 0,
            check_nodes: 0,
        }
    }

    /// Explores one level. Returns the outcome if it is decided.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn advance(
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
            // No infinite run was found from there; other runs are searched for as usual.
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
