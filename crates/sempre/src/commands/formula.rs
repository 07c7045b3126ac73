//! `sempre formula`: what a formula is, other forms of it, questions about it.

use crate::commands::safety_advice;
use crate::failure::{Answer, Failure, Outcome};
use crate::input::{FormulaOptions, Input, read_into};
use crate::limits::LimitOptions;
use crate::notices::show;
use crate::output::OutputOptions;
use clap::{Args, ValueEnum};
use sempre::Workbench;
use sempre::base::{Lasso, Source};
use sempre::ltl::relabel::relabel;
use sempre::ltl::word::{parse_letters, print_word};
use sempre::ltl::{Formula, Letter, ParseOptions, Syntax, holds, nnf};
use sempre::omega::{Alphabet, Automaton};
use sempre::translate::equivalence::{self, Difference};
use sempre::translate::language::Language;
use sempre::translate::translator::Effort;
use sempre::translate::{hierarchy, stutter};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;

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

    /// Do the same words satisfy it and FORMULA?
    #[arg(long, value_name = "FORMULA", help_heading = QUESTIONS)]
    equivalent: Vec<String>,

    /// Do all words that satisfy it satisfy FORMULA?
    #[arg(long, value_name = "FORMULA", help_heading = QUESTIONS)]
    implies: Vec<String>,

    /// Do all words that satisfy FORMULA satisfy it?
    #[arg(long, value_name = "FORMULA", help_heading = QUESTIONS)]
    implied_by: Vec<String>,

    /// Does some word satisfy it?
    #[arg(long, help_heading = QUESTIONS)]
    satisfiable: bool,

    /// Do all words satisfy it?
    #[arg(long, help_heading = QUESTIONS)]
    valid: bool,

    /// Is it indifferent to repetitions of letters?
    #[arg(long, help_heading = QUESTIONS)]
    stutter_invariant: bool,

    /// Is it in CLASS of the hierarchy of Manna and Pnueli (or in a lower one)?
    #[arg(long, value_enum, value_name = "CLASS", help_heading = QUESTIONS)]
    class: Vec<ClassName>,

    /// Decide the kind of safety with a Büchi automaton of the negation from FILE, in any format; of
    /// several, one for each formula in order
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    buchi: Option<PathBuf>,

    /// With questions: print the formulas for which all answers are yes
    #[arg(long)]
    select: bool,

    /// How to print what is known about a formula
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,

    #[command(flatten)]
    limits: LimitOptions,

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

/// The classes one can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ClassName {
    /// What is violated is violated by a finite prefix
    Safety,
    /// What is satisfied is satisfied by a finite prefix
    Guarantee,
    /// Boolean combinations of safety and guarantee
    Obligation,
    /// What deterministic Büchi automata recognise
    Recurrence,
    /// What deterministic co-Büchi automata recognise
    Persistence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// An object on a line
    Json,
}

impl Arguments {
    fn asks(&self) -> bool {
        let texts = [
            &self.holds_on,
            &self.equivalent,
            &self.implies,
            &self.implied_by,
        ];
        texts.iter().any(|t| !t.is_empty())
            || self.satisfiable
            || self.valid
            || self.stutter_invariant
            || !self.class.is_empty()
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut out = arguments.output.open()?;
    let questions = arguments.asks();
    if arguments.select && !questions {
        let text = "--select needs a question to select by, such as --holds-on";
        return Err(Failure::Message(text.to_string()));
    }
    let mut violations = match &arguments.buchi {
        Some(path) => Some(safety_advice::Violations::read(path)?),
        None => None,
    };
    let (mut all, mut any) = (true, false);
    let done = arguments.limits.during("working on the formulas", || {
        arguments.input.for_each(|input| {
            let outside = violations.as_mut().map(|v| v.next()).transpose()?;
            let yes = one(arguments, input, outside, questions, &mut *out)?;
            all &= yes;
            any |= yes;
            Ok(())
        })
    });
    // What was done before it was stopped is written when `out` is dropped; if that is nothing, an older file stays.
    if done.is_ok() {
        out.flush()?;
    }
    done?;
    Ok(Answer::from(if arguments.select { any } else { all }))
}

/// Works on one formula; the answer to the questions, yes if there are none.
fn one(
    arguments: &Arguments,
    input: Input,
    outside: Option<(Alphabet, Automaton)>,
    questions: bool,
    out: &mut dyn Write,
) -> Outcome<bool> {
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
            describe_text(&facts(&mut bench, f, input.name, syntax, outside)?, out)?;
        }
        Some(Format::Json) => {
            let object: Map<String, Value> = facts(&mut bench, f, input.name, syntax, outside)?
                .into_iter()
                .filter(|(name, _)| *name != ADVICE)
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
        f = bench.translator.rewritten(arena, f, Effort::High);
    }
    if arguments.relabel {
        f = relabel(arena, f).formula;
    }
    f
}

