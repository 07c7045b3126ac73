//! `sempre pattern`: the formulas of the literature, by name.

use super::formula::SyntaxName;
use crate::failure::{Answer, Failure, Outcome};
use crate::output::OutputOptions;
use clap::Args;
use sempre::base::nearest;
use sempre::ltl::patterns::{FamilyInfo, MAX_PARAMETER, families, family};
use sempre::ltl::{Formulas, print};
use std::io::Write;

/// Print formulas of the literature: fixed lists and families with a parameter
///
/// Without a name, the families are listed.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The family
    name: Option<String>,

    /// Which members: `5`, or `2..6`; by default all of a list, and the first five of a family
    #[arg(value_name = "N", value_parser = members)]
    members: Option<(usize, usize)>,

    /// How to write them
    #[arg(long, value_enum, value_name = "SYNTAX", default_value_t = SyntaxName::Spot)]
    syntax: SyntaxName,

    #[command(flatten)]
    output: OutputOptions,
}

fn members(text: &str) -> Result<(usize, usize), String> {
    let number = |t: &str| t.trim().parse::<usize>().map_err(|e| format!("`{t}`: {e}"));
    let (low, high) = match text.split_once("..") {
        Some((low, high)) => (number(low)?, number(high.trim_start_matches('='))?),
        None => (number(text)?, number(text)?),
    };
    if low == 0 || low > high || high > MAX_PARAMETER {
        return Err(format!("members are from 1 to {MAX_PARAMETER}"));
    }
    Ok((low, high))
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut out = arguments.output.open()?;
    let Some(name) = &arguments.name else {
        list(&mut *out)?;
        out.flush()?;
        return Ok(Answer::Yes);
    };
    let Some(info) = families().iter().find(|f| f.name == name) else {
        let help = match nearest(name, families().iter().map(|f| f.name)) {
            Some(known) => format!("did you mean `{known}`?"),
            None => "`sempre pattern` lists them".to_string(),
        };
        return Err(Failure::Message(format!("no family `{name}`: {help}")));
    };
    let (low, high) = arguments.members.unwrap_or((1, info.count.unwrap_or(5)));
    for n in low..=high {
        let mut arena = Formulas::new();
        let Some(f) = family(&mut arena, info.name, n) else {
            out.flush()?;
            return Err(Failure::Message(match info.count {
                Some(count) => format!("`{name}` has {count} formulas, no number {n}"),
                None => format!("`{name}` has no member {n}"),
            }));
        };
        writeln!(out, "{}", print(&arena, f, arguments.syntax.into()))?;
    }
    out.flush()?;
    Ok(Answer::Yes)
}

fn list(out: &mut dyn Write) -> Outcome<()> {
    let width = families().iter().map(|f| f.name.len()).max().unwrap_or(0);
    for FamilyInfo {
        name,
        description,
        source,
        count,
    } in families()
    {
        let count = match count {
            Some(n) => format!("{n} formulas; "),
            None => String::new(),
        };
        writeln!(out, "{name:width$}  {description} ({count}{source})")?;
    }
    Ok(())
}
