//! Rules for `U`, `R`, `W` and `M`.

use super::Simplifier;
use super::view::{View, split};
use crate::formula::{Formula, Formulas, Op};

impl Simplifier {
    pub(super) fn until(&mut self, a: &mut Formulas, f: Formula, v: View) -> Formula {
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

    pub(super) fn weak_until(&mut self, a: &mut Formulas, f: Formula, v: View) -> Formula {
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
    pub(super) fn nested_until(
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
                // l W (c U d), l implies c: only the strong part remains.
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
    pub(super) fn until_operands(
        &mut self,
        a: &mut Formulas,
        f: Formula,
        op: Op,
        v: View,
    ) -> Formula {
        let (left, right) = (a.operand(f, 0), a.operand(f, 1));
        if a.op(left) == Op::Next && a.op(right) == Op::Next {
            let inner = v.make(a, op, &[a.operand(left, 0), a.operand(right, 0)]);
            return a.next(inner);
        }
        // l U (l & r) = r M l,  l W (l & r) = r R l
        if v.is(a, right, Op::And) {
            let required: Vec<Formula> = if v.is(a, left, Op::And) {
                a.operands(left).to_vec()
            } else {
                vec![left]
            };
            let (same, rest) = split(a, right, |_, x| required.contains(&x));
            if same.len() == required.len() {
                let rest = v.make(a, Op::And, &rest);
                let op = if op == Op::Until {
                    Op::StrongRelease
                } else {
                    Op::Release
                };
                return v.make(a, op, &[rest, left]);
            }
        }
        // A condition implied by r is not needed on the left, and one that implies r does not help.
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
}
