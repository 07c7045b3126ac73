//! What the workers of an exploration share besides the frontier: limits, counters, why it ends, and what
//! was found on the way.

use crate::explore::{Options, Progress, Reason};
use crate::widening::Renumbering;
use sempre_base::stop;
use sempre_model::system::Failure;
use sempre_store::{Budget, StateIndex, Store};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Why workers halt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// To go on with a wider system.
    Overflow,
    Found,
    Stop(Reason),
}

/// What all workers share besides the frontier: limits and counters. The counters are added to once
/// per batch.
pub(crate) struct Control<'a> {
    pub(crate) options: &'a Options<'a>,
    pub(crate) begin: Instant,
    pub(crate) budget: Arc<Budget>,
    pub(crate) states: AtomicU64,
    pub(crate) expanded: AtomicU64,
    pub(crate) transitions: AtomicU64,
    /// When progress was last told.
    pub(crate) told: Mutex<Instant>,
    pub(crate) end: Mutex<Option<End>>,
}

impl Control<'_> {
    fn lock(&self) -> MutexGuard<'_, Option<End>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes why the search ends; of several reasons the first, except that an overflow, after which it
    /// would go on, gives way.
    pub(crate) fn end(&self, end: End) {
        let mut noted = self.lock();
        if noted.is_none() || *noted == Some(End::Overflow) {
            *noted = Some(end);
        }
    }

    pub(crate) fn ended(&self) -> bool {
        self.lock().is_some()
    }

    /// Is the reason an overflow? If so, forgets it.
    pub(crate) fn take_overflow(&self) -> bool {
        self.lock().take_if(|end| *end == End::Overflow).is_some()
    }

    /// After a batch: is there a reason to stop? Also tells progress, with how deep the worker is.
    pub(crate) fn look_up(&self, depth: u64) -> Option<Reason> {
        let options = self.options;
        // Relaxed, for all counters and flags here: they are looked at for their own sake.
        if let Some(stop) = stop::poll(options.interrupt) {
            return Some(stop.into());
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
                    depth: Some(depth),
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
pub(crate) struct Findings {
    pub(crate) deadlocks: u64,
    pub(crate) failures: u64,
    /// Steps with an acceptance mark.
    pub(crate) marks: u64,
    /// The first of its level.
    pub(crate) deadlock: Option<(u32, StateIndex)>,
    pub(crate) failure: Option<(u32, StateIndex, Failure)>,
}

impl Findings {
    pub(crate) fn note_deadlock(&mut self, level: u32, state: StateIndex) {
        self.deadlocks += 1;
        if self.deadlock.is_none_or(|(first, _)| level < first) {
            self.deadlock = Some((level, state));
        }
    }

    pub(crate) fn note_failure(&mut self, level: u32, state: StateIndex, failure: Failure) {
        self.failures += 1;
        if (self.failure.as_ref()).is_none_or(|(first, ..)| level < *first) {
            self.failure = Some((level, state, failure));
        }
    }

    /// Adds another worker's findings. Of two states of one level the smaller is kept, so that the answer
    /// seldom depends on luck.
    pub(crate) fn add(&mut self, store: &Store, other: Findings) {
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
        self.marks += other.marks;
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

    pub(crate) fn renumber(&mut self, numbers: &Renumbering) {
        if let Some((_, state)) = &mut self.deadlock {
            *state = numbers.index(*state);
        }
        if let Some((_, state, _)) = &mut self.failure {
            *state = numbers.index(*state);
        }
    }
}
