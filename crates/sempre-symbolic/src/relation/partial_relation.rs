//! Relations over a few cells, learned on demand.
//!
//! A partial relation is a conjunct of an action, over the cells that it reads and writes. The interpreter computes its
//! rows, once for each combination of values that occurs in a set of states: no domain need be known in advance. Rows
//! where the interpreter fails are kept separately, since a failure is reported if and only if the whole action can
//! reach it.
//!
//! Which combinations occur together is found by projecting the sets, again and again. So if the values that have
//! occurred in the single cells have few combinations, all of these are queried. Then the relation changes only when a
//! cell takes a value for the first time.
//!
//! A relation that reads a single cell is always queried for all values that have occurred in it. If there are many and
//! they count up or down, like the tokens of a place, as many of the next values are queried, too: a join takes as long
//! as the relation has rows, and one row at a time would be quadratic.
//!
//! A cell that is written but not read has [`COPY`] in the rows that leave it alone, as `a[i] := 0` leaves all elements
//! but one.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root, UNIT};
use crate::dd::shape::{COPY, Mode, Shape};
use crate::relation::conjuncts::{Conjunct, footprint};
use crate::relation::relation_learner::{RelationLearner, RowResult, table_rows};
use sempre_base::Stop;
use sempre_model::ir::Program;

/// With more combinations of values, only those that occur together are queried.
const MAX_COMBINATIONS: usize = 1000;
/// With fewer values of a cell, no next values are queried.
const LOOKAHEAD_FROM: usize = 64;

/// See the module's documentation.
#[derive(Clone, Debug)]
pub(crate) struct PartialRelation {
    pub conjunct: Conjunct,
    /// The cells with their modes, in the order of levels.
    pub cells: Vec<(u32, Mode)>,
    /// The values of the read cells that were queried.
    queried: Root,
    /// The rows learned.
    pub relation: Root,
    /// The values for which the interpreter failed.
    pub failing: Root,
    /// Increases when rows are learned.
    pub version: u32,
    /// How many values had occurred in the read cells when all combinations were last learned.
    learned_at: Option<usize>,
    /// There are too many combinations to learn all.
    is_wide: bool,
    /// For a relation that reads one cell: how many of the occurred values were processed, and which values were
    /// queried.
    values_seen: usize,
    queried_values: Vec<bool>,
}

