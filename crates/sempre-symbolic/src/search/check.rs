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

use crate::dd::forest::{EMPTY, Forest, Kept, Node};
use crate::dd::natural::Natural;
use crate::dd::unique_table::{Limits, Stop};
use crate::product::automaton::Observer;
use crate::product::on_the_fly::OnTheFly;
use crate::product::symbolic_product::{Deadlock, Manner, Product, Reachability};
use crate::reach::states::{Options as Search, Progress, Strategy, on_a_deep_stack, states_of};
use crate::relation::model::{Fault, Model};
use crate::search::bounded::Bounded;
use crate::search::directed::Climbs;
use crate::search::owcty::owcty;
use crate::search::partial_traversal::Dives;
use crate::search::underapproximation::{FewerEvents, PATIENCE};
use crate::search::violation::violation;
use crate::thread_clock::Clock;
use crate::turns::Baton;
use sempre_base::stop::{Cancel, cancellable, under};
use sempre_model::footprint::can_fail;
use sempre_model::{Expr, Interpreter, Program};
use std::thread::Builder;
use std::time::Duration;

/// A road to an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Road {
    /// All in turns; whoever has an answer first is heard.
    #[default]
    InTurns,
    /// All states of the model first.
    Owcty,
    /// Level by level from the initial states, on the fly.
    Bounded,
    /// Depth first, a few states at a time, on the fly.
    Dive,
    /// Depth first, by single states, towards what the automaton waits for.
    Climb,
}

impl Road {
    /// Those that can be asked for, and their names.
    pub const ALL: [(Road, &'static str); 4] = [
        (Road::Owcty, "owcty"),
        (Road::Bounded, "bounded"),
        (Road::Dive, "dive"),
        (Road::Climb, "climb"),
    ];
}

/// How to check.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// Only runs that are weakly fair to each process count.
    pub fair: bool,
    /// How the model's states are found; a saturation that gets long is helped.
    pub strategy: Strategy,
    /// How reachability in the product is computed.
    pub reachability: Reachability,
    /// Which road to take.
    pub road: Road,
    /// Nodes after which the first dives and climbs are given up, if not as many as usual.
    pub dive: Option<u64>,
    /// Nodes after which a run is looked for with fewer events, if not as many as usual.
    pub patience: Option<u64>,
    /// Count the steps that change no proposition, if the automaton reads changes.
    pub count_stuttering: bool,
    /// When to give up.
    pub limits: Limits,
    /// Told now and then.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

/// A state, and the action that leads from it to the next; none where it stutters in a deadlock.
pub type Moment = (Vec<i64>, Option<u32>);

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The product has no accepting run, and all of it was looked at.
    Empty,
    /// A run of the program that the automaton accepts: what happens once, and what happens for ever.
    Violated(Vec<Moment>, Vec<Moment>),
    /// It ended before its time.
    Stopped(Stop),
    /// The program does something erroneous, so that its runs are not what they seem, and no accepting one was found.
    Failed(Fault),
    /// A defect of ours, in words.
    Defect(String),
}

/// What was counted. Times are those that the thread has worked.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// States of the model.
    pub model_states: Option<Natural>,
    /// States of the product; those that were found, if only some are near the initial states and that was enough.
    pub product_states: Option<Natural>,
    /// The most nodes at a time, dead ones included.
    pub peak_nodes: usize,
    /// Number of garbage collections.
    pub collections: u64,
    /// The time until the model's states were known.
    pub model_time: Duration,
    /// The time that the relations of the product took.
    pub product_time: Duration,
    /// The time until it was known whether there is an accepting run.
    pub search_time: Duration,
    /// The time that finding one took.
    pub run_time: Duration,
    /// The share of the model's steps that change no proposition, if it was asked for.
    pub stuttering: Option<f64>,
    /// Who was done first.
    pub road: Road,
}

/// A program whose states are known.
#[derive(Clone, Debug)]
pub struct Prepared<'p> {
    forest: Forest,
    model: Model<'p>,
    states: Kept,
    deadlocks: Kept,
    number: Natural,
    peak_nodes: usize,
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

fn prepare_here<'p>(
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

    fn check_here(
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

/// What is said of a proposition without a value.
pub(crate) fn without_value(proposition: usize, error: &str) -> String {
    format!("proposition {proposition} has no value: {error}")
}

/// Something erroneous in a state of a set: a step, an assertion, a proposition without a value.
pub(crate) fn first_fault(
    forest: &mut Forest,
    model: &mut Model<'_>,
    set: Node,
    propositions: &[Expr],
) -> Result<Option<Fault>, Stop> {
    let kept = forest.keep(set);
    let mut fault = model.faults(forest, set)?.into_iter().next();
    for (i, p) in propositions.iter().enumerate() {
        let program = model.program();
        let set = forest.get(kept);
        if fault.is_none()
            && can_fail(program, p)
            && let Some(state) = model.without_value(forest, set, p)?
        {
            let error = Interpreter::new(program).value(p, &state).err();
            let error = error.map_or(String::new(), |e| e.show(program).to_string());
            fault = Some(Fault {
                state,
                action: None,
                message: without_value(i, &error),
            });
        }
    }
    forest.release(kept);
    Ok(fault)
}
