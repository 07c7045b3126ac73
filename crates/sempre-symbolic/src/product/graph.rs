//! What the emptiness check and the search for a run ask of a product.
//!
//! Vectors start with the state of the automaton.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use sempre_base::Stop;

/// Some of the steps of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// All of them.
    All,
    /// One of the parts that all steps are made of.
    Part(usize),
    /// Those of an acceptance set.
    Accepting(usize),
}

/// A graph of states whose steps belong to acceptance sets.
pub trait Graph {
    /// The initial states.
    fn initial(&self) -> Root;

    /// Number of acceptance sets.
    fn sets(&self) -> usize;

    /// The process to which an acceptance set is due, if it is not one of the automaton's.
    fn process_of(&self, set: usize) -> Option<usize>;

    /// A state of the automaton with which a run need only go on to be accepted, if there is one.
    fn accepts_all(&self) -> Option<u32>;

    /// Number of parts that the steps are made of.
    fn parts(&self) -> usize;

    /// The successors of a set.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    fn image(&self, forest: &mut Forest, set: Node, steps: Steps) -> Result<Node, Stop>;

    /// The predecessors of a set within another.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    fn preimage(
        &self,
        forest: &mut Forest,
        set: Node,
        steps: Steps,
        universe: Node,
    ) -> Result<Node, Stop>;

    /// All that a set leads to, itself included.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    fn reach(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop>;

    /// The states of a set in which a run need only go on to be accepted.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    fn accept_all_states(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        let found = forest
            .list(set)
            .find(|&(q, _)| Some(q) == self.accepts_all());
        match found {
            None => Ok(EMPTY),
            Some((q, down)) => forest.make(q, down, EMPTY),
        }
    }
}

/// What a set leads to, itself included, by chaining: a part of the steps after the other, each on all that is known.
pub(crate) fn chaining(forest: &mut Forest, graph: &impl Graph, set: Node) -> Result<Node, Stop> {
    let all = forest.protect(set);
    // Until all parts, one after the other, find nothing.
    let (mut part, mut unchanged) = (0, 0);
    while unchanged < graph.parts() {
        let now = forest.get(all);
        let more = graph.image(forest, now, Steps::Part(part))?;
        let now = forest.get(all);
        let union = forest.union(now, more)?;
        unchanged = if union == now { unchanged + 1 } else { 0 };
        forest.set(all, union);
        part = (part + 1) % graph.parts();
    }
    let result = forest.get(all);
    forest.unprotect(all);
    Ok(result)
}
