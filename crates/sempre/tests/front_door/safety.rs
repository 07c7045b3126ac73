//! Safety on the command line: finite automata, kinds, monitors.

use crate::binary::{self, Ran, good, sempre_reading};

fn file(name: &str, text: &str) -> String {
    binary::file("safety", name, text)
}

#[test]
fn finite_automata_in_all_formats() {
    let f = "G(a -> X b)";
    let hoa = good(&["translate", f, "--to", "dfa"]);
    for line in [
        "States: 3",
        "Start: 0",
        "Acceptance: 1 Inf(0)",
        "State: 2 {0}\n[t] 2",
    ] {
        assert!(hoa.contains(&format!("\n{line}\n")), "{hoa}");
    }
    assert!(hoa.contains("state-acc") && hoa.contains("deterministic"));
    let nfa = good(&["translate", f, "--to", "nfa"]);
    assert!(
        nfa.contains("state-acc") && !nfa.contains(" deterministic"),
        "{nfa}"
    );
    // As ω-automata: exactly the violations, since the formula is not pathological.
    for (name, text) in [("dfa.hoa", &hoa), ("nfa.hoa", &nfa)] {
        let path = file(name, text);
        let violations = file("violations.hoa", &good(&["translate", "--negate", f]));
        let (path, violations) = (path.as_str(), violations.as_str());
        let yes = good(&["automaton", path, "--equivalent-to", violations]);
        assert_eq!(yes, "yes\n");
    }
    let claim = good(&["translate", f, "--to", "dfa", "--format", "spin"]);
    assert!(
        claim.contains(":: atomic { (!b) -> assert(!(!b)) }"),
        "{claim}"
    );
    assert!(!claim.contains("accept"), "{claim}");
    let dot = good(&["translate", f, "--to", "nfa", "--format", "dot"]);
    assert!(dot.contains("peripheries=2"), "{dot}");
    let stats = good(&["translate", f, "--to", "dfa", "--format", "stats"]);
    assert!(stats.contains("\nG(a -> Xb),dfa,3,6,1,1,"), "{stats}");
    let json = good(&["translate", f, "--to", "nfa", "--format", "json"]);
    assert!(json.contains("\"kind\":\"nfa\",\"states\":5,"), "{json}");
    let Ran { status, err, .. } =
        sempre_reading(&["translate", f, "--to", "dfa", "--format", "lbtt"], "");
    assert!(status == 2 && err.contains("no finite automata"), "{err}");
    let long = format!("G(a -> {} b)", "X".repeat(40));
    let Ran { status, err, .. } = sempre_reading(&["translate", &long, "--to", "dfa"], "");
    assert!(status == 2 && err.contains("too many states"), "{err}");
}

#[test]
fn all_bad_prefixes_of_pathological_formulas() {
    let pathological = "(G(q | F G p) & G(r | F G !p)) | G q | G r";
    let size = |arguments: &[&str]| {
        let all = [&["translate", "--to", "dfa", "--format", "json"], arguments].concat();
        let value: serde_json::Value = serde_json::from_str(&good(&all)).expect("JSON");
        value["states"].as_u64().expect("a number")
    };
    // Nothing is informative; q is lost, r is lost, both are.
    assert_eq!(size(&[pathological]), 1);
    assert_eq!(size(&[pathological, "--all-prefixes"]), 4);
    assert_eq!(size(&["G q | G r", "--all-prefixes"]), 4);
    assert_eq!(size(&["G q | G r"]), 4);
    let Ran { status, err, .. } =
        sempre_reading(&["translate", "--to", "ba", "G p", "--all-prefixes"], "");
    assert!(status == 2 && err.contains("--to dfa"), "{err}");
    let Ran { status, err, .. } =
        sempre_reading(&["translate", "--to", "dfa", "F p", "--all-prefixes"], "");
    assert!(status == 0 && err.contains("no safety formula"), "{err}");
}

/// A model is checked with the finite automaton as it is, and the verdict is that of the formula.
#[test]
fn engines_take_finite_automata() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mutex.dve");
    for (i, f) in [
        "G !(P_0.CS & P_1.CS)",
        "G !P_0.CS",
        "P_1.idle W P_0.CS",
        "G(P_0.ask -> X !P_0.CS)",
    ]
    .into_iter()
    .enumerate()
    {
        let violations = file(
            &format!("check{i}.hoa"),
            &good(&["translate", f, "--to", "dfa"]),
        );
        let wanted = sempre_reading(&["check", model, f, "--quiet"], "").status;
        let path = violations.as_str();
        let found = sempre_reading(&["check", model, "--violation", path, "--quiet"], "").status;
        assert_eq!(found, wanted, "{f}");
        assert_eq!(wanted, i32::from(i == 1 || i == 2), "{f}");
    }
}

