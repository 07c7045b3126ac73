//! Runs of a system by chance, in the hope that one comes to a state in which a proposition has a certain value.
//!
//! A walk takes one successor after the other and begins again when it is long or nothing can move. It keeps the states of its own path alone.
//! It proves nothing. Source: West, *Protocol validation by random state exploration* (PSTV 1986).
//!
//! Every second walk is directed: of a few successors it takes one that is nearest to changing the proposition, by the measure of the system
//! ([`System::distance`]), unless chance has it otherwise. Walks get longer, and short again.
//!
//! What an erroneous step leads to is not known, so it is not taken; a path that avoids all of them is a run.

use crate::check::Moment;
use sempre_base::Random;
use sempre_model::system::{Failure, Sink, Step, System};

/// Successors that are looked at for a near one.
const LOOKS: usize = 12;
/// A directed walk goes by chance with this probability.
const CHANCE: f64 = 0.1;
/// Steps of the first walks.
const SHORT: usize = 50;
/// How often lengths double before they are short again.
const DOUBLINGS: u64 = 12;

/// How to walk.
#[derive(Clone, Copy)]
pub struct WalkOptions<'a> {
    /// The number of the proposition.
    pub proposition: usize,
    /// The value that is looked for.
    pub wanted: bool,
    /// Steps of all walks together.
    pub steps: u64,
    /// Steps of the longest walk.
    pub longest: usize,
    /// What chance depends on.
    pub seed: u64,
    /// Asked from time to time.
    pub is_over: &'a dyn Fn() -> bool,
}

/// What came of the walks.
pub struct Walked<S> {
    /// The states of a walk that came to the wanted value, each with the action that leads to the next; there is no automaton.
    pub path: Option<Vec<Moment>>,
    /// Steps of all walks.
    pub steps: u64,
    /// The system that the states are of, if a value did not fit into that which was given.
    pub wider: Option<S>,
}

/// The successors of a state.
#[derive(Default)]
struct Successors {
    actions: Vec<u32>,
    words: Vec<u64>,
    overflow: bool,
}

impl Sink for Successors {
    fn successor(&mut self, step: Step, state: &[u64]) {
        self.actions.push(step.action);
        self.words.extend_from_slice(state);
    }

    fn failure(&mut self, _: Failure) {}

    fn overflow(&mut self) {
        self.overflow = true;
    }
}

/// Walks until a state has the wanted value, or enough.
pub fn walk<S: System>(system: &S, options: &WalkOptions<'_>) -> Walked<S> {
    let mut walked = Walked {
        path: None,
        steps: 0,
        wider: None,
    };
    let mut random = Random::new(options.seed);
    for round in 0.. {
        let length = (SHORT << (round / 2 % DOUBLINGS)).min(options.longest);
        let (before, was_wider) = (walked.steps, walked.wider.is_some());
        let current = walked.wider.as_ref().unwrap_or(system);
        let (end, steps) = one(current, options, &mut random, round % 2 == 0, length);
        walked.steps += steps;
        match end {
            End::Met(path) => {
                walked.path = Some(path);
                return walked;
            }
            End::Overflow(wider) => walked.wider = Some(wider),
            End::Lost => {
                let is_stuck = walked.steps == before && !was_wider;
                if is_stuck || walked.steps >= options.steps || (options.is_over)() {
                    return walked;
                }
            }
            End::Over => return walked,
        }
    }
    walked
}

/// How a walk ended.
enum End<S> {
    Met(Vec<Moment>),
    /// A value needs the wider system.
    Overflow(S),
    Lost,
    Over,
}

