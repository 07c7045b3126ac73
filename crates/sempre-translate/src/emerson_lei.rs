//! Translation to automata with other than Büchi acceptance: deterministic generalised Rabin, any condition that
//! makes the automaton smaller, without `Fin`, parity.
//!
//! Several constructions are tried, the results are reduced, and the smallest is returned:
//!
//! 1. the Büchi automata of `buchi`, which are minimal and deterministic for obligations and some
//!    others;
//! 2. the construction of the `master_theorem`, of the formula and, with the complement of the condition, of its
//!    negation;
//! 3. Safra's construction from the generalised Büchi automata of both, if these are small.
//!
//! A deterministic automaton has at least as many states as the language has residuals; the search ends at a result
//! with this number of states.
//!
//! If determinism is not required, a nondeterministic generalised Büchi automaton is a candidate, and so is a product
//! in which the conjuncts that do not depend on prefixes have small deterministic automata with `Fin`, as in LTL3TELA
//! (Major, Blahoudek, Strejček, Sasaráková, Zbončáková, "ltl3tela: LTL to small deterministic or nondeterministic
//! Emerson-Lei automata", ATVA 2019).

use crate::buchi::Translator;
use crate::delta2::is_limit;
use crate::master_theorem::{self, Suspension};
use crate::options::{Effort, Kind, Options};
use crate::reduction::reduce;
use crate::too_large::TooLarge;
use sempre_ltl::{Formula, Formulas, Op};
use sempre_omega::acceptance_dnf::dnf;
use sempre_omega::complement::to_deterministic;
use sempre_omega::complete::complete;
use sempre_omega::degeneralize::{self, degeneralize};
use sempre_omega::determinize::determinize;
use sempre_omega::emptiness::prune;
use sempre_omega::fin_less::fin_less;
use sempre_omega::generalized_rabin::generalized_rabin;
use sempre_omega::paritize::to_parity;
use sempre_omega::product::product;
use sempre_omega::rabin_by_component::rabin_by_component;
use sempre_omega::residual_merge::merge_residuals;
use sempre_omega::simulation::merge_bisimilar;
use sempre_omega::{Alphabet, Automaton, Sccs};

/// Conditions with more pairs than this are not changed.
const MAX_PAIRS: usize = 200;

/// Conditions with more cases than this do not become generalised Rabin or Fin-less. Few cases are preferred before,
/// so no formula is known that has as many.
const MAX_CASES: usize = 10_000;

/// A construction with more states than this is abandoned, if another has succeeded.
const MAX_STATES: usize = 2000;

/// The most states if there is no other result.
const LAST_RESORT: usize = 1 << 16;

/// Safra's construction is not tried on larger Büchi automata, or against smaller results, if another construction
/// has succeeded.
const MAX_FOR_SAFRA: usize = 30;

/// An automaton of a formula in negation normal form, of one of the kinds of this module.
pub fn translate(
    translator: &mut Translator,
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    options: Options,
) -> Result<Automaton, TooLarge> {
    let mut search = Search {
        translator,
        formulas,
        alphabet,
        effort: options.effort,
        parity: options.kind == Kind::Parity,
        reserve: None,
        best: None,
    };
    let f = search
        .translator
        .rewritten(search.formulas, f, options.effort);
    let deterministic = options.deterministic || options.kind == Kind::Parity;
    search.deterministic(f, deterministic)?;
    if !deterministic {
        search.nondeterministic(f)?;
    }
    let a = search.best.expect("at least one automaton was offered").1;
    Ok(match options.kind {
        Kind::Tgra => generalized_rabin(&a, MAX_CASES).unwrap_or(a),
        Kind::FinLess => without_fin(alphabet, a, options.effort),
        _ => a,
    })
}

/// The automaton after Fin-removal, reduced.
fn without_fin(alphabet: &mut Alphabet, a: Automaton, effort: Effort) -> Automaton {
    let Some(mut b) = fin_less(&a, MAX_CASES) else {
        return a;
    };
    if b.acceptance.as_generalized_buchi().is_some() {
        reduce(&mut b, alphabet, effort);
    } else {
        sempre_omega::simulation::reduce_to_fixpoint(&mut b, &mut alphabet.bdds);
    }
    b
}

/// Smaller is better: too many pairs to count, states, nondeterminism, pairs, edges.
type Rank = (bool, usize, bool, usize, usize);

struct Search<'a> {
    translator: &'a mut Translator,
    formulas: &'a mut Formulas,
    alphabet: &'a mut Alphabet,
    effort: Effort,
    /// Must the condition be a parity condition?
    parity: bool,
    /// A deterministic automaton whose parity automaton was too large.
    reserve: Option<Automaton>,
    best: Option<(Rank, Automaton)>,
}

