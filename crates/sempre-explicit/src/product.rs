//! The product of a system and a property automaton, on the fly.
//!
//! A state of the product is a state of the system and one of the automaton, stored together in one table of packed
//! states: the automaton's part goes into bits that the system's states leave free, or else into a word of its
//! own. An edge of the automaton reads the state that the system leaves: the propositions are evaluated once in a
//! state, a lookup gives the automaton's edges ([`crate::property`]), and only if there are any is the system asked for
//! successors.
//!
//! # Acceptance sets
//! In this order: those of the automaton; those of the model's own edges; with weak fairness, one for each
//! process. A step is in the set of process i if the process takes part in it or is not enabled in its source
//! (for a process that is not enabled for ever, or steps for ever again and again, has been treated fairly). Stuttering in
//! a deadlock is in all sets of the model and all processes'.
//!
//! # Deadlocks
//! A state of the system without successors repeats itself for ever ([`Deadlock::Stutter`]), or no run goes
//! through it ([`Deadlock::Drop`]). A state whose only steps are erroneous is not a deadlock; the failure is
//! kept and told, and makes any claim that something holds impossible.
//!
//! # Degeneralisation
//! Checks for one acceptance set get a product with a level beside the state: the number of sets that were seen in their
//! order. An edge lifts the level over all sets that it is in, one after the other; the edge that completes them
//! is accepting and begins again, with the sets that it is in counted for the next round, too. With transition-based acceptance there are as many levels as sets. Without any set every
//! edge is accepting.
//!
//! # Widening
//! When a value leaves its bits, the stored states are translated in their order and keep their numbers, and the
//! search does not notice.

use crate::explore::{Progress, Reason};
use crate::marks::Marks;
use crate::property::{Kind, Property};
use crate::space::{Edge, RunStep, Space, Stop};
use crate::widening::{self, Lost};
use sempre_model::system::{Failure, Sink, Step, System};
use sempre_store::{Batch, Budget, StateIndex, Store, StoreWorker};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Limits are looked at once in so many expansions.
const PATIENCE: u32 = 256;

/// What becomes of a run that ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlock {
    /// It goes on in its last state for ever.
    #[default]
    Stutter,
    /// It is not a run.
    Drop,
}

/// What the product is to be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// See [`Deadlock`].
    pub deadlock: Deadlock,
    /// Only runs that are weakly fair to every process count.
    pub fair: bool,
    /// One acceptance set instead of several.
    pub degeneralized: bool,
}

/// Limits of a search.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Bytes that states and what is known of them may take.
    pub memory: Option<usize>,
    /// Time that it may take.
    pub time: Option<Duration>,
    /// Stops the search when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Is told how far the search has got, at most once in 300 ms.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

/// See the module's documentation.
pub struct Product<'a, S: System, M> {
    given: &'a S,
    wider: Option<S>,
    property: &'a Property,
    shape: Shape,
    limits: Limits<'a>,
    begin: Instant,
    told: Instant,
    patience: u32,
    peak: usize,
    budget: Arc<Budget>,
    store: Store,
    worker: StoreWorker,
    batch: Batch,
    context: S::Context,
    packing: Packing,
    /// The edges of each leaf of the property.
    leaves: Vec<Vec<(u32, M)>>,
    /// With fairness, the sets of the processes of each action, as far as actions were met.
    actions: Vec<Option<M>>,
    first_process: u32,
    sets: u32,
    state: Vec<u64>,
    model: Vec<u64>,
    valuation: Vec<u64>,
    scratch: Vec<u64>,
    /// The steps of the successors told last, beside the batch.
    steps: Vec<(M, u32)>,
    counted: (u64, u64),
    widenings: u32,
    failure: Option<(u32, Failure)>,
}

/// Where the automaton's part of a state is.
#[derive(Clone, Copy, Debug)]
struct Packing {
    word: usize,
    shift: u32,
    /// The bits that belong to the system in that word.
    mask: u64,
    /// Width of the system's part.
    model: usize,
    width: usize,
}

