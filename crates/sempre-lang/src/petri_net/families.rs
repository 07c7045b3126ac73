//! The four families of nets that papers on state spaces compare with, for any parameter.
//!
//! They are the "toy models" of Ben Salem, Duret-Lutz and Kordon (SUMo 2011) and go back to Pastor, Roig,
//! Cortadella and Badia ("Petri net analysis using Boolean manipulation", 1994) for philosophers and slotted
//! ring, to Ciardo and Tilgner (1996) for Kanban and to Ciardo and Trivedi (1993) for the flexible
//! manufacturing system. There are several variants of each in the literature; their numbers of states
//! say which is meant, and are tested below.
//!
//! `cargo run -p sempre-lang --example nets -- philosophers 8` prints one as PNML.

use crate::petri_net::PetriNet;

/// The families, by name.
pub const FAMILIES: [&str; 4] = ["philosophers", "slotted_ring", "kanban", "fms"];

/// The net of a family with a parameter; `None` if there is no such family.
pub fn family(name: &str, n: u32) -> Option<PetriNet> {
    match name {
        "philosophers" => Some(philosophers(n)),
        "slotted_ring" => Some(slotted_ring(n)),
        "kanban" => Some(kanban(n)),
        "fms" => Some(fms(n)),
        _ => None,
    }
}

/// Dining philosophers who take their two forks in any order, one at a time: each is idle, or waits for
/// or has each of the two; deadlock is possible.
///
/// States: the Lucas number L(3n), that is 18, 76, 322, 1364 for n = 2 to 5, 103682 for 8, 1860498 for 10.
/// For n = 1 the only fork is to the left and to the right.
pub fn philosophers(n: u32) -> PetriNet {
    let mut net = PetriNet::new(&format!("philosophers-{n}"));
    let forks: Vec<u32> = (0..n).map(|i| net.place(&format!("Fork_{i}"), 1)).collect();
    for i in 0..n {
        let mut place = |name: &str, tokens| net.place(&format!("{name}_{i}"), tokens);
        let idle = place("Idle", 1);
        let (wait_left, wait_right) = (place("WaitLeft", 0), place("WaitRight", 0));
        let (has_left, has_right) = (place("HasLeft", 0), place("HasRight", 0));
        let (left, right) = (forks[i as usize], forks[((i + 1) % n) as usize]);
        let mut transition = |name: &str, inputs: &[u32], outputs: &[u32]| {
            ordinary(&mut net, &format!("{name}_{i}"), inputs, outputs);
        };
        transition("GoEat", &[idle], &[wait_left, wait_right]);
        transition("GetLeft", &[wait_left, left], &[has_left]);
        transition("GetRight", &[wait_right, right], &[has_right]);
        transition("Release", &[has_left, has_right], &[idle, left, right]);
    }
    net
}

/// A ring of `n` stations through which slots travel, free or used; a station reads its own slots and
/// may fill free ones.
///
/// States: 52, 504, 5136, 53856, 575296 for n = 2 to 6.
pub fn slotted_ring(n: u32) -> PetriNet {
    let mut net = PetriNet::new(&format!("slotted-ring-{n}"));
    let mut stations = Vec::new();
    for i in 0..n {
        let mut place = |name: &str, tokens| net.place(&format!("{name}_{i}"), tokens);
        stations.push([
            place("Full", 0),
            place("Mine", 0),
            place("Ready", 1),
            place("Forward", 0),
            place("PassFree", 1),
            place("Accept", 0),
            place("PassUsed", 0),
            place("Empty", 0),
        ]);
    }
    for i in 0..n {
        let [
            full,
            mine,
            ready,
            forward,
            pass_free,
            accept,
            pass_used,
            empty,
        ] = stations[i as usize];
        let [next_full, next_mine, next_ready, ..] = stations[((i + n - 1) % n) as usize];
        let mut transition = |name: &str, inputs: &[u32], outputs: &[u32]| {
            ordinary(&mut net, &format!("{name}_{i}"), inputs, outputs);
        };
        transition("Other", &[full], &[forward]);
        transition("Owner", &[full], &[mine]);
        transition("Write", &[mine], &[forward]);
        transition("Go", &[mine], &[empty]);
        transition("Get", &[accept, empty], &[ready, pass_free]);
        transition("Put", &[accept, forward], &[ready, pass_used]);
        transition("Free", &[pass_free, next_ready], &[accept, next_mine]);
        transition("Used", &[pass_used, next_ready], &[accept, next_full]);
    }
    net
}

