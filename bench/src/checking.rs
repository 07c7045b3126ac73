//! Speed and memory of LTL checks, beside LTSmin's if it is given.
//!
//! ```text
//! cargo build --release -p sempre
//! cargo run --release -p sempre-bench --bin checking -- FOLDER FORMULAS.tsv [MODEL_ID…] [--runs N] [--csv FILE]
//!     [--algorithm NAME] [--workers N] [--sempre PROGRAM] [--peer ltsmin=dve2lts-mc] [--peer divine=divine]
//! ```
//!
//! FOLDER holds DVE models. FORMULAS is a table of them (see `pairs.rs`). Without names of pairs the list below is run: properties that hold,
//! so that the whole product has to be searched, with products of a million states and more.
//!
//! Every program is a process of its own. Times are CPU seconds, user and system, of which the least of N runs
//! counts; programs take turns within one run. LTSmin checks with its union-find search and as many threads; every `x!=v` is
//! written as `!(x==v)` for it, since it reads the other wrongly; the size of its table is told from the
//! known size of the product, with room for four times as many. The verdicts must agree.
//!
//! The ratio is LTSmin's CPU time divided by ours: above one, we are faster.

use sempre_bench::campaign::{self, Campaign};
use sempre_bench::figures::{Column, Least, Row, quotient};
use sempre_bench::measure::measure;
use sempre_bench::pairs::{self, Pair};
use sempre_bench::peers::{compile_for_ltsmin, number_before};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const PAIRS: [&str; 15] = [
    "bopdp.3_067",
    "bopdp.3_001",
    "bopdp.3_065",
    "production_cell.6_069",
    "elevator.4_083",
    "elevator.4_095",
    "peterson.5_057",
    "peterson.5_021",
    "lamport.7_045",
    "lamport.7_089",
    "lamport.7_013",
    "lifts.7_011",
    "lifts.7_041",
    "lifts.7_089",
    "lifts.7_003",
];

const COLUMNS: [Column; 9] = [
    ("product states", 0, false),
    ("published", 0, false),
    ("cpu", 3, false),
    ("wall", 3, false),
    ("B/state", 1, true),
    ("rss/state", 1, true),
    ("ltsmin cpu", 3, false),
    ("ltsmin/ours", 2, true),
    ("ltsmin rss/state", 1, true),
];

struct Settings<'a> {
    campaign: &'a Campaign,
    folder: PathBuf,
    algorithm: &'a str,
    workers: usize,
}

fn main() -> ExitCode {
    let own = ["--algorithm", "--workers"];
    campaign::main("checking", &["ltsmin", "divine"], &own, |campaign| {
        let [folder, table, wanted @ ..] = &campaign.words[..] else {
            return Err("which folder, and which table of formulas?".into());
        };
        let settings = Settings {
            campaign,
            folder: std::path::absolute(folder).map_err(|e| e.to_string())?,
            algorithm: campaign.value("--algorithm").unwrap_or("cou99"),
            workers: campaign.number("--workers")?.unwrap_or(1),
        };
        let text = std::fs::read_to_string(table).map_err(|e| format!("{table}: {e}"))?;
        let pairs = match wanted.is_empty() {
            true => pairs::named(&text, &PAIRS.map(String::from))?,
            false => pairs::named(&text, wanted)?,
        };
        campaign.tabulate("pair", &COLUMNS, &pairs, Pair::name, |pair| {
            row(&settings, pair)
        })
    })
}

/// `x!=v` in parentheses as `!(x==v)`.
fn without_unequal(formula: &str) -> String {
    let mut text = String::new();
    let mut rest = formula;
    while let Some(open) = rest.find('(') {
        text.push_str(&rest[..open]);
        rest = &rest[open + 1..];
        let end = rest.find(['(', ')']).unwrap_or(rest.len());
        let (inner, tail) = rest.split_at(end);
        match inner.split_once("!=") {
            // A comparison alone, not one of several in the same parentheses.
            Some((left, right)) if tail.starts_with(')') && !inner.contains(['|', '&']) => {
                text.push_str(&format!("!({left}=={right})"));
                rest = &tail[1..];
            }
            _ => text.push('('),
        }
    }
    text + rest
}

fn row(settings: &Settings<'_>, pair: &Pair) -> Result<Row, String> {
    let none = Least(f64::INFINITY);
    let (mut cpu, mut wall, mut rss) = (none, none, none);
    let (mut ltsmin_cpu, mut ltsmin_rss) = (none, none);
    let mut report = Value::Null;
    for _ in 0..settings.campaign.runs {
        let model = settings.folder.join(format!("{}.dve", pair.model));
        let arguments = [
            "check",
            &model.display().to_string(),
            &pair.formula,
            "--format=json",
            "--quiet",
            &format!("--algorithm={}", settings.algorithm),
            &format!("--workers={}", settings.workers),
        ]
        .map(String::from);
        let cost = measure(
            &settings.campaign.sempre,
            &arguments,
            &settings.campaign.work,
        )?;
        if cost.status != i32::from(!pair.holds) {
            return Err(format!("another verdict: {}", cost.text.trim()));
        }
        report = cost.report().ok_or("no report")?;
        cpu.note(cost.cpu);
        wall.note(cost.wall);
        rss.note(cost.peak);
        let peer = |name| settings.campaign.peer(name);
        if let (Some(ltsmin), Some(divine)) = (peer("ltsmin"), peer("divine")) {
            let (seconds, peak) = run_ltsmin(settings, ltsmin, divine, pair)?;
            ltsmin_cpu.note(seconds);
            ltsmin_rss.note(peak);
        }
    }
    let states = report["product"]["states"].as_f64();
    Ok(Row {
        name: pair.name(),
        figures: vec![
            states,
            Some(pair.product),
            cpu.get(),
            wall.get(),
            report["product"]["bytes_per_state"].as_f64(),
            quotient(rss.get(), states),
            ltsmin_cpu.get(),
            quotient(ltsmin_cpu.get(), cpu.get()),
            quotient(ltsmin_rss.get(), states),
        ],
    })
}

fn run_ltsmin(
    settings: &Settings<'_>,
    ltsmin: &Path,
    divine: &Path,
    pair: &Pair,
) -> Result<(f64, f64), String> {
    let compiled = compile_for_ltsmin(
        divine,
        &settings.folder,
        &pair.model,
        &settings.campaign.work,
    )?;
    let arguments = [
        &compiled,
        "-s",
        &(pair.product.max(2.0).log2().ceil() as u32 + 2).to_string(),
        "--strategy=ufscc",
        "--buchi-type=tgba",
        "--ltl-semantics=spin",
        &format!("--threads={}", settings.workers),
        &format!("--ltl={}", without_unequal(&pair.for_ltsmin)),
    ]
    .map(String::from);
    let cost = measure(ltsmin, &arguments, &settings.campaign.work)?;
    let found = cost.text.contains("ccepting cycle FOUND");
    let counted = number_before(&cost.text, " states ");
    if cost.text.contains("table full") || found == pair.holds || counted.is_none() {
        return Err(format!("LTSmin: {}", cost.text.trim()));
    }
    Ok((cost.cpu, cost.peak))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unequal_is_written_as_not_equal() {
        let formula = r#"!((P_0!="a b") U [](x\[1\]!=3 || y==2))"#;
        let expected = r#"!(!(P_0=="a b") U [](x\[1\]!=3 || y==2))"#;
        assert_eq!(without_unequal(formula), expected);
        assert_eq!(
            without_unequal("(a!=b) && ((c!=d))"),
            "!(a==b) && (!(c==d))"
        );
        assert_eq!(without_unequal("a"), "a");
    }
}
