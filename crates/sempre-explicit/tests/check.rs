//! Checks from end to end, by all algorithms, on random systems and random automata, against the explicit product.

mod graph_model;

use graph_model::{Model, Move, PROPOSITIONS, is_violation};
use sempre_base::Random;
use sempre_explicit::check::{Check, Counterexample, Inapplicable, Options, Outcome, check};
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::product::{Deadlock, Order};
use sempre_explicit::property::Property;
use sempre_explicit::testing_property::TestingProperty;
use sempre_model::{Sink, Step, System};
use sempre_omega::degeneralize::{Kind, degeneralize};
use sempre_omega::random::RandomAutomaton;
use sempre_omega::stutter::{closure, self_loopization};
use sempre_omega::testing::sta::single_pass;
use sempre_omega::testing::{Limits, Ta, Tgta};
use sempre_omega::{Acceptance, Alphabet, Automaton, Bdd, Mark};

/// The product, all of it. States are pairs: `node * automaton states + automaton state`.
struct Reference {
    initial: Vec<usize>,
    /// Target, marks, action.
    edges: Vec<Vec<(usize, u64, Option<u32>)>>,
    /// Is something wrong that a search would meet?
    failing: Vec<bool>,
    all: u64,
}

impl Reference {
    fn new(
        model: &Model,
        alphabet: &Alphabet,
        a: &Automaton,
        deadlock: Deadlock,
        fair: bool,
    ) -> Self {
        let q = a.states();
        let processes = if fair { model.processes as u32 } else { 0 };
        let first_process = a.sets + model.marks;
        let sets = first_process + processes;
        let mut edges = vec![Vec::new(); model.moves.len() * q];
        let mut failing = vec![false; edges.len()];
        for (s, moves) in model.moves.iter().enumerate() {
            let holds = |v: u32| model.valuation[s] >> v & 1 == 1;
            let fails = model.failing[s].flatten();
            let enabled = |p: u32| {
                let mut actions = moves.iter().map(|m| m.action).chain(fails);
                actions.any(|a| model.actions[a as usize].contains(&p))
            };
            let takes_part = |p: u32, m: &Move| model.actions[m.action as usize].contains(&p);
            let mut steps: Vec<(usize, u64, Option<u32>)> = (moves.iter())
                .map(|m| {
                    let fairness = (0..processes)
                        .filter(|&p| takes_part(p, m) || !enabled(p))
                        .fold(0, |set, p| set | 1 << (first_process + p));
                    (m.target, m.marks << a.sets | fairness, Some(m.action))
                })
                .collect();
            if moves.is_empty() && fails.is_none() && deadlock == Deadlock::Stutter {
                steps.push((s, ((1 << sets) - 1) & !((1 << a.sets) - 1), None));
            }
            for from in 0..q {
                for e in &a.edges[from] {
                    if !alphabet.bdds.eval(e.label, holds) {
                        continue;
                    }
                    failing[s * q + from] |= model.failing[s].is_some();
                    let marks = (0..a.sets).filter(|&m| e.mark.contains(m));
                    let marks = marks.fold(0, |set, m| set | 1 << m);
                    for &(target, more, action) in &steps {
                        edges[s * q + from].push((
                            target * q + e.to as usize,
                            marks | more,
                            action,
                        ));
                    }
                }
            }
        }
        let initial = (model.initial.iter())
            .flat_map(|&s| a.initial.iter().map(move |&i| s * q + i as usize))
            .collect();
        Self {
            initial,
            edges,
            failing,
            all: (1 << sets) - 1,
        }
    }

