//! Minimal deterministic weak automata of obligations.
//!
//! A language is an obligation (a Boolean combination of safety languages) iff a deterministic weak automaton
//! recognises it, and then there is a unique minimal one. After Dax, Eisinger, Klaedtke, "Mechanizing the powerset
//! construction for restricted classes of ω-automata" (ATVA 2007), and Löding, "Efficient minimization of
//! deterministic weak ω-automata" (IPL 2001):
//!
//! 1. the subset construction of the automaton, ignoring acceptance;
//! 2. each component of it is accepting iff the original automaton accepts the word of one of its cycles (all cycles
//!    of a component agree if the language is an obligation);
//! 3. states on no cycle get the colour of their successors (Löding), which makes the classical minimisation of
//!    automata on finite words correct and canonical;
//! 4. if the language is not known to be an obligation, the result is compared with the original: [`minimize`] alone
//!    guarantees nothing then.
//!
//! Differences: successors of a subset are found for classes of letters, as the supports of one decision diagram, not
//! letter by letter.
//!
//! Cost: exponential in the states (subsets); `limit` bounds it.

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Edge};
use crate::bdd::{AUXILIARY, Bdd, Bdds};
use crate::mark::Mark;
use crate::scc::Sccs;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The minimal deterministic weak automaton of `a`'s language, if that is an obligation; otherwise
/// an automaton of some other language. `None` if there are more than `limit` subsets.
///
/// The result has Büchi acceptance on states (all edges that leave a state agree), no state from which
/// nothing is accepted, and is deterministic but not complete.
pub fn minimize(a: &Automaton, bdds: &mut Bdds, limit: usize) -> Option<Automaton> {
    let (d, subsets) = powerset(a, bdds, limit)?;
    let sccs = Sccs::new(&d);
    let accepting: Vec<bool> = (0..sccs.len())
        .map(|c| !sccs.is_trivial(&d, c) && cycle_is_accepted(a, &d, &sccs, c, &subsets, bdds))
        .collect();
    let covered: Vec<Bdd> = d
        .edges
        .iter()
        .map(|edges| edges.iter().fold(Bdd::FALSE, |f, e| bdds.or(f, e.label)))
        .collect();
    let even = colours(&d, &sccs, &accepting, &covered);
    Some(quotient(&d, &even, &covered, bdds))
}

/// The most nodes of decision diagrams and the most edges for one subset construction: with many propositions a few
/// states may distinguish astronomically many letters.
const MAX_NODES: usize = 1 << 18;

/// The subset construction, and the set of each state; state 0 is the set of initial states, and the
/// empty set is not a state. `None` if there are more than `limit`, or labels are too
/// large; never with `usize::MAX` for the limit.
pub fn powerset(
    a: &Automaton,
    bdds: &mut Bdds,
    limit: usize,
) -> Option<(Automaton, Vec<Vec<u32>>)> {
    let budget = if limit == usize::MAX {
        usize::MAX
    } else {
        MAX_NODES
    };
    bdds.within(budget, |bdds| bounded_powerset(a, bdds, limit, budget))?
}

/// [`powerset`] with at most this many edges, within the bound of the diagrams.
fn bounded_powerset(
    a: &Automaton,
    bdds: &mut Bdds,
    limit: usize,
    most_edges: usize,
) -> Option<(Automaton, Vec<Vec<u32>>)> {
    // The successors of each state as one function: `label & destination` over all edges.
    let functions: Vec<Bdd> = a
        .edges
        .iter()
        .map(|edges| {
            edges.iter().fold(Bdd::FALSE, |f, e| {
                let to = bdds.variable(AUXILIARY + e.to);
                let part = bdds.and(e.label, to);
                bdds.or(f, part)
            })
        })
        .collect();
    let mut edges = 0;
    let mut d = Automaton::new(a.propositions.clone(), 1, Acceptance::buchi());
    let mut first = a.initial.clone();
    first.sort_unstable();
    let mut number: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let mut subsets = vec![first.clone()];
    number.insert(first, d.add_state());
    d.initial.push(0);
    let mut at = 0;
    while at < subsets.len() {
        let f = (subsets[at].iter()).fold(Bdd::FALSE, |f, &s| bdds.or(f, functions[s as usize]));
        let parts = bdds.split_propositions(f);
        if subsets.len() > limit || edges > most_edges || bdds.is_full() {
            return None;
        }
        for (label, rest) in parts {
            let to: Vec<u32> = bdds
                .support(rest)
                .into_iter()
                .map(|v| v - AUXILIARY)
                .collect();
            let next = *number.entry(to).or_insert_with_key(|to| {
                subsets.push(to.clone());
                d.add_state()
            });
            d.add_edge(at as u32, next, label, Mark::EMPTY);
            edges += 1;
        }
        at += 1;
    }
    Some((d, subsets))
}

