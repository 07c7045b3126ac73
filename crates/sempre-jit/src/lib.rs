//! The program IR compiled to native code in process.
//!
//! [`CompiledSystem`] is a [`sempre_model::System`] with the meaning of
//! [`sempre_model::ProgramSystem`], to the letter: the same steps in the same order, the same failures, the
//! same overflows. It is faster because one call of native code yields all successors of a state.
//!
//! The division of labour: native code does what goes well. Where something does not (an index out of
//! range, a value without room in its field, a failed assertion, an action that is too large to compile) it
//! says so and the interpreter does this one state, so that there is one description of what errors are.
//!
//! This crate knows no input language. Like `sempre-store` it may use `unsafe`, each block with its
//! reason.

mod arrays;
mod atomic;
mod atomic_register;
mod background;
mod changes;
mod compilable;
mod compiled_system;
mod conditions;
mod difference;
mod effect;
mod emitter;
mod error;
mod expression;
mod native;
mod operand;
mod plan;
mod plan_code;
mod segments;
mod system;
mod table;
mod truth;

pub use compiled_system::{CompiledContext, CompiledSystem};
pub use error::CompileError;
