//! A run as people are shown it: every action by itself, also those that are taken together.
//!
//! A step of a run may be the work of several actions of one process ([`sempre_model::step_parts`]). Here they stand one
//! by one, with the states before and after each, for charts ([`crate::sequence_chart`]) and trails
//! ([`crate::trail`]). Of a state they are shown what a step changed ([`changes`]).

use sempre_model::interpreter::Interpreter;
use sempre_model::ir::{Program, Type};

/// What is different in a state, `name = value` each; of a first state all, but for empty places.
pub fn changes(program: &Program, before: Option<&[i64]>, now: &[i64]) -> Vec<String> {
    let is_place = |cell| program.variable(program.variable_of_cell(cell)).ty == Type::Natural;
    let is_new = |cell: u32, value: i64| match before {
        Some(before) => before[cell as usize] != value,
        None => value != 0 || !is_place(cell),
    };
    (0..now.len() as u32)
        .map(|cell| (cell, now[cell as usize]))
        .filter(|&(cell, value)| is_new(cell, value))
        .map(|(cell, value)| {
            let name = program.cell_name(cell);
            format!("{name} = {}", program.show_value(cell, value))
        })
        .collect()
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
