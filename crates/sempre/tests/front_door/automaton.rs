//! `sempre automaton`: formats, operations, questions with evidence.

use crate::binary::*;

/// A file with an automaton of the formula.
fn automaton(name: &str, formula: &str) -> String {
    file("command_line", name, good(&["translate", formula]))
}

#[test]
fn an_automaton_is_printed_as_it_is() {
    let text = good(&["translate", "GFa & GFb"]).replace(
        "properties:",
        "tool: \"other\" \"1.0\"\nowner: \"me\"\nproperties: stutter-invariant",
    );
    let path = file("command_line", "as_it_is.hoa", &text);
    let out = good(&["automaton", path.as_str()]);
    for kept in [
        "tool: \"other\" \"1.0\"",
        "owner: \"me\"",
        "stutter-invariant",
        "name: \"GFa & GFb\"",
    ] {
        assert!(out.contains(kept), "{kept}: {out}");
    }
    let twice = file("command_line", "twice.hoa", format!("{out}{out}"));
    assert_eq!(good(&["automaton", twice.as_str()]), format!("{out}{out}"));
}

#[test]
fn every_format_keeps_the_language() {
    let original = automaton("every_format.hoa", "GF(a & Xb) & (c U GFc)");
    for format in ["hoa", "spin", "lbtt"] {
        let text = good(&["automaton", &original, "--format", format]);
        let ran = sempre_reading(&["automaton", "-", "--equivalent-to", &original], &text);
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (0, "yes\n"),
            "{format}: {}",
            ran.err
        );
    }
    let dot = good(&["automaton", &original, "--format", "dot"]);
    assert!(dot.starts_with("digraph"), "{dot}");
}

#[test]
fn operations_are_done_in_order() {
    let a = automaton("order_a.hoa", "GFa");
    let b = automaton("order_b.hoa", "GFb");
    let both = automaton("order_both.hoa", "GFa & GFb");
    let either = automaton("order_either.hoa", "GFa | GFb");
    let neither = automaton("order_neither.hoa", "!(GFa & GFb)");
    let first = automaton("order_first.hoa", "FG!a & GFb");
    for (line, wanted) in [
        (&["--product", b.as_str()][..], &both),
        (&["--sum", &b], &either),
        (&["--product", &b, "--complement"], &neither),
        (&["--complement", "--product", &b], &first),
        (
            &["--product", &b, "--degeneralize", "ba", "--reduce"],
            &both,
        ),
        (
            &["--product", &b, "--degeneralize", "tba", "--determinize"],
            &both,
        ),
        (
            &[
                "--complement",
                "--complement",
                "--remove-fin",
                "--trim",
                "--complete",
            ],
            &a,
        ),
    ] {
        let mut arguments = vec!["automaton", a.as_str()];
        arguments.extend(line);
        arguments.extend(["--equivalent-to", wanted.as_str()]);
        assert_eq!(good(&arguments), "yes\n", "{line:?}");
    }
}

#[test]
fn answers_about_automata_come_with_evidence() {
    let a = automaton("evidence_a.hoa", "a U b");
    let b = automaton("evidence_b.hoa", "Fb");
    assert_eq!(good(&["automaton", &a, "--included-in", &b]), "yes\n");
    for question in ["--included-in", "--equivalent-to"] {
        let no = sempre(&["automaton", &b, question, &a]);
        assert_eq!(no.status, 1);
        let word = no
            .out
            .trim_end()
            .strip_prefix("no: it accepts ")
            .expect(&no.out);
        assert_eq!(sempre(&["automaton", &b, "--accepts", word]).status, 0);
        assert_eq!(sempre(&["automaton", &a, "--accepts", word]).status, 1);
        assert_eq!(
            sempre(&["formula", "Fb & !(a U b)", "--holds-on", word]).status,
            0
        );
    }
    let no = sempre(&["automaton", &a, "--is-empty"]);
    assert_eq!(no.status, 1);
    let word = no
        .out
        .trim_end()
        .strip_prefix("no: it accepts ")
        .expect(&no.out);
    assert_eq!(sempre(&["automaton", &a, "--accepts", word]).status, 0);
    assert_eq!(good(&["automaton", &a, "--is-deterministic"]), "yes\n");
    assert_eq!(sempre(&["automaton", &a, "--is-complete"]).status, 1);
    assert_eq!(good(&["automaton", &a, "--isomorphic-to", &a]), "yes\n");
    assert_eq!(sempre(&["automaton", &a, "--isomorphic-to", &b]).status, 1);
    assert_eq!(good(&["automaton", &a, "--is-stutter-invariant"]), "yes\n");
    let next = automaton("evidence_next.hoa", "Xa");
    assert_eq!(
        sempre(&["automaton", &next, "--is-stutter-invariant"]).status,
        1
    );
}

