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
//! `W` and `M`. Each is therefore written once, in terms of a [`View`] that reads formulas either as
//! they are or through that exchange.
//!
//! Invariants: S1 the input is in negation normal form and so is the output; S2 the result is never
//! larger than the input ([`Simplifier::simplify`] keeps the input otherwise); S3 the result is
//! equivalent to the input on all words.

use crate::formula::{Formula, Formulas, Op};
use crate::implication::Implication;
use crate::samples::Samples;
use rustc_hash::FxHashMap;

/// Somebody who can compare languages: this crate cannot.
pub trait Oracle {
    /// Is `f & g` unsatisfiable? May answer `false` when it would take too long.
    fn disjoint(&mut self, formulas: &mut Formulas, f: Formula, g: Formula) -> bool;
}

/// The memory of results for one arena.
#[derive(Default)]
pub struct Simplifier {
    /// The answers of syntactic implication, shared with whoever else needs them.
    pub implication: Implication,
    /// Asked where the syntax does not tell; none by default.
    pub oracle: Option<Box<dyn Oracle>>,
    samples: Samples,
    results: FxHashMap<Formula, Formula>,
}

/// Larger formulas are not compared with their parts.
const MOST_SEMANTIC: usize = 40;

/// Which way round a rule is read.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Plain,
    Dual,
}

impl View {
    fn op(self, op: Op) -> Op {
        if self == View::Plain {
            return op;
        }
        match op {
            Op::True => Op::False,
            Op::False => Op::True,
            Op::And => Op::Or,
            Op::Or => Op::And,
            Op::Finally => Op::Globally,
            Op::Globally => Op::Finally,
            Op::Until => Op::Release,
            Op::Release => Op::Until,
            Op::WeakUntil => Op::StrongRelease,
            Op::StrongRelease => Op::WeakUntil,
            other => other,
        }
    }

    fn top(self) -> Formula {
        match self {
            View::Plain => Formula::TRUE,
            View::Dual => Formula::FALSE,
        }
    }

    fn bottom(self) -> Formula {
        match self {
            View::Plain => Formula::FALSE,
            View::Dual => Formula::TRUE,
        }
    }

    fn is(self, a: &Formulas, f: Formula, op: Op) -> bool {
        a.op(f) == self.op(op)
    }

    fn make(self, a: &mut Formulas, op: Op, operands: &[Formula]) -> Formula {
        a.make(self.op(op), operands)
    }

    fn eventual(self, a: &Formulas, f: Formula) -> bool {
        match self {
            View::Plain => a.facts(f).eventual(),
            View::Dual => a.facts(f).universal(),
        }
    }

    fn universal(self, a: &Formulas, f: Formula) -> bool {
        match self {
            View::Plain => a.facts(f).universal(),
            View::Dual => a.facts(f).eventual(),
        }
    }
}

