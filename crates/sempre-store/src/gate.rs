//! A gate: many workers use a value at the same time, now and then one replaces it.
//!
//! A lock for readers and a writer made for one purpose: entering must cost next to nothing and must not
//! write to memory that workers share, replacing may be slow since it happens a logarithmic number of
//! times. Each worker has a *seat* on its own cache line, in which it says that it is inside. Who wants to
//! replace the value raises the `stop` flag and waits until every seat is empty.
//!
//! Workers are inside only for the length of a closure, so one that waits for work, has finished or has
//! panicked never holds up the others: nobody needs to poll.
//!
//! ## Invariants
//! - **I1** While a seat says `inside` and its worker has seen `stop` lowered afterwards, nobody has a
//!   mutable reference to the value.
//! - **I2** `stop` is raised only by the holder of the lock on the seats, and lowered before that lock is
//!   released.
//!
//! ## Ordering
//! Entering and raising `stop` are the two sides of Dekker's algorithm: each writes its own flag, then
//! reads the other's, with a sequentially consistent fence between. Of two such fences one is first; the
//! side whose fence is second sees the other's flag. So either the worker sees `stop` and retreats, or the
//! writer sees `inside` and waits (I1). Leaving is a Release store that the writer's Acquire load reads:
//! all that the worker did inside happens before the replacement. Lowering `stop` is a Release store that
//! an entering worker's Acquire load reads: the replacement happens before all that follows. Fences rather
//! than sequentially consistent accesses because loom models the former exactly.

use crate::sync::{AtomicBool, Mutex, SyncArc, UnsafeCell, fence, lock, yield_now};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// Alignment that keeps what different workers write on different cache lines (two, because processors
/// fetch lines in pairs).
#[repr(align(128))]
struct Padded<T>(T);

struct Seat<N> {
    inside: AtomicBool,
    /// What the worker wants to tell whoever replaces the value.
    note: N,
}

struct Shared<N> {
    stop: Padded<AtomicBool>,
    seats: Mutex<Vec<SyncArc<Padded<Seat<N>>>>>,
}

/// The gate, the value behind it, and a note per worker.
pub(crate) struct Gate<T, N> {
    value: UnsafeCell<T>,
    shared: SyncArc<Shared<N>>,
}

// SAFETY: the value is handed out as `&T` to several threads at once (needs `T: Sync`) and as `&mut T` to
// one thread, not always the one that made it (needs `T: Send`); I1 keeps the two apart. Notes are only
// ever shared, and may be dropped by another thread.
unsafe impl<T: Send + Sync, N: Send + Sync> Sync for Gate<T, N> {}

/// A worker's right to enter.
pub(crate) struct Pass<N> {
    seat: SyncArc<Padded<Seat<N>>>,
    shared: SyncArc<Shared<N>>,
}

impl<N> Pass<N> {
    /// The worker's own note.
    pub(crate) fn note(&self) -> &N {
        &self.seat.0.note
    }
}

impl<N> Drop for Pass<N> {
    fn drop(&mut self) {
        lock(&self.shared.seats).retain(|seat| !SyncArc::ptr_eq(seat, &self.seat));
    }
}

