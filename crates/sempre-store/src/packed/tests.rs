//! Tests of packed keys, in a file of their own because of their length.

use super::*;
use crate::keys::BLOCK;
use sempre_base::Random;
use std::collections::HashMap;

/// Keys that compress: each of two parts has few values, whose number increases over time. The parts lie at places of
/// 8-bit granularity, and the second wraps around.
fn key(i: u64, random: &mut Random, bits: u32) -> u128 {
    let values = 20 + i as usize / 200;
    let scatter = |n: usize| (n as u128 + 1) * 0x9e37_79b9_7f4a_7c15;
    let part = bits / 2;
    let low = |bits: u32| u128::MAX >> (128 - bits);
    let a = scatter(random.below(values)) & low(part);
    let b = (scatter(random.below(values)) >> 3) & low(bits - part);
    let straight = a | b << part;
    (straight << 8 | straight >> (bits - 8)) & low(bits)
}

fn words<const W: usize>(key: u128) -> [u64; W] {
    std::array::from_fn(|i| (key >> (64 * i)) as u64)
}

fn table<const W: usize>(bits: u32, budget: &Arc<Budget>) -> Flat<W, Packed<W>> {
    let highest = bits - 64 * (W as u32 - 1);
    Flat::new(Packed::new(highest, Arc::clone(budget)), Arc::clone(budget)).unwrap()
}

/// Single keys and batches, from the first block of unsplit keys to blocks of several encodings.
fn against_a_map<const W: usize>(bits: u32) {
    let budget = Arc::new(Budget::unlimited());
    let table = table::<W>(bits, &budget);
    let mut random = Random::new(u64::from(bits));
    let mut worker = table.worker();
    let mut map: HashMap<[u64; W], u32> = HashMap::new();
    let mut found = Vec::new();
    for round in 0..1_500 {
        let keys: Vec<[u64; W]> = (0..100)
            .map(|i| words(key(round * 100 + i, &mut random, bits)))
            .collect();
        found.clear();
        if round % 2 == 0 {
            (table.find_or_insert_batch(keys.as_flattened(), &mut worker, &mut found)).unwrap();
        } else {
            found.extend((keys.iter()).map(|k| table.find_or_insert(k, &mut worker).unwrap()));
        }
        for (key, answer) in keys.iter().zip(&found) {
            let next = map.len() as u32;
            let index = *map.entry(*key).or_insert(next);
            assert_eq!((answer.index, answer.fresh), (index, index == next));
        }
    }
    assert_eq!(table.len(), map.len() as u64);
    assert_eq!(table.indices(), vec![0..map.len() as u32]);
    for (key, &index) in &map {
        assert_eq!(table.get(index), *key);
        assert_eq!(table.find(key, &mut worker), Some(index));
    }
    assert!(map.len() > 65_000, "an encoding is chosen");
    assert!(
        table.keys().current.load(Relaxed) > 0,
        "some cut is better than none"
    );
    // The first rows, written before a split is chosen, are not compressed.
    let plain = bits as usize * map.len() / 8;
    let bytes = table.keys().bytes();
    assert!(bits < 64 || bytes < plain, "{bytes} bytes, plain {plain}");
    assert_eq!(table.bytes(), budget.used());
    drop((worker, table));
    assert_eq!(budget.used(), 0);
}

#[test]
fn agrees_with_a_map() {
    against_a_map::<1>(40);
    against_a_map::<1>(64);
    against_a_map::<2>(72);
    against_a_map::<2>(109);
    against_a_map::<2>(128);
}

#[test]
fn many_workers_agree() {
    for bits in [64, 100] {
        let budget = Arc::new(Budget::unlimited());
        let table = table::<2>(bits.max(65), &budget);
        let answers: Vec<Vec<([u64; 2], u32)>> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..6)
                .map(|t| {
                    let table = &table;
                    scope.spawn(move || {
                        let mut random = Random::new(t);
                        let mut worker = table.worker();
                        let mut answers = Vec::new();
                        for round in 0..400 {
                            let keys: Vec<[u64; 2]> = (0..64)
                                .map(|i| words(key(round * 200 + i, &mut random, bits)))
                                .collect();
                            let mut found = Vec::new();
                            let batch = keys.as_flattened();
                            (table.find_or_insert_batch(batch, &mut worker, &mut found)).unwrap();
                            for (&key, found) in keys.iter().zip(found) {
                                assert_eq!(table.get(found.index), key);
                                answers.push((key, found.index));
                            }
                        }
                        answers
                    })
                })
                .collect();
            handles.into_iter().map(|h| h.join().unwrap()).collect()
        });
        let mut map: HashMap<[u64; 2], u32> = HashMap::new();
        for (key, index) in answers.into_iter().flatten() {
            assert_eq!(*map.entry(key).or_insert(index), index);
            assert_eq!(table.get(index), key);
        }
        assert_eq!(table.len(), map.len() as u64);
        assert!(
            table.keys().current.load(Relaxed) > 0,
            "some cut is better than none"
        );
    }
}

/// Growing numbers leave blocks of all widths.
#[test]
fn pairs_take_the_bits_they_need() {
    let budget = Arc::new(Budget::unlimited());
    let table = Flat::new(Packed::pairs(Arc::clone(&budget)), Arc::clone(&budget)).unwrap();
    let mut worker = table.worker();
    let pair = |i: u64| [(i / 2) << 32 | (i % 2 * 30_000 + i / 4)];
    for i in 0..100_000 {
        let found = table.find_or_insert(&pair(i), &mut worker).unwrap();
        assert_eq!((u64::from(found.index), found.fresh), (i, true));
    }
    let huge = [u64::MAX];
    assert!(table.find_or_insert(&huge, &mut worker).unwrap().fresh);
    for i in 0..100_000 {
        assert_eq!(table.get(i as u32), pair(i));
    }
    assert_eq!(table.get(100_000), huge);
    // At most 16 and 17 bits, and a few blocks twice.
    assert!(table.keys().bytes() < 100_000 * 33 / 8 + 40 * BLOCK as usize * 8);
}

/// Incompressible keys are stored in their own bits.
#[test]
fn noise_is_kept_as_it_is() {
    let budget = Arc::new(Budget::unlimited());
    let table = table::<1>(50, &budget);
    let mut worker = table.worker();
    let scatter = |i: u64| [i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 14];
    for i in 0..70_000 {
        table.find_or_insert(&scatter(i), &mut worker).unwrap();
    }
    assert_eq!(table.keys().current.load(Relaxed), 0);
    let blocks = 70_000usize.div_ceil(BLOCK as usize);
    assert_eq!(table.keys().bytes(), blocks * (BLOCK as usize * 50 / 8 + 8));
}
