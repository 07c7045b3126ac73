//! The class of a formula's language in the hierarchy of temporal properties.
//!
//! Manna and Pnueli, "A hierarchy of temporal properties" (PODC 1990): safety properties (every violation has a
//! finite prefix that violates), their complements the guarantee properties, Boolean combinations of these
//! (obligation), recurrence (recognised by deterministic Büchi automata), their complements the persistence
//! properties (deterministic co-Büchi), and everything else (reactivity). The class is one of the language, not of
//! the way it is written.
//!
//! All questions are answered by emptiness checks of products of an automaton `A` of the formula and an automaton `N`
//! of its negation (dual questions swap the two):
//!
//! * *Safety* (Alpern, Schneider, "Recognizing safety and liveness", Distributed Computing 1987): let all runs of `A`
//!   through states with a non-empty language be accepting. That is the smallest safety language around `A`'s; the
//!   formula is a safety property iff `N` shares no word with it.
//! * *Persistence* (Boker, Kupferman, "Co-ing Büchi made tight and useful", LICS 2009): run `A` in parallel with a
//!   deterministic automaton `D` whose state determines the residual language, and let all runs that end in an
//!   accepting component of the product be accepting. The language grows, and stays the same iff it is recognised by
//!   some deterministic co-Büchi automaton; again the question is whether `N` shares a word with it. Why: a new word
//!   has the shape `u y y y …` where some `z` leads from the same state of the product to itself over all acceptance
//!   sets. Words of `y` and `z` after `u` with infinitely many `z` are then in the language; and as no `y` or `z`
//!   changes the residual language, either all those with finitely many `z` are, or none is. But "infinitely often
//!   `z`" is not recognised by deterministic co-Büchi automata.
//! * *Obligation* is recurrence and persistence together (Landweber, "Decision problems for ω-automata", Mathematical
//!   Systems Theory 1969).
//!
//! Differences from the papers: acceptance is generalised and on edges, to which the theorems extend; `D` is the
//! subset construction of `A` or `N`, whichever is expected to be smaller, since either determines the residual
//! language. No determinisation in the sense of Safra, no complementation.
//!
//! Before any of this, the syntactic fragments and the shape of the automata may prove membership: a deterministic
//! (generalised) Büchi automaton is a recurrence, a weak one a persistence.
//!
//! Cost: safety and guarantee are polynomial in the two automata, the others are exponential in the smaller one.
//! Deliberately not done: witnesses of not being in a class.

use crate::language::Language;
use sempre_omega::complete::complete;
use sempre_omega::emptiness::prune;
use sempre_omega::{Acceptance, Automaton, Bdds, Mark, Sccs, emptiness, product, wdba};
use std::fmt;

/// A class of the hierarchy: the lowest one of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Both safety and guarantee: decided by a prefix of bounded length.
    GuaranteeSafety,
    /// Every violation is decided by a finite prefix.
    Safety,
    /// Every satisfaction is decided by a finite prefix.
    Guarantee,
    /// Boolean combinations of safety and guarantee.
    Obligation,
    /// A condition holds infinitely often.
    Recurrence,
    /// A condition holds from some point on.
    Persistence,
    /// None of the others; all of LTL.
    Reactivity,
}

impl Class {
    /// Is a language of this class a safety property?
    pub fn is_safety(self) -> bool {
        matches!(self, Self::GuaranteeSafety | Self::Safety)
    }

    /// Is a language of this class a guarantee?
    pub fn is_guarantee(self) -> bool {
        matches!(self, Self::GuaranteeSafety | Self::Guarantee)
    }

    /// Is a language of this class an obligation?
    pub fn is_obligation(self) -> bool {
        self.is_safety() || self.is_guarantee() || self == Self::Obligation
    }

    /// Is a language of this class a recurrence?
    pub fn is_recurrence(self) -> bool {
        self.is_obligation() || self == Self::Recurrence
    }

    /// Is a language of this class a persistence?
    pub fn is_persistence(self) -> bool {
        self.is_obligation() || self == Self::Persistence
    }

    /// The class of the complements.
    #[must_use]
    pub fn dual(self) -> Self {
        match self {
            Self::Safety => Self::Guarantee,
            Self::Guarantee => Self::Safety,
            Self::Recurrence => Self::Persistence,
            Self::Persistence => Self::Recurrence,
            same => same,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::GuaranteeSafety => "guarantee safety",
            Self::Safety => "safety",
            Self::Guarantee => "guarantee",
            Self::Obligation => "obligation",
            Self::Recurrence => "recurrence",
            Self::Persistence => "persistence",
            Self::Reactivity => "reactivity",
        })
    }
}

/// The lowest class of the language.
pub fn classify(language: &mut Language) -> Class {
    match (is_safety(language), is_guarantee(language)) {
        (true, true) => return Class::GuaranteeSafety,
        (true, false) => return Class::Safety,
        (false, true) => return Class::Guarantee,
        (false, false) => {}
    }
    match (is_recurrence(language), is_persistence(language)) {
        (true, true) => Class::Obligation,
        (true, false) => Class::Recurrence,
        (false, true) => Class::Persistence,
        (false, false) => Class::Reactivity,
    }
}

