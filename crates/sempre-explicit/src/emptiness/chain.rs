//! The chain of strongly connected components that Couvreur's checks keep (FM 1999; Fig. 3 in Couvreur,
//! Duret-Lutz and Poitrenaud, SPIN 2005).
//!
//! A new state is a component of its own at the end of the chain; an edge to a state of the chain merges all components
//! from that one on, together with the sets that their edges, and the edges between them, are in. A component
//! that is left is removed: no edge to it matters any more.
//!
//! # Invariants
//! - **I1** `rank[s]` is 0 for a state never seen, [`REMOVED`] for one of a removed component, and otherwise the place
//!   of the state in the order of the search, from 1.
//! - **I2** Components have ascending roots; the component of a state of the chain is the last one whose root is at
//!   most its rank.
//! - **I3** `sets` are those of the edges inside a component that the search has followed, `entry` those of the edge
//!   from the component before.

use super::accepting_run;
use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, Run, Space, Stop};
use sempre_store::Budget;
use std::sync::Arc;

/// The rank of states of removed components.
pub(super) const REMOVED: u32 = u32::MAX;

struct Component<M> {
    /// The rank of its first state.
    root: u32,
    entry: M,
    sets: M,
    /// Number of its states.
    size: usize,
}

/// What an edge from the component at the end of the chain shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    /// A state never seen before.
    New,
    /// Nothing that is worth anything: a removed state, or a component that is not accepting yet.
    Old,
    /// That the component at the end is accepting.
    Accepting,
}

/// See the module's documentation.
pub(super) struct Chain<M> {
    components: Vec<Component<M>>,
    rank: PerState<u32>,
    last: u32,
    charge: Charge,
}

impl<M: Marks> Chain<M> {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            components: Vec::new(),
            rank: PerState::new(0, budget),
            last: 0,
            charge: Charge::new(budget),
        }
    }

    /// I1.
    #[inline]
    pub(super) fn rank(&self, state: u32) -> u32 {
        self.rank.get(state)
    }

    /// The rank of the state pushed last.
    pub(super) fn last_rank(&self) -> u32 {
        self.last
    }

    /// Number of components.
    pub(super) fn len(&self) -> usize {
        self.components.len()
    }

    /// The place in the chain of the component of a state that is in it, by the state's rank.
    pub(super) fn component(&self, rank: u32) -> usize {
        // I2.
        self.components.partition_point(|c| c.root <= rank) - 1
    }

    /// A new state, entered from the component at the end.
    pub(super) fn push(&mut self, edge: Edge<M>) -> Result<(), Stop> {
        debug_assert_eq!(self.rank.get(edge.target), 0, "I1");
        self.last += 1;
        self.rank.set(edge.target, self.last)?;
        self.components.push(Component {
            root: self.last,
            entry: edge.marks,
            sets: M::NONE,
            size: 1,
        });
        self.charge
            .cover(self.components.capacity() * size_of::<Component<M>>())?;
        Ok(())
    }

    /// An edge with these marks leads from the component at the end to a state of the chain with this rank. The
    /// sets that the component at the end is then in.
    pub(super) fn merge(&mut self, mut marks: M, rank: u32) -> M {
        debug_assert!(rank != 0 && rank <= self.last, "I1");
        let mut size = 0;
        while let Some(top) = self.components.pop() {
            marks = marks.union(top.sets);
            size += top.size;
            if top.root <= rank {
                self.components.push(Component {
                    sets: marks,
                    size,
                    ..top
                });
                break;
            }
            marks = marks.union(top.entry);
        }
        marks
    }

    /// Follows an edge from the component at the end, which is accepting once it is in `all` sets.
    #[inline]
    pub(super) fn meet(&mut self, edge: Edge<M>, all: M) -> Met {
        match self.rank(edge.target) {
            0 => Met::New,
            REMOVED => Met::Old,
            rank if self.merge(edge.marks, rank).includes(all) => Met::Accepting,
            _ => Met::Old,
        }
    }

    /// Is the state the first of the component at the end?
    pub(super) fn is_root(&self, state: u32) -> bool {
        (self.components.last()).is_some_and(|c| c.root == self.rank.get(state))
    }

    /// Takes the component at the end from the chain and tells the number of its states, each of which must then be
    /// removed.
    pub(super) fn pop(&mut self) -> usize {
        self.components.pop().map_or(0, |c| c.size)
    }

    /// Marks a state of a component taken from the chain.
    pub(super) fn remove(&mut self, state: u32) -> Result<(), Stop> {
        self.rank.set(state, REMOVED)?;
        Ok(())
    }

    /// A run, when the component at the end is accepting and `start` is one of its states.
    pub(super) fn run(
        &self,
        space: &mut dyn Space<M>,
        start: u32,
        counters: &mut Counters,
    ) -> Result<Run<M>, Stop> {
        let (root, size) = (self.components.last()).map_or((0, 0), |c| (c.root, c.size));
        counters.cycle_space = size as u64;
        let inside = |s: u32| {
            let rank = self.rank.get(s);
            rank >= root && rank != REMOVED
        };
        let wanted = space.wanted();
        let cycle = accepting_run::cycle_in_component(space, &inside, start, wanted, counters)?;
        accepting_run::with_prefix(space, &|s| self.rank.get(s) != 0, cycle)
    }
}

/// The states of a chain that are completely explored.
///
/// # Invariants
/// - **I1** Those of each component stand together and in the order of the chain. So merging components costs nothing, and
///   when the first state of a component is left, as its last one, its states are the last of the list.
pub(super) struct Removable {
    states: Vec<u32>,
    charge: Charge,
}

impl Removable {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            states: Vec::new(),
            charge: Charge::new(budget),
        }
    }

    /// Number of the states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// All edges of a state were followed. If it is the first of its component, the component is removed.
    pub(super) fn leave<M: Marks>(&mut self, chain: &mut Chain<M>, state: u32) -> Result<(), Stop> {
        self.states.push(state);
        self.charge
            .cover(self.states.capacity() * size_of::<u32>())?;
        if chain.is_root(state) {
            // I1.
            let size = chain.pop();
            debug_assert!(size <= self.states.len(), "I1");
            for state in self.states.drain(self.states.len() - size..) {
                chain.remove(state)?;
            }
        }
        Ok(())
    }
}
