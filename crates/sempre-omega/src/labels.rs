//! Labels from texts and back: conjunctions and disjunctions of many operands, within a budget, and sums
//! of products.
//!
//! The readers of all formats build labels here. Literals of a conjunction become one cube (of a
//! disjunction, after negation), the rest is combined from the bottom of the variable order to its top:
//! an operand that lies above the others costs its own size, however large the others are. So a label
//! of n literals usually costs n and not n² diagram nodes.
//!
//! Labels whose diagrams are exponential take a few lines of text to write. A maker refuses when one
//! label needs more than [`MAX_NODES`] nodes, and before an operation that could make more than
//! [`MAX_PRODUCT`].

use crate::bdd::{Bdd, Bdds, Literal};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;

/// Most propositions that readers take for one automaton: operations on labels recurse over them.
pub(crate) const MAX_PROPOSITIONS: usize = 1 << 12;
/// Deepest nesting of expressions that readers follow.
pub(crate) const MAX_DEPTH: usize = 1000;
/// Most diagram nodes that one label may need.
pub(crate) const MAX_NODES: usize = 1 << 20;
/// Most nodes that one operation may be able to make: the product of its operands' sizes.
const MAX_PRODUCT: usize = 1 << 25;

/// The length of the mark that some editors put in front of a text.
pub(crate) fn byte_order_mark(text: &str) -> usize {
    text.len() - text.trim_start_matches('\u{feff}').len()
}

/// The budget of a label is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Makes one label.
pub(crate) struct LabelMaker<'a> {
    pub(crate) bdds: &'a mut Bdds,
    start: usize,
}

impl<'a> LabelMaker<'a> {
    pub(crate) fn new(bdds: &'a mut Bdds) -> Self {
        let start = bdds.len();
        Self { bdds, start }
    }

    /// A maker that continues a label whose construction began when there were `start` nodes.
    pub(crate) fn since(bdds: &'a mut Bdds, start: usize) -> Self {
        Self { bdds, start }
    }

    /// The conjunction.
    pub(crate) fn and(&mut self, parts: Vec<Bdd>) -> Result<Bdd, TooLarge> {
        let (literals, mut rest) = self.sort_out(parts);
        rest.push(self.cube(literals));
        self.combine(rest, Bdds::and)
    }

    /// The disjunction.
    pub(crate) fn or(&mut self, parts: Vec<Bdd>) -> Result<Bdd, TooLarge> {
        let (mut literals, mut rest) = self.sort_out(parts);
        for (_, sign) in &mut literals {
            *sign = !*sign;
        }
        let none = self.cube(literals);
        rest.push(self.bdds.not(none));
        self.combine(rest, Bdds::or)
    }

    /// Literals and others.
    fn sort_out(&self, mut parts: Vec<Bdd>) -> (Vec<Literal>, Vec<Bdd>) {
        let mut literals = Vec::new();
        parts.retain(|&f| {
            let (lo, hi) = (self.bdds.low(f), self.bdds.high(f));
            let is_literal = !f.is_constant() && lo.is_constant() && hi.is_constant();
            if is_literal {
                literals.push((self.bdds.var(f), hi.is_true()));
            }
            !is_literal
        });
        (literals, parts)
    }

    fn cube(&mut self, mut literals: Vec<Literal>) -> Bdd {
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|w| w[0].0 == w[1].0) {
            return Bdd::FALSE;
        }
        self.bdds.cube(&literals)
    }

    fn combine(
        &mut self,
        mut parts: Vec<Bdd>,
        op: fn(&mut Bdds, Bdd, Bdd) -> Bdd,
    ) -> Result<Bdd, TooLarge> {
        parts.sort_unstable_by_key(|&p| (Reverse(self.bdds.var(p)), p));
        parts.dedup();
        let mut result = parts[0];
        for &part in &parts[1..] {
            let size = self.size(part, MAX_PRODUCT);
            if size.saturating_mul(self.bdds.len()) > MAX_PRODUCT
                && size.saturating_mul(self.size(result, MAX_PRODUCT / size)) > MAX_PRODUCT
            {
                return Err(TooLarge);
            }
            result = op(self.bdds, result, part);
            if self.bdds.len() - self.start > MAX_NODES {
                return Err(TooLarge);
            }
        }
        Ok(result)
    }

    /// Number of nodes of `f`, counted up to a little more than `limit`.
    fn size(&self, f: Bdd, limit: usize) -> usize {
        let mut seen = FxHashSet::default();
        let mut stack = vec![f];
        while let Some(g) = stack.pop() {
            if !g.is_constant() && seen.insert(g) {
                stack.extend([self.bdds.low(g), self.bdds.high(g)]);
                if seen.len() > limit {
                    break;
                }
            }
        }
        seen.len().max(1)
    }
}

