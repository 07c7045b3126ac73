//! Statistics of an automaton, and their JSON form.
//!
//! All stored states and edges are counted; components and their kinds are counted if they are reachable. A component
//! is of exactly one kind: *trivial* (one state, no loop), *rejecting* (no accepting run stays), *terminal* (weak,
//! accepting, complete), *weak* (accepting, all its cycles accept as far as the marks decide it) or *strong*.

use crate::automaton::{Alphabet, Automaton};
use crate::bdd::Bdd;
use crate::hoa::acceptance_name;
use crate::scc::Sccs;
use std::fmt::Write;

/// How many components of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SccKinds {
    /// One state, no loop.
    pub trivial: usize,
    /// With a cycle, but without an accepting run.
    pub rejecting: usize,
    /// Accepting, weak and complete: every continuation is accepted.
    pub terminal: usize,
    /// Accepting and weak, not terminal.
    pub weak: usize,
    /// Accepting, with cycles that do not accept.
    pub strong: usize,
}

/// Numbers about an automaton.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Its name.
    pub name: Option<String>,
    /// Number of states.
    pub states: usize,
    /// Number of states that the initial states reach.
    pub reachable_states: usize,
    /// Number of initial states.
    pub initial_states: usize,
    /// Number of stored edges.
    pub edges: usize,
    /// Number of edges when each reads one letter of the declared propositions; may be infinite as a
    /// float.
    pub transitions: f64,
    /// Number of declared propositions.
    pub propositions: usize,
    /// Number of acceptance sets.
    pub acceptance_sets: u32,
    /// The acceptance condition in the words of HOA.
    pub acceptance: String,
    /// The name that HOA has for it.
    pub acceptance_name: Option<String>,
    /// Do the edges of each state carry the same marks?
    pub state_acceptance: bool,
    /// At most one run on each word, by its shape.
    pub deterministic: bool,
    /// At least one run on each word, by its shape.
    pub complete: bool,
    /// States with two edges for some letter.
    pub nondeterministic_states: usize,
    /// States without an edge for some letter.
    pub incomplete_states: usize,
    /// Number of reachable components.
    pub sccs: usize,
    /// Their kinds.
    pub scc_kinds: SccKinds,
    /// The number of states in the largest component.
    pub largest_scc: usize,
}

impl Stats {
    /// Computes the statistics. Linear in the automaton, but for the operations on labels and, with `Fin` in the
    /// acceptance condition, the search for accepting runs.
    pub fn new(alphabet: &mut Alphabet, a: &Automaton) -> Self {
        let bdds = &mut alphabet.bdds;
        let variables = a.propositions.len() as u32;
        let (mut nondeterministic_states, mut incomplete_states) = (0, 0);
        let mut transitions = 0.0;
        for edges in &a.edges {
            let mut seen = Bdd::FALSE;
            let mut clash = false;
            for e in edges {
                clash |= !bdds.disjoint(seen, e.label);
                seen = bdds.or(seen, e.label);
                transitions += bdds.count(e.label, variables);
            }
            nondeterministic_states += usize::from(clash);
            incomplete_states += usize::from(!seen.is_true());
        }
        let sccs = Sccs::new(a);
        let mut kinds = SccKinds::default();
        for (c, accepting) in sccs.accepting(a).into_iter().enumerate() {
            let kind = if sccs.is_trivial(a, c) {
                &mut kinds.trivial
            } else if !accepting {
                &mut kinds.rejecting
            } else if sccs.is_terminal(a, bdds, c) {
                &mut kinds.terminal
            } else if sccs.is_weak(a, c) {
                &mut kinds.weak
            } else {
                &mut kinds.strong
            };
            *kind += 1;
        }
        Self {
            name: a.name.clone(),
            states: a.states(),
            reachable_states: sccs.states.iter().map(Vec::len).sum(),
            initial_states: a.initial.len(),
            edges: a.edge_count(),
            transitions,
            propositions: a.propositions.len(),
            acceptance_sets: a.sets,
            acceptance: a.acceptance.to_string(),
            acceptance_name: acceptance_name(&a.acceptance, a.sets),
            state_acceptance: a.has_state_acceptance(),
            deterministic: nondeterministic_states == 0 && a.initial.len() <= 1,
            complete: incomplete_states == 0 && !a.initial.is_empty(),
            nondeterministic_states,
            incomplete_states,
            sccs: sccs.len(),
            scc_kinds: kinds,
            largest_scc: sccs.states.iter().map(Vec::len).max().unwrap_or(0),
        }
    }

