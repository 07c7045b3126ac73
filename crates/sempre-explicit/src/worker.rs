//! A worker of an exploration: takes states from the frontier, expands them, enters their successors. The
//! invariants it keeps are those of [`crate::explore`].

use crate::control::{Control, End, Findings};
use crate::explore::{Goal, Order, Reason};
use crate::frontier::{Frontier, Run};
use sempre_model::system::{Failure, Sink, Step, System};
use sempre_store::{Batch, Full, IndexArray, StateIndex, Store, StoreWorker};
use std::sync::atomic::Ordering::Relaxed;

/// A batch is entered when it has expanded so many states, or found so many successors.
const BATCH_STATES: usize = 64;
const BATCH_SUCCESSORS: usize = 256;

/// Work is shared with idle workers if so many states remain.
const WORTH_SHARING: u32 = 32;

pub(crate) struct Worker<'a, S: System> {
    system: &'a S,
    context: S::Context,
    store: &'a Store,
    store_worker: StoreWorker,
    parents: Option<&'a IndexArray>,
    control: &'a Control<'a>,
    frontier: &'a Frontier,
    batch: Batch,
    /// The states whose successors are in the batch.
    expanded: Vec<u32>,
    state: Vec<u64>,
    /// New states (breadth-first).
    found: Vec<Run>,
    /// States to expand (depth-first).
    stack: Vec<u32>,
    level: u32,
    findings: Findings,
}

/// Collects what is told of one state.
struct Collect<'a> {
    batch: &'a mut Batch,
    failures: Vec<Failure>,
    marks: u64,
    overflow: bool,
}

impl Sink for Collect<'_> {
    #[inline]
    fn successor(&mut self, step: Step, state: &[u64]) {
        self.marks += u64::from(step.marks != 0);
        self.batch.push(state);
    }
    #[inline]
    fn changed(&mut self, step: Step, state: &[u64], words: &[u32]) {
        self.marks += u64::from(step.marks != 0);
        self.batch.push_changed(state, words);
    }
    fn failure(&mut self, failure: Failure) {
        self.failures.push(failure);
    }
    fn overflow(&mut self) {
        self.overflow = true;
    }
}

/// The search must halt, and the reason is noted.
struct Halt;

impl<'a, S: System> Worker<'a, S> {
    pub(crate) fn new(
        system: &'a S,
        store: &'a Store,
        parents: Option<&'a IndexArray>,
        control: &'a Control<'a>,
        frontier: &'a Frontier,
    ) -> Self {
        Self {
            system,
            context: system.context(),
            store,
            store_worker: store.worker(),
            parents,
            control,
            frontier,
            batch: Batch::new(),
            expanded: Vec::new(),
            state: vec![0; store.width()],
            found: Vec::new(),
            stack: Vec::new(),
            level: 0,
            findings: Findings::default(),
        }
    }

    /// What the search needs afterwards: the context, which may know of an overflow, and what was found.
    pub(crate) fn into_results(self) -> (S::Context, Findings) {
        (self.context, self.findings)
    }

    pub(crate) fn breadth_first(&mut self) {
        let mut first = true;
        while let Some((mut run, level)) = self.frontier.take(&mut self.found, first) {
            first = false;
            self.level = level;
            while run.len > 0 {
                let halt = self.expand_some(&mut run);
                if halt.is_err() || self.frontier.stopped() {
                    self.frontier.stop();
                    // I1: what was not expanded goes back.
                    self.frontier.leave(&mut self.found);
                    self.frontier.give((run.len > 0).then_some(run));
                    return;
                }
                if run.len >= WORTH_SHARING && self.frontier.hungry() {
                    let half = run.len / 2;
                    run.len -= half;
                    self.frontier.give([Run {
                        start: run.start + run.len,
                        len: half,
                    }]);
                }
            }
        }
    }

