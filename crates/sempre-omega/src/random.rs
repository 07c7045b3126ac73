//! Random automata, the same for the same seed on every machine.
//!
//! In the spirit of the random graphs of Tauriainen (LBTT): every state gets a successor for each
//! state with probability `density`, and states that would be unreachable get an edge from one that
//! is reachable, so that the automaton has exactly the states asked for. Labels are random cubes. A
//! deterministic automaton splits the letters of each state among its edges instead.

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Edge};
use crate::bdd::{Bdd, Bdds, Literal};
use crate::mark::Mark;
use sempre_base::Random;

/// The parameters of a random automaton.
#[derive(Clone, Debug)]
pub struct RandomAutomaton {
    /// Number of states, at least one; all are reachable.
    pub states: usize,
    /// Probability of an edge between two states.
    pub density: f64,
    /// The propositions.
    pub propositions: Vec<u32>,
    /// The acceptance condition.
    pub acceptance: Acceptance,
    /// Number of acceptance sets.
    pub sets: u32,
    /// Probability that an edge is in a set.
    pub mark_probability: f64,
    /// At most one edge for each letter.
    pub deterministic: bool,
    /// At least one edge for each letter.
    pub complete: bool,
    /// All edges that leave a state have the same marks.
    pub state_acceptance: bool,
}

impl RandomAutomaton {
    /// A nondeterministic generalised Büchi automaton with the usual parameters.
    pub fn generalized_buchi(states: usize, propositions: &[u32], sets: u32) -> Self {
        Self {
            states,
            density: 0.3,
            propositions: propositions.to_vec(),
            acceptance: Acceptance::generalized_buchi(sets),
            sets,
            mark_probability: 0.3,
            deterministic: false,
            complete: false,
            state_acceptance: false,
        }
    }

    /// The same with a random acceptance condition over its sets.
    #[must_use]
    pub fn with_random_acceptance(mut self, r: &mut Random) -> Self {
        self.acceptance = random_acceptance(r, self.sets);
        self
    }

    /// The automaton.
    pub fn generate(&self, r: &mut Random, bdds: &mut Bdds) -> Automaton {
        let n = self.states.max(1);
        let mut a = Automaton::new(
            self.propositions.clone(),
            self.sets,
            self.acceptance.clone(),
        );
        for _ in 0..n {
            a.add_state();
        }
        a.initial.push(0);
        let targets = self.targets(r, n);
        for (s, targets) in targets.iter().enumerate() {
            let labels = if self.deterministic {
                self.split_letters(r, bdds, targets.len())
            } else {
                let mut labels: Vec<Bdd> = targets
                    .iter()
                    .map(|_| random_cube(r, bdds, &self.propositions))
                    .collect();
                if self.complete {
                    let seen = labels.iter().fold(Bdd::FALSE, |x, &y| bdds.or(x, y));
                    if let Some(last) = labels.last_mut() {
                        let missing = bdds.not(seen);
                        *last = bdds.or(*last, missing);
                    }
                }
                labels
            };
            let shared = self.marks(r);
            let edges = targets.iter().zip(labels).map(|(&to, label)| Edge {
                to,
                label,
                mark: if self.state_acceptance {
                    shared.clone()
                } else {
                    self.marks(r)
                },
            });
            a.edges[s] = edges.collect();
        }
        a
    }

    fn marks(&self, r: &mut Random) -> Mark {
        (0..self.sets)
            .filter(|_| r.chance(self.mark_probability))
            .collect()
    }

    /// The successors of each state; may name a state twice.
    fn targets(&self, r: &mut Random, n: usize) -> Vec<Vec<u32>> {
        let mut targets: Vec<Vec<u32>> = (0..n)
            .map(|_| {
                (0..n as u32)
                    .filter(|_| r.chance(self.density))
                    .collect::<Vec<_>>()
            })
            .collect();
        // Make everything reachable: hang each lost state below one that is not lost. Search again
        // each time, since it may bring others along.
        let mut seen = vec![false; n];
        let mut reached = Vec::new();
        let mut lost = 0;
        loop {
            let mut todo = vec![lost];
            seen[lost] = true;
            while let Some(s) = todo.pop() {
                reached.push(s);
                for &t in &targets[s] {
                    if !std::mem::replace(&mut seen[t as usize], true) {
                        todo.push(t as usize);
                    }
                }
            }
            match seen.iter().position(|&x| !x) {
                Some(s) => lost = s,
                None => break,
            }
            // With too few letters for another edge, a deterministic state cannot take it.
            let room = |s: usize| !self.deterministic || targets[s].len() < self.most_letters();
            let free: Vec<usize> = reached.iter().copied().filter(|&s| room(s)).collect();
            let parent = if free.is_empty() {
                *r.pick(&reached)
            } else {
                *r.pick(&free)
            };
            targets[parent].push(lost as u32);
        }
        if self.complete {
            for t in &mut targets {
                if t.is_empty() {
                    t.push(r.below(n) as u32);
                }
            }
        }
        targets
    }

