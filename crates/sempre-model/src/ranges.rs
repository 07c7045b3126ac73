//! The expected range of values of each cell, from which a [`Layout`] is made.
//!
//! Two sources:
//! * [`crate::intervals`], which is sound but imprecise where bounds come from relations between variables (the
//!   tokens of a net, a channel that never fills);
//! * a sample of the reachable states, by the interpreter, breadth-first and then by a few random walks. It is
//!   bounded in work, and ends early if ranges no longer grow: most models reach their ranges in a few hundred
//!   states.
//!
//! If the sample contains every state, its ranges are exact. If not, a cell for which the analysis found no bound, or
//! a much wider one than the sample, gets the range of the sample, at least one bit. That may be too small: the run
//! then reports an [`crate::layout::Overflow`] and the layout widens, so optimism costs time at worst, and never
//! makes a result wrong.

use crate::interpreter::Interpreter;
use crate::intervals::{Interval, intervals};
use crate::ir::{Behaviour, Program, Type};
use crate::layout::Layout;
use rustc_hash::FxHashSet;
use sempre_base::Random;
use sempre_base::stop::{Cancel, cancellable, checkpoint_now};
use std::collections::VecDeque;
use std::time::Instant;

/// The most states in the sample.
const STATES: usize = 20_000;
/// The most work for the sample, roughly in cells read: about a tenth of a second.
const WORK: usize = 6_000_000;
/// The sample may take one part in this many of the remaining time, if there is a deadline.
const DEADLINE_SHARE: u32 = 8;
/// The least work for each of the two kinds of sampling.
const MIN_WORK: usize = 200_000;

/// The range of values to expect in each cell.
pub fn ranges(program: &Program) -> Vec<Interval> {
    ranges_and_limits(program).0
}

/// The expected range of values of each cell, and a sound one.
fn ranges_and_limits(program: &Program) -> (Vec<Interval>, Vec<Interval>) {
    let sound = intervals(program);
    let sample = RangeSampler::run(program);
    let mut result = sample.seen;
    if sample.complete {
        return (result.clone(), result);
    }
    for (cell, (seen, &sound)) in result.iter_mut().zip(&sound).enumerate() {
        let ty = &program.variable(program.variable_of_cell(cell as u32)).ty;
        let is_unknown = sound == ty.bounds() && bits(sound) > 4;
        let is_number = !matches!(ty, Type::Bool | Type::Enum { .. });
        if !is_number || !is_unknown && bits(sound) <= bits(*seen) + 1 {
            *seen = sound;
        } else if seen.0 == seen.1 && sound.0 != sound.1 {
            // The cell will change at some time.
            if seen.1 < sound.1 {
                seen.1 += 1;
            } else {
                seen.0 -= 1;
            }
        }
    }
    (result, sound)
}

impl Layout {
    /// A layout with ranges from analysis and sample; see [`crate::ranges`].
    pub fn inferred(program: &Program) -> Self {
        let (ranges, limits) = ranges_and_limits(program);
        Self::new(program, &ranges).limited(limits).filled(program)
    }
}

fn bits((min, max): Interval) -> u32 {
    64 - (max.wrapping_sub(min) as u64).leading_zeros()
}

/// The ranges of the sampled states.
struct RangeSampler {
    seen: Vec<Interval>,
    /// The work done so far in this kind of sampling, and at the time when a range last became wider.
    work: usize,
    last_widening: usize,
    /// Does the sample contain all reachable states?
    complete: bool,
}

impl RangeSampler {
    fn run(program: &Program) -> Self {
        // A guard costs about as much as ten cells; a successor is written and hashed.
        let expansion = 10 * (1 + program.actions.len()) + table_rows(program);
        let successor = 20 + 3 * program.cells();
        let mut result = Self {
            seen: (program.initial.first())
                .map(|s| s.iter().map(|&v| (v, v)).collect())
                .unwrap_or_else(|| vec![(0, 0); program.cells()]),
            work: 0,
            last_widening: 0,
            complete: true,
        };
        // The sample is a hint, and worth only a part of the remaining time.
        let now = Instant::now();
        let caller = Cancel::current();
        let until = (caller.deadline())
            .map(|deadline| now + deadline.saturating_duration_since(now) / DEADLINE_SHARE);
        let run_both = || {
            result.breadth_first(program, expansion, successor);
            if !result.complete {
                result.walk(program, expansion, successor);
            }
        };
        if cancellable(&caller.child(until), run_both).is_err() {
            checkpoint_now();
            result.complete = false;
        }
        result
    }

    /// All states, within the limits of work.
    fn breadth_first(&mut self, program: &Program, expansion: usize, successor: usize) {
        let interpreter = Interpreter::new(program);
        let mut known: FxHashSet<Vec<i64>> = FxHashSet::default();
        let mut queue = VecDeque::new();
        for state in &program.initial {
            self.include(state);
            if known.insert(state.clone()) {
                queue.push_back(state.clone());
            }
        }
        while let Some(state) = queue.pop_front() {
            checkpoint_now();
            if known.len() >= STATES || self.work >= WORK || self.is_stale() {
                self.complete = false;
                break;
            }
            self.work += expansion;
            if has_many_successors(&interpreter, &state, successor) {
                self.include_effects(&interpreter, state);
                self.complete = false;
                break;
            }
            let steps = interpreter.steps_through(&state, &mut |state| {
                self.include(state);
                self.work += expansion;
            });
            for (_, next) in steps {
                self.work += successor;
                if let Ok(next) = next
                    && !known.contains(&next)
                {
                    self.include(&next);
                    known.insert(next.clone());
                    queue.push_back(next);
                }
            }
        }
    }

