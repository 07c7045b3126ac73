//! The product of a system and a property automaton, on the fly.
//!
//! A state of the product is a state of the system and one of the automaton, stored together in one table of packed
//! states: the automaton's part goes into bits that the system's states leave free, or else into a word of its
//! own. An edge of the automaton reads the state that the system leaves: the propositions are evaluated once in a
//! state, a lookup gives the automaton's edges ([`crate::property`]), and only if there are any is the system asked for
//! successors. A testing automaton ([`crate::testing_property`]) looks at what changes from a state to the next instead: the
//! observed propositions are kept beside each state, so that they are evaluated once, when the state is found,
//! and not at all if the action that led there cannot change them.
//!
//! # Acceptance sets
//! In this order: those of the automaton; those of the model's own edges; with weak fairness, one for each
//! process. A step is in the set of process i if the process takes part in it or is not enabled in its source
//! (for a process that is not enabled for ever, or steps for ever again and again, has been treated fairly). Stuttering in
//! a deadlock is in all sets of the model and all processes'.
//!
//! The sets of an automaton may also be those of the steps of some processes ([`Property::standstill`]).
//!
//! # Deadlocks
//! A state of the system without successors repeats itself for ever ([`Deadlock::Stutter`]), or no run goes
//! through it ([`Deadlock::Drop`]). A state whose only steps are erroneous is not a deadlock; the failure is
//! kept and told, and makes any claim that something holds impossible.
//!
//! # Files
//! This one makes a product and tells what is known of it and of its states. The others:
//!
//! | file | holds |
//! | --- | --- |
//! | `shape` | what a product is to be like |
//! | `observer` | the automaton's side |
//! | `packing` | where the parts of a state are |
//! | `space` | the product as emptiness checks see it |
//! | `expansion` | from a state to its successors |
//! | `union_of_leaves` | the edges of automaton states that have too many different ones |
//! | `successors` | what the system tells of a state, on its way into the product |
//! | `degeneralization` | one acceptance set instead of several |
//! | `fairness` | the acceptance sets of processes |
//! | `order` | which successors come first |
//! | `limits` | when to stop |
//! | `widening` | going on after a value has left its bits |
//! | `crew` | several workers |

mod crew;
mod degeneralization;
mod expansion;
mod fairness;
mod limits;
mod observer;
mod order;
pub(crate) mod packing;
mod shape;
mod space;
mod successors;
mod union_of_leaves;
mod widening;

use crate::marks::Marks;
#[cfg(doc)]
use crate::property::Property;
use crate::space::{RunStep, Space, Stop};
use crew::Common;
use expansion::STUTTER;
pub use limits::Limits;
pub use observer::Observer;
pub use order::Order;
use order::ordered;
use packing::Packing;
use sempre_model::system::{Failure, Step, System};
use sempre_omega::distance_heuristic::DistanceHeuristic;
use sempre_store::{Batch, Budget, IndexArray, StateIndex, Store, StoreWorker};
pub use shape::{Deadlock, Shape};
use std::sync::Arc;
use std::time::{Duration, Instant};
use union_of_leaves::UnionOfLeaves;

/// See the module's documentation.
pub struct Product<'a, S: System, M> {
    given: &'a S,
    wider: Option<S>,
    observer: Observer<'a>,
    shape: Shape,
    limits: Limits<'a>,
    begin: Instant,
    told: Instant,
    patience: u32,
    peak: usize,
    budget: Arc<Budget>,
    store: Arc<Store>,
    worker: StoreWorker,
    common: Arc<Common>,
    /// Are there other workers?
    in_crew: bool,
    batch: Batch,
    context: S::Context,
    packing: Packing,
    /// The edges of each leaf of a property.
    leaves: Vec<Vec<(u32, M)>>,
    united: UnionOfLeaves,
    /// For the directed order, if the automaton can tell what it waits for.
    guide: Option<DistanceHeuristic>,
    /// For a testing automaton: the observed propositions of each state, and those of the states in the batch.
    observed: Arc<IndexArray>,
    found: Vec<u32>,
    /// Successors on their way into the batch, where the automaton's part is not known at once.
    models: Vec<u64>,
    waiting: Vec<(M, u32)>,
    /// With fairness, the sets of the processes of each action, as far as actions were met.
    actions: Vec<Option<M>>,
    first_process: u32,
    sets: u32,
    state: Vec<u64>,
    model: Vec<u64>,
    valuation: Vec<u64>,
    scratch: Vec<u64>,
    /// The steps of the successors told last, beside the batch.
    steps: Vec<(M, u32)>,
    counted: (u64, u64),
    /// How much of that is in the common numbers.
    told_of: (u64, u64),
    widenings: u32,
    failure: Option<(u32, Failure)>,
}

