//! Exploration of all states of a system.
//!
//! Finds every reachable state once, counts states, transitions, deadlocks and failures, and can
//! keep for every state the one it was found from. Breadth-first, level by level, or depth-first,
//! with any number of workers, which count the same.
//!
//! A worker expands some states at a time: it reads them from the store, collects their successors in a batch,
//! and enters the batch at once, so that cache misses overlap (see [`sempre_store`]). What is new has
//! consecutive indices, so that the queue of a breadth-first search is a list of runs (`frontier`).
//! Depth-first search has a stack of indices per worker and expands one state at a time; states are stored
//! when they are found, not when they are taken from the stack, so the order is that of a stack search, not
//! that of a recursive one.
//!
//! All that ends a search before its time is a [`Reason`], and statistics are told in any case.
//!
//! ## Invariants
//! - **I1** A state in the store has been expanded, or waits in the frontier or on the stack of a worker;
//!   unless the search ended for memory or a panic.
//! - **I2** `Complete` is told only if the frontier is exhausted and no worker stopped for any reason.
//! - **I3** (breadth-first) A state is found at its distance from the initial states, so parents give
//!   shortest paths.
//! - **I4** What a state's expansion told before it told an overflow has no effect.
//!
//! ## Not done
//! No partial-order reduction, no symmetry. The order in which several workers number states is not
//! repeatable, the numbers counted are.

use crate::frontier::{Frontier, Queues, Run};
use crate::trace::{self, Trace};
use crate::widening::{self, Lost};
use sempre_model::system::{Failure, Sink, Step, System};
use sempre_store::{Batch, Budget, Full, IndexArray, StateIndex, Store, StoreWorker};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A batch is entered when it has expanded so many states, or found so many successors.
const BATCH_STATES: usize = 64;
const BATCH_SUCCESSORS: usize = 256;

/// Work is shared with idle workers if so many states remain.
const WORTH_SHARING: u32 = 32;

/// Stack of a worker's thread; pages that are not touched cost nothing.
const STACK: usize = 64 << 20;

/// The order of exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Level by level.
    #[default]
    BreadthFirst,
    /// The state found last first.
    DepthFirst,
}

/// What a search may be looking for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A state without successors (and without an erroneous step).
    Deadlock,
    /// An erroneous step or a failed assertion.
    Failure,
}

/// How to explore.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The order.
    pub order: Order,
    /// Number of threads; 0 counts as 1.
    pub workers: usize,
    /// Keep the parent of each state, four bytes each, for [`Exploration::trace_to`].
    pub parents: bool,
    /// Stop at the first of these. In breadth-first order it is one of the nearest.
    pub until: Option<Goal>,
    /// Bytes that states and parents may take.
    pub memory: Option<usize>,
    /// Time that it may take.
    pub time: Option<Duration>,
    /// Number of states after which to stop; a few more may be found.
    pub states: Option<u64>,
    /// Stops the search when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Is told how far the search has got, by any of the workers, at most once in `interval`.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    /// See `progress`.
    pub interval: Duration,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            order: Order::default(),
            workers: 1,
            parents: false,
            until: None,
            memory: None,
            time: None,
            states: None,
            interrupt: None,
            progress: None,
            interval: Duration::from_millis(300),
        }
    }
}

/// How far a search has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// States found.
    pub states: u64,
    /// Transitions followed.
    pub transitions: u64,
    /// States that wait for expansion.
    pub queue: u64,
    /// Bytes taken by states and parents.
    pub bytes: usize,
    /// Time since the beginning.
    pub elapsed: Duration,
}

/// Why a search ended before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time was over.
    Time,
    /// The memory was spent, or the system gave none.
    Memory,
    /// Somebody interrupted it.
    Interrupted,
    /// The number of states was reached.
    States,
    /// A value has left its bits, and the system knows no wider layout that has room for all states.
    Overflow,
    /// A worker panicked: an error in the program, or in a user's own system.
    Panic(String),
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every reachable state was found and expanded.
    Complete,
    /// What was looked for ([`Options::until`]) is found; there may be more states.
    Found,
    /// The search ended before its time; there may be more states.
    Stopped(Reason),
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States found.
    pub states: u64,
    /// States expanded.
    pub expanded: u64,
    /// Transitions, one for each successor told.
    pub transitions: u64,
    /// States without successors or erroneous steps.
    pub deadlocks: u64,
    /// Erroneous steps and failed assertions.
    pub failures: u64,
    /// The largest distance from the initial states, if the order is breadth-first.
    pub depth: Option<u32>,
    /// How often the layout of states was widened.
    pub widenings: u32,
    /// Bytes taken by states and parents at the end.
    pub bytes: usize,
    /// The time it took.
    pub elapsed: Duration,
}

