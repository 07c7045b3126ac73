//! The options that limit a command which has no more to say about limits.

use crate::commands::check::seconds;
use crate::failure::Outcome;
use crate::supervisor;
use clap::Args;
use sempre::memory;
use std::time::{Duration, Instant};

/// Limits of a command.
#[derive(Args, Clone, Debug)]
pub struct LimitOptions {
    /// How many seconds it may take; status 3 and what was done so far if that is not enough
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,

    /// How much memory the process may take, as 50M or 2G [default: nine tenths of what is free]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_size)]
    memory: Option<usize>,
}

impl LimitOptions {
    /// Does the work of a command within the limits; `what` says what that is, after "while".
    pub fn during<T>(&self, what: &str, act: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let deadline = self.time.and_then(|t| Instant::now().checked_add(t));
        supervisor::limit_memory(self.memory.or_else(memory::default_budget));
        supervisor::step(what, deadline, act)
    }
}
