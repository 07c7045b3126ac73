//! One model, one property, every way to check it: do all of them say the same?
//!
//! | file | holds |
//! | --- | --- |
//! | `case` | what is checked |
//! | [`ways`] | the ways: engine, automaton, algorithm, number of workers, compiled or interpreted, alone or with other properties |
//! | [`reference`] | the slow and obvious one: the model as an automaton |
//! | [`draw`] | random programs and formulas |
//! | [`shrink`] | a smaller case that still shows a disagreement |
//! | [`bug_report`] | a disagreement in words |
//!
//! What is compared, of the ways that came to an answer:
//! * the **verdict**, with that of the reference if there is one;
//! * the **replay**: a run that was not confirmed is a defect, whatever the others say;
//! * **sizes**, where they must be the same: the states of a product that was searched completely, by checks of the same automaton that
//!   count acceptance sets in the same way; and the length of a shortest bad prefix by deterministic automata, which may be shorter if what the
//!   types settle is taken out of the formula.
//!
//! Who cannot do a case says so and is left out; who met an erroneous step, or a limit, has no answer. The function that
//! answers is a parameter, so that a wrong one can be put in its place.

pub mod bug_report;
mod case;
pub mod draw;
pub mod reference;
pub mod shrink;
pub mod ways;

pub use case::Case;
pub use ways::{Way, ways};

use crate::check::parts::is_whole;
use crate::check::{
    AutomatonKind, Cause, CheckError, Checker, Property, Report, Settings, Verdict,
};
use sempre_base::{Random, stop};
use sempre_explicit::explore::Reason;
use sempre_explicit::finite::Search;
use sempre_explicit::product::Limits;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;

/// So many other properties a property is checked together with.
const OTHERS: usize = 4;

/// What a way says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The property holds; the number of states of the product, if it was counted.
    Holds(Option<u64>),
    /// It is violated; the length of the path if it is one of the shortest.
    Violated(Option<usize>),
    /// Nobody knows, and why.
    Unknown(String),
    /// It is not made for this, and why.
    Refused(String),
    /// It is wrong, whatever the others say.
    Defect(String),
}

impl Answer {
    /// Does the property hold, as far as this knows?
    pub fn holds(&self) -> Option<bool> {
        match self {
            Answer::Holds(_) => Some(true),
            Answer::Violated(_) => Some(false),
            Answer::Unknown(_) | Answer::Refused(_) | Answer::Defect(_) => None,
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Answer::Holds(None) => f.write_str("holds"),
            Answer::Holds(Some(states)) => write!(f, "holds, {states} states"),
            Answer::Violated(None) => f.write_str("violated"),
            Answer::Violated(Some(length)) => {
                write!(f, "violated by a shortest path of {length} states")
            }
            Answer::Unknown(why) => write!(f, "unknown: {why}"),
            Answer::Refused(why) => write!(f, "refused: {why}"),
            Answer::Defect(what) => write!(f, "defect: {what}"),
        }
    }
}

/// A function that answers.
pub type Answers<'a> = dyn Fn(&Case, &Way) -> Answer + 'a;

/// The answer of our engines. A panic is one, too; work that is stopped at a checkpoint is unknown.
pub fn answer(case: &Case, way: &Way, limits: Limits<'_>) -> Answer {
    let answered = std::panic::catch_unwind(AssertUnwindSafe(|| checked(case, way, limits)));
    answered.unwrap_or_else(|panic| match stop::unwound(&*panic) {
        Some(stop) => Answer::Unknown(stop.word().to_string()),
        None => Answer::Defect("it panicked".to_string()),
    })
}

fn checked(case: &Case, way: &Way, limits: Limits<'_>) -> Answer {
    let checker = match Checker::new(&case.program, case.fairness) {
        Ok(checker) => checker,
        Err(CheckError::Refused(why)) => return Answer::Refused(why),
        Err(CheckError::Defect(what)) => return Answer::Defect(what),
    };
    let settings = way.settings(case.deadlock, limits);
    let report = match way.together {
        true => among_others(&checker, case, &settings),
        false => checker.check(&case.property, &settings),
    };
    let report = match report {
        Ok(report) => report,
        Err(CheckError::Refused(why)) => return Answer::Refused(why),
        Err(CheckError::Defect(what)) => return Answer::Defect(what),
    };
    match &report.verdict {
        Verdict::Holds(_) => Answer::Holds(match &report.symbolic {
            Some(statistics) => (statistics.product_states.as_ref()).and_then(|n| n.to_u64()),
            None => Some(report.statistics.stored),
        }),
        Verdict::Violated(evidence) => {
            // A nondeterministic automaton need not accept a bad prefix as soon as it is one, and the parts of a conjunction need not be
            // violated by a prefix that violates the whole.
            let kind = report.automaton.map(|facts| facts.kind);
            let shortest = report.search == Some(Search::Bfs)
                && !report.statistics.scouted
                && (!way.together || is_whole(&case.property))
                && kind != Some(AutomatonKind::Nfa);
            Answer::Violated(shortest.then_some(evidence.len()))
        }
        // A thread that panicked is no limit.
        Verdict::Unknown(
            Cause::Stopped(Reason::Panic(what)) | Cause::Translation(Reason::Panic(what)),
        ) => Answer::Defect(what.clone()),
        Verdict::Unknown(cause) => Answer::Unknown(cause.words()),
    }
}

