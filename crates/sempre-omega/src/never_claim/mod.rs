//! Never claims: Büchi automata as SPIN's Promela (Holzmann, The SPIN Model Checker, 2003, chapter 4).
//!
//! * [`reader`]: what SPIN (to version 6.5), ltl2ba and ltl3ba print, and claims written by hand in that
//!   manner.
//! * [`writer`]: Büchi automata whose acceptance is on states.

mod lexer;
pub mod reader;
pub mod writer;

pub use reader::read_never_claims;
pub use writer::{NeverClaimError, write_never_claim};
