//! Determinisation: from (generalised) Büchi automata to deterministic parity automata.
//!
//! Safra's construction ("On the complexity of ω-automata", FOCS 1988) in the form that names nodes by age and
//! thereby yields parity conditions (Piterman, LICS 2006; Schewe, FoSSaCS 2009), with acceptance on edges, states
//! stored only in the deepest node they belong to, and without the empty set (Redziejowski, Fundamenta Informaticae
//! 2012).
//!
//! A state of the result is an ordered tree of nodes over the states the automaton can be in. The root contains all
//! of them; a child of a node contains states that a run reached from the node's states over an accepting edge. On a
//! letter:
//!
//! 1. States follow their edges and stay in their nodes; over an accepting edge they move to a new child of the
//!    deepest node they are in.
//! 2. A state reached by several runs is kept in the oldest node only, deeper before higher.
//! 3. A node all of whose states are in its children is *good*: all its runs have seen an accepting edge since it was
//!    last good. Its descendants are dropped.
//! 4. Nodes without states are *bad* and vanish; younger ones are renamed to close the gaps.
//!
//! With nodes named 0, 1, … from the oldest, the edge gets the smallest of the priorities `2i` for a good node `i`
//! and `2i - 1` for a bad one, none if there is neither; the condition is *parity min even*. A word is accepted iff
//! some node is eventually never bad (nor renamed) and good infinitely often.
//!
//! Three reductions that only need components:
//!
//! * An edge between two components of the input takes its state out of its nodes, into a new child of the root (or
//!   just the root, if the new component does not accept): a run does so finitely often, so these edges may count as
//!   accepting, and the nodes left lose a state that cannot come back.
//! * If a run can be in a component that accepts everything, the word is accepted: no other states are stored.
//! * Trees over the same set of states accept the same words, since they have the same residual language. For each
//!   set, only those in one component of the result, the one nearest to the bottom, are kept.
//!
//! Cost: up to `2^O(n log n)` states; the caller sets a limit. Deliberately not done: dropping states that others
//! simulate (the reductions of the input do most of that), and minimisation.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::degeneralize::{Kind, degeneralize};
use crate::emptiness::prune;
use crate::mark::Mark;
use crate::scc::Sccs;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::fmt;

/// Why there is no deterministic automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeterminizeError {
    /// It would have more states than allowed.
    TooManyStates(usize),
    /// The acceptance condition is not generalised Büchi.
    NotGeneralizedBuchi,
}

impl fmt::Display for DeterminizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyStates(limit) => {
                write!(
                    f,
                    "the deterministic automaton has more than {limit} states"
                )
            }
            Self::NotGeneralizedBuchi => f.write_str("the acceptance is not generalized Büchi"),
        }
    }
}

impl std::error::Error for DeterminizeError {}

/// `Inf(0) | (Fin(1) & (Inf(2) | …))` over `sets` sets: the smallest priority seen infinitely often is
/// even, and with an odd number of sets there must be one.
pub fn parity_min_even(sets: u32) -> Acceptance {
    (0..sets).rev().fold(Acceptance::False, |rest, i| {
        if i % 2 == 0 {
            Acceptance::or([Acceptance::Inf(i), rest])
        } else {
            Acceptance::and([Acceptance::Fin(i), rest])
        }
    })
}

