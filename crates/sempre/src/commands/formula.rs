//! `sempre formula`: what a formula is, other forms of it, questions about it.

use crate::failure::{Answer, Failure, Outcome};
use crate::input::{FormulaOptions, Input, show};
use crate::output::OutputOptions;
use clap::{Args, ValueEnum};
use sempre::Workbench;
use sempre::base::Source;
use sempre::ltl::relabel::relabel;
use sempre::ltl::{Formula, ParseOptions, Simplifier, Syntax, holds, nnf, word};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Describe, rewrite and test LTL formulas
///
/// Without options, tells about each formula. With changes, prints the changed formula. With
/// questions, answers `yes` or `no`; the exit status is 0 if all answers are yes, 1 otherwise.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    input: FormulaOptions,

    /// The negation
    #[arg(long, help_heading = CHANGES)]
    negate: bool,

    /// Negation normal form
    #[arg(long, help_heading = CHANGES)]
    nnf: bool,

    /// A simpler equivalent formula, by rewriting
    #[arg(long, help_heading = CHANGES)]
    simplify: bool,

    /// Fresh propositions for Boolean subformulas
    #[arg(long, help_heading = CHANGES)]
    relabel: bool,

    /// How to write formulas
    #[arg(long, value_enum, value_name = "SYNTAX", help_heading = CHANGES)]
    syntax: Option<SyntaxName>,

    /// Does WORD, such as 'a & !b; cycle{b}', satisfy it? What is not mentioned is false
    #[arg(long, value_name = "WORD", help_heading = QUESTIONS)]
    holds_on: Vec<String>,

    /// With questions: print the formulas for which all answers are yes
    #[arg(long)]
    select: bool,

    /// How to print what is known about a formula
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,

    #[command(flatten)]
    output: OutputOptions,
}

const CHANGES: &str = "Changes, applied in this order";
const QUESTIONS: &str = "Questions";

/// The syntaxes formulas are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SyntaxName {
    /// G(a -> Fb)
    Spot,
    /// [](a -> <>b)
    Spin,
    /// G i "a" F "b"
    Lbt,
    /// □(a → ◇b)
    Unicode,
}

