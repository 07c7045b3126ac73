//! `sempre check`, the real binary: verdicts, evidence, complaints, exit statuses.

use sempre::explicit::emptiness::Algorithm;
use sempre::explicit::finite::Search;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_sempre");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn check(arguments: &[&str]) -> Ran {
    let output = Command::new(BINARY)
        .arg("check")
        .args(arguments)
        .current_dir(ROOT)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    Ran {
        status: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// The objects it prints, and its status.
fn objects(arguments: &[&str]) -> (Vec<Value>, i32) {
    let ran = check(&[arguments, &["--format", "json"]].concat());
    let each = |line| serde_json::from_str(line).expect("JSON");
    assert!(!ran.out.is_empty(), "{arguments:?}: {}", ran.err);
    (ran.out.lines().map(each).collect(), ran.status)
}

/// The verdict on one property, which must fit the status.
fn verdict(arguments: &[&str]) -> String {
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
fn bad(arguments: &[&str], complaint: &str) {
    let ran = check(arguments);
    assert_eq!(ran.status, 2, "{arguments:?}: {}{}", ran.out, ran.err);
    assert!(ran.err.contains(complaint), "{arguments:?}: {}", ran.err);
    assert_eq!(ran.out, "", "{arguments:?}");
}

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder.join(name)
}

/// A file with this text.
fn file(name: &str, text: &str) -> String {
    let path = path(name);
    std::fs::write(&path, text).expect("a file can be written");
    path.to_str().expect("UTF-8").to_string()
}

const MUTEX: &str = "examples/mutex.dve";

/// A walker that never rests, and one that has one step to make.
const WALKERS: &str = "process P { state a, b; init a; trans a -> b {}, b -> a {}; }
    process Q { state wait, done; init wait; trans wait -> done {}; }
    system async;";

/// A walker, and one that writes beyond its array.
const FAILING: &str = "byte x[2], i;
    process P { state a, b; init a; trans a -> b {}, b -> a {}; }
    process Q { state s; init s; trans s -> s { guard i < 3; effect x[i] = 1, i = i + 1; }; }
    system async;";

/// Goes from a to b and stops.
const ENDING: &str = "process P { state a, b; init a; trans a -> b {}; } system async;";

/// More states than anybody wants to see.
const LARGE: &str = "byte x[8]; process P { state s; init s; trans
    s -> s { effect x[0] = x[0] + 1; }, s -> s { effect x[1] = x[1] + 1; }, s -> s { effect x[2] = x[2] + 1; },
    s -> s { effect x[3] = x[3] + 1; }, s -> s { effect x[4] = x[4] + 1; }, s -> s { effect x[5] = x[5] + 1; };
    } system async;";

