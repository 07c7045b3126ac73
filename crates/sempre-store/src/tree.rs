//! Tree compression of states of two or more words.
//!
//! After Laarman, van de Pol and Weber, "Parallel recursive state compression for free" (SPIN 2011). A state is
//! folded pairwise: its words are inserted into a table of *inner* keys, which gives a row of 32-bit numbers;
//! adjacent numbers are joined to a 64-bit key and inserted into the same table, which gives a row half as long; the
//! last two numbers are the key of the *root*, in a table of its own, and its index there is the index of the state.
//! Since states that differ in one word share all other subtrees, the roots take nearly all of the memory: the bits
//! of two such numbers per state ([`crate::packed`]), and the slots.
//!
//! The differences from the paper are the tables below, which separate keys from the hash index and grow
//! ([`crate::flat`]), and the processing of a batch of states row by row, so that the cache misses of all states of a
//! row overlap.
//!
//! Insertion is incremental, as in the paper: a successor that is inserted with its parent takes over the numbers of
//! all subtrees that did not change. A self-loop accesses only the root. Wide states come as lists of changes
//! ([`crate::changed`]).
//!
//! ## Invariants
//! - **I1** Equal states have equal roots: each table gives equal keys the same index.
//! - **I2** A root in the table of roots has all its inner keys in the table of inner keys, since they were inserted
//!   before.
//!
//! An inner key may be a word of a state or a pair of numbers, or both by chance: its depth determines its meaning,
//! so sharing is harmless.

use crate::flat::{self, Flat, Found};
use crate::keys::Words;
use crate::packed::{self, Packed};
use crate::{Budget, Full};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The tables, and the shape of the trees.
pub(crate) struct Tree {
    /// The unique number of this tree.
    pub(crate) number: u64,
    pub(crate) width: usize,
    pub(crate) inner: Flat<1, Words<1>>,
    pub(crate) roots: Flat<1, Packed<1>>,
    /// The rows of a tree: the position of the row's first number among all numbers of the tree, and the row's
    /// length; from the numbers of the words to the last two.
    pub(crate) rows: Vec<(usize, usize)>,
    /// The number of numbers in a tree.
    pub(crate) nodes: usize,
}

/// What a thread needs to use the tables.
pub(crate) struct Worker {
    pub(crate) inner: flat::Worker<()>,
    pub(crate) roots: flat::Worker<packed::WorkerLocal>,
    /// The numbers of the trees of a batch.
    nodes: Vec<u32>,
    /// The keys of one row to be inserted, the places of their numbers, and the results.
    keys: Vec<u64>,
    places: Vec<u32>,
    found: Vec<Found>,
}

/// States with their parents, for [`Tree::insert_batch`].
pub(crate) struct StatesWithParents<'a> {
    /// Words of the states, one after the other.
    pub(crate) states: &'a [u64],
    /// For each state the number of its parent in the next two, or `u32::MAX`.
    pub(crate) parent_of: &'a [u32],
    /// Words of the parents.
    pub(crate) parents: &'a [u64],
    /// The numbers of the trees of the parents, as [`Tree::read`] returns them.
    pub(crate) parent_nodes: &'a [u32],
}

/// The number of the next tree; 0 is reserved for none.
static TREES: AtomicU64 = AtomicU64::new(1);

