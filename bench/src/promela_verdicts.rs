//! Verdicts of `ltl` blocks in Promela models, without and with weak fairness, beside SPIN's.
//!
//! ```text
//! cargo build --release -p sempre
//! cargo run --release -p sempre-bench --bin promela-verdicts -- FOLDER|FILE… [--list FILE] [--formulas N] [--seed N]
//!     [--most STATES] [--seconds N] [--sempre PROGRAM] [--spin PROGRAM]
//! ```
//!
//! A model that has no `ltl` blocks of its own gets those of the list, one formula on a line, each with its negation; without
//! a list N of them about global variables with values that these have on a random walk, and about labels: one of each of the [`SHAPES`] that
//! people write, and then random ones (without `X`, which SPIN does not take). SPIN's verifier is made once for a
//! model, `spin -a` and `gcc -O0 -DNOREDUCE`, and run for each block, `pan -a -E -N name`, then with `-f`. A model of more
//! than `--most` states is left out, and so is a block that somebody does not decide within `--seconds`. The
//! status is 1 if some verdict differs.
//!
//! With `-f`, SPIN does not apply its rules for fairness in steps that repeat the last state of a run. It finds some fair runs that end, and misses
//! others: `byte x; active [2] proctype A() { x = 1; x == 7 }` ends with `x == 1`, yet `<> [] (x != 1)` holds for it, while `[] <> (x == 0)` is
//! violated; and with one process only it counts states without end. So a block that only fair runs which end violate is not compared, but counted by itself.

use sempre_base::Random;
use sempre_bench::peers::{number_before, succeed};
use sempre_bench::promela_files::{exit_code, promela_models};
use sempre_lang::promela::{self, PromelaModel};
use sempre_ltl::print::{Syntax, print};
use sempre_ltl::random::RandomFormula;
use sempre_ltl::{Formulas, Op};
use sempre_model::interpreter::Interpreter;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Formulas that people write.
const SHAPES: [&str; 8] = [
    "[] <> a",
    "<> [] a",
    "[] (a -> <> b)",
    "a U b",
    "[] a",
    "<> a",
    "([] <> a) -> ([] <> b)",
    "[] (a -> (b U c))",
];

/// So many steps SPIN may go.
const DEPTH: f64 = 1e6;

