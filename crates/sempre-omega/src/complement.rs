//! Complement: an automaton for exactly the other words.
//!
//! A deterministic complete automaton has one run per word, so it suffices to complement the
//! condition, whatever it is. Others are made deterministic first: conditions with `Fin` lose it
//! ([`remove_fin`](mod@crate::remove_fin)), then Safra's construction
//! ([`determinize`](mod@crate::determinize)).

use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::complete::complete;
use crate::determinize::{DeterminizeError, determinize};
use crate::remove_fin::remove_fin;

/// The complement of any automaton, deterministic and complete. The limit bounds the number of states of the
/// deterministic automaton, if one has to be computed.
pub fn complement(
    bdds: &mut Bdds,
    a: &Automaton,
    limit: usize,
) -> Result<Automaton, DeterminizeError> {
    let mut c = to_deterministic(bdds, a, limit)?;
    complete(bdds, &mut c);
    c.acceptance = c.acceptance.complement();
    c.name = None;
    Ok(c)
}

/// A deterministic automaton for the language of any automaton: itself if it is deterministic.
pub fn to_deterministic(
    bdds: &mut Bdds,
    a: &Automaton,
    limit: usize,
) -> Result<Automaton, DeterminizeError> {
    if a.is_deterministic(bdds) {
        return Ok(a.clone());
    }
    if a.acceptance.as_generalized_buchi().is_some() {
        return determinize(bdds, a, limit);
    }
    let buchi = remove_fin(a, limit).ok_or(DeterminizeError::TooManyStates(limit))?;
    determinize(bdds, &buchi, limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn complements_accept_the_other_words() {
        let mut r = Random::new(41);
        let mut bdds = Bdds::new();
        let mut yes = 0;
        for round in 0..800 {
            let sets = r.below(4) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(4), &[0, 1], sets);
            o.density = 0.4;
            o.deterministic = round % 2 == 0;
            if round % 4 < 3 {
                o = o.with_random_acceptance(&mut r);
            }
            let mut a = o.generate(&mut r, &mut bdds);
            if round % 40 == 0 {
                a.initial.clear();
            }
            let c = match complement(&mut bdds, &a, 2_000) {
                Ok(c) => c,
                Err(e) => {
                    assert_eq!(e, DeterminizeError::TooManyStates(2_000));
                    continue;
                }
            };
            assert!(c.is_deterministic(&mut bdds) && c.is_complete(&mut bdds));
            for _ in 0..10 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                assert_ne!(accepts(&bdds, &c, &w), truth, "{a:?} {w:?}");
                yes += usize::from(truth);
            }
        }
        assert!(yes > 1000 && yes < 7000, "{yes}");
    }
}
