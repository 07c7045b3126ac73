use crate::{Shape, assert_same, mutate, random_automaton};
use sempre_base::{Diagnostic, Random, Severity};
use sempre_omega::hoa::{AcceptancePlace, Highlights, HoaOptions, Known, read_hoa, write_hoa};
use sempre_omega::{Acceptance, Alphabet, Automaton, Bdd, Mark};
use std::path::{Path, PathBuf};

/// The only automaton of a text, which must be without diagnostics.
fn read_one(alphabet: &mut Alphabet, text: &str) -> Automaton {
    let (mut items, diagnostics) = read_hoa(alphabet, text);
    assert_eq!(diagnostics, [], "{text}");
    assert_eq!(items.len(), 1, "{text}");
    items.remove(0).automaton
}

/// Diagnostics as `severity "text under the caret": message`.
fn complaints(text: &str) -> (usize, Vec<String>) {
    let (items, diagnostics) = read_hoa(&mut Alphabet::new(), text);
    let show = |d: &Diagnostic| {
        let severity = if d.severity == Severity::Error {
            "error"
        } else {
            "warning"
        };
        format!(
            "{severity} {:?}: {}",
            &text[d.span.start..d.span.end],
            d.message
        )
    };
    (items.len(), diagnostics.iter().map(show).collect())
}

#[track_caller]
fn check(text: &str, automata: usize, expected: &[&str]) {
    let (count, found) = complaints(text);
    assert_eq!(found, expected, "{text}");
    assert_eq!(count, automata, "{text}");
}

#[test]
fn random_automata_survive_writing_and_reading() {
    let mut r = Random::new(1);
    for round in 0..3000 {
        let alphabet = &mut Alphabet::new();
        let shape = Shape {
            sets: *r.pick(&[0, 1, 2, 3, 4, 70]),
            state_acceptance: r.chance(0.4),
            one_initial: r.chance(0.7),
        };
        let mut a = random_automaton(&mut r, alphabet, shape);
        if r.chance(0.3) {
            a.name = Some("G(a -> \"b\\\")".to_string());
            a.extra_headers = vec![("owner".into(), "me 12 \"and you\" t".into())];
            a.state_names = (0..a.states())
                .map(|s| (s % 2 == 0).then(|| format!("{{{s}}}")))
                .collect();
            if a.states() == 0 {
                a.state_names.clear();
            }
        }
        let options = HoaOptions {
            acceptance: *r.pick(&[
                AcceptancePlace::Auto,
                AcceptancePlace::States,
                AcceptancePlace::Edges,
            ]),
            known: Known {
                stutter_invariant: (round % 2 == 0).then_some(true),
                unambiguous: None,
            },
            highlights: Highlights {
                states: (0..a.states() as u32)
                    .filter(|_| r.chance(0.1))
                    .map(|s| (s, 1))
                    .collect(),
                edges: (0..a.edge_count() as u32)
                    .filter(|_| r.chance(0.1))
                    .map(|e| (e + 1, 2))
                    .collect(),
            },
            tool: (round % 3 == 0).then(|| ("sempre".to_string(), Some("0.1".to_string()))),
            without_state_names: false,
        };
        let text = write_hoa(alphabet, &a, &options);
        let (mut items, diagnostics) = read_hoa(alphabet, &text);
        assert_eq!(
            diagnostics,
            [],
            "the writer must not promise what the reader denies:\n{text}"
        );
        let item = items.remove(0);
        assert_same(&a, &item.automaton, &text);
        assert_eq!(
            item.claims("stutter-invariant"),
            options.known.stutter_invariant == Some(true)
        );
        assert_eq!(
            item.claims("deterministic"),
            a.is_deterministic(&mut alphabet.bdds)
        );
        assert_eq!(item.claims("complete"), a.is_complete(&mut alphabet.bdds));
        assert_eq!(item.tool, options.tool);
    }
}

const TINY: &str = "HOA: v1 AP: 1 \"a\" Acceptance: 1 Inf(0) Start: 0 States: 2 --BODY-- \
    State: 0 [0] 1 {0} [!0] 0 State: 1 [t] 1 --END--";

