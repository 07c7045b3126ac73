//! A breadth-first exploration of a system that decides many conditions on states at once, and keeps the graph.
//!
//! A *condition* is a property that is violated as soon as some state violates it ([`FiniteProperty::is_condition`]). All
//! propositions are evaluated once in each state. States with the same truth of all propositions form a *class*; there are few
//! classes, and the conditions are evaluated once in each of them. The first state of a class is the nearest one that
//! violates what the class violates, and its parents give a shortest path.
//!
//! If asked, the exploration also keeps for each state its class and its successors. When it is complete, that is the whole
//! system as arrays ([`Graph`]), of which products with other properties are decided without any more successors of the system
//! (`elimination`). If memory gets short, the graph is given up first.
//!
//! The exploration can be interrupted after any number of expansions and continued: a caller may search for a violation on the fly in
//! between, as breadth-first search may take long to find one that is far away.
//!
//! # Invariants
//! - **I1** States are numbered in the order of their discovery, which is the order of expansion; so each is found at its
//!   distance from the initial states.
//! - **I2** [`Status::Complete`] is returned only if every state in the store was expanded.
//! - **I3** A condition *holds* only if the exploration is complete and no step was erroneous. A failure without an action is a failed
//!   assertion about a state: all steps of the state are there, so it hides nothing. (The propositions have a value in every state; that they do is
//!   the caller's matter.)
//! - **I4** The graph, if it is kept, has the class and the steps of all states expanded, and tells which have erroneous ones.
//!
//! A value that has no room in the layout restarts the exploration with the wider system; ranges at least double, so restarts are few.
//!
//! Cost: each state and each step once. Per state four bytes for the parent; with the graph eight more, and four bytes per
//! step, and as much again for predecessors.
//!
//! # Not done
//! One worker. Conditions where runs that end do not count, and the acceptance marks of a model's own edges: the caller checks such
//! properties one by one.

use super::elimination::{self, Answer};
use super::graph::{Graph, Steps, selected};
use crate::check::{BadPrefix, Check, Moment, Outcome, Statistics};
use crate::explore::{Progress, Reason, panicked};
use crate::finite::FiniteProperty;
use crate::product::Limits;
use crate::property::Property;
use crate::space::Counters;
use crate::trace;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::stop;
use sempre_model::system::{Failure, Sink, Step, System};
use sempre_store::{Batch, Budget, Full, IndexArray, StateIndex, Store, StoreWorker};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A batch is entered when it has expanded so many states, or found so many successors.
const BATCH_STATES: u32 = 64;
const BATCH_SUCCESSORS: usize = 256;

/// No more different failures are kept: messages may tell values.
const MOST_FAILURES: usize = 1 << 12;

/// A condition on states.
#[derive(Clone, Debug)]
pub struct Condition<'a> {
    /// The automaton of the prefixes that violate it.
    pub automaton: &'a FiniteProperty,
    /// For each of its propositions the number by which the system knows it.
    pub propositions: Vec<u32>,
}

/// How to explore.
#[derive(Clone, Copy)]
pub struct SharedOptions<'a> {
    /// Number of propositions of the system. Each has a value in every state.
    pub propositions: usize,
    /// Keep the graph, as long as it takes no more than half of the memory.
    pub keep: bool,
    /// Limits. The time does not run between two calls of [`SharedExploration::advance`].
    pub limits: Limits<'a>,
}

/// How far an exploration has got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Every reachable state was expanded.
    Complete,
    /// All conditions are violated, and no graph is kept: there is nothing left to decide.
    Decided,
    /// So many states were expanded as was asked for.
    Paused,
    /// It cannot go on.
    Stopped(Reason),
}

/// What fails in the system.
#[derive(Default)]
struct Failures {
    /// Different ones, each with the first state it was met in.
    list: Vec<(u32, Failure)>,
    known: FxHashSet<Failure>,
    /// The first erroneous step (I3).
    erroneous: Option<(u32, Failure)>,
}

impl Failures {
    fn add(&mut self, state: u32, failure: Failure) {
        if failure.action.is_some() && self.erroneous.is_none() {
            self.erroneous = Some((state, failure.clone()));
        }
        if self.list.len() < MOST_FAILURES && self.known.insert(failure.clone()) {
            self.list.push((state, failure));
        }
    }
}

