//! Speed and memory of decision diagrams, beside those of peers.
//!
//! ```text
//! cargo build --release -p sempre
//! cargo run --release -p sempre-bench --bin symbolic -- FOLDER [MODEL…] [--runs N] [--time SECONDS] [--csv FILE]
//!     [--sempre PROGRAM] [--peer ltsmin=dve2lts-sym] [--orders gs] [--peer divine=divine] [--peer its-reach=its-reach]
//! cargo run --release -p sempre-bench --bin symbolic -- FOLDER [PAIR…] --formulas FORMULAS.tsv … [--peer its-ltl=its-ltl]
//!     [--peer ltsmin=dve2lts-sym] [--peer divine=divine]
//! ```
//!
//! FOLDER holds DVE models. Without a table of formulas the states of models are counted, beside LTSmin with the list
//! diagrams of Sylvan (one worker, saturation), and beside its-reach. LTSmin is given each of these orders of variables (what its `-r`
//! takes, with a colon between two), and the best counts: `gs`, or `gs,tg,bs,hf` for that of Sloan, which crashes LTSmin 3.1.0 unless a
//! missing `return` of its `sloan_ordering` is put in. With one (see `pairs.rs`) pairs of a model and a formula
//! are checked by TGBA and by TGTA, with forward OWCTY over all states, beside the same two of its-ltl (`FSOWCTY`, `FSOWCTY-TGTA`) and its default, `SLAP-FST`. Since its-ltl reads
//! models for TGTA as tables of their transitions only (ETF), LTSmin writes these once; that is not held against it either.
//! Runs that end do not count, since its-ltl does not repeat last states in every way to check.
//! Counts and verdicts must agree.
//!
//! Every program is a process of its own; all take turns within one run, and the least of N runs counts. Times are CPU
//! seconds of the whole process, except LTSmin's, which are those that it tells for reachability alone: reading, the
//! tables that Sylvan makes first, and the compilation of the model are not held against it. Ours count transitions and
//! deadlocks, too, and print a replayed counterexample. What is not done in time has no figure, and is in no mean.
//!
//! A peer's ratio is its time divided by ours: above one, we are faster.

use sempre_bench::campaign::{self, Campaign};
use sempre_bench::figures::{Column, Least, Row, quotient};
use sempre_bench::measure::{Cost, measure};
use sempre_bench::pairs::{self, Pair};
use sempre_bench::peers::{compile_for_ltsmin, number_before};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Models that saturation is commonly measured on.
const MODELS: [&str; 8] = [
    "bakery.4",
    "collision.4",
    "collision.5",
    "schedule_world.2",
    "schedule_world.3",
    "lifts.6",
    "bakery.6",
    "blocks.3",
];

/// Pairs that its-ltl decides within half a minute.
const PAIRS: [&str; 7] = [
    "phils.8_051",
    "reader_writer.3_001",
    "bopdp.3_000",
    "bopdp.3_051",
    "brp2.3_001",
    "bakery.4_001",
    "bakery.4_051",
];

const COUNTING: [Column; 7] = [
    ("states", 0, false),
    ("cpu", 3, false),
    ("MB", 0, false),
    ("lddmc", 3, false),
    ("lddmc/ours", 2, true),
    ("its-reach", 3, false),
    ("its-reach/ours", 2, true),
];

const CHECKING: [Column; 10] = [
    ("tgba", 3, false),
    ("tgta", 3, false),
    ("tgba/tgta", 2, true),
    ("its tgba", 3, false),
    ("its/ours, tgba", 2, true),
    ("its tgta", 3, false),
    ("its/ours, tgta", 2, true),
    ("its slap-fst", 3, false),
    ("slap-fst/our tgta", 2, true),
    ("slap-fst/our tgba", 2, true),
];

struct Settings<'a> {
    campaign: &'a Campaign,
    folder: PathBuf,
    seconds: usize,
}

fn main() -> ExitCode {
    let known = ["ltsmin", "divine", "its-reach", "its-ltl"];
    let own = ["--time", "--formulas", "--orders"];
    campaign::main("symbolic", &known, &own, |campaign| {
        let [folder, wanted @ ..] = &campaign.words[..] else {
            return Err("which folder?".into());
        };
        let settings = Settings {
            campaign,
            folder: std::path::absolute(folder).map_err(|e| e.to_string())?,
            seconds: campaign.number("--time")?.unwrap_or(60),
        };
        let or = |list: &[&str]| match wanted.is_empty() {
            true => list.iter().map(|name| name.to_string()).collect(),
            false => wanted.to_vec(),
        };
        match campaign.value("--formulas") {
            None => campaign.tabulate("model", &COUNTING, &or(&MODELS), String::clone, |model| {
                settings.count(model)
            }),
            Some(table) => {
                let text = std::fs::read_to_string(table).map_err(|e| format!("{table}: {e}"))?;
                let pairs = pairs::named(&text, &or(&PAIRS))?;
                campaign.tabulate("pair", &CHECKING, &pairs, Pair::name, |p| settings.check(p))
            }
        }
    })
}

