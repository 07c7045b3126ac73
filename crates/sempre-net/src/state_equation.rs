//! Has the state equation a solution in which the condition holds? If not, no run reaches the condition.
//!
//! Source: Murata, *State equation, controllability, and maximal matchings of Petri nets* (IEEE TAC 22, 1977);
//! Esparza and Melzer (FMSD 16, 2000) for traps; Wimmel and Wolf, *Applying CEGAR to the Petri net state equation*
//! (LMCS 8, 2012) for spurious solutions and constraints against them.
//!
//! The search follows the structure of the condition. Its inequalities are added to a [`Tableau`], whose variables
//! are the numbers of firings of transitions; the constraint that a place is not negative is added for the places
//! that a solution violates. If the solution satisfies no part of a disjunction, each part is a case. A solution that
//! satisfies the whole condition is tested: does it empty a marked trap, or contain transitions that no token can
//! reach? Both exclude it and similar ones. A solution that is not integral is split. A solution that remains is
//! passed to the caller, who searches a run with these numbers of firings ([`walk`](crate::walk)); if there is none,
//! this case is open, and the search continues with others.
//!
//! Invariants:
//! * I1: `Unreachable` comes with a proof that [`certificate::is_valid`](crate::certificate::is_valid) has accepted.
//! * I2: the order in which inequalities and disjunctions are assumed is that of the check.
//!
//! Not done: spurious solutions are not excluded one by one, nor are there constraints that increase the firings of a
//! solution.

use crate::certificate::{Premise, Proof, is_valid};
use crate::condition::Condition;
use crate::question::Question;
use crate::structure::{Arcs, emptied_trap, unmarkable_places};
use crate::tableau::{Ended, Tableau};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// The most splits of transitions on a path.
const MAX_SPLITS: u32 = 12;
/// The most traps and sets of empty places on a path.
const MAX_STRUCTURE: u32 = 60;
/// The most cases on a path, so that recursion is bounded.
const MAX_DEPTH: u32 = 400;
/// The most places that are added to the tableau at once.
const AT_A_TIME: usize = 20;
/// The number of entries that pivots change between two polls.
const WORK: u64 = 20_000;

/// The result of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No run reaches the condition.
    Unreachable(Proof),
    /// The caller stopped the search.
    Stopped,
    /// Some case is open.
    Unknown,
}

/// The caller's answer to a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Goes on.
    Continue,
    /// Ends the search.
    Stop,
}

/// A solution: how often transitions fire, rounded up.
pub type Firings = Vec<(u32, u64)>;

/// Searches for a proof that the condition is unreachable, while pivots change at most `work` entries. `solution`
/// receives the solutions of cases that stay open; `poll` is called from time to time.
pub fn search(
    question: &Question,
    seed: u64,
    work: u64,
    solution: &mut dyn FnMut(&Firings) -> Next,
    poll: &dyn Fn() -> Next,
) -> Answer {
    let mut case = Case {
        tableau: Tableau::new(question.net.transitions.len(), seed),
        premises: Vec::new(),
        assumptions: 0,
        disjunctions: Vec::new(),
        is_satisfied: Vec::new(),
        splits: 0,
        structures: 0,
        depth: 0,
    };
    let search = Search {
        question,
        arcs: Arcs::new(&question.net),
        poll,
        stopped: Cell::new(false),
        work: Cell::new(work),
    };
    if !case.assume(&search, &question.goal) {
        return Answer::Unknown;
    }
    match search.refute(case, solution) {
        // I1.
        Some(proof) if is_valid(&question.net, &question.goal, &proof) => {
            Answer::Unreachable(proof)
        }
        proof => {
            debug_assert_eq!(proof, None, "a proof is valid");
            match search.stopped.get() {
                true => Answer::Stopped,
                false => Answer::Unknown,
            }
        }
    }
}

struct Search<'q> {
    question: &'q Question,
    arcs: Arcs,
    poll: &'q dyn Fn() -> Next,
    stopped: Cell<bool>,
    /// The number of entries that pivots may still change.
    work: Cell<u64>,
}

