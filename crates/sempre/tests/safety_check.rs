//! Checks of safety properties by finite automata: against the Büchi route, against a breadth-first search that is written
//! here, and on the command line.

use sempre::Workbench;
use sempre::base::Random;
use sempre::check::bad_prefix::is_bad_prefix;
use sempre::check::{
    AutomatonKind, Checker, Claim, Evidence, Fairness, Report, Settings, Verdict, sources,
};
use sempre::explicit::finite::Search;
use sempre::explicit::product::Deadlock;
use sempre::lang::graph::{Graph, write_graph};
use sempre::lang::model::{Language, Model};
use sempre::lang::random_graph::{RandomGraph, random_graph};
use sempre::ltl::nnf::nnf;
use sempre::ltl::random::RandomFormula;
use sempre::ltl::{Formulas, Op, Syntax, print};
use sempre::omega::scc::{Sccs, useful_states};
use sempre::translate::hierarchy::is_safety;
use sempre::translate::language::Language as Meaning;
use sempre::translate::translator::{Options, Translator};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// Which states have a path that never ends.
fn endless(graph: &Graph) -> Vec<bool> {
    let n = graph.states.len();
    let mut lives = vec![true; n];
    for _ in 0..=n {
        for s in 0..n {
            lives[s] = graph.states[s].edges.iter().any(|e| lives[e.to as usize]);
        }
    }
    lives
}

/// The number of states of a shortest path of the graph that no continuation saves. By an automaton of the formula itself: which
/// of its states that accept something a path can lead to.
fn shortest(graph: &Graph, formula: &str, deadlock: Deadlock) -> Option<usize> {
    let mut bench = Workbench::new();
    let f = bench.parse(formula).expect("it was printed");
    let models = bench.translate(f, Options::default());
    let useful = useful_states(&models, &Sccs::new(&models));
    let lives = endless(graph);
    let names = bench.alphabet.names().to_vec();
    let read = |state: u32, set: &[u32]| -> Vec<u32> {
        let here = &graph.states[state as usize].propositions;
        let holds = |v: u32| {
            here.iter()
                .any(|&p| graph.propositions[p as usize] == names[v as usize])
        };
        let edges = set.iter().flat_map(|&q| &models.edges[q as usize]);
        let mut next: Vec<u32> = edges
            .filter(|e| useful[e.to as usize] && bench.alphabet.bdds.eval(e.label, holds))
            .map(|e| e.to)
            .collect();
        next.sort_unstable();
        next.dedup();
        next
    };
    let first: Vec<u32> = (models.initial.iter().copied())
        .filter(|&q| useful[q as usize])
        .collect();
    let mut level: Vec<(u32, Vec<u32>)> = (graph.initial.iter())
        .map(|&s| (s, read(s, &first)))
        .collect();
    let mut seen: HashSet<(u32, Vec<u32>)> = HashSet::new();
    for length in 1.. {
        level.retain(|pair| seen.insert(pair.clone()));
        if level.is_empty() {
            return None;
        }
        let counts = |s: u32| deadlock == Deadlock::Stutter || lives[s as usize];
        if level.iter().any(|(s, set)| set.is_empty() && counts(*s)) {
            return Some(length);
        }
        let mut next = Vec::new();
        for (s, set) in &level {
            let edges = &graph.states[*s as usize].edges;
            next.extend(edges.iter().map(|e| (e.to, read(e.to, set))));
            if edges.is_empty() && deadlock == Deadlock::Stutter {
                next.push((*s, read(*s, set)));
            }
        }
        level = next;
    }
    None
}

/// A safety formula, and whether its syntax says so.
fn safe_formula(random: &mut Random) -> (String, bool) {
    loop {
        let mut formulas = Formulas::new();
        let mut shape = RandomFormula::new(2);
        shape.sizes = 2..=12;
        if random.chance(0.7) {
            for op in [
                Op::Finally,
                Op::Until,
                Op::StrongRelease,
                Op::Implies,
                Op::Equiv,
                Op::Xor,
            ] {
                shape.set_priority(op, 0);
            }
        }
        let f = shape.draw(&mut formulas, random);
        let text = print(&formulas, f, Syntax::Spot).to_string();
        let g = nnf(&mut formulas, f);
        if formulas.facts(g).safety() {
            return (text, true);
        }
        let mut translator = Translator::new();
        if is_safety(&mut Meaning::new(&mut translator, &mut formulas, f)) {
            return (text, false);
        }
    }
}

