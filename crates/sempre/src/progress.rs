//! The line on a terminal that says how far a search has got.

use sempre::explicit::explore::Progress;
use std::io::{IsTerminal, Write};

/// Is there somebody to read it?
pub fn wanted(quiet: bool) -> bool {
    !quiet && std::io::stderr().is_terminal()
}

/// Shows it.
pub fn show(p: &Progress) {
    let seconds = p.elapsed.as_secs_f64().max(0.001);
    eprint!(
        "\r\x1b[K{} states, {:.2} million per second, {} waiting, {} MiB",
        p.states,
        p.states as f64 / seconds / 1e6,
        p.queue,
        p.bytes >> 20
    );
    let _ = std::io::stderr().flush();
}

/// Shows how far a symbolic search has got.
pub fn show_nodes(p: &sempre::symbolic::reach::Progress) {
    let states = p
        .states
        .map_or(String::new(), |s| format!(", {s:.3e} states"));
    eprint!(
        "\r\x1b[K{:.1} s, {} nodes{states}, {} MiB",
        p.elapsed.as_secs_f64(),
        p.nodes,
        p.bytes >> 20
    );
    let _ = std::io::stderr().flush();
}

/// Takes it away.
pub fn clear() {
    eprint!("\r\x1b[K");
}
