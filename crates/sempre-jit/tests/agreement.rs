//! Compiled and interpreted programs agree, in the same order: steps, states, marks, failures, overflows,
//! propositions, enabled processes; on random programs and random nets, in wide and narrow layouts.

use sempre_base::Random;
use sempre_jit::CompiledSystem;
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::{Action, Behaviour, Binary, Expr, Place, Program, Stmt, Type, VariableId};
use sempre_model::random_program::{random_expression, random_program, random_state};
use sempre_model::{Failure, Layout, ProgramSystem, Sink, Step, System};
use std::collections::HashSet;
use std::sync::Arc;

/// What a sink has received.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    Successor(Step, Vec<u64>),
    Failure(Failure),
    Overflow,
}

#[derive(Default)]
struct Notes {
    events: Vec<Event>,
    /// The source state, for a sink that receives changes.
    left: Vec<u64>,
}

impl Sink for Notes {
    fn successor(&mut self, step: Step, state: &[u64]) {
        self.events.push(Event::Successor(step, state.to_vec()));
    }
    fn changed(&mut self, step: Step, state: &[u64], words: &[u32]) {
        let differ = |&i: &u32| state[i as usize] != self.left[i as usize];
        let all: Vec<u32> = (0..state.len() as u32).filter(differ).collect();
        assert_eq!(words, all);
        self.successor(step, state);
    }
    fn failure(&mut self, failure: Failure) {
        self.events.push(Event::Failure(failure));
    }
    fn overflow(&mut self) {
        self.events.push(Event::Overflow);
    }
}

/// What the comparison has covered, so that the tests can check that they tested something.
#[derive(Debug, Default)]
struct Seen {
    states: u64,
    interpreted: u64,
    steps: u64,
    failures: u64,
    overflows: u64,
    /// The actions that failed in the last program.
    failing: HashSet<u32>,
}

/// Compares the states that are reachable from the initial and the given ones, up to a limit. Records hold states, or
/// list changes.
fn compare(
    program: &Arc<Program>,
    layout: Layout,
    propositions: &[Expr],
    others: &[Vec<i64>],
    limit: usize,
    seen: &mut Seen,
) {
    for wide in [usize::MAX, 0] {
        compare_one_way(program, &layout, propositions, others, (limit, wide), seen);
    }
}

fn compare_one_way(
    program: &Arc<Program>,
    layout: &Layout,
    propositions: &[Expr],
    others: &[Vec<i64>],
    (limit, wide): (usize, usize),
    seen: &mut Seen,
) {
    let slow = ProgramSystem::new(program.clone(), layout.clone(), propositions.to_vec());
    let all = propositions.to_vec();
    let fast = CompiledSystem::with_wide(program.clone(), layout.clone(), all, wide).unwrap();
    fast.wait();
    let (mut slow_context, mut fast_context) = (slow.context(), fast.context());
    let mut queue: Vec<Vec<u64>> = Vec::new();
    fast.initial(&mut fast_context, &mut |s| queue.push(s.to_vec()));
    for other in others {
        let mut words = vec![0; layout.width()];
        if layout.pack(other, &mut words).is_ok() {
            queue.push(words);
        }
    }
    let mut known: HashSet<Vec<u64>> = queue.iter().cloned().collect();
    let mut done = 0;
    seen.failing.clear();
    while done < queue.len() && done < limit {
        let state = queue[done].clone();
        done += 1;
        let (mut expected, mut received) = (Notes::default(), Notes::default());
        received.left.clone_from(&state);
        slow.successors(&mut slow_context, &state, &mut expected);
        fast.successors(&mut fast_context, &state, &mut received);
        assert_eq!(
            received.events,
            expected.events,
            "{program:#?}\n{layout:?}\n{:?}",
            slow.show(&state)
        );
        seen.states += 1;
        for event in expected.events {
            match event {
                Event::Successor(_, next) => {
                    seen.steps += 1;
                    if known.insert(next.clone()) {
                        queue.push(next);
                    }
                }
                Event::Failure(failure) => {
                    seen.failures += 1;
                    seen.failing.extend(failure.action);
                }
                Event::Overflow => seen.overflows += 1,
            }
        }
        let mut bits = vec![u64::MAX; propositions.len().div_ceil(64)];
        fast.valuation(&mut fast_context, &state, propositions.len(), &mut bits);
        for (p, proposition) in propositions.iter().enumerate() {
            let expected = slow.holds(&mut slow_context, &state, p);
            let one = fast.holds(&mut fast_context, &state, p);
            assert_eq!(one, expected, "{proposition:?} {:?}", slow.show(&state));
            assert_eq!(bits[p / 64] >> (p % 64) & 1 == 1, expected);
        }
        let words = program.processes.len().div_ceil(64);
        let (mut expected, mut received) = (vec![0; words], vec![0; words]);
        slow.enabled_processes(&mut slow_context, &state, &mut expected);
        fast.enabled_processes(&mut fast_context, &state, &mut received);
        assert_eq!(received, expected);
    }
    seen.interpreted += fast_context.interpreted_states();
}

