//! Messages between processes along a run.
//!
//! The IR knows no messages; it knows which processes take part in an action, and what changed:
//! * an action of several processes is a rendezvous, from the first, which offers, to each of the others;
//! * a variable that counts what is in a channel, `len(c)` of Promela and `c.length` of DVE, grows by one when somebody sends and
//!   shrinks by one when somebody receives. What is received is taken to be the oldest message that was sent, as in a queue;
//!   languages have other ways to receive, so this is for the eye and nothing else.

use crate::check::Moment;
use rustc_hash::FxHashMap;
use sempre_model::Program;
use std::collections::VecDeque;

/// A message: who sent it in which step, and who received it in which step. Step `k` leads to position `k`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The channel, if it has a name.
    pub channel: Option<String>,
    /// The step that sends, and the process.
    pub sent: (usize, u32),
    /// The step that receives, and the process.
    pub received: (usize, u32),
}

/// The messages of a run, given by its moments and, if it is a lasso, the first moment of its cycle again.
pub fn messages(program: &Program, run: &[&Moment]) -> Vec<Message> {
    let channels: Vec<(usize, &str)> = (program.variables.iter())
        .filter(|v| v.length.is_none())
        .filter_map(|v| {
            let inside = v
                .name
                .strip_prefix("len(")
                .and_then(|n| n.strip_suffix(')'));
            let name = inside.or_else(|| v.name.strip_suffix(".length"))?;
            Some((v.first as usize, name))
        })
        .collect();
    let mut waiting: FxHashMap<usize, VecDeque<(usize, u32)>> = FxHashMap::default();
    let mut all = Vec::new();
    for (k, two) in run.windows(2).enumerate() {
        let step = k + 1;
        let Some(action) = two[0].action else {
            continue;
        };
        let processes = &program.actions[action as usize].processes;
        let Some(first) = processes.first() else {
            continue;
        };
        for other in &processes[1..] {
            all.push(Message {
                channel: None,
                sent: (step, first.0),
                received: (step, other.0),
            });
        }
        for &(cell, name) in &channels {
            let queue = waiting.entry(cell).or_default();
            match two[1].state[cell] - two[0].state[cell] {
                1 => queue.push_back((step, first.0)),
                -1 => {
                    if let Some(sent) = queue.pop_front() {
                        all.push(Message {
                            channel: Some(name.to_string()),
                            sent,
                            received: (step, first.0),
                        });
                    }
                }
                _ => {}
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_model::Type;
    use sempre_model::ir::{Action, Behaviour, Expr, ProcessId};

    #[test]
    fn messages_are_received_in_the_order_in_which_they_were_sent() {
        let mut p = Program::new("t");
        p.declare("len(c)", Type::BYTE, None, None);
        for (name, processes) in [("a", vec![0]), ("b", vec![1]), ("a, b", vec![0, 1])] {
            p.declare_process(name, &[]);
            p.actions.push(Action {
                name: name.to_string(),
                processes: processes.into_iter().map(ProcessId).collect(),
                class: 0,
                behaviour: Behaviour::Guarded {
                    guard: Expr::TRUE,
                    effect: Vec::new(),
                },
            });
        }
        let moment = |length: i64, action: u32| Moment {
            state: vec![length],
            propositions: Vec::new(),
            action: Some(action),
        };
        let run = [
            moment(0, 0),
            moment(1, 0),
            moment(2, 1),
            moment(1, 2),
            moment(1, 1),
            moment(0, 0),
        ];
        let found = messages(&p, &run.iter().collect::<Vec<_>>());
        let of = |channel: Option<&str>, sent, received| Message {
            channel: channel.map(str::to_string),
            sent,
            received,
        };
        assert_eq!(
            found,
            [
                of(Some("c"), (1, 0), (3, 1)),
                of(None, (4, 0), (4, 1)),
                of(Some("c"), (2, 0), (5, 1)),
            ]
        );
    }
}
