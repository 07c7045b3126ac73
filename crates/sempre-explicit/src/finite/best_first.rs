//! Best-first search for a shortest bad prefix, directed by the automaton.
//!
//! Hart, Nilsson and Raphael's A* (1968): of the states that were found, the one with the smallest sum of its depth and of
//! an estimate of what is still to go is expanded first. The estimate is the length of a shortest word that the automaton
//! accepts from its part of the state (Latvala, SPIN 2003, section 3, names the idea). It never is too large, and never
//! falls by more than one in a step; so a state is expanded with its right depth, and the first edge to a state that has
//! accepted completes a shortest path.
//!
//! Among equal sums the state found last comes first. Where every state is estimated alike, as for invariants, that is a
//! breadth-first search whose levels are expanded backwards.
//!
//! # Invariants
//! - **I1** A state that was expanded has its smallest depth, and so have those along its parents.
//! - **I2** An entry of `open` whose depth is not that of its state any more is of no use, and is dropped when it is met.
//!
//! The stack counted is the states that wait.
//!
//! Cost: each state and each edge once. Nine bytes per state, eight for each entry that waits.

use super::life::Life;
use super::{Path, Targets};
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, RunStep, Stop};

#[derive(Clone, Copy)]
struct Known {
    parent: u32,
    /// `u32::MAX` if the state was not found.
    depth: u32,
}

/// Of an initial state.
const ROOT: u32 = u32::MAX;

/// The states that wait, by their sums.
#[derive(Default)]
struct Open {
    buckets: Vec<Vec<(u32, u32)>>,
    lowest: usize,
    len: usize,
}

impl Open {
    fn push(&mut self, sum: u32, depth: u32, state: u32) {
        let sum = sum as usize;
        if sum >= self.buckets.len() {
            self.buckets.resize_with(sum + 1, Vec::new);
        }
        self.buckets[sum].push((depth, state));
        self.lowest = self.lowest.min(sum);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<(u32, u32)> {
        while let Some(bucket) = self.buckets.get_mut(self.lowest) {
            if let Some(entry) = bucket.pop() {
                self.len -= 1;
                return Some(entry);
            }
            *bucket = Vec::new();
            self.lowest += 1;
        }
        None
    }
}

/// A shortest path to a state that has accepted and from which there is a run that goes on for ever, if `life` asks for
/// that; `None` if there is none.
///
/// # Errors
/// If the search could not go on.
pub(super) fn search(
    space: &mut dyn Targets,
    mut life: Option<Life>,
    counters: &mut Counters,
) -> Result<Option<Path>, Stop> {
    let budget = space.budget();
    let nothing = Known {
        parent: ROOT,
        depth: u32::MAX,
    };
    let mut known = PerState::new(nothing, &budget);
    let mut closed = PerState::new(false, &budget);
    let mut open = Open::default();
    let mut charge = Charge::new(&budget);
    for initial in space.initial()? {
        let distance = space.distance(initial);
        if distance == 0 {
            if let Some(goes_on) = Life::lasts(&mut life, space, initial)? {
                return Ok(Some(Path::start(initial, goes_on)));
            }
            continue;
        }
        let root = Known {
            parent: ROOT,
            depth: 0,
        };
        known.set(initial, root)?;
        if distance < u32::MAX {
            open.push(distance, 0, initial);
        }
    }
    let mut edges: Vec<Edge<u32>> = Vec::new();
    while let Some((depth, state)) = open.pop() {
        // I2.
        if known.get(state).depth != depth || closed.get(state) {
            continue;
        }
        closed.set(state, true)?;
        counters.states += 1;
        edges.clear();
        space.expand(state, &mut edges)?;
        for &edge in &edges {
            counters.transitions += 1;
            if edge.marks != 0 {
                if let Some(goes_on) = Life::lasts(&mut life, space, edge.target)? {
                    let parent_of = |s| Some(known.get(s).parent).filter(|&p| p != ROOT);
                    let last = RunStep { state, edge };
                    // I1.
                    return Ok(Some(Path::along(parent_of, last, goes_on)));
                }
                continue;
            }
            if known.get(edge.target).depth <= depth + 1 {
                continue;
            }
            debug_assert!(!closed.get(edge.target), "I1");
            let better = Known {
                parent: state,
                depth: depth + 1,
            };
            known.set(edge.target, better)?;
            let distance = space.distance(edge.target);
            if distance < u32::MAX {
                open.push(depth + 1 + distance, depth + 1, edge.target);
            }
        }
        counters.stack(open.len);
        charge.cover(open.len * size_of::<(u32, u32)>())?;
    }
    Ok(None)
}
