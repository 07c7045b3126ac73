//! Monitors: has what was seen so far already decided a formula?
//!
//! After Bauer, Leucker, Schallhart, "Runtime verification for LTL and TLTL" (TOSEM 2011): a finite word
//! *violates* a formula for sure if no continuation satisfies it, *satisfies* it for sure if all do, and
//! leaves it *open* otherwise. The first are the bad prefixes of the formula, the second those of its negation; a
//! monitor is the product of the two deterministic automata ([`bad_prefixes`]), which are made from
//! automata of the formula and of its negation, so that nothing has to be complemented. It works for
//! every formula, safe or not; some, such as `G F p`, stay open for ever. All bad prefixes count, not
//! the informative ones only: the verdict comes at the first letter that makes it certain.
//!
//! With few propositions a step is one access to a table, by state and valuation; with many, a walk
//! down a decision diagram, one level for each proposition that matters.
//!
//! Invariant: a verdict that is not open never changes.
//!
//! Cost: doubly exponential in the formula in the worst case; `limit` bounds the states of each automaton.

use rustc_hash::FxHashMap;
use sempre_ltl::{Formula, Formulas};
use sempre_omega::bdd::AUXILIARY;
use sempre_omega::finite::{bad_prefixes, complete};
use sempre_omega::{Alphabet, Bdd, Bdds};
use sempre_translate::translator::{Effort, Options, Translator};
use std::fmt;

/// The table has at most so many entries.
const TABLE: usize = 1 << 18;

/// What is certain about a formula after some letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MonitorVerdict {
    /// No continuation satisfies it.
    Violated,
    /// All continuations satisfy it.
    Satisfied,
    /// Some do and some do not.
    Open,
}

impl fmt::Display for MonitorVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Violated => "violated",
            Self::Satisfied => "satisfied",
            Self::Open => "open",
        })
    }
}

/// The automata of the formula have too many states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyStates {
    /// More than this.
    pub limit: usize,
}

impl fmt::Display for TooManyStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "its monitor needs more than {} states, or labels as large",
            self.limit
        )
    }
}

impl std::error::Error for TooManyStates {}

/// A monitor of one formula, and where it is.
///
/// ```
/// use sempre::monitor::{Monitor, MonitorVerdict};
/// let mut monitor = Monitor::parse("G(open -> X closed)").unwrap();
/// assert_eq!(monitor.propositions(), ["open", "closed"]);
/// assert_eq!(monitor.step(0b01), MonitorVerdict::Open);
/// assert_eq!(monitor.step(0b01), MonitorVerdict::Violated);
/// ```
#[derive(Clone)]
pub struct Monitor {
    propositions: Vec<String>,
    verdicts: Vec<MonitorVerdict>,
    steps: Steps,
    state: u32,
}

/// From a state and a valuation to the next state.
#[derive(Clone)]
enum Steps {
    /// Row by row, a row for each state.
    Table { bits: u32, next: Vec<u32> },
    /// A diagram for each state, whose leaves are variables that stand for states.
    Diagrams { bdds: Box<Bdds>, roots: Vec<Bdd> },
}

