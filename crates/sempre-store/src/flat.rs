//! A lock-free set of keys of `W` words, each with a dense index.
//!
//! After the lockless hash table of Laarman, van de Pol and Weber ("Boosting multi-core reachability
//! performance with shared hash tables", FMCAD 2010): open addressing inside cache lines, one
//! compare-and-swap to enter a key, no deletion. Ours differs in keeping keys apart from the hash index: keys
//! lie in an array in the order of their insertion, which gives every state a number (engines keep their data
//! in arrays by that number, a breadth-first search needs no queue but a range of numbers), lets the
//! index be rebuilt at a larger size (no table size to guess), and makes a slot four bytes, sixteen to a
//! line, whose tags answer most questions without a look at a key. How keys are kept is another's
//! concern ([`crate::keys`]): as words, or packed.
//!
//! ## Protocol
//! A worker owns a block of indices that no other has. To enter a key it writes the key at the first of them,
//! then publishes the index with a compare-and-swap on a free slot. If the swap fails and the faster one had
//! the same key, the index stays in the worker's block and serves its next key. So indices are dense up
//! to the unused ends of the blocks of workers, which go back to the table when a worker is dropped and
//! are given to the next that asks. With one worker at a time, the indices are `0..len`.
//!
//! When all room is promised to blocks, the worker that asks for one more stops the others at the gate
//! and replaces the hash index, by one four times as large while it is small, and larger by a half when it is
//! not. Whoever enters next helps to fill it from the keys ([`crate::rehash`]). The old one is freed before,
//! so growth needs no more memory than its result. When there is no memory for that,
//! the index is filled further, and finally [`Full`] is the answer.
//!
//! ## Invariants
//! - **I1** Every key is at one index, and an index in a slot has its key written before (Release of the swap,
//!   Acquire of the load of the slot). The key never changes afterwards.
//! - **I2** An index is in one block of one worker, or in the list of spare blocks, or in one slot.
//! - **I3** The first free index of a worker's block is in its note at the gate whenever it is not inside.
//! - **I4** No more indices are promised than the slots have room for.
//! - **I5** A worker looks at slots only after all keys were entered into them again.
//!
//! ## Cost
//! The key's bytes, and 4.3 to 6.4 bytes for its slots in a large table. A key that is there costs two cache misses, a new one
//! little more than one; [`Flat::find_or_insert_batch`] overlaps those of many keys.
//!
//! ## Not done
//! No deletion.

use crate::budget::{Budget, Full};
use crate::gate::{Gate, GateHandle};
use crate::keys::{BLOCK, BLOCK_BITS, Keys};
use crate::rehash::Rehash;
use crate::slots::{self, Candidate, MIN_LINES, Place, Slots};
use crate::sync::{AtomicU32, Mutex, SyncArc, lock};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// How far ahead of its use a slot is fetched.
const AHEAD_SLOT: usize = 32;

/// The answer about one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The key's index.
    pub index: u32,
    /// It was not there before.
    pub fresh: bool,
}

/// What is left of a worker's block, for whoever replaces the index.
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

/// The hash index, and the work that is left before it is one.
struct Index {
    slots: Slots,
    rehash: Rehash,
}

/// Who has which indices.
struct Blocks {
    /// The first index never promised.
    next: u64,
    /// What dropped workers left.
    spare: Vec<Range<u32>>,
}

/// The table. See the module's documentation.
pub(crate) struct Flat<const W: usize, K> {
    keys: K,
    gate: Gate<Index, Rest>,
    /// Locked before the gate is closed, never from inside.
    blocks: SyncArc<Mutex<Blocks>>,
    budget: Arc<Budget>,
}

/// What a thread needs to use the table.
pub(crate) struct Worker<O> {
    handle: GateHandle<Rest>,
    blocks: SyncArc<Mutex<Blocks>>,
    local: O,
    /// Hashes and guesses of the keys of a batch.
    hashes: Vec<u64>,
    candidates: Vec<u32>,
    /// Those for which the key's line did not suffice.
    later: Vec<usize>,
}

