//! List decision diagrams: the nodes, the unique table, what is protected.
//!
//! A diagram is a set of vectors of integers, all of one length. A node `(value, down, right)` stands for the vectors
//! that start with `value` and go on as in `down`, and those of `right`, whose first values are all greater: the multi-valued
//! node with its children as a linked list (Blom, van de Pol, *Symbolic reachability for process algebras with recursive data
//! types*, ICTAC 2008; Sylvan's LDDs). Lists are sparse, so domains need no bound, and their ends are shared.
//!
//! Invariants:
//! * I1: values increase along `right`; `down` is never [`EMPTY`].
//! * I2: no two nodes are equal. So equal sets are equal numbers.
//! * I3: children are older than their parents, or were made at the same time from a free place: no cycles.
//!
//! Nodes take 16 bytes: the fourth word links the nodes of a bucket of the unique table, or the free places. A node does not
//! know its level: equal lists of equal ends are one node, wherever they are.
//!
//! **Protection.** Garbage collection may happen whenever a node is made. It spares what is reachable from the kept nodes
//! ([`Forest::keep`]) and from the stack of intermediate results. Public operations protect their operands; who holds
//! another node across an operation must keep it. Inside, an operation's operands are protected by its caller, and results
//! go to the stack before anything else is made. (This is the discipline of Sylvan, without its threads.)

use crate::dd::cache::Cache;
use crate::dd::list_index::LongLists;
use crate::dd::shape::Shapes;
use crate::dd::unique_table::{Control, Limits, Stop};
use sempre_store::in_large_pages;

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
pub struct Kept(pub(crate) u32);

/// A forest of diagrams; see the module's documentation.
#[derive(Clone, Debug)]
pub struct Forest {
    pub(crate) entries: Vec<Entry>,
    /// A power of two of heads of chains.
    pub(crate) buckets: Vec<u32>,
    pub(crate) free: u32,
    /// How many places are free.
    pub(crate) free_count: usize,
    /// Kept nodes; [`EMPTY`] where there is none.
    pub(crate) kept: Vec<Node>,
    pub(crate) unused_kept: Vec<u32>,
    /// Intermediate results, with the values that lead to them, and with nodes that have this value and this below it, where these are
    /// known.
    pub(crate) stack: Vec<(u32, Node, Node)>,
    pub(crate) shapes: Shapes,
    /// Results of operations on two nodes and a number.
    pub(crate) cache: Cache<3>,
    /// Results of operations on three nodes and a number.
    pub(crate) wide_cache: Cache<4>,
    pub(crate) long_lists: LongLists,
    pub(crate) control: Control,
}

/// Buckets at the start.
const BUCKETS: usize = 1 << 14;
/// Places of the cache at the start.
const PLACES: usize = 1 << 18;

impl Forest {
    /// A forest without diagrams, but the two that are always there.
    pub fn new(limits: Limits) -> Self {
        Self {
            entries: vec![Entry::default(); 2],
            buckets: vec![NONE; BUCKETS],
            free: NONE,
            free_count: 0,
            kept: Vec::new(),
            unused_kept: Vec::new(),
            stack: Vec::new(),
            shapes: Shapes::default(),
            cache: Cache::new(PLACES.min(limits.most_places())),
            wide_cache: Cache::new(1 << 6),
            long_lists: LongLists::default(),
            control: Control::new(limits),
        }
    }

    #[inline]
    pub(crate) fn entry(&self, node: Node) -> Entry {
        self.entries[node as usize]
    }

    /// The first value, the vectors after it, and the rest of the list.
    ///
    /// # Panics
    /// If the diagram has no first value: it is empty, or the vector without elements.
    pub fn parts(&self, node: Node) -> (u32, Node, Node) {
        assert!(node > UNIT, "no value");
        let e = self.entry(node);
        (e.value, e.down, e.right)
    }

