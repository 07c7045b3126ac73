//! Symbolic engines: sets of states as decision diagrams.
//!
//! This crate knows no language, no LTL, no explicit store and no printing.
//!
//! Each folder uses those above it and none below it:
//!
//! | folder | holds |
//! | --- | --- |
//! | `dd` | list decision diagrams; knows no model |
//! | `relation` | programs as relations |
//! | [`reach`] | reachable states of a program |
//! | [`product`] | products with a property automaton |
//! | [`search`] | emptiness checks and accepting runs |

mod dd;
mod deep_stack;
pub mod product;
pub mod reach;
mod relation;
pub mod search;
mod thread_clock;
mod turns;

pub use dd::control::Limits;
pub use dd::forest::Forest;
pub use dd::natural::Natural;
pub use dd::node::{Node, Root};
pub use dd::shape::{COPY, Mode, Shape};
pub use relation::faults::Fault;
pub use relation::model::Model;
pub use sempre_base::Stop;
