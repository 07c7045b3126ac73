//! The type of finite automata, and operations on a single automaton.

use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::word::Letter;

/// An edge of a finite automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiniteEdge {
    /// The condition on the letter.
    pub label: Bdd,
    /// The destination.
    pub to: u32,
}

/// An automaton over finite words.
///
/// Invariants: every destination and every initial state is a state, and [`is_final`](Self::is_final)
/// has an entry for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FiniteAutomaton {
    /// Its name; usually the formula it came from.
    pub name: Option<String>,
    /// The declared propositions (numbers in the alphabet), in the order in which they are printed.
    pub propositions: Vec<u32>,
    /// The initial states; none means the empty language.
    pub initial: Vec<u32>,
    /// The outgoing edges of each state.
    pub edges: Vec<Vec<FiniteEdge>>,
    /// Is a word accepted that ends here?
    pub is_final: Vec<bool>,
}

impl FiniteAutomaton {
    /// An automaton without states.
    pub fn new(propositions: Vec<u32>) -> Self {
        Self {
            propositions,
            ..Self::default()
        }
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// A new state without edges.
    pub fn add_state(&mut self, is_final: bool) -> u32 {
        self.edges.push(Vec::new());
        self.is_final.push(is_final);
        self.edges.len() as u32 - 1
    }

    /// A new edge, unless its label is never true.
    pub fn add_edge(&mut self, from: u32, to: u32, label: Bdd) {
        if !label.is_false() {
            self.edges[from as usize].push(FiniteEdge { label, to });
        }
    }

    /// Is there at most one initial state, and at most one edge for each letter in each state?
    pub fn is_deterministic(&self, bdds: &mut Bdds) -> bool {
        self.initial.len() <= 1
            && (self.edges.iter())
                .all(|edges| bdds.pairwise_disjoint(edges.iter().map(|e| e.label)))
    }

    /// Is there an initial state, and an edge for each letter in each state?
    pub fn is_complete(&self, bdds: &mut Bdds) -> bool {
        !self.initial.is_empty() && (0..self.states()).all(|s| self.missing(bdds, s).is_false())
    }

    /// The letters for which a state has no edge.
    pub fn missing(&self, bdds: &mut Bdds, state: usize) -> Bdd {
        let seen = self.edges[state]
            .iter()
            .fold(Bdd::FALSE, |seen, e| bdds.or(seen, e.label));
        bdds.not(seen)
    }

    /// Does some run on the word end in a final state? The reference of all operations.
    pub fn accepts(&self, bdds: &Bdds, word: &[Letter]) -> bool {
        let mut now = vec![false; self.states()];
        for &s in &self.initial {
            now[s as usize] = true;
        }
        for letter in word {
            let mut next = vec![false; self.states()];
            for (s, edges) in self.edges.iter().enumerate() {
                for e in edges {
                    next[e.to as usize] |= now[s] && letter.satisfies(bdds, e.label);
                }
            }
            now = next;
        }
        now.iter()
            .zip(&self.is_final)
            .any(|(&here, &end)| here && end)
    }

    /// Unites the labels of edges with the same ends, and sorts the edges of each state by label.
    pub fn merge_edges(&mut self, bdds: &mut Bdds) {
        for edges in &mut self.edges {
            edges.sort_unstable_by_key(|e| (e.to, e.label));
            edges.dedup_by(|next, kept| {
                let same = next.to == kept.to;
                if same {
                    kept.label = bdds.or(kept.label, next.label);
                }
                same
            });
            edges.sort_unstable();
        }
    }

    /// Drops the states that no initial state reaches and those that reach no final state, and numbers
    /// the others breadth first. The first initial state stays in any case.
    pub fn trim(&mut self) {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.states()];
        for (s, edges) in self.edges.iter().enumerate() {
            for e in edges {
                before[e.to as usize].push(s as u32);
            }
        }
        let mut useful = self.is_final.clone();
        let mut stack: Vec<u32> = (0..self.states() as u32)
            .filter(|&s| useful[s as usize])
            .collect();
        while let Some(s) = stack.pop() {
            for &p in &before[s as usize] {
                if !std::mem::replace(&mut useful[p as usize], true) {
                    stack.push(p);
                }
            }
        }
        let mut start: Vec<u32> = Vec::new();
        for &s in &self.initial {
            if useful[s as usize] && !start.contains(&s) {
                start.push(s);
            }
        }
        if start.is_empty() {
            start.extend(self.initial.first());
        }
        let mut number = vec![u32::MAX; self.states()];
        let mut order = Vec::new();
        let mut reach = |s: u32, order: &mut Vec<u32>| {
            if number[s as usize] == u32::MAX {
                number[s as usize] = order.len() as u32;
                order.push(s);
            }
            number[s as usize]
        };
        let initial: Vec<u32> = start.iter().map(|&s| reach(s, &mut order)).collect();
        let mut edges = Vec::new();
        let mut at = 0;
        while at < order.len() {
            let kept = self.edges[order[at] as usize]
                .iter()
                .filter(|e| useful[e.to as usize])
                .map(|e| FiniteEdge {
                    label: e.label,
                    to: reach(e.to, &mut order),
                })
                .collect();
            edges.push(kept);
            at += 1;
        }
        self.is_final = order.iter().map(|&s| self.is_final[s as usize]).collect();
        self.initial = initial;
        self.edges = edges;
    }

    /// The graph as an ω-automaton without marks, for algorithms that do not care about acceptance.
    pub(super) fn graph(&self) -> Automaton {
        let mut a = Automaton::new(self.propositions.clone(), 0, crate::Acceptance::True);
        a.initial.clone_from(&self.initial);
        for edges in &self.edges {
            let s = a.add_state();
            a.edges[s as usize] = edges
                .iter()
                .map(|e| crate::Edge {
                    to: e.to,
                    label: e.label,
                    mark: crate::Mark::EMPTY,
                })
                .collect();
        }
        a
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{random_finite, random_letters};
    use super::*;
    use sempre_base::Random;

    #[test]
    fn words_that_end_in_b() {
        let mut bdds = Bdds::new();
        let b = bdds.variable(1);
        let mut a = FiniteAutomaton::new(vec![0, 1]);
        let (s, t) = (a.add_state(false), a.add_state(true));
        a.initial.push(s);
        a.add_edge(s, s, Bdd::TRUE);
        a.add_edge(s, t, b);
        assert!(!a.is_deterministic(&mut bdds) && !a.is_complete(&mut bdds));
        let mut r = Random::new(3);
        let mut yes = 0;
        for _ in 0..300 {
            let word = random_letters(&mut r, 5);
            let truth = word.last().is_some_and(|l| l.holds(1));
            assert_eq!(a.accepts(&bdds, &word), truth);
            yes += usize::from(truth);
        }
        assert!(yes > 50 && yes < 250);
    }

    #[test]
    fn trimming_and_merging_keep_the_language() {
        let mut r = Random::new(4);
        let mut bdds = Bdds::new();
        let mut smaller = 0;
        for _ in 0..400 {
            let a = random_finite(&mut r, &mut bdds, 6);
            let mut b = a.clone();
            b.trim();
            b.merge_edges(&mut bdds);
            assert!(b.states() <= a.states() && b.edge_count() <= a.edge_count());
            smaller += usize::from(b.states() < a.states());
            for _ in 0..10 {
                let w = random_letters(&mut r, 6);
                assert_eq!(a.accepts(&bdds, &w), b.accepts(&bdds, &w));
            }
        }
        assert!(smaller > 50, "{smaller}");
    }
}
