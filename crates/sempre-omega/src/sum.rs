//! Sums: the disjoint union of two automata, which accepts the union of their languages.
//!
//! A run stays in one part. Conditions that agree (or are both generalised Büchi, where the part with fewer sets is
//! always in the others) are shared. Otherwise the condition is the disjunction over disjoint sets, and every edge of
//! one part carries, among the sets of the other, marks that the other's condition rejects: a `Fin` of the other part
//! must not hold vacuously.

use crate::acceptance::Acceptance;
use crate::acceptance_dnf::satisfying_marks;
use crate::automaton::{Automaton, Edge};
use crate::bdd::Bdds;
use crate::mark::Mark;
use crate::product::joint_propositions;

/// An automaton for the words that one of them accepts, with the initial states of both; the states of `b` follow
/// those of `a`.
pub fn sum(a: &Automaton, b: &Automaton) -> Automaton {
    let propositions = joint_propositions(&a.propositions, &b.propositions);
    let mut s = Automaton::new(propositions, 0, Acceptance::True);
    let (pad_a, pad_b, shift) = combine(a, b, &mut s);
    let offset = a.states() as u32;
    s.initial.extend(&a.initial);
    s.initial.extend(b.initial.iter().map(|i| i + offset));
    for edges in &a.edges {
        let edges = edges.iter().map(|e| Edge {
            mark: e.mark.union(&pad_a),
            ..e.clone()
        });
        s.edges.push(edges.collect());
    }
    for edges in &b.edges {
        let edges = edges.iter().map(|e| Edge {
            to: e.to + offset,
            mark: e.mark.shift(shift).union(&pad_b),
            label: e.label,
        });
        s.edges.push(edges.collect());
    }
    // A part that accepts nothing must not start to.
    if unsatisfiable(a) {
        s.initial.drain(..a.initial.len());
    }
    if unsatisfiable(b) {
        s.initial.truncate(s.initial.len() - b.initial.len());
    }
    s
}

/// The same with a single initial state.
pub fn sum_with_single_initial(bdds: &mut Bdds, a: &Automaton, b: &Automaton) -> Automaton {
    let mut s = sum(a, b);
    single_initial(bdds, &mut s);
    s
}

/// If there are several initial states, adds one that has the edges of all of them and starts there;
/// if there is none, adds one without edges.
pub fn single_initial(bdds: &mut Bdds, a: &mut Automaton) {
    if a.initial.len() == 1 {
        return;
    }
    let start = a.add_state();
    // No run returns to it, so its marks are arbitrary: none, the same on all edges.
    let edges: Vec<Edge> = a
        .initial
        .iter()
        .flat_map(|&s| a.edges[s as usize].iter())
        .map(|e| Edge {
            mark: Mark::EMPTY,
            ..e.clone()
        })
        .collect();
    let mut merged = Automaton::new(Vec::new(), 0, Acceptance::True);
    merged.edges.push(edges);
    merged.merge_edges(bdds);
    a.edges[start as usize] = merged.edges.pop().unwrap_or_default();
    a.initial = vec![start];
}

fn unsatisfiable(a: &Automaton) -> bool {
    satisfying_marks(&a.acceptance).is_none()
}

