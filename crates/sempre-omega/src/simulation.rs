//! Reduction by direct and reverse simulation, with signatures.
//!
//! State `t` simulates `s` if it can answer every edge of `s` with an edge that reads at least the
//! same letters, carries at least the same marks and leads to a state that simulates the other's
//! destination. States that simulate each other are merged, and an edge that another edge of the same
//! state answers is dropped. Reverse simulation is the same game played backwards from edges into a
//! state, with initial states answered by initial states.
//!
//! After Babiak, Badie, Duret-Lutz, Křetínský, Strejček, "Compositional approach to suspension and other
//! improvements to LTL translation" (SPIN 2013). The signature of a state is a Boolean function: the
//! disjunction over its edges of the label, a variable for each *missing* mark, and the variables of
//! all classes that simulate the destination. One state simulates another iff its signature is
//! implied; equal signatures are equal classes. Since all but the propositions occur positively, the
//! prime implicants of a signature are exactly the edges that no other edge answers.
//!
//! How ours differs: prime implicants are taken per class of letters with the same rest
//! ([`Bdds::split_propositions`]), which also makes the result as deterministic as the signatures
//! allow, without enumerating letters.
//!
//! Invariants: R1 classes and their order only get finer, so the loop ends; R2 the language is kept,
//! for acceptance without `Fin` (more marks are never worse).
//!
//! Cost: at most `n` rounds, each `n²` implications of signatures.

use crate::automaton::{Automaton, Edge};
use crate::bdd::{AUXILIARY, Bdd, Bdds};
use crate::mark::Mark;
use rustc_hash::FxHashMap;

/// Which game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// On outgoing edges: merges states with related futures.
    Direct,
    /// On incoming edges: merges states with related pasts.
    Reverse,
}

/// Classes of states, numbered, and for each class those that simulate it (itself included).
struct Order {
    class: Vec<u32>,
    /// For each class, the conjunction of the variables of the classes that simulate it.
    above: Vec<Bdd>,
    /// For each class, its signature.
    signature: Vec<Bdd>,
    /// A fingerprint of the order, to see that nothing changed.
    pairs: usize,
}

/// Merges and prunes by simulation; the acceptance condition must not use `Fin` (R2).
///
/// Returns true if the automaton has changed in size.
pub fn reduce(a: &mut Automaton, bdds: &mut Bdds, direction: Direction) -> bool {
    debug_assert!(!a.acceptance.uses_fin(), "R2");
    let before = (a.states(), a.edge_count());
    let view = match direction {
        Direction::Direct => None,
        Direction::Reverse => Some(reversed(a)),
    };
    let edges = view.as_deref().unwrap_or(&a.edges);
    let initial = (direction == Direction::Reverse).then_some(&a.initial[..]);
    let order = refine(a.sets, edges, initial, bdds);
    let new = quotient(a.sets, &order, bdds);
    let count = order.above.len();
    let mut result = Automaton {
        edges: new,
        initial: Vec::new(),
        state_names: Vec::new(),
        ..a.clone()
    };
    for &s in &a.initial {
        let c = order.class[s as usize];
        if !result.initial.contains(&c) {
            result.initial.push(c);
        }
    }
    if direction == Direction::Reverse {
        result.edges = reversed(&result);
    } else if result.initial.len() > 1 {
        drop_dominated_initial(&mut result, &order, bdds);
    }
    debug_assert_eq!(result.states(), count);
    result.merge_edges(bdds);
    result.trim_unreachable();
    *a = result;
    before != (a.states(), a.edge_count())
}

/// Direct and reverse reductions until neither helps.
pub fn reduce_to_fixpoint(a: &mut Automaton, bdds: &mut Bdds) {
    reduce(a, bdds, Direction::Direct);
    loop {
        let back = reduce(a, bdds, Direction::Reverse);
        if !back {
            return;
        }
        if !reduce(a, bdds, Direction::Direct) {
            return;
        }
    }
}

