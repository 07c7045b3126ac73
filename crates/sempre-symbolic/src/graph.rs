//! What the emptiness check and the search for a run ask of a product.
//!
//! Vectors start with the state of the automaton.

use crate::collect::Stop;
use crate::forest::{EMPTY, Forest, Kept, Node};

/// A graph of states whose steps belong to acceptance sets.
pub trait Graph {
    /// The initial states.
    fn initial(&self) -> Kept;

    /// Number of acceptance sets.
    fn sets(&self) -> usize;

    /// The process to which an acceptance set is due, if it is not one of the automaton's.
    fn process_of(&self, set: usize) -> Option<usize>;

    /// A state of the automaton with which a run need only go on to be accepted, if there is one.
    fn accepts_all(&self) -> Option<u32>;

    /// The successors of a set, by the steps of an acceptance set or by all.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    fn image(&self, forest: &mut Forest, set: Node, of: Option<usize>) -> Result<Node, Stop>;

    /// The predecessors of a set within another, by the steps of an acceptance set or by all.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    fn preimage(
        &self,
        forest: &mut Forest,
        set: Node,
        of: Option<usize>,
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
    fn certain(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        let found = forest.list(set).find(|&(q, _)| Some(q) == self.accepts_all());
        match found {
            None => Ok(EMPTY),
            Some((q, down)) => forest.make(q, down, EMPTY),
        }
    }
}
