//! Testing automata with Büchi and livelock acceptance.
//!
//! Definition 3 and the construction of section 2.3 of Ben Salem, Duret-Lutz, Kordon, "Generalized Büchi automata
//! versus testing automata for model checking" (SUMo 2011); the automata are those of Hansen, Penczek, Valmari (FMICS
//! 2002). A word is accepted
//!
//! * if it changes for ever and a run that stays in its state while nothing changes sees Büchi accepting states
//!   infinitely often, or
//! * if it stutters from some point on and the run stays in a livelock accepting state from there.
//!
//! From a Büchi automaton with acceptance on states: it is unfolded (`unfolding`); a pair is Büchi
//! accepting if its state is, and livelock accepting if it reaches an accepting stuttering cycle by stuttering; the
//! stuttering transitions are removed. States with an empty language are removed too, and bisimilar ones are merged.
//!
//! Then the second optimisation of the paper: a state on no cycle can be Büchi accepting or not, so it becomes so if
//! all its successors are ([`Ta::transient_into_buchi`]), and more states may be bisimilar. The paper does that
//! before merging and claims that it never prevents a merge; it can, if the state is bisimilar to one on a cycle (`x
//! -> y`, `x' -> y`, `y -> x'`, only `y` accepting). Here states are merged first, which leaves no such pair, and
//! again afterwards.
//!
//! Invariants: I1, no transition stutters; I2, initial pairs are sorted by valuation.
//!
//! Cost: that of the unfolding; reductions are a few passes.

use super::bisimulation;
use super::graph::Graph;
use super::limits::{Limits, Refusal};
use super::unfolding::{SkipStuttering, unfold};
use super::{EdgeTable, Initial, TestingEdge, initial_states, is_deterministic};
use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::emptiness::useful_states;
use crate::scc::Sccs;

/// A testing automaton.
#[derive(Clone, Debug)]
pub struct Ta {
    /// Its name; usually the formula it came from.
    pub name: Option<String>,
    /// The observed propositions (numbers in the alphabet), by bit.
    pub propositions: Vec<u32>,
    /// The initial pairs, sorted.
    pub initial: Vec<Initial>,
    /// The transitions; none stutters, none has marks.
    pub table: EdgeTable,
    /// Is the state Büchi accepting (the set `F`)?
    pub buchi: Vec<bool>,
    /// Is the state livelock accepting (the set `G`)?
    pub livelock: Vec<bool>,
}

impl Ta {
    /// The reduced testing automaton of a Büchi automaton with acceptance on states, whose language
    /// must be stutter-invariant.
    pub fn new(bdds: &mut Bdds, a: &Automaton, limits: Limits) -> Result<Self, Refusal> {
        let mut t = Self::unreduced(bdds, a, limits)?;
        t.merge_bisimilar();
        if t.transient_into_buchi() {
            t.merge_bisimilar();
        }
        Ok(t)
    }

    /// The result of the construction, without useless states but before any reduction.
    pub fn unreduced(bdds: &mut Bdds, a: &Automaton, limits: Limits) -> Result<Self, Refusal> {
        if !a.has_state_acceptance() {
            return Err(Refusal::NotStateBuchi);
        }
        let u = unfold(bdds, a, limits, SkipStuttering::Never)?;
        if u.sets > 1 {
            return Err(Refusal::NotStateBuchi);
        }
        // Every state of the unfolding has an edge to take, but it need not have a transition: the
        // successor may have nothing to read. Then it is not on a cycle, and its kind is free.
        let all = (1u64 << u.sets) - 1;
        let buchi = (u.graph.edges.iter())
            .map(|edges| edges.first().is_some_and(|e| e.marks == all))
            .collect();
        let mut graph = u.graph;
        for e in graph.edges.iter_mut().flatten() {
            e.marks = 0;
        }
        graph.tidy();
        let name = a.name.clone();
        Ok(Self::assemble(
            name,
            u.propositions,
            graph,
            buchi,
            u.livelock,
        ))
    }

    pub(crate) fn assemble(
        name: Option<String>,
        propositions: Vec<u32>,
        graph: Graph,
        buchi: Vec<bool>,
        livelock: Vec<bool>,
    ) -> Self {
        debug_assert!(graph.initial.is_sorted(), "I2");
        debug_assert!(graph.edges.iter().flatten().all(|e| e.changeset != 0), "I1");
        Self {
            name,
            table: EdgeTable::new(graph.edges, propositions.len()),
            propositions,
            initial: graph.initial,
            buchi,
            livelock,
        }
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.table.states()
    }

    /// Number of transitions, one per changeset.
    pub fn transitions(&self) -> usize {
        self.table.all().len()
    }

    /// The transitions of a state for a changeset. For the empty changeset there are none: a run stays in its state.
    pub fn edges(&self, state: u32, changeset: u64) -> &[TestingEdge] {
        self.table.get(state, changeset)
    }

