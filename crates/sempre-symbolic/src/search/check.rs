//! A check from end to end: the states of a program, the product with an automaton, an accepting run of it.
//!
//! A program may do something erroneous somewhere. An accepting run is one all the same, if all of its own steps are right;
//! but that there is none is said only if nothing is erroneous in all states that the automaton comes to.
//!
//! The states of a program are the same whatever is asked of them, so [`Prepared`] keeps them for several checks.
//!
//! Most violations are near the initial states, some are very far, and to find all states of the model first may take long. So searches
//! on the fly, by levels ([`crate::search::bounded`]), depth first ([`crate::search::partial_traversal`]) and by single states ([`crate::search::directed`]), take turns with all this
//! ([`crate::turns`]), and whoever has an answer first is heard. Each has diagrams of its own. The one over all states has half of the memory and four
//! ninths of the work, single states have half as much as each of the two others.

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use crate::dd::natural::Natural;
use crate::deep_stack::on_a_deep_stack;
use crate::product::automaton::Observer;
use crate::product::on_the_fly::OnTheFly;
use crate::reach::states::Options as Search;
use crate::relation::model::Model;
use crate::search::bounded::Bounded;
use crate::search::directed::Climbs;
use crate::search::options::{Options, Road};
use crate::search::outcome::{Outcome, Statistics};
use crate::search::partial_traversal::Dives;
use crate::search::prepared::{Prepared, prepare_here};
use crate::thread_clock::Clock;
use crate::turns::Baton;
use sempre_base::Stop;
use sempre_base::stop::{Cancel, cancellable, under};
use sempre_model::{Expr, Program};
use std::thread::Builder;

/// Looks for a run of the program that the automaton, which observes the propositions, accepts.
pub fn check(
    program: &Program,
    propositions: &[Expr],
    observer: &(dyn Observer + Sync),
    options: &Options<'_>,
) -> (Outcome, Statistics) {
    let question = (program, propositions, observer);
    in_turns(question, options, |options, baton| {
        let search = Search {
            strategy: options.strategy,
            limits: options.limits.clone(),
            progress: options.progress,
            // The search near the initial states does it.
            beside: baton.is_none(),
            ..Search::default()
        };
        match prepare_here(program, &search, baton) {
            Err(stopped) => {
                let (stop, statistics) = *stopped;
                (Outcome::Stopped(stop), statistics)
            }
            Ok(prepared) => {
                let before = prepared.peak_nodes;
                let (outcome, mut statistics) =
                    prepared.check_here(propositions, observer, options);
                statistics.peak_nodes = statistics.peak_nodes.max(before);
                (outcome, statistics)
            }
        }
    })
}

impl Prepared<'_> {
    /// Looks for a run that the automaton, which observes the propositions, accepts. The nodes that are counted are those since the
    /// states were known, these included.
    pub fn check(
        self,
        propositions: &[Expr],
        observer: &(dyn Observer + Sync),
        options: &Options<'_>,
    ) -> (Outcome, Statistics) {
        let program = self.model.program();
        let question = (program, propositions, observer);
        in_turns(question, options, |options, baton| {
            let mut prepared = self;
            prepared.forest.take_turns(baton.cloned());
            prepared.check_here(propositions, observer, options)
        })
    }
}

/// A program, propositions, and the automaton that observes them.
type Question<'a> = (&'a Program, &'a [Expr], &'a (dyn Observer + Sync));

