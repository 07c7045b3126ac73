//! `sempre bench`: the experiments of the papers.

use crate::failure::{Answer, Failure, Outcome};
use crate::output::{OutputOptions, write_file};
use clap::{Args, Subcommand, ValueEnum};
use sempre::cross::external::{Scratch, Template};
use sempre::experiments::emptiness::{self, Parameters};
use sempre::experiments::emptiness_models::{self, Originals};
use sempre::experiments::page::{Chart, Table};
use sempre::experiments::rabin::{Bench, Parameters as RabinParameters};
use sempre::experiments::safety::{self, Parameters as SafetyParameters};
use sempre::experiments::safety_formulas::{self, Others};
use sempre::experiments::safety_models::SafetyModel;
use sempre::experiments::symbolic::{self, Parameters as SymbolicParameters};
use sempre::experiments::testing_automata::{self, Parameters as TestingParameters};
use sempre::experiments::{rabin_tables, reference_set};
use sempre::lang::model::{Language, Model};
use sempre::memory;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run the experiments of the papers again, and print their tables
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand, Debug)]
enum Experiment {
    Emptiness(EmptinessArguments),
    Rabin(RabinArguments),
    Safety(SafetyArguments),
    Symbolic(SymbolicArguments),
    TestingAutomata(TestingArguments),
}

/// Compare testing automata with Büchi automata on Petri nets (SUMo 2011)
///
/// FMS, Kanban, philosophers and slotted ring, and nets given, against random formulas and random formulas under weak fairness:
/// sizes of automata, products and of what the check explores, for BA, TGBA, TA and TGTA.
#[derive(Args, Debug)]
struct TestingArguments {
    /// Formulas that hold, and as many that are violated, for each net and class
    #[arg(long, value_name = "N", default_value_t = TestingParameters::default().formulas)]
    formulas: usize,

    /// Leave out a formula whose check takes longer
    #[arg(long, value_name = "SECONDS", value_parser = super::check::seconds, default_value = "20")]
    time: Duration,

    /// The seed
    #[arg(long, value_name = "N", default_value_t = TestingParameters::default().seed)]
    seed: u64,

    /// Only these nets: FMS5, Kanban5, Philo8, Ring6, or files
    #[arg(value_name = "NET")]
    nets: Vec<String>,

    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    output: OutputOptions,
}

/// Compare TGBA and TGTA by decision diagrams, with and without saturation (TACAS 2014)
///
/// Without files, the states of Petri nets that grow are counted. With a table of pairs, each pair is checked in five ways: time,
/// peak number of nodes, who is better. Verdicts must agree with each other and with those of the table.
#[derive(Args, Debug)]
struct SymbolicArguments {
    /// Check pairs of a model and a formula: columns `model`, `formula` and perhaps `verdict`, with tabs between them
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "models")]
    pairs: Option<PathBuf>,

    /// Where the models of the pairs are, as DVE files
    #[arg(long, value_name = "DIRECTORY", value_hint = clap::ValueHint::DirPath)]
    models: Option<PathBuf>,

    /// Only these models
    #[arg(long = "model", value_name = "NAME")]
    only: Vec<String>,

    /// So many pairs, spread over the models
    #[arg(long, value_name = "N", default_value_t = 150)]
    count: usize,

    /// The most time for a check
    #[arg(long, value_name = "SECONDS", value_parser = super::check::seconds, default_value = "20")]
    time: Duration,

    /// The most time for the states of a model
    #[arg(long, value_name = "SECONDS", value_parser = super::check::seconds, default_value = "300")]
    model_time: Duration,

    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    output: OutputOptions,
}

/// Compare finite automata with Büchi automata for safety properties (SPIN 2003)
///
/// Formulas: random syntactically safe formulas of length 5 to 22, sizes, times and products. Kinds: how many random formulas
/// are pathological, and the time to find out. Models: Peterson's algorithm, a sliding window, the sieve of
/// Eratosthenes, beside the paper's Table 1.
#[derive(Args, Debug)]
struct SafetyArguments {
    /// Only these parts
    #[arg(long = "part", value_enum, value_name = "PART")]
    parts: Vec<SafetyPart>,

