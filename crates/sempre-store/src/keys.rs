//! The keys of a flat table by their indices: the interface to the table, and plain words as its simplest
//! implementation.
//!
//! Plain words serve where keys are few or read often; states of a search are packed ([`crate::packed`]).

use crate::chunked::Chunked;
use crate::sync::AtomicU64;
use crate::{Budget, Full};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Binary logarithm of the number of indices that a worker acquires at once: a *block*.
#[cfg(not(all(loom, test)))]
pub(crate) const BLOCK_BITS: u32 = 8;
#[cfg(all(loom, test))]
pub(crate) const BLOCK_BITS: u32 = 1;
pub(crate) const BLOCK: u64 = 1 << BLOCK_BITS;

/// Keys by index, read by all workers and written by the worker that owns the index's block.
///
/// The table guarantees: a block has room ([`Keys::prepare`]) before one of its indices is used. At any time at most
/// one worker writes in a block, and the writes of one worker happen before those of the next. A reader of an index
/// has received the index after the key was written, by a chain of synchronisation.
pub(crate) trait Keys<const W: usize>: Send + Sync {
    /// The local data of a worker.
    type WorkerLocal;

    /// New local data of a worker.
    fn local(&self) -> Self::WorkerLocal;

    /// Makes room for a block.
    fn prepare(&self, block: u32) -> Result<(), Full>;

    /// Prepares the writes of the keys of a batch that are probably new, those whose candidate is `u32::MAX`, so that
    /// their common work is done at once.
    fn plan_writes(
        &self,
        keys: &[[u64; W]],
        candidates: &[u32],
        local: &mut Self::WorkerLocal,
    ) -> Result<(), Full> {
        let _ = (keys, candidates, local);
        Ok(())
    }

    /// Writes a key. An earlier key at the same index, which no other worker has seen, is overwritten. If the write
    /// was planned in a batch, `place` is the key's number there.
    fn write(
        &self,
        index: u32,
        key: &[u64; W],
        place: Option<usize>,
        local: &mut Self::WorkerLocal,
    ) -> Result<(), Full>;

    /// Is `key` the key at the index?
    fn is(&self, index: u32, key: &[u64; W]) -> bool;

    /// The key at the index.
    ///
    /// # Panics
    /// If the index was never assigned.
    fn get(&self, index: u32) -> [u64; W];

    /// Visits the keys of consecutive indices.
    fn each(&self, range: Range<u32>, mut visit: impl FnMut(u32, &[u64; W])) {
        for index in range {
            visit(index, &self.get(index));
        }
    }

    /// Prefetches the key.
    fn prefetch(&self, index: u32);

    /// Reads the rows of these indices, except `u32::MAX`, and prefetches the dictionary entries that they refer to.
    fn prefetch_for_compare(&self, indices: &[u32], local: &mut Self::WorkerLocal) {
        let _ = (indices, local);
    }

    /// [`Self::is`], for the index with that number in the last [`Self::prefetch_for_compare`].
    #[inline]
    fn is_prefetched(
        &self,
        index: u32,
        place: usize,
        key: &[u64; W],
        local: &Self::WorkerLocal,
    ) -> bool {
        let _ = (place, local);
        self.is(index, key)
    }

    /// Prefetches the dictionary entries of the key, if there are any; the row itself should be in the cache.
    #[inline]
    fn prefetch_halves(&self, index: u32) {
        let _ = index;
    }

    /// Called from time to time, by one worker while no other is inside the table, with all indices that have a key.
    fn choose_encoding(&self, indices: &[Range<u32>]) {
        let _ = indices;
    }

    /// Bytes charged to the budget.
    fn bytes(&self) -> usize;
}

/// An array of words.
pub(crate) struct Words<const W: usize> {
    rows: Chunked<AtomicU64, W>,
    budget: Arc<Budget>,
    charged: AtomicUsize,
}

impl<const W: usize> Words<W> {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self {
            rows: Chunked::new(),
            budget,
            charged: AtomicUsize::new(0),
        }
    }
}

impl<const W: usize> Keys<W> for Words<W> {
    type WorkerLocal = ();

    fn local(&self) {}

    fn prepare(&self, block: u32) -> Result<(), Full> {
        let bytes = (8 * W) << BLOCK_BITS;
        self.budget.charge(bytes)?;
        // A block is not longer than any chunk, and chunks hold whole blocks.
        if self.rows.ensure(block << BLOCK_BITS).is_err() {
            self.budget.release(bytes);
            return Err(Full);
        }
        // Relaxed: a sum that orders nothing else.
        self.charged.fetch_add(bytes, Relaxed);
        Ok(())
    }

    #[inline]
    fn write(&self, index: u32, key: &[u64; W], _: Option<usize>, (): &mut ()) -> Result<(), Full> {
        let row = self.rows.row(index).ok_or(Full)?;
        for i in 0..W {
            // Relaxed: a reader that receives the index synchronises with this worker.
            row[i].store(key[i], Relaxed);
        }
        Ok(())
    }

    #[inline]
    fn is(&self, index: u32, key: &[u64; W]) -> bool {
        (self.rows.row(index)).is_some_and(|row| (0..W).all(|i| row[i].load(Relaxed) == key[i]))
    }

    #[inline]
    fn get(&self, index: u32) -> [u64; W] {
        let Some(row) = self.rows.row(index) else {
            panic!("no key has index {index}");
        };
        std::array::from_fn(|i| row[i].load(Relaxed))
    }

    #[inline]
    fn prefetch(&self, index: u32) {
        self.rows.prefetch(index);
    }

    fn bytes(&self) -> usize {
        self.charged.load(Relaxed)
    }
}

impl<const W: usize> Drop for Words<W> {
    /// Returns its share of the budget.
    fn drop(&mut self) {
        self.budget.release(self.bytes());
    }
}
