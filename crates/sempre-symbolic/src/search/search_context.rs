//! Where climbs go ([`crate::search::directed`]): the states of a model one by one, found and numbered by the interpreter, and what is erroneous in them.

use crate::product::automaton::Observer;
use crate::product::options::Deadlock;
use crate::relation::faults::{Fault, without_value};
use rustc_hash::{FxHashMap, FxHasher};
use sempre_model::distance::distance;
use sempre_model::{Expr, Interpreter, Program};
use sempre_omega::Mark;
use sempre_omega::distance_heuristic::{DistanceHeuristic, MAX_PROPOSITIONS};
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// What is done in a step that repeats the last state of a run.
pub(crate) const STAYS: u32 = u32::MAX;

/// What does not change from one climb to the next.
pub(crate) struct Terrain<'a> {
    pub interpreter: Interpreter<'a>,
    pub propositions: &'a [Expr],
    pub observer: &'a dyn Observer,
    pub deadlock: Deadlock,
    pub guide: Option<DistanceHeuristic>,
    /// The acceptance sets of each action's processes, if runs are to be fair, and those of all processes.
    pub due: Vec<Mark>,
    pub all_due: Mark,
    /// All acceptance sets.
    pub all: Mark,
}

impl<'a> Terrain<'a> {
    /// For a program, its propositions and the automaton that observes them; what becomes of runs that end, and are they to be fair?
    pub fn new(
        (program, propositions, observer): (&'a Program, &'a [Expr], &'a dyn Observer),
        (deadlock, fair): (Deadlock, bool),
    ) -> Self {
        let sets = observer.sets();
        let count = [observer.states(), propositions.len() as u32, sets];
        let guide =
            DistanceHeuristic::of_generalized_buchi(count, &|q, letter| observer.edges(q, letter));
        let due_to = |processes: &mut dyn Iterator<Item = u32>| -> Mark {
            processes.filter(|_| fair).map(|p| sets + p).collect()
        };
        let due = (program.actions.iter())
            .map(|a| due_to(&mut a.processes.iter().map(|p| p.0)))
            .collect();
        let all_due = due_to(&mut (0..program.processes.len() as u32));
        Self {
            interpreter: Interpreter::new(program),
            propositions,
            observer,
            deadlock,
            guide,
            due,
            all: Mark::all(sets).union(&all_due),
            all_due,
        }
    }

    /// What it costs to change each proposition.
    pub fn costs(&self, state: &[i64], valuation: u64) -> [u64; MAX_PROPOSITIONS] {
        let mut costs = [0; MAX_PROPOSITIONS];
        for (i, (p, cost)) in self.propositions.iter().zip(&mut costs).enumerate() {
            let holds = valuation >> i & 1 == 1;
            *cost = distance(&self.interpreter, p, state, !holds).max(1);
        }
        costs
    }
}

/// A state by its cells, whose hash is not computed again when a table grows.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    hash: u64,
    cells: Arc<[i64]>,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}

/// The states of the model that were met.
#[derive(Default)]
pub(crate) struct States {
    numbers: FxHashMap<Key, u32>,
    pub cells: Vec<Arc<[i64]>>,
    /// The propositions that are true in each; one without a value is not.
    pub valuations: Vec<u64>,
    /// The steps from those that were entered.
    pub next: Vec<Option<Arc<Next>>>,
    pub bytes: usize,
    /// Something erroneous in a state that was entered.
    pub fault: Option<Fault>,
}

/// The steps from a state that do not fail: actions, and where they lead.
pub(crate) struct Next {
    pub steps: Vec<(u32, u32)>,
    /// The acceptance sets of the processes that are not enabled, if runs are to be fair.
    pub idle: Mark,
}

impl States {
    pub fn number(&mut self, terrain: &Terrain<'_>, state: Vec<i64>) -> u32 {
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        let cells: Arc<[i64]> = state.into();
        let key = Key {
            hash: hasher.finish(),
            cells: cells.clone(),
        };
        let number = self.cells.len() as u32;
        match self.numbers.entry(key) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(place) => place.insert(number),
        };
        let holds = |p: &Expr| terrain.interpreter.holds(p, &cells) == Ok(true);
        let propositions = terrain.propositions.iter().enumerate();
        let valuation = propositions.fold(0, |v, (i, p)| v | u64::from(holds(p)) << i);
        // The entries of tables and lists, as far as can be told.
        self.bytes += size_of_val(&*cells) + 128;
        self.cells.push(cells);
        self.valuations.push(valuation);
        self.next.push(None);
        number
    }

    pub fn next(&mut self, terrain: &Terrain<'_>, state: u32, work: &mut u64) -> Arc<Next> {
        if let Some(next) = &self.next[state as usize] {
            return next.clone();
        }
        let cells = self.cells[state as usize].clone();
        let found = terrain.interpreter.successors(&cells);
        *work += (terrain.due.len() + found.len() * cells.len()) as u64;
        self.look_for_faults(terrain, &cells);
        let mut idle = terrain.all_due.clone();
        let mut steps = Vec::with_capacity(found.len());
        if found.is_empty() && terrain.deadlock == Deadlock::Stutter {
            steps.push((STAYS, state));
        }
        for (action, to) in found {
            // Actions that fail are enabled, too.
            idle = idle.minus(&terrain.due[action as usize]);
            match to {
                Ok(to) => steps.push((action, self.number(terrain, to))),
                Err(error) => {
                    let program = terrain.interpreter.program();
                    self.fault.get_or_insert_with(|| Fault {
                        state: cells.to_vec(),
                        action: Some(action),
                        message: error.show(program).to_string(),
                    });
                }
            }
        }
        self.bytes += size_of_val(&steps[..]) + size_of::<Next>();
        let next = Arc::new(Next { steps, idle });
        self.next[state as usize] = Some(next.clone());
        next
    }

    /// Assertions that do not hold, propositions without a value.
    fn look_for_faults(&mut self, terrain: &Terrain<'_>, state: &[i64]) {
        if self.fault.is_some() {
            return;
        }
        let (interpreter, program) = (&terrain.interpreter, terrain.interpreter.program());
        let failed = interpreter.failed_assertions(state).into_iter();
        let failed = failed.map(|e| e.show(program).to_string());
        let without = terrain
            .propositions
            .iter()
            .enumerate()
            .filter_map(|(i, p)| {
                let error = interpreter.value(p, state).err()?;
                Some(without_value(i, &error.show(program).to_string()))
            });
        self.fault = failed.chain(without).next().map(|message| Fault {
            state: state.to_vec(),
            action: None,
            message,
        });
    }
}
