//! A check from end to end: the states of a program, the product with an automaton, an accepting run of it.
//!
//! A program may do something erroneous somewhere. An accepting run is one all the same, if all of its own steps are right;
//! but that there is none is said only if nothing is erroneous in all states that the automaton comes to.
//!
//! The states of a program are the same whatever is asked of them, so [`Prepared`] keeps them for several checks.

use crate::clock::Clock;
use crate::collect::{Limits, Stop};
use crate::forest::{EMPTY, Forest, Kept, Node};
use crate::lasso::accepting_run;
use crate::model::{Fault, Model};
use crate::natural::Natural;
use crate::observer::Observer;
use crate::owcty::owcty;
use crate::product::{Deadlock, Product};
use crate::reach::{Options as Search, Progress, Strategy, on_a_deep_stack, states_of};
use sempre_model::footprint::can_fail;
use sempre_model::{Expr, Interpreter, Program};
use std::time::Duration;

/// How to check.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// Only runs that are weakly fair to each process count.
    pub fair: bool,
    /// How the model's states are found; a saturation that gets long is helped.
    pub strategy: Strategy,
    /// Reachability in the product by chaining instead of saturation.
    pub no_saturation: bool,
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
    /// States of the product.
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
    on_a_deep_stack(program.cells() + 1, || {
        let begin = Clock::start();
        let search = Search {
            strategy,
            limits,
            progress,
            beside: true,
            ..Search::default()
        };
        let (mut forest, mut model, found) = states_of(program, None, &search);
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
    })
}

/// Looks for a run of the program that the automaton, which observes the propositions, accepts.
pub fn check(
    program: &Program,
    propositions: &[Expr],
    observer: &(dyn Observer + Sync),
    options: &Options<'_>,
) -> (Outcome, Statistics) {
    match prepare(program, options.strategy, options.limits, options.progress) {
        Err(stopped) => {
            let (stop, statistics) = *stopped;
            (Outcome::Stopped(stop), statistics)
        }
        Ok(prepared) => {
            let before = prepared.peak_nodes;
            let (outcome, mut statistics) = prepared.check(propositions, observer, options);
            statistics.peak_nodes = statistics.peak_nodes.max(before);
            (outcome, statistics)
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
        let mut prepared = self;
        on_a_deep_stack(prepared.model.order().len() + 1, move || {
            let mut statistics = Statistics {
                model_states: Some(prepared.number.clone()),
                model_time: prepared.time,
                ..Statistics::default()
            };
            prepared.forest.set_limits(options.limits);
            prepared.forest.forget_counts();
            let found = prepared.search(propositions, observer, options, &mut statistics);
            statistics.peak_nodes = prepared.forest.peak_nodes();
            statistics.collections = prepared.forest.collections();
            (found.unwrap_or_else(Outcome::Stopped), statistics)
        })
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
        let mut product = Product::new(
            forest,
            model,
            pair,
            propositions,
            observer,
            options.deadlock,
            options.fair,
        )?;
        if options.no_saturation {
            product.without_saturation();
        }
        statistics.product_time = begin.elapsed();
        if options.count_stuttering {
            let (all, same) = product.stuttering(forest, forest.get(self.states));
            statistics.stuttering = Some(same.to_f64() / all.to_f64().max(1.0));
        }
        let begin = Clock::start();
        let hull = owcty(forest, &product)?;
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
        let run = accepting_run(forest, &product, &hull)?;
        statistics.run_time = begin.elapsed();
        let Some(run) = run else {
            return Ok(Outcome::Defect("no run in the fixpoint".to_string()));
        };
        let state = |v: &Vec<u32>| model.decode(&v[1..]);
        let prefix: Vec<Vec<i64>> = run.prefix.iter().map(state).collect();
        let cycle: Vec<Vec<i64>> = run.cycle.iter().map(state).collect();
        let due = |w: &Option<usize>| w.and_then(|set| product.process_of(set));
        let due: Vec<Option<usize>> = run.wanted.iter().map(due).collect();
        Ok(match with_actions(model.program(), prefix, cycle, &due) {
            Some((prefix, cycle)) => Outcome::Violated(prefix, cycle),
            None => Outcome::Defect("a step of the run that no action makes".to_string()),
        })
    }
}

/// Something erroneous in a state of a set: a step, an assertion, a proposition without a value.
fn first_fault(
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
                message: format!("proposition {i} has no value: {error}"),
            });
        }
    }
    forest.release(kept);
    Ok(fault)
}

/// The actions that make the steps. Where the step from a state of the cycle is due to a process, that takes part if it can.
fn with_actions(
    program: &Program,
    prefix: Vec<Vec<i64>>,
    cycle: Vec<Vec<i64>>,
    due: &[Option<usize>],
) -> Option<(Vec<Moment>, Vec<Moment>)> {
    let interpreter = Interpreter::new(program);
    let count = prefix.len();
    let first = cycle.first()?.clone();
    let mut states: Vec<Vec<i64>> = prefix.into_iter().chain(cycle).collect();
    states.push(first);
    let mut moments = Vec::with_capacity(states.len());
    let takes_part = |action: u32, process: usize| {
        let processes = &program.actions[action as usize].processes;
        processes.iter().any(|p| p.0 as usize == process)
    };
    for (i, pair) in states.windows(2).enumerate() {
        let process = i.checked_sub(count).and_then(|i| due[i]);
        let steps = interpreter.successors(&pair[0]);
        let action = if steps.is_empty() && pair[0] == pair[1] {
            None
        } else {
            let next = Ok(pair[1].clone());
            let right = || steps.iter().filter(|(_, to)| *to == next).map(|s| s.0);
            let best = right().find(|&a| process.is_some_and(|p| takes_part(a, p)));
            Some(best.or_else(|| right().next())?)
        };
        moments.push((pair[0].clone(), action));
    }
    let cycle = moments.split_off(count);
    Some((moments, cycle))
}
