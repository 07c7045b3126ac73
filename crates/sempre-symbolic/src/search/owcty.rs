//! One Way Catch Them Young, forward: is there an accepting run in a product?
//!
//! Figure 2 of Ben Salem et al. (TACAS 2014), after the algorithm *feasible* of Kesten, Pnueli, Raviv (ICALP 1998) and the
//! analysis of Fisler, Fraer, Kamhi, Vardi, Yang (TACAS 2001).
//!
//! `P` starts as all that is reachable. What cannot be reached from a cycle in `P` is dropped, then what cannot be reached
//! from a step of each acceptance set in turn, until nothing changes. Invariant: `P` has all successors of its states, so
//! images only shrink it. At the end each state of `P` is reached, within `P`, from steps of every set, again and again; so `P`
//! has an accepting cycle, or is empty.
//!
//! How ours differs: where there are acceptance sets, to drop what cannot be reached from these is enough, and comes first: often nothing
//! more is to be done. What cannot be reached from a cycle, a long tail that images drop one after the other, is dropped for no more than
//! [`SHARE`] times that work before it is the turn of the sets again.
//!
//! Where a state of the automaton accepts whatever comes, and runs always go on, a product state with it settles the matter: then the set
//! of these is the result, without any iteration.
//!
//! Cost: a number of images that is the length of the longest way from what is dropped, in the worst case.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::product::graph::{Graph, Steps};
use sempre_base::Stop;

/// The work for states that cannot be reached from a cycle, by that for those that cannot be reached from acceptance sets.
const SHARE: u64 = 4;

/// The fixpoint, within the reachable states of the product; both are kept.
#[derive(Clone, Copy, Debug)]
pub struct FairHull {
    /// All reachable states.
    pub reachable: Root,
    /// Those that are reachable from accepting cycles; or, if `is_certain`, states that lead to each other without end, where all steps
    /// are accepting.
    pub hull: Root,
    /// Was the result certain before any iteration?
    pub from_accept_all: bool,
}

/// Computes the fixpoint: the product is empty if it is.
///
/// # Errors
/// If there is no room, or it is time to stop.
pub fn owcty(forest: &mut Forest, product: &impl Graph) -> Result<FairHull, Stop> {
    let initial = forest.get(product.initial());
    let all = product.reach(forest, initial)?;
    let reachable = forest.protect(all);
    let accept_all_states = product.accept_all_states(forest, all)?;
    if accept_all_states != EMPTY {
        let hull = forest.protect(accept_all_states);
        return Ok(FairHull {
            reachable,
            hull,
            from_accept_all: true,
        });
    }
    let hull = fixpoint(forest, product, forest.get(reachable))?;
    Ok(FairHull {
        reachable,
        hull,
        from_accept_all: false,
    })
}

/// What can be reached from accepting cycles in a set that has all successors of its states; kept.
pub(crate) fn fixpoint(forest: &mut Forest, product: &impl Graph, set: Node) -> Result<Root, Stop> {
    let hull = forest.protect(set);
    // The nodes that dropping by images and by reachability have taken.
    let (mut trimming, mut reaching) = (0, 0);
    loop {
        let before = forest.protect(forest.get(hull));
        let begin = forest.nodes_made();
        for set in 0..product.sets() {
            let now = forest.get(hull);
            let from = product.image(forest, now, Steps::Accepting(set))?;
            let next = product.reach(forest, from)?;
            forest.set(hull, next);
        }
        reaching += forest.nodes_made() - begin;
        let same = forest.get(hull) == forest.get(before);
        forest.unprotect(before);
        if same && product.sets() > 0 || forest.get(hull) == EMPTY {
            return Ok(hull);
        }
        while trimming <= SHARE * reaching || product.sets() == 0 {
            forest.poll()?;
            let begin = forest.nodes_made();
            let now = forest.get(hull);
            let next = product.image(forest, now, Steps::All)?;
            trimming += forest.nodes_made() - begin;
            // `now` is still kept, so the numbers can be compared.
            if next == now {
                if product.sets() == 0 {
                    return Ok(hull);
                }
                break;
            }
            forest.set(hull, next);
        }
    }
}
