//! Drops edges between components whose words are accepted without them.
//!
//! Direct simulation compares marks on every edge, also on edges on no cycle, where they have no influence. Ignoring
//! them there gives a larger relation that still proves inclusion of languages, but not every edge that is
//! superfluous according to it may be dropped: in `p -> p`, `p -> s`, `s -> s {0}` the state `p` answers `s` only by
//! going to `s`. So:
//!
//! * `s ⊑ t` is the greatest relation such that each edge of `s` is answered, letter by letter, by edges of `t` to
//!   related states, with at least the same marks unless one of the two edges leaves its component. Two runs that
//!   answer each other leave components finitely often, hence `s ⊑ t` implies that the language of `s` is included in
//!   that of `t` (P1).
//! * An edge `e` from `p` to `s` in another component is dropped if, *in the automaton without `e`*, the letters of
//!   `e` are covered by other edges of `p` to states `t` with `s ⊑ t` (P2). A run takes `e` at most once, and its
//!   rest is a run of `s`, which cannot return to `p` and so does not use `e`; by P1 one of the `t` accepts it
//!   without `e`.
//!
//! Cost: one relation for the whole automaton to find candidates, one more for each candidate.

use crate::automaton::{Automaton, Edge};
use crate::bdd::{Bdd, Bdds};
use crate::scc::Sccs;

/// Automata with more states are not changed.
const MAX_STATES: usize = 64;

/// Drops superfluous edges of an automaton whose acceptance does not use `Fin`. Returns true if any were dropped.
/// States may become unreachable or useless.
pub fn prune_transient_edges(a: &mut Automaton, bdds: &mut Bdds) -> bool {
    if a.states() > MAX_STATES || a.acceptance.uses_fin() {
        return false;
    }
    let sccs = Sccs::new(a);
    // Is there an edge that could go at all?
    let mut candidates: Vec<(u32, usize)> = Vec::new();
    for s in 0..a.states() as u32 {
        let edges = &a.edges[s as usize];
        for (i, e) in edges.iter().enumerate() {
            let overlapped = |bdds: &mut Bdds| {
                edges
                    .iter()
                    .enumerate()
                    .any(|(j, o)| i != j && o.to != e.to && !bdds.disjoint(o.label, e.label))
            };
            if !sccs.internal(s, e) && overlapped(bdds) {
                candidates.push((s, i));
            }
        }
    }
    if candidates.is_empty() {
        return false;
    }
    let everything = relation(a, &sccs, bdds, None);
    let mut changed = false;
    // From the last on, so that positions stay valid when edges go.
    for &(p, i) in candidates.iter().rev() {
        if covered(a, bdds, &everything, p, i) && {
            let without = relation(a, &sccs, bdds, Some((p, i)));
            covered(a, bdds, &without, p, i)
        } {
            // This can only split components: edges between components stay such edges.
            a.edges[p as usize].remove(i);
            changed = true;
        }
    }
    changed
}

/// P2: do other edges of `p` cover the letters of its edge `i`, to states that are related?
fn covered(a: &Automaton, bdds: &mut Bdds, below: &[Vec<bool>], p: u32, i: usize) -> bool {
    let edges = &a.edges[p as usize];
    let e = &edges[i];
    let mut rest = e.label;
    for (j, o) in edges.iter().enumerate() {
        if j != i && below[e.to as usize][o.to as usize] {
            rest = bdds.minus(rest, o.label);
        }
    }
    rest.is_false()
}

/// The relation `⊑` as a matrix, in the automaton without the edge `skip`.
fn relation(
    a: &Automaton,
    sccs: &Sccs,
    bdds: &mut Bdds,
    skip: Option<(u32, usize)>,
) -> Vec<Vec<bool>> {
    let n = a.states();
    let mut below = vec![vec![true; n]; n];
    let mut changed = true;
    while changed {
        changed = false;
        for s in 0..n {
            for t in 0..n {
                if s != t
                    && below[s][t]
                    && !answers(a, sccs, bdds, &below, skip, s as u32, t as u32)
                {
                    below[s][t] = false;
                    changed = true;
                }
            }
        }
    }
    below
}

fn answers(
    a: &Automaton,
    sccs: &Sccs,
    bdds: &mut Bdds,
    below: &[Vec<bool>],
    skip: Option<(u32, usize)>,
    s: u32,
    t: u32,
) -> bool {
    let present = |state: u32| {
        a.edges[state as usize]
            .iter()
            .enumerate()
            .filter(move |&(i, _)| skip != Some((state, i)))
            .map(|(_, e)| e)
    };
    present(s).all(|e: &Edge| {
        let leaves = !sccs.internal(s, e);
        let mut rest: Bdd = e.label;
        for o in present(t) {
            if below[e.to as usize][o.to as usize]
                && (leaves || !sccs.internal(t, o) || e.mark.is_subset(&o.mark))
            {
                rest = bdds.minus(rest, o.label);
                if rest.is_false() {
                    return true;
                }
            }
        }
        rest.is_false()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Alphabet;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use crate::{Acceptance, Mark};
    use sempre_base::Random;

    #[test]
    fn the_only_way_into_acceptance_stays() {
        let mut alphabet = Alphabet::new();
        let mut a = Automaton::new(vec![], 1, Acceptance::buchi());
        let (p, s) = (a.add_state(), a.add_state());
        a.initial.push(p);
        a.add_edge(p, p, Bdd::TRUE, Mark::EMPTY);
        a.add_edge(p, s, Bdd::TRUE, Mark::EMPTY);
        a.add_edge(s, s, Bdd::TRUE, Mark::single(0));
        assert!(!prune_transient_edges(&mut a, &mut alphabet.bdds));
        assert_eq!(a.edge_count(), 3);
    }

    #[test]
    fn the_language_is_kept() {
        let mut r = Random::new(21);
        let mut pruned = 0;
        for _ in 0..3000 {
            let mut alphabet = Alphabet::new();
            let props: Vec<u32> = ["p", "q"].iter().map(|n| alphabet.declare(n)).collect();
            let sets = 1 + r.below(2) as u32;
            let generator = RandomAutomaton::generalized_buchi(2 + r.below(5), &props, sets);
            let a = generator.generate(&mut r, &mut alphabet.bdds);
            let mut b = a.clone();
            pruned += usize::from(prune_transient_edges(&mut b, &mut alphabet.bdds));
            for _ in 0..20 {
                let w = random_word(&mut r, &props, 3, 3);
                assert_eq!(
                    accepts(&alphabet.bdds, &a, &w),
                    accepts(&alphabet.bdds, &b, &w)
                );
            }
        }
        assert!(pruned > 20, "only {pruned} automata were changed");
    }
}