    /// Is there a reachable component in all sets, and is something wrong in a reachable state?
    fn answer(&self) -> (bool, bool) {
        let n = self.edges.len();
        assert!(n <= 128, "one bit for each state");
        let mut reach = vec![0u128; n];
        for (s, edges) in self.edges.iter().enumerate() {
            reach[s] = edges.iter().fold(0, |set, e| set | 1 << e.0);
        }
        for k in 0..n {
            for i in 0..n {
                if reach[i] >> k & 1 == 1 {
                    reach[i] |= reach[k];
                }
            }
        }
        let reachable = (self.initial.iter()).fold(0, |set, &i| set | reach[i] | 1 << i);
        let accepts = (0..n).any(|s| {
            let together = |t: usize| reach[s] >> t & reach[t] >> s & 1 == 1;
            let marks = (0..n)
                .filter(|&t| together(t))
                .flat_map(|t| &self.edges[t])
                .filter(|e| together(e.0))
                .fold(0, |set, e| set | e.1);
            reachable >> s & 1 == 1 && together(s) && marks == self.all
        });
        let fails = (0..n).any(|s| reachable >> s & 1 == 1 && self.failing[s]);
        (accepts, fails)
    }

    /// Is this an accepting run? Edges with the same ends and action are told apart by nothing; a run can take all of
    /// them in turn.
    fn confirms(&self, found: &Counterexample, q: usize) -> bool {
        let moments: Vec<_> = found.prefix.iter().chain(&found.cycle).collect();
        let mut places: Vec<usize> = (moments.iter())
            .map(|m| m.state[0] as usize * q + m.property as usize)
            .collect();
        places.push(places[found.prefix.len()]);
        let mut marks = 0;
        for (i, moment) in moments.iter().enumerate() {
            let edges = (self.edges[places[i]].iter())
                .filter(|e| e.0 == places[i + 1] && e.2 == moment.action);
            if edges.clone().next().is_none() {
                return false;
            }
            if i >= found.prefix.len() {
                marks = edges.fold(marks, |set, e| set | e.1);
            }
        }
        !found.cycle.is_empty() && self.initial.contains(&places[0]) && marks == self.all
    }
}

/// Has a component of the automaton accepting cycles, and edges that are not in all sets?
fn mixed(a: &Automaton) -> bool {
    let n = a.states();
    let mut reach = vec![0u128; n];
    for (s, edges) in a.edges.iter().enumerate() {
        reach[s] = edges.iter().fold(0, |set, e| set | 1 << e.to);
    }
    for k in 0..n {
        for i in 0..n {
            if reach[i] >> k & 1 == 1 {
                reach[i] |= reach[k];
            }
        }
    }
    (0..n).any(|s| {
        let together = |t: usize| reach[s] >> t & reach[t] >> s & 1 == 1;
        let inside = (0..n)
            .filter(|&t| together(t))
            .flat_map(|t| &a.edges[t])
            .filter(|e| together(e.to as usize));
        let accepting = (0..a.sets).all(|set| inside.clone().any(|e| e.mark.contains(set)));
        accepting && (0..a.sets).any(|set| inside.clone().any(|e| !e.mark.contains(set)))
    })
}

fn property(random: &mut Random, alphabet: &mut Alphabet, variables: &[u32]) -> Automaton {
    let states = 1 + random.below(5);
    let sets = random.below(4) as u32;
    let mut kind = RandomAutomaton::generalized_buchi(states, variables, sets);
    kind.mark_probability = [0.3, 0.6, 1.0][random.below(3)];
    kind.complete = random.chance(0.5);
    let mut a = kind.generate(random, &mut alphabet.bdds);
    if random.chance(0.2) {
        let more = random.below(states) as u32;
        if !a.initial.contains(&more) {
            a.initial.push(more);
        }
    }
    a
}

