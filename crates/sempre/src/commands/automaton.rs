//! `sempre automaton`: convert, combine and test ω-automata.

use super::operations::{Operation, Operations, Question};
use crate::failure::{Answer, Failure, Outcome};
use crate::input::{read_file, shown_name};
use crate::limits::LimitOptions;
use crate::notices::show;
use crate::output::OutputOptions;
use crate::printer::{self, Format, Printer};
use clap::Args;
use sempre::automata::{ReadAutomaton, read_automata};
use sempre::base::{Severity, Source};
use sempre::omega::accepting_run::{accepting_run, word_of};
use sempre::omega::complement::{complement, to_deterministic};
use sempre::omega::complete::complete;
use sempre::omega::degeneralize::{Kind, degeneralize};
use sempre::omega::determinize::DeterminizeError;
use sempre::omega::emptiness::prune;
use sempre::omega::fin_less::fin_less;
use sempre::omega::generalized_rabin::generalized_rabin;
use sempre::omega::hoa::{Highlights, Known};
use sempre::omega::inclusion::{Difference, difference, not_included};
use sempre::omega::isomorphism::isomorphic;
use sempre::omega::membership::accepts;
use sempre::omega::remove_fin::remove_fin;
use sempre::omega::simplify_acceptance::simplify_acceptance;
use sempre::omega::stutter::stutter_witness;
use sempre::omega::unambiguous::is_unambiguous;
use sempre::omega::{Alphabet, Automaton, Word, product, sum};
use sempre::translate::translator::{Effort, reduce};
use sempre::word::write_word;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Convert, combine and test ω-automata
///
/// Reads automata in the Hanoi format, SPIN's never claims and the format of lbtt. Without operations they are only printed in the format asked
/// for.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Files with automata, any number in each; `-` is standard input
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    operations: Operations,

    /// Print an accepting run and its word instead of the automaton; status 1 if there is none
    #[arg(long, conflicts_with = "format")]
    run: bool,

    /// Print the automaton with an accepting run in colour (`spot.highlight.edges` of HOA v1.1)
    #[arg(long, conflicts_with = "run")]
    highlight_run: bool,

    /// With questions: print the automata for which all answers are yes
    #[arg(long, conflicts_with = "run")]
    select: bool,

    /// Give up a determinisation or complement that has more states
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    max_states: usize,

    /// How to print automata
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Hoa)]
    format: Format,

    #[command(flatten)]
    limits: LimitOptions,

    #[command(flatten)]
    output: OutputOptions,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut out = Printer::new(arguments.output.open()?, arguments.format);
    let mut all = Answer::Yes;
    let mut any_selected = false;
    let mut bad_input = false;
    let asks = |op: &Operation| matches!(op, Operation::Ask(_));
    let questions = arguments.operations.0.iter().any(asks);
    if arguments.select && !questions {
        let text = "--select needs a question to select by, such as --is-deterministic";
        return Err(Failure::Message(text.to_string()));
    }
    if arguments.highlight_run && arguments.format != Format::Hoa {
        let text = "--highlight-run needs --format hoa";
        return Err(Failure::Message(text.to_string()));
    }
    let prints = (!questions || arguments.select) && !arguments.run;
    if prints {
        out.header(NAME, &[])?;
    }
    let done = arguments.limits.during("working on the automata", || {
        for path in &arguments.files {
            let mut alphabet = Alphabet::new();
            let (automata, bad) = read(path, &mut alphabet)?;
            bad_input |= bad;
            for read in automata {
                let mut work = Work {
                    arguments,
                    alphabet: &mut alphabet,
                    current: read,
                    out: &mut out,
                };
                let yes = work.operate()?;
                if prints && (yes || !questions) {
                    any_selected = true;
                    work.print()?;
                } else if arguments.run && !work.print_run()? {
                    all = Answer::No;
                }
                if !yes {
                    all = Answer::No;
                }
            }
        }
        Ok(())
    });
    // What was done before it was stopped is written, too; if that is nothing, an older file stays.
    out.finish(done.is_ok())?;
    done?;
    if bad_input {
        Err(Failure::Shown)
    } else if arguments.select {
        Ok(any_selected.into())
    } else {
        Ok(all)
    }
}

/// The first column of tables.
const NAME: &[&str] = &["name"];

/// The automata of a file; and whether there was something wrong with it, which has been told.
fn read(path: &Path, alphabet: &mut Alphabet) -> Outcome<(Vec<ReadAutomaton>, bool)> {
    let text = read_file(path)?;
    let name = shown_name(path);
    let (automata, diagnostics) = read_automata(alphabet, &text);
    show(&Source::new(&name, &text), &diagnostics);
    let bad = diagnostics.iter().any(|d| d.severity == Severity::Error);
    Ok((automata, bad))
}

