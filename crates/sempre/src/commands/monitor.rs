//! `sempre monitor`: has a recorded trace decided a formula, and at which line?

use crate::failure::{Answer, Failure, Outcome};
use crate::input::read_into;
use crate::output::OutputOptions;
use crate::supervisor;
use clap::{Args, ValueEnum};
use sempre::Workbench;
use sempre::base::stop::{Stop, checkpoint};
use sempre::base::{Diagnostic, Source};
use sempre::ltl::Syntax;
use sempre::ltl::{Formula, Formulas};
use sempre::memory;
use sempre::monitor::{Monitor, MonitorVerdict};
use sempre::reasons::{Decided, RecordedTrace, reasons};
use sempre::trace_lines::{TraceFormat, TraceReader};
use sempre::translate::translator::{Effort, Translator};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

/// Watch a trace on standard input: is a formula violated, or satisfied, for sure?
///
/// Each line of the trace is a step: the propositions that hold, separated by white space; or a
/// JSON object; or a CSV record after a header. Reading stops at the line that decides, and the
/// parts of the formula that this line made fail, or hold, are told. The exit status is 0 if the
/// formula is satisfied or still open at the end, 1 if it is violated, 2 if the trace cannot be read. The speed is told on
/// standard error if there are 100000 lines or more.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The formula
    formula: String,

    /// The form of the trace
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Auto)]
    trace: Form,

    /// What to do about a line that cannot be read
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = OnError::Stop)]
    on_error: OnError,

    /// How long the monitor may take to make, before the trace is read
    #[arg(long, value_name = "SECONDS", value_parser = super::check::seconds, default_value = "30")]
    time: Duration,

    /// How much memory the process may take, as 50M or 2G [default: nine tenths of what is free]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_size)]
    memory: Option<usize>,

    /// How to print the verdict
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Told by the first line
    Auto,
    /// Names of propositions that hold
    Lines,
    /// Objects from names to truth values
    Json,
    /// A header of names, then truth values
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnError {
    /// Complain, and go on with the next line as if it were not there
    Skip,
    /// Complain, and stop with exit status 2
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// An object on a line
    Json,
}

/// Monitors with more states are refused.
const MOST_STATES: usize = 1 << 16;

/// Complaints about skipped lines that are shown.
const MOST_COMPLAINTS: usize = 10;

/// The trace is forgotten, and with it the reasons, when it takes more bytes.
const MOST_BYTES: usize = 1 << 28;

/// The speed is told from so many lines on.
const MANY_LINES: usize = 100_000;

/// Where the trace was when reading stopped.
struct End {
    verdict: MonitorVerdict,
    line: usize,
    steps: usize,
    skipped: usize,
    trace: Option<RecordedTrace>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut out = arguments.output.open()?;
    let mut bench = Workbench::new();
    let f = read_into(&mut bench.formulas, "formula", &arguments.formula)?;
    let text = bench.print(f, Syntax::Spot);
    let refused = |why: String| Failure::Message(format!("cannot watch {text}: {why}"));
    let mut formulas = bench.formulas.clone();
    let deadline = Instant::now().checked_add(arguments.time);
    supervisor::limit_memory(arguments.memory.or_else(memory::default_budget));
    let make = || Monitor::new(&mut formulas, f, MOST_STATES);
    let what = "making the monitor";
    let monitor = supervisor::during(what, deadline, make)
        .map_err(|stop| match stop {
            Stop::Time => refused(format!(
                "its automata are not made after {} seconds; --time gives them more",
                arguments.time.as_secs_f64()
            )),
            stop => Failure::Stopped(stop, what.to_string()),
        })?
        .map_err(|why| refused(why.to_string()))?;
    let begin = Instant::now();
    let end = supervisor::step("watching the trace", None, || watch(arguments, monitor))?;
    let seconds = begin.elapsed().as_secs_f64();
    let speed = (end.line as f64 / seconds.max(1e-9)).round();
    let why = Why::new(&mut bench.formulas, f, &end);
    match arguments.format {
        Format::Text => {
            let place = match (end.verdict, end.line) {
                (MonitorVerdict::Open, _) => format!("after {} steps", end.steps),
                (_, 0) => "before the first line".to_string(),
                (_, line) => format!("at line {line}"),
            };
            writeln!(out, "{text}: {} {place}", end.verdict)?;
            if let Some(why) = &why {
                if let Some(instead) = &why.instead {
                    writeln!(out, "  it means {instead}")?;
                }
                for (part, line, verb) in &why.parts {
                    writeln!(out, "  {part} {verb} at line {line}")?;
                }
            }
        }
        Format::Json => {
            let decided = end.verdict != MonitorVerdict::Open;
            let object = json!({
                "formula": text,
                "verdict": end.verdict.to_string(),
                "line": decided.then_some(end.line),
                "steps": end.steps,
                "skipped": end.skipped,
                "means": why.as_ref().and_then(|w| w.instead.as_ref()),
                "reasons": why.as_ref().map(|w| {
                    let each = w.parts.iter().map(|(part, line, verb)| {
                        json!({"subformula": part, "line": line, "holds": *verb == HOLDS})
                    });
                    each.collect::<Vec<_>>()
                }),
                "seconds": seconds,
                "lines_per_second": speed,
            });
            writeln!(out, "{object}")?;
        }
    }
    out.flush()?;
    if end.line >= MANY_LINES {
        eprintln!(
            "note: {} lines in {seconds:.3} seconds, {speed} lines per second",
            end.line
        );
    }
    Ok(Answer::from(end.verdict != MonitorVerdict::Violated))
}

