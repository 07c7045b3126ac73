//! Parts of actions: relations over a few cells, learned where they are needed.
//!
//! A part is a condition, or a piece of an effect, over the cells that it reads and writes. What it does is asked of the
//! interpreter for each combination of values that occurs in a set of states, once: no domain must be known before. A row
//! where the interpreter fails is kept apart, since a failure must be reported if the whole action can come to it, and
//! only then.
//!
//! Which combinations occur together must be found out by projections of the sets, and that again and again. So where the values that
//! have occurred in each cell alone have few combinations, all of these are asked about: then a part need be looked at again only
//! when a cell takes a value for the first time.
//!
//! What reads one cell alone is always asked about all of its values that have occurred. Where these have been many and count up or down,
//! as tokens of a place do, it is asked about as many again that come next: to join a relation with others takes as long as it has
//! rows, and a row at a time that would be quadratic.
//!
//! A cell that is written but not read has [`COPY`] in the rows that leave it alone, as `a[i] := 0` leaves all elements but one.

use crate::dd::forest::{EMPTY, Forest, Kept, Node, UNIT};
use crate::dd::shape::{COPY, Mode, Shape};
use crate::dd::unique_table::Stop;
use rustc_hash::FxHashMap;
use sempre_model::ir::{Behaviour, Expr, Program, Stmt, Table, VariableId};
use sempre_model::{Action, Footprint, Interpreter};

/// Parts whose cells have more combinations of values are asked about those that occur together, and no others.
const FEW: usize = 1000;
/// A part that was asked about fewer values of a cell is not asked about those that come next.
const MANY: usize = 64;

/// What a part says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// All conditions hold.
    Condition(Vec<Expr>),
    /// An action of a higher class is not enabled, or one of the process that the exclusive register names.
    Disabled(Rival),
    /// All conditions hold, none of which can fail, and the statements have been run.
    Effect(Vec<Expr>, Vec<Stmt>),
    /// The rows are all known.
    Rows(Table),
}

/// An action that keeps others from being taken while it is enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rival {
    /// If the register has this value; always if there is none.
    pub register: Option<(VariableId, i64)>,
    /// When it is enabled.
    pub behaviour: Behaviour,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub meaning: Meaning,
    /// The cells and what is done to them, in the order of levels.
    pub cells: Vec<(u32, Mode)>,
    /// What was asked: values of the cells that are read.
    learned: Kept,
    /// The answers.
    pub relation: Kept,
    /// Where the interpreter failed.
    pub failed: Kept,
    /// Goes up when rows are learned.
    pub version: u32,
    /// How many values of the cells that are read had occurred when all their combinations were learned, if they were.
    occurred: Option<usize>,
    /// There are more than a few combinations.
    is_wide: bool,
    /// Of a part that reads one cell: how many of the values that have occurred were looked at, and which values it was asked about then.
    looked_at: usize,
    asked: Vec<bool>,
}

impl Part {
    /// A part about which nothing is known yet. `levels` are those of cells.
    pub fn new(forest: &mut Forest, program: &Program, meaning: Meaning, levels: &[u32]) -> Self {
        let footprint = footprint(program, &meaning);
        let mut cells: Vec<(u32, Mode)> = Vec::new();
        for &cell in &footprint.reads {
            let written = footprint.may_write.contains(&cell);
            cells.push((cell, if written { Mode::ReadWrite } else { Mode::Read }));
        }
        for &cell in &footprint.may_write {
            if !footprint.reads.contains(&cell) {
                cells.push((cell, Mode::Write));
            }
        }
        cells.sort_by_key(|&(cell, _)| levels[cell as usize]);
        Self {
            meaning,
            cells,
            learned: forest.keep(EMPTY),
            relation: forest.keep(EMPTY),
            failed: forest.keep(EMPTY),
            version: 0,
            occurred: None,
            is_wide: false,
            looked_at: 0,
            asked: Vec::new(),
        }
    }