struct Work<'a> {
    arguments: &'a Arguments,
    alphabet: &'a mut Alphabet,
    current: ReadAutomaton,
    out: &'a mut Printer,
}

impl Work<'_> {
    /// Does all operations; the answer is yes if all answers are.
    fn operate(&mut self) -> Outcome<bool> {
        let mut yes = true;
        for operation in &self.arguments.operations.0 {
            match operation {
                Operation::Ask(question) => yes &= self.ask(question)?,
                _ => {
                    let mut a = self.change(operation)?;
                    let mut known = Known::default();
                    if operation.keeps_the_language() {
                        a.name = self.current.automaton.name.take();
                        known.stutter_invariant = self.current.known.stutter_invariant;
                    }
                    self.current = ReadAutomaton { known, ..a.into() };
                }
            }
        }
        Ok(yes)
    }

    fn change(&mut self, operation: &Operation) -> Outcome<Automaton> {
        let limit = self.arguments.max_states;
        let mut a = self.current.automaton.clone();
        match operation {
            Operation::Product(path) => {
                let b = self.operand(path)?;
                return Ok(product::product(&mut self.alphabet.bdds, &a, &b));
            }
            Operation::Sum(path) => {
                let b = self.operand(path)?;
                return Ok(sum::sum_with_single_initial(
                    &mut self.alphabet.bdds,
                    &a,
                    &b,
                ));
            }
            Operation::Complement => {
                return complement(&mut self.alphabet.bdds, &a, limit).map_err(too_large);
            }
            Operation::Determinize => {
                return to_deterministic(&mut self.alphabet.bdds, &a, limit).map_err(too_large);
            }
            Operation::RemoveFin => return without_fin(&a),
            Operation::FinLess => {
                return fin_less(&a, printer::MOST_CASES).ok_or_else(|| too_many("Fin-less"));
            }
            Operation::GeneralizedRabin => {
                return generalized_rabin(&a, printer::MOST_CASES)
                    .ok_or_else(|| too_many("generalised Rabin"));
            }
            Operation::Degeneralize { on_states } => {
                let kind = if *on_states {
                    Kind::StateBased
                } else {
                    Kind::TransitionBased
                };
                let a = without_fin(&a)?;
                let done = degeneralize(&mut self.alphabet.bdds, &a, kind);
                return done.ok_or_else(|| Failure::Message("cannot degeneralise".to_string()));
            }
            Operation::Reduce => {
                prune(&mut a);
                simplify_acceptance(&mut a);
                if a.acceptance.as_generalized_buchi().is_some() {
                    reduce(&mut a, self.alphabet, Effort::High);
                }
            }
            Operation::Trim => prune(&mut a),
            Operation::Complete => {
                complete(&mut self.alphabet.bdds, &mut a);
            }
            Operation::Ask(_) => {}
        }
        Ok(a)
    }

    /// The one automaton of a file that an operation names.
    fn operand(&mut self, path: &Path) -> Outcome<Automaton> {
        let (mut automata, bad) = read(path, self.alphabet)?;
        match (automata.pop(), automata.is_empty(), bad) {
            (Some(a), true, false) => Ok(a.automaton),
            (_, _, true) => Err(Failure::Shown),
            _ => Err(Failure::Message(format!(
                "`{}` must hold exactly one automaton",
                path.display()
            ))),
        }
    }

    fn ask(&mut self, question: &Question) -> Outcome<bool> {
        let limit = self.arguments.max_states;
        let a = self.current.automaton.clone();
        let evidence = match question {
            Question::Empty => {
                let run = accepting_run(&a);
                run.and_then(|run| word_of(&self.alphabet.bdds, &a, &run))
                    .map(|w| format!("accepts {}", self.show(&a, &w)))
            }
            Question::Unambiguous => {
                let yes = is_unambiguous(&mut self.alphabet.bdds, &a);
                self.current.known.unambiguous = Some(yes);
                no(yes)
            }
            Question::Deterministic => no(a.is_deterministic(&mut self.alphabet.bdds)),
            Question::Complete => no(a.is_complete(&mut self.alphabet.bdds)),
            Question::Accepts(text) => {
                let word = crate::input::read_word(self.alphabet, "--accepts", text)?;
                no(accepts(&self.alphabet.bdds, &a, &word))
            }
            Question::IncludedIn(path) => {
                let b = self.operand(path)?;
                let word = not_included(&mut self.alphabet.bdds, &a, &b, limit);
                word.map_err(too_large)?
                    .map(|w| format!("accepts {}", self.show_both(&a, &b, &w)))
            }
            Question::IsomorphicTo(path) => {
                let b = self.operand(path)?;
                no(isomorphic(&mut self.alphabet.bdds, &a, &b))
            }
            Question::StutterInvariant => {
                let outside = complement(&mut self.alphabet.bdds, &a, limit).map_err(too_large)?;
                let witness = stutter_witness(&mut self.alphabet.bdds, &a, &outside);
                self.current.known.stutter_invariant = Some(witness.is_none());
                witness.map(|(yes, no)| {
                    let (yes, no) = (self.show(&a, &yes), self.show(&a, &no));
                    format!("accepts {yes} but not {no}")
                })
            }
            Question::EquivalentTo(path) => {
                let b = self.operand(path)?;
                let found = difference(&mut self.alphabet.bdds, &a, &b, limit);
                found.map_err(too_large)?.map(|d| match d {
                    Difference::OnlyFirst(w) => {
                        format!("accepts {}", self.show_both(&a, &b, &w))
                    }
                    Difference::OnlySecond(w) => {
                        format!("does not accept {}", self.show_both(&a, &b, &w))
                    }
                })
            }
        };
        if !self.arguments.select {
            match &evidence {
                None => writeln!(self.out.out(), "yes")?,
                Some(text) if text.is_empty() => writeln!(self.out.out(), "no")?,
                Some(text) => writeln!(self.out.out(), "no: it {text}")?,
            }
        }
        Ok(evidence.is_none())
    }

    fn show(&self, a: &Automaton, word: &Word) -> String {
        write_word(self.alphabet, &a.propositions, word)
    }

    fn show_both(&self, a: &Automaton, b: &Automaton, word: &Word) -> String {
        let propositions = product::joint_propositions(&a.propositions, &b.propositions);
        write_word(self.alphabet, &propositions, word)
    }

    fn print(&mut self) -> Outcome<()> {
        let a = &self.current.automaton;
        let format = self.arguments.format;
        if format.is_table() {
            let mut columns = vec![("name".to_string(), json!(a.name))];
            columns.extend(printer::measures(self.alphabet, a, format));
            return self.out.row(&columns);
        }
        if self.arguments.highlight_run {
            self.current.highlights = highlighted(a);
        }
        let a = &self.current.automaton;
        self.out.write(self.alphabet, a, Some(&self.current))
    }

    /// Prints an accepting run; false if there is none.
    fn print_run(&mut self) -> Outcome<bool> {
        let a = &self.current.automaton;
        let run = accepting_run(a);
        let word = run
            .as_ref()
            .and_then(|run| word_of(&self.alphabet.bdds, a, run));
        let (Some(run), Some(word)) = (run, word) else {
            writeln!(self.out.out(), "no accepting run")?;
            return Ok(false);
        };
        let text = self.show(a, &word);
        writeln!(self.out.out(), "word: {text}")?;
        let parts = [("prefix", run.prefix()), ("cycle", run.cycle())];
        for (title, steps) in parts.into_iter().filter(|p| !p.1.is_empty()) {
            writeln!(self.out.out(), "{title}:")?;
            for step in steps {
                let edge = &a.edges[step.state as usize][step.edge as usize];
                let marks: Vec<String> = edge.mark.iter().map(|m| m.to_string()).collect();
                let marks = match marks.len() {
                    0 => String::new(),
                    _ => format!(" {{{}}}", marks.join(" ")),
                };
                writeln!(self.out.out(), "  {} -> {}{marks}", step.state, edge.to)?;
            }
        }
        Ok(true)
    }
}