/// The assumptions of a case.
#[derive(Clone)]
struct Case<'q> {
    tableau: Tableau,
    /// The premise of each inequality of the tableau.
    premises: Vec<Premise>,
    assumptions: u32,
    disjunctions: Vec<&'q [Condition]>,
    /// Has one of the parts been assumed, for each disjunction?
    is_satisfied: Vec<bool>,
    splits: u32,
    structures: u32,
    depth: u32,
}

impl<'q> Case<'q> {
    /// Assumes an inequality over firings; false if a number is too large.
    fn add(&mut self, constant: i64, terms: &[(u32, i64)], premise: Premise) -> bool {
        self.premises.push(premise);
        self.tableau.add(constant, terms)
    }

    fn add_assumption(&mut self, constant: i64, terms: &[(u32, i64)]) -> bool {
        let premise = Premise::Assumption(self.assumptions);
        self.assumptions += 1;
        self.add(constant, terms, premise)
    }

    /// Assumes a condition; false if a number is too large. I2.
    fn assume(&mut self, search: &Search<'_>, condition: &'q Condition) -> bool {
        match condition {
            Condition::AtMost(linear) => {
                let negated = linear.terms.iter().map(|&(p, c)| (p, c.saturating_neg()));
                let negated: Vec<_> = negated.collect();
                search
                    .over_firings(linear.bound, &negated)
                    .is_some_and(|(constant, terms)| self.add_assumption(constant, &terms))
            }
            Condition::All(parts) => parts.iter().all(|p| self.assume(search, p)),
            Condition::Any(parts) => {
                self.disjunctions.push(parts);
                self.is_satisfied.push(false);
                true
            }
        }
    }
}

impl<'q> Search<'q> {
    /// `constant + sum of coefficient * tokens` as a sum over firings.
    fn over_firings(&self, constant: i64, terms: &[(u32, i64)]) -> Option<(i64, Vec<(u32, i64)>)> {
        let net = &self.question.net;
        let mut sum = constant;
        let mut firings: FxHashMap<u32, i64> = FxHashMap::default();
        for &(p, c) in terms {
            sum = sum.checked_add(c.checked_mul(net.initial[p as usize])?)?;
            for &(t, change) in &self.arcs.changers()[p as usize] {
                let coefficient = firings.entry(t).or_insert(0);
                *coefficient = coefficient.checked_add(c.checked_mul(change)?)?;
            }
        }
        let mut firings: Vec<_> = firings.into_iter().filter(|f| f.1 != 0).collect();
        firings.sort_unstable();
        Some((sum, firings))
    }

    fn is_stopped(&self) -> bool {
        if self.work.get() == 0 || (self.poll)() == Next::Stop {
            self.stopped.set(true);
        }
        self.stopped.get()
    }

