//! Packing of states, one integer for each cell, into machine words.
//!
//! Each cell gets a field of just the bits that its range of values needs, which stores the difference from the least
//! value of the range. A cell with one possible value takes no bits. A field never straddles two words, so that
//! reading it is a shift and a mask.
//!
//! Ranges may be optimistic ([`crate::ranges`]): a value without room is an [`Overflow`], and [`Layout::widened`]
//! makes a layout with room for it. A value is never truncated silently.
//!
//! Invariants:
//! * I1: equal states are equal words: bits that belong to no field are zero.
//! * I2: a field has `shift + bits <= 64`, and no two fields share a bit.
//! * I3: the initial states of the program have room.
//!
//! Arithmetic is modulo 2^64, which makes the test for room a single unsigned comparison: `value - min <= 2^bits - 1`
//! holds exactly if reading the field returns the value.
//!
//! Fields are placed first-fit: in the order of declaration, the cells of each process together, so that cells that
//! are written together are close to each other; or, if that takes fewer words, from the widest to the narrowest.
//! Optimal bin packing is not attempted: the decreasing order is at most 22 % off.

use crate::ir::{Program, Variable};
use std::collections::BTreeSet;

/// States with more words are wide.
const WIDE: usize = 32;

/// The position of a cell in the words of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The word.
    pub word: u32,
    /// The position of its lowest bit.
    pub shift: u8,
    /// Number of bits, up to 64; 0 for a constant.
    pub bits: u8,
    /// The least value, which is added to the stored number.
    pub min: i64,
}

impl Field {
    /// The greatest number that the field can store.
    pub fn mask(&self) -> u64 {
        mask(self.bits)
    }

    /// Reads the field.
    pub fn get(&self, words: &[u64]) -> i64 {
        if self.bits == 0 {
            return self.min;
        }
        let stored = (words[self.word as usize] >> self.shift) & self.mask();
        self.min.wrapping_add(stored as i64)
    }

    /// Writes the field; false, and nothing is written, if the value has no room.
    pub fn set(&self, words: &mut [u64], value: i64) -> bool {
        let stored = value.wrapping_sub(self.min) as u64;
        if stored > self.mask() {
            return false;
        }
        if self.bits > 0 {
            let word = &mut words[self.word as usize];
            *word = *word & !(self.mask() << self.shift) | stored << self.shift;
        }
        true
    }
}

/// The number with that many low bits set.
fn mask(bits: u8) -> u64 {
    u64::MAX.checked_shr(64 - u32::from(bits)).unwrap_or(0)
}

/// A value without room in the field of its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow {
    /// The cell.
    pub cell: u32,
    /// The value.
    pub value: i64,
}

/// See the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    fields: Vec<Field>,
    /// The range of each cell; its field may have room for more.
    ranges: Vec<(i64, i64)>,
    /// Sound bounds on the values of each cell: the bounds of its type, or tighter.
    limits: Vec<(i64, i64)>,
    width: usize,
}

impl Layout {
    /// A layout with room for these ranges and for the initial states. Ranges are cut to the bounds of the types.
    ///
    /// # Panics
    /// If there is not one range for each cell.
    pub fn new(program: &Program, ranges: &[(i64, i64)]) -> Self {
        assert_eq!(ranges.len(), program.cells(), "one range for each cell");
        let mut ranges = ranges.to_vec();
        let mut limits = ranges.clone();
        for v in &program.variables {
            let (low, high) = v.ty.bounds();
            for cell in v.first..v.first + v.cells() {
                limits[cell as usize] = (low, high.max(low));
                let (min, max) = &mut ranges[cell as usize];
                *min = (*min).clamp(low, high.max(low));
                *max = (*max).clamp(*min, high.max(*min));
            }
        }
        for state in &program.initial {
            for (range, &value) in ranges.iter_mut().zip(state) {
                *range = (range.0.min(value), range.1.max(value));
            }
        }
        let bits: Vec<u8> = ranges.iter().map(|&r| bits_of(r)).collect();
        // Globals first, then process by process.
        let mut order: Vec<u32> = Vec::with_capacity(ranges.len());
        let mut variables: Vec<_> = program.variables.iter().collect();
        variables.sort_by_key(|v| v.owner.map_or(0, |p| p.0 + 1));
        for v in variables {
            order.extend(v.first..v.first + v.cells());
        }
        let (mut places, mut width) = first_fit(&order, &bits);
        order.sort_by_key(|&c| std::cmp::Reverse(bits[c as usize]));
        let decreasing = first_fit(&order, &bits);
        if decreasing.1 < width {
            (places, width) = decreasing;
        }
        let fields = (ranges.iter().zip(&bits).zip(&places))
            .map(|((&(min, max), &bits), &(word, shift))| Field {
                word,
                shift,
                bits,
                // A minimum of zero makes reading cheaper, if it costs no bit.
                min: if min > 0 && bits == bits_of((0, max)) {
                    0
                } else {
                    min
                },
            })
            .collect();
        Self {
            fields,
            ranges,
            limits,
            width,
        }
    }

