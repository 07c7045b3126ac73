//! Words for both formulas and automata.

use sempre_base::{Lasso, Random};
use sempre_ltl::{Formula, Formulas, Letter, holds};
use sempre_omega::membership::accepts;
use sempre_omega::{Alphabet, Automaton, Word};

/// One word, in both alphabets.
#[derive(Debug)]
pub struct BothWays {
    formula: Lasso<Letter>,
    automaton: Word,
}

impl BothWays {
    /// A word of an automaton, converted for formulas.
    pub fn of(arena: &mut Formulas, alphabet: &Alphabet, automaton: Word) -> Self {
        let formula = automaton.map(|letter| {
            letter
                .iter()
                .map(|v| {
                    let p = arena.proposition(alphabet.name(v));
                    arena.proposition_number(p)
                })
                .collect()
        });
        Self { formula, automaton }
    }

    /// Does the word satisfy the formula?
    pub fn satisfies(&self, arena: &Formulas, f: Formula) -> bool {
        holds(arena, f, &self.formula)
    }

    /// Does the automaton accept the word?
    pub fn is_accepted(&self, alphabet: &Alphabet, a: &Automaton) -> bool {
        accepts(&alphabet.bdds, a, &self.automaton)
    }
}

/// A word over `p0`, `p1`, …
pub fn random(
    r: &mut Random,
    arena: &mut Formulas,
    alphabet: &mut Alphabet,
    count: usize,
) -> BothWays {
    let variables: Vec<u32> = (0..count)
        .map(|i| alphabet.declare(&format!("p{i}")))
        .collect();
    let word = sempre_omega::word::random_word(r, &variables, 3, 4);
    BothWays::of(arena, alphabet, word)
}
