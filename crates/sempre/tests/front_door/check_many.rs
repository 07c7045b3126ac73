//! Several properties in one run, conjunctions, and what a model checks by its assertions and labels alone.

use crate::check::*;

/// Two counters; an assertion of one of them fails.
const ASSERTING: &str = "byte x, y;
    process P { state go; init go; assert go: x < 3; trans go -> go { guard x < 5; effect x = x + 1; }; }
    process Q { state s; init s; trans s -> s { guard y < 2; effect y = y + 1; }; }
    system async;";

/// Names and verdicts.
fn words(found: &[serde_json::Value]) -> Vec<(&str, &str)> {
    let text = |p: &serde_json::Value, key: &str| p[key].is_string();
    assert!(found.iter().all(|p| text(p, "name") && text(p, "verdict")));
    (found.iter())
        .filter_map(|p| Some((p["name"].as_str()?, p["verdict"].as_str()?)))
        .collect()
}

fn verdicts(found: &[serde_json::Value]) -> Vec<&str> {
    words(found).iter().map(|w| w.1).collect()
}

#[test]
fn one_exploration_for_many() {
    let formulas = [
        "G !(P_0.CS & P_1.CS)",
        "G(P_0.CS -> turn == 0)",
        "G(P_0.ask -> F P_0.CS)",
        "G(P_0.ask -> F P_0.CS) & G F P_1.CS",
        "G F P_0.CS",
    ];
    let alone: Vec<String> = formulas.iter().map(|f| verdict(&[MUTEX, f])).collect();
    for workers in ["1", "3"] {
        let all = [&[MUTEX, "--explain", "--workers", workers], &formulas[..]].concat();
        let (found, status) = objects(&all);
        assert_eq!(status, 1);
        assert_eq!(verdicts(&found), alone, "{workers}");
        let why = |i: usize| found[i]["explanation"].to_string();
        let text = "in one exploration of the model, together with 1 other";
        assert!(why(0).contains(text), "{}", why(0));
        let text = "were made once for all properties";
        assert!(why(2).contains(text), "{}", why(2));
    }
    // Who names a means gets it.
    let all = [&[MUTEX, "--explain", "--automaton", "tgba"], &formulas[..]].concat();
    for object in objects(&all).0 {
        assert!(!object["explanation"].to_string().contains("once for all"));
    }
}

#[test]
fn the_first_violation_ends_it() {
    let formulas = ["G F P_1.CS", "G !P_0.ask", "G(P_0.ask -> F P_0.CS)"];
    let all = [&[MUTEX, "--fail-fast"], &formulas[..]].concat();
    let (found, status) = objects(&all);
    assert_eq!((found.len(), status), (3, 1));
    let violated = found.iter().filter(|p| p["verdict"] == "violated");
    assert_eq!(violated.count(), 1);
    let reasons: Vec<&str> = found.iter().filter_map(|p| p["reason"].as_str()).collect();
    assert!(!reasons.is_empty());
    for reason in reasons {
        assert!(reason.starts_with("not checked: "), "{reason}");
    }
    // One after the other, too.
    let all = [&all[..], &["--automaton", "tgba"]].concat();
    let (found, status) = objects(&all);
    let expected = vec!["violated", "unknown", "unknown"];
    assert_eq!((verdicts(&found), status), (expected, 1));
}

#[test]
fn a_failed_assertion_is_a_finding() {
    let model = file("asserting.dve", ASSERTING);
    let all = ["G {x < 2}", "G {y < 3}", "G {y < 2}", "G {x < 4}"];
    let (found, status) = objects(&[&[model.as_str()], &all[..]].concat());
    // In a state that fails an assertion the system goes on.
    let expected = vec!["violated", "holds", "violated", "violated", "violated"];
    assert_eq!((verdicts(&found), status), (expected, 1));
    assert_eq!(words(&found)[4].0, "assertions");
    let run = &found[4]["counterexample"];
    let failure = run["failure"].as_str().expect("a text");
    assert!(failure.contains("assertion failed"), "{failure}");
    assert_eq!(run["prefix"].as_array().expect("states").len(), 4);
    // In words, and if nothing else is asked.
    let ran = check(&[&model, "G {y < 3}"]);
    assert_eq!(ran.status, 1);
    assert!(ran.out.contains("\nassertions: violated\n"), "{}", ran.out);
    let (found, status) = objects(&[&model]);
    let expected = vec![("assertions", "violated")];
    assert_eq!((words(&found), status), (expected, 1));
    // What is decided without it is not about it.
    let (found, _) = objects(&[&model, "G {x < 2}"]);
    assert_eq!(found.len(), 1);
}

#[test]
fn labels_and_ends_are_checked() {
    let text = "byte x; active proctype P() { accept: do :: x = 1 :: x == 1 -> assert(x == 2) od }";
    let (found, status) = objects(&[&file("labels.pml", text)]);
    let expected = vec![
        ("no acceptance cycle", "violated"),
        ("assertions and end states", "violated"),
    ];
    assert_eq!((words(&found), status), (expected, 1));
    let text = "byte x; active proctype P() { x == 1 }";
    let (found, status) = objects(&[&file("ends.pml", text)]);
    let expected = vec![("assertions and end states", "violated")];
    assert_eq!((words(&found), status), (expected, 1));
    assert!(found[0]["counterexample"]["failure"].is_string());
    let text = "byte x; active proctype P() { x = 1 }";
    let (found, status) = objects(&[&file("fine.pml", text)]);
    let expected = vec![("assertions and end states", "holds")];
    assert_eq!((words(&found), status), (expected, 0));
    // The formulas of a model are what is asked.
    let text = "byte x; active proctype P() { x == 1 } ltl p { [] (x < 2) }";
    let (found, _) = objects(&[&file("formula-ends.pml", text)]);
    assert_eq!(words(&found), vec![("p", "holds")]);
}

#[test]
fn all_failures_are_shown_once() {
    let text = "byte x; process P { state go; init go; trans
        go -> go { guard x < 4; effect x = x + 1; }, go -> go { guard x >= 2; effect x = 1 / (x - x); }; }
        process Q { state s; init s; assert s: x < 3; } system async;";
    let model = file("fails.dve", text);
    let ran = crate::binary::sempre(&["explore", &model, "--all-failures"]);
    assert_eq!(ran.status, 1);
    assert_eq!(
        ran.out.matches("division by zero").count(),
        1,
        "{}",
        ran.out
    );
    assert_eq!(
        ran.out.matches("assertion failed").count(),
        1,
        "{}",
        ran.out
    );
    let ran = crate::binary::sempre(&["explore", &model, "--all-failures", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let lengths: Vec<usize> = (found["all_failures"].as_array().expect("a list").iter())
        .map(|f| f["run"].as_array().expect("actions").len())
        .collect();
    // The division at two, the assertion at three.
    assert_eq!(lengths, [2, 3]);
}
