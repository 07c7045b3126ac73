//! Checks of safety properties by finite automata on the command line.

use crate::binary::Ran;
use crate::check::*;
use serde_json::Value;

fn object(arguments: &[&str]) -> Value {
    objects(arguments).0.remove(0)
}

#[test]
fn a_bad_prefix_is_printed_as_one() {
    let model = file("ending.dve", ENDING);
    let Ran { status, out, .. } = check(&[&model, "G P.a"]);
    assert_eq!(status, 1);
    let lines: Vec<&str> = out.lines().filter(|l| !l.contains("seconds")).collect();
    assert_eq!(
        lines,
        [
            "G P.a: violated",
            "  asked      does every run satisfy G P.a?",
            "  found      no: the path of 1 step below violates it, whatever comes next",
            "  deadlock   stutter: a run that ends repeats its last state",
            "  automaton  dfa, 2 states, 3 edges, deterministic",
            "  product    1 state, 1 transition, queue 0 (bfs)",
            "  0  P  at a  [P.a]",
            "       P: a -> b (line 1)",
            "  1  P = b  [not P.a]",
            "  whatever comes next, the property is violated",
        ]
    );
    let trace = file("trace.json", "");
    let found = object(&[&model, "G P.a", "--trace", &trace]);
    let run = &found["counterexample"];
    assert_eq!(run["kind"], "finite");
    assert_eq!(run["cycle"], serde_json::json!([]));
    assert_eq!(run["prefix"][0]["action"], "P: a -> b (line 1)");
    assert_eq!(run["prefix"][1]["action"], Value::Null);
    assert_eq!(run["prefix"][1]["propositions"]["P.a"], false);
    assert_eq!(found["algorithm"], "bfs");
    assert_eq!(found["automaton"]["kind"], "dfa");
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(trace).expect("written"))
        .expect("it is JSON");
    assert_eq!(kept["prefix"], run["prefix"]);
    // A deadlock is read again and again, or ends what does not count.
    let formula = "X X X !P.b";
    let stutter = object(&[&model, formula]);
    let prefix = stutter["counterexample"]["prefix"]
        .as_array()
        .expect("a run");
    assert_eq!(prefix.len(), 4);
    assert_eq!(prefix[2]["action"], Value::Null);
    assert_eq!(
        object(&[&model, formula, "--deadlock", "drop"])["verdict"],
        "holds"
    );
    // What nothing satisfies is violated by any first state.
    let nothing = object(&[&model, "P.a & !P.a"]);
    assert_eq!(
        nothing["counterexample"]["prefix"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn searches_by_name() {
    for formula in ["G !P_0.CS", "G !(P_0.CS & P_1.CS)", "!P_1.CS W P_0.CS"] {
        let expected = object(&[MUTEX, formula, "--automaton", "tgba"])["verdict"].clone();
        let mut lengths = Vec::new();
        for search in ["auto", "bfs", "best-first", "finite-dfs"] {
            for automaton in ["auto", "dfa", "nfa"] {
                let options = [
                    MUTEX,
                    formula,
                    "--algorithm",
                    search,
                    "--automaton",
                    automaton,
                ];
                let found = object(&options);
                assert_eq!(found["verdict"], expected, "{options:?}");
                if search != "finite-dfs" {
                    let prefix = &found["counterexample"]["prefix"];
                    lengths.push(prefix.as_array().map_or(0, Vec::len));
                }
            }
        }
        lengths.dedup();
        assert_eq!(lengths.len(), 1, "{formula}: {lengths:?}");
        let one = object(&[MUTEX, formula]);
        for workers in ["2", "3"] {
            let many = object(&[MUTEX, formula, "--workers", workers]);
            assert_eq!(many["counterexample"], one["counterexample"]);
            assert_eq!(many["verdict"], expected);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (arguments, complaint) in [
        (&["F P_0.CS", "--automaton", "dfa"][..], "this is none"),
        (&["F P_0.CS", "--algorithm", "bfs"], "this is none"),
        (
            &["G P_0.CS", "--automaton", "dfa", "--algorithm", "se05"],
            "looks for cycles",
        ),
        (
            &["G P_0.CS", "--automaton", "ba", "--algorithm", "bfs"],
            "needs a cycle",
        ),
        (
            &[
                "G P_0.CS",
                "--automaton",
                "dfa",
                "--fairness",
                "weak",
                "--deadlock",
                "drop",
            ],
            "fair and without end",
        ),
    ] {
        let Ran { status, out, err } = check(&[&[MUTEX], arguments].concat());
        assert_eq!(status, 2, "{arguments:?}: {out}");
        assert!(err.contains(complaint), "{arguments:?}: {err}");
    }
    let marks = file("marks.graph", "red: stop -> green {0}\ngreen: go -> red\n");
    let Ran { status, err, .. } = check(&[&marks, "G stop", "--automaton", "dfa"]);
    assert_eq!(status, 2);
    assert!(err.contains("its edges have acceptance marks"), "{err}");
    assert_eq!(object(&[&marks, "G stop"])["automaton"]["kind"], "tgba");
}

#[test]
fn fairness_does_not_matter() {
    for formula in [
        "G !P_0.CS",
        "G !(P_0.CS & P_1.CS)",
        "!P_1.CS W P_0.CS",
        "G(P_0.CS -> X !P_0.idle)",
    ] {
        for fairness in ["weak", "weak-transitions"] {
            let options = [MUTEX, formula, "--fairness", fairness];
            let found = object(&options);
            let slow = object(&[&options[..], &["--automaton", "tgba"]].concat());
            assert_eq!(found["verdict"], slow["verdict"], "{options:?}");
            assert_eq!(found["fairness_ignored"], true);
            assert_eq!(slow["fairness_ignored"], Value::Null);
            let Ran { out, .. } = check(&options);
            assert!(
                out.contains("it does not matter to a safety property"),
                "{out}"
            );
        }
        // Where only endless runs count, it may.
        let both = [MUTEX, formula, "--fairness", "weak", "--deadlock", "drop"];
        assert_eq!(object(&both)["automaton"]["kind"], "tgba");
    }
}

/// Pathological and accidental formulas, and automata of violations.
#[test]
fn every_kind_of_safety() {
    // The first violation that matters is in the second state.
    let model = file("abc.graph", "propositions q r\ninitial 0\n");
    let _ = model;
    let ending = file("kinds.dve", ENDING);
    for (formula, length) in [
        // Pathological: `P.b`, with something in front of it that is never true.
        ("P.b | X(G P.a & F !P.a)", 1),
        // Accidental: not informative before the third letter.
        ("G(P.a | (X P.b & X !P.b))", 2),
    ] {
        let found = object(&[&ending, formula]);
        assert_eq!(found["automaton"]["kind"], "dfa", "{formula}");
        let prefix = found["counterexample"]["prefix"].as_array();
        assert_eq!(prefix.map(Vec::len), Some(length), "{formula}");
    }
    // `P.b` is seen, and then whatever.
    let violation = file(
        "violation.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"P.b\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n",
    );
    let found = object(&[&ending, "--violation", &violation]);
    assert_eq!(found["counterexample"]["kind"], "finite");
    assert_eq!(
        found["counterexample"]["prefix"].as_array().map(Vec::len),
        Some(2)
    );
    // Infinitely often is another matter.
    let violation = file(
        "often.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"P.b\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0\n[!0] 0\n[0] 0 {0}\n--END--\n",
    );
    let found = object(&[&ending, "--violation", &violation]);
    assert_eq!(found["counterexample"]["kind"], "lasso");
    let Ran { status, err, .. } =
        check(&[&ending, "--violation", &violation, "--automaton", "dfa"]);
    assert_eq!(status, 2);
    assert!(err.contains("that is not seen"), "{err}");
}

#[test]
fn limits_are_unknown() {
    let large = file(
        "large.dve",
        "byte x[8]; process P { state s; init s; trans
        s -> s { effect x[0] = x[0] + 1; }, s -> s { effect x[1] = x[1] + 1; }, s -> s { effect x[2] = x[2] + 1; },
        s -> s { effect x[3] = x[3] + 1; }, s -> s { effect x[4] = x[4] + 1; }, s -> s { effect x[5] = x[5] + 1; };
        } system async;",
    );
    for search in ["auto", "bfs", "finite-dfs", "best-first"] {
        for (option, value, reason) in [("--time", "0.2", "time"), ("--memory", "3M", "memory")] {
            let found = object(&[&large, "G x[7] == 0", "--algorithm", search, option, value]);
            assert_eq!(found["verdict"], "unknown", "{search}");
            assert_eq!(found["reason"], reason, "{search}");
        }
    }
    let found = object(&[&large, "G x[7] == 0", "--workers", "2", "--memory", "3M"]);
    assert_eq!(found["reason"], "memory");
}
