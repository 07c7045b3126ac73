//! The reference interpreter: the semantics of programs, as simple as possible.
//!
//! Compiled code is tested against it, and counterexamples are replayed on it. It works on plain states, one integer
//! for each cell, and shares nothing with layouts or engines. It has no optimisations: it evaluates each guard in
//! each state.
//!
//! Where [`crate::ir`] leaves a choice, the interpreter defines:
//! * A guard whose evaluation fails counts as true, and the step of its action is erroneous. So the action takes part
//!   in priorities as other actions do, and is reported if it is enabled.
//! * Priority comes before exclusivity: first only the highest class with a true guard stays; then, if the exclusive
//!   register names a process that takes part in one of these actions, only its actions.
//! * An assignment evaluates its value, then its index, then stores; the first failure is the one reported.
//! * A table action is enabled if one of its rows matches, and each matching row is a step.
//! * The continuation of a step by a process alone (atomic register) is searched depth-first, each intermediate state
//!   once. An error in it is reported with the action that starts the step. If no sequence ends, that is an error,
//!   too.

use crate::flat_set::FlatSet;
use crate::ir::{
    Action, Behaviour, Binary, Expr, Place, Program, StepError, Stmt, Unary, VariableId,
};
use crate::system::Step;

/// A step with more intermediate states than this is endless.
pub const MAX_INTERMEDIATE_STATES: usize = 1 << 20;

/// See the module's documentation.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter<'p> {
    program: &'p Program,
}

