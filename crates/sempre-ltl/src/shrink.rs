//! Smaller formulas, for reducing the formula of a bug report.
//!
//! A shrinker tries the candidates in order and continues with the first that still shows the bug, as Spot's ltlgrind
//! does. Every candidate is less than the formula in the order of [`weight`], which is well-founded, so that this
//! ends. The mutations, each at every subformula:
//!
//! * a constant in its place;
//! * one of its operands in its place, or all but one for `&` and `|`;
//! * a simpler operator: `f U g` to `F g`, `f W g` to `G f`, `f xor g` to `f | g`, …;
//! * one proposition renamed to another one of the formula.

use crate::formula::{Formula, Formulas, Op};
use crate::relabel::substitute;
use rustc_hash::{FxHashMap, FxHashSet};

/// Size, then number of propositions, then how unusual the operators are.
pub fn weight(arena: &Formulas, f: Formula) -> (usize, usize, usize) {
    let strange: usize = arena
        .subformulas(f)
        .into_iter()
        .map(|g| match arena.op(g) {
            Op::True | Op::False | Op::Proposition => 0,
            Op::Not | Op::And | Op::Or | Op::Finally | Op::Globally => 1,
            Op::Next | Op::Implies | Op::Until | Op::Release => 2,
            Op::WeakUntil | Op::StrongRelease | Op::Equiv | Op::Xor => 3,
        })
        .sum();
    (arena.size(f), arena.propositions_of(f).len(), strange)
}

/// The candidates, smallest first, each once.
pub fn shrink_steps(arena: &mut Formulas, f: Formula) -> Vec<Formula> {
    let mut found = FxHashSet::default();
    for target in arena.subformulas(f) {
        for replacement in simpler(arena, target) {
            let candidate = arena.rebuild(f, |arena, g, operands| {
                if g == target {
                    replacement
                } else if arena.op(g) == Op::Proposition {
                    g
                } else {
                    arena.make(arena.op(g), operands)
                }
            });
            found.insert(candidate);
        }
    }
    let propositions = arena.propositions_of(f);
    for (i, &p) in propositions.iter().enumerate() {
        for &q in &propositions[..i] {
            let by = FxHashMap::from_iter([(p, arena.proposition_by_number(q))]);
            let candidate = substitute(arena, f, &by);
            found.insert(candidate);
        }
    }
    let limit = weight(arena, f);
    let mut candidates: Vec<_> = found
        .into_iter()
        .map(|g| (weight(arena, g), g))
        .filter(|(w, _)| *w < limit)
        .collect();
    candidates.sort_unstable();
    candidates.into_iter().map(|(_, g)| g).collect()
}

/// The replacements of `f` by something simpler.
fn simpler(arena: &mut Formulas, f: Formula) -> Vec<Formula> {
    let mut out = Vec::new();
    if !f.is_constant() {
        out.extend([Formula::TRUE, Formula::FALSE]);
    }
    let operands = arena.operands(f).to_vec();
    out.extend(&operands);
    let op = arena.op(f);
    match (op, &operands[..]) {
        (Op::And | Op::Or, _) if operands.len() > 2 => {
            for i in 0..operands.len() {
                let mut rest = operands.clone();
                rest.remove(i);
                out.push(arena.make(op, &rest));
            }
        }
        (Op::Until, &[f, g]) => {
            out.push(arena.finally(g));
            out.push(arena.or(&[f, g]));
        }
        (Op::Release, &[f, g]) => {
            out.push(arena.globally(g));
            out.push(arena.and(&[f, g]));
        }
        (Op::WeakUntil, &[f, g]) => {
            out.push(arena.globally(f));
            out.push(arena.until(f, g));
        }
        (Op::StrongRelease, &[f, g]) => {
            out.push(arena.finally(f));
            out.push(arena.release(f, g));
        }
        (Op::Implies, &[f, g]) => {
            out.push(arena.not(f));
            out.push(arena.or(&[f, g]));
        }
        (Op::Equiv, &[f, g]) => {
            out.push(arena.and(&[f, g]));
            out.push(arena.implies(f, g));
            out.push(arena.implies(g, f));
        }
        (Op::Xor, &[f, g]) => {
            out.push(arena.or(&[f, g]));
            out.push(arena.equiv(f, g));
        }
        _ => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{ParseOptions, parse};
    use crate::print::{Syntax, print};
    use crate::random::RandomFormula;
    use sempre_base::Random;

    fn shrink(
        arena: &mut Formulas,
        mut f: Formula,
        bug: impl Fn(&Formulas, Formula) -> bool,
    ) -> Formula {
        while let Some(smaller) = shrink_steps(arena, f).into_iter().find(|&g| bug(arena, g)) {
            f = smaller;
        }
        f
    }

    #[test]
    fn candidates_are_smaller_in_order_and_distinct() {
        let mut arena = Formulas::new();
        let mut r = Random::new(2);
        for _ in 0..200 {
            let f = RandomFormula::new(3).draw(&mut arena, &mut r);
            let steps = shrink_steps(&mut arena, f);
            let weights: Vec<_> = steps.iter().map(|&g| weight(&arena, g)).collect();
            assert!(weights.is_sorted() && weights.iter().all(|w| *w < weight(&arena, f)));
            let distinct: FxHashSet<_> = steps.iter().collect();
            assert_eq!(distinct.len(), steps.len());
            assert_eq!(steps.is_empty(), f.is_constant());
        }
    }

    /// A pretended bug: some `X` below a `U`.
    #[test]
    fn a_bug_is_reduced_to_its_core() {
        let mut arena = Formulas::new();
        let text = "G(a -> F(b U (c & X(d | Ge)))) & (FGa xor (b W c))";
        let f = parse(&mut arena, text, &ParseOptions::default())
            .unwrap()
            .formula;
        let small = shrink(&mut arena, f, |arena, f| {
            arena.subformulas(f).into_iter().any(|g| {
                arena.op(g) == Op::Until
                    && arena
                        .subformulas(g)
                        .into_iter()
                        .any(|h| arena.op(h) == Op::Next)
            })
        });
        // One proposition is enough, and so is one `X`.
        assert_eq!(arena.size(small), 4);
        assert_eq!(arena.propositions_of(small).len(), 1);
        let shown = print(&arena, small, Syntax::Spot).to_string();
        assert!(shown.contains(" U "), "{shown}");
    }
}
