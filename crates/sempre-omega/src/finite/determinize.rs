//! The subset construction on finite words, completion and complement.
//!
//! Rabin and Scott, "Finite automata and their decision problems" (1959). Successors of a subset are found for
//! classes of letters ([`wdba::powerset`](crate::wdba::powerset)), not letter by letter. The empty subset is not
//! constructed: edges to it are missing.
//!
//! Cost: exponential in the states; `limit` bounds the number of subsets, and the result is `None` if it was too low.

use super::FiniteAutomaton;
use crate::bdd::{Bdd, Bdds};
use crate::wdba::powerset;

/// A deterministic automaton of the same language, with at most one initial state; `None` if it
/// would have more than `limit` states.
pub fn determinize(bdds: &mut Bdds, a: &FiniteAutomaton, limit: usize) -> Option<FiniteAutomaton> {
    if a.is_deterministic(bdds) {
        return (a.states() <= limit).then(|| a.clone());
    }
    let mut graph = a.graph();
    graph.initial.sort_unstable();
    graph.initial.dedup();
    let (g, subsets) = powerset(&graph, bdds, limit)?;
    let mut d = FiniteAutomaton::new(a.propositions.clone());
    d.name.clone_from(&a.name);
    d.initial = g.initial;
    for (edges, subset) in g.edges.iter().zip(&subsets) {
        let s = d.add_state(subset.iter().any(|&q| a.is_final[q as usize]));
        for e in edges {
            d.add_edge(s, e.to, e.label);
        }
    }
    Some(d)
}

/// Completes the automaton, so that every state has an edge for each letter, without changing the language. Returns
/// the sink, if one was needed.
pub fn complete(bdds: &mut Bdds, a: &mut FiniteAutomaton) -> Option<u32> {
    let missing: Vec<Bdd> = (0..a.states()).map(|s| a.missing(bdds, s)).collect();
    if missing.iter().all(|m| m.is_false()) && !a.initial.is_empty() {
        return None;
    }
    let sink = a.add_state(false);
    if a.initial.is_empty() {
        a.initial.push(sink);
    }
    for (s, &label) in missing.iter().enumerate() {
        a.add_edge(s as u32, sink, label);
    }
    a.add_edge(sink, sink, Bdd::TRUE);
    Some(sink)
}

/// A complete deterministic automaton of the words that `a` does not accept; `None` if a subset
/// construction was needed and had more than `limit` states.
pub fn complement(bdds: &mut Bdds, a: &FiniteAutomaton, limit: usize) -> Option<FiniteAutomaton> {
    let mut d = determinize(bdds, a, limit)?;
    complete(bdds, &mut d);
    for f in &mut d.is_final {
        *f = !*f;
    }
    Some(d)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{random_finite, random_letters};
    use super::*;
    use sempre_base::Random;

    #[test]
    fn languages_are_kept_and_complemented() {
        let mut r = Random::new(5);
        let mut bdds = Bdds::new();
        let (mut accepted, mut changed) = (0, 0);
        for _ in 0..400 {
            let a = random_finite(&mut r, &mut bdds, 5);
            let d = determinize(&mut bdds, &a, 1000).expect("small");
            assert!(d.is_deterministic(&mut bdds));
            changed += usize::from(d != a);
            let mut c = d.clone();
            let was = c.is_complete(&mut bdds);
            assert_eq!(complete(&mut bdds, &mut c).is_none(), was);
            assert!(c.is_complete(&mut bdds) && c.is_deterministic(&mut bdds));
            let not = complement(&mut bdds, &a, 1000).expect("small");
            for _ in 0..10 {
                let w = random_letters(&mut r, 6);
                let truth = a.accepts(&bdds, &w);
                assert_eq!(d.accepts(&bdds, &w), truth);
                assert_eq!(c.accepts(&bdds, &w), truth);
                assert_eq!(not.accepts(&bdds, &w), !truth);
                accepted += usize::from(truth);
            }
        }
        assert!(accepted > 400 && changed > 100, "{accepted} {changed}");
    }

    #[test]
    fn limits_are_kept() {
        // The nth letter before the end is a: 2^n subsets.
        let mut bdds = Bdds::new();
        let v = bdds.variable(0);
        let mut a = FiniteAutomaton::new(vec![0]);
        for i in 0..=8 {
            a.add_state(i == 8);
        }
        a.initial.push(0);
        a.add_edge(0, 0, Bdd::TRUE);
        a.add_edge(0, 1, v);
        for i in 1..8 {
            a.add_edge(i, i + 1, Bdd::TRUE);
        }
        assert!(determinize(&mut bdds, &a, 100).is_none());
        let d = determinize(&mut bdds, &a, 300).expect("256 subsets");
        assert_eq!(d.states(), 256);
    }
}
