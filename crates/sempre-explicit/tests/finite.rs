//! Searches for bad prefixes on random systems and random finite automata, against a breadth-first search that is written
//! here and knows nothing of products.

use sempre_base::Random;
use sempre_base::{Cancel, Stop};
use sempre_explicit::check::{BadPrefix, Inapplicable, Outcome};
use sempre_explicit::explore::Reason;
use sempre_explicit::finite::{FiniteOptions, FiniteProperty, Search, check};
use sempre_explicit::product::{Deadlock, Limits, Order};
use sempre_model::{Failure, Sink, Step, System};
use sempre_omega::{Bdd, Bdds, FiniteAutomaton};
use std::collections::HashMap;

/// A graph as a system; its actions are the numbers of the edges of a state.
#[derive(Clone)]
struct Model {
    initial: Vec<usize>,
    edges: Vec<Vec<usize>>,
    /// States in which an action fails.
    failing: Vec<bool>,
    letters: Vec<u64>,
    spare: u32,
    /// States have so many bits; more make a wider system.
    bits: u32,
    marks: u32,
}

const PROPOSITIONS: usize = 2;

impl Model {
    fn random(random: &mut Random) -> Self {
        let states = 1 + random.below(12);
        let density = [0.08, 0.15, 0.25][random.below(3)];
        let fails = random.chance(0.15);
        Self {
            initial: (0..1 + random.below(2))
                .map(|_| random.below(states))
                .collect(),
            edges: (0..states)
                .map(|_| (0..states).filter(|_| random.chance(density)).collect())
                .collect(),
            failing: (0..states).map(|_| fails && random.chance(0.3)).collect(),
            letters: (0..states)
                .map(|_| random.below(1 << PROPOSITIONS) as u64)
                .collect(),
            spare: [0, 1, 40][random.below(3)],
            bits: [1, 64][random.below(2)],
            marks: 0,
        }
    }

    /// A line of so many states, the letter 1 in the last.
    fn line(states: usize) -> Self {
        Self {
            initial: vec![0],
            edges: (0..states).map(|s| vec![(s + 1).min(states - 1)]).collect(),
            failing: vec![false; states],
            letters: (0..states).map(|s| u64::from(s + 1 == states)).collect(),
            spare: 0,
            bits: 64,
            marks: 0,
        }
    }

    fn stuck(&self, state: usize) -> bool {
        self.edges[state].is_empty() && !self.failing[state]
    }
}

impl System for Model {
    /// A number that needs more bits.
    type Context = Option<u64>;

    fn context(&self) -> Option<u64> {
        None
    }
    fn width(&self) -> usize {
        1
    }
    fn initial(&self, _: &mut Option<u64>, each: &mut dyn FnMut(&[u64])) {
        for &s in &self.initial {
            each(&[s as u64]);
        }
    }
    fn successors(&self, context: &mut Option<u64>, state: &[u64], sink: &mut impl Sink) {
        let state = state[0] as usize;
        if self.failing[state] {
            sink.failure(Failure {
                action: Some(0),
                message: "wrong".to_owned(),
            });
        }
        for (action, &to) in (0..).zip(&self.edges[state]) {
            if self.bits < 64 && to >> self.bits > 0 {
                *context = Some(to as u64);
                return sink.overflow();
            }
            sink.successor(Step { action, marks: 0 }, &[to as u64]);
        }
    }
    fn holds(&self, _: &mut Option<u64>, state: &[u64], proposition: usize) -> bool {
        self.letters[state[0] as usize] >> proposition & 1 == 1
    }
    fn marks(&self) -> u32 {
        self.marks
    }
    fn spare_bits(&self) -> (usize, u32) {
        (0, self.spare)
    }
    fn is_visible(&self, action: u32) -> bool {
        // Of large ones it is not known.
        let large = self.edges.len() > 100;
        large
            || (self.edges.iter().zip(&self.letters)).any(|(edges, &letter)| {
                (edges.get(action as usize)).is_some_and(|&to| self.letters[to] != letter)
            })
    }
    fn widen(&self, context: &Option<u64>) -> Option<Self> {
        context.map(|_| Self {
            bits: self.bits * 2,
            ..self.clone()
        })
    }
}

/// An automaton over two propositions.
fn automaton(random: &mut Random, bdds: &mut Bdds, deterministic: bool) -> FiniteAutomaton {
    let states = 1 + random.below(5) as u32;
    let mut a = FiniteAutomaton::new(vec![0, 1]);
    for _ in 0..states {
        a.add_state(random.chance(0.2));
    }
    a.initial.push(random.below(states as usize) as u32);
    if !deterministic && random.chance(0.3) {
        a.initial.push(random.below(states as usize) as u32);
    }
    for from in 0..states {
        for letter in 0..1 << PROPOSITIONS {
            let literals = [(0, letter & 1 == 1), (1, letter & 2 == 2)].map(|l| bdds.literal(l));
            let label = bdds.and(literals[0], literals[1]);
            let edges = match deterministic {
                true => usize::from(random.chance(0.8)),
                false => random.below(3),
            };
            for _ in 0..edges {
                a.add_edge(from, random.below(states as usize) as u32, label);
            }
        }
    }
    a.trim();
    a
}

