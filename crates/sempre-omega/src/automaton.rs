//! ω-automata: states, labelled and marked edges, any acceptance.

use crate::acceptance::Acceptance;
use crate::bdd::{Bdd, Bdds};
use crate::mark::Mark;
use rustc_hash::FxHashMap;

/// The propositions of the automata of one task, and the functions over them.
///
/// The proposition with number `i` is the variable `i` of [`Alphabet::bdds`]. Automata that are to be combined share
/// one alphabet; all operations on labels take it as an argument.
#[derive(Clone, Default)]
pub struct Alphabet {
    names: Vec<String>,
    by_name: FxHashMap<String, u32>,
    /// The labels.
    pub bdds: Bdds,
}

impl Alphabet {
    /// An alphabet without propositions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `work` with at most this many additional nodes of decision diagrams; `None` if they do not suffice. See
    /// [`Bdds::within`].
    pub fn within<T>(&mut self, nodes: usize, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let outer = self.bdds.begin_bound(nodes);
        let made = work(self);
        self.bdds.end_bound(outer).then_some(made)
    }

    /// The number of the proposition called `name`, declared if it is new.
    pub fn declare(&mut self, name: &str) -> u32 {
        if let Some(&v) = self.by_name.get(name) {
            return v;
        }
        let v = self.names.len() as u32;
        self.names.push(name.to_string());
        self.by_name.insert(name.to_string(), v);
        v
    }

    /// The number of the proposition called `name`, if there is one.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The name of a proposition.
    pub fn name(&self, var: u32) -> &str {
        &self.names[var as usize]
    }

    /// All names, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// An edge: its destination, its label, its acceptance sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The destination.
    pub to: u32,
    /// The condition on the letter; never the constant false in a well-formed automaton.
    pub label: Bdd,
    /// The acceptance sets.
    pub mark: Mark,
}

/// An automaton over infinite words with acceptance on its edges.
///
/// Invariants: every destination and every initial state is a state; marks are below [`Automaton::sets`]; labels use
/// only [`Automaton::propositions`].
#[derive(Clone, Debug)]
pub struct Automaton {
    /// Its name; usually the formula it came from.
    pub name: Option<String>,
    /// The declared propositions (numbers in the alphabet), in the order in which they are printed.
    pub propositions: Vec<u32>,
    /// The initial states; none means the empty language.
    pub initial: Vec<u32>,
    /// The outgoing edges of each state.
    pub edges: Vec<Vec<Edge>>,
    /// Number of acceptance sets.
    pub sets: u32,
    /// The acceptance condition.
    pub acceptance: Acceptance,
    /// Names of states, for output; empty, or one per state.
    pub state_names: Vec<Option<String>>,
    /// HOA headers without meaning for this crate, kept for output.
    pub extra_headers: Vec<(String, String)>,
}

impl Automaton {
    /// An automaton without states.
    pub fn new(propositions: Vec<u32>, sets: u32, acceptance: Acceptance) -> Self {
        Self {
            name: None,
            propositions,
            initial: Vec::new(),
            edges: Vec::new(),
            sets,
            acceptance,
            state_names: Vec::new(),
            extra_headers: Vec::new(),
        }
    }

    /// One state that accepts everything.
    pub fn universal(propositions: Vec<u32>) -> Self {
        let mut a = Self::new(propositions, 0, Acceptance::True);
        let s = a.add_state();
        a.initial.push(s);
        a.add_edge(s, s, Bdd::TRUE, Mark::EMPTY);
        a
    }