/// Asks a question by one road or by all in turns; `over_all` is the one over all states of the model.
fn in_turns(
    question: Question<'_>,
    options: &Options<'_>,
    over_all: impl FnOnce(&Options<'_>, Option<&Baton>) -> (Outcome, Statistics) + Send,
) -> (Outcome, Statistics) {
    let levels = question.0.cells() + 1;
    // Without variables there is nothing to go level by level through.
    if options.road == Road::Owcty || levels == 1 {
        return on_a_deep_stack(levels, || over_all(options, None));
    }
    if options.road != Road::InTurns {
        return on_a_deep_stack(levels, || on_the_fly(question, options, None));
    }
    let part = |road: Road, of_eight: usize| Options {
        road,
        limits: Limits {
            memory: options.limits.memory.map(|m| m / 8 * of_eight),
            ..options.limits.clone()
        },
        ..options.clone()
    };
    let [near, single, far, all] = Baton::of([2, 4, 2, 1]);
    let others = [
        (Road::Bounded, &near, 2),
        (Road::Climb, &single, 1),
        (Road::Dive, &far, 1),
    ];
    let cancel = Cancel::current();
    std::thread::scope(|scope| {
        let others = others.map(|(road, baton, of_eight)| {
            let options = part(road, of_eight);
            let cancel = cancel.clone();
            let search = move || {
                under(&cancel, || {
                    on_a_deep_stack(levels, || {
                        holding(baton, || on_the_fly(question, &options, Some(baton)))
                    })
                })
            };
            let thread = Builder::new().spawn_scoped(scope, search);
            if thread.is_err() {
                // The others go on without it.
                drop(baton.seat());
            }
            thread.ok()
        });
        let (mut outcome, mut statistics, _) = on_a_deep_stack(levels, || {
            holding(&all, || over_all(&part(Road::InTurns, 4), Some(&all)))
        });
        for other in others.into_iter().flatten() {
            let other = other.join();
            let (answer, counted, is_answer) =
                other.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            statistics.peak_nodes += counted.peak_nodes;
            statistics.collections += counted.collections;
            if is_answer {
                statistics.product_states = counted.product_states;
                statistics.road = counted.road;
                outcome = answer;
            }
        }
        (outcome, statistics)
    })
}

/// Searches while it holds the baton; is it the first to have an answer?
fn holding(
    baton: &Baton,
    search: impl FnOnce() -> (Outcome, Statistics),
) -> (Outcome, Statistics, bool) {
    let _seat = baton.seat();
    let (outcome, statistics) = match baton.begin() {
        Err(stop) => (Outcome::Stopped(stop), Statistics::default()),
        Ok(()) => cancellable(&Cancel::current(), search)
            .unwrap_or_else(|stop| (Outcome::Stopped(stop), Statistics::default())),
    };
    let is_answer = baton.end(!matches!(outcome, Outcome::Stopped(_)));
    (outcome, statistics, is_answer)
}

/// Asks a question on the fly: level by level, depth first, or by single states.
fn on_the_fly(
    (program, propositions, observer): Question<'_>,
    options: &Options<'_>,
    baton: Option<&Baton>,
) -> (Outcome, Statistics) {
    let mut forest = Forest::new(options.limits.clone());
    forest.take_turns(baton.cloned());
    let begin = Clock::start();
    let manner = (options.deadlock, options.fair);
    let mut search = || -> Result<(Outcome, Natural), Stop> {
        let forest = &mut forest;
        if options.road == Road::Climb {
            let few = options.dive.map(|nodes| nodes as usize);
            let memory = options.limits.memory.unwrap_or(usize::MAX);
            let mut climbs = Climbs::new((program, propositions, observer), manner, few, memory);
            let outcome = until_answered(|| climbs.advance(forest))?;
            return Ok((outcome, climbs.found().into()));
        }
        let model = &mut Model::new(forest, program, None);
        let product = &mut OnTheFly::new(forest, model, propositions, observer, manner)?;
        let (outcome, found) = match options.road {
            Road::Dive => {
                let mut dives = Dives::new(forest, product, options.dive);
                let outcome = until_answered(|| dives.advance(forest, model, product))?;
                (outcome, dives.found(forest)?)
            }
            _ => {
                let mut bounded = Bounded::new(forest, product);
                let outcome = until_answered(|| bounded.advance(forest, model, product))?;
                (outcome, bounded.found)
            }
        };
        Ok((outcome, forest.try_count(forest.get(found))?))
    };
    let found = search();
    let mut statistics = Statistics {
        peak_nodes: forest.peak_nodes(),
        collections: forest.collections(),
        search_time: begin.elapsed(),
        road: options.road,
        ..Statistics::default()
    };
    match found {
        Err(stop) => (Outcome::Stopped(stop), statistics),
        Ok((outcome, found)) => {
            statistics.product_states = Some(found);
            (outcome, statistics)
        }
    }
}

/// Advances a search until it has an answer.
fn until_answered(
    mut advance: impl FnMut() -> Result<Option<Outcome>, Stop>,
) -> Result<Outcome, Stop> {
    loop {
        if let Some(outcome) = advance()? {
            return Ok(outcome);
        }
    }
}
