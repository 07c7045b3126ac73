//! Intersection of languages of finite words, and shortest words that distinguish two languages.
//!
//! Both explore the reachable pairs of states breadth first. For the comparison the automata are made deterministic
//! and complete, so that one pair stands for all runs on a word.

use super::{FiniteAutomaton, complete, determinize};
use crate::bdd::{Bdd, Bdds};
use crate::pairs::Pairs;
use crate::product::joint_propositions;
use crate::word::Letter;
use rustc_hash::FxHashMap;

/// An automaton of the words that both accept; deterministic if both are.
pub fn intersection(bdds: &mut Bdds, a: &FiniteAutomaton, b: &FiniteAutomaton) -> FiniteAutomaton {
    let propositions = joint_propositions(&a.propositions, &b.propositions);
    let mut p = FiniteAutomaton::new(propositions);
    let mut pairs = Pairs::of(&a.initial, &b.initial);
    p.initial = pairs.numbers().collect();
    let mut at = 0;
    while let Some((s, t)) = pairs.get(at) {
        p.add_state(a.is_final[s as usize] && b.is_final[t as usize]);
        for e in &a.edges[s as usize] {
            for f in &b.edges[t as usize] {
                let label = bdds.and(e.label, f.label);
                if !label.is_false() {
                    p.add_edge(at, pairs.number((e.to, f.to)), label);
                }
            }
        }
        at += 1;
    }
    p
}

/// A word that one of two automata accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FiniteDifference {
    /// Only the first one does.
    OnlyFirst(Vec<Letter>),
    /// Only the second one does.
    OnlySecond(Vec<Letter>),
}

/// A shortest word on which the automata differ, `Some(None)` if there is none; `None` if a subset
/// construction has more than `limit` states.
pub fn difference(
    bdds: &mut Bdds,
    a: &FiniteAutomaton,
    b: &FiniteAutomaton,
    limit: usize,
) -> Option<Option<FiniteDifference>> {
    let mut a = determinize(bdds, a, limit)?;
    let mut b = determinize(bdds, b, limit)?;
    complete(bdds, &mut a);
    complete(bdds, &mut b);
    // Each pair with the one it was reached from, and by which letters.
    let mut pairs: Vec<(u32, u32, usize, Bdd)> = vec![(a.initial[0], b.initial[0], 0, Bdd::TRUE)];
    let mut seen: FxHashMap<(u32, u32), ()> = FxHashMap::default();
    seen.insert((a.initial[0], b.initial[0]), ());
    let mut at = 0;
    while at < pairs.len() {
        sempre_base::checkpoint();
        let (s, t, _, _) = pairs[at];
        let (x, y) = (a.is_final[s as usize], b.is_final[t as usize]);
        if x != y {
            let mut word = Vec::new();
            while at > 0 {
                let (_, _, from, label) = pairs[at];
                word.extend(Letter::satisfying(bdds, label));
                at = from;
            }
            word.reverse();
            return Some(Some(if x {
                FiniteDifference::OnlyFirst(word)
            } else {
                FiniteDifference::OnlySecond(word)
            }));
        }
        for e in &a.edges[s as usize] {
            for f in &b.edges[t as usize] {
                let label = bdds.and(e.label, f.label);
                if !label.is_false() && seen.insert((e.to, f.to), ()).is_none() {
                    pairs.push((e.to, f.to, at, label));
                }
            }
        }
        at += 1;
    }
    Some(None)
}

/// Do both accept the same words? `None` if a subset construction has more than `limit` states.
pub fn equivalent(
    bdds: &mut Bdds,
    a: &FiniteAutomaton,
    b: &FiniteAutomaton,
    limit: usize,
) -> Option<bool> {
    Some(difference(bdds, a, b, limit)?.is_none())
}

#[cfg(test)]
mod tests {
    use super::super::samples::{random_finite, random_letters};
    use super::super::{complement, minimize};
    use super::*;
    use sempre_base::Random;

    #[test]
    fn intersections_and_differences() {
        let mut r = Random::new(8);
        let mut bdds = Bdds::new();
        let (mut both, mut same) = (0, 0);
        for round in 0..500 {
            let a = random_finite(&mut r, &mut bdds, 4);
            let b = if round % 3 == 0 {
                minimize(&mut bdds, &a, 1000).expect("small")
            } else {
                random_finite(&mut r, &mut bdds, 4)
            };
            let p = intersection(&mut bdds, &a, &b);
            for _ in 0..10 {
                let w = random_letters(&mut r, 6);
                let truth = a.accepts(&bdds, &w) && b.accepts(&bdds, &w);
                assert_eq!(p.accepts(&bdds, &w), truth);
                both += usize::from(truth);
            }
            // An independent comparison: the difference of the languages.
            let not_a = complement(&mut bdds, &a, 1000).expect("small");
            let not_b = complement(&mut bdds, &b, 1000).expect("small");
            let mut outside = [
                intersection(&mut bdds, &a, &not_b),
                intersection(&mut bdds, &b, &not_a),
            ];
            let equal = outside.iter_mut().all(|p| {
                p.trim();
                !p.is_final.contains(&true)
            });
            assert_eq!(equivalent(&mut bdds, &a, &b, 1000), Some(equal));
            same += usize::from(equal);
            let shortest = match difference(&mut bdds, &a, &b, 1000).expect("small") {
                None => continue,
                Some(FiniteDifference::OnlyFirst(w)) => {
                    assert!(a.accepts(&bdds, &w) && !b.accepts(&bdds, &w));
                    w.len()
                }
                Some(FiniteDifference::OnlySecond(w)) => {
                    assert!(b.accepts(&bdds, &w) && !a.accepts(&bdds, &w));
                    w.len()
                }
            };
            for _ in 0..10 {
                let w = random_letters(&mut r, 3);
                let differs = a.accepts(&bdds, &w) != b.accepts(&bdds, &w);
                assert!(!differs || w.len() >= shortest);
            }
        }
        assert!(both > 300 && same > 150 && same < 450, "{both} {same}");
    }
}
