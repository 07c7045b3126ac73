//! The output of the readers: a formula in postfix, with propositions by their text.

use crate::op::Op;
use sempre_base::{Diagnostic, Span};

/// The deepest formula that is read.
pub const MAX_DEPTH: u32 = 4000;

/// The most errors that are reported.
pub(super) const MAX_ERRORS: usize = 20;

/// How to read.
#[derive(Clone, Copy, Default)]
pub struct ParseOptions<'a> {
    /// Keep the formula exactly as written (`F 0` stays `F 0`); otherwise the trivial identities of
    /// the arena's constructors are applied.
    pub exact: bool,
    /// The names that a model declares; they take precedence over operators and are never split.
    pub known: Option<&'a dyn Fn(&str) -> bool>,
}

/// A formula in postfix, as the readers produce it.
#[derive(Default)]
pub(super) struct Program {
    pub(super) items: Vec<Item>,
    pub(super) propositions: Vec<(String, Span)>,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
}

pub(super) enum Item {
    Constant(bool),
    /// An index into the program's propositions.
    Proposition(u32),
    /// An operator and how many operands it takes.
    Apply(Op, u32, Span),
}
