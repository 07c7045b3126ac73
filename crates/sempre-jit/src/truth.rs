//! Code for truth values.
//!
//! Two ways: [`Emitter::branch`] jumps (guards, conditions of statements), and evaluates no further than
//! needed; [`Emitter::flag`] computes a bit, without jumps as long as the operand that might be left
//! out cannot fail, so that evaluating it does no harm.
//!
//! **Facts** are intervals of cells of the source state that are known where the code is: in the case of a
//! switch, behind a conjunct of a guard. They turn tests that were made already into constants.

use crate::expression::{Emitter, Target};
use crate::operand::{Code, Operand};
use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use sempre_model::ir::{Binary, Expr, Place, Program, Unary};

/// A truth value at compile time.
#[derive(Clone, Copy)]
pub(crate) enum Flag {
    Known(bool),
    /// An 8-bit value, 0 or 1.
    Value(Value),
}

impl Emitter<'_, '_> {
    /// The truth of an expression as a bit.
    pub fn flag(&mut self, expr: &Expr) -> Flag {
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
                    // What decides the left operand decides the whole, and is all of it.
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
    pub fn compare(&mut self, condition: IntCC, a: &Operand, b: &Operand) -> Flag {
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
        // At the border of the interval an order is an (in)equality, which is done in place.
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

    /// Jumps to one of two places.
    pub fn branch(&mut self, expr: &Expr, then: Target, otherwise: Target) {
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

    /// Takes note that an expression, evaluated in the source state, is true.
    pub fn assume(&mut self, expr: &Expr) {
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

/// The cell that an expression reads, if that is all it does.
pub(crate) fn read_cell(program: &Program, expr: &Expr) -> Option<u32> {
    match expr {
        Expr::Read(Place::Scalar(v)) => Some(program.variable(*v).first),
        Expr::Read(Place::Element(v, index)) => {
            let Expr::Constant(i) = **index else {
                return None;
            };
            let v = program.variable(*v);
            (0 <= i && i < i64::from(v.cells())).then(|| v.first + i as u32)
        }
        _ => None,
    }
}

/// The cell and the interval that the truth of a comparison with a constant puts it in.
pub(crate) fn fact(program: &Program, expr: &Expr) -> Option<(u32, i64, i64)> {
    let Expr::Binary(op, a, b) = expr else {
        return None;
    };
    let (mut condition, cell, constant) = match (&**a, &**b) {
        (a, Expr::Constant(c)) => (comparison(*op)?, read_cell(program, a)?, *c),
        (Expr::Constant(c), b) => (comparison(*op)?.swap_args(), read_cell(program, b)?, *c),
        _ => return None,
    };
    let mut constant = constant;
    // Strict to not strict, where there is a next number.
    match condition {
        IntCC::SignedLessThan => {
            constant = constant.checked_sub(1)?;
            condition = IntCC::SignedLessThanOrEqual;
        }
        IntCC::SignedGreaterThan => {
            constant = constant.checked_add(1)?;
            condition = IntCC::SignedGreaterThanOrEqual;
        }
        _ => {}
    }
    match condition {
        IntCC::Equal => Some((cell, constant, constant)),
        IntCC::SignedLessThanOrEqual => Some((cell, i64::MIN, constant)),
        IntCC::SignedGreaterThanOrEqual => Some((cell, constant, i64::MAX)),
        _ => None,
    }
}

pub(crate) fn is_logical(op: Binary) -> bool {
    matches!(op, Binary::And | Binary::Or | Binary::Implies)
}

pub(crate) fn comparison(op: Binary) -> Option<IntCC> {
    Some(match op {
        Binary::Equal => IntCC::Equal,
        Binary::NotEqual => IntCC::NotEqual,
        Binary::Less => IntCC::SignedLessThan,
        Binary::LessEqual => IntCC::SignedLessThanOrEqual,
        Binary::Greater => IntCC::SignedGreaterThan,
        Binary::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        _ => return None,
    })
}

/// Cannot fail, and is at most that large: evaluating it in vain costs less than a jump.
pub(crate) fn is_cheap_and_total(expr: &Expr, size: usize) -> bool {
    fn walk(expr: &Expr, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match expr {
            Expr::Constant(_) | Expr::Read(Place::Scalar(_) | Place::Register(_)) => true,
            Expr::Read(Place::Element(..)) => false,
            Expr::Unary(_, a) => walk(a, left),
            Expr::Binary(Binary::Divide | Binary::Modulo, _, _) => false,
            Expr::Binary(_, a, b) => walk(a, left) && walk(b, left),
            Expr::If(a, b, c) => walk(a, left) && walk(b, left) && walk(c, left),
        }
    }
    walk(expr, &mut size.clone())
}
