//! `sempre explore` as people run it: limits, Ctrl-C, findings, and the same counts whatever the engine.

use crate::binary::{self, Ran, finish};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const LANGUAGES: [&str; 5] = ["dve", "pnml", "etf", "graph", "hoa"];

fn command(model: &Path, options: &[&str]) -> Command {
    let mut command = binary::command(&["explore"]);
    command.arg(model).args(options);
    command
}

pub fn explore(model: &Path, options: &[&str]) -> Ran {
    finish(command(model, options).output().expect("the binary runs"))
}

pub fn explore_json(model: &Path, options: &[&str]) -> (i32, Value) {
    let ran = explore(model, &[options, &["--format", "json"]].concat());
    let object = serde_json::from_str(&ran.out)
        .unwrap_or_else(|e| panic!("{e}: {options:?} {}{}", ran.out, ran.err));
    (ran.status, object)
}

pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    binary::file("explore", name, bytes).into()
}

/// All models among the examples.
pub fn examples() -> Vec<PathBuf> {
    let folder = Path::new(binary::ROOT).join("examples");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("there are examples")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| {
            let ending = path.extension().and_then(|e| e.to_str());
            // The other automata in HOA are no Kripke structures.
            ending.is_some_and(|e| LANGUAGES.contains(&e) && e != "hoa")
                || path.ends_with("lights.hoa")
        })
        .collect();
    found.sort();
    assert!(found.len() > 5);
    found
}

/// Four counters: 2³² states.
fn counters() -> PathBuf {
    let mut text = String::new();
    for i in 0..4 {
        text += &format!(
            "process P{i} {{ byte x; state s; init s; trans s -> s {{ effect x = x + 1; }}; }}\n"
        );
    }
    file("counters.dve", text + "system async;\n")
}

/// The search ended for that reason, and says what it knows.
fn check_stopped(status: i32, report: &Value, reason: &str) {
    assert_eq!(status, 3, "{report}");
    assert_eq!(report["complete"], false, "{report}");
    assert_eq!(report["reason"], reason, "{report}");
    check_fields(report);
}

/// What scripts rely on.
fn check_fields(report: &Value) {
    for name in [
        "states",
        "transitions",
        "deadlocks",
        "failures",
        "peak_memory_bytes",
    ] {
        assert!(report[name].is_u64(), "{name}: {report}");
    }
    for name in ["seconds", "bytes_per_state"] {
        assert!(report[name].is_f64(), "{name}: {report}");
    }
}

