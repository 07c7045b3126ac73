//! Ctrl-C: a search stops and tells what it knows.
//!
//! Not other signals: the feature `termination` of `ctrlc`, which would listen to SIGTERM, takes SIGHUP as well, and a search under
//! `nohup` would end when its terminal does.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// What becomes true at Ctrl-C, from the first call on. A second Ctrl-C ends the program at once.
pub fn flag() -> &'static AtomicBool {
    HANDLER.call_once(|| {
        // Without a handler Ctrl-C ends the program, as it does everywhere.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
    &INTERRUPTED
}
