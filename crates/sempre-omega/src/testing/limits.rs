//! Limits of the constructions, and refusals.

use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::complement::complement;
use crate::stutter::stutter_witness;
use crate::word::Word;
use std::fmt;

/// How large a testing automaton may grow while it is built, before it is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of observed propositions: there are two to the power of it valuations. More than 24 are always
    /// refused.
    pub propositions: usize,
    /// States.
    pub states: usize,
    /// Transitions, one per changeset.
    pub transitions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            propositions: 16,
            states: 1 << 18,
            transitions: 1 << 22,
        }
    }
}

/// Why there is no testing automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Too many propositions are observed.
    Propositions {
        /// The number of observed propositions.
        count: usize,
        /// The limit.
        most: usize,
    },
    /// More states than allowed.
    States(usize),
    /// More transitions than allowed.
    Transitions(usize),
    /// More acceptance sets than the bits of a word.
    Sets(u32),
    /// The acceptance is not generalised Büchi.
    NotGeneralizedBuchi,
    /// The acceptance is not Büchi on states.
    NotStateBuchi,
    /// The two words differ only in how often letters are repeated; the first is accepted, the second
    /// is not.
    StutterSensitive(Box<(Word, Word)>),
    /// The complement that decides whether the language is stutter-invariant is too large.
    StutterUnknown,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Propositions { count, most } => write!(
                f,
                "it observes {count} propositions, and testing automata, which are unfolded over all \
                 valuations, are made for at most {most}"
            ),
            Refusal::States(most) => write!(f, "it would have more than {most} states"),
            Refusal::Transitions(most) => write!(f, "it would have more than {most} transitions"),
            Refusal::Sets(count) => write!(
                f,
                "it has {count} acceptance sets; testing automata have at most 64"
            ),
            Refusal::NotGeneralizedBuchi => f.write_str("its acceptance is not generalised Büchi"),
            Refusal::NotStateBuchi => f.write_str("its acceptance is not Büchi on states"),
            Refusal::StutterSensitive(_) => f.write_str(
                "it is not stutter-invariant: of two words that differ only in how often letters are \
                 repeated it accepts one",
            ),
            Refusal::StutterUnknown => f.write_str(
                "whether it is stutter-invariant is not known: its complement is too large",
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// Refuses an automaton whose language is not stutter-invariant, with two words that prove it. The limit bounds the
/// states of a deterministic automaton, if one is needed for the complement.
pub fn refuse_stutter_sensitive(
    bdds: &mut Bdds,
    a: &Automaton,
    limit: usize,
) -> Result<(), Refusal> {
    let outside = complement(bdds, a, limit).map_err(|_| Refusal::StutterUnknown)?;
    match stutter_witness(bdds, a, &outside) {
        Some(words) => Err(Refusal::StutterSensitive(Box::new(words))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::Acceptance;
    use crate::automaton::Alphabet;
    use crate::bdd::Bdd;
    use crate::mark::Mark;
    use crate::membership::accepts;

    /// `X p`, and `F p` with the same shape.
    #[test]
    fn the_witness_is_two_words_that_differ_by_stuttering() {
        let mut alphabet = Alphabet::new();
        let p = alphabet.declare("p");
        let bdds = &mut alphabet.bdds;
        let (yes, no) = (bdds.variable(p), bdds.literal((p, false)));
        for (invariant, first) in [(false, Bdd::TRUE), (true, no)] {
            let mut a = Automaton::new(vec![p], 1, Acceptance::buchi());
            let (s, t, end) = (a.add_state(), a.add_state(), a.add_state());
            a.initial.push(s);
            if invariant {
                a.add_edge(s, s, first, Mark::EMPTY);
                a.add_edge(s, end, yes, Mark::EMPTY);
            } else {
                a.add_edge(s, t, first, Mark::EMPTY);
                a.add_edge(t, end, yes, Mark::EMPTY);
            }
            a.add_edge(end, end, Bdd::TRUE, Mark::single(0));
            match refuse_stutter_sensitive(bdds, &a, 100) {
                Ok(()) => assert!(invariant),
                Err(Refusal::StutterSensitive(words)) => {
                    assert!(!invariant);
                    assert!(accepts(bdds, &a, &words.0) && !accepts(bdds, &a, &words.1));
                    let letters = |w: &Word| {
                        let mut l: Vec<_> =
                            std::iter::successors(Some(0), |&i| Some(w.successor(i)))
                                .take(50)
                                .map(|i| w.letter(i).clone())
                                .collect();
                        l.dedup();
                        l.truncate(10);
                        l
                    };
                    assert_eq!(letters(&words.0), letters(&words.1));
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}
