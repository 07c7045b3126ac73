//! Comparing translators: every result for a formula against every result for its negation, and all
//! of them against the semantics of the formula on lasso words.
//!
//! The method is that of LBTT (Tauriainen, Heljanko, STTT 2002). Let Pᵢ be the automaton that
//! translator i made of φ and Nⱼ the one that translator j made of ¬φ.
//!
//! 1. Pᵢ × Nⱼ must be empty, for all i and j. A word in the product is shown to the formula itself,
//!    which tells which of the two is wrong.
//! 2. On random words, and on words read off each of the automata, Pᵢ must say what φ says and Nᵢ the
//!    opposite. This also catches automata that accept too little, which the products cannot see.
//!
//! Differences to LBTT: words are lassos evaluated directly, not paths of a random state space; a
//! disagreement always names a culprit, because the semantics of LTL decides.
//!
//! What is deliberately not done: no proof that Pᵢ ∪ Nᵢ is everything, which needs a complement; the
//! words test it.
//!
//! A candidate that runs out of time or fails is tabulated and left out of the comparison.

pub mod candidate;
pub mod external;
pub mod minimize;
pub mod words;

pub use candidate::Candidate;
pub use minimize::minimize;

use crate::Workbench;
use crate::word::write_word;
use external::Scratch;
use sempre_base::Random;
use sempre_ltl::{Formula, Formulas, Op, Syntax};
use sempre_omega::Automaton;
use sempre_omega::accepting_run::accepting_word;
use sempre_omega::membership::accepts;
use sempre_omega::product::product;
use sempre_omega::word::Word;
use std::time::Duration;

/// Products of more pairs of states than this are not made.
const MOST_PAIRS: usize = 4_000_000;

/// How to compare.
pub struct Cross {
    /// The translators.
    pub candidates: Vec<Candidate>,
    /// The time each external command has for each formula.
    pub time: Option<Duration>,
    /// How many random words each formula is tried on; half as many are read off each automaton.
    pub words: usize,
    /// Where the randomness starts.
    pub seed: u64,
    /// Where external commands write.
    pub scratch: Scratch,
}

/// What a candidate made of a formula.
pub enum Made {
    /// An automaton.
    Automaton(Automaton),
    /// Nothing in the time it had.
    TimedOut,
    /// Nothing, and this is what it said.
    Failed(String),
}

/// One translation.
pub struct Attempt {
    /// Which candidate, by position.
    pub candidate: usize,
    /// Of the negation of the formula?
    pub negated: bool,
    /// What came out.
    pub made: Made,
    /// Is it deterministic?
    pub deterministic: bool,
    /// How long it took.
    pub time: Duration,
}

/// A wrong automaton, and a word that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Which candidate, by position.
    pub candidate: usize,
    /// Is its automaton of the negation wrong, or that of the formula itself?
    pub negated: bool,
    /// Does it accept the word, and should not? Otherwise it should and does not.
    pub accepts: bool,
    /// The word, as people read it.
    pub word: String,
}

/// All about one formula.
pub struct Report {
    /// The formula that was translated, in Spot's syntax.
    pub formula: String,
    /// All translations, of the formula and of its negation.
    pub attempts: Vec<Attempt>,
    /// What is wrong; at most one entry per automaton.
    pub disagreements: Vec<Disagreement>,
    /// Number of products that were checked.
    pub products: usize,
    /// Number of products that were too large.
    pub skipped: usize,
    /// Number of words on which every automaton was tried.
    pub words: usize,
}

impl Cross {
    /// Compares the candidates on a formula.
    pub fn check(&self, arena: &Formulas, f: Formula) -> Report {
        let (mut bench, f) = self.prepare(arena, f);
        let not_f = bench.formulas.not(f);
        let mut attempts = Vec::new();
        for (candidate, c) in self.candidates.iter().enumerate() {
            for negated in [false, true] {
                let g = if negated { not_f } else { f };
                let (made, time) = c.translate(&mut bench, g, self.time, &self.scratch);
                let deterministic = match &made {
                    Made::Automaton(a) => a.is_deterministic(&mut bench.alphabet.bdds),
                    _ => false,
                };
                attempts.push(Attempt {
                    candidate,
                    negated,
                    made,
                    deterministic,
                    time,
                });
            }
        }
        let mut report = Report {
            formula: bench.print(f, Syntax::Spot),
            attempts,
            disagreements: Vec::new(),
            products: 0,
            skipped: 0,
            words: 0,
        };
        let mut judge = Judge::new(&mut bench, f);
        judge.products(&mut report);
        judge.words(&mut report, self.words, self.seed);
        report
    }

