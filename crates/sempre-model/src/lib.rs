//! Models: the program IR, the [`System`] interface on top of it, the reference interpreter.
//!
//! This crate does not depend on properties or on input languages.

pub mod distance;
pub mod flat_set;
pub mod footprint;
pub mod interpreter;
mod interval_domain;
pub mod intervals;
pub mod ir;
pub mod layout;
pub(crate) mod program_system;
pub mod random_program;
pub mod ranges;
mod slack;
pub mod step_parts;
pub mod system;
pub mod trace;

pub use footprint::Footprint;
pub use interpreter::Interpreter;
pub use ir::{Action, Binary, Expr, Place, Program, Stmt, Type, Unary, Variable};
pub use layout::{Field, Layout, Overflow};
pub use program_system::{ProgramContext, ProgramSystem};
pub use system::{Failure, Sink, Step, System};
pub use trace::{ReplayError, Trace, TraceFailure, TraceStep, replay};
