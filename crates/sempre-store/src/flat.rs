//! A lock-free set of keys of `W` words, each with a dense index.
//!
//! After the lockless hash table of Laarman, van de Pol and Weber ("Boosting multi-core reachability
//! performance with shared hash tables", FMCAD 2010): open addressing inside cache lines, one
//! compare-and-swap to enter a key, no deletion. Ours differs in keeping keys apart from the hash index: keys
//! lie in an array in the order of their insertion, which gives every state a number (engines keep their data
//! in arrays by that number, a breadth-first search needs no queue but a range of numbers), lets the
//! index be rebuilt at twice the size (no table size to guess), and makes a slot four bytes, sixteen to a
//! line, whose tags answer most questions without a look at a key.
//!
//! ## Protocol
//! A worker owns a block of indices that no other has. To enter a key it writes the key at the first of them,
//! then publishes the index with a compare-and-swap on a free slot. If the swap fails and the faster one had
//! the same key, the index stays in the worker's block and serves its next key. So indices are dense up
//! to the unused ends of the blocks of workers, which go back to the table when a worker is dropped and
//! are given to the next that asks. With one worker at a time, the indices are `0..len`.
//!
//! When all room is promised to blocks, the worker that asks for one more stops the others at the gate
//! and rebuilds the hash index from the keys at twice the size, or four times while it is small. The old
//! one is freed before, so growth needs no more memory than its result. When there is no memory for that,
//! the index is filled further, and finally [`Full`] is the answer.
//!
//! ## Invariants
//! - **I1** Every key is at one index, and an index in a slot has its key written before (Release of the swap,
//!   Acquire of the load of the slot). The key never changes afterwards.
//! - **I2** An index is in one block of one worker, or in the list of spare blocks, or in one slot.
//! - **I3** The first free index of a worker's block is in its note at the gate whenever it is not inside.
//! - **I4** No more indices are promised than the slots have room for.
//!
//! ## Cost
//! `8 W` bytes per key, and `16/3` to `32/3` bytes for its slots. A key that is there costs two cache misses, a new one
//! little more than one; [`Flat::find_or_insert_batch`] overlaps those of many keys.
//!
//! ## Not done
//! No deletion; no help of waiting workers in rebuilding (a few nanoseconds per key, once or twice in
//! its life).

use crate::budget::{Budget, Full};
use crate::chunked::Chunked;
use crate::gate::{Gate, Pass};
use crate::slots::{MAX_BITS, MIN_BITS, Place, Slots};
use crate::sync::{AtomicU32, AtomicU64, Mutex, SyncArc, lock};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Indices that a worker takes at once.
#[cfg(not(all(loom, test)))]
const BLOCK: u64 = 256;
#[cfg(all(loom, test))]
const BLOCK: u64 = 1;

/// How far ahead of its use a slot, and then a key, is fetched.
const AHEAD_SLOT: usize = 32;
const AHEAD_KEY: usize = 16;

/// The answer about one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The key's index.
    pub index: u32,
    /// It was not there before.
    pub fresh: bool,
}

/// What is left of a worker's block, for whoever rebuilds the table.
struct Rest {
    next: AtomicU32,
    end: AtomicU32,
}

impl Rest {
    // Relaxed accesses throughout: the gate, or the lock on the ledger, orders them.
    fn range(&self) -> Range<u32> {
        self.next.load(Relaxed)..self.end.load(Relaxed)
    }
    fn set(&self, range: Range<u32>) {
        self.next.store(range.start, Relaxed);
        self.end.store(range.end, Relaxed);
    }
}

/// Who has which indices.
struct Ledger {
    /// The first index never promised.
    next: u64,
    /// What dropped workers left.
    spare: Vec<Range<u32>>,
}

/// The table. See the module's documentation.
pub struct Flat<const W: usize> {
    keys: Chunked<AtomicU64, W>,
    gate: Gate<Slots, Rest>,
    /// Locked before the gate is closed, never from inside.
    ledger: SyncArc<Mutex<Ledger>>,
    budget: Arc<Budget>,
}

