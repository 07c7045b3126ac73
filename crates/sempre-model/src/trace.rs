//! Traces: counterexamples for users, which the interpreter can replay.
//!
//! A trace is an initial state and steps from it. It may end in an erroneous step or in a state that violates an
//! assertion, and it may close to a lasso. [`replay`] trusts none of it: each step must be one that the interpreter
//! makes.

use crate::interpreter::Interpreter;
use crate::ir::{Program, StepError};
use crate::layout::Layout;
use std::fmt;

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The action; `None` for stuttering in a state without successors.
    pub action: Option<u32>,
    /// The state it leads to.
    pub state: Vec<i64>,
}

/// The error at the end of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFailure {
    /// The action whose step is erroneous; `None` if the last state violates an assertion.
    pub action: Option<u32>,
    /// The error.
    pub error: StepError,
}

/// See the module's documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The first state.
    pub initial: Vec<i64>,
    /// The steps.
    pub steps: Vec<TraceStep>,
    /// For a lasso, the number of the state (0 is the initial one) that the last step returns to: the last state
    /// equals it.
    pub cycle: Option<usize>,
    /// The error at its end, if there is one.
    pub failure: Option<TraceFailure>,
}

impl Trace {
    /// The trace through packed states, with the action that leads to each but the first.
    pub fn unpacked<'a>(
        layout: &Layout,
        initial: &[u64],
        steps: impl IntoIterator<Item = (Option<u32>, &'a [u64])>,
    ) -> Self {
        let unpack = |words: &[u64]| {
            let mut cells = vec![0; layout.fields().len()];
            layout.unpack(words, &mut cells);
            cells
        };
        Self {
            initial: unpack(initial),
            steps: (steps.into_iter())
                .map(|(action, words)| TraceStep {
                    action,
                    state: unpack(words),
                })
                .collect(),
            cycle: None,
            failure: None,
        }
    }

    /// The state with that number; 0 is the initial one.
    pub fn state(&self, number: usize) -> Option<&[i64]> {
        match number.checked_sub(1) {
            None => Some(&self.initial),
            Some(i) => self.steps.get(i).map(|s| s.state.as_slice()),
        }
    }

    /// The last state.
    pub fn last(&self) -> &[i64] {
        self.steps.last().map_or(&self.initial, |s| &s.state)
    }

    /// The trace as text: the initial state, then one line for each step with its action and the
    /// variables that changed.
    pub fn show<'a>(&'a self, program: &'a Program) -> impl fmt::Display + 'a {
        Shown(self, program)
    }
}