    /// The same layout with these sound bounds on all values.
    pub(crate) fn limited(mut self, limits: Vec<(i64, i64)>) -> Self {
        assert_eq!(limits.len(), self.fields.len(), "one limit for each cell");
        self.limits = limits;
        self
    }

    /// Sound bounds on the values of each cell; ranges may be narrower, being optimistic.
    pub(crate) fn limits(&self) -> &[(i64, i64)] {
        &self.limits
    }

    /// A layout with room for all values of the types; 16 bits for a natural number.
    pub fn full(program: &Program) -> Self {
        let mut ranges = Vec::with_capacity(program.cells());
        for v in &program.variables {
            let (min, max) = v.ty.bounds();
            let max = if v.ty == crate::ir::Type::Natural {
                max.min(0xffff)
            } else {
                max
            };
            ranges.extend((0..v.cells()).map(|_| (min, max)));
        }
        Self::new(program, &ranges)
    }

    /// Number of words of a state; at least one.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of bits in use.
    pub fn bits(&self) -> usize {
        self.fields.iter().map(|f| f.bits as usize).sum()
    }

    /// The word with the most unused highest bits, and their number.
    pub fn spare_bits(&self) -> (usize, u32) {
        let mut used = vec![0; self.width];
        for f in &self.fields {
            let top = &mut used[f.word as usize];
            *top = u32::from(f.shift + f.bits).max(*top);
        }
        (used.iter().enumerate())
            .map(|(word, top)| (word, 64 - top))
            .max_by_key(|&(_, free)| free)
            .unwrap_or((0, 0))
    }

    /// The field of a cell.
    pub fn field(&self, cell: u32) -> Field {
        self.fields[cell as usize]
    }

    /// The fields of the cells, in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The range of each cell that the layout was made for.
    pub fn ranges(&self) -> &[(i64, i64)] {
        &self.ranges
    }

    /// Packs a state; all of `words` is overwritten.
    ///
    /// # Errors
    /// The first cell whose value has no room; the words are then undefined.
    pub fn pack(&self, cells: &[i64], words: &mut [u64]) -> Result<(), Overflow> {
        words.fill(0);
        for (cell, (field, &value)) in self.fields.iter().zip(cells).enumerate() {
            if !field.set(words, value) {
                let cell = cell as u32;
                return Err(Overflow { cell, value });
            }
        }
        Ok(())
    }

    /// Unpacks a state.
    pub fn unpack(&self, words: &[u64], cells: &mut [i64]) {
        for (field, value) in self.fields.iter().zip(cells) {
            *value = field.get(words);
        }
    }

    /// The value of one cell of a packed state.
    pub fn get(&self, words: &[u64], cell: u32) -> i64 {
        self.fields[cell as usize].get(words)
    }

    /// Is there room for the value?
    pub fn fits(&self, overflow: &Overflow) -> bool {
        let f = self.field(overflow.cell);
        overflow.value.wrapping_sub(f.min) as u64 <= f.mask()
    }

    /// A layout with room for the value, too: the range of its cell grows in that direction to at least four times
    /// its size, or twice if it would take one word more, within the bounds of the type, and with it those of the
    /// other elements of an array and of variables of the same name and type in other processes; other ranges stay.
    /// If there is room already, the same layout.
    ///
    /// States of three and more words are stored compressed; there one word more costs little and a translation of
    /// all stored states costs much, so the larger growth is always used. Wide states have many variables of a kind
    /// (channels, places), each of which would overflow on its own: there the range grows to sixteen times its size,
    /// and with it those of variables of the same type whose names differ in numbers alone, within the bounds of
    /// their values.
    pub fn widened(&self, program: &Program, overflow: &Overflow) -> Layout {
        if self.fits(overflow) {
            return self.clone();
        }
        let large = self.grown(program, overflow, true);
        let small = self.grown(program, overflow, false);
        if self.width > 2 || large.width <= small.width {
            large
        } else {
            small
        }
    }

