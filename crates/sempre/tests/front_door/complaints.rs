//! Complaints point at what is wrong and say what would be right.

use crate::binary::*;
use std::process::Command;

#[test]
fn a_mistake_in_a_formula_is_pointed_at() {
    let ran = sempre(&["translate", "G(a -> )"]);
    assert_eq!(ran.status, 2);
    assert_eq!(ran.out, "");
    let wanted =
        "error: expected a formula, found `)`\n --> formula:1:8\n  |\n1 | G(a -> )\n  |        ^\n";
    assert!(ran.err.starts_with(wanted), "{}", ran.err);
}

#[test]
fn a_bad_line_does_not_spoil_the_others() {
    let ran = sempre_reading(&["translate", "--file", "-"], "Fa\nF(\nGa\n& b\n");
    assert_eq!(ran.status, 2);
    assert_eq!(ran.out.matches("HOA: v1").count(), 2);
    assert!(ran.err.contains("standard input:2:3"), "{}", ran.err);
    assert!(ran.err.contains("standard input:4:1"), "{}", ran.err);
}

#[test]
fn several_mistakes_are_shown_at_once() {
    let ran = sempre(&["translate", "(a & ) | (b U )"]);
    assert_eq!(ran.status, 2);
    assert_eq!(ran.err.matches("error:").count(), 2, "{}", ran.err);
}

#[test]
fn complaints_say_what_would_be_right() {
    bad(&["translate", "a", "--efort", "low"], "--effort");
    bad(&["translate", "a", "--to", "tba"], "tgba");
    bad(&["translat", "a"], "translate");
    bad(&["translate"], "no formula");
    bad(
        &["translate", "--file", "no/such/file"],
        "cannot read `no/such/file`",
    );
    bad(&["pattern", "dwier"], "did you mean `dwyer`?");
    bad(&["automaton", "no.hoa"], "cannot read `no.hoa`");
    bad(
        &["random", "formula", "--size", "9..3"],
        "the smaller first",
    );
    bad(
        &["random", "formula", "--priorities", "Q=3"],
        "`Q` is no operator",
    );
    bad(&["cross", "a", "-t", "sempre:lwo"], "did you mean `low`?");
    bad(&["cross", "a", "-t", "spin"], "where the formula goes");
    bad(
        &["formula", "a", "--holds-on", "a; b"],
        "the word has no cycle",
    );
    bad(&["formula", "a", "--select"], "--select needs a question");
}

#[test]
fn text_that_is_not_utf_8_is_refused() {
    let path = file("command_line", "latin1.ltl", "");
    std::fs::write(&path, b"a\n\xff\xfe\n").unwrap();
    for arguments in [&["translate", "--file", &path][..], &["automaton", &path]] {
        bad(arguments, "error: this is not UTF-8 text\n --> ");
        bad(arguments, "latin1.ltl:2:1\n");
    }
}

#[test]
fn a_mistake_in_an_automaton_is_pointed_at() {
    let text = good(&["translate", "a U b"]).replace("States: 2", "States: 1");
    let ran = sempre_reading(&["automaton", "-"], &text);
    assert_eq!(ran.status, 2);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("--> standard input:"), "{}", ran.err);
    let ran = sempre_reading(&["automaton", "-"], " \n");
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("there is no automaton here"),
        "{}",
        ran.err
    );
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_a_failure() {
    let line = format!(
        "{BINARY} random formula -n 100000 | head -n 1; {BINARY} random formula -n 100000 \
         --seed 1 2>&1 >/dev/full | grep -c 'cannot write'"
    );
    let output = Command::new("bash")
        .args(["-c", &format!("set -o pipefail; {line}")])
        .output();
    let Ok(output) = output else {
        println!("no bash: skipped");
        return;
    };
    let ran = finish(output);
    assert_eq!(ran.err, "");
    assert!(ran.out.ends_with("\n1\n"), "{}", ran.out);
}

/// Nothing that looks like an operator of another logic becomes a proposition without a word.
#[test]
fn operators_of_other_logics_are_refused_by_all_commands() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mutex.dve");
    let list = file("foreign", "foreign.ltl", "G a\nlive: G(a -> O(b))\n");
    for (arguments, caret) in [
        (&["translate", "G(a -> O(b))"][..], ":1:8\n"),
        (&["formula", "G(a -> O(b))"], ":1:8\n"),
        (&["formula", "G a", "--equivalent", "a until b"], ":1:3\n"),
        (&["translate", "--file", &list], "foreign.ltl:2:14\n"),
        (&["check", model, "AG(EF P_0.CS)"], ":1:1\n"),
        (&["monitor", "always(a)"], ":1:1\n"),
        (&["cross", "next(b)"], ":1:1\n"),
    ] {
        let ran = sempre_reading(arguments, "");
        assert_eq!(ran.status, 2, "{arguments:?}");
        let refused = ran.err.contains(" is an operator of ") && ran.err.contains("= help: ");
        assert!(
            refused && ran.err.contains(caret),
            "{arguments:?}: {}",
            ran.err
        );
    }
    let kept = good(&["formula", "G(S -> F next) & \"O(b)\""]);
    assert!(
        kept.contains("propositions       S, next, O(b)\n"),
        "{kept}"
    );
}