/// A deterministic automaton for the language of a generalised Büchi automaton: Büchi if it was
/// deterministic already, else *parity min even*. It need not be complete.
pub fn determinize(
    bdds: &mut Bdds,
    a: &Automaton,
    limit: usize,
) -> Result<Automaton, DeterminizeError> {
    let mut input = degeneralize(bdds, a, Kind::TransitionBased)
        .ok_or(DeterminizeError::NotGeneralizedBuchi)?;
    prune(&mut input);
    if input.is_deterministic(bdds) {
        return Ok(input);
    }
    let safra = Safra::new(bdds, &input);
    let mut out = Automaton::new(input.propositions.clone(), 0, Acceptance::False);
    out.name.clone_from(&a.name);
    let mut number: FxHashMap<Tree, u32> = FxHashMap::default();
    let mut trees: Vec<Tree> = Vec::new();
    let first = safra.initial();
    number.insert(first.clone(), out.add_state());
    trees.push(first);
    out.initial.push(0);
    let mut highest = 0;
    let mut at = 0;
    while at < trees.len() {
        let tree = trees[at].clone();
        for letter in safra.letters(bdds, &tree) {
            sempre_base::checkpoint();
            let Some((next, priority)) = safra.successor(bdds, &tree, letter) else {
                continue;
            };
            let to = match number.get(&next) {
                Some(&n) => n,
                None => {
                    if trees.len() >= limit {
                        return Err(DeterminizeError::TooManyStates(limit));
                    }
                    let n = out.add_state();
                    number.insert(next.clone(), n);
                    trees.push(next);
                    n
                }
            };
            highest = highest.max(priority.unwrap_or(0));
            let mark = priority.map_or(Mark::EMPTY, Mark::single);
            out.add_edge(at as u32, to, letter, mark);
        }
        at += 1;
    }
    // The highest set is even, so that an edge without priority does not help.
    out.sets = highest.next_multiple_of(2) + 1;
    out.acceptance = parity_min_even(out.sets);
    keep_lowest_copies(&mut out, &trees);
    out.merge_edges(bdds);
    Ok(out)
}

/// Redirects every edge to a tree over the same states in the lowest component that has one. No edge
/// goes up, so a run is redirected to another component finitely often.
fn keep_lowest_copies(out: &mut Automaton, trees: &[Tree]) {
    let sccs = Sccs::new(out);
    let key = |t: &Tree| -> Vec<u32> { t.states.iter().map(|&(q, _)| q).collect() };
    let mut lowest: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    for (n, t) in trees.iter().enumerate() {
        let n = n as u32;
        let kept = lowest.entry(key(t)).or_insert(n);
        if sccs.of[n as usize] < sccs.of[*kept as usize] {
            *kept = n;
        }
    }
    let redirect: Vec<u32> = trees
        .iter()
        .enumerate()
        .map(|(n, t)| {
            let kept = lowest[&key(t)];
            if sccs.of[kept as usize] < sccs.of[n] {
                kept
            } else {
                n as u32
            }
        })
        .collect();
    for e in out.edges.iter_mut().flatten() {
        e.to = redirect[e.to as usize];
    }
    for s in &mut out.initial {
        *s = redirect[*s as usize];
    }
    out.trim_unreachable();
}

/// A tree of nodes. Node 0 is the root; a parent has a smaller name than its children.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Tree {
    /// The states, ascending, each with the deepest node it is in.
    states: Vec<(u32, u32)>,
    /// The parent of each node (0 for the root).
    parent: Vec<u32>,
}

impl Tree {
    fn root_only(states: Vec<u32>) -> Self {
        Tree {
            states: states.into_iter().map(|q| (q, 0)).collect(),
            parent: vec![0],
        }
    }

    /// The nodes from the root down to `node`.
    fn path(&self, node: u32) -> Vec<u32> {
        let mut path = vec![node];
        let mut at = node;
        while at != 0 {
            at = self.parent[at as usize];
            path.push(at);
        }
        path.reverse();
        path
    }
}

struct Safra<'a> {
    input: &'a Automaton,
    component: Vec<u32>,
    /// Does the component of a state accept?
    accepting: Vec<bool>,
    /// The states that accept everything, and one of them to stand for all.
    winning: Vec<bool>,
    winner: Option<u32>,
}

impl<'a> Safra<'a> {
    fn new(bdds: &mut Bdds, input: &'a Automaton) -> Self {
        let sccs = Sccs::new(input);
        let mut winning = vec![false; input.states()];
        for (c, states) in sccs.states.iter().enumerate() {
            if sccs.is_terminal(input, bdds, c) {
                for &s in states {
                    winning[s as usize] = true;
                }
            }
        }
        let accepting = sccs.accepting(input);
        Safra {
            input,
            accepting: sccs
                .of
                .iter()
                .map(|&c| accepting.get(c as usize) == Some(&true))
                .collect(),
            component: sccs.of,
            winner: winning.iter().position(|&w| w).map(|w| w as u32),
            winning,
        }
    }

