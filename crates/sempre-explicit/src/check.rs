//! A check from end to end: the product of a system and the automaton of a property's *violation*, an emptiness
//! check, and, if there is an accepting run, what the system does in it.

use crate::emptiness::{Algorithm, Pairs, nearby_run};
use crate::explore::{Reason, panicked};
use crate::marks::Marks;
use crate::product::{Deadlock, Limits, Observer, Order, Product, ProductState, Shape};
use crate::scout::Scout;
use crate::space::{Counters, Run, RunStep, Space, Stop, Wanted};
use crate::together;
use sempre_model::system::{Failure, System};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How to check.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// The emptiness check.
    pub algorithm: Algorithm,
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// Only runs that are weakly fair to every process count.
    pub fair: bool,
    /// For a shorter run, look at up to so many states near the initial ones ([`nearby_run`]); 0: the run as it was found.
    pub shorten: usize,
    /// Send scouts out from time to time ([`crate::scout`]), for the first time when so many states were expanded.
    pub scouts: Option<u64>,
    /// In which order successors are followed.
    pub order: Order,
    /// Number of threads; 0 counts as 1.
    pub workers: usize,
    /// How several Rabin pairs are checked.
    pub pairs: Pairs,
    /// Limits.
    pub limits: Limits<'a>,
}

/// A state of the system, and what leads from it to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The state, packed as [`Check::system`] packs it.
    pub state: Vec<u64>,
    /// The state of the automaton.
    pub property: u32,
    /// The action; `None` for stuttering in a deadlock.
    pub action: Option<u32>,
}

/// A run of the system that violates the property. The last moment of the cycle leads back to its first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// What happens once.
    pub prefix: Vec<Moment>,
    /// What happens for ever; not empty.
    pub cycle: Vec<Moment>,
}

/// A path of the system after which the property is lost, whatever comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPrefix {
    /// The path; nothing is said of the action of its last moment.
    pub path: Vec<Moment>,
    /// Where runs that end do not count: how the system can go on for ever from the last state, which is the first here.
    pub goes_on: Option<Counterexample>,
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The product is empty, and all of it was looked at: no run of the system violates the property.
    Empty,
    /// A run that violates it.
    Violated(Counterexample),
    /// A path all of whose continuations violate it.
    Prefix(BadPrefix),
    /// The search ended before its time.
    Stopped(Reason),
    /// The system does something erroneous, so that the product was not complete: an action without a
    /// result, a proposition without a value, a failed assertion. The state comes with it.
    Failed(Vec<u64>, Failure),
    /// The product has more acceptance sets than any search is made for.
    TooManySets(usize),
    /// The emptiness check that was asked for is not made for such a product. Nothing was searched.
    Inapplicable(Inapplicable),
}

/// Why an emptiness check is not made for a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inapplicable {
    /// The automaton is not weak: a component has accepting cycles and, so far as the marks tell, others.
    Mixed,
    /// There are acceptance sets for fairness.
    Fairness,
    /// The model's own edges have acceptance sets.
    ModelMarks,
    /// The automaton is a testing automaton with livelock acceptance, which only the check in two passes decides.
    Livelock,
    /// The check is made for testing automata with livelock acceptance, and this is none.
    NoLivelock,
    /// The check is made for one worker.
    Workers,
    /// The acceptance of the automaton is a choice, and the check is made for generalised Büchi acceptance.
    Choice,
    /// The acceptance of the automaton has sets to be avoided, which the check is not made for.
    Avoidance,
    /// The acceptance of the automaton has too many cases.
    Cases,
}

impl fmt::Display for Inapplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mixed => {
                "the automaton is not weak: a component has accepting cycles and edges that are not in all sets"
            }
            Self::Fairness => "fairness adds acceptance sets to the automaton's own",
            Self::ModelMarks => "the model adds acceptance sets to the automaton's own",
            Self::Livelock => {
                "a testing automaton accepts by livelock, too, which only a check in two passes can see"
            }
            Self::NoLivelock => "the check in two passes is made for testing automata",
            Self::Choice => "the acceptance of the automaton is not generalised Büchi",
            Self::Cases => "the acceptance of the automaton has too many Rabin pairs",
            Self::Avoidance => "the acceptance of the automaton has a Fin",
            Self::Workers => "its search is one depth-first search, which several workers cannot share",
        })
    }
}

