//! Symbolic checks against the definition of the product, on random programs and random automata.

use sempre_base::Random;
use sempre_model::ir::{Behaviour, Binary, Place, Stmt, Type, VariableId};
use sempre_model::random_program::{random_expression, random_program};
use sempre_model::{Action, Expr, Interpreter, Program};
use sempre_symbolic::product::Automaton;
use sempre_symbolic::product::{Deadlock, Reachability};
use sempre_symbolic::reach::Strategy;
use sempre_symbolic::search::{Algorithm, Options, Outcome, RunStep, check};
use std::collections::BTreeMap;

/// A random automaton over a few propositions.
#[derive(Debug)]
struct RandomAutomaton {
    states: u32,
    sets: u32,
    testing: bool,
    initial: Vec<Vec<u32>>,
    /// By state and letter.
    edges: Vec<Vec<Vec<(u32, u64)>>>,
}

impl RandomAutomaton {
    fn new(r: &mut Random, propositions: usize, testing: bool) -> Self {
        let letters = 1 << propositions;
        let states = 1 + r.below(3) as u32;
        let sets = r.below(3) as u32;
        let marks = |r: &mut Random| (0..sets).fold(0, |m, s| m | u64::from(r.chance(0.4)) << s);
        let initial = (0..letters)
            .map(|_| (0..states).filter(|_| r.chance(0.6)).collect())
            .collect::<Vec<Vec<u32>>>();
        let edges = (0..states)
            .map(|q| {
                (0..letters)
                    .map(|letter| {
                        if testing && letter == 0 {
                            return vec![(q, marks(r))];
                        }
                        let count = *r.pick(&[0, 1, 1, 2]);
                        (0..count)
                            .map(|_| (r.below(states as usize) as u32, marks(r)))
                            .collect()
                    })
                    .collect()
            })
            .collect();
        // The initial states of a TGBA do not depend on the letter.
        let initial = match testing {
            true => initial,
            false => vec![initial[0].clone(); letters],
        };
        Self {
            states,
            sets,
            testing,
            initial,
            edges,
        }
    }
}

impl Automaton for RandomAutomaton {
    fn states(&self) -> u32 {
        self.states
    }
    fn sets(&self) -> u32 {
        self.sets
    }
    fn is_testing(&self) -> bool {
        self.testing
    }
    fn initial(&self, valuation: u64) -> Vec<u32> {
        self.initial[valuation as usize].clone()
    }
    fn edges(&self, state: u32, letter: u64) -> Vec<(u32, u64)> {
        self.edges[state as usize][letter as usize].clone()
    }
    fn reads(&self, state: u32) -> u64 {
        // The propositions that make a difference.
        let edges = &self.edges[state as usize];
        let letters = edges.len() as u64;
        let matters = |p: &u64| (0..letters).any(|l| edges[l as usize] != edges[(l ^ p) as usize]);
        let bits = std::iter::successors(Some(1), |p| Some(2 * p));
        bits.take_while(|p| *p < letters).filter(matters).sum()
    }
}

/// A graph with marks on its edges.
#[derive(Default)]
struct Graph {
    edges: Vec<Vec<(usize, u64)>>,
    initial: Vec<usize>,
}

impl Graph {
    fn reach(&self, from: &[usize]) -> Vec<bool> {
        let mut seen = vec![false; self.edges.len()];
        let mut todo = from.to_vec();
        while let Some(n) = todo.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                todo.extend(self.edges[n].iter().map(|e| e.0));
            }
        }
        seen
    }

    /// Whether a cycle with all marks is reachable.
    fn accepts(&self, sets: u32) -> bool {
        let reachable = self.reach(&self.initial);
        let all = (1u64 << sets) - 1;
        let after: Vec<Vec<bool>> = (0..self.edges.len())
            .map(|n| self.reach(&self.edges[n].iter().map(|e| e.0).collect::<Vec<_>>()))
            .collect();
        (0..self.edges.len()).any(|n| {
            let together = |m: usize| after[n][m] && after[m][n];
            reachable[n]
                && after[n][n]
                && (0..self.edges.len())
                    .filter(|&m| together(m))
                    .flat_map(|m| self.edges[m].iter())
                    .filter(|e| together(e.0))
                    .fold(0, |marks, e| marks | e.1)
                    == all
        })
    }
}

/// The product of the automaton and a graph of states with their valuations.
fn product(
    d: &RandomAutomaton,
    valuation: &[u64],
    next: &[Vec<usize>],
    initial: &[usize],
) -> Graph {
    let q = d.states as usize;
    let mut graph = Graph {
        edges: vec![Vec::new(); valuation.len() * q],
        initial: Vec::new(),
    };
    for &s in initial {
        let states = d.initial(valuation[s]);
        graph
            .initial
            .extend(states.iter().map(|&i| s * q + i as usize));
    }
    for (s, nexts) in next.iter().enumerate() {
        for &t in nexts {
            let letter = match d.testing {
                true => valuation[s] ^ valuation[t],
                false => valuation[s],
            };
            for i in 0..d.states {
                for (j, marks) in d.edges(i, letter) {
                    graph.edges[s * q + i as usize].push((t * q + j as usize, marks));
                }
            }
        }
    }
    graph
}

