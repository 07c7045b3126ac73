//! Why a finite trace decides a formula: which part of it fails, or holds, at which step.
//!
//! A subformula *fails for sure* at a step, by what the trace itself tells, if the expansion laws say so with nothing assumed
//! about what comes after the end: `p` by the letter, `f & g` by one of the two, `X f` by the next step, `G f` by some step from
//! here on, `f U g` by steps in which `g` fails up to one in which `f` does, too. That is the notion of an informative prefix
//! (Kupferman, Vardi, FMSD 2001), read for each subformula at each step, and for both truth values, so that the formula stays as
//! it was written: nothing is normalised.
//!
//! The answer is a chain. It begins with the formula at the first step and goes down to operands at this step or a later one,
//! each decided by the *last* letter of the trace: not yet without it. It ends in a subformula without temporal operators.
//!
//! Some prefixes decide without telling why: after one letter without `p` nothing satisfies `G(p | (X q & X !q))`, but the
//! formula itself is refuted one letter later. Then there is no chain.
//!
//! Invariants: I1, each member of a chain is told by the trace and not by the trace without its last letter. I2, if a
//! subformula is so, then so is one of those that its expansion law takes the truth from.
//!
//! Cost: four bits for each subformula and step; none if that is more than [`MOST_BITS`].

use rustc_hash::FxHashMap;
use sempre_ltl::{Formula, Formulas, Op};

/// Larger tables are not made.
pub const MOST_BITS: usize = 1 << 32;

/// A trace as it was read: letters, and the lines they were on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedTrace {
    /// Bits of a letter: a power of two, or a multiple of 64.
    width: usize,
    words: Vec<u64>,
    steps: usize,
    /// From this step on the lines are those of the second number and following.
    lines: Vec<(usize, usize)>,
}

impl RecordedTrace {
    /// An empty one, for so many propositions.
    pub fn new(propositions: usize) -> Self {
        let width = match propositions {
            0..=64 => propositions.next_power_of_two(),
            more => more.next_multiple_of(64),
        };
        Self {
            width,
            ..Self::default()
        }
    }

    /// Adds a letter: bits in the order of the propositions, and the number of its line.
    #[inline]
    pub fn push(&mut self, letter: &[u64], line: usize) {
        if self.width < 64 {
            let at = self.steps * self.width;
            if at.is_multiple_of(64) {
                self.words.push(0);
            }
            self.words[at / 64] |= letter[0] << (at % 64);
        } else {
            self.words.extend_from_slice(&letter[..self.width / 64]);
        }
        let follows = |&(step, first): &(usize, usize)| first + self.steps - step == line;
        if !self.lines.last().is_some_and(follows) {
            self.lines.push((self.steps, line));
        }
        self.steps += 1;
    }

    /// Number of letters.
    pub fn len(&self) -> usize {
        self.steps
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        8 * self.words.capacity() + 16 * self.lines.capacity()
    }

    /// Has it no letters?
    pub fn is_empty(&self) -> bool {
        self.steps == 0
    }

    /// Does a proposition hold at a step?
    pub fn holds(&self, step: usize, proposition: usize) -> bool {
        let at = step * self.width + proposition;
        self.words[at / 64] >> (at % 64) & 1 == 1
    }

    /// The line of a step.
    pub fn line(&self, step: usize) -> usize {
        let i = self.lines.partition_point(|&(s, _)| s <= step);
        let (s, line) = self.lines[i - 1];
        line + step - s
    }
}

/// A subformula that is decided at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The subformula.
    pub formula: Formula,
    /// The step, from 0.
    pub step: usize,
    /// Does it hold, or fail?
    pub holds: bool,
}

