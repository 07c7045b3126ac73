//! Packed keys: rows of a few bits instead of words.
//!
//! A key of up to 128 bits is stored in one of several *encodings*. The first stores the key itself, in its own
//! number of bits. The others *split* it into two halves that are stored in dictionaries, so that the row is the pair
//! of their numbers, each in the bits that such numbers need at the time: a million states whose halves have twenty
//! thousand and ten thousand values take 29 bits each. This is one level of the tree compression of Laarman, van de
//! Pol and Weber ("Parallel recursive state compression for free", SPIN 2011), with two differences: the number of a
//! child takes 10 to 20 bits and not 32, and the hash of a key is that of its bits and not of its children's numbers.
//! Only new keys look up numbers in the dictionaries, all those of a batch at once; a comparison goes from the
//! numbers to the halves.
//!
//! The best split depends on the model: [`crate::split`] chooses it from the stored keys when the table is replaced
//! by a larger one. So one table has rows of several encodings; the unit is the block of 256 indices that a worker
//! acquires at once. The *descriptor* of a block holds the area of its rows, the number of bits of the two parts of a
//! row, and the encoding. If a number does not fit its part, the block's owner copies the block to a wider one and
//! replaces the descriptor; readers with the old descriptor still find their rows in the old area.
//!
//! ## Invariants
//! - **I1** Only the owner of a block writes to the words of its area. A row that another thread has received does
//!   not change, and a word with such a row changes in the bits of other rows alone.
//! - **I2** A descriptor is published (Release, Acquire) after its area was filled with the known rows; the previous
//!   area never changes again.
//! - **I3** The numbers in a row are in the dictionaries before the row is written.
//! - **I4** An encoding does not change once a block uses it.
//!
//! ## Cost
//! With splitting, 3 to 5 bytes per key on most of the models of BEEM that were tried, where words take 8 or 16. A
//! descriptor takes 8 bytes per 256 keys. Reading takes four dependent loads for the row and two for the halves,
//! mostly from the first and second-level caches.
//!
//! ## Not done
//! Rows of older blocks are not rewritten when a better encoding is chosen: readers take no lock that could exclude
//! them. Halves are not split again: keys that do not compress in one level are stored as they are.

use crate::arena::{Area, Arena};
use crate::chunked::Chunked;
use crate::flat::{self, Flat, Found};
use crate::keys::{BLOCK_BITS, Keys, Words};
use crate::split::{self, Split};
use crate::sync::{AtomicU32, AtomicU64};
use crate::{Budget, Full};
use std::ops::Range;
use std::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, OnceLock};

/// The most encodings of a table.
const ENCODINGS: usize = 3;

/// The numbers of keys at which an encoding is chosen again.
const CHOOSE_AT: [u64; ENCODINGS - 1] = [30_000, 1_000_000];

/// The number of keys that the choice considers.
const SAMPLE_LIMIT: u64 = 120_000;

/// Shorter keys are stored as they are.
const SHORT: u32 = 24;

/// The number of halves in a worker's cache.
const CACHE: usize = 256;

/// A number with this many low bits set, 0 to 64.
#[inline]
fn mask(bits: u32) -> u64 {
    u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}

/// The meaning of the two parts of a row.
struct RowEncoding {
    /// The split of keys.
    split: Split,
    /// The numbers of bits of the parts in a new block.
    bits: [AtomicU32; 2],
    /// The dictionaries of the halves, if the parts are numbers in them; `None` if the parts are the halves.
    halves: Option<[Flat<1, Words<1>>; 2]>,
}

impl RowEncoding {
    /// Do the parts of a row encode that key?
    #[inline]
    fn encodes<const W: usize>(&self, parts: [u64; 2], key: &[u64; W]) -> bool {
        let halves = self.split.halves(key);
        match &self.halves {
            None => parts == halves,
            Some([low, high]) => {
                low.get(parts[0] as u32) == [halves[0]] && high.get(parts[1] as u32) == [halves[1]]
            }
        }
    }
}

