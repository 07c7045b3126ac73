//! The automaton of a property's violations, compiled for search.
//!
//! A translation may take for ever; it is stopped at its checkpoints ([`sempre_base::stop`]).

use super::finite_violations::{Prefixes, prefixes};
use super::property::Claim;
use super::strategy::AutomatonKind;
use crate::automata::to_state_buchi;
use crate::word::write_word;
use sempre_base::stop::{Cancel, cancellable};
use sempre_explicit::explore::Reason;
use sempre_explicit::finite::FiniteProperty;
use sempre_explicit::product::Observer;
use sempre_explicit::property::Property;
use sempre_explicit::testing_property::TestingProperty;
use sempre_ltl::word::print_word;
use sempre_omega::emptiness::prune;
use sempre_omega::fin_less::fin_less;
use sempre_omega::generalized_rabin::generalized_rabin;
use sempre_omega::paritize::to_parity;
use sempre_omega::remove_fin::remove_fin;
use sempre_omega::testing::sta::single_pass;
use sempre_omega::testing::{self, Refusal, Ta, TestingStats, Tgta, refuse_stutter_sensitive};
use sempre_omega::{Alphabet, Automaton, FiniteAutomaton};
use sempre_translate::composition::TooLarge;
use sempre_translate::couvreur::Limits;
use sempre_translate::testing::{TestingError, ta, tgta};
use sempre_translate::translator::{Kind, Options, Translator};
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread::Builder;
use std::time::Instant;

/// Acceptance conditions with more cases are not made generalised Büchi.
const MOST_CASES: usize = 10_000;

/// Parity automata with more states are given up.
const MOST_STATES: usize = 1 << 16;

/// Formulas may be thousands of levels deep; unused pages of a stack cost nothing.
pub(super) const STACK: usize = 512 << 20;

/// Why there is no automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAutomaton {
    /// It took too long.
    Stopped(Reason),
    /// There is none, and why.
    Refused(String),
    /// It would be too large.
    TooLarge(TooLarge),
}

impl From<String> for NoAutomaton {
    fn from(why: String) -> Self {
        NoAutomaton::Refused(why)
    }
}

impl From<&str> for NoAutomaton {
    fn from(why: &str) -> Self {
        NoAutomaton::Refused(why.to_string())
    }
}

impl From<TooLarge> for NoAutomaton {
    fn from(size: TooLarge) -> Self {
        NoAutomaton::TooLarge(size)
    }
}

/// A compiled automaton.
#[derive(Clone, Debug)]
pub enum Compiled {
    /// One that reads states.
    Property(Property),
    /// One that observes changes.
    Testing(TestingProperty),
}

impl<'a> From<&'a Compiled> for Observer<'a> {
    fn from(compiled: &'a Compiled) -> Self {
        match compiled {
            Compiled::Property(p) => p.into(),
            Compiled::Testing(t) => t.into(),
        }
    }
}

/// A compiled automaton of violations, on infinite words or on finite ones.
#[derive(Clone, Debug)]
pub enum Observed {
    /// On infinite words.
    Runs(Compiled),
    /// On finite ones, and how it is known that they are enough.
    Prefixes(FiniteProperty, &'static str),
}

/// What somebody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// This kind of automaton.
    Kind(AutomatonKind),
    /// A finite automaton if that is possible, or else one of this kind.
    FiniteOr(AutomatonKind),
}

/// The size of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutomatonFacts {
    /// What kind of automaton it is.
    pub kind: AutomatonKind,
    /// Number of states.
    pub states: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of acceptance sets.
    pub sets: u32,
    /// Number of Rabin pairs, or of other cases of the acceptance condition; one for generalised Büchi. `None` if
    /// nobody counts so far.
    pub pairs: Option<usize>,
    /// At most one run on each word?
    pub deterministic: bool,
}

/// How an automaton is made, whatever its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Making {
    /// A TA is for a check in two passes, or else for one that knows nothing of livelocks.
    pub two_passes: bool,
    /// A deterministic automaton is preferred to a small one.
    pub deterministic: bool,
}

