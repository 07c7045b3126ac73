//! Symbolic engines: sets of states as decision diagrams.
//!
//! This crate knows no language, no LTL, no explicit store and no printing.
//!
//! | file | holds |
//! | --- | --- |
//! | [`forest`] | the diagrams: nodes, unique table, what is protected |
//! | [`cache`] | results of operations |
//! | [`collect`] | garbage collection, growth, limits |
//! | [`sets`] | union, intersection, difference |
//! | [`shape`] | which levels a relation reads and writes |
//! | [`project`] | projection onto some levels |
//! | [`image`] | successors by a relation |
//! | [`preimage`] | predecessors by a relation |
//! | [`join`] | the conjunction of two relations |
//! | [`vectors`] | single vectors in and out |
//! | [`count`] | number of vectors, of steps, of nodes |
//! | [`natural`] | natural numbers without a limit |

pub mod cache;
pub mod collect;
pub mod count;
pub mod forest;
pub mod image;
pub mod join;
pub mod natural;
pub mod preimage;
pub mod project;
pub mod sets;
pub mod shape;
pub mod vectors;

pub use collect::{Limits, Stop};
pub use forest::{Forest, Kept, Node};
pub use natural::Natural;
pub use shape::{Mode, Shape};