/// What is known of the states of one system.
struct Known<S: System> {
    context: S::Context,
    store: Store,
    worker: StoreWorker,
    parents: IndexArray,
    initial: Vec<u32>,
    /// The truth of the propositions in each class, and its number.
    class_of: FxHashMap<Box<[u64]>, u32>,
    steps: Option<Steps>,
    /// Of each condition the first state that violates it.
    violated: Vec<Option<u32>>,
    failures: Failures,
    next: u32,
    transitions: u64,
    /// Most states that waited for expansion.
    queue: u64,
    /// Written by each expansion: a state, the truth of its propositions, its successors.
    state: Vec<u64>,
    letter: Vec<u64>,
    batch: Batch,
}

/// See the module's documentation.
pub struct SharedExploration<'s, S: System> {
    given: &'s S,
    wider: Option<S>,
    conditions: Vec<Condition<'s>>,
    options: SharedOptions<'s>,
    budget: Arc<Budget>,
    known: Option<Known<S>>,
    status: Status,
    keep: bool,
    elapsed: Duration,
    told: Instant,
    widenings: u32,
}

/// What is told of one state.
struct Collect<'a> {
    batch: &'a mut Batch,
    count: u32,
    failures: &'a mut Vec<Failure>,
    overflow: bool,
}

impl Sink for Collect<'_> {
    #[inline]
    fn successor(&mut self, _: Step, state: &[u64]) {
        self.count += 1;
        self.batch.push(state);
    }
    #[inline]
    fn changed(&mut self, _: Step, state: &[u64], words: &[u32]) {
        self.count += 1;
        self.batch.push_changed(state, words);
    }
    fn failure(&mut self, failure: Failure) {
        self.failures.push(failure);
    }
    fn overflow(&mut self) {
        self.overflow = true;
    }
}

/// Why a batch was not expanded.
enum Halt {
    Memory,
    Overflow,
}

impl From<Full> for Halt {
    fn from(Full: Full) -> Self {
        Halt::Memory
    }
}

