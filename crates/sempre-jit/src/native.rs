//! Native functions, compiled from plans.
//!
//! All functions have the type `(state, out) -> end`: they append records to `out` and return the end of the last
//! one, or 0 if the interpreter must handle the state. A record is a header (the number of the action and, if the
//! program has marks, the marks) followed by the words of the successor, or by the list of the words that change
//! ([`crate::changes`]).

use crate::arrays::ArrayTable;
use crate::atomic_register::holders;
use crate::compilable::{is_compilable, size};
use crate::effect::max_changes;
use crate::emitter::{Arrays, Emitter, Flag, Target};
use crate::error::{CompileError, failed};
use crate::operand::Operand;
use crate::plan::{Node, plan};
use crate::plan_code::{Body, EmitContext, PendingFunction, store};
use crate::table::NativeTable;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, Signature, UserFuncName, Value, types,
};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use sempre_base::stop::checkpoint_now;
use sempre_model::Layout;
use sempre_model::footprint::can_fail;
use sempre_model::ir::{Behaviour, Expr, Program, VariableId};
use std::sync::Arc;
use std::time::Instant;

/// A separate function copies states of more words than this.
const COPIED_IN_PLACE: usize = 8;

/// The interpreter handles actions with larger guards.
const LARGEST_GUARD: usize = 20_000;

/// A function of native code; see the module's documentation.
type Entry = unsafe extern "C" fn(*const u64, *mut u64) -> usize;

/// The native code of a program, for one layout.
pub(crate) struct Native {
    /// Owns the code.
    _module: CodeModule,
    successors: Entry,
    /// For each process, the function for states in which the atomic register names it. Empty if the actions of other
    /// processes matter ([`holders`]); `successors` then accepts any state, not only those with the register at 0.
    own: Vec<Option<Entry>>,
    valuation: Entry,
    propositions: Vec<Entry>,
    /// The code contains their addresses.
    _tables: Vec<Arc<NativeTable>>,
    _arrays: Arc<Arrays>,
    /// Do records list changes ([`crate::changes`])?
    pub changes: bool,
    /// Words of a record before the state: the action, perhaps marks.
    pub header: usize,
    /// The most words that the records of one state can take.
    pub room: usize,
    /// Are records in the order of actions?
    pub ordered: bool,
    /// The number of functions.
    pub functions: usize,
    /// How many of them fall back to the interpreter because the time was over.
    pub skipped_functions: usize,
    width: usize,
    valuation_words: usize,
}

// SAFETY: the code is written once, before `Native` exists, and then only read and run; it keeps no state
// outside its arguments. The module is touched again only when it is dropped, by its owner; it is
// `Send`, and no method of `Native` gives access to it.
unsafe impl Sync for Native {}

/// A module that frees its memory, also if its code is never finished.
struct CodeModule(Option<JITModule>);

impl CodeModule {
    fn get(&mut self) -> &mut JITModule {
        // The module is taken only when this is dropped.
        self.0.as_mut().expect("a module")
    }
}

impl Drop for CodeModule {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: the entries into the code are private to `Native`, which owns this, and are called only through a
            // reference to it: nothing runs this code any more, and nothing can call it later.
            unsafe { module.free_memory() }
        }
    }
}

impl Native {
    /// Words of a record.
    pub(crate) fn stride(&self) -> usize {
        self.header + self.width
    }

    /// The start of a record; `starts` is used if records list changes.
    #[inline]
    pub(crate) fn start(&self, starts: &[u32], record: u32) -> usize {
        match self.changes {
            true => starts[record as usize] as usize,
            false => record as usize * self.stride(),
        }
    }

    /// Writes the records of the state. Returns their number, or `None` if the interpreter must handle the state.
    pub(crate) fn successors(&self, state: &[u64], out: &mut [u64]) -> Option<usize> {
        assert_eq!(state.len(), self.width);
        assert!(out.len() >= self.room && !self.changes);
        let start = out.as_mut_ptr();
        // SAFETY: the function reads `width` words of `state` and writes at most `room` words
        // to `out`, both checked above; they do not overlap, as `out` is borrowed
        // mutably. It calls nothing but functions of this module and `table_steps` on tables that
        // `self` owns, and its divisions are guarded, so that it neither traps nor unwinds.
        let end = unsafe { (self.successors)(state.as_ptr(), start) };
        (end != 0).then(|| (end - start as usize) / 8 / self.stride())
    }

