//! One Way Catch Them Young, forward: the emptiness check of a product.
//!
//! Figure 2 of Ben Salem et al. (TACAS 2014), after the algorithm *feasible* of Kesten, Pnueli, Raviv (ICALP 1998) and
//! the analysis of Fisler, Fraer, Kamhi, Vardi, Yang (TACAS 2001).
//!
//! `P` starts as the reachable set. States that are not reachable from a cycle in `P` are removed, then states that are
//! not reachable from a step of each acceptance set in turn, until nothing changes. Invariant: `P` contains all
//! successors of its states, so images only shrink it. At the end, each state of `P` is reachable, within `P`, from
//! steps of every set, infinitely often; so `P` has an accepting cycle, or is empty.
//!
//! How ours differs: if there are acceptance sets, removing what is not reachable from these suffices, and comes first:
//! often nothing more is to be done. States that are not reachable from a cycle, a long tail that images remove one by
//! one, are removed only with up to [`SHARE`] times that work before the sets have their turn again.
//!
//! If a state of the automaton accepts every continuation, and all runs are infinite, a reachable product state with it
//! decides: the set of these is the result, without any iteration.
//!
//! Cost: in the worst case, as many images as the longest path through the removed states.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::product::graph::{Graph, Steps};
use sempre_base::Stop;

/// Work for states that are not reachable from a cycle, relative to that for acceptance sets.
const SHARE: u64 = 4;

/// The fixpoint, within the reachable states of the product; both are roots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FairHull {
    /// All reachable states.
    pub reachable: Root,
    /// The states reachable from accepting cycles; or, with `from_accept_all`, states from which every infinite run is
    /// accepted.
    pub hull: Root,
    /// Whether an accept-all state of the automaton decided, without iteration.
    pub from_accept_all: bool,
}

/// Computes the fixpoint. The product is empty if and only if the fixpoint is.
///
/// # Errors
/// If a limit is reached.
pub(crate) fn owcty(forest: &mut Forest, product: &impl Graph) -> Result<FairHull, Stop> {
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

/// The states reachable from accepting cycles within a set that contains its successors, as a root.
pub(crate) fn fixpoint(forest: &mut Forest, product: &impl Graph, set: Node) -> Result<Root, Stop> {
    let hull = forest.protect(set);
    // Nodes made by images and by reachability.
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
            // `now` is still protected, so the numbers are comparable.
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
