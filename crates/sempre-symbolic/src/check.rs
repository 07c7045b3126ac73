//! A check from end to end: the states of a program, the product with an automaton, an accepting run of it.
//!
//! A program may do something erroneous somewhere. An accepting run is one all the same, if all of its own steps are right;
//! but that there is none is said only if nothing is erroneous in all states that the automaton comes to.

use crate::collect::{Limits, Stop};
use crate::forest::{EMPTY, Forest, Node};
use crate::lasso::accepting_run;
use crate::model::{Fault, Model};
use crate::natural::Natural;
use crate::observer::Observer;
use crate::owcty::owcty;
use crate::product::{Deadlock, Product};
use crate::reach::{Options as Search, Progress, on_a_deep_stack, reachable};
use sempre_model::footprint::can_fail;
use sempre_model::{Expr, Interpreter, Program};
use std::time::{Duration, Instant};

/// How to check.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// Only runs that are weakly fair to each process count.
    pub fair: bool,
    /// Reachability in the product by chaining instead of saturation.
    pub no_saturation: bool,
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

/// What was counted.
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
}

/// Looks for a run of the program that the automaton, which observes the propositions, accepts.
pub fn check(
    program: &Program,
    propositions: &[Expr],
    observer: &(dyn Observer + Sync),
    options: &Options<'_>,
) -> (Outcome, Statistics) {
    on_a_deep_stack(program.cells() + 1, || {
        let mut statistics = Statistics::default();
        let mut forest = Forest::new(options.limits);
        let found = search(
            &mut forest,
            program,
            propositions,
            observer,
            options,
            &mut statistics,
        );
        statistics.peak_nodes = forest.peak_nodes();
        statistics.collections = forest.collections();
        (found.unwrap_or_else(Outcome::Stopped), statistics)
    })
}

fn search(
    forest: &mut Forest,
    program: &Program,
    propositions: &[Expr],
    observer: &dyn Observer,
    options: &Options<'_>,
    statistics: &mut Statistics,
) -> Result<Outcome, Stop> {
    let begin = Instant::now();
    let mut model = Model::new(forest, program, None);
    let found = Search {
        limits: options.limits,
        progress: options.progress,
        ..Search::default()
    };
    let states = reachable(forest, &mut model, &found)?;
    let set = forest.get(states);
    statistics.model_states = Some(forest.count(set));
    let stuck = model.deadlocks(forest, set)?;
    let stuck = forest.keep(stuck);
    statistics.model_time = begin.elapsed();
    let begin = Instant::now();
    let pair = (forest.get(states), forest.get(stuck));
    let mut product = Product::new(
        forest,
        &mut model,
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
    let hull = owcty(forest, &product)?;
    let reached = forest.get(hull.reachable);
    statistics.product_states = Some(forest.count(reached));
    if forest.get(hull.hull) == EMPTY {
        let visited = if reached == EMPTY {
            EMPTY
        } else {
            forest.guarded(&[reached], |f| f.union_of_downs(reached))?
        };
        let fault = first_fault(forest, &mut model, visited, propositions)?;
        return Ok(fault.map_or(Outcome::Empty, Outcome::Failed));
    }
    let Some(run) = accepting_run(forest, &product, &hull)? else {
        return Ok(Outcome::Defect("no run in the fixpoint".to_string()));
    };
    let state = |v: &Vec<u32>| model.decode(&v[1..]);
    let prefix: Vec<Vec<i64>> = run.prefix.iter().map(state).collect();
    let cycle: Vec<Vec<i64>> = run.cycle.iter().map(state).collect();
    let due = |w: &Option<usize>| w.and_then(|set| product.process_of(set));
    let due: Vec<Option<usize>> = run.wanted.iter().map(due).collect();
    Ok(match with_actions(program, prefix, cycle, &due) {
        Some((prefix, cycle)) => Outcome::Violated(prefix, cycle),
        None => Outcome::Defect("a step of the run that no action makes".to_string()),
    })
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