/// Sets the condition of the sum; returns the marks to add to the edges of each part, and by how much
/// the sets of the second part move.
fn combine(a: &Automaton, b: &Automaton, s: &mut Automaton) -> (Mark, Mark, u32) {
    if unsatisfiable(a) || unsatisfiable(b) {
        s.sets = a.sets + b.sets;
        s.acceptance = if unsatisfiable(a) {
            b.acceptance.shift(a.sets)
        } else {
            a.acceptance.clone()
        };
        return (Mark::EMPTY, Mark::EMPTY, a.sets);
    }
    if a.acceptance == b.acceptance {
        s.sets = a.sets.max(b.sets);
        s.acceptance = a.acceptance.clone();
        return (Mark::EMPTY, Mark::EMPTY, 0);
    }
    if let (Some(x), Some(y)) = (
        a.acceptance.as_generalized_buchi(),
        b.acceptance.as_generalized_buchi(),
    ) {
        s.sets = a.sets.max(b.sets);
        s.acceptance = Acceptance::and(x.union(&y).iter().map(Acceptance::Inf));
        return (y.minus(&x), x.minus(&y), 0);
    }
    let reject_a = satisfying_marks(&a.acceptance.complement());
    let reject_b = satisfying_marks(&b.acceptance.complement());
    let accept_a = satisfying_marks(&a.acceptance);
    let accept_b = satisfying_marks(&b.acceptance);
    match (reject_a, reject_b) {
        (Some(reject_a), Some(reject_b)) => {
            s.sets = a.sets + b.sets;
            s.acceptance = Acceptance::or([a.acceptance.clone(), b.acceptance.shift(a.sets)]);
            (reject_b.shift(a.sets), reject_a, a.sets)
        }
        // One accepts always: it wears marks that satisfy the other, above its own, which then are
        // of no concern.
        (None, _) => {
            s.sets = a.sets + b.sets;
            s.acceptance = b.acceptance.shift(a.sets);
            (
                accept_b.unwrap_or_default().shift(a.sets),
                Mark::EMPTY,
                a.sets,
            )
        }
        (_, None) => {
            s.sets = a.sets + b.sets;
            s.acceptance = a.acceptance.clone();
            (Mark::EMPTY, accept_a.unwrap_or_default(), a.sets)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn sums_accept_unions() {
        let mut r = Random::new(31);
        let mut bdds = Bdds::new();
        let mut counts = [0; 4];
        for round in 0..1000 {
            let mut make = |r: &mut Random| {
                let sets = r.below(4) as u32;
                let mut o = RandomAutomaton::generalized_buchi(1 + r.below(4), &[0, 1], sets);
                o.density = 0.5;
                if round % 3 > 0 {
                    o = o.with_random_acceptance(r);
                }
                match r.below(12) {
                    0 => o.acceptance = Acceptance::False,
                    1 => o.acceptance = Acceptance::True,
                    2 if sets > 0 => {
                        o.acceptance = Acceptance::or([Acceptance::Inf(0), Acceptance::Fin(0)]);
                    }
                    3 if sets > 0 => {
                        o.acceptance = Acceptance::and([Acceptance::Inf(0), Acceptance::Fin(0)]);
                    }
                    _ => {}
                }
                o.generate(r, &mut bdds)
            };
            let (a, b) = (make(&mut r), make(&mut r));
            let s = sum(&a, &b);
            let single = sum_with_single_initial(&mut bdds, &a, &b);
            assert_eq!(single.initial.len(), 1);
            assert!(single.states() <= a.states() + b.states() + 1);
            for _ in 0..8 {
                let w = random_word(&mut r, &[0, 1], 3, 3);
                let (x, y) = (accepts(&bdds, &a, &w), accepts(&bdds, &b, &w));
                assert_eq!(
                    accepts(&bdds, &s, &w),
                    x || y,
                    "{} {}",
                    a.acceptance,
                    b.acceptance
                );
                assert_eq!(accepts(&bdds, &single, &w), x || y);
                counts[usize::from(x) * 2 + usize::from(y)] += 1;
            }
        }
        assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
    }

    #[test]
    fn generalized_buchi_conditions_are_shared() {
        let mut r = Random::new(1);
        let mut bdds = Bdds::new();
        let a = RandomAutomaton::generalized_buchi(2, &[0], 1).generate(&mut r, &mut bdds);
        let b = RandomAutomaton::generalized_buchi(2, &[0], 3).generate(&mut r, &mut bdds);
        assert_eq!(sum(&a, &b).acceptance, Acceptance::generalized_buchi(3));
    }
}
