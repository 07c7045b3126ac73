//! Limits of a forest, and its counters.

use crate::dd::node::Entry;
use crate::turns::Participant;
use sempre_base::stop::Cancel;
use std::time::Instant;

/// Limits of memory and time, and the flag that cancels.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes for nodes, tables and caches.
    pub memory: Option<usize>,
    /// When time is up.
    pub deadline: Option<Instant>,
    /// Cancels the computation.
    pub interrupt: Option<Cancel>,
}

impl Limits {
    /// Nodes get five eighths of the memory, caches three eighths.
    pub(crate) fn max_nodes(&self) -> usize {
        self.memory.map_or(MAX_NODES, |m| m / 8 * 5 / NODE_BYTES)
    }

    pub(crate) fn max_cache_entries(&self) -> usize {
        let most = self
            .memory
            .map_or(MAX_CACHE_ENTRIES, |m| m / 8 * 3 / CACHE_ENTRY_BYTES);
        // Rounded down to a power of two.
        let most = most.clamp(1 << 6, MAX_CACHE_ENTRIES) + 1;
        most.next_power_of_two() / 2
    }
}

/// Nodes between two polls of the clock and the cancellation flag.
pub(crate) const POLL_INTERVAL: u32 = 1 << 16;
/// Nodes before the first collection.
const INITIAL_CAPACITY: usize = 1 << 20;
/// Limit of node numbers, which have 32 bits.
pub(crate) const MAX_NODES: usize = 1 << 31;
/// Bytes for each node of the capacity: the node, up to two buckets, its mark.
const NODE_BYTES: usize = size_of::<Entry>() + 8 + 1;
/// Give up after this many consecutive collections that freed less than a quarter.
pub(crate) const MAX_UNPRODUCTIVE: u32 = 4;
/// Bytes of a cache entry.
const CACHE_ENTRY_BYTES: usize = 16;
/// A larger cache does not pay.
const MAX_CACHE_ENTRIES: usize = 1 << 27;

/// Limits and counters.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub limits: Limits,
    /// Nodes that may be made before the next collection.
    pub capacity: usize,
    pub peak: usize,
    pub collections: u64,
    pub until_poll: u32,
    /// Set if other searches take turns with this one.
    pub participant: Option<Participant>,
    pub polls: u64,
    /// The work reported to `participant`, and lookups in caches that have been dropped.
    pub reported: u64,
    pub past_lookups: u64,
    /// The current computation ends after this many nodes (`Forest::with_budget`).
    pub node_budget: u64,
    /// Consecutive collections that freed less than a quarter of a capacity that cannot grow.
    pub unproductive: u32,
    /// For tests: collect before every n-th new node.
    pub stress: Option<(u32, u32)>,
}

impl Control {
    pub(crate) fn new(limits: Limits) -> Self {
        let capacity = limits
            .memory
            .map_or(INITIAL_CAPACITY, |m| (m / NODE_BYTES).min(INITIAL_CAPACITY));
        Self {
            limits,
            capacity: capacity.max(16),
            peak: 0,
            collections: 0,
            until_poll: POLL_INTERVAL,
            participant: None,
            polls: 0,
            reported: 0,
            past_lookups: 0,
            node_budget: u64::MAX,
            unproductive: 0,
            stress: None,
        }
    }

    #[inline]
    pub(crate) fn stress_due(&mut self) -> bool {
        match &mut self.stress {
            None => false,
            Some((left, every)) => {
                *left -= 1;
                let due = *left == 0;
                if due {
                    *left = *every;
                }
                due
            }
        }
    }
}
