//! Questions about the models of formulas: satisfiability, validity, implication, equivalence.
//!
//! `f` is satisfiable iff its automaton accepts some word; it implies `g` iff no word is accepted by the automata of
//! `f` and of `!g`. So every question is one emptiness check, no automaton is ever complemented, and a word found is
//! evidence. Each question has a function that returns that word, in the letters that [`sempre_ltl::holds`]
//! evaluates, and one that returns a truth value.
//!
//! Cost: all these problems are PSPACE-complete; here it is the product of the automata's sizes, each at most
//! exponential in its formula. Deliberately not done: the product is not searched on the fly, since the automata are
//! reduced first and their products are small.

use crate::buchi::Translator;
use crate::language::{automaton, letters};
use sempre_base::Lasso;
use sempre_ltl::nnf::nnf;
use sempre_ltl::{Formula, Formulas, Letter};
use sempre_omega::Alphabet;
use sempre_omega::accepting_run::{accepting_word, intersecting_word};

/// A word that distinguishes two formulas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// It satisfies the first formula only.
    OnlyFirst(Lasso<Letter>),
    /// It satisfies the second formula only.
    OnlySecond(Lasso<Letter>),
}

/// A word that satisfies `f`, if there is one.
pub fn satisfying_word(
    translator: &mut Translator,
    formulas: &mut Formulas,
    f: Formula,
) -> Option<Lasso<Letter>> {
    let mut alphabet = Alphabet::new();
    let a = automaton(translator, formulas, &mut alphabet, f);
    let word = accepting_word(&alphabet.bdds, &a)?;
    Some(letters(formulas, &alphabet, &word))
}

/// A word that does not satisfy `f`, if there is one.
pub fn falsifying_word(
    translator: &mut Translator,
    formulas: &mut Formulas,
    f: Formula,
) -> Option<Lasso<Letter>> {
    let not_f = negation(formulas, f);
    satisfying_word(translator, formulas, not_f)
}

/// A word that satisfies `f` and not `g`, if there is one.
pub fn not_implied(
    translator: &mut Translator,
    formulas: &mut Formulas,
    f: Formula,
    g: Formula,
) -> Option<Lasso<Letter>> {
    let not_g = negation(formulas, g);
    let mut alphabet = Alphabet::new();
    let a = automaton(translator, formulas, &mut alphabet, f);
    let b = automaton(translator, formulas, &mut alphabet, not_g);
    let word = intersecting_word(&mut alphabet.bdds, &a, &b)?;
    Some(letters(formulas, &alphabet, &word))
}

/// A word that satisfies one of the formulas and not the other, if there is one.
pub fn difference(
    translator: &mut Translator,
    formulas: &mut Formulas,
    f: Formula,
    g: Formula,
) -> Option<Difference> {
    let (n, m) = (nnf(formulas, f), nnf(formulas, g));
    if n == m {
        return None;
    }
    not_implied(translator, formulas, n, m)
        .map(Difference::OnlyFirst)
        .or_else(|| not_implied(translator, formulas, m, n).map(Difference::OnlySecond))
}

/// Is there a word that satisfies `f`?
pub fn satisfiable(translator: &mut Translator, formulas: &mut Formulas, f: Formula) -> bool {
    satisfying_word(translator, formulas, f).is_some()
}

/// Do all words satisfy `f`?
pub fn valid(translator: &mut Translator, formulas: &mut Formulas, f: Formula) -> bool {
    falsifying_word(translator, formulas, f).is_none()
}

/// Do all words that satisfy `f` satisfy `g`?
pub fn implies(
    translator: &mut Translator,
    formulas: &mut Formulas,
    f: Formula,
    g: Formula,
) -> bool {
    not_implied(translator, formulas, f, g).is_none()
}

/// Do the same words satisfy `f` and `g`?
pub fn equivalent(
    translator: &mut Translator,
    formulas: &mut Formulas,
    f: Formula,
    g: Formula,
) -> bool {
    difference(translator, formulas, f, g).is_none()
}

