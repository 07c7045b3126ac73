//! Shapes of a formula that translate well; they may be larger than the formula.

use super::Simplifier;
use super::view::{View, split, suspendable};
use crate::formula::{Formula, Formulas, Op};

impl Simplifier {
    /// The inverse: eventual and universal operands are moved out of `U`, `R`, `W` and `M`, so that they are not part
    /// of the obligation: `l U (g | e) = (l U g) | e`, `l U (g & q) = (l U g) & q`.
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
    /// * Eventual disjuncts are gathered below one `F`: `F g | e = F(g | e)`. The state that waits for `g` is then
    ///   the state that waits for either.
    /// * `l W e = G l | e`.
    /// * `X a R b = b & X(b W a)`: this removes a choice.
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
