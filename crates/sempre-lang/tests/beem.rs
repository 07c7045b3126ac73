//! The BEEM benchmark: every file is read, the small ones are explored and counted, and every proposition
//! of its properties has a meaning. The benchmark is not part of the repository.
//!
//! `SEMPRE_BEEM_STATES` sets the size of the instances that are explored; 120000 takes minutes.

use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::Source;
use sempre_lang::dve::{self, DveModel};
use sempre_model::interpreter::Interpreter;
use std::path::{Path, PathBuf};

/// How many states a test may visit.
fn limit(usual: usize) -> usize {
    let set = std::env::var("SEMPRE_BEEM_STATES").ok();
    set.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn read(path: &Path) -> DveModel {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let source = Source::new(name, &text);
    let model = dve::read(name, &text).unwrap_or_else(|errors| {
        let shown: Vec<String> = errors
            .iter()
            .map(|d| source.render(d).to_string())
            .collect();
        panic!("{}", shown.concat());
    });
    for warning in &model.warnings {
        println!("{}", source.render(warning));
    }
    model
}

/// The rows of a table with a header, by the names of the columns.
fn table(path: &Path, separator: char) -> Vec<FxHashMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| {
        let mut fields = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '"' if separator == ',' => quoted = !quoted,
                c if c == separator && !quoted => fields.push(String::new()),
                c => fields.last_mut().unwrap().push(c),
            }
        }
        fields
    });
    let header = lines.next().unwrap();
    lines
        .map(|fields| header.iter().cloned().zip(fields).collect())
        .collect()
}

fn dve_files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "dve"))
        .collect();
    files.sort();
    files
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn all_files_are_read() {
    for file in dve_files(&test_data::path("beem")) {
        assert!(read(&file).property.is_none(), "{}", file.display());
    }
    for file in dve_files(&test_data::path("beem/props")) {
        let property = read(&file).property.expect("a property");
        assert_eq!(property.name, "LTL_property");
        assert!(
            property
                .transitions
                .iter()
                .all(|t| { t.from < property.states.len() && t.to < property.states.len() })
        );
    }
}

