//! Tests of the flat table, in a file of their own because of their length.

use super::*;
use crate::keys::Words;
use crate::packed::Packed;
use sempre_base::Random;
use std::collections::HashMap;

fn plain<const W: usize>(budget: &Arc<Budget>) -> Result<Flat<W, Words<W>>, Full> {
    Flat::new(Words::new(Arc::clone(budget)), Arc::clone(budget))
}

fn packed<const W: usize>(budget: &Arc<Budget>) -> Result<Flat<W, Packed<W>>, Full> {
    Flat::new(Packed::new(64, Arc::clone(budget)), Arc::clone(budget))
}

fn unlimited() -> Arc<Budget> {
    Arc::new(Budget::unlimited())
}

/// Keys with repetitions, of several shapes: small numbers, few bits set, random.
fn random_key<const W: usize>(random: &mut Random) -> [u64; W] {
    std::array::from_fn(|_| match random.below(3) {
        0 => random.below(1000) as u64,
        1 => 1 << random.below(64) | 1 << random.below(64),
        _ => (random.below(300) as u64).wrapping_mul(0x1234_5678_9abc_def1),
    })
}

fn against_a_map<const W: usize, K: Keys<W>>(table: &Flat<W, K>, batches: bool) {
    let mut random = Random::new(1);
    let mut worker = table.worker();
    let mut map: HashMap<[u64; W], u32> = HashMap::new();
    for _ in 0..2000 {
        let keys: Vec<[u64; W]> = (0..random.below(60))
            .map(|_| random_key(&mut random))
            .collect();
        let mut found = Vec::new();
        if batches {
            table
                .find_or_insert_batch(keys.as_flattened(), &mut worker, &mut found)
                .unwrap();
        } else {
            for key in &keys {
                assert_eq!(table.find(key, &mut worker), map.get(key).copied());
                let answer = table.find_or_insert(key, &mut worker).unwrap();
                found.push(answer);
                map.entry(*key).or_insert(answer.index);
            }
            continue;
        }
        assert_eq!(found.len(), keys.len());
        for (key, answer) in keys.iter().zip(found) {
            let fresh = !map.contains_key(key);
            // Dense: a new key gets the next index.
            let next = map.len() as u32;
            let index = *map.entry(*key).or_insert(next);
            assert_eq!(answer, Found { index, fresh });
        }
    }
    assert_eq!(table.len(), map.len() as u64);
    assert_eq!(table.indices(), vec![0..map.len() as u32]);
    for (key, &index) in &map {
        assert_eq!(table.get(index), *key);
        assert_eq!(table.find(key, &mut worker), Some(index));
    }
    assert!(map.len() > 1000, "the test should reach growth");
}

#[test]
fn agrees_with_a_map() {
    for batches in [false, true] {
        let budget = unlimited();
        against_a_map::<1, _>(&plain(&budget).unwrap(), batches);
        against_a_map::<2, _>(&plain(&budget).unwrap(), batches);
        against_a_map::<1, _>(&packed(&budget).unwrap(), batches);
        against_a_map::<2, _>(&packed(&budget).unwrap(), batches);
        assert_eq!(budget.used(), 0);
    }
}

/// More threads than cores insert overlapping sets of keys, from the smallest table on, so that the table grows
/// meanwhile.
#[test]
fn many_workers_agree() {
    const KEYS: usize = 60_000;
    for (threads, batch) in [(2, 1), (8, 64), (16, 7)] {
        let table = packed::<1>(&unlimited()).unwrap();
        let answers: Vec<Vec<(u64, Found)>> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads)
                .map(|t| {
                    let table = &table;
                    scope.spawn(move || {
                        let mut random = Random::new(t);
                        let mut worker = table.worker();
                        let mut answers = Vec::new();
                        // Each thread visits all keys from its own start, so that several are at the same key now and
                        // then.
                        let first = random.below(KEYS);
                        let keys: Vec<u64> = (0..KEYS)
                            .map(|i| ((first + i) % KEYS) as u64 * 0x0001_0001_0001)
                            .collect();
                        for some in keys.chunks(batch) {
                            let mut found = Vec::new();
                            table
                                .find_or_insert_batch(some, &mut worker, &mut found)
                                .unwrap();
                            answers.extend(some.iter().copied().zip(found));
                        }
                        answers
                    })
                })
                .collect();
            handles.into_iter().map(|h| h.join().unwrap()).collect()
        });
        assert_eq!(table.len(), KEYS as u64);
        let mut index_of: HashMap<u64, u32> = HashMap::new();
        let mut fresh = 0;
        for (key, found) in answers.into_iter().flatten() {
            assert_eq!(*index_of.entry(key).or_insert(found.index), found.index);
            assert_eq!(table.get(found.index), [key]);
            fresh += usize::from(found.fresh);
        }
        assert_eq!(index_of.len(), KEYS);
        assert_eq!(fresh, KEYS, "each key is new for one worker");
        let mut indices: Vec<u32> = index_of.into_values().collect();
        indices.sort_unstable();
        let reported: Vec<u32> = table.indices().into_iter().flatten().collect();
        assert_eq!(indices, reported);
        assert!(
            u64::from(*indices.last().unwrap()) < KEYS as u64 + threads * BLOCK,
            "dense but for the rests of blocks"
        );
        // Unused indices of workers are assigned again.
        let mut worker = table.worker();
        for key in 0..threads * BLOCK {
            table
                .find_or_insert(&[u64::MAX - key], &mut worker)
                .unwrap();
        }
        assert_eq!(table.len(), KEYS as u64 + threads * BLOCK);
    }
}

