//! Couvreur's check (FM 1999), as presented in Fig. 2 of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005), with the
//! list of states to remove.
//!
//! One depth-first search keeps a chain of strongly connected components. A new state is a component of its own; an
//! edge to a state of the chain merges all components from that one on, together with the sets that their edges, and the
//! edges between them, are in. As soon as a component is in all sets there is an accepting run. A component that
//! is left is removed: no edge to it matters any more.
//!
//! # Invariants
//! - **I1** `rank[s]` is 0 for a state never seen, [`REMOVED`] for one of a removed component, and otherwise the place
//!   of the state in the order of the search, from 1.
//! - **I2** `chain` has ascending roots; the component of a state of the chain is the last one whose root is at most
//!   its rank.
//! - **I3** `removable` holds the states of the chain that are completely explored, those of each component
//!   together and in the order of the chain: `chain[i].removable` is where component i's begin. So merging
//!   costs nothing.
//! - **I4** The edges of the states on the stack that are still to be followed are in `edges`, those of each state
//!   together, the next one last. So memory is given back as the search proceeds.
//!
//! The stack counted is the depth-first stack and `removable`.
//!
//! Cost: each state and each edge once. Successors of a state are computed all at once; states that were computed but
//! never reached by the search are not counted as visited.

use super::accepting_run;
use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, Run, Space, Stop};

const REMOVED: u32 = u32::MAX;

/// A component of the chain.
struct Component<M> {
    /// The rank of its first state.
    root: u32,
    /// The sets of the edge from the component before.
    entry: M,
    /// The sets of its own edges.
    sets: M,
    /// I3.
    removable: usize,
}

/// A state on the depth-first stack.
struct Frame {
    state: u32,
    /// I4: where its edges begin.
    edges: usize,
}

struct Search<'a, M> {
    space: &'a mut dyn Space<M>,
    counters: &'a mut Counters,
    rank: PerState<u32>,
    last: u32,
    stack: Vec<Frame>,
    edges: Vec<Edge<M>>,
    chain: Vec<Component<M>>,
    removable: Vec<u32>,
    charge: Charge,
}

/// See the module's documentation.
///
/// # Errors
/// If the search could not go on.
pub fn check<M: Marks>(
    space: &mut dyn Space<M>,
    counters: &mut Counters,
) -> Result<Option<Run<M>>, Stop> {
    let budget = space.budget();
    let all = space.all();
    let initial = space.initial()?;
    let mut search = Search {
        space,
        counters,
        rank: PerState::new(0, &budget),
        last: 0,
        stack: Vec::new(),
        edges: Vec::new(),
        chain: Vec::new(),
        removable: Vec::new(),
        charge: Charge::new(&budget),
    };
    for state in initial {
        if search.rank.get(state) != 0 {
            continue;
        }
        search.push(M::NONE, state)?;
        while let Some(frame) = search.stack.last() {
            if search.edges.len() == frame.edges {
                search.pop()?;
                continue;
            }
            let Some(Edge { target, marks }) = search.edges.pop() else {
                break;
            };
            search.counters.transitions += 1;
            match search.rank.get(target) {
                0 => search.push(marks, target)?,
                REMOVED => {}
                rank => {
                    if search.merge(marks, rank).includes(all) {
                        return search.run(target).map(Some);
                    }
                }
            }
        }
    }
    Ok(None)
}

impl<M: Marks> Search<'_, M> {
    fn push(&mut self, marks: M, state: u32) -> Result<(), Stop> {
        self.counters.states += 1;
        self.last += 1;
        self.rank.set(state, self.last)?;
        self.chain.push(Component {
            root: self.last,
            entry: marks,
            sets: M::NONE,
            removable: self.removable.len(),
        });
        let edges = self.edges.len();
        self.stack.push(Frame { state, edges });
        self.space.expand(state, &mut self.edges)?;
        self.edges[edges..].reverse();
        self.counters.stack(self.stack.len() + self.removable.len());
        self.charge.cover(
            self.stack.capacity() * size_of::<Frame>()
                + self.edges.capacity() * size_of::<Edge<M>>()
                + self.chain.capacity() * size_of::<Component<M>>()
                + self.removable.capacity() * size_of::<u32>(),
        )?;
        Ok(())
    }

    fn pop(&mut self) -> Result<(), Stop> {
        let (Some(frame), Some(top)) = (self.stack.pop(), self.chain.last()) else {
            return Ok(());
        };
        self.removable.push(frame.state);
        if self.rank.get(frame.state) == top.root {
            for state in self.removable.drain(top.removable..) {
                self.rank.set(state, REMOVED)?;
            }
            self.chain.pop();
        }
        Ok(())
    }

    /// An edge with these marks leads from the top of the chain to a state of this rank.
    fn merge(&mut self, mut marks: M, rank: u32) -> M {
        while let Some(top) = self.chain.pop() {
            marks = marks.union(top.sets);
            if top.root <= rank {
                self.chain.push(Component { sets: marks, ..top });
                break;
            }
            marks = marks.union(top.entry);
        }
        marks
    }

    /// The component at the top of the chain is accepting, and `start` is one of its states.
    fn run(self, start: u32) -> Result<Run<M>, Stop> {
        let (root, removable) = (self.chain.last()).map_or((0, 0), |c| (c.root, c.removable));
        let rank = &self.rank;
        let outside = self.stack.partition_point(|f| rank.get(f.state) < root);
        let size = self.stack.len() - outside + self.removable.len() - removable;
        self.counters.cycle_space = size as u64;
        let inside = |s: u32| {
            let r = rank.get(s);
            r >= root && r != REMOVED
        };
        let cycle = accepting_run::cycle_in_component(self.space, &inside, start, self.counters)?;
        accepting_run::with_prefix(self.space, &|s| rank.get(s) != 0, cycle)
    }
}
