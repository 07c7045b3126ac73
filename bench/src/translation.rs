//! Speed of the translation of formulas, beside a peer's if one is given.
//!
//! ```text
//! cargo run --release -p sempre-bench --bin translation -- [LIST…] [--peer 'ltl2tgba -F %F --stats=%%s']
//! ```
//!
//! Each list of formulas (one per line), and four hard families, is translated in this process; the
//! peer, a shell command in which `%F` stands for a file of formulas, does the same in another
//! process. Times are CPU seconds; the least of three runs counts.

use sempre_ltl::{Formulas, ParseOptions, Syntax, parse, patterns, print};
use sempre_omega::Alphabet;
use sempre_translate::translator::{Options, Translator};
use std::process::{Command, ExitCode, Stdio};

const RUNS: usize = 3;

fn main() -> ExitCode {
    let mut lists: Vec<(String, Vec<String>)> = Vec::new();
    let mut peer = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        if word == "--peer" {
            peer = arguments.next();
            continue;
        }
        match std::fs::read_to_string(&word) {
            Ok(text) => lists.push((word, text.lines().map(str::to_string).collect())),
            Err(e) => {
                eprintln!("{word}: {e}");
                return ExitCode::from(2);
            }
        }
    }
    for (name, n) in [
        ("and-gf", 12),
        ("gf-implies", 8),
        ("u-right", 12),
        ("u-left", 10),
    ] {
        let mut formulas = Formulas::new();
        if let Some(f) = patterns::family(&mut formulas, name, n) {
            let text = print(&formulas, f, Syntax::Spot).to_string();
            lists.push((format!("{name} {n}"), vec![text]));
        }
    }
    println!("list,formulas,states,edges,seconds,peer_seconds,ratio");
    for (name, list) in &lists {
        let mut best = f64::INFINITY;
        let mut size = (0, 0);
        for _ in 0..RUNS {
            let start = own_cpu();
            size = translate(list);
            best = best.min(own_cpu() - start);
        }
        let other = peer.as_ref().and_then(|command| run_peer(command, list));
        let (seconds, ratio) = match other {
            Some(t) => (format!("{t:.3}"), format!("{:.2}", t / best.max(0.001))),
            None => (String::new(), String::new()),
        };
        println!(
            "{name},{},{},{},{best:.3},{seconds},{ratio}",
            list.len(),
            size.0,
            size.1
        );
    }
    ExitCode::SUCCESS
}

/// Translates each formula on its own, as separate users would; tells the sums of states and edges.
fn translate(list: &[String]) -> (usize, usize) {
    let mut size = (0, 0);
    for text in list {
        let mut formulas = Formulas::new();
        let Ok(parsed) = parse(&mut formulas, text, &ParseOptions::default()) else {
            continue;
        };
        let mut alphabet = Alphabet::new();
        let a = Translator::new().translate(
            &mut formulas,
            &mut alphabet,
            parsed.formula,
            Options::default(),
        );
        size.0 += a.states();
        size.1 += a.edge_count();
    }
    size
}

/// The least CPU time of the peer over the list; `None` if it fails.
fn run_peer(command: &str, list: &[String]) -> Option<f64> {
    let file = std::env::temp_dir().join(format!("sempre-bench-{}.ltl", std::process::id()));
    std::fs::write(&file, list.join("\n") + "\n").ok()?;
    let line = command
        .replace("%F", &file.display().to_string())
        .replace("%%", "%");
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = children_cpu();
        let status = Command::new("sh")
            .arg("-c")
            .arg(&line)
            .stdout(Stdio::null())
            .status();
        if !status.is_ok_and(|s| s.success()) {
            eprintln!("the peer failed: {line}");
            return None;
        }
        best = best.min(children_cpu() - start);
    }
    let _ = std::fs::remove_file(file);
    Some(best)
}

/// CPU seconds of this process so far, user and system.
fn own_cpu() -> f64 {
    cpu_fields(13)
}

/// CPU seconds of the children waited for so far.
fn children_cpu() -> f64 {
    cpu_fields(15)
}

/// Two neighbouring fields of `/proc/self/stat`, in seconds (a tick is 10 ms).
fn cpu_fields(first: usize) -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is the name in parentheses and may contain spaces.
    let rest = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> = rest
        .split_whitespace()
        .map(|w| w.parse().unwrap_or(0.0))
        .collect();
    fields
        .get(first - 2..first)
        .map_or(0.0, |pair| pair.iter().sum::<f64>() / 100.0)
}
