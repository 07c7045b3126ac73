//! A model as a Rust type: Peterson's mutual exclusion, with `System` implemented by hand.
//!
//! `cargo run --example peterson` explores it and finds that both processes are never critical at once;
//! `cargo run --example peterson -- broken` forgets whose turn it is, and shows the shortest way into trouble.

use sempre::explicit::explore::{Goal, Options, Outcome, explore};
use sempre::model::{Failure, Sink, Step, System};
use std::process::ExitCode;

/// The algorithm; without `turn` it is broken.
struct Peterson {
    uses_turn: bool,
}

/// Where a process is.
const LOCATIONS: [&str; 4] = ["idle", "asking", "waiting", "critical"];

/// A state, as people think of it.
#[derive(Clone, Copy)]
struct State {
    location: [u8; 2],
    turn: u8,
}

impl State {
    /// As the word that engines store: two bits for each process, one for the turn.
    fn pack(self) -> u64 {
        u64::from(self.location[0]) | u64::from(self.location[1]) << 2 | u64::from(self.turn) << 4
    }

    fn unpack(word: u64) -> Self {
        Self {
            location: [(word & 3) as u8, (word >> 2 & 3) as u8],
            turn: (word >> 4 & 1) as u8,
        }
    }

    fn both_critical(self) -> bool {
        self.location == [3, 3]
    }
}

impl System for Peterson {
    // Nothing needs to be kept from one state to the next.
    type Context = ();

    fn context(&self) {}

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u64])) {
        let state = State {
            location: [0, 0],
            turn: 0,
        };
        each(&[state.pack()]);
    }

    fn successors(&self, (): &mut (), state: &[u64], sink: &mut impl Sink) {
        let state = State::unpack(state[0]);
        if state.both_critical() {
            sink.failure(Failure {
                action: None,
                message: "both processes are critical".to_string(),
            });
        }
        for me in 0..2 {
            let other = 1 - me;
            let mut next = state;
            next.location[me] = (state.location[me] + 1) % 4;
            match state.location[me] {
                1 => next.turn = other as u8,
                2 => {
                    let other_wants = state.location[other] != 0;
                    let my_turn = !self.uses_turn || usize::from(state.turn) == me;
                    if other_wants && !my_turn {
                        continue;
                    }
                }
                _ => {}
            }
            let action = (4 * me) as u32 + u32::from(state.location[me]);
            sink.successor(Step { action, marks: 0 }, &[next.pack()]);
        }
    }

    // One proposition for each process: it is critical.
    fn holds(&self, (): &mut (), state: &[u64], proposition: usize) -> bool {
        State::unpack(state[0]).location[proposition] == 3
    }

    fn action_name(&self, action: u32) -> String {
        let (process, location) = (action / 4, action as usize % 4);
        let next = LOCATIONS[(location + 1) % 4];
        format!("process {process}: {} -> {next}", LOCATIONS[location])
    }

    fn show(&self, state: &[u64]) -> Vec<(String, String)> {
        let state = State::unpack(state[0]);
        let location = |p: usize| LOCATIONS[usize::from(state.location[p])].to_string();
        vec![
            ("process 0".to_string(), location(0)),
            ("process 1".to_string(), location(1)),
            ("turn".to_string(), state.turn.to_string()),
        ]
    }
}

/// What exploration finds, in words, and whether the algorithm is right.
pub fn report(uses_turn: bool) -> (Vec<String>, bool) {
    let system = Peterson { uses_turn };
    let options = Options {
        parents: true,
        until: Some(Goal::Failure),
        ..Options::default()
    };
    let found = explore(&system, &options);
    if let Some((state, failure)) = &found.failure {
        let trace = found.trace_to(*state).expect("parents were kept");
        let steps = trace.steps.iter().map(|s| system.action_name(s.action));
        return (steps.chain([failure.message.clone()]).collect(), false);
    }
    assert_eq!(found.outcome, Outcome::Complete);
    let s = found.statistics;
    let counts = format!(
        "{} states, {} transitions, {} deadlocks",
        s.states, s.transitions, s.deadlocks
    );
    (
        vec![counts, "never are both processes critical".to_string()],
        true,
    )
}

fn main() -> ExitCode {
    let (lines, is_right) = report(std::env::args().nth(1).as_deref() != Some("broken"));
    println!("{}", lines.join("\n"));
    match is_right {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    }
}
