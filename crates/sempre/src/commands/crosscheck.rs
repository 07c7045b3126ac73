//! `sempre crosscheck`: compare all engines.

use super::check::{PropertyOptions, seconds};
use crate::failure::{Answer, Failure, Outcome};
use crate::model_input::{LanguageName, ModelOptions};
use crate::output::OutputOptions;
use crate::output::write_file;
use crate::progress;
use clap::{Args, ValueEnum};
use sempre::base::Random;
use sempre::base::stop;
use sempre::check::{Fairness, Property};
use sempre::crosscheck::bug_report::bug_report;
use sempre::crosscheck::draw::{self, draw};
use sempre::crosscheck::reference::reference;
use sempre::crosscheck::shrink::shrink;
use sempre::crosscheck::{Case, Compared, Way, answer, compare, ways};
use sempre::explicit::product::{Deadlock, Limits};
use sempre::lang::model::{Language, Model};
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Models with more states are not given to the slow reference.
const REFERENCE_STATES: usize = 300;

/// Ways that a random case is checked in, unless somebody says otherwise.
const FEW_WAYS: usize = 24;

/// Random formulas for a model of a folder that has no property.
const FORMULAS: u64 = 3;

/// Compare all engines, algorithms and automata with each other
///
/// Checks a property of a model, or those of all models in a folder, or random formulas on random programs, in every way there
/// is: by each engine, automaton, emptiness check and number of workers that is made for it, and, if the model is small, by a slow
/// reference that shares nothing with them. Verdicts, replays and sizes are compared. What disagrees is made as small as possible and
/// written into a file as a report of the bug. Status 1 if there was a disagreement.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// A model, or a folder of models
    #[arg(value_name = "MODEL", value_hint = clap::ValueHint::AnyPath, required_unless_present = "random")]
    model: Option<PathBuf>,

    /// The language of the model, if its file's name does not tell
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    language: Option<LanguageName>,

    #[command(flatten)]
    property: PropertyOptions,

    /// Draw N random programs and formulas instead
    #[arg(long, value_name = "N", conflicts_with = "model")]
    random: Option<u64>,

    /// Where the stream of random numbers starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Begin with the random case of this number
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,

    /// How many ways, drawn for each case, it is checked in; 0 for all [default: all for a model, 24 for random cases]
    #[arg(long, value_name = "N")]
    ways: Option<usize>,

    /// What becomes of a run that ends, for a model
    #[arg(long, value_enum, value_name = "WHAT", default_value = "stutter")]
    deadlock: DeadlockName,

    /// Which runs count, for a model
    #[arg(long, value_enum, value_name = "WHICH", default_value = "none")]
    fairness: FairnessName,

    /// After how many states of the product a way gives up
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    states: u64,

    /// How many seconds a way may take
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    time: Duration,

    /// Write reports of bugs into FOLDER
    #[arg(long, value_name = "FOLDER", default_value = ".", value_hint = clap::ValueHint::DirPath)]
    reports: PathBuf,

    /// No progress line, no warnings and no notes
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    output: OutputOptions,
}

/// What becomes of runs that end.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum DeadlockName {
    /// It repeats its last state for ever
    Stutter,
    /// It does not count
    Drop,
}

/// Which runs count.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum FairnessName {
    /// All
    None,
    /// Those in which no process can move for ever without ever doing so
    Weak,
}

