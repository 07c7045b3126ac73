//! Conditions on sums, without enumerating vectors.
//!
//! `1 <= Fork_1 + … + Fork_50` reads fifty cells, whose values occur in too many combinations to enumerate. But only
//! the sum of the cells above matters for those below. So the vectors that satisfy a comparison are found by going down
//! the diagram with the sum so far, and each node is visited once for each sum. If the least and the greatest sum below
//! a node agree on the truth of the comparison, the node is taken as a whole or dropped.
//!
//! Conjunctions, disjunctions and negations of comparisons are operations on sets. Other conditions, and sums that
//! could overflow, are refused; the caller enumerates vectors then.
//!
//! Cost: nodes times different sums.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root, UNIT};
use crate::relation::values::ValueNumbering;
use rustc_hash::FxHashMap;
use sempre_base::Stop;
use sempre_model::ir::{Binary, Expr, Place, Program, Unary};

/// Larger sums are refused.
const MAX_SUM: i128 = 1 << 62;
/// Bytes of a memoised sum, about.
const ENTRY_BYTES: usize = 48;

/// A condition on sums.
#[derive(Clone, Debug)]
pub(crate) enum LinearCondition {
    /// A sum compared with zero.
    Compare(LinearSum, Binary),
    Not(Box<LinearCondition>),
    And(Box<LinearCondition>, Box<LinearCondition>),
    Or(Box<LinearCondition>, Box<LinearCondition>),
}

/// Cells with coefficients, and a constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearSum {
    terms: Vec<(u32, i64)>,
    constant: i64,
}

impl LinearSum {
    fn of(program: &Program, expr: &Expr) -> Option<Self> {
        let mut sum = Self::default();
        sum.add(program, expr, 1)?;
        Some(sum)
    }

    fn add(&mut self, program: &Program, expr: &Expr, factor: i64) -> Option<()> {
        let cell = match expr {
            Expr::Constant(c) => {
                self.constant = self.constant.checked_add(c.checked_mul(factor)?)?;
                return Some(());
            }
            Expr::Unary(Unary::Negate, e) => return self.add(program, e, factor.checked_neg()?),
            Expr::Binary(Binary::Add, a, b) => {
                self.add(program, a, factor)?;
                return self.add(program, b, factor);
            }
            Expr::Binary(Binary::Subtract, a, b) => {
                self.add(program, a, factor)?;
                return self.add(program, b, factor.checked_neg()?);
            }
            Expr::Binary(Binary::Multiply, a, b) => {
                return match (&**a, &**b) {
                    (Expr::Constant(c), e) | (e, Expr::Constant(c)) => {
                        self.add(program, e, factor.checked_mul(*c)?)
                    }
                    _ => None,
                };
            }
            Expr::Read(Place::Scalar(v)) => program.variable(*v).first,
            Expr::Read(Place::Element(v, index)) => match **index {
                Expr::Constant(i) => {
                    let variable = program.variable(*v);
                    let i = u32::try_from(i).ok().filter(|i| *i < variable.cells())?;
                    variable.first + i
                }
                _ => return None,
            },
            _ => return None,
        };
        self.terms.push((cell, factor));
        Some(())
    }
}

impl LinearCondition {
    /// The expression as a condition on sums, if it is one.
    pub(crate) fn of(program: &Program, expr: &Expr) -> Option<Self> {
        use Binary::{And, Equal, Greater, GreaterEqual, Implies, Less, LessEqual, NotEqual, Or};
        let part = |e: &Expr| Self::of(program, e).map(Box::new);
        Some(match expr {
            Expr::Unary(Unary::Not, e) => Self::Not(part(e)?),
            Expr::Binary(And, a, b) => Self::And(part(a)?, part(b)?),
            Expr::Binary(Or, a, b) => Self::Or(part(a)?, part(b)?),
            Expr::Binary(Implies, a, b) => Self::Or(Box::new(Self::Not(part(a)?)), part(b)?),
            Expr::Binary(
                op @ (Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual),
                a,
                b,
            ) => {
                let mut sum = LinearSum::of(program, a)?;
                sum.add(program, b, -1)?;
                Self::Compare(sum, *op)
            }
            _ => Self::Compare(LinearSum::of(program, expr)?, NotEqual),
        })
    }

    /// The vectors of a set over these cells that satisfy the condition; `None` if sums might overflow. The caller
    /// protects the set.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn select(
        &self,
        forest: &mut Forest,
        values: &ValueNumbering,
        cells: &[u32],
        set: Node,
    ) -> Result<Option<Node>, Stop> {
        Ok(match self {
            Self::Compare(sum, op) => return select_sum(forest, values, cells, set, sum, *op),
            Self::Not(part) => match part.select(forest, values, cells, set)? {
                None => None,
                Some(not) => Some(forest.difference(set, not)?),
            },
            Self::And(a, b) | Self::Or(a, b) => {
                let Some(left) = a.select(forest, values, cells, set)? else {
                    return Ok(None);
                };
                forest.push(left);
                let right = b.select(forest, values, cells, set);
                forest.pop();
                match (right?, self) {
                    (None, _) => None,
                    (Some(right), Self::And(..)) => Some(forest.intersection(left, right)?),
                    (Some(right), _) => Some(forest.union(left, right)?),
                }
            }
        })
    }
}

