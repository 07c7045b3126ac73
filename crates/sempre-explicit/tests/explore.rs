//! Exploration against a naive search with a map, on random graphs and programs.

use sempre_base::Random;
use sempre_base::{Cancel, Stop};
use sempre_explicit::{Exploration, Goal, Options, Order, Outcome, Reason, explore};
use sempre_model::random_program::random_program;
use sempre_model::{Failure, Layout, ProgramSystem, Sink, Step, System};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A graph as a system. A node is written into `width` words; the layout has room for nodes below
/// `room`, and adds a tag to every word so that translation must do something.
#[derive(Clone)]
struct Graph {
    width: usize,
    room: u32,
    initial: Vec<u32>,
    edges: Vec<Vec<u32>>,
    /// Nodes with a failed assertion, and nodes with an erroneous step.
    bad: Vec<bool>,
    erroneous: Vec<bool>,
    /// The node whose expansion panics.
    bomb: Option<u32>,
}

impl Graph {
    fn random(random: &mut Random, nodes: usize, width: usize) -> Self {
        let density = 1 + random.below(4);
        let edges = (0..nodes)
            .map(|_| {
                (0..random.below(density + 1))
                    .map(|_| random.below(nodes) as u32)
                    .collect()
            })
            .collect();
        Self {
            width,
            room: u32::MAX,
            initial: (0..1 + random.below(4))
                .map(|_| random.below(nodes) as u32)
                .collect(),
            edges,
            bad: (0..nodes).map(|_| random.chance(0.02)).collect(),
            erroneous: (0..nodes).map(|_| random.chance(0.02)).collect(),
            bomb: None,
        }
    }

    /// A path of cliques: many levels, some narrow, some wide.
    fn wide(nodes: u32, width: usize) -> Self {
        let edges = (0..nodes)
            .map(|n| {
                let far = (1..8).map(|k| (n.wrapping_mul(7).wrapping_add(k * 13)) % nodes);
                far.chain([(n + 1) % nodes]).collect()
            })
            .collect();
        Self {
            width,
            room: u32::MAX,
            initial: vec![0],
            edges,
            bad: vec![false; nodes as usize],
            erroneous: vec![false; nodes as usize],
            bomb: None,
        }
    }

    fn encode(&self, node: u32) -> Vec<u64> {
        let tag = u64::from(self.room);
        (0..self.width as u64)
            .map(|i| u64::from(node >> (i * 3)) << 32 ^ tag)
            .collect()
    }

    fn decode(&self, state: &[u64]) -> u32 {
        ((state[0] ^ u64::from(self.room)) >> 32) as u32
    }

    /// What a search must count, and the distance of the nearest deadlock and failure.
    fn reference(&self) -> Reference {
        let mut distance: HashMap<u32, usize> = HashMap::new();
        let mut queue = VecDeque::new();
        for &node in &self.initial {
            if distance.insert(node, 0).is_none() {
                queue.push_back(node);
            }
        }
        let mut r = Reference::default();
        while let Some(node) = queue.pop_front() {
            let d = distance[&node];
            r.depth = d as u32;
            let n = node as usize;
            r.transitions += self.edges[n].len() as u64;
            r.failures += u64::from(self.bad[n]) + u64::from(self.erroneous[n]);
            if self.bad[n] || self.erroneous[n] {
                r.failure.get_or_insert(d);
            }
            if self.edges[n].is_empty() && !self.erroneous[n] {
                r.deadlocks += 1;
                r.deadlock.get_or_insert(d);
            }
            for &next in &self.edges[n] {
                distance.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    d + 1
                });
            }
        }
        r.states = distance.len() as u64;
        r.distance = distance;
        r
    }
}

#[derive(Default)]
struct Reference {
    states: u64,
    transitions: u64,
    deadlocks: u64,
    failures: u64,
    depth: u32,
    deadlock: Option<usize>,
    failure: Option<usize>,
    distance: HashMap<u32, usize>,
}

impl System for Graph {
    type Context = Option<u32>;

