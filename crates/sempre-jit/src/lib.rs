//! Compilation of the program IR to native code in process.
//!
//! [`CompiledSystem`] is a [`sempre_model::System`] with exactly the semantics of [`sempre_model::ProgramSystem`]:
//! the same steps in the same order, the same failures, the same overflows. It is faster because one call of native
//! code computes all successors of a state.
//!
//! Native code handles the error-free case. If there is an error or an exception (an index out of range, a value
//! without room in its field, a failed assertion, an action that is too large to compile), it reports so, and the
//! interpreter handles this one state. So errors are defined in one place only.
//!
//! This crate does not depend on any input language. Like `sempre-store` it may use `unsafe`, each block with its
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
