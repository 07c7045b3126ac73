//! Node numbers, node contents, and handles of garbage-collection roots.

/// The number of a node.
pub(crate) type Node = u32;

/// The empty set, of vectors of any length.
pub(crate) const EMPTY: Node = 0;

/// The set of the empty vector.
pub(crate) const UNIT: Node = 1;

/// The end of a chain of nodes. It is the number of the empty set, which is in no bucket.
pub(crate) const NONE: u32 = 0;

/// The contents of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    pub value: u32,
    pub down: Node,
    pub right: Node,
    /// The next node in the same bucket, or the next free entry.
    pub next: u32,
}

/// A handle to a root of garbage collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Root(pub(crate) u32);

#[inline]
pub(crate) fn hash(a: u32, b: u32, c: u32) -> u32 {
    let x = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let y = (x ^ (x >> 29) ^ u64::from(c)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (y >> 32) as u32
}
