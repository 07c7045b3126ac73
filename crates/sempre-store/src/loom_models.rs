//! Models of the concurrent core for loom, which runs them under every interleaving and every reordering that
//! the memory model allows (up to a number of preemptions). The configuration is tiny: cache lines of two slots,
//! blocks of one index, so that three keys make the table grow. Run with
//!
//! ```text
//! RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p sempre-store --lib --release loom_models
//! ```

use crate::gate::Gate;
use crate::sync::SyncArc;
use crate::{Budget, Flat};
use loom::thread;
use std::sync::Arc;

/// Readers and a writer never meet: loom's cell reports it if they do.
#[test]
fn gate_keeps_readers_and_writer_apart() {
    loom::model(|| {
        let gate: SyncArc<Gate<(u32, u32), ()>> = SyncArc::new(Gate::new((0, 0)));
        let reader = {
            let gate = SyncArc::clone(&gate);
            thread::spawn(move || {
                let mut pass = gate.pass(());
                for _ in 0..2 {
                    gate.inside(&mut pass, |&(a, b), ()| assert_eq!(a, b));
                }
            })
        };
        gate.alone(|value, _| *value = (1, 1));
        let mut pass = gate.pass(());
        gate.inside(&mut pass, |&value, ()| assert_eq!(value, (1, 1)));
        reader.join().unwrap();
    });
}

/// Two workers enter overlapping keys; `growth` decides whether the table must grow under way.
fn two_workers(first: &'static [u64], second: &'static [u64], expected: u64) {
    loom::model(move || {
        let table: SyncArc<Flat<1>> =
            SyncArc::new(Flat::new(Arc::new(Budget::unlimited())).unwrap());
        let enter = |table: &Flat<1>, keys: &[u64]| {
            let mut worker = table.worker();
            let mut fresh = 0;
            for &key in keys {
                let found = table.find_or_insert(&[key], &mut worker).unwrap();
                fresh += u64::from(found.fresh);
                // The key behind an index is visible to whoever got the index.
                assert_eq!(table.get(found.index), [key]);
            }
            fresh
        };
        let other = {
            let table = SyncArc::clone(&table);
            thread::spawn(move || enter(&table, second))
        };
        let fresh = enter(&table, first) + other.join().unwrap();
        assert_eq!(fresh, expected, "each key is new for one worker");
        assert_eq!(table.len(), expected);
        let mut worker = table.worker();
        for &key in first.iter().chain(second) {
            let index = table.find(&[key], &mut worker).unwrap();
            assert_eq!(table.get(index), [key]);
        }
    });
}

#[test]
fn one_key_twice() {
    two_workers(&[7], &[7], 1);
}

#[test]
fn growth_under_insertion() {
    two_workers(&[7, 8], &[7], 2);
}

#[test]
fn growth_from_both_sides() {
    two_workers(&[1, 2], &[2, 3], 3);
}
