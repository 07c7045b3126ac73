//! A breadth-first search beside a saturation that gets long.
//!
//! Saturation is the better search for most models, and a bad one for some: where most events use most of the variables, as in
//! puzzles, its local fixpoints are not local, and a search level by level is done many times sooner. Which it is cannot be
//! told before.
//!
//! So a saturation that has made [`FIRST`] nodes lets a breadth-first search begin, and lets it go on each time that its own work has
//! doubled, until that has done a part of it ([`SHARE`]). If it is done first, its states are the states. It has diagrams of its
//! own. Work is counted in nodes, not in seconds, so that a search does the same each time.
//!
//! Cost: at most half of the work of the saturation. Where memory is limited, a quarter of it is for the other search, which is
//! given up once the saturation itself has taken another quarter.

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use crate::dd::node::Root;
use crate::reach::breadth_first::BreadthFirst;
use crate::reach::progress::ProgressReporter;
use crate::relation::model::Model;
use sempre_base::Stop;
use sempre_model::Program;

/// Nodes after which the other search has its first turn.
const FIRST_TURN: u64 = 1 << 21;
/// The part of the work that the other search may have done.
const SHARE: u64 = 2;

/// The other search.
pub(crate) struct InterleavedBfs<'p> {
    program: &'p Program,
    limits: Limits,
    /// Nodes of the saturation at the next turn.
    due: u64,
    /// The order of the cells, that of the saturation.
    order: Vec<u32>,
    search: Option<Box<(Forest, Model<'p>, BreadthFirst)>>,
    /// All states, if it was done first.
    pub states: Option<Box<(Forest, Model<'p>, Root)>>,
}

impl<'p> InterleavedBfs<'p> {
    /// One beside a saturation of this model.
    pub fn new(model: &Model<'p>, limits: Limits) -> Self {
        Self {
            program: model.program(),
            limits,
            due: FIRST_TURN,
            order: model.order().to_vec(),
            search: None,
            states: None,
        }
    }

    /// One that never has a turn.
    pub fn disabled(model: &Model<'p>) -> Self {
        Self {
            due: u64::MAX,
            ..Self::new(model, Limits::default())
        }
    }

    /// Lets it go on, if the saturation, whose nodes these are, has done enough.
    ///
    /// # Errors
    /// If it has found all states.
    #[inline]
    pub fn poll_turn(&mut self, forest: &Forest) -> Result<(), Stop> {
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
        // If it is time to stop, the saturation will see for itself.
        if is_full
            || self
                .advance(|other| other.nodes_made() < work / SHARE)
                .is_err()
        {
            self.due = u64::MAX;
            self.search = None;
        }
        match self.states {
            // Whoever began the saturation sees why it ended.
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

    /// When it is due it goes on or ends the other one; without room for two it is given up.
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