impl Monitor {
    /// The monitor of a formula, before any letter; its propositions are those that occur in the formula, in the
    /// order of their numbers.
    pub fn new(formulas: &mut Formulas, f: Formula, limit: usize) -> Result<Self, TooManyStates> {
        let mut alphabet = Alphabet::new();
        let mut propositions = Vec::new();
        for p in formulas.propositions_of(f) {
            propositions.push(formulas.name(p).to_string());
            alphabet.declare(formulas.name(p));
        }
        let mut translator = Translator::new();
        let options = Options {
            effort: Effort::Medium,
            ..Options::default()
        };
        let not = formulas.not(f);
        let mut finite = |g: Formula| {
            let a = translator.translate(formulas, &mut alphabet, g, options);
            let mut d = bad_prefixes(&mut alphabet.bdds, &a, limit)?;
            if d.is_final.contains(&true) {
                complete(&mut alphabet.bdds, &mut d);
            } else {
                // Nothing is ever bad: the initial state is all there is to remember.
                d.add_edge(d.initial[0], d.initial[0], Bdd::TRUE);
            }
            Some(d)
        };
        let too_many = TooManyStates { limit };
        let bad = finite(f).ok_or(too_many)?;
        let good = finite(not).ok_or(too_many)?;
        let bdds = &mut alphabet.bdds;
        let verdict = |(b, g): (u32, u32)| {
            if bad.is_final[b as usize] {
                MonitorVerdict::Violated
            } else if good.is_final[g as usize] {
                MonitorVerdict::Satisfied
            } else {
                MonitorVerdict::Open
            }
        };
        // Pairs that are decided are one state for each verdict.
        let mut number: FxHashMap<Result<(u32, u32), MonitorVerdict>, u32> = FxHashMap::default();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut state = |pairs: &mut Vec<(u32, u32)>, pair: (u32, u32)| {
            let key = match verdict(pair) {
                MonitorVerdict::Open => Ok(pair),
                decided => Err(decided),
            };
            *number.entry(key).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() as u32 - 1
            })
        };
        state(&mut pairs, (bad.initial[0], good.initial[0]));
        let mut roots: Vec<Bdd> = Vec::new();
        while roots.len() < pairs.len() {
            if pairs.len() > limit {
                return Err(too_many);
            }
            let from = pairs[roots.len()];
            if verdict(from) != MonitorVerdict::Open {
                roots.push(bdds.variable(AUXILIARY + roots.len() as u32));
                continue;
            }
            let mut root = Bdd::FALSE;
            for e in &bad.edges[from.0 as usize] {
                for g in &good.edges[from.1 as usize] {
                    let label = bdds.and(e.label, g.label);
                    if !label.is_false() {
                        let to = state(&mut pairs, (e.to, g.to));
                        let leaf = bdds.variable(AUXILIARY + to);
                        let part = bdds.and(label, leaf);
                        root = bdds.or(root, part);
                    }
                }
            }
            roots.push(root);
        }
        let verdicts = pairs.iter().map(|&p| verdict(p)).collect();
        let small = propositions.len() < 18 && roots.len() << propositions.len() <= TABLE;
        let steps = if small {
            let bits = propositions.len() as u32;
            let row = |&root: &Bdd| {
                let bdds = &*bdds;
                (0..1u64 << bits).map(move |v| leaf(bdds, root, |p| v >> p & 1 == 1))
            };
            let next = roots.iter().flat_map(row).collect();
            Steps::Table { bits, next }
        } else {
            Steps::Diagrams {
                bdds: Box::new(alphabet.bdds),
                roots,
            }
        };
        Ok(Self {
            propositions,
            verdicts,
            steps,
            state: 0,
        })
    }

    /// The monitor of a formula given as text; the complaint as text, if there is one.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut bench = crate::Workbench::new();
        let f = bench.parse(text).map_err(|complaints| {
            let source = sempre_base::Source::new("formula", text);
            let texts = complaints.iter().map(|c| source.render(c).to_string());
            texts.collect::<String>()
        })?;
        Self::new(&mut bench.formulas, f, 1 << 16).map_err(|e| e.to_string())
    }

    /// The propositions, in the order of the bits of a valuation.
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.verdicts.len()
    }

    /// What is certain now.
    pub fn verdict(&self) -> MonitorVerdict {
        self.verdicts[self.state as usize]
    }

    /// Reads a letter: bit `i` of `valuation` tells whether proposition `i` holds. Bits without a
    /// proposition do not matter, propositions beyond the 64th do not hold.
    #[inline]
    pub fn step(&mut self, valuation: u64) -> MonitorVerdict {
        self.state = match &self.steps {
            Steps::Table { bits, next } => {
                let valuation = valuation & ((1 << bits) - 1);
                next[(self.state as usize) << bits | valuation as usize]
            }
            Steps::Diagrams { bdds, roots } => {
                let holds = |p: u32| p < 64 && valuation >> p & 1 == 1;
                leaf(bdds, roots[self.state as usize], holds)
            }
        };
        self.verdict()
    }

    /// Reads a letter that tells by `holds` which propositions hold, for more than 64 of them.
    pub fn step_by(&mut self, holds: impl Fn(usize) -> bool) -> MonitorVerdict {
        match &self.steps {
            Steps::Table { bits, .. } => {
                let valuation = (0..*bits).map(|p| u64::from(holds(p as usize)) << p).sum();
                return self.step(valuation);
            }
            Steps::Diagrams { bdds, roots } => {
                self.state = leaf(bdds, roots[self.state as usize], |p| holds(p as usize));
            }
        }
        self.verdict()
    }

    /// Forgets what was read.
    pub fn reset(&mut self) {
        self.state = 0;
    }
}

