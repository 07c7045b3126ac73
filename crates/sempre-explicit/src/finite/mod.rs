//! Safety by finite automata: is a bad prefix reachable?
//!
//! A safety property is violated by a finite prefix, and a finite automaton accepts such prefixes ([`FiniteProperty`]). Then
//! no cycle has to be found: a state of the product that has accepted is enough ([`FiniteProduct`]), and the prefix that
//! leads there is the counterexample (Kupferman and Vardi, FMSD 2001; Latvala, SPIN 2003).
//!
//! | file | search | finds |
//! | --- | --- | --- |
//! | `breadth_first` | level by level | a shortest prefix |
//! | `best_first` | A*, directed by the automaton | a shortest prefix |
//! | `depth_first` | with the least memory | some prefix |
//! | `life` | where runs that end do not count: can the system go on for ever? | |
//!
//! # Left to itself
//! The search is breadth-first. If memory does not suffice, a depth-first search tries again. And as it is better to know some
//! violation than to wait for a shortest one for ever, depth-first *excursions* of bounded size, in other orders, go out from
//! time to time. What they find is kept; the search goes on until it has expanded [`PATIENCE`] times as many
//! states, and eight million in any case, or until it is stopped. Only then is a longer prefix told, and
//! [`Statistics::scouted`] says so.
//!
//! # Many workers
//! The exploration with many workers ([`mod@crate::explore`]) decides whether a bad prefix is reachable. If one is, one thread
//! alone looks for it: so the answer does not depend on the number of workers.
//!
//! # Which runs count
//! * If deadlocks repeat themselves, every finite path is the beginning of a run, and of a weakly fair one, too: let the
//!   enabled process that has waited longest move, for ever or until nothing can. So fairness need not be looked at.
//! * If runs that end do not count, a bad prefix must go on for ever. Fair runs that do are not looked for.
//! * A model whose own edges have acceptance marks is refused: a prefix would have to go on to a run that sees them.
//! * After a bad prefix an erroneous step changes nothing: whatever it was meant to do, the property is lost.

mod best_first;
mod breadth_first;
mod depth_first;
mod life;
mod product;
mod property;

use crate::check::{BadPrefix, Check, Counterexample, Inapplicable, Moment, Outcome, Statistics};
use crate::explore::{self, Goal, Reason, explore, panicked};
use crate::product::{Deadlock, Limits, Order, Product, Shape};
use crate::property::Property;
use crate::space::{Counters, Edge, RunStep, Space, Stop};
use life::{GoesOn, Life};
pub use product::FiniteProduct;
pub use property::FiniteProperty;
use sempre_base::stop;
use sempre_model::system::System;
use sempre_omega::{Automaton, Bdds};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// The searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// `breadth_first`.
    Bfs,
    /// `depth_first`.
    Dfs,
    /// `best_first`.
    BestFirst,
}

impl Search {
    /// All of them, with their names.
    pub const ALL: [(Search, &'static str); 3] = [
        (Search::Bfs, "bfs"),
        (Search::Dfs, "finite-dfs"),
        (Search::BestFirst, "best-first"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(s, _)| *s == self);
        known.map_or("", |(_, name)| name)
    }

    /// Is what it finds a shortest prefix?
    pub fn finds_shortest(self) -> bool {
        self != Search::Dfs
    }
}

/// Excursions first go out when so many states were expanded, and again when there are four times as many.
const FIRST: u64 = 1 << 14;
/// An excursion has a state for so many that were expanded.
const SHARE: u64 = 4;
/// How many times as many states are expanded for a shorter prefix than it took to know one.
pub const PATIENCE: u64 = 8;
/// Until so many states were expanded, a shortest prefix is always looked for.
const ALWAYS: u64 = 1 << 23;

/// How to search.
#[derive(Clone, Copy)]
pub struct FiniteOptions<'a> {
    /// The search; `None` leaves it to itself (see the module's documentation).
    pub search: Option<Search>,
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// In which order successors are followed.
    pub order: Order,
    /// Number of threads; 0 counts as 1.
    pub workers: usize,
    /// Limits.
    pub limits: Limits<'a>,
    /// When excursions first go out, in states expanded.
    pub first: u64,
    /// How many states are always expanded for a shortest prefix.
    pub always: u64,
}

impl Default for FiniteOptions<'_> {
    fn default() -> Self {
        Self {
            search: None,
            deadlock: Deadlock::Stutter,
            order: Order::System,
            workers: 1,
            limits: Limits::default(),
            first: FIRST,
            always: ALWAYS,
        }
    }
}

/// A path to a state that has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Path {
    steps: Vec<RunStep<u32>>,
    last: u32,
    goes_on: GoesOn,
}

impl Path {
    fn start(state: u32, goes_on: GoesOn) -> Self {
        Self {
            steps: Vec::new(),
            last: state,
            goes_on,
        }
    }

