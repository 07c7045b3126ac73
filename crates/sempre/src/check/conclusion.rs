//! From the end of a search to the verdict: what was found is unpacked and confirmed.

use super::bad_prefix::is_bad_prefix;
use super::checker::Checker;
use super::property::Property;
use super::replay::{Evidence, Unconfirmed, confirm, confirm_prefix, folded};
use super::translation::in_time;
use super::verdict::{Cause, CheckError, Exhausted, Report, Verdict};
use sempre_base::Lasso;
use sempre_explicit::check::{BadPrefix, Check, Counterexample, Outcome};
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::product::{Deadlock, Limits};
use sempre_explicit::shared::Selected;
use sempre_jit::CompiledSystem;
use sempre_model::{ProgramSystem, System};
use std::time::Instant;

/// Systems whose states stand for states of the program.
pub(super) trait Packed: System {
    /// Writes the values of the cells.
    fn unpack(&self, state: &[u64], cells: &mut [i64]);
}

impl Packed for CompiledSystem {
    fn unpack(&self, state: &[u64], cells: &mut [i64]) {
        self.layout().unpack(state, cells);
    }
}

impl Packed for ProgramSystem {
    fn unpack(&self, state: &[u64], cells: &mut [i64]) {
        self.layout().unpack(state, cells);
    }
}

impl<S: Packed> Packed for Selected<'_, S> {
    fn unpack(&self, state: &[u64], cells: &mut [i64]) {
        self.system().unpack(state, cells);
    }
}

/// What a conclusion is drawn from, besides what was found.
pub(super) struct Conclusion<'a> {
    /// The name of the search.
    pub(super) name: &'static str,
    pub(super) deadlock: Deadlock,
    pub(super) fair: bool,
    /// When everything must be done.
    pub(super) deadline: Option<Instant>,
    pub(super) limits: Limits<'a>,
}

impl Checker {
    /// From the end of a search to the verdict.
    pub(super) fn conclude<S: Packed>(
        &self,
        property: &Property,
        found: Check<'_, S>,
        report: &mut Report,
        conclusion: &Conclusion<'_>,
    ) -> Result<(), CheckError> {
        report.statistics = found.statistics;
        if found.statistics.alone {
            report.algorithm = Some(Algorithm::Cou99);
            report.explanation.push(
                "algorithm cou99 after all: one worker, who begins, had the answer before the others were called"
                    .to_string(),
            );
        }
        if found.statistics.scouted {
            report.explanation.push(match found.outcome {
                Outcome::Prefix(_) => {
                    "not a shortest one, perhaps: a depth-first search found it before the breadth-first one could"
                        .to_string()
                }
                _ => "found by a scout: a bounded search beside the check, near the initial states or in another order"
                    .to_string(),
            });
        }
        let system = found.system();
        let confirmed = |evidence: Result<Evidence, Unconfirmed>| match evidence {
            Ok(evidence) => Ok(Verdict::Violated(evidence)),
            Err(Unconfirmed::NoValue(text)) => Ok(Verdict::Unknown(Cause::NoValue(text))),
            Err(Unconfirmed::Stopped(reason)) => Ok(Verdict::Unknown(Cause::Confirmation(reason))),
            Err(Unconfirmed::Defect(text)) => Err(CheckError::Defect(format!(
                "a counterexample of {} was not confirmed: {text}",
                conclusion.name
            ))),
        };
        report.verdict = match &found.outcome {
            Outcome::Empty => match Exhausted::new(&found) {
                Some(exhausted) => Verdict::Holds(exhausted),
                None => return Err(CheckError::Defect("an empty product".to_string())),
            },
            Outcome::Violated(run) => confirmed(self.evidence(property, system, run, conclusion))?,
            Outcome::Prefix(prefix) => {
                confirmed(self.bad_prefix(property, system, prefix, conclusion))?
            }
            Outcome::Stopped(reason) => Verdict::Unknown(Cause::Stopped(reason.clone())),
            Outcome::Failed(_, failure) => {
                let action = failure
                    .action
                    .and_then(|a| self.program.actions.get(a as usize));
                Verdict::Unknown(match action {
                    Some(action) => Cause::Failure(format!("{}: {}", action.name, failure.message)),
                    None => of_state(property, &failure.message),
                })
            }
            Outcome::Inapplicable(why) => {
                return Err(CheckError::Refused(format!(
                    "algorithm {} is not made for this: {why}",
                    conclusion.name
                )));
            }
            Outcome::TooManySets(sets) => {
                return Err(CheckError::Refused(format!(
                    "{sets} acceptance sets are more than a search is made for"
                )));
            }
        };
        Ok(())
    }

    /// The states of a path, unpacked, each with its action.
    pub(super) fn unpacked<S: Packed>(
        &self,
        system: &S,
        moments: &[sempre_explicit::check::Moment],
    ) -> Vec<(Vec<i64>, Option<u32>)> {
        let each = moments.iter().map(|m| {
            let mut cells = vec![0; self.program.cells()];
            system.unpack(&m.state, &mut cells);
            (cells, m.action)
        });
        each.collect()
    }

    fn bad_prefix<S: Packed>(
        &self,
        property: &Property,
        system: &S,
        found: &BadPrefix,
        conclusion: &Conclusion<'_>,
    ) -> Result<Evidence, Unconfirmed> {
        let goes_on = match &found.goes_on {
            Some(run) if run.cycle.is_empty() => {
                return Err(Unconfirmed::Defect("the cycle is empty".to_string()));
            }
            Some(run) => Some(Lasso::new(
                self.unpacked(system, &run.prefix),
                self.unpacked(system, &run.cycle),
            )),
            None => None,
        };
        let mut claim = property.claim.clone();
        let (deadline, interrupt) = (conclusion.deadline, conclusion.limits.interrupt);
        confirm_prefix(
            &self.program,
            property,
            &self.unpacked(system, &found.path),
            goes_on.as_ref(),
            conclusion.deadlock,
            move |word| {
                in_time(deadline, interrupt, move || {
                    is_bad_prefix(&mut claim, &word)
                })
                .map_err(Unconfirmed::Stopped)
            },
        )
    }

    fn evidence<S: Packed>(
        &self,
        property: &Property,
        system: &S,
        run: &Counterexample,
        conclusion: &Conclusion<'_>,
    ) -> Result<Evidence, Unconfirmed> {
        if run.cycle.is_empty() {
            return Err(Unconfirmed::Defect("the cycle is empty".to_string()));
        }
        let run = folded(
            self.unpacked(system, &run.prefix),
            self.unpacked(system, &run.cycle),
        );
        confirm(
            &self.program,
            property,
            &run,
            conclusion.deadlock,
            conclusion.fair,
        )
    }
}

/// What fails in a state and not in a step: with the text of a proposition instead of its number, or else an assertion of the model.
pub(super) fn of_state(property: &Property, message: &str) -> Cause {
    let parts = message
        .strip_prefix("proposition ")
        .and_then(|rest| rest.split_once(' '));
    let named = parts.and_then(|(number, rest)| {
        let p = property.propositions.get(number.parse::<usize>().ok()?)?;
        Some(format!("proposition `{}` {rest}", p.text))
    });
    named.map_or_else(|| Cause::Failure(message.to_string()), Cause::NoValue)
}
