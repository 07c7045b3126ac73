//! Alternating automata: edges with several destinations, all of which must accept the rest of the word.
//!
//! A run on a word is a tree. In each state one edge is chosen (existential branching) and the run continues in every
//! destination of it (universal branching); it accepts if each of its infinite branches sees marks that satisfy the
//! acceptance condition. Only [`miyano_hayashi`](crate::miyano_hayashi), which converts them to nondeterministic
//! automata, computes with alternating automata: they exist because HOA can describe them.
//!
//! Acceptance is decided in strongly connected components, because a branch stays in one of them for ever from some
//! point on. [`AlternatingAutomaton::demands`] simplifies the condition in each component by the marks that occur
//! inside. Components that are weak, and those whose simplified condition has only `Inf` or only `Fin`, have a simple
//! demand; the others are reported.

use crate::acceptance::Acceptance;
use crate::acceptance_dnf::{cnf, dnf};
use crate::automaton::{Automaton, Edge};
use crate::bdd::Bdd;
use crate::mark::Mark;
use crate::scc::Sccs;

/// An edge with one or more destinations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniversalEdge {
    /// The destinations: the rest of the word must be accepted from each of them.
    pub to: Vec<u32>,
    /// The condition on the letter.
    pub label: Bdd,
    /// The acceptance sets; every branch through the edge sees them.
    pub mark: Mark,
}

/// An alternating automaton over infinite words, with acceptance on its edges.
///
/// Invariants: those of [`Automaton`], and no edge and no initial conjunction is without a state.
#[derive(Clone, Debug)]
pub struct AlternatingAutomaton {
    /// The declared propositions.
    pub propositions: Vec<u32>,
    /// The initial conjunctions of states; one of them must accept from all its states.
    pub initial: Vec<Vec<u32>>,
    /// The outgoing edges of each state.
    pub edges: Vec<Vec<UniversalEdge>>,
    /// Number of acceptance sets.
    pub sets: u32,
    /// The acceptance condition on branches.
    pub acceptance: Acceptance,
}

/// The condition that a component imposes on branches that stay in it for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Nothing, or no branch stays.
    Nothing,
    /// Each of these sets of marks is hit again and again. An empty set cannot be hit: branches that stay are
    /// rejected.
    Buchi(Vec<Mark>),
    /// At least one of these sets of marks is not hit any more from some point on.
    CoBuchi(Vec<Mark>),
}

/// A component whose demand is none of [`Demand`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedDemand {
    /// A state of it.
    pub state: u32,
    /// The condition, simplified by the marks of the component.
    pub condition: Acceptance,
}

/// Most clauses of a demand.
const MAX_CLAUSES: usize = 64;

impl AlternatingAutomaton {
    /// The graph of the branches: an edge for each destination of an edge. Its language has no meaning.
    pub fn branches(&self) -> Automaton {
        let mut graph = Automaton::new(
            self.propositions.clone(),
            self.sets,
            self.acceptance.clone(),
        );
        graph.initial = self.initial.concat();
        graph.initial.sort_unstable();
        graph.initial.dedup();
        graph.edges = (self.edges.iter())
            .map(|edges| {
                let branches = edges.iter().flat_map(|e| {
                    e.to.iter().map(|&to| Edge {
                        to,
                        label: e.label,
                        mark: e.mark.clone(),
                    })
                });
                branches.collect()
            })
            .collect();
        graph
    }

    /// The components reachable from initial states, and the demand of each.
    pub fn demands(&self) -> Result<(Sccs, Vec<Demand>), MixedDemand> {
        let graph = self.branches();
        let sccs = Sccs::new(&graph);
        let demands = (0..sccs.len())
            .map(|c| {
                if sccs.is_trivial(&graph, c) {
                    return Ok(Demand::Nothing);
                }
                let (any, common) = sccs.marks(&graph, c);
                let condition = self.acceptance.restrict_to(&any).assume_inf(&common);
                demand(&condition).ok_or_else(|| MixedDemand {
                    state: sccs.states[c].iter().copied().min().unwrap_or(0),
                    condition,
                })
            })
            .collect::<Result<_, _>>()?;
        Ok((sccs, demands))
    }
}

fn demand(condition: &Acceptance) -> Option<Demand> {
    let (infs, fins) = condition.sets_used();
    match condition {
        Acceptance::True => Some(Demand::Nothing),
        Acceptance::False => Some(Demand::Buchi(vec![Mark::EMPTY])),
        _ if fins.is_empty() => {
            let clauses = cnf(condition, MAX_CLAUSES)?;
            Some(Demand::Buchi(clauses.into_iter().map(|c| c.inf).collect()))
        }
        _ if infs.is_empty() => {
            let clauses = dnf(condition, MAX_CLAUSES)?;
            Some(Demand::CoBuchi(
                clauses.into_iter().map(|c| c.fin).collect(),
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_see_their_own_marks() {
        let marks = |sets: &[u32]| -> Mark { sets.iter().copied().collect() };
        let edge = |to: &[u32], sets: &[u32]| UniversalEdge {
            to: to.to_vec(),
            label: Bdd::TRUE,
            mark: marks(sets),
        };
        let condition = "(Inf(0) | Inf(1)) & Fin(2)";
        let mut a = AlternatingAutomaton {
            propositions: vec![],
            initial: vec![vec![0]],
            edges: vec![
                vec![edge(&[1, 2], &[0])],                      // trivial
                vec![edge(&[1, 2], &[0]), edge(&[1], &[])],     // Inf(0)
                vec![edge(&[2], &[0, 2]), edge(&[2, 3], &[0])], // Fin(2)
                vec![edge(&[3], &[1])],                         // true
            ],
            sets: 3,
            acceptance: Acceptance::and([
                Acceptance::or([Acceptance::Inf(0), Acceptance::Inf(1)]),
                Acceptance::Fin(2),
            ]),
        };
        assert_eq!(a.acceptance.to_string(), condition);
        let (sccs, demands) = a.demands().unwrap();
        let of = |s: usize| demands[sccs.of[s] as usize].clone();
        assert_eq!(of(0), Demand::Nothing);
        assert_eq!(of(1), Demand::Buchi(vec![marks(&[0])]));
        assert_eq!(of(2), Demand::CoBuchi(vec![marks(&[2])]));
        assert_eq!(of(3), Demand::Nothing);
        a.edges[1].push(edge(&[1], &[2]));
        let mixed = a.demands().unwrap_err();
        assert_eq!(
            (mixed.state, mixed.condition.to_string()),
            (1, "Inf(0) & Fin(2)".to_string())
        );
    }
}
