//! Limits and signals in each phase of each command that runs long: what is stopped ends with status 3, says why, is never wrong, and
//! leaves nothing behind.

use crate::binary::{BINARY, ROOT, Ran, command, file, finish, path, sempre};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

fn large() -> String {
    let text = "byte x[8];
        process P { state a; init a; trans a -> a { effect x[0] = x[0] + 1; }, a -> a { effect x[1] = x[1] + 1; },
        a -> a { effect x[2] = x[2] + 1; }, a -> a { effect x[3] = x[3] + 1; }, a -> a { effect x[4] = x[4] + 1; }; }
        system async;";
    file("limits", "large.dve", text)
}

/// Files that were left half written, in the folder of these tests.
fn leftovers(name: &str) -> Vec<String> {
    let folder = path("limits", "x");
    let names = fs::read_dir(folder.parent().expect("a folder")).expect("it can be read");
    let names = names.map(|entry| entry.expect("a file").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names
        .filter(|n| n.starts_with(name) && n.ends_with(".part"))
        .collect()
}

/// Commands that end by themselves, soon.
fn short_commands() -> Vec<Vec<String>> {
    let automaton = file(
        "limits",
        "gf.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 1\n[!0] 0\n\
         State: 1\n[1] 0 {0}\n[!1] 1\n[0&1] 1 {0}\n--END--\n",
    );
    let lines = [
        "check examples/mutex.dve|G(P_0.ask -> F P_0.CS)|--no-jit",
        "check examples/mutex.dve|G(P_0.ask -> F P_0.CS)|--engine|symbolic",
        "check examples/mutex.dve|G !(P_0.CS & P_1.CS)|--engine|auto|--automaton|tgta",
        "check examples/philosophers-8.pnml|G F Fork_0 >= 1|--engine|symbolic",
        "explore examples/mutex.dve",
        "explore examples/mutex.dve|--workers|2|--no-jit",
        "explore examples/philosophers-8.pnml|--engine|symbolic",
        "explore examples/counter.etf",
        "explore examples/lights.graph",
        "explore examples/lights.hoa",
        "explore examples/peterson.pml",
        "translate G(a -> F(b & X(c U d))) & G F e|--to|ba",
        "translate F G a & G F b|--to|parity",
        "translate G(a -> X(b W c))|--to|dfa",
        "formula G(a -> F b) & F(c R d)",
        "formula G(a -> F b)|--implies|G F a -> G F b",
        "automaton FILE|--complement|--format|stats",
        "automaton FILE|--degeneralize|ba|--format|spin",
        "automaton FILE|--format|svg",
        "cross G(a -> F b)|-t|sempre:tgba|-t|sempre:ba,low",
    ];
    let split = |line: &&str| {
        let (command, rest) = line.split_once(' ').expect("a command");
        let rest = rest.split('|').map(|word| match word {
            "FILE" => automaton.clone(),
            word => word.to_string(),
        });
        std::iter::once(command.to_string()).chain(rest).collect()
    };
    lines.iter().map(split).collect()
}

/// Without figures of time.
fn lasting(text: &str) -> String {
    let lines = text.lines().filter(|l| !l.contains("seconds"));
    let plain = |line: &str| match line.find(" s, ").or(line.find(" ms")) {
        Some(_) => line.replace(|c: char| c.is_ascii_digit() || c == '.', ""),
        None => line.to_string(),
    };
    lines.map(plain).collect::<Vec<_>>().join("\n")
}

fn stopped_at(arguments: &[&str], look: u64) -> Ran {
    let mut command = command(arguments);
    command.env("SEMPRE_STOP_AT", look.to_string());
    finish(command.output().expect("the binary runs"))
}

/// Stopped at its first checkpoint, its fourth, its sixteenth, … a command says so, or is done as if nothing had been.
#[test]
fn stopped_at_any_checkpoint_nothing_is_wrong() {
    for arguments in short_commands() {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let whole = sempre(&arguments);
        assert!(whole.status < 2, "{arguments:?}: {}", whole.err);
        let mut times_stopped = 0;
        for look in (0..10).map(|n| 1 << (2 * n)) {
            let ran = stopped_at(&arguments, look);
            if ran.status == 3 {
                times_stopped += 1;
                let told = format!("{}{}", ran.out, ran.err);
                assert!(
                    told.contains("interrupted"),
                    "{arguments:?} at {look}: {told}"
                );
                for verdict in [": holds", ": violated"] {
                    assert!(!ran.out.contains(verdict), "{arguments:?}: {}", ran.out);
                }
            } else {
                assert_eq!(ran.status, whole.status, "{arguments:?} at {look}");
                if arguments[0] != "check" && arguments[0] != "cross" {
                    assert_eq!(lasting(&ran.out), lasting(&whole.out), "{arguments:?}");
                }
            }
        }
        assert!(times_stopped > 0, "{arguments:?} looks at no limit");
    }
}

/// A limit that is over before it begins holds in reading already.
#[test]
fn no_time_is_enough_for_nothing() {
    for arguments in short_commands() {
        if arguments[0] == "cross" {
            continue;
        }
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(["--time", "0"]);
        let ran = sempre(&arguments);
        assert_eq!(ran.status, 3, "{arguments:?}: {}{}", ran.out, ran.err);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("time"), "{arguments:?}: {told}");
    }
}

