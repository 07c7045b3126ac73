//! The truth of a formula and of its parts at each step of a run, and why the formula fails.
//!
//! On a lasso every subformula is true or false at every position, by the semantics of LTL. On a finite path it may be open:
//! the expansion laws are read with nothing known behind the last letter, in Kleene's logic of three values. That is the notion of
//! an informative prefix (Kupferman, Vardi, FMSD 2001) for each subformula: what is false is false whatever follows.
//!
//! The *explanation* goes down from the formula at the first position. Where one operand or one position decides, it goes
//! there, to the earliest; where several are needed (`f -> g` fails, `f | g` fails), to each of them. It ends in parts without
//! temporal operators, or in a part that has one value for ever. What is told is true by itself and, taken together,
//! enough for the truth of the formula; nothing is said about which of several sufficient reasons matters most.
//!
//! Cost: a byte for each subformula and position, within [`MOST_CELLS`].

use crate::check::Moment;
use rustc_hash::FxHashMap;
use sempre_base::Lasso;
use sempre_ltl::lasso::evaluate_with;
use sempre_ltl::{Formula, Formulas, Op};

/// Larger tables are not made.
pub const MOST_CELLS: usize = 1 << 24;

/// An explanation has no more parts.
const MOST_PARTS: usize = 8;

/// What is known of a formula at a position. In the order of Kleene's logic: `and` is the minimum, `or` the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Truth {
    /// False, whatever follows.
    False,
    /// What follows decides.
    Open,
    /// True, whatever follows.
    True,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Truth::True } else { Truth::False }
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;
    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Open => Truth::Open,
            Truth::True => Truth::False,
        }
    }
}

/// The truth of all subformulas at all positions of a run.
pub struct Tracks<'a> {
    formulas: &'a Formulas,
    /// The subformulas, operands first; the formula itself is the last.
    pub order: Vec<Formula>,
    place: FxHashMap<Formula, usize>,
    rows: Vec<Vec<Truth>>,
    length: usize,
    /// Where the cycle starts; `None` for a finite path.
    back: Option<usize>,
}

impl<'a> Tracks<'a> {
    /// The tracks of a formula along a run whose moments know the truth of its propositions; a finite one if the cycle is empty.
    /// `None` if they would be too large.
    pub fn new(
        formulas: &'a Formulas,
        f: Formula,
        prefix: &[Moment],
        cycle: &[Moment],
    ) -> Option<Self> {
        let order = formulas.subformulas(f);
        let length = prefix.len() + cycle.len();
        if order.len().checked_mul(length)? > MOST_CELLS {
            return None;
        }
        let place: FxHashMap<Formula, usize> =
            order.iter().enumerate().map(|(i, &g)| (g, i)).collect();
        let back = (!cycle.is_empty()).then_some(prefix.len());
        let rows = match back {
            Some(_) => endless(formulas, f, &order, (prefix, cycle)),
            None => finite(formulas, &order, &place, prefix),
        };
        Some(Self {
            formulas,
            order,
            place,
            rows,
            length,
            back,
        })
    }

    /// The truth of a subformula at each position.
    pub fn row(&self, f: Formula) -> &[Truth] {
        &self.rows[self.place[&f]]
    }

    fn at(&self, f: Formula, position: usize) -> Truth {
        self.row(f)[position]
    }

    /// The position after this one.
    fn successor(&self, position: usize) -> Option<usize> {
        match position + 1 < self.length {
            true => Some(position + 1),
            false => self.back,
        }
    }

    /// Each position from this one on, once.
    fn from(&self, start: usize) -> impl Iterator<Item = usize> {
        let rest = self.back.map_or(0..0, |back| back.min(start)..start);
        (start..self.length).chain(rest)
    }

    /// Why the formula is false at the first position; `None` if it is not known to be so.
    pub fn explanation(&self) -> Option<Explanation> {
        let &f = self.order.last()?;
        if self.length == 0 || self.at(f, 0) != Truth::False {
            return None;
        }
        let mut explanation = Explanation::default();
        self.explain(f, 0, false, &mut explanation);
        Some(explanation)
    }

