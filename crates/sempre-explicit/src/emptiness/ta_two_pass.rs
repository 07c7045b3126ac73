//! The check of products with testing automata, in two passes (Geldenhuys and Hansen, SPIN 2006; Ben Salem, Duret-Lutz
//! and Kordon, SUMo 2011).
//!
//! A testing automaton accepts in two ways. *Büchi*: a run that changes something infinitely often and visits a Büchi
//! accepting state infinitely often; in the product these are the sets 0 and 1 ([`crate::testing_property`]). *Livelock*: a
//! run that rests in a livelock accepting state for ever, the model stuttering.
//!
//! - **Pass 1** is Couvreur's search for a component in both sets. As a heuristic it also reports a cycle, closed on
//!   its stack, of stuttering edges alone around a livelock accepting state; since the automaton does not move when the
//!   model stutters, such a cycle lives in one state of the automaton. Pass 1 can miss livelocks, since it follows
//!   stuttering and other edges in any order.
//! - **Pass 2** looks among all states that pass 1 has visited and whose automaton's part is livelock accepting for a
//!   cycle of stuttering edges only: a plain depth-first search along these.
//!
//! # Invariants
//! - **I1** `changes[i]` is the number of edges in set 1 by which the states `0..=i` of the stack were entered. So a cycle
//!   along the stack stutters if the numbers at its ends are equal.
//! - **I2** Pass 2 begins only if pass 1 has visited everything, and it visits nothing else.
//!
//! The stack counted is that of `cou99`; in pass 2 its depth-first stack. Counters are the sums of both passes, and those
//! of the second are told apart.
//!
//! Cost: each state and each edge at most twice.

use super::accepting_run;
use super::chain::{Chain, Met, Removable};
use super::search_stack::{Place, SearchStack, Step};
use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, Run, Space, Stop};

/// The set of edges that change something.
const CHANGE: u32 = 1;

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
    let mut stack = SearchStack::new(&budget);
    let mut changes: Vec<u32> = Vec::new();
    let mut removable = Removable::new(&budget);
    let mut charge = Charge::new(&budget);
    let mut visited: Vec<u32> = Vec::new();
    for initial in space.initial()? {
        let mut new = (chain.rank(initial) == 0).then(|| Edge::to(initial));
        loop {
            if let Some(edge) = new.take() {
                counters.states += 1;
                chain.push(edge)?;
                stack.push(space, edge)?;
                // I1.
                let before = changes.last().copied().unwrap_or(0);
                changes.push(before + u32::from(edge.marks.contains(CHANGE)));
                if space.livelock(edge.target) {
                    visited.push(edge.target);
                }
                counters.stack(stack.len() + removable.len());
                charge.cover((changes.capacity() + visited.capacity()) * size_of::<u32>())?;
            }
            match stack.step() {
                Step::Met(edge) => {
                    counters.transitions += 1;
                    match chain.meet(edge, all) {
                        Met::New => new = Some(edge),
                        Met::Old if edge.marks.contains(CHANGE) => {}
                        Met::Old => {
                            if space.livelock(edge.target)
                                && let Some(from) = resting(&chain, &stack, &changes, edge.target)
                            {
                                let seen = |s| chain.rank(s) != 0;
                                let cycle = stack.path(from, edge);
                                return accepting_run::with_prefix(space, &seen, cycle).map(Some);
                            }
                        }
                        Met::Accepting => {
                            return chain.run(space, edge.target, counters).map(Some);
                        }
                    }
                }
                Step::Left(edge) => {
                    changes.pop();
                    removable.leave(&mut chain, edge.target)?;
                }
                Step::Done => break,
            }
        }
    }
    // I2.
    let seen = |s| chain.rank(s) != 0;
    second_pass(space, &visited, &seen, counters)
}

/// The position of a state on the stack, if it is there and all edges from there to the top stutter. States are on the
/// stack in the order of their ranks.
fn resting<M: Marks>(
    chain: &Chain<M>,
    stack: &SearchStack<M>,
    changes: &[u32],
    target: u32,
) -> Option<usize> {
    let top = *changes.last()?;
    // The first state of the stretch was entered by a change, and the others were not.
    let mut low = changes.partition_point(|&c| c < top);
    let mut high = stack.len();
    let rank = chain.rank(target);
    while low < high {
        let middle = low + (high - low) / 2;
        if chain.rank(stack.state(middle)) < rank {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (low < stack.len() && stack.state(low) == target).then_some(low)
}

fn second_pass<M: Marks>(
    space: &mut dyn Space<M>,
    livelock: &[u32],
    seen: &dyn Fn(u32) -> bool,
    counters: &mut Counters,
) -> Result<Option<Run<M>>, Stop> {
    let budget = space.budget();
    let mut place = PerState::new(Place::Unseen, &budget);
    let mut stack = SearchStack::new(&budget);
    for &begin in livelock {
        let mut new = (place.get(begin) == Place::Unseen).then(|| Edge::to(begin));
        loop {
            if let Some(edge) = new.take() {
                counters.second_states += 1;
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
            counters.second_transitions += 1;
            if edge.marks.contains(CHANGE) {
                continue;
            }
            match place.get(edge.target) {
                Place::Unseen => new = Some(edge),
                Place::Left => {}
                Place::Stack => {
                    let from = stack.position(edge.target).unwrap_or(0);
                    counters.only_second = true;
                    let cycle = stack.path(from, edge);
                    return accepting_run::with_prefix(space, seen, cycle).map(Some);
                }
            }
        }
    }
    Ok(None)
}
