//! A step as people read it: each statement that it executes, the values that are sent, received and passed on, and what is printed.
//!
//! A step may be the work of several actions of one process ([`sempre_model::step_parts`]), and an action that of several statements
//! ([`sempre_lang::model::SourceStep`]). What went into a queue or came out of it follows from what it held before and after;
//! what is passed on in a rendezvous and what is printed is evaluated where the statement stands.
//!
//! Not done: several messages of one queue in one action, and what is printed in the middle of a `d_step` that is one effect.

use crate::state_text::{Message, contents, message_text};
use sempre_lang::model::{Queue, Said, SourceStep};
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::{Behaviour, Expr, Program, Type};
use serde_json::{Value, json};

/// What a statement lets others see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A message went into a queue.
    Sends(String, String),
    /// A message came out of a queue.
    Receives(String, String),
    /// Values that a rendezvous passed on.
    Passes(String),
    /// Text.
    Prints(String),
    /// What stands in the file, where the name of the action does not say it.
    Source(String),
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Note::Sends(queue, message) => write!(f, "sends {queue}({message})"),
            Note::Receives(queue, message) => write!(f, "receives {queue}({message})"),
            Note::Passes(values) => write!(f, "passes ({values})"),
            Note::Prints(text) => write!(f, "prints {text}"),
            Note::Source(text) => write!(f, "{{ {text} }}"),
        }
    }
}

/// A statement of a step, or the two of a rendezvous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// What people read.
    pub text: String,
    /// The statements, if the language tells them.
    pub statements: &'a [SourceStep],
    /// What they let others see.
    pub notes: Vec<Note>,
}

impl Part<'_> {
    /// As a line.
    #[cfg(test)]
    fn line(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("  {note}"));
        notes.fold(self.text.clone(), |line, note| line + &note)
    }

    /// For JSON.
    pub fn json(&self) -> Value {
        let place =
            |p: &sempre_lang::place::Place| json!({ "file": p.file.as_deref(), "line": p.line });
        let statements = self.statements.iter().map(|s| {
            let mut places = s.places.iter().map(place);
            json!({
                "statement": s.statement,
                "place": places.next(),
                "from": places.collect::<Vec<_>>(),
            })
        });
        let mut part = json!({ "text": self.text, "statements": statements.collect::<Vec<_>>() });
        for note in &self.notes {
            match note {
                Note::Sends(queue, message) => part["sends"] = json!([queue, message]),
                Note::Receives(queue, message) => part["receives"] = json!([queue, message]),
                Note::Passes(values) => part["passes"] = json!(values),
                Note::Prints(text) => part["prints"] = json!(text),
                Note::Source(_) => {}
            }
        }
        part
    }
}

/// See the module's documentation.
#[derive(Clone, Copy, Debug)]
pub struct StepText<'a> {
    program: &'a Program,
    queues: &'a [Queue],
    statements: Option<&'a [Vec<SourceStep>]>,
}

impl<'a> StepText<'a> {
    /// How the steps of a program are shown that has these queues, and whose actions execute these statements.
    pub fn new(
        program: &'a Program,
        queues: &'a [Queue],
        statements: Option<&'a [Vec<SourceStep>]>,
    ) -> Self {
        Self {
            program,
            queues,
            statements,
        }
    }

