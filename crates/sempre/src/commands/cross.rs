//! `sempre cross`: compare translators.

use super::random::Shape;
use crate::failure::{Answer, Failure, Outcome};
use crate::input::{FormulaOptions, Input};
use crate::output::{OutputFile, csv_field, remove_at_end};
use crate::supervisor;
use clap::Args;
use sempre::base::Random;
use sempre::base::stop::{self, Cancel, cancellable};
use sempre::cross::external::Scratch;
use sempre::cross::{Candidate, Cross, Disagreement, Made, Report, minimize};
use sempre::ltl::Formulas;
use sempre::memory;
use sempre::report::facts::counted;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Compare translators of formulas to automata
///
/// Translates each formula and its negation with every translator; checks every automaton of the
/// formula against every automaton of the negation, and all of them against the semantics of the
/// formula on words. A formula on which they disagree is made as small as possible. Status 1 if there
/// was a disagreement.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    input: FormulaOptions,

    /// Draw N random formulas
    #[arg(long, value_name = "N", help_heading = "Random formulas")]
    random: Option<usize>,

    /// Where the stream of random numbers starts
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Random formulas"
    )]
    seed: u64,

    #[command(flatten)]
    shape: Shape,

    /// A translator: `sempre:` with options (tgba, ba, tgra, tela, finless, parity, low, medium, high,
    /// deterministic), or a command in which %f, %s, %l stand for the formula in the syntax of Spot,
    /// SPIN, LBT (%F, %S, %L: for a file with it) and %O for the file it writes to, standard output if
    /// there is no %O. May be given several times
    #[arg(long, short = 't', value_name = "TRANSLATOR", value_parser = Candidate::parse,
          verbatim_doc_comment)]
    translator: Vec<Candidate>,

    /// The time a translator has for each formula; 0 for no limit
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    time: f64,

    /// How much memory the process may take, as 50M or 2G [default: nine tenths of what is free]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_size)]
    memory: Option<usize>,

    /// How many random words each formula is tried on; half as many are read off each automaton
    #[arg(long, value_name = "N", default_value_t = 20)]
    words: usize,

    /// Write a row for every translation into FILE
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    csv: Option<PathBuf>,

    /// A command that fails is not an error; status 0 if the others agree
    #[arg(long)]
    ignore_failures: bool,

    /// How many formulas to work on at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// Go on after a disagreement, instead of making its formula small
    #[arg(long)]
    keep_going: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if (0.0..1e9).contains(&s) => Ok(s),
        _ => Err("a number of seconds".to_string()),
    }
}

/// Compared when no translator is given.
const DEFAULT: [&str; 5] = [
    "sempre:tgba",
    "sempre:ba",
    "sempre:tgba,low",
    "sempre:ba,low",
    "sempre:tgba,deterministic",
];

/// How many failures of each candidate are told.
const TOLD_FAILURES: usize = 5;

/// Deep formulas recurse deeply.
const STACK: usize = 256 << 20;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    supervisor::limit_memory(arguments.memory.or_else(memory::default_budget));
    let inputs = supervisor::step("reading the formulas", None, || inputs(arguments))?;
    let candidates = if arguments.translator.is_empty() {
        DEFAULT
            .iter()
            .map(|t| Candidate::parse(t).map_err(Failure::Message))
            .collect::<Outcome<_>>()?
    } else {
        arguments.translator.clone()
    };
    let limit = Duration::from_secs_f64(arguments.time);
    let cross = Cross {
        candidates,
        time: (!limit.is_zero()).then_some(limit),
        words: arguments.words,
        seed: arguments.seed,
        scratch: Scratch::new()?,
    };
    remove_at_end(cross.scratch.folder());
    let csv: Option<Box<dyn Write>> = match &arguments.csv {
        Some(path) => Some(Box::new(OutputFile::create(path)?)),
        None => None,
    };
    let mut desk = Desk::new(&cross, csv)?;
    let found = supervisor::step("comparing translators", None, || {
        compare(&cross, &inputs, arguments, &mut desk)
    })?;
    desk.summary()?;
    if let Some(stop) = stop::requested() {
        let what = "comparing translators".to_string();
        return Err(Failure::Stopped(stop, what));
    }
    if let Some(at) = found
        && !arguments.keep_going
    {
        supervisor::step("making the formula small", None, || {
            desk.minimize(&inputs[at])
        })?;
    }
    Ok(if desk.disagreements > 0 {
        Answer::No
    } else if desk.failures() > 0 && !arguments.ignore_failures {
        return Err(Failure::Message(
            "a translator failed; see above".to_string(),
        ));
    } else {
        Answer::Yes
    })
}

