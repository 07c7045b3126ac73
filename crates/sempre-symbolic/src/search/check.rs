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
use crate::product::automaton::Automaton;
use crate::product::on_the_fly::OnTheFly;
use crate::reach::states::Options as Search;
use crate::relation::model::Model;
use crate::search::bounded::BoundedSearch;
use crate::search::directed::RestartedSearch;
use crate::search::options::{Algorithm, Options};
use crate::search::outcome::{Outcome, Statistics};
use crate::search::partial_traversal::PartialTraversals;
use crate::search::prepared::{Prepared, prepare_here};
use crate::thread_clock::ThreadClock;
use crate::turns::Participant;
use sempre_base::Stop;
use sempre_base::stop::{Cancel, cancellable, under};
use sempre_model::{Expr, Program};
use std::thread::Builder;

/// Looks for a run of the program that the automaton, which observes the propositions, accepts.
pub fn check(
    program: &Program,
    propositions: &[Expr],
    automaton: &(dyn Automaton + Sync),
    options: &Options<'_>,
) -> (Outcome, Statistics) {
    let question = (program, propositions, automaton);
    run_in_turns(question, options, |options, participant| {
        let search = Search {
            strategy: options.strategy,
            limits: options.limits.clone(),
            progress: options.progress,
            // The search near the initial states does it.
            interleaved: participant.is_none(),
            ..Search::default()
        };
        match prepare_here(program, &search, participant) {
            Err(stopped) => {
                let (stop, statistics) = *stopped;
                (Outcome::Stopped(stop), statistics)
            }
            Ok(prepared) => {
                let before = prepared.peak_nodes;
                let (outcome, mut statistics) =
                    prepared.check_here(propositions, automaton, options);
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
        automaton: &(dyn Automaton + Sync),
        options: &Options<'_>,
    ) -> (Outcome, Statistics) {
        let program = self.model.program();
        let question = (program, propositions, automaton);
        run_in_turns(question, options, |options, participant| {
            let mut prepared = self;
            prepared.forest.set_participant(participant.cloned());
            prepared.check_here(propositions, automaton, options)
        })
    }
}

/// A program, propositions, and the automaton that observes them.
type Question<'a> = (&'a Program, &'a [Expr], &'a (dyn Automaton + Sync));

/// Asks a question by one road or by all in turns; `over_all` is the one over all states of the model.
fn run_in_turns(
    question: Question<'_>,
    options: &Options<'_>,
    over_all: impl FnOnce(&Options<'_>, Option<&Participant>) -> (Outcome, Statistics) + Send,
) -> (Outcome, Statistics) {
    let levels = question.0.cells() + 1;
    // Without variables there is nothing to go level by level through.
    if options.algorithm == Algorithm::Owcty || levels == 1 {
        return on_a_deep_stack(levels, || over_all(options, None));
    }
    if options.algorithm != Algorithm::Turns {
        return on_a_deep_stack(levels, || on_the_fly(question, options, None));
    }
    let part = |algorithm: Algorithm, of_eight: usize| Options {
        algorithm,
        limits: Limits {
            memory: options.limits.memory.map(|m| m / 8 * of_eight),
            ..options.limits.clone()
        },
        ..options.clone()
    };
    let [near, single, far, all] = Participant::group([2, 4, 2, 1]);
    let others = [
        (Algorithm::Bounded, &near, 2),
        (Algorithm::Directed, &single, 1),
        (Algorithm::Partial, &far, 1),
    ];
    let cancel = Cancel::current();
    std::thread::scope(|scope| {
        let others = others.map(|(algorithm, participant, of_eight)| {
            let options = part(algorithm, of_eight);
            let cancel = cancel.clone();
            let search = move || {
                under(&cancel, || {
                    on_a_deep_stack(levels, || {
                        with_turns(participant, || {
                            on_the_fly(question, &options, Some(participant))
                        })
                    })
                })
            };
            let thread = Builder::new().spawn_scoped(scope, search);
            if thread.is_err() {
                // The others go on without it.
                drop(participant.guard());
            }
            thread.ok()
        });
        let (mut outcome, mut statistics, _) = on_a_deep_stack(levels, || {
            with_turns(&all, || over_all(&part(Algorithm::Turns, 4), Some(&all)))
        });
        for other in others.into_iter().flatten() {
            let other = other.join();
            let (answer, counted, is_answer) =
                other.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            statistics.peak_nodes += counted.peak_nodes;
            statistics.collections += counted.collections;
            if is_answer {
                statistics.product_states = counted.product_states;
                statistics.algorithm = counted.algorithm;
                outcome = answer;
            }
        }
        (outcome, statistics)
    })
}

/// Searches while it holds the baton; is it the first to have an answer?
fn with_turns(
    participant: &Participant,
    search: impl FnOnce() -> (Outcome, Statistics),
) -> (Outcome, Statistics, bool) {
    let _seat = participant.guard();
    let (outcome, statistics) = match participant.begin() {
        Err(stop) => (Outcome::Stopped(stop), Statistics::default()),
        Ok(()) => cancellable(&Cancel::current(), search)
            .unwrap_or_else(|stop| (Outcome::Stopped(stop), Statistics::default())),
    };
    let is_answer = participant.finish(!matches!(outcome, Outcome::Stopped(_)));
    (outcome, statistics, is_answer)
}

/// Asks a question on the fly: level by level, depth first, or by single states.
fn on_the_fly(
    (program, propositions, automaton): Question<'_>,
    options: &Options<'_>,
    participant: Option<&Participant>,
) -> (Outcome, Statistics) {
    let mut forest = Forest::new(options.limits.clone());
    forest.set_participant(participant.cloned());
    let begin = ThreadClock::start();
    let semantics = (options.deadlock, options.fair);
    let mut search = || -> Result<(Outcome, Natural), Stop> {
        let forest = &mut forest;
        if options.algorithm == Algorithm::Directed {
            let few = options.first_limit.map(|nodes| nodes as usize);
            let memory = options.limits.memory.unwrap_or(usize::MAX);
            let mut search =
                RestartedSearch::new((program, propositions, automaton), semantics, few, memory);
            let outcome = until_answered(|| search.advance(forest))?;
            return Ok((outcome, search.found().into()));
        }
        let model = &mut Model::new(forest, program, None);
        let product = &mut OnTheFly::new(forest, model, propositions, automaton, semantics)?;
        let (outcome, found) = match options.algorithm {
            Algorithm::Partial => {
                let mut traversals = PartialTraversals::new(forest, product, options.first_limit);
                let outcome = until_answered(|| traversals.advance(forest, model, product))?;
                (outcome, traversals.found(forest)?)
            }
            _ => {
                let mut bounded = BoundedSearch::new(forest, product);
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
        algorithm: options.algorithm,
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
