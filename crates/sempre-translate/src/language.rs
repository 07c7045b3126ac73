//! The language of a formula: its automaton and that of its negation.
//!
//! All questions about the language of a formula (its class, whether it is stutter-invariant) are answered by
//! products of automata of the formula with automata of its negation: both come from formulas, so nothing is ever
//! complemented. A [`Language`] constructs each of the two on first use and keeps it, so that several questions share
//! them.
//!
//! The automata are made with medium effort: rewriting and one simulation save more in the products than they cost,
//! the search for the smallest automaton does not.

use crate::buchi::Translator;
use crate::options::{Effort, Kind, Options};
use sempre_base::Lasso;
use sempre_ltl::nnf::nnf;
use sempre_ltl::{Facts, Formula, Formulas, Letter};
use sempre_omega::{Alphabet, Automaton, Bdds, Word};

/// A formula as the set of its models.
pub struct Language<'a> {
    translator: &'a mut Translator,
    formulas: &'a mut Formulas,
    alphabet: Alphabet,
    formula: Formula,
    negation: Formula,
    positive: Option<Automaton>,
    negative: Option<Automaton>,
}

impl<'a> Language<'a> {
    /// The language of `f`. Nothing is computed yet.
    pub fn new(translator: &'a mut Translator, formulas: &'a mut Formulas, f: Formula) -> Self {
        let formula = nnf(formulas, f);
        let not = formulas.not(formula);
        let negation = nnf(formulas, not);
        Self {
            translator,
            formulas,
            alphabet: Alphabet::new(),
            formula,
            negation,
            positive: None,
            negative: None,
        }
    }

    /// The syntactic facts of the formula, in negation normal form.
    pub fn facts(&self) -> Facts {
        self.formulas.facts(self.formula)
    }

    /// An automaton of the formula, and the labels.
    pub fn positive(&mut self) -> (&mut Bdds, &Automaton) {
        let a = self.positive.get_or_insert_with(|| {
            automaton(
                self.translator,
                self.formulas,
                &mut self.alphabet,
                self.formula,
            )
        });
        (&mut self.alphabet.bdds, a)
    }

    /// An automaton of the negation of the formula, and the labels.
    pub fn negative(&mut self) -> (&mut Bdds, &Automaton) {
        let a = self.negative.get_or_insert_with(|| {
            automaton(
                self.translator,
                self.formulas,
                &mut self.alphabet,
                self.negation,
            )
        });
        (&mut self.alphabet.bdds, a)
    }

    /// The labels, an automaton of the formula and one of its negation.
    pub fn both(&mut self) -> (&mut Bdds, &Automaton, &Automaton) {
        self.positive();
        self.negative();
        match (&self.positive, &self.negative) {
            (Some(p), Some(n)) => (&mut self.alphabet.bdds, p, n),
            _ => unreachable!("just made"),
        }
    }

    /// A word of the automata, converted to one that formulas can be evaluated on.
    pub fn word(&mut self, word: &Word) -> Lasso<Letter> {
        letters(self.formulas, &self.alphabet, word)
    }
}

/// The automaton used for questions about `f`.
pub(crate) fn automaton(
    translator: &mut Translator,
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
) -> Automaton {
    let options = Options {
        kind: Kind::Tgba,
        effort: Effort::Medium,
        ..Options::default()
    };
    translator.unlimited_buchi(formulas, alphabet, f, options)
}

/// The word over the propositions of `formulas` with the same names.
pub(crate) fn letters(formulas: &mut Formulas, alphabet: &Alphabet, word: &Word) -> Lasso<Letter> {
    word.map(|letter| {
        letter
            .iter()
            .map(|v| {
                let p = formulas.proposition(alphabet.name(v));
                formulas.proposition_number(p)
            })
            .collect()
    })
}
