//! The semantics of LTL on lasso words.
//!
//! Every position of the lasso gets the truth of every subformula, operands first. A row of bits per subformula, one
//! bit per position: Boolean operators work on whole machine words; `X` is a shift that wraps to the start of the
//! cycle; the others are fixpoints of one-step laws,
//!
//! ```text
//! f U g = g | (f & X(f U g))   least       f R g = g & (f | X(f R g))   greatest
//! f W g = g | (f & X(f W g))   greatest    f M g = g & (f | X(f M g))   least
//! ```
//!
//! and on a cycle two backward passes reach them: the first starts from what the fixpoint assumes behind the last
//! position, the second from what the first found at the start of the cycle. Two are enough, because the value there
//! is final after one pass: either some position of the cycle decides it, or the assumption was propagated unchanged.
//!
//! Cost: subformulas × positions bits, and as many steps for temporal operators.

use crate::formula::{Formula, Formulas, Op};
use sempre_base::Lasso;

/// The propositions that are true, by number; all others are false.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter {
    /// Bits; the last word is not zero, so that equal sets are equal vectors.
    words: Vec<u64>,
}

impl Letter {
    /// The letter in which nothing is true.
    pub fn new() -> Self {
        Self::default()
    }

    /// Is the proposition true?
    pub fn holds(&self, proposition: usize) -> bool {
        self.words
            .get(proposition / 64)
            .is_some_and(|w| w >> (proposition % 64) & 1 == 1)
    }

    /// Makes the proposition true.
    pub fn insert(&mut self, proposition: usize) {
        let word = proposition / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (proposition % 64);
    }

    /// The propositions that are true, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len() * 64).filter(|&p| self.holds(p))
    }
}

impl FromIterator<usize> for Letter {
    fn from_iter<I: IntoIterator<Item = usize>>(propositions: I) -> Self {
        let mut letter = Letter::new();
        propositions.into_iter().for_each(|p| letter.insert(p));
        letter
    }
}

/// Does the word satisfy the formula?
pub fn holds(arena: &Formulas, f: Formula, word: &Lasso<Letter>) -> bool {
    evaluate(arena, f, word).holds(f, 0)
}

/// The truth of `f` and all its subformulas at all positions of the word.
pub fn evaluate(arena: &Formulas, f: Formula, word: &Lasso<Letter>) -> Evaluation {
    evaluate_with(arena, f, word, Letter::holds)
}

/// As [`evaluate`], for any kind of letter: `truth` decides whether a proposition, given by its number, holds in a
/// letter.
pub fn evaluate_with<L>(
    arena: &Formulas,
    f: Formula,
    word: &Lasso<L>,
    truth: impl Fn(&L, usize) -> bool,
) -> Evaluation {
    let order = arena.subformulas(f);
    let mut table = Evaluation {
        row: rustc_hash::FxHashMap::default(),
        bits: Vec::with_capacity(order.len() * word.len().div_ceil(64)),
        positions: word.len(),
        back: word.prefix().len(),
    };
    for g in order {
        let row = match arena.op(g) {
            Op::Proposition => {
                let p = arena.proposition_number(g);
                table.collect(|i| truth(word.letter(i), p))
            }
            op => table.apply(op, arena.operands(g)),
        };
        let number = table.row.len();
        table.row.insert(g, number);
        table.bits.extend(row);
    }
    table
}

/// The truth of subformulas at the positions of a lasso.
pub struct Evaluation {
    row: rustc_hash::FxHashMap<Formula, usize>,
    /// Row by row, each `stride` words; the bits behind the last position are zero.
    bits: Vec<u64>,
    positions: usize,
    /// The position after the last one: where the cycle starts.
    back: usize,
}

impl Evaluation {
    /// Does the suffix of the word from `position` satisfy the subformula `f`?
    ///
    /// # Panics
    /// If `f` is not a subformula of the evaluated formula, or there is no such position.
    pub fn holds(&self, f: Formula, position: usize) -> bool {
        assert!(position < self.positions, "no such position");
        self.bits[self.row[&f] * self.stride() + position / 64] >> (position % 64) & 1 == 1
    }

