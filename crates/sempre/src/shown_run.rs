//! A run as people are shown it: every action by itself, also those that are taken together.
//!
//! A step of a run may be the work of several actions of one process ([`sempre_model::step_parts`]). Here they stand one
//! by one, with the states before and after each, for charts ([`crate::sequence_chart`]) and trails
//! ([`crate::trail`]).

use sempre_model::interpreter::Interpreter;
use sempre_model::ir::{Program, Type};

/// States of more cells are shown in part where they are data, unless all is wanted: what is not zero in a first state, and then
/// what changes.
pub const WIDE: usize = 1_000;

/// How much of a state is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What matters: long lines are folded.
    Folded,
    /// All.
    Full,
}

/// Is the cell one whose being zero goes without saying? Not so a place in a process or a named value.
pub fn is_default(program: &Program, cell: u32, value: i64) -> bool {
    let variable = program.variable(program.variable_of_cell(cell));
    value == 0 && !variable.is_location && !matches!(variable.ty, Type::Enum { .. })
}

/// An action of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    /// The number of the step that it is part of, from 1.
    pub number: usize,
    /// The action.
    pub action: u32,
    /// The state before it.
    pub before: Vec<i64>,
    /// The state after it.
    pub after: Vec<i64>,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct ShownRun<'a> {
    program: &'a Program,
    steps: Vec<ShownStep>,
    cycle: Option<usize>,
    count: usize,
}

impl<'a> ShownRun<'a> {
    /// A run of no steps.
    pub fn new(program: &'a Program) -> Self {
        Self {
            program,
            steps: Vec::new(),
            cycle: None,
            count: 0,
        }
    }

    /// Adds a step; `None` is nothing, which is all that happens when nobody can move.
    pub fn step(&mut self, before: &[i64], action: Option<u32>, after: &[i64]) {
        self.count += 1;
        let Some(action) = action else {
            return;
        };
        let parts = Interpreter::new(self.program).parts(before, action, after);
        let mut before = before.to_vec();
        for (action, after) in parts.unwrap_or(vec![(action, after.to_vec())]) {
            let next = after.clone();
            self.steps.push(ShownStep {
                number: self.count,
                action,
                before,
                after,
            });
            before = next;
        }
    }

    /// What is added from now on happens for ever.
    pub fn cycle(&mut self) {
        self.cycle = Some(self.steps.len());
    }

    /// The program whose run it is.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The actions, in their order.
    pub fn steps(&self) -> &[ShownStep] {
        &self.steps
    }

    /// The number of actions before the cycle, if there is one. It may be the number of all, if nothing can move there.
    pub fn start_of_cycle(&self) -> Option<usize> {
        self.cycle
    }
}
