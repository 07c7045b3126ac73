//! A place/transition net as vectors.
//!
//! A [`Program`] is a net if each of its variables is a scalar natural number, each guard a conjunction of `place >=
//! constant`, each effect adds constants to variables, none below the amount that the guard guarantees, and
//! enabledness depends on nothing else: no priorities, no exclusive or atomic register, no assertions, no marks.
//! [`Net::of`] is the inverse of [`Net::program`].
//!
//! Numbers of places and transitions are indices of the vectors; `cell` and `action` are the numbers of the program
//! that the net was read from, which a reduced net keeps.
//!
//! Tokens are counted in 64 bits. A run that exceeds them would take more than 2^30 steps; the program reports it as
//! an erroneous step.

use sempre_model::ir::{Action, Behaviour, Binary, Expr, Place, Program, Stmt, Type, VariableId};

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Its action in the program.
    pub action: u32,
    /// The number of tokens required in each input place; sorted by place, positive.
    pub inputs: Vec<(u32, i64)>,
    /// The change of each place by a firing; sorted by place, not zero, and at least minus the input.
    pub change: Vec<(u32, i64)>,
}

/// A net with its initial marking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Net {
    /// The cell of each place in the program.
    pub cells: Vec<u32>,
    /// The initial marking.
    pub initial: Vec<i64>,
    /// The transitions.
    pub transitions: Vec<Transition>,
}

/// The entry of a place in a vector that is sorted by places.
pub(crate) fn entry(vector: &[(u32, i64)], place: u32) -> i64 {
    let found = vector.binary_search_by_key(&place, |e| e.0);
    found.map_or(0, |i| vector[i].1)
}

impl Transition {
    /// The number of tokens required in the place.
    pub fn input(&self, place: u32) -> i64 {
        entry(&self.inputs, place)
    }

    /// The change of the place by a firing.
    pub fn change(&self, place: u32) -> i64 {
        entry(&self.change, place)
    }

    /// Is it enabled?
    pub fn is_enabled(&self, marking: &[i64]) -> bool {
        (self.inputs.iter()).all(|&(p, weight)| marking[p as usize] >= weight)
    }

    /// Fires it.
    pub fn fire(&self, marking: &mut [i64]) {
        for &(p, change) in &self.change {
            marking[p as usize] += change;
        }
    }
}

impl Net {
    /// The net of a program, if the program is one.
    pub fn of(program: &Program) -> Option<Self> {
        let is_plain = program.exclusive.is_none()
            && program.atomic.is_none()
            && program.assertions.is_empty()
            && program.marks == 0
            && program.registers == 0;
        let [initial] = program.initial.as_slice() else {
            return None;
        };
        if !is_plain {
            return None;
        }
        for (number, variable) in program.variables.iter().enumerate() {
            // The cell of a scalar is then the number of its variable.
            if variable.ty != Type::Natural
                || variable.length.is_some()
                || variable.first as usize != number
            {
                return None;
            }
        }
        let mut net = Self {
            cells: (0..program.variables.len() as u32).collect(),
            initial: initial.clone(),
            transitions: Vec::with_capacity(program.actions.len()),
        };
        for (number, action) in program.actions.iter().enumerate() {
            let Behaviour::Guarded { guard, effect } = &action.behaviour else {
                return None;
            };
            if action.class != 0 {
                return None;
            }
            let mut inputs = Vec::new();
            conjuncts(guard, &mut inputs)?;
            inputs.retain(|&(_, weight)| weight > 0);
            inputs.sort_unstable();
            // If a place is tested several times, the last test is the strongest.
            inputs.reverse();
            inputs.dedup_by_key(|&mut (p, _)| p);
            inputs.reverse();
            let mut change = Vec::new();
            for statement in effect {
                change.push(addition(statement)?);
            }
            change.sort_unstable();
            let places = change.len();
            change.dedup_by_key(|&mut (p, _)| p);
            if change.len() < places {
                return None;
            }
            change.retain(|&(_, c)| c != 0);
            if change.iter().any(|&(p, c)| entry(&inputs, p) + c < 0) {
                return None;
            }
            net.transitions.push(Transition {
                action: number as u32,
                inputs,
                change,
            });
        }
        Some(net)
    }

