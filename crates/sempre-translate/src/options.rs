//! What is wanted of a translation: the kind of automaton, and the effort.

/// How much work to put into a small result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// The construction and the removal of what is useless.
    Low,
    /// Rewriting and direct simulation too.
    Medium,
    /// Everything.
    High,
}

/// What kind of automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Generalised Büchi acceptance on edges.
    Tgba,
    /// Büchi acceptance on states.
    Ba,
    /// Generalised Rabin acceptance on edges.
    Tgra,
    /// Any acceptance on edges.
    Tela,
    /// A disjunction of generalised Büchi conditions on edges.
    FinLess,
    /// Deterministic, with parity acceptance on edges.
    Parity,
}

impl Kind {
    /// Is it made by the constructions of [`emerson_lei`](mod@crate::emerson_lei)?
    pub(crate) fn is_emerson_lei(self) -> bool {
        !matches!(self, Kind::Tgba | Kind::Ba)
    }
}

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What kind of automaton.
    pub kind: Kind,
    /// How much work to put into a small result.
    pub effort: Effort,
    /// Prefer a deterministic automaton to a small one.
    pub deterministic: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            kind: Kind::Tgba,
            effort: Effort::High,
            deterministic: false,
        }
    }
}
