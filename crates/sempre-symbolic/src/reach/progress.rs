//! Progress reports.

use crate::dd::forest::Forest;
use crate::dd::node::Node;
use std::time::{Duration, Instant};

/// A progress report.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Nodes, dead ones included.
    pub nodes: usize,
    /// States found so far, if the strategy keeps them in one set.
    pub states: Option<f64>,
    /// Bytes of nodes, tables and caches.
    pub bytes: usize,
    /// Wall time since the start.
    pub elapsed: Duration,
}

/// Time between two reports.
const INTERVAL: Duration = Duration::from_millis(250);

/// Calls a function with progress reports.
pub(crate) struct ProgressReporter<'a> {
    callback: Option<&'a (dyn Fn(&Progress) + Sync)>,
    begin: Instant,
    last: Instant,
    calls: u32,
}

impl<'a> ProgressReporter<'a> {
    pub(crate) fn new(callback: Option<&'a (dyn Fn(&Progress) + Sync)>) -> Self {
        let begin = Instant::now();
        Self {
            callback,
            begin,
            last: begin,
            calls: 0,
        }
    }

    /// Reports progress if a report is due; with the number of states of `set`, if there is one.
    pub(crate) fn report(&mut self, forest: &Forest, set: Option<Node>) {
        let Some(callback) = self.callback else {
            return;
        };
        // Reading the clock is not cheap.
        self.calls = self.calls.wrapping_add(1);
        if set.is_none() && !self.calls.is_multiple_of(256) || self.last.elapsed() < INTERVAL {
            return;
        }
        callback(&Progress {
            nodes: forest.nodes(),
            states: set.map(|s| forest.count(s).to_f64()),
            bytes: forest.bytes(),
            elapsed: self.begin.elapsed(),
        });
        self.last = Instant::now();
    }
}
