//! What formulas and automata both speak of, and nothing more: source text with diagnostics that
//! point at it ([`source`]), lasso words ([`lasso`]) and reproducible randomness ([`random`]).
//!
//! This crate knows neither LTL nor automata nor models.

pub mod lasso;
pub mod random;
pub mod source;

pub use lasso::Lasso;
pub use random::Random;
pub use source::{Diagnostic, Severity, Source, Span, nearest};