struct Settings {
    models: Vec<PathBuf>,
    list: Option<PathBuf>,
    most: u64,
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
        list: None,
        most: 50_000,
        formulas: 16,
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
            "--most" => settings.most = number()?,
            "--list" => settings.list = Some(PathBuf::from(value()?)),
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
        "{:<24} {:>7} {:>9} {:>6} {:>14} {:>6} {:>6}",
        "model", "blocks", "violated", "same", "violated, fair", "same", "ended"
    );
    let (mut compared, mut same, mut models, mut open) = (0, 0, 0, 0);
    let mut ended = 0;
    for model in &settings.models {
        let name = model.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(model).map_err(|e| e.to_string())?;
        let Some(text) = with_blocks(settings, &text)? else {
            eprintln!("warning: `{name}` is left out: it is not read, or has nothing to speak of");
            continue;
        };
        let file = settings.work.join("model.pml");
        std::fs::write(&file, &text).map_err(|e| e.to_string())?;
        if !is_small(settings)? {
            continue;
        }
        let Some(blocks) = ours(settings, &[])? else {
            eprintln!("warning: `{name}` is left out: it is not read");
            continue;
        };
        let weak = ["--fairness", "weak", "--deadlock", "drop"];
        let (Some(fair), Some(endless)) = (ours(settings, &weak[..2])?, ours(settings, &weak)?)
        else {
            continue;
        };
        if let Err(why) = make_verifier(settings) {
            eprintln!("warning: SPIN does not take `{name}`: {}", why.trim());
            continue;
        }
        let mut row = [(0, 0, 0); 2];
        let before = ended;
        for (counts, (all, weak)) in row.iter_mut().zip([(&blocks, false), (&fair, true)]) {
            for (block, verdict) in all {
                let is_same = |b: &(String, String)| b.0 == *block && b.1 == *verdict;
                if weak && !endless.iter().any(is_same) {
                    ended += 1;
                    continue;
                }
                let violated = match verdict == "unknown" {
                    true => None,
                    false => theirs(settings, block, weak)?,
                };
                let Some(violated) = violated else {
                    open += 1;
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
        models += 1;
        println!(
            "{name:<24} {:>7} {:>9} {:>6} {:>14} {:>6} {:>6}",
            row[0].0,
            row[0].1,
            row[0].2,
            row[1].1,
            row[1].2,
            ended - before
        );
    }
    println!(
        "{same} of {compared} verdicts are the same, on {models} models; {open} were left out; \
         {ended} are violated by fair runs that end only"
    );
    let _ = std::fs::remove_dir_all(&settings.work);
    Ok(same == compared)
}

/// Has the model so few states that SPIN's verdicts on it come soon?
fn is_small(settings: &Settings) -> Result<bool, String> {
    let seconds = settings.seconds.to_string();
    let arguments = [
        "explore",
        "model.pml",
        "--format",
        "json",
        "--quiet",
        "--time",
    ];
    let output = (Command::new(&settings.sempre).args(arguments).arg(seconds))
        .current_dir(&settings.work)
        .output()
        .map_err(|e| e.to_string())?;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let is_complete = report["complete"] == Value::Bool(true);
    Ok(is_complete
        && report["states"]
            .as_u64()
            .is_some_and(|n| n <= settings.most))
}

/// The model with blocks, if it has none of its own; `None` if it cannot have any.
fn with_blocks(settings: &Settings, text: &str) -> Result<Option<String>, String> {
    let Ok(model) = promela::read("model", text, &|_| None) else {
        return Ok(None);
    };
    if !model.formulas.is_empty() {
        return Ok(Some(text.to_string()));
    }
    if !model.claims.is_empty() {
        return Ok(None);
    }
    let mut formulas = Vec::new();
    if let Some(path) = &settings.list {
        let list = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        for line in list.lines().map(str::trim).filter(|l| !l.is_empty()) {
            formulas.extend([line.to_string(), format!("!({line})")]);
        }
    } else {
        let mut random = Random::new(settings.seed);
        let facts = facts(&model, text, &mut random);
        if facts.is_empty() {
            return Ok(None);
        }
        formulas.extend((0..settings.formulas).map(|i| drawn(i, &facts, &mut random)));
    }
    let blocks = formulas.iter().enumerate();
    let blocks: Vec<String> = blocks
        .map(|(i, f)| format!("ltl sempre{i} {{ {f} }}\n"))
        .collect();
    Ok(Some(format!("{text}\n{}", blocks.concat())))
}

/// Comparisons of global variables with values that they have on random walks, and the labels of processes.
fn facts(model: &PromelaModel, text: &str, random: &mut Random) -> Vec<String> {
    let program = &model.program;
    let mut seen: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let globals: Vec<(usize, String)> = (program.variables.iter())
        .filter(|v| v.owner.is_none() && !v.name.starts_with('_') && !v.name.contains(['.', '(']))
        .flat_map(|v| (0..v.length.unwrap_or(1)).map(|i| v.first + i))
        .map(|cell| (cell as usize, program.cell_name(cell)))
        .collect();
    let interpreter = Interpreter::new(program);
    for _ in 0..4 {
        let mut state = program.initial[0].clone();
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
    let mut facts: Vec<String> = (seen.iter())
        .filter(|(_, values)| values.len() > 1)
        .flat_map(|(name, values)| values.iter().map(move |v| format!("({name} == {v})")))
        .collect();
    // What stands before a colon may be a label.
    let labels: BTreeSet<&str> = (text.split(':'))
        .filter_map(|part| {
            let end = part.trim_end();
            let start = end.rfind(|c: char| !c.is_alphanumeric() && c != '_');
            let name = &end[start.map_or(0, |at| at + 1)..];
            let is_name = name.starts_with(|c: char| c.is_alphabetic());
            (is_name && name.is_ascii()).then_some(name)
        })
        .collect();
    for process in &program.processes {
        for label in &labels {
            let fact = format!("{}@{label}", process.name);
            if process.name.contains('[') && promela::proposition(model, &fact).is_ok() {
                facts.push(format!("({fact})"));
            }
        }
    }
    facts
}

/// The formula of that number.
fn drawn(number: usize, facts: &[String], random: &mut Random) -> String {
    let names = ["fact_0_", "fact_1_", "fact_2_"];
    let mut formula = match SHAPES.get(number) {
        Some(shape) => (shape.split(' '))
            .map(|word| {
                let letter = ['a', 'b', 'c'].iter().position(|&c| word.contains(c));
                match letter {
                    Some(i) => word.replace(['a', 'b', 'c'], names[i]),
                    None => word.to_string(),
                }
            })
            .collect::<Vec<_>>()
            .join(" "),
        None => {
            let mut draw = RandomFormula::new(3).without_next();
            draw.names = names.map(String::from).to_vec();
            draw.sizes = 4..=9;
            draw.set_priority(Op::Xor, 0);
            draw.set_priority(Op::Equiv, 0);
            let mut formulas = Formulas::new();
            let f = draw.draw(&mut formulas, random);
            print(&formulas, f, Syntax::Spin).to_string()
        }
    };
    for name in names {
        let fact: &String = random.pick(facts);
        formula = formula.replace(name, fact);
    }
    formula
}

/// The blocks and our verdicts; `None` if the model is not read.
fn ours(settings: &Settings, options: &[&str]) -> Result<Option<Vec<(String, String)>>, String> {
    let mut command = Command::new(&settings.sempre);
    command.args(["check", "model.pml", "--format", "json", "--quiet"]);
    command.args(["--time", &settings.seconds.to_string()]);
    command.args(options);
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
    let flags = ["-O0", "-w", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"];
    succeed(Command::new("gcc").args(flags).current_dir(work))
}

/// Is the block violated, says SPIN? `None` if it did not find out.
fn theirs(settings: &Settings, block: &str, weak: bool) -> Result<Option<bool>, String> {
    let seconds = settings.seconds.to_string();
    let deepest = format!("-m{DEPTH}");
    let mut arguments = vec![seconds.as_str(), "./pan", "-a", "-E", "-n", &deepest];
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
    // It does not always say that it went no deeper.
    let whole = !text.contains("search depth too small")
        && number_before(&text, ", errors:").is_some_and(|depth| depth + 1.0 < DEPTH);
    // What else fails, as an index outside of its array, is no verdict.
    let is_run = [
        "acceptance cycle",
        "end state in claim reached",
        "assertion violated  !(",
    ]
    .iter()
    .any(|words| text.contains(words));
    Ok(match errors {
        Some(n) if n > 0.0 => is_run.then_some(true),
        Some(_) if whole && text.contains("State-vector") => Some(false),
        _ => None,
    })
}
