//! The layout of array elements in the words of a state, and code that reads and writes them.
//!
//! An index that is not known at compile time becomes a shift by a computed distance. This requires that elements lie
//! in one word at equal distances: a **segment**. A layout that packs in the order of declaration has one segment for
//! each word that an array occupies; other layouts have more. Arrays of wide states use tables instead
//! ([`crate::arrays`]).

use crate::arrays::{self, ArrayTable};
use crate::emitter::{Emitter, Target};
use crate::operand::{Code, Operand, field_interval};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, MemFlags, Value, types};
use sempre_model::ir::{Expr, Program, VariableId};
use sempre_model::{Field, Layout};
use std::collections::BTreeSet;

/// Elements with equal fields at equal distances in one word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    /// The index of the first element.
    pub start: u32,
    /// Number of elements.
    pub length: u32,
    pub word: u32,
    /// The position of the lowest bit of the first element.
    pub shift: u8,
    /// The distance in bits from element to element.
    pub stride: i64,
    pub bits: u8,
    pub min: i64,
}

impl Segment {
    /// The greatest number that an element can store.
    pub(crate) fn mask(&self) -> u64 {
        self.field().mask()
    }

    /// The numbers that an element can hold.
    pub(crate) fn interval(&self) -> (i64, i64) {
        field_interval(&self.field())
    }

    /// The field of the first element.
    pub(crate) fn field(&self) -> Field {
        Field {
            word: self.word,
            shift: self.shift,
            bits: self.bits,
            min: self.min,
        }
    }
}

/// The segments of a variable, in the order of the index.
pub(crate) fn segments(program: &Program, layout: &Layout, variable: VariableId) -> Vec<Segment> {
    let v = program.variable(variable);
    let mut all: Vec<Segment> = Vec::new();
    for index in 0..v.cells() {
        let field = layout.field(v.first + index);
        if let Some(last) = all.last_mut()
            && (last.bits, last.min) == (field.bits, field.min)
        {
            let stride = i64::from(field.shift) - i64::from(last.shift);
            let fits = field.bits == 0
                || last.word == field.word
                    && (last.length == 1 || stride == last.stride * i64::from(last.length));
            if fits {
                if last.length == 1 {
                    last.stride = stride;
                }
                last.length += 1;
                continue;
            }
        }
        all.push(Segment {
            start: index,
            length: 1,
            word: field.word,
            shift: field.shift,
            stride: 0,
            bits: field.bits,
            min: field.min,
        });
    }
    all
}

impl Emitter<'_, '_> {
    /// The value of the index, checked against the bounds.
    pub(crate) fn index(&mut self, variable: VariableId, index: &Expr) -> Operand {
        let last = i64::from(self.program.variable(variable).cells()) - 1;
        let index = self.value(index);
        if last < 0 {
            self.exit_always();
            return Operand::constant(0);
        }
        if index.lies_in(0, last) {
            return index;
        }
        if index.high < 0 || index.low > last {
            self.exit_always();
            return Operand::constant(0);
        }
        let value = self.materialize(&index);
        let outside = (self.builder.ins()).icmp_imm(IntCC::UnsignedGreaterThan, value, last);
        self.exit_if(outside);
        index.within(0, last)
    }

    pub(crate) fn element(&mut self, variable: VariableId, index: &Expr) -> Operand {
        let index = self.index(variable, index);
        let first = self.program.variable(variable).first;
        if let Some(i) = index.as_constant() {
            return self.cell(variable, first + i as u32);
        }
        if let Some(array) = self.arrays.get(&variable) {
            return self.entry(array, &index);
        }
        let all = segments(self.program, self.layout, variable);
        let possible = all.iter().filter(|s| {
            i64::from(s.start) <= index.high && i64::from(s.start + s.length) > index.low
        });
        let possible: Vec<Segment> = possible.copied().collect();
        let low = possible.iter().map(|s| s.interval().0).min();
        let high = possible.iter().map(|s| s.interval().1).max();
        let (low, high) = (low.unwrap_or(i64::MIN), high.unwrap_or(i64::MAX));
        let index = self.materialize(&index);
        let value = if let [one] = possible[..] {
            self.read_segment(&one, index)
        } else {
            let join = self.block();
            let result = self.builder.append_block_param(join, types::I64);
            self.each_segment(&possible, index, &mut |e, segment| {
                let value = e.read_segment(segment, index);
                e.jump(Target {
                    block: join,
                    argument: Some(value),
                });
            });
            self.switch_to(join);
            result
        };
        Operand::new(Code::Value(value), low, high)
    }

