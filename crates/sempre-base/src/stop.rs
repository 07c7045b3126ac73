//! Stopping: why, and by whom.
//!
//! Long work ends before its time for one of a few reasons ([`Stop`]): somebody asked for it, the deadline has passed, or the
//! memory is spent. A request is held by a [`Cancel`], a tree of flags: what is stopped stops with all its children. A request that
//! concerns the whole process, a signal or the memory of the process, is held by one flag that all of them consult ([`request`]).
//!
//! Two kinds of work consult them:
//! * Searches poll ([`Cancel::stopped`], [`requested`]) and return what they have found so far.
//! * Constructions (parsers, translations, products of automata) have no result until they are complete, and are called from many
//!   places: they call [`checkpoint`] in their loops, which unwinds to [`cancellable`], as rust-analyzer's salsa does. So no signature
//!   changes, and what was half made is dropped on the way.
//!
//! Invariants:
//! * **I1** [`checkpoint`] unwinds only inside of [`cancellable`] or [`under`], on the same thread; elsewhere it does nothing.
//! * **I2** It never unwinds while another panic unwinds: that would abort the process.
//! * **I3** Nothing but [`Unwound`] is caught by [`cancellable`]; panics pass.
//! * **I4** A [`Cancel`] that is stopped stays stopped, for the first reason.
//!
//! Cost: a checkpoint decrements a counter of its thread; one in [`INTERVAL`] looks at the flags and, if there is a deadline, at the
//! clock. Loops whose bodies take more than some ten thousand instructions each reach a look too seldom for a deadline to be kept
//! well; they call [`checkpoint_now`].
//!
//! Code that calls [`checkpoint`] must not hold what cannot be abandoned half done: a lock whose poisoning matters, or memory that only
//! its normal end would release. Nothing in this workspace that calls it does.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Checkpoints between two looks at flags and clock.
const INTERVAL: u32 = 64;

/// Why work ends before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// Somebody asked for it.
    Cancelled,
    /// The deadline has passed.
    Time,
    /// The memory is spent.
    Memory,
}

impl Stop {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Stop::Cancelled => "interrupted",
            Stop::Time => "time",
            Stop::Memory => "memory",
        }
    }

    fn code(self) -> u8 {
        match self {
            Stop::Cancelled => 1,
            Stop::Time => 2,
            Stop::Memory => 3,
        }
    }

    fn of(code: u8) -> Option<Self> {
        match code {
            1 => Some(Stop::Cancelled),
            2 => Some(Stop::Time),
            3 => Some(Stop::Memory),
            _ => None,
        }
    }
}

/// The request that concerns the whole process.
static PROCESS: AtomicU8 = AtomicU8::new(0);

/// For tests: looks until the process is stopped, plus one; 0 if it is not.
static COUNTDOWN: AtomicU64 = AtomicU64::new(0);

/// Asks the whole process to stop. Of several requests the first counts, except that one by a user replaces one for want of memory,
/// which may be withdrawn. (A signal handler may call it.)
pub fn request(stop: Stop) {
    // Relaxed, here and below: flags are looked at for their own sake.
    if stop == Stop::Cancelled {
        PROCESS.store(stop.code(), Relaxed);
    } else {
        let _ = PROCESS.compare_exchange(0, stop.code(), Relaxed, Relaxed);
    }
}

/// Takes back a request for this reason, if that is the one there is: what needed the memory has given it back.
pub fn withdraw(stop: Stop) {
    let _ = PROCESS.compare_exchange(stop.code(), 0, Relaxed, Relaxed);
}

/// Why the whole process is to stop, if it is.
#[inline]
pub fn requested() -> Option<Stop> {
    if COUNTDOWN.load(Relaxed) > 0 {
        count_down();
    }
    Stop::of(PROCESS.load(Relaxed))
}

