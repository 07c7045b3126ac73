//! Wide states: records that list what changes.
//!
//! A step of a program with thousands of cells changes a few. In states of more than [`WIDE`] words a record is a header,
//! the number of words that change, and each of them with its new value, so that what a step costs depends on what it reads and
//! writes. Effects run in a copy of the state, made once for all of its steps; elements of arrays are written there in
//! place and taken back ([`crate::arrays`]), and each successor is shown to the sink in this copy, with the words in which it
//! differs, and taken back as well.
//!
//! Atomic steps pass through states in the same way: a chain of states is gone through in the copy, and what waits
//! because there were several ways is kept as the list of its differences. A chain without branches is compared with one
//! earlier state of it, the latest whose number is a power of two, by a hash that is the sum of those of its words (Brent,
//! "An improved Monte Carlo factorization algorithm", BIT 1980): a loop that fills an array has many thousand states. Once there
//! were several ways, each state is remembered, as in [`crate::atomic`].

use crate::compiled_system::{CompiledContext, CompiledSystem};
use crate::native::Native;
use rustc_hash::FxHashSet;
use sempre_model::Field;
use sempre_model::interpreter::PASSED;
use sempre_model::ir::VariableId;
use sempre_model::{Sink, Step};

/// States of more words are wide.
pub(crate) const WIDE: usize = 32;

/// A chain of so many states may be a circle.
const CHAIN: usize = 64;

/// The words in which two states differ, in order, with their values in one of them.
type Difference = Box<[(u32, u64)]>;

/// The scratch space.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Where each record starts.
    pub(crate) starts: Vec<u32>,
    /// A state, and the words in which it may differ from the one that is left.
    state: Vec<u64>,
    touched: Vec<u32>,
    /// For each word the epoch in which it was touched last.
    stamps: Vec<u32>,
    epoch: u32,
    /// The sum of the hashes of the words touched, less those of the words that they replace.
    hash: u64,
    /// Records of the state that is left, in order, and records of where atomic steps end.
    first: Vec<u64>,
    ends: Vec<u64>,
    open: Vec<Difference>,
    seen: FxHashSet<Difference>,
}

