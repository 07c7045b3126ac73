//! Cooperative rehashing: all workers that enter the table insert keys into the new slots.
//!
//! The worker that replaces the slots stores here the indices whose keys must be inserted, cut into pieces, and lets
//! the others in. Each worker that enters processes pieces while there are any, and then waits until those of the
//! others are done; only then is the index complete. Workers only wait for those that have taken a piece, which are
//! inside and running.
//!
//! ## Invariants
//! - **I1** Each piece is taken by one worker.
//! - **I2** `left` is the number of pieces that are not done. When it is seen zero (Acquire), all that was done to
//!   the pieces has happened before (the Release of each decrement; read-modify-writes continue a release sequence).
//!
//! If a worker panics with a piece, the piece counts as done. The index then lacks keys, so a search whose worker has
//! panicked must not trust its counts; the searches of this workspace end with the panic as their reason.

use crate::sync::{AtomicU32, yield_now};
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The number of indices of a piece: so many that taking a piece costs nothing, and few enough that each worker gets
/// some.
#[cfg(not(all(loom, test)))]
const PIECE: usize = 8192;
#[cfg(all(loom, test))]
const PIECE: usize = 1;

/// The number of spins before a worker that waits for others yields its processor.
const SPINS: u32 = 200;

/// The pieces.
pub(crate) struct Rehash {
    pieces: Vec<Range<u32>>,
    next: AtomicU32,
    left: AtomicU32,
}

impl Rehash {
    /// Nothing to insert.
    pub(crate) fn none() -> Self {
        Self::new(Vec::new())
    }

    /// All keys of these indices are to be inserted.
    pub(crate) fn new(indices: Vec<Range<u32>>) -> Self {
        let pieces: Vec<Range<u32>> = (indices.into_iter())
            .flat_map(|range| {
                let end = range.end;
                let pieces = range.step_by(PIECE);
                pieces.map(move |start| start..end.min(start.saturating_add(PIECE as u32)))
            })
            .collect();
        Self {
            next: AtomicU32::new(0),
            // At most 2^32 / PIECE, and one for the rest of each worker's block.
            left: AtomicU32::new(pieces.len() as u32),
            pieces,
        }
    }

    /// Processes pieces, if any are left, and returns when all are done.
    #[inline]
    pub(crate) fn complete(&self, enter: impl Fn(Range<u32>)) {
        // Acquire: I2.
        if self.left.load(Acquire) != 0 {
            self.help(enter);
        }
    }

    #[cold]
    fn help(&self, enter: impl Fn(Range<u32>)) {
        /// Counts a piece as done, also when the worker panics: otherwise the others would wait for ever.
        struct Done<'a>(&'a AtomicU32);
        impl Drop for Done<'_> {
            fn drop(&mut self) {
                // Release: I2.
                self.0.fetch_sub(1, Release);
            }
        }

        // Relaxed: I1 only requires that the numbers differ.
        while let Some(piece) = self.pieces.get(self.next.fetch_add(1, Relaxed) as usize) {
            let _done = Done(&self.left);
            enter(piece.clone());
        }
        let mut attempts = SPINS;
        // Acquire: I2.
        while self.left.load(Acquire) != 0 {
            if attempts == 0 || cfg!(loom) {
                yield_now();
            } else {
                attempts -= 1;
                std::hint::spin_loop();
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Every index is in one piece, and no worker continues before all pieces are done.
    #[test]
    fn many_hands() {
        let ranges = vec![3..4, 10..50_000, 60_000..60_001, 70_000..100_000];
        let rehash = Rehash::new(ranges.clone());
        let done = Mutex::new(vec![0u8; 100_000]);
        std::thread::scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|| {
                    rehash.complete(|piece| {
                        let mut done = done.lock().unwrap();
                        piece.for_each(|index| done[index as usize] += 1);
                    });
                    let done = done.lock().unwrap();
                    for (index, &times) in done.iter().enumerate() {
                        let expected = ranges.iter().any(|r| r.contains(&(index as u32)));
                        assert_eq!(times, u8::from(expected), "{index}");
                    }
                });
            }
        });
        Rehash::none().complete(|_| panic!("there is nothing to do"));
    }

    #[test]
    fn a_panic_blocks_no_worker() {
        let rehash = Rehash::new(vec![0..10_000, 20_000..30_000]);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            rehash.complete(|_| panic!("expected by the test"));
        }));
        assert!(result.is_err());
        rehash.complete(|piece| assert!(piece.start > 0));
    }
}
