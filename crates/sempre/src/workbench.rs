//! The things a task about formulas and automata needs together: an arena of formulas, an alphabet
//! shared by all automata, and a translator that remembers what it learnt.
//!
//! One workbench per task: numbers of propositions, and so the order of operands and the layout of
//! labels, depend on what came before on the same bench.

use sempre_base::Diagnostic;
use sempre_ltl::{Formula, Formulas, ParseOptions, Syntax};
use sempre_omega::hoa::{HoaOptions, write_hoa};
use sempre_omega::{Alphabet, Automaton};
use sempre_translate::composition::TooLarge;
use sempre_translate::couvreur::Limits;
use sempre_translate::translator::{Options, Translator};

/// Formulas, an alphabet and a translator.
#[derive(Default)]
pub struct Workbench {
    /// All formulas of the task.
    pub formulas: Formulas,
    /// The propositions of all automata of the task.
    pub alphabet: Alphabet,
    /// What turns the ones into the others.
    pub translator: Translator,
}

impl Workbench {
    /// An empty bench.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a formula in any of the infix syntaxes, exactly as it is written.
    pub fn parse(&mut self, text: &str) -> Result<Formula, Vec<Diagnostic>> {
        let options = ParseOptions {
            exact: true,
            known: None,
        };
        sempre_ltl::parse(&mut self.formulas, text, &options).map(|p| p.formula)
    }

    /// The formula as text.
    pub fn print(&self, f: Formula, syntax: Syntax) -> String {
        sempre_ltl::print(&self.formulas, f, syntax).to_string()
    }

    /// An automaton for the words that satisfy `f`, named after it.
    pub fn translate(&mut self, f: Formula, options: Options) -> Automaton {
        let mut a = self
            .translator
            .translate(&mut self.formulas, &mut self.alphabet, f, options);
        a.name = Some(self.print(f, Syntax::Spot));
        a
    }

    /// The same within limits.
    ///
    /// # Errors
    /// If the automaton would exceed them.
    pub fn translate_within(
        &mut self,
        f: Formula,
        options: Options,
        limits: Limits,
    ) -> Result<Automaton, TooLarge> {
        let (formulas, alphabet) = (&mut self.formulas, &mut self.alphabet);
        let made = self
            .translator
            .translate_within(formulas, alphabet, f, options, limits);
        let name = self.print(f, Syntax::Spot);
        made.map(|mut a| {
            a.name = Some(name);
            a
        })
    }

    /// The automaton in the Hanoi format.
    pub fn hoa(&mut self, a: &Automaton) -> String {
        write_hoa(&mut self.alphabet, a, &HoaOptions::default())
    }
}
