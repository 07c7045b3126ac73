//! The values of cells, numbered.

use crate::dd::shape::COPY;
use rustc_hash::FxHashMap;

/// The values of each cell, numbered as they are met, downwards: what is new comes first in a list, and shares the rest
/// of it with the list before.
#[derive(Clone, Debug)]
pub(crate) struct ValueNumbering {
    values: Vec<Vec<i64>>,
    numbers: Vec<FxHashMap<i64, u32>>,
    /// The most that a value of each cell is away from zero.
    max_abs: Vec<u64>,
    /// Which of the values of a cell have occurred in a state: not all that have a number have.
    has_occurred: Vec<Vec<bool>>,
    /// Their numbers, in the order in which they first occurred.
    pub occurrence_order: Vec<Vec<u32>>,
    /// How many, of all cells.
    pub occurrences: usize,
}

impl ValueNumbering {
    /// None yet, of so many cells.
    pub fn new(cells: usize) -> Self {
        Self {
            values: vec![Vec::new(); cells],
            numbers: vec![FxHashMap::default(); cells],
            max_abs: vec![0; cells],
            has_occurred: vec![Vec::new(); cells],
            occurrence_order: vec![Vec::new(); cells],
            occurrences: 0,
        }
    }

    /// The number of a value of a cell.
    pub fn number(&mut self, cell: u32, value: i64) -> u32 {
        let values = &mut self.values[cell as usize];
        let max_abs = &mut self.max_abs[cell as usize];
        *self.numbers[cell as usize].entry(value).or_insert_with(|| {
            values.push(value);
            *max_abs = value.unsigned_abs().max(*max_abs);
            COPY - values.len() as u32
        })
    }

    /// The number of a value of a cell, if it has one.
    pub fn existing_number(&self, cell: u32, value: i64) -> Option<u32> {
        self.numbers[cell as usize].get(&value).copied()
    }

    /// The value of a cell with this number.
    pub fn value(&self, cell: u32, number: u32) -> i64 {
        self.values[cell as usize][(COPY - 1 - number) as usize]
    }

    /// The most that a value of a cell is away from zero.
    pub fn max_abs(&self, cell: u32) -> u64 {
        self.max_abs[cell as usize]
    }

    /// Notes that a value has occurred in a state.
    #[inline]
    pub fn occurs(&mut self, cell: u32, number: u32) {
        let (cell, index) = (cell as usize, (COPY - 1 - number) as usize);
        if self.has_occurred[cell].get(index) != Some(&true) {
            self.first_occurrence(cell, index);
        }
    }

    #[cold]
    fn first_occurrence(&mut self, cell: usize, index: usize) {
        let known = &mut self.has_occurred[cell];
        if known.len() <= index {
            known.resize(index + 1, false);
        }
        known[index] = true;
        self.occurrence_order[cell].push(COPY - 1 - index as u32);
        self.occurrences += 1;
    }

    /// The numbers of the values that have occurred in a cell, the greatest first.
    pub fn occurred(&self, cell: u32) -> impl Iterator<Item = u32> {
        let all = self.has_occurred[cell as usize].iter().enumerate();
        all.filter(|(_, has)| **has)
            .map(|(i, _)| COPY - 1 - i as u32)
    }
}
