//! Normal forms of acceptance conditions, and marks that satisfy them.
//!
//! Disjunctive normal form is a list of clauses, each a set of `Inf`s and a set of `Fin`s (a
//! generalised Rabin condition); conjunctive normal form is its dual. Clauses that contradict
//! themselves, and clauses that another clause covers, are left out. The normal form of a condition
//! can be exponential in its size, so the caller gives a limit.

use crate::acceptance::Acceptance;
use crate::mark::Mark;

/// A conjunction (in a disjunctive form) or a disjunction (in a conjunctive form) of atoms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Clause {
    /// The sets of its `Inf`s.
    pub inf: Mark,
    /// The sets of its `Fin`s.
    pub fin: Mark,
}

impl Clause {
    fn atoms(&self) -> impl Iterator<Item = Acceptance> + '_ {
        let fins = self.fin.iter().map(Acceptance::Fin);
        fins.chain(self.inf.iter().map(Acceptance::Inf))
    }

    /// The clause as a conjunction.
    pub fn conjunction(&self) -> Acceptance {
        Acceptance::and(self.atoms().collect::<Vec<_>>())
    }

    /// The clause as a disjunction.
    pub fn disjunction(&self) -> Acceptance {
        Acceptance::or(self.atoms().collect::<Vec<_>>())
    }

    fn join(&self, other: &Self) -> Self {
        Self {
            inf: self.inf.union(&other.inf),
            fin: self.fin.union(&other.fin),
        }
    }

    fn is_subset(&self, other: &Self) -> bool {
        self.inf.is_subset(&other.inf) && self.fin.is_subset(&other.fin)
    }
}

/// The clauses of the disjunctive normal form, `None` if at some point there are more than `limit`.
/// No clause means false, an empty clause true.
pub fn dnf(condition: &Acceptance, limit: usize) -> Option<Vec<Clause>> {
    let atom = |inf: Option<u32>, fin: Option<u32>| {
        Some(vec![Clause {
            inf: inf.into_iter().collect(),
            fin: fin.into_iter().collect(),
        }])
    };
    match condition {
        Acceptance::True => Some(vec![Clause::default()]),
        Acceptance::False => Some(Vec::new()),
        Acceptance::Inf(i) => atom(Some(*i), None),
        Acceptance::Fin(i) => atom(None, Some(*i)),
        Acceptance::Or(parts) => {
            let mut all = Vec::new();
            for p in parts {
                for c in dnf(p, limit)? {
                    add(&mut all, c);
                }
                if all.len() > limit {
                    return None;
                }
            }
            Some(all)
        }
        Acceptance::And(parts) => {
            let mut all = vec![Clause::default()];
            for p in parts {
                let factor = dnf(p, limit)?;
                let mut next = Vec::new();
                for x in &all {
                    for y in &factor {
                        let c = x.join(y);
                        if !c.inf.intersects(&c.fin) {
                            add(&mut next, c);
                        }
                        if next.len() > limit {
                            return None;
                        }
                    }
                }
                all = next;
            }
            Some(all)
        }
    }
}

/// The clauses of the conjunctive normal form, `None` if at some point there are more than `limit`.
/// No clause means true, an empty clause false.
pub(crate) fn cnf(condition: &Acceptance, limit: usize) -> Option<Vec<Clause>> {
    let dual = dnf(&condition.complement(), limit)?;
    let swap = |c: Clause| Clause {
        inf: c.fin,
        fin: c.inf,
    };
    Some(dual.into_iter().map(swap).collect())
}

/// Adds a clause unless a weaker one is there, and drops those it makes superfluous.
fn add(clauses: &mut Vec<Clause>, c: Clause) {
    if !clauses.iter().any(|d| d.is_subset(&c)) {
        clauses.retain(|d| !c.is_subset(d));
        clauses.push(c);
    }
}

