//! `sempre explore` as people run it: broken models, limits, Ctrl-C, findings, and the same counts whatever
//! the engine.

use sempre::base::Random;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_sempre");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const LANGUAGES: [&str; 5] = ["dve", "pnml", "etf", "graph", "hoa"];

struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn finish(output: Output) -> Ran {
    let ran = Ran {
        status: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    };
    assert!(!ran.err.contains("internal error"), "{}", ran.err);
    ran
}

fn command(model: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.arg("explore").arg(model).args(options);
    command.current_dir(ROOT).stdin(Stdio::null());
    command
}

fn explore(model: &Path, options: &[&str]) -> Ran {
    finish(command(model, options).output().expect("the binary runs"))
}

fn explore_json(model: &Path, options: &[&str]) -> (i32, Value) {
    let ran = explore(model, &[options, &["--format", "json"]].concat());
    let object = serde_json::from_str(&ran.out)
        .unwrap_or_else(|e| panic!("{e}: {options:?} {}{}", ran.out, ran.err));
    (ran.status, object)
}

/// A file with these bytes, in a folder of the test's own.
fn file(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file can be written");
    path
}

/// All models among the examples.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(ROOT).join("examples");
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

/// A refusal with message, place and caret; the place of the first complaint.
fn refused(ran: &Ran, name: &str) -> String {
    assert_eq!(ran.status, 2, "{name}: {}{}", ran.out, ran.err);
    assert_eq!(ran.out, "", "{name}");
    let start = format!("{name}:");
    let lines: Vec<&str> = ran.err.lines().collect();
    let (i, place) = (lines.iter().enumerate())
        .find_map(|(i, line)| {
            let (_, place) = line.split_once("--> ")?;
            Some((i, &place[place.rfind(&start)? + start.len()..]))
        })
        .unwrap_or_else(|| panic!("{name}: no place in {}", ran.err));
    assert!(
        lines[0].starts_with("error: ") || lines[0].starts_with("warning: "),
        "{}",
        ran.err
    );
    let numbers: Vec<usize> = place.split(':').map(|n| n.parse().unwrap()).collect();
    assert!(numbers.len() == 2 && numbers.iter().all(|&n| n > 0));
    let caret = lines[i + 3].trim_start_matches([' ', '|']);
    assert!(caret.starts_with('^'), "{}", ran.err);
    place.to_string()
}

/// The model is refused at this place, with these words.
fn check(name: &str, text: impl AsRef<[u8]>, place: &str, words: &str) {
    let ran = explore(&file(name, text), &[]);
    assert_eq!(refused(&ran, name), place, "{}", ran.err);
    assert!(ran.err.contains(words), "{}", ran.err);
}

// --- broken models ---------------------------------------------------------------------------

const PROCESS: &str = "process P { state s; init s; trans s -> s {}; }\nsystem async;\n";

