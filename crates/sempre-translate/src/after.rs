//! The formula that remains to be satisfied after a letter: the function `af`, on decision diagrams.
//!
//! Esparza, Křetínský, Sickert, "From LTL to deterministic automata: a Safraless compositional approach" (FMSD 2016).
//! The requirements of a formula on the present letter and on the rest of the word are a Boolean function of the
//! propositions and of formulas about the rest. Reading a letter leaves a positive Boolean combination of such
//! formulas, the *rest*, which is a set of obligations up to propositional equivalence. A word satisfies a rest whose
//! formulas are all safety formulas iff the rest never becomes false, and one of guarantees iff it becomes true.
//!
//! Formulas that do not depend on prefixes are not unfolded.
//!
//! Invariants: A1 rests are monotone; A2 formulas are in negation normal form.

use crate::delta2::is_limit;
use rustc_hash::FxHashMap;
use sempre_ltl::{Formula, Formulas, Op};
use sempre_omega::bdd::AUXILIARY;
use sempre_omega::{Alphabet, Bdd};

/// Rests of formulas of one arena, over one alphabet.
#[derive(Default)]
pub struct After {
    variables: FxHashMap<Formula, u32>,
    atoms: Vec<Formula>,
    unfolded: FxHashMap<Formula, Bdd>,
    functions: FxHashMap<Bdd, Bdd>,
}

impl After {
    /// The rest that requires `f` from the next position on.
    pub fn rest(&mut self, formulas: &Formulas, alphabet: &mut Alphabet, f: Formula) -> Bdd {
        match formulas.op(f) {
            Op::True => Bdd::TRUE,
            Op::False => Bdd::FALSE,
            op @ (Op::And | Op::Or) if !is_limit(formulas, f) => {
                let parts = formulas.operands(f).iter();
                let mut all = if op == Op::And { Bdd::TRUE } else { Bdd::FALSE };
                for &g in parts {
                    let part = self.rest(formulas, alphabet, g);
                    all = match op {
                        Op::And => alphabet.bdds.and(all, part),
                        _ => alphabet.bdds.or(all, part),
                    };
                }
                all
            }
            _ => {
                let fresh = AUXILIARY + self.atoms.len() as u32;
                let var = *self.variables.entry(f).or_insert_with(|| {
                    self.atoms.push(f);
                    fresh
                });
                alphabet.bdds.variable(var)
            }
        }
    }

    /// The formulas that occur in a rest.
    pub(crate) fn atoms_of(&self, alphabet: &Alphabet, rest: Bdd) -> Vec<Formula> {
        let support = alphabet.bdds.support(rest);
        support.into_iter().map(|v| self.atom(v)).collect()
    }

    /// A rest as a formula.
    pub fn formula(&self, formulas: &mut Formulas, alphabet: &mut Alphabet, rest: Bdd) -> Formula {
        let mut cases: Vec<Vec<Formula>> = Vec::new();
        alphabet.bdds.sum_of_products(rest, |literals| {
            cases.push(literals.iter().map(|&(var, _)| self.atom(var)).collect());
        });
        let cases: Vec<Formula> = cases.iter().map(|case| formulas.and(case)).collect();
        formulas.or(&cases)
    }

    fn atom(&self, var: u32) -> Formula {
        self.atoms[(var - AUXILIARY) as usize]
    }

    /// The requirements of a rest on the present letter and on the positions after it.
    pub fn function(&mut self, formulas: &Formulas, alphabet: &mut Alphabet, rest: Bdd) -> Bdd {
        if rest.is_constant() {
            return rest;
        }
        if let Some(&known) = self.functions.get(&rest) {
            return known;
        }
        let (var, low, high) = {
            let b = &alphabet.bdds;
            (b.var(rest), b.low(rest), b.high(rest))
        };
        let low = self.function(formulas, alphabet, low);
        let high = self.function(formulas, alphabet, high);
        let now = self.unfold(formulas, alphabet, self.atom(var));
        // A1: a letter that suffices without the atom suffices with it.
        let with = alphabet.bdds.and(now, high);
        let function = alphabet.bdds.or(with, low);
        self.functions.insert(rest, function);
        function
    }

    /// The rest with other formulas in place of its own.
    pub fn replaced(
        &mut self,
        formulas: &Formulas,
        alphabet: &mut Alphabet,
        rest: Bdd,
        other: &FxHashMap<Formula, Formula>,
    ) -> Bdd {
        let mut done: FxHashMap<Bdd, Bdd> = FxHashMap::default();
        self.replace(formulas, alphabet, rest, other, &mut done)
    }