/// The report on the property of a case when it is checked together with some random others.
fn among_others(
    checker: &Checker,
    case: &Case,
    settings: &Settings<'_>,
) -> Result<Report, CheckError> {
    let random = &mut Random::new(case.program.actions.len() as u64);
    let mut all: Vec<Property> = (0..OTHERS)
        .map(|_| draw::property(random, &case.program))
        .collect();
    let place = random.below(all.len());
    all.insert(place, case.property.clone());
    let mut found = None;
    checker.check_all(&all, settings, false, &mut |i, result| {
        if i == place {
            found = Some(result);
        }
    });
    found.unwrap_or_else(|| Err(CheckError::Defect("there is no report".to_string())))
}

/// What does not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// In a word.
    pub what: What,
    /// Who says what: enough of the ways to show it.
    pub answers: Vec<(Option<Way>, Answer)>,
}

/// Kinds of disagreements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// One says that it is wrong itself.
    Defect,
    /// Verdicts differ.
    Verdicts,
    /// Sizes of products differ.
    Sizes,
    /// Lengths of shortest paths differ.
    Lengths,
}

impl What {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            What::Defect => "an engine is wrong by its own account",
            What::Verdicts => "verdicts differ",
            What::Sizes => "products that should be the same have different sizes",
            What::Lengths => "shortest violations differ in length",
        }
    }
}

/// What came out of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Does the property hold, if anybody knows?
    pub holds: Option<bool>,
    /// Ways that came to an answer.
    pub answered: usize,
    /// Ways that were not made for it.
    pub refused: usize,
    /// Ways that came to no answer.
    pub unknown: usize,
    /// What does not fit together, if anything.
    pub disagreement: Option<Disagreement>,
}

/// Compares what the ways say, and what is `known` otherwise.
pub fn compare(case: &Case, ways: &[Way], known: Option<bool>, answers: &Answers<'_>) -> Compared {
    let mut compared = Compared {
        holds: known,
        ..Compared::default()
    };
    // Who said first that it holds, or that it does not.
    let mut first: [Option<(Option<Way>, Answer)>; 2] = [None, None];
    if let Some(holds) = known {
        let answer = match holds {
            true => Answer::Holds(None),
            false => Answer::Violated(None),
        };
        first[usize::from(holds)] = Some((None, answer));
    }
    let mut sizes: BTreeMap<String, (Way, u64)> = BTreeMap::new();
    // Of the formula without what the types settle, and as written.
    let mut shortest: [Option<(Way, usize)>; 2] = [None, None];
    for way in ways {
        let answer = answers(case, way);
        let found = |what, other: (Option<Way>, Answer)| {
            let answers = vec![other, (Some(*way), answer.clone())];
            Some(Disagreement { what, answers })
        };
        match &answer {
            Answer::Refused(_) => compared.refused += 1,
            Answer::Unknown(_) => compared.unknown += 1,
            Answer::Defect(_) => {
                let answers = vec![(Some(*way), answer.clone())];
                let what = What::Defect;
                compared.disagreement = Some(Disagreement { what, answers });
            }
            Answer::Holds(size) => {
                if let (Some(size), Some(product)) = (size, way.product(case)) {
                    match sizes.get(&product) {
                        Some((other, n)) if n != size => {
                            let other = (Some(*other), Answer::Holds(Some(*n)));
                            compared.disagreement = found(What::Sizes, other);
                        }
                        _ => {
                            sizes.insert(product, (*way, *size));
                        }
                    }
                }
            }
            Answer::Violated(length) => {
                if let &Some(length) = length {
                    let settings = way.settings(case.deadlock, Limits::default());
                    let mine = usize::from(settings.as_written());
                    // What the types settle may be seen earlier.
                    let fits = |slot: usize, n: usize| match slot.cmp(&mine) {
                        Ordering::Less => n <= length,
                        Ordering::Equal => n == length,
                        Ordering::Greater => n >= length,
                    };
                    let misfit = |slot: usize| shortest[slot].filter(|&(_, n)| !fits(slot, n));
                    if let Some((other, n)) = (0..2).find_map(misfit) {
                        let other = (Some(other), Answer::Violated(Some(n)));
                        compared.disagreement = found(What::Lengths, other);
                    }
                    shortest[mine] = Some((*way, length));
                }
            }
        }
        if let Some(holds) = answer.holds() {
            compared.answered += 1;
            compared.holds = compared.holds.or(Some(holds));
            // What matters most is told.
            if let Some(other) = &first[usize::from(!holds)] {
                compared.disagreement = found(What::Verdicts, other.clone());
            }
            let mine = &mut first[usize::from(holds)];
            *mine = mine.take().or_else(|| Some((Some(*way), answer.clone())));
        }
        if compared.disagreement.is_some() {
            break;
        }
    }
    compared
}
