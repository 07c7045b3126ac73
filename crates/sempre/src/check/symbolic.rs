//! A check with the symbolic engine.
//!
//! The automaton is that of the explicit engine, read through [`Automaton`] letter by letter. What the symbolic engine does not
//! support is refused: atomic sections, acceptance marks of the model's own edges, avoidance (`Fin`), a choice of acceptance sets, livelock
//! acceptance.

use super::checker::Checker;
use super::property::Property;
use super::replay::{Unconfirmed, confirm, folded};
use super::settings::Settings;
use super::translation::Compiled;
use super::verdict::{Cause, CheckError, Exhausted, Report, Verdict};
use sempre_base::Cancel;
use sempre_explicit::product;
use sempre_symbolic::Limits;
use sempre_symbolic::product::Automaton;
use sempre_symbolic::product::Deadlock;
pub use sempre_symbolic::product::Reachability;
use sempre_symbolic::reach::{Progress, Strategy};
pub use sempre_symbolic::search::Algorithm as SymbolicAlgorithm;
use sempre_symbolic::search::{Options, Outcome, Prepared, Statistics, check, prepare};
use std::time::Instant;

/// Settings of the symbolic engine.
#[derive(Clone, Copy, Default)]
pub struct SymbolicSettings<'a> {
    /// Cancels the check.
    pub interrupt: Option<&'a Cancel>,
    /// Called with progress reports.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    /// The model's reachable states, if they are known; from the same checker.
    pub prepared: Option<&'a Prepared<'a>>,
    /// How reachability in the product is computed.
    pub reachability: Reachability,
    /// Which algorithm to run.
    pub algorithm: SymbolicAlgorithm,
    /// Count the steps that change no proposition (testing automata only).
    pub count_stuttering: bool,
}

impl Automaton for Compiled {
    fn states(&self) -> u32 {
        match self {
            Compiled::Property(p) => p.states(),
            Compiled::Testing(t) => t.states(),
        }
    }

    fn sets(&self) -> u32 {
        match self {
            Compiled::Property(p) => p.sets(),
            Compiled::Testing(t) => t.sets(),
        }
    }

    fn is_testing(&self) -> bool {
        matches!(self, Compiled::Testing(_))
    }

    fn initial(&self, valuation: u64) -> Vec<u32> {
        match self {
            Compiled::Property(p) => p.initial().to_vec(),
            Compiled::Testing(t) => t.beginning(t.observe(&[valuation])).collect(),
        }
    }

    fn edges(&self, state: u32, letter: u64) -> Vec<(u32, u64)> {
        match self {
            Compiled::Property(p) => (p.enabled(state, &[letter]))
                .map(|e| (e.to, e.mark.iter().fold(0, |m, s| m | 1 << s)))
                .collect(),
            Compiled::Testing(t) => (t.edges(state, t.observe(&[letter])).iter())
                .map(|e| (e.to, e.marks))
                .collect(),
        }
    }

    fn reads(&self, state: u32) -> u64 {
        match self {
            Compiled::Property(p) => p.reads(state).fold(0, |all, p| all | 1 << p),
            Compiled::Testing(t) => t.observed().iter().fold(0, |all, p| all | 1 << p),
        }
    }
}

