//! What the two shy checks of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005, section 4.1) count, as it was counted there.
//!
//! The checks of [`sempre_explicit`] keep every edge of a new state until its turn comes. Those of the paper look at the edges
//! while they compute them, and keep only the ones that lead to states not seen so far. An edge to a state that is known
//! merges components at once and never waits; one whose target becomes known while it waits is thrown away when its turn
//! comes, or, in the variant that merges the lists of edges, at the next merge. At the bottom of the stack there is one
//! item more than states, from which the initial state is entered. So the stacks of the paper come out.
//! (What was kept is known from the sources of Spot, with which the paper's figures were made; this is written anew.)
//!
//! Where a run is found, edges are counted up to the one that closes the cycle, without that one.
//!
//! Cost: each state and edge once; and the edges that wait in a component, again at each merge.

use rustc_hash::FxHashMap;
use sempre_explicit::space::{Counters, Edge, Space, Stop};
use std::collections::VecDeque;

/// A state with edges to states that were new, or several states that were merged, with theirs.
struct Item {
    rank: u32,
    waiting: VecDeque<Edge<u32>>,
}

/// A component: the rank of its first state, its marks, and those of the edge to it.
struct Component {
    root: u32,
    marks: u32,
    arc: u32,
}

struct Search {
    all: u32,
    /// From 1; 0 is a state of a component that was removed.
    ranks: FxHashMap<u32, u32>,
    todo: Vec<Item>,
    chain: Vec<Component>,
    /// The states of the chain, in the order of their ranks.
    members: Vec<u32>,
    waiting: usize,
}

const REMOVED: u32 = 0;

/// Counts for a space with one initial state. `grouped` is the variant that looks at the edges of a whole component ("shy"), else those of
/// one state ("shy-"). The answer is whether there is an accepting run.
///
/// # Errors
/// If the space cannot go on.
pub(super) fn shy_counts(
    space: &mut dyn Space<u32>,
    grouped: bool,
    counters: &mut Counters,
) -> Result<bool, Stop> {
    let mut search = Search {
        all: space.all(),
        ranks: FxHashMap::default(),
        todo: Vec::new(),
        chain: Vec::new(),
        members: Vec::new(),
        waiting: 0,
    };
    let mut edges = Vec::new();
    for target in space.initial()? {
        let mut next = Some(Edge { target, marks: 0 });
        loop {
            if let Some(edge) = next.take() {
                match search.ranks.get(&edge.target) {
                    Some(&REMOVED) => {}
                    // Entered after the edge began to wait, and still there: it is in the last component.
                    Some(_) => {
                        if search.close(edge.marks) {
                            return Ok(true);
                        }
                    }
                    None => {
                        edges.clear();
                        space.expand(edge.target, &mut edges)?;
                        if search.enter(edge, &edges, grouped, counters) {
                            return Ok(true);
                        }
                    }
                }
            }
            let Some(top) = search.todo.last_mut() else {
                break;
            };
            next = top.waiting.pop_front();
            match next {
                Some(_) => search.waiting -= 1,
                None => search.leave(),
            }
        }
    }
    Ok(false)
}

impl Search {
    /// Adds marks to the last component. Does it accept now?
    fn close(&mut self, marks: u32) -> bool {
        let Some(top) = self.chain.last_mut() else {
            return false;
        };
        top.marks |= marks;
        top.marks & self.all == self.all
    }

    /// Enters a new state and looks at its edges. Is there an accepting cycle?
    fn enter(
        &mut self,
        edge: Edge<u32>,
        edges: &[Edge<u32>],
        grouped: bool,
        counters: &mut Counters,
    ) -> bool {
        counters.states += 1;
        let rank = counters.states as u32;
        self.ranks.insert(edge.target, rank);
        self.members.push(edge.target);
        self.chain.push(Component {
            root: rank,
            marks: 0,
            arc: edge.marks,
        });
        self.todo.push(Item {
            rank,
            waiting: VecDeque::new(),
        });
        let mut merged = false;
        for &edge in edges {
            match self.ranks.get(&edge.target) {
                None => {
                    self.waiting += 1;
                    if let Some(top) = self.todo.last_mut() {
                        top.waiting.push_back(edge);
                    }
                    self.measure(counters);
                }
                Some(&REMOVED) => {}
                Some(&known) => {
                    if self.merge(known, edge.marks) {
                        return true;
                    }
                    merged |= grouped && self.group();
                }
            }
            counters.transitions += 1;
        }
        self.measure(counters);
        merged && self.sort_out()
    }

