//! Couvreur's check (FM 1999), as presented in Fig. 2 of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005), with the
//! list of states to remove.
//!
//! One depth-first search keeps a `chain` of strongly connected components. As soon as a component is
//! in all sets there is an accepting run. A component that is left, because its first state is, is removed.
//!
//! The states of the chain that are completely explored are in a list, `removable`, which tells those of the component. The
//! stack counted is the depth-first stack and that list.
//!
//! Cost: each state and each edge once. Successors of a state are computed all at once; states that were computed but
//! never reached by the search are not counted as visited. Four bytes per state.

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
                counters.states += 1;
                chain.push(edge)?;
                stack.push(space, edge)?;
                counters.stack(stack.len() + removable.len());
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
                Step::Left(edge) => removable.leave(&mut chain, edge.target)?,
                Step::Done => break,
            }
        }
    }
    Ok(None)
}
