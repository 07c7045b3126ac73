//! The command line of `sempre`: option declarations and glue, one module per subcommand. What
//! computes lives in the library crates.

mod cli;
mod commands;
mod failure;
mod input;
mod interrupt;
mod model_input;
mod output;
mod picture;
mod printer;
mod progress;
mod verdict_report;

use clap::Parser;
use failure::{Answer, Failure};
use std::process::ExitCode;

/// Formulas may be thousands of levels deep and much of what is done with them recurses; the pages
/// of a stack that are not used cost nothing.
const STACK: usize = 512 << 20;

/// The status of a defect of ours, `EX_SOFTWARE` of sysexits.h.
const INTERNAL_ERROR: u8 = 70;

fn main() -> ExitCode {
    let arguments = cli::Cli::parse();
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("internal error: {panic}");
        eprintln!(
            "this is a defect of sempre: please report it with the command line and its input"
        );
    }));
    let worker = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || commands::run(arguments.command));
    let outcome = match worker {
        Ok(worker) => worker.join(),
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(Ok(Answer::Yes)) => ExitCode::SUCCESS,
        Ok(Ok(Answer::No)) => ExitCode::from(1),
        Ok(Ok(Answer::Unknown)) => ExitCode::from(3),
        // Whoever closed our output, `head` for one, has seen enough; that is no failure.
        Ok(Err(Failure::OutputClosed)) => ExitCode::SUCCESS,
        Ok(Err(Failure::Shown)) => ExitCode::from(2),
        Ok(Err(Failure::Message(text))) => {
            eprintln!("error: {text}");
            ExitCode::from(2)
        }
        Err(_) => ExitCode::from(INTERNAL_ERROR),
    }
}
