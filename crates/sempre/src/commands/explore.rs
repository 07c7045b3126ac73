//! `sempre explore`: the state space of a model.

use crate::failure::{Answer, Failure, Outcome};
use crate::model_input::ModelOptions;
use crate::output::OutputOptions;
use crate::output::write_file;
use crate::picture::Picture;
use crate::run_text::Legend;
use crate::{notices, progress, supervisor};
use clap::{Args, ValueEnum};
use sempre::explicit::explore::{
    Exploration, Goal, Options, Order, Outcome as Ending, Progress, Reason, explore,
};
use sempre::explicit::product::Limits;
use sempre::explicit::shared::{SharedExploration, SharedOptions, Status};
use sempre::jit::CompiledSystem;
use sempre::lang::etf::write_etf;
use sempre::memory;
use sempre::model::{Layout, Program, ProgramSystem, System};
use sempre::shown_run::{Detail, ShownRun};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Count the states of a model, find its deadlocks and failures
///
/// Explores everything that is reachable: states, transitions (one for each enabled action), deadlocks;
/// failed assertions and erroneous steps (an index out of range, a division by zero) are shown with a
/// shortest trace. Status 0 done, 1 something failed, 2 bad input, 3 stopped before the end.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    #[command(flatten)]
    model: ModelOptions,

    /// One state after another, or sets of states as decision diagrams
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "explicit")]
    engine: EngineName,

    /// The order of the search [default: bfs; with the symbolic engine saturation, helped by bfs if it gets long]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub(super) search: Option<SearchName>,

    /// For the symbolic engine: the variables, one on a line of FILE, in the order of the levels of diagrams
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) order: Option<PathBuf>,

    /// Stop at the first of these and show a trace to it, a shortest one with --search bfs
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) find: Option<GoalName>,

    /// Show each different failure once, with a shortest run to it; they are looked for by one thread
    #[arg(long, conflicts_with_all = ["find", "search"])]
    all_failures: bool,

    /// How many threads search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) workers: u16,

    /// How much memory the process may take, as 50M or 2G [default: nine tenths of what is free]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_size)]
    pub(super) memory: Option<usize>,

    /// How many seconds it may take, from reading the model to the last state
    #[arg(long, value_name = "SECONDS", value_parser = super::check::seconds)]
    pub(super) time: Option<Duration>,

    /// Interpret the model instead of compiling it
    #[arg(long)]
    no_jit: bool,

    /// Write the model as ETF into FILE too, when all states are known
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) etf: Option<PathBuf>,

    /// The format of the results
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(super) format: Format,

    /// Show states in full, also those of hundreds of variables, which are folded otherwise
    #[arg(long)]
    pub(super) full: bool,

    /// No progress line, no warnings and no notes
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    pub(super) output: OutputOptions,
}

impl Arguments {
    /// How much of a state is shown.
    pub(super) fn detail(&self) -> Detail {
        if self.full {
            Detail::Full
        } else {
            Detail::Folded
        }
    }
}

/// The orders.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchName {
    /// Breadth-first
    Bfs,
    /// Depth-first; explicit
    Dfs,
    /// Each action on all that is known; symbolic
    Chaining,
    /// From the bottom of the diagrams up; symbolic
    Saturation,
}

/// The engines.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum EngineName {
    /// One state after another
    Explicit,
    /// Sets of states
    Symbolic,
}

/// What can be looked for.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub(super) enum GoalName {
    /// A state without successors
    Deadlock,
    /// A failed assertion or an erroneous step
    Failure,
}

impl From<GoalName> for Goal {
    fn from(name: GoalName) -> Self {
        match name {
            GoalName::Deadlock => Goal::Deadlock,
            GoalName::Failure => Goal::Failure,
        }
    }
}

/// The formats.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// For people
    Text,
    /// One object on a line
    Json,
    /// For people, with what was found as a message sequence chart
    Msc,
    /// For people, with what was found as `spin -t -p` tells it; of a Promela model
    Trail,
}

/// Systems whose states are states of a program.
trait Packed: System {
    /// The values of the cells.
    fn cells(&self, state: &[u64]) -> Vec<i64>;
}

impl Packed for CompiledSystem {
    fn cells(&self, state: &[u64]) -> Vec<i64> {
        let mut cells = vec![0; self.program().cells()];
        self.layout().unpack(state, &mut cells);
        cells
    }
}

