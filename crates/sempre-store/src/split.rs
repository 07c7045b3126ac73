//! The choice of a split of keys into two halves, so that they compress.
//!
//! A key of `b` bits is rotated by some bits and then cut, so each half is a window of adjacent bits, one of which
//! may wrap around. Adjacent fields in a packed state belong together, mostly to one process. So some such split
//! separates processes whose states do not depend much on each other: each half has few values, and the pair of their
//! numbers is short.
//!
//! The choice is made in two steps from the stored keys. All splits on a grid of eight bits, and then those around
//! the best of them, are evaluated on a sample of a few thousand keys, counting distinct halves. The best three, and
//! the current split, are then evaluated on all keys, by *distinct sampling* (Gibbons, VLDB 2001): only halves whose
//! hash falls into one of several classes are counted, and their number is multiplied.
//!
//! The dictionaries grow more slowly than the table does, so their present size gets a weight below one.

/// A split of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    /// The position of the lowest bit of the lower half.
    pub(crate) rotation: u32,
    /// Number of bits of the lower half, 1 to 64.
    pub(crate) low: u32,
    /// Number of bits of a key, such that the upper half has at most 64.
    pub(crate) bits: u32,
}

/// The number of keys in the sample of the first step.
const SAMPLE: u64 = 4096;

/// Bytes of a dictionary entry, with its slots, and the weight of the present number of entries.
const ENTRY: f64 = 13.0;
const WEIGHT: f64 = 0.7;

/// A new split must cost less than this part of the present one.
const MIN_GAIN: f64 = 0.92;

#[inline]
fn low_bits(bits: u32) -> u128 {
    u128::MAX.checked_shr(128 - bits).unwrap_or(0)
}

/// The words as one number.
#[inline]
pub(crate) fn number<const W: usize>(key: &[u64; W]) -> u128 {
    key.iter()
        .rev()
        .fold(0, |number, &word| number << 64 | u128::from(word))
}

impl Split {
    /// The lower and the upper half.
    #[inline]
    pub(crate) fn halves<const W: usize>(&self, key: &[u64; W]) -> [u64; 2] {
        if W == 1 {
            let mut word = key[0];
            if self.rotation > 0 {
                word = (word >> self.rotation | word << (self.bits - self.rotation))
                    & low_bits(self.bits) as u64;
            }
            if self.low == 64 {
                return [word, 0];
            }
            return [word & ((1 << self.low) - 1), word >> self.low];
        }
        if self.rotation == 0 && self.low == 64 {
            return [key[0], key[W - 1]];
        }
        self.cut(number(key))
    }

    #[inline]
    fn cut(&self, mut key: u128) -> [u64; 2] {
        if self.rotation > 0 {
            key = (key >> self.rotation | key << (self.bits - self.rotation)) & low_bits(self.bits);
        }
        [(key & low_bits(self.low)) as u64, (key >> self.low) as u64]
    }

    /// The key with these halves.
    #[inline]
    pub(crate) fn join<const W: usize>(&self, [low, high]: [u64; 2]) -> [u64; W] {
        if W == 1 {
            let mut word = low;
            if self.low < 64 {
                word |= high << self.low;
            }
            if self.rotation > 0 {
                word = (word << self.rotation | word >> (self.bits - self.rotation))
                    & low_bits(self.bits) as u64;
            }
            return [word; W];
        }
        let mut key = u128::from(low) | u128::from(high) << self.low;
        if self.rotation > 0 {
            key = (key << self.rotation | key >> (self.bits - self.rotation)) & low_bits(self.bits);
        }
        std::array::from_fn(|i| (key >> (64 * i)) as u64)
    }

    fn is_possible(&self) -> bool {
        (1..=64).contains(&self.low) && self.low < self.bits && self.bits - self.low <= 64
    }
}

/// Visits all keys, always in the same order.
type ForEachKey<'a> = dyn Fn(&mut dyn FnMut(u128)) + 'a;

/// A set of numbers that supports counting only.
struct Distinct {
    cells: Vec<u64>,
    count: u64,
    zero: bool,
}

fn hash(value: u64) -> u64 {
    let product = u128::from(value ^ 0x243f_6a88_85a3_08d3) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ ((product >> 64) as u64)
}

