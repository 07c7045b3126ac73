//! Code for expressions.

use crate::conditions::{comparison, is_cheap_and_total, is_logical};
use crate::emitter::{Emitter, Flag, Target};
use crate::operand::{Code, Operand, interval};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use sempre_model::ir::{Binary, Expr, Place, Unary};

impl Emitter<'_, '_> {
    /// The value of an expression.
    pub(crate) fn value(&mut self, expr: &Expr) -> Operand {
        match expr {
            Expr::Constant(c) => Operand::constant(*c),
            Expr::Read(Place::Scalar(v)) => self.cell(*v, self.program.variable(*v).first),
            Expr::Read(Place::Element(v, index)) => self.element(*v, index),
            Expr::Read(Place::Register(r)) => {
                let register = self.written.registers.get(r);
                register.copied().unwrap_or(Operand::constant(0))
            }
            Expr::Unary(Unary::Not, _) => self.truth(expr),
            Expr::Unary(op, a) => {
                let a = self.value(a);
                match (op, a.as_constant()) {
                    (Unary::Negate, Some(c)) => Operand::constant(c.wrapping_neg()),
                    (_, Some(c)) => Operand::constant(!c),
                    (Unary::Negate, None) => {
                        let value = self.materialize(&a);
                        let value = self.builder.ins().ineg(value);
                        match (a.low.checked_neg(), a.high.checked_neg()) {
                            (Some(high), Some(low)) => Operand::new(Code::Value(value), low, high),
                            _ => Operand::any(value),
                        }
                    }
                    (_, None) => {
                        let value = self.materialize(&a);
                        let value = self.builder.ins().bnot(value);
                        Operand::new(Code::Value(value), !a.high, !a.low)
                    }
                }
            }
            Expr::Binary(op, _, _) if is_logical(*op) || comparison(*op).is_some() => {
                self.truth(expr)
            }
            Expr::Binary(op, a, b) => {
                let a = self.value(a);
                let b = self.value(b);
                self.arithmetic(*op, &a, &b)
            }
            Expr::If(condition, then, otherwise) => {
                if is_cheap_and_total(then, 8) && is_cheap_and_total(otherwise, 8) {
                    let flag = match self.flag(condition) {
                        Flag::Known(true) => return self.value(then),
                        Flag::Known(false) => return self.value(otherwise),
                        Flag::Value(flag) => flag,
                    };
                    let (a, b) = (self.value(then), self.value(otherwise));
                    let (low, high) = (a.low.min(b.low), a.high.max(b.high));
                    let (a, b) = (self.materialize(&a), self.materialize(&b));
                    let value = self.builder.ins().select(flag, a, b);
                    return Operand::new(Code::Value(value), low, high);
                }
                let (yes, no, join) = (self.block(), self.block(), self.block());
                let result = self.builder.append_block_param(join, types::I64);
                self.branch(condition, Target::plain(yes), Target::plain(no));
                let mut bounds = (i64::MAX, i64::MIN);
                for (block, value) in [(yes, then), (no, otherwise)] {
                    self.switch_to(block);
                    let operand = self.value(value);
                    bounds = (bounds.0.min(operand.low), bounds.1.max(operand.high));
                    let value = self.materialize(&operand);
                    self.jump(Target {
                        block: join,
                        argument: Some(value),
                    });
                }
                self.switch_to(join);
                Operand::new(Code::Value(result), bounds.0, bounds.1)
            }
        }
    }

    /// A truth value as a number.
    fn truth(&mut self, expr: &Expr) -> Operand {
        match self.flag(expr) {
            Flag::Known(known) => Operand::constant(i64::from(known)),
            Flag::Value(flag) => {
                let value = self.builder.ins().uextend(types::I64, flag);
                Operand::new(Code::Value(value), 0, 1)
            }
        }
    }

