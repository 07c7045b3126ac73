//! Translation of formulas to Büchi automata: rewriting, construction, reductions.
//!
//! The steps of the highest effort:
//!
//! 1. negation normal form, rewriting ([`Simplifier`]) with the help of language containment;
//! 2. Couvreur's construction ([`couvreur`]); if that gets large, [`composition`](crate::composition) of the automata
//!    of the formula's parts, if it has parts, followed by the last two steps only;
//! 3. component filter and simulations, until nothing changes;
//! 4. if the language is an obligation, its minimal weak deterministic automaton ([`wdba`]); this is either seen from
//!    the syntax or proved by comparing languages with the help of the automaton of the negation;
//! 5. otherwise alternatives for the same language: the formula in another shape, and for `G F g` with a guarantee
//!    `g` a deterministic construction ([`gf_guarantee`]);
//! 6. if acceptance on states is wanted, degeneralisation and simulations again;
//! 7. the smallest of the results; among equals a deterministic one.

use crate::composition::{Parts, composed};
use crate::containment::Containment;
use crate::couvreur::Limits;
use crate::options::{Effort, Kind, Options};
use crate::reduction::reduce;
use crate::too_large::{MAX_WASTE, TooLarge};
use crate::{couvreur, gf_guarantee};
use sempre_ltl::nnf::nnf;
use sempre_ltl::{Formula, Formulas, Op, Simplifier};
use sempre_omega::complete::complete;
use sempre_omega::degeneralize::{self, degeneralize};
use sempre_omega::scc_filter::{Transient, scc_filter};
use sempre_omega::state_simulation::reduce_state_based;
use sempre_omega::{Alphabet, Automaton, emptiness, product, wdba};

/// An automaton with more states than this is large.
const LARGE: usize = 40;

/// The minimal weak automaton is not computed if it needs more subsets than this.
const MAX_SUBSETS: usize = 4096;

/// Translates formulas of one arena; keeps its caches between formulas.
pub struct Translator {
    pub(crate) simplifier: Simplifier,
    pub(crate) limits: Limits,
    /// Formulas whose construction exceeds these are composed from parts.
    pub(crate) whole: Limits,
}

impl Default for Translator {
    fn default() -> Self {
        Self {
            simplifier: Simplifier::default(),
            limits: Limits::NONE,
            whole: Limits::SMALL,
        }
    }
}

/// A formula's automaton before reductions of the highest effort.
enum Constructed {
    /// Of the formula as a whole.
    Whole(Automaton),
    /// Composed from its parts and reduced.
    Composed(Automaton),
}

impl Translator {
    /// A translator with empty caches.
    pub fn new() -> Self {
        Self::default()
    }

    /// A TGBA, or BA, of `f` within the limits of the translator.
    pub(crate) fn buchi(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        options: Options,
    ) -> Result<Automaton, TooLarge> {
        let f = nnf(formulas, f);
        debug_assert!(!options.kind.is_emerson_lei());
        let mut best = Best {
            alphabet,
            options,
            found: None,
        };
        match options.effort {
            Effort::Low => {
                let a = self.reduced(formulas, best.alphabet, f, Effort::Low)?;
                best.offer(a);
            }
            Effort::Medium => {
                let g = self.rewritten(formulas, f, Effort::Medium);
                let g = self.simplifier.gather(formulas, g);
                let a = self.reduced(formulas, best.alphabet, g, Effort::Medium)?;
                best.offer(a);
            }
            Effort::High => self.try_alternatives(formulas, f, &mut best)?,
        }
        Ok(best.found.expect("at least one automaton was offered").1)
    }

    /// [`Self::buchi`] without limits, regardless of those of the translator.
    pub(crate) fn unlimited_buchi(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        options: Options,
    ) -> Automaton {
        let outer = std::mem::replace(&mut self.limits, Limits::NONE);
        let made = self.buchi(formulas, alphabet, f, options);
        self.limits = outer;
        made.expect("no limit")
    }

    /// `f` in negation normal form, rewritten as the effort requires; never larger.
    pub fn rewritten(&mut self, formulas: &mut Formulas, f: Formula, effort: Effort) -> Formula {
        let f = nnf(formulas, f);
        if effort == Effort::High && self.simplifier.oracle.is_none() {
            self.simplifier.oracle = Some(Box::new(Containment::default()));
        }
        match effort {
            Effort::Low => f,
            Effort::Medium | Effort::High => self.simplifier.simplify(formulas, f),
        }
    }

