//! Emptiness checks and searches for accepting runs.

pub(crate) mod accepting_run;
pub(crate) mod bounded;
pub(crate) mod check;
pub(crate) mod directed;
pub(crate) mod explicit_lasso;
pub(crate) mod owcty;
pub(crate) mod partial_traversal;
pub(crate) mod search_context;
pub(crate) mod underapproximation;
pub(crate) mod violation;

pub use check::{Moment, Options, Outcome, Prepared, Road, Statistics, check, prepare};
