//! What a product is to be like.

use super::Order;

/// What becomes of a run that ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlock {
    /// It goes on in its last state for ever.
    #[default]
    Stutter,
    /// It is not a run.
    Drop,
}

/// What the product is to be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// See [`Deadlock`].
    pub deadlock: Deadlock,
    /// Only runs that are weakly fair to every process count.
    pub fair: bool,
    /// One acceptance set instead of several.
    pub degeneralized: bool,
    /// In which order successors are told.
    pub order: Order,
}
