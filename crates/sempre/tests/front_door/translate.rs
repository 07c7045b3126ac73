//! `sempre translate`: formats, kinds, sources of formulas.

use crate::binary::*;

#[test]
fn translate_prints_hoa() {
    let out = good(&["translate", "G(request -> F grant)"]);
    assert!(
        out.starts_with("HOA: v1\nname: \"G(request -> Fgrant)\"\nStates: 2\n"),
        "{out}"
    );
    assert!(out.contains("AP: 2 \"request\" \"grant\""), "{out}");
    assert!(out.ends_with("--END--\n"), "{out}");
}

#[test]
fn translate_prints_a_table() {
    let out = good(
        &[
            "translate",
            "a U b",
            "x[1] != 2, 3 | \"q\"",
            "--format",
            "stats",
        ]
        .map(|a| if a.starts_with("x[") { "F \"p, q\"" } else { a }),
    );
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[0],
        "formula,kind,states,edges,acceptance_sets,deterministic,seconds"
    );
    assert!(lines[1].starts_with("a U b,tgba,2,3,1,1,0."), "{out}");
    // Commas and quotes inside a field are quoted.
    assert!(
        lines[2].starts_with("\"F\"\"p, q\"\"\",tgba,2,3,1,1,0."),
        "{out}"
    );
    assert_eq!(lines.len(), 3);
}

#[test]
fn translate_prints_objects() {
    let out = good(&["translate", "GFa", "FGa", "--format", "json"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].starts_with("{\"formula\":\"GFa\",\"kind\":\"tgba\",\"states\":1,"),
        "{out}"
    );
    assert!(lines[1].contains("\"deterministic\":false"), "{out}");
}

#[test]
fn translate_makes_testing_automata() {
    let out = good(&["translate", "FGa", "--to", "tgta", "--format", "stats"]);
    assert!(out.contains("\nFGa,tgta,3,6,1,0,0."), "{out}");
    let out = good(&["translate", "a U Gb", "--to", "ta", "--format", "stats"]);
    // A TA has no acceptance sets.
    assert!(out.contains("\na U Gb,ta,3,5,,1,0."), "{out}");
    let out = good(&["translate", "FGa", "--to", "ta", "--format", "json"]);
    assert!(out.starts_with("{\"formula\":\"FGa\",\"kind\":\"ta\",\"states\":"));
    assert!(
        out.contains("\"automaton\":{")
            && out.contains("{\"from\":0,\"changeset\":[\"a\"],\"to\":1}"),
        "{out}"
    );
    let out = good(&["translate", "FGa", "--to", "tgta", "--format", "dot"]);
    assert!(out.contains("label=\"FGa\\n[TGTA"), "{out}");
    // Read back, the automaton is about changes.
    let out = good(&["translate", "FGa", "--to", "ta"]);
    assert!(out.contains("AP: 1 \"changes(a)\""), "{out}");
    let path = file("command_line", "testing.hoa", &out);
    let word = ["automaton", &path, "--accepts"];
    good(
        &[
            &word[..],
            &["!\"changes(a)\"; \"changes(a)\"; cycle{!\"changes(a)\"}"],
        ]
        .concat(),
    );
}

#[test]
fn testing_automata_are_refused_with_a_reason() {
    bad(&["translate", "Xa", "--to", "ta"], "satisfied by");
    bad(
        &["translate", "G(a -> Xb)", "--to", "tgta"],
        "not stutter-invariant",
    );
    bad(
        &["translate", "Fa", "--to", "ta", "--format", "spin"],
        "changes",
    );
}

#[test]
fn translate_makes_automata_with_fin() {
    let formula = "F G((F a) U b)";
    let rabin = good(&["translate", formula, "--to", "tgra", "--deterministic"]);
    assert!(rabin.contains("\nStates: 1\n"), "{rabin}");
    assert!(rabin.contains("acc-name: generalized-Rabin 2"), "{rabin}");
    let buchi = file("command_line", "fg.hoa", good(&["translate", formula]));
    let rabin = file("command_line", "fg_rabin.hoa", &rabin);
    for kind in ["tgra", "tela", "finless", "parity"] {
        let made = file(
            "command_line",
            "fg_other.hoa",
            good(&["translate", formula, "--to", kind]),
        );
        good(&["automaton", &made, "--equivalent-to", &buchi]);
    }
    // The same by operations on the automaton.
    let fin_less = good(&["automaton", &rabin, "--fin-less"]);
    assert!(!fin_less.contains("Fin("), "{fin_less}");
    let operations = [
        "--fin-less",
        "--generalized-rabin",
        "--equivalent-to",
        &buchi,
    ];
    good(&[&["automaton", &rabin], &operations[..]].concat());
}

#[test]
fn translations_do_not_depend_on_the_formulas_before() {
    let alone = good(&["translate", "(a U b) & Xc"]);
    let together = good(&["translate", "c R b", "G(b & Xa)", "(a U b) & Xc"]);
    assert!(together.ends_with(&alone), "{together}");
}

