//! `sempre check`: does every run of a model satisfy a property?

mod ignored;

use ignored::Given;

use super::verdicts::{Form, Showing, Verdicts, words};
use crate::failure::{Failure, Outcome};
use crate::input::{read_file, shown_name};
use crate::model_input::ModelOptions;
use crate::notices;
use crate::output::{OutputFile, OutputOptions};
use crate::picture::Picture;
use crate::run_text::Legend;
use crate::{progress, supervisor};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use sempre::base::stop::{self, Stop};
use sempre::base::{Diagnostic, Source};
use sempre::check::{
    AutomatonKind, CheckError, Checker, Engine, Fairness, Method, Property, Report, Settings,
    SymbolicAlgorithm, SymbolicSettings, Verdict, embedded, failures, several, sources,
};
use sempre::explicit::emptiness::{Algorithm, Pairs};
use sempre::explicit::explore::Progress;
use sempre::explicit::finite::Search;
use sempre::explicit::product::{Deadlock, Limits, Order};
use sempre::lang::model::Model;
use sempre::lang::pnml::read_properties;
use sempre::memory;
use sempre::report::SourceText;
use sempre::shown_run::Detail;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Check that every run of a model satisfies a property, or show one that does not
///
/// Properties are formulas of LTL whose propositions are conditions on the states of the model, `P_0.CS` or
/// `{x == 3 and y < 2}`. A run that violates one is replayed on the model and on the property before it is
/// shown. Without any property, those that the model contains are checked: the property process of a DVE file, the `ltl` blocks and
/// the never claim of a Promela file, or without these its labels `accept…`, where no run comes for ever, its assertions and its invalid end states. Status 0 holds, 1 violated, 2 bad input, 3 unknown; with several properties, 1 if any is
/// violated, else 3 if any is unknown.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    model: ModelOptions,

    #[command(flatten)]
    properties: PropertyOptions,

    /// The automaton of the violations
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto")]
    automaton: AutomatonName,

    /// Prefer a deterministic automaton to a small one
    #[arg(long)]
    deterministic: bool,

    /// The emptiness check, by its name in the literature; or the search for a bad prefix of a safety property; or, for conditions on states, `walk`
    /// (of any model) or `state-equation` (of nets)
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = algorithms())]
    algorithm: String,

    /// One state after another, sets of states as decision diagrams, or both at the same time
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "explicit")]
    engine: EngineName,

    /// What becomes of a run that ends
    #[arg(long, value_enum, value_name = "WHAT", default_value = "stutter")]
    deadlock: DeadlockName,

    /// Which runs count
    #[arg(long, value_enum, value_name = "WHICH", default_value = "none")]
    fairness: FairnessName,

    /// How many threads search, one state after another
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: u16,

    /// How several Rabin pairs are checked
    #[arg(long, value_enum, value_name = "HOW", default_value = "one-by-one")]
    pairs: PairsName,

    /// How much memory the process may take, as 50M or 2G [default: nine tenths of what is free]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_size)]
    memory: Option<usize>,

    /// How many seconds each property may take, with what reading the model took
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,

    /// Stop at the first property that does not hold; those that are not decided then are unknown
    #[arg(long)]
    fail_fast: bool,

    /// Work more for a shorter counterexample: look at up to a million states near the initial ones; otherwise up
    /// to 20,000, and none after an --algorithm that was named
    #[arg(long)]
    shorten: bool,

    /// In which order the successors of a state are followed: a search that dives without end in one order may come up
    /// soon in another
    #[arg(long, value_enum, value_name = "ORDER", default_value = "model")]
    order: OrderName,

    /// The seed of a drawn order
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Say why the check was done in this way
    #[arg(long)]
    explain: bool,

    /// Show states in full, also those of hundreds of variables, which are folded otherwise
    #[arg(long)]
    full: bool,

    /// Write the counterexamples into FILE, one JSON object on a line
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    trace: Option<PathBuf>,

    /// Write a page for a browser into FILE: each counterexample as a timeline with the truth of each part of the property,
    /// the automaton, what was counted, and why it was done so
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    report: Option<PathBuf>,

    /// Interpret the model instead of compiling it
    #[arg(long)]
    no_jit: bool,

    /// The format of the results
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Print the lines of the Model Checking Contest: FORMULA name TRUE|FALSE|CANNOT_COMPUTE
    #[arg(long, conflicts_with = "format")]
    mcc: bool,

    /// No progress line, no warnings and no notes
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    output: OutputOptions,
}