/// What a thread needs to use the table.
pub struct Worker {
    pass: Pass<Rest>,
    ledger: SyncArc<Mutex<Ledger>>,
    /// Hashes and guesses of the keys of a batch.
    hashes: Vec<u64>,
    guesses: Vec<u32>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut ledger = lock(&self.ledger);
        let rest = self.pass.note().range();
        if !rest.is_empty() {
            // I2: from the worker to the list, under the lock.
            self.pass.note().set(0..0);
            ledger.spare.push(rest);
        }
    }
}

/// One multiplication to 128 bits, whose halves are added: every bit of the result depends on every bit
/// of the key. The upper bits choose the slot, the lower the tag.
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

#[inline]
fn hash<const W: usize>(key: &[u64; W]) -> u64 {
    let mut hash = 0x243f_6a88_85a3_08d3;
    for &word in key {
        hash = mix(hash ^ word, 0x9e37_79b9_7f4a_7c15);
    }
    hash
}

impl<const W: usize> Flat<W> {
    /// An empty table.
    ///
    /// # Errors
    /// If there is no memory even for that.
    pub fn new(budget: Arc<Budget>) -> Result<Self, Full> {
        budget.charge(Slots::bytes_of(MIN_BITS))?;
        let slots = match Slots::new(MIN_BITS) {
            Ok(slots) => slots,
            Err(Full) => {
                budget.release(Slots::bytes_of(MIN_BITS));
                return Err(Full);
            }
        };
        Ok(Self {
            keys: Chunked::new(),
            gate: Gate::new(slots),
            ledger: SyncArc::new(Mutex::new(Ledger {
                next: 0,
                spare: Vec::new(),
            })),
            budget,
        })
    }

    /// A new worker.
    pub fn worker(&self) -> Worker {
        Worker {
            pass: self.gate.pass(Rest {
                next: AtomicU32::new(0),
                end: AtomicU32::new(0),
            }),
            ledger: SyncArc::clone(&self.ledger),
            hashes: Vec::new(),
            guesses: Vec::new(),
        }
    }

    /// The index of a key, and whether it is new.
    ///
    /// # Errors
    /// If it is new and there is no room for it.
    ///
    /// # Panics
    /// If the worker is of another table.
    pub fn find_or_insert(&self, key: &[u64; W], worker: &mut Worker) -> Result<Found, Full> {
        let hash = hash(key);
        loop {
            let found = self.gate.inside(&mut worker.pass, |slots, rest| {
                let mut range = rest.range();
                let found = self.enter(slots, key, hash, &mut range);
                rest.set(range);
                found
            });
            if let Some(found) = found? {
                return Ok(found);
            }
            self.take_block(worker)?;
        }
    }

    /// [`Self::find_or_insert`] for several keys, one after the other in `keys`, whose cache misses overlap.
    /// The answers are appended to `found`, in the order of the keys.
    ///
    /// # Errors
    /// If there is no room for one of them; those before it have been answered.
    ///
    /// # Panics
    /// If the worker is of another table, or the length of `keys` no multiple of `W`.
    pub fn find_or_insert_batch(
        &self,
        keys: &[u64],
        worker: &mut Worker,
        found: &mut Vec<Found>,
    ) -> Result<(), Full> {
        let (keys, rest) = keys.as_chunks::<W>();
        assert!(rest.is_empty(), "a key is cut off");
        found.reserve(keys.len());
        let mut hashes = std::mem::take(&mut worker.hashes);
        let mut guesses = std::mem::take(&mut worker.guesses);
        hashes.clear();
        hashes.extend(keys.iter().map(hash));
        guesses.clear();
        guesses.resize(keys.len(), u32::MAX);
        let mut done = 0;
        let result = loop {
            let outcome = self.gate.inside(&mut worker.pass, |slots, rest| {
                let mut range = rest.range();
                let outcome = self.enter_batch(
                    slots,
                    keys,
                    &hashes,
                    &mut guesses,
                    &mut done,
                    &mut range,
                    found,
                );
                rest.set(range);
                outcome
            });
            match outcome {
                Ok(true) => break Ok(()),
                Ok(false) => {
                    if let Err(full) = self.take_block(worker) {
                        break Err(full);
                    }
                }
                Err(full) => break Err(full),
            }
        };
        worker.hashes = hashes;
        worker.guesses = guesses;
        result
    }

    /// The index of a key, if it is there.
    pub fn find(&self, key: &[u64; W], worker: &mut Worker) -> Option<u32> {
        let hash = hash(key);
        self.gate.inside(&mut worker.pass, |slots, _| {
            slots.find(hash, |index| self.is(index, key))
        })
    }