    /// Does the part write anything?
    pub fn writes(&self) -> bool {
        self.cells.iter().any(|&(_, m)| m > Mode::Read)
    }

    /// The modes of levels from `top` on, one for each until the last cell.
    pub fn modes(&self, levels: &[u32], top: u32) -> Vec<Mode> {
        spread(self.cells.iter().copied(), levels, top)
    }

    /// The modes of what it reads alone.
    pub fn read_modes(&self, levels: &[u32], top: u32) -> Vec<Mode> {
        let reads = self.cells.iter().filter(|(_, m)| *m != Mode::Write);
        spread(reads.map(|&(c, _)| (c, Mode::Read)), levels, top)
    }

    /// Are all rows known?
    pub fn is_complete(&self) -> bool {
        self.version > 0 && matches!(self.meaning, Meaning::Rows(_))
    }

    /// Learns the rows for all combinations of the values that have occurred in the cells that are read, if these are few.
    /// Says whether they are.
    pub fn learn_all(
        &mut self,
        forest: &mut Forest,
        learner: &mut Learner<'_>,
    ) -> Result<bool, Stop> {
        if self.is_wide {
            return Ok(false);
        }
        if self.is_complete() {
            return Ok(true);
        }
        let reads = || self.cells.iter().filter(|(_, m)| *m != Mode::Write);
        if reads().count() == 1
            && let Some(&(cell, _)) = reads().next()
        {
            self.learn_next(forest, learner, cell)?;
            return Ok(true);
        }
        let counts = || reads().map(|&(cell, _)| learner.values.in_turn[cell as usize].len());
        let occurred = counts().sum();
        if self.occurred == Some(occurred) {
            return Ok(true);
        }
        let combinations = counts().try_fold(1usize, |all, n| all.checked_mul(n));
        if combinations.is_none_or(|n| n > FEW) {
            self.is_wide = true;
            return Ok(false);
        }
        let base = forest.stack.len();
        let mut all = UNIT;
        for &(cell, _) in reads().rev() {
            let mut list = EMPTY;
            for number in learner.values.occurred(cell) {
                list = forest.make(number, all, list)?;
            }
            all = list;
            forest.stack.truncate(base);
            forest.push(all);
        }
        self.occurred = Some(occurred);
        self.learn_rows(forest, learner, all)?;
        forest.stack.truncate(base);
        Ok(true)
    }

    /// Learns the rows for all values that have occurred in the one cell that is read, and for some that may be next.
    fn learn_next(
        &mut self,
        forest: &mut Forest,
        learner: &mut Learner<'_>,
        cell: u32,
    ) -> Result<(), Stop> {
        let occurred = &learner.values.in_turn[cell as usize];
        if self.looked_at == occurred.len() {
            return Ok(());
        }
        let first = self.looked_at;
        self.looked_at = occurred.len();
        let mut vectors: Vec<Vec<u32>> = Vec::new();
        for i in first..self.looked_at {
            let number = learner.values.in_turn[cell as usize][i];
            if self.is_new(number) {
                vectors.push(vec![number]);
            }
        }
        let Some(last) = vectors.last() else {
            return Ok(());
        };
        if self.looked_at >= MANY {
            let last = learner.values.value(cell, last[0]);
            let before = learner.values.known_number(cell, last.wrapping_sub(1));
            let by = match before.is_some_and(|n| self.was_asked(n)) {
                true => 1,
                false => -1,
            };
            for i in 1..=self.looked_at as i64 {
                let value = last.checked_add(by * i);
                let Some(value) = value.filter(|&v| learner.takes(cell, v)) else {
                    break;
                };
                let next = vec![learner.values.number(cell, value)];
                // What fails there is nobody's fault yet.
                let answer = learner.row(&self.meaning, &self.cells, &next);
                if matches!(answer, Answer::Failed) || !self.is_new(next[0]) {
                    break;
                }
                vectors.push(next);
            }
        }
        let set = forest.set_of(&mut vectors)?;
        self.learn_rows(forest, learner, set)?;
        Ok(())
    }