/// The state at the end of the path down a diagram.
fn leaf(bdds: &Bdds, root: Bdd, holds: impl Fn(u32) -> bool) -> u32 {
    let mut f = root;
    loop {
        let var = bdds.var(f);
        if var >= AUXILIARY {
            return var - AUXILIARY;
        }
        f = if holds(var) {
            bdds.high(f)
        } else {
            bdds.low(f)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::{Lasso, Random};
    use sempre_ltl::{Letter, RandomFormula, Syntax, holds, print};
    use sempre_translate::equivalence::{satisfiable, valid};

    /// The formula that says of what comes after a letter what `f` says of the letter and what comes
    /// after it: by the expansion laws, nothing shared with automata.
    fn derivative(arena: &mut Formulas, f: Formula, letter: u64) -> Formula {
        use sempre_ltl::Op;
        let ops = arena.operands(f).to_vec();
        let op = arena.op(f);
        if op == Op::Proposition {
            return arena.constant(letter >> arena.proposition_number(f) & 1 == 1);
        }
        if op == Op::Next {
            return ops[0];
        }
        let d: Vec<Formula> = ops.iter().map(|&g| derivative(arena, g, letter)).collect();
        match op {
            Op::Finally => arena.or(&[d[0], f]),
            Op::Globally => arena.and(&[d[0], f]),
            Op::Until => {
                let later = arena.and(&[d[0], f]);
                arena.or(&[d[1], later])
            }
            Op::WeakUntil => {
                let later = arena.and(&[d[0], f]);
                arena.or(&[d[1], later])
            }
            Op::Release | Op::StrongRelease => {
                let later = arena.or(&[d[0], f]);
                arena.and(&[d[1], later])
            }
            _ => arena.make(op, &d),
        }
    }

    #[test]
    fn verdicts_are_those_of_the_semantics() {
        let mut r = Random::new(16);
        let mut seen = FxHashMap::default();
        for round in 0..300 {
            let mut arena = Formulas::new();
            for i in 0..2 {
                arena.proposition(&format!("p{i}"));
            }
            let shape = RandomFormula {
                sizes: 1..=9,
                exact: true,
                ..RandomFormula::new(2)
            };
            let f = shape.draw(&mut arena, &mut r);
            let text = print(&arena, f, Syntax::Spot).to_string();
            let mut m = Monitor::new(&mut arena, f, 1000).expect("small");
            let numbers = arena.propositions_of(f);
            let mut rest = f;
            let mut translator = Translator::new();
            for _ in 0..5 {
                let letter = r.below(4) as u64;
                rest = derivative(&mut arena, rest, letter);
                let valuation = (numbers.iter().enumerate())
                    .map(|(i, &p)| (letter >> p & 1) << i)
                    .sum();
                let mut twin = m.clone();
                let verdict = m.step(valuation);
                assert_eq!(twin.step_by(|i| valuation >> i & 1 == 1), verdict);
                let wanted = if !satisfiable(&mut translator, &mut arena, rest) {
                    MonitorVerdict::Violated
                } else if valid(&mut translator, &mut arena, rest) {
                    MonitorVerdict::Satisfied
                } else {
                    MonitorVerdict::Open
                };
                assert_eq!(verdict, wanted, "{text}, round {round}");
                *seen.entry(verdict).or_insert(0) += 1;
            }
            // The derivative itself, on a word.
            let word = Lasso::new(vec![], vec![Letter::default()]);
            let after = derivative(&mut arena, f, 3);
            let longer = Lasso::new(vec![[0, 1].into_iter().collect()], vec![Letter::default()]);
            assert_eq!(holds(&arena, after, &word), holds(&arena, f, &longer));
        }
        assert!(
            seen.len() == 3 && seen.values().all(|&n| n > 50),
            "{seen:?}"
        );
    }

    #[test]
    fn many_propositions_need_no_table() {
        let names: Vec<String> = (0..70).map(|i| format!("p{i}")).collect();
        let text = format!("G({})", names.join(" | "));
        let mut m = Monitor::parse(&text).unwrap();
        assert_eq!(m.propositions().len(), 70);
        assert_eq!(m.step(1 << 63), MonitorVerdict::Open);
        assert_eq!(m.step_by(|i| i == 69), MonitorVerdict::Open);
        assert_eq!(m.step(0), MonitorVerdict::Violated);
        assert_eq!(m.step(1), MonitorVerdict::Violated);
        m.reset();
        assert_eq!(m.verdict(), MonitorVerdict::Open);
        let text = format!("G({})", names[..30].join(" | "));
        let mut m = Monitor::parse(&text).unwrap();
        assert_eq!(m.step(1 << 29), MonitorVerdict::Open);
        assert_eq!(m.step(1 << 30), MonitorVerdict::Violated);
    }

    #[test]
    fn some_verdicts_come_early_and_some_never() {
        let m = Monitor::parse("p & !p").unwrap();
        assert_eq!(m.verdict(), MonitorVerdict::Violated);
        let m = Monitor::parse("p | !p").unwrap();
        assert_eq!(m.verdict(), MonitorVerdict::Satisfied);
        let mut m = Monitor::parse("G F p").unwrap();
        assert_eq!(m.states(), 1);
        assert_eq!(m.step(0), MonitorVerdict::Open);
        // Not informative, but certain.
        let mut m = Monitor::parse("G(p | (X q & X !q))").unwrap();
        assert_eq!(m.step(0), MonitorVerdict::Violated);
        assert!(Monitor::parse("G(").is_err_and(|e| e.contains("expected")));
        let mut bench = crate::Workbench::new();
        let f = bench.parse("F(a & XXXXXXXX b & XXXXXXXXXX c)").unwrap();
        assert!(Monitor::new(&mut bench.formulas, f, 20).is_err());
    }
}
