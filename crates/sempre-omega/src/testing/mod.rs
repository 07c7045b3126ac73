//! Testing automata: they observe changes of propositions, not their values.
//!
//! Membership in a stutter-invariant language does not depend on how often letters are repeated, so an automaton for
//! it need not change its state while nothing changes. Its transitions are labelled with *changesets*, the observed
//! propositions that flip between two letters; only the first letter is read as a valuation.
//!
//! * [`Ta`] (Hansen, Penczek, Valmari, "Stuttering-insensitive automata for on-the-fly detection of livelock
//!   properties", FMICS 2002): Büchi accepting states for words that change for ever, livelock accepting states for
//!   words that end in stuttering. [`sta`] converts it to one with a single livelock state without successors, for
//!   which one pass over a product is enough.
//! * [`Tgta`] (Ben Salem, Duret-Lutz, Kordon, "Model checking using generalized testing automata", ToPNoC 2012):
//!   generalised acceptance on transitions, a stuttering self-loop on every state and no other stuttering transition,
//!   so that one kind of acceptance covers both.
//!
//! Both come from ω-automata by `unfolding` them over the valuations. Only the observed propositions
//! are unfolded (those that some label tests), only reachable states are constructed, and automata that would be too
//! large are refused ([`Refusal`], [`Limits`]).
//!
//! The constructions are correct only for stutter-invariant languages. [`refuse_stutter_sensitive`] decides whether a
//! language is one, which takes a complement; if the automaton of the negation is available,
//! [`stutter_witness`](crate::stutter::stutter_witness) is cheaper.
//!
//! Changesets and valuations are words of 64 bits: bit `i` stands for the observed proposition `i`.

pub(crate) mod bisimulation;
pub mod change_words;
pub mod edges;
mod graph;
mod limits;
pub mod membership;
pub mod printing;
pub mod sta;
pub mod ta;
pub mod tgta;
pub(crate) mod unfolding;

pub use edges::{EdgeTable, TestingEdge};
pub use limits::{Limits, Refusal, refuse_stutter_sensitive};
pub use printing::TestingStats;
pub use ta::Ta;
pub use tgta::Tgta;

use crate::word::Letter;

/// An initial pair: a first letter and a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Initial {
    /// The observed propositions that are true in the first letter.
    pub valuation: u64,
    /// The state.
    pub state: u32,
}

/// The initial states for a first letter, of a list that is sorted.
pub(crate) fn initial_states(
    initial: &[Initial],
    valuation: u64,
) -> impl Iterator<Item = u32> + '_ {
    let from = initial.partition_point(|i| i.valuation < valuation);
    initial[from..]
        .iter()
        .take_while(move |i| i.valuation == valuation)
        .map(|i| i.state)
}

/// Does at most one run read each word? For a sorted list of beginnings.
pub(crate) fn is_deterministic(initial: &[Initial], table: &EdgeTable) -> bool {
    let begins = |w: &[Initial]| w[0].valuation != w[1].valuation;
    let goes_on = |w: &[TestingEdge]| w[0].changeset != w[1].changeset;
    initial.windows(2).all(begins)
        && (0..table.states() as u32).all(|s| table.of(s).windows(2).all(goes_on))
}

