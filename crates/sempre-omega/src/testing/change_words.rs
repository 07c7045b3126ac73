//! Testing automata as ordinary ω-automata, over words of changes or over words of valuations.
//!
//! *Over changes* ([`ta_over_changes`], [`tgta_over_changes`]): the automaton reads changes. Its propositions are not
//! `a` but `changes(a)`, so that they are not mistaken for values. The first letter is the change from the valuation
//! in which everything is false, and leads from an additional state to the initial states. This is the representation
//! of a testing automaton in the Hanoi format: the same states and one more.
//!
//! *Over valuations* ([`ta_over_valuations`], [`tgta_over_valuations`]): states are unfolded with the valuation
//! again, and the language is that of the testing automaton. This permits exact comparisons of languages.
//!
//! The acceptance of a [`Ta`] needs a `Fin`: mark 0 is on changes that leave Büchi accepting states, mark 1 on all
//! changes, mark 2 on stuttering in a livelock accepting state; the condition is `Inf(0) | (Fin(1) & Inf(2))`.
//! Stuttering in a Büchi accepting state need not be marked, because a run that changes for ever leaves it by a
//! change.
//!
//! Cost: linear over changes; over valuations times two to the number of propositions.

use super::{Initial, Ta, TestingEdge, Tgta};
use crate::acceptance::Acceptance;
use crate::automaton::{Alphabet, Automaton};
use crate::bdd::{Bdd, Bdds, Literal};
use crate::mark::Mark;
use rustc_hash::FxHashMap;

/// The common part of both kinds: transitions, including stuttering ones.
struct View<'a> {
    name: &'a Option<String>,
    propositions: &'a [u32],
    initial: &'a [Initial],
    edges: Vec<Vec<TestingEdge>>,
    sets: u32,
    acceptance: Acceptance,
}

impl<'a> View<'a> {
    fn of_ta(t: &'a Ta) -> Self {
        let mut edges = t.table.to_lists();
        for (s, list) in (0u32..).zip(&mut edges) {
            for e in list.iter_mut() {
                e.marks = 2 + u64::from(t.buchi[s as usize]);
            }
            list.push(TestingEdge {
                changeset: 0,
                to: s,
                marks: 4 * u64::from(t.livelock[s as usize]),
            });
        }
        let livelock = Acceptance::and([Acceptance::Fin(1), Acceptance::Inf(2)]);
        Self {
            name: &t.name,
            propositions: &t.propositions,
            initial: &t.initial,
            edges,
            sets: 3,
            acceptance: Acceptance::or([Acceptance::Inf(0), livelock]),
        }
    }

    fn of_tgta(t: &'a Tgta) -> Self {
        Self {
            name: &t.name,
            propositions: &t.propositions,
            initial: &t.initial,
            edges: t.table.to_lists(),
            sets: t.sets,
            acceptance: Acceptance::generalized_buchi(t.sets),
        }
    }

    fn over_changes(&self, alphabet: &mut Alphabet) -> Automaton {
        let changes: Vec<u32> = self
            .propositions
            .iter()
            .map(|&p| {
                let name = format!("changes({})", alphabet.name(p));
                alphabet.declare(&name)
            })
            .collect();
        let bdds = &mut alphabet.bdds;
        let mut a = Automaton::new(changes.clone(), self.sets, self.acceptance.clone());
        a.name.clone_from(self.name);
        for _ in &self.edges {
            a.add_state();
        }
        let start = a.add_state();
        a.initial.push(start);
        for i in self.initial {
            let label = cube(bdds, &changes, i.valuation);
            a.add_edge(start, i.state, label, Mark::EMPTY);
        }
        for (s, edges) in (0u32..).zip(&self.edges) {
            for e in edges {
                let label = cube(bdds, &changes, e.changeset);
                a.add_edge(s, e.to, label, Mark::from_word(e.marks));
            }
        }
        a.merge_edges(bdds);
        a
    }

    fn over_valuations(&self, bdds: &mut Bdds) -> Automaton {
        let mut a = Automaton::new(
            self.propositions.to_vec(),
            self.sets,
            self.acceptance.clone(),
        );
        a.name.clone_from(self.name);
        let mut number: FxHashMap<Initial, u32> = FxHashMap::default();
        let mut found: Vec<Initial> = Vec::new();
        let mut find = |a: &mut Automaton, found: &mut Vec<Initial>, i: Initial| {
            *number.entry(i).or_insert_with(|| {
                found.push(i);
                a.add_state()
            })
        };
        for &i in self.initial {
            let s = find(&mut a, &mut found, i);
            a.initial.push(s);
        }
        let mut at = 0;
        while at < found.len() {
            let Initial { valuation, state } = found[at];
            let label = cube(bdds, self.propositions, valuation);
            for e in &self.edges[state as usize] {
                let to = Initial {
                    valuation: valuation ^ e.changeset,
                    state: e.to,
                };
                let to = find(&mut a, &mut found, to);
                a.add_edge(at as u32, to, label, Mark::from_word(e.marks));
            }
            at += 1;
        }
        a
    }
}

/// The label that only the letter with these bits satisfies.
fn cube(bdds: &mut Bdds, variables: &[u32], bits: u64) -> Bdd {
    let literal = |(&v, i): (&u32, u32)| (v, bits >> i & 1 == 1);
    let mut literals: Vec<Literal> = variables.iter().zip(0..).map(literal).collect();
    literals.sort_unstable();
    bdds.cube(&literals)
}

/// The automaton over words of changes; its start is the last state.
pub fn ta_over_changes(alphabet: &mut Alphabet, t: &Ta) -> Automaton {
    View::of_ta(t).over_changes(alphabet)
}

/// The automaton over words of changes; its start is the last state.
pub fn tgta_over_changes(alphabet: &mut Alphabet, t: &Tgta) -> Automaton {
    View::of_tgta(t).over_changes(alphabet)
}

/// An automaton over words of valuations with the same language.
pub fn ta_over_valuations(bdds: &mut Bdds, t: &Ta) -> Automaton {
    View::of_ta(t).over_valuations(bdds)
}

/// An automaton over words of valuations with the same language.
pub fn tgta_over_valuations(bdds: &mut Bdds, t: &Tgta) -> Automaton {
    View::of_tgta(t).over_valuations(bdds)
}
