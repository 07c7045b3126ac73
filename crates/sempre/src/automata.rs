//! Automata as text, whatever the format: the reader looks at the first word.

use sempre_base::{Diagnostic, Span};
use sempre_omega::{Alphabet, Automaton, read_hoa};

/// An automaton with what its text says about it beyond its language.
#[derive(Clone, Debug)]
pub struct ReadAutomaton {
    /// The automaton.
    pub automaton: Automaton,
    /// Who made it: the `tool:` header of HOA.
    pub tool: Option<(String, Option<String>)>,
    /// Does the text promise that the language does not care about stuttering?
    pub stutter_invariant: bool,
    /// Where it stands.
    pub span: Option<Span>,
}

/// All automata of a text, and all complaints about it. A text without any automaton is one.
pub fn read_automata(alphabet: &mut Alphabet, text: &str) -> (Vec<ReadAutomaton>, Vec<Diagnostic>) {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if start.is_empty() {
        let end = Span::new(text.len(), text.len());
        let nothing = Diagnostic::error(end, "there is no automaton here")
            .with_help("an automaton starts with `HOA:`");
        return (Vec::new(), vec![nothing]);
    }
    let (items, diagnostics) = read_hoa(alphabet, text);
    let automata = items
        .into_iter()
        .map(|item| ReadAutomaton {
            stutter_invariant: item.promises("stutter-invariant"),
            span: Some(item.span),
            automaton: item.automaton,
            tool: item.tool,
        })
        .collect();
    (automata, diagnostics)
}