const NET: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n"
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
                let options = [
                    MUTEX,
                    formula,
                    "--algorithm",
                    name,
                    "--automaton",
                    automaton,
                ];
                // A check for automata of another kind says so. These take all.
                let known = Algorithm::ALL.iter().find(|(_, n)| *n == name);
                let finite = Search::ALL.iter().any(|(_, n)| *n == name);
                let all = known.is_none_or(|(a, _)| a.is_general()) && !finite;
                let ran = check(&options);
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
        ran.out.contains("sempre explore MODEL --find failure"),
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
fn limits_leave_it_unknown() {
    let model = file("large.dve", LARGE);
    for (limit, reason) in [("--memory=20M", "memory"), ("--time=0.3", "time")] {
        let several = [&model, "G F x[0] <= 255", limit, "--workers", "3"];
        let (found, status) = objects(&several);
        assert_eq!((status, found[0]["reason"].as_str()), (3, Some(reason)));
        assert!(found[0]["product"]["states"].as_u64() > Some(1000));
        assert!(found[0]["product"]["bytes_per_state"].as_f64() > Some(16.0));
    }
    let (found, status) = objects(&[&model, "G x[0] <= 255", "--memory", "20M"]);
    assert_eq!((status, found[0]["reason"].as_str()), (3, Some("memory")));
    assert!(found[0]["product"]["states"].as_u64() > Some(1000));
    let (found, status) = objects(&[&model, "G x[0] <= 255", "--time", "0.3"]);
    assert_eq!((status, found[0]["reason"].as_str()), (3, Some("time")));
    // Time is for the translation, too: this formula's automaton has 2^20 states.
    let one = |i: usize| format!("F(x[0] == {i} & X(x[1] == {i} & X G x[2] != {i}))");
    let dear: Vec<String> = (0..20).map(one).collect();
    let dear = format!("!({})", dear.join(" & "));
    let (found, status) = objects(&[&model, &dear, "--time", "0.3"]);
    assert_eq!(status, 3);
    assert!(
        found[0]["reason"]
            .as_str()
            .is_some_and(|r| r.starts_with("time"))
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_it_unknown() {
    let model = file("interrupted.dve", LARGE);
    // The trace file appears when Ctrl-C is already listened to.
    let trace = path("interrupted.json");
    let _ = std::fs::remove_file(&trace);
    let child = Command::new(BINARY)
        .args([
            "check",
            &model,
            "G x[0] <= 255",
            "--format",
            "json",
            "--trace",
        ])
        .arg(&trace)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    while !trace.exists() {
        std::thread::yield_now();
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("there is kill").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["verdict"], "unknown");
    let reason = found["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("interrupted"), "{reason}");
}

#[test]
fn several_properties_have_a_line_each() {
    let list = file(
        "several.ltl",
        "# of the mutex\nexclusion: G !(P_0.CS & P_1.CS)\n\
        recurrence: G F P_0.CS # violated\nG(P_0.ask -> F P_0.CS)\n",
    );
    let (found, status) = objects(&[MUTEX, "G 1", "--property", &list]);
    let pairs: Vec<(&str, &str)> = found
        .iter()
        .map(|o| {
            (
                o["name"].as_str().expect("a name"),
                o["verdict"].as_str().expect("a verdict"),
            )
        })
        .collect();
    let expected = [
        ("G 1", "holds"),
        ("exclusion", "holds"),
        ("recurrence", "violated"),
        ("G(P_0.ask -> F P_0.CS)", "holds"),
    ];
    assert_eq!((pairs.as_slice(), status), (expected.as_slice(), 1));
    let model = file("failing2.dve", FAILING);
    assert_eq!(objects(&[&model, "1", "G i <= 3"]).1, 3);
    assert_eq!(objects(&[&model, "G i <= 3", "G P.a"]).1, 1);
    assert_eq!(objects(&[&model, "1", "1 | i == 0"]).1, 0);
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

#[test]
fn automata_of_violations() {
    let hoa = |acceptance: &str, proposition: &str| {
        format!(
            "HOA: v1\nname: \"no mutex\"\nStates: 2\nStart: 0\nAP: 1 \"{proposition}\"\n{acceptance}\n--BODY--\n\
            State: 0\n[t] 0 {{0}}\n[!0] 1\nState: 1 {{1}}\n[!0] 1\n--END--\n"
        )
    };
    // There is a run that is not in the critical section from some time on.
    let buchi = file("buchi.hoa", &hoa("Acceptance: 2 Inf(1)", "P_0 == 'CS'"));
    assert_eq!(verdict(&[MUTEX, "--violation", &buchi]), "violated");
    let fin = file(
        "fin.hoa",
        &hoa("Acceptance: 2 Fin(0) & Inf(1)", "P_0=='CS'"),
    );
    assert_eq!(verdict(&[MUTEX, "--violation", &fin]), "violated");
    assert_eq!(
        verdict(&[MUTEX, "--violation", &fin, "--automaton", "ba"]),
        "violated"
    );
    // None that is for ever in both.
    let never = file(
        "never.spin",
        "never { T0_init: do :: (1) -> goto T0_init \
        :: (P_0.CS && P_1.CS) -> goto accept_all od; accept_all: skip }",
    );
    assert_eq!(verdict(&[MUTEX, "--violation", &never]), "holds");
    let (found, _) = objects(&[MUTEX, "--violation", &buchi]);
    assert_eq!(found[0]["name"], "no mutex");
    let step = &found[0]["counterexample"]["cycle"][0];
    assert_eq!(
        step["propositions"],
        serde_json::json!({"P_0 == 'CS'": false})
    );
}

#[test]
fn the_property_inside_a_model() {
    let with = |guard: &str, accept: &str| {
        format!(
            "{} process V {{ state q0, q1; init q0; {accept}; trans q0 -> q0 {{}}, \
            q0 -> q1 {{ guard {guard}; }}, q1 -> q1 {{ guard {guard}; }}; }} system async property V;",
            WALKERS.replace("system async;", "")
        )
    };
    let waits = file("embedded.dve", &with("Q.wait", "accept q1"));
    assert_eq!(verdict(&[&waits]), "violated");
    assert_eq!(verdict(&[&waits, "--fairness", "weak"]), "holds");
    let (found, _) = objects(&[&waits]);
    assert_eq!(found[0]["name"], "V");
    assert_eq!(
        found[0]["counterexample"]["cycle"][0]["propositions"],
        serde_json::json!({"Q.wait": true})
    );
    let both = file("never.dve", &with("P.a && P.b", "accept q1"));
    assert_eq!(verdict(&[&both]), "holds");
    let muller = file("muller.dve", &with("Q.wait", "accept muller (q1)"));
    assert_eq!(verdict(&[&muller]), "violated");
    let both = file("muller2.dve", &with("Q.wait", "accept muller (q0, q1)"));
    assert_eq!(verdict(&[&both]), "holds");
    bad(
        &[&file("rabin.dve", &with("Q.wait", "accept rabin (q0; q1)"))],
        "Rabin",
    );
}

#[test]
fn formulas_of_the_contest() {
    let net = file("contest.pnml", NET);
    let xml = file(
        "contest.xml",
        r#"<property-set xmlns="http://mcc.lip6.fr/">
        <property><id>net-00</id><description>-</description><formula><all-paths><finally>
          <integer-le><integer-constant>1</integer-constant><tokens-count><place>s</place></tokens-count></integer-le>
        </finally></all-paths></formula></property>
        <property><id>net-01</id><description>-</description><formula><all-paths><globally>
          <disjunction><is-fireable><transition>there</transition></is-fireable>
          <is-fireable><transition>back</transition></is-fireable></disjunction>
        </globally></all-paths></formula></property></property-set>"#,
    );
    let ran = check(&[&net, "--property", &xml, "--mcc"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(
        lines[0].starts_with("FORMULA net-00 FALSE TECHNIQUES "),
        "{}",
        ran.out
    );
    assert!(
        lines[1].starts_with("FORMULA net-01 TRUE TECHNIQUES "),
        "{}",
        ran.out
    );
    assert_eq!((lines.len(), ran.status), (2, 1));
    let list = file("large.ltl", "slow: G x[0] <= 255\n");
    let large = file("contest.dve", LARGE);
    let ran = check(&[&large, "--property", &list, "--mcc", "--time", "0.05"]);
    assert!(
        ran.out.starts_with("FORMULA slow CANNOT_COMPUTE "),
        "{}",
        ran.out
    );
    let typo = file(
        "typo.xml",
        &std::fs::read_to_string(&xml)
            .expect("written above")
            .replace("there<", "their<"),
    );
    bad(
        &[&net, "--property", &typo],
        "there is no transition `their`",
    );
}

fn keys(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn objects_are_as_promised() {
    let trace = path("trace.json");
    let name = trace.to_str().expect("UTF-8");
    let formula = "G !(P_0 == \"CS\" & {turn == 1})";
    let (found, _) = objects(&[MUTEX, formula, "--automaton", "tgba", "--trace", name]);
    let o = &found[0];
    assert_eq!(
        keys(o),
        [
            "name",
            "verdict",
            "reason",
            "engine",
            "algorithm",
            "workers",
            "deadlock",
            "fairness",
            "automaton",
            "product",
            "model",
            "seconds",
            "peak_memory_bytes",
            "counterexample"
        ]
    );
    assert_eq!(
        keys(&o["automaton"]),
        [
            "kind",
            "states",
            "edges",
            "acceptance_sets",
            "deterministic"
        ]
    );
    for key in ["states", "transitions", "max_stack"] {
        assert!(o["product"][key].as_u64() > Some(0), "{key}");
    }
    assert_eq!(
        (&o["engine"], &o["deadlock"], &o["fairness"]),
        (&"explicit".into(), &"stutter".into(), &"none".into())
    );
    let run = &o["counterexample"];
    assert_eq!(keys(run), ["kind", "prefix", "cycle"]);
    assert_eq!(run["kind"], "lasso");
    let first = &run["prefix"][0];
    assert_eq!(
        keys(first),
        ["state", "propositions", "action", "processes"]
    );
    let initial =
        serde_json::json!({"want[0]": 0, "want[1]": 0, "turn": 0, "P_0": "idle", "P_1": "idle"});
    assert_eq!(first["state"], initial);
    assert_eq!(
        first["propositions"],
        serde_json::json!({"P_0 == \"CS\"": false, "turn == 1": false})
    );
    let process = first["processes"][0].as_str().expect("a name");
    assert!(
        first["action"]
            .as_str()
            .is_some_and(|a| a.starts_with(process))
    );
    let text = std::fs::read_to_string(&trace).expect("a trace");
    let mut written: Value = serde_json::from_str(&text).expect("JSON");
    let object = written.as_object_mut().expect("an object");
    assert_eq!(object.shift_remove("name").as_ref(), Some(&o["name"]));
    assert_eq!(&written, run);
}

#[test]
fn text_tells_the_run() {
    let model = file("text.dve", ENDING);
    let ran = check(&[&model, "G F P.a", "--explain", "--algorithm", "cou99"]);
    let without: Vec<&str> = (ran.out.lines())
        .filter(|l| !l.contains("seconds") && !l.contains("because"))
        .collect();
    assert_eq!(
        without.join("\n"),
        "G F P.a: violated\n  deadlock   stutter: a run that ends repeats its last state\n  \
         automaton  tgba, 2 states, 3 edges, 1 acceptance set\n  \
         product    3 states, 4 transitions, stack 3 (cou99)\n  \
         0  P = a  [P.a]\n       P: a -> b (line 1)\n  the cycle, for ever:\n  \
         1  P = b  [not P.a]\n       (nothing can move)\n  back to 1"
    );
    assert!(
        ran.out.contains("because    algorithm cou99: as asked"),
        "{}",
        ran.out
    );
}
