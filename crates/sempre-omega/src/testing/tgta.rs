//! Transition-based generalised testing automata.
//!
//! Definition 7 of Ben Salem, Duret-Lutz, Kordon, Thierry-Mieg, "Symbolic model checking of stutter-invariant
//! properties using generalized testing automata" (TACAS 2014), and the construction of their "Model checking using
//! generalized testing automata" (ToPNoC 2012). Acceptance is generalised Büchi on transitions; every state has a
//! stuttering self-loop, and no other transition stutters. So the run stays in its state while the word stutters, and
//! there is no second kind of acceptance.
//!
//! From a TGBA: it is unfolded (`unfolding`). A state on an accepting stuttering cycle gets a self-loop in
//! all acceptance sets: a round of that cycle reads repetitions of a letter. A state that only *reaches* such a cycle
//! by stuttering must not have one, if a run can return to it and see the marks again. The papers copy transitions
//! into it to the states on the cycles; here the copies lead to one artificial state with only its self-loop, and are
//! added only if no transition with the same source and changeset leads to a state with such a self-loop already:
//! they only accept the end of the word. If the state is on no cycle of changes, it gets the self-loop after all,
//! since no run returns to it.
//!
//! The unfolding of a deterministic automaton skips stuttering: each of its states is on an accepting stuttering
//! cycle or cannot reach one, so no artificial state is needed, and the result is deterministic.
//!
//! Then marks are removed from transitions that lie on no accepting cycle, useless states are removed, and bisimilar
//! states are merged. Several transitions may have the same ends and changeset and different marks, which the
//! definition, where transitions are triples, does not permit; none of them is then in all the sets of another.
//!
//! Invariants: I1, the only transition of a state with the empty changeset is its self-loop, and it has one; I2,
//! initial pairs are sorted by valuation.
//!
//! Cost: that of the unfolding; reductions are a few passes.

use super::bisimulation;
use super::graph::Graph;
use super::limits::{Limits, Refusal};
use super::unfolding::{SkipStuttering, Unfolding, unfold};
use super::{EdgeTable, Initial, TestingEdge, initial_states, is_deterministic};
use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::emptiness::useful_states;
use crate::mark::Mark;
use crate::scc::Sccs;

/// A transition-based generalised testing automaton.
#[derive(Clone, Debug)]
pub struct Tgta {
    /// Its name; usually the formula it came from.
    pub name: Option<String>,
    /// The observed propositions (numbers in the alphabet), by bit.
    pub propositions: Vec<u32>,
    /// The initial pairs, sorted.
    pub initial: Vec<Initial>,
    /// The transitions, the stuttering self-loops among them.
    pub table: EdgeTable,
    /// Number of acceptance sets.
    pub sets: u32,
}

impl Tgta {
    /// The reduced testing automaton of a generalised Büchi automaton, whose language must be
    /// stutter-invariant.
    pub fn new(bdds: &mut Bdds, a: &Automaton, limits: Limits) -> Result<Self, Refusal> {
        let mut t = Self::unreduced(bdds, a, limits)?;
        t.remove_useless_marks();
        t.merge_bisimilar();
        Ok(t)
    }

    /// The result of the construction, without useless states but before any reduction.
    pub fn unreduced(bdds: &mut Bdds, a: &Automaton, limits: Limits) -> Result<Self, Refusal> {
        let u = unfold(bdds, a, limits, SkipStuttering::IfDeterministic)?;
        let (propositions, sets) = (u.propositions.clone(), u.sets);
        let mut graph = with_self_loops(u);
        graph.tidy();
        let mut t = Self {
            name: a.name.clone(),
            table: EdgeTable::new(graph.edges, propositions.len()),
            propositions,
            initial: graph.initial,
            sets,
        };
        t.remove_useless();
        Ok(t)
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.table.states()
    }

    /// Number of transitions, one per changeset, with the self-loops.
    pub fn transitions(&self) -> usize {
        self.table.all().len()
    }

    /// The transitions of a state for a changeset.
    pub fn edges(&self, state: u32, changeset: u64) -> &[TestingEdge] {
        self.table.get(state, changeset)
    }

    /// The acceptance sets of the stuttering self-loop of a state.
    pub fn stutter_marks(&self, state: u32) -> u64 {
        self.edges(state, 0).iter().fold(0, |m, e| m | e.marks)
    }

