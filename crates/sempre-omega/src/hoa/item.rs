//! An automaton as the reader returns it, with further information from its text.

use crate::automaton::Automaton;
use sempre_base::Span;

/// An automaton with further information from its text.
#[derive(Clone, Debug)]
pub struct HoaItem {
    /// The automaton.
    pub automaton: Automaton,
    /// Was it an alternating automaton, and is this a nondeterministic one for the same language?
    pub alternating: bool,
    /// The words of the `properties:` lines, in order, negated ones with their `!`. Only some of these claims are
    /// checked. For an alternating automaton, claims about its shape do not apply to the converted one.
    pub properties: Vec<String>,
    /// States and edges that the text highlights.
    pub highlights: Highlights,
    /// The `tool:` line: name and version.
    pub tool: Option<(String, Option<String>)>,
    /// From `HOA:` to `--END--`.
    pub span: Span,
}

/// States and edges to be shown in colour: the headers `spot.highlight.states` and `spot.highlight.edges`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlights {
    /// Numbers of states, each with the number of a colour.
    pub states: Vec<(u32, u32)>,
    /// Numbers of edges, from 1 on in the order of the text, each with the number of a colour.
    pub edges: Vec<(u32, u32)>,
}

impl Highlights {
    /// Is nothing highlighted?
    pub fn is_empty(&self) -> bool {
        self.states.is_empty() && self.edges.is_empty()
    }
}

impl HoaItem {
    /// Does the header claim this property?
    pub fn claims(&self, property: &str) -> bool {
        self.properties.iter().any(|p| p == property)
    }
}