/// Which states of the model have a path that never ends: those from which a cycle is reachable.
fn endless(model: &Model) -> Vec<bool> {
    let n = model.edges.len();
    let mut lives = vec![true; n];
    // A state whose successors all end does so, too.
    for _ in 0..=n {
        for s in 0..n {
            lives[s] = model.edges[s].iter().any(|&t| lives[t]);
        }
    }
    lives
}

/// The number of states of a shortest bad prefix, and whether something fails that a search would meet. By sets of pairs.
fn reference(
    model: &Model,
    bdds: &Bdds,
    a: &FiniteAutomaton,
    deadlock: Deadlock,
) -> (Option<usize>, bool) {
    let lives = endless(model);
    let read = |s: usize, q: u32| -> Vec<u32> {
        if a.is_final[q as usize] {
            return vec![q];
        }
        let holds = |v: u32| model.letters[s] >> v & 1 == 1;
        let edges = a.edges[q as usize].iter();
        edges
            .filter(|e| bdds.eval(e.label, holds))
            .map(|e| e.to)
            .collect()
    };
    let mut depth: HashMap<(usize, u32), usize> = HashMap::new();
    let mut level: Vec<(usize, u32)> = Vec::new();
    for &s in &model.initial {
        level.extend(a.initial.iter().flat_map(|&q| read(s, q)).map(|q| (s, q)));
    }
    let mut shortest = None;
    let mut fails = false;
    for length in 1.. {
        level.retain(|pair| depth.insert(*pair, length).is_none());
        if level.is_empty() {
            break;
        }
        let mut next = Vec::new();
        for &(s, q) in &level {
            if a.is_final[q as usize] {
                if deadlock == Deadlock::Stutter || lives[s] {
                    shortest = shortest.or(Some(length));
                }
                // Whoever has accepted is followed only to see whether it lives.
                fails |= deadlock == Deadlock::Drop && reach_failure(model, s);
                continue;
            }
            fails |= model.failing[s];
            let mut targets = model.edges[s].clone();
            if model.stuck(s) && deadlock == Deadlock::Stutter {
                targets.push(s);
            }
            next.extend(
                (targets.into_iter()).flat_map(|t| read(t, q).into_iter().map(move |r| (t, r))),
            );
        }
        level = next;
    }
    (shortest, fails)
}

fn reach_failure(model: &Model, from: usize) -> bool {
    let mut seen = vec![false; model.edges.len()];
    let mut todo = vec![from];
    let mut fails = false;
    while let Some(s) = todo.pop() {
        if !std::mem::replace(&mut seen[s], true) {
            fails |= model.failing[s];
            todo.extend(&model.edges[s]);
        }
    }
    fails
}