#[test]
fn the_freedoms_of_the_format() {
    let al = &mut Alphabet::new();
    let plain = read_one(al, TINY);
    assert_eq!((plain.states(), plain.edge_count(), plain.sets), (2, 3, 1));
    // The same in other words.
    for text in [
        // Comments that nest, aliases before the propositions, no States, AP late.
        "HOA: v1 /* a /* nested */ comment */ Alias: @yes 0 Alias: @no !@yes Start: 0 \
         Acceptance: 1 Inf(0) AP: 1 \"a\" --BODY-- State: 1 [@yes | !@yes] 1 \
         State: 0 [@yes & t] 1 {0} [@no | f] 0 --END--",
        // A negated set that occurs with this sign only.
        "HOA: v1 AP: 1 \"a\" Acceptance: 1 Inf(!0) Start: 0 States: 2 --BODY-- \
         State: 0 [0] 1 [!0] 0 {0} State: 1 {0} [t] 1 --END--",
        // Edges labelled false vanish; parentheses; odd spacing.
        "HOA:v1 AP:1\"a\"Acceptance:1(Inf(0))&t Start:0 Start: 0 --BODY-- \
         State:0[0]1{0}[(!(0))]0[f]0 State:1[0|!0]1--END--",
    ] {
        let b = read_one(al, text);
        assert_same(&plain, &b, text);
    }
    // Implicit labels: bit i of the position is proposition i.
    let b = read_one(
        al,
        "HOA: v1 AP: 2 \"a\" \"b\" Acceptance: 0 t Start: 0 --BODY-- State: 0 0 1 2 3 \
         State: 1 State: [0&!1] 2 1 State: 3 --END--",
    );
    let bdds = &al.bdds;
    for letter in 0..4u32 {
        let to: Vec<u32> = b.edges[0]
            .iter()
            .filter(|e| bdds.eval(e.label, |v| letter >> v & 1 == 1))
            .map(|e| e.to)
            .collect();
        assert_eq!(to, [letter]);
    }
    assert!(bdds.eval(b.edges[2][0].label, |v| v == 0));
    // A set with both signs gets a complement behind the others.
    let b = read_one(
        al,
        "HOA: v1 Acceptance: 1 Inf(0)&Inf(!0) Start: 0 --BODY-- State: 0 [t] 0 {0} [t] 1 State: 1 [t] 0 --END--",
    );
    assert_eq!(
        (b.sets, b.acceptance.to_string()),
        (2, "Inf(0) & Inf(1)".to_string())
    );
    let marks: Vec<Mark> = b.edges.iter().flatten().map(|e| e.mark.clone()).collect();
    assert_eq!(marks, [Mark::single(0), Mark::single(1), Mark::single(1)]);
    // No Start is the empty language; no AP is no propositions.
    let b = read_one(
        al,
        "HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--",
    );
    assert!(b.initial.is_empty() && b.propositions.is_empty());
    assert_eq!(b.edges[0][0].label, Bdd::TRUE);
    // Several initial states, state marks and edge marks together, escapes.
    let b = read_one(
        al,
        "HOA: v1 name: \"a\\\"b\\\\\" Start: 1 Start: 0 Acceptance: 2 Fin(0)|Inf(1) custom: 1 x \"y\" t \
         --BODY-- State: 0 \"zero\" {0} [t] 1 {1} [t] 0 State: 1 --END--",
    );
    assert_eq!(b.initial, [1, 0]);
    assert_eq!(b.name.as_deref(), Some("a\"b\\"));
    assert_eq!(
        b.extra_headers,
        [("custom".to_string(), "1 x \"y\" t".to_string())]
    );
    assert_eq!(b.edges[0][0].mark, Mark::all(2));
    assert_eq!(b.edges[0][1].mark, Mark::single(0));
    assert_eq!(b.state_names[0].as_deref(), Some("zero"));
}

