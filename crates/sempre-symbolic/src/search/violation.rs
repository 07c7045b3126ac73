//! From what an emptiness check found to a run of the program.
//!
//! The run of the product comes from [`crate::search::accepting_run`], or, where the automaton accepts whatever comes, from the way to such a state and a
//! run without end from there ([`crate::search::explicit_lasso`]). The actions that make its steps are asked of the interpreter.

use crate::dd::forest::Forest;
use crate::product::graph::Graph;
use crate::relation::model::Model;
use crate::search::accepting_run::{accepting_run, path_to};
use crate::search::explicit_lasso::explicit_lasso;
use crate::search::outcome::{Outcome, RunStep};
use crate::search::owcty::FairHull;
use sempre_base::Stop;
use sempre_model::{Interpreter, Program};

/// A run through a fixpoint that is not empty.
pub(crate) fn violation(
    forest: &mut Forest,
    model: &Model<'_>,
    product: &impl Graph,
    hull: &FairHull,
) -> Result<Outcome, Stop> {
    let none = || Outcome::Defect("no run in the fixpoint".to_string());
    if hull.from_accept_all {
        let (goal, with_budget) = (forest.get(hull.hull), forest.get(hull.reachable));
        let path = path_to(forest, product, goal, with_budget)?;
        let outcome = match path {
            Some(path) => violation_after(forest, model, &path)?,
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
    path: &[Vec<u32>],
) -> Result<Option<Outcome>, Stop> {
    let Some((last, before)) = path.split_last() else {
        return Ok(None);
    };
    let program = model.program();
    let Some((more, cycle)) = explicit_lasso(forest, program, model.decode(&last[1..]))? else {
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
    match run_steps(program, prefix, cycle, due) {
        Some((prefix, cycle)) => Outcome::Violated(prefix, cycle),
        None => Outcome::Defect("a step of the run that no action makes".to_string()),
    }
}

fn run_steps(
    program: &Program,
    prefix: Vec<Vec<i64>>,
    cycle: Vec<Vec<i64>>,
    due: &[Option<usize>],
) -> Option<(Vec<RunStep>, Vec<RunStep>)> {
    let interpreter = Interpreter::new(program);
    let count = prefix.len();
    let first = cycle.first()?.clone();
    let mut states: Vec<Vec<i64>> = prefix.into_iter().chain(cycle).collect();
    states.push(first);
    let mut run_steps = Vec::with_capacity(states.len());
    let involves = |action: u32, process: usize| {
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
            let best = right().find(|&a| process.is_some_and(|p| involves(a, p)));
            Some(best.or_else(|| right().next())?)
        };
        run_steps.push((pair[0].clone(), action));
    }
    let cycle = run_steps.split_off(count);
    Some((run_steps, cycle))
}
