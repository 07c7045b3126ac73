//! ω-automata with any Inf/Fin acceptance on their edges: formats, operations, reductions.
//!
//! This crate knows neither LTL nor models.

pub mod acceptance;
pub mod automaton;
pub mod bdd;
pub mod emptiness;
pub mod mark;
pub mod scc;

pub use acceptance::Acceptance;
pub use automaton::{Alphabet, Automaton, Edge};
pub use bdd::{Bdd, Bdds, Literal};
pub use mark::Mark;
pub use scc::Sccs;