/// A formula whose automaton takes very long without a limit of edges.
fn hard() -> String {
    let each: String = (0..40).map(|i| format!("a{i} U (")).collect();
    format!("{each}b{}", ")".repeat(40))
}

/// What was done before the limit is printed.
#[test]
fn what_was_done_before_the_limit_is_kept() {
    let hard = hard();
    let output = file("limits", "kept.hoa", "old");
    let ran = sempre(&[
        "translate",
        "G F a",
        &hard,
        "--max-edges",
        "1000000000000",
        "--to",
        "parity",
        "--time",
        "0.5",
        "-o",
        &output,
    ]);
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert!(
        ran.err.contains("stopped while translating: time"),
        "{}",
        ran.err
    );
    let text = fs::read_to_string(&output).expect("it is there");
    assert_eq!(text.matches("--END--").count(), 1);
    assert_eq!(leftovers("kept"), Vec::<String>::new());
}

#[test]
fn the_whole_process_has_one_limit_of_memory() {
    for arguments in [
        &["translate", &hard(), "--max-edges", "1000000000000"][..],
        &["explore", &large()],
        &[
            "explore",
            &large(),
            "--engine",
            "symbolic",
            "--search",
            "bfs",
        ],
    ] {
        let ran = sempre(&[arguments, &["--memory", "40M"]].concat());
        assert_eq!(ran.status, 3, "{arguments:?}: {}{}", ran.out, ran.err);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("memory"), "{arguments:?}: {told}");
    }
}

/// If there was nothing before the limit, an older file stays; and what an export takes does not touch what was counted.
#[test]
fn a_limit_leaves_older_results() {
    let old = file("limits", "older.txt", "old");
    let automaton = file(
        "limits",
        "loop.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0\n--END--\n",
    );
    for arguments in [
        &["translate", "F a"][..],
        &["formula", "F a", "--simplify"],
        &["automaton", &automaton, "--reduce"],
    ] {
        let ran = sempre(&[arguments, &["--time", "0", "-o", &old]].concat());
        assert_eq!(ran.status, 3, "{arguments:?}: {}", ran.err);
        assert_eq!(fs::read_to_string(&old).expect("it is there"), "old");
    }
    let (counted, table) = (
        file("limits", "counted.txt", "old"),
        file("limits", "table.etf", "old"),
    );
    let arguments = ["explore", "examples/mutex.dve", "--no-jit", "-o", &counted];
    let arguments = [&arguments[..], &["--etf", &table]].concat();
    // The last look of all is one of the export.
    let (mut stopped_at_last, mut too_late) = (1, 1 << 20);
    while too_late - stopped_at_last > 1 {
        let look = (stopped_at_last + too_late) / 2;
        fs::write(&counted, "old").expect("it can be written");
        let ran = stopped_at(&arguments, look);
        match ran.status {
            3 => stopped_at_last = look,
            _ => too_late = look,
        }
    }
    fs::write(&counted, "old").expect("it can be written");
    fs::write(&table, "old").expect("it can be written");
    let ran = stopped_at(&arguments, stopped_at_last);
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert!(ran.err.contains("while exporting the model"), "{}", ran.err);
    let text = fs::read_to_string(&counted).expect("it is there");
    assert!(text.starts_with("states"), "{text}");
    assert_eq!(fs::read_to_string(&table).expect("it is there"), "old");
}

