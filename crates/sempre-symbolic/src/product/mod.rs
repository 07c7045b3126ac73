//! Products of a model and a property automaton.

pub(crate) mod automaton;
pub(crate) mod fairness;
pub(crate) mod graph;
pub(crate) mod on_the_fly;
pub(crate) mod self_loops;
pub(crate) mod symbolic_product;

pub use automaton::Observer;
pub use symbolic_product::{Deadlock, Reachability};
