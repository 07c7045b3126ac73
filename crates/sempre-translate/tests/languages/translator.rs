//! [`Translator::tgba`] with every effort.

use crate::tableau::{shape, tableau};
use crate::words::{self, BothWays};
use sempre_base::Random;
use sempre_ltl::{Formula, Formulas, ParseOptions, Syntax, parse, print};
use sempre_omega::accepting_run::{accepting_word, intersecting_word};
use sempre_omega::complement::complement;
use sempre_omega::determinize::parity_min_even;
use sempre_omega::{Alphabet, Automaton};
use sempre_translate::translator::{Effort, Kind, Options, Translator};

/// Every kind, effort and preference.
fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for kind in [Kind::Tgra, Kind::Tela, Kind::FinLess, Kind::Parity] {
        for (effort, deterministic) in [(Effort::High, false), (Effort::Low, true)] {
            all.push(Options {
                kind,
                effort,
                deterministic,
            });
        }
    }
    all.push(Options {
        kind: Kind::Tgra,
        effort: Effort::High,
        deterministic: true,
    });
    for kind in [Kind::Tgba, Kind::Ba] {
        for effort in [Effort::Low, Effort::Medium, Effort::High] {
            for deterministic in [false, true] {
                // Only the highest effort has a choice.
                if effort == Effort::High || !deterministic {
                    all.push(Options {
                        kind,
                        effort,
                        deterministic,
                    });
                }
            }
        }
    }
    all
}

/// Larger automata are not compared exactly.
const LIMIT: usize = 200;

/// A translation context: caches filled by one formula are used for the next.
struct Place {
    arena: Formulas,
    alphabet: Alphabet,
    translators: Vec<(Options, Translator)>,
}

impl Place {
    fn new() -> Self {
        Self {
            arena: Formulas::new(),
            alphabet: Alphabet::new(),
            translators: all_options()
                .into_iter()
                .map(|o| (o, Translator::new()))
                .collect(),
        }
    }

    fn automata(&mut self, f: Formula) -> Vec<(Options, Automaton)> {
        let (arena, alphabet) = (&mut self.arena, &mut self.alphabet);
        self.translators
            .iter_mut()
            .map(|(o, t)| (*o, t.translate(arena, alphabet, f, *o)))
            .collect()
    }

    fn text(&self, f: Formula) -> String {
        print(&self.arena, f, Syntax::Spot).to_string()
    }

    /// Compares all automata of `f` with its tableau. Returns whether the tableau was small enough.
    fn compare_exactly(&mut self, f: Formula) -> bool {
        let (Some(yes), Some(no)) = (
            tableau(&self.arena, &mut self.alphabet, f, true),
            tableau(&self.arena, &mut self.alphabet, f, false),
        ) else {
            return false;
        };
        let mut compared = true;
        for (o, a) in &self.automata(f) {
            let bdds = &mut self.alphabet.bdds;
            if let Some(w) = intersecting_word(bdds, a, &no) {
                panic!("{o:?} accepts too much: {}, {w:?}", self.text(f));
            }
            match complement(bdds, a, LIMIT) {
                Ok(outside) => {
                    if let Some(w) = intersecting_word(bdds, &outside, &yes) {
                        panic!("{o:?} accepts too little: {}, {w:?}", self.text(f));
                    }
                }
                Err(_) => compared = false,
            }
        }
        compared
    }
}

/// Every automaton of small formulas, against the tableau. The caches of a translator are used across formulas, so
/// formulas come in groups.
#[test]
fn small_formulas_have_exactly_their_language() {
    let mut r = Random::new(1);
    let mut compared = 0;
    for round in 0..15 {
        let mut place = Place::new();
        for _ in 0..100 {
            let most = if round % 2 == 0 { 8 } else { 12 };
            let f = shape(1 + round % 3, 3..=most).draw(&mut place.arena, &mut r);
            compared += usize::from(place.compare_exactly(f));
        }
    }
    assert!(compared > 1400, "{compared}");
}

