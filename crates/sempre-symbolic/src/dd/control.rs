//! Limits of a forest, and its counters.

use crate::dd::node::Entry;
use crate::turns::Baton;
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
    pub(crate) fn most_nodes(&self) -> usize {
        self.memory.map_or(LARGEST, |m| m / 8 * 5 / BYTES)
    }

    pub(crate) fn most_places(&self) -> usize {
        let most = self.memory.map_or(PLACES, |m| m / 8 * 3 / PLACE);
        // A power of two that is not larger.
        let most = most.clamp(1 << 6, PLACES) + 1;
        most.next_power_of_two() / 2
    }
}

/// Nodes between two looks at the clock.
pub(crate) const PATIENCE: u32 = 1 << 16;
/// Capacity at the start.
const CAPACITY: usize = 1 << 20;
/// Nodes have 32-bit numbers.
pub(crate) const LARGEST: usize = 1 << 31;
/// Bytes for each node of the capacity: itself, its bucket (up to two), its mark.
const BYTES: usize = size_of::<Entry>() + 8 + 1;
/// So many collections one after another that free less than a quarter are enough.
pub(crate) const POOR: u32 = 4;
/// Bytes for each place in the cache.
const PLACE: usize = 16;
/// More places than these help nobody.
const PLACES: usize = 1 << 27;

/// Limits and counters.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub limits: Limits,
    /// Nodes that may be made before a collection.
    pub capacity: usize,
    pub peak: usize,
    pub collections: u64,
    pub until_look: u32,
    /// Held while it works, if another search has turns, too.
    pub baton: Option<Baton>,
    pub looks: u64,
    /// The work that the baton was told of, and questions to caches that are no more.
    pub told: u64,
    pub asked: u64,
    /// Work is given up after so many nodes, for a while.
    pub patience: u64,
    /// How many collections have freed less than a quarter of a capacity that cannot grow, one after another.
    pub poor: u32,
    /// For tests: collect before every so many new nodes.
    pub stress: Option<(u32, u32)>,
}

impl Control {
    pub fn new(limits: Limits) -> Self {
        let capacity = limits
            .memory
            .map_or(CAPACITY, |m| (m / BYTES).min(CAPACITY));
        Self {
            limits,
            capacity: capacity.max(16),
            peak: 0,
            collections: 0,
            until_look: PATIENCE,
            baton: None,
            looks: 0,
            told: 0,
            asked: 0,
            patience: u64::MAX,
            poor: 0,
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
