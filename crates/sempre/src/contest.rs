//! The examinations of the Model Checking Contest: what is asked of a net, and how the time is shared.
//!
//! An examination gives a net, formulas and a time for all of them. Nobody knows before which formula is hard. So all of them get a short time
//! first, in which walks that watch all of them, the state equation and the first states of an engine answer most; then those that are open share what is left, in
//! rounds that grow, so that a formula gets most of the time only when few are open.
//!
//! Questions without a file of formulas are properties, too: a deadlock (`ReachabilityDeadlock`) is a state in which no transition is enabled, and a
//! net is `OneSafe` if no place ever holds two tokens. `QuasiLiveness` and `StableMarking` are about each transition, or each place: it takes
//! one question of reachability for each.

use crate::check::reachability::together;
use crate::check::{
    Asked, CheckError, Checker, Claim, Property, Proposition, Report, Settings, Verdict, is_yes,
};
use sempre_explicit::explore::Reason;
use sempre_explicit::product::Limits;
use sempre_ltl::Formulas;
use sempre_model::ir::{Behaviour, Binary, Expr, Program, Unary, VariableId};
use std::time::{Duration, Instant};

/// What is asked of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examination {
    /// The formulas of a file of this name.
    Formulas(&'static str),
    /// Can it come to a state in which nothing is enabled?
    Deadlock,
    /// Does no place ever hold two tokens?
    OneSafe,
    /// Can each transition fire?
    QuasiLiveness,
    /// Does some place never change?
    StableMarking,
    /// How many states are there?
    StateSpace,
}

