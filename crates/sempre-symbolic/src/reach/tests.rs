//! Symbolic exploration against the interpreter, state by state.

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use crate::deep_stack::on_a_deep_stack;
use crate::reach::explore::explore;
use crate::reach::saturation::Firing;
use crate::reach::states::{Options, Strategy, reachable};
use crate::relation::model::Model;
use sempre_base::{Random, Stop};
use sempre_model::Action;
use sempre_model::Interpreter;
use sempre_model::ir::{Behaviour, Binary, Expr, Place, Program, Stmt, Type};
use sempre_model::random_program::random_program;
use std::collections::{BTreeSet, VecDeque};

/// The states and steps that the interpreter finds; `None` beyond a limit.
#[derive(Debug, Default)]
struct Plain {
    states: BTreeSet<Vec<i64>>,
    transitions: u64,
    deadlocks: u64,
    failing: BTreeSet<Option<u32>>,
}

fn plain(program: &Program, limit: usize) -> Option<Plain> {
    let interpreter = Interpreter::new(program);
    let mut result = Plain::default();
    let mut queue: VecDeque<Vec<i64>> = VecDeque::new();
    for state in &program.initial {
        if result.states.insert(state.clone()) {
            queue.push_back(state.clone());
        }
    }
    while let Some(state) = queue.pop_front() {
        if result.states.len() > limit {
            return None;
        }
        if !interpreter.failed_assertions(&state).is_empty() {
            result.failing.insert(None);
        }
        let steps = interpreter.successors(&state);
        result.deadlocks += u64::from(steps.is_empty());
        for (action, next) in steps {
            match next {
                Ok(next) => {
                    result.transitions += 1;
                    if result.states.insert(next.clone()) {
                        queue.push_back(next);
                    }
                }
                Err(_) => {
                    result.failing.insert(Some(action));
                }
            }
        }
    }
    Some(result)
}

/// Equal rows of a table are one step in a relation and two for the interpreter.
fn has_double_rows(program: &Program) -> bool {
    program
        .actions
        .iter()
        .any(|a| matches!(a.behaviour, Behaviour::Table(_)))
}

/// Explores a program, with a garbage collection before every `stress`th node, and compares the results.
fn compare(
    program: &Program,
    expected: &Plain,
    order: Option<Vec<u32>>,
    options: &Options<'_>,
    stress: Option<u32>,
    what: &str,
) {
    on_a_deep_stack(program.cells(), || {
        let mut forest = Forest::new(Limits::default());
        if let Some(every) = stress {
            forest.stress(every);
        }
        let mut model = Model::new(&mut forest, program, order);
        let set = reachable(&mut forest, &mut model, options).unwrap();
        let set = forest.get(set);
        let states: BTreeSet<Vec<i64>> = forest.vectors(set).map(|v| model.decode(&v)).collect();
        if states != expected.states {
            let interpreter = Interpreter::new(program);
            for state in &states {
                for (a, next) in interpreter.successors(state) {
                    if let Ok(next) = next
                        && !states.contains(&next)
                    {
                        let action = &program.actions[a as usize];
                        panic!("no step from {state:?} to {next:?} by {action:?}\n{what}");
                    }
                }
            }
            panic!("more than there is: {what}");
        }
        let deadlocks = model.deadlocks(&mut forest, set).unwrap();
        assert_eq!(forest.count(deadlocks), expected.deadlocks, "{what}");
        let faults = model.faults(&mut forest, set).unwrap();
        let failing: BTreeSet<Option<u32>> = faults.iter().map(|f| f.action).collect();
        assert_eq!(failing, expected.failing, "{what}");
        if !has_double_rows(program) {
            let transitions = model.transitions(&forest, set).unwrap();
            assert_eq!(transitions, expected.transitions, "{what}");
        }
    });
}

#[test]
fn random_programs_have_the_states_that_the_interpreter_finds() {
    let mut random = Random::new(7);
    let (mut explored, mut with_classes, mut failing, mut stuck) = (0, 0, 0, 0);
    for round in 0..1200 {
        let program = random_program(&mut random);
        let Some(expected) = plain(&program, 150) else {
            continue;
        };
        explored += 1;
        with_classes += usize::from(
            program.exclusive.is_some() || program.actions.iter().any(|a| a.class != 0),
        );
        failing += usize::from(!expected.failing.is_empty());
        stuck += usize::from(expected.deadlocks > 0);
        let strategy = *random.pick(&[
            Strategy::BreadthFirst,
            Strategy::Chaining,
            Strategy::Saturation,
            Strategy::Saturation,
            Strategy::Saturation,
        ]);
        let firing = *random.pick(&[Firing::Auto, Firing::Values, Firing::Whole]);
        let stress = random.chance(0.5).then(|| 1 + random.below(40) as u32);
        let what = format!("round {round}: {strategy:?} {firing:?} {program:?}");
        let mut order: Option<Vec<u32>> = None;
        if random.chance(0.3) {
            let mut shuffled: Vec<u32> = (0..program.cells() as u32).collect();
            random.shuffle(&mut shuffled);
            order = Some(shuffled);
        }
        let options = Options {
            strategy,
            firing,
            ..Options::default()
        };
        compare(&program, &expected, order, &options, stress, &what);
    }
    assert!(
        explored > 300 && with_classes > 60 && failing > 50 && stuck > 50,
        "{explored} {with_classes} {failing} {stuck}"
    );
}

