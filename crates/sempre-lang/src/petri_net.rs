//! Place/transition nets, and how they become programs.
//!
//! A net is places with tokens and transitions that take tokens from some places and put tokens into
//! others. [`PetriNet::program`] gives each place a variable of type [`Type::Natural`] with the id of the
//! place as its name, and each transition an action:
//!
//! * its guard is the conjunction of `place >= weight` over its inputs. Evaluation stops at the first false
//!   conjunct, so the place least likely to hold enough tokens stands leftmost: the one that lacks the most
//!   tokens initially and, among those alike, the one that the fewest transitions put tokens into;
//! * its effect adds, to each place whose number of tokens changes, what it gains minus what it loses. A
//!   place that is only tested (as much taken as put back) is in the guard alone, so read arcs make no
//!   false write dependencies.
//!
//! Conjunctions and sums are balanced trees, since a transition may have any number of arcs and much of
//! what is done with expressions recurses over their depth.
//!
//! A net has no processes: its transitions are fair or unfair together.

pub mod families;

use sempre_model::ir::{
    Action, Behaviour, Binary, Expr, Place as Cell, Program, Stmt, Type, VariableId,
};

/// The most tokens of an initial marking and the greatest weight of an arc. Tokens are counted in 64
/// bits, so that sums over places and billions of steps from here stay exact.
pub const MAX_NUMBER: i64 = 1 << 32;

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetPlace {
    /// Its identifier, unique in the net.
    pub id: String,
    /// What people call it, if that is something else.
    pub name: Option<String>,
    /// Its tokens at the start.
    pub initial: i64,
}

/// A transition. At most one arc in each direction between it and a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetTransition {
    /// Its identifier, unique in the net.
    pub id: String,
    /// What people call it, if that is something else.
    pub name: Option<String>,
    /// The places it takes tokens from, by number, and how many; sorted.
    pub inputs: Vec<(u32, i64)>,
    /// The places it puts tokens into, by number, and how many; sorted.
    pub outputs: Vec<(u32, i64)>,
}

/// A place/transition net with its initial marking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PetriNet {
    /// What it is called.
    pub name: String,
    /// The places.
    pub places: Vec<NetPlace>,
    /// The transitions.
    pub transitions: Vec<NetTransition>,
}