    /// The net as a program: variable `i` is place `i`, action `i` is transition `i`. Names are those of `original`, the program
    /// that the net was read from.
    pub fn program(&self, original: &Program) -> Program {
        let mut program = Program::new(&original.name);
        for &cell in &self.cells {
            program.declare(&original.cell_name(cell), Type::Natural, None, None);
        }
        program.initial = vec![self.initial.clone()];
        for transition in &self.transitions {
            let tests = transition.inputs.iter().map(|&(p, weight)| {
                let tokens = Expr::variable(VariableId(p));
                Expr::binary(Binary::GreaterEqual, tokens, Expr::Constant(weight))
            });
            let effect = transition.change.iter().map(|&(p, change)| {
                let tokens = Expr::variable(VariableId(p));
                let (op, amount) = match change < 0 {
                    true => (Binary::Subtract, -change),
                    false => (Binary::Add, change),
                };
                let value = Expr::binary(op, tokens, Expr::Constant(amount));
                Stmt::Assign(Place::Scalar(VariableId(p)), value)
            });
            let name = (original.actions.get(transition.action as usize)).map(|a| a.name.clone());
            program.actions.push(Action {
                name: name.unwrap_or_default(),
                processes: Vec::new(),
                class: 0,
                behaviour: Behaviour::Guarded {
                    guard: Expr::all(tests),
                    effect: effect.collect(),
                },
            });
        }
        program
    }

    /// Number of places.
    pub fn places(&self) -> usize {
        self.initial.len()
    }

    /// For each place the transitions that test it, with the number of tokens they need.
    pub(crate) fn consumers(&self) -> Vec<Vec<(u32, i64)>> {
        let mut consumers = vec![Vec::new(); self.places()];
        for (number, transition) in self.transitions.iter().enumerate() {
            for &(p, weight) in &transition.inputs {
                consumers[p as usize].push((number as u32, weight));
            }
        }
        consumers
    }

    /// For each place the transitions that change it, with the change.
    pub(crate) fn changers(&self) -> Vec<Vec<(u32, i64)>> {
        let mut changers = vec![Vec::new(); self.places()];
        for (number, transition) in self.transitions.iter().enumerate() {
            for &(p, change) in &transition.change {
                changers[p as usize].push((number as u32, change));
            }
        }
        changers
    }
}

/// Adds the tests `place >= constant` of a guard.
fn conjuncts(guard: &Expr, tests: &mut Vec<(u32, i64)>) -> Option<()> {
    match guard {
        Expr::Constant(c) if *c != 0 => Some(()),
        Expr::Binary(Binary::And, a, b) => {
            conjuncts(a, tests)?;
            conjuncts(b, tests)
        }
        Expr::Binary(Binary::GreaterEqual, a, b) => {
            let (Expr::Read(Place::Scalar(v)), Expr::Constant(c)) = (&**a, &**b) else {
                return None;
            };
            tests.push((v.0, *c));
            Some(())
        }
        _ => None,
    }
}

