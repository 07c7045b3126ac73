//! Time that this process has computed, whatever others did meanwhile.

use std::time::Duration;

/// User and system time of all threads so far; `None` where the system does not tell.
pub fn process() -> Option<Duration> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        u64::try_from(micros).ok().map(Duration::from_micros)
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(unix)]
    fn work_takes_time() {
        let begin = super::process().expect("unix tells");
        let mut x = 1u64;
        while super::process().expect("unix tells") == begin {
            x = x.wrapping_mul(3);
        }
        assert_eq!(x % 2, 1);
    }
}
