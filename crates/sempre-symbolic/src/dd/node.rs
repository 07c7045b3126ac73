//! Nodes of diagrams, and the names of those that are kept.

/// The number of a node.
pub type Node = u32;

/// The empty set, of vectors of any length.
pub const EMPTY: Node = 0;

/// The set of the empty vector.
pub const UNIT: Node = 1;

/// The end of a chain, which is the empty set's number, too: it is in no bucket.
pub(crate) const NONE: u32 = 0;

/// What a node holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    pub value: u32,
    pub down: Node,
    pub right: Node,
    /// The next in its bucket, or the next free place.
    pub next: u32,
}

/// The name of a kept node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Root(pub(crate) u32);

#[inline]
pub(crate) fn hash(a: u32, b: u32, c: u32) -> u32 {
    let x = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let y = (x ^ (x >> 29) ^ u64::from(c)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (y >> 32) as u32
}