impl Packing {
    fn new(system: &impl System, values: u64) -> Self {
        let bits = 64 - values.saturating_sub(1).leading_zeros();
        let model = system.width();
        let (word, spare) = system.spare_bits();
        if bits == 0 || (spare >= bits && word < model) {
            let shift = 64 - bits;
            Self {
                word,
                shift: shift % 64,
                mask: if bits == 0 {
                    u64::MAX
                } else {
                    (1 << shift) - 1
                },
                model,
                width: model,
            }
        } else {
            Self {
                word: model,
                shift: 0,
                mask: 0,
                model,
                width: model + 1,
            }
        }
    }

    /// Splits a state; the model's part is written to `model`.
    #[inline]
    fn split(&self, state: &[u64], model: &mut [u64]) -> u64 {
        model.copy_from_slice(&state[..self.model]);
        if self.mask == u64::MAX {
            return 0;
        }
        let value = state[self.word] >> self.shift;
        if self.word < self.model {
            model[self.word] &= self.mask;
        }
        value
    }

    #[inline]
    fn join(&self, model: &[u64], value: u64, state: &mut [u64]) {
        state[..self.model].copy_from_slice(model);
        if self.width > self.model {
            state[self.model] = 0;
        }
        if self.mask != u64::MAX {
            state[self.word] |= value << self.shift;
        }
    }
}

/// A state of a product, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductState {
    /// The system's part.
    pub model: Vec<u64>,
    /// The automaton's part.
    pub property: u32,
}

impl<'a, S: System, M: Marks> Product<'a, S, M> {
    /// The product of a system and a property, or `None` if it has more sets than `M` has marks.
    ///
    /// # Errors
    /// If there is no memory even for an empty table.
    pub fn new(
        system: &'a S,
        property: &'a Property,
        shape: Shape,
        limits: Limits<'a>,
    ) -> Result<Option<Self>, Stop> {
        let first_process = property.sets() + system.marks();
        let processes = if shape.fair { system.processes() } else { 0 };
        let sets = first_process as usize + processes;
        if sets > M::CAPACITY as usize || (shape.degeneralized && M::CAPACITY == 0) {
            return Ok(None);
        }
        let sets = sets as u32;
        let budget = Arc::new(Budget::new(limits.memory.unwrap_or(usize::MAX)));
        let levels = if shape.degeneralized { sets.max(1) } else { 1 };
        let packing = Packing::new(system, u64::from(property.states()) * u64::from(levels));
        let store = Store::new(packing.width, &budget)?;
        let leaves = (0..property.leaves() as u32)
            .map(|leaf| {
                (property.edges(leaf).iter())
                    .map(|e| (e.to, M::from_words(e.mark.words(), 0)))
                    .collect()
            })
            .collect();
        let now = Instant::now();
        Ok(Some(Self {
            given: system,
            wider: None,
            property,
            shape,
            limits,
            begin: now,
            told: now,
            patience: 0,
            peak: 0,
            budget,
            worker: store.worker(),
            store,
            batch: Batch::new(),
            context: system.context(),
            packing,
            leaves,
            actions: Vec::new(),
            first_process,
            sets,
            state: vec![0; packing.width],
            model: vec![0; packing.model],
            valuation: vec![0; property.propositions().div_ceil(64).max(1)],
            scratch: vec![0; packing.width],
            steps: Vec::new(),
            counted: (0, 0),
            widenings: 0,
            failure: None,
        }))
    }

    /// The system whose states are stored: the given one, or one with a wider layout.
    pub fn system(&self) -> &S {
        self.wider.as_ref().unwrap_or(self.given)
    }

    /// Number of states stored, visited by the check or not.
    pub fn stored(&self) -> u64 {
        self.store.len()
    }

    /// The most bytes that were in use, with all that the check keeps, as far as it was looked at.
    pub fn peak_bytes(&self) -> usize {
        self.peak.max(self.budget.used())
    }

