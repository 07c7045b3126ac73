//! A model written in Rust: Peterson's mutual exclusion algorithm as a type that implements [`System`].
//!
//! Run it with `cargo run -p sempre-model --example peterson`. Engines use models only through this interface, so
//! every engine for DVE files works with this type as well. Here a few lines of breadth-first search replace the
//! engine.
//!
//! Each of two processes, `me` and `other`, runs forever:
//!
//! ```text
//! idle:      flag[me] := true
//! asking:    turn := other                (an incorrect version sets `turn := me`)
//! waiting:   wait until !flag[other] or turn == me
//! critical:  flag[me] := false
//! ```

use sempre_model::{Failure, Sink, Step, System};
use std::collections::{HashSet, VecDeque};

/// The model: immutable, shared by all workers.
struct Peterson {
    /// Does a process give the turn to the other one, as it should?
    polite: bool,
}

/// The program counters.
const IDLE: u64 = 0;
const ASKING: u64 = 1;
const WAITING: u64 = 2;
const CRITICAL: u64 = 3;
const NAMES: [&str; 4] = ["idle", "asking", "waiting", "critical"];

/// The numbers of the propositions.
const FIRST_CRITICAL: usize = 0;
const SECOND_CRITICAL: usize = 1;

/// The state, unpacked. A flag is up unless its process is idle, so it needs no bit of its own.
#[derive(Clone, Copy)]
struct State {
    counter: [u64; 2],
    turn: u64,
}

impl State {
    /// Two bits for each counter, one for the turn. Equal states must be equal words.
    fn pack(self) -> [u64; 1] {
        [self.counter[0] | self.counter[1] << 2 | self.turn << 4]
    }

    fn unpack(words: &[u64]) -> Self {
        let word = words[0];
        Self {
            counter: [word & 3, word >> 2 & 3],
            turn: word >> 4 & 1,
        }
    }
}

impl System for Peterson {
    /// No scratch space is needed. A model with large states would keep its buffers here, one set for each worker.
    type Context = ();

    fn context(&self) {}

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u64])) {
        // The initial turn is arbitrary: two initial states.
        for turn in [0, 1] {
            let counter = [IDLE; 2];
            each(&State { counter, turn }.pack());
        }
    }

    fn successors(&self, (): &mut (), state: &[u64], sink: &mut impl Sink) {
        let state = State::unpack(state);
        for me in 0..2 {
            let other = 1 - me;
            let mut next = state;
            let at = state.counter[me];
            match at {
                IDLE => next.counter[me] = ASKING,
                ASKING => {
                    next.turn = if self.polite { other } else { me } as u64;
                    next.counter[me] = WAITING;
                }
                WAITING if state.counter[other] == IDLE || state.turn == me as u64 => {
                    next.counter[me] = CRITICAL;
                }
                CRITICAL => next.counter[me] = IDLE,
                // The process waits: it has no step.
                _ => continue,
            }
            let action = me as u32 * 4 + at as u32;
            sink.successor(Step { action, marks: 0 }, &next.pack());
        }
    }

    fn holds(&self, (): &mut (), state: &[u64], proposition: usize) -> bool {
        let state = State::unpack(state);
        match proposition {
            FIRST_CRITICAL => state.counter[0] == CRITICAL,
            SECOND_CRITICAL => state.counter[1] == CRITICAL,
            _ => false,
        }
    }

    // The following methods have defaults. Processes are for fairness, names for reports.

    fn processes(&self) -> usize {
        2
    }

    fn action_processes(&self, action: u32) -> &[u32] {
        if action < 4 { &[0] } else { &[1] }
    }

    fn action_name(&self, action: u32) -> String {
        let (process, at) = (action / 4, action as usize % 4);
        format!("P{process}: {} -> {}", NAMES[at], NAMES[(at + 1) % 4])
    }

    fn show(&self, state: &[u64]) -> Vec<(String, String)> {
        let state = State::unpack(state);
        vec![
            (
                "P0".to_string(),
                NAMES[state.counter[0] as usize].to_string(),
            ),
            (
                "P1".to_string(),
                NAMES[state.counter[1] as usize].to_string(),
            ),
            ("turn".to_string(), state.turn.to_string()),
        ]
    }
}

/// The successors of a state.
#[derive(Default)]
struct Edges(Vec<(u32, Vec<u64>)>);

impl Sink for Edges {
    fn successor(&mut self, step: Step, state: &[u64]) {
        self.0.push((step.action, state.to_vec()));
    }
    fn failure(&mut self, failure: Failure) {
        panic!("this model has no erroneous steps: {}", failure.message);
    }
    fn overflow(&mut self) {
        panic!("this model has room for its values");
    }
}

/// Counts the states of a system, breadth-first, and finds one in which all of these propositions hold.
fn search<S: System>(system: &S, together: &[usize]) -> (usize, Option<Vec<u64>>) {
    let mut context = system.context();
    let mut queue = VecDeque::new();
    system.initial(&mut context, &mut |state| queue.push_back(state.to_vec()));
    let mut seen: HashSet<Vec<u64>> = queue.iter().cloned().collect();
    let mut found = None;
    while let Some(state) = queue.pop_front() {
        let all = (together.iter()).all(|&p| system.holds(&mut context, &state, p));
        if all && found.is_none() {
            found = Some(state.clone());
        }
        let mut edges = Edges::default();
        system.successors(&mut context, &state, &mut edges);
        for (_, next) in edges.0 {
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    (seen.len(), found)
}

fn main() {
    for polite in [true, false] {
        let system = Peterson { polite };
        let (states, bad) = search(&system, &[FIRST_CRITICAL, SECOND_CRITICAL]);
        let version = if polite { "Peterson" } else { "careless" };
        print!("{version}: {states} states, ");
        match &bad {
            None => println!("never both in the critical section"),
            Some(state) => {
                let values = system.show(state).into_iter();
                let values: Vec<String> = values.map(|(n, v)| format!("{n} = {v}")).collect();
                println!("both are in the critical section: {}", values.join(", "));
            }
        }
    }
}

#[test]
fn only_the_polite_version_excludes() {
    let both = [FIRST_CRITICAL, SECOND_CRITICAL];
    assert_eq!(search(&Peterson { polite: true }, &both), (20, None));
    assert!(search(&Peterson { polite: false }, &both).1.is_some());
}
