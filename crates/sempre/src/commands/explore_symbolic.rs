//! `sempre explore --engine symbolic`: the state space of a model as a decision diagram.

use super::explore::{Arguments, Format, SearchName};
use crate::color::Palette;
use crate::failure::{Answer, Failure, Outcome};
use crate::input::{read_file, shown_name};
use crate::notices::{note, show, warnings};
use crate::run_text::Legend;
use crate::{progress, supervisor};
use sempre::base::{Diagnostic, Source, Span, nearest};
use sempre::lang::model::Model;
use sempre::memory;
use sempre::model::Program;
use sempre::shown_run::Detail;
use sempre::symbolic::reach::{Exploration, Firing, Options, Strategy, explore};
use sempre::symbolic::{Limits, Stop};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Explores a program until the deadline.
pub fn run(arguments: &Arguments, model: &Model, deadline: Option<Instant>) -> Outcome {
    let program = model.program();
    if program.atomic.is_some() {
        let text = "the symbolic engine cannot take the steps of atomic sections together yet; \
                    leave --engine symbolic out";
        return Err(Failure::Message(text.to_string()));
    }
    let strategy = match arguments.search {
        None | Some(SearchName::Saturation) => Strategy::Saturation,
        Some(SearchName::Chaining) => Strategy::Chaining,
        Some(SearchName::Bfs) => Strategy::BreadthFirst,
        Some(SearchName::Dfs) => return Err(refused("--search dfs")),
    };
    for (given, option) in [
        (arguments.find.is_some(), "--find"),
        (arguments.etf.is_some(), "--etf"),
        (arguments.workers > 1, "--workers"),
        (arguments.format == Format::Msc, "--format msc"),
        (arguments.format == Format::Trail, "--format trail"),
    ] {
        if given {
            return Err(refused(option));
        }
    }
    let order = match &arguments.order {
        Some(path) => Some(read_order(path, program)?),
        None => None,
    };
    let talk = progress::wanted(arguments.quiet);
    let budget = progress::Budget {
        time: deadline.map(|d| d.saturating_duration_since(Instant::now())),
        memory: arguments.memory.or_else(memory::default_budget),
    };
    let show_nodes = |p: &sempre::symbolic::reach::Progress| budget.show_nodes(p);
    let options = Options {
        strategy,
        firing: Firing::Auto,
        limits: Limits {
            memory: budget.memory,
            deadline,
            interrupt: None,
        },
        // Who names a search gets that one alone.
        interleaved: arguments.search.is_none(),
        progress: if talk { Some(&show_nodes) } else { None },
    };
    let found = supervisor::search_step("exploring", supervisor::after(deadline), || {
        explore(program, order, &options)
    })?;
    if talk {
        progress::clear();
    }
    let mut out = arguments.output.open()?;
    match arguments.format {
        Format::Json => writeln!(out, "{}", json_report(&found, program))?,
        Format::Text | Format::Msc | Format::Trail => text_report(
            &mut *out,
            &found,
            program,
            (arguments.detail(), &Legend::new(model)),
        )?,
    }
    out.flush()?;
    let was_slow = matches!(found.stopped, Some(Stop::Time | Stop::Memory));
    if was_slow && arguments.search == Some(SearchName::Saturation) {
        note(
            "where most actions use most of the variables, as in puzzles, --search bfs is often quicker",
        );
    }
    if !found.faults.is_empty() {
        Ok(Answer::No)
    } else if found.stopped.is_some() {
        Ok(Answer::Unknown)
    } else {
        Ok(Answer::Yes)
    }
}

fn refused(option: &str) -> Failure {
    Failure::Message(format!(
        "{option} is for the explicit engine; leave it out, or say --engine explicit"
    ))
}

/// A number where it fits into one of JSON's, else its digits.
fn number(n: &Option<sempre::symbolic::Natural>) -> Value {
    match n {
        None => Value::Null,
        Some(n) => n
            .to_u64()
            .map_or_else(|| json!(n.to_string()), |n| json!(n)),
    }
}

fn fault_text(found: &Exploration, program: &Program) -> Option<String> {
    found.faults.first().map(|f| {
        let action = f
            .action
            .map(|a| format!("{}: ", program.actions[a as usize].name));
        format!("{}{}", action.unwrap_or_default(), f.message)
    })
}