    /// Includes the values that single actions assign, for a wide state with many successors: as whole states these would take too much
    /// time and memory.
    fn include_effects(&mut self, interpreter: &Interpreter<'_>, state: Vec<i64>) {
        let mut after = state.clone();
        let mut written = Vec::new();
        for action in interpreter.enabled(&state) {
            checkpoint_now();
            let behaviour = &interpreter.program().actions[action as usize].behaviour;
            let Behaviour::Guarded { effect, .. } = behaviour else {
                continue;
            };
            written.clear();
            let done = interpreter.effect(effect, &mut after, &mut written);
            for &cell in &written {
                let cell = cell as usize;
                if done.is_ok() {
                    let range = &mut self.seen[cell];
                    *range = (range.0.min(after[cell]), range.1.max(after[cell]));
                }
            }
            for &cell in &written {
                after[cell as usize] = state[cell as usize];
            }
        }
    }

    /// Random walks, which reach deeper states, for a quarter of the work.
    fn walk(&mut self, program: &Program, expansion: usize, successor: usize) {
        let interpreter = Interpreter::new(program);
        let mut random = Random::new(1);
        (self.work, self.last_widening) = (0, 0);
        while self.work < WORK / 4 && !self.is_stale() {
            let mut state = random.pick(&program.initial).clone();
            for _ in 0..1000 {
                checkpoint_now();
                if has_many_successors(&interpreter, &state, successor) {
                    return;
                }
                let steps = interpreter.steps_through(&state, &mut |state| {
                    self.include(state);
                    self.work += expansion;
                });
                let mut next: Vec<Vec<i64>> = (steps.into_iter())
                    .filter_map(|(_, next)| next.ok())
                    .collect();
                self.work += expansion + next.len() * successor;
                if next.is_empty() || self.work >= WORK / 4 {
                    break;
                }
                state = next.swap_remove(random.below(next.len()));
                self.include(&state);
            }
        }
    }

    /// Widens the ranges to hold a state.
    fn include(&mut self, state: &[i64]) {
        for (range, &value) in self.seen.iter_mut().zip(state) {
            let wider = (range.0.min(value), range.1.max(value));
            if *range != wider {
                *range = wider;
                self.last_widening = self.work;
            }
        }
    }

    /// Has no range become wider during the last three quarters of the work?
    fn is_stale(&self) -> bool {
        self.work >= MIN_WORK && self.last_widening <= self.work / 4
    }
}

fn table_rows(program: &Program) -> usize {
    use crate::ir::Behaviour::Table;
    let actions = program.actions.iter();
    actions
        .map(|a| {
            if let Table(t) = &a.behaviour {
                t.rows.len()
            } else {
                0
            }
        })
        .sum()
}

/// Would all successors of the state, at this work each, exceed the limit? Guards are evaluated only where there are enough actions for that: in
/// most models there are not.
fn has_many_successors(interpreter: &Interpreter<'_>, state: &[i64], successor: usize) -> bool {
    interpreter.program().actions.len() * successor > WORK
        && interpreter.enabled(state).len() * successor > WORK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Action, Behaviour, Binary, Expr, Place, Stmt};
    use crate::random_program::random_program;

    #[test]
    fn ranges_hold_the_initial_states_and_obey_types() {
        let mut random = Random::new(31);
        for _ in 0..30 {
            let p = random_program(&mut random);
            let ranges = ranges(&p);
            for (cell, &(min, max)) in ranges.iter().enumerate() {
                let bounds = p.variable(p.variable_of_cell(cell as u32)).ty.bounds();
                assert!(bounds.0 <= min && min <= max && max <= bounds.1);
                for state in &p.initial {
                    assert!(min <= state[cell] && state[cell] <= max);
                }
            }
        }
    }

    /// `places` natural numbers in a ring, with tokens in the first, that move one by one.
    fn ring(places: u32, tokens: i64) -> Program {
        let mut p = Program::new("ring");
        let ids: Vec<_> = (0..places)
            .map(|i| p.declare(&format!("p{i}"), Type::Natural, None, None))
            .collect();
        for i in 0..ids.len() {
            let (from, to) = (ids[i], ids[(i + 1) % ids.len()]);
            let add = |v, by| {
                let sum = Expr::binary(Binary::Add, Expr::variable(v), Expr::Constant(by));
                Stmt::Assign(Place::Scalar(v), sum)
            };
            p.actions.push(Action {
                name: format!("t{i}"),
                processes: vec![],
                class: 0,
                behaviour: Behaviour::Guarded {
                    guard: Expr::binary(Binary::Greater, Expr::variable(from), Expr::Constant(0)),
                    effect: vec![add(from, -1), add(to, 1)],
                },
            });
        }
        let mut initial = vec![0; places as usize];
        initial[0] = tokens;
        p.initial = vec![initial];
        p
    }

    #[test]
    fn nets_get_what_was_seen() {
        // 84 states: all are in the sample.
        assert_eq!(ranges(&ring(4, 6)), [(0, 6); 4]);
        // Too many states for the sample, and few tokens move far.
        let large = ranges(&ring(60, 7));
        assert_eq!(large[0], (0, 7));
        assert!(
            large
                .iter()
                .all(|&(min, max)| min == 0 && (1..=7).contains(&max))
        );
        assert!(Layout::inferred(&ring(60, 7)).bits() < 180);
    }
}
