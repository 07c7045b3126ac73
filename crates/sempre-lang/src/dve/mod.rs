//! DVE, the language of DiVinE 2 and of the BEEM benchmark.
//!
//! A file declares variables and channels, processes with locations and transitions, and the kind of
//! system. [`read`] gives a [`DveModel`]: the program of the system, and the property process if
//! there is one. [`proposition`] reads Boolean expressions about it.
//!
//! # What it means
//! DiVinE 2 had two readers of the language, an interpreter and a compiler to C (from which LTSmin's
//! is derived). They agree on the models of BEEM; where they differ, this is what we do and why.
//!
//! **State.** Variables of all, contents of buffered channels, and for each process its location and
//! its variables. Constants are no part of it (an array of constants occupies cells that never change).
//!
//! **Asynchronous system.** A step is a transition of one process, or a rendezvous of two
//! different processes on a channel; each pair of enabled transitions is one. All guards are read in
//! the source state. A rendezvous hands over the value, then the sender's location changes and its
//! effects run in order, each seeing the earlier ones, then the receiver's. (The interpreter of DiVinE 2 lets the
//! receiver go first and calls it an error if both touch the same global variable; the compiler, too, lets the
//! receiver go first. The order here is the one that reproduced the counts of BEEM.)
//!
//! **Buffered channels** (`channel {byte, int} c[4];`) are first in, first out; sending waits while the channel is full,
//! receiving while it is empty. The message is what it is in the source state, as in the compiler; the
//! interpreter evaluates it after the effects. `channel {byte} c[0]` is a rendezvous that cuts values to
//! its types.
//!
//! **Committed locations.** While some process is in one, only transitions that start in committed locations can be
//! taken, and a rendezvous needs both partners in committed locations; if there is no such transition, the
//! system is stuck. Both readers of DiVinE 2 say so. This is about where processes *are*, not about what is
//! enabled, so it is a part of the guards and not a priority class of the IR.
//!
//! **Synchronous system.** A step takes one transition of each process, all of them reading the source state; if a
//! process has none, the system is stuck; two that write the same variable are an erroneous step.
//! Channels and committed locations mean nothing (as in the interpreter; there is a warning). The actions are the
//! combinations of transitions, so a system with too many is refused.
//!
//! **Assertions** (`assert s: e;`) must hold in every reachable state in which the process is in `s`.
//!
//! **Property process** (`system async property P;`). It takes no part in the system; it is kept as an
//! automaton over guards, [`PropertyProcess`], to be run on the states of the system.
//!
//! **Arrays.** The name of an array without an index is its first element, as in the interpreter (models rely
//! on it); this comes with a warning.
//!
//! # What can go wrong in a step
//! * **Overflow.** Expressions are computed with 64 bits. What is stored in a `byte` is taken modulo 256,
//!   in an `int` modulo 2¹⁶ with sign: so does the compiler, and the counts of BEEM follow. The
//!   interpreter leads to an error state. A *constant* that does not fit comes with a warning.
//! * **Index out of range.** An erroneous step (`StepError::IndexOutOfRange`). The interpreter leads to
//!   an error state; the compiler reads or writes some other variable.
//! * **Division by zero.** An erroneous step. The interpreter leads to an error state, compiled code dies.
//! * **A failed effect.** A step whose guard, message or one of whose effects fails has no successor and is
//!   reported with its action; nothing of it takes place. It is never a missing edge.
//!
//! # What is read
//! The whole grammar of DiVinE 2 but probabilistic transitions; see [`parser`]. Operators bind
//! as there, which is not as in C: `and` and `or` bind alike, from the left, and so do `&`, `|` and `^`. Where C
//! would read something else, a warning asks for parentheses. Besides the words `and`, `or`, `not`, `imply` also `&&`, `||`, `!`, `->`; besides the property, all
//! expressions may look at variables of other processes (`P->v`).

pub mod ast;
mod channels;
mod cursor;
mod declarations;
mod expressions;
mod grammar;
pub mod lexer;
mod lower;
pub mod parser;
mod propositions;
mod symbols;
mod synchronous;
#[cfg(test)]
mod tests;

pub use ast::Acceptance;
pub use propositions::proposition;

use crate::model::{Queue, SourceStep};
use sempre_base::Diagnostic;
use sempre_model::{Expr, Program};

/// What a DVE file describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DveModel {
    /// The system, without the property process.
    pub program: Program,
    /// The property process, if the file has one.
    pub property: Option<PropertyProcess>,
    /// What the author of the file may want to know.
    pub warnings: Vec<Diagnostic>,
    /// The channels in which messages wait.
    pub queues: Vec<Queue>,
    /// The transitions of each action, with what is between their braces; nothing of synchronous systems.
    pub source_steps: Vec<Vec<SourceStep>>,
    symbols: symbols::Symbols,
}

/// The automaton of an embedded property: it accepts the runs that *violate* the property.
///
/// It reads the state that the system leaves: from location `from` it may go to `to` if `guard` holds in the
/// source state of the system's step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyProcess {
    /// Its name.
    pub name: String,
    /// The names of its locations.
    pub states: Vec<String>,
    /// Where it starts.
    pub initial: usize,
    /// Which runs it accepts.
    pub acceptance: Acceptance<usize>,
    /// Its transitions.
    pub transitions: Vec<PropertyTransition>,
}

/// A transition of a [`PropertyProcess`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyTransition {
    /// Where it starts.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// What must hold in the state of the system.
    pub guard: Expr,
    /// The guard as the file writes it, on one line; `true` if there is none.
    pub text: String,
    /// The line of the file.
    pub line: usize,
}

impl DveModel {
    /// Is this the name of a process, or of a variable, constant or channel outside of all processes?
    pub fn is_known(&self, name: &str) -> bool {
        self.symbols.process(name).is_some() || self.symbols.globals.contains_key(name)
    }
}

/// Reads a model.
///
/// ```
/// let text = "
///     byte turn = 1;
///     process P { state idle, busy; init idle;
///       trans idle -> busy { guard turn == 1; effect turn = 0; },
///             busy -> idle { effect turn = 1; };
///     }
///     system async;";
/// let model = sempre_lang::dve::read("example", text).unwrap();
/// assert_eq!(model.program.actions[0].name, "P: idle -> busy (line 4)");
/// ```
///
/// # Errors
/// What is wrong with the text, several complaints if possible.
pub fn read(name: &str, text: &str) -> Result<DveModel, Vec<Diagnostic>> {
    let (file, diagnostics) = parser::parse(text);
    match file {
        Some(file) => lower::lower(name, text, &file, diagnostics),
        None => Err(diagnostics),
    }
}