    fn try_alternatives(
        &mut self,
        formulas: &mut Formulas,
        f: Formula,
        best: &mut Best,
    ) -> Result<(), TooLarge> {
        let f = self.rewritten(formulas, f, Effort::High);
        let g = self.simplifier.gather(formulas, f);
        let mut a = match self.construct(formulas, best.alphabet, g, Effort::High)? {
            Constructed::Whole(a) => a,
            Constructed::Composed(a) => {
                best.offer(a);
                return Ok(());
            }
        };
        scc_filter(&mut a, Transient::Empty);
        // A large obligation: its minimal automaton is rarely beaten, and simulations are expensive.
        if a.states() > LARGE
            && formulas.facts(g).obligation()
            && let Some(w) = self.obligation(formulas, best.alphabet, g, &a)
            && w.states() <= a.states()
        {
            best.offer(w);
            return Ok(());
        }
        reduce(&mut a, best.alphabet, Effort::High);
        if let Some(w) = self.obligation(formulas, best.alphabet, g, &a) {
            best.offer(a);
            best.offer(w);
            return Ok(());
        }
        best.offer(a);
        let h = self.simplifier.scatter(formulas, f);
        let h = self.simplifier.gather(formulas, h);
        if h != g {
            let a = self.reduced(formulas, best.alphabet, h, Effort::High)?;
            best.offer(a);
        }
        if formulas.op(f) == Op::Globally {
            let eventually = formulas.operand(f, 0);
            if formulas.op(eventually) == Op::Finally && formulas.facts(eventually).guarantee() {
                let a = self.reduced(formulas, best.alphabet, eventually, Effort::High)?;
                let bdds = &mut best.alphabet.bdds;
                let d = wdba::minimize(&a, bdds, MAX_SUBSETS)
                    .and_then(|w| gf_guarantee::recurrence(&w, bdds));
                if let Some(mut d) = d {
                    reduce(&mut d, best.alphabet, Effort::High);
                    best.offer(d);
                }
            }
        }
        Ok(())
    }

    /// The whole formula if the result is small, otherwise its parts if there are any, otherwise the whole formula
    /// within the limits.
    fn construct(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        effort: Effort,
    ) -> Result<Constructed, TooLarge> {
        let small = self.whole;
        if let Some(a) = self.whole(formulas, alphabet, f, small) {
            return Ok(Constructed::Whole(a));
        }
        if let Some(a) = composed(self, formulas, alphabet, f, effort)? {
            return Ok(Constructed::Composed(a));
        }
        let edges = self.limits.edges;
        let before_reductions = Limits {
            edges: edges.saturating_mul(MAX_WASTE),
            ..self.limits
        };
        self.whole(formulas, alphabet, f, before_reductions)
            .map(Constructed::Whole)
            .ok_or(TooLarge::Construction { edges })
    }

    fn whole(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        limits: Limits,
    ) -> Option<Automaton> {
        let implication = &mut self.simplifier.implication;
        couvreur::tgba(formulas, implication, alphabet, f, limits)
    }

    pub(crate) fn reduced(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        effort: Effort,
    ) -> Result<Automaton, TooLarge> {
        match self.construct(formulas, alphabet, f, effort)? {
            Constructed::Whole(mut a) => {
                reduce(&mut a, alphabet, effort);
                Ok(a)
            }
            Constructed::Composed(a) => Ok(a),
        }
    }

    /// The minimal weak deterministic automaton, if the language of `f`, that of `a`, has one.
    pub fn obligation(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        a: &Automaton,
    ) -> Option<Automaton> {
        let known = formulas.facts(f).obligation();
        // If it may fail, a large subset construction is not worth its cost.
        let limit = if known {
            MAX_SUBSETS
        } else {
            MAX_SUBSETS.min(8 * a.states() + 32)
        };
        let mut w = wdba::minimize(a, &mut alphabet.bdds, limit)?;
        if !known {
            let mut complement = w.clone();
            complete(&mut alphabet.bdds, &mut complement);
            complement.acceptance = complement.acceptance.complement();
            let inside = product::product(&mut alphabet.bdds, &complement, a);
            if !emptiness::is_empty(&inside) {
                return None;
            }
            let not_f = self.simplifier.implication.negation(formulas, f);
            let mut b = self.whole(formulas, alphabet, not_f, Limits::SMALL)?;
            scc_filter(&mut b, Transient::Empty);
            let outside = product::product(&mut alphabet.bdds, &w, &b);
            if !emptiness::is_empty(&outside) {
                return None;
            }
        }
        scc_filter(&mut w, Transient::Empty);
        w.merge_edges(&mut alphabet.bdds);
        Some(w)
    }
}

impl Parts for Translator {
    fn part(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        effort: Effort,
    ) -> Result<Automaton, TooLarge> {
        let options = Options {
            effort,
            ..Options::default()
        };
        self.buchi(formulas, alphabet, f, options)
    }

    fn max_edges(&self) -> usize {
        self.limits.edges
    }
}

/// Smaller is better: nondeterminism if it was not wanted, states, nondeterminism, edges, sets.
type Rank = (bool, usize, bool, usize, u32);

/// The best automaton so far, for these options.
struct Best<'a> {
    alphabet: &'a mut Alphabet,
    options: Options,
    found: Option<(Rank, Automaton)>,
}

impl Best<'_> {
    /// Converts a reduced TGBA to the wanted kind, and keeps it if it is the best.
    fn offer(&mut self, mut a: Automaton) {
        let bdds = &mut self.alphabet.bdds;
        if self.options.kind == Kind::Ba {
            a = degeneralize(bdds, &a, degeneralize::Kind::StateBased)
                .expect("generalised Büchi by construction");
            if self.options.effort > Effort::Low {
                reduce_state_based(&mut a, bdds);
            }
        }
        let nondeterministic = !a.is_deterministic(bdds);
        let rank = (
            self.options.deterministic && nondeterministic,
            a.states(),
            nondeterministic,
            a.edge_count(),
            a.sets,
        );
        if self.found.as_ref().is_none_or(|(r, _)| rank < *r) {
            self.found = Some((rank, a));
        }
    }
}
