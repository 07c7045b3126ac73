//! Deterministic automata with fewer states, whatever their acceptance: states of equal languages.
//!
//! Each state of a deterministic automaton has a residual language. Whether the language of one state is included in
//! that of another is the emptiness of one product, and all pairs of states are in one product of the automaton with
//! its own complement, which is the same automaton with the complement of the condition.
//!
//! For acceptance beyond finite words, states of equal languages cannot simply be merged: the marks on the way also
//! matter for acceptance. But
//!
//! * if they are in different components, the edges into the upper one may lead to the lower one instead: on a run
//!   this happens finitely often (R1);
//! * if they are in one component, merging them is tried, and kept if the language of the automaton is still the
//!   same, which takes two products for deterministic automata (R2).
//!
//! Cost: the square of the number of states times the edges, and an emptiness check for a conjunction of the
//! condition and a complement; automata with more than [`MAX_STATES`] states are not changed. Deliberately not done:
//! minimisation, which is NP-hard already for Büchi acceptance.

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Edge};
use crate::bdd::Bdds;
use crate::complete::complete;
use crate::emptiness;
use crate::emptiness::{prune, useful_states};
use crate::mark::Mark;
use crate::product::product;
use crate::scc::Sccs;

/// Automata with more states are not changed.
pub const MAX_STATES: usize = 60;

/// Larger conditions are not treated: their complements have too many cases.
const MAX_SETS: u32 = 12;

/// Merges states of equal languages in a deterministic automaton, as far as possible. Returns the number of different
/// languages of states, which is the least number of states of any deterministic automaton; `None` if the automaton
/// was too large.
pub fn merge_residuals(a: &mut Automaton, bdds: &mut Bdds) -> Option<usize> {
    debug_assert!(a.is_deterministic(bdds));
    prune(a);
    a.trim_unreachable();
    if a.states() > MAX_STATES || a.sets > MAX_SETS {
        return None;
    }
    let mut class = equal_languages(a, bdds);
    let sccs = Sccs::new(a);
    // R1: components are numbered from the bottom.
    let mut target: Vec<u32> = (0..a.states() as u32).collect();
    for s in 0..a.states() {
        for t in 0..a.states() {
            let best = target[s] as usize;
            if class[t] == class[s] && sccs.of[t] < sccs.of[best] {
                target[s] = t as u32;
            }
        }
    }
    let kept = redirect(a, &target);
    class = kept.iter().map(|&s| class[s as usize]).collect();
    // R2
    let mut s = 0;
    while s < a.states() {
        let mut t = 0;
        while t < a.states() {
            if s != t && class[s] == class[t] {
                let mut target: Vec<u32> = (0..a.states() as u32).collect();
                target[t] = s as u32;
                let mut b = a.clone();
                let kept = redirect(&mut b, &target);
                if same_language(a, &b, bdds) {
                    *a = b;
                    // The residual languages of words have not changed, so neither have those of the other states.
                    class = kept.iter().map(|&s| class[s as usize]).collect();
                    s = 0;
                    t = 0;
                    continue;
                }
            }
            t += 1;
        }
        s += 1;
    }
    class.sort_unstable();
    class.dedup();
    Some(class.len())
}

/// Redirects all edges to the targets of their destinations, and keeps the reachable states, in the old order.
/// Returns these.
fn redirect(a: &mut Automaton, target: &[u32]) -> Vec<u32> {
    for e in a.edges.iter_mut().flatten() {
        e.to = target[e.to as usize];
    }
    for s in &mut a.initial {
        *s = target[*s as usize];
    }
    let sccs = Sccs::new(a);
    a.retain_states(|s| sccs.of[s as usize] != u32::MAX);
    let all = 0..target.len() as u32;
    all.filter(|&s| sccs.of[s as usize] != u32::MAX).collect()
}

