//! The reference: the classical tableau, as simple as possible.
//!
//! A state is the truth of every subformula at one position. The truth at a position follows from its letter and from
//! the truth at the next one, so the automaton is deterministic backwards: for each state and each letter there is
//! exactly one predecessor. The expansion laws leave the fixpoints open; an acceptance set for each closes them: a
//! true `U`, `F` or `M` must not be postponed for ever, a false `R`, `G` or `W` must be refuted.
//!
//! There is no normal form, no sharing and no reduction here, hence nothing in common with the constructions under
//! test. Exponential in the temporal operators: for small formulas only.

use sempre_base::Random;
use sempre_ltl::{Formula, Formulas, Op, RandomFormula};
use sempre_omega::{Acceptance, Alphabet, Automaton, Letter, Mark, emptiness};
use std::collections::HashMap;

/// The largest closure in these tests.
const MAX_STATES: usize = 1 << 11;

struct Tableau<'a> {
    arena: &'a Formulas,
    /// Operands first; bit i of a state is the truth of the formula number i.
    closure: Vec<Formula>,
    number: HashMap<Formula, usize>,
}

impl Tableau<'_> {
    fn truth(&self, state: u64, f: Formula) -> bool {
        state >> self.number[&f] & 1 == 1
    }

    /// The truth at a position, given that at the next one and the true propositions.
    fn before(&self, next: u64, letter: &dyn Fn(usize) -> bool) -> u64 {
        let mut now = 0;
        for (i, &f) in self.closure.iter().enumerate() {
            let at = |k: usize| self.truth(now, self.arena.operand(f, k));
            let later = self.truth(next, f);
            let operands = self.arena.operands(f).len();
            let holds = match self.arena.op(f) {
                Op::True => true,
                Op::False => false,
                Op::Proposition => letter(self.arena.proposition_number(f)),
                Op::Not => !at(0),
                Op::And => (0..operands).all(at),
                Op::Or => (0..operands).any(at),
                Op::Implies => !at(0) || at(1),
                Op::Equiv => at(0) == at(1),
                Op::Xor => at(0) != at(1),
                Op::Next => self.truth(next, self.arena.operand(f, 0)),
                Op::Finally => at(0) || later,
                Op::Globally => at(0) && later,
                Op::Until | Op::WeakUntil => at(1) || (at(0) && later),
                Op::Release | Op::StrongRelease => at(1) && (at(0) || later),
            };
            now |= u64::from(holds) << i;
        }
        now
    }

    /// Is the fixpoint `f` satisfied or refuted at a position in this state? `None` for other formulas.
    fn settled(&self, state: u64, f: Formula) -> Option<bool> {
        let at = |k: usize| self.truth(state, self.arena.operand(f, k));
        let own = self.truth(state, f);
        Some(match self.arena.op(f) {
            Op::Finally => !own || at(0),
            Op::Globally => own || !at(0),
            Op::Until => !own || at(1),
            Op::Release => own || !at(1),
            Op::WeakUntil => own || !(at(0) || at(1)),
            Op::StrongRelease => !own || (at(0) && at(1)),
            _ => return None,
        })
    }
}

