//! Weak fairness, as further acceptance sets of a product.
//!
//! A run is fair to a process if, again and again, the process takes part in a step, or is not enabled. So to the acceptance set of a
//! process belong its own steps, whatever the automaton says of them, and all steps from states in which it is not enabled.
//!
//! The second half is no relation of its own: that would be all steps of the model, joined with a set over all of its variables, for each
//! process. Instead the operand of an image is restricted to the set first, and the result of a preimage afterwards.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::dd::shape::Shape;
use crate::product::graph::{Graph, Steps};
use crate::product::relations::{Relation, image_by, preimage_by};
use sempre_base::Stop;

/// What belongs to the acceptance set of a process.
#[derive(Clone, Debug)]
pub(crate) struct ProcessFairness {
    /// Its own steps.
    pub own: Vec<Relation>,
    /// The states of the model in which it is not enabled.
    pub idle: Root,
    /// Of the set of idle states, from the automaton's level on.
    pub shape: Shape,
}

impl ProcessFairness {
    /// The successors of a set by steps of the acceptance set.
    pub fn image(
        &self,
        product: &impl Graph,
        forest: &mut Forest,
        set: Node,
    ) -> Result<Node, Stop> {
        let from = forest.protect(set);
        let own = image_by(forest, set, &self.own)?;
        let own = forest.protect(own);
        let idle = forest.restrict(forest.get(from), forest.get(self.idle), self.shape)?;
        let rest = product.image(forest, idle, Steps::All)?;
        let all = forest.union(forest.get(own), rest)?;
        forest.unprotect(own);
        forest.unprotect(from);
        Ok(all)
    }

    /// The predecessors of a set within another by steps of the acceptance set.
    pub fn preimage(
        &self,
        product: &impl Graph,
        forest: &mut Forest,
        set: Node,
        universe: Node,
    ) -> Result<Node, Stop> {
        let (to, with_budget) = (forest.protect(set), forest.protect(universe));
        let own = preimage_by(forest, set, &self.own, universe)?;
        let own = forest.protect(own);
        let (set, universe) = (forest.get(to), forest.get(with_budget));
        let before = product.preimage(forest, set, Steps::All, universe)?;
        let idle = match before {
            EMPTY => EMPTY,
            _ => forest.restrict(before, forest.get(self.idle), self.shape)?,
        };
        let all = forest.union(forest.get(own), idle)?;
        for root in [own, to, with_budget] {
            forest.unprotect(root);
        }
        Ok(all)
    }
}
