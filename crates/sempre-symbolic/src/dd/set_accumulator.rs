//! A set built from many small ones.
//!
//! Adding a vector to a set of `n` vectors may take `n` nodes: each list is rebuilt up to the new value. So additions
//! stay in small sets, which are united with sets of the same size, as in a log-structured merge-tree (O'Neil, Cheng,
//! Gawlick, O'Neil, Acta Informatica 33, 1996). There are logarithmically many sets, and a vector moves to a larger one
//! that often.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use sempre_base::Stop;

/// Sets with their ranks; each set has at least twice as many additions as the next one.
#[derive(Debug, Default)]
pub(crate) struct SetAccumulator {
    parts: Vec<(Root, u32)>,
}

impl SetAccumulator {
    /// The part of a set that is not contained.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn missing(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        let parts = self.parts.iter();
        parts.map(|part| part.0).try_fold(set, |rest, part| {
            let part = forest.get(part);
            forest.difference(rest, part)
        })
    }

    /// Adds a set. Returns the new part of it.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn add(&mut self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        let new = self.missing(forest, set)?;
        if new == EMPTY {
            return Ok(EMPTY);
        }
        let result = forest.protect(new);
        self.parts.push((forest.protect(new), 0));
        while let [.., (large, n), (small, m)] = self.parts[..]
            && n <= m
        {
            forest.union_into(large, forest.get(small))?;
            forest.unprotect(small);
            self.parts.pop();
            self.parts.last_mut().expect("the larger one").1 = m + 1;
        }
        forest.unprotect(result);
        Ok(new)
    }

    /// The union of all additions.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn union(&mut self, forest: &mut Forest) -> Result<Node, Stop> {
        while let [.., (large, _), (small, _)] = self.parts[..] {
            forest.union_into(large, forest.get(small))?;
            forest.unprotect(small);
            self.parts.pop();
        }
        let union = self.parts.first();
        Ok(union.map_or(EMPTY, |&(union, _)| forest.get(union)))
    }

    /// Removes its roots.
    pub(crate) fn unprotect(self, forest: &mut Forest) {
        for (part, _) in self.parts {
            forest.unprotect(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::control::Limits;
    use sempre_base::Random;
    use std::collections::BTreeSet;

    #[test]
    fn sets_that_grow() {
        let mut r = Random::new(11);
        for round in 0..50 {
            let mut forest = Forest::new(Limits::default());
            if round % 2 == 0 {
                forest.stress(7);
            }
            let mut accumulator = SetAccumulator::default();
            let mut expected: BTreeSet<Vec<u32>> = BTreeSet::new();
            for _ in 0..r.below(60) {
                let vector = |r: &mut Random| vec![r.below(9) as u32, r.below(9) as u32];
                let mut vectors: Vec<Vec<u32>> = (0..r.below(4)).map(|_| vector(&mut r)).collect();
                let set = forest.set_of(&mut vectors).unwrap();
                let new = accumulator.add(&mut forest, set).unwrap();
                let found: Vec<Vec<u32>> = forest.vectors(new).collect();
                vectors.dedup();
                vectors.retain(|v| expected.insert(v.clone()));
                assert_eq!(found, vectors);
                assert!(accumulator.parts.len() <= 7, "{}", accumulator.parts.len());
            }
            let union = accumulator.union(&mut forest).unwrap();
            assert!(forest.vectors(union).eq(expected));
            accumulator.unprotect(&mut forest);
            assert_eq!(forest.roots.len(), forest.free_roots.len());
        }
    }
}