/// An automaton of `f`, or of its negation if `value` is false. `None` if it would be large.
pub fn tableau(
    arena: &Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    value: bool,
) -> Option<Automaton> {
    let closure = arena.subformulas(f);
    let free: Vec<usize> = closure
        .iter()
        .enumerate()
        .filter(|&(_, &g)| {
            matches!(
                arena.op(g),
                Op::Proposition | Op::Next | Op::Finally | Op::Globally
            ) || arena.op(g).is_binary_temporal()
        })
        .map(|(i, _)| i)
        .collect();
    if closure.len() > 64 || 1usize.checked_shl(free.len() as u32)? > MAX_STATES {
        return None;
    }
    let number = closure.iter().copied().zip(0..).collect();
    let t = Tableau {
        arena,
        closure,
        number,
    };
    let propositions: Vec<usize> = arena.propositions_of(f);
    let variables: Vec<u32> = propositions
        .iter()
        .map(|&p| alphabet.declare(arena.name(p)))
        .collect();
    let fixpoints: Vec<Formula> = t
        .closure
        .iter()
        .copied()
        .filter(|&g| t.settled(0, g).is_some())
        .collect();
    let sets = fixpoints.len() as u32;
    let mut a = Automaton::new(variables.clone(), sets, Acceptance::generalized_buchi(sets));
    // The position after the last one: the open formulas have any truth value, and the rest does not matter.
    let mut states: HashMap<u64, u32> = HashMap::new();
    let mut todo: Vec<u64> = Vec::new();
    let letters = 1u64 << propositions.len();
    let letter_of = |bits: u64| {
        let holds = propositions
            .iter()
            .enumerate()
            .filter(|&(i, _)| bits >> i & 1 == 1)
            .map(|(_, &p)| p)
            .collect::<Vec<_>>();
        move |p: usize| holds.contains(&p)
    };
    let mut edges = Vec::new();
    for choice in 0..1u64 << free.len() {
        let next = free
            .iter()
            .enumerate()
            .fold(0, |s, (i, &place)| s | (choice >> i & 1) << place);
        // Boolean combinations follow from the guessed parts.
        let next = complete(&t, next);
        let from = *states.entry(next).or_insert_with(|| {
            todo.push(next);
            a.add_state()
        });
        for bits in 0..letters {
            let now = t.before(next, &letter_of(bits));
            let to = *states.entry(now).or_insert_with(|| {
                todo.push(now);
                a.add_state()
            });
            edges.push((to, from, bits));
        }
    }
    for (&state, &s) in &states {
        if t.truth(state, f) == value {
            a.initial.push(s);
        }
    }
    a.initial.sort_unstable();
    let marks: Vec<Mark> = todo
        .iter()
        .map(|&state| {
            (0..sets)
                .filter(|&k| t.settled(state, fixpoints[k as usize]) == Some(true))
                .collect()
        })
        .collect();
    for (from, to, bits) in edges {
        let letter: Letter = variables
            .iter()
            .enumerate()
            .filter(|&(i, _)| bits >> i & 1 == 1)
            .map(|(_, &v)| v)
            .collect();
        let label = letter.to_label(&mut alphabet.bdds, &variables);
        a.add_edge(from, to, label, marks[from as usize].clone());
    }
    Some(a)
}

/// A guess for propositions and temporal formulas, with the Boolean combinations that follow.
fn complete(t: &Tableau, guess: u64) -> u64 {
    let mut now = guess;
    for (i, &f) in t.closure.iter().enumerate() {
        let at = |k: usize| t.truth(now, t.arena.operand(f, k));
        let operands = t.arena.operands(f).len();
        let holds = match t.arena.op(f) {
            Op::True => true,
            Op::False => false,
            Op::Not => !at(0),
            Op::And => (0..operands).all(at),
            Op::Or => (0..operands).any(at),
            Op::Implies => !at(0) || at(1),
            Op::Equiv => at(0) == at(1),
            Op::Xor => at(0) != at(1),
            _ => continue,
        };
        now = now & !(1 << i) | u64::from(holds) << i;
    }
    now
}

/// Is `f` satisfiable? `None` if the tableau would be large.
pub fn satisfiable(arena: &Formulas, f: Formula) -> Option<bool> {
    let a = tableau(arena, &mut Alphabet::new(), f, true)?;
    Some(!emptiness::is_empty(&a))
}

/// Have the two formulas the same models? `None` if the tableau would be large.
pub fn equivalent(arena: &mut Formulas, f: Formula, g: Formula) -> Option<bool> {
    if f == g {
        return Some(true);
    }
    let differ = arena.node(Op::Xor, &[f, g]);
    satisfiable(arena, differ).map(|x| !x)
}

/// Formulas with every operator, of these sizes.
pub fn shape(propositions: usize, sizes: std::ops::RangeInclusive<usize>) -> RandomFormula {
    RandomFormula {
        sizes,
        ..RandomFormula::new(propositions)
    }
}

/// The tableau agrees with the semantics on random words.
#[test]
fn the_reference_agrees_with_the_semantics() {
    let mut r = Random::new(11);
    let mut arena = Formulas::new();
    let mut alphabet = Alphabet::new();
    let mut counts = [0; 2];
    for _ in 0..300 {
        let shape = RandomFormula {
            exact: true,
            ..shape(2, 1..=8)
        };
        let f = shape.draw(&mut arena, &mut r);
        let Some(yes) = tableau(&arena, &mut alphabet, f, true) else {
            continue;
        };
        let no = tableau(&arena, &mut alphabet, f, false).expect("as large as the other");
        for _ in 0..6 {
            let word = crate::words::random(&mut r, &mut arena, &mut alphabet, 2);
            let truth = word.satisfies(&arena, f);
            assert_eq!(word.is_accepted(&alphabet, &yes), truth);
            assert_eq!(word.is_accepted(&alphabet, &no), !truth);
            counts[usize::from(truth)] += 1;
        }
    }
    assert!(counts.iter().all(|&n| n > 400), "{counts:?}");
}
