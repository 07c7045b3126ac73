//! Code for effects: statements, then the successor.
//!
//! While an effect runs, the cells that it writes are values of the code under construction, not bits of a state.
//! Nothing is packed before the end, as in the interpreter, so an intermediate value may exceed the room of its
//! field. The exception are arrays that an effect writes and also indexes by variables: they are kept packed. If a
//! value has no room there, the code exits to the interpreter, which is always correct.
//!
//! At the end each changed word is computed by one mask and one addition of a constant, plus the parts that are not
//! known at compile time. A cell is part of the constant if both its old and its new value are known (mostly the
//! location of the process that moves), or if it changes by a known amount (tokens of a net).

use crate::arrays::MAX_LOG;
use crate::emitter::{Emitter, Flag, Target, Written};
use crate::operand::{Code, Operand, field_interval};
use crate::segments::segments;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};
use rustc_hash::FxHashSet;
use sempre_model::Field;
use sempre_model::ir::{Expr, Place, Stmt, Type, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// Loops with a known number of rounds, at most this many, are unrolled.
const MAX_UNROLLED: i64 = 8;

/// The most words that one run of the effect can change or log, in a state of `width` words.
pub(crate) fn max_changes(effect: &[Stmt], width: usize) -> usize {
    let mut assigned = 0;
    Stmt::each_assigned(effect, &mut |place| {
        assigned += usize::from(!matches!(place, Place::Register(_)));
    });
    // Counts each cell that is not an element written in place, in each round of an unrolled loop.
    let limit = assigned * MAX_UNROLLED as usize;
    let logged = match packed_arrays(effect).is_empty() {
        true => 0,
        false if effect.iter().any(has_loop) => MAX_LOG,
        false => assigned.min(MAX_LOG),
    };
    logged + limit.min(width)
}

/// The cells, words and registers that statements may write.
#[derive(Default)]
struct Writes {
    cells: BTreeSet<(VariableId, u32)>,
    words: BTreeSet<u32>,
    registers: BTreeSet<u32>,
}

impl Emitter<'_, '_> {
    /// Runs an effect on the source state. The result is in `written`.
    pub(crate) fn effect(&mut self, effect: &[Stmt]) {
        self.written = Written {
            packed: packed_arrays(effect),
            ..Written::default()
        };
        self.statements(effect);
    }

    fn statements(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign(place, value) => self.assign(place, value),
            Stmt::Assert(condition, _) => {
                let next_block = self.block();
                self.branch(
                    condition,
                    Target::plain(next_block),
                    Target::plain(self.exit),
                );
                self.switch_to(next_block);
            }
            Stmt::If(condition, then, otherwise) => self.conditional(condition, then, otherwise),
            Stmt::For {
                register,
                from,
                to,
                body,
            } => self.repeat(*register, from, to, body),
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr) {
        let value = self.value(value);
        match place {
            Place::Register(r) => {
                self.written.registers.insert(*r, value);
            }
            Place::Scalar(v) => {
                let stored = self.stored(*v, value);
                let first = self.program.variable(*v).first;
                self.write_cell(*v, first, stored);
            }
            Place::Element(v, index) => {
                let index = self.index(*v, index);
                let stored = self.stored(*v, value);
                let first = self.program.variable(*v).first;
                match index.as_constant() {
                    Some(i) => self.write_cell(*v, first + i as u32, stored),
                    None => self.write_element(*v, &index, stored),
                }
            }
        }
    }

    /// The content of a cell of the variable after the value is stored.
    fn stored(&mut self, variable: VariableId, value: Operand) -> Operand {
        let ty = &self.program.variable(variable).ty;
        let (min, max) = ty.bounds();
        if value.lies_in(min, max) {
            return value;
        }
        if let Some(c) = value.as_constant() {
            return match ty.store(c) {
                Some(stored) => Operand::constant(stored),
                None => {
                    self.exit_always();
                    Operand::constant(min)
                }
            };
        }
        match ty {
            Type::Bool => match self.compare(IntCC::NotEqual, &value, &Operand::constant(0)) {
                Flag::Known(known) => Operand::constant(i64::from(known)),
                Flag::Value(flag) => {
                    let value = self.builder.ins().uextend(types::I64, flag);
                    Operand::new(Code::Value(value), 0, 1)
                }
            },
            Type::Int { bits, signed } => {
                let number = self.materialize(&value);
                let low = if *signed {
                    let distance = 64 - i64::from(*bits);
                    let up = self.builder.ins().ishl_imm(number, distance);
                    self.builder.ins().sshr_imm(up, distance)
                } else {
                    self.builder.ins().band_imm(number, max)
                };
                Operand::new(Code::Value(low), min, max)
            }
            Type::Enum { .. } | Type::Range { .. } | Type::Natural => {
                if min > max || value.high < min || value.low > max {
                    self.exit_always();
                    return Operand::constant(min);
                }
                self.exit_unless_within(&value, min, max.wrapping_sub(min) as u64);
                value.within(min, max)
            }
        }
    }

    /// Exits unless `0 <= value - min <= span`.
    fn exit_unless_within(&mut self, value: &Operand, min: i64, span: u64) {
        let mut number = self.materialize(value);
        if min != 0 {
            number = self.builder.ins().iadd_imm(number, min.wrapping_neg());
        }
        let condition = IntCC::UnsignedGreaterThan;
        let outside = (self.builder.ins()).icmp_imm(condition, number, span as i64);
        self.exit_if(outside);
    }

    /// Exits unless the value has room in the field.
    pub(crate) fn exit_unless_room(&mut self, value: &Operand, field: &Field) {
        let (low, high) = field_interval(field);
        if value.lies_in(low, high) {
            return;
        }
        if value.high < low || value.low > high {
            self.exit_always();
            return;
        }
        self.exit_unless_within(value, field.min, field.mask());
    }

    fn write_cell(&mut self, variable: VariableId, cell: u32, value: Operand) {
        if !self.written.packed.contains(&variable) {
            self.written.cells.insert(cell, value);
            return;
        }
        if let Some(array) = self.arrays.get(&variable) {
            let index = cell - self.program.variable(variable).first;
            return self.write_in_place(array, &Operand::constant(i64::from(index)), &value);
        }
        let field = self.layout.field(cell);
        self.exit_unless_room(&value, &field);
        if field.bits == 0 {
            return;
        }
        let old = self.word(field.word);
        let kept = (self.builder.ins()).band_imm(old, !(field.mask() << field.shift) as i64);
        let number = self.materialize(&value);
        let stored = self
            .builder
            .ins()
            .iadd_imm(number, field.min.wrapping_neg());
        let placed = self.builder.ins().ishl_imm(stored, i64::from(field.shift));
        let new = self.builder.ins().bor(kept, placed);
        self.written.words.insert(field.word, new);
    }

    fn conditional(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let mut writes = Writes::default();
        self.collect(then, &mut writes);
        self.collect(otherwise, &mut writes);
        let (yes, no, join) = (self.block(), self.block(), self.block());
        self.branch(condition, Target::plain(yes), Target::plain(no));
        let before = self.written.clone();
        let facts = self.facts.len();
        self.assume(condition);
        self.switch_to(yes);
        self.statements(then);
        let first = self.state_of(&writes);
        self.jump_with_operands(&first, join);
        self.facts.truncate(facts);
        self.written = before.clone();
        self.switch_to(no);
        self.statements(otherwise);
        let second = self.state_of(&writes);
        self.jump_with_operands(&second, join);
        self.switch_to(join);
        // Not the state that a branch left: behind an exit that is always taken it may have written more.
        self.written = before;
        let merged: Vec<Operand> = (first.iter().zip(&second))
            .map(|(a, b)| {
                let value = self.builder.append_block_param(join, types::I64);
                Operand::new(Code::Value(value), a.low.min(b.low), a.high.max(b.high))
            })
            .collect();
        self.set_current(&writes, &merged);
    }

    fn repeat(&mut self, register: u32, from: &Expr, to: &Expr, body: &[Stmt]) {
        let from = self.value(from);
        let to = self.value(to);
        if let (Some(a), Some(b)) = (from.as_constant(), to.as_constant())
            && b.saturating_sub(a) <= MAX_UNROLLED
            // Unrolling nested loops would multiply their sizes.
            && !body.iter().any(has_loop)
        {
            for i in a..b {
                let i = Operand::constant(i);
                self.written.registers.insert(register, i);
                self.statements(body);
            }
            return;
        }
        let mut writes = Writes::default();
        self.collect(body, &mut writes);
        writes.registers.insert(register);
        let (head, round, end) = (self.block(), self.block(), self.block());
        let limit = self.materialize(&to);
        let before = self.state_of(&writes);
        let mut arguments = vec![self.materialize(&from)];
        for operand in &before {
            arguments.push(self.materialize(operand));
        }
        self.jump_with(head, &arguments);
        self.switch_to(head);
        let i = self.builder.append_block_param(head, types::I64);
        let bounds = self.bounds_of(&writes);
        let current: Vec<Operand> = (before.iter().zip(bounds))
            .map(|(operand, (low, high))| {
                let value = self.builder.append_block_param(head, types::I64);
                let (low, high) = (low.min(operand.low), high.max(operand.high));
                Operand::new(Code::Value(value), low, high)
            })
            .collect();
        self.set_current(&writes, &current);
        let at_head = self.written.clone();
        let flag = self.builder.ins().icmp(IntCC::SignedLessThan, i, limit);
        self.jump_if(flag, Target::plain(round), Target::plain(end));
        self.switch_to(round);
        let last = to.high.saturating_sub(1).max(from.low);
        let counter = Operand::new(Code::Value(i), from.low, last);
        self.written.registers.insert(register, counter);
        self.statements(body);
        let after = self.state_of(&writes);
        let mut arguments = vec![self.builder.ins().iadd_imm(i, 1)];
        for operand in &after {
            arguments.push(self.materialize(operand));
        }
        self.jump_with(head, &arguments);
        self.switch_to(end);
        self.written = at_head;
    }

    fn jump_with(&mut self, block: Block, arguments: &[Value]) {
        let arguments: Vec<BlockArg> = arguments.iter().map(|&v| BlockArg::Value(v)).collect();
        self.builder.ins().jump(block, &arguments);
    }

    /// The current values of the listed cells, registers and words.
    fn state_of(&mut self, writes: &Writes) -> Vec<Operand> {
        let mut all = Vec::new();
        for &(variable, cell) in &writes.cells {
            all.push(self.cell(variable, cell));
        }
        for r in &writes.registers {
            let register = self.written.registers.get(r);
            all.push(register.copied().unwrap_or(Operand::constant(0)));
        }
        for &word in &writes.words {
            let value = self.word(word);
            all.push(Operand::any(value));
        }
        all
    }

    /// The bounds of the listed cells, registers and words, for any values stored.
    fn bounds_of(&self, writes: &Writes) -> Vec<(i64, i64)> {
        let cells = writes.cells.iter();
        let types = cells.map(|&(v, _)| self.program.variable(v).ty.bounds());
        let others = writes.registers.len() + writes.words.len();
        types
            .chain(std::iter::repeat_n((i64::MIN, i64::MAX), others))
            .collect()
    }

    fn jump_with_operands(&mut self, operands: &[Operand], block: Block) {
        let mut arguments = Vec::with_capacity(operands.len());
        for operand in operands {
            arguments.push(self.materialize(operand));
        }
        self.jump_with(block, &arguments);
    }

    /// Sets the current values, in the order of [`Emitter::state_of`].
    fn set_current(&mut self, writes: &Writes, operands: &[Operand]) {
        let mut operands = operands.iter();
        for &(_, cell) in &writes.cells {
            if let Some(&operand) = operands.next() {
                self.written.cells.insert(cell, operand);
            }
        }
        for &register in &writes.registers {
            if let Some(&operand) = operands.next() {
                self.written.registers.insert(register, operand);
            }
        }
        for &word in &writes.words {
            if let Some(operand) = operands.next() {
                let value = self.materialize(operand);
                self.written.words.insert(word, value);
            }
        }
    }

    fn collect(&self, block: &[Stmt], writes: &mut Writes) {
        Stmt::each_assigned(block, &mut |place| match place {
            Place::Register(r) => {
                writes.registers.insert(*r);
            }
            // An array written in place is not a value of this function.
            Place::Scalar(v) | Place::Element(v, _)
                if self.written.packed.contains(v) && self.arrays.contains_key(v) => {}
            Place::Scalar(v) | Place::Element(v, _) if self.written.packed.contains(v) => {
                let all = segments(self.program, self.layout, *v);
                let all = all.iter().filter(|s| s.bits > 0);
                writes.words.extend(all.map(|s| s.word));
            }
            Place::Scalar(v) => {
                writes.cells.insert((*v, self.program.variable(*v).first));
            }
            Place::Element(v, index) => {
                let variable = self.program.variable(*v);
                // An index out of range exits before it writes.
                if let Expr::Constant(i) = **index
                    && 0 <= i
                    && i < i64::from(variable.cells())
                {
                    writes.cells.insert((*v, variable.first + i as u32));
                }
            }
        });
    }

    /// Packs the written cells. Returns the changed words, in order.
    pub(crate) fn changed_words(&mut self) -> Vec<(u32, Value)> {
        #[derive(Clone)]
        struct Change {
            keep: u64,
            constant: u64,
            parts: Vec<Value>,
        }
        let untouched = Change {
            keep: u64::MAX,
            constant: 0,
            parts: Vec::new(),
        };
        let mut cells: Vec<(u32, Operand)> = Vec::from_iter(self.written.cells.clone());
        cells.sort_by_key(|c| c.0);
        // All checks come before all packing, so that basic blocks stay long.
        for (cell, value) in &cells {
            let field = self.layout.field(*cell);
            self.exit_unless_room(value, &field);
        }
        let mut changes: BTreeMap<u32, Change> = BTreeMap::new();
        for &word in self.written.words.keys() {
            changes.insert(word, untouched.clone());
        }
        for (cell, value) in cells {
            let field = self.layout.field(cell);
            if field.bits == 0 || value.base == Some((cell, 0)) {
                continue;
            }
            let source = self.source_cell(cell).as_constant();
            let change = changes.entry(field.word).or_insert(untouched.clone());
            let mut add = |c: i64| {
                let placed = (c as u64) << field.shift;
                change.constant = change.constant.wrapping_add(placed);
            };
            match (value.base, source, value.as_constant()) {
                // I: the word is the sum of the fields, each shifted to its place. So a known change of a field can
                // be added to the word, and in the end there is neither carry nor borrow.
                (Some((base, by)), _, _) if base == cell => add(by),
                (_, Some(old), Some(new)) => add(new.wrapping_sub(old)),
                (_, _, new) => {
                    add(new.unwrap_or(0).wrapping_sub(field.min));
                    change.keep &= !(field.mask() << field.shift);
                    if new.is_none() {
                        let number = self.materialize(&value);
                        let shift = i64::from(field.shift);
                        let placed = self.builder.ins().ishl_imm(number, shift);
                        change.parts.push(placed);
                    }
                }
            }
        }
        let mut words = Vec::with_capacity(changes.len());
        for (word, change) in changes {
            let mut value = self.word(word);
            if change.keep != u64::MAX {
                value = self.builder.ins().band_imm(value, change.keep as i64);
            }
            for part in change.parts {
                value = self.builder.ins().iadd(value, part);
            }
            if change.constant != 0 {
                value = self.builder.ins().iadd_imm(value, change.constant as i64);
            }
            words.push((word, value));
        }
        words
    }
}

pub(crate) fn has_loop(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For { .. } => true,
        Stmt::If(_, then, otherwise) => then.iter().chain(otherwise).any(has_loop),
        Stmt::Assign(..) | Stmt::Assert(..) => false,
    }
}

