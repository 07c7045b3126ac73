//! All engines see the same state space: compiled and interpreted, breadth-first and depth-first, with 1, 2 and 8
//! workers, directly and by way of ETF, on the BEEM benchmark, which is not part of the repository.
//!
//! Models up to 20,000 states are explored, up to 300,000 with `SEMPRE_LARGE=1`, which takes minutes.

use rustc_hash::{FxHashMap, FxHasher};
use sempre::base::Source;
use sempre::explicit::explore::{Options, Order, Outcome, explore};
use sempre::jit::CompiledSystem;
use sempre::lang::etf::write_etf;
use sempre::lang::model::{Language, Model};
use sempre::model::{Layout, ProgramSystem, System};
use sempre_store::StateIndex;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What must not depend on the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    states: u64,
    transitions: u64,
    deadlocks: u64,
    failures: u64,
    /// The sum of the hashes of all states, as values of the cells: whatever their order and layout.
    sum: u64,
}

fn search<S: System>(
    system: &S,
    layout: impl Fn(&S) -> Layout,
    order: Order,
    workers: usize,
) -> Seen {
    let options = Options {
        order,
        workers,
        ..Options::default()
    };
    let found = explore(system, &options);
    assert_eq!(found.outcome, Outcome::Complete);
    // It may have widened on the way.
    let layout = layout(found.system());
    let mut words = vec![0; layout.width()];
    let mut cells = vec![0; layout.fields().len()];
    let mut sum = 0u64;
    for index in found.store().indices().into_iter().flatten() {
        found.store().read(StateIndex(index), &mut words);
        layout.unpack(&words, &mut cells);
        let mut hasher = FxHasher::default();
        cells.iter().for_each(|&v| hasher.write_i64(v));
        sum = sum.wrapping_add(hasher.finish());
    }
    let s = found.statistics;
    Seen {
        states: s.states,
        transitions: s.transitions,
        deadlocks: s.deadlocks,
        failures: s.failures,
        sum,
    }
}

/// Interpreted, breadth-first, by one worker.
fn reference(model: &Model) -> Seen {
    let program = Arc::new(model.program().clone());
    let layout = Layout::inferred(&program);
    let system = ProgramSystem::new(program, layout, Vec::new());
    search(&system, |s| s.layout().clone(), Order::BreadthFirst, 1)
}

fn read(language: Language, name: &str, text: &str) -> Model {
    match Model::read(language, name, text) {
        Ok((model, _)) => model,
        Err(errors) => panic!("{}", Source::new(name, text).render(&errors[0])),
    }
}

/// The complete instances with at most so many states: name, file, states, and transitions and deadlocks if
/// they are known.
fn instances(limit: u64) -> Vec<(String, PathBuf, [Option<u64>; 3])> {
    let dir = test_data::path("beem");
    let text = test_data::text("beem/instances.csv");
    let mut lines = text.lines();
    // No field that is looked at contains a comma, and all are in front of those that may.
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let mut all = Vec::new();
    for line in lines {
        let row: FxHashMap<&str, &str> = header.iter().copied().zip(line.split(',')).collect();
        let number = |name: &str| row[name].parse::<u64>().ok();
        let counts = ["states", "edges", "deadlock_states"].map(number);
        if row["complete"] == "yes" && counts[0].is_some_and(|n| n <= limit) {
            let name = row["instance"].to_string();
            let file = dir.join(format!("{name}.dve"));
            all.push((name, file, counts));
        }
    }
    assert!(all.len() > 10, "{}", all.len());
    all
}

fn limit() -> u64 {
    match std::env::var_os("SEMPRE_LARGE") {
        Some(_) => 300_000,
        None => 20_000,
    }
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn engines_see_the_same_states_of_beem() {
    let (mut models, mut states) = (0, 0);
    for (name, file, counts) in instances(limit()) {
        let text = std::fs::read_to_string(file).expect("the files that are listed are there");
        let model = read(Language::Dve, &name, &text);
        let expected = reference(&model);
        let found = [expected.states, expected.transitions, expected.deadlocks];
        for (published, found) in counts.into_iter().zip(found) {
            assert!(
                published.is_none_or(|n| n == found),
                "{name}: {counts:?} {expected:?}"
            );
        }
        let program = Arc::new(model.program().clone());
        let layout = Layout::inferred(&program);
        let system = CompiledSystem::new(program, layout, Vec::new()).expect("it is compiled");
        for (order, workers) in [
            (Order::BreadthFirst, 1),
            (Order::BreadthFirst, 2),
            (Order::BreadthFirst, 8),
            (Order::DepthFirst, 1),
            (Order::DepthFirst, 8),
        ] {
            let seen = search(&system, |s| s.layout().clone(), order, workers);
            assert_eq!(seen, expected, "{name}, {order:?}, {workers} workers");
        }
        models += 1;
        states += expected.states;
    }
    println!("{models} models with {states} states");
}

/// Models of the parts of Promela that make guards and effects of a kind that DVE has not. Diagrams do without atomic steps.
#[test]
fn engines_see_the_same_states_of_promela() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sempre-lang/tests/promela");
    let names = [
        "exclusives",
        "notraces",
        "passed_around",
        "priorities",
        "traces",
    ];
    for name in names {
        let text = std::fs::read_to_string(folder.join(format!("{name}.pml"))).unwrap();
        for text in [text.replace("atomic", ""), text] {
            let model = read(Language::Promela, name, &text);
            let expected = reference(&model);
            let program = Arc::new(model.program().clone());
            let layout = Layout::inferred(&program);
            let system = CompiledSystem::new(program.clone(), layout, Vec::new()).unwrap();
            for (order, workers) in [(Order::BreadthFirst, 1), (Order::DepthFirst, 2)] {
                let seen = search(&system, |s| s.layout().clone(), order, workers);
                assert_eq!(seen, expected, "{name}, {order:?}, {workers} workers");
            }
            if program.atomic.is_none() {
                let options = sempre_symbolic::reach::Options::default();
                let found = sempre_symbolic::reach::explore(&program, None, &options);
                let states = found.states.map(|n| n.to_string());
                assert_eq!(states, Some(expected.states.to_string()), "{name}");
            }
        }
    }
}

/// Exported and read again, five models have the same states and steps. Values that have another number
/// in the table have another hash, so sums are left out.
#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn exported_models_of_beem_count_the_same() {
    let names = [
        "adding.1",
        "bakery.1",
        "brp2.1",
        "collision.1",
        "anderson.1",
        "peterson.1",
        "elevator.1",
        "lamport.1",
    ];
    let mut done = 0;
    for (name, file, _) in instances(20_000) {
        if !names.contains(&name.as_str()) || done == 5 {
            continue;
        }
        let text = std::fs::read_to_string(file).expect("the files that are listed are there");
        let model = read(Language::Dve, &name, &text);
        let expected = reference(&model);
        let etf = write_etf(model.program(), &[], 20_000).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = reference(&read(Language::Etf, &name, &etf));
        assert_eq!(
            Seen { sum: 0, ..found },
            Seen { sum: 0, ..expected },
            "{name}"
        );
        done += 1;
    }
    assert_eq!(done, 5);
}
