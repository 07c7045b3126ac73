//! Proofs that no run of a net reaches a condition, and their check.
//!
//! A run fires each transition `t` some number of times, `x_t`, and leads from the initial marking to `m = initial +
//! sum of x_t * change_t` (the *state equation*, Murata 1977): `m >= 0` and `x >= 0`. The proof shows by cases that
//! no such `x` leads to the condition:
//!
//! * [`Proof::Farkas`]: multiples of the assumptions add up to a contradiction: to `constant + sum of coefficient_t *
//!   x_t >= 0` where the constant is negative, and no coefficient positive.
//! * [`Proof::Cases`]: each part of an assumed disjunction is refuted.
//! * [`Proof::Trap`]: a trap that is marked initially stays marked: each transition that takes tokens from it puts
//!   some into it (Esparza and Melzer, *Verification of safety properties using integer programming*, FMSD 16, 2000).
//! * [`Proof::EmptyPlaces`]: some places are empty initially. Either no transition that needs tokens from them ever
//!   fires, and no transition that puts the first ones there; or a transition that puts tokens there, and needs none
//!   of them, fires.
//! * [`Proof::Split`]: a transition fires at most this many times, or more often.
//!
//! [`is_valid`] checks a proof from the definitions of net and condition, in 128-bit integers, and shares nothing
//! with the search for it.

use crate::condition::{Condition, Linear};
use crate::net::Net;

/// An inequality that a contradiction is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Premise {
    /// The tokens of a place are at least 0.
    Place(u32),
    /// An assumption on the current path, by its number: inequalities of the condition in the order in which they
    /// were assumed, and one for each trap, set of empty places and split.
    Assumption(u32),
}

/// A proof; see the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// These positive multiples are contradictory.
    Farkas(Vec<(Premise, i64)>),
    /// The disjunction with this number, in the order in which disjunctions were assumed, has these parts, each of
    /// which is refuted.
    Cases(u32, Vec<Proof>),
    /// A marked trap, and the rest of the proof with it.
    Trap(Vec<u32>, Box<Proof>),
    /// Initially empty places, and the rest of the proof if they stay empty, and if not.
    EmptyPlaces(Vec<u32>, Box<Proof>, Box<Proof>),
    /// A transition and a number, and the rest of the proof if it fires at most so often, and if more often.
    Split(u32, i64, Box<Proof>, Box<Proof>),
}

impl Proof {
    /// Number of contradictions.
    pub fn leaves(&self) -> usize {
        match self {
            Proof::Farkas(_) => 1,
            Proof::Cases(_, parts) => parts.iter().map(Proof::leaves).sum(),
            Proof::Trap(_, rest) => rest.leaves(),
            Proof::EmptyPlaces(_, a, b) | Proof::Split(_, _, a, b) => a.leaves() + b.leaves(),
        }
    }
}

/// An assumed inequality.
#[derive(Clone)]
enum Assumption<'a> {
    AtMost(&'a Linear),
    /// These places hold at least one token together.
    Marked(&'a [u32]),
    /// These transitions fire at most so often, together.
    NoMoreThan(Vec<u32>, i64),
    /// These transitions fire at least so often, together.
    NoLessThan(Vec<u32>, i64),
}

/// The assumptions on a path of the proof.
struct Check<'a> {
    net: &'a Net,
    assumptions: Vec<Assumption<'a>>,
    disjunctions: Vec<&'a [Condition]>,
}

/// Is it a proof that no run of the net leads to a marking that meets the condition?
pub fn is_valid(net: &Net, goal: &Condition, proof: &Proof) -> bool {
    let mut check = Check {
        net,
        assumptions: Vec::new(),
        disjunctions: Vec::new(),
    };
    check.assume(goal);
    check.refutes(proof)
}

impl<'a> Check<'a> {
    fn assume(&mut self, condition: &'a Condition) {
        match condition {
            Condition::AtMost(linear) => self.assumptions.push(Assumption::AtMost(linear)),
            Condition::All(parts) => parts.iter().for_each(|p| self.assume(p)),
            Condition::Any(parts) => self.disjunctions.push(parts),
        }
    }

    /// Does the proof refute the assumptions together with this one?
    fn with(&mut self, assumption: Assumption<'a>, proof: &'a Proof) -> bool {
        self.assumptions.push(assumption);
        let refuted = self.refutes(proof);
        self.assumptions.pop();
        refuted
    }

