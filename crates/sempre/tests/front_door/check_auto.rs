//! `sempre check --engine auto`: the same verdicts, whoever is first; who was heard, and what became of the other.

use crate::check::*;
use serde_json::Value;

/// The object of one property, checked by both engines.
fn by_both(arguments: &[&str]) -> (Value, i32) {
    let auto = ["--engine", "auto", "--explain"];
    let (mut found, status) = objects(&[arguments, &auto].concat());
    assert_eq!(found.len(), 1, "{arguments:?}");
    (found.remove(0), status)
}

/// The sentence that says who was heard.
fn who(found: &Value) -> &str {
    let first = found["explanation"][0].as_str().expect("a sentence");
    assert!(first.starts_with("engine "), "{first}");
    first
}

/// Counters from 0 to 9 that know nothing of each other: 10³⁰ states.
fn counters() -> String {
    let counter = |i: u32| {
        format!(
            "process P{i} {{ state s; init s; trans s -> s {{ guard x[{i}] < 9; effect x[{i}] = x[{i}] + 1; }},
            s -> s {{ guard x[{i}] == 9; effect x[{i}] = 0; }}; }}\n"
        )
    };
    let all: String = (0..30).map(counter).collect();
    file(
        "counters.dve",
        &format!("byte x[30];\n{all}system async;\n"),
    )
}

/// Variables that are scrambled together, and one that nobody writes: too much for either engine.
pub const SCRAMBLED: &str = "byte a; byte b; byte c; byte d; byte z;
process P { state x; init x; trans x -> x { effect a = a * 5 + b * c + 1; }, x -> x { effect b = b * 3 + a * d + 1; },
x -> x { effect c = c * 9 + d + a; }, x -> x { effect d = d + c * b + 7; }; } system async;";

#[test]
fn the_verdicts_are_those_of_the_explicit_engine() {
    for arguments in [
        &[MUTEX, "G !(P_0.CS & P_1.CS)"][..],
        &[MUTEX, "G F P_0.CS"],
        &[MUTEX, "G F P_0.CS", "--fairness", "weak"],
        &[MUTEX, "G(P_0.wait -> F P_0.CS)", "--automaton", "tgta"],
        &["examples/lights.graph", "G F go"],
        &["examples/trap.graph", "F G trap", "--deadlock", "drop"],
        &["examples/philosophers-8.pnml", "G Fork_0 <= 1"],
        &["examples/philosophers-8.pnml", "G F Fork_0 == 1"],
        &["examples/kanban-5.pnml", "G 1"],
        &["examples/counter.etf", "G 1"],
        &["examples/peterson.pml"],
        &["examples/overtaking.dve", "G filled <= 3"],
    ] {
        let (explicit, status) = objects(arguments);
        let (auto, _) = objects(&[arguments, &["--engine", "auto"]].concat());
        assert_eq!(explicit.len(), auto.len());
        for (one, two) in explicit.iter().zip(&auto) {
            assert_eq!(one["verdict"], two["verdict"], "{arguments:?}");
            assert_ne!(two["engine"], "auto");
        }
        let ran = check(&[arguments, &["--engine", "auto"]].concat());
        assert_eq!(ran.status, status, "{arguments:?}");
    }
}

#[test]
fn sets_of_states_answer_where_states_are_too_many() {
    let model = counters();
    let (found, status) = by_both(&[&model, "F G x[0] < 10"]);
    assert_eq!((found["verdict"].as_str(), status), (Some("holds"), 0));
    assert_eq!(found["engine"], "symbolic");
    assert_eq!(found["workers"], 1);
    let why = who(&found);
    assert!(
        why.starts_with("engine symbolic: it had the answer; the explicit engine "),
        "{why}"
    );
    // Several properties, for which the states are found once; the second is soon violated.
    let several = [&model[..], "F G x[0] < 10", "G x[1] < 9", "G F x[2] < 10"];
    let (found, status) = objects(&[&several[..], &["--engine", "auto"]].concat());
    let verdicts: Vec<&str> = found.iter().filter_map(|f| f["verdict"].as_str()).collect();
    assert_eq!(
        (&verdicts[..], status),
        (&["holds", "violated", "holds"][..], 1)
    );
    assert_eq!(found[2]["engine"], "symbolic");
}

#[test]
fn what_fits_one_engine_is_for_that_one() {
    let atomic = file(
        "atomic.pml",
        "byte x, y; active [2] proctype P() { do :: atomic { if :: x < 3 -> x++ :: x == 3 -> x = 0 fi;
        if :: y < 2 -> y++ :: else -> y = 0 fi } od }",
    );
    let formula = "G(P_0.wait -> F P_0.CS)";
    for (arguments, engine, why) in [
        (
            &[&atomic[..], "G F x == 1"][..],
            "explicit",
            "cannot take the steps of atomic sections together yet",
        ),
        (
            &[MUTEX, formula, "--algorithm", "cou99"],
            "explicit",
            "algorithm cou99 looks at one state after another",
        ),
        (
            &[MUTEX, "G !(P_0.CS & P_1.CS)", "--algorithm", "bfs"],
            "explicit",
            "algorithm bfs looks at one state after another",
        ),
        (
            &[MUTEX, formula, "--algorithm", "partial"],
            "symbolic",
            "algorithm partial belongs to the symbolic engine",
        ),
        (
            &[MUTEX, formula, "--automaton", "tela"],
            "explicit",
            "automaton tela is not one that the symbolic engine takes",
        ),
        (
            &[MUTEX, "--non-progress", "P_0", "--fairness", "weak"],
            "explicit",
            "does not see which process moves",
        ),
    ] {
        let (found, _) = by_both(arguments);
        assert_eq!(found["engine"], engine, "{arguments:?}");
        assert_ne!(found["verdict"], "unknown", "{arguments:?}");
        let sentence = who(&found);
        let beginning = format!("engine {engine} alone: ");
        assert!(
            sentence.starts_with(&beginning) && sentence.contains(why),
            "{sentence}"
        );
    }
    // What neither can do is refused, with one reason if it is the same; and so is what is asked of the explicit engine alone.
    bad(
        &[MUTEX, "X P_0.CS", "--automaton", "tgta", "--engine", "auto"],
        "testing automata do not count repetitions",
    );
    bad(
        &[
            MUTEX,
            "G F P_0.CS",
            "--pairs",
            "parallel",
            "--engine",
            "auto",
        ],
        "does not check Rabin pairs",
    );
}

#[test]
fn without_memory_neither_knows() {
    let model = file("scrambled.dve", SCRAMBLED);
    let (found, status) = by_both(&[&model, "F G z == 0", "--memory", "2M"]);
    assert_eq!((found["verdict"].as_str(), status), (Some("unknown"), 3));
    assert_eq!(found["reason"], "memory");
    assert_eq!(
        who(&found),
        "engine explicit: it came to no answer (memory); the symbolic engine came to no answer (memory)"
    );
}

/// What is wrong with the model says more than which limit was reached.
#[test]
fn a_model_that_fails_is_unknown_to_both() {
    let model = file("failing-auto.dve", FAILING);
    let (found, status) = by_both(&[&model, "G (P.a || P.b)"]);
    assert_eq!((found["verdict"].as_str(), status), (Some("unknown"), 3));
    let reason = found["reason"].as_str().expect("a reason");
    assert!(reason.contains("index 2 is outside x"), "{reason}");
    let why = who(&found);
    assert_eq!(why.matches("index 2 is outside x").count(), 2, "{why}");
}