const HOLDS: &str = "holds";
const FAILS: &str = "fails";

/// Why the last line decides.
struct Why {
    /// What the formula means, if it tells more than the formula itself.
    instead: Option<String>,
    /// Subformulas, from large to small; lines; whether they hold or fail.
    parts: Vec<(String, usize, &'static str)>,
}

impl Why {
    /// The formula as it was written, or, if it does not tell, a simpler one.
    fn new(formulas: &mut Formulas, f: Formula, end: &End) -> Option<Self> {
        let trace = end.trace.as_ref()?;
        let holds = match end.verdict {
            MonitorVerdict::Open => return None,
            MonitorVerdict::Violated => false,
            MonitorVerdict::Satisfied => true,
        };
        let numbers = formulas.propositions_of(f);
        let (means, chain) = match reasons(formulas, f, &numbers, trace, holds) {
            Some(chain) => (f, chain),
            None => {
                let g = Translator::new().rewritten(formulas, f, Effort::High);
                (g, reasons(formulas, g, &numbers, trace, holds)?)
            }
        };
        let print = |g: Formula| sempre::ltl::print(formulas, g, Syntax::Spot).to_string();
        let part = |d: &Decided| {
            let verb = if d.holds { HOLDS } else { FAILS };
            (print(d.formula), trace.line(d.step), verb)
        };
        Some(Self {
            instead: (means != f).then(|| print(means)),
            // The first is the formula itself.
            parts: chain.iter().skip(1).map(part).collect(),
        })
    }
}

fn watch(arguments: &Arguments, mut monitor: Monitor) -> Outcome<End> {
    let mut end = End {
        verdict: monitor.verdict(),
        line: 0,
        steps: 0,
        skipped: 0,
        trace: Some(RecordedTrace::new(monitor.propositions().len())),
    };
    let mut input = BufReader::with_capacity(1 << 17, std::io::stdin().lock());
    let mut reader: Option<TraceReader> = None;
    let wide = monitor.propositions().len() > 64;
    let mut line = Vec::new();
    while end.verdict == MonitorVerdict::Open {
        checkpoint();
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|e| Failure::Message(format!("cannot read the trace: {e}")))? == 0 {
            break;
        }
        end.line += 1;
        let reader = reader.get_or_insert_with(|| {
            let format = match arguments.trace {
                Form::Auto => TraceFormat::detect(&line),
                Form::Lines => TraceFormat::Lines,
                Form::Json => TraceFormat::Json,
                Form::Csv => TraceFormat::Csv,
            };
            TraceReader::new(monitor.propositions(), format)
        });
        match reader.read(&line) {
            Ok(None) => {}
            Ok(Some(letter)) => {
                end.steps += 1;
                if let Some(trace) = &mut end.trace {
                    trace.push(letter, end.line);
                    if trace.bytes() > MOST_BYTES {
                        end.trace = None;
                    }
                }
                end.verdict = if wide {
                    monitor.step_by(|p| letter[p / 64] >> (p % 64) & 1 == 1)
                } else {
                    monitor.step(letter[0])
                };
            }
            Err(complaint) => {
                // Without a header there is nothing to go on with.
                if arguments.on_error == OnError::Stop || reader.needs_header() {
                    complain(&complaint, &line, end.line);
                    return Err(Failure::Shown);
                }
                end.skipped += 1;
                if end.skipped <= MOST_COMPLAINTS {
                    complain(&complaint, &line, end.line);
                }
            }
        }
    }
    if end.skipped > 0 {
        eprintln!("warning: {} lines were skipped", end.skipped);
    }
    if let Some(reader) = reader
        && end.verdict == MonitorVerdict::Open
    {
        for name in reader.never_held() {
            eprintln!("note: `{name}` holds nowhere in the trace");
        }
    }
    Ok(end)
}

/// A complaint about a line of the trace.
fn complain(complaint: &Diagnostic, line: &[u8], number: usize) {
    let text = String::from_utf8_lossy(line);
    let (_, column) = Source::new("trace", &text).line_column(complaint.span.start.min(text.len()));
    eprintln!("error: trace:{number}:{column}: {}", complaint.message);
    if let Some(help) = &complaint.help {
        eprintln!("  = help: {help}");
    }
}