/// The result.
pub struct Exploration<'s, S> {
    given: &'s S,
    wider: Option<S>,
    store: Store,
    parents: Option<IndexArray>,
    /// How it ended.
    pub outcome: Outcome,
    /// What was counted.
    pub statistics: Statistics,
    /// A deadlock, one of the nearest if the order is breadth-first.
    pub deadlock: Option<StateIndex>,
    /// A failure and its state, one of the nearest if the order is breadth-first.
    pub failure: Option<(StateIndex, Failure)>,
}

impl<S: System> Exploration<'_, S> {
    /// The system whose states are stored: the given one, or one with a wider layout.
    pub fn system(&self) -> &S {
        self.wider.as_ref().unwrap_or(self.given)
    }

    /// The states.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The path by which a state was found, a shortest one if the order is breadth-first. `None` if
    /// parents were not kept.
    pub fn trace_to(&self, state: StateIndex) -> Option<Trace> {
        trace::along_parents(self.system(), &self.store, self.parents.as_ref()?, state)
    }
}

/// Explores a system.
pub fn explore<'s, S: System>(system: &'s S, options: &Options<'_>) -> Exploration<'s, S> {
    let budget = Arc::new(Budget::new(options.memory.unwrap_or(usize::MAX)));
    let control = Control {
        options,
        begin: Instant::now(),
        budget: Arc::clone(&budget),
        states: AtomicU64::new(0),
        expanded: AtomicU64::new(0),
        transitions: AtomicU64::new(0),
        told: Mutex::new(Instant::now()),
        end: Mutex::new(None),
    };
    let mut wider: Option<S> = None;
    let mut findings = Findings::default();
    let mut widenings = 0;
    let mut queues = Queues::default();

    let (mut store, mut parents) = match begin(system, &control, &mut queues) {
        Ok(begun) => begun,
        Err(Full) => {
            // Not even the initial states have room. An empty store without a budget takes their place.
            control.end(End::Stop(Reason::Memory));
            let store = Store::new(system.width(), &Arc::new(Budget::unlimited()));
            (store.expect("a few kilobytes"), None)
        }
    };

    let done = loop {
        if control.ended() {
            break false;
        }
        let now = wider.as_ref().unwrap_or(system);
        let (done, rest, contexts) = run(
            now,
            &store,
            parents.as_ref(),
            &control,
            queues,
            &mut findings,
        );
        queues = rest;
        if !control.take_overflow() {
            break done;
        }
        let Some(wide) = widening::wider(now, &contexts) else {
            control.end(End::Stop(Reason::Overflow));
            break false;
        };
        let moved = widening::translate(now, &wide, &store, &budget).and_then(|(new, numbers)| {
            let old = parents.as_ref();
            let parents = old.map(|old| numbers.parents(old, &budget)).transpose()?;
            Ok((new, numbers, parents))
        });
        let (new, numbers, new_parents) = match moved {
            Ok(moved) => moved,
            Err(lost) => {
                control.end(End::Stop(match lost {
                    Lost::Memory => Reason::Memory,
                    Lost::States => Reason::Overflow,
                }));
                break false;
            }
        };
        numbers.queues(&mut queues);
        findings.renumber(&numbers);
        (store, parents, wider) = (new, new_parents, Some(wide));
        widenings += 1;
    };

    let outcome = match control
        .end
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
    {
        Some(End::Found) => Outcome::Found,
        Some(End::Stop(reason)) => Outcome::Stopped(reason),
        // I2. An overflow was taken out above; without a reason the search can only be done, and if it
        // were not, that must not look like completion.
        Some(End::Overflow) | None if done => Outcome::Complete,
        Some(End::Overflow) | None => {
            Outcome::Stopped(Reason::Panic("the search ended for no reason".into()))
        }
    };
    let statistics = Statistics {
        states: store.len(),
        expanded: control.expanded.into_inner(),
        transitions: control.transitions.into_inner(),
        deadlocks: findings.deadlocks,
        failures: findings.failures,
        depth: (options.order == Order::BreadthFirst).then_some(queues.level),
        widenings,
        bytes: budget.used(),
        elapsed: control.begin.elapsed(),
    };
    Exploration {
        given: system,
        wider,
        store,
        parents,
        outcome,
        statistics,
        deadlock: findings.deadlock.map(|(_, state)| state),
        failure: findings.failure.map(|(_, state, failure)| (state, failure)),
    }
}