    /// Reads an element through the table of its array. No load here may move before the test of the index.
    fn entry(&mut self, array: &ArrayTable, index: &Operand) -> Operand {
        let flags = MemFlags::trusted();
        let index = self.materialize(index);
        let offset = self.builder.ins().imul_imm(index, arrays::ENTRY);
        let entry = (self.builder.ins()).iadd_imm(offset, array.address());
        let part = |e: &mut Self, at: i32| e.builder.ins().load(types::I64, flags, entry, at);
        let (word, shift) = (part(self, arrays::WORD), part(self, arrays::SHIFT));
        let mask = part(self, arrays::MASK);
        let offset = self.builder.ins().imul_imm(word, 8);
        let place = self.builder.ins().iadd(self.state, offset);
        let word = self.builder.ins().load(types::I64, flags, place, 0);
        let shifted = self.builder.ins().ushr(word, shift);
        let mut value = self.builder.ins().band(shifted, mask);
        if !array.from_zero {
            let min = part(self, arrays::MIN);
            value = self.builder.ins().iadd(value, min);
        }
        Operand::new(Code::Value(value), array.bounds.0, array.bounds.1)
    }

    /// Writes an element in place, through the table of its array.
    pub(crate) fn write_in_place(&mut self, array: &ArrayTable, index: &Operand, value: &Operand) {
        let index = self.materialize(index);
        let value = self.materialize(value);
        let table = self.number(std::ptr::from_ref(array) as i64);
        let function = arrays::write_element as *const () as i64;
        let arguments = [self.state, self.slot, table, index, value];
        let done = self.call(function, &arguments);
        let must_interpret = self.builder.ins().icmp_imm(IntCC::Equal, done, 0);
        self.exit_if(must_interpret);
    }

    /// Emits code for each segment, executed if the index lies in it. Each piece ends with a jump.
    pub(crate) fn each_segment(
        &mut self,
        all: &[Segment],
        index: Value,
        emit: &mut dyn FnMut(&mut Self, &Segment),
    ) {
        if let [one] = all {
            return emit(self, one);
        }
        let (left, right) = all.split_at(all.len() / 2);
        let (low, high) = (self.block(), self.block());
        let boundary = i64::from(right[0].start);
        let flag = (self.builder.ins()).icmp_imm(IntCC::SignedLessThan, index, boundary);
        self.jump_if(flag, Target::plain(low), Target::plain(high));
        self.switch_to(low);
        self.each_segment(left, index, emit);
        self.switch_to(high);
        self.each_segment(right, index, emit);
    }

    /// The position of the lowest bit of an element.
    pub(crate) fn segment_shift(&mut self, segment: &Segment, index: Value) -> Value {
        let scaled = match segment.stride {
            1 => index,
            s => self.builder.ins().imul_imm(index, s),
        };
        match i64::from(segment.shift) - i64::from(segment.start) * segment.stride {
            0 => scaled,
            offset => self.builder.ins().iadd_imm(scaled, offset),
        }
    }

    fn read_segment(&mut self, segment: &Segment, index: Value) -> Value {
        if segment.bits == 0 {
            return self.number(segment.min);
        }
        let shift = self.segment_shift(segment, index);
        let word = self.word(segment.word);
        let shifted = self.builder.ins().ushr(word, shift);
        let stored = (self.builder.ins()).band_imm(shifted, segment.mask() as i64);
        match segment.min {
            0 => stored,
            min => self.builder.ins().iadd_imm(stored, min),
        }
    }

