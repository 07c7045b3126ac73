//! The options of a translation: the kind of automaton, and the effort.

/// The effort to make the result small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// The construction and the removal of useless states.
    Low,
    /// Also rewriting and direct simulation.
    Medium,
    /// Everything.
    High,
}

/// The kind of an automaton.
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

/// The options of a translation.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The kind of the automaton.
    pub kind: Kind,
    /// The effort to make the result small.
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
