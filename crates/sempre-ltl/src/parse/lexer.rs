//! Tokens of the infix syntaxes.
//!
//! One lexer for Spot's, SPIN's and the mathematical spellings, since they do not contradict each other. It does not
//! decide the meaning of words: whether `X` is an operator or a variable depends on its neighbours (see `infix`).
//! LTSmin's escapes `\[`, `\]`, `\.`, `\-` are the characters themselves.

use sempre_base::{Diagnostic, Span};

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, possibly with dots, or an operator letter.
    Word,
    Number,
    /// `"…"` or `'…'`
    Quoted,
    /// `{…}`
    Braced,
    Not,
    Next,
    Finally,
    Globally,
    And,
    Or,
    Xor,
    Implies,
    Equiv,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
    True,
    False,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Dot,
    /// `@`, between a process and a label of it.
    At,
    Comma,
    Plus,
    Minus,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// A single `=`, which is a mistake that deserves a good word.
    Assign,
}

impl Token {
    /// The spelling of a comparison operator.
    pub(super) fn comparison(self) -> Option<&'static str> {
        Some(match self {
            Token::Equal | Token::Assign => "==",
            Token::NotEqual => "!=",
            Token::Less => "<",
            Token::LessEqual => "<=",
            Token::Greater => ">",
            Token::GreaterEqual => ">=",
            _ => return None,
        })
    }

    /// True if the token can be part of a term.
    pub(super) fn in_term(self) -> bool {
        matches!(
            self,
            Token::Word
                | Token::Number
                | Token::Quoted
                | Token::Open
                | Token::Close
                | Token::OpenBracket
                | Token::CloseBracket
                | Token::Dot
                | Token::At
                | Token::Comma
                | Token::Plus
                | Token::Minus
        )
    }
}

/// A token and its bytes; four-byte offsets, since a hostile text has millions of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Lexeme {
    pub(super) fn span(self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }
}

/// Signs; a sign comes before its prefixes.
const SIGNS: &[(&str, Token)] = &[
    ("<->", Token::Equiv),
    ("<=>", Token::Equiv),
    ("-->", Token::Implies),
    ("->", Token::Implies),
    ("=>", Token::Implies),
    ("<>", Token::Finally),
    ("==", Token::Equal),
    ("!=", Token::NotEqual),
    ("<=", Token::LessEqual),
    (">=", Token::GreaterEqual),
    ("&&", Token::And),
    ("||", Token::Or),
    ("/\\", Token::And),
    ("\\/", Token::Or),
    ("\\[", Token::OpenBracket),
    ("\\]", Token::CloseBracket),
    ("&", Token::And),
    ("|", Token::Or),
    ("^", Token::Xor),
    ("!", Token::Not),
    ("~", Token::Not),
    ("<", Token::Less),
    (">", Token::Greater),
    ("=", Token::Assign),
    ("(", Token::Open),
    (")", Token::Close),
    ("[", Token::OpenBracket),
    ("]", Token::CloseBracket),
    (",", Token::Comma),
    ("+", Token::Plus),
    ("-", Token::Minus),
];

/// The mathematical signs, each one character.
fn mathematical(c: char) -> Option<Token> {
    if c.is_ascii() {
        return None;
    }
    Some(match c {
        '¬' | '￢' => Token::Not,
        '∧' | '⋀' => Token::And,
        '∨' | '⋁' => Token::Or,
        '⊕' | '⊻' | '⊽' | '≢' => Token::Xor,
        '→' | '⟶' | '⇒' | '⟹' | '⊃' => Token::Implies,
        '↔' | '⟷' | '⇔' | '⟺' | '≡' => Token::Equiv,
        '○' | '◯' | '◦' | '𝖷' | '𝐗' | '𝑋' | '𝒳' => Token::Next,
        '◇' | '♢' | '◊' | '⋄' | '⬦' | '𝖥' | '𝐅' | '𝐹' => Token::Finally,
        '□' | '◻' | '☐' | '⬜' | '▢' | '𝖦' | '𝐆' | '𝐺' | '𝒢' => {
            Token::Globally
        }
        '𝒰' | '𝓤' | '𝖴' | '𝐔' | '𝑈' => Token::Until,
        '𝓡' | 'ℛ' | '𝖱' | '𝐑' | '𝑅' => Token::Release,
        '𝒲' | '𝓦' | '𝖶' | '𝐖' | '𝑊' => Token::WeakUntil,
        'ℳ' | '𝓜' | '𝖬' | '𝐌' | '𝑀' => Token::StrongRelease,
        '⊤' => Token::True,
        '⊥' => Token::False,
        '≠' => Token::NotEqual,
        '≤' | '⩽' => Token::LessEqual,
        '≥' | '⩾' => Token::GreaterEqual,
        _ => return None,
    })
}

