//! The product of a system and a property automaton, on the fly.
//!
//! A state of the product is a state of the system and one of the automaton, stored together in one table of packed
//! states: the automaton's part goes into bits that the system's states leave free, or else into a word of its
//! own. An edge of the automaton reads the state that the system leaves: the propositions are evaluated once in a
//! state, a lookup gives the automaton's edges ([`crate::property`]), and only if there are any is the system asked for
//! successors. A testing automaton ([`crate::testing_property`]) looks at what changes from a state to the next instead: the
//! observed propositions are kept beside each state, so that they are evaluated once, when the state is found,
//! and not at all if the action that led there cannot change them.
//!
//! # Acceptance sets
//! In this order: those of the automaton; those of the model's own edges; with weak fairness, one for each
//! process. A step is in the set of process i if the process takes part in it or is not enabled in its source
//! (for a process that is not enabled for ever, or steps for ever again and again, has been treated fairly). Stuttering in
//! a deadlock is in all sets of the model and all processes'.
//!
//! The sets of an automaton may also be those of the steps of some processes ([`Property::standstill`]).
//!
//! # Deadlocks
//! A state of the system without successors repeats itself for ever ([`Deadlock::Stutter`]), or no run goes
//! through it ([`Deadlock::Drop`]). A state whose only steps are erroneous is not a deadlock; the failure is
//! kept and told, and makes any claim that something holds impossible.
//!
//! # Degeneralisation
//! Checks for one acceptance set get a product with a level beside the state: the number of sets that were seen in their
//! order. An edge lifts the level over all sets that it is in, one after the other; the edge that completes them
//! is accepting and begins again, with the sets that it is in counted for the next round, too. With acceptance on
//! edges there are as many levels as sets. Without any set every edge is accepting.
//!
//! # Widening
//! When a value leaves its bits, the stored states are translated in their order and keep their numbers, and the
//! search does not notice.
//!
//! # Several workers
//! Each has a product of its own, all of which show the same states ([`Product::crew`]). What is known of a state's
//! propositions is written by each worker that finds the state, before it tells anybody of it. When a value leaves its bits the
//! search ends ([`Reason::Overflow`]): numbers would not stay what they are. It has to begin anew, with the wider system that
//! the contexts know of.

mod fairness;
mod guide;
mod observer;
mod order;
pub(crate) mod packing;
mod successors;

use crate::explore::{Progress, Reason};
use crate::marks::Marks;
use crate::property::Kind;
#[cfg(doc)]
use crate::property::Property;
use crate::space::{Edge, RunStep, Space, Stop, Wanted};
use crate::widening::{self, Lost};
use guide::Guide;
pub use observer::Observer;
pub use order::Order;
use order::{ordered, shuffle};
use packing::Packing;
use sempre_model::system::{Failure, Step, System};
use sempre_omega::Acceptance;
use sempre_store::{Batch, Budget, IndexArray, StateIndex, Store, StoreWorker};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use successors::{Successors, Way};

/// Limits are looked at once in so many expansions.
const PATIENCE: u32 = 256;

/// The action of a deadlock that repeats itself.
const STUTTER: u32 = u32::MAX;

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
    /// In which order successors are told.
    pub order: Order,
}

/// Limits of a search.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Bytes that states and what is known of them may take.
    pub memory: Option<usize>,
    /// Time that it may take.
    pub time: Option<Duration>,
    /// Number of states after whose expansion, by all workers together, to stop; a few more may be expanded.
    pub states: Option<u64>,
    /// Stops the search when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Is told how far the search has got, at most once in 300 ms.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

