//! Isomorphism: are two automata equal up to the numbers of their states?
//!
//! Colour refinement: states get the same colour as long as nothing distinguishes them (being initial, their edges in
//! and out with labels, marks and the colours of the other ends). When all colours are different, the colours are the
//! mapping. Otherwise a state of the first automaton that shares its colour gets a colour of its own and is paired
//! with each candidate of the second in turn, and refinement continues. Conditions and set numbers must be identical,
//! labels equal as functions.
//!
//! Deterministic automata whose states are all reachable hardly ever branch. Cost: states times edges for each
//! refinement; exponentially many branches for very symmetric automata.

use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::mark::Mark;
use rustc_hash::FxHashMap;

/// A mapping from the states of `a` to those of `b` that makes them equal, if there is one. Parallel
/// edges with the same marks are taken together.
pub fn isomorphism(bdds: &mut Bdds, a: &Automaton, b: &Automaton) -> Option<Vec<u32>> {
    if a.states() != b.states()
        || a.sets != b.sets
        || a.acceptance != b.acceptance
        || a.initial.len() != b.initial.len()
    {
        return None;
    }
    let (mut a, mut b) = (a.clone(), b.clone());
    a.merge_edges(bdds);
    b.merge_edges(bdds);
    if a.edge_count() != b.edge_count() {
        return None;
    }
    let initial = |x: &Automaton| -> Vec<u32> {
        (0..x.states() as u32)
            .map(|s| u32::from(x.initial.contains(&s)))
            .collect()
    };
    let mut todo = vec![(initial(&a), initial(&b))];
    while let Some((mut x, mut y)) = todo.pop() {
        sempre_base::checkpoint();
        if !refine(&a, &b, &mut x, &mut y) {
            continue;
        }
        // The members of each colour.
        let members = |colours: &[u32]| {
            let mut m: Vec<Vec<u32>> = vec![Vec::new(); colours.len()];
            for (s, &c) in colours.iter().enumerate() {
                m[c as usize].push(s as u32);
            }
            m
        };
        let (in_a, in_b) = (members(&x), members(&y));
        match in_a.iter().position(|m| m.len() > 1) {
            None => {
                let map: Vec<u32> = x.iter().map(|&c| in_b[c as usize][0]).collect();
                if is_isomorphism(&a, &b, &map) {
                    return Some(map);
                }
            }
            Some(c) => {
                // A colour that is not in use: there are fewer colours than states here.
                let fresh = a.states() as u32;
                for &t in in_b[c].iter().rev() {
                    let (mut x, mut y) = (x.clone(), y.clone());
                    x[in_a[c][0] as usize] = fresh;
                    y[t as usize] = fresh;
                    todo.push((x, y));
                }
            }
        }
    }
    None
}

/// Are they the same up to the numbers of their states?
pub fn isomorphic(bdds: &mut Bdds, a: &Automaton, b: &Automaton) -> bool {
    isomorphism(bdds, a, b).is_some()
}

/// The neighbourhood of a state: its colour, its edges out, its edges in.
type Neighbourhood = (u32, Vec<(u32, Bdd, Mark)>, Vec<(u32, Bdd, Mark)>);

fn neighbourhoods(a: &Automaton, colours: &[u32]) -> Vec<Neighbourhood> {
    let mut neighbourhoods: Vec<Neighbourhood> = colours
        .iter()
        .map(|&c| (c, Vec::new(), Vec::new()))
        .collect();
    for (s, edges) in a.edges.iter().enumerate() {
        for e in edges {
            let t = e.to as usize;
            neighbourhoods[s]
                .1
                .push((colours[t], e.label, e.mark.clone()));
            neighbourhoods[t]
                .2
                .push((colours[s], e.label, e.mark.clone()));
        }
    }
    for neighbourhood in &mut neighbourhoods {
        neighbourhood.1.sort_unstable();
        neighbourhood.2.sort_unstable();
    }
    neighbourhoods
}

