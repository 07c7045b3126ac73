//! How to check: the algorithms, and their options.

use crate::dd::control::Limits;
use crate::product::options::{Deadlock, Reachability};
use crate::reach::progress::Progress;
use crate::reach::states::Strategy;

/// A road to an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// All in turns; whoever has an answer first is heard.
    #[default]
    Turns,
    /// All states of the model first.
    Owcty,
    /// Level by level from the initial states, on the fly.
    Bounded,
    /// Depth first, a few states at a time, on the fly.
    Partial,
    /// Depth first, by single states, towards what the automaton waits for.
    Directed,
}

impl Algorithm {
    /// Those that can be asked for, and their names.
    pub const ALL: [(Algorithm, &'static str); 4] = [
        (Algorithm::Owcty, "owcty"),
        (Algorithm::Bounded, "bounded"),
        (Algorithm::Partial, "first_limit"),
        (Algorithm::Directed, "search"),
    ];
}

/// How to check.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// Only runs that are weakly fair to each process count.
    pub fair: bool,
    /// How the model's states are found; a saturation that gets long is helped.
    pub strategy: Strategy,
    /// How reachability in the product is computed.
    pub reachability: Reachability,
    /// Which road to take.
    pub algorithm: Algorithm,
    /// Nodes after which the first dives and climbs are given up, if not as many as usual.
    pub first_limit: Option<u64>,
    /// Nodes after which a run is looked for with fewer events, if not as many as usual.
    pub run_budget: Option<u64>,
    /// Count the steps that change no proposition, if the automaton reads changes.
    pub count_stuttering: bool,
    /// When to give up.
    pub limits: Limits,
    /// Told now and then.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}