impl Search<'_> {
    fn offer(&mut self, a: Automaton) {
        let pairs = dnf(&a.acceptance, MAX_PAIRS).map(|p| p.len());
        let nondeterministic = !a.is_deterministic(&mut self.alphabet.bdds);
        let size = (a.states(), a.edge_count());
        let many = pairs.is_none() && !self.parity;
        let rank = (many, size.0, nondeterministic, pairs.unwrap_or(0), size.1);
        if self.best.as_ref().is_none_or(|(r, _)| rank < *r) {
            self.best = Some((rank, a));
        }
    }

    /// Reduces a deterministic automaton, and keeps it if it is the best; true if there can be no smaller one.
    fn offer_deterministic(&mut self, mut a: Automaton) -> bool {
        let mut least = reduce_deterministic(&mut a, self.alphabet);
        if self.parity {
            let Some(p) = self.paritized(a.clone()) else {
                let known = self.reserve.as_ref();
                if known.is_none_or(|r| (a.sets, a.states()) < (r.sets, r.states())) {
                    self.reserve = Some(a);
                }
                return false;
            };
            a = p;
            merge_bisimilar(&mut a, &mut self.alphabet.bdds);
            least = merge_residuals(&mut a, &mut self.alphabet.bdds);
        }
        let optimal = least == Some(a.states());
        self.offer(a);
        optimal
    }

    /// A deterministic automaton with a parity condition.
    fn paritized(&mut self, mut a: Automaton) -> Option<Automaton> {
        let bdds = &mut self.alphabet.bdds;
        // Several sets of a (co-)Büchi condition need a counter, not a record.
        let dual = a.acceptance.complement();
        let is_dual = a.sets > 1 && dual.as_generalized_buchi().is_some();
        if is_dual {
            complete(bdds, &mut a);
            a.acceptance = a.acceptance.complement();
        }
        if a.acceptance.as_generalized_buchi().is_some() {
            a = determinize(bdds, &a, MAX_STATES).ok()?;
        }
        if is_dual {
            complete(bdds, &mut a);
            a.acceptance = a.acceptance.complement();
        }
        to_parity(&a, bdds, MAX_STATES)
    }

    fn tgba(&mut self, f: Formula, deterministic: bool) -> Result<Automaton, TooLarge> {
        let options = Options {
            kind: Kind::Tgba,
            effort: self.effort,
            deterministic,
        };
        self.translator
            .buchi(self.formulas, self.alphabet, f, options)
    }

    /// Adds deterministic automata of `f`, at least one.
    fn deterministic(&mut self, f: Formula, must: bool) -> Result<(), TooLarge> {
        let a = self.tgba(f, true)?;
        if a.is_deterministic(&mut self.alphabet.bdds) && self.offer_deterministic(a.clone()) {
            return Ok(());
        }
        let made = self.master_theorem(f);
        if made.is_some_and(|d| self.offer_deterministic(d)) {
            return Ok(());
        }
        let not_f = self
            .translator
            .simplifier
            .implication
            .negation(self.formulas, f);
        if let Some(mut d) = self.master_theorem(not_f) {
            self.complement(&mut d);
            if self.offer_deterministic(d) {
                return Ok(());
            }
        }
        if self.effort == Effort::High {
            for suspension in [Suspension::Recurrence, Suspension::Persistence] {
                let (t, b, a) = (
                    &mut *self.translator,
                    &mut *self.formulas,
                    &mut *self.alphabet,
                );
                let made = master_theorem::suspended(t, b, a, f, suspension, MAX_STATES);
                if made.is_some_and(|d| self.offer_deterministic(d)) {
                    return Ok(());
                }
            }
        }
        if self.effort == Effort::High && self.safra(&a, false) {
            return Ok(());
        }
        let small = (self.best.as_ref()).is_none_or(|(rank, _)| rank.1 <= MAX_FOR_SAFRA);
        if self.effort == Effort::High && small {
            let outside = self.tgba(not_f, true)?;
            if self.safra(&outside, true) {
                return Ok(());
            }
        }
        if must && self.best.is_none() {
            self.last_resort(a);
        }
        Ok(())
    }

    /// Adds a deterministic automaton of any size, from the generalised Büchi automaton.
    fn last_resort(&mut self, a: Automaton) {
        let bdds = &mut self.alphabet.bdds;
        let reserve = self.reserve.take();
        let parity = reserve.and_then(|d| to_parity(&d, bdds, LAST_RESORT));
        if let Some(d) = parity {
            return self.offer(d);
        }
        // Büchi or parity already, so the conversion only changes the order.
        if let Ok(d) = determinize(bdds, &a, LAST_RESORT) {
            let d = to_parity(&d, bdds, LAST_RESORT).unwrap_or(d);
            return self.offer(d);
        }
        // Every deterministic automaton is too large: a nondeterministic one is better than none.
        let a = match degeneralize(bdds, &a, degeneralize::Kind::TransitionBased) {
            Some(b) if self.parity => b,
            _ => a,
        };
        self.offer(a);
    }

    /// Safra's construction from a generalised Büchi automaton of the formula, or of its negation; true if there can
    /// be no automaton smaller than the result.
    fn safra(&mut self, a: &Automaton, negated: bool) -> bool {
        let limit = match &self.best {
            // Trees for more states than that rarely reduce to fewer.
            Some((rank, _)) if a.states() <= MAX_FOR_SAFRA => 8 * rank.1 + 50,
            Some(_) => return false,
            None => MAX_STATES,
        };
        let Ok(mut d) = to_deterministic(&mut self.alphabet.bdds, a, limit) else {
            return false;
        };
        if negated {
            self.complement(&mut d);
        }
        self.offer_deterministic(d)
    }

    fn master_theorem(&mut self, f: Formula) -> Option<Automaton> {
        let (t, b, a) = (
            &mut *self.translator,
            &mut *self.formulas,
            &mut *self.alphabet,
        );
        master_theorem::deterministic(t, b, a, f, MAX_STATES)
    }

    fn complement(&mut self, a: &mut Automaton) {
        complete(&mut self.alphabet.bdds, a);
        a.acceptance = a.acceptance.complement();
    }

    /// Automata that need not be deterministic.
    fn nondeterministic(&mut self, f: Formula) -> Result<(), TooLarge> {
        let a = self.tgba(f, false)?;
        self.offer(a);
        if self.formulas.op(f) != Op::And {
            return Ok(());
        }
        let operands = self.formulas.operands(f).to_vec();
        let (limits, others): (Vec<Formula>, Vec<Formula>) = operands
            .into_iter()
            .partition(|&g| is_limit(self.formulas, g));
        if limits.is_empty() || others.is_empty() {
            return Ok(());
        }
        let limit = self.formulas.and(&limits);
        let other = self.formulas.and(&others);
        if let Some(mut d) = self.master_theorem(limit) {
            reduce_deterministic(&mut d, self.alphabet);
            let a = self.tgba(other, false)?;
            let mut p = product(&mut self.alphabet.bdds, &a, &d);
            reduce_any(&mut p, self.alphabet);
            self.offer(p);
        }
        Ok(())
    }
}

