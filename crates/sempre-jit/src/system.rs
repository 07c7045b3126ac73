//! A compiled program as a [`System`].
//!
//! Native code appends the successors of a state to a buffer, as records, and this module passes them to the sink. If
//! native code fails for a state ([`crate::native`]), the interpreter computes the successors of that state.
//!
//! The **order** of steps is that of the interpreter, the order of actions. Plans for nets find steps in another
//! order ([`crate::plan`]); the records are then sorted here, by action.
//!
//! **Exclusivity** is enforced here, too: if a process that the exclusive register names has a step among the
//! records, the others are skipped. (Native code enforces priority classes: it does not evaluate lower classes if a
//! higher one has a step.)
//!
//! **Atomic steps** are expanded in [`crate::atomic`].
//!
//! Records of **wide states** list changes: [`crate::changes`].
//!
//! **Compilation** runs in a thread of its own ([`crate::background`]), which may take longer than the search. The
//! interpreter computes the successors until the code is complete. The steps and their order do not depend on which
//! of the two computes them.

use crate::background::Compilation;
use crate::compiled_system::{AtomicExpansion, CompiledContext, CompiledSystem};
use crate::difference::Changes;
use sempre_base::Random;
use sempre_model::{Sink, Step, System};
use std::sync::Arc;

impl System for CompiledSystem {
    type Context = CompiledContext;

    fn context(&self) -> CompiledContext {
        CompiledContext {
            interpreted: self.interpreted.context(),
            records: Vec::new(),
            order: Vec::new(),
            rank: None,
            fallbacks: 0,
            expansion: AtomicExpansion::default(),
            changes: Changes::default(),
        }
    }

    fn width(&self) -> usize {
        self.interpreted.width()
    }

    fn initial(&self, context: &mut CompiledContext, each: &mut dyn FnMut(&[u64])) {
        self.interpreted.initial(&mut context.interpreted, each);
    }

    fn successors(&self, context: &mut CompiledContext, state: &[u64], sink: &mut impl Sink) {
        if let Some(native) = self.native.get()
            && native.changes
        {
            if self.emit_changes(context, native, state, sink).is_none() {
                context.fallbacks += 1;
                (self.interpreted).successors(&mut context.interpreted, state, sink);
            }
            return;
        }
        if let Some(register) = self.program().atomic
            && let Some(native) = self.native.get()
        {
            let stride = native.stride();
            if self
                .expand_atomic(context, native, state, register)
                .is_some()
            {
                for record in context.expansion.ends().chunks_exact(stride) {
                    let (action, marks) = (record[0] as u32, 0);
                    sink.successor(Step { action, marks }, &record[1..]);
                }
            } else {
                context.fallbacks += 1;
                (self.interpreted).successors(&mut context.interpreted, state, sink);
            }
            return;
        }
        let (Some(native), Some((count, selected))) =
            (self.native.get(), self.expand(context, state))
        else {
            context.fallbacks += 1;
            let interpreted = &mut context.interpreted;
            return self.interpreted.successors(interpreted, state, sink);
        };
        let (header, stride) = (native.header, native.stride());
        let mut emit = |record: &[u64]| {
            let step = Step {
                action: record[0] as u32,
                marks: if header > 1 { record[1] } else { 0 },
            };
            sink.successor(step, &record[header..]);
        };
        if selected {
            for &r in &context.order {
                let start = r as usize * stride;
                emit(&context.records[start..start + stride]);
            }
        } else {
            for record in context.records.chunks_exact(stride).take(count) {
                emit(record);
            }
        }
    }

    fn holds(&self, context: &mut CompiledContext, state: &[u64], proposition: usize) -> bool {
        (self.native.get())
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
            && let Some(native) = self.native.get()
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
        let (Some(native), Some((count, selected))) =
            (self.native.get(), self.expand(context, state))
        else {
            let interpreted = &mut context.interpreted;
            return (self.interpreted).enabled_processes(interpreted, state, enabled);
        };
        let starts = &context.changes.starts;
        let mut add = |record: u32| {
            let action = context.records[native.start(starts, record)] as u32;
            for &p in self.action_processes(action) {
                enabled[p as usize / 64] |= 1 << (p % 64);
            }
        };
        if selected {
            context.order.iter().for_each(|&r| add(r));
        } else {
            (0..count as u32).for_each(add);
        }
    }

    fn action_name(&self, action: u32) -> String {
        self.interpreted.action_name(action)
    }

    fn show(&self, state: &[u64]) -> Vec<(String, String)> {
        self.interpreted.show(state)
    }

    fn permute(&self, context: &mut CompiledContext, random: &mut Random) {
        (self.interpreted).permute(&mut context.interpreted, random);
        let mut rank: Vec<u32> = (0..self.program().actions.len() as u32).collect();
        random.shuffle(&mut rank);
        // The order is the same for all states, interpreted or compiled.
        context.interpreted.set_rank(rank.clone());
        context.rank = Some(rank);
    }

    fn widen(&self, context: &CompiledContext) -> Option<Self> {
        let interpreted = self.interpreted.widen(&context.interpreted)?;
        let layout = interpreted.layout();
        let changes = layout.width() > self.wide;
        let native = Compilation::begin(self.program(), layout, &self.propositions, changes);
        Some(Self {
            native: Arc::new(native),
            propositions: self.propositions.clone(),
            wide: self.wide,
            interpreted,
        })
    }

