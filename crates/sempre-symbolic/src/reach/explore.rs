//! Exploration: the reachable states, their number, transitions, deadlocks and errors.

use crate::dd::forest::Forest;
use crate::dd::natural::Natural;
use crate::dd::node::Root;
use crate::deep_stack::on_a_deep_stack;
use crate::reach::states::{Options, reachable_states};
use crate::relation::faults::Fault;
use crate::relation::model::Model;
use crate::thread_clock::ThreadClock;
use sempre_base::Stop;
use sempre_model::ir::Program;
use std::time::{Duration, Instant};

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// Why it ended early, if it did.
    pub stopped: Option<Stop>,
    /// Number of states; none if it ended early.
    pub states: Option<Natural>,
    /// Number of transitions; none if it ended early.
    pub transitions: Option<Natural>,
    /// Number of deadlocks; none if it ended early.
    pub deadlocks: Option<Natural>,
    /// Errors: at most one state for each action and assertion.
    pub faults: Vec<Fault>,
    /// Nodes of the set of states.
    pub nodes: usize,
    /// The greatest number of nodes, dead ones included.
    pub peak_nodes: usize,
    /// Number of garbage collections.
    pub collections: u64,
    /// Bytes of nodes, tables and caches at the end.
    pub bytes: usize,
    /// Number of groups of events.
    pub groups: usize,
    /// CPU time until all states were found.
    pub search: Duration,
    /// Wall time of everything.
    pub elapsed: Duration,
}

/// Explores a program with this variable order, or with one from FORCE.
pub fn explore(program: &Program, order: Option<Vec<u32>>, options: &Options<'_>) -> Exploration {
    on_a_deep_stack(program.cells(), || {
        explore_here(program, order.clone(), options)
    })
}

fn explore_here(program: &Program, order: Option<Vec<u32>>, options: &Options<'_>) -> Exploration {
    let begin = Instant::now();
    let clock = ThreadClock::start();
    let (mut forest, mut model, states) = reachable_states(program, order, options, None);
    let mut result = Exploration {
        stopped: None,
        states: None,
        transitions: None,
        deadlocks: None,
        faults: Vec::new(),
        nodes: 0,
        peak_nodes: 0,
        collections: 0,
        bytes: 0,
        groups: model.group_count(),
        search: clock.elapsed(),
        elapsed: Duration::ZERO,
    };
    let filled = states.and_then(|states| fill(&mut forest, &mut model, states, &mut result));
    if let Err(stop) = filled {
        result.stopped = Some(stop);
    }
    result.peak_nodes = forest.peak_nodes();
    result.collections = forest.collections();
    result.bytes = forest.bytes();
    result.elapsed = begin.elapsed();
    result
}

fn fill(
    forest: &mut Forest,
    model: &mut Model<'_>,
    states: Root,
    result: &mut Exploration,
) -> Result<(), Stop> {
    let set = forest.get(states);
    result.nodes = forest.size(set);
    // Drops the cached results of the search: their memory is needed now.
    forest.shrink_caches();
    result.states = Some(forest.try_count(set)?);
    result.faults = model.faults(forest, set)?;
    let stuck = model.deadlocks(forest, set)?;
    result.deadlocks = Some(forest.try_count(stuck)?);
    forest.shrink_caches();
    result.transitions = Some(model.transitions(forest, set)?);
    Ok(())
}
