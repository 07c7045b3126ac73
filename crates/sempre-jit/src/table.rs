//! Table actions: a lookup in Rust that native code calls.
//!
//! Rows are found by a hash of the compared cells. The writes of a row are packed in advance.

use rustc_hash::FxHashMap;
use sempre_model::Layout;
use sempre_model::ir::{Program, Table};
use std::collections::BTreeMap;

/// The effect of a row on the words of a state: `word & keep | bits`. `None` if the interpreter must handle the
/// state: a value is out of range, or has no room.
type Patch = Option<Vec<(u32, u64, u64)>>;

/// A table prepared for a layout.
pub(crate) struct NativeTable {
    action: u32,
    /// For each word that is compared, the bits of its fields.
    masks: Vec<(u32, u64)>,
    /// The steps by the compared bits, one word each.
    rows: FxHashMap<Vec<u64>, Vec<(u64, Patch)>>,
    header: usize,
    width: usize,
    /// Do records list changes ([`crate::changes`])?
    changes: bool,
}

impl NativeTable {
    /// The most rows that can match one state.
    pub(crate) fn max_steps(table: &Table) -> usize {
        let mut count: FxHashMap<&[i64], usize> = FxHashMap::default();
        for (from, _) in &table.rows {
            *count.entry(key(table, from)).or_default() += 1;
        }
        count.into_values().max().unwrap_or(0)
    }

    pub(crate) fn new(
        program: &Program,
        layout: &Layout,
        action: u32,
        table: &Table,
        header: usize,
        changes: bool,
    ) -> Self {
        let width = layout.width();
        let mut masks: BTreeMap<u32, u64> = BTreeMap::new();
        for &cell in &table.reads {
            let field = layout.field(cell);
            if field.bits > 0 {
                *masks.entry(field.word).or_default() |= field.mask() << field.shift;
            }
        }
        let masks: Vec<(u32, u64)> = masks.into_iter().collect();
        let mut words = vec![0; width];
        let mut rows: FxHashMap<Vec<u64>, Vec<(u64, Patch)>> = FxHashMap::default();
        for (row, (from, to)) in table.rows.iter().enumerate() {
            for &(word, _) in &masks {
                words[word as usize] = 0;
            }
            let reads = table.reads.iter().zip(from);
            // A value without room occurs in no state. A cell may be listed twice, with two values.
            let possible = (reads.clone()).all(|(&c, &v)| layout.field(c).set(&mut words, v))
                && reads
                    .clone()
                    .all(|(&c, &v)| layout.field(c).get(&words) == v);
            if !possible {
                continue;
            }
            let key = masks.iter().map(|&(w, _)| words[w as usize]).collect();
            let steps = rows.entry(key).or_default();
            steps.push((table.marks_of(row), patch(program, layout, table, to)));
        }
        Self {
            action,
            masks,
            rows,
            header,
            width,
            changes,
        }
    }

    /// Appends steps as lists of changes.
    ///
    /// # Safety
    /// As for [`table_steps`].
    unsafe fn list(&self, state: &[u64], steps: &[(u64, Patch)], out: *mut u64) -> usize {
        let mut end = out;
        for (marks, patch) in steps {
            let Some(patch) = patch else {
                return 0;
            };
            // SAFETY: the caller has room for all steps, each with as many changes as the table writes cells.
            let record =
                unsafe { std::slice::from_raw_parts_mut(end, self.header + 1 + 2 * patch.len()) };
            record[0] = u64::from(self.action);
            if self.header > 1 {
                record[1] = *marks;
            }
            record[self.header] = patch.len() as u64;
            let pairs = record[self.header + 1..].chunks_exact_mut(2);
            for (&(word, keep, bits), pair) in patch.iter().zip(pairs) {
                pair[0] = u64::from(word);
                pair[1] = state[word as usize] & keep | bits;
            }
            end = end.wrapping_add(record.len());
        }
        end as usize
    }
}

/// The values that matter: a row may have more values than the table has cells.
fn key<'t>(table: &Table, from: &'t [i64]) -> &'t [i64] {
    &from[..from.len().min(table.reads.len())]
}

fn patch(program: &Program, layout: &Layout, table: &Table, to: &[i64]) -> Patch {
    let mut words: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    // A later value of the same cell overrides, so room is checked at the end.
    let mut stored: Vec<(u32, i64)> = Vec::new();
    for (&cell, &value) in table.writes.iter().zip(to) {
        let ty = &program.variable(program.variable_of_cell(cell)).ty;
        let value = ty.store(value)?;
        stored.retain(|s| s.0 != cell);
        stored.push((cell, value));
    }
    for (cell, value) in stored {
        let field = layout.field(cell);
        let number = value.wrapping_sub(field.min) as u64;
        if number > field.mask() {
            return None;
        }
        if field.bits > 0 {
            let (keep, bits) = words.entry(field.word).or_insert((u64::MAX, 0));
            *keep &= !(field.mask() << field.shift);
            *bits |= number << field.shift;
        }
    }
    let words = words.into_iter();
    Some(words.map(|(w, (keep, bits))| (w, keep, bits)).collect())
}

/// Appends the steps of a table. Returns the new end, or 0 if the interpreter must handle the state.
///
/// # Safety
/// `state` has as many words as the layout of the table, `out` has room for the most steps of the table, and the two
/// do not overlap.
pub(crate) unsafe extern "C" fn table_steps(
    state: *const u64,
    out: *mut u64,
    table: &NativeTable,
) -> usize {
    // SAFETY: the caller guarantees that the state has this many words and is not written during the call.
    let state = unsafe { std::slice::from_raw_parts(state, table.width) };
    let words = |&(word, mask): &(u32, u64)| state[word as usize] & mask;
    let mut short = [0u64; 8];
    let steps = if table.masks.len() <= short.len() {
        let short = &mut short[..table.masks.len()];
        for (to, from) in short.iter_mut().zip(&table.masks) {
            *to = words(from);
        }
        table.rows.get(&*short)
    } else {
        table
            .rows
            .get(&table.masks.iter().map(words).collect::<Vec<u64>>())
    };
    let Some(steps) = steps else {
        return out as usize;
    };
    if table.changes {
        // SAFETY: the caller guarantees it.
        return unsafe { table.list(state, steps, out) };
    }
    let stride = table.header + table.width;
    // SAFETY: the caller has room for the most steps of this table, of which these are some.
    let room = unsafe { std::slice::from_raw_parts_mut(out, steps.len() * stride) };
    for ((marks, patch), record) in steps.iter().zip(room.chunks_exact_mut(stride)) {
        let Some(patch) = patch else {
            return 0;
        };
        record[0] = u64::from(table.action);
        if table.header > 1 {
            record[1] = *marks;
        }
        let next = &mut record[table.header..];
        next.copy_from_slice(state);
        for &(word, keep, bits) in patch {
            next[word as usize] = next[word as usize] & keep | bits;
        }
    }
    out.wrapping_add(steps.len() * stride) as usize
}