/// An automaton for the words that violate the claim, which speaks of `propositions` propositions.
///
/// # Errors
/// If there is none, or none in time.
pub fn violations(
    claim: &Claim,
    propositions: usize,
    wish: Wish,
    making: Making,
    deadline: Option<Instant>,
    interrupt: Option<&Cancel>,
) -> Result<(Observed, AutomatonFacts), NoAutomaton> {
    let claim = claim.clone();
    let make = move || make(claim, propositions, wish, making);
    in_time(deadline, interrupt, make).map_err(NoAutomaton::Stopped)?
}

/// What this work gives, done on a deep stack, unless it is stopped or time is up before. Without another `interrupt` it is stopped with
/// the work that it is a part of.
///
/// # Errors
/// Why it was not done.
pub fn in_time<T: Send>(
    deadline: Option<Instant>,
    interrupt: Option<&Cancel>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Reason> {
    let cancel = match interrupt {
        Some(interrupt) => interrupt.child(deadline),
        None => Cancel::current().child(deadline),
    };
    // Taken by the thread, or by this one if there is none.
    let slot = Mutex::new(Some(work));
    let take = || slot.lock().ok().and_then(|mut slot| slot.take());
    let done = std::thread::scope(|scope| {
        let thread = Builder::new().stack_size(STACK);
        let run = || take().map(|work| cancellable(&cancel, work));
        match thread.spawn_scoped(scope, run) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => take().map(|work| cancellable(&cancel, work)),
        }
    });
    match done {
        Some(done) => done.map_err(Reason::from),
        None => Err(Reason::Panic("a lock was lost".to_string())),
    }
}

/// Why there is no testing automaton, with the words that show it.
fn sensitive(yes: &str, no: &str) -> String {
    format!(
        "testing automata do not count repetitions, and the property does: of two runs that differ only by stuttering, \
         {yes} violates it and {no} does not"
    )
}

fn make(
    mut claim: Claim,
    propositions: usize,
    wish: Wish,
    making: Making,
) -> Result<(Observed, AutomatonFacts), NoAutomaton> {
    let variables: Vec<u32> = (0..propositions as u32).collect();
    let mut alphabet = Alphabet::new();
    if let Claim::Formula(formulas, _) = &claim {
        // In their order, whatever the translator asks for first.
        for p in 0..propositions {
            alphabet.declare(formulas.name(p));
        }
    }
    let mut translator = Translator::new();
    let (kind, either) = match wish {
        Wish::FiniteOr(kind) => (kind, true),
        Wish::Kind(kind) => (kind, false),
    };
    if either || kind.is_finite() {
        let asked = Some(kind).filter(|kind| kind.is_finite());
        match prefixes(&mut translator, &mut claim, &mut alphabet, asked)? {
            Prefixes::Finite(a, why) => {
                let alphabet = match &mut claim {
                    Claim::Violation(own, _) => own,
                    Claim::Formula(..) | Claim::Progress(_) | Claim::NoFailure(_) => &mut alphabet,
                };
                let kind = asked.unwrap_or(match a.is_deterministic(&mut alphabet.bdds) {
                    true => AutomatonKind::Dfa,
                    false => AutomatonKind::Nfa,
                });
                return finite(alphabet, &a, kind, &variables, why);
            }
            // It is a TGBA.
            Prefixes::None(Some(violations)) if kind == AutomatonKind::Tgba => {
                let made = property(&mut alphabet, &violations, kind, &variables);
                return made.map(|(compiled, facts)| (Observed::Runs(compiled), facts));
            }
            Prefixes::None(_) => {}
        }
    }
    let made = runs(translator, claim, alphabet, kind, making, &variables);
    made.map(|(compiled, facts)| (Observed::Runs(compiled), facts))
}

