//! Promela, the language of SPIN.
//!
//! [`read`] gives a [`PromelaModel`]: the program of the system, the never claims and the `ltl` blocks.
//! [`proposition`] reads Boolean expressions about it.
//!
//! # What it means
//! What SPIN's verifier does with it, without its optimisations: states and transitions are those that
//! `spin -a -o1 -o2 -o3`, compiled with `-DNOREDUCE`, counts.
//!
//! **State.** Global variables, the contents of buffered channels, and for each process where it is and its variables.
//! Where a process is follows SPIN's construction of control flow, which `flow.rs` tells.
//!
//! **Processes** have the numbers that SPIN gives them: those that are active in the order of the file, `init` among
//! them, then those that `run` makes. The last one that was made dies first; its number is used again. How
//! many there can be is found out in `tenancy.rs`; one more than that is an erroneous step, never a lost one.
//!
//! **Atomic sequences.** A process in an atomic sequence goes on alone, and the states in between are none of the
//! system: neither counted nor seen by a property. Where it cannot go on, the state is one, and anybody may move. A rendezvous
//! hands the right to go on alone to the receiver, if it is in an atomic sequence itself. This is the atomic register
//! of the IR.
//!
//! **`d_step`** takes the first option that is possible; if there is none after its first statement, the step is
//! erroneous. **`timeout`** is possible when nothing else is: a lower priority class. **`else`** is possible when nothing
//! else of the process is, not counting rendezvous. **`unless`**: the escape comes first.
//!
//! **Values** are computed with 64 bits (SPIN: 32) and cut to the type where they are stored; a constant that does not
//! fit comes with a warning. An index outside of its array and a division by zero are erroneous steps.
//!
//! **Priorities**: of the processes that could move, those of the highest priority may; see `priorities.rs`.
//!
//! **`xr`, `xs`**: a process that uses a channel that another has for itself makes an erroneous step; see `exclusive.rs`.
//!
//! **`trace`, `notrace`** watch sends and receives; see `event_trace.rs`.
//!
//! **`printf`** is a step without effect. `show` and `local` mean nothing. A `hidden` variable is part of
//! the state all the same, with a warning.
//!
//! # What is refused
//! Embedded C code, `enabled`, `pc_value`, inlines that return a value.

pub mod ast;
mod body;
mod channel_flow;
mod channels;
mod claims;
mod cursor;
mod d_steps;
mod declarations;
mod event_trace;
mod exclusive;
mod expressions;
mod flow;
mod instances;
pub mod lexer;
mod loops;
mod loose_mtypes;
mod lower;
mod merging;
pub mod parser;
mod population;
pub mod preprocessor;
mod priorities;
mod propositions;
mod resolve;
mod source_steps;
mod statements;
mod steps;
mod symbols;
mod tenancy;
mod values;
mod written;

pub(crate) use claims::ACCEPTANCE_CYCLES;
pub use propositions::proposition;

use crate::dve::PropertyProcess;
use crate::model::{Queue, SourceStep};
use sempre_base::{Diagnostic, Severity};
use sempre_model::Program;

/// What a Promela file describes.
#[derive(Clone, Debug)]
pub struct PromelaModel {
    /// The system.
    pub program: Program,
    /// What the author of the file may want to know.
    pub warnings: Vec<Diagnostic>,
    /// The never claims: automata of the violations. Without any, and without `ltl` blocks, the one of the acceptance cycles, if there
    /// are labels `accept…`.
    pub claims: Vec<PropertyProcess>,
    /// The `ltl` blocks: names, and formulas with their propositions in braces.
    pub formulas: Vec<(String, String)>,
    world: instances::World,
    resolved: lower::Resolved,
    macros: preprocessor::Macros,
}

impl PromelaModel {
    /// The program with one more action, which fails where nobody can go on and not everybody is at the end, or at a
    /// label `end…`.
    pub fn with_end_states(&self) -> Program {
        let mut program = self.program.clone();
        let check = lower::end_check(&self.world, &self.resolved.bodies);
        program.actions.push(check);
        program
    }

    /// The statements that each action executes: one, or two of a rendezvous, the sender's first.
    pub fn source_steps(&self) -> &[Vec<SourceStep>] {
        &self.world.source_steps
    }

    /// The channels in which messages wait.
    pub fn queues(&self) -> Vec<Queue> {
        let channels = self.world.channels.iter();
        channels
            .filter_map(|c| {
                Some(Queue {
                    name: c.name.clone(),
                    length: c.length?,
                    parts: c.fields.clone(),
                })
            })
            .collect()
    }

    /// Is this the name of a variable, constant, process or macro?
    pub fn is_known(&self, name: &str) -> bool {
        let globals = &self.resolved.globals;
        globals.names.contains_key(name)
            || globals.proctypes.contains_key(name)
            || self.macros.contains(name)
    }
}

/// What a step of a process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// A statement.
    #[default]
    Single,
    /// A statement and those after it that concern nobody else; and variables that nobody reads any more are forgotten. So
    /// SPIN counts states if it is not told otherwise, and the steps of the youngest process come first. A proposition about such a variable means something else then, and
    /// so does an operator `X`.
    Merged,
}

/// How a model is read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What a step is.
    pub steps: Steps,
    /// Macros and folders of included files.
    pub setup: preprocessor::Setup,
    /// Do assertions mean nothing?
    pub ignore_assertions: bool,
}

/// Reads a model. `include` finds the text of included files, by their paths from the model's folder.
///
/// ```
/// let text = "byte turn = 1; active [2] proctype P() { do :: turn == _pid -> turn = 1 - turn od }";
/// let model = sempre_lang::promela::read("example", text, &|_| None).unwrap();
/// assert_eq!(model.program.actions[0].name, "P[0]: turn == _pid (line 1)");
/// ```
///
/// # Errors
/// What is wrong with the text, several complaints if possible.
pub fn read(
    name: &str,
    text: &str,
    include: preprocessor::Include<'_>,
) -> Result<PromelaModel, Vec<Diagnostic>> {
    read_with(name, text, include, &Reading::default())
}

/// Reads a model in one way or another.
///
/// # Errors
/// What is wrong with the text, several complaints if possible.
pub fn read_with(
    name: &str,
    text: &str,
    include: preprocessor::Include<'_>,
    reading: &Reading,
) -> Result<PromelaModel, Vec<Diagnostic>> {
    let steps = reading.steps;
    let (words, mut diagnostics, macros) = preprocessor::preprocess(text, include, &reading.setup);
    let (file, more) = parser::parse(words, reading.ignore_assertions);
    diagnostics.extend(more);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(diagnostics);
    }
    let (whole, warnings) = lower::model(name, text, &file, diagnostics, steps)?;
    Ok(PromelaModel {
        program: whole.world.program.clone(),
        warnings,
        claims: whole.claims,
        formulas: whole.formulas,
        world: whole.world,
        resolved: whole.resolved,
        macros,
    })
}
