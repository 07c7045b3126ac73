//! Rules for `X`, `F` and `G`.

use super::Simplifier;
use super::view::{View, split, suspendable};
use crate::formula::{Formula, Formulas, Op};

impl Simplifier {
    pub(super) fn next(&mut self, a: &mut Formulas, f: Formula) -> Formula {
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

    pub(super) fn finally(&mut self, a: &mut Formulas, f: Formula, v: View) -> Formula {
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
            // F G (h | G k) and the like: suspendable disjuncts are moved out of both.
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

    /// `p | h | …` below `F` (in the plain view) with one disjunct made false inside the others, if that
    /// changes anything.
    pub(super) fn absorb(&mut self, a: &mut Formulas, v: View, g: Formula) -> Option<Formula> {
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
