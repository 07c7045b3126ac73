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
