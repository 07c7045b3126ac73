//! Degeneralisation: one acceptance set instead of several.
//!
//! Checks for one acceptance set get a product with a level beside the state: the number of sets that were seen in their
//! order. An edge lifts the level over all sets that it is in, one after the other; the edge that completes them
//! is accepting and begins again, with the sets that it is in counted for the next round, too. With acceptance on
//! edges there are as many levels as sets. Without any set every edge is accepting.

use super::Product;
use crate::marks::Marks;
use sempre_model::system::System;

impl<S: System, M: Marks> Product<'_, S, M> {
    /// Number of levels; one if the product is not degeneralised.
    pub(super) fn levels(&self) -> u64 {
        match self.shape.degeneralized {
            true => u64::from(self.sets.max(1)),
            false => 1,
        }
    }

    /// Where an edge in these sets leads to from a level, and the marks that it has in the degeneralised product.
    #[inline]
    pub(super) fn lift(&self, level: u32, marks: M) -> (u32, M) {
        let lifted = |mut level: u32| {
            while level < self.sets && marks.contains(level) {
                level += 1;
            }
            level
        };
        let next = lifted(level);
        if next < self.sets {
            return (next, M::NONE);
        }
        // The edge counts for the next round, too; one in all sets leads to the lowest level.
        let next = Some(lifted(0)).filter(|&l| l < self.sets).unwrap_or(0);
        (next, M::single(0))
    }
}
