//! A testing automaton while it is being built: lists that can still change.

use super::{EdgeTable, Initial, TestingEdge};
use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::Bdd;
use crate::mark::Mark;

/// States, transitions, initial pairs. The caller stores further data of states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) initial: Vec<Initial>,
    pub(crate) edges: Vec<Vec<TestingEdge>>,
}

impl Graph {
    /// That of an automaton that is to change.
    pub(crate) fn of(initial: &[Initial], table: &EdgeTable) -> Self {
        Self {
            initial: initial.to_vec(),
            edges: table.to_lists(),
        }
    }

    /// Sorts the transitions, and drops duplicates and transitions that another one between the same states dominates
    /// because it is in more acceptance sets.
    pub(crate) fn tidy(&mut self) {
        self.initial.sort_unstable();
        self.initial.dedup();
        for edges in &mut self.edges {
            edges.sort_unstable();
            edges.dedup();
            let mut kept: Vec<TestingEdge> = Vec::with_capacity(edges.len());
            for (i, e) in edges.iter().enumerate() {
                let same = |f: &&TestingEdge| (f.changeset, f.to) == (e.changeset, e.to);
                // A superset is the larger number, so it comes later.
                let dominated = edges[i + 1..]
                    .iter()
                    .take_while(same)
                    .any(|f| f.marks & e.marks == e.marks);
                if !dominated {
                    kept.push(*e);
                }
            }
            *edges = kept;
        }
    }

    /// Keeps the states that are reachable through states that satisfy `keep`, numbered in breadth-first order.
    /// Returns the old number of each state.
    pub(crate) fn trim(&mut self, keep: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut number = vec![u32::MAX; self.edges.len()];
        let mut order: Vec<u32> = Vec::new();
        let mut visit = |s: u32, order: &mut Vec<u32>| {
            if number[s as usize] == u32::MAX && keep(s) {
                number[s as usize] = order.len() as u32;
                order.push(s);
            }
        };
        self.initial.iter().for_each(|i| visit(i.state, &mut order));
        let mut at = 0;
        while at < order.len() {
            for e in &self.edges[order[at] as usize] {
                visit(e.to, &mut order);
            }
            at += 1;
        }
        self.renumber(&order, &number);
        order
    }

    /// Keeps the states `order`, in this order; `number` maps old numbers to new ones, and states without a number
    /// are dropped.
    pub(crate) fn renumber(&mut self, order: &[u32], number: &[u32]) {
        let new = |s: u32| number[s as usize];
        self.edges = order
            .iter()
            .map(|&s| {
                let edges = self.edges[s as usize].iter();
                let edges = edges.map(|e| TestingEdge {
                    to: new(e.to),
                    ..*e
                });
                edges.filter(|e| e.to != u32::MAX).collect()
            })
            .collect();
        for i in &mut self.initial {
            i.state = new(i.state);
        }
        self.initial.retain(|i| i.state != u32::MAX);
        self.tidy();
    }

    /// The graph as an automaton without labels, for the algorithms on components; `marks` gives the acceptance sets
    /// of a transition.
    pub(crate) fn skeleton(
        &self,
        sets: u32,
        acceptance: Acceptance,
        marks: impl Fn(u32, &TestingEdge) -> u64,
    ) -> Automaton {
        let mut a = Automaton::new(Vec::new(), sets, acceptance);
        for _ in 0..self.edges.len() {
            a.add_state();
        }
        for i in &self.initial {
            if a.initial.last() != Some(&i.state) {
                a.initial.push(i.state);
            }
        }
        for (s, edges) in (0u32..).zip(&self.edges) {
            for e in edges {
                a.add_edge(s, e.to, Bdd::TRUE, Mark::from_word(marks(s, e)));
            }
        }
        a
    }
}