    /// The parts of a step.
    pub fn parts(&self, before: &[i64], action: u32, after: &[i64]) -> Vec<Part<'a>> {
        let parts = Interpreter::new(self.program).parts(before, action, after);
        let mut all = Vec::new();
        let mut before = before.to_vec();
        for (action, after) in parts.unwrap_or(vec![(action, after.to_vec())]) {
            self.action(&before, action, Some(&after), &mut all);
            before = after;
        }
        all
    }

    /// The statements of an action that leads from one state to another by itself.
    pub(crate) fn of_action(&self, before: &[i64], action: u32, after: &[i64]) -> Vec<Part<'a>> {
        let mut all = Vec::new();
        self.action(before, action, Some(after), &mut all);
        all
    }

    /// The statements of an action that fails: nobody sees what it does.
    pub fn failing(&self, action: u32) -> Vec<Part<'a>> {
        let mut all = Vec::new();
        self.action(&[], action, None, &mut all);
        all.truncate(1);
        all
    }

    fn action(&self, before: &[i64], number: u32, after: Option<&[i64]>, all: &mut Vec<Part<'a>>) {
        let Some(action) = self.program.actions.get(number as usize) else {
            return;
        };
        let statements = self.statements.and_then(|all| all.get(number as usize));
        let statements: &'a [SourceStep] = statements.map_or(&[], |all| all);
        // A rendezvous begins with a statement of each.
        let (own, rest) = statements.split_at(action.processes.len().min(statements.len()));
        let effect = match &action.behaviour {
            Behaviour::Guarded { effect, .. } => &effect[..],
            Behaviour::Table(_) => &[],
        };
        let said = |statement: &SourceStep| {
            let said = statement.said.as_ref()?;
            let mut state = before.to_vec();
            let done = effect.get(..statement.after)?;
            let interpreter = Interpreter::new(self.program);
            (interpreter.effect(done, &mut state, &mut Vec::new())).ok()?;
            self.said(said, &state)
        };
        let unsaid = |s: &&SourceStep| {
            !["", "}"].contains(&s.statement.as_str()) && !action.name.contains(&s.statement)
        };
        let sources = own.iter().filter(unsaid);
        let mut notes: Vec<Note> = sources.map(|s| Note::Source(s.statement.clone())).collect();
        if let Some(after) = after {
            notes.extend((self.queues.iter()).filter_map(|q| self.moved(q, before, after)));
            notes.extend(own.iter().filter_map(said));
        }
        all.push(Part {
            text: action.name.clone(),
            statements: own,
            notes,
        });
        for statement in rest {
            let notes = after.and_then(|_| said(statement));
            all.push(Part {
                text: statement.to_string(),
                statements: std::slice::from_ref(statement),
                notes: notes.into_iter().collect(),
            });
        }
    }

    fn said(&self, said: &Said, state: &[i64]) -> Option<Note> {
        let interpreter = Interpreter::new(self.program);
        let value = |(e, ty): &(Expr, Type)| Some((interpreter.value(e, state).ok()?, ty.clone()));
        let values: Vec<(i64, Type)> = said.values.iter().map(value).collect::<Option<_>>()?;
        Some(match &said.format {
            None if values.is_empty() => return None,
            None => {
                let shown: Vec<String> = values.iter().map(|(n, ty)| named(*n, ty)).collect();
                Note::Passes(shown.join(","))
            }
            Some(format) => Note::Prints(printed(format, &values)),
        })
    }

    /// The message that went into a queue or came out of it.
    fn moved(&self, queue: &Queue, before: &[i64], after: &[i64]) -> Option<Note> {
        let old = contents(self.program, queue, before);
        let new = contents(self.program, queue, after);
        let name = || queue.name.clone();
        if new.len() == old.len() + 1 {
            let message = &new[inserted(&old, &new)?];
            Some(Note::Sends(name(), message_text(message)))
        } else if old.len() == new.len() + 1 {
            let message = &old[inserted(&new, &old)?];
            Some(Note::Receives(name(), message_text(message)))
        } else {
            None
        }
    }
}

/// Where one message was put in; the last place that explains it.
pub(crate) fn inserted(shorter: &[Message], longer: &[Message]) -> Option<usize> {
    let same = |i: usize| longer[..i] == shorter[..i] && longer[i + 1..] == shorter[i..];
    // In front of the others is where messages are taken from, behind them is where they are put.
    (0..longer.len()).rev().find(|&i| same(i))
}

/// A value by its name, if it has one.
fn named(n: i64, ty: &Type) -> String {
    let name = match ty {
        Type::Enum { names } if n > 0 => usize::try_from(n).ok().and_then(|n| names.get(n)),
        _ => None,
    };
    name.cloned().unwrap_or_else(|| n.to_string())
}

