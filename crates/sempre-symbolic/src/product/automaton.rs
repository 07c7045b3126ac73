//! The interface of property automata.

/// An automaton that reads the valuations of a run, or the changes between them. Valuations and changes are sets of
/// propositions, one bit each.
pub trait Automaton {
    /// Number of states.
    fn states(&self) -> u32;
    /// Number of acceptance sets, at most 64.
    fn sets(&self) -> u32;
    /// Whether it is a testing automaton, which reads changes. Then each state has a self-loop for the empty change.
    fn is_testing(&self) -> bool;
    /// The initial states for a first valuation.
    fn initial(&self, valuation: u64) -> Vec<u32>;
    /// The edges of a state for a valuation of the source, or for a change: their targets and their acceptance sets,
    /// one bit each.
    fn edges(&self, state: u32, letter: u64) -> Vec<(u32, u64)>;
    /// The propositions on which the edges of a state depend, or a superset.
    fn reads(&self, state: u32) -> u64;
}

/// Whether a state has, for each of these letters, a self-loop in all acceptance sets.
pub(crate) fn accepts_all(
    automaton: &dyn Automaton,
    state: u32,
    letters: impl IntoIterator<Item = u64>,
) -> bool {
    let full = |marks: u64| (0..automaton.sets()).all(|set| marks >> set & 1 == 1);
    letters.into_iter().all(|letter| {
        let mut edges = automaton.edges(state, letter).into_iter();
        edges.any(|(to, marks)| to == state && full(marks))
    })
}

/// All valuations of some propositions.
pub(crate) fn valuations_over(propositions: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let letter = next?;
        // The next subset in numerical order.
        let more = letter.wrapping_sub(propositions) & propositions;
        next = (more != 0).then_some(more);
        Some(letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_letters() {
        assert_eq!(valuations_over(0).collect::<Vec<_>>(), [0]);
        assert_eq!(valuations_over(0b101).collect::<Vec<_>>(), [0, 1, 4, 5]);
        assert_eq!(valuations_over(0b1111).count(), 16);
    }
}
