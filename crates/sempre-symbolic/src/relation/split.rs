//! Actions split by the values of their indices.
//!
//! `a[i]` with a variable index may be any element, so the action touches the whole array. With one variant of the
//! action for each value of `i`, each variant touches one element: relations have small diagrams, and events are local.
//!
//! The variant for `i = 3` has the guard `i == 3`, and 3 in place of `i` where `i` is read before the action may write
//! it. There is a variant for each value in the inferred interval, or at least for each index of the array, and one for
//! all other values, which leaves the index alone. So the variants together are the action, whatever the values are.

use sempre_base::checkpoint;
use sempre_model::intervals::intervals;
use sempre_model::ir::{Behaviour, Binary, Expr, Place, Program, Stmt, Unary};
use sempre_model::{Action, Footprint};
use std::collections::BTreeSet;

/// Variants of one action, at most.
const MAX_VARIANTS: usize = 300;
/// Values of one index that get variants.
const MAX_VALUES: usize = 64;

/// The variants of all actions, each with the number of its action.
pub(crate) fn variants(program: &Program) -> Vec<(u32, Action)> {
    let bounds = intervals(program);
    let mut all = Vec::new();
    for (number, action) in program.actions.iter().enumerate() {
        checkpoint();
        let mut todo = vec![action.clone()];
        let mut done = Vec::new();
        // Cells that the last variants left open are not split again.
        let mut given_up = BTreeSet::new();
        while let Some(action) = todo.pop() {
            let cell = (index_cells(program, &action).into_iter()).find(|c| !given_up.contains(c));
            let values = cell.and_then(|c| candidate_values(program, c, bounds[c as usize]));
            let (Some(cell), Some(values)) = (cell, values) else {
                match cell {
                    Some(cell) => {
                        given_up.insert(cell);
                        todo.push(action);
                    }
                    None => done.push(action),
                }
                continue;
            };
            if done.len() + todo.len() + values.len() > MAX_VARIANTS {
                done.push(action);
                continue;
            }
            let variable = program.variable_of_cell(cell);
            let read = Expr::Read(match program.variable(variable).length {
                None => Place::Scalar(variable),
                Some(_) => {
                    let index = i64::from(cell - program.variable(variable).first);
                    Place::Element(variable, Box::new(Expr::Constant(index)))
                }
            });
            let complete = bounds[cell as usize].1 - bounds[cell as usize].0 < MAX_VALUES as i64;
            for &value in &values {
                todo.push(variant(program, &action, cell, &read, value));
            }
            if !complete {
                // All other values; this variant keeps the index.
                let others = values
                    .iter()
                    .map(|&v| Expr::binary(Binary::NotEqual, read.clone(), Expr::Constant(v)));
                let mut rest = action.clone();
                if let Behaviour::Guarded { guard, .. } = &mut rest.behaviour {
                    *guard = Expr::all(others.chain([guard.clone()]));
                }
                done.push(rest);
            }
        }
        all.extend(done.into_iter().map(|a| (number as u32, a)));
    }
    all
}

/// The values of a cell that get variants; `None` if there are too many.
fn candidate_values(program: &Program, cell: u32, bounds: (i64, i64)) -> Option<Vec<i64>> {
    let size = bounds.1.checked_sub(bounds.0)?;
    if size < MAX_VALUES as i64 {
        return Some((bounds.0..=bounds.1).collect());
    }
    // Values beyond the longest array need no variant.
    let longest = program.variables.iter().filter_map(|v| v.length).max()?;
    let _ = cell;
    let most = i64::from(longest).min(MAX_VALUES as i64) - 1;
    Some((bounds.0.max(0)..=bounds.1.min(most)).collect())
}