    fn context(&self) -> Option<u32> {
        None
    }
    fn width(&self) -> usize {
        self.width
    }
    fn initial(&self, _: &mut Option<u32>, each: &mut dyn FnMut(&[u64])) {
        for &node in &self.initial {
            each(&self.encode(node));
        }
    }
    fn successors(&self, context: &mut Option<u32>, state: &[u64], sink: &mut impl Sink) {
        let node = self.decode(state);
        assert!(self.bomb != Some(node), "the bomb of the test");
        if self.bad[node as usize] {
            sink.failure(Failure {
                action: None,
                message: format!("bad {node}"),
            });
        }
        for (action, &next) in self.edges[node as usize].iter().enumerate() {
            if next >= self.room {
                *context = Some(next);
                sink.overflow();
                return;
            }
            let step = Step {
                action: action as u32,
                marks: 0,
            };
            sink.successor(step, &self.encode(next));
        }
        if self.erroneous[node as usize] {
            sink.failure(Failure {
                action: Some(1000),
                message: format!("erroneous {node}"),
            });
        }
    }
    fn holds(&self, _: &mut Option<u32>, _: &[u64], _: usize) -> bool {
        false
    }
    fn widen(&self, context: &Option<u32>) -> Option<Self> {
        let next = (*context)?;
        let mut wide = self.clone();
        while wide.room <= next {
            wide.room *= 2;
        }
        wide.width = if wide.room > 1000 { 3 } else { self.width };
        Some(wide)
    }
    fn translate(&self, old: &Self, state: &[u64], out: &mut [u64]) {
        out.copy_from_slice(&self.encode(old.decode(state)));
    }
}

/// All that must not depend on order and workers, and the traces if there are parents.
fn check(graph: &Graph, reference: &Reference, options: &Options<'_>) {
    let found = explore(graph, options);
    let what = format!("{:?}, {} workers", options.order, options.workers);
    assert_eq!(found.outcome, Outcome::Complete, "{what}");
    let s = found.statistics;
    assert_eq!(s.states, reference.states, "{what}");
    assert_eq!(s.expanded, reference.states, "{what}");
    assert_eq!(s.transitions, reference.transitions, "{what}");
    assert_eq!(s.deadlocks, reference.deadlocks, "{what}");
    assert_eq!(s.failures, reference.failures, "{what}");
    assert_eq!(found.store().len(), reference.states, "{what}");
    assert_eq!(found.deadlock.is_some(), reference.deadlocks > 0);
    assert_eq!(found.failure.is_some(), reference.failures > 0);
    if options.order == Order::BreadthFirst {
        assert_eq!(s.depth, Some(reference.depth), "{what}");
    }
    // The store holds the states that were found.
    let mut state = vec![0; found.system().width()];
    // Some of them; depth-first traces are long.
    let every = 7.max(reference.states as usize / 30);
    for index in found.store().indices().into_iter().flatten().step_by(every) {
        let index = sempre_store::StateIndex(index);
        found.store().read(index, &mut state);
        let node = found.system().decode(&state);
        let distance = reference.distance[&node];
        let trace = found.trace_to(index);
        assert_eq!(trace.is_some(), options.parents);
        let Some(trace) = trace else { continue };
        is_path(graph, found.system(), &trace);
        assert_eq!(trace.states.last(), Some(&state));
        if options.order == Order::BreadthFirst {
            assert_eq!(trace.steps.len(), distance, "{what}");
        } else {
            assert!(trace.steps.len() >= distance);
        }
    }
    if options.parents && options.order == Order::BreadthFirst {
        nearest(&found, reference);
    }
}

fn is_path(graph: &Graph, system: &Graph, trace: &sempre_explicit::Trace) {
    let nodes: Vec<u32> = trace.states.iter().map(|s| system.decode(s)).collect();
    assert!(graph.initial.contains(&nodes[0]));
    assert_eq!(trace.steps.len() + 1, nodes.len());
    for (two, step) in nodes.windows(2).zip(&trace.steps) {
        assert_eq!(graph.edges[two[0] as usize][step.action as usize], two[1]);
    }
}

