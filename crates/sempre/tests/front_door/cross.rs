//! `sempre cross`: translators beside each other, wrong ones caught.

use crate::binary::*;

#[test]
fn our_translations_agree() {
    let out = good(&[
        "cross",
        "--random",
        "30",
        "--seed",
        "4",
        "GFa -> GFb",
        "a U X b",
    ]);
    assert!(out.ends_with(": no disagreement\n"), "{out}");
    assert!(out.contains("32 formulas"), "{out}");
}

#[cfg(unix)]
#[test]
fn a_wrong_translator_is_caught_and_the_formula_made_small() {
    // Takes M for R.
    let script = format!("#!/bin/sh\nexec {BINARY} translate \"$(echo \"$1\" | tr M R)\"\n");
    let path = file("command_line", "wrong.sh", &script);
    let wrong = format!("sh {} %f", path);
    let csv = file("command_line", "cross.csv", "");
    let ran = sempre(&[
        "cross",
        "-t",
        "sempre:tgba",
        "-t",
        &wrong,
        "G(a -> (b M (c & Xd)))",
        "--csv",
        csv.as_str(),
    ]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let (_, small) = ran
        .out
        .split_once("smallest formula found:\n")
        .expect(&ran.out);
    let formula = small
        .lines()
        .next()
        .and_then(|l| l.strip_prefix("disagreement on "));
    let formula = formula.expect(&ran.out);
    assert_eq!(formula.len(), "b M c".len(), "{formula}");
    assert!(
        small.contains("accepts a word it should reject: "),
        "{}",
        ran.out
    );
    let rows = std::fs::read_to_string(csv).unwrap();
    assert_eq!(rows.lines().count(), 5);
    assert!(
        rows.starts_with("formula,negated,translator,status,states,"),
        "{rows}"
    );
}

#[cfg(unix)]
#[test]
fn slow_and_broken_translators_are_tabulated() {
    let slow = sempre(&[
        "cross",
        "Fa",
        "-t",
        "sempre:tgba",
        "-t",
        "sleep 100; : %f",
        "--time",
        "0.05",
    ]);
    assert_eq!(slow.status, 0, "{}", slow.err);
    assert!(slow.out.contains("no disagreement"), "{}", slow.out);
    let broken = &["cross", "Fa", "-t", "sempre:tgba", "-t", "echo %f; exit 3"];
    let ran = sempre(broken);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("failed on Fa: exit status: 3: Fa"),
        "{}",
        ran.err
    );
    let mut line = broken.to_vec();
    line.push("--ignore-failures");
    assert_eq!(sempre(&line).status, 0);
}

#[cfg(unix)]
#[test]
fn external_translators_get_formulas_in_their_syntax() {
    for template in [
        "translate %f",
        "translate %s",
        "translate --lbt %l",
        "translate -f %F -o %O",
    ] {
        let external = format!("{BINARY} {template}");
        let out = good(&[
            "cross",
            "-t",
            &external,
            "-t",
            "sempre:tgba",
            "(x[1] == 2) W b",
            "a M b",
        ]);
        assert!(out.ends_with(": no disagreement\n"), "{template}: {out}");
    }
}