/// Can the emptiness check that the options name decide the product of the system and the property?
///
/// # Errors
/// The reason why not.
pub fn applicable<'a>(
    observer: impl Into<Observer<'a>>,
    system: &impl System,
    options: &Options<'_>,
) -> Result<(), Inapplicable> {
    let algorithm = options.algorithm;
    let observer = observer.into();
    if options.workers > 1 && !algorithm.takes_workers() {
        return Err(Inapplicable::Workers);
    }
    if let Observer::Property(property) = observer
        && !property.is_generalized_buchi()
    {
        if !algorithm.takes_choice() {
            return Err(Inapplicable::Choice);
        }
        if property.condition().uses_fin() && !algorithm.takes_avoidance() {
            return Err(Inapplicable::Avoidance);
        }
        if property.clauses().is_none() && algorithm != Algorithm::EmersonLei {
            return Err(Inapplicable::Cases);
        }
    }
    let property = match observer {
        Observer::Testing(t) if t.has_livelock() != algorithm.needs_livelock() => {
            return Err(match t.has_livelock() {
                true => Inapplicable::Livelock,
                false => Inapplicable::NoLivelock,
            });
        }
        Observer::Testing(_) if algorithm.needs_weak() => return Err(Inapplicable::Mixed),
        Observer::Property(_) if algorithm.needs_livelock() => {
            return Err(Inapplicable::NoLivelock);
        }
        Observer::Property(property) if algorithm.needs_weak() => Some(property),
        _ => None,
    };
    let needs_all = property.is_some() || algorithm.needs_livelock();
    if property.is_some_and(|p| !p.is_weak()) {
        Err(Inapplicable::Mixed)
    } else if needs_all && options.fair && system.processes() > 0 {
        Err(Inapplicable::Fairness)
    } else if needs_all && system.marks() > 0 {
        Err(Inapplicable::ModelMarks)
    } else {
        Ok(())
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// What the emptiness check counted.
    pub counters: Counters,
    /// States of the product that were stored.
    pub stored: u64,
    /// Was the run found by the scout?
    pub scouted: bool,
    /// Of several workers: had the one that begins, by [`Algorithm::Cou99`], the answer before the others were called?
    pub alone: bool,
    /// Number of acceptance sets of the product.
    pub sets: u32,
    /// Bytes in use at the end, by states and all that is known of them.
    pub bytes: usize,
    /// How often the layout of states was widened.
    pub widenings: u32,
    /// The time it took.
    pub elapsed: Duration,
}

/// The result.
pub struct Check<'s, S> {
    pub(crate) given: &'s S,
    pub(crate) wider: Option<S>,
    /// How it ended.
    pub outcome: Outcome,
    /// What was counted.
    pub statistics: Statistics,
}

impl<'s, S> Check<'s, S> {
    /// Of a search that has not begun.
    pub(crate) fn refused(system: &'s S, outcome: Outcome) -> Self {
        Self {
            given: system,
            wider: None,
            outcome,
            statistics: Statistics::default(),
        }
    }

    /// The system that packed the states of the counterexample: the given one, or one with a wider layout.
    pub fn system(&self) -> &S {
        self.wider.as_ref().unwrap_or(self.given)
    }
}

/// Most acceptance sets of a product.
pub const MAX_SETS: u32 = <[u64; 16] as Marks>::CAPACITY;

/// Looks for a run of the system that the automaton accepts.
pub fn check<'s, 'o, S: System>(
    system: &'s S,
    property: impl Into<Observer<'o>>,
    options: &Options<'_>,
) -> Check<'s, S> {
    let property = property.into();
    let refused = |outcome| Check::refused(system, outcome);
    if let Err(reason) = applicable(property, system, options) {
        return refused(Outcome::Inapplicable(reason));
    }
    let processes = if options.fair { system.processes() } else { 0 };
    let sets = property.sets() as usize + system.marks() as usize + processes;
    if sets <= u32::CAPACITY as usize {
        search::<S, u32>(system, property, options)
    } else if sets <= MAX_SETS as usize {
        search::<S, [u64; 16]>(system, property, options)
    } else {
        refused(Outcome::TooManySets(sets))
    }
}