fn evidence(report: &Report) -> Option<&Evidence> {
    match &report.verdict {
        Verdict::Violated(evidence) => Some(evidence),
        Verdict::Holds(_) => None,
        Verdict::Unknown(cause) => panic!("{cause:?}"),
    }
}

/// The number of moments of a run after which the property is lost. A cycle may have to be gone through several times.
fn lost(claim: &Claim, run: &Evidence) -> usize {
    let cycle = run.cycle().iter().cycle();
    let letters = run.prefix().iter().chain(cycle);
    let mut word = Vec::new();
    for moment in letters {
        word.push(moment.propositions.clone());
        if is_bad_prefix(&mut claim.clone(), &word) {
            break;
        }
    }
    word.len()
}

#[test]
fn random_graphs_with_deadlocks() {
    let mut random = Random::new(6);
    let mut holding = [0; 2];
    let (mut by_language, mut stuttered, mut dropped, mut shorter) = (0, 0, 0, 0);
    for round in 0..3000 {
        let mut graph = random_graph(
            &mut random,
            &RandomGraph {
                states: 1 + round % 12,
                density: 0.12,
                propositions: vec!["p0".into(), "p1".into()],
                truth: 0.6,
                marks: 0,
                mark_probability: 0.0,
            },
        );
        for state in &mut graph.states {
            if random.chance(0.25) {
                state.edges.clear();
            }
        }
        let (formula, by_syntax) = safe_formula(&mut random);
        let text = write_graph(&graph);
        let (model, _) = Model::read(Language::Graph, "random", &text).expect("it was written");
        let property = sources::formula(&model, &formula).expect("it was printed");
        let checker = Checker::new(model.program(), Fairness::None).expect("no fairness");
        let mut violated = [false; 2];
        for (i, deadlock) in [Deadlock::Stutter, Deadlock::Drop].into_iter().enumerate() {
            let what = format!("round {round}: {formula} {deadlock:?}\n{text}");
            let settings = Settings {
                deadlock,
                compile: false,
                ..Settings::default()
            };
            let check = |settings: Settings<'_>| checker.check(&property, &settings).expect(&what);
            let by_runs = check(Settings {
                automaton: Some(AutomatonKind::Tgba),
                shorten: round % 2 == 0,
                ..settings
            });
            let lasso = evidence(&by_runs);
            let expected = shortest(&graph, &formula, deadlock);
            assert_eq!(lasso.is_some(), expected.is_some(), "{what}");
            let automatic = check(settings);
            assert!(automatic.search.is_some() || !by_syntax, "{what}");
            by_language += usize::from(automatic.search.is_some() && !by_syntax);
            let mut ways = vec![automatic];
            if round % 3 == 0 {
                for search in [Search::Bfs, Search::BestFirst, Search::Dfs] {
                    for automaton in [None, Some(AutomatonKind::Nfa)] {
                        ways.push(check(Settings {
                            search: Some(search),
                            automaton,
                            workers: 1 + round % 2,
                            ..settings
                        }));
                    }
                }
            }
            for report in &ways {
                let what = format!("{what}{:?} {:?}", report.search, report.automaton);
                let found = evidence(report);
                assert_eq!(found.is_some(), expected.is_some(), "{what}");
                let (Some(found), Some(length)) = (found, expected) else {
                    continue;
                };
                let deterministic = report
                    .automaton
                    .is_some_and(|a| a.kind == AutomatonKind::Dfa);
                if report.search.is_none() {
                    continue;
                }
                assert!(found.is_finite() && found.len() >= length, "{what}");
                if deterministic && report.search != Some(Search::Dfs) {
                    assert_eq!(found.len(), length, "{what}");
                    let lasso = lasso.expect("it is violated");
                    assert!(length <= lost(&property.claim, lasso), "{what}");
                    shorter += usize::from(length < lasso.len());
                }
                let (_, before) = found.prefix().split_last().expect("not empty");
                stuttered += usize::from(before.iter().any(|m| m.action.is_none()));
            }
            violated[i] = expected.is_some();
            holding[usize::from(expected.is_none())] += 1;
        }
        assert!(violated[0] || !violated[1], "fewer runs violate less");
        dropped += usize::from(violated[0] && !violated[1]);
    }
    assert!(holding.iter().all(|&n| n > 1000), "{holding:?}");
    assert!(
        by_language > 100 && stuttered > 50 && dropped > 100 && shorter > 500,
        "{by_language} {stuttered} {dropped} {shorter}"
    );
}

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Status, standard output, standard error.
fn check(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_sempre"))
        .arg("check")
        .args(arguments)
        .current_dir(ROOT)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("it was not killed");
    (status, text(output.stdout), text(output.stderr))
}

