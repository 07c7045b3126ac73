//! The interface of a product for emptiness checks and for accepting runs.
//!
//! Vectors start with the state of the automaton.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use sempre_base::Stop;

/// Some of the steps of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steps {
    /// All steps.
    All,
    /// One of the parts into which the steps are partitioned.
    Part(usize),
    /// The steps of an acceptance set.
    Accepting(usize),
}

/// A graph of states whose steps belong to acceptance sets.
pub(crate) trait Graph {
    /// The initial states.
    fn initial(&self) -> Root;

    /// Number of acceptance sets.
    fn sets(&self) -> usize;

    /// The process whose fairness an acceptance set expresses; none for the automaton's own sets.
    fn process_of(&self, set: usize) -> Option<usize>;

    /// A state of the automaton from which every infinite run is accepted, if there is one.
    fn accepts_all(&self) -> Option<u32>;

    /// Number of parts into which the steps are partitioned.
    fn parts(&self) -> usize;

    /// The successors of a set.
    ///
    /// # Errors
    /// If a limit is reached.
    fn image(&self, forest: &mut Forest, set: Node, steps: Steps) -> Result<Node, Stop>;

    /// The predecessors of a set within another.
    ///
    /// # Errors
    /// If a limit is reached.
    fn preimage(
        &self,
        forest: &mut Forest,
        set: Node,
        steps: Steps,
        universe: Node,
    ) -> Result<Node, Stop>;

    /// The states reachable from a set, itself included.
    ///
    /// # Errors
    /// If a limit is reached.
    fn reach(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop>;

    /// The states of a set from which every infinite run is accepted.
    ///
    /// # Errors
    /// If a limit is reached.
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

/// The states reachable from a set, itself included, by chaining: one part of the steps after another, each applied to
/// all states found so far.
pub(crate) fn chaining(forest: &mut Forest, graph: &impl Graph, set: Node) -> Result<Node, Stop> {
    let all = forest.protect(set);
    // Until a whole round over the parts finds nothing.
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
