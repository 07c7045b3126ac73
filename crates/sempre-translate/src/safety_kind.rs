//! The kind of safety that a formula expresses: intentional, accidental or pathological.
//!
//! Kupferman and Vardi, "Model checking of safety properties" (FMSD 2001), as in Latvala, "Efficient model checking
//! of safety properties" (SPIN 2003), sections 3.1 and 4.1. A safety formula is
//!
//! * *intentional* if all its bad prefixes are informative: the minimal automaton of the informative ones
//!   ([`informative_prefixes`]) is the minimal automaton of all ([`bad_prefixes`](mod@sempre_omega::finite::bad_prefixes));
//! * *accidental* if not all are, but every violation has an informative one;
//! * *pathological* if some violation has none. The finite automaton of informative prefixes then misses violations,
//!   and must not be used alone.
//!
//! The pathologic check is that of section 4.1: the product of a Büchi automaton of the violations, from any source,
//! with the complement of the deterministic automaton of the informative prefixes is empty or has a word that is the
//! evidence. A formula that is no safety formula fails the check as well ([`uninformative_violation`] is for any
//! formula); [`classify`] is for safety formulas only.
//!
//! The empty word is never informative. It is a bad prefix of unsatisfiable formulas, so these are never intentional.
//!
//! Cost: that of the two finite automata, which is exponential in the automata of the formula; the products are
//! polynomial. The result is `None` if `limit` states were not enough.

use crate::informative_prefixes;
use crate::language;
use crate::translator::Translator;
use sempre_ltl::{Formula, Formulas};
use sempre_omega::accepting_run::intersecting_word;
use sempre_omega::finite::{FiniteDifference, bad_prefixes, difference, without_prefix};
use sempre_omega::{Alphabet, Automaton, Letter, Word};
use std::fmt;

/// The kind of a safety formula, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SafetyKind {
    /// All bad prefixes are informative.
    Intentional,
    /// Every violation has an informative prefix, but some bad prefix is not informative.
    Accidental {
        /// A shortest bad prefix that is not informative.
        bad_prefix: Vec<Letter>,
    },
    /// Some violation has no informative prefix.
    Pathological {
        /// Such a violation.
        violation: Word,
    },
}

impl fmt::Display for SafetyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Intentional => "intentional",
            Self::Accidental { .. } => "accidental",
            Self::Pathological { .. } => "pathological",
        })
    }
}

/// A word that `violations` accepts and that has no informative bad prefix of `f`; `Some(None)` if there
/// is none; `None` if `limit` states are not enough. `violations` is an automaton of the negation of `f`.
pub fn uninformative_violation(
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    violations: &Automaton,
    limit: usize,
) -> Option<Option<Word>> {
    let informative = informative_prefixes::dfa(formulas, alphabet, f, limit)?;
    let outside = without_prefix(&mut alphabet.bdds, &informative);
    Some(intersecting_word(&mut alphabet.bdds, violations, &outside))
}

/// The kind of the safety formula `f`, by automata of its models and of its violations; `None` if
/// `limit` states are not enough.
pub fn classify(
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    models: &Automaton,
    violations: &Automaton,
    limit: usize,
) -> Option<SafetyKind> {
    if let Some(violation) = uninformative_violation(formulas, alphabet, f, violations, limit)? {
        return Some(SafetyKind::Pathological { violation });
    }
    let informative = informative_prefixes::dfa(formulas, alphabet, f, limit)?;
    let bad = bad_prefixes(&mut alphabet.bdds, models, limit)?;
    Some(
        match difference(&mut alphabet.bdds, &bad, &informative, usize::MAX)? {
            None => SafetyKind::Intentional,
            Some(FiniteDifference::OnlyFirst(bad_prefix)) => SafetyKind::Accidental { bad_prefix },
            Some(FiniteDifference::OnlySecond(word)) => {
                // Informative words are bad prefixes, so `violations` is not an automaton of the negation.
                debug_assert!(false, "{word:?} is informative but not bad");
                SafetyKind::Accidental { bad_prefix: word }
            }
        },
    )
}

