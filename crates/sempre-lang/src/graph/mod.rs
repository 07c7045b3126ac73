//! Explicit graphs: Kripke structures given state by state.
//!
//! A [`Graph`] has states with the propositions that are true in them, and edges that may carry acceptance
//! marks: a run is fair if it sees each mark infinitely often. Graphs come from a text for people
//! ([`text`]), from HOA ([`kripke`]) or from a random generator ([`crate::random_graph`]).
//!
//! As a program it is one variable, `state`, and one table action, `step`.

pub mod kripke;
pub mod text;

pub use kripke::{read_kripke, write_kripke};
pub use text::{read_graph, write_graph};

use crate::condition::{Equals, Operand, Scope, parse_condition};
use crate::membership::is_member;
use sempre_base::{Diagnostic, nearest};
use sempre_model::ir::{Action, Behaviour, Expr, Program, Table, Type, VariableId};

/// The most acceptance marks: a step has them in one word.
pub const MAX_MARKS: u32 = 64;

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GraphEdge {
    /// The number of the state it leads to.
    pub to: u32,
    /// Its acceptance marks, one bit each.
    pub marks: u64,
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphState {
    /// What it is called.
    pub name: String,
    /// The numbers of the propositions that are true, ascending.
    pub propositions: Vec<u32>,
    /// What it leads to, sorted, each once.
    pub edges: Vec<GraphEdge>,
}

/// A graph. Every number of a state, proposition or mark in it is one of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// What it is called.
    pub name: String,
    /// The names of the propositions.
    pub propositions: Vec<String>,
    /// Number of acceptance marks, at most [`MAX_MARKS`].
    pub marks: u32,
    /// The initial states, at least one.
    pub initial: Vec<u32>,
    /// The states.
    pub states: Vec<GraphState>,
}

impl Graph {
    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.states.iter().map(|s| s.edges.len()).sum()
    }

    /// The graph as a program. The state is its number, shown by its name if that is something else.
    pub fn program(&self) -> Program {
        let mut program = Program::new(&self.name);
        program.marks = self.marks;
        let is_number = |(i, s): (usize, &GraphState)| s.name == i.to_string();
        let ty = match self.states.iter().enumerate().all(is_number) {
            true => Type::Range {
                min: 0,
                max: self.states.len().saturating_sub(1) as i64,
            },
            false => Type::Enum {
                names: self.states.iter().map(|s| s.name.clone()).collect(),
            },
        };
        program.declare("state", ty, None, None);
        program.initial = self.initial.iter().map(|&s| vec![i64::from(s)]).collect();
        let mut rows = Vec::with_capacity(self.edges());
        let mut marks = Vec::new();
        for (from, state) in self.states.iter().enumerate() {
            sempre_base::checkpoint();
            for edge in &state.edges {
                rows.push((vec![from as i64], vec![i64::from(edge.to)]));
                marks.push(edge.marks);
            }
        }
        if marks.iter().all(|&m| m == 0) {
            marks.clear();
        }
        program.actions.push(Action {
            name: "step".to_string(),
            processes: Vec::new(),
            class: 0,
            behaviour: Behaviour::Table(Table {
                reads: vec![0],
                writes: vec![0],
                rows,
                marks,
            }),
        });
        program
    }

    /// Is this the name of a proposition, or `state`?
    pub fn is_known(&self, name: &str) -> bool {
        name == "state" || self.propositions.iter().any(|p| p == name)
    }

    /// The proposition that a text says: one of the graph's own, `state == name`, or a combination.
    pub fn proposition(&self, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        // Names of propositions may be any text, `x > 1`, say, and win over what they seem to say.
        match self.propositions.iter().position(|p| p == text.trim()) {
            Some(p) => Ok(self.states_with(p as u32)),
            None => parse_condition(text, self),
        }
    }

    /// "The proposition is true", in terms of the variable `state`.
    fn states_with(&self, proposition: u32) -> Expr {
        let holds = |s: &GraphState| s.propositions.binary_search(&proposition).is_ok();
        let numbers = (0..self.states.len()).filter(|&s| holds(&self.states[s]));
        is_member(&[VariableId(0)], numbers.map(|s| vec![s as i64]).collect())
    }
}

impl Scope for Graph {
    fn name(&self, name: &str) -> Result<Operand<'_>, (String, Option<String>)> {
        if let Some(p) = self.propositions.iter().position(|p| p == name) {
            return Ok(Operand::number(self.states_with(p as u32)));
        }
        if name == "state" {
            let state = || Expr::variable(VariableId(0));
            let equals: Equals<'_> = Box::new(move |word| {
                let number = self.states.iter().position(|s| s.name == word)?;
                Some(Expr::equal(state(), Expr::Constant(number as i64)))
            });
            return Ok(Operand {
                value: state(),
                equals: Some(equals),
            });
        }
        let known = self.propositions.iter().map(String::as_str);
        let near = nearest(name, known.chain(["state"])).map(|n| format!("did you mean `{n}`?"));
        Err((format!("there is no proposition `{name}`"), near))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

    #[test]
    fn a_graph_becomes_a_program_with_its_propositions_and_marks() {
        let text = "graph lights\nmarks 2\ninitial red off\nred: stop -> green {0} green {1}\n\
                    green: go -> red off {0 1}\noff: stop \"x > 1\" ->\n";
        let graph = read_graph(text).unwrap();
        let program = graph.program();
        let mut seen = Vec::new();
        naive::for_each_state(&program, 10, |s, edges| {
            seen.push((
                s[0],
                edges
                    .iter()
                    .map(|(_, m, to)| (to[0], *m))
                    .collect::<Vec<_>>(),
            ));
        });
        seen.sort();
        assert_eq!(
            seen,
            [
                (0, vec![(1, 1), (1, 2)]),
                (1, vec![(0, 0), (2, 3)]),
                (2, vec![])
            ]
        );
        let holding = |text: &str| -> Vec<i64> {
            let expr = graph.proposition(text).unwrap();
            (0..3)
                .filter(|&s| naive::evaluate(&expr, &[s]) != 0)
                .collect()
        };
        assert_eq!(holding("stop"), [0, 2]);
        assert_eq!(holding("x > 1"), [2]);
        assert_eq!(holding("stop && !'x > 1' or go"), [0, 1]);
        assert_eq!(holding("state == green"), [1]);
        assert_eq!(holding("state != \"off\" && state >= 1"), [1]);
        assert_eq!(program.show_value(0, 2), "off");
        let error = graph.proposition("stopp").unwrap_err().remove(0);
        assert_eq!(error.help.as_deref(), Some("did you mean `stop`?"));
    }
}
