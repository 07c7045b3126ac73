//! Wide states to be inserted into a tree, as lists of words that change.
//!
//! The incremental insertion of Laarman, van de Pol and Weber ([`crate::tree`]) compares a state with its parent word
//! by word and visits all numbers of its tree. With thousands of words, of which a step changes two or three, this
//! takes nearly all of the time. Here a successor is the list of its changed words, and only the paths from these
//! words to the root are inserted: the number of keys is the number of changed words times the height, whatever the
//! width.
//!
//! A **cursor** holds one state with its tree. It moves to another state from the root downwards, through the numbers
//! that differ, so that the cost of reading a state is its difference from the state read before. When a successor is
//! pushed, each number on its paths becomes a key whose lower parts are not known yet; the numbers beside the paths
//! are those of the cursor. A batch is inserted row by row, and each result is put into the key above it, so that the
//! cache misses of all keys of a row overlap.
//!
//! ## Invariants
//! - **I1** If a number of the cursor's tree is that of a subtree, the numbers and words below are those of that
//!   subtree.
//! - **I2** The target of a key is in a higher row, and belongs to the same state.
//! - **I3** The keys of a row are in the order of their states, so that truncating the states truncates the rows.

use crate::tree::{Tree, halves, pair};
use crate::{Found, Full, tree};

/// The number that no subtree has.
const NOTHING: u32 = u32::MAX;

/// The half of a key in a higher row that the result of a key is put into.
#[derive(Clone, Copy, Debug)]
struct Target {
    row: u32,
    key: u32,
    right: bool,
}

/// Keys of one row of the trees of a batch.
#[derive(Debug, Default)]
struct Row {
    keys: Vec<u64>,
    targets: Vec<Target>,
    /// The state of each key, by its number in the batch, and the key's position in its row.
    owners: Vec<(u32, u32)>,
}

/// A key of the row under construction: its position there, and its number.
#[derive(Clone, Copy, Debug)]
struct Open {
    position: u32,
    row: u32,
    key: u32,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// The tree of the cursor, and whether the cursor is at a state.
    tree: u64,
    /// The cursor.
    words: Vec<u64>,
    nodes: Vec<u32>,
    /// The words that differed in the last move.
    changed_words: Vec<u32>,
    path: Vec<(u32, u32)>,
    /// The keys below the roots, and the roots.
    rows: Vec<Row>,
    roots: Vec<u64>,
    found: Vec<Found>,
    open: Vec<Open>,
    above: Vec<Open>,
}

impl Changed {
    /// Removes the states; the cursor stays.
    pub(crate) fn clear(&mut self) {
        for row in &mut self.rows {
            row.keys.clear();
            row.targets.clear();
            row.owners.clear();
        }
        self.roots.clear();
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.roots.len()
    }

