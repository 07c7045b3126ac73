//! Numbering of the values of cells.

use crate::dd::shape::COPY;
use rustc_hash::FxHashMap;

/// The values of each cell, numbered downwards in the order in which they are found: a new value is the head of a list,
/// whose rest is shared with the old list.
#[derive(Clone, Debug)]
pub(crate) struct ValueNumbering {
    values: Vec<Vec<i64>>,
    numbers: Vec<FxHashMap<i64, u32>>,
    /// The greatest absolute value of each cell.
    max_abs: Vec<u64>,
    /// The values of each cell that have occurred in a state; a number alone is no occurrence.
    has_occurred: Vec<Vec<bool>>,
    /// The numbers of these values, in the order of their first occurrence.
    pub occurrence_order: Vec<Vec<u32>>,
    /// Their number, over all cells.
    pub occurrences: usize,
}

impl ValueNumbering {
    /// An empty numbering for this many cells.
    pub(crate) fn new(cells: usize) -> Self {
        Self {
            values: vec![Vec::new(); cells],
            numbers: vec![FxHashMap::default(); cells],
            max_abs: vec![0; cells],
            has_occurred: vec![Vec::new(); cells],
            occurrence_order: vec![Vec::new(); cells],
            occurrences: 0,
        }
    }

    /// The number of a value of a cell; a new value gets one.
    pub(crate) fn number(&mut self, cell: u32, value: i64) -> u32 {
        let values = &mut self.values[cell as usize];
        let max_abs = &mut self.max_abs[cell as usize];
        *self.numbers[cell as usize].entry(value).or_insert_with(|| {
            values.push(value);
            *max_abs = value.unsigned_abs().max(*max_abs);
            COPY - values.len() as u32
        })
    }

    /// The number of a value of a cell, if it has one.
    pub(crate) fn existing_number(&self, cell: u32, value: i64) -> Option<u32> {
        self.numbers[cell as usize].get(&value).copied()
    }

    /// The value of a cell with this number.
    pub(crate) fn value(&self, cell: u32, number: u32) -> i64 {
        self.values[cell as usize][(COPY - 1 - number) as usize]
    }

    /// The greatest absolute value of a cell.
    pub(crate) fn max_abs(&self, cell: u32) -> u64 {
        self.max_abs[cell as usize]
    }

    /// Records that a value has occurred in a state.
    #[inline]
    pub(crate) fn occurs(&mut self, cell: u32, number: u32) {
        let (cell, index) = (cell as usize, (COPY - 1 - number) as usize);
        if self.has_occurred[cell].get(index) != Some(&true) {
            self.first_occurrence(cell, index);
        }
    }

    #[cold]
    fn first_occurrence(&mut self, cell: usize, index: usize) {
        let flags = &mut self.has_occurred[cell];
        if flags.len() <= index {
            flags.resize(index + 1, false);
        }
        flags[index] = true;
        self.occurrence_order[cell].push(COPY - 1 - index as u32);
        self.occurrences += 1;
    }

    /// The numbers of the values that have occurred in a cell, the greatest first.
    pub(crate) fn occurred(&self, cell: u32) -> impl Iterator<Item = u32> {
        let all = self.has_occurred[cell as usize].iter().enumerate();
        all.filter(|(_, has)| **has)
            .map(|(i, _)| COPY - 1 - i as u32)
    }
}
