//! Conditions on states, as relations that only read.

use crate::dd::forest::Forest;
use crate::dd::node::Node;
use crate::dd::shape::{Mode, Shape};
use crate::relation::linear::LinearCondition;
use crate::relation::model::Model;
use crate::relation::partial_relation::level_modes;
use sempre_base::Stop;
use sempre_model::Expr;

impl Model<'_> {
    /// The states of a set in which an expression is true; states in which it has no value are left out.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn satisfying(
        &mut self,
        forest: &mut Forest,
        set: Node,
        expr: &Expr,
    ) -> Result<Node, Stop> {
        let (relation, shape) = self.condition(forest, set, expr)?;
        forest.restrict(set, relation, shape)
    }

    /// A state of a set in which an expression has no value, if there is one.
    pub(crate) fn undefined(
        &mut self,
        forest: &mut Forest,
        set: Node,
        expr: &Expr,
    ) -> Result<Option<Vec<i64>>, Stop> {
        let (cells, shape) = self.reads(forest, expr);
        let seen = forest.project(set, shape)?;
        let learner = &mut self.learner;
        let mut rows = rows_where(forest, seen, |row| !learner.has_value(expr, &cells, row))?;
        let bad = forest.set_of(&mut rows)?;
        let states = forest.restrict(set, bad, shape)?;
        Ok(forest.first(states).map(|v| self.decode(&v)))
    }

    /// The cells that an expression reads, in the order of levels, and the shape of a relation that reads them.
    pub(crate) fn reads(&self, forest: &mut Forest, expr: &Expr) -> (Vec<u32>, Shape) {
        let mut cells = sempre_model::footprint::reads_of(self.program, expr);
        cells.sort_by_key(|&c| self.levels[c as usize]);
        let reads = cells.iter().map(|&c| (c, Mode::Read));
        let shape = forest.shape(&level_modes(reads, &self.levels, 0));
        (cells, shape)
    }

    /// A condition as a relation that only reads: among the values that occur in a set, those that make it true.
    pub(crate) fn condition(
        &mut self,
        forest: &mut Forest,
        set: Node,
        expr: &Expr,
    ) -> Result<(Node, Shape), Stop> {
        let (cells, shape) = self.reads(forest, expr);
        let seen = forest.project(set, shape)?;
        if let Some(condition) = LinearCondition::of(self.program, expr) {
            forest.push(seen);
            let values = &self.learner.values;
            let found = condition.select(forest, values, &cells, seen);
            forest.pop();
            if let Some(found) = found? {
                return Ok((found, shape));
            }
        }
        let learner = &mut self.learner;
        let mut rows = rows_where(forest, seen, |row| learner.holds(expr, &cells, row))?;
        Ok((forest.set_of(&mut rows)?, shape))
    }
}

/// The vectors of a set for which `wanted` holds. Makes no nodes.
fn rows_where(
    forest: &Forest,
    set: Node,
    mut is_wanted: impl FnMut(&[u32]) -> bool,
) -> Result<Vec<Vec<u32>>, Stop> {
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for (i, row) in forest.vectors(set).enumerate() {
        // The set may have too many vectors to enumerate.
        if i % 4096 == 0 {
            forest.poll()?;
            if rows.len() * (size_of::<Vec<u32>>() + 4 * row.len()) > forest.remaining_bytes() {
                return Err(Stop::Memory);
            }
        }
        if is_wanted(&row) {
            rows.push(row);
        }
    }
    Ok(rows)
}