/// A failed run leaves the last good file; links and permissions stay; what is no file is written itself.
#[cfg(unix)]
#[test]
fn files_are_replaced_at_the_end() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let good = file("limits", "good.hoa", "old");
    fs::set_permissions(&good, fs::Permissions::from_mode(0o640)).expect("it is ours");
    let link = path("limits", "link.hoa");
    let _ = fs::remove_file(&link);
    symlink(&good, &link).expect("links can be made");
    let link = link.to_str().expect("UTF-8");
    let ran = sempre(&["automaton", "no-such-file.hoa", "-o", link]);
    assert_eq!(ran.status, 2);
    assert_eq!(fs::read_to_string(&good).expect("it is there"), "old");
    let ran = sempre(&["translate", "F a", "-o", link]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let text = fs::read_to_string(&good).expect("it is there");
    assert!(text.starts_with("HOA: v1"), "{text}");
    assert!(fs::symlink_metadata(link).expect("a link").is_symlink());
    let mode = fs::metadata(&good).expect("it is there").permissions();
    assert_eq!(mode.mode() & 0o777, 0o640);
    assert_eq!(leftovers("good"), Vec::<String>::new());
    for place in ["/dev/stdout", "-"] {
        let ran = sempre(&["translate", "F a", "-o", place]);
        assert!(ran.out.starts_with("HOA: v1"), "{}", ran.err);
    }
    let nowhere = sempre(&["translate", "F a", "-o", "/no/such/folder/file"]);
    assert_eq!(nowhere.status, 2);
    assert!(nowhere.err.contains("cannot write `/no/such/folder/file`"));
}

/// The signals of a process that has set its handlers, as masks: caught, ignored.
#[cfg(target_os = "linux")]
fn masks(process: u32) -> Option<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let mask = |name| {
        let line = status.lines().find_map(|l| l.strip_prefix(name))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    Some((mask("SigCgt:")?, mask("SigIgn:")?))
}

#[cfg(target_os = "linux")]
fn send(signal: &str, process: u32) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &process.to_string()])
        .status();
    assert!(sent.expect("there is a shell").success());
}

/// Waits until the process catches the signal of this number, and has worked a little.
#[cfg(target_os = "linux")]
fn wait_for_work(process: u32, number: u32) {
    let ticks = || -> Option<u64> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let fields = stat.rsplit(')').next()?;
        fields.split_whitespace().nth(11)?.parse().ok()
    };
    loop {
        let (caught, _) = masks(process).expect("it runs");
        if caught >> (number - 1) & 1 == 1 && ticks().is_some_and(|t| t >= 10) {
            return;
        }
        std::thread::yield_now();
    }
}

