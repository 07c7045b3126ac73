//! The minimal deterministic finite automaton, by Hopcroft's algorithm on labels.
//!
//! Hopcroft, "An n log n algorithm for minimizing states in a finite automaton" (1971). The original splits blocks
//! letter by letter; with Boolean labels there may be 2^n letters and two different labels. Here a splitter C gives
//! each state the *set* of letters, one decision diagram, by which it moves into C, and a block is split into as many
//! pieces as there are different sets. Of the pieces of a block that was used as a splitter already, the largest need
//! not be used again: a deterministic state moves into disjoint blocks by disjoint sets, so its set for one piece is
//! the set for the whole minus those for the others. That also holds if edges are missing, so the automaton is not
//! completed.
//!
//! States with an empty language are dropped first, so the result is the unique minimal automaton in which missing
//! edges reject: deterministic, not complete, with exactly one initial state. States are numbered breadth first, the
//! edges of each in the order of their labels' numbers: two results over one alphabet are equal as data (but for
//! names and declared propositions) iff their languages are.
//!
//! Cost: edges times the logarithm of states, in operations on labels.

use super::{FiniteAutomaton, FiniteEdge, determinize};
use crate::bdd::{Bdd, Bdds};
use rustc_hash::FxHashMap;

/// The minimal deterministic automaton of the language of `a`; `None` if `a` is not deterministic and
/// has more than `limit` subsets.
pub fn minimize(bdds: &mut Bdds, a: &FiniteAutomaton, limit: usize) -> Option<FiniteAutomaton> {
    let mut d = if a.is_deterministic(bdds) {
        a.clone()
    } else {
        determinize(bdds, a, limit)?
    };
    d.trim();
    d.merge_edges(bdds);
    let partition = Partition::refine(bdds, &d);
    let mut m = FiniteAutomaton::new(d.propositions.clone());
    m.name.clone_from(&d.name);
    for block in &partition.blocks {
        let s = block[0] as usize;
        let new = m.add_state(d.is_final[s]);
        m.edges[new as usize] = d.edges[s]
            .iter()
            .map(|e| FiniteEdge {
                label: e.label,
                to: partition.block_of[e.to as usize],
            })
            .collect();
    }
    m.initial = d
        .initial
        .iter()
        .map(|&s| partition.block_of[s as usize])
        .collect();
    if m.initial.is_empty() {
        m.initial = vec![m.add_state(false)];
    }
    m.merge_edges(bdds);
    m.trim();
    // Trimming numbered the states in the order of the edges; the order of edges is by label still.
    debug_assert!(m.edges.iter().all(|edges| edges.is_sorted()));
    Some(m)
}

/// Blocks of states that are not distinguished yet.
struct Partition {
    blocks: Vec<Vec<u32>>,
    block_of: Vec<u32>,
    /// Where a state stands in its block.
    place: Vec<usize>,
}

impl Partition {
    fn refine(bdds: &mut Bdds, d: &FiniteAutomaton) -> Self {
        let mut into: Vec<Vec<(u32, Bdd)>> = vec![Vec::new(); d.states()];
        for (s, edges) in d.edges.iter().enumerate() {
            for e in edges {
                into[e.to as usize].push((s as u32, e.label));
            }
        }
        let mut p = Self {
            blocks: Vec::new(),
            block_of: vec![0; d.states()],
            place: vec![0; d.states()],
        };
        for end in [false, true] {
            let states: Vec<u32> = (0..d.states() as u32)
                .filter(|&s| d.is_final[s as usize] == end)
                .collect();
            if !states.is_empty() {
                p.add_block(states);
            }
        }
        let mut todo: Vec<u32> = (0..p.blocks.len() as u32).collect();
        let mut waiting = vec![true; todo.len()];
        while let Some(c) = todo.pop() {
            sempre_base::checkpoint();
            waiting[c as usize] = false;
            let mut reads: FxHashMap<u32, Bdd> = FxHashMap::default();
            for &t in &p.blocks[c as usize] {
                for &(s, label) in &into[t as usize] {
                    let sum = reads.entry(s).or_insert(Bdd::FALSE);
                    *sum = bdds.or(*sum, label);
                }
            }
            let mut touched: Vec<(u32, Bdd, u32)> = reads
                .into_iter()
                .map(|(s, label)| (p.block_of[s as usize], label, s))
                .collect();
            touched.sort_unstable();
            for part in touched.chunk_by(|x, y| x.0 == y.0) {
                let block = part[0].0;
                let pieces = p.split(block, part);
                if pieces.len() < 2 {
                    continue;
                }
                waiting.resize(p.blocks.len(), false);
                let largest = pieces
                    .iter()
                    .copied()
                    .max_by_key(|&b| p.blocks[b as usize].len());
                let was_waiting = waiting[block as usize];
                for &b in &pieces {
                    if (was_waiting || Some(b) != largest)
                        && !std::mem::replace(&mut waiting[b as usize], true)
                    {
                        todo.push(b);
                    }
                }
            }
        }
        p
    }

