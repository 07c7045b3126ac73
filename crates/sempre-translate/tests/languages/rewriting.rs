//! Rewriting and syntactic implication, against the tableau, which is exact where words only sample.

use crate::tableau::{equivalent, satisfiable, shape};
use sempre_base::Random;
use sempre_ltl::simplify::Oracle;
use sempre_ltl::{Formula, Formulas, Implication, Op, ParseOptions, Simplifier, Syntax};
use sempre_ltl::{nnf, parse, print};
use sempre_translate::containment::Containment;

fn show(a: &Formulas, f: Formula) -> String {
    print(a, f, Syntax::Spot).to_string()
}

fn simplifiers() -> [Simplifier; 2] {
    let mut with_oracle = Simplifier::new();
    with_oracle.oracle = Some(Box::new(Containment::default()));
    [Simplifier::new(), with_oracle]
}

#[test]
fn rewriting_is_an_equivalence() {
    let mut r = Random::new(1);
    let (mut compared, mut helped) = (0, 0);
    for round in 0..12 {
        let mut a = Formulas::new();
        let mut both = simplifiers();
        for _ in 0..80 {
            let f = shape(1 + round % 3, 3..=12).draw(&mut a, &mut r);
            let f = nnf(&mut a, f);
            let mut sizes = Vec::new();
            for s in &mut both {
                let g = s.simplify(&mut a, f);
                assert!(a.facts(g).nnf(), "{}", show(&a, g));
                assert!(a.size(g) <= a.size(f), "{}: {}", show(&a, f), show(&a, g));
                assert_eq!(s.simplify(&mut a, g), g, "{}: {}", show(&a, f), show(&a, g));
                let scattered = s.scatter(&mut a, g);
                let shapes = [
                    g,
                    scattered,
                    s.gather(&mut a, f),
                    s.gather(&mut a, g),
                    s.gather(&mut a, scattered),
                ];
                for h in shapes {
                    if let Some(same) = equivalent(&mut a, f, h) {
                        assert!(same, "{}: {}", show(&a, f), show(&a, h));
                        compared += 1;
                    }
                }
                sizes.push(a.size(g));
            }
            helped += usize::from(sizes[1] < sizes[0]);
        }
    }
    assert!(compared > 7000 && helped > 5, "{compared} {helped}");
}

/// Implications that only a comparison of languages shows.
#[test]
fn the_oracle_proves_more() {
    let cases = [
        ("(G a | F b) & (F !a | F b)", "F b"),
        ("a & G(a -> X a)", "G a"),
        ("!a | F(a & X !a)", "F !a"),
    ];
    for (text, expected) in cases {
        let mut a = Formulas::new();
        let mut read = |text: &str| {
            let f = parse(&mut a, text, &ParseOptions::default())
                .expect(text)
                .formula;
            nnf(&mut a, f)
        };
        let (f, expected) = (read(text), read(expected));
        let [mut plain, mut helped] = simplifiers();
        let (g, h) = (plain.simplify(&mut a, f), helped.simplify(&mut a, f));
        assert_eq!(show(&a, h), show(&a, expected), "{text}");
        assert!(g != h, "{text}: {}", show(&a, g));
    }
}

/// The oracle's answer is exact for formulas as small as these.
#[test]
fn containment_is_exact_on_small_formulas() {
    let mut r = Random::new(2);
    let mut counts = [0; 2];
    for _ in 0..8 {
        let mut a = Formulas::new();
        let mut oracle = Containment::default();
        for _ in 0..60 {
            let shape = shape(2, 1..=6);
            let mut draw = || {
                let f = shape.draw(&mut a, &mut r);
                nnf(&mut a, f)
            };
            let (f, g) = (draw(), draw());
            let both = a.node(Op::And, &[f, g]);
            let disjoint = !satisfiable(&a, both).expect("small");
            assert_eq!(
                oracle.disjoint(&mut a, f, g),
                disjoint,
                "{}",
                show(&a, both)
            );
            counts[usize::from(disjoint)] += 1;
        }
    }
    assert!(counts.iter().all(|&n| n > 50), "{counts:?}");
}

#[test]
fn proved_implications_hold() {
    let mut r = Random::new(3);
    let mut a = Formulas::new();
    let mut memory = Implication::new();
    let (mut proved, mut missed) = (0, 0);
    for round in 0..5000 {
        let shape = shape(1 + round % 2, 1..=6);
        let mut draw = || {
            let f = shape.draw(&mut a, &mut r);
            nnf(&mut a, f)
        };
        let (f, g) = (draw(), draw());
        if f.is_constant() || g.is_constant() || f == g {
            continue;
        }
        let claimed = memory.implies(&a, f, g);
        let not_g = memory.negation(&mut a, g);
        let counterexample = a.node(Op::And, &[f, not_g]);
        let Some(refuted) = satisfiable(&a, counterexample) else {
            continue;
        };
        assert!(!(claimed && refuted), "{} -> {}", show(&a, f), show(&a, g));
        proved += usize::from(claimed);
        missed += usize::from(!claimed && !refuted);
    }
    // The rules are not complete, but prove most implications.
    assert!(proved > 100 && missed < proved / 2, "{proved} {missed}");
}
