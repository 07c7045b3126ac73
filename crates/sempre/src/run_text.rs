//! A run on its way out, for people: numbered states, and between them what leads from one to the next.

use crate::color::Palette;
use crate::failure::Outcome;
use sempre::lang::model::{Model, Queue, SourceStep};
use sempre::model::Program;
use sempre::shown_run::Detail;
use sempre::state_text::StateText;
use sempre::step_text::{Part, StepText};
use std::io::Write;

/// What is known of a model beside its program.
pub(crate) struct Legend<'a> {
    /// The channels in which messages wait.
    pub queues: Vec<Queue>,
    /// What stands in the file for each action, if the language tells it.
    pub statements: Option<&'a [Vec<SourceStep>]>,
}

impl<'a> Legend<'a> {
    /// That of a model.
    pub(crate) fn new(model: &'a Model) -> Self {
        Self {
            queues: model.queues(),
            statements: model.sources(),
        }
    }

    /// How a run of the program, which is that of the model or has more actions at its end, is shown.
    pub(crate) fn run<'b>(
        &'b self,
        program: &'b Program,
        detail: Detail,
        palette: Palette,
    ) -> RunText<'b> {
        RunText {
            states: StateText::new(program, &self.queues, detail),
            steps: StepText::new(program, &self.queues, self.statements),
            palette,
        }
    }
}

/// See the module's documentation.
pub(crate) struct RunText<'a> {
    /// How states are shown.
    pub states: StateText<'a>,
    /// How steps are shown.
    pub steps: StepText<'a>,
    /// The styles.
    pub palette: Palette,
}

impl RunText<'_> {
    /// A state and the truth of what changes there; the number takes so many digits. The first state stands in full.
    pub(crate) fn state(
        &self,
        out: &mut dyn Write,
        (number, digits): (usize, usize),
        before: Option<&[i64]>,
        now: &[i64],
        truth: &[String],
    ) -> Outcome<()> {
        let mut lines = match before {
            Some(before) => vec![self.states.changes(before, now).join(", ")],
            None => self.states.first(now),
        };
        if !truth.is_empty() {
            let truth = format!("[{}]", truth.join(", "));
            match lines.as_mut_slice() {
                [only] if only.is_empty() => *only = truth,
                [only] => *only = format!("{only}  {truth}"),
                _ => lines.push(truth),
            }
        }
        if lines.is_empty() {
            lines.push(String::new());
        }
        for (i, line) in lines.iter().enumerate() {
            let number = match i {
                0 => number.to_string(),
                _ => String::new(),
            };
            let line = format!("  {number:>digits$}  {line}");
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// The parts of a step.
    pub(crate) fn step(
        &self,
        out: &mut dyn Write,
        digits: usize,
        parts: &[Part<'_>],
    ) -> Outcome<()> {
        let strong = self.palette.strong;
        for part in parts {
            write!(out, "  {:digits$}    {strong}{}{strong:#}", "", part.text)?;
            for note in &part.notes {
                write!(out, "  {note}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
