//! Automata as text, whatever the format: the reader looks at the first word.

use sempre_base::{Diagnostic, Span};
use sempre_omega::{Alphabet, Automaton, read_hoa};

/// All automata of a text, and all complaints about it. A text without any automaton is one.
pub fn read_automata(alphabet: &mut Alphabet, text: &str) -> (Vec<Automaton>, Vec<Diagnostic>) {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if start.is_empty() {
        let end = Span::new(text.len(), text.len());
        let nothing = Diagnostic::error(end, "there is no automaton here")
            .with_help("an automaton starts with `HOA:`");
        return (Vec::new(), vec![nothing]);
    }
    let (items, diagnostics) = read_hoa(alphabet, text);
    (
        items.into_iter().map(|i| i.automaton).collect(),
        diagnostics,
    )
}