    /// Adds why `f` has this value at this position.
    fn explain(&self, f: Formula, at: usize, holds: bool, out: &mut Explanation) {
        let value = Truth::from(holds);
        debug_assert_eq!(self.at(f, at), value);
        let op = self.formulas.op(f);
        let operands = self.formulas.operands(f);
        if out.parts.len() >= MOST_PARTS {
            return;
        }
        if self.formulas.facts(f).boolean() {
            out.parts.push(Part::at(f, at, holds));
            return;
        }
        // The first position from here on at which an operand has this value.
        let first = |g: Formula, v: bool| self.from(at).find(|&i| self.at(g, i) == v.into());
        match op {
            Op::True | Op::False | Op::Proposition => out.parts.push(Part::at(f, at, holds)),
            Op::Not => self.explain(operands[0], at, !holds, out),
            Op::And | Op::Or => {
                let one_decides = (op == Op::Or) == holds;
                if one_decides {
                    let decides = |g: &&Formula| self.at(**g, at) == value;
                    if let Some(&g) = operands.iter().find(decides) {
                        self.explain(g, at, holds, out);
                    }
                } else {
                    for &g in operands {
                        self.explain(g, at, holds, out);
                    }
                }
            }
            Op::Implies if holds => match self.at(operands[1], at) {
                Truth::True => self.explain(operands[1], at, true, out),
                _ => self.explain(operands[0], at, false, out),
            },
            Op::Implies => {
                self.explain(operands[0], at, true, out);
                self.explain(operands[1], at, false, out);
            }
            Op::Equiv | Op::Xor => {
                for &g in operands {
                    match self.at(g, at) {
                        Truth::Open => {}
                        v => self.explain(g, at, v == Truth::True, out),
                    }
                }
            }
            Op::Next => {
                if let Some(next) = self.successor(at) {
                    out.step(operands[0], next, holds);
                    self.explain(operands[0], next, holds, out);
                }
            }
            Op::Finally | Op::Globally => {
                let g = operands[0];
                if (op == Op::Finally) != holds {
                    out.parts.push(Part::ever(g, at, holds));
                } else if let Some(i) = first(g, holds) {
                    out.step(g, i, holds);
                    self.explain(g, i, holds, out);
                }
            }
            Op::Until | Op::WeakUntil | Op::Release | Op::StrongRelease => {
                // Read for the value at hand, `f U g` fails as `f R g` holds: the guard has the value up to the end, which
                // has it, too, or for ever.
                let until = matches!(op, Op::Until | Op::WeakUntil);
                let (left, right) = (operands[0], operands[1]);
                if until == holds {
                    // The right one has the value at some position, the left one before it; or, if that is enough, the left
                    // one for ever.
                    match first(right, holds) {
                        Some(i)
                            if self
                                .from(at)
                                .take_while(|&j| j != i)
                                .all(|j| self.at(left, j) == value) =>
                        {
                            out.step(right, i, holds);
                            self.explain(right, i, holds, out);
                        }
                        _ => out.parts.push(Part::ever(left, at, holds)),
                    }
                } else {
                    // The right one has the value up to and with a position at which the left one has it; or for ever.
                    let end = (self.from(at).take_while(|&i| self.at(right, i) == value))
                        .find(|&i| self.at(left, i) == value);
                    match end {
                        Some(i) => {
                            out.step(left, i, holds);
                            out.parts.push(Part {
                                formula: right,
                                from: at,
                                to: Some(i),
                                holds,
                            });
                            self.explain(left, i, holds, out);
                        }
                        None => out.parts.push(Part::ever(right, at, holds)),
                    }
                }
            }
        }
    }
}

/// A part of the formula that has one value at some positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The part.
    pub formula: Formula,
    /// The first position.
    pub from: usize,
    /// The last position; `None` for ever.
    pub to: Option<usize>,
    /// Does it hold there?
    pub holds: bool,
}

