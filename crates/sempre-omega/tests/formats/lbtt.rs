use crate::{Shape, mutate, random_automaton};
use sempre_base::Random;
use sempre_omega::lbtt::{NotGeneralizedBuchi, read_lbtt, write_lbtt};
use sempre_omega::{Acceptance, Alphabet, Mark};

fn random_text(r: &mut Random, alphabet: &mut Alphabet) -> (sempre_omega::Automaton, String) {
    let shape = Shape {
        sets: r.below(4) as u32,
        state_acceptance: r.chance(0.5),
        one_initial: r.chance(0.5),
    };
    let mut a = random_automaton(r, alphabet, shape);
    a.acceptance = Acceptance::generalized_buchi(shape.sets);
    let text = write_lbtt(alphabet, &a).expect("generalised Büchi");
    (a, text)
}

#[test]
fn random_automata_survive_writing_and_reading() {
    let mut r = Random::new(31);
    for _ in 0..2000 {
        let alphabet = &mut Alphabet::new();
        let (a, text) = random_text(&mut r, alphabet);
        let (automata, diagnostics) = read_lbtt(alphabet, &text);
        assert_eq!(diagnostics, [], "{text}");
        let [b] = &automata[..] else {
            panic!("one automaton: {text}")
        };
        assert_eq!(
            (&a.edges, &a.initial, a.sets),
            (&b.edges, &b.initial, b.sets),
            "{text}"
        );
        assert_eq!(a.acceptance, b.acceptance);
        // A text of two.
        let (automata, _) = read_lbtt(alphabet, &format!("{text}\n{text}"));
        assert_eq!(automata.len(), 2);
    }
}

#[test]
fn both_places_of_acceptance_and_numbers_that_are_names() {
    let alphabet = &mut Alphabet::new();
    let on_edges = "2 1t\n0 1\n1 -1 p1\n0 -1 & p0 ! p1\n-1\n1 0\n1 0 -1 t\n-1\n";
    let on_states = "2 1 7 1 -1 9 p1 7 & p0 !p1 -1 9 0 42 -1 9 t -1";
    let mut seen = Vec::new();
    for text in [on_edges, on_states] {
        let (mut automata, diagnostics) = read_lbtt(alphabet, text);
        assert_eq!(diagnostics, []);
        let a = automata.remove(0);
        assert_eq!(a.initial, [0]);
        assert_eq!(a.edges[1][0].mark, Mark::single(0));
        seen.push(a.edges);
    }
    assert_eq!(seen[0], seen[1]);
    // All operators.
    let (automata, diagnostics) = read_lbtt(
        alphabet,
        "1 0t 0 1 0 -1 i p0 p1 0 -1 | !p0 p1 0 -1 e p0 p1 0 -1 ! ^ p0 p1 0 -1 | & p0 p1 & ! p0 ! p1 -1",
    );
    assert_eq!(diagnostics, []);
    let labels: Vec<_> = automata[0].edges[0].iter().map(|e| e.label).collect();
    assert_eq!(labels[0], labels[1]);
    assert!(labels[2] == labels[3] && labels[3] == labels[4] && labels[0] != labels[2]);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let mut a = sempre_omega::Automaton::universal(vec![]);
    a.sets = 1;
    a.acceptance = Acceptance::Fin(0);
    assert_eq!(
        write_lbtt(&mut Alphabet::new(), &a),
        Err(NotGeneralizedBuchi)
    );
}

#[test]
fn mistakes_have_their_places() {
    let check = |text: &str, expected: &str| {
        let (_, diagnostics) = read_lbtt(&mut Alphabet::new(), text);
        let d = &diagnostics[0];
        assert_eq!(
            format!("{:?}: {}", &text[d.span.start..d.span.end], d.message),
            expected
        );
    };
    check("x", "\"x\": expected the number of states, found `x`");
    check(
        "2 1q",
        "\"1q\": expected the number of acceptance sets (and `s` or `t`), found `1q`",
    );
    check(
        "4000000000 0t",
        "\"\": expected the number of a state, found the end of the text",
    );
    check("1 4000000000t", "\"4000000000t\": too many acceptance sets");
    let (automata, diagnostics) = read_lbtt(&mut Alphabet::new(), &"0 40000t ".repeat(1000));
    assert_eq!((automata.len(), diagnostics.len()), (1, 1));
    check(
        "99999999999 0",
        "\"99999999999\": the number of states is too large",
    );
    check("1 0t 0 1 5 -1 t -1", "\"5\": there is no state 5");
    check("2 0t 0 1 -1 0 0 -1", "\"0\": state 0 is described twice");
    check(
        "1 1t 0 1 0 0 1 -1 t -1",
        "\"1\": there are more acceptance sets than the 1 declared",
    );
    check(
        "1 0t 0 1 0 -1 & p0 -1",
        "\"-1\": expected a guard (`t`, `f`, a proposition, `!`, `&`, `|`, `^`, `i` or `e`), found `-1`",
    );
    check(
        "1 0t 0 2 -1",
        "\"2\": expected `1` for an initial state or `0` for another, found `2`",
    );
}

#[test]
fn damaged_texts_never_panic() {
    let tokens = [
        "-1",
        " 0 ",
        " 1 ",
        " t ",
        " & ",
        "!",
        "\"",
        "\\",
        "é",
        " 4000000000 ",
        " 99999999999999 ",
        "p0",
    ];
    let mut r = Random::new(6);
    for _ in 0..3000 {
        let alphabet = &mut Alphabet::new();
        let (_, text) = random_text(&mut r, alphabet);
        let text = mutate(&mut r, &text, &tokens);
        let (automata, diagnostics) = read_lbtt(alphabet, &text);
        assert!(
            diagnostics
                .iter()
                .all(|d| text.get(d.span.start..d.span.end).is_some())
        );
        for a in automata {
            assert!(
                a.edges
                    .iter()
                    .flatten()
                    .all(|e| (e.to as usize) < a.states())
            );
        }
    }
    let (_, diagnostics) = read_lbtt(
        &mut Alphabet::new(),
        &format!("1 0t 0 1 0 -1 {}", "! ".repeat(1_000_000)),
    );
    assert_eq!(diagnostics.len(), 1);
}