    fn stride(&self) -> usize {
        self.positions.div_ceil(64)
    }

    fn collect(&self, mut bit: impl FnMut(usize) -> bool) -> Vec<u64> {
        let mut row = vec![0; self.stride()];
        for i in 0..self.positions {
            row[i / 64] |= u64::from(bit(i)) << (i % 64);
        }
        row
    }

    fn rows(&self, f: Formula) -> &[u64] {
        let stride = self.stride();
        &self.bits[self.row[&f] * stride..][..stride]
    }

    /// `operation` on whole words; clears the bits behind the last position.
    fn boolean(&self, operands: &[Formula], operation: impl Fn(u64, u64) -> u64) -> Vec<u64> {
        let mut row = self.rows(operands[0]).to_vec();
        for &g in &operands[1..] {
            for (x, &y) in row.iter_mut().zip(self.rows(g)) {
                *x = operation(*x, y);
            }
        }
        self.trim(row)
    }

    fn trim(&self, mut row: Vec<u64>) -> Vec<u64> {
        let used = self.positions % 64;
        if used > 0
            && let Some(last) = row.last_mut()
        {
            *last &= (1 << used) - 1;
        }
        row
    }

    fn apply(&self, op: Op, operands: &[Formula]) -> Vec<u64> {
        match op {
            Op::Proposition => unreachable!("propositions are read off the word"),
            Op::True => self.trim(vec![u64::MAX; self.stride()]),
            Op::False => vec![0; self.stride()],
            Op::Not => {
                let row = self.rows(operands[0]).iter().map(|x| !x).collect();
                self.trim(row)
            }
            Op::And => self.boolean(operands, |x, y| x & y),
            Op::Or => self.boolean(operands, |x, y| x | y),
            Op::Implies => self.boolean(operands, |x, y| !x | y),
            Op::Equiv => self.boolean(operands, |x, y| !(x ^ y)),
            Op::Xor => self.boolean(operands, |x, y| x ^ y),
            Op::Next => self.collect(|i| {
                let next = if i + 1 < self.positions {
                    i + 1
                } else {
                    self.back
                };
                self.holds(operands[0], next)
            }),
            Op::Finally => self.fixpoint(false, |i, later| self.holds(operands[0], i) || later),
            Op::Globally => self.fixpoint(true, |i, later| self.holds(operands[0], i) && later),
            Op::Until | Op::WeakUntil => self.fixpoint(op == Op::WeakUntil, |i, later| {
                self.holds(operands[1], i) || self.holds(operands[0], i) && later
            }),
            Op::Release | Op::StrongRelease => self.fixpoint(op == Op::Release, |i, later| {
                self.holds(operands[1], i) && (self.holds(operands[0], i) || later)
            }),
        }
    }

