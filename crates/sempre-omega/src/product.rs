//! Synchronous products: both automata read the same word in step.
//!
//! [`product`] accepts the intersection, for any two acceptance conditions: the sets of the second automaton are
//! moved above those of the first, and the condition is the conjunction. [`product_or`] has the disjunction as its
//! condition and accepts the union, since both automata are completed first, so that every run is infinite in both;
//! it preserves determinism, which the [`sum`](crate::sum) does not.
//!
//! Only reachable pairs are constructed. Cost: at most the product of the numbers of edges.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::complete::complete;
use crate::pairs::Pairs;

/// A product, and which pair of states each of its states is.
#[derive(Clone, Debug)]
pub struct Product {
    /// The automaton.
    pub automaton: Automaton,
    /// The pair of states each state stands for.
    pub pairs: Vec<(u32, u32)>,
}

/// An automaton for the words that both accept.
pub fn product(bdds: &mut Bdds, a: &Automaton, b: &Automaton) -> Automaton {
    product_with_pairs(bdds, a, b).automaton
}

/// [`product`] with the origin of its states.
pub(crate) fn product_with_pairs(bdds: &mut Bdds, a: &Automaton, b: &Automaton) -> Product {
    let condition = Acceptance::and([a.acceptance.clone(), b.acceptance.shift(a.sets)]);
    synchronous(bdds, a, b, condition)
}

/// An automaton for the words that one of them accepts; deterministic if both are.
pub fn product_or(bdds: &mut Bdds, a: &Automaton, b: &Automaton) -> Automaton {
    let (mut a, mut b) = (a.clone(), b.clone());
    complete(bdds, &mut a);
    complete(bdds, &mut b);
    let condition = Acceptance::or([a.acceptance.clone(), b.acceptance.shift(a.sets)]);
    synchronous(bdds, &a, &b, condition).automaton
}

fn synchronous(bdds: &mut Bdds, a: &Automaton, b: &Automaton, acceptance: Acceptance) -> Product {
    let propositions = joint_propositions(&a.propositions, &b.propositions);
    let mut p = Automaton::new(propositions, a.sets + b.sets, acceptance);
    let mut pairs = Pairs::of(&a.initial, &b.initial);
    p.initial = pairs.numbers().collect();
    let mut at = 0;
    while let Some((s, t)) = pairs.get(at) {
        p.add_state();
        for e in &a.edges[s as usize] {
            for f in &b.edges[t as usize] {
                let label = bdds.and(e.label, f.label);
                if !label.is_false() {
                    let mark = e.mark.union(&f.mark.shift(a.sets));
                    p.add_edge(at, pairs.number((e.to, f.to)), label, mark);
                }
            }
        }
        at += 1;
    }
    Product {
        automaton: p,
        pairs: pairs.into_found(),
    }
}

/// The propositions of two automata, those of the first before those only the second has.
pub fn joint_propositions(first: &[u32], second: &[u32]) -> Vec<u32> {
    let mut all = first.to_vec();
    for &v in second {
        if !all.contains(&v) {
            all.push(v);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn products_accept_intersections_and_unions() {
        let mut r = Random::new(21);
        let mut bdds = Bdds::new();
        let mut counts = [0; 4];
        for round in 0..600 {
            let mut make = |r: &mut Random| {
                let sets = r.below(3) as u32;
                let mut o = RandomAutomaton::generalized_buchi(1 + r.below(4), &[0, 1], sets)
                    .with_random_acceptance(r);
                o.density = 0.5;
                o.deterministic = round % 3 == 0;
                let mut a = o.generate(r, &mut bdds);
                if round % 4 == 1 {
                    a.initial.push(r.below(o.states) as u32);
                    a.initial.dedup();
                }
                a
            };
            let (a, b) = (make(&mut r), make(&mut r));
            let both = product(&mut bdds, &a, &b);
            let either = product_or(&mut bdds, &a, &b);
            let deterministic = a.is_deterministic(&mut bdds) && b.is_deterministic(&mut bdds);
            if deterministic {
                assert!(both.is_deterministic(&mut bdds) && either.is_deterministic(&mut bdds));
            }
            assert!(both.states() <= a.states() * b.states());
            for _ in 0..10 {
                let w = random_word(&mut r, &[0, 1], 3, 3);
                let (x, y) = (accepts(&bdds, &a, &w), accepts(&bdds, &b, &w));
                assert_eq!(accepts(&bdds, &both, &w), x && y);
                assert_eq!(accepts(&bdds, &either, &w), x || y);
                counts[usize::from(x) * 2 + usize::from(y)] += 1;
            }
        }
        assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
    }
}