impl<'p> Interpreter<'p> {
    /// An interpreter of the program.
    pub fn new(program: &'p Program) -> Self {
        Self { program }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The steps from a state, in the order of actions, then of rows: the number of the action, and the successor or
    /// the error.
    pub fn successors(&self, state: &[i64]) -> Vec<(u32, Result<Vec<i64>, StepError>)> {
        let steps = self.steps(state).into_iter();
        steps.map(|(step, next)| (step.action, next)).collect()
    }

    /// As [`Interpreter::successors`], with the acceptance marks of the edges.
    pub fn steps(&self, state: &[i64]) -> Vec<(Step, Result<Vec<i64>, StepError>)> {
        self.steps_through(state, &mut |_| {})
    }

    /// As [`Interpreter::steps`]; also visits the intermediate states of atomic steps.
    pub fn steps_through(
        &self,
        state: &[i64],
        passed: &mut dyn FnMut(&[i64]),
    ) -> Vec<(Step, Result<Vec<i64>, StepError>)> {
        let direct = self.direct_steps(state);
        let Some(register) = self.program.atomic else {
            return direct;
        };
        let cell = self.program.variable(register).first as usize;
        let mut steps = Vec::new();
        for (step, next) in direct {
            match next {
                Ok(next) if next[cell] != 0 => {
                    self.continue_alone(step, next, cell, passed, &mut steps)
                }
                next => steps.push((step, next)),
            }
        }
        steps
    }

    /// The end states of a step that has left the atomic register set.
    fn continue_alone(
        &self,
        step: Step,
        from: Vec<i64>,
        cell: usize,
        passed: &mut dyn FnMut(&[i64]),
        steps: &mut Vec<(Step, Result<Vec<i64>, StepError>)>,
    ) {
        let before = steps.len();
        let mut seen = FlatSet::default();
        seen.reset(from.len());
        let mut open = vec![from];
        while let Some(mut state) = open.pop() {
            sempre_base::stop::checkpoint_now();
            if seen.rows() >= MAX_INTERMEDIATE_STATES {
                break;
            }
            if !seen.insert(&state) {
                continue;
            }
            passed(&state);
            let own = self.own(&state, cell);
            if own.is_empty() {
                state[cell] = 0;
                steps.push((step, Ok(state)));
                continue;
            }
            for action in own {
                for (_, next) in self.steps_of(&self.program.actions[action as usize], &state) {
                    match next {
                        Ok(next) if next[cell] != 0 => open.push(next),
                        Ok(next) => steps.push((step, Ok(next))),
                        Err(error) => steps.push((Step { action, marks: 0 }, Err(error))),
                    }
                }
            }
        }
        if steps.len() == before {
            steps.push((step, Err(StepError::Endless)));
        }
    }

    /// The steps of the process that the atomic register, in that cell, names.
    pub(crate) fn own(&self, state: &[i64], cell: usize) -> Vec<u32> {
        let mut own = self.enabled(state);
        own.retain(|&a| self.program.actions[a as usize].is_of_holder(state[cell]));
        own
    }

    /// The steps from a state, each of one action.
    fn direct_steps(&self, state: &[i64]) -> Vec<(Step, Result<Vec<i64>, StepError>)> {
        let mut steps = Vec::new();
        for action in self.enabled(state) {
            let all = self.steps_of(&self.program.actions[action as usize], state);
            steps.extend(
                all.into_iter()
                    .map(|(marks, next)| (Step { action, marks }, next)),
            );
        }
        steps
    }

    /// The numbers of the actions that are enabled, in order.
    pub fn enabled(&self, state: &[i64]) -> Vec<u32> {
        let actions = &self.program.actions;
        let mut enabled: Vec<u32> = (0..actions.len() as u32)
            .filter(|&a| self.has_true_guard(&actions[a as usize], state))
            .collect();
        let class = |a: u32| actions[a as usize].class;
        if let Some(highest) = enabled.iter().map(|&a| class(a)).max() {
            enabled.retain(|&a| class(a) == highest);
        }
        if let Some(register) = self.program.exclusive {
            let holder = state[self.program.variable(register).first as usize];
            let takes_part = |a: u32| {
                let processes = &actions[a as usize].processes;
                processes.iter().any(|p| i64::from(p.0) + 1 == holder)
            };
            if enabled.iter().any(|&a| takes_part(a)) {
                enabled.retain(|&a| takes_part(a));
            }
        }
        enabled
    }

    /// Is the guard true, regardless of other actions?
    fn has_true_guard(&self, action: &Action, state: &[i64]) -> bool {
        match &action.behaviour {
            Behaviour::Guarded { guard, .. } => self.holds(guard, state).unwrap_or(true),
            Behaviour::Table(table) => table
                .rows
                .iter()
                .any(|(from, _)| matches_row(&table.reads, from, state)),
        }
    }

    /// The steps of an action whose guard is true, each with its marks.
    pub(crate) fn steps_of(
        &self,
        action: &Action,
        state: &[i64],
    ) -> Vec<(u64, Result<Vec<i64>, StepError>)> {
        match &action.behaviour {
            Behaviour::Guarded { guard, effect } => {
                let mut run = self.run(state);
                let step = (run.eval(guard)).and_then(|_| run.block(effect));
                vec![(0, step.map(|()| run.cells))]
            }
            Behaviour::Table(table) => (table.rows.iter().enumerate())
                .filter(|(_, (from, _))| matches_row(&table.reads, from, state))
                .map(|(row, (_, to))| {
                    let mut run = self.run(state);
                    let step = table.writes.iter().zip(to).try_for_each(|(&cell, &value)| {
                        run.store(self.program.variable_of_cell(cell), cell, value)
                    });
                    (table.marks_of(row), step.map(|()| run.cells))
                })
                .collect(),
        }
    }

    /// The value of an expression in a state.
    ///
    /// # Errors
    /// An index out of range, or a division by zero.
    pub fn value(&self, expr: &Expr, state: &[i64]) -> Result<i64, StepError> {
        let registers = vec![0; self.program.registers as usize];
        eval(self.program, state, &registers, expr)
    }

    /// Whether an expression is true in a state.
    ///
    /// # Errors
    /// As for [`Interpreter::value`].
    pub fn holds(&self, expr: &Expr, state: &[i64]) -> Result<bool, StepError> {
        self.value(expr, state).map(|v| v != 0)
    }

    /// Runs a part of an effect on a state, and adds the cells that it assigns to `written`, each as often as it is
    /// assigned.
    ///
    /// # Errors
    /// The first error; the state is then the one at that moment.
    pub fn effect(
        &self,
        effect: &[Stmt],
        state: &mut Vec<i64>,
        written: &mut Vec<u32>,
    ) -> Result<(), StepError> {
        let mut run = Run {
            program: self.program,
            cells: std::mem::take(state),
            registers: vec![0; self.program.registers as usize],
            written: Some(std::mem::take(written)),
        };
        let result = run.block(effect);
        *state = run.cells;
        *written = run.written.unwrap_or_default();
        result
    }

    /// The assertions of the program that the state violates, or the errors of their evaluation.
    pub fn failed_assertions(&self, state: &[i64]) -> Vec<StepError> {
        (self.program.assertions.iter())
            .filter_map(|(condition, name)| match self.holds(condition, state) {
                Ok(true) => None,
                Ok(false) => Some(StepError::Assertion(format!("assertion failed: {name}"))),
                Err(error) => Some(error),
            })
            .collect()
    }

    fn run(&self, state: &[i64]) -> Run<'p> {
        Run {
            program: self.program,
            cells: state.to_vec(),
            registers: vec![0; self.program.registers as usize],
            written: None,
        }
    }
}