/// How a label is written.
pub(crate) struct LabelStyle {
    pub(crate) and: &'static str,
    pub(crate) or: &'static str,
    pub(crate) not: &'static str,
    pub(crate) yes: &'static str,
    pub(crate) no: &'static str,
}

impl LabelStyle {
    pub(crate) const ASCII: Self = Self {
        and: " & ",
        or: " | ",
        not: "!",
        yes: "1",
        no: "0",
    };
    pub(crate) const UNICODE: Self = Self {
        and: " ∧ ",
        or: " ∨ ",
        not: "¬",
        yes: "⊤",
        no: "⊥",
    };
    pub(crate) const PROMELA: Self = Self {
        and: " && ",
        or: " || ",
        ..Self::ASCII
    };
}

/// The label as a sum of products, with parentheses around the products of a sum.
pub(crate) fn label_text(
    bdds: &mut Bdds,
    names: &[String],
    label: Bdd,
    style: &LabelStyle,
) -> String {
    let mut cubes: Vec<(String, usize)> = Vec::new();
    bdds.sum_of_products(label, |cube| {
        let literals: Vec<String> = cube
            .iter()
            .map(|&(var, sign)| {
                let name = names.get(var as usize).map_or("?", String::as_str);
                format!("{}{name}", if sign { "" } else { style.not })
            })
            .collect();
        cubes.push((literals.join(style.and), cube.len()));
    });
    match &cubes[..] {
        [] => style.no.to_string(),
        [(_, 0)] => style.yes.to_string(),
        [(one, _)] => one.clone(),
        _ => {
            let parts: Vec<String> = cubes
                .into_iter()
                .map(|(cube, n)| if n > 1 { format!("({cube})") } else { cube })
                .collect();
            parts.join(style.or)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    #[test]
    fn agrees_with_plain_folds() {
        let mut r = Random::new(9);
        for _ in 0..2000 {
            let bdds = &mut Bdds::new();
            let mut parts = Vec::new();
            for _ in 0..r.below(6) {
                let mut f = bdds.literal((r.below(4) as u32, r.chance(0.5)));
                for _ in 0..r.below(3) {
                    let g = bdds.literal((r.below(4) as u32, r.chance(0.5)));
                    f = if r.chance(0.5) {
                        bdds.and(f, g)
                    } else {
                        bdds.or(f, g)
                    };
                }
                parts.push(f);
            }
            let all = parts.iter().fold(Bdd::TRUE, |a, &b| bdds.and(a, b));
            let any = parts.iter().fold(Bdd::FALSE, |a, &b| bdds.or(a, b));
            let mut maker = LabelMaker::new(bdds);
            assert_eq!(maker.and(parts.clone()), Ok(all));
            assert_eq!(maker.or(parts), Ok(any));
        }
    }

    #[test]
    fn many_literals_need_few_nodes_and_bad_orders_are_refused() {
        let n = MAX_PROPOSITIONS as u32;
        let bdds = &mut Bdds::new();
        let pairs: Vec<Bdd> = (0..n / 2)
            .map(|i| bdds.cube(&[(2 * i, true), (2 * i + 1, true)]))
            .collect();
        let literals: Vec<Bdd> = (0..n).map(|i| bdds.variable(i)).collect();
        let crossed: Vec<Bdd> = (0..100)
            .map(|i| bdds.cube(&[(i, true), (i + 100, true)]))
            .collect();
        let mut maker = LabelMaker::new(bdds);
        assert!(maker.and(literals.clone()).is_ok());
        assert!(maker.or(literals).is_ok());
        assert!(maker.or(pairs).is_ok());
        assert!(maker.bdds.len() < 100_000);
        assert_eq!(maker.or(crossed), Err(TooLarge));
    }
}
