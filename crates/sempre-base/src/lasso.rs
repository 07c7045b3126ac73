//! Ultimately periodic words: a finite prefix followed by a cycle repeated for ever.
//!
//! Every satisfiable LTL formula and every non-empty ω-regular language has a lasso, so all evidence, and all tests
//! of languages, use lassos.

/// The infinite word `prefix cycle cycle cycle …`. The cycle is never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lasso<L> {
    prefix: Vec<L>,
    cycle: Vec<L>,
}

impl<L> Lasso<L> {
    /// The word `prefix · cycle^ω`.
    ///
    /// # Panics
    /// If `cycle` is empty: that would be a finite word.
    pub fn new(prefix: Vec<L>, cycle: Vec<L>) -> Self {
        assert!(!cycle.is_empty(), "the cycle of a lasso must not be empty");
        Self { prefix, cycle }
    }

    /// The finite part that is read once.
    pub fn prefix(&self) -> &[L] {
        &self.prefix
    }

    /// The part that is read for ever.
    pub fn cycle(&self) -> &[L] {
        &self.cycle
    }

    /// Number of distinct positions: length of the prefix plus length of the cycle.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// Always false; a type with `len` is expected to have this method.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The letter at position `i < len()`.
    pub fn letter(&self, i: usize) -> &L {
        if i < self.prefix.len() {
            &self.prefix[i]
        } else {
            &self.cycle[i - self.prefix.len()]
        }
    }

    /// The position after `i`: the last position is followed by the start of the cycle.
    pub fn successor(&self, i: usize) -> usize {
        if i + 1 < self.len() {
            i + 1
        } else {
            self.prefix.len()
        }
    }

    /// The letters of the positions `0..len()`.
    pub fn letters(&self) -> impl Iterator<Item = &L> {
        self.prefix.iter().chain(&self.cycle)
    }

    /// The same word with every letter translated.
    pub fn map<M>(&self, mut f: impl FnMut(&L) -> M) -> Lasso<M> {
        Lasso {
            prefix: self.prefix.iter().map(&mut f).collect(),
            cycle: self.cycle.iter().map(&mut f).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_wrap_to_the_start_of_the_cycle() {
        let w = Lasso::new(vec!['a'], vec!['b', 'c']);
        let seen: String = std::iter::successors(Some(0), |&i| Some(w.successor(i)))
            .take(6)
            .map(|i| *w.letter(i))
            .collect();
        assert_eq!(seen, "abcbcb");
    }
}
