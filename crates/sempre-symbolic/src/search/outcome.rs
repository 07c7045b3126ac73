//! The outcome of a check, and its statistics.

use crate::dd::natural::Natural;
use crate::relation::faults::Fault;
use crate::search::options::Algorithm;
use sempre_base::Stop;
use std::time::Duration;

/// A state, and the action that leads from it to the next; none for stuttering in a deadlock.
pub type RunStep = (Vec<i64>, Option<u32>);

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The whole product was explored, and has no accepting run.
    Empty,
    /// A run of the program that the automaton accepts: the steps before the cycle, and those of the cycle.
    Violated(Vec<RunStep>, Vec<RunStep>),
    /// The check ended early.
    Stopped(Stop),
    /// The program has an error, so the product is incomplete, and no accepting run was found.
    Failed(Fault),
    /// A defect of this crate.
    Defect(String),
}

/// Statistics. Times are CPU times of the thread.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// States of the model.
    pub model_states: Option<Natural>,
    /// States of the product; those explored, if the search ended at a run.
    pub product_states: Option<Natural>,
    /// The greatest number of nodes, dead ones included.
    pub peak_nodes: usize,
    /// Number of garbage collections.
    pub collections: u64,
    /// Time for the model's states.
    pub model_time: Duration,
    /// Time for the relations of the product.
    pub product_time: Duration,
    /// Time for the emptiness check.
    pub search_time: Duration,
    /// Time for the accepting run.
    pub run_time: Duration,
    /// The share of the model's steps that change no proposition, if it was counted.
    pub stuttering: Option<f64>,
    /// The algorithm that gave the answer.
    pub algorithm: Algorithm,
}
