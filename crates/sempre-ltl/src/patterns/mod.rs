//! Formulas of the literature, by name: fixed lists and families with a parameter.
//!
//! They are the benchmarks of translators. Each is built exactly as its paper writes it, without applying identities.

mod lists;
mod scalable;

use crate::formula::{Formula, Formulas};
use crate::parse::{ParseOptions, parse};

/// The largest parameter of a family; beyond it formulas are deeper than the parser allows.
pub const MAX_PARAMETER: usize = 1000;

/// The description of a family.
#[derive(Clone, Copy, Debug)]
pub struct FamilyInfo {
    /// The name for [`family`].
    pub name: &'static str,
    /// The form of the formulas.
    pub description: &'static str,
    /// The paper.
    pub source: &'static str,
    /// The number of formulas of a fixed list; a family with a parameter has none.
    pub count: Option<usize>,
}

const GH06: &str =
    "Geldenhuys, Hansen, Larger automata and less work for LTL model checking, SPIN 2006";
const CCJ09: &str = "Cichoń, Czubak, Jasiński, Minimal Büchi automata for certain classes of LTL formulas, DEPCOS 2009";
const TV10: &str = "Tabakov, Vardi, Optimized temporal monitors for SystemC, RV 2010";
const RV07: &str = "Rozier, Vardi, LTL satisfiability checking, SPIN 2007";
const MS17: &str = "Müller, Sickert, LTL to deterministic Emerson-Lei automata, GandALF 2017";
const SEJK16: &str = "Sickert, Esparza, Jaax, Křetínský, Limit-deterministic Büchi automata for linear temporal logic, CAV 2016";
const FOLKLORE: &str = "folklore";

const fn list(
    name: &'static str,
    description: &'static str,
    source: &'static str,
    count: usize,
) -> FamilyInfo {
    FamilyInfo {
        name,
        description,
        source,
        count: Some(count),
    }
}

const fn scalable(
    name: &'static str,
    description: &'static str,
    source: &'static str,
) -> FamilyInfo {
    FamilyInfo {
        name,
        description,
        source,
        count: None,
    }
}