/// A chain of reasons why the trace makes `f` true, or false, from the formula itself down to a part without temporal operators.
/// Bit `i` of a letter is the proposition with the number `propositions[i]`, and all of the formula's are there. `None` if the trace
/// does not tell, if it told before its last letter, or if the tables would be too large.
pub fn reasons(
    formulas: &Formulas,
    f: Formula,
    propositions: &[usize],
    trace: &RecordedTrace,
    holds: bool,
) -> Option<Vec<Decided>> {
    let n = trace.len();
    let all = formulas.subformulas(f);
    let bits = all.len().checked_mul(n + 1)?.checked_mul(4)?;
    if n == 0 || bits > MOST_BITS {
        return None;
    }
    let bits: FxHashMap<usize, usize> = (propositions.iter().enumerate())
        .map(|(bit, &p)| (p, bit))
        .collect();
    let now = Table::new(formulas, &all, &bits, trace, n);
    let before = Table::new(formulas, &all, &bits, trace, n - 1);
    let search = Search {
        formulas,
        now: &now,
        before: &before,
    };
    let mut at = Decided {
        formula: f,
        step: 0,
        holds,
    };
    if !search.is_new(at) {
        return None;
    }
    let mut chain = vec![at];
    while !is_boolean(formulas, at.formula) {
        at = search.reason(at)?;
        debug_assert!(search.is_new(at), "I1");
        chain.push(at);
    }
    Some(chain)
}

/// Has it no temporal operator?
fn is_boolean(formulas: &Formulas, f: Formula) -> bool {
    let temporal =
        |op: Op| matches!(op, Op::Next | Op::Finally | Op::Globally) || op.is_binary_temporal();
    let all = formulas.subformulas(f);
    !all.iter().any(|&g| temporal(formulas.op(g)))
}

/// A set of steps.
type Steps = Vec<u64>;

fn has(steps: &Steps, i: usize) -> bool {
    steps[i / 64] >> (i % 64) & 1 == 1
}

/// What the first letters of a trace tell: for each subformula the steps at which it holds, and at which it fails.
struct Table {
    length: usize,
    places: FxHashMap<Formula, usize>,
    /// Fails, holds.
    told: Vec<[Steps; 2]>,
}

impl Table {
    fn new(
        formulas: &Formulas,
        all: &[Formula],
        bits: &FxHashMap<usize, usize>,
        trace: &RecordedTrace,
        length: usize,
    ) -> Self {
        let words = length / 64 + 1;
        let mut table = Self {
            length,
            places: Default::default(),
            told: Vec::new(),
        };
        for &g in all {
            let op = formulas.op(g);
            let of: Vec<&[Steps; 2]> = (formulas.operands(g).iter())
                .map(|h| &table.told[table.places[h]])
                .collect();
            let by = |law: &dyn Fn(usize) -> u64| (0..words).map(law).collect::<Steps>();
            let each = |law: &dyn Fn(usize) -> bool| {
                let mut steps = vec![0; words];
                for i in (0..length).filter(|&i| law(i)) {
                    steps[i / 64] |= 1 << (i % 64);
                }
                steps
            };
            // `now` decides at once, `guard` lets the next step decide: `now | (guard & next)`.
            let or_later = |now: &Steps, guard: Option<&Steps>| {
                let mut steps: Steps = vec![0; words];
                let mut next = false;
                for i in (0..length).rev() {
                    next = has(now, i) || (next && guard.is_none_or(|g| has(g, i)));
                    steps[i / 64] |= u64::from(next) << (i % 64);
                }
                steps
            };
            // `now & (end | next)`.
            let until_end = |now: &Steps, end: &Steps| {
                let mut steps: Steps = vec![0; words];
                let mut next = false;
                for i in (0..length).rev() {
                    next = has(now, i) && (has(end, i) || next);
                    steps[i / 64] |= u64::from(next) << (i % 64);
                }
                steps
            };
            let conjunction = |side: usize| by(&|w| of.iter().fold(!0, |a, o| a & o[side][w]));
            let disjunction = |side: usize| by(&|w| of.iter().fold(0, |a, o| a | o[side][w]));
            let nothing = || vec![0; words];
            let told = match op {
                Op::True => [nothing(), each(&|_| true)],
                Op::False => [each(&|_| true), nothing()],
                Op::Proposition => {
                    let bit = bits[&formulas.proposition_number(g)];
                    let holds = |i: usize| trace.holds(i, bit);
                    [each(&|i| !holds(i)), each(&holds)]
                }
                Op::Not => [of[0][1].clone(), of[0][0].clone()],
                Op::And => [disjunction(0), conjunction(1)],
                Op::Or => [conjunction(0), disjunction(1)],
                Op::Implies => [
                    by(&|w| of[0][1][w] & of[1][0][w]),
                    by(&|w| of[0][0][w] | of[1][1][w]),
                ],
                Op::Equiv | Op::Xor => {
                    let unequal =
                        by(&|w| (of[0][0][w] & of[1][1][w]) | (of[0][1][w] & of[1][0][w]));
                    let equal = by(&|w| (of[0][0][w] & of[1][0][w]) | (of[0][1][w] & of[1][1][w]));
                    match op {
                        Op::Equiv => [unequal, equal],
                        _ => [equal, unequal],
                    }
                }
                Op::Next => {
                    let later = |side: usize| each(&|i| i + 1 < length && has(&of[0][side], i + 1));
                    [later(0), later(1)]
                }
                Op::Finally => [nothing(), or_later(&of[0][1], None)],
                Op::Globally => [or_later(&of[0][0], None), nothing()],
                Op::Until | Op::WeakUntil => [
                    until_end(&of[1][0], &of[0][0]),
                    or_later(&of[1][1], Some(&of[0][1])),
                ],
                Op::Release | Op::StrongRelease => [
                    or_later(&of[1][0], Some(&of[0][0])),
                    until_end(&of[1][1], &of[0][1]),
                ],
            };
            table.places.insert(g, table.told.len());
            table.told.push(told);
        }
        table
    }