/// For tests: from the `looks`th look on, all that looks is stopped as if by a user. Every checkpoint is a look then.
pub fn request_at(looks: u64) {
    COUNTDOWN.store(looks.saturating_add(1), Relaxed);
}

#[cold]
fn count_down() {
    let left = COUNTDOWN.fetch_update(Relaxed, Relaxed, |left| (left > 1).then(|| left - 1));
    if left == Ok(2) {
        request(Stop::Cancelled);
    }
}

/// By whom work can be stopped.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Node>);

#[derive(Debug, Default)]
struct Node {
    /// 0, or the code of the reason.
    stop: AtomicU8,
    deadline: Option<Instant>,
    parent: Option<Cancel>,
}

impl Cancel {
    /// One that nobody has stopped, without a deadline.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that stops at this time.
    pub fn at(deadline: Option<Instant>) -> Self {
        Self(Arc::new(Node {
            deadline,
            ..Node::default()
        }))
    }

    /// One that stops with this one, or at this time.
    pub fn child(&self, deadline: Option<Instant>) -> Self {
        Self(Arc::new(Node {
            deadline,
            parent: Some(self.clone()),
            ..Node::default()
        }))
    }

    /// What the work of this thread can be stopped by: to be handed on to other threads that help it.
    pub fn current() -> Self {
        CURRENT.with_borrow(|current| current.clone().unwrap_or_default())
    }

    /// When it stops by itself, at the latest.
    pub fn deadline(&self) -> Option<Instant> {
        let mut least = self.0.deadline;
        let mut node = &self.0;
        while let Some(parent) = &node.parent {
            node = &parent.0;
            least = least.into_iter().chain(node.deadline).min();
        }
        least
    }

    /// Stops the work and all below it.
    pub fn stop(&self, stop: Stop) {
        // I4.
        let _ = (self.0.stop).compare_exchange(0, stop.code(), Relaxed, Relaxed);
    }

    /// Is the work stopped by a flag, and why? Deadlines are not looked at.
    #[inline]
    pub fn flagged(&self) -> Option<Stop> {
        let mut node = &self.0;
        loop {
            if let Some(stop) = Stop::of(node.stop.load(Relaxed)) {
                return Some(stop);
            }
            match &node.parent {
                Some(parent) => node = &parent.0,
                None => return requested(),
            }
        }
    }

    /// Is the work stopped, and why?
    pub fn stopped(&self) -> Option<Stop> {
        if let Some(stop) = self.flagged() {
            return Some(stop);
        }
        let mut now = None;
        let mut node = Some(self);
        while let Some(cancel) = node {
            if let Some(deadline) = cancel.0.deadline
                && *now.get_or_insert_with(Instant::now) >= deadline
            {
                cancel.stop(Stop::Time);
                return Some(Stop::Time);
            }
            node = cancel.0.parent.as_ref();
        }
        None
    }
}

/// Why a search has to stop that may be stopped by this, or by what concerns the whole process.
#[inline]
pub fn poll(cancel: Option<&Cancel>) -> Option<Stop> {
    match cancel {
        Some(cancel) => cancel.flagged(),
        None => requested(),
    }
}

/// What unwinds from a checkpoint.
struct Unwound(Stop);

/// Why a checkpoint unwound, if it is one that did: for code that catches all panics on the way.
pub fn unwound(panic: &(dyn Any + Send)) -> Option<Stop> {
    panic.downcast_ref::<Unwound>().map(|unwound| unwound.0)
}

thread_local! {
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
    /// Checkpoints until the next look.
    static LEFT: Cell<u32> = const { Cell::new(0) };
}

