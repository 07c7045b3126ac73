//! A breadth-first search interleaved with a long saturation.
//!
//! Saturation is better for most models, and much worse for some: if most events use most variables, as in puzzles, its
//! local fixpoints are not local, and breadth-first search is many times faster. There is no way to tell in advance.
//!
//! So after [`FIRST_TURN`] nodes of saturation, a breadth-first search starts. It gets a turn each time the work of the
//! saturation has doubled, and runs until it has done its share ([`SHARE`]). If it finishes first, its result is used.
//! It has a forest of its own. Work is counted in nodes, not in seconds, so that runs are repeatable.
//!
//! Cost: at most half of the work of the saturation. If memory is limited, the breadth-first search gets a quarter of
//! it, and is dropped when the saturation has taken another quarter.

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use crate::dd::node::Root;
use crate::reach::breadth_first::BreadthFirst;
use crate::reach::progress::ProgressReporter;
use crate::relation::model::Model;
use sempre_base::Stop;
use sempre_model::Program;

/// Nodes of the saturation before the first turn.
const FIRST_TURN: u64 = 1 << 21;
/// The search may do the work of the saturation divided by this.
const SHARE: u64 = 2;

/// The breadth-first search.
pub(crate) struct InterleavedBfs<'p> {
    program: &'p Program,
    limits: Limits,
    /// Nodes of the saturation at the next turn.
    due: u64,
    /// The variable order, that of the saturation.
    order: Vec<u32>,
    search: Option<Box<(Forest, Model<'p>, BreadthFirst)>>,
    /// All states, if the search finished first.
    pub states: Option<Box<(Forest, Model<'p>, Root)>>,
}

impl<'p> InterleavedBfs<'p> {
    /// A search for interleaving with a saturation of this model.
    pub(crate) fn new(model: &Model<'p>, limits: Limits) -> Self {
        Self {
            program: model.program(),
            limits,
            due: FIRST_TURN,
            order: model.order().to_vec(),
            search: None,
            states: None,
        }
    }

    /// A search that never gets a turn.
    pub(crate) fn disabled(model: &Model<'p>) -> Self {
        Self {
            due: u64::MAX,
            ..Self::new(model, Limits::default())
        }
    }

    /// Runs a turn if the saturation, whose forest this is, has done enough work.
    ///
    /// # Errors
    /// If the search has found all states.
    #[inline]
    pub(crate) fn poll_turn(&mut self, forest: &Forest) -> Result<(), Stop> {
        match forest.nodes_made() >= self.due {
            true => self.run_turn(forest),
            false => Ok(()),
        }
    }

    #[cold]
    fn run_turn(&mut self, forest: &Forest) -> Result<(), Stop> {
        let work = forest.nodes_made();
        self.due = 2 * work;
        let is_full = (self.limits.memory).is_some_and(|most| forest.bytes() > most / 4);
        // If a limit was reached, the saturation reports it.
        if is_full
            || self
                .advance(|other| other.nodes_made() < work / SHARE)
                .is_err()
        {
            self.due = u64::MAX;
            self.search = None;
        }
        match self.states {
            // The caller of the saturation finds `states`.
            Some(_) => Err(Stop::Cancelled),
            None => Ok(()),
        }
    }

    fn advance(&mut self, may_continue: impl FnMut(&Forest) -> bool) -> Result<(), Stop> {
        let mut search = match self.search.take() {
            Some(search) => search,
            None => self.begin()?,
        };
        let (forest, model, bfs) = &mut *search;
        if bfs.advance(
            forest,
            model,
            may_continue,
            &mut ProgressReporter::new(None),
        )? {
            let (mut forest, mut model, bfs) = *search;
            forest.set_limits(self.limits.clone());
            let all = forest.get(bfs.reached);
            model.prepare_all(&mut forest, all)?;
            self.states = Some(Box::new((forest, model, bfs.reached)));
        } else {
            self.search = Some(search);
        }
        Ok(())
    }

    fn begin(&self) -> Result<Box<(Forest, Model<'p>, BreadthFirst)>, Stop> {
        let mut forest = Forest::new(Limits {
            memory: self.limits.memory.map(|most| most / 4),
            ..self.limits.clone()
        });
        let mut model = Model::new(&mut forest, self.program, Some(self.order.clone()));
        let initial = model.initial(&mut forest)?;
        let bfs = BreadthFirst::new(&mut forest, initial);
        Ok(Box::new((forest, model, bfs)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::breadth_first::tests::counters;
    use crate::reach::states::{Options, reachable};

    #[test]
    fn whoever_is_done_first_has_the_states() {
        let program = counters(5);
        let mut forest = Forest::new(Limits::default());
        let mut model = Model::new(&mut forest, &program, None);
        let expected = reachable(&mut forest, &mut model, &Options::default()).unwrap();
        let mut interleaved = InterleavedBfs::new(&model, Limits::default());
        // Not due yet.
        assert_eq!(interleaved.poll_turn(&forest), Ok(()));
        assert!(interleaved.search.is_none());
        let mut left = 3;
        let three = |_: &Forest| {
            left -= 1;
            left > 0
        };
        interleaved.advance(three).unwrap();
        assert!(interleaved.search.is_some() && interleaved.states.is_none());
        interleaved.advance(|_| true).unwrap();
        let (other, _, states) = *interleaved.states.unwrap();
        let count = other.count(other.get(states));
        assert_eq!(count, forest.count(forest.get(expected)));
        assert_eq!(count.to_string(), "1024");
    }

    /// When a turn is due, the search continues, or ends the saturation; without memory for two, it is dropped.
    #[test]
    fn turns() {
        let program = counters(3);
        let mut forest = Forest::new(Limits::default());
        let model = Model::new(&mut forest, &program, None);
        for memory in [None, Some(64)] {
            let limits = Limits {
                memory,
                ..Limits::default()
            };
            let mut interleaved = InterleavedBfs::new(&model, limits);
            interleaved.advance(|_| memory.is_none()).ok();
            interleaved.due = 0;
            let expected = match memory {
                None => Err(Stop::Cancelled),
                Some(_) => Ok(()),
            };
            assert_eq!(interleaved.poll_turn(&forest), expected);
            assert_eq!(interleaved.states.is_some(), memory.is_none());
            assert!(memory.is_none() || interleaved.search.is_none());
        }
    }
}