fn one<S: System>(
    system: &S,
    options: &WalkOptions<'_>,
    random: &mut Random,
    directed: bool,
    length: usize,
) -> (End<S>, u64) {
    let width = system.width();
    let mut context = system.context();
    let mut starts: Vec<Vec<u64>> = Vec::new();
    system.initial(&mut context, &mut |state| starts.push(state.to_vec()));
    let mut state = random.pick(&starts).clone();
    let mut path: Vec<Moment> = Vec::new();
    let mut next = Successors::default();
    let p = options.proposition;
    loop {
        if system.holds(&mut context, &state, p) == options.wanted {
            let steps = path.len() as u64;
            path.push(Moment {
                property: 0,
                state,
                action: None,
            });
            return (End::Met(path), steps);
        }
        let steps = path.len() as u64;
        if path.len() >= length {
            return (End::Lost, steps);
        }
        if path.len() % 64 == 63 && (options.is_over)() {
            return (End::Over, steps);
        }
        next.actions.clear();
        next.words.clear();
        system.successors(&mut context, &state, &mut next);
        if next.overflow {
            return match system.widen(&context) {
                Some(wider) => (End::Overflow(wider), steps),
                // A value that no layout has room for.
                None => (End::Lost, steps),
            };
        }
        if next.actions.is_empty() {
            return (End::Lost, steps);
        }
        let count = next.actions.len();
        let words = |i: usize| &next.words[i * width..][..width];
        let mut chosen = random.below(count);
        if directed && !random.chance(CHANCE) {
            let mut nearest = u64::MAX;
            let first = chosen;
            for look in 0..count.min(LOOKS) {
                let i = (first + look) % count;
                let distance = match system.holds(&mut context, words(i), p) == options.wanted {
                    true => 0,
                    false => system.distance(&mut context, words(i), p),
                };
                if distance < nearest || distance == nearest && random.chance(0.5) {
                    (chosen, nearest) = (i, distance);
                }
            }
        }
        let after = words(chosen).to_vec();
        path.push(Moment {
            property: 0,
            state: std::mem::replace(&mut state, after),
            action: Some(next.actions[chosen]),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_model::ir::Expr;
    use sempre_model::random_program::random_program;
    use sempre_model::{Interpreter, Layout, ProgramSystem};
    use std::collections::BTreeSet;
    use std::sync::Arc;

    /// A walk is a run of the program; what is not reachable is not met, and most of what is, is.
    #[test]
    fn walks_are_runs() {
        let mut random = Random::new(4);
        let (mut met, mut missed, mut unreachable) = (0, 0, 0);
        for seed in 0..300 {
            let program = Arc::new(random_program(&mut random));
            let interpreter = Interpreter::new(&program);
            let mut seen: BTreeSet<Vec<i64>> = program.initial.iter().cloned().collect();
            let mut open: Vec<Vec<i64>> = seen.iter().cloned().collect();
            while let Some(state) = open.pop() {
                for (_, next) in interpreter.successors(&state) {
                    if let Ok(next) = next
                        && seen.len() < 300
                        && seen.insert(next.clone())
                    {
                        open.push(next);
                    }
                }
            }
            if seen.len() >= 300 {
                continue;
            }
            let mut guards = program.actions.iter().filter_map(|a| match &a.behaviour {
                sempre_model::ir::Behaviour::Guarded { guard, .. } => Some(guard.clone()),
                sempre_model::ir::Behaviour::Table(_) => None,
            });
            let Some(guard) = guards.next_back().filter(|g| *g != Expr::TRUE) else {
                continue;
            };
            // What a walk makes of a condition without a value is for the caller to find out.
            if seen.iter().any(|s| interpreter.holds(&guard, s).is_err()) {
                continue;
            }
            let wanted = seed % 2 == 0;
            let expected = seen
                .iter()
                .any(|s| interpreter.holds(&guard, s) == Ok(wanted));
            let layout = Layout::inferred(&program);
            let system =
                ProgramSystem::new(Arc::clone(&program), layout.clone(), vec![guard.clone()]);
            let options = WalkOptions {
                proposition: 0,
                wanted,
                steps: 5000,
                longest: 200,
                seed,
                is_over: &|| false,
            };
            let walked = walk(&system, &options);
            let Some(path) = walked.path else {
                *if expected {
                    &mut missed
                } else {
                    &mut unreachable
                } += 1;
                continue;
            };
            assert!(expected);
            met += 1;
            let layout = walked.wider.as_ref().map_or(&layout, ProgramSystem::layout);
            let unpacked = |moment: &Moment| {
                let mut cells = vec![0; program.cells()];
                layout.unpack(&moment.state, &mut cells);
                cells
            };
            assert!(program.initial.contains(&unpacked(&path[0])));
            for two in path.windows(2) {
                let step = (two[0].action.expect("a step"), Ok(unpacked(&two[1])));
                assert!(interpreter.successors(&unpacked(&two[0])).contains(&step));
            }
            let last = unpacked(&path[path.len() - 1]);
            assert_eq!(interpreter.holds(&guard, &last), Ok(wanted));
        }
        assert!(
            met > 50 && unreachable > 5 && missed * 20 < met,
            "{met} {missed} {unreachable}"
        );
    }
}
