//! A state as people read it: the first one by process, of the others what a step changed.
//!
//! Left out are the cells that belong to the translation of a model and not to the model (the registers of atomic sections), and, of
//! a first state, what is 0 and processes that do not exist yet; `all else is 0` says so. A channel is one entry with the messages
//! in it. With [`Detail::Full`] nothing is left out but those registers.

use crate::shown_run::{Detail, is_default};
use sempre_lang::model::Queue;
use sempre_model::ir::{ABSENT, ProcessId, Program, Type, Variable, VariableId};

/// With more entries, neighbours in an array with equal values are one: `a[0..99] = 7`.
const MANY: usize = 24;

/// Longer names of processes do not widen the column of names.
const WIDEST: usize = 20;

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct StateText<'a> {
    program: &'a Program,
    queues: &'a [Queue],
    detail: Detail,
}

/// A message: the parts and how they are shown.
pub(crate) type Message = Vec<(i64, String)>;

/// What waits in a queue.
pub(crate) fn contents(program: &Program, queue: &Queue, state: &[i64]) -> Vec<Message> {
    let length = state[program.variable(queue.length).first as usize].max(0) as u32;
    let message = |i: u32| {
        let parts = (queue.parts.iter()).filter(|p| i < program.variable(**p).cells());
        parts
            .map(|&p| {
                let cell = program.variable(p).first + i;
                let value = state[cell as usize];
                (value, program.show_value(cell, value))
            })
            .collect()
    };
    (0..length).map(message).collect()
}

/// The values of a message, with commas.
pub(crate) fn message_text(message: &Message) -> String {
    let values: Vec<&str> = message.iter().map(|(_, shown)| shown.as_str()).collect();
    values.join(",")
}

impl<'a> StateText<'a> {
    /// How the states of a program are shown that has these queues.
    pub fn new(program: &'a Program, queues: &'a [Queue], detail: Detail) -> Self {
        Self {
            program,
            queues,
            detail,
        }
    }

    /// Is it a cell of the translation and not of the model?
    fn is_internal(&self, v: VariableId) -> bool {
        [self.program.atomic, self.program.exclusive].contains(&Some(v))
    }

    /// The queue that a variable is part of.
    fn queue_of(&self, v: VariableId) -> Option<&'a Queue> {
        (self.queues.iter()).find(|q| q.length == v || q.parts.contains(&v))
    }

    fn queue_text(&self, queue: &Queue, state: &[i64]) -> String {
        let messages = contents(self.program, queue, state);
        let shown: Vec<String> = messages.iter().map(message_text).collect();
        format!("{} = [{}]", queue.name, shown.join("; "))
    }

    fn variables(&self) -> impl Iterator<Item = (VariableId, &'a Variable)> + use<'a, '_> {
        let all = self.program.variables.iter().enumerate();
        all.map(|(i, v)| (VariableId(i as u32), v))
            .filter(|(id, _)| !self.is_internal(*id))
    }

    /// A first state, a line for what belongs to nobody and one for each process.
    pub fn first(&self, state: &[i64]) -> Vec<String> {
        let shows_all = self.detail == Detail::Full;
        let fold = !shows_all && state.len() > MANY;
        let mut left_out = false;
        let mut lines = Vec::new();
        let nobody = self.of_owner(None, state, fold, &mut left_out);
        if !nobody.is_empty() {
            lines.push(nobody.join(", "));
        }
        let mut of_processes: Vec<(&str, String)> = Vec::new();
        for (i, process) in self.program.processes.iter().enumerate() {
            let place = process.location.map(|v| {
                let cell = self.program.variable(v).first;
                self.program.show_value(cell, state[cell as usize])
            });
            if place.as_deref() == Some(ABSENT) && !shows_all {
                continue;
            }
            let owner = Some(ProcessId(i as u32));
            let mut entries: Vec<String> = place.map(|p| format!("at {p}")).into_iter().collect();
            entries.extend(self.of_owner(owner, state, fold, &mut left_out));
            if !entries.is_empty() {
                of_processes.push((&process.name, entries.join(", ")));
            }
        }
        let width = of_processes.iter().map(|(name, _)| name.chars().count());
        let width = width.max().unwrap_or(0).min(WIDEST);
        let one_line = of_processes.is_empty();
        lines.extend(
            (of_processes.into_iter()).map(|(name, entries)| format!("{name:<width$}  {entries}")),
        );
        match lines.last_mut() {
            _ if !left_out => {}
            Some(line) if one_line => line.push_str(", all else is 0"),
            _ => lines.push("all else is 0".to_string()),
        }
        lines
    }

    /// The entries of what belongs to a process, or to nobody, but for its location.
    fn of_owner(
        &self,
        owner: Option<ProcessId>,
        state: &[i64],
        fold: bool,
        left_out: &mut bool,
    ) -> Vec<String> {
        let shows_all = self.detail == Detail::Full;
        let title = owner.map(|p| format!("{}.", self.program.processes[p.0 as usize].name));
        let mut entries = Vec::new();
        for (id, variable) in self.variables() {
            if variable.owner != owner || variable.is_location {
                continue;
            }
            if let Some(queue) = self.queue_of(id) {
                let is_empty = state[self.program.variable(queue.length).first as usize] == 0;
                match is_empty && !shows_all {
                    true => *left_out = true,
                    false if queue.length == id => entries.push(self.queue_text(queue, state)),
                    false => {}
                }
                continue;
            }
            let name = match &title {
                Some(title) => variable.name.strip_prefix(title.as_str()),
                None => None,
            };
            let name = name.unwrap_or(&variable.name);
            let cells = variable.first..variable.first + variable.cells();
            for (from, to, value) in runs(cells, fold, |cell| state[cell as usize]) {
                if !shows_all && self.is_zero(variable, from, value) {
                    // That a place is empty goes without saying.
                    *left_out |= variable.ty != Type::Natural;
                    continue;
                }
                entries.push(self.entry(name, variable, (from, to), value));
            }
        }
        entries
    }

    fn is_zero(&self, variable: &Variable, cell: u32, value: i64) -> bool {
        let named =
            matches!(&variable.ty, Type::Enum { names } if names.first().is_some_and(|n| n != "0"));
        value == 0 && !named || is_default(self.program, cell, value)
    }

    /// What is different in a state, in the order of the variables.
    pub fn changes(&self, before: &[i64], now: &[i64]) -> Vec<String> {
        let changed = (before.iter().zip(now)).filter(|(b, n)| b != n).count();
        let fold = self.detail == Detail::Folded && changed > MANY;
        let mut entries = Vec::new();
        for (id, variable) in self.variables() {
            if let Some(queue) = self.queue_of(id) {
                if queue.length == id
                    && contents(self.program, queue, before) != contents(self.program, queue, now)
                {
                    entries.push(self.queue_text(queue, now));
                }
                continue;
            }
            let cells = variable.first..variable.first + variable.cells();
            let value = |cell: u32| {
                let (old, new) = (before[cell as usize], now[cell as usize]);
                (old != new).then_some(new)
            };
            for (from, to, value) in runs(cells, fold, value) {
                if let Some(value) = value {
                    entries.push(self.entry(&variable.name, variable, (from, to), value));
                }
            }
        }
        entries
    }

    /// `name = value`, of one cell or of several.
    fn entry(&self, name: &str, variable: &Variable, (from, to): (u32, u32), value: i64) -> String {
        let shown = match self.program.show_value(from, value) {
            // A process that was there is there no more.
            gone if variable.is_location && gone == ABSENT => "terminated".to_string(),
            shown => shown,
        };
        let (start, end) = (from - variable.first, to - variable.first);
        match (variable.length, end - start) {
            (None, _) => format!("{name} = {shown}"),
            (Some(_), 1) => format!("{name}[{start}] = {shown}"),
            (Some(_), _) => format!("{name}[{start}..{}] = {shown}", end - 1),
        }
    }
}

