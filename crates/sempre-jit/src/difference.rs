//! A state as the list of its differences from another state, and records that are such lists.

use rustc_hash::FxHashSet;

/// The words in which two states differ, in order, with their values in one of the states.
pub(crate) type Difference = Box<[(u32, u64)]>;

/// The scratch space of a worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// The start of each record.
    pub(crate) starts: Vec<u32>,
    /// The current state, and the words in which it may differ from the source state.
    pub(crate) state: Vec<u64>,
    pub(crate) touched: Vec<u32>,
    /// For each word the epoch of its last change.
    pub(crate) stamps: Vec<u32>,
    pub(crate) epoch: u32,
    /// The sum of the hashes of the changed words, minus those of the words that they replace.
    pub(crate) hash: u64,
    /// The records of the source state, in order, and the records of the end states of atomic steps.
    pub(crate) first: Vec<u64>,
    pub(crate) ends: Vec<u64>,
    pub(crate) waiting: Vec<Difference>,
    pub(crate) seen: FxHashSet<Difference>,
}

/// A hash that depends on every bit of a word and on its index.
#[inline]
fn hash(word: u32, value: u64) -> u64 {
    let key = u128::from(value ^ u64::from(word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let product = key * 0xd6e8_feb8_6659_fd93_d6e8_feb8_6659_fd93;
    (product as u64) ^ (product >> 64) as u64
}

impl Changes {
    /// Sets the source state.
    pub(crate) fn start_from(&mut self, state: &[u64]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.stamps.resize(state.len(), 0);
        self.clear_changes();
    }

    /// Declares the current state equal to the source state.
    pub(crate) fn clear_changes(&mut self) {
        self.touched.clear();
        self.hash = 0;
        self.epoch = match self.epoch.checked_add(1) {
            Some(epoch) => epoch,
            None => {
                self.stamps.fill(0);
                1
            }
        };
    }

    /// Changes a word.
    #[inline]
    pub(crate) fn set(&mut self, word: u32, value: u64) {
        let place = word as usize;
        if self.stamps[place] != self.epoch {
            self.stamps[place] = self.epoch;
            self.touched.push(word);
        }
        let old = std::mem::replace(&mut self.state[place], value);
        let difference = hash(word, value).wrapping_sub(hash(word, old));
        self.hash = self.hash.wrapping_add(difference);
    }

    /// Restores the source state.
    pub(crate) fn undo(&mut self, source: &[u64]) {
        for &word in &self.touched {
            self.state[word as usize] = source[word as usize];
        }
        self.clear_changes();
    }

    /// The differences from the source state.
    pub(crate) fn difference(&mut self, source: &[u64]) -> Difference {
        self.touched.sort_unstable();
        let state = &self.state;
        let words = self.touched.iter();
        let differ = words.filter(|&&w| state[w as usize] != source[w as usize]);
        differ.map(|&w| (w, state[w as usize])).collect()
    }

    /// Moves to the state with these differences from the source state.
    pub(crate) fn apply(&mut self, difference: &Difference, source: &[u64]) {
        self.undo(source);
        for &(word, value) in difference {
            self.set(word, value);
        }
    }

    /// Adds the current state to the end states of atomic steps.
    pub(crate) fn end(&mut self, action: u64, source: &[u64]) {
        let difference = self.difference(source);
        self.ends.push(action);
        self.ends.push(difference.len() as u64);
        for &(word, value) in &difference {
            self.ends.extend([u64::from(word), value]);
        }
    }
}

/// The pairs of a record with a header of this length.
pub(crate) fn pairs(record: &[u64], header: usize) -> impl Iterator<Item = (u32, u64)> {
    let count = record[header] as usize;
    let pairs = record[header + 1..header + 1 + 2 * count].chunks_exact(2);
    pairs.map(|pair| (pair[0] as u32, pair[1]))
}

/// The records in a buffer, one behind the other.
pub(crate) fn each_record(mut records: &[u64], header: usize) -> impl Iterator<Item = &[u64]> {
    std::iter::from_fn(move || {
        let count = *records.get(header)? as usize;
        let (record, rest) = records.split_at(header + 1 + 2 * count);
        records = rest;
        Some(record)
    })
}