fn select_sum(
    forest: &mut Forest,
    values: &ValueNumbering,
    cells: &[u32],
    set: Node,
    sum: &LinearSum,
    op: Binary,
) -> Result<Option<Node>, Stop> {
    let mut factors = vec![0i64; cells.len()];
    for &(cell, factor) in &sum.terms {
        let Some(place) = cells.iter().position(|&c| c == cell) else {
            return Ok(None);
        };
        let Some(all) = factors[place].checked_add(factor) else {
            return Ok(None);
        };
        factors[place] = all;
    }
    let mut search = SumSelection {
        values,
        cells,
        factors: &factors,
        op,
        bounds: FxHashMap::default(),
        results: FxHashMap::default(),
    };
    // A bound of all partial sums in whatever order.
    let mut size = i128::from(sum.constant).abs();
    for (&cell, &factor) in cells.iter().zip(&factors) {
        size += i128::from(factor).abs() * i128::from(values.max_abs(cell));
    }
    if size >= MAX_SUM {
        return Ok(None);
    }
    let base = forest.stack.len();
    let found = search.find(forest, set, 0, sum.constant);
    forest.stack.truncate(base);
    for root in search.results.into_values() {
        forest.unprotect(root);
    }
    found.map(Some)
}

struct SumSelection<'a> {
    values: &'a ValueNumbering,
    cells: &'a [u32],
    factors: &'a [i64],
    op: Binary,
    /// The least and the greatest sum below a node.
    bounds: FxHashMap<Node, (i64, i64)>,
    /// For a node and the sum above it, the vectors that satisfy the comparison.
    results: FxHashMap<(Node, i64), Root>,
}

impl SumSelection<'_> {
    fn term(&self, depth: usize, number: u32) -> i64 {
        // A cell without a coefficient may have a value of any size.
        match self.factors[depth] {
            0 => 0,
            factor => factor.wrapping_mul(self.values.value(self.cells[depth], number)),
        }
    }

    fn bounds(&mut self, forest: &Forest, node: Node, depth: usize) -> (i64, i64) {
        if node <= UNIT {
            return (0, 0);
        }
        if let Some(&results) = self.bounds.get(&node) {
            return results;
        }
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        let mut at = node;
        while at != EMPTY {
            let e = forest.entry(at);
            let (low, high) = self.bounds(forest, e.down, depth + 1);
            let term = self.term(depth, e.value);
            least = least.min(low.wrapping_add(term));
            most = most.max(high.wrapping_add(term));
            at = e.right;
        }
        self.bounds.insert(node, (least, most));
        (least, most)
    }

    fn find(
        &mut self,
        forest: &mut Forest,
        node: Node,
        depth: usize,
        above: i64,
    ) -> Result<Node, Stop> {
        if node == EMPTY {
            return Ok(EMPTY);
        }
        let (least, most) = self.bounds(forest, node, depth);
        match constant_truth(self.op, above + least, above + most) {
            Some(true) => return Ok(node),
            Some(false) => return Ok(EMPTY),
            None => {}
        }
        if let Some(&results) = self.results.get(&(node, above)) {
            return Ok(forest.get(results));
        }
        forest.tick()?;
        if self.results.len() * ENTRY_BYTES > forest.remaining_bytes() {
            return Err(Stop::Memory);
        }
        let base = forest.stack.len();
        let mut at = node;
        while at != EMPTY {
            let e = forest.entry(at);
            let down = self.find(forest, e.down, depth + 1, above + self.term(depth, e.value))?;
            if down != EMPTY {
                forest.stack.push((e.value, down, at));
            }
            at = e.right;
        }
        let result = forest.list_from_stack(base, EMPTY)?;
        self.results.insert((node, above), forest.protect(result));
        Ok(result)
    }
}

