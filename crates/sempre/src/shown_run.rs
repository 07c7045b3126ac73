//! A run as people are shown it: every action by itself, also those that are taken together.
//!
//! A step of a run may be the work of several actions of one process ([`sempre_model::step_parts`]). Here they stand one
//! by one, with the states before and after each, for charts ([`crate::sequence_chart`]) and trails
//! ([`crate::trail`]). Of a state they are shown what a step changed ([`changes`]).

use sempre_model::interpreter::Interpreter;
use sempre_model::ir::{Program, Type};

/// A line with more entries is folded.
const MANY: usize = 24;

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

/// What is different in a state, `name = value` each; of a first state all, but for empty places. Of many entries, neighbours in an
/// array with equal values are one, `a[0..99] = 7`; and of a first state, if these are many still, those that are zero are left
/// out, which its last entry says.
pub fn changes(
    program: &Program,
    before: Option<&[i64]>,
    now: &[i64],
    detail: Detail,
) -> Vec<String> {
    let is_place = |cell| program.variable(program.variable_of_cell(cell)).ty == Type::Natural;
    let is_new = |cell: u32, value: i64| match before {
        Some(before) => before[cell as usize] != value,
        None => value != 0 || !is_place(cell),
    };
    let cells = (0..now.len() as u32).map(|cell| (cell, now[cell as usize]));
    let entries: Vec<(u32, i64)> = cells.filter(|&(cell, v)| is_new(cell, v)).collect();
    let fold = detail == Detail::Folded && entries.len() > MANY;
    // Each with the number of cells that it stands for.
    let mut shown: Vec<(u32, i64, u32)> = Vec::new();
    for (cell, value) in entries {
        if fold
            && let Some(last) = shown.last_mut()
            && (last.0 + last.2, last.1) == (cell, value)
            && program.variable_of_cell(last.0) == program.variable_of_cell(cell)
        {
            last.2 += 1;
        } else {
            shown.push((cell, value, 1));
        }
    }
    let all = shown.len();
    if before.is_none() && fold && all > MANY {
        shown.retain(|&(cell, value, _)| !is_default(program, cell, value));
    }
    let left_out = shown.len() < all;
    let mut lines: Vec<String> = (shown.into_iter())
        .map(|(cell, value, count)| {
            let variable = program.variable(program.variable_of_cell(cell));
            let name = match count {
                1 => program.cell_name(cell),
                _ => {
                    let start = cell - variable.first;
                    format!("{}[{start}..{}]", variable.name, start + count - 1)
                }
            };
            format!("{name} = {}", program.show_value(cell, value))
        })
        .collect();
    if left_out {
        lines.push("all else = 0".to_string());
    }
    lines
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

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_model::ir::VariableId;

    /// `x`, an array of so many elements, and the location of a process.
    fn program(elements: u32) -> Program {
        let mut p = Program::new("t");
        p.declare("x", Type::BYTE, None, None);
        p.declare("a", Type::BYTE, Some(elements), None);
        p.declare_process("P", &["start", "end"]);
        p
    }

    #[test]
    fn short_lines_show_all() {
        let p = program(3);
        let lines = changes(&p, None, &[0, 0, 0, 0, 0], Detail::Folded);
        assert_eq!(
            lines.join(", "),
            "x = 0, a[0] = 0, a[1] = 0, a[2] = 0, P = start"
        );
    }

    #[test]
    fn equal_elements_are_one_entry() {
        let p = program(100);
        let mut state = vec![0; p.cells()];
        state[8] = 5;
        let first = changes(&p, None, &state, Detail::Folded).join(", ");
        assert_eq!(
            first,
            "x = 0, a[0..6] = 0, a[7] = 5, a[8..99] = 0, P = start"
        );
        assert_eq!(changes(&p, None, &state, Detail::Full).len(), 102);
        let mut next = state.clone();
        next[1..=40].fill(9);
        next[50] = 1;
        let step = changes(&p, Some(&state), &next, Detail::Folded).join(", ");
        assert_eq!(step, "a[0..39] = 9, a[49] = 1");
        // Zeros are news in a step.
        let back = changes(&p, Some(&next), &state, Detail::Folded).join(", ");
        assert_eq!(back, "a[0..6] = 0, a[7] = 5, a[8..39] = 0, a[49] = 0");
    }

    #[test]
    fn many_zeros_go_without_saying() {
        let p = program(100);
        let state: Vec<i64> = (0..p.cells() as i64)
            .map(|i| i64::from(i % 3 == 1 && i < 101))
            .collect();
        let first = changes(&p, None, &state, Detail::Folded);
        assert_eq!(first[0], "a[0] = 1");
        assert_eq!(first.len(), 34 + 2, "{first:?}");
        assert_eq!(first[34..], ["P = start", "all else = 0"]);
        assert!(!is_default(&p, p.variable(VariableId(2)).first, 0));
    }
}
