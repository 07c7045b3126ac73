//! Reachability: all states that a program can come to, as a diagram.
//!
//! * **Breadth-first** ([`crate::reach::breadth_first`]): level by level.
//! * **Chaining** (Roig, Cortadella, Pastor, ICATPN 1995): each event on all that is known, what it finds included.
//! * **Saturation** ([`crate::reach::saturation`]), the default: chaining carried down to the nodes.
//!
//! The first two are there for comparison, and as references in tests; and a saturation that gets long is helped by the first
//! ([`crate::reach::interleaved_bfs`]).

use crate::dd::forest::{Forest, Kept, Node};
use crate::dd::natural::Natural;
use crate::dd::shape::Shape;
use crate::dd::unique_table::{Limits, Stop};
use crate::reach::breadth_first::{BreadthFirst, step};
use crate::reach::interleaved_bfs::Beside;
use crate::reach::saturation::{Events, Firing, Saturation};
use crate::relation::model::{Fault, Model};
use crate::relation::reordering::SecondThoughts;
use crate::thread_clock::Clock;
use crate::turns::Baton;
use sempre_base::stop::{Cancel, under};
use sempre_model::ir::Program;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// In which order the states are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Level by level.
    BreadthFirst,
    /// Event by event.
    Chaining,
    /// Node by node.
    #[default]
    Saturation,
}

/// What is known while it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Nodes, dead ones included.
    pub nodes: usize,
    /// States found so far, where the strategy has them all in one set.
    pub states: Option<f64>,
    /// Bytes of nodes, tables and caches.
    pub bytes: usize,
    /// Since it began.
    pub elapsed: Duration,
}

/// How to search.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// In which order.
    pub strategy: Strategy,
    /// How saturation fires events.
    pub firing: Firing,
    /// If saturation gets long, let a breadth-first search have turns, too.
    pub beside: bool,
    /// When to give up.
    pub limits: Limits,
    /// Told now and then.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

/// Time between two words about progress.
const PATIENCE: Duration = Duration::from_millis(250);

/// Tells about progress.
pub(crate) struct Teller<'a> {
    told: Option<&'a (dyn Fn(&Progress) + Sync)>,
    begin: Instant,
    last: Instant,
    calls: u32,
}

impl<'a> Teller<'a> {
    pub fn new(told: Option<&'a (dyn Fn(&Progress) + Sync)>) -> Self {
        let begin = Instant::now();
        Self {
            told,
            begin,
            last: begin,
            calls: 0,
        }
    }

    /// Says how far it has got, if that is due; the states of `set`, if it is cheap to count them.
    pub fn tell(&mut self, forest: &Forest, set: Option<Node>) {
        let Some(told) = self.told else {
            return;
        };
        // The clock is not cheap.
        self.calls = self.calls.wrapping_add(1);
        if set.is_none() && !self.calls.is_multiple_of(256) || self.last.elapsed() < PATIENCE {
            return;
        }
        told(&Progress {
            nodes: forest.nodes(),
            states: set.map(|s| forest.count(s).to_f64()),
            bytes: forest.bytes(),
            elapsed: self.begin.elapsed(),
        });
        self.last = Instant::now();
    }
}

struct ModelEvents<'a, 'p, 't> {
    model: &'a mut Model<'p>,
    end: u32,
    teller: &'a mut Teller<'t>,
    beside: &'a mut Beside<'p>,
}

impl Events for ModelEvents<'_, '_, '_> {
    fn at(&self, level: u32) -> &[u32] {
        &self.model.at_level[level as usize]
    }

    fn end(&self) -> u32 {
        self.end
    }

    fn ready(&mut self, forest: &mut Forest, event: u32) -> Result<Option<(Node, Shape)>, Stop> {
        let relation = self.model.ready(forest, event)?;
        let shape = self.model.groups[event as usize].shape;
        Ok(relation.map(|r| (r, shape)))
    }

    #[inline]
    fn occurs(&mut self, level: u32, value: u32) {
        self.model.occurs(level, value);
    }

    fn prepare(
        &mut self,
        forest: &mut Forest,
        event: u32,
        set: Node,
    ) -> Result<(Node, Shape), Stop> {
        let relation = self.model.prepare(forest, event, set)?;
        Ok((relation, self.model.groups[event as usize].shape))
    }

    fn progress(&mut self, forest: &Forest) -> Result<(), Stop> {
        self.teller.tell(forest, None);
        self.model.reconsider(forest)?;
        self.beside.turn(forest)
    }
}

/// All states that the model can come to; all its relations are known for them. The set is kept.
///
/// # Errors
/// If there is no room, or it is time to stop.
pub fn reachable(
    forest: &mut Forest,
    model: &mut Model<'_>,
    options: &Options<'_>,
) -> Result<Kept, Stop> {
    let mut beside = Beside::never(model);
    search(forest, model, options, &mut beside)
}

