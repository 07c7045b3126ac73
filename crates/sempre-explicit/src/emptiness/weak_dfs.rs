//! One depth-first search, for weak automata.
//!
//! If no component of the property's automaton has both accepting cycles and others, and the automaton's sets are the
//! only ones, a cycle of the product is accepting if and only if the automaton's part of any of its states is in an
//! accepting component. Then the first edge back to a state on the stack there is all that has to be found (Černá and
//! Pelánek, MFCS 2003; Schwoon and Esparza, TACAS 2005), and each component with a cycle has such an edge.
//!
//! Once the search is in a terminal component, where every continuation is accepted, the answer is known, but not yet
//! the cycle. Nothing special needs to be done: if deadlocks stutter and no step fails, the search that goes on
//! closes a cycle before it leaves the first such state again.
//!
//! If the space cannot tell of a state whether its component is accepting ([`Kind::Mixed`]), this search could be
//! wrong. [`applicable`](crate::check::applicable) makes sure that it can; should it be run on such a space
//! nevertheless, [`cou99`] takes over, and the counters are those of it.
//!
//! # Invariants
//! - **I1** The states on the stack from the target of an edge back, and that edge, are a cycle.
//!
//! The stack counted is the depth-first stack.
//!
//! Cost: each state and each edge once. One byte per state.

use super::search_stack::{Place, SearchStack, Step};
use super::{accepting_run, cou99};
use crate::marks::Marks;
use crate::per_state::PerState;
use crate::property::Kind;
use crate::space::{Counters, Edge, Run, Space, Stop};

/// See the module's documentation.
///
/// # Errors
/// If the search could not go on.
pub fn check<M: Marks>(
    space: &mut dyn Space<M>,
    counters: &mut Counters,
) -> Result<Option<Run<M>>, Stop> {
    let before = *counters;
    let budget = space.budget();
    let mut place = PerState::new(Place::Unseen, &budget);
    let mut stack = SearchStack::new(&budget);
    for initial in space.initial()? {
        let mut new = (place.get(initial) == Place::Unseen).then(|| Edge::to(initial));
        loop {
            if let Some(edge) = new.take() {
                counters.states += 1;
                place.set(edge.target, Place::Stack)?;
                stack.push(space, edge)?;
                counters.stack(stack.len());
            }
            let edge = match stack.step() {
                Step::Met(edge) => edge,
                Step::Left(edge) => {
                    place.set(edge.target, Place::Left)?;
                    continue;
                }
                Step::Done => break,
            };
            counters.transitions += 1;
            match place.get(edge.target) {
                Place::Unseen => new = Some(edge),
                Place::Left => {}
                Place::Stack => match space.kind(edge.target) {
                    Kind::Rejecting => {}
                    Kind::Mixed => {
                        *counters = before;
                        return cou99::check(space, counters);
                    }
                    Kind::Weak | Kind::Terminal => {
                        // I1.
                        let from = stack.position(edge.target).unwrap_or(0);
                        let cycle = stack.path(from, edge);
                        let seen = |s| place.get(s) != Place::Unseen;
                        return accepting_run::with_prefix(space, &seen, cycle).map(Some);
                    }
                },
            }
        }
    }
    Ok(None)
}
