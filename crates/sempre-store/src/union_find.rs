//! A concurrent union-find of states, for searches that share strongly connected components.
//!
//! After Bloemen, Laarman and van de Pol ("Multi-core on-the-fly SCC decomposition", PPoPP 2016; with acceptance
//! sets, HVC 2016). Each set of states, which is part of one component, has
//! - the workers that have a state of it on their stacks, so that a worker that visits one of its states detects a
//!   cycle;
//! - the union of the acceptance marks of its internal edges;
//! - a cyclic list of its states that are not yet explored, *busy* ones, so that several workers can share them. An
//!   explored state stays in the list as a *tomb* until a worker that traverses the list removes it. A set with no
//!   busy state is explored, and *dead*.
//!
//! The difference is the layout: the data of an unvisited state are all zero (links are stored as the exclusive-or
//! with the state itself), a state takes 16 bytes, a quarter of a cache line, and more than 32 workers or marks take
//! more arrays of four bytes instead of being refused. The root is the state with the least number, which is the one
//! visited first, so roots seldom change.
//!
//! ## Protocol
//! *Uniting* two sets locks the root with the greater number, then a busy state of each list, swaps the successors of
//! these in their lists, which makes one cycle of two, links the root, and moves its workers and marks to the other
//! root. A worker that waits for a lock waits for one that holds only locks of greater roots, so waiting ends.
//! *Adding* workers or marks to a set is an atomic "or" at its root, followed by a check whether it still is the
//! root, and a retry if not. Uniting links first and reads afterwards, with an "or", too: of the two, the later one
//! in the order of that cell sees what the other did. So nothing is lost when the root changes.
//!
//! ## Invariants
//! - **I1** A link leads to a state with a smaller number; only the holder of a root's lock makes it a link.
//! - **I2** A busy state of a set is reached from each state of its list. Only busy, locked states get new successors
//!   by uniting; only tombs get new ones by path shortening, and these are farther along the same cycle.
//! - **I3** A tomb never becomes busy again, and a dead set never changes.
//! - **I4** The last worker that adds marks to the root of a set sees all marks added before:
//!   [`UnionFind::add_marks`] returns them.
//! - **I5** A worker in the set of a root has been in the set before; one that was in it may be missing while sets
//!   are being united.
//!
//! ## Cost
//! 16 bytes per state; finding roots halves paths. Not done: no unions by rank, which would need another cell.

use crate::chunked::Chunked;
use crate::sync::{AtomicU32, yield_now};
use crate::{Budget, Full};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicU32 as Plain,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

/// The number of states whose rows are allocated and charged to the budget at once.
#[cfg(not(all(loom, test)))]
const BLOCK_BITS: u32 = 14;
#[cfg(all(loom, test))]
const BLOCK_BITS: u32 = 2;

/// At most the number of states in the smallest chunk of an array.
#[cfg(not(all(loom, test)))]
const STEP: usize = 1 << 12;
#[cfg(all(loom, test))]
const STEP: usize = 1;

/// The cells of a row.
const PARENT: usize = 0;
const LIST: usize = 1;
const WORKERS: usize = 2;
const MARKS: usize = 3;
const CELLS: usize = 4;

/// Rows in a page of memory.
const PAGE: usize = 4096 / (CELLS * size_of::<u32>());

/// The two upper bits of a parent or a list cell are a status, the others a state, as exclusive-or with the state of
/// the cell.
const STATUS: u32 = 3 << 30;
/// The most states.
const LIMIT: u32 = 1 << 30;

/// A root that is not locked.
const ROOT: u32 = 0;
/// Not a root.
const LINK: u32 = 1 << 30;
/// The set is dead; the link leads to its root.
const DEAD: u32 = 2 << 30;
/// A root that is about to become a link.
const LOCKED: u32 = 3 << 30;

/// Of a list cell: the state is unvisited. (The whole cell is zero.)
const NEW: u32 = 0;
/// Not explored yet.
const BUSY: u32 = 1 << 30;
/// Explored.
const TOMB: u32 = 2 << 30;
/// Not explored yet, and about to get another successor.
const HELD: u32 = 3 << 30;