    /// The path that ends with this step, backwards along the parents of states; an initial state has none.
    fn along(parent: impl Fn(u32) -> Option<u32>, last: RunStep<u32>, goes_on: GoesOn) -> Self {
        let mut steps = vec![last];
        let mut target = last.state;
        while let Some(state) = parent(target) {
            let edge = Edge { target, marks: 0 };
            steps.push(RunStep { state, edge });
            target = state;
        }
        steps.reverse();
        Self {
            last: last.edge.target,
            steps,
            goes_on,
        }
    }
}

/// What the searches know of a product: a space in which edges with a mark lead to states that have accepted.
trait Targets: Space<u32> {
    /// A lower bound on the number of steps to a state that has accepted; 0 for such a state alone.
    fn distance(&mut self, state: u32) -> u32;

    /// The space.
    fn as_space(&mut self) -> &mut dyn Space<u32>;
}

type Searched<'a, S> = Product<'a, FiniteProduct<'a, S>, u32>;

impl<S: System> Targets for Searched<'_, S> {
    fn distance(&mut self, state: u32) -> u32 {
        let words = self.parts(state).model;
        self.system().distance(&words)
    }

    fn as_space(&mut self) -> &mut dyn Space<u32> {
        self
    }
}

/// Looks for a bad prefix of the system.
pub fn check<'s, S: System>(
    system: &'s S,
    property: &FiniteProperty,
    options: &FiniteOptions<'_>,
) -> Check<'s, S> {
    let mut result = Check::refused(system, Outcome::Empty);
    if system.marks() > 0 {
        result.outcome = Outcome::Inapplicable(Inapplicable::ModelMarks);
        return result;
    }
    let begin = Instant::now();
    if options.workers > 1 && !reachable(system, property, options, &mut result) {
        result.statistics.elapsed = begin.elapsed();
        return result;
    }
    let limits = |excursion: bool| Limits {
        time: (options.limits.time).map(|t| t.saturating_sub(begin.elapsed())),
        progress: (options.limits.progress).filter(|_| !excursion),
        ..options.limits
    };
    let first = Task {
        system,
        property,
        deadlock: options.deadlock,
        search: options.search.unwrap_or(Search::Bfs),
        order: options.order,
        limits: limits(false),
    };
    if options.search.is_some() {
        first.run(&mut result, &mut |_| Ok(()));
        result.statistics.elapsed = begin.elapsed();
        return result;
    }
    // A prefix that an excursion found, and the system that packs it.
    let mut known: Option<(BadPrefix, Option<S>)> = None;
    let (mut next, mut enough, mut seed) = (options.first.max(1), u64::MAX, 0);
    let mut each = |expanded: u64| -> Result<(), Stop> {
        if expanded >= enough {
            return Err(Stop(Reason::States));
        }
        if expanded < next || known.is_some() {
            return Ok(());
        }
        next = next.saturating_mul(4);
        seed += 1;
        let excursion = Task {
            search: Search::Dfs,
            order: Order::Permuted(seed),
            limits: Limits {
                states: Some(expanded / SHARE),
                ..limits(true)
            },
            ..first
        };
        let mut found = Check::refused(system, Outcome::Empty);
        excursion.run(&mut found, &mut |_| Ok(()));
        match found.outcome {
            Outcome::Prefix(prefix) => {
                known = Some((prefix, found.wider));
                enough = expanded.saturating_mul(PATIENCE).max(options.always);
            }
            Outcome::Stopped(
                reason @ (Reason::Interrupted | Reason::NoThread(_) | Reason::Panic(_)),
            ) => {
                return Err(Stop(reason));
            }
            _ => {}
        }
        Ok(())
    };
    first.run(&mut result, &mut each);
    if matches!(result.outcome, Outcome::Stopped(_))
        && let Some((prefix, wider)) = known
    {
        result.outcome = Outcome::Prefix(prefix);
        result.wider = wider;
        result.statistics.scouted = true;
    } else if result.outcome == Outcome::Stopped(Reason::Memory) && stop::requested().is_none() {
        let second = Task {
            search: Search::Dfs,
            limits: limits(false),
            ..first
        };
        second.run(&mut result, &mut |_| Ok(()));
        result.statistics.scouted = matches!(result.outcome, Outcome::Prefix(_));
    }
    result.statistics.elapsed = begin.elapsed();
    result
}

/// One search.
#[derive(Clone, Copy)]
struct Task<'a, 's, S> {
    system: &'s S,
    property: &'a FiniteProperty,
    deadlock: Deadlock,
    search: Search,
    order: Order,
    limits: Limits<'a>,
}