impl Packed for ProgramSystem {
    fn cells(&self, state: &[u64]) -> Vec<i64> {
        let mut cells = vec![0; self.program().cells()];
        self.layout().unpack(state, &mut cells);
        cells
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let deadline = arguments.time.and_then(|t| Instant::now().checked_add(t));
    let memory = arguments.memory.or_else(memory::default_budget);
    supervisor::limit_memory(memory);
    let reading = supervisor::reading_deadline(arguments.time);
    let model = arguments.model.read_within(reading)?;
    if arguments.full && arguments.format != Format::Text {
        notices::warn("--full has no effect: this format shows no states");
    }
    if arguments.engine == EngineName::Symbolic {
        if arguments.all_failures {
            let text = "--all-failures is for the explicit engine";
            return Err(Failure::Message(text.to_string()));
        }
        if arguments.no_jit {
            notices::warn("--no-jit has no effect: the symbolic engine compiles nothing");
        }
        return super::explore_symbolic::run(arguments, &model, deadline);
    }
    if arguments.order.is_some() {
        let text = "--order is for the symbolic engine; say --engine symbolic";
        return Err(Failure::Message(text.to_string()));
    }
    let order = match arguments.search {
        None | Some(SearchName::Bfs) => Order::BreadthFirst,
        Some(SearchName::Dfs) => Order::DepthFirst,
        Some(SearchName::Chaining | SearchName::Saturation) => {
            let text = "only the symbolic engine searches in this order; say --engine symbolic";
            return Err(Failure::Message(text.to_string()));
        }
    };
    let (program, layout) = supervisor::step("preparing the model", reading, || {
        let program = Arc::new(model.explored());
        let layout = Layout::inferred(&program);
        Ok((program, layout))
    })?;
    let picture = match arguments.format {
        Format::Text | Format::Json => None,
        Format::Msc => Some(Picture::chart(&model)),
        Format::Trail => Some(Picture::trail(&model, &arguments.model.file())?),
    };
    let legend = Legend::new(&model);
    let forms = (picture.as_ref(), &legend);
    if !arguments.no_jit {
        let compiled = supervisor::step("compiling the model", reading, || {
            let program = Arc::clone(&program);
            Ok(CompiledSystem::new(program, layout.clone(), Vec::new()))
        })?;
        match compiled {
            Ok(system) => {
                let limits = (deadline, memory);
                return search(
                    arguments, limits, order, &program, forms, &system, "compiled",
                );
            }
            Err(e) => notices::warn(&format!("{e}; interpreting the model instead")),
        }
    }
    let system = ProgramSystem::new(Arc::clone(&program), layout, Vec::new());
    let limits = (deadline, memory);
    search(
        arguments,
        limits,
        order,
        &program,
        forms,
        &system,
        "interpreted",
    )
}

/// A deadline, and bytes.
type Bounds = (Option<Instant>, Option<usize>);

/// A failure that a search has met is looked for again, to show how it is reached; that takes so much time at least.
const AGAIN: Duration = Duration::from_millis(300);

fn search<S: Packed>(
    arguments: &Arguments,
    (deadline, memory): Bounds,
    order: Order,
    program: &Program,
    (picture, legend): (Option<&Picture<'_>>, &Legend<'_>),
    system: &S,
    how: &str,
) -> Outcome {
    let talk = progress::wanted(arguments.quiet);
    let time = deadline.map(|d| d.saturating_duration_since(Instant::now()));
    let budget = progress::Budget { time, memory };
    let show = |p: &Progress| budget.show(p);
    let options = Options {
        order,
        workers: usize::from(arguments.workers),
        parents: arguments.find.is_some(),
        until: arguments.find.map(Goal::from),
        memory,
        time,
        interrupt: None,
        progress: if talk { Some(&show) } else { None },
        ..Options::default()
    };
    let found = supervisor::search_step("exploring", supervisor::after(deadline), || {
        explore(system, &options)
    })?;
    if talk {
        progress::clear();
    }
    let mut out = arguments.output.open()?;
    match arguments.format {
        Format::Json => {
            let mut report = json_report(&found, how);
            if arguments.all_failures {
                report["all_failures"] = json_failures(program, system, &options);
            }
            writeln!(out, "{report}")?;
        }
        Format::Text | Format::Msc | Format::Trail => text_report(&mut *out, &found, arguments)?,
    }
    // The way to what was found; for a failure in a full search, found again with parents.
    if arguments.format != Format::Json {
        if arguments.find.is_some() {
            let shown = (picture, legend);
            write_trace(&mut *out, arguments, program, shown, &found)?;
        } else if arguments.all_failures && found.failure.is_some() {
            let shown = (picture, legend);
            write_failures(&mut *out, arguments, program, shown, system, &options)?;
        } else if found.failure.is_some() {
            let again = Options {
                order: Order::BreadthFirst,
                workers: 1,
                parents: true,
                until: Some(Goal::Failure),
                time: deadline.map(|d| d.saturating_duration_since(Instant::now()).max(AGAIN)),
                progress: None,
                ..options
            };
            let again = explore(system, &again);
            write_trace(&mut *out, arguments, program, (picture, legend), &again)?;
        }
    }
    out.flush()?;
    // The results are in their place whatever becomes of the export.
    drop(out);
    if let Some(path) = &arguments.etf {
        export(program, &found, path, deadline)?;
    }
    match found.outcome {
        _ if found.failure.is_some() => Ok(Answer::No),
        Ending::Stopped(_) => Ok(Answer::Unknown),
        Ending::Complete | Ending::Found => Ok(Answer::Yes),
    }
}

/// Writes the model as ETF. Only after a search that has seen all of it: the export is a search of its own.
fn export<S: System>(
    program: &Program,
    found: &Exploration<'_, S>,
    path: &Path,
    deadline: Option<Instant>,
) -> Outcome<()> {
    if found.outcome != Ending::Complete {
        let path = path.display();
        notices::warn(&format!(
            "`{path}` was not written: not all states are known"
        ));
        return Ok(());
    }
    // The tables of the search are still there.
    let text = supervisor::search_step("exporting the model", deadline, || {
        write_etf(program, &[], found.statistics.states as usize)
    })?;
    let text = text.map_err(|e| Failure::Message(format!("cannot export the model: {e}")))?;
    write_file(path, &text)
}

/// Why a search ended early, in words; `None` if it did not.
fn reason(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Complete | Ending::Found => None,
        Ending::Stopped(reason) => Some(match reason {
            Reason::Time => "time".to_string(),
            Reason::Memory => "memory".to_string(),
            Reason::Interrupted => "interrupted".to_string(),
            Reason::States => "number of states".to_string(),
            Reason::Overflow => "a value is too large for any layout".to_string(),
            Reason::NoThread(why) => format!("no thread for a worker: {why}"),
            Reason::Panic(text) => format!("internal error: {text}"),
        }),
    }
}

