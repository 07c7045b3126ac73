//! Cancellation: reasons to stop work, and the flags that request it.
//!
//! Long work ends early for one of a few reasons ([`Stop`]): a request, the deadline, or lack of memory. A [`Cancel`]
//! holds a request. It is a node of a tree of flags: stopping a node stops all its children. A request that concerns
//! the whole process, by a signal or for lack of memory, is one flag that all of them check ([`request`]).
//!
//! Two kinds of work check them:
//! * Searches poll ([`Cancel::stopped`], [`requested`]) and return their results so far.
//! * Constructions (parsers, translations, products of automata) have no result until they are complete, and are
//!   called from many places: they call [`checkpoint`] in their loops, which unwinds to [`cancellable`], as
//!   rust-analyzer's salsa does. So no signature changes, and incomplete results are dropped during unwinding.
//!
//! Invariants:
//! * **I1** [`checkpoint`] unwinds only inside of [`cancellable`] or [`under`], on the same thread; elsewhere it does
//!   nothing.
//! * **I2** It never unwinds while another panic unwinds: that would abort the process.
//! * **I3** [`cancellable`] catches nothing but `Unwound`; panics propagate.
//! * **I4** A [`Cancel`] that is stopped stays stopped, for the first reason.
//!
//! Cost: a checkpoint decrements a counter of its thread; every `INTERVAL`th checks the flags and, if there is a
//! deadline, the clock. In loops whose bodies take more than some ten thousand instructions, these checks are too
//! rare to keep a deadline; such loops call [`checkpoint_now`].
//!
//! Code that calls [`checkpoint`] must not hold anything that cannot be abandoned: a lock whose poisoning matters, or
//! memory that is released only at its normal end. No code of this workspace that calls it does.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// The number of checkpoints between two checks of flags and clock.
const INTERVAL: u32 = 64;

/// The reason why work ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// A request, by the user or by the program.
    Cancelled,
    /// The deadline has passed.
    Time,
    /// The memory is exhausted.
    Memory,
}

impl Stop {
    /// The reason in one word.
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

/// For tests: the number of checks until the process is stopped, plus one; 0 if it is not.
static COUNTDOWN: AtomicU64 = AtomicU64::new(0);

/// Requests the whole process to stop. The first request counts, except that one by a user replaces one for lack of
/// memory, which may be withdrawn. (A signal handler may call it.)
pub fn request(stop: Stop) {
    // Relaxed, here and below: the flags order nothing else.
    if stop == Stop::Cancelled {
        PROCESS.store(stop.code(), Relaxed);
    } else {
        let _ = PROCESS.compare_exchange(0, stop.code(), Relaxed, Relaxed);
    }
}

/// Withdraws a request for this reason, if that is the current one: the memory has been released.
pub fn withdraw(stop: Stop) {
    let _ = PROCESS.compare_exchange(stop.code(), 0, Relaxed, Relaxed);
}

/// The reason of the request to stop the whole process, if there is one.
#[inline]
pub fn requested() -> Option<Stop> {
    if COUNTDOWN.load(Relaxed) > 0 {
        count_down();
    }
    Stop::of(PROCESS.load(Relaxed))
}

/// For tests: from check number `looks` on, all work is stopped as if by a user. Every checkpoint checks then.
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

/// A node of the tree of cancellation flags.
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
    /// A node that is not stopped, without a deadline.
    pub fn new() -> Self {
        Self::default()
    }

    /// A node with this deadline.
    pub fn at(deadline: Option<Instant>) -> Self {
        Self(Arc::new(Node {
            deadline,
            ..Node::default()
        }))
    }

    /// A node that stops with this one, or at the deadline.
    pub fn child(&self, deadline: Option<Instant>) -> Self {
        Self(Arc::new(Node {
            deadline,
            parent: Some(self.clone()),
            ..Node::default()
        }))
    }

    /// The node of this thread's current work, to be passed to other threads that take part in it.
    pub fn current() -> Self {
        CURRENT.with_borrow(|current| current.clone().unwrap_or_default())
    }

