//! The check over all states of the model: they come first, then the product, its emptiness, and a run.
//!
//! The states of a program are the same whatever is asked of them, so [`Prepared`] keeps them for several checks.

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use crate::dd::natural::Natural;
use crate::dd::node::{EMPTY, Kept};
use crate::deep_stack::on_a_deep_stack;
use crate::product::automaton::Observer;
use crate::product::options::Manner;
use crate::product::symbolic_product::Product;
use crate::reach::progress::Progress;
use crate::reach::states::{Options as Search, Strategy, states_of};
use crate::relation::faults::first_fault;
use crate::relation::model::Model;
use crate::search::options::{Options, Road};
use crate::search::outcome::{Outcome, Statistics};
use crate::search::owcty::owcty;
use crate::search::underapproximation::{FewerEvents, PATIENCE};
use crate::search::violation::violation;
use crate::thread_clock::Clock;
use crate::turns::Baton;
use sempre_base::Stop;
use sempre_model::{Expr, Program};
use std::time::Duration;

/// A program whose states are known.
#[derive(Clone, Debug)]
pub struct Prepared<'p> {
    pub(crate) forest: Forest,
    pub(crate) model: Model<'p>,
    states: Kept,
    deadlocks: Kept,
    number: Natural,
    pub(crate) peak_nodes: usize,
    time: Duration,
}

/// Finds the states of a program.
///
/// # Errors
/// If there is no room, or it is time to stop.
pub fn prepare<'p>(
    program: &'p Program,
    strategy: Strategy,
    limits: Limits,
    progress: Option<&(dyn Fn(&Progress) + Sync)>,
) -> Result<Prepared<'p>, Box<(Stop, Statistics)>> {
    let search = Search {
        strategy,
        limits,
        progress,
        beside: true,
        ..Search::default()
    };
    on_a_deep_stack(program.cells() + 1, || prepare_here(program, &search, None))
}

pub(crate) fn prepare_here<'p>(
    program: &'p Program,
    search: &Search<'_>,
    baton: Option<&Baton>,
) -> Result<Prepared<'p>, Box<(Stop, Statistics)>> {
    let begin = Clock::start();
    let (mut forest, mut model, found) = states_of(program, None, search, baton);
    let mut find = || -> Result<(Kept, Kept, Natural), Stop> {
        let states = found?;
        let set = forest.get(states);
        let stuck = model.deadlocks(&mut forest, set)?;
        let deadlocks = forest.keep(stuck);
        let number = match forest.try_count(set) {
            Ok(number) => number,
            // What was known of the search makes room.
            Err(_) => {
                forest.drop_results();
                forest.try_count(set)?
            }
        };
        Ok((states, deadlocks, number))
    };
    match find() {
        Ok((states, deadlocks, number)) => Ok(Prepared {
            number,
            peak_nodes: forest.peak_nodes(),
            time: begin.elapsed(),
            forest,
            model,
            states,
            deadlocks,
        }),
        Err(stop) => {
            let statistics = Statistics {
                peak_nodes: forest.peak_nodes(),
                collections: forest.collections(),
                model_time: begin.elapsed(),
                ..Statistics::default()
            };
            Err(Box::new((stop, statistics)))
        }
    }
}

impl Prepared<'_> {
    /// Number of states.
    pub fn states(&self) -> &Natural {
        &self.number
    }

    /// The time it took to find them.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Forgets results of operations and what is not needed any more, so that all checks begin alike.
    pub fn tidy(&mut self) {
        self.forest.forget_all();
        self.forest.collect();
    }

    pub(crate) fn check_here(
        mut self,
        propositions: &[Expr],
        observer: &dyn Observer,
        options: &Options<'_>,
    ) -> (Outcome, Statistics) {
        let mut statistics = Statistics {
            model_states: Some(self.number.clone()),
            model_time: self.time,
            road: Road::Owcty,
            ..Statistics::default()
        };
        self.forest.set_limits(options.limits.clone());
        self.forest.forget_counts();
        let found = self.search(propositions, observer, options, &mut statistics);
        statistics.peak_nodes = self.forest.peak_nodes();
        statistics.collections = self.forest.collections();
        (found.unwrap_or_else(Outcome::Stopped), statistics)
    }

    fn search(
        &mut self,
        propositions: &[Expr],
        observer: &dyn Observer,
        options: &Options<'_>,
        statistics: &mut Statistics,
    ) -> Result<Outcome, Stop> {
        let (forest, model) = (&mut self.forest, &mut self.model);
        let begin = Clock::start();
        let pair = (forest.get(self.states), forest.get(self.deadlocks));
        let manner = Manner {
            deadlock: options.deadlock,
            fair: options.fair,
            reachability: options.reachability,
        };
        let product = Product::new(forest, model, pair, propositions, observer, None, manner)?;
        statistics.product_time = begin.elapsed();
        if options.count_stuttering {
            let (all, same) = product.stuttering(forest, forest.get(self.states));
            statistics.stuttering = Some(same.to_f64() / all.to_f64().max(1.0));
        }
        let begin = Clock::start();
        let before = forest.made();
        let hull = owcty(forest, &product)?;
        let work = forest.made() - before;
        let reached = forest.get(hull.reachable);
        statistics.product_states = forest.try_count(reached).ok();
        statistics.search_time = begin.elapsed();
        if forest.get(hull.hull) == EMPTY {
            let visited = if reached == EMPTY {
                EMPTY
            } else {
                forest.guarded(&[reached], |f| f.union_of_downs(reached))?
            };
            let fault = first_fault(forest, model, visited, propositions)?;
            return Ok(fault.map_or(Outcome::Empty, Outcome::Failed));
        }
        let begin = Clock::start();
        let patience = options.patience.unwrap_or(PATIENCE);
        let mut found =
            forest.within(patience, |forest| violation(forest, model, &product, &hull))?;
        if found.is_none() {
            let fewer = FewerEvents {
                propositions,
                observer,
                manner,
                sets: (self.states, self.deadlocks),
                events: vec![true; model.events.len()],
            };
            found = fewer.run(forest, model, (4 * PATIENCE).max(work))?;
        }
        let outcome = match found {
            Some(outcome) => outcome,
            None => violation(forest, model, &product, &hull)?,
        };
        statistics.run_time = begin.elapsed();
        Ok(outcome)
    }
}
