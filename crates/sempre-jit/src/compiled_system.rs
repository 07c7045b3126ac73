//! The compiled program, what a worker needs beside it, and the records of a state.
//!
//! [`crate::system`] emits the successors that the records stand for.

use crate::background::Compilation;
use crate::difference::{Changes, each_record};
use crate::error::CompileError;
use crate::native::Native;
use sempre_model::flat_set::FlatSet;
use sempre_model::ir::{Expr, Program};
use sempre_model::{Layout, ProgramContext, ProgramSystem, System};
use std::sync::Arc;

/// States of more words are wide.
pub(crate) const WIDE: usize = 32;

/// The scratch space for expanding atomic steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct AtomicExpansion {
    /// The records of the source state.
    pub(crate) first: Vec<u64>,
    /// The records of the end states of the steps.
    pub(crate) ends: Vec<u64>,
    /// Intermediate states that are not expanded yet, one behind the other.
    pub(crate) waiting: Vec<u64>,
    pub(crate) seen: FlatSet<u64>,
}

impl AtomicExpansion {
    /// The records of the end states, after the last expansion.
    pub(crate) fn ends(&self) -> &[u64] {
        &self.ends
    }
}

/// Stores the start of each of these records in the context. Returns the number of records.
pub(crate) fn index_records(context: &mut CompiledContext, length: usize, header: usize) -> usize {
    let starts = &mut context.changes.starts;
    starts.clear();
    let mut start = 0;
    for record in each_record(&context.records[..length], header) {
        starts.push(start as u32);
        start += record.len();
    }
    starts.len()
}

/// See the module's documentation.
#[derive(Clone)]
pub struct CompiledSystem {
    pub(crate) interpreted: ProgramSystem,
    pub(crate) native: Arc<Compilation>,
    pub(crate) propositions: Arc<Vec<Expr>>,
    /// States with more words than this are wide.
    pub(crate) wide: usize,
}

/// The scratch space of one worker.
#[derive(Clone, Debug)]
pub struct CompiledContext {
    pub(crate) interpreted: ProgramContext,
    /// The records of a state.
    pub(crate) records: Vec<u64>,
    /// The records that are steps, in order, unless all are.
    pub(crate) order: Vec<u32>,
    /// The place of each action in the order of steps, unless the order is the default one.
    pub(crate) rank: Option<Vec<u32>>,
    /// How many states the interpreter handled.
    pub(crate) fallbacks: u64,
    /// The scratch space of atomic steps.
    pub(crate) expansion: AtomicExpansion,
    /// The scratch space of wide states.
    pub(crate) changes: Changes,
}

impl CompiledContext {
    /// The number of states whose successors the interpreter computed.
    pub fn interpreted_states(&self) -> u64 {
        self.fallbacks
    }
}

impl CompiledSystem {
    /// Compiles a program for this layout and these propositions.
    ///
    /// # Errors
    /// If Cranelift does not support this machine, or an assertion or proposition of the program is malformed.
    /// [`ProgramSystem`] then computes the same, more slowly.
    pub fn new(
        program: Arc<Program>,
        layout: Layout,
        propositions: Vec<Expr>,
    ) -> Result<Self, CompileError> {
        Self::with_wide(program, layout, propositions, WIDE)
    }

    /// The same, treating states of more words than `wide` as wide ([`Sink::changed`](sempre_model::Sink::changed)).
    ///
    /// # Errors
    /// As for [`CompiledSystem::new`].
    pub fn with_wide(
        program: Arc<Program>,
        layout: Layout,
        propositions: Vec<Expr>,
        wide: usize,
    ) -> Result<Self, CompileError> {
        let propositions = Arc::new(propositions);
        let changes = layout.width() > wide;
        let native = Compilation::begin(&program, &layout, &propositions, changes);
        native.error()?;
        let interpreted = ProgramSystem::new(program, layout, propositions.to_vec());
        Ok(Self {
            interpreted,
            native: Arc::new(native),
            propositions,
            wide,
        })
    }

    /// Is the compilation complete? The interpreter computes all successors until then.
    pub fn is_compiled(&self) -> bool {
        self.native.get().is_some()
    }

    /// Waits until the compilation ends.
    pub fn wait(&self) {
        self.native.wait();
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        self.interpreted.program()
    }

    /// The layout of states.
    pub fn layout(&self) -> &Layout {
        self.interpreted.layout()
    }

    /// The number of native functions.
    pub fn functions(&self) -> usize {
        self.native.get().map_or(0, |n| n.functions)
    }

    /// The number of functions that were not compiled for lack of time. The interpreter handles their states.
    pub fn skipped_functions(&self) -> usize {
        self.native.get().map_or(0, |n| n.skipped_functions)
    }

    /// Fills the context with the records of the state. Returns their number, and whether `order` selects and orders
    /// the steps among them. `None` if the interpreter must handle the state.
    pub(crate) fn expand(
        &self,
        context: &mut CompiledContext,
        state: &[u64],
    ) -> Option<(usize, bool)> {
        let native = self.native.get()?;
        if context.records.len() < native.room {
            context.records = vec![0; native.room];
        }
        let count = match native.changes {
            true => self.list_records(context, native, state)?,
            false => native.successors(state, &mut context.records)?,
        };
        let program = self.program();
        let exclusive = program.exclusive.filter(|_| count > 1);
        if exclusive.is_none() && (native.ordered || count < 2) && context.rank.is_none() {
            return Some((count, false));
        }
        let (records, starts) = (&context.records, &context.changes.starts);
        let action = |record: u32| records[native.start(starts, record)] as u32;
        let order = &mut context.order;
        order.clear();
        order.extend(0..count as u32);
        if let Some(register) = exclusive {
            let holder = self.layout().get(state, program.variable(register).first);
            let takes_part = |record: &u32| {
                let processes = self.interpreted.action_processes(action(*record));
                processes.iter().any(|&p| i64::from(p) + 1 == holder)
            };
            if holder != 0 && order.iter().any(takes_part) {
                order.retain(takes_part);
            }
        }
        // The sort is stable: the rows of a table stay in their order.
        match &context.rank {
            Some(rank) => order.sort_by_key(|&r| rank[action(r) as usize]),
            None if !native.ordered => order.sort_by_key(|&r| action(r)),
            None => {}
        }
        Some((count, true))
    }

    /// Fills the context with the records of the state. Returns their number, or `None` if the interpreter must
    /// handle the state.
    fn list_records(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        state: &[u64],
    ) -> Option<usize> {
        context.changes.start_from(state);
        let (changes, records) = (&mut context.changes, &mut context.records);
        let length = native.changes_of(&mut changes.state, records)?;
        Some(index_records(context, length, native.header))
    }
}