fn starts_word(c: char) -> bool {
    (c.is_alphabetic() || c == '_') && mathematical(c).is_none()
}

fn continues_word(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && mathematical(c).is_none()
}

/// The tokens of `text`; at most `limit` diagnostics, and no token after the last one.
pub(super) fn lex(text: &str, limit: usize) -> (Vec<Lexeme>, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        text,
        at: 0,
        out: Vec::new(),
        errors: Vec::new(),
    };
    if u32::try_from(text.len()).is_err() {
        let place = Span::new(0, 0);
        lexer
            .errors
            .push(Diagnostic::error(place, "the formula is longer than 4 GiB"));
        return (lexer.out, lexer.errors);
    }
    while lexer.errors.len() < limit && lexer.step() {}
    (lexer.out, lexer.errors)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    out: Vec<Lexeme>,
    errors: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn push(&mut self, token: Token, length: usize) {
        self.out.push(Lexeme {
            token,
            start: self.at as u32,
            end: (self.at + length) as u32,
        });
        self.at += length;
    }

    /// Reads one token or white space; false at the end.
    fn step(&mut self) -> bool {
        let Some(c) = self.rest().chars().next() else {
            return false;
        };
        if c.is_whitespace() || c == '\u{feff}' {
            self.at += c.len_utf8();
        } else if starts_word(c) {
            let length = word_length(self.rest());
            self.push(Token::Word, length);
        } else if c.is_ascii_digit() {
            let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            self.push(Token::Number, digits);
        } else if c == '"' || c == '\'' {
            self.quoted(c as u8);
        } else if c == '{' {
            self.braced();
        } else if let Some(token) = mathematical(c) {
            self.push(token, c.len_utf8());
        } else if let Some(length) = dot_length(self.rest()) {
            self.push(Token::Dot, length);
        } else if c == '@' {
            self.push(Token::At, 1);
        } else if let Some(length) = self.empty_pair('[', ']') {
            self.push(Token::Globally, length);
        } else if let Some(length) = self.empty_pair('(', ')') {
            self.push(Token::Next, length);
        } else if let Some(&(sign, token)) = SIGNS
            .iter()
            .find(|(sign, _)| sign.starts_with(c) && self.rest().starts_with(sign))
        {
            self.push(token, sign.len());
        } else {
            self.stray(c);
        }
        true
    }

    /// `[]` and `()`, with white space between allowed.
    fn empty_pair(&self, open: char, close: char) -> Option<usize> {
        let inside = self.rest().strip_prefix(open)?.trim_start();
        inside
            .starts_with(close)
            .then(|| self.rest().len() - inside.len() + 1)
    }

    fn quoted(&mut self, quote: u8) {
        let bytes = self.rest().as_bytes();
        let mut i = 1;
        while i < bytes.len() && bytes[i] != quote {
            i += if bytes[i] == b'\\' { 2 } else { 1 };
        }
        if i < bytes.len() {
            self.push(Token::Quoted, i + 1);
        } else {
            let open = Span::new(self.at, self.at + 1);
            self.errors.push(
                Diagnostic::error(open, "this quotation mark is never closed")
                    .with_help(format!("add a closing `{}`", quote as char)),
            );
            // Removed from the tokens: it would be read as a proposition with a strange name.
            self.at = self.text.len();
        }
    }

    fn braced(&mut self) {
        let bytes = self.rest().as_bytes();
        let mut depth = 0usize;
        for (i, b) in bytes.iter().enumerate() {
            match b {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.push(Token::Braced, i + 1);
            }
        }
        let open = Span::new(self.at, self.at + 1);
        self.errors.push(
            Diagnostic::error(open, "this brace is never closed").with_help("add a closing `}`"),
        );
        self.at = self.text.len();
    }

    fn stray(&mut self, c: char) {
        let place = Span::new(self.at, self.at + c.len_utf8());
        let message = if c.is_control() {
            format!(
                "the control character U+{:04X} has no meaning here",
                c as u32
            )
        } else {
            format!("`{c}` has no meaning in a formula")
        };
        let help = match c {
            '}' => "there is no `{` before it",
            '*' | '/' | '%' | '$' | '?' | ':' | '#' => {
                "an expression of the model that is more than a comparison of sums goes in double quotes or braces"
            }
            ';' => "one formula ends where its text ends; no semicolon is needed",
            _ => "names with unusual characters go in double quotes",
        };
        self.errors
            .push(Diagnostic::error(place, message).with_help(help));
        self.at += c.len_utf8();
        // One word about a whole run of the same rubbish.
        while let Some(next) = self.rest().chars().next() {
            let known = next.is_whitespace()
                || next.is_ascii_digit()
                || starts_word(next)
                || mathematical(next).is_some()
                || "\"'{([<>=!~&|^)],+-.\\/".contains(next);
            if known {
                break;
            }
            self.at += next.len_utf8();
        }
    }
}