    /// Formulas of each length; the paper has 1000
    #[arg(long, value_name = "N", default_value_t = SafetyParameters::default().formulas)]
    formulas: usize,

    /// The seed
    #[arg(long, value_name = "N", default_value_t = SafetyParameters::default().seed)]
    seed: u64,

    /// The most time for a check of a model, and for another translator and a formula
    #[arg(long, value_name = "SECONDS", value_parser = super::check::seconds, default_value = "20")]
    time: Duration,

    /// The most states of a product with a model
    #[arg(long, value_name = "N", default_value_t = SafetyParameters::default().states)]
    states: u64,

    /// Only these models: `peterson(N)`, `sliding(WINDOW,CAPACITY)`, `sieve(N,GAPS)`, with any
    /// parameters instead of the paper's
    #[arg(long = "model", value_name = "MODEL", value_parser = safety_model)]
    models: Vec<SafetyModel>,

    /// Compare with another translator, too: a command with `%s`, `%f` or `%l` for the formula in the syntax of SPIN, Spot or
    /// LBT, as `ltl2ba -f %s`
    #[arg(long = "translator", value_name = "COMMAND", value_parser = Others::command)]
    translators: Vec<(String, Template)>,

    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    output: OutputOptions,
}

/// A model by its name.
fn safety_model(text: &str) -> Result<SafetyModel, String> {
    SafetyModel::parse(text).ok_or_else(|| {
        "expected peterson(2..8), sliding(1..8,1..8) or sieve(5..255,1..)".to_string()
    })
}

/// The parts of the experiment on safety.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum SafetyPart {
    /// Sizes of automata of random formulas
    Formulas,
    /// Pathological formulas
    Kinds,
    /// Models
    Models,
}

/// Compare emptiness checks on random graphs and on models (SPIN 2005)
///
/// Tables 1 and 4: random graphs against random formulas and formulas of the literature. Table 2: an election in a
/// network. Table 3: clients and servers, without and with weak fairness. With the default sizes, those of the
/// paper, tables 1 and 4 take some minutes.
#[derive(Args, Debug)]
struct EmptinessArguments {
    /// Only these tables
    #[arg(long = "table", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    tables: Vec<u8>,

    /// Number of random graphs for each density
    #[arg(long, value_name = "N", default_value_t = Parameters::default().graphs)]
    graphs: usize,

    /// Number of states of a graph
    #[arg(long, value_name = "N", default_value_t = Parameters::default().states)]
    states: usize,

    /// Number of random formulas
    #[arg(long, value_name = "N", default_value_t = Parameters::default().formulas)]
    formulas: usize,

    /// For tables 2 and 3: the folder with the Promela models of the paper, instead of ours in DVE
    #[arg(long, value_name = "DIRECTORY", value_hint = clap::ValueHint::DirPath)]
    models: Option<PathBuf>,

    /// The seed of graphs and formulas
    #[arg(long, value_name = "N", default_value_t = Parameters::default().seed)]
    seed: u64,

    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    output: OutputOptions,
}

/// Compare generalised Rabin and Fin-less automata with generalised Büchi automata (STTT 2019)
///
/// Each formula becomes a TGBA and a Fin-less automaton, checked by ufscc, and generalised Rabin automata, deterministic and not,
/// checked by favoid; automata of other tools in the folder are checked, too. Tables 4 to 7 and figures 6 to 9 of the paper.
#[derive(Args, Debug)]
struct RabinArguments {
    /// Folders with formulas.tsv, the models that it names, and perhaps automata in hoa/
    #[arg(value_name = "FOLDER", required = true, value_hint = clap::ValueHint::DirPath)]
    folders: Vec<PathBuf>,

    /// Formulas from each folder, half of which hold
    #[arg(long, value_name = "N", default_value_t = 100)]
    sample: usize,

    /// Leave out formulas whose published product has more states
    #[arg(long, value_name = "N", default_value_t = 3_000_000)]
    most_states: u64,