#[test]
fn limits_end_in_unknown_with_statistics() {
    let model = counters();
    for more in [
        &[][..],
        &["--search", "dfs"],
        &["--no-jit"],
        &["--workers", "2"],
        &["--find", "deadlock"],
    ] {
        let with = |options: &[&str]| explore_json(&model, &[options, more].concat());
        let (status, report) = with(&["--memory", "3M"]);
        check_stopped(status, &report, "memory");
        assert!(report["states"].as_u64() > Some(1000), "{report}");
        let (status, report) = with(&["--memory", "1"]);
        check_stopped(status, &report, "memory");
        let (status, report) = with(&["--time", "0.05"]);
        check_stopped(status, &report, "time");
        assert!(report["states"].as_u64() > Some(1), "{report}");
    }
    let ran = explore(&model, &["--memory", "3M"]);
    assert_eq!(ran.status, 3);
    let unknown = "unknown          stopped before the end: memory; there may be more states\n";
    assert!(ran.out.ends_with(unknown), "{}", ran.out);
    assert!(ran.out.starts_with("states "), "{}", ran.out);
    // An export would be of a part only.
    let etf = file("partial.etf", "before");
    let ran = explore(&model, &["--memory", "3M", "--etf", etf.to_str().unwrap()]);
    assert_eq!(ran.status, 3);
    assert!(ran.err.contains("was not written"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(etf).unwrap(), "before");
}

/// The kernel tells when the handler is there and when the search has worked for a while.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_search_tells_what_it_knows() {
    let model = counters();
    for options in [
        &["--workers", "1"][..],
        &["--workers", "2"],
        &["--search", "dfs"],
        &["--no-jit"],
    ] {
        let mut child = command(&model, &[options, &["--memory", "4G"]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let proc = PathBuf::from(format!("/proc/{}", child.id()));
        let catches_interrupts = || -> Option<bool> {
            let status = std::fs::read_to_string(proc.join("status")).ok()?;
            let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:"))?;
            Some(u64::from_str_radix(mask.trim(), 16).ok()? >> 1 & 1 == 1)
        };
        // The 14th field, the 12th behind the name: ticks of a hundredth of a second spent in the program.
        let ticks = || -> Option<u64> {
            let stat = std::fs::read_to_string(proc.join("stat")).ok()?;
            stat.rsplit(')')
                .next()?
                .split_whitespace()
                .nth(11)?
                .parse()
                .ok()
        };
        while !(catches_interrupts().expect("a process") && ticks().expect("a process") >= 10) {
            assert!(
                child.try_wait().expect("a child").is_none(),
                "it ended too early"
            );
            std::thread::yield_now();
        }
        let sent = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(sent.expect("there is a shell").success());
        let ran = finish(child.wait_with_output().expect("it ends"));
        assert_eq!(ran.status, 3, "{options:?}: {}", ran.err);
        assert!(ran.out.starts_with("states "), "{}", ran.out);
        assert!(
            ran.out.contains("stopped before the end: interrupted"),
            "{}",
            ran.out
        );
    }
}

#[test]
fn deadlocks_are_no_failure() {
    let philosophers = Path::new("examples/philosophers-8.pnml");
    let ran = explore(philosophers, &[]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let deadlocks = ran.out.lines().find_map(|l| l.strip_prefix("deadlocks"));
    let deadlocks: u64 = deadlocks.unwrap().trim().parse().unwrap();
    assert!(deadlocks > 0, "{}", ran.out);
    let ran = explore(philosophers, &["--find", "deadlock"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.ends_with("\n  deadlock\n"), "{}", ran.out);
    let ran = explore(Path::new("examples/mutex.dve"), &["--find", "deadlock"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("there is none\n"), "{}", ran.out);
}

/// How many states a trace has, and its last line, which is what went wrong.
fn trace(out: &str) -> (usize, &str) {
    let (_, trace) = out.split_once("\n\n").expect("there is a trace");
    let numbered = |l: &&str| l.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let states = trace.lines().filter(numbered).count();
    (states, trace.lines().last().expect("lines"))
}

/// Counts up one by one, or by four, to 9.
const CLIMB: &str = "byte x, y;\nprocess P {\n  state run;\n  init run;\n  trans\n    \
    run -> run { guard x < 9; effect x = x + 1; },\n    run -> run { guard x < 6; effect x = x + 4; },\n    \
    run -> run { guard x == 9; effect LAST; };\n}\nsystem async;\n";

#[test]
fn failures_come_with_a_shortest_trace() {
    let assertion = CLIMB
        .replace("LAST", "y = 0")
        .replace("  trans", "  assert run: x != 9;\n  trans");
    let cases = [
        ("assertion", assertion, 3, "assert"),
        (
            "division",
            CLIMB.replace("LAST", "y = x / y"),
            3,
            "division by zero",
        ),
        (
            "modulo",
            CLIMB.replace("LAST", "y = x % y"),
            3,
            "division by zero",
        ),
        (
            "outside",
            CLIMB
                .replace("byte x, y;", "byte x, y, a[9];")
                .replace("LAST", "y = a[x]"),
            3,
            "index 9 is outside a",
        ),
    ];
    for (name, text, length, words) in cases {
        let model = file(&format!("climb_{name}.dve"), text);
        for options in [
            &[][..],
            &["--search", "dfs"],
            &["--workers", "2"],
            &["--no-jit"],
            &["--find", "failure"],
            &["--find", "failure", "--workers", "8"],
        ] {
            let ran = explore(&model, options);
            assert_eq!(ran.status, 1, "{name} {options:?}: {}{}", ran.out, ran.err);
            let (states, last) = trace(&ran.out);
            assert_eq!(states, length + 1, "{name} {options:?}: {}", ran.out);
            assert!(last.contains(words), "{name}: {}", ran.out);
            let (status, report) = explore_json(&model, options);
            assert_eq!(status, 1, "{report}");
            assert!(report["failures"].as_u64() >= Some(1), "{report}");
            assert!(
                report["failure"]
                    .as_str()
                    .is_some_and(|f| f.contains(words)),
                "{report}"
            );
            check_fields(&report);
        }
        // What can fail has no table.
        let etf = file("failing.etf", "");
        let ran = explore(&model, &["--etf", etf.to_str().unwrap()]);
        assert!(ran.status == 2 || name == "assertion", "{}", ran.err);
    }
}

#[test]
fn engines_count_the_same_on_the_examples() {
    for path in examples() {
        let counts = |options: &[&str]| {
            let (status, report) = explore_json(&path, options);
            assert!(status == 0 || status == 1, "{report}");
            assert_eq!(report["complete"], true, "{report}");
            check_fields(&report);
            let names = ["states", "transitions", "deadlocks", "failures"];
            names.map(|name| report[name].as_u64().unwrap())
        };
        let expected = counts(&[]);
        assert!(expected[0] > 1);
        let large = expected[0] > 200_000;
        println!("{}: {expected:?}", path.display());
        for workers in ["1", "2", "8"] {
            for search in ["bfs", "dfs"] {
                // All the nets with millions of states in all ways would take minutes.
                if large && (workers, search) != ("8", "dfs") {
                    continue;
                }
                let options = ["--workers", workers, "--search", search];
                assert_eq!(counts(&options), expected, "{} {options:?}", path.display());
                if !large {
                    let options = [&options[..], &["--no-jit"]].concat();
                    assert_eq!(counts(&options), expected, "{} {options:?}", path.display());
                }
            }
        }
    }
}

#[test]
fn the_model_may_come_from_standard_input() {
    let text = std::fs::File::open(Path::new(binary::ROOT).join("examples/mutex.dve")).unwrap();
    let mut command = command(Path::new("-"), &["--language", "dve", "--format", "json"]);
    let ran = finish(command.stdin(text).output().unwrap());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let (_, expected) = explore_json(Path::new("examples/mutex.dve"), &[]);
    assert_eq!(report["states"], expected["states"]);
    let ran = explore(Path::new("-"), &["--language", "dve"]);
    assert!(ran.err.contains("--> standard input:1:1\n"), "{}", ran.err);
}

#[test]
fn exported_examples_count_the_same() {
    for name in [
        "mutex.dve",
        "lights.graph",
        "lights.hoa",
        "counter.etf",
        "philosophers-8.pnml",
    ] {
        let model = Path::new("examples").join(name);
        let etf = file(&format!("exported_{name}.etf"), "");
        let (status, expected) = explore_json(&model, &["--etf", etf.to_str().unwrap()]);
        assert_eq!(status, 0);
        let (status, report) = explore_json(&etf, &[]);
        assert_eq!(status, 0);
        for field in ["states", "transitions", "deadlocks"] {
            assert_eq!(report[field], expected[field], "{name}");
        }
    }
}

/// Macros and folders of the command line reach the preprocessor, and `--ignore-assertions` is `pan -A`.
#[test]
fn macros_and_folders_are_given() {
    let model = file(
        "given.pml",
        "#include \"given/limit.h\"\nbyte x;\nactive proctype P() {
           do :: x < N -> x++ :: else -> break od; assert(x == LIMIT) }",
    );
    let folder = model.parent().expect("it lies in a folder").join("headers");
    std::fs::create_dir_all(folder.join("given")).expect("it can be made");
    std::fs::write(folder.join("given/limit.h"), "#include \"more.h\"\n").expect("it is written");
    std::fs::write(folder.join("given/more.h"), "#define LIMIT 3\n").expect("it is written");
    let folder = folder.to_str().expect("a plain name");
    for (options, status, states) in [
        (&["-D", "N=3"][..], 0, 10),
        (&["-DN=4"], 1, 10),
        (&["-DN=4", "--ignore-assertions"], 0, 12),
        (&["-D", "N"], 1, 4),
        (&["-D", "N=9", "-D", "N=3"], 0, 10),
    ] {
        let (found, object) = explore_json(&model, &[options, &["-I", folder]].concat());
        assert_eq!(
            (found, object["states"].as_u64()),
            (status, Some(states)),
            "{options:?}"
        );
    }
    for (options, complaint) in [
        (
            &["-D", "N=3"][..],
            "the file `given/limit.h` cannot be read",
        ),
        (&["-D", "N=3", "-U", "N", "-I", folder], "no variable `N`"),
        (&["-D", "3=N"], "the name of a macro"),
        (&["-U", "a-b"], "the name of a macro"),
    ] {
        let ran = explore(&model, options);
        assert_eq!(ran.status, 2, "{options:?}");
        assert!(ran.err.contains(complaint), "{options:?} {}", ran.err);
    }
    for option in ["-DX", "-UX", "-I.", "--ignore-assertions"] {
        let ran = explore(Path::new("examples/mutex.dve"), &[option]);
        assert_eq!(ran.status, 2, "{option}");
        assert!(
            ran.err.contains("for Promela models"),
            "{option} {}",
            ran.err
        );
    }
}

/// SPIN reads bytes. Latin-1 in a comment is no reason to refuse a Promela model, nor in an included file.
#[test]
fn promela_models_may_be_in_latin1() {
    file("latin1.h", b"/* tama\xf1o */\n#define N 3\n");
    let text = b"#include \"latin1.h\"\nbyte x; /* caf\xe9 */ active proctype P() { do :: x < N -> x++ od }\n";
    for ending in ["pml", "pr", "prm"] {
        let model = file(&format!("latin1.{ending}"), text);
        let (status, object) = explore_json(&model, &[]);
        assert_eq!(
            (status, object["states"].as_u64()),
            (1, Some(7)),
            "{ending}"
        );
    }
}