    /// Writes the records of the state as lists of changes. Returns their length in words. If the interpreter must
    /// handle the state, returns `None`; `state` may then have been overwritten.
    pub(crate) fn changes_of(&self, state: &mut [u64], out: &mut [u64]) -> Option<usize> {
        self.changes_by(self.successors, state, out)
    }

    fn changes_by(&self, entry: Entry, state: &mut [u64], out: &mut [u64]) -> Option<usize> {
        assert_eq!(state.len(), self.width);
        assert!(out.len() >= self.room && self.changes);
        let start = out.as_mut_ptr();
        // SAFETY: as for `successors`; the state is written by functions of `arrays` on tables that `self` owns,
        // which write words of the state through this pointer.
        let end = unsafe { entry(state.as_mut_ptr(), start) };
        (end != 0).then(|| (end - start as usize) / 8)
    }

    /// Does the code have functions for the processes that the atomic register names?
    pub(crate) fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Writes the records of a state in which the atomic register names this process: the steps of its own actions
    /// only. Returns their number, or `None` if the interpreter must handle the state.
    ///
    /// If records list changes, use [`Self::own_changes`].
    pub(crate) fn own_successors(
        &self,
        process: usize,
        state: &[u64],
        out: &mut [u64],
    ) -> Option<usize> {
        let own = (*self.own.get(process)?)?;
        assert_eq!(state.len(), self.width);
        assert!(out.len() >= self.room && !self.changes);
        let start = out.as_mut_ptr();
        // SAFETY: as for `successors`; its actions are some of theirs.
        let end = unsafe { own(state.as_ptr(), start) };
        (end != 0).then(|| (end - start as usize) / 8 / self.stride())
    }

    /// [`Self::changes_of`] for a state in which the atomic register names this process: its own actions only.
    pub(crate) fn own_changes(
        &self,
        process: usize,
        state: &mut [u64],
        out: &mut [u64],
    ) -> Option<usize> {
        self.changes_by((*self.own.get(process)?)?, state, out)
    }

    /// Writes the valuation of all propositions, one bit each. Returns false if the interpreter must handle the
    /// state.
    pub(crate) fn valuation(&self, state: &[u64], out: &mut [u64]) -> bool {
        assert_eq!(state.len(), self.width);
        assert!(out.len() >= self.valuation_words);
        // SAFETY: as for `successors`; it writes `valuation_words` words.
        unsafe { (self.valuation)(state.as_ptr(), out.as_mut_ptr()) != 0 }
    }

    /// The value of a proposition; `None` if the interpreter must handle the state.
    pub(crate) fn holds(&self, state: &[u64], proposition: usize) -> Option<bool> {
        assert_eq!(state.len(), self.width);
        // SAFETY: as for `successors`; it writes nothing.
        let answer =
            unsafe { (self.propositions[proposition])(state.as_ptr(), std::ptr::null_mut()) };
        (answer != 0).then_some(answer == 2)
    }