#[test]
fn a_spent_budget_is_an_answer() {
    spend(plain);
    spend(packed);
}

fn spend<K: Keys<1>>(new: fn(&Arc<Budget>) -> Result<Flat<1, K>, Full>) {
    for limit in [20_000usize, 100_000, 1_000_000] {
        let budget = Arc::new(Budget::new(limit));
        let table = new(&budget).unwrap();
        let mut worker = table.worker();
        let mut count = 0u32;
        while let Ok(found) = table.find_or_insert(&[u64::from(count)], &mut worker) {
            assert_eq!(
                found,
                Found {
                    index: count,
                    fresh: true
                }
            );
            count += 1;
        }
        assert!(table.bytes() <= limit && budget.used() == table.bytes());
        assert!(
            count as usize * 24 > limit - 16_384,
            "{count} keys in {limit} bytes"
        );
        assert_eq!(table.len(), u64::from(count));
        // The table stays usable, and further insertions fail again.
        for key in 0..u64::from(count) {
            let found = table.find_or_insert(&[key], &mut worker).unwrap();
            assert_eq!((u64::from(found.index), found.fresh), (key, false));
        }
        assert_eq!(table.find_or_insert(&[u64::MAX], &mut worker), Err(Full));
        let mut found = Vec::new();
        let answer = table.find_or_insert_batch(&[0, 1, u64::MAX, 2], &mut worker, &mut found);
        assert_eq!((answer, found.len()), (Err(Full), 2));
        drop((worker, table));
        assert_eq!(budget.used(), 0);
    }
    assert!(new(&Arc::new(Budget::new(100))).is_err());
}

#[test]
fn zero_is_a_key() {
    let table = packed::<2>(&unlimited()).unwrap();
    let mut worker = table.worker();
    assert_eq!(table.len(), 0);
    assert!(table.find_or_insert(&[0, 0], &mut worker).unwrap().fresh);
    assert!(!table.find_or_insert(&[0, 0], &mut worker).unwrap().fresh);
    assert!(
        table
            .find_or_insert(&[0, u64::MAX], &mut worker)
            .unwrap()
            .fresh
    );
    assert_eq!(table.len(), 2);
}

#[test]
#[should_panic(expected = "another table")]
fn a_worker_belongs_to_its_table() {
    let [a, b] = [0, 1].map(|_| plain::<1>(&unlimited()).unwrap());
    let _ = a.find_or_insert(&[1], &mut b.worker());
}

/// Packed states differ in few bits. Their hashes must still be spread evenly, in slots and in tags.
#[test]
fn structured_keys_spread() {
    let grids: [fn(u64) -> u64; 4] = [
        |i| i,
        |i| i << 40,
        |i| (i & 0xff) | (i >> 8 & 0xf) << 30 | (i >> 12) << 55,
        |i| (i & 0x3f) << 5 | (i >> 6) << 33,
    ];
    for (g, grid) in grids.iter().enumerate() {
        let (bits, count) = (12, 1u64 << 16);
        let mut loads = vec![0u32; 1 << bits];
        let mut tags = vec![0u32; 1 << bits];
        for i in 0..count {
            let h = hash(&[grid(i)]);
            loads[(h >> (64 - bits)) as usize] += 1;
            tags[(h >> (32 - bits)) as usize & ((1 << bits) - 1)] += 1;
        }
        // 16 expected in each; with a uniform hash below 50 with near certainty.
        assert!(loads.iter().all(|&n| n < 50), "slots of grid {g}");
        assert!(tags.iter().all(|&n| n < 50), "tags of grid {g}");
    }
}
