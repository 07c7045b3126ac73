//! Explicit-state engines.
//!
//! This crate knows no language, no LTL and no printing.
//!
//! | file | holds |
//! | --- | --- |
//! | [`mod@explore`] | exploration of all states of a system, by any number of workers |
//! | [`trace`] | paths from an initial state |
//! | `frontier` | the states that wait for expansion, shared by workers |
//! | `worker` | one thread of an exploration |
//! | `control` | limits and counters that workers share |
//! | `widening` | going on after a value has left its bits |

mod control;
pub mod explore;
mod frontier;
pub mod trace;
mod widening;
mod worker;

pub use explore::{
    Exploration, Goal, Options, Order, Outcome, Progress, Reason, Statistics, explore,
};
pub use trace::Trace;
