//! The check over all states of the model: the reachable states, then the product, its emptiness check, and an
//! accepting run.
//!
//! The states of a program do not depend on the property, so [`Prepared`] keeps them for several checks.

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use crate::dd::natural::Natural;
use crate::dd::node::{EMPTY, Root};
use crate::deep_stack::on_a_deep_stack;
use crate::product::automaton::Automaton;
use crate::product::options::ProductOptions;
use crate::product::symbolic_product::Product;
use crate::reach::progress::Progress;
use crate::reach::states::{Options as Search, Strategy, reachable_states};
use crate::relation::faults::first_fault;
use crate::relation::model::Model;
use crate::search::options::{Algorithm, Options};
use crate::search::outcome::{Outcome, Statistics};
use crate::search::owcty::owcty;
use crate::search::underapproximation::{RUN_BUDGET, Underapproximation};
use crate::search::violation::violation;
use crate::thread_clock::ThreadClock;
use crate::turns::Participant;
use sempre_base::Stop;
use sempre_model::{Expr, Program};
use std::time::Duration;

/// A program with its reachable states.
#[derive(Clone, Debug)]
pub struct Prepared<'p> {
    pub(crate) forest: Forest,
    pub(crate) model: Model<'p>,
    states: Root,
    deadlocks: Root,
    number: Natural,
    pub(crate) peak_nodes: usize,
    time: Duration,
}

/// Finds the reachable states of a program.
///
/// # Errors
/// If a limit is reached.
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
        interleaved: true,
        ..Search::default()
    };
    on_a_deep_stack(program.cells() + 1, || prepare_here(program, &search, None))
}

pub(crate) fn prepare_here<'p>(
    program: &'p Program,
    search: &Search<'_>,
    participant: Option<&Participant>,
) -> Result<Prepared<'p>, Box<(Stop, Statistics)>> {
    let begin = ThreadClock::start();
    let (mut forest, mut model, found) = reachable_states(program, None, search, participant);
    let mut find = || -> Result<(Root, Root, Natural), Stop> {
        let states = found?;
        let set = forest.get(states);
        let stuck = model.deadlocks(&mut forest, set)?;
        let deadlocks = forest.protect(stuck);
        let number = match forest.try_count(set) {
            Ok(number) => number,
            // Drops the cached results of the search: their memory is needed now.
            Err(_) => {
                forest.shrink_caches();
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

    /// The CPU time for the reachable states.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Clears caches and collects garbage, so that all checks start alike.
    pub fn clear_caches(&mut self) {
        self.forest.clear_caches();
        self.forest.collect();
    }

    pub(crate) fn check_here(
        mut self,
        propositions: &[Expr],
        automaton: &dyn Automaton,
        options: &Options<'_>,
    ) -> (Outcome, Statistics) {
        let mut statistics = Statistics {
            model_states: Some(self.number.clone()),
            model_time: self.time,
            algorithm: Algorithm::Owcty,
            ..Statistics::default()
        };
        self.forest.set_limits(options.limits.clone());
        self.forest.reset_counters();
        let found = self.search(propositions, automaton, options, &mut statistics);
        statistics.peak_nodes = self.forest.peak_nodes();
        statistics.collections = self.forest.collections();
        (found.unwrap_or_else(Outcome::Stopped), statistics)
    }

    fn search(
        &mut self,
        propositions: &[Expr],
        automaton: &dyn Automaton,
        options: &Options<'_>,
        statistics: &mut Statistics,
    ) -> Result<Outcome, Stop> {
        let (forest, model) = (&mut self.forest, &mut self.model);
        let begin = ThreadClock::start();
        let pair = (forest.get(self.states), forest.get(self.deadlocks));
        let product_options = ProductOptions {
            deadlock: options.deadlock,
            fair: options.fair,
            reachability: options.reachability,
        };
        let product = Product::new(
            forest,
            model,
            pair,
            propositions,
            automaton,
            None,
            product_options,
        )?;
        statistics.product_time = begin.elapsed();
        if options.count_stuttering {
            let (all, same) = product.stuttering(forest, forest.get(self.states));
            statistics.stuttering = Some(same.to_f64() / all.to_f64().max(1.0));
        }
        let begin = ThreadClock::start();
        let before = forest.nodes_made();
        let hull = owcty(forest, &product)?;
        let work = forest.nodes_made() - before;
        let reached = forest.get(hull.reachable);
        statistics.product_states = forest.try_count(reached).ok();
        statistics.search_time = begin.elapsed();
        if forest.get(hull.hull) == EMPTY {
            let visited = if reached == EMPTY {
                EMPTY
            } else {
                forest.with_protected(&[reached], |f| f.union_of_children(reached))?
            };
            let fault = first_fault(forest, model, visited, propositions)?;
            return Ok(fault.map_or(Outcome::Empty, Outcome::Failed));
        }
        let begin = ThreadClock::start();
        let run_budget = options.run_budget.unwrap_or(RUN_BUDGET);
        let mut found = forest.with_budget(run_budget, |forest| {
            violation(forest, model, &product, &hull)
        })?;
        if found.is_none() {
            let fewer = Underapproximation {
                propositions,
                automaton,
                options: product_options,
                sets: (self.states, self.deadlocks),
                events: vec![true; model.events.len()],
            };
            found = fewer.run(forest, model, (4 * RUN_BUDGET).max(work))?;
        }
        let outcome = match found {
            Some(outcome) => outcome,
            None => violation(forest, model, &product, &hull)?,
        };
        statistics.run_time = begin.elapsed();
        Ok(outcome)
    }
}