/// Closed under adding and under removing prefixes: true now means true always.
fn suspendable(a: &Formulas, f: Formula) -> bool {
    a.facts(f).eventual() && a.facts(f).universal()
}

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
        // While we look, f stands for itself: rules that keep the size could otherwise go in circles.
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
        // A rule's result can open the way for others, also below its root.
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

    /// The other way round: what is eventual, or lasts, is taken out of `U`, `R`, `W` and `M`, so that it
    /// need not be carried along: `l U (g | e) = (l U g) | e`, `l U (g & q) = (l U g) & q`.
    pub fn scatter(&mut self, a: &mut Formulas, f: Formula) -> Formula {
        use View::{Dual, Plain};
        a.rebuild(f, |a, g, operands| {
            if operands.is_empty() || a.op(g) == Op::Not {
                return g;
            }
            let g = a.make(a.op(g), operands);
            match a.op(g) {
                Op::Until => scatter_until(a, g, Op::Until, Plain),
                Op::Release => scatter_until(a, g, Op::Until, Dual),
                Op::WeakUntil => scatter_until(a, g, Op::WeakUntil, Plain),
                Op::StrongRelease => scatter_until(a, g, Op::WeakUntil, Dual),
                _ => g,
            }
        })
    }

    /// An equivalent formula in a shape that translates well; it may be larger.
    ///
    /// * Eventual disjuncts are gathered below one `F`: `F g | e = F(g | e)`. The state that waits for
    ///   `g` is then the state that waits for either.
    /// * `l W e = G l | e`.
    /// * `X a R b = b & X(b W a)`: the choice between the two ways to go on disappears.
    pub fn gather(&mut self, a: &mut Formulas, f: Formula) -> Formula {
        use View::{Dual, Plain};
        a.rebuild(f, |a, g, operands| {
            if operands.is_empty() || a.op(g) == Op::Not {
                return g;
            }
            let g = a.make(a.op(g), operands);
            match a.op(g) {
                Op::Or => gather_or(a, g, Plain),
                Op::WeakUntil => gather_weak(a, g, Plain),
                Op::StrongRelease => gather_weak(a, g, Dual),
                Op::Until => release_next(a, g, Dual),
                Op::Release => release_next(a, g, Plain),
                Op::Finally | Op::Globally if a.op(a.operand(g, 0)) == Op::Next => {
                    let inner = a.operand(a.operand(g, 0), 0);
                    let h = a.make(a.op(g), &[inner]);
                    if suspendable(a, h) { h } else { a.next(h) }
                }
                _ => g,
            }
        })
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
        if a.facts(f).boolean() || a.size(f) < 4 || a.size(f) > MOST_SEMANTIC {
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

    fn next(&mut self, a: &mut Formulas, f: Formula) -> Formula {
        let g = a.operand(f, 0);
        if suspendable(a, g) {
            return g;
        }
        // X(g & q) = Xg & q, X(g | q) = Xg | q
        if matches!(a.op(g), Op::And | Op::Or) {
            let (out, inside): (Vec<_>, Vec<_>) = a
                .operands(g)
                .to_vec()
                .into_iter()
                .partition(|&h| suspendable(a, h));
            if !out.is_empty() {
                let rest = a.make(a.op(g), &inside);
                let mut parts = out;
                parts.push(a.next(rest));
                return a.make(a.op(g), &parts);
            }
        }
        f
    }

    fn finally(&mut self, a: &mut Formulas, f: Formula, v: View) -> Formula {
        let g = a.operand(f, 0);
        if v.eventual(a, g) {
            return g;
        }
        if v.is(a, g, Op::Until) {
            let end = a.operand(g, 1);
            return v.make(a, Op::Finally, &[end]);
        }
        if v.is(a, g, Op::StrongRelease) {
            let both = v.make(a, Op::And, &[a.operand(g, 0), a.operand(g, 1)]);
            return v.make(a, Op::Finally, &[both]);
        }
        if a.op(g) == Op::Next {
            let inner = v.make(a, Op::Finally, &[a.operand(g, 0)]);
            return a.next(inner);
        }
        if v.is(a, g, Op::Globally) {
            // F G (h & X k) = F G (h & k)
            let h = a.operand(g, 0);
            let stripped = strip_next(a, v, h);
            if stripped != h {
                let inner = v.make(a, Op::Globally, &[stripped]);
                return v.make(a, Op::Finally, &[inner]);
            }
            // F G (h | G k) and the like: suspendable disjuncts come out of both.
            if v.is(a, h, Op::Or) {
                let (out, inside) = split(a, h, |a, x| v.eventual(a, x) && v.universal(a, x));
                if !out.is_empty() {
                    let rest = v.make(a, Op::Or, &inside);
                    let inner = v.make(a, Op::Globally, &[rest]);
                    let mut parts = out;
                    parts.push(v.make(a, Op::Finally, &[inner]));
                    return v.make(a, Op::Or, &parts);
                }
                // F G (h | u) = F (G h | u)
                let (out, inside) = split(a, h, |a, x| v.universal(a, x));
                if !out.is_empty() {
                    let rest = v.make(a, Op::Or, &inside);
                    let mut parts = out;
                    parts.push(v.make(a, Op::Globally, &[rest]));
                    let either = v.make(a, Op::Or, &parts);
                    return v.make(a, Op::Finally, &[either]);
                }
            }
            // F G (h U u) = F u;  F G (h W u) = F (G h | u)
            if v.is(a, h, Op::Until) && v.universal(a, a.operand(h, 1)) {
                return v.make(a, Op::Finally, &[a.operand(h, 1)]);
            }
            if v.is(a, h, Op::WeakUntil) && v.universal(a, a.operand(h, 1)) {
                let always = v.make(a, Op::Globally, &[a.operand(h, 0)]);
                let either = v.make(a, Op::Or, &[always, a.operand(h, 1)]);
                return v.make(a, Op::Finally, &[either]);
            }
        }
        if v.is(a, g, Op::Or) {
            // F(h | X u) = F(h | u), F(h | G(k | u)) = F(h | G k | u)
            let parts: Vec<Formula> = a
                .operands(g)
                .to_vec()
                .into_iter()
                .map(|x| relax(a, v, x))
                .collect();
            let h = v.make(a, Op::Or, &parts);
            if h != g {
                return v.make(a, Op::Finally, &[h]);
            }
            // F(p | h) = F(p | h[p := 0]): where p ever holds, h is not needed
            if let Some(h) = self.absorb(a, v, g) {
                return v.make(a, Op::Finally, &[h]);
            }
            // F(h | e) = Fh | e
            let (out, inside) = split(a, g, |a, x| v.eventual(a, x));
            if !out.is_empty() {
                let rest = v.make(a, Op::Or, &inside);
                let mut parts = out;
                parts.push(v.make(a, Op::Finally, &[rest]));
                return v.make(a, Op::Or, &parts);
            }
        }
        if v.is(a, g, Op::And) {
            // F(h & q) = Fh & q
            let (out, inside) = split(a, g, suspendable);
            if !out.is_empty() {
                let rest = v.make(a, Op::And, &inside);
                let mut parts = out;
                parts.push(v.make(a, Op::Finally, &[rest]));
                return v.make(a, Op::And, &parts);
            }
        }
        f
    }

    fn until(&mut self, a: &mut Formulas, f: Formula, v: View) -> Formula {
        let (left, right) = (a.operand(f, 0), a.operand(f, 1));
        if v.eventual(a, right) || self.implies(a, v, left, right) {
            return right;
        }
        if self.covers(a, v, left, right) {
            return v.make(a, Op::Finally, &[right]);
        }
        if let Some(g) = self.nested_until(a, Op::Until, left, right, v) {
            return g;
        }
        // l U (r | Gl) = l W r
        if v.is(a, right, Op::Or) {
            let (always, rest) = split(a, right, |a, x| {
                v.is(a, x, Op::Globally) && a.operand(x, 0) == left
            });
            if !always.is_empty() {
                let rest = v.make(a, Op::Or, &rest);
                return v.make(a, Op::WeakUntil, &[left, rest]);
            }
        }
        self.until_operands(a, f, Op::Until, v)
    }

    fn weak_until(&mut self, a: &mut Formulas, f: Formula, v: View) -> Formula {
        let (left, right) = (a.operand(f, 0), a.operand(f, 1));
        if self.implies(a, v, left, right) {
            return right;
        }
        if self.covers(a, v, left, right) {
            return v.top();
        }
        // u W g = u | g
        if v.universal(a, left) {
            return v.make(a, Op::Or, &[left, right]);
        }
        if let Some(g) = self.nested_until(a, Op::WeakUntil, left, right, v) {
            return g;
        }
        if v.is(a, right, Op::Or) {
            // l W (g | Gl') = l W g if l' implies l
            let always = v.make(a, Op::Globally, &[left]);
            let kept: Vec<Formula> = a
                .operands(right)
                .to_vec()
                .into_iter()
                .filter(|&x| !self.implies(a, v, x, always))
                .collect();
            if kept.len() < a.operands(right).len() {
                let rest = v.make(a, Op::Or, &kept);
                return v.make(a, Op::WeakUntil, &[left, rest]);
            }
        }
        self.until_operands(a, f, Op::WeakUntil, v)
    }

    /// Rules for an until inside an until that `U` and `W` share.
    fn nested_until(
        &mut self,
        a: &mut Formulas,
        op: Op,
        left: Formula,
        right: Formula,
        v: View,
    ) -> Option<Formula> {
        // l U (c U d) = c U d if l implies c (covered by: l implies c U d is not), = l U d if c implies l
        if v.is(a, right, Op::Until) || v.is(a, right, Op::WeakUntil) {
            let (c, d) = (a.operand(right, 0), a.operand(right, 1));
            let weak = v.is(a, right, Op::WeakUntil);
            if self.implies(a, v, left, c) && (weak || op == Op::Until) {
                return Some(right);
            }
            if self.implies(a, v, left, c) {
                // l W (c U d), l implies c: only the strong part is in doubt.
                return None;
            }
            if self.implies(a, v, c, left) {
                match (op, weak) {
                    (Op::Until, false) => return Some(v.make(a, Op::Until, &[left, d])),
                    (Op::WeakUntil, _) => return Some(v.make(a, Op::WeakUntil, &[left, d])),
                    _ => {}
                }
            }
        }
        // (c U d) U r = d U r if c implies r
        if v.is(a, left, Op::Until) || v.is(a, left, Op::WeakUntil) {
            let (c, d) = (a.operand(left, 0), a.operand(left, 1));
            if self.implies(a, v, c, right) {
                return Some(v.make(a, op, &[d, right]));
            }
        }
        None
    }

    /// Simplifications of the operands of `l U r` or `l W r`.
    fn until_operands(&mut self, a: &mut Formulas, f: Formula, op: Op, v: View) -> Formula {
        let (left, right) = (a.operand(f, 0), a.operand(f, 1));
        if a.op(left) == Op::Next && a.op(right) == Op::Next {
            let inner = v.make(a, op, &[a.operand(left, 0), a.operand(right, 0)]);
            return a.next(inner);
        }
        // l U (l & r) = r M l,  l W (l & r) = r R l
        if v.is(a, right, Op::And) {
            let asked: Vec<Formula> = if v.is(a, left, Op::And) {
                a.operands(left).to_vec()
            } else {
                vec![left]
            };
            let (same, rest) = split(a, right, |_, x| asked.contains(&x));
            if same.len() == asked.len() {
                let rest = v.make(a, Op::And, &rest);
                let op = if op == Op::Until {
                    Op::StrongRelease
                } else {
                    Op::Release
                };
                return v.make(a, op, &[rest, left]);
            }
        }
        // What holds wherever r does not need not be said on the left, and what implies r cannot help.
        for (inner, drop_if_covers) in [(Op::And, true), (Op::Or, false)] {
            if !v.is(a, left, inner) {
                continue;
            }
            let parts = a.operands(left).to_vec();
            let kept: Vec<Formula> = parts
                .iter()
                .copied()
                .filter(|&x| {
                    if drop_if_covers {
                        !self.covers(a, v, x, right)
                    } else {
                        !self.implies(a, v, x, right)
                    }
                })
                .collect();
            if kept.len() < parts.len() {
                let l = v.make(a, inner, &kept);
                return v.make(a, op, &[l, right]);
            }
        }
        f
    }

    fn and(&mut self, a: &mut Formulas, f: Formula, v: View) -> Formula {
        let parts = a.operands(f).to_vec();
        // Implied parts go; contradictory parts end it.
        for (i, &x) in parts.iter().enumerate() {
            for (j, &y) in parts.iter().enumerate() {
                if i != j && self.implies(a, v, x, y) {
                    let rest: Vec<Formula> = parts.iter().copied().filter(|&z| z != y).collect();
                    return v.make(a, Op::And, &rest);
                }
                if i < j && self.excludes(a, v, x, y) {
                    return v.bottom();
                }
            }
        }
        // A literal is a fact about the present: the other parts may use it.
        for &x in &parts {
            if !a.is_literal(x) {
                continue;
            }
            let rest: Vec<Formula> = parts
                .iter()
                .map(|&y| if y == x { y } else { assume(a, v, y, x) })
                .collect();
            if rest != parts {
                return v.make(a, Op::And, &rest);
            }
        }
        // Gp is a fact about all positions.
        for &x in &parts {
            if v.is(a, x, Op::Globally) {
                let p = a.operand(x, 0);
                let rest: Vec<Formula> = parts
                    .iter()
                    .map(|&y| {
                        if y == x {
                            y
                        } else {
                            self.settle(a, y, p, v.top())
                        }
                    })
                    .collect();
                if rest != parts {
                    return v.make(a, Op::And, &rest);
                }
            }
        }
        // Two parts that become one.
        for i in 0..parts.len() {
            for j in 0..parts.len() {
                if i != j
                    && let Some(one) = self.merge(a, v, parts[i], parts[j])
                {
                    let mut rest: Vec<Formula> = (0..parts.len())
                        .filter(|&k| k != i && k != j)
                        .map(|k| parts[k])
                        .collect();
                    rest.push(one);
                    return v.make(a, Op::And, &rest);
                }
            }
        }
        f
    }

    /// `p | h | …` below `F` (in the plain view) with one disjunct made false inside the others, if that
    /// changes anything.
    fn absorb(&mut self, a: &mut Formulas, v: View, g: Formula) -> Option<Formula> {
        let parts = a.operands(g).to_vec();
        for &p in &parts {
            let rest: Vec<Formula> = parts
                .iter()
                .map(|&y| {
                    if y == p {
                        y
                    } else {
                        self.settle(a, y, p, v.bottom())
                    }
                })
                .collect();
            if rest != parts {
                return Some(v.make(a, Op::Or, &rest));
            }
        }
        None
    }

    /// `f` with `p` replaced by a constant at all positions, and its negation by the other constant.
    fn settle(&mut self, a: &mut Formulas, f: Formula, p: Formula, value: Formula) -> Formula {
        let not_p = self.implication.negation(a, p);
        let other = a.not(value);
        a.rebuild(f, |a, g, operands| {
            if g == p {
                value
            } else if g == not_p {
                other
            } else if operands.is_empty() {
                g
            } else {
                a.make(a.op(g), operands)
            }
        })
    }

    /// A formula equivalent to `x & y` (in the plain view) and smaller.
    fn merge(&mut self, a: &mut Formulas, v: View, x: Formula, y: Formula) -> Option<Formula> {
        let both = |a: &mut Formulas, p, q| v.make(a, Op::And, &[p, q]);
        let l = |a: &Formulas, f: Formula| a.operand(f, 0);
        let r = |a: &Formulas, f: Formula| a.operand(f, 1);
        let is = |a: &Formulas, f: Formula, op: Op| v.is(a, f, op);
        // Xp & Xq, Gp & Gq
        if a.op(x) == Op::Next && a.op(y) == Op::Next {
            let inner = both(a, l(a, x), l(a, y));
            return Some(a.next(inner));
        }
        if is(a, x, Op::Globally) && is(a, y, Op::Globally) {
            let inner = both(a, l(a, x), l(a, y));
            return Some(v.make(a, Op::Globally, &[inner]));
        }
        // FGp & FGq
        let eventually_always =
            |a: &Formulas, f: Formula| is(a, f, Op::Finally) && is(a, l(a, f), Op::Globally);
        if eventually_always(a, x) && eventually_always(a, y) {
            let inner = both(a, l(a, l(a, x)), l(a, l(a, y)));
            let always = v.make(a, Op::Globally, &[inner]);
            return Some(v.make(a, Op::Finally, &[always]));
        }
        // (p U r) & (q U r), (p U r) & (q W r), (p W r) & (q W r)
        let untils = |a: &Formulas, f| is(a, f, Op::Until) || is(a, f, Op::WeakUntil);
        if untils(a, x) && untils(a, y) && r(a, x) == r(a, y) {
            let op = if is(a, x, Op::Until) || is(a, y, Op::Until) {
                Op::Until
            } else {
                Op::WeakUntil
            };
            let hold = both(a, l(a, x), l(a, y));
            return Some(v.make(a, op, &[hold, r(a, x)]));
        }
        // (p R q) & (p R r), (p R q) & (p M r), (p M q) & (p M r)
        let releases = |a: &Formulas, f| is(a, f, Op::Release) || is(a, f, Op::StrongRelease);
        if releases(a, x) && releases(a, y) && l(a, x) == l(a, y) {
            let op = if is(a, x, Op::StrongRelease) || is(a, y, Op::StrongRelease) {
                Op::StrongRelease
            } else {
                Op::Release
            };
            let hold = both(a, r(a, x), r(a, y));
            return Some(v.make(a, op, &[l(a, x), hold]));
        }
        // Fr & (p W r) = p U r, Fp & (p R r) = p M r
        if is(a, x, Op::Finally) {
            let end = l(a, x);
            if is(a, y, Op::WeakUntil) && r(a, y) == end {
                return Some(v.make(a, Op::Until, &[l(a, y), end]));
            }
            if is(a, y, Op::Release) && l(a, y) == end {
                return Some(v.make(a, Op::StrongRelease, &[end, r(a, y)]));
            }
        }
        // Fp & Gr = p M r if p M r implies Gr: r never ends after the first p
        if is(a, x, Op::Finally) && is(a, y, Op::Globally) {
            let both = v.make(a, Op::StrongRelease, &[l(a, x), l(a, y)]);
            if !suspendable(a, x) && !suspendable(a, y) && self.implies(a, v, both, y) {
                return Some(both);
            }
        }
        // (p | k) & (q | k) = (p & q) | k
        if is(a, x, Op::Or) && is(a, y, Op::Or) {
            let theirs = a.operands(y).to_vec();
            let (common, own) = split(a, x, |_, z| theirs.contains(&z));
            if !common.is_empty() {
                let others: Vec<Formula> =
                    theirs.into_iter().filter(|z| !common.contains(z)).collect();
                let p = v.make(a, Op::Or, &own);
                let q = v.make(a, Op::Or, &others);
                let mut parts = common;
                parts.push(both(a, p, q));
                return Some(v.make(a, Op::Or, &parts));
            }
        }
        // p & XGp = Gp;  r & (p | X(p R r)) = p R r, and without the disjunction if p is excluded
        if a.op(y) == Op::Next && is(a, l(a, y), Op::Globally) && l(a, l(a, y)) == x {
            return Some(l(a, y));
        }
        if is(a, y, Op::Or) {
            let alternatives = a.operands(y).to_vec();
            for &z in &alternatives {
                if a.op(z) != Op::Next {
                    continue;
                }
                let g = l(a, z);
                let rest: Vec<Formula> = alternatives.iter().copied().filter(|&k| k != z).collect();
                let rest = v.make(a, Op::Or, &rest);
                if releases(a, g) && r(a, g) == x && l(a, g) == rest {
                    return Some(g);
                }
            }
        }
        None
    }
}

/// `f`'s operands, those for which `out` holds apart.
fn split(
    a: &Formulas,
    f: Formula,
    out: impl Fn(&Formulas, Formula) -> bool,
) -> (Vec<Formula>, Vec<Formula>) {
    a.operands(f).iter().copied().partition(|&x| out(a, x))
}

/// `h` below `F G` (in the plain view), where `X` makes no difference under conjunctions.
fn strip_next(a: &mut Formulas, v: View, h: Formula) -> Formula {
    if a.op(h) == Op::Next {
        let inner = a.operand(h, 0);
        return strip_next(a, v, inner);
    }
    if v.is(a, h, Op::And) {
        let parts: Vec<Formula> = a
            .operands(h)
            .to_vec()
            .into_iter()
            .map(|x| strip_next(a, v, x))
            .collect();
        return v.make(a, Op::And, &parts);
    }
    h
}

/// A formula that is equivalent to `x` as a disjunct directly below `F` (in the plain view).
fn relax(a: &mut Formulas, v: View, x: Formula) -> Formula {
    if a.op(x) == Op::Next && v.universal(a, a.operand(x, 0)) {
        return a.operand(x, 0);
    }
    if v.is(a, x, Op::Globally) && v.is(a, a.operand(x, 0), Op::Or) {
        let (out, inside) = split(a, a.operand(x, 0), |a, y| v.universal(a, y));
        if !out.is_empty() {
            let rest = v.make(a, Op::Or, &inside);
            let mut parts: Vec<Formula> = out.into_iter().map(|y| relax(a, v, y)).collect();
            parts.push(v.make(a, Op::Globally, &[rest]));
            return v.make(a, Op::Or, &parts);
        }
    }
    x
}

/// `f` where the literal `fact` is known to be true now (false in the dual view). Only the present
/// is touched: nothing below a temporal operator changes.
fn assume(a: &mut Formulas, v: View, f: Formula, fact: Formula) -> Formula {
    if f == fact {
        return v.top();
    }
    match a.op(f) {
        Op::Proposition | Op::Not => {
            if a.not(fact) == f {
                v.bottom()
            } else {
                f
            }
        }
        Op::And | Op::Or => {
            let parts: Vec<Formula> = a
                .operands(f)
                .to_vec()
                .into_iter()
                .map(|x| assume(a, v, x, fact))
                .collect();
            a.make(a.op(f), &parts)
        }
        _ => f,
    }
}

/// `F g | e = F(g | e)`
fn gather_or(a: &mut Formulas, f: Formula, v: View) -> Formula {
    let (eventual, mut rest) = split(a, f, |a, x| v.eventual(a, x));
    if eventual.len() < 2 || !eventual.iter().any(|&x| v.is(a, x, Op::Finally)) {
        return f;
    }
    let inside: Vec<Formula> = eventual
        .into_iter()
        .map(|x| {
            if v.is(a, x, Op::Finally) {
                a.operand(x, 0)
            } else {
                x
            }
        })
        .collect();
    let inside = v.make(a, Op::Or, &inside);
    rest.push(v.make(a, Op::Finally, &[inside]));
    v.make(a, Op::Or, &rest)
}

/// `l W e = G l | e`, and `X l W r = r | X(r R l)`
fn gather_weak(a: &mut Formulas, f: Formula, v: View) -> Formula {
    let (left, right) = (a.operand(f, 0), a.operand(f, 1));
    // Only where the two can be gathered again.
    if v.is(a, right, Op::Finally) && v.eventual(a, left) {
        let always = v.make(a, Op::Globally, &[left]);
        let either = v.make(a, Op::Or, &[always, right]);
        return if v.is(a, either, Op::Or) {
            gather_or(a, either, v)
        } else {
            either
        };
    }
    if a.op(left) == Op::Next && a.facts(right).boolean() {
        let inner = v.make(a, Op::Release, &[right, a.operand(left, 0)]);
        let later = a.next(inner);
        return v.make(a, Op::Or, &[right, later]);
    }
    f
}

/// `X l R r = r & X(r W l)`
fn release_next(a: &mut Formulas, f: Formula, v: View) -> Formula {
    let (left, right) = (a.operand(f, 0), a.operand(f, 1));
    if a.op(left) != Op::Next || !a.facts(right).boolean() {
        return f;
    }
    let inner = v.make(a, Op::WeakUntil, &[right, a.operand(left, 0)]);
    let later = a.next(inner);
    v.make(a, Op::And, &[right, later])
}

/// `l U (g | e) = (l U g) | e`, `l U (g & q) = (l U g) & q`, and the first with `W`.
fn scatter_until(a: &mut Formulas, f: Formula, op: Op, v: View) -> Formula {
    let (left, right) = (a.operand(f, 0), a.operand(f, 1));
    let inner = if v.is(a, right, Op::Or) {
        Op::Or
    } else if op == Op::Until && v.is(a, right, Op::And) {
        Op::And
    } else {
        return f;
    };
    let (out, inside) = split(a, right, |a, x| {
        if inner == Op::Or {
            v.eventual(a, x)
        } else {
            suspendable(a, x)
        }
    });
    if out.is_empty() {
        return f;
    }
    let rest = v.make(a, inner, &inside);
    let mut parts = out;
    parts.push(v.make(a, op, &[left, rest]));
    v.make(a, inner, &parts)
}
