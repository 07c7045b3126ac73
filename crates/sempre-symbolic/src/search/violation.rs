//! From a nonempty fixpoint to a run of the program.
//!
//! The run of the product comes from [`crate::search::accepting_run`]; or, if the automaton accepts every continuation,
//! from a path to such a state and an infinite run from there ([`crate::search::explicit_lasso`]). The interpreter
//! finds the actions of its steps.

use crate::dd::forest::Forest;
use crate::product::graph::Graph;
use crate::relation::model::Model;
use crate::search::accepting_run::{accepting_run, path_to};
use crate::search::explicit_lasso::explicit_lasso;
use crate::search::outcome::{Outcome, RunStep};
use crate::search::owcty::FairHull;
use sempre_base::Stop;
use sempre_model::{Interpreter, Program};

/// A run through a nonempty fixpoint.
pub(crate) fn violation(
    forest: &mut Forest,
    model: &Model<'_>,
    product: &impl Graph,
    hull: &FairHull,
) -> Result<Outcome, Stop> {
    let none = || Outcome::Defect("no accepting run in a nonempty fixpoint".to_string());
    if hull.from_accept_all {
        let (goal, inside) = (forest.get(hull.hull), forest.get(hull.reachable));
        let path = path_to(forest, product, goal, inside)?;
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
    let due: Vec<Option<usize>> = run.contributes.iter().map(due).collect();
    Ok(with_actions(model.program(), prefix, cycle, &due))
}

/// A run that starts with a path to a state from which every continuation is accepted; `None` if a step fails before an
/// infinite run is found.
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

/// A run of the program with the actions of its steps. A step of the cycle that is due to a process is an action of
/// this process, if there is one.
fn with_actions(
    program: &Program,
    prefix: Vec<Vec<i64>>,
    cycle: Vec<Vec<i64>>,
    due: &[Option<usize>],
) -> Outcome {
    match run_steps(program, prefix, cycle, due) {
        Some((prefix, cycle)) => Outcome::Violated(prefix, cycle),
        None => Outcome::Defect("no action makes a step of the run".to_string()),
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
