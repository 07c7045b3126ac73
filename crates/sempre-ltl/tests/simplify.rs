//! Rewriting preserves the semantics, and simplifies as intended.

use sempre_base::{Lasso, Random};
use sempre_ltl::{
    Formula, Formulas, Letter, Op, ParseOptions, RandomFormula, Simplifier, Syntax, holds, nnf,
    parse, print,
};

fn arena() -> Formulas {
    let mut a = Formulas::new();
    // Propositions get the numbers used in the words.
    for p in ["p0", "p1", "p2", "p3"] {
        a.proposition(p);
    }
    a
}

fn words(r: &mut Random, propositions: usize, count: usize) -> Vec<Lasso<Letter>> {
    (0..count)
        .map(|_| {
            let (prefix, cycle) = (r.below(4), 1 + r.below(4));
            // Words in which a proposition is rare or frequent satisfy formulas that balanced ones do not.
            let often = *r.pick(&[0.2, 0.5, 0.8]);
            let mut letters = |n| {
                (0..n)
                    .map(|_| (0..propositions).filter(|_| r.chance(often)).collect())
                    .collect()
            };
            Lasso::new(letters(prefix), letters(cycle))
        })
        .collect()
}

fn draw(a: &mut Formulas, r: &mut Random, propositions: usize, most: usize) -> Formula {
    let mut shape = RandomFormula {
        sizes: 3..=most,
        exact: r.chance(0.3),
        ..RandomFormula::new(propositions)
    };
    // Half of the formulas have only operators that occur in rules.
    if r.chance(0.5) {
        for op in [Op::True, Op::False, Op::Equiv, Op::Xor, Op::Implies] {
            shape.set_priority(op, 0);
        }
    }
    let f = shape.draw(a, r);
    nnf(a, f)
}

fn show(a: &Formulas, f: Formula) -> String {
    print(a, f, Syntax::Spot).to_string()
}

#[track_caller]
fn same_on(a: &Formulas, words: &[Lasso<Letter>], f: Formula, g: Formula) {
    if f == g {
        return;
    }
    for w in words {
        let truth = holds(a, f, w);
        assert_eq!(
            holds(a, g, w),
            truth,
            "{} and {}: {w:?}",
            show(a, f),
            show(a, g)
        );
    }
}

#[test]
fn rewriting_keeps_the_meaning() {
    let mut r = Random::new(1);
    let mut shrunk = 0;
    let words: Vec<_> = (0..=4).map(|n| words(&mut r, n, 80)).collect();
    for round in 0..40 {
        let mut a = arena();
        let mut s = Simplifier::new();
        let propositions = 1 + round % 4;
        for _ in 0..100 {
            let f = draw(&mut a, &mut r, propositions, 16);
            let g = s.simplify(&mut a, f);
            same_on(&a, &words[propositions], f, g);
            assert!(a.facts(g).nnf(), "S1: {}", show(&a, g));
            assert!(
                a.size(g) <= a.size(f),
                "S2: {} {}",
                show(&a, f),
                show(&a, g)
            );
            shrunk += usize::from(a.size(g) < a.size(f));
            assert_eq!(s.simplify(&mut a, g), g, "{} {}", show(&a, f), show(&a, g));
            let scattered = s.scatter(&mut a, g);
            for h in [f, g, scattered] {
                for k in [s.gather(&mut a, h), s.scatter(&mut a, h)] {
                    assert!(a.facts(k).nnf());
                    same_on(&a, &words[propositions], h, k);
                }
            }
        }
    }
    assert!(shrunk > 1000, "{shrunk}");
}

/// The result does not depend on the caches of the simplifier.
#[test]
fn memory_does_not_change_results() {
    let mut r = Random::new(2);
    let mut a = arena();
    let mut old = Simplifier::new();
    let mut differ = Vec::new();
    for _ in 0..1000 {
        let f = draw(&mut a, &mut r, 3, 12);
        let (x, y) = (
            old.simplify(&mut a, f),
            Simplifier::new().simplify(&mut a, f),
        );
        if x != y {
            differ.push(format!("{}: {} {}", show(&a, f), show(&a, x), show(&a, y)));
        }
    }
    assert_eq!(differ, Vec::<String>::new());
}

fn read(a: &mut Formulas, text: &str) -> Formula {
    let f = parse(a, text, &ParseOptions::default())
        .expect(text)
        .formula;
    nnf(a, f)
}