/// The answer to a question.
struct AnswerTo {
    question: &'static str,
    about: Option<String>,
    yes: bool,
    /// What shows it.
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
        let word = if self.yes { "yes" } else { "no" };
        match &self.evidence {
            None => writeln!(out, "{word}")?,
            Some(text) => writeln!(out, "{word}: {text}")?,
        }
        Ok(())
    }
}

/// Asks about one formula.
struct Asking<'a> {
    bench: &'a mut Workbench,
    f: Formula,
    answers: Vec<AnswerTo>,
}

impl Asking<'_> {
    fn answer(
        &mut self,
        question: &'static str,
        about: Option<&str>,
        yes: bool,
        evidence: Option<String>,
    ) {
        self.answers.push(AnswerTo {
            question,
            about: about.map(str::to_string),
            yes,
            evidence,
        });
    }

    /// The word, telling all propositions of the formula and of `g`.
    fn show(&mut self, g: Formula, word: &Lasso<Letter>) -> String {
        let arena = &mut self.bench.formulas;
        let mut propositions = arena.propositions_of(self.f);
        for p in arena.propositions_of(g) {
            if !propositions.contains(&p) {
                propositions.push(p);
            }
        }
        print_word(arena, word, &propositions)
    }

    fn holds_on(&mut self, text: &str) -> Outcome<()> {
        let options = ParseOptions::default();
        let read = parse_letters(&mut self.bench.formulas, text, &options);
        let word = read.map_err(|diagnostics| {
            show(&Source::new("--holds-on", text), &diagnostics);
            Failure::Shown
        })?;
        let yes = holds(&self.bench.formulas, self.f, &word);
        self.answer("holds_on", Some(text), yes, None);
        Ok(())
    }

    fn equivalent(&mut self, text: &str) -> Outcome<()> {
        let Workbench {
            formulas,
            translator,
            ..
        } = &mut *self.bench;
        let g = read_into(formulas, "--equivalent", text)?;
        let evidence = equivalence::difference(translator, formulas, self.f, g).map(|d| match d {
            Difference::OnlyFirst(w) => format!("satisfied by {}", self.show(g, &w)),
            Difference::OnlySecond(w) => format!("not satisfied by {}", self.show(g, &w)),
        });
        self.answer("equivalent", Some(text), evidence.is_none(), evidence);
        Ok(())
    }

    fn implication(&mut self, text: &str, question: &'static str) -> Outcome<()> {
        let Workbench {
            formulas,
            translator,
            ..
        } = &mut *self.bench;
        let forward = question == "implies";
        let option = if forward { "--implies" } else { "--implied-by" };
        let g = read_into(formulas, option, text)?;
        let (from, to) = if forward { (self.f, g) } else { (g, self.f) };
        let word = equivalence::not_implied(translator, formulas, from, to);
        let not = if forward { "" } else { "not " };
        let evidence = word.map(|w| format!("{not}satisfied by {}", self.show(g, &w)));
        self.answer(question, Some(text), evidence.is_none(), evidence);
        Ok(())
    }

    fn models(&mut self, arguments: &Arguments) {
        let f = self.f;
        if arguments.satisfiable {
            let Workbench {
                formulas,
                translator,
                ..
            } = &mut *self.bench;
            let word = equivalence::satisfying_word(translator, formulas, f);
            let evidence = word.map(|w| format!("satisfied by {}", self.show(f, &w)));
            self.answer("satisfiable", None, evidence.is_some(), evidence);
        }
        if arguments.valid {
            let Workbench {
                formulas,
                translator,
                ..
            } = &mut *self.bench;
            let word = equivalence::falsifying_word(translator, formulas, f);
            let evidence = word.map(|w| format!("not satisfied by {}", self.show(f, &w)));
            self.answer("valid", None, evidence.is_none(), evidence);
        }
    }

    fn language(&mut self, arguments: &Arguments) {
        let Workbench {
            formulas,
            translator,
            ..
        } = &mut *self.bench;
        let mut language = Language::new(translator, formulas, self.f);
        let classes: Vec<(ClassName, bool)> = (arguments.class.iter())
            .map(|&class| {
                let yes = match class {
                    ClassName::Safety => hierarchy::is_safety(&mut language),
                    ClassName::Guarantee => hierarchy::is_guarantee(&mut language),
                    ClassName::Obligation => hierarchy::is_obligation(&mut language),
                    ClassName::Recurrence => hierarchy::is_recurrence(&mut language),
                    ClassName::Persistence => hierarchy::is_persistence(&mut language),
                };
                (class, yes)
            })
            .collect();
        let stutter = arguments
            .stutter_invariant
            .then(|| stutter::stutter_witness(&mut language));
        if let Some(witness) = stutter {
            let evidence = witness.map(|(yes, no)| {
                let (yes, no) = (self.show(self.f, &yes), self.show(self.f, &no));
                format!("satisfied by {yes} but not by {no}")
            });
            self.answer("stutter_invariant", None, evidence.is_none(), evidence);
        }
        for (class, yes) in classes {
            let name = class.to_possible_value();
            let name = name.as_ref().map(|n| n.get_name());
            self.answer("class", name, yes, None);
        }
    }
}