/// The truth of a comparison with zero, if it is the same for all numbers between two.
fn constant_truth(op: Binary, least: i64, most: i64) -> Option<bool> {
    let (always, never) = match op {
        Binary::Equal => (least == 0 && most == 0, least > 0 || most < 0),
        Binary::NotEqual => (least > 0 || most < 0, least == 0 && most == 0),
        Binary::Less => (most < 0, least >= 0),
        Binary::LessEqual => (most <= 0, least > 0),
        Binary::Greater => (least > 0, most <= 0),
        _ => (least >= 0, most < 0),
    };
    match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::control::Limits;
    use crate::relation::model::Model;
    use sempre_base::Random;
    use sempre_model::Interpreter;
    use sempre_model::ir::{Type, VariableId};

    const CELLS: u32 = 5;

    fn sum(r: &mut Random, depth: usize) -> Expr {
        let part = |r: &mut Random| Box::new(sum(r, depth - 1));
        match if depth == 0 { r.below(3) } else { r.below(8) } {
            0 => Expr::Constant(r.below(7) as i64 - 3),
            1 | 2 => Expr::variable(VariableId(r.below(CELLS as usize) as u32)),
            3 => Expr::Unary(Unary::Negate, part(r)),
            4 => Expr::Binary(Binary::Subtract, part(r), part(r)),
            5 => {
                let factor = Expr::Constant(r.below(5) as i64 - 2);
                Expr::Binary(Binary::Multiply, Box::new(factor), part(r))
            }
            _ => Expr::Binary(Binary::Add, part(r), part(r)),
        }
    }

    fn condition(r: &mut Random, depth: usize) -> Expr {
        use Binary::{And, Equal, Greater, GreaterEqual, Implies, Less, LessEqual, NotEqual, Or};
        let part = |r: &mut Random| Box::new(condition(r, depth - 1));
        match if depth == 0 { 0 } else { r.below(5) } {
            1 => Expr::Unary(Unary::Not, part(r)),
            2 => Expr::Binary(*r.pick(&[And, Or, Implies]), part(r), part(r)),
            3 => sum(r, 2),
            _ => {
                let ops = [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual];
                Expr::binary(*r.pick(&ops), sum(r, 3), sum(r, 2))
            }
        }
    }

    #[test]
    fn conditions_hold_where_the_interpreter_says_so() {
        let mut r = Random::new(8);
        let mut program = Program::new("sums");
        for i in 0..CELLS {
            program.declare(&format!("x{i}"), Type::BYTE, None, None);
        }
        let mut constant_truth = 0;
        for round in 0..2_000 {
            let count = 1 + r.below(60);
            program.initial = (0..count)
                .map(|_| (0..CELLS).map(|_| r.below(4) as i64).collect())
                .collect();
            program.initial.sort();
            program.initial.dedup();
            let expr = condition(&mut r, 2);
            assert!(LinearCondition::of(&program, &expr).is_some(), "{expr:?}");
            let mut forest = Forest::new(Limits::default());
            if round % 2 == 0 {
                forest.stress(1 + r.below(5) as u32);
            }
            let mut model = Model::new(&mut forest, &program, None);
            let all = model.initial(&mut forest).unwrap();
            let all = forest.protect(all);
            let set = forest.get(all);
            let found = model.satisfying(&mut forest, set, &expr).unwrap();
            let mut found: Vec<Vec<i64>> = (forest.vectors(found))
                .map(|vector| model.decode(&vector))
                .collect();
            found.sort();
            let interpreter = Interpreter::new(&program);
            let mut expected = program.initial.clone();
            expected.retain(|state| interpreter.holds(&expr, state).unwrap());
            assert_eq!(found, expected, "{expr:?}");
            constant_truth += usize::from(!expected.is_empty() && expected.len() < count);
        }
        assert!(constant_truth > 500, "{constant_truth}");
    }

    /// A hundred cells of two values each: too many combinations to enumerate.
    #[test]
    fn many_cells() {
        let mut program = Program::new("many");
        let cells: Vec<_> = (0..100)
            .map(|i| program.declare(&format!("x{i}"), Type::BYTE, None, None))
            .collect();
        let mut forest = Forest::new(Limits::default());
        let mut values = ValueNumbering::new(program.cells());
        let mut all = UNIT;
        for cell in 0..100 {
            let [zero, one] = [0, 1].map(|value| values.number(cell, value));
            // Later values have smaller numbers.
            let right = forest.make(zero, all, EMPTY).unwrap();
            all = forest.make(one, all, right).unwrap();
        }
        let sum = (cells.iter().map(|&v| Expr::variable(v)))
            .reduce(|a, b| Expr::binary(Binary::Add, a, b))
            .unwrap();
        let two = Expr::binary(Binary::Equal, sum, Expr::Constant(2));
        let two = LinearCondition::of(&program, &two).unwrap();
        let order: Vec<u32> = (0..100).collect();
        let found = two.select(&mut forest, &values, &order, all).unwrap();
        assert_eq!(forest.count(found.unwrap()).to_string(), "4950");
    }

    #[test]
    fn what_is_no_sum_is_left_to_others() {
        let mut program = Program::new("others");
        let x = program.declare("x", Type::BYTE, None, None);
        let square = Expr::binary(Binary::Multiply, Expr::variable(x), Expr::variable(x));
        let expr = Expr::equal(square, Expr::Constant(4));
        assert!(LinearCondition::of(&program, &expr).is_none());
        let much = Expr::Constant(i64::MAX);
        let expr = Expr::equal(Expr::binary(Binary::Add, much.clone(), much), Expr::TRUE);
        assert!(LinearCondition::of(&program, &expr).is_none());
    }
}
