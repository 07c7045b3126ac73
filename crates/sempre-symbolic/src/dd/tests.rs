//! The operations on diagrams against plain sets of vectors, with and without garbage collections in between.

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use crate::dd::node::{Node, Root};
use crate::dd::shape::{COPY, Mode, Shape};
use sempre_base::{Random, Stop};
use std::collections::BTreeSet;

type Set = BTreeSet<Vec<u32>>;

fn random_set(r: &mut Random, levels: usize, values: usize) -> Set {
    let size = r.below(30);
    (0..size)
        .map(|_| (0..levels).map(|_| r.below(values) as u32).collect())
        .collect()
}

fn diagram(forest: &mut Forest, set: &Set) -> Node {
    let mut vectors: Vec<Vec<u32>> = set.iter().cloned().collect();
    vectors.reverse();
    forest.set_of(&mut vectors).unwrap()
}

fn plain(forest: &Forest, node: Node) -> Set {
    forest.vectors(node).collect()
}

/// Compares a diagram with a set, and with a newly made diagram: equal sets are equal nodes.
fn check(forest: &mut Forest, node: Node, expected: &Set, what: &str) {
    assert_eq!(&plain(forest, node), expected, "{what}");
    let root = forest.protect(node);
    assert_eq!(
        diagram(forest, expected),
        forest.get(root),
        "{what} is not canonical"
    );
    forest.unprotect(root);
    assert_eq!(forest.count(node), expected.len() as u64);
}

/// A relation as a set of rows, in the order of levels; a level's mode determines its columns.
#[derive(Debug)]
struct Relation {
    modes: Vec<Mode>,
    rows: Set,
}

impl Relation {
    fn random(r: &mut Random, levels: usize, values: usize) -> Self {
        let all = [
            Mode::Skip,
            Mode::Skip,
            Mode::Read,
            Mode::Write,
            Mode::ReadWrite,
        ];
        let modes: Vec<Mode> = (0..levels).map(|_| *r.pick(&all)).collect();
        let rows = (0..r.below(12)).map(|_| {
            let mut row = Vec::new();
            for mode in &modes {
                let mut value = || r.below(values) as u32;
                match mode {
                    Mode::Skip => {}
                    Mode::Read => row.push(value()),
                    Mode::Write => {
                        let v = value();
                        row.push(if v % 3 == 0 { COPY } else { v });
                    }
                    Mode::ReadWrite => row.extend([value(), value()]),
                }
            }
            row
        });
        let rows = rows.collect();
        Self { modes, rows }
    }

    /// The successor of a vector by a row.
    fn step(&self, row: &[u32], vector: &[u32]) -> Option<Vec<u32>> {
        let mut row = row.iter().copied();
        let mut next = vector.to_vec();
        for (mode, value) in self.modes.iter().zip(&mut next) {
            match mode {
                Mode::Skip => {}
                Mode::Read => {
                    if row.next() != Some(*value) {
                        return None;
                    }
                }
                Mode::Write => {
                    let written = row.next().unwrap();
                    if written != COPY {
                        *value = written;
                    }
                }
                Mode::ReadWrite => {
                    if row.next() != Some(*value) {
                        return None;
                    }
                    *value = row.next().unwrap();
                }
            }
        }
        Some(next)
    }

    fn steps(&self, set: &Set) -> Vec<(Vec<u32>, Vec<u32>)> {
        let pairs = set
            .iter()
            .flat_map(|v| self.rows.iter().map(move |row| (v, row)));
        pairs
            .filter_map(|(v, row)| Some((v.clone(), self.step(row, v)?)))
            .collect()
    }
}

/// Collects garbage never, rarely, or before each node.
fn forests(r: &mut Random) -> Forest {
    // A small cache, which is cheap to traverse.
    let mut forest = Forest::new(Limits {
        memory: Some(1 << 18),
        ..Limits::default()
    });
    match r.below(3) {
        0 => {}
        1 => forest.stress(1),
        _ => forest.stress(1 + r.below(30) as u32),
    }
    forest
}

