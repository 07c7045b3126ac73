//! Limits of a search, and looking whether they are reached.
//!
//! Looking costs time, so it is done once in many expansions. What the workers of a crew have counted is summed up then, too;
//! between two looks nothing is shared.

use super::Product;
use crate::explore::{Progress, Reason};
use crate::marks::Marks;
use crate::space::Stop;
use sempre_base::{Cancel, stop};
use sempre_model::system::System;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Limits are looked at once in so many expansions.
const PATIENCE: u32 = 256;

/// Limits of a search.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Bytes that states and what is known of them may take.
    pub memory: Option<usize>,
    /// Time that it may take.
    pub time: Option<Duration>,
    /// Number of states after whose expansion, by all workers together, to stop; a few more may be expanded.
    pub states: Option<u64>,
    /// Stops the search.
    pub interrupt: Option<&'a Cancel>,
    /// Is told how far the search has got, at most once in 300 ms.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl<S: System, M: Marks> Product<'_, S, M> {
    /// Time, memory, Ctrl-C, progress.
    #[cold]
    pub(super) fn look_up(&mut self) -> Result<(), Stop> {
        self.patience = PATIENCE;
        self.peak = self.peak.max(self.budget.used());
        // Relaxed, here and below: numbers that are looked at for their own sake.
        let (common, told_of) = (&self.common, self.told_of);
        let new = self.counted.0 - told_of.0;
        let expanded = new + common.expanded.fetch_add(new, Relaxed);
        let new = self.counted.1 - told_of.1;
        let transitions = new + common.transitions.fetch_add(new, Relaxed);
        self.told_of = self.counted;
        let limits = &self.limits;
        if let Some(stop) = stop::poll(limits.interrupt) {
            return Err(Stop(stop.into()));
        }
        if limits.states.is_some_and(|limit| expanded > limit) {
            return Err(Stop(Reason::States));
        }
        if limits.time.is_none() && limits.progress.is_none() {
            return Ok(());
        }
        let now = Instant::now();
        if limits.time.is_some_and(|limit| now - self.begin > limit) {
            return Err(Stop(Reason::Time));
        }
        if let Some(progress) = limits.progress
            && now - self.told >= Duration::from_millis(300)
        {
            self.told = now;
            let states = self.store.len();
            progress(&Progress {
                states,
                transitions,
                queue: states.saturating_sub(expanded),
                depth: None,
                bytes: self.budget.used(),
                elapsed: now - self.begin,
            });
        }
        Ok(())
    }
}
