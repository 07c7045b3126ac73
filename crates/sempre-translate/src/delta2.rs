//! The limit behaviour of formulas, in normal form: a Boolean combination of `GF g` with a guarantee `g` and of `FG
//! s` with a safety formula `s`.
//!
//! After the "master theorem" (Esparza, Křetínský, Sickert, "One theorem to rule them all", LICS 2018) and the normal
//! form Δ2 that follows from it (Sickert, Esparza, "An efficient normalisation procedure for linear temporal logic
//! and very weak alternating automata", LICS 2020). Guess a set `X` of subformulas `f U g`, `F g`, `f M g` that hold
//! infinitely often, and a set `Y` of subformulas `f W g`, `G g`, `f R g` that hold always from some point on. With a
//! right guess of `X`, the end of an until is known to come ([`weaken`]: the until becomes a weak until, or false if
//! it is not in `X`), and the result is a safety formula; with a right guess of `Y`, a weak until is true or must end
//! ([`strengthen`]), and the result is a guarantee. Each guess is confirmed by means of the other:
//!
//! ```text
//!   FG f  =  ⋁ over X, Y of   FG f[X]  ∧  ⋀ g ∈ X: GF g[Y]  ∧  ⋀ g ∈ Y: FG g[X]
//!   GF f  =  ⋁ over X, Y of   GF f[Y]  ∧  ⋀ g ∈ X: GF g[Y]  ∧  ⋀ g ∈ Y: FG g[X]
//! ```
//!
//! Differences from the papers: only what is needed is guessed (for `FG f` the untils of `f` and the weak untils
//! inside those, for `GF f` the other way round); a temporal operator directly below the modality needs no guess
//! (`FG(f U g) = FG(f | g) ∧ GF g`, `GF(f W g) = GF g ∨ FG f`); and subformulas that do not depend on prefixes (`GF
//! h`, `FG h` and combinations) are split off first, for they are true always or never: `FG f[h] = (h ∧ FG f[true]) ∨
//! FG f[false]`.
//!
//! Invariants: D1 formulas are in negation normal form, so everything is monotone in its subformulas.
//!
//! Cost: exponential in the number of guesses; there is no result for more than [`MAX_GUESSES`] of them.

use rustc_hash::{FxHashMap, FxHashSet};
use sempre_ltl::{Formula, Formulas, Op};

/// The most subformulas that are guessed at once.
pub(crate) const MAX_GUESSES: usize = 10;

/// Sets of subformulas.
pub(crate) type Guess = FxHashSet<Formula>;

/// Does the syntax show that `f` does not depend on prefixes?
pub(crate) fn is_limit(formulas: &Formulas, f: Formula) -> bool {
    let facts = formulas.facts(f);
    facts.eventual() && facts.universal() && !f.is_constant()
}

/// The largest subformulas that do not depend on prefixes.
pub(crate) fn limits(formulas: &Formulas, f: Formula) -> Vec<Formula> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut todo = vec![f];
    while let Some(g) = todo.pop() {
        if !seen.insert(g) {
            continue;
        }
        if is_limit(formulas, g) {
            found.push(g);
        } else {
            todo.extend(formulas.operands(g));
        }
    }
    found.sort_unstable();
    found
}

/// Is it an operator whose end must come (`U`, `F`, `M`)?
fn is_strong(op: Op) -> bool {
    matches!(op, Op::Until | Op::Finally | Op::StrongRelease)
}

/// Is it an operator that may hold for ever (`W`, `G`, `R`)?
fn is_weak(op: Op) -> bool {
    matches!(op, Op::WeakUntil | Op::Globally | Op::Release)
}