    /// The seed of the choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How many threads search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: u16,

    /// How several Rabin pairs are checked
    #[arg(long, value_enum, value_name = "HOW", default_value = "one-by-one")]
    pairs: super::check::PairsName,

    /// Give up a translation or a check that takes longer
    #[arg(long, value_name = "SECONDS", value_parser = super::check::seconds, default_value = "60")]
    time: Duration,

    /// How much memory states may take, as 50M or 2G [default: nine tenths of what is free]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_size)]
    memory: Option<usize>,

    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    output: OutputOptions,
}

/// Where tables go besides.
#[derive(Args, Debug)]
struct Files {
    /// Write the tables as comma-separated values into DIRECTORY, a file each
    #[arg(long, value_name = "DIRECTORY", value_hint = clap::ValueHint::DirPath)]
    csv: Option<PathBuf>,

    /// Write a page with tables and charts into FILE
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    page: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    match &arguments.experiment {
        Experiment::Emptiness(arguments) => emptiness(arguments),
        Experiment::Rabin(arguments) => rabin(arguments),
        Experiment::Safety(arguments) => safety(arguments),
        Experiment::Symbolic(arguments) => symbolic(arguments),
        Experiment::TestingAutomata(arguments) => testing(arguments),
    }
}

fn safety(arguments: &SafetyArguments) -> Outcome {
    let parameters = SafetyParameters {
        formulas: arguments.formulas,
        seed: arguments.seed,
        time: arguments.time,
        states: arguments.states,
    };
    let wanted = |part| arguments.parts.is_empty() || arguments.parts.contains(&part);
    let talk = std::io::stderr().is_terminal();
    let tell = |what: &str| {
        if talk {
            eprint!("\r\x1b[K{what}");
        }
    };
    let mut parts: Vec<(String, (Table, Vec<Chart>))> = Vec::new();
    if wanted(SafetyPart::Formulas) {
        let others = Others {
            commands: arguments.translators.clone(),
            time: arguments.time,
            scratch: Scratch::new().map_err(|e| Failure::Message(e.to_string()))?,
        };
        let mut results = Vec::new();
        for length in safety::LENGTHS {
            tell(&format!("formulas of length {length}"));
            results.push(safety_formulas::run_length(length, &parameters, &others));
        }
        let names = ["formulas", "ratios", "intentional"].map(String::from);
        parts.extend(
            names
                .into_iter()
                .zip(safety_formulas::lengths(&results, &others)),
        );
    }
    if wanted(SafetyPart::Kinds) {
        let mut results = Vec::new();
        for length in safety::LENGTHS {
            tell(&format!("kinds of formulas of length {length}"));
            results.push(safety::run_kinds(length, &parameters));
        }
        parts.push(("kinds".into(), safety::kinds(&results)));
    }
    if wanted(SafetyPart::Models) {
        let mut rows = Vec::new();
        let models = match arguments.models.is_empty() {
            true => safety::models(),
            false => arguments.models.clone(),
        };
        for model in models {
            tell(&model.name);
            rows.extend(safety::run_model(&model, &parameters).map_err(Failure::Message)?);
        }
        parts.push(("models".into(), (safety::model_table(rows), Vec::new())));
    }
    tell("");
    publish(
        &named(&parts),
        || safety::page(drawn(parts.clone()), &parameters).to_html(),
        &arguments.files,
        &arguments.output,
    )
}