    /// The list of a node: each value and what follows it.
    pub fn list(&self, node: Node) -> impl Iterator<Item = (u32, Node)> + '_ {
        let mut at = node;
        std::iter::from_fn(move || {
            (at > UNIT).then(|| {
                let e = self.entry(at);
                at = e.right;
                (e.value, e.down)
            })
        })
    }

    /// Number of nodes, dead ones included.
    pub fn nodes(&self) -> usize {
        self.entries.len() - self.free_count
    }

    /// The greatest number of nodes so far.
    pub fn peak_nodes(&self) -> usize {
        self.control.peak.max(self.nodes())
    }

    /// Number of garbage collections.
    pub fn collections(&self) -> u64 {
        self.control.collections
    }

    /// Bytes of nodes, tables and caches.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.buckets.capacity() * 4
            + self.cache.bytes()
            + self.wide_cache.bytes()
    }

    /// The set of the vectors that start with `value` and go on as in `down`, and of those of `right`, which all start with
    /// greater values.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn make(&mut self, value: u32, down: Node, right: Node) -> Result<Node, Stop> {
        debug_assert!(right != UNIT, "vectors of different lengths");
        debug_assert!(
            right == EMPTY || value < self.entry(right).value,
            "I1: {value} before {}",
            self.entry(right).value
        );
        self.tick()?;
        if down == EMPTY {
            return Ok(right);
        }
        let hash = hash(value, down, right);
        let mut bucket = hash as usize & (self.buckets.len() - 1);
        let mut at = self.buckets[bucket];
        while at != NONE {
            let e = &self.entries[at as usize];
            if e.value == value && e.down == down && e.right == right {
                return Ok(at);
            }
            at = e.next;
        }
        if self.free == NONE && self.entries.len() >= self.control.capacity
            || self.control.stress_due()
        {
            self.make_room(down, right)?;
            bucket = hash as usize & (self.buckets.len() - 1);
        }
        let entry = Entry {
            value,
            down,
            right,
            next: self.buckets[bucket],
        };
        let node = if self.free != NONE {
            let node = self.free;
            self.free = self.entries[node as usize].next;
            self.free_count -= 1;
            self.entries[node as usize] = entry;
            node
        } else {
            if self.entries.len() == self.entries.capacity() {
                self.entries.reserve(self.entries.len());
                in_large_pages(&mut self.entries);
            }
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        };
        self.buckets[bucket] = node;
        if self.entries.len() > self.buckets.len() {
            self.grow_buckets();
        }
        Ok(node)
    }

    /// Keeps a node from being collected.
    pub fn keep(&mut self, node: Node) -> Kept {
        match self.unused_kept.pop() {
            Some(slot) => {
                self.kept[slot as usize] = node;
                Kept(slot)
            }
            None => {
                self.kept.push(node);
                Kept(self.kept.len() as u32 - 1)
            }
        }
    }

    /// The kept node.
    pub fn get(&self, kept: Kept) -> Node {
        self.kept[kept.0 as usize]
    }

    /// Keeps another node under the same name.
    pub fn set(&mut self, kept: Kept, node: Node) {
        self.kept[kept.0 as usize] = node;
    }

    /// Adds a set to the one that is kept.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub(crate) fn add(&mut self, kept: Kept, more: Node) -> Result<(), Stop> {
        let all = self.union(self.get(kept), more)?;
        self.set(kept, all);
        Ok(())
    }

    /// Keeps it no longer. The name must not be used again.
    pub fn release(&mut self, kept: Kept) {
        self.kept[kept.0 as usize] = EMPTY;
        self.unused_kept.push(kept.0);
    }

    /// Protects a node until [`Forest::pop`].
    #[inline]
    pub(crate) fn push(&mut self, node: Node) {
        self.stack.push((0, node, EMPTY));
    }

    /// The node that was pushed last.
    #[inline]
    pub(crate) fn pop(&mut self) -> Node {
        self.stack.pop().expect("pushed before").1
    }

    /// Runs an operation with its operands protected, and leaves the stack as it was.
    pub(crate) fn guarded(
        &mut self,
        operands: &[Node],
        operation: impl FnOnce(&mut Self) -> Result<Node, Stop>,
    ) -> Result<Node, Stop> {
        let base = self.stack.len();
        self.stack.extend(operands.iter().map(|&n| (0, n, EMPTY)));
        let result = operation(self);
        self.stack.truncate(base);
        result
    }

    /// Makes a list of what is on the stack from `base` on, whose values increase, and of `tail`, whose are greater.
    pub(crate) fn list_of_stack(&mut self, base: usize, tail: Node) -> Result<Node, Stop> {
        let mut node = tail;
        while self.stack.len() > base {
            let (value, down, was) = self.stack[self.stack.len() - 1];
            let old = self.entry(was);
            // Often it is the end of an operand's list; then nothing need be looked up.
            node = if old.right == node && old.down == down && old.value == value {
                self.tick()?;
                was
            } else {
                self.make(value, down, node)?
            };
            self.stack.pop();
        }
        Ok(node)
    }

    /// Makes a list of what is on the stack from `base` on, in any order, values several times.
    pub(crate) fn list_of_unsorted_stack(&mut self, base: usize) -> Result<Node, Stop> {
        self.stack[base..].sort_unstable();
        // Unions where a value is there several times; the results stay where the operands were.
        let mut written = base;
        let mut read = base;
        while read < self.stack.len() {
            let (value, mut down, was) = self.stack[read];
            read += 1;
            while read < self.stack.len() && self.stack[read].0 == value {
                let other = self.stack[read].1;
                // Both operands are still on the stack, or `down` is in place of the last operand.
                down = self.union_inner(down, other)?;
                self.stack[read].1 = down;
                read += 1;
            }
            self.stack[written] = (value, down, was);
            written += 1;
        }
        self.stack.truncate(written);
        self.list_of_stack(base, EMPTY)
    }

    /// The union of what is on the stack from `base` on.
    pub(crate) fn union_of_stack(&mut self, base: usize) -> Result<Node, Stop> {
        // Pairs of about the same size first: fewer large intermediate results.
        while self.stack.len() > base + 1 {
            let (from, to) = (base, self.stack.len());
            let mut written = from;
            let mut read = from;
            while read < to {
                let mut node = self.stack[read].1;
                if read + 1 < to {
                    node = self.union_inner(node, self.stack[read + 1].1)?;
                }
                read += 2;
                self.stack[written] = (0, node, EMPTY);
                written += 1;
            }
            self.stack.truncate(written);
        }
        if self.stack.len() > base {
            Ok(self.pop())
        } else {
            Ok(EMPTY)
        }
    }
}

#[inline]
pub(crate) fn hash(a: u32, b: u32, c: u32) -> u32 {
    let x = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let y = (x ^ (x >> 29) ^ u64::from(c)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (y >> 32) as u32
}