/// Does the row of a table match?
fn matches_row(reads: &[u32], from: &[i64], state: &[i64]) -> bool {
    reads
        .iter()
        .zip(from)
        .all(|(&cell, &value)| state[cell as usize] == value)
}

/// A running step.
struct Run<'p> {
    program: &'p Program,
    cells: Vec<i64>,
    registers: Vec<i64>,
    /// The cells that were assigned, if the caller asks for them.
    written: Option<Vec<u32>>,
}

impl Run<'_> {
    fn eval(&self, expr: &Expr) -> Result<i64, StepError> {
        eval(self.program, &self.cells, &self.registers, expr)
    }

    fn block(&mut self, block: &[Stmt]) -> Result<(), StepError> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), StepError> {
        match stmt {
            Stmt::Assign(place, value) => {
                let value = self.eval(value)?;
                match place {
                    Place::Scalar(v) => self.store(*v, self.program.variable(*v).first, value),
                    Place::Element(v, index) => {
                        let index = self.eval(index)?;
                        let cell = element(self.program, *v, index)?;
                        self.store(*v, cell, value)
                    }
                    Place::Register(r) => {
                        self.registers[*r as usize] = value;
                        Ok(())
                    }
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let taken = self.eval(condition)? != 0;
                self.block(if taken { then } else { otherwise })
            }
            Stmt::For {
                register,
                from,
                to,
                body,
            } => {
                let (from, to) = (self.eval(from)?, self.eval(to)?);
                for i in from..to {
                    self.registers[*register as usize] = i;
                    self.block(body)?;
                }
                Ok(())
            }
            Stmt::Assert(condition, text) => {
                if self.eval(condition)? == 0 {
                    return Err(StepError::Assertion(text.clone()));
                }
                Ok(())
            }
        }
    }

    /// Stores a value in a cell of a variable.
    fn store(&mut self, variable: VariableId, cell: u32, value: i64) -> Result<(), StepError> {
        let ty = &self.program.variable(variable).ty;
        let stored = ty
            .store(value)
            .ok_or(StepError::ValueOutOfRange { variable, value })?;
        self.cells[cell as usize] = stored;
        if let Some(written) = &mut self.written {
            written.push(cell);
        }
        Ok(())
    }
}

/// The cell of an element of an array.
fn element(program: &Program, variable: VariableId, index: i64) -> Result<u32, StepError> {
    let v = program.variable(variable);
    if 0 <= index && index < i64::from(v.cells()) {
        Ok(v.first + index as u32)
    } else {
        Err(StepError::IndexOutOfRange { variable, index })
    }
}