    fn replace(
        &mut self,
        formulas: &Formulas,
        alphabet: &mut Alphabet,
        rest: Bdd,
        other: &FxHashMap<Formula, Formula>,
        done: &mut FxHashMap<Bdd, Bdd>,
    ) -> Bdd {
        if rest.is_constant() {
            return rest;
        }
        if let Some(&known) = done.get(&rest) {
            return known;
        }
        let (var, low, high) = {
            let b = &alphabet.bdds;
            (b.var(rest), b.low(rest), b.high(rest))
        };
        let low = self.replace(formulas, alphabet, low, other, done);
        let high = self.replace(formulas, alphabet, high, other, done);
        let f = self.atom(var);
        let f = other.get(&f).copied().unwrap_or(f);
        let now = self.rest(formulas, alphabet, f);
        let with = alphabet.bdds.and(now, high);
        let new = alphabet.bdds.or(with, low);
        done.insert(rest, new);
        new
    }

    /// The function of one formula.
    pub fn unfold(&mut self, formulas: &Formulas, alphabet: &mut Alphabet, f: Formula) -> Bdd {
        if let Some(&known) = self.unfolded.get(&f) {
            return known;
        }
        let operand = |i: usize| formulas.operand(f, i);
        let function = match formulas.op(f) {
            Op::True => Bdd::TRUE,
            Op::False => Bdd::FALSE,
            _ if is_limit(formulas, f) => self.rest(formulas, alphabet, f),
            Op::Proposition => {
                let v = alphabet.declare(formulas.name(formulas.proposition_number(f)));
                alphabet.bdds.variable(v)
            }
            Op::Not => {
                let g = self.unfold(formulas, alphabet, operand(0));
                alphabet.bdds.not(g)
            }
            Op::Next => self.rest(formulas, alphabet, operand(0)),
            op @ (Op::And | Op::Or) => {
                let mut all = if op == Op::And { Bdd::TRUE } else { Bdd::FALSE };
                for &g in formulas.operands(f) {
                    let part = self.unfold(formulas, alphabet, g);
                    all = match op {
                        Op::And => alphabet.bdds.and(all, part),
                        _ => alphabet.bdds.or(all, part),
                    };
                }
                all
            }
            op @ (Op::Finally | Op::Globally) => {
                let now = self.unfold(formulas, alphabet, operand(0));
                let later = self.rest(formulas, alphabet, f);
                match op {
                    Op::Finally => alphabet.bdds.or(now, later),
                    _ => alphabet.bdds.and(now, later),
                }
            }
            op => {
                debug_assert!(op.is_binary_temporal(), "A2");
                let left = self.unfold(formulas, alphabet, operand(0));
                let right = self.unfold(formulas, alphabet, operand(1));
                let later = self.rest(formulas, alphabet, f);
                if matches!(op, Op::Until | Op::WeakUntil) {
                    let wait = alphabet.bdds.and(left, later);
                    alphabet.bdds.or(right, wait)
                } else {
                    let wait = alphabet.bdds.or(left, later);
                    alphabet.bdds.and(right, wait)
                }
            }
        };
        self.unfolded.insert(f, function);
        function
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_ltl::{ParseOptions, parse};

    #[test]
    fn rests_of_a_small_formula() {
        let mut a = Formulas::new();
        let mut alphabet = Alphabet::new();
        let mut after = After::default();
        let f = parse(&mut a, "p U (q & G F r)", &ParseOptions::default());
        let f = f.expect("a formula").formula;
        let rest = after.rest(&a, &mut alphabet, f);
        let function = after.function(&a, &mut alphabet, rest);
        let parts = alphabet.bdds.split_propositions(function);
        // Keep waiting (p, not q), wait or require `GF r` only (p and q), require `GF r` (only q).
        assert_eq!(parts.len(), 3);
        let waiting = parts.iter().filter(|(_, r)| *r == rest).count();
        assert_eq!(waiting, 1);
        let content = parts
            .iter()
            .filter(|(_, r)| after.atoms_of(&alphabet, *r).len() == 1 && *r != rest);
        for (_, r) in content.cloned().collect::<Vec<_>>() {
            // It does not depend on prefixes, and is not unfolded.
            assert_eq!(after.function(&a, &mut alphabet, r), r);
        }
    }
}
