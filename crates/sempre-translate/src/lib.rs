//! LTL to ω-automata, one module per construction.
//!
//! This crate knows neither models nor threads.

pub mod containment;
pub mod couvreur;
pub mod equivalence;
pub mod gf_guarantee;
pub mod hierarchy;
pub mod informative_prefixes;
pub mod language;
#[cfg(test)]
mod reference;
pub mod safety_kind;
pub mod stutter;
pub mod testing;
pub mod translator;