    /// Was it asked about a value of the one cell that is read?
    fn was_asked(&self, number: u32) -> bool {
        self.asked.get((COPY - 1 - number) as usize) == Some(&true)
    }

    /// Notes that it is asked about a value; is it the first time?
    fn is_new(&mut self, number: u32) -> bool {
        let index = (COPY - 1 - number) as usize;
        if self.asked.len() <= index {
            self.asked.resize(index + 1, false);
        }
        !std::mem::replace(&mut self.asked[index], true)
    }

    /// Learns the rows for all values that `set` has in the cells that are read, which are at the levels of `shape`.
    /// Says whether anything was new.
    pub fn learn(
        &mut self,
        forest: &mut Forest,
        learner: &mut Learner<'_>,
        set: Node,
        shape: Shape,
    ) -> Result<bool, Stop> {
        if self.is_complete() || set == EMPTY {
            return Ok(false);
        }
        let seen = match self.meaning {
            Meaning::Rows(_) => UNIT,
            _ => forest.project_inner(set, shape)?,
        };
        self.learn_rows(forest, learner, seen)
    }

    /// Learns the rows for values of the cells that are read. Says whether anything was new.
    fn learn_rows(
        &mut self,
        forest: &mut Forest,
        learner: &mut Learner<'_>,
        seen: Node,
    ) -> Result<bool, Stop> {
        if let Meaning::Rows(table) = &self.meaning {
            let (rows, failed) = table_rows(&self.cells, table, learner);
            return self.add(forest, rows, failed, UNIT);
        }
        forest.push(seen);
        let new = forest.difference_inner(seen, forest.get(self.learned))?;
        forest.pop();
        if new == EMPTY {
            return Ok(false);
        }
        let (mut rows, mut failed) = (Vec::new(), Vec::new());
        for vector in forest.vectors(new) {
            match learner.row(&self.meaning, &self.cells, &vector) {
                Answer::No => {}
                Answer::Row(row) => rows.push(row),
                Answer::Failed => failed.push(vector),
            }
        }
        self.add(forest, rows, failed, new)
    }

    fn add(
        &mut self,
        forest: &mut Forest,
        mut rows: Vec<Vec<u32>>,
        mut failed: Vec<Vec<u32>>,
        new: Node,
    ) -> Result<bool, Stop> {
        let base = forest.stack.len();
        forest.push(new);
        self.version += 1;
        for (kept, vectors) in [(self.relation, &mut rows), (self.failed, &mut failed)] {
            let added = forest.set_of(vectors)?;
            forest.push(added);
            let all = forest.union_inner(forest.get(kept), added)?;
            forest.set(kept, all);
        }
        // Of a table, nothing is asked.
        if !matches!(self.meaning, Meaning::Rows(_)) {
            let learned = forest.union_inner(forest.get(self.learned), new)?;
            forest.set(self.learned, learned);
        }
        forest.stack.truncate(base);
        Ok(true)
    }
}

/// Modes of cells as modes of levels.
pub(crate) fn spread(
    cells: impl Iterator<Item = (u32, Mode)>,
    levels: &[u32],
    top: u32,
) -> Vec<Mode> {
    let mut modes = Vec::new();
    for (cell, mode) in cells {
        let at = (levels[cell as usize] - top) as usize;
        if modes.len() <= at {
            modes.resize(at + 1, Mode::Skip);
        }
        modes[at] = mode;
    }
    modes
}