/// Does `a` accept the word of one cycle of the component, from the subset at which it starts?
fn cycle_is_accepted(
    a: &Automaton,
    d: &Automaton,
    sccs: &Sccs,
    scc: usize,
    subsets: &[Vec<u32>],
    bdds: &mut Bdds,
) -> bool {
    let word = short_cycle(d, sccs, scc);
    let start = word[0].0;
    let letters: Vec<Bdd> = word
        .iter()
        .map(|&(_, label)| {
            let literals = bdds.pick(label).expect("labels are not false");
            bdds.cube(&literals)
        })
        .collect();
    // The product of the cycle with `a`: state (q, i) is q * length + i.
    let n = letters.len() as u32;
    let mut p = Automaton::new(Vec::new(), a.sets, a.acceptance.clone());
    let mut number: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut todo = Vec::new();
    for &q in &subsets[start as usize] {
        let s = p.add_state();
        number.insert((q, 0), s);
        p.initial.push(s);
        todo.push((q, 0, s));
    }
    while let Some((q, i, s)) = todo.pop() {
        let next = (i + 1) % n;
        for e in &a.edges[q as usize] {
            // The letter is a cube that decides the labels of d, hence some labels of a only partly: a letter that
            // satisfies it is chosen once, with negative literals for the open propositions.
            if !reads(bdds, e.label, letters[i as usize]) {
                continue;
            }
            let t = *number.entry((e.to, next)).or_insert_with(|| {
                let t = p.add_state();
                todo.push((e.to, next, t));
                t
            });
            p.add_edge(s, t, Bdd::TRUE, e.mark.clone());
        }
    }
    !crate::emptiness::is_empty(&p)
}

/// Does the label hold for the letter of a cube, propositions that the cube leaves open being false?
fn reads(bdds: &Bdds, label: Bdd, cube: Bdd) -> bool {
    let mut cube = cube;
    bdds.eval(label, |v| {
        while bdds.var(cube) < v {
            cube = if bdds.low(cube).is_false() {
                bdds.high(cube)
            } else {
                bdds.low(cube)
            };
        }
        bdds.var(cube) == v && bdds.low(cube).is_false()
    })
}

/// The states and labels of a shortest cycle through some state of a component.
fn short_cycle(d: &Automaton, sccs: &Sccs, scc: usize) -> Vec<(u32, Bdd)> {
    let root = sccs.states[scc][0];
    let mut from: FxHashMap<u32, (u32, Bdd)> = FxHashMap::default();
    let mut queue = VecDeque::from([root]);
    while let Some(s) = queue.pop_front() {
        for e in d.edges[s as usize].iter().filter(|e| sccs.internal(s, e)) {
            if e.to == root {
                let mut cycle = vec![(s, e.label)];
                let mut at = s;
                while at != root {
                    let (before, label) = from[&at];
                    cycle.push((before, label));
                    at = before;
                }
                cycle.reverse();
                return cycle;
            }
            from.entry(e.to).or_insert_with(|| {
                queue.push_back(e.to);
                (s, e.label)
            });
        }
    }
    unreachable!("the component is not trivial")
}

/// For each state: does Löding's colouring give it an even colour, so that it may be called accepting?
fn colours(d: &Automaton, sccs: &Sccs, accepting: &[bool], covered: &[Bdd]) -> Vec<bool> {
    // Even, and with room for every component to step down.
    let top = 2 * sccs.len() as i64 + 2;
    let mut colour: Vec<i64> = Vec::with_capacity(sccs.len());
    for (c, &accepts) in accepting.iter().enumerate() {
        // The missing edges lead to the empty set, which rejects for ever: the highest odd colour.
        let sink = sccs.states[c]
            .iter()
            .any(|&s| !covered[s as usize].is_true())
            .then_some(top - 1);
        let below = sccs.states[c]
            .iter()
            .flat_map(|&s| &d.edges[s as usize])
            .filter(|e| sccs.of[e.to as usize] != c as u32)
            .map(|e| colour[sccs.of[e.to as usize] as usize])
            .chain(sink)
            .min()
            .unwrap_or(top);
        colour.push(if sccs.is_trivial(d, c) {
            below
        } else if accepts {
            below - below % 2
        } else {
            below - (below + 1) % 2
        });
    }
    (0..d.states())
        .map(|s| colour[sccs.of[s] as usize] % 2 == 0)
        .collect()
}