/// The value of an expression.
fn eval(
    program: &Program,
    cells: &[i64],
    registers: &[i64],
    expr: &Expr,
) -> Result<i64, StepError> {
    let eval = |e: &Expr| eval(program, cells, registers, e);
    Ok(match expr {
        Expr::Constant(c) => *c,
        Expr::Read(Place::Scalar(v)) => cells[program.variable(*v).first as usize],
        Expr::Read(Place::Element(v, index)) => cells[element(program, *v, eval(index)?)? as usize],
        Expr::Read(Place::Register(r)) => registers[*r as usize],
        Expr::Unary(op, a) => {
            let a = eval(a)?;
            match op {
                Unary::Negate => a.wrapping_neg(),
                Unary::Not => i64::from(a == 0),
                Unary::Complement => !a,
            }
        }
        Expr::Binary(op, a, b) => {
            let a = eval(a)?;
            match op {
                Binary::And if a == 0 => 0,
                Binary::Or if a != 0 => 1,
                Binary::Implies if a == 0 => 1,
                _ => op.apply(a, eval(b)?).ok_or(StepError::DivisionByZero)?,
            }
        }
        Expr::If(condition, then, otherwise) => eval(if eval(condition)? != 0 {
            then
        } else {
            otherwise
        })?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{ProcessId, Table, Type};

    fn c(value: i64) -> Expr {
        Expr::Constant(value)
    }

    fn action(name: &str, processes: &[u32], class: i8, guard: Expr, effect: Vec<Stmt>) -> Action {
        Action {
            name: name.to_string(),
            processes: processes.iter().map(|&p| ProcessId(p)).collect(),
            class,
            behaviour: Behaviour::Guarded { guard, effect },
        }
    }

    /// `byte x; byte a[3]`, two processes without locations.
    fn program() -> (Program, VariableId, VariableId) {
        let mut p = Program::new("t");
        p.declare_process("P", &[]);
        p.declare_process("Q", &[]);
        let x = p.declare("x", Type::BYTE, None, None);
        let a = p.declare("a", Type::BYTE, Some(3), None);
        p.registers = 2;
        p.initial = vec![vec![0; 4]];
        (p, x, a)
    }

    #[test]
    fn operators_wrap_and_fail_as_documented() {
        let ok = |op: Binary, a, b| op.apply(a, b).unwrap();
        assert_eq!(ok(Binary::Divide, -7, 2), -3);
        assert_eq!(ok(Binary::Modulo, -7, 2), -1);
        assert_eq!(ok(Binary::Divide, i64::MIN, -1), i64::MIN);
        assert_eq!(ok(Binary::Modulo, i64::MIN, -1), 0);
        assert_eq!(ok(Binary::Add, i64::MAX, 1), i64::MIN);
        assert_eq!(ok(Binary::ShiftLeft, 1, 65), 2);
        assert_eq!(ok(Binary::ShiftRight, -8, 1), -4);
        assert_eq!(ok(Binary::And, 5, 2), 1);
        assert_eq!(Binary::Modulo.apply(1, 0), None);
    }

    #[test]
    fn evaluation_goes_no_further_than_needed() {
        let (p, x, a) = program();
        let i = Interpreter::new(&p);
        let bad = || Expr::binary(Binary::Divide, c(1), Expr::variable(x));
        let state = [0, 7, 8, 9];
        for (expr, expected) in [
            (Expr::binary(Binary::And, c(0), bad()), Some(0)),
            (Expr::binary(Binary::Or, c(3), bad()), Some(1)),
            (Expr::binary(Binary::Implies, c(0), bad()), Some(1)),
            (Expr::binary(Binary::And, c(1), bad()), None),
            (
                Expr::If(Box::new(c(1)), Box::new(c(4)), Box::new(bad())),
                Some(4),
            ),
            (Expr::element(a, c(2)), Some(9)),
        ] {
            assert_eq!(i.value(&expr, &state).ok(), expected, "{expr:?}");
        }
        for index in [-1, 3] {
            let variable = a;
            assert_eq!(
                i.value(&Expr::element(a, c(index)), &state),
                Err(StepError::IndexOutOfRange { variable, index })
            );
        }
    }

    #[test]
    fn effects_run_in_sequence() {
        let (mut p, x, a) = program();
        let register = Expr::Read(Place::Register(0));
        // x := 255; x := x + 2; for r0 in 0..3 { a[r0] := r0 + x }; x := r0
        p.actions.push(action(
            "go",
            &[0],
            0,
            Expr::TRUE,
            vec![
                Stmt::Assign(Place::Scalar(x), c(255)),
                Stmt::Assign(
                    Place::Scalar(x),
                    Expr::binary(Binary::Add, Expr::variable(x), c(2)),
                ),
                Stmt::For {
                    register: 0,
                    from: c(0),
                    to: c(3),
                    body: vec![Stmt::Assign(
                        Place::Element(a, Box::new(register.clone())),
                        Expr::binary(Binary::Add, register.clone(), Expr::variable(x)),
                    )],
                },
                Stmt::Assign(Place::Scalar(x), register),
            ],
        ));
        p.actions.push(action(
            "assert",
            &[0],
            0,
            Expr::TRUE,
            vec![Stmt::Assert(Expr::variable(x), "x".into())],
        ));
        let steps = Interpreter::new(&p).successors(&[0, 0, 0, 0]);
        assert_eq!(
            steps,
            [
                (0, Ok(vec![2, 1, 2, 3])),
                (1, Err(StepError::Assertion("x".into())))
            ]
        );
    }

    #[test]
    fn priority_comes_before_exclusivity() {
        let (mut p, x, a) = program();
        p.exclusive = Some(x);
        let when = |cell: i64| Expr::element(a, c(cell));
        p.actions = vec![
            action("P low", &[0], 0, when(0), vec![]),
            action("Q low", &[1], 0, when(1), vec![]),
            action("Q high", &[1], 1, when(2), vec![]),
            action("both", &[0, 1], 0, when(0), vec![]),
            action("timeout", &[0], -1, Expr::TRUE, vec![]),
        ];
        let i = Interpreter::new(&p);
        for (state, expected) in [
            ([0, 0, 0, 0], vec![4]),
            ([0, 1, 1, 0], vec![0, 1, 3]),
            ([1, 1, 1, 0], vec![0, 3]),
            ([2, 1, 1, 0], vec![1, 3]),
            ([2, 0, 0, 0], vec![4]),
            ([1, 0, 1, 0], vec![1]),
            ([1, 1, 1, 1], vec![2]),
            ([9, 1, 1, 0], vec![0, 1, 3]),
        ] {
            assert_eq!(i.enabled(&state), expected, "{state:?}");
        }
    }

    #[test]
    fn a_failing_guard_is_an_erroneous_step() {
        let (mut p, x, _) = program();
        let bad = Expr::binary(Binary::Divide, c(1), Expr::variable(x));
        p.actions = vec![
            action("low", &[0], 0, Expr::TRUE, vec![]),
            action("bad", &[0], 1, bad.clone(), vec![]),
        ];
        p.assertions = vec![
            (Expr::variable(x), "x is set".into()),
            (bad, "x divides".into()),
        ];
        let i = Interpreter::new(&p);
        assert_eq!(i.successors(&[0; 4]), [(1, Err(StepError::DivisionByZero))]);
        assert_eq!(i.successors(&[2, 0, 0, 0]), [(0, Ok(vec![2, 0, 0, 0]))]);
        assert_eq!(
            i.failed_assertions(&[0; 4]),
            [
                StepError::Assertion("assertion failed: x is set".into()),
                StepError::DivisionByZero
            ]
        );
        assert_eq!(i.failed_assertions(&[1, 0, 0, 0]), []);
    }

    #[test]
    fn tables_step_by_rows() {
        let (mut p, _, _) = program();
        p.actions = vec![Action {
            name: "t".into(),
            processes: vec![],
            class: 0,
            behaviour: Behaviour::Table(Table {
                reads: vec![0, 2],
                writes: vec![1, 2],
                rows: vec![
                    (vec![0, 0], vec![1, 1]),
                    (vec![0, 0], vec![2, 300]),
                    (vec![0, 1], vec![3, 3]),
                ],
                marks: vec![0, 3],
            }),
        }];
        let i = Interpreter::new(&p);
        assert_eq!(
            i.successors(&[0, 9, 0, 9]),
            [(0, Ok(vec![0, 1, 1, 9])), (0, Ok(vec![0, 2, 44, 9]))]
        );
        assert_eq!(i.successors(&[1, 9, 0, 9]), []);
        let marks = |state: &[i64]| Vec::from_iter(i.steps(state).iter().map(|s| s.0.marks));
        assert_eq!(marks(&[0, 9, 0, 9]), [0, 3]);
        assert_eq!(marks(&[0, 9, 1, 9]), [0]);
    }
}
