//! Compilation by a thread of its own.
//!
//! Native code is made in milliseconds for most models, and in many seconds for some: with a hundred processes, or thousands of
//! rendezvous. A search need not wait for it: it begins with the interpreter, which tells the same in the same order, and goes on
//! with native code as soon as that is there. Where the code is made within [`INITIAL_WAIT`] nothing of this is seen.
//!
//! * If the work that asks for the code has a deadline, code is made until a quarter of the time is over; functions that are still
//!   to be made then leave their states to the interpreter ([`Native::new`]).
//! * Who drops the last reference to a compilation stops it at its next checkpoint, and waits for that. A checkpoint is reached
//!   before each function, and a function has a bounded number of actions.
//! * What went wrong within [`INITIAL_WAIT`] is an error of who asks for the code; what goes wrong later leaves all states to the
//!   interpreter.

use crate::error::{CompileError, failed};
use crate::native::Native;
use sempre_base::stop::{Cancel, Stop, cancellable};
use sempre_model::Layout;
use sempre_model::ir::{Expr, Program};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// So long the code is waited for.
const INITIAL_WAIT: Duration = Duration::from_millis(300);

/// The part of the time that is left in which code is made.
const DEADLINE_SHARE: u32 = 4;

/// The stack of the thread. Expressions that are too deep for it are not compiled ([`crate::compilable`]).
const STACK_BYTES: usize = 64 << 20;

/// What the thread and those who wait for it share.
#[derive(Default)]
struct Shared {
    made: OnceLock<Result<Native, CompileError>>,
    /// Has the thread ended, with a result or without one?
    has_ended: Mutex<bool>,
    ended: Condvar,
}

/// Native code that is there, or is being made.
pub(crate) struct Compilation {
    shared: Arc<Shared>,
    cancel: Cancel,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Compilation {
    /// Begins to compile, and waits a little. With `changes`, records list changes.
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
        // Taken by the thread, or by this one if there is none.
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

    /// One whose code comes when the test says so.
    #[cfg(test)]
    pub fn pending() -> Self {
        Self {
            shared: Arc::default(),
            cancel: Cancel::new(),
            thread: Mutex::new(None),
        }
    }

    /// Now the code is there.
    #[cfg(test)]
    pub fn complete(&self, native: Native) {
        assert!(self.shared.made.set(Ok(native)).is_ok());
    }

    /// The code, if it is there.
    #[inline]
    pub(crate) fn get(&self) -> Option<&Native> {
        self.shared.made.get().and_then(|made| made.as_ref().ok())
    }

    /// What went wrong so far.
    ///
    /// # Errors
    /// If it did.
    pub(crate) fn error(&self) -> Result<(), CompileError> {
        match self.shared.made.get() {
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Waits for the end.
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
            // Its panics are caught.
            let _ = thread.join();
        }
    }
}

fn compile_into(
    shared: &Shared,
    cancel: &Cancel,
    compile: impl FnOnce() -> Result<Native, CompileError>,
) {
    /// Says so whatever happens.
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
