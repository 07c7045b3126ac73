//! Words in areas of any length that never move: the memory of packed keys.
//!
//! Areas are allocated one after the other from chunks of doubling size. Each chunk is zeroed memory that is mapped
//! when first touched, so that the unused end of the last chunk costs nothing. Areas are freed only with the arena.
//!
//! ## Invariants
//! - **I1** A pointer changes once, from null to a zeroed chunk of `(FIRST << k) + 1` words, and the chunk lives as
//!   long as the arena. The last word belongs to no area.
//! - **I2** An [`Area`] lies within a chunk that exists, without its last word.

use crate::memory::{allocate, free, prefetch, touch};
use crate::sync::{AtomicPtr, AtomicU64, Mutex, lock};
use crate::{Budget, Full};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Binary logarithm of the number of words of the first chunk.
#[cfg(not(all(loom, test)))]
const FIRST_BITS: u32 = 14;
#[cfg(all(loom, test))]
const FIRST_BITS: u32 = 3;

/// Enough for 2^36 words.
const CHUNKS: usize = 36 - FIRST_BITS as usize;

/// The position of an area: its chunk and its first word there, in 42 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area(u64);

const OFFSET_BITS: u32 = 36;

impl Area {
    pub(crate) const BITS: u32 = OFFSET_BITS + 6;

    /// The area with the number that [`Self::number`] returned.
    #[inline]
    pub(crate) fn from_number(number: u64) -> Self {
        Self(number & ((1 << Self::BITS) - 1))
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

/// The position of the next allocation.
struct Next {
    chunk: usize,
    offset: usize,
    /// All words allocated so far, for the budget.
    words: usize,
}

pub(crate) struct Arena {
    chunks: [AtomicPtr<AtomicU64>; CHUNKS],
    next: Mutex<Next>,
    budget: Arc<Budget>,
}

const fn size(chunk: usize) -> usize {
    1 << (chunk as u32 + FIRST_BITS)
}

impl Arena {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self {
            chunks: std::array::from_fn(|_| AtomicPtr::new(std::ptr::null_mut())),
            next: Mutex::new(Next {
                chunk: 0,
                offset: 0,
                words: 0,
            }),
            budget,
        }
    }

    /// A new area of zeros, not longer than the first chunk.
    pub(crate) fn allocate(&self, words: usize) -> Result<Area, Full> {
        let mut next = lock(&self.next);
        let (mut chunk, mut offset) = (next.chunk, next.offset);
        if offset + words > size(chunk) {
            (chunk, offset) = (chunk + 1, 0);
        }
        if chunk >= CHUNKS || words > size(0) {
            return Err(Full);
        }
        self.budget.charge(words * 8)?;
        // Relaxed: written under the lock only.
        if self.chunks[chunk].load(Relaxed).is_null() {
            let memory = allocate::<AtomicU64>(size(chunk) + 1);
            if memory.is_null() {
                self.budget.release(words * 8);
                return Err(Full);
            }
            // Release: a thread that sees the pointer sees the zeros.
            self.chunks[chunk].store(memory, Release);
        }
        (next.chunk, next.offset) = (chunk, offset + words);
        next.words += words;
        // Relaxed: written under the lock.
        let memory = self.chunks[chunk].load(Relaxed);
        // SAFETY: by I2 the words are in the chunk, and they are allocated once, to the caller.
        unsafe { touch(memory.wrapping_add(offset), words) };
        Ok(Area((chunk as u64) << OFFSET_BITS | offset as u64))
    }

    pub(crate) fn bytes(&self) -> usize {
        lock(&self.next).words * 8
    }

    /// The address of a word of an area.
    #[inline]
    fn address(&self, area: Area, word: usize) -> *const AtomicU64 {
        let chunk = (area.0 >> OFFSET_BITS) as usize;
        let offset = (area.0 & ((1 << OFFSET_BITS) - 1)) as usize;
        // Acquire: pairs with the publication of the chunk.
        let memory = self.chunks[chunk].load(Acquire);
        memory.wrapping_add(offset + word)
    }

    /// Two adjacent words of an area; the second may be the word after its end.
    ///
    /// # Safety
    /// The area was allocated by this arena with more than `word` words.
    #[inline]
    pub(crate) unsafe fn two(&self, area: Area, word: usize) -> (&AtomicU64, &AtomicU64) {
        let address = self.address(area, word);
        // SAFETY: by I2 the word is in a chunk, and the one after it too, if only as its last (I1). Chunks
        // live as long as `self`, and their words are initialised.
        unsafe { (&*address, &*address.add(1)) }
    }

    #[inline]
    pub(crate) fn prefetch(&self, area: Area, word: usize) {
        prefetch(self.address(area, word));
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.budget.release(self.bytes());
        for (chunk, pointer) in self.chunks.iter().enumerate() {
            let memory = pointer.load(Acquire);
            if !memory.is_null() {
                // SAFETY: by I1 allocated with that count; `&mut self` shows that there is no other user.
                unsafe { free(memory, size(chunk) + 1) };
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn areas_are_apart_and_keep_what_was_written() {
        let budget = Arc::new(Budget::unlimited());
        let arena = Arena::new(Arc::clone(&budget));
        let areas: Vec<(Area, usize)> = (1..600)
            .map(|words| (arena.allocate(words).unwrap(), words))
            .collect();
        for (i, &(area, words)) in areas.iter().enumerate() {
            assert_eq!(Area::from_number(area.number() | 1 << Area::BITS), area);
            for word in 0..words {
                // SAFETY: allocated with `words` words.
                let (cell, _) = unsafe { arena.two(area, word) };
                assert_eq!(cell.swap(i as u64 + 1, Relaxed), 0);
            }
        }
        for (i, &(area, words)) in areas.iter().enumerate() {
            for word in 0..words {
                // SAFETY: as above.
                let (cell, _) = unsafe { arena.two(area, word) };
                assert_eq!(cell.load(Relaxed), i as u64 + 1);
            }
        }
        let words: usize = (1..600).sum();
        assert_eq!((arena.bytes(), budget.used()), (words * 8, words * 8));
        assert_eq!(arena.allocate(1 << 20), Err(Full));
        drop(arena);
        assert_eq!(budget.used(), 0);
    }
}
