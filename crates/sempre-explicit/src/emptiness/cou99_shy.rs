//! Couvreur's check that follows the edges of the last component, those to known states first: "Cou99 shy" of Couvreur,
//! Duret-Lutz and Poitrenaud (SPIN 2005, section 4.1).
//!
//! As [`cou99_shy_minus`](super::cou99_shy_minus), but of the edges of all states of the last component. So there is
//! no depth-first stack of states any more: the search goes on from a component, a component without waiting edges is
//! complete, and merging components merges their waiting edges.
//!
//! How ours differs: the paper does not say how a known state is found among the edges that wait. To look through all
//! edges of a component after each step takes quadratic time. Here the edges that wait for a new state are linked to
//! it, so that, when it is entered, exactly they are told that it is known.
//!
//! # Invariants
//! - **I1** `members` are the states of the chain, in the order in which they were entered; so those of each component
//!   are together.
//! - **I2** An edge of a component waits in one of its two queues: `known` if its target has been seen, else
//!   `fresh`, and then it is in the list of its target, too.
//! - **I3** Besides, `fresh` may have edges whose target has been seen since: these have a twin in a queue `known`
//!   of the same component. No edge of `fresh` is looked at before `known` is empty, that is, after the twin; so they
//!   can be thrown away then.
//!
//! Queues are linked lists, so that merging costs nothing; edges of the earlier component come first.
//!
//! Edges are counted as traversed when they are computed, and the stack counted is the number of states in the
//! chain and of edges that wait, with the edge that is being followed, as in `cou99_shy_minus`.
//!
//! Cost: each state and each edge once; finding the component of an edge that has become known is a binary search
//! in the chain. Eight bytes per state.

use super::chain::{Chain, REMOVED};
use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, Run, Space, Stop};

const NOTHING: u32 = u32::MAX;

struct Waiting<M> {
    edge: Edge<M>,
    /// The rank of its source.
    source: u32,
    /// The next one in the queue.
    next: u32,
    /// The next one that waits for the same target.
    alike: u32,
}

#[derive(Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
}

const EMPTY: Queue = Queue {
    first: NOTHING,
    last: NOTHING,
};

/// I2: what waits in a component.
struct Queues {
    known: Queue,
    fresh: Queue,
}

/// All edges that wait.
struct Pool<M> {
    edges: Vec<Waiting<M>>,
    /// Places that are free again.
    free: u32,
    charge: Charge,
}

impl<M: Marks> Pool<M> {
    fn append(
        &mut self,
        queue: &mut Queue,
        edge: Edge<M>,
        source: u32,
        alike: u32,
    ) -> Result<u32, Stop> {
        let new = Waiting {
            edge,
            source,
            next: NOTHING,
            alike,
        };
        let place = self.free;
        let place = if place == NOTHING {
            self.edges.push(new);
            self.charge
                .cover(self.edges.capacity() * size_of::<Waiting<M>>())?;
            (self.edges.len() - 1) as u32
        } else {
            self.free = self.edges[place as usize].next;
            self.edges[place as usize] = new;
            place
        };
        let single = Queue {
            first: place,
            last: place,
        };
        *queue = self.join(*queue, single);
        Ok(place)
    }

    fn join(&mut self, front: Queue, back: Queue) -> Queue {
        if front.first == NOTHING {
            return back;
        }
        if back.first == NOTHING {
            return front;
        }
        self.edges[front.last as usize].next = back.first;
        Queue {
            first: front.first,
            last: back.last,
        }
    }

    /// Takes the first edge of a queue, and tells its place.
    fn take(&mut self, queue: &mut Queue) -> Option<(u32, Edge<M>)> {
        let place = queue.first;
        if place == NOTHING {
            return None;
        }
        let waiting = &mut self.edges[place as usize];
        queue.first = waiting.next;
        waiting.next = self.free;
        self.free = place;
        Some((place, waiting.edge))
    }
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
    let mut chain = Chain::new(&budget);
    // Beside the components of the chain.
    let mut queues: Vec<Queues> = Vec::new();
    let mut members: Vec<u32> = Vec::new();
    let mut charge = Charge::new(&budget);
    let mut pool = Pool {
        edges: Vec::new(),
        free: NOTHING,
        charge: Charge::new(&budget),
    };
    // The edges that wait for a new state.
    let mut lists: PerState<u32> = PerState::new(NOTHING, &budget);
    let mut waiting = 0;
    let mut edges = Vec::new();
    let mut told = Vec::new();
    for initial in space.initial()? {
        let mut new = (chain.rank(initial) == 0).then(|| (NOTHING, Edge::to(initial)));
        loop {
            if let Some((place, edge)) = new.take() {
                // All others who wait for the state are told that it is known. (The place of this edge is free, but
                // not used again yet.)
                told.clear();
                let mut other = lists.get(edge.target);
                while other != NOTHING {
                    let waiting = &pool.edges[other as usize];
                    if other != place {
                        told.push((waiting.source, waiting.edge));
                    }
                    other = waiting.alike;
                }
                for &(source, edge) in &told {
                    let queue = &mut queues[chain.component(source)].known;
                    pool.append(queue, edge, source, NOTHING)?;
                }
                counters.states += 1;
                chain.push(edge)?;
                members.push(edge.target);
                edges.clear();
                space.expand(edge.target, &mut edges)?;
                counters.transitions += edges.len() as u64;
                waiting += edges.len();
                counters.stack(members.len() + waiting);
                waiting -= usize::from(place != NOTHING);
                let (mut known, mut fresh) = (EMPTY, EMPTY);
                let rank = chain.last_rank();
                for &edge in &edges {
                    if chain.rank(edge.target) != 0 {
                        pool.append(&mut known, edge, rank, NOTHING)?;
                    } else {
                        let list = lists.get(edge.target);
                        let place = pool.append(&mut fresh, edge, rank, list)?;
                        lists.set(edge.target, place)?;
                    }
                }
                queues.push(Queues { known, fresh });
                charge.cover(
                    members.capacity() * size_of::<u32>() + queues.capacity() * size_of::<Queues>(),
                )?;
            }
            let Some(top) = queues.last_mut() else {
                break;
            };
            if let Some((_, edge)) = pool.take(&mut top.known) {
                waiting -= 1;
                let rank = chain.rank(edge.target);
                if rank == REMOVED {
                    continue;
                }
                if chain.merge(edge.marks, rank).includes(all) {
                    return chain.run(space, edge.target, counters).map(Some);
                }
                while queues.len() > chain.len()
                    && let Some(later) = queues.pop()
                    && let Some(top) = queues.last_mut()
                {
                    top.known = pool.join(top.known, later.known);
                    top.fresh = pool.join(top.fresh, later.fresh);
                }
            } else if let Some((place, edge)) = pool.take(&mut top.fresh) {
                if chain.rank(edge.target) == 0 {
                    new = Some((place, edge));
                }
                // Else I3.
            } else {
                queues.pop();
                // I1.
                let size = chain.pop();
                debug_assert!(size <= members.len(), "I1");
                for state in members.drain(members.len() - size..) {
                    chain.remove(state)?;
                }
            }
        }
    }
    Ok(None)
}
