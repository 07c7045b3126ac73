//! Numbers of vectors in a set, of steps of a relation from a set, of nodes of a diagram.
//!
//! Memo tables map nodes to numbers; no nodes are made. Counting starts with 128-bit numbers, which usually suffice,
//! and restarts with unlimited numbers on overflow. The tables may use the memory that the forest leaves of its limit
//! ([`Forest::try_count`]).

use crate::dd::forest::Forest;
use crate::dd::natural::Natural;
use crate::dd::node::{EMPTY, Node, UNIT};
use crate::dd::shape::{Mode, Shape};
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::Stop;

/// A number that can be added up.
pub(crate) trait Count: Clone {
    /// Bytes of a table entry, including the free slots of a hash table.
    const BYTES: usize;
    fn zero() -> Self;
    fn one() -> Self;
    /// Returns false on overflow.
    #[must_use]
    fn increase(&mut self, by: &Self) -> bool;
}

impl Count for u128 {
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

impl Count for Natural {
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

/// Why counting failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountError {
    /// The number has too many digits.
    Overflow,
    /// The tables exceed the memory limit.
    Memory,
}

impl CountError {
    /// `Ok` if a wider number type helps.
    pub(crate) fn stop_unless_overflow(self) -> Result<(), Stop> {
        match self {
            CountError::Overflow => Ok(()),
            CountError::Memory => Err(Stop::Memory),
        }
    }
}

impl Forest {
    /// Number of vectors.
    pub(crate) fn count(&self, set: Node) -> Natural {
        let unlimited = usize::MAX;
        match self.count_with::<u128>(set, &mut Tables::new(unlimited)) {
            Ok(number) => Natural::from(number),
            Err(_) => (self.count_with::<Natural>(set, &mut Tables::new(unlimited)))
                .expect("there is no limit"),
        }
    }

    /// Number of vectors, counted within the memory limit.
    ///
    /// # Errors
    /// If the tables exceed it.
    pub(crate) fn try_count(&self, set: Node) -> Result<Natural, Stop> {
        let remaining_bytes = self.remaining_bytes();
        match self.count_with::<u128>(set, &mut Tables::new(remaining_bytes)) {
            Ok(number) => return Ok(Natural::from(number)),
            Err(lack) => lack.stop_unless_overflow()?,
        }
        (self.count_with::<Natural>(set, &mut Tables::new(remaining_bytes)))
            .map_err(|_| Stop::Memory)
    }

    pub(crate) fn count_with<N: Count>(
        &self,
        set: Node,
        tables: &mut Tables<N>,
    ) -> Result<N, CountError> {
        match set {
            EMPTY => return Ok(N::zero()),
            UNIT => return Ok(N::one()),
            _ => {}
        }
        if let Some(number) = tables.sets.get(&set) {
            return Ok(number.clone());
        }
        let mut sum = N::zero();
        for (_, down) in self.list(set) {
            let number = self.count_with(down, tables)?;
            if !sum.increase(&number) {
                return Err(CountError::Overflow);
            }
        }
        tables.take_entry()?;
        tables.sets.insert(set, sum.clone());
        Ok(sum)
    }

    /// Number of steps from a set: pairs of a vector and a row of the relation that applies to it.
    pub(crate) fn count_steps(&self, set: Node, relation: Node, shape: Shape) -> Natural {
        let unlimited = usize::MAX;
        let mut tables = Tables::new(unlimited);
        if let Ok(number) = self.steps_with::<u128>(set, relation, shape, &mut tables) {
            return Natural::from(number);
        }
        (self.steps_with::<Natural>(set, relation, shape, &mut Tables::new(unlimited)))
            .expect("there is no limit")
    }

    pub(crate) fn steps_with<N: Count>(
        &self,
        set: Node,
        relation: Node,
        shape: Shape,
        tables: &mut Tables<N>,
    ) -> Result<N, CountError> {
        if set == EMPTY || relation == EMPTY {
            return Ok(N::zero());
        }
        if shape == Shape::END {
            return self.count_with(set, tables);
        }
        let key = (set, relation, shape);
        if let Some(number) = tables.steps.get(&key) {
            return Ok(number.clone());
        }
        let (mode, rest) = self.shapes.parts(shape);
        let mut sum = N::zero();
        for (value, down) in self.list(set) {
            let mut add = |below: Node| {
                let number = self.steps_with(down, below, rest, tables)?;
                (sum.increase(&number))
                    .then_some(())
                    .ok_or(CountError::Overflow)
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
        tables.take_entry()?;
        tables.steps.insert(key, sum.clone());
        Ok(sum)
    }

    /// Number of nodes of a diagram.
    pub(crate) fn size(&self, set: Node) -> usize {
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
}

/// Memo tables.
pub(crate) struct Tables<N> {
    steps: FxHashMap<(Node, Node, Shape), N>,
    sets: FxHashMap<Node, N>,
    /// Number of entries that may still be added.
    room: usize,
}

impl<N: Count> Tables<N> {
    /// Tables of at most this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            steps: FxHashMap::default(),
            sets: FxHashMap::default(),
            room: bytes / N::BYTES,
        }
    }

    /// Clears the table of steps.
    pub(crate) fn forget_steps(&mut self) {
        self.room = self.room.saturating_add(self.steps.len());
        self.steps = FxHashMap::default();
    }

    fn take_entry(&mut self) -> Result<(), CountError> {
        self.room = self.room.checked_sub(1).ok_or(CountError::Memory)?;
        Ok(())
    }
}
