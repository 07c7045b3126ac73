//! Syntactic implication between formulas.
//!
//! Rules in the spirit of Somenzi and Bloem, "Efficient Büchi automata from LTL formulae" (CAV 2000), with `W` and
//! `M`, pure eventualities and universalities, and an exact answer for Boolean formulas over few propositions (by
//! truth table). Sound, not complete: `true` is a proof, `false` is not a refutation. Formulas must be in negation
//! normal form; anything else is only compared for equality.
//!
//! Each rule is a valid implication of LTL and recurses on smaller pairs, so the recursion ends. Answers are cached:
//! the same pairs occur again and again during rewriting.

use crate::formula::{Formula, Formulas, Op};
use rustc_hash::FxHashMap;

/// The memory of answers for one arena.
#[derive(Default)]
pub struct Implication {
    answers: FxHashMap<(Formula, Formula), bool>,
    negations: FxHashMap<Formula, Formula>,
    tables: FxHashMap<Formula, Option<Table>>,
}

/// A Boolean function of at most six propositions.
#[derive(Clone, Copy)]
struct Table {
    propositions: [u32; 6],
    len: u8,
    bits: u64,
}

/// The truth tables of the six variables themselves.
const COLUMNS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl Implication {
    /// A memory without answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The negation of `f` in negation normal form (`f` must be in it).
    pub fn negation(&mut self, a: &mut Formulas, f: Formula) -> Formula {
        if let Some(&g) = self.negations.get(&f) {
            return g;
        }
        let op = a.op(f);
        let g = match op {
            Op::Proposition | Op::Not | Op::Implies | Op::Equiv | Op::Xor => a.not(f),
            _ => {
                let operands: Vec<Formula> = (0..a.operands(f).len())
                    .map(|i| self.negation(a, a.operand(f, i)))
                    .collect();
                a.make(op.dual(), &operands)
            }
        };
        self.negations.insert(f, g);
        self.negations.insert(g, f);
        g
    }

    /// Is `f -> g` valid by the rules?
    pub fn implies(&mut self, a: &Formulas, f: Formula, g: Formula) -> bool {
        if f == g || f == Formula::FALSE || g == Formula::TRUE {
            return true;
        }
        if f == Formula::TRUE || g == Formula::FALSE {
            return false;
        }
        if let Some(&answer) = self.answers.get(&(f, g)) {
            return answer;
        }
        let answer = self.decide(a, f, g);
        self.answers.insert((f, g), answer);
        answer
    }

    /// Is `f -> !g` valid by the rules?
    pub fn excludes(&mut self, a: &mut Formulas, f: Formula, g: Formula) -> bool {
        let not_g = self.negation(a, g);
        self.implies(a, f, not_g)
    }

    /// Is `f | g` valid by the rules?
    pub fn covers(&mut self, a: &mut Formulas, f: Formula, g: Formula) -> bool {
        let not_f = self.negation(a, f);
        self.implies(a, not_f, g)
    }

    fn decide(&mut self, a: &Formulas, f: Formula, g: Formula) -> bool {
        sempre_base::checkpoint();
        let (ff, gf) = (a.facts(f), a.facts(g));
        if ff.boolean()
            && gf.boolean()
            && let Some(answer) = self.boolean(a, f, g)
        {
            return answer;
        }
        // Splitting without loss.
        if a.op(f) == Op::Or {
            return (0..a.operands(f).len()).all(|i| self.implies(a, a.operand(f, i), g));
        }
        if a.op(g) == Op::And {
            return (0..a.operands(g).len()).all(|i| self.implies(a, f, a.operand(g, i)));
        }
        // Consequences of f for the present and for all positions; each line is `f -> h`, `h -> g`.
        let left = |i| a.operand(f, i);
        let right = |i| a.operand(g, i);
        let weaker = match a.op(f) {
            Op::And => (0..a.operands(f).len()).any(|i| self.implies(a, left(i), g)),
            Op::Globally => {
                self.implies(a, left(0), g) || (a.op(g) == Op::Next && self.implies(a, f, right(0)))
            }
            Op::Next => a.op(g) == Op::Next && self.implies(a, left(0), right(0)),
            Op::Until | Op::WeakUntil => self.implies(a, left(0), g) && self.implies(a, left(1), g),
            Op::Release | Op::StrongRelease => self.implies(a, left(1), g),
            _ => false,
        };
        if weaker {
            return true;
        }
        // An eventual g holds wherever it will hold; f needs only to lead there.
        if gf.eventual() {
            let leads = match a.op(f) {
                Op::Finally | Op::Next => self.implies(a, left(0), g),
                Op::Until => self.implies(a, left(1), g),
                Op::StrongRelease => self.implies(a, left(0), g),
                _ => false,
            };
            if leads {
                return true;
            }
        }
        // A universal f holds from now on.
        let lasting = ff.universal();
        match a.op(g) {
            Op::Or => (0..a.operands(g).len()).any(|i| self.implies(a, f, right(i))),
            Op::Finally => self.implies(a, f, right(0)),
            Op::Next => lasting && self.implies(a, f, right(0)),
            Op::Globally => lasting && self.implies(a, f, right(0)),
            Op::Until => self.implies(a, f, right(1)) || self.between(a, f, g),
            Op::WeakUntil => {
                self.implies(a, f, right(1))
                    || (lasting && self.implies(a, f, right(0)))
                    || self.between(a, f, g)
            }
            Op::Release => {
                (self.implies(a, f, right(1)) && (lasting || self.implies(a, f, right(0))))
                    || self.between(a, f, g)
            }
            Op::StrongRelease => {
                (self.implies(a, f, right(0)) && self.implies(a, f, right(1)))
                    || self.between(a, f, g)
            }
            _ => false,
        }
    }

    /// Both are `U R W M` (or `F`, `G` in their place): compare the conditions before the end with those at the end.
    /// A strong operator needs a strong one on the left.
    fn between(&mut self, a: &Formulas, f: Formula, g: Formula) -> bool {
        // (before, end, strong): `before` holds until the position of `end`, inclusive for R and M.
        let (hold, end, strong, overlap) = match a.op(f) {
            Op::Until => (a.operand(f, 0), a.operand(f, 1), true, false),
            Op::WeakUntil => (a.operand(f, 0), a.operand(f, 1), false, false),
            Op::StrongRelease => (a.operand(f, 1), a.operand(f, 0), true, true),
            Op::Release => (a.operand(f, 1), a.operand(f, 0), false, true),
            Op::Globally => (a.operand(f, 0), Formula::FALSE, false, true),
            _ => return false,
        };
        let needs_strong = matches!(a.op(g), Op::Until | Op::StrongRelease);
        if needs_strong && !strong {
            return false;
        }
        match a.op(g) {
            Op::Until | Op::WeakUntil => {
                let (b, e) = (a.operand(g, 0), a.operand(g, 1));
                self.implies(a, hold, b)
                    && (self.implies(a, end, e) || (overlap && self.together(a, end, hold, e)))
            }
            Op::Release | Op::StrongRelease => {
                let (e, b) = (a.operand(g, 0), a.operand(g, 1));
                self.implies(a, hold, b)
                    && self.implies(a, end, e)
                    && (overlap || self.implies(a, end, b))
            }
            _ => false,
        }
    }

    /// Does `f & h` imply `g`, each conjunct of `g` following from one of the two?
    fn together(&mut self, a: &Formulas, f: Formula, h: Formula, g: Formula) -> bool {
        if a.op(g) == Op::And {
            return (0..a.operands(g).len()).all(|i| self.together(a, f, h, a.operand(g, i)));
        }
        self.implies(a, f, g) || self.implies(a, h, g)
    }

    /// Exact for Boolean formulas over at most six propositions together.
    fn boolean(&mut self, a: &Formulas, f: Formula, g: Formula) -> Option<bool> {
        let (x, y) = (self.table(a, f)?, self.table(a, g)?);
        let mut all: Vec<u32> = x.propositions[..x.len as usize].to_vec();
        all.extend_from_slice(&y.propositions[..y.len as usize]);
        all.sort_unstable();
        all.dedup();
        if all.len() > 6 {
            return None;
        }
        let (p, q) = (x.spread(&all), y.spread(&all));
        Some(p & !q == 0)
    }

    fn table(&mut self, a: &Formulas, f: Formula) -> Option<Table> {
        if let Some(&t) = self.tables.get(&f) {
            return t;
        }
        let t = Self::make_table(a, f);
        self.tables.insert(f, t);
        t
    }

    fn make_table(a: &Formulas, f: Formula) -> Option<Table> {
        let used = a.propositions_of(f);
        if used.len() > 6 {
            return None;
        }
        let mut propositions = [0; 6];
        for (slot, &p) in propositions.iter_mut().zip(&used) {
            *slot = p as u32;
        }
        Some(Table {
            propositions,
            len: used.len() as u8,
            bits: truth(a, f, &used),
        })
    }
}

