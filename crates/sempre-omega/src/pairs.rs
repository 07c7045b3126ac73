//! Pairs of states, numbered in the order in which they are found.
//!
//! All operations that read a word with two automata at once use them. An exploration takes the pairs in the order of
//! their numbers, requests the numbers of the successors of each, and ends when it has taken all: it is breadth
//! first, and finds exactly the reachable pairs.

use rustc_hash::FxHashMap;

/// See the module's documentation.
pub(crate) struct Pairs {
    found: Vec<(u32, u32)>,
    numbers: FxHashMap<(u32, u32), u32>,
}

impl Pairs {
    /// Each of the first with each of the second.
    pub(crate) fn of(first: &[u32], second: &[u32]) -> Self {
        let mut pairs = Self {
            found: Vec::new(),
            numbers: FxHashMap::default(),
        };
        for &s in first {
            for &t in second {
                pairs.number((s, t));
            }
        }
        pairs
    }

    /// The numbers of all pairs found.
    pub(crate) fn numbers(&self) -> std::ops::Range<u32> {
        0..self.found.len() as u32
    }

    /// The pair with a number.
    pub(crate) fn get(&self, number: u32) -> Option<(u32, u32)> {
        self.found.get(number as usize).copied()
    }

    /// The number of a pair, the next one if the pair is new.
    pub(crate) fn number(&mut self, pair: (u32, u32)) -> u32 {
        *self.numbers.entry(pair).or_insert_with(|| {
            self.found.push(pair);
            self.found.len() as u32 - 1
        })
    }

    /// All pairs found, by their numbers.
    pub(crate) fn into_found(self) -> Vec<(u32, u32)> {
        self.found
    }
}