impl Arguments {
    /// What matters to options that may have no effect.
    fn given(&self) -> Given {
        let is_drawn = !matches!(self.order, OrderName::Model);
        Given {
            symbolic: self.engine == EngineName::Symbolic,
            method: Method::ALL.iter().any(|(_, name)| *name == self.algorithm),
            mcc: self.mcc,
            picture: matches!(self.format, Format::Msc | Format::Trail),
            drawn: is_drawn,
            workers: self.workers > 1,
            order: is_drawn,
            seed: self.seed != 1,
            shorten: self.shorten,
            no_jit: self.no_jit,
            full: self.full && self.trace.is_none(),
            explain: self.explain,
        }
    }
}

/// The options that say what to check.
#[derive(Args, Clone, Debug)]
pub struct PropertyOptions {
    /// Formulas that every run must satisfy, one per argument
    #[arg(value_name = "FORMULA")]
    formulas: Vec<String>,

    /// Read properties from FILE: formulas, one on a line, perhaps with a name and a colon in front, `#` starts a
    /// comment; or the XML of the Model Checking Contest
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    property: Vec<PathBuf>,

    /// Read automata from FILE, in the Hanoi format or never claims, each of which accepts the runs that *violate* a
    /// property; their propositions are conditions on states
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    violation: Vec<PathBuf>,

    /// Of the properties that are read, or that the model contains, check the one of this name; several times, several
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Check that none of these processes comes to a standstill while others move, or nothing does: each takes part in infinitely many
    /// steps of every run that counts (see --fairness)
    #[arg(long, value_name = "PROCESS", num_args = 1..)]
    non_progress: Vec<String>,
}

impl PropertyOptions {
    /// Is nothing asked for?
    pub fn is_empty(&self) -> bool {
        self.formulas.is_empty()
            && self.property.is_empty()
            && self.violation.is_empty()
            && self.non_progress.is_empty()
    }

    /// All properties, in the order of the command line, or those of the model itself. If anything is wrong with one, nothing is
    /// checked. `file` is what the model's file is called.
    pub fn read(&self, model: &Model, file: &str) -> Outcome<Vec<Property>> {
        properties(self, model, file)
    }
}

/// The automata.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum AutomatonName {
    /// What suits the check
    Auto,
    /// Generalised Büchi acceptance on edges
    Tgba,
    /// Büchi acceptance on states
    Ba,
    /// Testing automata, which observe changes; for properties that do not count repetitions
    Ta,
    /// Testing automata with generalised acceptance on edges
    Tgta,
    /// Generalised Rabin acceptance on edges
    Tgra,
    /// Any acceptance on edges, as it is given or as makes it small
    Tela,
    /// A disjunction of generalised Büchi conditions on edges
    Finless,
    /// Parity acceptance on edges
    Parity,
    /// Deterministic finite automata of bad prefixes; for safety properties
    Dfa,
    /// Nondeterministic ones
    Nfa,
}

/// The engines.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum EngineName {
    /// One state after another
    Explicit,
    /// Sets of states
    Symbolic,
    /// Both, each with half of the memory, unless an option or the model fits one alone: the explicit engine begins, and the first answer is
    /// taken. The verdict does not depend on who is first; the counterexample may
    Auto,
}

/// What becomes of runs that end.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum DeadlockName {
    /// It repeats its last state for ever
    Stutter,
    /// It does not count
    Drop,
}

/// How Rabin pairs are checked.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum PairsName {
    /// One after the other, by all threads
    OneByOne,
    /// At the same time, with the threads divided evenly
    Parallel,
}

impl From<PairsName> for Pairs {
    fn from(name: PairsName) -> Self {
        match name {
            PairsName::OneByOne => Pairs::OneByOne,
            PairsName::Parallel => Pairs::Parallel,
        }
    }
}

