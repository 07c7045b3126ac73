//! Random formulas, reproducible from a seed.
//!
//! A formula of tree size n is drawn as in the literature on testing translators (Tauriainen, Heljanko, STTT 2002):
//! the root is drawn among the operators that fit the size, each with its priority; the remaining size is split
//! uniformly among its operands. Sizes count operators and leaves. With the trivial identities applied, which is the
//! default, formulas may be smaller.

use crate::formula::{Formula, Formulas, Op};
use sempre_base::Random;
use std::ops::RangeInclusive;

/// How formulas are drawn.
#[derive(Clone, Debug)]
pub struct RandomFormula {
    /// The names of the propositions.
    pub names: Vec<String>,
    /// Tree sizes, drawn uniformly.
    pub sizes: RangeInclusive<usize>,
    /// The operators that may occur, with their relative frequencies; [`Op::Proposition`], [`Op::True`] and
    /// [`Op::False`] for leaves. Other operators do not occur.
    pub priorities: Vec<(Op, u32)>,
    /// Keep formulas exactly as drawn; otherwise apply the trivial identities.
    pub exact: bool,
}

/// All operators, for [`RandomFormula::priorities`].
const ALL: [Op; 16] = [
    Op::Proposition,
    Op::True,
    Op::False,
    Op::Not,
    Op::Next,
    Op::Finally,
    Op::Globally,
    Op::And,
    Op::Or,
    Op::Implies,
    Op::Equiv,
    Op::Xor,
    Op::Until,
    Op::Release,
    Op::WeakUntil,
    Op::StrongRelease,
];

impl RandomFormula {
    /// Formulas of size 5 to 15 over `count` propositions `p0`, `p1`, …; every operator equally
    /// often, constants seldom.
    pub fn new(count: usize) -> Self {
        Self {
            names: (0..count).map(|i| format!("p{i}")).collect(),
            sizes: 5..=15,
            priorities: ALL
                .into_iter()
                .map(|op| {
                    (
                        op,
                        if op == Op::Proposition {
                            count as u32
                        } else {
                            1
                        },
                    )
                })
                .collect(),
            exact: false,
        }
    }

    /// The same without `X`: the languages are stutter-invariant.
    #[must_use]
    pub fn without_next(mut self) -> Self {
        self.set_priority(Op::Next, 0);
        self
    }

    /// The same without temporal operators.
    #[must_use]
    pub fn boolean(mut self) -> Self {
        self.priorities.retain(|&(op, _)| {
            !matches!(op, Op::Next | Op::Finally | Op::Globally) && !op.is_binary_temporal()
        });
        self
    }

    /// Sets the priority of an operator.
    pub fn set_priority(&mut self, op: Op, priority: u32) {
        self.priorities.retain(|&(other, _)| other != op);
        self.priorities.push((op, priority));
    }

    /// Draws a formula.
    pub fn draw(&self, arena: &mut Formulas, random: &mut Random) -> Formula {
        let (low, high) = (*self.sizes.start(), *self.sizes.end());
        let size = low + random.below(high.saturating_sub(low) + 1);
        self.draw_sized(arena, random, size.max(1))
    }

    /// Draws a formula of this size; smaller if no operator fits.
    fn draw_sized(&self, arena: &mut Formulas, random: &mut Random, size: usize) -> Formula {
        // An explicit stack: a size of a million unary operators must not overflow.
        enum Todo {
            Draw(usize),
            Apply(Op, usize),
        }
        let mut todo = vec![Todo::Draw(size)];
        let mut done: Vec<Formula> = Vec::new();
        while let Some(next) = todo.pop() {
            match next {
                Todo::Draw(size) => {
                    let op = self.root(random, size);
                    match arity(op) {
                        0 => done.push(self.leaf(arena, random, op)),
                        1 => todo.extend([Todo::Apply(op, 1), Todo::Draw(size - 1)]),
                        _ => {
                            let left = 1 + random.below(size - 2);
                            todo.push(Todo::Apply(op, 2));
                            todo.push(Todo::Draw(size - 1 - left));
                            todo.push(Todo::Draw(left));
                        }
                    }
                }
                Todo::Apply(op, count) => {
                    let from = done.len() - count;
                    let f = if self.exact {
                        arena.node(op, &done[from..])
                    } else {
                        arena.make(op, &done[from..])
                    };
                    done.truncate(from);
                    done.push(f);
                }
            }
        }
        done[0]
    }

