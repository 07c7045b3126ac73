//! The table that suits the width of a state, and its interface to engines.
//!
//! An engine works in batches: it reads some states ([`Store::read_parent`]), pushes the successors of each
//! ([`Batch::push`]), and inserts them all at once ([`Store::insert_batch`]), so that the cache misses of a hundred
//! lookups overlap instead of following one another.
//!
//! States of one or two words go into a flat table of packed keys, longer ones into a tree. For successors of wide
//! states it is faster to push only the changes ([`Batch::push_changed`]).

use crate::changed::Changed;
use crate::flat::{self, Flat};
use crate::packed::{self, Packed};
use crate::tree::{self, StatesWithParents, Tree};
use crate::{Budget, Found, Full};
use std::ops::Range;
use std::sync::Arc;

/// The number of a state in a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateIndex(pub u32);

/// States with more words are wide: batches store only their changes.
const WIDE: usize = 32;

/// The distance, in states, of prefetches ahead of reading.
const AHEAD: u32 = 6;

enum Kind {
    /// One word, or none, which is stored as the word zero.
    One(Flat<1, Packed<1>>),
    Two(Flat<2, Packed<2>>),
    Tree(Arc<Tree>),
}

/// A set of states of equal width, each with a dense index.
pub struct Store {
    kind: Kind,
    width: usize,
    /// Are states wide?
    wide: bool,
}

enum WorkerKind {
    Flat(flat::Worker<packed::WorkerLocal>),
    Tree(tree::Worker),
}

/// What a thread needs to use a [`Store`].
pub struct StoreWorker(WorkerKind);

/// States to be inserted into a store.
#[derive(Default)]
pub struct Batch {
    /// Words of the states.
    states: Vec<u64>,
    /// For each state the number of its parent, or `u32::MAX`.
    parent_of: Vec<u32>,
    /// Number of parents, and their words and trees (only if the store wants them).
    parents: u32,
    parent_words: Vec<u64>,
    parent_nodes: Vec<u32>,
    /// Wide states with parents, which follow `states`, and the tree that they are for.
    changed: Changed,
    wide: Option<Arc<Tree>>,
    found: Vec<Found>,
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all states.
    pub fn clear(&mut self) {
        self.states.clear();
        self.parent_of.clear();
        self.parents = 0;
        self.parent_words.clear();
        self.parent_nodes.clear();
        self.changed.clear();
        self.found.clear();
    }

    /// Adds a successor of the state that was last read with [`Store::read_parent`], or a state without a parent if
    /// none was. All states of a batch must have the width of the store that they are for.
    #[inline]
    pub fn push(&mut self, state: &[u64]) {
        if self.wide.is_some() && self.push_wide(state) {
            return;
        }
        if state.is_empty() {
            // A system without variables has one state.
            self.states.push(0);
        } else {
            self.states.extend_from_slice(state);
        }
        self.parent_of.push(self.parents.wrapping_sub(1));
    }

    /// Adds a wide state, if it has a parent.
    #[cold]
    fn push_wide(&mut self, state: &[u64]) -> bool {
        if self.parents > 0 {
            self.push_changes((0..).zip(state.iter().copied()));
        }
        self.parents > 0
    }

    /// Adds a successor of the state that was last read with [`Store::read_parent`]; the two differ at most in these
    /// words, which are sorted. If states are wide, only these words are read.
    #[inline]
    pub fn push_changed(&mut self, state: &[u64], words: &[u32]) {
        if self.parents > 0 && self.wide.is_some() {
            self.push_changes(words.iter().map(|&w| (w, state[w as usize])));
        } else {
            self.push(state);
        }
    }

    /// [`Batch::push_changed`], for wide states ([`Store::is_wide`]): the words and their values.
    ///
    /// # Panics
    /// If states are not wide, or no state was read.
    pub fn push_changes(&mut self, changes: impl Iterator<Item = (u32, u64)>) {
        let tree = self.wide.as_ref().filter(|_| self.parents > 0);
        let tree = tree.expect("no wide state was read");
        self.changed.push(tree, changes);
        self.parent_of.push(self.parents - 1);
    }