/// Orders of successors.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum OrderName {
    /// That of the model
    Model,
    /// Drawn for each state
    Shuffled,
    /// Drawn for all actions, once
    Permuted,
    /// Those first that are nearest to what would violate the property
    Directed,
}

/// Which runs count.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum FairnessName {
    /// All
    None,
    /// Those in which no process can move for ever without ever doing so
    Weak,
    /// The same for each transition of the model, as of a net
    WeakTransitions,
}

/// The formats.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// For people
    Text,
    /// One object on a line for each property
    Json,
    /// For people, with counterexamples as message sequence charts
    Msc,
    /// For people, with counterexamples as `spin -t -p` tells them; of Promela models
    Trail,
}

/// Names of algorithms that have changed: accepted, and not listed.
pub const RENAMED: [(&str, &str); 2] = [("dive", "partial"), ("climb", "directed")];

/// The names of the emptiness checks and searches, which the engines list.
fn algorithms() -> impl TypedValueParser<Value = String> {
    let names = Algorithm::ALL.iter().map(|(_, name)| *name);
    let searches = Search::ALL.iter().map(|(_, name)| *name);
    let symbolic = SymbolicAlgorithm::ALL.iter().map(|(_, name)| *name);
    let methods = Method::ALL.iter().map(|(_, name)| *name);
    let all = ["auto"]
        .into_iter()
        .chain(names)
        .chain(searches)
        .chain(symbolic)
        .chain(methods);
    let former = |name: &str| RENAMED.iter().find(|(_, new)| *new == name);
    let values = all.map(move |name| match former(name) {
        Some((old, _)) => PossibleValue::new(name).alias(*old),
        None => PossibleValue::new(name),
    });
    PossibleValuesParser::new(values).map(|name| {
        let new = RENAMED.iter().find(|(old, _)| *old == name);
        new.map_or(name, |(_, new)| (*new).to_string())
    })
}