    /// Draws the root of a formula of this size.
    fn root(&self, random: &mut Random, size: usize) -> Op {
        let usable = |op: Op| op != Op::Proposition || !self.names.is_empty();
        let choose = |random: &mut Random, fits: &dyn Fn(usize) -> bool| {
            let fitting = || {
                self.priorities
                    .iter()
                    .filter(|&&(op, _)| usable(op) && fits(arity(op)))
            };
            let total: usize = fitting().map(|&(_, p)| p as usize).sum();
            if total == 0 {
                return None;
            }
            let mut ticket = random.below(total);
            for &(op, p) in fitting() {
                if ticket < p as usize {
                    return Some(op);
                }
                ticket -= p as usize;
            }
            None
        };
        let wanted = match size {
            0 | 1 => None,
            2 => choose(random, &|n| n == 1),
            _ => choose(random, &|n| n >= 1),
        };
        wanted
            .or_else(|| choose(random, &|n| n == 0))
            .unwrap_or(Op::True)
    }

    fn leaf(&self, arena: &mut Formulas, random: &mut Random, op: Op) -> Formula {
        if op == Op::Proposition {
            arena.proposition(random.pick(&self.names).as_str())
        } else {
            arena.constant(op == Op::True)
        }
    }
}

fn arity(op: Op) -> usize {
    match op {
        Op::Proposition | Op::True | Op::False => 0,
        Op::Not | Op::Next | Op::Finally | Op::Globally => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::{Syntax, print};

    #[test]
    fn sizes_and_operators_are_as_asked() {
        let mut arena = Formulas::new();
        let mut r = Random::new(1);
        let shape = RandomFormula {
            sizes: 4..=12,
            exact: true,
            ..RandomFormula::new(3)
        };
        let mut seen = rustc_hash::FxHashSet::default();
        for _ in 0..500 {
            let f = shape.draw(&mut arena, &mut r);
            assert!((4..=12).contains(&arena.size(f)));
            seen.extend(arena.subformulas(f).into_iter().map(|g| arena.op(g)));
            let g = shape.clone().without_next().draw(&mut arena, &mut r);
            assert!(arena.facts(g).next_free());
            let b = shape.clone().boolean().draw(&mut arena, &mut r);
            assert!(arena.facts(b).boolean());
        }
        assert_eq!(seen.len(), ALL.len());
    }

    #[test]
    fn a_seed_gives_the_same_formulas_in_any_arena() {
        let draw = |arena: &mut Formulas| {
            let mut r = Random::new(42);
            let shape = RandomFormula {
                exact: true,
                ..RandomFormula::new(2)
            };
            let f = shape.draw(arena, &mut r);
            print(arena, f, Syntax::Spot).to_string()
        };
        let mut used = Formulas::new();
        used.proposition("p1");
        assert_eq!(draw(&mut Formulas::new()), draw(&mut used));
    }

    #[test]
    fn odd_requests_end() {
        let mut arena = Formulas::new();
        let mut r = Random::new(1);
        let nothing = RandomFormula {
            priorities: Vec::new(),
            ..RandomFormula::new(0)
        };
        assert_eq!(nothing.draw(&mut arena, &mut r), Formula::TRUE);
        let mut unary = RandomFormula {
            sizes: 100_000..=100_000,
            exact: true,
            priorities: vec![(Op::Next, 1), (Op::Proposition, 1)],
            ..RandomFormula::new(1)
        };
        let f = unary.draw(&mut arena, &mut r);
        assert_eq!(arena.size(f), 100_000);
        unary.sizes = 0..=0;
        assert_eq!(unary.draw(&mut arena, &mut r), arena.proposition("p0"));
    }
}
