//! One exploration of a system for many properties.
//!
//! Checks of several properties of one system make its states again for each of them. Here they are made once:
//!
//! | file | holds |
//! | --- | --- |
//! | [`exploration`] | a breadth-first exploration that decides conditions on states, and keeps the graph |
//! | [`graph`] | the kept graph |
//! | `elimination` | is the product of the graph and an automaton empty? |
//! | [`selected`] | a system with some of its propositions, for a search on the fly beside the exploration |

mod elimination;
pub mod exploration;
pub mod graph;
pub mod selected;

pub use exploration::{Condition, Decided, SharedExploration, SharedOptions, Status};
pub use graph::Graph;
pub use selected::Selected;