    /// The wider system, if there is one.
    pub fn into_wider(self) -> Option<S> {
        self.wider
    }

    /// How often the layout of states was widened.
    pub fn widenings(&self) -> u32 {
        self.widenings
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// An erroneous step or a failed condition, and the state it was met in.
    pub fn failure(&self) -> Option<&(u32, Failure)> {
        self.failure.as_ref()
    }

    /// The parts of a state.
    pub fn parts(&self, state: u32) -> ProductState {
        let mut words = vec![0; self.packing.width];
        self.store.read(StateIndex(state), &mut words);
        let mut model = vec![0; self.packing.model];
        let value = self.packing.split(&words, &mut model);
        ProductState {
            model,
            property: (value / self.levels()) as u32,
        }
    }

    /// The model's step of a step of a run; `None` for stuttering in a deadlock.
    pub fn model_step(&mut self, step: &RunStep<M>) -> Result<Option<Step>, Stop> {
        let mut edges = Vec::new();
        self.expand(step.state, &mut edges)?;
        let place = edges.iter().position(|e| *e == step.edge);
        let action = place.map(|i| self.steps[i].1);
        Ok(action
            .filter(|&a| a != u32::MAX)
            .map(|action| Step { action, marks: 0 }))
    }

    fn levels(&self) -> u64 {
        match self.shape.degeneralized {
            true => u64::from(self.sets.max(1)),
            false => 1,
        }
    }

    /// Time, memory, Ctrl-C, progress.
    #[cold]
    fn look_up(&mut self) -> Result<(), Stop> {
        self.patience = PATIENCE;
        self.peak = self.peak.max(self.budget.used());
        let limits = &self.limits;
        // Relaxed: looked at for its own sake.
        if limits.interrupt.is_some_and(|flag| flag.load(Relaxed)) {
            return Err(Stop(Reason::Interrupted));
        }
        if limits.time.is_none() && limits.progress.is_none() {
            return Ok(());
        }
        let now = Instant::now();
        if limits.time.is_some_and(|limit| now - self.begin > limit) {
            return Err(Stop(Reason::Time));
        }
        if let Some(progress) = limits.progress
            && now - self.told >= Duration::from_millis(300)
        {
            self.told = now;
            progress(&Progress {
                states: self.store.len(),
                transitions: self.counted.1,
                queue: self.store.len().saturating_sub(self.counted.0),
                bytes: self.budget.used(),
                elapsed: now - self.begin,
            });
        }
        Ok(())
    }

    /// The sets of an action's processes.
    fn action_marks(&mut self, action: u32) -> M {
        let at = action as usize;
        if at >= self.actions.len() {
            self.actions.resize(at + 1, None);
        }
        if let Some(marks) = self.actions[at] {
            return marks;
        }
        let system = self.wider.as_ref().unwrap_or(self.given);
        let marks = (system.action_processes(action).iter()).fold(M::NONE, |set, p| {
            set.union(M::single(self.first_process + p))
        });
        self.actions[at] = Some(marks);
        marks
    }

    /// With fairness, completes the marks of the steps told last. An action that failed is enabled, too.
    fn add_fairness(&mut self, failing: Option<u32>) {
        let mut enabled = failing.map_or(M::NONE, |action| self.action_marks(action));
        let mut steps = std::mem::take(&mut self.steps);
        for (marks, action) in &mut steps {
            let processes = self.action_marks(*action);
            enabled = enabled.union(processes);
            *marks = marks.union(processes);
        }
        let disabled = M::all(self.sets)
            .minus(M::all(self.first_process))
            .minus(enabled);
        for (marks, _) in &mut steps {
            *marks = marks.union(disabled);
        }
        self.steps = steps;
    }

    /// A wider layout after an overflow.
    fn widen(&mut self) -> Result<(), Stop> {
        let system = self.wider.as_ref().unwrap_or(self.given);
        let Some(wide) = system.widen(&self.context) else {
            return Err(Stop(Reason::Overflow));
        };
        let values = u64::from(self.property.states()) * self.levels();
        let packing = Packing::new(&wide, values);
        let old = self.packing;
        let mut model = vec![0; old.model];
        let mut wide_model = vec![0; packing.model];
        let translated = widening::rewrite(&self.store, packing.width, &self.budget, |from, to| {
            let value = old.split(from, &mut model);
            wide.translate(system, &model, &mut wide_model);
            packing.join(&wide_model, value, to);
        });
        let store = match translated {
            Ok((store, _)) => store,
            Err(Lost::Memory) => return Err(Stop(Reason::Memory)),
            Err(Lost::States) => return Err(Stop(Reason::Overflow)),
        };
        self.worker = store.worker();
        self.store = store;
        self.context = wide.context();
        self.wider = Some(wide);
        self.packing = packing;
        self.state = vec![0; packing.width];
        self.scratch = vec![0; packing.width];
        self.model = vec![0; packing.model];
        self.widenings += 1;
        Ok(())
    }
}

/// Puts the successors of a state into the batch, each with each edge of the automaton.
struct Successors<'a, M> {
    batch: &'a mut Batch,
    steps: &'a mut Vec<(M, u32)>,
    edges: &'a [(u32, M)],
    packing: Packing,
    scratch: &'a mut [u64],
    /// The first set of the model's own edges, if it has any.
    marks: Option<u32>,
    /// For a degeneralised product the values of the automaton's part are filled in afterwards.
    values: Option<&'a mut Vec<u32>>,
    models: &'a mut Vec<u64>,
    any: bool,
    failure: Option<Failure>,
    erroneous: bool,
    overflow: bool,
}

