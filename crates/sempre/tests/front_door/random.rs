//! `sempre random` and `sempre pattern`: what is drawn can be read back, and seeds decide.

use crate::binary::*;

#[test]
fn random_graphs_are_models() {
    let shape = [
        "random",
        "graph",
        "--states",
        "200",
        "--density",
        "0.02",
        "--sets",
        "2",
    ];
    let draw = |more: &[&str]| good(&[&shape[..], more].concat());
    assert_eq!(draw(&["--seed", "5"]), draw(&["--seed", "5"]));
    assert_ne!(draw(&["--seed", "5"]), draw(&["--seed", "6"]));
    let text = draw(&["--seed", "5", "--propositions", "3"]);
    assert!(
        text.starts_with("graph \"random 5\"\npropositions p0 p1 p2\nmarks 2\ninitial 0\n0:"),
        "{text}"
    );
    // All states are reachable and none is a deadlock, in either format.
    let count = |format: &str| {
        let text = draw(&["--seed", "5", "--format", format]);
        let ran = sempre_reading(&["explore", "-", "--language", format], &text);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.out
            .lines()
            .take(3)
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let counts = count("graph");
    assert_eq!(counts[0], "states           200");
    assert_eq!(counts[2], "deadlocks        0");
    assert_eq!(count("hoa"), counts);
    bad(&["random", "graph", "--states", "0"], "--states");
    bad(&["random", "graph", "--sets", "65"], "--sets");
    bad(
        &["random", "graph", "--density", "2"],
        "a number from 0 to 1",
    );
}

#[test]
fn seeds_decide() {
    for what in ["formula", "automaton"] {
        let draw = |seed| good(&["random", what, "-n", "5", "--seed", seed]);
        assert_eq!(draw("7"), draw("7"));
        assert_ne!(draw("7"), draw("8"));
    }
    let out = good(&[
        "random",
        "formula",
        "-n",
        "20",
        "--no-next",
        "--priorities",
        "xor=0,U=9",
    ]);
    assert_eq!(out.lines().count(), 20);
    assert!(!out.contains('X') && !out.contains("xor"), "{out}");
    let out = good(&["random", "formula", "-n", "50", "--unique", "--seed", "3"]);
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 50);
}

#[test]
fn random_formulas_and_automata_are_read_back() {
    let formulas = good(&["random", "formula", "-n", "50", "--size", "20"]);
    let ran = sempre_reading(&["formula", "--file", "-", "--syntax", "spot"], &formulas);
    assert_eq!((ran.status, ran.out), (0, formulas));
    let automata = good(&[
        "random",
        "automaton",
        "-n",
        "20",
        "--any-acceptance",
        "--sets",
        "3",
    ]);
    let ran = sempre_reading(&["automaton", "-", "--format", "stats"], &automata);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 21);
}

#[test]
fn patterns_are_listed_and_printed() {
    assert!(good(&["pattern"]).lines().any(|l| l.starts_with("dwyer ")));
    assert_eq!(good(&["pattern", "dwyer"]).lines().count(), 55);
    assert_eq!(good(&["pattern", "and-f", "2"]), "Fp1 & Fp2\n");
}
