//! The meaning of words among operators.
//!
//! The meaning of a word depends on its position:
//!
//! * beside a comparison, a sign or an index (`X <= 3`, `U[2] == 1`) it is a name;
//! * where an operator is expected, `U R V W M xor` are operators;
//! * where an operand is expected, `X F G` are operators if an operand follows; a declared name of the model is a
//!   name;
//! * `not` before an operand, and `and`, `or`, `imply`, `implies` where an operator is expected, are the operators of
//!   that name, as in DVE; anywhere else they are names;
//! * `GFa`: a run of `F G X` glued to a lower-case name or a number is split off, unless the word is a declared name.
//!   With a model that happens only if the remainder is declared.

use super::lexer::{Lexeme, Token};
use super::program::Item;
use super::reader::{Entry, Reader};
use super::term::{Term, word_text};
use crate::formula::Op;
use sempre_base::{Diagnostic, Span};

/// The meaning of a word.
pub(super) enum Meaning {
    /// That many letters of it are unary operators.
    Unary(usize),
    Constant(bool),
    Binary,
    /// The word `not`.
    Not,
    Name,
}

impl Reader<'_> {
    pub(super) fn leaf(&mut self, name: String, span: Span) {
        if let Some(warning) = looks_like_operator(&name, span) {
            self.program.warnings.push(warning);
        }
        let number = self.program.propositions.len() as u32;
        self.program.propositions.push((name, span));
        self.program.items.push(Item::Proposition(number));
    }

    /// Does the model declare this name, or the process in front of its dot?
    pub(super) fn declared(&self, word: &str) -> bool {
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
                    Token::Plus | Token::Minus | Token::OpenBracket | Token::Dot | Token::At
                )
        })
    }

    /// True if an operand starts at the token `ahead`.
    pub(super) fn starts_operand(&self, ahead: usize) -> bool {
        let word = |ahead: usize| self.source(self.tokens[self.at + ahead].span());
        match self.peek(ahead) {
            // `X and b`: an operator, because something follows that it can join.
            Some(Token::Word) if connective(word(ahead)).is_some() => {
                !self.peek(ahead + 1).is_some_and(|next| {
                    starts_leaf(next)
                        || next == Token::Word && binary_word(word(ahead + 1)).is_none()
                })
            }
            Some(Token::Word) => binary_word(word(ahead)).is_none() || self.joins_term(ahead + 1),
            Some(token) => starts_leaf(token),
            None => false,
        }
    }

    /// The meaning of the word where an operand is expected.
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
        if word == "not" && self.starts_operand(1) {
            return Meaning::Not;
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

    /// `F(p)UGq` and `p=1Uq=1`: a word directly after the end of an operand starts with an operator, since no name is
    /// possible there.
    pub(super) fn split_operator(&mut self) {
        let at = self.at;
        let Some(&word) = self.tokens.get(at).filter(|t| t.token == Token::Word) else {
            return;
        };
        let glued = at > 0 && self.tokens[at - 1].end == word.start;
        let letter = b"URVWM".contains(&self.text.as_bytes()[word.start as usize]);
        if glued && letter && word.end > word.start + 1 {
            self.tokens[at].start += 1;
            // The token before is read; its place is free for the letter.
            self.at -= 1;
            self.tokens[self.at] = Lexeme {
                end: word.start + 1,
                ..word
            };
        }
    }

    /// The value in `p=0` or `p=1`, which Wring writes for `!p` and `p`. Only without a model: there
    /// it would rather be a comparison that lacks a sign.
    pub(super) fn wring_value(&self, left: &Term) -> Option<bool> {
        if self.options.known.is_some() || left.number || left.compound {
            return None;
        }
        let number = self.tokens.get(self.at + 1)?;
        match (number.token, self.source(number.span())) {
            _ if self.joins_term(2) => None,
            (Token::Number, "0") => Some(false),
            (Token::Number, "1") => Some(true),
            _ => None,
        }
    }

    pub(super) fn wring(&mut self, name: String, value: bool, span: Span) {
        if self.program.warnings.is_empty() {
            let meant = if value { "" } else { "!" };
            self.program.warnings.push(
                Diagnostic::warning(span, format!("this is read as `{meant}{name}`"))
                    .with_help("to compare with a number, write `==`"),
            );
        }
        self.leaf(name, span);
        if !value {
            self.program.items.push(Item::Apply(Op::Not, 1, span));
        }
    }
}

/// True if an operand starts with this token, which is not a word.
fn starts_leaf(token: Token) -> bool {
    matches!(
        token,
        Token::Number
            | Token::Quoted
            | Token::Braced
            | Token::Not
            | Token::Next
            | Token::Finally
            | Token::Globally
            | Token::True
            | Token::False
            | Token::Open
    )
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

/// The words that are binary operators where one is expected, and names elsewhere.
pub(super) fn connective(word: &str) -> Option<Op> {
    Some(match word {
        "and" => Op::And,
        "or" => Op::Or,
        "imply" | "implies" => Op::Implies,
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

/// `aUb` is a name, but probably not intended as one.
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
