//! A gate: many workers share a value, and now and then one worker replaces it.
//!
//! This is a readers-writer lock for one purpose: shared access must cost next to nothing and must not write to
//! memory that workers share, while exclusive access may be slow since it happens a logarithmic number of times. Each
//! worker is a *participant* with a flag `inside` on its own cache line. A worker that wants to replace the value
//! raises the `stop` flag and waits until no participant is inside.
//!
//! Workers are inside only for the length of a closure. So a worker that waits for work, has finished or has panicked
//! never blocks the others, and no worker needs to poll.
//!
//! ## Invariants
//! - **I1** While a participant's `inside` is set and its worker has seen `stop` lowered afterwards, there is no
//!   mutable reference to the value.
//! - **I2** `stop` is raised only by the holder of the lock on the participants, and lowered before that lock is
//!   released.
//!
//! ## Ordering
//! Entering and raising `stop` are the two sides of Dekker's algorithm: each writes its own flag, then reads the
//! other's, with a sequentially consistent fence between. Of two such fences one is first; the side whose fence is
//! second sees the other's flag. So either the worker sees `stop` and retreats, or the writer sees `inside` and waits
//! (I1). Leaving is a Release store that the writer's Acquire load reads: all that the worker did inside happens
//! before the replacement. Lowering `stop` is a Release store that an entering worker's Acquire load reads: the
//! replacement happens before all that follows. Fences are used instead of sequentially consistent accesses because
//! loom models fences exactly.

use crate::sync::{AtomicBool, Mutex, SyncArc, UnsafeCell, fence, lock, yield_now};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// Alignment that keeps the data written by different workers on different cache lines (two, because processors fetch
/// lines in pairs).
#[repr(align(128))]
struct Padded<T>(T);

struct Participant<N> {
    inside: AtomicBool,
    /// The worker's data for the worker that replaces the value.
    local: N,
}

struct Shared<N> {
    stop: Padded<AtomicBool>,
    participants: Mutex<Vec<SyncArc<Padded<Participant<N>>>>>,
}

/// The gate, the value behind it, and local data per worker.
pub(crate) struct Gate<T, N> {
    value: UnsafeCell<T>,
    shared: SyncArc<Shared<N>>,
}

// SAFETY: the value is handed out as `&T` to several threads at once (needs `T: Sync`) and as `&mut T` to one thread,
// not always the one that made it (needs `T: Send`); I1 keeps the two apart. Local data are only ever shared, and may
// be dropped by another thread.
unsafe impl<T: Send + Sync, N: Send + Sync> Sync for Gate<T, N> {}

/// The registration of a worker, needed for access.
pub(crate) struct GateHandle<N> {
    participant: SyncArc<Padded<Participant<N>>>,
    shared: SyncArc<Shared<N>>,
}

impl<N> GateHandle<N> {
    /// The worker's local data.
    pub(crate) fn local(&self) -> &N {
        &self.participant.0.local
    }
}

impl<N> Drop for GateHandle<N> {
    fn drop(&mut self) {
        lock(&self.shared.participants)
            .retain(|participant| !SyncArc::ptr_eq(participant, &self.participant));
    }
}