/// See the module's documentation.
pub struct Product<'a, S: System, M> {
    given: &'a S,
    wider: Option<S>,
    observer: Observer<'a>,
    shape: Shape,
    limits: Limits<'a>,
    begin: Instant,
    told: Instant,
    patience: u32,
    peak: usize,
    budget: Arc<Budget>,
    store: Arc<Store>,
    worker: StoreWorker,
    common: Arc<Common>,
    /// Are there other workers?
    in_crew: bool,
    batch: Batch,
    context: S::Context,
    packing: Packing,
    /// The edges of each leaf of a property.
    leaves: Vec<Vec<(u32, M)>>,
    /// For the directed order, if the automaton can tell what it waits for.
    guide: Option<Guide>,
    /// For a testing automaton: the observed propositions of each state, and those of the states in the batch.
    observed: Arc<IndexArray>,
    found: Vec<u32>,
    /// Successors on their way into the batch, where the automaton's part is not known at once.
    models: Vec<u64>,
    waiting: Vec<(M, u32)>,
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
    /// How much of that is in the common numbers.
    told_of: (u64, u64),
    widenings: u32,
    failure: Option<(u32, Failure)>,
}

/// What all workers count together, now and then.
#[derive(Default)]
struct Common {
    expanded: AtomicU64,
    transitions: AtomicU64,
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
        observer: impl Into<Observer<'a>>,
        shape: Shape,
        limits: Limits<'a>,
    ) -> Result<Option<Self>, Stop> {
        let observer = observer.into();
        let first_process = observer.sets() + system.marks();
        let processes = if shape.fair { system.processes() } else { 0 };
        let sets = first_process as usize + processes;
        if sets > M::CAPACITY as usize {
            return Ok(None);
        }
        let sets = sets as u32;
        let budget = Arc::new(Budget::new(limits.memory.unwrap_or(usize::MAX)));
        let levels = if shape.degeneralized { sets.max(1) } else { 1 };
        let packing = Packing::new(system, u64::from(observer.states()) * u64::from(levels));
        let store = Store::with_spare_bits(packing.width, packing.spare, &budget)?;
        let leaves = match observer {
            Observer::Property(property) => (0..property.leaves() as u32)
                .map(|leaf| {
                    (property.edges(leaf).iter())
                        .map(|e| (e.to, M::from_words(e.mark.words())))
                        .collect()
                })
                .collect(),
            Observer::Testing(_) => Vec::new(),
        };
        let guide = match (shape.order, observer) {
            (Order::Directed(_), Observer::Property(property)) => Guide::new(property),
            _ => None,
        };
        let now = Instant::now();
        Ok(Some(Self {
            given: system,
            wider: None,
            observer,
            shape,
            limits,
            begin: now,
            told: now,
            patience: 0,
            peak: 0,
            worker: store.worker(),
            store: Arc::new(store),
            common: Arc::default(),
            in_crew: false,
            batch: Batch::new(),
            context: ordered(system, shape.order),
            packing,
            leaves,
            guide,
            actions: Vec::new(),
            first_process,
            sets,
            state: vec![0; packing.width],
            model: vec![0; packing.model],
            observed: Arc::new(IndexArray::new(Arc::clone(&budget))),
            found: Vec::new(),
            models: Vec::new(),
            waiting: Vec::new(),
            valuation: vec![0; observer.propositions().div_ceil(64).max(1)],
            scratch: vec![0; packing.width],
            steps: Vec::new(),
            counted: (0, 0),
            told_of: (0, 0),
            widenings: 0,
            failure: None,
            budget,
        }))
    }

    /// Products for so many workers, at least one, which share the states. The first one tells progress.
    pub fn crew(mut self, workers: usize) -> Vec<Self> {
        self.in_crew = true;
        let others: Vec<Self> = (1..workers)
            .map(|_| Self {
                given: self.given,
                wider: None,
                observer: self.observer,
                shape: self.shape,
                limits: Limits {
                    progress: None,
                    ..self.limits
                },
                begin: self.begin,
                told: self.told,
                patience: 0,
                peak: 0,
                budget: Arc::clone(&self.budget),
                worker: self.store.worker(),
                store: Arc::clone(&self.store),
                common: Arc::clone(&self.common),
                in_crew: true,
                batch: Batch::new(),
                context: ordered(self.given, self.shape.order),
                packing: self.packing,
                leaves: self.leaves.clone(),
                guide: self.guide.clone(),
                observed: Arc::clone(&self.observed),
                found: Vec::new(),
                models: Vec::new(),
                waiting: Vec::new(),
                actions: Vec::new(),
                first_process: self.first_process,
                sets: self.sets,
                state: self.state.clone(),
                model: self.model.clone(),
                valuation: self.valuation.clone(),
                scratch: self.scratch.clone(),
                steps: Vec::new(),
                counted: (0, 0),
                told_of: (0, 0),
                widenings: 0,
                failure: None,
            })
            .collect();
        let mut all = vec![self];
        all.extend(others);
        all
    }

    /// What knows of values that have left their bits.
    pub fn into_context(self) -> S::Context {
        self.context
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
        let action = (self.batch.found().iter().zip(&self.steps))
            .find(|(found, (marks, _))| {
                found.index == step.edge.target && *marks == step.edge.marks
            })
            .map(|(_, &(_, action))| action);
        Ok(action
            .filter(|&a| a != STUTTER)
            .map(|action| Step { action, marks: 0 }))
    }

    fn automaton_state(&mut self, state: u32) -> u32 {
        self.store.read(StateIndex(state), &mut self.state);
        let value = self.packing.split(&self.state, &mut self.model);
        (value / self.levels()) as u32
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
        // Relaxed, here and below: numbers that are looked at for their own sake.
        let (common, told_of) = (&self.common, self.told_of);
        let new = self.counted.0 - told_of.0;
        let expanded = new + common.expanded.fetch_add(new, Relaxed);
        let new = self.counted.1 - told_of.1;
        let transitions = new + common.transitions.fetch_add(new, Relaxed);
        self.told_of = self.counted;
        let limits = &self.limits;
        // Relaxed: looked at for its own sake.
        if limits.interrupt.is_some_and(|flag| flag.load(Relaxed)) {
            return Err(Stop(Reason::Interrupted));
        }
        if limits.states.is_some_and(|limit| expanded > limit) {
            return Err(Stop(Reason::States));
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
            let states = self.store.len();
            progress(&Progress {
                states,
                transitions,
                queue: states.saturating_sub(expanded),
                bytes: self.budget.used(),
                elapsed: now - self.begin,
            });
        }
        Ok(())
    }

    /// A wider layout after an overflow.
    fn widen(&mut self) -> Result<(), Stop> {
        if self.in_crew {
            return Err(Stop(Reason::Overflow));
        }
        let system = self.wider.as_ref().unwrap_or(self.given);
        let Some(wide) = system.widen(&self.context) else {
            return Err(Stop(Reason::Overflow));
        };
        let values = u64::from(self.observer.states()) * self.levels();
        let packing = Packing::new(&wide, values);
        let old = self.packing;
        let mut model = vec![0; old.model];
        let mut wide_model = vec![0; packing.model];
        let shape = (packing.width, packing.spare);
        let translated = widening::rewrite(&self.store, shape, &self.budget, |from, to| {
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
        self.store = Arc::new(store);
        self.context = ordered(&wide, self.shape.order);
        self.wider = Some(wide);
        self.packing = packing;
        self.state = vec![0; packing.width];
        self.scratch = vec![0; packing.width];
        self.model = vec![0; packing.model];
        self.widenings += 1;
        Ok(())
    }
}

impl<S: System, M: Marks> Product<'_, S, M> {
    /// The successors of a state: into the batch, if the automaton's part is known, with `steps` beside it; else
    /// into `models`, with `waiting` beside it. Tells the automaton's part of the state, and its leaf.
    fn ask(&mut self, state: u32) -> Result<(u64, usize), Stop> {
        loop {
            self.batch.clear();
            self.steps.clear();
            self.waiting.clear();
            self.models.clear();
            self.store
                .read_parent(StateIndex(state), &mut self.state, &mut self.batch);
            let value = self.packing.split(&self.state, &mut self.model);
            let levels = self.levels();
            let system = self.wider.as_ref().unwrap_or(self.given);
            let mut leaf = 0;
            if let Observer::Property(property) = self.observer {
                let count = property.propositions();
                if count > 0 {
                    system.valuation(&mut self.context, &self.model, count, &mut self.valuation);
                }
                leaf = property.leaf((value / levels) as u32, &self.valuation) as usize;
                if self.leaves[leaf].is_empty() {
                    return Ok((value, leaf));
                }
            }
            let direct =
                matches!(self.observer, Observer::Property(_)) && !self.shape.degeneralized;
            let (way, steps) = match direct {
                true => {
                    let way = Way::Direct {
                        edges: &self.leaves[leaf],
                        packing: self.packing,
                        scratch: &mut self.scratch,
                        batch: &mut self.batch,
                    };
                    (way, &mut self.steps)
                }
                false => (Way::Collect(&mut self.models), &mut self.waiting),
            };
            let mut sink = Successors {
                way,
                steps,
                first_mark: self.observer.sets(),
                any: false,
                failure: None,
                failing: Vec::new(),
                overflow: false,
            };
            system.successors(&mut self.context, &self.model, &mut sink);
            if sink.overflow {
                self.widen()?;
                continue;
            }
            let stuck = !sink.any && sink.failing.is_empty();
            if stuck && self.shape.deadlock == Deadlock::Stutter {
                let marks = M::all(self.sets).minus(M::all(self.observer.sets()));
                sink.add(STUTTER, marks, &self.model);
            }
            let failing = sink.failing;
            if let Some(failure) = sink.failure {
                self.failure.get_or_insert((state, failure));
            }
            if let Observer::Property(property) = self.observer
                && !property.movers().is_empty()
            {
                let mut steps = std::mem::take(&mut self.steps);
                self.add_movers(property.movers(), &mut steps);
                self.steps = steps;
            }
            if self.shape.fair && !stuck {
                let mut steps = match direct {
                    true => std::mem::take(&mut self.steps),
                    false => std::mem::take(&mut self.waiting),
                };
                self.add_fairness(&mut steps, &failing);
                match direct {
                    true => self.steps = steps,
                    false => self.waiting = steps,
                }
            }
            return Ok((value, leaf));
        }
    }

    /// Successors that wait get their automaton's part and go into the batch.
    fn combine(&mut self, state: u32, value: u64, leaf: usize) {
        let levels = self.levels();
        let (q, level) = ((value / levels) as u32, (value % levels) as u32);
        self.found.clear();
        let waiting = std::mem::take(&mut self.waiting);
        let models = std::mem::take(&mut self.models);
        let before = self.observed.get(StateIndex(state));
        for (i, &(marks, action)) in waiting.iter().enumerate() {
            let width = self.packing.model;
            let model = &models[i * width..(i + 1) * width];
            match self.observer {
                Observer::Property(_) => {
                    for e in 0..self.leaves[leaf].len() {
                        let (to, mark) = self.leaves[leaf][e];
                        self.put(model, to, level, mark.union(marks), action);
                    }
                }
                Observer::Testing(testing) => {
                    let system = self.wider.as_ref().unwrap_or(self.given);
                    let now = if action == STUTTER || !system.is_visible(action) {
                        before
                    } else {
                        let (count, valuation) = (testing.propositions(), &mut self.valuation);
                        system.valuation(&mut self.context, model, count, valuation);
                        testing.observe(valuation) as u32
                    };
                    for edge in testing.edges(q, u64::from(before ^ now)) {
                        let mark = M::from_word(edge.marks, 0);
                        self.put(model, edge.to, level, mark.union(marks), action);
                        self.found.push(now);
                    }
                }
            }
        }
        self.waiting = waiting;
        self.models = models;
    }

    /// Puts a successor into the batch, lifted to its level if the product is degeneralised.
    #[inline]
    fn put(&mut self, model: &[u64], to: u32, level: u32, mut marks: M, action: u32) {
        let mut value = u64::from(to);
        if self.shape.degeneralized {
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
            marks = if complete { M::single(0) } else { M::NONE };
            value = value * self.levels() + u64::from(next);
        }
        self.packing.join(model, value, &mut self.scratch);
        self.batch.push(&self.scratch);
        self.steps.push((marks, action));
    }

    /// Enters the batch, and keeps what was observed in its states.
    fn enter(&mut self) -> Result<(), Stop> {
        self.store.insert_batch(&mut self.worker, &mut self.batch)?;
        if let Observer::Testing(_) = self.observer {
            for (found, &observed) in self.batch.found().iter().zip(&self.found) {
                let index = StateIndex(found.index);
                // Who has entered a state may not yet have got as far as this.
                if self.observed.get(index) != observed {
                    self.observed.set(index, observed)?;
                }
            }
        }
        Ok(())
    }
}

