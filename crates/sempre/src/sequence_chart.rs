//! Message sequence charts in text: who did what, from top to bottom, and what went from whom to whom.
//!
//! A column for each process that does something, a line for each part of a step ([`sempre_model::step_parts`]), with its
//! statement at the right. A rendezvous is an arrow. A message that waits in a queue leaves with `!`, and arrives as
//! a dotted arrow from its sender, with what it says; which message it was is told by comparing what the queue
//! held before and after.
//!
//! Not done: arrows for messages that were in a queue from the start, whose sender is unknown, and for several messages
//! of one queue in one action (`d_step`); the statement tells of them.

use crate::shown_run::{ShownRun, ShownStep};
use crate::state_text::{contents, message_text};
use crate::step_text::{Note, StepText, inserted};
use sempre_lang::model::{Queue, SourceStep};
use sempre_model::ir::Program;
use std::fmt::Write;

/// One line of events.
struct Event {
    /// Where an arrow starts, in columns, and what it is drawn with.
    from: Option<(usize, char)>,
    at: usize,
    mark: char,
    label: String,
}

/// The distance of two columns, and where the first one is.
const WIDTH: usize = 16;
const LEFT: usize = 12;

/// The chart of a run; `queues` are the channels of its model.
pub fn sequence_chart(
    run: &ShownRun<'_>,
    queues: &[Queue],
    statements: Option<&[Vec<SourceStep>]>,
) -> String {
    let words = StepText::new(run.program(), queues, statements);
    let mut columns: Vec<u32> = (run.steps().iter())
        .flat_map(|s| &run.program().actions[s.action as usize].processes)
        .map(|p| p.0)
        .collect();
    columns.sort_unstable();
    columns.dedup();
    let mut text = String::new();
    let mut line = String::new();
    for (i, &process) in columns.iter().enumerate() {
        let name = &run.program().processes[process as usize].name;
        let shown: String = name.chars().take(WIDTH - 2).collect();
        let start = LEFT + i * WIDTH - shown.chars().count() / 2;
        pad(&mut line, start);
        line.push_str(&shown);
    }
    push_line(&mut text, &line);
    // Who sent what waits in each queue, if that is known.
    let mut senders: Vec<Vec<Option<usize>>> = Vec::new();
    if let Some(first) = run.steps().first() {
        let held =
            (queues.iter()).map(|q| vec![None; contents(run.program(), q, &first.before).len()]);
        senders.extend(held);
    }
    let mut told = 0;
    for (i, step) in run.steps().iter().enumerate() {
        if run.start_of_cycle() == Some(i) {
            push_line(&mut text, "the cycle, for ever:");
        }
        let action = &run.program().actions[step.action as usize];
        let column = |p: usize| {
            let process = action.processes.get(p)?.0;
            columns.iter().position(|&c| c == process)
        };
        let event = match (column(0), column(1)) {
            (Some(from), Some(at)) => Some(Event {
                from: Some((from, '-')),
                at,
                mark: '>',
                label: String::new(),
            }),
            (Some(at), None) => Some(alone(at, step, run.program(), queues, &mut senders)),
            _ => None,
        };
        let shown = match told == step.number {
            true => String::new(),
            false => step.number.to_string(),
        };
        told = step.number;
        let mut events = vec![event];
        let parts = words.of_action(&step.before, step.action, &step.after);
        // What else is part of the action: its process does that, too.
        events.resize_with(parts.len().max(1), || {
            Some(Event {
                from: None,
                at: column(0)?,
                mark: '*',
                label: String::new(),
            })
        });
        for (i, (part, event)) in parts.iter().zip(&events).enumerate() {
            let shown = if i == 0 { &shown[..] } else { "" };
            let mut line: Vec<char> = format!("{shown:>5}").chars().collect();
            line.resize(LEFT + columns.len() * WIDTH - WIDTH / 2, ' ');
            for c in 0..columns.len() {
                line[LEFT + c * WIDTH] = '|';
            }
            if let Some(event) = event {
                place(&mut line, event);
            }
            let mut line: String = line.into_iter().collect();
            let _ = write!(line, " {}", part.text);
            for note in &part.notes {
                // What goes through queues is drawn.
                if matches!(note, Note::Passes(_) | Note::Prints(_)) {
                    let _ = write!(line, "  {note}");
                }
            }
            push_line(&mut text, &line);
        }
    }
    if run.start_of_cycle() == Some(run.steps().len()) {
        push_line(&mut text, "nothing can move any more");
    }
    text
}