/// Length of the name at the start of `text`; a dot belongs to it if a name follows.
fn word_length(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        match rest.chars().next() {
            Some(c) if continues_word(c) => at += c.len_utf8(),
            Some('\\') if at > 0 && escapes_in_name(rest) => at += 2,
            _ => match dot_length(rest) {
                Some(length) => at += length,
                None => return at,
            },
        }
    }
}

/// LTSmin writes a place called `P-x` as `P\-x`.
fn escapes_in_name(text: &str) -> bool {
    text[1..].starts_with(['-', ':', '@', '$', '#', '+', '*'])
}

/// `.` or `\.` followed by a name.
fn dot_length(text: &str) -> Option<usize> {
    let length = if text.starts_with("\\.") {
        2
    } else if text.starts_with('.') {
        1
    } else {
        return None;
    };
    text[length..]
        .chars()
        .next()
        .is_some_and(continues_word)
        .then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token> {
        let (tokens, errors) = lex(text, 10);
        assert!(errors.is_empty(), "{errors:?}");
        tokens.into_iter().map(|t| t.token).collect()
    }

    #[test]
    fn longest_match() {
        use Token::*;
        assert_eq!(kinds("a<->b"), [Word, Equiv, Word]);
        assert_eq!(kinds("a<=>b"), [Word, Equiv, Word]);
        assert_eq!(kinds("a<=b"), [Word, LessEqual, Word]);
        assert_eq!(kinds("a< -1"), [Word, Less, Minus, Number]);
        assert_eq!(kinds("[]<>()a"), [Globally, Finally, Next, Word]);
        assert_eq!(kinds("[ ](a)"), [Globally, Open, Word, Close]);
        assert_eq!(
            kinds("a.b.c[1].d"),
            [Word, OpenBracket, Number, CloseBracket, Dot, Word]
        );
        assert_eq!(
            kinds("t\\[1\\]!=0"),
            [Word, OpenBracket, Number, CloseBracket, NotEqual, Number]
        );
        assert_eq!(kinds("a\\.b /\\ c \\/ d"), [Word, And, Word, Or, Word]);
        assert_eq!(kinds("a𝒰b"), [Word, Until, Word]);
        assert_eq!(kinds("{x {y} z}\"\\\"\" 'q'"), [Braced, Quoted, Quoted]);
    }

    #[test]
    fn rubbish_is_reported_once_per_run() {
        let (_, errors) = lex("a ??? b", 10);
        assert_eq!(errors.len(), 1);
        let (_, errors) = lex("? a ".repeat(50).as_str(), 10);
        assert_eq!(errors.len(), 10);
    }
}
