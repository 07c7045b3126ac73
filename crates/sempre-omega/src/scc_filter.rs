//! Removes states and marks without influence, component by component.
//!
//! States from which no accepting run starts are removed. Marks matter only on edges inside an accepting component:
//! elsewhere they are removed, or added, as the caller chooses. For generalised Büchi acceptance, a set is
//! superfluous in a component where every edge of some other set is in it; the remaining sets are renumbered per
//! component, so that the automaton has as many sets as the component with the most sets.
//!
//! Invariant: the language stays the same. Cost: linear in the edges times the square of the sets.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::emptiness::prune;
use crate::mark::Mark;
use crate::scc::Sccs;

/// The marks of edges on no cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transient {
    /// No mark: simpler to read, and edges can be merged.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::{Bdd, Bdds};
    use crate::emptiness::is_empty;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    fn from_state(a: &Automaton, s: u32) -> Automaton {
        Automaton {
            initial: vec![s],
            ..a.clone()
        }
    }

    #[test]
    fn the_language_stays_and_only_what_is_useful() {
        let mut r = Random::new(1);
        let mut bdds = Bdds::new();
        let (mut yes, mut fewer_states, mut fewer_sets) = (0, 0, 0);
        for round in 0..800 {
            let sets = r.below(4) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(8), &[0, 1], sets);
            o.density = 0.1 + 0.2 * r.unit();
            o.mark_probability = 0.2 + 0.6 * r.unit();
            if round % 4 == 0 {
                o = o.with_random_acceptance(&mut r);
            }
            let mut a = o.generate(&mut r, &mut bdds);
            match r.below(10) {
                0 => a.initial.push(r.below(a.states()) as u32),
                1 if round % 3 == 0 => a.initial.clear(),
                _ => {}
            }
            a.initial.dedup();
            for transient in [Transient::Empty, Transient::Full] {
                let mut b = a.clone();
                scc_filter(&mut b, transient);
                assert!(b.states() <= a.states() && b.sets <= a.sets);
                assert!(
                    b.edges
                        .iter()
                        .flatten()
                        .all(|e| e.mark.is_subset(&Mark::all(b.sets)))
                );
                if is_empty(&a) {
                    assert!(b.states() <= 1 && b.edge_count() == 0);
                } else {
                    let reached = Sccs::new(&b);
                    for s in 0..b.states() as u32 {
                        assert!(reached.of[s as usize] != u32::MAX);
                        assert!(!is_empty(&from_state(&b, s)));
                    }
                }
                if a.acceptance.as_generalized_buchi().is_some() {
                    check_marks(&b, transient);
                }
                let mut c = b.clone();
                scc_filter(&mut c, transient);
                assert_eq!((&c.edges, c.sets), (&b.edges, b.sets));
                for _ in 0..8 {
                    let w = random_word(&mut r, &[0, 1], 3, 4);
                    let truth = accepts(&bdds, &a, &w);
                    assert_eq!(accepts(&bdds, &b, &w), truth, "{a:?}\n{b:?}\n{w:?}");
                    yes += usize::from(truth);
                }
                fewer_states += usize::from(b.states() < a.states());
                fewer_sets += usize::from(b.sets < a.sets);
            }
        }
        let counts = (yes, fewer_states, fewer_sets);
        assert!(
            yes > 1000 && fewer_states > 100 && fewer_sets > 100,
            "{counts:?}"
        );
    }

    /// Only marks with influence are present, and no set of a component makes another superfluous.
    fn check_marks(a: &Automaton, transient: Transient) {
        let sccs = Sccs::new(a);
        let accepting = sccs.accepting(a);
        for (s, e) in (0u32..)
            .zip(&a.edges)
            .flat_map(|(s, l)| l.iter().map(move |e| (s, e)))
        {
            if !sccs.internal(s, e) {
                let all = transient == Transient::Full;
                assert_eq!(e.mark, if all { Mark::all(a.sets) } else { Mark::EMPTY });
            } else if !accepting[sccs.of[s as usize] as usize] {
                assert!(e.mark.is_empty() && a.sets > 0);
            }
        }
    }

    #[test]
    fn sets_are_renumbered_by_component() {
        let mut a = Automaton::new(Vec::new(), 3, Acceptance::generalized_buchi(3));
        for _ in 0..3 {
            a.add_state();
        }
        a.initial.push(0);
        // In the first component set 2 is implied by set 0, in the second only set 1 is ever missing;
        // nothing leads on from the third state.
        a.add_edge(0, 0, Bdd::TRUE, [0, 2].into_iter().collect());
        a.add_edge(0, 0, Bdd::TRUE, [1].into_iter().collect());
        a.add_edge(0, 1, Bdd::TRUE, [1].into_iter().collect());
        a.add_edge(1, 1, Bdd::TRUE, [0, 2].into_iter().collect());
        a.add_edge(1, 1, Bdd::TRUE, [0, 1, 2].into_iter().collect());
        a.add_edge(1, 2, Bdd::TRUE, Mark::all(3));
        scc_filter(&mut a, Transient::Empty);
        assert_eq!((a.states(), a.sets), (2, 2));
        let marks = |s: usize| -> Vec<Mark> { a.edges[s].iter().map(|e| e.mark.clone()).collect() };
        assert_eq!(marks(0), [Mark::single(0), Mark::single(1), Mark::EMPTY]);
        assert_eq!(marks(1), [Mark::single(1), Mark::all(2)]);
    }
}