/// The result of claiming a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Its component is explored.
    Dead,
    /// The worker has a state of its set on the stack: there is a cycle.
    Cycle,
    /// The worker has now entered its set. (There may be a cycle all the same, if sets are being united at the same
    /// time.)
    New,
    /// Only others have visited it, and the claim was for unvisited states only.
    Others,
}

/// See the module's documentation.
pub struct UnionFind {
    rows: Chunked<AtomicU32, CELLS>,
    more_workers: Vec<Chunked<AtomicU32, 1>>,
    more_marks: Vec<Chunked<AtomicU32, 1>>,
    /// Is there only one worker?
    single_worker: bool,
    budget: Arc<Budget>,
    /// Number of blocks that exist; changed under the lock only.
    charged: Plain,
    charging: std::sync::Mutex<()>,
}

/// Waits for another worker for a short time, longer after unsuccessful attempts.
fn wait(attempts: &mut u32) {
    *attempts += 1;
    if cfg!(all(loom, test)) || *attempts > 50 {
        yield_now();
    } else {
        std::hint::spin_loop();
    }
}

#[inline]
fn status(cell: u32) -> u32 {
    cell & STATUS
}

/// The state that a cell of `state` refers to.
#[inline]
fn target(cell: u32, state: u32) -> u32 {
    (cell & !STATUS) ^ state
}

/// A cell of `state` that refers to another.
#[inline]
fn cell(status: u32, state: u32, to: u32) -> u32 {
    status | (state ^ to)
}

impl UnionFind {
    /// For this number of workers, and marks `0..marks`.
    pub fn new(workers: usize, marks: u32, budget: &Arc<Budget>) -> Self {
        let columns = |count: usize| (1..count.div_ceil(32)).map(|_| Chunked::new()).collect();
        Self {
            rows: Chunked::new(),
            more_workers: columns(workers),
            more_marks: columns(marks as usize),
            single_worker: false,
            budget: Arc::clone(budget),
            charged: Plain::new(0),
            charging: std::sync::Mutex::new(()),
        }
    }

    /// For a single worker that searches depth-first, so that each visited state that is not dead is on its path, or
    /// in a set with one that is. It needs neither locks nor lists: [`UnionFind::finish`] declares sets dead.
    pub fn single_worker(marks: u32, budget: &Arc<Budget>) -> Self {
        let mut sets = Self::new(1, marks, budget);
        sets.single_worker = true;
        sets
    }

    /// Bytes that a state takes.
    pub fn bytes_per_state(&self) -> usize {
        size_of::<u32>() * (CELLS + self.more_workers.len() + self.more_marks.len())
    }

    /// Makes room for a state. Must be called before any other use of the state.
    ///
    /// # Errors
    /// If there is no memory for it, or its number is not below 2^30.
    #[inline]
    pub fn reserve(&self, state: u32) -> Result<(), Full> {
        // Relaxed: a thread that sees the number may still miss the rows; then it calls `make`, too.
        if state >> BLOCK_BITS < self.charged.load(Relaxed) && self.rows.row(state).is_some() {
            return Ok(());
        }
        self.make(state)
    }

    #[cold]
    fn make(&self, state: u32) -> Result<(), Full> {
        if state >= LIMIT {
            return Err(Full);
        }
        let blocks = (state >> BLOCK_BITS) + 1;
        let _lock = self.charging.lock();
        let before = self.charged.load(Relaxed);
        if before < blocks {
            let new = ((blocks - before) as usize) << BLOCK_BITS;
            self.budget.charge(new * self.bytes_per_state())?;
            for i in (before << BLOCK_BITS..blocks << BLOCK_BITS).step_by(STEP) {
                let made = self.rows.ensure(i).and_then(|()| {
                    let mut more = self.more_workers.iter().chain(&self.more_marks);
                    more.try_for_each(|column| column.ensure(i))
                });
                if made.is_err() {
                    self.budget.release(new * self.bytes_per_state());
                    return Err(Full);
                }
            }
            // Pages that are read first cost twice (see `memory`). These rows are not used yet.
            for i in (before << BLOCK_BITS..blocks << BLOCK_BITS).step_by(PAGE) {
                self.row(i)[0].store(0, Relaxed);
            }
            self.charged.store(blocks, Relaxed);
        }
        Ok(())
    }

