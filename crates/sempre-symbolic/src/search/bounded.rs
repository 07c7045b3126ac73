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
use crate::dd::node::{EMPTY, Kept};
use crate::product::on_the_fly::OnTheFly;
use crate::relation::model::Model;
use crate::search::explored_part::{Certain, Part};
use crate::search::outcome::Outcome;
use sempre_base::Stop;

/// Nodes of an attempt, if levels have not taken more.
const PATIENCE: u64 = 1 << 20;

/// A search by levels.
pub(crate) struct Bounded {
    /// All states that were found.
    pub found: Kept,
    levels: Vec<Kept>,
    /// The first level since the last attempt.
    since: usize,
    /// The nodes that levels and attempts have taken.
    searching: u64,
    trying: u64,
}

impl Bounded {
    /// A search that has not begun.
    pub fn new(forest: &mut Forest, product: &OnTheFly<'_>) -> Self {
        let initial = forest.get(product.initial);
        Self {
            found: forest.keep(initial),
            levels: vec![forest.keep(initial)],
            since: 0,
            searching: 0,
            trying: 0,
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
        let begin = forest.made();
        let found = self.found;
        let part = Part { product, found };
        let before = self.levels[..self.levels.len() - 1].iter().copied();
        let last = self.levels[self.levels.len() - 1];
        match part.certain_run(forest, model, before, last)? {
            Certain::Violated(outcome) => return Ok(Some(outcome)),
            // A run that goes on is looked for as any other.
            Certain::Fails => product.accepts_all = None,
            Certain::Nothing => {}
        }
        let is_done = forest.get(last) == EMPTY;
        if !is_done {
            let next = product.expand(forest, model, last)?;
            let new = forest.difference(next, forest.get(found))?;
            self.levels.push(forest.keep(new));
            forest.add(found, new)?;
        }
        self.searching += forest.made() - begin;
        let part = Part { product, found };
        if is_done || self.trying <= self.searching {
            let begin = forest.made();
            let start = forest.keep(EMPTY);
            for &level in &self.levels[self.since..] {
                forest.add(start, forest.get(level))?;
            }
            let patience = match is_done {
                true => u64::MAX,
                false => PATIENCE.max(4 * self.searching),
            };
            let hull = forest.within(patience, |forest| part.hull(forest, forest.get(start)))?;
            forest.release(start);
            match hull {
                Some(Some(hull)) => return Ok(Some(part.run(forest, model, &hull)?)),
                Some(None) => self.since = self.levels.len() - 1,
                None => {}
            }
            self.trying += forest.made() - begin;
        }
        if is_done {
            return Ok(Some(part.nothing(forest, model)?));
        }
        Ok(None)
    }
}
