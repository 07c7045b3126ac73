//! What is to be checked, in the terms of one model.

use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Severity, Span};
use sempre_lang::model::Model;
pub use sempre_lang::pnml::Asked;
use sempre_ltl::parse::canonical_name;
use sempre_ltl::relabel::substitute;
use sempre_ltl::{Formula, Formulas};
use sempre_model::intervals::constant_truth;
use sempre_model::{Expr, Program};
use sempre_omega::{Alphabet, Automaton};
use std::sync::Arc;

/// A proposition of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposition {
    /// As the property spells it, without quotes or braces around the whole.
    pub text: String,
    /// What it says about the states of the model.
    pub meaning: Expr,
}

/// What a property claims about the runs of a model.
#[derive(Clone)]
pub enum Claim {
    /// All of them satisfy the formula. Number `i` of the arena is proposition `i` of the property.
    Formula(Box<Formulas>, Formula),
    /// The automaton accepts none of them. Variable `i` of the alphabet is proposition `i` of the property.
    Violation(Box<Alphabet>, Box<Automaton>),
    /// In each of them each of these processes takes part in infinitely many steps.
    Progress(Vec<u32>),
    /// In none of the runs of this program a step is erroneous or an assertion fails. It may be another program than that of the model: one
    /// in which ends fail.
    NoFailure(Arc<Program>),
}

/// A property of a model.
#[derive(Clone)]
pub struct Property {
    /// What it is called.
    pub name: String,
    /// Its propositions.
    pub propositions: Vec<Proposition>,
    /// What it says about runs.
    pub claim: Claim,
    /// What was asked; of [`Asked::Reachable`], the claim is the negation.
    pub asked: Asked,
    /// What may not mean what its author thinks; spans are of the text it was read from.
    pub warnings: Vec<Diagnostic>,
}

impl Property {
    /// The property with the truth of what is always true or always false in its formula, and a sentence for each such
    /// proposition. The propositions stay as they are.
    pub(super) fn settled(&self, program: &Program) -> (Self, Vec<String>) {
        let mut property = self.clone();
        let mut sentences = Vec::new();
        let Claim::Formula(formulas, formula) = &mut property.claim else {
            return (property, sentences);
        };
        let mut known = FxHashMap::default();
        for number in formulas.propositions_of(*formula) {
            let proposition = &property.propositions[number];
            let Some(truth) = constant_truth(program, &proposition.meaning) else {
                continue;
            };
            known.insert(number, if truth { Formula::TRUE } else { Formula::FALSE });
            sentences.push(format!(
                "`{}` is {truth} in all states, by the types of its variables",
                proposition.text
            ));
        }
        if !known.is_empty() {
            *formula = substitute(formulas, *formula, &known);
        }
        (property, sentences)
    }
}

/// What a proposition means in a model. Complaints have the spans of the text in which it stands at `place`.
pub fn bind(
    model: &Model,
    source: &str,
    place: Option<Span>,
) -> Result<Proposition, Vec<Diagnostic>> {
    let mut text = match place {
        Some(span) => &source[span.start..span.end],
        None => source,
    };
    let mut base = place.map_or(0, |span| span.start);
    // Braces belong to the formula; quotes may be part of a name.
    if let Some(inside) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        text = inside;
        base += 1;
    }
    // The canonical text is without the escapes of other tools.
    let read = (model.proposition(text))
        .or_else(|errors| model.proposition(bare(text)).map_err(|_| errors))
        .or_else(|errors| model.proposition(&canonical_name(text)).map_err(|_| errors));
    match read {
        Ok(meaning) => Ok(Proposition {
            text: bare(text).to_string(),
            meaning,
        }),
        Err(mut errors) => {
            errors.retain(|e| e.severity == Severity::Error);
            for error in &mut errors {
                error.span.start += base;
                error.span.end += base;
            }
            Err(errors)
        }
    }
}

/// The text without quotes or braces around the whole.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let inside = |open: char, close: char| {
        (text.strip_prefix(open).and_then(|t| t.strip_suffix(close)))
            .filter(|t| !t.contains([open, close]))
    };
    inside('{', '}')
        .or_else(|| inside('"', '"'))
        .or_else(|| inside('\'', '\''))
        .map_or(text, str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around_a_proposition_is_not_part_of_it() {
        for (text, expected) in [
            ("P_0.CS", "P_0.CS"),
            ("{ x == 3 }", "x == 3"),
            ("\"x > 1\"", "x > 1"),
            ("'x > 1'", "x > 1"),
            ("\"a\" == \"b\"", "\"a\" == \"b\""),
            ("{P == \"b\"}", "P == \"b\""),
        ] {
            assert_eq!(bare(text), expected);
        }
    }

    /// What the types say is no matter for the search, nor for the question whether a prefix is bad.
    #[test]
    fn what_is_always_so_is_settled() {
        use crate::check::{AutomatonKind, Checker, Fairness, Settings, Verdict, sources};
        use sempre_lang::model::{Language, Model};
        let text = "byte x; process P { state idle, busy; init idle; \
            trans idle -> busy { effect x = x + 1; }, busy -> idle {}; } system async;";
        let (model, _) = Model::read(Language::Dve, "tiny", text).unwrap();
        let checker = Checker::new(model.program(), Fairness::None).unwrap();
        for (formula, holds, warnings) in [
            ("G F {x >= 0}", true, 1),
            ("G(P.busy -> F {x < 0})", false, 1),
            ("F {x > 255} | X P.busy", true, 1),
            ("G {x < 255}", false, 0),
        ] {
            let property = sources::formula(&model, formula).unwrap();
            assert_eq!(property.warnings.len(), warnings, "{formula}");
            let report = checker.check(&property, &Settings::default()).unwrap();
            assert_eq!(matches!(report.verdict, Verdict::Holds(_)), holds);
            let settled = |e: &String| e.contains("by the types of its variables");
            let sentences = report.explanation.iter().filter(|e| settled(e)).count();
            assert_eq!(sentences, warnings, "{formula}");
            // Who names the automaton gets it for the formula as written, and the same answer.
            let named = Settings {
                automaton: Some(AutomatonKind::Tgba),
                ..Settings::default()
            };
            let report = checker.check(&property, &named).unwrap();
            assert_eq!(matches!(report.verdict, Verdict::Holds(_)), holds);
            assert!(!report.explanation.iter().any(settled), "{formula}");
        }
    }
}
