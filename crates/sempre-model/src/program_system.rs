//! A program as a [`System`]: interpreted, on packed states.
//!
//! This is the slow way to explore a program, and the reference for the compiled one. It unpacks the state, computes
//! the steps with the [`Interpreter`], and packs the successors.
//!
//! * A value without room in the layout is reported to [`Sink::overflow`] and stored in the context;
//!   [`System::widen`] makes the wider system from it.
//! * The program's assertions are checked when a state is expanded, and reported as failures without an action.
//! * A proposition whose evaluation fails (an index out of range) counts as false, and the failure is reported when
//!   the state is expanded, so that it is not overlooked.

use crate::distance::distance;
use crate::footprint::{Footprint, can_fail, reads_of};
use crate::interpreter::Interpreter;
use crate::ir::{Expr, Program, StepError};
use crate::layout::{CellsByWord, Layout, Overflow};
use crate::system::{Failure, Sink, Step, System};
use sempre_base::Random;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct ProgramSystem {
    program: Arc<Program>,
    layout: Layout,
    propositions: Arc<Vec<Expr>>,
    facts: Arc<Facts>,
    /// The cells of each word of the layout, computed on first use.
    cells: Arc<OnceLock<CellsByWord>>,
}

/// Data that depend on the program and the propositions alone.
#[derive(Debug)]
struct Facts {
    /// The propositions whose evaluation can fail.
    fallible: Vec<usize>,
    /// The processes of each action.
    processes: Vec<Vec<u32>>,
    /// The actions that may write what a proposition reads.
    visible: Vec<bool>,
}

/// The scratch space of one worker.
#[derive(Clone, Debug)]
pub struct ProgramContext {
    cells: Vec<i64>,
    words: Vec<u64>,
    /// The place of each action in the order of successors, unless that is the default one.
    rank: Option<Vec<u32>>,
    overflow: Option<Overflow>,
}

impl ProgramContext {
    /// The last value without room.
    pub fn overflow(&self) -> Option<Overflow> {
        self.overflow
    }

    /// Sets the order of the steps of a state: by the place of their actions in `rank`.
    pub fn set_rank(&mut self, rank: Vec<u32>) {
        self.rank = Some(rank);
    }
}