/// What was done so far.
#[derive(Default)]
struct Tally {
    cases: u64,
    skipped: u64,
    refused: usize,
    unknown: usize,
    holding: [u64; 2],
    disagreements: u64,
    /// Answers of each way.
    answered: Vec<u64>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut work = Work {
        arguments,
        all: ways(),
        tally: Tally::default(),
        out: arguments.output.open()?,
        talk: progress::wanted(arguments.quiet),
    };
    work.tally.answered = vec![0; work.all.len()];
    match (&arguments.random, &arguments.model) {
        (Some(count), _) => {
            for number in arguments.first..arguments.first.saturating_add(*count) {
                if stopped() {
                    break;
                }
                let seed = arguments.seed;
                let again = format!("sempre crosscheck --random 1 --seed {seed} --first {number}");
                work.case(&draw(seed, number), &again, number)?;
            }
        }
        (None, Some(path)) if path.is_dir() => {
            let entries = std::fs::read_dir(path).map_err(|e| Failure::file(path, "read", &e))?;
            let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
            files.retain(|f| f.is_file() && Language::of_path(f).is_some());
            files.sort();
            if files.is_empty() {
                let text = format!("there is no model in `{}`", path.display());
                return Err(Failure::Message(text));
            }
            for file in files {
                work.model(&file, true)?;
            }
        }
        (None, Some(path)) => work.model(path, false)?,
        (None, None) => {}
    }
    work.summary()
}

fn stopped() -> bool {
    stop::requested().is_some()
}

struct Work<'a> {
    arguments: &'a Arguments,
    all: Vec<Way>,
    tally: Tally,
    out: Box<dyn Write>,
    talk: bool,
}

