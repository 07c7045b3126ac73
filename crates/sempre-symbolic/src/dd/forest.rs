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
use crate::dd::control::{Control, Limits};
use crate::dd::list_index::{ListIndex, STRIDE};
use crate::dd::node::{EMPTY, Entry, NONE, Node, Root, UNIT};
use crate::dd::shape::{Mode, Shape, Shapes};
use sempre_base::Stop;

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
    pub(crate) root: Vec<Node>,
    pub(crate) free_roots: Vec<u32>,
    /// Intermediate results, with the values that lead to them, and with nodes that have this value and this below it, where these are
    /// known.
    pub(crate) stack: Vec<(u32, Node, Node)>,
    pub(crate) shapes: Shapes,
    /// Results of operations on two nodes and a number.
    pub(crate) cache: Cache<3>,
    /// Results of operations on three nodes and a number.
    pub(crate) ternary_cache: Cache<4>,
    pub(crate) list_index: ListIndex,
    pub(crate) control: Control,
}

/// Buckets at the start.
const INITIAL_BUCKETS: usize = 1 << 14;
/// Places of the cache at the start.
const INITIAL_CACHE_ENTRIES: usize = 1 << 18;

impl Forest {
    /// A forest without diagrams, but the two that are always there.
    pub fn new(limits: Limits) -> Self {
        Self {
            entries: vec![Entry::default(); 2],
            buckets: vec![NONE; INITIAL_BUCKETS],
            free: NONE,
            free_count: 0,
            root: Vec::new(),
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
            + self.ternary_cache.bytes()
    }

    /// Keeps a node from being collected.
    pub fn protect(&mut self, node: Node) -> Root {
        match self.free_roots.pop() {
            Some(slot) => {
                self.root[slot as usize] = node;
                Root(slot)
            }
            None => {
                self.root.push(node);
                Root(self.root.len() as u32 - 1)
            }
        }
    }

    /// The kept node.
    pub fn get(&self, root: Root) -> Node {
        self.root[root.0 as usize]
    }

    /// Keeps another node under the same name.
    pub fn set(&mut self, root: Root, node: Node) {
        self.root[root.0 as usize] = node;
    }

    /// Keeps it no longer. The name must not be used again.
    pub fn unprotect(&mut self, root: Root) {
        self.root[root.0 as usize] = EMPTY;
        self.free_roots.push(root.0);
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

    /// The end of a list from the first value on that is at least this one.
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

    /// The shape that does this at the first levels, and nothing at the others.
    pub fn shape(&mut self, modes: &[Mode]) -> Shape {
        let shapes = &mut self.shapes;
        (modes.iter().rev()).fold(Shape::END, |rest, &mode| shapes.prepend(mode, rest))
    }

    /// The modes of a shape, up to the last that is no skip.
    pub fn modes(&self, mut shape: Shape) -> Vec<Mode> {
        let mut modes = Vec::new();
        while shape != Shape::END {
            let (mode, rest) = self.shapes.parts(shape);
            modes.push(mode);
            shape = rest;
        }
        modes
    }
}
