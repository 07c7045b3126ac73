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

use crate::control::{Control, End, Findings};
use crate::frontier::{Frontier, Queues, Run};
use crate::trace::{self, Trace};
use crate::widening::{self, Lost};
use crate::worker::Worker;
use sempre_base::stop::{self, Cancel};
use sempre_model::system::{Failure, System};
use sempre_store::{Batch, Budget, Full, IndexArray, StateIndex, Store};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Stack of a worker's thread; pages that are not touched cost nothing.
pub(crate) const STACK: usize = 64 << 20;

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
    /// A step with an acceptance mark.
    Mark,
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
    /// Stops the search.
    pub interrupt: Option<&'a Cancel>,
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
    /// The level of a breadth-first exploration, the length of the stack of a depth-first one; `None` where this is not counted.
    pub depth: Option<u64>,
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
    /// The system gives no thread to a worker, and why.
    NoThread(String),
    /// A worker panicked: an error in the program, or in a user's own system.
    Panic(String),
}

impl From<stop::Stop> for Reason {
    fn from(stop: stop::Stop) -> Self {
        match stop {
            stop::Stop::Cancelled => Reason::Interrupted,
            stop::Stop::Time => Reason::Time,
            stop::Stop::Memory => Reason::Memory,
        }
    }
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

    /// The wider system, if there is one.
    pub fn into_wider(self) -> Option<S> {
        self.wider
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
    let store = Store::with_spare_bits(system.width(), system.spare_bits(), &control.budget)?;
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
        let cancel = Cancel::current();
        let work = || {
            // Whatever a worker does, the others must learn that it is gone.
            let result = catch_unwind(AssertUnwindSafe(|| {
                let mut worker = Worker::new(system, store, parents, control, &frontier);
                let search = || match levels {
                    true => worker.breadth_first(),
                    false => worker.depth_first(),
                };
                // What was found before it was stopped counts.
                if let Err(stop) = stop::cancellable(&cancel, search) {
                    control.end(End::Stop(stop.into()));
                    frontier.stop();
                }
                worker.into_results()
            }));
            if let Err(panic) = &result {
                control.end(End::Stop(panicked(&**panic)));
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
                            let reason = Reason::NoThread(error.to_string());
                            control.end(End::Stop(reason));
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
/// Why the search ends, of what was caught.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Reason {
    match stop::unwound(panic) {
        Some(stop) => stop.into(),
        None => Reason::Panic(message(panic)),
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    (panic.downcast_ref::<&str>().map(ToString::to_string))
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into())
}