#[test]
fn accepting_runs_are_printed() {
    let a = automaton("run.hoa", "F(a & Xb)");
    let out = good(&["automaton", &a, "--run"]);
    assert!(out.starts_with("word: "), "{out}");
    let empty = automaton("run_empty.hoa", "a & !a");
    let ran = sempre(&["automaton", &empty, "--run"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, "no accepting run\n"));
}

#[test]
fn automata_are_selected() {
    let list = good(&["translate", "GFa", "FGa", "a U b"]);
    let ran = sempre_reading(&["automaton", "-", "--is-deterministic", "--select"], &list);
    assert_eq!(ran.status, 0);
    assert_eq!(ran.out.matches("HOA: v1").count(), 2);
    assert!(!ran.out.contains("FGa"), "{}", ran.out);
}

/// Headers say what was determined or promised, and nothing that is not so any more.
#[test]
fn what_is_known_of_an_automaton_is_written() {
    let properties = |text: &str| -> String {
        let lines = text.lines().filter(|l| l.starts_with("properties:"));
        lines.collect::<Vec<_>>().join(" ") + " "
    };
    let fga = file("known", "fga.hoa", good(&["translate", "F G a"]));
    let read = properties(&good(&["automaton", &fga]));
    for word in [" semi-deterministic ", " stutter-invariant "] {
        assert!(read.contains(word), "{read}");
    }
    assert!(!read.contains("unambiguous"), "{read}");
    assert_eq!(sempre(&["automaton", &fga, "--is-unambiguous"]).status, 1);
    let complement = properties(&good(&["automaton", &fga, "--complement"]));
    assert!(!complement.contains("stutter"), "{complement}");
    let reduced = properties(&good(&["automaton", &fga, "--reduce"]));
    assert!(reduced.contains(" stutter-invariant "), "{reduced}");
    // `a` now and then again and again, or never: one run each, chosen at the start.
    let text = "HOA: v1 States: 2 Start: 0 Start: 1 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY--
        State: 0 [0] 0 {0} State: 1 [!0] 1 {0} --END--";
    let chosen = file("known", "chosen.hoa", text);
    let asked = good(&["automaton", &chosen, "--is-unambiguous", "--select"]);
    assert!(properties(&asked).contains(" unambiguous "), "{asked}");
    let next = file("known", "next.hoa", good(&["translate", "X a"]));
    let out = good(&["automaton", &next]);
    assert!(!properties(&out).contains("stutter"), "{out}");
    let ran = sempre(&[
        "automaton",
        &next,
        "--is-stutter-invariant",
        "--is-complete",
        "--select",
    ]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
}

#[test]
fn an_accepting_run_is_highlighted() {
    let text = "HOA: v1 States: 3 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY--
        State: 0 [t] 1 [0] 2 State: 1 [t] 1 State: 2 [0] 1 [t] 2 {0} --END--";
    let path = file("highlight", "three.hoa", text);
    let out = good(&["automaton", &path, "--highlight-run"]);
    assert!(out.starts_with("HOA: v1.1\n"), "{out}");
    assert!(out.contains("\nspot.highlight.edges: 2 1 5 1\n"), "{out}");
    let again = file("highlight", "again.hoa", &out);
    assert_eq!(good(&["automaton", &again]), out);
    assert!(!good(&["automaton", &again, "--complete"]).contains("highlight"));
    bad(
        &["automaton", &path, "--highlight-run", "--format", "dot"],
        "--format hoa",
    );
}

/// `G(a & F b)` with universal branching, and what cannot be read.
#[test]
fn alternating_automata_are_read() {
    let text = "HOA: v1 States: 3 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Fin(0) --BODY--
        State: 0 [0] 0&1 State: 1 {0} [!1] 1 [1] 2 State: 2 [t] 2 --END--";
    let alternating = file("alternating", "gafb.hoa", text);
    let same = file(
        "alternating",
        "same.hoa",
        good(&["translate", "G(a & X F b)"]),
    );
    assert_eq!(
        good(&["automaton", &alternating, "--equivalent-to", &same]),
        "yes\n"
    );
    let mixed = text
        .replace("1 Fin(0)", "2 Fin(0) & Inf(1)")
        .replace("[0] 0&1", "[0] 0&1 {0} [0] 0 {1} [0] 0");
    let mixed = file("alternating", "mixed.hoa", mixed);
    bad(
        &["automaton", &mixed],
        "component of state 0 has the acceptance `Fin(0) & Inf(1)`",
    );
}
