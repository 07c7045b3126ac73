//! Programs to ETF.
//!
//! The rows of an action are what its steps look like in the reachable states, seen through the cells
//! that matter to it: what its guard and effect read and what its effect may write ([`Footprint`]); for an
//! action that others can prevent, also what their guards read: those of higher classes, and, if the
//! program has an exclusive register, the register and those of its own class. Whether and how the action
//! steps depends on these cells alone, so a row holds in every state it matches, and reading the text back
//! gives the same reachable states and the same number of steps from each of them.
//!
//! The search is a plain one on the interpreter: an export is bounded by the size of its text, not by the
//! speed of the search. Rows are sorted, so equal programs have equal texts.
//!
//! An erroneous step has no place in a table, so a program that can fail is refused.

use rustc_hash::{FxHashMap, FxHashSet};
use sempre_model::footprint::{Footprint, footprints, reads_of};
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::{Expr, Program, StepError, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

/// Why a program cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// It has more states than allowed.
    TooManyStates(usize),
    /// An erroneous step is reachable: the name of the action, and what is wrong, in words.
    ErroneousStep(String, String),
    /// A state label cannot be evaluated in a reachable state: its name, and what is wrong.
    ErroneousLabel(String, String),
    /// Its processes go on alone, through states that are none of the system.
    Atomic,
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyStates(limit) => write!(f, "the model has more than {limit} states"),
            Self::Atomic => f.write_str("a table cannot say what a process does in an atomic step"),
            Self::ErroneousStep(action, why) => {
                write!(f, "a table cannot say that a step fails: {action}: {why}")
            }
            Self::ErroneousLabel(label, why) => {
                write!(
                    f,
                    "the value of {label} cannot be told in every state: {why}"
                )
            }
        }
    }
}

impl std::error::Error for ExportError {}

/// Rows: values before, values after, marks.
type Rows = BTreeSet<(Vec<i64>, Vec<i64>, u64)>;

/// What was learned of an action.
struct Learned {
    /// The cells that matter.
    cells: Vec<u32>,
    /// Usually one set. A state may have several equal steps; then the second goes into the second set.
    sections: Vec<Rows>,
}

/// The program as ETF, with these state labels, if it has at most `limit` reachable states.
///
/// # Errors
/// See [`ExportError`].
pub fn write_etf(
    program: &Program,
    labels: &[(String, Expr)],
    limit: usize,
) -> Result<String, ExportError> {
    if program.atomic.is_some() {
        return Err(ExportError::Atomic);
    }
    let mut export = Export::new(program, labels);
    export.explore(labels, limit)?;
    Ok(export.text(labels))
}

/// The cells that a label reads, and its values.
type LabelRows = (Vec<u32>, BTreeMap<Vec<i64>, i64>);

struct Export<'p> {
    program: &'p Program,
    actions: Vec<Learned>,
    labels: Vec<LabelRows>,
    /// The least and greatest value of each cell.
    ranges: Vec<(i64, i64)>,
}

impl<'p> Export<'p> {
    fn new(program: &'p Program, labels: &[(String, Expr)]) -> Self {
        let footprints = footprints(program);
        let actions = (0..program.actions.len())
            .map(|a| Learned {
                cells: relevant_cells(program, &footprints, a),
                sections: vec![Rows::new()],
            })
            .collect();
        let labels = labels
            .iter()
            .map(|(_, expr)| (reads_of(program, expr), BTreeMap::new()))
            .collect();
        Self {
            program,
            actions,
            labels,
            ranges: vec![(i64::MAX, i64::MIN); program.cells()],
        }
    }