#[test]
fn kinds_of_safety_and_what_to_do() {
    let kind = |f: &str| {
        let json = good(&["formula", f, "--format", "json"]);
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value.get("safety_advice"), None);
        value
            .get("safety_kind")
            .map(|k| k.as_str().expect("text").to_string())
    };
    assert_eq!(kind("G p").as_deref(), Some("intentional"));
    assert_eq!(kind("G(p | (X q & X !q))").as_deref(), Some("accidental"));
    let pathological = "(G(q | F G p) & G(r | F G !p)) | G q | G r";
    assert_eq!(kind(pathological).as_deref(), Some("pathological"));
    assert_eq!(kind("F p"), None);
    let text = good(&["formula", pathological]);
    assert!(
        text.contains("would miss ") && text.contains("use Gq | Gr instead"),
        "{text}"
    );
    let text = good(&["formula", "p | X(G q & F !q)"]);
    assert!(text.contains("use p instead"), "{text}");
    let text = good(&["formula", "G(p | X 0)"]);
    assert!(
        text.contains("not always as early as possible: not after !p\n"),
        "{text}"
    );
}

#[test]
fn kinds_by_an_automaton_from_outside() {
    let violations = good(&["translate", "--negate", "G p", "F G p & G F !p"]);
    let path = file("outside.hoa", &violations);
    let path = path.as_str();
    let out = good(&[
        "formula",
        "G p",
        "F G p & G F !p",
        "--buchi",
        path,
        "--format",
        "json",
    ]);
    let kinds: Vec<bool> = out.lines().map(|l| l.contains("pathological")).collect();
    assert_eq!(kinds, [false, true]);
    // A terminal automaton may be read as a finite one; one that accepts where nothing is lost yet may not.
    let ba = good(&["translate", "--negate", "--to", "ba", "G p"]);
    let ba = file("readings.hoa", &ba);
    let text = good(&["formula", "G p", "--buchi", ba.as_str()]);
    assert!(
        text.contains("buchi as finite    yes\nbuchi advice       yes: whatever reaches"),
        "{text}"
    );
    let early = "HOA: v1\nStates: 3\nStart: 0\nAP: 1 \"p\"\nAcceptance: 1 Inf(0)\nproperties: state-acc\n--BODY--\n\
                 State: 0 {0}\n[0] 1\n[!0] 2\nState: 1\n[0] 1\n[!0] 2\nState: 2 {0}\n[t] 2\n--END--\n";
    let early = file("early.hoa", early);
    let text = good(&["formula", "G p", "--buchi", early.as_str()]);
    assert!(
        text.contains("buchi as finite    no\nbuchi advice       no: a prefix of cycle{p} reaches"),
        "{text}"
    );
    let Ran { status, err, .. } = sempre_reading(&["formula", "p", "--buchi", path], "");
    assert!(status == 2 && err.contains("which satisfies it"), "{err}");
    let Ran { status, err, .. } =
        sempre_reading(&["formula", "G p", "0", "p", "--buchi", path], "");
    assert!(
        status == 2 && err.contains("more formulas than automata"),
        "{err}"
    );
}

