//! `sempre translate`: formulas to automata.

use crate::failure::{Answer, Outcome};
use crate::input::{FormulaOptions, Input};
use crate::output::OutputOptions;
use crate::printer::{self, Format};
use clap::{Args, ValueEnum};
use sempre::Workbench;
use sempre::translate::translator::{Effort, Kind, Options};
use serde_json::json;
use std::io::Write;
use std::time::Instant;

/// Translate LTL formulas to ω-automata
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    input: FormulaOptions,

    /// The kind of automaton
    #[arg(long, value_enum, value_name = "KIND", default_value_t = KindName::Tgba,
          default_value_if("format", "spin", "ba"))]
    to: KindName,

    /// How to print it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Hoa)]
    format: Format,

    /// How much work to put into a small result
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Level::High)]
    effort: Level,

    /// Prefer a deterministic automaton to a small one
    #[arg(long)]
    deterministic: bool,

    /// Translate the negation of each formula
    #[arg(long)]
    negate: bool,

    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindName {
    /// Generalised Büchi, acceptance on edges
    Tgba,
    /// Büchi, acceptance on states
    Ba,
}

impl KindName {
    fn name(self) -> &'static str {
        match self {
            KindName::Tgba => "tgba",
            KindName::Ba => "ba",
        }
    }
}

impl From<KindName> for Kind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::Tgba => Kind::Tgba,
            KindName::Ba => Kind::Ba,
        }
    }
}

/// How much work to put into a small result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// The construction and the removal of what is useless
    Low,
    /// Rewriting and direct simulation too
    Medium,
    /// Everything
    High,
}

impl From<Level> for Effort {
    fn from(level: Level) -> Self {
        match level {
            Level::Low => Effort::Low,
            Level::Medium => Effort::Medium,
            Level::High => Effort::High,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut out = arguments.output.open()?;
    printer::header(
        &mut *out,
        arguments.format,
        &["formula", "kind"],
        &["seconds"],
    )?;
    let done = arguments
        .input
        .for_each(|input| translate(arguments, input, &mut *out));
    out.flush()?;
    done?;
    Ok(Answer::Yes)
}

fn translate(arguments: &Arguments, input: Input, out: &mut dyn Write) -> Outcome<()> {
    let mut bench = Workbench {
        formulas: input.formulas,
        ..Workbench::default()
    };
    let mut f = input.formula;
    if arguments.negate {
        f = bench.formulas.not(f);
    }
    let options = Options {
        kind: arguments.to.into(),
        effort: arguments.effort.into(),
        deterministic: arguments.deterministic,
    };
    let start = Instant::now();
    let a = bench.translate(f, options);
    let time = start.elapsed();
    if arguments.deterministic && !a.is_deterministic(&mut bench.alphabet.bdds) {
        eprintln!(
            "warning: no deterministic automaton of this kind was found for {}",
            a.name.as_deref().unwrap_or("the formula")
        );
    }
    if !arguments.format.is_table() {
        return printer::write(out, &mut bench.alphabet, &a, None, arguments.format);
    }
    let mut columns = vec![
        ("formula".to_string(), json!(a.name)),
        ("kind".to_string(), json!(arguments.to.name())),
    ];
    columns.extend(printer::measures(&mut bench.alphabet, &a, arguments.format));
    columns.push(("seconds".to_string(), printer::seconds(time)));
    printer::write_row(out, &columns, arguments.format)
}