/// An initial state that another one simulates adds nothing.
fn drop_dominated_initial(a: &mut Automaton, order: &Order, bdds: &mut Bdds) {
    let all = a.initial.clone();
    a.initial.retain(|&c| {
        !all.iter().any(|&d| {
            d != c && bdds.implies(order.signature[c as usize], order.signature[d as usize])
        })
    });
}

fn reversed(a: &Automaton) -> Vec<Vec<Edge>> {
    let mut back: Vec<Vec<Edge>> = vec![Vec::new(); a.states()];
    for (s, edges) in a.edges.iter().enumerate() {
        for e in edges {
            back[e.to as usize].push(Edge {
                to: s as u32,
                label: e.label,
                mark: e.mark.clone(),
            });
        }
    }
    back
}

/// The variables: one for each set (present where the mark is missing), one for "initial", then one
/// for each class.
fn class_variable(sets: u32, class: u32) -> u32 {
    AUXILIARY + sets + 1 + class
}

fn refine(sets: u32, edges: &[Vec<Edge>], initial: Option<&[u32]>, bdds: &mut Bdds) -> Order {
    let n = edges.len();
    let start = bdds.variable(AUXILIARY + sets);
    // Label and missing marks never change: compute them once.
    let mut missing: FxHashMap<&Mark, Bdd> = FxHashMap::default();
    let fixed: Vec<Vec<(Bdd, u32)>> = edges
        .iter()
        .map(|list| {
            list.iter()
                .map(|e| {
                    let cube = *missing.entry(&e.mark).or_insert_with(|| {
                        let literals: Vec<_> = (0..sets)
                            .filter(|&m| !e.mark.contains(m))
                            .map(|m| (AUXILIARY + m, true))
                            .collect();
                        bdds.cube(&literals)
                    });
                    (bdds.and(e.label, cube), e.to)
                })
                .collect()
        })
        .collect();

    let mut order = Order {
        class: vec![0; n],
        above: vec![Bdd::TRUE],
        signature: Vec::new(),
        pairs: 0,
    };
    loop {
        let mut number: FxHashMap<Bdd, u32> = FxHashMap::default();
        let mut signature: Vec<Bdd> = Vec::new();
        let mut class = Vec::with_capacity(n);
        for (s, list) in fixed.iter().enumerate() {
            let mut sig = match initial {
                Some(states) if states.contains(&(s as u32)) => start,
                _ => Bdd::FALSE,
            };
            for &(head, to) in list {
                let part = bdds.and(head, order.above[order.class[to as usize] as usize]);
                sig = bdds.or(sig, part);
            }
            class.push(*number.entry(sig).or_insert_with(|| {
                signature.push(sig);
                signature.len() as u32 - 1
            }));
        }
        let count = signature.len();
        let mut above = Vec::with_capacity(count);
        let mut pairs = 0;
        for i in 0..count {
            let literals: Vec<_> = (0..count)
                .filter(|&j| i == j || bdds.implies(signature[i], signature[j]))
                .map(|j| (class_variable(sets, j as u32), true))
                .collect();
            pairs += literals.len();
            above.push(bdds.cube(&literals));
        }
        let stable = count == order.above.len() && pairs == order.pairs;
        debug_assert!(
            count >= order.above.len() || order.signature.is_empty(),
            "R1"
        );
        order = Order {
            class,
            above,
            signature,
            pairs,
        };
        if stable {
            return order;
        }
    }
}

