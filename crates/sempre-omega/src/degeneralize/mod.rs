//! Degeneralisation: from many Büchi sets to one, on edges or on states.
//!
//! The classical construction makes copies (levels) of the automaton, one per set; level `l` waits for the `l`-th set
//! of some order and advances when an edge has it, past as many levels as the edge has marks for; a run that passes
//! the last level has seen all sets and accepts. Edge acceptance needs one level per set; state acceptance needs one
//! more, the accepting one, which then behaves as level 0.
//!
//! This implementation works component by component, as in Babiak, Badie, Duret-Lutz, Křetínský, Strejček,
//! "Compositional approach to suspension and other improvements to LTL translation" (SPIN 2013), and exploits this
//! further:
//!
//! * In a strongly connected component, all copies of a state accept the same words, since only the sets seen
//!   infinitely often matter. So a run may enter a component at any level (I1), and any non-empty set of copies that
//!   is closed under successors is enough for the whole component (I2: it contains a copy of each state, since all
//!   paths of the component lift to it). The smallest one for a given order is used; transient levels vanish by
//!   construction.
//! * After accepting, a run may continue at any level the edge's marks allow, or below (I3): if one of these copies
//!   exists already, it is reused.
//! * Marks may be moved within a component as long as the same sets are seen infinitely often (I4): a mark that all
//!   edges leaving a state have may be put on, or moved to, the edges that enter it, and the other way round.
//! * Sets that all edges of the component have, and sets that include another one, need no level.
//!
//! The order of the sets, the variants of I3 and of I4 are tried in turn, as long as `effort` allows, and the
//! smallest result is kept. Components without accepting run, and trivial ones, get one copy. A deterministic
//! automaton stays deterministic.
//!
//! Cost: linear in the result for each trial. Deliberately not done: the best choice of levels where I3 leaves one (a
//! covering problem, treated greedily), and reductions of the result, which simulation does.

mod levels;

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::mark::Mark;
use crate::scc::Sccs;
pub use levels::Kind;
use levels::{Component, RESTARTS, Restart, Rules, Step};

/// How to go about it.
#[derive(Clone, Debug)]
pub(crate) struct Degeneralization {
    /// Where acceptance is wanted.
    pub kind: Kind,
    /// About how many edges may be visited in each component to find a small result.
    pub effort: usize,
}