fn json_report<S: System>(found: &Exploration<'_, S>, how: &str) -> serde_json::Value {
    let s = &found.statistics;
    json!({
        "states": s.states,
        "transitions": s.transitions,
        "deadlocks": s.deadlocks,
        "failures": s.failures,
        "failure": found.failure.as_ref().map(|(_, f)| f.message.clone()),
        "depth": s.depth,
        "complete": found.outcome == Ending::Complete,
        "reason": reason(&found.outcome),
        "seconds": s.elapsed.as_secs_f64(),
        "peak_memory_bytes": memory::peak(),
        "bytes_per_state": s.bytes as f64 / s.states.max(1) as f64,
        "successors": how,
        "widenings": s.widenings,
        "warnings": notices::warnings(None),
    })
}

fn text_report<S: System>(
    out: &mut dyn Write,
    found: &Exploration<'_, S>,
    arguments: &Arguments,
) -> Outcome<()> {
    let s = &found.statistics;
    let seconds = s.elapsed.as_secs_f64();
    let rows = [
        ("states", s.states.to_string()),
        ("transitions", s.transitions.to_string()),
        ("deadlocks", s.deadlocks.to_string()),
        ("failures", s.failures.to_string()),
        ("depth", s.depth.map_or(String::new(), |d| d.to_string())),
        ("seconds", format!("{seconds:.3}")),
        (
            "bytes per state",
            format!("{:.1}", s.bytes as f64 / s.states.max(1) as f64),
        ),
    ];
    for (name, value) in rows {
        if !value.is_empty() {
            writeln!(out, "{name:<17}{value}")?;
        }
    }
    match (&found.outcome, reason(&found.outcome)) {
        (_, Some(reason)) => writeln!(
            out,
            "unknown          stopped before the end: {reason}; there may be more states"
        )?,
        (Ending::Found, _) => writeln!(out, "stopped at what was looked for")?,
        _ if arguments.find.is_some() => writeln!(out, "there is none")?,
        _ => {}
    }
    Ok(())
}

