//! The minimal deterministic automaton of all bad prefixes of a language.
//!
//! A finite word is a bad prefix of a language L if no continuation of it is in L. In an automaton of L without
//! useless states, each state has a non-empty language; so a word is bad iff no run reads it, which is the case iff
//! the subset construction, ignoring acceptance, reaches the empty subset. That holds for every ω-language and every
//! acceptance condition; for a safety language, and only for one, the words with a bad prefix are all the words
//! outside (Kupferman, Vardi, FMSD 2001, where this is the doubly exponential construction, as the automaton of the
//! formula is exponential already).
//!
//! From an automaton of *some* bad prefixes there is a faster construction ([`unavoidable`]), if every violation has
//! one of them: a prefix is bad iff none of its continuations stays out of the final states for ever. In a
//! deterministic automaton these are the states all of whose edges, with none missing, lead to final states or to
//! such states again.
//!
//! Cost: exponential in the states; `limit` bounds it. [`unavoidable`] takes each edge once for each round, and as
//! many rounds as a bad prefix can be too long.

use super::{FiniteAutomaton, minimize};
use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::emptiness::is_empty;
use crate::emptiness::prune;
use crate::wdba::powerset;

/// The minimal deterministic automaton of the finite words that no word of `a`'s language begins with;
/// its final state, if there is one, loops. `None` if there are more than `limit` subsets.
pub fn bad_prefixes(bdds: &mut Bdds, a: &Automaton, limit: usize) -> Option<FiniteAutomaton> {
    let mut bad = FiniteAutomaton::new(a.propositions.clone());
    if is_empty(a) {
        let s = bad.add_state(true);
        bad.initial.push(s);
        bad.add_edge(s, s, Bdd::TRUE);
        return Some(bad);
    }
    let mut useful = a.clone();
    prune(&mut useful);
    useful.initial.sort_unstable();
    useful.initial.dedup();
    let (g, _) = powerset(&useful, bdds, limit)?;
    for edges in &g.edges {
        let s = bad.add_state(false);
        for e in edges {
            bad.add_edge(s, e.to, e.label);
        }
    }
    bad.initial = g.initial;
    let end = bad.add_state(true);
    for s in 0..end {
        let missing = bad.missing(bdds, s as usize);
        bad.add_edge(s, end, missing);
    }
    bad.add_edge(end, end, Bdd::TRUE);
    minimize(bdds, &bad, usize::MAX)
}

/// The minimal deterministic automaton of the finite words of whose infinite continuations all have a prefix that `d`
/// accepts; its final state, if there is one, loops. `d` must be deterministic.
///
/// If the words with such a prefix are the violations of a safety property, these are all its bad prefixes.
pub fn unavoidable(bdds: &mut Bdds, d: &FiniteAutomaton) -> FiniteAutomaton {
    debug_assert!(d.is_deterministic(bdds));
    let complete: Vec<bool> = (0..d.states())
        .map(|s| d.missing(bdds, s).is_false())
        .collect();
    let mut lost = d.is_final.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for s in 0..d.states() {
            if !lost[s] && complete[s] && d.edges[s].iter().all(|e| lost[e.to as usize]) {
                lost[s] = true;
                changed = true;
            }
        }
    }
    let mut bad = d.clone();
    for (s, &is_lost) in lost.iter().enumerate() {
        if is_lost {
            bad.is_final[s] = true;
            bad.edges[s].clear();
            bad.add_edge(s as u32, s as u32, Bdd::TRUE);
        }
    }
    minimize(bdds, &bad, usize::MAX).expect("it is deterministic")
}

#[cfg(test)]
mod tests {
    use super::super::samples::{random_finite, random_letters};
    use super::super::{determinize, without_prefix};
    use super::*;
    use crate::random::RandomAutomaton;
    use crate::word::Letter;
    use sempre_base::Random;

    /// No word of the language begins with this one: the states it leads to accept nothing.
    fn is_bad(bdds: &Bdds, a: &Automaton, word: &[Letter]) -> bool {
        let mut now = a.initial.clone();
        for letter in word {
            let edges = now.iter().flat_map(|&s| &a.edges[s as usize]);
            now = edges
                .filter(|e| letter.satisfies(bdds, e.label))
                .map(|e| e.to)
                .collect();
            now.sort_unstable();
            now.dedup();
        }
        let mut rest = a.clone();
        rest.initial = now;
        is_empty(&rest)
    }

    #[test]
    fn exactly_the_bad_prefixes() {
        let mut r = Random::new(13);
        let mut bdds = Bdds::new();
        let (mut yes, mut no) = (0, 0);
        for round in 0..500 {
            let sets = r.below(3) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(5), &[0, 1], sets)
                .with_random_acceptance(&mut r);
            o.density = 0.4;
            let mut a = o.generate(&mut r, &mut bdds);
            if round % 5 == 0 {
                a.initial.push(r.below(o.states) as u32);
            }
            let bad = bad_prefixes(&mut bdds, &a, 1000).expect("small");
            assert!(bad.is_deterministic(&mut bdds));
            for _ in 0..10 {
                let w = random_letters(&mut r, 6);
                let truth = is_bad(&bdds, &a, &w);
                assert_eq!(bad.accepts(&bdds, &w), truth);
                *(if truth { &mut yes } else { &mut no }) += 1;
            }
        }
        assert!(yes > 500 && no > 500, "{yes} {no}");
        assert!(bad_prefixes(&mut bdds, &Automaton::empty(vec![]), 10).is_some());
        let nowhere = Automaton::new(vec![], 0, crate::Acceptance::True);
        let bad = bad_prefixes(&mut bdds, &nowhere, 10).expect("small");
        assert!(bad.accepts(&bdds, &[]));
        // The union of "always p" over forty propositions p: 2^40 letters to distinguish.
        let many: Vec<u32> = (0..40).collect();
        let mut union = Automaton::new(many.clone(), 0, crate::Acceptance::True);
        for v in many {
            let (s, p) = (union.add_state(), bdds.variable(v));
            union.initial.push(s);
            union.add_edge(s, s, p, crate::Mark::EMPTY);
        }
        assert!(bad_prefixes(&mut bdds, &union, 1000).is_none());
        let all = bad_prefixes(&mut bdds, &Automaton::universal(vec![]), 10).expect("small");
        assert_eq!((all.states(), all.edge_count()), (1, 0));
    }

    /// The unavoidable prefixes of an automaton are the bad prefixes of the complement.
    #[test]
    fn unavoidable_prefixes_are_bad_prefixes_of_the_rest() {
        let mut r = Random::new(14);
        let mut bdds = Bdds::new();
        let mut earlier = 0;
        for _ in 0..600 {
            let a = random_finite(&mut r, &mut bdds, 5);
            let d = determinize(&mut bdds, &a, 1000).expect("small");
            let rest = without_prefix(&mut bdds, &d);
            let expected = bad_prefixes(&mut bdds, &rest, 1000).expect("small");
            let found = unavoidable(&mut bdds, &d);
            assert_eq!(
                (&found.edges, &found.is_final),
                (&expected.edges, &expected.is_final)
            );
            let mut extended = d.clone();
            for s in 0..d.states() {
                if d.is_final[s] {
                    extended.edges[s].clear();
                    extended.add_edge(s as u32, s as u32, Bdd::TRUE);
                }
            }
            let same = super::super::equivalent(&mut bdds, &found, &extended, 1000);
            earlier += usize::from(same == Some(false));
        }
        assert!(earlier > 30, "{earlier}");
    }
}
