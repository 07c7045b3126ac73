//! Tokens of HOA, with their places.
//!
//! Comments nest and may occur between any two tokens. A string runs to its closing quote, across lines if necessary;
//! one that is never closed runs to the end of the text, so that each byte is read once for any input.

use sempre_base::{Diagnostic, Span};
use std::borrow::Cow;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// `name:`, without the colon.
    Header(&'t str),
    /// A word, `t` and `f` included.
    Word(&'t str),
    /// `@name`, without the `@`.
    Alias(&'t str),
    /// A number; `None` if it does not fit.
    Number(Option<u32>),
    /// The text between the quotes, with escapes not yet resolved.
    Text(&'t str),
    /// A string without an end.
    OpenText,
    /// A comment without an end.
    OpenComment,
    /// `--BODY--`
    Body,
    /// `--END--`
    End,
    /// `--ABORT--`
    Abort,
    /// One of `[](){}!&|`, or a character that has no place in HOA.
    Symbol(char),
    /// The end of the text.
    Eof,
}

/// Reads tokens one at a time.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// The next token. At the end of the text, `Eof` again and again.
    pub(super) fn next(&mut self) -> (Token<'t>, Span) {
        sempre_base::checkpoint();
        if let Some(open) = self.skip_blanks() {
            return (Token::OpenComment, open);
        }
        let start = self.at;
        let bytes = self.text.as_bytes();
        let Some(&first) = bytes.get(start) else {
            return (Token::Eof, Span::new(start, start));
        };
        let token = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.skip_word();
                let word = &self.text[start..self.at];
                if bytes.get(self.at) == Some(&b':') {
                    self.at += 1;
                    Token::Header(word)
                } else {
                    Token::Word(word)
                }
            }
            b'0'..=b'9' => {
                while bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                    self.at += 1;
                }
                Token::Number(self.text[start..self.at].parse().ok())
            }
            b'@' => {
                self.at += 1;
                self.skip_word();
                Token::Alias(&self.text[start + 1..self.at])
            }
            b'"' => self.string(),
            b'-' => {
                let rest = &bytes[start..];
                let known = [
                    ("--BODY--", Token::Body),
                    ("--END--", Token::End),
                    ("--ABORT--", Token::Abort),
                ];
                match known.iter().find(|(k, _)| rest.starts_with(k.as_bytes())) {
                    Some((keyword, token)) => {
                        self.at += keyword.len();
                        *token
                    }
                    None => {
                        self.at += 1;
                        Token::Symbol('-')
                    }
                }
            }
            _ => {
                let c = self.text[start..].chars().next().unwrap_or(' ');
                self.at += c.len_utf8();
                Token::Symbol(c)
            }
        };
        (token, Span::new(start, self.at))
    }

    /// Dots are parts of names from version 1.1 on; in version 1 nothing else can be meant by them.
    fn skip_word(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.') =
            bytes.get(self.at)
        {
            self.at += 1;
        }
    }

    /// Skips white space and comments; the place of a comment that is never closed.
    fn skip_blanks(&mut self) -> Option<Span> {
        let bytes = self.text.as_bytes();
        loop {
            while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            }
            if !bytes[self.at.min(bytes.len())..].starts_with(b"/*") {
                return None;
            }
            let open = Span::new(self.at, self.at + 2);
            let mut depth = 0usize;
            loop {
                match bytes.get(self.at..).unwrap_or_default() {
                    [b'/', b'*', ..] => {
                        depth += 1;
                        self.at += 2;
                    }
                    [b'*', b'/', ..] => {
                        depth -= 1;
                        self.at += 2;
                        if depth == 0 {
                            break;
                        }
                    }
                    [] => return Some(open),
                    _ => self.at += 1,
                }
            }
        }
    }

    fn string(&mut self) -> Token<'t> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        self.at = start;
        while let Some(&b) = bytes.get(self.at) {
            match b {
                b'"' => {
                    self.at += 1;
                    return Token::Text(&self.text[start..self.at - 1]);
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = bytes.len();
        Token::OpenText
    }
}

impl Token<'_> {
    /// How a message calls it.
    pub(super) fn describe(&self) -> String {
        // Words are ASCII; long ones would drown the message.
        let cut = |word: &str| match word.get(..40) {
            Some(start) => format!("{start}…"),
            None => word.to_string(),
        };
        match self {
            Token::Header(name) => format!("`{}:`", cut(name)),
            Token::Word(word) => format!("`{}`", cut(word)),
            Token::Alias(name) => format!("`@{}`", cut(name)),
            Token::Number(Some(n)) => format!("`{n}`"),
            Token::Number(None) => "a number that is too large".to_string(),
            Token::Text(_) => "a string".to_string(),
            Token::OpenText => "a string that is never closed".to_string(),
            Token::OpenComment => "a comment that is never closed".to_string(),
            Token::Body => "`--BODY--`".to_string(),
            Token::End => "`--END--`".to_string(),
            Token::Abort => "`--ABORT--`".to_string(),
            Token::Symbol(c) => format!("`{}`", c.escape_default()),
            Token::Eof => "the end of the text".to_string(),
        }
    }
}

