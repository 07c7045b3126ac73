//! Minimal weak automata of syntactic obligations.

use crate::tableau::{shape, tableau};
use sempre_base::Random;
use sempre_ltl::{Formulas, Syntax, nnf, print};
use sempre_omega::accepting_run::intersecting_word;
use sempre_omega::complement::complement;
use sempre_omega::emptiness::is_empty;
use sempre_omega::inclusion::equivalent;
use sempre_omega::{Alphabet, Automaton, wdba};
use sempre_translate::translator::{Effort, Options, Translator};

/// The number of different languages, the empty one aside, of the states of a deterministic automaton.
fn residuals(a: &Automaton, alphabet: &mut Alphabet) -> usize {
    let mut different: Vec<Automaton> = Vec::new();
    for s in 0..a.states() as u32 {
        let b = Automaton {
            initial: vec![s],
            ..a.clone()
        };
        let known = is_empty(&b)
            || different
                .iter()
                .any(|d| equivalent(&mut alphabet.bdds, d, &b, 100).expect("deterministic"));
        if !known {
            different.push(b);
        }
    }
    different.len()
}

/// From any automaton of the formula, the minimal one has the same size, has no two states with the same language,
/// and accepts exactly the models of the formula.
#[test]
fn obligations_have_one_minimal_automaton() {
    let mut r = Random::new(1);
    let mut checked = 0;
    let mut arena = Formulas::new();
    let mut alphabet = Alphabet::new();
    let mut translator = Translator::new();
    for _ in 0..2000 {
        let f = shape(2, 3..=10).draw(&mut arena, &mut r);
        let f = nnf(&mut arena, f);
        if !arena.facts(f).obligation() || arena.facts(f).boolean() {
            continue;
        }
        let (Some(yes), Some(no)) = (
            tableau(&arena, &mut alphabet, f, true),
            tableau(&arena, &mut alphabet, f, false),
        ) else {
            continue;
        };
        let text = print(&arena, f, Syntax::Spot).to_string();
        let mut sizes = Vec::new();
        for effort in [Effort::Low, Effort::Medium] {
            let options = Options {
                effort,
                ..Options::default()
            };
            let a = translator.translate(&mut arena, &mut alphabet, f, options);
            let m = wdba::minimize(&a, &mut alphabet.bdds, 4096).expect("few subsets");
            assert!(m.is_deterministic(&mut alphabet.bdds), "{text}");
            assert!(
                intersecting_word(&mut alphabet.bdds, &m, &no).is_none(),
                "{text}"
            );
            let outside = complement(&mut alphabet.bdds, &m, 4096).expect("deterministic");
            assert!(
                intersecting_word(&mut alphabet.bdds, &outside, &yes).is_none(),
                "{text}"
            );
            assert_eq!(m.states(), residuals(&m, &mut alphabet).max(1), "{text}");
            sizes.push(m.states());
        }
        assert_eq!(sizes[0], sizes[1], "{text}");
        checked += 1;
    }
    assert!(checked > 500, "{checked}");
}