#[test]
fn streams_and_aborted_automata() {
    let text = format!(
        "{TINY} HOA: v1 Acceptance: 0 t --ABORT-- {TINY}\n HOA: v1 Acceptance: 0 t --BODY-- State: 0 --ABORT--"
    );
    check(
        &text,
        2,
        &[
            "warning \"--ABORT--\": the producer aborted this automaton; it is left out",
            "warning \"--ABORT--\": the producer aborted this automaton; it is left out",
        ],
    );
    check("", 0, &[]);
    check("/* nothing */", 0, &[]);
    // Noise between automata, an automaton without end: the others are read.
    let text = format!("{TINY}\nnoise \" here\n{TINY}\nHOA: v1 Acceptance: 0 t\n--BODY--\n{TINY}");
    check(
        &text,
        3,
        &[
            "error \"noise\": expected `HOA:`, found `noise`",
            "error \"HOA:\": expected `State:` or `--END--`, found `HOA:`",
        ],
    );
}

#[test]
fn mistakes_in_the_header() {
    let with = |header: &str| format!("HOA: v1 {header} --BODY-- --END--");
    let acc = |header: &str| with(&format!("Acceptance: 0 t {header}"));
    check(
        "HOA: v2 Acceptance: 0 t --BODY-- --END--",
        0,
        &["error \"v2\": HOA version `v2` is not known"],
    );
    check(
        "HOA: v12 Acceptance: 0 t --BODY-- --END--",
        0,
        &["error \"v12\": HOA version `v12` is not known"],
    );
    check(
        "HOA: v1.7 Acceptance: 0 t --BODY-- --END--",
        1,
        &["warning \"v1.7\": HOA version `v1.7` is not known"],
    );
    check(
        &with(""),
        0,
        &["error \"--BODY--\": the header has no `Acceptance:` line"],
    );
    check(
        &acc("States: 1 States: 1"),
        0,
        &["error \"States:\": a second `States:` line"],
    );
    check(
        &acc("AP: 0 AP: 0"),
        0,
        &["error \"AP:\": a second `AP:` line"],
    );
    check(
        "HOA: v1 AP: 2 \"a\" \"a\" Acceptance: 0 t --BODY-- State: 0 0 0 0 0 --END--",
        0,
        &["error \"\\\"a\\\"\": the proposition `a` is declared twice"],
    );
    check(
        &acc("Acceptance: 0 t"),
        0,
        &["error \"Acceptance:\": a second `Acceptance:` line"],
    );
    check(
        &acc("name: \"a\" name: \"b\""),
        0,
        &["error \"name:\": a second `name:` line"],
    );
    check(
        &acc("Controllable: 1 2"),
        0,
        &["error \"Controllable:\": the header `Controllable:` is not known"],
    );
    check(&acc("controllable: 1 2"), 1, &[]);
    check(
        &acc("States: 2 Start: 0&"),
        0,
        &["error \"--BODY--\": expected a state, found `--BODY--`"],
    );
    check(
        &acc("States: 2 Start: 1&2"),
        0,
        &["error \"2\": there is no state 2"],
    );
    check(
        &acc("properties: !"),
        0,
        &["error \"--BODY--\": expected a property, found `--BODY--`"],
    );
    check(
        &acc("spot.highlight.states: 0 1 owner: 1"),
        1,
        &[
            "warning \"spot.highlight.states:\": the header `spot.highlight.states:` is left out: names have dots from `HOA: v1.1` on",
        ],
    );
    check(
        &acc("States: 2 Start: 2"),
        0,
        &["error \"2\": there is no state 2"],
    );
    check(
        &acc("Start: 3 States: 2"),
        0,
        &["error \"3\": there is no state 3"],
    );
    check(
        &acc("AP: 2 \"a\""),
        0,
        &["error \"2\": 2 propositions are announced, but 1 are named"],
    );
    check(
        &acc("AP: 2 \"a\" \"a\""),
        0,
        &["error \"\\\"a\\\"\": the proposition `a` is declared twice"],
    );
    check(
        &acc("AP: 1 \"a\" Alias: @x 1"),
        0,
        &["error \"1\": there is no proposition 1"],
    );
    check(
        &acc("Alias: @x @y Alias: @x t"),
        0,
        &[
            "error \"@x\": the alias `@x` is defined twice",
            "error \"@y\": the alias `@y` is not defined",
        ]
        .iter()
        .rev()
        .copied()
        .collect::<Vec<_>>(),
    );
    check(
        &with("Acceptance: 1 Inf(1)"),
        0,
        &["error \"1\": there is no acceptance set 1"],
    );
    check(
        &with("Acceptance: 1 Inf(0"),
        0,
        &["error \"--BODY--\": expected `)` after the number of the set, found `--BODY--`"],
    );
    check(
        &with("Acceptance: 1 Int(0)"),
        0,
        &[
            "error \"Int\": expected an acceptance condition (`Inf(…)`, `Fin(…)`, `t`, `f` or `(`), found `Int`",
        ],
    );
    check(
        &acc("States: 99999999999"),
        0,
        &["error \"99999999999\": the number of states is too large"],
    );
    // One run reports many errors.
    check(
        &with("States: x Start: & AP: \"a\" Foo: 1 Acceptance: 0 Inf(3)"),
        0,
        &[
            "error \"x\": expected the number of states, found `x`",
            "error \"&\": expected an initial state, found `&`",
            "error \"\\\"a\\\"\": expected the number of propositions, found a string",
            "error \"Foo:\": the header `Foo:` is not known",
            "error \"3\": there is no acceptance set 3",
        ],
    );
}