impl<S: System> Task<'_, '_, S> {
    /// Runs it; `each` is asked before each expansion of a breadth-first search.
    fn run(&self, result: &mut Check<'_, S>, each: &mut dyn FnMut(u64) -> Result<(), Stop>) {
        let stutter = self.deadlock == Deadlock::Stutter;
        let product = FiniteProduct::new(self.system, self.property, stutter);
        let observer = nothing();
        let shape = Shape {
            // The product repeats deadlocks itself.
            deadlock: Deadlock::Drop,
            order: self.order,
            ..Shape::default()
        };
        let mut space = match Searched::new(&product, &observer, shape, self.limits) {
            Ok(Some(space)) => space,
            Ok(None) => unreachable!("one acceptance set"),
            Err(Stop(reason)) => {
                result.outcome = Outcome::Stopped(reason);
                return;
            }
        };
        let mut counters = Counters::default();
        // A panic in a user's own system must not take the program with it.
        let found = catch_unwind(AssertUnwindSafe(|| -> Result<_, Stop> {
            let life = (!stutter).then(|| Life::new(&space.budget()));
            let found = match self.search {
                Search::Bfs => breadth_first::search(&mut space, life, &mut counters, each)?,
                Search::Dfs => depth_first::search(&mut space, life, &mut counters)?,
                Search::BestFirst => best_first::search(&mut space, life, &mut counters)?,
            };
            match found {
                Some(path) => {
                    space.accepted();
                    moments(&mut space, &path).map(Some)
                }
                None => Ok(None),
            }
        }));
        result.outcome = match found {
            Err(panic) => Outcome::Stopped(panicked(&*panic)),
            Ok(Err(Stop(reason))) => Outcome::Stopped(reason),
            Ok(Ok(Some(prefix))) => Outcome::Prefix(prefix),
            Ok(Ok(None)) => match space.failure() {
                Some((state, failure)) => {
                    let (model, _) = space.system().split(&space.parts(*state).model);
                    Outcome::Failed(model, failure.clone())
                }
                None => Outcome::Empty,
            },
        };
        result.statistics = Statistics {
            counters,
            stored: space.stored(),
            sets: space.sets(),
            bytes: space.peak_bytes(),
            widenings: space.widenings(),
            elapsed: space.elapsed(),
            ..Statistics::default()
        };
        result.wider = space.into_wider().and_then(FiniteProduct::into_wider);
    }
}

/// An automaton with one state that observes nothing: the product has observed already.
fn nothing() -> Property {
    let all = Automaton::universal(Vec::new());
    Property::new(&mut Bdds::new(), &all, &[]).expect("it has no labels")
}

/// What the system does along a path.
fn moments<S: System>(space: &mut Searched<'_, S>, path: &Path) -> Result<BadPrefix, Stop> {
    let (once, for_ever) = match &path.goes_on {
        Some(run) => (run.prefix.as_slice(), run.cycle.as_slice()),
        None => Default::default(),
    };
    // First all the steps: they may widen the layout.
    let mut actions = |steps: &[RunStep<u32>]| -> Result<Vec<(u32, Option<u32>)>, Stop> {
        let each = steps.iter().map(|step| {
            let action = space.model_step(step)?.map(|s| s.action);
            Ok((step.state, action))
        });
        each.collect()
    };
    let (mut steps, once, for_ever) = (actions(&path.steps)?, actions(once)?, actions(for_ever)?);
    steps.push((path.last, None));
    let moments = |steps: Vec<(u32, Option<u32>)>| -> Vec<Moment> {
        let each = steps.into_iter().map(|(state, action)| {
            let (model, property) = space.system().split(&space.parts(state).model);
            Moment {
                state: model,
                property,
                action,
            }
        });
        each.collect()
    };
    Ok(BadPrefix {
        path: moments(steps),
        goes_on: path.goes_on.is_some().then(|| Counterexample {
            prefix: moments(once),
            cycle: moments(for_ever),
        }),
    })
}

/// Is a bad prefix reachable? By many workers; if not, the result says the rest.
fn reachable<S: System>(
    system: &S,
    property: &FiniteProperty,
    options: &FiniteOptions<'_>,
    result: &mut Check<'_, S>,
) -> bool {
    let stutter = options.deadlock == Deadlock::Stutter;
    let product = FiniteProduct::new(system, property, stutter);
    // An initial state is told by no step.
    let mut at_once = false;
    product.initial(&mut product.context(), &mut |state| {
        at_once |= product.distance(state) == 0;
    });
    if at_once {
        return true;
    }
    let limits = &options.limits;
    let explored = explore(
        &product,
        &explore::Options {
            workers: options.workers,
            until: Some(Goal::Mark),
            memory: limits.memory,
            time: limits.time,
            states: limits.states,
            interrupt: limits.interrupt,
            progress: limits.progress,
            ..explore::Options::default()
        },
    );
    let counted = explored.statistics;
    result.statistics = Statistics {
        counters: Counters {
            states: counted.expanded,
            transitions: counted.transitions,
            ..Counters::default()
        },
        stored: counted.states,
        sets: 1,
        bytes: counted.bytes,
        widenings: counted.widenings,
        ..Statistics::default()
    };
    result.outcome = match &explored.outcome {
        explore::Outcome::Found => return true,
        explore::Outcome::Complete => match &explored.failure {
            Some((state, failure)) => {
                let mut words = vec![0; explored.store().width()];
                explored.store().read(*state, &mut words);
                Outcome::Failed(explored.system().split(&words).0, failure.clone())
            }
            None => Outcome::Empty,
        },
        explore::Outcome::Stopped(reason) => Outcome::Stopped(reason.clone()),
    };
    result.wider = explored.into_wider().and_then(FiniteProduct::into_wider);
    false
}
