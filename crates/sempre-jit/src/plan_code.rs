//! Code for plans.
//!
//! A function has at most about [`WEIGHT`] actions. Larger plans become several functions that call each other, so
//! that the compile time is linear in the size of the program. The callee uses the facts of its caller, since each
//! function has one caller.

use crate::arrays::{undo_writes, write_word};
use crate::effect::packed_arrays;
use crate::emitter::{Emitter, Flag, Target};
use crate::error::{CompileError, failed};
use crate::operand::{Operand, field_interval};
use crate::plan::{Guarded, Node};
use crate::table::{NativeTable, table_steps};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, Block, BlockArg, FuncRef, Inst, InstBuilder, JumpTableData, MemFlags,
    Signature, Value, types,
};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use sempre_model::ir::Behaviour;
use std::sync::Arc;

/// The weight of one function.
const WEIGHT: usize = 128;
/// If a function has more weight than this, every child of a large node becomes a function of its own, however small.
const MAX_FUNCTION_WEIGHT: usize = 2 * WEIGHT;
/// The interpreter handles actions of more weight: compiling their effects would take seconds, and effects cannot be
/// divided.
const MAX_ACTION_WEIGHT: usize = 2 * WEIGHT;
/// A switch over a larger span of values is a chain of comparisons.
const MAX_TABLE_SPAN: u64 = 1024;

/// A function that is declared but not compiled yet.
pub(crate) struct PendingFunction<'p, 'n> {
    pub id: FuncId,
    pub node: Body<'p, 'n>,
    pub facts: Vec<(u32, i64, i64)>,
}

#[derive(Clone, Copy)]
pub(crate) enum Body<'p, 'n> {
    One(&'n Node<'p>),
    Several(&'n [Node<'p>]),
}

/// Stores a word of a record.
pub(crate) fn store(e: &mut Emitter, value: Value, out: Value, word: usize) {
    // Records and states do not overlap; this tells Cranelift so.
    let flags = MemFlags::trusted().with_alias_region(Some(AliasRegion::Table));
    e.builder.ins().store(flags, value, out, 8 * word as i32);
}

/// The context of the code of a plan, beside the function that it is emitted into.
pub(crate) struct EmitContext<'w, 'p, 'n> {
    pub module: &'w mut JITModule,
    pub signature: &'w Signature,
    pub tables: &'w mut Vec<Arc<NativeTable>>,
    pub header: usize,
    /// Do records list changes ([`crate::changes`])?
    pub changes: bool,
    pub copy: Option<FuncId>,
    /// The reference to `copy` in this function.
    pub copy_here: Option<FuncRef>,
    /// Functions that are declared but not compiled yet.
    pub pending: &'w mut Vec<PendingFunction<'p, 'n>>,
    pub error: Option<CompileError>,
    /// The weight emitted into this function so far.
    pub emitted: usize,
}