    /// Compiles a program for a layout. The interpreter handles the states of functions that are not compiled by the
    /// time `until`. With `changes`, records list changes.
    pub(crate) fn new(
        program: &Program,
        layout: &Layout,
        propositions: &[Expr],
        until: Option<Instant>,
        changes: bool,
    ) -> Result<Self, CompileError> {
        let mut module_builder = ModuleBuilder::new(program, layout, until, changes)?;
        let mut ordered = true;
        let mut classes: Vec<i8> = program.actions.iter().map(|a| a.class).collect();
        classes.sort_unstable_by(|a, b| b.cmp(a));
        classes.dedup();
        let refused = |action: u32| match &program.actions[action as usize].behaviour {
            Behaviour::Guarded { guard, effect } => {
                !is_compilable(program, Some(guard), effect)
                    || size(Some(guard), &[]) > LARGEST_GUARD
            }
            Behaviour::Table(table) => {
                let fine = |c: &u32| (*c as usize) < program.cells();
                let whole = |row: &(Vec<i64>, Vec<i64>)| row.0.len() == table.reads.len();
                !(table.reads.iter().chain(&table.writes).all(fine) && table.rows.iter().all(whole))
            }
        };
        let mut plans = Vec::new();
        for class in classes {
            let of_class = (0..program.actions.len() as u32)
                .filter(|&a| program.actions[a as usize].class == class);
            let (node, keeps) = plan(program, layout, &of_class.collect::<Vec<_>>(), &refused);
            ordered &= keeps;
            plans.push(node);
        }
        let mut own_plans: Vec<Option<Node>> = Vec::new();
        for actions in holders(program).unwrap_or_default() {
            own_plans.push(match actions {
                Some(actions) => {
                    let (node, keeps) = plan(program, layout, &actions, &refused);
                    ordered &= keeps;
                    Some(node)
                }
                None => None,
            });
        }
        if !ordered || module_builder.header != 1 {
            own_plans.clear();
        }
        // Plans that preserve the order of actions have no loops.
        module_builder.at_once = ordered;
        let register = (program.atomic).map(|v| program.variable(v).first);
        let unheld = register.filter(|_| !own_plans.is_empty());
        let conditions: Vec<&Expr> = program.assertions.iter().map(|a| &a.0).collect();
        for expr in conditions.iter().copied().chain(propositions) {
            if !is_compilable(program, Some(expr), &[]) {
                return Err(failed(
                    "a condition is too deep, or uses a variable that does not exist",
                ));
            }
        }
        let fallible: Vec<&Expr> = (propositions.iter())
            .filter(|p| can_fail(program, p))
            .collect();
        let successors = module_builder.successors(&plans, &conditions, &fallible, unheld)?;
        let mut own = Vec::new();
        for (process, node) in own_plans.iter().enumerate() {
            own.push(match (node, register) {
                (Some(node), Some(cell)) => {
                    Some(module_builder.own(node, cell, process as i64 + 1)?)
                }
                _ => None,
            });
        }
        let valuation = module_builder.valuation(propositions)?;
        let mut holds = Vec::new();
        for proposition in propositions {
            holds.push(module_builder.proposition(proposition)?);
        }
        let ModuleBuilder {
            mut module,
            tables,
            header,
            functions,
            skipped_functions,
            arrays,
            ..
        } = module_builder;
        module.get().finalize_definitions().map_err(failed)?;
        let code = module.get();
        let entry = |id: FuncId| {
            let address = code.get_finalized_function(id);
            // SAFETY: the function was defined with the signature of `Entry`, in the calling convention
            // of the host, and lives as long as the module.
            unsafe { std::mem::transmute::<*const u8, Entry>(address) }
        };
        let width = layout.width();
        let length = |limit: usize| match changes {
            true => header + 1 + 2 * limit,
            false => header + width,
        };
        let records = |action: &sempre_model::Action| match &action.behaviour {
            Behaviour::Guarded { effect, .. } => length(max_changes(effect, width)),
            Behaviour::Table(table) => {
                NativeTable::max_steps(table) * length(table.writes.len().min(width))
            }
        };
        let successors = entry(successors);
        let own = own.into_iter().map(|id| id.map(entry)).collect();
        let valuation = entry(valuation);
        let propositions_of_code = holds.into_iter().map(entry).collect();
        Ok(Self {
            successors,
            own,
            valuation,
            propositions: propositions_of_code,
            _module: module,
            _tables: tables,
            header,
            _arrays: arrays,
            changes,
            room: program.actions.iter().map(records).sum(),
            ordered,
            functions,
            skipped_functions,
            width,
            valuation_words: propositions.len().div_ceil(64),
        })
    }
}

/// The module under construction.
struct ModuleBuilder<'p> {
    program: &'p Program,
    layout: &'p Layout,
    module: CodeModule,
    context: cranelift_codegen::Context,
    builder_context: FunctionBuilderContext,
    signature: Signature,
    tables: Vec<Arc<NativeTable>>,
    header: usize,
    functions: usize,
    /// Compilation stops at this time.
    until: Option<Instant>,
    /// The number of functions that fall back to the interpreter.
    skipped_functions: usize,
    /// Are words of short states loaded when a function is entered?
    at_once: bool,
    /// The function that copies a state, if states are long.
    copy: Option<FuncId>,
    arrays: Arc<Arrays>,
    changes: bool,
}

