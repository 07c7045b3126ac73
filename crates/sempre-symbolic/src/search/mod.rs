//! Emptiness checks and searches for accepting runs.

pub(crate) mod accepting_run;
pub(crate) mod bounded;
pub(crate) mod check;
pub(crate) mod directed;
pub(crate) mod explicit_lasso;
pub(crate) mod explored_part;
pub(crate) mod options;
pub(crate) mod outcome;
pub(crate) mod owcty;
pub(crate) mod partial_traversal;
pub(crate) mod prepared;
pub(crate) mod search_context;
pub(crate) mod underapproximation;
pub(crate) mod violation;

pub use check::check;
pub use options::{Algorithm, Options};
pub use outcome::{Outcome, RunStep, Statistics};
pub use prepared::{Prepared, prepare};
