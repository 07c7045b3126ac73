//! Code for expressions.
//!
//! Works in the current block of a function under construction. What cannot be answered by native
//! code, errors above all, leaves through the **exit** block: the caller then asks the interpreter,
//! so that only one piece of code knows what an error is.

use crate::arrays::ArrayTable;
use crate::operand::{Code, Operand, field_interval, interval};
use crate::truth::{Flag, comparison, is_cheap_and_total, is_logical};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, Block, BlockArg, InstBuilder, MemFlags, Signature, Value, types,
};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_model::ir::{Binary, Expr, Place, Program, Unary, VariableId};
use sempre_model::{Field, Layout};
use std::sync::Arc;

/// The tables of the arrays of wide states; none in others.
pub(crate) type Arrays = FxHashMap<VariableId, Arc<ArrayTable>>;

/// States up to this many words are loaded once, when a function is entered.
const LOADED_AT_ONCE: usize = 4;

/// A block to jump to, and what it is passed.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub block: Block,
    pub argument: Option<Value>,
}

impl Target {
    pub fn plain(block: Block) -> Self {
        Self {
            block,
            argument: None,
        }
    }

    fn arguments(&self) -> Vec<BlockArg> {
        self.argument.into_iter().map(BlockArg::Value).collect()
    }
}

/// What a step has written so far.
#[derive(Clone, Default)]
pub(crate) struct Written {
    /// Cells, not packed yet.
    pub cells: FxHashMap<u32, Operand>,
    /// Words that hold elements of `packed` arrays.
    pub words: FxHashMap<u32, Value>,
    /// Registers; those not here are zero.
    pub registers: FxHashMap<u32, Operand>,
    /// Arrays that are indexed by variables and written: these are kept packed, in `words`.
    pub packed: FxHashSet<VariableId>,
}

/// A function under construction.
pub(crate) struct Emitter<'a, 'f> {
    pub builder: FunctionBuilder<'f>,
    pub program: &'a Program,
    pub layout: &'a Layout,
    /// The address of the source state.
    pub state: Value,
    /// Its words, if it has few.
    loaded: Vec<Value>,
    /// Inside a loop over actions. Cranelift moves what does not change out of loops, which here would be
    /// the tests of all guards, so words are loaded anew where they are needed.
    pub in_loop: bool,
    /// Where to go when the interpreter has to be asked.
    pub exit: Block,
    pub written: Written,
    pub facts: Vec<(u32, i64, i64)>,
    /// In wide states: the tables of the arrays.
    pub arrays: &'a Arrays,
    /// While an effect runs that writes elements in place: the slot of its record ([`crate::arrays`]).
    pub slot: Value,
    /// Is there such an effect?
    pub in_place: bool,
}

impl<'a, 'f> Emitter<'a, 'f> {
    /// Starts in the current block of the builder. With `at_once`, the words of short states are loaded
    /// there; not for functions with loops over actions, or loads in the loop would be merged with these.
    pub fn new(
        mut builder: FunctionBuilder<'f>,
        program: &'a Program,
        layout: &'a Layout,
        arrays: &'a Arrays,
        state: Value,
        exit: Block,
        at_once: bool,
    ) -> Self {
        let width = layout.width();
        let mut loaded = Vec::new();
        if at_once && width <= LOADED_AT_ONCE {
            for word in 0..width {
                let flags = MemFlags::trusted();
                let word = builder
                    .ins()
                    .load(types::I64, flags, state, 8 * word as i32);
                loaded.push(word);
            }
        }
        Self {
            builder,
            program,
            layout,
            state,
            loaded,
            in_loop: false,
            exit,
            written: Written::default(),
            facts: Vec::new(),
            arrays,
            slot: state,
            in_place: false,
        }
    }

    /// Calls a function of Rust with words, and returns one.
    pub fn call(&mut self, function: i64, arguments: &[Value]) -> Value {
        let call_conv = self.builder.func.signature.call_conv;
        let mut signature = Signature::new(call_conv);
        let word = AbiParam::new(types::I64);
        signature.params.extend(arguments.iter().map(|_| word));
        signature.returns.push(word);
        let signature = self.builder.import_signature(signature);
        let function = self.number(function);
        let call = (self.builder.ins()).call_indirect(signature, function, arguments);
        self.builder.inst_results(call)[0]
    }