/// Is the language a safety property?
pub fn is_safety(language: &mut Language) -> bool {
    language.facts().safety() || {
        let (bdds, a, n) = language.both();
        closed(bdds, a, n)
    }
}

/// Is the language a guarantee?
pub fn is_guarantee(language: &mut Language) -> bool {
    language.facts().guarantee() || {
        let (bdds, a, n) = language.both();
        closed(bdds, n, a)
    }
}

/// Is the language an obligation?
pub fn is_obligation(language: &mut Language) -> bool {
    language.facts().obligation() || (is_recurrence(language) && is_persistence(language))
}

/// Is the language a recurrence?
pub fn is_recurrence(language: &mut Language) -> bool {
    language.facts().recurrence()
        || {
            let (bdds, a) = language.positive();
            a.is_deterministic(bdds)
        }
        || {
            let (bdds, a, n) = language.both();
            co_buchi(bdds, n, a)
        }
}

/// Is the language a persistence?
pub fn is_persistence(language: &mut Language) -> bool {
    language.facts().persistence()
        || {
            let (bdds, n) = language.negative();
            n.is_deterministic(bdds)
        }
        || {
            let (bdds, a, n) = language.both();
            co_buchi(bdds, a, n)
        }
}

/// Is the language of `a` a safety property, where `n` accepts its complement?
fn closed(bdds: &mut Bdds, a: &Automaton, n: &Automaton) -> bool {
    let mut closure = a.clone();
    prune(&mut closure);
    closure.sets = 0;
    closure.acceptance = Acceptance::True;
    for e in closure.edges.iter_mut().flatten() {
        e.mark = Mark::EMPTY;
    }
    emptiness::is_empty(&product::product(bdds, &closure, n))
}

/// Does a deterministic co-Büchi automaton recognise the language of the generalised Büchi automaton
/// `a`, where `n` accepts its complement?
fn co_buchi(bdds: &mut Bdds, a: &Automaton, n: &Automaton) -> bool {
    let sccs = Sccs::new(a);
    if (0..sccs.len()).all(|c| sccs.is_weak(a, c)) {
        return true;
    }
    let remains = remaining(bdds, a, n);
    let mut weak = product::product(bdds, a, &remains);
    let sccs = Sccs::new(&weak);
    let accepting = sccs.accepting(&weak);
    for (s, edges) in weak.edges.iter_mut().enumerate() {
        let component = sccs.of[s];
        for e in edges {
            // Every state of the product is reachable, so it has a component.
            let good = sccs.of[e.to as usize] == component && accepting[component as usize];
            e.mark = if good { Mark::single(0) } else { Mark::EMPTY };
        }
    }
    weak.sets = 1;
    weak.acceptance = Acceptance::buchi();
    emptiness::is_empty(&product::product(bdds, &weak, n))
}

