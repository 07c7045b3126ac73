//! Runs in other forms than a list of states: which one is wanted, and what it needs of the model.

use crate::failure::{Failure, Outcome};
use sempre::lang::model::{Model, Queue, SourceStep};
use sempre::sequence_chart::sequence_chart;
use sempre::shown_run::ShownRun;
use sempre::trail::trail;

/// A form of runs.
pub enum Picture<'a> {
    /// A message sequence chart.
    Chart {
        /// The channels.
        queues: Vec<Queue>,
        /// The statements of each action, if the language tells them.
        statements: Option<&'a [Vec<SourceStep>]>,
    },
    /// What SPIN tells of a trail.
    Trail {
        /// The statements of each action.
        statements: &'a [Vec<SourceStep>],
        /// The name of the file.
        file: String,
    },
}

impl<'a> Picture<'a> {
    /// Charts of a model's runs.
    pub fn chart(model: &'a Model) -> Self {
        Self::Chart {
            queues: model.queues(),
            statements: model.sources(),
        }
    }

    /// Trails of a model's runs, if its language has such.
    pub fn trail(model: &'a Model, file: &str) -> Outcome<Self> {
        let Some(statements) = model.source_steps() else {
            let text = "--format trail is for Promela, whose statements have lines; \
                        other models can have --format msc";
            return Err(Failure::Message(text.to_string()));
        };
        Ok(Self::Trail {
            statements,
            file: file.to_string(),
        })
    }

    /// A run in this form, line by line.
    pub fn draw(&self, run: &ShownRun<'_>) -> String {
        match self {
            Self::Chart { queues, statements } => sequence_chart(run, queues, *statements),
            Self::Trail { statements, file } => trail(run, statements, file),
        }
    }
}