    /// A proof that the case is impossible, if there is one.
    fn refute(
        &self,
        mut case: Case<'q>,
        solution: &mut dyn FnMut(&Firings) -> Next,
    ) -> Option<Proof> {
        let net = &self.question.net;
        loop {
            if self.is_stopped() || case.depth > MAX_DEPTH {
                return None;
            }
            let before = case.tableau.work();
            let ended = case.tableau.solve(WORK);
            // At least one, so that each iteration costs something.
            let work = case.tableau.work() - before + 1;
            self.work.set(self.work.get().saturating_sub(work));
            match ended {
                Ended::Infeasible(multiples) => {
                    let of = |(k, multiple): (u32, i64)| (case.premises[k as usize], multiple);
                    return Some(Proof::Farkas(multiples.into_iter().map(of).collect()));
                }
                Ended::Limit => continue,
                Ended::Overflow => return None,
                Ended::Feasible => {}
            }
            let firings: Vec<(u32, f64)> = (case.tableau.solution())
                .map(|(t, n, d)| (t, n as f64 / d as f64))
                .collect();
            let mut marking: Vec<f64> = net.initial.iter().map(|&tokens| tokens as f64).collect();
            for &(t, times) in &firings {
                for &(p, change) in &net.transitions[t as usize].change {
                    marking[p as usize] += times * change as f64;
                }
            }
            let mut below: Vec<u32> = (0..net.places() as u32)
                .filter(|&p| marking[p as usize] < -1e-7)
                .collect();
            below.sort_by(|&p, &q| marking[p as usize].total_cmp(&marking[q as usize]));
            below.truncate(AT_A_TIME.max(below.len() / 4));
            // The constraint of a place that is in the tableau already holds up to rounding.
            below.retain(|&p| !case.premises.contains(&Premise::Place(p)));
            if !below.is_empty() {
                for p in below {
                    let (constant, terms) = self.over_firings(0, &[(p, 1)])?;
                    if !case.add(constant, &terms, Premise::Place(p)) {
                        return None;
                    }
                }
                continue;
            }
            // The disjunction with the fewest parts, of those that the solution violates.
            let unmet = (0..case.disjunctions.len())
                .filter(|&d| {
                    !case.is_satisfied[d]
                        && !case.disjunctions[d].iter().any(|c| satisfies(c, &marking))
                })
                .min_by_key(|&d| case.disjunctions[d].len());
            if let Some(number) = unmet {
                return self.cases(&case, number, &marking, solution);
            }
            if case.structures < MAX_STRUCTURE {
                case.structures += 1;
                if let Some(trap) = emptied_trap(net, &self.arcs, &marking) {
                    let terms: Vec<(u32, i64)> = trap.iter().map(|&p| (p, 1)).collect();
                    let (constant, terms) = self.over_firings(-1, &terms)?;
                    if !case.add_assumption(constant, &terms) {
                        return None;
                    }
                    let rest = self.refute(case, solution)?;
                    return Some(Proof::Trap(trap, Box::new(rest)));
                }
                let support: Vec<u32> = firings.iter().map(|f| f.0).collect();
                if let Some(places) = unmarkable_places(net, &self.arcs, &support) {
                    return self.marked_later(case, places, solution);
                }
            }
            let fractional = case.tableau.solution().find(|&(_, n, d)| n % d != 0);
            if let Some((t, n, d)) = fractional
                && case.splits < MAX_SPLITS
            {
                case.splits += 1;
                let number = n / d;
                let below = self.refute_with(case.clone(), number, &[(t, -1)], solution)?;
                let above = self.refute_with(case, -1 - number, &[(t, 1)], solution)?;
                return Some(Proof::Split(t, number, Box::new(below), Box::new(above)));
            }
            let firings = firings.iter().map(|&(t, times)| (t, times.ceil() as u64));
            if solution(&firings.collect()) == Next::Stop {
                self.stopped.set(true);
            }
            return None;
        }
    }

    /// Each part of a disjunction is a case, in the order of their distance from the marking. If one stays open, so
    /// does the whole, but others may have solutions with runs.
    fn cases(
        &self,
        case: &Case<'q>,
        number: usize,
        marking: &[f64],
        solution: &mut dyn FnMut(&Firings) -> Next,
    ) -> Option<Proof> {
        let parts = case.disjunctions[number];
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by(|&a, &b| {
            distance(&parts[a], marking).total_cmp(&distance(&parts[b], marking))
        });
        let mut proofs: Vec<Option<Proof>> = vec![None; parts.len()];
        let mut is_open = false;
        for part in order {
            let mut inner = case.clone();
            inner.depth += 1;
            inner.is_satisfied[number] = true;
            proofs[part] = match inner.assume(self, &parts[part]) {
                true => self.refute(inner, solution),
                false => None,
            };
            is_open |= proofs[part].is_none();
            if self.stopped.get() {
                return None;
            }
        }
        match is_open {
            true => None,
            false => Some(Proof::Cases(
                number as u32,
                proofs.into_iter().flatten().collect(),
            )),
        }
    }

    /// A proof that the case is impossible with one more inequality over firings.
    fn refute_with(
        &self,
        mut case: Case<'q>,
        constant: i64,
        terms: &[(u32, i64)],
        solution: &mut dyn FnMut(&Firings) -> Next,
    ) -> Option<Proof> {
        case.depth += 1;
        match case.add_assumption(constant, terms) {
            true => self.refute(case, solution),
            false => None,
        }
    }

