//! Limits of a forest, and its counters.

use crate::dd::node::Entry;
use crate::turns::Participant;
use sempre_base::stop::Cancel;
use std::time::Instant;

/// When to give up.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes that nodes, tables and caches may take.
    pub memory: Option<usize>,
    /// When time is up.
    pub deadline: Option<Instant>,
    /// Stops it.
    pub interrupt: Option<Cancel>,
}

impl Limits {
    /// Of the memory, nodes may have five eighths and results three.
    pub(crate) fn max_nodes(&self) -> usize {
        self.memory.map_or(MAX_NODES, |m| m / 8 * 5 / NODE_BYTES)
    }

    pub(crate) fn max_cache_entries(&self) -> usize {
        let most = self
            .memory
            .map_or(MAX_CACHE_ENTRIES, |m| m / 8 * 3 / CACHE_ENTRY_BYTES);
        // A power of two that is not larger.
        let most = most.clamp(1 << 6, MAX_CACHE_ENTRIES) + 1;
        most.next_power_of_two() / 2
    }
}

/// Nodes between two looks at the clock.
pub(crate) const POLL_INTERVAL: u32 = 1 << 16;
/// Capacity at the start.
const INITIAL_CAPACITY: usize = 1 << 20;
/// Nodes have 32-bit numbers.
pub(crate) const MAX_NODES: usize = 1 << 31;
/// Bytes for each node of the capacity: itself, its bucket (up to two), its mark.
const NODE_BYTES: usize = size_of::<Entry>() + 8 + 1;
/// So many collections one after another that free less than a quarter are enough.
pub(crate) const MAX_UNPRODUCTIVE: u32 = 4;
/// Bytes for each place in the cache.
const CACHE_ENTRY_BYTES: usize = 16;
/// More places than these help nobody.
const MAX_CACHE_ENTRIES: usize = 1 << 27;

/// Limits and counters.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub limits: Limits,
    /// Nodes that may be made before a collection.
    pub capacity: usize,
    pub peak: usize,
    pub collections: u64,
    pub until_poll: u32,
    /// Held while it works, if another search has turns, too.
    pub participant: Option<Participant>,
    pub polls: u64,
    /// The work that the baton was told of, and questions to caches that are no more.
    pub reported: u64,
    pub past_lookups: u64,
    /// Work is given up after so many nodes, for a while.
    pub node_budget: u64,
    /// How many collections have freed less than a quarter of a capacity that cannot grow, one after another.
    pub unproductive: u32,
    /// For tests: collect before every so many new nodes.
    pub stress: Option<(u32, u32)>,
}

impl Control {
    pub fn new(limits: Limits) -> Self {
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
    pub fn stress_due(&mut self) -> bool {
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
