//! What models mean, step by step.

use super::super::*;
use rustc_hash::FxHashSet;
use sempre_base::{Random, Source};
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::StepError;
use std::collections::VecDeque;

fn model(text: &str) -> DveModel {
    read("t", text).unwrap_or_else(|errors| {
        let source = Source::new("t", text);
        let shown: Vec<String> = (errors.iter())
            .map(|d| source.render(d).to_string())
            .collect();
        panic!("{}", shown.concat())
    })
}

/// `process name { state …; init …; trans …; }` for tests that have many.
fn process(name: &str, states: &str, trans: &str) -> String {
    let first = states.split([',', ' ']).next().unwrap();
    format!("process {name} {{ state {states}; init {first}; trans {trans}; }}\n")
}

/// A state as `name=value` for the cells that are not 0 or in their first location.
fn show(model: &DveModel, state: &[i64]) -> String {
    let cells = state.iter().enumerate().filter(|c| *c.1 != 0);
    let shown: Vec<String> = cells
        .map(|(i, &v)| {
            let p = &model.program;
            format!("{}={}", p.cell_name(i as u32), p.show_value(i as u32, v))
        })
        .collect();
    shown.join(" ")
}

/// The steps from the initial state: action, and successor or error.
fn steps(model: &DveModel, state: &[i64]) -> Vec<(String, String)> {
    (Interpreter::new(&model.program)
        .successors(state)
        .into_iter())
    .map(|(action, step)| {
        let name = model.program.actions[action as usize].name.clone();
        let to = match step {
            Ok(state) => show(model, &state),
            Err(e) => format!("error: {}", e.show(&model.program)),
        };
        (name, to)
    })
    .collect()
}