/// Reads a time, in seconds or with a unit; `Duration` would panic at what it cannot hold.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let units = [
        ("ms", 0.001),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
        ("", 1.0),
    ];
    let number = units.iter().find_map(|&(unit, seconds)| {
        let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(number * seconds)
    });
    let number = number.ok_or_else(|| {
        format!(
            "`{text}` is not a time: a number of seconds, or with a unit as 500ms, 90s, 5m or 1h"
        )
    })?;
    Duration::try_from_secs_f64(number).map_err(|e| e.to_string())
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let begin = Instant::now();
    for (option, why) in ignored::ignored(arguments.given()) {
        notices::warn(&format!("{option} has no effect: {why}"));
    }
    let deadline = supervisor::reading_deadline(arguments.time);
    let memory = arguments.memory.or_else(memory::default_budget);
    supervisor::limit_memory(memory);
    let model = arguments.model.read_with_text(deadline);
    if arguments.mcc && matches!(model, Err(Failure::Stopped(..))) {
        not_computed(arguments)?;
    }
    let (model, text) = model?;
    // Only the page needs it.
    let text = arguments.report.is_some().then_some(text);
    let picture = match arguments.format {
        Format::Text | Format::Json => None,
        Format::Msc => Some(Picture::chart(&model)),
        Format::Trail => Some(Picture::trail(&model, &arguments.model.file())?),
    };
    let file = arguments.model.file();
    let properties = supervisor::step("reading the properties", deadline, || {
        arguments.properties.read(&model, &file)
    })?;
    let fairness = match arguments.fairness {
        FairnessName::None => Fairness::None,
        FairnessName::Weak => Fairness::Weak,
        FairnessName::WeakTransitions => Fairness::WeakTransitions,
    };
    let symbolic = SymbolicAlgorithm::ALL
        .iter()
        .find(|(_, name)| *name == arguments.algorithm);
    let engine = match arguments.engine {
        EngineName::Explicit => Engine::Explicit,
        EngineName::Symbolic => Engine::Symbolic,
        EngineName::Auto => Engine::Auto,
    };
    let method = (Method::ALL.iter())
        .find(|(_, name)| *name == arguments.algorithm)
        .map(|(method, _)| *method);
    if engine == Engine::Symbolic
        && symbolic.is_none()
        && method.is_none()
        && arguments.algorithm != "auto"
    {
        let text = "the symbolic engine has four algorithms, owcty, bounded, partial and directed, which take turns unless one is named";
        return Err(Failure::Message(text.to_string()));
    }
    if let Some((_, name)) = symbolic
        && engine == Engine::Explicit
    {
        let text = format!(
            "algorithm {name} belongs to the symbolic engine: add --engine symbolic or auto"
        );
        return Err(Failure::Message(text));
    }
    let checker = supervisor::step("preparing the model", deadline, || {
        Checker::new(model.program(), fairness).map_err(told)
    })?;
    let talk = progress::wanted(arguments.quiet);
    let time = arguments.time.map(|t| t.saturating_sub(begin.elapsed()));
    let budget = progress::Budget { time, memory };
    let show = |p: &Progress| budget.show(p);
    let show_nodes = |p: &sempre::symbolic::reach::Progress| budget.show_nodes(p);
    let settings = Settings {
        automaton: match arguments.automaton {
            AutomatonName::Auto => None,
            AutomatonName::Tgba => Some(AutomatonKind::Tgba),
            AutomatonName::Ba => Some(AutomatonKind::Ba),
            AutomatonName::Ta => Some(AutomatonKind::Ta),
            AutomatonName::Tgta => Some(AutomatonKind::Tgta),
            AutomatonName::Tgra => Some(AutomatonKind::Tgra),
            AutomatonName::Tela => Some(AutomatonKind::Tela),
            AutomatonName::Finless => Some(AutomatonKind::FinLess),
            AutomatonName::Parity => Some(AutomatonKind::Parity),
            AutomatonName::Dfa => Some(AutomatonKind::Dfa),
            AutomatonName::Nfa => Some(AutomatonKind::Nfa),
        },
        deterministic: arguments.deterministic,
        algorithm: (Algorithm::ALL.iter())
            .find(|(_, name)| *name == arguments.algorithm)
            .map(|(algorithm, _)| *algorithm),
        search: (Search::ALL.iter())
            .find(|(_, name)| *name == arguments.algorithm)
            .map(|(search, _)| *search),
        method,
        deadlock: match arguments.deadlock {
            DeadlockName::Stutter => Deadlock::Stutter,
            DeadlockName::Drop => Deadlock::Drop,
        },
        shorten: arguments.shorten,
        order: match arguments.order {
            OrderName::Model => Order::System,
            OrderName::Shuffled => Order::Shuffled(arguments.seed),
            OrderName::Permuted => Order::Permuted(arguments.seed),
            OrderName::Directed => Order::Directed(arguments.seed),
        },
        workers: usize::from(arguments.workers),
        pairs: arguments.pairs.into(),
        compile: !arguments.no_jit,
        engine,
        symbolic: SymbolicSettings {
            interrupt: None,
            progress: if talk { Some(&show_nodes) } else { None },
            algorithm: symbolic.map_or(SymbolicAlgorithm::Turns, |(algorithm, _)| *algorithm),
            ..SymbolicSettings::default()
        },
        limits: Limits {
            memory,
            time,
            states: None,
            interrupt: None,
            progress: if talk { Some(&show) } else { None },
        },
        ..Settings::default()
    };
    // The states of the model are the same for all properties: where one property needed them, they are found once for the rest. They are
    // kept beside what the engines take, and have as much of the memory as each of these.
    let parts = if engine == Engine::Auto { 3 } else { 2 };
    let part_of_memory = |number: usize| Settings {
        limits: Limits {
            memory: settings.limits.memory.map(|m| m / parts * number),
            ..settings.limits
        },
        ..settings
    };
    let mut needs_all = settings.symbolic.algorithm == SymbolicAlgorithm::Owcty;
    let mut prepared = None;
    // Where one cannot write is told before the search.
    let create = |path: &Option<PathBuf>| match path {
        Some(path) => OutputFile::create(path).map(Some),
        None => Ok(None),
    };
    let traces = create(&arguments.trace)?;
    let report_file = create(&arguments.report)?;
    let legend = Legend::new(&model);
    let showing = Showing {
        model: &model,
        file: &file,
        legend: &legend,
        palette: arguments.output.palette(),
        source: text.as_ref().map(|text| SourceText {
            name: &file,
            text,
            model: &model,
        }),
        properties: &properties,
        settings: &settings,
        fairness,
        picture: picture.as_ref(),
        form: match arguments.format {
            _ if arguments.mcc => Form::Contest,
            Format::Json => Form::Json,
            Format::Text | Format::Msc | Format::Trail => Form::Text,
        },
        explain: arguments.explain,
        detail: match arguments.full {
            true => Detail::Full,
            false => Detail::Folded,
        },
    };
    let out = arguments.output.open()?;
    let mut verdicts = Verdicts::new(showing, out, traces, report_file.is_some());
    let fail_fast = arguments.fail_fast;
    let spent = share(&checker, &properties, &settings, fail_fast, &mut verdicts)?;
    for (i, property) in properties.iter().enumerate() {
        if verdicts.is_known(i) {
            continue;
        }
        if let Some(by) = verdicts.violated().filter(|_| fail_fast) {
            verdicts.tell(i, Ok(several::not_checked(&settings, by)))?;
            continue;
        }
        let what = format!("checking {}", property.name);
        let begin = Instant::now();
        let time = (settings.limits.time).map(|time| time.saturating_sub(spent));
        let deadline = time.and_then(|t| begin.checked_add(t));
        let deadline = supervisor::after(deadline);
        if needs_all && prepared.is_none() && i + 1 < properties.len() {
            let states = supervisor::search(&what, deadline, || {
                checker.prepare_symbolically(&part_of_memory(1))
            });
            prepared = states.unwrap_or(Ok(None)).map_err(told)?;
            needs_all = prepared
                .as_mut()
                .map(|states| states.clear_caches())
                .is_some();
        }
        let report = supervisor::search(&what, deadline, || {
            let mut own = match &prepared {
                None => settings,
                Some(_) => part_of_memory(parts - 1),
            };
            own.symbolic.prepared = prepared.as_ref();
            own.limits.time = time;
            checker.check(property, &own)
        });
        let report = report.unwrap_or_else(|stop| {
            Ok(Report {
                elapsed: begin.elapsed(),
                ..Report::unknown(&settings, stop.into())
            })
        });
        if stop::requested() == Some(Stop::Memory) {
            supervisor::recover();
        }
        if let Ok(report) = &report {
            let is_known = !matches!(report.verdict, Verdict::Unknown(_));
            // A question about a net is asked of the part that matters to it.
            needs_all |= is_known
                && report.net.is_none()
                && report
                    .symbolic
                    .as_ref()
                    .is_some_and(|s| s.algorithm == SymbolicAlgorithm::Owcty);
        }
        verdicts.tell(i, report)?;
    }
    verdicts.finding(&checker)?;
    verdicts.finish(report_file)
}