fn ask(arguments: &Arguments, bench: &mut Workbench, f: Formula) -> Outcome<Vec<AnswerTo>> {
    let mut asking = Asking {
        bench,
        f,
        answers: Vec::new(),
    };
    for text in &arguments.holds_on {
        asking.holds_on(text)?;
    }
    for text in &arguments.equivalent {
        asking.equivalent(text)?;
    }
    for text in &arguments.implies {
        asking.implication(text, "implies")?;
    }
    for text in &arguments.implied_by {
        asking.implication(text, "implied_by")?;
    }
    asking.models(arguments);
    asking.language(arguments);
    Ok(asking.answers)
}

/// The sentence about the kind of safety: for people only.
const ADVICE: &str = "safety_advice";

/// The sentence about an automaton from outside: for people only.
const READING: &str = "buchi_advice";

/// What is known about a formula, in the order in which it is told.
fn facts(
    bench: &mut Workbench,
    f: Formula,
    name: Option<String>,
    syntax: Syntax,
    outside: Option<(Alphabet, Automaton)>,
) -> Outcome<Vec<(&'static str, Value)>> {
    let text = bench.print(f, syntax);
    let arena = &mut bench.formulas;
    let normal = nnf(arena, f);
    let not = arena.not(f);
    let negation = nnf(arena, not);
    let simplified = bench.translator.rewritten(arena, f, Effort::High);
    let mut language = Language::new(&mut bench.translator, arena, f);
    let class = hierarchy::classify(&mut language);
    let stutter_invariant = stutter::is_stutter_invariant(&mut language);
    let satisfiable = equivalence::satisfiable(&mut bench.translator, arena, f);
    let valid = equivalence::valid(&mut bench.translator, arena, f);
    let propositions: Vec<&str> = arena
        .propositions_of(f)
        .into_iter()
        .map(|p| arena.name(p))
        .collect();
    // Of the formula as it is written: the fragments are about syntax.
    let known = arena.facts(f);
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
        ("satisfiable", json!(satisfiable)),
        ("valid", json!(valid)),
        ("class", json!(class.to_string())),
        ("safety", json!(class.is_safety())),
        ("stutter_invariant", json!(stutter_invariant)),
        ("syntactic_classes", json!(syntactic)),
        ("syntactic_safety", json!(known.safety())),
    ]);
    if class.is_safety() {
        let safety = safety_advice::safety(bench, f, simplified, outside)?;
        facts.push(("safety_kind", json!(safety.kind)));
        facts.push((ADVICE, json!(safety.advice)));
        if let Some((yes, sentence)) = safety.finite_reading {
            facts.push(("buchi_as_finite", json!(yes)));
            facts.push((READING, json!(sentence)));
        }
    }
    facts.extend([
        ("nnf", json!(bench.print(normal, syntax))),
        ("negation", json!(bench.print(negation, syntax))),
        ("simplified", json!(bench.print(simplified, syntax))),
    ]);
    Ok(facts)
}

fn describe_text(facts: &[(&'static str, Value)], out: &mut dyn Write) -> Outcome<()> {
    let width = facts.iter().map(|f| f.0.len()).max().unwrap_or(0);
    for (name, value) in facts {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Bool(true) => "yes".to_string(),
            Value::Bool(false) => "no".to_string(),
            Value::Null => "unknown".to_string(),
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
