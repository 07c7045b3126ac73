//! One module per subcommand: its options, and the glue between them and the library.

pub mod translate;

use crate::cli::Command;
use crate::failure::Outcome;

/// Runs a command.
pub fn run(command: Command) -> Outcome {
    match command {
        Command::Translate(arguments) => translate::run(&arguments),
    }
}
