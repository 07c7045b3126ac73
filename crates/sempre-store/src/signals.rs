//! Signals that request termination.
//!
//! The first SIGINT, SIGTERM or SIGHUP requests the process to stop ([`sempre_base::stop::request`]): the work ends
//! at its next checkpoint, and the results so far are reported. The signals are counted, so that the caller can end
//! the process at once at the second one; the caller may have files to remove.
//!
//! If SIGHUP is ignored when the process starts, it stays ignored, as `nohup` requires.
//!
//! SIGABRT is handled, too, for one case: Rust aborts when an infallible allocation fails, and that is a limit which
//! was reached, not a defect ([`crate::reserve`]).

#[cfg(unix)]
use std::sync::atomic::AtomicI32;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static COUNT: AtomicUsize = AtomicUsize::new(0);
#[cfg(unix)]
static LAST: AtomicI32 = AtomicI32::new(0);

/// The number of signals so far that request termination.
pub fn count() -> usize {
    // Relaxed, here and below: the counter orders nothing else.
    COUNT.load(Relaxed)
}

/// The exit status of a process that the last signal has terminated, as shells report it.
pub fn status() -> i32 {
    #[cfg(unix)]
    {
        128 + LAST.load(Relaxed)
    }
    #[cfg(not(unix))]
    130
}

/// Installs the handlers. Does nothing on platforms without signals.
pub fn watch() {
    #[cfg(unix)]
    {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            if signal == libc::SIGHUP && is_ignored(signal) {
                continue;
            }
            handle(signal, stop_requested as *const () as libc::sighandler_t);
        }
        handle(libc::SIGABRT, aborted as *const () as libc::sighandler_t);
    }
}

/// Is the signal ignored?
#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: all bytes zero is a valid `sigaction`, and the call gets a pointer to a live one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Installs a handler.
#[cfg(unix)]
fn handle(signal: libc::c_int, handler: libc::sighandler_t) {
    // SAFETY: all bytes zero is a valid `sigaction`, and the calls get pointers to live ones. The handlers do nothing but what is
    // allowed in a signal handler: atomic accesses, `write` and `_exit`.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        // System calls are restarted: the decision to end the process is made elsewhere.
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

#[cfg(unix)]
extern "C" fn stop_requested(signal: libc::c_int) {
    LAST.store(signal, Relaxed);
    COUNT.fetch_add(1, Relaxed);
    sempre_base::stop::request(sempre_base::Stop::Cancelled);
}

#[cfg(unix)]
extern "C" fn aborted(_: libc::c_int) {
    if crate::reserve::is_refused() {
        let text = "error: out of memory: the system refuses more (ulimit -v, or a limit of the container)\n";
        // SAFETY: both are allowed in a signal handler, and the text is alive.
        unsafe {
            libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
            libc::_exit(3);
        }
    }
    // Not an allocation failure: the default action follows, as `abort` raises the signal again when a handler
    // returns.
}
