//! From a formula to an automaton worth having: rewriting, construction, reductions.
//!
//! The road of the highest effort:
//!
//! 1. negation normal form, rewriting ([`Simplifier`]);
//! 2. Couvreur's construction ([`couvreur`]);
//! 3. component filter and simulations, until nothing changes;
//! 4. if the language is an obligation, its minimal weak deterministic automaton ([`wdba`]); that it is
//!    one is either seen from the syntax or proved by comparing languages with the help of the
//!    automaton of the negation;
//! 5. the smallest of what was found, determinism deciding between equals.

use crate::containment::Containment;
use crate::couvreur;
use sempre_ltl::nnf::nnf;
use sempre_ltl::{Formula, Formulas, Simplifier};
use sempre_omega::complete::complete;
use sempre_omega::scc_filter::{Transient, scc_filter};
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

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How much work to put into a small result.
    pub effort: Effort,
    /// Prefer a deterministic automaton to a small one.
    pub deterministic: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            effort: Effort::High,
            deterministic: false,
        }
    }
}

/// More subsets than this, and the minimal weak automaton is given up.
const MOST_SUBSETS: usize = 4096;

/// Translates formulas of one arena; keeps what it learns between formulas.
#[derive(Default)]
pub struct Translator {
    simplifier: Simplifier,
}

impl Translator {
    /// A translator that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A transition-based generalised Büchi automaton of `f`.
    pub fn tgba(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        options: Options,
    ) -> Automaton {
        let f = nnf(formulas, f);
        if options.effort == Effort::High && self.simplifier.oracle.is_none() {
            self.simplifier.oracle = Some(Box::new(Containment::default()));
        }
        if options.effort == Effort::Low {
            let mut a = self.construct(formulas, alphabet, f);
            reduce(&mut a, alphabet, options.effort);
            return a;
        }
        let f = self.simplifier.simplify(formulas, f);
        let g = self.simplifier.gather(formulas, f);
        let mut best = self.construct(formulas, alphabet, g);
        reduce(&mut best, alphabet, options.effort);
        if options.effort < Effort::High {
            return best;
        }
        if let Some(w) = self.obligation(formulas, alphabet, g, &best) {
            if w.states() <= best.states() || options.deterministic {
                best = w;
            }
            return best;
        }
        // Other shapes of the formula, as long as there is something to gain.
        let h = self.simplifier.scatter(formulas, f);
        let h = self.simplifier.gather(formulas, h);
        if h != g {
            let mut a = self.construct(formulas, alphabet, h);
            reduce(&mut a, alphabet, options.effort);
            best = smaller(best, a, alphabet);
        }
        best
    }

    fn construct(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
    ) -> Automaton {
        couvreur::tgba(
            formulas,
            &mut self.simplifier.implication,
            alphabet,
            f,
            usize::MAX,
        )
        .expect("no limit")
    }

    /// The minimal weak deterministic automaton, if the language of `f`, that of `a`, has one.
    fn obligation(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        a: &Automaton,
    ) -> Option<Automaton> {
        let mut w = wdba::minimize(a, &mut alphabet.bdds, MOST_SUBSETS)?;
        if !formulas.facts(f).obligation() {
            let not_f = self.simplifier.implication.negation(formulas, f);
            let mut b = self.construct(formulas, alphabet, not_f);
            scc_filter(&mut b, Transient::Empty);
            let outside = product::product(&mut alphabet.bdds, &w, &b);
            if !emptiness::is_empty(&outside) {
                return None;
            }
            let mut complement = w.clone();
            complete(&mut alphabet.bdds, &mut complement);
            complement.acceptance = complement.acceptance.complement();
            let inside = product::product(&mut alphabet.bdds, &complement, a);
            if !emptiness::is_empty(&inside) {
                return None;
            }
        }
        scc_filter(&mut w, Transient::Empty);
        w.merge_edges(&mut alphabet.bdds);
        Some(w)
    }
}

/// The better of two automata of one language: fewer states, then determinism, then fewer edges.
fn smaller(a: Automaton, b: Automaton, alphabet: &mut Alphabet) -> Automaton {
    let mut rank = |x: &Automaton| {
        let deterministic = x.is_deterministic(&mut alphabet.bdds);
        (x.states(), !deterministic, x.edge_count(), x.sets)
    };
    if rank(&b) < rank(&a) { b } else { a }
}

/// The component filter and the simulations the effort asks for.
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

/// dev
pub fn simplified(t: &mut Translator, formulas: &mut Formulas, f: Formula) -> Formula {
    let f = nnf(formulas, f);
    let g = t.simplifier.simplify(formulas, f);
    t.simplifier.gather(formulas, g)
}
