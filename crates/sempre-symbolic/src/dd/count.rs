//! Number of vectors of a set, of pairs of a relation in it, of nodes of a diagram.
//!
//! Memo tables by node; no nodes are made. Numbers of 128 bits first, since most suffice, and without a limit if one
//! did not. The tables are given the memory that the forest leaves of its limit ([`Forest::try_count`]).

use crate::dd::forest::Forest;
use crate::dd::natural::Natural;
use crate::dd::node::{EMPTY, Node, UNIT};
use crate::dd::shape::{COPY, Mode, Shape};
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::Stop;

/// A number that can be summed up.
pub(crate) trait Sum: Clone {
    /// What an entry of a table takes, half-empty tables considered.
    const BYTES: usize;
    fn zero() -> Self;
    fn one() -> Self;
    /// False if there is no room for the sum.
    #[must_use]
    fn increase(&mut self, by: &Self) -> bool;
}

impl Sum for u128 {
    const BYTES: usize = 64;
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
    const BYTES: usize = 160;
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

/// Why a number was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// It has too many digits.
    Digits,
    /// There is no memory for tables.
    Memory,
}

impl Lack {
    /// `Ok` where a larger kind of number would help.
    pub fn or_stop(self) -> Result<(), Stop> {
        match self {
            Lack::Digits => Ok(()),
            Lack::Memory => Err(Stop::Memory),
        }
    }
}

impl Forest {
    /// Number of vectors.
    pub fn count(&self, set: Node) -> Natural {
        let everything = usize::MAX;
        match self.count_with::<u128>(set, &mut Tables::new(everything)) {
            Ok(number) => Natural::from(number),
            Err(_) => (self.count_with::<Natural>(set, &mut Tables::new(everything)))
                .expect("there is no limit"),
        }
    }

    /// Number of vectors, with no more memory than the limits leave.
    ///
    /// # Errors
    /// If there is not enough.
    pub fn try_count(&self, set: Node) -> Result<Natural, Stop> {
        let spare = self.spare();
        match self.count_with::<u128>(set, &mut Tables::new(spare)) {
            Ok(number) => return Ok(Natural::from(number)),
            Err(lack) => lack.or_stop()?,
        }
        (self.count_with::<Natural>(set, &mut Tables::new(spare))).map_err(|_| Stop::Memory)
    }

    pub(crate) fn count_with<N: Sum>(&self, set: Node, known: &mut Tables<N>) -> Result<N, Lack> {
        match set {
            EMPTY => return Ok(N::zero()),
            UNIT => return Ok(N::one()),
            _ => {}
        }
        if let Some(number) = known.sets.get(&set) {
            return Ok(number.clone());
        }
        let mut sum = N::zero();
        for (_, down) in self.list(set) {
            let number = self.count_with(down, known)?;
            if !sum.increase(&number) {
                return Err(Lack::Digits);
            }
        }
        known.take_one()?;
        known.sets.insert(set, sum.clone());
        Ok(sum)
    }

    /// Number of steps from vectors of the set: pairs of a vector and a way in which the relation changes it.
    pub fn count_steps(&self, set: Node, relation: Node, shape: Shape) -> Natural {
        let everything = usize::MAX;
        let mut tables = Tables::new(everything);
        if let Ok(number) = self.steps_with::<u128>(set, relation, shape, &mut tables) {
            return Natural::from(number);
        }
        (self.steps_with::<Natural>(set, relation, shape, &mut Tables::new(everything)))
            .expect("there is no limit")
    }

    pub(crate) fn steps_with<N: Sum>(
        &self,
        set: Node,
        relation: Node,
        shape: Shape,
        known: &mut Tables<N>,
    ) -> Result<N, Lack> {
        if set == EMPTY || relation == EMPTY {
            return Ok(N::zero());
        }
        if shape == Shape::END {
            return self.count_with(set, known);
        }
        let key = (set, relation, shape);
        if let Some(number) = known.steps.get(&key) {
            return Ok(number.clone());
        }
        let (mode, rest) = self.shapes.parts(shape);
        let mut sum = N::zero();
        for (value, down) in self.list(set) {
            let mut add = |below: Node| {
                let number = self.steps_with(down, below, rest, known)?;
                (sum.increase(&number)).then_some(()).ok_or(Lack::Digits)
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
        known.take_one()?;
        known.steps.insert(key, sum.clone());
        Ok(sum)
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

/// What is known of numbers.
pub(crate) struct Tables<N> {
    steps: FxHashMap<(Node, Node, Shape), N>,
    sets: FxHashMap<Node, N>,
    /// How many more entries there is room for.
    room: usize,
}

impl<N: Sum> Tables<N> {
    /// Tables of at most so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            steps: FxHashMap::default(),
            sets: FxHashMap::default(),
            room: bytes / N::BYTES,
        }
    }

    /// Forgets the numbers of steps.
    pub fn forget_steps(&mut self) {
        self.room = self.room.saturating_add(self.steps.len());
        self.steps = FxHashMap::default();
    }

    fn take_one(&mut self) -> Result<(), Lack> {
        self.room = self.room.checked_sub(1).ok_or(Lack::Memory)?;
        Ok(())
    }
}