    fn refutes(&mut self, proof: &'a Proof) -> bool {
        match proof {
            Proof::Farkas(multiples) => self.contradicts(multiples) == Some(true),
            Proof::Cases(number, proofs) => {
                let Some(&parts) = self.disjunctions.get(*number as usize) else {
                    return false;
                };
                let before = (self.assumptions.len(), self.disjunctions.len());
                parts.len() == proofs.len()
                    && parts.iter().zip(proofs).all(|(part, proof)| {
                        self.assume(part);
                        let refuted = self.refutes(proof);
                        self.assumptions.truncate(before.0);
                        self.disjunctions.truncate(before.1);
                        refuted
                    })
            }
            Proof::Trap(places, rest) => {
                self.is_marked_trap(places) && self.with(Assumption::Marked(places), rest)
            }
            Proof::EmptyPlaces(places, empty, marked_later) => {
                let Some((consumers, sources)) = self.consumers_and_sources(places) else {
                    return false;
                };
                let idle = [consumers, sources.clone()].concat();
                self.with(Assumption::NoMoreThan(idle, 0), empty)
                    && self.with(Assumption::NoLessThan(sources, 1), marked_later)
            }
            Proof::Split(transition, number, below, above) => {
                let Some(more) = number.checked_add(1) else {
                    return false;
                };
                (*transition as usize) < self.net.transitions.len()
                    && self.with(Assumption::NoMoreThan(vec![*transition], *number), below)
                    && self.with(Assumption::NoLessThan(vec![*transition], more), above)
            }
        }
    }

    /// `None` if a number exceeds 128 bits, or there is no such premise.
    fn contradicts(&self, multiples: &[(Premise, i64)]) -> Option<bool> {
        let net = self.net;
        let mut constant = 0i128;
        let mut weights = vec![0i128; net.places()];
        let mut coefficients = vec![0i128; net.transitions.len()];
        let add = |sum: &mut i128, factor: i128, number: i64| {
            *sum = sum.checked_add(factor.checked_mul(i128::from(number))?)?;
            Some(())
        };
        for &(premise, multiple) in multiples {
            if multiple <= 0 {
                return Some(false);
            }
            let factor = i128::from(multiple);
            let assumption = match premise {
                Premise::Place(p) => {
                    add(weights.get_mut(p as usize)?, factor, 1)?;
                    continue;
                }
                Premise::Assumption(number) => self.assumptions.get(number as usize)?,
            };
            match assumption {
                Assumption::AtMost(linear) => {
                    add(&mut constant, factor, linear.bound)?;
                    for &(p, c) in &linear.terms {
                        add(weights.get_mut(p as usize)?, -factor, c)?;
                    }
                }
                Assumption::Marked(places) => {
                    add(&mut constant, -factor, 1)?;
                    for &p in *places {
                        add(weights.get_mut(p as usize)?, factor, 1)?;
                    }
                }
                Assumption::NoMoreThan(transitions, number) => {
                    add(&mut constant, factor, *number)?;
                    for &t in transitions {
                        add(coefficients.get_mut(t as usize)?, -factor, 1)?;
                    }
                }
                Assumption::NoLessThan(transitions, number) => {
                    add(&mut constant, -factor, *number)?;
                    for &t in transitions {
                        add(coefficients.get_mut(t as usize)?, factor, 1)?;
                    }
                }
            }
        }
        // The weighted sum of the tokens, by the state equation.
        for (&weight, &initial) in weights.iter().zip(&net.initial) {
            add(&mut constant, weight, initial)?;
        }
        for (transition, coefficient) in net.transitions.iter().zip(&mut coefficients) {
            for &(p, change) in &transition.change {
                add(coefficient, weights[p as usize], change)?;
            }
        }
        Some(constant < 0 && coefficients.iter().all(|&c| c <= 0))
    }

    fn is_in(&self, places: &[u32]) -> Option<Vec<bool>> {
        let mut is_in = vec![false; self.net.places()];
        for &p in places {
            // Each place once, so that its marking is not counted twice.
            if std::mem::replace(is_in.get_mut(p as usize)?, true) {
                return None;
            }
        }
        Some(is_in)
    }

    fn is_marked_trap(&self, places: &[u32]) -> bool {
        let Some(is_in) = self.is_in(places) else {
            return false;
        };
        places.iter().any(|&p| self.net.initial[p as usize] > 0)
            && self.net.transitions.iter().all(|t| {
                let takes = (t.change.iter()).any(|&(p, change)| is_in[p as usize] && change < 0);
                // Tokens that a transition puts back count.
                let puts = (places.iter()).any(|&p| t.input(p) + t.change(p) > 0);
                !takes || puts
            })
    }