/// A set of marks that satisfies the condition, if there is one.
///
/// Sets that occur only in `Inf`s are included, and sets that occur only in `Fin`s are not; for the others both
/// choices are tried. So this is immediate for conditions in which no set has both signs.
pub(crate) fn satisfying_marks(condition: &Acceptance) -> Option<Mark> {
    match condition {
        Acceptance::True => return Some(Mark::EMPTY),
        Acceptance::False => return None,
        _ => {}
    }
    let (inf, fin) = condition.sets_used();
    let (only_inf, only_fin) = (inf.minus(&fin), fin.minus(&inf));
    if !only_inf.is_empty() || !only_fin.is_empty() {
        let rest = decide(condition, &only_inf, &only_fin);
        return satisfying_marks(&rest).map(|m| m.union(&only_inf));
    }
    let choice = Mark::single(inf.iter().next()?);
    satisfying_marks(&decide(condition, &Mark::EMPTY, &choice)).or_else(|| {
        satisfying_marks(&decide(condition, &choice, &Mark::EMPTY)).map(|m| m.union(&choice))
    })
}

/// The condition when the marks `seen` are seen and the marks `unseen` are not.
fn decide(condition: &Acceptance, seen: &Mark, unseen: &Mark) -> Acceptance {
    condition.assume_inf(seen).map(&mut |a| match a {
        Acceptance::Inf(i) if unseen.contains(*i) => Acceptance::False,
        Acceptance::Fin(i) if unseen.contains(*i) => Acceptance::True,
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    /// A condition over few sets, so that sets occur several times and with both signs.
    fn random(r: &mut Random, depth: usize) -> Acceptance {
        if depth == 0 {
            let i = r.below(4) as u32;
            return match r.below(9) {
                0 => Acceptance::True,
                1 => Acceptance::False,
                n if n < 6 => Acceptance::Inf(i),
                _ => Acceptance::Fin(i),
            };
        }
        let parts: Vec<_> = (0..1 + r.below(3)).map(|_| random(r, depth - 1)).collect();
        if r.chance(0.5) {
            Acceptance::and(parts)
        } else {
            Acceptance::or(parts)
        }
    }

    #[test]
    fn normal_forms_mean_the_same() {
        let mut r = Random::new(5);
        let mut satisfiable = 0;
        for _ in 0..2000 {
            let c = random(&mut r, 3);
            let d = dnf(&c, 1000).expect("small");
            let e = cnf(&c, 1000).expect("small");
            let truths: Vec<bool> = (0..16).map(|m| c.accepts(&Mark::from_word(m))).collect();
            let as_dnf = Acceptance::or(d.iter().map(Clause::conjunction));
            let as_cnf = Acceptance::and(e.iter().map(Clause::disjunction));
            for (m, &truth) in truths.iter().enumerate() {
                let m = Mark::from_word(m as u64);
                assert_eq!(as_dnf.accepts(&m), truth, "{c}");
                assert_eq!(as_cnf.accepts(&m), truth, "{c}");
            }
            for (i, x) in d.iter().enumerate() {
                assert!(!x.inf.intersects(&x.fin));
                assert!(d.iter().enumerate().all(|(j, y)| i == j || !y.is_subset(x)));
            }
            match satisfying_marks(&c) {
                Some(m) => {
                    assert!(c.accepts(&m), "{c}");
                    satisfiable += 1;
                }
                None => assert!(!truths.contains(&true), "{c}"),
            }
        }
        assert!(satisfiable > 500 && satisfiable < 1990, "{satisfiable}");
    }

    #[test]
    fn the_limit_is_a_value_not_a_wait() {
        let streett = |n: u32| {
            Acceptance::and(
                (0..n)
                    .map(|i| Acceptance::or([Acceptance::Fin(2 * i), Acceptance::Inf(2 * i + 1)])),
            )
        };
        assert_eq!(dnf(&streett(4), 100).map(|d| d.len()), Some(16));
        assert_eq!(dnf(&streett(30), 100), None);
        assert_eq!(cnf(&streett(30), 100).map(|d| d.len()), Some(30));
    }
}