#[test]
fn mistakes_in_dve_are_pointed_at() {
    let dve = |name: &str, text: &str, place: &str, words: &str| {
        let text = format!("{text}\n{PROCESS}");
        check(&format!("{name}.dve"), text, place, words);
    };
    dve(
        "unknown",
        "byte x;\nbyte y = z;",
        "2:10",
        "there is no variable `z`",
    );
    dve(
        "twice",
        "byte x;\nbyte y;\nint x;",
        "3:5",
        "`x` is declared a second time",
    );
    dve(
        "twice_process",
        "process P { state s; init s; }",
        "2:9",
        "`P` is declared a second time",
    );
    dve(
        "list",
        "byte x = {1, 2};",
        "1:10",
        "a list of values is for an array only",
    );
    dve(
        "length",
        "byte x[2] = {1, 2, 3};",
        "1:13",
        "3 values for an array of 2 elements",
    );
    dve(
        "cyclic",
        "const byte a = b;\nconst byte b = a;",
        "1:16",
        "in a circle",
    );
    dve(
        "index",
        "byte x; byte y = x[1];",
        "1:18",
        "`x` is not an array",
    );
    check(
        "no_system.dve",
        "byte x;",
        "1:8",
        "expected `system async;` or `system sync;`",
    );

    let transition = |name: &str, transition: &str, place: &str, words: &str| {
        let text = format!(
            "byte x, a[3];\nchannel c;\nprocess P {{ state s, t; init s; trans\n{transition};\n}}\nsystem async;\n"
        );
        check(&format!("{name}.dve"), text, place, words);
    };
    transition(
        "location",
        "s -> u {}",
        "4:6",
        "there is no location of process `P` called `u`",
    );
    transition(
        "variable",
        "s -> t { effect s = 1; }",
        "4:17",
        "there is no variable `s`",
    );
    transition(
        "channel",
        "s -> t { sync d!; }",
        "4:15",
        "there is no channel `d`",
    );
    transition(
        "value",
        "s -> t { guard c; }",
        "4:16",
        "`c` is a channel, which has no value",
    );
    transition(
        "scalar",
        "s -> t { guard x[0] == 1; }",
        "4:16",
        "`x` is not an array",
    );
    transition(
        "misspelt",
        "s -> t { guard P.tt; }",
        "4:18",
        "did you mean `t`?",
    );
}

#[test]
fn mistakes_in_nets_are_pointed_at() {
    let net = |name: &str, inside: &str, place: &str, words: &str| {
        let text = format!(
            "<pnml><net id=\"n\" type=\"ptnet\"><page id=\"g\">\n<place id=\"p\"/><transition id=\"t\"/>\n{inside}\n\
             </page></net></pnml>"
        );
        check(&format!("{name}.pnml"), text, place, words);
    };
    net(
        "unknown",
        "<arc id=\"a\" source=\"p\" target=\"u\"/>",
        "3:32",
        "`u`",
    );
    net("twice", "<place id=\"p\"/>", "3:12", "`p`");
    net(
        "number",
        "<place id=\"q\"><initialMarking><text>many</text></initialMarking></place>",
        "3:37",
        "many",
    );
    net(
        "places",
        "<place id=\"q\"/><arc id=\"a\" source=\"p\" target=\"q\"/>",
        "3:16",
        "this arc leads from a place to a place",
    );
    net(
        "inhibitor",
        "<arc id=\"a\" source=\"p\" target=\"t\" type=\"inhibitor\"/>",
        "3:41",
        "inhibitor",
    );
    net(
        "circle",
        "<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" ref=\"r\"/><arc id=\"a\" source=\"r\" target=\"t\"/>",
        "3:29",
        "these references go in circles",
    );
    check(
        "unclosed.pnml",
        "<pnml>\n<net id=\"n\">\n</pnml>",
        "3:1",
        "not well-formed XML",
    );
}

#[test]
fn mistakes_in_tables_are_pointed_at() {
    let good = "begin state\nx:int y:s\nend state\nbegin edge\naction:action\nend edge\nbegin init\n0 0\nend init\n\
                begin trans\n0/1 * 0\nend trans\nbegin sort s\n\"a\"\nend sort\nbegin sort action\n\"go\"\nend sort\n";
    assert_eq!(explore(&file("good.etf", good), &[]).status, 0);
    let etf = |name: &str, from: &str, to: &str, place: &str, words: &str| {
        assert!(good.contains(from));
        check(
            &format!("{name}.etf"),
            good.replacen(from, to, 1),
            place,
            words,
        );
    };
    etf("value", "0 0\n", "0 1\n", "8:3", "s");
    etf("short", "0/1 * 0", "0/1 *", "11:1", "");
    etf("letters", "0/1 * 0", "0/one * 0", "11:1", "");
    etf(
        "section",
        "begin trans",
        "begin train",
        "10:7",
        "there is no section `train`",
    );
    etf("open", "end trans\n", "", "14:1", "");
    etf("twice", "x:int y:s", "x:int x:s", "2:7", "x");
    etf(
        "init",
        "0 0\n",
        "",
        "18:1",
        "expected 2 numbers for a state, found 0",
    );
}

