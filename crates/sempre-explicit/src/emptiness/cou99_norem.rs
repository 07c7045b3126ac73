//! Couvreur's check as it was first published (FM 1999): without a list of states to remove.
//!
//! The same search as [`cou99`](super::cou99). When the first state of a component is left, the states of the component
//! are found again by walking along their edges: whatever is reachable from that state and not removed before
//! belongs to it, for all other components that are reachable have been left before.
//!
//! Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005, below Table 2) measured it beside the version with the list: less
//! stack, and on an empty product each edge twice.
//!
//! The stack counted is the depth-first stack. The states that a walk has found and not yet left are not counted, as in
//! the paper (1145 for formula F, whose largest component has 145,172 states); they are charged to the budget.
//!
//! Cost: each state and each edge twice. Four bytes per state.

use super::chain::{Chain, Met, REMOVED};
use super::search_stack::{SearchStack, Step};
use crate::marks::Marks;
use crate::per_state::Charge;
use crate::space::{Counters, Edge, Run, Space, Stop};

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
    let mut charge = Charge::new(&budget);
    for initial in space.initial()? {
        let mut new = (chain.rank(initial) == 0).then(|| Edge::to(initial));
        loop {
            if let Some(edge) = new.take() {
                counters.states += 1;
                chain.push(edge)?;
                stack.push(space, edge)?;
                counters.stack(stack.len());
            }
            match stack.step() {
                Step::Met(edge) => {
                    counters.transitions += 1;
                    match chain.meet(edge, all) {
                        Met::New => new = Some(edge),
                        Met::Old => {}
                        Met::Accepting => {
                            return chain.run(space, edge.target, counters).map(Some);
                        }
                    }
                }
                Step::Left(edge) if chain.is_root(edge.target) => {
                    chain.pop();
                    remove(space, &mut chain, edge.target, counters, &mut charge)?;
                }
                Step::Left(_) => {}
                Step::Done => break,
            }
        }
    }
    Ok(None)
}

/// Removes all states that are reachable from `root` and not removed yet.
fn remove<M: Marks>(
    space: &mut dyn Space<M>,
    chain: &mut Chain<M>,
    root: u32,
    counters: &mut Counters,
    charge: &mut Charge,
) -> Result<(), Stop> {
    let mut found = vec![root];
    let mut edges = Vec::new();
    chain.remove(root)?;
    while let Some(state) = found.pop() {
        edges.clear();
        space.expand(state, &mut edges)?;
        counters.transitions += edges.len() as u64;
        for edge in &edges {
            if chain.rank(edge.target) != REMOVED {
                chain.remove(edge.target)?;
                found.push(edge.target);
            }
        }
        charge.cover(found.capacity() * size_of::<u32>())?;
    }
    Ok(())
}