impl Settings<'_> {
    fn path(&self, model: &str) -> PathBuf {
        self.folder.join(format!("{model}.dve"))
    }

    /// Runs a program for as long as it may; none if it was not done.
    fn run(&self, program: &Path, arguments: &[&str]) -> Result<Option<Cost>, String> {
        let limit = [self.seconds.to_string(), program.display().to_string()];
        let rest = arguments.iter().map(|a| a.to_string());
        let arguments: Vec<String> = limit.into_iter().chain(rest).collect();
        let cost = measure(Path::new("timeout"), &arguments, &self.campaign.work)?;
        // What `timeout` says of a program that it ended.
        Ok((cost.status != 124).then_some(cost))
    }

    /// The orders of variables that LTSmin is given.
    fn orders(&self) -> std::str::Split<'_, char> {
        self.campaign.value("--orders").unwrap_or("gs").split(':')
    }

    /// Counts the states of a model with list diagrams of Sylvan, and writes its transitions as a table if one is wanted.
    fn run_ltsmin(
        &self,
        ltsmin: &Path,
        divine: &Path,
        model: &str,
        order: &str,
        table: Option<&str>,
    ) -> Result<Option<Cost>, String> {
        let order = format!("-r{order}");
        let compiled = compile_for_ltsmin(divine, &self.folder, model, &self.campaign.work)?;
        let arguments = [
            "--vset=lddmc",
            "--lace-workers=1",
            "--saturation=sat",
            &order,
            "--sylvan-sizes=22,26,20,24",
            &compiled,
        ];
        let arguments: Vec<&str> = arguments.into_iter().chain(table).collect();
        self.run(ltsmin, &arguments)
    }

    /// Counts the states of a model.
    fn count(&self, model: &str) -> Result<Row, String> {
        let path = self.path(model).display().to_string();
        let none = Least(f64::INFINITY);
        let (mut cpu, mut peak, mut lddmc, mut its) = (none, none, none, none);
        let mut counts: Vec<(&str, f64)> = Vec::new();
        for _ in 0..self.campaign.runs {
            let arguments = [
                "explore",
                &path,
                "--engine=symbolic",
                "--format=json",
                "--quiet",
            ];
            if let Some(cost) = self.run(&self.campaign.sempre, &arguments)? {
                let report = report(&cost)?;
                counts.push(("we", report["states"].as_f64().ok_or("no states")?));
                cpu.note(cost.cpu);
                peak.note(cost.peak / 1e6);
            }
            let peer = |name| self.campaign.peer(name);
            let (ltsmin, divine) = (peer("ltsmin"), peer("divine"));
            for order in self.orders() {
                let (Some(ltsmin), Some(divine)) = (ltsmin, divine) else {
                    break;
                };
                let Some(cost) = self.run_ltsmin(ltsmin, divine, model, order, None)? else {
                    continue;
                };
                counts.push(("LTSmin", said(&cost, " states, ")?));
                let (_, times) =
                    (cost.text.split_once("reachability took")).ok_or("no time of LTSmin")?;
                let line = times.lines().next().unwrap_or_default();
                let time = |word| number_before(line, word).ok_or("no time of LTSmin");
                lddmc.note(time(" user")? + time(" sys")?);
            }
            if let Some(program) = peer("its-reach") {
                let arguments = ["-i", &path, "-t", "DVE", "--quiet"];
                if let Some(cost) = self.run(program, &arguments)? {
                    let line = (cost.text.lines())
                        .find_map(|line| line.split_once("Total reachable state count : "));
                    let states = line.and_then(|(_, number)| number.trim().parse().ok());
                    counts.push(("its-reach", states.ok_or("its-reach counts no states")?));
                    its.note(cost.cpu);
                }
            }
        }
        if counts.iter().any(|c| c.1 != counts[0].1) {
            return Err(format!("counts differ: {counts:?}"));
        }
        Ok(Row {
            name: model.to_string(),
            figures: vec![
                counts.first().map(|c| c.1),
                cpu.get(),
                peak.get(),
                lddmc.get(),
                quotient(lddmc.get(), cpu.get()),
                its.get(),
                quotient(its.get(), cpu.get()),
            ],
        })
    }

    /// Checks a pair.
    fn check(&self, pair: &Pair) -> Result<Row, String> {
        let path = self.path(&pair.model).display().to_string();
        // It takes what is looked for, not what is to hold.
        let negated = format!("!({})", quoted(&pair.formula));
        let none = Least(f64::INFINITY);
        let (mut own, mut its) = ([none; 2], [none; 3]);
        let peer = |name| self.campaign.peer(name);
        for _ in 0..self.campaign.runs {
            for (least, automaton) in own.iter_mut().zip(["tgba", "tgta"]) {
                let arguments = [
                    "check",
                    &path,
                    &pair.formula,
                    "--engine=symbolic",
                    "--algorithm=owcty",
                    "--deadlock=drop",
                    &format!("--automaton={automaton}"),
                    "--format=json",
                    "--quiet",
                ];
                if let Some(cost) = self.run(&self.campaign.sempre, &arguments)? {
                    let verdict = report(&cost)?["verdict"] == "holds";
                    agree(pair, verdict, &cost)?;
                    least.note(cost.cpu);
                }
            }
            let Some(program) = peer("its-ltl") else {
                continue;
            };
            let table = format!("{}.etf", pair.model);
            if !self.campaign.work.join(&table).exists() {
                let (Some(ltsmin), Some(divine)) = (peer("ltsmin"), peer("divine")) else {
                    return Err("its-ltl needs tables of LTSmin and DiVinE".into());
                };
                let order = self.orders().next().unwrap_or("gs");
                self.run_ltsmin(ltsmin, divine, &pair.model, order, Some(&table))?;
            }
            let ways = ["-SFSOWCTY", "-SFSOWCTY-TGTA", "-SSLAP-FST"];
            for (least, way) in its.iter_mut().zip(ways) {
                let arguments = ["-i", &table, "-t", "ETF", "-c", way, "-ltl", &negated];
                if let Some(cost) = self.run(program, &arguments)? {
                    let found = cost.text.contains("an accepting run exists");
                    if !found && !cost.text.contains("no accepting run") {
                        return Err(format!("its-ltl: {}", cost.text.trim()));
                    }
                    agree(pair, !found, &cost)?;
                    least.note(cost.cpu);
                }
            }
        }
        let [tgba, tgta] = own.map(Least::get);
        let [its_tgba, its_tgta, slap] = its.map(Least::get);
        Ok(Row {
            name: pair.name(),
            figures: vec![
                tgba,
                tgta,
                quotient(tgba, tgta),
                its_tgba,
                quotient(its_tgba, tgba),
                its_tgta,
                quotient(its_tgta, tgta),
                slap,
                quotient(slap, tgta),
                quotient(slap, tgba),
            ],
        })
    }
}

