//! External translators: a shell command with placeholders, a time limit, and whatever format the
//! answer is in.
//!
//! `%f`, `%s`, `%l` stand for the formula in the syntax of Spot, SPIN, LBT, quoted for the shell; `%F`,
//! `%S`, `%L` for a file with it; `%O` for the file the command writes to (its standard output, if there
//! is no `%O`); `%%` for a percent sign.
//!
//! The command runs in a process group of its own, which is killed as a whole when the time is over:
//! killing only the shell would leave its children running.

use super::Made;
use crate::Workbench;
use crate::automata::read_automata;
use sempre_base::{Severity, Source, stop};
use sempre_ltl::{Formula, Op, Syntax};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A folder for the files of external commands; removed with all it contains when dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    next: AtomicUsize,
}

impl Scratch {
    /// A new folder among the temporary files.
    pub fn new() -> io::Result<Self> {
        let base = std::env::temp_dir();
        for attempt in 0..100 {
            let folder = base.join(format!("sempre-{}-{attempt}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Ok(()) => {
                    return Ok(Self {
                        folder,
                        next: AtomicUsize::new(0),
                    });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::Error::other("no free name for a temporary folder"))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A path that no other call gets.
    fn file(&self) -> PathBuf {
        // Only uniqueness matters, no other memory depends on it.
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        self.folder.join(n.to_string())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be done about a file that cannot be removed.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A command with placeholders.
#[derive(Clone, Debug)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Formula(Syntax),
    FormulaFile(Syntax),
    Output,
}

impl Template {
    /// Reads a command; it must say where the formula goes.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let part = match c {
                '%' => match chars.next() {
                    Some('f') => Part::Formula(Syntax::Spot),
                    Some('s') => Part::Formula(Syntax::Spin),
                    Some('l') => Part::Formula(Syntax::Lbt),
                    Some('F') => Part::FormulaFile(Syntax::Spot),
                    Some('S') => Part::FormulaFile(Syntax::Spin),
                    Some('L') => Part::FormulaFile(Syntax::Lbt),
                    Some('O') => Part::Output,
                    Some('%') => {
                        plain.push('%');
                        continue;
                    }
                    other => {
                        let shown = other.map(String::from).unwrap_or_default();
                        return Err(format!(
                            "`%{shown}` is no placeholder; known are %f, %s, %l, %F, %S, %L, %O and %%"
                        ));
                    }
                },
                _ => {
                    plain.push(c);
                    continue;
                }
            };
            parts.push(Part::Text(std::mem::take(&mut plain)));
            parts.push(part);
        }
        parts.push(Part::Text(plain));
        let reads = |p: &Part| matches!(p, Part::Formula(_) | Part::FormulaFile(_));
        if !parts.iter().any(reads) {
            return Err(format!(
                "the command `{text}` does not say where the formula goes: write %f, %s or %l for it \
                 in the syntax of Spot, SPIN or LBT"
            ));
        }
        Ok(Self { parts })
    }

    /// Runs the command on a formula and reads what it wrote.
    pub fn translate(
        &self,
        bench: &mut Workbench,
        f: Formula,
        limit: Option<Duration>,
        scratch: &Scratch,
    ) -> (Made, Duration) {
        let output = scratch.file();
        let mut files = vec![output.clone()];
        let start = Instant::now();
        let made = self
            .run(bench, f, limit, scratch, &output, &mut files)
            .unwrap_or_else(|e| Made::Failed(e.to_string()));
        let time = start.elapsed();
        for file in files {
            // It may never have been written.
            let _ = std::fs::remove_file(file);
        }
        (made, time)
    }

    fn run(
        &self,
        bench: &mut Workbench,
        f: Formula,
        limit: Option<Duration>,
        scratch: &Scratch,
        output: &Path,
        files: &mut Vec<PathBuf>,
    ) -> io::Result<Made> {
        let mut line = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => line.push_str(text),
                Part::Formula(syntax) => line.push_str(&quote(&written(bench, f, *syntax))),
                Part::Output => line.push_str(&quote(&output.display().to_string())),
                Part::FormulaFile(syntax) => {
                    let file = scratch.file();
                    std::fs::write(&file, written(bench, f, *syntax) + "\n")?;
                    line.push_str(&quote(&file.display().to_string()));
                    files.push(file);
                }
            }
        }
        let complaints = scratch.file();
        files.push(complaints.clone());
        let own = self.parts.contains(&Part::Output);
        let stdout = if own {
            Stdio::null()
        } else {
            File::create(output)?.into()
        };
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(&line)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(File::create(&complaints)?);
        let Some(status) = wait(own_group(&mut command).spawn()?, limit)? else {
            return Ok(Made::TimedOut);
        };
        if !status.success() {
            // Some tools complain on standard output.
            let texts = [&complaints, output].map(|p| std::fs::read(p).unwrap_or_default());
            let text = String::from_utf8_lossy(&texts.concat()).into_owned();
            let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
            return Ok(Made::Failed(format!("{status}: {first}")));
        }
        let text = String::from_utf8_lossy(&std::fs::read(output)?).into_owned();
        let (automata, diagnostics) = read_automata(&mut bench.alphabet, &text);
        if let Some(d) = diagnostics.iter().find(|d| d.severity == Severity::Error) {
            let shown = Source::new("its output", &text).render(d).to_string();
            return Ok(Made::Failed(shown));
        }
        let mut automata = automata.into_iter();
        match (automata.next(), automata.next()) {
            (Some(a), None) => Ok(Made::Automaton(a.automaton)),
            (None, _) => Ok(Made::Failed("it wrote no automaton".to_string())),
            _ => Ok(Made::Failed("it wrote several automata".to_string())),
        }
    }
}