impl Part {
    fn at(formula: Formula, at: usize, holds: bool) -> Self {
        let to = Some(at);
        Self {
            formula,
            from: at,
            to,
            holds,
        }
    }

    fn ever(formula: Formula, from: usize, holds: bool) -> Self {
        Self {
            formula,
            from,
            to: None,
            holds,
        }
    }
}

/// Why a formula fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The parts on the way, each at the position that was gone to.
    pub way: Vec<Part>,
    /// What it comes down to; the last one completes the reason.
    pub parts: Vec<Part>,
}

impl Explanation {
    fn step(&mut self, formula: Formula, at: usize, holds: bool) {
        self.way.push(Part::at(formula, at, holds));
    }

    /// The part that decides, at the position at which it does.
    pub fn point(&self) -> Option<(Formula, usize)> {
        let last = self.parts.last()?;
        Some((last.formula, last.to.unwrap_or(last.from)))
    }
}

/// On a lasso.
fn endless(
    formulas: &Formulas,
    f: Formula,
    order: &[Formula],
    (prefix, cycle): (&[Moment], &[Moment]),
) -> Vec<Vec<Truth>> {
    let word = Lasso::new(
        prefix.iter().collect::<Vec<&Moment>>(),
        cycle.iter().collect(),
    );
    let table = evaluate_with(formulas, f, &word, |m, p| m.propositions[p]);
    let row = |&g: &Formula| (0..word.len()).map(|i| table.holds(g, i).into()).collect();
    order.iter().map(row).collect()
}

/// On a finite path.
fn finite(
    formulas: &Formulas,
    order: &[Formula],
    place: &FxHashMap<Formula, usize>,
    path: &[Moment],
) -> Vec<Vec<Truth>> {
    let mut rows: Vec<Vec<Truth>> = Vec::with_capacity(order.len());
    for &g in order {
        let of: Vec<&Vec<Truth>> = (formulas.operands(g).iter())
            .map(|h| &rows[place[h]])
            .collect();
        let mut row = vec![Truth::Open; path.len()];
        let mut later = Truth::Open;
        for (i, moment) in path.iter().enumerate().rev() {
            let now = |k: usize| of[k][i];
            let value = match formulas.op(g) {
                Op::True => Truth::True,
                Op::False => Truth::False,
                Op::Proposition => moment.propositions[formulas.proposition_number(g)].into(),
                Op::Not => !now(0),
                Op::And => of.iter().map(|r| r[i]).min().unwrap_or(Truth::True),
                Op::Or => of.iter().map(|r| r[i]).max().unwrap_or(Truth::False),
                Op::Implies => (!now(0)).max(now(1)),
                Op::Equiv => same(now(0), now(1)),
                Op::Xor => !same(now(0), now(1)),
                Op::Next => of[0].get(i + 1).copied().unwrap_or(Truth::Open),
                Op::Finally => now(0).max(later),
                Op::Globally => now(0).min(later),
                Op::Until | Op::WeakUntil => now(1).max(now(0).min(later)),
                Op::Release | Op::StrongRelease => now(1).min(now(0).max(later)),
            };
            row[i] = value;
            later = value;
        }
        rows.push(row);
    }
    rows
}