#[test]
fn set_operations_are_those_of_plain_sets() {
    let mut r = Random::new(1);
    for round in 0..1500 {
        let mut forest = forests(&mut r);
        let levels = r.below(5);
        let values = 1 + r.below(5);
        let (a, b) = (
            random_set(&mut r, levels, values),
            random_set(&mut r, levels, values),
        );
        let x = diagram(&mut forest, &a);
        let x = forest.protect(x);
        let y = diagram(&mut forest, &b);
        let y = forest.protect(y);
        let what = format!("round {round}: {a:?} {b:?}");
        let union = forest.union(forest.get(x), forest.get(y)).unwrap();
        check(&mut forest, union, &(&a | &b), &what);
        let both = forest.intersection(forest.get(x), forest.get(y)).unwrap();
        check(&mut forest, both, &(&a & &b), &what);
        let minus = forest.difference(forest.get(x), forest.get(y)).unwrap();
        check(&mut forest, minus, &(&a - &b), &what);
        for v in a.iter().chain(&b) {
            assert_eq!(forest.contains(forest.get(x), v), a.contains(v));
        }
        assert_eq!(forest.first(forest.get(x)), a.first().cloned());
    }
}

#[test]
fn projections_are_those_of_plain_sets() {
    let mut r = Random::new(2);
    for _ in 0..1500 {
        let mut forest = forests(&mut r);
        let levels = 1 + r.below(5);
        let a = random_set(&mut r, levels, 4);
        let modes: Vec<Mode> = (0..levels)
            .map(|_| *r.pick(&[Mode::Skip, Mode::Read]))
            .collect();
        let shape = forest.shape(&modes);
        let x = diagram(&mut forest, &a);
        let projected = forest.project(x, shape).unwrap();
        let expected: Set = (a.iter())
            .map(|v| {
                let root = v.iter().zip(&modes).filter(|(_, m)| **m == Mode::Read);
                root.map(|(x, _)| *x).collect()
            })
            .collect();
        check(
            &mut forest,
            projected,
            &expected,
            &format!("{a:?} {modes:?}"),
        );
    }
}

fn relation(forest: &mut Forest, relation: &Relation) -> (Root, Shape) {
    let node = diagram(forest, &relation.rows);
    (forest.protect(node), forest.shape(&relation.modes))
}

#[test]
fn images_and_preimages_are_those_of_plain_relations() {
    let mut r = Random::new(3);
    let mut steps_seen = 0;
    for round in 0..3000 {
        let mut forest = forests(&mut r);
        let levels = 1 + r.below(4);
        let rel = Relation::random(&mut r, levels, 4);
        let (node, shape) = relation(&mut forest, &rel);
        let a = random_set(&mut r, levels, 4);
        let x = diagram(&mut forest, &a);
        let x = forest.protect(x);
        let steps = rel.steps(&a);
        steps_seen += steps.len();
        let what = format!("round {round}: {a:?} {rel:?}");
        let count = forest.count_steps(forest.get(x), forest.get(node), shape);
        assert_eq!(count, steps.len() as u64, "{what}");
        let image = forest
            .image(forest.get(x), forest.get(node), shape)
            .unwrap();
        let expected: Set = steps.iter().map(|(_, to)| to.clone()).collect();
        check(&mut forest, image, &expected, &what);
        // Predecessors within another set.
        let universe = random_set(&mut r, levels, 4);
        let all: Set = &universe | &a;
        let u = diagram(&mut forest, &all);
        let before = forest
            .preimage(forest.get(x), forest.get(node), shape, u)
            .unwrap();
        let expected: Set = (rel.steps(&all).into_iter())
            .filter(|(_, to)| a.contains(to))
            .map(|(from, _)| from)
            .collect();
        check(&mut forest, before, &expected, &what);
    }
    assert!(steps_seen > 3000, "{steps_seen}");
}

