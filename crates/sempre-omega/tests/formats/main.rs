//! The formats from outside: automata that are written are read back edge by edge, malformed texts yield diagnostics
//! and never a panic, and the files of the experiments are read.

mod hoa;
mod lbtt;
mod never_claim;

use sempre_base::Random;
use sempre_omega::{Acceptance, Alphabet, Automaton, Bdd, Mark};

/// A random condition over `sets` sets.
fn random_condition(r: &mut Random, sets: u32, depth: usize) -> Acceptance {
    if sets == 0 {
        return if r.chance(0.9) {
            Acceptance::True
        } else {
            Acceptance::False
        };
    }
    match r.below(if depth == 0 { 2 } else { 6 }) {
        0 => Acceptance::Inf(r.below(sets as usize) as u32),
        1 => Acceptance::Fin(r.below(sets as usize) as u32),
        k => {
            let parts: Vec<_> = (0..1 + r.below(3))
                .map(|_| random_condition(r, sets, depth - 1))
                .collect();
            if k < 4 {
                Acceptance::and(parts)
            } else {
                Acceptance::or(parts)
            }
        }
    }
}

fn random_label(r: &mut Random, alphabet: &mut Alphabet, vars: &[u32], depth: usize) -> Bdd {
    if vars.is_empty() || r.chance(0.1) {
        return Bdd::TRUE;
    }
    if depth == 0 || r.chance(0.3) {
        let literal = (*r.pick(vars), r.chance(0.5));
        return alphabet.bdds.literal(literal);
    }
    let f = random_label(r, alphabet, vars, depth - 1);
    let g = random_label(r, alphabet, vars, depth - 1);
    if r.chance(0.5) {
        alphabet.bdds.and(f, g)
    } else {
        alphabet.bdds.or(f, g)
    }
}

/// The parameters of [`random_automaton`].
#[derive(Clone, Copy)]
struct Shape {
    sets: u32,
    state_acceptance: bool,
    one_initial: bool,
}

/// A random automaton without empty labels; names are as nasty as HOA strings may be.
fn random_automaton(r: &mut Random, alphabet: &mut Alphabet, shape: Shape) -> Automaton {
    let names = ["a", "b", "p 0 \"x\" \\ y", "P_1!='p9'", "ä"];
    let vars: Vec<u32> = (0..r.below(5))
        .map(|i| alphabet.declare(names[(i + 2) % 5]))
        .collect();
    let acceptance = random_condition(r, shape.sets, 2);
    let mut a = Automaton::new(vars.clone(), shape.sets, acceptance);
    let n = r.below(7) + usize::from(shape.one_initial);
    for _ in 0..n {
        a.add_state();
    }
    if shape.one_initial {
        a.initial = vec![r.below(n) as u32];
    } else {
        a.initial = (0..n as u32).filter(|_| r.chance(0.4)).collect();
    }
    for s in 0..n as u32 {
        let random_mark =
            |r: &mut Random| -> Mark { (0..shape.sets).filter(|_| r.chance(0.3)).collect() };
        let own = random_mark(r);
        for _ in 0..r.below(4) {
            let label = random_label(r, alphabet, &vars, 3);
            let mark = if shape.state_acceptance {
                own.clone()
            } else {
                random_mark(r)
            };
            a.add_edge(s, r.below(n) as u32, label, mark);
        }
    }
    a
}

/// Same states, edges in the same order, marks, propositions, acceptance, names.
fn assert_same(a: &Automaton, b: &Automaton, text: &str) {
    assert_eq!(a.edges, b.edges, "{text}");
    assert_eq!(a.initial, b.initial, "{text}");
    assert_eq!(a.propositions, b.propositions, "{text}");
    assert_eq!((a.sets, &a.acceptance), (b.sets, &b.acceptance), "{text}");
    assert_eq!(a.name, b.name, "{text}");
    assert_eq!(a.state_names, b.state_names, "{text}");
    assert_eq!(a.extra_headers, b.extra_headers, "{text}");
}

/// The text with a few random changes: bytes cut, doubled, exchanged, tokens of the format put in.
fn mutate(r: &mut Random, text: &str, tokens: &[&str]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + r.below(3) {
        let at = r.below(chars.len() + 1);
        match r.below(4) {
            0 => chars.truncate(at),
            1 => {
                let end = (at + r.below(8)).min(chars.len());
                chars.drain(at..end);
            }
            2 => {
                let token = *r.pick(tokens);
                chars.splice(at..at, token.chars());
            }
            _ => {
                let end = (at + r.below(20)).min(chars.len());
                let piece = chars[at..end].to_vec();
                let to = r.below(chars.len() + 1);
                chars.splice(to..to, piece);
            }
        }
    }
    chars.into_iter().collect()
}