#[test]
fn mistakes_in_graphs_are_pointed_at() {
    check(
        "unknown.graph",
        "red: -> gren\ngreen: -> red\n",
        "1:9",
        "did you mean `green`?",
    );
    check(
        "twice.graph",
        "a: -> b\nb:\na:\n",
        "3:1",
        "the state `a` is described twice",
    );
    check(
        "marks.graph",
        "marks 1\na: -> a {1}",
        "2:10",
        "there are only 1 marks",
    );
    check(
        "brace.graph",
        "a: -> a {0",
        "1:9",
        "this brace is never closed",
    );
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"p\"\nAcceptance: 0 t\n--BODY--\nState: 0\n";
    check(
        "label.hoa",
        format!("{hoa}[t] 0\n--END--\n"),
        "1:1",
        "label",
    );
    check("target.hoa", format!("{hoa}[0] 1\n--END--\n"), "8:5", "1");
}

#[test]
fn nothing_where_a_model_should_be() {
    for language in LANGUAGES {
        let name = format!("empty.{language}");
        check(&name, "", "1:1", "error: ");
    }
    for missing in ["no/such/model.dve", "no/such/model.dev"] {
        let ran = explore(Path::new(missing), &[]);
        assert_eq!(ran.status, 2);
        let complaint = format!("error: cannot read `{missing}`: ");
        assert!(ran.err.starts_with(&complaint), "{}", ran.err);
    }
    let ran = explore(Path::new("examples"), &[]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("cannot tell the language"), "{}", ran.err);
    for language in LANGUAGES {
        let ran = explore(Path::new("examples"), &["--language", language]);
        assert_eq!(ran.status, 2);
        assert!(
            ran.err.starts_with("error: cannot read `examples`: "),
            "{}",
            ran.err
        );
    }
}

/// Every example, cut off in many places, is refused with a place; or it is a model still, as a graph
/// without its last lines is.
#[test]
fn truncated_models_are_refused() {
    for path in examples() {
        let text = std::fs::read_to_string(&path).unwrap();
        let ending = path.extension().unwrap().to_str().unwrap();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let mut refusals = 0;
        for i in 0..12 {
            let cut = text.floor_char_boundary(text.len() * (2 * i + 1) / 24);
            let name = format!("cut_{stem}_{i}.{ending}");
            let ran = explore(&file(&name, &text[..cut]), &["--no-jit", "--time", "0.1"]);
            if ran.status == 2 {
                refused(&ran, &name);
                refusals += 1;
            } else {
                assert!(ending == "graph" || ending == "etf", "{name}: {}", ran.out);
            }
        }
        assert!(refusals >= 2, "{}", path.display());
    }
}

#[test]
fn what_is_not_text_is_refused_at_its_place() {
    for language in LANGUAGES {
        let name = format!("latin1.{language}");
        check(
            &name,
            b"caf\xc3\xa9 \n \xe9 ... \xff",
            "2:2",
            "this is not UTF-8 text",
        );
    }
}

