use crate::{Shape, mutate, random_automaton};
use sempre_base::Random;
use sempre_omega::never_claim::{NeverClaimError, read_never_claims, write_never_claim};
use sempre_omega::{Acceptance, Alphabet, Automaton, Edge, HoaOptions, write_hoa};

/// Do the automata have the same reachable part, edge by edge, whatever the numbers?
fn assert_isomorphic(a: &Automaton, b: &Automaton, text: &str) {
    assert_eq!(b.initial.len(), 1, "{text}");
    let accepts = |a: &Automaton, e: &Edge| match a.acceptance {
        Acceptance::Inf(i) => e.mark.contains(i),
        _ => true,
    };
    let Some(&start) = a.initial.first() else {
        assert!(b.edges[b.initial[0] as usize].is_empty());
        return;
    };
    let mut image = vec![None; a.states()];
    image[start as usize] = Some(b.initial[0]);
    let mut stack = vec![(start, b.initial[0])];
    while let Some((s, t)) = stack.pop() {
        let (x, y) = (&a.edges[s as usize], &b.edges[t as usize]);
        assert_eq!(x.len(), y.len(), "{text}");
        for (e, f) in x.iter().zip(y) {
            assert_eq!(e.label, f.label, "{text}");
            assert_eq!(accepts(a, e), accepts(b, f), "{text}");
            match image[e.to as usize] {
                Some(known) => assert_eq!(known, f.to, "{text}"),
                None => {
                    image[e.to as usize] = Some(f.to);
                    stack.push((e.to, f.to));
                }
            }
        }
    }
}

fn buchi(r: &mut Random, alphabet: &mut Alphabet) -> Automaton {
    let shape = Shape {
        sets: 1,
        state_acceptance: true,
        one_initial: true,
    };
    let mut a = random_automaton(r, alphabet, shape);
    a.acceptance = Acceptance::buchi();
    a
}

#[test]
fn random_automata_survive_writing_and_reading() {
    let mut r = Random::new(21);
    for round in 0..2000 {
        let alphabet = &mut Alphabet::new();
        // Names that Promela can hold, first of all.
        for name in ["a", "b", "x[1] >= 2", "(len(q) + 1) == 3", "P@cs"] {
            alphabet.declare(name);
        }
        let mut a = buchi(&mut r, alphabet);
        // The generator's names are not valid in Promela: its labels are renamed.
        let renamed = |v: u32| v % 5;
        for e in a.edges.iter_mut().flatten() {
            e.label = alphabet.bdds.rename(e.label, &renamed);
        }
        a.edges
            .iter_mut()
            .for_each(|edges| edges.retain(|e| !e.label.is_false()));
        if round % 4 == 0 {
            (a.sets, a.acceptance) = (0, Acceptance::True);
        }
        a.name = (round % 2 == 0).then(|| "G (a */ b)".to_string());
        let text = write_never_claim(alphabet, &a).expect("a claim");
        let (claims, diagnostics) = read_never_claims(alphabet, &text);
        assert_eq!(diagnostics, [], "{text}");
        assert_eq!(claims.len(), 1);
        assert_isomorphic(&a, &claims[0], &text);
    }
}

#[test]
fn what_is_no_claim_is_refused() {
    let alphabet = &mut Alphabet::new();
    let mut a = Automaton::universal(vec![]);
    a.sets = 2;
    a.acceptance = Acceptance::generalized_buchi(2);
    assert_eq!(
        write_never_claim(alphabet, &a),
        Err(NeverClaimError::NotBuchi)
    );
    a.acceptance = Acceptance::Inf(1);
    assert!(write_never_claim(alphabet, &a).is_ok());
    let mut e = a.edges[0][0].clone();
    e.mark.insert(1);
    a.edges[0].push(e);
    assert_eq!(
        write_never_claim(alphabet, &a),
        Err(NeverClaimError::MarksOnEdges)
    );
    a.edges[0].pop();
    a.add_state();
    a.initial.push(1);
    assert_eq!(
        write_never_claim(alphabet, &a),
        Err(NeverClaimError::SeveralInitialStates)
    );
}

/// The claim as HOA, without its header.
fn body(text: &str) -> String {
    let alphabet = &mut Alphabet::new();
    let (claims, diagnostics) = read_never_claims(alphabet, text);
    assert_eq!(diagnostics, [], "{text}");
    let hoa = write_hoa(alphabet, &claims[0], &HoaOptions::default());
    let names: Vec<&str> = claims[0]
        .propositions
        .iter()
        .map(|&p| alphabet.name(p))
        .collect();
    let body = hoa.split("--BODY--").nth(1).expect("a body");
    let lines: Vec<&str> = body.trim().lines().filter(|l| *l != "--END--").collect();
    format!(
        "{} : {}",
        names.join(", "),
        lines.join(" ").replace("State: ", "s")
    )
}

