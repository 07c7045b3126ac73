//! The line on a terminal that says how far a search has got, and what is left of its limits.
//!
//! States are those that are stored, as in the `stored` of the results.

use sempre::explicit::explore::Progress;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Is there somebody to read it?
pub fn wanted(quiet: bool) -> bool {
    !quiet && std::io::stderr().is_terminal()
}

/// The limits of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget {
    /// Time, from the beginning of the search.
    pub time: Option<Duration>,
    /// Bytes.
    pub memory: Option<usize>,
}

impl Budget {
    fn elapsed(&self, elapsed: Duration) -> String {
        let mut text = format!("{:.1} s", elapsed.as_secs_f64());
        if let Some(time) = self.time {
            let left = time.saturating_sub(elapsed).as_secs_f64();
            let _ = write!(text, " ({left:.0} left)");
        }
        text
    }

    fn bytes(&self, bytes: usize) -> String {
        let mut text = format!("{} MiB", bytes >> 20);
        if let Some(memory) = self.memory {
            let _ = write!(text, " ({} left)", memory.saturating_sub(bytes) >> 20);
        }
        text
    }

    /// Shows how far an explicit search has got.
    pub(crate) fn show(&self, p: &Progress) {
        put(&self.line(p));
    }

    fn line(&self, p: &Progress) -> String {
        let seconds = p.elapsed.as_secs_f64().max(0.001);
        let rate = p.states as f64 / seconds / 1e6;
        let depth = p.depth.map_or(String::new(), |d| format!(", depth {d}"));
        format!(
            "{}: {} states, {rate:.2} million/s, {} waiting{depth}, {}",
            self.elapsed(p.elapsed),
            p.states,
            p.queue,
            self.bytes(p.bytes)
        )
    }

    /// Shows how far a symbolic search has got.
    pub(crate) fn show_nodes(&self, p: &sempre::symbolic::reach::Progress) {
        let states = p
            .states
            .map_or(String::new(), |s| format!(", {s:.3e} states"));
        put(&format!(
            "{}: {} nodes{states}, {}",
            self.elapsed(p.elapsed),
            p.nodes,
            self.bytes(p.bytes)
        ));
    }
}

fn put(line: &str) {
    eprint!("\r\x1b[K{line}");
    let _ = std::io::stderr().flush();
}

/// Takes it away.
pub fn clear() {
    put("");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said() {
        let mut p = Progress {
            states: 3_000_000,
            transitions: 9_000_000,
            queue: 17,
            depth: Some(42),
            bytes: 30 << 20,
            elapsed: Duration::from_millis(1500),
        };
        assert_eq!(
            Budget::default().line(&p),
            "1.5 s: 3000000 states, 2.00 million/s, 17 waiting, depth 42, 30 MiB"
        );
        p.depth = None;
        let budget = Budget {
            time: Some(Duration::from_secs(60)),
            memory: Some(2 << 30),
        };
        assert_eq!(
            budget.line(&p),
            "1.5 s (58 left): 3000000 states, 2.00 million/s, 17 waiting, 30 MiB (2018 left)"
        );
    }
}
