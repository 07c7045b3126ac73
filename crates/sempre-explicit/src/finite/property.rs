//! A finite automaton of bad prefixes, compiled for search.
//!
//! It is the table of [`Property`], made of the automaton as a terminal one: final states loop by all letters. Edges
//! *into* final states carry the only mark, so that a search knows an accepted prefix by the edge that completes it.
//! Beside the table there is for each state the length of a shortest word from it to a final state: a lower bound
//! on how far a violation can be, which directs a best-first search.

use crate::property::{Property, PropertyError};
use sempre_omega::{Acceptance, Automaton, Bdd, Bdds, FiniteAutomaton, Mark};

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct FiniteProperty {
    table: Property,
    distance: Vec<u32>,
    is_condition: bool,
}

impl FiniteProperty {
    /// Compiles an automaton. `propositions` tells for each proposition of the system the variable by which labels
    /// call it.
    ///
    /// # Errors
    /// If a label tests a proposition that the system does not tell.
    pub fn new(
        bdds: &mut Bdds,
        a: &FiniteAutomaton,
        propositions: &[u32],
    ) -> Result<Self, PropertyError> {
        let mut marked = Automaton::new(a.propositions.clone(), 1, Acceptance::buchi());
        marked.initial.clone_from(&a.initial);
        for (edges, &is_final) in a.edges.iter().zip(&a.is_final) {
            let s = marked.add_state();
            if is_final {
                marked.add_edge(s, s, Bdd::TRUE, Mark::single(0));
                continue;
            }
            for e in edges {
                let mark = match a.is_final[e.to as usize] {
                    true => Mark::single(0),
                    false => Mark::EMPTY,
                };
                marked.add_edge(s, e.to, e.label, mark);
            }
        }
        Ok(Self {
            table: Property::new(bdds, &marked, propositions)?,
            distance: distances(a),
            is_condition: is_condition(bdds, a),
        })
    }

    /// Is the property violated as soon as some state violates a condition, whatever came before? Then the automaton has one state
    /// besides final ones, which it never leaves but for these.
    pub fn is_condition(&self) -> bool {
        self.is_condition
    }

    /// Of a condition: does a state with these propositions violate it?
    pub fn is_violated_by(&self, letter: &[u64]) -> bool {
        debug_assert!(self.is_condition);
        let mut initial = self.table.initial().iter();
        initial.any(|&q| (self.table.enabled(q, letter)).any(|e| !e.mark.is_empty()))
    }

    /// The table.
    pub fn table(&self) -> &Property {
        &self.table
    }

    /// The length of a shortest word from the state to a final one; `u32::MAX` if there is none.
    pub fn distance(&self, state: u32) -> u32 {
        self.distance[state as usize]
    }

    /// Has the state accepted?
    pub fn is_final(&self, state: u32) -> bool {
        self.distance[state as usize] == 0
    }
}

/// See [`FiniteProperty::is_condition`].
fn is_condition(bdds: &mut Bdds, a: &FiniteAutomaton) -> bool {
    let &[q] = &a.initial[..] else {
        return false;
    };
    let edges = &a.edges[q as usize];
    // Where no edge is enabled, the automaton would look at no further state.
    let enabled = edges
        .iter()
        .fold(Bdd::FALSE, |all, e| bdds.or(all, e.label));
    !a.is_final[q as usize]
        && enabled == Bdd::TRUE
        && (edges.iter()).all(|e| e.to == q || a.is_final[e.to as usize])
}

/// Backwards from the final states, breadth first.
fn distances(a: &FiniteAutomaton) -> Vec<u32> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); a.states()];
    for (s, edges) in a.edges.iter().enumerate() {
        for e in edges {
            before[e.to as usize].push(s as u32);
        }
    }
    let mut distance = vec![u32::MAX; a.states()];
    let mut order: Vec<u32> = (0..a.states() as u32)
        .filter(|&s| a.is_final[s as usize])
        .collect();
    for &s in &order {
        distance[s as usize] = 0;
    }
    let mut at = 0;
    while at < order.len() {
        let s = order[at] as usize;
        for &p in &before[s] {
            if distance[p as usize] == u32::MAX {
                distance[p as usize] = distance[s] + 1;
                order.push(p);
            }
        }
        at += 1;
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_and_marks() {
        let mut bdds = Bdds::new();
        let p = bdds.variable(0);
        let not = bdds.not(p);
        let mut a = FiniteAutomaton::new(vec![0]);
        let states: Vec<u32> = [false, false, true, false].map(|f| a.add_state(f)).to_vec();
        a.initial.push(states[0]);
        a.add_edge(0, 0, not);
        a.add_edge(0, 1, p);
        a.add_edge(1, 2, p);
        a.add_edge(3, 3, p);
        let property = FiniteProperty::new(&mut bdds, &a, &[0]).expect("it is small");
        let distances: Vec<u32> = (0..4).map(|s| property.distance(s)).collect();
        assert_eq!(distances, [2, 1, 0, u32::MAX]);
        assert!(property.is_final(2) && !property.is_final(1));
        let marked = |state, letter| {
            let table = property.table();
            table
                .enabled(state, &[letter])
                .map(|e| (e.to, e.mark.contains(0)))
                .collect::<Vec<_>>()
        };
        assert_eq!(marked(0, 1), [(1, false)]);
        assert_eq!(marked(1, 1), [(2, true)]);
        assert_eq!(marked(1, 0), []);
        assert_eq!(marked(2, 0), [(2, true)]);
    }

    #[test]
    fn a_condition_forgets_nothing_and_ends_nowhere() {
        let mut bdds = Bdds::new();
        let p = bdds.variable(0);
        let not = bdds.not(p);
        let mut made = |loops: Bdd, other: u32, last: bool| {
            let mut a = FiniteAutomaton::new(vec![0]);
            for is_final in [false, true, last] {
                a.add_state(is_final);
            }
            a.initial.push(0);
            a.add_edge(0, 0, loops);
            a.add_edge(0, other, not);
            FiniteProperty::new(&mut bdds, &a, &[0]).expect("it is small")
        };
        let always = made(p, 1, false);
        assert!(always.is_condition());
        assert!(always.is_violated_by(&[0]) && !always.is_violated_by(&[1]));
        assert!(made(Bdd::TRUE, 2, true).is_condition());
        // It goes on to another state, or nowhere.
        assert!(!made(p, 2, false).is_condition());
        assert!(!made(Bdd::FALSE, 1, false).is_condition());
        assert!(!made(not, 1, false).is_condition());
    }
}
