//! What is known at the end of a check.
//!
//! `Holds` needs an [`Exhausted`], which is made from nothing but a search that says of itself that it saw all of the
//! product, or a certificate that was checked; `Violated` needs an [`Evidence`], which is made from nothing but a successful replay.

use super::property::Asked;
use super::reachability::{Method, NetFacts};
use super::replay::Evidence;
use super::settings::{Engine, Settings};
use super::translation::AutomatonFacts;
use sempre_explicit::check::{Check, Outcome, Statistics};
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::explore::{self, Exploration, Reason};
use sempre_explicit::finite::Search;
use sempre_net::certificate::is_valid;
use sempre_net::{Proof, Question};
use std::time::Duration;

/// The proof that all of the product was looked at, or cannot hold what was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted(());

impl Exhausted {
    /// `None` if the search dropped anything.
    pub fn new<S>(check: &Check<'_, S>) -> Option<Self> {
        (check.outcome == Outcome::Empty).then_some(Self(()))
    }

    /// The proof that nothing fails; `None` if the exploration has not seen everything, or something fails.
    pub fn explored<S>(exploration: &Exploration<'_, S>) -> Option<Self> {
        let is_complete = exploration.outcome == explore::Outcome::Complete;
        (is_complete && exploration.statistics.failures == 0 && exploration.failure.is_none())
            .then_some(Self(()))
    }

    /// Of a net: there is a proof that no run reaches the condition. `None` if it is not one.
    pub fn certified(question: &Question, proof: &Proof) -> Option<Self> {
        is_valid(&question.net, &question.goal, proof).then_some(Self(()))
    }

    /// The same of the symbolic engine.
    pub fn symbolic(outcome: &sempre_symbolic::search::Outcome) -> Option<Self> {
        (*outcome == sempre_symbolic::search::Outcome::Empty).then_some(Self(()))
    }
}

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The search ended before its time.
    Stopped(Reason),
    /// The formula was still being translated when time ran out or somebody interrupted.
    Translation(Reason),
    /// A violation was found, but not confirmed in time.
    Confirmation(Reason),
    /// The method that was asked for came to its end, and found nothing: in words.
    Undecided(String),
    /// Another property, of this name, does not hold, and that was enough.
    NotChecked(String),
    /// A proposition has no value in some state: in words.
    NoValue(String),
    /// The model does something erroneous, so that its runs are not what they seem: in words.
    Failure(String),
}

impl Cause {
    /// In a word if it is a limit, or in a sentence.
    pub fn words(&self) -> String {
        match self {
            Cause::Stopped(reason) => words(reason),
            Cause::Translation(reason) => format!("{} (while translating)", words(reason)),
            Cause::Confirmation(reason) => {
                format!("{} (while confirming a violation)", words(reason))
            }
            Cause::NotChecked(name) => format!("not checked: `{name}` does not hold"),
            Cause::Failure(text) | Cause::NoValue(text) | Cause::Undecided(text) => text.clone(),
        }
    }
}

/// The reason in words.
fn words(reason: &Reason) -> String {
    match reason {
        Reason::Time => "time".to_string(),
        Reason::Memory => "memory".to_string(),
        Reason::Interrupted => "interrupted".to_string(),
        Reason::States => "number of states".to_string(),
        Reason::Overflow => "a value is too large for any layout".to_string(),
        Reason::NoThread(why) => format!("no thread for a worker: {why}"),
        Reason::Panic(text) => format!("internal error: {text}"),
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No run violates the property.
    Holds(Exhausted),
    /// This run does.
    Violated(Evidence),
    /// Nobody knows.
    Unknown(Cause),
}

impl Verdict {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds(_) => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// The answer to what was asked, in a word: a condition that no run reaches is `unreachable`, where the claim that no run reaches it holds.
pub fn answer_word(asked: Asked, verdict: &Verdict) -> &'static str {
    match (asked, verdict) {
        (Asked::Reachable, Verdict::Holds(_)) => "unreachable",
        (Asked::Reachable, Verdict::Violated(_)) => "reachable",
        _ => verdict.word(),
    }
}

/// Is the answer to what was asked yes? `None` if it is not known.
pub fn is_yes(asked: Asked, verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Holds(_) => Some(asked != Asked::Reachable),
        Verdict::Violated(_) => Some(asked == Asked::Reachable),
        Verdict::Unknown(_) => None,
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// What was asked cannot be done.
    Refused(String),
    /// What the search found was not confirmed: a defect of ours.
    Defect(String),
}

/// The name of what decides the product with a kept graph.
pub const ELIMINATION: &str = "owcty";

/// What a check found out.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// The engine whose answer it is: the explicit or the symbolic one.
    pub engine: Engine,
    /// The automaton of the violations, if there was one in time.
    pub automaton: Option<AutomatonFacts>,
    /// The emptiness check.
    pub algorithm: Option<Algorithm>,
    /// Number of threads that searched.
    pub workers: usize,
    /// The search for a bad prefix, if there was one instead.
    pub search: Option<Search>,
    /// The method for nets that found the answer, if one did.
    pub method: Option<Method>,
    /// What was done to the net, if it was one.
    pub net: Option<NetFacts>,
    /// Was it decided on the kept graph of the model?
    pub by_elimination: bool,
    /// Does an assertion of the model fail in a state that was looked at? That does not end runs, so it keeps nothing from being decided.
    pub assertion_fails: bool,
    /// Did fairness not matter, and was not looked at?
    pub fairness_ignored: bool,
    /// What was counted.
    pub statistics: Statistics,
    /// What the symbolic engine counted, if it searched.
    pub symbolic: Option<sempre_symbolic::search::Statistics>,
    /// The time of everything.
    pub elapsed: Duration,
    /// Why it was done in this way, one sentence each.
    pub explanation: Vec<String>,
}

impl Report {
    /// That of a check which has not begun when it stops, or of which there is nothing to say.
    pub fn unknown(settings: &Settings<'_>, reason: Reason) -> Self {
        Self {
            verdict: Verdict::Unknown(Cause::Stopped(reason)),
            engine: match settings.engine {
                Engine::Symbolic => Engine::Symbolic,
                Engine::Explicit | Engine::Auto => Engine::Explicit,
            },
            automaton: None,
            algorithm: None,
            workers: 1,
            search: None,
            method: None,
            net: None,
            by_elimination: false,
            assertion_fails: false,
            fairness_ignored: false,
            statistics: Statistics::default(),
            symbolic: None,
            elapsed: Duration::ZERO,
            explanation: Vec::new(),
        }
    }

    /// The name of the emptiness check or search.
    pub fn algorithm_name(&self) -> Option<&'static str> {
        let search = self.search.map(Search::name);
        let kept = self.by_elimination.then_some(ELIMINATION);
        let symbolic = self.symbolic.as_ref().map(super::symbolic::name);
        let method = self.method.map(Method::name);
        method
            .or(self.algorithm.map(Algorithm::name))
            .or(kept)
            .or(search)
            .or(symbolic)
    }

    /// The name of the engine, or of what answered in its place.
    pub fn engine_name(&self) -> &'static str {
        match self.method {
            Some(_) => "net",
            None => self.engine.name(),
        }
    }
}