    fn is_told(&self, at: Decided) -> bool {
        let side = usize::from(at.holds);
        at.step < self.length && has(&self.told[self.places[&at.formula]][side], at.step)
    }
}

struct Search<'a> {
    formulas: &'a Formulas,
    now: &'a Table,
    before: &'a Table,
}

impl Search<'_> {
    /// Is it told by the last letter?
    fn is_new(&self, at: Decided) -> bool {
        self.now.is_told(at) && !self.before.is_told(at)
    }

    /// An operand, here or later, that the truth of this comes from and that is told by the last letter (I2).
    fn reason(&self, at: Decided) -> Option<Decided> {
        let operands = self.formulas.operands(at.formula);
        let operand = |i: usize, step: usize, holds: bool| Decided {
            formula: operands[i],
            step,
            holds,
        };
        let here = |i: usize| operand(i, at.step, at.holds);
        let op = self.formulas.op(at.formula);
        match op {
            Op::True | Op::False | Op::Proposition => None,
            Op::Not => Some(operand(0, at.step, !at.holds)),
            Op::And | Op::Or => (0..operands.len()).map(here).find(|&d| self.is_new(d)),
            Op::Implies => [operand(0, at.step, !at.holds), here(1)]
                .into_iter()
                .find(|&d| self.is_new(d)),
            Op::Equiv | Op::Xor => [(0, false), (0, true), (1, false), (1, true)]
                .into_iter()
                .map(|(i, holds)| operand(i, at.step, holds))
                .find(|&d| self.is_new(d)),
            Op::Next => Some(operand(0, at.step + 1, at.holds)),
            Op::Finally | Op::Globally => (at.step..self.now.length)
                .map(|i| operand(0, i, at.holds))
                .find(|&d| self.now.is_told(d)),
            Op::Until | Op::WeakUntil | Op::Release | Op::StrongRelease => {
                // What ends the story, and what has to be so until then: in `now | (guard & next)` not at the end, in
                // `now & (end | next)` at the end, too.
                let until = matches!(op, Op::Until | Op::WeakUntil);
                let inclusive = until != at.holds;
                let (end, guard) = if inclusive { (0, 1) } else { (1, 0) };
                let mut known: Option<Decided> = None;
                for i in at.step..self.now.length {
                    let (last, on_the_way) =
                        (operand(end, i, at.holds), operand(guard, i, at.holds));
                    let note = |known: Option<Decided>| {
                        known.or_else(|| Some(on_the_way).filter(|&d| self.is_new(d)))
                    };
                    if inclusive {
                        known = note(known);
                    }
                    if self.now.is_told(last) {
                        return if self.is_new(last) { Some(last) } else { known };
                    }
                    known = note(known);
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;
    use sempre_ltl::{ParseOptions, RandomFormula, Syntax, parse, print};

    fn trace(letters: &[u64], propositions: usize) -> RecordedTrace {
        let mut trace = RecordedTrace::new(propositions);
        for (i, letter) in letters.iter().enumerate() {
            trace.push(&[*letter], i + 1);
        }
        trace
    }

    fn chain(text: &str, letters: &[u64], holds: bool) -> Vec<String> {
        let mut arena = Formulas::new();
        let f = parse(&mut arena, text, &ParseOptions::default()).expect("a formula");
        let f = f.formula;
        let numbers = arena.propositions_of(f);
        let trace = trace(letters, numbers.len());
        let found = reasons(&arena, f, &numbers, &trace, holds).unwrap_or_default();
        let line = |d: &Decided| {
            let verb = if d.holds { "holds" } else { "fails" };
            let text = print(&arena, d.formula, Syntax::Spot);
            format!("{text} {verb} at line {}", trace.line(d.step))
        };
        found.iter().map(line).collect()
    }

    #[test]
    fn chains_go_down_to_what_a_letter_tells() {
        assert_eq!(
            chain("G(open -> X closed)", &[1, 2, 1, 1], false),
            [
                "G(open -> Xclosed) fails at line 1",
                "open -> Xclosed fails at line 3",
                "Xclosed fails at line 3",
                "closed fails at line 4"
            ]
        );
        assert_eq!(
            chain("a U b", &[1, 1, 3], true),
            ["a U b holds at line 1", "b holds at line 3"]
        );
        // What is told last is the reason, not what was told first.
        assert_eq!(
            chain("G a | G b", &[3, 1, 2], false),
            [
                "Ga | Gb fails at line 1",
                "Ga fails at line 1",
                "a fails at line 3"
            ]
        );
        assert_eq!(
            chain("(X X a) U b", &[0, 0, 0], false),
            [
                "XXa U b fails at line 1",
                "XXa fails at line 1",
                "Xa fails at line 2",
                "a fails at line 3"
            ]
        );
        // Certain after the first letter, but not told yet; told before the last letter.
        assert_eq!(chain("G(p | (X q & X !q))", &[0], false), [""; 0]);
        assert_eq!(chain("G p", &[0, 0], false), [""; 0]);
        assert_eq!(chain("G p", &[], false), [""; 0]);
    }

    /// Does the trace tell? By recursion over the formula, nothing shared with the tables.
    fn told(arena: &Formulas, f: Formula, word: &[u64], i: usize, holds: bool) -> bool {
        let Some(letter) = word.get(i) else {
            return false;
        };
        let o = arena.operands(f);
        let t = |k: usize, i: usize, holds: bool| told(arena, o[k], word, i, holds);
        let again = |holds: bool| told(arena, f, word, i + 1, holds);
        match arena.op(f) {
            Op::True => holds,
            Op::False => !holds,
            Op::Proposition => (letter >> arena.proposition_number(f) & 1 == 1) == holds,
            Op::Not => t(0, i, !holds),
            Op::Next => t(0, i + 1, holds),
            Op::And if holds => (0..o.len()).all(|k| t(k, i, true)),
            Op::And => (0..o.len()).any(|k| t(k, i, false)),
            Op::Or if holds => (0..o.len()).any(|k| t(k, i, true)),
            Op::Or => (0..o.len()).all(|k| t(k, i, false)),
            Op::Implies if holds => t(0, i, false) || t(1, i, true),
            Op::Implies => t(0, i, true) && t(1, i, false),
            Op::Equiv | Op::Xor => {
                let same = (arena.op(f) == Op::Equiv) == holds;
                (t(0, i, true) && t(1, i, same)) || (t(0, i, false) && t(1, i, !same))
            }
            Op::Finally if holds => t(0, i, true) || again(true),
            Op::Globally if !holds => t(0, i, false) || again(false),
            Op::Finally | Op::Globally => false,
            Op::Until | Op::WeakUntil if holds => t(1, i, true) || (t(0, i, true) && again(true)),
            Op::Until | Op::WeakUntil => t(1, i, false) && (t(0, i, false) || again(false)),
            _ if holds => t(1, i, true) && (t(0, i, true) || again(true)),
            _ => t(1, i, false) || (t(0, i, false) && again(false)),
        }
    }

    #[test]
    fn chains_are_made_of_what_the_last_letter_tells() {
        let mut r = Random::new(21);
        let (mut chains, mut longest) = (0, 0);
        for _ in 0..4000 {
            let mut arena = Formulas::new();
            for i in 0..3 {
                arena.proposition(&format!("p{i}"));
            }
            let shape = RandomFormula {
                sizes: 1..=12,
                exact: true,
                ..RandomFormula::new(3)
            };
            let f = shape.draw(&mut arena, &mut r);
            let numbers = arena.propositions_of(f);
            let word: Vec<u64> = (0..1 + r.below(6)).map(|_| r.below(8) as u64).collect();
            let letters: Vec<u64> = (word.iter())
                .map(|l| {
                    numbers
                        .iter()
                        .enumerate()
                        .map(|(i, &p)| (l >> p & 1) << i)
                        .sum()
                })
                .collect();
            let trace = trace(&letters, numbers.len());
            let without = &word[..word.len() - 1];
            for holds in [false, true] {
                let new = |d: &Decided| {
                    told(&arena, d.formula, &word, d.step, d.holds)
                        && !told(&arena, d.formula, without, d.step, d.holds)
                };
                let text = print(&arena, f, Syntax::Spot);
                let first = Decided {
                    formula: f,
                    step: 0,
                    holds,
                };
                let found = reasons(&arena, f, &numbers, &trace, holds);
                assert_eq!(found.is_some(), new(&first), "{text} {word:?}");
                let Some(found) = found else { continue };
                assert_eq!(found[0], first);
                assert!(found.iter().all(new), "{text} {word:?} {found:?}");
                for pair in found.windows(2) {
                    let below = arena.operands(pair[0].formula);
                    assert!(below.contains(&pair[1].formula) && pair[0].step <= pair[1].step);
                }
                assert!(found.last().is_some_and(|d| is_boolean(&arena, d.formula)));
                chains += 1;
                longest = longest.max(found.len());
            }
        }
        assert!(chains > 400 && longest > 5, "{chains} {longest}");
    }

    #[test]
    fn traces_of_any_width() {
        let mut r = Random::new(22);
        for propositions in [0, 1, 2, 3, 9, 33, 64, 65, 130] {
            let mut trace = RecordedTrace::new(propositions);
            let words = propositions.div_ceil(64).max(1);
            let letters: Vec<Vec<u64>> = (0..200)
                .map(|_| {
                    let mut letter: Vec<u64> = (0..words).map(|_| r.next_u64()).collect();
                    if propositions % 64 > 0 || propositions == 0 {
                        letter[words - 1] &= (1 << (propositions % 64)) - 1;
                    }
                    letter
                })
                .collect();
            let mut line = 1;
            let mut lines = Vec::new();
            for letter in &letters {
                line += if r.below(10) == 0 { 3 } else { 1 };
                lines.push(line);
                trace.push(letter, line);
            }
            assert_eq!(trace.len(), 200);
            for (i, letter) in letters.iter().enumerate() {
                assert_eq!(trace.line(i), lines[i]);
                for p in 0..propositions {
                    assert_eq!(trace.holds(i, p), letter[p / 64] >> (p % 64) & 1 == 1);
                }
            }
        }
    }
}
