//! A case: what every way is asked.

use crate::check::{Fairness, Property};
use sempre_explicit::product::Deadlock;
use sempre_model::Program;

/// What is to be checked.
#[derive(Clone)]
pub struct Case {
    /// What it is called.
    pub name: String,
    /// The model.
    pub program: Program,
    /// The property.
    pub property: Property,
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// Which runs count.
    pub fairness: Fairness,
}
