//! A lock-free set of keys of `W` words, each with a dense index.
//!
//! After the lockless hash table of Laarman, van de Pol and Weber ("Boosting multi-core reachability performance with
//! shared hash tables", FMCAD 2010): open addressing inside cache lines, one compare-and-swap to insert a key, no
//! deletion. The difference is that keys are separate from the hash index. Keys lie in an array in the order of their
//! insertion. This gives every state a number (engines keep their data in arrays by that number, and the queue of a
//! breadth-first search is a range of numbers), allows the index to be rebuilt at a larger size (no table size to
//! guess), and makes a slot four bytes, sixteen to a line, whose tags decide most lookups without access to a key.
//! The representation of keys is a parameter ([`crate::keys`]): as words, or packed.
//!
//! ## Protocol
//! A worker owns a block of indices that no other worker has. To insert a key it writes the key at the first of them,
//! then publishes the index with a compare-and-swap on a free slot. If the swap fails because another worker has
//! inserted the same key, the index stays in the worker's block and is used for its next key. So indices are dense up
//! to the unused ends of the blocks of workers. When a worker is dropped, the rest of its block returns to the table,
//! which assigns it to the next worker that needs a block. With one worker at a time, the indices are `0..len`.
//!
//! When all room is assigned to blocks, the worker that needs another block stops the others at the gate and replaces
//! the hash index: by one four times as large while it is small, and larger by a half otherwise. Every worker that
//! enters next helps to fill it from the keys ([`crate::rehash`]). The old index is freed before, so growth needs no
//! more memory than its result. If there is no memory for that, the load limit of the index is raised, and finally
//! the result is [`Full`].
//!
//! ## Invariants
//! - **I1** Every key is at one index, and the key of an index in a slot was written before (Release of the swap,
//!   Acquire of the load of the slot). The key never changes afterwards.
//! - **I2** An index is in one block of one worker, or in the list of spare blocks, or in one slot.
//! - **I3** The first free index of a worker's block is in its local data at the gate whenever the worker is not
//!   inside.
//! - **I4** No more indices are assigned than the slots have room for.
//! - **I5** A worker reads slots only after all keys were inserted into them again.
//!
//! ## Cost
//! The key's bytes, and 4.3 to 6.4 bytes for its slots in a large table. Finding a key costs two cache misses,
//! inserting one little more than one; [`Flat::find_or_insert_batch`] overlaps those of many keys.
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

/// The result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The key's index.
    pub index: u32,
    /// Was the key inserted by this call?
    pub fresh: bool,
}

/// The unused part of a worker's block, for the worker that replaces the index.
struct Rest {
    next: AtomicU32,
    end: AtomicU32,
}

impl Rest {
    // Relaxed accesses throughout: the gate, or the lock on the blocks, orders them.
    fn range(&self) -> Range<u32> {
        self.next.load(Relaxed)..self.end.load(Relaxed)
    }
    fn set(&self, range: Range<u32>) {
        self.next.store(range.start, Relaxed);
        self.end.store(range.end, Relaxed);
    }
}

/// The hash index, and the keys that must be inserted before it is complete.
struct Index {
    slots: Slots,
    rehash: Rehash,
}

/// The assignment of indices to workers.
struct Blocks {
    /// The first index that was never assigned.
    next: u64,
    /// The unused blocks of dropped workers.
    spare: Vec<Range<u32>>,
}

/// The table. See the module's documentation.
pub(crate) struct Flat<const W: usize, K> {
    keys: K,
    gate: Gate<Index, Rest>,
    /// Locked before the gate is closed, never while inside.
    blocks: SyncArc<Mutex<Blocks>>,
    budget: Arc<Budget>,
}

/// What a thread needs to use the table.
pub(crate) struct Worker<O> {
    handle: GateHandle<Rest>,
    blocks: SyncArc<Mutex<Blocks>>,
    local: O,
    /// Hashes and candidates of the keys of a batch.
    hashes: Vec<u64>,
    candidates: Vec<u32>,
    /// Keys that were not decided by their home line.
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

/// One multiplication to 128 bits, whose halves are added: every bit of the result depends on every bit of the key.
/// The upper bits select the slot, the lower ones are the tag.
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

/// The number of indices that the slots have room for: whole blocks, since each block has one owner.
fn room(slots: &Slots) -> u64 {
    slots.room() >> BLOCK_BITS << BLOCK_BITS
}

impl<const W: usize, K: Keys<W>> Flat<W, K> {
    /// An empty table.
    ///
    /// # Errors
    /// If there is no memory for it.
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

    /// [`Self::find_or_insert`] for several keys, concatenated in `keys`, whose cache misses overlap. The results are
    /// appended to `found`, in the order of the keys.
    ///
    /// # Errors
    /// If there is no room for one of them; there are results for the keys before it.
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

    /// The index of a key, if the table has it.
    pub(crate) fn find(&self, key: &[u64; W], worker: &mut Worker<K::WorkerLocal>) -> Option<u32> {
        let hash = hash(key);
        self.inside(&mut worker.handle, |slots, _| {
            slots.find(hash, |index| self.keys.is(index, key))
        })
    }

    /// The key with that index.
    ///
    /// # Panics
    /// If no key has the index.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> [u64; W] {
        self.keys.get(index)
    }

    /// Prefetches the key with that index.
    #[inline]
    pub(crate) fn prefetch(&self, index: u32) {
        self.keys.prefetch(index);
    }

    /// Prefetches the dictionary entries of the key with that index, if there are any.
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

    /// The first index that was never assigned, and all indices below it without a key. Waits for all workers.
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

    /// Accesses the slots, shared with others, after all keys were inserted into them (I5).
    #[inline]
    fn inside<R>(&self, handle: &mut GateHandle<Rest>, f: impl FnOnce(&Slots, &Rest) -> R) -> R {
        self.gate.shared(handle, |index, rest| {
            index
                .rehash
                .complete(|piece| self.enter_again(&index.slots, piece));
            f(&index.slots, rest)
        })
    }

    /// Finds or inserts a key; `None` if it is new and `rest` is empty.
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

    /// Looks up the keys from `done` on; `false` if a block is needed to continue.
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
        // First the slots of all keys, and prefetches of the keys that they refer to. A batch is short enough that
        // these stay in the cache until they are used.
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
            // If there is no memory for that, the first key that needs it reports so.
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

    /// Assigns another block to the worker, whose block is used up.
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

    /// Replaces the slots by more. Returns the number of indices that there is room for now.
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
            // Free first: either index can be rebuilt from the keys.
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

    /// Inserts keys into new slots, with prefetches some steps ahead.
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
    /// Returns the slots' share of the budget; the keys return their own.
    fn drop(&mut self) {
        let slots = self.gate.exclusive(|index, _| index.slots.bytes());
        self.budget.release(slots);
    }
}

/// `0..next` without the holes, in ascending order.
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
