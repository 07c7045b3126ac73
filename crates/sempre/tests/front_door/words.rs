//! How results read: the text of steps, states by process, questions and answers, warnings, colour.

use crate::binary::{self, Ran};
use crate::check::{ENDING, FAILING, MUTEX, WALKERS, bad, check, objects};

fn file(name: &str, text: &str) -> String {
    binary::file("words", name, text)
}

/// The lines of the run in a report, without those of figures.
fn run_of(ran: &Ran) -> Vec<&str> {
    let is_run = |l: &&str| l.starts_with("  ") && !l[2..].starts_with(|c: char| c.is_alphabetic());
    ran.out.lines().filter(is_run).collect()
}

const INLINES: &str = "#define BUMP(v) v = v + 1\nbyte x;\ninline inc(a) {\n  a = a + 1;\n  assert(a < 2)\n}\n\
    byte y;\nactive proctype A() { inc(x);\n  BUMP(y); printf(\"y is %d\\n\", y);\n  inc(x) }\n";

#[test]
fn steps_are_what_the_author_wrote() {
    let model = file("inlines.pml", INLINES);
    let ran = binary::sempre(&["explore", &model]);
    assert_eq!(
        run_of(&ran),
        [
            "  0  A[0]  at line 8",
            "     all else is 0",
            "       A[0]: x = x + 1 (line 4, from line 8)",
            "  1  x = 1, A[0] = line 5 from 8",
            "       A[0]: assert(x < 2) (line 5, from line 8)",
            "  2  A[0] = line 1 from 9",
            "       A[0]: y = y + 1 (line 1, from line 9)",
            "  3  y = 1, A[0] = line 9",
            "       A[0]: printf(\"y is %d\\n\", y) (line 9)  prints \"y is 1\\n\"",
            "  4  A[0] = line 10",
            "       A[0]: x = x + 1 (line 4, from line 10)",
            "  5  x = 2, A[0] = line 5 from 10",
            "       A[0]: assert(x < 2) (line 5, from line 10)",
        ],
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(
        ran.out
            .ends_with("assertion failed: assert(x < 2) (line 5, from line 10)\n")
    );
}

#[test]
fn steps_of_included_files_have_their_lines() {
    file("own.pml", "byte z;\ninline leave() {\n  z = 3 }\n");
    let model = file(
        "includes.pml",
        "#include \"own.pml\"\nactive proctype A() {\n  leave()\n}\n",
    );
    let ran = check(&[&model, "G z == 0", "--format", "trail"]);
    assert!(ran.out.contains("own.pml:3\t[z = 3]"), "{}", ran.out);
    let (found, _) = objects(&[&model, "G z == 0"]);
    let step = &found[0]["counterexample"]["prefix"][0];
    assert_eq!(step["action"], "A[0]: z = 3 (own.pml:3, from line 3)");
    let statement = &step["parts"][0]["statements"][0];
    assert_eq!(statement["place"]["file"], "own.pml");
    assert_eq!(statement["from"][0]["line"], 3);
}

const MESSAGES: &str = "mtype = { req };\nchan c = [1] of { mtype, byte };\nchan d = [0] of { byte };\nbyte got;\n\
    active proctype A() { byte i = 5; c!req(i); atomic { i++; d!i } }\n\
    active proctype B() { c?_,_; d?got;\n end: got == 0 }\n\
    proctype C() { skip }\ninit { run C(); skip }\n";

#[test]
fn messages_and_the_ends_of_processes_are_told_apart() {
    let model = file("messages.pml", MESSAGES);
    let ran = check(&[&model, "G !(got == 6)"]);
    let run = run_of(&ran);
    assert_eq!(
        run[..4],
        [
            "  0  A[0]     at line 5, i = 5",
            "     B[1]     at line 6",
            "     init[2]  at line 9",
            "     all else is 0"
        ],
        "{}",
        ran.out
    );
    for line in [
        "A[0]: c!req(i) (line 5)  sends c(req,5)",
        "c = [req,5], A[0] = line 5",
        "B[1]: c?_,_ (line 6)  receives c(req,5)",
        "c = [], B[1] = line 6",
        "A[0]: i++ (line 5)",
        "A[0]: d!i (line 5), B[1]: d?got (line 6)  passes (6)",
        "B[1] = end",
    ] {
        assert!(ran.out.contains(line), "{line}: {}", ran.out);
    }
    assert!(!ran.out.contains("_exclusive"), "{}", ran.out);
    let full = check(&[&model, "G !(got == 6)", "--full"]);
    assert!(full.out.contains("C[3]     at not running"), "{}", full.out);
    assert!(full.out.contains("c = []") && !full.out.contains("all else"));
    let (found, _) = objects(&[&model, "G !(got == 6)"]);
    let state = &found[0]["counterexample"]["prefix"][0]["state"];
    assert!(state["_exclusive"].is_null() && state["C[3]"] == "not running");
}

#[test]
fn what_was_asked_and_found_is_said() {
    let claim = "byte n;\nactive proctype P() { do :: n < 3 -> n++ :: n == 3 -> n = 0 od }\n\
        never { s: do :: n == 2 -> goto accept_all :: else od; accept_all: do :: true od }\n";
    let claim = file("claim.pml", claim);
    let walkers = file("walkers.dve", WALKERS);
    let ending = file("ending.dve", ENDING);
    for (arguments, asked, found) in [
        (
            vec![claim.as_str()],
            "is there no run that the automaton `never_0` accepts? It accepts the violations",
            "no: it accepts the path of 4 steps below, whatever comes next",
        ),
        (
            vec![MUTEX, "G !(P_0.CS && P_1.CS)"],
            "does every run satisfy G!(P_0.CS & P_1.CS)?",
            "yes: no run violates the property",
        ),
        (
            vec![&walkers, "--non-progress", "P", "Q"],
            "does each of P, Q take part in infinitely many steps of every run?",
            "no: Q takes no step in the cycle of the run below",
        ),
        (
            vec![&ending, "P.b"],
            "does every run satisfy P.b?",
            "no: the initial state violates it, whatever comes next",
        ),
        (
            vec![MUTEX, "G F P_0.CS", "--fairness", "weak"],
            "does every fair run satisfy GFP_0.CS?",
            "yes: no run violates the property",
        ),
    ] {
        let plain = |text: &str| text.replace([' ', '"'], "");
        let ran = check(&arguments);
        let row = |name: &str| {
            let rows = ran.out.lines().filter_map(|l| l.strip_prefix(name));
            plain(rows.map(str::trim).next().unwrap_or_default())
        };
        assert_eq!(row("  asked"), plain(asked), "{}", ran.out);
        let said = row("  found");
        assert!(said.starts_with(&plain(found)), "{said}: {}", ran.out);
    }
}

#[test]
fn hints_name_what_there_is() {
    let walkers = file(
        "sender.pml",
        "active [2] proctype Sender() { do :: skip od }",
    );
    bad(
        &[&walkers, "--non-progress", "Sender"],
        "did you mean `Sender[0]`?",
    );
    bad(&[MUTEX, "--non-progress", "P"], "did you mean `P_0`?");
    bad(
        &[MUTEX, "--non-progress", "client"],
        "there is `P_0`, `P_1`",
    );
    bad(&[MUTEX], &format!("`sempre check {MUTEX} "));
    let failing = file("failing.dve", FAILING);
    let ran = check(&[&failing, "F P.b"]);
    let hint = format!("`sempre explore {failing} --find failure`");
    assert!(ran.out.contains(&hint), "{}", ran.out);
}

#[test]
fn warnings_are_printed_unless_quiet_and_are_in_json() {
    let list = file("twice.ltl", "p: G true\np: F P_0.CS\nq: G {turn < 300}\n");
    let arguments = [MUTEX, "--property", &list, "--seed", "5"];
    let said = [
        "2 properties are called `p`",
        "--seed has no effect: only a drawn --order has a seed",
        "this is true in all states",
    ];
    let ran = check(&arguments);
    for text in said {
        assert!(ran.err.contains(text), "{text}: {}", ran.err);
    }
    let quiet = check(&[&arguments[..], &["-q"]].concat());
    assert_eq!(
        (quiet.err.as_str(), quiet.out.lines().count()),
        ("", ran.out.lines().count())
    );
    let (found, _) = objects(&[&arguments[..], &["-q"]].concat());
    let of = |i: usize| found[i]["warnings"].to_string();
    assert!(of(0).contains(said[0]) && of(0).contains(said[1]) && !of(0).contains(said[2]));
    assert!(
        of(2).contains(said[2]) && of(2).contains("\"line\":3"),
        "{}",
        of(2)
    );
    let symbolic = [
        MUTEX,
        "G F P_0.CS",
        "--engine",
        "symbolic",
        "--workers",
        "2",
    ];
    let ran = check(&symbolic);
    assert!(ran.err.contains("--workers has no effect"), "{}", ran.err);
}

#[test]
fn colour_is_for_terminals_and_for_who_asks() {
    let arguments = [MUTEX, "G F P_0.CS"];
    let plain = check(&arguments);
    let colored = check(&[&arguments[..], &["--color", "always"]].concat());
    assert!(!plain.out.contains('\u{1b}'));
    assert!(
        colored.out.contains("\u{1b}[31mviolated\u{1b}[0m"),
        "{:?}",
        colored.out
    );
    let seconds = |text: &str| {
        let lines = text.lines().filter(|l| !l.contains("seconds"));
        lines.map(|l| format!("{l}\n")).collect::<String>()
    };
    let stripped = anstream::adapter::strip_str(&colored.out).to_string();
    assert_eq!(seconds(&stripped), seconds(&plain.out));
    // A file is no terminal, whatever standard output is.
    let place = file("colour.txt", "");
    let ran = check(&[&arguments[..], &["--color=always", "-o", &place]].concat());
    assert_eq!(ran.status, 1);
    let written = std::fs::read_to_string(&place).expect("written");
    assert_eq!(seconds(&written), seconds(&plain.out));
    let wrong = check(&[MUTEX, "G F turm", "--color", "always"]);
    assert!(
        wrong.err.starts_with("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: "),
        "{:?}",
        wrong.err
    );
    let mut command = binary::command(&["check", MUTEX, "G F turm", "--color=auto"]);
    command.env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1");
    let ran = binary::finish(command.output().expect("it runs"));
    assert!(
        ran.status == 2 && ran.err.starts_with("error: "),
        "{:?}",
        ran.err
    );
}