#[test]
fn mistakes_in_the_body() {
    let with = |body: &str| {
        format!(
            "HOA: v1 AP: 2 \"a\" \"b\" States: 2 Start: 0 Acceptance: 1 Inf(0) --BODY-- {body} --END--"
        )
    };
    check(
        &with("State: 0 [0&] 1 [0 1] 0 [2] 0 [@x] 0 State: 1"),
        0,
        &[
            "error \"]\": expected a label (a proposition number, `t`, `f`, `@alias`, `!` or `(`), found `]`",
            "error \"1\": expected `&`, `|` or `]`, found `1`",
            "error \"2\": there is no proposition 2",
            "error \"@x\": the alias `@x` is not defined",
        ],
    );
    check(
        &with("State: 0 [t] 2 State: 2 [t] 0 {1} State: 1 [t] x [t] 0&2"),
        0,
        &[
            "error \"2\": there is no state 2",
            "error \"2\": there is no state 2",
            "error \"1\": there is no acceptance set 1",
            "error \"x\": expected an edge (`[label] state`), `State:` or `--END--`, found `x`",
            "error \"2\": there is no state 2",
        ],
    );
    check(
        &with("State: 0 State: 0 State: 1"),
        0,
        &["error \"0\": state 0 is described twice"],
    );
    check(
        &with("State: 0 0 1 0 State: 1"),
        0,
        &["error \"0\": state 0 has 3 edges without labels"],
    );
    check(
        &with("State: 0 [t] 1 1 State: 1"),
        0,
        &["error \"1\": some edges of this state have labels, some have not"],
    );
    check(
        &with("State: [0] 0 [1] 1 State: 1"),
        0,
        &["error \"[\": this edge has a label, and its state has one too"],
    );
    check(
        &with("State: 0 [t] 1 {0"),
        0,
        &["error \"--END--\": expected the number of an acceptance set, or `}`, found `--END--`"],
    );
    check(
        &with("State: 0 [t] 1"),
        1,
        &["warning \"1\": state 1 is not described; it is taken to have no edges"],
    );
    check(
        &with("States: 0"),
        0,
        &["error \"States:\": expected `State:` or `--END--`, found `States:`"],
    );
    check(
        "HOA: v1 Acceptance: 0 t --BODY-- State: 0 \"x",
        0,
        &[
            "error \"\\\"x\": expected an edge (`[label] state`), `State:` or `--END--`, found a string that is never closed",
            "error \"\": expected `State:` or `--END--`, found the end of the text",
        ],
    );
}

