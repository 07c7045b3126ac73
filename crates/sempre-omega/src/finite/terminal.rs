//! Finite automata as ω-automata and back.
//!
//! A violation of a safety property is a run with a prefix that the finite automaton accepts. As a terminal Büchi
//! automaton: final states lose their edges and get a loop for all letters that accepts; everything else stays. It
//! accepts exactly the words that have an accepted prefix, so every engine for Büchi automata can search it
//! unchanged, and an engine that detects terminal automata stops when it reaches a final state.
//!
//! Other automata of open languages can be converted back, too, provided that no accepting component can be left.
//!
//! This is also the form in the Hanoi format. It does not preserve languages that are not closed under extension: the
//! automaton read back accepts all extensions of accepted words.

use super::{FiniteAutomaton, complete};
use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::mark::Mark;
use crate::scc::Sccs;

/// The Büchi automaton, acceptance on states, of the words with an accepted prefix; deterministic if
/// `a` is.
pub fn to_terminal(a: &FiniteAutomaton) -> Automaton {
    let mut b = Automaton::new(a.propositions.clone(), 1, Acceptance::buchi());
    b.name.clone_from(&a.name);
    b.initial.clone_from(&a.initial);
    for (edges, &is_final) in a.edges.iter().zip(&a.is_final) {
        let s = b.add_state();
        if is_final {
            b.add_edge(s, s, Bdd::TRUE, Mark::single(0));
            continue;
        }
        for e in edges {
            b.add_edge(s, e.to, e.label, Mark::EMPTY);
        }
    }
    b
}

/// The automaton, all of its runs accepting, of the words that have no prefix that `d` accepts: the complement of its
/// [`to_terminal`]. `d` must be deterministic.
///
/// The complement of a deterministic Büchi automaton has two copies of it, one that waits and one that has seen the
/// last accepting state (Vardi's lecture notes, quoted by Latvala, section 4.1). Here a run stays accepting once it
/// is, so the second copy is enough.
pub fn without_prefix(bdds: &mut Bdds, d: &FiniteAutomaton) -> Automaton {
    debug_assert!(d.is_deterministic(bdds));
    let mut d = d.clone();
    complete(bdds, &mut d);
    let mut b = Automaton::new(d.propositions.clone(), 0, Acceptance::True);
    for _ in 0..d.states() {
        b.add_state();
    }
    let lives = |s: u32| !d.is_final[s as usize];
    b.initial = d.initial.iter().copied().filter(|&s| lives(s)).collect();
    for s in (0..d.states() as u32).filter(|&s| lives(s)) {
        for e in d.edges[s as usize].iter().filter(|e| lives(e.to)) {
            b.add_edge(s, e.to, e.label, Mark::EMPTY);
        }
    }
    b
}

/// The finite automaton whose final states are those with a loop for all letters that accepts; `None`
/// unless the automaton has Büchi acceptance on states and all its marked states are of that kind.
pub fn from_terminal(b: &Automaton) -> Option<FiniteAutomaton> {
    if b.acceptance != Acceptance::buchi() || !b.has_state_acceptance() {
        return None;
    }
    let mut a = FiniteAutomaton::new(b.propositions.clone());
    a.name.clone_from(&b.name);
    a.initial.clone_from(&b.initial);
    for (s, edges) in b.edges.iter().enumerate() {
        let marked = edges.first().is_some_and(|e| e.mark.contains(0));
        if marked && !edges.iter().any(|e| e.label.is_true() && e.to == s as u32) {
            return None;
        }
        let new = a.add_state(marked);
        for e in edges {
            a.add_edge(new, e.to, e.label);
        }
    }
    Some(a)
}