/// Refines both colourings in the same way until nothing changes; false if they become different. The colours are
/// then `0..` without gaps.
fn refine(a: &Automaton, b: &Automaton, x: &mut Vec<u32>, y: &mut Vec<u32>) -> bool {
    let mut count = 0;
    loop {
        let (in_a, in_b) = (neighbourhoods(a, x), neighbourhoods(b, y));
        let mut names: FxHashMap<&Neighbourhood, u32> = FxHashMap::default();
        let mut sizes: Vec<i64> = Vec::new();
        let mut name = |neighbourhood, by: i64| {
            let n = *names.entry(neighbourhood).or_insert_with(|| {
                sizes.push(0);
                sizes.len() as u32 - 1
            });
            sizes[n as usize] += by;
            n
        };
        let next_x: Vec<u32> = in_a.iter().map(|l| name(l, 1)).collect();
        let next_y: Vec<u32> = in_b.iter().map(|l| name(l, -1)).collect();
        if sizes.iter().any(|&n| n != 0) {
            return false;
        }
        (*x, *y) = (next_x, next_y);
        if sizes.len() == count {
            return true;
        }
        count = sizes.len();
    }
}

fn is_isomorphism(a: &Automaton, b: &Automaton, map: &[u32]) -> bool {
    a.initial
        .iter()
        .all(|&s| b.initial.contains(&map[s as usize]))
        && a.edges.iter().enumerate().all(|(s, edges)| {
            let mut moved: Vec<(u32, Bdd, &Mark)> = edges
                .iter()
                .map(|e| (map[e.to as usize], e.label, &e.mark))
                .collect();
            let mut there: Vec<(u32, Bdd, &Mark)> = b.edges[map[s] as usize]
                .iter()
                .map(|e| (e.to, e.label, &e.mark))
                .collect();
            moved.sort_unstable();
            there.sort_unstable();
            moved == there
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::Acceptance;
    use crate::random::RandomAutomaton;
    use sempre_base::Random;

    fn shuffled(r: &mut Random, n: usize) -> Vec<u32> {
        let mut p: Vec<u32> = (0..n as u32).collect();
        r.shuffle(&mut p);
        p
    }

    #[test]
    fn copies_are_recognised_and_changes_are_found() {
        let mut r = Random::new(17);
        let mut bdds = Bdds::new();
        for round in 0..400 {
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(9), &[0, 1], 1);
            o.deterministic = round % 2 == 0;
            let a = o.generate(&mut r, &mut bdds);
            let mut b = a.clone();
            let p = shuffled(&mut r, a.states());
            b.renumber(&p, a.states());
            assert!(isomorphic(&mut bdds, &a, &b));
            // One mark more or less: the number of marks differs, so they are not the same.
            let full: Vec<usize> = (0..b.states())
                .filter(|&s| !b.edges[s].is_empty())
                .collect();
            if full.is_empty() {
                continue;
            }
            b.merge_edges(&mut bdds);
            let s = *r.pick(&full);
            let e = r.below(b.edges[s].len());
            let mark = &mut b.edges[s][e].mark;
            *mark = if mark.is_empty() {
                Mark::single(0)
            } else {
                Mark::EMPTY
            };
            assert!(!isomorphic(&mut bdds, &a, &b));
        }
    }

    /// Against all permutations: graphs with one label and no marks, where many states have similar neighbourhoods.
    #[test]
    fn agrees_with_trying_all_permutations() {
        let mut r = Random::new(18);
        let mut bdds = Bdds::new();
        let mut yes = 0;
        for _ in 0..1500 {
            let n = 1 + r.below(5);
            let mut graph = || {
                let mut a = Automaton::new(vec![], 0, Acceptance::True);
                for _ in 0..n {
                    a.add_state();
                }
                a.initial = vec![0];
                for _ in 0..n {
                    a.add_edge(r.below(n) as u32, r.below(n) as u32, Bdd::TRUE, Mark::EMPTY);
                }
                a.merge_edges(&mut bdds);
                a
            };
            let (a, b) = (graph(), graph());
            let mut p: Vec<u32> = (0..n as u32).collect();
            let mut truth = false;
            permute(&mut p, 0, &mut |p| {
                truth |= is_isomorphism(&a, &b, p) && a.edge_count() == b.edge_count();
            });
            assert_eq!(isomorphic(&mut bdds, &a, &b), truth, "{a:?} {b:?}");
            yes += usize::from(truth);
        }
        assert!(yes > 50 && yes < 1400, "{yes}");
    }

    fn permute(p: &mut Vec<u32>, from: usize, visit: &mut dyn FnMut(&[u32])) {
        if from == p.len() {
            visit(p);
        }
        for i in from..p.len() {
            p.swap(from, i);
            permute(p, from + 1, visit);
            p.swap(from, i);
        }
    }
}
