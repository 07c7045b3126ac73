//! Two workers in a scripted order. The script is in what they ask while they search: the edges of a state, and the union
//! of marks, which they make for each set on a cycle just before they unite it with the one below.

use super::*;
use crate::explicit_space::ExplicitSpace;
use sempre_store::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// Waits for the other worker. Not for ever: a search in another order must come to the same result.
fn wait_until(happened: impl Fn() -> bool) {
    for _ in 0..10_000_000 {
        if happened() {
            return;
        }
        std::thread::yield_now();
    }
}

static OPEN: AtomicBool = AtomicBool::new(false);

/// Marks of which one is a gate, and another the key to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gated(u32);

const GATE: Gated = Gated(1 << 8);
const KEY: Gated = Gated(1 << 9);

impl Marks for Gated {
    const CAPACITY: u32 = 32;
    const NONE: Self = Self(0);

    fn single(mark: u32) -> Self {
        Self(1 << mark)
    }
    /// Who adds the gate waits for it to be opened.
    fn union(self, other: Self) -> Self {
        if other == GATE {
            wait_until(|| OPEN.load(SeqCst));
        }
        Self(self.0 | other.0)
    }
    fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    fn contains(self, mark: u32) -> bool {
        self.intersects(Self::single(mark))
    }
    /// The words of the key are asked for when its set was united, to be added to the set.
    fn word(self, _: usize) -> u32 {
        if self.includes(KEY) {
            OPEN.store(true, SeqCst);
        }
        self.0
    }
    fn from_word(word: u64, shift: u32) -> Self {
        Self((word << shift) as u32)
    }
}

/// A worker's space. It may wait before it tells what leaves a state.
struct Scripted<'a> {
    graph: ExplicitSpace<Gated>,
    before: &'a (dyn Fn(u32) + Sync),
}

impl Space<Gated> for Scripted<'_> {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        self.graph.initial()
    }
    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<Gated>>) -> Result<(), Stop> {
        (self.before)(state);
        self.graph.expand(state, edges)
    }
    fn sets(&self) -> u32 {
        self.graph.sets()
    }
    fn budget(&self) -> Arc<Budget> {
        self.graph.budget()
    }
}

/// Worker 0 closes the cycle 0, 4, 3, 2, 1. When it has united 1 and 2, worker 1 closes the cycle 0, 1 by the same edge from 1 to 0,
/// and finds all sets. Worker 0 must unite 4 all the same (I6): no other way leads from 0 to 2, where one of the marks is.
#[test]
fn a_cycle_is_closed_while_another_closes_a_shorter_one() {
    let graph = || {
        let edge = |target, marks| Edge { target, marks };
        let (none, single) = (Gated::NONE, Gated::single);
        let edges = vec![
            // Worker 0 follows the first edge first, worker 1 the last.
            vec![edge(4, none), edge(1, KEY)],
            vec![edge(0, single(0))],
            vec![edge(2, single(1)), edge(1, none)],
            vec![edge(2, GATE)],
            vec![edge(3, none)],
        ];
        ExplicitSpace::new(2, vec![0], edges)
    };
    let goals = [graph().wanted()];
    let search = Search::new(&graph(), 2, &goals);
    let (sets, at_1) = (&search.sets, AtomicBool::new(false));
    let long = |state| {
        if state == 2 {
            wait_until(|| at_1.load(SeqCst));
        }
    };
    let short = |state| {
        if state == 1 {
            at_1.store(true, SeqCst);
            wait_until(|| sets.is_visited(2) && sets.same(1, 2));
        }
    };
    let scripts: [&(dyn Fn(u32) + Sync); 2] = [&long, &short];
    let mut spaces = scripts.map(|before| Scripted {
        graph: graph(),
        before,
    });
    let crew = Crew::default();
    let ended = crew.together(&mut spaces, |me, space| {
        Worker::new(&search, &crew, space, me).run()
    });
    let found = search.into_run(&mut graph(), ended, &mut Counters::default());
    let (run, _) = found.unwrap().expect("the longer cycle");
    let states: Vec<u32> = run.cycle.iter().map(|step| step.state).collect();
    assert_eq!(states, [0, 1, 0, 4, 3, 2, 2, 1]);
}