impl<'p> ModuleBuilder<'p> {
    fn new(
        program: &'p Program,
        layout: &'p Layout,
        until: Option<Instant>,
        changes: bool,
    ) -> Result<Self, CompileError> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            (
                "enable_verifier",
                if cfg!(debug_assertions) {
                    "true"
                } else {
                    "false"
                },
            ),
            ("enable_probestack", "false"),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).map_err(failed)?;
        }
        let isa = cranelift_native::builder()
            .map_err(failed)?
            .finish(settings::Flags::new(flags))
            .map_err(failed)?;
        if isa.pointer_bits() != 64 {
            return Err(failed("the machine is not of 64 bits"));
        }
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let mut signature = module.make_signature();
        signature.params.push(AbiParam::new(types::I64));
        signature.params.push(AbiParam::new(types::I64));
        signature.returns.push(AbiParam::new(types::I64));
        let has_marks = program.actions.iter().any(|a| match &a.behaviour {
            Behaviour::Table(table) => table.marks.iter().any(|&m| m != 0),
            Behaviour::Guarded { .. } => false,
        });
        let context = module.make_context();
        let mut arrays = Arrays::default();
        let variables = (0..program.variables.len() as u32).map(VariableId);
        for v in variables.filter(|_| changes) {
            arrays.insert(v, Arc::new(ArrayTable::new(program, layout, v)));
        }
        let mut module_builder = Self {
            program,
            layout,
            module: CodeModule(Some(module)),
            until,
            skipped_functions: 0,
            context,
            builder_context: FunctionBuilderContext::new(),
            signature,
            tables: Vec::new(),
            header: if has_marks { 2 } else { 1 },
            functions: 0,
            at_once: true,
            copy: None,
            arrays: Arc::new(arrays),
            changes,
        };
        if layout.width() > COPIED_IN_PLACE && !changes {
            let id = module_builder.declare()?;
            module_builder.define(id, &mut Vec::new(), &mut |e, _, out| {
                for word in 0..e.layout.width() {
                    let value = e.source_word(word as u32);
                    store(e, value, out, word);
                }
                out
            })?;
            module_builder.copy = Some(id);
        }
        Ok(module_builder)
    }

    fn declare(&mut self) -> Result<FuncId, CompileError> {
        (self.module.get())
            .declare_anonymous_function(&self.signature)
            .map_err(failed)
    }

    /// Defines a function that returns the result of `emit`. The exit block returns 0.
    fn define<'n>(
        &mut self,
        id: FuncId,
        pending: &mut Vec<PendingFunction<'p, 'n>>,
        emit: &mut dyn FnMut(&mut Emitter, &mut EmitContext<'_, 'p, 'n>, Value) -> Value,
    ) -> Result<(), CompileError> {
        // Compiling one function may take milliseconds.
        checkpoint_now();
        self.functions += 1;
        let name = UserFuncName::user(0, id.as_u32());
        self.context.func = Function::with_name_signature(name, self.signature.clone());
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder_context);
        let start = builder.create_block();
        builder.append_block_params_for_function_params(start);
        builder.switch_to_block(start);
        let exit = builder.create_block();
        builder.set_cold_block(exit);
        let (state, out) = (
            builder.block_params(start)[0],
            builder.block_params(start)[1],
        );
        let arrays = Arc::clone(&self.arrays);
        let mut emitter = Emitter::new(
            builder,
            self.program,
            self.layout,
            &arrays,
            state,
            exit,
            self.at_once,
        );
        let mut emit_context = EmitContext {
            module: self.module.get(),
            signature: &self.signature,
            tables: &mut self.tables,
            header: self.header,
            changes: self.changes,
            copy: self.copy,
            copy_here: None,
            pending,
            error: None,
            emitted: 0,
        };
        let end = emit(&mut emitter, &mut emit_context, out);
        let error = emit_context.error.take();
        emitter.builder.ins().return_(&[end]);
        emitter.switch_to(exit);
        let zero = emitter.number(0);
        emitter.builder.ins().return_(&[zero]);
        let mut builder = emitter.builder;
        builder.seal_all_blocks();
        builder.finalize();
        if let Some(error) = error {
            return Err(error);
        }
        let module = self.module.get();
        let defined = module.define_function(id, &mut self.context);
        defined.map_err(|e| failed(format!("{e:?}")))?;
        module.clear_context(&mut self.context);
        Ok(())
    }

    /// The function that computes successors.
    fn successors(
        &mut self,
        plans: &[Node<'p>],
        assertions: &[&Expr],
        fallible: &[&Expr],
        unheld: Option<u32>,
    ) -> Result<FuncId, CompileError> {
        let main = self.declare()?;
        let mut pending: Vec<PendingFunction> = Vec::new();
        self.define(main, &mut pending, &mut |e, emit_context, start| {
            if let Some(cell) = unheld {
                let holder = e.source_cell(cell);
                match e.compare(IntCC::NotEqual, &holder, &Operand::constant(0)) {
                    Flag::Known(false) => {}
                    Flag::Known(true) => e.exit_always(),
                    Flag::Value(flag) => e.exit_if(flag),
                }
                e.facts.push((cell, 0, 0));
            }
            for assertion in assertions {
                let next_block = e.block();
                e.branch(assertion, Target::plain(next_block), Target::plain(e.exit));
                e.switch_to(next_block);
            }
            for proposition in fallible {
                // Only errors of the evaluation matter here.
                e.flag(proposition);
            }
            let mut out = start;
            let done = e.block();
            let result = e.builder.append_block_param(done, types::I64);
            for (i, node) in plans.iter().enumerate() {
                out = emit_context.node(e, node, out);
                if i + 1 < plans.len() {
                    // A class of actions is disabled if a higher one has a step.
                    let next = e.block();
                    let some = e.builder.ins().icmp(IntCC::NotEqual, out, start);
                    let to_done = Target {
                        block: done,
                        argument: Some(out),
                    };
                    e.jump_if(some, to_done, Target::plain(next));
                    e.switch_to(next);
                }
            }
            e.jump(Target {
                block: done,
                argument: Some(out),
            });
            e.switch_to(done);
            result
        })?;
        self.define_pending(pending)?;
        Ok(main)
    }

    /// The function that computes the steps of a process while the atomic register names it.
    fn own(&mut self, node: &Node<'p>, cell: u32, holder: i64) -> Result<FuncId, CompileError> {
        let main = self.declare()?;
        let mut pending: Vec<PendingFunction> = Vec::new();
        self.define(main, &mut pending, &mut |e, emit_context, out| {
            e.facts.push((cell, holder, holder));
            emit_context.node(e, node, out)
        })?;
        self.define_pending(pending)?;
        Ok(main)
    }

    /// Defines the functions that others call.
    fn define_pending(
        &mut self,
        mut pending: Vec<PendingFunction<'p, '_>>,
    ) -> Result<(), CompileError> {
        while let Some(function) = pending.pop() {
            if self.until.is_some_and(|until| Instant::now() >= until) {
                self.skipped_functions += 1;
                // The result 0 makes all callers fall back to the interpreter.
                self.define(function.id, &mut pending, &mut |e, _, _| e.number(0))?;
                continue;
            }
            self.define(function.id, &mut pending, &mut |e, emit_context, out| {
                e.facts = function.facts.clone();
                match function.node {
                    Body::One(node) => emit_context.node(e, node, out),
                    Body::Several(nodes) => emit_context.sequence(e, nodes, out),
                }
            })?;
        }
        Ok(())
    }

    /// The function that writes the valuation of all propositions and returns 1.
    fn valuation(&mut self, propositions: &[Expr]) -> Result<FuncId, CompileError> {
        let id = self.declare()?;
        self.define(id, &mut Vec::new(), &mut |e, _, out| {
            for (i, chunk) in propositions.chunks(64).enumerate() {
                let mut word = e.number(0);
                for (bit, proposition) in chunk.iter().enumerate() {
                    let bit = bit as i64;
                    word = match e.flag(proposition) {
                        Flag::Known(false) => word,
                        Flag::Known(true) => e.builder.ins().bor_imm(word, 1 << bit),
                        Flag::Value(flag) => {
                            let flag = e.builder.ins().uextend(types::I64, flag);
                            let flag = e.builder.ins().ishl_imm(flag, bit);
                            e.builder.ins().bor(word, flag)
                        }
                    };
                }
                store(e, word, out, i);
            }
            e.number(1)
        })?;
        Ok(id)
    }

    /// The function that returns 2 if the proposition holds and 1 if not.
    fn proposition(&mut self, proposition: &Expr) -> Result<FuncId, CompileError> {
        let id = self.declare()?;
        self.define(
            id,
            &mut Vec::new(),
            &mut |e, _, _| match e.flag(proposition) {
                Flag::Known(known) => e.number(1 + i64::from(known)),
                Flag::Value(flag) => {
                    let flag = e.builder.ins().uextend(types::I64, flag);
                    e.builder.ins().iadd_imm(flag, 1)
                }
            },
        )?;
        Ok(id)
    }
}