    /// Prefetches the data of a state.
    #[inline]
    pub fn prefetch(&self, state: u32) {
        self.rows.prefetch(state);
    }

    #[inline]
    fn row(&self, state: u32) -> &[AtomicU32; CELLS] {
        self.rows
            .row(state)
            .expect("room was made for the state before")
    }

    fn column(columns: &[Chunked<AtomicU32, 1>], number: usize, state: u32) -> &AtomicU32 {
        let [cell] = (columns[number].row(state)).expect("room was made for the state before");
        cell
    }

    #[inline]
    fn workers(&self, state: u32, word: usize) -> &AtomicU32 {
        match word {
            0 => &self.row(state)[WORKERS],
            _ => Self::column(&self.more_workers, word - 1, state),
        }
    }

    #[inline]
    fn marks(&self, state: u32, word: usize) -> &AtomicU32 {
        match word {
            0 => &self.row(state)[MARKS],
            _ => Self::column(&self.more_marks, word - 1, state),
        }
    }

    /// The root of a state's set, and its status: [`ROOT`], [`LOCKED`] or [`DEAD`].
    #[inline]
    fn find(&self, state: u32) -> (u32, u32) {
        let mut at = state;
        loop {
            let row = self.row(at);
            // Acquire, here and below: everything done before a state became a link is visible to those who follow
            // the link.
            let word = row[PARENT].load(Acquire);
            let parent = target(word, at);
            match status(word) {
                DEAD => {
                    if at != state {
                        // A shortcut for the next search. Release: as for links.
                        self.row(state)[PARENT].store(cell(DEAD, state, parent), Release);
                    }
                    return (parent, DEAD);
                }
                LINK => {
                    debug_assert!(parent < at, "I1");
                    let above = self.row(parent)[PARENT].load(Acquire);
                    if status(above) == LINK {
                        // Path halving. Release: a thread that follows the shorter path must see the links on the
                        // longer one, or it could mistake a state on it for a root.
                        let grandparent = target(above, parent);
                        row[PARENT].store(cell(LINK, at, grandparent), Release);
                        at = grandparent;
                    } else {
                        at = parent;
                    }
                }
                other => return (at, other),
            }
        }
    }

    /// Is the state, a former root, still one?
    #[inline]
    fn still_root(&self, state: u32) -> bool {
        status(self.row(state)[PARENT].load(Acquire)) != LINK
    }

    /// Are two states in one set? If a worker has seen so before, by a [`Claim::Cycle`] or by uniting, the result is
    /// true.
    #[inline]
    pub fn same(&self, a: u32, b: u32) -> bool {
        loop {
            let (first, _) = self.find(a);
            let (second, _) = self.find(b);
            if first == second {
                return true;
            }
            if self.still_root(first) {
                return false;
            }
        }
    }

    /// Is the component of the state explored?
    #[inline]
    pub fn is_dead(&self, state: u32) -> bool {
        self.find(state).1 == DEAD
    }

    /// Has any worker visited the state? Room for it need not have been made.
    #[inline]
    pub fn is_visited(&self, state: u32) -> bool {
        let row = self.rows.row(state);
        // Acquire: a thread that discovers the state here may continue from it.
        row.is_some_and(|row| row[LIST].load(Acquire) != NEW)
    }

    /// Is the state itself explored?
    #[inline]
    pub fn is_explored(&self, state: u32) -> bool {
        status(self.row(state)[LIST].load(Acquire)) == TOMB
    }

    /// The root of a state's set, which stays the same only if the set is dead.
    pub fn root(&self, state: u32) -> u32 {
        self.find(state).0
    }

