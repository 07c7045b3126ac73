//! Stutter-invariance of a formula's language: does membership not depend on how often letters are repeated?
//!
//! A formula without `X` is stutter-invariant (Lamport, "What good is temporal logic?", IFIP 1983). For the others
//! the automata decide: Michaud and Duret-Lutz, "Practical stutter-invariance checks for ω-regular languages" (SPIN
//! 2015), see [`sempre_omega::stutter`]. The automata of the formula and of its negation, both closed under the
//! removal of repetitions, must share no word.
//!
//! Cost: polynomial in the two automata. Deliberately not done: rewriting an invariant formula with `X` to an
//! equivalent one without.

use crate::language::Language;
use sempre_base::Lasso;
use sempre_ltl::Letter;
use sempre_omega::stutter;

/// Is the language stutter-invariant?
pub fn is_stutter_invariant(language: &mut Language) -> bool {
    language.facts().next_free() || {
        let (bdds, a, n) = language.both();
        stutter::is_stutter_invariant(bdds, a, n)
    }
}

/// Two words that differ only in how often letters are repeated, the first in the language, the
/// second not; `None` if the language is stutter-invariant.
pub fn stutter_witness(language: &mut Language) -> Option<(Lasso<Letter>, Lasso<Letter>)> {
    if language.facts().next_free() {
        return None;
    }
    let (bdds, a, n) = language.both();
    let (yes, no) = stutter::stutter_witness(bdds, a, n)?;
    Some((language.word(&yes), language.word(&no)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{for_each_row, random_word};
    use crate::translator::Translator;
    use sempre_base::Random;
    use sempre_ltl::{Formulas, Op, ParseOptions, RandomFormula, holds, parse};

    /// The word with letters repeated at random.
    fn stretch(r: &mut Random, w: &Lasso<Letter>) -> Lasso<Letter> {
        let mut part = |letters: &[Letter]| -> Vec<Letter> {
            letters
                .iter()
                .flat_map(|x| std::iter::repeat_n(x.clone(), 1 + r.below(3)))
                .collect()
        };
        Lasso::new(part(w.prefix()), part(w.cycle()))
    }

    /// The first letters of the word without repetitions, enough of them to distinguish the words of these tests.
    fn without_repetition(w: &Lasso<Letter>) -> Vec<Letter> {
        let mut letters: Vec<Letter> = std::iter::successors(Some(0), |&i| Some(w.successor(i)))
            .take(2000)
            .map(|i| w.letter(i).clone())
            .collect();
        letters.dedup();
        letters.truncate(200);
        letters
    }

    #[test]
    fn verdicts_agree_with_words() {
        let (mut t, mut arena, mut r) = (Translator::new(), Formulas::new(), Random::new(81));
        let mut shape = RandomFormula {
            sizes: 2..=9,
            ..RandomFormula::new(2)
        };
        shape.set_priority(Op::Next, 3);
        let (mut invariant, mut not) = (0, 0);
        for _ in 0..2000 {
            let f = shape.draw(&mut arena, &mut r);
            let mut language = Language::new(&mut t, &mut arena, f);
            let verdict = is_stutter_invariant(&mut language);
            let easy = language.facts().next_free();
            let witness = stutter_witness(&mut language);
            assert_eq!(witness.is_none(), verdict);
            if let Some((yes, no)) = witness {
                assert!(holds(&arena, f, &yes) && !holds(&arena, f, &no));
                assert_eq!(without_repetition(&yes), without_repetition(&no));
                not += 1;
            } else {
                for _ in 0..20 {
                    let w = random_word(&mut r, &arena);
                    let v = stretch(&mut r, &w);
                    assert_eq!(holds(&arena, f, &w), holds(&arena, f, &v));
                }
                invariant += usize::from(!easy);
            }
        }
        assert!(invariant > 40 && not > 400, "{invariant} {not}");
    }

    #[test]
    fn small_formulas() {
        let mut arena = Formulas::new();
        for (text, expected) in [
            ("p U q", true),
            ("X p", false),
            ("F (p & X !p)", true),
            ("X F p", false),
            ("F (p & X p)", false),
            ("G (p -> X F q)", true),
            ("G (p -> X q)", false),
            ("X G F p", true),
        ] {
            let f = parse(&mut arena, text, &ParseOptions::default()).unwrap();
            let mut t = Translator::new();
            let mut language = Language::new(&mut t, &mut arena, f.formula);
            assert_eq!(is_stutter_invariant(&mut language), expected, "{text}");
        }
    }

    #[test]
    #[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
    fn as_in_the_reference_lists() {
        for_each_row(|arena, f, row| {
            let mut t = Translator::new();
            let mut language = Language::new(&mut t, arena, f);
            let verdict = is_stutter_invariant(&mut language);
            let text = row.get("formula");
            assert_eq!(verdict, row.flag("stutter_invariant"), "{text}");
        });
    }
}
