//! Tests of the union-find, in a file of their own because of their length.

use super::*;
use sempre_base::Random;
use std::collections::BTreeSet;

fn made(workers: usize, marks: u32, states: u32) -> UnionFind {
    let sets = UnionFind::new(workers, marks, &Arc::new(Budget::unlimited()));
    for state in 0..states {
        sets.reserve(state).unwrap();
    }
    sets
}

/// A single worker: the states it visits are new, then on its path, then dead.
#[test]
fn alone_what_is_met_is_on_the_path_until_it_is_dead() {
    let sets = UnionFind::single_worker(40, &Arc::new(Budget::unlimited()));
    for state in 0..4 {
        sets.reserve(state).unwrap();
        assert_eq!(sets.claim(state, 0, false), (Claim::New, true));
    }
    let mut seen = [0; 2];
    sets.add_marks(3, &[1, 0], &mut seen);
    sets.add_marks(2, &[0, 4], &mut seen);
    sets.unite(1, 3);
    sets.unite(3, 2);
    assert!(sets.same(1, 2) && !sets.same(0, 1));
    sets.add_marks(1, &[0, 0], &mut seen);
    assert_eq!(seen, [1, 4]);
    assert_eq!(sets.claim(3, 0, false), (Claim::Cycle, false));
    sets.finish(2);
    for state in 1..4 {
        assert_eq!(sets.claim(state, 0, false), (Claim::Dead, false));
        assert!(sets.is_visited(state) && sets.is_dead(state));
    }
    assert_eq!(sets.claim(0, 0, false), (Claim::Cycle, false));
}

/// Random operations of one thread, on behalf of several workers, against sets of sets.
#[test]
fn agrees_with_sets() {
    let mut random = Random::new(7);
    for round in 0..200 {
        let (workers, marks) = [(1, 1), (3, 32), (40, 33), (130, 100)][round % 4];
        let words = (marks as usize).div_ceil(32);
        let n = 2 + random.below(20) as u32;
        let sets = made(workers, marks, n);
        // The set of each state; for each set, its workers, marks and busy states.
        let mut of: Vec<usize> = (0..n as usize).collect();
        let mut members: Vec<(BTreeSet<usize>, BTreeSet<u32>, BTreeSet<u32>)> = (0..n)
            .map(|s| (BTreeSet::new(), BTreeSet::new(), [s].into()))
            .collect();
        let mut visited = vec![false; n as usize];
        let mut dead = vec![false; n as usize];
        for _ in 0..200 {
            let (a, b) = (random.below(n as usize), random.below(n as usize));
            let (set_a, set_b) = (of[a], of[b]);
            match random.below(5) {
                0 => {
                    let worker = random.below(workers);
                    let expected = match () {
                        () if dead[set_a] => Claim::Dead,
                        () if members[set_a].0.contains(&worker) => Claim::Cycle,
                        () => Claim::New,
                    };
                    let only_new = random.chance(0.5);
                    let expected = match expected {
                        Claim::New if only_new && visited[a] => Claim::Others,
                        other => other,
                    };
                    assert_eq!(
                        sets.claim(a as u32, worker, only_new),
                        (expected, !visited[a])
                    );
                    if expected == Claim::New {
                        members[set_a].0.insert(worker);
                    }
                    visited[a] = true;
                }
                1 if visited[a]
                    && visited[b]
                    && [set_a, set_b].iter().all(|&s| !members[s].2.is_empty()) =>
                {
                    sets.unite(a as u32, b as u32);
                    if set_a != set_b {
                        let (w, m, l) = std::mem::take(&mut members[set_b]);
                        members[set_a].0.extend(w);
                        members[set_a].1.extend(m);
                        members[set_a].2.extend(l);
                        of.iter_mut()
                            .filter(|s| **s == set_b)
                            .for_each(|s| *s = set_a);
                    }
                }
                2 if visited[a] => {
                    let mut add = vec![0; words];
                    for _ in 0..random.below(3) {
                        let mark = random.below(marks as usize) as u32;
                        add[mark as usize / 32] |= 1 << (mark % 32);
                        members[set_a].1.insert(mark);
                    }
                    let mut seen = vec![0; words];
                    sets.add_marks(a as u32, &add, &mut seen);
                    let seen: BTreeSet<u32> = (0..marks)
                        .filter(|m| seen[*m as usize / 32] >> (m % 32) & 1 == 1)
                        .collect();
                    assert_eq!(seen, members[set_a].1);
                }
                3 if visited[a] && !dead[set_a] && random.chance(0.5) => {
                    sets.remove(a as u32);
                    members[set_a].2.remove(&(a as u32));
                }
                4 if visited[a] && members[set_a].2.is_empty() && random.chance(0.5) => {
                    sets.finish(a as u32);
                    dead[set_a] = true;
                }
                4 if visited[a] && !dead[set_a] => match sets.pick(a as u32) {
                    Some(state) => assert!(members[set_a].2.contains(&state)),
                    None => {
                        assert!(members[set_a].2.is_empty());
                        dead[set_a] = true;
                    }
                },
                _ => {}
            }
            assert_eq!(sets.same(a as u32, b as u32), of[a] == of[b]);
            assert_eq!(sets.is_visited(a as u32), visited[a]);
            if visited[a] {
                assert_eq!(sets.is_dead(a as u32), dead[of[a]]);
                assert_eq!(
                    sets.is_explored(a as u32),
                    !members[of[a]].2.contains(&(a as u32))
                );
            }
        }
    }
}

