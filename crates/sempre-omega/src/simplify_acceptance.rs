//! Simpler acceptance conditions for an automaton, of any kind, with the same language.
//!
//! Facts about the sets, from the marks of edges inside components, simplify the condition as a formula:
//!
//! * sets that no such edge is in, or all are in, are constants;
//! * of several sets with the same edges one is enough;
//! * set `i` within set `j`: `Inf(i)` implies `Inf(j)`, `Fin(j)` implies `Fin(i)`;
//! * every edge in `i` or in `j`: `Fin(i)` implies `Inf(j)`;
//! * no component with both: `Inf(i)` implies `Fin(j)`.
//!
//! In a conjunction each part is simplified under the assumption of the atoms beside it, in a disjunction under the
//! assumption that they are false. Sets that no longer occur are removed and the others renumbered. Marks do not
//! change otherwise; for generalised Büchi automata, [`scc_filter`](mod@crate::scc_filter) goes further by
//! renumbering per component.
//!
//! Cost: the square of the number of atoms times the number of distinct marks.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::mark::Mark;
use crate::scc::Sccs;

/// Simplifies the condition by facts about the marks, and removes unused sets.
pub fn simplify_acceptance(a: &mut Automaton) {
    let facts = Facts::new(a);
    a.acceptance = facts.simplest(&a.acceptance);
    remove_unused_sets(a);
}

/// Removes the sets that do not occur in the condition and renumbers the others in order.
pub(crate) fn remove_unused_sets(a: &mut Automaton) {
    let (inf, fin) = a.acceptance.sets_used();
    let used: Vec<u32> = inf.union(&fin).iter().collect();
    if used.len() == a.sets as usize {
        return;
    }
    let new = |old: u32| used.binary_search(&old).ok().map(|i| i as u32);
    for e in a.edges.iter_mut().flatten() {
        e.mark = e.mark.iter().filter_map(new).collect();
    }
    a.acceptance = a.acceptance.map(&mut |atom| match *atom {
        Acceptance::Inf(i) => Acceptance::Inf(new(i).unwrap_or(i)),
        Acceptance::Fin(i) => Acceptance::Fin(new(i).unwrap_or(i)),
        ref other => other.clone(),
    });
    a.sets = used.len() as u32;
}

/// The condition of `a` for runs that stay in one component, simplified by facts about the marks of that component.
pub(crate) fn component_condition(a: &Automaton, sccs: &Sccs, c: usize) -> Acceptance {
    let (any, common) = sccs.marks(a, c);
    let mut marks: Vec<Mark> = sccs.edges(a, c).map(|(_, e)| e.mark.clone()).collect();
    marks.sort_unstable();
    marks.dedup();
    let facts = Facts {
        marks,
        components: vec![any.clone()],
        any,
        common,
    };
    facts.simplest(&a.acceptance)
}

/// The distinct marks inside components.
struct Facts {
    marks: Vec<Mark>,
    /// All marks of each component.
    components: Vec<Mark>,
    any: Mark,
    common: Mark,
}

impl Facts {
    fn new(a: &Automaton) -> Self {
        let sccs = Sccs::new(a);
        let mut marks = Vec::new();
        let mut components = Vec::new();
        for c in 0..sccs.len() {
            marks.extend(sccs.edges(a, c).map(|(_, e)| e.mark.clone()));
            components.push(sccs.marks(a, c).0);
        }
        marks.sort_unstable();
        marks.dedup();
        let any = marks.iter().fold(Mark::EMPTY, |x, m| x.union(m));
        let all = Mark::all(a.sets);
        let common = marks.iter().fold(all, |x, m| x.intersection(m));
        Facts {
            marks,
            components,
            // If no run is infinite, any condition is right.
            common: common.intersection(&any),
            any,
        }
    }

    /// The condition, simplified until nothing changes.
    fn simplest(&self, condition: &Acceptance) -> Acceptance {
        let mut condition = condition.restrict_to(&self.any);
        condition = condition.assume_inf(&self.common);
        condition = self.merge_equal_sets(&condition);
        loop {
            let next = self.simplify(&condition, &mut Vec::new());
            if next == condition {
                return condition;
            }
            condition = next;
        }
    }

    /// The condition with each set replaced by the first one that is on the same edges.
    fn merge_equal_sets(&self, condition: &Acceptance) -> Acceptance {
        let first = |i: u32| {
            let same = |j: &u32| {
                sempre_base::checkpoint();
                self.marks.iter().all(|m| m.contains(*j) == m.contains(i))
            };
            (0..i).find(same).unwrap_or(i)
        };
        condition.map(&mut |atom| match *atom {
            Acceptance::Inf(i) => Acceptance::Inf(first(i)),
            Acceptance::Fin(i) => Acceptance::Fin(first(i)),
            ref other => other.clone(),
        })
    }

    /// Does one atom imply another, on all runs of the automaton?
    fn implies(&self, x: &Acceptance, y: &Acceptance) -> bool {
        use Acceptance::{Fin, Inf};
        sempre_base::checkpoint();
        let each = |f: &dyn Fn(&Mark) -> bool| self.marks.iter().all(f);
        match (x, y) {
            (Inf(i), Inf(j)) => each(&|m| !m.contains(*i) || m.contains(*j)),
            (Fin(i), Fin(j)) => each(&|m| !m.contains(*j) || m.contains(*i)),
            (Fin(i), Inf(j)) => each(&|m| m.contains(*i) || m.contains(*j)),
            (Inf(i), Fin(j)) => {
                let mut all = self.components.iter();
                all.all(|m| !m.contains(*i) || !m.contains(*j))
            }
            _ => false,
        }
    }