    fn grown(&self, program: &Program, overflow: &Overflow, generous: bool) -> Layout {
        let Overflow { cell, value } = *overflow;
        let variable = program.variable(program.variable_of_cell(cell));
        let (low, high) = variable.ty.bounds();
        // Not the range but the field grows: the field may hold values outside the range already, which must keep
        // their room; and a range of 5 values in 3 bits would grow to 10 values and soon again.
        let (min, max) = self.room(cell);
        let mut grown = (min.max(low), max.min(high));
        let size = (i64::try_from(self.field(cell).mask()).unwrap_or(i64::MAX)).saturating_add(1);
        let wide = self.width > WIDE;
        let step = size.saturating_mul(match (wide, generous) {
            (true, _) => 15,
            (false, true) => 3,
            (false, false) => 1,
        });
        if value > grown.1 {
            // If a value is far beyond the range, further values are likely.
            let beyond = value.saturating_sub(grown.1) * i64::from(generous);
            let end = grown.1.saturating_add(step);
            grown.1 = end.max(value.saturating_add(beyond)).min(high).max(value);
        } else {
            let beyond = grown.0.saturating_sub(value) * i64::from(generous);
            let end = grown.0.saturating_sub(step);
            grown.0 = end.min(value.saturating_sub(beyond)).max(low).min(value);
        }
        // Other elements of an array, or of several similar processes, soon need the same range: one translation of
        // all states suffices for all of them.
        let mut ranges = self.ranges.clone();
        for other in program.variables.iter().filter(|v| alike(v, variable)) {
            for cell in other.first..other.first + other.cells() {
                let (min, max) = self.room(cell);
                ranges[cell as usize] = (min.max(low).min(grown.0), max.min(high).max(grown.1));
            }
        }
        if wide {
            let name = without_numbers(&variable.name);
            let similar = |v: &&Variable| {
                (v.ty == variable.ty && v.length.is_some() == variable.length.is_some())
                    && without_numbers(&v.name) == name
            };
            for cell in (program.variables.iter().filter(similar))
                .flat_map(|v| v.first..v.first + v.cells())
            {
                let (least, most) = self.limits[cell as usize];
                let range = &mut ranges[cell as usize];
                // The limits may exclude all of the growth.
                let (more, less) = (grown.1.min(most), grown.0.max(least));
                *range = (range.0.min(less), range.1.max(more));
            }
        }
        let layout = Layout::new(program, &ranges).limited(self.limits.clone());
        debug_assert!(layout.fits(overflow), "no room for {overflow:?}");
        layout
    }

    /// Least and greatest value that the field of a cell can store.
    pub(crate) fn room(&self, cell: u32) -> (i64, i64) {
        let field = self.field(cell);
        let last = i64::try_from(field.mask()).unwrap_or(i64::MAX);
        (field.min, field.min.saturating_add(last))
    }

    /// Packs a state of the layout `old` in this layout.
    ///
    /// # Errors
    /// The first cell whose value has no room. There is none if this layout was made from `old` by
    /// [`Layout::widened`].
    pub(crate) fn reencode(
        &self,
        old: &Layout,
        state: &[u64],
        out: &mut [u64],
    ) -> Result<(), Overflow> {
        out.fill(0);
        for (cell, (from, to)) in old.fields.iter().zip(&self.fields).enumerate() {
            let value = from.get(state);
            if !to.set(out, value) {
                let cell = cell as u32;
                return Err(Overflow { cell, value });
            }
        }
        Ok(())
    }
}

/// The cells of each word.
#[derive(Debug)]
pub(crate) struct CellsByWord {
    /// The index of the first cell of each word, and the end of the last one.
    starts: Vec<u32>,
    cells: Vec<u32>,
}

impl CellsByWord {
    pub(crate) fn new(layout: &Layout) -> Self {
        let with_bits = |cell: &u32| layout.field(*cell).bits > 0;
        let mut cells: Vec<u32> = (0..layout.fields.len() as u32).filter(with_bits).collect();
        cells.sort_by_key(|&cell| layout.field(cell).word);
        let word_of = |cell: &u32| layout.field(*cell).word;
        let starts = (0..=layout.width as u32)
            .map(|word| cells.partition_point(|cell| word_of(cell) < word) as u32)
            .collect();
        Self { starts, cells }
    }

    pub(crate) fn of(&self, word: u32) -> &[u32] {
        let word = word as usize;
        &self.cells[self.starts[word] as usize..self.starts[word + 1] as usize]
    }
}

/// Are these one variable, or the same variable of two processes?
pub(crate) fn alike(a: &Variable, b: &Variable) -> bool {
    std::ptr::eq(a, b)
        || (a.owner.is_some()
            && b.owner.is_some()
            && a.ty == b.ty
            && local_name(a) == local_name(b))
}

