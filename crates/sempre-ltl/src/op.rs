//! Handles of formulas and their operators, which the arena and the syntactic facts share.

/// A formula of some [`Formulas`](crate::Formulas).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(pub(crate) u32);

impl Formula {
    /// The constant true, the same in every arena.
    pub const TRUE: Formula = Formula(0);
    /// The constant false, the same in every arena.
    pub const FALSE: Formula = Formula(1);

    /// A dense number, for arrays indexed by formulas.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// True for the two constants.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// The operator at the root of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// The constant true; no operand.
    True,
    /// The constant false; no operand.
    False,
    /// An atomic proposition; no operand.
    Proposition,
    /// `! f`
    Not,
    /// `X f`: in the next position.
    Next,
    /// `F f`: now or later.
    Finally,
    /// `G f`: now and always.
    Globally,
    /// `f & g & …`, two or more operands.
    And,
    /// `f | g | …`, two or more operands.
    Or,
    /// `f -> g`
    Implies,
    /// `f <-> g`
    Equiv,
    /// `f xor g`
    Xor,
    /// `f U g`: `g` happens, and `f` holds until then.
    Until,
    /// `f R g`: `g` holds up to and including the moment `f` happens, which may be never.
    Release,
    /// `f W g`: as `U`, but `g` need not happen if `f` holds for ever.
    WeakUntil,
    /// `f M g`: as `R`, but `f` must happen.
    StrongRelease,
}

impl Op {
    /// The operator `d` with `!op(f, …) = d(!f, …)`. Propositions, `!`, `->`, `<->` and `xor` have none and are
    /// returned unchanged; `X` is its own dual.
    pub fn dual(self) -> Op {
        match self {
            Op::True => Op::False,
            Op::False => Op::True,
            Op::And => Op::Or,
            Op::Or => Op::And,
            Op::Finally => Op::Globally,
            Op::Globally => Op::Finally,
            Op::Until => Op::Release,
            Op::Release => Op::Until,
            Op::WeakUntil => Op::StrongRelease,
            Op::StrongRelease => Op::WeakUntil,
            other => other,
        }
    }

    /// True for `U R W M`.
    pub fn is_binary_temporal(self) -> bool {
        matches!(
            self,
            Op::Until | Op::Release | Op::WeakUntil | Op::StrongRelease
        )
    }
}