/// Does work whose checkpoints unwind when it is stopped, to a caller who catches panics himself and asks [`unwound`].
pub fn under<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> T {
    /// Restores what was there, also after a panic.
    struct Restore(Option<Cancel>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _restore = Restore(CURRENT.replace(Some(cancel.clone())));
    LEFT.set(0);
    work()
}

/// Does work that may be stopped at its checkpoints.
///
/// # Errors
/// Why it was stopped.
pub fn cancellable<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> Result<T, Stop> {
    let done = catch_unwind(AssertUnwindSafe(|| under(cancel, work)));
    done.map_err(|panic| match panic.downcast::<Unwound>() {
        Ok(unwound) => unwound.0,
        // I3.
        Err(panic) => resume_unwind(panic),
    })
}

/// Is it time to stop? Then the work ends here, inside of [`cancellable`].
#[inline]
pub fn checkpoint() {
    LEFT.with(|left| match left.get() {
        0 => look(left),
        n => left.set(n - 1),
    });
}

/// A checkpoint that always looks: where much work is done between two.
pub fn checkpoint_now() {
    LEFT.with(look);
}

#[cold]
fn look(left: &Cell<u32>) {
    let is_counting = COUNTDOWN.load(Relaxed) > 0;
    left.set(if is_counting { 0 } else { INTERVAL });
    let stop = CURRENT.with_borrow(|current| current.as_ref().and_then(Cancel::stopped));
    // I1, I2.
    if let Some(stop) = stop
        && !std::thread::panicking()
    {
        resume_unwind(Box::new(Unwound(stop)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Works without end, and says how far it got.
    fn endless(done: &Cell<u64>) {
        loop {
            checkpoint();
            done.set(done.get() + 1);
        }
    }

    #[test]
    fn work_ends_at_a_checkpoint_for_the_first_reason() {
        let done = Cell::new(0);
        let past = Cancel::at(Some(Instant::now()));
        assert_eq!(cancellable(&past, || endless(&done)), Err(Stop::Time));
        assert_eq!(done.get(), 0);
        past.stop(Stop::Cancelled);
        assert_eq!(past.stopped(), Some(Stop::Time));

        let parent = Cancel::new();
        let child = parent.child(Some(Instant::now() + Duration::from_secs(3600)));
        let stopped = cancellable(&child, || {
            for step in 0.. {
                checkpoint();
                if step == 1000 {
                    parent.stop(Stop::Memory);
                }
                done.set(step);
            }
        });
        assert_eq!(stopped, Err(Stop::Memory));
        assert!((1000..1000 + 2 * u64::from(INTERVAL)).contains(&done.get()));
        assert_eq!(cancellable(&Cancel::new(), || 5), Ok(5));
    }

    #[test]
    fn inner_work_can_be_stopped_alone() {
        let outer = Cancel::new();
        let inner = outer.child(None);
        inner.stop(Stop::Cancelled);
        let work = || {
            let done = Cell::new(0);
            let stopped = cancellable(&inner, || endless(&done));
            checkpoint_now();
            stopped
        };
        assert_eq!(cancellable(&outer, work), Ok(Err(Stop::Cancelled)));
        // Outside of it nothing is stopped.
        checkpoint_now();
    }

    #[test]
    fn panics_pass_and_are_not_interrupted() {
        struct Worker;
        impl Drop for Worker {
            fn drop(&mut self) {
                // I2: an abort of the tests if it were to unwind.
                checkpoint_now();
            }
        }
        let stopped = Cancel::new();
        stopped.stop(Stop::Cancelled);
        let work = || {
            let _worker = Worker;
            resume_unwind(Box::new("a defect"));
        };
        let panic = catch_unwind(AssertUnwindSafe(|| cancellable(&stopped, work)));
        let text = panic.unwrap_err().downcast::<&str>();
        assert_eq!(*text.unwrap(), "a defect");
    }

    #[test]
    fn other_threads_are_not_concerned() {
        let stopped = Cancel::new();
        stopped.stop(Stop::Cancelled);
        let answer = cancellable(&stopped, || {
            let work = || {
                checkpoint_now();
                7
            };
            std::thread::scope(|scope| scope.spawn(work).join().ok())
        });
        assert_eq!(answer, Ok(Some(7)));
    }
}