impl Work<'_> {
    /// All properties of a model; of one among many, also if it has none.
    fn model(&mut self, path: &Path, among_many: bool) -> Outcome<()> {
        let options = ModelOptions {
            model: path.to_path_buf(),
            language: self.arguments.language,
            ..ModelOptions::default()
        };
        let model = match options.read() {
            Ok(model) => model,
            Err(_) if among_many => {
                self.tally.skipped += 1;
                return Ok(());
            }
            Err(failure) => return Err(failure),
        };
        let own = !model.formulas().is_empty() || model.property().is_some();
        let properties = match among_many && !own && self.arguments.property.is_empty() {
            true => self.drawn(&model),
            false => {
                let file = path.display().to_string();
                self.arguments.property.read(&model, &file)?
            }
        };
        for (i, property) in properties.into_iter().enumerate() {
            if stopped() {
                break;
            }
            let again = format!("sempre crosscheck {} '{}'", path.display(), property.name);
            let case = Case {
                name: format!("{}, {}", model.program().name, property.name),
                program: model.program().clone(),
                property,
                deadlock: match self.arguments.deadlock {
                    DeadlockName::Stutter => Deadlock::Stutter,
                    DeadlockName::Drop => Deadlock::Drop,
                },
                fairness: match self.arguments.fairness {
                    FairnessName::None => Fairness::None,
                    FairnessName::Weak => Fairness::Weak,
                },
            };
            self.case(&case, &again, i as u64)?;
        }
        Ok(())
    }

    /// Random properties of a model.
    fn drawn(&self, model: &Model) -> Vec<Property> {
        let mut random = Random::new(self.arguments.seed);
        (0..FORMULAS)
            .map(|_| draw::property(&mut random, model.program()))
            .collect()
    }

    fn case(&mut self, case: &Case, again: &str, number: u64) -> Outcome<()> {
        let is_random = self.arguments.random.is_some();
        self.tally.cases += 1;
        let known = reference(case, REFERENCE_STATES);
        // The symbolic engine has no limit of states; and where something fails, there is little to compare.
        if is_random && known.is_none() {
            self.tally.skipped += 1;
            return Ok(());
        }
        let few = match self.arguments.ways {
            Some(n) => n,
            None if is_random => FEW_WAYS,
            None => 0,
        };
        let chosen = self.chosen(few, number);
        let limits = Limits {
            states: Some(self.arguments.states),
            time: Some(self.arguments.time),
            interrupt: None,
            ..Limits::default()
        };
        let counted = RefCell::new(&mut self.tally.answered);
        let answers = |case: &Case, way: &Way| {
            let answer = answer(case, way, limits);
            if answer.holds().is_some()
                && let Some(i) = self.all.iter().position(|w| w == way)
            {
                counted.borrow_mut()[i] += 1;
            }
            answer
        };
        let compared = compare(case, &chosen, known, &answers);
        self.tally.refused += compared.refused;
        self.tally.unknown += compared.unknown;
        if let Some(holds) = compared.holds {
            self.tally.holding[usize::from(holds)] += 1;
        }
        self.disagreement(case, again, &compared, limits)?;
        if self.talk && self.tally.cases.is_multiple_of(20) {
            eprint!(
                "\r\x1b[K{} cases, {} disagreements",
                self.tally.cases, self.tally.disagreements
            );
        }
        Ok(())
    }

    /// Those in which a case is checked: the one without options, and some drawn ones, in their order.
    fn chosen(&self, few: usize, number: u64) -> Vec<Way> {
        if few == 0 || few >= self.all.len() {
            return self.all.clone();
        }
        let mut random = Random::new(self.arguments.seed.wrapping_add(number.wrapping_mul(7919)));
        let mut wanted = vec![false; self.all.len()];
        wanted[0] = true;
        let mut count = 1;
        while count < few {
            let i = random.below(self.all.len());
            count += usize::from(!wanted[i]);
            wanted[i] = true;
        }
        let all = self.all.iter().zip(wanted);
        all.filter(|(_, wanted)| *wanted)
            .map(|(way, _)| *way)
            .collect()
    }

    /// Makes a disagreement small and writes it down.
    fn disagreement(
        &mut self,
        case: &Case,
        again: &str,
        compared: &Compared,
        limits: Limits<'_>,
    ) -> Outcome<()> {
        let Some(found) = &compared.disagreement else {
            return Ok(());
        };
        self.tally.disagreements += 1;
        let involved: Vec<Way> = found.answers.iter().filter_map(|(way, _)| *way).collect();
        let answers = |case: &Case, way: &Way| answer(case, way, limits);
        let again_found = |case: &Case| {
            let known = reference(case, REFERENCE_STATES);
            let compared = compare(case, &involved, known, &answers);
            compared.disagreement.filter(|d| d.what == found.what)
        };
        let small = shrink(case, &|case| again_found(case).is_some());
        let last = again_found(&small).unwrap_or_else(|| found.clone());
        let text = bug_report(case, again, found, &small, &last);
        let name = format!("crosscheck-{}.md", self.tally.disagreements);
        let path = self.arguments.reports.join(name);
        write_file(&path, &text)?;
        if self.talk {
            progress::clear();
        }
        let what = found.what.words();
        writeln!(self.out, "{}: {what}; see {}", case.name, path.display())?;
        self.out.flush()?;
        Ok(())
    }

    fn summary(mut self) -> Outcome {
        if self.talk {
            progress::clear();
        }
        let t = &self.tally;
        let answered: u64 = t.answered.iter().sum();
        let silent = t.answered.iter().filter(|&&n| n == 0).count();
        let tried = self.all.len() - silent;
        let rows = [
            ("cases", t.cases.to_string()),
            (
                "skipped",
                format!(
                    "{} (too large for the reference, erroneous, or unreadable)",
                    t.skipped
                ),
            ),
            ("holds", t.holding[1].to_string()),
            ("violated", t.holding[0].to_string()),
            (
                "ways",
                format!("{tried} of {} came to an answer", self.all.len()),
            ),
            (
                "answers",
                format!(
                    "{answered}, and {} of no way made for it, {} without a verdict",
                    t.refused, t.unknown
                ),
            ),
            ("disagreements", t.disagreements.to_string()),
        ];
        for (name, value) in rows {
            writeln!(self.out, "{name:<15}{value}")?;
        }
        self.out.flush()?;
        match (stopped(), t.disagreements) {
            (_, 1..) => Ok(Answer::No),
            (true, 0) => Ok(Answer::Unknown),
            (false, 0) => Ok(Answer::Yes),
        }
    }
}
