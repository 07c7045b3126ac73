//! Couvreur's check (FM 1999), as presented in Fig. 2 of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005), with the
//! list of states to remove.
//!
//! One depth-first search keeps a `chain` of strongly connected components. As soon as a component is
//! in all sets there is an accepting run. A component that is left, because its first state is, is removed.
//!
//! # Invariants
//! - **I1** `removable` holds the states of the chain that are completely explored, those of each component together
//!   and in the order of the chain. So merging components costs nothing, and when the first state of a component is
//!   left, as its last one, its states are the last of the list.
//!
//! The stack counted is the depth-first stack and `removable`.
//!
//! Cost: each state and each edge once. Successors of a state are computed all at once; states that were computed but
//! never reached by the search are not counted as visited. Four bytes per state.

use super::chain::{Chain, REMOVED};
use super::search_stack::SearchStack;
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
    let mut removable: Vec<u32> = Vec::new();
    let mut charge = Charge::new(&budget);
    for initial in space.initial()? {
        if chain.rank(initial) != 0 {
            continue;
        }
        let mut new = Some(Edge {
            target: initial,
            marks: M::NONE,
        });
        loop {
            if let Some(edge) = new.take() {
                counters.states += 1;
                chain.push(edge)?;
                stack.push(space, edge)?;
                counters.stack(stack.len() + removable.len());
            }
            let Some(edge) = stack.follow() else {
                let Some(Edge { target: left, .. }) = stack.pop() else {
                    break;
                };
                removable.push(left);
                charge.cover(removable.capacity() * size_of::<u32>())?;
                if chain.is_root(left) {
                    // I1.
                    let size = chain.pop();
                    debug_assert!(size <= removable.len(), "I1");
                    for state in removable.drain(removable.len() - size..) {
                        chain.remove(state)?;
                    }
                }
                continue;
            };
            counters.transitions += 1;
            match chain.rank(edge.target) {
                0 => new = Some(edge),
                REMOVED => {}
                rank => {
                    if chain.merge(edge.marks, rank).includes(all) {
                        return chain.run(space, edge.target, counters).map(Some);
                    }
                }
            }
        }
    }
    Ok(None)
}
