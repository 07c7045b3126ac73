//! `sempre check`: verdicts of every algorithm and kind of automaton, and what is refused.

use crate::binary::{self, Ran};
use sempre::check::{Method, SymbolicAlgorithm};
use sempre::explicit::emptiness::Algorithm;
use sempre::explicit::finite::Search;
use serde_json::Value;

pub fn check(arguments: &[&str]) -> Ran {
    binary::sempre(&[&["check"], arguments].concat())
}

/// The objects it prints, and its status.
pub fn objects(arguments: &[&str]) -> (Vec<Value>, i32) {
    let ran = check(&[arguments, &["--format", "json"]].concat());
    let each = |line| serde_json::from_str(line).expect("JSON");
    assert!(!ran.out.is_empty(), "{arguments:?}: {}", ran.err);
    (ran.out.lines().map(each).collect(), ran.status)
}

/// The verdict on one property, which must fit the status.
pub fn verdict(arguments: &[&str]) -> String {
    let (objects, status) = objects(arguments);
    assert_eq!(objects.len(), 1, "{arguments:?}");
    let word = objects[0]["verdict"].as_str().expect("a word").to_string();
    let expected = ["holds", "violated", "", "unknown"][status as usize];
    assert_eq!(word, expected, "{arguments:?}");
    let has_run = !objects[0]["counterexample"].is_null();
    assert_eq!(has_run, word == "violated", "{arguments:?}");
    word
}

/// Expects a complaint that contains some text.
pub fn bad(arguments: &[&str], complaint: &str) {
    let ran = check(arguments);
    assert_eq!(ran.status, 2, "{arguments:?}: {}{}", ran.out, ran.err);
    assert!(ran.err.contains(complaint), "{arguments:?}: {}", ran.err);
    assert_eq!(ran.out, "", "{arguments:?}");
}

pub fn file(name: &str, text: &str) -> String {
    binary::file("check", name, text)
}

pub const MUTEX: &str = "examples/mutex.dve";

/// A walker that never rests, and one that has one step to make.
pub const WALKERS: &str = "process P { state a, b; init a; trans a -> b {}, b -> a {}; }
    process Q { state wait, done; init wait; trans wait -> done {}; }
    system async;";

/// A walker, and one that writes beyond its array.
pub const FAILING: &str = "byte x[2], i;
    process P { state a, b; init a; trans a -> b {}, b -> a {}; }
    process Q { state s; init s; trans s -> s { guard i < 3; effect x[i] = 1, i = i + 1; }; }
    system async;";

/// Goes from a to b and stops.
pub const ENDING: &str = "process P { state a, b; init a; trans a -> b {}; } system async;";

/// More states than anybody wants to see.
pub const LARGE: &str = "byte x[8]; process P { state s; init s; trans
    s -> s { effect x[0] = x[0] + 1; }, s -> s { effect x[1] = x[1] + 1; }, s -> s { effect x[2] = x[2] + 1; },
    s -> s { effect x[3] = x[3] + 1; }, s -> s { effect x[4] = x[4] + 1; }, s -> s { effect x[5] = x[5] + 1; };
    } system async;";

pub const NET: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n"
    type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    <place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/>
    <place id="r"><initialMarking><text>1</text></initialMarking></place><place id="s"/>
    <transition id="there"/><transition id="back"/><transition id="once"/>
    <arc id="a" source="p" target="there"/><arc id="b" source="there" target="q"/>
    <arc id="c" source="q" target="back"/><arc id="d" source="back" target="p"/>
    <arc id="e" source="r" target="once"/><arc id="f" source="once" target="s"/>
    </page></net></pnml>"#;

#[test]
fn properties_hold_or_are_violated() {
    assert_eq!(verdict(&[MUTEX, "G !(P_0.CS & P_1.CS)"]), "holds");
    assert_eq!(verdict(&[MUTEX, "G(P_0.wait -> F P_0.CS)"]), "holds");
    assert_eq!(verdict(&[MUTEX, "G F P_0.CS"]), "violated");
    assert_eq!(verdict(&[MUTEX, "G F P_0.CS", "--shorten"]), "violated");
    assert_eq!(verdict(&[MUTEX, "G F P_0.CS", "--no-jit"]), "violated");
    assert_eq!(verdict(&["examples/lights.graph", "G F go"]), "holds");
    assert_eq!(verdict(&["examples/lights.graph", "G go"]), "violated");
    assert_eq!(verdict(&["examples/philosophers-8.pnml", "G 1"]), "holds");
}

