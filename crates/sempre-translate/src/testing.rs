//! Translation of a formula to a testing automaton, or to two words that show why there is none.
//!
//! Testing automata exist only for stutter-invariant languages. A formula without `X` has one; for the others the
//! question is decided ([`stutter`](mod@crate::stutter)), and a refusal comes with a witness. The rest is translation
//! and the constructions of [`sempre_omega::testing`]: a TA comes from a Büchi automaton with acceptance on states, a
//! TGTA from a TGBA.
//!
//! Deliberately not done: choosing among several automata of the formula the one with the smallest testing automaton.

use crate::language::Language;
use crate::stutter::stutter_witness;
use crate::translator::{Kind, Options, Translator};
use sempre_base::Lasso;
use sempre_ltl::{Formula, Formulas, Letter};
use sempre_omega::Alphabet;
use sempre_omega::testing::{Limits, Refusal, Ta, Tgta};
use std::fmt;

/// The reason why a formula has no testing automaton.
#[derive(Clone, Debug)]
pub enum TestingError {
    /// The words differ only in how often letters are repeated, and only the first satisfies the
    /// formula.
    StutterSensitive {
        /// The word that satisfies it.
        accepted: Lasso<Letter>,
        /// The word that does not.
        rejected: Lasso<Letter>,
    },
    /// The construction refused.
    Refused(Refusal),
}

impl fmt::Display for TestingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestingError::StutterSensitive { .. } => f.write_str("it is not stutter-invariant"),
            TestingError::Refused(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for TestingError {}

impl From<Refusal> for TestingError {
    fn from(why: Refusal) -> Self {
        TestingError::Refused(why)
    }
}

/// A testing automaton of `f`. The kind in the options is ignored.
pub fn ta(
    translator: &mut Translator,
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    options: Options,
    limits: Limits,
) -> Result<Ta, TestingError> {
    refuse_stutter_sensitive(translator, formulas, f)?;
    let kind = Kind::Ba;
    let a = translator.translate(formulas, alphabet, f, Options { kind, ..options });
    Ok(Ta::new(&mut alphabet.bdds, &a, limits)?)
}

/// A transition-based generalised testing automaton of `f`. The kind in the options is ignored.
pub fn tgta(
    translator: &mut Translator,
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    options: Options,
    limits: Limits,
) -> Result<Tgta, TestingError> {
    refuse_stutter_sensitive(translator, formulas, f)?;
    let kind = Kind::Tgba;
    let a = translator.translate(formulas, alphabet, f, Options { kind, ..options });
    Ok(Tgta::new(&mut alphabet.bdds, &a, limits)?)
}

fn refuse_stutter_sensitive(
    translator: &mut Translator,
    formulas: &mut Formulas,
    f: Formula,
) -> Result<(), TestingError> {
    let mut language = Language::new(translator, formulas, f);
    match stutter_witness(&mut language) {
        Some((accepted, rejected)) => Err(TestingError::StutterSensitive { accepted, rejected }),
        None => Ok(()),
    }
}