/// Checks the properties that can share an exploration of the model. The result is the time that this took from the others.
fn share(
    checker: &Checker,
    properties: &[Property],
    settings: &Settings<'_>,
    fail_fast: bool,
    verdicts: &mut Verdicts<'_>,
) -> Outcome<Duration> {
    let what = match properties {
        [property] => format!("checking {}", property.name),
        _ => "checking the properties together".to_string(),
    };
    // Each has its time: the searches look at it.
    let many = u32::try_from(properties.len()).unwrap_or(u32::MAX);
    let time = settings.limits.time.and_then(|t| t.checked_mul(many));
    let deadline = supervisor::after(time.and_then(|t| Instant::now().checked_add(t)));
    let mut problem = None;
    let begin = Instant::now();
    let spent = supervisor::search(&what, deadline, || {
        checker.check_shared(properties, settings, fail_fast, &mut |i, result| {
            if let Err(error) = verdicts.tell(i, result) {
                problem.get_or_insert(error);
            }
        })
    });
    if stop::requested() == Some(Stop::Memory) {
        supervisor::recover();
    }
    match problem {
        Some(problem) => Err(problem),
        None => Ok(spent.unwrap_or_else(|_| begin.elapsed())),
    }
}

/// Says of the contest's properties that they were not checked, without a model.
fn not_computed(arguments: &Arguments) -> Outcome<()> {
    let mut out = arguments.output.open()?;
    for path in &arguments.properties.property {
        let properties = read_properties(&read_file(path)?).unwrap_or_default();
        for property in properties {
            writeln!(out, "FORMULA {} CANNOT_COMPUTE", property.id)?;
        }
    }
    out.flush()?;
    Ok(())
}

