//! Products of a model and a property automaton.

pub(crate) mod automaton;
pub(crate) mod builder;
pub(crate) mod fairness;
pub(crate) mod faster_first;
pub(crate) mod graph;
pub(crate) mod on_the_fly;
pub(crate) mod options;
pub(crate) mod relations;
pub(crate) mod self_loops;
pub(crate) mod symbolic_product;

pub use automaton::Automaton;
pub use options::{Deadlock, Reachability};
