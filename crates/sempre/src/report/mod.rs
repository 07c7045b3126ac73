//! A report to look at: one page of HTML that needs nothing else, neither a network nor a server.
//!
//! | file | holds |
//! | --- | --- |
//! | [`answer`] | what was asked, and what was found, in a sentence each |
//! | [`facts`] | what was done, in rows; also for the terminal |
//! | [`truth`] | the truth of the property's parts along the run, and why it fails |
//! | [`messages`] | who told whom |
//! | [`drawing`] | the automaton of the violations, and the way of the run through it |
//! | `source` | the text of the model, and the lines that the run executes |
//! | `data` | all that as JSON, for the page's script |
//! | `page` | the page: what can be read without the script, the data, the scripts (`rows.js`, `page.js`) and the style (`page.css`) |
//!
//! Nothing of a model or of a property reaches the page but escaped, and the script makes text of it and nothing else.

pub mod answer;
mod data;
pub mod drawing;
pub mod facts;
pub mod messages;
mod page;
mod source;
pub mod truth;

pub use page::page;
pub use source::SourceText;

use crate::check::{Asked, Claim, Evidence, Fairness, Property, Report, Verdict};
use sempre_explicit::product::Deadlock;
use sempre_model::Program;

/// A check that was done.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The model.
    pub program: &'a Program,
    /// What the model's file is called.
    pub file: &'a str,
    /// The property.
    pub property: &'a Property,
    /// What was found out.
    pub report: &'a Report,
    /// What became of runs that end.
    pub deadlock: Deadlock,
    /// Which runs counted.
    pub fairness: Fairness,
    /// Was a deterministic automaton preferred?
    pub deterministic: bool,
}

impl<'a> Subject<'a> {
    /// The run that violates the property, if there is one.
    pub fn evidence(&self) -> Option<&'a Evidence> {
        match &self.report.verdict {
            Verdict::Violated(evidence) => Some(evidence),
            Verdict::Holds(_) | Verdict::Unknown(_) => None,
        }
    }
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Text(String),
    /// A formula.
    Code(String),
    /// A position of the run.
    Step(usize),
}

/// Why the property is violated by the run of its report, in a sentence; empty if it is not.
pub fn sentence(subject: &Subject<'_>, tracks: Option<&truth::Tracks<'_>>) -> Vec<Piece> {
    let Some(evidence) = subject.evidence() else {
        return Vec::new();
    };
    let text = |t: &str| Piece::Text(t.to_string());
    let last = evidence.len().saturating_sub(1);
    match &subject.property.claim {
        Claim::NoFailure(_) => vec![
            text("At "),
            Piece::Step(last),
            text(": "),
            text(evidence.failure().unwrap_or("it fails")),
            text("."),
        ],
        Claim::Formula(..) if subject.property.asked == Asked::Reachable => vec![
            text("The condition holds at "),
            Piece::Step(last),
            text("."),
        ],
        Claim::Formula(formulas, _) => {
            let code = |f| Piece::Code(drawing::text(formulas, f));
            let Some(explanation) = tracks.and_then(truth::Tracks::explanation) else {
                return match evidence.is_finite() {
                    true => vec![
                        text("No continuation of the path that ends at "),
                        Piece::Step(last),
                        text(
                            " satisfies the property, though no part of it is decided by the path alone.",
                        ),
                    ],
                    false => vec![text(
                        "The run is too long to look at each part of the property.",
                    )],
                };
            };
            let verb = |holds: bool| if holds { " holds at " } else { " fails at " };
            let mut out = vec![text("The property fails")];
            for part in &explanation.way {
                out.extend([text(", for "), code(part.formula)]);
                out.extend([text(verb(part.holds)), Piece::Step(part.from)]);
            }
            // What it comes down to, unless that was just said.
            let said = explanation
                .way
                .last()
                .is_some_and(|w| explanation.parts == [*w]);
            let parts = if said {
                &[][..]
            } else {
                &explanation.parts[..]
            };
            for (i, part) in parts.iter().enumerate() {
                let join = match i {
                    0 => ": ",
                    _ if i + 1 == parts.len() => ", and ",
                    _ => ", ",
                };
                out.extend([text(join), code(part.formula)]);
                match part.to {
                    Some(to) if to == part.from => {
                        out.extend([text(verb(part.holds)), Piece::Step(to)]);
                    }
                    Some(to) => {
                        let verb = if part.holds {
                            " holds from "
                        } else {
                            " fails from "
                        };
                        out.extend([text(verb), Piece::Step(part.from)]);
                        let lap = if to < part.from {
                            " of the next lap"
                        } else {
                            ""
                        };
                        out.extend([text(" to "), Piece::Step(to), text(lap)]);
                    }
                    None => {
                        let verb = match part.holds {
                            true => " holds at every step from ",
                            false => " never holds from ",
                        };
                        out.extend([text(verb), Piece::Step(part.from), text(" on")]);
                    }
                }
            }
            out.push(text("."));
            if evidence.is_finite() {
                out.push(text(" Whatever comes next, the property is violated."));
            }
            out
        }
        Claim::Violation(..) if evidence.is_finite() => vec![
            text("The automaton of the violations has accepted when it has read "),
            Piece::Step(last),
            text(": whatever comes next, the property is violated."),
        ],
        Claim::Violation(..) => vec![
            text("The automaton of the violations accepts the run, whose cycle begins at "),
            Piece::Step(evidence.prefix().len()),
            text("."),
        ],
        Claim::Progress(processes) => {
            let moves = |p: u32| {
                let takes_part = |a: u32| {
                    let action = &subject.program.actions[a as usize];
                    action.processes.iter().any(|q| q.0 == p)
                };
                let mut actions = evidence.cycle().iter().filter_map(|m| m.action);
                actions.any(takes_part)
            };
            let mut out = Vec::new();
            for p in processes.iter().filter(|&&p| !moves(p)) {
                out.push(text(if out.is_empty() {
                    "From "
                } else {
                    ", and from "
                }));
                out.push(Piece::Step(evidence.prefix().len()));
                out.push(text(" on "));
                let name = &subject.program.processes[*p as usize].name;
                out.push(Piece::Code(name.clone()));
                out.push(text(" takes no step"));
            }
            out.push(text("."));
            out
        }
    }
}
