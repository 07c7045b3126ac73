//! A number for every state: parents, colours, levels. Searches keep data of states in arrays by the state's index,
//! never in maps keyed by states.

use crate::chunked::Chunked;
use crate::sync::AtomicU32;
use crate::{Budget, Full, StateIndex};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicU32 as Plain,
    Ordering::{Relaxed, SeqCst},
};

/// An array of 32-bit numbers by state index, initially zero, safe for concurrent use, growing on demand.
pub struct IndexArray {
    cells: Chunked<AtomicU32, 1>,
    budget: Arc<Budget>,
    /// Number of blocks charged to the budget; changed under the lock only.
    charged: Plain,
    charging: std::sync::Mutex<()>,
}

/// The number of cells that are charged to the budget at once.
const BLOCK_BITS: u32 = 14;

impl IndexArray {
    /// An array of zeros.
    pub fn new(budget: Arc<Budget>) -> Self {
        Self {
            cells: Chunked::new(),
            budget,
            charged: Plain::new(0),
            charging: std::sync::Mutex::new(()),
        }
    }

    /// Makes room for the number of this state and of all before.
    fn reserve(&self, index: u32) -> Result<(), Full> {
        let blocks = (index >> BLOCK_BITS) + 1;
        let _lock = self.charging.lock();
        // Relaxed: an independent number; if the cell's chunk is missing, `ensure` allocates it.
        let before = self.charged.load(Relaxed);
        if before < blocks {
            self.budget
                .charge(((blocks - before) as usize) << (BLOCK_BITS + 2))?;
            self.charged.store(blocks, Relaxed);
        }
        self.cells.ensure(index)
    }

    /// Stores the number of a state.
    ///
    /// # Errors
    /// If there is no memory for it.
    ///
    /// Accesses are relaxed: a thread that learnt the index from a store sees the values stored by the inserting
    /// thread only if the two have synchronised since (a queue, a barrier, a join).
    pub fn set(&self, index: StateIndex, value: u32) -> Result<(), Full> {
        if index.0 >> BLOCK_BITS >= self.charged.load(Relaxed) || self.cells.row(index.0).is_none()
        {
            self.reserve(index.0)?;
        }
        if let Some([cell]) = self.cells.row(index.0) {
            cell.store(value, Relaxed);
        }
        Ok(())
    }

    /// Adds bits to the number of a state. Returns the previous number. All such changes, and all [`Self::read`]s,
    /// are in one order that all threads see.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn raise(&self, index: StateIndex, bits: u32) -> Result<u32, Full> {
        if index.0 >> BLOCK_BITS >= self.charged.load(Relaxed) || self.cells.row(index.0).is_none()
        {
            self.reserve(index.0)?;
        }
        let row = self.cells.row(index.0);
        Ok(row.map_or(0, |[cell]| cell.fetch_or(bits, SeqCst)))
    }

    /// The number of a state, see [`Self::raise`].
    #[inline]
    pub fn read(&self, index: StateIndex) -> u32 {
        (self.cells.row(index.0)).map_or(0, |[cell]| cell.load(SeqCst))
    }

    /// The number of a state, 0 if none was stored.
    #[inline]
    pub fn get(&self, index: StateIndex) -> u32 {
        self.cells
            .row(index.0)
            .map_or(0, |[cell]| cell.load(Relaxed))
    }
}

impl Drop for IndexArray {
    /// Returns its share of the budget.
    fn drop(&mut self) {
        let blocks = *self.charged.get_mut() as usize;
        self.budget.release(blocks << (BLOCK_BITS + 2));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn keeps_numbers_and_charges_for_them() {
        let budget = Arc::new(Budget::new(1 << 18));
        let array = IndexArray::new(Arc::clone(&budget));
        assert_eq!(array.get(StateIndex(77)), 0);
        array.set(StateIndex(40_000), 5).unwrap();
        array.set(StateIndex(3), 6).unwrap();
        assert_eq!(array.get(StateIndex(40_000)), 5);
        assert_eq!(array.get(StateIndex(3)), 6);
        assert_eq!(array.get(StateIndex(4)), 0);
        assert_eq!(array.raise(StateIndex(3), 9), Ok(6));
        assert_eq!(array.raise(StateIndex(3), 1), Ok(15));
        assert_eq!(array.read(StateIndex(3)), 15);
        assert_eq!(budget.used(), 3 << 16);
        assert_eq!(array.set(StateIndex(1 << 20), 1), Err(Full));
    }
}