fn valuation(program: &Program, propositions: &[Expr], state: &[i64]) -> u64 {
    let interpreter = Interpreter::new(program);
    (propositions.iter().enumerate()).fold(0, |v, (i, p)| {
        v | u64::from(interpreter.holds(p, state).unwrap_or(false)) << i
    })
}

/// Asserts that this is a run of the program that the automaton accepts.
fn confirm(
    program: &Program,
    ps: &[Expr],
    d: &RandomAutomaton,
    prefix: &[RunStep],
    cycle: &[RunStep],
) {
    assert!(!cycle.is_empty());
    let interpreter = Interpreter::new(program);
    let all: Vec<&RunStep> = prefix.iter().chain(cycle).collect();
    assert!(
        program.initial.contains(&all[0].0),
        "it does not begin at the beginning"
    );
    let mut next = Vec::new();
    for (i, (state, action)) in all.iter().enumerate() {
        let to = if i + 1 < all.len() {
            i + 1
        } else {
            prefix.len()
        };
        next.push(vec![to]);
        let steps = interpreter.successors(state);
        match action {
            None => assert!(steps.is_empty() && *state == all[to].0),
            Some(a) => assert!(steps.contains(&(*a, Ok(all[to].0.clone())))),
        }
    }
    let values: Vec<u64> = all.iter().map(|m| valuation(program, ps, &m.0)).collect();
    let graph = product(d, &values, &next, &[0]);
    assert!(graph.accepts(d.sets), "the automaton does not accept it");
}

/// The states of a program as the interpreter finds them.
struct Reference {
    states: Vec<Vec<i64>>,
    next: Vec<Vec<usize>>,
    /// Whether a step, an assertion or a proposition fails in each.
    faulty: Vec<bool>,
    initial: Vec<usize>,
}

impl Reference {
    /// All states, if there are at most `limit`.
    fn explore(program: &Program, ps: &[Expr], limit: usize) -> Option<Self> {
        let interpreter = Interpreter::new(program);
        let mut numbers: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
        let mut states: Vec<Vec<i64>> = Vec::new();
        let mut number = |states: &mut Vec<Vec<i64>>, state: &Vec<i64>| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state.clone());
                states.len() - 1
            })
        };
        let initial = (program.initial.iter())
            .map(|s| number(&mut states, s))
            .collect();
        let mut next: Vec<Vec<usize>> = Vec::new();
        let mut faulty: Vec<bool> = Vec::new();
        while next.len() < states.len() && states.len() <= limit {
            let state = states[next.len()].clone();
            let mut is_faulty = !interpreter.failed_assertions(&state).is_empty();
            is_faulty |= ps.iter().any(|p| interpreter.value(p, &state).is_err());
            let mut to = Vec::new();
            for (_, step) in interpreter.successors(&state) {
                match step {
                    Err(_) => is_faulty = true,
                    Ok(t) => to.push(number(&mut states, &t)),
                }
            }
            next.push(to);
            faulty.push(is_faulty);
        }
        (states.len() <= limit).then_some(Self {
            states,
            next,
            faulty,
            initial,
        })
    }

    /// Adds a self-loop to each deadlock. A step that fails is a step, too.
    fn add_stuttering(&mut self, program: &Program) {
        let interpreter = Interpreter::new(program);
        for (n, to) in self.next.iter_mut().enumerate() {
            if to.is_empty() && interpreter.successors(&self.states[n]).is_empty() {
                to.push(n);
            }
        }
    }
}

