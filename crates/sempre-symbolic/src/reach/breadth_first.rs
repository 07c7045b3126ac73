//! Breadth-first search with sets of states: the successors of what is new by all events, level by level.
//!
//! It can be left after any event and taken up again, so that others have a turn ([`crate::reach::interleaved_bfs`]).

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::reach::progress::ProgressReporter;
use crate::relation::model::Model;
use sempre_base::Stop;

/// How far a search has got.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BreadthFirst {
    /// All that was found, except by events that have had their turn in this level.
    pub reached: Root,
    /// What the last level found first.
    frontier: Root,
    /// Its successors by the groups of events so far.
    next: Root,
    group: usize,
}

impl BreadthFirst {
    /// Nothing is found yet but the initial states.
    pub fn new(forest: &mut Forest, initial: Node) -> Self {
        Self {
            reached: forest.protect(initial),
            frontier: forest.protect(initial),
            next: forest.protect(EMPTY),
            group: 0,
        }
    }

    /// Goes on until all is found, or it is told not to; has all been found?
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn advance(
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

    /// What it has kept is kept no more.
    pub fn unprotect(self, forest: &mut Forest) {
        for root in [self.reached, self.frontier, self.next] {
            forest.unprotect(root);
        }
    }
}

/// The successors of a set of states, which is kept elsewhere, by a group.
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

    /// Counters that count up to three, each by itself.
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
            // Garbage is collected between turns, too.
            forest.collect();
        }
        // Twelve steps and one that finds nothing, with each group.
        assert_eq!(turns, 13 * model.groups.len());
        assert_eq!(forest.get(bfs.reached), forest.get(expected));
    }
}
