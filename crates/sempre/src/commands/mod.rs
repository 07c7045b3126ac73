//! One module per subcommand: its options, and the glue between them and the library.

pub mod automaton;
pub mod bench;
pub mod check;
pub mod cite;
pub mod completions;
pub mod cross;
pub mod crosscheck;
pub mod explore;
mod explore_symbolic;
pub mod formula;
pub mod man;
pub mod mcc;
pub mod monitor;
pub mod operations;
pub mod pattern;
pub mod random;
mod safety_advice;
pub mod translate;
mod verdicts;

use crate::cli::Command;
use crate::failure::Outcome;

/// Runs a command.
pub fn run(command: Command) -> Outcome {
    match command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Explore(arguments) => explore::run(&arguments),
        Command::Translate(arguments) => translate::run(&arguments),
        Command::Formula(arguments) => formula::run(&arguments),
        Command::Automaton(arguments) => automaton::run(&arguments),
        Command::Monitor(arguments) => monitor::run(&arguments),
        Command::Cross(arguments) => cross::run(&arguments),
        Command::Crosscheck(arguments) => crosscheck::run(&arguments),
        Command::Random(arguments) => random::run(&arguments),
        Command::Pattern(arguments) => pattern::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Cite(arguments) => cite::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Mcc(arguments) => mcc::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}