/// Counters with many values are learned in blocks: rows learned before a value occurs must be right, and failures
/// there are no errors.
#[test]
fn counters_that_go_far() {
    let mut r = Random::new(23);
    let (mut far, mut failing) = (0, 0);
    for round in 0..150 {
        let mut program = Program::new("counters");
        let most = 70 + r.below(300) as i64;
        let range = Type::Range {
            min: -5,
            max: most + r.below(3) as i64,
        };
        let x = program.declare(
            "x",
            r.pick(&[Type::Natural, range, Type::BYTE]).clone(),
            None,
            None,
        );
        let y = program.declare("y", Type::Range { min: 0, max: 200 }, None, None);
        let z = program.declare("z", Type::Range { min: 0, max: 2 }, None, None);
        let number = Expr::Constant;
        let add = |v, by| {
            let sum = Expr::binary(Binary::Add, Expr::variable(v), number(by));
            Stmt::Assign(Place::Scalar(v), sum)
        };
        for _ in 0..1 + r.below(4) {
            let by = *r.pick(&[1, 1, 1, -1, -1, 2, 3]);
            let limit = match (by > 0, r.below(4)) {
                // It fails at the end of the type's range, or wraps around.
                (_, 0) => None,
                (true, _) => Some(Expr::binary(
                    Binary::Less,
                    Expr::variable(x),
                    number(most - 3),
                )),
                (false, _) => Some(Expr::binary(Binary::Greater, Expr::variable(x), number(0))),
            };
            let mut effect = vec![add(x, by)];
            let mut guard: Vec<Expr> = limit.into_iter().collect();
            if r.chance(0.4) {
                let last = *r.pick(&[3, 150]);
                guard.push(Expr::binary(Binary::Less, Expr::variable(y), number(last)));
                effect.push(add(y, 1));
            }
            if r.chance(0.3) {
                guard.push(Expr::equal(Expr::variable(z), number(r.below(3) as i64)));
                effect.push(Stmt::Assign(Place::Scalar(z), number(r.below(3) as i64)));
            }
            program.actions.push(Action {
                name: "count".to_string(),
                processes: Vec::new(),
                class: 0,
                behaviour: Behaviour::Guarded {
                    guard: Expr::all(guard),
                    effect,
                },
            });
        }
        let start = *r.pick(&[0, most - 10, most / 2]);
        program.initial = vec![vec![start.min(255), 0, 0]];
        let Some(expected) = plain(&program, 2000) else {
            continue;
        };
        far += usize::from(expected.states.len() > 130);
        failing += usize::from(!expected.failing.is_empty());
        let strategy = *r.pick(&[
            Strategy::BreadthFirst,
            Strategy::Chaining,
            Strategy::Saturation,
        ]);
        let options = Options {
            strategy,
            ..Options::default()
        };
        let stress = r.chance(0.3).then(|| 50 + r.below(200) as u32);
        let what = format!("round {round}: {strategy:?} {program:?}");
        compare(&program, &expected, None, &options, stress, &what);
    }
    assert!(far > 40 && failing > 10, "{far} {failing}");
}

#[test]
fn limits_are_values() {
    // Six unbounded counters: 2^48 states, and each order of magnitude needs more relations.
    let mut program = Program::new("counters");
    use sempre_model::ir::{Action, Behaviour, Binary, Expr, Place, Stmt, Type};
    for i in 0..6 {
        let v = program.declare(&format!("x{i}"), Type::Natural, None, None);
        let sum = Expr::binary(Binary::Add, Expr::variable(v), Expr::Constant(1));
        program.actions.push(Action {
            name: format!("up {i}"),
            processes: Vec::new(),
            class: 0,
            behaviour: Behaviour::Guarded {
                guard: Expr::TRUE,
                effect: vec![Stmt::Assign(Place::Scalar(v), sum)],
            },
        });
    }
    program.initial = vec![vec![0; 6]];
    let options = Options {
        limits: Limits {
            memory: Some(2 << 20),
            ..Limits::default()
        },
        ..Options::default()
    };
    let found = explore(&program, None, &options);
    assert_eq!(found.stopped, Some(Stop::Memory));
    assert_eq!(found.states, None);
    assert!(found.bytes < 4 << 20, "{}", found.bytes);
    let options = Options {
        limits: Limits {
            deadline: Some(std::time::Instant::now()),
            ..Limits::default()
        },
        ..Options::default()
    };
    let found = explore(&program, None, &options);
    assert_eq!(found.stopped, Some(Stop::Time));
}
