//! Never claims: Büchi automata as SPIN's Promela (Holzmann, The SPIN Model Checker, 2003, chapter 4).
//!
//! * [`reader`]: the output of SPIN (up to version 6.5), ltl2ba and ltl3ba, and similar claims written by hand.
//! * [`writer`]: Büchi automata whose acceptance is on states.

mod lexer;
pub mod reader;
pub mod writer;

pub use reader::read_never_claims;
pub use writer::{NeverClaimError, write_never_claim};
