//! Does a run come to a failed assertion, an erroneous step, or an end where none should be?
//!
//! A breadth-first exploration of the program until the first of these ([`Goal::Failure`]); its parents give a shortest run. The program
//! is a parameter of the claim: that with end states is another than the one whose runs other properties are about, as a check of those must go
//! on where a system ends.
//!
//! The run is replayed by the interpreter, with the failure at its end.

use super::checker::Checker;
use super::conclusion::Packed;
use super::property::{Asked, Claim, Property};
use super::replay::{Unconfirmed, confirm_failure};
use super::settings::Settings;
use super::verdict::{Cause, CheckError, Exhausted, Report, Verdict};
use sempre_explicit::explore::{Goal, Options, Outcome, Reason, explore};
use sempre_explicit::finite::Search;
use sempre_jit::CompiledSystem;
use sempre_lang::model::Model;
use sempre_model::ir::{Action, Behaviour, Program, Stmt};
use sempre_model::{Layout, ProgramSystem};
use std::sync::Arc;
use std::time::Instant;

/// That nothing fails in the runs of a model that the language says must not: assertions, steps and, where the language tells ends that may
/// be from others, ends. `None` if there are neither assertions nor such ends.
pub fn of_model(model: &Model) -> Option<Property> {
    let program = model.explored();
    if program.actions.len() > model.program().actions.len() {
        return Some(of_program("assertions and end states", program));
    }
    has_assertions(&program).then(|| of_program("assertions", program))
}

fn of_program(name: &str, program: Program) -> Property {
    Property {
        name: name.to_string(),
        propositions: Vec::new(),
        claim: Claim::NoFailure(Arc::new(program)),
        asked: Asked::Runs,
        warnings: Vec::new(),
    }
}

/// That no assertion of a model fails, and no step is erroneous.
pub fn found_in(model: &Model) -> Property {
    of_program("assertions", model.program().clone())
}

fn has_assertions(program: &Program) -> bool {
    let asserts = |action: &Action| match &action.behaviour {
        Behaviour::Guarded { effect, .. } => effect.iter().any(|s| matches!(s, Stmt::Assert(..))),
        Behaviour::Table(_) => false,
    };
    !program.assertions.is_empty() || program.actions.iter().any(asserts)
}

/// Looks for a failure.
pub(super) fn check(
    checker: &Checker,
    property: &Property,
    program: &Arc<Program>,
    settings: &Settings<'_>,
) -> Result<Report, CheckError> {
    if settings.as_written() {
        return Err(CheckError::Refused(
            "assertions are checked by a breadth-first exploration: no automaton or algorithm is made for them".to_string(),
        ));
    }
    let layout = Layout::inferred(program);
    let (program_of, meanings) = (Arc::clone(program), Vec::new());
    let mut report = Report::unknown(settings, Reason::Time);
    report.engine = super::Engine::Explicit;
    report.search = Some(Search::Bfs);
    report.fairness_ignored = checker.is_fair();
    report.workers = settings.workers.max(1);
    report.explanation.push(
        "algorithm bfs: a breadth-first exploration of the model finds a shortest run to a failure"
            .to_string(),
    );
    if settings.compile
        && let Ok(system) = CompiledSystem::new(program_of.clone(), layout.clone(), meanings)
    {
        search(property, program, &system, settings, &mut report)?;
    } else {
        let system = ProgramSystem::new(program_of, layout, Vec::new());
        search(property, program, &system, settings, &mut report)?;
    }
    Ok(report)
}

fn search<S: Packed>(
    property: &Property,
    program: &Program,
    system: &S,
    settings: &Settings<'_>,
    report: &mut Report,
) -> Result<(), CheckError> {
    let begin = Instant::now();
    let limits = &settings.limits;
    let found = explore(
        system,
        &Options {
            workers: settings.workers,
            parents: true,
            until: Some(Goal::Failure),
            memory: limits.memory,
            time: limits.time,
            states: limits.states,
            interrupt: limits.interrupt,
            progress: limits.progress,
            ..Options::default()
        },
    );
    let (statistics, counted) = (&mut report.statistics, &found.statistics);
    statistics.counters.states = counted.expanded;
    statistics.counters.transitions = counted.transitions;
    statistics.stored = counted.states;
    statistics.bytes = counted.bytes;
    statistics.widenings = counted.widenings;
    statistics.elapsed = begin.elapsed();
    report.elapsed = begin.elapsed();
    let failure = found.failure.as_ref();
    let path = failure.and_then(|(state, _)| found.trace_to(*state));
    report.verdict = match (&found.outcome, failure, path) {
        (_, Some((_, failure)), Some(path)) => {
            let cells = |state: &Vec<u64>| {
                let mut cells = vec![0; program.cells()];
                found.system().unpack(state, &mut cells);
                cells
            };
            let actions = path.steps.iter().map(|step| Some(step.action));
            let states = path.states.iter().map(cells);
            let moments: Vec<_> = states.zip(actions.chain([failure.action])).collect();
            match confirm_failure(program, property, &moments) {
                Ok(evidence) => Verdict::Violated(evidence),
                Err(Unconfirmed::Defect(text) | Unconfirmed::NoValue(text)) => {
                    let text = format!("a failure was not confirmed: {text}");
                    return Err(CheckError::Defect(text));
                }
                Err(Unconfirmed::Stopped(reason)) => Verdict::Unknown(Cause::Confirmation(reason)),
            }
        }
        (Outcome::Stopped(reason), _, _) => Verdict::Unknown(Cause::Stopped(reason.clone())),
        _ => match Exhausted::explored(&found) {
            Some(exhausted) => Verdict::Holds(exhausted),
            None => return Err(CheckError::Defect("a failure without a run".to_string())),
        },
    };
    Ok(())
}