    /// Enters a worker into the set of a state, unless it is there already or the set is dead; or, with `only_new`,
    /// only if the state is unvisited. Also returns whether this is the first claim of the state; this may be so even
    /// if another worker was faster, and the set is dead by now.
    #[inline]
    pub fn claim(&self, state: u32, worker: usize, only_new: bool) -> (Claim, bool) {
        if self.single_worker {
            return self.claim_single_worker(state);
        }
        let row = self.row(state);
        // Relaxed: the swap decides. AcqRel: it publishes the worker's data of the state.
        let fresh = row[LIST].load(Relaxed) == NEW;
        let first = fresh && (row[LIST].compare_exchange(NEW, BUSY, AcqRel, Relaxed)).is_ok();
        (self.claim_visited(state, worker, only_new && !first), first)
    }

    #[inline]
    fn claim_single_worker(&self, state: u32) -> (Claim, bool) {
        let row = self.row(state);
        // Relaxed, here and wherever there is one worker only: there are no other readers.
        if row[LIST].load(Relaxed) == NEW {
            row[LIST].store(BUSY, Relaxed);
            return (Claim::New, true);
        }
        let claim = match status(row[PARENT].load(Relaxed)) {
            ROOT => Claim::Cycle,
            DEAD => Claim::Dead,
            _ if self.find(state).1 == DEAD => Claim::Dead,
            _ => Claim::Cycle,
        };
        (claim, false)
    }

    #[inline]
    fn claim_visited(&self, state: u32, worker: usize, only_new: bool) -> Claim {
        let row = self.row(state);
        // Mostly the state is a root, or has a link to a dead one. Acquire: as in `find`.
        let word = row[PARENT].load(Acquire);
        match status(word) {
            DEAD => return Claim::Dead,
            LINK => {}
            _ if worker < 32 => {
                let bit = 1 << worker;
                // Acquire: a worker that sees itself at the new root sees the link, too (I5).
                if row[WORKERS].load(Acquire) & bit != 0 {
                    return Claim::Cycle;
                }
                if only_new {
                    return Claim::Others;
                }
                // AcqRel: see Protocol.
                row[WORKERS].fetch_or(bit, AcqRel);
                match status(row[PARENT].load(Acquire)) {
                    LINK => return self.enter(state, worker, true),
                    DEAD => return Claim::Dead,
                    _ => return Claim::New,
                }
            }
            _ => {}
        }
        match only_new {
            true => self.peek(state, worker),
            false => self.enter(state, worker, false),
        }
    }

    /// The result of a claim for unvisited states only, if the state is visited.
    fn peek(&self, state: u32, worker: usize) -> Claim {
        let (root, status) = self.find(state);
        if status == DEAD {
            return Claim::Dead;
        }
        // Acquire: as in `claim`.
        let workers = self.workers(root, worker / 32).load(Acquire);
        match workers >> (worker % 32) & 1 {
            1 => Claim::Cycle,
            _ => Claim::Others,
        }
    }

    /// Enters a worker that may have `entered` a set that has meanwhile become part of another.
    fn enter(&self, state: u32, worker: usize, mut entered: bool) -> Claim {
        let bit = 1 << (worker % 32);
        loop {
            let (root, status_of) = self.find(state);
            if status_of == DEAD {
                return Claim::Dead;
            }
            let workers = self.workers(root, worker / 32);
            // Acquire: as in `claim`.
            if workers.load(Acquire) & bit != 0 {
                // If the worker is there because it has just entered a set that became part of this one, there need
                // not be a cycle.
                return match entered {
                    true => Claim::New,
                    false => Claim::Cycle,
                };
            }
            entered = true;
            // AcqRel: see Protocol.
            workers.fetch_or(bit, AcqRel);
            match status(self.row(root)[PARENT].load(Acquire)) {
                LINK => {}
                DEAD => return Claim::Dead,
                _ => return Claim::New,
            }
        }
    }

