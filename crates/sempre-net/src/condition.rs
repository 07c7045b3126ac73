//! Conditions on markings: linear inequalities, conjunctions and disjunctions of them, without negation.
//!
//! All numbers are integers, so `a < b` is `a + 1 <= b`, an equation is two inequalities, and its negation a
//! disjunction of two. Inequalities that are true, or false, in every marking (tokens are never negative) become
//! constants.

use sempre_model::ir::{Binary, Expr, Place, Unary, VariableId};
use std::collections::BTreeMap;

/// `sum of coefficient * tokens <= bound`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// Places with coefficients, sorted by place, none zero.
    pub terms: Vec<(u32, i64)>,
    /// The greatest value.
    pub bound: i64,
}

impl Linear {
    /// The sum in a marking, saturating.
    pub fn value(&self, marking: &[i64]) -> i64 {
        (self.terms.iter()).fold(0, |sum: i64, &(p, c)| {
            sum.saturating_add(c.saturating_mul(marking[p as usize]))
        })
    }
}

/// A condition on markings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// An inequality.
    AtMost(Linear),
    /// All of these; true if there are none.
    All(Vec<Condition>),
    /// One of these; false if there are none.
    Any(Vec<Condition>),
}

/// Deeper expressions are not converted.
const MAX_DEPTH: u32 = 2000;

impl Condition {
    /// True in all markings.
    pub const TRUE: Condition = Condition::All(Vec::new());
    /// False in all markings.
    pub const FALSE: Condition = Condition::Any(Vec::new());

    /// The condition that an expression over the variables of a net has the truth value `wanted`; `None` if it is not linear. The variable
    /// of a place has its number.
    pub fn of(expr: &Expr, wanted: bool) -> Option<Self> {
        Self::at(expr, wanted, 0)
    }