impl<S: System, M: Marks> Space<M> for Product<'_, S, M> {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        self.batch.clear();
        self.found.clear();
        let system = self.wider.as_ref().unwrap_or(self.given);
        let mut models: Vec<Vec<u64>> = Vec::new();
        system.initial(&mut self.context, &mut |state| models.push(state.to_vec()));
        let levels = self.levels();
        for model in models {
            let states: Vec<u32> = match self.observer {
                Observer::Property(property) => property.initial().to_vec(),
                Observer::Testing(testing) => {
                    let system = self.wider.as_ref().unwrap_or(self.given);
                    let (count, valuation) = (testing.propositions(), &mut self.valuation);
                    system.valuation(&mut self.context, &model, count, valuation);
                    let observed = testing.observe(valuation);
                    let states: Vec<u32> = testing.beginning(observed).collect();
                    self.found.extend(states.iter().map(|_| observed as u32));
                    states
                }
            };
            for q in states {
                self.packing
                    .join(&model, u64::from(q) * levels, &mut self.scratch);
                self.batch.push(&self.scratch);
            }
        }
        self.enter()?;
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
        let (value, leaf) = self.ask(state)?;
        if !self.waiting.is_empty() {
            self.combine(state, value, leaf);
        }
        self.enter()?;
        self.counted.0 += 1;
        self.counted.1 += self.steps.len() as u64;
        let begin = edges.len();
        let found = self.batch.found().iter();
        edges.extend((found.zip(&self.steps)).map(|(found, &(marks, _))| Edge {
            target: found.index,
            marks,
        }));
        if let Order::Shuffled(seed) | Order::Directed(seed) = self.shape.order {
            shuffle(&mut edges[begin..], seed ^ u64::from(state));
            if self.guide.is_some() {
                edges[begin..].sort_by_cached_key(|edge| self.rate(edge.target));
            }
        }
        Ok(())
    }

    /// Those of the automaton; each must be in the sets of the model and of fairness, too.
    fn goals(&self) -> Vec<Wanted<M>> {
        match self.observer {
            Observer::Property(property) if !property.is_generalized_buchi() => {
                let others = M::all(self.sets).minus(M::all(property.sets()));
                let each = property
                    .clauses()
                    .unwrap_or(&[])
                    .iter()
                    .map(|clause| Wanted {
                        all: others.union(M::from_words(clause.inf.words())),
                        avoid: M::from_words(clause.fin.words()),
                    });
                each.collect()
            }
            _ => vec![self.wanted()],
        }
    }

    fn condition(&self) -> Acceptance {
        let (first, own) = match self.observer {
            Observer::Property(property) => (property.sets(), Some(property.condition().clone())),
            Observer::Testing(_) => (0, None),
        };
        let others = (first..self.sets()).map(Acceptance::Inf);
        Acceptance::and(own.into_iter().chain(others))
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
        let Observer::Property(property) = self.observer else {
            return Kind::Mixed;
        };
        match property.kind(self.automaton_state(state)) {
            Kind::Weak | Kind::Terminal if self.sets > property.sets() => Kind::Mixed,
            kind => kind,
        }
    }

    fn accepted(&mut self) {
        self.limits.states = None;
    }

    fn livelock(&mut self, state: u32) -> bool {
        match self.observer {
            Observer::Property(_) => false,
            Observer::Testing(testing) => testing.livelock(self.automaton_state(state)),
        }
    }
}
