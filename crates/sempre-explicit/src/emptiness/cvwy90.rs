//! The nested depth-first search of Courcoubetis, Vardi, Wolper and Yannakakis (CAV 1990).
//!
//! For one acceptance set. A first ("blue") search; when it leaves an accepting edge, or meets one whose target has
//! been seen, a second ("red") search begins at the target of the edge and looks for its source. All red searches
//! share their marks, so that each state is visited at most once by each colour.
//!
//! How ours differs: acceptance is on edges, as in Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005), and a red search
//! does not wait until the source of the edge is left. Why that is right:
//!
//! # Invariants
//! - **I1** After a red search without success no state on the blue stack is red. For if it had met one of
//!   them, it would have gone along the stack, where nothing was red before, to the source, which is at the top.
//! - **I2** After such a search every successor of a red state is red. For by I1 red states have been left by the blue
//!   search, so that all their successors have been seen.
//!
//! So if a red search is kept from its target by a red state, the target were red itself by I2, against I1.
//!
//! The stack counted is the states of both stacks; the state that a red search looked for is on its stack when
//! found.
//!
//! Accepting run: the accepting edge, and the red stack.
//!
//! Cost: each state and each edge at most twice. One byte per state.

use super::accepting_run;
use super::search_stack::{SearchStack, Step};
use crate::marks::Marks;
use crate::per_state::PerState;
use crate::space::{Counters, Edge, Run, RunStep, Space, Stop};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    White,
    Blue,
    Red,
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
    let mut colour = PerState::new(Colour::White, &budget);
    let mut blue = SearchStack::new(&budget);
    let mut red = SearchStack::new(&budget);
    for initial in space.initial()? {
        let mut new = (colour.get(initial) == Colour::White).then(|| Edge::to(initial));
        loop {
            if let Some(edge) = new.take() {
                counters.states += 1;
                colour.set(edge.target, Colour::Blue)?;
                blue.push(space, edge)?;
                counters.stack(blue.len());
            }
            // An edge that was met, or is left.
            let edge = match blue.step() {
                Step::Met(edge) => {
                    counters.transitions += 1;
                    if colour.get(edge.target) == Colour::White {
                        new = Some(edge);
                        continue;
                    }
                    edge
                }
                Step::Left(edge) => edge,
                Step::Done => break,
            };
            let Some(source) = blue.top() else {
                continue;
            };
            debug_assert!(colour.get(source) == Colour::Blue, "I1");
            if !edge.marks.includes(all) || colour.get(edge.target) == Colour::Red {
                continue;
            }
            let mut new_red = Some(edge);
            loop {
                if let Some(edge) = new_red.take() {
                    colour.set(edge.target, Colour::Red)?;
                    red.push(space, edge)?;
                    counters.stack(blue.len() + red.len());
                    if edge.target == source {
                        break;
                    }
                }
                match red.step() {
                    Step::Met(edge) => {
                        counters.transitions += 1;
                        // White states are no successors of states that the search may lead through (I1), except
                        // on the way along the stack to success.
                        if colour.get(edge.target) == Colour::Blue {
                            new_red = Some(edge);
                        }
                    }
                    Step::Left(_) => {}
                    Step::Done => break,
                }
            }
            if red.len() > 0 {
                let mut cycle = vec![RunStep {
                    state: source,
                    edge,
                }];
                cycle.extend(red.steps(0));
                let seen = |s| colour.get(s) != Colour::White;
                return accepting_run::with_prefix(space, &seen, cycle).map(Some);
            }
        }
    }
    Ok(None)
}
