//! What was asked, what was found, and what that means, in a sentence each.

use super::Subject;
use super::facts::counted;
use crate::check::{Asked, Claim, Evidence, Fairness, Verdict};
use sempre_ltl::{Formula, Formulas, Syntax, print};

/// Longer formulas are cut.
const SHOWN: usize = 120;

/// The question.
pub fn asked(subject: &Subject<'_>) -> String {
    let property = subject.property;
    let runs = match subject.fairness {
        Fairness::None => "every run",
        Fairness::Weak | Fairness::WeakTransitions => "every fair run",
    };
    match &property.claim {
        Claim::Formula(formulas, f) if property.asked == Asked::Reachable => {
            format!("can a state be reached in which {}?", goal(formulas, *f))
        }
        Claim::Formula(formulas, f) => {
            format!("does {runs} satisfy {}?", shown(formulas, *f))
        }
        Claim::Violation(..) => format!(
            "is there no run that the automaton `{}` accepts? It accepts the violations",
            property.name
        ),
        Claim::Progress(processes) => {
            let names = names(subject, processes);
            let each = match processes.len() {
                1 => names,
                _ => format!("each of {names}"),
            };
            format!("does {each} take part in infinitely many steps of {runs}?")
        }
        Claim::NoFailure(_) => "can no step fail, and no assertion?".to_string(),
    }
}

/// The answer.
pub fn found(subject: &Subject<'_>) -> String {
    let property = subject.property;
    let reachable = property.asked == Asked::Reachable;
    match &subject.report.verdict {
        Verdict::Holds(_) => match (&property.claim, reachable) {
            (_, true) => "no: none of the reachable states is such a state".to_string(),
            (Claim::Violation(..), _) => "yes: it accepts no run of the model".to_string(),
            (Claim::Formula(..) | Claim::Progress(_), _) => {
                "yes: no run violates the property".to_string()
            }
            (Claim::NoFailure(_), _) => "yes: nothing fails in any run".to_string(),
        },
        Verdict::Unknown(_) => match reachable {
            true => "no answer: no such state was met, but not all were looked at".to_string(),
            false => "no answer: no violation was met, but not all runs were looked at".to_string(),
        },
        Verdict::Violated(evidence) => {
            let way = way(evidence);
            match &property.claim {
                _ if reachable && evidence.len() == 1 => format!("yes: {way} is one"),
                _ if reachable => format!("yes: {way} ends in one"),
                Claim::Violation(..) if evidence.is_finite() => {
                    format!("no: it accepts {way}, whatever comes next")
                }
                Claim::Violation(..) => format!("no: it accepts the run {way}"),
                Claim::Formula(..) if evidence.is_finite() => {
                    format!("no: {way} violates it, whatever comes next")
                }
                Claim::Formula(..) => format!("no: the run {way} violates it"),
                Claim::NoFailure(_) => format!("no: {way} ends in a failure"),
                Claim::Progress(processes) => {
                    let still: Vec<u32> = (processes.iter().copied())
                        .filter(|&p| !moves(subject, evidence, p))
                        .collect();
                    let take = if still.len() == 1 { "takes" } else { "take" };
                    let names = names(subject, &still);
                    format!("no: {names} {take} no step in the cycle of the run {way}")
                }
            }
        }
    }
}

/// The run with its length: of a finite one a noun, of another what comes after "the run".
fn way(evidence: &Evidence) -> String {
    let prefix = evidence.prefix().len();
    if evidence.is_finite() {
        return match prefix.saturating_sub(1) {
            0 => "the initial state".to_string(),
            n => format!("the path of {} below", counted(n, "step")),
        };
    }
    let rests = evidence.cycle().iter().all(|m| m.action.is_none());
    let cycle = match rests {
        true => "a last state in which nothing can move".to_string(),
        false => format!("a cycle of {}", counted(evidence.cycle().len(), "step")),
    };
    match prefix {
        0 => format!("below ({cycle})"),
        n => format!("below ({}, then {cycle})", counted(n, "step")),
    }
}

/// Does the process take part in a step of the cycle?
fn moves(subject: &Subject<'_>, evidence: &Evidence, process: u32) -> bool {
    let mut actions = evidence.cycle().iter().filter_map(|m| m.action);
    actions.any(|a| {
        let action = &subject.program.actions[a as usize];
        action.processes.iter().any(|p| p.0 == process)
    })
}

fn names(subject: &Subject<'_>, processes: &[u32]) -> String {
    let name = |p: &u32| subject.program.processes[*p as usize].name.clone();
    let all: Vec<String> = processes.iter().map(name).collect();
    all.join(", ")
}

/// The condition of a question for a state; the claim is `G !p`.
fn goal(formulas: &Formulas, claim: Formula) -> String {
    let operand = |f: Formula| formulas.operands(f).first().copied().unwrap_or(f);
    shown(formulas, operand(operand(claim)))
}

fn shown(formulas: &Formulas, f: Formula) -> String {
    let text = print(formulas, f, Syntax::Spot).to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