fn told(error: CheckError) -> Failure {
    Failure::Message(words(error))
}

fn properties(arguments: &PropertyOptions, model: &Model, file: &str) -> Outcome<Vec<Property>> {
    let mut all = Properties::default();
    for (i, text) in arguments.formulas.iter().enumerate() {
        let name = match arguments.formulas.len() {
            1 => "formula".to_string(),
            _ => format!("formula {}", i + 1),
        };
        all.add(&name, text, sources::formula(model, text).map(|p| vec![p]));
    }
    for path in &arguments.property {
        let text = read_file(path)?;
        all.add(&shown_name(path), &text, sources::file(model, &text));
    }
    for path in &arguments.violation {
        let text = read_file(path)?;
        let title = stem(path);
        all.add(
            &shown_name(path),
            &text,
            sources::violations(model, &title, &text),
        );
    }
    if all.complaints {
        return Err(Failure::Shown);
    }
    if !arguments.non_progress.is_empty() {
        let progress = sources::progress(model, &arguments.non_progress);
        all.list.push(progress.map_err(Failure::Message)?);
    }
    let own = all.list.is_empty();
    if own {
        for (name, formula) in model.formulas() {
            let read = sources::formula(model, formula).map(|mut property| {
                property.name.clone_from(name);
                vec![property]
            });
            all.add(name, formula, read);
        }
        if all.complaints {
            return Err(Failure::Shown);
        }
    }
    let failures = failures::of_model(model).filter(|_| own && !model.states_properties());
    if all.list.is_empty() && failures.is_none() || own && model.property().is_some() {
        let process = model.property().ok_or_else(|| {
            Failure::Message(format!(
                "no property: give a formula after the model, `sempre check {file} 'G(p -> F q)'`, a file of them with \
                 --property, or an automaton of the violations with --violation; the model contains none itself"
            ))
        })?;
        let known =
            |name: &String| *name == process.name || all.list.iter().any(|p| p.name == *name);
        let is_wanted = arguments.only.is_empty() || arguments.only.contains(&process.name);
        if is_wanted || !arguments.only.iter().all(known) {
            let property = embedded::property(process).map_err(Failure::Message)?;
            all.list.push(property);
        }
    }
    all.list.extend(failures);
    let list = sources::only(all.list, &arguments.only).map_err(Failure::Message)?;
    for (name, count) in repeated(&list) {
        notices::warn(&format!(
            "{count} properties are called `{name}`: their results have the same name"
        ));
    }
    Ok(list)
}

/// The names that several properties have, each with how many these are.
fn repeated(list: &[Property]) -> Vec<(&str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for property in list {
        *counts.entry(&property.name).or_default() += 1;
    }
    counts.into_iter().filter(|&(_, n)| n > 1).collect()
}

/// Properties and whether there were complaints.
#[derive(Default)]
struct Properties {
    list: Vec<Property>,
    complaints: bool,
}

impl Properties {
    fn add(&mut self, name: &str, text: &str, read: Result<Vec<Property>, Vec<Diagnostic>>) {
        let source = Source::new(name, text);
        match read {
            Ok(properties) => {
                for property in properties {
                    notices::show_about(Some(&property.name), &source, &property.warnings);
                    self.list.push(property);
                }
            }
            Err(complaints) => {
                notices::show(&source, &complaints);
                self.complaints = true;
            }
        }
    }
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .map_or_else(|| shown_name(path), |s| s.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, milliseconds) in [
            ("3", 3000),
            ("0.5", 500),
            ("3s", 3000),
            ("250ms", 250),
            ("1.5m", 90_000),
            ("2h", 7_200_000),
        ] {
            assert_eq!(
                seconds(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for text in [
            "",
            "s",
            "m",
            "3x",
            "3 minutes",
            "-1",
            "-1s",
            "NaN",
            "1e300h",
            "inf",
        ] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
