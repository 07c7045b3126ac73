//! A property that is a conjunction, as its parts.
//!
//! Every run satisfies `φ & ψ` if every run satisfies `φ` and every run satisfies `ψ`; and a run that violates one of them violates
//! the whole. `G` distributes over `&`. So the conjuncts can be checked one by one: their automata are smaller than that of the whole,
//! some of them have finite ones although the whole has none, and in one exploration ([`super::several`]) a part costs little.
//!
//! A safety property stays whole: its deterministic automaton is searched once, and finds a shortest prefix. Of other
//! conjunctions all conditions on states (`G p`, where `p` has no temporal operator) are one part.

use super::property::{Claim, Property};
use sempre_ltl::{Formula, Formulas, Op};

/// The parts of a property, each with all of its propositions; the property itself if it is no conjunction or is checked better as
/// a whole.
pub(super) fn parts(property: &Property) -> Vec<Property> {
    let whole = || vec![property.clone()];
    let Claim::Formula(formulas, formula) = &property.claim else {
        return whole();
    };
    let mut formulas = formulas.clone();
    let conjuncts = conjuncts(&mut formulas, *formula);
    if conjuncts.len() < 2 || formulas.facts(*formula).safety() {
        return whole();
    }
    let (conditions, mut others): (Vec<Formula>, Vec<Formula>) =
        (conjuncts.into_iter()).partition(|&f| is_condition(&formulas, f));
    if !conditions.is_empty() {
        others.insert(0, formulas.and(&conditions));
    }
    if others.len() < 2 {
        return whole();
    }
    let part = |f| Property {
        claim: Claim::Formula(formulas.clone(), f),
        warnings: Vec::new(),
        ..property.clone()
    };
    others.into_iter().map(part).collect()
}

/// Is the property checked as a whole? A prefix that violates a part is a shortest one of that part; a shorter prefix may contradict
/// several parts together.
pub(crate) fn is_whole(property: &Property) -> bool {
    parts(property).len() == 1
}

/// The formulas whose conjunction it is, those below `G` among them.
fn conjuncts(formulas: &mut Formulas, formula: Formula) -> Vec<Formula> {
    let mut found = Vec::new();
    // With each, whether it is below `G`.
    let mut todo = vec![(formula, false)];
    while let Some((f, always)) = todo.pop() {
        let operands = formulas.operands(f).to_vec();
        match formulas.op(f) {
            Op::And => todo.extend(operands.into_iter().rev().map(|g| (g, always))),
            Op::Globally => todo.extend(operands.into_iter().map(|g| (g, true))),
            _ if always => found.push(formulas.globally(f)),
            _ => found.push(f),
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|f| seen.insert(*f));
    found
}

/// Is it `G p` for a `p` without temporal operators?
fn is_condition(formulas: &Formulas, f: Formula) -> bool {
    let is_plain = |op| {
        matches!(
            op,
            Op::True
                | Op::False
                | Op::Proposition
                | Op::Not
                | Op::And
                | Op::Or
                | Op::Implies
                | Op::Equiv
                | Op::Xor
        )
    };
    formulas.op(f) == Op::Globally
        && (formulas.operands(f).iter())
            .all(|&p| (formulas.subformulas(p).iter()).all(|&g| is_plain(formulas.op(g))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::sources;
    use sempre_lang::model::{Language, Model};
    use sempre_ltl::{Syntax, print};

    #[test]
    fn parts_of_conjunctions() {
        let text = "byte a; byte b; byte c; process P { state s; init s; } system async;";
        let (model, _) = Model::read(Language::Dve, "tiny", text).unwrap();
        for (formula, expected) in [
            ("G {a==0}", 1),
            ("G {a==0} & G {b==0}", 1),
            ("G({a==0} & ({b==0} W {c==0}))", 1),
            ("G F {a==0} | G F {b==0}", 1),
            ("G F {a==0} & G F {b==0}", 2),
            ("G({a==0} & {b==0} & F {c==0}) & G {c==0}", 2),
            (
                "G(({a==0} -> F {b==0}) & ({b==0} -> F {c==0})) & F {c==0}",
                3,
            ),
            ("G F {a==0} & G F {a==0}", 1),
        ] {
            let property = sources::formula(&model, formula).unwrap();
            let parts = parts(&property);
            let shown: Vec<String> = (parts.iter())
                .map(|part| match &part.claim {
                    Claim::Formula(formulas, f) => print(formulas, *f, Syntax::Spot).to_string(),
                    _ => String::new(),
                })
                .collect();
            assert_eq!(parts.len(), expected, "{formula}: {shown:?}");
        }
    }
}
