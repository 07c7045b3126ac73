//! What was done, in rows of a name and a value: for people, in a terminal or on a page.

use super::Subject;
use crate::check::{Asked, Cause, Evidence, Fairness, Verdict, symbolic};
use sempre_explicit::finite::Search;
use sempre_explicit::product::Deadlock;

/// Searches that store so many states have shown that number while they ran; it is shown at the end, too, where it is not that of
/// the states that they looked at.
const MANY: u64 = 100_000;

/// `1 word`, `2 words`.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// What is said at the end of a finite run.
pub fn end_words(asked: Asked, evidence: &Evidence) -> &str {
    match (evidence.failure(), asked) {
        (Some(failure), _) => failure,
        (None, Asked::Reachable) => "here the condition holds",
        (None, Asked::Runs | Asked::Invariant) => "whatever comes next, the property is violated",
    }
}

/// How many states were stored, of a large search where that is not the number of those it looked at.
fn stored(subject: &Subject<'_>) -> String {
    let statistics = &subject.report.statistics;
    match statistics.stored {
        n if n >= MANY && n != statistics.counters.states => format!("; {n} states stored"),
        _ => String::new(),
    }
}

/// The rows, without times and reasons.
pub fn facts(subject: &Subject<'_>) -> Vec<(&'static str, String)> {
    let report = subject.report;
    let counters = &report.statistics.counters;
    let mut rows: Vec<(&str, String)> = Vec::new();
    if let Verdict::Unknown(cause) = &report.verdict {
        rows.push(("reason", cause.words()));
        if matches!(cause, Cause::Failure(_)) {
            let hint = format!(
                "`sempre explore {} --find failure` shows how to get there",
                subject.file
            );
            rows.push(("hint", hint));
        }
    }
    let deadlock = match subject.deadlock {
        Deadlock::Stutter => "stutter: a run that ends repeats its last state",
        Deadlock::Drop => "drop: a run that ends does not count",
    };
    rows.push(("deadlock", deadlock.to_string()));
    let fairness = match subject.fairness {
        Fairness::None => None,
        Fairness::Weak => Some("weak, to each process"),
        Fairness::WeakTransitions => Some("weak, to each transition"),
    };
    if let Some(fairness) = fairness {
        let ignored = match report.fairness_ignored {
            true => "; it does not matter to a safety property",
            false => "",
        };
        rows.push(("fairness", format!("{fairness}{ignored}")));
    }
    if let Some(a) = &report.automaton {
        let deterministic = if a.deterministic {
            ", deterministic"
        } else {
            ""
        };
        let sets = match a.kind.is_finite() {
            true => String::new(),
            false => format!(", {}", counted(a.sets as usize, "acceptance set")),
        };
        let (kind, states, edges) = (a.kind.name(), a.states, a.edges);
        let text = format!(
            "{kind}, {}, {}{sets}{deterministic}",
            counted(states, "state"),
            counted(edges, "edge")
        );
        rows.push(("automaton", text));
    }
    if let Some(net) = &report.net {
        let mut text = format!(
            "{} and {} matter; {} of walks",
            counted(net.places, "place"),
            counted(net.transitions, "transition"),
            counted(net.steps as usize, "step")
        );
        if let Some(n) = net.contradictions {
            text += &format!("; a proof of {}", counted(n, "contradiction"));
        }
        rows.push((
            "net",
            format!(
                "{text}{}",
                match report.method {
                    Some(method) => format!(" ({})", method.name()),
                    None => String::new(),
                }
            ),
        ));
    }
    if report.method.is_some() {
        // No product was searched.
    } else if let Some(statistics) = &report.symbolic {
        rows.push(("product", symbolic::words(statistics)));
    } else if let Some(algorithm) = report.algorithm_name() {
        let stack = match report.search {
            _ if report.by_elimination => String::new(),
            Some(Search::Bfs | Search::BestFirst) => format!(", queue {}", counters.max_stack),
            _ => format!(", stack {}", counters.max_stack),
        };
        rows.push((
            "product",
            format!(
                "{}, {}{stack} ({algorithm}){}",
                counted(counters.states as usize, "state"),
                counted(counters.transitions as usize, "transition"),
                stored(subject)
            ),
        ));
        if report.workers > 1 {
            let (workers, again) = (report.workers, counters.repeated);
            let again = match report.search {
                Some(_) => String::new(),
                None => format!(", {again} states by more than one"),
            };
            rows.push(("workers", format!("{workers}{again}")));
        }
    }
    rows
}
