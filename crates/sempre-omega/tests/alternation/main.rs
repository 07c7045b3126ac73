//! Removal of alternation against games on lasso words, and alternating automata through the Hanoi format.

mod game;

use game::accepts;
use sempre_base::Random;
use sempre_omega::alternating::{AlternatingAutomaton, UniversalEdge};
use sempre_omega::miyano_hayashi::{AlternationError, remove_alternation};
use sempre_omega::random::random_acceptance;
use sempre_omega::word::random_word;
use sempre_omega::{Acceptance, Alphabet, Bdd, Bdds, Mark, membership, read_hoa};
use std::fmt::Write;

/// The shapes of automata that are drawn.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// Edges go down or stay.
    VeryWeak,
    /// The marks of an edge are those of its component.
    Weak,
    /// Anything.
    Any,
}

fn random_alternating(
    r: &mut Random,
    bdds: &mut Bdds,
    shape: Shape,
    sets: u32,
    acceptance: Acceptance,
) -> AlternatingAutomaton {
    let n = 1 + r.below(4);
    // In the order of the states: components are intervals.
    let mut component = vec![0; n];
    for q in 1..n {
        component[q] = component[q - 1] + usize::from(r.chance(0.5) || shape == Shape::VeryWeak);
    }
    let random_mark = |r: &mut Random| -> Mark { (0..sets).filter(|_| r.chance(0.4)).collect() };
    let marks: Vec<Mark> = (0..n).map(|_| random_mark(r)).collect();
    let edges = (0..n)
        .map(|q| {
            let count = 1 + r.below(3);
            let mut edge = |r: &mut Random| {
                let to = loop {
                    let mut to: Vec<u32> = (0..1 + r.below(3)).map(|_| r.below(n) as u32).collect();
                    to.sort_unstable();
                    to.dedup();
                    let down = |d: &u32| component[*d as usize] >= component[q];
                    if to.iter().all(down) {
                        break to;
                    }
                };
                let mut label = Bdd::TRUE;
                for p in 0..2 {
                    if r.chance(0.45) {
                        let literal = bdds.literal((p, r.chance(0.5)));
                        label = bdds.and(label, literal);
                    }
                }
                UniversalEdge {
                    to,
                    label,
                    mark: match shape {
                        Shape::Any => random_mark(r),
                        _ => marks[component[q]].clone(),
                    },
                }
            };
            std::iter::repeat_with(|| edge(r)).take(count).collect()
        })
        .collect();
    let initial = (0..1 + r.below(2))
        .map(|_| (0..1 + r.below(2)).map(|_| r.below(n) as u32).collect())
        .collect();
    AlternatingAutomaton {
        propositions: vec![0, 1],
        initial,
        edges,
        sets,
        acceptance,
    }
}

/// The automaton in the Hanoi format.
fn hoa(bdds: &mut Bdds, a: &AlternatingAutomaton) -> String {
    let all = |states: &[u32]| {
        let names: Vec<String> = states.iter().map(u32::to_string).collect();
        names.join("&")
    };
    let mut out = format!("HOA: v1\nStates: {}\nAP: 2 \"a\" \"b\"\n", a.edges.len());
    for conjunction in &a.initial {
        let _ = writeln!(out, "Start: {}", all(conjunction));
    }
    let _ = writeln!(out, "Acceptance: {} {}\n--BODY--", a.sets, a.acceptance);
    for (q, edges) in a.edges.iter().enumerate() {
        let _ = writeln!(out, "State: {q}");
        for e in edges {
            let mut cubes = Vec::new();
            bdds.sum_of_products(e.label, |cube| {
                let sign = |yes: bool| if yes { "" } else { "!" };
                let literals: Vec<String> = (cube.iter())
                    .map(|&(v, yes)| format!("{}{v}", sign(yes)))
                    .collect();
                cubes.push(if literals.is_empty() {
                    "t".into()
                } else {
                    literals.join("&")
                });
            });
            let marks: Vec<String> = e.mark.iter().map(|m| m.to_string()).collect();
            let _ = writeln!(
                out,
                "[{}] {} {{{}}}",
                cubes.join("|"),
                all(&e.to),
                marks.join(" ")
            );
        }
    }
    out + "--END--\n"
}

/// Compares languages on random words, directly and through the format; the number of words accepted, `None` for an
/// automaton that becomes too large for a test.
#[track_caller]
fn compare(
    r: &mut Random,
    alphabet: &mut Alphabet,
    a: &AlternatingAutomaton,
    words: usize,
) -> Option<usize> {
    let text = hoa(&mut alphabet.bdds, a);
    let removed = match remove_alternation(&mut alphabet.bdds, a, 500) {
        Ok(removed) => removed,
        Err(AlternationError::TooLarge) => return None,
        Err(e) => panic!("{e:?}: {text}"),
    };
    let (items, diagnostics) = read_hoa(alphabet, &text);
    let conjunctions = a
        .initial
        .iter()
        .chain(a.edges.iter().flatten().map(|e| &e.to));
    let alternates = conjunctions.clone().any(|to| to.len() > 1);
    assert!(
        diagnostics.is_empty() && items.len() == 1,
        "{diagnostics:?} {text}"
    );
    assert_eq!(items[0].alternating, alternates, "{text}");
    let mut accepted = 0;
    for _ in 0..words {
        let word = random_word(r, &[0, 1], 3, 3);
        let expected = accepts(&alphabet.bdds, a, &word);
        for b in [&removed, &items[0].automaton] {
            let found = membership::accepts(&alphabet.bdds, b, &word);
            assert_eq!(found, expected, "{word:?} {text}");
        }
        accepted += usize::from(expected);
    }
    Some(accepted)
}