/// A complete deterministic automaton without acceptance whose state, after a finite word, determines the residual
/// language of `a`. `n` accepts the complement.
fn remaining(bdds: &mut Bdds, a: &Automaton, n: &Automaton) -> Automaton {
    let weight = |bdds: &mut Bdds, x: &Automaton| (!x.is_deterministic(bdds), x.states());
    let smaller = if weight(bdds, a) <= weight(bdds, n) {
        a
    } else {
        n
    };
    let (mut d, _) = wdba::powerset(smaller, bdds, usize::MAX).expect("no limit");
    complete(bdds, &mut d);
    d.sets = 0;
    d.acceptance = Acceptance::True;
    for e in d.edges.iter_mut().flatten() {
        e.mark = Mark::EMPTY;
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::for_each_row;
    use crate::translator::Translator;
    use sempre_base::Random;
    use sempre_ltl::{Formula, Formulas, ParseOptions, RandomFormula, parse};
    use sempre_omega::determinize::determinize;
    use sempre_omega::{Edge, inclusion};

    fn class(arena: &mut Formulas, f: Formula) -> Class {
        classify(&mut Language::new(&mut Translator::new(), arena, f))
    }

    #[test]
    fn small_formulas() {
        let mut arena = Formulas::new();
        for (text, expected) in [
            ("1", "guarantee safety"),
            ("p & X !q", "guarantee safety"),
            ("F p & G !p", "guarantee safety"),
            ("G p", "safety"),
            ("F q -> (!p U q)", "safety"),
            ("p U q", "guarantee"),
            ("G p | F q", "obligation"),
            ("(p U q) & G (r -> X q)", "obligation"),
            ("G (p -> F q)", "recurrence"),
            ("F G p", "persistence"),
            ("F G p | F q", "persistence"),
            ("F G p | G F q", "reactivity"),
            ("G F p & F G q", "reactivity"),
            // Not in the syntactic fragment of their classes.
            ("G (p | F G p) & (G p | F !p)", "persistence"),
            ("(F G p & G F !p) | G q", "safety"),
            ("G F (p & X p) -> G F p", "guarantee safety"),
        ] {
            let f = parse(&mut arena, text, &ParseOptions::default()).unwrap();
            assert_eq!(class(&mut arena, f.formula).to_string(), expected, "{text}");
        }
    }

    /// By determinisation, with Landweber's theorem: does every cycle around an accepting cycle accept (for
    /// `accepting`, else: does every cycle around a rejecting cycle reject)?
    fn grows(d: &Automaton, accepting: bool) -> bool {
        // The parity of the smallest priority decides; larger cycles are examined first.
        let mut todo: Vec<(Vec<u32>, u32)> = Sccs::new(d)
            .states
            .into_iter()
            .map(|states| (states, 0))
            .collect();
        let mut good = true;
        while let Some((states, at_least)) = todo.pop() {
            let inside = |e: &Edge| {
                states.contains(&e.to) && e.mark.iter().next().unwrap_or(d.sets) >= at_least
            };
            let priorities = states
                .iter()
                .flat_map(|&s| &d.edges[s as usize])
                .filter(|e| inside(e))
                .map(|e| e.mark.iter().next().unwrap_or(d.sets));
            let Some(lowest) = priorities.min() else {
                continue;
            };
            let whole = lowest % 2 == 0;
            let mut part = d.clone();
            for (s, edges) in part.edges.iter_mut().enumerate() {
                edges.retain(|e| states.contains(&(s as u32)) && inside(e));
            }
            if whole != accepting {
                // All cycles around are of the other kind: no cycle inside may be of this one.
                part.initial = states.clone();
                part.acceptance = if accepting {
                    d.acceptance.clone()
                } else {
                    d.acceptance.complement()
                };
                good &= emptiness::is_empty(&part);
            } else if lowest < d.sets {
                let rest = Sccs::restricted(&part, &states, |_, e| {
                    e.mark.iter().next().unwrap_or(d.sets) > lowest
                });
                todo.extend(rest.states.into_iter().map(|s| (s, lowest + 1)));
            }
        }
        good
    }

    #[test]
    fn agrees_with_deterministic_parity_and_weak_automata() {
        let (mut t, mut arena, mut r) = (Translator::new(), Formulas::new(), Random::new(71));
        let shape = RandomFormula {
            sizes: 4..=12,
            ..RandomFormula::new(2)
        };
        let mut seen = std::collections::HashMap::new();
        for _ in 0..1500 {
            let f = shape.draw(&mut arena, &mut r);
            let mut language = Language::new(&mut t, &mut arena, f);
            let found = classify(&mut language);
            let (bdds, a, n) = language.both();
            // The tests that the syntax and the shape of the automata would skip are done in full, too.
            assert_eq!(closed(bdds, a, n), found.is_safety());
            assert_eq!(closed(bdds, n, a), found.is_guarantee());
            assert_eq!(co_buchi(bdds, n, a), found.is_recurrence());
            assert_eq!(co_buchi(bdds, a, n), found.is_persistence());
            let d = determinize(bdds, a, 2000).expect("small");
            assert_eq!(grows(&d, true), found.is_recurrence());
            assert_eq!(grows(&d, false), found.is_persistence());
            let w = wdba::minimize(a, bdds, 2000).expect("small");
            let same = inclusion::equivalent(bdds, a, &w, 2000).expect("small");
            assert_eq!(same, found.is_obligation());
            assert_eq!(is_obligation(&mut language), same);
            *seen.entry(found).or_insert(0) += 1;
            let not_f = arena.not(f);
            let dual = classify(&mut Language::new(&mut t, &mut arena, not_f));
            assert_eq!(dual, found.dual());
        }
        assert!(
            seen.len() == 7 && seen.values().all(|&n| n > 10),
            "{seen:?}"
        );
    }

    #[test]
    #[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
    fn as_in_the_reference_lists() {
        for_each_row(|arena, f, row| {
            let text = row.get("formula");
            let found = class(arena, f);
            assert_eq!(found.to_string(), row.get("hierarchy"), "{text}");
            assert_eq!(found.is_safety(), row.flag("safety"), "{text}");
            assert_eq!(found.is_guarantee(), row.flag("guarantee"), "{text}");
            assert_eq!(found.is_obligation(), row.flag("obligation"), "{text}");
            assert_eq!(found.is_recurrence(), row.flag("recurrence"), "{text}");
            assert_eq!(found.is_persistence(), row.flag("persistence"), "{text}");
        });
    }

    /// The syntactic facts, for formulas exactly as they are written.
    #[test]
    #[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
    fn syntactic_facts_as_in_the_reference_lists() {
        let exact = ParseOptions {
            exact: true,
            known: None,
        };
        for_each_row(|arena, _, row| {
            let text = row.get("formula");
            let f = parse(arena, text, &exact).unwrap().formula;
            let facts = arena.facts(f);
            for (fact, column) in [
                (facts.safety(), "syntactic_safety"),
                (facts.guarantee(), "syntactic_guarantee"),
                (facts.next_free(), "syntactic_stutter_invariant"),
                (facts.universal(), "universal"),
                (facts.eventual(), "eventual"),
            ] {
                assert_eq!(fact, row.flag(column), "{column} of {text}");
            }
        });
    }
}