    /// A word of the source state.
    pub fn source_word(&mut self, word: u32) -> Value {
        if let Some(&value) = self.loaded.get(word as usize)
            && !self.in_loop
        {
            return value;
        }
        let flags = if self.in_loop {
            // Must stay where it is: see `in_loop`.
            MemFlags::trusted().with_alias_region(Some(AliasRegion::Heap))
        } else {
            // Readonly and movable: Cranelift merges such loads as it does arithmetic.
            MemFlags::trusted().with_readonly().with_can_move()
        };
        (self.builder.ins()).load(types::I64, flags, self.state, 8 * word as i32)
    }

    /// A word of the state as the step has left it so far, as far as packed arrays are concerned.
    pub fn word(&mut self, word: u32) -> Value {
        match self.written.words.get(&word) {
            Some(&value) => value,
            // Its bits may have been written in place; calls order what is loaded plainly.
            None if self.in_place => {
                let (flags, offset) = (MemFlags::trusted(), 8 * word as i32);
                (self.builder.ins()).load(types::I64, flags, self.state, offset)
            }
            None => self.source_word(word),
        }
    }

    /// A 64-bit constant.
    pub fn number(&mut self, c: i64) -> Value {
        self.builder.ins().iconst(types::I64, c)
    }

    /// The number in a 64-bit value.
    pub fn materialize(&mut self, operand: &Operand) -> Value {
        match operand.code {
            Code::Constant(c) => self.number(c),
            Code::Value(value) => value,
            Code::Packed(word, field) => self.extract(word, &field),
        }
    }

    fn extract(&mut self, word: Value, field: &Field) -> Value {
        let mut value = word;
        if field.shift > 0 {
            value = self.builder.ins().ushr_imm(value, i64::from(field.shift));
        }
        if field.shift + field.bits < 64 {
            value = self.builder.ins().band_imm(value, field.mask() as i64);
        }
        if field.min != 0 {
            value = self.builder.ins().iadd_imm(value, field.min);
        }
        value
    }

    /// Goes on in a new block.
    pub fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    pub fn switch_to(&mut self, block: Block) {
        self.builder.switch_to_block(block);
    }

    pub fn jump(&mut self, target: Target) {
        self.builder.ins().jump(target.block, &target.arguments());
    }

    pub fn jump_if(&mut self, flag: Value, then: Target, otherwise: Target) {
        self.builder.ins().brif(
            flag,
            then.block,
            &then.arguments(),
            otherwise.block,
            &otherwise.arguments(),
        );
    }

    /// Asks the interpreter if the flag is true.
    pub fn exit_if(&mut self, flag: Value) {
        let go_on = self.block();
        self.jump_if(flag, Target::plain(self.exit), Target::plain(go_on));
        self.switch_to(go_on);
    }

    /// Asks the interpreter; what is emitted next is never reached.
    pub fn exit_always(&mut self) {
        self.jump(Target::plain(self.exit));
        let dead = self.block();
        self.switch_to(dead);
    }

    /// The interval of a cell of the source state.
    fn source_interval(&self, cell: u32) -> (i64, i64) {
        let (mut low, mut high) = field_interval(&self.layout.field(cell));
        for &(_, l, h) in self.facts.iter().filter(|f| f.0 == cell) {
            low = low.max(l);
            high = high.min(h);
        }
        (low, high)
    }

    /// What a cell holds in the source state.
    pub fn source_cell(&mut self, cell: u32) -> Operand {
        let field = self.layout.field(cell);
        let (low, high) = self.source_interval(cell);
        // Facts that contradict each other: the code is not reached.
        if field.bits == 0 || low >= high {
            return Operand {
                base: Some((cell, 0)),
                ..Operand::constant(low)
            };
        }
        let word = self.source_word(field.word);
        Operand {
            base: Some((cell, 0)),
            ..Operand::new(Code::Packed(word, field), low, high)
        }
    }

