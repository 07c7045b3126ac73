//! Promela.
pub mod ast;
mod body;
mod cursor;
mod declarations;
mod expressions;
mod flow;
mod instances;
pub mod lexer;
mod lower;
pub mod parser;
pub mod preprocessor;
mod propositions;
mod resolve;
mod statements;
mod steps;
mod symbols;
mod tenancy;

pub use propositions::proposition;

use sempre_base::{Diagnostic, Severity};
use sempre_model::Program;

/// What a Promela file describes.
#[derive(Clone, Debug)]
pub struct PromelaModel {
    /// The system.
    pub program: Program,
    /// What the author of the file may want to know.
    pub warnings: Vec<Diagnostic>,
    world: instances::World,
    resolved: lower::Resolved,
}

impl PromelaModel {
    /// Is this the name of a variable, constant or process?
    pub fn is_known(&self, name: &str) -> bool {
        let globals = &self.resolved.globals;
        globals.names.contains_key(name) || globals.proctypes.contains_key(name)
    }
}

/// Reads a model. `include` finds the text of included files.
///
/// # Errors
/// What is wrong with the text, several complaints if possible.
pub fn read(
    name: &str,
    text: &str,
    include: preprocessor::Include<'_>,
) -> Result<PromelaModel, Vec<Diagnostic>> {
    let (words, mut diagnostics) = preprocessor::preprocess(text, include);
    let (file, more) = parser::parse(words);
    diagnostics.extend(more);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(diagnostics);
    }
    let (world, resolved, warnings) = lower::model(name, text, &file, diagnostics)?;
    Ok(PromelaModel {
        program: world.program.clone(),
        warnings,
        world,
        resolved,
    })
}
