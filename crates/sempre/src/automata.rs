//! Automata as text, whatever the format, with what their text says about them; and automata on
//! their way into a format that needs them in a certain shape.

use sempre_base::{Diagnostic, Span};
use sempre_omega::degeneralize::{Kind, degeneralize};
use sempre_omega::hoa::{Highlights, HoaItem, Known};
use sempre_omega::remove_fin::remove_fin;
use sempre_omega::sum::single_initial;
use sempre_omega::{Acceptance, Alphabet, Automaton, read_hoa, stream};

/// An automaton with what its text says about it beyond its language.
#[derive(Clone, Debug)]
pub struct ReadAutomaton {
    /// The automaton.
    pub automaton: Automaton,
    /// Who made it: the `tool:` header of HOA.
    pub tool: Option<(String, Option<String>)>,
    /// What the text promises, and what has been determined since.
    pub known: Known,
    /// States and edges that the text highlights.
    pub highlights: Highlights,
}

impl From<Automaton> for ReadAutomaton {
    fn from(automaton: Automaton) -> Self {
        Self {
            automaton,
            tool: None,
            known: Known::default(),
            highlights: Highlights::default(),
        }
    }
}

/// All automata of a text, and all complaints about it. A text without any automaton is one.
pub fn read_automata(alphabet: &mut Alphabet, text: &str) -> (Vec<ReadAutomaton>, Vec<Diagnostic>) {
    match stream::detect_format(text) {
        None if text.trim_matches(blank).is_empty() => {
            let end = Span::new(text.len(), text.len());
            let nothing = Diagnostic::error(end, "there is no automaton here").with_help(
                "an automaton is in the Hanoi format (`HOA: v1 …`), a never claim (`never { …`), or \
                 in the format of lbtt",
            );
            (Vec::new(), vec![nothing])
        }
        Some(stream::Format::Hoa) => {
            let (items, diagnostics) = read_hoa(alphabet, text);
            let automata = items.into_iter().map(|item| ReadAutomaton {
                known: promised(&item),
                highlights: item.highlights,
                automaton: item.automaton,
                tool: item.tool,
            });
            (automata.collect(), diagnostics)
        }
        _ => {
            let (automata, diagnostics) = stream::read_automata(alphabet, text);
            (automata.into_iter().map(Into::into).collect(), diagnostics)
        }
    }
}

/// What is taken on trust. Of the shape of an alternating automaton nothing is true of ours.
fn promised(item: &HoaItem) -> Known {
    let says = |yes: &[&str], no: &[&str]| {
        let any = |words: &[&str]| words.iter().any(|w| item.claims(w));
        any(yes).then_some(true).or(any(no).then_some(false))
    };
    let invariant = ["stutter-invariant", "!stutter-sensitive"];
    let sensitive = ["stutter-sensitive", "!stutter-invariant"];
    Known {
        stutter_invariant: says(&invariant, &sensitive),
        unambiguous: says(&["unambiguous"], &["!unambiguous"]).filter(|_| !item.alternating),
    }
}

fn blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// A Büchi automaton with acceptance on states and one initial state for the same language: what a
/// never claim has to be. `None` if the acceptance condition has more than `limit` cases.
pub fn to_state_buchi(alphabet: &mut Alphabet, a: &Automaton, limit: usize) -> Option<Automaton> {
    let is_buchi = matches!(a.acceptance, Acceptance::Inf(_) | Acceptance::True);
    let mut b = if is_buchi && a.has_state_acceptance() {
        a.clone()
    } else {
        let generalized = remove_fin(a, limit)?;
        degeneralize(&mut alphabet.bdds, &generalized, Kind::StateBased)?
    };
    single_initial(&mut alphabet.bdds, &mut b);
    b.name.clone_from(&a.name);
    Some(b)
}