    /// Keeps only the first states.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.roots.truncate(len);
        for row in &mut self.rows {
            // I3.
            let keep = row
                .owners
                .partition_point(|&(state, _)| (state as usize) < len);
            row.keys.truncate(keep);
            row.targets.truncate(keep);
            row.owners.truncate(keep);
        }
    }

    /// Is the cursor at a state of the tree?
    pub(crate) fn is_of(&self, tree: &Tree) -> bool {
        self.tree == tree.number
    }

    /// The state of the cursor.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words that differed in the last move of the cursor, in no order.
    pub(crate) fn changed_words(&self) -> &[u32] {
        &self.changed_words
    }

    /// Moves the cursor to a state.
    ///
    /// # Panics
    /// If no state has the index.
    pub(crate) fn move_to(&mut self, tree: &Tree, index: u32) {
        if !self.is_of(tree) {
            self.tree = tree.number;
            self.words.clear();
            self.words.resize(tree.width, 0);
            self.nodes.clear();
            self.nodes.resize(tree.nodes, NOTHING);
            self.rows.resize_with(tree.rows.len(), Row::default);
        }
        self.changed_words.clear();
        let (left, right) = halves(tree.roots.get(index)[0]);
        let last = tree.rows.len() as u32 - 1;
        self.visit(tree, last, 0, left);
        self.visit(tree, last, 1, right);
        while let Some((row, position)) = self.path.pop() {
            let (low, _) = tree.rows[row as usize];
            let number = self.nodes[low + position as usize];
            let Some(below) = row.checked_sub(1) else {
                self.words[position as usize] = tree.inner.get(number)[0];
                self.changed_words.push(position);
                continue;
            };
            let (_, length) = tree.rows[below as usize];
            if 2 * position as usize + 1 == length {
                self.visit(tree, below, 2 * position, number);
            } else {
                let (left, right) = halves(tree.inner.get(number)[0]);
                self.visit(tree, below, 2 * position, left);
                self.visit(tree, below, 2 * position + 1, right);
            }
        }
    }

    /// Stores a number in the cursor's tree. If it is a new one, the part below is visited later.
    #[inline]
    fn visit(&mut self, tree: &Tree, row: u32, position: u32, number: u32) {
        let (low, _) = tree.rows[row as usize];
        let place = &mut self.nodes[low + position as usize];
        // I1.
        if *place != number {
            *place = number;
            self.path.push((row, position));
        }
    }

    /// Adds a state that differs from that of the cursor in at most these words, which are sorted.
    pub(crate) fn push(&mut self, tree: &Tree, changes: impl Iterator<Item = (u32, u64)>) {
        let state = self.roots.len() as u32;
        self.open.clear();
        for (position, word) in changes {
            if self.words[position as usize] != word {
                self.add(0, position, word, state);
            }
        }
        for (below, rows) in tree.rows.windows(2).enumerate() {
            let ((low, length), row) = (rows[0], below as u32 + 1);
            std::mem::swap(&mut self.open, &mut self.above);
            self.open.clear();
            let mut i = 0;
            while let Some(&one) = self.above.get(i) {
                i += 1;
                let position = one.position / 2;
                let left = low + 2 * position as usize;
                if 2 * position as usize + 1 == length {
                    self.open.push(Open { position, ..one });
                    continue;
                }
                let key = pair(self.nodes[left], self.nodes[left + 1]);
                let two = (self.above.get(i).copied()).filter(|two| two.position / 2 == position);
                i += usize::from(two.is_some());
                self.add(row, position, key, state);
                let made = self.rows[row as usize].keys.len() as u32 - 1;
                for part in [Some(one), two].into_iter().flatten() {
                    self.set_target(part, row, made);
                }
            }
        }
        let root = tree.nodes - 2;
        for i in 0..self.open.len() {
            self.set_target(self.open[i], self.rows.len() as u32, state);
        }
        self.roots
            .push(pair(self.nodes[root], self.nodes[root + 1]));
    }

    /// Adds a key to a row, without its target.
    #[inline]
    fn add(&mut self, row: u32, position: u32, key: u64, state: u32) {
        let keys = &mut self.rows[row as usize];
        self.open.push(Open {
            position,
            row,
            key: keys.keys.len() as u32,
        });
        keys.keys.push(key);
        keys.owners.push((state, position));
        keys.targets.push(Target {
            row: NOTHING,
            key: 0,
            right: false,
        });
    }

    /// Sets the target of a key.
    #[inline]
    fn set_target(&mut self, part: Open, row: u32, key: u32) {
        // I2.
        debug_assert!(row > part.row);
        self.rows[part.row as usize].targets[part.key as usize] = Target {
            row,
            key,
            right: part.position % 2 == 1,
        };
    }

    /// Inserts the states, and appends the results to `found` in their order. With `keep` there is one state, and the
    /// cursor is at it afterwards.
    ///
    /// # Errors
    /// If there is no room for one of them; there are results for the states before it, or for none.
    pub(crate) fn enter(
        &mut self,
        tree: &Tree,
        worker: &mut tree::Worker,
        found: &mut Vec<Found>,
        keep: bool,
    ) -> Result<(), Full> {
        debug_assert!(!keep || self.len() == 1);
        for r in 0..self.rows.len() {
            let row = std::mem::take(&mut self.rows[r]);
            self.found.clear();
            let entered =
                (tree.inner).find_or_insert_batch(&row.keys, &mut worker.inner, &mut self.found);
            for (target, found) in row.targets.iter().zip(&self.found) {
                let keys = match self.rows.get_mut(target.row as usize) {
                    Some(row) => &mut row.keys,
                    None => &mut self.roots,
                };
                let key = &mut keys[target.key as usize];
                let (left, right) = halves(*key);
                *key = match target.right {
                    false => pair(found.index, right),
                    true => pair(left, found.index),
                };
            }
            if keep && entered.is_ok() {
                self.keep(tree, r, &row);
            }
            self.rows[r] = row;
            entered?;
        }
        // Everything below a root is in the table already.
        tree.roots
            .find_or_insert_batch(&self.roots, &mut worker.roots, found)
    }

    /// Stores the numbers of the only inserted state in the cursor.
    fn keep(&mut self, tree: &Tree, r: usize, row: &Row) {
        for ((found, &(_, position)), &key) in self.found.iter().zip(&row.owners).zip(&row.keys) {
            let (mut r, mut position) = (r, position as usize);
            if r == 0 {
                self.words[position] = key;
            }
            self.nodes[tree.rows[r].0 + position] = found.index;
            // A last number without a sibling is in the row above, too.
            while r + 1 < tree.rows.len() && position % 2 == 0 && position + 1 == tree.rows[r].1 {
                (r, position) = (r + 1, position / 2);
                self.nodes[tree.rows[r].0 + position] = found.index;
            }
        }
    }
}
