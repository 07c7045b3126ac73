//! Which runs a product has, and how it is searched.

/// What becomes of runs that end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlock {
    /// They repeat their last state for ever.
    #[default]
    Stutter,
    /// They do not count.
    Drop,
}

/// How reachability in a product is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reachability {
    /// By saturation under the self-loops of the automaton, if it reads valuations; else by saturation.
    #[default]
    SelfLoops,
    /// By saturation of the product.
    Saturation,
    /// By chaining.
    Chaining,
}

/// Of which runs a product is made, and how it is searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProductOptions {
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// A run counts only if each process that is enabled for ever from some point on moves again and again.
    pub fair: bool,
    /// How reachability is computed.
    pub reachability: Reachability,
}
