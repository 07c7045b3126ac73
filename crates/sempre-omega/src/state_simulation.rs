//! Reduction by simulation for automata with acceptance on states.
//!
//! [`simulation`](crate::simulation) treats marks on edges. To keep acceptance on states, each set is doubled: an
//! edge carries the marks of its source and, as further sets, those of its destination. A state that is seen
//! infinitely often is left and entered infinitely often, so the language is the same with the condition on both.
//! Direct simulation then equates only states with the same marks because it compares the edges that leave them, and
//! reverse simulation because it compares those that enter.
//!
//! The marks of states on no cycle are free: reductions are tried with none of them and with all.
//!
//! Invariants: the result has its acceptance on states; it is never larger.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::emptiness::prune;
use crate::mark::Mark;
use crate::scc::Sccs;
use crate::simulation::{Direction, reduce};

/// Merges states of a generalised Büchi automaton with acceptance on states; does nothing to others.
pub fn reduce_state_based(a: &mut Automaton, bdds: &mut Bdds) {
    if a.acceptance.as_generalized_buchi().is_none() || !a.has_state_acceptance() {
        return;
    }
    prune(a);
    a.trim_unreachable();
    let mut unchanged = 0;
    let mut free = Mark::EMPTY;
    while unchanged < 2 {
        let before = (a.states(), a.edge_count());
        match round(a, bdds, &free) {
            Some(smaller) if (smaller.states(), smaller.edge_count()) < before => {
                *a = smaller;
                unchanged = 0;
            }
            _ => unchanged += 1,
        }
        free = if free.is_empty() {
            Mark::all(a.sets)
        } else {
            Mark::EMPTY
        };
    }
}

/// One round of reductions, the states on no cycle having the marks `free`. `None` if the result
/// did not have its acceptance on states.
fn round(a: &Automaton, bdds: &mut Bdds, free: &Mark) -> Option<Automaton> {
    let sets = a.sets;
    let mut b = a.clone();
    let marks = state_marks(&b, free)?;
    b.sets = 2 * sets;
    b.acceptance = Acceptance::and([a.acceptance.clone(), a.acceptance.shift(sets)]);
    for (s, edges) in b.edges.iter_mut().enumerate() {
        for e in edges {
            e.mark = marks[s].union(&marks[e.to as usize].shift(sets));
        }
    }
    reduce(&mut b, bdds, Direction::Direct);
    while reduce(&mut b, bdds, Direction::Reverse) && reduce(&mut b, bdds, Direction::Direct) {}
    b.sets = sets;
    b.acceptance = a.acceptance.clone();
    let own = Mark::all(sets);
    for e in b.edges.iter_mut().flatten() {
        e.mark = e.mark.intersection(&own);
    }
    let marks = state_marks(&b, &Mark::EMPTY)?;
    for (s, edges) in b.edges.iter_mut().enumerate() {
        for e in edges {
            e.mark = marks[s].clone();
        }
    }
    b.merge_edges(bdds);
    Some(b)
}

/// The marks of each state: those of its edges inside its component, `free` if there are none. `None`
/// if these differ.
fn state_marks(a: &Automaton, free: &Mark) -> Option<Vec<Mark>> {
    let sccs = Sccs::new(a);
    (0u32..)
        .zip(&a.edges)
        .map(|(s, edges)| {
            let mut inside = edges.iter().filter(|e| sccs.internal(s, e));
            let first = inside
                .next()
                .map_or_else(|| free.clone(), |e| e.mark.clone());
            inside.all(|e| e.mark == first).then_some(first)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::degeneralize::{Kind, degeneralize};
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn the_language_and_state_acceptance_stay() {
        let mut r = Random::new(101);
        let mut bdds = Bdds::new();
        let (mut yes, mut before, mut after) = (0, 0, 0);
        for round in 0..800 {
            let sets = 1 + r.below(3) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(6), &[0, 1], sets);
            o.density = 0.3 + 0.4 * r.unit();
            o.mark_probability = 0.5;
            o.state_acceptance = round % 2 == 0;
            let mut a = o.generate(&mut r, &mut bdds);
            if round % 5 == 0 {
                a.initial.push((a.states() - 1) as u32);
                a.initial.dedup();
            }
            if !o.state_acceptance {
                a = degeneralize(&mut bdds, &a, Kind::StateBased).expect("is one");
            }
            let mut b = a.clone();
            reduce_state_based(&mut b, &mut bdds);
            assert!(b.has_state_acceptance());
            assert!(b.states() <= a.states());
            before += a.states();
            after += b.states();
            for _ in 0..8 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                assert_eq!(accepts(&bdds, &b, &w), truth, "{a:?} {b:?} {w:?}");
                yes += usize::from(truth);
            }
        }
        assert!(yes > 1000, "{yes}");
        assert!(10 * after < 9 * before, "{before} {after}");
    }

    #[test]
    fn other_automata_are_left_alone() {
        let mut r = Random::new(102);
        let mut bdds = Bdds::new();
        let a = RandomAutomaton::generalized_buchi(6, &[0], 2).generate(&mut r, &mut bdds);
        let mut b = a.clone();
        assert!(!a.has_state_acceptance());
        reduce_state_based(&mut b, &mut bdds);
        assert_eq!(a.edges, b.edges);
    }
}