impl PetriNet {
    /// A net without places.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            ..Self::default()
        }
    }

    /// Adds a place; gives its number.
    pub fn place(&mut self, id: &str, initial: i64) -> u32 {
        self.places.push(NetPlace {
            id: id.to_string(),
            name: None,
            initial,
        });
        self.places.len() as u32 - 1
    }

    /// Adds a transition between places, with weights; several arcs between the same nodes are added up.
    pub fn transition(
        &mut self,
        id: &str,
        inputs: impl IntoIterator<Item = (u32, i64)>,
        outputs: impl IntoIterator<Item = (u32, i64)>,
    ) -> u32 {
        self.transitions.push(NetTransition {
            id: id.to_string(),
            name: None,
            inputs: added_up(inputs.into_iter().collect()),
            outputs: added_up(outputs.into_iter().collect()),
        });
        self.transitions.len() as u32 - 1
    }

    /// Number of arcs.
    pub fn arcs(&self) -> usize {
        self.transitions
            .iter()
            .map(|t| t.inputs.len() + t.outputs.len())
            .sum()
    }

    /// How many transitions put tokens into each place.
    pub(crate) fn producers(&self) -> Vec<u32> {
        let mut producers = vec![0; self.places.len()];
        for (p, _) in self.transitions.iter().flat_map(|t| &t.outputs) {
            producers[*p as usize] += 1;
        }
        producers
    }

    /// See the module's documentation.
    pub(crate) fn guard(&self, transition: u32, producers: &[u32]) -> Expr {
        let mut inputs = self.transitions[transition as usize].inputs.clone();
        inputs.sort_by_key(|&(p, weight)| {
            let lacking = weight - self.places[p as usize].initial;
            (-lacking, producers[p as usize], p)
        });
        let parts = inputs.into_iter().map(|(p, weight)| {
            let tokens = Expr::variable(VariableId(p));
            Expr::binary(Binary::GreaterEqual, tokens, Expr::Constant(weight))
        });
        Expr::balanced(Binary::And, parts.collect()).unwrap_or(Expr::TRUE)
    }

    /// The net as a program; the variable of a place and the action of a transition have its number.
    pub fn program(&self) -> Program {
        let mut program = Program::new(&self.name);
        for place in &self.places {
            program.declare(&place.id, Type::Natural, None, None);
        }
        program.initial = vec![self.places.iter().map(|p| p.initial).collect()];
        let producers = self.producers();
        for (number, transition) in self.transitions.iter().enumerate() {
            sempre_base::checkpoint();
            let mut change: Vec<(u32, i64)> = transition
                .inputs
                .iter()
                .map(|&(p, weight)| (p, -weight))
                .chain(transition.outputs.iter().copied())
                .collect();
            change = added_up(change);
            let effect = change
                .into_iter()
                .filter(|&(_, change)| change != 0)
                .map(|(p, change)| {
                    let tokens = Expr::variable(VariableId(p));
                    let (op, amount) = match change < 0 {
                        true => (Binary::Subtract, -change),
                        false => (Binary::Add, change),
                    };
                    let value = Expr::binary(op, tokens, Expr::Constant(amount));
                    Stmt::Assign(Cell::Scalar(VariableId(p)), value)
                })
                .collect();
            program.actions.push(Action {
                name: transition.id.clone(),
                processes: Vec::new(),
                class: 0,
                behaviour: Behaviour::Guarded {
                    guard: self.guard(number as u32, &producers),
                    effect,
                },
            });
        }
        program
    }
}

/// One entry for each place, in order.
pub(crate) fn added_up(mut arcs: Vec<(u32, i64)>) -> Vec<(u32, i64)> {
    arcs.sort_unstable_by_key(|&(p, _)| p);
    arcs.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    arcs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

    #[test]
    fn arcs_between_the_same_nodes_add_up() {
        let mut net = PetriNet::new("t");
        let p = net.place("p", 5);
        net.transition("t", [(p, 1), (p, 2)], [(p, 1)]);
        assert_eq!(net.transitions[0].inputs, [(p, 3)]);
        // 5 -> 3 -> 1, where three tokens are missing.
        let counts = naive::explore(&net.program(), 100);
        assert_eq!(
            (counts.states, counts.transitions, counts.deadlocks),
            (3, 2, 1)
        );
    }

    #[test]
    fn a_tested_place_is_not_written_and_the_rarest_place_is_asked_first() {
        let mut net = PetriNet::new("t");
        let full = net.place("full", 9);
        let empty = net.place("empty", 0);
        let fed = net.place("fed", 0);
        net.transition(
            "t",
            [(full, 1), (fed, 1), (empty, 1)],
            [(full, 1), (fed, 3)],
        );
        let program = net.program();
        let Behaviour::Guarded { guard, effect } = &program.actions[0].behaviour else {
            panic!("a transition is a guarded action");
        };
        let at_least_one = |v: u32| {
            Expr::binary(
                Binary::GreaterEqual,
                Expr::variable(VariableId(v)),
                Expr::Constant(1),
            )
        };
        let first = Expr::binary(Binary::And, at_least_one(empty), at_least_one(fed));
        assert_eq!(*guard, Expr::binary(Binary::And, first, at_least_one(full)));
        let written: Vec<_> = effect
            .iter()
            .map(|s| match s {
                Stmt::Assign(Cell::Scalar(v), _) => v.0,
                _ => panic!("an effect is assignments"),
            })
            .collect();
        assert_eq!(written, [empty, fed]);
    }
}
