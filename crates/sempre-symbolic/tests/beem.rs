//! Counts of models of the BEEM benchmark, which is not part of the repository.
//! `SEMPRE_BEEM_STATES` sets the maximal number of states of the instances.

use sempre_lang::dve;
use sempre_lang::petri_net::families::family;
use sempre_symbolic::reach::{Options, explore};

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn counts_are_those_of_explicit_exploration() {
    let folder = test_data::path("beem");
    let text = test_data::text("beem/instances.csv");
    let set = std::env::var("SEMPRE_BEEM_STATES").ok();
    let limit: u64 = set.and_then(|n| n.parse().ok()).unwrap_or(15_000);
    let mut compared = 0;
    for (instance, states) in recounted(&text) {
        let path = folder.join(format!("{instance}.dve"));
        // The towers of Hanoi have no good variable order.
        if states >= limit || !path.exists() || instance.starts_with("hanoi") {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let model = dve::read(&instance, &text).unwrap();
        let found = explore(&model.program, None, &Options::default());
        assert_eq!(found.states.unwrap(), states, "{instance}");
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

/// Instances whose number of states is confirmed by another tool.
fn recounted(text: &str) -> Vec<(String, u64)> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let columns = (column("instance"), column("states"), column("complete"));
    let (Some(name), Some(states), Some(complete)) = columns else {
        panic!("{header:?}");
    };
    lines
        .filter_map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            if *fields.get(complete)? != "yes" {
                return None;
            }
            Some((fields[name].to_string(), fields.get(states)?.parse().ok()?))
        })
        .collect()
}

#[test]
fn nets_have_the_states_of_the_literature() {
    for (name, n, expected) in [
        ("philosophers", 50, "22291846172619859445381409012498"),
        ("slotted_ring", 10, "8291791872"),
        ("kanban", 10, "1005927208"),
        ("fms", 10, "2501413200"),
    ] {
        let program = family(name, n).unwrap().program();
        let found = explore(&program, None, &Options::default());
        assert_eq!(found.states.unwrap().to_string(), expected, "{name} {n}");
        assert_eq!(found.stopped, None);
    }
}