/// Something that depends on every bit of a word and on its place.
#[inline]
fn hash(word: u32, value: u64) -> u64 {
    let key = u128::from(value ^ u64::from(word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let product = key * 0xd6e8_feb8_6659_fd93_d6e8_feb8_6659_fd93;
    (product as u64) ^ (product >> 64) as u64
}

impl Changes {
    /// Begins with a state.
    fn begin(&mut self, state: &[u64]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.stamps.resize(state.len(), 0);
        self.forget();
    }

    /// The state is the one that is left again.
    fn forget(&mut self) {
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
    fn set(&mut self, word: u32, value: u64) {
        let place = word as usize;
        if self.stamps[place] != self.epoch {
            self.stamps[place] = self.epoch;
            self.touched.push(word);
        }
        let old = std::mem::replace(&mut self.state[place], value);
        let difference = hash(word, value).wrapping_sub(hash(word, old));
        self.hash = self.hash.wrapping_add(difference);
    }

    /// Back to the state that is left.
    fn take_back(&mut self, left: &[u64]) {
        for &word in &self.touched {
            self.state[word as usize] = left[word as usize];
        }
        self.forget();
    }

    /// What differs from the state that is left.
    fn difference(&mut self, left: &[u64]) -> Difference {
        self.touched.sort_unstable();
        let state = &self.state;
        let words = self.touched.iter();
        let differ = words.filter(|&&w| state[w as usize] != left[w as usize]);
        differ.map(|&w| (w, state[w as usize])).collect()
    }

    /// The state that differs so from the one that is left.
    fn go_to(&mut self, difference: &Difference, left: &[u64]) {
        self.take_back(left);
        for &(word, value) in difference {
            self.set(word, value);
        }
    }

    /// Adds the state to the ends of atomic steps.
    fn end(&mut self, action: u64, left: &[u64]) {
        let difference = self.difference(left);
        self.ends.push(action);
        self.ends.push(difference.len() as u64);
        for &(word, value) in &difference {
            self.ends.extend([u64::from(word), value]);
        }
    }
}

/// The pairs of a record whose header has this length.
fn pairs(record: &[u64], header: usize) -> impl Iterator<Item = (u32, u64)> {
    let count = record[header] as usize;
    let pairs = record[header + 1..header + 1 + 2 * count].chunks_exact(2);
    pairs.map(|pair| (pair[0] as u32, pair[1]))
}

/// The records in a buffer, one behind the other.
fn each_record(mut records: &[u64], header: usize) -> impl Iterator<Item = &[u64]> {
    std::iter::from_fn(move || {
        let count = *records.get(header)? as usize;
        let (record, rest) = records.split_at(header + 1 + 2 * count);
        records = rest;
        Some(record)
    })
}

/// Fills the context with where these records start; their number.
fn find(context: &mut CompiledContext, length: usize, header: usize) -> usize {
    let starts = &mut context.changes.starts;
    starts.clear();
    let mut start = 0;
    for record in each_record(&context.records[..length], header) {
        starts.push(start as u32);
        start += record.len();
    }
    starts.len()
}

impl CompiledSystem {
    /// Fills the context with the records of the state; their number, or `None` if the interpreter must be asked.
    pub(crate) fn list(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        state: &[u64],
    ) -> Option<usize> {
        context.changes.begin(state);
        let (changes, records) = (&mut context.changes, &mut context.records);
        let length = native.changes_of(&mut changes.state, records)?;
        Some(find(context, length, native.header))
    }

    /// Tells the successors of a wide state. `None`, and nothing is told, if the interpreter must be asked.
    pub(crate) fn tell_changes(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        state: &[u64],
        sink: &mut impl Sink,
    ) -> Option<()> {
        let header = native.header;
        let atomic = self.program().atomic;
        // Rows of tables have marks, which nobody would put together.
        if atomic.is_some() && header != 1 {
            return None;
        }
        let (count, selected) = self.expand(context, state)?;
        let mut changes = std::mem::take(&mut context.changes);
        let number = if selected { context.order.len() } else { count };
        let order = (0..number as u32).map(|i| match selected {
            true => context.order[i as usize],
            false => i,
        });
        let told = match atomic {
            None => {
                for r in order {
                    let record = &context.records[changes.starts[r as usize] as usize..];
                    tell(&mut changes, record, header, state, sink);
                }
                Some(())
            }
            Some(register) => {
                changes.first.clear();
                for r in order {
                    let record = &context.records[changes.starts[r as usize] as usize..];
                    let length = 2 + 2 * record[1] as usize;
                    changes.first.extend_from_slice(&record[..length]);
                }
                let passed = self.pass_all(context, native, state, register, &mut changes);
                if passed.is_some() {
                    let ends = std::mem::take(&mut changes.ends);
                    for record in each_record(&ends, 1) {
                        tell(&mut changes, record, 1, state, sink);
                    }
                    changes.ends = ends;
                }
                passed
            }
        };
        context.changes = changes;
        told
    }

    /// Finds the ends of all first steps.
    fn pass_all(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        left: &[u64],
        register: VariableId,
        changes: &mut Changes,
    ) -> Option<()> {
        let field = (self.layout()).field(self.program().variable(register).first);
        changes.ends.clear();
        let first = std::mem::take(&mut changes.first);
        let mut passed = Some(());
        for record in each_record(&first, 1) {
            pairs(record, 1).for_each(|(word, value)| changes.set(word, value));
            if field.get(&changes.state) == 0 {
                changes.end(record[0], left);
            } else {
                passed = self.pass_changes(context, native, left, record[0], &field, changes);
            }
            changes.take_back(left);
            if passed.is_none() {
                break;
            }
        }
        changes.first = first;
        passed
    }

    /// Adds the ends of a step that is not over, from the state that it has come to.
    fn pass_changes(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        left: &[u64],
        action: u64,
        field: &Field,
        changes: &mut Changes,
    ) -> Option<()> {
        changes.seen.clear();
        changes.open.clear();
        let before = changes.ends.len();
        let (mut steps, mut branched) = (0usize, false);
        let mut earlier: Option<(u64, Difference)> = None;
        loop {
            steps += 1;
            if steps >= PASSED {
                return None;
            }
            let again = if branched {
                let here = changes.difference(left);
                !changes.seen.insert(here)
            } else if steps >= CHAIN && steps.is_power_of_two() {
                earlier = Some((changes.hash, changes.difference(left)));
                false
            } else {
                let same = |(hash, there): &(u64, Difference), changes: &mut Changes| {
                    *hash == changes.hash && *there == changes.difference(left)
                };
                earlier.as_ref().is_some_and(|e| same(e, changes))
            };
            let mut on = false;
            if !again {
                let count =
                    self.own_changes(context, native, field.get(&changes.state), changes)?;
                let starts = std::mem::take(&mut context.changes.starts);
                let records = starts.iter().map(|&s| &context.records[s as usize..]);
                if count == 0 {
                    let mut word = [changes.state[field.word as usize]];
                    let alone = Field { word: 0, ..*field };
                    alone.set(&mut word, 0);
                    changes.set(field.word, word[0]);
                    changes.end(action, left);
                }
                let passes = |record: &[u64], changes: &Changes| {
                    let written = pairs(record, 1).filter(|p| p.0 == field.word).last();
                    let word = written.map_or(changes.state[field.word as usize], |p| p.1);
                    Field { word: 0, ..*field }.get(&[word]) != 0
                };
                if count > 1 && !branched && records.clone().any(|r| passes(r, changes)) {
                    branched = true;
                    let here = changes.difference(left);
                    changes.seen.insert(here);
                }
                let here = (count > 1).then(|| changes.difference(left));
                for record in records {
                    let passes = passes(record, changes);
                    pairs(record, 1).for_each(|(word, value)| changes.set(word, value));
                    match (passes, &here) {
                        (false, _) => changes.end(action, left),
                        (true, None) => on = true,
                        (true, Some(_)) => {
                            let there = changes.difference(left);
                            changes.open.push(there);
                        }
                    }
                    if let Some(here) = &here {
                        changes.go_to(here, left);
                    }
                }
                context.changes.starts = starts;
            }
            if on {
                continue;
            }
            match changes.open.pop() {
                Some(next) => changes.go_to(&next, left),
                None => break,
            }
        }
        (changes.ends.len() > before).then_some(())
    }

    /// Fills the context with the records of what the holder can do in a state on the way; their number. What the context
    /// had of the state that is left is in `changes` meanwhile.
    fn own_changes(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        holder: i64,
        changes: &mut Changes,
    ) -> Option<usize> {
        if native.has_own() {
            let process = usize::try_from(holder - 1).ok()?;
            let records = &mut context.records;
            let length = native.own_changes(process, &mut changes.state, records)?;
            return Some(find(context, length, 1));
        }
        let (count, selected) = self.expand(context, &changes.state)?;
        let order: Vec<u32> = match selected {
            true => context.order.clone(),
            false => (0..count as u32).collect(),
        };
        let starts = &mut context.changes.starts;
        let own = order.into_iter().map(|r| starts[r as usize]);
        let is_own = |&start: &u32| {
            let action = context.records[start as usize] as usize;
            self.program().actions[action].is_of_holder(holder)
        };
        *starts = own.filter(is_own).collect();
        Some(starts.len())
    }
}

/// Shows the successor of a record to the sink.
fn tell(changes: &mut Changes, record: &[u64], header: usize, left: &[u64], sink: &mut impl Sink) {
    for (word, value) in pairs(record, header) {
        let place = word as usize;
        if changes.state[place] == left[place] && value != left[place] {
            changes.touched.push(word);
        }
        changes.state[place] = value;
    }
    // Of several pairs of one word the last counts, and it may be the old value again.
    let state = &changes.state;
    (changes.touched).retain(|&word| state[word as usize] != left[word as usize]);
    let step = Step {
        action: record[0] as u32,
        marks: if header > 1 { record[1] } else { 0 },
    };
    changes.touched.sort_unstable();
    changes.touched.dedup();
    sink.changed(step, &changes.state, &changes.touched);
    for &word in &changes.touched {
        changes.state[word as usize] = left[word as usize];
    }
    changes.touched.clear();
}
