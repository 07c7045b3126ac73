//! Acceptance conditions: positive Boolean combinations of `Inf(i)` and `Fin(i)`.
//!
//! Acceptance of a run depends on the set of marks it sees infinitely often: `Inf(i)` holds if mark `i` is one of
//! them, `Fin(i)` if it is not.

use crate::mark::Mark;
use rustc_hash::FxHashSet;
use std::fmt;

/// A condition on the marks seen infinitely often.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Acceptance {
    /// Every run is accepting.
    True,
    /// No run is accepting.
    False,
    /// The mark is seen infinitely often.
    Inf(u32),
    /// The mark is seen finitely often.
    Fin(u32),
    /// All of them; two or more.
    And(Vec<Acceptance>),
    /// One of them; two or more.
    Or(Vec<Acceptance>),
}

use Acceptance::{And, False, Fin, Inf, Or, True};

impl Acceptance {
    /// `Inf(0) & … & Inf(n-1)`; [`True`] for no set at all.
    pub fn generalized_buchi(n: u32) -> Self {
        Self::and((0..n).map(Inf))
    }

    /// `Inf(0)`
    pub fn buchi() -> Self {
        Inf(0)
    }

    /// `Fin(0)`
    pub fn co_buchi() -> Self {
        Fin(0)
    }

