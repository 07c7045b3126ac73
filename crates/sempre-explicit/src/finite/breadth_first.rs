//! Breadth-first search for a shortest bad prefix.
//!
//! States are expanded in the order in which they were found, so each is found at its distance from the initial states,
//! and the first edge to a state that has accepted completes a shortest path there (Moore 1959). Which of several shortest
//! paths it is depends on the order of successors alone.
//!
//! # Invariants
//! - **I1** `parent` tells of each state that was found the state it was found from; following it leads to an initial
//!   state by a shortest path.
//!
//! The stack counted is the queue.
//!
//! Cost: each state and each edge once. Four bytes per state for its parent, four for each state in the queue.

use super::life::Life;
use super::{Path, Targets};
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, RunStep, Stop};
use std::collections::VecDeque;

/// Of a state that was not found.
const UNSEEN: u32 = u32::MAX;
/// Of an initial state.
const ROOT: u32 = u32::MAX - 1;

/// A shortest path to a state that has accepted and from which there is a run that goes on for ever, if `life` asks for
/// that; `None` if there is none. `each` is called before each expansion with the number of states expanded before, and may
/// stop the search.
///
/// # Errors
/// If the search could not go on.
pub(super) fn search(
    space: &mut dyn Targets,
    mut life: Option<Life>,
    counters: &mut Counters,
    each: &mut dyn FnMut(u64) -> Result<(), Stop>,
) -> Result<Option<Path>, Stop> {
    let budget = space.budget();
    let mut parent = PerState::new(UNSEEN, &budget);
    let mut queue: VecDeque<u32> = VecDeque::new();
    let mut charge = Charge::new(&budget);
    for initial in space.initial()? {
        if space.distance(initial) == 0 {
            if let Some(goes_on) = Life::lasts(&mut life, space, initial)? {
                return Ok(Some(Path::start(initial, goes_on)));
            }
            continue;
        }
        parent.set(initial, ROOT)?;
        queue.push_back(initial);
    }
    let mut edges: Vec<Edge<u32>> = Vec::new();
    while let Some(state) = queue.pop_front() {
        each(counters.states)?;
        counters.states += 1;
        edges.clear();
        space.expand(state, &mut edges)?;
        for &edge in &edges {
            counters.transitions += 1;
            if edge.marks != 0 {
                if let Some(goes_on) = Life::lasts(&mut life, space, edge.target)? {
                    let parent_of = |s| Some(parent.get(s)).filter(|&p| p != ROOT);
                    let last = RunStep { state, edge };
                    // I1.
                    return Ok(Some(Path::along(parent_of, last, goes_on)));
                }
            } else if parent.get(edge.target) == UNSEEN {
                parent.set(edge.target, state)?;
                queue.push_back(edge.target);
            }
        }
        counters.stack(queue.len());
        charge.cover(queue.capacity() * size_of::<u32>())?;
    }
    Ok(None)
}
