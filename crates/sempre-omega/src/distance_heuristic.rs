//! A heuristic for the order of successors in a search for an accepting run.
//!
//! In each state the automaton awaits certain letters: those by which it gets nearer to an accepting component, or,
//! within one, those by which it sees acceptance sets. The model estimates the distance of a state from changing each
//! proposition. The estimate for a state is the cost of the cheapest change that yields an awaited letter. This is a
//! heuristic in the sense of directed model checking (Edelkamp, Leue, Lluch-Lafuente 2004): it orders the search and
//! omits nothing.
//!
//! Letters are valuations of the propositions, or, for a testing automaton, changesets; the letter of a step that
//! changes nothing is then empty.

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Edge};
use crate::bdd::Bdd;
use crate::mark::Mark;
use crate::scc::Sccs;

/// There is no heuristic for automata with more propositions.
pub const MAX_PROPOSITIONS: usize = 8;

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct DistanceHeuristic {
    /// For each state of the automaton, the number of edges to one that has a mark inside an accepting component; if the state's own component is
    /// accepting and has no marks, none.
    ranks: Vec<u32>,
    /// The letters that each state waits for.
    awaited: Vec<Vec<u64>>,
}

impl DistanceHeuristic {
    /// For an automaton with this number of propositions; `None` if there are too many. `edges` gives the
    /// destinations of a state by a letter, and whether the edges are in an acceptance set; `rejecting` gives for
    /// each state whether no run is accepted that stays in its component.
    pub fn new(
        propositions: usize,
        edges: &dyn Fn(u32, u64) -> Vec<(u32, bool)>,
        rejecting: &[bool],
    ) -> Option<Self> {
        if propositions > MAX_PROPOSITIONS {
            return None;
        }
        let all: Vec<Vec<LetterEdge>> = (0..rejecting.len() as u32)
            .map(|q| {
                let by = |letter| edges(q, letter).into_iter().map(move |e| (letter, e));
                let found = (0..1u64 << propositions).flat_map(by);
                found
                    .map(|(letter, (to, marked))| LetterEdge { letter, to, marked })
                    .collect()
            })
            .collect();
        let inside = |q: u32| !rejecting[q as usize];
        let good = |e: &LetterEdge| e.marked && inside(e.to);
        // Inside: edges to one with a mark, if there are any.
        let mut ranks: Vec<u32> = (0..)
            .zip(&all)
            .map(|(q, edges)| match inside(q) && edges.iter().any(good) {
                true => 0,
                false => u32::MAX,
            })
            .collect();
        breadth_first(&mut ranks, &all, &inside);
        for (rank, _) in ranks.iter_mut().zip(rejecting).filter(|(_, r)| !**r) {
            *rank = if *rank == u32::MAX { 0 } else { *rank };
        }
        breadth_first(&mut ranks, &all, &|_| true);
        let awaited = ranks.iter().zip(&all).map(|(&rank, edges)| {
            let by = |wanted: &dyn Fn(&LetterEdge) -> bool| -> Vec<u64> {
                let found = edges.iter().filter(|e| wanted(e)).map(|e| e.letter);
                let mut letters: Vec<u64> = found.collect();
                letters.dedup();
                letters
            };
            if rank > 0 {
                return by(&|e| ranks[e.to as usize] < rank);
            }
            let marked = by(&good);
            match marked.is_empty() {
                true => by(&|e| inside(e.to)),
                false => marked,
            }
        });
        let awaited = awaited.collect();
        Some(Self { ranks, awaited })
    }

    /// For a generalised Büchi automaton with these numbers of states, propositions and acceptance sets. `edges`
    /// gives the destinations of a state by a letter, and the sets of the edges, one bit each.
    pub fn of_generalized_buchi(
        [states, propositions, sets]: [u32; 3],
        edges: &dyn Fn(u32, u64) -> Vec<(u32, u64)>,
    ) -> Option<Self> {
        if propositions as usize > MAX_PROPOSITIONS {
            return None;
        }
        let mut graph = Automaton::new(Vec::new(), sets, Acceptance::generalized_buchi(sets));
        graph.initial = (0..states).map(|_| graph.add_state()).collect();
        for q in 0..states {
            for letter in 0..1u64 << propositions {
                for (to, marks) in edges(q, letter) {
                    let mark = Mark::from_word(marks);
                    let edge = |e: &Edge| e.to == to && e.mark == mark;
                    if !graph.edges[q as usize].iter().any(edge) {
                        graph.add_edge(q, to, Bdd::TRUE, mark);
                    }
                }
            }
        }
        let sccs = Sccs::new(&graph);
        let accepting = sccs.accepting(&graph);
        let rejecting: Vec<bool> = (sccs.of.iter()).map(|&c| !accepting[c as usize]).collect();
        let marked = |q: u32, letter: u64| -> Vec<(u32, bool)> {
            let edges = edges(q, letter).into_iter();
            edges.map(|(to, marks)| (to, marks != 0)).collect()
        };
        Self::new(propositions as usize, &marked, &rejecting)
    }

