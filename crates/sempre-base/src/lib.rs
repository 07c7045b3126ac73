//! What formulas and automata both speak of, and nothing more: source text with diagnostics that
//! point at it ([`source`]), lasso words ([`lasso`]), reproducible randomness ([`random`]) and how work is stopped ([`stop`]).
//!
//! This crate knows neither LTL nor automata nor models.

pub mod lasso;
pub mod random;
pub mod source;
pub mod stop;

pub use lasso::Lasso;
pub use random::Random;
pub use source::{Diagnostic, Severity, Source, Span, nearest};
pub use stop::{Cancel, Stop, cancellable, checkpoint};