/// The cells that are read for an index that is not constant, in order.
fn index_cells(program: &Program, action: &Action) -> BTreeSet<u32> {
    struct IndexCells<'p> {
        program: &'p Program,
        found: BTreeSet<u32>,
    }
    impl IndexCells<'_> {
        fn cells_of(&mut self, index: &Expr) {
            match index {
                Expr::Constant(_) | Expr::Read(Place::Register(_)) => {}
                Expr::Read(Place::Scalar(v)) => {
                    self.found.insert(self.program.variable(*v).first);
                }
                Expr::Read(Place::Element(v, inner)) => {
                    let v = self.program.variable(*v);
                    match **inner {
                        Expr::Constant(i) if 0 <= i && i < i64::from(v.cells()) => {
                            self.found.insert(v.first + i as u32);
                        }
                        // The inner index first; then this one is constant.
                        _ => self.cells_of(inner),
                    }
                }
                Expr::Unary(_, a) => self.cells_of(a),
                Expr::Binary(_, a, b) => {
                    self.cells_of(a);
                    self.cells_of(b);
                }
                Expr::If(a, b, c) => {
                    self.cells_of(a);
                    self.cells_of(b);
                    self.cells_of(c);
                }
            }
        }
        fn expr(&mut self, e: &Expr) {
            match e {
                Expr::Constant(_) => {}
                Expr::Read(place) => self.place(place),
                Expr::Unary(_, a) => self.expr(a),
                Expr::Binary(_, a, b) => {
                    self.expr(a);
                    self.expr(b);
                }
                Expr::If(a, b, c) => {
                    self.expr(a);
                    self.expr(b);
                    self.expr(c);
                }
            }
        }
        fn place(&mut self, place: &Place) {
            if let Place::Element(_, index) = place {
                if !matches!(**index, Expr::Constant(_)) {
                    self.cells_of(index);
                }
                self.expr(index);
            }
        }
        /// Considers only reads before the cells they depend on are written: a variant does not determine later values.
        fn block(&mut self, block: &[Stmt], written: &mut BTreeSet<u32>) {
            for stmt in block {
                let before = self.found.clone();
                match stmt {
                    Stmt::Assign(place, value) => {
                        self.expr(value);
                        self.place(place);
                    }
                    Stmt::If(condition, then, otherwise) => {
                        self.expr(condition);
                        self.block(then, &mut written.clone());
                        self.block(otherwise, &mut written.clone());
                    }
                    Stmt::For { from, to, body, .. } => {
                        self.expr(from);
                        self.expr(to);
                        // The body is executed again after its writes.
                        written.extend(writes(self.program, stmt));
                        self.block(body, &mut written.clone());
                    }
                    Stmt::Assert(condition, _) => self.expr(condition),
                }
                self.found
                    .retain(|c| before.contains(c) || !written.contains(c));
                written.extend(writes(self.program, stmt));
            }
        }
    }
    let mut cells = IndexCells {
        program,
        found: BTreeSet::new(),
    };
    if let Behaviour::Guarded { guard, effect } = &action.behaviour {
        cells.expr(guard);
        cells.block(effect, &mut BTreeSet::new());
    }
    cells.found
}

/// The cells that a statement may write.
fn writes(program: &Program, stmt: &Stmt) -> Vec<u32> {
    let alone = Action {
        name: String::new(),
        processes: Vec::new(),
        class: 0,
        behaviour: Behaviour::Guarded {
            guard: Expr::TRUE,
            effect: vec![stmt.clone()],
        },
    };
    Footprint::new(program, &alone).may_write
}

/// The variant of the action for this value of the cell.
fn variant(program: &Program, action: &Action, cell: u32, read: &Expr, value: i64) -> Action {
    let mut result = action.clone();
    if let Behaviour::Guarded { guard, effect } = &mut result.behaviour {
        let substitution = Substitution {
            program,
            read,
            cell,
            value,
        };
        let here = Expr::equal(read.clone(), Expr::Constant(value));
        *guard = Expr::all([here, substitution.expr(guard)]);
        let mut is_valid = true;
        *effect = substitution.block(effect, &mut is_valid);
    }
    result
}