/// A production line of four cells with `n` kanban tickets each. Cell 1 feeds cells 2 and 3 at once, which
/// feed cell 4 together; in each cell work may have to be redone.
///
/// States: 160, 4600, 58400, 454475, 2546432 for n = 1 to 5.
pub fn kanban(n: u32) -> PetriNet {
    let mut net = PetriNet::new(&format!("kanban-{n}"));
    let mut cells = Vec::new();
    for i in 1..=4 {
        let mut place = |name: &str, tokens| net.place(&format!("{name}{i}"), tokens);
        let cell = [
            place("Kanban", i64::from(n)),
            place("Machine", 0),
            place("Back", 0),
            place("Out", 0),
        ];
        let [_, machine, back, out] = cell;
        ordinary(&mut net, &format!("Redo{i}"), &[machine], &[back]);
        ordinary(&mut net, &format!("Again{i}"), &[back], &[machine]);
        ordinary(&mut net, &format!("Done{i}"), &[machine], &[out]);
        cells.push(cell);
    }
    let kanban = |i: usize| cells[i - 1][0];
    let machine = |i: usize| cells[i - 1][1];
    let out = |i: usize| cells[i - 1][3];
    ordinary(&mut net, "Enter", &[kanban(1)], &[machine(1)]);
    ordinary(
        &mut net,
        "Split",
        &[out(1), kanban(2), kanban(3)],
        &[kanban(1), machine(2), machine(3)],
    );
    ordinary(
        &mut net,
        "Join",
        &[out(2), out(3), kanban(4)],
        &[kanban(2), kanban(3), machine(4)],
    );
    ordinary(&mut net, "Leave", &[out(4)], &[kanban(4)]);
    net
}

/// A flexible manufacturing system: `n` parts of each of three kinds, machines of three kinds (three, one
/// and two of them); parts 1 and 2 may be joined to a part 12. All transitions count as timed, as in the
/// Model Checking Contest, so markings that other variants call vanishing are states.
///
/// States: 120, 3444, 48590, 438600, 2895018 for n = 1 to 5.
pub fn fms(n: u32) -> PetriNet {
    let mut net = PetriNet::new(&format!("fms-{n}"));
    let n = i64::from(n);
    let machines: Vec<u32> = [("M1", 3), ("M2", 1), ("M3", 2)]
        .iter()
        .map(|&(name, tokens)| net.place(name, tokens))
        .collect();
    let mut finished = Vec::new();
    for (part, machine) in [(1, machines[0]), (2, machines[1])] {
        let mut place = |name: &str, tokens| net.place(&format!("P{part}{name}"), tokens);
        let (raw, waits, works) = (place("", n), place("_waits", 0), place("_works", 0));
        let (done, shipped) = (place("_done", 0), place("_shipped", 0));
        let to_join = place("_to_join", 0);
        let mut transition = |name: &str, inputs: &[u32], outputs: &[u32]| {
            ordinary(&mut net, &format!("{name}{part}"), inputs, outputs);
        };
        transition("Arrive", &[raw], &[waits]);
        transition("Begin", &[waits, machine], &[works]);
        transition("End", &[works], &[done, machine]);
        transition("Ship", &[done], &[shipped]);
        transition("Replace", &[shipped], &[raw]);
        transition("Keep", &[done], &[to_join]);
        finished.push((raw, to_join));
    }
    let (p3, works3, shipped3) = (
        net.place("P3", n),
        net.place("P3_works", 0),
        net.place("P3_shipped", 0),
    );
    let m2 = machines[1];
    ordinary(&mut net, "Arrive3", &[p3], &[works3]);
    ordinary(&mut net, "Work3", &[works3, m2], &[shipped3, m2]);
    ordinary(&mut net, "Replace3", &[shipped3], &[p3]);

    let mut place = |name: &str| net.place(&format!("P12{name}"), 0);
    let (p12, waits, works, shipped) = (
        place(""),
        place("_waits"),
        place("_works"),
        place("_shipped"),
    );
    let (m3, [(raw1, join1), (raw2, join2)]) = (machines[2], [finished[0], finished[1]]);
    ordinary(&mut net, "Join", &[join1, join2], &[p12]);
    ordinary(&mut net, "Arrive12", &[p12], &[waits]);
    ordinary(&mut net, "Begin12", &[waits, m3], &[works]);
    ordinary(&mut net, "End12", &[works], &[shipped, m3]);
    ordinary(&mut net, "Replace12", &[shipped], &[raw1, raw2]);
    net
}