#[test]
fn all_searches_agree_with_a_plain_one() {
    let mut random = Random::new(1);
    let mut seen = [0; 3];
    let (mut widened, mut stuttered, mut longer) = (0, 0, 0);
    for round in 0..6000 {
        let model = Model::random(&mut random);
        let mut bdds = Bdds::new();
        let a = automaton(&mut random, &mut bdds, round % 3 != 0);
        let property = FiniteProperty::new(&mut bdds, &a, &[0, 1]).expect("it is small");
        let deadlock = [Deadlock::Stutter, Deadlock::Drop][round % 2];
        let (shortest, fails) = reference(&model, &bdds, &a, deadlock);
        for search in [
            None,
            Some(Search::Bfs),
            Some(Search::Dfs),
            Some(Search::BestFirst),
        ] {
            let impatient = search.is_none() && round % 5 == 0;
            let options = FiniteOptions {
                search,
                deadlock,
                order: match random.below(4) {
                    0 => Order::System,
                    1 => Order::Shuffled(random.next_u64()),
                    2 => Order::Directed(random.next_u64()),
                    _ => Order::Permuted(random.next_u64()),
                },
                workers: if random.chance(0.1) { 3 } else { 1 },
                first: if impatient { 4 } else { 1 << 16 },
                always: 0,
                ..FiniteOptions::default()
            };
            let found = check(&model, &property, &options);
            widened += found.statistics.widenings;
            let what = format!("round {round}, {search:?} {deadlock:?}");
            match &found.outcome {
                Outcome::Prefix(BadPrefix {
                    path: prefix,
                    goes_on,
                }) => {
                    let shortest = shortest.expect(&what);
                    assert!(prefix.len() >= shortest, "{what}");
                    let any = search == Some(Search::Dfs) || found.statistics.scouted;
                    assert!(any || prefix.len() == shortest, "{what}");
                    longer += usize::from(prefix.len() > shortest);
                    let states: Vec<usize> = prefix.iter().map(|m| m.state[0] as usize).collect();
                    assert!(model.initial.contains(&states[0]), "{what}");
                    for (two, moment) in states.windows(2).zip(prefix) {
                        match moment.action {
                            Some(action) => {
                                let to = model.edges[two[0]][action as usize];
                                assert_eq!(to, two[1], "{what}");
                            }
                            None => {
                                assert!(deadlock == Deadlock::Stutter, "{what}");
                                assert!(model.stuck(two[0]) && two[0] == two[1], "{what}");
                                stuttered += 1;
                            }
                        }
                    }
                    assert_eq!(prefix.last().and_then(|m| m.action), None);
                    let last = states[states.len() - 1];
                    assert_eq!(goes_on.is_none(), deadlock == Deadlock::Stutter);
                    if let Some(run) = goes_on {
                        let mut rest: Vec<_> = run.prefix.iter().chain(&run.cycle).collect();
                        assert_eq!(rest[0].state[0] as usize, last, "{what}");
                        rest.push(&run.cycle[0]);
                        for two in rest.windows(2) {
                            let action = two[0].action.expect("nothing stutters");
                            let from = two[0].state[0] as usize;
                            let to = two[1].state[0] as usize;
                            assert_eq!(model.edges[from][action as usize], to, "{what}");
                        }
                    }
                    // The automaton accepts the letters.
                    let word: Vec<sempre_omega::Letter> = (states.iter())
                        .map(|&s| (0..2).filter(|v| model.letters[s] >> v & 1 == 1).collect())
                        .collect();
                    let mut looping = a.clone();
                    for s in 0..a.states() {
                        if a.is_final[s] {
                            looping.edges[s].clear();
                            looping.add_edge(s as u32, s as u32, Bdd::TRUE);
                        }
                    }
                    assert!(looping.accepts(&bdds, &word), "{what}");
                    seen[0] += 1;
                }
                Outcome::Empty => {
                    assert_eq!((shortest, fails), (None, false), "{what}");
                    seen[1] += 1;
                }
                Outcome::Failed(..) => {
                    assert_eq!((shortest, fails), (None, true), "{what}");
                    seen[2] += 1;
                }
                other => panic!("{what}: {other:?}"),
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 150), "{seen:?}");
    assert!(
        widened > 1000 && stuttered > 100 && longer > 50,
        "{widened} {stuttered} {longer}"
    );
}

/// Accepts a word with the letter 1 in it.
fn sometimes(bdds: &mut Bdds) -> FiniteProperty {
    let mut a = FiniteAutomaton::new(vec![0, 1]);
    let (s, end) = (a.add_state(false), a.add_state(true));
    a.initial.push(s);
    let (p, not) = (bdds.variable(0), bdds.literal((0, false)));
    a.add_edge(s, end, p);
    a.add_edge(s, s, not);
    FiniteProperty::new(bdds, &a, &[0, 1]).expect("it is small")
}

#[test]
fn the_same_prefix_for_any_number_of_workers() {
    let mut random = Random::new(2);
    let property = sometimes(&mut Bdds::new());
    let mut found = 0;
    for _ in 0..40 {
        let states = 300;
        let model = Model {
            initial: vec![0, 1],
            edges: (0..states)
                .map(|_| (0..4).map(|_| random.below(states)).collect())
                .collect(),
            failing: vec![false; states],
            letters: (0..states)
                .map(|_| u64::from(random.chance(0.01)))
                .collect(),
            ..Model::line(1)
        };
        let with = |workers| {
            let options = FiniteOptions {
                workers,
                ..FiniteOptions::default()
            };
            check(&model, &property, &options).outcome
        };
        let one = with(1);
        found += usize::from(matches!(one, Outcome::Prefix(_)));
        for workers in [2, 4] {
            assert_eq!(with(workers), one);
        }
    }
    assert!(found > 20 && found < 40, "{found}");
}

#[test]
fn limits_are_told_and_what_is_known_is_kept() {
    let property = sometimes(&mut Bdds::new());
    let mut model = Model::line(100_000);
    let raised = Cancel::new();
    raised.stop(Stop::Cancelled);
    let limits = |limits| FiniteOptions {
        limits,
        ..FiniteOptions::default()
    };
    let memory = Limits {
        memory: Some(300_000),
        ..Limits::default()
    };
    let interrupted = Limits {
        interrupt: Some(&raised),
        ..Limits::default()
    };
    let states = Limits {
        states: Some(1000),
        ..Limits::default()
    };
    for (given, reason) in [
        (memory, Reason::Memory),
        (interrupted, Reason::Interrupted),
        (states, Reason::States),
    ] {
        for workers in [1, 2] {
            let options = FiniteOptions {
                workers,
                ..limits(given)
            };
            let found = check(&model, &property, &options);
            assert_eq!(found.outcome, Outcome::Stopped(reason.clone()));
        }
    }
    // Two ways to the end, a long one and a way around that takes for ever: an excursion is lucky, and what it has
    // found is told when the search may go on no longer.
    model.edges[0] = vec![1, 99_990];
    let options = FiniteOptions {
        first: 3,
        ..limits(states)
    };
    let found = check(&model, &property, &options);
    let Outcome::Prefix(prefix) = found.outcome else {
        panic!("{:?}", found.outcome);
    };
    assert_eq!(prefix.path.len(), 11);
    model.marks = 1;
    let found = check(&model, &property, &FiniteOptions::default());
    let refused = Outcome::Inapplicable(Inapplicable::ModelMarks);
    assert_eq!(found.outcome, refused);
}