impl Degeneralization {
    /// The usual effort.
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            kind,
            effort: 100_000,
        }
    }

    /// A Büchi automaton (one set, `Inf(0)`) for the language of `a`, whose acceptance must be
    /// generalised Büchi; `None` if it is not. Only reachable states are kept.
    pub(crate) fn run(&self, bdds: &mut Bdds, a: &Automaton) -> Option<Automaton> {
        let used = a.acceptance.as_generalized_buchi()?;
        let sccs = Sccs::new(a);
        let plans: Vec<Plan> = (0..sccs.len())
            .map(|c| self.plan(a, &sccs, c, &used))
            .collect();
        Some(self.assemble(bdds, a, &sccs, &plans))
    }

    /// Decides how one component is to be degeneralised.
    fn plan(&self, a: &Automaton, sccs: &Sccs, c: usize, used: &Mark) -> Plan {
        let component = Component::new(a, sccs, c, used);
        let any = component
            .edges()
            .fold(Mark::EMPTY, |m, (_, e)| m.union(&e.mark));
        if sccs.is_trivial(a, c) || !used.is_subset(&any) {
            return Plan::single(component, false);
        }
        let states = component.states();
        let levels = |sets: usize| match self.kind {
            Kind::TransitionBased => sets,
            Kind::StateBased => sets + 1,
        };
        let mut best: Option<Plan> = None;
        let variants = component.variants();
        let share = self.effort / variants.len();
        for variant in variants {
            let mut effort = share;
            let sets = variant.needed_sets(used);
            if sets.is_empty() {
                return Plan::single(variant, true);
            }
            let mut order = sets;
            loop {
                for restart in RESTARTS {
                    let rules = Rules {
                        kind: self.kind,
                        order: order.clone(),
                        restart,
                    };
                    let copies = variant.smallest_closed(&rules, levels(order.len()), &mut effort);
                    let size = copies.iter().filter(|&&x| x).count();
                    if best.as_ref().is_none_or(|b| size < b.size) {
                        best = Some(Plan {
                            component: variant.clone(),
                            levels: levels(order.len()),
                            copies,
                            size,
                            rules,
                            accepting: true,
                        });
                    }
                    if size == states {
                        // One copy each: it cannot be better.
                        return best.expect("just set");
                    }
                }
                if effort == 0 || !next_permutation(&mut order) {
                    break;
                }
            }
        }
        best.expect("there is always a first variant")
    }

    fn assemble(&self, bdds: &mut Bdds, a: &Automaton, sccs: &Sccs, plans: &[Plan]) -> Automaton {
        let mut out = Automaton::new(a.propositions.clone(), 1, Acceptance::buchi());
        out.name.clone_from(&a.name);
        // All components accept as a whole (as if the condition were `t`): mark everything, which is simpler and
        // enables later reductions.
        let all = plans
            .iter()
            .all(|p| p.accepting && p.rules.order.is_empty() || p.component.is_trivial());
        let some = plans.iter().any(|p| p.accepting);
        // The states of the result: each copy of each component; and where to enter a state.
        let mut place = vec![(0u32, 0u32); a.states()];
        let mut entry = vec![u32::MAX; a.states()];
        let mut numbers: Vec<Vec<u32>> = Vec::with_capacity(plans.len());
        for (c, plan) in plans.iter().enumerate() {
            let mut number = vec![u32::MAX; plan.copies.len()];
            for (local, &s) in sccs.states[c].iter().enumerate() {
                place[s as usize] = (c as u32, local as u32);
                for l in 0..plan.levels {
                    let copy = local * plan.levels + l;
                    if plan.copies[copy] {
                        number[copy] = out.add_state();
                        // The highest copy: nearest to acceptance.
                        entry[s as usize] = number[copy];
                    }
                }
            }
            numbers.push(number);
        }
        for (c, plan) in plans.iter().enumerate() {
            for (local, &s) in sccs.states[c].iter().enumerate() {
                for l in 0..plan.levels {
                    let from = numbers[c][local * plan.levels + l];
                    if from == u32::MAX {
                        continue;
                    }
                    let state_mark = self.kind == Kind::StateBased && plan.accepts_at(l);
                    let mut internal = plan.component.out[local].iter();
                    for e in &a.edges[s as usize] {
                        let (target, local_to) = place[e.to as usize];
                        let (to, accepting) = if target == c as u32 {
                            let e = internal.next().expect("one for each internal edge");
                            let (next, accepting) = plan.step(l, &e.mark, local_to as usize);
                            (
                                numbers[c][local_to as usize * plan.levels + next],
                                accepting,
                            )
                        } else {
                            (entry[e.to as usize], false)
                        };
                        let accepting = match self.kind {
                            Kind::TransitionBased => accepting,
                            Kind::StateBased => state_mark,
                        } || all && some;
                        let mark = if accepting {
                            Mark::single(0)
                        } else {
                            Mark::EMPTY
                        };
                        out.add_edge(from, to, e.label, mark);
                    }
                }
            }
        }
        out.initial = a.initial.iter().map(|&s| entry[s as usize]).collect();
        out.merge_edges(bdds);
        out.trim_unreachable();
        out
    }
}

/// A Büchi automaton for the language of a generalised Büchi automaton; `None` if it is not one.
pub fn degeneralize(bdds: &mut Bdds, a: &Automaton, kind: Kind) -> Option<Automaton> {
    Degeneralization::new(kind).run(bdds, a)
}

/// The degeneralisation of a component.
struct Plan {
    component: Component,
    levels: usize,
    /// The copies to keep, at `state * levels + level`.
    copies: Vec<bool>,
    size: usize,
    rules: Rules,
    accepting: bool,
}

impl Plan {
    /// One copy of each state, all accepting or none.
    fn single(component: Component, accepting: bool) -> Self {
        let size = component.states();
        Plan {
            component,
            levels: 1,
            copies: vec![true; size],
            size,
            rules: Rules {
                kind: Kind::TransitionBased,
                order: Vec::new(),
                restart: Restart::Zero,
            },
            accepting,
        }
    }

    /// The level of state `to` that an edge leads to, and whether all sets have been seen.
    fn step(&self, level: usize, mark: &Mark, to: usize) -> (usize, bool) {
        if self.rules.order.is_empty() {
            return (0, self.accepting);
        }
        match self.rules.step(level, mark) {
            Step::To(next) => (next, false),
            Step::Restart(limit) => {
                let there = |l| self.copies[to * self.levels + l];
                (self.rules.restart(limit, there), true)
            }
        }
    }

    /// Is this level accepting, for state acceptance?
    fn accepts_at(&self, level: usize) -> bool {
        self.accepting && level == self.rules.order.len()
    }
}