    fn translate(&self, old: &Self, state: &[u64], out: &mut [u64]) {
        self.interpreted.translate(&old.interpreted, state, out);
    }

    fn translate_changed(
        &self,
        old: &Self,
        state: &[u64],
        words: &[u32],
        out: &mut [u64],
        changed: &mut Vec<u32>,
    ) {
        let old = &old.interpreted;
        (self.interpreted).translate_changed(old, state, words, out, changed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled_system::WIDE;
    use crate::native::Native;
    use sempre_model::ir::{Expr, Program};
    use sempre_model::random_program::random_program;
    use sempre_model::system::Failure;
    use sempre_model::{Layout, ProgramSystem};
    use std::time::Instant;

    /// The steps, failures and overflows of a state.
    #[derive(Debug, Default, PartialEq)]
    struct Recorded {
        steps: Vec<(u32, u64, Vec<u64>)>,
        failures: Vec<String>,
        overflows: usize,
    }

    impl Sink for Recorded {
        fn successor(&mut self, step: Step, state: &[u64]) {
            self.steps.push((step.action, step.marks, state.to_vec()));
        }
        fn failure(&mut self, failure: Failure) {
            self.failures.push(failure.message);
        }
        fn overflow(&mut self) {
            self.overflows += 1;
        }
    }

    fn record(system: &CompiledSystem, context: &mut CompiledContext, state: &[u64]) -> Recorded {
        let mut record = Recorded::default();
        system.successors(context, state, &mut record);
        record
    }

    /// Some reachable states.
    fn states(system: &CompiledSystem) -> Vec<Vec<u64>> {
        let mut context = system.context();
        let mut states: Vec<Vec<u64>> = Vec::new();
        system.initial(&mut context, &mut |state| states.push(state.to_vec()));
        let mut at = 0;
        while at < states.len() && states.len() < 200 {
            for (.., next) in record(system, &mut context, &states[at].clone()).steps {
                if !states.contains(&next) {
                    states.push(next);
                }
            }
            at += 1;
        }
        states
    }

    fn pending(program: &Arc<Program>, layout: &Layout) -> CompiledSystem {
        CompiledSystem {
            interpreted: ProgramSystem::new(program.clone(), layout.clone(), Vec::new()),
            native: Arc::new(Compilation::pending()),
            propositions: Arc::default(),
            wide: WIDE,
        }
    }

    #[test]
    fn late_code_makes_no_difference() {
        let mut random = Random::new(25);
        let mut interpreted = 0;
        for round in 0..300 {
            let program = Arc::new(random_program(&mut random));
            let layout = Layout::inferred(&program);
            let compiled = CompiledSystem::new(program.clone(), layout.clone(), vec![]);
            let compiled = compiled.expect("it is compiled");
            compiled.wait();
            let late = pending(&program, &layout);
            let (mut a, mut b) = (compiled.context(), late.context());
            if round % 2 == 0 {
                compiled.permute(&mut a, &mut Random::new(round));
                late.permute(&mut b, &mut Random::new(round));
            }
            let states = states(&compiled);
            for state in &states {
                assert_eq!(
                    record(&compiled, &mut a, state),
                    record(&late, &mut b, state)
                );
            }
            assert_eq!(b.interpreted_states(), states.len() as u64);
            let native = Native::new(&program, &layout, &[], None, false);
            late.native.complete(native.expect("it is compiled"));
            for state in &states {
                assert_eq!(
                    record(&compiled, &mut a, state),
                    record(&late, &mut b, state)
                );
            }
            interpreted += b.interpreted_states() - states.len() as u64;
        }
        // Native code handles most states in the end.
        assert!(interpreted < 300 * 100, "{interpreted}");
    }

    /// The interpreter handles the states of functions that are not compiled for lack of time.
    #[test]
    fn skipped_functions_make_no_difference() {
        let mut program = Program::new("many");
        let x = program.declare("x", sempre_model::ir::Type::BYTE, None, None);
        let place = sempre_model::ir::Place::Scalar(x);
        for value in 0..200 {
            for step in 0..10 {
                let next = Expr::Constant((7 * value + step) % 200);
                program.actions.push(sempre_model::ir::Action {
                    name: String::new(),
                    processes: vec![],
                    class: 0,
                    behaviour: sempre_model::ir::Behaviour::Guarded {
                        guard: Expr::equal(Expr::variable(x), Expr::Constant(value)),
                        effect: vec![sempre_model::Stmt::Assign(place.clone(), next)],
                    },
                });
            }
        }
        program.initial = vec![vec![0]];
        let program = Arc::new(program);
        let layout = Layout::inferred(&program);
        let whole = CompiledSystem::new(program.clone(), layout.clone(), vec![]).unwrap();
        whole.wait();
        let part = pending(&program, &layout);
        let native = Native::new(&program, &layout, &[], Some(Instant::now()), false).unwrap();
        assert!(native.skipped_functions > 0 && native.skipped_functions < native.functions);
        part.native.complete(native);
        let (mut a, mut b) = (whole.context(), part.context());
        let states = states(&whole);
        assert!(states.len() > 100);
        for state in &states {
            assert_eq!(record(&whole, &mut a, state), record(&part, &mut b, state));
        }
        assert_eq!(a.interpreted_states(), 0);
        assert!(b.interpreted_states() > 0);
    }
}
