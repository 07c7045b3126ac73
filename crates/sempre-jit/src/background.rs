//! Compilation in a thread of its own.
//!
//! Compilation takes milliseconds for most models, and many seconds for some: those with a hundred processes, or
//! thousands of rendezvous. A search does not wait for it. It starts with the interpreter, which reports the same
//! steps in the same order, and switches to native code when the code is complete. If compilation takes less than
//! [`INITIAL_WAIT`], only native code is used.
//!
//! * If the caller has a deadline, compilation may take a quarter of the remaining time. The interpreter handles the
//!   states of functions that are not compiled by then ([`Native::new`]).
//! * Dropping the last reference to a compilation stops it at its next checkpoint, and waits for that. There is a
//!   checkpoint before each function, and a function has a bounded number of actions.
//! * An error within [`INITIAL_WAIT`] is returned to the caller. After a later error the interpreter handles all
//!   states.

use crate::error::{CompileError, failed};
use crate::native::Native;
use sempre_base::stop::{Cancel, Stop, cancellable};
use sempre_model::Layout;
use sempre_model::ir::{Expr, Program};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// The caller waits this long for the code.
const INITIAL_WAIT: Duration = Duration::from_millis(300);

/// Compilation may take one part in this many of the remaining time.
const DEADLINE_SHARE: u32 = 4;

/// The stack of the thread. Expressions that are too deep for it are not compiled ([`crate::compilable`]).
const STACK_BYTES: usize = 64 << 20;

/// The state that the thread shares with those who wait for it.
#[derive(Default)]
struct Shared {
    made: OnceLock<Result<Native, CompileError>>,
    /// Has the thread ended, with a result or without one?
    has_ended: Mutex<bool>,
    ended: Condvar,
}

/// Native code, or its compilation in progress.
pub(crate) struct Compilation {
    shared: Arc<Shared>,
    cancel: Cancel,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Compilation {
    /// Starts the compilation, and waits for a short time. With `changes`, records list changes.
    pub(crate) fn begin(
        program: &Arc<Program>,
        layout: &Layout,
        propositions: &Arc<Vec<Expr>>,
        changes: bool,
    ) -> Self {
        let caller = Cancel::current();
        let until = (caller.deadline()).map(|deadline| {
            let now = Instant::now();
            now + deadline.saturating_duration_since(now) / DEADLINE_SHARE
        });
        let cancel = caller.child(None);
        let shared = Arc::new(Shared::default());
        let work = {
            let (shared, cancel) = (shared.clone(), cancel.clone());
            let (program, layout) = (program.clone(), layout.clone());
            let propositions = propositions.clone();
            move || {
                compile_into(&shared, &cancel, || {
                    Native::new(&program, &layout, &propositions, until, changes)
                });
            }
        };
        // Taken by the thread, or by this one if the thread cannot be created.
        let work = Arc::new(Mutex::new(Some(work)));
        let taken = {
            let work = work.clone();
            move || work.lock().unwrap_or_else(PoisonError::into_inner).take()
        };
        let run = taken.clone();
        let spawned = Builder::new().stack_size(STACK_BYTES).spawn(move || {
            if let Some(work) = run() {
                work();
            }
        });
        let thread = match spawned {
            Ok(thread) => Some(thread),
            Err(_) => {
                if let Some(work) = taken() {
                    work();
                }
                None
            }
        };
        let compilation = Self {
            shared,
            cancel,
            thread: Mutex::new(thread),
        };
        compilation.wait_for(Some(INITIAL_WAIT));
        compilation
    }

    /// A compilation that the test completes.
    #[cfg(test)]
    pub fn pending() -> Self {
        Self {
            shared: Arc::default(),
            cancel: Cancel::new(),
            thread: Mutex::new(None),
        }
    }

    /// Completes the compilation.
    #[cfg(test)]
    pub fn complete(&self, native: Native) {
        assert!(self.shared.made.set(Ok(native)).is_ok());
    }

    /// The code, if the compilation is complete.
    #[inline]
    pub(crate) fn get(&self) -> Option<&Native> {
        self.shared.made.get().and_then(|made| made.as_ref().ok())
    }

    /// The error of the compilation, if there is one so far.
    ///
    /// # Errors
    /// If the compilation failed.
    pub(crate) fn error(&self) -> Result<(), CompileError> {
        match self.shared.made.get() {
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Waits until the compilation ends.
    pub(crate) fn wait(&self) {
        self.wait_for(None);
    }

    fn wait_for(&self, time: Option<Duration>) {
        let has_ended = (self.shared.has_ended.lock()).unwrap_or_else(PoisonError::into_inner);
        match time {
            Some(time) => {
                let waited =
                    (self.shared.ended).wait_timeout_while(has_ended, time, |ended| !*ended);
                drop(waited);
            }
            None => drop(self.shared.ended.wait_while(has_ended, |ended| !*ended)),
        }
    }
}

impl Drop for Compilation {
    fn drop(&mut self) {
        self.cancel.stop(Stop::Cancelled);
        let thread = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // The thread catches its panics.
            let _ = thread.join();
        }
    }
}

fn compile_into(
    shared: &Shared,
    cancel: &Cancel,
    compile: impl FnOnce() -> Result<Native, CompileError>,
) {
    /// Reports the end in any case, also after a panic.
    struct End<'a>(&'a Shared);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            *(self.0.has_ended.lock()).unwrap_or_else(PoisonError::into_inner) = true;
            self.0.ended.notify_all();
        }
    }
    let _end = End(shared);
    let made = cancellable(cancel, compile);
    let made = made.unwrap_or_else(|stop| Err(failed(stop.word())));
    let _ = shared.made.set(made);
}