    pub(crate) fn write_element(&mut self, variable: VariableId, index: &Operand, value: Operand) {
        if let Some(array) = self.arrays.get(&variable) {
            return self.write_in_place(array, index, &value);
        }
        let all = segments(self.program, self.layout, variable);
        let possible = all.iter().filter(|s| {
            i64::from(s.start) <= index.high && i64::from(s.start + s.length) > index.low
        });
        let possible: Vec<Segment> = possible.copied().collect();
        let index = self.materialize(index);
        if let [one] = possible[..] {
            if let Some(new) = self.write_segment(&one, index, &value) {
                self.written.words.insert(one.word, new);
            }
            return;
        }
        let words: BTreeSet<u32> = (possible.iter().filter(|s| s.bits > 0))
            .map(|s| s.word)
            .collect();
        let join = self.block();
        self.each_segment(&possible, index, &mut |e, segment| {
            let new = e.write_segment(segment, index, &value);
            let mut arguments = Vec::with_capacity(words.len());
            for &word in &words {
                let value = match new {
                    Some(new) if word == segment.word => new,
                    _ => e.word(word),
                };
                arguments.push(BlockArg::Value(value));
            }
            e.builder.ins().jump(join, &arguments);
        });
        self.switch_to(join);
        for word in words {
            let value = self.builder.append_block_param(join, types::I64);
            self.written.words.insert(word, value);
        }
    }

    /// The word of the segment after the write; `None` if it has no bits.
    fn write_segment(&mut self, segment: &Segment, index: Value, value: &Operand) -> Option<Value> {
        self.exit_unless_room(value, &segment.field());
        if segment.bits == 0 {
            return None;
        }
        let shift = self.segment_shift(segment, index);
        let old = self.word(segment.word);
        let number = self.materialize(value);
        let stored = self
            .builder
            .ins()
            .iadd_imm(number, segment.min.wrapping_neg());
        let mask = self.number(segment.mask() as i64);
        let mask = self.builder.ins().ishl(mask, shift);
        let kept = self.builder.ins().band_not(old, mask);
        let placed = self.builder.ins().ishl(stored, shift);
        Some(self.builder.ins().bor(kept, placed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;
    use sempre_model::Type;

    #[test]
    fn segments_say_where_elements_are() {
        let mut r = Random::new(5);
        let (mut single, mut several) = (0, 0);
        for _ in 0..200 {
            let mut p = Program::new("t");
            let x = p.declare("x", Type::SHORT, None, None);
            let length = 1 + r.below(30) as u32;
            let a = p.declare("a", Type::BYTE, Some(length), None);
            let bounds = [(0, 0), (0, 1), (3, 9), (0, 200)];
            let mut ranges = vec![(0, r.below(60000) as i64)];
            let mut range = bounds[r.below(4)];
            for _ in 0..length {
                if r.below(8) == 0 {
                    range = bounds[r.below(4)];
                }
                ranges.push(range);
            }
            let layout = Layout::new(&p, &ranges);
            let _ = x;
            let all = segments(&p, &layout, a);
            let mut next = 0;
            for s in &all {
                assert_eq!(s.start, next);
                next += s.length;
                for i in 0..s.length {
                    let f = layout.field(p.variable(a).first + s.start + i);
                    assert_eq!((f.bits, f.min), (s.bits, s.min));
                    if f.bits > 0 {
                        assert_eq!(f.word, s.word);
                        let shift = i64::from(s.shift) + i64::from(i) * s.stride;
                        assert_eq!(i64::from(f.shift), shift);
                    }
                }
            }
            assert_eq!(next, length);
            if all.len() == 1 {
                single += 1;
            } else {
                several += 1;
            }
        }
        assert!(single > 20 && several > 20, "{single} {several}");
    }
}