    /// The numbers as one JSON object on one line. An infinite number of transitions is `null`.
    pub fn to_json(&self) -> String {
        let text = |t: &Option<String>| t.as_deref().map_or("null".to_string(), json_string);
        let k = &self.scc_kinds;
        let transitions = if self.transitions.is_finite() {
            self.transitions.to_string()
        } else {
            "null".to_string()
        };
        let kinds = format!(
            "{{\"trivial\":{},\"rejecting\":{},\"terminal\":{},\"weak\":{},\"strong\":{}}}",
            k.trivial, k.rejecting, k.terminal, k.weak, k.strong
        );
        let fields = [
            ("name", text(&self.name)),
            ("states", self.states.to_string()),
            ("reachable_states", self.reachable_states.to_string()),
            ("initial_states", self.initial_states.to_string()),
            ("edges", self.edges.to_string()),
            ("transitions", transitions),
            ("propositions", self.propositions.to_string()),
            ("acceptance_sets", self.acceptance_sets.to_string()),
            ("acceptance", json_string(&self.acceptance)),
            ("acceptance_name", text(&self.acceptance_name)),
            ("state_acceptance", self.state_acceptance.to_string()),
            ("deterministic", self.deterministic.to_string()),
            ("complete", self.complete.to_string()),
            (
                "nondeterministic_states",
                self.nondeterministic_states.to_string(),
            ),
            ("incomplete_states", self.incomplete_states.to_string()),
            ("sccs", self.sccs.to_string()),
            ("scc_kinds", kinds),
            ("largest_scc", self.largest_scc.to_string()),
        ];
        let fields = fields.map(|(name, value)| format!("\"{name}\":{value}"));
        format!("{{{}}}", fields.join(","))
    }
}

/// A string of JSON (RFC 8259), in quotes.
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::Acceptance;
    use crate::mark::Mark;

    #[test]
    fn counts_of_a_small_automaton() {
        let alphabet = &mut Alphabet::new();
        let (p, q) = (alphabet.declare("p"), alphabet.declare("q"));
        let yes = alphabet.bdds.variable(p);
        let no = alphabet.bdds.literal((p, false));
        let mut a = Automaton::new(vec![p, q], 1, Acceptance::buchi());
        a.name = Some("\"\u{1}é\\".to_string());
        for _ in 0..6 {
            a.add_state();
        }
        a.initial = vec![0];
        let (bare, good) = (Mark::EMPTY, Mark::single(0));
        a.add_edge(0, 1, yes, bare.clone()); // 0: trivial, incomplete
        a.add_edge(1, 1, Bdd::TRUE, bare.clone()); // 1: rejecting, nondeterministic
        a.add_edge(1, 2, yes, bare.clone());
        a.add_edge(2, 2, yes, good.clone()); // 2: weak
        a.add_edge(2, 3, no, bare.clone());
        a.add_edge(3, 3, yes, good.clone()); // 3: strong
        a.add_edge(3, 3, no, bare.clone());
        a.add_edge(3, 4, yes, bare);
        a.add_edge(4, 4, Bdd::TRUE, good); // 4: terminal
        let s = Stats::new(alphabet, &a);
        let kinds = SccKinds {
            trivial: 1,
            rejecting: 1,
            terminal: 1,
            weak: 1,
            strong: 1,
        };
        assert_eq!((s.sccs, s.scc_kinds, s.largest_scc), (5, kinds, 1));
        assert_eq!((s.states, s.reachable_states, s.edges), (6, 5, 9));
        assert_eq!(
            s.transitions,
            2.0 + 4.0 + 2.0 + 2.0 + 2.0 + 2.0 + 2.0 + 2.0 + 4.0
        );
        assert_eq!((s.nondeterministic_states, s.incomplete_states), (2, 2));
        assert!(!s.deterministic && !s.complete && !s.state_acceptance);
        let json = s.to_json();
        assert!(
            json.starts_with("{\"name\":\"\\\"\\u0001é\\\\\",\"states\":6,"),
            "{json}"
        );
        assert!(json.contains("\"transitions\":22,") && json.ends_with("\"largest_scc\":1}"));
        assert!(json.contains("\"acceptance\":\"Inf(0)\",\"acceptance_name\":\"Buchi\""));
    }

    #[test]
    fn an_empty_automaton_has_numbers_too() {
        let a = Automaton::new(vec![], 0, Acceptance::True);
        let s = Stats::new(&mut Alphabet::new(), &a);
        assert_eq!(
            (s.states, s.sccs, s.largest_scc, s.deterministic, s.complete),
            (0, 0, 0, true, false)
        );
    }
}