#[test]
fn all_checks_of_random_systems_agree_with_the_product() {
    let mut random = Random::new(5);
    let mut alphabet = Alphabet::new();
    let variables: Vec<u32> = (0..PROPOSITIONS)
        .map(|i| alphabet.declare(&format!("p{i}")))
        .collect();
    assert_eq!(variables, [0, 1]);
    // Violated, empty, failed: of all, and of those that the plain search decides.
    let mut seen = [0; 3];
    let mut plain = [0; 3];
    let mut refused = [0; 3];
    let mut scouted = 0;
    for round in 0..20_000 {
        let model = Model::random(&mut random);
        let a = property(&mut random, &mut alphabet, &variables);
        let compiled = Property::new(&mut alphabet.bdds, &a, &variables).unwrap();
        let deadlock = [Deadlock::Stutter, Deadlock::Drop][round % 2];
        let fair = round / 2 % 2 == 1;
        let reference = Reference::new(&model, &alphabet, &a, deadlock, fair);
        let expected = reference.answer();
        for (algorithm, name) in Algorithm::ALL {
            if algorithm.needs_livelock() {
                continue;
            }
            let options = Options {
                algorithm,
                deadlock,
                fair,
                shorten: [0, 0, 0, 3, 1000][random.below(5)],
                scouts: [None, Some(1), Some(3)][random.below(3)],
                order: match random.below(4) {
                    0 => Order::System,
                    1 => Order::Shuffled(random.next_u64()),
                    2 => Order::Directed(random.next_u64()),
                    _ => Order::Permuted(random.next_u64()),
                },
                // Threads cost more than the searches.
                workers: match algorithm.takes_workers() && round % 8 == 0 {
                    true => 2 + random.below(3),
                    false => 1,
                },
                ..Options::default()
            };
            let Check {
                outcome,
                statistics,
                ..
            } = check(&model, &compiled, &options);
            scouted += u32::from(statistics.scouted);
            let number = match outcome {
                Outcome::Violated(found) => {
                    let confirmed = reference.confirms(&found, a.states());
                    assert!(expected.0 && confirmed, "{name}, round {round}: {found:?}");
                    0
                }
                Outcome::Empty => {
                    assert_eq!(expected, (false, false), "{name}, round {round}");
                    1
                }
                Outcome::Failed(..) => {
                    assert_eq!(expected, (false, true), "{name}, round {round}");
                    2
                }
                Outcome::Inapplicable(reason) => {
                    assert!(algorithm.needs_weak());
                    let (reason, right) = match reason {
                        Inapplicable::Mixed => (0, mixed(&a)),
                        Inapplicable::Fairness => (1, fair && model.processes > 0),
                        Inapplicable::ModelMarks => (2, model.marks > 0),
                        Inapplicable::Livelock
                        | Inapplicable::NoLivelock
                        | Inapplicable::Workers
                        | Inapplicable::Choice
                        | Inapplicable::Avoidance
                        | Inapplicable::Cases => (0, false),
                    };
                    assert!(right, "round {round}");
                    refused[reason] += 1;
                    continue;
                }
                other => panic!("{name}, round {round}: {other:?}"),
            };
            seen[number] += 1;
            if algorithm.needs_weak() {
                assert!(!mixed(&a) && model.marks == 0 && !(fair && model.processes > 0));
                plain[number] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 1_000), "{seen:?}");
    assert!(scouted > 1_000, "{scouted}");
    assert!(plain.iter().all(|&n| n > 100), "{plain:?}");
    assert!(refused.iter().all(|&n| n > 100), "{refused:?}");
}

/// Products with testing automata have the verdicts of products with the automata they come from.
#[test]
fn testing_automata_agree_with_the_product() {
    let mut random = Random::new(6);
    let mut alphabet = Alphabet::new();
    let variables: Vec<u32> = (0..PROPOSITIONS)
        .map(|i| alphabet.declare(&format!("p{i}")))
        .collect();
    let mut seen = [0; 3];
    let mut pairs = 0;
    for round in 0.. {
        if pairs == 3_000 {
            break;
        }
        let model = Model::random(&mut random);
        let sets = random.below(3) as u32;
        let shape = RandomAutomaton::generalized_buchi(1 + random.below(3), &variables, sets);
        let a = shape.generate(&mut random, &mut alphabet.bdds);
        // Stutter-invariant by construction.
        let a = self_loopization(&mut alphabet.bdds, &a);
        let a = closure(&mut alphabet.bdds, &a);
        // One bit for each state of the product, in the reference.
        if a.states() * model.moves.len() > 128 {
            continue;
        }
        pairs += 1;
        let bdds = &mut alphabet.bdds;
        let b = degeneralize(bdds, &a, Kind::StateBased).unwrap();
        let tgta = Tgta::new(bdds, &a, Limits::default()).unwrap();
        let ta = Ta::new(bdds, &b, Limits::default()).unwrap();
        let automata = [
            TestingProperty::tgta(&tgta, &variables).unwrap(),
            TestingProperty::single_pass(&single_pass(&ta), &variables).unwrap(),
            TestingProperty::ta(&ta, &variables).unwrap(),
        ];
        let deadlock = [Deadlock::Stutter, Deadlock::Drop][round % 2];
        let fair = round / 2 % 2 == 1;
        let expected = Reference::new(&model, &alphabet, &a, deadlock, fair).answer();
        for (kind, automaton) in automata.iter().enumerate() {
            for (algorithm, name) in Algorithm::ALL {
                let options = Options {
                    algorithm,
                    deadlock,
                    fair,
                    workers: match algorithm.takes_workers() {
                        true if round % 2 == 0 => 1 + round / 2 % 4,
                        _ => 1,
                    },
                    ..Options::default()
                };
                let Check { outcome, .. } = check(&model, automaton, &options);
                let number = match outcome {
                    Outcome::Violated(found) => {
                        let right = is_violation(&model, &alphabet, &a, deadlock, &found);
                        assert!(
                            expected.0 && right,
                            "{name}, round {round}, {kind}: {found:?}"
                        );
                        0
                    }
                    Outcome::Empty => {
                        // Another automaton may be rid of a run before the system does something wrong.
                        assert!(!expected.0, "{name}, round {round}, {kind}");
                        1
                    }
                    Outcome::Failed(..) => {
                        assert!(!expected.0 && model.failing.iter().any(Option::is_some));
                        2
                    }
                    Outcome::Inapplicable(reason) => {
                        let right = match reason {
                            Inapplicable::Livelock => kind == 2,
                            Inapplicable::NoLivelock => algorithm.needs_livelock() && kind < 2,
                            Inapplicable::Mixed => algorithm.needs_weak(),
                            Inapplicable::Fairness => kind == 2 && fair && model.processes > 0,
                            Inapplicable::ModelMarks => kind == 2 && model.marks > 0,
                            Inapplicable::Workers
                            | Inapplicable::Choice
                            | Inapplicable::Avoidance
                            | Inapplicable::Cases => false,
                        };
                        assert!(right, "{name}, round {round}, {kind}: {reason:?}");
                        continue;
                    }
                    other => panic!("{name}, round {round}: {other:?}"),
                };
                seen[number] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 200), "{seen:?}");
}

/// The first pass sees 0 and 2 as one component, and every way to close the stuttering cycle leads to a state that
/// is not on its stack, or over a change.
#[test]
fn the_second_pass_finds_what_the_first_has_missed() {
    let mut alphabet = Alphabet::new();
    let p = alphabet.declare("p");
    alphabet.declare("unused");
    let label = alphabet.bdds.variable(p);
    // F G p.
    let mut a = Automaton::new(vec![p], 1, Acceptance::buchi());
    let (wait, stay) = (a.add_state(), a.add_state());
    a.initial.push(wait);
    a.add_edge(wait, wait, Bdd::TRUE, Mark::EMPTY);
    a.add_edge(wait, stay, label, Mark::EMPTY);
    a.add_edge(stay, stay, label, Mark::single(0));
    let ta = Ta::new(&mut alphabet.bdds, &a, Limits::default()).unwrap();
    let to = |targets: &[usize]| -> Vec<Move> {
        (targets.iter())
            .map(|&target| Move {
                action: 0,
                marks: 0,
                target,
            })
            .collect()
    };
    let model = Model {
        initial: vec![0],
        moves: vec![to(&[1, 2]), to(&[2]), to(&[0])],
        failing: vec![None; 3],
        valuation: vec![1, 0, 1],
        marks: 0,
        processes: 0,
        actions: vec![Vec::new()],
        spare: 40,
    };
    let property = TestingProperty::ta(&ta, &[0, 1]).unwrap();
    let options = Options {
        algorithm: Algorithm::TaTwoPass,
        ..Options::default()
    };
    let found = check(&model, &property, &options);
    assert!(found.statistics.counters.only_second);
    assert!(found.statistics.counters.second_states > 0);
    let Outcome::Violated(run) = found.outcome else {
        panic!("{:?}", found.outcome);
    };
    assert!(is_violation(&model, &alphabet, &a, Deadlock::Stutter, &run));
}

/// Numbers up to 3000, of which few have room.
struct Narrow {
    room: u64,
}

impl System for Narrow {
    type Context = Option<u64>;

    fn context(&self) -> Option<u64> {
        None
    }
    fn width(&self) -> usize {
        if self.room > 1000 { 2 } else { 1 }
    }
    fn initial(&self, _: &mut Option<u64>, each: &mut dyn FnMut(&[u64])) {
        each(&vec![0; self.width()]);
    }
    fn successors(&self, context: &mut Option<u64>, state: &[u64], sink: &mut impl Sink) {
        let number = state[0];
        for (action, next) in [number * 2 + 1, number * 3 + 2, number / 5]
            .into_iter()
            .enumerate()
        {
            if next > 3000 {
                continue;
            }
            if next >= self.room {
                *context = Some(next);
                sink.overflow();
                return;
            }
            let mut words = vec![0; self.width()];
            words[0] = next;
            let action = action as u32;
            sink.successor(Step { action, marks: 0 }, &words);
        }
    }
    fn holds(&self, _: &mut Option<u64>, state: &[u64], _: usize) -> bool {
        state[0] == 2021
    }
    fn widen(&self, context: &Option<u64>) -> Option<Self> {
        let room = (context.as_ref()? + 1).next_power_of_two();
        Some(Self { room })
    }
    fn translate(&self, _: &Self, state: &[u64], out: &mut [u64]) {
        out[0] = state[0];
    }
}

/// Several workers begin anew when a value has no room, and find what one finds.
#[test]
fn several_workers_widen() {
    let mut alphabet = Alphabet::new();
    let variable = alphabet.declare("p");
    let p = alphabet.bdds.variable(variable);
    for (label, violated) in [(p, true), (Bdd::FALSE, false)] {
        // Infinitely often the label.
        let mut a = Automaton::new(vec![variable], 1, Acceptance::buchi());
        a.edges = vec![Vec::new()];
        a.initial = vec![0];
        a.add_edge(0, 0, Bdd::TRUE, Mark::EMPTY);
        a.add_edge(0, 0, label, Mark::single(0));
        let compiled = Property::new(&mut alphabet.bdds, &a, &[variable]).unwrap();
        let mut states = 0;
        for workers in [1, 2, 5] {
            let options = Options {
                algorithm: Algorithm::Ufscc,
                workers,
                ..Options::default()
            };
            let system = Narrow { room: 4 };
            let found = check(&system, &compiled, &options);
            assert!(found.statistics.widenings > 3);
            let is = matches!(found.outcome, Outcome::Violated(_));
            assert_eq!((is, found.outcome == Outcome::Empty), (violated, !violated));
            if let Outcome::Violated(run) = &found.outcome {
                assert!(run.cycle.iter().any(|m| m.state[0] == 2021));
                assert_eq!(found.system().width(), 2);
            } else {
                assert!(states == 0 || states == found.statistics.counters.states);
                states = found.statistics.counters.states;
            }
        }
    }
}
