//! Negation normal form: negation on propositions only; no `->`, `<->`, `xor`.
//!
//! [`nnf`] pushes negations down through the dual operators (`!(f U g) = !f R !g`, `!(f W g) = !f M !g`, …) and uses
//! the arena's constructors, which apply trivial identities. [`nnf_exact`] applies none: `F 0` stays `F 0`. Syntactic
//! constructions (informative prefixes) need the formula as its author wrote it, in the smaller language of `& | X F
//! G U R`; therefore it also writes `W` and `M` by their definitions.
//!
//! Each subformula is visited at most once for either polarity, first top-down to determine which of the two is
//! needed, then bottom-up; an equivalence needs both polarities of its operands. The result is linear as a graph of
//! shared subformulas, though not as a tree.

use crate::formula::{Formula, Formulas, Op};
use rustc_hash::FxHashMap;

/// `f` in negation normal form.
pub fn nnf(arena: &mut Formulas, f: Formula) -> Formula {
    convert(arena, f, Formulas::make, false)
}

/// `f` in negation normal form over `& | X F G U R`, nothing else rewritten.
pub fn nnf_exact(arena: &mut Formulas, f: Formula) -> Formula {
    convert(arena, f, Formulas::node, true)
}

type Make = fn(&mut Formulas, Op, &[Formula]) -> Formula;

/// Which polarities of the operands the polarity `negative` of `op` needs: as is, negated.
fn needs(op: Op, negative: bool, operand: usize) -> [bool; 2] {
    match op {
        Op::Equiv | Op::Xor => [true, true],
        Op::Not => [negative, !negative],
        Op::Implies if operand == 0 => [negative, !negative],
        _ => [!negative, negative],
    }
}

fn convert(arena: &mut Formulas, f: Formula, make: Make, expand: bool) -> Formula {
    let order = arena.subformulas(f);
    let mut needed: FxHashMap<Formula, [bool; 2]> = FxHashMap::default();
    needed.insert(f, [true, false]);
    for &g in order.iter().rev() {
        let own = needed[&g];
        for (i, &h) in arena.operands(g).iter().enumerate() {
            let below = needed.entry(h).or_default();
            for negative in [false, true] {
                if own[usize::from(negative)] {
                    let more = needs(arena.op(g), negative, i);
                    *below = [below[0] | more[0], below[1] | more[1]];
                }
            }
        }
    }
    let mut done: FxHashMap<(Formula, bool), Formula> = FxHashMap::default();
    for &g in &order {
        for negative in [false, true] {
            if needed[&g][usize::from(negative)] {
                let h = one(arena, g, negative, &done, make, expand);
                done.insert((g, negative), h);
            }
        }
    }
    done[&(f, false)]
}

/// `f`, or its negation, from the normal forms of its operands.
fn one(
    arena: &mut Formulas,
    f: Formula,
    negative: bool,
    done: &FxHashMap<(Formula, bool), Formula>,
    make: Make,
    expand: bool,
) -> Formula {
    let operands = arena.operands(f).to_vec();
    let get = |i: usize, negated: bool| done[&(operands[i], negated)];
    let op = arena.op(f);
    match op {
        Op::True | Op::False => arena.constant((op == Op::True) != negative),
        Op::Proposition if negative => arena.node(Op::Not, &[f]),
        Op::Proposition => f,
        Op::Not => get(0, !negative),
        Op::Implies if negative => make(arena, Op::And, &[get(0, false), get(1, true)]),
        Op::Implies => make(arena, Op::Or, &[get(0, true), get(1, false)]),
        Op::Equiv | Op::Xor => {
            // f <-> g as (f & g) | (!f & !g), f xor g as (f & !g) | (!f & g)
            let same = (op == Op::Equiv) != negative;
            let left = make(arena, Op::And, &[get(0, false), get(1, !same)]);
            let right = make(arena, Op::And, &[get(0, true), get(1, same)]);
            make(arena, Op::Or, &[left, right])
        }
        Op::WeakUntil | Op::StrongRelease if expand => {
            // f W g = g R (f | g), f M g = g U (f & g), and each is the dual of the other.
            let weak = (op == Op::WeakUntil) != negative;
            let (first, second) = (get(0, negative), get(1, negative));
            let (outer, inner) = if weak {
                (Op::Release, Op::Or)
            } else {
                (Op::Until, Op::And)
            };
            let both = make(arena, inner, &[first, second]);
            make(arena, outer, &[second, both])
        }
        _ => {
            let op = if negative { op.dual() } else { op };
            let new: Vec<Formula> = (0..operands.len()).map(|i| get(i, negative)).collect();
            make(arena, op, &new)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::{Letter, holds};
    use crate::parse::{ParseOptions, parse};
    use crate::print::{Syntax, print};
    use crate::random::RandomFormula;
    use sempre_base::{Lasso, Random};

    #[test]
    fn equivalent_and_in_normal_form() {
        let mut arena = Formulas::new();
        let mut r = Random::new(8);
        let shape = RandomFormula {
            sizes: 1..=15,
            exact: true,
            ..RandomFormula::new(3)
        };
        for _ in 0..1000 {
            let f = shape.draw(&mut arena, &mut r);
            let n = nnf(&mut arena, f);
            let e = nnf_exact(&mut arena, f);
            assert!(arena.facts(n).nnf() && arena.facts(e).nnf());
            let small = |&g: &Formula| !matches!(arena.op(g), Op::WeakUntil | Op::StrongRelease);
            assert!(arena.subformulas(e).iter().all(small));
            for _ in 0..10 {
                let mut letter = || (0..3).filter(|_| r.chance(0.5)).collect::<Letter>();
                let word = Lasso::new(vec![letter(), letter()], vec![letter(), letter(), letter()]);
                let truth = holds(&arena, f, &word);
                assert_eq!(holds(&arena, n, &word), truth);
                assert_eq!(holds(&arena, e, &word), truth);
            }
        }
    }

    #[test]
    fn forms() {
        let mut arena = Formulas::new();
        let options = ParseOptions {
            exact: true,
            known: None,
        };
        for (given, usual, exact) in [
            ("!(a U (b W c))", "!a R (!b M !c)", "!a R (!c U (!b & !c))"),
            ("!F 0", "1", "G(1)"),
            ("!(a -> b & 1)", "a & !b", "a & (!b | 0)"),
            ("!(a xor b)", "(a & b) | (!a & !b)", "(a & b) | (!a & !b)"),
            ("a & !(!a | X 0) & a", "a", "a & (a & X(1)) & a"),
        ] {
            let f = parse(&mut arena, given, &options).unwrap().formula;
            let n = nnf(&mut arena, f);
            let e = nnf_exact(&mut arena, f);
            assert_eq!(print(&arena, n, Syntax::Spot).to_string(), usual, "{given}");
            assert_eq!(print(&arena, e, Syntax::Spot).to_string(), exact, "{given}");
        }
    }

    #[test]
    fn nested_equivalences_stay_small() {
        let mut arena = Formulas::new();
        let text = (0..200)
            .map(|i| format!("p{i}"))
            .collect::<Vec<_>>()
            .join(" <-> ");
        let f = parse(&mut arena, &text, &ParseOptions::default())
            .unwrap()
            .formula;
        let n = nnf(&mut arena, f);
        assert!(arena.subformulas(n).len() < 3000);
    }
}
