//! Geldenhuys and Valmari's check (TACAS 2004): Tarjan's algorithm that stops as soon as an accepting cycle is closed.
//!
//! For one acceptance set. Tarjan's stack holds the states of all components that are not complete, each with its
//! lowlink, a lowest position that it is known to reach. Each state keeps in addition a position, the *acceptance
//! link*: below it and at it begin the cycles that would be accepting. When a lowlink of a state falls to its
//! acceptance link or below, such a cycle is closed.
//!
//! How ours differs: acceptance is on edges, as in Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005). A state that is
//! entered by an accepting edge gets the position just below its own as its link; otherwise it inherits the link of
//! the state it is entered from. (Every position below is good enough: a state on the stack reaches the depth-first
//! path at a place not above its own position. So if the new state reaches it, the edge to the new state is on a
//! cycle.) An accepting edge to a state on the stack closes a cycle at once.
//!
//! # Invariants
//! - **I1** A state `s` has been seen if `position[s]` is not `UNSEEN`, and it is on the stack if the entry there is
//!   its own. So states need not be touched when their component is removed.
//! - **I2** All states on the stack reach the state at the top of the depth-first path.
//! - **I3** The depth-first path is a list through the stack: `top`, and then the predecessors.
//! - **I4** If `lowlink <= link` in an entry of the depth-first path, there is an accepting cycle through it.
//! - **I5** A state reaches its lowlink through states that are not below it. So if the end of the path reaches a
//!   state of the path, and no state at or above that one has a lowlink below it, they are one component.
//!
//! The accepting run: in the component that I5 gives, which has an accepting edge, breadth-first searches find a
//! short cycle. (The authors show in TCS 2005 how one more number for each state gives the cycle that was found; a
//! search gives a shorter one.)
//!
//! The stack counted is Tarjan's stack, that is, all states of incomplete components.
//!
//! Cost: each state and each edge once. Four bytes per state.

use super::accepting_run;
use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, Run, Space, Stop};

const UNSEEN: u32 = u32::MAX;
const NONE: u32 = u32::MAX;

struct Entry {
    state: u32,
    lowlink: u32,
    /// One more than the acceptance link; 0 if there is none.
    link: u32,
    /// I3.
    predecessor: u32,
    /// Where its edges begin.
    edges: usize,
}

struct Search<'a, M> {
    space: &'a mut dyn Space<M>,
    counters: &'a mut Counters,
    stack: Vec<Entry>,
    /// The edges still to be followed of the states on the path, the next one last.
    edges: Vec<Edge<M>>,
    /// The position of the end of the path.
    top: u32,
    position: PerState<u32>,
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
        stack: Vec::new(),
        edges: Vec::new(),
        top: NONE,
        position: PerState::new(UNSEEN, &budget),
        charge: Charge::new(&budget),
    };
    for state in initial {
        if search.position.get(state) != UNSEEN {
            continue;
        }
        search.push(state, false)?;
        while search.top != NONE {
            let begin = search.stack[search.top as usize].edges;
            let edge = (search.edges.len() > begin).then(|| search.edges.pop());
            let closed = match edge.flatten() {
                None => search.pop(),
                Some(Edge { target, marks }) => {
                    search.counters.transitions += 1;
                    let accepting = marks.includes(all);
                    let position = search.position.get(target);
                    let entry = search.stack.get(position as usize);
                    if position == UNSEEN {
                        search.push(target, accepting)?;
                        false
                    } else if entry.is_some_and(|e| e.state == target) {
                        // I2.
                        search.update(search.top, position) || accepting
                    } else {
                        false
                    }
                }
            };
            if closed {
                return search.run().map(Some);
            }
        }
    }
    Ok(None)
}

impl<M: Marks> Search<'_, M> {
    fn push(&mut self, state: u32, accepting: bool) -> Result<(), Stop> {
        self.counters.states += 1;
        let position = self.stack.len() as u32;
        self.position.set(state, position)?;
        debug_assert!(self.top == NONE || self.top < position, "I3");
        let link = match self.stack.get(self.top as usize) {
            Some(_) if accepting => position,
            Some(entry) => entry.link,
            None => 0,
        };
        let edges = self.edges.len();
        self.stack.push(Entry {
            state,
            lowlink: position,
            link,
            predecessor: self.top,
            edges,
        });
        self.top = position;
        self.counters.stack(self.stack.len());
        self.space.expand(state, &mut self.edges)?;
        self.edges[edges..].reverse();
        self.charge.cover(
            self.stack.capacity() * size_of::<Entry>()
                + self.edges.capacity() * size_of::<Edge<M>>(),
        )?;
        Ok(())
    }

    /// Leaves the end of the path. Is an accepting cycle closed?
    fn pop(&mut self) -> bool {
        let Entry {
            lowlink,
            predecessor,
            ..
        } = self.stack[self.top as usize];
        let mut closed = false;
        if lowlink == self.top {
            // I1: the component goes.
            self.stack.truncate(self.top as usize);
        } else {
            closed = self.update(predecessor, self.top);
        }
        self.top = predecessor;
        closed
    }

    /// The state at one position reaches what the state at another does. Is an accepting cycle closed?
    fn update(&mut self, from: u32, to: u32) -> bool {
        let lowlink = self.stack[to as usize].lowlink;
        let entry = &mut self.stack[from as usize];
        entry.lowlink = entry.lowlink.min(lowlink);
        // I4.
        lowlink < entry.link
    }

    /// A run, when a cycle through the end of the path is closed.
    fn run(self) -> Result<Run<M>, Stop> {
        let start = self.stack[self.top as usize].state;
        let mut lowest = self.stack[self.top as usize].lowlink;
        let mut root = self.top;
        let mut looked_at = self.stack.len();
        // I5.
        while lowest < root {
            while lowest < root {
                root = self.stack[root as usize].predecessor;
            }
            let more = &self.stack[root as usize..looked_at];
            lowest = more.iter().fold(lowest, |low, e| low.min(e.lowlink));
            looked_at = root as usize;
        }
        self.counters.cycle_space = (self.stack.len() - root as usize) as u64;
        let (stack, position) = (&self.stack, &self.position);
        let inside = |s: u32| {
            let position = position.get(s);
            position != UNSEEN
                && position >= root
                && (stack.get(position as usize)).is_some_and(|e| e.state == s)
        };
        let wanted = self.space.wanted();
        let cycle =
            accepting_run::cycle_in_component(self.space, &inside, start, wanted, self.counters)?;
        accepting_run::with_prefix(self.space, &|s| position.get(s) != UNSEEN, cycle)
    }
}