/// A store with the initial states, which wait in `queues`.
fn begin<S: System>(
    system: &S,
    control: &Control<'_>,
    queues: &mut Queues,
) -> Result<(Store, Option<IndexArray>), Full> {
    let store = Store::new(system.width(), &control.budget)?;
    let parents = (control.options.parents).then(|| IndexArray::new(Arc::clone(&control.budget)));
    let mut batch = Batch::new();
    system.initial(&mut system.context(), &mut |state| batch.push(state));
    store.insert_batch(&mut store.worker(), &mut batch)?;
    let mut runs = Vec::new();
    for found in batch.found().iter().filter(|found| found.fresh) {
        Run::add(&mut runs, found.index);
    }
    control.states.fetch_add(store.len(), Relaxed);
    queues.current = VecDeque::from(runs);
    Ok((store, parents))
}

/// Lets the workers run until all is done or one stops them. Returns whether all is done, what is not, and
/// the workers' contexts.
fn run<S: System>(
    system: &S,
    store: &Store,
    parents: Option<&IndexArray>,
    control: &Control<'_>,
    queues: Queues,
    findings: &mut Findings,
) -> (bool, Queues, Vec<S::Context>) {
    let count = control.options.workers.max(1);
    let levels = control.options.order == Order::BreadthFirst;
    let frontier = Frontier::new(queues, count, levels);
    let mut contexts = Vec::new();
    {
        let work = || {
            // Whatever a worker does, the others must learn that it is gone.
            let result = catch_unwind(AssertUnwindSafe(|| {
                let mut worker = Worker {
                    system,
                    context: system.context(),
                    store,
                    store_worker: store.worker(),
                    parents,
                    control,
                    frontier: &frontier,
                    batch: Batch::new(),
                    expanded: Vec::new(),
                    state: vec![0; store.width()],
                    found: Vec::new(),
                    stack: Vec::new(),
                    level: 0,
                    findings: Findings::default(),
                };
                if levels {
                    worker.breadth_first();
                } else {
                    worker.depth_first();
                }
                (worker.context, worker.findings)
            }));
            if let Err(panic) = &result {
                control.end(End::Stop(Reason::Panic(message(&**panic))));
                frontier.stop();
            }
            result.ok()
        };
        let mut gather = |result: Option<(S::Context, Findings)>| {
            if let Some((context, found)) = result {
                contexts.push(context);
                findings.add(store, found);
            }
        };
        if count == 1 {
            gather(work());
        } else {
            std::thread::scope(|scope| {
                let mut handles = Vec::new();
                for _ in 0..count {
                    let thread = std::thread::Builder::new().stack_size(STACK);
                    match thread.spawn_scoped(scope, work) {
                        Ok(handle) => handles.push(handle),
                        Err(error) => {
                            let text = format!("no thread for a worker: {error}");
                            control.end(End::Stop(Reason::Panic(text)));
                            frontier.stop();
                        }
                    }
                }
                for handle in handles {
                    // `work` catches panics.
                    gather(handle.join().unwrap_or(None));
                }
            });
        }
    }
    let (done, rest) = frontier.into_rest();
    (done, rest, contexts)
}

/// The words of a panic.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    (panic.downcast_ref::<&str>().map(ToString::to_string))
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into())
}

/// Why workers halt.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// To go on with a wider system.
    Overflow,
    Found,
    Stop(Reason),
}

/// What all workers share besides the frontier: limits and counters. The counters are added to once
/// per batch.
struct Control<'a> {
    options: &'a Options<'a>,
    begin: Instant,
    budget: Arc<Budget>,
    states: AtomicU64,
    expanded: AtomicU64,
    transitions: AtomicU64,
    /// When progress was last told.
    told: Mutex<Instant>,
    end: Mutex<Option<End>>,
}