    /// The words in which the wide state that was last read differs from the one read before it with this batch, or
    /// all of them, in no order.
    pub fn changed_words(&self) -> &[u32] {
        self.changed.changed_words()
    }

    /// Number of states.
    #[inline]
    pub fn len(&self) -> usize {
        self.parent_of.len()
    }

    /// Is there no state?
    pub fn is_empty(&self) -> bool {
        self.parent_of.is_empty()
    }

    /// Keeps only the first `len` states, and the parents.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            let whole = self.len() - self.changed.len();
            let width = self.states.len().checked_div(whole).unwrap_or(0);
            self.states.truncate(len * width);
            self.changed.truncate(len.saturating_sub(whole));
            self.parent_of.truncate(len);
        }
    }

    /// The results of [`Store::insert_batch`], in the order of the states.
    #[inline]
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The number of parents read before the state with that number was pushed, minus one.
    #[inline]
    pub fn parent_of(&self, state: usize) -> u32 {
        self.parent_of[state]
    }
}

impl Store {
    /// An empty store for states of `width` words.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(width: usize, budget: &Arc<Budget>) -> Result<Self, Full> {
        Self::with_spare_bits(width, (0, 0), budget)
    }

    /// An empty store for states of `width` words. `spare` is the index of a word and the number of its highest bits
    /// that are zero in every state. This saves memory if it is the last word.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn with_spare_bits(
        width: usize,
        (word, spare): (usize, u32),
        budget: &Arc<Budget>,
    ) -> Result<Self, Full> {
        let spare = if word + 1 == width { spare.min(64) } else { 0 };
        let local = || Arc::clone(budget);
        let kind = match width {
            0 | 1 => Kind::One(Flat::new(Packed::new(64 - spare, local()), local())?),
            2 => Kind::Two(Flat::new(Packed::new(64 - spare, local()), local())?),
            _ => Kind::Tree(Arc::new(Tree::new(width, budget)?)),
        };
        let wide = width > WIDE;
        Ok(Self { kind, width, wide })
    }

    /// A store that also compresses states of two words: less memory, slower.
    ///
    /// # Errors
    /// If there is no memory for an empty one.
    pub(crate) fn compressing(width: usize, budget: &Arc<Budget>) -> Result<Self, Full> {
        if width < 2 {
            return Self::new(width, budget);
        }
        Ok(Self {
            kind: Kind::Tree(Arc::new(Tree::new(width, budget)?)),
            width,
            wide: width > WIDE,
        })
    }

    /// A store that treats states of two or more words as wide, for tests.
    ///
    /// # Errors
    /// If there is no memory for an empty one.
    pub fn wide(width: usize, budget: &Arc<Budget>) -> Result<Self, Full> {
        let mut store = Self::compressing(width, budget)?;
        store.wide = width >= 2;
        Ok(store)
    }

    /// Do batches store only the changes of states?
    pub fn is_wide(&self) -> bool {
        self.wide
    }

    /// Number of words of a state.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A new worker.
    pub fn worker(&self) -> StoreWorker {
        StoreWorker(match &self.kind {
            Kind::One(flat) => WorkerKind::Flat(flat.worker()),
            Kind::Two(flat) => WorkerKind::Flat(flat.worker()),
            Kind::Tree(tree) => WorkerKind::Tree(tree.worker()),
        })
    }

    /// The state with that index.
    ///
    /// # Panics
    /// If no state has the index, or `state` has another width.
    #[inline]
    pub fn read(&self, index: StateIndex, state: &mut [u64]) {
        assert_eq!(state.len(), self.width, "a state of another width");
        match &self.kind {
            Kind::One(flat) => {
                let key = flat.get(index.0);
                state.copy_from_slice(&key[..self.width]);
            }
            Kind::Two(flat) => state.copy_from_slice(&flat.get(index.0)),
            Kind::Tree(tree) => tree.get(index.0, state),
        }
    }

    /// A word of the state with that index, at a lower cost than the whole state.
    ///
    /// # Panics
    /// If no state has the index, or there is no such word.
    pub fn word(&self, index: StateIndex, word: usize) -> u64 {
        assert!(word < self.width, "a word of another width");
        match &self.kind {
            Kind::One(flat) => flat.get(index.0)[word],
            Kind::Two(flat) => flat.get(index.0)[word],
            Kind::Tree(tree) => tree.word(index.0, word),
        }
    }

    /// Reads a state whose successors are then pushed to the batch.
    ///
    /// # Panics
    /// As [`Store::read`].
    #[inline]
    pub fn read_parent(&self, index: StateIndex, state: &mut [u64], batch: &mut Batch) {
        if let Kind::Tree(tree) = &self.kind {
            assert_eq!(state.len(), self.width, "a state of another width");
            if self.wide {
                batch.changed.move_to(tree, index.0);
                state.copy_from_slice(batch.changed.words());
                if !batch.wide.as_ref().is_some_and(|t| Arc::ptr_eq(t, tree)) {
                    batch.wide = Some(Arc::clone(tree));
                }
                batch.parents += 1;
                return;
            }
            tree.read(index.0, state, &mut batch.parent_nodes);
            batch.parent_words.extend_from_slice(state);
        } else {
            self.read(index, state);
            // Mostly the states after this one are read next.
            let soon = index.0.saturating_add(AHEAD);
            match &self.kind {
                Kind::One(flat) => flat.prefetch_halves(soon),
                Kind::Two(flat) => flat.prefetch_halves(soon),
                Kind::Tree(_) => {}
            }
        }
        batch.parents += 1;
    }

    /// Inserts the states of a batch; the results are in [`Batch::found`].
    ///
    /// # Errors
    /// If there is no room for one of them; there may be results for some of the states before it.
    ///
    /// # Panics
    /// If the worker is of another store.
    #[inline]
    pub fn insert_batch(&self, worker: &mut StoreWorker, batch: &mut Batch) -> Result<(), Full> {
        batch.found.clear();
        match (&self.kind, &mut worker.0) {
            (Kind::One(flat), WorkerKind::Flat(worker)) => {
                flat.find_or_insert_batch(&batch.states, worker, &mut batch.found)
            }
            (Kind::Two(flat), WorkerKind::Flat(worker)) => {
                flat.find_or_insert_batch(&batch.states, worker, &mut batch.found)
            }
            (Kind::Tree(tree), WorkerKind::Tree(worker)) => {
                let whole = batch.parent_of.len() - batch.changed.len();
                let states_with_parents = StatesWithParents {
                    states: &batch.states,
                    parent_of: &batch.parent_of[..whole],
                    parents: &batch.parent_words,
                    parent_nodes: &batch.parent_nodes,
                };
                tree.insert_batch(&states_with_parents, worker, &mut batch.found)?;
                if batch.changed.len() == 0 {
                    return Ok(());
                }
                assert!(batch.changed.is_of(tree), "states of another store");
                (batch.changed).enter(tree, worker, &mut batch.found, false)
            }
            _ => panic!("a worker of another store"),
        }
    }

    /// The index of a state, and whether it is new. One at a time is slower than in batches.
    ///
    /// # Errors
    /// If it is new and there is no room for it.
    ///
    /// # Panics
    /// If the worker is of another store, or the state has another width.
    pub fn insert(&self, worker: &mut StoreWorker, state: &[u64]) -> Result<Found, Full> {
        assert_eq!(state.len(), self.width, "a state of another width");
        match (&self.kind, &mut worker.0) {
            (Kind::One(flat), WorkerKind::Flat(worker)) => {
                flat.find_or_insert(&[state.first().copied().unwrap_or(0)], worker)
            }
            (Kind::Two(flat), WorkerKind::Flat(worker)) => {
                flat.find_or_insert(&[state[0], state[1]], worker)
            }
            (Kind::Tree(tree), WorkerKind::Tree(worker)) => tree.find_or_insert(state, worker),
            _ => panic!("a worker of another store"),
        }
    }

    /// The index of a state, and whether it is new. The state differs from the one inserted before in this way with
    /// this batch at most in these words, which are sorted. The batch must be used for nothing else.
    ///
    /// # Errors
    /// If it is new and there is no room for it.
    ///
    /// # Panics
    /// As [`Store::insert`].
    pub fn insert_next(
        &self,
        worker: &mut StoreWorker,
        batch: &mut Batch,
        state: &[u64],
        words: &[u32],
    ) -> Result<Found, Full> {
        let (Kind::Tree(tree), true) = (&self.kind, self.wide) else {
            return self.insert(worker, state);
        };
        if !batch.changed.is_of(tree) {
            let found = self.insert(worker, state)?;
            batch.changed.move_to(tree, found.index);
            return Ok(found);
        }
        let WorkerKind::Tree(worker) = &mut worker.0 else {
            panic!("a worker of another store")
        };
        batch.clear();
        (batch.changed).push(tree, words.iter().map(|&w| (w, state[w as usize])));
        (batch.changed).enter(tree, worker, &mut batch.found, true)?;
        batch.found.pop().ok_or(Full)
    }

    /// The index of a state, if the store has it.
    ///
    /// # Panics
    /// If the worker is of another store, or the state has another width.
    pub fn find(&self, worker: &mut StoreWorker, state: &[u64]) -> Option<StateIndex> {
        assert_eq!(state.len(), self.width, "a state of another width");
        match (&self.kind, &mut worker.0) {
            (Kind::One(flat), WorkerKind::Flat(worker)) => {
                flat.find(&[state.first().copied().unwrap_or(0)], worker)
            }
            (Kind::Two(flat), WorkerKind::Flat(worker)) => flat.find(&[state[0], state[1]], worker),
            (Kind::Tree(tree), WorkerKind::Tree(worker)) => tree.find(state, worker),
            _ => panic!("a worker of another store"),
        }
        .map(StateIndex)
    }

    /// Number of states.
    pub fn len(&self) -> u64 {
        match &self.kind {
            Kind::One(flat) => flat.len(),
            Kind::Two(flat) => flat.len(),
            Kind::Tree(tree) => tree.len(),
        }
    }

    /// Is there no state?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The indices that have a state, in ascending ranges: `0..len` if there never were two workers at a time, and
    /// otherwise with small gaps where a worker did not use up its block.
    pub fn indices(&self) -> Vec<Range<u32>> {
        match &self.kind {
            Kind::One(flat) => flat.indices(),
            Kind::Two(flat) => flat.indices(),
            Kind::Tree(tree) => tree.indices(),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        match &self.kind {
            Kind::One(flat) => flat.bytes(),
            Kind::Two(flat) => flat.bytes(),
            Kind::Tree(tree) => tree.bytes(),
        }
    }

    /// Bytes in use, the slack of the tables included, divided by the number of states.
    pub fn bytes_per_state(&self) -> f64 {
        self.bytes() as f64 / self.len().max(1) as f64
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use sempre_base::Random;
    use std::collections::HashMap;

    fn unlimited() -> Arc<Budget> {
        Arc::new(Budget::unlimited())
    }

    /// A successor changes one or two words a little, or none.
    fn step(state: &[u64], random: &mut Random) -> Vec<u64> {
        let mut next = state.to_vec();
        for _ in 0..random.below(3) {
            if !next.is_empty() {
                let i = random.below(next.len());
                next[i] = ((next[i] + 1) % 5) | ((random.below(3) as u64) << 40);
            }
        }
        next
    }

    type Make = fn(usize, &Arc<Budget>) -> Result<Store, Full>;

    /// A random walk in batches: indices, freshness and contents agree with a map, with a parent and
    /// without, for all kinds of store.
    #[test]
    fn agrees_with_a_map() {
        let make: [(Make, &[usize]); 3] = [
            (Store::new, &[0, 1, 2, 3, 4, 5, 7, 13, 33, 100]),
            (Store::compressing, &[2]),
            (Store::wide, &[2, 3, 4, 5, 6, 7, 9, 13, 21]),
        ];
        let each = make
            .iter()
            .flat_map(|(make, all)| all.iter().map(move |width| (make, *width)));
        for (make, width) in each {
            let store = make(width, &unlimited()).unwrap();
            let mut random = Random::new(width as u64);
            let mut worker = store.worker();
            let mut map: HashMap<Vec<u64>, u32> = HashMap::new();
            let first = vec![0; width];
            assert_eq!(store.find(&mut worker, &first), None);
            assert_eq!(
                store.insert(&mut worker, &first),
                Ok(Found {
                    index: 0,
                    fresh: true
                })
            );
            map.insert(first, 0);
            let mut batch = Batch::new();
            let mut state = vec![0; width];
            for round in 0..1000 {
                batch.clear();
                let mut pushed = Vec::new();
                if round % 10 == 0 {
                    pushed.push(step(&state, &mut random));
                    batch.push(&pushed[0]);
                }
                for _ in 0..random.below(6) {
                    let parent = StateIndex(random.below(map.len()) as u32);
                    store.read_parent(parent, &mut state, &mut batch);
                    assert_eq!(map[&state], parent.0);
                    for _ in 0..random.below(5) {
                        let next = step(&state, &mut random);
                        if random.chance(0.5) {
                            batch.push(&next);
                        } else {
                            // More words than those that differ may be listed.
                            let words = (0..width as u32).filter(|&i| {
                                state[i as usize] != next[i as usize] || random.chance(0.1)
                            });
                            let words: Vec<u32> = words.collect();
                            batch.push_changed(&next, &words);
                        }
                        pushed.push(next);
                    }
                }
                let keep = pushed.len() - random.below(2).min(pushed.len());
                batch.truncate(keep);
                pushed.truncate(keep);
                store.insert_batch(&mut worker, &mut batch).unwrap();
                assert_eq!(batch.found().len(), pushed.len());
                for (state, &found) in pushed.iter().zip(batch.found()) {
                    let fresh = !map.contains_key(state);
                    let next = map.len() as u32;
                    let index = *map.entry(state.clone()).or_insert(next);
                    assert_eq!(found, Found { index, fresh });
                }
            }
            assert_eq!(store.len(), map.len() as u64);
            assert_eq!(store.indices(), vec![0..map.len() as u32]);
            for (state, &index) in &map {
                let mut read = vec![0; width];
                store.read(StateIndex(index), &mut read);
                assert_eq!(*state, read);
                let word = |i| store.word(StateIndex(index), i);
                assert_eq!((0..width).map(word).collect::<Vec<_>>(), read);
                assert_eq!(store.find(&mut worker, state), Some(StateIndex(index)));
                let found = store.insert(&mut worker, state).unwrap();
                assert_eq!((found.index, found.fresh), (index, false));
            }
            assert!(width < 2 || map.len() > 200);
        }
    }

    /// Many threads perform random walks on the same small set of states.
    #[test]
    fn many_workers_agree_on_trees() {
        for (width, wide) in [(2, false), (3, false), (6, false), (3, true), (6, true)] {
            let make = if wide {
                Store::wide
            } else {
                Store::compressing
            };
            let store = make(width, &unlimited()).unwrap();
            let answers: Vec<Vec<(Vec<u64>, Found)>> = std::thread::scope(|scope| {
                let handles: Vec<_> = (0..8)
                    .map(|t| {
                        let store = &store;
                        scope.spawn(move || {
                            let mut random = Random::new(t);
                            let mut worker = store.worker();
                            let mut batch = Batch::new();
                            let mut state = vec![0; width];
                            let mut answers = Vec::new();
                            for _ in 0..2_000 {
                                batch.clear();
                                let found = store.insert(&mut worker, &state).unwrap();
                                answers.push((state.clone(), found));
                                store.read_parent(StateIndex(found.index), &mut state, &mut batch);
                                let successors: Vec<_> =
                                    (0..5).map(|_| step(&state, &mut random)).collect();
                                for next in &successors {
                                    batch.push(next);
                                }
                                store.insert_batch(&mut worker, &mut batch).unwrap();
                                answers.extend(
                                    successors
                                        .iter()
                                        .cloned()
                                        .zip(batch.found().iter().copied()),
                                );
                                state.clone_from(&successors[random.below(5)]);
                            }
                            answers
                        })
                    })
                    .collect();
                handles.into_iter().map(|h| h.join().unwrap()).collect()
            });
            let mut map: HashMap<Vec<u64>, u32> = HashMap::new();
            let mut fresh = 0;
            for (state, found) in answers.into_iter().flatten() {
                fresh += u64::from(found.fresh);
                let mut read = vec![0; width];
                store.read(StateIndex(found.index), &mut read);
                assert_eq!(read, state);
                assert_eq!(*map.entry(state).or_insert(found.index), found.index);
            }
            assert_eq!(map.len() as u64, store.len());
            assert_eq!(fresh, store.len());
        }
    }

    /// A sequence of states, each inserted as its differences from the one before.
    #[test]
    fn states_that_follow_each_other() {
        for width in [2, 3, 5, 6, 11] {
            let store = Store::wide(width, &unlimited()).unwrap();
            let mut random = Random::new(width as u64);
            let (mut worker, mut batch) = (store.worker(), Batch::new());
            let mut map: HashMap<Vec<u64>, u32> = HashMap::new();
            let mut state = vec![0; width];
            for _ in 0..3000 {
                let next = step(&state, &mut random);
                let words = (0..width as u32).filter(|&i| state[i as usize] != next[i as usize]);
                let words: Vec<u32> = words.collect();
                let number = map.len() as u32;
                let found = store.insert_next(&mut worker, &mut batch, &next, &words);
                let fresh = !map.contains_key(&next);
                let index = *map.entry(next.clone()).or_insert(number);
                assert_eq!(found, Ok(Found { index, fresh }));
                state = next;
            }
            let mut reader = Batch::new();
            let mut read = vec![0; width];
            let mut followed = vec![0; width];
            for index in 0..map.len() as u32 {
                store.read_parent(StateIndex(index), &mut read, &mut reader);
                assert_eq!(map[&read], index);
                for &word in reader.changed_words() {
                    followed[word as usize] = read[word as usize];
                }
                assert_eq!(followed, read);
            }
        }
    }

    /// Two counters that fill an array of 30,000 cells, eight to a word: states share nearly all of their trees.
    #[test]
    fn wide_states_take_tens_of_bytes() {
        const WIDTH: usize = 3750;
        let store = Store::new(WIDTH, &unlimited()).unwrap();
        let (mut worker, mut batch) = (store.worker(), Batch::new());
        let mut state = vec![0; WIDTH];
        store.insert(&mut worker, &state).unwrap();
        let mut next = 0;
        while next < store.len() as u32 {
            batch.clear();
            for _ in 0..64 {
                store.read_parent(StateIndex(next), &mut state, &mut batch);
                for side in [0, WIDTH - 1] {
                    let count = state[side] as usize;
                    if count < 150 {
                        let cell = (count * 191 + side * 4) % (8 * WIDTH - 16) + 8;
                        let word = cell / 8;
                        let mut words = [side as u32, word as u32];
                        words.sort_unstable();
                        let before = (state[side], state[word]);
                        state[side] += 1;
                        state[word] |= 1 << (8 * (cell % 8));
                        batch.push_changed(&state, &words);
                        (state[side], state[word]) = before;
                    }
                }
                next += 1;
                if next == store.len() as u32 {
                    break;
                }
            }
            store.insert_batch(&mut worker, &mut batch).unwrap();
        }
        assert_eq!(store.len(), 151 * 151);
        assert!(
            store.bytes_per_state() < 100.0,
            "{}",
            store.bytes_per_state()
        );
    }

    #[test]
    fn a_spent_budget_is_an_answer() {
        for width in [1, 2, 5] {
            let budget = Arc::new(Budget::new(300_000));
            let store = Store::new(width, &budget).unwrap();
            let mut worker = store.worker();
            let mut state = vec![0; width];
            let mut count = 0;
            while let Ok(found) = store.insert(&mut worker, &state) {
                assert!(found.fresh);
                count += 1;
                state[0] = count % 100;
                state[width - 1] = count;
            }
            assert_eq!(store.len(), count);
            assert!(store.bytes() <= 300_000);
            assert!(store.bytes_per_state() < 60.0);
        }
    }
}
