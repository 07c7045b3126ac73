//! Sets of acceptance marks, small ones in a word, large ones on the heap: no limit on their number.

use std::fmt;

/// The acceptance sets an edge belongs to.
///
/// Canonical: a set whose members are all below 64 is always `Small`, a larger one has no zero word
/// at its end. Derived equality, order and hash are therefore those of the sets.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mark(Bits);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Bits {
    Small(u64),
    Large(Box<[u64]>),
}

impl Default for Mark {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Mark {
    /// No mark.
    pub const EMPTY: Mark = Mark(Bits::Small(0));

    /// The set of one mark.
    pub fn single(set: u32) -> Self {
        std::iter::once(set).collect()
    }

    /// The marks `0..count`.
    pub fn all(count: u32) -> Self {
        (0..count).collect()
    }

    /// The set as the bits of a word, for automata known to have at most 64 sets.
    pub fn from_word(word: u64) -> Self {
        Mark(Bits::Small(word))
    }

    fn from_words(mut words: Vec<u64>) -> Self {
        while words.len() > 1 && words.last() == Some(&0) {
            words.pop();
        }
        match words[..] {
            [] => Self::EMPTY,
            [w] => Mark(Bits::Small(w)),
            _ => Mark(Bits::Large(words.into_boxed_slice())),
        }
    }

    /// The words of the set, least significant first.
    pub fn words(&self) -> &[u64] {
        match &self.0 {
            Bits::Small(w) => std::slice::from_ref(w),
            Bits::Large(ws) => ws,
        }
    }

    /// True if there is no mark.
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Bits::Small(0))
    }

    /// Number of marks.
    pub fn len(&self) -> u32 {
        self.words().iter().map(|w| w.count_ones()).sum()
    }

    /// Is `set` in it?
    pub fn contains(&self, set: u32) -> bool {
        self.words()
            .get(set as usize / 64)
            .is_some_and(|w| w >> (set % 64) & 1 == 1)
    }

    /// Adds a mark.
    pub fn insert(&mut self, set: u32) {
        *self = self.union(&Self::word_at(set));
    }

    /// Removes a mark.
    pub fn remove(&mut self, set: u32) {
        *self = self.minus(&Self::word_at(set));
    }

    fn word_at(set: u32) -> Self {
        if set < 64 {
            return Mark(Bits::Small(1 << set));
        }
        let mut words = vec![0; set as usize / 64 + 1];
        words[set as usize / 64] = 1 << (set % 64);
        Mark(Bits::Large(words.into_boxed_slice()))
    }

    fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        if let (Bits::Small(a), Bits::Small(b)) = (&self.0, &other.0) {
            return Mark(Bits::Small(f(*a, *b)));
        }
        let (a, b) = (self.words(), other.words());
        let get = |w: &[u64], i: usize| w.get(i).copied().unwrap_or(0);
        Self::from_words(
            (0..a.len().max(b.len()))
                .map(|i| f(get(a, i), get(b, i)))
                .collect(),
        )
    }

    /// Marks of either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// Marks of both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// Marks of this one that the other has not.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// Every mark moved up by `by`.
    #[must_use]
    pub fn shift(&self, by: u32) -> Self {
        if by == 0 {
            return self.clone();
        }
        self.iter().map(|s| s + by).collect()
    }

    /// Have they a mark in common?
    pub fn intersects(&self, other: &Self) -> bool {
        self.words()
            .iter()
            .zip(other.words())
            .any(|(a, b)| a & b != 0)
    }

    /// Is every mark of this one in the other?
    pub fn is_subset(&self, other: &Self) -> bool {
        let b = other.words();
        self.words()
            .iter()
            .enumerate()
            .all(|(i, a)| a & !b.get(i).copied().unwrap_or(0) == 0)
    }

    /// The marks, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words().iter().enumerate().flat_map(|(i, &w)| {
            let mut rest = w;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    i as u32 * 64 + bit
                })
            })
        })
    }
}

impl FromIterator<u32> for Mark {
    fn from_iter<I: IntoIterator<Item = u32>>(sets: I) -> Self {
        let mut words = vec![0u64];
        for s in sets {
            let i = s as usize / 64;
            if i >= words.len() {
                words.resize(i + 1, 0);
            }
            words[i] |= 1 << (s % 64);
        }
        Self::from_words(words)
    }
}

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_ordinary_sets() {
        let mut r = Random::new(5);
        let mut random = || -> BTreeSet<u32> {
            let limit = *r.pick(&[3, 64, 65, 200]);
            (0..r.below(6)).map(|_| r.below(limit) as u32).collect()
        };
        for _ in 0..3000 {
            let (a, b) = (random(), random());
            let (x, y): (Mark, Mark) = (a.iter().copied().collect(), b.iter().copied().collect());
            let same = |m: Mark, s: BTreeSet<u32>| {
                assert_eq!(m, s.iter().copied().collect());
                assert!(m.iter().eq(s.iter().copied()));
                assert_eq!(m.len() as usize, s.len());
                assert_eq!(m.is_empty(), s.is_empty());
            };
            same(x.union(&y), &a | &b);
            same(x.intersection(&y), &a & &b);
            same(x.minus(&y), &a - &b);
            same(x.shift(70), a.iter().map(|s| s + 70).collect());
            assert_eq!(x.intersects(&y), !a.is_disjoint(&b));
            assert_eq!(x.is_subset(&y), a.is_subset(&b));
            assert!((0..210).all(|s| x.contains(s) == a.contains(&s)));
            let mut z = x.clone();
            z.insert(130);
            z.remove(130);
            if !a.contains(&130) {
                assert_eq!(z, x, "canonical after removal");
            }
        }
    }
}
