//! Speed and memory of state space exploration, beside peers' if they are given.
//!
//! ```text
//! cargo build --release -p sempre
//! cargo run --release -p sempre-bench --bin exploration -- FOLDER [MODEL…] [--runs N] [--csv FILE]
//!     [--sempre PROGRAM] [--peer ltsmin=dve2lts-mc] [--peer divine=divine] [--peer spin=spin]
//! ```
//!
//! FOLDER holds DVE models (`FOLDER/MODEL.dve`) and, for SPIN, Promela (`FOLDER/promela/MODEL.pm`). LTSmin
//! needs DiVinE's compiler too, as `divine compile --ltsmin`; what it compiles is kept in a folder of the
//! system's temporary files.
//!
//! Every program is a process of its own, so start-up, reading and our own compilation of the model count;
//! the compilation of the model for a peer does not. Times are CPU seconds, user and system, of which
//! the least of N runs counts; all programs take turns within one run. Where wall time is told, two busy
//! loops tell how much of two processors was to be had.
//!
//! A peer's ratio is its CPU time divided by ours with one worker: above one, we are faster. LTSmin's own count of
//! bytes per state leaves out empty places in its table, ours counts them: the peak of resident memory
//! is the figure that compares like with like. LTSmin has to be told the size of its table and is told the best one.
//! SPIN's models are others than DVE's: times are compared per state.

use sempre_bench::campaign::{self, Campaign};
use sempre_bench::figures::{Column, Least, Row, quotient};
use sempre_bench::measure::{Cost, measure};
use sempre_bench::peers::{compile_for_ltsmin, number_before, succeed};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Models of BEEM that are neither too small to measure nor too large to wait for.
const MODELS: [&str; 10] = [
    "peterson.4",
    "bakery.5",
    "elevator.4",
    "brp2.6",
    "reader_writer.3",
    "at.4",
    "production_cell.3",
    "lann.4",
    "leader_filters.5",
    "lamport.5",
];

/// The Promela of these has nearly as many states as the DVE.
const PROMELA: [&str; 2] = ["at.4", "leader_filters.5"];

/// Models with more states are not interpreted.
const INTERPRETED: f64 = 2e6;

struct Settings<'a> {
    campaign: &'a Campaign,
    folder: PathBuf,
}

const COLUMNS: [Column; 19] = [
    ("states", 0, false),
    ("transitions", 0, false),
    ("cpu_1", 3, false),
    ("cpu_2", 3, false),
    ("Mstates/cpu_s_1", 2, true),
    ("Mstates/cpu_s_2", 2, true),
    ("cpu_2/1", 2, true),
    ("wall_2/1", 2, true),
    ("busy_2/1", 2, true),
    ("B/state", 1, true),
    ("rss/state", 1, true),
    ("interp/jit", 1, true),
    ("ltsmin_cpu", 3, false),
    ("ltsmin/ours", 2, true),
    ("ltsmin_B/state", 1, true),
    ("ltsmin_rss/state", 1, true),
    ("ltsmin_rss/ours", 2, true),
    ("spin_cpu", 3, false),
    ("spin/ours_per_state", 2, true),
];

fn main() -> ExitCode {
    let peers = ["ltsmin", "divine", "spin"];
    campaign::main("exploration", &peers, &[], |campaign| {
        let [folder, wanted @ ..] = &campaign.words[..] else {
            return Err("which folder?".into());
        };
        let settings = Settings {
            campaign,
            folder: std::path::absolute(folder).map_err(|e| e.to_string())?,
        };
        let models = match wanted.is_empty() {
            true => &MODELS.map(String::from),
            false => wanted,
        };
        let row = |model: &String| row(&settings, model);
        campaign.tabulate("model", &COLUMNS, models, String::clone, row)
    })
}

fn row(settings: &Settings<'_>, model: &str) -> Result<Row, String> {
    let none = Least(f64::INFINITY);
    let (mut cpu, mut wall, mut busy) = ([none; 2], [none; 2], [none; 2]);
    let (mut interpreted, mut rss) = (none, none);
    let mut peer = None;
    let mut spin = None;
    let mut first = Value::Null;
    for run in 0..settings.campaign.runs {
        for workers in [1, 2] {
            busy[workers - 1].note(busy_loops(workers));
            let (cost, report) = explore(settings, model, workers, false)?;
            if run == 0 && workers == 1 {
                first = report;
            } else if [&first["states"], &first["transitions"]]
                != [&report["states"], &report["transitions"]]
            {
                return Err("two runs differ in their numbers of states or transitions".into());
            }
            cpu[workers - 1].note(cost.cpu);
            wall[workers - 1].note(cost.wall);
            if workers == 1 {
                rss.note(cost.peak);
            }
        }
        let states = first["states"].as_f64().unwrap_or(0.0);
        if states < INTERPRETED {
            interpreted.note(explore(settings, model, 1, true)?.0.cpu);
        }
        let at = |name| settings.campaign.peer(name);
        if let (Some(ltsmin), Some(divine)) = (at("ltsmin"), at("divine")) {
            let bits = peer.as_ref().map(|p: &Ltsmin| p.bits);
            match run_ltsmin(settings, ltsmin, divine, model, states, bits) {
                Ok(now) => {
                    let least = |old: Ltsmin| if old.cpu < now.cpu { old } else { now };
                    peer = Some(peer.map_or(now, least));
                }
                Err(e) => eprintln!("{model}: {e}"),
            }
        }
        if let Some(program) = at("spin").filter(|_| PROMELA.contains(&model)) {
            match run_spin(settings, program, model, states) {
                Ok(now) => {
                    spin = Some(spin.map_or(
                        now,
                        |old: (f64, f64)| {
                            if old.0 < now.0 { old } else { now }
                        },
                    ));
                }
                Err(e) => eprintln!("{model}: {e}"),
            }
        }
    }
    let states = first["states"].as_f64().ok_or("no number of states")?;
    let [cpu_1, cpu_2] = cpu.map(Least::get);
    let [wall_1, wall_2] = wall.map(Least::get);
    let [busy_1, busy_2] = busy.map(Least::get);
    let rss_per_state = rss.get().map(|r| r / states);
    let peer_rss = peer.as_ref().map(|p| p.peak / states);
    Ok(Row {
        name: model.to_string(),
        figures: vec![
            Some(states),
            first["transitions"].as_f64(),
            cpu_1,
            cpu_2,
            quotient(Some(states / 1e6), cpu_1),
            quotient(Some(states / 1e6), cpu_2),
            quotient(cpu_2, cpu_1),
            quotient(wall_2, wall_1),
            quotient(busy_2, busy_1),
            first["bytes_per_state"].as_f64(),
            rss_per_state,
            quotient(interpreted.get(), cpu_1),
            peer.as_ref().map(|p| p.cpu),
            quotient(peer.as_ref().map(|p| p.cpu), cpu_1),
            peer.as_ref().and_then(|p| p.bytes),
            peer_rss,
            quotient(peer_rss, rss_per_state),
            spin.map(|s| s.0),
            quotient(
                spin.map(|(seconds, count)| seconds / count),
                cpu_1.map(|c| c / states),
            ),
        ],
    })
}