    fn initial(&self) -> Tree {
        let mut states = self.input.initial.clone();
        states.sort_unstable();
        states.dedup();
        match self.winner {
            Some(w) if states.iter().any(|&q| self.winning[q as usize]) => Tree::root_only(vec![w]),
            _ => Tree::root_only(states),
        }
    }

    /// The classes of letters that the states of the tree distinguish.
    fn letters(&self, bdds: &mut Bdds, tree: &Tree) -> Vec<Bdd> {
        let mut labels: Vec<Bdd> = tree
            .states
            .iter()
            .flat_map(|&(q, _)| self.input.edges[q as usize].iter().map(|e| e.label))
            .collect();
        labels.sort_unstable();
        labels.dedup();
        let mut classes = vec![Bdd::TRUE];
        for f in labels {
            let mut next = Vec::with_capacity(classes.len() * 2);
            for c in classes {
                let (with, without) = (bdds.and(c, f), bdds.minus(c, f));
                next.extend([with, without].into_iter().filter(|x| !x.is_false()));
            }
            classes = next;
        }
        classes
    }

    /// The tree after a letter, and the priority; `None` if the set of states is empty.
    fn successor(&self, bdds: &mut Bdds, tree: &Tree, letter: Bdd) -> Option<(Tree, Option<u32>)> {
        let nodes = tree.parent.len() as u32;
        // 1 and 2: where each state is best.
        let mut best: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &(q, node) in &tree.states {
            let path = tree.path(node);
            for e in &self.input.edges[q as usize] {
                if bdds.disjoint(e.label, letter) {
                    continue;
                }
                let path = if self.component[q as usize] != self.component[e.to as usize] {
                    // Into the youngest child of the root, if the component can accept.
                    let fresh = self.accepting[e.to as usize].then_some(nodes);
                    std::iter::once(0).chain(fresh).collect()
                } else if e.mark.is_empty() {
                    path.clone()
                } else {
                    // The new child of `node`; younger than every old node.
                    let mut p = path.clone();
                    p.push(nodes + node);
                    p
                };
                match best.entry(e.to) {
                    std::collections::hash_map::Entry::Vacant(v) => {
                        v.insert(path);
                    }
                    std::collections::hash_map::Entry::Occupied(mut o) => {
                        if better(&path, o.get()) == Ordering::Less {
                            o.insert(path);
                        }
                    }
                }
            }
        }
        if best.is_empty() {
            return None;
        }
        if let Some(w) = self.winner
            && best.keys().any(|&q| self.winning[q as usize])
        {
            return Some((Tree::root_only(vec![w]), Some(0)));
        }
        let mut placed: Vec<(u32, Vec<u32>)> = best.into_iter().collect();
        placed.sort_unstable();
        // 3: a node is good if it is on a path and no path ends there.
        let count = 2 * nodes as usize;
        let (mut lives, mut ends) = (vec![false; count], vec![false; count]);
        for (_, path) in &placed {
            for &n in path {
                lives[n as usize] = true;
            }
            ends[path[path.len() - 1] as usize] = true;
        }
        let good = |n: u32| lives[n as usize] && !ends[n as usize];
        let mut stays = vec![false; count];
        for (_, path) in &mut placed {
            if let Some(i) = path.iter().position(|&n| good(n)) {
                path.truncate(i + 1);
            }
            for &n in path.iter() {
                stays[n as usize] = true;
            }
        }
        // 4: old nodes that are gone are bad. The root is never bad: there is a state.
        let priority = (0..nodes)
            .filter_map(|n| {
                if !stays[n as usize] {
                    Some(2 * n - 1)
                } else if good(n) {
                    Some(2 * n)
                } else {
                    None
                }
            })
            .min();
        let mut name = vec![u32::MAX; count];
        let mut next = 0;
        for (n, name) in name.iter_mut().enumerate() {
            if stays[n] {
                *name = next;
                next += 1;
            }
        }
        let mut result = Tree {
            states: Vec::with_capacity(placed.len()),
            parent: vec![0; next as usize],
        };
        for (q, path) in &placed {
            for w in path.windows(2) {
                result.parent[name[w[1] as usize] as usize] = name[w[0] as usize];
            }
            let deepest = name[path[path.len() - 1] as usize];
            result.states.push((*q, deepest));
        }
        Some((result, priority))
    }
}

