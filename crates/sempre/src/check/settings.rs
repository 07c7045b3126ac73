//! What is asked of a check besides the property: which runs count, by which means it is done, within which limits.

use super::reachability::Method;
use super::strategy::AutomatonKind;
use super::symbolic::SymbolicSettings;
use sempre_explicit::emptiness::{Algorithm, Pairs};
use sempre_explicit::finite::Search;
use sempre_explicit::product::{Deadlock, Limits, Order};
use std::time::Duration;

/// Enough for the explicit engine to be done with a model of some hundred thousand states; nothing to one that takes minutes.
const HEAD_START: Duration = Duration::from_millis(200);

/// A violation that is near the initial states is found before; and it takes milliseconds.
const FIRST_PAUSE: u64 = 1 << 12;

/// Which engine searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// One state after another.
    #[default]
    Explicit,
    /// Sets of states, as decision diagrams.
    Symbolic,
    /// Both, each with half of the memory; the first answer is taken (see [`super::portfolio`]).
    Auto,
}

impl Engine {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Explicit => "explicit",
            Engine::Symbolic => "symbolic",
            Engine::Auto => "auto",
        }
    }
}

/// Which runs count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those in which a process that is enabled for ever from some point on moves again and again.
    Weak,
    /// The same for each action of the model, as if it were a process of its own.
    WeakTransitions,
}

/// When other searches join the first one.
#[derive(Clone, Copy, Debug)]
pub struct Thresholds {
    /// How long the explicit engine works before the symbolic one begins, if both are asked; at most a quarter of the time.
    pub head_start: Duration,
    /// An exploration for several properties first pauses for searches on the fly when so many states are expanded.
    pub first_pause: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            head_start: HEAD_START,
            first_pause: FIRST_PAUSE,
        }
    }
}

/// How to check.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The automaton of the violations; `None` leaves the choice to us.
    pub automaton: Option<AutomatonKind>,
    /// A deterministic automaton is preferred to a small one.
    pub deterministic: bool,
    /// The emptiness check, of the explicit engine; `None` leaves the choice to us.
    pub algorithm: Option<Algorithm>,
    /// The search for a bad prefix, of a safety property; `None` leaves the choice to us.
    pub search: Option<Search>,
    /// The method for reachability in nets; `None` leaves the choice to us.
    pub method: Option<Method>,
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// Work more for a shorter run, also after a check that was asked for by its name.
    pub shorten: bool,
    /// In which order successors are followed.
    pub order: Order,
    /// Number of threads that search, of the explicit engine.
    pub workers: usize,
    /// How several Rabin pairs are checked.
    pub pairs: Pairs,
    /// Compile the model, if that is possible on this machine.
    pub compile: bool,
    /// Which engine searches.
    pub engine: Engine,
    /// When other searches join.
    pub thresholds: Thresholds,
    /// What only the symbolic engine wants to know.
    pub symbolic: SymbolicSettings<'a>,
    /// Limits. The time is for the translation of the property, too.
    pub limits: Limits<'a>,
}

impl Settings<'_> {
    /// Is the formula taken as it is written? Who names an automaton or a check gets that: a comparison is of what it says.
    pub fn as_written(&self) -> bool {
        self.automaton.is_some()
            || self.algorithm.is_some()
            || self.search.is_some()
            || self.method.is_some()
    }
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            automaton: None,
            deterministic: false,
            algorithm: None,
            search: None,
            method: None,
            deadlock: Deadlock::Stutter,
            shorten: false,
            order: Order::System,
            workers: 1,
            pairs: Pairs::OneByOne,
            compile: true,
            engine: Engine::Explicit,
            thresholds: Thresholds::default(),
            symbolic: SymbolicSettings::default(),
            limits: Limits::default(),
        }
    }
}