fn nearest(found: &Exploration<'_, Graph>, reference: &Reference) {
    if let Some(state) = found.deadlock {
        let trace = found.trace_to(state).unwrap();
        assert_eq!(Some(trace.steps.len()), reference.deadlock);
    }
    if let Some((state, _)) = &found.failure {
        let trace = found.trace_to(*state).unwrap();
        assert_eq!(Some(trace.steps.len()), reference.failure);
    }
}

fn settings() -> impl Iterator<Item = Options<'static>> {
    let orders = [Order::BreadthFirst, Order::DepthFirst];
    orders.into_iter().flat_map(|order| {
        [1, 2, 8].into_iter().flat_map(move |workers| {
            [false, true].into_iter().map(move |parents| Options {
                order,
                workers,
                parents,
                ..Options::default()
            })
        })
    })
}

#[test]
fn random_graphs() {
    let mut random = Random::new(11);
    for round in 0..60 {
        let nodes = 1 + random.below(*random.clone().pick(&[5, 100, 3000]));
        let graph = Graph::random(&mut random, nodes, 1 + round % 5);
        let reference = graph.reference();
        for options in settings() {
            check(&graph, &reference, &options);
        }
    }
}

/// Enough states that tables grow and workers share while they explore.
#[test]
fn larger_graphs() {
    for width in [1, 2, 3] {
        let graph = Graph::wide(40_000, width);
        let reference = graph.reference();
        assert_eq!(reference.states, 40_000);
        for options in settings() {
            check(&graph, &reference, &options);
        }
    }
}

/// Every initial node has room, all others appear as the layout widens, once with more words.
#[test]
fn widening_changes_nothing() {
    let mut random = Random::new(5);
    for round in 0..30 {
        let nodes = 2 + random.below(3000);
        let mut graph = Graph::random(&mut random, nodes, 1 + round % 2);
        if round % 3 == 0 {
            graph = Graph::wide(nodes as u32, 1);
        }
        let reference = graph.reference();
        graph.room = graph.initial.iter().max().unwrap() + 1;
        for options in settings() {
            check(&graph, &reference, &options);
            let found = explore(&graph, &options);
            let largest = *reference.distance.keys().max().unwrap();
            assert_eq!(found.statistics.widenings > 0, largest >= graph.room);
            assert!(found.statistics.widenings <= 13);
        }
    }
}

/// Programs packed too narrowly at first, against the same with full ranges.
#[test]
fn random_programs() {
    let mut random = Random::new(17);
    let (mut compared, mut widened) = (0, 0);
    for _ in 0..60 {
        let program = Arc::new(random_program(&mut random));
        let full = ProgramSystem::new(program.clone(), Layout::full(&program), vec![]);
        let limited = Options {
            states: Some(3000),
            ..Options::default()
        };
        let expected = explore(&full, &limited);
        if expected.outcome != Outcome::Complete {
            continue;
        }
        let tight = Layout::new(&program, &vec![(0, 0); program.cells()]);
        let tight = ProgramSystem::new(program, tight, vec![]);
        for workers in [1, 3] {
            let found = explore(&tight, &Options { workers, ..limited });
            assert_eq!(found.outcome, Outcome::Complete);
            let (a, b) = (found.statistics, expected.statistics);
            assert_eq!(
                (a.states, a.transitions, a.deadlocks, a.failures, a.depth),
                (b.states, b.transitions, b.deadlocks, b.failures, b.depth)
            );
            widened += a.widenings;
        }
        compared += 1;
    }
    assert!(compared > 20 && widened > 20, "{compared} {widened}");
}

#[test]
fn stops_at_the_nearest() {
    let mut random = Random::new(3);
    let (mut deadlocks, mut failures) = (0, 0);
    for _ in 0..100 {
        let graph = Graph::random(&mut random, 300, 1);
        let reference = graph.reference();
        for (goal, distance) in [
            (Goal::Deadlock, reference.deadlock),
            (Goal::Failure, reference.failure),
        ] {
            for workers in [1, 4] {
                let found = explore(
                    &graph,
                    &Options {
                        workers,
                        parents: true,
                        until: Some(goal),
                        ..Options::default()
                    },
                );
                let Some(distance) = distance else {
                    assert_eq!(found.outcome, Outcome::Complete);
                    continue;
                };
                assert_eq!(found.outcome, Outcome::Found);
                let state = match goal {
                    Goal::Deadlock => {
                        deadlocks += 1;
                        found.deadlock.unwrap()
                    }
                    Goal::Failure => {
                        failures += 1;
                        found.failure.as_ref().unwrap().0
                    }
                    Goal::Mark => unreachable!("nobody asked for it"),
                };
                let trace = found.trace_to(state).unwrap();
                is_path(&graph, found.system(), &trace);
                assert_eq!(trace.steps.len(), distance);
            }
        }
    }
    assert!(deadlocks > 20 && failures > 20, "{deadlocks} {failures}");
}