    /// The initial states for this valuation of the first letter.
    pub fn initial_states(&self, valuation: u64) -> impl Iterator<Item = u32> + '_ {
        initial_states(&self.initial, valuation)
    }

    /// Does at most one run read each word?
    pub fn is_deterministic(&self) -> bool {
        is_deterministic(&self.initial, &self.table)
    }

    pub(crate) fn graph(&self) -> Graph {
        Graph::of(&self.initial, &self.table)
    }

    /// The automaton with these states in place of its own; `old` maps them to the original ones.
    fn replace(&mut self, graph: Graph, old: &[u32]) {
        let pick = |from: &[bool]| old.iter().map(|&s| from[s as usize]).collect();
        *self = Self::assemble(
            self.name.take(),
            std::mem::take(&mut self.propositions),
            graph,
            pick(&self.buchi),
            pick(&self.livelock),
        );
    }

    /// Merges bisimilar states.
    pub fn merge_bisimilar(&mut self) {
        let kind: Vec<u64> = (self.buchi.iter().zip(&self.livelock))
            .map(|(&f, &g)| u64::from(f) + 2 * u64::from(g))
            .collect();
        let mut graph = self.graph();
        let old = bisimulation::merge(&mut graph, &kind);
        self.replace(graph, &old);
        let mut graph = self.graph();
        let old = graph.trim(|_| true);
        self.replace(graph, &old);
    }

    /// Makes states on no cycle Büchi accepting if all their successors are. Returns whether there was one.
    pub fn transient_into_buchi(&mut self) -> bool {
        let a = self.graph().skeleton(0, Acceptance::True, |_, _| 0);
        let sccs = Sccs::new(&a);
        let mut changed = false;
        // Successors first.
        for (c, states) in sccs.states.iter().enumerate() {
            let s = states[0] as usize;
            if sccs.is_trivial(&a, c)
                && !self.buchi[s]
                && a.edges[s].iter().all(|e| self.buchi[e.to as usize])
            {
                self.buchi[s] = true;
                changed = true;
            }
        }
        changed
    }

    /// Removes the states that are not reachable or from which nothing is accepted.
    pub(crate) fn remove_useless(&mut self) {
        let mut graph = self.graph();
        // Set 0: a change that leaves a Büchi accepting state; set 1: a change at all; set 2: resting
        // in a livelock accepting state.
        for (s, &accepting_stuttering) in self.livelock.iter().enumerate() {
            if accepting_stuttering {
                graph.edges[s].push(TestingEdge {
                    changeset: 0,
                    to: s as u32,
                    marks: 4,
                });
            }
        }
        let livelock = Acceptance::and([Acceptance::Fin(1), Acceptance::Inf(2)]);
        let acceptance = Acceptance::or([Acceptance::Inf(0), livelock]);
        let a = graph.skeleton(3, acceptance, |s, e| match e.changeset {
            0 => e.marks,
            _ => 2 + u64::from(self.buchi[s as usize]),
        });
        let useful = useful_states(&a, &Sccs::new(&a));
        let mut graph = self.graph();
        let old = graph.trim(|s| useful[s as usize]);
        self.replace(graph, &old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the header: `x -> y`, `x' -> y`, `y -> x'`, only `y` Büchi accepting. A state on no cycle must
    /// not be changed before it is merged with one on a cycle.
    #[test]
    fn transient_states_are_merged_before_they_are_changed() {
        let edge = |to: u32| {
            vec![TestingEdge {
                changeset: 1,
                to,
                marks: 0,
            }]
        };
        let graph = Graph {
            initial: vec![Initial {
                valuation: 0,
                state: 0,
            }],
            edges: vec![edge(2), edge(2), edge(1)],
        };
        let buchi = vec![false, false, true];
        let t = Ta::assemble(None, vec![0], graph, buchi, vec![false; 3]);
        let mut early = t.clone();
        assert!(early.transient_into_buchi());
        early.merge_bisimilar();
        assert_eq!(early.states(), 3);
        let mut late = t;
        late.merge_bisimilar();
        assert!(!late.transient_into_buchi());
        assert_eq!(late.states(), 2);
    }

    #[test]
    fn acceptance_must_be_on_states() {
        use crate::bdd::Bdd;
        use crate::mark::Mark;
        let bdds = &mut Bdds::new();
        let p = bdds.variable(0);
        let not_p = bdds.literal((0, false));
        let mut a = Automaton::new(vec![0], 2, Acceptance::generalized_buchi(2));
        let s = a.add_state();
        a.initial.push(s);
        a.add_edge(s, s, Bdd::TRUE, Mark::all(2));
        let limits = Limits::default();
        assert_eq!(
            Ta::new(bdds, &a, limits).err(),
            Some(Refusal::NotStateBuchi)
        );
        a.edges[0].clear();
        a.acceptance = Acceptance::buchi();
        a.add_edge(s, s, p, Mark::single(0));
        a.add_edge(s, s, not_p, Mark::EMPTY);
        assert_eq!(
            Ta::new(bdds, &a, limits).err(),
            Some(Refusal::NotStateBuchi)
        );
        a.acceptance = Acceptance::co_buchi();
        a.edges[0].pop();
        let refused = Ta::new(bdds, &a, limits).err();
        assert_eq!(refused, Some(Refusal::NotGeneralizedBuchi));
    }
}