/// A cell that has a known value.
struct Substitution<'a> {
    program: &'a Program,
    read: &'a Expr,
    cell: u32,
    value: i64,
}

impl Substitution<'_> {
    /// The expression with the value substituted, and indices evaluated.
    fn expr(&self, e: &Expr) -> Expr {
        if e == self.read {
            return Expr::Constant(self.value);
        }
        match e {
            Expr::Constant(_) => e.clone(),
            Expr::Read(place) => {
                let read = Expr::Read(self.place(place));
                if read == *self.read {
                    return Expr::Constant(self.value);
                }
                read
            }
            Expr::Unary(op, a) => {
                let a = self.expr(a);
                match (op, &a) {
                    (Unary::Negate, Expr::Constant(c)) => Expr::Constant(c.wrapping_neg()),
                    _ => Expr::Unary(*op, Box::new(a)),
                }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                if let (Expr::Constant(x), Expr::Constant(y)) = (&a, &b)
                    && let Some(result) = op.apply(*x, *y)
                {
                    return Expr::Constant(result);
                }
                Expr::binary(*op, a, b)
            }
            Expr::If(a, b, c) => Expr::If(
                Box::new(self.expr(a)),
                Box::new(self.expr(b)),
                Box::new(self.expr(c)),
            ),
        }
    }

    fn place(&self, place: &Place) -> Place {
        match place {
            Place::Element(v, index) => Place::Element(*v, Box::new(self.expr(index))),
            _ => place.clone(),
        }
    }

    fn block(&self, block: &[Stmt], is_valid: &mut bool) -> Vec<Stmt> {
        let mut result = Vec::new();
        for stmt in block {
            if !*is_valid {
                result.push(stmt.clone());
                continue;
            }
            let changes = writes(self.program, stmt).contains(&self.cell);
            result.push(match stmt {
                Stmt::Assign(place, value) => Stmt::Assign(self.place(place), self.expr(value)),
                Stmt::Assert(condition, text) => Stmt::Assert(self.expr(condition), text.clone()),
                Stmt::If(condition, then, otherwise) => Stmt::If(
                    self.expr(condition),
                    self.block(then, &mut true),
                    self.block(otherwise, &mut true),
                ),
                Stmt::For {
                    register,
                    from,
                    to,
                    body,
                } => Stmt::For {
                    register: *register,
                    from: self.expr(from),
                    to: self.expr(to),
                    body: if changes {
                        body.clone()
                    } else {
                        self.block(body, &mut true)
                    },
                },
            });
            *is_valid = !changes;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;
    use sempre_model::Interpreter;
    use sempre_model::random_program::{random_program, random_state};

    /// Exactly one variant does what the action does, in all states within the intervals.
    #[test]
    fn variants_do_what_the_action_does() {
        let mut random = Random::new(21);
        let mut split = 0;
        for _ in 0..600 {
            let mut program = random_program(&mut random);
            program.exclusive = None;
            for action in &mut program.actions {
                action.class = 0;
            }
            let variants = variants(&program);
            let bounds = intervals(&program);
            let mut many = program.clone();
            many.actions = variants.iter().map(|(_, a)| a.clone()).collect();
            split += many.actions.len() - program.actions.len();
            for _ in 0..5 {
                let mut state = random_state(&mut random, &program);
                for (value, &(min, max)) in state.iter_mut().zip(&bounds) {
                    *value = (*value).clamp(min, max);
                }
                let mut expected = Interpreter::new(&program).successors(&state);
                let mut found: Vec<_> = (Interpreter::new(&many).successors(&state).into_iter())
                    .map(|(a, next)| (variants[a as usize].0, next))
                    .collect();
                let key = |s: &(u32, _)| (s.0, format!("{s:?}"));
                expected.sort_by_key(key);
                found.sort_by_key(key);
                assert_eq!(found, expected, "{program:?} {state:?}");
            }
        }
        assert!(split > 1000, "{split}");
    }
}
