//! Inclusion and equivalence of languages, with a word that distinguishes them.
//!
//! `L(a) ⊆ L(b)` iff no word is in `L(a)` and in the complement of `L(b)`. The complement takes a determinisation
//! unless `b` is deterministic, and therefore has a limit; if it is exceeded, the result is an error, never a guess.

use crate::accepting_run::intersecting_word;
use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::complement::complement;
use crate::determinize::DeterminizeError;
use crate::emptiness::is_empty;
use crate::word::Word;

/// A word that `a` accepts and `b` does not; `None` if there is none, that is, `b` contains `a`.
pub fn not_included(
    bdds: &mut Bdds,
    a: &Automaton,
    b: &Automaton,
    limit: usize,
) -> Result<Option<Word>, DeterminizeError> {
    if is_empty(a) {
        return Ok(None);
    }
    let outside = complement(bdds, b, limit)?;
    Ok(intersecting_word(bdds, a, &outside))
}

/// Does `big` accept every word that `small` accepts?
pub fn contains(
    bdds: &mut Bdds,
    big: &Automaton,
    small: &Automaton,
    limit: usize,
) -> Result<bool, DeterminizeError> {
    Ok(not_included(bdds, small, big, limit)?.is_none())
}

/// A word that one of two automata accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Only the first one does.
    OnlyFirst(Word),
    /// Only the second one does.
    OnlySecond(Word),
}

/// A word on which the automata differ, if there is one.
pub fn difference(
    bdds: &mut Bdds,
    a: &Automaton,
    b: &Automaton,
    limit: usize,
) -> Result<Option<Difference>, DeterminizeError> {
    if let Some(w) = not_included(bdds, a, b, limit)? {
        return Ok(Some(Difference::OnlyFirst(w)));
    }
    Ok(not_included(bdds, b, a, limit)?.map(Difference::OnlySecond))
}

/// Do the automata accept the same words?
pub fn equivalent(
    bdds: &mut Bdds,
    a: &Automaton,
    b: &Automaton,
    limit: usize,
) -> Result<bool, DeterminizeError> {
    Ok(difference(bdds, a, b, limit)?.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::degeneralize::{Kind, degeneralize};
    use crate::membership::accepts;
    use crate::product::product;
    use crate::random::RandomAutomaton;
    use crate::sum::sum;
    use crate::word::random_word;
    use sempre_base::Random;

    const LIMIT: usize = 3_000;

    #[test]
    fn verdicts_agree_with_words() {
        let mut r = Random::new(91);
        let mut bdds = Bdds::new();
        let (mut included, mut not) = (0, 0);
        for round in 0..500 {
            let mut make = |r: &mut Random| {
                let sets = 1 + r.below(2) as u32;
                let mut o = RandomAutomaton::generalized_buchi(1 + r.below(3), &[0], sets);
                o.density = 0.6;
                if round % 3 == 0 {
                    o = o.with_random_acceptance(r);
                }
                o.generate(r, &mut bdds)
            };
            let (a, b) = (make(&mut r), make(&mut r));
            let Ok(found) = not_included(&mut bdds, &a, &b, LIMIT) else {
                continue;
            };
            match found {
                Some(w) => {
                    assert!(accepts(&bdds, &a, &w) && !accepts(&bdds, &b, &w), "{w:?}");
                    not += 1;
                }
                None => {
                    for _ in 0..30 {
                        let w = random_word(&mut r, &[0], 3, 4);
                        assert!(!accepts(&bdds, &a, &w) || accepts(&bdds, &b, &w));
                    }
                    included += 1;
                }
            }
        }
        assert!(included > 50 && not > 50, "{included} {not}");
    }

    #[test]
    fn laws_of_sets_hold() {
        let mut r = Random::new(92);
        let mut bdds = Bdds::new();
        for _ in 0..150 {
            let mut make = || {
                let mut o = RandomAutomaton::generalized_buchi(1 + r.below(3), &[0, 1], 2);
                o.density = 0.5;
                o.generate(&mut r, &mut bdds)
            };
            let (a, b) = (make(), make());
            let (both, either) = (product(&mut bdds, &a, &b), sum(&a, &b));
            assert_ne!(contains(&mut bdds, &a, &both, LIMIT), Ok(false));
            assert_ne!(contains(&mut bdds, &either, &a, LIMIT), Ok(false));
            for kind in [Kind::TransitionBased, Kind::StateBased] {
                let d = degeneralize(&mut bdds, &a, kind).expect("is one");
                assert_ne!(equivalent(&mut bdds, &a, &d, LIMIT), Ok(false));
            }
            match difference(&mut bdds, &a, &b, LIMIT) {
                Ok(Some(Difference::OnlyFirst(w))) => {
                    assert!(accepts(&bdds, &a, &w) && !accepts(&bdds, &b, &w));
                }
                Ok(Some(Difference::OnlySecond(w))) => {
                    assert!(!accepts(&bdds, &a, &w) && accepts(&bdds, &b, &w));
                }
                _ => {}
            }
        }
    }
}
