//! Explorations of random programs with wide states, against a breadth-first search of the interpreter: compiled and
//! interpreted, breadth-first and depth-first, with 1, 2 and 4 workers, in layouts with room and in such as must widen.

use sempre::base::Random;
use sempre::explicit::explore::{Options, Order, Outcome, explore};
use sempre::jit::CompiledSystem;
use sempre::model::interpreter::Interpreter;
use sempre::model::random_program::{add_wide_array, random_program};
use sempre::model::{Layout, Program, ProgramSystem, System};
use sempre_store::StateIndex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Programs with more states are left out.
const STATES: usize = 1_000;

/// All states, the number of transitions, and that of what went wrong. `None` if there are too many.
fn reference(program: &Program) -> Option<(BTreeSet<Vec<i64>>, u64, u64)> {
    let interpreter = Interpreter::new(program);
    let mut states: BTreeSet<Vec<i64>> = program.initial.iter().cloned().collect();
    let mut open: Vec<Vec<i64>> = states.iter().cloned().collect();
    let (mut transitions, mut failures) = (0, 0);
    while let Some(state) = open.pop() {
        failures += interpreter.failed_assertions(&state).len() as u64;
        for (_, next) in interpreter.successors(&state) {
            match next {
                Ok(next) => {
                    transitions += 1;
                    if states.insert(next.clone()) {
                        open.push(next);
                    }
                }
                Err(_) => failures += 1,
            }
        }
        if states.len() > STATES {
            return None;
        }
    }
    Some((states, transitions, failures))
}

/// What an exploration sees, its widenings, and the width at its end.
fn search<S: System>(
    system: &S,
    layout: impl Fn(&S) -> Layout,
    order: Order,
    workers: usize,
) -> ((BTreeSet<Vec<i64>>, u64, u64), u32, usize) {
    let options = Options {
        order,
        workers,
        ..Options::default()
    };
    let found = explore(system, &options);
    assert_eq!(found.outcome, Outcome::Complete);
    let layout = layout(found.system());
    let mut words = vec![0; layout.width()];
    let mut states = BTreeSet::new();
    for index in found.store().indices().into_iter().flatten() {
        let mut cells = vec![0; layout.fields().len()];
        found.store().read(StateIndex(index), &mut words);
        layout.unpack(&words, &mut cells);
        assert!(states.insert(cells), "a state is there twice");
    }
    let s = found.statistics;
    (
        (states, s.transitions, s.failures),
        s.widenings,
        layout.width(),
    )
}

#[test]
fn explorations_of_wide_states() {
    let mut random = Random::new(14);
    let (mut wide, mut widened, mut compared) = (0, 0, 0);
    while compared < 60 {
        let mut program = random_program(&mut random);
        add_wide_array(&mut random, &mut program);
        let Some(expected) = reference(&program) else {
            continue;
        };
        compared += 1;
        let program = Arc::new(program);
        let narrow: Vec<(i64, i64)> = program.initial[0].iter().map(|&v| (v, v)).collect();
        for layout in [Layout::inferred(&program), Layout::new(&program, &narrow)] {
            let compiled = CompiledSystem::new(program.clone(), layout.clone(), Vec::new());
            let compiled = compiled.expect("it can be compiled");
            compiled.wait();
            let interpreted = ProgramSystem::new(program.clone(), layout, Vec::new());
            for order in [Order::BreadthFirst, Order::DepthFirst] {
                for workers in [1, 2, 4] {
                    let layout = |s: &CompiledSystem| s.layout().clone();
                    let (seen, widenings, width) = search(&compiled, layout, order, workers);
                    assert_eq!(seen, expected, "{program:?}");
                    wide += u64::from(width > 32);
                    widened += u64::from(widenings > 0 && width > 32);
                }
                let (seen, ..) = search(&interpreted, |s| s.layout().clone(), order, 2);
                assert_eq!(seen, expected, "{program:?}");
            }
        }
    }
    assert!(wide > 400 && widened > 100, "{wide} {widened}");
}
