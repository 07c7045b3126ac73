//! Couvreur's check that follows edges to known states first: "Cou99 shy-" of Couvreur, Duret-Lutz and Poitrenaud
//! (SPIN 2005, section 4.1).
//!
//! As [`cou99`](super::cou99), but of the edges of the state at the top of the stack those to states that have been
//! seen are followed before any that leads to a new one: components are merged before the search goes deeper, so that
//! an accepting one may be found with fewer states. For that all successors of a state must be known as soon as it is
//! entered. [`cou99_shy`](super::cou99_shy) looks at the edges of the whole component instead.
//!
//! # Invariants
//! - **I1** When an edge to a new state is followed, all edges of the top state that still wait lead to states that
//!   are new. To keep it, the waiting edges are looked through whenever a state comes to the top, on entry and on
//!   return. (On return some of them may lead to states that were visited meanwhile.)
//!
//! Edges are counted as traversed when they are computed, and the stack counted is the depth-first stack, `removable`,
//! and the edges that wait, as in the paper; the edge that is being followed still waits while the successors of
//! its target are added (this gives the paper's numbers: 365 states and 706 edges on a simple path make a
//! stack of 708).
//!
//! Cost: each state and each edge once, and looking through the edges of a state again at most as often as it has
//! successors. Four bytes per state.

use super::chain::{Chain, Met, Removable};
use super::search_stack::{SearchStack, Step};
use crate::marks::Marks;
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
    let mut removable = Removable::new(&budget);
    for initial in space.initial()? {
        let mut new = (chain.rank(initial) == 0).then(|| Edge::to(initial));
        loop {
            if let Some(edge) = new.take() {
                let followed = usize::from(stack.len() > 0);
                counters.states += 1;
                chain.push(edge)?;
                stack.push(space, edge)?;
                counters.transitions += stack.waiting().len() as u64;
                counters.stack(stack.len() + removable.len() + stack.all_waiting() + followed);
            }
            // I1. The next edge is last.
            let waiting = stack.waiting();
            let mut accepting = None;
            let mut kept = waiting.len();
            for i in (0..waiting.len()).rev() {
                let edge = waiting[i];
                match chain.meet(edge, all) {
                    Met::New => {
                        kept -= 1;
                        waiting[kept] = edge;
                    }
                    Met::Old => {}
                    Met::Accepting => {
                        accepting = Some(edge.target);
                        break;
                    }
                }
            }
            if let Some(start) = accepting {
                return chain.run(space, start, counters).map(Some);
            }
            let count = waiting.len() - kept;
            waiting.copy_within(kept.., 0);
            stack.keep_waiting(count);
            match stack.step() {
                Step::Met(edge) => new = Some(edge),
                Step::Left(edge) => removable.leave(&mut chain, edge.target)?,
                Step::Done => break,
            }
        }
    }
    Ok(None)
}