    /// Adds marks, words of 32, to the set of a state. Stores in `seen` the marks that the set then has: all of them,
    /// if no other worker adds some later (I4).
    ///
    /// # Panics
    /// If the slices are shorter than there are marks.
    #[inline]
    pub fn add_marks(&self, state: u32, add: &[u32], seen: &mut [u32]) {
        let words = 1 + self.more_marks.len();
        loop {
            let (root, _) = self.find(state);
            let mut changed = false;
            for (word, &new) in add[..words].iter().enumerate() {
                let marks = self.marks(root, word);
                // Relaxed: the worker that added the present marks makes sure that they are not lost.
                seen[word] = marks.load(Relaxed);
                if new & !seen[word] != 0 {
                    // AcqRel: see Protocol.
                    seen[word] = marks.fetch_or(new, AcqRel) | new;
                    changed = true;
                }
            }
            if words > 1 && changed {
                // I4: the last worker here sees the words of all that were here before.
                seen[0] = self.marks(root, 0).fetch_or(0, AcqRel);
                for (word, seen) in seen.iter_mut().enumerate().take(words).skip(1) {
                    *seen = self.marks(root, word).load(Acquire);
                }
            }
            if self.still_root(root) {
                return;
            }
        }
    }

    /// Adds workers to the set of a state.
    fn add_workers(&self, state: u32, word: usize, bits: u32) {
        loop {
            let (root, _) = self.find(state);
            let workers = self.workers(root, word);
            // Relaxed: as for marks. AcqRel: see Protocol.
            if bits & !workers.load(Relaxed) != 0 {
                workers.fetch_or(bits, AcqRel);
            }
            if self.still_root(root) {
                return;
            }
        }
    }

    /// Unites two sets, which must be parts of one component. Does nothing if they are one already, or explored.
    pub fn unite(&self, a: u32, b: u32) {
        let mut attempts = 0;
        loop {
            let ((first, dead), (second, also)) = (self.find(a), self.find(b));
            if first == second || dead == DEAD || also == DEAD {
                return;
            }
            let (link, root) = (first.max(second), first.min(second));
            if self.single_worker {
                self.row(link)[PARENT].store(cell(LINK, link, root), Relaxed);
                return self.move_marks(link, root);
            }
            // The states of the worker itself: this way lists are changed in many places, not at the roots, which all
            // workers read.
            let (of_link, of_root) = if link == first { (a, b) } else { (b, a) };
            let parent = &self.row(link)[PARENT];
            // Acquire: the changes of the last holder. There is nothing to publish yet.
            if parent
                .compare_exchange(ROOT, LOCKED, Acquire, Relaxed)
                .is_err()
            {
                wait(&mut attempts);
                continue;
            }
            // While `link` is locked no other worker can join the two: that would make the same link (I1).
            let (held, other) = (self.hold(of_link), self.hold(of_root));
            if let (Some((x, x_next)), Some((y, y_next))) = (held, other) {
                // I2. Release: as for links.
                self.row(x)[LIST].store(cell(HELD, x, y_next), Release);
                self.row(y)[LIST].store(cell(HELD, y, x_next), Release);
                parent.store(cell(LINK, link, root), Release);
                for word in 0..=self.more_workers.len() {
                    // AcqRel: see Protocol.
                    let workers = self.workers(link, word).fetch_or(0, AcqRel);
                    if workers != 0 {
                        self.add_workers(root, word, workers);
                    }
                }
                self.move_marks(link, root);
                self.row(x)[LIST].store(cell(BUSY, x, y_next), Release);
                self.row(y)[LIST].store(cell(BUSY, y, x_next), Release);
                return;
            }
            for (state, next) in [held, other].into_iter().flatten() {
                self.row(state)[LIST].store(cell(BUSY, state, next), Release);
            }
            // One of them is explored, hence the whole component is.
            parent.store(ROOT, Release);
            if held.is_none() {
                self.mark_dead(link);
            }
            if other.is_none() {
                self.mark_dead(root);
            }
        }
    }