fn subformulas_with(
    formulas: &Formulas,
    roots: &[Formula],
    kind: impl Fn(Op) -> bool,
) -> Vec<Formula> {
    let mut found: Vec<Formula> = roots
        .iter()
        .flat_map(|&f| formulas.subformulas(f))
        .filter(|&g| kind(formulas.op(g)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The `U`, `F` and `M` subformulas.
pub(crate) fn strong_subformulas(formulas: &Formulas, roots: &[Formula]) -> Vec<Formula> {
    subformulas_with(formulas, roots, is_strong)
}

/// The `W`, `G` and `R` subformulas.
pub(crate) fn weak_subformulas(formulas: &Formulas, roots: &[Formula]) -> Vec<Formula> {
    subformulas_with(formulas, roots, is_weak)
}

/// All subsets of a few formulas, if `already` others are guessed; `None` if they are too many.
pub(crate) fn subsets(of: &[Formula], already: usize) -> Option<impl Iterator<Item = Guess> + '_> {
    (of.len() + already <= MAX_GUESSES).then(|| {
        (0..1usize << of.len()).map(move |bits| {
            let chosen = of.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            chosen.map(|(_, &f)| f).collect()
        })
    })
}

/// `f[X]`: a safety formula. It is equivalent to `f` if the formulas of `X` hold infinitely often, and no other `U`,
/// `F`, `M` does.
pub(crate) fn weaken(formulas: &mut Formulas, f: Formula, x: &Guess) -> Formula {
    formulas.rebuild(f, |a, g, operands| match (a.op(g), operands) {
        (Op::Until | Op::Finally | Op::StrongRelease, _) if !x.contains(&g) => Formula::FALSE,
        (Op::Finally, _) => Formula::TRUE,
        (Op::Until, &[l, r]) => a.weak_until(l, r),
        (Op::StrongRelease, &[l, r]) => a.release(l, r),
        (_, []) => g,
        (op, _) => a.make(op, operands),
    })
}

/// `f[Y]`: a guarantee. It is equivalent to `f` if the formulas of `Y` hold always, and no other `W`, `G`, `R` does.
pub(crate) fn strengthen(formulas: &mut Formulas, f: Formula, y: &Guess) -> Formula {
    formulas.rebuild(f, |a, g, operands| match (a.op(g), operands) {
        (Op::WeakUntil | Op::Globally | Op::Release, _) if y.contains(&g) => Formula::TRUE,
        (Op::Globally, _) => Formula::FALSE,
        (Op::WeakUntil, &[l, r]) => a.until(l, r),
        (Op::Release, &[l, r]) => a.strong_release(l, r),
        (_, []) => g,
        (op, _) => a.make(op, operands),
    })
}

/// `f` with some subformulas replaced by constants.
pub(crate) fn replace_by_constants(
    formulas: &mut Formulas,
    f: Formula,
    value: impl Fn(Formula) -> Option<bool>,
) -> Formula {
    formulas.rebuild(f, |a, g, operands| match (value(g), operands) {
        (Some(v), _) => a.constant(v),
        (None, []) => g,
        (None, _) => a.make(a.op(g), operands),
    })
}

/// The confirmation of a guess: `⋀ g ∈ X: GF g[Y] ∧ ⋀ g ∈ Y: FG g[X]`, in normal form.
pub(crate) fn confirmation(formulas: &mut Formulas, x: &Guess, y: &Guess) -> Formula {
    let mut parts = Vec::new();
    let mut sorted: Vec<Formula> = x.iter().copied().collect();
    sorted.sort_unstable();
    for g in sorted {
        let g = strengthen(formulas, g, y);
        parts.push(infinitely_often(formulas, g));
    }
    let mut sorted: Vec<Formula> = y.iter().copied().collect();
    sorted.sort_unstable();
    for g in sorted {
        let g = weaken(formulas, g, x);
        parts.push(almost_always(formulas, g));
    }
    formulas.and(&parts)
}

/// `GF f`, without the operators that make no difference below it.
fn infinitely_often(formulas: &mut Formulas, f: Formula) -> Formula {
    let mut f = f;
    loop {
        f = match formulas.op(f) {
            Op::Finally | Op::Next => formulas.operand(f, 0),
            Op::Until => formulas.operand(f, 1),
            Op::StrongRelease => {
                let both = [formulas.operand(f, 0), formulas.operand(f, 1)];
                formulas.and(&both)
            }
            _ => break,
        };
    }
    let f = formulas.finally(f);
    formulas.globally(f)
}

/// `FG f`, without the operators that make no difference below it.
fn almost_always(formulas: &mut Formulas, f: Formula) -> Formula {
    let mut f = f;
    loop {
        f = match formulas.op(f) {
            Op::Globally | Op::Next => formulas.operand(f, 0),
            Op::Release => formulas.operand(f, 1),
            Op::WeakUntil => {
                let either = [formulas.operand(f, 0), formulas.operand(f, 1)];
                formulas.or(&either)
            }
            _ => break,
        };
    }
    let f = formulas.globally(f);
    formulas.finally(f)
}

/// Which of the two equations applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Modality {
    /// `GF`
    Recurrence,
    /// `FG`
    Persistence,
}

/// Computes normal forms, with a cache; for formulas of one arena.
#[derive(Default)]
pub(crate) struct Limits {
    known: FxHashMap<(Modality, Formula), Option<Formula>>,
}

impl Limits {
    /// The normal form of a formula that does not depend on prefixes: `∧` and `∨` over `GF g` with guarantees `g` and
    /// `FG s` with safety formulas `s`. `None` if there are too many guesses.
    pub(crate) fn normal_form(&mut self, formulas: &mut Formulas, f: Formula) -> Option<Formula> {
        debug_assert!(f.is_constant() || is_limit(formulas, f));
        match formulas.op(f) {
            Op::True | Op::False => Some(f),
            op @ (Op::And | Op::Or) => {
                let mut parts = Vec::new();
                for i in 0..formulas.operands(f).len() {
                    let g = formulas.operand(f, i);
                    parts.push(self.normal_form(formulas, g)?);
                }
                Some(formulas.make(op, &parts))
            }
            // It is equivalent to `GF f` and to `FG f`.
            op if is_strong(op) => self.modal(formulas, Modality::Recurrence, f),
            _ => self.modal(formulas, Modality::Persistence, f),
        }
    }

    fn modal(&mut self, formulas: &mut Formulas, m: Modality, f: Formula) -> Option<Formula> {
        if let Some(&known) = self.known.get(&(m, f)) {
            return known;
        }
        let found = self.find(formulas, m, f);
        self.known.insert((m, f), found);
        found
    }

    fn find(&mut self, formulas: &mut Formulas, m: Modality, f: Formula) -> Option<Formula> {
        use Modality::{Persistence, Recurrence};
        let operand = |a: &Formulas, i: usize| a.operand(f, i);
        match (m, formulas.op(f)) {
            (_, Op::True | Op::False) => return Some(f),
            (_, Op::Next) => {
                let g = operand(formulas, 0);
                return self.modal(formulas, m, g);
            }
            (_, Op::Finally) => {
                let g = operand(formulas, 0);
                return self.modal(formulas, Recurrence, g);
            }
            (_, Op::Globally) => {
                let g = operand(formulas, 0);
                return self.modal(formulas, Persistence, g);
            }
            (_, op) if op.is_binary_temporal() => {
                let (l, r) = (operand(formulas, 0), operand(formulas, 1));
                return self.binary(formulas, m, op, l, r);
            }
            _ => {}
        }
        let pure = match m {
            Recurrence => weak_subformulas(formulas, &[f]).is_empty(),
            Persistence => strong_subformulas(formulas, &[f]).is_empty(),
        };
        if pure {
            return Some(match m {
                Recurrence => infinitely_often(formulas, f),
                Persistence => almost_always(formulas, f),
            });
        }
        if is_limit(formulas, f) {
            return self.normal_form(formulas, f);
        }
        // One of them is enough: the recursion finds the others.
        if let Some(&h) = limits(formulas, f).first() {
            let held = self.split(formulas, m, f, h, true)?;
            let missed = self.split(formulas, m, f, h, false)?;
            let condition = self.normal_form(formulas, h)?;
            let first = formulas.and(&[condition, held]);
            return Some(formulas.or(&[first, missed]));
        }
        match (m, formulas.op(f)) {
            (Recurrence, op @ Op::Or) | (Persistence, op @ Op::And) => {
                let mut parts = Vec::new();
                for i in 0..formulas.operands(f).len() {
                    let g = formulas.operand(f, i);
                    parts.push(self.modal(formulas, m, g)?);
                }
                Some(formulas.make(op, &parts))
            }
            _ => self.guess(formulas, m, f),
        }
    }

    /// The modality above `l op r`: the part that happens infinitely often, and the alternative.
    fn binary(
        &mut self,
        formulas: &mut Formulas,
        m: Modality,
        op: Op,
        l: Formula,
        r: Formula,
    ) -> Option<Formula> {
        // `l R r` is `r W (l & r)`, `l M r` is `r U (l & r)`.
        let (stay, end) = match op {
            Op::Until | Op::WeakUntil => (l, r),
            _ => (r, formulas.and(&[l, r])),
        };
        match m {
            Modality::Recurrence => {
                let ends = self.modal(formulas, Modality::Recurrence, end)?;
                if is_strong(op) {
                    return Some(ends);
                }
                let stays = self.modal(formulas, Modality::Persistence, stay)?;
                Some(formulas.or(&[ends, stays]))
            }
            Modality::Persistence => {
                let either = match op {
                    Op::Until | Op::WeakUntil => formulas.or(&[stay, end]),
                    _ => stay,
                };
                let stays = self.modal(formulas, Modality::Persistence, either)?;
                if is_weak(op) {
                    return Some(stays);
                }
                let ends = self.modal(formulas, Modality::Recurrence, end)?;
                Some(formulas.and(&[stays, ends]))
            }
        }
    }

    fn split(
        &mut self,
        formulas: &mut Formulas,
        m: Modality,
        f: Formula,
        h: Formula,
        value: bool,
    ) -> Option<Formula> {
        let g = replace_by_constants(formulas, f, |g| (g == h).then_some(value));
        self.modal(formulas, m, g)
    }

    fn guess(&mut self, formulas: &mut Formulas, m: Modality, f: Formula) -> Option<Formula> {
        let mut cases = Vec::new();
        let first = match m {
            Modality::Persistence => strong_subformulas(formulas, &[f]),
            Modality::Recurrence => weak_subformulas(formulas, &[f]),
        };
        for outer in subsets(&first, 0)? {
            let claim = match m {
                Modality::Persistence => {
                    let g = weaken(formulas, f, &outer);
                    almost_always(formulas, g)
                }
                Modality::Recurrence => {
                    let g = strengthen(formulas, f, &outer);
                    infinitely_often(formulas, g)
                }
            };
            if claim == Formula::FALSE {
                continue;
            }
            let mut roots: Vec<Formula> = outer.iter().copied().collect();
            roots.sort_unstable();
            let second = match m {
                Modality::Persistence => weak_subformulas(formulas, &roots),
                Modality::Recurrence => strong_subformulas(formulas, &roots),
            };
            for inner in subsets(&second, first.len())? {
                let (x, y) = match m {
                    Modality::Persistence => (&outer, &inner),
                    Modality::Recurrence => (&inner, &outer),
                };
                let confirmed = confirmation(formulas, x, y);
                cases.push(formulas.and(&[claim, confirmed]));
            }
        }
        Some(formulas.or(&cases))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::random_word;
    use sempre_base::Random;
    use sempre_ltl::{ParseOptions, RandomFormula, Syntax, holds, nnf, parse, print};

    fn is_normal(a: &Formulas, f: Formula) -> bool {
        let below = |op: Op, g: Formula| a.op(g) == op;
        match a.op(f) {
            Op::True | Op::False => true,
            Op::And | Op::Or => a.operands(f).iter().all(|&g| is_normal(a, g)),
            Op::Globally => {
                let g = a.operand(f, 0);
                below(Op::Finally, g) && a.facts(a.operand(g, 0)).guarantee()
            }
            Op::Finally => {
                let g = a.operand(f, 0);
                below(Op::Globally, g) && a.facts(a.operand(g, 0)).safety()
            }
            _ => false,
        }
    }

    #[test]
    fn normal_forms_are_normal_and_equivalent() {
        let mut r = Random::new(91);
        let (mut yes, mut words, mut formulas) = (0, 0, 0);
        for round in 0..1500 {
            let mut a = Formulas::new();
            let mut shape = RandomFormula::new(2);
            shape.sizes = 4..=12;
            let f = shape.draw(&mut a, &mut r);
            let f = nnf(&mut a, f);
            let f = if round % 2 == 0 {
                let g = a.globally(f);
                a.finally(g)
            } else {
                let g = a.finally(f);
                a.globally(g)
            };
            if f.is_constant() {
                continue;
            }
            let Some(g) = Limits::default().normal_form(&mut a, f) else {
                continue;
            };
            formulas += 1;
            let (text, normal) = (print(&a, f, Syntax::Spot), print(&a, g, Syntax::Spot));
            assert!(is_normal(&a, g), "{text}: {normal}");
            for _ in 0..20 {
                let w = random_word(&mut r, &a);
                let truth = holds(&a, f, &w);
                assert_eq!(holds(&a, g, &w), truth, "{text}: {normal} {w:?}");
                yes += usize::from(truth);
                words += 1;
            }
        }
        assert!(formulas > 700, "{formulas}");
        assert!(yes > words / 5 && yes < 4 * words / 5, "{yes} of {words}");
    }

    #[test]
    fn the_example_of_the_paper() {
        let mut a = Formulas::new();
        let f = parse(&mut a, "F G((F a) U b)", &ParseOptions::default());
        let f = f.expect("a formula").formula;
        let g = Limits::default().normal_form(&mut a, f).expect("small");
        let text = print(&a, g, Syntax::Spot).to_string();
        assert_eq!(text, "(FGb | GFa) & GFb");
    }
}
