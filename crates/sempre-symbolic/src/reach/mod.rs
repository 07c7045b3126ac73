//! Reachability: the set of all reachable states of a program.

pub(crate) mod breadth_first;
pub(crate) mod fixed_events;
pub(crate) mod interleaved_bfs;
pub(crate) mod saturation;
pub(crate) mod states;

pub use saturation::Firing;
pub use states::{Exploration, Options, Progress, Strategy, explore, on_a_deep_stack, reachable};