/// The edges of an accepting run in one colour, by their numbers in the text.
fn highlighted(a: &Automaton) -> Highlights {
    const COLOUR: u32 = 1;
    let mut first = Vec::with_capacity(a.states());
    let mut number = 1;
    for edges in &a.edges {
        first.push(number);
        number += edges.len() as u32;
    }
    let run = accepting_run(a);
    let steps = run.iter().flat_map(|run| run.letters());
    let mut edges: Vec<(u32, u32)> = steps
        .map(|step| (first[step.state as usize] + step.edge, COLOUR))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    Highlights {
        states: Vec::new(),
        edges,
    }
}

/// No evidence for yes, empty evidence for no.
fn no(yes: bool) -> Option<String> {
    (!yes).then(String::new)
}

fn without_fin(a: &Automaton) -> Outcome<Automaton> {
    remove_fin(a, printer::MOST_CASES).ok_or_else(|| too_many("generalised Büchi"))
}

fn too_many(wanted: &str) -> Failure {
    Failure::Message(format!(
        "the acceptance condition has too many cases to make it {wanted}"
    ))
}

fn too_large(error: DeterminizeError) -> Failure {
    let hint = match error {
        DeterminizeError::TooManyStates(_) => "; --max-states raises the limit",
        DeterminizeError::NotGeneralizedBuchi => "",
    };
    Failure::Message(format!("{error}{hint}"))
}