#[test]
fn known_rules() {
    let rules = [
        // Basic identities.
        ("F(a U b)", "F b"),
        ("G(a R b)", "G b"),
        ("F(a M b)", "F(a & b)"),
        ("G(a W b)", "G(a | b)"),
        ("FX a", "XF a"),
        ("GX a", "XG a"),
        ("X a & X b", "X(a & b)"),
        ("X a | X b", "X(a | b)"),
        ("X a U X b", "X(a U b)"),
        ("X a R X b", "X(a R b)"),
        ("G a & G b", "G(a & b)"),
        ("F a | F b", "F(a | b)"),
        ("(a U b) | (a U c)", "a U (b | c)"),
        ("(a U c) & (b U c)", "(a & b) U c"),
        ("(a R b) & (a R c)", "a R (b & c)"),
        ("(a R c) | (b R c)", "(a | b) R c"),
        ("a U (a & b)", "b M a"),
        ("a W (a & b)", "b R a"),
        ("a R (a | b)", "b W a"),
        ("a M (a | b)", "b U a"),
        ("F b & (a W b)", "a U b"),
        ("F a & (a R b)", "a M b"),
        ("G b | (a M b)", "a R b"),
        ("G a | (a U b)", "a W b"),
        ("a & XG a", "G a"),
        ("a | XF a", "F a"),
        ("b & (a | X(a R b))", "a R b"),
        ("b | (a & X(a U b))", "a U b"),
        ("(a | b) & (a | c)", "a | (b & c)"),
        // Pure eventualities and universalities.
        ("a U F b", "F b"),
        ("a R G b", "G b"),
        ("FGF a", "GF a"),
        ("GFG a", "FG a"),
        ("XGF a", "GF a"),
        ("a U GF b", "GF b"),
        ("G(a | GF b)", "G a | GF b"),
        ("F(a & GF b)", "F a & GF b"),
        ("FG a & FG b", "FG(a & b)"),
        ("GF a | GF b", "GF(a | b)"),
        ("FG(a & X b)", "FG(a & b)"),
        ("GF(a | X b)", "GF(a | b)"),
        ("G a W b", "G a | b"),
        // Implication.
        ("a & (a | b)", "a"),
        ("a | (a & F b)", "a"),
        ("a & F a", "a"),
        ("G a & F a", "G a"),
        ("(a & b) U b", "b"),
        ("a U (b | a)", "a | b"),
        ("(a | b) U b", "a U b"),
        ("!b U b", "F b"),
        ("!a W a", "1"),
        ("!b R b", "G b"),
        ("a U (b U c)", "a U (b U c)"),
        ("a U ((a | b) U c)", "(a | b) U c"),
        ("(a | b) U (a U c)", "(a | b) U c"),
        ("a & G !a", "0"),
        ("a | F !a", "1"),
        ("F a | G !a", "1"),
        ("a & (!a | b)", "a & b"),
        ("a | (!a & F b)", "a | F b"),
        ("G a & (a -> F b)", "F b & G a"),
        ("G a & F(a & b)", "F b & G a"),
        // Nothing to do.
        ("a U b", "a U b"),
        ("G(a -> F b)", "G(!a | F b)"),
        ("GF a & GF b", "G(F a & F b)"),
        ("XX a", "XX a"),
    ];
    let mut wrong = Vec::new();
    for (from, to) in rules {
        let mut a = Formulas::new();
        let (f, expected) = (read(&mut a, from), read(&mut a, to));
        let g = Simplifier::new().simplify(&mut a, f);
        if g != expected {
            wrong.push(format!("{from}: {} instead of {to}", show(&a, g)));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn known_shapes() {
    let mut a = Formulas::new();
    let gathered = [
        ("F a | GF b", "F(a | GF b)"),
        ("X a R b", "b & X(b W a)"),
        ("X a U b", "b | X(b M a)"),
        ("FX a", "XF a"),
        ("GXF a", "GF a"),
    ];
    for (from, to) in gathered {
        let (f, expected) = (read(&mut a, from), read(&mut a, to));
        let g = Simplifier::new().gather(&mut a, f);
        assert_eq!(show(&a, g), show(&a, expected), "{from}");
    }
    let scattered = [
        ("a U (b | F c)", "(a U b) | F c"),
        ("a R (b & G c)", "(a R b) & G c"),
        ("a U (b & GF c)", "(a U b) & GF c"),
        ("a W (b | F c)", "(a W b) | F c"),
        ("a U (b & F c)", "a U (b & F c)"),
    ];
    for (from, to) in scattered {
        let (f, expected) = (read(&mut a, from), read(&mut a, to));
        let g = Simplifier::new().scatter(&mut a, f);
        assert_eq!(show(&a, g), show(&a, expected), "{from}");
    }
}
