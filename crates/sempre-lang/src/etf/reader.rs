//! ETF to programs.
//!
//! A `trans` section becomes one action for each combination of edge labels and of cells that matter in
//! it; so all actions are tables, and their names are the edges' labels. Cells without values of their
//! own get the least range that holds every number the file mentions for them.
//!
//! Cost: linear in the text but for sorting the rows. Every number is checked against its sort.

use super::model::{EtfModel, StateLabel};
use super::sections::{Declaration, File, Line, MAX_ERRORS, Word};
use crate::source_lines::{MOST_PAIRS, RunStep};
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Span};
use sempre_model::ir::{Action, Behaviour, Program, Table, Type, VariableId};
use std::collections::BTreeMap;

/// Reads a model.
pub fn read_etf(text: &str) -> Result<EtfModel, Vec<Diagnostic>> {
    let mut file = File::default();
    file.read(text);
    if file.errors.is_empty() {
        return Builder::new(&file).build();
    }
    Err(file.errors)
}

/// The rows that have the steps of a run: the first for each step.
pub(crate) fn lines_of_steps(
    text: &str,
    program: &Program,
    steps: &[RunStep<'_>],
) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); steps.len()];
    let mut file = File::default();
    file.read(text);
    let Some(edge) = file.edge.clone().filter(|_| file.errors.is_empty()) else {
        return found;
    };
    // Steps that are equal have equal lines.
    let mut different: FxHashMap<RunStep<'_>, Vec<usize>> = FxHashMap::default();
    for (i, &step) in steps.iter().enumerate() {
        different.entry(step).or_default().push(i);
    }
    let rows: usize = file.trans.iter().map(Vec::len).sum();
    if rows.saturating_mul(different.len()) > MOST_PAIRS {
        return found;
    }
    let mut builder = Builder::new(&file);
    let cells = builder.greatest.len();
    for row in file
        .trans
        .iter()
        .flatten()
        .filter(|row| row.len() == cells + edge.len())
    {
        let columns: Vec<Option<Column>> = (0..cells).map(|i| builder.column(i, &row[i])).collect();
        let mut labels = Vec::new();
        for (declaration, word) in edge.iter().zip(&row[cells..]) {
            if declaration.name.as_deref() != Some("marks") {
                labels.push(builder.label_value(declaration, word).0);
            }
        }
        let name = labels.join(" ");
        let fits = |step: &RunStep<'_>| {
            let mut columns = columns.iter().enumerate();
            columns.all(|(i, column)| match column {
                Some(Column::Step(a, b)) => step.before[i] == *a && step.after[i] == *b,
                Some(Column::Star) => step.before[i] == step.after[i],
                None => false,
            }) && (labels.is_empty() || program.actions[step.action as usize].name == name)
        };
        let known = different.iter().filter(|(step, _)| fits(step));
        let known: Vec<RunStep<'_>> = known.map(|(&step, _)| step).collect();
        let start = row.first().map_or(0, |word| word.place.start);
        for step in known {
            let line = text[..start].matches('\n').count() + 1;
            for i in different.remove(&step).unwrap_or_default() {
                found[i] = vec![line];
            }
        }
    }
    found
}

/// The values of a sort.
#[derive(Default)]
struct Sort {
    /// As texts; none if numbers stand for themselves.
    values: Vec<String>,
    /// As integers, if all are.
    integers: Option<Vec<i64>>,
}

/// What one column of a row says.
#[derive(Clone, Copy)]
enum Column {
    Star,
    Step(i64, i64),
}

/// Rows with the same labels and the same columns that matter.
type Groups = BTreeMap<(Vec<String>, Vec<u32>), Vec<(Vec<i64>, Vec<i64>, u64)>>;

struct Builder<'f, 't> {
    file: &'f File<'t>,
    sorts: FxHashMap<String, Sort>,
    /// The greatest number of each cell.
    greatest: Vec<i64>,
    errors: Vec<Diagnostic>,
}

