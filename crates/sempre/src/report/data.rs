//! A run as JSON, for the script of the page. Short, since there may be thousands of steps: the first state in full and then what
//! changes, tracks as runs of equal values, actions by number.

use super::Subject;
use super::drawing::{Drawing, text};
use super::facts::end_words;
use super::messages::messages;
use super::truth::{Tracks, Truth};
use crate::check::{Claim, Moment};
use crate::shown_run::{WIDE, is_default};
use rustc_hash::FxHashMap;
use sempre_ltl::Op;
use sempre_model::{Program, Type};
use serde_json::{Value, json};

/// The data of a section; `null` if there is no run. `lines` are those of the model's text that each step executes.
pub fn data(
    subject: &Subject<'_>,
    tracks: Option<&Tracks<'_>>,
    drawing: Option<&Drawing>,
    lines: &[Vec<usize>],
) -> Value {
    let Some(evidence) = subject.evidence() else {
        return Value::Null;
    };
    let program = subject.program;
    let mut run: Vec<&Moment> = evidence.moments().collect();
    let length = run.len();
    // The step back to the cycle is one, too.
    run.extend(evidence.cycle().first());
    let value = |cell: usize, value: i64| shown(program, cell, value);
    let cells = cells(program, &run);
    let changes: Vec<Vec<Value>> = (run.windows(2))
        .map(|two| {
            let all = cells.iter().enumerate();
            all.filter(|&(_, &cell)| two[0].state[cell] != two[1].state[cell])
                .flat_map(|(i, &cell)| [json!(i), value(cell, two[1].state[cell])])
                .collect()
        })
        .collect();
    let steps: Vec<i64> = run[..run.len() - 1]
        .iter()
        .map(|m| m.action.map_or(-1, i64::from))
        .collect();
    let mut used: Vec<u32> = run.iter().filter_map(|m| m.action).collect();
    used.sort_unstable();
    used.dedup();
    let place = |a: i64| match u32::try_from(a) {
        Ok(a) => used.binary_search(&a).map_or(-1, |p| p as i64),
        Err(_) => -1,
    };
    let actions: Vec<Value> = (used.iter())
        .map(|&a| {
            let action = &program.actions[a as usize];
            let movers: Vec<u32> = action.processes.iter().map(|p| p.0).collect();
            json!([action.name, movers])
        })
        .collect();
    let first: Vec<Value> = match run.first() {
        Some(moment) => {
            let value = |&cell: &usize| value(cell, moment.state[cell]);
            cells.iter().map(value).collect()
        }
        None => Vec::new(),
    };
    let letters: Vec<Value> = messages(program, &run)
        .into_iter()
        .map(|m| json!([m.sent.0, m.sent.1, m.received.0, m.received.1, m.channel]))
        .collect();
    let (places, lines) = numbered(lines);
    json!({
        "length": length,
        "end": end_words(subject.property.asked, evidence),
        "back": (!evidence.is_finite()).then_some(evidence.prefix().len()),
        "variables": cells.iter().map(|&c| program.cell_name(c as u32)).collect::<Vec<_>>(),
        "first": first,
        "changes": changes,
        "processes": program.processes.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
        "actions": actions,
        "steps": steps.into_iter().map(place).collect::<Vec<_>>(),
        "messages": letters,
        "places": places,
        "lines": lines,
        "tracks": rows(subject, &run[..length], tracks),
        "point": point(subject, tracks),
        "path": drawing.map(|d| &d.path),
        "path_back": drawing.and_then(|d| d.back),
    })
}

/// The different lists, and the number of each.
fn numbered(lists: &[Vec<usize>]) -> (Vec<&Vec<usize>>, Vec<usize>) {
    let mut numbers: FxHashMap<&Vec<usize>, usize> = FxHashMap::default();
    let mut different = Vec::new();
    let number = |list| {
        *numbers.entry(list).or_insert_with(|| {
            different.push(list);
            different.len() - 1
        })
    };
    let all = lists.iter().map(number).collect();
    (different, all)
}

/// The cells that are shown: all, or, if they are very many, those that are not zero all the time.
fn cells(program: &Program, run: &[&Moment]) -> Vec<usize> {
    let matters = |&cell: &usize| {
        program.cells() <= WIDE
            || (run.iter()).any(|m| !is_default(program, cell as u32, m.state[cell]))
    };
    (0..program.cells()).filter(matters).collect()
}

/// A value as people write it.
fn shown(program: &Program, cell: usize, value: i64) -> Value {
    let cell = cell as u32;
    match program.variable(program.variable_of_cell(cell)).ty {
        Type::Enum { .. } => json!(program.show_value(cell, value)),
        _ => json!(value),
    }
}

/// Alternately a value and how often it comes.
fn runs(row: impl Iterator<Item = Truth>) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    for truth in row {
        let value = truth as usize;
        match out.len().checked_sub(2) {
            Some(i) if out[i] == value => out[i + 1] += 1,
            _ => out.extend([value, 1]),
        }
    }
    out
}

/// The order of the rows: propositions, then the other parts, the whole last.
fn order(tracks: &Tracks<'_>, formulas: &sempre_ltl::Formulas) -> Vec<sempre_ltl::Formula> {
    let is_other = |op: Op| !matches!(op, Op::True | Op::False | Op::Proposition);
    let others = (tracks.order.iter().copied()).filter(|&g| is_other(formulas.op(g)));
    others.collect()
}

fn rows(subject: &Subject<'_>, run: &[&Moment], tracks: Option<&Tracks<'_>>) -> Vec<Value> {
    let mut rows = Vec::new();
    for (p, proposition) in subject.property.propositions.iter().enumerate() {
        let row = run.iter().map(|m| m.propositions[p].into());
        rows.push(json!({ "text": proposition.text, "proposition": true, "runs": runs(row) }));
    }
    if let (Some(tracks), Claim::Formula(formulas, _)) = (tracks, &subject.property.claim) {
        for g in order(tracks, formulas) {
            let row = tracks.row(g).iter().copied();
            rows.push(
                json!({ "text": text(formulas, g), "proposition": false, "runs": runs(row) }),
            );
        }
    }
    rows
}

/// The row and the position that decide.
fn point(subject: &Subject<'_>, tracks: Option<&Tracks<'_>>) -> Value {
    let (Some(tracks), Claim::Formula(formulas, _)) = (tracks, &subject.property.claim) else {
        return Value::Null;
    };
    let Some((f, at)) = tracks.explanation().and_then(|e| e.point()) else {
        return Value::Null;
    };
    let row = match formulas.op(f) {
        Op::Proposition => Some(formulas.proposition_number(f)),
        _ => {
            let other = order(tracks, formulas).iter().position(|&g| g == f);
            other.map(|i| i + subject.property.propositions.len())
        }
    };
    json!({ "row": row, "at": at })
}
