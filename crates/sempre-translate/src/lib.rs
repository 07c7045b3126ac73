//! LTL to ω-automata, one module per construction.
//!
//! This crate knows neither models nor threads.

pub mod couvreur;
pub mod translator;
mod nnf_tmp;
