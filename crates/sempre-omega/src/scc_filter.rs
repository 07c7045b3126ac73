//! Keeps what matters, component by component.
//!
//! States from which no accepting run starts go. Marks matter only on edges inside an accepting
//! component: elsewhere they are removed, or filled in, as the caller likes. For generalised Büchi
//! acceptance, a set is superfluous in a component where every edge of some other set is in it; the
//! sets that are left are renumbered per component, so that the automaton has as many sets as its
//! neediest component.
//!
//! Invariant: the language is kept. Cost: linear in the edges times the square of the sets.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::mark::Mark;
use crate::scc::{Sccs, prune};

/// What to write on edges whose marks do not matter because no cycle takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transient {
    /// No mark: for people, and so that edges merge.
    Empty,
    /// All marks: so that such edges answer any other in a simulation.
    Full,
}

/// Prunes and normalises the marks. For acceptance other than generalised Büchi, only prunes.
pub fn scc_filter(a: &mut Automaton, transient: Transient) {
    prune(a);
    let Some(used) = a.acceptance.as_generalized_buchi() else {
        return;
    };
    let sccs = Sccs::new(a);
    let accepting = sccs.accepting(a);
    let needed: Vec<Vec<u32>> = (0..sccs.len())
        .map(|c| {
            if accepting[c] {
                needed_sets(a, &sccs, c, &used)
            } else {
                Vec::new()
            }
        })
        .collect();
    // A rejecting cycle needs a set to miss.
    let rejecting_cycle = (0..sccs.len()).any(|c| !accepting[c] && !sccs.is_trivial(a, c));
    let sets = needed
        .iter()
        .map(|n| n.len() as u32)
        .max()
        .unwrap_or(0)
        .max(u32::from(rejecting_cycle));
    let all = Mark::all(sets);
    for (s, edges) in a.edges.iter_mut().enumerate() {
        let from = sccs.of[s];
        if from == u32::MAX {
            continue;
        }
        let keep = &needed[from as usize];
        let rest: Mark = (keep.len() as u32..sets).collect();
        for e in edges {
            e.mark = if sccs.of[e.to as usize] != from {
                match transient {
                    Transient::Empty => Mark::EMPTY,
                    Transient::Full => all.clone(),
                }
            } else if !accepting[from as usize] {
                Mark::EMPTY
            } else {
                let own: Mark = (0u32..)
                    .zip(keep)
                    .filter(|&(_, &old)| e.mark.contains(old))
                    .map(|(new, _)| new)
                    .collect();
                own.union(&rest)
            };
        }
    }
    a.sets = sets;
    a.acceptance = Acceptance::generalized_buchi(sets);
}

/// The sets of an accepting component that no other set makes superfluous.
fn needed_sets(a: &Automaton, sccs: &Sccs, scc: usize, used: &Mark) -> Vec<u32> {
    let mut distinct: Vec<Mark> = sccs
        .edges(a, scc)
        .map(|(_, e)| e.mark.intersection(used))
        .collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut kept: Vec<u32> = used.iter().collect();
    // From the last on, so that of equal sets the first stays.
    for i in (0..kept.len()).rev() {
        let j = kept[i];
        let everywhere = distinct.iter().all(|m| m.contains(j));
        let implied = kept
            .iter()
            .any(|&k| k != j && distinct.iter().all(|m| !m.contains(k) || m.contains(j)));
        if everywhere || implied {
            kept.remove(i);
        }
    }
    kept
}