/// The trace to the failure or the deadlock that the search stopped at, as a picture if one is wanted.
fn write_trace<S: Packed>(
    out: &mut dyn Write,
    arguments: &Arguments,
    program: &Program,
    (picture, legend): (Option<&Picture<'_>>, &Legend<'_>),
    found: &Exploration<'_, S>,
) -> Outcome<()> {
    let (state, last, message) = match (&found.failure, found.deadlock) {
        (Some((state, failure)), _) => (*state, failure.action, &failure.message[..]),
        (None, Some(state)) => (state, None, "deadlock"),
        (None, None) => return Ok(()),
    };
    let Some(trace) = found.trace_to(state) else {
        return Ok(());
    };
    let system = found.system();
    let states: Vec<Vec<i64>> = trace.states.iter().map(|s| system.cells(s)).collect();
    let actions: Vec<u32> = trace.steps.iter().map(|step| step.action).collect();
    let end = (last, message);
    let shown = (picture, legend);
    write_run(out, arguments, program, shown, (&states, &actions), end)
}

/// Each different failure with a shortest run to it, from an exploration of its own that goes on after the first.
fn write_failures<S: Packed>(
    out: &mut dyn Write,
    arguments: &Arguments,
    program: &Program,
    shown: (Option<&Picture<'_>>, &Legend<'_>),
    system: &S,
    options: &Options<'_>,
) -> Outcome<()> {
    let mut again = for_failures(system, options);
    let status = again.advance(u64::MAX);
    let system = again.system();
    for (state, failure) in again.failures() {
        let Some(path) = again.path_to(*state) else {
            continue;
        };
        let states: Vec<Vec<i64>> = path.path.iter().map(|m| system.cells(&m.state)).collect();
        let actions: Vec<u32> = path.path.iter().filter_map(|m| m.action).collect();
        let end = (failure.action, &failure.message[..]);
        write_run(out, arguments, program, shown, (&states, &actions), end)?;
    }
    if status != Status::Complete {
        writeln!(out, "\nstopped before the end; there may be more failures")?;
    }
    Ok(())
}

/// An exploration for all that fails.
fn for_failures<'a, S: System>(system: &'a S, options: &Options<'_>) -> SharedExploration<'a, S> {
    let limits = Limits {
        memory: options.memory,
        time: options.time.map(|time| time.max(AGAIN)),
        ..Limits::default()
    };
    let options = SharedOptions {
        propositions: 0,
        keep: false,
        limits,
    };
    SharedExploration::new(system, Vec::new(), options)
}

/// What fails, and the actions of a shortest run to it.
fn json_failures<S: System>(
    program: &Program,
    system: &S,
    options: &Options<'_>,
) -> serde_json::Value {
    let mut again = for_failures(system, options);
    again.advance(u64::MAX);
    let name = |action: u32| &program.actions[action as usize].name;
    let each = again.failures().iter().map(|(state, failure)| {
        let path = again.path_to(*state).map_or(Vec::new(), |path| path.path);
        let actions = path.iter().filter_map(|m| m.action).map(name);
        json!({
            "message": failure.message,
            "action": failure.action.map(name),
            "run": actions.collect::<Vec<_>>(),
        })
    });
    each.collect()
}

/// States and the actions between them, then, if there is one, the action that fails, and what happens.
fn write_run(
    out: &mut dyn Write,
    arguments: &Arguments,
    program: &Program,
    (picture, legend): (Option<&Picture<'_>>, &Legend<'_>),
    (states, actions): (&[Vec<i64>], &[u32]),
    (last, message): (Option<u32>, &str),
) -> Outcome<()> {
    writeln!(out)?;
    if let Some(picture) = picture {
        let mut run = ShownRun::new(program);
        for (pair, &action) in states.windows(2).zip(actions) {
            run.step(&pair[0], Some(action), &pair[1]);
        }
        let name = |a: u32| format!("{}: ", program.actions[a as usize].name);
        let last = last.map_or(String::new(), name);
        writeln!(out, "{}{last}{message}", picture.draw(&run))?;
        return Ok(());
    }
    // As `check` shows a run.
    let run = legend.run(program, arguments.detail(), arguments.output.palette());
    let digits = states.len().to_string().len();
    for (i, now) in states.iter().enumerate() {
        let before = i.checked_sub(1).map(|k| &states[k][..]);
        run.state(out, (i, digits), before, now, &[])?;
        let parts = match (actions.get(i), states.get(i + 1)) {
            (Some(&action), Some(next)) => run.steps.parts(now, action, next),
            _ => last.map_or(Vec::new(), |action| run.steps.failing(action)),
        };
        run.step(out, digits, &parts)?;
    }
    let bad = run.palette.bad;
    writeln!(out, "  {bad}{message}{bad:#}")?;
    Ok(())
}