impl<S: System> Known<S> {
    fn new(
        system: &S,
        conditions: &[Condition<'_>],
        propositions: usize,
        keep: bool,
        budget: &Arc<Budget>,
    ) -> Result<Self, Full> {
        let store = Store::with_spare_bits(system.width(), system.spare_bits(), budget)?;
        let mut known = Self {
            context: system.context(),
            worker: store.worker(),
            parents: IndexArray::new(Arc::clone(budget)),
            initial: Vec::new(),
            class_of: FxHashMap::default(),
            steps: keep.then(|| Steps::new(budget)),
            violated: vec![None; conditions.len()],
            failures: Failures::default(),
            next: 0,
            transitions: 0,
            queue: 0,
            state: vec![0; store.width()],
            letter: vec![0; propositions.div_ceil(64).max(1)],
            batch: Batch::new(),
            store,
        };
        let batch = &mut known.batch;
        system.initial(&mut known.context, &mut |state| batch.push(state));
        known.store.insert_batch(&mut known.worker, batch)?;
        for state in 0..known.store.len() as u32 {
            known.initial.push(state);
            known.classify(system, conditions, propositions, state)?;
        }
        Ok(known)
    }

    /// Evaluates the propositions in a new state, and the conditions in a new class.
    fn classify(
        &mut self,
        system: &S,
        conditions: &[Condition<'_>],
        propositions: usize,
        state: u32,
    ) -> Result<(), Full> {
        if propositions > 0 {
            self.store.read(StateIndex(state), &mut self.state);
            system.valuation(
                &mut self.context,
                &self.state,
                propositions,
                &mut self.letter,
            );
        }
        let class = match self.class_of.get(&self.letter[..]) {
            Some(&class) => class,
            None => {
                let class = self.class_of.len() as u32;
                self.class_of.insert(self.letter.clone().into(), class);
                for (condition, violated) in conditions.iter().zip(&mut self.violated) {
                    let own = selected(&self.letter, &condition.propositions);
                    // I1: no state of another class, hence no state before, violates it.
                    if violated.is_none() && condition.automaton.is_violated_by(&own) {
                        *violated = Some(state);
                    }
                }
                class
            }
        };
        match &mut self.steps {
            Some(steps) => steps.set_class(state, class),
            None => Ok(()),
        }
    }

    /// Expands the next few states.
    fn expand_some(
        &mut self,
        system: &S,
        conditions: &[Condition<'_>],
        propositions: usize,
    ) -> Result<(), Halt> {
        self.batch.clear();
        let first = self.next;
        self.queue = self.queue.max(self.store.len() - u64::from(first));
        let end = (self.store.len() as u32).min(first + BATCH_STATES);
        let mut count = 0;
        let mut failures = Vec::new();
        let mut ends = [0u32; BATCH_STATES as usize];
        while self.next < end && self.batch.len() < BATCH_SUCCESSORS {
            let state = self.next;
            self.store
                .read_parent(StateIndex(state), &mut self.state, &mut self.batch);
            let mut sink = Collect {
                batch: &mut self.batch,
                count,
                failures: &mut failures,
                overflow: false,
            };
            system.successors(&mut self.context, &self.state, &mut sink);
            count = sink.count;
            if sink.overflow {
                return Err(Halt::Overflow);
            }
            for failure in failures.drain(..) {
                self.note(state, failure)?;
            }
            ends[(state - first) as usize] = count;
            self.next += 1;
        }
        (self.store).insert_batch(&mut self.worker, &mut self.batch)?;
        self.transitions += u64::from(count);
        if let Some(steps) = &mut self.steps {
            let found = self.batch.found().iter().map(|found| found.index);
            let ends = &ends[..(self.next - first) as usize];
            steps.add(first, ends, found)?;
        }
        for i in 0..self.batch.found().len() {
            let found = self.batch.found()[i];
            if found.fresh {
                let parent = first + self.batch.parent_of(i);
                self.parents.set(StateIndex(found.index), parent + 1)?;
                self.classify(system, conditions, propositions, found.index)?;
            }
        }
        Ok(())
    }

    /// Notes an erroneous step or a failed assertion.
    fn note(&mut self, state: u32, failure: Failure) -> Result<(), Full> {
        if let (Some(steps), Some(_)) = (&mut self.steps, failure.action) {
            steps.fail(state)?;
        }
        self.failures.add(state, failure);
        Ok(())
    }

    /// The truth of the propositions in each class.
    fn classes(&self) -> Vec<Box<[u64]>> {
        let mut classes = vec![Box::default(); self.class_of.len()];
        for (letter, &class) in &self.class_of {
            classes[class as usize] = letter.clone();
        }
        classes
    }
}

impl<'s, S: System> SharedExploration<'s, S> {
    /// An exploration that has not begun.
    ///
    /// # Panics
    /// If one of the conditions is not one ([`FiniteProperty::is_condition`]), or the system's own edges have
    /// acceptance marks and more than failures are looked for.
    pub fn new(system: &'s S, conditions: Vec<Condition<'s>>, options: SharedOptions<'s>) -> Self {
        assert!(conditions.iter().all(|c| c.automaton.is_condition()));
        let plain = conditions.is_empty() && !options.keep;
        assert!(
            plain || system.marks() == 0,
            "a prefix would have to see the marks"
        );
        Self {
            given: system,
            wider: None,
            conditions,
            options,
            budget: Arc::new(Budget::new(options.limits.memory.unwrap_or(usize::MAX))),
            known: None,
            status: Status::Paused,
            keep: options.keep,
            elapsed: Duration::ZERO,
            told: Instant::now(),
            widenings: 0,
        }
    }

    /// The system whose states are stored: the given one, or one with a wider layout.
    pub fn system(&self) -> &S {
        self.wider.as_ref().unwrap_or(self.given)
    }

    /// Is the graph kept so far?
    pub fn keeps(&self) -> bool {
        self.keep
    }

    /// From now on no graph is kept.
    pub fn forget_graph(&mut self) {
        self.keep = false;
        if let Some(known) = &mut self.known {
            known.steps = None;
        }
    }

    /// Number of states expanded.
    pub fn expanded(&self) -> u64 {
        self.known.as_ref().map_or(0, |known| known.next.into())
    }

    /// Is the condition with this number known to be violated?
    pub fn is_violated(&self, condition: usize) -> bool {
        let known = self.known.as_ref();
        known.is_some_and(|known| known.violated[condition].is_some())
    }

    /// Different erroneous steps and failed assertions, each with the nearest state in which it was met.
    pub fn failures(&self) -> &[(u32, Failure)] {
        self.known
            .as_ref()
            .map_or(&[], |known| &known.failures.list)
    }

    /// Does an assertion about states fail, as far as is known?
    pub fn fails_assertion(&self) -> bool {
        self.failures().iter().any(|(_, f)| f.action.is_none())
    }

    /// Explores until so many states are expanded.
    pub fn advance(&mut self, until: u64) -> Status {
        if self.status != Status::Paused {
            return self.status.clone();
        }
        let begin = Instant::now();
        // A panic in a user's own system must not take the program with it.
        let status = catch_unwind(AssertUnwindSafe(|| self.explore(until, begin)));
        self.status = status.unwrap_or_else(|panic| Status::Stopped(panicked(&*panic)));
        self.elapsed += begin.elapsed();
        self.status.clone()
    }

    fn explore(&mut self, until: u64, begin: Instant) -> Status {
        let propositions = self.options.propositions;
        loop {
            if let Some(reason) = self.look_up(begin) {
                return Status::Stopped(reason);
            }
            let system = self.wider.as_ref().unwrap_or(self.given);
            let known = match &mut self.known {
                Some(known) => known,
                none => {
                    let begun = Known::new(
                        system,
                        &self.conditions,
                        propositions,
                        self.keep,
                        &self.budget,
                    );
                    match begun {
                        Ok(begun) => none.insert(begun),
                        Err(Full) => return Status::Stopped(Reason::Memory),
                    }
                }
            };
            // What no longer fits was given up.
            self.keep = known.steps.is_some();
            // I2.
            if u64::from(known.next) == known.store.len() {
                return Status::Complete;
            }
            if !self.keep
                && !known.violated.is_empty()
                && known.violated.iter().all(Option::is_some)
            {
                return Status::Decided;
            }
            if u64::from(known.next) >= until {
                return Status::Paused;
            }
            match known.expand_some(system, &self.conditions, propositions) {
                Ok(()) => {}
                Err(Halt::Memory) => return Status::Stopped(Reason::Memory),
                Err(Halt::Overflow) => {
                    let Some(wide) = system.widen(&known.context) else {
                        return Status::Stopped(Reason::Overflow);
                    };
                    self.known = None;
                    self.wider = Some(wide);
                    self.widenings += 1;
                }
            }
        }
    }

    /// Is there a reason to stop? Also gives up the graph if memory gets short, and reports progress.
    fn look_up(&mut self, begin: Instant) -> Option<Reason> {
        let limits = &self.options.limits;
        if let Some(stop) = stop::poll(limits.interrupt) {
            return Some(stop.into());
        }
        if limits.states.is_some_and(|most| self.expanded() > most) {
            return Some(Reason::States);
        }
        let used = self.budget.used();
        if self.keep && limits.memory.is_some_and(|memory| used > memory / 2) {
            self.forget_graph();
        }
        let limits = &self.options.limits;
        if limits.time.is_none() && limits.progress.is_none() {
            return None;
        }
        let elapsed = self.elapsed + begin.elapsed();
        if limits.time.is_some_and(|limit| elapsed > limit) {
            return Some(Reason::Time);
        }
        if let (Some(progress), Some(known)) = (limits.progress, &self.known)
            && self.told.elapsed() >= Duration::from_millis(300)
        {
            self.told = Instant::now();
            let states = known.store.len();
            progress(&Progress {
                states,
                transitions: known.transitions,
                queue: states - u64::from(known.next),
                bytes: used,
                elapsed,
                depth: None,
            });
        }
        None
    }

    /// What is known of a condition, as a check of it alone would tell.
    pub fn check(&self, condition: usize) -> Check<'_, S> {
        let mut check = Check::refused(self.system(), Outcome::Stopped(Reason::Memory));
        check.statistics.elapsed = self.elapsed;
        check.statistics.widenings = self.widenings;
        check.statistics.bytes = self.budget.used();
        check.statistics.sets = 1;
        let Some(known) = &self.known else {
            if let Status::Stopped(reason) = &self.status {
                check.outcome = Outcome::Stopped(reason.clone());
            }
            return check;
        };
        check.statistics.stored = known.store.len();
        check.statistics.counters = Counters {
            states: known.next.into(),
            transitions: known.transitions,
            max_stack: known.queue,
            ..Counters::default()
        };
        check.outcome = match (known.violated[condition], &self.status) {
            (Some(state), _) => match self.path_to(state) {
                Some(prefix) => Outcome::Prefix(prefix),
                None => Outcome::Stopped(Reason::Panic("a state has no path".to_string())),
            },
            // I3.
            (None, Status::Complete) => match &known.failures.erroneous {
                Some((state, failure)) => {
                    let mut words = vec![0; known.store.width()];
                    known.store.read(StateIndex(*state), &mut words);
                    Outcome::Failed(words, failure.clone())
                }
                None => Outcome::Empty,
            },
            (None, Status::Stopped(reason)) => Outcome::Stopped(reason.clone()),
            (None, Status::Paused | Status::Decided) => Outcome::Stopped(Reason::States),
        };
        check
    }

    /// A shortest path to a state.
    pub fn path_to(&self, state: u32) -> Option<BadPrefix> {
        let known = self.known.as_ref()?;
        let (system, state) = (self.system(), StateIndex(state));
        let trace = trace::along_parents(system, &known.store, &known.parents, state)?;
        let actions = trace.steps.iter().map(|step| Some(step.action));
        let path = (trace.states.into_iter().zip(actions.chain([None])))
            .map(|(state, action)| Moment {
                state,
                property: 0,
                action,
            })
            .collect();
        Some(BadPrefix {
            path,
            goes_on: None,
        })
    }

    /// The graph, if the exploration is complete and has kept it; with `stutter`, runs that end repeat their last state.
    pub fn graph(&self, stutter: bool) -> Option<Graph<'_>> {
        match (&self.status, &self.known) {
            // I2, I4.
            (Status::Complete, Some(known)) => Graph::new(
                known.steps.as_ref()?,
                &known.initial,
                known.next,
                known.classes(),
                stutter,
            )
            .ok(),
            _ => None,
        }
    }

    /// Does the automaton accept a run of the graph? Its propositions have these numbers in the system. With `finite`, it is the table of an automaton of
    /// bad prefixes.
    pub fn decide(
        &self,
        graph: &Graph<'_>,
        (automaton, finite): (&Property, bool),
        propositions: &[u32],
        limits: Limits<'_>,
    ) -> Decided<'_, S> {
        let begin = Instant::now();
        let Some((answer, counted)) =
            elimination::decide(graph, automaton, finite, propositions, limits)
        else {
            return Decided::Unknown;
        };
        let mut check = Check::refused(self.system(), Outcome::Empty);
        check.outcome = match answer {
            Answer::Empty => Outcome::Empty,
            Answer::Nonempty => return Decided::Violated,
            Answer::Stopped(Reason::Time) => Outcome::Stopped(Reason::Time),
            Answer::Stopped(_) => return Decided::Unknown,
            // Of several erroneous steps the nearest is reported.
            Answer::Erroneous => match self.known.as_ref().map(|k| (k, &k.failures.erroneous)) {
                Some((known, Some((state, failure)))) => {
                    let mut words = vec![0; known.store.width()];
                    known.store.read(StateIndex(*state), &mut words);
                    Outcome::Failed(words, failure.clone())
                }
                _ => return Decided::Unknown,
            },
        };
        check.statistics = Statistics {
            counters: Counters {
                states: counted.states,
                transitions: counted.transitions,
                ..Counters::default()
            },
            stored: counted.states,
            sets: automaton.sets(),
            bytes: counted.bytes,
            elapsed: begin.elapsed(),
            ..Statistics::default()
        };
        Decided::Known(Box::new(check))
    }
}

/// What is known of a property by the graph.
pub enum Decided<'s, S> {
    /// It holds, or the time is over, or an erroneous step hides what comes after it.
    Known(Box<Check<'s, S>>),
    /// There is a run that violates it.
    Violated,
    /// It cannot be decided in this way.
    Unknown,
}