fn search<'p>(
    forest: &mut Forest,
    model: &mut Model<'p>,
    options: &Options<'_>,
    beside: &mut Beside<'p>,
) -> Result<Kept, Stop> {
    // A limit that is over before the search begins holds also where the search would end before its first look.
    forest.look()?;
    let mut teller = Teller::new(options.progress);
    let initial = model.initial(forest)?;
    let found = forest.keep(initial);
    match options.strategy {
        Strategy::Saturation => {
            let end = model.at_level.iter().rposition(|g| !g.is_empty());
            model.notes_values = true;
            let mut events = ModelEvents {
                end: end.map_or(0, |l| l as u32 + 1),
                model,
                teller: &mut teller,
                beside,
            };
            let mut saturation = Saturation {
                forest,
                events: &mut events,
                firing: options.firing,
                family: 0,
            };
            let base = saturation.forest.stack.len();
            let all = saturation.saturate(initial, 0);
            forest.stack.truncate(base);
            forest.set(found, all?);
        }
        Strategy::Chaining => loop {
            // Kept: the number of a dead node may be that of another soon.
            let before = forest.keep(forest.get(found));
            for group in 0..model.groups.len() {
                let now = forest.get(found);
                let more = step(forest, model, group, now)?;
                let all = forest.union(forest.get(found), more)?;
                forest.set(found, all);
                teller.tell(forest, Some(all));
            }
            let same = forest.get(found) == forest.get(before);
            forest.release(before);
            if same {
                break;
            }
        },
        Strategy::BreadthFirst => {
            let mut layers = BreadthFirst::new(forest, initial);
            layers.advance(forest, model, |_| true, &mut teller)?;
            forest.set(found, forest.get(layers.found));
            layers.release(forest);
        }
    }
    let all = forest.get(found);
    model.prepare_all(forest, all)?;
    Ok(found)
}

/// All states that a program can come to, with its cells in this order, or in one of ours. It works while it holds the baton.
pub(crate) fn states_of<'p>(
    program: &'p Program,
    order: Option<Vec<u32>>,
    options: &Options<'_>,
    baton: Option<&Baton>,
) -> (Forest, Model<'p>, Result<Kept, Stop>) {
    let mut forest = Forest::new(options.limits.clone());
    forest.take_turns(baton.cloned());
    let is_ours = order.is_none();
    let mut model = Model::new(&mut forest, program, order);
    if is_ours {
        model.second_thoughts = SecondThoughts::Later;
    }
    let mut beside = match options.beside {
        true => Beside::new(&model, options.limits.clone()),
        false => Beside::never(&model),
    };
    let found = search(&mut forest, &mut model, options, &mut beside);
    if let Some(all) = beside.states {
        let (forest, model, states) = *all;
        return (forest, model, Ok(states));
    }
    match std::mem::take(&mut model.second_thoughts) {
        SecondThoughts::Better(order) => states_of(program, Some(order), options, baton),
        _ => (forest, model, found),
    }
}

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// Why it ended early, if it did.
    pub stopped: Option<Stop>,
    /// Number of states; none if it ended early.
    pub states: Option<Natural>,
    /// Number of transitions; none if it ended early.
    pub transitions: Option<Natural>,
    /// Number of deadlocks; none if it ended early.
    pub deadlocks: Option<Natural>,
    /// What is erroneous: at most one state for each action and assertion.
    pub faults: Vec<Fault>,
    /// Nodes of the set of states.
    pub nodes: usize,
    /// The most nodes at a time, dead ones included.
    pub peak_nodes: usize,
    /// Number of garbage collections.
    pub collections: u64,
    /// Bytes of nodes, tables and caches at the end.
    pub bytes: usize,
    /// Number of groups of events.
    pub groups: usize,
    /// The time that the thread worked until all states were found.
    pub search: Duration,
    /// The time of everything.
    pub elapsed: Duration,
}

/// Explores a program, with its cells in this order, or in one of ours.
pub fn explore(program: &Program, order: Option<Vec<u32>>, options: &Options<'_>) -> Exploration {
    on_a_deep_stack(program.cells(), || {
        explore_here(program, order.clone(), options)
    })
}

fn explore_here(program: &Program, order: Option<Vec<u32>>, options: &Options<'_>) -> Exploration {
    let begin = Instant::now();
    let clock = Clock::start();
    let (mut forest, mut model, states) = states_of(program, order, options, None);
    let mut result = Exploration {
        stopped: None,
        states: None,
        transitions: None,
        deadlocks: None,
        faults: Vec::new(),
        nodes: 0,
        peak_nodes: 0,
        collections: 0,
        bytes: 0,
        groups: model.group_count(),
        search: clock.elapsed(),
        elapsed: Duration::ZERO,
    };
    let filled = states.and_then(|states| fill(&mut forest, &mut model, states, &mut result));
    if let Err(stop) = filled {
        result.stopped = Some(stop);
    }
    result.peak_nodes = forest.peak_nodes();
    result.collections = forest.collections();
    result.bytes = forest.bytes();
    result.elapsed = begin.elapsed();
    result
}

fn fill(
    forest: &mut Forest,
    model: &mut Model<'_>,
    states: Kept,
    result: &mut Exploration,
) -> Result<(), Stop> {
    let set = forest.get(states);
    result.nodes = forest.size(set);
    // What was known of the search makes room for what is asked now.
    forest.drop_results();
    result.states = Some(forest.try_count(set)?);
    result.faults = model.faults(forest, set)?;
    let stuck = model.deadlocks(forest, set)?;
    result.deadlocks = Some(forest.try_count(stuck)?);
    forest.drop_results();
    result.transitions = Some(model.transitions(forest, set)?);
    Ok(())
}

/// Bytes of stack for each level, and at least.
const FRAME: usize = 4 << 10;
const STACK: usize = 16 << 20;

/// Runs something whose recursion is as deep as there are levels; unused pages of a stack cost nothing.
pub fn on_a_deep_stack<T: Send>(levels: usize, work: impl FnOnce() -> T + Send) -> T {
    let cancel = Cancel::current();
    // Taken by the thread, or by this one if the system gives none.
    let slot = Mutex::new(Some(work));
    let take = || slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    let done = std::thread::scope(|scope| {
        let thread = Builder::new().stack_size(STACK + levels * FRAME);
        match thread.spawn_scoped(scope, || take().map(|work| under(&cancel, work))) {
            Ok(worker) => worker.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => take().map(|work| work()),
        }
    });
    done.expect("it is taken once")
}
