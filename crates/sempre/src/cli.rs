//! The top of the command line. Each subcommand declares its own options in its module; help, man
//! page and completions are made from these declarations.

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
