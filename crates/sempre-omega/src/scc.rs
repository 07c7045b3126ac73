//! Strongly connected components, and their kinds.
//!
//! Tarjan's algorithm (SIAM J. Comput. 1972) without recursion. Components are numbered in reverse topological order:
//! an edge never leads from a component to one with a higher number.
//!
//! Kinds, for the acceptance condition of the automaton: *trivial* (one state, no loop), *rejecting* (no accepting
//! run stays inside), *weak* (all cycles accept, or none does; decided by marks alone, see [`Sccs::is_weak`]),
//! *terminal* (weak, accepting and complete).

use crate::automaton::{Automaton, Edge};
use crate::bdd::{Bdd, Bdds};
use crate::mark::Mark;

/// The components of an automaton.
#[derive(Clone, Debug)]
pub struct Sccs {
    /// The component of each state; `u32::MAX` for states the search did not reach.
    pub of: Vec<u32>,
    /// The states of each component.
    pub states: Vec<Vec<u32>>,
}

/// The state has not been reached.
pub(crate) const UNREACHED: u32 = u32::MAX;

impl Sccs {
    /// The components that are reachable from the initial states.
    pub fn new(a: &Automaton) -> Self {
        Self::restricted(a, &a.initial, |_, _| true)
    }

    /// The components of the subgraph of the edges that satisfy `keep(source, edge)`, as far as it is reachable from
    /// `roots`.
    pub fn restricted(a: &Automaton, roots: &[u32], keep: impl Fn(u32, &Edge) -> bool) -> Self {
        let n = a.states();
        let mut of = vec![UNREACHED; n];
        let mut states: Vec<Vec<u32>> = Vec::new();
        let mut index = vec![UNREACHED; n];
        let mut low = vec![0u32; n];
        let mut live: Vec<u32> = Vec::new();
        let mut calls: Vec<(u32, usize)> = Vec::new();
        let mut clock = 0;
        for &root in roots {
            if index[root as usize] != UNREACHED {
                continue;
            }
            calls.push((root, 0));
            while let Some(&mut (s, ref mut i)) = calls.last_mut() {
                sempre_base::checkpoint();
                let su = s as usize;
                if *i == 0 {
                    index[su] = clock;
                    low[su] = clock;
                    clock += 1;
                    live.push(s);
                }
                let edges = &a.edges[su];
                let mut descend = None;
                while *i < edges.len() {
                    let e = &edges[*i];
                    *i += 1;
                    if !keep(s, e) {
                        continue;
                    }
                    let t = e.to as usize;
                    if index[t] == UNREACHED {
                        descend = Some(e.to);
                        break;
                    }
                    if of[t] == UNREACHED {
                        low[su] = low[su].min(index[t]);
                    }
                }
                if let Some(t) = descend {
                    calls.push((t, 0));
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    low[parent as usize] = low[parent as usize].min(low[su]);
                }
                if low[su] == index[su] {
                    let number = states.len() as u32;
                    let start = live.iter().rposition(|&x| x == s).expect("on the stack");
                    let members = live.split_off(start);
                    for &m in &members {
                        of[m as usize] = number;
                    }
                    states.push(members);
                }
            }
        }
        Self { of, states }
    }

    /// Number of components.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Does the edge stay inside the component of its source?
    pub fn internal(&self, from: u32, edge: &Edge) -> bool {
        self.of[from as usize] == self.of[edge.to as usize]
    }

    /// The edges inside a component, with their sources.
    pub fn edges<'a>(
        &'a self,
        a: &'a Automaton,
        scc: usize,
    ) -> impl Iterator<Item = (u32, &'a Edge)> + 'a {
        self.states[scc].iter().flat_map(move |&s| {
            a.edges[s as usize]
                .iter()
                .filter(move |e| self.of[e.to as usize] == scc as u32)
                .map(move |e| (s, e))
        })
    }

    /// One state and no loop: no run stays.
    pub fn is_trivial(&self, a: &Automaton, scc: usize) -> bool {
        self.states[scc].len() == 1 && self.edges(a, scc).next().is_none()
    }

    /// All marks on the edges inside a component, and those that all these edges share.
    pub fn marks(&self, a: &Automaton, scc: usize) -> (Mark, Mark) {
        let mut any = Mark::EMPTY;
        let mut common = Mark::all(a.sets);
        for (_, e) in self.edges(a, scc) {
            any = any.union(&e.mark);
            common = common.intersection(&e.mark);
        }
        (any, common)
    }

    /// Do all cycles inside the component agree on acceptance, as far as marks decide it: does the condition become a
    /// constant when marks that no edge carries and marks that every edge carries are substituted? A trivial
    /// component is weak. The test is sufficient, not necessary.
    pub fn is_weak(&self, a: &Automaton, scc: usize) -> bool {
        let (any, common) = self.marks(a, scc);
        let condition = a.acceptance.restrict_to(&any).assume_inf(&common);
        self.is_trivial(a, scc)
            || matches!(
                condition,
                crate::Acceptance::True | crate::Acceptance::False
            )
    }

    /// Weak, accepting, and complete inside: every continuation of a run that enters is accepted.
    pub fn is_terminal(&self, a: &Automaton, bdds: &mut Bdds, scc: usize) -> bool {
        let (any, common) = self.marks(a, scc);
        let condition = a.acceptance.restrict_to(&any).assume_inf(&common);
        condition == crate::Acceptance::True
            && !self.is_trivial(a, scc)
            && self.states[scc].iter().all(|&s| {
                a.edges[s as usize]
                    .iter()
                    .filter(|e| self.internal(s, e))
                    .fold(Bdd::FALSE, |seen, e| bdds.or(seen, e.label))
                    .is_true()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Acceptance;
    use sempre_base::Random;

    fn random_graph(r: &mut Random, n: usize, edges: usize) -> Automaton {
        let mut a = Automaton::new(vec![], 0, Acceptance::True);
        for _ in 0..n {
            a.add_state();
        }
        a.initial = vec![0];
        for _ in 0..edges {
            let (s, t) = (r.below(n) as u32, r.below(n) as u32);
            a.add_edge(s, t, Bdd::TRUE, Mark::EMPTY);
        }
        a
    }

    #[test]
    fn components_are_mutual_reachability() {
        let mut r = Random::new(11);
        for _ in 0..500 {
            let n = 1 + r.below(9);
            let m = r.below(2 * n + 1);
            let a = random_graph(&mut r, n, m);
            // The slow reference: transitive closure.
            let mut reach = vec![vec![false; n]; n];
            for (s, row) in reach.iter_mut().enumerate() {
                row[s] = true;
                for e in &a.edges[s] {
                    row[e.to as usize] = true;
                }
            }
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        reach[i][j] |= reach[i][k] && reach[k][j];
                    }
                }
            }
            let sccs = Sccs::new(&a);
            for i in 0..n {
                assert_eq!(sccs.of[i] != UNREACHED, reach[0][i]);
                for j in 0..n {
                    if reach[0][i] && reach[0][j] {
                        assert_eq!(sccs.of[i] == sccs.of[j], reach[i][j] && reach[j][i]);
                        if reach[i][j] {
                            assert!(sccs.of[i] >= sccs.of[j], "reverse topological order");
                        }
                    }
                }
            }
            let members: usize = sccs.states.iter().map(Vec::len).sum();
            assert_eq!(members, (0..n).filter(|&i| reach[0][i]).count());
        }
    }
}