impl Distinct {
    fn new(capacity: u64) -> Self {
        Self {
            cells: vec![0; (2 * capacity).next_power_of_two().max(16) as usize],
            count: 0,
            zero: false,
        }
    }

    fn clear(&mut self) {
        self.cells.fill(0);
        (self.count, self.zero) = (0, false);
    }

    fn add(&mut self, value: u64, hash: u64) {
        if value == 0 {
            self.count += u64::from(!self.zero);
            self.zero = true;
            return;
        }
        let last = self.cells.len() - 1;
        let mut at = hash as usize & last;
        // Half of the cells stay free.
        while self.cells[at] != 0 {
            if self.cells[at] == value {
                return;
            }
            at = (at + 1) & last;
        }
        if self.count < last as u64 {
            self.cells[at] = value;
        }
        self.count += 1;
    }
}

/// Bytes per key with these numbers of keys and halves.
fn cost(keys: u64, halves: [f64; 2]) -> f64 {
    let bits: f64 = halves.iter().map(|n| n.max(2.0).log2()).sum();
    let entries = halves[0] + halves[1];
    bits / 8.0 + WEIGHT * ENTRY * entries / keys.max(1) as f64
}

/// The best split of keys of `bits` bits, if it is better than the present one (`None`: keys are not split). `keys`
/// visits them all, always in the same order.
pub(crate) fn choose(
    bits: u32,
    count: u64,
    present: Option<Split>,
    keys: &ForEachKey<'_>,
) -> Option<Split> {
    let stride = count.div_ceil(SAMPLE).max(1);
    let mut sample = Vec::new();
    let mut number = 0;
    keys(&mut |key| {
        if number % stride == 0 {
            sample.push(key);
        }
        number += 1;
    });
    // Every fourth key first: the first quarter is a sample, too.
    let sample: Vec<u128> = (0..4)
        .flat_map(|first| sample.iter().skip(first).step_by(4).copied())
        .collect();
    let best = rank_by_sample(bits, count, &sample);
    let mut candidates: Vec<Split> = best.into_iter().filter(|&s| Some(s) != present).collect();
    candidates.truncate(3);
    candidates.extend(present);
    let mut costs = exact_costs(count, &candidates, keys);
    let now = match present {
        Some(_) => costs.pop()?,
        None => f64::from(bits) / 8.0,
    };
    (candidates.into_iter().zip(costs))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|&(_, cost)| cost < MIN_GAIN * now)
        .map(|(split, _)| split)
}

/// The best splits according to a sample, best first. The growth of the number of halves from the first quarter of
/// the sample to the whole is extrapolated to all keys, by a power law (Heaps' law).
fn rank_by_sample(bits: u32, count: u64, sample: &[u128]) -> Vec<Split> {
    let quarter = sample.len().div_ceil(4);
    let more = count.max(1) as f64 / sample.len().max(1) as f64;
    let mut tables = [0, 1].map(|_| Distinct::new(sample.len() as u64));
    let mut tried: Vec<(f64, Split)> = Vec::new();
    let mut attempt = |split: Split, tried: &mut Vec<(f64, Split)>| {
        if !split.is_possible() || tried.iter().any(|&(_, s)| s == split) {
            return;
        }
        tables.iter_mut().for_each(Distinct::clear);
        let mut early = [1; 2];
        for (i, &key) in sample.iter().enumerate() {
            for (table, half) in tables.iter_mut().zip(split.cut(key)) {
                table.add(half, hash(half));
            }
            if i + 1 == quarter {
                early = [0, 1].map(|i| tables[i].count);
            }
        }
        let halves = [0, 1].map(|i| {
            let now = tables[i].count as f64;
            now * more.powf((now / early[i] as f64).log(4.0))
        });
        tried.push((cost(count, halves), split));
    };
    // By symmetry the lower half is the shorter one.
    for rotation in (0..bits).step_by(8) {
        for low in (8..=bits / 2 + 7).step_by(8) {
            attempt(
                Split {
                    rotation,
                    low,
                    bits,
                },
                &mut tried,
            );
        }
    }
    for distance in [4, 2] {
        tried.sort_by(|a, b| a.0.total_cmp(&b.0));
        let near: Vec<Split> = tried.iter().take(2).map(|&(_, split)| split).collect();
        for split in near {
            for rotation in [
                split.rotation,
                (split.rotation + distance) % bits,
                (split.rotation + bits - distance) % bits,
            ] {
                for low in [
                    split.low,
                    split.low + distance,
                    split.low.saturating_sub(distance),
                ] {
                    attempt(
                        Split {
                            rotation,
                            low,
                            bits,
                        },
                        &mut tried,
                    );
                }
            }
        }
    }
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    tried.into_iter().map(|(_, split)| split).collect()
}

