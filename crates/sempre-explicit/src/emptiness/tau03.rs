//! Tauriainen's generalised nested depth-first search (research report A83, Helsinki 2003; ACSD 2004), as measured in
//! Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005).
//!
//! For any number of acceptance sets. Each state has a set of sets, `seen`: those of edges from which a search has
//! come to it. When all edges of a state are explored, they are gone through again: for each of them a second search
//! takes the sets that the state has seen, with those of the edge, to all states that it can reach and that have not
//! seen them all. If then the state itself has seen all sets, it is on a cycle through all of them.
//!
//! With no acceptance set at all nothing would ever be propagated: then it behaves as though every edge were in one
//! set. (The paper did not measure it on such products.)
//!
//! # Invariants
//! - **I1** If a state on the stack has seen a set, there is a cycle through it and an edge in that set. For the set
//!   was taken to it from a state that was at the top of the stack, and is reachable from it.
//! - **I2** Second searches do not enter states that the first one has not seen.
//!
//! The stack counted is the states of both stacks.
//!
//! Accepting run: `collecting_run`.
//!
//! Cost: each state at most once in the first search and once for each set in second ones; each edge at most twice and
//! once for each set. Five bytes per state and more with many sets.

use super::collecting_run;
use super::search_stack::SearchStack;
use crate::marks::Marks;
use crate::per_state::PerState;
use crate::space::{Counters, Edge, Run, Space, Stop};

/// What is known of a state.
#[derive(Clone, Copy)]
struct Known<M> {
    visited: bool,
    seen: M,
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
    let count = space.sets();
    let always = if count == 0 { M::single(0) } else { M::NONE };
    let all = M::all(count.max(1));
    let marks = |edge: &Edge<M>| edge.marks.union(always);
    let unknown = Known {
        visited: false,
        seen: M::NONE,
    };
    let mut known = PerState::new(unknown, &budget);
    let mut stack = SearchStack::new(&budget);
    let mut second = SearchStack::new(&budget);
    let mut edges = Vec::new();
    for initial in space.initial()? {
        let mut new = (!known.get(initial).visited).then(|| Edge::to(initial));
        loop {
            if let Some(edge) = new.take() {
                counters.states += 1;
                let seen = M::NONE;
                known.set(
                    edge.target,
                    Known {
                        visited: true,
                        seen,
                    },
                )?;
                stack.push(space, edge)?;
                counters.stack(stack.len());
            }
            if let Some(edge) = stack.follow() {
                counters.transitions += 1;
                if !known.get(edge.target).visited {
                    new = Some(edge);
                }
                continue;
            }
            let Some(state) = stack.top() else { break };
            edges.clear();
            space.expand(state, &mut edges)?;
            for edge in &edges {
                counters.transitions += 1;
                let take = known.get(state).seen.union(marks(edge));
                let below = stack.len();
                propagate(space, counters, &mut known, &mut second, below, *edge, take)?;
            }
            if known.get(state).seen.includes(all) {
                let visited = |s| known.get(s).visited;
                let run = collecting_run::run(space, &visited, &marks, all, state, counters);
                return run.map(Some);
            }
            stack.pop();
        }
    }
    Ok(None)
}

/// A second search along an edge, which takes these sets to all states that have not seen them, on an empty stack of
/// its own above the `below` states of the first.
fn propagate<M: Marks>(
    space: &mut dyn Space<M>,
    counters: &mut Counters,
    known: &mut PerState<Known<M>>,
    stack: &mut SearchStack<M>,
    below: usize,
    edge: Edge<M>,
    take: M,
) -> Result<(), Stop> {
    let mut next = Some(edge);
    loop {
        if let Some(edge) = next {
            let Known { visited, seen } = known.get(edge.target);
            // I2.
            if visited && !seen.includes(take) {
                let seen = seen.union(take);
                known.set(edge.target, Known { visited, seen })?;
                stack.push(space, edge)?;
                counters.stack(below + stack.len());
            }
        } else {
            stack.pop();
        }
        if stack.len() == 0 {
            return Ok(());
        }
        next = stack.follow();
        counters.transitions += u64::from(next.is_some());
    }
}