    fn at(expr: &Expr, wanted: bool, depth: u32) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        let part = |e: &Expr, wanted| Self::at(e, wanted, depth + 1);
        let pair = |a: Self, b: Self, conjunction: bool| match conjunction {
            true => Self::all(vec![a, b]),
            false => Self::any(vec![a, b]),
        };
        Some(match expr {
            Expr::Constant(c) if (*c != 0) == wanted => Self::TRUE,
            Expr::Constant(_) => Self::FALSE,
            Expr::Unary(Unary::Not, a) => part(a, !wanted)?,
            Expr::Binary(Binary::And, a, b) => pair(part(a, wanted)?, part(b, wanted)?, wanted),
            Expr::Binary(Binary::Or, a, b) => pair(part(a, wanted)?, part(b, wanted)?, !wanted),
            Expr::Binary(Binary::Implies, a, b) => {
                pair(part(a, !wanted)?, part(b, wanted)?, !wanted)
            }
            Expr::Binary(op, a, b) => {
                let op = if wanted { *op } else { op.negated()? };
                let less = |strict: bool| at_most(a, b, i64::from(strict));
                let more = |strict: bool| at_most(b, a, i64::from(strict));
                match op {
                    Binary::LessEqual => less(false)?,
                    Binary::Less => less(true)?,
                    Binary::GreaterEqual => more(false)?,
                    Binary::Greater => more(true)?,
                    Binary::Equal => Self::all(vec![less(false)?, more(false)?]),
                    Binary::NotEqual => Self::any(vec![less(true)?, more(true)?]),
                    _ => return None,
                }
            }
            // A place alone is true if it is marked.
            Expr::Read(Place::Scalar(v)) => match wanted {
                true => Self::at_most(vec![(v.0, -1)], -1),
                false => Self::at_most(vec![(v.0, 1)], 0),
            },
            _ => return None,
        })
    }

    /// An inequality, or its truth value if it is the same in every marking.
    pub fn at_most(terms: Vec<(u32, i64)>, bound: i64) -> Self {
        if bound < 0 && terms.iter().all(|t| t.1 >= 0) {
            Self::FALSE
        } else if bound >= 0 && terms.iter().all(|t| t.1 <= 0) {
            Self::TRUE
        } else {
            Self::AtMost(Linear { terms, bound })
        }
    }

    /// A conjunction, flattened.
    pub fn all(parts: Vec<Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for part in parts {
            match part {
                Self::All(inner) => flat.extend(inner),
                Self::Any(inner) if inner.is_empty() => return Self::FALSE,
                part => add(&mut flat, part),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Self::All(flat),
        }
    }

    /// A disjunction, flattened.
    pub fn any(parts: Vec<Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for part in parts {
            match part {
                Self::Any(inner) => flat.extend(inner),
                Self::All(inner) if inner.is_empty() => return Self::TRUE,
                part => add(&mut flat, part),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Self::Any(flat),
        }
    }

    /// Does it hold in the marking?
    pub fn holds(&self, marking: &[i64]) -> bool {
        match self {
            Self::AtMost(linear) => linear.value(marking) <= linear.bound,
            Self::All(parts) => parts.iter().all(|p| p.holds(marking)),
            Self::Any(parts) => parts.iter().any(|p| p.holds(marking)),
        }
    }

    /// Is it the constant true?
    pub fn is_true(&self) -> bool {
        *self == Self::TRUE
    }

    /// Is it the constant false?
    pub fn is_false(&self) -> bool {
        *self == Self::FALSE
    }

    /// Visits each inequality.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Linear)) {
        match self {
            Self::AtMost(linear) => visit(linear),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|p| p.each(visit)),
        }
    }

    /// The condition with other inequalities.
    pub fn map(&self, change: &dyn Fn(&Linear) -> Self) -> Self {
        match self {
            Self::AtMost(linear) => change(linear),
            Self::All(parts) => Self::all(parts.iter().map(|p| p.map(change)).collect()),
            Self::Any(parts) => Self::any(parts.iter().map(|p| p.map(change)).collect()),
        }
    }

    /// The condition as an expression over the variables of a net.
    pub fn expr(&self) -> Expr {
        let joined = |op: Binary, parts: &[Self], empty: Expr| {
            Expr::balanced(op, parts.iter().map(Self::expr).collect()).unwrap_or(empty)
        };
        match self {
            Self::All(parts) => joined(Binary::And, parts, Expr::TRUE),
            Self::Any(parts) => joined(Binary::Or, parts, Expr::FALSE),
            Self::AtMost(linear) => {
                let terms = linear.terms.iter().map(|&(p, c)| {
                    let tokens = Expr::variable(VariableId(p));
                    match c {
                        1 => tokens,
                        c => Expr::binary(Binary::Multiply, tokens, Expr::Constant(c)),
                    }
                });
                let sum = Expr::balanced(Binary::Add, terms.collect()).unwrap_or(Expr::Constant(0));
                Expr::binary(Binary::LessEqual, sum, Expr::Constant(linear.bound))
            }
        }
    }
}

/// Adds a part, unless it is there already; long lists are not searched.
fn add(parts: &mut Vec<Condition>, part: Condition) {
    if parts.len() > 50 || !parts.contains(&part) {
        parts.push(part);
    }
}

/// A sum of places and a constant.
#[derive(Default)]
struct Sum {
    terms: BTreeMap<u32, i64>,
    constant: i64,
}

