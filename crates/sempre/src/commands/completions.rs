//! `sempre completions`: completion scripts for shells, from the option declarations.

use crate::cli::Cli;
use crate::failure::{Answer, Outcome};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use std::io::Write;

/// Print a completion script for a shell
#[derive(Args, Debug)]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    // The generator would panic on a closed output; memory never is.
    let mut script = Vec::new();
    generate(arguments.shell, &mut Cli::command(), "sempre", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Answer::Yes)
}
