//! The operation cache.
//!
//! A direct-mapped table: a new result replaces the one in its slot. The cache grows with the table of nodes, and when
//! it has evicted more results than it holds, since a cache that is too small evicts results before they are used
//! again. A garbage collection keeps the results about live nodes only. An entry is the key's words and the result: 16
//! bytes for two operands.

use crate::dd::node::{Node, UNIT};
use sempre_store::in_large_pages;

/// The operation of a result. It shares a word with the number of a shape or a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Operation {
    Union = 1,
    Intersection,
    Difference,
    Project,
    Image,
    Join,
    Preimage,
    Restrict,
    Prepared,
    Saturate,
    Fire,
    StepsInto,
}

/// Numbers of shapes and levels are below this.
pub(crate) const NUMBER_LIMIT: u32 = 1 << 27;

/// The first word of a key.
#[inline]
pub(crate) fn key(operation: Operation, number: u32) -> u32 {
    debug_assert!(number < NUMBER_LIMIT);
    (operation as u32) << 27 | number
}

/// A cache with keys of `N` words, the first of which is not a node.
#[derive(Clone, Debug)]
pub(crate) struct Cache<const N: usize> {
    /// Keys and results; the first word of a free entry is 0.
    entries: Vec<([u32; N], Node)>,
    /// Results evicted since the cache last grew.
    evictions: usize,
    /// Number of lookups.
    lookups: u64,
}

/// Free entries. Access is random, so large pages save much time.
fn allocate<const N: usize>(size: usize) -> Vec<([u32; N], Node)> {
    let mut allocate = Vec::with_capacity(size);
    in_large_pages(&mut allocate);
    allocate.resize(size, ([0; N], 0));
    allocate
}

impl<const N: usize> Cache<N> {
    /// A cache with `size` entries, a power of two.
    pub(crate) fn new(size: usize) -> Self {
        debug_assert!(size.is_power_of_two());
        Self {
            entries: allocate(size),
            evictions: 0,
            lookups: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.len() * size_of::<([u32; N], Node)>()
    }

    #[inline]
    fn slot(&self, key: &[u32; N]) -> usize {
        let mut x = 0u64;
        for pair in key.chunks(2) {
            let low = pair.get(1).copied().unwrap_or(0);
            x ^= u64::from(pair[0]) << 32 | u64::from(low);
            x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            x ^= x >> 31;
        }
        x as usize & (self.entries.len() - 1)
    }

    /// The cached result.
    #[inline]
    pub(crate) fn get(&mut self, key: &[u32; N]) -> Option<Node> {
        self.lookups += 1;
        let (cached, result) = &self.entries[self.slot(key)];
        (cached == key).then_some(*result)
    }

    /// Number of lookups.
    pub(crate) fn lookups(&self) -> u64 {
        self.lookups
    }

    /// Stores a result.
    #[inline]
    pub(crate) fn put(&mut self, key: &[u32; N], result: Node) {
        let slot = self.slot(key);
        let entry = &mut self.entries[slot];
        self.evictions += usize::from(entry.0[0] != 0);
        *entry = (*key, result);
    }

    /// Whether it has evicted more results than it can hold.
    pub(crate) fn is_too_small(&self) -> bool {
        self.evictions > self.entries.len()
    }

    /// Resizes to `size` entries, a power of two.
    pub(crate) fn resize(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.entries, allocate(size));
        self.evictions = 0;
        for (key, result) in old {
            if key[0] != 0 {
                self.put(&key, result);
            }
        }
        self.evictions = 0;
    }

    /// Removes all results.
    pub(crate) fn clear(&mut self) {
        self.entries.fill(([0; N], 0));
        self.evictions = 0;
    }

    /// Removes the results of an operation with these numbers.
    pub(crate) fn remove(&mut self, operation: Operation, numbers: std::ops::RangeFrom<u32>) {
        for entry in &mut self.entries {
            let first = entry.0[0];
            if first >= key(operation, numbers.start) && first <= key(operation, NUMBER_LIMIT - 1) {
                *entry = ([0; N], 0);
            }
        }
    }

    /// Removes the results about dead nodes.
    pub(crate) fn retain(&mut self, is_alive: impl Fn(Node) -> bool) {
        let alive = |n: Node| n <= UNIT || is_alive(n);
        for entry in &mut self.entries {
            if entry.0[0] != 0 && !(alive(entry.1) && entry.0[1..].iter().all(|&n| alive(n))) {
                *entry = ([0; N], 0);
            }
        }
    }
}