#[test]
fn limits_are_told() {
    let graph = Graph::wide(40_000, 1);
    let raised = Cancel::new();
    raised.stop(Stop::Cancelled);
    for (order, workers) in [
        (Order::BreadthFirst, 1),
        (Order::BreadthFirst, 4),
        (Order::DepthFirst, 1),
        (Order::DepthFirst, 4),
    ] {
        let base = Options {
            order,
            workers,
            ..Options::default()
        };
        let stopped = |options: Options<'_>, reason: Reason| {
            let found = explore(&graph, &options);
            assert_eq!(found.outcome, Outcome::Stopped(reason));
            assert!(found.statistics.states < 40_000);
            assert_eq!(found.statistics.states, found.store().len());
            found.statistics
        };
        let states = Some(5000);
        let s = stopped(Options { states, ..base }, Reason::States);
        assert!(s.states > 5000 && s.states < 10_000, "{}", s.states);
        let time = Some(Duration::ZERO);
        stopped(Options { time, ..base }, Reason::Time);
        let interrupt = Some(&raised);
        stopped(Options { interrupt, ..base }, Reason::Interrupted);
        for memory in [100, 30_000, 200_000] {
            for parents in [false, true] {
                let options = Options {
                    memory: Some(memory),
                    parents,
                    ..base
                };
                let s = stopped(options, Reason::Memory);
                assert!(s.bytes <= memory);
            }
        }
    }
}

#[test]
fn progress_is_told() {
    let graph = Graph::wide(40_000, 1);
    for workers in [1, 3] {
        let calls = AtomicU64::new(0);
        let last = AtomicU64::new(0);
        let progress = |p: &sempre_explicit::Progress| {
            calls.fetch_add(1, Relaxed);
            assert!(p.states >= last.swap(p.states, Relaxed), "one at a time");
            assert!(p.queue <= p.states && p.bytes > 0);
        };
        let found = explore(
            &graph,
            &Options {
                workers,
                progress: Some(&progress),
                interval: Duration::ZERO,
                ..Options::default()
            },
        );
        assert_eq!(found.outcome, Outcome::Complete);
        assert!(calls.into_inner() > 10);
    }
}

#[test]
fn a_panic_is_not_completion() {
    let mut graph = Graph::wide(10_000, 1);
    graph.bomb = Some(5_000);
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        for workers in [1, 2, 8] {
            let found = explore(
                &graph,
                &Options {
                    order,
                    workers,
                    ..Options::default()
                },
            );
            let Outcome::Stopped(Reason::Panic(text)) = found.outcome else {
                panic!("{:?}", found.outcome);
            };
            assert_eq!(text, "the bomb of the test");
        }
    }
}

/// A system that reports an overflow and cannot widen.
#[test]
fn an_overflow_without_a_way_out_is_told() {
    struct Stuck;
    impl System for Stuck {
        type Context = ();
        fn context(&self) {}
        fn width(&self) -> usize {
            0
        }
        fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u64])) {
            each(&[]);
        }
        fn successors(&self, (): &mut (), _: &[u64], sink: &mut impl Sink) {
            sink.overflow();
        }
        fn holds(&self, (): &mut (), _: &[u64], _: usize) -> bool {
            false
        }
    }
    let found = explore(&Stuck, &Options::default());
    assert_eq!(found.outcome, Outcome::Stopped(Reason::Overflow));
    assert_eq!(found.statistics.states, 1);
    assert_eq!(found.statistics.deadlocks, 0);
}
