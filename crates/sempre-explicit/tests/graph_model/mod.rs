//! Small graphs as systems, and whether a run of one violates a property.

use sempre_base::Random;
use sempre_explicit::check::Counterexample;
use sempre_explicit::product::Deadlock;
use sempre_model::{Failure, Sink, Step, System};
use sempre_omega::membership::accepts;
use sempre_omega::{Alphabet, Automaton, Letter};

/// A step.
pub struct Move {
    pub action: u32,
    pub marks: u64,
    pub target: usize,
}

/// A graph as a system, with marks, processes, deadlocks and failures.
pub struct Model {
    pub initial: Vec<usize>,
    pub moves: Vec<Vec<Move>>,
    /// What fails in a state: an action, or a condition on the state.
    pub failing: Vec<Option<Option<u32>>>,
    pub valuation: Vec<u64>,
    pub marks: u32,
    pub processes: usize,
    /// The processes of each action.
    pub actions: Vec<Vec<u32>>,
    pub spare: u32,
}

/// Number of propositions.
pub const PROPOSITIONS: usize = 2;

impl Model {
    /// Any.
    pub fn random(random: &mut Random) -> Self {
        let states = 1 + random.below(9);
        let density = [0.1, 0.2, 0.35][random.below(3)];
        let marks = if random.chance(0.4) {
            1 + random.below(2) as u32
        } else {
            0
        };
        let processes = random.below(4);
        let actions = (0..1 + random.below(6))
            .map(|_| {
                (0..processes as u32)
                    .filter(|_| random.chance(0.5))
                    .collect()
            })
            .collect::<Vec<Vec<u32>>>();
        let moves = (0..states)
            .map(|_| {
                let mut moves: Vec<Move> = Vec::new();
                for target in 0..states {
                    while random.chance(density) {
                        moves.push(Move {
                            action: random.below(actions.len()) as u32,
                            marks: random.below(1 << marks) as u64,
                            target,
                        });
                    }
                }
                for i in (1..moves.len()).rev() {
                    moves.swap(i, random.below(i + 1));
                }
                moves
            })
            .collect();
        let fails = random.chance(0.2);
        let failing = (0..states)
            .map(|_| {
                let action = random.below(actions.len()) as u32;
                let failure = random.chance(0.5).then_some(action);
                (fails && random.chance(0.2)).then_some(failure)
            })
            .collect();
        Self {
            initial: (0..1 + random.below(2))
                .map(|_| random.below(states))
                .collect(),
            moves,
            failing,
            valuation: (0..states)
                .map(|_| random.below(1 << PROPOSITIONS) as u64)
                .collect(),
            marks,
            processes,
            actions,
            spare: [0, 1, 40][random.below(3)],
        }
    }
}

impl System for Model {
    type Context = ();

    fn context(&self) {}
    fn width(&self) -> usize {
        1
    }
    fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u64])) {
        for &s in &self.initial {
            each(&[s as u64]);
        }
    }
    fn successors(&self, (): &mut (), state: &[u64], sink: &mut impl Sink) {
        let state = state[0] as usize;
        if let Some(action) = self.failing[state] {
            let message = "wrong".to_owned();
            sink.failure(Failure { action, message });
        }
        for m in &self.moves[state] {
            let step = Step {
                action: m.action,
                marks: m.marks,
            };
            sink.successor(step, &[m.target as u64]);
        }
    }
    fn holds(&self, (): &mut (), state: &[u64], proposition: usize) -> bool {
        self.valuation[state[0] as usize] >> proposition & 1 == 1
    }
    fn marks(&self) -> u32 {
        self.marks
    }
    fn spare_bits(&self) -> (usize, u32) {
        (0, self.spare)
    }
    fn processes(&self) -> usize {
        self.processes
    }
    fn action_processes(&self, action: u32) -> &[u32] {
        &self.actions[action as usize]
    }
    fn is_visible(&self, action: u32) -> bool {
        (self.moves.iter().zip(&self.valuation)).any(|(moves, &before)| {
            (moves.iter().filter(|m| m.action == action))
                .any(|m| self.valuation[m.target] != before)
        })
    }
}

/// Is this a run of the model, and does the automaton accept what it reads?
pub fn is_violation(
    model: &Model,
    alphabet: &Alphabet,
    a: &Automaton,
    deadlock: Deadlock,
    found: &Counterexample,
) -> bool {
    let moments: Vec<_> = found.prefix.iter().chain(&found.cycle).collect();
    let state = |i: usize| moments[i].state[0] as usize;
    let next = |i: usize| {
        let i = if i + 1 < moments.len() {
            i + 1
        } else {
            found.prefix.len()
        };
        state(i)
    };
    let moves = (0..moments.len()).all(|i| match moments[i].action {
        Some(action) => {
            (model.moves[state(i)].iter()).any(|m| m.action == action && m.target == next(i))
        }
        None => {
            deadlock == Deadlock::Stutter && model.moves[state(i)].is_empty() && next(i) == state(i)
        }
    });
    let letter = |i: usize| -> Letter {
        (0..PROPOSITIONS as u32)
            .filter(|p| model.valuation[state(i)] >> p & 1 == 1)
            .collect()
    };
    let split = found.prefix.len();
    let word = sempre_base::Lasso::new(
        (0..split).map(letter).collect(),
        (split..moments.len()).map(letter).collect(),
    );
    moves && model.initial.contains(&state(0)) && accepts(&alphabet.bdds, a, &word)
}
