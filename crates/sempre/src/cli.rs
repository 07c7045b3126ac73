//! The top of the command line. Each subcommand declares its own options in its module; help, man
//! page and completions are made from these declarations.

use crate::color::ColorName;
use crate::commands;
use clap::{Parser, Subcommand};

/// Check models against LTL properties; translate, combine and test formulas and ω-automata
#[derive(Parser, Debug)]
#[command(name = "sempre", version, propagate_version = true)]
#[command(after_help = "\
Exit status: 0 done, the answer is yes, a property holds; 1 the answer is no, a property is violated, or \
something failed; 2 bad usage or bad input; 3 stopped before the end.")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// When to use colour
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub color: ColorName,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    Check(Box<commands::check::Arguments>),
    Explore(commands::explore::Arguments),
    Translate(commands::translate::Arguments),
    Formula(commands::formula::Arguments),
    Automaton(commands::automaton::Arguments),
    Monitor(commands::monitor::Arguments),
    Cross(commands::cross::Arguments),
    Crosscheck(Box<commands::crosscheck::Arguments>),
    Random(commands::random::Arguments),
    Pattern(commands::pattern::Arguments),
    Bench(commands::bench::Arguments),
    Mcc(commands::mcc::Arguments),
    Cite(commands::cite::Arguments),
    Completions(commands::completions::Arguments),
    Man(commands::man::Arguments),
}

impl Command {
    /// Are progress, warnings and notes unwanted?
    pub(crate) fn is_quiet(&self) -> bool {
        match self {
            Command::Check(arguments) => arguments.quiet,
            Command::Explore(arguments) => arguments.quiet,
            Command::Crosscheck(arguments) => arguments.quiet,
            _ => false,
        }
    }

    /// Does the command stop by itself when a signal asks for that, and say what it has found so far? Others are ended.
    pub fn can_stop(&self) -> bool {
        match self {
            Command::Check(_)
            | Command::Mcc(_)
            | Command::Explore(_)
            | Command::Translate(_)
            | Command::Formula(_)
            | Command::Automaton(_)
            | Command::Monitor(_)
            | Command::Cross(_)
            | Command::Crosscheck(_) => true,
            Command::Random(_)
            | Command::Pattern(_)
            | Command::Bench(_)
            | Command::Cite(_)
            | Command::Completions(_)
            | Command::Man(_) => false,
        }
    }
}