fn report(cost: &Cost) -> Result<Value, String> {
    (cost.report()).ok_or_else(|| format!("no report: {}", cost.text.trim()))
}

fn said(cost: &Cost, words: &str) -> Result<f64, String> {
    number_before(&cost.text, words).ok_or_else(|| format!("no number: {}", cost.text.trim()))
}

fn agree(pair: &Pair, holds: bool, cost: &Cost) -> Result<(), String> {
    if holds == pair.holds_without_ends {
        return Ok(());
    }
    Err(format!("another verdict: {}", cost.text.trim()))
}

/// A formula whose facts are quoted as its-ltl wants them.
fn quoted(formula: &str) -> String {
    let mut text = String::new();
    let mut rest = formula;
    while let Some(open) = rest.find('(') {
        text.push_str(&rest[..=open]);
        rest = &rest[open + 1..];
        let end = rest.find(['(', ')']).unwrap_or(rest.len());
        let words: Vec<&str> = rest[..end].split_whitespace().collect();
        if let [left, operator, right] = words[..]
            && operator.contains(['=', '<', '>'])
            && rest[end..].starts_with(')')
        {
            let operator = if operator == "==" { "=" } else { operator };
            let right = right.trim_matches('"');
            text.push_str(&format!("\"{left}{operator}{right}\""));
            rest = &rest[end..];
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_quoted() {
        let formula = r#"!(F (P != "b") && ((P.j < 3) U G !(x[1] == 0)))"#;
        let expected = r#"!(F ("P!=b") && (("P.j<3") U G !("x[1]=0")))"#;
        assert_eq!(quoted(formula), expected);
    }
}
