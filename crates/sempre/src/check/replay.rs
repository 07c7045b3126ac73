//! Evidence: a run that violates a property, confirmed by code that shares nothing with the search.
//!
//! The search packs states, compiles the model and the automaton, and degeneralises. None of that is believed:
//! * the interpreter makes each step of the run, and finds no other where the run stutters;
//! * the interpreter evaluates the propositions, and the word they make falsifies the formula by the semantics of LTL
//!   on lasso words, or is accepted by the automaton as it was given, or one of the processes that must go on has no step in the
//!   cycle;
//! * of a finite path, the interpreter makes each step, and the word is a bad prefix of the property as it was given
//!   ([`is_bad_prefix`](super::bad_prefix::is_bad_prefix)); where runs that end do not count, a run that goes on from it is replayed as well;
//! * the cycle sees each acceptance mark of the model's own edges;
//! * with fairness, each process takes part in a step of the cycle, or is not enabled in one of its states.

use super::property::{Claim, Property};
use sempre_base::Lasso;
use sempre_explicit::explore::Reason;
use sempre_explicit::product::Deadlock;
use sempre_ltl::lasso::evaluate_with;
use sempre_model::ir::StepError;
use sempre_model::trace::TraceFailure;
use sempre_model::{Interpreter, Program, Trace, TraceStep, replay};
use sempre_omega::membership::accepts_by;

/// A state of a run, and what leads from it to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The values of the cells.
    pub state: Vec<i64>,
    /// The truth of the propositions of the property.
    pub propositions: Vec<bool>,
    /// The action; `None` for stuttering in a deadlock.
    pub action: Option<u32>,
}

/// A run that violates a property, or a path all of whose continuations do; made by [`confirm`] and [`confirm_prefix`] alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    prefix: Vec<Moment>,
    cycle: Vec<Moment>,
    /// In words, and whether it is an assertion that fails.
    failure: Option<(String, bool)>,
}

impl Evidence {
    /// What happens once.
    pub fn prefix(&self) -> &[Moment] {
        &self.prefix
    }

    /// What happens for ever after that; empty if it does not matter.
    pub fn cycle(&self) -> &[Moment] {
        &self.cycle
    }

    /// Is it a path all of whose continuations violate the property?
    pub fn is_finite(&self) -> bool {
        self.cycle.is_empty()
    }

    /// What fails at its end, in words, if that is what the run shows. The action of the last moment fails, or an assertion does in its
    /// state.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_ref().map(|(text, _)| &text[..])
    }

    /// Is that an assertion, and no erroneous step?
    pub fn fails_assertion(&self) -> bool {
        self.failure.as_ref().is_some_and(|(_, asserted)| *asserted)
    }

    /// The moments of the prefix and of the cycle.
    pub fn moments(&self) -> impl Iterator<Item = &Moment> {
        self.prefix.iter().chain(&self.cycle)
    }

    /// Number of moments.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// Always false; here because a type with `len` is expected to have it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why a run is no evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unconfirmed {
    /// The search is wrong: this is a defect of ours.
    Defect(String),
    /// A proposition has no value in a state of the run.
    NoValue(String),
    /// It could not be found out in time.
    Stopped(Reason),
}

/// Replays a run: states, each with the action that leads to the next.
///
/// # Errors
/// The first thing that is not confirmed.
pub fn confirm(
    program: &Program,
    property: &Property,
    run: &Lasso<(Vec<i64>, Option<u32>)>,
    deadlock: Deadlock,
    fair: bool,
) -> Result<Evidence, Unconfirmed> {
    let defect = |text: String| Err(Unconfirmed::Defect(text));
    if deadlock == Deadlock::Drop && run.letters().any(|(_, action)| action.is_none()) {
        return defect("the run stutters where runs may not end".to_string());
    }
    if let Err(error) = replay(program, &trace(run)) {
        return defect(error.to_string());
    }
    let mut moments = moments(program, property, run.letters())?;
    let cycle = moments.split_off(run.prefix().len());
    let lasso = Lasso::new(moments, cycle);
    if !violates(program, property, &lasso) {
        return defect("the run satisfies the property".to_string());
    }
    if let Some(mark) = unseen_mark(program, run) {
        return defect(format!("the cycle does not see mark {mark} of the model"));
    }
    if fair && let Some(process) = unfair(program, run) {
        let name = &program.processes[process].name;
        return defect(format!("the cycle is not fair to {name}"));
    }
    Ok(Evidence {
        prefix: lasso.prefix().to_vec(),
        cycle: lasso.cycle().to_vec(),
        failure: None,
    })
}