/// The formula as the command reads it. SPIN to version 6.5 has no `W` in its command line.
fn written(bench: &mut Workbench, f: Formula, syntax: Syntax) -> String {
    if syntax != Syntax::Spin {
        return bench.print(f, syntax);
    }
    let g = bench
        .formulas
        .rebuild(f, |arena, g, operands| match (arena.op(g), operands) {
            (Op::Proposition, _) => g,
            (Op::WeakUntil, &[l, r]) => {
                let either = arena.node(Op::Or, &[l, r]);
                arena.node(Op::Release, &[r, either])
            }
            (op, operands) => arena.node(op, operands),
        });
    bench.print(g, syntax)
}

/// `text` as one word of a shell command.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(unix)]
fn own_group(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0)
}

#[cfg(not(unix))]
fn own_group(command: &mut Command) -> &mut Command {
    command
}

/// Waits for the end of a command; `None` if it took longer than the limit, or the process is to stop, and it was killed.
fn wait(mut child: Child, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
    let limit = limit.unwrap_or(Duration::MAX);
    let start = Instant::now();
    // Most commands are over in a few milliseconds; long ones need not be asked so often.
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() >= limit || stop::requested().is_some() {
            kill_group(&mut child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause.min(limit.saturating_sub(start.elapsed())));
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Kills the command and its children.
fn kill_group(child: &mut Child) {
    // The standard library can only kill one process; the shell's `kill` can kill the group.
    if cfg!(unix) {
        let group = format!("kill -KILL -{}", child.id());
        let _ = Command::new("sh")
            .arg("-c")
            .arg(group)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
    // It may be dead already.
    let _ = child.kill();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_read() {
        let t = Template::parse("spin -f %s > %O; echo 100%%").unwrap();
        let wanted = [
            Part::Text("spin -f ".into()),
            Part::Formula(Syntax::Spin),
            Part::Text(" > ".into()),
            Part::Output,
            Part::Text("; echo 100%".into()),
        ];
        assert_eq!(t.parts, wanted);
        for (bad, complaint) in [
            ("spin -f %x", "`%x` is no placeholder"),
            ("spin %f %", "`%` is no placeholder"),
            ("spin %O", "where the formula goes"),
        ] {
            let error = Template::parse(bad).unwrap_err();
            assert!(error.contains(complaint), "{error}");
        }
    }

    #[test]
    fn quoting_survives_the_shell() {
        assert_eq!(quote("a' b"), r"'a'\'' b'");
    }
}
