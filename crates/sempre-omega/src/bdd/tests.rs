//! Against truth tables.

use super::*;
use sempre_base::Random;

/// The slow, obvious reference: a truth table over six variables, three of them auxiliary.
const VARS: [u32; 6] = [0, 1, 2, AUXILIARY, AUXILIARY + 1, AUXILIARY + 2];

fn table(m: &Bdds, f: Bdd) -> u64 {
    (0..64u64)
        .filter(|row| {
            m.eval(f, |v| {
                row >> VARS.iter().position(|&x| x == v).unwrap() & 1 == 1
            })
        })
        .fold(0, |t, row| t | 1 << row)
}

fn random(m: &mut Bdds, r: &mut Random, depth: usize) -> (Bdd, u64) {
    if depth == 0 {
        let i = r.below(6);
        let f = m.variable(VARS[i]);
        let t = (0..64u64)
            .filter(|x| x >> i & 1 == 1)
            .fold(0, |t, x| t | 1 << x);
        return (f, t);
    }
    let (a, ta) = random(m, r, depth - 1);
    let (b, tb) = random(m, r, depth - 1);
    match r.below(5) {
        0 => (m.and(a, b), ta & tb),
        1 => (m.or(a, b), ta | tb),
        2 => (m.xor(a, b), ta ^ tb),
        3 => (m.minus(a, b), ta & !tb),
        _ => (m.not(a), !ta),
    }
}

#[test]
fn operations_agree_with_truth_tables() {
    let mut m = Bdds::new();
    let mut r = Random::new(1);
    for _ in 0..2000 {
        let (f, t) = random(&mut m, &mut r, 4);
        let (g, u) = random(&mut m, &mut r, 3);
        assert_eq!(table(&m, f), t);
        assert_eq!(f == g, t == u, "canonical");
        assert_eq!(m.disjoint(f, g), t & u == 0);
        assert_eq!(m.implies(f, g), t & !u == 0);
        assert_eq!(m.count(f, 6) as u32, t.count_ones());
        let (h, v) = random(&mut m, &mut r, 2);
        let i = m.ite(h, f, g);
        assert_eq!(table(&m, i), v & t | !v & u);
    }
}

#[test]
fn quantification_and_restriction_agree_with_truth_tables() {
    let mut m = Bdds::new();
    let mut r = Random::new(2);
    for _ in 0..1000 {
        let (f, _) = random(&mut m, &mut r, 4);
        let lits: Vec<Literal> = VARS
            .iter()
            .filter_map(|&v| r.chance(0.4).then_some((v, true)))
            .collect();
        let cube = m.cube(&lits);
        let slow = lits.iter().fold(f, |f, &(v, _)| {
            let (x, y) = (m.cube(&[(v, true)]), m.cube(&[(v, false)]));
            let (hi, lo) = (m.restrict(f, x), m.restrict(f, y));
            m.or(hi, lo)
        });
        assert_eq!(m.exists(f, cube), slow);
        let signed: Vec<Literal> = lits.iter().map(|&(v, _)| (v, r.chance(0.5))).collect();
        let c = m.cube(&signed);
        let fixed = m.restrict(f, c);
        let (x, y) = (m.and(fixed, c), m.and(f, c));
        assert_eq!(x, y);
        assert!(signed.iter().all(|&(v, _)| !m.support(fixed).contains(&v)));
    }
}

#[test]
fn sums_of_products_cover_exactly_and_irredundantly() {
    let mut m = Bdds::new();
    let mut r = Random::new(3);
    for _ in 0..500 {
        let (f, _) = random(&mut m, &mut r, 4);
        let mut cubes = Vec::new();
        m.sum_of_products(f, |c| cubes.push(c.to_vec()));
        let bdds: Vec<Bdd> = cubes.iter().map(|c| m.cube(c)).collect();
        let all = bdds.iter().fold(Bdd::FALSE, |s, &c| m.or(s, c));
        assert_eq!(all, f);
        for skip in 0..bdds.len() {
            let rest = (0..bdds.len())
                .filter(|&i| i != skip)
                .fold(Bdd::FALSE, |s, i| m.or(s, bdds[i]));
            assert_ne!(rest, f, "cube {skip} is redundant");
        }
    }
}

#[test]
fn splitting_off_the_propositions_gives_back_the_function() {
    let mut m = Bdds::new();
    let mut r = Random::new(6);
    for _ in 0..500 {
        let (f, _) = random(&mut m, &mut r, 4);
        let parts = m.split_propositions(f);
        let mut seen = Bdd::FALSE;
        let mut all = Bdd::FALSE;
        for (i, &(label, rest)) in parts.iter().enumerate() {
            assert!(!label.is_false() && !rest.is_false());
            assert!(m.disjoint(seen, label));
            assert!(m.support(label).iter().all(|&v| v < AUXILIARY));
            assert!(m.support(rest).iter().all(|&v| v >= AUXILIARY));
            assert!(parts[..i].iter().all(|&(_, other)| other != rest));
            seen = m.or(seen, label);
            let part = m.and(label, rest);
            all = m.or(all, part);
        }
        assert_eq!(all, f);
    }
}

#[test]
fn renaming_back_gives_the_same_function() {
    let mut m = Bdds::new();
    let mut r = Random::new(4);
    let back = |v: u32| match v {
        0 => 2,
        2 => 0,
        v => v,
    };
    for _ in 0..300 {
        let (f, t) = random(&mut m, &mut r, 4);
        let g = m.rename(f, &back);
        assert_eq!(m.rename(g, &back), f);
        let swapped = table(&m, g);
        for row in 0..64u64 {
            let image = row & !5 | (row & 1) << 2 | row >> 2 & 1;
            assert_eq!(swapped >> image & 1, t >> row & 1);
        }
    }
}

#[test]
fn what_is_computed_within_a_bound_is_right_and_what_is_not_leaves_nothing_behind() {
    let mut r = Random::new(5);
    let (mut within, mut beyond) = (0, 0);
    for _ in 0..3000 {
        let mut m = Bdds::new();
        let (f, t) = random(&mut m, &mut r, 4);
        let (g, u) = random(&mut m, &mut r, 4);
        let results = |m: &mut Bdds| {
            let both = m.and(f, g);
            let mut cubes = Vec::new();
            m.sum_of_products(both, |c| cubes.push(c.to_vec()));
            let sum = cubes.iter().fold(Bdd::FALSE, |sum, c| {
                let cube = m.cube(c);
                m.or(sum, cube)
            });
            [
                (both, t & u),
                (sum, t & u),
                (m.xor(f, g), t ^ u),
                (m.not(f), !t),
                (m.minus(g, f), u & !t),
            ]
        };
        match m.within(r.below(12), results) {
            None => beyond += 1,
            Some(found) => {
                within += 1;
                assert!(found.iter().all(|&(h, v)| table(&m, h) == v));
            }
        }
        let found = results(&mut m);
        assert!(
            found.iter().all(|&(h, v)| table(&m, h) == v),
            "a cache with results of failed operations"
        );
    }
    assert!(within > 100 && beyond > 100, "{within} {beyond}");
}