    fn explore(&mut self, labels: &[(String, Expr)], limit: usize) -> Result<(), ExportError> {
        let interpreter = Interpreter::new(self.program);
        let mut seen: FxHashSet<Vec<i64>> = FxHashSet::default();
        let mut todo: Vec<Vec<i64>> = Vec::new();
        for state in &self.program.initial {
            if seen.insert(state.clone()) {
                todo.push(state.clone());
            }
        }
        let words = |e: StepError| e.show(self.program).to_string();
        while let Some(state) = todo.pop() {
            sempre_base::stop::checkpoint_now();
            if seen.len() > limit {
                return Err(ExportError::TooManyStates(limit));
            }
            for (range, &value) in self.ranges.iter_mut().zip(&state) {
                *range = (range.0.min(value), range.1.max(value));
            }
            for ((cells, rows), (name, expr)) in self.labels.iter_mut().zip(labels) {
                let value = interpreter.value(expr, &state);
                let value =
                    value.map_err(|e| ExportError::ErroneousLabel(name.clone(), words(e)))?;
                rows.insert(project(&state, cells), i64::from(value != 0));
            }
            let mut copies: FxHashMap<(u32, u64, Vec<i64>), usize> = FxHashMap::default();
            for (step, next) in interpreter.steps(&state) {
                let action = step.action as usize;
                let next = next.map_err(|e| {
                    let name = self.program.actions[action].name.clone();
                    ExportError::ErroneousStep(name, words(e))
                })?;
                let learned = &mut self.actions[action];
                let from = project(&state, &learned.cells);
                let to = project(&next, &learned.cells);
                let copy = copies
                    .entry((step.action, step.marks, to.clone()))
                    .or_default();
                if learned.sections.len() <= *copy {
                    learned.sections.push(Rows::new());
                }
                learned.sections[*copy].insert((from, to, step.marks));
                *copy += 1;
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        Ok(())
    }

    /// The values of each cell that is ever negative.
    fn signed_values(&self) -> Vec<BTreeSet<i64>> {
        let mut values = vec![BTreeSet::new(); self.ranges.len()];
        let mut insert = |cell: usize, value: i64| {
            if self.ranges[cell].0 < 0 {
                values[cell].insert(value);
            }
        };
        for state in &self.program.initial {
            state.iter().enumerate().for_each(|(c, &v)| insert(c, v));
        }
        for learned in &self.actions {
            for (_, to, _) in learned.sections.iter().flatten() {
                sempre_base::checkpoint();
                for (&cell, &value) in learned.cells.iter().zip(to) {
                    insert(cell as usize, value);
                }
            }
        }
        values
    }

    fn text(&self, labels: &[(String, Expr)]) -> String {
        let program = self.program;
        let cells = program.cells();
        let sorts = Sorts::new(program, self.signed_values());
        let mut out = String::from("begin state\n");
        let declared: Vec<String> = (0..cells)
            .map(|c| {
                let name = escaped(&program.cell_name(c as u32));
                format!("{name}:{}", escaped(&sorts.names[c]))
            })
            .collect();
        let _ = writeln!(out, "{}\nend state", declared.join(" "));

        out.push_str("begin edge\naction:action");
        let has_marks = program.marks > 0;
        if has_marks {
            let _ = write!(out, " marks:{}", program.marks);
        }
        out.push_str("\nend edge\nbegin init\n");
        for state in &program.initial {
            let numbers: Vec<String> = (0..cells).map(|c| sorts.number(c, state[c])).collect();
            let _ = writeln!(out, "{}", numbers.join(" "));
        }
        out.push_str("end init\n");

        let (names, numbers) = numbered(program.actions.iter().map(|a| a.name.as_str()));
        for (learned, number) in self.actions.iter().zip(numbers) {
            for rows in &learned.sections {
                out.push_str("begin trans\n");
                for (from, to, marks) in rows {
                    sempre_base::checkpoint();
                    let mut columns = vec!["*".to_string(); cells];
                    for (i, &cell) in learned.cells.iter().enumerate() {
                        let c = cell as usize;
                        let (a, b) = (sorts.number(c, from[i]), sorts.number(c, to[i]));
                        columns[c] = format!("{a}/{b}");
                    }
                    columns.push(number.to_string());
                    if has_marks {
                        columns.push(marks.to_string());
                    }
                    let _ = writeln!(out, "{}", columns.join(" "));
                }
                out.push_str("end trans\n");
            }
        }
        for ((name, _), (reads, rows)) in labels.iter().zip(&self.labels) {
            let _ = writeln!(out, "begin map {}:bool", escaped(name));
            for (row, value) in rows {
                let mut columns = vec!["*".to_string(); cells];
                for (&cell, &v) in reads.iter().zip(row) {
                    columns[cell as usize] = sorts.number(cell as usize, v);
                }
                let _ = writeln!(out, "{} {value}", columns.join(" "));
            }
            out.push_str("end map\n");
        }
        for (name, values) in &sorts.sections {
            write_sort(&mut out, name, values.iter().map(String::as_str));
        }
        write_sort(&mut out, "action", names.into_iter());
        if !labels.is_empty() {
            write_sort(&mut out, "bool", ["false", "true"].into_iter());
        }
        out
    }
}

fn project(state: &[i64], cells: &[u32]) -> Vec<i64> {
    cells.iter().map(|&c| state[c as usize]).collect()
}

/// See the module's documentation.
fn relevant_cells(program: &Program, footprints: &[Footprint], action: usize) -> Vec<u32> {
    let own = &footprints[action];
    let mut cells: BTreeSet<u32> = own.reads.iter().chain(&own.may_write).copied().collect();
    cells.extend(&own.guard);
    let class = program.actions[action].class;
    for (other, footprint) in program.actions.iter().zip(footprints) {
        let prevents = other.class > class || program.exclusive.is_some() && other.class == class;
        if prevents {
            cells.extend(&footprint.guard);
        }
    }
    if let Some(register) = program.exclusive {
        cells.insert(program.variable(register).first);
    }
    cells.into_iter().collect()
}

/// Each text once, in order of appearance, and the number of each text given.
fn numbered<'a>(texts: impl Iterator<Item = &'a str>) -> (Vec<&'a str>, Vec<usize>) {
    let mut known: FxHashMap<&str, usize> = FxHashMap::default();
    let mut names = Vec::new();
    let numbers = texts
        .map(|text| {
            *known.entry(text).or_insert_with(|| {
                names.push(text);
                names.len() - 1
            })
        })
        .collect();
    (names, numbers)
}

/// How the values of cells are written.
struct Sorts {
    /// The sort of each cell.
    names: Vec<String>,
    /// The integers of each cell in the order of their numbers; none if they are their own numbers.
    integers: Vec<Vec<i64>>,
    /// The sorts with their values, `int` without.
    sections: Vec<(String, Vec<String>)>,
}

impl Sorts {
    fn new(program: &Program, values: Vec<BTreeSet<i64>>) -> Self {
        let mut sorts = Sorts {
            names: Vec::new(),
            integers: Vec::new(),
            sections: vec![("int".to_string(), Vec::new())],
        };
        for (cell, values) in values.into_iter().enumerate() {
            let variable = program.variable(program.variable_of_cell(cell as u32));
            let integers: Vec<i64> = values.into_iter().collect();
            let texts = match &variable.ty {
                Type::Enum { names } => names.clone(),
                _ => integers.iter().map(i64::to_string).collect(),
            };
            sorts.integers.push(integers);
            let name = sorts.section(&variable.name, texts);
            sorts.names.push(name);
        }
        sorts
    }

