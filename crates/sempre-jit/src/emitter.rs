//! A function under construction: its blocks, its words, and the exit to the interpreter.
//!
//! Code is emitted into the current block. Whatever native code cannot decide, errors above all, jumps to the
//! **exit** block: the caller then uses the interpreter, so that errors are defined in one place only.

use crate::arrays::ArrayTable;
use crate::operand::{Code, Operand, field_interval};
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, Block, BlockArg, InstBuilder, MemFlags, Signature, Value, types,
};
use cranelift_frontend::FunctionBuilder;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_model::ir::{Program, VariableId};
use sempre_model::{Field, Layout};
use std::sync::Arc;

/// A truth value at compile time.
#[derive(Clone, Copy)]
pub(crate) enum Flag {
    Known(bool),
    /// An 8-bit value, 0 or 1.
    Value(Value),
}

/// The tables of the arrays of wide states; empty for other states.
pub(crate) type Arrays = FxHashMap<VariableId, Arc<ArrayTable>>;

/// States up to this many words are loaded once, when a function is entered.
const LOADED_AT_ONCE: usize = 4;

/// A block to jump to, and its argument.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub block: Block,
    pub argument: Option<Value>,
}

impl Target {
    pub(crate) fn plain(block: Block) -> Self {
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
    /// Registers; those not listed are zero.
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
    /// Its words, if there are few.
    loaded: Vec<Value>,
    /// Is the code inside a loop over actions? Cranelift moves loop-invariant code out of loops, which here would be
    /// the tests of all guards. So in a loop each use loads the word again.
    pub in_loop: bool,
    /// The block that falls back to the interpreter.
    pub exit: Block,
    pub written: Written,
    pub facts: Vec<(u32, i64, i64)>,
    /// In wide states: the tables of the arrays.
    pub arrays: &'a Arrays,
    /// The slot of the record of an effect that writes elements in place ([`crate::arrays`]).
    pub slot: Value,
    /// Does the current effect write in place?
    pub in_place: bool,
}

impl<'a, 'f> Emitter<'a, 'f> {
    /// Starts in the current block of the builder. With `at_once`, the words of short states are loaded there. This
    /// must not be used for functions with loops over actions: the loads in the loop would be merged with these.
    pub(crate) fn new(
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

    /// Calls a Rust function with these words. Returns its result.
    pub(crate) fn call(&mut self, function: i64, arguments: &[Value]) -> Value {
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
    pub(crate) fn source_word(&mut self, word: u32) -> Value {
        if let Some(&value) = self.loaded.get(word as usize)
            && !self.in_loop
        {
            return value;
        }
        let flags = if self.in_loop {
            // This load must not move: see `in_loop`.
            MemFlags::trusted().with_alias_region(Some(AliasRegion::Heap))
        } else {
            // Readonly and movable: Cranelift merges such loads as it does arithmetic.
            MemFlags::trusted().with_readonly().with_can_move()
        };
        (self.builder.ins()).load(types::I64, flags, self.state, 8 * word as i32)
    }

    /// A word of the state as the step has changed it so far, for packed arrays.
    pub(crate) fn word(&mut self, word: u32) -> Value {
        match self.written.words.get(&word) {
            Some(&value) => value,
            // Its bits may have been written in place. Calls order plain loads.
            None if self.in_place => {
                let (flags, offset) = (MemFlags::trusted(), 8 * word as i32);
                (self.builder.ins()).load(types::I64, flags, self.state, offset)
            }
            None => self.source_word(word),
        }
    }

    /// A 64-bit constant.
    pub(crate) fn number(&mut self, c: i64) -> Value {
        self.builder.ins().iconst(types::I64, c)
    }

    /// The number in a 64-bit value.
    pub(crate) fn materialize(&mut self, operand: &Operand) -> Value {
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

    /// A new block.
    pub(crate) fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    pub(crate) fn switch_to(&mut self, block: Block) {
        self.builder.switch_to_block(block);
    }

    pub(crate) fn jump(&mut self, target: Target) {
        self.builder.ins().jump(target.block, &target.arguments());
    }

    pub(crate) fn jump_if(&mut self, flag: Value, then: Target, otherwise: Target) {
        self.builder.ins().brif(
            flag,
            then.block,
            &then.arguments(),
            otherwise.block,
            &otherwise.arguments(),
        );
    }

    /// Falls back to the interpreter if the flag is true.
    pub(crate) fn exit_if(&mut self, flag: Value) {
        let next_block = self.block();
        self.jump_if(flag, Target::plain(self.exit), Target::plain(next_block));
        self.switch_to(next_block);
    }

    /// Falls back to the interpreter. Code emitted after this is unreachable.
    pub(crate) fn exit_always(&mut self) {
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

    /// The content of a cell in the source state.
    pub(crate) fn source_cell(&mut self, cell: u32) -> Operand {
        let field = self.layout.field(cell);
        let (low, high) = self.source_interval(cell);
        // The facts contradict each other: this code is unreachable.
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

    /// The current content of a cell of a variable.
    pub(crate) fn cell(&mut self, variable: VariableId, cell: u32) -> Operand {
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
}