#[test]
fn monitors_say_at_which_line() {
    let f = "G(open -> X closed)";
    let watch = |arguments: &[&str], trace: &str| {
        let all = [&["monitor", f], arguments].concat();
        sempre_reading(&all, trace)
    };
    let Ran { status, out, .. } = watch(&[], "open x\nclosed\nopen\nopen\nclosed\n");
    assert_eq!(
        (status, out.as_str()),
        (
            1,
            "G(open -> Xclosed): violated at line 4\n  open -> Xclosed fails at line 3\n  Xclosed fails at line 3\n  \
             closed fails at line 4\n"
        )
    );
    // Certain before the formula itself tells why.
    let Ran { status, out, .. } = sempre_reading(&["monitor", "G(p | (X q & X !q))"], "p\nq\n");
    assert_eq!(
        (status, out.as_str()),
        (
            1,
            "G(p | (Xq & X!q)): violated at line 2\n  it means Gp\n  p fails at line 2\n"
        )
    );
    let Ran { status, out, err } = watch(&[], "\n\nopen");
    assert_eq!(
        (status, out.as_str()),
        (0, "G(open -> Xclosed): open after 3 steps\n")
    );
    assert_eq!(err, "note: `closed` holds nowhere in the trace\n");
    // The header is a line, too.
    let csv = "time,closed,open\n1,0,1\n2,0,0\n";
    assert!(watch(&[], csv).out.contains("violated at line 3"));
    let json = "{\"open\": true}\n\n{\"closed\": false}\n";
    let Ran { status, out, .. } = watch(&["--format", "json"], json);
    let mut object: serde_json::Value = serde_json::from_str(&out).expect("an object");
    for time in ["seconds", "lines_per_second"] {
        let value = object.as_object_mut().and_then(|o| o.remove(time));
        assert!(value.is_some_and(|v| v.is_number()), "{out}");
    }
    let wanted = serde_json::json!({
        "formula": "G(open -> Xclosed)", "verdict": "violated", "line": 3, "steps": 2, "skipped": 0, "means": null,
        "reasons": [
            {"subformula": "open -> Xclosed", "line": 1, "holds": false},
            {"subformula": "Xclosed", "line": 1, "holds": false},
            {"subformula": "closed", "line": 3, "holds": false},
        ],
    });
    assert_eq!((status, object), (1, wanted));
    assert_eq!(watch(&["--trace", "csv"], "open\n1\n").status, 2);
    let Ran { status, out, .. } = sempre_reading(&["monitor", "a U b"], "a\na b\n\n");
    assert_eq!(
        (status, out.as_str()),
        (0, "a U b: satisfied at line 2\n  b holds at line 2\n")
    );
    let Ran { status, out, .. } = sempre_reading(&["monitor", "a & !a"], "");
    assert_eq!(
        (status, out.as_str()),
        (1, "a & !a: violated before the first line\n")
    );
}

#[test]
fn the_speed_of_long_traces_is_told() {
    let Ran { status, out, err } =
        sempre_reading(&["monitor", "G !(a & b)"], &"a\nb\n".repeat(50_000));
    assert_eq!(
        (status, out.as_str()),
        (0, "G!(a & b): open after 100000 steps\n")
    );
    assert!(
        err.starts_with("note: 100000 lines in ") && err.ends_with(" lines per second\n"),
        "{err}"
    );
}

#[test]
fn monitors_stop_at_bad_lines_or_skip_them() {
    let trace = "open,closed\n1,0\n0,maybe\n0,1\n1,0\n1,1\n";
    let f = "G(open -> X closed)";
    let Ran { status, out, err } = sempre_reading(&["monitor", f], trace);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(
        err.starts_with("error: trace:3:3: `closed` is `maybe`"),
        "{err}"
    );
    let Ran { status, out, err } = sempre_reading(&["monitor", f, "--on-error", "skip"], trace);
    assert_eq!(
        (status, out.as_str()),
        (0, "G(open -> Xclosed): open after 4 steps\n")
    );
    assert!(err.ends_with("warning: 1 lines were skipped\n"), "{err}");
    // Nothing can be read without a header.
    let Ran { status, err, .. } =
        sempre_reading(&["monitor", f, "--on-error", "skip"], "opn,closed\n1,0\n");
    assert!(
        status == 2 && err.contains("there is one for `opn`"),
        "{err}"
    );
    let Ran { status, err, .. } = sempre_reading(&["monitor", "G("], "");
    assert!(status == 2 && err.contains("expected a formula"), "{err}");
}

/// The construction takes very long; nobody has to wait for it.
#[test]
fn a_monitor_that_takes_too_long_is_refused() {
    let parts: String = (0..40).map(|i| format!("p{i} U (")).collect();
    let formula = format!("{parts}q{}", ")".repeat(40));
    let Ran { status, out, err } = sempre_reading(&["monitor", &formula, "--time", "0.2"], "p0\n");
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("not made after 0.2 seconds"), "{err}");
}

#[test]
fn an_automaton_that_accepts_nothing_is_told() {
    for (formula, told) in [("G(a -> F b)", true), ("G a", false)] {
        let Ran { status, err, .. } = sempre_reading(&["translate", "--to", "dfa", formula], "");
        assert_eq!(status, 0, "{err}");
        assert_eq!(err.contains("has no informative bad prefix"), told, "{err}");
    }
}
