//! Verdicts of `ltl` blocks in Promela models, without and with weak fairness, beside SPIN's.
//!
//! ```text
//! cargo build --release -p sempre
//! cargo run --release -p sempre-bench --bin promela-verdicts -- FOLDER|FILE… [--formulas N] [--seed N] [--seconds N]
//!     [--sempre PROGRAM] [--spin PROGRAM]
//! ```
//!
//! A model that has no `ltl` blocks of its own gets N random ones (without `X`, which SPIN does not take), about global
//! variables and values that these have on a random walk. SPIN's verifier is made once for a model, `spin -a` and
//! `gcc -O1 -DNOREDUCE`, and run for each block, `pan -a -A -E -N name`, then with `-f`. A block that it does not decide
//! within `--seconds` is left out. The status is 1 if some verdict differs.

#[expect(dead_code, reason = "the other programs use all of it")]
mod peers;
mod promela_files;

use peers::{number_before, succeed};
use promela_files::{exit_code, promela_models};
use sempre_base::Random;
use sempre_lang::promela;
use sempre_ltl::print::{Syntax, print};
use sempre_ltl::random::RandomFormula;
use sempre_ltl::{Formulas, Op};
use sempre_model::interpreter::Interpreter;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

struct Settings {
    models: Vec<PathBuf>,
    formulas: usize,
    seed: u64,
    seconds: u64,
    sempre: PathBuf,
    spin: PathBuf,
    work: PathBuf,
}

fn main() -> ExitCode {
    exit_code(settings().and_then(|s| run(&s)))
}

fn settings() -> Result<Settings, String> {
    let mut settings = Settings {
        models: Vec::new(),
        formulas: 8,
        seed: 1,
        seconds: 60,
        sempre: PathBuf::from("target/release/sempre"),
        spin: PathBuf::from("spin"),
        work: std::env::temp_dir().join(format!("sempre-verdicts-{}", std::process::id())),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let mut number = || -> Result<u64, String> {
            let text = value()?;
            text.parse().map_err(|_| format!("`{text}` is no number"))
        };
        match argument.as_str() {
            "--formulas" => settings.formulas = number()? as usize,
            "--seed" => settings.seed = number()?,
            "--seconds" => settings.seconds = number()?,
            "--sempre" => settings.sempre = PathBuf::from(value()?),
            "--spin" => settings.spin = PathBuf::from(value()?),
            path => settings.models.extend(promela_models(Path::new(path))?),
        }
    }
    if settings.models.is_empty() {
        return Err("which models? give files, or folders of them".to_string());
    }
    settings.sempre = std::path::absolute(&settings.sempre).map_err(|e| e.to_string())?;
    Ok(settings)
}

fn run(settings: &Settings) -> Result<bool, String> {
    std::fs::create_dir_all(&settings.work).map_err(|e| e.to_string())?;
    println!(
        "{:<24} {:>7} {:>9} {:>6} {:>14} {:>6}",
        "model", "blocks", "violated", "same", "violated, fair", "same"
    );
    let (mut compared, mut same) = (0, 0);
    for model in &settings.models {
        let name = model.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(model).map_err(|e| e.to_string())?;
        let Some(text) = with_blocks(settings, &text) else {
            continue;
        };
        let file = settings.work.join("model.pml");
        std::fs::write(&file, &text).map_err(|e| e.to_string())?;
        let Some(blocks) = ours(settings, false)? else {
            eprintln!("warning: `{name}` is left out: it is not read");
            continue;
        };
        let Some(fair) = ours(settings, true)? else {
            continue;
        };
        if let Err(why) = make_verifier(settings) {
            eprintln!("warning: SPIN does not take `{name}`: {}", why.trim());
            continue;
        }
        let mut row = [(0, 0, 0); 2];
        for (counts, (all, weak)) in row.iter_mut().zip([(&blocks, false), (&fair, true)]) {
            for (block, verdict) in all {
                let Some(violated) = theirs(settings, block, weak)? else {
                    continue;
                };
                let agree = verdict == if violated { "violated" } else { "holds" };
                counts.0 += 1;
                counts.1 += usize::from(violated);
                counts.2 += usize::from(agree);
                if !agree {
                    let formula = text
                        .lines()
                        .find(|l| l.starts_with(&format!("ltl {block} ")));
                    let fairness = if weak { ", weak fairness" } else { "" };
                    eprintln!(
                        "{name}{fairness}: {verdict}, SPIN: {}: {}",
                        if violated { "violated" } else { "holds" },
                        formula.unwrap_or(block)
                    );
                }
            }
            compared += counts.0;
            same += counts.2;
        }
        println!(
            "{name:<24} {:>7} {:>9} {:>6} {:>14} {:>6}",
            row[0].0, row[0].1, row[0].2, row[1].1, row[1].2
        );
    }
    println!("{same} of {compared} verdicts are the same");
    let _ = std::fs::remove_dir_all(&settings.work);
    Ok(same == compared)
}