/// The results of all workers, each in a thread of its own.
fn all<R: Send>(workers: usize, body: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let body = &body;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|w| scope.spawn(move || body(w))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

/// More workers than cores unite, mark and explore the same states; in the end there is one dead set with everything in it.
#[test]
fn many_workers_make_one_set() {
    const WORKERS: usize = 48;
    const STATES: u32 = 400;
    for round in 0..10 {
        let sets = made(WORKERS, WORKERS as u32, STATES);
        let order = |worker: usize| {
            let mut random = Random::new((round * WORKERS + worker) as u64);
            let mut order: Vec<u32> = (0..STATES).collect();
            random.shuffle(&mut order);
            order
        };
        // One part after the other, so that a worker that fails in the first part does not block the others.
        let complete = all(WORKERS, |worker| {
            let order = order(worker);
            let mut add = [0; 2];
            add[worker / 32] = 1 << (worker % 32);
            sets.claim(order[0], worker, false);
            for two in order.windows(2) {
                let (claim, _) = sets.claim(two[1], worker, false);
                assert_ne!(claim, Claim::Dead, "states are busy");
                sets.unite(two[0], two[1]);
                assert!(sets.same(two[0], two[1]));
                // I5: the worker may be moving to a new root.
                let (claim, first) = sets.claim(two[1], worker, false);
                assert!(matches!(claim, Claim::Cycle | Claim::New) && !first);
            }
            let mut seen = [0; 2];
            sets.add_marks(order[0], &add, &mut seen);
            seen == [u32::MAX, (1 << 16) - 1]
        });
        assert!(complete.contains(&true), "I4");
        all(WORKERS, |worker| {
            for state in 0..STATES {
                assert_eq!(sets.claim(state, worker, false), (Claim::Cycle, false));
            }
        });
        all(WORKERS, |worker| {
            let first = order(worker)[0];
            while let Some(state) = sets.pick(first) {
                sets.remove(state);
            }
            assert!(sets.is_dead(first));
        });
        assert!((0..STATES).all(|s| sets.same(0, s) && sets.is_explored(s)));
    }
}

#[test]
fn memory_is_charged_and_given_back() {
    let budget = Arc::new(Budget::new(1 << 20));
    let sets = UnionFind::new(33, 65, &budget);
    assert_eq!(sets.bytes_per_state(), 28);
    sets.reserve(5).unwrap();
    assert_eq!(budget.used(), 28 << BLOCK_BITS);
    assert!(!sets.is_visited(1 << 20));
    assert_eq!(sets.reserve(1 << 20), Err(Full));
    assert_eq!(sets.reserve(LIMIT), Err(Full));
    drop(sets);
    assert_eq!(budget.used(), 0);
}
