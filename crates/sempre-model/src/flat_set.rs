//! A set of rows of equal length in one array: the intermediate states of an atomic step.
//!
//! There may be a million of them. The set is cleared or dropped at once when the step ends or is stopped; dropping as many boxed
//! rows takes some tenths of a second, too long after a deadline.
//!
//! An open hash table of row numbers with linear probing, at most half full. Rows are compared word by word.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub struct FlatSet<T> {
    /// The length of a row.
    length: usize,
    words: Vec<T>,
    count: usize,
    /// Numbers of rows, plus one; 0 where there is none. Its length is a power of two, or 0.
    slots: Vec<u32>,
}

impl<T: Copy + Eq + Hash> FlatSet<T> {
    /// Removes all rows; those to come have this length.
    pub fn reset(&mut self, length: usize) {
        self.length = length;
        self.words.clear();
        self.count = 0;
        // A large table costs more to clear than to make again.
        match self.slots.len() {
            0..=4096 => self.slots.fill(0),
            _ => self.slots = Vec::new(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.count
    }

    /// Adds a row; true if it is new.
    ///
    /// # Panics
    /// If the row has another length, or there are 2^32 rows.
    pub fn insert(&mut self, row: &[T]) -> bool {
        assert_eq!(row.len(), self.length, "rows have one length");
        if self.count * 2 >= self.slots.len() {
            self.grow();
        }
        let slot = self.slot(row);
        if self.slots[slot] != 0 {
            return false;
        }
        self.count += 1;
        self.slots[slot] = u32::try_from(self.count).expect("fewer than 2^32 rows");
        self.words.extend_from_slice(row);
        true
    }

    fn row(&self, number: usize) -> &[T] {
        &self.words[number * self.length..(number + 1) * self.length]
    }

    /// The slot of the row, or the one where it belongs.
    fn slot(&self, row: &[T]) -> usize {
        let mask = self.slots.len() - 1;
        let mut hasher = FxHasher::default();
        row.hash(&mut hasher);
        // The upper bits are the good ones.
        let mut slot = (hasher.finish() >> 20) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return slot,
                number if self.row(number as usize - 1) == row => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 2).max(64)];
        for number in 0..self.count {
            let slot = self.slot(self.row(number));
            self.slots[slot] = number as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;
    use sempre_base::Random;

    #[test]
    fn it_is_a_set() {
        let mut r = Random::new(3);
        let mut set = FlatSet::default();
        for round in 0..50 {
            let length = r.below(4);
            let most = 1 + r.below(6000);
            let values = 2 + r.below(40);
            set.reset(length);
            let mut reference: FxHashSet<Vec<i64>> = FxHashSet::default();
            for _ in 0..most {
                let row: Vec<i64> = (0..length)
                    .map(|_| (r.below(values) as i64) << 40)
                    .collect();
                assert_eq!(set.insert(&row), reference.insert(row.clone()), "{round}");
                assert_eq!(set.rows(), reference.len());
            }
        }
    }
}
