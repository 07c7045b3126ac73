//! The reader of HOA streams.
//!
//! Automata are read one after the other. An automaton with an error is reported, not returned, and the reader
//! continues behind it; inside an automaton it continues with the next header, the next edge or the next state, so
//! that one run reports many errors. It stops after `MAX_ERRORS` (50).
//!
//! The choices that the format leaves to readers:
//!
//! * Marks of a state become marks of all edges that leave it.
//! * A negated set, `Inf(!0)`, becomes a complemented set: in place if the set occurs only negated, else as a new set
//!   behind the others.
//! * An edge labelled false is dropped. A state that is used but not described has no edges, and a warning is given.
//! * `Alias:` lines may stand before the `AP:` line; they are resolved when the header is complete.
//! * Alternating automata are converted to nondeterministic ones for the same language
//!   ([`miyano_hayashi`](crate::miyano_hayashi)), if their acceptance allows it.
//! * Version 1.1 has dots in names and `!` before properties. In a text of version 1 a header with a dot is left out
//!   with a warning; its other extensions are accepted there, too.
//! * Unknown lower-case headers are kept ([`extra_headers`](crate::Automaton::extra_headers)); upper-case ones may change what the
//!   automaton means, and are errors, as the standard demands.
//!
//! Cost: linear in the text, but for the diagrams of labels (which have their own limit). Counts in the header are
//! not trusted: memory is allocated for the content of the body only. Therefore state numbers must not exceed the
//! number of bytes of an automaton by far, and unused declared states after the last used one are dropped if they are
//! very many.

use super::body::Body;
use super::header::Header;
pub use super::item::{Highlights, HoaItem};
use super::lexer::{Cursor, Token};
use super::source::Ending;
pub use super::source::HoaReader;
use crate::automaton::Alphabet;
use sempre_base::{Diagnostic, Span};

/// All automata of a text, and all diagnostics about it, in the order of the text.
///
/// Each automaton returned was read without an error; warnings may concern any.
pub fn read_hoa(alphabet: &mut Alphabet, text: &str) -> (Vec<HoaItem>, Vec<Diagnostic>) {
    let mut reader = HoaReader::new(text);
    let mut items = Vec::new();
    while let Some(item) = reader.next_automaton(alphabet) {
        items.push(item);
    }
    (items, reader.diagnostics)
}

impl<'t> HoaReader<'t> {
    /// The next automaton that can be read; `None` at the end of the text.
    pub fn next_automaton(&mut self, alphabet: &mut Alphabet) -> Option<HoaItem> {
        while !self.has_stopped() {
            match self.cursor.token {
                Token::Eof => return None,
                Token::Header("HOA") => {
                    let before = (self.errors, self.diagnostics.len());
                    let item = self.automaton(alphabet, before.0);
                    // Some errors are found late; diagnostics are sorted for the user.
                    self.diagnostics[before.1..].sort_by_key(|d| d.span);
                    if item.is_some() {
                        return item;
                    }
                }
                _ => {
                    let mut d = self.cursor.expected("`HOA:`");
                    if let Token::Header(h) = self.cursor.token
                        && h.eq_ignore_ascii_case("HOA")
                    {
                        d = d.with_help("the first header is written `HOA: v1`");
                    }
                    self.report(d);
                    self.skip_to_automaton();
                }
            }
        }
        None
    }

    /// Moves to the next line that starts an automaton, or to the end of the text. Invalid text may have quotes and
    /// comments that never end, so this does not use tokens.
    fn skip_to_automaton(&mut self) {
        let from = self.cursor.span.start;
        let at = match self.text[from..].find("\nHOA:") {
            Some(i) => from + i,
            None => self.text.len(),
        };
        self.cursor = Cursor::new(self.text, at);
    }

    fn automaton(&mut self, alphabet: &mut Alphabet, errors_before: usize) -> Option<HoaItem> {
        let mut header = Header {
            start: self.cursor.span.start,
            ..Header::default()
        };
        self.version(&mut header);
        if let Ending::Dropped = self.header(alphabet, &mut header) {
            return None;
        }
        let aliases = self.aliases(alphabet, &header);
        let mut body = Body::default();
        if let Ending::Dropped = self.body(alphabet, &header, &aliases, &mut body) {
            return None;
        }
        let span = Span::new(header.start, self.cursor.previous_end);
        self.assemble(alphabet, header, body, span, errors_before)
    }
}