    /// Any operator that is neither a comparison nor logical.
    fn arithmetic(&mut self, op: Binary, a: &Operand, b: &Operand) -> Operand {
        if matches!(op, Binary::Divide | Binary::Modulo) {
            return self.division(op, a, b);
        }
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Operand::constant(match op {
                Binary::Add => x.wrapping_add(y),
                Binary::Subtract => x.wrapping_sub(y),
                Binary::Multiply => x.wrapping_mul(y),
                Binary::BitAnd => x & y,
                Binary::BitOr => x | y,
                Binary::BitXor => x ^ y,
                Binary::ShiftLeft => x << (y & 63),
                _ => x >> (y & 63),
            });
        }
        let (low, high) = interval(op, a, b);
        // The distance to the source cell is kept only if nothing wraps; otherwise it would be wrong.
        let exact = low != i64::MIN || high != i64::MAX;
        let base = match (op, a.base, b.base, a.as_constant(), b.as_constant()) {
            (Binary::Add, Some((cell, d)), _, _, Some(c)) if exact => {
                d.checked_add(c).map(|d| (cell, d))
            }
            (Binary::Add, _, Some((cell, d)), Some(c), _) if exact => {
                d.checked_add(c).map(|d| (cell, d))
            }
            (Binary::Subtract, Some((cell, d)), _, _, Some(c)) if exact => {
                d.checked_sub(c).map(|d| (cell, d))
            }
            _ => None,
        };
        let (x, y) = (self.materialize(a), self.materialize(b));
        let ins = self.builder.ins();
        let value = match op {
            Binary::Add => ins.iadd(x, y),
            Binary::Subtract => ins.isub(x, y),
            Binary::Multiply => ins.imul(x, y),
            Binary::BitAnd => ins.band(x, y),
            Binary::BitOr => ins.bor(x, y),
            Binary::BitXor => ins.bxor(x, y),
            Binary::ShiftLeft => ins.ishl(x, y),
            _ => ins.sshr(x, y),
        };
        Operand {
            base,
            ..Operand::new(Code::Value(value), low, high)
        }
    }

    fn division(&mut self, op: Binary, a: &Operand, b: &Operand) -> Operand {
        let divide = op == Binary::Divide;
        if b.as_constant() == Some(0) {
            self.exit_always();
            return Operand::constant(0);
        }
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Operand::constant(if divide {
                x.wrapping_div(y)
            } else {
                x.wrapping_rem(y)
            });
        }
        let y = self.materialize(b);
        let mut b = *b;
        if b.low <= 0 && b.high >= 0 {
            let zero = self.builder.ins().icmp_imm(IntCC::Equal, y, 0);
            self.exit_if(zero);
            if b.low == 0 {
                b = b.within(1, i64::MAX);
            }
        }
        let (low, high) = interval(op, a, &b);
        let x = self.materialize(a);
        // A power of two, and no negative operand: a shift or a mask.
        if let (Some(y), true) = (b.as_constant(), a.low >= 0)
            && y > 0
            && y & (y - 1) == 0
        {
            let value = if divide {
                (self.builder.ins()).ushr_imm(x, i64::from(y.trailing_zeros()))
            } else {
                self.builder.ins().band_imm(x, y - 1)
            };
            return Operand::new(Code::Value(value), low, high);
        }
        // The quotient by -1 may overflow, and the processor traps then.
        let may_trap = b.low <= -1 && b.high >= -1;
        let short = |o: &Operand| o.lies_in(-(1 << 30), 1 << 30);
        let value = if may_trap {
            let minus_one = self.builder.ins().icmp_imm(IntCC::Equal, y, -1);
            let one = self.number(1);
            let safe = self.builder.ins().select(minus_one, one, y);
            if divide {
                let quotient = self.builder.ins().sdiv(x, safe);
                let negated = self.builder.ins().ineg(x);
                self.builder.ins().select(minus_one, negated, quotient)
            } else {
                // The remainder by 1 is 0 as well.
                self.builder.ins().srem(x, safe)
            }
        } else if short(a) && short(&b) {
            // 64-bit division is several times slower.
            let x = self.builder.ins().ireduce(types::I32, x);
            let y = self.builder.ins().ireduce(types::I32, y);
            let value = if divide {
                self.builder.ins().sdiv(x, y)
            } else {
                self.builder.ins().srem(x, y)
            };
            self.builder.ins().sextend(types::I64, value)
        } else if divide {
            self.builder.ins().sdiv(x, y)
        } else {
            self.builder.ins().srem(x, y)
        };
        Operand::new(Code::Value(value), low, high)
    }
}
