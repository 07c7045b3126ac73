//! `--algorithm walk` for programs that are no nets: random and directed walks ([`sempre_explicit::walk`]) to a state in which a condition has the
//! wrong value.

use super::checker::Checker;
use super::conclusion::Packed;
use super::property::{Property, Proposition};
use super::reachability::{Clock, MANY_STEPS, Method, NO_WALK, VALUES, replayed_path, verdict_of};
use super::settings::Settings;
use super::verdict::{Cause, CheckError, Report, Verdict};
use sempre_explicit::explore::Reason;
use sempre_explicit::walk::{WalkOptions, walk};
use sempre_model::ir::Expr;

/// Walks through a program that is no net.
pub(super) fn check(
    checker: &Checker,
    property: &Property,
    settings: &Settings<'_>,
    (bad, wanted): (&Expr, bool),
    clock: &Clock<'_>,
) -> Result<Report, CheckError> {
    let mut report = Report::unknown(settings, Reason::Time);
    report.method = Some(Method::Walk);
    let condition = Property {
        propositions: vec![Proposition {
            text: "the condition".to_string(),
            meaning: bad.clone(),
        }],
        ..property.clone()
    };
    let is_over = || clock.is_over(1.0);
    let options = WalkOptions {
        proposition: 0,
        wanted,
        steps: settings.limits.states.unwrap_or(MANY_STEPS),
        longest: (VALUES / checker.program().cells().max(1)).max(1000),
        seed: 1,
        is_over: &is_over,
    };
    let (path, steps) = match checker.system(&condition, settings, &mut report) {
        Ok(system) => walked(checker, &system, &options),
        Err(system) => walked(checker, &system, &options),
    };
    report.explanation.push(format!(
        "algorithm walk: as asked; {steps} steps of random and directed walks"
    ));
    report.verdict = match path {
        Some(path) => verdict_of(replayed_path(checker.program(), property, &path, clock))?,
        None if clock.is_interrupted() => Verdict::Unknown(Cause::Stopped(Reason::Interrupted)),
        None if is_over() => Verdict::Unknown(Cause::Stopped(Reason::Time)),
        None => Verdict::Unknown(Cause::Undecided(NO_WALK.to_string())),
    };
    report.elapsed = clock.begin.elapsed();
    Ok(report)
}

/// A path with the values of its states, and the steps that it took to find it.
type Walked = (Option<Vec<(Vec<i64>, Option<u32>)>>, u64);

fn walked<S: Packed>(checker: &Checker, system: &S, options: &WalkOptions<'_>) -> Walked {
    let found = walk(system, options);
    let system = found.wider.as_ref().unwrap_or(system);
    let path = found.path.map(|path| checker.unpacked(system, &path));
    (path, found.steps)
}