impl From<SyntaxName> for Syntax {
    fn from(name: SyntaxName) -> Self {
        match name {
            SyntaxName::Spot => Syntax::Spot,
            SyntaxName::Spin => Syntax::Spin,
            SyntaxName::Lbt => Syntax::Lbt,
            SyntaxName::Unicode => Syntax::Unicode,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// An object on a line
    Json,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut out = arguments.output.open()?;
    let questions = !arguments.holds_on.is_empty();
    if arguments.select && !questions {
        let text = "--select needs a question to select by, such as --holds-on";
        return Err(Failure::Message(text.to_string()));
    }
    let (mut all, mut any) = (true, false);
    let done = arguments.input.for_each(|input| {
        let yes = one(arguments, input, questions, &mut *out)?;
        all &= yes;
        any |= yes;
        Ok(())
    });
    out.flush()?;
    done?;
    Ok(Answer::from(if arguments.select { any } else { all }))
}

/// Works on one formula; the answer to the questions, yes if there are none.
fn one(arguments: &Arguments, input: Input, questions: bool, out: &mut dyn Write) -> Outcome<bool> {
    let mut bench = Workbench {
        formulas: input.formulas,
        ..Workbench::default()
    };
    let f = change(arguments, &mut bench, input.formula);
    let mut yes = true;
    if questions {
        let answers = ask(arguments, &mut bench, f)?;
        yes = answers.iter().all(|a| a.yes);
        if !arguments.select {
            for answer in answers {
                answer.print(arguments, &bench, f, out)?;
            }
            return Ok(yes);
        }
        if !yes {
            return Ok(false);
        }
    }
    let syntax = arguments.syntax.map_or(Syntax::Spot, Syntax::from);
    let changed = arguments.negate
        || arguments.nnf
        || arguments.simplify
        || arguments.relabel
        || arguments.syntax.is_some()
        || arguments.select;
    match arguments.format {
        None if changed => writeln!(out, "{}", bench.print(f, syntax))?,
        None | Some(Format::Text) => {
            describe_text(&facts(&mut bench, f, input.name, syntax), out)?;
        }
        Some(Format::Json) => {
            let object: Map<String, Value> = facts(&mut bench, f, input.name, syntax)
                .into_iter()
                .map(|(name, value)| (name.to_string(), value))
                .collect();
            writeln!(out, "{}", Value::Object(object))?;
        }
    }
    Ok(yes)
}

fn change(arguments: &Arguments, bench: &mut Workbench, mut f: Formula) -> Formula {
    let arena = &mut bench.formulas;
    if arguments.negate {
        f = arena.not(f);
    }
    if arguments.nnf {
        f = nnf(arena, f);
    }
    if arguments.simplify {
        f = nnf(arena, f);
        f = Simplifier::new().simplify(arena, f);
    }
    if arguments.relabel {
        f = relabel(arena, f).formula;
    }
    f
}

/// The answer to a question.
struct AnswerTo {
    question: &'static str,
    about: String,
    yes: bool,
    /// What shows that it is no.
    evidence: Option<String>,
}

impl AnswerTo {
    fn print(
        &self,
        arguments: &Arguments,
        bench: &Workbench,
        f: Formula,
        out: &mut dyn Write,
    ) -> Outcome<()> {
        if arguments.format == Some(Format::Json) {
            let object = json!({
                "formula": bench.print(f, Syntax::Spot),
                "question": self.question,
                "about": self.about,
                "answer": self.yes,
                "evidence": self.evidence,
            });
            writeln!(out, "{object}")?;
            return Ok(());
        }
        match (&self.evidence, self.yes) {
            (_, true) => writeln!(out, "yes")?,
            (None, false) => writeln!(out, "no")?,
            (Some(text), false) => writeln!(out, "no: {text}")?,
        }
        Ok(())
    }
}

fn ask(arguments: &Arguments, bench: &mut Workbench, f: Formula) -> Outcome<Vec<AnswerTo>> {
    let mut answers = Vec::new();
    for text in &arguments.holds_on {
        let options = ParseOptions::default();
        let read = word::parse_letters(&mut bench.formulas, text, &options);
        let word = read.map_err(|diagnostics| {
            show(&Source::new("--holds-on", text), &diagnostics);
            Failure::Shown
        })?;
        answers.push(AnswerTo {
            question: "holds_on",
            about: text.clone(),
            yes: holds(&bench.formulas, f, &word),
            evidence: None,
        });
    }
    Ok(answers)
}

/// What is known about a formula, in the order in which it is told.
fn facts(
    bench: &mut Workbench,
    f: Formula,
    name: Option<String>,
    syntax: Syntax,
) -> Vec<(&'static str, Value)> {
    let text = bench.print(f, syntax);
    let arena = &mut bench.formulas;
    let normal = nnf(arena, f);
    let not = arena.not(f);
    let negation = nnf(arena, not);
    let simplified = Simplifier::new().simplify(arena, normal);
    let propositions: Vec<&str> = arena
        .propositions_of(f)
        .into_iter()
        .map(|p| arena.name(p))
        .collect();
    let known = arena.facts(normal);
    let syntactic: Vec<&str> = [
        ("boolean", known.boolean()),
        ("next-free", known.next_free()),
        ("eventual", known.eventual()),
        ("universal", known.universal()),
        ("safety", known.safety()),
        ("guarantee", known.guarantee()),
        ("obligation", known.obligation()),
        ("recurrence", known.recurrence()),
        ("persistence", known.persistence()),
    ]
    .into_iter()
    .filter_map(|(name, holds)| holds.then_some(name))
    .collect();
    let mut facts = Vec::new();
    if let Some(name) = name {
        facts.push(("name", json!(name)));
    }
    facts.extend([
        ("formula", json!(text)),
        ("size", json!(arena.size(f))),
        ("propositions", json!(propositions)),
        ("syntactic_classes", json!(syntactic)),
        ("syntactic_safety", json!(known.safety())),
    ]);
    facts.extend([
        ("nnf", json!(bench.print(normal, syntax))),
        ("negation", json!(bench.print(negation, syntax))),
        ("simplified", json!(bench.print(simplified, syntax))),
    ]);
    facts
}

fn describe_text(facts: &[(&'static str, Value)], out: &mut dyn Write) -> Outcome<()> {
    let width = facts.iter().map(|f| f.0.len()).max().unwrap_or(0);
    for (name, value) in facts {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Bool(true) => "yes".to_string(),
            Value::Bool(false) => "no".to_string(),
            Value::Array(items) => {
                let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                texts.join(", ")
            }
            other => other.to_string(),
        };
        let name = name.replace('_', " ");
        writeln!(out, "{}", format!("{name:width$}  {value}").trim_end())?;
    }
    Ok(())
}
