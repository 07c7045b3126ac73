//! Models of the concurrent core for loom, which runs them under every interleaving and every reordering that the
//! memory model allows (up to a number of preemptions). The configuration is tiny: cache lines of two slots, blocks
//! of two indices, so that two workers make the table grow. Run with
//!
//! ```text
//! RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p sempre-store --lib --release loom_models
//! ```

use crate::flat::Flat;
use crate::gate::Gate;
use crate::keys::{Keys, Words};
use crate::packed::Packed;
use crate::sync::{AtomicBool, SyncArc};
use crate::union_find::Claim;
use crate::{Budget, UnionFind};
use loom::thread;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Release};

/// Shared and exclusive accesses never overlap: loom's cell reports it if they do.
#[test]
fn gate_keeps_readers_and_writer_apart() {
    loom::model(|| {
        let gate: SyncArc<Gate<(u32, u32), ()>> = SyncArc::new(Gate::new((0, 0)));
        let reader = {
            let gate = SyncArc::clone(&gate);
            thread::spawn(move || {
                let mut handle = gate.register(());
                for _ in 0..2 {
                    gate.shared(&mut handle, |&(a, b), ()| assert_eq!(a, b));
                }
            })
        };
        gate.exclusive(|value, _| *value = (1, 1));
        let mut handle = gate.register(());
        gate.shared(&mut handle, |&value, ()| assert_eq!(value, (1, 1)));
        reader.join().unwrap();
    });
}

