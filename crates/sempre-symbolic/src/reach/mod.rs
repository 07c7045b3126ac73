//! Reachability: the set of all reachable states of a program.

pub(crate) mod breadth_first;
pub(crate) mod explore;
pub(crate) mod fixed_events;
pub(crate) mod interleaved_bfs;
pub(crate) mod progress;
pub(crate) mod saturation;
pub(crate) mod states;
#[cfg(test)]
mod tests;

pub use explore::{Exploration, explore};
pub use progress::Progress;
pub use saturation::Firing;
pub use states::{Options, Strategy};
