//! A program as a [`System`], compiled.
//!
//! Native code appends the successors of a state to a buffer, as records; this module walks through them. If
//! it gives up on a state ([`crate::native`]), the interpreter tells the successors of that state.
//!
//! The **order** in which steps are told is that of the interpreter, the order of actions. Plans for nets
//! find steps in another order ([`crate::plan`]); then records are sorted here, by action.
//!
//! **Exclusivity** is settled here, too: if a process that the exclusive register names has a step among the
//! records, the others are skipped. (Classes of priority are settled by native code, which does not look
//! at lower ones when a higher one has a step.)
//!
//! **Atomic steps** are gone through in [`crate::atomic`].

use crate::atomic::Passage;
use crate::native::{CompileError, Native};
use sempre_base::Random;
use sempre_model::ir::{Expr, Program};
use sempre_model::{Layout, ProgramContext, ProgramSystem, Sink, Step, System};
use std::sync::Arc;

/// See the module's documentation.
#[derive(Clone)]
pub struct CompiledSystem {
    interpreted: ProgramSystem,
    /// `None` if there was no native code for a wider layout: then all is interpreted.
    native: Option<Arc<Native>>,
    propositions: Arc<Vec<Expr>>,
}

/// The scratch space of one worker.
#[derive(Clone, Debug)]
pub struct CompiledContext {
    interpreted: ProgramContext,
    /// The records of a state.
    pub(crate) records: Vec<u64>,
    /// Which records are told, in order, if it is not simply all of them.
    pub(crate) order: Vec<u32>,
    /// The place of each action in the order of steps, if it is not the usual one.
    rank: Option<Vec<u32>>,
    /// How many states the interpreter had to be asked about.
    asked: u64,
    /// What atomic steps are gone through with.
    pub(crate) passage: Passage,
}

impl CompiledContext {
    /// The number of states whose successors the interpreter had to tell.
    pub fn interpreted_states(&self) -> u64 {
        self.asked
    }
}

impl CompiledSystem {
    /// Compiles a program, with its states packed in this way, and these propositions.
    ///
    /// # Errors
    /// If there is no native code for this machine, or an assertion or proposition of the program is
    /// malformed. [`ProgramSystem`] then does the same more slowly.
    pub fn new(
        program: Arc<Program>,
        layout: Layout,
        propositions: Vec<Expr>,
    ) -> Result<Self, CompileError> {
        let native = Native::new(&program, &layout, &propositions)?;
        let interpreted = ProgramSystem::new(program, layout, propositions.clone());
        Ok(Self {
            interpreted,
            native: Some(Arc::new(native)),
            propositions: Arc::new(propositions),
        })
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        self.interpreted.program()
    }

    /// How states are packed.
    pub fn layout(&self) -> &Layout {
        self.interpreted.layout()
    }

    /// The number of native functions.
    pub fn functions(&self) -> usize {
        self.native.as_ref().map_or(0, |n| n.functions)
    }

    /// Fills the context with the records of the state; their number, and whether `order` says
    /// which of them are steps. `None` if the interpreter must be asked.
    pub(crate) fn expand(
        &self,
        context: &mut CompiledContext,
        state: &[u64],
    ) -> Option<(usize, bool)> {
        let native = self.native.as_ref()?;
        let count = native.successors(state, &mut context.records)?;
        let stride = native.stride();
        let program = self.program();
        let exclusive = program.exclusive.filter(|_| count > 1);
        if exclusive.is_none() && (native.ordered || count < 2) && context.rank.is_none() {
            return Some((count, false));
        }
        let records = &context.records;
        let action = |record: u32| records[record as usize * stride] as u32;
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
        // Stable: the rows of a table stay in their order.
        match &context.rank {
            Some(rank) => order.sort_by_key(|&r| rank[action(r) as usize]),
            None if !native.ordered => order.sort_by_key(|&r| action(r)),
            None => {}
        }
        Some((count, true))
    }
}

impl System for CompiledSystem {
    type Context = CompiledContext;

    fn context(&self) -> CompiledContext {
        let room = self.native.as_ref().map_or(0, |n| n.capacity * n.stride());
        CompiledContext {
            interpreted: self.interpreted.context(),
            records: vec![0; room],
            order: Vec::new(),
            rank: None,
            asked: 0,
            passage: Passage::default(),
        }
    }

    fn width(&self) -> usize {
        self.interpreted.width()
    }

    fn initial(&self, context: &mut CompiledContext, each: &mut dyn FnMut(&[u64])) {
        self.interpreted.initial(&mut context.interpreted, each);
    }

