//! Accepting runs when no component is known, by collecting edges.
//!
//! Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005, section 5) for Tauriainen's checks: these tell one state of an
//! accepting cycle, and nothing of its component. A depth-first search from that state, the home, looks for edges in
//! sets still missing; for each of them a nested one looks for a way back home. Edges with a way back are collected
//! until they are in all sets. Then breadth-first searches lead from home to the nearest collected edge that still
//! has something to add, from there to the next, and at last home.
//!
//! # Invariants
//! - **I1** A state is dead if a nested search without success has visited it: there is no way home from it. Nested
//!   searches do not enter dead states; after one with success nothing is known of the other states that it has
//!   visited.
//!
//! Cost: each nested search with success makes at least one set less missing, and states that are visited without
//! success are not visited again; so all together visit each state at most once for each set and once more. Then
//! one breadth-first search for each collected edge, and one more.

use super::accepting_run::{self, Bfs};
use super::search_stack::{SearchStack, Step};
use crate::marks::Marks;
use crate::per_state::PerState;
use crate::space::{Counters, Edge, Run, RunStep, Space, Stop};

/// What the nested searches know of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Unknown,
    /// Visited by the nested search with this number, which is still going on.
    Visited(u32),
    /// I1.
    Dead,
}

/// A run around a cycle through `home`, which is in all sets of `all`, among the states that `visited` allows. Such a
/// cycle must exist. `marks` tells the sets of an edge.
pub(super) fn run<M: Marks>(
    space: &mut dyn Space<M>,
    visited: &dyn Fn(u32) -> bool,
    marks: &dyn Fn(&Edge<M>) -> M,
    all: M,
    home: u32,
    counters: &mut Counters,
) -> Result<Run<M>, Stop> {
    space.accepted();
    counters.cycle_space = counters.states;
    let collected = collect(space, visited, marks, all, home, counters)?;
    let mut bfs = Bfs::new(space);
    let mut missing = all;
    let mut cycle: Vec<RunStep<M>> = Vec::new();
    let mut at = home;
    while missing != M::NONE || at != home || cycle.is_empty() {
        let goal = |state: u32, edge: &Edge<M>| {
            if missing == M::NONE {
                return edge.target == home;
            }
            let step = RunStep { state, edge: *edge };
            marks(edge).intersects(missing) && collected.contains(&step)
        };
        let path = bfs.path(space, &[at], visited, &goal, &mut counters.cycle_states)?;
        for step in path.expect("collected edges are on cycles through home") {
            missing = missing.minus(marks(&step.edge));
            at = step.edge.target;
            cycle.push(step);
        }
    }
    accepting_run::with_prefix(space, visited, cycle)
}

/// Edges that are each on a cycle through `home` and together in all sets.
fn collect<M: Marks>(
    space: &mut dyn Space<M>,
    visited: &dyn Fn(u32) -> bool,
    marks: &dyn Fn(&Edge<M>) -> M,
    all: M,
    home: u32,
    counters: &mut Counters,
) -> Result<Vec<RunStep<M>>, Stop> {
    let budget = space.budget();
    let mut missing = all;
    let mut collected = Vec::new();
    let mut seen = PerState::new(false, &budget);
    let mut way = PerState::new(Way::Unknown, &budget);
    let mut number = 0;
    let mut stack = SearchStack::new(&budget);
    let mut new = Some(Edge::to(home));
    while missing != M::NONE {
        if let Some(edge) = new.take() {
            counters.cycle_states += 1;
            seen.set(edge.target, true)?;
            stack.push(space, edge)?;
        }
        let edge = match stack.step() {
            Step::Met(edge) => edge,
            Step::Left(_) => continue,
            Step::Done => break,
        };
        let Some(state) = stack.top() else { break };
        if !visited(edge.target) {
            continue;
        }
        if marks(&edge).intersects(missing) {
            number += 1;
            if leads_home(
                space,
                visited,
                &mut way,
                number,
                edge.target,
                home,
                counters,
            )? {
                missing = missing.minus(marks(&edge));
                collected.push(RunStep { state, edge });
            }
        }
        if !seen.get(edge.target) && way.get(edge.target) != Way::Dead {
            new = Some(edge);
        }
    }
    Ok(collected)
}

/// Is there a path from a state to `home`? The nested search with this number.
fn leads_home<M: Marks>(
    space: &mut dyn Space<M>,
    visited: &dyn Fn(u32) -> bool,
    way: &mut PerState<Way>,
    number: u32,
    from: u32,
    home: u32,
    counters: &mut Counters,
) -> Result<bool, Stop> {
    if from == home {
        return Ok(true);
    }
    if way.get(from) == Way::Dead {
        return Ok(false);
    }
    let mut order = vec![from];
    let mut stack = SearchStack::new(&space.budget());
    let mut new = Some(Edge::to(from));
    way.set(from, Way::Visited(number))?;
    loop {
        if let Some(edge) = new.take() {
            counters.cycle_states += 1;
            stack.push(space, edge)?;
        }
        let edge = match stack.step() {
            Step::Met(edge) => edge,
            Step::Left(_) => continue,
            Step::Done => break,
        };
        if edge.target == home {
            return Ok(true);
        }
        let known = way.get(edge.target);
        if visited(edge.target) && known != Way::Dead && known != Way::Visited(number) {
            way.set(edge.target, Way::Visited(number))?;
            order.push(edge.target);
            new = Some(edge);
        }
    }
    // I1.
    for state in order {
        way.set(state, Way::Dead)?;
    }
    Ok(false)
}
