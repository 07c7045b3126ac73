//! `sempre formula`: descriptions, changes, questions.

use crate::binary::*;

#[test]
fn formulas_are_described() {
    let out = good(&["formula", "!(a U b)", "--format", "json"]);
    for wanted in [
        "\"formula\":\"!(a U b)\"",
        "\"nnf\":\"!a R !b\"",
        "\"size\":4",
        "\"propositions\":[\"a\",\"b\"]",
        "\"syntactic_safety\":true",
        "\"safety\":true",
        "\"class\":\"safety\"",
        "\"stutter_invariant\":true",
    ] {
        assert!(out.contains(wanted), "{wanted}: {out}");
    }
    assert_eq!(out.lines().count(), 1);
    let text = good(&["formula", "!(a U b)"]);
    assert!(
        text.lines()
            .any(|l| l.starts_with("nnf ") && l.ends_with("!a R !b")),
        "{text}"
    );
}

#[test]
fn formulas_are_changed() {
    for (arguments, wanted) in [
        (&["--nnf"][..], "F(a & G!b)\n"),
        (&["--syntax", "spin"], "![](a -> <>b)\n"),
        (&["--syntax", "unicode"], "¬□(a → ◇b)\n"),
        (&["--negate"], "G(a -> Fb)\n"),
    ] {
        let mut line = vec!["formula", "!G(a -> Fb)"];
        line.extend(arguments);
        assert_eq!(good(&line), wanted, "{arguments:?}");
    }
    assert_eq!(good(&["formula", "--simplify", "a & (a | b)"]), "a\n");
    assert_eq!(
        good(&["formula", "--relabel", "G(a & b) | F c"]),
        "Fc | Gp0\n"
    );
}

#[test]
fn questions_are_answered_by_the_exit_status() {
    let yes = sempre(&["formula", "a U b", "--holds-on", "a; a; cycle{b}"]);
    assert_eq!((yes.status, yes.out.as_str()), (0, "yes\n"));
    let no = sempre(&["formula", "a U b", "--holds-on", "a; a; cycle{a}"]);
    assert_eq!((no.status, no.out.as_str()), (1, "no\n"));
    let ask = |line: &[&str]| {
        let ran = sempre(&[&["formula"], line].concat());
        (ran.status, ran.out)
    };
    let yes = |evidence: &str| (0, format!("yes{evidence}\n"));
    let no = |evidence: &str| (1, format!("no{evidence}\n"));
    assert_eq!(ask(&["Fa", "--equivalent", "!G!a"]), yes(""));
    assert_eq!(
        ask(&["Fa", "--equivalent", "a"]),
        no(": satisfied by !a; a; cycle{!a}")
    );
    assert_eq!(ask(&["Ga", "--implies", "Fa"]), yes(""));
    assert_eq!(
        ask(&["Ga", "--implied-by", "a"]),
        no(": not satisfied by a; cycle{!a}")
    );
    assert_eq!(ask(&["a & X!a", "--satisfiable"]).0, 0);
    assert_eq!(ask(&["G(a & F!a)", "--satisfiable"]), no(""));
    assert_eq!(ask(&["Fa | G!a", "--valid"]), yes(""));
    assert_eq!(ask(&["Fa", "--valid"]), no(": not satisfied by cycle{!a}"));
    assert_eq!(ask(&["F(a & X!a)", "--stutter-invariant"]), yes(""));
    assert_eq!(ask(&["Xa", "--stutter-invariant"]).0, 1);
    assert_eq!(ask(&["GFa", "--class", "recurrence"]), yes(""));
    assert_eq!(ask(&["GFa", "--class", "persistence"]), no(""));
    let some = sempre(&[
        "formula",
        "Fa",
        "Ga",
        "GFa",
        "--holds-on",
        "!a; cycle{a}",
        "--select",
    ]);
    assert_eq!((some.status, some.out.as_str()), (0, "Fa\nGFa\n"));
    let none = sempre(&["formula", "Fa", "Ga", "--holds-on", "cycle{!a}", "--select"]);
    assert_eq!((none.status, none.out.as_str()), (1, ""));
}
