//! State and transition counts of small Promela programs, one for each part of the language, against SPIN's.
//!
//! The numbers are those of SPIN 6.5.2: `spin -a -o1 -o2 -o3 M.pml && gcc -O1 -DNOREDUCE -DSAFETY -o pan pan.c &&
//! ./pan -m1000000 -E -A -n`, "states, stored" and "transitions" (which counts one more than ours, for the
//! initial state). `priorities` is compiled with `-DNOCOMP`, without which SPIN takes the priorities of processes without variables
//! for padding.

use rustc_hash::FxHashSet;
use sempre_lang::promela::{self, Reading, Steps};
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::Behaviour;
use std::collections::VecDeque;
use std::path::Path;

/// States and transitions, and the first thing that fails.
fn explore(text: &str, steps: Steps) -> (usize, usize, Option<String>) {
    explore_with(
        text,
        Reading {
            steps,
            ..Reading::default()
        },
    )
}

fn explore_with(text: &str, reading: Reading) -> (usize, usize, Option<String>) {
    let model =
        promela::read_with("test", text, &|_| None, &reading).unwrap_or_else(|e| panic!("{e:#?}"));
    let program = &model.program;
    let interpreter = Interpreter::new(program);
    let mut known: FxHashSet<Vec<i64>> = program.initial.iter().cloned().collect();
    let mut queue: VecDeque<Vec<i64>> = program.initial.iter().cloned().collect();
    let mut transitions = 0;
    let mut failure = None;
    while let Some(state) = queue.pop_front() {
        for (_, next) in interpreter.steps(&state) {
            match next {
                Ok(next) => {
                    transitions += 1;
                    if known.insert(next.clone()) {
                        queue.push_back(next);
                    }
                }
                Err(error) => failure = failure.or(Some(error.show(program).to_string())),
            }
        }
        assert!(known.len() < 100_000, "too many states");
    }
    (known.len(), transitions, failure)
}

const COUNTS: &[(&str, usize, usize)] = &[
    ("arrays", 1_328, 2_437),
    ("atomic_blocks", 4, 5),
    ("atomic_choice", 17, 71),
    ("atomic_goto", 7, 8),
    ("atomic_loop", 70, 191),
    ("blocks", 119, 187),
    ("channel_arrays", 99, 174),
    ("channel_passing", 98, 195),
    ("conditionals", 2_452, 4_071),
    ("d_steps", 20, 31),
    ("deaths", 71, 130),
    ("else_in_blocks", 86, 159),
    ("else_timeout", 30_252, 58_944),
    ("ends", 124, 301),
    ("exclusives", 33_241, 94_712),
    ("for_in", 855, 1_642),
    ("for_messages", 179, 247),
    ("for_select", 2_098, 5_764),
    ("growing", 347, 779),
    ("inlines", 4_660, 8_599),
    ("labelled_loops", 1_008, 2_004),
    ("lasts", 23, 44),
    ("line_ends", 124, 212),
    ("lone_elses", 703, 1_265),
    ("loose_mtypes", 2_091, 4_610),
    ("many", 1_004, 3_300),
    ("mtypes", 182, 335),
    ("nested_units", 16, 31),
    ("notraces", 806, 2_223),
    ("passed_around", 6_460, 16_618),
    ("polls", 1_701, 4_528),
    ("preprocess", 6, 7),
    ("priority_of_escapes", 17, 31),
    ("priority_of_timeouts", 171, 278),
    ("priorities", 748, 1_030),
    ("provideds", 76, 101),
    ("recursion", 4_306, 12_212),
    ("remotes", 440, 1_326),
    ("rendezvous", 753, 1_567),
    ("rendezvous_atomic", 76, 195),
    ("runs", 855, 1_935),
    ("scratch", 177, 302),
    ("short_polls", 40_221, 116_706),
    ("skips", 9_232, 18_468),
    ("sorted", 329, 692),
    ("typedefs", 27, 39),
    ("traces", 36, 45),
    ("types", 272, 532),
    ("unlesses", 166, 283),
    ("waiting_escapes", 24, 28),
];

/// These violate claims on channels, which SPIN does not look at with `-DNOREDUCE`.
const FAIL: &[&str] = &["exclusives"];