    /// What a cell of a variable holds now.
    pub fn cell(&mut self, variable: VariableId, cell: u32) -> Operand {
        if let Some(operand) = self.written.cells.get(&cell) {
            return *operand;
        }
        if self.written.packed.contains(&variable) {
            let field = self.layout.field(cell);
            let (low, high) = field_interval(&field);
            if field.bits == 0 {
                return Operand::constant(low);
            }
            let word = self.word(field.word);
            return Operand::new(Code::Packed(word, field), low, high);
        }
        self.source_cell(cell)
    }

    /// The value of an expression.
    pub fn value(&mut self, expr: &Expr) -> Operand {
        match expr {
            Expr::Constant(c) => Operand::constant(*c),
            Expr::Read(Place::Scalar(v)) => self.cell(*v, self.program.variable(*v).first),
            Expr::Read(Place::Element(v, index)) => self.element(*v, index),
            Expr::Read(Place::Register(r)) => {
                let register = self.written.registers.get(r);
                register.copied().unwrap_or(Operand::constant(0))
            }
            Expr::Unary(Unary::Not, _) => self.truth(expr),
            Expr::Unary(op, a) => {
                let a = self.value(a);
                match (op, a.as_constant()) {
                    (Unary::Negate, Some(c)) => Operand::constant(c.wrapping_neg()),
                    (_, Some(c)) => Operand::constant(!c),
                    (Unary::Negate, None) => {
                        let value = self.materialize(&a);
                        let value = self.builder.ins().ineg(value);
                        match (a.low.checked_neg(), a.high.checked_neg()) {
                            (Some(high), Some(low)) => Operand::new(Code::Value(value), low, high),
                            _ => Operand::any(value),
                        }
                    }
                    (_, None) => {
                        let value = self.materialize(&a);
                        let value = self.builder.ins().bnot(value);
                        Operand::new(Code::Value(value), !a.high, !a.low)
                    }
                }
            }
            Expr::Binary(op, _, _) if is_logical(*op) || comparison(*op).is_some() => {
                self.truth(expr)
            }
            Expr::Binary(op, a, b) => {
                let a = self.value(a);
                let b = self.value(b);
                self.arithmetic(*op, &a, &b)
            }
            Expr::If(condition, then, otherwise) => {
                if is_cheap_and_total(then, 8) && is_cheap_and_total(otherwise, 8) {
                    let flag = match self.flag(condition) {
                        Flag::Known(true) => return self.value(then),
                        Flag::Known(false) => return self.value(otherwise),
                        Flag::Value(flag) => flag,
                    };
                    let (a, b) = (self.value(then), self.value(otherwise));
                    let (low, high) = (a.low.min(b.low), a.high.max(b.high));
                    let (a, b) = (self.materialize(&a), self.materialize(&b));
                    let value = self.builder.ins().select(flag, a, b);
                    return Operand::new(Code::Value(value), low, high);
                }
                let (yes, no, join) = (self.block(), self.block(), self.block());
                let result = self.builder.append_block_param(join, types::I64);
                self.branch(condition, Target::plain(yes), Target::plain(no));
                let mut bounds = (i64::MAX, i64::MIN);
                for (block, value) in [(yes, then), (no, otherwise)] {
                    self.switch_to(block);
                    let operand = self.value(value);
                    bounds = (bounds.0.min(operand.low), bounds.1.max(operand.high));
                    let value = self.materialize(&operand);
                    self.jump(Target {
                        block: join,
                        argument: Some(value),
                    });
                }
                self.switch_to(join);
                Operand::new(Code::Value(result), bounds.0, bounds.1)
            }
        }
    }

    /// A truth value as a number.
    fn truth(&mut self, expr: &Expr) -> Operand {
        match self.flag(expr) {
            Flag::Known(known) => Operand::constant(i64::from(known)),
            Flag::Value(flag) => {
                let value = self.builder.ins().uextend(types::I64, flag);
                Operand::new(Code::Value(value), 0, 1)
            }
        }
    }

