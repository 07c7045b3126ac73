//! Breadth-first search with sets of states: the image of the frontier under all events, level by level.
//!
//! It can be interrupted after any group of events and resumed, so that it can interleave with saturation
//! ([`crate::reach::interleaved_bfs`]).

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::reach::progress::ProgressReporter;
use crate::relation::model::Model;
use sempre_base::Stop;

/// The state of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BreadthFirst {
    /// All states found in complete levels.
    pub reached: Root,
    /// The states first found in the last level.
    frontier: Root,
    /// The successors of the frontier by the groups before `group`.
    next: Root,
    group: usize,
}

impl BreadthFirst {
    /// A search that has reached the initial states.
    pub(crate) fn new(forest: &mut Forest, initial: Node) -> Self {
        Self {
            reached: forest.protect(initial),
            frontier: forest.protect(initial),
            next: forest.protect(EMPTY),
            group: 0,
        }
    }

    /// Continues until all states are found or `may_continue` returns false. Returns whether all are found.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn advance(
        &mut self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        mut may_continue: impl FnMut(&Forest) -> bool,
        reporter: &mut ProgressReporter<'_>,
    ) -> Result<bool, Stop> {
        while forest.get(self.frontier) != EMPTY {
            while self.group < model.groups.len() {
                if !may_continue(forest) {
                    return Ok(false);
                }
                let from = forest.get(self.frontier);
                let more = group_image(forest, model, self.group, from)?;
                let all = forest.union(forest.get(self.next), more)?;
                forest.set(self.next, all);
                self.group += 1;
            }
            let new = forest.difference(forest.get(self.next), forest.get(self.reached))?;
            forest.set(self.frontier, new);
            let all = forest.union(forest.get(self.reached), new)?;
            forest.set(self.reached, all);
            forest.set(self.next, EMPTY);
            self.group = 0;
            reporter.report(forest, Some(all));
        }
        Ok(true)
    }

    /// Removes its roots.
    pub(crate) fn unprotect(self, forest: &mut Forest) {
        for root in [self.reached, self.frontier, self.next] {
            forest.unprotect(root);
        }
    }
}

/// The successors of a set of states by a group of events. The caller protects the set.
pub(crate) fn group_image(
    forest: &mut Forest,
    model: &mut Model<'_>,
    group: usize,
    set: Node,
) -> Result<Node, Stop> {
    let (top, shape) = (model.groups[group].top, model.groups[group].shape);
    let below = model.suffixes(forest, set, top)?;
    let relation =
        forest.with_protected(&[below, set], |f| model.prepare(f, group as u32, below))?;
    let shape = model.shape_from_top(forest, shape, top);
    forest.image(set, relation, shape)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::dd::control::Limits;
    use crate::reach::states::{Options, reachable};
    use sempre_model::ir::{Action, Behaviour, Expr, Place, Program, Stmt, Type};

    /// Independent counters up to three.
    pub(crate) fn counters(count: u32) -> Program {
        let mut program = Program::new("counters");
        for i in 0..count {
            let x = program.declare(&format!("x{i}"), Type::BYTE, None, None);
            for value in 0..3 {
                program.actions.push(Action {
                    name: "up".to_string(),
                    processes: Vec::new(),
                    class: 0,
                    behaviour: Behaviour::Guarded {
                        guard: Expr::equal(Expr::variable(x), Expr::Constant(value)),
                        effect: vec![Stmt::Assign(Place::Scalar(x), Expr::Constant(value + 1))],
                    },
                });
            }
        }
        program.initial = vec![vec![0; count as usize]];
        program
    }

    #[test]
    fn a_search_that_is_left_again_and_again_finds_all() {
        let program = counters(4);
        let mut forest = Forest::new(Limits::default());
        let mut model = Model::new(&mut forest, &program, None);
        let expected = reachable(&mut forest, &mut model, &Options::default()).unwrap();
        assert_eq!(forest.count(forest.get(expected)).to_string(), "256");
        let mut model = Model::new(&mut forest, &program, None);
        let initial = model.initial(&mut forest).unwrap();
        let mut bfs = BreadthFirst::new(&mut forest, initial);
        let mut turns = 0;
        loop {
            let mut is_first = true;
            let once = |_: &Forest| std::mem::take(&mut is_first);
            turns += 1;
            let reporter = &mut ProgressReporter::new(None);
            if bfs
                .advance(&mut forest, &mut model, once, reporter)
                .unwrap()
            {
                break;
            }
            // Also collects garbage between the calls.
            forest.collect();
        }
        // Twelve steps and one that finds nothing, for each group.
        assert_eq!(turns, 13 * model.groups.len());
        assert_eq!(forest.get(bfs.reached), forest.get(expected));
    }
}
