//! The parser's place in the text: the current word, what was expected instead, where to go on after an
//! error.

use super::ast::Name;
use super::lexer::{Kind, Lexer, Token};
use crate::report::shown;
use rustc_hash::FxHashSet;
use sempre_base::{Diagnostic, Span};

/// After so many errors the parser gives up.
const PATIENCE: usize = 20;

/// What was not parsed; its diagnostic is in the list already.
#[derive(Debug)]
pub(super) struct Failed;
pub(super) type Parsed<T> = Result<T, Failed>;

const RESERVED: [&str; 22] = [
    "accept", "and", "assert", "byte", "channel", "commit", "const", "effect", "false", "guard",
    "imply", "init", "int", "not", "or", "process", "state", "sync", "system", "trans", "true",
    "async",
];

/// The parser; its grammar is in [`super::parser`] and [`super::grammar`].
pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The current word.
    pub token: Token<'a>,
    /// Where the word before it ended.
    pub last_end: usize,
    /// Levels of the recursion in expressions.
    pub nesting: usize,
    /// Braces that are open.
    pub braces: i64,
    /// The names of processes.
    pub processes: FxHashSet<&'a str>,
    /// What was found wrong so far.
    pub diagnostics: Vec<Diagnostic>,
    errors: usize,
}

impl<'a> Parser<'a> {
    pub fn new(mut lexer: Lexer<'a>, processes: FxHashSet<&'a str>) -> Self {
        let token = lexer.word();
        Self {
            lexer,
            token,
            last_end: token.span.start,
            nesting: 0,
            braces: 0,
            processes,
            diagnostics: Vec::new(),
            errors: 0,
        }
    }

    pub fn advance(&mut self) -> Token<'a> {
        let token = self.token;
        match token.text {
            "{" => self.braces += 1,
            "}" => self.braces -= 1,
            _ => {}
        }
        self.last_end = token.span.end;
        self.token = self.lexer.word();
        token
    }

    /// Is the current word this mark or keyword?
    pub fn at(&self, text: &str) -> bool {
        self.token.text == text && matches!(self.token.kind, Kind::Mark | Kind::Name)
    }

    pub fn at_end(&self) -> bool {
        self.token.kind == Kind::End
    }

    /// Steps over the mark or keyword if it is there.
    pub fn eat(&mut self, text: &str) -> bool {
        let there = self.at(text);
        if there {
            self.advance();
        }
        there
    }

    pub fn expect(&mut self, text: &str) -> Parsed<Token<'a>> {
        if self.at(text) {
            Ok(self.advance())
        } else {
            self.expected(&format!("`{text}`"))
        }
    }

    /// Complains that `what` is not here.
    pub fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token;
        let found = match token.kind {
            Kind::End => "the end".to_string(),
            Kind::OpenComment => {
                return self.error(token.span, "this comment is not closed");
            }
            Kind::Unknown => match token.text {
                "@" => "`@`; DVE writes `P.state` for a process in a state".to_string(),
                text => format!("`{}`, which is no word of DVE", shown(text)),
            },
            Kind::Name if RESERVED.contains(&token.text) => format!("the keyword `{}`", token.text),
            _ => format!("`{}`", shown(token.text)),
        };
        self.error(token.span, format!("expected {what}, found {found}"))
    }

    /// Complains; one complaint about one place is enough.
    pub fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        if self.diagnostics.last().is_none_or(|d| d.span != span) {
            self.diagnostics.push(Diagnostic::error(span, message));
            self.errors += 1;
        }
        Err(Failed)
    }

    /// Are there so many errors that going on helps nobody?
    pub fn gave_up(&self) -> bool {
        self.errors >= PATIENCE
    }

    /// Skips to one of these words (or to the end, or to the next process), after an error.
    pub fn skip_to(&mut self, stops: &[&str]) {
        while !self.at_end()
            && !self.at("process")
            && !self.at("system")
            && !stops.iter().any(|s| self.at(s))
        {
            self.advance();
        }
    }

    /// The span from `start` to the end of the last word.
    pub fn since(&self, start: usize) -> Span {
        Span::new(start, self.last_end.max(start))
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        if self.token.kind != Kind::Name || RESERVED.contains(&self.token.text) {
            return self.expected(what);
        }
        let Token { text, span, .. } = self.advance();
        Ok(Name { text, span })
    }

    /// `item, item, …`
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }
}
