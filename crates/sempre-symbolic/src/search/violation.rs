//! From what an emptiness check found to a run of the program.
//!
//! The run of the product comes from [`crate::search::accepting_run`], or, where the automaton accepts whatever comes, from the way to such a state and a
//! run without end from there ([`crate::search::explicit_lasso`]). The actions that make its steps are asked of the interpreter.

use crate::dd::forest::Forest;
use crate::product::graph::Graph;
use crate::relation::model::Model;
use crate::search::accepting_run::{accepting_run, way_to};
use crate::search::explicit_lasso::endless;
use crate::search::outcome::{Moment, Outcome};
use crate::search::owcty::Hull;
use sempre_base::Stop;
use sempre_model::{Interpreter, Program};

/// A run through a fixpoint that is not empty.
pub(crate) fn violation(
    forest: &mut Forest,
    model: &Model<'_>,
    product: &impl Graph,
    hull: &Hull,
) -> Result<Outcome, Stop> {
    let none = || Outcome::Defect("no run in the fixpoint".to_string());
    if hull.is_certain {
        let (goal, within) = (forest.get(hull.hull), forest.get(hull.reachable));
        let way = way_to(forest, product, goal, within)?;
        let outcome = match way {
            Some(way) => violation_after(forest, model, &way)?,
            None => None,
        };
        return Ok(outcome.unwrap_or_else(none));
    }
    let Some(run) = accepting_run(forest, product, hull)? else {
        return Ok(none());
    };
    let state = |v: &Vec<u32>| model.decode(&v[1..]);
    let prefix = run.prefix.iter().map(state).collect();
    let cycle = run.cycle.iter().map(state).collect();
    let due = |w: &Option<usize>| w.and_then(|set| product.process_of(set));
    let due: Vec<Option<usize>> = run.wanted.iter().map(due).collect();
    Ok(with_actions(model.program(), prefix, cycle, &due))
}

/// A run that begins with a way to where whatever comes is accepted; none if a step fails before it can go on without end.
pub(crate) fn violation_after(
    forest: &Forest,
    model: &Model<'_>,
    way: &[Vec<u32>],
) -> Result<Option<Outcome>, Stop> {
    let Some((last, before)) = way.split_last() else {
        return Ok(None);
    };
    let program = model.program();
    let Some((more, cycle)) = endless(forest, program, model.decode(&last[1..]))? else {
        return Ok(None);
    };
    let mut prefix: Vec<Vec<i64>> = before.iter().map(|v| model.decode(&v[1..])).collect();
    prefix.extend(more);
    let due = vec![None; cycle.len()];
    Ok(Some(with_actions(program, prefix, cycle, &due)))
}

/// A run of the program with the actions that make its steps. Where the step from a state of the cycle is due to a process, that takes
/// part if it can.
fn with_actions(
    program: &Program,
    prefix: Vec<Vec<i64>>,
    cycle: Vec<Vec<i64>>,
    due: &[Option<usize>],
) -> Outcome {
    match moments(program, prefix, cycle, due) {
        Some((prefix, cycle)) => Outcome::Violated(prefix, cycle),
        None => Outcome::Defect("a step of the run that no action makes".to_string()),
    }
}

fn moments(
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