    /// The least (`start` false) or greatest (`start` true) solution of `v(i) = step(i, v(i + 1))`.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<u64> {
        let around = |later: bool| {
            (self.back..self.positions)
                .rev()
                .fold(later, |v, i| step(i, v))
        };
        let mut later = around(start);
        debug_assert_eq!(
            around(later),
            later,
            "one pass settles the start of the cycle"
        );
        let mut row = vec![0; self.stride()];
        for i in (0..self.positions).rev() {
            later = step(i, later);
            row[i / 64] |= u64::from(later) << (i % 64);
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{ParseOptions, parse};
    use crate::random::RandomFormula;
    use sempre_base::Random;

    /// The definition of the semantics, position by position: `U` searches a witness at the next positions; one round
    /// through all of them is enough.
    fn naive(arena: &Formulas, f: Formula, word: &Lasso<Letter>, i: usize) -> bool {
        let at = |k: usize, j| naive(arena, arena.operand(f, k), word, j);
        let path: Vec<usize> = std::iter::successors(Some(i), |&j| Some(word.successor(j)))
            .take(word.len() + 1)
            .collect();
        let until = |first: &dyn Fn(usize) -> bool, second: &dyn Fn(usize) -> bool| {
            (0..path.len()).any(|k| second(path[k]) && path[..k].iter().all(|&j| first(j)))
        };
        let always = |g: &dyn Fn(usize) -> bool| path.iter().all(|&j| g(j));
        match arena.op(f) {
            Op::True => true,
            Op::False => false,
            Op::Proposition => word.letter(i).holds(arena.proposition_number(f)),
            Op::Not => !at(0, i),
            Op::And => (0..arena.operands(f).len()).all(|k| at(k, i)),
            Op::Or => (0..arena.operands(f).len()).any(|k| at(k, i)),
            Op::Implies => !at(0, i) || at(1, i),
            Op::Equiv => at(0, i) == at(1, i),
            Op::Xor => at(0, i) != at(1, i),
            Op::Next => at(0, word.successor(i)),
            Op::Finally => path.iter().any(|&j| at(0, j)),
            Op::Globally => always(&|j| at(0, j)),
            Op::Until => until(&|j| at(0, j), &|j| at(1, j)),
            Op::WeakUntil => until(&|j| at(0, j), &|j| at(1, j)) || always(&|j| at(0, j)),
            Op::Release => !until(&|j| !at(0, j), &|j| !at(1, j)),
            Op::StrongRelease => until(&|j| at(1, j), &|j| at(0, j) && at(1, j)),
        }
    }

    #[test]
    fn agrees_with_the_definition() {
        let mut r = Random::new(3);
        let mut arena = Formulas::new();
        let shape = RandomFormula {
            sizes: 1..=9,
            exact: true,
            ..RandomFormula::new(3)
        };
        let mut satisfied = 0;
        for _ in 0..3000 {
            let f = shape.draw(&mut arena, &mut r);
            let word = random_word(&mut r, 3, 4, 4);
            let table = evaluate(&arena, f, &word);
            for g in arena.subformulas(f) {
                for i in 0..word.len() {
                    assert_eq!(table.holds(g, i), naive(&arena, g, &word, i));
                }
            }
            satisfied += usize::from(holds(&arena, f, &word));
        }
        assert!((1000..2000).contains(&satisfied), "{satisfied}");
    }

    fn random_word(
        r: &mut Random,
        propositions: usize,
        prefix: usize,
        cycle: usize,
    ) -> Lasso<Letter> {
        let before = r.below(prefix + 1);
        let around = 1 + r.below(cycle);
        let mut letters = |n: usize| {
            (0..n)
                .map(|_| (0..propositions).filter(|_| r.chance(0.5)).collect())
                .collect()
        };
        Lasso::new(letters(before), letters(around))
    }

    #[test]
    fn long_words_use_several_machine_words() {
        let mut arena = Formulas::new();
        let f = parse(
            &mut arena,
            "a & X(!a U (b & GFa)) & !FGa",
            &ParseOptions::default(),
        )
        .unwrap()
        .formula;
        let (a, b) = (Letter::from_iter([0]), Letter::from_iter([1]));
        let mut prefix = vec![a.clone()];
        prefix.extend(vec![Letter::new(); 200]);
        prefix.push(b);
        let mut cycle = vec![Letter::new(); 300];
        cycle[170] = a;
        assert!(holds(&arena, f, &Lasso::new(prefix.clone(), cycle)));
        assert!(!holds(
            &arena,
            f,
            &Lasso::new(prefix, vec![Letter::new(); 300])
        ));
    }

    #[test]
    fn letters_are_sets() {
        let letter: Letter = [200, 3, 3].into_iter().collect();
        assert_eq!(letter.iter().collect::<Vec<_>>(), [3, 200]);
        assert!(letter.holds(200) && !letter.holds(4) && !letter.holds(100_000));
    }
}