const FAMILIES: &[FamilyInfo] = &[
    list(
        "dwyer",
        "specification patterns in five scopes",
        "Dwyer, Avrunin, Corbett, Property specification patterns for finite-state verification, FMSP 1998",
        lists::DWYER.len(),
    ),
    list(
        "etessami-holzmann",
        "formulas of practical interest",
        "Etessami, Holzmann, Optimizing Büchi automata, CONCUR 2000",
        lists::ETESSAMI_HOLZMANN.len(),
    ),
    list(
        "somenzi-bloem",
        "formulas for comparing translators",
        "Somenzi, Bloem, Efficient Büchi automata from LTL formulae, CAV 2000",
        lists::SOMENZI_BLOEM.len(),
    ),
    scalable("and-f", "F p1 & … & F pn", GH06),
    scalable("and-fg", "F G p1 & … & F G pn", FOLKLORE),
    scalable("and-gf", "G F p1 & … & G F pn", GH06),
    scalable("or-fg", "F G p1 | … | F G pn", FOLKLORE),
    scalable("or-g", "G p1 | … | G pn", GH06),
    scalable("or-gf", "G F p1 | … | G F pn", GH06),
    scalable("u-left", "((p1 U p2) U …) U pn", GH06),
    scalable("u-right", "p1 U (p2 U (… U pn))", GH06),
    scalable("r-left", "((p1 R p2) R …) R pn", FOLKLORE),
    scalable("r-right", "p1 R (p2 R (… R pn))", FOLKLORE),
    scalable("gf-implies", "(G F a1 & … & G F an) -> G F z", FOLKLORE),
    scalable("gf-equiv", "(G F a1 & … & G F an) <-> G F z", FOLKLORE),
    scalable("gf-implies-xn", "G F (a -> X…X a), n times X", MS17),
    scalable("gf-equiv-xn", "G F (a <-> X…X a), n times X", MS17),
    scalable("gh-q", "(F p1 | G p2) & … & (F pn | G pn+1)", GH06),
    scalable("gh-r", "(G F p1 | F G p2) & … & (G F pn | F G pn+1)", GH06),
    scalable(
        "go-theta",
        "!((G F p1 & … & G F pn) -> G(q -> F r))",
        "Gastin, Oddoux, Fast LTL to Büchi automata translation, CAV 2001",
    ),
    scalable(
        "ccj-alpha",
        "F(p1 & F(p2 & … F pn)) & F(q1 & F(q2 & … F qn))",
        CCJ09,
    ),
    scalable(
        "ccj-beta",
        "F(p & X(p & … X p)) & F(q & X(q & … X q))",
        CCJ09,
    ),
    scalable(
        "ccj-beta-prime",
        "F(p & X p & … & X…X p) & F(q & X q & … & X…X q)",
        CCJ09,
    ),
    scalable("tv-f1", "G(p -> (q | X q | … | X…X q))", TV10),
    scalable("tv-f2", "G(p -> (q | X(q | X(… | X q))))", TV10),
    scalable("tv-g1", "G(p -> (q & X q & … & X…X q))", TV10),
    scalable("tv-g2", "G(p -> (q & X(q & X(… & X q))))", TV10),
    scalable(
        "tv-uu",
        "G(p1 -> (p1 U (p2 & (p2 U (p3 & … (pn U pn+1))))))",
        TV10,
    ),
    scalable("fxg-or", "F(p0 | X G(p1 | X G(… | X G pn)))", FOLKLORE),
    scalable("gxf-and", "G(p0 & X F(p1 & X F(… & X F pn)))", FOLKLORE),
    scalable(
        "sejk-j",
        "(G F a1 & … & G F an) -> (G F b1 & … & G F bn)",
        SEJK16,
    ),
    scalable(
        "sejk-k",
        "(G F a1 | F G b1) & … & (G F an | F G bn)",
        SEJK16,
    ),
    scalable(
        "ms-phi-h",
        "F G(a | b) | F G(!a | X b) | F G(a | X X b) | …",
        MS17,
    ),
    scalable("rv-counter", "an n-bit counter", RV07),
    scalable("rv-counter-linear", "an n-bit counter, nested X", RV07),
    scalable("rv-counter-carry", "an n-bit counter with carry", RV07),
    scalable(
        "rv-counter-carry-linear",
        "an n-bit counter with carry, nested X",
        RV07,
    ),
];

/// All families, fixed lists first.
pub fn families() -> &'static [FamilyInfo] {
    FAMILIES
}