/// Each signal that asks for an end leaves the statistics so far, and the reports.
#[cfg(target_os = "linux")]
#[test]
fn signals_end_a_run_with_what_is_known() {
    let model = large();
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let report = file("limits", &format!("{signal}.html"), "old");
        let results = file("limits", &format!("{signal}.txt"), "old");
        // Whoever runs the tests may ignore hang-ups.
        let child = Command::new("env")
            .args(["--default-signal=HUP", BINARY])
            .args(["check", &model, "G x[7] == 0", "--memory", "4G"])
            .args(["--report", &report, "-o", &results])
            .current_dir(ROOT)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let process = child.id();
        wait_for_work(process, number);
        assert_eq!(fs::read_to_string(&report).expect("it is there"), "old");
        send(signal, process);
        let ran = finish(child.wait_with_output().expect("it ends"));
        assert_eq!(ran.status, 3, "{signal}: {}", ran.err);
        let text = fs::read_to_string(&results).expect("it is there");
        assert!(
            text.contains("unknown") && text.contains("interrupted"),
            "{text}"
        );
        let page = fs::read_to_string(&report).expect("it is there");
        assert!(
            page.contains("interrupted") && page.ends_with("</html>\n"),
            "{signal}"
        );
        assert_eq!(leftovers(signal), Vec::<String>::new());
    }
}

/// Under `nohup` a hang-up stays ignored.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    let line = format!("trap '' HUP; exec {BINARY} explore {} --memory 4G", large());
    let child = Command::new("sh")
        .args(["-c", &line])
        .current_dir(ROOT)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    let process = child.id();
    wait_for_work(process, 15);
    let (caught, ignored) = masks(process).expect("it runs");
    assert_eq!((caught & 1, ignored & 1), (0, 1));
    send("HUP", process);
    send("TERM", process);
    let ran = finish(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert!(ran.out.contains("interrupted"), "{}", ran.out);
}

/// A translation is stopped in its middle; a command that waits for input ends, too; a second signal ends it at once.
#[cfg(target_os = "linux")]
#[test]
fn signals_end_other_commands() {
    let child = command(&["translate", "G F a", &hard(), "--to", "parity"])
        .args(["--max-edges", "1000000000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let process = child.id();
    wait_for_work(process, 15);
    send("TERM", process);
    let ran = finish(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert_eq!(ran.out.matches("--END--").count(), 1);
    assert!(ran.err.contains("interrupted"), "{}", ran.err);

    // Of two, whichever is handled last gives the status.
    for (signals, statuses) in [(&["TERM"][..], [3, 3]), (&["TERM", "INT"], [143, 130])] {
        let child = command(&["explore", "-", "--language", "dve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let process = child.id();
        while masks(process).expect("it runs").0 >> 14 & 1 == 0 {
            std::thread::yield_now();
        }
        for signal in signals {
            send(signal, process);
        }
        // Its input stays open until it has ended.
        let mut child = child;
        let input = child.stdin.take();
        let ran = finish(child.wait_with_output().expect("it ends"));
        drop(input);
        assert!(
            statuses.contains(&ran.status),
            "{}: {}",
            ran.status,
            ran.err
        );
    }
}

/// The system's own limits end a run with status 3, or are an error; they are no crash.
#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_system_are_no_crash() {
    let (model, formula) = (large(), hard());
    for arguments in [
        &["explore", &model][..],
        &["explore", &model, "--memory", "64G"],
        &["explore", &model, "--memory", "64G", "--workers", "3"],
        &[
            "check",
            &model,
            "G x[7] == 0",
            "--engine",
            "auto",
            "--memory",
            "64G",
        ],
        &[
            "explore", &model, "--engine", "symbolic", "--search", "bfs", "--memory", "64G",
        ],
        &[
            "translate",
            &formula,
            "--max-edges",
            "1000000000000",
            "--memory",
            "64G",
        ],
    ] {
        let line = "ulimit -v 150000; exec \"$0\" \"$@\"";
        let output = Command::new("sh")
            .args(["-c", line, BINARY])
            .args(arguments)
            .current_dir(Path::new(ROOT))
            .output()
            .expect("there is a shell");
        let ran = finish(output);
        assert_eq!(ran.status, 3, "{arguments:?}: {}{}", ran.out, ran.err);
        let told = format!("{}{}", ran.out, ran.err);
        let has_reason = told.contains("memory") || told.contains("no thread for a worker");
        assert!(has_reason, "{arguments:?}: {told}");
    }
}