/// The reason why a trace is not one of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The first state is not initial.
    NotInitial,
    /// The program has no such step.
    NoSuchStep {
        /// The number of the state that the step should lead to.
        state: usize,
    },
    /// The trace stutters in a state that has successors, or changes it.
    NotStuttering {
        /// The number of the state that the step should lead to.
        state: usize,
    },
    /// The last state is not the one that the cycle leads back to.
    NotClosed,
    /// The error at the end does not happen.
    NoSuchFailure,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInitial => f.write_str("the first state is not initial"),
            Self::NoSuchStep { state } => write!(f, "the program has no step to state {state}"),
            Self::NotStuttering { state } => {
                write!(f, "state {state} repeats one that has successors")
            }
            Self::NotClosed => f.write_str("the last state does not close the cycle"),
            Self::NoSuchFailure => f.write_str("the error at the end does not happen"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// Replays a trace on the interpreter.
///
/// # Errors
/// The first deviation from the interpreter.
pub fn replay(program: &Program, trace: &Trace) -> Result<(), ReplayError> {
    let interpreter = Interpreter::new(program);
    if !program.initial.contains(&trace.initial) {
        return Err(ReplayError::NotInitial);
    }
    let mut state = &trace.initial;
    for (i, step) in trace.steps.iter().enumerate() {
        let steps = interpreter.successors(state);
        let number = i + 1;
        match step.action {
            None if !steps.is_empty() || step.state != *state => {
                return Err(ReplayError::NotStuttering { state: number });
            }
            None => {}
            Some(action) => {
                let happens = (steps.iter())
                    .any(|(a, next)| *a == action && next.as_ref() == Ok(&step.state));
                if !happens {
                    return Err(ReplayError::NoSuchStep { state: number });
                }
            }
        }
        state = &step.state;
    }
    if let Some(back) = trace.cycle
        && (back >= trace.steps.len() || trace.state(back) != Some(state))
    {
        return Err(ReplayError::NotClosed);
    }
    if let Some(failure) = &trace.failure {
        let happens = match failure.action {
            None => interpreter
                .failed_assertions(state)
                .contains(&failure.error),
            Some(action) => (interpreter.successors(state).into_iter())
                .any(|(a, next)| a == action && next.as_ref() == Err(&failure.error)),
        };
        if !happens {
            return Err(ReplayError::NoSuchFailure);
        }
    }
    Ok(())
}

struct Shown<'a>(&'a Trace, &'a Program);

impl Shown<'_> {
    fn action(&self, action: Option<u32>) -> &str {
        action.map_or("(nothing can move)", |a| {
            (self.1.actions.get(a as usize)).map_or("(unknown action)", |a| &a.name)
        })
    }

    /// The cells with these numbers and their values.
    fn values(&self, state: &[i64], shown: impl Fn(usize) -> bool) -> String {
        let values: Vec<String> = (state.iter().enumerate())
            .filter(|&(cell, _)| shown(cell))
            .map(|(cell, &value)| {
                let cell = cell as u32;
                let name = self.1.cell_name(cell);
                format!("{name} = {}", self.1.show_value(cell, value))
            })
            .collect();
        values.join(", ")
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(trace, program) = self;
        let actions = trace.steps.iter().map(|s| self.action(s.action));
        // The names in a column, unless some are very long.
        let width = actions
            .map(|a| a.chars().count())
            .max()
            .unwrap_or(0)
            .min(40);
        let digits = trace.steps.len().to_string().len();
        let cycle = |number: usize| {
            if trace.cycle == Some(number) {
                " <- the cycle starts here"
            } else {
                ""
            }
        };
        let initial = self.values(&trace.initial, |_| true);
        writeln!(f, "{:>digits$}  {initial}{}", 0, cycle(0))?;
        let mut before = &trace.initial;
        for (i, step) in trace.steps.iter().enumerate() {
            let changed = self.values(&step.state, |c| before.get(c) != step.state.get(c));
            let action = self.action(step.action);
            let line = format!("{:>digits$}  {action:<width$}  {changed}", i + 1);
            writeln!(f, "{}{}", line.trim_end(), cycle(i + 1))?;
            before = &step.state;
        }
        if let Some(back) = trace.cycle {
            writeln!(f, "back to {back}")?;
        }
        if let Some(failure) = &trace.failure {
            let error = failure.error.show(program);
            match failure.action {
                None => writeln!(f, "error: {error}")?,
                Some(_) => writeln!(f, "error in {}: {error}", self.action(failure.action))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Action, Behaviour, Binary, Expr, Place, ProcessId, Stmt, Type};
    use crate::random_program::random_program;
    use sempre_base::Random;

    /// `x` increases to 2 and returns to 0, or fails there.
    fn program() -> Program {
        let mut p = Program::new("t");
        p.declare_process("P", &["low", "high"]);
        let x = p.declare("x", Type::Range { min: 0, max: 2 }, None, None);
        let location = p.processes[0].location.unwrap();
        let action = |name: &str, guard: Expr, to: Expr, at: i64| Action {
            name: name.into(),
            processes: vec![ProcessId(0)],
            class: 0,
            behaviour: Behaviour::Guarded {
                guard,
                effect: vec![
                    Stmt::Assign(Place::Scalar(x), to),
                    Stmt::Assign(Place::Scalar(location), Expr::Constant(at)),
                ],
            },
        };
        let x_is = |value| Expr::equal(Expr::variable(x), Expr::Constant(value));
        let up = Expr::binary(Binary::Add, Expr::variable(x), Expr::Constant(1));
        p.actions = vec![
            action("up", Expr::TRUE, up, 1),
            action("reset", x_is(2), Expr::Constant(0), 0),
        ];
        p.initial = vec![vec![0, 0]];
        p
    }

    fn lasso() -> Trace {
        let step = |action, state: &[i64]| TraceStep {
            action: Some(action),
            state: state.to_vec(),
        };
        Trace {
            initial: vec![0, 0],
            steps: vec![step(0, &[1, 1]), step(0, &[1, 2]), step(1, &[0, 0])],
            cycle: Some(0),
            failure: None,
        }
    }

    #[test]
    fn traces_are_shown_with_what_changed() {
        let p = program();
        assert_eq!(
            lasso().show(&p).to_string(),
            "0  P = low, x = 0 <- the cycle starts here\n\
             1  up     P = high, x = 1\n\
             2  up     x = 2\n\
             3  reset  P = low, x = 0\n\
             back to 0\n"
        );
        let mut failing = lasso();
        failing.steps.pop();
        failing.cycle = None;
        failing.failure = Some(TraceFailure {
            action: Some(0),
            error: StepError::ValueOutOfRange {
                variable: crate::ir::VariableId(1),
                value: 3,
            },
        });
        assert_eq!(replay(&p, &failing), Ok(()));
        let text = failing.show(&p).to_string();
        assert!(text.ends_with("error in up: x cannot hold 3\n"), "{text}");
        failing.failure.as_mut().unwrap().action = None;
        assert_eq!(replay(&p, &failing), Err(ReplayError::NoSuchFailure));
    }

    #[test]
    fn false_traces_are_refused() {
        let p = program();
        assert_eq!(replay(&p, &lasso()), Ok(()));
        let broken = |change: &dyn Fn(&mut Trace)| {
            let mut trace = lasso();
            change(&mut trace);
            replay(&p, &trace).unwrap_err()
        };
        assert_eq!(broken(&|t| t.initial[1] = 1), ReplayError::NotInitial);
        let no_such = ReplayError::NoSuchStep { state: 2 };
        assert_eq!(broken(&|t| t.steps[1].action = Some(1)), no_such);
        assert_eq!(broken(&|t| t.steps[1].state[1] = 0), no_such);
        assert_eq!(broken(&|t| t.steps[1].action = Some(99)), no_such);
        assert_eq!(
            broken(&|t| t.steps[2].action = None),
            ReplayError::NotStuttering { state: 3 }
        );
        assert_eq!(broken(&|t| t.cycle = Some(1)), ReplayError::NotClosed);
        assert_eq!(broken(&|t| t.cycle = Some(3)), ReplayError::NotClosed);
        assert_eq!(broken(&|t| t.cycle = Some(77)), ReplayError::NotClosed);
    }

    /// Walks of the interpreter can be replayed, also after packing and unpacking.
    #[test]
    fn walks_replay_through_a_layout() {
        let mut random = Random::new(41);
        let (mut walked, mut stuttered) = (0, 0);
        for _ in 0..200 {
            let p = random_program(&mut random);
            let interpreter = Interpreter::new(&p);
            let mut state = p.initial[0].clone();
            let mut steps: Vec<(Option<u32>, Vec<i64>)> = Vec::new();
            for _ in 0..20 {
                let next: Vec<_> = (interpreter.successors(&state).into_iter())
                    .filter_map(|(a, next)| Some((a, next.ok()?)))
                    .collect();
                if next.is_empty() {
                    break;
                }
                let (action, next) = random.pick(&next).clone();
                steps.push((Some(action), next.clone()));
                state = next;
            }
            if interpreter.successors(&state).is_empty() {
                steps.push((None, state.clone()));
                stuttered += 1;
            }
            walked += steps.len();
            let hull: Vec<(i64, i64)> = (0..p.cells())
                .map(|c| {
                    let values = steps.iter().map(|s| s.1[c]);
                    let values = values.chain([p.initial[0][c]]);
                    (values.clone().min().unwrap(), values.max().unwrap())
                })
                .collect();
            let layout = Layout::new(&p, &hull);
            let pack = |state: &[i64]| {
                let mut words = vec![0; layout.width()];
                layout.pack(state, &mut words).unwrap();
                words
            };
            let packed: Vec<_> = steps.iter().map(|(a, s)| (*a, pack(s))).collect();
            let trace = Trace::unpacked(
                &layout,
                &pack(&p.initial[0]),
                packed.iter().map(|(a, s)| (*a, s.as_slice())),
            );
            assert_eq!(trace.last(), state);
            assert_eq!(replay(&p, &trace), Ok(()));
        }
        assert!(walked > 1000 && stuttered > 5, "{walked} {stuttered}");
    }
}