/// The place of a half in a worker's cache.
#[inline]
fn cached(half: u64) -> usize {
    (half.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % CACHE
}

/// The fields of a block's descriptor.
#[derive(Clone, Copy)]
struct Format {
    area: Area,
    bits: [u32; 2],
    encoding: usize,
}

impl Format {
    #[inline]
    fn from_word(word: u64) -> Option<Self> {
        (word != 0).then(|| Self {
            area: Area::from_number(word),
            bits: [
                (word >> Area::BITS) as u32 & 127,
                (word >> (Area::BITS + 7)) as u32 & 127,
            ],
            encoding: (word >> (Area::BITS + 14)) as usize - 1,
        })
    }

    fn word(self) -> u64 {
        let bits = u64::from(self.bits[0]) | u64::from(self.bits[1]) << 7;
        self.area.number() | bits << Area::BITS | (self.encoding as u64 + 1) << (Area::BITS + 14)
    }
}

/// Keys of at most `bits` bits in `W` words, one or two.
pub(crate) struct Packed<const W: usize> {
    bits: u32,
    blocks: Chunked<AtomicU64, 1>,
    /// Number of descriptors, for the budget.
    charged: AtomicUsize,
    arena: Arena,
    encodings: [OnceLock<Box<RowEncoding>>; ENCODINGS],
    /// The encoding of new blocks. Changed only when no worker is inside the table.
    current: AtomicUsize,
    /// How often an encoding was chosen.
    choices: AtomicUsize,
    budget: Arc<Budget>,
}

/// A worker's access to dictionaries.
pub(crate) struct WorkerLocal {
    workers: [Option<Box<[flat::Worker<()>; 2]>>; ENCODINGS],
    /// For the current encoding: the numbers of the halves of the keys in a batch whose writes are planned.
    planned: Vec<[u32; 2]>,
    encoding: usize,
    /// The halves of either side to be looked up, the places of their keys in the batch, and the results.
    halves: [Vec<u64>; 2],
    places: [Vec<u32>; 2],
    found: Vec<Found>,
    /// Recently used halves of the encoding, with their numbers plus one, by hash. Successors of a state have halves
    /// in common.
    caches: [[(u64, u32); CACHE]; 2],
    /// The encodings and parts of the keys that were prefetched for comparison.
    prefetched: Vec<(usize, [u64; 2])>,
}

impl<const W: usize> Packed<W> {
    /// Keys whose highest word has at most `highest` bits; the other words have 64.
    pub(crate) fn new(highest: u32, budget: Arc<Budget>) -> Self {
        let bits = 64 * (W as u32 - 1) + highest.clamp(1, 64);
        let parts = [bits.min(64), bits.saturating_sub(64)];
        let split = Split {
            rotation: 0,
            low: parts[0],
            bits,
        };
        Self::with_encoding(split, parts, bits >= SHORT, budget)
    }

    fn with_encoding(
        split: Split,
        parts: [u32; 2],
        choose_encoding: bool,
        budget: Arc<Budget>,
    ) -> Self {
        assert!(W == 1 || W == 2, "keys of one or two words");
        let first = RowEncoding {
            split,
            bits: parts.map(AtomicU32::new),
            halves: None,
        };
        let encodings = std::array::from_fn(|_| OnceLock::new());
        let _ = encodings[0].set(Box::new(first));
        Self {
            bits: split.bits,
            blocks: Chunked::new(),
            charged: AtomicUsize::new(0),
            arena: Arena::new(Arc::clone(&budget)),
            encodings,
            current: AtomicUsize::new(0),
            choices: AtomicUsize::new(if choose_encoding { 0 } else { ENCODINGS }),
            budget,
        }
    }

    #[inline]
    fn format(&self, index: u32) -> Option<Format> {
        let [cell] = self.blocks.row(index >> BLOCK_BITS)?;
        // Acquire: the area is filled (I2).
        Format::from_word(cell.load(Acquire))
    }

    /// The encoding with that number, which exists if a block or a worker refers to it.
    #[inline]
    fn encoding(&self, number: usize) -> &RowEncoding {
        match self.encodings[number].get() {
            Some(encoding) => encoding,
            None => unreachable!("a block of an encoding that does not exist"),
        }
    }

    /// The parts of a row.
    #[inline]
    fn parts(&self, format: &Format, row: u32) -> [u64; 2] {
        let [low, high] = format.bits;
        let at = row * (low + high);
        let first = self.field(format.area, at, low);
        let second = if high == 0 {
            0
        } else {
            self.field(format.area, at + low, high)
        };
        [first, second]
    }

    #[inline]
    fn field(&self, area: Area, at: u32, bits: u32) -> u64 {
        let (word, shift) = (at as usize / 64, at % 64);
        // SAFETY: the area was allocated for `BLOCK` rows of the bits in its descriptor, and `at` is in one of
        // them.
        let (first, second) = unsafe { self.arena.two(area, word) };
        // Relaxed: the reader of the row has synchronised with its writer; other bits of the words do not matter
        // (I1).
        let (first, second) = (first.load(Relaxed), second.load(Relaxed));
        (first >> shift | second << 1 << (63 - shift)) & mask(bits)
    }

    /// Writes the parts of a row, which must fit.
    fn set_parts(&self, format: &Format, row: u32, parts: [u64; 2]) {
        let [low, high] = format.bits;
        let at = row * (low + high);
        for (at, bits, value) in [(at, low, parts[0]), (at + low, high, parts[1])] {
            if bits == 0 {
                continue;
            }
            let (word, shift) = (at as usize / 64, at % 64);
            // SAFETY: as in `field`.
            let (first, second) = unsafe { self.arena.two(format.area, word) };
            // Relaxed loads and stores instead of atomic updates: no other worker writes to this block (I1).
            let old = first.load(Relaxed) & !(mask(bits) << shift);
            first.store(old | value << shift, Relaxed);
            if shift + bits > 64 {
                let done = 64 - shift;
                let old = second.load(Relaxed) & !(mask(bits) >> done);
                second.store(old | value >> done, Relaxed);
            }
        }
    }

    /// An area for a block whose rows have parts of these numbers of bits.
    fn area(&self, bits: [u32; 2]) -> Result<Area, Full> {
        let row = (bits[0] + bits[1]) as usize;
        self.arena.allocate((row << BLOCK_BITS).div_ceil(64))
    }

    /// Copies a block to a wider one with room for the parts, and replaces its descriptor.
    #[cold]
    fn widen(&self, index: u32, format: &mut Format, parts: [u64; 2]) -> Result<(), Full> {
        let encoding = self.encoding(format.encoding);
        let mut bits = format.bits;
        for i in 0..2 {
            bits[i] = bits[i].max(64 - parts[i].leading_zeros());
            // Relaxed: a hint.
            encoding.bits[i].fetch_max(bits[i], Relaxed);
        }
        let wide = Format {
            area: self.area(bits)?,
            bits,
            encoding: format.encoding,
        };
        for row in 0..1 << BLOCK_BITS {
            self.set_parts(&wide, row, self.parts(format, row));
        }
        let [cell] = self.blocks.row(index >> BLOCK_BITS).ok_or(Full)?;
        // Release: I2.
        cell.store(wide.word(), Release);
        *format = wide;
        Ok(())
    }
}

impl Packed<1> {
    /// Keys that are two 32-bit numbers, neither of which is much greater than the number of keys.
    pub(crate) fn pairs(budget: Arc<Budget>) -> Self {
        let split = Split {
            rotation: 0,
            low: 32,
            bits: 64,
        };
        // No other encoding is considered: the numbers are compressed already.
        Self::with_encoding(split, [8, 8], false, budget)
    }
}

impl WorkerLocal {
    /// The parts of a row for these halves.
    fn numbers(
        &mut self,
        number: usize,
        encoding: &RowEncoding,
        halves: [u64; 2],
    ) -> Result<[u64; 2], Full> {
        let Some(tables) = &encoding.halves else {
            return Ok(halves);
        };
        let workers = self.workers[number]
            .get_or_insert_with(|| Box::new([tables[0].worker(), tables[1].worker()]));
        let mut numbers = [0; 2];
        for i in 0..2 {
            let found = tables[i].find_or_insert(&[halves[i]], &mut workers[i])?;
            numbers[i] = u64::from(found.index);
        }
        Ok(numbers)
    }
}

impl<const W: usize> Keys<W> for Packed<W> {
    type WorkerLocal = WorkerLocal;

    fn local(&self) -> WorkerLocal {
        WorkerLocal {
            workers: std::array::from_fn(|_| None),
            planned: Vec::new(),
            encoding: 0,
            halves: [Vec::new(), Vec::new()],
            places: [Vec::new(), Vec::new()],
            found: Vec::new(),
            caches: [[(0, 0); CACHE]; 2],
            prefetched: Vec::new(),
        }
    }

    fn prepare(&self, block: u32) -> Result<(), Full> {
        self.budget.charge(8)?;
        let made = self.blocks.ensure(block).and_then(|()| {
            // Relaxed: the gate orders changes of `current` with everything done inside; the others are hints.
            let number = self.current.load(Relaxed);
            let encoding = self.encoding(number);
            let bits = [0, 1].map(|i| encoding.bits[i].load(Relaxed));
            let area = self.area(bits)?;
            Ok(Format {
                area,
                bits,
                encoding: number,
            })
        });
        match (made, self.blocks.row(block)) {
            (Ok(format), Some([cell])) => {
                // Release: I2.
                cell.store(format.word(), Release);
                self.charged.fetch_add(8, Relaxed);
                Ok(())
            }
            _ => {
                self.budget.release(8);
                Err(Full)
            }
        }
    }

    fn plan_writes(
        &self,
        keys: &[[u64; W]],
        candidates: &[u32],
        local: &mut WorkerLocal,
    ) -> Result<(), Full> {
        // Relaxed: changed only when no worker is inside the table.
        let number = self.current.load(Relaxed);
        let encoding = self.encoding(number);
        local.planned.clear();
        if local.encoding != number {
            local.encoding = number;
            local.caches = [[(0, 0); CACHE]; 2];
        }
        let Some(tables) = &encoding.halves else {
            return Ok(());
        };
        let workers = local.workers[number]
            .get_or_insert_with(|| Box::new([tables[0].worker(), tables[1].worker()]));
        local.planned.resize(keys.len(), [u32::MAX; 2]);
        local.places.iter_mut().for_each(Vec::clear);
        local.halves.iter_mut().for_each(Vec::clear);
        for (place, (key, &candidate)) in keys.iter().zip(candidates).enumerate() {
            if candidate == u32::MAX {
                let halves = encoding.split.halves(key);
                for (i, half) in halves.into_iter().enumerate() {
                    let known = local.caches[i][cached(half)];
                    if known.0 == half && known.1 != 0 {
                        local.planned[place][i] = known.1 - 1;
                    } else {
                        local.halves[i].push(half);
                        local.places[i].push(place as u32);
                    }
                }
            }
        }
        for i in 0..2 {
            local.found.clear();
            tables[i].find_or_insert_batch(&local.halves[i], &mut workers[i], &mut local.found)?;
            for ((&place, &half), found) in local.places[i]
                .iter()
                .zip(&local.halves[i])
                .zip(&local.found)
            {
                local.planned[place as usize][i] = found.index;
                // Numbers are below 31/32 of 2^32.
                local.caches[i][cached(half)] = (half, found.index + 1);
            }
        }
        Ok(())
    }

    fn write(
        &self,
        index: u32,
        key: &[u64; W],
        place: Option<usize>,
        local: &mut WorkerLocal,
    ) -> Result<(), Full> {
        let mut format = self.format(index).ok_or(Full)?;
        let planned = (place.filter(|_| local.encoding == format.encoding))
            .and_then(|place| local.planned.get(place))
            .filter(|numbers| !numbers.contains(&u32::MAX));
        // I3.
        let parts = match planned {
            Some(numbers) => numbers.map(u64::from),
            None => {
                let encoding = self.encoding(format.encoding);
                local.numbers(format.encoding, encoding, encoding.split.halves(key))?
            }
        };
        if (0..2).any(|i| parts[i] & !mask(format.bits[i]) != 0) {
            self.widen(index, &mut format, parts)?;
        }
        self.set_parts(&format, index & mask(BLOCK_BITS) as u32, parts);
        Ok(())
    }

    #[inline]
    fn is(&self, index: u32, key: &[u64; W]) -> bool {
        self.format(index).is_some_and(|format| {
            let parts = self.parts(&format, index & mask(BLOCK_BITS) as u32);
            self.encoding(format.encoding).encodes(parts, key)
        })
    }

    #[inline]
    fn prefetch_for_compare(&self, indices: &[u32], local: &mut WorkerLocal) {
        local.prefetched.clear();
        local.prefetched.extend(indices.iter().map(|&index| {
            let Some(format) = (index != u32::MAX).then(|| self.format(index)).flatten() else {
                return (usize::MAX, [0; 2]);
            };
            let parts = self.parts(&format, index & mask(BLOCK_BITS) as u32);
            if let Some([low, high]) = &self.encoding(format.encoding).halves {
                low.prefetch(parts[0] as u32);
                high.prefetch(parts[1] as u32);
            }
            (format.encoding, parts)
        }));
    }

    #[inline]
    fn is_prefetched(&self, _: u32, place: usize, key: &[u64; W], local: &WorkerLocal) -> bool {
        let (encoding, parts) = local.prefetched[place];
        encoding != usize::MAX && self.encoding(encoding).encodes(parts, key)
    }

    #[inline]
    fn get(&self, index: u32) -> [u64; W] {
        let Some(format) = self.format(index) else {
            panic!("no key has index {index}");
        };
        let encoding = self.encoding(format.encoding);
        let parts = self.parts(&format, index & mask(BLOCK_BITS) as u32);
        encoding.split.join(match &encoding.halves {
            None => parts,
            Some([low, high]) => [low.get(parts[0] as u32)[0], high.get(parts[1] as u32)[0]],
        })
    }

    fn each(&self, range: Range<u32>, mut visit: impl FnMut(u32, &[u64; W])) {
        let mut parts = [[0; 2]; 1 << BLOCK_BITS];
        let mut index = range.start;
        while index < range.end {
            let block = index >> BLOCK_BITS;
            let end = u64::from(block + 1) << BLOCK_BITS;
            let end = end.min(u64::from(range.end)) as u32;
            let Some(format) = self.format(index) else {
                panic!("no key has index {index}");
            };
            let encoding = self.encoding(format.encoding);
            // All numbers first, so that the cache misses on halves overlap.
            let count = (end - index) as usize;
            let first = index & mask(BLOCK_BITS) as u32;
            for (row, parts) in (first..).zip(&mut parts[..count]) {
                *parts = self.parts(&format, row);
                if let Some([low, high]) = &encoding.halves {
                    low.prefetch(parts[0] as u32);
                    high.prefetch(parts[1] as u32);
                }
            }
            for (index, parts) in (index..).zip(&parts[..count]) {
                let halves = match &encoding.halves {
                    None => *parts,
                    Some([low, high]) => {
                        [low.get(parts[0] as u32)[0], high.get(parts[1] as u32)[0]]
                    }
                };
                visit(index, &encoding.split.join(halves));
            }
            index = end;
        }
    }

    #[inline]
    fn prefetch(&self, index: u32) {
        if let Some(format) = self.format(index) {
            let at = (index & mask(BLOCK_BITS) as u32) * (format.bits[0] + format.bits[1]);
            self.arena.prefetch(format.area, at as usize / 64);
        }
    }

    #[inline]
    fn prefetch_halves(&self, index: u32) {
        if let Some(format) = self.format(index)
            && let Some([low, high]) = &self.encoding(format.encoding).halves
        {
            let parts = self.parts(&format, index & mask(BLOCK_BITS) as u32);
            low.prefetch(parts[0] as u32);
            high.prefetch(parts[1] as u32);
        }
    }

    fn choose_encoding(&self, indices: &[Range<u32>]) {
        let count: u64 = indices.iter().map(|r| r.len() as u64).sum();
        // Relaxed: no other worker is inside the table.
        let choices = self.choices.load(Relaxed);
        if choices >= CHOOSE_AT.len() || count < CHOOSE_AT[choices] {
            return;
        }
        self.choices.store(choices + 1, Relaxed);
        let current = self.current.load(Relaxed);
        let present = self.encoding(current);
        let present = present.halves.as_ref().map(|_| present.split);
        // A sample of the blocks.
        let stride = count.div_ceil(SAMPLE_LIMIT) as u32;
        let some: Vec<Range<u32>> = (indices.iter().cloned())
            .flat_map(|range| {
                let blocks = range.start >> BLOCK_BITS..=(range.end - 1) >> BLOCK_BITS;
                blocks.filter(|b| b % stride == 0).map(move |block| {
                    let start = block << BLOCK_BITS;
                    start.max(range.start)..(start + (1 << BLOCK_BITS)).min(range.end)
                })
            })
            .collect();
        let keys = |visit: &mut dyn FnMut(u128)| {
            for range in &some {
                self.each(range.clone(), |_, key| visit(split::number(key)));
            }
        };
        let count = some.iter().map(|r| r.len() as u64).sum();
        let Some(chosen) = split::choose(self.bits, count, present, &keys) else {
            return;
        };
        // There is room for another encoding, since each choice adds at most one. If there is no memory for its
        // dictionaries, nothing changes.
        let dictionary = || {
            let budget = Arc::clone(&self.budget);
            Flat::new(Words::new(Arc::clone(&budget)), budget)
        };
        if let (Ok(low), Ok(high)) = (dictionary(), dictionary()) {
            let encoding = RowEncoding {
                split: chosen,
                bits: [AtomicU32::new(8), AtomicU32::new(8)],
                halves: Some([low, high]),
            };
            if self.encodings[current + 1].set(Box::new(encoding)).is_ok() {
                self.current.store(current + 1, Relaxed);
            }
        }
    }

    fn bytes(&self) -> usize {
        let dictionaries = (self.encodings.iter())
            .filter_map(|encoding| encoding.get()?.halves.as_ref())
            .flatten()
            .map(Flat::bytes);
        self.arena.bytes() + self.charged.load(Relaxed) + dictionaries.sum::<usize>()
    }
}

impl<const W: usize> Drop for Packed<W> {
    /// Returns its share of the budget; arena and dictionaries do so themselves.
    fn drop(&mut self) {
        self.budget.release(self.charged.load(Relaxed));
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