#[test]
fn a_list_is_read_from_a_file_and_from_standard_input() {
    let text = "# comment\nlive: GFa\n\nG!b // more\n";
    let path = file("command_line", "list.ltl", text);
    let from_file = good(&["translate", "--file", path.as_str(), "--format", "hoa"]);
    let from_input = sempre_reading(&["translate", "--file", "-"], text);
    assert_eq!(from_file, from_input.out);
    assert_eq!(from_file.matches("HOA: v1").count(), 2);
}

#[test]
fn negation_and_other_syntaxes() {
    assert_eq!(
        good(&["translate", "--negate", "Fa", "--format", "hoa"]).replace("!Fa", "G!a"),
        good(&["translate", "G!a"])
    );
    let infix = good(&["translate", "p0 U p1"]);
    assert_eq!(infix, good(&["translate", "--lbt", "U p0 p1"]));
    assert_eq!(infix, good(&["translate", "(p0) U (p1)"]));
    let always = good(&["translate", "G(a -> F b)"]);
    assert_eq!(always, good(&["translate", "[](a -> <>b)"]));
    assert_eq!(always, good(&["translate", "□(a → ◇b)"]));
}

#[test]
fn results_go_into_a_file() {
    let path = file("command_line", "out.hoa", "");
    let out = good(&["translate", "a", "-o", path.as_str()]);
    assert_eq!(out, "");
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        good(&["translate", "a"])
    );
}

#[test]
fn a_deep_formula_is_no_problem() {
    let deep = "X".repeat(3000) + "(a)";
    let out = good(&["translate", &deep, "--format", "stats", "--effort", "low"]);
    assert!(out.contains(",tgba,300"), "{}", &out[out.len() - 40..]);
}

/// Thirty parts: linear where the automaton is, refused with its size where it is exponential; a check says unknown.
#[test]
fn formulas_with_many_parts() {
    let each = |pattern: &str, join: &str| -> String {
        let parts = (0..30).map(|i| pattern.replace('#', &i.to_string()));
        parts.collect::<Vec<_>>().join(join)
    };
    let out = good(&["translate", &each("F G p#", " | "), "--format", "stats"]);
    assert!(out.contains(",tgba,31,61,1,0,"), "{out}");
    let ran = sempre(&["translate", &each("G F p#", " & ")]);
    assert_eq!(ran.status, 3);
    assert!(ran.err.contains("30 parts of the formula"), "{}", ran.err);
    assert!(ran.err.contains("1 state and 2^30 edges"), "{}", ran.err);
    assert!(ran.err.contains("--max-edges"), "{}", ran.err);
    let counter = "byte x = 0; process P { state s; init s; trans s -> s { guard x < 60; effect x = x + 1; }, \
                   s -> s { guard x == 60; effect x = 0; }; } system async;";
    let model = file("many_parts", "counter.dve", counter);
    let all = each("G F {x == #}", " && ");
    let ran = sempre(&["check", &model, &all, "-q"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    let ran = sempre(&["check", &model, &format!("!({all})"), "-q"]);
    assert_eq!(ran.status, 3, "{}", ran.out);
    assert!(ran.out.contains("2^30 edges"), "{}", ran.out);
}

/// Several automata as drawings are one document, on standard output and in a file, of whatever kind they are.
#[test]
fn several_drawings_are_one_document() {
    let parts = |text: &str| {
        let document = roxmltree::Document::parse(text).expect("one document");
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "svg");
        let inner = root.children().filter(|n| n.tag_name().name() == "svg");
        inner.count()
    };
    let formulas = ["F a", "G(a -> F b)", "!a & \"x < 1\""];
    for kind in ["tgba", "dfa", "ta"] {
        let format = ["translate", "--format", "svg", "--to", kind];
        let text = good(&[&format[..], &formulas].concat());
        assert_eq!(parts(&text), 3, "{kind}");
        assert!(text.contains("x &lt; 1"));
        let file = path("translate", "several.svg");
        let place = file.to_str().expect("UTF-8");
        good(&[&format[..], &formulas, &["-o", place]].concat());
        assert_eq!(
            std::fs::read_to_string(&file).expect("it was written"),
            text
        );
        assert_eq!(
            parts(&good(&[&format[..], &formulas[..1]].concat())),
            0,
            "{kind}"
        );
    }
    let text = good(&["random", "automaton", "-n", "4", "--format", "svg"]);
    assert_eq!(parts(&text), 4);
    let automata = good(&["random", "automaton", "-n", "4"]);
    let ran = sempre_reading(&["automaton", "-", "--format", "svg"], &automata);
    assert_eq!((ran.status, parts(&ran.out)), (0, 4));
    // What was drawn before something failed.
    let ran = sempre(&["translate", "--format", "svg", "F a", "F b", "F ("]);
    assert_eq!(ran.status, 2);
    if !ran.out.is_empty() {
        parts(&ran.out);
    }
}