/// The costs of splits, from all keys.
fn exact_costs(count: u64, splits: &[Split], keys: &ForEachKey<'_>) -> Vec<f64> {
    let classes = (count / 16_384).next_power_of_two().max(1);
    let mut tables: Vec<[Distinct; 2]> = (splits.iter())
        .map(|_| [0, 1].map(|_| Distinct::new(count / classes * 2)))
        .collect();
    keys(&mut |key| {
        for (split, tables) in splits.iter().zip(&mut tables) {
            for (table, half) in tables.iter_mut().zip(split.cut(key)) {
                let hash = hash(half);
                if hash >> 40 & (classes - 1) == 0 {
                    table.add(half, hash);
                }
            }
        }
    });
    (tables.iter())
        .map(|[low, high]| {
            let halves = [low, high].map(|t| (t.count * classes) as f64);
            cost(count, halves)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    #[test]
    fn halves_make_the_key() {
        let mut random = Random::new(5);
        let mut word = || (0..4).fold(0u64, |w, _| w << 16 | random.below(1 << 16) as u64);
        for bits in 2..=128u32 {
            for rotation in 0..bits {
                let low = 1 + (word() % 64) as u32;
                let split = Split {
                    rotation,
                    low,
                    bits,
                };
                let key = (u128::from(word()) << 64 | u128::from(word())) & low_bits(bits);
                if !split.is_possible() {
                    continue;
                }
                let two = [key as u64, (key >> 64) as u64];
                let halves = split.halves(&two);
                assert_eq!(halves, split.cut(key));
                assert_eq!(split.join::<2>(halves), two);
                if bits <= 64 {
                    assert_eq!(split.halves(&[key as u64]), halves);
                    assert_eq!(split.join::<1>(halves), [key as u64]);
                }
            }
        }
        // Keys without a split.
        for bits in 1..=64 {
            let whole = Split {
                rotation: 0,
                low: bits,
                bits,
            };
            let key = word() & low_bits(bits) as u64;
            assert_eq!(whole.halves(&[key]), [key, 0]);
            assert_eq!(whole.join::<1>([key, 0]), [key]);
        }
    }

    /// Two parts of a hundred values each, at odd places: the split that separates them is found, and is kept
    /// afterwards. Random keys are not split.
    #[test]
    fn independent_parts_are_found() {
        let mut random = Random::new(7);
        let parts: Vec<Vec<u128>> = (0..2)
            .map(|_| {
                (0..100)
                    .map(|_| (random.below(1 << 30) as u128) << 10 | random.below(1 << 10) as u128)
                    .collect()
            })
            .collect();
        let keys: Vec<u128> = (0..20_000)
            .map(|_| {
                let (a, b) = (parts[0][random.below(100)], parts[1][random.below(100)]);
                // 30 constant bits, then one part, then the other, which wraps around.
                a << 30 | b << 70 & low_bits(90) | b >> 20
            })
            .collect();
        let all = |visit: &mut dyn FnMut(u128)| keys.iter().for_each(|&key| visit(key));
        let split = choose(90, keys.len() as u64, None, &all).unwrap();
        let [low, high] = [0, 1].map(|i| {
            let halves: std::collections::HashSet<u64> =
                keys.iter().map(|&key| split.cut(key)[i]).collect();
            halves.len()
        });
        assert!(low <= 100 && high <= 100, "{low} {high} {split:?}");
        assert_eq!(choose(90, keys.len() as u64, Some(split), &all), None);

        let noise: Vec<u128> = (0..20_000)
            .map(|_| (0..5).fold(0, |n, _| n << 15 | random.below(1 << 15) as u128))
            .collect();
        let all = |visit: &mut dyn FnMut(u128)| noise.iter().for_each(|&key| visit(key));
        assert_eq!(choose(75, noise.len() as u64, None, &all), None);
    }
}
