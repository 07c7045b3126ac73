//! Ranges of wide states with many successors: the sample does not hold all of them, but what each action assigns.

use sempre_base::{Cancel, Stop, cancellable};
use sempre_model::ir::{Action, Behaviour, Binary, Expr, Place, Program, Stmt, Type};
use sempre_model::ranges::ranges;

/// Counters without a bound of their own, each with an action that adds 3 to it.
fn counters(count: u32) -> Program {
    let mut program = Program::new("counters");
    for i in 0..count {
        let cell = program.declare(&format!("c{i}"), Type::Natural, None, None);
        let next = Expr::binary(Binary::Add, Expr::variable(cell), Expr::Constant(3));
        program.actions.push(Action {
            name: format!("a{i}"),
            processes: Vec::new(),
            class: 0,
            behaviour: Behaviour::Guarded {
                guard: Expr::TRUE,
                effect: vec![Stmt::Assign(Place::Scalar(cell), next)],
            },
        });
    }
    program.initial = vec![(0..i64::from(count)).map(|i| i % 5).collect()];
    program
}

#[test]
fn each_action_counts_in_a_wide_state() {
    for (cell, range) in ranges(&counters(3000)).into_iter().enumerate() {
        let begin = cell as i64 % 5;
        assert!(
            range.0 <= begin && begin + 3 <= range.1,
            "{cell}: {range:?}"
        );
    }
}

#[test]
fn looking_for_ranges_can_be_stopped() {
    let stopped = Cancel::new();
    stopped.stop(Stop::Memory);
    let program = counters(3000);
    let found = cancellable(&stopped, || ranges(&program).len());
    assert_eq!(found, Err(Stop::Memory));
}