fn negation(formulas: &mut Formulas, f: Formula) -> Formula {
    let not_f = formulas.not(f);
    nnf(formulas, not_f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{for_each_row, random_word};
    use sempre_base::Random;
    use sempre_ltl::{ParseOptions, RandomFormula, Simplifier, holds, parse};

    fn shape() -> RandomFormula {
        RandomFormula {
            sizes: 1..=9,
            ..RandomFormula::new(2)
        }
    }

    #[test]
    fn words_are_witnesses_and_no_word_contradicts_a_verdict() {
        let (mut t, mut arena, mut r) = (Translator::new(), Formulas::new(), Random::new(61));
        let (mut implied, mut not) = (0, 0);
        for _ in 0..600 {
            let f = shape().draw(&mut arena, &mut r);
            let g = shape().draw(&mut arena, &mut r);
            let some = satisfying_word(&mut t, &mut arena, f);
            let none = falsifying_word(&mut t, &mut arena, f);
            assert!(some.is_some() || none.is_some());
            assert!(some.as_ref().is_none_or(|w| holds(&arena, f, w)));
            assert!(none.as_ref().is_none_or(|w| !holds(&arena, f, w)));
            let apart = not_implied(&mut t, &mut arena, f, g);
            match &apart {
                Some(w) => {
                    assert!(holds(&arena, f, w) && !holds(&arena, g, w));
                    not += 1;
                }
                None => implied += 1,
            }
            for _ in 0..20 {
                let w = random_word(&mut r, &arena);
                let (x, y) = (holds(&arena, f, &w), holds(&arena, g, &w));
                assert!(if x { some.is_some() } else { none.is_some() });
                assert!(apart.is_some() || !x || y);
            }
        }
        assert!(implied > 50 && not > 200, "{implied} {not}");
    }

    #[test]
    fn rewriting_keeps_the_language_and_differences_are_real() {
        let (mut t, mut arena, mut r) = (Translator::new(), Formulas::new(), Random::new(62));
        let mut simplifier = Simplifier::default();
        let mut different = [0; 3];
        for _ in 0..400 {
            let f = shape().draw(&mut arena, &mut r);
            let n = nnf(&mut arena, f);
            let s = simplifier.simplify(&mut arena, n);
            assert!(equivalent(&mut t, &mut arena, f, s));
            let g = shape().draw(&mut arena, &mut r);
            match difference(&mut t, &mut arena, f, g) {
                Some(Difference::OnlyFirst(w)) => {
                    assert!(holds(&arena, f, &w) && !holds(&arena, g, &w));
                    different[0] += 1;
                }
                Some(Difference::OnlySecond(w)) => {
                    assert!(!holds(&arena, f, &w) && holds(&arena, g, &w));
                    different[1] += 1;
                }
                None => {
                    for _ in 0..20 {
                        let w = random_word(&mut r, &arena);
                        assert_eq!(holds(&arena, f, &w), holds(&arena, g, &w));
                    }
                    different[2] += 1;
                }
            }
        }
        assert!(different.iter().all(|&n| n > 5), "{different:?}");
    }

    #[test]
    fn textbook_laws() {
        let (mut t, mut arena) = (Translator::new(), Formulas::new());
        for (f, g, expected) in [
            ("p W q", "(p U q) | G p", true),
            ("p M q", "q U (p & q)", true),
            ("G F (p | q)", "G F p | G F q", true),
            ("G F (p & q)", "G F p & G F q", false),
            ("F G (p & q)", "F G p & F G q", true),
            ("X F p", "F X p", true),
            ("F p", "p", false),
            ("(p U q) U q", "p U q", true),
            ("p U (q U r)", "(p U q) U r", false),
        ] {
            let mut read = |x| parse(&mut arena, x, &ParseOptions::default());
            let (a, b) = (read(f).unwrap().formula, read(g).unwrap().formula);
            assert_eq!(equivalent(&mut t, &mut arena, a, b), expected, "{f}   {g}");
        }
    }

    #[test]
    #[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
    fn satisfiable_and_valid_as_in_the_reference_lists() {
        for_each_row(|arena, f, row| {
            let mut t = Translator::new();
            let text = row.get("formula");
            let yes = satisfiable(&mut t, arena, f);
            assert_eq!(yes, row.flag("satisfiable"), "{text}");
            assert_eq!(valid(&mut t, arena, f), row.flag("valid"), "{text}");
        });
    }
}