/// Replays a finite path: states, each with the action that leads to the next. `goes_on` is how the system can go on for ever
/// from the last one, which is needed where runs that end do not count.
///
/// # Errors
/// The first thing that is not confirmed, or, if `bad` could not find out in time whether the word is a bad prefix, why.
pub fn confirm_prefix(
    program: &Program,
    property: &Property,
    path: &[(Vec<i64>, Option<u32>)],
    goes_on: Option<&Lasso<(Vec<i64>, Option<u32>)>>,
    deadlock: Deadlock,
    bad: impl FnOnce(Vec<Vec<bool>>) -> Result<bool, Unconfirmed>,
) -> Result<Evidence, Unconfirmed> {
    let defect = |text: &str| Err(Unconfirmed::Defect(text.to_string()));
    let Some((last, steps)) = path.split_last() else {
        return defect("the path is empty");
    };
    if deadlock == Deadlock::Drop {
        let Some(rest) = goes_on else {
            return defect("the path need not go on");
        };
        if rest.letter(0).0 != last.0 {
            return defect("the run does not go on from the last state");
        }
        let whole = Lasso::new(
            [steps, rest.prefix()].concat().to_vec(),
            rest.cycle().to_vec(),
        );
        confirm(program, property, &whole, deadlock, false)?;
    }
    let mut trace = Trace {
        initial: path[0].0.clone(),
        ..Trace::default()
    };
    for two in path.windows(2) {
        trace.steps.push(TraceStep {
            action: two[0].1,
            state: two[1].0.clone(),
        });
    }
    if let Err(error) = replay(program, &trace) {
        return defect(&error.to_string());
    }
    let mut prefix = moments(program, property, path.iter())?;
    if let Some(last) = prefix.last_mut() {
        last.action = None;
    }
    let word = prefix.iter().map(|m| m.propositions.clone()).collect();
    if !bad(word)? {
        return defect("the path can go on to a run that satisfies the property");
    }
    Ok(Evidence {
        prefix,
        cycle: Vec::new(),
        failure: None,
    })
}

/// Replays a finite path to a failure: states, each with the action that leads to the next; that of the last fails, or, if there is none, an
/// assertion does in the last state.
///
/// # Errors
/// The first thing that is not confirmed.
pub fn confirm_failure(
    program: &Program,
    property: &Property,
    path: &[(Vec<i64>, Option<u32>)],
) -> Result<Evidence, Unconfirmed> {
    let defect = |text: &str| Err(Unconfirmed::Defect(text.to_string()));
    let Some((last, steps)) = path.split_last() else {
        return defect("the path is empty");
    };
    let interpreter = Interpreter::new(program);
    let error = match last.1 {
        None => interpreter.failed_assertions(&last.0).into_iter().next(),
        Some(action) => (interpreter.steps(&last.0).into_iter())
            .find_map(|(step, to)| to.err().filter(|_| step.action == action)),
    };
    let Some(error) = error else {
        return defect("nothing fails at the end of the path");
    };
    let failure = (
        error.show(program).to_string(),
        matches!(error, StepError::Assertion(_)),
    );
    let next = steps.iter().zip(&path[1..]);
    let trace = Trace {
        initial: path[0].0.clone(),
        steps: next
            .map(|(now, next)| TraceStep {
                action: now.1,
                state: next.0.clone(),
            })
            .collect(),
        cycle: None,
        failure: Some(TraceFailure {
            action: last.1,
            error,
        }),
    };
    if let Err(error) = replay(program, &trace) {
        return defect(&error.to_string());
    }
    Ok(Evidence {
        prefix: moments(program, property, path.iter())?,
        cycle: Vec::new(),
        failure: Some(failure),
    })
}

/// The states with the truth of the propositions, as the interpreter tells it.
fn moments<'a>(
    program: &Program,
    property: &Property,
    run: impl Iterator<Item = &'a (Vec<i64>, Option<u32>)>,
) -> Result<Vec<Moment>, Unconfirmed> {
    let interpreter = Interpreter::new(program);
    let mut moments = Vec::new();
    for (state, action) in run {
        let mut truth = Vec::with_capacity(property.propositions.len());
        for p in &property.propositions {
            match interpreter.holds(&p.meaning, state) {
                Ok(holds) => truth.push(holds),
                Err(error) => {
                    let text = format!("`{}` has no value: {}", p.text, error.show(program));
                    return Err(Unconfirmed::NoValue(text));
                }
            }
        }
        moments.push(Moment {
            state: state.clone(),
            propositions: truth,
            action: *action,
        });
    }
    Ok(moments)
}

