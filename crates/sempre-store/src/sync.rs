//! The synchronisation primitives of this crate: those of `std`, or those of loom when its models run
//! (see `loom_models`). A thin layer only where the two differ in shape.

#[cfg(not(all(loom, test)))]
mod real {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, fence};
    pub(crate) use std::sync::{Arc as SyncArc, Mutex, MutexGuard};
    pub(crate) use std::thread::yield_now;

    /// `std::cell::UnsafeCell` with loom's interface: a pointer that must not leave a closure.
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }
        #[inline]
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[cfg(all(loom, test))]
mod real {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, fence};
    pub(crate) use loom::sync::{Arc as SyncArc, Mutex, MutexGuard};
    pub(crate) use loom::thread::yield_now;
}

pub(crate) use real::*;

/// Locks, and ignores poisoning: the data that these locks protect are consistent after every single assignment.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