/// One run of ours.
fn explore(
    settings: &Settings<'_>,
    model: &str,
    workers: usize,
    interpret: bool,
) -> Result<(Cost, Value), String> {
    let file = settings.folder.join(format!("{model}.dve"));
    let mut arguments = vec![
        "explore".to_string(),
        "--quiet".into(),
        "--format=json".into(),
        format!("--workers={workers}"),
    ];
    if interpret {
        arguments.push("--no-jit".into());
    }
    arguments.push(file.display().to_string());
    let cost = measure(
        &settings.campaign.sempre,
        &arguments,
        &settings.campaign.work,
    )?;
    let report = (cost.report())
        .filter(|report| report["complete"] == true)
        .ok_or_else(|| format!("not explored: {}", cost.text.trim()))?;
    Ok((cost, report))
}

/// LTSmin's better run.
#[derive(Clone, Copy)]
struct Ltsmin {
    cpu: f64,
    peak: f64,
    /// Per state, by its own account.
    bytes: Option<f64>,
    /// Binary logarithm of the size of its table.
    bits: u32,
}

/// Both orders of search; the faster one. `bits` is the size of table that was enough before.
fn run_ltsmin(
    settings: &Settings<'_>,
    ltsmin: &Path,
    divine: &Path,
    model: &str,
    states: f64,
    bits: Option<u32>,
) -> Result<Ltsmin, String> {
    let compiled = compile_for_ltsmin(divine, &settings.folder, model, &settings.campaign.work)?;
    let mut best: Option<Ltsmin> = None;
    for order in ["bfs", "dfs"] {
        let mut bits = bits.unwrap_or(states.log2().ceil() as u32 + 1);
        let cost = loop {
            let arguments = [
                &compiled,
                "-s",
                &bits.to_string(),
                &format!("--strategy={order}"),
                "--state=tree",
                "--threads=1",
            ]
            .map(String::from);
            let cost = measure(ltsmin, &arguments, &settings.campaign.work)?;
            if !cost.text.contains("table full") {
                break cost;
            }
            bits += 1;
        };
        if cost.status != 0 {
            return Err(format!("LTSmin failed: {}", cost.text.trim()));
        }
        let counted = number_before(&cost.text, " states ");
        if counted != Some(states) {
            return Err(format!("LTSmin counts {counted:?} states, we {states}"));
        }
        if best.as_ref().is_none_or(|b| cost.cpu < b.cpu) {
            best = Some(Ltsmin {
                cpu: cost.cpu,
                peak: cost.peak,
                bytes: number_before(&cost.text, " B/state"),
                bits,
            });
        }
    }
    best.ok_or_else(|| "LTSmin was not run".into())
}

/// CPU seconds and number of states of SPIN's verifier.
fn run_spin(
    settings: &Settings<'_>,
    spin: &Path,
    model: &str,
    states: f64,
) -> Result<(f64, f64), String> {
    let folder = settings.campaign.work.join(format!("spin-{model}"));
    if !folder.join("pan").exists() {
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let source = settings.folder.join(format!("promela/{model}.pm"));
        succeed(
            Command::new(spin)
                .arg("-a")
                .arg(source)
                .current_dir(&folder),
        )?;
        let flags = [
            "-O2",
            "-DNOREDUCE",
            "-DSAFETY",
            "-DMEMLIM=16000",
            "-w",
            "-o",
            "pan",
            "pan.c",
        ];
        succeed(Command::new("gcc").args(flags).current_dir(&folder))?;
    }
    let size = format!("-w{}", states.log2().ceil() as u32 + 1);
    let arguments = ["-m3000000", "-E", "-c0", &size].map(String::from);
    let cost = measure(&folder.join("pan"), &arguments, &folder)?;
    let counted = number_before(&cost.text, " states, stored").ok_or("SPIN counts no states")?;
    Ok((cost.cpu, counted))
}

/// Seconds that so many busy loops take, one per thread.
fn busy_loops(threads: usize) -> f64 {
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut x = std::hint::black_box(1u64);
                for _ in 0..150_000_000 {
                    x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                }
                std::hint::black_box(x)
            });
        }
    });
    begin.elapsed().as_secs_f64()
}