/// The formula number `n`, from 1, of a family; none if there is no such family or number.
pub fn family(arena: &mut Formulas, name: &str, n: usize) -> Option<Formula> {
    if n == 0 || n > MAX_PARAMETER {
        return None;
    }
    let fixed: &[&str] = match name {
        "dwyer" => &lists::DWYER,
        "etessami-holzmann" => &lists::ETESSAMI_HOLZMANN,
        "somenzi-bloem" => &lists::SOMENZI_BLOEM,
        _ => return scalable::Build(arena).family(name, n),
    };
    let exact = ParseOptions {
        exact: true,
        known: None,
    };
    // The lists are constants that a test reads completely; an error cannot come from user input.
    parse(arena, fixed.get(n - 1)?, &exact)
        .ok()
        .map(|read| read.formula)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::{Letter, holds};
    use sempre_base::Lasso;

    #[test]
    fn every_family_has_members() {
        let mut arena = Formulas::new();
        for info in families() {
            let last = info.count.unwrap_or(6);
            for n in 1..=last {
                let f = family(&mut arena, info.name, n);
                assert!(f.is_some(), "{} {n}", info.name);
            }
            assert_eq!(family(&mut arena, info.name, 0), None);
            assert_eq!(family(&mut arena, info.name, MAX_PARAMETER + 1), None);
            let beyond = family(&mut arena, info.name, last + 1);
            assert_eq!(beyond.is_none(), info.count.is_some());
        }
        assert_eq!(family(&mut arena, "nothing", 1), None);
    }

    /// `f` through the constructors, which sort operands, with other names for its propositions.
    fn renamed(arena: &mut Formulas, f: Formula, names: &[(usize, String)]) -> Formula {
        arena.rebuild(f, |arena, g, operands| match arena.op(g) {
            crate::Op::Proposition => {
                let number = arena.proposition_number(g);
                let (_, name) = names.iter().find(|(n, _)| *n == number).expect("a name");
                arena.proposition(name)
            }
            op => arena.make(op, operands),
        })
    }

    fn permutations(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let smaller = permutations(n - 1);
        let insert = |p: &Vec<usize>| {
            (0..n)
                .map(|i| [&p[..i], &[n - 1], &p[i..]].concat())
                .collect::<Vec<_>>()
        };
        smaller.iter().flat_map(insert).collect()
    }

    /// The lists as Spot has them, up to the names of propositions and the order of operands.
    #[test]
    #[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
    fn lists_agree_with_published_ones() {
        for (name, file) in [
            ("dwyer", "dwyer-55.ltl"),
            ("etessami-holzmann", "etessami-holzmann-12.ltl"),
            ("somenzi-bloem", "somenzi-bloem-27.ltl"),
        ] {
            let text = test_data::text(&format!("formulas/{file}"));
            for (i, line) in text.lines().enumerate() {
                let mut arena = Formulas::new();
                let wanted = parse(&mut arena, line, &ParseOptions::default())
                    .unwrap()
                    .formula;
                let ours = family(&mut arena, name, i + 1).unwrap();
                let numbers = arena.propositions_of(ours);
                let found = permutations(numbers.len()).iter().any(|p| {
                    let names: Vec<_> = numbers
                        .iter()
                        .zip(p)
                        .map(|(&n, k)| (n, format!("p{k}")))
                        .collect();
                    renamed(&mut arena, ours, &names) == wanted
                });
                assert!(found, "{name} {}: {line}", i + 1);
            }
        }
    }

    #[test]
    #[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
    fn families_agree_with_published_ones() {
        let text = test_data::text("formulas/families.tsv");
        let mut arena = Formulas::new();
        for line in text.lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            let wanted = parse(&mut arena, columns[2], &ParseOptions::default())
                .unwrap()
                .formula;
            let ours = family(&mut arena, columns[0], columns[1].parse().unwrap())
                .unwrap_or_else(|| panic!("no family {}", columns[0]));
            let ours = arena.rebuild(ours, |arena, g, operands| match arena.op(g) {
                crate::Op::Proposition => g,
                op => arena.make(op, operands),
            });
            assert_eq!(ours, wanted, "{line}");
        }
    }

    /// The word of a counter from zero, and the result of flipping one bit.
    #[test]
    fn counters_count() {
        for n in 1..=3 {
            let mut arena = Formulas::new();
            let [m, b, c] = ["m", "b", "c"].map(|name| {
                let p = arena.proposition(name);
                arena.proposition_number(p)
            });
            let mut letters: Vec<Letter> = Vec::new();
            for value in 0..1usize << n {
                let mut carry = true;
                for i in 0..n {
                    let bit = value >> i & 1 == 1;
                    carry &= bit;
                    let true_ones = [(m, i == 0), (b, bit), (c, carry)];
                    letters.push(true_ones.iter().filter(|x| x.1).map(|x| x.0).collect());
                }
            }
            for suffix in ["", "-linear", "-carry", "-carry-linear"] {
                let f = family(&mut arena, &format!("rv-counter{suffix}"), n).unwrap();
                assert!(
                    holds(&arena, f, &Lasso::new(Vec::new(), letters.clone())),
                    "{suffix} {n}"
                );
                for (i, p) in (0..letters.len()).flat_map(|i| [(i, m), (i, b)]) {
                    let mut wrong = letters.clone();
                    let flipped = |q: &usize| wrong[i].holds(*q) != (*q == p);
                    wrong[i] = [m, b, c].into_iter().filter(flipped).collect();
                    let word = Lasso::new(wrong, letters.clone());
                    assert!(!holds(&arena, f, &word), "{suffix} {n}: letter {i}");
                }
            }
        }
    }
}
