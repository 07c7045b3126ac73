//! A thread with a stack deep enough for a recursion over all levels.

use sempre_base::stop::{Cancel, under};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// Bytes of stack for each level, and at least.
const FRAME: usize = 4 << 10;
const STACK: usize = 16 << 20;

/// Runs a computation whose recursion is as deep as there are levels. Unused pages of a stack cost nothing.
pub(crate) fn on_a_deep_stack<T: Send>(levels: usize, work: impl FnOnce() -> T + Send) -> T {
    let cancel = Cancel::current();
    // Taken by the new thread, or by this one if the system provides none.
    let slot = Mutex::new(Some(work));
    let take = || slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    let done = std::thread::scope(|scope| {
        let thread = Builder::new().stack_size(STACK + levels * FRAME);
        match thread.spawn_scoped(scope, || take().map(|work| under(&cancel, work))) {
            Ok(worker) => worker.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => take().map(|work| work()),
        }
    });
    done.expect("it is taken once")
}