    /// The estimate for a state, smaller is better: its distance in the automaton, and the least cost of an awaited
    /// letter. `stays` is the letter read if nothing changes, `costs` are the costs of changing each proposition.
    pub fn estimate(&self, state: u32, stays: u64, costs: &[u64]) -> (u32, u64) {
        let cost = |awaited_letter: u64| {
            (costs.iter().enumerate())
                .filter(|(i, _)| (awaited_letter ^ stays) >> i & 1 == 1)
                .fold(0u64, |sum, (_, &cost)| sum.saturating_add(cost))
        };
        let awaited = self.awaited[state as usize].iter();
        (
            self.ranks[state as usize],
            awaited.map(|&w| cost(w)).min().unwrap_or(u64::MAX),
        )
    }
}

/// An edge, and whether it is in an acceptance set.
struct LetterEdge {
    letter: u64,
    to: u32,
    marked: bool,
}

/// Ranks the states that have no rank yet, of those that count, by the number of edges to one that has.
fn breadth_first(ranks: &mut [u32], all: &[Vec<LetterEdge>], counts: &dyn Fn(u32) -> bool) {
    let most = |ranks: &[u32]| ranks.iter().filter(|r| **r < u32::MAX).max().copied();
    let mut rank = 0;
    // Automata are small.
    while most(ranks).is_some_and(|most| rank <= most) {
        let reaches = |&q: &u32| {
            let edges = &all[q as usize];
            let waits = ranks[q as usize] == u32::MAX && counts(q);
            waits && edges.iter().any(|e| ranks[e.to as usize] == rank)
        };
        let before: Vec<u32> = (0..ranks.len() as u32).filter(reaches).collect();
        before.iter().for_each(|&q| ranks[q as usize] = rank + 1);
        rank += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `F(p & G q)`: wait for `p & q`, then for `q`.
    #[test]
    fn awaited_letters_of_a_small_automaton() {
        let edges = |q: u32, letter: u64| match (q, letter) {
            (0, 3) => vec![(0, 0), (1, 0)],
            (0, _) => vec![(0, 0)],
            (_, 2 | 3) => vec![(1, 1)],
            _ => vec![],
        };
        let heuristic = DistanceHeuristic::of_generalized_buchi([2, 2, 1], &edges).unwrap();
        assert_eq!(heuristic.ranks, [1, 0]);
        assert_eq!(heuristic.awaited, [vec![3], vec![2, 3]]);
        assert_eq!(heuristic.estimate(0, 0, &[5, 7]), (1, 12));
        assert_eq!(heuristic.estimate(0, 1, &[5, 7]), (1, 7));
        assert_eq!(heuristic.estimate(0, 3, &[5, 7]), (1, 0));
        assert_eq!(heuristic.estimate(1, 1, &[5, 7]), (0, 7));
        assert_eq!(heuristic.estimate(1, 2, &[5, 7]), (0, 0));
    }

    /// `F G !p` by changes: wait for `p` to change, then for nothing to change.
    #[test]
    fn awaited_letters_of_a_testing_automaton() {
        let edges = |q: u32, letter: u64| match (q, letter) {
            (0, 0) => vec![(0, 0)],
            (0, 1) => vec![(1, 0)],
            (1, 0) => vec![(1, 1)],
            _ => vec![(0, 0)],
        };
        let heuristic = DistanceHeuristic::of_generalized_buchi([2, 1, 1], &edges).unwrap();
        // The two are in one component, which is accepting.
        assert_eq!(heuristic.ranks, [1, 0]);
        assert_eq!(heuristic.awaited, [vec![1], vec![0]]);
        assert_eq!(heuristic.estimate(1, 0, &[9]), (0, 0));
        assert_eq!(heuristic.estimate(0, 0, &[9]), (1, 9));
    }
}