fn inputs(arguments: &Arguments) -> Outcome<Vec<Input>> {
    let mut inputs = Vec::new();
    if arguments.random.is_none() || !arguments.input.is_empty() {
        arguments.input.for_each(|input| {
            inputs.push(input);
            Ok(())
        })?;
    }
    let generator = arguments.shape.generator();
    let mut random = Random::new(arguments.seed);
    for _ in 0..arguments.random.unwrap_or(0) {
        let mut formulas = Formulas::new();
        let formula = generator.draw(&mut formulas, &mut random);
        inputs.push(Input {
            formulas,
            formula,
            name: None,
        });
    }
    Ok(inputs)
}

/// Compares on all formulas; the first on which there is a disagreement.
fn compare(
    cross: &Cross,
    inputs: &[Input],
    arguments: &Arguments,
    desk: &mut Desk,
) -> Outcome<Option<usize>> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = mpsc::sync_channel(64);
    let mut first = None;
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.clamp(1, 256) {
            let sender = sender.clone();
            let (next, stop) = (&next, &stop);
            std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, move || {
                    // Tickets and a flag; the reports themselves travel through the channel.
                    while !stop.load(Ordering::Relaxed) {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(input) = inputs.get(at) else { break };
                        let work = || cross.check(&input.formulas, input.formula);
                        // What concerns the whole process alone stops it.
                        let Ok(report) = cancellable(&Cancel::new(), work) else {
                            break;
                        };
                        if sender.send((at, report)).is_err() {
                            break;
                        }
                    }
                })?;
        }
        drop(sender);
        // Reports arrive in any order and are told in the order of the formulas.
        let mut early = std::collections::BTreeMap::new();
        let mut due = 0;
        for (at, report) in receiver {
            early.insert(at, report);
            while let Some(report) = early.remove(&due) {
                desk.progress(due, inputs.len());
                let agreed = report.disagreements.is_empty();
                desk.tell(&report)?;
                if !agreed && first.is_none() {
                    first = Some(due);
                    if !arguments.keep_going {
                        stop.store(true, Ordering::Relaxed);
                        desk.end_progress();
                        return Ok(first);
                    }
                }
                due += 1;
            }
        }
        desk.end_progress();
        Ok(first)
    })
}

/// The totals of a candidate.
#[derive(Clone, Default)]
struct Total {
    automata: usize,
    timeouts: usize,
    failures: usize,
    states: usize,
    edges: usize,
    deterministic: usize,
    time: Duration,
    disagreements: usize,
}

/// Where reports are told and added up.
struct Desk<'a> {
    cross: &'a Cross,
    csv: Option<Box<dyn Write>>,
    totals: Vec<Total>,
    formulas: usize,
    products: usize,
    skipped: usize,
    words: usize,
    disagreements: usize,
    on_terminal: bool,
}

impl<'a> Desk<'a> {
    fn new(cross: &'a Cross, mut csv: Option<Box<dyn Write>>) -> Outcome<Self> {
        if let Some(csv) = &mut csv {
            writeln!(
                csv,
                "formula,negated,translator,status,states,edges,acceptance_sets,deterministic,seconds"
            )?;
        }
        Ok(Self {
            totals: vec![Total::default(); cross.candidates.len()],
            cross,
            csv,
            formulas: 0,
            products: 0,
            skipped: 0,
            words: 0,
            disagreements: 0,
            on_terminal: std::io::stderr().is_terminal(),
        })
    }

    fn progress(&self, done: usize, all: usize) {
        if self.on_terminal {
            eprint!("\r{done} of {all} formulas ");
        }
    }

    fn end_progress(&self) {
        if self.on_terminal {
            eprint!("\r\x1b[K");
        }
    }