impl Sum {
    fn add(&mut self, expr: &Expr, factor: i64, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match expr {
            Expr::Constant(c) => {
                self.constant = self.constant.checked_add(c.checked_mul(factor)?)?;
            }
            Expr::Read(Place::Scalar(v)) => {
                let coefficient = self.terms.entry(v.0).or_insert(0);
                *coefficient = coefficient.checked_add(factor)?;
            }
            Expr::Unary(Unary::Negate, a) => self.add(a, factor.checked_neg()?, depth + 1)?,
            Expr::Binary(Binary::Add, a, b) => {
                self.add(a, factor, depth + 1)?;
                self.add(b, factor, depth + 1)?;
            }
            Expr::Binary(Binary::Subtract, a, b) => {
                self.add(a, factor, depth + 1)?;
                self.add(b, factor.checked_neg()?, depth + 1)?;
            }
            Expr::Binary(Binary::Multiply, a, b) => match (&**a, &**b) {
                (Expr::Constant(c), e) | (e, Expr::Constant(c)) => {
                    self.add(e, factor.checked_mul(*c)?, depth + 1)?;
                }
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }
}

/// `a + more <= b`.
fn at_most(a: &Expr, b: &Expr, more: i64) -> Option<Condition> {
    let mut sum = Sum::default();
    sum.add(a, 1, 0)?;
    sum.add(b, -1, 0)?;
    let bound = sum.constant.checked_add(more)?.checked_neg()?;
    let terms = sum.terms.into_iter().filter(|t| t.1 != 0).collect();
    Some(Condition::at_most(terms, bound))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sempre_base::Random;
    use sempre_model::{Interpreter, Program, Type};

    /// An expression over the places of a net, as in the formulas of the contest.
    pub(crate) fn random_expr(random: &mut Random, places: usize, depth: u32) -> Expr {
        let below = |random: &mut Random| random_expr(random, places, depth - 1);
        match random.below(if depth == 0 { 2 } else { 6 }) {
            0 | 1 => {
                let side = |random: &mut Random| match random.below(3) {
                    0 => Expr::Constant(random.below(4) as i64),
                    1 => Expr::variable(VariableId(random.below(places) as u32)),
                    _ => Expr::binary(
                        [Binary::Add, Binary::Subtract][random.below(2)],
                        Expr::variable(VariableId(random.below(places) as u32)),
                        Expr::variable(VariableId(random.below(places) as u32)),
                    ),
                };
                let op = [
                    Binary::LessEqual,
                    Binary::Less,
                    Binary::GreaterEqual,
                    Binary::Greater,
                    Binary::Equal,
                    Binary::NotEqual,
                ][random.below(6)];
                Expr::binary(op, side(random), side(random))
            }
            2 => Expr::Unary(Unary::Not, Box::new(below(random))),
            3 | 4 => Expr::binary(
                [Binary::And, Binary::Implies][random.below(2)],
                below(random),
                below(random),
            ),
            _ => Expr::binary(Binary::Or, below(random), below(random)),
        }
    }

    #[test]
    fn a_condition_is_its_expression() {
        let mut random = Random::new(2);
        let mut program = Program::new("t");
        for p in ["a", "b", "c"] {
            program.declare(p, Type::Natural, None, None);
        }
        let interpreter = Interpreter::new(&program);
        for _ in 0..2000 {
            let depth = random.below(4) as u32;
            let expr = random_expr(&mut random, 3, depth);
            let [yes, no] = [true, false].map(|w| Condition::of(&expr, w).expect("linear"));
            for _ in 0..10 {
                let marking: Vec<i64> = (0..3).map(|_| random.below(5) as i64).collect();
                let holds = interpreter.holds(&expr, &marking) == Ok(true);
                assert_eq!(yes.holds(&marking), holds, "{expr:?} {marking:?}");
                assert_eq!(no.holds(&marking), !holds, "{expr:?} {marking:?}");
                assert_eq!(interpreter.holds(&yes.expr(), &marking), Ok(holds));
            }
        }
    }

    #[test]
    fn what_is_not_linear_is_not_converted() {
        let x = || Expr::variable(VariableId(0));
        let square = Expr::binary(Binary::Multiply, x(), x());
        let compared = Expr::binary(Binary::Less, square, Expr::Constant(3));
        assert_eq!(Condition::of(&compared, true), None);
        assert_eq!(
            Condition::of(&Expr::binary(Binary::Add, x(), x()), true),
            None
        );
    }
}
