//! Ctrl-C, or a request to terminate as `timeout` sends it: a search stops and tells what it knows.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// What becomes true when somebody asks the program to end, from the first call on. Asked again, it ends at once.
pub fn flag() -> &'static AtomicBool {
    HANDLER.call_once(|| {
        // Without a handler these signals end the program, as they do everywhere.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
    &INTERRUPTED
}
