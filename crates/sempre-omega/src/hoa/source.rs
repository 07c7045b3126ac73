//! The state of the reader: the text, the place in it, and the diagnostics so far.

use super::lexer::{Cursor, Token};
use crate::labels::byte_order_mark;
use sempre_base::{Diagnostic, Severity, Span};

/// The number of errors after which the reader stops, and of warnings after which it reports no more.
pub(super) const MAX_ERRORS: usize = 50;

/// Reads the automata of a text one by one, for streams that need not be in memory as a whole.
pub struct HoaReader<'t> {
    pub(super) text: &'t str,
    pub(super) cursor: Cursor<'t>,
    /// The diagnostics so far, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    pub(super) errors: usize,
    warnings: usize,
    pub(super) mark_words: usize,
}

/// How the reading of one automaton ended.
pub(super) enum Ending {
    Complete,
    /// `--ABORT--`, the end of the text, or the next `HOA:`; it is no automaton.
    Dropped,
}

impl<'t> HoaReader<'t> {
    /// A reader at the start of the text.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            cursor: Cursor::new(text, byte_order_mark(text)),
            diagnostics: Vec::new(),
            errors: 0,
            warnings: 0,
            mark_words: 0,
        }
    }

    /// Has an error been found so far?
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    pub(super) fn report(&mut self, d: Diagnostic) {
        match d.severity {
            Severity::Error => {
                self.errors += 1;
                match self.errors {
                    n if n <= MAX_ERRORS => self.diagnostics.push(d),
                    n if n == MAX_ERRORS + 1 => self.diagnostics.push(Diagnostic::error(
                        d.span,
                        "too many errors, the rest of the text is not read",
                    )),
                    _ => {}
                }
            }
            Severity::Warning => {
                self.warnings += 1;
                if self.warnings <= MAX_ERRORS {
                    self.diagnostics.push(d);
                }
            }
        }
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    pub(super) fn has_stopped(&self) -> bool {
        self.errors > MAX_ERRORS
    }

    /// Skips tokens until one that satisfies `stop`, or one at which every search ends.
    pub(super) fn skip_until(&mut self, stop: impl Fn(Token<'t>) -> bool) {
        loop {
            let token = self.cursor.token;
            if stop(token)
                || matches!(token, Token::Eof | Token::End | Token::Abort | Token::Body)
                || matches!(token, Token::Header("HOA"))
            {
                return;
            }
            self.cursor.advance();
        }
    }

    pub(super) fn abort(&mut self) -> Ending {
        let (_, span) = self.cursor.advance();
        self.report(Diagnostic::warning(
            span,
            "the producer aborted this automaton; it is left out",
        ));
        Ending::Dropped
    }
}
