//! Syntactic facts about formulas.
//!
//! * *Pure eventualities and pure universalities* (Etessami, Holzmann, "Optimizing Büchi automata", CONCUR 2000): a
//!   formula is *eventual* if adding any prefix to a model keeps it a model, and *universal* if removing any prefix
//!   does.
//! * *The syntactic fragments of the hierarchy* of Manna and Pnueli, after Černá and Pelánek, "Relating hierarchy of
//!   temporal properties to model checking" (MFCS 2003). Membership in a fragment is sufficient for the language to
//!   be in the class, not necessary.
//!
//! The facts are one word, computed from those of the operands when a formula is created.

use crate::op::{Formula, Op};

/// A set of syntactic facts; read it with the methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(u16);

macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident = $bit:expr;)*) => {
        impl Facts {
            $($(#[$doc])* pub fn $name(self) -> bool { self.0 & (1 << $bit) != 0 })*
        }
    };
}

facts! {
    /// No temporal operator.
    boolean = 0;
    /// No `X`; therefore the language is stutter-invariant.
    next_free = 1;
    /// Closed under adding prefixes.
    eventual = 2;
    /// Closed under removing prefixes.
    universal = 3;
    /// In the safety fragment.
    safety = 4;
    /// In the guarantee (co-safety) fragment.
    guarantee = 5;
    /// In the obligation fragment.
    obligation = 6;
    /// In the recurrence fragment (deterministic Büchi).
    recurrence = 7;
    /// In the persistence fragment (deterministic co-Büchi).
    persistence = 8;
    /// In negation normal form over `! & | X F G U R W M`, negation on propositions only.
    nnf = 9;
    /// An atomic proposition.
    proposition = 10;
}

/// The facts under construction, one field each.
#[derive(Clone, Copy)]
struct Draft {
    boolean: bool,
    next_free: bool,
    eventual: bool,
    universal: bool,
    safety: bool,
    guarantee: bool,
    obligation: bool,
    recurrence: bool,
    persistence: bool,
    nnf: bool,
}

impl Draft {
    fn seal(self) -> Facts {
        // A Boolean formula is in every class; an obligation is also a recurrence and a persistence.
        let safety = self.safety || self.boolean;
        let guarantee = self.guarantee || self.boolean;
        let obligation = self.obligation || safety || guarantee;
        Facts(
            u16::from(self.boolean)
                | u16::from(self.next_free) << 1
                | u16::from(self.eventual) << 2
                | u16::from(self.universal) << 3
                | u16::from(safety) << 4
                | u16::from(guarantee) << 5
                | u16::from(obligation) << 6
                | u16::from(self.recurrence || obligation) << 7
                | u16::from(self.persistence || obligation) << 8
                | u16::from(self.nnf) << 9,
        )
    }
}

impl Facts {
    /// The facts of a proposition.
    pub(crate) fn of_proposition() -> Facts {
        Draft {
            boolean: true,
            next_free: true,
            eventual: false,
            universal: false,
            safety: true,
            guarantee: true,
            obligation: true,
            recurrence: true,
            persistence: true,
            nnf: true,
        }
        .seal()
        .with_proposition()
    }

    fn with_proposition(self) -> Facts {
        Facts(self.0 | 1 << 10)
    }

    /// The facts of `op(operands)`.
    pub(crate) fn of(op: Op, operands: &[Formula], facts: impl Fn(Formula) -> Facts) -> Facts {
        let all = |p: fn(Facts) -> bool| operands.iter().all(|&f| p(facts(f)));
        let get = |i: usize| facts(operands[i]);
        let next_free = op != Op::Next && all(Facts::next_free);
        let nnf_below = all(Facts::nnf);
        // The part common to `& | X` and the constants: the formula is in a class if all operands are.
        let uniform = Draft {
            boolean: op != Op::Next && all(Facts::boolean),
            next_free,
            eventual: all(Facts::eventual),
            universal: all(Facts::universal),
            safety: all(Facts::safety),
            guarantee: all(Facts::guarantee),
            obligation: all(Facts::obligation),
            recurrence: all(Facts::recurrence),
            persistence: all(Facts::persistence),
            nnf: nnf_below,
        };
        let temporal = Draft {
            boolean: false,
            ..uniform
        };
        match op {
            Op::Proposition => unreachable!("a proposition has its own constructor"),
            Op::True | Op::False | Op::And | Op::Or => uniform,
            Op::Next => temporal,
            Op::Not => {
                let f = get(0);
                Draft {
                    eventual: f.universal(),
                    universal: f.eventual(),
                    safety: f.guarantee(),
                    guarantee: f.safety(),
                    obligation: f.obligation(),
                    recurrence: f.persistence(),
                    persistence: f.recurrence(),
                    nnf: f.proposition(),
                    ..uniform
                }
            }
            Op::Finally => Draft {
                eventual: true,
                safety: false,
                obligation: false,
                recurrence: false,
                ..temporal
            },
            Op::Globally => Draft {
                universal: true,
                guarantee: false,
                obligation: false,
                persistence: false,
                ..temporal
            },
            Op::Implies => {
                let (f, g) = (get(0), get(1));
                Draft {
                    eventual: f.universal() && g.eventual(),
                    universal: f.eventual() && g.universal(),
                    safety: f.guarantee() && g.safety(),
                    guarantee: f.safety() && g.guarantee(),
                    recurrence: f.persistence() && g.recurrence(),
                    persistence: f.recurrence() && g.persistence(),
                    nnf: false,
                    ..uniform
                }
            }
            // Each operand occurs with both signs, so it must be in a class and in its dual.
            Op::Equiv | Op::Xor => {
                let pure = uniform.eventual && uniform.universal;
                let bounded = uniform.safety && uniform.guarantee;
                let settled = uniform.recurrence && uniform.persistence;
                Draft {
                    eventual: pure,
                    universal: pure,
                    safety: bounded,
                    guarantee: bounded,
                    recurrence: settled,
                    persistence: settled,
                    nnf: false,
                    ..uniform
                }
            }
            Op::Until => {
                let (f, g) = (get(0), get(1));
                Draft {
                    eventual: g.eventual() || operands[0] == Formula::TRUE,
                    safety: false,
                    obligation: f.obligation() && g.guarantee(),
                    recurrence: f.recurrence() && g.guarantee(),
                    ..temporal
                }
            }
            Op::Release => {
                let (f, g) = (get(0), get(1));
                Draft {
                    universal: g.universal() || operands[0] == Formula::FALSE,
                    guarantee: false,
                    obligation: f.obligation() && g.safety(),
                    persistence: f.persistence() && g.safety(),
                    ..temporal
                }
            }
            Op::WeakUntil => {
                let (f, g) = (get(0), get(1));
                Draft {
                    universal: temporal.universal || operands[1] == Formula::FALSE,
                    guarantee: false,
                    obligation: f.safety() && g.obligation(),
                    persistence: f.safety() && g.persistence(),
                    ..temporal
                }
            }
            Op::StrongRelease => {
                let (f, g) = (get(0), get(1));
                Draft {
                    eventual: temporal.eventual || operands[1] == Formula::TRUE,
                    safety: false,
                    obligation: f.guarantee() && g.obligation(),
                    recurrence: f.guarantee() && g.recurrence(),
                    ..temporal
                }
            }
        }
        .seal()
    }
}

#[cfg(test)]
mod tests {
    use crate::formula::{Formulas, Op};

    #[test]
    fn fragments_of_small_formulas() {
        let mut a = Formulas::new();
        let (p, q) = (a.proposition("p"), a.proposition("q"));
        let fp = a.finally(p);
        let gfp = a.globally(fp);
        let f = a.facts(gfp);
        assert!(f.eventual() && f.universal() && f.recurrence());
        assert!(!f.persistence() && !f.obligation());
        let response = a.implies(p, fp);
        let g = a.globally(response);
        assert!(a.facts(g).recurrence() && !a.facts(g).nnf());
        let w = a.weak_until(p, q);
        assert!(a.facts(w).safety() && !a.facts(w).guarantee());
        let u = a.until(w, q);
        assert!(a.facts(u).obligation());
        let x = a.next(u);
        assert!(!a.facts(x).next_free() && a.facts(u).next_free());
        let (xp, wp) = (a.next(p), a.weak_until(p, q));
        let (e, f) = (a.equiv(q, xp), a.xor(q, wp));
        assert!(a.facts(e).safety() && a.facts(e).guarantee());
        assert!(!a.facts(f).safety() && a.facts(f).obligation());
        let np = a.not(p);
        assert!(a.facts(np).nnf());
        let nw = a.not(w);
        assert!(!a.facts(nw).nnf() && a.facts(nw).guarantee());
        let conjunction = a.and(&[p, q]);
        let not_both = a.not(conjunction);
        assert!(!a.facts(not_both).nnf());
        let n0 = a.node(Op::Not, &[crate::Formula::TRUE]);
        assert!(!a.facts(n0).nnf());
    }
}
