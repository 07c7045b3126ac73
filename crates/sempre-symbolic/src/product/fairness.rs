//! Weak fairness, as further acceptance sets of a product.
//!
//! A run is fair to a process if, infinitely often, the process takes part in a step or is not enabled. So the
//! acceptance set of a process contains its own steps, with any edge of the automaton, and all steps from states in
//! which it is not enabled.
//!
//! The second part is not stored as a relation: for each process, that would be all steps of the model joined with a
//! set over all variables. Instead, the operand of an image is restricted to the set, and so is the result of a
//! preimage.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::dd::shape::Shape;
use crate::product::graph::{Graph, Steps};
use crate::product::relations::{Relation, image_by, preimage_by};
use sempre_base::Stop;

/// The acceptance set of a process.
#[derive(Clone, Debug)]
pub(crate) struct ProcessFairness {
    /// The process's own steps.
    pub own: Vec<Relation>,
    /// The states of the model in which the process is not enabled.
    pub idle: Root,
    /// The shape of `idle`, from the automaton's level on.
    pub shape: Shape,
}

impl ProcessFairness {
    /// The successors of a set by steps of the acceptance set.
    pub(crate) fn image(
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
    pub(crate) fn preimage(
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