#[test]
fn broken_promises_are_warnings() {
    let with = |properties: &str| {
        format!(
            "HOA: v1 Start: 0 Acceptance: 1 Inf(0) {properties} --BODY-- State: 0 [t] 0 {{0}} [t] 1 State: 1 [t] 0 --END--"
        )
    };
    check(
        &with("properties: deterministic complete"),
        1,
        &[
            "warning \"deterministic\": the header claims `deterministic`, but some state has two edges for the same letter",
        ],
    );
    check(
        &with("properties: very-weak state-acc"),
        1,
        &[
            "warning \"very-weak\": the header claims `very-weak`, but the edges inside a component are not all in the same acceptance sets",
            "warning \"state-acc\": the header claims `state-acc`, but an edge has marks of its own",
        ],
    );
    check(
        &with("acc-name: co-Buchi"),
        1,
        &["warning \"co-Buchi\": `acc-name:` and `Acceptance:` do not agree"],
    );
    check(&with("acc-name: parity min even 1"), 1, &[]);
    check(&with("acc-name: unheard-of 3"), 1, &[]);
}

#[test]
fn great_numbers_take_no_memory() {
    let with = |header: &str, body: &str| format!("HOA: v1 {header} --BODY-- {body} --END--");
    check(
        &with(
            "Acceptance: 0 t States: 4000000000 Start: 0",
            "State: 0 [t] 0",
        ),
        1,
        &[
            "warning \"4000000000\": 4000000000 states are declared, 1 are used; the others are left out",
        ],
    );
    check(
        &with(
            "Acceptance: 0 t States: 4000000000 Start: 0",
            "State: 0 [t] 3999999999",
        ),
        0,
        &["error \"3999999999\": state number 3999999999 is far too large"],
    );
    check(
        &with("Acceptance: 0 t Start: 4294967295", ""),
        0,
        &["error \"4294967295\": state number 4294967295 is far too large"],
    );
    check(
        &with("Acceptance: 4000000000 t", ""),
        0,
        &["error \"4000000000\": too many acceptance sets"],
    );
    check(
        &with("Acceptance: 0 t AP: 4000000000 \"a\"", ""),
        0,
        &["error \"4000000000\": 4000000000 propositions are announced, but 1 are named"],
    );
    // Many short automata that declare many states each.
    let short = with("Acceptance: 0 t States: 1000000", "State: 0 [t] 0");
    let (items, _) = read_hoa(&mut Alphabet::new(), &short.repeat(1000));
    let kept: usize = items.iter().map(|i| i.automaton.states()).sum();
    assert_eq!((items.len(), kept), (1000, 1000));
    // Unused declared states are kept if there are few.
    let (items, _) = read_hoa(
        &mut Alphabet::new(),
        &with("Acceptance: 0 t States: 5", "State: 0 [t] 0"),
    );
    assert_eq!(items[0].automaton.states(), 5);
}

const TOKENS: [&str; 44] = [
    "HOA:",
    "v1",
    "States:",
    "Start:",
    "AP:",
    "Alias:",
    "Acceptance:",
    "acc-name:",
    "tool:",
    "name:",
    "properties:",
    "Foo:",
    "foo:",
    "--BODY--",
    "--END--",
    "--ABORT--",
    "State:",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "!",
    "&",
    "|",
    "t",
    "f",
    "0",
    "1",
    "2",
    "4000000000",
    "99999999999999",
    "@a",
    "@",
    "\"a\"",
    "\"",
    "Inf",
    "Fin",
    "/*",
    "*/",
    "deterministic",
    "é",
    "\\",
];

#[test]
fn token_soup_never_panics() {
    let mut r = Random::new(3);
    for _ in 0..4000 {
        let mut text = if r.chance(0.5) {
            "HOA: v1 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 ".to_string()
        } else {
            "HOA: v1 ".to_string()
        };
        for _ in 0..r.below(40) {
            text.push_str(TOKENS[r.below(TOKENS.len())]);
            if r.chance(0.8) {
                text.push(' ');
            }
        }
        let _ = complaints(&text);
    }
}

