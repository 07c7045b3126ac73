//! Automata from a text in any format: HOA, never claims, or the format of lbtt.
//!
//! The first token that is no comment determines the format; a text is in one format from start to end.

use crate::automaton::{Alphabet, Automaton};
use crate::hoa::read_hoa;
use crate::lbtt::read_lbtt;
use crate::never_claim::read_never_claims;
use sempre_base::{Diagnostic, Span};
use std::fmt;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Hanoi omega-automata.
    Hoa,
    /// SPIN's never claims.
    NeverClaim,
    /// lbtt.
    Lbtt,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hoa => "HOA",
            Self::NeverClaim => "never claim",
            Self::Lbtt => "lbtt",
        })
    }
}

/// The format that a text seems to be in; `None` for an empty text or one like none of them.
pub fn detect_format(text: &str) -> Option<Format> {
    let rest = skip_blanks(text);
    if rest.starts_with("never") || rest.starts_with('#') {
        Some(Format::NeverClaim)
    } else if rest.starts_with(|c: char| c.is_ascii_digit()) {
        Some(Format::Lbtt)
    } else if rest
        .get(..4)
        .is_some_and(|w| w.eq_ignore_ascii_case("HOA:"))
        || rest.starts_with("--")
    {
        Some(Format::Hoa)
    } else {
        None
    }
}

/// All automata of a text, and all diagnostics about it. For a text without any automaton both are empty; the caller
/// decides whether that is an error.
pub fn read_automata(alphabet: &mut Alphabet, text: &str) -> (Vec<Automaton>, Vec<Diagnostic>) {
    match detect_format(text) {
        Some(Format::Hoa) => {
            let (items, diagnostics) = read_hoa(alphabet, text);
            let automata = items.into_iter().map(|i| i.automaton).collect();
            (automata, diagnostics)
        }
        Some(Format::NeverClaim) => read_never_claims(alphabet, text),
        Some(Format::Lbtt) => read_lbtt(alphabet, text),
        None => (Vec::new(), unknown(text).into_iter().collect()),
    }
}

fn unknown(text: &str) -> Option<Diagnostic> {
    let rest = skip_blanks(text);
    let start = text.len() - rest.len();
    let word = rest.split(|c: char| c.is_ascii_whitespace()).next()?;
    // A long word is cut where a character ends.
    let end = word.char_indices().nth(40).map_or(word.len(), |(i, _)| i);
    (!rest.is_empty()).then(|| {
        Diagnostic::error(
            Span::new(start, start + end),
            "the text is in no known format of automata",
        )
        .with_help(
            "HOA starts with `HOA: v1`, a never claim with `never`, lbtt's format with two numbers",
        )
    })
}

/// The text after white space and comments at its start; an open comment is not skipped.
fn skip_blanks(text: &str) -> &str {
    let mut rest = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    loop {
        let Some(inside) = rest.strip_prefix("/*") else {
            return rest;
        };
        // Comments nest in HOA and do not in Promela; nested comments at the start of a file are not expected.
        match inside.find("*/") {
            Some(end) => rest = inside[end + 2..].trim_start(),
            None => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_start() {
        for (text, format, automata) in [
            (
                "/* c */ HOA: v1 Acceptance: 0 t --BODY-- --END--",
                Some(Format::Hoa),
                1,
            ),
            ("\n never { s: skip }", Some(Format::NeverClaim), 1),
            (
                "1 0t 0 1 0 -1 t -1 1 0t 0 1 0 -1 t -1",
                Some(Format::Lbtt),
                2,
            ),
            ("\u{feff}never { s: skip }", Some(Format::NeverClaim), 1),
            ("\u{feff}1 0t 0 1 0 -1 t -1", Some(Format::Lbtt), 1),
            (
                "\u{feff}HOA: v1 Acceptance: 0 t --BODY-- --END--",
                Some(Format::Hoa),
                1,
            ),
            ("  ", None, 0),
        ] {
            assert_eq!(detect_format(text), format, "{text}");
            let (found, diagnostics) = read_automata(&mut Alphabet::new(), text);
            assert_eq!((found.len(), diagnostics), (automata, vec![]), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused_once() {
        for text in ["digraph {", "/* open", "é", "hoax", "HO"] {
            let (found, diagnostics) = read_automata(&mut Alphabet::new(), text);
            assert_eq!((found.len(), diagnostics.len()), (0, 1), "{text}");
            let span = diagnostics[0].span;
            assert!(text.get(span.start..span.end).is_some());
        }
    }
}