    fn most_letters(&self) -> usize {
        1usize
            .checked_shl(self.propositions.len() as u32)
            .unwrap_or(usize::MAX)
    }

    /// Disjoint labels, one for each of `count` edges; fewer, if there are not enough letters (the caller's zip then
    /// drops the last edges, which loses reachability only if more edges were requested than there are letters).
    fn split_letters(&self, r: &mut Random, bdds: &mut Bdds, count: usize) -> Vec<Bdd> {
        if count == 0 {
            return Vec::new();
        }
        let all = self.most_letters();
        let mut cubes: Vec<Vec<Literal>> = vec![Vec::new()];
        // One piece more than edges leaves some letters without an edge.
        let spare = usize::from(!self.complete && r.chance(0.5));
        let wanted = (count + spare).min(all);
        while cubes.len() < wanted {
            let i = r.below(cubes.len());
            let free: Vec<u32> = self
                .propositions
                .iter()
                .copied()
                .filter(|v| cubes[i].iter().all(|(u, _)| u != v))
                .collect();
            if free.is_empty() {
                continue;
            }
            let v = *r.pick(&free);
            let mut other = cubes[i].clone();
            other.push((v, true));
            cubes[i].push((v, false));
            cubes.push(other);
        }
        let mut labels = Vec::with_capacity(count);
        while labels.len() < count && !cubes.is_empty() {
            let c = cubes.swap_remove(r.below(cubes.len()));
            labels.push(bdds.cube(&c));
        }
        labels
    }
}

fn random_cube(r: &mut Random, bdds: &mut Bdds, propositions: &[u32]) -> Bdd {
    let literals: Vec<Literal> = propositions
        .iter()
        .filter_map(|&v| match r.below(3) {
            0 => None,
            1 => Some((v, false)),
            _ => Some((v, true)),
        })
        .collect();
    bdds.cube(&literals)
}

/// A random condition in which each of `sets` sets occurs once.
pub fn random_acceptance(r: &mut Random, sets: u32) -> Acceptance {
    let mut parts: Vec<Acceptance> = (0..sets)
        .map(|i| {
            if r.chance(0.5) {
                Acceptance::Inf(i)
            } else {
                Acceptance::Fin(i)
            }
        })
        .collect();
    while parts.len() > 1 {
        let x = parts.swap_remove(r.below(parts.len()));
        let y = parts.swap_remove(r.below(parts.len()));
        parts.push(if r.chance(0.5) {
            Acceptance::and([x, y])
        } else {
            Acceptance::or([x, y])
        });
    }
    parts.pop().unwrap_or(Acceptance::True)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scc::Sccs;

    #[test]
    fn automata_are_what_was_asked_for() {
        let mut r = Random::new(8);
        let mut bdds = Bdds::new();
        for round in 0..500 {
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(8), &[0, 1, 2], 3)
                .with_random_acceptance(&mut r);
            o.deterministic = round % 2 == 0;
            o.complete = round % 3 == 0;
            o.state_acceptance = round % 5 == 0;
            o.density = 0.1 + 0.4 * r.unit();
            let a = o.generate(&mut r, &mut bdds);
            assert_eq!(a.states(), o.states);
            assert!(a.edges.iter().flatten().all(|e| !e.label.is_false()));
            if o.deterministic {
                assert!(a.is_deterministic(&mut bdds));
            } else {
                let reached: usize = Sccs::new(&a).states.iter().map(Vec::len).sum();
                assert_eq!(reached, o.states);
            }
            if o.complete {
                assert!(a.is_complete(&mut bdds));
            }
            if o.state_acceptance {
                assert!(a.has_state_acceptance());
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_automaton() {
        let make = |seed| {
            let mut bdds = Bdds::new();
            RandomAutomaton::generalized_buchi(6, &[0, 1], 2)
                .generate(&mut Random::new(seed), &mut bdds)
                .edges
        };
        assert_eq!(make(5), make(5));
        assert_ne!(make(5), make(6));
    }

    #[test]
    fn random_conditions_use_every_set_once() {
        let mut r = Random::new(2);
        for sets in 0..6 {
            let (infs, fins) = random_acceptance(&mut r, sets).sets_used();
            assert!(!infs.intersects(&fins));
            assert_eq!(infs.union(&fins), Mark::all(sets));
        }
    }
}