    /// The earliest deadline of this node and its ancestors.
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

    /// The reason why the work is stopped by a flag, if it is. Deadlines are not checked.
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

    /// The reason why the work is stopped, if it is.
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

/// The reason why a search must stop, by this node or by a request for the whole process.
#[inline]
pub fn poll(cancel: Option<&Cancel>) -> Option<Stop> {
    match cancel {
        Some(cancel) => cancel.flagged(),
        None => requested(),
    }
}

/// The panic payload of a checkpoint.
struct Unwound(Stop);

/// The reason of a checkpoint that unwound with this panic, if it is one: for code that catches all panics.
pub fn unwound(panic: &(dyn Any + Send)) -> Option<Stop> {
    panic.downcast_ref::<Unwound>().map(|unwound| unwound.0)
}

thread_local! {
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
    /// The number of checkpoints until the next check.
    static LEFT: Cell<u32> = const { Cell::new(0) };
}

/// Runs work whose checkpoints unwind when it is stopped, for a caller that catches panics itself and calls
/// [`unwound`].
pub fn under<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> T {
    /// Restores the previous node, also after a panic.
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

/// Runs work that may be stopped at its checkpoints.
///
/// # Errors
/// The reason why it was stopped.
pub fn cancellable<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> Result<T, Stop> {
    let done = catch_unwind(AssertUnwindSafe(|| under(cancel, work)));
    done.map_err(|panic| match panic.downcast::<Unwound>() {
        Ok(unwound) => unwound.0,
        // I3.
        Err(panic) => resume_unwind(panic),
    })
}

/// The time between two checks while a thread waits in [`beside`].
const WAIT: Duration = Duration::from_millis(5);

/// Runs work without checkpoints, such as that of a library, on another thread; this thread waits at checkpoints. If it is stopped
/// there, the other thread continues to its own next checkpoint, to its end, or until the process ends. `None` if the system gives no
/// thread; then the work has not begun.
pub fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let cancel = Cancel::current();
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let done = catch_unwind(AssertUnwindSafe(|| under(&cancel, work)));
        // The receiver is gone if the waiting thread was stopped.
        let _ = sender.send(done);
    };
    std::thread::Builder::new().spawn(work).ok()?;
    loop {
        match receiver.recv_timeout(WAIT) {
            Ok(Ok(done)) => return Some(done),
            // Also what unwinds from a checkpoint of the work.
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => checkpoint_now(),
        }
    }
}

/// Checks from time to time whether the work is stopped; if so, unwinds to [`cancellable`].
#[inline]
pub fn checkpoint() {
    LEFT.with(|left| match left.get() {
        0 => look(left),
        n => left.set(n - 1),
    });
}

/// A checkpoint that always checks, for loops with much work between two checkpoints.
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

    /// Endless work that counts its iterations.
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
        // Outside of `cancellable` nothing is stopped.
        checkpoint_now();
    }

    #[test]
    fn panics_pass_and_are_not_interrupted() {
        struct Worker;
        impl Drop for Worker {
            fn drop(&mut self) {
                // I2: unwinding here would abort the tests.
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
    fn work_beside_is_stopped_or_left() {
        let at_rest = || cancellable(&Cancel::new(), || beside(|| 7));
        assert_eq!(at_rest(), Ok(Some(7)));
        let stopped = Cancel::new();
        stopped.stop(Stop::Memory);
        // It cannot end before the test does.
        let (hold, held) = mpsc::channel::<()>();
        let answer = cancellable(&stopped, || beside(move || held.recv().is_ok()));
        assert_eq!(answer, Err(Stop::Memory));
        drop(hold);
        // A checkpoint of the work ends it, too, and a panic is one of the caller.
        let answer = cancellable(&stopped, || beside(|| endless(&Cell::new(0))));
        assert_eq!(answer, Err(Stop::Memory));
        let panic = catch_unwind(|| beside(|| resume_unwind(Box::new("a defect"))));
        let text = panic
            .map(|_: Option<()>| ())
            .unwrap_err()
            .downcast::<&str>();
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