/// States, transitions and deadlocks, breadth first, if there are no more states than that.
fn explore(model: &DveModel, limit: usize) -> Option<(usize, usize, usize)> {
    let interpreter = Interpreter::new(&model.program);
    let mut seen: FxHashSet<Vec<i64>> = FxHashSet::default();
    let mut queue = model.program.initial.clone();
    for state in &queue {
        seen.insert(state.clone());
    }
    let (mut transitions, mut deadlocks, mut next) = (0, 0, 0);
    while next < queue.len() {
        let steps = interpreter.successors(&queue[next]);
        next += 1;
        deadlocks += usize::from(steps.is_empty());
        transitions += steps.len();
        for (action, step) in steps {
            let state = step.unwrap_or_else(|e| {
                let name = &model.program.actions[action as usize].name;
                panic!("{name}: {}", e.show(&model.program))
            });
            if seen.insert(state.clone()) {
                queue.push(state);
            }
        }
        if queue.len() > limit {
            return None;
        }
    }
    Some((queue.len(), transitions, deadlocks))
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn small_instances_have_the_published_counts() {
    let dir = test_data::path("beem");
    let limit = limit(3000);
    let mut counted = 0;
    let mut wrong = Vec::new();
    for row in table(&dir.join("instances.csv"), ',') {
        let states: usize = row["states"].parse().unwrap();
        if row["complete"] != "yes" || states > limit {
            continue;
        }
        let model = read(&dir.join(&row["file"]));
        let found = explore(&model, states);
        println!("{}: {found:?}", row["instance"]);
        let right = found.is_some_and(|(s, t, d)| {
            s == states
                && row["edges"].parse().is_ok_and(|edges: usize| t == edges)
                && row["deadlock_states"]
                    .parse()
                    .is_ok_and(|dead: usize| d == dead)
        });
        counted += 1;
        if !right {
            wrong.push((
                row["instance"].clone(),
                states,
                row["edges"].clone(),
                row["deadlock_states"].clone(),
                found,
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(counted > 10);
}

/// Reachable pairs of a state of the system and a location of its property, which reads the state that
/// is left and goes on in a deadlock.
fn product(model: &DveModel) -> usize {
    let interpreter = Interpreter::new(&model.program);
    let property = model.property.as_ref().unwrap();
    let first = (model.program.initial[0].clone(), property.initial);
    let mut seen: FxHashSet<(Vec<i64>, usize)> = FxHashSet::default();
    let mut open = vec![first.clone()];
    seen.insert(first);
    while let Some((state, location)) = open.pop() {
        let mut next: Vec<Vec<i64>> = (interpreter.successors(&state).into_iter())
            .map(|(_, step)| step.unwrap())
            .collect();
        if next.is_empty() {
            next.push(state.clone());
        }
        for t in property.transitions.iter().filter(|t| t.from == location) {
            if interpreter.holds(&t.guard, &state).unwrap() {
                for state in &next {
                    let pair = (state.clone(), t.to);
                    if seen.insert(pair.clone()) {
                        open.push(pair);
                    }
                }
            }
        }
    }
    seen.len()
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn products_with_properties_have_the_known_size() {
    let dir = test_data::path("beem");
    let mut counted = 0;
    for row in table(&dir.join("props.csv"), ',') {
        let Ok(states) = row["product_states"].parse::<usize>() else {
            continue;
        };
        if states > limit(3000) || row["property_file"].is_empty() {
            continue;
        }
        let model = read(&dir.join(&row["property_file"]));
        assert_eq!(product(&model), states, "{}", row["property_file"]);
        counted += 1;
    }
    assert!(counted > 10, "{counted}");
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn propositions_of_the_properties_have_a_meaning() {
    let dir = test_data::path("beem");
    let mut models: FxHashMap<String, DveModel> = FxHashMap::default();
    let mut atoms = 0;
    for row in table(&dir.join("props.csv"), ',') {
        let instance = row["instance"].clone();
        let model = models
            .entry(instance.clone())
            .or_insert_with(|| read(&dir.join(format!("{instance}.dve"))));
        let expanded = &row["formula_expanded"];
        for (start, _) in expanded.match_indices('{') {
            let end = start + expanded[start..].find('}').unwrap();
            let atom = &expanded[start..=end];
            atoms += 1;
            let found = dve::proposition(model, atom);
            assert!(found.is_ok(), "{instance}: {atom}: {found:?}");
            let initial = &model.program.initial[0];
            let value = Interpreter::new(&model.program).holds(&found.unwrap(), initial);
            assert!(value.is_ok(), "{instance}: {atom}");
        }
    }
    assert!(atoms > 500, "{atoms}");
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn propositions_of_random_formulas_have_a_meaning() {
    let dir = test_data::path("beem");
    let formulas = test_data::path("tacas14/formulas.tsv");
    let mut models: FxHashMap<String, DveModel> = FxHashMap::default();
    let mut atoms = 0;
    for row in table(&formulas, '\t') {
        let instance = row["model"].clone();
        let model = models
            .entry(instance.clone())
            .or_insert_with(|| read(&dir.join(format!("{instance}.dve"))));
        for column in ["formula_norm", "formula"] {
            for atom in comparisons(&row[column]) {
                atoms += 1;
                let found = dve::proposition(model, atom);
                assert!(found.is_ok(), "{instance}: {atom}: {found:?}");
            }
        }
    }
    assert!(atoms > 5000, "{atoms}");
}

/// The innermost parentheses of a formula that hold a comparison.
fn comparisons(formula: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = None;
    for (i, c) in formula.char_indices() {
        match c {
            '(' => open = Some(i + 1),
            ')' => {
                if let Some(start) = open.take() {
                    let inside = &formula[start..i];
                    let one = ["&&", "||", " U ", " R "]
                        .iter()
                        .all(|op| !inside.contains(op));
                    if one && inside.contains(['=', '<', '>']) {
                        // A temporal or Boolean operator may stand before it, never within.
                        found.push(inside.trim_start_matches(['!', '[', ']', '<', '>', ' ']));
                    }
                }
            }
            _ => {}
        }
    }
    found
}
