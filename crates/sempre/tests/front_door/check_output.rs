//! What `sempre check` prints, and how it ends when it is stopped.

use crate::binary::{BINARY, path};
use crate::check::*;
use crate::check_auto::SCRAMBLED;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn limits_leave_it_unknown() {
    let model = file("large.dve", LARGE);
    for (limit, reason) in [("--memory=20M", "memory"), ("--time=0.3", "time")] {
        let several = [&model, "G F x[7] == 0", limit, "--workers", "3"];
        let (found, status) = objects(&several);
        assert_eq!((status, found[0]["reason"].as_str()), (3, Some(reason)));
        assert!(found[0]["product"]["states"].as_u64() > Some(1000));
        assert!(found[0]["product"]["bytes_per_state"].as_f64() > Some(16.0));
    }
    let (found, status) = objects(&[&model, "G x[7] == 0", "--memory", "20M"]);
    assert_eq!((status, found[0]["reason"].as_str()), (3, Some("memory")));
    assert!(found[0]["product"]["states"].as_u64() > Some(1000));
    let (found, status) = objects(&[&model, "G x[7] == 0", "--time", "0.3"]);
    assert_eq!((status, found[0]["reason"].as_str()), (3, Some("time")));
    // Time is for the translation, too, which would take seconds before it refused this formula.
    let dear: String = (0..40)
        .map(|i| format!("x[{}] == {} U (", i % 8, i / 8))
        .collect();
    let dear = format!("!({dear}x[0] == 9{})", ")".repeat(40));
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
    for (engine, text, formula) in [
        ("explicit", LARGE, "G x[7] == 0"),
        ("auto", SCRAMBLED, "F G z == 0"),
    ] {
        let model = file(&format!("interrupted-{engine}.dve"), text);
        // The trace, beside its place, appears when Ctrl-C is already caught.
        let trace = path("check", &format!("interrupted-{engine}.json"));
        let child = Command::new(BINARY)
            .args(["check", &model, formula, "--engine", engine])
            .args(["--format", "json", "--trace"])
            .arg(&trace)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let part = format!("{}.{}.part", trace.display(), child.id());
        while !Path::new(&part).exists() {
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

pub fn keys(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn objects_are_as_promised() {
    let trace = path("check", "trace.json");
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
            "counterexample",
            "asked",
            "found",
            "warnings"
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
        ["state", "propositions", "action", "processes", "parts"]
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
        "G F P.a: violated\n  asked      does every run satisfy GF P.a?\n  \
         found      no: the run below (1 step, then a last state in which nothing can move) violates it\n  deadlock   stutter: a run that ends repeats its last state\n  \
         automaton  tgba, 2 states, 3 edges, 1 acceptance set\n  \
         product    3 states, 4 transitions, stack 3 (cou99)\n  \
         0  P  at a  [P.a]\n       P: a -> b (line 1)\n  the cycle, for ever:\n  \
         1  P = b  [not P.a]\n       (nothing can move)\n  back to 1"
    );
    assert!(
        ran.out.contains("because    algorithm cou99: as asked"),
        "{}",
        ran.out
    );
}

/// It counts states and nodes, not transitions, and has no threads to be told how many.
#[test]
fn what_the_symbolic_engine_did_is_told_as_its_own() {
    let asked = [MUTEX, "G F P_0.CS", "--engine", "symbolic"];
    let ran = check(&asked);
    let rows = ran.out.lines().filter(|l| l.starts_with("  product "));
    let rows: Vec<&str> = rows.collect();
    assert!(
        rows.len() == 1 && rows[0].contains("nodes"),
        "{}: {rows:?}",
        ran.out
    );
    let ran = check(&[&asked[..], &["--workers", "2", "--mcc"]].concat());
    assert_eq!(
        ran.out,
        "FORMULA G F P_0.CS FALSE TECHNIQUES DECISION_DIAGRAMS SEQUENTIAL_PROCESSING\n"
    );
}