#[test]
fn damaged_automata_never_panic_and_are_repaired_never() {
    let mut r = Random::new(4);
    for _ in 0..3000 {
        let alphabet = &mut Alphabet::new();
        let shape = Shape {
            sets: 2,
            state_acceptance: r.chance(0.5),
            one_initial: true,
        };
        let a = random_automaton(&mut r, alphabet, shape);
        let text = write_hoa(alphabet, &a, &HoaOptions::default());
        let text = mutate(&mut r, &text, &TOKENS);
        let (items, diagnostics) = read_hoa(alphabet, &text);
        for d in &diagnostics {
            assert!(
                text.get(d.span.start..d.span.end).is_some(),
                "{d:?}\n{text}"
            );
        }
        // Every automaton returned satisfies the invariants, and can be written and read.
        for item in items {
            let a = &item.automaton;
            assert!(a.initial.iter().all(|&s| (s as usize) < a.states()));
            for e in a.edges.iter().flatten() {
                assert!((e.to as usize) < a.states() && e.mark.is_subset(&Mark::all(a.sets)));
                assert!(!e.label.is_false());
            }
            let again = write_hoa(alphabet, a, &HoaOptions::default());
            let b = read_one(alphabet, &again);
            assert_same(a, &b, &again);
        }
    }
}

#[test]
fn large_texts_end() {
    // Noise of every kind, each a few megabytes.
    for noise in [
        "(",
        "[",
        "/*",
        "\"",
        "HOA: ",
        "State: ",
        "x",
        "é",
        "HOA: v1 ",
        "0 ",
        "--",
        "Alias: @a ",
    ] {
        let text = noise.repeat(2_000_000 / noise.len());
        let (items, diagnostics) = read_hoa(&mut Alphabet::new(), &text);
        assert!(
            items.is_empty() && (1..=101).contains(&diagnostics.len()),
            "{noise}"
        );
        let text = format!("HOA: v1 Acceptance: 2 t --BODY-- State: 0 {text}");
        let (items, diagnostics) = read_hoa(&mut Alphabet::new(), &text);
        assert!(
            items.is_empty() && (1..=101).contains(&diagnostics.len()),
            "{noise}"
        );
        let text = format!("HOA: v1 Acceptance: 2 {text}");
        let (items, diagnostics) = read_hoa(&mut Alphabet::new(), &text);
        assert!(
            items.is_empty() && (1..=101).contains(&diagnostics.len()),
            "{noise}"
        );
    }
    // A long automaton.
    let n = 100_000;
    let mut text =
        format!("HOA: v1 States: {n} Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0) --BODY--\n");
    for s in 0..n {
        text += &format!(
            "State: {s} [0&!1] {} {{0}} [!0 | 1] {}\n",
            (s + 1) % n,
            s / 2
        );
    }
    text += "--END--";
    let a = read_one(&mut Alphabet::new(), &text);
    assert_eq!(a.edge_count(), 2 * n);
    // A long condition.
    let sets = 60_000;
    let atoms: Vec<String> = (0..sets).map(|i| format!("Inf({i})")).collect();
    let text = format!(
        "HOA: v1 Acceptance: {sets} {} --BODY-- --END--",
        atoms.join(" & ")
    );
    let a = read_one(&mut Alphabet::new(), &text);
    assert!(matches!(a.acceptance, Acceptance::And(parts) if parts.len() == sets));
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn the_automata_of_the_experiments_are_read_and_written() {
    let root = test_data::path("tacas14/hoa");
    let mut files = 0;
    let children = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|e| e.expect("an entry").path()).collect()
    };
    for folder in children(&root).into_iter().filter(|f| f.is_dir()) {
        for path in children(&folder) {
            if path.extension().is_none_or(|e| e != "hoa") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a text");
            let alphabet = &mut Alphabet::new();
            let (items, diagnostics) = read_hoa(alphabet, &text);
            let errors: Vec<_> = diagnostics
                .iter()
                .filter(|d| d.severity == Severity::Error)
                .collect();
            assert!(
                errors.is_empty() && items.len() == 1,
                "{path:?}: {errors:?}"
            );
            for d in diagnostics {
                println!("{path:?}: {}", d.message);
            }
            let a = &items[0].automaton;
            let written = write_hoa(alphabet, a, &HoaOptions::default());
            let b = read_one(alphabet, &written);
            assert_same(a, &b, &written);
            files += 1;
        }
    }
    assert!(files > 600, "{files}");
}

