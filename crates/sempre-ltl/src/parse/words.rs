//! What a word means among operators.
//!
//! What a word means depends on its place:
//!
//! * beside a comparison, a sign or an index (`X <= 3`, `U[2] == 1`) it is a name;
//! * where an operator must come, `U R V W M xor` are operators;
//! * where an operand must come, `X F G` are operators if an operand follows; a declared name of the
//!   model is a name;
//! * `GFa`: a run of `F G X` glued to a lower-case name or a number is split off, unless the word is
//!   a declared name. With a model that happens only if what remains is declared.

use super::infix::{Entry, Reader};
use super::lexer::Token;
use super::term::word_text;
use crate::formula::Op;
use sempre_base::{Diagnostic, Span};

/// What a word stands for.
pub(super) enum Meaning {
    /// That many letters of it are unary operators.
    Unary(usize),
    Constant(bool),
    Binary,
    Name,
}

impl Reader<'_> {
    fn declared(&self, word: &str) -> bool {
        self.options.known.is_some_and(|known| {
            known(word)
                || word
                    .split_once('.')
                    .is_some_and(|(process, _)| known(process))
        })
    }

    /// True if the token `ahead` makes the word before it a part of a term.
    pub(super) fn joins_term(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(|t| {
            t.comparison().is_some()
                || matches!(
                    t,
                    Token::Plus | Token::Minus | Token::OpenBracket | Token::Dot
                )
        })
    }

    /// True if an operand starts at the token `ahead`.
    pub(super) fn starts_operand(&self, ahead: usize) -> bool {
        match self.peek(ahead) {
            Some(Token::Word) => {
                let word = self.source(self.tokens[self.at + ahead].span());
                binary_word(word).is_none() || self.joins_term(ahead + 1)
            }
            Some(
                Token::Number
                | Token::Quoted
                | Token::Braced
                | Token::Not
                | Token::Next
                | Token::Finally
                | Token::Globally
                | Token::True
                | Token::False
                | Token::Open,
            ) => true,
            _ => false,
        }
    }

    /// What the word stands for where an operand must come.
    pub(super) fn meaning(&self) -> Meaning {
        let word = word_text(self.text, self.tokens[self.at]);
        if self.joins_term(1) && !is_glued(&word) {
            return Meaning::Name;
        }
        let run = word.bytes().take_while(|b| b"FGX".contains(b)).count();
        let declared = self.declared(&word);
        if run == word.len() {
            let operator = if declared || run > 1 {
                self.starts_operand(1)
            } else {
                true
            };
            return if operator {
                Meaning::Unary(run)
            } else {
                Meaning::Name
            };
        }
        if declared {
            return Meaning::Name;
        }
        if binary_word(&word).is_some() {
            return Meaning::Binary;
        }
        match word.as_str() {
            "true" | "True" | "TRUE" | "tt" => return Meaning::Constant(true),
            "false" | "False" | "FALSE" | "ff" => return Meaning::Constant(false),
            _ => {}
        }
        let splits =
            is_glued(&word) && (self.options.known.is_none() || self.declared(&word[run..]));
        if splits {
            Meaning::Unary(run)
        } else {
            Meaning::Name
        }
    }

    /// Takes `letters` unary operators off the word here.
    pub(super) fn split(&mut self, letters: usize) {
        let lexeme = self.tokens[self.at];
        for i in 0..letters {
            let start = lexeme.start as usize + i;
            let op = match self.text.as_bytes()[start] {
                b'F' => Op::Finally,
                b'G' => Op::Globally,
                _ => Op::Next,
            };
            self.stack
                .push(Entry::Unary(op, Span::new(start, start + 1)));
        }
        let start = lexeme.start + letters as u32;
        if start == lexeme.end {
            self.at += 1;
        } else {
            let digit = self.text.as_bytes()[start as usize].is_ascii_digit();
            self.tokens[self.at].start = start;
            if digit {
                self.tokens[self.at].token = Token::Number;
            }
        }
    }
}

/// The words that are binary operators.
pub(crate) fn binary_word(word: &str) -> Option<Op> {
    Some(match word {
        "U" => Op::Until,
        "R" | "V" => Op::Release,
        "W" => Op::WeakUntil,
        "M" => Op::StrongRelease,
        "xor" => Op::Xor,
        _ => return None,
    })
}

/// A run of `F G X` directly before a lower-case name or a number.
pub(crate) fn is_glued(word: &str) -> bool {
    let rest = word.trim_start_matches(['F', 'G', 'X']);
    rest.len() < word.len()
        && !matches!(word, "False" | "FALSE")
        && (rest.starts_with(char::is_lowercase)
            || !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// `aUb` is a name, but hardly what was meant.
pub(super) fn looks_like_operator(name: &str, span: Span) -> Option<Diagnostic> {
    let short = |s: &str| {
        s.len() <= 3
            && s.starts_with(|c: char| c.is_ascii_lowercase())
            && s[1..].bytes().all(|b| b.is_ascii_digit())
    };
    let at = name.find(['U', 'R', 'V', 'W', 'M'])?;
    let (left, right) = (&name[..at], &name[at + 1..]);
    (short(left) && short(right)).then(|| {
        Diagnostic::warning(span, format!("`{name}` is read as one name")).with_help(format!(
            "if an operator was meant, write `{left} {} {right}`",
            &name[at..=at]
        ))
    })
}
