//! A check from end to end: four algorithms in turns, or one of them.
//!
//! A program may have errors somewhere. An accepting run counts all the same, if its own steps do not fail; but the
//! outcome is [`Outcome::Empty`] only if there is no error in any state that the product visits.
//!
//! The states of a program do not depend on the property, so [`Prepared`] keeps them for several checks.
//!
//! Most violations are near the initial states, some are very far away, and finding all states of the model first may
//! take long. So three searches on the fly, breadth-first ([`crate::search::bounded`]), by partial traversal
//! ([`crate::search::partial_traversal`]) and by directed search ([`crate::search::directed`]), take turns with the
//! check over all states ([`crate::search::prepared`], [`crate::turns`]). The first answer ends the others. Each has a
//! forest of its own. The check over all states has half of the memory and four ninths of the work; directed search has
//! half as much work as each of the other two.

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

/// Searches for a run of the program that the automaton over these propositions accepts.
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
            // Bounded search takes its place.
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
    /// Searches for a run that the automaton over these propositions accepts. Peak nodes are counted from the reachable
    /// states on, these included.
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

/// A program, propositions, and an automaton over them.
type Question<'a> = (&'a Program, &'a [Expr], &'a (dyn Automaton + Sync));

/// Runs one algorithm, or all in turns; `over_all` is the check over all states of the model.
fn run_in_turns(
    question: Question<'_>,
    options: &Options<'_>,
    over_all: impl FnOnce(&Options<'_>, Option<&Participant>) -> (Outcome, Statistics) + Send,
) -> (Outcome, Statistics) {
    let levels = question.0.cells() + 1;
    // Without variables there are no levels to search.
    if options.algorithm == Algorithm::Owcty || levels == 1 {
        return on_a_deep_stack(levels, || over_all(options, None));
    }
    if options.algorithm != Algorithm::Turns {
        return on_a_deep_stack(levels, || on_the_fly(question, options, None));
    }
    let with_share = |algorithm: Algorithm, of_eight: usize| Options {
        algorithm,
        limits: Limits {
            memory: options.limits.memory.map(|m| m / 8 * of_eight),
            ..options.limits.clone()
        },
        ..options.clone()
    };
    let [bounded, directed, partial, complete] = Participant::group([2, 4, 2, 1]);
    let others = [
        (Algorithm::Bounded, &bounded, 2),
        (Algorithm::Directed, &directed, 1),
        (Algorithm::Partial, &partial, 1),
    ];
    let cancel = Cancel::current();
    std::thread::scope(|scope| {
        let others = others.map(|(algorithm, participant, of_eight)| {
            let options = with_share(algorithm, of_eight);
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
                // The others continue without it.
                drop(participant.guard());
            }
            thread.ok()
        });
        let (mut outcome, mut statistics, _) = on_a_deep_stack(levels, || {
            with_turns(&complete, || {
                over_all(&with_share(Algorithm::Turns, 4), Some(&complete))
            })
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

/// Runs a search as a participant. Returns whether it has the first answer.
fn with_turns(
    participant: &Participant,
    search: impl FnOnce() -> (Outcome, Statistics),
) -> (Outcome, Statistics, bool) {
    let _guard = participant.guard();
    let (outcome, statistics) = match participant.begin() {
        Err(stop) => (Outcome::Stopped(stop), Statistics::default()),
        Ok(()) => cancellable(&Cancel::current(), search)
            .unwrap_or_else(|stop| (Outcome::Stopped(stop), Statistics::default())),
    };
    let is_answer = participant.finish(!matches!(outcome, Outcome::Stopped(_)));
    (outcome, statistics, is_answer)
}

/// Runs a search on the fly.
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

/// Advances a search until it is decided.
fn until_answered(
    mut advance: impl FnMut() -> Result<Option<Outcome>, Stop>,
) -> Result<Outcome, Stop> {
    loop {
        if let Some(outcome) = advance()? {
            return Ok(outcome);
        }
    }
}