    /// A bench with a copy of the formula; with plain names for its propositions if an external
    /// command has to read them.
    fn prepare(&self, arena: &Formulas, f: Formula) -> (Workbench, Formula) {
        let mut bench = Workbench::new();
        let names: Vec<&str> = arena
            .propositions_of(f)
            .into_iter()
            .map(|p| arena.name(p))
            .collect();
        let rename = self.candidates.iter().any(Candidate::is_external)
            && !names.iter().all(|n| is_plain(n));
        let (formulas, f) = copy(arena, f, |name| {
            match names.iter().position(|n| rename && *n == name) {
                Some(i) => format!("p{i}"),
                None => name.to_string(),
            }
        });
        bench.formulas = formulas;
        (bench, f)
    }
}

/// The formula in an arena of its own, its propositions renamed.
fn copy(arena: &Formulas, f: Formula, rename: impl Fn(&str) -> String) -> (Formulas, Formula) {
    let mut formulas = Formulas::new();
    let mut copies = rustc_hash::FxHashMap::default();
    for g in arena.subformulas(f) {
        let copy = if arena.op(g) == Op::Proposition {
            let name = arena.name(arena.proposition_number(g));
            formulas.proposition(&rename(name))
        } else {
            let operands: Vec<Formula> = arena.operands(g).iter().map(|h| copies[h]).collect();
            formulas.node(arena.op(g), &operands)
        };
        copies.insert(g, copy);
    }
    (formulas, copies[&f])
}

/// Can every tool read this name as a proposition?
fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !["true", "false", "t", "f", "xor"].contains(&name)
}

/// Knows the truth about words.
struct Judge<'a> {
    bench: &'a mut Workbench,
    f: Formula,
    /// The variable of each proposition of the arena.
    variable: Vec<u32>,
    /// The variables of the formula.
    of_formula: Vec<u32>,
}

impl<'a> Judge<'a> {
    fn new(bench: &'a mut Workbench, f: Formula) -> Self {
        let variable: Vec<u32> = bench
            .formulas
            .names()
            .iter()
            .map(|n| bench.alphabet.declare(n))
            .collect();
        let of_formula = bench
            .formulas
            .propositions_of(f)
            .iter()
            .map(|&p| variable[p])
            .collect();
        Self {
            bench,
            f,
            variable,
            of_formula,
        }
    }

    /// Does the word satisfy the formula?
    fn truth(&self, word: &Word) -> bool {
        let table = sempre_ltl::lasso::evaluate_with(&self.bench.formulas, self.f, word, |l, p| {
            l.holds(self.variable[p])
        });
        table.holds(self.f, 0)
    }

    fn show(&self, word: &Word) -> String {
        // An automaton may speak of more than the formula does.
        let mut variables = self.of_formula.clone();
        for v in word.letters().flat_map(|l| l.iter()) {
            if !variables.contains(&v) {
                variables.push(v);
            }
        }
        write_word(&self.bench.alphabet, &variables, word)
    }

    fn accuse(&self, report: &mut Report, candidate: usize, negated: bool, word: &Word) {
        let known = |d: &Disagreement| d.candidate == candidate && d.negated == negated;
        if !report.disagreements.iter().any(known) {
            report.disagreements.push(Disagreement {
                candidate,
                negated,
                accepts: self.truth(word) == negated,
                word: self.show(word),
            });
        }
    }