fn finite(
    alphabet: &mut Alphabet,
    a: &FiniteAutomaton,
    kind: AutomatonKind,
    variables: &[u32],
    why: &'static str,
) -> Result<(Observed, AutomatonFacts), NoAutomaton> {
    let bdds = &mut alphabet.bdds;
    let compiled = FiniteProperty::new(bdds, a, variables).map_err(|e| e.to_string())?;
    let facts = AutomatonFacts {
        kind,
        states: a.states(),
        edges: a.edge_count(),
        sets: 1,
        pairs: Some(1),
        deterministic: a.is_deterministic(bdds),
    };
    Ok((Observed::Prefixes(compiled, why), facts))
}

/// The automaton on infinite words. The propositions are declared in `alphabet`.
fn runs(
    mut translator: Translator,
    claim: Claim,
    mut alphabet: Alphabet,
    kind: AutomatonKind,
    making: Making,
    variables: &[u32],
) -> Result<(Compiled, AutomatonFacts), NoAutomaton> {
    let two_passes = making.two_passes;
    let limits = testing::Limits::default();
    match claim {
        Claim::Formula(mut formulas, formula) => {
            let negation = formulas.not(formula);
            let (t, f, a) = (&mut translator, &mut *formulas, &mut alphabet);
            let options = Options {
                deterministic: making.deterministic,
                ..Options::default()
            };
            let made = match kind {
                AutomatonKind::Tgba
                | AutomatonKind::Ba
                | AutomatonKind::Tgra
                | AutomatonKind::Tela
                | AutomatonKind::FinLess
                | AutomatonKind::Parity
                | AutomatonKind::Dfa
                | AutomatonKind::Nfa => {
                    let kind_of = match kind {
                        AutomatonKind::Ba => Kind::Ba,
                        AutomatonKind::Tgra => Kind::Tgra,
                        AutomatonKind::Tela => Kind::Tela,
                        AutomatonKind::FinLess => Kind::FinLess,
                        AutomatonKind::Parity => Kind::Parity,
                        _ => Kind::Tgba,
                    };
                    let options = Options {
                        kind: kind_of,
                        ..options
                    };
                    let made = t.translate_within(f, a, negation, options, Limits::DEFAULT)?;
                    return property(&mut alphabet, &made, kind, variables);
                }
                AutomatonKind::Ta => ta(t, f, a, negation, options, limits)
                    .map(|made| testing_ta(&made, two_passes, variables)),
                AutomatonKind::Tgta => tgta(t, f, a, negation, options, limits)
                    .map(|made| testing_tgta(&made, variables)),
            };
            made.map_err(|error| match error {
                TestingError::StutterSensitive { accepted, rejected } => {
                    let known = formulas.propositions_of(negation);
                    let yes = print_word(&mut formulas, &accepted, &known);
                    let no = print_word(&mut formulas, &rejected, &known);
                    sensitive(&yes, &no)
                }
                TestingError::Refused(why) => format!("no testing automaton: {why}"),
            })?
        }
        Claim::NoFailure(_) => Err("there is no automaton of what fails".to_string().into()),
        Claim::Progress(processes) => {
            if kind != AutomatonKind::Tela {
                let kind = kind.name();
                return Err(format!(
                    "which process moves is not for an automaton of kind {kind} to see; leave the choice to us"
                )
                .into());
            }
            let compiled = Property::standstill(&processes);
            let facts = AutomatonFacts {
                kind,
                states: 1,
                edges: 1,
                sets: compiled.sets(),
                pairs: Some(processes.len()),
                deterministic: true,
            };
            Ok((Compiled::Property(compiled), facts))
        }
        Claim::Violation(mut alphabet, mut automaton) => {
            // Others leave states in their automata from which nothing is accepted; a product would have them, too.
            prune(&mut automaton);
            if kind == AutomatonKind::Tela {
                return property(&mut alphabet, &automaton, kind, variables);
            }
            let cases = "the acceptance condition of the automaton has too many cases";
            let other = match kind {
                AutomatonKind::Tgra => Some(generalized_rabin(&automaton, MOST_CASES)),
                AutomatonKind::FinLess => Some(fin_less(&automaton, MOST_CASES)),
                AutomatonKind::Parity => {
                    Some(to_parity(&automaton, &mut alphabet.bdds, MOST_STATES))
                }
                _ => None,
            };
            if let Some(other) = other {
                return property(&mut alphabet, &other.ok_or(cases)?, kind, variables);
            }
            if kind == AutomatonKind::Tgba || kind == AutomatonKind::Tgta {
                let a = remove_fin(&automaton, MOST_CASES).ok_or(cases)?;
                if kind == AutomatonKind::Tgba {
                    return property(&mut alphabet, &a, kind, variables);
                }
                invariant(&mut alphabet, &a, variables)?;
                let made = Tgta::new(&mut alphabet.bdds, &a, limits);
                testing_tgta(&made.map_err(|e| e.to_string())?, variables)
            } else {
                let a = to_state_buchi(&mut alphabet, &automaton, MOST_CASES).ok_or(cases)?;
                if kind == AutomatonKind::Ba {
                    return property(&mut alphabet, &a, kind, variables);
                }
                invariant(&mut alphabet, &a, variables)?;
                let made = Ta::new(&mut alphabet.bdds, &a, limits);
                testing_ta(&made.map_err(|e| e.to_string())?, two_passes, variables)
            }
        }
    }
}