#[test]
fn counts_are_those_of_spin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promela");
    let mut wrong = Vec::new();
    for &(name, states, transitions) in COUNTS {
        let text = std::fs::read_to_string(folder.join(format!("{name}.pml"))).unwrap();
        let found = explore(&text, Steps::Single);
        if (found.0, found.1 + 1) != (states, transitions)
            || found.2.is_some() != FAIL.contains(&name)
        {
            wrong.push(format!(
                "{name}: {found:?}, SPIN says {states} and {transitions}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Steps that SPIN's verifier reports as errors fail, where they are taken and not before.
#[test]
fn misfits_fail_where_they_are_taken() {
    for (text, failure) in [
        (
            "chan c = [2] of { byte, byte }; byte x; active proctype P() { c?x }",
            None,
        ),
        (
            "chan c = [2] of { byte, byte }; byte x; active proctype P() { c!1,2; c?x }",
            Some("carries 2 values"),
        ),
        (
            "chan c = [2] of { byte, byte }; byte x; active proctype P() { c!1,2; c?3 }",
            None,
        ),
        (
            "chan c = [2] of { byte }; byte x, y; active proctype P() { c!1; c?x,y }",
            Some("carries 1 value:"),
        ),
        (
            "chan c = [1] of { byte, byte }; active proctype P() { c!1,2; c!3 }",
            None,
        ),
        (
            "chan c = [2] of { byte, byte }; active proctype P() { c!1,2; c!3 }",
            Some("carries 2 values"),
        ),
        (
            "chan c = [0] of { byte, byte }; byte x; active proctype P() { c?x }",
            None,
        ),
        (
            "chan c = [0] of { byte, byte }; byte x; active proctype P() { c?x }
             active proctype Q() { c!1,2 }",
            Some("carries 2 values"),
        ),
        (
            "chan c = [0] of { byte, byte }; byte x; active proctype P() { c?3 }
             active proctype Q() { c!1,2 }",
            None,
        ),
        (
            "typedef T { byte b[2] }; T t[3]; active proctype P() { t[0].b[5] = 1 }",
            Some("outside"),
        ),
        (
            "typedef T { byte b[2] }; T t[3]; active proctype P() { t[4].b[0] = 1 }",
            Some("outside"),
        ),
        (
            "byte a[2], x = 2; active proctype P() { _ = x; _ = a[x - 1]; _ = a[x] }",
            Some("outside"),
        ),
    ] {
        let found = explore(text, Steps::Single).2;
        match failure {
            None => assert_eq!(found, None, "{text}"),
            Some(failure) => {
                let found = found.expect(text);
                assert!(found.contains(failure), "{text}\n{found}");
            }
        }
    }
}

/// Ways through an atomic sequence that meet before another choice in it go on as one; for SPIN each way is a transition (6 of them).
#[test]
fn ways_through_an_atomic_sequence_that_meet_are_one() {
    let text = "byte p = 1, q;
        active proctype P() {
            atomic { q = 1; if :: p = 1 :: p = 1 fi; if :: p = 1 :: p = 1 fi; q = 3 }
            q = 4
        }";
    assert_eq!(explore(text, Steps::Single), (4, 4, None));
}

/// A model without any name for its mtypes.
#[test]
fn an_mtype_without_names_is_a_byte() {
    let text = "mtype m; active proctype P() { do :: m = m + 50 od }";
    assert_eq!(explore(text, Steps::Single), (128, 128, None));
}

/// As `pan -A` does it.
#[test]
fn assertions_are_steps_if_they_are_ignored() {
    let text = "byte x; active [2] proctype P() { x++; assert(x < 2); x-- }";
    assert!(explore(text, Steps::Single).2.is_some());
    let ignoring = Reading {
        ignore_assertions: true,
        ..Reading::default()
    };
    let (states, transitions, failure) = explore_with(text, ignoring);
    assert_eq!((states, transitions + 1, failure), (21, 33, None));
}

/// States and transitions with merged steps and without dead variables, where they are not those of single steps: what
/// SPIN says without `-o1 -o2 -o3`.
const MERGED: &[(&str, usize, usize)] = &[
    ("arrays", 1_122, 2_043),
    ("channel_arrays", 84, 147),
    ("exclusives", 22_411, 63_070),
    ("for_in", 604, 1_152),
    ("for_messages", 172, 238),
    ("labelled_loops", 550, 1_088),
    ("line_ends", 85, 139),
    ("loose_mtypes", 1_976, 4_343),
    ("notraces", 482, 1_350),
    ("passed_around", 2_096, 5_015),
    ("polls", 1_359, 3_628),
    ("priorities", 612, 918),
    ("recursion", 1_856, 5_146),
    ("runs", 424, 854),
    ("short_polls", 35_946, 104_271),
    ("sorted", 238, 509),
];

/// These write a global variable that nobody reads, and SPIN leaves it out.
const UNREAD: [&str; 4] = ["channel_passing", "else_timeout", "mtypes", "rendezvous"];
/// With merged steps, SPIN makes more states of this one than without them.
const OTHERWISE: &str = "else_in_blocks";

#[test]
fn counts_with_merged_steps_are_those_of_spin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promela");
    let mut wrong = Vec::new();
    for &(name, states, transitions) in COUNTS {
        if UNREAD.contains(&name) || name == OTHERWISE {
            continue;
        }
        let merged = MERGED.iter().find(|m| m.0 == name);
        let (states, transitions) = merged.map_or((states, transitions), |m| (m.1, m.2));
        let text = std::fs::read_to_string(folder.join(format!("{name}.pml"))).unwrap();
        let found = explore(&text, Steps::Merged);
        if (found.0, found.1 + 1) != (states, transitions)
            || found.2.is_some() != FAIL.contains(&name)
        {
            wrong.push(format!(
                "{name}: {found:?}, SPIN says {states} and {transitions}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The failures of a program with its check of end states.
fn ends(text: &str) -> Vec<String> {
    let model = promela::read("test", text, &|_| None).unwrap_or_else(|e| panic!("{e:#?}"));
    let program = model.with_end_states();
    let interpreter = Interpreter::new(&program);
    let Some(Behaviour::Guarded { guard, .. }) = program.actions.last().map(|a| &a.behaviour)
    else {
        panic!("the check is the last action");
    };
    let mut known: FxHashSet<Vec<i64>> = program.initial.iter().cloned().collect();
    let mut queue: VecDeque<Vec<i64>> = program.initial.iter().cloned().collect();
    let mut failures = Vec::new();
    while let Some(state) = queue.pop_front() {
        // A process that goes on alone may be unable to: that is no end.
        let mut no_end = |passed: &[i64]| assert_eq!(interpreter.holds(guard, passed), Ok(false));
        for (_, next) in interpreter.steps_through(&state, &mut no_end) {
            match next {
                Ok(next) if known.insert(next.clone()) => queue.push_back(next),
                Ok(_) => {}
                Err(error) => failures.push(error.show(&program).to_string()),
            }
        }
    }
    failures
}

#[test]
fn invalid_end_states_are_failures() {
    let server = "chan c = [0] of { bit };
        active proctype S() { LABEL do :: c?1 od }
        active proctype C() { atomic { c!1; c!1 } }";
    assert!(ends(&server.replace("LABEL", "end_of_all:")).is_empty());
    let found = ends(&server.replace("LABEL", ""));
    assert_eq!(found, ["nobody can go on, and not everybody is done"]);
    let stuck = "byte x; active [2] proctype P() { atomic { x++; x == 3 } }";
    assert_eq!(ends(stuck).len(), 1);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promela");
    for name in ["atomic_blocks", "priority_of_timeouts", "rendezvous_atomic"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.pml"))).unwrap();
        // What counts is what it asserts on the way.
        ends(&text);
    }
}

/// What fails of a program, each message once.
fn failures(text: &str) -> Vec<String> {
    let model = promela::read("test", text, &|_| None).unwrap_or_else(|e| panic!("{e:#?}"));
    let program = &model.program;
    let interpreter = Interpreter::new(program);
    let mut known: FxHashSet<Vec<i64>> = program.initial.iter().cloned().collect();
    let mut open: Vec<Vec<i64>> = program.initial.clone();
    let mut found = Vec::new();
    while let Some(state) = open.pop() {
        for (_, next) in interpreter.steps(&state) {
            match next {
                Ok(next) if known.insert(next.clone()) => open.push(next),
                Ok(_) => {}
                Err(error) => found.push(error.show(program).to_string()),
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Failed traces as `spin -a -o1 -o2 -o3 M.pml && gcc -DNOREDUCE -DSAFETY -o pan pan.c && ./pan -c0` reports them.
#[test]
fn traces_are_checked() {
    let sender = "active proctype P() { c!1; d!7; c!2 } active proctype Q() { c?_; c?_ }";
    let missed = |what: &str| Some(format!("the trace does not allow this {what}"));
    let happened =
        Some("all events of the notrace have happened, with this send to `c`".to_string());
    let cases: &[(&str, Option<String>)] = &[
        ("trace { c!1; c!2 }", None),
        ("trace { do :: c!_ od }", None),
        // What it does not name is not observed.
        ("trace { c!1; c!2; d?7 }", None),
        ("trace { c!1; c!3 }", missed("send to `c`")),
        ("trace { c!1 }", missed("send to `c`")),
        ("trace { c!1; d!8; c!2 }", missed("send to `d`")),
        ("trace { c?1; c?1 }", missed("receive from `c`")),
        ("trace { c?1; c?eval(x) }", None),
        ("trace { c?1; c?eval(x + 1) }", missed("receive from `c`")),
        (
            "trace { if :: c!1; c!2 :: c!_; c!2 fi }",
            Some("several events of the trace fit this send to `c`".to_string()),
        ),
        ("notrace { c!2 }", None),
        ("notrace { c!1; c!1 }", None),
        ("notrace { c!1 }", happened.clone()),
        ("notrace { c!1; c!2 }", happened.clone()),
        // The first attempt counts.
        ("notrace { c!2; c!1 }", None),
        ("notrace { do :: c!1 :: c!2 -> break od }", happened),
    ];
    for (trace, expected) in cases {
        let text = format!(
            "chan c = [2] of {{ byte }}; chan d = [1] of {{ byte }}; byte x = 2; {sender} {trace}"
        );
        let expected: Vec<String> = expected.iter().cloned().collect();
        assert_eq!(failures(&text), expected, "{trace}");
    }
    // Where the system ends before the trace does, the end is invalid.
    for (trace, invalid) in [
        ("trace { c!1; c!2; c!3 }", true),
        ("trace { c!1; c!2; end: c!3 }", false),
        ("trace { do :: c!_ od }", true),
        ("trace { end: do :: c!_ od }", false),
        ("notrace { c!1; c!2; c!3 }", true),
        ("notrace { c!3 }", false),
    ] {
        let text = format!(
            "chan c = [2] of {{ byte }}; active proctype P() {{ c!1; c!2; end: false }} {trace}"
        );
        assert_eq!(!ends(&text).is_empty(), invalid, "{trace}");
    }
}

/// Each of these is an error for `spin -a M.pml && gcc -DSAFETY -o pan pan.c && ./pan -E`, or none.
#[test]
fn claims_on_channels_are_checked() {
    let cases: &[(&str, &[&str])] = &[
        // Nobody else sends, but others may receive.
        (
            "active proctype A() { xs c; c!1 } active proctype B() { c?_ }",
            &[],
        ),
        (
            "active proctype A() { xs c; c!1; nfull(c) } active proctype B() { nempty(c); c?_ }",
            &[],
        ),
        (
            "active proctype A() { xs c; c!1 } active proctype B() { c!2 }",
            &["`xs` is violated: another process alone sends to `c`: c!2 (line 1)"],
        ),
        (
            "active proctype A() { xr c; c?_ } active proctype B() { c!2; c?_ }",
            &["`xr` is violated: another process alone receives from `c`: c?_ (line 1)"],
        ),
        (
            "active proctype A() { xr c; c!2; c?_ } active proctype B() { c?<_> }",
            &["`xr` is violated: another process alone receives from `c`: c?<_> (line 1)"],
        ),
        (
            "active proctype A() { xs c; c!1 } active proctype B() { nfull(c) }",
            &["`xs` is violated: another process alone sends to `c`: nfull(c) (line 1)"],
        ),
        (
            "byte n; active proctype A() { xr c; c?_ } active proctype B() { n = len(c) }",
            &["`xr` is violated: another process alone receives from `c`: n = len(c) (line 1)"],
        ),
        // By way of a parameter.
        (
            "proctype A(chan p) { xs p; p!1 } active proctype B() { run A(c); c!2 }",
            &["`xs` is violated: another process alone sends to `c`: c!2 (line 1)"],
        ),
        (
            "active proctype B() { c!2; run A(c) } proctype A(chan p) { xs p; p!1 }",
            &[],
        ),
        // Two of the same.
        (
            "active [2] proctype A() { xs c; c!_pid }",
            &["`xs` is violated: another process alone sends to `c`: c!_pid (line 1)"],
        ),
        (
            "chan a[2] = [1] of { byte }; active [2] proctype A() { xs a[_pid]; a[_pid]!1 }",
            &[],
        ),
    ];
    for (text, expected) in cases {
        let text = format!("chan c = [2] of {{ byte }}; {text}");
        assert_eq!(failures(&text), *expected, "{text}");
    }
    // A claim on a rendezvous channel says nothing.
    let text =
        "chan c = [0] of { byte }; active proctype A() { xs c; c!1 } active proctype B() { c?_ }";
    let warnings = promela::read("test", text, &|_| None).unwrap().warnings;
    assert!(warnings[0].message.contains("rendezvous"), "{warnings:?}");
    assert_eq!(failures(text), Vec::<String>::new());
}
