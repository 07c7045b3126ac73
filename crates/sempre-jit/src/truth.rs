//! Code for truth values.
//!
//! There are two forms. [`Emitter::branch`] jumps (guards, conditions of statements), and evaluates no more than
//! needed. [`Emitter::flag`] computes a bit. It does not jump if the operand that could be skipped cannot fail, since
//! evaluating it is then harmless.
//!
//! **Facts** are intervals of cells of the source state that hold at the current point of the code: in a case of a
//! switch, after a conjunct of a guard. They turn repeated tests into constants.

use crate::conditions::{comparison, fact, is_cheap_and_total, is_logical};
use crate::emitter::{Emitter, Flag, Target};
use crate::operand::{Code, Operand};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use sempre_model::ir::{Binary, Expr, Unary};

impl Emitter<'_, '_> {
    /// The truth of an expression as a bit.
    pub(crate) fn flag(&mut self, expr: &Expr) -> Flag {
        match expr {
            Expr::Unary(Unary::Not, a) => match self.flag(a) {
                Flag::Known(known) => Flag::Known(!known),
                Flag::Value(flag) => Flag::Value(self.builder.ins().bxor_imm(flag, 1)),
            },
            Expr::Binary(op, a, b) if is_logical(*op) => {
                if !is_cheap_and_total(b, 12) {
                    return self.flag_by_branching(expr);
                }
                let a = match (op, self.flag(a)) {
                    (Binary::Implies, Flag::Known(known)) => Flag::Known(!known),
                    (Binary::Implies, Flag::Value(flag)) => {
                        Flag::Value(self.builder.ins().bxor_imm(flag, 1))
                    }
                    (_, flag) => flag,
                };
                let and = *op == Binary::And;
                match a {
                    // If the left operand decides the result, it is the result.
                    Flag::Known(known) if known != and => Flag::Known(known),
                    Flag::Known(_) => self.flag(b),
                    Flag::Value(x) => match self.flag(b) {
                        Flag::Known(known) if known != and => Flag::Known(known),
                        Flag::Known(_) => a,
                        Flag::Value(y) if and => Flag::Value(self.builder.ins().band(x, y)),
                        Flag::Value(y) => Flag::Value(self.builder.ins().bor(x, y)),
                    },
                }
            }
            Expr::Binary(op, a, b) => match comparison(*op) {
                Some(condition) => {
                    let (a, b) = (self.value(a), self.value(b));
                    self.compare(condition, &a, &b)
                }
                None => self.not_zero(expr),
            },
            _ => self.not_zero(expr),
        }
    }

    fn flag_by_branching(&mut self, expr: &Expr) -> Flag {
        let join = self.block();
        let result = self.builder.append_block_param(join, types::I8);
        let one = self.builder.ins().iconst(types::I8, 1);
        let zero = self.builder.ins().iconst(types::I8, 0);
        let to = |value| Target {
            block: join,
            argument: Some(value),
        };
        self.branch(expr, to(one), to(zero));
        self.switch_to(join);
        Flag::Value(result)
    }

    fn not_zero(&mut self, expr: &Expr) -> Flag {
        let operand = self.value(expr);
        self.compare(IntCC::NotEqual, &operand, &Operand::constant(0))
    }

    /// Compares two numbers.
    pub(crate) fn compare(&mut self, condition: IntCC, a: &Operand, b: &Operand) -> Flag {
        let turned = a.as_constant().is_some() && b.as_constant().is_none();
        match condition {
            IntCC::Equal | IntCC::NotEqual if turned => return self.compare(condition, b, a),
            IntCC::SignedGreaterThan => return self.compare(IntCC::SignedLessThan, b, a),
            IntCC::SignedGreaterThanOrEqual => {
                return self.compare(IntCC::SignedLessThanOrEqual, b, a);
            }
            _ => {}
        }
        let apart = a.high < b.low || b.high < a.low;
        let same = a.as_constant().is_some() && a.as_constant() == b.as_constant();
        match condition {
            IntCC::Equal if apart => return Flag::Known(false),
            IntCC::Equal if same => return Flag::Known(true),
            IntCC::NotEqual if apart => return Flag::Known(true),
            IntCC::NotEqual if same => return Flag::Known(false),
            IntCC::SignedLessThan if a.high < b.low => return Flag::Known(true),
            IntCC::SignedLessThan if a.low >= b.high => return Flag::Known(false),
            IntCC::SignedLessThanOrEqual if a.high <= b.low => return Flag::Known(true),
            IntCC::SignedLessThanOrEqual if a.low > b.high => return Flag::Known(false),
            _ => {}
        }
        // At the boundary of an interval an order becomes an (in)equality, which needs no extraction.
        match (condition, a.as_constant(), b.as_constant()) {
            (IntCC::SignedLessThan, None, Some(c)) if c == a.low + 1 => {
                return self.compare(IntCC::Equal, a, &Operand::constant(a.low));
            }
            (IntCC::SignedLessThanOrEqual, None, Some(c)) if c == a.low => {
                return self.compare(IntCC::Equal, a, b);
            }
            (IntCC::SignedLessThan, Some(c), None) if c == b.low => {
                return self.compare(IntCC::NotEqual, b, a);
            }
            (IntCC::SignedLessThanOrEqual, Some(c), None) if c.wrapping_sub(1) == b.low => {
                return self.compare(IntCC::NotEqual, b, &Operand::constant(b.low));
            }
            _ => {}
        }
        if let (IntCC::Equal | IntCC::NotEqual, Code::Packed(word, field), Some(c)) =
            (condition, a.code, b.as_constant())
        {
            let mask = field.mask() << field.shift;
            let expected = (c.wrapping_sub(field.min) as u64) << field.shift;
            let stored = self.builder.ins().band_imm(word, mask as i64);
            let flag = (self.builder.ins()).icmp_imm(condition, stored, expected as i64);
            return Flag::Value(flag);
        }
        let (x, y) = (self.materialize(a), self.materialize(b));
        Flag::Value(self.builder.ins().icmp(condition, x, y))
    }

    /// Jumps to one of two targets.
    pub(crate) fn branch(&mut self, expr: &Expr, then: Target, otherwise: Target) {
        match expr {
            Expr::Unary(Unary::Not, a) => self.branch(a, otherwise, then),
            Expr::Binary(op, a, b) if is_logical(*op) => {
                let middle = self.block();
                let facts = self.facts.len();
                match op {
                    Binary::And => self.branch(a, Target::plain(middle), otherwise),
                    Binary::Or => self.branch(a, then, Target::plain(middle)),
                    _ => self.branch(a, Target::plain(middle), then),
                }
                if *op != Binary::Or {
                    self.assume(a);
                }
                self.switch_to(middle);
                self.branch(b, then, otherwise);
                self.facts.truncate(facts);
            }
            _ => match self.flag(expr) {
                Flag::Known(true) => self.jump(then),
                Flag::Known(false) => self.jump(otherwise),
                Flag::Value(flag) => self.jump_if(flag, then, otherwise),
            },
        }
    }

    /// Records that an expression, evaluated in the source state, is true.
    pub(crate) fn assume(&mut self, expr: &Expr) {
        if let Expr::Binary(Binary::And, a, b) = expr {
            self.assume(a);
            self.assume(b);
        } else if let Some((cell, low, high)) = fact(self.program, expr)
            && !self.written.cells.contains_key(&cell)
            && !(self.written.packed).contains(&self.program.variable_of_cell(cell))
        {
            self.facts.push((cell, low, high));
        }
    }
}