/// The cells that a meaning reads and writes.
pub(crate) fn footprint(program: &Program, meaning: &Meaning) -> Footprint {
    let action = |guard: Expr, effect: &[Stmt]| Action {
        name: String::new(),
        processes: Vec::new(),
        class: 0,
        behaviour: Behaviour::Guarded {
            guard,
            effect: effect.to_vec(),
        },
    };
    let all = |conditions: &[Expr]| Expr::all(conditions.iter().cloned());
    let mut result = match meaning {
        Meaning::Condition(conditions) => Footprint::new(program, &action(all(conditions), &[])),
        Meaning::Effect(conditions, effect) => {
            Footprint::new(program, &action(all(conditions), effect))
        }
        Meaning::Rows(table) => {
            let mut action = action(Expr::TRUE, &[]);
            action.behaviour = Behaviour::Table(table.clone());
            Footprint::new(program, &action)
        }
        Meaning::Disabled(rival) => {
            let mut reads = match &rival.behaviour {
                Behaviour::Guarded { guard, .. } => {
                    Footprint::new(program, &action(guard.clone(), &[])).reads
                }
                Behaviour::Table(table) => table.reads.clone(),
            };
            reads.extend(rival.register.map(|(v, _)| program.variable(v).first));
            Footprint {
                reads,
                ..Footprint::default()
            }
        }
    };
    result.reads.sort_unstable();
    result.reads.dedup();
    result
}

/// What the interpreter says of one combination of values.
enum Answer {
    No,
    Row(Vec<u32>),
    Failed,
}

/// The numbers of values, and a state to try things on.
#[derive(Clone, Debug)]
pub(crate) struct Learner<'p> {
    interpreter: Interpreter<'p>,
    state: Vec<i64>,
    written: Vec<u32>,
    pub values: Values,
}

/// The values of each cell, numbered as they are met, downwards: what is new comes first in a list, and shares the rest
/// of it with the list before.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    of: Vec<Vec<i64>>,
    numbers: Vec<FxHashMap<i64, u32>>,
    /// The most that a value of each cell is away from zero.
    largest: Vec<u64>,
    /// Which of the values of a cell have occurred in a state: not all that have a number have.
    has_occurred: Vec<Vec<bool>>,
    /// Their numbers, in the order in which they first occurred.
    in_turn: Vec<Vec<u32>>,
    /// How many, of all cells.
    pub occurrences: usize,
}

impl Values {
    /// None yet, of so many cells.
    pub fn new(cells: usize) -> Self {
        Self {
            of: vec![Vec::new(); cells],
            numbers: vec![FxHashMap::default(); cells],
            largest: vec![0; cells],
            has_occurred: vec![Vec::new(); cells],
            in_turn: vec![Vec::new(); cells],
            occurrences: 0,
        }
    }

    /// The number of a value of a cell.
    pub fn number(&mut self, cell: u32, value: i64) -> u32 {
        let of = &mut self.of[cell as usize];
        let largest = &mut self.largest[cell as usize];
        *self.numbers[cell as usize].entry(value).or_insert_with(|| {
            of.push(value);
            *largest = value.unsigned_abs().max(*largest);
            COPY - of.len() as u32
        })
    }

    /// The number of a value of a cell, if it has one.
    fn known_number(&self, cell: u32, value: i64) -> Option<u32> {
        self.numbers[cell as usize].get(&value).copied()
    }

    /// The value of a cell with this number.
    pub fn value(&self, cell: u32, number: u32) -> i64 {
        self.of[cell as usize][(COPY - 1 - number) as usize]
    }

    /// The most that a value of a cell is away from zero.
    pub fn largest(&self, cell: u32) -> u64 {
        self.largest[cell as usize]
    }

    /// Notes that a value has occurred in a state.
    #[inline]
    pub fn occurs(&mut self, cell: u32, number: u32) {
        let (cell, index) = (cell as usize, (COPY - 1 - number) as usize);
        if self.has_occurred[cell].get(index) != Some(&true) {
            self.occurs_first(cell, index);
        }
    }

    #[cold]
    fn occurs_first(&mut self, cell: usize, index: usize) {
        let known = &mut self.has_occurred[cell];
        if known.len() <= index {
            known.resize(index + 1, false);
        }
        known[index] = true;
        self.in_turn[cell].push(COPY - 1 - index as u32);
        self.occurrences += 1;
    }