/// Ten million random characters, and as many made of the words of the language, end in few complaints.
#[test]
fn noise_is_refused() {
    const LENGTH: usize = 10_000_000;
    let words: [(&str, &[&str]); 5] = [
        (
            "dve",
            &[
                "process ",
                "state ",
                "a",
                "P",
                " {",
                "}",
                ";",
                ",",
                " -> ",
                "byte ",
                "x",
                "[",
                "]",
                " = ",
                "3",
                "guard ",
                "effect ",
                "trans ",
                "init ",
                "\n",
                "(",
                ")",
                "system async;",
                "const ",
                "channel ",
                "!",
                "?",
                " and ",
                "{1, 2}",
            ],
        ),
        (
            "pnml",
            &[
                "<net id='n'>",
                "<place id='a'>",
                "</place>",
                "<",
                "/>",
                ">",
                "&amp;",
                "&",
                "\n",
                "<arc source='a' target='b'/>",
                "<transition id='t'/>",
                "<!--",
                "-->",
                "<text>",
                "</text>",
            ],
        ),
        (
            "etf",
            &[
                "begin ", "state", "end ", "\n", "trans\n", "0/1 ", "* ", "\"", "a:b ", "sort ",
                "map ", "edge ", "init ", "3 ",
            ],
        ),
        (
            "graph",
            &[
                "a", ": ", "->", " ", "{", "}", "0", "\"", "\n", "initial ", "marks ", "#", "é",
                "b ",
            ],
        ),
        (
            "hoa",
            &[
                "HOA: v1\n",
                "States: ",
                "3 ",
                "--BODY--\n",
                "--END--\n",
                "State: ",
                "[0&!1] ",
                "\n",
                "\"",
                "AP: ",
                "Acceptance: ",
                "Inf(0) ",
                "{0} ",
            ],
        ),
    ];
    let characters: Vec<char> = (' '..='~').chain(['\n', 'é', '∧']).collect();
    for (seed, (language, words)) in words.into_iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let letters: String = (0..LENGTH).map(|_| *random.pick(&characters)).collect();
        let mut speech = String::new();
        while speech.len() < LENGTH {
            speech.push_str(random.pick::<&str>(words));
        }
        let nested = match language {
            "dve" => format!("byte a = {}", "(".repeat(LENGTH)),
            "pnml" => "<a>".repeat(LENGTH / 3),
            "etf" => "begin ".repeat(LENGTH / 6),
            "graph" => format!("a: -> a {}", "{".repeat(LENGTH)),
            _ => format!("HOA: v1\nStates: 1\nAcceptance: 1 {}", "(".repeat(LENGTH)),
        };
        let one_word = "a".repeat(LENGTH);
        for text in [letters, speech, nested, one_word] {
            let name = format!("noise.{language}");
            let path = file(&name, text);
            let ran = explore(&path, &[]);
            refused(&ran, &name);
            assert!(ran.err.len() < 100_000, "{name}: {} bytes", ran.err.len());
            std::fs::remove_file(path).expect("it is there");
        }
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let model = Path::new("examples/mutex.dve");
    for options in [
        &["--time=-1"][..],
        &["--time", "nan"],
        &["--time", "1e300"],
        &["--time", "soon"],
        &["--memory", "0"],
        &["--memory", "much"],
        &["--workers", "0"],
        &["--search", "random"],
        &["--language", "cobol"],
    ] {
        let ran = explore(model, options);
        assert_eq!(ran.status, 2, "{options:?}: {}", ran.out);
        let option = options[0].split('=').next().unwrap();
        assert!(ran.err.contains(option), "{options:?}: {}", ran.err);
    }
}

// --- limits ----------------------------------------------------------------------------------

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

// --- findings --------------------------------------------------------------------------------

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
    assert!(ran.out.ends_with("\ndeadlock\n"), "{}", ran.out);
    let ran = explore(Path::new("examples/mutex.dve"), &["--find", "deadlock"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("there is none\n"), "{}", ran.out);
}

/// The names of the steps of a trace: the lines behind the empty one that are not indented.
fn steps(out: &str) -> Vec<&str> {
    let (_, trace) = out.split_once("\n\n").expect("there is a trace");
    trace.lines().filter(|l| !l.starts_with(' ')).collect()
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
            let steps = steps(&ran.out);
            // The last line is what went wrong.
            assert_eq!(steps.len(), length + 1, "{name} {options:?}: {}", ran.out);
            assert!(steps[length].contains(words), "{name}: {}", ran.out);
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

// --- the same, whatever the engine -------------------------------------------------------------

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
    let text = std::fs::File::open(Path::new(ROOT).join("examples/mutex.dve")).unwrap();
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
