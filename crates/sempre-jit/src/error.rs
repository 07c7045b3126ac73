//! Errors of the compiler.

use std::fmt;

/// The reason why there is no native code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError(String);

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot compile the model: {}", self.0)
    }
}

impl std::error::Error for CompileError {}

pub(crate) fn failed(error: impl fmt::Display) -> CompileError {
    CompileError(error.to_string())
}
