//! Testing automata: they observe changes of propositions, not their values.
//!
//! A stutter-invariant language does not care how often a letter is repeated, so an automaton for it
//! need not move while nothing changes. Its transitions are labelled with *changesets*, the observed
//! propositions that flip between two letters; only the first letter is read as a valuation.
//!
//! * [`Ta`] (Hansen, Penczek, Valmari, "Stuttering-insensitive automata for on-the-fly detection of
//!   livelock properties", FMICS 2002): Büchi accepting states for words that change for ever,
//!   livelock accepting states for words that end in stuttering. [`sta`] gives it one livelock state that
//!   has no successors, which one pass over a product can check.
//! * [`Tgta`] (Ben Salem, Duret-Lutz, Kordon, "Model checking using generalized testing automata",
//!   ToPNoC 2012): generalised acceptance on transitions, a stuttering self-loop on every state and no
//!   other stuttering transition, so that one kind of acceptance does for both.
//!
//! Both come from ω-automata by [`unfolding`](mod@unfolding) them over the valuations. Nothing but the
//! observed propositions is unfolded (those that some label tests), only what is reachable is built,
//! and what would be too large is refused ([`Refusal`], [`Limits`]).
//!
//! The constructions are right only for stutter-invariant languages. Whether a language is one is
//! asked of [`refuse_stutter_sensitive`], which costs a complement; where the automaton of the negation
//! is at hand, [`stutter_witness`](crate::stutter::stutter_witness) is cheaper.
//!
//! Changesets and valuations are words of 64 bits: bit `i` stands for the observed proposition `i`.

pub mod bisimulation;
pub mod change_words;
pub mod edges;
mod graph;
mod limits;
pub mod membership;
pub mod printing;
pub mod sta;
pub mod ta;
pub mod tgta;
pub mod unfolding;

pub use edges::{EdgeTable, TestingEdge};
pub use limits::{Limits, Refusal, refuse_stutter_sensitive};
pub use printing::TestingStats;
pub use ta::Ta;
pub use tgta::Tgta;

use crate::word::Letter;

/// A way to begin: with this first letter, in this state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Initial {
    /// The observed propositions that are true in the first letter.
    pub valuation: u64,
    /// The state.
    pub state: u32,
}

/// The initial states for a first letter, of a list that is sorted.
pub(crate) fn beginning(initial: &[Initial], valuation: u64) -> impl Iterator<Item = u32> + '_ {
    let from = initial.partition_point(|i| i.valuation < valuation);
    initial[from..]
        .iter()
        .take_while(move |i| i.valuation == valuation)
        .map(|i| i.state)
}

/// The valuation of some propositions in a letter: bit `i` is the truth of `propositions[i]`.
pub fn valuation(propositions: &[u32], letter: &Letter) -> u64 {
    propositions
        .iter()
        .zip(0u32..64)
        .filter(|(p, _)| letter.holds(**p))
        .fold(0, |v, (_, bit)| v | 1 << bit)
}
