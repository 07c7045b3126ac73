//! Rules for `&` and `|`.

use super::Simplifier;
use super::view::{View, split, suspendable};
use crate::formula::{Formula, Formulas, Op};

impl Simplifier {
    pub(super) fn and(&mut self, a: &mut Formulas, f: Formula, v: View) -> Formula {
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

    /// `f` with `p` replaced by a constant at all positions, and its negation by the other constant.
    pub(super) fn settle(
        &mut self,
        a: &mut Formulas,
        f: Formula,
        p: Formula,
        value: Formula,
    ) -> Formula {
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
    pub(super) fn merge(
        &mut self,
        a: &mut Formulas,
        v: View,
        x: Formula,
        y: Formula,
    ) -> Option<Formula> {
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

/// `f`, provided that the literal `fact` is true now (false in the dual view). Only the present is affected: nothing
/// below a temporal operator changes.
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