    fn successors(&self, context: &mut CompiledContext, state: &[u64], sink: &mut impl Sink) {
        if let Some(register) = self.program().atomic
            && let Some(native) = &self.native
        {
            let stride = native.stride();
            if self.go_through(context, native, state, register).is_some() {
                for record in context.passage.ends().chunks_exact(stride) {
                    let (action, marks) = (record[0] as u32, 0);
                    sink.successor(Step { action, marks }, &record[1..]);
                }
            } else {
                context.asked += 1;
                (self.interpreted).successors(&mut context.interpreted, state, sink);
            }
            return;
        }
        let (Some(native), Some((count, selected))) = (&self.native, self.expand(context, state))
        else {
            context.asked += 1;
            let interpreted = &mut context.interpreted;
            return self.interpreted.successors(interpreted, state, sink);
        };
        let (header, stride) = (native.header, native.stride());
        let mut tell = |record: &[u64]| {
            let step = Step {
                action: record[0] as u32,
                marks: if header > 1 { record[1] } else { 0 },
            };
            sink.successor(step, &record[header..]);
        };
        if selected {
            for &r in &context.order {
                let start = r as usize * stride;
                tell(&context.records[start..start + stride]);
            }
        } else {
            for record in context.records.chunks_exact(stride).take(count) {
                tell(record);
            }
        }
    }

    fn holds(&self, context: &mut CompiledContext, state: &[u64], proposition: usize) -> bool {
        let native = self.native.as_ref();
        native
            .and_then(|n| n.holds(state, proposition))
            .unwrap_or_else(|| {
                let interpreted = &mut context.interpreted;
                self.interpreted.holds(interpreted, state, proposition)
            })
    }

    fn distance(&self, context: &mut CompiledContext, state: &[u64], proposition: usize) -> u64 {
        (self.interpreted).distance(&mut context.interpreted, state, proposition)
    }

    fn valuation(
        &self,
        context: &mut CompiledContext,
        state: &[u64],
        count: usize,
        out: &mut [u64],
    ) {
        if count == self.propositions.len()
            && let Some(native) = &self.native
            && native.valuation(state, out)
        {
            return;
        }
        out.fill(0);
        for p in 0..count {
            let holds = self.interpreted.holds(&mut context.interpreted, state, p);
            out[p / 64] |= u64::from(holds) << (p % 64);
        }
    }

    fn is_visible(&self, action: u32) -> bool {
        self.interpreted.is_visible(action)
    }

    fn marks(&self) -> u32 {
        self.interpreted.marks()
    }

    fn spare_bits(&self) -> (usize, u32) {
        self.interpreted.spare_bits()
    }

    fn processes(&self) -> usize {
        self.interpreted.processes()
    }

    fn action_processes(&self, action: u32) -> &[u32] {
        self.interpreted.action_processes(action)
    }

    fn enabled_processes(&self, context: &mut CompiledContext, state: &[u64], enabled: &mut [u64]) {
        let (Some(native), Some((count, selected))) = (&self.native, self.expand(context, state))
        else {
            let interpreted = &mut context.interpreted;
            return (self.interpreted).enabled_processes(interpreted, state, enabled);
        };
        let mut add = |record: usize| {
            let action = context.records[record * native.stride()] as u32;
            for &p in self.action_processes(action) {
                enabled[p as usize / 64] |= 1 << (p % 64);
            }
        };
        if selected {
            context.order.iter().for_each(|&r| add(r as usize));
        } else {
            (0..count).for_each(add);
        }
    }

    fn action_name(&self, action: u32) -> String {
        self.interpreted.action_name(action)
    }

    fn show(&self, state: &[u64]) -> Vec<(String, String)> {
        self.interpreted.show(state)
    }

    /// The order in states that the interpreter is asked about may be another.
    fn permute(&self, context: &mut CompiledContext, random: &mut Random) {
        (self.interpreted).permute(&mut context.interpreted, random);
        let mut rank: Vec<u32> = (0..self.program().actions.len() as u32).collect();
        random.shuffle(&mut rank);
        context.rank = Some(rank);
    }

    fn widen(&self, context: &CompiledContext) -> Option<Self> {
        let interpreted = self.interpreted.widen(&context.interpreted)?;
        let layout = interpreted.layout();
        let native = Native::new(self.program(), layout, &self.propositions).ok();
        Some(Self {
            native: native.map(Arc::new),
            propositions: self.propositions.clone(),
            interpreted,
        })
    }

    fn translate(&self, old: &Self, state: &[u64], out: &mut [u64]) {
        self.interpreted.translate(&old.interpreted, state, out);
    }
}