#[test]
fn version_1_1_has_dots_and_negated_properties() {
    let text = "HOA: v1.1 States: 2 Start: 0 AP: 1 \"a\" Alias: @one.two 0 acc-name: Buchi Acceptance: 1 Inf(0)
        properties: trans-acc !complete !deterministic exist-branch !spot.strange
        spot.highlight.states: 0 1 1 2 spot.highlight.edges: 2 3
        some.tool.header: 1 \"x\" --BODY--
        State: 0 [@one.two] 0 [t] 1 State: 1 [@one.two] 1 {0} --END--";
    let alphabet = &mut Alphabet::new();
    let (items, diagnostics) = read_hoa(alphabet, text);
    assert_eq!(diagnostics, []);
    let item = &items[0];
    assert!(item.properties.contains(&"!complete".to_string()));
    assert_eq!(item.highlights.states, [(0, 1), (1, 2)]);
    assert_eq!(item.highlights.edges, [(2, 3)]);
    let extra = ("some.tool.header".to_string(), "1 \"x\"".to_string());
    assert_eq!(item.automaton.extra_headers, [extra]);
    let options = HoaOptions {
        highlights: item.highlights.clone(),
        ..HoaOptions::default()
    };
    let written = write_hoa(alphabet, &item.automaton, &options);
    for line in [
        "HOA: v1.1",
        "spot.highlight.states: 0 1 1 2",
        "spot.highlight.edges: 2 3",
        "some.tool.header: 1 \"x\"",
    ] {
        assert!(written.lines().any(|l| l == line), "{written}");
    }
    let (again, diagnostics) = read_hoa(alphabet, &written);
    assert_eq!(diagnostics, []);
    assert_eq!(again[0].highlights, item.highlights);
    assert_same(&again[0].automaton, &item.automaton, &written);
}

#[test]
fn negated_promises_are_compared() {
    let with = |properties: &str, body: &str| {
        format!(
            "HOA: v1.1 States: 2 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) properties: {properties} --BODY-- {body} --END--"
        )
    };
    let line = "State: 0 [t] 0 {0} State: 1 [t] 1 {0}";
    for (properties, body, expected) in [
        (
            "!deterministic",
            line,
            "no state has two edges for the same letter",
        ),
        ("!complete", line, "all states have edges for all letters"),
        (
            "!colored",
            line,
            "each edge is in exactly one acceptance set",
        ),
        (
            "exist-branch",
            line,
            "there is no choice between edges or initial states",
        ),
        ("univ-branch", line, "every edge has one destination"),
        (
            "!exist-branch",
            "State: 0 [0] 0 [t] 1 State: 1",
            "there is a choice between edges or initial states",
        ),
        (
            "!univ-branch",
            "State: 0 [0] 0&1 State: 1",
            "an edge has several destinations",
        ),
        (
            "deterministic",
            "State: 0 [0] 0&1 State: 1",
            "an edge has several destinations",
        ),
        ("weak !weak", line, "its opposite, too"),
    ] {
        let (count, found) = complaints(&with(properties, body));
        assert_eq!((count, found.len()), (1, 1), "{properties}: {found:?}");
        assert!(
            found[0].starts_with("warning") && found[0].ends_with(expected),
            "{found:?}"
        );
    }
    // In version 1 an alternating automaton without choices is called deterministic.
    let text = with(
        "deterministic univ-branch",
        "State: 0 [0] 0&1 State: 1 [t] 1",
    );
    let earlier = text.replace("v1.1", "v1");
    assert_eq!(complaints(&earlier), (1, vec![]));
}