    pub(crate) fn depth_first(&mut self) {
        let mut first = true;
        while let Some((run, _)) = self.frontier.take(&mut self.found, first) {
            first = false;
            self.stack.extend((run.start..run.start + run.len).rev());
            while let Some(&state) = self.stack.last() {
                let mut run = Run {
                    start: state,
                    len: 1,
                };
                let depth = self.stack.len();
                let halt = self.expand_some(&mut run);
                if run.len == 0 {
                    self.stack.pop();
                }
                // What was found last is on top, so that it comes first.
                for new in self.found.drain(..) {
                    self.stack.extend(new.start..new.start + new.len);
                }
                if halt.is_err() || self.frontier.stopped() {
                    self.frontier.stop();
                    self.give_from_stack(self.stack.len());
                    return;
                }
                if depth >= WORTH_SHARING as usize && self.frontier.hungry() {
                    self.give_from_stack(depth / 2);
                }
            }
        }
    }

    /// Gives away what has been longest on the stack: it leads farthest from what we are at.
    fn give_from_stack(&mut self, count: usize) {
        let mut runs = Vec::new();
        for state in self.stack.drain(..count) {
            Run::add(&mut runs, state);
        }
        self.frontier.give(runs);
    }

    /// Expands states from the beginning of a run, which is shortened by them.
    fn expand_some(&mut self, run: &mut Run) -> Result<(), Halt> {
        self.batch.clear();
        self.expanded.clear();
        let before = (
            self.findings.deadlocks,
            self.findings.failures,
            self.findings.marks,
        );
        let mut overflow = false;
        while run.len > 0
            && self.expanded.len() < BATCH_STATES
            && self.batch.len() < BATCH_SUCCESSORS
        {
            if !self.expand_one(StateIndex(run.start)) {
                overflow = true;
                break;
            }
            self.expanded.push(run.start);
            run.start += 1;
            run.len -= 1;
        }
        let entered = self.enter();
        let control = self.control;
        control
            .expanded
            .fetch_add(self.expanded.len() as u64, Relaxed);
        control
            .transitions
            .fetch_add(self.batch.len() as u64, Relaxed);
        let end = if entered.is_err() {
            Some(End::Stop(Reason::Memory))
        } else if self.control.options.until.is_some_and(|goal| match goal {
            Goal::Deadlock => self.findings.deadlocks > before.0,
            Goal::Failure => self.findings.failures > before.1,
            Goal::Mark => self.findings.marks > before.2,
        }) {
            Some(End::Found)
        } else if overflow {
            Some(End::Overflow)
        } else {
            let depth = match control.options.order {
                Order::BreadthFirst => self.level.into(),
                Order::DepthFirst => self.stack.len() as u64,
            };
            control.look_up(depth).map(End::Stop)
        };
        match end {
            None => Ok(()),
            Some(end) => {
                control.end(end);
                Err(Halt)
            }
        }
    }

    /// Adds the successors of a state to the batch; `false` if a value overflowed.
    #[inline]
    fn expand_one(&mut self, index: StateIndex) -> bool {
        let before = self.batch.len();
        self.store
            .read_parent(index, &mut self.state, &mut self.batch);
        let mut sink = Collect {
            batch: &mut self.batch,
            failures: Vec::new(),
            marks: 0,
            overflow: false,
        };
        self.system
            .successors(&mut self.context, &self.state, &mut sink);
        if sink.overflow {
            // I4.
            self.batch.truncate(before);
            return false;
        }
        let mut stuck = sink.batch.len() == before;
        self.findings.marks += sink.marks;
        for failure in sink.failures {
            stuck &= failure.action.is_none();
            self.findings.note_failure(self.level, index, failure);
        }
        if stuck {
            self.findings.note_deadlock(self.level, index);
        }
        true
    }

    /// Enters the batch into the store, and notes what is new.
    fn enter(&mut self) -> Result<(), Full> {
        let result = self
            .store
            .insert_batch(&mut self.store_worker, &mut self.batch);
        let mut fresh = 0;
        for (i, found) in self.batch.found().iter().enumerate() {
            if found.fresh {
                fresh += 1;
                Run::add(&mut self.found, found.index);
                if let Some(parents) = self.parents {
                    let parent = self.expanded[self.batch.parent_of(i) as usize];
                    parents.set(StateIndex(found.index), parent + 1)?;
                }
            }
        }
        self.control.states.fetch_add(fresh, Relaxed);
        result
    }
}