#[test]
fn algorithms_and_engines_that_do_not_fit_are_refused() {
    for (name, engine, why) in [
        ("owcty", "explicit", "add --engine symbolic"),
        ("bounded", "explicit", "add --engine symbolic"),
        ("partial", "explicit", "add --engine symbolic"),
        ("directed", "explicit", "add --engine symbolic"),
        ("cou99", "symbolic", "owcty, bounded, partial and directed"),
    ] {
        let ran = check(&[MUTEX, "1", "--algorithm", name, "--engine", engine]);
        assert_eq!(ran.status, 2);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
}

#[test]
fn who_answered_is_told() {
    let formula = "G(P_0.wait -> F P_0.CS)";
    for (name, expected) in [
        ("auto", "bounded"),
        ("owcty", "owcty"),
        ("bounded", "bounded"),
        ("partial", "partial"),
        ("directed", "directed"),
        // Former names.
        ("dive", "partial"),
        ("climb", "directed"),
    ] {
        let options = [
            MUTEX,
            formula,
            "--engine",
            "symbolic",
            "--algorithm",
            name,
            "--explain",
        ];
        let found = &objects(&options).0[0];
        assert_eq!(found["algorithm"], expected);
        let why = found["explanation"].to_string();
        assert!(why.contains(&format!("algorithm {expected}: ")), "{why}");
        let asked = why.contains("as asked\"");
        assert_eq!(asked, name != "auto", "{why}");
    }
}

#[test]
fn every_algorithm_gives_the_same_answer() {
    let ran = check(&[MUTEX, "1", "--algorithm", "none-such"]);
    assert_eq!(ran.status, 2);
    let list = ran.err.split("[possible values: ").nth(1).expect("a list");
    let names = list.split(']').next().expect("its end").split(", ");
    let names: Vec<&str> = names.collect();
    assert!(
        names.contains(&"auto") && names.contains(&"cou99") && names.len() > 5,
        "{names:?}"
    );
    for name in names {
        for automaton in ["auto", "tgba", "ba"] {
            for (formula, expected) in [
                ("G(P_0.wait -> F P_0.CS)", "holds"),
                ("F G !P_0.CS", "violated"),
            ] {
                let symbolic = SymbolicAlgorithm::ALL.iter().any(|(_, n)| *n == name);
                let engine = if symbolic { "symbolic" } else { "explicit" };
                let options = [
                    MUTEX,
                    formula,
                    "--algorithm",
                    name,
                    "--automaton",
                    automaton,
                    "--engine",
                    engine,
                ];
                // A check for automata of another kind says so. These take all.
                let known = Algorithm::ALL.iter().find(|(_, n)| *n == name);
                let finite = Search::ALL.iter().any(|(_, n)| *n == name);
                let all = known.is_none_or(|(a, _)| a.is_general()) && !finite;
                let ran = check(&options);
                if Method::ALL.iter().any(|(_, n)| *n == name) {
                    assert_eq!(ran.status, 2, "this is for nets: {options:?}");
                    continue;
                }
                if !all && ran.status == 2 {
                    let why = match finite && automaton == "auto" {
                        true => "finite automata are for safety properties",
                        false => "is not made for this",
                    };
                    assert!(ran.err.contains(why), "{}", ran.err);
                    continue;
                }
                assert_eq!(verdict(&options), expected, "{options:?}");
            }
        }
    }
    let fair = [
        MUTEX,
        "G F P_0.CS",
        "--fairness",
        "weak",
        "--algorithm",
        "dfs",
    ];
    bad(&fair, "algorithm dfs is not made for this");
}

#[test]
fn a_model_that_fails_is_unknown() {
    let ran = check(&["examples/overtaking.dve", "G filled <= 3"]);
    assert_eq!(ran.status, 3);
    assert!(
        ran.out.starts_with("G filled <= 3: unknown\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("index 3 is outside cell"), "{}", ran.out);
    assert!(
        (ran.out).contains("sempre explore examples/overtaking.dve --find failure"),
        "{}",
        ran.out
    );
    // A violation does not depend on what fails elsewhere.
    let failing = file("failing.dve", FAILING);
    assert_eq!(verdict(&[&failing, "G P.a"]), "violated");
    assert_eq!(verdict(&[&failing, "F P.b"]), "unknown");
    // A process is not disabled because its action fails, be it the only one that does or not: no run is fair.
    let both = file(
        "both_fail.dve",
        "byte z, x; process A { state s; init s; trans s -> s { effect x = 1 / z; }, s -> s { effect x = 1; }; }
        process B { state t; init t; trans t -> t { effect x = 1 / z; }; } system async;",
    );
    for algorithm in ["cou99", "gv04", "ufscc"] {
        let fair = [
            &both,
            "false",
            "--fairness",
            "weak",
            "--algorithm",
            algorithm,
        ];
        assert_eq!(verdict(&fair), "unknown", "{algorithm}");
    }
    // A proposition without a value in every state is none.
    let model = file(
        "index.dve",
        "byte a[2], i; process P { state s; init s; trans
        s -> s { guard i < 3; effect i = i + 1; }; } system async;",
    );
    let (found, status) = objects(&[&model, "G {a[i] == 0}"]);
    assert_eq!(status, 3);
    let reason = found[0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("`a[i] == 0` has no value"), "{reason}");
}

#[test]
fn mistakes_are_shown_where_they_are() {
    bad(&[MUTEX, "G(P_O.wait -> F P_0.CS)"], "did you mean `P_0`?");
    bad(&[MUTEX, "G(P_O.wait -> F P_0.CS)"], "formula:1:3");
    bad(&[MUTEX, "G(P_0.wait"], "formula:1:2");
    bad(&[MUTEX, "1", "G x == 2"], "formula 2:1:3");
    bad(&[MUTEX], "no property: give a formula");
    bad(&["examples"], "cannot tell the language of `examples`");
    bad(
        &["examples", "1", "--language", "dve"],
        "cannot read `examples`",
    );
    bad(&["none-such.dve", "1"], "cannot read `none-such.dve`");
    bad(&[&file("empty.dve", ""), "1"], "empty.dve:1:1");
    bad(
        &[MUTEX, "--property", &file("empty.ltl", "# nothing\n")],
        "there is no property here",
    );
    bad(
        &[MUTEX, "--violation", &file("empty.hoa", "")],
        "there is no automaton here",
    );
    bad(&[MUTEX, "1", "--time=-1"], "--time");
    bad(
        &[MUTEX, "1", "--trace", "no/such/folder/t.json"],
        "cannot write",
    );
    let list = file("typo.ltl", "fine: G P_0.CS\n\nwrong: G P_0.SC\n");
    bad(&[MUTEX, "--property", &list], "typo.ltl:3:14");
    let automaton = file(
        "typo.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"P_0.SC\"\n\
        Acceptance: 0 t\n--BODY--\nState: 0\n[0] 0\n--END--\n",
    );
    bad(&[MUTEX, "--violation", &automaton], "typo.hoa:4:12");
}

#[test]
fn many_propositions() {
    let steps: Vec<String> = (0..70)
        .map(|i| format!("s -> s {{ guard n == {i}; effect x[{i}] = 1, n = n + 1; }}"))
        .collect();
    let text = format!(
        "byte x[70], n; process P {{ state s; init s; trans {}; }} system async;",
        steps.join(", ")
    );
    let model = file("many.dve", &text);
    let all = |value: u8| {
        (0..70)
            .map(|i| format!("x[{i}] == {value}"))
            .collect::<Vec<_>>()
            .join(" & ")
    };
    assert_eq!(verdict(&[&model, &format!("G !({})", all(1))]), "violated");
    assert_eq!(verdict(&[&model, &format!("G !({})", all(2))]), "holds");
    assert_eq!(verdict(&[&model, &format!("F G ({})", all(1))]), "holds");
}

/// Any number of workers, with every kind of automaton; what one worker alone can do is refused to several.
#[test]
fn several_workers() {
    for (formula, fairness, expected) in [
        ("G(P_0.wait -> F P_0.CS)", "none", "holds"),
        ("F G !P_0.CS", "none", "violated"),
        ("G F P_0.CS", "weak", "holds"),
        ("G(P_0.CS -> F G P_1.CS)", "weak", "violated"),
    ] {
        for automaton in ["auto", "tgba", "ba", "ta", "tgta"] {
            for workers in ["1", "2", "70"] {
                let mut options = vec![MUTEX, formula, "--fairness", fairness];
                options.extend(["--automaton", automaton, "--workers", workers]);
                // Without its name, one of several workers answers alone for so small a model.
                if workers != "1" {
                    assert_eq!(verdict(&options), expected, "{options:?}");
                }
                options.push("--algorithm=ufscc");
                assert_eq!(verdict(&options), expected, "{options:?}");
            }
        }
    }
    let (found, _) = objects(&[MUTEX, "G F P_0.CS", "--workers", "2", "--explain"]);
    assert_eq!(found[0]["algorithm"], "cou99");
    let named = [MUTEX, "G F P_0.CS", "--workers=2", "--algorithm=ufscc"];
    assert_eq!(objects(&named).0[0]["algorithm"], "ufscc");
    assert_eq!(found[0]["workers"], 2);
    assert!(found[0]["explanation"].to_string().contains("2 workers"));
    let second = [MUTEX, "F G !P_0.CS", "--algorithm=cndfs", "--workers=2"];
    assert_eq!(verdict(&second), "violated");
    for name in ["cou99", "dfs", "ta-two-pass"] {
        let options = [MUTEX, "G F P_0.CS", "--algorithm", name, "--workers", "2"];
        bad(&options, "several workers cannot share");
    }
    bad(&[MUTEX, "1", "--workers", "0"], "--workers");
    // A value leaves its bits while several search.
    let model = file("several.dve", LARGE);
    let widening = [
        &model,
        "G F x[0] == 0 | G !(x[0] == 200)",
        "--workers",
        "3",
        "--time",
        "20",
    ];
    let (found, _) = objects(&widening);
    assert_ne!(found[0]["verdict"], "holds");
}

/// Automata with any acceptance: made generalised Büchi, or taken as they are.
#[test]
fn automata_with_any_acceptance() {
    let automaton = |acceptance: &str| {
        format!(
            "HOA: v1\nStates: 1\nStart: 0\nAP: 3 \"P_0.CS\" \"P_1.CS\" \"P_0.wait\"\nAcceptance: {acceptance}\n--BODY--\n\
             State: 0\n[0] 0 {{0}}\n[!0&1] 0 {{1}}\n[!0&!1&2] 0 {{2}}\n[!0&!1&!2] 0\n--END--\n"
        )
    };
    let mut seen = Vec::new();
    for (acceptance, fins) in [
        ("3 Fin(0) & Inf(1)", true),
        ("3 (Fin(0) & Inf(1)) | (Fin(1) & Inf(2))", true),
        ("3 Fin(0) & Fin(1) & Fin(2)", true),
        ("3 (Fin(0) & Fin(2)) | (Inf(0) & Fin(1))", true),
        ("3 Inf(2) & Fin(0) & Fin(1)", true),
        ("3 (Fin(0) | Inf(1)) & (Fin(1) | Inf(2)) & Inf(1)", true),
        (
            "3 (Fin(2) | Inf(1)) & (Fin(2) | Inf(0)) & Inf(2) & Fin(0)",
            true,
        ),
        ("3 (Inf(0) & Inf(2)) | Inf(1)", false),
    ] {
        let file = file(
            &format!("any{}.hoa", acceptance.len()),
            &automaton(acceptance),
        );
        let base = [MUTEX, "--violation", &file, "--fairness", "weak"];
        let with = |more: &[&str]| verdict(&[&base, more].concat());
        // The automaton without Fin is the reference.
        let expected = with(&[]);
        seen.push(expected.clone());
        for workers in ["--workers=1", "--workers=2", "--workers=5"] {
            assert_eq!(
                with(&["--automaton=tela", workers]),
                expected,
                "{acceptance}"
            );
            assert_eq!(
                with(&["--algorithm=favoid", workers]),
                expected,
                "{acceptance}"
            );
            assert_eq!(
                with(&["--algorithm=emerson-lei", workers]),
                expected,
                "{acceptance}"
            );
            let parallel = ["--algorithm=favoid", "--pairs=parallel", workers];
            assert_eq!(with(&parallel), expected, "{acceptance}");
        }
        if fins {
            let options = [&base[..], &["--automaton=tela", "--algorithm=ufscc"]].concat();
            bad(&options, "has a Fin");
        }
        let options = [&base[..], &["--automaton=tela", "--algorithm=cou99"]].concat();
        bad(&options, "not generalised Büchi");
    }
    assert!(seen.iter().any(|v| v == "holds") && seen.iter().any(|v| v == "violated"));
    bad(
        &[MUTEX, "G F P_0.CS", "--pairs=parallel"],
        "does not check Rabin pairs",
    );
}

/// Standstill under fairness: a process that waits for another, one that has one step to make, a deadlock.
#[test]
fn processes_that_must_go_on() {
    let model = file("standstill.dve", WALKERS);
    let waiting = file(
        "waiting.dve",
        "byte turn; process P { state a; init a; trans a -> a { guard turn == 0; effect turn = 1; }; }
         process Q { state s; init s; trans s -> s { guard turn == 1; effect turn = 0; }; }
         process R { state s; init s; trans s -> s {}; }
         system async;",
    );
    for workers in ["--workers=1", "--workers=2", "--workers=7"] {
        for (model, processes, fairness, expected) in [
            (&model, &["P"][..], "none", "holds"),
            (&model, &["P", "Q"], "none", "violated"),
            (&model, &["Q"], "weak", "violated"),
            (&waiting, &["P"], "none", "violated"),
            (&waiting, &["P", "Q", "R"], "weak", "holds"),
            (&waiting, &["R"], "none", "violated"),
        ] {
            for algorithm in ["auto", "favoid", "emerson-lei"] {
                let mut options = vec![model.as_str(), "--non-progress"];
                options.extend(processes);
                options.extend(["--fairness", fairness, workers, "--algorithm", algorithm]);
                assert_eq!(verdict(&options), expected, "{options:?}");
            }
        }
    }
    let ending = file("standing.dve", ENDING);
    assert_eq!(verdict(&[&ending, "--non-progress", "P"]), "violated");
    let drop = [&ending, "--non-progress", "P", "--deadlock", "drop"];
    assert_eq!(verdict(&drop), "holds");
    bad(&[&model, "--non-progress", "R"], "no process `R`");
    let transitions = ["--fairness", "weak-transitions"];
    bad(
        &[&[model.as_str(), "--non-progress", "P"], &transitions[..]].concat(),
        "fairness to transitions",
    );
    bad(
        &[&model, "--non-progress", "P", "--automaton", "ba"],
        "not for an automaton of kind ba",
    );
    bad(
        &[&model, "--non-progress", "P", "--algorithm", "cou99"],
        "not generalised Büchi",
    );
}

#[test]
fn fairness_to_processes_and_transitions() {
    let model = file("walkers.dve", WALKERS);
    assert_eq!(verdict(&[&model, "F Q.done"]), "violated");
    assert_eq!(
        verdict(&[&model, "F Q.done", "--fairness", "weak"]),
        "holds"
    );
    assert_eq!(
        verdict(&[&model, "F Q.done", "--fairness", "weak-transitions"]),
        "holds"
    );
    assert_eq!(
        verdict(&[&model, "F G P.a", "--fairness", "weak"]),
        "violated"
    );
    let net = file("fair.pnml", NET);
    assert_eq!(verdict(&[&net, "F s >= 1"]), "violated");
    assert_eq!(
        verdict(&[&net, "F s >= 1", "--fairness", "weak-transitions"]),
        "holds"
    );
    assert_eq!(
        verdict(&[&net, "F G q >= 1", "--fairness", "weak-transitions"]),
        "violated"
    );
    bad(&[&net, "F s >= 1", "--fairness", "weak"], "no processes");
}

#[test]
fn runs_that_end() {
    let model = file("ending.dve", ENDING);
    assert_eq!(verdict(&[&model, "F G P.b"]), "holds");
    assert_eq!(verdict(&[&model, "G F P.a"]), "violated");
    assert_eq!(verdict(&[&model, "G F P.a", "--deadlock", "drop"]), "holds");
    let (found, _) = objects(&[&model, "G F P.a"]);
    let last = &found[0]["counterexample"]["cycle"][0];
    assert_eq!(last["action"], Value::Null);
    assert_eq!(last["processes"], serde_json::json!([]));
}