    /// The condition, provided that all atoms in `known` are true.
    fn simplify(&self, condition: &Acceptance, known: &mut Vec<Acceptance>) -> Acceptance {
        match condition {
            Acceptance::True | Acceptance::False => condition.clone(),
            Acceptance::Inf(_) | Acceptance::Fin(_) => {
                let opposite = condition.complement();
                if known.iter().any(|k| self.implies(k, condition)) {
                    Acceptance::True
                } else if known.iter().any(|k| self.implies(k, &opposite)) {
                    Acceptance::False
                } else {
                    condition.clone()
                }
            }
            Acceptance::And(parts) => {
                let done = self.simplify_parts(parts, known, false);
                Acceptance::and(done)
            }
            Acceptance::Or(parts) => {
                let done = self.simplify_parts(parts, known, true);
                Acceptance::or(done)
            }
        }
    }

    /// Each part under the assumption of the atoms among the others, or of their opposites. One
    /// after the other, so that two parts do not vanish because of each other.
    fn simplify_parts(
        &self,
        parts: &[Acceptance],
        known: &mut Vec<Acceptance>,
        opposite: bool,
    ) -> Vec<Acceptance> {
        let mut done = parts.to_vec();
        let before = known.len();
        for i in 0..done.len() {
            for (j, p) in done.iter().enumerate() {
                if i != j && matches!(p, Acceptance::Inf(_) | Acceptance::Fin(_)) {
                    known.push(if opposite { p.complement() } else { p.clone() });
                }
            }
            done[i] = self.simplify(&done[i], known);
            known.truncate(before);
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::{Bdd, Bdds};
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn the_language_stays_and_the_condition_shrinks() {
        let mut r = Random::new(81);
        let mut bdds = Bdds::new();
        let (mut yes, mut before, mut after) = (0, 0, 0);
        for round in 0..2500 {
            let sets = 1 + r.below(5) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(4), &[0, 1], sets)
                .with_random_acceptance(&mut r);
            o.density = 0.5;
            o.mark_probability = *r.pick(&[0.2, 0.5, 0.8]);
            let mut a = o.generate(&mut r, &mut bdds);
            if round % 3 == 0 {
                // Sets that repeat and complete each other are rare by chance.
                for e in a.edges.iter_mut().flatten() {
                    for i in 1..sets {
                        if e.mark.contains(0) == (i % 2 == 0) {
                            e.mark.insert(i);
                        } else if i < 3 {
                            e.mark.remove(i);
                        }
                    }
                }
            }
            let mut b = a.clone();
            simplify_acceptance(&mut b);
            let (inf, fin) = b.acceptance.sets_used();
            assert_eq!(inf.union(&fin), Mark::all(b.sets));
            assert!(
                b.edges
                    .iter()
                    .flatten()
                    .all(|e| e.mark.is_subset(&Mark::all(b.sets)))
            );
            before += a.sets;
            after += b.sets;
            for _ in 0..8 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                assert_eq!(accepts(&bdds, &b, &w), truth, "{a:?} {b:?} {w:?}");
                yes += usize::from(truth);
            }
        }
        assert!(yes > 2000 && yes < 17000, "{yes}");
        assert!(2 * after < before, "{before} {after}");
    }

    /// One state with a loop for each set of marks given.
    fn loops(acceptance: Acceptance, sets: u32, marks: &[&[u32]]) -> Automaton {
        let mut a = Automaton::new(vec![], sets, acceptance);
        a.add_state();
        a.initial.push(0);
        for m in marks {
            a.add_edge(0, 0, Bdd::TRUE, m.iter().copied().collect());
        }
        a
    }

    #[test]
    fn known_simplifications() {
        use Acceptance::{Fin, Inf};
        let check = |condition: Acceptance, marks: &[&[u32]], expected: &str| {
            let mut a = loops(condition, 3, marks);
            simplify_acceptance(&mut a);
            assert_eq!(a.acceptance.to_string(), expected);
        };
        let gba = Acceptance::generalized_buchi(3);
        // Set 1 includes set 0, set 2 is everywhere.
        check(gba.clone(), &[&[0, 1, 2], &[1, 2], &[2]], "Inf(0)");
        // Equal sets.
        check(gba.clone(), &[&[0, 1, 2], &[]], "Inf(0)");
        // A set without edges.
        check(gba, &[&[0, 1], &[]], "f");
        // Complementary sets: one of them is always seen.
        let either = Acceptance::or([Inf(0), Inf(1)]);
        check(either, &[&[0], &[1]], "t");
        let neither = Acceptance::and([Fin(0), Fin(1)]);
        check(neither, &[&[0], &[1]], "f");
        let one = Acceptance::and([Fin(0), Inf(1)]);
        check(one, &[&[0], &[1]], "Fin(0)");
        // Under a conjunct.
        let nested = Acceptance::and([Inf(0), Acceptance::or([Fin(1), Inf(2)])]);
        check(nested, &[&[0, 1], &[1, 2], &[]], "Inf(0) & Inf(1)");
    }
}