/// A layout with a random part of the range of each cell.
fn narrow_layout(random: &mut Random, program: &Program) -> Layout {
    let full = Layout::full(program);
    let ranges: Vec<(i64, i64)> = (full.ranges().iter())
        .map(|&(min, max)| {
            if random.chance(0.3) {
                return (min, max);
            }
            let low = (random.below(5) as i64 - 2).clamp(min, max);
            (low, (low + random.below(9) as i64).min(max))
        })
        .collect();
    Layout::new(program, &ranges)
}

#[test]
fn random_programs() {
    let mut random = Random::new(20);
    let (mut wide, mut narrow) = (Seen::default(), Seen::default());
    let mut sound = Seen::default();
    for _ in 0..1000 {
        let program = Arc::new(random_program(&mut random));
        let others: Vec<Vec<i64>> = (0..10)
            .map(|_| random_state(&mut random, &program))
            .collect();
        let propositions: Vec<Expr> = (0..random.below(4))
            .map(|_| random_expression(&mut random, &program, 3))
            .collect();
        let layout = Layout::full(&program);
        compare(&program, layout, &propositions, &others, 60, &mut wide);
        // A failure makes the interpreter handle the state. So this compares once more, without what fails.
        let mut rest = Program::clone(&program);
        let mut number = 0..;
        (rest.actions).retain(|_| number.next().is_some_and(|i| !wide.failing.contains(&i)));
        rest.assertions.clear();
        let rest = Arc::new(rest);
        compare(&rest, Layout::full(&rest), &[], &others, 60, &mut sound);
        let layout = narrow_layout(&mut random, &program);
        compare(&program, layout, &propositions, &others, 30, &mut narrow);
    }
    println!("{wide:?}\n{sound:?}\n{narrow:?}");
    assert!(wide.states > 20_000 && wide.steps > 20_000 && wide.failures > 100);
    assert!(sound.interpreted < sound.states / 10 && sound.steps > 10_000);
    assert!(narrow.overflows > 1000 && narrow.steps > 1000);
}

fn number(c: i64) -> Expr {
    Expr::Constant(c)
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::binary(op, a, b)
}

fn guarded(guard: Expr, effect: Vec<Stmt>) -> Action {
    Action {
        name: String::new(),
        processes: vec![],
        class: 0,
        behaviour: Behaviour::Guarded { guard, effect },
    }
}

/// A net with random arcs; some transitions take more than one token.
fn random_net(random: &mut Random) -> Program {
    let mut p = Program::new("net");
    let places = 5 + random.below(60);
    let place: Vec<VariableId> = (0..places)
        .map(|i| p.declare(&format!("p{i}"), Type::Natural, None, None))
        .collect();
    for _ in 0..40 + random.below(300) {
        let (mut conditions, mut effect) = (Vec::new(), Vec::new());
        for kind in 0..2 {
            let first = random.below(places);
            for k in 0..1 + random.below(2) {
                let v = place[(first + k * (1 + random.below(4))) % places];
                let weight = *random.pick(&[1, 1, 1, 2]);
                let by = if kind == 0 {
                    let read = Expr::variable(v);
                    conditions.push(binary(Binary::GreaterEqual, read, number(weight)));
                    -weight
                } else {
                    weight
                };
                let sum = binary(Binary::Add, Expr::variable(v), number(by));
                effect.push(Stmt::Assign(Place::Scalar(v), sum));
            }
        }
        p.actions.push(guarded(Expr::all(conditions), effect));
    }
    p.initial = vec![(0..places).map(|_| random.below(3) as i64).collect()];
    p
}