impl Control<'_> {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<End>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes why the search ends; of several reasons the first, except that an overflow, after which it
    /// would go on, gives way.
    fn end(&self, end: End) {
        let mut noted = self.lock();
        if noted.is_none() || *noted == Some(End::Overflow) {
            *noted = Some(end);
        }
    }

    fn ended(&self) -> bool {
        self.lock().is_some()
    }

    /// Is the reason an overflow? If so, forgets it.
    fn take_overflow(&self) -> bool {
        self.lock().take_if(|end| *end == End::Overflow).is_some()
    }

    /// After a batch: is there a reason to stop? Also tells progress.
    fn look_up(&self) -> Option<Reason> {
        let options = self.options;
        // Relaxed, for all counters and flags here: they are looked at for their own sake.
        if options.interrupt.is_some_and(|flag| flag.load(Relaxed)) {
            return Some(Reason::Interrupted);
        }
        if (options.states).is_some_and(|limit| self.states.load(Relaxed) > limit) {
            return Some(Reason::States);
        }
        if options.time.is_some() || options.progress.is_some() {
            let now = Instant::now();
            if (options.time).is_some_and(|limit| now - self.begin > limit) {
                return Some(Reason::Time);
            }
            if let Some(progress) = options.progress
                && let Ok(mut told) = self.told.try_lock()
                && now.saturating_duration_since(*told) >= options.interval
            {
                *told = now;
                let states = self.states.load(Relaxed);
                progress(&Progress {
                    states,
                    transitions: self.transitions.load(Relaxed),
                    queue: states.saturating_sub(self.expanded.load(Relaxed)),
                    bytes: self.budget.used(),
                    elapsed: now - self.begin,
                });
            }
        }
        None
    }
}

/// What is wrong with the states that were expanded.
#[derive(Default)]
struct Findings {
    deadlocks: u64,
    failures: u64,
    /// The first of its level.
    deadlock: Option<(u32, StateIndex)>,
    failure: Option<(u32, StateIndex, Failure)>,
}

impl Findings {
    fn note_deadlock(&mut self, level: u32, state: StateIndex) {
        self.deadlocks += 1;
        if self.deadlock.is_none_or(|(first, _)| level < first) {
            self.deadlock = Some((level, state));
        }
    }

    fn note_failure(&mut self, level: u32, state: StateIndex, failure: Failure) {
        self.failures += 1;
        if (self.failure.as_ref()).is_none_or(|(first, ..)| level < *first) {
            self.failure = Some((level, state, failure));
        }
    }

    /// Adds another worker's findings. Of two states of one level the smaller is kept, so that the answer
    /// seldom depends on luck.
    fn add(&mut self, store: &Store, other: Findings) {
        let words = |index| {
            let mut state = vec![0; store.width()];
            store.read(index, &mut state);
            state
        };
        let nearer = |a: (u32, StateIndex), b: (u32, StateIndex)| {
            a.0 < b.0 || a.0 == b.0 && words(a.1) < words(b.1)
        };
        self.deadlocks += other.deadlocks;
        self.failures += other.failures;
        if let Some(new) = other.deadlock
            && self.deadlock.is_none_or(|old| nearer(new, old))
        {
            self.deadlock = Some(new);
        }
        if let Some(new) = other.failure
            && (self.failure.as_ref()).is_none_or(|old| nearer((new.0, new.1), (old.0, old.1)))
        {
            self.failure = Some(new);
        }
    }

    fn renumber(&mut self, numbers: &widening::Renumbering) {
        if let Some((_, state)) = &mut self.deadlock {
            *state = numbers.index(*state);
        }
        if let Some((_, state, _)) = &mut self.failure {
            *state = numbers.index(*state);
        }
    }
}

struct Worker<'a, S: System> {
    system: &'a S,
    context: S::Context,
    store: &'a Store,
    store_worker: StoreWorker,
    parents: Option<&'a IndexArray>,
    control: &'a Control<'a>,
    frontier: &'a Frontier,
    batch: Batch,
    /// The states whose successors are in the batch.
    expanded: Vec<u32>,
    state: Vec<u64>,
    /// New states (breadth-first).
    found: Vec<Run>,
    /// States to expand (depth-first).
    stack: Vec<u32>,
    level: u32,
    findings: Findings,
}

/// Collects what is told of one state.
struct Collect<'a> {
    batch: &'a mut Batch,
    failures: Vec<Failure>,
    overflow: bool,
}

impl Sink for Collect<'_> {
    #[inline]
    fn successor(&mut self, _: Step, state: &[u64]) {
        self.batch.push(state);
    }
    fn failure(&mut self, failure: Failure) {
        self.failures.push(failure);
    }
    fn overflow(&mut self) {
        self.overflow = true;
    }
}

/// The search must halt, and the reason is noted.
struct Halt;