/// Fewer states and pairs, for any automaton.
pub(crate) fn reduce_any(a: &mut Automaton, alphabet: &mut Alphabet) {
    loop {
        let before = (a.states(), a.edge_count(), a.sets);
        prune(a);
        a.trim_unreachable();
        rabin_by_component(a, MAX_PAIRS);
        merge_bisimilar(a, &mut alphabet.bdds);
        if before == (a.states(), a.edge_count(), a.sets) {
            return;
        }
    }
}

/// Fewer states and pairs for a deterministic automaton. Returns the least possible number of states, if that is
/// known.
pub(crate) fn reduce_deterministic(a: &mut Automaton, alphabet: &mut Alphabet) -> Option<usize> {
    loop {
        reduce_any(a, alphabet);
        let before = (a.states(), a.sets);
        let least = merge_residuals(a, &mut alphabet.bdds);
        reduce_any(a, alphabet);
        if before == (a.states(), a.sets) {
            debug_assert!(Sccs::new(a).states.iter().flatten().count() == a.states());
            return least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_ltl::{ParseOptions, parse};

    fn states(text: &str, kind: Kind, deterministic: bool) -> usize {
        let mut formulas = Formulas::new();
        let mut alphabet = Alphabet::new();
        let f = parse(&mut formulas, text, &ParseOptions::default());
        let f = f.expect("a formula").formula;
        let options = Options {
            kind,
            effort: Effort::High,
            deterministic,
        };
        let a = Translator::new().translate(&mut formulas, &mut alphabet, f, options);
        let guesses = !deterministic || kind == Kind::FinLess;
        assert!(guesses || a.is_deterministic(&mut alphabet.bdds));
        a.states()
    }

    /// The tests of the crate compare languages; these are sizes of the literature.
    #[test]
    fn known_sizes() {
        for (text, most) in [
            ("F G((F a) U b)", 1),
            ("G F a & F G b", 1),
            ("G F a -> G F b", 1),
            ("(G F a -> G F b) & (G F c -> G F d)", 1),
            ("G(a -> F b)", 2),
            ("F(a & F G b)", 2),
            ("a U b", 2),
            ("G F(a & X b)", 2),
        ] {
            for kind in [Kind::Tgra, Kind::Tela] {
                assert!(states(text, kind, true) <= most, "{text} {kind:?}");
                assert!(states(text, kind, false) <= most, "{text} {kind:?}");
            }
        }
        assert_eq!(states("F G a", Kind::FinLess, true), 2);
        assert_eq!(states("G F a -> G F b", Kind::Parity, true), 1);
    }
}
