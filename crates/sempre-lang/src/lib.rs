//! Input languages, one module each, all lowering into the program IR of `sempre-model`.
//!
//! This crate knows no engine. Of automata it knows the HOA reader alone, for Kripke structures written in HOA.

pub mod condition;
pub mod dve;
pub mod etf;
pub mod graph;
mod membership;
pub mod model;
pub mod petri_net;
pub mod place;
pub mod pnml;
pub mod promela;
pub mod random_graph;
mod report;
mod source_lines;

#[cfg(test)]
mod naive;