fn search<'s, S: System, M: Marks>(
    system: &'s S,
    property: Observer<'_>,
    options: &Options<'_>,
) -> Check<'s, S> {
    let shape = Shape {
        deadlock: options.deadlock,
        fair: options.fair,
        degeneralized: options.algorithm.needs_one_set(),
        order: options.order,
    };
    let plain = match property {
        Observer::Property(property) => property.is_generalized_buchi(),
        Observer::Testing(_) => true,
    };
    if options.workers <= 1 && plain && !options.algorithm.takes_avoidance() {
        return alone::<S, M>(system, property, shape, options);
    }
    // Several workers send out no scouts. So before they begin, one of them looks where scouts would have.
    let begin = Instant::now();
    if plain && options.scouts.is_some() {
        for most in [ALONE, DIVING] {
            let limits = Limits {
                states: Some(
                    options
                        .limits
                        .states
                        .map_or(most, |states| states.min(most)),
                ),
                time: (options.limits.time).map(|t| t.saturating_sub(begin.elapsed())),
                ..options.limits
            };
            let mut alone = alone::<S, M>(
                system,
                property,
                shape,
                &Options {
                    algorithm: Algorithm::Cou99,
                    workers: 1,
                    limits,
                    ..*options
                },
            );
            let counters = &alone.statistics.counters;
            let dives = 2 * counters.max_stack > counters.states;
            alone.statistics.alone = true;
            if alone.outcome != Outcome::Stopped(Reason::States)
                || options.limits.states.is_some_and(|states| states <= most)
            {
                return alone;
            }
            if !dives {
                break;
            }
        }
    }
    let limits = Limits {
        time: (options.limits.time).map(|t| t.saturating_sub(begin.elapsed())),
        ..options.limits
    };
    together::search::<S, M>(system, property, shape, &Options { limits, ..*options })
}

/// Several workers begin when one has seen so many states; or so many, if it dives. Scouts, who go out after 2^18 and 2^20 states, have
/// an eighth of these for themselves.
const ALONE: u64 = (1 << 18) + (1 << 16);
const DIVING: u64 = (1 << 20) + (1 << 18);

/// A check by one worker, of generalised Büchi acceptance.
fn alone<'s, S: System, M: Marks>(
    system: &'s S,
    property: Observer<'_>,
    shape: Shape,
    options: &Options<'_>,
) -> Check<'s, S> {
    let mut statistics = Statistics::default();
    let mut result = Check {
        given: system,
        wider: None,
        outcome: Outcome::Stopped(Reason::Memory),
        statistics,
    };
    let mut product = match product::<S, M>(system, property, shape, options.limits) {
        Ok(product) => product,
        Err(outcome) => {
            result.outcome = outcome;
            return result;
        }
    };
    statistics.sets = product.sets();
    let counters = &mut statistics.counters;
    let mut scouted = false;
    let mut excursion_found = None;
    let mut learned: Option<S> = None;
    // A panic in a user's own system must not take the program with it.
    let found = catch_unwind(AssertUnwindSafe(|| -> Result<_, Stop> {
        let found = match options.scouts {
            Some(first) => {
                let begin = Instant::now();
                let mut excursion = |order, states| -> Result<bool, Stop> {
                    let limits = Limits {
                        states: Some(states),
                        time: (options.limits.time).map(|t| t.saturating_sub(begin.elapsed())),
                        progress: None,
                        ..options.limits
                    };
                    let shape = Shape { order, ..shape };
                    // What one excursion learns of the ranges of values saves the next the trouble.
                    let now = learned.as_ref().unwrap_or(system);
                    let (run, wider) = excursion::<S, M>(now, property, shape, limits, options)?;
                    if wider.is_some() {
                        learned = wider;
                    }
                    excursion_found = run;
                    Ok(excursion_found.is_some())
                };
                let mut scout = Scout::new(&mut product, &mut excursion, first);
                let found = options.algorithm.run(&mut scout, counters);
                match scout.into_found() {
                    Some(run) => {
                        scouted = true;
                        Some(run)
                    }
                    None if excursion_found.is_some() => None,
                    None => found?,
                }
            }
            None => options.algorithm.run(&mut product, counters)?,
        };
        let Some(run) = found else {
            return Ok(None);
        };
        let wanted = product.wanted();
        short_counterexample(&mut product, run, wanted, options.shorten).map(Some)
    }));
    if let Some(found) = excursion_found {
        statistics.scouted = true;
        statistics.stored = product.stored();
        statistics.bytes = product.peak_bytes();
        statistics.elapsed = product.elapsed();
        result.statistics = statistics;
        result.outcome = Outcome::Violated(found);
        result.wider = learned;
        return result;
    }
    result.outcome = outcome(found, std::slice::from_ref(&product));
    statistics.scouted = scouted;
    statistics.stored = product.stored();
    statistics.bytes = product.peak_bytes();
    statistics.widenings = product.widenings();
    statistics.elapsed = product.elapsed();
    result.statistics = statistics;
    result.wider = product.into_wider();
    result
}

