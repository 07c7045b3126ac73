//! Conditions as expressions: comparisons of cells with constants, and cheap expressions that cannot fail.

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use sempre_model::ir::{Binary, Expr, Place, Program};

/// The cell that an expression reads, if the expression does nothing else.
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

/// The cell that a comparison with a constant restricts, and the interval it restricts the cell to.
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
    // Replaces strict by non-strict comparisons, if there is a next number.
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

/// Is the expression small, and unable to fail? Evaluating it in vain then costs less than a jump.
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
