//! The real binary: results, complaints, exit statuses.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_sempre");

struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn finish(output: Output) -> Ran {
    Ran {
        status: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn sempre(arguments: &[&str]) -> Ran {
    sempre_reading(arguments, "")
}

fn sempre_reading(arguments: &[&str], input: &str) -> Ran {
    let mut child = Command::new(BINARY)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    // It need not read it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    finish(child.wait_with_output().expect("it ends"))
}

/// Runs it and expects success.
fn good(arguments: &[&str]) -> String {
    let ran = sempre(arguments);
    assert_eq!(ran.status, 0, "{arguments:?}: {}", ran.err);
    ran.out
}

/// Runs it and expects a complaint that contains some text.
fn bad(arguments: &[&str], complaint: &str) {
    let ran = sempre(arguments);
    assert_eq!(ran.status, 2, "{arguments:?}: {}{}", ran.out, ran.err);
    assert!(ran.err.contains(complaint), "{arguments:?}: {}", ran.err);
}

/// A file with this text, in a folder of the test's own.
fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command_line");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path
}

fn automaton(name: &str, formula: &str) -> String {
    let path = file(name, &good(&["translate", formula]));
    path.to_str().expect("UTF-8").to_string()
}

// --- translate -------------------------------------------------------------------------------

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
    let path = file("testing.hoa", &out);
    let path = path.to_str().expect("UTF-8");
    let word = ["automaton", path, "--accepts"];
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
    let buchi = file("fg.hoa", &good(&["translate", formula]));
    let buchi = buchi.to_str().expect("UTF-8");
    let rabin = file("fg_rabin.hoa", &rabin);
    let rabin = rabin.to_str().expect("UTF-8");
    for kind in ["tgra", "tela", "finless", "parity"] {
        let made = file("fg_other.hoa", &good(&["translate", formula, "--to", kind]));
        let made = made.to_str().expect("UTF-8");
        good(&["automaton", made, "--equivalent-to", buchi]);
    }
    // The same by operations on the automaton.
    let fin_less = good(&["automaton", rabin, "--fin-less"]);
    assert!(!fin_less.contains("Fin("), "{fin_less}");
    let operations = [
        "--fin-less",
        "--generalized-rabin",
        "--equivalent-to",
        buchi,
    ];
    good(&[&["automaton", rabin], &operations[..]].concat());
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
    let path = file("list.ltl", text);
    let from_file = good(&[
        "translate",
        "--file",
        path.to_str().unwrap(),
        "--format",
        "hoa",
    ]);
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
    let path = file("out.hoa", "");
    let out = good(&["translate", "a", "-o", path.to_str().unwrap()]);
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

// --- complaints ------------------------------------------------------------------------------

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
    let path = file("latin1.ltl", "");
    std::fs::write(&path, b"a\n\xff\xfe\n").unwrap();
    let path = path.to_str().unwrap();
    for arguments in [&["translate", "--file", path][..], &["automaton", path]] {
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

// --- formula ---------------------------------------------------------------------------------

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

// --- automaton -------------------------------------------------------------------------------

#[test]
fn an_automaton_is_printed_as_it_is() {
    let text = good(&["translate", "GFa & GFb"]).replace(
        "properties:",
        "tool: \"other\" \"1.0\"\nowner: \"me\"\nproperties: stutter-invariant",
    );
    let path = file("as_it_is.hoa", &text);
    let out = good(&["automaton", path.to_str().unwrap()]);
    for kept in [
        "tool: \"other\" \"1.0\"",
        "owner: \"me\"",
        "stutter-invariant",
        "name: \"GFa & GFb\"",
    ] {
        assert!(out.contains(kept), "{kept}: {out}");
    }
    let twice = file("twice.hoa", &format!("{out}{out}"));
    assert_eq!(
        good(&["automaton", twice.to_str().unwrap()]),
        format!("{out}{out}")
    );
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

// --- random and patterns -----------------------------------------------------------------------

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

// --- cross -----------------------------------------------------------------------------------

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
    let path = file("wrong.sh", &script);
    let wrong = format!("sh {} %f", path.display());
    let csv = file("cross.csv", "");
    let ran = sempre(&[
        "cross",
        "-t",
        "sempre:tgba",
        "-t",
        &wrong,
        "G(a -> (b M (c & Xd)))",
        "--csv",
        csv.to_str().unwrap(),
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

// --- help, manual, completions ---------------------------------------------------------------

#[test]
fn every_command_has_help_and_a_manual_page() {
    assert!(good(&["--version"]).starts_with("sempre "));
    let help = good(&["--help"]);
    let commands = [
        "translate",
        "formula",
        "automaton",
        "cross",
        "random",
        "pattern",
        "explore",
        "check",
        "monitor",
        "bench",
        "cite",
    ];
    for command in commands {
        assert!(help.contains(command), "{help}");
        assert!(good(&[command, "--help"]).contains("Usage: sempre"));
        assert!(good(&["man", command]).contains(".TH"));
    }
    assert!(good(&["man"]).contains(".TH sempre"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(good(&["completions", shell]).contains("translate"));
    }
}

#[test]
fn papers_behind_names() {
    assert!(good(&["cite"]).lines().any(|name| name == "saturation"));
    assert!(good(&["cite", "UFSCC"]).contains("PPoPP 2016"));
    bad(&["cite", "ufsc"], "did you mean `ufscc`?");
    bad(&["cite", "quicksort"], "lists the names");
}