impl<T, N> Gate<T, N> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value: UnsafeCell::new(value),
            shared: SyncArc::new(Shared {
                stop: Padded(AtomicBool::new(false)),
                participants: Mutex::new(Vec::new()),
            }),
        }
    }

    /// Registers a worker.
    pub(crate) fn register(&self, local: N) -> GateHandle<N> {
        let participant = SyncArc::new(Padded(Participant {
            inside: AtomicBool::new(false),
            local,
        }));
        lock(&self.shared.participants).push(SyncArc::clone(&participant));
        GateHandle {
            participant,
            shared: SyncArc::clone(&self.shared),
        }
    }

    /// Calls `f` with the value, shared with other workers.
    ///
    /// # Panics
    /// If the handle is of another gate.
    #[inline]
    pub(crate) fn shared<R>(&self, handle: &mut GateHandle<N>, f: impl FnOnce(&T, &N) -> R) -> R {
        /// Clears `inside`, also when `f` panics: otherwise the others would wait for ever.
        struct Leave<'a>(&'a AtomicBool);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                // Release: everything done inside happens before a replacement.
                self.0.store(false, Release);
            }
        }

        assert!(
            SyncArc::ptr_eq(&self.shared, &handle.shared),
            "a worker of another table"
        );
        let participant = &handle.participant.0;
        loop {
            // Relaxed: the fence orders it before the load of `stop`.
            participant.inside.store(true, Relaxed);
            fence(SeqCst);
            // Acquire: pairs with the lowering of `stop`.
            if !self.shared.stop.0.load(Acquire) {
                break;
            }
            // Release, though nothing was done: the rule is the same for all stores of `false`.
            participant.inside.store(false, Release);
            // By I2, the lock is free when the replacement is over.
            drop(lock(&self.shared.participants));
        }
        let _leave = Leave(&participant.inside);
        self.value.with(|value| {
            // SAFETY: by I1 no mutable reference exists until `_leave` is dropped, which is after `f` has returned;
            // `R` cannot borrow from the reference, since `f` is generic in its lifetime.
            f(unsafe { &*value }, &participant.local)
        })
    }

    /// Waits until no worker is inside, and calls `f` with the value and the local data of all workers. Must not be
    /// called from inside.
    pub(crate) fn exclusive<R>(
        &self,
        f: impl FnOnce(&mut T, &mut dyn Iterator<Item = &N>) -> R,
    ) -> R {
        /// Lowers `stop`, also when `f` panics.
        struct Resume<'a>(&'a AtomicBool);
        impl Drop for Resume<'_> {
            fn drop(&mut self) {
                // Release: the replacement happens before any later access.
                self.0.store(false, Release);
            }
        }

        let participants = lock(&self.shared.participants);
        // Relaxed: the fence orders it before the loads of the participants' flags.
        self.shared.stop.0.store(true, Relaxed);
        // Declared after `participants`, hence dropped before: I2.
        let _resume = Resume(&self.shared.stop.0);
        fence(SeqCst);
        for participant in participants.iter() {
            // Acquire: everything the worker did inside happens before the replacement.
            while participant.0.inside.load(Acquire) {
                yield_now();
            }
        }
        self.value.with_mut(|value| {
            // SAFETY: this thread holds the lock, so no other thread is here; every participant was seen outside
            // after `stop` was raised, so by I1 there is no shared reference, and there will be none until `_resume`
            // is dropped, which is after `f` has returned.
            f(
                unsafe { &mut *value },
                &mut participants.iter().map(|participant| &participant.0.local),
            )
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The test detects a torn pair of numbers.
    #[test]
    fn replacements_are_atomic() {
        let gate: Gate<(u64, u64), ()> = Gate::new((0, 0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let mut handle = gate.register(());
                    for _ in 0..2_000 {
                        let (a, b) = gate.shared(&mut handle, |&(a, b), ()| {
                            std::hint::spin_loop();
                            (a, b)
                        });
                        assert_eq!(a, b);
                    }
                });
            }
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        gate.exclusive(|value, _| {
                            value.0 += 1;
                            std::hint::spin_loop();
                            value.1 += 1;
                        });
                    }
                });
            }
        });
        gate.exclusive(|value, participants| {
            assert_eq!(*value, (400, 400));
            assert_eq!(
                participants.count(),
                0,
                "dropped handles remove their participants"
            );
        });
    }

    #[test]
    fn a_panic_inside_blocks_no_worker() {
        let gate: Gate<u64, ()> = Gate::new(0);
        let mut handle = gate.register(());
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            gate.shared(&mut handle, |_, ()| panic!("expected by the test"));
        }));
        assert!(result.is_err());
        gate.exclusive(|value, _| *value += 1);
        assert_eq!(gate.shared(&mut handle, |&value, ()| value), 1);
    }
}
