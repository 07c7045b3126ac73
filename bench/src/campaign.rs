//! What the programs that measure us beside peers have in common: their command line, and a table with a row for each model.

use crate::figures::{Column, Row, csv, table};
use crate::measure;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A command line, read.
pub struct Campaign {
    /// The words that are no options.
    pub words: Vec<String>,
    /// `--runs N`, at least one.
    pub runs: usize,
    /// `--sempre PROGRAM`, or the one beside this program.
    pub sempre: PathBuf,
    /// Where peers' files go.
    pub work: PathBuf,
    csv: Option<PathBuf>,
    /// `--peer NAME=PROGRAM`.
    peers: Vec<(String, PathBuf)>,
    /// All options, with their values.
    options: Vec<(String, String)>,
}

impl Campaign {
    fn read(
        name: &str,
        arguments: &[String],
        peers: &[&str],
        own: &[&str],
    ) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut campaign = Self {
            words: Vec::new(),
            runs: 3,
            sempre: program.with_file_name("sempre"),
            work: std::env::temp_dir().join(format!("sempre-bench-{name}")),
            csv: None,
            peers: Vec::new(),
            options: Vec::new(),
        };
        let mut arguments = arguments.iter();
        while let Some(word) = arguments.next() {
            if !word.starts_with('-') {
                campaign.words.push(word.clone());
                continue;
            }
            let known = ["--runs", "--csv", "--sempre", "--peer"];
            if !known.iter().chain(own).any(|option| option == word) {
                return Err(format!("no option is called `{word}`"));
            }
            let value = (arguments.next()).ok_or_else(|| format!("{word} wants a value"))?;
            if word != "--peer" {
                campaign.options.push((word.clone(), value.clone()));
                continue;
            }
            match value.split_once('=') {
                Some((name, program)) if peers.contains(&name) => {
                    campaign.peers.push((name.into(), program.into()));
                }
                Some((name, _)) => return Err(format!("no peer is called `{name}`")),
                None => return Err("--peer wants NAME=PROGRAM".into()),
            }
        }
        if let Some(runs) = campaign.number("--runs")? {
            campaign.runs = runs.max(1);
        }
        if let Some(sempre) = campaign.value("--sempre") {
            campaign.sempre = sempre.into();
        }
        campaign.csv = campaign.value("--csv").map(PathBuf::from);
        std::fs::create_dir_all(&campaign.work).map_err(|e| e.to_string())?;
        Ok(campaign)
    }

    /// Where a peer is.
    pub fn peer(&self, name: &str) -> Option<&Path> {
        let peer = self.peers.iter().rfind(|(n, _)| n == name)?;
        Some(&peer.1)
    }

    /// The value of an option.
    pub fn value(&self, option: &str) -> Option<&str> {
        let given = self.options.iter().rfind(|(o, _)| o == option)?;
        Some(&given.1)
    }

    /// The value of an option as a number.
    pub fn number(&self, option: &str) -> Result<Option<usize>, String> {
        (self.value(option).map(str::parse).transpose()).map_err(|e| format!("{option}: {e}"))
    }

    /// A row for each item, printed as a table, and as a file if one is wanted.
    pub fn tabulate<T>(
        &self,
        first: &str,
        columns: &[Column],
        items: &[T],
        name: impl Fn(&T) -> String,
        row: impl Fn(&T) -> Result<Row, String>,
    ) -> Result<(), String> {
        let mut rows = Vec::new();
        for item in items {
            let name = name(item);
            eprintln!("{name}");
            match row(item) {
                Ok(row) => rows.push(row),
                Err(e) => eprintln!("{name}: {e}"),
            }
        }
        print!("{}", table(first, columns, &rows));
        match &self.csv {
            Some(path) => std::fs::write(path, csv(first, columns, &rows))
                .map_err(|e| format!("{}: {e}", path.display())),
            None => Ok(()),
        }
    }
}

/// Runs a program with these peers and options of its own; or what it was called again for, to measure.
pub fn main(
    name: &str,
    peers: &[&str],
    own: &[&str],
    body: impl Fn(&Campaign) -> Result<(), String>,
) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((measure::WORD, command)) = arguments.split_first().map(|(a, b)| (a.as_str(), b)) {
        return measure::run_measured(command);
    }
    match Campaign::read(name, &arguments, peers, own).and_then(|campaign| body(&campaign)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::from(2)
        }
    }
}
