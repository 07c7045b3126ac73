//! From a formula to an automaton worth having: rewriting, construction, reductions.
//!
//! The road of the highest effort:
//!
//! 1. negation normal form, rewriting ([`Simplifier`]) with the help of language containment;
//! 2. Couvreur's construction ([`couvreur`]); where that gets large, [`composition`](crate::composition) of the automata of
//!    the formula's parts, if it has parts, and no further step but the last two;
//! 3. component filter and simulations, until nothing changes;
//! 4. if the language is an obligation, its minimal weak deterministic automaton ([`wdba`]); that it is
//!    one is either seen from the syntax or proved by comparing languages with the help of the
//!    automaton of the negation;
//! 5. otherwise other ways to the same language: the formula in another shape, and for `G F g` with a
//!    guarantee `g` a deterministic construction ([`gf_guarantee`]);
//! 6. if acceptance on states is wanted, degeneralisation and simulations again;
//! 7. the smallest of what was found, determinism deciding between equals.

use crate::composition::{MAX_WASTE, TooLarge};
use crate::containment::Containment;
use crate::couvreur::Limits;
use crate::{couvreur, emerson_lei, gf_guarantee};
use sempre_ltl::nnf::nnf;
use sempre_ltl::{Formula, Formulas, Op, Simplifier};
use sempre_omega::complete::complete;
use sempre_omega::degeneralize::{self, degeneralize};
use sempre_omega::scc_filter::{Transient, scc_filter};
use sempre_omega::state_simulation::reduce_state_based;
use sempre_omega::transient_pruning::prune_transient_edges;
use sempre_omega::{Alphabet, Automaton, emptiness, product, simulation, wdba};

/// How much work to put into a small result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// The construction and the removal of what is useless.
    Low,
    /// Rewriting and direct simulation too.
    Medium,
    /// Everything.
    High,
}

/// What kind of automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Generalised Büchi acceptance on edges.
    Tgba,
    /// Büchi acceptance on states.
    Ba,
    /// Generalised Rabin acceptance on edges.
    Tgra,
    /// Any acceptance on edges.
    Tela,
    /// A disjunction of generalised Büchi conditions on edges.
    FinLess,
    /// Deterministic, with parity acceptance on edges.
    Parity,
}

impl Kind {
    /// Is it made by the constructions of [`emerson_lei`](mod@crate::emerson_lei)?
    pub fn is_emerson_lei(self) -> bool {
        !matches!(self, Kind::Tgba | Kind::Ba)
    }
}

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What kind of automaton.
    pub kind: Kind,
    /// How much work to put into a small result.
    pub effort: Effort,
    /// Prefer a deterministic automaton to a small one.
    pub deterministic: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            kind: Kind::Tgba,
            effort: Effort::High,
            deterministic: false,
        }
    }
}

/// An automaton with more states than this is large.
const LARGE: usize = 40;

/// More subsets than this, and the minimal weak automaton is given up.
const MAX_SUBSETS: usize = 4096;

/// Translates formulas of one arena; keeps what it learns between formulas.
pub struct Translator {
    pub(crate) simplifier: Simplifier,
    pub(crate) limits: Limits,
    /// Formulas whose construction exceeds these are taken apart.
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
    /// Put together from its parts and reduced.
    Composed(Automaton),
}

impl Translator {
    /// A translator that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// An automaton of `f` over the propositions of `alphabet`, which gets those it lacks.
    pub fn translate(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        options: Options,
    ) -> Automaton {
        self.translate_within(formulas, alphabet, f, options, Limits::NONE)
            .expect("no limit")
    }

    /// The same within limits.
    ///
    /// # Errors
    /// If the automaton would exceed them.
    pub fn translate_within(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        options: Options,
        limits: Limits,
    ) -> Result<Automaton, TooLarge> {
        let outer = std::mem::replace(&mut self.limits, limits);
        let made = self.try_translate(formulas, alphabet, f, options);
        self.limits = outer;
        // Constructions and the last reductions may leave more than they are allowed to.
        let edges = limits.edges;
        made.and_then(|a| match a.edge_count() <= edges {
            true => Ok(a),
            false => Err(TooLarge::Construction { edges }),
        })
    }

    pub(crate) fn try_translate(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        options: Options,
    ) -> Result<Automaton, TooLarge> {
        let f = nnf(formulas, f);
        if options.kind.is_emerson_lei() {
            return emerson_lei::translate(self, formulas, alphabet, f, options);
        }
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
            Effort::High => self.all_ways(formulas, f, &mut best)?,
        }
        Ok(best.found.expect("at least one automaton was offered").1)
    }

    /// The automaton of a part of a formula.
    pub(crate) fn part(
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
        self.try_translate(formulas, alphabet, f, options)
    }

    /// `f` in negation normal form, rewritten as the effort asks; never larger.
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

    fn all_ways(
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
        // A large obligation: its minimal automaton is hard to beat, and simulations are dear.
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

    /// As a whole if that is small, otherwise from parts if there are any, otherwise as a whole within the limits.
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
        if let Some(a) = self.composed(formulas, alphabet, f, effort)? {
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
        // Where it is only a try, a subset construction that grows is not worth following.
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

/// Smaller is better: nondeterminism if it was not wanted, states, nondeterminism, edges, sets.
type Rank = (bool, usize, bool, usize, u32);

/// The best automaton so far, by what is wanted.
struct Best<'a> {
    alphabet: &'a mut Alphabet,
    options: Options,
    found: Option<(Rank, Automaton)>,
}

impl Best<'_> {
    /// Takes a reduced TGBA into account, made what is wanted first.
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

/// The component filter and the simulations the effort asks for, for a generalised Büchi automaton.
pub fn reduce(a: &mut Automaton, alphabet: &mut Alphabet, effort: Effort) {
    let bdds = &mut alphabet.bdds;
    if effort == Effort::Low {
        scc_filter(a, Transient::Empty);
        a.merge_edges(bdds);
        return;
    }
    // Edges between components dominate more with all marks, and are dominated more without any.
    let mut stable = 0;
    let mut transient = Transient::Empty;
    while stable < 2 {
        let before = (a.states(), a.edge_count(), a.sets);
        scc_filter(a, transient);
        a.merge_edges(bdds);
        if effort == Effort::High {
            simulation::reduce_to_fixpoint(a, bdds);
            prune_transient_edges(a, bdds);
        } else {
            simulation::reduce(a, bdds, simulation::Direction::Direct);
        }
        if before == (a.states(), a.edge_count(), a.sets) {
            stable += 1;
        } else {
            stable = 0;
        }
        transient = match transient {
            Transient::Empty => Transient::Full,
            Transient::Full => Transient::Empty,
        };
    }
    scc_filter(a, Transient::Empty);
    a.merge_edges(bdds);
}