impl Table {
    /// The same function as a table over `all`, which includes its propositions.
    fn spread(&self, all: &[u32]) -> u64 {
        let places: Vec<usize> = self.propositions[..self.len as usize]
            .iter()
            .map(|p| all.binary_search(p).expect("a superset"))
            .collect();
        (0..64u64)
            .filter(|row| {
                let own = places
                    .iter()
                    .enumerate()
                    .fold(0, |x, (i, &place)| x | (row >> place & 1) << i);
                self.bits >> own & 1 == 1
            })
            .fold(0, |t, row| t | 1 << row)
    }
}

/// The truth table of a Boolean formula over the propositions `used`.
fn truth(a: &Formulas, f: Formula, used: &[usize]) -> u64 {
    let part = |i: usize| truth(a, a.operand(f, i), used);
    match a.op(f) {
        Op::True => !0,
        Op::False => 0,
        Op::Proposition => {
            let n = a.proposition_number(f);
            COLUMNS[used.iter().position(|&p| p == n).expect("used")]
        }
        Op::Not => !part(0),
        Op::And => (0..a.operands(f).len()).fold(!0, |t, i| t & part(i)),
        Op::Or => (0..a.operands(f).len()).fold(0, |t, i| t | part(i)),
        Op::Implies => !part(0) | part(1),
        Op::Equiv => !(part(0) ^ part(1)),
        Op::Xor => part(0) ^ part(1),
        op => unreachable!("{op:?} is not Boolean"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::{Letter, holds};
    use crate::nnf::nnf;
    use crate::parse::{ParseOptions, parse};
    use crate::print::{Syntax, print};
    use crate::random::RandomFormula;
    use sempre_base::{Lasso, Random};

    fn read(a: &mut Formulas, text: &str) -> Formula {
        let f = parse(a, text, &ParseOptions::default())
            .expect(text)
            .formula;
        nnf(a, f)
    }

    fn words(r: &mut Random, count: usize) -> Vec<Lasso<Letter>> {
        (0..count)
            .map(|_| {
                let (prefix, cycle) = (r.below(4), 1 + r.below(4));
                let mut letters = |n| {
                    (0..n)
                        .map(|_| (0..3).filter(|_| r.chance(0.5)).collect())
                        .collect()
                };
                Lasso::new(letters(prefix), letters(cycle))
            })
            .collect()
    }

    /// A formula in negation normal form; half of them small, so that implications are not rare.
    fn draw(a: &mut Formulas, r: &mut Random) -> Formula {
        let shape = RandomFormula {
            sizes: if r.chance(0.5) { 1..=4 } else { 3..=10 },
            ..RandomFormula::new(3)
        };
        let f = shape.draw(a, r);
        nnf(a, f)
    }

    #[test]
    fn what_is_proved_is_true() {
        let mut r = Random::new(1);
        let mut a = Formulas::new();
        // Propositions get the numbers used in the words.
        for p in ["p0", "p1", "p2"] {
            a.proposition(p);
        }
        let words = words(&mut r, 300);
        let mut memory = Implication::new();
        let (mut proved, mut excluded, mut covered) = (0, 0, 0);
        for _ in 0..1500 {
            // Related formulas imply each other more often: parts are recombined.
            let (x, y, z) = (
                draw(&mut a, &mut r),
                draw(&mut a, &mut r),
                draw(&mut a, &mut r),
            );
            let (f, g) = match r.below(6) {
                0 => (a.until(x, y), a.weak_until(z, y)),
                1 => (a.strong_release(x, y), a.until(y, z)),
                2 => (a.and(&[x, z]), a.or(&[x, y])),
                3 => (a.release(x, y), a.release(x, z)),
                4 => (a.globally(x), a.weak_until(x, z)),
                _ => (x, y),
            };
            let truth = |a: &Formulas, f| words.iter().map(|w| holds(a, f, w)).collect::<Vec<_>>();
            let pairs: Vec<(bool, bool)> = truth(&a, f).into_iter().zip(truth(&a, g)).collect();
            let show = |a: &Formulas| {
                format!(
                    "{} and {}",
                    print(a, f, Syntax::Spot),
                    print(a, g, Syntax::Spot)
                )
            };
            if memory.implies(&a, f, g) {
                assert!(pairs.iter().all(|&(x, y)| !x || y), "{}", show(&a));
                proved += usize::from(f != g && !f.is_constant() && !g.is_constant());
            }
            if memory.excludes(&mut a, f, g) {
                assert!(pairs.iter().all(|&(x, y)| !(x && y)), "{}", show(&a));
                excluded += 1;
            }
            if memory.covers(&mut a, f, g) {
                assert!(pairs.iter().all(|&(x, y)| x || y), "{}", show(&a));
                covered += 1;
            }
        }
        let counts = (proved, excluded, covered);
        assert!(
            proved > 200 && excluded > 200 && covered > 200,
            "{counts:?}"
        );
    }

    #[test]
    fn the_negation_is_one_and_comes_back() {
        let mut r = Random::new(2);
        let mut a = Formulas::new();
        for p in ["p0", "p1", "p2"] {
            a.proposition(p);
        }
        let words = words(&mut r, 30);
        let mut memory = Implication::new();
        for _ in 0..1000 {
            let f = draw(&mut a, &mut r);
            let g = memory.negation(&mut a, f);
            assert!(a.facts(g).nnf());
            assert_eq!(memory.negation(&mut a, g), f);
            for w in &words {
                assert_ne!(holds(&a, f, w), holds(&a, g, w));
            }
            assert!(f.is_constant() || memory.excludes(&mut a, f, g));
            assert!(f.is_constant() || memory.covers(&mut a, f, g));
        }
    }

    #[test]
    fn the_rules_are_there() {
        let mut a = Formulas::new();
        let mut memory = Implication::new();
        let implications = [
            // the present
            ("a & b", "a | c"),
            ("G a", "a"),
            ("a", "F a"),
            ("a R b", "b"),
            ("a M b", "b"),
            ("b", "a U b"),
            ("b", "a W b"),
            ("a & b", "a R b"),
            ("a & b", "a M b"),
            ("a U b", "a | b"),
            ("a W b", "a | b"),
            ("a U b", "b U (a | b)"),
            // strength
            ("a U b", "a W b"),
            ("a M b", "a R b"),
            ("a U b", "F b"),
            ("a M b", "F a"),
            ("G a", "a W b"),
            ("G a", "b R a"),
            ("G b", "a R (b | c)"),
            // monotony, Somenzi and Bloem
            ("(a & b) U (c & d)", "a U c"),
            ("(a & b) W (c & d)", "a W c"),
            ("(a & b) R (c & d)", "a R c"),
            ("(a & b) M (c & d)", "a M c"),
            ("a M b", "b U a"),
            ("a R b", "b W a"),
            ("a M b", "b U (a & b)"),
            ("a U (a & b)", "b M a"),
            ("a W (a & b)", "b R a"),
            ("X (a & b)", "X a"),
            ("F (a & b)", "F a"),
            ("G (a & b)", "G a"),
            // persistent and later facts
            ("G a", "X a"),
            ("G a", "X X G a"),
            ("G F a", "F a"),
            ("G F a", "X G F a"),
            ("X G F a", "G F a"),
            ("F G a", "X F G a"),
            ("X F a", "F a"),
            ("F F a", "F a"),
            ("b U F a", "F a"),
            ("G a", "G G a"),
            ("G a", "a & X G a"),
            ("G F (a & b)", "G F a"),
            // Boolean formulas, exactly
            ("a xor b", "(a | b) & (!a | !b)"),
            ("(a | b) & (!a | !b)", "a xor b"),
            ("(a -> b) & (b -> c)", "a -> c"),
            ("(a & b) | (!a & c)", "(a & b) | (!a & c) | (b & c)"),
            ("(a & b) | (!a & c) | (b & c)", "(a & b) | (!a & c)"),
            (
                "a <-> b <-> c <-> d <-> e <-> f",
                "f <-> (e xor !d) <-> (a <-> b <-> c)",
            ),
            ("0", "X a"),
            ("F a", "1"),
        ];
        let mut missing = Vec::new();
        for (f, g) in implications {
            let (x, y) = (read(&mut a, f), read(&mut a, g));
            let (not_x, not_y) = (memory.negation(&mut a, x), memory.negation(&mut a, y));
            if !memory.implies(&a, x, y)
                || !memory.covers(&mut a, not_x, y)
                || !memory.excludes(&mut a, x, not_y)
            {
                missing.push(format!("{f} implies {g}"));
            }
        }
        assert_eq!(missing, Vec::<String>::new());
        let others = [
            ("a", "b"),
            ("F a", "a"),
            ("a W b", "a U b"),
            ("a R b", "a M b"),
            ("a W b", "F b"),
            ("X a", "a"),
            ("a U b", "b R a"),
            ("a & F b", "a U b"),
            ("(a U b) & (c U d)", "(a & c) U (b & d)"),
            ("G (a | b)", "G a | G b"),
            ("F a & F b", "F (a & b)"),
            ("1", "a"),
            ("a", "0"),
        ];
        for (f, g) in others {
            let (x, y) = (read(&mut a, f), read(&mut a, g));
            assert!(!memory.implies(&a, x, y), "{f} does not imply {g}");
        }
    }

    /// With up to six propositions the answer for Boolean formulas is exact, and above it is sound.
    #[test]
    fn boolean_formulas() {
        let mut r = Random::new(3);
        let mut a = Formulas::new();
        let (mut yes, mut no) = (0, 0);
        for count in 1..=8 {
            let mut memory = Implication::new();
            let shape = RandomFormula {
                sizes: 1..=14,
                ..RandomFormula::new(count).boolean()
            };
            let numbers: Vec<usize> = shape
                .names
                .iter()
                .map(|n| {
                    let p = a.proposition(n);
                    a.proposition_number(p)
                })
                .collect();
            let letters: Vec<Lasso<Letter>> = (0..1usize << count)
                .map(|bits| {
                    let on = (0..count).filter(|i| bits >> i & 1 == 1);
                    Lasso::new(Vec::new(), vec![on.map(|i| numbers[i]).collect()])
                })
                .collect();
            for _ in 0..200 {
                let (f, g) = (shape.draw(&mut a, &mut r), shape.draw(&mut a, &mut r));
                let (f, g) = (nnf(&mut a, f), nnf(&mut a, g));
                let truth = letters.iter().all(|w| !holds(&a, f, w) || holds(&a, g, w));
                let answer = memory.implies(&a, f, g);
                // A constant on one side is only compared, not computed with.
                let exact = count <= 6 && !f.is_constant() && !g.is_constant();
                assert!(if exact {
                    answer == truth
                } else {
                    !answer || truth
                });
                yes += usize::from(answer);
                no += usize::from(!answer);
            }
        }
        assert!(yes > 200 && no > 500, "{yes} {no}");
    }
}
