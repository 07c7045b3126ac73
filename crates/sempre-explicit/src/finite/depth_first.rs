//! Depth-first search for a bad prefix, with as little memory as possible.
//!
//! What is known of a state that was left is one byte: the path is the stack. That is three bytes less for each state than a
//! breadth-first search needs, and no queue; but the stack may be long, and so is the prefix that is found. All
//! successors of a state are looked at before any of them is entered.
//!
//! The stack counted is the depth-first stack.
//!
//! Cost: each state and each edge once. One byte per state.

use super::life::Life;
use super::{Path, Targets};
use crate::emptiness::search_stack::{SearchStack, Step};
use crate::per_state::PerState;
use crate::space::{Counters, Edge, Stop};

/// A path to a state that has accepted and from which there is a run that goes on for ever, if `life` asks for that; `None`
/// if there is none.
///
/// # Errors
/// If the search could not go on.
pub(super) fn search(
    space: &mut dyn Targets,
    mut life: Option<Life>,
    counters: &mut Counters,
) -> Result<Option<Path>, Stop> {
    let budget = space.budget();
    let mut seen = PerState::new(false, &budget);
    let mut stack: SearchStack<u32> = SearchStack::new(&budget);
    let mut accepted: Vec<Edge<u32>> = Vec::new();
    for initial in space.initial()? {
        if space.distance(initial) == 0 {
            if let Some(goes_on) = Life::lasts(&mut life, space, initial)? {
                return Ok(Some(Path::start(initial, goes_on)));
            }
            continue;
        }
        if seen.get(initial) {
            continue;
        }
        let mut new = Some(Edge::to(initial));
        loop {
            if let Some(edge) = new.take() {
                counters.states += 1;
                seen.set(edge.target, true)?;
                stack.push(space.as_space(), edge)?;
                counters.stack(stack.len());
                accepted.clear();
                accepted.extend(stack.waiting().iter().rev().filter(|e| e.marks != 0));
                for &edge in &accepted {
                    if let Some(goes_on) = Life::lasts(&mut life, space, edge.target)? {
                        return Ok(Some(Path {
                            steps: stack.path(0, edge),
                            last: edge.target,
                            goes_on,
                        }));
                    }
                }
            }
            match stack.step() {
                Step::Met(edge) => {
                    counters.transitions += 1;
                    if edge.marks == 0 && !seen.get(edge.target) {
                        new = Some(edge);
                    }
                }
                Step::Left(_) => {}
                Step::Done => break,
            }
        }
    }
    Ok(None)
}