fn same(a: Truth, b: Truth) -> Truth {
    match (a, b) {
        (Truth::Open, _) | (_, Truth::Open) => Truth::Open,
        _ => (a == b).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;
    use sempre_ltl::{ParseOptions, RandomFormula, Syntax, parse, print};

    fn moments(letters: &[u64]) -> Vec<Moment> {
        let moment = |&letter: &u64| Moment {
            state: Vec::new(),
            propositions: (0..2).map(|p| letter >> p & 1 == 1).collect(),
            action: None,
        };
        letters.iter().map(moment).collect()
    }

    fn arena() -> Formulas {
        let mut formulas = Formulas::new();
        for p in ["p0", "p1"] {
            formulas.proposition(p);
        }
        formulas
    }

    /// The parts of an explanation in words.
    fn told(text: &str, prefix: &[u64], cycle: &[u64]) -> Vec<String> {
        let mut formulas = arena();
        let f = parse(&mut formulas, text, &ParseOptions::default());
        let f = f.expect("a formula").formula;
        let tracks = Tracks::new(&formulas, f, &moments(prefix), &moments(cycle));
        let tracks = tracks.expect("it is small");
        let explanation = tracks.explanation().expect("it fails");
        let line = |part: &Part| {
            let text = print(&formulas, part.formula, Syntax::Spot);
            let verb = if part.holds { "holds" } else { "fails" };
            match part.to {
                None => format!("{text} {verb} from {} on", part.from),
                Some(to) if to == part.from => format!("{text} {verb} at {to}"),
                Some(to) => format!("{text} {verb} from {} to {to}", part.from),
            }
        };
        explanation.parts.iter().map(line).collect()
    }

    #[test]
    fn explanations_point_at_the_earliest_reason() {
        assert_eq!(
            told("G(p0 -> F p1)", &[0, 2, 1], &[0, 0]),
            ["p0 holds at 2", "p1 fails from 2 on"]
        );
        assert_eq!(
            told("G !(p0 & p1)", &[0, 1, 3], &[]),
            ["!(p0 & p1) fails at 2"]
        );
        assert_eq!(
            told("p0 U p1", &[1, 1, 0, 2], &[0]),
            ["p1 fails from 0 to 2", "p0 fails at 2"]
        );
        assert_eq!(told("p0 U p1", &[1, 1], &[1]), ["p1 fails from 0 on"]);
        assert_eq!(told("F G p0", &[1], &[1, 0]), ["Gp0 fails from 0 on"]);
        assert_eq!(
            told("G(p0 -> X p1)", &[1, 3, 0], &[]),
            ["p0 holds at 1", "p1 fails at 2"]
        );
    }

    /// On finite paths: what is true, or false, is so on whatever lasso goes on from there; on lassos, what the semantics says.
    /// Each part of an explanation is so, and its positions are those of the run.
    #[test]
    fn tracks_and_explanations_agree_with_the_semantics() {
        let mut random = Random::new(11);
        let (mut decided, mut explained, mut open) = (0, 0, 0);
        for _ in 0..3000 {
            let mut formulas = arena();
            let f = RandomFormula::new(2).draw(&mut formulas, &mut random);
            let mut word = |least: usize| -> Vec<u64> {
                let length = least + random.below(5);
                (0..length).map(|_| random.below(4) as u64).collect()
            };
            let (start, more, cycle) = (word(1), word(0), word(1));
            let whole = moments(&[&start[..], &more].concat());
            let finite = Tracks::new(&formulas, f, &moments(&start), &[]).expect("small");
            let endless = Tracks::new(&formulas, f, &whole, &moments(&cycle)).expect("small");
            for &g in &finite.order {
                for i in 0..start.len() {
                    match finite.at(g, i) {
                        Truth::Open => open += 1,
                        value => {
                            assert_eq!(value, endless.at(g, i));
                            decided += 1;
                        }
                    }
                }
            }
            for tracks in [&finite, &endless] {
                let Some(explanation) = tracks.explanation() else {
                    continue;
                };
                explained += 1;
                assert!(!explanation.parts.is_empty());
                for part in explanation.parts.iter().chain(&explanation.way) {
                    let so = |i: usize| tracks.at(part.formula, i) == part.holds.into();
                    match part.to {
                        None => assert!(tracks.back.is_some() && tracks.from(part.from).all(so)),
                        Some(to) => {
                            let mut until = tracks.from(part.from).take_while(|&i| i != to);
                            assert!(until.all(so) && so(to));
                        }
                    }
                }
            }
        }
        assert!(
            decided > 10_000 && open > 3000 && explained > 1500,
            "{decided} {open} {explained}"
        );
    }
}
