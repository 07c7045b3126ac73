//! Automata as text, whatever the format: the reader looks at the first word.

use sempre_base::{Diagnostic, Span};
use sempre_omega::degeneralize::{Kind, degeneralize};
use sempre_omega::remove_fin::remove_fin;
use sempre_omega::sum::single_initial;
use sempre_omega::{Acceptance, Alphabet, Automaton, read_hoa, read_never_claims};

/// An automaton with what its text says about it beyond its language.
#[derive(Clone, Debug)]
pub struct ReadAutomaton {
    /// The automaton.
    pub automaton: Automaton,
    /// Who made it: the `tool:` header of HOA.
    pub tool: Option<(String, Option<String>)>,
    /// Does the text promise that the language does not care about stuttering?
    pub stutter_invariant: bool,
}

impl From<Automaton> for ReadAutomaton {
    fn from(automaton: Automaton) -> Self {
        Self {
            automaton,
            tool: None,
            stutter_invariant: false,
        }
    }
}

/// All automata of a text, and all complaints about it. A text without any automaton is one.
pub fn read_automata(alphabet: &mut Alphabet, text: &str) -> (Vec<ReadAutomaton>, Vec<Diagnostic>) {
    match guess(text) {
        Guess::Nothing => {
            let end = Span::new(text.len(), text.len());
            let nothing = Diagnostic::error(end, "there is no automaton here")
                .with_help("an automaton starts with `HOA:` or `never {`");
            (Vec::new(), vec![nothing])
        }
        Guess::NeverClaim => {
            let (automata, diagnostics) = read_never_claims(alphabet, text);
            (automata.into_iter().map(Into::into).collect(), diagnostics)
        }
        Guess::Hoa => {
            let (items, diagnostics) = read_hoa(alphabet, text);
            let automata = items.into_iter().map(|item| ReadAutomaton {
                stutter_invariant: item.promises("stutter-invariant"),
                automaton: item.automaton,
                tool: item.tool,
            });
            (automata.collect(), diagnostics)
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Guess {
    Nothing,
    Hoa,
    NeverClaim,
}

/// The format, from the first word that is not in a comment.
fn guess(text: &str) -> Guess {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(comment) = rest.strip_prefix("/*") {
        let Some(end) = comment.find("*/") else { break };
        rest = comment[end + 2..].trim_start();
    }
    let is_claim = |t: &str| t.starts_with("never") || t.starts_with('#') || t.starts_with("//");
    match rest {
        "" => Guess::Nothing,
        t if is_claim(t) => Guess::NeverClaim,
        _ => Guess::Hoa,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_guessed() {
        for (text, wanted) in [
            ("", Guess::Nothing),
            (" \n/* only */ ", Guess::Nothing),
            ("HOA: v1", Guess::Hoa),
            ("/* by hand */ HOA: v1", Guess::Hoa),
            ("never { /* F a */", Guess::NeverClaim),
            ("/* F a */\nnever {", Guess::NeverClaim),
            ("#define p x\nnever {", Guess::NeverClaim),
            ("hello", Guess::Hoa),
        ] {
            assert_eq!(guess(text), wanted, "{text}");
        }
    }
}
