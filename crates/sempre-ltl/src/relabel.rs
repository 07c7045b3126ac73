//! Substitution of propositions, and replacement of large Boolean subformulas by propositions.
//!
//! [`relabel`] replaces maximal Boolean subformulas by fresh propositions, which makes a translation cheaper: `G((a &
//! b | c) -> F(d xor e))` becomes `G(p0 -> Fp1)`. Only those are replaced whose propositions occur nowhere else, so
//! that the fresh ones are as independent as the subformulas that they replace; otherwise the small formula could
//! have models that the large one has not. Boolean operands of one `&` or `|` are replaced together (`a & b & Fc`
//! becomes `p0 & Fc`), after those that share a proposition with the rest of the formula are left out.
//!
//! Substituting back in the small formula, or in the labels of an automaton for it, always gives the language of the
//! large one. If a Boolean subformula is valid or contradictory, which is not detected syntactically, the small
//! formula may have more models than the large one: substitute back before deciding satisfiability.

use crate::formula::{Formula, Formulas, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// `f` with formulas in place of propositions, given by their numbers; the others stay.
pub fn substitute(arena: &mut Formulas, f: Formula, by: &FxHashMap<usize, Formula>) -> Formula {
    arena.rebuild(f, |arena, g, operands| match arena.op(g) {
        Op::Proposition => by.get(&arena.proposition_number(g)).copied().unwrap_or(g),
        op => arena.make(op, operands),
    })
}

/// A formula with fresh propositions.
#[derive(Clone, Debug)]
pub struct Relabelled {
    /// The small formula.
    pub formula: Formula,
    /// The formulas that the fresh propositions, given by their numbers, replace.
    pub map: FxHashMap<usize, Formula>,
}

impl Relabelled {
    /// The large formula again.
    pub fn restore(&self, arena: &mut Formulas) -> Formula {
        substitute(arena, self.formula, &self.map)
    }
}

/// Replaces Boolean subformulas by fresh propositions; see the module's documentation.
pub fn relabel(arena: &mut Formulas, f: Formula) -> Relabelled {
    let contexts = contexts(arena, f);
    // In how many contexts each proposition occurs.
    let mut uses: FxHashMap<usize, usize> = FxHashMap::default();
    for context in &contexts {
        let mut seen = FxHashSet::default();
        for &g in &context.operands {
            seen.extend(arena.propositions_of(g));
        }
        for p in seen {
            *uses.entry(p).or_default() += 1;
        }
    }
    let taken: FxHashSet<String> = arena
        .propositions_of(f)
        .into_iter()
        .map(|p| arena.name(p).to_string())
        .collect();
    let mut fresh = (0..)
        .map(|i| format!("p{i}"))
        .filter(|name| !taken.contains(name));
    let mut map = FxHashMap::default();
    // For each parent, the operands to be replaced, and their replacement.
    let mut plan: FxHashMap<Formula, (FxHashSet<Formula>, Formula)> = FxHashMap::default();
    let mut whole: FxHashMap<Formula, Formula> = FxHashMap::default();
    for context in &contexts {
        let private = private_operands(arena, &context.operands, &uses);
        let literal = |&g: &Formula| arena.is_literal(g);
        if private.is_empty() || private.len() == 1 && private.iter().all(literal) {
            continue;
        }
        let meaning = match private[..] {
            [g] => g,
            _ => arena.make(context.op, &private),
        };
        // Operands may cancel out; a constant or literal is its own best name.
        if meaning.is_constant() || arena.is_literal(meaning) {
            continue;
        }
        let Some(name) = fresh.next() else { break };
        let p = arena.proposition(&name);
        map.insert(arena.proposition_number(p), meaning);
        if let Some(parent) = context.parent {
            plan.insert(parent, (private.into_iter().collect(), p));
        } else {
            whole.insert(meaning, p);
        }
    }
    let formula = arena.rebuild(f, |arena, g, operands| {
        if let Some(&p) = whole.get(&g) {
            return p;
        }
        let op = arena.op(g);
        if op == Op::Proposition {
            return g;
        }
        let Some((gone, p)) = plan.get(&g) else {
            return arena.make(op, operands);
        };
        let old = arena.operands(g).to_vec();
        let kept = old.iter().zip(operands).filter(|(o, _)| !gone.contains(o));
        let new: Vec<Formula> = kept.map(|(_, &n)| n).chain([*p]).collect();
        arena.make(op, &new)
    });
    Relabelled { formula, map }
}

/// An occurrence of Boolean formulas below a temporal operator.
struct Context {
    /// The `&` or `|` whose Boolean operands these are; none for a single Boolean subformula.
    parent: Option<Formula>,
    op: Op,
    operands: Vec<Formula>,
}

/// The maximal Boolean subformulas, those of one `&` or `|` together.
fn contexts(arena: &Formulas, f: Formula) -> Vec<Context> {
    let mut out = Vec::new();
    let mut single = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut todo = vec![f];
    while let Some(g) = todo.pop() {
        if arena.facts(g).boolean() {
            if single.insert(g) {
                out.push(Context {
                    parent: None,
                    op: arena.op(g),
                    operands: vec![g],
                });
            }
            continue;
        }
        if !seen.insert(g) {
            continue;
        }
        let op = arena.op(g);
        let operands = arena.operands(g);
        let boolean: Vec<Formula> = operands
            .iter()
            .copied()
            .filter(|&h| arena.facts(h).boolean())
            .collect();
        if matches!(op, Op::And | Op::Or) && boolean.len() > 1 {
            todo.extend(operands.iter().filter(|&&h| !arena.facts(h).boolean()));
            out.push(Context {
                parent: Some(g),
                op,
                operands: boolean,
            });
        } else {
            todo.extend(operands.iter().rev());
        }
    }
    out
}

/// The operands of a context that share no proposition, directly or through others, with anything
/// outside the context.
fn private_operands(
    arena: &Formulas,
    operands: &[Formula],
    uses: &FxHashMap<usize, usize>,
) -> Vec<Formula> {
    let sets: Vec<Vec<usize>> = operands.iter().map(|&g| arena.propositions_of(g)).collect();
    let mut public: FxHashSet<usize> = uses
        .iter()
        .filter(|&(_, &n)| n > 1)
        .map(|(&p, _)| p)
        .collect();
    let mut left = vec![true; operands.len()];
    loop {
        let mut changed = false;
        for (i, set) in sets.iter().enumerate() {
            if left[i] && set.iter().any(|p| public.contains(p)) {
                left[i] = false;
                changed = true;
                public.extend(set);
            }
        }
        if !changed {
            break;
        }
    }
    let pairs = operands.iter().zip(left);
    pairs.filter(|p| p.1).map(|p| *p.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{ParseOptions, parse};
    use crate::print::{Syntax, print};
    use crate::random::RandomFormula;
    use sempre_base::Random;

    #[test]
    fn examples() {
        for (given, wanted) in [
            ("G((a & b | c) -> F(d xor e))", "G(p0 -> Fp1)"),
            ("a & b & F c", "p0 & Fc"),
            ("a & b & F a", "a & b & Fa"),
            ("a & b & c & F a", "a & p0 & Fa"),
            ("(a | b) U (a & c)", "(a | b) U (a & c)"),
            ("F(a | b) & G(a | b)", "Fp0 & Gp0"),
            ("!a U X b", "!a U Xb"),
            ("a | b", "p0"),
            ("a & p0 & F c", "p1 & Fc"),
            (
                "(x | y) & (y | z) & F z & w & v",
                "p0 & (x | y) & (y | z) & Fz",
            ),
        ] {
            let mut arena = Formulas::new();
            let options = ParseOptions::default();
            let f = parse(&mut arena, given, &options).unwrap().formula;
            let r = relabel(&mut arena, f);
            let wanted = parse(&mut arena, wanted, &options).unwrap().formula;
            let shown = print(&arena, r.formula, Syntax::Spot).to_string();
            assert_eq!(r.formula, wanted, "{given} became {shown}");
            assert_eq!(r.restore(&mut arena), f);
        }
    }

    /// Restoring yields the formula again, and the formulas that the fresh propositions replace are disjoint from the
    /// rest.
    #[test]
    fn fresh_propositions_are_independent() {
        let mut arena = Formulas::new();
        let mut r = Random::new(6);
        let mut replaced = 0;
        for round in 0..2000 {
            let shape = RandomFormula {
                sizes: 1..=25,
                names: (0..8).map(|i| format!("a{i}")).collect(),
                ..RandomFormula::new(8)
            };
            let f = shape.draw(&mut arena, &mut r);
            let small = relabel(&mut arena, f);
            assert_eq!(small.restore(&mut arena), f, "round {round}");
            let mut seen = FxHashSet::default();
            let mut kept = arena.propositions_of(small.formula);
            kept.retain(|p| !small.map.contains_key(p));
            seen.extend(kept);
            for &meaning in small.map.values() {
                assert!(arena.facts(meaning).boolean() && !arena.is_literal(meaning));
                assert!(
                    arena
                        .propositions_of(meaning)
                        .into_iter()
                        .all(|p| seen.insert(p))
                );
            }
            replaced += small.map.len();
        }
        assert!(replaced > 200, "{replaced}");
    }

    #[test]
    fn substitution() {
        let mut arena = Formulas::new();
        let options = ParseOptions::default();
        let f = parse(&mut arena, "a U (b & Xa)", &options).unwrap().formula;
        let g = parse(&mut arena, "F c", &options).unwrap().formula;
        let a = arena.proposition("a");
        let by = FxHashMap::from_iter([(arena.proposition_number(a), g)]);
        let h = substitute(&mut arena, f, &by);
        let wanted = parse(&mut arena, "F c U (b & XFc)", &options)
            .unwrap()
            .formula;
        assert_eq!(h, wanted);
    }
}
