//! What a product asks of a property automaton.

/// An automaton that reads the valuations of a run, or the changes between them. Valuations and changes are sets of
/// propositions, one bit each.
pub trait Observer {
    /// Number of states.
    fn states(&self) -> u32;
    /// Number of acceptance sets, at most 64.
    fn sets(&self) -> u32;
    /// Does it read changes? Then the edge for no change leads from each state to itself.
    fn is_testing(&self) -> bool;
    /// The states to begin with where the first valuation is this one.
    fn initial(&self, valuation: u64) -> Vec<u32>;
    /// The edges of a state for a valuation of its source, or for a change: where they lead, and their acceptance sets, one bit each.
    fn edges(&self, state: u32, letter: u64) -> Vec<(u32, u64)>;
}