/// The place that a statement adds to, and the amount.
fn addition(statement: &Stmt) -> Option<(u32, i64)> {
    let Stmt::Assign(Place::Scalar(to), Expr::Binary(op, from, amount)) = statement else {
        return None;
    };
    let (Expr::Read(Place::Scalar(v)), Expr::Constant(amount)) = (&**from, &**amount) else {
        return None;
    };
    match op {
        _ if v != to => None,
        Binary::Add => Some((to.0, *amount)),
        Binary::Subtract => Some((to.0, amount.checked_neg()?)),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sempre_base::Random;
    use sempre_model::Interpreter;

    /// A small net; some are unbounded.
    pub(crate) fn random_net(random: &mut Random) -> Net {
        let places = 1 + random.below(6);
        let mut net = Net {
            cells: (0..places as u32).collect(),
            initial: (0..places)
                .map(|_| [0, 0, 1, 1, 2, 5][random.below(6)])
                .collect(),
            transitions: Vec::new(),
        };
        for action in 0..1 + random.below(7) as u32 {
            let (mut inputs, mut change) = (Vec::new(), Vec::new());
            for p in 0..places as u32 {
                let weight = |random: &mut Random| [0, 0, 0, 1, 1, 2][random.below(6)];
                let (input, output) = (weight(random), weight(random));
                if input > 0 {
                    inputs.push((p, input));
                }
                if input != output {
                    change.push((p, output - input));
                }
            }
            net.transitions.push(Transition {
                action,
                inputs,
                change,
            });
        }
        net
    }

    /// The reachable markings, if there are at most `limit`.
    pub(crate) fn reachable(net: &Net, limit: usize) -> Option<Vec<Vec<i64>>> {
        let mut seen: Vec<Vec<i64>> = vec![net.initial.clone()];
        let mut known: rustc_hash::FxHashSet<Vec<i64>> = seen.iter().cloned().collect();
        let mut next = 0;
        while next < seen.len() {
            for transition in &net.transitions {
                let mut marking = seen[next].clone();
                if transition.is_enabled(&marking) {
                    transition.fire(&mut marking);
                    if known.insert(marking.clone()) {
                        seen.push(marking);
                    }
                }
            }
            next += 1;
            if seen.len() > limit {
                return None;
            }
        }
        Some(seen)
    }

    #[test]
    fn a_net_is_its_program_and_the_program_a_net() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let net = random_net(&mut random);
            let mut named = Program::new("t");
            for p in 0..net.places() {
                named.declare(&format!("p{p}"), Type::Natural, None, None);
            }
            let program = net.program(&named);
            assert_eq!(Net::of(&program).as_ref(), Some(&net));
            let mut marking = net.initial.clone();
            for _ in 0..20 {
                let steps = Interpreter::new(&program).successors(&marking);
                let enabled: Vec<u32> = (0..net.transitions.len() as u32)
                    .filter(|&t| net.transitions[t as usize].is_enabled(&marking))
                    .collect();
                assert_eq!(steps.iter().map(|s| s.0).collect::<Vec<_>>(), enabled);
                let Some(&t) = enabled.first() else { break };
                net.transitions[t as usize].fire(&mut marking);
                assert_eq!(steps[0].1.as_ref(), Ok(&marking));
            }
        }
    }

    #[test]
    fn other_programs_are_no_nets() {
        let mut net = Program::new("t");
        let p = net.declare("p", Type::Natural, None, None);
        net.initial = vec![vec![0]];
        assert!(Net::of(&net).is_some());
        let tokens = Expr::variable(p);
        let action = |guard: Expr, value: Expr| Action {
            name: "a".into(),
            processes: Vec::new(),
            class: 0,
            behaviour: Behaviour::Guarded {
                guard,
                effect: vec![Stmt::Assign(Place::Scalar(p), value)],
            },
        };
        let less = Expr::binary(Binary::Subtract, tokens.clone(), Expr::Constant(1));
        let marked = Expr::binary(Binary::GreaterEqual, tokens.clone(), Expr::Constant(1));
        let twice = Expr::binary(Binary::Multiply, tokens.clone(), Expr::Constant(2));
        for (guard, value, is_net) in [
            (marked.clone(), less.clone(), true),
            (Expr::TRUE, less.clone(), false),
            (Expr::TRUE, twice, false),
            (Expr::equal(tokens, Expr::Constant(0)), less, false),
        ] {
            net.actions = vec![action(guard, value)];
            assert_eq!(Net::of(&net).is_some(), is_net);
        }
        net.actions.clear();
        net.assertions.push((marked, "p".into()));
        assert!(Net::of(&net).is_none());
    }
}