/// The finite automaton whose final states are those of accepting components, if all of these are terminal: then a
/// word is accepted by `b` iff it has a prefix that this one accepts, and the language is open. `None` if some
/// accepting component can be left, is incomplete, or has a rejecting cycle.
pub fn from_terminal_components(bdds: &mut Bdds, b: &Automaton) -> Option<FiniteAutomaton> {
    let sccs = Sccs::new(b);
    let accepting = sccs.accepting(b);
    for (scc, &accepts) in accepting.iter().enumerate() {
        if accepts && !sccs.is_terminal(b, bdds, scc) {
            return None;
        }
    }
    let mut a = FiniteAutomaton::new(b.propositions.clone());
    a.name.clone_from(&b.name);
    a.initial.clone_from(&b.initial);
    for (s, edges) in b.edges.iter().enumerate() {
        // States that are not reachable have no component.
        let scc = accepting.get(sccs.of[s] as usize);
        let is_final = scc == Some(&true);
        a.add_state(is_final);
        if is_final {
            a.add_edge(s as u32, s as u32, Bdd::TRUE);
            continue;
        }
        for e in edges {
            a.add_edge(s as u32, e.to, e.label);
        }
    }
    a.trim();
    a.merge_edges(bdds);
    Some(a)
}

#[cfg(test)]
mod tests {
    use super::super::samples::random_finite;
    use super::*;
    use crate::automaton::Alphabet;
    use crate::finite::{determinize, equivalent, write_finite_hoa};
    use crate::hoa::read_hoa;
    use crate::membership::accepts;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn accepts_the_words_with_an_accepted_prefix() {
        let mut r = Random::new(9);
        let mut bdds = Bdds::new();
        let mut yes = 0;
        for _ in 0..500 {
            let a = random_finite(&mut r, &mut bdds, 5);
            let b = to_terminal(&a);
            assert!(b.has_state_acceptance());
            let sccs = Sccs::new(&b);
            for (c, accepting) in sccs.accepting(&b).into_iter().enumerate() {
                assert!(!accepting || sccs.is_terminal(&b, &mut bdds, c));
            }
            assert!(!a.is_deterministic(&mut bdds) || b.is_deterministic(&mut bdds));
            let back = from_terminal_components(&mut bdds, &b).expect("terminal");
            let d = determinize(&mut bdds, &a, 1000).expect("small");
            let not = without_prefix(&mut bdds, &d);
            for _ in 0..8 {
                let w = random_word(&mut r, &[0, 1], 3, 3);
                // A run that reaches a final state does so before a pair of state and position repeats.
                let mut word = Vec::new();
                let mut position = 0;
                let mut truth = a.accepts(&bdds, &word);
                for _ in 0..a.states() * w.len() {
                    word.push(w.letter(position).clone());
                    position = w.successor(position);
                    truth |= a.accepts(&bdds, &word);
                }
                assert_eq!(accepts(&bdds, &b, &w), truth);
                assert_eq!(accepts(&bdds, &not, &w), !truth);
                assert_eq!(accepts(&bdds, &to_terminal(&back), &w), truth);
                yes += usize::from(truth);
            }
        }
        assert!(yes > 500 && yes < 3500, "{yes}");
    }

    #[test]
    fn comes_back_from_the_hanoi_format() {
        let mut r = Random::new(10);
        let mut alphabet = Alphabet::new();
        alphabet.declare("p");
        alphabet.declare("q");
        let mut final_states = 0;
        for _ in 0..200 {
            let mut a = random_finite(&mut r, &mut alphabet.bdds, 5);
            for s in 0..a.states() {
                if a.is_final[s] {
                    a.edges[s].clear();
                    a.add_edge(s as u32, s as u32, Bdd::TRUE);
                }
            }
            let text = write_finite_hoa(&mut alphabet, &a);
            assert!(text.contains("\nAcceptance: 1 Inf(0)\n") && text.contains("state-acc"));
            let (items, complaints) = read_hoa(&mut alphabet, &text);
            assert!(complaints.is_empty(), "{text}");
            let b = from_terminal(&items[0].automaton).expect("terminal");
            assert_eq!(a.is_final, b.is_final);
            assert_eq!(equivalent(&mut alphabet.bdds, &a, &b, 1000), Some(true));
            final_states += b.is_final.iter().filter(|&&f| f).count();
        }
        assert!(final_states > 100);
        let mut infinitely = Automaton::new(vec![0], 1, Acceptance::buchi());
        let s = infinitely.add_state();
        infinitely.initial.push(s);
        let p = alphabet.bdds.variable(0);
        infinitely.add_edge(s, s, p, Mark::single(0));
        assert!(from_terminal(&infinitely).is_none());
        let bdds = &mut alphabet.bdds;
        assert!(from_terminal_components(bdds, &infinitely).is_none());
    }
}