    /// The initial states for this valuation of the first letter.
    pub fn initial_states(&self, valuation: u64) -> impl Iterator<Item = u32> + '_ {
        initial_states(&self.initial, valuation)
    }

    /// Does at most one run read each word?
    pub fn is_deterministic(&self) -> bool {
        is_deterministic(&self.initial, &self.table)
    }

    /// Are the stuttering transitions the self-loops of all states, one each (I1)?
    pub fn is_well_formed(&self) -> bool {
        (0..self.states() as u32).all(|s| matches!(self.edges(s, 0), [e] if e.to == s))
    }

    pub(crate) fn graph(&self) -> Graph {
        Graph::of(&self.initial, &self.table)
    }

    fn replace(&mut self, graph: Graph) {
        debug_assert!(graph.initial.is_sorted(), "I2");
        self.initial = graph.initial;
        self.table = EdgeTable::new(graph.edges, self.propositions.len());
        debug_assert!(self.is_well_formed(), "I1");
    }

    fn skeleton(&self) -> Automaton {
        let acceptance = Acceptance::generalized_buchi(self.sets);
        self.graph().skeleton(self.sets, acceptance, |_, e| e.marks)
    }

    /// Merges bisimilar states.
    pub fn merge_bisimilar(&mut self) {
        let kind: Vec<u64> = (0..self.states() as u32)
            .map(|s| self.stutter_marks(s))
            .collect();
        let mut graph = self.graph();
        bisimulation::merge(&mut graph, &kind);
        graph.trim(|_| true);
        self.replace(graph);
    }

    /// Removes marks from transitions that lie on no accepting cycle.
    pub(crate) fn remove_useless_marks(&mut self) {
        let a = self.skeleton();
        let sccs = Sccs::new(&a);
        let accepting = sccs.accepting(&a);
        let mut graph = self.graph();
        for (s, edges) in graph.edges.iter_mut().enumerate() {
            for e in edges {
                let c = sccs.of[s];
                let counts = c == sccs.of[e.to as usize]
                    && accepting.get(c as usize).copied().unwrap_or(false);
                if !counts {
                    e.marks = 0;
                }
            }
        }
        graph.tidy();
        self.replace(graph);
    }

    fn remove_useless(&mut self) {
        let a = self.skeleton();
        let useful = useful_states(&a, &Sccs::new(&a));
        let mut graph = self.graph();
        graph.trim(|s| useful[s as usize]);
        self.replace(graph);
    }
}

/// Adds the stuttering self-loops, and the artificial state where it is needed.
fn with_self_loops(u: Unfolding) -> Graph {
    let mut graph = u.graph;
    let livelock = u.livelock;
    let a = graph.skeleton(0, Acceptance::True, |_, _| 0);
    let roots: Vec<u32> = (0..a.states() as u32).collect();
    let sccs = Sccs::restricted(&a, &roots, |_, _| true);
    let mut accepting_stuttering = u.accepting_stutter;
    for (c, states) in sccs.states.iter().enumerate() {
        let s = states[0] as usize;
        accepting_stuttering[s] |= livelock[s] && sccs.is_trivial(&a, c);
    }
    // Without acceptance sets every self-loop accepts, and every state may rest.
    debug_assert!(u.sets > 0 || accepting_stuttering.iter().all(|r| *r));
    let all = Mark::all(u.sets).words()[0];
    // The artificial state is the last one.
    let rest = graph.edges.len() as u32;
    let lacks = |targets: &mut dyn Iterator<Item = u32>| {
        let mut found = (false, false);
        for t in targets {
            found.0 |= livelock[t as usize];
            found.1 |= accepting_stuttering[t as usize];
        }
        found == (true, false)
    };
    let mut missing: Vec<Initial> = Vec::new();
    for group in graph.initial.chunk_by(|i, j| i.valuation == j.valuation) {
        if lacks(&mut group.iter().map(|i| i.state)) {
            missing.push(Initial {
                state: rest,
                ..group[0]
            });
        }
    }
    graph.initial.extend(missing);
    for (s, edges) in (0u32..).zip(&mut graph.edges) {
        let mut missing: Vec<TestingEdge> = Vec::new();
        for group in edges.chunk_by(|e, f| e.changeset == f.changeset) {
            if lacks(&mut group.iter().map(|e| e.to)) {
                missing.push(TestingEdge {
                    changeset: group[0].changeset,
                    to: rest,
                    marks: 0,
                });
            }
        }
        edges.extend(missing);
        let marks = if accepting_stuttering[s as usize] {
            all
        } else {
            0
        };
        edges.push(TestingEdge {
            changeset: 0,
            to: s,
            marks,
        });
    }
    graph.edges.push(vec![TestingEdge {
        changeset: 0,
        to: rest,
        marks: all,
    }]);
    graph
}