    /// The name of a sort with these values.
    fn section(&mut self, wanted: &str, values: Vec<String>) -> String {
        if let Some((name, _)) = self.sections.iter().find(|(_, v)| *v == values) {
            return name.clone();
        }
        let reserved = ["action", "marks", "bool", "_", ""];
        let mut name = wanted.to_string();
        while reserved.contains(&name.as_str()) || self.sections.iter().any(|(n, _)| *n == name) {
            name.push('\'');
        }
        self.sections.push((name.clone(), values));
        name
    }

    fn number(&self, cell: usize, value: i64) -> String {
        match self.integers[cell].binary_search(&value) {
            Ok(number) => number.to_string(),
            Err(_) => value.to_string(),
        }
    }
}

fn write_sort<'a>(out: &mut String, name: &str, values: impl Iterator<Item = &'a str>) {
    let _ = writeln!(out, "begin sort {}", escaped(name));
    for value in values {
        let plain = |c: char| c == ' ' || c != '"' && !c.is_whitespace() && !c.is_control();
        if value.chars().all(plain) {
            let _ = writeln!(out, "\"{value}\"");
        } else {
            let digits: String = value.bytes().map(|b| format!("{b:02x}")).collect();
            let _ = writeln!(out, "#{digits}#");
        }
    }
    out.push_str("end sort\n");
}

/// A name with a backslash before each character that is no letter, digit or `_`, as LTSmin has it. White
/// space would end a word, backslash or not, and becomes `_`.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_whitespace() || c.is_control() {
            out.push('_');
        } else {
            if !c.is_alphanumeric() && c != '_' {
                out.push('\\');
            }
            out.push(c);
        }
    }
    if out.starts_with('"') {
        out.insert(0, '\\');
    }
    out
}