impl<M: Marks> Successors<'_, M> {
    #[inline]
    fn add(&mut self, action: u32, marks: M, state: &[u64]) {
        match &mut self.values {
            None => {
                for &(to, mark) in self.edges {
                    self.packing.join(state, u64::from(to), self.scratch);
                    self.batch.push(self.scratch);
                    self.steps.push((mark.union(marks), action));
                }
            }
            Some(values) => {
                for &(to, mark) in self.edges {
                    self.models.extend_from_slice(state);
                    values.push(to);
                    self.steps.push((mark.union(marks), action));
                }
            }
        }
    }
}

impl<M: Marks> Sink for Successors<'_, M> {
    #[inline]
    fn successor(&mut self, step: Step, state: &[u64]) {
        self.any = true;
        let marks = match self.marks {
            Some(first) if step.marks != 0 => M::from_words(&[step.marks], first),
            _ => M::NONE,
        };
        self.add(step.action, marks, state);
    }
    fn failure(&mut self, failure: Failure) {
        self.erroneous |= failure.action.is_some();
        self.failure.get_or_insert(failure);
    }
    fn overflow(&mut self) {
        self.overflow = true;
    }
}

impl<S: System, M: Marks> Space<M> for Product<'_, S, M> {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        self.batch.clear();
        let system = self.wider.as_ref().unwrap_or(self.given);
        let (property, packing) = (self.property, self.packing);
        let (batch, scratch, levels) = (
            &mut self.batch,
            &mut self.scratch,
            match self.shape.degeneralized {
                true => u64::from(self.sets.max(1)),
                false => 1,
            },
        );
        system.initial(&mut self.context, &mut |state| {
            for &q in property.initial() {
                packing.join(state, u64::from(q) * levels, scratch);
                batch.push(scratch);
            }
        });
        self.store.insert_batch(&mut self.worker, &mut self.batch)?;
        let mut initial: Vec<u32> = self.batch.found().iter().map(|f| f.index).collect();
        let mut seen = rustc_hash::FxHashSet::default();
        initial.retain(|&i| seen.insert(i));
        Ok(initial)
    }

    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<M>>) -> Result<(), Stop> {
        if self.patience == 0 {
            self.look_up()?;
        }
        self.patience -= 1;
        let mut values: Vec<u32> = Vec::new();
        let mut models: Vec<u64> = Vec::new();
        let value = loop {
            self.batch.clear();
            self.steps.clear();
            values.clear();
            models.clear();
            self.store
                .read_parent(StateIndex(state), &mut self.state, &mut self.batch);
            let value = self.packing.split(&self.state, &mut self.model);
            let levels = self.levels();
            let system = self.wider.as_ref().unwrap_or(self.given);
            let count = self.property.propositions();
            if count > 0 {
                system.valuation(&mut self.context, &self.model, count, &mut self.valuation);
            }
            let leaf = self.property.leaf((value / levels) as u32, &self.valuation);
            let automaton = &self.leaves[leaf as usize];
            if automaton.is_empty() {
                self.counted.0 += 1;
                return Ok(());
            }
            let mut sink = Successors {
                batch: &mut self.batch,
                steps: &mut self.steps,
                edges: automaton,
                packing: self.packing,
                scratch: &mut self.scratch,
                marks: (self.first_process > self.property.sets()).then_some(self.property.sets()),
                values: self.shape.degeneralized.then_some(&mut values),
                models: &mut models,
                any: false,
                failure: None,
                erroneous: false,
                overflow: false,
            };
            system.successors(&mut self.context, &self.model, &mut sink);
            if sink.overflow {
                self.widen()?;
                continue;
            }
            let stuck = !sink.any && !sink.erroneous;
            if stuck && self.shape.deadlock == Deadlock::Stutter {
                let marks = M::all(self.sets).minus(M::all(self.property.sets()));
                sink.add(u32::MAX, marks, &self.model);
            }
            let failing = sink.failure.as_ref().and_then(|f| f.action);
            if let Some(failure) = sink.failure {
                self.failure.get_or_insert((state, failure));
            }
            if self.shape.fair && !stuck {
                self.add_fairness(failing);
            }
            break value;
        };
        if self.shape.degeneralized {
            self.lift((value % self.levels()) as u32, &values, &models);
        }
        self.store.insert_batch(&mut self.worker, &mut self.batch)?;
        self.counted.0 += 1;
        self.counted.1 += self.steps.len() as u64;
        let found = self.batch.found().iter();
        edges.extend((found.zip(&self.steps)).map(|(found, &(marks, _))| Edge {
            target: found.index,
            marks,
        }));
        Ok(())
    }

    fn sets(&self) -> u32 {
        if self.shape.degeneralized {
            1
        } else {
            self.sets
        }
    }

    fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }

    /// That of the automaton's component, unless there are other acceptance sets than the automaton's.
    fn kind(&mut self, state: u32) -> Kind {
        self.store.read(StateIndex(state), &mut self.state);
        let value = self.packing.split(&self.state, &mut self.model);
        let kind = self.property.kind((value / self.levels()) as u32);
        match kind {
            Kind::Weak | Kind::Terminal if self.sets > self.property.sets() => Kind::Mixed,
            kind => kind,
        }
    }
}

impl<S: System, M: Marks> Product<'_, S, M> {
    /// Puts the successors of a state of a degeneralised product into the batch.
    fn lift(&mut self, level: u32, values: &[u32], models: &[u64]) {
        let levels = self.sets.max(1);
        let width = self.packing.model;
        for (i, (&to, (marks, _))) in values.iter().zip(&mut self.steps).enumerate() {
            let lifted = |mut level: u32| {
                while level < self.sets && marks.contains(level) {
                    level += 1;
                }
                level
            };
            let mut next = lifted(level);
            let complete = next >= self.sets;
            if complete {
                // The edge counts for the next round, too; one in all sets leads to the lowest level.
                next = Some(lifted(0)).filter(|&l| l < self.sets).unwrap_or(0);
            }
            *marks = if complete { M::single(0) } else { M::NONE };
            let value = u64::from(to) * u64::from(levels) + u64::from(next);
            let model = &models[i * width..(i + 1) * width];
            self.packing.join(model, value, &mut self.scratch);
            self.batch.push(&self.scratch);
        }
    }
}