    /// The numbers of the values that have occurred in a cell, the greatest first.
    fn occurred(&self, cell: u32) -> impl Iterator<Item = u32> {
        let all = self.has_occurred[cell as usize].iter().enumerate();
        all.filter(|(_, has)| **has)
            .map(|(i, _)| COPY - 1 - i as u32)
    }
}

impl<'p> Learner<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self {
            interpreter: Interpreter::new(program),
            state: program.initial[0].clone(),
            written: Vec::new(),
            values: Values::new(program.cells()),
        }
    }

    /// May a cell have this value?
    fn takes(&self, cell: u32, value: i64) -> bool {
        let program = self.interpreter.program();
        let ty = &program.variable(program.variable_of_cell(cell)).ty;
        ty.store(value) == Some(value)
    }

    /// Whether an expression is true where these cells have these values; not if it has no value there.
    pub fn holds(&mut self, expr: &Expr, cells: &[u32], vector: &[u32]) -> bool {
        for (&cell, &number) in cells.iter().zip(vector) {
            self.state[cell as usize] = self.values.value(cell, number);
        }
        self.interpreter.holds(expr, &self.state).unwrap_or(false)
    }

    /// Whether an expression has a value where these cells have these values.
    pub fn has_value(&mut self, expr: &Expr, cells: &[u32], vector: &[u32]) -> bool {
        for (&cell, &number) in cells.iter().zip(vector) {
            self.state[cell as usize] = self.values.value(cell, number);
        }
        self.interpreter.value(expr, &self.state).is_ok()
    }

    fn row(&mut self, meaning: &Meaning, cells: &[(u32, Mode)], vector: &[u32]) -> Answer {
        let reads = cells.iter().filter(|(_, m)| *m != Mode::Write);
        for (&(cell, _), &number) in reads.zip(vector) {
            self.state[cell as usize] = self.values.value(cell, number);
        }
        let conditions = match meaning {
            Meaning::Condition(conditions) | Meaning::Effect(conditions, _) => conditions,
            Meaning::Disabled(rival) => {
                return match self.is_enabled(rival) {
                    true => Answer::No,
                    false => Answer::Row(vector.to_vec()),
                };
            }
            Meaning::Rows(_) => return Answer::No,
        };
        for condition in conditions {
            match self.interpreter.holds(condition, &self.state) {
                Ok(true) => {}
                Ok(false) => return Answer::No,
                Err(_) => return Answer::Failed,
            }
        }
        let Meaning::Effect(_, effect) = meaning else {
            return Answer::Row(vector.to_vec());
        };
        self.written.clear();
        let run = (self.interpreter).effect(effect, &mut self.state, &mut self.written);
        if run.is_err() {
            return Answer::Failed;
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
            let kept = mode == Mode::Write && !self.written.contains(&cell);
            row.push(match kept {
                true => COPY,
                false => self.values.number(cell, self.state[cell as usize]),
            });
        }
        Answer::Row(row)
    }

    fn is_enabled(&self, rival: &Rival) -> bool {
        if let Some((register, value)) = rival.register {
            let now = self
                .interpreter
                .value(&Expr::variable(register), &self.state);
            if now != Ok(value) {
                return false;
            }
        }
        match &rival.behaviour {
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

/// The rows of a table, as rows of its relation, and those whose values have no room.
fn table_rows(
    cells: &[(u32, Mode)],
    table: &Table,
    learner: &mut Learner<'_>,
) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let position = |list: &[u32], cell: u32| list.iter().position(|&c| c == cell);
    let program = learner.interpreter.program();
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for (from, to) in &table.rows {
        let mut row = Vec::new();
        let mut reads = Vec::new();
        let mut fits = true;
        // A cell that is read twice must have both values; one that is written twice has the last.
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
                // Only the last of several stays.
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