/// What `printf` prints, in one line: escapes stay as they are.
fn printed(format: &str, values: &[(i64, Type)]) -> String {
    let mut values = values.iter();
    let mut out = String::new();
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut directive = String::from("%");
        while let Some(c) = rest.next_if(|c| c.is_ascii_digit() || "-+ .l".contains(*c)) {
            directive.push(c);
        }
        let Some(conversion) = rest.next() else {
            out += &directive;
            break;
        };
        if conversion == '%' {
            out.push('%');
            continue;
        }
        let Some((n, ty)) = values.next() else {
            out += &directive;
            out.push(conversion);
            continue;
        };
        let text = match conversion {
            'e' => named(*n, ty),
            'x' => format!("{n:x}"),
            'o' => format!("{n:o}"),
            'c' => u8::try_from(*n).map_or('?', char::from).to_string(),
            _ => n.to_string(),
        };
        // Of widths nothing but blanks would remain.
        out += &text;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_lang::model::{Language, Model};

    /// The lines of the run that always takes the first action, or the last.
    fn lines(text: &str, steps: usize, last: bool) -> Vec<String> {
        let (model, _) = Model::read(Language::Promela, "test", text).unwrap();
        let (program, queues) = (model.program(), model.queues());
        let shown = StepText::new(program, &queues, model.source_steps());
        let mut state = program.initial[0].clone();
        let mut out = Vec::new();
        for _ in 0..steps {
            let all = Interpreter::new(program).successors(&state);
            let chosen = if last { all.last() } else { all.first() };
            let Some((action, Ok(next))) = chosen else {
                break;
            };
            let parts = shown.parts(&state, *action, next);
            out.extend(parts.iter().map(Part::line));
            state = next.clone();
        }
        out
    }

    #[test]
    fn values_and_text_are_shown() {
        let text = "mtype = { req, ack };
            chan c = [2] of { mtype, byte }; chan d = [0] of { byte };
            active proctype A() { byte i = 5; c!req(i); atomic { i++; printf(\"%e %d%%\\n\", ack, i); d!i } }
            active proctype B() { byte z; c?_,z; d?z }";
        assert_eq!(
            lines(text, 4, false),
            [
                "A[0]: c!req(i) (line 3)  sends c(req,5)",
                "A[0]: i++ (line 3)",
                "A[0]: printf(\"%e %d%%\\n\", ack, i) (line 3)  prints \"ack 6%\\n\"",
                "B[1]: c?_,z (line 4)  receives c(req,5)",
                "A[0]: d!i (line 3), B[1]: d?z (line 4)  passes (6)",
            ]
        );
    }

    #[test]
    fn the_text_of_a_step_is_what_the_author_wrote() {
        let text = "#define N 3
            #define BUMP(v) v = v + N
            #define MAX(a, b) (a > b -> a : b)
            byte x, y;
            inline inc(a) {
              a = a +
                1;
              BUMP(a); a = MAX(a, N) + 1
            }
            active proctype A() {
              inc(x);
              BUMP(y); y = MAX( x, N );
              select (y : 1 .. 2);
              for (x : 1 .. 2) { skip }
            }";
        let all = lines(text, 30, false);
        let expected = [
            "A[0]: x = x + 1 (line 6, from line 11)",
            "A[0]: x = x + N (line 2, from line 8, from line 11)",
            "A[0]: x = MAX(x, N) + 1 (line 8, from line 11)",
            "A[0]: y = y + N (line 2, from line 12)",
            "A[0]: y = MAX(x, N) (line 12)",
            "A[0]: select (y : 1 .. 2) (line 13)",
            "A[0]: for (x : 1 .. 2) (line 14)",
        ];
        assert_eq!(all[..7], expected, "{all:#?}");
        assert!(all.contains(&"A[0]: terminates (line 15)".to_string()));
    }

    #[test]
    fn what_is_printed_is_formatted() {
        let ty = || Type::INT;
        let text = printed(
            "\"%d|%x|%c|%3d|%%|%u\"",
            &[(1, ty()), (255, ty()), (65, ty()), (7, ty())],
        );
        assert_eq!(text, "\"1|ff|A|7|%|%u\"");
    }

    #[test]
    fn messages_are_found_where_they_were() {
        let m = |n: i64| vec![(n, n.to_string())];
        assert_eq!(inserted(&[m(1)], &[m(1), m(2)]), Some(1));
        assert_eq!(inserted(&[m(1)], &[m(0), m(1)]), Some(0));
        assert_eq!(inserted(&[], &[m(0)]), Some(0));
        assert_eq!(inserted(&[m(3)], &[m(0), m(1)]), None);
    }
}
