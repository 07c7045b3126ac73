//! State counts, speed and memory on Promela models, beside SPIN's.
//!
//! ```text
//! cargo build --release -p sempre
//! cargo run --release -p sempre-bench --bin promela -- FOLDER|FILE… [--most STATES] [--seconds N]
//!     [--sempre PROGRAM] [--spin PROGRAM]
//! ```
//!
//! SPIN explores without its optimisations, `spin -a -o1 -o2 -o3` and `gcc -O2 -DNOREDUCE -DSAFETY`: then states and
//! transitions are the same, and a difference is an error of ours (SPIN's count of transitions has one more, for the
//! initial state). Its verifier is told the least depth that is enough, of 10,000 and so many times ten, since it
//! takes memory for all of it. Times are CPU seconds; `spin+gcc` is what making the verifier takes, `x` is how many
//! times faster we are without that. Memory is the peak of resident memory divided by the states, and then what the states alone
//! take by the word of each program.
//!
//! A model on which SPIN takes longer than `--seconds`, or finds more than `--most` states, is left out, and so is
//! one that it does not finish. The status is 1 if some count differs.

use sempre_bench::measure::{self, Cost, measure, run_measured};
use sempre_bench::peers::number_before;
use sempre_bench::promela_files::{exit_code, promela_models};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

struct Settings {
    models: Vec<PathBuf>,
    most: f64,
    seconds: u64,
    sempre: PathBuf,
    spin: PathBuf,
    work: PathBuf,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((word, command)) = arguments.split_first()
        && word == measure::WORD
    {
        return run_measured(command);
    }
    exit_code(settings().and_then(|s| run(&s)))
}

fn settings() -> Result<Settings, String> {
    let mut settings = Settings {
        models: Vec::new(),
        most: 5e6,
        seconds: 60,
        sempre: PathBuf::from("target/release/sempre"),
        spin: PathBuf::from("spin"),
        work: std::env::temp_dir().join(format!("sempre-promela-{}", std::process::id())),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--most" => settings.most = value()?.parse().map_err(|_| "--most needs a number")?,
            "--seconds" => {
                settings.seconds = value()?.parse().map_err(|_| "--seconds needs a number")?;
            }
            "--sempre" => settings.sempre = PathBuf::from(value()?),
            "--spin" => settings.spin = PathBuf::from(value()?),
            path => settings.models.extend(promela_models(Path::new(path))?),
        }
    }
    if settings.models.is_empty() {
        return Err("which models? give files, or folders of them".to_string());
    }
    let absolute = std::path::absolute(&settings.sempre).map_err(|e| e.to_string())?;
    settings.sempre = absolute;
    Ok(settings)
}

fn run(settings: &Settings) -> Result<bool, String> {
    std::fs::create_dir_all(&settings.work).map_err(|e| e.to_string())?;
    println!(
        "{:<24} {:>10} {:>10} {:>6} {:>8} {:>8} {:>8} {:>6} {:>8} {:>8} {:>8} {:>8}",
        "model",
        "states",
        "spin",
        "same",
        "cpu",
        "pan",
        "spin+gcc",
        "x",
        "B/state",
        "pan",
        "B stored",
        "pan"
    );
    let (mut compared, mut same, mut large) = (0, 0, 0);
    // Logarithms of the ratios of time, of peak memory and of stored bytes.
    let mut logarithms = [0.0; 3];
    for model in &settings.models {
        let Some((pan, making)) = spin(settings, model)? else {
            continue;
        };
        let states = number_before(&pan.text, " states, stored").unwrap_or(0.0);
        let transitions = number_before(&pan.text, " transitions (").unwrap_or(0.0);
        if states > settings.most {
            continue;
        }
        let path = std::path::absolute(model).map_err(|e| e.to_string())?;
        let arguments = [
            "explore",
            &path.to_string_lossy(),
            "--quiet",
            "--format",
            "json",
        ];
        let ours = measure(
            &settings.sempre,
            &arguments.map(String::from),
            &settings.work,
        )?;
        let report = ours.report().unwrap_or(Value::Null);
        let count = |name: &str| report[name].as_f64().unwrap_or(0.0);
        let agree = count("states") == states && count("transitions") + 1.0 == transitions;
        compared += 1;
        same += usize::from(agree);
        let ratio = pan.cpu / ours.cpu.max(1e-3);
        let stored = count("bytes_per_state");
        let stored_by_pan = number_before(&pan.text, "\tactual memory usage for states")
            .or(number_before(
                &pan.text,
                "\tequivalent memory usage for states",
            ))
            .unwrap_or(0.0)
            * f64::from(1 << 20)
            / states.max(1.0);
        if states >= 1e5 {
            large += 1;
            let ratios = [ratio, pan.peak / ours.peak, stored_by_pan / stored];
            for (sum, ratio) in logarithms.iter_mut().zip(ratios) {
                *sum += ratio.max(1e-3).ln();
            }
        }
        println!(
            "{:<24} {:>10} {:>10} {:>6} {:>8.2} {:>8.2} {:>8.2} {:>6.2} {:>8.1} {:>8.1} {:>8.1} {:>8.1}",
            model.file_stem().unwrap_or_default().to_string_lossy(),
            count("states"),
            states,
            if agree { "yes" } else { "NO" },
            ours.cpu,
            pan.cpu,
            making,
            ratio,
            ours.peak / states.max(1.0),
            pan.peak / states.max(1.0),
            stored,
            stored_by_pan,
        );
    }
    println!("{same} of {compared} agree");
    if large > 0 {
        let [speed, peak, stored] = logarithms.map(|sum| (sum / f64::from(large)).exp());
        println!(
            "{speed:.2} times SPIN's speed, 1/{peak:.1} of its peak memory, 1/{stored:.1} of its memory for states: \
             geometric means over {large} models of 100,000 states and more"
        );
    }
    let _ = std::fs::remove_dir_all(&settings.work);
    Ok(same == compared)
}

/// What SPIN's verifier took and said, and the seconds of making it; `None` if it did not finish.
fn spin(settings: &Settings, model: &Path) -> Result<Option<(Cost, f64)>, String> {
    let path = std::path::absolute(model).map_err(|e| e.to_string())?;
    let mut arguments = ["-a", "-o1", "-o2", "-o3"].map(String::from).to_vec();
    arguments.push(path.to_string_lossy().into_owned());
    let spun = measure(&settings.spin, &arguments, &settings.work)?;
    if spun.status != 0 {
        eprintln!("warning: SPIN does not read `{}`", model.display());
        return Ok(None);
    }
    let flags = ["-O2", "-w", "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c"];
    let compiled = measure(Path::new("gcc"), &flags.map(String::from), &settings.work)?;
    if compiled.status != 0 {
        return Err(compiled.text);
    }
    let making = spun.cpu + compiled.cpu;
    let seconds = settings.seconds.to_string();
    let mut depth = 10_000;
    loop {
        let deep = format!("-m{depth}");
        let arguments = [&seconds, "./pan", &deep, "-E", "-A", "-n"].map(String::from);
        let cost = measure(Path::new("timeout"), &arguments, &settings.work)?;
        let ended = cost.text.contains("states, stored");
        if ended && cost.text.contains("search depth too small") && depth < 100_000_000 {
            depth *= 10;
            continue;
        }
        let finished = ended
            && !cost.text.contains("Search not completed")
            && !cost.text.contains("search depth too small");
        return Ok(finished.then_some((cost, making)));
    }
}
