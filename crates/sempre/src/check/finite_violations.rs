//! The finite automaton of a property's bad prefixes, if it is a safety property.
//!
//! Three ways, the cheapest first:
//! 1. A formula that is safe by its syntax, as given or simplified, has an automaton of its informative prefixes
//!    ([`informative_prefixes`]), of which every violation has one (Kupferman and Vardi, FMSD 2001). The prefixes after which these cannot
//!    be avoided are all bad prefixes ([`unavoidable`]). No ω-automaton is made.
//! 2. If the automaton of the violations, which a check of another property would need anyway, accepts in terminal components
//!    only, its language is open, and the property is one of safety, pathological or not. The subset construction and the
//!    same closure give all bad prefixes. If that gets too large, the nondeterministic automaton is taken: of every violation it accepts some prefix.
//! 3. If a finite automaton was asked for by its name, the language itself is looked at, and the subset construction of an
//!    automaton of the formula gives the bad prefixes of any safety property.
//!
//! A property given as an automaton of its violations goes the second way alone, and without the closure: then the set of
//! states that the automaton as given reaches by a bad prefix shows that it is one.

use super::property::Claim;
use super::strategy::AutomatonKind;
use super::translation::NoAutomaton;
use sempre_ltl::nnf::nnf;
use sempre_ltl::{Formula, Formulas};
use sempre_omega::finite::{bad_prefixes, determinize, from_terminal_components, unavoidable};
use sempre_omega::{Alphabet, Automaton, FiniteAutomaton};
use sempre_translate::couvreur::Limits;
use sempre_translate::hierarchy::is_safety;
use sempre_translate::informative_prefixes;
use sempre_translate::language::Language;
use sempre_translate::translator::{Effort, Options, Translator};

/// Subset constructions with more states are given up.
const MOST_STATES: usize = 1 << 12;

/// What a property has.
pub(crate) enum Prefixes {
    /// An automaton of bad prefixes, of which every violation has one, and how that is known.
    Finite(Box<FiniteAutomaton>, &'static str),
    /// Nothing of the kind, as far as was looked; the automaton of its violations, if one was made.
    None(Option<Box<Automaton>>),
}

impl Prefixes {
    fn finite(a: FiniteAutomaton, why: &'static str) -> Self {
        Self::Finite(Box::new(a), why)
    }
}

/// The bad prefixes of a claim. `asked` is the kind that somebody asked for by its name.
///
/// # Errors
/// Why there is no such automaton, if it was asked for.
pub(crate) fn prefixes(
    translator: &mut Translator,
    claim: &mut Claim,
    alphabet: &mut Alphabet,
    asked: Option<AutomatonKind>,
) -> Result<Prefixes, NoAutomaton> {
    match claim {
        Claim::Formula(formulas, f) => of_formula(translator, formulas, *f, alphabet, asked),
        Claim::Progress(_) if asked.is_some() => Err(
            "finite automata are for safety properties, and this is none: no finite path tells that a process will never move"
                .to_string()
                .into(),
        ),
        Claim::Progress(_) | Claim::NoFailure(_) => Ok(Prefixes::None(None)),
        Claim::Violation(own, violations) => {
            // The closed form of other conditions would not be the automaton as given.
            let known = violations.acceptance.as_generalized_buchi().is_some();
            let terminal = match known {
                true => from_terminal_components(&mut own.bdds, violations),
                false => None,
            };
            let finite = match (terminal, asked) {
                (Some(n), Some(AutomatonKind::Nfa)) => Some(n),
                (Some(n), _) => determinize(&mut own.bdds, &n, MOST_STATES),
                (None, _) => None,
            };
            match finite {
                Some(a) => Ok(Prefixes::finite(
                    a,
                    "whoever reaches an accepting component has lost",
                )),
                None if asked.is_some() => Err(
                    "finite automata are for safety properties, and of this one that is not seen: an accepting \
                     component of the automaton can be left, or its acceptance is not generalised Büchi"
                        .to_string()
                        .into(),
                ),
                None => Ok(Prefixes::None(None)),
            }
        }
    }
}

fn of_formula(
    translator: &mut Translator,
    formulas: &mut Formulas,
    f: Formula,
    alphabet: &mut Alphabet,
    asked: Option<AutomatonKind>,
) -> Result<Prefixes, NoAutomaton> {
    let nondeterministic = asked == Some(AutomatonKind::Nfa);
    for g in [
        translator.rewritten(formulas, f, Effort::Medium),
        nnf(formulas, f),
    ] {
        if !formulas.facts(g).safety() {
            continue;
        }
        let made = match nondeterministic {
            true => informative_prefixes::nfa(formulas, alphabet, g, MOST_STATES),
            false => informative_prefixes::dfa(formulas, alphabet, g, MOST_STATES)
                .map(|d| unavoidable(&mut alphabet.bdds, &d)),
        };
        if let Some(a) = made {
            return Ok(Prefixes::finite(a, "the syntax of the formula says so"));
        }
    }
    let not = formulas.not(f);
    let options = Options::default();
    let violations =
        translator.translate_within(formulas, alphabet, not, options, Limits::DEFAULT)?;
    if let Some(n) = from_terminal_components(&mut alphabet.bdds, &violations) {
        let why = "the automaton of its negation accepts in terminal components only";
        if nondeterministic {
            return Ok(Prefixes::finite(n, why));
        }
        if let Some(d) = determinize(&mut alphabet.bdds, &n, MOST_STATES) {
            let d = unavoidable(&mut alphabet.bdds, &d);
            return Ok(Prefixes::finite(d, why));
        }
        if asked.is_none() {
            let why = "the automaton of its negation accepts in terminal components only; the deterministic automaton is too large";
            return Ok(Prefixes::finite(n, why));
        }
    }
    if asked.is_none() {
        return Ok(Prefixes::None(Some(Box::new(violations))));
    }
    if !is_safety(&mut Language::new(translator, formulas, f)) {
        return Err(
            "finite automata are for safety properties, and this is none: it can be violated without any finite prefix \
             that all continuations of violate it"
                .to_string()
                .into(),
        );
    }
    let options = Options {
        effort: Effort::Medium,
        ..Options::default()
    };
    let models = translator.translate_within(formulas, alphabet, f, options, Limits::DEFAULT)?;
    match bad_prefixes(&mut alphabet.bdds, &models, MOST_STATES) {
        Some(a) => Ok(Prefixes::finite(a, "its language is closed")),
        None => Err(format!(
            "the deterministic automaton of its bad prefixes has more than {MOST_STATES} states"
        )
        .into()),
    }
}