    fn move_marks(&self, link: u32, root: u32) {
        let words = 1 + self.more_marks.len();
        if words == 1 {
            let marks = match self.single_worker {
                true => self.marks(link, 0).load(Relaxed),
                false => self.marks(link, 0).fetch_or(0, AcqRel),
            };
            if marks != 0 {
                self.add_marks(root, &[marks], &mut [0]);
            }
            return;
        }
        // AcqRel: see Protocol.
        let marks: Vec<u32> = (0..words)
            .map(|word| self.marks(link, word).fetch_or(0, AcqRel))
            .collect();
        self.add_marks(root, &marks, &mut vec![0; words]);
    }

    /// Locks a busy state of a list. Returns it and its successor, or `None` if there is none.
    fn hold(&self, start: u32) -> Option<(u32, u32)> {
        let mut attempts = 0;
        let mut at = start;
        loop {
            let state = self.busy(at)?;
            at = state;
            let list = &self.row(state)[LIST];
            let word = list.load(Acquire);
            if status(word) == BUSY {
                let next = target(word, state);
                let held = cell(HELD, state, next);
                // Acquire: the changes of the last holder.
                if list.compare_exchange(word, held, Acquire, Relaxed).is_ok() {
                    return Some((state, next));
                }
            }
            wait(&mut attempts);
        }
    }

    /// A busy state of a list, or `None` if there is none.
    fn busy(&self, start: u32) -> Option<u32> {
        let mut at = start;
        loop {
            let list = &self.row(at)[LIST];
            let word = list.load(Acquire);
            if status(word) != TOMB {
                return Some(at);
            }
            let next = target(word, at);
            if next == at {
                // I2.
                return None;
            }
            let after = self.row(next)[LIST].load(Acquire);
            if status(after) != TOMB {
                return Some(next);
            }
            // I2: `at` and `next` are tombs, so the successor of `next` replaces `next`. Release: as for links.
            let farther = target(after, next);
            list.store(cell(TOMB, at, farther), Release);
            at = farther;
        }
    }

    /// An unexplored state of the set, or `None` if there is none; then the set is dead.
    #[inline]
    pub fn pick(&self, state: u32) -> Option<u32> {
        let picked = self.busy(state);
        if picked.is_none() {
            self.mark_dead(state);
        }
        picked
    }

    /// Declares that all states of the set of a state are explored; a single worker knows this without its list.
    pub fn finish(&self, state: u32) {
        if self.single_worker {
            let (root, _) = self.find(state);
            self.row(root)[PARENT].store(cell(DEAD, root, root), Relaxed);
            return;
        }
        debug_assert!(self.busy(state).is_none());
        self.mark_dead(state);
    }

    /// Removes an explored state from the list of its set: all its successors are dead or in the set.
    #[inline]
    pub fn remove(&self, state: u32) {
        let list = &self.row(state)[LIST];
        let mut attempts = 0;
        loop {
            let word = list.load(Relaxed);
            match status(word) {
                TOMB => return,
                BUSY => {
                    let tomb = TOMB | word & !STATUS;
                    // Release: a thread that sees the tomb sees the results of the exploration.
                    if list.compare_exchange(word, tomb, AcqRel, Relaxed).is_ok() {
                        return;
                    }
                }
                _ => wait(&mut attempts),
            }
        }
    }

    /// A set without busy states is dead.
    fn mark_dead(&self, state: u32) {
        let mut attempts = 0;
        loop {
            let (root, status_of) = self.find(state);
            if status_of == DEAD {
                return;
            }
            let parent = &self.row(root)[PARENT];
            // Release: a thread that sees that it is dead sees the results. If it is locked, the holder abandons its union.
            if parent.compare_exchange(ROOT, DEAD, AcqRel, Relaxed).is_ok() {
                return;
            }
            wait(&mut attempts);
        }
    }
}

impl Drop for UnionFind {
    /// Returns its share of the budget.
    fn drop(&mut self) {
        let blocks = *self.charged.get_mut() as usize;
        self.budget
            .release((blocks << BLOCK_BITS) * self.bytes_per_state());
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