fn check_steps(text: &str, expected: &[(&str, &str)]) {
    let model = model(text);
    let found = steps(&model, &model.program.initial[0]);
    let found: Vec<(&str, &str)> = found.iter().map(|s| (s.0.as_str(), s.1.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

/// All states that can be reached.
fn reachable(model: &DveModel) -> Vec<Vec<i64>> {
    let mut queue = model.program.initial.clone();
    let mut seen: FxHashSet<Vec<i64>> = queue.iter().cloned().collect();
    let mut next = 0;
    while next < queue.len() {
        for (_, step) in Interpreter::new(&model.program).successors(&queue[next]) {
            let state = step.unwrap();
            if seen.insert(state.clone()) {
                queue.push(state);
            }
        }
        next += 1;
    }
    queue
}

#[test]
fn effects_see_the_earlier_ones() {
    check_steps(
        "byte x = 3, a[2] = {7}; const int N = 2;
         process P { int y; state s, t; init s; trans
           s -> t { guard x == N + 1 and a[x - 3] > 0; effect x = x + 1, y = -x, a[1] = P.t; },
           -> s { guard x < N; }; }
         system async;",
        &[("P: s -> t (line 3)", "x=4 a[0]=7 a[1]=1 P=t P.y=-4")],
    );
}

#[test]
fn what_does_not_fit_wraps() {
    check_steps(
        "byte b = 255; int i = 32767;
         process P { state s; init s; trans s -> s { effect b = b + 1, i = i + 1; }; } system async;",
        &[("P: s -> s (line 2)", "i=-32768")],
    );
}

#[test]
fn wrong_steps_are_told() {
    check_steps(
        "byte a[2], z;
         process P { state s; init s; trans
           s -> s { effect a[2 + z] = 1; },
           s -> s { guard 1 / z == 0; },
           s -> s { guard a[z - 1] == 0; effect z = 1; },
           s -> s { guard z != 0 && 1 % z == 0; },
           s -> s { effect z = 5, a[0] = 1 % a[0]; }; }
         system async;",
        &[
            (
                "P: s -> s (line 3)",
                "error: index 2 is outside a, which has 2 elements",
            ),
            ("P: s -> s (line 4)", "error: division by zero"),
            (
                "P: s -> s (line 5)",
                "error: index -1 is outside a, which has 2 elements",
            ),
            ("P: s -> s (line 7)", "error: division by zero"),
        ],
    );
}

#[test]
fn a_rendezvous_reads_then_stores_then_sends_then_receives() {
    let text = format!(
        "byte g = 1, h; channel c;\n{}{}{}system async;",
        process(
            "P",
            "s, t",
            "s -> t { guard g == 1; sync c!g + 1; effect h = 10, g = 5; }"
        ),
        process(
            "Q",
            "u, v",
            "u -> v { guard h == 0; sync c?h; effect h = h + g; }, u -> u { sync c?g; }"
        ),
        process(
            "R",
            "w",
            "w -> w { guard h > 0; sync c?h; }, w -> w { sync c!9; }"
        ),
    );
    check_steps(
        &text,
        &[
            // h = 2, then P: h = 10, g = 5, then Q: h = 15
            (
                "P: s -> t, Q: u -> v (c, lines 2 and 3)",
                "g=5 h=15 P=t Q=v",
            ),
            ("P: s -> t, Q: u -> u (c, lines 2 and 3)", "g=5 h=10 P=t"),
            ("R: w -> w, Q: u -> v (c, lines 4 and 3)", "g=1 h=10 Q=v"),
            ("R: w -> w, Q: u -> u (c, lines 4 and 3)", "g=9"),
        ],
    );
}

#[test]
fn several_values_are_handed_over_at_once() {
    let text = format!(
        "byte i = 1, j = 2, a[3]; channel {{byte, int}} c[0];\n{}{}system async;",
        process("P", "s", "s -> s { sync c!{j, i + 299}; }"),
        process("Q", "u", "u -> u { sync c?{i, a[i]}; }"),
    );
    check_steps(
        &text,
        &[("P: s -> s, Q: u -> u (c, lines 2 and 3)", "i=2 j=2 a[1]=44")],
    );
    let typed = format!(
        "int x; channel {{byte}} c[0];\n{}{}system async;",
        process("P", "s", "s -> s { sync c!x - 1; }"),
        process("Q", "u", "u -> u { sync c?x; }"),
    );
    check_steps(
        &typed,
        &[("P: s -> s, Q: u -> u (c, lines 2 and 3)", "x=255")],
    );
}

#[test]
fn buffers_are_queues() {
    // Random walks, side by side with a queue.
    let mut random = Random::new(5);
    for capacity in 1..5 {
        let text = format!(
            "byte n; int m; channel {{byte, int}} c[{capacity}];\n{}{}system async;",
            process("P", "s", "s -> s { sync c!{n, -n}; effect n = n + 1; }"),
            process("Q", "u", "u -> u { sync c?{n, m}; effect n = n + 3; }"),
        );
        let model = model(&text);
        let p = &model.program;
        let id = |name: &str| p.variables.iter().find(|v| v.name == name).unwrap().first as usize;
        let (n, m, length) = (id("n"), id("m"), id("c.length"));
        let mut state = p.initial[0].clone();
        let mut queue: VecDeque<i64> = VecDeque::new();
        for _ in 0..300 {
            let steps = Interpreter::new(p).successors(&state);
            let can_send = queue.len() < capacity;
            let can_receive = !queue.is_empty();
            assert_eq!(
                steps.len(),
                usize::from(can_send) + usize::from(can_receive)
            );
            let i = random.below(steps.len());
            let sends = can_send && i == 0;
            let old = state[n];
            state = steps[i].1.clone().unwrap();
            if sends {
                queue.push_back(old);
                assert_eq!(state[n], (old + 1) % 256);
            } else {
                let first = queue.pop_front().unwrap();
                assert_eq!((state[n], state[m]), ((first + 3) % 256, -first));
            }
            assert_eq!(state[length] as usize, queue.len());
            for i in 0..capacity {
                let value = queue.get(i).copied().unwrap_or(0);
                assert_eq!(state[id("c.0") + i], value);
                assert_eq!(state[id("c.1") + i], -value);
            }
        }
    }
}

#[test]
fn committed_locations_go_first_and_block() {
    let file = |guard: &str| {
        format!(
            "byte g; channel c;\n
             process P {{ state s, t; init s; commit s; trans s -> t {{ guard {guard}; }}, s -> t {{ sync c!; }}; }}
             {}process R {{ state k, l; init k; commit k; trans k -> l {{ sync c?; }}; }}\nsystem async;",
            process("Q", "u, v", "u -> v {}, u -> v { sync c?; }"),
        )
    };
    check_steps(
        &file("g == 0"),
        &[
            ("P: s -> t (line 3)", "P=t"),
            ("P: s -> t, R: k -> l (c, lines 3 and 5)", "P=t R=l"),
        ],
    );
    // Nobody moves past a committed location that is stuck.
    let blocked = model(
        "process P { state s; init s; commit s; } process Q { state a, b; init a; trans a -> b {}; } system async;",
    );
    assert_eq!(steps(&blocked, &blocked.program.initial[0]), []);
    // With the committed ones gone, the others go on.
    let model = model(&file("g == 0"));
    let mut after = model.program.initial[0].clone();
    for v in &model.program.variables {
        if v.name == "P" || v.name == "R" {
            after[v.first as usize] = 1;
        }
    }
    assert_eq!(
        steps(&model, &after),
        [("Q: u -> v (line 4)".to_string(), "P=t Q=v R=l".to_string())]
    );
}

#[test]
fn assertions_are_about_their_location() {
    let model = model(
        "byte x;
         process P { state s, t; init s; assert t: x  > 1, s: x == 0;
           trans s -> t { effect x = 1; }; }
         system async;",
    );
    let interpreter = Interpreter::new(&model.program);
    let failed: Vec<Vec<StepError>> = (reachable(&model).iter())
        .map(|s| interpreter.failed_assertions(s))
        .collect();
    assert_eq!(
        failed,
        [
            vec![],
            vec![StepError::Assertion(
                "assertion failed: P.t: x > 1 (line 2)".to_string()
            )]
        ]
    );
}

#[test]
fn the_property_is_kept_apart() {
    let model = model(
        "byte x;
         process P { byte y; state s; init s; trans s -> s {}; }
         process LTL { const byte N = 3; state q0, q1; init q1; accept q0;
           trans q0 -> q1 { guard P->y < N and P.s; }, -> q0 {}; }
         system async property LTL;",
    );
    assert_eq!(model.program.processes.len(), 1);
    assert_eq!(model.program.cells(), 3);
    let property = model.property.unwrap();
    assert_eq!(property.name, "LTL");
    assert_eq!(property.states, ["q0", "q1"]);
    assert_eq!(property.initial, 1);
    assert_eq!(property.acceptance, Acceptance::Buchi(vec![0]));
    let edges: Vec<_> = (property.transitions.iter())
        .map(|t| (t.from, t.to, t.line))
        .collect();
    assert_eq!(edges, [(0, 1, 4), (0, 0, 4)]);
    assert_eq!(property.transitions[1].guard, Expr::TRUE);
    let holds = Interpreter::new(&model.program)
        .holds(&property.transitions[0].guard, &model.program.initial[0]);
    assert_eq!(holds, Ok(true));
}

#[test]
fn all_kinds_of_acceptance_are_read() {
    for (written, expected) in [
        ("a, b", Acceptance::Buchi(vec![0, 1])),
        ("buchi b", Acceptance::Buchi(vec![1])),
        (
            "genbuchi (a, b), ()",
            Acceptance::GeneralizedBuchi(vec![vec![0, 1], vec![]]),
        ),
        ("muller (b)", Acceptance::Muller(vec![vec![1]])),
        (
            "rabin (a; b), (;)",
            Acceptance::Rabin(vec![(vec![0], vec![1]), (vec![], vec![])]),
        ),
        (
            "streett (a, b;)",
            Acceptance::Streett(vec![(vec![0, 1], vec![])]),
        ),
    ] {
        let text = format!(
            "process S {{ state x; init x; }}
             process P {{ state a, b; accept {written}; init a; }} system async property P;"
        );
        assert_eq!(model(&text).property.unwrap().acceptance, expected);
    }
}

#[test]
fn a_synchronous_system_steps_together() {
    let text = format!(
        "byte x = 1, y = 2, a[2] = {{5, 6}};\n{}{}system sync;",
        process(
            "P",
            "s, t",
            "s -> t { effect x = y, x = x + 10, a[1] = 9; }, s -> s { guard y == 0; }"
        ),
        process(
            "Q",
            "u, v",
            "u -> v { effect y = x + P.s + a[x]; }, u -> u { effect x = 7; }"
        ),
    );
    check_steps(
        &text,
        &[
            (
                "P: s -> t, Q: u -> v (lines 2, 3)",
                "x=12 y=8 a[0]=5 a[1]=9 P=t Q=v",
            ),
            (
                "P: s -> t, Q: u -> u (lines 2, 3)",
                "error: two processes write `x` in one step of a synchronous system",
            ),
        ],
    );
    let stuck = format!(
        "{}{}system sync;",
        process("P", "s", "s -> s {}"),
        process("Q", "u", "u -> u { guard false; }"),
    );
    check_steps(&stuck, &[]);
    let many: String = (0..20)
        .map(|i| process(&format!("P{i}"), "s", "s -> s {}, s -> s {}, s -> s {}"))
        .collect();
    let errors = read("t", &(many + "system sync;")).unwrap_err();
    assert!(errors[0].message.contains("combinations"));
}