/// Merges equivalent states of a deterministic automaton on finite words (Moore's refinement with
/// signatures), drops the states from which no final state is reached, and marks the others.
fn quotient(d: &Automaton, even: &[bool], covered: &[Bdd], bdds: &mut Bdds) -> Automaton {
    let n = d.states();
    // The missing edges lead to a sink, which is class 0 while no other state is like it.
    const SINK: u32 = 0;
    let mut class: Vec<u32> = even.iter().map(|&e| u32::from(e)).collect();
    let mut count = 0;
    let mut signatures: Vec<(bool, Bdd)>;
    loop {
        let mut number: FxHashMap<(bool, Bdd), u32> = FxHashMap::default();
        // The sink: rejecting, all letters to itself.
        let own = bdds.variable(AUXILIARY + SINK);
        number.insert((false, own), SINK);
        signatures = vec![(false, own)];
        let mut next = Vec::with_capacity(n);
        for s in 0..n {
            let rest = bdds.not(covered[s]);
            let mut sig = bdds.and(rest, own);
            for e in &d.edges[s] {
                sempre_base::checkpoint();
                let to = bdds.variable(AUXILIARY + class[e.to as usize]);
                let part = bdds.and(e.label, to);
                sig = bdds.or(sig, part);
            }
            next.push(*number.entry((even[s], sig)).or_insert_with(|| {
                signatures.push((even[s], sig));
                signatures.len() as u32 - 1
            }));
        }
        class = next;
        if signatures.len() == count {
            break;
        }
        count = signatures.len();
    }
    let mut m = Automaton::new(d.propositions.clone(), 1, Acceptance::buchi());
    m.edges = vec![Vec::new(); count];
    m.initial = vec![class[0]];
    for (c, &(accepting, signature)) in signatures.iter().enumerate().skip(1) {
        let mark = if accepting {
            Mark::single(0)
        } else {
            Mark::EMPTY
        };
        for (label, rest) in bdds.split_propositions(signature) {
            let to = bdds.var(rest) - AUXILIARY;
            if to != SINK {
                m.edges[c].push(Edge {
                    to,
                    label,
                    mark: mark.clone(),
                });
            }
        }
    }
    m.trim_unreachable();
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emptiness::is_empty;
    use crate::inclusion::equivalent;
    use crate::isomorphism::isomorphic;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    /// A deterministic automaton whose components accept or reject as a whole.
    fn weak(r: &mut Random, bdds: &mut Bdds) -> Automaton {
        let mut o = RandomAutomaton::generalized_buchi(1 + r.below(7), &[0, 1], 1);
        o.density = 0.1 + 0.25 * r.unit();
        o.deterministic = true;
        o.complete = r.chance(0.5);
        let mut a = o.generate(r, bdds);
        a.trim_unreachable();
        let sccs = Sccs::new(&a);
        let chosen: Vec<bool> = (0..sccs.len()).map(|_| r.chance(0.5)).collect();
        for (s, edges) in a.edges.iter_mut().enumerate() {
            for e in edges {
                let inside = sccs.of[s] == sccs.of[e.to as usize];
                // Marks between components have no influence.
                let marked = if inside {
                    chosen[sccs.of[s] as usize]
                } else {
                    r.chance(0.5)
                };
                e.mark = if marked { Mark::single(0) } else { Mark::EMPTY };
            }
        }
        a
    }

    /// The same language, nondeterministically: every edge goes to both copies of its destination.
    fn doubled(a: &Automaton) -> Automaton {
        let mut b = a.clone();
        let n = a.states() as u32;
        for edges in &mut b.edges {
            let copies: Vec<Edge> = edges
                .iter()
                .map(|e| Edge {
                    to: e.to + n,
                    ..e.clone()
                })
                .collect();
            edges.extend(copies);
        }
        b.edges.extend(b.edges.clone());
        b
    }

    /// The number of different languages, the empty one aside, that states of `a` accept.
    fn residuals(a: &Automaton, bdds: &mut Bdds) -> usize {
        let from = |s: u32| Automaton {
            initial: vec![s],
            ..a.clone()
        };
        let mut different: Vec<Automaton> = Vec::new();
        for s in 0..a.states() as u32 {
            let b = from(s);
            if is_empty(&b) {
                continue;
            }
            let known = different
                .iter()
                .any(|d| equivalent(bdds, d, &b, 1000).expect("deterministic"));
            if !known {
                different.push(b);
            }
        }
        different.len()
    }

    #[test]
    fn as_many_states_as_languages_of_states() {
        let mut r = Random::new(1);
        let mut bdds = Bdds::new();
        let (mut yes, mut smaller) = (0, 0);
        for _ in 0..500 {
            let a = weak(&mut r, &mut bdds);
            let m =
                minimize(&a, &mut bdds, 100).expect("deterministic: no more subsets than states");
            assert!(m.is_deterministic(&mut bdds) && m.has_state_acceptance());
            assert!(
                equivalent(&mut bdds, &a, &m, 1000).expect("deterministic"),
                "{a:?}\n{m:?}"
            );
            assert_eq!(m.states(), residuals(&a, &mut bdds).max(1), "{a:?}\n{m:?}");
            let sccs = Sccs::new(&m);
            assert!((0..sccs.len()).all(|c| sccs.is_weak(&m, c)));
            for s in 0..m.states() as u32 {
                let from = Automaton {
                    initial: vec![s],
                    ..m.clone()
                };
                assert!(m.states() == 1 || !is_empty(&from));
            }
            smaller += usize::from(m.states() < a.states());
            // There is one minimal automaton, however the language is given.
            for b in [m.clone(), doubled(&a)] {
                let n = minimize(&b, &mut bdds, 1000).expect("few subsets");
                assert!(isomorphic(&mut bdds, &n, &m), "{a:?}\n{m:?}\n{n:?}");
            }
            for _ in 0..5 {
                let w = random_word(&mut r, &[0, 1], 3, 3);
                let truth = accepts(&bdds, &a, &w);
                assert_eq!(accepts(&bdds, &m, &w), truth);
                yes += usize::from(truth);
            }
        }
        assert!(yes > 500 && smaller > 100, "{yes} {smaller}");
    }

    /// Unions of weak languages, made without determinism, are obligations too.
    #[test]
    fn unions_and_intersections() {
        let mut r = Random::new(2);
        let mut bdds = Bdds::new();
        for _ in 0..150 {
            let (a, b) = (weak(&mut r, &mut bdds), weak(&mut r, &mut bdds));
            let either = crate::sum::sum(&a, &b);
            let deterministic = crate::product::product_or(&mut bdds, &a, &b);
            let m = minimize(&either, &mut bdds, 5000).expect("few subsets");
            assert!(equivalent(&mut bdds, &deterministic, &m, 5000).expect("deterministic"));
            assert_eq!(m.states(), residuals(&deterministic, &mut bdds).max(1));
            let both = crate::product::product(&mut bdds, &a, &b);
            let m = minimize(&both, &mut bdds, 5000).expect("few subsets");
            assert!(equivalent(&mut bdds, &both, &m, 5000).expect("deterministic"));
            assert_eq!(m.states(), residuals(&both, &mut bdds).max(1));
        }
    }

    #[test]
    fn the_limit_is_kept_and_nothing_is_empty() {
        let mut bdds = Bdds::new();
        let none = Automaton::new(vec![0], 1, Acceptance::buchi());
        let m = minimize(&none, &mut bdds, 10).expect("one subset");
        assert!(m.states() == 1 && m.edge_count() == 0);
        // The n-th letter from some point on: all subsets are reached.
        let p = bdds.variable(0);
        let mut a = Automaton::new(vec![0], 1, Acceptance::buchi());
        for _ in 0..10 {
            a.add_state();
        }
        a.initial.push(0);
        a.add_edge(0, 0, Bdd::TRUE, Mark::EMPTY);
        a.add_edge(0, 1, p, Mark::EMPTY);
        for s in 1..9 {
            a.add_edge(s, s + 1, Bdd::TRUE, Mark::EMPTY);
        }
        a.add_edge(9, 9, p, Mark::single(0));
        assert!(minimize(&a, &mut bdds, 100).is_none());
    }
}
