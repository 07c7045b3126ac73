//! Which actions and conditions can be compiled: those that are small enough and refer to existing variables.
//!
//! The interpreter handles the rest. Depth is limited because code generation is recursive, and size because register
//! allocation takes more than linear time.

use sempre_model::ir::{Expr, Place, Program, Stmt, VariableId};

/// Can an action, or a condition, be compiled?
pub(crate) fn is_compilable(program: &Program, guard: Option<&Expr>, effect: &[Stmt]) -> bool {
    let mut left = 200_000;
    guard.is_none_or(|g| expr_is_fine(program, g, 0, &mut left))
        && block_is_fine(program, effect, 0, &mut left)
}

/// The interpreter handles deeper expressions.
const DEPTH: usize = 400;

fn place_is_fine(program: &Program, place: &Place, depth: usize, left: &mut usize) -> bool {
    let exists = |v: &VariableId| (v.0 as usize) < program.variables.len();
    match place {
        Place::Scalar(v) => exists(v) && program.variable(*v).cells() > 0,
        Place::Element(v, index) => exists(v) && expr_is_fine(program, index, depth, left),
        Place::Register(r) => *r < program.registers,
    }
}

fn expr_is_fine(program: &Program, expr: &Expr, depth: usize, left: &mut usize) -> bool {
    if depth > DEPTH || *left == 0 {
        return false;
    }
    *left -= 1;
    let mut fine = |e: &Expr| expr_is_fine(program, e, depth + 1, left);
    match expr {
        Expr::Constant(_) => true,
        Expr::Read(place) => place_is_fine(program, place, depth + 1, left),
        Expr::Unary(_, a) => fine(a),
        Expr::Binary(_, a, b) => fine(a) && fine(b),
        Expr::If(a, b, c) => fine(a) && fine(b) && fine(c),
    }
}

fn block_is_fine(program: &Program, block: &[Stmt], depth: usize, left: &mut usize) -> bool {
    depth <= DEPTH
        && block.iter().all(|stmt| match stmt {
            Stmt::Assign(place, value) => {
                expr_is_fine(program, value, depth, left)
                    && place_is_fine(program, place, depth, left)
            }
            Stmt::If(condition, then, otherwise) => {
                expr_is_fine(program, condition, depth, left)
                    && block_is_fine(program, then, depth + 1, left)
                    && block_is_fine(program, otherwise, depth + 1, left)
            }
            Stmt::For {
                register,
                from,
                to,
                body,
            } => {
                // Unrolling multiplies the size.
                *left /= 2;
                *register < program.registers
                    && expr_is_fine(program, from, depth, left)
                    && expr_is_fine(program, to, depth, left)
                    && block_is_fine(program, body, depth + 1, left)
            }
            Stmt::Assert(condition, _) => expr_is_fine(program, condition, depth, left),
        })
}

/// The approximate number of instructions in the code of an action.
pub(crate) fn size(guard: Option<&Expr>, effect: &[Stmt]) -> usize {
    let block = effect.iter().map(size_of_statement);
    block.fold(guard.map_or(0, size_of_expr), usize::saturating_add)
}

fn size_of_expr(expr: &Expr) -> usize {
    let below = match expr {
        Expr::Constant(_) => 0,
        Expr::Read(place) => size_of_place(place),
        Expr::Unary(_, a) => size_of_expr(a),
        Expr::Binary(_, a, b) => size_of_expr(a) + size_of_expr(b),
        Expr::If(a, b, c) => size_of_expr(a) + size_of_expr(b) + size_of_expr(c),
    };
    below.saturating_add(1)
}

fn size_of_place(place: &Place) -> usize {
    match place {
        Place::Scalar(_) | Place::Register(_) => 1,
        Place::Element(_, index) => 1 + size_of_expr(index),
    }
}

fn size_of_statement(stmt: &Stmt) -> usize {
    match stmt {
        Stmt::Assign(place, value) => size_of_place(place) + size_of_expr(value),
        Stmt::If(condition, then, otherwise) => {
            let inside = size(Some(condition), then).saturating_add(size(None, otherwise));
            inside.saturating_add(1)
        }
        Stmt::For { from, to, body, .. } => {
            // Loops with known bounds are unrolled.
            let rounds = match (from, to) {
                (Expr::Constant(from), Expr::Constant(to)) => to.saturating_sub(*from).max(1),
                _ => 2,
            };
            size(Some(from), body).saturating_mul(usize::try_from(rounds).unwrap_or(1))
        }
        Stmt::Assert(condition, _) => 1 + size_of_expr(condition),
    }
}
