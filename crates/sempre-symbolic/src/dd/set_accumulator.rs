//! A set that grows by many small ones.
//!
//! To add a state to a set of `n` may take `n` nodes: a list is made anew up to where a value is put in. So what is added is kept apart at
//! first, and united with what is as large when there is more: a logarithm of parts, and each state moves from one to the next
//! that often (O'Neil, Cheng, Gawlick, O'Neil, *The log-structured merge-tree*, Acta Informatica 33, 1996).

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use sempre_base::Stop;

/// Parts, each made of twice as many as the next one, at least.
#[derive(Debug, Default)]
pub(crate) struct SetAccumulator {
    parts: Vec<(Root, u32)>,
}

impl SetAccumulator {
    /// What of a set is not there.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn missing(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        let parts = self.parts.iter();
        parts.map(|part| part.0).try_fold(set, |rest, part| {
            let part = forest.get(part);
            forest.difference(rest, part)
        })
    }

    /// Adds a set; what of it is new.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn add(&mut self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
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

    /// All that was added.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn union(&mut self, forest: &mut Forest) -> Result<Node, Stop> {
        while let [.., (large, _), (small, _)] = self.parts[..] {
            forest.union_into(large, forest.get(small))?;
            forest.unprotect(small);
            self.parts.pop();
        }
        let union = self.parts.first();
        Ok(union.map_or(EMPTY, |&(union, _)| forest.get(union)))
    }

    /// It is not needed any more.
    pub fn unprotect(self, forest: &mut Forest) {
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
            assert_eq!(forest.root.len(), forest.free_roots.len());
        }
    }
}
