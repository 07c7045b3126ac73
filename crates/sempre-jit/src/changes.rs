//! Wide states: records that list changes.
//!
//! A step of a program with thousands of cells changes a few of them. In states of more than
//! [`WIDE`](crate::compiled_system::WIDE) words a record is a header, the number of words that change, and each of
//! these words with its new value. The cost of a step then depends on what it reads and writes. Effects run in a copy
//! of the state, which all steps of the state share. Array elements are written there in place and restored
//! afterwards ([`crate::arrays`]). Each successor is passed to the sink in this copy, with the list of the words that
//! differ, and the copy is restored after that.
//!
//! Atomic steps expand their intermediate states in the same copy. If a step branches, the waiting states are stored
//! as lists of differences. A chain without branches is compared with one earlier state of it, the latest whose
//! number is a power of two, by a hash that is the sum of the hashes of its words (Brent, "An improved Monte Carlo
//! factorization algorithm", BIT 1980): a loop that fills an array has many thousand states. After a branch every
//! state is stored, as in [`crate::atomic`].

use crate::compiled_system::{CompiledContext, CompiledSystem, index_records};
use crate::difference::{Changes, Difference, each_record, pairs};
use crate::native::Native;
use sempre_model::Field;
use sempre_model::interpreter::MAX_INTERMEDIATE_STATES;
use sempre_model::ir::VariableId;
use sempre_model::{Sink, Step};

/// The number of states in a chain after which cycles are checked for.
const CYCLE_CHECK_AFTER: usize = 64;

impl CompiledSystem {
    /// Passes the successors of a wide state to the sink. Returns `None`, without having passed any, if the
    /// interpreter must handle the state.
    pub(crate) fn emit_changes(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        state: &[u64],
        sink: &mut impl Sink,
    ) -> Option<()> {
        let header = native.header;
        let atomic = self.program().atomic;
        // Rows of tables have marks, and there is no rule for combining the marks of several parts.
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
        let known = match atomic {
            None => {
                for r in order {
                    let record = &context.records[changes.starts[r as usize] as usize..];
                    emit(&mut changes, record, header, state, sink);
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
                let known = self.expand_all_steps(context, native, state, register, &mut changes);
                if known.is_some() {
                    let ends = std::mem::take(&mut changes.ends);
                    for record in each_record(&ends, 1) {
                        emit(&mut changes, record, 1, state, sink);
                    }
                    changes.ends = ends;
                }
                known
            }
        };
        context.changes = changes;
        known
    }

    /// Computes the end states of all first steps.
    fn expand_all_steps(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        source: &[u64],
        register: VariableId,
        changes: &mut Changes,
    ) -> Option<()> {
        let field = (self.layout()).field(self.program().variable(register).first);
        changes.ends.clear();
        let first = std::mem::take(&mut changes.first);
        let mut known = Some(());
        for record in each_record(&first, 1) {
            pairs(record, 1).for_each(|(word, value)| changes.set(word, value));
            if field.get(&changes.state) == 0 {
                changes.end(record[0], source);
            } else {
                known = self.expand_step(context, native, source, record[0], &field, changes);
            }
            changes.undo(source);
            if known.is_none() {
                break;
            }
        }
        changes.first = first;
        known
    }

    /// Adds the end states of an incomplete step, starting from its current state.
    fn expand_step(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        source: &[u64],
        action: u64,
        field: &Field,
        changes: &mut Changes,
    ) -> Option<()> {
        changes.seen.clear();
        changes.waiting.clear();
        let before = changes.ends.len();
        let (mut steps, mut branched) = (0usize, false);
        let mut earlier: Option<(u64, Difference)> = None;
        loop {
            sempre_base::checkpoint();
            steps += 1;
            if steps >= MAX_INTERMEDIATE_STATES {
                return None;
            }
            let again = if branched {
                let here = changes.difference(source);
                !changes.seen.insert(here)
            } else if steps >= CYCLE_CHECK_AFTER && steps.is_power_of_two() {
                earlier = Some((changes.hash, changes.difference(source)));
                false
            } else {
                let same = |(hash, other): &(u64, Difference), changes: &mut Changes| {
                    *hash == changes.hash && *other == changes.difference(source)
                };
                earlier.as_ref().is_some_and(|e| same(e, changes))
            };
            let mut continues = false;
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
                    changes.end(action, source);
                }
                let is_intermediate = |record: &[u64], changes: &Changes| {
                    let written = pairs(record, 1).filter(|p| p.0 == field.word).last();
                    let word = written.map_or(changes.state[field.word as usize], |p| p.1);
                    Field { word: 0, ..*field }.get(&[word]) != 0
                };
                if count > 1 && !branched && records.clone().any(|r| is_intermediate(r, changes)) {
                    branched = true;
                    let here = changes.difference(source);
                    changes.seen.insert(here);
                }
                let here = (count > 1).then(|| changes.difference(source));
                for record in records {
                    let is_intermediate = is_intermediate(record, changes);
                    pairs(record, 1).for_each(|(word, value)| changes.set(word, value));
                    match (is_intermediate, &here) {
                        (false, _) => changes.end(action, source),
                        (true, None) => continues = true,
                        (true, Some(_)) => {
                            let other = changes.difference(source);
                            changes.waiting.push(other);
                        }
                    }
                    if let Some(here) = &here {
                        changes.apply(here, source);
                    }
                }
                context.changes.starts = starts;
            }
            if continues {
                continue;
            }
            match changes.waiting.pop() {
                Some(next) => changes.apply(&next, source),
                None => break,
            }
        }
        (changes.ends.len() > before).then_some(())
    }

    /// Fills the context with the records of the steps of the holder in an intermediate state. Returns their number.
    /// Meanwhile `changes` holds the context's data of the source state.
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
            return Some(index_records(context, length, 1));
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

/// Passes the successor of a record to the sink.
fn emit(
    changes: &mut Changes,
    record: &[u64],
    header: usize,
    source: &[u64],
    sink: &mut impl Sink,
) {
    for (word, value) in pairs(record, header) {
        let place = word as usize;
        if changes.state[place] == source[place] && value != source[place] {
            changes.touched.push(word);
        }
        changes.state[place] = value;
    }
    // If a word has several pairs, the last one is valid, and its value may be the old one.
    let state = &changes.state;
    (changes.touched).retain(|&word| state[word as usize] != source[word as usize]);
    let step = Step {
        action: record[0] as u32,
        marks: if header > 1 { record[1] } else { 0 },
    };
    changes.touched.sort_unstable();
    changes.touched.dedup();
    sink.changed(step, &changes.state, &changes.touched);
    for &word in &changes.touched {
        changes.state[word as usize] = source[word as usize];
    }
    changes.touched.clear();
}
