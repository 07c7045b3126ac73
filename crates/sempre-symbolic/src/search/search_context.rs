//! Explicit states for [`crate::search::directed`]: numbered, expanded by the interpreter, and checked for errors.

use crate::product::automaton::Automaton;
use crate::product::options::Deadlock;
use crate::relation::faults::{Fault, undefined};
use rustc_hash::{FxHashMap, FxHasher};
use sempre_model::distance::distance;
use sempre_model::{Expr, Interpreter, Program};
use sempre_omega::Mark;
use sempre_omega::distance_heuristic::{DistanceHeuristic, MAX_PROPOSITIONS};
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The action of a stuttering step.
pub(crate) const STUTTER: u32 = u32::MAX;

/// What all searches share.
pub(crate) struct SearchContext<'a> {
    pub interpreter: Interpreter<'a>,
    pub propositions: &'a [Expr],
    pub automaton: &'a dyn Automaton,
    pub deadlock: Deadlock,
    pub guide: Option<DistanceHeuristic>,
    /// For fairness: the acceptance sets of each action's processes, and those of all processes.
    pub fair_sets: Vec<Mark>,
    pub all_fair_sets: Mark,
    /// All acceptance sets.
    pub all: Mark,
}

impl<'a> SearchContext<'a> {
    /// For a program, its propositions and an automaton over them; with the treatment of finite runs, and whether runs
    /// are to be fair.
    pub(crate) fn new(
        (program, propositions, automaton): (&'a Program, &'a [Expr], &'a dyn Automaton),
        (deadlock, fair): (Deadlock, bool),
    ) -> Self {
        let sets = automaton.sets();
        let count = [automaton.states(), propositions.len() as u32, sets];
        let guide =
            DistanceHeuristic::of_generalized_buchi(count, &|q, letter| automaton.edges(q, letter));
        let fairness_process = |processes: &mut dyn Iterator<Item = u32>| -> Mark {
            processes.filter(|_| fair).map(|p| sets + p).collect()
        };
        let fair_sets = (program.actions.iter())
            .map(|a| fairness_process(&mut a.processes.iter().map(|p| p.0)))
            .collect();
        let all_fair_sets = fairness_process(&mut (0..program.processes.len() as u32));
        Self {
            interpreter: Interpreter::new(program),
            propositions,
            automaton,
            deadlock,
            guide,
            fair_sets,
            all: Mark::all(sets).union(&all_fair_sets),
            all_fair_sets,
        }
    }

    /// The estimated cost of changing each proposition.
    pub(crate) fn costs(&self, state: &[i64], valuation: u64) -> [u64; MAX_PROPOSITIONS] {
        let mut costs = [0; MAX_PROPOSITIONS];
        for (i, (p, cost)) in self.propositions.iter().zip(&mut costs).enumerate() {
            let holds = valuation >> i & 1 == 1;
            *cost = distance(&self.interpreter, p, state, !holds).max(1);
        }
        costs
    }
}

/// The cells of a state with their hash, which is not recomputed when the table grows.
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

/// The states of the model found so far.
#[derive(Default)]
pub(crate) struct StateTable {
    numbers: FxHashMap<Key, u32>,
    pub cells: Vec<Arc<[i64]>>,
    /// The propositions that are true in each state; one without a value counts as false.
    pub valuations: Vec<u64>,
    /// The steps from the expanded states.
    pub next: Vec<Option<Arc<Successors>>>,
    pub bytes: usize,
    /// The first error in an expanded state.
    pub fault: Option<Fault>,
}

/// The steps from a state that do not fail: actions and targets.
pub(crate) struct Successors {
    pub steps: Vec<(u32, u32)>,
    /// For fairness: the acceptance sets of the processes that are not enabled.
    pub idle: Mark,
}

impl StateTable {
    pub(crate) fn number(&mut self, context: &SearchContext<'_>, state: Vec<i64>) -> u32 {
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        let cells: Arc<[i64]> = state.into();
        let key = Key {
            hash: hasher.finish(),
            cells: cells.clone(),
        };
        let number = self.cells.len() as u32;
        match self.numbers.entry(key) {
            Entry::Occupied(entry) => return *entry.get(),
            Entry::Vacant(place) => place.insert(number),
        };
        let holds = |p: &Expr| context.interpreter.holds(p, &cells) == Ok(true);
        let propositions = context.propositions.iter().enumerate();
        let valuation = propositions.fold(0, |v, (i, p)| v | u64::from(holds(p)) << i);
        // An estimate of table and list entries.
        self.bytes += size_of_val(&*cells) + 128;
        self.cells.push(cells);
        self.valuations.push(valuation);
        self.next.push(None);
        number
    }

    pub(crate) fn next(
        &mut self,
        context: &SearchContext<'_>,
        state: u32,
        work: &mut u64,
    ) -> Arc<Successors> {
        if let Some(next) = &self.next[state as usize] {
            return next.clone();
        }
        let cells = self.cells[state as usize].clone();
        let found = context.interpreter.successors(&cells);
        *work += (context.fair_sets.len() + found.len() * cells.len()) as u64;
        self.check_assertions(context, &cells);
        let mut idle = context.all_fair_sets.clone();
        let mut steps = Vec::with_capacity(found.len());
        if found.is_empty() && context.deadlock == Deadlock::Stutter {
            steps.push((STUTTER, state));
        }
        for (action, to) in found {
            // An action that fails is enabled, too.
            idle = idle.minus(&context.fair_sets[action as usize]);
            match to {
                Ok(to) => steps.push((action, self.number(context, to))),
                Err(error) => {
                    let program = context.interpreter.program();
                    self.fault.get_or_insert_with(|| Fault {
                        state: cells.to_vec(),
                        action: Some(action),
                        message: error.show(program).to_string(),
                    });
                }
            }
        }
        self.bytes += size_of_val(&steps[..]) + size_of::<Successors>();
        let next = Arc::new(Successors { steps, idle });
        self.next[state as usize] = Some(next.clone());
        next
    }

    /// Records a violated assertion, or a proposition without a value.
    fn check_assertions(&mut self, context: &SearchContext<'_>, state: &[i64]) {
        if self.fault.is_some() {
            return;
        }
        let (interpreter, program) = (&context.interpreter, context.interpreter.program());
        let failed = interpreter.failed_assertions(state).into_iter();
        let failed = failed.map(|e| e.show(program).to_string());
        let without = context
            .propositions
            .iter()
            .enumerate()
            .filter_map(|(i, p)| {
                let error = interpreter.value(p, state).err()?;
                Some(undefined(i, &error.show(program).to_string()))
            });
        self.fault = failed.chain(without).next().map(|message| Fault {
            state: state.to_vec(),
            action: None,
            message,
        });
    }
}
