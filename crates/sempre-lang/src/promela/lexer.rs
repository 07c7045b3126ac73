//! The words of Promela.
//!
//! Nothing fails here: what is no word becomes [`Kind::Unknown`], and whoever reads the words says so where it
//! stands. A word knows whether it is the first of its line, which is what the preprocessor goes by. `[]` and
//! `<>` are two marks each: only formulas put them together.

use crate::place::{Call, Place};
use sempre_base::Span;
use std::sync::Arc;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Name,
    /// A decimal number.
    Number,
    /// Text in double quotes, which are part of it.
    Text,
    /// A character in single quotes, which are part of it.
    Character,
    /// An operator or a mark.
    Mark,
    /// `/*` without its `*/`, or a text without its end.
    Open,
    /// No word of the language.
    Unknown,
    /// After the last word.
    End,
}

/// One word. Words that a macro stands for have the place of the macro's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// What is written.
    pub text: Arc<str>,
    /// Where.
    pub span: Span,
    /// Is it the first of its line?
    pub starts_line: bool,
    /// Is there a blank before it?
    pub spaced: bool,
    /// The same, where it is shown: an argument stands where its parameter stood.
    pub gap: bool,
    /// Where it is written, also if it comes from another file or from a macro.
    pub place: Place,
    /// The call of a macro or inline that brought it.
    pub call: Option<Arc<Call>>,
}

impl Token {
    /// Is it this mark or name?
    pub fn is(&self, text: &str) -> bool {
        &*self.text == text && matches!(self.kind, Kind::Mark | Kind::Name)
    }
}

const THREE: [&str; 1] = ["<->"];
// `*/` ends a comment that was not there: the preprocessor takes it away.
const TWO: [&str; 18] = [
    "->", "::", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "++", "--", "!!", "??", "..", "##",
    "/\\", "*/",
];
const ONE: &[u8] = b".,;:{}[]()?!~=+-*/%|&^<>@#";

/// The words of a text; the last is [`Kind::End`].
pub fn words(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        at: 0,
        counted: 0,
        line: 1,
    };
    let mut all = Vec::new();
    loop {
        let token = lexer.word(all.is_empty());
        let last = token.kind == Kind::End;
        all.push(token);
        if last {
            return all;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// So many bytes were looked at for ends of lines, and the line there.
    counted: usize,
    line: usize,
}

impl Lexer<'_> {
    fn run(&self, from: usize, is: impl Fn(u8) -> bool) -> usize {
        let bytes = self.text.as_bytes();
        (from..bytes.len())
            .find(|&i| !is(bytes[i]))
            .unwrap_or(bytes.len())
    }

    /// Skips blanks and comments; whether a line ended, and whether a comment is left open.
    fn skip(&mut self) -> (bool, Option<Span>) {
        let bytes = self.text.as_bytes();
        let mut ended = false;
        loop {
            match bytes.get(self.at) {
                Some(b'\n') => {
                    ended = true;
                    self.at += 1;
                }
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                // A line that goes on in the next.
                Some(b'\\') => {
                    let next = self.run(self.at + 1, |b| matches!(b, b' ' | b'\t' | b'\r'));
                    match bytes.get(next) {
                        Some(b'\n') => self.at = next + 1,
                        None if self.at + 1 == bytes.len() => self.at += 1,
                        _ => return (ended, None),
                    }
                }
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'/') => {
                    self.at = self.run(self.at, |b| b != b'\n');
                }
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'*') => {
                    let body = &bytes[self.at + 2..];
                    match body.windows(2).position(|w| w == b"*/") {
                        Some(n) => self.at += 2 + n + 2,
                        None => {
                            let span = Span::new(self.at, self.at + 2);
                            self.at = bytes.len();
                            return (ended, Some(span));
                        }
                    }
                }
                _ => return (ended, None),
            }
        }
    }

    fn word(&mut self, first: bool) -> Token {
        sempre_base::checkpoint();
        let before = self.at;
        let (ended, open) = self.skip();
        let starts_line = first || ended;
        let spaced = self.at > before;
        let start = open.map_or(self.at, |span| span.start);
        let passed = &self.text.as_bytes()[self.counted..start];
        self.line += passed.iter().filter(|&&b| b == b'\n').count();
        self.counted = start;
        let line = self.line;
        let token = |kind, start: usize, end: usize| Token {
            kind,
            text: Arc::from(&self.text[start..end]),
            span: Span::new(start, end),
            starts_line,
            spaced,
            gap: spaced,
            place: Place { file: None, line },
            call: None,
        };
        if let Some(span) = open {
            return token(Kind::Open, span.start, span.end);
        }
        let bytes = self.text.as_bytes();
        let start = self.at;
        let Some(&byte) = bytes.get(start) else {
            return token(Kind::End, start, start);
        };
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let rest = &self.text[start..];
        let (kind, end) = if byte.is_ascii_digit() {
            (Kind::Number, self.run(start, is_name))
        } else if is_name(byte) {
            (Kind::Name, self.run(start, is_name))
        } else if byte == b'"' {
            match self.closing(b'"') {
                Some(end) => (Kind::Text, end),
                None => (Kind::Open, start + 1),
            }
        } else if byte == b'\'' {
            match self.closing(b'\'') {
                Some(end) => (Kind::Character, end),
                None => (Kind::Open, start + 1),
            }
        } else if let Some(mark) = (THREE.iter().chain(&TWO)).find(|m| rest.starts_with(**m)) {
            (Kind::Mark, start + mark.len())
        } else if ONE.contains(&byte) {
            (Kind::Mark, start + 1)
        } else {
            let known = |b: u8| {
                is_name(b) || b.is_ascii_whitespace() || ONE.contains(&b) || b"\"'".contains(&b)
            };
            let mut end = self.run(start + 1, |b| !known(b));
            while !self.text.is_char_boundary(end) {
                end += 1;
            }
            (Kind::Unknown, end)
        };
        let found = token(kind, start, end);
        self.at = end;
        found
    }

    /// One past the quote that closes the one here; texts end with their line.
    fn closing(&self, quote: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        while let Some(&b) = bytes.get(at) {
            match b {
                b'\\' => at += 2,
                b'\n' => return None,
                _ if b == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lines() {
        let text = "c!!x /* a\nb */ ->y; // z\n#define \\\n N 3\n\"a\\\"b\" 'x' é";
        let found: Vec<(String, Kind, bool)> = (words(text).iter())
            .map(|t| (t.text.to_string(), t.kind, t.starts_line))
            .collect();
        use Kind::{Character, End, Mark, Name, Number, Text, Unknown};
        let expected = [
            ("c", Name, true),
            ("!!", Mark, false),
            ("x", Name, false),
            ("->", Mark, false),
            ("y", Name, false),
            (";", Mark, false),
            ("#", Mark, true),
            ("define", Name, false),
            ("N", Name, false),
            ("3", Number, false),
            ("\"a\\\"b\"", Text, true),
            ("'x'", Character, false),
            ("é", Unknown, false),
            ("", End, false),
        ];
        assert_eq!(
            found,
            expected.map(|(t, k, l)| (t.to_string(), k, l)).to_vec()
        );
    }

    #[test]
    fn what_is_left_open_is_told() {
        for text in ["a /* b", "\"abc\n\"", "'a", "\\", "\"\\"] {
            assert!(!words(text).is_empty());
        }
        assert_eq!(words("a /* b")[1].kind, Kind::Open);
        assert_eq!(words("\"abc\n")[0].kind, Kind::Open);
    }
}