impl<'p, 'n> EmitContext<'_, 'p, 'n> {
    /// Emits a plan. Returns the new end of the records.
    pub(crate) fn node(&mut self, e: &mut Emitter, node: &'n Node<'p>, out: Value) -> Value {
        match node {
            Node::Sequence(all) => {
                if node.weight() <= WEIGHT {
                    return self.sequence(e, all, out);
                }
                // Groups consecutive nodes, up to the weight of one function.
                let (mut out, mut rest) = (out, &all[..]);
                while !rest.is_empty() {
                    let mut weight = 0;
                    let fits = rest.iter().take_while(|n| {
                        weight += n.weight();
                        weight <= WEIGHT
                    });
                    let (part, others) = rest.split_at(fits.count().max(1));
                    rest = others;
                    out = match part {
                        [one] if one.weight() > WEIGHT => self.node(e, one, out),
                        _ => self.outline(e, Body::Several(part), out),
                    };
                }
                out
            }
            Node::Test(condition, inner) => {
                let (yes, end, result) = self.ends(e);
                let skip = Target {
                    block: end,
                    argument: Some(out),
                };
                e.branch(condition, Target::plain(yes), skip);
                let facts = e.facts.len();
                e.assume(condition);
                e.switch_to(yes);
                let is_large = node.weight() > WEIGHT;
                let after = self.child(e, inner, is_large, out);
                e.jump(Target {
                    block: end,
                    argument: Some(after),
                });
                e.facts.truncate(facts);
                e.switch_to(end);
                result
            }
            Node::Switch(cell, cases) => self.switch(e, node, *cell, cases, out),
            Node::NonZeroScan(word, cells) => self.non_zero_scan(e, node, *word, cells, out),
            Node::Action(guarded) => {
                self.emitted += guarded.weight;
                let (_, end, result) = self.ends(e);
                let facts = e.facts.len();
                let skip = Target {
                    block: end,
                    argument: Some(out),
                };
                for conjunct in &guarded.conjuncts {
                    let next_block = e.block();
                    e.branch(conjunct, Target::plain(next_block), skip);
                    e.switch_to(next_block);
                    e.assume(conjunct);
                }
                let after = if guarded.weight > MAX_ACTION_WEIGHT {
                    e.exit_always();
                    out
                } else if self.changes {
                    self.changes(e, guarded, out)
                } else {
                    e.effect(guarded.effect);
                    let changed = e.changed_words();
                    self.record(e, guarded.action, &changed, out)
                };
                e.jump(Target {
                    block: end,
                    argument: Some(after),
                });
                e.written = Default::default();
                e.facts.truncate(facts);
                e.switch_to(end);
                result
            }
            Node::Table(action) => self.table(e, *action, out),
            Node::Interpreted => {
                e.exit_always();
                out
            }
        }
    }

    pub(crate) fn sequence(
        &mut self,
        e: &mut Emitter,
        all: &'n [Node<'p>],
        mut out: Value,
    ) -> Value {
        for node in all {
            out = self.node(e, node, out);
        }
        out
    }

    /// A block to continue in, and a join block with the end of the records as its parameter.
    fn ends(&mut self, e: &mut Emitter) -> (Block, Block, Value) {
        let (yes, end) = (e.block(), e.block());
        let result = e.builder.append_block_param(end, types::I64);
        (yes, end, result)
    }

    /// Emits the child of a node: in place, or as a function if the node is too large.
    fn child(&mut self, e: &mut Emitter, child: &'n Node<'p>, is_large: bool, out: Value) -> Value {
        let weight = if is_large { child.weight() } else { 0 };
        if weight > WEIGHT / 16 || weight > 0 && self.emitted > MAX_FUNCTION_WEIGHT {
            self.outline(e, Body::One(child), out)
        } else {
            self.node(e, child, out)
        }
    }

    /// Makes the body a function of its own and calls it.
    fn outline(&mut self, e: &mut Emitter, node: Body<'p, 'n>, out: Value) -> Value {
        let id = match self.module.declare_anonymous_function(self.signature) {
            Ok(id) => id,
            Err(error) => {
                self.error = Some(failed(error));
                return out;
            }
        };
        let function = self.module.declare_func_in_func(id, e.builder.func);
        let call = e.builder.ins().call(function, &[e.state, out]);
        let facts = e.facts.clone();
        self.pending.push(PendingFunction { id, node, facts });
        self.checked(e, call)
    }

    /// The result of a call; falls back to the interpreter if the result says so.
    fn checked(&mut self, e: &mut Emitter, call: Inst) -> Value {
        let end = e.builder.inst_results(call)[0];
        let must_interpret = e.builder.ins().icmp_imm(IntCC::Equal, end, 0);
        e.exit_if(must_interpret);
        end
    }

    fn switch(
        &mut self,
        e: &mut Emitter,
        node: &Node,
        cell: u32,
        cases: &'n [(i64, Node<'p>)],
        out: Value,
    ) -> Value {
        let (_, end, result) = self.ends(e);
        let skip = Target {
            block: end,
            argument: Some(out),
        };
        let operand = e.source_cell(cell);
        let cases: Vec<&(i64, Node)> = (cases.iter())
            .filter(|c| operand.low <= c.0 && c.0 <= operand.high)
            .collect();
        let blocks: Vec<_> = cases.iter().map(|_| e.block()).collect();
        let span = match (cases.first(), cases.last()) {
            (Some(first), Some(last)) => last.0.wrapping_sub(first.0) as u64,
            _ => 0,
        };
        if cases.len() < 4 || span > MAX_TABLE_SPAN {
            for (case, &block) in cases.iter().zip(&blocks) {
                let constant = Operand::constant(case.0);
                let next = e.block();
                match e.compare(IntCC::Equal, &operand, &constant) {
                    Flag::Known(true) => e.jump(Target::plain(block)),
                    Flag::Known(false) => e.jump(Target::plain(next)),
                    Flag::Value(flag) => e.jump_if(flag, Target::plain(block), Target::plain(next)),
                }
                e.switch_to(next);
            }
            e.jump(skip);
        } else {
            let first = cases[0].0;
            let value = e.materialize(&operand);
            let value = e.builder.ins().iadd_imm(value, first.wrapping_neg());
            // Jump tables are indexed by 32 bits, so larger values must not wrap around.
            let value = if operand.lies_in(first, first.saturating_add(i64::from(u32::MAX))) {
                value
            } else {
                let limit = e.number(span as i64 + 1);
                e.builder.ins().umin(value, limit)
            };
            let index = e.builder.ins().ireduce(types::I32, value);
            let skip_arguments = [BlockArg::Value(out)];
            let default = e.builder.func.dfg.block_call(end, &skip_arguments);
            let mut table = vec![default; span as usize + 1];
            for (case, &block) in cases.iter().zip(&blocks) {
                let place = case.0.wrapping_sub(first) as usize;
                table[place] = e.builder.func.dfg.block_call(block, &[]);
            }
            let data = JumpTableData::new(default, &table);
            let table = e.builder.create_jump_table(data);
            e.builder.ins().br_table(index, table);
        }
        let is_large = node.weight() > WEIGHT;
        for (case, block) in cases.into_iter().zip(blocks) {
            e.switch_to(block);
            let facts = e.facts.len();
            e.facts.push((cell, case.0, case.0));
            let after = self.child(e, &case.1, is_large, out);
            e.facts.truncate(facts);
            e.jump(Target {
                block: end,
                argument: Some(after),
            });
        }
        e.switch_to(end);
        result
    }

    fn non_zero_scan(
        &mut self,
        e: &mut Emitter,
        node: &Node,
        word: u32,
        cells: &'n [(u32, Node<'p>)],
        out: Value,
    ) -> Value {
        let mask = |cell: u32| {
            let field = e.layout.field(cell);
            field.mask() << field.shift
        };
        let masks: Vec<u64> = cells.iter().map(|c| mask(c.0)).collect();
        let all = masks.iter().fold(0, |a, b| a | b);
        let source = e.source_word(word);
        let rest = e.builder.ins().band_imm(source, all as i64);
        let head = e.block();
        let remaining = e.builder.append_block_param(head, types::I64);
        let out_now = e.builder.append_block_param(head, types::I64);
        let (dispatch, end) = (e.block(), e.block());
        e.builder.ins().jump(head, &[rest.into(), out.into()]);
        e.switch_to(head);
        e.jump_if(remaining, Target::plain(dispatch), Target::plain(end));
        e.switch_to(dispatch);
        let lowest = e.builder.ins().ctz(remaining);
        let index = e.builder.ins().ireduce(types::I32, lowest);
        let blocks: Vec<_> = cells.iter().map(|_| e.block()).collect();
        let default = e.builder.func.dfg.block_call(end, &[]);
        let mut table = vec![default; 64];
        for (&mask, &block) in masks.iter().zip(&blocks) {
            for (bit, entry) in table.iter_mut().enumerate() {
                if mask >> bit & 1 == 1 {
                    *entry = e.builder.func.dfg.block_call(block, &[]);
                }
            }
        }
        let data = JumpTableData::new(default, &table);
        let table = e.builder.create_jump_table(data);
        e.builder.ins().br_table(index, table);
        let in_loop = std::mem::replace(&mut e.in_loop, true);
        let is_large = node.weight() > WEIGHT;
        for (((cell, child), mask), block) in cells.iter().zip(masks).zip(blocks) {
            e.switch_to(block);
            let facts = e.facts.len();
            let (low, high) = field_interval(&e.layout.field(*cell));
            e.facts.push((*cell, low.saturating_add(1), high));
            let after = self.child(e, child, is_large, out_now);
            e.facts.truncate(facts);
            let left = e.builder.ins().band_imm(remaining, !mask as i64);
            e.builder.ins().jump(head, &[left.into(), after.into()]);
        }
        e.in_loop = in_loop;
        e.switch_to(end);
        out_now
    }

    /// Runs an effect and appends the record of its changes. Returns the new end.
    fn changes(&mut self, e: &mut Emitter, guarded: &Guarded, out: Value) -> Value {
        let slot = self.header as i32 * 8;
        e.in_place = !packed_arrays(guarded.effect).is_empty();
        if e.in_place {
            let none = e.number(0);
            store(e, none, out, self.header);
            e.slot = e.builder.ins().iadd_imm(out, i64::from(slot));
        }
        e.effect(guarded.effect);
        let changed = e.changed_words();
        let action = e.number(i64::from(guarded.action));
        store(e, action, out, 0);
        if self.header > 1 {
            let none = e.number(0);
            store(e, none, out, 1);
        }
        if !e.in_place {
            let count = e.number(changed.len() as i64);
            store(e, count, out, self.header);
            for (i, &(word, value)) in changed.iter().enumerate() {
                let word = e.number(i64::from(word));
                store(e, word, out, self.header + 1 + 2 * i);
                store(e, value, out, self.header + 2 + 2 * i);
            }
            let length = self.header + 1 + 2 * changed.len();
            return e.builder.ins().iadd_imm(out, 8 * length as i64);
        }
        for (word, value) in changed {
            let word = e.number(i64::from(word));
            e.call(
                write_word as *const () as i64,
                &[e.state, e.slot, word, value],
            );
        }
        let end = e.call(undo_writes as *const () as i64, &[e.state, e.slot]);
        e.in_place = false;
        end
    }

    /// Appends a record. Returns the new end.
    fn record(
        &mut self,
        e: &mut Emitter,
        action: u32,
        changed: &[(u32, Value)],
        out: Value,
    ) -> Value {
        let number = e.number(i64::from(action));
        store(e, number, out, 0);
        if self.header > 1 {
            let none = e.number(0);
            store(e, none, out, 1);
        }
        let width = e.layout.width();
        match self.copy {
            None => {
                let mut changed = changed.iter().peekable();
                for word in 0..width {
                    let value = match changed.next_if(|c| c.0 as usize == word) {
                        Some(&(_, value)) => value,
                        None => e.source_word(word as u32),
                    };
                    store(e, value, out, self.header + word);
                }
            }
            Some(copy) => {
                let module = &mut *self.module;
                let copy = *(self.copy_here)
                    .get_or_insert_with(|| module.declare_func_in_func(copy, e.builder.func));
                let to = e.builder.ins().iadd_imm(out, 8 * self.header as i64);
                e.builder.ins().call(copy, &[e.state, to]);
                for &(word, value) in changed {
                    store(e, value, out, self.header + word as usize);
                }
            }
        }
        let stride = 8 * (self.header + width) as i64;
        e.builder.ins().iadd_imm(out, stride)
    }

    /// Calls the lookup in a table.
    fn table(&mut self, e: &mut Emitter, action: u32, out: Value) -> Value {
        let Behaviour::Table(table) = &e.program.actions[action as usize].behaviour else {
            return out;
        };
        let (header, changes) = (self.header, self.changes);
        let native = NativeTable::new(e.program, e.layout, action, table, header, changes);
        let native = Arc::new(native);
        let address = std::ptr::from_ref::<NativeTable>(&native) as i64;
        self.tables.push(native);
        let mut signature = self.signature.clone();
        signature.params.push(AbiParam::new(types::I64));
        let signature = e.builder.import_signature(signature);
        let function = e.number(table_steps as *const () as i64);
        let table = e.number(address);
        let arguments = [e.state, out, table];
        let call = (e.builder.ins()).call_indirect(signature, function, &arguments);
        self.checked(e, call)
    }
}
