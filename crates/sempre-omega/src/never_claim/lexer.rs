//! Tokens of Promela, as far as never claims need them.

use crate::labels::byte_order_mark;
use sempre_base::{Diagnostic, Span};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A name or a keyword.
    Name(&'t str),
    /// A number, as written.
    Number(&'t str),
    /// An operator or a bracket.
    Symbol(&'t str),
    /// A string or character in quotes, with them.
    Quoted,
    /// The content of a comment of the kind `/* */`.
    Comment(&'t str),
    /// A line that starts with `#`.
    Directive,
    /// The end of the text.
    Eof,
}

const SYMBOLS: [&str; 12] = [
    "::", "->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "++", "--",
];

/// All tokens with their places, `Eof` at the end. A comment or string that is never closed is an
/// error, and runs to the end of the text (a string, to the end of its line).
pub(super) fn tokens(text: &str) -> (Vec<(Token<'_>, Span)>, Vec<Diagnostic>) {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut errors = Vec::new();
    let mut at = byte_order_mark(text);
    let run = |from: usize, f: &dyn Fn(u8) -> bool| {
        let mut end = from;
        while bytes.get(end).is_some_and(|&b| f(b)) {
            end += 1;
        }
        end
    };
    while let Some(&b) = bytes.get(at) {
        sempre_base::checkpoint();
        let start = at;
        let token = match b {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at = run(at, &|b| b.is_ascii_alphanumeric() || b == b'_');
                Token::Name(&text[start..at])
            }
            b'0'..=b'9' => {
                at = run(at, &|b| b.is_ascii_digit());
                Token::Number(&text[start..at])
            }
            b'/' if bytes[at..].starts_with(b"/*") => match text[at + 2..].find("*/") {
                Some(n) => {
                    at += n + 4;
                    Token::Comment(&text[start + 2..at - 2])
                }
                None => {
                    at = bytes.len();
                    let open = Span::new(start, start + 2);
                    errors.push(Diagnostic::error(open, "this comment is never closed"));
                    continue;
                }
            },
            b'/' if bytes[at..].starts_with(b"//") => {
                at = run(at, &|b| b != b'\n');
                continue;
            }
            b'#' => {
                at = run(at, &|b| b != b'\n');
                Token::Directive
            }
            b'"' | b'\'' => {
                at = run(at + 1, &|c| c != b && c != b'\n');
                if bytes.get(at) == Some(&b) {
                    at += 1;
                } else {
                    let span = Span::new(start, start + 1);
                    errors.push(Diagnostic::error(span, "this quotation is never closed"));
                }
                Token::Quoted
            }
            _ => {
                let known = SYMBOLS
                    .iter()
                    .find(|s| bytes[at..].starts_with(s.as_bytes()));
                at += match known {
                    Some(s) => s.len(),
                    None => text[at..].chars().next().map_or(1, char::len_utf8),
                };
                Token::Symbol(&text[start..at])
            }
        };
        out.push((token, Span::new(start, at)));
        if errors.len() > 20 {
            break;
        }
    }
    out.push((Token::Eof, Span::new(text.len(), text.len())));
    (out, errors)
}

impl Token<'_> {
    /// How a message calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Name(s) | Token::Number(s) | Token::Symbol(s) => match s.get(..40) {
                Some(start) => format!("`{start}…`"),
                None => format!("`{}`", s.escape_debug()),
            },
            Token::Quoted => "a quotation".to_string(),
            Token::Comment(_) => "a comment".to_string(),
            Token::Directive => "a preprocessor line".to_string(),
            Token::Eof => "the end of the text".to_string(),
        }
    }
}