impl Examination {
    /// All that are answered, with their names.
    pub const ALL: [(Examination, &'static str); 9] = [
        (Self::Formulas("LTLCardinality"), "LTLCardinality"),
        (Self::Formulas("LTLFireability"), "LTLFireability"),
        (
            Self::Formulas("ReachabilityCardinality"),
            "ReachabilityCardinality",
        ),
        (
            Self::Formulas("ReachabilityFireability"),
            "ReachabilityFireability",
        ),
        (Self::Deadlock, "ReachabilityDeadlock"),
        (Self::OneSafe, "OneSafe"),
        (Self::QuasiLiveness, "QuasiLiveness"),
        (Self::StableMarking, "StableMarking"),
        (Self::StateSpace, "StateSpace"),
    ];

    /// The examination of that name, if it is answered.
    pub fn of_name(name: &str) -> Option<Self> {
        let known = Self::ALL.iter().find(|(_, known)| *known == name);
        known.map(|(examination, _)| *examination)
    }
}

/// A question of an examination without formulas, made of properties.
#[derive(Clone)]
pub struct Question {
    /// The properties.
    pub properties: Vec<Property>,
    /// An answer of a property that decides the question, and the answer to the question then; the opposite if no property has
    /// that answer.
    pub decided_by: (bool, bool),
}

impl Question {
    /// The question of an examination, if it has one.
    pub fn new(examination: Examination, program: &Program) -> Option<Self> {
        let tokens = |p: usize| Expr::variable(VariableId(p as u32));
        let guards = || {
            program.actions.iter().filter_map(|a| match &a.behaviour {
                Behaviour::Guarded { guard, .. } => Some(guard.clone()),
                Behaviour::Table(_) => None,
            })
        };
        let never = |e: Expr| Expr::Unary(Unary::Not, Box::new(e));
        let places = program.initial.first()?.iter().enumerate();
        match examination {
            Examination::Formulas(_) | Examination::StateSpace => None,
            Examination::Deadlock => {
                let some = Expr::balanced(Binary::Or, guards().collect()).unwrap_or(Expr::FALSE);
                Some(Self {
                    properties: vec![reachable("a deadlock", never(some))],
                    decided_by: (true, true),
                })
            }
            Examination::OneSafe => {
                let two = places
                    .map(|(p, _)| Expr::binary(Binary::GreaterEqual, tokens(p), Expr::Constant(2)));
                let some = Expr::balanced(Binary::Or, two.collect()).unwrap_or(Expr::FALSE);
                Some(Self {
                    properties: vec![reachable("two tokens in a place", some)],
                    decided_by: (true, false),
                })
            }
            Examination::QuasiLiveness => Some(Self {
                properties: guards()
                    .map(|g| reachable("an enabled transition", g))
                    .collect(),
                decided_by: (false, false),
            }),
            Examination::StableMarking => {
                let changed = places.map(|(p, &initial)| {
                    let other = Expr::binary(Binary::NotEqual, tokens(p), Expr::Constant(initial));
                    reachable("another number of tokens", other)
                });
                Some(Self {
                    properties: changed.collect(),
                    decided_by: (false, true),
                })
            }
        }
    }
}

/// `EF` of a condition on states.
fn reachable(name: &str, condition: Expr) -> Property {
    let mut formulas = Formulas::new();
    let goal = formulas.proposition("goal");
    let not = formulas.not(goal);
    let claim = formulas.globally(not);
    Property {
        name: name.to_string(),
        propositions: vec![Proposition {
            text: name.to_string(),
            meaning: condition,
        }],
        claim: Claim::Formula(Box::new(formulas), claim),
        asked: Asked::Reachable,
        warnings: Vec::new(),
    }
}

/// The shares of the first rounds; what is left then is divided evenly.
const ROUNDS: [Duration; 3] = [
    Duration::from_millis(150),
    Duration::from_millis(600),
    Duration::from_millis(3000),
];

/// Checks properties until this moment, and tells each report with the number of its property, as soon as it is known or at the end. `tell`
/// says whether to go on. The time of `settings` does not matter.
pub fn share(
    checker: &Checker,
    properties: &[Property],
    settings: &Settings<'_>,
    deadline: Instant,
    tell: &mut dyn FnMut(usize, Result<Report, CheckError>) -> bool,
) {
    let mut open: Vec<usize> = (0..properties.len()).collect();
    let left = || deadline.saturating_duration_since(Instant::now());
    let few = Limits {
        time: Some(left() / 10),
        ..settings.limits
    };
    let first = Settings {
        limits: few,
        ..*settings
    };
    match together(checker, properties, &first) {
        Ok(reports) => {
            for (number, report) in reports.into_iter().enumerate() {
                let Some(report) = report.filter(|r| !matches!(r.verdict, Verdict::Unknown(_)))
                else {
                    continue;
                };
                open.retain(|&o| o != number);
                if !tell(number, Ok(report)) {
                    return;
                }
            }
        }
        Err(error) => {
            for number in open {
                if !tell(number, Err(error.clone())) {
                    return;
                }
            }
            return;
        }
    }
    for round in 0.. {
        let mut next = Vec::new();
        let last = round >= ROUNDS.len();
        for (i, &number) in open.iter().enumerate() {
            let even = left() / (open.len() - i) as u32;
            let share = match ROUNDS.get(round) {
                Some(&share) => share.min(even),
                None => even,
            };
            if share.is_zero() {
                // Nothing is looked at any more.
                if !tell(number, Ok(Report::unknown(settings, Reason::Time))) {
                    return;
                }
                continue;
            }
            let limits = Limits {
                time: Some(share),
                ..settings.limits
            };
            let settings = Settings {
                limits,
                ..*settings
            };
            let report = checker.check(&properties[number], &settings);
            let is_open = (report.as_ref())
                .is_ok_and(|r| is_yes(properties[number].asked, &r.verdict).is_none());
            let is_over = last || left().is_zero() || is_interrupted(&settings);
            if is_open && !is_over {
                next.push(number);
            } else if !tell(number, report) {
                return;
            }
        }
        if next.is_empty() {
            return;
        }
        open = next;
    }
}

/// Answers a question that is made of properties; `None` if it stays open.
pub fn answer(
    checker: &Checker,
    question: &Question,
    settings: &Settings<'_>,
    deadline: Instant,
) -> Result<Option<bool>, CheckError> {
    let (decides, answer) = question.decided_by;
    let mut decided = Ok(Some(!answer));
    let properties = &question.properties;
    share(
        checker,
        properties,
        settings,
        deadline,
        &mut |number, report| {
            match report.map(|r| is_yes(properties[number].asked, &r.verdict)) {
                Ok(Some(yes)) if yes == decides => {
                    decided = Ok(Some(answer));
                    return false;
                }
                Ok(Some(_)) => {}
                // Another property may still decide.
                Ok(None) => decided = Ok(None),
                Err(error) => {
                    decided = Err(error);
                    return false;
                }
            }
            true
        },
    );
    decided
}

fn is_interrupted(settings: &Settings<'_>) -> bool {
    sempre_base::stop::poll(settings.limits.interrupt).is_some()
}

/// By what means a verdict was found, in the contest's words.
pub fn techniques(report: &Report) -> String {
    use crate::check::{Engine, Method};
    let technique = match (report.method, report.engine) {
        (Some(Method::Walk), _) => "RANDOM_WALK",
        (Some(Method::StateEquation), _) => "STATE_EQUATION",
        (None, Engine::Symbolic) => "DECISION_DIAGRAMS",
        (None, Engine::Explicit | Engine::Auto) => "EXPLICIT",
    };
    let processing = match report.workers {
        1 => "SEQUENTIAL_PROCESSING",
        _ => "PARALLEL_PROCESSING",
    };
    format!("{technique} {processing}")
}

/// The line of a property.
pub fn line(property: &Property, report: &Report) -> String {
    let name = &property.name;
    match is_yes(property.asked, &report.verdict) {
        Some(yes) => {
            let value = if yes { "TRUE" } else { "FALSE" };
            format!("FORMULA {name} {value} TECHNIQUES {}", techniques(report))
        }
        None => {
            debug_assert!(matches!(report.verdict, Verdict::Unknown(_)));
            format!(
                "FORMULA {name} CANNOT_COMPUTE TECHNIQUES {}",
                techniques(report)
            )
        }
    }
}