/// A state of a product, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductState {
    /// The system's part.
    pub model: Vec<u64>,
    /// The automaton's part.
    pub property: u32,
}

impl<'a, S: System, M: Marks> Product<'a, S, M> {
    /// The product of a system and a property, or `None` if it has more sets than `M` has marks.
    ///
    /// # Errors
    /// If there is no memory even for an empty table.
    pub fn new(
        system: &'a S,
        observer: impl Into<Observer<'a>>,
        shape: Shape,
        limits: Limits<'a>,
    ) -> Result<Option<Self>, Stop> {
        let observer = observer.into();
        let first_process = observer.sets() + system.marks();
        let processes = if shape.fair { system.processes() } else { 0 };
        let sets = first_process as usize + processes;
        if sets > M::CAPACITY as usize {
            return Ok(None);
        }
        let sets = sets as u32;
        let budget = Arc::new(Budget::new(limits.memory.unwrap_or(usize::MAX)));
        let levels = if shape.degeneralized { sets.max(1) } else { 1 };
        let packing = Packing::new(system, u64::from(observer.states()) * u64::from(levels));
        let store = Store::with_spare_bits(packing.width, packing.spare, &budget)?;
        let leaves = match observer {
            Observer::Property(property) => (0..property.leaves() as u32)
                .map(|leaf| {
                    (property.edges(leaf).iter())
                        .map(|e| (e.to, M::from_words(e.mark.words())))
                        .collect()
                })
                .collect(),
            Observer::Testing(_) => Vec::new(),
        };
        let guide = match shape.order {
            Order::Directed(_) => order::guide(observer),
            _ => None,
        };
        let now = Instant::now();
        Ok(Some(Self {
            given: system,
            wider: None,
            observer,
            shape,
            limits,
            begin: now,
            told: now,
            patience: 0,
            peak: 0,
            worker: store.worker(),
            store: Arc::new(store),
            common: Arc::default(),
            in_crew: false,
            batch: Batch::new(),
            context: ordered(system, shape.order),
            packing,
            leaves,
            united: UnionOfLeaves::default(),
            guide,
            actions: Vec::new(),
            first_process,
            sets,
            state: vec![0; packing.width],
            model: vec![0; packing.model],
            observed: Arc::new(IndexArray::new(Arc::clone(&budget))),
            found: Vec::new(),
            models: Vec::new(),
            waiting: Vec::new(),
            valuation: vec![0; observer.propositions().div_ceil(64).max(1)],
            scratch: vec![0; packing.width],
            steps: Vec::new(),
            counted: (0, 0),
            told_of: (0, 0),
            widenings: 0,
            failure: None,
            budget,
        }))
    }

    /// What knows of values that have left their bits.
    pub fn into_context(self) -> S::Context {
        self.context
    }

    /// The system whose states are stored: the given one, or one with a wider layout.
    pub fn system(&self) -> &S {
        self.wider.as_ref().unwrap_or(self.given)
    }

    /// Number of states stored, visited by the check or not.
    pub fn stored(&self) -> u64 {
        self.store.len()
    }

    /// The most bytes that were in use, with all that the check keeps, as far as it was looked at.
    pub fn peak_bytes(&self) -> usize {
        self.peak.max(self.budget.used())
    }

    /// The wider system, if there is one.
    pub fn into_wider(self) -> Option<S> {
        self.wider
    }

    /// How often the layout of states was widened.
    pub fn widenings(&self) -> u32 {
        self.widenings
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// An erroneous step or a failed condition, and the state it was met in.
    pub fn failure(&self) -> Option<&(u32, Failure)> {
        self.failure.as_ref()
    }

    /// The parts of a state.
    pub fn parts(&self, state: u32) -> ProductState {
        let mut words = vec![0; self.packing.width];
        self.store.read(StateIndex(state), &mut words);
        let mut model = vec![0; self.packing.model];
        let value = self.packing.split(&words, &mut model);
        ProductState {
            model,
            property: (value / self.levels()) as u32,
        }
    }

    /// The model's step of a step of a run; `None` for stuttering in a deadlock.
    pub fn model_step(&mut self, step: &RunStep<M>) -> Result<Option<Step>, Stop> {
        let mut edges = Vec::new();
        self.expand(step.state, &mut edges)?;
        let action = (self.batch.found().iter().zip(&self.steps))
            .find(|(found, (marks, _))| {
                found.index == step.edge.target && *marks == step.edge.marks
            })
            .map(|(_, &(_, action))| action);
        Ok(action
            .filter(|&a| a != STUTTER)
            .map(|action| Step { action, marks: 0 }))
    }

    fn automaton_state(&mut self, state: u32) -> u32 {
        let store = &self.store;
        let value = (self.packing).value_of(|word| store.word(StateIndex(state), word));
        (value / self.levels()) as u32
    }
}
