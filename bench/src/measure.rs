//! What a program costs: CPU seconds and peak memory of one child process.
//!
//! The kernel tells the use of resources for all children together, so each program is run by a child of its own:
//! this same program, called with [`WORD`], runs the rest of its command line and tells what its only
//! child took.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// The first argument that makes a program [`run_measured`].
pub const WORD: &str = "--measure";

/// Begins the line of figures, the last one printed.
const MARK: &str = "measured:";

/// What one run took, and what it said.
#[derive(Clone, Debug)]
pub struct Cost {
    /// User and system time, seconds.
    pub cpu: f64,
    /// The time that passed, seconds.
    pub wall: f64,
    /// The most memory that it had, bytes.
    pub peak: f64,
    /// Its exit status, -1 for a signal.
    pub status: i32,
    /// Standard output, then standard error.
    pub text: String,
}

impl Cost {
    /// The report in JSON among what it said.
    pub fn report(&self) -> Option<Value> {
        let mut lines = self.text.lines();
        serde_json::from_str(lines.find(|line| line.starts_with('{'))?).ok()
    }
}

/// Runs a program in a folder.
pub fn measure(program: &Path, arguments: &[String], folder: &Path) -> Result<Cost, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new(own)
        .arg(WORD)
        .arg(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let figures = text.rsplit_once(MARK).and_then(|(said, figures)| {
        let mut figures = figures.split_whitespace().map(|w| w.parse::<f64>().ok());
        Some(Cost {
            cpu: figures.next()??,
            wall: figures.next()??,
            peak: figures.next()??,
            status: figures.next()?? as i32,
            text: said.to_string(),
        })
    });
    figures.ok_or_else(|| {
        let why = String::from_utf8_lossy(&output.stderr);
        format!("cannot run `{}`: {}", program.display(), why.trim())
    })
}

/// The other side: runs the command, prints what it says and the line of figures.
pub fn run_measured(command: &[String]) -> ExitCode {
    let Some((program, arguments)) = command.split_first() else {
        return ExitCode::from(2);
    };
    let begin = Instant::now();
    let output = match Command::new(program).args(arguments).output() {
        Ok(output) => output,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
    };
    let wall = begin.elapsed().as_secs_f64();
    let usage = match getrusage(UsageWho::RUSAGE_CHILDREN) {
        Ok(usage) => usage,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
    };
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    print!("{}", String::from_utf8_lossy(&output.stderr));
    println!(
        "{MARK} {} {wall} {} {}",
        micros as f64 / 1e6,
        // Linux counts kilobytes.
        usage.max_rss() * 1024,
        output.status.code().unwrap_or(-1)
    );
    ExitCode::SUCCESS
}
