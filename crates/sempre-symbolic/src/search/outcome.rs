//! How a check ends, and what it counts.

use crate::dd::natural::Natural;
use crate::relation::faults::Fault;
use crate::search::options::Algorithm;
use sempre_base::Stop;
use std::time::Duration;

/// A state, and the action that leads from it to the next; none where it stutters in a deadlock.
pub type RunStep = (Vec<i64>, Option<u32>);

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The product has no accepting run, and all of it was looked at.
    Empty,
    /// A run of the program that the automaton accepts: what happens once, and what happens for ever.
    Violated(Vec<RunStep>, Vec<RunStep>),
    /// It ended before its time.
    Stopped(Stop),
    /// The program does something erroneous, so that its runs are not what they seem, and no accepting one was found.
    Failed(Fault),
    /// A defect of ours, in words.
    Defect(String),
}

/// What was counted. Times are those that the thread has worked.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// States of the model.
    pub model_states: Option<Natural>,
    /// States of the product; those that were found, if only some are near the initial states and that was enough.
    pub product_states: Option<Natural>,
    /// The most nodes at a time, dead ones included.
    pub peak_nodes: usize,
    /// Number of garbage collections.
    pub collections: u64,
    /// The time until the model's states were known.
    pub model_time: Duration,
    /// The time that the relations of the product took.
    pub product_time: Duration,
    /// The time until it was known whether there is an accepting run.
    pub search_time: Duration,
    /// The time that finding one took.
    pub run_time: Duration,
    /// The share of the model's steps that change no proposition, if it was asked for.
    pub stuttering: Option<f64>,
    /// Who was done first.
    pub algorithm: Algorithm,
}