    /// One state that accepts nothing.
    pub fn empty(propositions: Vec<u32>) -> Self {
        let mut a = Self::new(propositions, 0, Acceptance::True);
        let s = a.add_state();
        a.initial.push(s);
        a
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
    pub fn add_state(&mut self) -> u32 {
        sempre_base::checkpoint();
        self.edges.push(Vec::new());
        if !self.state_names.is_empty() {
            self.state_names.push(None);
        }
        self.edges.len() as u32 - 1
    }

    /// A new edge, unless its label is never true.
    pub fn add_edge(&mut self, from: u32, to: u32, label: Bdd, mark: Mark) {
        sempre_base::checkpoint();
        if !label.is_false() {
            self.edges[from as usize].push(Edge { to, label, mark });
        }
    }

    /// Is there at most one initial state, and at most one edge for each letter in each state?
    pub fn is_deterministic(&self, bdds: &mut Bdds) -> bool {
        self.initial.len() <= 1
            && (self.edges.iter())
                .all(|edges| bdds.pairwise_disjoint(edges.iter().map(|e| e.label)))
    }

    /// Is there an edge for each letter in each state?
    pub fn is_complete(&self, bdds: &mut Bdds) -> bool {
        !self.initial.is_empty()
            && self.edges.iter().all(|edges| {
                edges
                    .iter()
                    .fold(Bdd::FALSE, |seen, e| bdds.or(seen, e.label))
                    .is_true()
            })
    }

    /// Do all edges that leave a state carry the same marks?
    pub fn has_state_acceptance(&self) -> bool {
        self.edges
            .iter()
            .all(|edges| edges.windows(2).all(|w| w[0].mark == w[1].mark))
    }

    /// Unites the labels of edges with the same ends and marks, and sorts the edges of each state.
    pub fn merge_edges(&mut self, bdds: &mut Bdds) {
        for edges in &mut self.edges {
            sempre_base::checkpoint();
            edges.sort_unstable_by(|a, b| (a.to, &a.mark, a.label).cmp(&(b.to, &b.mark, b.label)));
            edges.dedup_by(|next, kept| {
                let same = next.to == kept.to && next.mark == kept.mark;
                if same {
                    kept.label = bdds.or(kept.label, next.label);
                }
                same
            });
        }
    }

    /// Keeps the states that satisfy `keep`, with the edges between them, renumbered in order. Other initial states
    /// are dropped.
    pub(crate) fn retain_states(&mut self, keep: impl Fn(u32) -> bool) {
        let mut number = vec![u32::MAX; self.states()];
        let mut next = 0;
        for (s, n) in number.iter_mut().enumerate() {
            if keep(s as u32) {
                *n = next;
                next += 1;
            }
        }
        self.renumber(&number, next as usize);
    }

    /// Gives each state the number `number[state]`, which may be the same for several (then their
    /// edges are put together) or `u32::MAX` (then it goes). `count` is the number of new states.
    pub fn renumber(&mut self, number: &[u32], count: usize) {
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); count];
        for (s, old) in std::mem::take(&mut self.edges).into_iter().enumerate() {
            if number[s] == u32::MAX {
                continue;
            }
            let target = &mut edges[number[s] as usize];
            for mut e in old {
                let to = number[e.to as usize];
                if to != u32::MAX {
                    e.to = to;
                    target.push(e);
                }
            }
        }
        self.edges = edges;
        if !self.state_names.is_empty() {
            let mut names = vec![None; count];
            for (s, name) in std::mem::take(&mut self.state_names)
                .into_iter()
                .enumerate()
            {
                if number[s] != u32::MAX {
                    names[number[s] as usize] = name;
                }
            }
            self.state_names = names;
        }
        let mut initial: Vec<u32> = Vec::with_capacity(self.initial.len());
        for &s in &self.initial {
            let n = number[s as usize];
            if n != u32::MAX && !initial.contains(&n) {
                initial.push(n);
            }
        }
        self.initial = initial;
    }

    /// Drops the unreachable states, and numbers the others in breadth-first order, so that equal structures get
    /// equal numbers.
    pub fn trim_unreachable(&mut self) {
        let mut number = vec![u32::MAX; self.states()];
        let mut order = Vec::with_capacity(self.states());
        for &s in &self.initial {
            if number[s as usize] == u32::MAX {
                number[s as usize] = order.len() as u32;
                order.push(s);
            }
        }
        let mut at = 0;
        while at < order.len() {
            for e in &self.edges[order[at] as usize] {
                if number[e.to as usize] == u32::MAX {
                    number[e.to as usize] = order.len() as u32;
                    order.push(e.to);
                }
            }
            at += 1;
        }
        if order.len() < self.states() || order.iter().enumerate().any(|(i, &s)| i as u32 != s) {
            self.renumber(&number, order.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_automata_know_their_shape() {
        let mut alphabet = Alphabet::new();
        let p = alphabet.declare("p");
        assert_eq!(alphabet.declare("p"), p);
        let bdds = &mut alphabet.bdds;
        let (yes, no) = (bdds.variable(p), bdds.literal((p, false)));
        let mut a = Automaton::new(vec![p], 1, Acceptance::buchi());
        let (s, t, lost) = (a.add_state(), a.add_state(), a.add_state());
        a.initial.push(t);
        a.add_edge(t, s, yes, Mark::EMPTY);
        a.add_edge(t, s, no, Mark::EMPTY);
        a.add_edge(s, s, yes, Mark::single(0));
        a.add_edge(s, s, Bdd::FALSE, Mark::EMPTY);
        a.add_edge(lost, s, Bdd::TRUE, Mark::EMPTY);
        assert_eq!((a.states(), a.edge_count()), (3, 4));
        assert!(a.is_deterministic(bdds) && !a.is_complete(bdds));
        a.merge_edges(bdds);
        assert_eq!(a.edges[t as usize].len(), 1);
        a.trim_unreachable();
        assert_eq!((a.states(), a.initial[0], a.edges[0][0].to), (2, 0, 1));
        a.add_edge(0, 0, yes, Mark::EMPTY);
        assert!(!a.is_deterministic(bdds));
        a.add_edge(1, 1, no, Mark::EMPTY);
        assert!(a.is_complete(bdds) && !a.has_state_acceptance());
    }
}
