//! Explicit-state engines.
//!
//! This crate knows no language, no LTL and no printing.
//!
//! | file | holds |
//! | --- | --- |
//! | [`mod@explore`] | exploration of all states of a system, by any number of workers |
//! | [`property`] | a property automaton as a table from valuations to edges |
//! | [`testing_property`] | a testing automaton as a table from changes to edges |
//! | [`mod@product`] | the product of a system and a property, made on the fly |
//! | [`mod@check`] | a check from end to end: product, emptiness check, run of the model |
//! | [`emptiness`] | the emptiness checks, one file each |
//! | [`finite`] | safety by finite automata: searches for bad prefixes |
//! | [`shared`] | one exploration for many properties |
//! | [`scout`] | a bounded breadth-first search beside a check, for runs that are near |
//! | [`walk`] | random walks to a state in which a proposition has a certain value |
//! | [`space`] | what emptiness checks know of a product |
//! | [`explicit_space`] | a space whose edges are all there |
//! | [`marks`] | sets of acceptance marks of a fixed width |
//! | [`per_state`] | what one thread knows of each state |
//! | [`trace`] | paths from an initial state |
//! | `frontier` | the states that wait for expansion, shared by workers |
//! | `together` | a check by several workers from end to end |
//! | `worker` | one thread of an exploration |
//! | `control` | limits and counters that workers share |
//! | `widening` | going on after a value has left its bits |

mod ball;
pub mod check;
mod control;
pub mod emptiness;
pub mod explicit_space;
pub mod explore;
pub mod finite;
mod frontier;
pub mod marks;
pub mod per_state;
pub mod product;
pub mod property;
pub mod scout;
pub mod shared;
pub mod space;
pub mod testing_property;
mod together;
pub mod trace;
pub mod walk;
mod widening;
mod worker;

pub use explore::{
    Exploration, Goal, Options, Order, Outcome, Progress, Reason, Statistics, explore,
};
pub use trace::Trace;
