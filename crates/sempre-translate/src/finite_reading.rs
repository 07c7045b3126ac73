//! Can a Büchi automaton of the violations of a formula be used as a finite automaton?
//!
//! Translators of full LTL often construct, for a safety formula, a Büchi automaton whose accepting states could as
//! well be the final states of a finite one; Latvala (SPIN 2003, section 6) proposes to confirm that by the
//! pathologic check. Two conditions are needed:
//!
//! * every word that leads to an accepting state is a bad prefix: no word with such a prefix satisfies the formula;
//! * every violation has such a prefix: the product of the automaton with the complement of its finite reading, made
//!   deterministic, is empty.
//!
//! If both hold, reachability of an accepting state may replace the search for a cycle. If the formula is not a
//! safety formula, they never hold together.
//!
//! Cost: that of the subset construction; `limit` bounds its states.

use sempre_omega::acceptance::Acceptance;
use sempre_omega::accepting_run::intersecting_word;
use sempre_omega::finite::{determinize, to_terminal, without_prefix};
use sempre_omega::{Automaton, Bdds, FiniteAutomaton, Word};

/// The result of the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FiniteReading {
    /// Both conditions hold: accepting states may be final ones.
    Exact,
    /// This word satisfies the formula, but a prefix of it leads to an accepting state.
    TooMuch(Word),
    /// This violation leads to no accepting state.
    TooLittle(Word),
    /// Its acceptance is not Büchi, on states.
    NotBuchi,
    /// The subset construction has too many states.
    TooLarge,
}

/// Checks both conditions for `violations`, with an automaton of the words that are not violations.
pub fn finite_reading(
    bdds: &mut Bdds,
    models: &Automaton,
    violations: &Automaton,
    limit: usize,
) -> FiniteReading {
    if violations.acceptance != Acceptance::buchi() || !violations.has_state_acceptance() {
        return FiniteReading::NotBuchi;
    }
    let mut finite = FiniteAutomaton::new(violations.propositions.clone());
    finite.initial.clone_from(&violations.initial);
    for edges in &violations.edges {
        let accepting = edges.first().is_some_and(|e| e.mark.contains(0));
        let s = finite.add_state(accepting);
        for e in edges {
            finite.add_edge(s, e.to, e.label);
        }
    }
    let Some(finite) = determinize(bdds, &finite, limit) else {
        return FiniteReading::TooLarge;
    };
    if let Some(word) = intersecting_word(bdds, models, &to_terminal(&finite)) {
        return FiniteReading::TooMuch(word);
    }
    let missed = without_prefix(bdds, &finite);
    match intersecting_word(bdds, violations, &missed) {
        Some(word) => FiniteReading::TooLittle(word),
        None => FiniteReading::Exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::is_safety;
    use crate::language::Language;
    use crate::translator::{Effort, Kind, Options, Translator};
    use sempre_base::Random;
    use sempre_ltl::{Formula, Formulas, ParseOptions, RandomFormula, parse};
    use sempre_omega::Alphabet;
    use sempre_omega::membership::accepts;

    fn reading(arena: &mut Formulas, f: Formula, effort: Effort) -> (FiniteReading, bool) {
        let mut t = Translator::new();
        let mut alphabet = Alphabet::new();
        let options = Options {
            kind: Kind::Ba,
            effort,
            deterministic: false,
        };
        let models = t.translate(arena, &mut alphabet, f, options);
        let not = arena.not(f);
        let violations = t.translate(arena, &mut alphabet, not, options);
        let found = finite_reading(&mut alphabet.bdds, &models, &violations, 1 << 12);
        let bdds = &alphabet.bdds;
        let right = match &found {
            FiniteReading::TooMuch(word) => accepts(bdds, &models, word),
            FiniteReading::TooLittle(word) => accepts(bdds, &violations, word),
            _ => true,
        };
        (found, right)
    }

    #[test]
    fn examples() {
        for (text, exact) in [
            ("G p", true),
            ("G(a -> X b)", true),
            ("G(a -> (b W c))", true),
            ("F p", false),
            ("G F p", false),
            ("G p & F q", false),
            ("1", true),
        ] {
            let mut arena = Formulas::new();
            let f = parse(&mut arena, text, &ParseOptions::default())
                .expect("a formula")
                .formula;
            let (found, right) = reading(&mut arena, f, Effort::High);
            assert_eq!(found == FiniteReading::Exact, exact, "{text} {found:?}");
            assert!(right, "{text} {found:?}");
        }
    }

    #[test]
    fn safety_only() {
        let mut r = Random::new(24);
        let (mut exact, mut other) = (0, 0);
        for _ in 0..400 {
            let mut arena = Formulas::new();
            let shape = RandomFormula {
                sizes: 1..=8,
                ..RandomFormula::new(2)
            };
            let f = shape.draw(&mut arena, &mut r);
            let safe = is_safety(&mut Language::new(&mut Translator::new(), &mut arena, f));
            let (found, right) = reading(&mut arena, f, Effort::High);
            assert!(right);
            if found == FiniteReading::Exact {
                assert!(safe);
                exact += 1;
            } else {
                other += 1;
            }
        }
        assert!(exact > 50 && other > 50, "{exact} {other}");
    }
}