    /// The key with that index.
    ///
    /// # Panics
    /// If the index was never given out.
    #[inline]
    pub fn get(&self, index: u32) -> [u64; W] {
        let Some(row) = self.keys.row(index) else {
            panic!("no key has index {index}");
        };
        // Relaxed: who knows the index has it from a slot, or from one who has (I1).
        std::array::from_fn(|i| row[i].load(Relaxed))
    }

    /// Asks the processor for the key with that index.
    #[inline]
    pub fn prefetch(&self, index: u32) {
        self.keys.prefetch(index);
    }

    /// Number of keys.
    pub fn len(&self) -> u64 {
        let (next, holes) = self.holes();
        next - holes.iter().map(|r| r.len() as u64).sum::<u64>()
    }

    /// Is there no key?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Indices that have a key, in ascending ranges.
    pub fn indices(&self) -> Vec<Range<u32>> {
        let (next, holes) = self.holes();
        between(next, holes)
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let ledger = lock(&self.ledger);
        let slots = self.gate.alone(|slots, _| slots.bytes());
        slots + ledger.next as usize * 8 * W
    }

    /// The first index never promised, and all those below it without a key. Waits for all workers.
    fn holes(&self) -> (u64, Vec<Range<u32>>) {
        let ledger = lock(&self.ledger);
        let holes = self.gate.alone(|_, rests| {
            ledger
                .spare
                .iter()
                .cloned()
                .chain(rests.map(Rest::range))
                .collect()
        });
        (ledger.next, holes)
    }

    #[inline]
    fn is(&self, index: u32, key: &[u64; W]) -> bool {
        self.keys.row(index).is_some_and(|row| {
            // Relaxed: the index comes from a slot that was loaded with Acquire (I1).
            (0..W).all(|i| row[i].load(Relaxed) == key[i])
        })
    }

    /// Finds or enters a key; `None` if it is new and `rest` is empty.
    #[inline]
    fn enter(
        &self,
        slots: &Slots,
        key: &[u64; W],
        hash: u64,
        rest: &mut Range<u32>,
    ) -> Result<Option<Found>, Full> {
        if slots.is_none() {
            return Err(Full);
        }
        let index = rest.start;
        let place = slots.find_or_insert(
            hash,
            |index| self.is(index, key),
            || {
                if rest.start == rest.end {
                    return None;
                }
                let row = self.keys.row(index)?;
                for i in 0..W {
                    // Relaxed: published by the swap on the slot (I1).
                    row[i].store(key[i], Relaxed);
                }
                Some(index)
            },
        );
        Ok(match place {
            Place::Index(index) => Some(Found {
                index,
                fresh: false,
            }),
            Place::Free => {
                rest.start += 1;
                Some(Found { index, fresh: true })
            }
            Place::NoIndex => None,
        })
    }

    /// Answers the keys from `done` on; `false` if a block is needed to go on.
    #[expect(clippy::too_many_arguments, reason = "a loop body, not an interface")]
    #[inline]
    fn enter_batch(
        &self,
        slots: &Slots,
        keys: &[[u64; W]],
        hashes: &[u64],
        guesses: &mut [u32],
        done: &mut usize,
        rest: &mut Range<u32>,
        found: &mut Vec<Found>,
    ) -> Result<bool, Full> {
        if slots.is_none() {
            return Err(Full);
        }
        let guess = |i: usize, guesses: &mut [u32]| {
            guesses[i] = slots.guess(hashes[i]).unwrap_or(u32::MAX);
            if guesses[i] != u32::MAX {
                self.keys.prefetch(guesses[i]);
            }
        };
        for &hash in hashes.iter().skip(*done).take(AHEAD_SLOT) {
            slots.prefetch(hash);
        }
        for i in *done..keys.len().min(*done + AHEAD_KEY) {
            guess(i, guesses);
        }
        while *done < keys.len() {
            let i = *done;
            if i + AHEAD_SLOT < keys.len() {
                slots.prefetch(hashes[i + AHEAD_SLOT]);
            }
            if i + AHEAD_KEY < keys.len() {
                guess(i + AHEAD_KEY, guesses);
            }
            if guesses[i] != u32::MAX && self.is(guesses[i], &keys[i]) {
                found.push(Found {
                    index: guesses[i],
                    fresh: false,
                });
            } else {
                match self.enter(slots, &keys[i], hashes[i], rest)? {
                    Some(answer) => found.push(answer),
                    None => return Ok(false),
                }
            }
            *done += 1;
        }
        Ok(true)
    }