/// The model with random blocks, if it has none; `None` if it cannot have any.
fn with_blocks(settings: &Settings, text: &str) -> Option<String> {
    let model = promela::read("model", text, &|_| None).ok()?;
    if !model.formulas.is_empty() {
        return Some(text.to_string());
    }
    let program = &model.program;
    if !model.claims.is_empty() {
        return None;
    }
    let mut random = Random::new(settings.seed);
    // Values of global variables on random walks.
    let mut seen: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let globals: Vec<(usize, String)> = (program.variables.iter())
        .filter(|v| v.owner.is_none() && !v.name.starts_with('_') && !v.name.contains(['.', '(']))
        .flat_map(|v| (0..v.length.unwrap_or(1)).map(|i| v.first + i))
        .map(|cell| (cell as usize, program.cell_name(cell)))
        .collect();
    let interpreter = Interpreter::new(program);
    for _ in 0..4 {
        let mut state = program.initial.first()?.clone();
        for _ in 0..200 {
            for (cell, name) in &globals {
                let values = seen.entry(name.clone()).or_default();
                if !values.contains(&state[*cell]) {
                    values.push(state[*cell]);
                }
            }
            let next: Vec<Vec<i64>> = (interpreter.steps(&state).into_iter())
                .filter_map(|s| s.1.ok())
                .collect();
            if next.is_empty() {
                break;
            }
            state.clone_from(random.pick(&next));
        }
    }
    let facts: Vec<String> = (seen.iter())
        .filter(|(_, values)| values.len() > 1)
        .flat_map(|(name, values)| values.iter().map(move |v| format!("({name} == {v})")))
        .collect();
    if facts.is_empty() {
        return None;
    }
    let mut draw = RandomFormula::new(3).without_next();
    draw.names = (0..3).map(|i| format!("fact_{i}_")).collect();
    draw.sizes = 4..=9;
    draw.set_priority(Op::Xor, 0);
    draw.set_priority(Op::Equiv, 0);
    let mut blocks = String::new();
    for i in 0..settings.formulas {
        let mut formulas = Formulas::new();
        let f = draw.draw(&mut formulas, &mut random);
        let mut formula = print(&formulas, f, Syntax::Spin).to_string();
        for p in 0..3 {
            let fact: &String = random.pick(&facts);
            formula = formula.replace(&draw.names[p], fact);
        }
        blocks.push_str(&format!("ltl sempre{i} {{ {formula} }}\n"));
    }
    Some(format!("{text}\n{blocks}"))
}

/// The blocks and our verdicts; `None` if the model is not read.
fn ours(settings: &Settings, weak: bool) -> Result<Option<Vec<(String, String)>>, String> {
    let mut command = Command::new(&settings.sempre);
    command.args(["check", "model.pml", "--format", "json", "--quiet"]);
    if weak {
        command.args(["--fairness", "weak"]);
    }
    let output = (command.current_dir(&settings.work).output()).map_err(|e| e.to_string())?;
    if output.status.code() == Some(2) {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let word = |v: &Value, name: &str| v[name].as_str().unwrap_or_default().to_string();
    let lines = text.lines().filter_map(|l| serde_json::from_str(l).ok());
    Ok(Some(
        lines
            .map(|v: Value| (word(&v, "name"), word(&v, "verdict")))
            .collect(),
    ))
}

fn make_verifier(settings: &Settings) -> Result<(), String> {
    let work = &settings.work;
    let _ = std::fs::remove_file(work.join("pan.c"));
    // SPIN says what it does not like to standard output.
    let output = (Command::new(&settings.spin).args(["-a", "model.pml"]))
        .current_dir(work)
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let flags = ["-O1", "-w", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"];
    succeed(Command::new("gcc").args(flags).current_dir(work))
}

/// Is the block violated, says SPIN? `None` if it did not find out.
fn theirs(settings: &Settings, block: &str, weak: bool) -> Result<Option<bool>, String> {
    let seconds = settings.seconds.to_string();
    let mut arguments = vec![
        seconds.as_str(),
        "./pan",
        "-a",
        "-A",
        "-E",
        "-n",
        "-m2000000",
    ];
    if weak {
        arguments.push("-f");
    }
    arguments.extend(["-N", block]);
    let output = (Command::new("timeout").args(&arguments))
        .current_dir(&settings.work)
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = text
        .rsplit_once("errors: ")
        .and_then(|(_, rest)| number_before(&format!("{}\n", rest.lines().next()?), "\n"));
    let whole = !text.contains("search depth too small");
    Ok(match errors {
        Some(n) if n > 0.0 => Some(true),
        Some(_) if whole && text.contains("State-vector") => Some(false),
        _ => None,
    })
}