    /// Either the places stay empty, or some transition puts tokens there.
    fn marked_later(
        &self,
        case: Case<'q>,
        places: Vec<u32>,
        solution: &mut dyn FnMut(&Firings) -> Next,
    ) -> Option<Proof> {
        let net = &self.question.net;
        let mut is_in = vec![false; net.places()];
        places.iter().for_each(|&p| is_in[p as usize] = true);
        let (mut idle, mut sources) = (Vec::new(), Vec::new());
        for (number, t) in net.transitions.iter().enumerate() {
            let number = number as u32;
            if t.inputs.iter().any(|&(p, _)| is_in[p as usize]) {
                idle.push((number, -1));
            } else if t.change.iter().any(|&(p, c)| is_in[p as usize] && c > 0) {
                idle.push((number, -1));
                sources.push((number, 1));
            }
        }
        let marked_later = self.refute_with(case.clone(), -1, &sources, solution);
        if self.stopped.get() {
            return None;
        }
        let empty = self.refute_with(case, 0, &idle, solution);
        Some(Proof::EmptyPlaces(
            places,
            Box::new(empty?),
            Box::new(marked_later?),
        ))
    }
}

/// The distance of a marking from a condition.
fn distance(condition: &Condition, marking: &[f64]) -> f64 {
    match condition {
        Condition::AtMost(linear) => {
            let terms = linear.terms.iter();
            let sum: f64 = terms.map(|&(p, c)| c as f64 * marking[p as usize]).sum();
            (sum - linear.bound as f64).max(0.0)
        }
        Condition::All(parts) => parts.iter().map(|p| distance(p, marking)).sum(),
        Condition::Any(parts) => {
            let parts = parts.iter().map(|p| distance(p, marking));
            parts.fold(f64::INFINITY, f64::min)
        }
    }
}

/// Does a marking satisfy the condition, up to rounding?
fn satisfies(condition: &Condition, marking: &[f64]) -> bool {
    distance(condition, marking) < 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{answer, random_question};
    use sempre_base::Random;

    #[test]
    fn what_is_proved_is_true() {
        let mut random = Random::new(8);
        let (mut proved, mut missed, mut solutions) = (0, 0, 0);
        let mut kinds = [0; 4];
        for seed in 0..6000 {
            let question = random_question(&mut random);
            let mut seen = 0;
            let found = search(
                &question,
                seed,
                1 << 22,
                &mut |_| {
                    seen += 1;
                    Next::Continue
                },
                &|| Next::Continue,
            );
            let Some(expected) = answer(&question, 3000) else {
                continue;
            };
            match found {
                Answer::Unreachable(proof) => {
                    assert!(!expected, "{question:?} {proof:?}");
                    proved += 1;
                    count(&proof, &mut kinds);
                }
                _ => missed += u32::from(!expected),
            }
            // If the condition is reachable, there is a solution.
            assert!(!expected || seen > 0, "{question:?}");
            solutions += u32::from(expected);
        }
        println!("{proved} {missed} {solutions} {kinds:?}");
        assert!(
            proved > 5 * missed && solutions > 500,
            "{proved} {missed} {solutions}"
        );
        assert!(kinds.iter().all(|&k| k > 5), "{kinds:?}");
    }

    fn count(proof: &Proof, kinds: &mut [u32; 4]) {
        match proof {
            Proof::Farkas(_) => {}
            Proof::Cases(_, parts) => {
                kinds[0] += 1;
                parts.iter().for_each(|p| count(p, kinds));
            }
            Proof::Trap(_, rest) => {
                kinds[1] += 1;
                count(rest, kinds);
            }
            Proof::EmptyPlaces(_, a, b) => {
                kinds[2] += 1;
                count(a, kinds);
                count(b, kinds);
            }
            Proof::Split(_, _, a, b) => {
                kinds[3] += 1;
                count(a, kinds);
                count(b, kinds);
            }
        }
    }

    #[test]
    fn a_caller_can_stop() {
        let mut random = Random::new(9);
        let question = random_question(&mut random);
        let stop = || Next::Stop;
        assert_eq!(
            search(&question, 1, 100, &mut |_| Next::Stop, &stop),
            Answer::Stopped
        );
    }
}
