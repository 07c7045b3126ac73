//! The words of DVE.
//!
//! Words are found one at a time, as the parser asks for them, so that a file of noise costs no more
//! than the parser's patience. Nothing fails here: what is no word of DVE becomes [`Kind::Unknown`], a
//! whole run of it at once, and the parser says so where it stands.
//!
//! Names start with a letter or `_` and go on with those, digits, `$` and `#`, as in DiVinE 2. Keywords are names
//! here; the parser knows them by their text. Comments are `// …` and `/* … */` (they do not nest); a
//! backslash at the end of a line is a blank.
//!
//! In a *proposition* two spellings are read besides: locations in quotes (`P_0 == "CS"`, `'CS'`) and the
//! escapes of LTSmin (`t\[1\]`, `P\.x`), where the backslash means nothing.

use sempre_base::Span;

/// What a word is; its text is the text of its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Name,
    /// A number.
    Number,
    /// A location in quotes, which are part of the span (propositions only).
    Quoted,
    /// An operator or a mark, told by its text.
    Mark,
    /// A `/*` without its `*/`.
    OpenComment,
    /// No word of the language.
    Unknown,
    /// After the last word.
    End,
}

/// One word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// What is written.
    pub text: &'a str,
    /// Where.
    pub span: Span,
}

/// Where the reader is; a clone looks ahead.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    proposition: bool,
}

/// The marks of two characters. Those of one are in [`ONE`].
const TWO: [&str; 10] = ["->", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||"];
const ONE: &[u8] = b".,;:{}[]()?!~=+-*/%|&^<>";

impl<'a> Lexer<'a> {
    /// Reads a model.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            end: text.len(),
            proposition: false,
        }
    }

    /// Reads the bytes `span` of a text as a proposition; `span` must lie on characters.
    pub fn proposition(text: &'a str, span: Span) -> Self {
        Self {
            text,
            at: span.start,
            end: span.end,
            proposition: true,
        }
    }

    fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[..self.end]
    }

    fn token(&mut self, kind: Kind, end: usize) -> Token<'a> {
        let span = Span::new(self.at, end);
        self.at = end;
        Token {
            kind,
            text: &self.text[span.start..span.end],
            span,
        }
    }

    /// The end of the run of bytes from `from` for which `is` holds.
    fn run(&self, from: usize, is: impl Fn(u8) -> bool) -> usize {
        let bytes = self.bytes();
        (from..bytes.len())
            .find(|&i| !is(bytes[i]))
            .unwrap_or(bytes.len())
    }

    /// Skips blanks and comments; false if a comment is left open.
    fn skip_blanks(&mut self) -> bool {
        let bytes = self.bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'\\') if self.proposition => self.at += 1,
                Some(b'\\') => {
                    let next = self.run(self.at + 1, |b| matches!(b, b' ' | b'\t' | b'\r'));
                    match bytes.get(next) {
                        Some(b'\n') => self.at = next + 1,
                        _ => return true,
                    }
                }
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'/') => {
                    self.at = self.run(self.at, |b| b != b'\n');
                }
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'*') => {
                    let body = &bytes[self.at + 2..];
                    match body.windows(2).position(|w| w == b"*/") {
                        Some(n) => self.at += 2 + n + 2,
                        None => return false,
                    }
                }
                _ => return true,
            }
        }
    }

    /// The next word; [`Kind::End`] for ever after the last.
    pub fn word(&mut self) -> Token<'a> {
        sempre_base::checkpoint();
        if !self.skip_blanks() {
            let opening = Span::new(self.at, self.at + 2);
            self.at = self.end;
            return Token {
                kind: Kind::OpenComment,
                text: "/*",
                span: opening,
            };
        }
        let bytes = self.bytes();
        let Some(&first) = bytes.get(self.at) else {
            return self.token(Kind::End, self.end);
        };
        if is_first(first) {
            return self.token(Kind::Name, self.run(self.at, is_inner));
        }
        if first.is_ascii_digit() {
            return self.token(Kind::Number, self.run(self.at, |b| b.is_ascii_digit()));
        }
        if self.proposition && (first == b'"' || first == b'\'') {
            let close = self.run(self.at + 1, |b| b != first);
            return if close < self.end {
                self.token(Kind::Quoted, close + 1)
            } else {
                self.token(Kind::Unknown, self.at + 1)
            };
        }
        if let Some(two) = bytes.get(self.at..self.at + 2)
            && TWO.iter().any(|mark| mark.as_bytes() == two)
        {
            return self.token(Kind::Mark, self.at + 2);
        }
        if ONE.contains(&first) {
            return self.token(Kind::Mark, self.at + 1);
        }
        let known = |b: u8| {
            is_first(b) || b.is_ascii_digit() || ONE.contains(&b) || b" \t\r\n\"'".contains(&b)
        };
        let end = self.run(self.at + 1, |b| !known(b));
        self.token(Kind::Unknown, end)
    }
}

fn is_first(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

fn is_inner(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(mut lexer: Lexer<'_>) -> Vec<(Kind, &str)> {
        let mut words = Vec::new();
        loop {
            let t = lexer.word();
            if t.kind == Kind::End {
                return words;
            }
            words.push((t.kind, t.text));
        }
    }

    fn texts(text: &str) -> Vec<&str> {
        words(Lexer::new(text)).into_iter().map(|w| w.1).collect()
    }

    #[test]
    fn the_longest_mark_wins() {
        assert_eq!(
            texts("a->b=>c==d=e<=<<<x!=!y"),
            [
                "a", "->", "b", "=>", "c", "==", "d", "=", "e", "<=", "<<", "<", "x", "!=", "!",
                "y"
            ]
        );
    }

    #[test]
    fn comments_and_line_ends_are_blanks() {
        assert_eq!(
            texts("a // b\n c /* d\n * / */ e\\ \n f"),
            ["a", "c", "e", "f"]
        );
        assert_eq!(texts("/**/x/***/y"), ["x", "y"]);
    }

    #[test]
    fn an_open_comment_is_told_where_it_opens() {
        let mut lexer = Lexer::new("a /* b");
        lexer.word();
        let t = lexer.word();
        assert_eq!((t.kind, t.span), (Kind::OpenComment, Span::new(2, 4)));
        assert_eq!(lexer.word().kind, Kind::End);
    }

    #[test]
    fn a_run_of_noise_is_one_word() {
        assert_eq!(
            words(Lexer::new("a @@é\u{7f}` b")),
            [
                (Kind::Name, "a"),
                (Kind::Unknown, "@@é\u{7f}`"),
                (Kind::Name, "b")
            ]
        );
    }

    #[test]
    fn quotes_and_escapes_belong_to_propositions() {
        let text = r#"t\[1\]!=0 && P_1!='p9' && P\.x == "a b""#;
        let lexer = Lexer::proposition(text, Span::new(0, text.len()));
        let found: Vec<&str> = words(lexer).into_iter().map(|w| w.1).collect();
        assert_eq!(
            found,
            [
                "t", "[", "1", "]", "!=", "0", "&&", "P_1", "!=", "'p9'", "&&", "P", ".", "x",
                "==", "\"a b\""
            ]
        );
        assert!(
            words(Lexer::new("x == \"y"))
                .iter()
                .any(|w| w.0 == Kind::Unknown)
        );
    }
}
