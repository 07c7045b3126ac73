//! `sempre bench`: the experiments of the papers.

use crate::failure::{Answer, Failure, Outcome};
use crate::output::OutputOptions;
use clap::{Args, Subcommand};
use sempre::experiments::emptiness::{self, Parameters};
use sempre::experiments::page::{Chart, Table};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Run the experiments of the papers again, and print their tables
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand, Debug)]
enum Experiment {
    Emptiness(EmptinessArguments),
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

    /// The seed of graphs and formulas
    #[arg(long, value_name = "N", default_value_t = Parameters::default().seed)]
    seed: u64,

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
    }
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
        let table = emptiness::table_2().map_err(memory)?;
        parts.push(("table2".into(), (table, Vec::new())));
    }
    if wanted(3) {
        let table = emptiness::table_3().map_err(memory)?;
        parts.push(("table3".into(), (table, Vec::new())));
    }
    parts.sort_by(|a, b| a.0.cmp(&b.0));
    let mut out = arguments.output.open()?;
    for (i, (_, (table, _))) in parts.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", table.to_text())?;
    }
    out.flush()?;
    if let Some(folder) = &arguments.files.csv {
        std::fs::create_dir_all(folder).map_err(|e| Failure::file(folder, "write", &e))?;
        for (name, (table, _)) in &parts {
            write_file(&folder.join(format!("{name}.csv")), &table.to_csv())?;
        }
    }
    if let Some(path) = &arguments.files.page {
        let parts = parts.into_iter().map(|(_, part)| part).collect();
        write_file(path, &emptiness::page(parts, &parameters).to_html())?;
    }
    Ok(Answer::Yes)
}

fn write_file(path: &Path, text: &str) -> Outcome<()> {
    std::fs::write(path, text).map_err(|e| Failure::file(path, "write", &e))
}