#[test]
fn random_programs_and_automata() {
    let mut r = Random::new(9);
    let (mut empty, mut violated, mut failed, mut stuttering) = (0, 0, 0, 0);
    let (mut bounded, mut partial, mut directed) = (0, 0, 0);
    let mut rounds = 0;
    while rounds < 1500 {
        let program = random_program(&mut r);
        let ps: Vec<Expr> = (0..1 + r.below(2))
            .map(|_| random_expression(&mut r, &program, 1))
            .collect();
        let Some(mut reference) = Reference::explore(&program, &ps, 60) else {
            continue;
        };
        if reference.faulty.contains(&true) && r.chance(0.8) {
            continue;
        }
        rounds += 1;
        let deadlock = *r.pick(&[Deadlock::Stutter, Deadlock::Drop]);
        if deadlock == Deadlock::Stutter {
            reference.add_stuttering(&program);
        }
        let Reference {
            states,
            next,
            faulty,
            initial,
        } = reference;
        let testing = r.chance(0.5);
        let automaton = RandomAutomaton::new(&mut r, ps.len(), testing);
        let options = Options {
            deadlock,
            strategy: *r.pick(&[
                Strategy::Saturation,
                Strategy::Chaining,
                Strategy::BreadthFirst,
            ]),
            reachability: *r.pick(&[
                Reachability::SelfLoops,
                Reachability::Saturation,
                Reachability::Chaining,
            ]),
            first_limit: *r.pick(&[None, Some(1), Some(100)]),
            run_budget: *r.pick(&[None, Some(0)]),
            algorithm: *r.pick(&[
                Algorithm::Turns,
                Algorithm::Owcty,
                Algorithm::Bounded,
                Algorithm::Partial,
                Algorithm::Directed,
            ]),
            ..Options::default()
        };
        let (outcome, statistics) = check(&program, &ps, &automaton, &options);
        let what = format!("round {rounds}: {deadlock:?} {automaton:?} {ps:?} {program:?}");
        let bounded_won = statistics.algorithm == Algorithm::Bounded;
        let partial_won = statistics.algorithm == Algorithm::Partial;
        let directed_won = statistics.algorithm == Algorithm::Directed;
        let by_all = !bounded_won && !partial_won && !directed_won;
        if by_all {
            assert_eq!(statistics.model_states.unwrap(), states.len() as u64);
        }
        let values: Vec<u64> = states.iter().map(|s| valuation(&program, &ps, s)).collect();
        let graph = product(&automaton, &values, &next, &initial);
        let reached = graph.reach(&graph.initial);
        let count = reached.iter().filter(|x| **x).count();
        let found = statistics.product_states.unwrap();
        if !by_all && matches!(outcome, Outcome::Violated(..)) {
            assert!(found.to_f64() <= count as f64, "{what}");
        } else {
            assert_eq!(found, count as u64, "{what}");
        }
        bounded += usize::from(bounded_won);
        partial += usize::from(partial_won);
        directed += usize::from(directed_won);
        let mut visited = (0..reached.len()).filter(|&n| reached[n]);
        let is_faulty = visited.any(|n| faulty[n / automaton.states as usize]);
        let accepts = graph.accepts(automaton.sets);
        match outcome {
            Outcome::Empty => {
                assert!(!accepts && !is_faulty, "{what}");
                empty += 1;
            }
            Outcome::Failed(_) => {
                assert!(!accepts && is_faulty, "{what}");
                failed += 1;
            }
            Outcome::Violated(prefix, cycle) => {
                assert!(accepts, "{what}");
                stuttering += usize::from(cycle.iter().any(|m| m.1.is_none()));
                confirm(&program, &ps, &automaton, &prefix, &cycle);
                violated += 1;
            }
            other => panic!("{other:?} {what}"),
        }
    }
    assert!(
        empty > 300
            && violated > 200
            && failed > 20
            && stuttering > 20
            && bounded > 400
            && partial > 200
            && directed > 200,
        "{empty} {violated} {failed} {stuttering} {bounded} {partial} {directed}"
    );
}

/// A run of six hundred steps before its cycle: values are learned in blocks, and checks consider several windows.
#[test]
fn a_run_that_goes_far() {
    let mut program = Program::new("far");
    let x = program.declare("x", Type::Natural, None, None);
    let y = program.declare("y", Type::Range { min: 0, max: 1 }, None, None);
    let read = Expr::variable;
    let most = Expr::Constant(600);
    let mut action = |guard: Expr, to: VariableId, by: Expr| {
        let sum = Expr::binary(Binary::Add, Expr::variable(to), by);
        program.actions.push(Action {
            name: "step".to_string(),
            processes: Vec::new(),
            class: 0,
            behaviour: Behaviour::Guarded {
                guard,
                effect: vec![Stmt::Assign(Place::Scalar(to), sum)],
            },
        });
    };
    let below = Expr::binary(Binary::Less, read(x), most.clone());
    action(below, x, Expr::Constant(1));
    // Steps back: revisited states without an accepting cycle.
    let above = Expr::binary(Binary::Greater, read(x), Expr::Constant(0));
    action(above, x, Expr::Constant(-1));
    let other = Expr::binary(
        Binary::Subtract,
        Expr::Constant(1),
        Expr::binary(Binary::Multiply, Expr::Constant(2), read(y)),
    );
    let there = Expr::equal(read(x), most.clone());
    action(there.clone(), y, other);
    program.initial = vec![vec![0, 0]];
    // Infinitely often at the top, and infinitely often with `y = 1`.
    let ps = vec![there, Expr::equal(read(y), Expr::Constant(1))];
    let marked = |letter: usize| vec![(0, letter as u64)];
    let automaton = RandomAutomaton {
        states: 1,
        sets: 2,
        testing: false,
        initial: vec![vec![0]; 4],
        edges: vec![(0..4).map(marked).collect()],
    };
    let one = Algorithm::ALL.map(|(algorithm, _)| algorithm);
    for algorithm in one.into_iter().chain([Algorithm::Turns]) {
        let options = Options {
            algorithm,
            ..Options::default()
        };
        let (outcome, _) = check(&program, &ps, &automaton, &options);
        let Outcome::Violated(prefix, cycle) = outcome else {
            panic!("{algorithm:?}: {outcome:?}");
        };
        confirm(&program, &ps, &automaton, &prefix, &cycle);
        assert!(prefix.len() + cycle.len() > 600, "{algorithm:?}");
    }
}