    fn tell(&mut self, report: &Report) -> Outcome<()> {
        self.formulas += 1;
        self.products += report.products;
        self.skipped += report.skipped;
        self.words += report.words;
        for attempt in &report.attempts {
            let total = &mut self.totals[attempt.candidate];
            total.time += attempt.time;
            let (status, sizes) = match &attempt.made {
                Made::Automaton(a) => {
                    total.automata += 1;
                    total.states += a.states();
                    total.edges += a.edge_count();
                    total.deterministic += usize::from(attempt.deterministic);
                    let deterministic = u8::from(attempt.deterministic);
                    let sizes = [a.states(), a.edge_count(), a.sets as usize];
                    let [states, edges, sets] = sizes;
                    ("ok", format!("{states},{edges},{sets},{deterministic}"))
                }
                Made::TimedOut => {
                    total.timeouts += 1;
                    ("timeout", ",,,".to_string())
                }
                Made::Failed(text) => {
                    total.failures += 1;
                    let name = &self.cross.candidates[attempt.candidate].name;
                    let not = if attempt.negated {
                        "the negation of "
                    } else {
                        ""
                    };
                    if total.failures <= TOLD_FAILURES {
                        let text = text.trim_end();
                        eprintln!("{name} failed on {not}{}: {text}", report.formula);
                    }
                    if total.failures == TOLD_FAILURES {
                        eprintln!("more failures of {name} are only counted");
                    }
                    ("failed", ",,,".to_string())
                }
            };
            if let Some(csv) = &mut self.csv {
                writeln!(
                    csv,
                    "{},{},{},{status},{sizes},{:.6}",
                    csv_field(&report.formula),
                    u8::from(attempt.negated),
                    csv_field(&self.cross.candidates[attempt.candidate].name),
                    attempt.time.as_secs_f64()
                )?;
            }
        }
        for d in &report.disagreements {
            self.disagreements += 1;
            self.totals[d.candidate].disagreements += 1;
            self.accuse(report, d)?;
        }
        Ok(())
    }

    fn accuse(&self, report: &Report, d: &Disagreement) -> Outcome<()> {
        let name = &self.cross.candidates[d.candidate].name;
        let mut out = std::io::stdout().lock();
        writeln!(out, "disagreement on {}", report.formula)?;
        let of = if d.negated { "its negation" } else { "it" };
        let does = match d.accepts {
            true => "accepts a word it should reject",
            false => "rejects a word it should accept",
        };
        writeln!(out, "  {name}: the automaton of {of} {does}: {}", d.word)?;
        Ok(())
    }

    fn failures(&self) -> usize {
        self.totals.iter().map(|t| t.failures).sum()
    }

    fn summary(&mut self) -> Outcome<()> {
        if let Some(csv) = &mut self.csv {
            csv.flush()?;
        }
        let mut out = std::io::stdout().lock();
        let names = self.cross.candidates.iter().map(|c| c.name.chars().count());
        let width = names.max().unwrap_or(0).max("translator".len());
        writeln!(
            out,
            "{:width$}  {:>8} {:>8} {:>7} {:>9} {:>9} {:>13} {:>9} {:>6}",
            "translator",
            "automata",
            "timeouts",
            "failed",
            "states",
            "edges",
            "deterministic",
            "seconds",
            "wrong"
        )?;
        for (c, t) in self.cross.candidates.iter().zip(&self.totals) {
            writeln!(
                out,
                "{:width$}  {:>8} {:>8} {:>7} {:>9} {:>9} {:>13} {:>9.3} {:>6}",
                c.name,
                t.automata,
                t.timeouts,
                t.failures,
                t.states,
                t.edges,
                t.deterministic,
                t.time.as_secs_f64(),
                t.disagreements
            )?;
        }
        let skipped = match self.skipped {
            0 => String::new(),
            n => format!(" ({n} too large and left out)"),
        };
        let verdict = match self.disagreements {
            0 => "no disagreement".to_string(),
            n => counted(n, "disagreement"),
        };
        writeln!(
            out,
            "{}, {}{skipped}, {}: {verdict}",
            counted(self.formulas, "formula"),
            counted(self.products, "product"),
            counted(self.words, "word")
        )?;
        Ok(())
    }

    fn minimize(&self, input: &Input) -> Outcome<()> {
        let (mut formulas, f) = (Formulas::new(), input.formula);
        // A copy: shrinking makes many formulas.
        let text = sempre::ltl::print(&input.formulas, f, sempre::ltl::Syntax::Spot).to_string();
        let f = crate::input::read_into(&mut formulas, "formula", &text)?;
        if let Some((_, report)) = minimize(self.cross, &mut formulas, f) {
            println!("smallest formula found:");
            for d in &report.disagreements {
                self.accuse(&report, d)?;
            }
        }
        Ok(())
    }
}
