//! Evaluation on many words at once: a fast test that one formula does not imply another.
//!
//! Each formula is evaluated on 128 fixed pseudo-random lasso words in parallel, 64 to a machine word, and the truth
//! values at the first position are kept. Two formulas whose values contradict an implication need no proof attempt:
//! most candidates are refuted here, by a few instructions per subformula.

use crate::formula::{Formula, Formulas, Op};
use rustc_hash::FxHashMap;

/// Positions of the two shapes: a prefix of two and a cycle of two, a prefix of one and a cycle of
/// three.
const SHAPES: [(usize, usize); 2] = [(2, 2), (1, 3)];
const POSITIONS: usize = 4;

/// Truth of one formula: for each shape and position, one bit for each word.
type Values = [[u64; POSITIONS]; 2];

/// The memory of evaluations for one arena.
#[derive(Default)]
pub struct Samples {
    values: FxHashMap<Formula, Values>,
}

impl Samples {
    /// A memory without evaluations.
    pub fn new() -> Self {
        Self::default()
    }

    /// Is there a word among the samples that satisfies `f` and not `g`?
    pub fn refute(&mut self, a: &Formulas, f: Formula, g: Formula) -> bool {
        let x = self.values(a, f);
        let y = self.values(a, g);
        (0..2).any(|shape| x[shape][0] & !y[shape][0] != 0)
    }

    /// Have the two the same truth values at all positions of all samples?
    pub fn agree(&mut self, a: &Formulas, f: Formula, g: Formula) -> bool {
        self.values(a, f) == self.values(a, g)
    }

    fn values(&mut self, a: &Formulas, f: Formula) -> Values {
        if let Some(v) = self.values.get(&f) {
            return *v;
        }
        let operands: Vec<Values> = (0..a.operands(f).len())
            .map(|i| self.values(a, a.operand(f, i)))
            .collect();
        let mut v = [[0; POSITIONS]; 2];
        for (shape, &(prefix, _)) in SHAPES.iter().enumerate() {
            let part = |i: usize| operands[i][shape];
            v[shape] = match a.op(f) {
                Op::True => [!0; POSITIONS],
                Op::False => [0; POSITIONS],
                Op::Proposition => std::array::from_fn(|p| {
                    scramble((a.proposition_number(f) * 2 + shape) * POSITIONS + p)
                }),
                Op::Not => part(0).map(|x| !x),
                Op::And => {
                    (0..operands.len()).fold([!0; POSITIONS], |t, i| zip(t, part(i), |x, y| x & y))
                }
                Op::Or => {
                    (0..operands.len()).fold([0; POSITIONS], |t, i| zip(t, part(i), |x, y| x | y))
                }
                Op::Implies => zip(part(0), part(1), |x, y| !x | y),
                Op::Equiv => zip(part(0), part(1), |x, y| !(x ^ y)),
                Op::Xor => zip(part(0), part(1), |x, y| x ^ y),
                Op::Next => std::array::from_fn(|p| part(0)[successor(p, prefix)]),
                Op::Finally => least(prefix, [!0; POSITIONS], part(0)),
                Op::Globally => greatest(prefix, [0; POSITIONS], part(0)),
                Op::Until => least(prefix, part(0), part(1)),
                Op::Release => greatest(prefix, part(0), part(1)),
                // f W g = g R (f | g), f M g = g U (f & g)
                Op::WeakUntil => greatest(prefix, part(1), zip(part(0), part(1), |x, y| x | y)),
                Op::StrongRelease => least(prefix, part(1), zip(part(0), part(1), |x, y| x & y)),
            };
        }
        self.values.insert(f, v);
        v
    }
}

fn successor(p: usize, prefix: usize) -> usize {
    if p + 1 < POSITIONS { p + 1 } else { prefix }
}

fn zip(x: [u64; POSITIONS], y: [u64; POSITIONS], f: impl Fn(u64, u64) -> u64) -> [u64; POSITIONS] {
    std::array::from_fn(|p| f(x[p], y[p]))
}

/// `f U g`: two passes from the end, the second one for the values propagated around the cycle.
fn least(prefix: usize, f: [u64; POSITIONS], g: [u64; POSITIONS]) -> [u64; POSITIONS] {
    let mut v = [0; POSITIONS];
    for p in (0..POSITIONS).rev().chain((0..POSITIONS).rev()) {
        v[p] = g[p] | (f[p] & v[successor(p, prefix)]);
    }
    v
}

/// `f R g`
fn greatest(prefix: usize, f: [u64; POSITIONS], g: [u64; POSITIONS]) -> [u64; POSITIONS] {
    let mut v = [!0; POSITIONS];
    for p in (0..POSITIONS).rev().chain((0..POSITIONS).rev()) {
        v[p] = g[p] & (f[p] | v[successor(p, prefix)]);
    }
    v
}

/// A fixed pseudo-random word for each number (SplitMix64).
fn scramble(n: usize) -> u64 {
    let mut z = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::{Letter, evaluate, holds};
    use crate::random::RandomFormula;
    use sempre_base::{Lasso, Random};

    /// The sample words, one by one.
    fn words(a: &Formulas, samples: &mut Samples) -> Vec<(usize, usize, Lasso<Letter>)> {
        let propositions: Vec<usize> = (0..a.names().len()).collect();
        let mut all = Vec::new();
        for (shape, &(prefix, cycle)) in SHAPES.iter().enumerate() {
            assert_eq!(prefix + cycle, POSITIONS);
            for bit in 0..64 {
                let mut letter = |position: usize| -> Letter {
                    propositions
                        .iter()
                        .copied()
                        .filter(|&p| {
                            let v = samples.values(a, a.proposition_by_number(p));
                            v[shape][position] >> bit & 1 == 1
                        })
                        .collect()
                };
                let letters: Vec<Letter> = (0..POSITIONS).map(&mut letter).collect();
                let (before, around) = letters.split_at(prefix);
                all.push((shape, bit, Lasso::new(before.to_vec(), around.to_vec())));
            }
        }
        all
    }

    #[test]
    fn values_are_those_of_the_semantics() {
        let mut r = Random::new(1);
        let mut a = Formulas::new();
        for p in ["p0", "p1", "p2"] {
            a.proposition(p);
        }
        let mut samples = Samples::new();
        let words = words(&a, &mut samples);
        let distinct: std::collections::HashSet<_> = words.iter().map(|(_, _, w)| w).collect();
        assert!(distinct.len() > 100, "{}", distinct.len());
        let (mut refuted, mut agreed) = (0, 0);
        for _ in 0..400 {
            let shape = RandomFormula {
                sizes: 1..=10,
                exact: true,
                ..RandomFormula::new(3)
            };
            let (f, g) = (shape.draw(&mut a, &mut r), shape.draw(&mut a, &mut r));
            let v = samples.values(&a, f);
            let mut same = true;
            for (shape, bit, w) in &words {
                let (table, other) = (evaluate(&a, f, w), evaluate(&a, g, w));
                for (position, bits) in v[*shape].iter().enumerate() {
                    let truth = table.holds(f, position);
                    assert_eq!(bits >> bit & 1 == 1, truth);
                    same &= other.holds(g, position) == truth;
                }
            }
            let witness = words
                .iter()
                .any(|(_, _, w)| holds(&a, f, w) && !holds(&a, g, w));
            assert_eq!(samples.refute(&a, f, g), witness);
            assert_eq!(samples.agree(&a, f, g), same);
            refuted += usize::from(witness);
            agreed += usize::from(same);
        }
        assert!(refuted > 200 && agreed > 3, "{refuted} {agreed}");
    }
}
