//! The nested depth-first search of Schwoon and Esparza (TACAS 2005).
//!
//! For one acceptance set. As in [`cvwy90`](super::cvwy90) a blue search, and red searches from the targets of
//! accepting edges. Two bits for each state tell the state's colour: white, if it was not seen; cyan on the blue
//! stack; blue when left; red when visited by a red search. Cycles are found early:
//! - A red search has found a cycle as soon as it meets a cyan state, for from there the stack leads on to the
//!   accepting edge.
//! - The blue search has found a cycle when an edge leads to a cyan state and it, or the edge by which its source was
//!   entered, is accepting.
//!
//! How ours differs: acceptance is on edges, as in Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005); in the second
//! case the original asks whether one of the two states is accepting.
//!
//! # Invariants
//! - **I1** Red searches begin at blue states, go through blue states and make them red, and have success at cyan
//!   ones. So after one without success all successors of red states are red.
//! - **I2** The edge that closes a cycle is the last on the stack, its target is on it.
//!
//! The stack counted is the states of both stacks; the target of the edge that closes the cycle is counted
//! once more, as in the paper.
//!
//! Accepting run: the two stacks, from the state where they meet.
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
    Cyan,
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
                colour.set(edge.target, Colour::Cyan)?;
                blue.push(space, edge)?;
                counters.stack(blue.len());
            }
            // An edge that was met, or is left.
            let (edge, met) = match blue.step() {
                Step::Met(edge) => {
                    counters.transitions += 1;
                    (edge, colour.get(edge.target))
                }
                Step::Left(edge) => {
                    debug_assert!(colour.get(edge.target) == Colour::Cyan, "I1");
                    colour.set(edge.target, Colour::Blue)?;
                    (edge, Colour::Blue)
                }
                Step::Done => break,
            };
            let Some(source) = blue.top() else {
                continue;
            };
            let accepting = edge.marks.includes(all);
            // The part of the cycle beyond the blue stack.
            let mut end = Vec::new();
            match met {
                Colour::White => new = Some(edge),
                Colour::Cyan => {
                    let entered = edge.target != source && blue.top_marks().includes(all);
                    if accepting || entered {
                        counters.stack(blue.len() + 1);
                        end.push(RunStep {
                            state: source,
                            edge,
                        });
                    }
                }
                Colour::Blue if accepting => {
                    let below = blue.len();
                    end = search(space, counters, &mut colour, &mut red, source, edge, below)?;
                }
                Colour::Blue | Colour::Red => {}
            }
            if let Some(last) = end.last() {
                // I2.
                let from = blue.position(last.edge.target).unwrap_or(0);
                let mut cycle: Vec<RunStep<M>> = blue.steps(from).collect();
                cycle.extend(end);
                let seen = |s| colour.get(s) != Colour::White;
                return accepting_run::with_prefix(space, &seen, cycle).map(Some);
            }
        }
    }
    Ok(None)
}

/// A red search along an edge, on an empty stack of its own above the `below` states of the blue one: the path to a
/// cyan state, or nothing.
fn search<M: Marks>(
    space: &mut dyn Space<M>,
    counters: &mut Counters,
    colour: &mut PerState<Colour>,
    red: &mut SearchStack<M>,
    source: u32,
    edge: Edge<M>,
    below: usize,
) -> Result<Vec<RunStep<M>>, Stop> {
    let mut new = Some(edge);
    loop {
        if let Some(edge) = new.take() {
            colour.set(edge.target, Colour::Red)?;
            red.push(space, edge)?;
            counters.stack(below + red.len());
        }
        let Some(next) = red.follow() else {
            red.pop();
            if red.len() == 0 {
                return Ok(Vec::new());
            }
            continue;
        };
        counters.transitions += 1;
        match colour.get(next.target) {
            Colour::Cyan => {
                counters.stack(below + red.len() + 1);
                let mut path = vec![RunStep {
                    state: source,
                    edge,
                }];
                path.extend(red.path(0, next));
                return Ok(path);
            }
            Colour::Blue => new = Some(next),
            Colour::White | Colour::Red => {}
        }
    }
}