/// Larger formulas, on random words and on words that the automata themselves propose.
#[test]
fn larger_formulas_agree_with_the_semantics() {
    let mut r = Random::new(2);
    let mut counts = [0; 2];
    for round in 0..10 {
        let propositions = 1 + round % 3;
        let mut place = Place::new();
        for _ in 0..20 {
            let f = shape(propositions, 10..=18).draw(&mut place.arena, &mut r);
            let not_f = place.arena.not(f);
            let (yes, no) = (place.automata(f), place.automata(not_f));
            let mut words: Vec<BothWays> = (0..10)
                .map(|_| words::random(&mut r, &mut place.arena, &mut place.alphabet, propositions))
                .collect();
            for ((o, a), (_, b)) in yes.iter().zip(&no) {
                // A word in both languages would be a witness against one of them.
                let bdds = &mut place.alphabet.bdds;
                if let Some(w) = intersecting_word(bdds, a, b) {
                    panic!("{o:?}: {} and its negation accept {w:?}", place.text(f));
                }
                for x in [a, b] {
                    if let Some(w) = accepting_word(&place.alphabet.bdds, x) {
                        words.push(BothWays::of(&mut place.arena, &place.alphabet, w));
                    }
                }
                match o.kind {
                    Kind::Tgba => assert!(a.acceptance.as_generalized_buchi().is_some()),
                    Kind::Ba => assert!(a.has_state_acceptance() && a.sets <= 1),
                    Kind::FinLess => assert!(!a.acceptance.uses_fin()),
                    Kind::Tgra | Kind::Tela => {
                        let deterministic = a.is_deterministic(&mut place.alphabet.bdds);
                        assert!(deterministic || !o.deterministic, "{}", place.text(f));
                    }
                    Kind::Parity => {
                        assert!(a.is_deterministic(&mut place.alphabet.bdds));
                        assert_eq!(a.acceptance, parity_min_even(a.sets));
                    }
                }
            }
            for w in &words {
                let truth = w.satisfies(&place.arena, f);
                counts[usize::from(truth)] += 1;
                for ((o, a), (_, b)) in yes.iter().zip(&no) {
                    let verdict = (
                        w.is_accepted(&place.alphabet, a),
                        w.is_accepted(&place.alphabet, b),
                    );
                    assert_eq!(verdict, (truth, !truth), "{o:?}: {} {w:?}", place.text(f));
                }
            }
        }
    }
    assert!(counts.iter().all(|&n| n > 1000), "{counts:?}");
}

fn check(texts: &[&str]) {
    for text in texts {
        let mut place = Place::new();
        let f = parse(&mut place.arena, text, &ParseOptions::default())
            .expect(text)
            .formula;
        assert!(place.compare_exactly(f), "not compared: {text}");
        // The negation is a formula of its own.
        let not_f = place.arena.not(f);
        assert!(place.compare_exactly(not_f), "not compared: !({text})");
    }
}

/// `G(p & X F q)` implies `F q`. After one step the state requires both, and dropping `F q` because it is implied
/// loses the promise to satisfy it: `G(p & X F q)` itself only ever requires `F q` at the next position, so that
/// every word with `p` for ever was accepted.
#[test]
fn an_implied_eventuality_still_makes_its_promise() {
    check(&[
        "G(p0 & X F p1)",
        "G(p0 & X(p2 U p1))",
        "G X F p1",
        "G(p0 -> X F p1) & G p0",
        "F p1 & G(p0 & X F p1)",
        "(p0 & X F p1) W (p2 & X p1)",
    ]);
}

/// One promise serves nested eventualities only if satisfying it satisfies all of them at once: `a` alone does not
/// make `a M b` true.
#[test]
fn promises_are_shared_with_care() {
    check(&[
        "G F(F a M b)",
        "G F(a M b) & G F(a M c)",
        "G(c -> F(a M b)) & G(!c -> F(a M c))",
        "F G F(F a M b)",
        "G F(a U b) & G F(c U b)",
        "G F(c U (a U b)) & G F b",
        "(a U (b U c)) & (b U (a U c))",
        "G((a U c) & (b U c))",
        "G F(b U (a M c))",
    ]);
}
/// Basic cases: constants, one proposition, one operator.
#[test]
fn every_operator_alone() {
    check(&[
        "0",
        "1",
        "a",
        "!a",
        "X a",
        "F a",
        "G a",
        "a & b",
        "a | b",
        "a -> b",
        "a <-> b",
        "a xor b",
        "a U b",
        "a R b",
        "a W b",
        "a M b",
        "G F a",
        "F G a",
        "X X X a",
        "F(a & X b)",
        "G(a | X b)",
        "G(a -> F b)",
        "G(a -> (b U c))",
        "G F a & G F b",
        "G F a -> G F b",
        "F G a | G F b",
    ]);
}
