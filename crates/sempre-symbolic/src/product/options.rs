//! Options of a product: which runs count, and how reachability is computed.

/// The treatment of finite runs, which end in a deadlock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlock {
    /// They repeat their last state forever.
    #[default]
    Stutter,
    /// They do not count.
    Drop,
}

/// How reachability in a product is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reachability {
    /// By saturation under the automaton's self-loops, if it reads valuations; else by saturation.
    #[default]
    SelfLoops,
    /// By saturation of the product.
    Saturation,
    /// By chaining.
    Chaining,
}

/// Options of a product.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProductOptions {
    /// The treatment of finite runs.
    pub deadlock: Deadlock,
    /// Weak fairness: only runs count in which each process that is enabled forever from some point on takes infinitely
    /// many steps.
    pub fair: bool,
    /// How reachability is computed.
    pub reachability: Reachability,
}
