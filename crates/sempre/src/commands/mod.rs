//! One module per subcommand: its options, and the glue between them and the library.

pub mod automaton;
pub mod operations;
pub mod translate;

use crate::cli::Command;
use crate::failure::Outcome;

/// Runs a command.
pub fn run(command: Command) -> Outcome {
    match command {
        Command::Automaton(arguments) => automaton::run(&arguments),
        Command::Translate(arguments) => translate::run(&arguments),
    }
}