    /// Gives the worker, whose block is empty, another one.
    #[cold]
    fn take_block(&self, worker: &mut Worker) -> Result<(), Full> {
        let mut ledger = lock(&self.ledger);
        if let Some(block) = ledger.spare.pop() {
            worker.pass.note().set(block);
            return Ok(());
        }
        let mut room = self.gate.inside(&mut worker.pass, |slots, _| slots.room());
        if ledger.next + BLOCK > room {
            room = self.grow(&ledger)?;
        }
        // At the very end, a shorter block.
        let end = (ledger.next + BLOCK).min(room);
        if end <= ledger.next {
            return Err(Full);
        }
        let bytes = (end - ledger.next) as usize * 8 * W;
        self.budget.charge(bytes)?;
        // Room is at most 7/8 of 2^32, so indices fit.
        let block = ledger.next as u32..end as u32;
        // A block is shorter than any chunk, so the ends are enough.
        let memory = self
            .keys
            .ensure(block.start)
            .and_then(|()| self.keys.ensure(block.end - 1));
        if memory.is_err() {
            self.budget.release(bytes);
            return Err(Full);
        }
        // I4, I2.
        ledger.next = end;
        worker.pass.note().set(block);
        Ok(())
    }

    /// Replaces the slots by more, and tells for how many indices there is room now.
    fn grow(&self, ledger: &Ledger) -> Result<u64, Full> {
        self.gate.alone(|slots, rests| {
            let old = slots.bits();
            let new = if old < 20 { old + 2 } else { old + 1 };
            let (old_bytes, new_bytes) = (slots.bytes(), Slots::bytes_of(new));
            if new > MAX_BITS || self.budget.charge(new_bytes - old_bytes).is_err() {
                slots.stretch();
                return Ok(slots.room());
            }
            // Free first: the keys are enough to make either of the two.
            *slots = Slots::none(old);
            let result = match Slots::new(new) {
                Ok(more) => {
                    *slots = more;
                    Ok(())
                }
                Err(Full) => {
                    self.budget.release(new_bytes - old_bytes);
                    Slots::new(old).map(|same| {
                        *slots = same;
                        slots.stretch();
                    })
                }
            };
            if result.is_err() {
                self.budget.release(old_bytes);
                return Err(Full);
            }
            let holes = ledger
                .spare
                .iter()
                .cloned()
                .chain(rests.map(Rest::range))
                .collect();
            for range in between(ledger.next, holes) {
                self.rebuild(slots, range);
            }
            Ok(slots.room())
        })
    }

    /// Enters keys into new slots, some steps ahead of the cache misses.
    fn rebuild(&self, slots: &mut Slots, range: Range<u32>) {
        const AHEAD: usize = 32;
        let mut hashes = [0; AHEAD];
        let mut start = range.start;
        while start < range.end {
            let count = (range.end - start).min(AHEAD as u32) as usize;
            for (i, h) in hashes.iter_mut().enumerate().take(count) {
                *h = hash(&self.get(start + i as u32));
                slots.prefetch(*h);
            }
            for (i, &h) in hashes.iter().enumerate().take(count) {
                slots.rebuild(h, start + i as u32);
            }
            start += count as u32;
        }
    }
}

impl<const W: usize> Drop for Flat<W> {
    /// Gives its share of the budget back.
    fn drop(&mut self) {
        self.budget.release(self.bytes());
    }
}

/// `0..next` without the holes, ascending.
fn between(next: u64, mut holes: Vec<Range<u32>>) -> Vec<Range<u32>> {
    holes.sort_by_key(|hole| hole.start);
    let mut ranges = Vec::new();
    let mut start = 0;
    for hole in holes {
        if start < hole.start {
            ranges.push(start..hole.start);
        }
        start = start.max(hole.end);
    }
    // Indices are below 7/8 of 2^32.
    if u64::from(start) < next {
        ranges.push(start..next as u32);
    }
    ranges
}

#[cfg(all(test, not(loom)))]
mod tests;
