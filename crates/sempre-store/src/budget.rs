//! The memory budget that the tables of a search share.
//!
//! Exhaustion is a value, [`Full`], that propagates up to the verdict: a search that received it has dropped a state
//! and must not report completeness. The budget is charged for memory that will be touched: keys by blocks as they
//! are used, hash indices when they are allocated. Arrays that are mapped but never written to take address space,
//! not memory, and are not charged.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// There is no room for another state: the budget is exhausted, the system refused memory, or all indices are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the table of states is full")
    }
}

impl std::error::Error for Full {}

/// A number of bytes that several tables share.
#[derive(Debug)]
pub struct Budget {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    /// A budget of that many bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            used: AtomicUsize::new(0),
        }
    }

    /// No limit but the machine's.
    pub fn unlimited() -> Self {
        Self::new(usize::MAX)
    }

    /// Bytes charged so far.
    pub fn used(&self) -> usize {
        // Relaxed, here and below: the counter protects no other data.
        self.used.load(Relaxed)
    }

    /// Takes `bytes` from the budget.
    ///
    /// # Errors
    /// If fewer are available; then nothing is taken.
    pub fn charge(&self, bytes: usize) -> Result<(), Full> {
        self.used
            .fetch_update(Relaxed, Relaxed, |used| {
                used.checked_add(bytes).filter(|&sum| sum <= self.limit)
            })
            .map(|_| ())
            .map_err(|_| Full)
    }

    /// Gives back `bytes` that were charged before.
    pub fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_up_to_the_limit() {
        let budget = Budget::new(10);
        assert_eq!(budget.charge(7), Ok(()));
        assert_eq!(budget.charge(4), Err(Full));
        assert_eq!(budget.charge(usize::MAX), Err(Full));
        assert_eq!(budget.used(), 7);
        assert_eq!(budget.charge(3), Ok(()));
        budget.release(5);
        assert_eq!(budget.used(), 5);
    }
}