fn json_report(found: &Exploration, program: &Program) -> Value {
    json!({
        "states": number(&found.states),
        "transitions": number(&found.transitions),
        "deadlocks": number(&found.deadlocks),
        "failures": found.faults.len(),
        "failure": fault_text(found, program),
        "complete": found.stopped.is_none(),
        "reason": found.stopped.map(Stop::word),
        "seconds": found.elapsed.as_secs_f64(),
        "peak_memory_bytes": memory::peak(),
        "engine": "symbolic",
        "nodes": found.nodes,
        "peak_nodes": found.peak_nodes,
        "collections": found.collections,
        "warnings": warnings(None),
    })
}

fn text_report(
    out: &mut dyn Write,
    found: &Exploration,
    program: &Program,
    (detail, legend): (Detail, &Legend<'_>),
) -> Outcome<()> {
    fn number(n: &Option<impl ToString>) -> String {
        n.as_ref().map_or(String::new(), ToString::to_string)
    }
    let rows = [
        ("states", number(&found.states)),
        ("transitions", number(&found.transitions)),
        ("deadlocks", number(&found.deadlocks)),
        ("failures", found.faults.len().to_string()),
        ("seconds", format!("{:.3}", found.elapsed.as_secs_f64())),
        // Only the whole set has nodes that are worth a word.
        ("nodes", number(&found.states.as_ref().map(|_| found.nodes))),
        ("peak nodes", found.peak_nodes.to_string()),
    ];
    for (name, value) in rows {
        if !value.is_empty() {
            writeln!(out, "{name:<17}{value}")?;
        }
    }
    if let Some(stop) = found.stopped {
        let reason = stop.word();
        writeln!(
            out,
            "unknown          stopped before the end: {reason}; there may be more states"
        )?;
    }
    for fault in &found.faults {
        writeln!(out)?;
        for line in legend
            .run(program, detail, Palette::default())
            .states
            .first(&fault.state)
        {
            writeln!(out, "  {line}")?;
        }
        let action = fault
            .action
            .map(|a| format!("{}: ", program.actions[a as usize].name));
        writeln!(out, "{}{}", action.unwrap_or_default(), fault.message)?;
    }
    Ok(())
}

/// Reads an order of variables: one name on a line, the highest level first, the name of an array for all its elements;
/// `#` starts a comment. What is not named comes last, as it was declared.
pub fn read_order(path: &Path, program: &Program) -> Outcome<Vec<u32>> {
    let text = read_file(path)?;
    let cells = program.cells() as u32;
    let names: Vec<String> = (0..cells).map(|c| program.cell_name(c)).collect();
    let mut order: Vec<u32> = Vec::new();
    let mut taken = vec![false; cells as usize];
    let mut complaints = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let name = line.split('#').next().unwrap_or("").trim();
        let at = start + line.find(name).unwrap_or(0);
        let span = Span::new(at, at + name.len());
        start += line.len();
        if name.is_empty() {
            continue;
        }
        let array = program.variables.iter().find(|v| v.name == name);
        let named: Vec<u32> = match array {
            Some(v) => (v.first..v.first + v.cells()).collect(),
            None => (0..cells).filter(|&c| names[c as usize] == name).collect(),
        };
        if named.is_empty() {
            let mut complaint = Diagnostic::error(span, format!("there is no variable `{name}`"));
            let known = (names.iter().map(String::as_str))
                .chain(program.variables.iter().map(|v| v.name.as_str()));
            if let Some(near) = nearest(name, known) {
                complaint = complaint.with_help(format!("did you mean `{near}`?"));
            }
            complaints.push(complaint);
        }
        for cell in named {
            if std::mem::replace(&mut taken[cell as usize], true) {
                let again = format!("`{}` is named twice", names[cell as usize]);
                complaints.push(Diagnostic::error(span, again));
            } else {
                order.push(cell);
            }
        }
    }
    if !complaints.is_empty() {
        show(&Source::new(&shown_name(path), &text), &complaints);
        return Err(Failure::Shown);
    }
    order.extend((0..cells).filter(|&c| !taken[c as usize]));
    Ok(order)
}