impl ProgramSystem {
    /// The program with this layout and these propositions.
    pub fn new(program: Arc<Program>, layout: Layout, propositions: Vec<Expr>) -> Self {
        let fallible = (0..propositions.len())
            .filter(|&i| can_fail(&program, &propositions[i]))
            .collect();
        let processes = (program.actions.iter())
            .map(|a| a.processes.iter().map(|p| p.0).collect())
            .collect();
        let read: BTreeSet<u32> = (propositions.iter())
            .flat_map(|p| reads_of(&program, p))
            .collect();
        let visible = (program.actions.iter())
            .map(|a| {
                let writes = Footprint::new(&program, a).may_write;
                // The further actions of an atomic step are not determined here.
                let atomic =
                    (program.atomic).is_some_and(|v| writes.contains(&program.variable(v).first));
                atomic || writes.iter().any(|cell| read.contains(cell))
            })
            .collect();
        Self {
            program,
            layout,
            propositions: Arc::new(propositions),
            facts: Arc::new(Facts {
                fallible,
                processes,
                visible,
            }),
            cells: Arc::default(),
        }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The layout of states.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl ProgramSystem {
    /// Emits a step; false if its state does not fit the layout.
    fn emit(
        &self,
        context: &mut ProgramContext,
        step: Step,
        next: Result<Vec<i64>, StepError>,
        sink: &mut impl Sink,
    ) -> bool {
        match next {
            Ok(next) => match self.layout.pack(&next, &mut context.words) {
                Ok(()) => sink.successor(step, &context.words),
                Err(overflow) => {
                    context.overflow = Some(overflow);
                    sink.overflow();
                    return false;
                }
            },
            Err(error) => sink.failure(Failure {
                action: Some(step.action),
                message: error.show(&self.program).to_string(),
            }),
        }
        true
    }
}

impl System for ProgramSystem {
    type Context = ProgramContext;

    fn context(&self) -> ProgramContext {
        ProgramContext {
            cells: vec![0; self.program.cells()],
            words: vec![0; self.layout.width()],
            rank: None,
            overflow: None,
        }
    }

    fn width(&self) -> usize {
        self.layout.width()
    }

    fn initial(&self, context: &mut ProgramContext, each: &mut dyn FnMut(&[u64])) {
        for state in &self.program.initial {
            // A layout always has room for the initial states.
            let packed = self.layout.pack(state, &mut context.words);
            debug_assert_eq!(packed, Ok(()));
            each(&context.words);
        }
    }

    fn successors(&self, context: &mut ProgramContext, state: &[u64], sink: &mut impl Sink) {
        // There may be thousands of actions to evaluate.
        sempre_base::stop::checkpoint_now();
        let interpreter = Interpreter::new(&self.program);
        self.layout.unpack(state, &mut context.cells);
        for error in interpreter.failed_assertions(&context.cells) {
            let message = error.show(&self.program).to_string();
            sink.failure(Failure {
                action: None,
                message,
            });
        }
        for &i in self.facts.fallible.iter() {
            if let Err(error) = interpreter.holds(&self.propositions[i], &context.cells) {
                let error = error.show(&self.program);
                sink.failure(Failure {
                    action: None,
                    message: format!("proposition {i} has no value: {error}"),
                });
            }
        }
        if self.program.atomic.is_none() && context.rank.is_none() {
            // One successor at a time: those of a wide state may not fit into memory together.
            for action in interpreter.enabled(&context.cells) {
                sempre_base::checkpoint();
                let stepping = &self.program.actions[action as usize];
                for (marks, next) in interpreter.steps_of(stepping, &context.cells) {
                    if !self.emit(context, Step { action, marks }, next, sink) {
                        return;
                    }
                }
            }
            return;
        }
        // Intermediate states must fit the layout, too: compiled code stores them there.
        let (layout, mut narrow) = (&self.layout, None);
        let (cells, words) = (&context.cells, &mut context.words);
        let mut steps = interpreter.steps_through(cells, &mut |passed| {
            if narrow.is_none() {
                narrow = layout.pack(passed, words).err();
            }
        });
        if let Some(overflow) = narrow {
            context.overflow = Some(overflow);
            return sink.overflow();
        }
        if let Some(rank) = &context.rank {
            steps.sort_by_key(|(step, _)| rank[step.action as usize]);
        }
        for (step, next) in steps {
            if !self.emit(context, step, next, sink) {
                return;
            }
        }
    }

    fn holds(&self, context: &mut ProgramContext, state: &[u64], proposition: usize) -> bool {
        self.layout.unpack(state, &mut context.cells);
        Interpreter::new(&self.program)
            .holds(&self.propositions[proposition], &context.cells)
            .unwrap_or(false)
    }

    fn distance(&self, context: &mut ProgramContext, state: &[u64], proposition: usize) -> u64 {
        self.layout.unpack(state, &mut context.cells);
        let interpreter = Interpreter::new(&self.program);
        let (condition, cells) = (&self.propositions[proposition], &context.cells);
        let holds = interpreter.holds(condition, cells) == Ok(true);
        distance(&interpreter, condition, cells, !holds).max(1)
    }

    fn is_visible(&self, action: u32) -> bool {
        self.facts.visible[action as usize]
    }

    fn marks(&self) -> u32 {
        self.program.marks
    }

    fn spare_bits(&self) -> (usize, u32) {
        self.layout.spare_bits()
    }

    fn processes(&self) -> usize {
        self.program.processes.len()
    }

    fn action_processes(&self, action: u32) -> &[u32] {
        &self.facts.processes[action as usize]
    }

    /// A process with an erroneous step counts as enabled.
    fn enabled_processes(&self, context: &mut ProgramContext, state: &[u64], enabled: &mut [u64]) {
        self.layout.unpack(state, &mut context.cells);
        for action in Interpreter::new(&self.program).enabled(&context.cells) {
            for &p in self.action_processes(action) {
                enabled[p as usize / 64] |= 1 << (p % 64);
            }
        }
    }

    fn action_name(&self, action: u32) -> String {
        self.program.actions[action as usize].name.clone()
    }

    fn show(&self, state: &[u64]) -> Vec<(String, String)> {
        (0..self.program.cells() as u32)
            .map(|cell| {
                let value = self.layout.get(state, cell);
                (
                    self.program.cell_name(cell),
                    self.program.show_value(cell, value),
                )
            })
            .collect()
    }

    fn permute(&self, context: &mut ProgramContext, random: &mut Random) {
        let mut rank: Vec<u32> = (0..self.program.actions.len() as u32).collect();
        random.shuffle(&mut rank);
        context.rank = Some(rank);
    }

    fn widen(&self, context: &ProgramContext) -> Option<Self> {
        let overflow = context.overflow?;
        Some(Self {
            layout: self
                .layout
                .widened(&self.program, &overflow)
                .filled(&self.program),
            cells: Arc::default(),
            ..self.clone()
        })
    }

    fn translate(&self, old: &Self, state: &[u64], out: &mut [u64]) {
        let translated = self.layout.reencode(&old.layout, state, out);
        debug_assert_eq!(translated, Ok(()), "not made by widening");
    }

    fn translate_changed(
        &self,
        old: &Self,
        state: &[u64],
        words: &[u32],
        out: &mut [u64],
        changed: &mut Vec<u32>,
    ) {
        let cells = old.cells.get_or_init(|| CellsByWord::new(&old.layout));
        changed.clear();
        for cell in words.iter().flat_map(|&word| cells.of(word)) {
            let fits = self
                .layout
                .field(*cell)
                .set(out, old.layout.get(state, *cell));
            debug_assert!(fits, "not made by widening");
            changed.push(self.layout.field(*cell).word);
        }
        changed.sort_unstable();
        changed.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Action, Behaviour, Binary, Place, Stmt, Type};
    use crate::random_program::random_program;
    use crate::system::Step;

    /// A natural number that goes up by one or seven and down by two.
    fn counter() -> Program {
        let mut p = Program::new("counter");
        let x = p.declare("x", Type::Natural, None, None);
        p.declare("a", Type::BYTE, Some(2), None);
        let process = p.declare_process("P", &[]);
        let action = |name: &str, guard: Expr, by: i64| Action {
            name: name.into(),
            processes: vec![process],
            class: 0,
            behaviour: Behaviour::Guarded {
                guard,
                effect: vec![Stmt::Assign(
                    Place::Scalar(x),
                    Expr::binary(Binary::Add, Expr::variable(x), Expr::Constant(by)),
                )],
            },
        };
        let less = |limit| Expr::binary(Binary::Less, Expr::variable(x), Expr::Constant(limit));
        p.actions = vec![
            action("up", less(300), 1),
            action("down", Expr::TRUE, -2),
            action("jump", less(10), 7),
        ];
        p.assertions = vec![(less(299), "x < 299".into())];
        p.initial = vec![vec![0, 0, 0]];
        p
    }

    /// Stores the events it receives.
    #[derive(Default)]
    struct Notes {
        successors: Vec<(u32, Vec<u64>)>,
        failures: Vec<Failure>,
        overflow: bool,
    }
    impl Sink for Notes {
        fn successor(&mut self, step: Step, state: &[u64]) {
            self.successors.push((step.action, state.to_vec()));
        }
        fn failure(&mut self, failure: Failure) {
            self.failures.push(failure);
        }
        fn overflow(&mut self) {
            self.overflow = true;
        }
    }

    /// A generic driver: explores breadth-first up to `limit` states, widening as needed. Returns the states in the
    /// order in which they were found, the number of widenings, and the failures.
    fn explore<S: System>(
        mut system: S,
        limit: usize,
        show: impl Fn(&S, &[u64]) -> Vec<i64>,
    ) -> (Vec<Vec<i64>>, usize, Vec<Failure>) {
        let mut context = system.context();
        let mut found: Vec<Vec<u64>> = Vec::new();
        system.initial(&mut context, &mut |s| found.push(s.to_vec()));
        let (mut done, mut widenings, mut failures) = (0, 0, Vec::new());
        while done < found.len() && found.len() < limit {
            let mut notes = Notes::default();
            system.successors(&mut context, &found[done], &mut notes);
            if notes.overflow {
                let wider = system.widen(&context).expect("it has overflowed");
                for state in &mut found {
                    let mut out = vec![0; wider.width()];
                    wider.translate(&system, state, &mut out);
                    *state = out;
                }
                system = wider;
                context = system.context();
                widenings += 1;
                continue;
            }
            failures.extend(notes.failures);
            for (_, state) in notes.successors {
                if !found.contains(&state) {
                    found.push(state);
                }
            }
            done += 1;
        }
        let found = found.iter().map(|s| show(&system, s)).collect();
        (found, widenings, failures)
    }

    fn unpack(system: &ProgramSystem, words: &[u64]) -> Vec<i64> {
        let mut cells = vec![0; system.program().cells()];
        system.layout().unpack(words, &mut cells);
        cells
    }

    #[test]
    fn a_driver_widens_and_goes_on() {
        let program = Arc::new(counter());
        let narrow = Layout::new(&program, &[(0, 0); 3]);
        let system = ProgramSystem::new(program, narrow, vec![]);
        assert!(system.widen(&system.context()).is_none());
        let (states, widenings, failures) = explore(system, usize::MAX, unpack);
        assert_eq!(states.len(), 301);
        assert!((1..=5).contains(&widenings), "{widenings}");
        let failures: BTreeSet<_> = failures
            .into_iter()
            .map(|f| (f.action, f.message))
            .collect();
        let expected = [
            (None, "assertion failed: x < 299".to_string()),
            (Some(1), "x cannot hold -1".to_string()),
            (Some(1), "x cannot hold -2".to_string()),
        ];
        assert_eq!(failures, BTreeSet::from(expected));
    }

    /// The states, their order and the failures are the same for every layout.
    #[test]
    fn layouts_do_not_matter() {
        let mut random = Random::new(51);
        let (mut widened, mut failed) = (0, 0);
        for _ in 0..300 {
            let program = Arc::new(random_program(&mut random));
            let interpreter = Interpreter::new(&program);
            let mut expected = program.initial.clone();
            let (mut done, mut errors) = (0, 0);
            while done < expected.len() && expected.len() < 100 {
                let state = expected[done].clone();
                errors += interpreter.failed_assertions(&state).len();
                for (_, next) in interpreter.successors(&state) {
                    match next {
                        Ok(next) if !expected.contains(&next) => expected.push(next),
                        Ok(_) => {}
                        Err(_) => errors += 1,
                    }
                }
                done += 1;
            }
            let narrow: Vec<_> = program.initial[0].iter().map(|&v| (v, v)).collect();
            for layout in [Layout::new(&program, &narrow), Layout::full(&program)] {
                let system = ProgramSystem::new(program.clone(), layout, vec![]);
                let (states, widenings, failures) = explore(system, 100, unpack);
                assert_eq!(states, expected);
                assert_eq!(failures.len(), errors);
                widened += widenings;
                failed += errors;
            }
        }
        assert!(widened > 300 && failed > 100, "{widened} {failed}");
    }

    #[test]
    fn orders_are_permutable_and_repeatable() {
        let program = Arc::new(counter());
        let system = ProgramSystem::new(program.clone(), Layout::full(&program), vec![]);
        let mut state = vec![0; system.width()];
        system.layout().pack(&[5, 0, 0], &mut state).unwrap();
        let order = |context: &mut ProgramContext| {
            let mut notes = Notes::default();
            system.successors(context, &state, &mut notes);
            Vec::from_iter(notes.successors.into_iter().map(|s| s.0))
        };
        let mut context = system.context();
        assert_eq!(order(&mut context), [0, 1, 2]);
        let mut orders = BTreeSet::new();
        let mut random = Random::new(3);
        for _ in 0..50 {
            system.permute(&mut context, &mut random);
            let first = order(&mut context);
            assert_eq!(order(&mut context), first);
            orders.insert(first);
        }
        assert_eq!(orders.len(), 6);
    }

    #[test]
    fn propositions_and_processes() {
        let program = Arc::new(counter());
        let (x, a) = (crate::ir::VariableId(0), crate::ir::VariableId(1));
        let x_is_1 = Expr::equal(Expr::variable(x), Expr::Constant(1));
        let a_of_x = Expr::equal(Expr::element(a, Expr::variable(x)), Expr::Constant(0));
        let system = ProgramSystem::new(
            program.clone(),
            Layout::full(&program),
            vec![x_is_1, a_of_x],
        );
        let mut context = system.context();
        let mut state = vec![0; system.width()];
        system.layout().pack(&[1, 0, 0], &mut state).unwrap();
        assert!(system.holds(&mut context, &state, 0));
        assert!(system.holds(&mut context, &state, 1));
        system.layout().pack(&[2, 0, 0], &mut state).unwrap();
        assert!(!system.holds(&mut context, &state, 0));
        // Outside the array: false, and reported.
        assert!(!system.holds(&mut context, &state, 1));
        let mut notes = Notes::default();
        system.successors(&mut context, &state, &mut notes);
        assert_eq!(
            notes.failures,
            [Failure {
                action: None,
                message: "proposition 1 has no value: index 2 is outside a, which has 2 elements"
                    .into()
            }]
        );
        let mut enabled = [0];
        system.enabled_processes(&mut context, &state, &mut enabled);
        assert_eq!((system.processes(), enabled), (1, [1]));
        assert_eq!(system.action_name(2), "jump");
        assert_eq!(system.show(&state)[0], ("x".into(), "2".into()));
        assert_eq!(system.show(&state)[2], ("a[1]".into(), "0".into()));
    }
}