fn object(arguments: &[&str]) -> Value {
    let (_, out, err) = check(&[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{arguments:?}: {out}{err}"))
}

fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("safety_check");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path.to_str().expect("UTF-8").to_string()
}

const MUTEX: &str = "examples/mutex.dve";

/// Goes from a to b and stops.
const ENDING: &str = "process P { state a, b; init a; trans a -> b {}; } system async;";

#[test]
fn a_bad_prefix_is_printed_as_one() {
    let model = file("ending.dve", ENDING);
    let (status, out, _) = check(&[&model, "G P.a"]);
    assert_eq!(status, 1);
    let lines: Vec<&str> = out.lines().filter(|l| !l.contains("seconds")).collect();
    assert_eq!(
        lines,
        [
            "G P.a: violated",
            "  deadlock   stutter: a run that ends repeats its last state",
            "  automaton  dfa, 2 states, 3 edges, deterministic",
            "  product    1 state, 1 transition, queue 0 (bfs)",
            "  0  P = a  [P.a]",
            "       P: a -> b (line 1)",
            "  1  P = b  [not P.a]",
            "  whatever comes next, the property is violated",
        ]
    );
    let trace = file("trace.json", "");
    let found = object(&[&model, "G P.a", "--trace", &trace]);
    let run = &found["counterexample"];
    assert_eq!(run["kind"], "finite");
    assert_eq!(run["cycle"], serde_json::json!([]));
    assert_eq!(run["prefix"][0]["action"], "P: a -> b (line 1)");
    assert_eq!(run["prefix"][1]["action"], Value::Null);
    assert_eq!(run["prefix"][1]["propositions"]["P.a"], false);
    assert_eq!(found["algorithm"], "bfs");
    assert_eq!(found["automaton"]["kind"], "dfa");
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(trace).expect("written"))
        .expect("it is JSON");
    assert_eq!(kept["prefix"], run["prefix"]);
    // A deadlock is read again and again, or ends what does not count.
    let formula = "X X X !P.b";
    let stutter = object(&[&model, formula]);
    let prefix = stutter["counterexample"]["prefix"]
        .as_array()
        .expect("a run");
    assert_eq!(prefix.len(), 4);
    assert_eq!(prefix[2]["action"], Value::Null);
    assert_eq!(
        object(&[&model, formula, "--deadlock", "drop"])["verdict"],
        "holds"
    );
    // What nothing satisfies is violated by any first state.
    let nothing = object(&[&model, "P.a & !P.a"]);
    assert_eq!(
        nothing["counterexample"]["prefix"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn searches_by_name() {
    for formula in ["G !P_0.CS", "G !(P_0.CS & P_1.CS)", "!P_1.CS W P_0.CS"] {
        let expected = object(&[MUTEX, formula, "--automaton", "tgba"])["verdict"].clone();
        let mut lengths = Vec::new();
        for search in ["auto", "bfs", "best-first", "finite-dfs"] {
            for automaton in ["auto", "dfa", "nfa"] {
                let options = [
                    MUTEX,
                    formula,
                    "--algorithm",
                    search,
                    "--automaton",
                    automaton,
                ];
                let found = object(&options);
                assert_eq!(found["verdict"], expected, "{options:?}");
                if search != "finite-dfs" {
                    let prefix = &found["counterexample"]["prefix"];
                    lengths.push(prefix.as_array().map_or(0, Vec::len));
                }
            }
        }
        lengths.dedup();
        assert_eq!(lengths.len(), 1, "{formula}: {lengths:?}");
        let one = object(&[MUTEX, formula]);
        for workers in ["2", "3"] {
            let many = object(&[MUTEX, formula, "--workers", workers]);
            assert_eq!(many["counterexample"], one["counterexample"]);
            assert_eq!(many["verdict"], expected);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (arguments, complaint) in [
        (&["F P_0.CS", "--automaton", "dfa"][..], "this is none"),
        (&["F P_0.CS", "--algorithm", "bfs"], "this is none"),
        (
            &["G P_0.CS", "--automaton", "dfa", "--algorithm", "se05"],
            "looks for cycles",
        ),
        (
            &["G P_0.CS", "--automaton", "ba", "--algorithm", "bfs"],
            "needs a cycle",
        ),
        (
            &[
                "G P_0.CS",
                "--automaton",
                "dfa",
                "--fairness",
                "weak",
                "--deadlock",
                "drop",
            ],
            "fair and without end",
        ),
    ] {
        let (status, out, err) = check(&[&[MUTEX], arguments].concat());
        assert_eq!(status, 2, "{arguments:?}: {out}");
        assert!(err.contains(complaint), "{arguments:?}: {err}");
    }
    let marks = file("marks.graph", "red: stop -> green {0}\ngreen: go -> red\n");
    let (status, _, err) = check(&[&marks, "G stop", "--automaton", "dfa"]);
    assert_eq!(status, 2);
    assert!(err.contains("its edges have acceptance marks"), "{err}");
    assert_eq!(object(&[&marks, "G stop"])["automaton"]["kind"], "tgba");
}

#[test]
fn fairness_does_not_matter() {
    for formula in [
        "G !P_0.CS",
        "G !(P_0.CS & P_1.CS)",
        "!P_1.CS W P_0.CS",
        "G(P_0.CS -> X !P_0.idle)",
    ] {
        for fairness in ["weak", "weak-transitions"] {
            let options = [MUTEX, formula, "--fairness", fairness];
            let found = object(&options);
            let slow = object(&[&options[..], &["--automaton", "tgba"]].concat());
            assert_eq!(found["verdict"], slow["verdict"], "{options:?}");
            assert_eq!(found["fairness_ignored"], true);
            assert_eq!(slow["fairness_ignored"], Value::Null);
            let (_, out, _) = check(&options);
            assert!(
                out.contains("it does not matter to a safety property"),
                "{out}"
            );
        }
        // Where only endless runs count, it may.
        let both = [MUTEX, formula, "--fairness", "weak", "--deadlock", "drop"];
        assert_eq!(object(&both)["automaton"]["kind"], "tgba");
    }
}

/// Pathological and accidental formulas, and automata of violations.
#[test]
fn every_kind_of_safety() {
    // The first violation that matters is in the second state.
    let model = file("abc.graph", "propositions q r\ninitial 0\n");
    let _ = model;
    let ending = file("kinds.dve", ENDING);
    for (formula, length) in [
        // Pathological: `P.b`, with something in front of it that is never true.
        ("P.b | X(G P.a & F !P.a)", 1),
        // Accidental: not informative before the third letter.
        ("G(P.a | (X P.b & X !P.b))", 2),
    ] {
        let found = object(&[&ending, formula]);
        assert_eq!(found["automaton"]["kind"], "dfa", "{formula}");
        let prefix = found["counterexample"]["prefix"].as_array();
        assert_eq!(prefix.map(Vec::len), Some(length), "{formula}");
    }
    // `P.b` is seen, and then whatever.
    let violation = file(
        "violation.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"P.b\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n",
    );
    let found = object(&[&ending, "--violation", &violation]);
    assert_eq!(found["counterexample"]["kind"], "finite");
    assert_eq!(
        found["counterexample"]["prefix"].as_array().map(Vec::len),
        Some(2)
    );
    // Infinitely often is another matter.
    let violation = file(
        "often.hoa",
        "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"P.b\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0\n[!0] 0\n[0] 0 {0}\n--END--\n",
    );
    let found = object(&[&ending, "--violation", &violation]);
    assert_eq!(found["counterexample"]["kind"], "lasso");
    let (status, _, err) = check(&[&ending, "--violation", &violation, "--automaton", "dfa"]);
    assert_eq!(status, 2);
    assert!(err.contains("that is not seen"), "{err}");
}

#[test]
fn limits_are_unknown() {
    let large = file(
        "large.dve",
        "byte x[8]; process P { state s; init s; trans
        s -> s { effect x[0] = x[0] + 1; }, s -> s { effect x[1] = x[1] + 1; }, s -> s { effect x[2] = x[2] + 1; },
        s -> s { effect x[3] = x[3] + 1; }, s -> s { effect x[4] = x[4] + 1; }, s -> s { effect x[5] = x[5] + 1; };
        } system async;",
    );
    for search in ["auto", "bfs", "finite-dfs", "best-first"] {
        for (option, value, reason) in [("--time", "0.2", "time"), ("--memory", "3M", "memory")] {
            let found = object(&[&large, "G x[7] == 0", "--algorithm", search, option, value]);
            assert_eq!(found["verdict"], "unknown", "{search}");
            assert_eq!(found["reason"], reason, "{search}");
        }
    }
    let found = object(&[&large, "G x[7] == 0", "--workers", "2", "--memory", "3M"]);
    assert_eq!(found["reason"], "memory");
}
