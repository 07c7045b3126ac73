//! What a search of one thread knows of each state, by index, and the memory of its stacks.

use sempre_store::{Budget, Full};
use std::sync::Arc;

const CHUNK_BITS: u32 = 14;
const CHUNK: usize = 1 << CHUNK_BITS;

/// A value for each state; a default where none was stored. Grows in chunks that never move.
pub struct PerState<T> {
    chunks: Vec<Box<[T]>>,
    default: T,
    budget: Arc<Budget>,
}

impl<T: Copy> PerState<T> {
    /// An array that says `default` of every state.
    pub fn new(default: T, budget: &Arc<Budget>) -> Self {
        Self {
            chunks: Vec::new(),
            default,
            budget: Arc::clone(budget),
        }
    }

    /// The value of a state.
    #[inline]
    pub fn get(&self, state: u32) -> T {
        match self.chunks.get((state >> CHUNK_BITS) as usize) {
            Some(chunk) => chunk[state as usize & (CHUNK - 1)],
            None => self.default,
        }
    }

    /// Stores the value of a state.
    ///
    /// # Errors
    /// If there is no memory for it.
    #[inline]
    pub fn set(&mut self, state: u32, value: T) -> Result<(), Full> {
        let chunk = (state >> CHUNK_BITS) as usize;
        if chunk >= self.chunks.len() {
            self.grow(chunk)?;
        }
        self.chunks[chunk][state as usize & (CHUNK - 1)] = value;
        Ok(())
    }

    #[cold]
    fn grow(&mut self, chunk: usize) -> Result<(), Full> {
        while self.chunks.len() <= chunk {
            self.budget.charge(CHUNK * size_of::<T>())?;
            self.chunks.push(vec![self.default; CHUNK].into());
        }
        Ok(())
    }
}

impl<T> Drop for PerState<T> {
    fn drop(&mut self) {
        self.budget
            .release(self.chunks.len() * CHUNK * size_of::<T>());
    }
}

/// The memory of stacks and queues, charged to the budget as they grow.
pub struct Charge {
    budget: Arc<Budget>,
    charged: usize,
}

impl Charge {
    /// Nothing is charged yet.
    pub fn new(budget: &Arc<Budget>) -> Self {
        Self {
            budget: Arc::clone(budget),
            charged: 0,
        }
    }

    /// Sees to it that at least so many bytes are charged.
    ///
    /// # Errors
    /// If the budget has not so many.
    #[inline]
    pub fn cover(&mut self, bytes: usize) -> Result<(), Full> {
        if bytes > self.charged {
            self.budget.charge(bytes - self.charged)?;
            self.charged = bytes;
        }
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.release(self.charged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_and_paid_for() {
        let budget = Arc::new(Budget::new(200_000));
        let mut array = PerState::new(7u32, &budget);
        assert_eq!(array.get(1 << 30), 7);
        array.set(20_000, 1).unwrap();
        assert_eq!((array.get(20_000), array.get(19_999)), (1, 7));
        assert_eq!(budget.used(), 2 * CHUNK * 4);
        assert_eq!(array.set(60_000, 1), Err(Full));
        let mut charge = Charge::new(&budget);
        charge.cover(1000).unwrap();
        charge.cover(500).unwrap();
        assert_eq!(charge.cover(1_000_000), Err(Full));
        drop((array, charge));
        assert_eq!(budget.used(), 0);
    }
}