/// Older nodes before younger ones, deeper places before higher ones.
fn better(a: &[u32], b: &[u32]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        if x != y {
            return x.cmp(y);
        }
    }
    b.len().cmp(&a.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn the_deterministic_automaton_accepts_the_same_words() {
        let mut r = Random::new(71);
        let mut bdds = Bdds::new();
        let (mut yes, mut no, mut hard, mut size) = (0, 0, 0, 0);
        for round in 0..3000 {
            let sets = 1 + (round % 3 == 0) as u32;
            let props: &[u32] = if round % 2 == 0 { &[0] } else { &[0, 1] };
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(5), props, sets);
            o.density = 0.2 + 0.4 * r.unit();
            o.mark_probability = 0.1 + 0.4 * r.unit();
            let mut a = o.generate(&mut r, &mut bdds);
            if round % 9 == 0 {
                a.initial.push((a.states() - 1) as u32);
                a.initial.dedup();
            }
            let d = match determinize(&mut bdds, &a, 5_000) {
                Ok(d) => d,
                Err(e) => {
                    assert_eq!(e, DeterminizeError::TooManyStates(5_000));
                    continue;
                }
            };
            assert!(d.is_deterministic(&mut bdds));
            hard += usize::from(d.sets > 3);
            size += d.states();
            for _ in 0..12 {
                let w = random_word(&mut r, props, 4, 5);
                let truth = accepts(&bdds, &a, &w);
                assert_eq!(accepts(&bdds, &d, &w), truth, "{a:?} {d:?} {w:?}");
                *(if truth { &mut yes } else { &mut no }) += 1;
            }
        }
        assert!(yes > 5000 && no > 5000 && hard > 100, "{yes} {no} {hard}");
        assert!(size < 3000 * 20, "{size}");
    }

    #[test]
    fn finally_always_is_two_states_or_fewer() {
        let mut bdds = Bdds::new();
        let a = bdds.variable(0);
        let mut fga = Automaton::new(vec![0], 1, Acceptance::buchi());
        let (s, t) = (fga.add_state(), fga.add_state());
        fga.initial.push(s);
        fga.add_edge(s, s, Bdd::TRUE, Mark::EMPTY);
        fga.add_edge(s, t, a, Mark::EMPTY);
        fga.add_edge(t, t, a, Mark::single(0));
        let d = determinize(&mut bdds, &fga, 100).expect("small");
        assert!(d.states() <= 2 && d.is_complete(&mut bdds), "{d:?}");
    }

    #[test]
    fn limits_and_other_conditions_are_values() {
        let mut r = Random::new(3);
        let mut bdds = Bdds::new();
        let mut o = RandomAutomaton::generalized_buchi(12, &[0, 1], 1);
        o.density = 0.4;
        let a = o.generate(&mut r, &mut bdds);
        assert_eq!(
            determinize(&mut bdds, &a, 10).err(),
            Some(DeterminizeError::TooManyStates(10))
        );
        let mut b = a.clone();
        b.acceptance = Acceptance::Fin(0);
        assert_eq!(
            determinize(&mut bdds, &b, 10).err(),
            Some(DeterminizeError::NotGeneralizedBuchi)
        );
    }

    #[test]
    fn parity_conditions_look_at_the_smallest_priority() {
        for sets in 0..6 {
            let c = parity_min_even(sets);
            for seen in 0..1u64 << sets {
                let truth = seen != 0 && seen.trailing_zeros() % 2 == 0;
                assert_eq!(c.accepts(&Mark::from_word(seen)), truth, "{c} {seen:b}");
            }
        }
    }
}