impl<'f, 't> Builder<'f, 't> {
    fn new(file: &'f File<'t>) -> Self {
        let mut sorts: FxHashMap<String, Sort> = FxHashMap::default();
        let mut errors = Vec::new();
        for (name, words) in &file.sorts {
            let mut values = Vec::new();
            for word in words {
                match word.value() {
                    Some(value) => values.push(value),
                    None if errors.len() < MAX_ERRORS => {
                        errors.push(Diagnostic::error(word.place, "this is not a value"));
                    }
                    None => {}
                }
            }
            let integers: Option<Vec<i64>> = values.iter().map(|v| v.parse().ok()).collect();
            let name = name.value().unwrap_or_default().replace('\\', "");
            sorts.insert(name, Sort { values, integers });
        }
        let cells = file.state.as_ref().map_or(0, Vec::len);
        Self {
            file,
            sorts,
            greatest: vec![0; cells],
            errors,
        }
    }

    /// Notes a complaint, unless there are enough: a single line can be wrong in millions of places.
    fn error(&mut self, place: Span, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(Diagnostic::error(place, message));
        }
    }

    fn sort(&self, declaration: &Declaration<'_>) -> Option<&Sort> {
        let sort = self.sorts.get(declaration.sort.as_ref()?)?;
        (!sort.values.is_empty()).then_some(sort)
    }

    /// What a number in a column stands for in the cell.
    fn cell(&mut self, column: usize, word: &str, place: Span) -> Option<i64> {
        sempre_base::checkpoint();
        let number = match word.bytes().all(|b| b.is_ascii_digit()) {
            true => word.parse::<i64>().ok(),
            false => None,
        };
        let Some(number) = number else {
            let message = format!("expected a number, found `{word}`");
            self.error(place, message);
            return None;
        };
        let declaration = &self.file.state.as_ref()?[column];
        if let Some(sort) = self.sort(declaration) {
            let index = usize::try_from(number)
                .ok()
                .filter(|&i| i < sort.values.len());
            let Some(index) = index else {
                let message = format!(
                    "{number} is no value of this sort, which has {}",
                    sort.values.len()
                );
                self.error(place, message);
                return None;
            };
            return Some(sort.integers.as_ref().map_or(number, |i| i[index]));
        }
        self.greatest[column] = self.greatest[column].max(number);
        Some(number)
    }

    /// What a label's word stands for: its text, and its number.
    fn label_value(&mut self, declaration: &Declaration<'_>, word: &Word<'_>) -> (String, i64) {
        let sort = self.sort(declaration);
        if let Some(number) = word.number() {
            let Some(sort) = sort else {
                return (number.to_string(), number);
            };
            if let Some(value) = usize::try_from(number)
                .ok()
                .and_then(|i| sort.values.get(i))
            {
                return (value.clone(), number);
            }
            let message = format!(
                "{number} is no value of this sort, which has {}",
                sort.values.len()
            );
            self.error(word.place, message);
            return (String::new(), 0);
        }
        let Some(value) = word.value() else {
            self.error(word.place, "this is not a value");
            return (String::new(), 0);
        };
        let number = sort.and_then(|s| s.values.iter().position(|v| *v == value));
        match number {
            Some(number) => (value, number as i64),
            None => (value, -1),
        }
    }

    fn build(mut self) -> Result<EtfModel, Vec<Diagnostic>> {
        let file = self.file;
        let (Some(state), Some(edge), Some(init)) = (&file.state, &file.edge, &file.init) else {
            return Err(self.errors);
        };
        let initial = self.initial(init);
        let mut program = Program::new("");
        for (number, lines) in file.trans.iter().enumerate() {
            let groups = self.groups(lines, edge);
            for ((labels, reads), rows) in groups {
                sempre_base::checkpoint();
                let used = rows.iter().map(|r| u64::BITS - r.2.leading_zeros());
                program.marks = program.marks.max(used.max().unwrap_or(0));
                program.actions.push(action(number, &labels, reads, rows));
            }
            if self.errors.len() >= MAX_ERRORS {
                break;
            }
        }
        if let Some(marks) = edge.iter().find_map(declared_marks) {
            program.marks = marks;
        }
        let labels = self.labels();
        let mut variables = FxHashMap::default();
        let names: FxHashSet<&str> = state.iter().filter_map(|d| d.name.as_deref()).collect();
        for (i, declaration) in state.iter().enumerate() {
            sempre_base::checkpoint();
            let name = match &declaration.name {
                Some(name) => name.clone(),
                // A name that no other cell has.
                None => (0..)
                    .map(|k| format!("x{i}{}", "'".repeat(k)))
                    .find(|name| !names.contains(name.as_str()))
                    .unwrap_or_default(),
            };
            let ty = match self.sort(declaration) {
                None => Type::Range {
                    min: 0,
                    max: self.greatest[i],
                },
                Some(Sort {
                    integers: Some(integers),
                    ..
                }) => Type::Range {
                    min: integers.iter().copied().min().unwrap_or(0),
                    max: integers.iter().copied().max().unwrap_or(0),
                },
                Some(sort) => Type::Enum {
                    names: sort.values.clone(),
                },
            };
            let id = program.declare(&name, ty, None, None);
            variables.entry(name).or_insert(id);
        }
        program.initial = initial;
        match self.errors.is_empty() {
            true => Ok(EtfModel {
                program,
                labels,
                variables,
            }),
            false => {
                self.errors.sort_by_key(|e| e.span);
                Err(self.errors)
            }
        }
    }

    fn initial(&mut self, lines: &[Line<'t>]) -> Vec<Vec<i64>> {
        let cells = self.greatest.len();
        let mut all = Vec::new();
        let mut seen: FxHashSet<Vec<i64>> = FxHashSet::default();
        // A vector may be spread over lines, as it was before lines meant anything.
        let words: Vec<&Word<'_>> = lines.iter().flatten().collect();
        let short = cells == 0 || !words.len().is_multiple_of(cells) || words.is_empty();
        if short && !(cells == 0 && words.is_empty()) {
            let end = Span::new(self.file.end, self.file.end);
            let place = words.last().map_or(end, |w| w.place);
            let message = format!(
                "expected {cells} numbers for a state, found {}",
                words.len()
            );
            self.error(place, message);
            return all;
        }
        if cells == 0 {
            return vec![Vec::new()];
        }
        for state in words.chunks(cells) {
            let values: Vec<i64> = state
                .iter()
                .enumerate()
                .filter_map(|(i, w)| self.cell(i, w.text, w.place))
                .collect();
            if values.len() == cells && seen.insert(values.clone()) {
                all.push(values);
            }
        }
        all
    }

    fn wrong_length(&mut self, line: &Line<'t>, expected: &str) {
        let place = line[0].place.to(line[line.len() - 1].place);
        let message = format!("expected {expected}, found {} words", line.len());
        self.error(place, message);
    }

    fn groups(&mut self, lines: &[Line<'t>], edge: &[Declaration<'t>]) -> Groups {
        let cells = self.greatest.len();
        let mut groups = Groups::new();
        for line in lines {
            if self.errors.len() >= MAX_ERRORS {
                break;
            }
            if line.len() != cells + edge.len() {
                let expected = format!("{cells} cells and {} edge labels", edge.len());
                self.wrong_length(line, &expected);
                continue;
            }
            let (mut reads, mut from, mut to) = (Vec::new(), Vec::new(), Vec::new());
            for (i, word) in line[..cells].iter().enumerate() {
                match self.column(i, word) {
                    Some(Column::Step(a, b)) => {
                        reads.push(i as u32);
                        from.push(a);
                        to.push(b);
                    }
                    Some(Column::Star) | None => {}
                }
            }
            let mut marks = 0;
            let mut labels = Vec::new();
            for (declaration, word) in edge.iter().zip(&line[cells..]) {
                sempre_base::checkpoint();
                let (text, number) = self.label_value(declaration, word);
                match declaration.name.as_deref() == Some("marks") {
                    true if number < 0 => self.error(word.place, "expected marks as a number"),
                    true => {
                        marks = number as u64;
                        if let Some(n) = declared_marks(declaration)
                            && marks.checked_shr(n).unwrap_or(0) != 0
                        {
                            self.error(word.place, format!("there are only {n} marks"));
                        }
                    }
                    false => labels.push(text),
                }
            }
            let group = groups.entry((labels, reads)).or_default();
            group.push((from, to, marks));
        }
        groups
    }

    fn column(&mut self, column: usize, word: &Word<'t>) -> Option<Column> {
        sempre_base::checkpoint();
        if word.text == "*" {
            return Some(Column::Star);
        }
        let Some((from, to)) = word.text.split_once('/') else {
            let message = format!("expected `in/out` or `*`, found `{}`", word.text);
            self.error(word.place, message);
            return None;
        };
        let from = self.cell(column, from, word.place)?;
        let to = self.cell(column, to, word.place)?;
        Some(Column::Step(from, to))
    }

    fn labels(&mut self) -> Vec<StateLabel> {
        let cells = self.greatest.len();
        let mut all = Vec::new();
        for (declaration, lines) in &self.file.maps {
            let mut groups: BTreeMap<Vec<VariableId>, Vec<(Vec<i64>, i64)>> = BTreeMap::new();
            // Values that the sort does not list are numbered as they come.
            let mut values = self
                .sort(declaration)
                .map_or(Vec::new(), |s| s.values.clone());
            for line in lines {
                if self.errors.len() >= MAX_ERRORS {
                    break;
                }
                if line.len() != cells + 1 {
                    self.wrong_length(line, &format!("{cells} cells and a value"));
                    continue;
                }
                let (mut reads, mut row) = (Vec::new(), Vec::new());
                for (i, word) in line[..cells].iter().enumerate() {
                    if word.text != "*"
                        && let Some(value) = self.cell(i, word.text, word.place)
                    {
                        reads.push(VariableId(i as u32));
                        row.push(value);
                    }
                }
                let (text, mut number) = self.label_value(declaration, &line[cells]);
                if number < 0 {
                    let known = values.iter().position(|v| *v == text);
                    number = known.unwrap_or_else(|| {
                        values.push(text);
                        values.len() - 1
                    }) as i64;
                }
                groups.entry(reads).or_default().push((row, number));
            }
            all.push(StateLabel {
                name: declaration
                    .name
                    .clone()
                    .unwrap_or_else(|| declaration.word.text.to_string()),
                values,
                rows: groups.into_iter().collect(),
            });
        }
        all
    }
}

