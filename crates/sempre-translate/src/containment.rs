//! Language containment as an aid to rewriting.
//!
//! If the syntax does not show that one formula implies another, their automata may: the product of the automaton of
//! `f` with that of `!g` is empty iff `f` implies `g`. Automata are built with low effort, cached, and abandoned when
//! they grow: rewriting with proofs must stay cheaper than the translation that it supports.

use crate::couvreur::{self, Limits};
use rustc_hash::FxHashMap;
use sempre_ltl::{Formula, Formulas, Implication, simplify::Oracle};
use sempre_omega::scc_filter::{Transient, scc_filter};
use sempre_omega::{Alphabet, Automaton, Bdds, emptiness, product};

/// If an automaton exceeds these, the implication is not proved.
const LIMITS: Limits = Limits {
    states: 64,
    ..Limits::SMALL
};

/// Also if the labels of a product need more nodes than this.
const MAX_NODES: usize = 1 << 12;

/// The automata made so far, over an alphabet of their own.
#[derive(Default)]
pub struct Containment {
    alphabet: Alphabet,
    implication: Implication,
    automata: FxHashMap<Formula, Option<Automaton>>,
    answers: FxHashMap<(Formula, Formula), bool>,
}

impl Containment {
    fn automaton(&mut self, formulas: &mut Formulas, f: Formula) -> Option<&Automaton> {
        let (alphabet, implication) = (&mut self.alphabet, &mut self.implication);
        self.automata
            .entry(f)
            .or_insert_with(|| {
                let mut a = couvreur::tgba(formulas, implication, alphabet, f, LIMITS)?;
                scc_filter(&mut a, Transient::Empty);
                Some(a)
            })
            .as_ref()
    }
}

impl Oracle for Containment {
    fn disjoint(&mut self, formulas: &mut Formulas, f: Formula, g: Formula) -> bool {
        let (f, g) = (f.min(g), f.max(g));
        if let Some(&answer) = self.answers.get(&(f, g)) {
            return answer;
        }
        let both = self.automaton(formulas, f).is_some() && self.automaton(formulas, g).is_some();
        let answer = both && {
            let a = self.automata[&f].as_ref().expect("just made");
            let b = self.automata[&g].as_ref().expect("just made");
            let product = |bdds: &mut Bdds| product::product(bdds, a, b);
            let product = self.alphabet.bdds.within(MAX_NODES, product);
            product.is_some_and(|p| emptiness::is_empty(&p))
        };
        self.answers.insert((f, g), answer);
        answer
    }
}