    /// An operator that is neither a comparison nor logical.
    fn arithmetic(&mut self, op: Binary, a: &Operand, b: &Operand) -> Operand {
        if matches!(op, Binary::Divide | Binary::Modulo) {
            return self.division(op, a, b);
        }
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Operand::constant(match op {
                Binary::Add => x.wrapping_add(y),
                Binary::Subtract => x.wrapping_sub(y),
                Binary::Multiply => x.wrapping_mul(y),
                Binary::BitAnd => x & y,
                Binary::BitOr => x | y,
                Binary::BitXor => x ^ y,
                Binary::ShiftLeft => x << (y & 63),
                _ => x >> (y & 63),
            });
        }
        let (low, high) = interval(op, a, b);
        // The distance to the source is kept only where nothing wraps, or it would not be one.
        let exact = low != i64::MIN || high != i64::MAX;
        let base = match (op, a.base, b.base, a.as_constant(), b.as_constant()) {
            (Binary::Add, Some((cell, d)), _, _, Some(c)) if exact => {
                d.checked_add(c).map(|d| (cell, d))
            }
            (Binary::Add, _, Some((cell, d)), Some(c), _) if exact => {
                d.checked_add(c).map(|d| (cell, d))
            }
            (Binary::Subtract, Some((cell, d)), _, _, Some(c)) if exact => {
                d.checked_sub(c).map(|d| (cell, d))
            }
            _ => None,
        };
        let (x, y) = (self.materialize(a), self.materialize(b));
        let ins = self.builder.ins();
        let value = match op {
            Binary::Add => ins.iadd(x, y),
            Binary::Subtract => ins.isub(x, y),
            Binary::Multiply => ins.imul(x, y),
            Binary::BitAnd => ins.band(x, y),
            Binary::BitOr => ins.bor(x, y),
            Binary::BitXor => ins.bxor(x, y),
            Binary::ShiftLeft => ins.ishl(x, y),
            _ => ins.sshr(x, y),
        };
        Operand {
            base,
            ..Operand::new(Code::Value(value), low, high)
        }
    }

    fn division(&mut self, op: Binary, a: &Operand, b: &Operand) -> Operand {
        let divide = op == Binary::Divide;
        if b.as_constant() == Some(0) {
            self.exit_always();
            return Operand::constant(0);
        }
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Operand::constant(if divide {
                x.wrapping_div(y)
            } else {
                x.wrapping_rem(y)
            });
        }
        let y = self.materialize(b);
        let mut b = *b;
        if b.low <= 0 && b.high >= 0 {
            let zero = self.builder.ins().icmp_imm(IntCC::Equal, y, 0);
            self.exit_if(zero);
            if b.low == 0 {
                b = b.within(1, i64::MAX);
            }
        }
        let (low, high) = interval(op, a, &b);
        let x = self.materialize(a);
        // A power of two and nothing negative: a shift or a mask.
        if let (Some(y), true) = (b.as_constant(), a.low >= 0)
            && y > 0
            && y & (y - 1) == 0
        {
            let value = if divide {
                (self.builder.ins()).ushr_imm(x, i64::from(y.trailing_zeros()))
            } else {
                self.builder.ins().band_imm(x, y - 1)
            };
            return Operand::new(Code::Value(value), low, high);
        }
        // By -1 the quotient may wrap, where the processor traps.
        let may_trap = b.low <= -1 && b.high >= -1;
        let short = |o: &Operand| o.lies_in(-(1 << 30), 1 << 30);
        let value = if may_trap {
            let minus_one = self.builder.ins().icmp_imm(IntCC::Equal, y, -1);
            let one = self.number(1);
            let safe = self.builder.ins().select(minus_one, one, y);
            if divide {
                let quotient = self.builder.ins().sdiv(x, safe);
                let negated = self.builder.ins().ineg(x);
                self.builder.ins().select(minus_one, negated, quotient)
            } else {
                // The remainder by 1 is 0, too.
                self.builder.ins().srem(x, safe)
            }
        } else if short(a) && short(&b) {
            // 64-bit division is several times slower.
            let x = self.builder.ins().ireduce(types::I32, x);
            let y = self.builder.ins().ireduce(types::I32, y);
            let value = if divide {
                self.builder.ins().sdiv(x, y)
            } else {
                self.builder.ins().srem(x, y)
            };
            self.builder.ins().sextend(types::I64, value)
        } else if divide {
            self.builder.ins().sdiv(x, y)
        } else {
            self.builder.ins().srem(x, y)
        };
        Operand::new(Code::Value(value), low, high)
    }
}
