//! The levels that a relation reads and writes.
//!
//! A relation is a diagram over the levels it touches: one for what it reads and one for what it writes at each of
//! these. A shape gives the mode of each level of states, from the first on. Equal suffixes of shapes are one shape, so
//! that operations on equal diagrams share results.

use rustc_hash::FxHashMap;

/// What a relation does at a level of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// Neither reads nor writes the value. The relation has no level for it.
    Skip,
    /// Tests the value and leaves it. One level.
    Read,
    /// Overwrites the value without testing it, or leaves it if the relation has [`COPY`]. One level.
    Write,
    /// Tests the value and overwrites it. Two levels.
    ReadWrite,
}

/// As a written value: leave the value unchanged. No value of a level has this number.
pub(crate) const COPY: u32 = u32::MAX;

/// The modes from some level on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape(pub(crate) u32);

impl Shape {
    /// No further levels.
    pub(crate) const END: Shape = Shape(0);
}

/// All shapes of a forest.
#[derive(Clone, Debug)]
pub(crate) struct Shapes {
    all: Vec<(Mode, Shape)>,
    numbers: FxHashMap<(Mode, Shape), Shape>,
    pairs: FxHashMap<(Shape, Shape), u32>,
}

impl Default for Shapes {
    fn default() -> Self {
        Self {
            all: vec![(Mode::Skip, Shape::END)],
            numbers: FxHashMap::default(),
            pairs: FxHashMap::default(),
        }
    }
}

impl Shapes {
    /// Number of shapes.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// The mode at the first level, and the shape from the second on. [`Shape::END`] skips, and its rest is itself.
    #[inline]
    pub(crate) fn parts(&self, shape: Shape) -> (Mode, Shape) {
        self.all[shape.0 as usize]
    }

    /// The number of a pair of shapes.
    pub(crate) fn pair(&mut self, a: Shape, b: Shape) -> u32 {
        let next = self.pairs.len() as u32;
        let number = *self.pairs.entry((a, b)).or_insert(next);
        assert!(number < crate::dd::cache::NUMBER_LIMIT, "too many shapes");
        number
    }

    /// The shape with this mode in front.
    pub(crate) fn prepend(&mut self, mode: Mode, rest: Shape) -> Shape {
        if mode == Mode::Skip && rest == Shape::END {
            return rest;
        }
        let all = &mut self.all;
        *self.numbers.entry((mode, rest)).or_insert_with(|| {
            all.push((mode, rest));
            let number = all.len() as u32 - 1;
            assert!(number < crate::dd::cache::NUMBER_LIMIT, "too many shapes");
            Shape(number)
        })
    }
}
