//! The rows of relations, computed by the interpreter.

use crate::dd::shape::{COPY, Mode};
use crate::relation::conjuncts::{Conjunct, HigherPriority};
use crate::relation::values::ValueNumbering;
use sempre_model::Interpreter;
use sempre_model::ir::{Behaviour, Expr, Program, Table};

/// The interpreter's result for one combination of values.
pub(crate) enum RowResult {
    Disabled,
    Row(Vec<u32>),
    Failed,
}

/// The interpreter, the numbering of values, and a state for evaluation.
#[derive(Clone, Debug)]
pub(crate) struct RelationLearner<'p> {
    pub interpreter: Interpreter<'p>,
    state: Vec<i64>,
    written: Vec<u32>,
    pub values: ValueNumbering,
}

impl<'p> RelationLearner<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            interpreter: Interpreter::new(program),
            state: program.initial[0].clone(),
            written: Vec::new(),
            values: ValueNumbering::new(program.cells()),
        }
    }

    /// Whether a value is in the range of a cell's type.
    pub(crate) fn in_range(&self, cell: u32, value: i64) -> bool {
        let program = self.interpreter.program();
        let ty = &program.variable(program.variable_of_cell(cell)).ty;
        ty.store(value) == Some(value)
    }

    /// Whether an expression is true for these values of these cells; false if it has no value.
    pub(crate) fn holds(&mut self, expr: &Expr, cells: &[u32], vector: &[u32]) -> bool {
        for (&cell, &number) in cells.iter().zip(vector) {
            self.state[cell as usize] = self.values.value(cell, number);
        }
        self.interpreter.holds(expr, &self.state).unwrap_or(false)
    }

    /// Whether an expression has a value for these values of these cells.
    pub(crate) fn has_value(&mut self, expr: &Expr, cells: &[u32], vector: &[u32]) -> bool {
        for (&cell, &number) in cells.iter().zip(vector) {
            self.state[cell as usize] = self.values.value(cell, number);
        }
        self.interpreter.value(expr, &self.state).is_ok()
    }

    pub(crate) fn row(
        &mut self,
        conjunct: &Conjunct,
        cells: &[(u32, Mode)],
        vector: &[u32],
    ) -> RowResult {
        let reads = cells.iter().filter(|(_, m)| *m != Mode::Write);
        for (&(cell, _), &number) in reads.zip(vector) {
            self.state[cell as usize] = self.values.value(cell, number);
        }
        let conditions = match conjunct {
            Conjunct::Condition(conditions) | Conjunct::Effect(conditions, _) => conditions,
            Conjunct::Disabled(higher) => {
                return match self.is_enabled(higher) {
                    true => RowResult::Disabled,
                    false => RowResult::Row(vector.to_vec()),
                };
            }
            Conjunct::Table(_) => return RowResult::Disabled,
        };
        for condition in conditions {
            match self.interpreter.holds(condition, &self.state) {
                Ok(true) => {}
                Ok(false) => return RowResult::Disabled,
                Err(_) => return RowResult::Failed,
            }
        }
        let Conjunct::Effect(_, effect) = conjunct else {
            return RowResult::Row(vector.to_vec());
        };
        self.written.clear();
        let run = (self.interpreter).effect(effect, &mut self.state, &mut self.written);
        if run.is_err() {
            return RowResult::Failed;
        }
        let mut row = Vec::with_capacity(2 * cells.len());
        let mut read = vector.iter();
        for &(cell, mode) in cells {
            if mode != Mode::Write {
                row.extend(read.next());
            }
            if mode == Mode::Read {
                continue;
            }
            let root = mode == Mode::Write && !self.written.contains(&cell);
            row.push(match root {
                true => COPY,
                false => self.values.number(cell, self.state[cell as usize]),
            });
        }
        RowResult::Row(row)
    }

    fn is_enabled(&self, higher: &HigherPriority) -> bool {
        if let Some((register, value)) = higher.register {
            let now = self
                .interpreter
                .value(&Expr::variable(register), &self.state);
            if now != Ok(value) {
                return false;
            }
        }
        match &higher.behaviour {
            // A guard that fails counts as true.
            Behaviour::Guarded { guard, .. } => {
                self.interpreter.holds(guard, &self.state).unwrap_or(true)
            }
            Behaviour::Table(table) => (table.rows.iter()).any(|(from, _)| {
                let mut cells = table.reads.iter().zip(from);
                cells.all(|(&cell, &value)| self.state[cell as usize] == value)
            }),
        }
    }
}

/// The rows of a table as rows of a relation, and those whose values are out of range.
pub(crate) fn table_rows(
    cells: &[(u32, Mode)],
    table: &Table,
    learner: &mut RelationLearner<'_>,
) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let position = |list: &[u32], cell: u32| list.iter().position(|&c| c == cell);
    let program = learner.interpreter.program();
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for (from, to) in &table.rows {
        let mut row = Vec::new();
        let mut reads = Vec::new();
        let mut fits = true;
        // A cell that is read twice must have both values; a cell that is written twice gets the last.
        let clash = |cell: u32| {
            let mut all = table.reads.iter().zip(from).filter(|(c, _)| **c == cell);
            let first = all.next().map(|(_, v)| *v);
            all.any(|(_, v)| Some(*v) != first)
        };
        if cells.iter().any(|&(cell, _)| clash(cell)) {
            continue;
        }
        for &(cell, mode) in cells {
            if let (Some(i), true) = (position(&table.reads, cell), mode != Mode::Write) {
                let number = learner.values.number(cell, from[i]);
                row.push(number);
                reads.push(number);
            }
            if mode > Mode::Read {
                for (_, &value) in table.writes.iter().zip(to).filter(|(c, _)| **c == cell) {
                    let ty = &program.variable(program.variable_of_cell(cell)).ty;
                    fits &= ty.store(value).is_some();
                }
                // The last of several writes to a cell is the one that stays.
                let last = table.writes.iter().rposition(|&c| c == cell);
                if let Some(i) = last {
                    let ty = &program.variable(program.variable_of_cell(cell)).ty;
                    let stored = ty.store(to[i]).unwrap_or(0);
                    row.push(learner.values.number(cell, stored));
                }
            }
        }
        if fits {
            rows.push(row);
        } else {
            failed.push(reads);
        }
    }
    (rows, failed)
}
