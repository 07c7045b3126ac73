//! The algorithms of a check, and its options.

use crate::dd::control::Limits;
use crate::product::options::{Deadlock, Reachability};
use crate::reach::progress::Progress;
use crate::reach::states::Strategy;

/// An algorithm of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// All algorithms in turns; the first answer ends the others.
    #[default]
    Turns,
    /// All states of the model first, then One Way Catch Them Young on the product.
    Owcty,
    /// Bounded search: breadth-first from the initial states, on the fly.
    Bounded,
    /// Partial traversal: depth-first, a few states at a time, on the fly.
    Partial,
    /// Directed search: depth-first, by single states, with restarts.
    Directed,
}

impl Algorithm {
    /// The algorithms that can be chosen, and their names.
    pub const ALL: [(Algorithm, &'static str); 4] = [
        (Algorithm::Owcty, "owcty"),
        (Algorithm::Bounded, "bounded"),
        (Algorithm::Partial, "partial"),
        (Algorithm::Directed, "directed"),
    ];
}

/// Options of a check.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The treatment of finite runs.
    pub deadlock: Deadlock,
    /// Whether only runs count that are weakly fair to each process.
    pub fair: bool,
    /// The strategy for the model's states; a long saturation interleaves with breadth-first search.
    pub strategy: Strategy,
    /// How reachability in the product is computed.
    pub reachability: Reachability,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The node limit of the first random partial traversal and of the first directed search, if not the default.
    pub first_limit: Option<u64>,
    /// The node budget for a run, before an underapproximation is tried, if not the default.
    pub run_budget: Option<u64>,
    /// Whether to count the steps that change no proposition (testing automata only).
    pub count_stuttering: bool,
    /// Limits of memory and time.
    pub limits: Limits,
    /// Called with progress reports.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}
