//! `sempre man`: manual pages, from the option declarations.

use crate::cli::Cli;
use crate::failure::{Answer, Failure, Outcome};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use std::io::Write;

/// Print the manual page of sempre, or of one of its commands
///
/// For instance: sempre man translate | man -l -
#[derive(Args, Debug)]
pub struct Arguments {
    /// The command
    command: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut top = Cli::command();
    top.build();
    let page = match &arguments.command {
        None => top,
        Some(name) => {
            let mut found = top.find_subcommand(name).cloned().ok_or_else(|| {
                let known: Vec<&str> = top.get_subcommands().map(Command::get_name).collect();
                Failure::Message(format!(
                    "no command `{name}`: known are {}",
                    known.join(", ")
                ))
            })?;
            let full: &'static str = format!("sempre-{name}").leak();
            found = found.name(full);
            found
        }
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text)?;
    std::io::stdout().write_all(&text)?;
    Ok(Answer::Yes)
}
