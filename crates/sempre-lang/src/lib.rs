//! Input languages, one module each, all lowering into the program IR of `sempre-model`.
//!
//! This crate knows no engine.

pub mod condition;
pub mod etf;
mod membership;
pub mod petri_net;
pub mod pnml;

#[cfg(test)]
mod naive;