/// A lexer with one token of lookahead.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    lexer: Lexer<'t>,
    /// The token ahead.
    pub(super) token: Token<'t>,
    /// Its place.
    pub(super) span: Span,
    /// Where the token before it ended.
    pub(super) previous_end: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        let mut lexer = Lexer::new(text, at);
        let (token, span) = lexer.next();
        Self {
            lexer,
            token,
            span,
            previous_end: at,
        }
    }

    /// Takes the token ahead.
    pub(super) fn advance(&mut self) -> (Token<'t>, Span) {
        let taken = (self.token, self.span);
        self.previous_end = self.span.end;
        (self.token, self.span) = self.lexer.next();
        taken
    }

    /// Takes the symbol if it is ahead.
    pub(super) fn eat(&mut self, symbol: char) -> bool {
        let found = self.token == Token::Symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Takes the symbol, or returns an error that it was expected.
    pub(super) fn expect(&mut self, symbol: char, place: &str) -> Result<(), Diagnostic> {
        if self.eat(symbol) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{symbol}` {place}")))
        }
    }

    /// Takes a number, or returns an error with the kind of number expected.
    pub(super) fn number(&mut self, what: &str) -> Result<(u32, Span), Diagnostic> {
        match self.token {
            Token::Number(Some(n)) => Ok((n, self.advance().1)),
            Token::Number(None) => {
                Err(Diagnostic::error(self.span, format!("{what} is too large"))
                    .with_help(format!("numbers go up to {}", u32::MAX)))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// The error that something else was expected here.
    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        Diagnostic::error(
            self.span,
            format!("expected {what}, found {}", self.token.describe()),
        )
    }
}

/// The content of a string: a backslash stands for the character after it.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    Cow::Owned(out)
}

/// A string in quotes.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text, 0);
        let mut out = Vec::new();
        loop {
            let (t, span) = lexer.next();
            assert!(text.get(span.start..span.end).is_some(), "{span:?}");
            if t == Token::Eof {
                return out;
            }
            out.push(t);
        }
    }

    #[test]
    fn each_kind() {
        use Token::*;
        assert_eq!(
            tokens("HOA: v1.1 /*a/*b*/c*/ @x.y 12 99999999999 \"a\\\"b\" --BODY-- [!é"),
            [
                Header("HOA"),
                Word("v1.1"),
                Alias("x.y"),
                Number(Some(12)),
                Number(None),
                Text("a\\\"b"),
                Body,
                Symbol('['),
                Symbol('!'),
                Symbol('é')
            ]
        );
        assert_eq!(tokens("\"abc"), [OpenText]);
        assert_eq!(tokens("\"abc\\"), [OpenText]);
        assert_eq!(tokens("\"\\é\" x"), [Text("\\é"), Word("x")]);
        assert_eq!(tokens("a /* /* */"), [Word("a"), OpenComment]);
    }

    #[test]
    fn quoting_is_undone() {
        for s in ["", "a", "\"", "\\", "a\\\"é\n"] {
            let q = quote(s);
            let Token::Text(raw) = tokens(&q)[0] else {
                panic!("{q}")
            };
            assert_eq!(unescape(raw), s);
        }
    }
}