/// The edges of each class, from the prime implicants of its signature.
///
/// The signatures of the last round speak of the classes of the round before; as nothing changed in
/// between, these are the same sets in the same order.
fn quotient(sets: u32, order: &Order, bdds: &mut Bdds) -> Vec<Vec<Edge>> {
    let by_cube: FxHashMap<Bdd, u32> = order
        .above
        .iter()
        .enumerate()
        .map(|(c, &cube)| (cube, c as u32))
        .collect();
    let all = Mark::all(sets);
    let mut cubes = Vec::new();
    order
        .signature
        .iter()
        .map(|&signature| {
            let mut edges = Vec::new();
            for (label, rest) in bdds.split_propositions(signature) {
                cubes.clear();
                bdds.sum_of_products(rest, |literals| cubes.push(literals.to_vec()));
                for literals in &cubes {
                    let at = literals.partition_point(|&(v, _)| v <= AUXILIARY + sets);
                    let (marks, classes) = literals.split_at(at);
                    // The cube of the initial marker alone is not an edge.
                    if classes.is_empty() {
                        continue;
                    }
                    let missing: Mark = marks.iter().map(|&(v, _)| v - AUXILIARY).collect();
                    let cube = bdds.cube(classes);
                    let to = by_cube[&cube];
                    edges.push(Edge {
                        to,
                        label,
                        mark: all.minus(&missing),
                    });
                }
            }
            edges
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::Acceptance;
    use crate::inclusion::equivalent;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    const BOTH: [Direction; 2] = [Direction::Direct, Direction::Reverse];

    fn draw(r: &mut Random, bdds: &mut Bdds, most: usize) -> Automaton {
        let sets = r.below(3) as u32;
        let mut o = RandomAutomaton::generalized_buchi(1 + r.below(most), &[0, 1], sets);
        o.density = 0.2 + 0.3 * r.unit();
        o.mark_probability = 0.5;
        let mut a = o.generate(r, bdds);
        if r.chance(0.3) {
            a.initial.push(r.below(a.states()) as u32);
            a.initial.dedup();
        }
        if r.chance(0.5) {
            // Few different labels: more edges answer each other.
            let p = bdds.variable(0);
            for e in a.edges.iter_mut().flatten() {
                e.label = if r.chance(0.5) { p } else { Bdd::TRUE };
            }
        }
        a
    }

    /// Every state of `a` several times; an edge to a state goes to one of its copies.
    fn with_copies(r: &mut Random, a: &Automaton, copies: usize) -> Automaton {
        let n = a.states();
        let mut b = Automaton::new(a.propositions.clone(), a.sets, a.acceptance.clone());
        for _ in 0..n * copies {
            b.add_state();
        }
        for (s, edges) in a.edges.iter().enumerate() {
            for copy in 0..copies {
                for e in edges {
                    let to = e.to as usize + n * r.below(copies);
                    let from = (s + n * copy) as u32;
                    b.add_edge(from, to as u32, e.label, e.mark.clone());
                }
            }
        }
        b.initial = a.initial.clone();
        b
    }

    #[test]
    fn the_language_stays_and_nothing_grows() {
        let mut r = Random::new(1);
        let mut bdds = Bdds::new();
        let (mut yes, mut merged) = (0, [0; 2]);
        for _ in 0..600 {
            let a = draw(&mut r, &mut bdds, 7);
            let mut both = a.clone();
            reduce_to_fixpoint(&mut both, &mut bdds);
            let mut reduced = vec![both];
            for (i, direction) in BOTH.into_iter().enumerate() {
                let mut b = a.clone();
                reduce(&mut b, &mut bdds, direction);
                merged[i] += usize::from(b.states() < a.states());
                // A reduced automaton has nothing left to reduce.
                let size = (b.states(), b.edge_count());
                let mut c = b.clone();
                assert!(!reduce(&mut c, &mut bdds, direction), "{a:?}\n{b:?}\n{c:?}");
                assert_eq!((c.states(), c.edge_count()), size);
                reduced.push(b);
            }
            for b in &reduced {
                assert!(b.states() <= a.states());
                assert!(reduced[0].states() <= b.states());
            }
            for _ in 0..10 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                yes += usize::from(truth);
                for b in &reduced {
                    assert_eq!(accepts(&bdds, b, &w), truth, "{a:?}\n{b:?}\n{w:?}");
                }
            }
        }
        assert!(
            yes > 1000 && merged.iter().all(|&n| n > 20),
            "{yes} {merged:?}"
        );
    }

    #[test]
    fn small_automata_keep_exactly_their_language() {
        let mut r = Random::new(2);
        let mut bdds = Bdds::new();
        let mut compared = 0;
        for _ in 0..300 {
            let a = draw(&mut r, &mut bdds, 4);
            for direction in BOTH {
                let mut b = a.clone();
                reduce(&mut b, &mut bdds, direction);
                match equivalent(&mut bdds, &a, &b, 500) {
                    Ok(same) => assert!(same, "{a:?}\n{b:?}"),
                    Err(_) => continue,
                }
                compared += 1;
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn copies_merge() {
        let mut r = Random::new(3);
        let mut bdds = Bdds::new();
        for _ in 0..200 {
            let mut a = draw(&mut r, &mut bdds, 5);
            let mut b = with_copies(&mut r, &a, 3);
            reduce(&mut a, &mut bdds, Direction::Direct);
            reduce(&mut b, &mut bdds, Direction::Direct);
            assert_eq!(
                (a.states(), a.edge_count(), a.initial.len()),
                (b.states(), b.edge_count(), b.initial.len()),
                "{a:?}\n{b:?}"
            );
        }
    }

    /// An edge goes if another one reads as much, has its marks, and leads as far.
    #[test]
    fn edges_that_others_answer_disappear() {
        let mut bdds = Bdds::new();
        let (p, q) = (bdds.variable(0), bdds.variable(1));
        let pq = bdds.and(p, q);
        let mut a = Automaton::new(vec![0, 1], 1, Acceptance::buchi());
        for _ in 0..3 {
            a.add_state();
        }
        a.initial.push(0);
        // State 1 waits for p for ever; state 2 does with less.
        a.add_edge(1, 1, p, Mark::single(0));
        a.add_edge(2, 2, pq, Mark::single(0));
        a.add_edge(0, 1, p, Mark::EMPTY);
        let needed = a.clone();
        a.add_edge(0, 2, p, Mark::EMPTY);
        a.add_edge(0, 1, pq, Mark::EMPTY);
        a.add_edge(0, 2, pq, Mark::EMPTY);
        assert!(reduce(&mut a, &mut bdds, Direction::Direct));
        assert_eq!(a.states(), 2);
        assert_eq!(a.edge_count(), 2);
        assert!(equivalent(&mut bdds, &a, &needed, 100).expect("small"));
        // A mark makes a difference.
        let mut b = needed.clone();
        b.add_edge(0, 2, p, Mark::single(0));
        reduce(&mut b, &mut bdds, Direction::Direct);
        assert_eq!((b.states(), b.edge_count()), (3, 4));
        // Of two initial states, the one that accepts less goes.
        let mut c = needed;
        c.initial = vec![2, 1];
        reduce(&mut c, &mut bdds, Direction::Direct);
        assert_eq!((c.states(), c.initial.len()), (1, 1));
        assert_eq!(c.edges[0][0].label, p);
    }

    /// Two ways into the same future, one of which is possible whenever the other is.
    #[test]
    fn related_pasts_merge() {
        let mut bdds = Bdds::new();
        let (p, q) = (bdds.variable(0), bdds.variable(1));
        let not_q = bdds.not(q);
        let mut a = Automaton::new(vec![0, 1], 1, Acceptance::buchi());
        for _ in 0..3 {
            a.add_state();
        }
        a.initial.push(0);
        a.add_edge(0, 1, p, Mark::EMPTY);
        a.add_edge(0, 2, p, Mark::EMPTY);
        a.add_edge(1, 0, q, Mark::single(0));
        a.add_edge(2, 0, not_q, Mark::EMPTY);
        let before = a.clone();
        reduce(&mut a, &mut bdds, Direction::Direct);
        assert_eq!(a.states(), 3);
        reduce(&mut a, &mut bdds, Direction::Reverse);
        assert_eq!(a.states(), 2);
        assert!(equivalent(&mut bdds, &a, &before, 100).expect("small"));
    }
}