impl<S: System> Worker<'_, S> {
    fn breadth_first(&mut self) {
        let mut first = true;
        while let Some((mut run, level)) = self.frontier.take(&mut self.found, first) {
            first = false;
            self.level = level;
            while run.len > 0 {
                let halt = self.expand_some(&mut run);
                if halt.is_err() || self.frontier.stopped() {
                    self.frontier.stop();
                    // I1: what was not expanded goes back.
                    self.frontier.leave(&mut self.found);
                    self.frontier.give((run.len > 0).then_some(run));
                    return;
                }
                if run.len >= WORTH_SHARING && self.frontier.hungry() {
                    let half = run.len / 2;
                    run.len -= half;
                    self.frontier.give([Run {
                        start: run.start + run.len,
                        len: half,
                    }]);
                }
            }
        }
    }

    fn depth_first(&mut self) {
        let mut first = true;
        while let Some((run, _)) = self.frontier.take(&mut self.found, first) {
            first = false;
            self.stack.extend((run.start..run.start + run.len).rev());
            while let Some(&state) = self.stack.last() {
                let mut run = Run {
                    start: state,
                    len: 1,
                };
                let depth = self.stack.len();
                let halt = self.expand_some(&mut run);
                if run.len == 0 {
                    self.stack.pop();
                }
                // What was found last is on top, so that it comes first.
                for new in self.found.drain(..) {
                    self.stack.extend(new.start..new.start + new.len);
                }
                if halt.is_err() || self.frontier.stopped() {
                    self.frontier.stop();
                    self.give_from_stack(self.stack.len());
                    return;
                }
                if depth >= WORTH_SHARING as usize && self.frontier.hungry() {
                    self.give_from_stack(depth / 2);
                }
            }
        }
    }

    /// Gives away what has been longest on the stack: it leads farthest from what we are at.
    fn give_from_stack(&mut self, count: usize) {
        let mut runs = Vec::new();
        for state in self.stack.drain(..count) {
            Run::add(&mut runs, state);
        }
        self.frontier.give(runs);
    }

    /// Expands states from the beginning of a run, which is shortened by them.
    fn expand_some(&mut self, run: &mut Run) -> Result<(), Halt> {
        self.batch.clear();
        self.expanded.clear();
        let before = (self.findings.deadlocks, self.findings.failures);
        let mut overflow = false;
        while run.len > 0
            && self.expanded.len() < BATCH_STATES
            && self.batch.len() < BATCH_SUCCESSORS
        {
            if !self.expand_one(StateIndex(run.start)) {
                overflow = true;
                break;
            }
            self.expanded.push(run.start);
            run.start += 1;
            run.len -= 1;
        }
        let entered = self.enter();
        let control = self.control;
        control
            .expanded
            .fetch_add(self.expanded.len() as u64, Relaxed);
        control
            .transitions
            .fetch_add(self.batch.len() as u64, Relaxed);
        let end = if entered.is_err() {
            Some(End::Stop(Reason::Memory))
        } else if self.control.options.until.is_some_and(|goal| match goal {
            Goal::Deadlock => self.findings.deadlocks > before.0,
            Goal::Failure => self.findings.failures > before.1,
        }) {
            Some(End::Found)
        } else if overflow {
            Some(End::Overflow)
        } else {
            control.look_up().map(End::Stop)
        };
        match end {
            None => Ok(()),
            Some(end) => {
                control.end(end);
                Err(Halt)
            }
        }
    }

    /// Adds the successors of a state to the batch; `false` if a value overflowed.
    #[inline]
    fn expand_one(&mut self, index: StateIndex) -> bool {
        let before = self.batch.len();
        self.store
            .read_parent(index, &mut self.state, &mut self.batch);
        let mut sink = Collect {
            batch: &mut self.batch,
            failures: Vec::new(),
            overflow: false,
        };
        self.system
            .successors(&mut self.context, &self.state, &mut sink);
        if sink.overflow {
            // I4.
            self.batch.truncate(before);
            return false;
        }
        let mut stuck = sink.batch.len() == before;
        for failure in sink.failures {
            stuck &= failure.action.is_none();
            self.findings.note_failure(self.level, index, failure);
        }
        if stuck {
            self.findings.note_deadlock(self.level, index);
        }
        true
    }

    /// Enters the batch into the store, and notes what is new.
    fn enter(&mut self) -> Result<(), Full> {
        let result = self
            .store
            .insert_batch(&mut self.store_worker, &mut self.batch);
        let mut fresh = 0;
        for (i, found) in self.batch.found().iter().enumerate() {
            if found.fresh {
                fresh += 1;
                Run::add(&mut self.found, found.index);
                if let Some(parents) = self.parents {
                    let parent = self.expanded[self.batch.parent_of(i) as usize];
                    parents.set(StateIndex(found.index), parent + 1)?;
                }
            }
        }
        self.control.states.fetch_add(fresh, Relaxed);
        result
    }
}