fn alphabet() -> Alphabet {
    let mut alphabet = Alphabet::new();
    alphabet.declare("a");
    alphabet.declare("b");
    alphabet
}

fn many(
    seed: u64,
    rounds: usize,
    shape: Shape,
    condition: impl Fn(&mut Random) -> (u32, Acceptance),
) {
    let mut r = Random::new(seed);
    let mut alphabet = alphabet();
    let (mut accepted, mut compared) = (0, 0);
    for round in 0..rounds {
        if round % 1000 == 999 {
            alphabet = self::alphabet();
        }
        let (sets, condition) = condition(&mut r);
        let a = random_alternating(&mut r, &mut alphabet.bdds, shape, sets, condition);
        if let Some(yes) = compare(&mut r, &mut alphabet, &a, 4) {
            accepted += yes;
            compared += 1;
        }
    }
    assert!(
        compared * 5 > rounds * 4,
        "only {compared} automata compared"
    );
    let share = accepted as f64 / (4 * compared) as f64;
    assert!(
        (0.05..0.95).contains(&share),
        "{share} of the words are accepted"
    );
}

#[test]
fn buchi() {
    many(1, 6000, Shape::Any, |_| (1, Acceptance::buchi()));
}

#[test]
fn co_buchi() {
    many(2, 3000, Shape::Any, |_| (1, Acceptance::co_buchi()));
}

#[test]
fn generalized_buchi() {
    many(3, 3000, Shape::Any, |r| {
        let sets = 2 + r.below(2) as u32;
        (sets, Acceptance::generalized_buchi(sets))
    });
}

#[test]
fn generalized_co_buchi() {
    many(4, 1000, Shape::Any, |_| {
        (2, Acceptance::generalized_buchi(2).complement())
    });
}

#[test]
fn weak_with_any_condition() {
    many(5, 5000, Shape::Weak, |r| (3, random_acceptance(r, 3)));
}

#[test]
fn very_weak_with_any_condition() {
    many(6, 5000, Shape::VeryWeak, |r| (3, random_acceptance(r, 3)));
}

/// Two conditions in one component are refused, with the component.
#[test]
fn mixed_acceptance_is_refused() {
    let text = "HOA: v1 States: 2 Start: 1 AP: 0 Acceptance: 2 Inf(0) & Fin(1) --BODY--
        State: 0 [t] 0&1 [t] 0 {0} [t] 0 {1} State: 1 [t] 0 --END--";
    let (items, diagnostics) = read_hoa(&mut alphabet(), text);
    assert!(items.is_empty());
    let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "an alternating automaton whose component of state 0 has the acceptance `Inf(0) & Fin(1)`"
        ]
    );
}

/// A conjunction of many states that each count on their own has too many subsets.
#[test]
fn what_becomes_too_large_is_refused() {
    let n = 40;
    let mut text = format!("HOA: v1 States: {} AP: {n}", 2 * n);
    for p in 0..n {
        let _ = write!(text, " \"p{p}\"");
    }
    let start: Vec<String> = (0..n).map(|p| (2 * p).to_string()).collect();
    let _ = write!(
        text,
        " Start: {} Acceptance: 1 Inf(0) --BODY--",
        start.join("&")
    );
    for p in 0..n {
        let (q, r) = (2 * p, 2 * p + 1);
        let _ = write!(
            text,
            " State: {q} [!{p}] {q} [{p}] {r} {{0}} State: {r} [!{p}] {q} [{p}] {r}"
        );
    }
    let (items, diagnostics) = read_hoa(&mut Alphabet::new(), &(text + " --END--"));
    assert!(items.is_empty());
    assert_eq!(diagnostics.len(), 1);
    assert!(
        diagnostics[0].message.contains("too large"),
        "{diagnostics:?}"
    );
}

/// `G(a & X F b)` as Gastin and Oddoux write it: the states `G`, `F b` and `true`, which is in no set of states.
#[test]
fn a_very_weak_automaton_has_a_set_for_each_promise() {
    let text = "HOA: v1 States: 3 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Fin(0)
        properties: univ-branch very-weak --BODY--
        State: 0 [0] 0&1 State: 1 {0} [!1] 1 [1] 2 State: 2 [t] 2 --END--";
    let (items, diagnostics) = read_hoa(&mut alphabet(), text);
    assert_eq!(diagnostics, []);
    let a = &items[0].automaton;
    assert_eq!((a.states(), a.edge_count(), a.sets), (2, 3, 1));
}
