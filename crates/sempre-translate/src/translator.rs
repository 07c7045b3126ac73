//! Translations of formulas to automata of any kind.
//!
//! Büchi automata come from `buchi`, all others from [`emerson_lei`](mod@crate::emerson_lei).

use crate::couvreur::Limits;
use crate::emerson_lei;
use crate::too_large::TooLarge;
use sempre_ltl::nnf::nnf;
use sempre_ltl::{Formula, Formulas};
use sempre_omega::{Alphabet, Automaton};

pub use crate::buchi::Translator;
pub use crate::options::{Effort, Kind, Options};
pub use crate::reduction::reduce;

impl Translator {
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
        // Constructions and the last reductions may leave more edges than the limit.
        let edges = limits.edges;
        made.and_then(|a| match a.edge_count() <= edges {
            true => Ok(a),
            false => Err(TooLarge::Construction { edges }),
        })
    }

    fn try_translate(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        options: Options,
    ) -> Result<Automaton, TooLarge> {
        if options.kind.is_emerson_lei() {
            let f = nnf(formulas, f);
            return emerson_lei::translate(self, formulas, alphabet, f, options);
        }
        self.buchi(formulas, alphabet, f, options)
    }
}
