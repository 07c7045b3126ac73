//! List decision diagrams: representation and protection of nodes.
//!
//! A diagram is a set of integer vectors of one length. A node `(value, down, right)` stands for the vectors that start
//! with `value` and continue in `down`, and for those of `right`, whose first values are all greater. It is the
//! multi-valued node with its children as a linked list (Blom, van de Pol, *Symbolic reachability for process algebras
//! with recursive data types*, ICTAC 2008; Sylvan's LDDs). Lists are sparse, so domains need no bound; common tails are
//! shared.
//!
//! Invariants:
//! * I1: values increase along `right`; `down` is never [`EMPTY`].
//! * I2: no two nodes are equal. So equal sets have equal numbers.
//! * I3: there are no cycles: a node is made after its children.
//!
//! A node takes 16 bytes; the fourth word links the bucket of the unique table, or the free list. A node does not store
//! its level: equal suffixes of lists are one node at whatever level.
//!
//! **Protection.** Making a node may collect garbage. A collection keeps what is reachable from the roots
//! ([`Forest::protect`]) and from the stack of intermediate results. Public operations protect their operands. A caller
//! that holds another node across an operation must make it a root. Inside an operation, the caller protects the
//! operands, and results go to the stack before the next node is made. (Sylvan has the same discipline.)

use crate::dd::cache::Cache;
use crate::dd::control::{Control, Limits};
use crate::dd::list_index::{ListIndex, STRIDE};
use crate::dd::node::{EMPTY, Entry, NONE, Node, Root, UNIT};
use crate::dd::shape::{Mode, Shape, Shapes};
use sempre_base::Stop;

/// A forest of diagrams; see the module's documentation.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    pub(crate) entries: Vec<Entry>,
    /// Heads of chains; a power of two of them.
    pub(crate) buckets: Vec<u32>,
    pub(crate) free: u32,
    /// Number of free entries.
    pub(crate) free_count: usize,
    /// The roots; [`EMPTY`] in unused slots.
    pub(crate) roots: Vec<Node>,
    pub(crate) free_roots: Vec<u32>,
    /// Intermediate results: a value, the node below it, and, if known, an existing node with this value and this node
    /// below it.
    pub(crate) stack: Vec<(u32, Node, Node)>,
    pub(crate) shapes: Shapes,
    /// Results of operations on two nodes and a number.
    pub(crate) cache: Cache<3>,
    /// Results of operations on three nodes and a number.
    pub(crate) ternary_cache: Cache<4>,
    pub(crate) list_index: ListIndex,
    pub(crate) control: Control,
}

/// Initial number of buckets.
const INITIAL_BUCKETS: usize = 1 << 14;
/// Initial number of cache entries.
const INITIAL_CACHE_ENTRIES: usize = 1 << 18;

impl Forest {
    /// A forest with the two terminal nodes only.
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            entries: vec![Entry::default(); 2],
            buckets: vec![NONE; INITIAL_BUCKETS],
            free: NONE,
            free_count: 0,
            roots: Vec::new(),
            free_roots: Vec::new(),
            stack: Vec::new(),
            shapes: Shapes::default(),
            cache: Cache::new(INITIAL_CACHE_ENTRIES.min(limits.max_cache_entries())),
            ternary_cache: Cache::new(1 << 6),
            list_index: ListIndex::default(),
            control: Control::new(limits),
        }
    }

    #[inline]
    pub(crate) fn entry(&self, node: Node) -> Entry {
        self.entries[node as usize]
    }

    /// The list of a node: each value and the node below it.
    pub(crate) fn list(&self, node: Node) -> impl Iterator<Item = (u32, Node)> + '_ {
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
    pub(crate) fn nodes(&self) -> usize {
        self.entries.len() - self.free_count
    }

    /// The greatest number of nodes so far.
    pub(crate) fn peak_nodes(&self) -> usize {
        self.control.peak.max(self.nodes())
    }

    /// Number of garbage collections.
    pub(crate) fn collections(&self) -> u64 {
        self.control.collections
    }

    /// Bytes of nodes, tables and caches.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.buckets.capacity() * 4
            + self.cache.bytes()
            + self.ternary_cache.bytes()
    }

    /// Makes a node a root of garbage collection.
    pub(crate) fn protect(&mut self, node: Node) -> Root {
        match self.free_roots.pop() {
            Some(slot) => {
                self.roots[slot as usize] = node;
                Root(slot)
            }
            None => {
                self.roots.push(node);
                Root(self.roots.len() as u32 - 1)
            }
        }
    }

    /// The node of a root.
    pub(crate) fn get(&self, root: Root) -> Node {
        self.roots[root.0 as usize]
    }

    /// Replaces the node of a root.
    pub(crate) fn set(&mut self, root: Root, node: Node) {
        self.roots[root.0 as usize] = node;
    }

    /// Removes a root. The handle must not be used again.
    pub(crate) fn unprotect(&mut self, root: Root) {
        self.roots[root.0 as usize] = EMPTY;
        self.free_roots.push(root.0);
    }

    /// Protects a node until [`Forest::pop`].
    #[inline]
    pub(crate) fn push(&mut self, node: Node) {
        self.stack.push((0, node, EMPTY));
    }

    /// Pops the node that was pushed last.
    #[inline]
    pub(crate) fn pop(&mut self) -> Node {
        self.stack.pop().expect("pushed before").1
    }

    /// Runs an operation with its operands on the stack, and restores the stack.
    pub(crate) fn with_protected(
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

    /// The rest of a list from the first value that is at least `value`.
    #[inline]
    pub(crate) fn seek(&mut self, from: Node, value: u32) -> Node {
        let mut at = from;
        for _ in 0..STRIDE {
            let e = self.entry(at);
            if at <= UNIT || e.value >= value {
                return at;
            }
            at = e.right;
        }
        self.list_index.seek(&self.entries, at, value)
    }

    /// The shape with these modes at the first levels, and [`Mode::Skip`] at the others.
    pub(crate) fn shape(&mut self, modes: &[Mode]) -> Shape {
        let shapes = &mut self.shapes;
        (modes.iter().rev()).fold(Shape::END, |rest, &mode| shapes.prepend(mode, rest))
    }

    /// The modes of a shape, up to the last that is not [`Mode::Skip`].
    pub(crate) fn modes(&self, mut shape: Shape) -> Vec<Mode> {
        let mut modes = Vec::new();
        while shape != Shape::END {
            let (mode, rest) = self.shapes.parts(shape);
            modes.push(mode);
            shape = rest;
        }
        modes
    }
}