/// A transition whose arcs have weight 1.
fn ordinary(net: &mut PetriNet, id: &str, inputs: &[u32], outputs: &[u32]) {
    let one = |&p: &u32| (p, 1);
    net.transition(id, inputs.iter().map(one), outputs.iter().map(one));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;
    use crate::pnml::{read_pnml, write_pnml};

    fn states(net: &PetriNet) -> usize {
        naive::explore(&net.program(), 60_000).states
    }

    #[test]
    fn philosophers_have_as_many_states_as_lucas_says() {
        let mut lucas = vec![2usize, 1];
        while lucas.len() < 20 {
            lucas.push(lucas[lucas.len() - 2] + lucas[lucas.len() - 1]);
        }
        for n in 2..=6 {
            assert_eq!(states(&philosophers(n)), lucas[3 * n as usize], "n = {n}");
        }
        // All have their left forks, or all have their right forks.
        let counts = naive::explore(&philosophers(4).program(), 1000);
        assert_eq!(counts.deadlocks, 2);
    }

    #[test]
    fn slotted_rings_have_as_many_states_as_in_the_literature() {
        for (n, expected) in [(2, 52), (3, 504), (4, 5136), (5, 53856)] {
            assert_eq!(states(&slotted_ring(n)), expected, "n = {n}");
        }
    }

    /// States and edges, which the nets of the contest share.
    #[test]
    fn kanban_and_fms_have_as_many_states_as_in_the_literature() {
        let check = |net: PetriNet, states: usize, edges: usize| {
            let counts = naive::explore(&net.program(), 60_000);
            assert_eq!(
                (counts.states, counts.transitions),
                (states, edges),
                "{}",
                net.name
            );
        };
        check(kanban(1), 160, 616);
        check(kanban(2), 4600, 28120);
        assert_eq!(states(&fms(1)), 120);
        check(fms(2), 3444, 16311);
        check(fms(3), 48590, 297382);
    }

    #[test]
    fn families_can_be_written_and_read() {
        for name in FAMILIES {
            for n in 1..=3 {
                let net = family(name, n).unwrap();
                assert_eq!(read_pnml(&write_pnml(&net)), Ok(net));
            }
        }
        assert_eq!(family("elevators", 1), None);
    }

    /// The files under `examples/` at the root are what the functions say, and the small ones next to
    /// them can be read.
    #[test]
    fn the_examples_are_up_to_date() {
        let read = |file: &str| {
            let path = format!("{}/../../examples/{file}", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
        };
        for (name, n) in [
            ("philosophers", 8),
            ("slotted_ring", 6),
            ("kanban", 5),
            ("fms", 5),
        ] {
            let net = family(name, n).unwrap();
            assert_eq!(read(&format!("{name}-{n}.pnml")), write_pnml(&net));
        }
        let graph = crate::graph::read_graph(&read("lights.graph")).unwrap();
        assert_eq!((graph.states.len(), graph.edges()), (4, 5));
        let kripke = crate::graph::read_kripke(&read("lights.hoa")).unwrap();
        assert_eq!(naive::explore(&kripke.program(), 10).states, 3);
        let table = crate::etf::read_etf(&read("counter.etf")).unwrap();
        let counts = naive::explore(&table.program, 10);
        assert_eq!((counts.states, counts.transitions), (6, 6));
        assert!(table.proposition("at_top && mode == falling").is_ok());
    }
}