#[test]
fn joined_relations_take_steps_of_both() {
    let mut r = Random::new(4);
    let (mut joined, mut steps_seen) = (0, 0);
    for round in 0..4000 {
        let mut forest = forests(&mut r);
        let levels = 1 + r.below(4);
        let one = Relation::random(&mut r, levels, 3);
        let two = Relation::random(&mut r, levels, 3);
        let (x, x_shape) = relation(&mut forest, &one);
        let (y, y_shape) = relation(&mut forest, &two);
        let writes = |m: &Mode| matches!(m, Mode::Write | Mode::ReadWrite);
        let clash = one
            .modes
            .iter()
            .zip(&two.modes)
            .any(|(a, b)| writes(a) && writes(b));
        let Some(shape) = forest.joined_shape(x_shape, y_shape) else {
            assert!(clash);
            continue;
        };
        assert!(!clash);
        joined += 1;
        let both = forest
            .join((forest.get(x), x_shape), (forest.get(y), y_shape))
            .unwrap();
        let both = forest.protect(both);
        let a = random_set(&mut r, levels, 3);
        let node = diagram(&mut forest, &a);
        let image = forest.image(node, forest.get(both), shape).unwrap();
        // Each relation writes its own levels and reads the old values.
        let mut expected = Set::new();
        for v in &a {
            for (p, q) in one
                .rows
                .iter()
                .flat_map(|p| two.rows.iter().map(move |q| (p, q)))
            {
                if let (Some(s), Some(t)) = (one.step(p, v), two.step(q, v)) {
                    let level = |i: usize| if writes(&one.modes[i]) { s[i] } else { t[i] };
                    expected.insert((0..levels).map(level).collect());
                    steps_seen += 1;
                }
            }
        }
        check(
            &mut forest,
            image,
            &expected,
            &format!("round {round}: {a:?} {one:?} {two:?}"),
        );
    }
    assert!(joined > 1000 && steps_seen > 3000, "{joined} {steps_seen}");
}

#[test]
fn many_operations_with_collections_between_them() {
    let mut r = Random::new(5);
    let mut forest = Forest::new(Limits::default());
    forest.stress(97);
    let mut sets: Vec<(Root, Set)> = Vec::new();
    for _ in 0..8 {
        let set = random_set(&mut r, 4, 5);
        let node = diagram(&mut forest, &set);
        sets.push((forest.protect(node), set));
    }
    for round in 0..4000 {
        let (i, j, k) = (r.below(8), r.below(8), r.below(8));
        let (x, y) = (forest.get(sets[i].0), forest.get(sets[j].0));
        let (a, b) = (&sets[i].1, &sets[j].1);
        let (node, set) = match r.below(4) {
            0 => (forest.union(x, y).unwrap(), a | b),
            1 => (forest.intersection(x, y).unwrap(), a & b),
            2 => (forest.difference(x, y).unwrap(), a - b),
            _ => {
                let set = random_set(&mut r, 4, 5);
                (diagram(&mut forest, &set), set)
            }
        };
        let root = sets[k].0;
        forest.set(root, node);
        sets[k].1 = set;
        if round % 50 == 0 {
            forest.collect();
            for (root, set) in &sets {
                assert_eq!(&plain(&forest, forest.get(*root)), set);
            }
        }
    }
    assert!(forest.collections() > 100);
}

#[test]
fn without_memory_there_is_an_error_and_the_forest_goes_on() {
    let mut forest = Forest::new(Limits {
        memory: Some(40_000),
        ..Limits::default()
    });
    let mut r = Random::new(6);
    let small = random_set(&mut r, 4, 5);
    let node = diagram(&mut forest, &small);
    let root = forest.protect(node);
    let mut sum = forest.protect(0);
    let mut failed = false;
    for _ in 0..2000 {
        let v: Vec<u32> = (0..4).map(|_| r.below(1000) as u32).collect();
        let grown = forest
            .singleton(&v)
            .and_then(|one| forest.union(forest.get(sum), one));
        match grown {
            Ok(node) => forest.set(sum, node),
            Err(stop) => {
                assert_eq!(stop, Stop::Memory);
                failed = true;
                break;
            }
        }
    }
    assert!(failed, "{} nodes", forest.nodes());
    forest.unprotect(sum);
    sum = forest.protect(0);
    for v in small.iter().take(5) {
        let one = forest.singleton(v).unwrap();
        let grown = forest.union(forest.get(sum), one).unwrap();
        forest.set(sum, grown);
    }
    assert_eq!(plain(&forest, forest.get(root)), small);
}

#[test]
fn ten_to_the_two_hundred() {
    let mut forest = Forest::new(Limits::default());
    let mut node = 1;
    for _ in 0..200 {
        let mut list = 0;
        for value in (0..10).rev() {
            list = forest.make(value, node, list).unwrap();
        }
        node = list;
    }
    assert_eq!(
        forest.count(node).to_string(),
        format!("1{}", "0".repeat(200))
    );
    assert_eq!(forest.size(node), 2000);
    let shape = forest.shape(&[Mode::Skip, Mode::Write]);
    let rows = forest.set_of(&mut [vec![3], vec![COPY]]).unwrap();
    // Twice as many steps as states.
    let steps = forest.count_steps(node, rows, shape);
    assert_eq!(steps.to_string(), format!("2{}", "0".repeat(200)));
}
