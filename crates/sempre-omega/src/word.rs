//! Letters and words: the input of automata.
//!
//! A letter determines which propositions are true; a word is a lasso of letters. The tests of this crate compare
//! languages on words made by [`random_word`].

use crate::acceptance::Acceptance;
use crate::automaton::{Alphabet, Automaton};
use crate::bdd::{Bdd, Bdds, Literal};
use crate::mark::Mark;
use sempre_base::{Lasso, Random};
use std::fmt::Write;

/// The propositions that are true; all others are false.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter(Mark);

/// An ultimately periodic word.
pub type Word = Lasso<Letter>;

impl Letter {
    /// The letter in which exactly the positive ones of some literals hold.
    pub(crate) fn from_literals(literals: &[Literal]) -> Self {
        literals
            .iter()
            .filter_map(|&(var, sign)| sign.then_some(var))
            .collect()
    }

    /// Some letter that satisfies a label; `None` for the label that is never true. Propositions
    /// the label does not need are false.
    pub fn satisfying(bdds: &Bdds, label: Bdd) -> Option<Self> {
        bdds.pick(label).map(|l| Self::from_literals(&l))
    }

    /// Is the proposition true?
    pub fn holds(&self, var: u32) -> bool {
        self.0.contains(var)
    }

    /// The propositions that are true, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter()
    }

    /// Does the letter satisfy a label?
    pub fn satisfies(&self, bdds: &Bdds, label: Bdd) -> bool {
        bdds.eval(label, |v| self.holds(v))
    }

    /// The label that only this letter satisfies, as far as `variables` go.
    pub fn to_label(&self, bdds: &mut Bdds, variables: &[u32]) -> Bdd {
        let literals: Vec<Literal> = variables.iter().map(|&v| (v, self.holds(v))).collect();
        bdds.cube(&literals)
    }
}

impl FromIterator<u32> for Letter {
    fn from_iter<I: IntoIterator<Item = u32>>(vars: I) -> Self {
        Letter(vars.into_iter().collect())
    }
}

/// A random letter over some propositions, each true with probability one half.
pub fn random_letter(r: &mut Random, variables: &[u32]) -> Letter {
    variables
        .iter()
        .copied()
        .filter(|_| r.chance(0.5))
        .collect()
}

/// A random word whose prefix has at most `prefix` letters and whose cycle has at most `cycle`.
pub fn random_word(r: &mut Random, variables: &[u32], prefix: usize, cycle: usize) -> Word {
    let before = r.below(prefix + 1);
    let around = 1 + r.below(cycle.max(1));
    let mut letters = |n: usize| (0..n).map(|_| random_letter(r, variables)).collect();
    Lasso::new(letters(before), letters(around))
}

/// The automaton that accepts this word only, as far as `variables` go.
pub fn word_automaton(bdds: &mut Bdds, variables: &[u32], word: &Word) -> Automaton {
    let mut a = Automaton::new(variables.to_vec(), 0, Acceptance::True);
    for _ in 0..word.len() {
        a.add_state();
    }
    a.initial.push(0);
    for (i, letter) in word.letters().enumerate() {
        let label = letter.to_label(bdds, variables);
        a.add_edge(i as u32, word.successor(i) as u32, label, Mark::EMPTY);
    }
    a
}

/// The same infinite word with the shortest cycle and the shortest prefix: equal words get equal
/// lassos.
pub fn shortest_form<L: Clone + PartialEq>(word: &Lasso<L>) -> Lasso<L> {
    let (mut prefix, mut cycle) = (word.prefix().to_vec(), word.cycle().to_vec());
    let n = cycle.len();
    let period = (1..n)
        .find(|p| n.is_multiple_of(*p) && (*p..n).all(|i| cycle[i] == cycle[i - p]))
        .unwrap_or(n);
    cycle.truncate(period);
    // A prefix that ends as the cycle does can be wound into it.
    let mut wound = 0;
    while prefix
        .last()
        .is_some_and(|l| *l == cycle[period - 1 - wound % period])
    {
        prefix.pop();
        wound += 1;
    }
    cycle.rotate_right(wound % period);
    Lasso::new(prefix, cycle)
}

/// The word in the usual notation, `a&!b; !a&b; cycle{a&b}`, with every one of `variables` in every letter (`1` if
/// there is none).
pub fn show_word(alphabet: &Alphabet, variables: &[u32], word: &Word) -> String {
    let letter = |l: &Letter| {
        let mut text = String::new();
        for &v in variables {
            let sign = if l.holds(v) { "" } else { "!" };
            let and = if text.is_empty() { "" } else { "&" };
            write!(text, "{and}{sign}{}", alphabet.name(v)).expect("strings take any text");
        }
        if text.is_empty() {
            text.push('1');
        }
        text
    };
    let mut text = String::new();
    for l in word.prefix() {
        text.push_str(&letter(l));
        text.push_str("; ");
    }
    let cycle: Vec<String> = word.cycle().iter().map(letter).collect();
    text + "cycle{" + &cycle.join("; ") + "}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_satisfy_the_labels_they_were_made_for() {
        let mut alphabet = Alphabet::new();
        let vars: Vec<u32> = ["a", "b", "c"].map(|n| alphabet.declare(n)).to_vec();
        let mut r = Random::new(3);
        for _ in 0..200 {
            let (x, y) = (random_letter(&mut r, &vars), random_letter(&mut r, &vars));
            let (f, g) = (
                x.to_label(&mut alphabet.bdds, &vars),
                y.to_label(&mut alphabet.bdds, &vars),
            );
            assert_eq!(f == g, x == y);
            assert_eq!(Letter::satisfying(&alphabet.bdds, f), Some(x.clone()));
            assert_eq!(y.satisfies(&alphabet.bdds, f), x == y);
            let either = alphabet.bdds.or(f, g);
            let some = Letter::satisfying(&alphabet.bdds, either).expect("satisfiable");
            assert!(some.satisfies(&alphabet.bdds, either));
        }
        assert_eq!(Letter::satisfying(&alphabet.bdds, Bdd::FALSE), None);
    }

    #[test]
    fn equal_words_have_equal_shortest_forms() {
        let mut r = Random::new(6);
        let unroll = |w: &Lasso<bool>| -> Vec<bool> {
            std::iter::successors(Some(0), |&i| Some(w.successor(i)))
                .take(40)
                .map(|i| *w.letter(i))
                .collect()
        };
        let mut equal = 0;
        for _ in 0..3000 {
            let mut random = || {
                let mut bits = |n: usize| (0..n).map(|_| r.chance(0.5)).collect::<Vec<_>>();
                Lasso::new(bits(2), bits(2))
            };
            let (x, y) = (random(), random());
            let (u, v) = (shortest_form(&x), shortest_form(&y));
            assert_eq!(unroll(&u), unroll(&x));
            // Forty letters distinguish words with prefixes of 2 and cycles of 2.
            assert_eq!(u == v, unroll(&x) == unroll(&y));
            equal += usize::from(u == v);
        }
        assert!(equal > 20);
    }

    #[test]
    fn words_are_shown_with_all_their_propositions() {
        let mut alphabet = Alphabet::new();
        let vars: Vec<u32> = ["a", "b"].map(|n| alphabet.declare(n)).to_vec();
        let letter = |l: &[u32]| l.iter().copied().collect::<Letter>();
        let w = Lasso::new(vec![letter(&[0])], vec![letter(&[1]), letter(&[])]);
        assert_eq!(show_word(&alphabet, &vars, &w), "a&!b; cycle{!a&b; !a&!b}");
        assert_eq!(show_word(&alphabet, &[], &w), "1; cycle{1; 1}");
    }
}