#[test]
fn the_dialects_of_the_translators() {
    // SPIN 6: p U q, with an assertion that accepts every continuation.
    let spin6 = "never  {    /* p U q */\nT0_init:\n\tdo\n\t:: atomic { ((q)) -> assert(!((q))) }\n\
        \t:: ((p)) -> goto T0_init\n\tod;\naccept_all:\n\tskip\n}\n";
    assert_eq!(body(spin6), "q, p : s0 [0] 1 [1] 0 s1 {0} [t] 1");
    // SPIN 5 and ltl2ba: if and goto.
    let ltl2ba = "never { /* p U q */\nT0_init:\n\tif\n\t:: (p) -> goto T0_init\n\t:: (q) -> goto accept_all\n\
        \tfi;\naccept_all:\n\tskip\n}\n";
    assert_eq!(body(ltl2ba), "p, q : s0 [0] 0 [1] 1 s1 {0} [t] 1");
    // Several labels on a state, `false`, options that are never taken.
    assert_eq!(
        body("never { accept_init: T0_init: do :: (!p && q || 0) -> goto accept_init od; }"),
        "p, q : s0 {0} [!0&1] 0"
    );
    assert_eq!(body("never { T0_init: false; }"), " : s0");
    assert_eq!(body("never { T0_init: if :: false fi; }"), " : s0");
    assert_eq!(
        body("never { T0_init: if :: (false) -> goto T0_init fi }"),
        " : s0"
    );
    // Comparisons and other terms are propositions; parentheses around them are not.
    assert_eq!(
        body("never { s: do :: ((x == 1) && !(y[2] <  3) || (a+b) > c) -> goto s od }"),
        "x == 1, y[2] < 3, (a+b) > c : s0 [0&!1 | 2] 0"
    );
    // Promela's own meaning of options that go nowhere, `else`, `break`.
    assert_eq!(
        body("never { s: do :: p :: else -> break od; accept_t: if :: q fi }"),
        "p, q : s0 [0] 0 [!0] 1 s1 {0} [1] 2 s2 {0} [t] 2"
    );
    // A `skip` in the middle continues in the next state.
    assert_eq!(
        body("never { s: skip; accept_t: do :: (1) -> goto accept_t od }"),
        " : s0 [t] 1 s1 {0} [t] 1"
    );
}

#[test]
fn mistakes_have_their_places() {
    let check = |text: &str, expected: &[&str]| {
        let (claims, diagnostics) = read_never_claims(&mut Alphabet::new(), text);
        let found: Vec<String> = diagnostics
            .iter()
            .map(|d| format!("{:?}: {}", &text[d.span.start..d.span.end], d.message))
            .collect();
        assert_eq!(found, expected, "{text}");
        assert!(claims.is_empty());
    };
    check(
        "never { s: do :: (p) -> goto t od }",
        &["\"t\": there is no label `t`"],
    );
    check("never { s: skip s: skip }", &["\"s\": a second label `s`"]);
    check(
        "never { s: do :: p '\n -> goto s od }",
        &["\"'\": this quotation is never closed"],
    );
    check(
        "never { s: while }",
        &["\"while\": expected a label, `if`, `do`, `skip` or `false`, found `while`"],
    );
    check(
        "never { s: if :: (p -> goto s fi }",
        &["\"->\": expected `)` or an operator, found `->`"],
    );
    check(
        "never { s: if :: (p) -> x = 1 fi; t: if :: -> goto s fi }",
        &[
            "\"x\": expected `goto`, `assert`, `skip` or the next option, found `x`",
            "\"->\": expected a proposition, found `->`",
        ],
    );
    check("never { }", &["\"}\": the claim has no state"]);
    check(
        "never { s: skip",
        &["\"\": expected a label, `if`, `do`, `skip` or `false`, found the end of the text"],
    );
    check("noise", &["\"noise\": expected `never`, found `noise`"]);
    let deep = format!(
        "never {{ s: do :: {}p{} -> goto s od }}",
        "(".repeat(50_000),
        ")".repeat(50_000)
    );
    check(&deep, &["\"(\": the guard is nested too deeply"]);
}

#[test]
fn comments_are_no_part_of_propositions() {
    let text = "never { s: do :: (x  < // old\n (y /* new */ + 1)) -> goto s od }";
    let mut alphabet = Alphabet::new();
    let (claims, diagnostics) = read_never_claims(&mut alphabet, text);
    assert_eq!((claims.len(), diagnostics), (1, vec![]));
    assert_eq!(alphabet.names(), ["x < (y + 1)"]);
}

#[test]
fn a_claim_before_an_open_comment_is_read() {
    let text = "never { s: skip } /* and so on";
    let (claims, diagnostics) = read_never_claims(&mut Alphabet::new(), text);
    assert_eq!((claims.len(), diagnostics.len()), (1, 1));
}

#[test]
fn damaged_claims_never_panic() {
    let tokens = [
        "never", "{", "}", "::", "->", "goto", "(", ")", "!", "&&", "||", "if", "fi", "do", "od",
        ";", ":", "accept_x", "skip", "false", "assert", "atomic", "/*", "*/", "\"", "é", "else",
        "break", "==", "#",
    ];
    let mut r = Random::new(5);
    for _ in 0..3000 {
        let alphabet = &mut Alphabet::new();
        let text = if r.chance(0.5) {
            let a = buchi(&mut r, alphabet);
            let text = write_never_claim(alphabet, &a).expect("a claim");
            mutate(&mut r, &text, &tokens)
        } else {
            let words: Vec<&str> = (0..r.below(40)).map(|_| *r.pick(&tokens)).collect();
            format!("never {{ s: {}", words.join(" "))
        };
        let (claims, diagnostics) = read_never_claims(alphabet, &text);
        assert!(
            diagnostics
                .iter()
                .all(|d| text.get(d.span.start..d.span.end).is_some())
        );
        for a in claims {
            assert!(
                a.edges
                    .iter()
                    .flatten()
                    .all(|e| (e.to as usize) < a.states())
            );
        }
    }
}

#[test]
fn long_texts_have_few_complaints() {
    let claims = "#define p (x > 1)\nnever { s: skip }\n".repeat(1000);
    let (found, diagnostics) = read_never_claims(&mut Alphabet::new(), &claims);
    assert_eq!((found.len(), diagnostics.len()), (1000, 1));
    let (found, diagnostics) =
        read_never_claims(&mut Alphabet::new(), &"never { x } ".repeat(1000));
    assert_eq!((found.len(), diagnostics.len()), (0, 51));
}