    /// Splits a block by the labels of the touched states, each group into a block of its own, in time proportional
    /// to the touched states. Returns all pieces, the block among them.
    fn split(&mut self, block: u32, touched: &[(u32, Bdd, u32)]) -> Vec<u32> {
        let mut pieces = vec![block];
        let all = touched.len() == self.blocks[block as usize].len();
        for (i, group) in touched.chunk_by(|x, y| x.1 == y.1).enumerate() {
            // If nothing is untouched, the first group stays.
            if all && i == 0 {
                continue;
            }
            for &(_, _, s) in group {
                self.take(s);
            }
            pieces.push(self.add_block(group.iter().map(|x| x.2).collect()));
        }
        pieces
    }

    fn take(&mut self, s: u32) {
        let block = &mut self.blocks[self.block_of[s as usize] as usize];
        let place = self.place[s as usize];
        block.swap_remove(place);
        if let Some(&moved) = block.get(place) {
            self.place[moved as usize] = place;
        }
    }

    fn add_block(&mut self, states: Vec<u32>) -> u32 {
        let number = self.blocks.len() as u32;
        for (i, &s) in states.iter().enumerate() {
            self.block_of[s as usize] = number;
            self.place[s as usize] = i;
        }
        self.blocks.push(states);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::super::complete;
    use super::super::samples::{random_finite, random_letters};
    use super::*;
    use crate::word::Letter;
    use sempre_base::Random;
    use std::collections::HashSet;

    fn all_letters() -> Vec<Letter> {
        (0..4u32)
            .map(|bits| (0..2).filter(|i| bits >> i & 1 == 1).collect())
            .collect()
    }

    /// The number of languages of the states of a complete automaton that are not empty: by marking
    /// pairs, letter by letter.
    fn distinct(bdds: &mut Bdds, d: &FiniteAutomaton) -> usize {
        let mut d = d.clone();
        complete(bdds, &mut d);
        let n = d.states();
        let letters = all_letters();
        let next: Vec<Vec<usize>> = (0..n)
            .map(|s| {
                let step = |l: &Letter| {
                    let e = d.edges[s].iter().find(|e| l.satisfies(bdds, e.label));
                    e.expect("complete").to as usize
                };
                letters.iter().map(step).collect()
            })
            .collect();
        let mut differ = vec![vec![false; n]; n];
        let mut alive = d.is_final.clone();
        for _ in 0..n {
            for s in 0..n {
                alive[s] |= next[s].iter().any(|&t| alive[t]);
                for t in 0..n {
                    differ[s][t] |= d.is_final[s] != d.is_final[t]
                        || (0..letters.len()).any(|i| differ[next[s][i]][next[t][i]]);
                }
            }
        }
        let mut reached = HashSet::from([d.initial[0] as usize]);
        for _ in 0..n {
            for s in reached.clone() {
                reached.extend(next[s].iter().copied());
            }
        }
        let kinds: Vec<usize> = (0..n)
            .filter(|&s| reached.contains(&s) && alive[s])
            .collect();
        let first = |&s: &usize| kinds.iter().all(|&t| t >= s || differ[s][t]);
        kinds.iter().filter(|s| first(s)).count()
    }

    #[test]
    fn minimal_and_of_the_same_language() {
        let mut r = Random::new(6);
        let mut bdds = Bdds::new();
        let mut smaller = 0;
        for _ in 0..600 {
            let a = random_finite(&mut r, &mut bdds, 7);
            let d = determinize(&mut bdds, &a, 1000).expect("small");
            let m = minimize(&mut bdds, &a, 1000).expect("small");
            assert!(m.is_deterministic(&mut bdds) && m.states() <= d.states());
            smaller += usize::from(m.states() < d.states());
            let wanted = distinct(&mut bdds, &d);
            // The empty language needs a state to start in.
            assert_eq!(m.states(), wanted.max(1));
            for _ in 0..10 {
                let w = random_letters(&mut r, 7);
                assert_eq!(a.accepts(&bdds, &w), m.accepts(&bdds, &w));
            }
        }
        assert!(smaller > 100, "{smaller}");
    }

    /// Equal languages have equal minimal automata, whatever the numbers of states were.
    #[test]
    fn the_result_is_canonical() {
        let mut r = Random::new(7);
        let mut bdds = Bdds::new();
        for _ in 0..300 {
            let a = random_finite(&mut r, &mut bdds, 6);
            let n = a.states();
            // Each state twice, in reverse order, edges to either copy.
            let mut b = FiniteAutomaton::new(vec![0, 1]);
            for i in 0..2 * n {
                b.add_state(a.is_final[(2 * n - 1 - i) % n]);
            }
            let copy = |r: &mut Random, s: u32| {
                let which = s as usize + if r.chance(0.5) { n } else { 0 };
                (2 * n - 1 - which) as u32
            };
            for i in 0..2 * n {
                for e in &a.edges[(2 * n - 1 - i) % n] {
                    let to = copy(&mut r, e.to);
                    b.add_edge(i as u32, to, e.label);
                }
            }
            b.initial = a.initial.iter().map(|&s| copy(&mut r, s)).collect();
            let x = minimize(&mut bdds, &a, 1000).expect("small");
            let y = minimize(&mut bdds, &b, 1000).expect("small");
            assert_eq!(x, y);
        }
    }
}