/// What a process does alone: something of its own, sending to a queue, or taking from one.
fn alone(
    at: usize,
    step: &ShownStep,
    program: &Program,
    queues: &[Queue],
    senders: &mut [Vec<Option<usize>>],
) -> Event {
    let mut event = Event {
        from: None,
        at,
        mark: '*',
        label: String::new(),
    };
    for (queue, senders) in queues.iter().zip(senders) {
        let old = contents(program, queue, &step.before);
        let new = contents(program, queue, &step.after);
        if old == new {
            continue;
        }
        if new.len() == old.len() + 1
            && let Some(i) = inserted(&old, &new)
        {
            senders.insert(i.min(senders.len()), Some(at));
            event.mark = '!';
        } else if old.len() == new.len() + 1
            && let Some(i) = inserted(&new, &old)
        {
            let sender = (i < senders.len()).then(|| senders.remove(i)).flatten();
            event.mark = '?';
            if let Some(from) = sender.filter(|&from| from != at) {
                event.from = Some((from, '.'));
                event.mark = '>';
            }
            event.label = format!("{}({})", queue.name, message_text(&old[i]));
        } else {
            senders.clear();
            senders.resize(new.len(), None);
        }
    }
    event
}

/// Draws an event over the columns.
fn place(line: &mut [char], event: &Event) {
    let x = |column: usize| LEFT + column * WIDTH;
    let to = x(event.at);
    line[to] = if event.from.is_some() {
        '|'
    } else {
        event.mark
    };
    let Some((from, dash)) = event.from else {
        return;
    };
    let from = x(from);
    let (low, high) = (from.min(to) + 1, from.max(to));
    for cell in &mut line[low..high] {
        if *cell == ' ' {
            *cell = dash;
        }
    }
    if to > from {
        line[to - 1] = '>';
    } else if to < from {
        line[to + 1] = '<';
    }
    let label: Vec<char> = event.label.chars().collect();
    // Next to the sender, so that no column is written over.
    if !label.is_empty() && label.len() + 4 <= WIDTH {
        let start = match to > from {
            true => from + 2,
            false => from - 1 - label.len() - 1,
        };
        line[start..start + label.len()].copy_from_slice(&label);
    }
}

fn pad(line: &mut String, width: usize) {
    while line.chars().count() < width {
        line.push(' ');
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_lang::model::{Language, Model};
    use sempre_model::interpreter::Interpreter;

    /// A chart of the run that always takes the last action, or the first.
    fn chart(text: &str, steps: usize, last: bool) -> String {
        let (model, _) = Model::read(Language::Promela, "test", text).unwrap();
        let program = model.program();
        let queues = model.queues();
        let mut run = ShownRun::new(program);
        let mut state = program.initial[0].clone();
        for _ in 0..steps {
            let all = Interpreter::new(program).successors(&state);
            let chosen = if last { all.last() } else { all.first() };
            let Some((action, Ok(next))) = chosen else {
                run.cycle();
                break;
            };
            run.step(&state, Some(*action), next);
            state = next.clone();
        }
        sequence_chart(&run, &queues, model.source_steps())
    }

    #[test]
    fn queues_and_rendezvous() {
        let text = "mtype = { req, ack };
            chan c = [2] of { mtype, byte }; chan d = [0] of { bit };
            active proctype A() { c!req(3); c!ack(4); d!1 }
            active proctype B() { byte x; c?req(x); c?ack(x); d?1 }";
        let expected = [
            "          A[0]            B[1]",
            "    1       !               |        A[0]: c!req(3) (line 3)",
            "    2       !               |        A[0]: c!ack(4) (line 3)",
            "    3       |.c(req,3).....>|        B[1]: c?req(x) (line 4)",
            "    4       |.c(ack,4).....>|        B[1]: c?ack(x) (line 4)",
            "    5       |-------------->|        A[0]: d!1 (line 3), B[1]: d?1 (line 4)  passes (1)",
            "    6       |               *        B[1]: terminates (line 4)",
            "    7       *               |        A[0]: terminates (line 3)",
            "nothing can move any more",
            "",
        ];
        assert_eq!(chart(text, 9, false), expected.join("\n"));
    }

    #[test]
    fn atomic_sequences_are_told_in_full() {
        let text = "byte x; chan c = [1] of { byte };
            active proctype A() { byte y; c?y; x = y }
            active proctype B() { atomic { x == 0; c!1; x = 2 } }";
        let drawn = chart(text, 1, true);
        assert_eq!(drawn.matches("B[1]: ").count(), 3, "{drawn}");
        assert!(drawn.contains("    1       * "), "{drawn}");
        let whole = chart(text, 9, true);
        assert!(
            whole.contains("|<........c(1)..|        A[0]: c?y"),
            "{whole}"
        );
    }
}