/// The next permutation in lexicographic order; false (and the first one) after the last.
fn next_permutation(order: &mut [u32]) -> bool {
    let Some(i) = order.windows(2).rposition(|w| w[0] < w[1]) else {
        order.reverse();
        return false;
    };
    let j = order
        .iter()
        .rposition(|&x| x > order[i])
        .expect("the next one is larger");
    order.swap(i, j);
    order[i + 1..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Bdd;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    const KINDS: [Kind; 2] = [Kind::TransitionBased, Kind::StateBased];

    #[test]
    fn degeneralisation_keeps_the_language() {
        let mut r = Random::new(61);
        let mut bdds = Bdds::new();
        let mut yes = 0;
        for round in 0..800 {
            let sets = r.below(5) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(6), &[0, 1], sets);
            o.density = 0.2 + 0.4 * r.unit();
            o.mark_probability = 0.2 + 0.6 * r.unit();
            o.deterministic = round % 3 == 0;
            o.state_acceptance = round % 5 == 0;
            let mut a = o.generate(&mut r, &mut bdds);
            if round % 7 == 0 {
                a.initial.push((a.states() - 1) as u32);
                a.initial.dedup();
            }
            for kind in KINDS {
                let b = degeneralize(&mut bdds, &a, kind).expect("generalised Büchi");
                assert_eq!((b.sets, &b.acceptance), (1, &Acceptance::Inf(0)));
                assert!(kind == Kind::TransitionBased || b.has_state_acceptance());
                let levels = sets as usize + usize::from(kind == Kind::StateBased);
                assert!(b.states() <= a.states() * levels.max(1));
                if a.is_deterministic(&mut bdds) {
                    assert!(b.is_deterministic(&mut bdds));
                }
                // No effort must do as well, only larger.
                let lazy = Degeneralization { kind, effort: 0 };
                let c = lazy.run(&mut bdds, &a).expect("generalised Büchi");
                assert!(b.states() <= c.states());
                for _ in 0..6 {
                    let w = random_word(&mut r, &[0, 1], 3, 4);
                    let truth = accepts(&bdds, &a, &w);
                    assert_eq!(accepts(&bdds, &b, &w), truth, "{kind:?} {a:?}");
                    assert_eq!(accepts(&bdds, &c, &w), truth, "{kind:?} {a:?}");
                    yes += usize::from(truth);
                }
            }
        }
        assert!(yes > 1000, "{yes}");
    }

    /// One state, an edge with each single mark: the automaton of `GFa & GFb & …`.
    fn recurrence(bdds: &mut Bdds, n: u32) -> Automaton {
        let mut a = Automaton::new((0..n).collect(), n, Acceptance::generalized_buchi(n));
        let s = a.add_state();
        a.initial.push(s);
        for letter in 0..1u32 << n {
            let literals: Vec<_> = (0..n).map(|v| (v, letter >> v & 1 == 1)).collect();
            let label = bdds.cube(&literals);
            let mark = (0..n).filter(|v| letter >> v & 1 == 1).collect();
            a.add_edge(s, s, label, mark);
        }
        a
    }

    #[test]
    fn sizes_are_the_known_ones() {
        let mut bdds = Bdds::new();
        for n in 1..5 {
            let a = recurrence(&mut bdds, n);
            let edges = degeneralize(&mut bdds, &a, Kind::TransitionBased).expect("is one");
            assert_eq!(edges.states(), n as usize);
            let states = degeneralize(&mut bdds, &a, Kind::StateBased).expect("is one");
            assert_eq!(states.states(), n as usize + 1);
        }
        let mut universal = Automaton::universal(vec![]);
        for kind in KINDS {
            let b = degeneralize(&mut bdds, &universal, kind).expect("is one");
            assert_eq!((b.states(), &b.edges[0][0].mark), (1, &Mark::single(0)));
        }
        universal.acceptance = Acceptance::Fin(0);
        assert!(degeneralize(&mut bdds, &universal, KINDS[0]).is_none());
    }

    #[test]
    fn state_acceptance_with_one_set_is_kept_as_it_is() {
        let mut r = Random::new(62);
        let mut bdds = Bdds::new();
        for _ in 0..200 {
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(7), &[0, 1], 1);
            o.state_acceptance = true;
            let a = o.generate(&mut r, &mut bdds);
            for kind in KINDS {
                let b = degeneralize(&mut bdds, &a, kind).expect("is one");
                assert_eq!(b.states(), a.states());
            }
        }
    }

    #[test]
    fn trivial_components_have_one_copy() {
        let mut bdds = Bdds::new();
        let mut a = recurrence(&mut bdds, 3);
        for _ in 0..4 {
            let s = a.add_state();
            let to = s - 1;
            a.add_edge(s, to, Bdd::TRUE, Mark::all(2));
        }
        // State 1 leads to the component of state 0; the chain ends in state 4.
        a.initial = vec![4];
        let b = degeneralize(&mut bdds, &a, Kind::StateBased).expect("is one");
        assert_eq!(b.states(), 4 + 4);
    }

    #[test]
    fn permutations_are_all_visited() {
        let mut order = vec![0, 1, 2, 3];
        let mut seen = std::collections::BTreeSet::new();
        loop {
            assert!(seen.insert(order.clone()));
            if !next_permutation(&mut order) {
                break;
            }
        }
        assert_eq!(seen.len(), 24);
    }
}