/// How many acceptance marks there are, if this declares it.
fn declared_marks(declaration: &Declaration<'_>) -> Option<u32> {
    let is_marks = declaration.name.as_deref() == Some("marks");
    let number = declaration.sort.as_deref().filter(|_| is_marks)?;
    number.parse().ok().filter(|&n| n <= u64::BITS)
}

fn action(
    number: usize,
    labels: &[String],
    reads: Vec<u32>,
    mut rows: Vec<(Vec<i64>, Vec<i64>, u64)>,
) -> Action {
    rows.sort_unstable();
    rows.dedup();
    let name = match labels.is_empty() {
        true => format!("group {number}"),
        false => labels.join(" "),
    };
    // A cell that no row changes is only read.
    let changed: Vec<usize> = (0..reads.len())
        .filter(|&i| rows.iter().any(|(from, to, _)| from[i] != to[i]))
        .collect();
    let marks = match rows.iter().any(|r| r.2 != 0) {
        true => rows.iter().map(|r| r.2).collect(),
        false => Vec::new(),
    };
    let writes = changed.iter().map(|&i| reads[i]).collect();
    let written = |to: Vec<i64>| changed.iter().map(|&i| to[i]).collect();
    Action {
        name,
        processes: Vec::new(),
        class: 0,
        behaviour: Behaviour::Table(Table {
            reads,
            writes,
            rows: rows
                .into_iter()
                .map(|(from, to, _)| (from, written(to)))
                .collect(),
            marks,
        }),
    }
}
