//! Number of vectors of a set, of pairs of a relation in it, of nodes of a diagram.
//!
//! Memo tables by node; no nodes are made. Numbers of 128 bits first, since most suffice, and without a limit if one
//! did not.

use crate::forest::{EMPTY, Forest, Node, UNIT};
use crate::natural::Natural;
use crate::shape::{COPY, Mode, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

/// A number that can be summed up.
pub(crate) trait Sum: Clone {
    fn zero() -> Self;
    fn one() -> Self;
    /// False if there is no room for the sum.
    #[must_use]
    fn increase(&mut self, by: &Self) -> bool;
}

impl Sum for u128 {
    fn zero() -> Self {
        0
    }
    fn one() -> Self {
        1
    }
    fn increase(&mut self, by: &Self) -> bool {
        let (sum, over) = self.overflowing_add(*by);
        *self = sum;
        !over
    }
}

impl Sum for Natural {
    fn zero() -> Self {
        Natural::default()
    }
    fn one() -> Self {
        Natural::from(1u64)
    }
    fn increase(&mut self, by: &Self) -> bool {
        self.add(by);
        true
    }
}

impl Forest {
    /// Number of vectors.
    pub fn count(&self, set: Node) -> Natural {
        match self.count_with::<u128>(set, &mut FxHashMap::default()) {
            Some(number) => Natural::from(number),
            None => (self.count_with::<Natural>(set, &mut FxHashMap::default()))
                .expect("there is no limit"),
        }
    }

    fn count_with<N: Sum>(&self, set: Node, known: &mut FxHashMap<Node, N>) -> Option<N> {
        match set {
            EMPTY => return Some(N::zero()),
            UNIT => return Some(N::one()),
            _ => {}
        }
        if let Some(number) = known.get(&set) {
            return Some(number.clone());
        }
        let mut sum = N::zero();
        for (_, down) in self.list(set) {
            let number = self.count_with(down, known)?;
            if !sum.increase(&number) {
                return None;
            }
        }
        known.insert(set, sum.clone());
        Some(sum)
    }

    /// Number of steps from vectors of the set: pairs of a vector and a way in which the relation changes it.
    pub fn count_steps(&self, set: Node, relation: Node, shape: Shape) -> Natural {
        if let Some(number) = self.steps_with::<u128>(set, relation, shape, &mut Steps::default()) {
            return Natural::from(number);
        }
        (self.steps_with::<Natural>(set, relation, shape, &mut Steps::default()))
            .expect("there is no limit")
    }

    pub(crate) fn steps_with<N: Sum>(
        &self,
        set: Node,
        relation: Node,
        shape: Shape,
        known: &mut Steps<N>,
    ) -> Option<N> {
        if set == EMPTY || relation == EMPTY {
            return Some(N::zero());
        }
        if shape == Shape::END {
            return self.count_with(set, &mut known.sets);
        }
        let key = (set, relation, shape);
        if let Some(number) = known.steps.get(&key) {
            return Some(number.clone());
        }
        let (mode, rest) = self.shapes.parts(shape);
        let mut sum = N::zero();
        for (value, down) in self.list(set) {
            let mut add = |below: Node| {
                let number = self.steps_with(down, below, rest, known)?;
                sum.increase(&number).then_some(())
            };
            match mode {
                Mode::Skip => add(relation)?,
                Mode::Write => {
                    for (_, below) in self.list(relation) {
                        add(below)?;
                    }
                }
                Mode::Read | Mode::ReadWrite => {
                    let Some((_, below)) = self.list(relation).find(|&(v, _)| v == value) else {
                        continue;
                    };
                    if mode == Mode::Read {
                        add(below)?;
                    } else {
                        for (_, below) in self.list(below) {
                            add(below)?;
                        }
                    }
                }
            }
        }
        known.steps.insert(key, sum.clone());
        Some(sum)
    }

    /// Number of nodes of a diagram.
    pub fn size(&self, set: Node) -> usize {
        let mut seen = FxHashSet::default();
        let mut todo = vec![set];
        while let Some(node) = todo.pop() {
            if node > UNIT && seen.insert(node) {
                let e = self.entry(node);
                todo.push(e.down);
                todo.push(e.right);
            }
        }
        seen.len()
    }

    /// The values that occur at each level.
    pub fn values(&self, set: Node, levels: usize) -> Vec<Vec<u32>> {
        let mut values = vec![Vec::new(); levels];
        let mut now: FxHashSet<Node> = FxHashSet::from_iter([set]);
        for at_level in &mut values {
            let mut below = FxHashSet::default();
            for &node in &now {
                for (value, down) in self.list(node) {
                    at_level.push(value);
                    below.insert(down);
                }
            }
            at_level.sort_unstable();
            at_level.dedup();
            debug_assert!(at_level.last() != Some(&COPY));
            now = below;
        }
        values
    }
}

/// What is known of steps.
pub(crate) struct Steps<N> {
    steps: FxHashMap<(Node, Node, Shape), N>,
    sets: FxHashMap<Node, N>,
}

impl<N> Default for Steps<N> {
    fn default() -> Self {
        Self {
            steps: FxHashMap::default(),
            sets: FxHashMap::default(),
        }
    }
}
