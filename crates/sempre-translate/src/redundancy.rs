//! The search for a non-pathological equivalent of a pathological formula.
//!
//! Pathological safety formulas are redundant (Kupferman, Vardi, FMSD 2001): some part of them cannot be satisfied,
//! and no finite word proves that. There is always an equivalent that is not pathological, but no feasible
//! construction is known. This is a search that often succeeds: parts are removed, or replaced by simpler ones
//! ([`shrink_steps`]), as long as the language stays the same.
//!
//! Invariants: I1, every intermediate formula is equivalent to the first. I2, each is less than the one before in a
//! well-founded order, so the search ends.
//!
//! Cost: `MAX_TRIES` comparisons of languages at most.

use crate::equivalence::equivalent;
use crate::safety_kind::{SafetyKind, safety_kind};
use crate::translator::Translator;
use sempre_ltl::shrink::shrink_steps;
use sempre_ltl::{Formula, Formulas};
use sempre_omega::Alphabet;

/// Comparisons of languages.
pub(crate) const MAX_TRIES: usize = 500;

/// Larger formulas are not tried.
pub const LARGEST: usize = 60;

/// An equivalent of the safety formula `f` that is not pathological, if one is found; `limit` bounds the states of finite automata.
pub fn without_pathology(
    translator: &mut Translator,
    formulas: &mut Formulas,
    f: Formula,
    limit: usize,
) -> Option<Formula> {
    let mut now = f;
    let mut tries = 0;
    while formulas.size(now) <= LARGEST {
        let kind = safety_kind(translator, formulas, &mut Alphabet::new(), now, limit);
        if kind.is_some_and(|k| !matches!(k, SafetyKind::Pathological { .. })) {
            return Some(now);
        }
        let smaller = shrink_steps(formulas, now).into_iter().find(|&g| {
            tries += 1;
            tries <= MAX_TRIES && equivalent(translator, formulas, now, g)
        });
        now = smaller?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::is_safety;
    use crate::language::Language;
    use sempre_base::Random;
    use sempre_ltl::{ParseOptions, RandomFormula, Syntax, parse, print};

    const EXACT: ParseOptions = ParseOptions {
        exact: true,
        known: None,
    };

    #[test]
    fn what_cannot_happen_is_left_out() {
        for (text, wanted) in [
            ("(G(q | F G p) & G(r | F G !p)) | G q | G r", "Gq | Gr"),
            ("G(p | (F G q & G F !q))", "Gp"),
            ("p | X(G q & F !q)", "p"),
            ("F p & G !p", "0"),
        ] {
            let mut arena = Formulas::new();
            let f = parse(&mut arena, text, &EXACT).expect("a formula").formula;
            let found = without_pathology(&mut Translator::new(), &mut arena, f, 1 << 12);
            let found = found.map(|g| print(&arena, g, Syntax::Spot).to_string());
            assert_eq!(found.as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_found_means_the_same_and_is_healthy() {
        let mut r = Random::new(23);
        let (mut pathological, mut healed) = (0, 0);
        for _ in 0..400 {
            let mut arena = Formulas::new();
            let shape = RandomFormula {
                sizes: 5..=9,
                exact: true,
                ..RandomFormula::new(2)
            };
            let f = shape.draw(&mut arena, &mut r);
            let mut t = Translator::new();
            if !is_safety(&mut Language::new(&mut t, &mut arena, f)) {
                continue;
            }
            let kind = |t: &mut Translator, arena: &mut Formulas, g: Formula| {
                safety_kind(t, arena, &mut Alphabet::new(), g, 1 << 12).expect("small")
            };
            if !matches!(kind(&mut t, &mut arena, f), SafetyKind::Pathological { .. }) {
                continue;
            }
            pathological += 1;
            let Some(g) = without_pathology(&mut t, &mut arena, f, 1 << 12) else {
                continue;
            };
            assert!(equivalent(&mut t, &mut arena, f, g));
            assert!(!matches!(
                kind(&mut t, &mut arena, g),
                SafetyKind::Pathological { .. }
            ));
            healed += 1;
        }
        assert!(
            healed > 10 && healed == pathological,
            "{healed} {pathological}"
        );
    }
}