    /// Every result for the formula against every result for its negation.
    fn products(&mut self, report: &mut Report) {
        let mut guilty = Vec::new();
        for p in report.attempts.iter().filter(|a| !a.negated) {
            let Made::Automaton(positive) = &p.made else {
                continue;
            };
            for n in report.attempts.iter().filter(|a| a.negated) {
                let Made::Automaton(negative) = &n.made else {
                    continue;
                };
                if positive.states().saturating_mul(negative.states()) > MOST_PAIRS {
                    report.skipped += 1;
                    continue;
                }
                report.products += 1;
                let both = product(&mut self.bench.alphabet.bdds, positive, negative);
                if let Some(word) = accepting_word(&self.bench.alphabet.bdds, &both) {
                    let negated = self.truth(&word);
                    let culprit = if negated { n } else { p };
                    guilty.push((culprit.candidate, negated, word));
                }
            }
        }
        for (candidate, negated, word) in guilty {
            self.accuse(report, candidate, negated, &word);
        }
    }

    /// Every result against the semantics on random words and on words of the automata.
    fn words(&mut self, report: &mut Report, count: usize, seed: u64) {
        let mut random = Random::new(seed);
        let mut words: Vec<Word> = (0..count)
            .map(|_| sempre_omega::word::random_word(&mut random, &self.of_formula, 4, 4))
            .collect();
        let bdds = &self.bench.alphabet.bdds;
        for attempt in &report.attempts {
            if let Made::Automaton(a) = &attempt.made {
                words.extend(words::words_of(
                    &mut random,
                    bdds,
                    a,
                    &self.of_formula,
                    count / 2,
                ));
            }
        }
        report.words = words.len();
        let mut guilty = Vec::new();
        for word in &words {
            let truth = self.truth(word);
            for attempt in &report.attempts {
                if let Made::Automaton(a) = &attempt.made
                    && accepts(&self.bench.alphabet.bdds, a, word) != (truth != attempt.negated)
                {
                    guilty.push((attempt.candidate, attempt.negated, word.clone()));
                }
            }
        }
        for (candidate, negated, word) in guilty {
            self.accuse(report, candidate, negated, &word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cross(translators: &[&str]) -> Cross {
        Cross {
            candidates: translators
                .iter()
                .map(|t| Candidate::parse(t).expect("a translator"))
                .collect(),
            time: Some(Duration::from_secs(60)),
            words: 20,
            seed: 1,
            scratch: Scratch::new().expect("a temporary folder"),
        }
    }

    #[test]
    fn plain_names_only_for_other_tools() {
        let mut bench = Workbench::new();
        let f = bench.parse("\"x y\" U (P_1.CS | a)").expect("a formula");
        let ours = cross(&["sempre:tgba"]).check(&bench.formulas, f);
        assert_eq!(ours.formula, "\"x y\" U (P_1.CS | a)");
        let (other, g) = cross(&["cat %F"]).prepare(&bench.formulas, f);
        assert_eq!(other.print(g, Syntax::Spot), "p0 U (p1 | p2)");
    }

    /// An automaton that accepts too much, and one that accepts too little.
    #[cfg(unix)]
    #[test]
    fn wrong_automata_are_found_with_the_right_culprit() {
        let everything = "HOA: v1 States: 1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- \
                          State: 0 [t] 0 --END--";
        let nothing = "HOA: v1 States: 0 AP: 0 Acceptance: 0 t --BODY-- --END--";
        let mut bench = Workbench::new();
        let f = bench.parse("a U b").expect("a formula");
        for (text, accepts) in [(everything, true), (nothing, false)] {
            let wrong = format!("echo '{text}' # %f");
            let cross = cross(&["sempre:tgba", &wrong, "sempre:ba"]);
            let report = cross.check(&bench.formulas, f);
            assert_eq!(report.disagreements.len(), 2);
            for (d, negated) in report.disagreements.iter().zip([false, true]) {
                assert_eq!((d.candidate, d.accepts), (1, accepts), "{d:?}");
                assert!(report.disagreements.iter().any(|d| d.negated == negated));
            }
            let (small, _) = minimize(&cross, &mut bench.formulas, f).expect("it is wrong");
            assert!(bench.formulas.size(small) <= 1);
        }
    }
}
