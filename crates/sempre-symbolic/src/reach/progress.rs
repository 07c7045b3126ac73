//! Reports of progress while a search goes on.

use crate::dd::forest::Forest;
use crate::dd::node::Node;
use std::time::{Duration, Instant};

/// What is known while it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Nodes, dead ones included.
    pub nodes: usize,
    /// States found so far, where the strategy has them all in one set.
    pub states: Option<f64>,
    /// Bytes of nodes, tables and caches.
    pub bytes: usize,
    /// Since it began.
    pub elapsed: Duration,
}

/// Time between two words about progress.
const INTERVAL: Duration = Duration::from_millis(250);

/// Tells about progress.
pub(crate) struct ProgressReporter<'a> {
    callback: Option<&'a (dyn Fn(&Progress) + Sync)>,
    begin: Instant,
    last: Instant,
    calls: u32,
}

impl<'a> ProgressReporter<'a> {
    pub fn new(callback: Option<&'a (dyn Fn(&Progress) + Sync)>) -> Self {
        let begin = Instant::now();
        Self {
            callback,
            begin,
            last: begin,
            calls: 0,
        }
    }

    /// Says how far it has got, if that is due; the states of `set`, if it is cheap to count them.
    pub fn report(&mut self, forest: &Forest, set: Option<Node>) {
        let Some(callback) = self.callback else {
            return;
        };
        // The clock is not cheap.
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