/// The kind of the safety formula `f`, over the propositions of `alphabet`, which gets those it lacks;
/// `None` if `limit` states are not enough.
pub fn safety_kind(
    translator: &mut Translator,
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    limit: usize,
) -> Option<SafetyKind> {
    let not = formulas.not(f);
    let models = language::automaton(translator, formulas, alphabet, f);
    let violations = language::automaton(translator, formulas, alphabet, not);
    classify(formulas, alphabet, f, &models, &violations, limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::is_safety;
    use crate::language::Language;
    use sempre_base::Random;
    use sempre_ltl::{ParseOptions, RandomFormula, Syntax, parse, print};
    use sempre_omega::finite::{intersection, minimize, to_terminal};
    use sempre_omega::membership::accepts;

    const EXACT: ParseOptions = ParseOptions {
        exact: true,
        known: None,
    };

    fn kind(text: &str) -> String {
        let mut arena = Formulas::new();
        let f = parse(&mut arena, text, &EXACT).expect("a formula").formula;
        let mut t = Translator::new();
        assert!(
            is_safety(&mut Language::new(&mut t, &mut arena, f)),
            "{text} is safe"
        );
        let mut alphabet = Alphabet::new();
        let found = safety_kind(&mut t, &mut arena, &mut alphabet, f, 1 << 12);
        found.expect("small").to_string()
    }

    /// Each with the reason. "Proved" is short for "in some set of a witness": `p` is proved by a letter, `f U g` by the
    /// letters up to one that proves `g`, `G f` never.
    #[test]
    fn kinds_with_proofs() {
        let table = [
            // --- intentional ---
            // A word is bad iff some letter lacks p, and that letter proves !p, so F !p.
            ("G p", "intentional"),
            // Nothing is bad, nothing is informative.
            ("true", "intentional"),
            // Bad iff there is a first letter and it lacks p.
            ("p", "intentional"),
            // Bad iff there is a second letter and it lacks p; X !p is proved then and only then.
            ("X p", "intentional"),
            ("XX p", "intentional"),
            // Bad iff some letter with a is followed by one without b: both are there to be proved.
            ("G(a -> X b)", "intentional"),
            // !p U (!p & !q): bad iff a letter without either comes before any with p; that letter proves it.
            ("q W p", "intentional"),
            ("p R q", "intentional"),
            // Bad iff one of the two is bad (each can be satisfied after any letters of the other),
            // and each is informative.
            ("G p & G q", "intentional"),
            // A bad prefix lacks p once and lacks q once; both are proved.
            ("G p | G q", "intentional"),
            // After a, letters lacking b are bad until c; every bad prefix contains the culprit.
            ("G(a -> (b W c))", "intentional"),
            // Mutual exclusion: one letter proves it.
            ("G !(a & b)", "intentional"),
            // Alternation as equivalence in one step: the two letters prove both sides.
            ("G(X a <-> !a)", "intentional"),
            // Valid: no bad prefixes, and X p & X !p cannot be proved.
            ("X p | X !p", "intentional"),
            // Valid, though not syntactically safe: F !p & G p is never proved, and never bad.
            ("G p | F !p", "intentional"),
            // Not syntactically safe, equivalent to G p: a letter without p is bad and proves F !p, one of
            // the two ways of G !p | F !p.
            ("F p & G p", "intentional"),
            // Equivalent to p; bad iff the first letter lacks p, which proves !p.
            ("p & F p", "intentional"),
            // Equivalent to X p; the second letter proves X !p, and G !q & F q is never needed.
            ("X p & (F q | G !q)", "intentional"),
            // --- accidental ---
            // Kupferman and Vardi: equivalent to G p; a word that ends in the first letter without p is
            // bad, but X !q | X q needs one more letter to be proved.
            ("G(p | (X q & X !q))", "accidental"),
            // Unsatisfiable, so the empty word is bad; every other word is informative.
            ("false", "accidental"),
            // The same; one letter proves !p or p.
            ("p & !p", "accidental"),
            // Unsatisfiable; all of length two is informative (X true is proved), length one is not.
            ("X false", "accidental"),
            // Equivalent to p: bad without p at once, but !p and X true are proved only by one more letter.
            ("p | X false", "accidental"),
            // Unsatisfiable; the first letter proves p, or it proves F !p.
            ("G p & !p", "accidental"),
            // Unsatisfiable, so one letter p is bad, but not proved; the second letter proves F !p or X p.
            ("G p & X !p", "accidental"),
            // Equivalent to G p; F(!p & X 1) is proved one letter later than the culprit.
            ("G(p | X 0)", "accidental"),
            // Equivalent to X p, but XX true has to be proved too.
            ("X p | XX 0", "accidental"),
            // Unsatisfiable; the first letter proves it, whatever it is.
            ("a & G !a", "accidental"),
            // --- pathological ---
            // Kupferman and Vardi: equivalent to G q | G r. A violation lacks q once and r once and
            // must prove F(!q & G F !p) or F(!r & G F p), neither of which can be proved.
            ("(G(q | F G p) & G(r | F G !p)) | G q | G r", "pathological"),
            // Unsatisfiable; G F p | F G !p is true of all words and proved by none.
            ("F G p & G F !p", "pathological"),
            // Unsatisfiable; the violations are all words, and G !p | F p is proved only if p comes.
            ("F p & G !p", "pathological"),
            // Equivalent to G p: a violation must prove F(!p & (G F q | F G !q)).
            ("G(p | (F G q & G F !q))", "pathological"),
            // Equivalent to p, by the same contradiction behind an X.
            ("p | X(G q & F !q)", "pathological"),
            // Equivalent to p: a violation lacks p and must prove F !q or G q, and has q for ever.
            ("p | (G q & F !q)", "pathological"),
            // Equivalent to G p: a violation lacks p once, and G !q | F q is not proved if q never comes.
            ("G p | (F q & G !q)", "pathological"),
        ];
        for (text, wanted) in table {
            assert_eq!(kind(text), wanted, "{text}");
        }
        assert!(table.len() >= 25);
    }

    /// By independent methods: evidence is checked, and the kinds are relations between two finite automata.
    #[test]
    fn kinds_of_random_formulas() {
        let mut r = Random::new(14);
        let mut seen = [0; 3];
        for round in 0..1500 {
            let mut arena = Formulas::new();
            let shape = RandomFormula {
                sizes: 1..=11,
                exact: true,
                ..RandomFormula::new(1 + round % 2)
            };
            let f = shape.draw(&mut arena, &mut r);
            let text = print(&arena, f, Syntax::Spot).to_string();
            let mut t = Translator::new();
            if !is_safety(&mut Language::new(&mut t, &mut arena, f)) {
                continue;
            }
            let mut alphabet = Alphabet::new();
            let found = safety_kind(&mut t, &mut arena, &mut alphabet, f, 1 << 12);
            let found = found.expect("small");
            let models = language::automaton(&mut t, &mut arena, &mut alphabet, f);
            let informative =
                informative_prefixes::dfa(&mut arena, &mut alphabet, f, 1 << 12).expect("small");
            let bdds = &mut alphabet.bdds;
            let bad = bad_prefixes(bdds, &models, 1 << 12).expect("small");
            // Safety: the bad prefixes determine the language; the informative ones are bad.
            let inside = intersection(bdds, &bad, &informative);
            let inside = minimize(bdds, &inside, 1 << 12).expect("small");
            assert_eq!(inside.edges, informative.edges, "{text}");
            match found {
                SafetyKind::Intentional => {
                    assert_eq!(
                        (&bad.edges, &bad.is_final),
                        (&informative.edges, &informative.is_final)
                    );
                    seen[0] += 1;
                }
                SafetyKind::Accidental { bad_prefix } => {
                    assert!(bad.accepts(bdds, &bad_prefix), "{text}");
                    assert!(!informative.accepts(bdds, &bad_prefix), "{text}");
                    // No bad word can be continued for ever without becoming informative: the part of the product
                    // that is bad and not informative has no cycle.
                    let outside = without_prefix(bdds, &informative);
                    let none = intersecting_word(bdds, &to_terminal(&bad), &outside);
                    assert_eq!(none, None, "{text}");
                    seen[1] += 1;
                }
                SafetyKind::Pathological { violation } => {
                    assert!(!accepts(bdds, &models, &violation), "{text}");
                    assert!(
                        !accepts(bdds, &to_terminal(&informative), &violation),
                        "{text}"
                    );
                    assert!(accepts(bdds, &to_terminal(&bad), &violation), "{text}");
                    seen[2] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
    }

    /// A syntactically safe formula is never pathological (Kupferman and Vardi); a formula that is not safe has an
    /// uninformative violation.
    #[test]
    fn fragments_and_others() {
        let mut r = Random::new(15);
        let (mut safe, mut unsafe_ones) = (0, 0);
        for _ in 0..1000 {
            let mut arena = Formulas::new();
            let shape = RandomFormula {
                sizes: 1..=12,
                exact: true,
                ..RandomFormula::new(2)
            };
            let f = shape.draw(&mut arena, &mut r);
            let not = arena.not(f);
            let mut t = Translator::new();
            let mut alphabet = Alphabet::new();
            let n = language::automaton(&mut t, &mut arena, &mut alphabet, not);
            let word = uninformative_violation(&mut arena, &mut alphabet, f, &n, 1 << 12);
            let word = word.expect("small");
            if arena.facts(f).safety() {
                assert_eq!(word, None);
                safe += 1;
            }
            if !is_safety(&mut Language::new(&mut t, &mut arena, f)) {
                assert!(word.is_some());
                unsafe_ones += 1;
            }
        }
        assert!(safe > 100 && unsafe_ones > 100, "{safe} {unsafe_ones}");
    }
}