fn symbolic(arguments: &SymbolicArguments) -> Outcome {
    let parameters = SymbolicParameters {
        time: arguments.time,
        model_time: arguments.model_time,
        ..SymbolicParameters::default()
    };
    let talk = std::io::stderr().is_terminal();
    let tell = |what: &str| {
        if talk {
            eprint!("\r\x1b[K{what}");
        }
    };
    let mut parts = Vec::new();
    if let (Some(path), Some(folder)) = (&arguments.pairs, &arguments.models) {
        let text = crate::input::read_file(path)?;
        let mut all = symbolic::pairs(&text).map_err(Failure::Message)?;
        if !arguments.only.is_empty() {
            all.retain(|p| arguments.only.contains(&p.model));
        }
        let chosen = symbolic::spread(&all, arguments.count);
        let mut names: Vec<&str> = chosen.iter().map(|p| p.model.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let mut models = Vec::new();
        for name in names {
            let text = crate::input::read_file(&folder.join(format!("{name}.dve")))?;
            let (model, _) = Model::read(Language::Dve, name, &text)
                .map_err(|e| Failure::Message(format!("{name}: {}", e[0].message)))?;
            let mine: Vec<_> = chosen.iter().filter(|p| p.model == name).cloned().collect();
            let mut progress = |done: usize| tell(&format!("{name}: {done} of {}", mine.len()));
            let rows = symbolic::run_model(name, &model, &mine, &parameters, &mut progress);
            models.push(rows.map_err(Failure::Message)?);
        }
        parts = symbolic::tables(&models, &parameters);
    }
    if arguments.pairs.is_none() {
        parts.push((
            "nets",
            symbolic::nets(&parameters, &mut |net| tell(net)),
            Vec::new(),
        ));
    }
    tell("");
    let tables: Vec<(String, Table)> = (parts.iter())
        .map(|(name, table, _)| (name.to_string(), table.clone()))
        .collect();
    let page = || {
        let (page, scatters) = symbolic::page(parts, &parameters);
        page.to_html_with(&scatters)
    };
    publish(&tables, page, &arguments.files, &arguments.output)
}

fn emptiness(arguments: &EmptinessArguments) -> Outcome {
    let parameters = Parameters {
        states: arguments.states,
        graphs: arguments.graphs,
        formulas: arguments.formulas,
        seed: arguments.seed,
    };
    let wanted = |table: u8| arguments.tables.is_empty() || arguments.tables.contains(&table);
    let memory = |_| Failure::Message("out of memory".to_string());
    let originals = match &arguments.models {
        Some(folder) => Some(Originals::read(folder).map_err(Failure::Message)?),
        None => None,
    };
    let mut parts: Vec<(String, (Table, Vec<Chart>))> = Vec::new();
    if wanted(1) || wanted(4) {
        let setups = emptiness::setups();
        let talk = std::io::stderr().is_terminal();
        let mut results = Vec::new();
        for (i, &setup) in setups.iter().enumerate() {
            let mut progress = |graph: usize| {
                if talk {
                    eprint!("\r\x1b[Ksetup {} of {}, graph {graph}", i + 1, setups.len());
                }
            };
            results.push(emptiness::run_setup(setup, &parameters, &mut progress).map_err(memory)?);
        }
        if talk {
            eprint!("\r\x1b[K");
        }
        if wanted(1) {
            parts.push(("table1".into(), emptiness::table_1(&results)));
        }
        if wanted(4) {
            parts.push(("table4".into(), emptiness::table_4(&results)));
        }
    }
    if wanted(2) {
        let table = emptiness_models::table_2(originals.as_ref()).map_err(Failure::Message)?;
        parts.push(("table2".into(), (table, Vec::new())));
    }
    if wanted(3) {
        let table = emptiness_models::table_3(originals.as_ref()).map_err(Failure::Message)?;
        parts.push(("table3".into(), (table, Vec::new())));
    }
    parts.sort_by(|a, b| a.0.cmp(&b.0));
    publish(
        &named(&parts),
        || emptiness::page(drawn(parts.clone()), &parameters).to_html(),
        &arguments.files,
        &arguments.output,
    )
}

fn testing(arguments: &TestingArguments) -> Outcome {
    let parameters = TestingParameters {
        formulas: arguments.formulas,
        time: arguments.time,
        seed: arguments.seed,
        ..TestingParameters::default()
    };
    let known = testing_automata::nets();
    let mut nets: Vec<(String, String)> = Vec::new();
    for name in &arguments.nets {
        match known.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)) {
            Some((name, text)) => nets.push((name.to_string(), text.to_string())),
            None => {
                let path = Path::new(name);
                let title = path
                    .file_stem()
                    .map_or(name.clone(), |s| s.to_string_lossy().into());
                nets.push((title, crate::input::read_file(path)?));
            }
        }
    }
    if nets.is_empty() {
        nets = known.map(|(n, t)| (n.to_string(), t.to_string())).to_vec();
    }
    let talk = std::io::stderr().is_terminal();
    let mut groups = Vec::new();
    for (name, text) in &nets {
        for class in testing_automata::CLASSES {
            let mut progress = |tried: usize, found: usize| {
                if talk {
                    eprint!("\r\x1b[K{name} {class}: {tried} formulas tried, {found} found");
                }
            };
            let net = (name.as_str(), text.as_str());
            let group = testing_automata::run_group(net, class, &parameters, &mut progress)
                .map_err(Failure::Message)?;
            groups.push(group);
        }
    }
    if talk {
        eprint!("\r\x1b[K");
    }
    let parts: Vec<_> = (["verified", "violated"].map(String::from).into_iter())
        .zip(testing_automata::tables(&groups))
        .collect();
    publish(
        &named(&parts),
        || testing_automata::page(drawn(parts.clone()), &parameters).to_html(),
        &arguments.files,
        &arguments.output,
    )
}