/// The cells with their values, each alone or, to be folded, neighbours with equal values together: from, to and value.
fn runs<T: PartialEq>(
    cells: std::ops::Range<u32>,
    fold: bool,
    value: impl Fn(u32) -> T,
) -> Vec<(u32, u32, T)> {
    let mut all: Vec<(u32, u32, T)> = Vec::new();
    for cell in cells {
        let value = value(cell);
        match all.last_mut() {
            Some(last) if fold && last.2 == value => last.1 = cell + 1,
            _ => all.push((cell, cell + 1, value)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x`, an array of so many elements, and the location of a process.
    fn program(elements: u32) -> Program {
        let mut p = Program::new("t");
        p.declare("x", Type::BYTE, None, None);
        p.declare("a", Type::BYTE, Some(elements), None);
        let process = p.declare_process("P", &["start", "end"]);
        p.declare("P.y", Type::BYTE, None, Some(process));
        p
    }

    fn first(p: &Program, state: &[i64], detail: Detail) -> Vec<String> {
        StateText::new(p, &[], detail).first(state)
    }

    #[test]
    fn a_first_state_is_laid_out_by_process() {
        let p = program(3);
        let mut state = vec![0; p.cells()];
        assert_eq!(
            first(&p, &state, Detail::Folded),
            ["P  at start", "all else is 0"]
        );
        state[0] = 7;
        state[2] = 8;
        state[5] = 9;
        assert_eq!(
            first(&p, &state, Detail::Folded),
            ["x = 7, a[1] = 8", "P  at start, y = 9", "all else is 0"]
        );
        assert_eq!(
            first(&p, &state, Detail::Full),
            ["x = 7, a[0] = 0, a[1] = 8, a[2] = 0", "P  at start, y = 9"]
        );
    }

    #[test]
    fn equal_elements_are_one_entry() {
        let p = program(100);
        let text = StateText::new(&p, &[], Detail::Folded);
        let mut state = vec![0; p.cells()];
        state[8..=20].fill(5);
        assert_eq!(text.first(&state)[0], "a[7..19] = 5");
        let mut next = state.clone();
        next[1..=40].fill(9);
        next[50] = 1;
        assert_eq!(
            text.changes(&state, &next).join(", "),
            "a[0..39] = 9, a[49] = 1"
        );
        // Zeros are news in a step.
        assert_eq!(
            text.changes(&next, &state).join(", "),
            "a[0..6] = 0, a[7..19] = 5, a[20..39] = 0, a[49] = 0"
        );
    }

    #[test]
    fn what_does_not_exist_is_told_apart_from_what_has_ended() {
        let mut p = Program::new("t");
        p.declare_process("W[1]", &[ABSENT, "line 2", "end", "at its end"]);
        let register = p.declare("_exclusive", Type::BYTE, None, None);
        p.atomic = Some(register);
        assert_eq!(first(&p, &[0, 0], Detail::Folded), [""; 0]);
        assert_eq!(first(&p, &[0, 0], Detail::Full), ["W[1]  at not running"]);
        let text = StateText::new(&p, &[], Detail::Folded);
        assert_eq!(text.changes(&[0, 0], &[1, 1]), ["W[1] = line 2"]);
        assert_eq!(text.changes(&[1, 0], &[2, 1]), ["W[1] = end"]);
        assert_eq!(text.changes(&[3, 0], &[0, 0]), ["W[1] = terminated"]);
    }
}
