//! Which levels a relation reads and writes.
//!
//! A relation is a diagram, too, over fewer levels than the states it relates: one for what is read and one for what is
//! written at each level that it touches. A shape says what the levels of its diagram are about, from the first level of states on.
//! Equal ends of shapes are one shape, so that operations on equal diagrams share their results.

use rustc_hash::FxHashMap;

/// What a relation does at a level of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Nothing: the value is not looked at and stays. The relation has no level for it.
    Skip,
    /// The value is compared and stays. One level.
    Read,
    /// The value is not looked at, and replaced, or stays where the relation says [`COPY`]. One level.
    Write,
    /// The value is compared and replaced. Two levels.
    ReadWrite,
}

/// Written, it means that the value stays. No other value is this one.
pub const COPY: u32 = u32::MAX;

/// What a relation does from some level on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape(pub(crate) u32);

impl Shape {
    /// Nothing more.
    pub const END: Shape = Shape(0);
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
    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The mode at the first level, and the shape from the second on. Of the end: it skips, and that is all.
    #[inline]
    pub fn parts(&self, shape: Shape) -> (Mode, Shape) {
        self.all[shape.0 as usize]
    }

    /// The number of a pair of shapes.
    pub fn pair(&mut self, a: Shape, b: Shape) -> u32 {
        let next = self.pairs.len() as u32;
        let number = *self.pairs.entry((a, b)).or_insert(next);
        assert!(number < crate::dd::cache::NUMBER_LIMIT, "too many shapes");
        number
    }

    /// The shape with this mode in front.
    pub fn prepend(&mut self, mode: Mode, rest: Shape) -> Shape {
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