    /// The item at the bottom, states, and edges.
    fn measure(&self, counters: &mut Counters) {
        let size = 1 + self.members.len() + self.waiting;
        counters.max_stack = counters.max_stack.max(size as u64);
    }

    /// Merges all components after the one with the state of that rank. Does it accept now?
    fn merge(&mut self, rank: u32, marks: u32) -> bool {
        let mut marks = marks;
        while let Some(top) = self.chain.pop_if(|c| c.root > rank) {
            marks |= top.marks | top.arc;
        }
        self.close(marks)
    }

    /// Merges the items of the last component; those of the earlier states come first. Were there several?
    fn group(&mut self) -> bool {
        let root = self.chain.last().map_or(0, |c| c.root);
        let mut several = false;
        while let Some(mut last) = self.todo.pop_if(|item| item.rank > root) {
            several = true;
            if let Some(top) = self.todo.last_mut() {
                top.waiting.append(&mut last.waiting);
            }
        }
        several
    }

    /// Takes the edges to states that are known out of the last item. Is there an accepting cycle?
    fn sort_out(&mut self) -> bool {
        let Some(top) = self.todo.last_mut() else {
            return false;
        };
        let before = top.waiting.len();
        let (mut marks, mut any) = (0, false);
        let ranks = &self.ranks;
        top.waiting.retain(|edge| match ranks.get(&edge.target) {
            None => true,
            Some(&REMOVED) => false,
            Some(_) => {
                marks |= edge.marks;
                any = true;
                false
            }
        });
        self.waiting -= before - top.waiting.len();
        any && self.close(marks)
    }

    /// Leaves the last item; if a component starts there, it is complete.
    fn leave(&mut self) {
        let Some(item) = self.todo.pop() else {
            return;
        };
        if self.chain.pop_if(|c| c.root == item.rank).is_some() {
            while let Some(state) = self.members.pop_if(|s| self.ranks[s] >= item.rank) {
                self.ranks.insert(state, REMOVED);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;
    use sempre_explicit::emptiness::Algorithm;
    use sempre_explicit::explicit_space::ExplicitSpace;

    #[test]
    fn answers_and_full_counts_are_those_of_the_checks() {
        let mut random = Random::new(8);
        let mut answers = [0, 0];
        for _ in 0..2000 {
            let (states, sets) = (1 + random.below(9), random.below(4) as u32);
            let edges: Vec<Vec<Edge<u32>>> = (0..states)
                .map(|_| {
                    (0..random.below(4))
                        .map(|_| Edge {
                            target: random.below(states) as u32,
                            marks: random.below(1 << sets) as u32,
                        })
                        .collect()
                })
                .collect();
            let mut space = ExplicitSpace::new(sets, vec![0], edges);
            for (grouped, algorithm) in [
                (false, Algorithm::Cou99ShyMinus),
                (true, Algorithm::Cou99Shy),
            ] {
                let (mut ours, mut theirs) = (Counters::default(), Counters::default());
                let found = shy_counts(&mut space, grouped, &mut ours).unwrap();
                let run = algorithm.run(&mut space, &mut theirs).unwrap();
                assert_eq!(found, run.is_some());
                answers[usize::from(found)] += 1;
                if !found {
                    assert_eq!(ours.states, theirs.states);
                    assert_eq!(ours.transitions, theirs.transitions);
                }
            }
        }
        assert!(answers.iter().all(|&n| n > 300), "{answers:?}");
    }

    /// A diamond: both edges of the first state wait, and the second is still there when its target has been left.
    #[test]
    fn only_edges_to_new_states_wait() {
        let to = |target: u32| Edge { target, marks: 0 };
        let edges = vec![vec![to(1), to(2)], vec![to(2), to(0)], vec![to(0), to(1)]];
        let mut space = ExplicitSpace::new(1, vec![0], edges);
        for (grouped, stack) in [(false, 5), (true, 5)] {
            let mut counters = Counters::default();
            assert!(!shy_counts(&mut space, grouped, &mut counters).unwrap());
            assert_eq!((counters.states, counters.transitions), (3, 6));
            // The item at the bottom, two states, and two edges to the third.
            assert_eq!(counters.max_stack, stack);
        }
    }
}
