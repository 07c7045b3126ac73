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
