//! `sempre explore --engine symbolic`: the same counts as the explicit engine, on every example, in every order.

use crate::explore::{explore, explore_json, file};
use std::path::Path;

#[test]
fn examples_have_the_same_counts() {
    let folder = Path::new(crate::binary::ROOT).join("examples");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("there are examples") {
        let path = entry.expect("it can be read").path();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        if !["dve", "pnml", "etf", "graph"].contains(&ending) {
            continue;
        }
        let (status, expected) = explore_json(&path, &[]);
        for search in ["bfs", "chaining", "saturation"] {
            let (found_status, found) =
                explore_json(&path, &["--engine", "symbolic", "--search", search]);
            assert_eq!(found_status, status, "{path:?} {search}");
            for field in ["states", "transitions", "deadlocks", "complete"] {
                assert_eq!(found[field], expected[field], "{path:?} {search} {field}");
            }
            compared += 1;
        }
    }
    assert!(compared > 12, "{compared}");
}

const COUNTERS: &str = "byte a[2]; byte b;
process P { state x, y; init x; trans x -> y { guard a[0] < 9; effect a[0] = a[0] + 1; }, y -> x { effect b = 1 - b; }; }
process Q { state u; init u; trans u -> u { guard a[1] < 5; effect a[1] = a[1] + 1; }; }
system async;";

#[test]
fn orders_come_from_files() {
    let model = file("counters.dve", COUNTERS);
    let (_, expected) = explore_json(&model, &[]);
    let order = file("counters.order", "# levels\nQ\nb\na[1] # an element\nP\n");
    let order = order.to_str().expect("UTF-8");
    let (status, found) = explore_json(&model, &["--engine", "symbolic", "--order", order]);
    assert_eq!(status, 0);
    assert_eq!(found["states"], expected["states"]);
    for (text, complaint) in [
        ("Q\naa\n", "there is no variable `aa`"),
        ("a\na[0]\n", "twice"),
    ] {
        let order = file("wrong.order", text);
        let options = [
            "--engine",
            "symbolic",
            "--order",
            order.to_str().expect("UTF-8"),
        ];
        let ran = explore(&model, &options);
        assert_eq!(ran.status, 2);
        let said = ran.err;
        assert!(said.contains(complaint), "{said}");
    }
}

#[test]
fn what_the_engine_cannot_do_is_refused() {
    let model = file("refused.dve", COUNTERS);
    for options in [
        &["--engine", "symbolic", "--search", "dfs"][..],
        &["--engine", "symbolic", "--find", "deadlock"],
        &["--engine", "symbolic", "--workers", "2"],
        &["--search", "saturation"],
        &["--order", "nowhere"],
    ] {
        let ran = explore(&model, options);
        assert_eq!(ran.status, 2, "{options:?}");
    }
}

#[test]
fn without_memory_the_answer_is_unknown() {
    let text = "byte a; byte b; byte c; byte d;
process P { state x; init x; trans x -> x { effect a = a * 5 + b * c + 1; }, x -> x { effect b = b * 3 + a * d + 1; },
x -> x { effect c = c * 9 + d + a; }, x -> x { effect d = d + c * b + 7; }; } system async;";
    let model = file("large.dve", text);
    let (status, found) = explore_json(&model, &["--engine", "symbolic", "--memory", "4M"]);
    assert_eq!(status, 3);
    assert_eq!(found["reason"], "memory");
    assert_eq!(found["complete"], false);
    assert!(found["peak_nodes"].as_u64() > Some(1000));
    // Another search is suggested, unless it is the one that was tried.
    for (search, suggested) in [("saturation", true), ("bfs", false)] {
        let limits = ["--engine", "symbolic", "--memory", "4M", "--search", search];
        let ran = explore(&model, &limits);
        assert_eq!(ran.status, 3);
        assert!(!ran.out.contains("\nnodes"), "{}", ran.out);
        assert_eq!(ran.err.contains("--search bfs"), suggested, "{}", ran.err);
    }
}