#[test]
fn random_nets() {
    let mut random = Random::new(21);
    let mut seen = Seen::default();
    for i in 0..60 {
        let program = Arc::new(random_net(&mut random));
        // From one word to more than are copied in place.
        let bits = [1, 2, 3, 4, 16][i % 5];
        let ranges = vec![(0, (1 << bits) - 1); program.cells()];
        let layout = Layout::new(&program, &ranges);
        compare(&program, layout, &[], &[], 60, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.steps > 10_000 && seen.overflows > 100, "{seen:?}");
}

/// `byte x, y; byte a[n]; bool b` and the additions of the test; all states with small values.
fn small(length: u32, effect: impl Fn(&mut Program) -> Vec<Action>) -> Seen {
    let mut p = Program::new("small");
    p.declare("x", Type::BYTE, None, None);
    p.declare("y", Type::SHORT, None, None);
    p.declare("b", Type::Bool, None, None);
    p.declare("a", Type::BYTE, Some(length), None);
    p.registers = 2;
    p.actions = effect(&mut p);
    p.initial = vec![vec![0; p.cells()]];
    let program = Arc::new(p);
    let mut others = Vec::new();
    let mut random = Random::new(3);
    for x in 0..8 {
        for y in -3..8 {
            let mut state = vec![x, y, x & 1];
            state.resize_with(program.cells(), || random.below(40) as i64);
            others.push(state);
        }
    }
    let mut seen = Seen::default();
    let layout = Layout::full(&program);
    compare(&program, layout, &[], &others, 1000, &mut seen);
    let narrow: Vec<(i64, i64)> = (Layout::full(&program).ranges().iter())
        .map(|r| (r.0.max(-3), r.1.min(40)))
        .collect();
    let layout = Layout::new(&program, &narrow);
    compare(&program, layout, &[], &others, 1000, &mut seen);
    seen
}

const X: VariableId = VariableId(0);
const Y: VariableId = VariableId(1);
const B: VariableId = VariableId(2);
const A: VariableId = VariableId(3);

fn set(v: VariableId, value: Expr) -> Stmt {
    Stmt::Assign(Place::Scalar(v), value)
}

fn set_element(index: Expr, value: Expr) -> Stmt {
    Stmt::Assign(Place::Element(A, Box::new(index)), value)
}

#[test]
fn operators() {
    use Binary::*;
    for op in Binary::ALL {
        let (x, y) = (Expr::variable(X), Expr::variable(Y));
        let far = || binary(ShiftLeft, number(1), number(63));
        let seen = small(3, |_| {
            let mut actions = Vec::new();
            for value in [
                binary(op, x.clone(), y.clone()),
                binary(op, y.clone(), x.clone()),
                binary(op, y.clone(), number(4)),
                binary(op, x.clone(), number(4)),
                binary(op, number(3), y.clone()),
                binary(op, far(), y.clone()),
                binary(
                    op,
                    binary(Multiply, y.clone(), far()),
                    binary(Subtract, x.clone(), number(1)),
                ),
            ] {
                actions.push(guarded(Expr::TRUE, vec![set(Y, value.clone())]));
                actions.push(guarded(value, vec![]));
            }
            actions
        });
        assert!(seen.steps > 0);
        assert_eq!(seen.failures > 0, matches!(op, Divide | Modulo), "{op:?}");
    }
}

#[test]
fn elements() {
    for length in [1, 3, 9, 40] {
        let index = || binary(Binary::Add, Expr::variable(X), Expr::variable(Y));
        let seen = small(length, |_| {
            vec![
                guarded(Expr::TRUE, vec![set_element(index(), Expr::variable(Y))]),
                guarded(
                    Expr::element(A, index()),
                    vec![
                        set_element(number(0), number(7)),
                        set(Y, Expr::element(A, index())),
                        set_element(
                            index(),
                            binary(Binary::Add, Expr::element(A, number(0)), number(1)),
                        ),
                        set(X, Expr::element(A, number(0))),
                    ],
                ),
                guarded(Expr::TRUE, vec![set_element(number(0), Expr::variable(Y))]),
                guarded(Expr::element(A, number(i64::from(length))), vec![]),
            ]
        });
        assert!(seen.failures > 0 && seen.steps > 0 && seen.overflows > 0);
    }
}

#[test]
fn statements() {
    let register = |r| Expr::Read(Place::Register(r));
    let add = |a, b| binary(Binary::Add, a, b);
    let seen = small(5, |_| {
        vec![
            // A conditional whose branches write different cells.
            guarded(
                Expr::TRUE,
                vec![
                    Stmt::If(
                        binary(Binary::Less, Expr::variable(Y), number(3)),
                        vec![set(X, add(Expr::variable(Y), number(1))), set(B, number(5))],
                        vec![set(Y, number(-1)), set_element(number(2), number(9))],
                    ),
                    set(B, add(Expr::variable(X), Expr::variable(Y))),
                ],
            ),
            // Short and long loops, registers that keep their values, a body that changes its register.
            guarded(
                Expr::TRUE,
                vec![
                    Stmt::For {
                        register: 0,
                        from: number(0),
                        to: number(5),
                        body: vec![set_element(
                            register(0),
                            add(register(0), Expr::variable(X)),
                        )],
                    },
                    set(Y, register(0)),
                ],
            ),
            guarded(
                Expr::TRUE,
                vec![
                    Stmt::For {
                        register: 1,
                        from: number(-2),
                        to: Expr::variable(Y),
                        body: vec![
                            set(X, add(Expr::variable(X), register(1))),
                            Stmt::If(
                                binary(Binary::Equal, register(1), number(2)),
                                vec![Stmt::Assign(Place::Register(1), number(50))],
                                vec![],
                            ),
                        ],
                    },
                    set(Y, register(1)),
                ],
            ),
            // Nested loops over a packed array.
            guarded(
                Expr::TRUE,
                vec![Stmt::For {
                    register: 0,
                    from: number(0),
                    to: Expr::variable(X),
                    body: vec![Stmt::For {
                        register: 1,
                        from: number(0),
                        to: number(3),
                        body: vec![set_element(
                            register(1),
                            binary(
                                Binary::Modulo,
                                add(Expr::element(A, register(1)), register(0)),
                                number(11),
                            ),
                        )],
                    }],
                }],
            ),
            guarded(
                Expr::TRUE,
                vec![Stmt::Assert(
                    binary(Binary::NotEqual, Expr::variable(X), number(4)),
                    "x is not 4".into(),
                )],
            ),
            // An intermediate value without room, but a final value with room.
            guarded(
                Expr::TRUE,
                vec![
                    set(Y, number(1000)),
                    set(Y, binary(Binary::Subtract, Expr::variable(Y), number(999))),
                ],
            ),
            guarded(
                Expr::TRUE,
                vec![
                    set_element(
                        binary(Binary::BitAnd, Expr::variable(X), number(3)),
                        number(200),
                    ),
                    set_element(
                        binary(Binary::BitAnd, Expr::variable(X), number(3)),
                        number(20),
                    ),
                ],
            ),
        ]
    });
    assert!(seen.failures > 0 && seen.steps > 0);
}

#[test]
fn types() {
    let types = [
        Type::Bool,
        Type::Int {
            bits: 3,
            signed: true,
        },
        Type::Int {
            bits: 1,
            signed: true,
        },
        Type::Int {
            bits: 32,
            signed: false,
        },
        Type::INT,
        Type::Enum {
            names: vec!["p".into(), "q".into(), "r".into()],
        },
        Type::Range { min: -2, max: 4 },
        Type::Natural,
    ];
    for ty in types {
        let seen = small(2, |p| {
            let v = p.declare("v", ty.clone(), None, None);
            let product = binary(Binary::Multiply, Expr::variable(Y), Expr::variable(X));
            let shifted = binary(Binary::ShiftLeft, Expr::variable(Y), number(31));
            let next = binary(Binary::Add, Expr::variable(v), number(1));
            vec![
                guarded(Expr::TRUE, vec![set(v, Expr::variable(Y))]),
                guarded(Expr::TRUE, vec![set(v, product)]),
                guarded(Expr::TRUE, vec![set(v, shifted)]),
                guarded(Expr::TRUE, vec![set(v, next)]),
                guarded(Expr::TRUE, vec![set(v, number(-2))]),
            ]
        });
        assert!(seen.steps > 0);
    }
}

#[test]
fn deep_expressions_are_left_to_the_interpreter() {
    let seen = small(1, |_| {
        let mut deep = Expr::variable(X);
        for _ in 0..600 {
            deep = binary(Binary::Add, deep, number(1));
        }
        vec![
            guarded(Expr::TRUE, vec![set(X, deep)]),
            guarded(Expr::TRUE, vec![set(X, number(1))]),
        ]
    });
    assert!(seen.interpreted == seen.states && seen.steps > 0);
}

#[test]
fn wide_systems_widen() {
    let mut random = Random::new(5);
    let program = Arc::new(random_net(&mut random));
    let layout = Layout::new(&program, &vec![(0, 1); program.cells()]);
    let mut fast = CompiledSystem::new(program.clone(), layout, vec![]).unwrap();
    let mut context = fast.context();
    let mut state = Vec::new();
    fast.initial(&mut context, &mut |s| state = s.to_vec());
    let mut widenings = 0;
    for _ in 0..200 {
        let mut notes = Notes::default();
        notes.left.clone_from(&state);
        fast.successors(&mut context, &state, &mut notes);
        if notes.events.last() == Some(&Event::Overflow) {
            let wider = fast.widen(&context).unwrap();
            let mut out = vec![0; wider.width()];
            wider.translate(&fast, &state, &mut out);
            (state, fast) = (out, wider);
            context = fast.context();
            widenings += 1;
            continue;
        }
        assert!(fast.widen(&context).is_none());
        let next = notes.events.iter().filter_map(|e| match e {
            Event::Successor(_, next) => Some(next.clone()),
            _ => None,
        });
        let next: Vec<_> = next.collect();
        if next.is_empty() {
            break;
        }
        state = random.pick(&next).clone();
    }
    assert!(widenings > 0, "{widenings}");
}

/// A random program with an atomic register. At most three consecutive steps leave it set; otherwise some would never
/// end.
fn atomic_program(random: &mut Random) -> Program {
    let mut p = random_program(random);
    let register = p.declare("atomic", Type::BYTE, None, None);
    let depth = p.declare("depth", Type::BYTE, None, None);
    for state in &mut p.initial {
        state.extend([0, 0]);
    }
    p.atomic = Some(register);
    let processes = p.processes.len();
    // Half of them are of the kind in which a process can be expanded alone.
    let simple = random.chance(0.5);
    if simple {
        p.exclusive = None;
        p.actions
            .retain(|a| matches!(a.behaviour, Behaviour::Guarded { .. }));
    }
    for action in &mut p.actions {
        if simple {
            action.class = action.class.min(0);
        }
        let Behaviour::Guarded { effect, .. } = &mut action.behaviour else {
            continue;
        };
        let own = action.processes.first().map_or(0, |p| i64::from(p.0) + 1);
        let holder = match random.below(4) {
            0 => 0,
            1 => random.below(processes + 1) as i64,
            _ => own,
        };
        let more = Expr::binary(Binary::Add, Expr::variable(depth), Expr::Constant(1));
        let round = Expr::binary(Binary::BitAnd, more, Expr::Constant(3));
        let goes_on = Expr::If(
            Box::new(Expr::variable(depth)),
            Box::new(Expr::Constant(holder)),
            Box::new(Expr::Constant(0)),
        );
        effect.push(Stmt::Assign(Place::Scalar(depth), round));
        effect.push(Stmt::Assign(Place::Scalar(register), goes_on));
    }
    p
}

#[test]
fn atomic_steps() {
    let mut random = Random::new(77);
    let (mut wide, mut narrow) = (Seen::default(), Seen::default());
    let mut passed = 0;
    for _ in 0..300 {
        let program = Arc::new(atomic_program(&mut random));
        let others: Vec<Vec<i64>> = (0..10)
            .map(|_| random_state(&mut random, &program))
            .collect();
        for state in &others {
            Interpreter::new(&program).steps_through(state, &mut |_| passed += 1);
        }
        compare(
            &program,
            Layout::full(&program),
            &[],
            &others,
            40,
            &mut wide,
        );
        let layout = narrow_layout(&mut random, &program);
        compare(&program, layout, &[], &others, 20, &mut narrow);
    }
    println!("{wide:?}\n{narrow:?}\n{passed}");
    assert!(wide.steps > 5_000 && wide.interpreted < wide.states);
    assert!(narrow.overflows > 100 && passed > 2_000);
}

#[test]
fn permuted_orders_tell_the_same() {
    let mut random = Random::new(8);
    let mut orders = HashSet::new();
    for _ in 0..100 {
        let program = Arc::new(random_program(&mut random));
        let layout = Layout::full(&program);
        let fast = CompiledSystem::new(program.clone(), layout, vec![]).unwrap();
        let (mut plain, mut permuted) = (fast.context(), fast.context());
        fast.permute(&mut permuted, &mut random);
        let mut state = vec![0; fast.width()];
        fast.initial(&mut plain, &mut |s| state = s.to_vec());
        let (mut a, mut b) = (Notes::default(), Notes::default());
        fast.successors(&mut plain, &state, &mut a);
        fast.successors(&mut permuted, &state, &mut b);
        orders.insert(a.events == b.events);
        if !a.events.contains(&Event::Overflow) {
            for notes in [&mut a, &mut b] {
                notes.events.sort_by_key(|e| format!("{e:?}"));
            }
            assert_eq!(a.events, b.events);
        }
    }
    assert!(orders.contains(&false));
}