    /// The conjunction, flattened, without repetition; constants absorbed.
    pub fn and(parts: impl IntoIterator<Item = Acceptance>) -> Self {
        let mut flat = Vec::new();
        for p in parts {
            match p {
                True => {}
                False => return False,
                And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        Self::settle(flat, True, And)
    }

    /// The disjunction, flattened, without repetition; constants absorbed.
    pub fn or(parts: impl IntoIterator<Item = Acceptance>) -> Self {
        let mut flat = Vec::new();
        for p in parts {
            match p {
                False => {}
                True => return True,
                Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        Self::settle(flat, False, Or)
    }

    /// Removes repetitions and absorbs constants; keeps the order of first occurrence.
    fn settle(
        flat: Vec<Acceptance>,
        unit: Acceptance,
        wrap: fn(Vec<Acceptance>) -> Acceptance,
    ) -> Self {
        let mut kept: Vec<Acceptance> = Vec::with_capacity(flat.len());
        // Files may have tens of thousands of sets.
        let long = flat.len() > 16;
        let mut seen = FxHashSet::default();
        for p in flat {
            let fresh = if long {
                seen.insert(p.clone())
            } else {
                !kept.contains(&p)
            };
            if fresh {
                kept.push(p);
            }
        }
        match kept.len() {
            0 => unit,
            1 => kept.pop().expect("one element"),
            _ => wrap(kept),
        }
    }

    /// Is a run accepting that sees exactly `marks` infinitely often?
    pub fn accepts(&self, marks: &Mark) -> bool {
        match self {
            True => true,
            False => false,
            Inf(i) => marks.contains(*i),
            Fin(i) => !marks.contains(*i),
            And(parts) => parts.iter().all(|p| p.accepts(marks)),
            Or(parts) => parts.iter().any(|p| p.accepts(marks)),
        }
    }

    /// The condition that accepts exactly the other runs.
    #[must_use]
    pub fn complement(&self) -> Self {
        match self {
            True => False,
            False => True,
            Inf(i) => Fin(*i),
            Fin(i) => Inf(*i),
            And(parts) => Self::or(parts.iter().map(Self::complement)),
            Or(parts) => Self::and(parts.iter().map(Self::complement)),
        }
    }

    /// The condition with each atom replaced.
    #[must_use]
    pub fn map(&self, atom: &mut dyn FnMut(&Acceptance) -> Acceptance) -> Self {
        match self {
            True | False => self.clone(),
            Inf(_) | Fin(_) => atom(self),
            And(parts) => Self::and(parts.iter().map(|p| p.map(atom)).collect::<Vec<_>>()),
            Or(parts) => Self::or(parts.iter().map(|p| p.map(atom)).collect::<Vec<_>>()),
        }
    }

    /// The condition with every set number moved up by `by`.
    #[must_use]
    pub fn shift(&self, by: u32) -> Self {
        self.map(&mut |a| match a {
            Inf(i) => Inf(i + by),
            Fin(i) => Fin(i + by),
            other => other.clone(),
        })
    }

    /// The condition, provided that only `available` marks can be seen infinitely often.
    #[must_use]
    pub fn restrict_to(&self, available: &Mark) -> Self {
        self.map(&mut |a| match a {
            Inf(i) if !available.contains(*i) => False,
            Fin(i) if !available.contains(*i) => True,
            other => other.clone(),
        })
    }

    /// The condition, provided that runs see all of `seen` infinitely often.
    #[must_use]
    pub(crate) fn assume_inf(&self, seen: &Mark) -> Self {
        self.map(&mut |a| match a {
            Inf(i) if seen.contains(*i) => True,
            Fin(i) if seen.contains(*i) => False,
            other => other.clone(),
        })
    }

    /// The sets that occur in an `Inf`, and those that occur in a `Fin`.
    pub fn sets_used(&self) -> (Mark, Mark) {
        let (mut infs, mut fins) = (Vec::new(), Vec::new());
        self.each_atom(&mut |a| match a {
            Inf(i) => infs.push(*i),
            Fin(i) => fins.push(*i),
            _ => {}
        });
        (infs.into_iter().collect(), fins.into_iter().collect())
    }

    fn each_atom<'a>(&'a self, visit: &mut dyn FnMut(&'a Acceptance)) {
        match self {
            True | False => {}
            Inf(_) | Fin(_) => visit(self),
            And(parts) | Or(parts) => parts.iter().for_each(|p| p.each_atom(visit)),
        }
    }

    /// Has it a `Fin`?
    pub fn uses_fin(&self) -> bool {
        match self {
            Fin(_) => true,
            And(parts) | Or(parts) => parts.iter().any(Self::uses_fin),
            _ => false,
        }
    }

    /// The sets of a generalised Büchi condition (a conjunction of `Inf`s, or [`True`]), else `None`.
    pub fn as_generalized_buchi(&self) -> Option<Mark> {
        match self {
            True => Some(Mark::EMPTY),
            Inf(i) => Some(Mark::single(*i)),
            And(parts) => parts
                .iter()
                .map(|p| match p {
                    Inf(i) => Some(*i),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

impl fmt::Display for Acceptance {
    /// As in HOA: `Inf(0) & (Fin(1) | Inf(2))`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, parts: &[Acceptance], op: &str| {
            for (i, p) in parts.iter().enumerate() {
                if i > 0 {
                    f.write_str(op)?;
                }
                if matches!((op, p), (" & ", Or(_))) {
                    write!(f, "({p})")?;
                } else {
                    write!(f, "{p}")?;
                }
            }
            Ok(())
        };
        match self {
            True => f.write_str("t"),
            False => f.write_str("f"),
            Inf(i) => write!(f, "Inf({i})"),
            Fin(i) => write!(f, "Fin({i})"),
            And(parts) => join(f, parts, " & "),
            Or(parts) => {
                for (i, p) in parts.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" | ")?;
                    }
                    if matches!(p, And(_)) {
                        write!(f, "({p})")?;
                    } else {
                        write!(f, "{p}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_absorbed_and_complement_is_an_involution() {
        let c = Acceptance::or([
            Acceptance::and([Fin(0), Inf(1), True]),
            False,
            Acceptance::and([Fin(2), Acceptance::or([Inf(3), Inf(4)])]),
        ]);
        assert_eq!(
            c.to_string(),
            "(Fin(0) & Inf(1)) | (Fin(2) & (Inf(3) | Inf(4)))"
        );
        assert_eq!(c.complement().complement(), c);
        for bits in 0..32 {
            let m = Mark::from_word(bits);
            assert_ne!(c.accepts(&m), c.complement().accepts(&m));
        }
        assert_eq!(Acceptance::generalized_buchi(0), True);
        assert_eq!(
            Acceptance::generalized_buchi(3).as_generalized_buchi(),
            Some(Mark::all(3))
        );
        assert!(c.uses_fin() && c.as_generalized_buchi().is_none());
    }

    #[test]
    fn repetitions_go_and_the_order_stays() {
        for n in [5, 16, 17, 40_000] {
            let parts = (0..n).chain(0..n).map(|i| Inf(i / 2 * 2));
            let once: Vec<_> = (0..n).step_by(2).map(Inf).collect();
            assert_eq!(Acceptance::and(parts), And(once));
        }
    }

    #[test]
    fn restriction_and_assumption_say_what_they_promise() {
        let c = Acceptance::or([
            Acceptance::and([Fin(0), Inf(1)]),
            Acceptance::and([Fin(1), Inf(2)]),
        ]);
        for available in 0..8u64 {
            let r = c.restrict_to(&Mark::from_word(available));
            for seen in 0..8u64 {
                if seen & !available == 0 {
                    let m = Mark::from_word(seen);
                    assert_eq!(r.accepts(&m), c.accepts(&m));
                    let a = c.assume_inf(&m);
                    assert_eq!(a.accepts(&m), c.accepts(&m));
                }
            }
        }
    }
}