/// Two workers insert overlapping keys, and the table may grow meanwhile.
fn two_workers<K: Keys<1> + 'static>(
    keys: fn(Arc<Budget>) -> K,
    first: &'static [u64],
    second: &'static [u64],
    expected: u64,
) {
    loom::model(move || {
        let budget = Arc::new(Budget::unlimited());
        let table = Flat::new(keys(Arc::clone(&budget)), budget).unwrap();
        let table: SyncArc<Flat<1, K>> = SyncArc::new(table);
        let enter = |table: &Flat<1, K>, keys: &[u64]| {
            let mut worker = table.worker();
            let mut fresh = 0;
            for &key in keys {
                let found = table.find_or_insert(&[key], &mut worker).unwrap();
                fresh += u64::from(found.fresh);
                // The key of an index is visible to a thread that received the index.
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
    two_workers(Words::new, &[7], &[7], 1);
}

#[test]
fn growth_under_insertion() {
    two_workers(Words::new, &[7, 8], &[7], 2);
}

#[test]
fn growth_from_both_sides() {
    two_workers(Words::new, &[1, 2], &[2, 3], 3);
}

/// Two keys of a block are in one word: the second is written while the first is read.
#[test]
fn neighbours_in_a_word() {
    two_workers(|budget| Packed::new(24, budget), &[7, 8], &[7], 2);
}

/// The second key does not fit the block: the block is copied while the first key is read.
#[test]
fn a_block_is_widened_under_a_reader() {
    loom::model(|| {
        let keys = SyncArc::new(Packed::pairs(Arc::new(Budget::unlimited())));
        let reported = SyncArc::new(AtomicBool::new(false));
        keys.prepare(0).unwrap();
        let reader = {
            let (keys, reported) = (SyncArc::clone(&keys), SyncArc::clone(&reported));
            thread::spawn(move || {
                if reported.load(Acquire) {
                    assert_eq!(keys.get(0), [7 << 32 | 5]);
                    assert!(keys.is(0, &[7 << 32 | 5]) && !keys.is(0, &[7 << 32 | 4]));
                }
            })
        };
        let mut local = keys.local();
        keys.write(0, &[7 << 32 | 5], None, &mut local).unwrap();
        reported.store(true, Release);
        keys.write(1, &[0xf00 << 32 | 0x1_0000], None, &mut local)
            .unwrap();
        assert_eq!(keys.get(0), [7 << 32 | 5]);
        assert_eq!(keys.get(1), [0xf00 << 32 | 0x1_0000]);
        reader.join().unwrap();
    });
}

fn sets(workers: usize, states: u32) -> SyncArc<UnionFind> {
    let sets = UnionFind::new(workers, 2, &Arc::new(Budget::unlimited()));
    for state in 0..states {
        sets.reserve(state).unwrap();
    }
    SyncArc::new(sets)
}

/// Two workers unite overlapping pairs: there is one set, with one list in which all states are found, and with
/// both workers in it.
#[test]
fn uniting_from_both_sides() {
    loom::model(|| {
        let sets = sets(2, 3);
        for state in 0..3 {
            sets.claim(state, (state % 2) as usize, false);
        }
        let other = {
            let sets = SyncArc::clone(&sets);
            thread::spawn(move || sets.unite(1, 2))
        };
        sets.unite(0, 1);
        // A worker sees its own unions.
        assert!(sets.same(0, 1));
        other.join().unwrap();
        assert!(sets.same(0, 2));
        for worker in 0..2 {
            assert_eq!(sets.claim(2, worker, false), (Claim::Cycle, false));
        }
        for _ in 0..3 {
            let busy = sets.pick(0).unwrap();
            sets.remove(busy);
        }
        assert_eq!(sets.pick(1), None);
        assert!((0..3).all(|s| sets.is_dead(s)));
    });
}

/// One worker unites two pairs of three sets while another unites the third pair: this would reveal a cycle of locks.
#[test]
fn uniting_in_a_circle() {
    loom::model(|| {
        let sets = sets(2, 3);
        for state in 0..3 {
            sets.claim(state, 0, false);
        }
        let other = {
            let sets = SyncArc::clone(&sets);
            thread::spawn(move || {
                sets.unite(2, 0);
            })
        };
        sets.unite(2, 1);
        other.join().unwrap();
        assert!(sets.same(0, 1) && sets.same(1, 2));
        for _ in 0..3 {
            let busy = sets.pick(2).unwrap();
            sets.remove(busy);
        }
        assert_eq!(sets.pick(0), None);
    });
}

/// A worker claims a state while its set becomes part of another: in the end the worker is in the united set.
#[test]
fn claiming_while_uniting() {
    loom::model(|| {
        let sets = sets(2, 2);
        sets.claim(0, 0, false);
        sets.claim(1, 0, false);
        let other = {
            let sets = SyncArc::clone(&sets);
            thread::spawn(move || {
                assert_eq!(sets.claim(1, 1, false), (Claim::New, false));
            })
        };
        sets.unite(0, 1);
        other.join().unwrap();
        assert_eq!(sets.claim(0, 1, false), (Claim::Cycle, false));
    });
}

/// Two workers add one mark each during a union: at least one of them sees both marks.
#[test]
fn marks_while_uniting() {
    loom::model(|| {
        let sets = sets(2, 2);
        sets.claim(0, 0, false);
        sets.claim(1, 1, false);
        let other = {
            let sets = SyncArc::clone(&sets);
            thread::spawn(move || {
                let mut seen = [0];
                sets.add_marks(1, &[2], &mut seen);
                seen[0]
            })
        };
        sets.unite(0, 1);
        let mut seen = [0];
        sets.add_marks(0, &[1], &mut seen);
        let other = other.join().unwrap();
        assert!(seen[0] == 3 || other == 3, "{} and {other}", seen[0]);
    });
}

/// Two workers explore the two states of one set: the set is dead when both have finished, not before, and both see
/// that.
#[test]
fn exploring_together() {
    loom::model(|| {
        let sets = sets(2, 2);
        sets.claim(0, 0, false);
        sets.claim(1, 1, false);
        sets.unite(0, 1);
        let work = |sets: &UnionFind, from: u32| {
            while let Some(state) = sets.pick(from) {
                assert!(!sets.is_explored(0) || !sets.is_explored(1) || sets.is_explored(state));
                sets.remove(state);
            }
            assert!(sets.is_explored(0) && sets.is_explored(1));
            assert!(sets.is_dead(from));
        };
        let other = {
            let sets = SyncArc::clone(&sets);
            thread::spawn(move || work(&sets, 1))
        };
        work(&sets, 0);
        other.join().unwrap();
        assert_eq!(sets.claim(0, 1, false), (Claim::Dead, false));
    });
}

/// A set is explored by one worker while another unites it with a second set, which is busy: the result must not be
/// dead.
#[test]
fn exploring_while_uniting() {
    loom::model(|| {
        let sets = sets(2, 3);
        sets.claim(0, 0, false);
        sets.claim(1, 1, false);
        sets.claim(2, 1, false);
        sets.unite(0, 2);
        let other = {
            let sets = SyncArc::clone(&sets);
            thread::spawn(move || sets.remove(2))
        };
        sets.unite(1, 2);
        // 0 and 1 are busy.
        assert!(!sets.is_dead(0) && sets.same(0, 1));
        sets.remove(0);
        other.join().unwrap();
        assert_eq!(sets.pick(2), Some(1));
        sets.remove(1);
        assert_eq!(sets.pick(0), None);
        assert!((0..3).all(|s| sets.is_dead(s)));
    });
}

/// Two workers claim the same state: one of them is the first, even if the other has finished with it before.
#[test]
fn one_is_the_first() {
    loom::model(|| {
        let sets = sets(2, 1);
        let work = |sets: &UnionFind, worker: usize| {
            let (claim, first) = sets.claim(0, worker, false);
            if claim == Claim::New {
                sets.remove(0);
                assert_eq!(sets.pick(0), None);
            }
            assert!(sets.is_dead(0));
            first
        };
        let other = {
            let sets = SyncArc::clone(&sets);
            thread::spawn(move || work(&sets, 1))
        };
        let first = work(&sets, 0);
        assert!(first != other.join().unwrap());
    });
}