impl PartialRelation {
    /// A relation without rows. `levels` gives the level of each cell.
    pub(crate) fn new(
        forest: &mut Forest,
        program: &Program,
        conjunct: Conjunct,
        levels: &[u32],
    ) -> Self {
        let footprint = footprint(program, &conjunct);
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
            conjunct,
            cells,
            queried: forest.protect(EMPTY),
            relation: forest.protect(EMPTY),
            failing: forest.protect(EMPTY),
            version: 0,
            learned_at: None,
            is_wide: false,
            values_seen: 0,
            queried_values: Vec::new(),
        }
    }

    /// Whether it writes anything.
    pub(crate) fn writes(&self) -> bool {
        self.cells.iter().any(|&(_, m)| m > Mode::Read)
    }

    /// The modes of levels from `top` on, up to the last cell.
    pub(crate) fn modes(&self, levels: &[u32], top: u32) -> Vec<Mode> {
        level_modes(self.cells.iter().copied(), levels, top)
    }

    /// The modes of what it reads.
    pub(crate) fn read_modes(&self, levels: &[u32], top: u32) -> Vec<Mode> {
        let reads = self.cells.iter().filter(|(_, m)| *m != Mode::Write);
        level_modes(reads.map(|&(c, _)| (c, Mode::Read)), levels, top)
    }

    /// Whether all rows are known.
    pub(crate) fn is_complete(&self) -> bool {
        self.version > 0 && matches!(self.conjunct, Conjunct::Table(_))
    }

    /// Learns the rows for all combinations of values that have occurred in the read cells, if these are few. Returns
    /// whether they are.
    pub(crate) fn learn_all(
        &mut self,
        forest: &mut Forest,
        learner: &mut RelationLearner<'_>,
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
            self.learn_single_cell(forest, learner, cell)?;
            return Ok(true);
        }
        let counts =
            || reads().map(|&(cell, _)| learner.values.occurrence_order[cell as usize].len());
        let learned_at = counts().sum();
        if self.learned_at == Some(learned_at) {
            return Ok(true);
        }
        let combinations = counts().try_fold(1usize, |all, n| all.checked_mul(n));
        if combinations.is_none_or(|n| n > MAX_COMBINATIONS) {
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
        self.learned_at = Some(learned_at);
        self.learn_rows(forest, learner, all)?;
        forest.stack.truncate(base);
        Ok(true)
    }

    /// Learns the rows for all values that have occurred in the only read cell, and perhaps for the next ones.
    fn learn_single_cell(
        &mut self,
        forest: &mut Forest,
        learner: &mut RelationLearner<'_>,
        cell: u32,
    ) -> Result<(), Stop> {
        let learned_at = &learner.values.occurrence_order[cell as usize];
        if self.values_seen == learned_at.len() {
            return Ok(());
        }
        let first = self.values_seen;
        self.values_seen = learned_at.len();
        let mut vectors: Vec<Vec<u32>> = Vec::new();
        for i in first..self.values_seen {
            let number = learner.values.occurrence_order[cell as usize][i];
            if self.mark_queried(number) {
                vectors.push(vec![number]);
            }
        }
        let Some(last) = vectors.last() else {
            return Ok(());
        };
        if self.values_seen >= LOOKAHEAD_FROM {
            let last = learner.values.value(cell, last[0]);
            let before = learner.values.existing_number(cell, last.wrapping_sub(1));
            let by = match before.is_some_and(|n| self.was_queried(n)) {
                true => 1,
                false => -1,
            };
            for i in 1..=self.values_seen as i64 {
                let value = last.checked_add(by * i);
                let Some(value) = value.filter(|&v| learner.in_range(cell, v)) else {
                    break;
                };
                let next = vec![learner.values.number(cell, value)];
                // A failure there is no error yet: the value has not occurred.
                let answer = learner.row(&self.conjunct, &self.cells, &next);
                if matches!(answer, RowResult::Failed) || !self.mark_queried(next[0]) {
                    break;
                }
                vectors.push(next);
            }
        }
        let set = forest.set_of(&mut vectors)?;
        self.learn_rows(forest, learner, set)?;
        Ok(())
    }

    /// Whether a value of the only read cell was queried.
    fn was_queried(&self, number: u32) -> bool {
        self.queried_values.get((COPY - 1 - number) as usize) == Some(&true)
    }

    /// Marks a value as queried. Returns whether it is new.
    fn mark_queried(&mut self, number: u32) -> bool {
        let index = (COPY - 1 - number) as usize;
        if self.queried_values.len() <= index {
            self.queried_values.resize(index + 1, false);
        }
        !std::mem::replace(&mut self.queried_values[index], true)
    }

    /// Learns the rows for the values that `set` has in the read cells, which are at the levels of `shape`. Returns
    /// whether any are new.
    pub(crate) fn learn(
        &mut self,
        forest: &mut Forest,
        learner: &mut RelationLearner<'_>,
        set: Node,
        shape: Shape,
    ) -> Result<bool, Stop> {
        if self.is_complete() || set == EMPTY {
            return Ok(false);
        }
        let seen = match self.conjunct {
            Conjunct::Table(_) => UNIT,
            _ => forest.project_inner(set, shape)?,
        };
        self.learn_rows(forest, learner, seen)
    }

    /// Learns the rows for values of the read cells. Returns whether any are new.
    fn learn_rows(
        &mut self,
        forest: &mut Forest,
        learner: &mut RelationLearner<'_>,
        seen: Node,
    ) -> Result<bool, Stop> {
        if let Conjunct::Table(table) = &self.conjunct {
            let (rows, failing) = table_rows(&self.cells, table, learner);
            return self.add(forest, rows, failing, UNIT);
        }
        forest.push(seen);
        let new = forest.difference_inner(seen, forest.get(self.queried))?;
        forest.pop();
        if new == EMPTY {
            return Ok(false);
        }
        let (mut rows, mut failing) = (Vec::new(), Vec::new());
        for vector in forest.vectors(new) {
            match learner.row(&self.conjunct, &self.cells, &vector) {
                RowResult::Disabled => {}
                RowResult::Row(row) => rows.push(row),
                RowResult::Failed => failing.push(vector),
            }
        }
        self.add(forest, rows, failing, new)
    }

    fn add(
        &mut self,
        forest: &mut Forest,
        mut rows: Vec<Vec<u32>>,
        mut failing: Vec<Vec<u32>>,
        new: Node,
    ) -> Result<bool, Stop> {
        let base = forest.stack.len();
        forest.push(new);
        self.version += 1;
        for (root, vectors) in [(self.relation, &mut rows), (self.failing, &mut failing)] {
            let added = forest.set_of(vectors)?;
            forest.push(added);
            let all = forest.union_inner(forest.get(root), added)?;
            forest.set(root, all);
        }
        // The rows of a table are known without queries.
        if !matches!(self.conjunct, Conjunct::Table(_)) {
            let queried = forest.union_inner(forest.get(self.queried), new)?;
            forest.set(self.queried, queried);
        }
        forest.stack.truncate(base);
        Ok(true)
    }
}

/// Modes of cells as modes of levels.
pub(crate) fn level_modes(
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
