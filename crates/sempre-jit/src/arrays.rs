//! Lookup tables for the arrays of wide states.
//!
//! An access to an array element with a computed index takes one piece of code for each word that the array occupies
//! ([`crate::segments`]). For an array of a thousand words this is too much code, and an effect that writes one
//! element would carry a thousand words. In wide states each array has a table with the field of each element
//! instead. An access is then two loads and a shift, whatever the layout. Elements are written **in place**, in the
//! state itself, by functions that log the previous value of the word. When the effect ends, the log becomes the list
//! of changes of the record ([`crate::changes`]), and the state is restored.
//!
//! The **slot** identifies a record under construction: it is the word that counts the pairs of the record, and the
//! pairs follow it.

use sempre_model::Layout;
use sempre_model::ir::{Program, VariableId};
use std::mem::offset_of;

/// The most words that an effect with a loop may log. The interpreter handles effects that write more.
pub(crate) const MAX_LOG: usize = 4096;

/// The place of an element, in the layout that native code reads.
#[repr(C)]
struct Entry {
    word: u64,
    shift: u64,
    mask: u64,
    min: i64,
}

/// Bytes from entry to entry, and the offsets of the parts of an entry.
pub(crate) const ENTRY: i64 = size_of::<Entry>() as i64;
pub(crate) const WORD: i32 = offset_of!(Entry, word) as i32;
pub(crate) const SHIFT: i32 = offset_of!(Entry, shift) as i32;
pub(crate) const MASK: i32 = offset_of!(Entry, mask) as i32;
pub(crate) const MIN: i32 = offset_of!(Entry, min) as i32;

/// The table of an array.
pub(crate) struct ArrayTable {
    entries: Box<[Entry]>,
    /// The least and the greatest number that any element can hold.
    pub bounds: (i64, i64),
    /// Is the minimum of every element zero?
    pub from_zero: bool,
}

impl ArrayTable {
    pub(crate) fn new(program: &Program, layout: &Layout, variable: VariableId) -> Self {
        let v = program.variable(variable);
        let fields = (v.first..v.first + v.cells()).map(|cell| layout.field(cell));
        let (mut bounds, mut from_zero) = ((i64::MAX, i64::MIN), true);
        let entries = fields
            .map(|field| {
                let (low, high) = crate::operand::field_interval(&field);
                bounds = (bounds.0.min(low), bounds.1.max(high));
                from_zero &= field.min == 0;
                Entry {
                    word: u64::from(field.word),
                    shift: u64::from(field.shift) % 64,
                    mask: field.mask(),
                    min: field.min,
                }
            })
            .collect();
        Self {
            entries,
            bounds,
            from_zero,
        }
    }

    /// The address of the first entry.
    pub(crate) fn address(&self) -> i64 {
        self.entries.as_ptr() as i64
    }
}

/// Appends the word and its value to the log, and replaces the value.
///
/// # Safety
/// The slot has room for one more pair, and the state has that word.
unsafe fn log_and_write(state: *mut u64, slot: *mut u64, word: u64, value: u64) {
    // SAFETY: the caller guarantees both.
    unsafe {
        let count = *slot as usize;
        let pair = slot.add(1 + 2 * count);
        let place = state.add(word as usize);
        *pair = word;
        *pair.add(1) = *place;
        *place = value;
        *slot += 1;
    }
}

/// Writes an element in place. Returns 0 if the interpreter must handle the state.
///
/// # Safety
/// The table is that of an array in the layout of the state, the index is in it, and the slot is followed by room for
/// [`MAX_LOG`] pairs and those of [`write_word`]. State and slot do not overlap.
pub(crate) unsafe extern "C" fn write_element(
    state: *mut u64,
    slot: *mut u64,
    array: &ArrayTable,
    index: u64,
    value: i64,
) -> usize {
    let entry = &array.entries[index as usize];
    let stored = value.wrapping_sub(entry.min) as u64;
    // SAFETY: the slot is a word of the record.
    let logged = unsafe { *slot } as usize;
    if stored > entry.mask || logged >= MAX_LOG {
        return 0;
    }
    if entry.mask != 0 {
        // SAFETY: fields are in words of the state; there is room for another pair, by the test above.
        unsafe {
            let old = *state.add(entry.word as usize);
            let new = old & !(entry.mask << entry.shift) | stored << entry.shift;
            if new != old {
                log_and_write(state, slot, entry.word, new);
            }
        }
    }
    1
}

/// Writes a word in place.
///
/// # Safety
/// As for [`log_and_write`].
pub(crate) unsafe extern "C" fn write_word(
    state: *mut u64,
    slot: *mut u64,
    word: u64,
    new: u64,
) -> usize {
    // SAFETY: the caller guarantees it.
    unsafe { log_and_write(state, slot, word, new) }
    1
}

/// Turns the log into changes: undoes the writes, the latest first, and puts the new words in the place of the old
/// ones. If a word has several pairs, the last one is valid. Returns the end of the record.
///
/// # Safety
/// The pairs of the slot were written by [`write_element`] and [`write_word`] for this state.
pub(crate) unsafe extern "C" fn undo_writes(state: *mut u64, slot: *mut u64) -> usize {
    // SAFETY: this many pairs were written behind the slot, and their words are words of the state.
    unsafe {
        let count = *slot as usize;
        for i in (0..count).rev() {
            let pair = slot.add(1 + 2 * i);
            std::ptr::swap(pair.add(1), state.add(*pair as usize));
        }
        slot.add(1 + 2 * count) as usize
    }
}
