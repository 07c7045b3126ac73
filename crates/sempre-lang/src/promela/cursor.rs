//! The parser's place among the words: what is here, what was expected instead, where to go on after an error.
//!
//! The words that are still to come lie on a stack, the next on top: the body of an `inline` is put there where it
//! is called.

use super::ast::{Inline, Name};
use super::lexer::{Kind, Token};
use super::written::Written;
use crate::report::shown;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Span};
use std::sync::Arc;

/// After so many errors the parser gives up.
const PATIENCE: usize = 20;
/// More words than these from inlines are refused: they may call each other without end.
const INLINED: usize = 2_000_000;

/// What was not parsed; its diagnostic is in the list already.
#[derive(Debug)]
pub(super) struct Failed;
pub(super) type Parsed<T> = Result<T, Failed>;

pub(super) const RESERVED: [&str; 64] = [
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "chan",
    "d_step",
    "D_proctype",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
    "return",
];

/// The parser; its grammar is in [`super::parser`], [`super::statements`] and [`super::expressions`].
pub(super) struct Parser {
    rest: Vec<Token>,
    /// Where the word before this ended.
    pub last: Span,
    /// Levels of recursion.
    pub nesting: usize,
    /// Did the last statement end with a word that closes something?
    pub last_closes: bool,
    /// Sequences of statements around, in which the end of a line may be the end of a statement.
    pub sequences: usize,
    /// Are the operators of temporal logic read?
    pub formula: bool,
    /// Do assertions mean nothing?
    pub ignore_assertions: bool,
    /// The names of processes.
    pub processes: FxHashSet<Arc<str>>,
    /// The names of structures so far.
    pub structures: FxHashSet<Arc<str>>,
    /// The inlines so far.
    pub inlines: FxHashMap<Arc<str>, Arc<Inline>>,
    inlined: usize,
    /// The words of the unit of the file so far, as they were read.
    consumed: Vec<Token>,
    /// What was found wrong so far.
    pub diagnostics: Vec<Diagnostic>,
    errors: usize,
}

impl Parser {
    /// A parser of these words, of which the last is the end.
    pub fn new(mut words: Vec<Token>) -> Self {
        let processes = (words.windows(2))
            .filter(|w| w[0].is("proctype") && w[1].kind == Kind::Name)
            .map(|w| w[1].text.clone())
            .collect();
        words.reverse();
        Self {
            rest: words,
            last: Span::new(0, 0),
            nesting: 0,
            last_closes: false,
            sequences: 0,
            formula: false,
            ignore_assertions: false,
            processes,
            structures: FxHashSet::default(),
            inlines: FxHashMap::default(),
            inlined: 0,
            consumed: Vec::new(),
            diagnostics: Vec::new(),
            errors: 0,
        }
    }

    /// The word that is `n` words ahead; the end for ever.
    pub fn ahead(&self, n: usize) -> &Token {
        &self.rest[(self.rest.len() - 1).saturating_sub(n)]
    }

    /// The current word.
    pub fn token(&self) -> &Token {
        self.ahead(0)
    }

    pub fn advance(&mut self) -> Token {
        let token = if self.rest.len() > 1 {
            self.rest.pop().unwrap_or_else(|| self.rest[0].clone())
        } else {
            self.rest[0].clone()
        };
        self.last = token.span;
        self.consumed.push(token.clone());
        token
    }

    /// Forgets the words that were read: a unit of the file begins.
    pub(super) fn forget_words(&mut self) {
        self.consumed.clear();
    }

    /// How many words of the unit were read.
    pub(super) fn words_read(&self) -> usize {
        self.consumed.len()
    }

    /// What the author wrote from that word on up to here.
    pub(super) fn written_from(&self, word: usize) -> Option<Arc<Written>> {
        Written::new(self.consumed.get(word..)?).map(Arc::new)
    }

    /// The same of that word alone.
    pub(super) fn word_written(&self, word: usize) -> Option<Arc<Written>> {
        Written::new(std::slice::from_ref(self.consumed.get(word)?)).map(Arc::new)
    }

    /// The same of the word before this.
    pub(super) fn last_written(&self) -> Option<Arc<Written>> {
        self.word_written(self.consumed.len().checked_sub(1)?)
    }

    /// The same, of a loop: its head.
    pub(super) fn head_from(&self, word: usize) -> Option<Arc<Written>> {
        let words = self.consumed.get(word..)?;
        let mut depth = 0;
        let end = words.iter().position(|token| {
            depth += i32::from(token.is("(")) - i32::from(token.is(")"));
            depth == 0 && token.is(")")
        });
        Written::new(&words[..end.map_or(words.len(), |end| end + 1)]).map(Arc::new)
    }

    /// Puts words in front of those to come; false if that was too much.
    pub fn push(&mut self, words: Vec<Token>) -> bool {
        self.inlined += words.len();
        self.rest.extend(words.into_iter().rev());
        self.inlined <= INLINED
    }

    pub fn at(&self, text: &str) -> bool {
        self.token().is(text)
    }

    /// Does a word that may start a statement stand on a line of its own here? SPIN reads a `;` before it.
    pub fn at_new_statement(&self, text: &str) -> bool {
        let token = self.token();
        self.sequences > 0 && !self.formula && token.starts_line && token.is(text)
    }

    pub fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let there = self.at(text);
        if there {
            self.advance();
        }
        there
    }

    pub fn expect(&mut self, text: &str) -> Parsed<Span> {
        if self.at(text) {
            Ok(self.advance().span)
        } else {
            self.expected(&format!("`{text}`"))
        }
    }

    /// Complains that `what` is not here.
    pub fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token().clone();
        let found = match token.kind {
            Kind::End => "the end".to_string(),
            Kind::Open if &*token.text == "/*" => {
                return self.error(token.span, "this comment is not closed");
            }
            Kind::Open => return self.error(token.span, "this text is not closed"),
            Kind::Unknown => format!("`{}`, which is no word of Promela", shown(&token.text)),
            Kind::Name if RESERVED.contains(&&*token.text) => {
                format!("the keyword `{}`", token.text)
            }
            _ => format!("`{}`", shown(&token.text)),
        };
        self.error(token.span, format!("expected {what}, found {found}"))
    }

    /// Complains; one complaint about one place is enough.
    pub fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        self.report(Diagnostic::error(span, message));
        Err(Failed)
    }

    /// Complains and goes on.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self
            .diagnostics
            .last()
            .is_none_or(|d| d.span != diagnostic.span)
        {
            self.diagnostics.push(diagnostic);
            self.errors += 1;
        }
    }

    /// Are there so many errors that going on helps nobody?
    pub fn gave_up(&self) -> bool {
        self.errors >= PATIENCE
    }

    pub fn is_name(token: &Token) -> bool {
        token.kind == Kind::Name && !RESERVED.contains(&&*token.text)
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        if !Self::is_name(self.token()) {
            return self.expected(what);
        }
        let Token { text, span, .. } = self.advance();
        Ok(Name { text, span })
    }

    /// One level deeper; an error if that is too deep.
    pub fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= 400 {
            let span = self.token().span;
            return self.error(span, "this is nested too deeply");
        }
        self.nesting += 1;
        let result = inside(self);
        self.nesting -= 1;
        result
    }
}
