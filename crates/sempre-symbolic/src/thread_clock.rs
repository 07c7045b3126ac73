//! The CPU time of a thread: less than wall time on a busy machine.

use std::time::{Duration, Instant};

/// A clock of the thread that started it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadClock {
    begin: Instant,
    /// The thread's CPU time at the start, if the system provides it.
    before: Option<Duration>,
}

impl ThreadClock {
    pub(crate) fn start() -> Self {
        Self {
            begin: Instant::now(),
            before: cpu_time(),
        }
    }

    /// The CPU time since the start; wall time if the system does not provide CPU time.
    pub(crate) fn elapsed(&self) -> Duration {
        match (self.before, cpu_time()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.begin.elapsed(),
        }
    }
}

/// The CPU time of this thread, from Linux's `/proc`.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        let clock = ThreadClock::start();
        let mut last = Duration::ZERO;
        let mut sum = 0u64;
        while last == Duration::ZERO {
            sum = (0..100_000u64).fold(sum, |s, i| s.rotate_left(7) ^ i);
            let now = clock.elapsed();
            assert!(now >= last, "{sum}");
            last = now;
        }
    }
}
