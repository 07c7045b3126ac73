//! Rewriting of formulas into smaller, or more convenient, equivalent ones.
//!
//! Sources: Somenzi, Bloem, "Efficient Büchi automata from LTL formulae" (CAV 2000); Etessami,
//! Holzmann, "Optimizing Büchi automata" (CONCUR 2000); Babiak, Křetínský, Řehák, Strejček, "LTL to
//! Büchi automata translation: fast and more deterministic" (TACAS 2012). Three families of rules:
//!
//! * basic identities (`F(a U b) = F b`, `Xa & Xb = X(a & b)`, `(a U b) | (a U c) = a U (b | c)`);
//! * pure eventualities and universalities (`a U e = e`, `G(a | q) = Ga | q` for a `q` that is both);
//! * syntactic implication ([`Implication`]): `a & b = a` if `a` implies `b`, and its relatives.
//!
//! Every rule has a dual, obtained by exchanging true and false, `&` and `|`, `F` and `G`, `U` and `R`,
//! `W` and `M`. Each is therefore written once, in terms of a `View` that reads formulas either as
//! they are or through that exchange.
//!
//! Invariants: S1 the input is in negation normal form and so is the output; S2 the result is never
//! larger than the input ([`Simplifier::simplify`] keeps the input otherwise); S3 the result is
//! equivalent to the input on all words.

mod conjunction;
mod shape;
mod unary;
mod until;
mod view;

use crate::formula::{Formula, Formulas, Op};
use crate::implication::Implication;
use crate::samples::Samples;
use rustc_hash::FxHashMap;
use view::View;

/// A comparison of languages, which this crate cannot do itself.
pub trait Oracle {
    /// Is `f & g` unsatisfiable? May answer `false` when it would take too long.
    fn disjoint(&mut self, formulas: &mut Formulas, f: Formula, g: Formula) -> bool;
}

/// The memory of results for one arena.
#[derive(Default)]
pub struct Simplifier {
    /// The cache of syntactic implication, shared with other users.
    pub implication: Implication,
    /// Consulted if the syntax does not decide; none by default.
    pub oracle: Option<Box<dyn Oracle>>,
    samples: Samples,
    results: FxHashMap<Formula, Formula>,
}

/// Larger formulas are not compared with their parts.
const MAX_SEMANTIC: usize = 40;

impl Simplifier {
    /// A simplifier without results.
    pub fn new() -> Self {
        Self::default()
    }

    /// An equivalent formula, no larger (S2), of a formula in negation normal form (S1).
    pub fn simplify(&mut self, a: &mut Formulas, f: Formula) -> Formula {
        debug_assert!(a.facts(f).nnf(), "S1");
        if let Some(&g) = self.results.get(&f) {
            return g;
        }
        // Meanwhile the result for f is f itself: otherwise rules that keep the size could loop.
        self.results.insert(f, f);
        let operands: Vec<Formula> = a.operands(f).to_vec();
        let mut g = f;
        if !operands.is_empty() && a.op(f) != Op::Not {
            let simpler: Vec<Formula> = operands.iter().map(|&h| self.simplify(a, h)).collect();
            g = a.make(a.op(f), &simpler);
        }
        if g == f {
            g = self.rewrite(a, f);
        }
        if g == f && self.oracle.is_some() {
            g = self.semantic(a, f);
        }
        // The result of a rule may enable others, also below its root.
        if g != f {
            g = self.simplify(a, g);
        }
        if a.size(g) > a.size(f) {
            g = f;
        }
        debug_assert!(a.facts(g).nnf(), "S1");
        self.results.insert(f, g);
        g
    }

    /// One rule at the root, or `f` itself.
    fn rewrite(&mut self, a: &mut Formulas, f: Formula) -> Formula {
        use View::{Dual, Plain};
        match a.op(f) {
            Op::Next => self.next(a, f),
            Op::Finally => self.finally(a, f, Plain),
            Op::Globally => self.finally(a, f, Dual),
            Op::And => self.and(a, f, Plain),
            Op::Or => self.and(a, f, Dual),
            Op::Until => self.until(a, f, Plain),
            Op::Release => self.until(a, f, Dual),
            Op::WeakUntil => self.weak_until(a, f, Plain),
            Op::StrongRelease => self.weak_until(a, f, Dual),
            _ => f,
        }
    }

    /// `f` implies `g` in the plain view, `g` implies `f` in the dual one.
    fn implies(&mut self, a: &mut Formulas, v: View, f: Formula, g: Formula) -> bool {
        match v {
            View::Plain => self.proved(a, f, g),
            View::Dual => self.proved(a, g, f),
        }
    }

    /// `f & g` is false in the plain view, `f | g` is true in the dual one.
    fn excludes(&mut self, a: &mut Formulas, v: View, f: Formula, g: Formula) -> bool {
        let (f, g) = match v {
            View::Plain => (f, self.implication.negation(a, g)),
            View::Dual => (self.implication.negation(a, f), g),
        };
        self.proved(a, f, g)
    }

    /// `f | g` is true in the plain view, `f & g` is false in the dual one.
    fn covers(&mut self, a: &mut Formulas, v: View, f: Formula, g: Formula) -> bool {
        let (f, g) = match v {
            View::Plain => (self.implication.negation(a, f), g),
            View::Dual => (f, self.implication.negation(a, g)),
        };
        self.proved(a, f, g)
    }

    /// A smaller formula made of a subformula and at most two of `F` and `G`, if one is equivalent to `f`:
    /// found among the samples, proved by the oracle.
    fn semantic(&mut self, a: &mut Formulas, f: Formula) -> Formula {
        if a.facts(f).boolean() || a.size(f) < 4 || a.size(f) > MAX_SEMANTIC {
            return f;
        }
        let mut below = a.subformulas(f);
        below.pop();
        let mut best = f;
        let mut try_one = |this: &mut Self, a: &mut Formulas, g: Formula| {
            if a.size(g) < a.size(best)
                && this.samples.agree(a, f, g)
                && this.proved(a, f, g)
                && this.proved(a, g, f)
            {
                best = g;
            }
        };
        for constant in [Formula::TRUE, Formula::FALSE] {
            try_one(self, a, constant);
        }
        for g in below {
            if a.size(g) >= a.size(f) {
                continue;
            }
            try_one(self, a, g);
            for (outer, inner) in [
                (None, Op::Finally),
                (None, Op::Globally),
                (Some(Op::Globally), Op::Finally),
                (Some(Op::Finally), Op::Globally),
            ] {
                let mut h = a.make(inner, &[g]);
                if let Some(op) = outer {
                    h = a.make(op, &[h]);
                }
                try_one(self, a, h);
            }
        }
        best
    }

    /// Does `f` imply `g`, by the syntax or by the oracle?
    fn proved(&mut self, a: &mut Formulas, f: Formula, g: Formula) -> bool {
        if self.implication.implies(a, f, g) {
            return true;
        }
        let Some(oracle) = &mut self.oracle else {
            return false;
        };
        if self.samples.refute(a, f, g) {
            return false;
        }
        let not_g = self.implication.negation(a, g);
        oracle.disjoint(a, f, not_g)
    }
}
