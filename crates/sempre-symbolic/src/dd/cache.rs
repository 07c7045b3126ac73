//! Results of operations, kept as long as there is room.
//!
//! A direct-mapped table: a new result takes the place of the one that hashes to it. It grows with the table of nodes, and
//! when it has forgotten more than it holds, since a cache that is too small forgets what is asked for next, and the same
//! is done again and again. After a garbage collection it keeps what speaks of living nodes alone. An entry is the
//! words of the key and the result: 16 bytes for two operands.

use crate::dd::node::{Node, UNIT};
use sempre_store::in_large_pages;

/// What operation a result is of. It shares a word with the number of a shape or a level.
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

/// A cache with keys of `N` words, the first of which is no node.
#[derive(Clone, Debug)]
pub(crate) struct Cache<const N: usize> {
    /// Keys and results; the first word of a free place is 0.
    entries: Vec<([u32; N], Node)>,
    /// Results that were pushed out since it last grew.
    evictions: usize,
    /// How often it was asked.
    lookups: u64,
}

/// So many free places. They are looked at in random order, so large pages save a good part of the time.
fn allocate<const N: usize>(size: usize) -> Vec<([u32; N], Node)> {
    let mut allocate = Vec::with_capacity(size);
    in_large_pages(&mut allocate);
    allocate.resize(size, ([0; N], 0));
    allocate
}

impl<const N: usize> Cache<N> {
    /// A cache with `size` places, a power of two.
    pub fn new(size: usize) -> Self {
        debug_assert!(size.is_power_of_two());
        Self {
            entries: allocate(size),
            evictions: 0,
            lookups: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn bytes(&self) -> usize {
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

    /// The result, if it is still known.
    #[inline]
    pub fn get(&mut self, key: &[u32; N]) -> Option<Node> {
        self.lookups += 1;
        let (cached, result) = &self.entries[self.slot(key)];
        (cached == key).then_some(*result)
    }

    /// How often it was asked.
    pub fn lookups(&self) -> u64 {
        self.lookups
    }

    /// Notes a result.
    #[inline]
    pub fn put(&mut self, key: &[u32; N], result: Node) {
        let slot = self.slot(key);
        let entry = &mut self.entries[slot];
        self.evictions += usize::from(entry.0[0] != 0);
        *entry = (*key, result);
    }

    /// Has it forgotten more than it can hold?
    pub fn is_too_small(&self) -> bool {
        self.evictions > self.entries.len()
    }

    /// Takes `size` places, a power of two.
    pub fn resize(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.entries, allocate(size));
        self.evictions = 0;
        for (key, result) in old {
            if key[0] != 0 {
                self.put(&key, result);
            }
        }
        self.evictions = 0;
    }

    /// Forgets all results.
    pub fn clear(&mut self) {
        self.entries.fill(([0; N], 0));
        self.evictions = 0;
    }

    /// Forgets the results of an operation that have some numbers.
    pub fn remove(&mut self, operation: Operation, numbers: std::ops::RangeFrom<u32>) {
        for entry in &mut self.entries {
            let first = entry.0[0];
            if first >= key(operation, numbers.start) && first <= key(operation, NUMBER_LIMIT - 1) {
                *entry = ([0; N], 0);
            }
        }
    }

    /// Forgets what speaks of dead nodes.
    pub fn retain(&mut self, is_alive: impl Fn(Node) -> bool) {
        let alive = |n: Node| n <= UNIT || is_alive(n);
        for entry in &mut self.entries {
            if entry.0[0] != 0 && !(alive(entry.1) && entry.0[1..].iter().all(|&n| alive(n))) {
                *entry = ([0; N], 0);
            }
        }
    }
}