/// Refuses an automaton whose language cares about stuttering.
fn invariant(alphabet: &mut Alphabet, a: &Automaton, variables: &[u32]) -> Result<(), String> {
    refuse_stutter_sensitive(&mut alphabet.bdds, a, MOST_CASES).map_err(|why| match &why {
        Refusal::StutterSensitive(words) => {
            let show = |w| write_word(alphabet, variables, w);
            sensitive(&show(&words.0), &show(&words.1))
        }
        _ => why.to_string(),
    })
}

fn property(
    alphabet: &mut Alphabet,
    a: &Automaton,
    kind: AutomatonKind,
    variables: &[u32],
) -> Result<(Compiled, AutomatonFacts), NoAutomaton> {
    let compiled = Property::with_any_acceptance(&mut alphabet.bdds, a, variables, MOST_CASES)
        .map_err(|e| e.to_string())?;
    let facts = AutomatonFacts {
        kind,
        states: a.states(),
        edges: a.edge_count(),
        sets: compiled.sets(),
        pairs: compiled.clauses().map(<[_]>::len),
        deterministic: a.is_deterministic(&mut alphabet.bdds),
    };
    Ok((Compiled::Property(compiled), facts))
}

fn facts(kind: AutomatonKind, size: TestingStats, deterministic: bool) -> AutomatonFacts {
    AutomatonFacts {
        kind,
        states: size.states,
        edges: size.transitions,
        // A TA accepts by two kinds of states instead.
        sets: size.sets.unwrap_or(0),
        pairs: Some(1),
        deterministic,
    }
}

fn testing_tgta(t: &Tgta, variables: &[u32]) -> Result<(Compiled, AutomatonFacts), NoAutomaton> {
    let compiled = TestingProperty::tgta(t, variables).map_err(|e| e.to_string())?;
    let facts = facts(AutomatonKind::Tgta, t.stats(), t.is_deterministic());
    Ok((Compiled::Testing(compiled), facts))
}

fn testing_ta(
    t: &Ta,
    two_passes: bool,
    variables: &[u32],
) -> Result<(Compiled, AutomatonFacts), NoAutomaton> {
    let single = (!two_passes).then(|| single_pass(t));
    let compiled = match &single {
        Some(single) => TestingProperty::single_pass(single, variables),
        None => TestingProperty::ta(t, variables),
    };
    let t = single.as_ref().unwrap_or(t);
    let facts = facts(AutomatonKind::Ta, t.stats(), t.is_deterministic());
    Ok((
        Compiled::Testing(compiled.map_err(|e| e.to_string())?),
        facts,
    ))
}
