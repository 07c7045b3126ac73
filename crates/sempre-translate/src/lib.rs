//! LTL to ω-automata, one module per construction.
//!
//! This crate uses neither models nor threads.

pub mod after;
mod buchi;
pub mod composition;
pub mod containment;
pub mod couvreur;
pub(crate) mod delta2;
pub mod emerson_lei;
pub mod equivalence;
pub mod finite_reading;
pub(crate) mod gf_guarantee;
pub mod hierarchy;
pub mod informative_prefixes;
pub mod language;
pub(crate) mod master_theorem;
mod options;
mod reduction;
pub mod redundancy;
#[cfg(test)]
mod reference;
pub mod safety_kind;
pub mod stutter;
pub mod testing;
mod too_large;
pub mod translator;