impl Checker {
    /// Finds the model's reachable states, for several properties; `None` if a limit is reached.
    ///
    /// # Errors
    /// If the symbolic engine does not support the model.
    pub fn prepare_symbolically(
        &self,
        settings: &Settings<'_>,
    ) -> Result<Option<Prepared<'_>>, CheckError> {
        self.suits_symbolic()?;
        let limits = Limits {
            memory: settings.limits.memory,
            deadline: (settings.limits.time).and_then(|t| Instant::now().checked_add(t)),
            interrupt: settings.symbolic.interrupt.cloned(),
        };
        let progress = settings.symbolic.progress;
        Ok(prepare(self.program(), Strategy::Saturation, limits, progress).ok())
    }

    pub(super) fn suits_symbolic(&self) -> Result<(), CheckError> {
        if self.program().atomic.is_some() {
            return refused("cannot take the steps of atomic sections together yet");
        }
        if self.program().marks > 0 {
            return refused("does not know the acceptance marks of a model's own edges");
        }
        Ok(())
    }

    /// Searches with decision diagrams.
    pub(super) fn search_symbolically(
        &self,
        property: &Property,
        compiled: &Compiled,
        settings: &Settings<'_>,
        deadline: Option<Instant>,
        report: &mut Report,
    ) -> Result<(), CheckError> {
        self.suits_symbolic()?;
        let sees_all_sets = match compiled {
            Compiled::Property(p) => p.is_generalized_buchi(),
            Compiled::Testing(t) => !t.has_livelock(),
        };
        if !sees_all_sets {
            return refused("takes automata with generalised Büchi acceptance: tgba, ba or tgta");
        }
        if property.propositions.len() > 63 || Automaton::sets(compiled) > 64 {
            return refused("takes at most 63 propositions and 64 acceptance sets");
        }
        let options = Options {
            deadlock: match settings.deadlock {
                product::Deadlock::Stutter => Deadlock::Stutter,
                product::Deadlock::Drop => Deadlock::Drop,
            },
            fair: self.is_fair(),
            reachability: settings.symbolic.reachability,
            algorithm: settings.symbolic.algorithm,
            first_limit: None,
            run_budget: None,
            count_stuttering: settings.symbolic.count_stuttering,
            limits: Limits {
                memory: settings.limits.memory,
                deadline,
                interrupt: settings.symbolic.interrupt.cloned(),
            },
            strategy: Strategy::Saturation,
            progress: settings.symbolic.progress,
        };
        let meanings = property.propositions.iter().map(|p| p.meaning.clone());
        let meanings: Vec<_> = meanings.collect();
        let (outcome, statistics) = match settings.symbolic.prepared {
            Some(prepared) => prepared.clone().check(&meanings, compiled, &options),
            None => check(self.program(), &meanings, compiled, &options),
        };
        report.verdict = match outcome {
            Outcome::Empty => match Exhausted::symbolic(&outcome) {
                Some(exhausted) => Verdict::Holds(exhausted),
                None => return Err(CheckError::Defect("an empty product".to_string())),
            },
            Outcome::Stopped(stop) => Verdict::Unknown(Cause::Stopped(stop.into())),
            Outcome::Failed(fault) => {
                let action = fault.action.map(|a| &self.program().actions[a as usize]);
                Verdict::Unknown(match action {
                    Some(action) => Cause::Failure(format!("{}: {}", action.name, fault.message)),
                    None => super::conclusion::of_state(property, &fault.message),
                })
            }
            Outcome::Defect(text) => return Err(CheckError::Defect(text)),
            Outcome::Violated(prefix, cycle) => {
                let run = folded(prefix, cycle);
                match confirm(
                    self.program(),
                    property,
                    &run,
                    settings.deadlock,
                    self.is_fair(),
                ) {
                    Ok(evidence) => Verdict::Violated(evidence),
                    Err(Unconfirmed::NoValue(text)) => Verdict::Unknown(Cause::NoValue(text)),
                    Err(Unconfirmed::Stopped(reason)) => {
                        Verdict::Unknown(Cause::Confirmation(reason))
                    }
                    Err(Unconfirmed::Defect(text)) => {
                        return Err(CheckError::Defect(format!(
                            "a counterexample of the symbolic engine was not confirmed: {text}"
                        )));
                    }
                }
            }
        };
        report.symbolic = Some(statistics);
        Ok(())
    }
}

fn refused<T>(what: &str) -> Result<T, CheckError> {
    Err(CheckError::Refused(format!("the symbolic engine {what}")))
}

/// The statistics in words.
pub fn words(s: &Statistics) -> String {
    let number = |n: &Option<sempre_symbolic::Natural>| {
        n.as_ref().map_or("?".to_string(), ToString::to_string)
    };
    let of_the_model = match &s.model_states {
        Some(count) => format!(" of {count} of the model"),
        None => String::new(),
    };
    format!(
        "{} states{of_the_model}, at most {} nodes ({})",
        number(&s.product_states),
        s.peak_nodes,
        name(s)
    )
}

/// The name of the algorithm that found the answer; `owcty` if there is no answer.
pub fn name(s: &Statistics) -> &'static str {
    let known = SymbolicAlgorithm::ALL
        .iter()
        .find(|(algorithm, _)| *algorithm == s.algorithm);
    known.map_or("owcty", |(_, name)| name)
}

/// Why this algorithm gave the answer, for `--explain`.
pub(super) fn why(s: &Statistics, asked: SymbolicAlgorithm) -> String {
    let what = match s.algorithm {
        SymbolicAlgorithm::Bounded => {
            "breadth-first search of the product from the initial states, on the fly, and forward OWCTY on the states found"
        }
        SymbolicAlgorithm::Partial => {
            "depth-first partial traversal of the product, a few states at a time, on the fly, and forward OWCTY on the states found"
        }
        SymbolicAlgorithm::Directed => {
            "directed depth-first search of the product by single states, with restarts, and Couvreur's check"
        }
        SymbolicAlgorithm::Owcty | SymbolicAlgorithm::Turns => {
            "all states of the model by saturation, then forward OWCTY on the product"
        }
    };
    let why = match (asked, s.algorithm) {
        (
            SymbolicAlgorithm::Turns,
            SymbolicAlgorithm::Bounded | SymbolicAlgorithm::Partial | SymbolicAlgorithm::Directed,
        ) => "it finished first of four that took turns",
        (SymbolicAlgorithm::Turns, _) => {
            "bounded search, partial traversal and directed search took turns with it, and none of them finished first"
        }
        _ => "as asked",
    };
    format!("algorithm {}: {what}; {why}", name(s))
}