fn rabin(arguments: &RabinArguments) -> Outcome {
    let parameters = RabinParameters {
        workers: usize::from(arguments.workers),
        time: arguments.time,
        memory: arguments.memory.or_else(memory::default_budget),
        pairs: arguments.pairs.into(),
    };
    let talk = std::io::stderr().is_terminal();
    let mut bench = Bench::new(parameters);
    let mut rows = Vec::new();
    for folder in &arguments.folders {
        let name = folder.file_name().map_or_else(
            || folder.display().to_string(),
            |n| n.to_string_lossy().into_owned(),
        );
        let all = reference_set::read(folder).map_err(Failure::Message)?;
        let (most, seed) = (arguments.most_states, arguments.seed);
        let chosen = reference_set::sample(all, arguments.sample, most, seed);
        for (i, experiment) in chosen.iter().enumerate() {
            if talk {
                let (model, id) = (&experiment.model, &experiment.id);
                eprint!("\r\x1b[K{name} {} of {}: {model} {id}", i + 1, chosen.len());
            }
            rows.push(bench.run(&name, experiment).map_err(Failure::Message)?);
        }
    }
    if talk {
        eprint!("\r\x1b[K");
    }
    let (tables, page, plots) = rabin_tables::results(&rows, &parameters);
    let page = || page.to_html_with(&plots);
    publish(&tables, page, &arguments.files, &arguments.output)
}

/// Tables of single runs or pairs: for a spreadsheet only.
const SINGLE: [&str; 2] = ["pairs", "runs"];

/// Prints the tables, and writes the files that are asked for.
fn publish(
    tables: &[(String, Table)],
    page: impl FnOnce() -> String,
    files: &Files,
    output: &OutputOptions,
) -> Outcome {
    let mut out = output.open()?;
    let printed = tables.iter().filter(|(name, _)| !SINGLE.contains(&&**name));
    for (i, (_, table)) in printed.enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", table.to_text())?;
    }
    out.flush()?;
    if let Some(folder) = &files.csv {
        std::fs::create_dir_all(folder).map_err(|e| Failure::file(folder, "write", &e))?;
        for (name, table) in tables {
            write_file(&folder.join(format!("{name}.csv")), &table.to_csv())?;
        }
    }
    if let Some(path) = &files.page {
        write_file(path, &page())?;
    }
    Ok(Answer::Yes)
}

/// Their tables, with their names.
fn named(parts: &[(String, (Table, Vec<Chart>))]) -> Vec<(String, Table)> {
    let table = |(name, (table, _)): &(String, (Table, Vec<Chart>))| (name.clone(), table.clone());
    parts.iter().map(table).collect()
}

/// The parts without their names.
fn drawn(parts: Vec<(String, (Table, Vec<Chart>))>) -> Vec<(Table, Vec<Chart>)> {
    parts.into_iter().map(|(_, part)| part).collect()
}