#[inline]
pub(crate) fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[inline]
pub(crate) fn halves(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

impl Tree {
    /// Empty tables for states of `width` words.
    ///
    /// # Errors
    /// If there is no memory for them.
    ///
    /// # Panics
    /// If the width is less than two.
    pub(crate) fn new(width: usize, budget: &Arc<Budget>) -> Result<Self, Full> {
        assert!(width >= 2, "a tree needs two leaves");
        let mut rows = vec![(0, width)];
        let mut nodes = width;
        let mut row = width;
        while row > 2 {
            row = row.div_ceil(2);
            rows.push((nodes, row));
            nodes += row;
        }
        Ok(Self {
            // Relaxed: the numbers only have to differ.
            number: TREES.fetch_add(1, Relaxed),
            width,
            inner: Flat::new(Words::new(Arc::clone(budget)), Arc::clone(budget))?,
            roots: Flat::new(Packed::pairs(Arc::clone(budget)), Arc::clone(budget))?,
            rows,
            nodes,
        })
    }

    /// A new worker.
    pub(crate) fn worker(&self) -> Worker {
        Worker {
            inner: self.inner.worker(),
            roots: self.roots.worker(),
            nodes: Vec::new(),
            keys: Vec::new(),
            places: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Number of states.
    pub(crate) fn len(&self) -> u64 {
        self.roots.len()
    }

    /// Indices that have a state, in ascending ranges.
    pub(crate) fn indices(&self) -> Vec<Range<u32>> {
        self.roots.indices()
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.inner.bytes() + self.roots.bytes()
    }

    /// The state with that index.
    ///
    /// # Panics
    /// If no state has the index, or `state` has another width.
    pub(crate) fn get(&self, index: u32, state: &mut [u64]) {
        assert_eq!(state.len(), self.width);
        let (left, right) = halves(self.roots.get(index)[0]);
        state[0] = left.into();
        state[1] = right.into();
        // Rows are unfolded in place, from the right, since a row grows to the right.
        for rows in self.rows.windows(2).rev() {
            let (below, above) = (rows[0].1, rows[1].1);
            for i in (0..above).rev() {
                if 2 * i + 1 == below {
                    state[2 * i] = state[i];
                } else {
                    let (left, right) = halves(self.inner.get(state[i] as u32)[0]);
                    state[2 * i + 1] = right.into();
                    state[2 * i] = left.into();
                }
            }
        }
        for word in state {
            *word = self.inner.get(*word as u32)[0];
        }
    }

    /// A word of the state with that index.
    ///
    /// # Panics
    /// If no state has the index.
    pub(crate) fn word(&self, index: u32, word: usize) -> u64 {
        let (left, right) = halves(self.roots.get(index)[0]);
        let last = self.rows.len() - 1;
        let mut number = if word >> last == 0 { left } else { right };
        for row in (0..last).rev() {
            let (position, length) = (word >> row, self.rows[row].1);
            // A last number without a sibling is that of the row above.
            if position % 2 == 1 || position + 1 < length {
                let (left, right) = halves(self.inner.get(number)[0]);
                number = if position % 2 == 0 { left } else { right };
            }
        }
        self.inner.get(number)[0]
    }

    /// [`Self::get`], and appends the numbers of the state's tree to `nodes`.
    pub(crate) fn read(&self, index: u32, state: &mut [u64], nodes: &mut Vec<u32>) {
        let base = nodes.len();
        nodes.resize(base + self.nodes, 0);
        let tree = &mut nodes[base..];
        let (left, right) = halves(self.roots.get(index)[0]);
        tree[self.nodes - 2] = left;
        tree[self.nodes - 1] = right;
        for rows in self.rows.windows(2).rev() {
            let ((low, below), (high, above)) = (rows[0], rows[1]);
            for i in 0..above {
                if 2 * i + 1 == below {
                    tree[low + 2 * i] = tree[high + i];
                } else {
                    let (left, right) = halves(self.inner.get(tree[high + i])[0]);
                    tree[low + 2 * i] = left;
                    tree[low + 2 * i + 1] = right;
                }
            }
        }
        for (word, &node) in state.iter_mut().zip(&*tree) {
            *word = self.inner.get(node)[0];
        }
    }

    /// The index of a state, and whether it is new.
    ///
    /// # Errors
    /// If it is new and there is no room for it.
    ///
    /// # Panics
    /// If the worker is of another table, or the state has another length.
    pub(crate) fn find_or_insert(&self, state: &[u64], worker: &mut Worker) -> Result<Found, Full> {
        assert_eq!(state.len(), self.width);
        let states_with_parents = StatesWithParents {
            states: state,
            parent_of: &[u32::MAX],
            parents: &[],
            parent_nodes: &[],
        };
        let mut found = Vec::with_capacity(1);
        self.insert_batch(&states_with_parents, worker, &mut found)?;
        found.pop().ok_or(Full)
    }

    /// The index of a state, if the tables have it.
    pub(crate) fn find(&self, state: &[u64], worker: &mut Worker) -> Option<u32> {
        assert_eq!(state.len(), self.width);
        let mut row = Vec::with_capacity(self.width);
        for &word in state {
            row.push(self.inner.find(&[word], &mut worker.inner)?);
        }
        while row.len() > 2 {
            let mut above = Vec::with_capacity(row.len().div_ceil(2));
            for two in row.chunks(2) {
                above.push(match *two {
                    [left, right] => self.inner.find(&[pair(left, right)], &mut worker.inner)?,
                    _ => two[0],
                });
            }
            row = above;
        }
        self.roots.find(&[pair(row[0], row[1])], &mut worker.roots)
    }

    /// Inserts states, and appends the results to `found` in their order.
    ///
    /// # Errors
    /// If there is no room for one of them; there are results for the states before it, or for none.
    pub(crate) fn insert_batch(
        &self,
        states_with_parents: &StatesWithParents<'_>,
        worker: &mut Worker,
        found: &mut Vec<Found>,
    ) -> Result<(), Full> {
        let count = states_with_parents.parent_of.len();
        debug_assert_eq!(states_with_parents.states.len(), count * self.width);
        worker.nodes.clear();
        worker.nodes.resize(count * self.nodes, 0);
        self.fold_words(states_with_parents, worker)?;
        for rows in self.rows.windows(2) {
            self.fold_row(rows[0], rows[1], states_with_parents, worker)?;
        }
        worker.keys.clear();
        for tree in worker.nodes.chunks_exact(self.nodes) {
            worker
                .keys
                .push(pair(tree[self.nodes - 2], tree[self.nodes - 1]));
        }
        // I2: everything below is in the table already.
        self.roots
            .find_or_insert_batch(&worker.keys, &mut worker.roots, found)
    }

    /// The numbers of the words.
    fn fold_words(
        &self,
        states_with_parents: &StatesWithParents<'_>,
        worker: &mut Worker,
    ) -> Result<(), Full> {
        worker.keys.clear();
        worker.places.clear();
        let states = states_with_parents.states.chunks_exact(self.width);
        for (s, (state, &parent)) in states.zip(states_with_parents.parent_of).enumerate() {
            let base = s * self.nodes;
            if parent == u32::MAX {
                for (i, &word) in state.iter().enumerate() {
                    worker.keys.push(word);
                    worker.places.push((base + i) as u32);
                }
                continue;
            }
            let parent = parent as usize;
            let words = &states_with_parents.parents[parent * self.width..][..self.width];
            let numbers = &states_with_parents.parent_nodes[parent * self.nodes..][..self.width];
            let nodes = &mut worker.nodes[base..base + self.width];
            for i in 0..self.width {
                if state[i] == words[i] {
                    nodes[i] = numbers[i];
                } else {
                    worker.keys.push(state[i]);
                    worker.places.push((base + i) as u32);
                }
            }
        }
        self.enter(worker)
    }

    /// The numbers of a row, from those of the row below.
    fn fold_row(
        &self,
        (low, below): (usize, usize),
        (high, above): (usize, usize),
        states_with_parents: &StatesWithParents<'_>,
        worker: &mut Worker,
    ) -> Result<(), Full> {
        worker.keys.clear();
        worker.places.clear();
        for (s, &parent) in states_with_parents.parent_of.iter().enumerate() {
            let base = s * self.nodes;
            let tree = &mut worker.nodes[base..base + self.nodes];
            let old = (parent != u32::MAX).then(|| {
                &states_with_parents.parent_nodes[parent as usize * self.nodes..][..self.nodes]
            });
            for i in 0..above {
                let left = tree[low + 2 * i];
                if 2 * i + 1 == below {
                    tree[high + i] = left;
                    continue;
                }
                let right = tree[low + 2 * i + 1];
                match old {
                    Some(old) if old[low + 2 * i] == left && old[low + 2 * i + 1] == right => {
                        tree[high + i] = old[high + i];
                    }
                    _ => {
                        worker.keys.push(pair(left, right));
                        worker.places.push((base + high + i) as u32);
                    }
                }
            }
        }
        self.enter(worker)
    }

    /// Inserts the collected keys, and stores their numbers.
    fn enter(&self, worker: &mut Worker) -> Result<(), Full> {
        worker.found.clear();
        self.inner
            .find_or_insert_batch(&worker.keys, &mut worker.inner, &mut worker.found)?;
        for (&place, found) in worker.places.iter().zip(&worker.found) {
            worker.nodes[place as usize] = found.index;
        }
        Ok(())
    }
}