    /// The transitions that need tokens of these places, and those that need none and put some there; `None` if a
    /// place is marked.
    fn consumers_and_sources(&self, places: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
        let is_in = self.is_in(places)?;
        if places.iter().any(|&p| self.net.initial[p as usize] > 0) {
            return None;
        }
        let (mut consumers, mut sources) = (Vec::new(), Vec::new());
        for (number, t) in self.net.transitions.iter().enumerate() {
            if t.inputs.iter().any(|&(p, _)| is_in[p as usize]) {
                consumers.push(number as u32);
            } else if (t.change.iter()).any(|&(p, change)| is_in[p as usize] && change > 0) {
                sources.push(number as u32);
            }
        }
        Some((consumers, sources))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Transition;

    /// A token moves from place 0 to place 1 and back.
    fn net() -> Net {
        let transition = |from: u32, to: u32| {
            let mut change = vec![(from, -1), (to, 1)];
            change.sort_unstable();
            Transition {
                action: from,
                inputs: vec![(from, 1)],
                change,
            }
        };
        Net {
            cells: vec![0, 1, 2],
            initial: vec![1, 0, 0],
            transitions: vec![transition(0, 1), transition(1, 0)],
        }
    }

    #[test]
    fn an_invariant_refutes_two_tokens() {
        let goal = Condition::at_most(vec![(1, -1)], -2);
        let proof = Proof::Farkas(vec![(Premise::Place(0), 1), (Premise::Assumption(0), 1)]);
        assert!(is_valid(&net(), &goal, &proof));
        for wrong in [
            vec![],
            vec![(Premise::Place(0), 2), (Premise::Assumption(0), 1)],
            vec![(Premise::Place(0), 1)],
            vec![(Premise::Place(9), 1), (Premise::Assumption(0), 1)],
            vec![(Premise::Place(0), 1), (Premise::Assumption(1), 1)],
            vec![(Premise::Place(0), -1), (Premise::Assumption(0), -1)],
        ] {
            assert!(!is_valid(&net(), &goal, &Proof::Farkas(wrong)));
        }
        let reachable = Condition::at_most(vec![(1, -1)], -1);
        assert!(!is_valid(&net(), &reachable, &proof));
    }

    #[test]
    fn cases_traps_and_splits_are_checked() {
        let empty = || Condition::at_most(vec![(0, 1), (1, 1)], 0);
        let two = || Condition::at_most(vec![(1, -1)], -2);
        let both = Condition::Any(vec![empty(), two()]);
        let trap = |places: &[u32]| {
            let rest = Proof::Farkas(vec![
                (Premise::Assumption(0), 1),
                (Premise::Assumption(1), 1),
            ]);
            Proof::Trap(places.to_vec(), Box::new(rest))
        };
        let second = Proof::Farkas(vec![(Premise::Place(0), 1), (Premise::Assumption(0), 1)]);
        let cases = |parts: Vec<Proof>| Proof::Cases(0, parts);
        let proof = cases(vec![trap(&[0, 1]), second.clone()]);
        assert!(is_valid(&net(), &both, &proof));
        assert_eq!(proof.leaves(), 2);
        assert!(!is_valid(&net(), &both, &cases(vec![trap(&[0, 1])])));
        assert!(!is_valid(
            &net(),
            &both,
            &cases(vec![second.clone(), second.clone()])
        ));
        // Not a trap; not marked; a place twice.
        for places in [&[0][..], &[2], &[0, 1, 1]] {
            assert!(!is_valid(&net(), &empty(), &trap(places)));
        }
        // Only the first transition puts tokens into the second place, and it fires at least as often as the other.
        let idle = Proof::Farkas(vec![
            (Premise::Assumption(0), 1),
            (Premise::Assumption(1), 1),
        ]);
        let split = |number| {
            let never = Box::new(idle.clone());
            Proof::Split(0, number, never, Box::new(second.clone()))
        };
        let unmarkable_places = Condition::at_most(vec![(1, -1)], -2);
        assert!(is_valid(&net(), &unmarkable_places, &split(0)));
        assert!(is_valid(&net(), &unmarkable_places, &split(1)));
        assert!(
            !is_valid(&net(), &unmarkable_places, &split(2)),
            "it would fire twice"
        );
        let empty_places = |places: &[u32]| {
            Proof::EmptyPlaces(
                places.to_vec(),
                Box::new(idle.clone()),
                Box::new(second.clone()),
            )
        };
        assert!(is_valid(&net(), &unmarkable_places, &empty_places(&[1])));
        assert!(
            !is_valid(&net(), &unmarkable_places, &empty_places(&[0, 1])),
            "a place is marked"
        );
    }
}