impl<T, N> Gate<T, N> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value: UnsafeCell::new(value),
            shared: SyncArc::new(Shared {
                stop: Padded(AtomicBool::new(false)),
                seats: Mutex::new(Vec::new()),
            }),
        }
    }

    /// Registers a worker.
    pub(crate) fn pass(&self, note: N) -> Pass<N> {
        let seat = SyncArc::new(Padded(Seat {
            inside: AtomicBool::new(false),
            note,
        }));
        lock(&self.shared.seats).push(SyncArc::clone(&seat));
        Pass {
            seat,
            shared: SyncArc::clone(&self.shared),
        }
    }

    /// Uses the value, together with others.
    ///
    /// # Panics
    /// If the pass is of another gate.
    #[inline]
    pub(crate) fn inside<R>(&self, pass: &mut Pass<N>, f: impl FnOnce(&T, &N) -> R) -> R {
        /// Empties the seat, also when `f` panics: the others must not wait for ever.
        struct Leave<'a>(&'a AtomicBool);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                // Release: what was done inside happens before a replacement.
                self.0.store(false, Release);
            }
        }

        assert!(
            SyncArc::ptr_eq(&self.shared, &pass.shared),
            "a worker of another table"
        );
        let seat = &pass.seat.0;
        loop {
            // Relaxed: the fence orders it before the load of `stop`.
            seat.inside.store(true, Relaxed);
            fence(SeqCst);
            // Acquire: pairs with the lowering of `stop`.
            if !self.shared.stop.0.load(Acquire) {
                break;
            }
            // Release, though nothing was done: one rule for all stores of `false`.
            seat.inside.store(false, Release);
            // By I2, the lock is free when the replacement is over.
            drop(lock(&self.shared.seats));
        }
        let _leave = Leave(&seat.inside);
        self.value.with(|value| {
            // SAFETY: by I1 no mutable reference exists until `_leave` is dropped, which is after `f`
            // has returned; `R` cannot borrow from the reference, whose lifetime `f` does not know.
            f(unsafe { &*value }, &seat.note)
        })
    }

    /// Waits until nobody is inside, and replaces or looks through the value, with all workers' notes.
    /// Must not be called from inside.
    pub(crate) fn alone<R>(&self, f: impl FnOnce(&mut T, &mut dyn Iterator<Item = &N>) -> R) -> R {
        /// Lowers `stop`, also when `f` panics.
        struct Resume<'a>(&'a AtomicBool);
        impl Drop for Resume<'_> {
            fn drop(&mut self) {
                // Release: the replacement happens before whoever enters next.
                self.0.store(false, Release);
            }
        }

        let seats = lock(&self.shared.seats);
        // Relaxed: the fence orders it before the loads of the seats.
        self.shared.stop.0.store(true, Relaxed);
        // Declared after `seats`, hence dropped before: I2.
        let _resume = Resume(&self.shared.stop.0);
        fence(SeqCst);
        for seat in seats.iter() {
            // Acquire: what the worker did inside happens before the replacement.
            while seat.0.inside.load(Acquire) {
                yield_now();
            }
        }
        self.value.with_mut(|value| {
            // SAFETY: we hold the lock, so no other thread is here; every seat was seen empty after
            // `stop` was raised, so by I1 nobody has a shared reference, and nobody gets one until
            // `_resume` is dropped, which is after `f` has returned.
            f(
                unsafe { &mut *value },
                &mut seats.iter().map(|seat| &seat.0.note),
            )
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// A torn pair of numbers would be seen at once.
    #[test]
    fn nobody_sees_a_replacement_halfway() {
        let gate: Gate<(u64, u64), ()> = Gate::new((0, 0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let mut pass = gate.pass(());
                    for _ in 0..2_000 {
                        let (a, b) = gate.inside(&mut pass, |&(a, b), ()| {
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
                        gate.alone(|value, _| {
                            value.0 += 1;
                            std::hint::spin_loop();
                            value.1 += 1;
                        });
                    }
                });
            }
        });
        gate.alone(|value, seats| {
            assert_eq!(*value, (400, 400));
            assert_eq!(seats.count(), 0, "passes give their seats back");
        });
    }

    #[test]
    fn a_panic_inside_holds_up_nobody() {
        let gate: Gate<u64, ()> = Gate::new(0);
        let mut pass = gate.pass(());
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            gate.inside(&mut pass, |_, ()| panic!("expected by the test"));
        }));
        assert!(result.is_err());
        gate.alone(|value, _| *value += 1);
        assert_eq!(gate.inside(&mut pass, |&value, ()| value), 1);
    }
}
