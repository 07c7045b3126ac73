//! Sets of acceptance marks in a search: a fixed number of bits, chosen before it begins.
//!
//! A search over a product with at most 32 acceptance sets keeps them in 32 bits, beside the 32 bits of the
//! target of an edge; with more (weak fairness of many processes) it is compiled for wider sets. So nobody pays for
//! what few need.

use std::fmt::Debug;

/// A set of marks.
pub trait Marks: Copy + Eq + Debug + Send + Sync + 'static {
    /// Number of different marks.
    const CAPACITY: u32;

    /// Number of words of 32 bits.
    const WORDS: usize = Self::CAPACITY as usize / 32;

    /// The empty set.
    const NONE: Self;

    /// The set of one mark.
    fn single(mark: u32) -> Self;

    /// Marks of either.
    #[must_use]
    fn union(self, other: Self) -> Self;

    /// Marks of this one that are not in the other.
    #[must_use]
    fn minus(self, other: Self) -> Self;

    /// Is the mark in it?
    fn contains(self, mark: u32) -> bool;

    /// Are all marks of the other in it?
    fn includes(self, other: Self) -> bool {
        other.minus(self) == Self::NONE
    }

    /// Has it a mark in common with the other?
    fn intersects(self, other: Self) -> bool {
        self.minus(other) != self
    }

    /// The marks `0..count`.
    fn all(count: u32) -> Self {
        (0..count).fold(Self::NONE, |set, mark| set.union(Self::single(mark)))
    }

    /// One of its words of 32 bits.
    fn word(self, number: usize) -> u32;

    /// The marks whose bits are set in these words of 32 bits.
    fn from_parts(words: &[u32]) -> Self {
        (words.iter().zip((0..).step_by(32)))
            .filter(|(word, _)| **word != 0)
            .fold(Self::NONE, |set, (&word, shift)| {
                set.union(Self::from_word(u64::from(word), shift))
            })
    }

    /// The marks whose bits are set in the word, moved up by `shift`. There must be room for them.
    fn from_word(word: u64, shift: u32) -> Self;

    /// The marks whose bits are set in these words.
    fn from_words(words: &[u64]) -> Self {
        (words.iter().zip((0..).step_by(64)))
            .filter(|(word, _)| **word != 0)
            .fold(Self::NONE, |set, (&word, shift)| {
                set.union(Self::from_word(word, shift))
            })
    }
}

impl Marks for u32 {
    const CAPACITY: u32 = 32;
    const NONE: Self = 0;

    fn single(mark: u32) -> Self {
        1 << mark
    }
    #[inline]
    fn union(self, other: Self) -> Self {
        self | other
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self & !other
    }
    #[inline]
    fn contains(self, mark: u32) -> bool {
        self >> mark & 1 == 1
    }
    #[inline]
    fn word(self, _: usize) -> u32 {
        self
    }
    #[inline]
    fn from_word(word: u64, shift: u32) -> Self {
        (word << shift) as u32
    }
}

impl<const N: usize> Marks for [u64; N] {
    const CAPACITY: u32 = 64 * N as u32;
    const NONE: Self = [0; N];

    fn single(mark: u32) -> Self {
        let mut set = [0; N];
        set[mark as usize / 64] = 1 << (mark % 64);
        set
    }
    #[inline]
    fn union(mut self, other: Self) -> Self {
        for (word, more) in self.iter_mut().zip(other) {
            *word |= more;
        }
        self
    }
    #[inline]
    fn minus(mut self, other: Self) -> Self {
        for (word, less) in self.iter_mut().zip(other) {
            *word &= !less;
        }
        self
    }
    #[inline]
    fn contains(self, mark: u32) -> bool {
        self[mark as usize / 64] >> (mark % 64) & 1 == 1
    }
    #[inline]
    fn word(self, number: usize) -> u32 {
        (self[number / 2] >> (number % 2 * 32)) as u32
    }
    #[inline]
    fn from_word(word: u64, shift: u32) -> Self {
        let (at, shift) = (shift as usize / 64, shift % 64);
        let mut set = [0; N];
        set[at] = word << shift;
        if shift > 0 && at + 1 < N {
            set[at + 1] = word >> (64 - shift);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn agree<M: Marks>() {
        let mut random = sempre_base::Random::new(u64::from(M::CAPACITY));
        let mut draw = || -> BTreeSet<u32> {
            (0..random.below(6))
                .map(|_| random.below(M::CAPACITY as usize) as u32)
                .collect()
        };
        for _ in 0..500 {
            let (a, b) = (draw(), draw());
            let set = |s: &BTreeSet<u32>| s.iter().fold(M::NONE, |m, &i| m.union(M::single(i)));
            let (x, y) = (set(&a), set(&b));
            assert_eq!(x.union(y), set(&(&a | &b)));
            assert_eq!(x.minus(y), set(&(&a - &b)));
            assert_eq!(x.includes(y), a.is_superset(&b));
            assert_eq!(x.intersects(y), !a.is_disjoint(&b));
            assert!((0..M::CAPACITY).all(|m| x.contains(m) == a.contains(&m)));
            let words: Vec<u32> = (0..M::WORDS).map(|i| x.word(i)).collect();
            assert_eq!(M::from_parts(&words), x);
        }
    }

    #[test]
    fn sets_of_all_widths_are_sets() {
        agree::<u32>();
        agree::<[u64; 1]>();
        agree::<[u64; 8]>();
        assert_eq!(u32::all(3), 7);
        assert_eq!(u32::from_word(5, 1), 10);
        assert_eq!(u32::from_words(&[5]), 5);
        assert_eq!(<[u64; 2]>::from_words(&[1, 2]), [1, 2]);
        assert_eq!(<[u64; 2]>::from_word(0b11, 63), [1 << 63, 1]);
    }
}
