//! An array that grows and never moves: chunks of doubling size behind atomic pointers.
//!
//! Element `i` lies in the chunk numbered by the highest bit of `i + FIRST`. So an access takes a bit count and the
//! load of a pointer that stays in the first-level cache (there are at most 21 of them). Chunks are zeroed memory
//! that is mapped when first touched, so the unused half of the last one costs nothing.
//!
//! ## Invariants
//! - **I1** A pointer changes once, from null to a zeroed chunk of `FIRST << k` elements, and the chunk lives as long
//!   as the array.

use crate::Full;
use crate::memory::{Zeroable, allocate, free, prefetch};
use crate::sync::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Release};

/// Binary logarithm of the number of elements of the first chunk.
#[cfg(not(all(loom, test)))]
const FIRST_BITS: u32 = 12;
#[cfg(all(loom, test))]
const FIRST_BITS: u32 = 1;

/// Enough for every `u32`.
const CHUNKS: usize = 33 - FIRST_BITS as usize;

/// The array; its elements are rows of `W` cells.
pub(crate) struct Chunked<A: Zeroable, const W: usize> {
    chunks: [AtomicPtr<A>; CHUNKS],
}

/// The chunk of an index, and the position in it.
#[inline]
fn place(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + (1 << FIRST_BITS);
    let chunk = shifted.ilog2();
    (
        (chunk - FIRST_BITS) as usize,
        (shifted - (1 << chunk)) as usize,
    )
}

impl<A: Zeroable, const W: usize> Chunked<A, W> {
    pub(crate) fn new() -> Self {
        Self {
            chunks: std::array::from_fn(|_| AtomicPtr::new(std::ptr::null_mut())),
        }
    }

    /// Allocates the chunk of the row, unless it exists.
    pub(crate) fn ensure(&self, index: u32) -> Result<(), Full> {
        let (chunk, _) = place(index);
        // Acquire: as in `row`.
        if !self.chunks[chunk].load(Acquire).is_null() {
            return Ok(());
        }
        let count = W << (chunk as u32 + FIRST_BITS);
        let memory = allocate::<A>(count);
        if memory.is_null() {
            return Err(Full);
        }
        // Release: a thread that sees the pointer sees the zeros. The loser of a race only learns that the pointer
        // exists, and loads it again with Acquire.
        let null = std::ptr::null_mut();
        if self.chunks[chunk]
            .compare_exchange(null, memory, Release, Acquire)
            .is_err()
        {
            // SAFETY: just allocated with this count, and not published.
            unsafe { free(memory, count) };
        }
        Ok(())
    }

    /// The row, if its chunk exists.
    #[inline]
    pub(crate) fn row(&self, index: u32) -> Option<&[A; W]> {
        let (chunk, offset) = place(index);
        // Acquire: pairs with the publication in `ensure`.
        let memory = self.chunks[chunk].load(Acquire);
        if memory.is_null() {
            return None;
        }
        // SAFETY: by I1 the chunk has `W << (chunk + FIRST_BITS)` cells, `offset` is below
        // `1 << (chunk + FIRST_BITS)`, the cells are initialised, and live as long as `self`.
        // `[A; W]` is aligned as `A`.
        Some(unsafe { &*memory.add(offset * W).cast::<[A; W]>() })
    }

    /// Asks the processor to fetch the row.
    #[inline]
    pub(crate) fn prefetch(&self, index: u32) {
        let (chunk, offset) = place(index);
        // Relaxed would be enough: the address is only a hint.
        let memory = self.chunks[chunk].load(Acquire);
        prefetch(memory.wrapping_add(offset * W));
    }
}

impl<A: Zeroable, const W: usize> Drop for Chunked<A, W> {
    fn drop(&mut self) {
        for (chunk, pointer) in self.chunks.iter().enumerate() {
            // Acquire: as in `row`; `&mut self` makes more unnecessary.
            let memory = pointer.load(Acquire);
            if !memory.is_null() {
                // SAFETY: by I1 allocated with that count; `&mut self` shows that there is no other user.
                unsafe { free(memory, W << (chunk as u32 + FIRST_BITS)) };
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::AtomicU64;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn places_are_consecutive_and_cover_all_indices() {
        let mut expected = (0, 0);
        for index in 0..100_000 {
            assert_eq!(place(index), expected);
            expected.1 += 1;
            if expected.1 == 1 << (expected.0 as u32 + FIRST_BITS) {
                expected = (expected.0 + 1, 0);
            }
        }
        assert!(place(u32::MAX).0 < CHUNKS);
    }

    #[test]
    fn rows_keep_what_was_written() {
        let array: Chunked<AtomicU64, 3> = Chunked::new();
        assert!(array.row(5).is_none());
        for index in 0..20_000u32 {
            array.ensure(index).unwrap();
            for (j, cell) in array.row(index).unwrap().iter().enumerate() {
                assert_eq!(cell.load(Relaxed), 0);
                cell.store(u64::from(index) * 3 + j as u64, Relaxed);
            }
        }
        for index in 0..20_000u32 {
            for (j, cell) in array.row(index).unwrap().iter().enumerate() {
                assert_eq!(cell.load(Relaxed), u64::from(index) * 3 + j as u64);
            }
        }
    }
}