/// The arrays that the statements write and also access by an index that is not a constant.
pub(crate) fn packed_arrays(effect: &[Stmt]) -> FxHashSet<VariableId> {
    #[derive(Default)]
    struct Found {
        written: FxHashSet<VariableId>,
        indexed: FxHashSet<VariableId>,
    }
    impl Found {
        fn expr(&mut self, expr: &Expr) {
            match expr {
                Expr::Constant(_) | Expr::Read(Place::Scalar(_) | Place::Register(_)) => {}
                Expr::Read(Place::Element(v, index)) => self.index(*v, index),
                Expr::Unary(_, a) => self.expr(a),
                Expr::Binary(_, a, b) => {
                    self.expr(a);
                    self.expr(b);
                }
                Expr::If(a, b, c) => {
                    self.expr(a);
                    self.expr(b);
                    self.expr(c);
                }
            }
        }
        fn index(&mut self, variable: VariableId, index: &Expr) {
            if !matches!(index, Expr::Constant(_)) {
                self.indexed.insert(variable);
                self.expr(index);
            }
        }
        fn block(&mut self, block: &[Stmt]) {
            for stmt in block {
                match stmt {
                    Stmt::Assign(place, value) => {
                        match place {
                            Place::Register(_) => {}
                            Place::Scalar(v) => {
                                self.written.insert(*v);
                            }
                            Place::Element(v, index) => {
                                self.written.insert(*v);
                                self.index(*v, index);
                            }
                        }
                        self.expr(value);
                    }
                    Stmt::If(condition, then, otherwise) => {
                        self.expr(condition);
                        self.block(then);
                        self.block(otherwise);
                    }
                    Stmt::For { from, to, body, .. } => {
                        self.expr(from);
                        self.expr(to);
                        self.block(body);
                    }
                    Stmt::Assert(condition, _) => self.expr(condition),
                }
            }
        }
    }
    let mut found = Found::default();
    found.block(effect);
    &found.written & &found.indexed
}
