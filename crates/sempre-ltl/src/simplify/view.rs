//! Formulas as they are, or through the exchange of true and false, `&` and `|`, `F` and `G`, `U` and `R`, `W`
//! and `M`: so that each rule and its dual are written once.

use crate::formula::{Formula, Formulas, Op};

/// Does a rule apply as written, or to the duals?
#[derive(Clone, Copy, PartialEq)]
pub(super) enum View {
    Plain,
    Dual,
}

impl View {
    pub(super) fn op(self, op: Op) -> Op {
        match self {
            View::Plain => op,
            View::Dual => op.dual(),
        }
    }

    pub(super) fn top(self) -> Formula {
        match self {
            View::Plain => Formula::TRUE,
            View::Dual => Formula::FALSE,
        }
    }

    pub(super) fn bottom(self) -> Formula {
        match self {
            View::Plain => Formula::FALSE,
            View::Dual => Formula::TRUE,
        }
    }

    pub(super) fn is(self, a: &Formulas, f: Formula, op: Op) -> bool {
        a.op(f) == self.op(op)
    }

    pub(super) fn make(self, a: &mut Formulas, op: Op, operands: &[Formula]) -> Formula {
        a.make(self.op(op), operands)
    }

    pub(super) fn eventual(self, a: &Formulas, f: Formula) -> bool {
        match self {
            View::Plain => a.facts(f).eventual(),
            View::Dual => a.facts(f).universal(),
        }
    }

    pub(super) fn universal(self, a: &Formulas, f: Formula) -> bool {
        match self {
            View::Plain => a.facts(f).universal(),
            View::Dual => a.facts(f).eventual(),
        }
    }
}

/// Closed under adding and under removing prefixes: true now means true always.
pub(super) fn suspendable(a: &Formulas, f: Formula) -> bool {
    a.facts(f).eventual() && a.facts(f).universal()
}

/// `f`'s operands, those for which `out` holds apart.
pub(super) fn split(
    a: &Formulas,
    f: Formula,
    out: impl Fn(&Formulas, Formula) -> bool,
) -> (Vec<Formula>, Vec<Formula>) {
    a.operands(f).iter().copied().partition(|&x| out(a, x))
}
