//! The common ground of formulas and automata: source text with diagnostics ([`source`]), lasso words ([`lasso`]),
//! reproducible randomness ([`random`]) and cancellation of work ([`stop`]).
//!
//! This crate depends on neither LTL nor automata nor models.

pub mod lasso;
pub mod random;
pub mod source;
pub mod stop;

pub use lasso::Lasso;
pub use random::Random;
pub use source::{Diagnostic, Severity, Source, Span, nearest};
pub use stop::{Cancel, Stop, cancellable, checkpoint};