/// The valuation of some propositions in a letter: bit `i` is the truth of `propositions[i]`.
pub fn valuation(propositions: &[u32], letter: &Letter) -> u64 {
    propositions
        .iter()
        .zip(0u32..64)
        .filter(|(p, _)| letter.holds(**p))
        .fold(0, |v, (_, bit)| v | 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::membership::{ta_accepts, tgta_accepts};
    use super::sta::single_pass;
    use super::*;
    use crate::automaton::Automaton;
    use crate::bdd::Bdds;
    use crate::degeneralize::{Kind, degeneralize};
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::stutter::{closure, self_loopization};
    use crate::word::random_word;
    use sempre_base::Random;

    /// A random automaton with a stutter-invariant language: any two words that differ by stuttering
    /// can both be stretched to a third.
    fn invariant(r: &mut Random, bdds: &mut Bdds) -> Automaton {
        let sets = r.below(3) as u32;
        let mut shape = RandomAutomaton::generalized_buchi(1 + r.below(4), &[4, 7], sets);
        shape.density = 0.3 + 0.3 * r.unit();
        shape.complete = r.chance(0.5);
        let a = shape.generate(r, bdds);
        let longer = self_loopization(bdds, &a);
        closure(bdds, &longer)
    }

    /// Automata of formulas are tame; these are not.
    #[test]
    fn random_automata_keep_their_languages() {
        let mut r = Random::new(17);
        let mut bdds = Bdds::new();
        let mut counts = [0; 2];
        for _ in 0..300 {
            let a = invariant(&mut r, &mut bdds);
            let b = degeneralize(&mut bdds, &a, Kind::StateBased).expect("generalised Büchi");
            let limits = Limits::default();
            let ta = Ta::new(&mut bdds, &b, limits).expect("small");
            let plain = Ta::unreduced(&mut bdds, &b, limits).expect("small");
            let tgta = Tgta::new(&mut bdds, &a, limits).expect("small");
            assert!(tgta.is_well_formed());
            let sta = single_pass(&ta);
            for _ in 0..30 {
                let w = random_word(&mut r, &[4, 7], 3, 3);
                let truth = accepts(&bdds, &a, &w);
                let verdicts = [
                    ta_accepts(&plain, &w),
                    ta_accepts(&ta, &w),
                    ta_accepts(&sta, &w),
                    tgta_accepts(&tgta, &w),
                ];
                assert_eq!(verdicts, [truth; 4], "{a:?} {w:?}");
                counts[usize::from(truth)] += 1;
            }
        }
        assert!(counts.iter().all(|&n| n > 1500), "{counts:?}");
    }

    /// Automata without acceptance sets, whose states may all rest.
    #[test]
    fn closed_languages_need_no_acceptance() {
        let mut r = Random::new(18);
        let mut bdds = Bdds::new();
        let mut counts = [0; 2];
        let mut without_cycle = 0;
        for _ in 0..300 {
            let mut shape = RandomAutomaton::generalized_buchi(1 + r.below(4), &[0, 1], 0);
            shape.density = 0.4;
            let a = shape.generate(&mut r, &mut bdds);
            if refuse_stutter_sensitive(&mut bdds, &a, 100).is_err() {
                continue;
            }
            let ta = Ta::new(&mut bdds, &a, Limits::default()).expect("small");
            let tgta = Tgta::new(&mut bdds, &a, Limits::default()).expect("small");
            assert_eq!(tgta.sets, 0);
            assert!(ta.livelock.iter().all(|g| *g));
            without_cycle += usize::from(
                a.edges
                    .iter()
                    .zip(0..)
                    .any(|(edges, s)| edges.iter().all(|e| e.to != s)),
            );
            for _ in 0..20 {
                let w = random_word(&mut r, &[0, 1], 3, 3);
                let truth = accepts(&bdds, &a, &w);
                let verdicts = [ta_accepts(&ta, &w), tgta_accepts(&tgta, &w)];
                assert_eq!(verdicts, [truth; 2], "{a:?} {w:?}");
                counts[usize::from(truth)] += 1;
            }
        }
        assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
        assert!(without_cycle > 10, "{without_cycle}");
    }

    /// Deterministic automata have deterministic testing automata.
    #[test]
    fn deterministic_automata_stay_deterministic() {
        let mut r = Random::new(19);
        let mut bdds = Bdds::new();
        let mut counts = [0; 2];
        let mut moved = 0;
        for _ in 0..4000 {
            let sets = 1 + r.below(2) as u32;
            let mut shape = RandomAutomaton::generalized_buchi(1 + r.below(4), &[0, 1], sets);
            (shape.deterministic, shape.complete) = (true, r.chance(0.5));
            (shape.density, shape.mark_probability) = (0.5, 0.5);
            let a = shape.generate(&mut r, &mut bdds);
            if refuse_stutter_sensitive(&mut bdds, &a, 100).is_err() {
                continue;
            }
            let t = Tgta::new(&mut bdds, &a, Limits::default()).expect("small");
            assert!(t.is_deterministic() && t.is_well_formed());
            let u = |s| unfolding::unfold(&mut Bdds::clone(&bdds), &a, Limits::default(), s);
            let (still, skipped) = (
                u(unfolding::SkipStuttering::Never).expect("small"),
                u(unfolding::SkipStuttering::IfDeterministic).expect("small"),
            );
            assert!(skipped.origin.len() <= still.origin.len());
            moved += usize::from(skipped.origin.len() < still.origin.len());
            assert_eq!(skipped.accepting_stutter, skipped.livelock);
            for _ in 0..20 {
                let w = random_word(&mut r, &[0, 1], 3, 3);
                let truth = accepts(&bdds, &a, &w);
                assert_eq!(tgta_accepts(&t, &w), truth, "{a:?} {w:?}");
                counts[usize::from(truth)] += 1;
            }
        }
        assert!(counts.iter().all(|&n| n > 200), "{counts:?}");
        assert!(moved > 10, "{moved}");
    }

    #[test]
    fn valuations_are_bits_in_the_order_of_the_propositions() {
        let letter: Letter = [4, 9].into_iter().collect();
        assert_eq!(valuation(&[9, 3, 4], &letter), 0b101);
        assert_eq!(valuation(&[], &letter), 0);
    }
}