impl<O> Drop for Worker<O> {
    fn drop(&mut self) {
        let mut blocks = lock(&self.blocks);
        let rest = self.handle.local().range();
        if !rest.is_empty() {
            // I2: from the worker to the list, under the lock.
            self.handle.local().set(0..0);
            blocks.spare.push(rest);
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

/// For how many indices there is room in the slots: whole blocks, for each block has one owner.
fn room(slots: &Slots) -> u64 {
    slots.room() >> BLOCK_BITS << BLOCK_BITS
}

impl<const W: usize, K: Keys<W>> Flat<W, K> {
    /// An empty table.
    ///
    /// # Errors
    /// If there is no memory even for that.
    pub(crate) fn new(keys: K, budget: Arc<Budget>) -> Result<Self, Full> {
        budget.charge(Slots::bytes_of(MIN_LINES))?;
        let slots = match Slots::new(MIN_LINES) {
            Ok(slots) => slots,
            Err(Full) => {
                budget.release(Slots::bytes_of(MIN_LINES));
                return Err(Full);
            }
        };
        Ok(Self {
            keys,
            gate: Gate::new(Index {
                slots,
                rehash: Rehash::none(),
            }),
            blocks: SyncArc::new(Mutex::new(Blocks {
                next: 0,
                spare: Vec::new(),
            })),
            budget,
        })
    }

    /// A new worker.
    pub(crate) fn worker(&self) -> Worker<K::WorkerLocal> {
        Worker {
            handle: self.gate.register(Rest {
                next: AtomicU32::new(0),
                end: AtomicU32::new(0),
            }),
            blocks: SyncArc::clone(&self.blocks),
            local: self.keys.local(),
            hashes: Vec::new(),
            candidates: Vec::new(),
            later: Vec::new(),
        }
    }

    /// The index of a key, and whether it is new.
    ///
    /// # Errors
    /// If it is new and there is no room for it.
    ///
    /// # Panics
    /// If the worker is of another table.
    pub(crate) fn find_or_insert(
        &self,
        key: &[u64; W],
        worker: &mut Worker<K::WorkerLocal>,
    ) -> Result<Found, Full> {
        let hash = hash(key);
        loop {
            let local = &mut worker.local;
            let found = self.inside(&mut worker.handle, |slots, rest| {
                let mut range = rest.range();
                let found = self.enter(slots, key, hash, None, &mut range, local);
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
    pub(crate) fn find_or_insert_batch(
        &self,
        keys: &[u64],
        worker: &mut Worker<K::WorkerLocal>,
        found: &mut Vec<Found>,
    ) -> Result<(), Full> {
        let (keys, rest) = keys.as_chunks::<W>();
        assert!(rest.is_empty(), "a key is cut off");
        found.reserve(keys.len());
        let mut hashes = std::mem::take(&mut worker.hashes);
        let mut candidates = std::mem::take(&mut worker.candidates);
        hashes.clear();
        hashes.extend(keys.iter().map(hash));
        candidates.clear();
        candidates.resize(keys.len(), u32::MAX);
        let (mut guessed, mut done) = (false, 0);
        let result = loop {
            let (local, later) = (&mut worker.local, &mut worker.later);
            let outcome = self.inside(&mut worker.handle, |slots, rest| {
                let mut range = rest.range();
                let outcome = self.enter_batch(
                    slots,
                    keys,
                    &hashes,
                    &mut candidates,
                    later,
                    &mut guessed,
                    &mut done,
                    &mut range,
                    local,
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
        worker.candidates = candidates;
        result
    }

    /// The index of a key, if it is there.
    pub(crate) fn find(&self, key: &[u64; W], worker: &mut Worker<K::WorkerLocal>) -> Option<u32> {
        let hash = hash(key);
        self.inside(&mut worker.handle, |slots, _| {
            slots.find(hash, |index| self.keys.is(index, key))
        })
    }

    /// The key with that index.
    ///
    /// # Panics
    /// If the index was never given out.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> [u64; W] {
        self.keys.get(index)
    }

    /// Asks the processor for the key with that index.
    #[inline]
    pub(crate) fn prefetch(&self, index: u32) {
        self.keys.prefetch(index);
    }

    /// Asks the processor for what the key with that index refers to, if there is one.
    #[inline]
    pub(crate) fn prefetch_halves(&self, index: u32) {
        self.keys.prefetch_halves(index);
    }

    #[cfg(all(test, not(loom)))]
    pub(crate) fn keys(&self) -> &K {
        &self.keys
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> u64 {
        let (next, holes) = self.holes();
        next - holes.iter().map(|r| r.len() as u64).sum::<u64>()
    }

    /// Indices that have a key, in ascending ranges.
    pub(crate) fn indices(&self) -> Vec<Range<u32>> {
        let (next, holes) = self.holes();
        between(next, holes)
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let blocks = lock(&self.blocks);
        let slots = self.gate.exclusive(|index, _| index.slots.bytes());
        drop(blocks);
        slots + self.keys.bytes()
    }

    /// The first index never promised, and all those below it without a key. Waits for all workers.
    fn holes(&self) -> (u64, Vec<Range<u32>>) {
        let blocks = lock(&self.blocks);
        let holes = self.gate.exclusive(|_, rests| {
            blocks
                .spare
                .iter()
                .cloned()
                .chain(rests.map(Rest::range))
                .collect()
        });
        (blocks.next, holes)
    }

    /// Uses the slots together with others, all keys being in them (I5).
    #[inline]
    fn inside<R>(&self, handle: &mut GateHandle<Rest>, f: impl FnOnce(&Slots, &Rest) -> R) -> R {
        self.gate.shared(handle, |index, rest| {
            index
                .rehash
                .complete(|piece| self.enter_again(&index.slots, piece));
            f(&index.slots, rest)
        })
    }

    /// Finds or enters a key; `None` if it is new and `rest` is empty.
    #[inline]
    fn enter(
        &self,
        slots: &Slots,
        key: &[u64; W],
        hash: u64,
        place: Option<usize>,
        rest: &mut Range<u32>,
        local: &mut K::WorkerLocal,
    ) -> Result<Option<Found>, Full> {
        if slots.is_none() {
            return Err(Full);
        }
        let index = rest.start;
        let mut written = Ok(());
        let outcome = slots.find_or_insert(
            hash,
            |index| self.keys.is(index, key),
            || {
                if rest.start == rest.end {
                    return None;
                }
                // Published by the swap on the slot (I1).
                written = self.keys.write(index, key, place, local);
                written.is_ok().then_some(index)
            },
        );
        written?;
        Ok(match outcome {
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
        candidates: &mut [u32],
        later: &mut Vec<usize>,
        guessed: &mut bool,
        done: &mut usize,
        rest: &mut Range<u32>,
        local: &mut K::WorkerLocal,
        found: &mut Vec<Found>,
    ) -> Result<bool, Full> {
        if slots.is_none() {
            return Err(Full);
        }
        // First all slots, with the keys that they lead to on their way; a batch is not so long that they would
        // leave the cache before they are used.
        if !*guessed {
            *guessed = true;
            for &hash in hashes.iter().take(AHEAD_SLOT) {
                slots.prefetch(hash);
            }
            for i in 0..keys.len() {
                if let Some(&hash) = hashes.get(i + AHEAD_SLOT) {
                    slots.prefetch(hash);
                }
                match slots.candidate(hashes[i], false) {
                    Candidate::Index(index) => {
                        candidates[i] = index;
                        self.keys.prefetch(index);
                    }
                    Candidate::New => {}
                    Candidate::Later => later.push(i),
                }
            }
            for i in later.drain(..) {
                if let Candidate::Index(index) = slots.candidate(hashes[i], true) {
                    candidates[i] = index;
                    self.keys.prefetch(index);
                }
            }
            // Without memory for that, the first key that needs some will say so.
            let _ = self.keys.plan_writes(keys, candidates, local);
            self.keys.prefetch_for_compare(candidates, local);
        }
        while *done < keys.len() {
            let i = *done;
            if candidates[i] != u32::MAX
                && self.keys.is_prefetched(candidates[i], i, &keys[i], local)
            {
                found.push(Found {
                    index: candidates[i],
                    fresh: false,
                });
            } else {
                match self.enter(slots, &keys[i], hashes[i], Some(i), rest, local)? {
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
    fn take_block(&self, worker: &mut Worker<K::WorkerLocal>) -> Result<(), Full> {
        let mut blocks = lock(&self.blocks);
        if let Some(block) = blocks.spare.pop() {
            worker.handle.local().set(block);
            return Ok(());
        }
        let mut limit = (self.gate).shared(&mut worker.handle, |index, _| room(&index.slots));
        if blocks.next + BLOCK > limit {
            limit = self.grow(&blocks)?;
        }
        let end = blocks.next + BLOCK;
        if end > limit {
            return Err(Full);
        }
        self.keys.prepare((blocks.next >> BLOCK_BITS) as u32)?;
        // Room is at most 31/32 of 2^32, so indices fit.
        let block = blocks.next as u32..end as u32;
        // I4, I2.
        blocks.next = end;
        worker.handle.local().set(block);
        Ok(())
    }

    /// Replaces the slots by more, and tells for how many indices there is room now.
    fn grow(&self, blocks: &Blocks) -> Result<u64, Full> {
        self.gate.exclusive(|index, rests| {
            let holes = blocks
                .spare
                .iter()
                .cloned()
                .chain(rests.map(Rest::range))
                .collect();
            let indices = between(blocks.next, holes);
            self.keys.choose_encoding(&indices);
            let slots = &mut index.slots;
            let old = slots.lines();
            let new = slots::next_size(old);
            let (old_bytes, new_bytes) = (slots.bytes(), Slots::bytes_of(new));
            if new == old || self.budget.charge(new_bytes - old_bytes).is_err() {
                slots.raise_load_limit();
                return Ok(room(slots));
            }
            // Free first: the keys are enough to make either of the two.
            *slots = Slots::none(old);
            let result = match Slots::new(new) {
                Ok(next_size) => {
                    *slots = next_size;
                    Ok(())
                }
                Err(Full) => {
                    self.budget.release(new_bytes - old_bytes);
                    Slots::new(old).map(|same| {
                        *slots = same;
                        slots.raise_load_limit();
                    })
                }
            };
            if result.is_err() {
                self.budget.release(old_bytes);
                return Err(Full);
            }
            index.rehash = Rehash::new(indices);
            Ok(room(slots))
        })
    }

    /// Enters keys of new slots, some steps ahead of the cache misses.
    fn enter_again(&self, slots: &Slots, indices: Range<u32>) {
        const AHEAD: usize = 32;
        let mut waiting = [(0, 0); AHEAD];
        let mut count = 0;
        self.keys.each(indices, |index, key| {
            let hash = hash(key);
            slots.prefetch(hash);
            let (hash, index) = std::mem::replace(&mut waiting[count % AHEAD], (hash, index));
            if count >= AHEAD {
                slots.enter_again(hash, index);
            }
            count += 1;
        });
        for i in count.saturating_sub(AHEAD)..count {
            let (hash, index) = waiting[i % AHEAD];
            slots.enter_again(hash, index);
        }
    }
}

impl<const W: usize, K> Drop for Flat<W, K> {
    /// Gives the slots' share of the budget back; the keys have their own.
    fn drop(&mut self) {
        let slots = self.gate.exclusive(|index, _| index.slots.bytes());
        self.budget.release(slots);
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
    // Indices are below 31/32 of 2^32.
    if u64::from(start) < next {
        ranges.push(start..next as u32);
    }
    ranges
}

#[cfg(all(test, not(loom)))]
mod tests;