/// The run `prefix cycle cycle …`, written as briefly as possible: where the automaton had still to count or to guess, the
/// model may have been on its cycle already.
///
/// # Panics
/// If the cycle is empty.
pub fn folded<T: PartialEq>(mut prefix: Vec<T>, mut cycle: Vec<T>) -> Lasso<T> {
    // The shortest period, by the borders of Knuth, Morris and Pratt, if it divides the length.
    let mut border = vec![0; cycle.len()];
    for i in 1..cycle.len() {
        let mut k = border[i - 1];
        while k > 0 && cycle[i] != cycle[k] {
            k = border[k - 1];
        }
        border[i] = k + usize::from(cycle[i] == cycle[k]);
    }
    let period = cycle.len() - border.last().copied().unwrap_or(0);
    if cycle.len().is_multiple_of(period) {
        cycle.truncate(period);
    }
    let length = cycle.len();
    let same = (prefix.iter().rev())
        .zip((0..length).rev().cycle())
        .take_while(|&(letter, i)| *letter == cycle[i])
        .count();
    prefix.truncate(prefix.len() - same);
    cycle.rotate_right(same % length);
    Lasso::new(prefix, cycle)
}

/// The run as the interpreter takes it: the last state is the first of the cycle again.
fn trace(run: &Lasso<(Vec<i64>, Option<u32>)>) -> Trace {
    let steps = (0..run.len()).map(|i| TraceStep {
        action: run.letter(i).1,
        state: run.letter(run.successor(i)).0.clone(),
    });
    Trace {
        initial: run.letter(0).0.clone(),
        steps: steps.collect(),
        cycle: Some(run.prefix().len()),
        failure: None,
    }
}

/// Does the word violate the property?
fn violates(program: &Program, property: &Property, word: &Lasso<Moment>) -> bool {
    match &property.claim {
        Claim::Formula(formulas, formula) => {
            let truth = |m: &Moment, p: usize| m.propositions[p];
            !evaluate_with(formulas, *formula, word, truth).holds(*formula, 0)
        }
        Claim::Progress(processes) => processes.iter().any(|&process| {
            let moves = |m: &Moment| {
                m.action.is_some_and(|a| {
                    let processes = &program.actions[a as usize].processes;
                    processes.iter().any(|p| p.0 == process)
                })
            };
            !word.cycle().iter().any(moves)
        }),
        // No run goes on after a failure.
        Claim::NoFailure(_) => false,
        Claim::Violation(alphabet, automaton) => {
            accepts_by(&alphabet.bdds, automaton, word, |m, v| {
                m.propositions[v as usize]
            })
        }
    }
}

/// A mark that no step of the cycle can have. Where several edges are the same step, the run may take each in turn.
/// Stuttering sees all.
fn unseen_mark(program: &Program, run: &Lasso<(Vec<i64>, Option<u32>)>) -> Option<u32> {
    let interpreter = Interpreter::new(program);
    let mut seen = 0u64;
    for i in run.prefix().len()..run.len() {
        let (state, action) = run.letter(i);
        let next = &run.letter(run.successor(i)).0;
        let Some(action) = action else {
            return None;
        };
        if program.marks > 0 {
            for (step, to) in interpreter.steps(state) {
                if step.action == *action && to.as_ref() == Ok(next) {
                    seen |= step.marks;
                }
            }
        }
    }
    (0..program.marks).find(|m| seen >> m & 1 == 0)
}

/// A process that can always move in the cycle, and never does.
fn unfair(program: &Program, run: &Lasso<(Vec<i64>, Option<u32>)>) -> Option<usize> {
    let interpreter = Interpreter::new(program);
    let takes_part = |action: u32, process: usize| {
        let processes = &program.actions[action as usize].processes;
        processes.iter().any(|p| p.0 as usize == process)
    };
    (0..program.processes.len()).find(|&process| {
        run.cycle().iter().all(|(state, action)| {
            let enabled = interpreter.enabled(state);
            enabled.iter().any(|&a| takes_part(a, process))
                && !action.is_some_and(|a| takes_part(a, process))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    #[test]
    fn a_folded_run_is_the_same_and_as_short_as_can_be() {
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let mut letters = |n: usize| -> Vec<u8> {
                let n = random.below(n);
                (0..n).map(|_| random.below(2) as u8).collect()
            };
            let (prefix, mut cycle) = (letters(6), letters(6));
            cycle.push(0);
            let at = |p: &[u8], c: &[u8], i: usize| match i.checked_sub(p.len()) {
                None => p[i],
                Some(j) => c[j % c.len()],
            };
            let short = folded(prefix.clone(), cycle.clone());
            let word: Vec<u8> = (0..60).map(|i| at(&prefix, &cycle, i)).collect();
            let is_word =
                |p: usize, c: usize| (0..60).all(|i| at(&word[..p], &word[p..p + c], i) == word[i]);
            let lengths = (short.prefix().len(), short.cycle().len());
            assert!(is_word(lengths.0, lengths.1), "{prefix:?} {cycle:?}");
            assert_eq!(short.cycle(), &word[lengths.0..][..lengths.1]);
            for p in 0..=lengths.0 {
                for c in 1..=12 {
                    assert!(
                        !is_word(p, c) || (p == lengths.0 && c >= lengths.1),
                        "{prefix:?} {cycle:?}: {p} {c} is shorter"
                    );
                }
            }
        }
    }
}