/// Do two deterministic automata accept the same words?
fn same_language(a: &Automaton, b: &Automaton, bdds: &mut Bdds) -> bool {
    included(a, b, bdds) && included(b, a, bdds)
}

fn included(a: &Automaton, b: &Automaton, bdds: &mut Bdds) -> bool {
    let mut outside = b.clone();
    complete(bdds, &mut outside);
    outside.acceptance = outside.acceptance.complement();
    emptiness::is_empty(&product(bdds, a, &outside))
}

/// A number for each state, the same iff the languages are.
fn equal_languages(a: &Automaton, bdds: &mut Bdds) -> Vec<u32> {
    let n = a.states();
    let mut outside = a.clone();
    complete(bdds, &mut outside);
    let m = outside.states();
    // Completing may have changed the condition, so that the sink does not accept.
    let condition = Acceptance::and([
        a.acceptance.clone(),
        outside.acceptance.complement().shift(a.sets),
    ]);
    let sets = a.sets + outside.sets;
    let mut p = Automaton::new(a.propositions.clone(), sets, condition);
    for _ in 0..n * m {
        p.add_state();
    }
    let shifted: Vec<Vec<Mark>> = outside
        .edges
        .iter()
        .map(|edges| edges.iter().map(|e| e.mark.shift(a.sets)).collect())
        .collect();
    for s in 0..n {
        for (t, marks) in shifted.iter().enumerate() {
            // On the diagonal both do the same for ever.
            if s == t {
                continue;
            }
            for e in &a.edges[s] {
                for (f, mark) in outside.edges[t].iter().zip(marks) {
                    if e.to != f.to && !bdds.disjoint(e.label, f.label) {
                        let to = (e.to as usize * m + f.to as usize) as u32;
                        p.edges[s * m + t].push(Edge {
                            to,
                            label: e.label,
                            mark: e.mark.union(mark),
                        });
                    }
                }
            }
        }
    }
    p.initial = (0..(n * m) as u32).collect();
    let sccs = Sccs::new(&p);
    let more = useful_states(&p, &sccs);
    let mut class = vec![u32::MAX; n];
    for s in 0..n {
        if class[s] == u32::MAX {
            for t in s..n {
                if !more[s * m + t] && !more[t * m + s] {
                    class[t] = s as u32;
                }
            }
        }
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn the_language_stays_and_states_go() {
        let mut r = Random::new(111);
        let mut bdds = Bdds::new();
        let (mut yes, mut before, mut after) = (0, 0, 0);
        for _ in 0..800 {
            let sets = 1 + r.below(3) as u32;
            let mut o = RandomAutomaton::generalized_buchi(2 + r.below(5), &[0, 1], sets)
                .with_random_acceptance(&mut r);
            o.deterministic = true;
            o.density = 0.3 + 0.3 * r.unit();
            // Every state twice, so that there is something to merge in each component.
            let mut a = o.generate(&mut r, &mut bdds);
            let n = a.states();
            a.edges.extend_from_within(..);
            for e in a.edges.iter_mut().flatten() {
                e.to += (n * r.below(2)) as u32;
            }
            let mut b = a.clone();
            prune(&mut b);
            before += b.states();
            merge_residuals(&mut b, &mut bdds);
            after += b.states();
            assert!(b.is_deterministic(&mut bdds));
            // No states of equal languages are left in different components.
            let (class, sccs) = (equal_languages(&b, &mut bdds), Sccs::new(&b));
            for s in 0..b.states() {
                for t in 0..b.states() {
                    assert!(class[s] != class[t] || sccs.of[s] == sccs.of[t], "{a:?}");
                }
            }
            for _ in 0..12 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                assert_eq!(accepts(&bdds, &b, &w), truth, "{a:?} {b:?} {w:?}");
                yes += usize::from(truth);
            }
        }
        assert!(yes > 800 && yes < 8800, "{yes}");
        assert!(9 * after < 6 * before, "{before} {after}");
    }
}
