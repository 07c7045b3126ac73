//! The state of the infix reader: tokens, the stack of operators that wait for their operands, the program so far.

use super::lexer::{Lexeme, Token};
use super::program::{Item, ParseOptions, Program};
use super::term::excerpt;
use crate::op::Op;
use sempre_base::{Diagnostic, Span};

pub(super) enum Entry {
    Open(Span),
    Unary(Op, Span),
    /// `count` operators in a row, for `&` and `|` more than one.
    Binary(Op, Span, u32),
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Lexeme>,
    pub(super) clean: Vec<u32>,
    pub(super) options: &'a ParseOptions<'a>,
    pub(super) lexed_well: bool,
    pub(super) at: usize,
    pub(super) stack: Vec<Entry>,
    pub(super) program: Program,
}

impl Reader<'_> {
    pub(super) fn peek(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).map(|t| t.token)
    }

    pub(super) fn source(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    pub(super) fn here(&self) -> Span {
        self.tokens
            .get(self.at)
            .map_or(Span::new(self.text.len(), self.text.len()), |t| t.span())
    }

    pub(super) fn found(&self) -> String {
        if self.at < self.tokens.len() {
            format!("`{}`", excerpt(self.source(self.here())))
        } else {
            "the end of the formula".to_string()
        }
    }

    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        self.program.errors.push(diagnostic);
    }

    /// A leaf in place of an operand that could not be read.
    pub(super) fn imagine(&mut self) {
        self.program.items.push(Item::Constant(true));
    }
}