/// The name without its digits.
fn without_numbers(name: &str) -> String {
    name.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The name without that of the process: `j` of `P_0.j`.
pub(crate) fn local_name(variable: &Variable) -> &str {
    variable
        .name
        .rsplit_once('.')
        .map_or(&*variable.name, |(_, local)| local)
}

/// The number of bits that a range of values needs.
fn bits_of((min, max): (i64, i64)) -> u8 {
    (64 - (max.wrapping_sub(min) as u64).leading_zeros()) as u8
}

/// Assigns to each cell, in this order, the first word with enough free bits. Returns word and shift of each cell,
/// and the number of words.
fn first_fit(order: &[u32], bits: &[u8]) -> (Vec<(u32, u8)>, usize) {
    // The words by their number of free bits, so that nets with many thousand places are fast.
    let mut by_free: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); 65];
    let mut places = vec![(0, 0); bits.len()];
    let mut width = 0;
    for &cell in order {
        let need = bits[cell as usize] as usize;
        if need == 0 {
            continue;
        }
        let first = (need..=64)
            .filter_map(|free| by_free[free].first().map(|&word| (word, free)))
            .min();
        let (word, free) = first.unwrap_or_else(|| {
            width += 1;
            (width as u32 - 1, 64)
        });
        by_free[free].remove(&word);
        by_free[free - need].insert(word);
        places[cell as usize] = (word, (64 - free) as u8);
    }
    (places, width.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{ProcessId, Type};
    use sempre_base::Random;

    /// A program of one cell of each type.
    fn program(types: &[Type]) -> Program {
        let mut p = Program::new("t");
        for (i, ty) in types.iter().enumerate() {
            let owner = (i as u32 % 3).checked_sub(1).map(ProcessId);
            p.declare(&format!("v{i}"), ty.clone(), None, owner);
        }
        p.initial = vec![types.iter().map(|t| t.bounds().0).collect()];
        p
    }

    fn random_type(r: &mut Random) -> Type {
        match r.below(6) {
            0 => Type::Bool,
            1 => Type::BYTE,
            2 => Type::SHORT,
            3 => Type::INT,
            4 => Type::Natural,
            _ => {
                let a = r.next_u64() as i64 >> r.below(64);
                let b = r.next_u64() as i64 >> r.below(64);
                let (min, max) = (a.min(b), a.max(b));
                Type::Range { min, max }
            }
        }
    }

    fn random_value(r: &mut Random, (min, max): (i64, i64)) -> i64 {
        match r.below(4) {
            0 => min,
            1 => max,
            _ => {
                let span = (max.wrapping_sub(min) as u64).wrapping_add(1);
                let x = r.next_u64();
                min.wrapping_add(if span == 0 { x } else { x % span } as i64)
            }
        }
    }

    #[test]
    fn what_is_packed_comes_back() {
        let mut r = Random::new(1);
        for _ in 0..300 {
            let types: Vec<Type> = (0..1 + r.below(40)).map(|_| random_type(&mut r)).collect();
            let p = program(&types);
            let layout = Layout::full(&p);
            let mut used = vec![0u64; layout.width()];
            for f in layout.fields().iter().filter(|f| f.bits > 0) {
                assert!(f.shift + f.bits <= 64);
                let mask = f.mask() << f.shift;
                assert_eq!(used[f.word as usize] & mask, 0);
                used[f.word as usize] |= mask;
            }
            let state: Vec<i64> = (layout.ranges().iter())
                .map(|&range| random_value(&mut r, range))
                .collect();
            let mut words = vec![u64::MAX; layout.width()];
            layout.pack(&state, &mut words).unwrap();
            for (w, u) in words.iter().zip(&used) {
                assert_eq!(w & !u, 0);
            }
            let mut back = vec![0; state.len()];
            layout.unpack(&words, &mut back);
            assert_eq!(back, state);
            for (cell, &value) in state.iter().enumerate() {
                assert_eq!(layout.get(&words, cell as u32), value);
            }
        }
    }

    #[test]
    fn narrow_layouts_overflow_and_widen() {
        let mut r = Random::new(2);
        let mut widenings = 0;
        for _ in 0..300 {
            let types: Vec<Type> = (0..1 + r.below(10)).map(|_| random_type(&mut r)).collect();
            let p = program(&types);
            let narrow: Vec<(i64, i64)> = p.initial[0].iter().map(|&v| (v, v)).collect();
            let first = Layout::new(&p, &narrow);
            assert_eq!(first.bits(), 0);
            let mut layout = first.clone();
            let bounds: Vec<_> = types.iter().map(Type::bounds).collect();
            let state: Vec<i64> = bounds.iter().map(|&b| random_value(&mut r, b)).collect();
            let mut words = vec![0; layout.width()];
            while let Err(overflow) = layout.pack(&state, &mut words) {
                let wider = layout.widened(&p, &overflow);
                assert!(wider.fits(&overflow) && !layout.fits(&overflow));
                for (cell, (old, new)) in layout.ranges().iter().zip(wider.ranges()).enumerate() {
                    if cell as u32 == overflow.cell {
                        assert!(new.0 <= old.0 && old.1 <= new.1);
                        assert!(bounds[cell].0 <= new.0 && new.1 <= bounds[cell].1);
                    } else {
                        assert_eq!(old, new);
                    }
                }
                let mut old_words = vec![0; layout.width()];
                layout.pack(&p.initial[0], &mut old_words).unwrap();
                words = vec![0; wider.width()];
                wider.reencode(&layout, &old_words, &mut words).unwrap();
                let mut expected = vec![0; wider.width()];
                wider.pack(&p.initial[0], &mut expected).unwrap();
                assert_eq!(words, expected);
                layout = wider;
                widenings += 1;
            }
            let mut back = vec![0; state.len()];
            layout.unpack(&words, &mut back);
            assert_eq!(back, state);
        }
        assert!(widenings > 500);
    }

    #[test]
    fn a_counter_widens_few_times() {
        let p = program(&[Type::Natural]);
        let mut layout = Layout::new(&p, &[(0, 0)]);
        let mut words = vec![0];
        let mut widenings = 0;
        for value in 0..100_000 {
            while let Err(overflow) = layout.pack(&[value], &mut words) {
                layout = layout.widened(&p, &overflow);
                widenings += 1;
            }
        }
        assert_eq!(widenings, 9);
        assert_eq!(layout.bits(), 18);
    }

    #[test]
    fn variables_of_a_kind_widen_together_in_wide_states() {
        let mut p = Program::new("t");
        for i in 0..3000 {
            p.declare(&format!("c[{i}]"), Type::BYTE, None, None);
        }
        p.declare("other", Type::BYTE, None, None);
        p.initial = vec![vec![0; 3001]];
        let mut limits = vec![(0, 255); 3001];
        limits[2] = (0, 3);
        let layout = Layout::new(&p, &[(0, 1); 3001]).limited(limits);
        let (cell, value) = (5, 2);
        let wide = layout.widened(&p, &Overflow { cell, value });
        assert!(wide.width() > layout.width());
        let bits = [0, 5, 2999, 2, 3000].map(|cell| wide.field(cell).bits);
        assert_eq!(bits, [5, 5, 5, 2, 1]);
    }

    #[test]
    fn words_are_filled() {
        let wide = |bits: u32| Type::Range {
            min: 0,
            max: (1 << bits) - 1,
        };
        // In the order of processes 20 + 20, 44, 44; only from the widest 44 + 20, 44 + 20.
        let p = program(&[wide(20), wide(44), wide(44), wide(20)]);
        assert_eq!(Layout::full(&p).width(), 2);
        assert_eq!(Layout::full(&p).bits(), 128);
        // Here the order of processes is enough: 20 + 44, 20 + 44.
        let p = program(&[wide(20), wide(20), wide(44), wide(44)]);
        let layout = Layout::full(&p);
        assert_eq!(layout.width(), 2);
        assert_eq!(layout.field(0).shift, 0);
        assert_eq!(Layout::full(&program(&[])).width(), 1);
    }

    #[test]
    fn a_wider_field_has_room_for_all_that_the_old_one_had_room_for() {
        let mut r = Random::new(31);
        for _ in 0..3000 {
            let mut p = Program::new("t");
            p.declare("x", Type::BYTE, None, None);
            let start = r.below(256) as i64;
            p.initial = vec![vec![start]];
            let (x, y) = (r.below(256) as i64, r.below(256) as i64);
            let mut layout = Layout::new(&p, &[(x.min(y), x.max(y))]);
            for _ in 0..4 {
                let overflow = Overflow {
                    cell: 0,
                    value: r.below(256) as i64,
                };
                let wide = layout.widened(&p, &overflow);
                assert!(wide.fits(&overflow));
                for value in 0..256 {
                    let v = Overflow { cell: 0, value };
                    assert!(!layout.fits(&v) || wide.fits(&v), "{value} lost its room");
                }
                layout = wide;
            }
        }
    }
}