/// The product to search, or the outcome of a check that has none.
pub(crate) fn product<'a, S: System, M: Marks>(
    system: &'a S,
    property: Observer<'a>,
    shape: Shape,
    limits: Limits<'a>,
) -> Result<Product<'a, S, M>, Outcome> {
    match Product::new(system, property, shape, limits) {
        Ok(Some(product)) => Ok(product),
        Ok(None) => Err(Outcome::TooManySets(M::CAPACITY as usize + 1)),
        Err(Stop(reason)) => Err(Outcome::Stopped(reason)),
    }
}

/// What it means that a search of these products, one for each worker, has ended like that.
pub(crate) fn outcome<S: System, M: Marks>(
    found: std::thread::Result<Result<Option<Counterexample>, Stop>>,
    products: &[Product<'_, S, M>],
) -> Outcome {
    match found {
        Err(panic) => Outcome::Stopped(panicked(&*panic)),
        Ok(Err(Stop(reason))) => Outcome::Stopped(reason),
        Ok(Ok(Some(found))) => Outcome::Violated(found),
        // All show the same states, so whoever met a failure can tell where.
        Ok(Ok(None)) => {
            let failed = (products.iter()).find_map(|p| p.failure().map(|failure| (p, failure)));
            match failed {
                Some((product, (state, failure))) => {
                    Outcome::Failed(product.parts(*state).model, failure.clone())
                }
                None => Outcome::Empty,
            }
        }
    }
}

/// A bounded search of its own: a run, if there is one, and the wider system, if it became wider. What stops it before its end,
/// but for its own bounds, stops the whole check.
fn excursion<S: System, M: Marks>(
    system: &S,
    property: Observer<'_>,
    shape: Shape,
    limits: Limits<'_>,
    options: &Options<'_>,
) -> Result<(Option<Counterexample>, Option<S>), Stop> {
    let Some(mut product) = Product::<S, M>::new(system, property, shape, limits)? else {
        return Ok((None, None));
    };
    let counters = &mut Counters::default();
    let run = match options.algorithm.run(&mut product, counters) {
        Ok(run) => run,
        Err(Stop(Reason::States | Reason::Memory | Reason::Overflow)) => None,
        Err(stop) => return Err(stop),
    };
    let found = match run {
        Some(run) => {
            let wanted = product.wanted();
            Some(short_counterexample(
                &mut product,
                run,
                wanted,
                options.shorten,
            )?)
        }
        None => None,
    };
    Ok((found, product.into_wider()))
}

/// What the system does in a run of the product, or in a shorter one, if one is found by looking at up to `most` states. That
/// the search for it is stopped is no reason to lose the run there is.
pub(crate) fn short_counterexample<S: System, M: Marks>(
    product: &mut Product<'_, S, M>,
    run: Run<M>,
    wanted: Wanted<M>,
    most: usize,
) -> Result<Counterexample, Stop> {
    let known = counterexample(product, &run)?;
    if most == 0 {
        return Ok(known);
    }
    let widenings = product.widenings();
    let shorter = nearby_run::shorter(product, run, wanted, most)
        .and_then(|shorter| counterexample(product, &shorter));
    match shorter {
        // States that were packed before are to be read as they were packed.
        Err(Stop(reason)) if reason != Reason::Overflow && product.widenings() == widenings => {
            Ok(known)
        }
        shorter => shorter,
    }
}

/// What the system does in a run of the product.
fn counterexample<S: System, M: Marks>(
    product: &mut Product<'_, S, M>,
    run: &Run<M>,
) -> Result<Counterexample, Stop> {
    let mut moment = |step: &RunStep<M>| -> Result<Moment, Stop> {
        // First the step: it may widen the layout.
        let action = product.model_step(step)?.map(|s| s.action);
        let ProductState { model, property } = product.parts(step.state);
        Ok(Moment {
            state: model,
            property,
            action,
        })
    };
    let mut moments =
        |steps: &[RunStep<M>]| steps.iter().map(&mut moment).collect::<Result<_, _>>();
    Ok(Counterexample {
        prefix: moments(&run.prefix)?,
        cycle: moments(&run.cycle)?,
    })
}
