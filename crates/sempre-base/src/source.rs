//! Source text and diagnostics with positions in it.
//!
//! A parser collects [`Diagnostic`]s (as many as it can find, not only the first) and returns them with their spans.
//! The caller, who has the text, renders them with file, line, column and a caret. Columns count characters, as an
//! editor shows them, not bytes.

use std::fmt;

/// A byte range of a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte; equal to `start` for a place between two characters.
    pub end: usize,
}

impl Span {
    /// The bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but may not mean what its author thinks.
    Warning,
}

/// A message about one place of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The place.
    pub span: Span,
    /// The problem, in one line, without a final full stop.
    pub message: String,
    /// A suggestion for the user.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`. Messages quote the source; line breaks in quotations are replaced.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            span,
            message: one_line(message.into()),
            help: None,
        }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(span, message)
        }
    }

    /// The same with a suggestion.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(one_line(help.into()));
        self
    }
}

/// A named text, for rendering diagnostics.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name to show: a file name, or `formula` for a command-line argument.
    pub name: &'a str,
    /// The whole text.
    pub text: &'a str,
}

/// Of lines longer than this many characters, only the part around the caret is shown.
const SHOWN: usize = 100;

impl<'a> Source<'a> {
    /// A text and its name.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text }
    }

    /// Line and column of a byte offset, both from 1; the column counts characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let start = self.line_start(offset);
        let line = self.text.as_bytes()[..start]
            .iter()
            .filter(|&&b| b == b'\n')
            .count()
            + 1;
        let end = self.floor(offset);
        (line, self.text[start..end].chars().count() + 1)
    }

    /// The diagnostic in its printed form: message, place, line, caret, help.
    ///
    /// ```
    /// use sempre_base::{Diagnostic, Source, Span};
    /// let source = Source::new("formula", "G (a -> )");
    /// let d = Diagnostic::error(Span::new(8, 9), "expected a formula, found `)`");
    /// assert_eq!(
    ///     source.render(&d).to_string(),
    ///     "error: expected a formula, found `)`\n --> formula:1:9\n  |\n1 | G (a -> )\n  |         ^\n"
    /// );
    /// ```
    pub fn render<'b>(&'b self, diagnostic: &'b Diagnostic) -> impl fmt::Display + 'b {
        Rendered {
            source: self,
            diagnostic,
        }
    }

    /// The greatest character boundary at or before `offset`.
    fn floor(&self, offset: usize) -> usize {
        let mut at = offset.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn line_start(&self, offset: usize) -> usize {
        let at = self.floor(offset);
        self.text[..at].rfind('\n').map_or(0, |i| i + 1)
    }
}

struct Rendered<'a> {
    source: &'a Source<'a>,
    diagnostic: &'a Diagnostic,
}

impl fmt::Display for Rendered<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rendered { source, diagnostic } = self;
        let word = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(out, "{word}: {}", diagnostic.message)?;
        let (line, column) = source.line_column(diagnostic.span.start);
        let start = source.line_start(diagnostic.span.start);
        let text = source.text[start..].lines().next().unwrap_or("");
        let caret = source.floor(diagnostic.span.start) - start;
        let end = (source.floor(diagnostic.span.end).max(start + caret) - start).min(text.len());
        let caret = caret.min(text.len());

        // A window around the caret, in characters; a control character would destroy the alignment.
        let before: Vec<char> = text[..caret].chars().collect();
        let marked = text[caret..end.max(caret)].chars().count().max(1);
        let skip = before.len().saturating_sub(SHOWN / 2);
        let head = if skip > 0 { "…" } else { "" };
        let shown: String = text.chars().skip(skip).take(SHOWN).map(printable).collect();
        let tail = if text.chars().count() > skip + SHOWN {
            "…"
        } else {
            ""
        };
        let pad = head.chars().count() + before.len() - skip;
        let carets = marked.min(SHOWN.saturating_sub(before.len() - skip)).max(1);

        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        writeln!(out, "{gutter}--> {}:{line}:{column}", source.name)?;
        writeln!(out, "{gutter} |")?;
        writeln!(out, "{number} | {head}{shown}{tail}")?;
        writeln!(out, "{gutter} | {}{}", " ".repeat(pad), "^".repeat(carets))?;
        if let Some(help) = &diagnostic.help {
            writeln!(out, "{gutter} = help: {help}")?;
        }
        Ok(())
    }
}

/// A message in one line. It may quote a word of any length; the middle of a long message is left out.
fn one_line(text: String) -> String {
    const LONGEST: usize = 1000;
    const KEPT: usize = 300;
    if text.len() <= LONGEST && !text.contains(char::is_control) {
        return text;
    }
    let length = text.chars().count();
    if length <= LONGEST {
        return text.chars().map(printable).collect();
    }
    let head = text.chars().take(KEPT);
    let tail = text.chars().skip(length - KEPT);
    head.chain(['…']).chain(tail).map(printable).collect()
}

fn printable(c: char) -> char {
    if c == '\t' {
        ' '
    } else if c.is_control() {
        '\u{fffd}'
    } else {
        c
    }
}

/// The known name closest to `wanted`, if it is close enough to be worth suggesting.
///
/// Closeness is the edit distance with a swap of neighbours counted once; a third of the letters may be wrong.
///
/// Names longer than any plausible input get no suggestion: computing their distance would take long.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 100;
    let length = wanted.chars().take(LONGEST + 1).count();
    if length > LONGEST {
        return None;
    }
    let limit = (length / 3).max(1);
    known
        .into_iter()
        // Each letter too many or too few is a mistake.
        .filter(|name| {
            crate::checkpoint();
            name.chars()
                .take(length + limit + 1)
                .count()
                .abs_diff(length)
                <= limit
        })
        .map(|name| (edit_distance(wanted, name), name))
        .filter(|&(d, _)| d <= limit)
        .min()
        .map(|(_, name)| name)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let mut best = (rows[i - 1][j] + 1)
                    .min(rows[i][j - 1] + 1)
                    .min(rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str, start: usize, end: usize) -> String {
        let source = Source::new("t", text);
        source
            .render(&Diagnostic::error(Span::new(start, end), "m").with_help("h"))
            .to_string()
    }

    #[test]
    fn columns_count_characters() {
        let text = "é ∧ b\nsecond";
        assert_eq!(Source::new("t", text).line_column(3), (1, 3));
        assert_eq!(Source::new("t", text).line_column(text.len()), (2, 7));
    }

    #[test]
    fn a_caret_stands_under_the_text() {
        assert_eq!(
            render("ab cd\nxy", 3, 5),
            "error: m\n --> t:1:4\n  |\n1 | ab cd\n  |    ^^\n  = help: h\n"
        );
    }

    #[test]
    fn the_end_of_an_empty_text_can_be_pointed_at() {
        assert!(render("", 0, 0).contains("t:1:1"));
        assert!(render("a\n", 2, 2).contains("t:2:1"));
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let text = format!("{}?{}", "a".repeat(5000), "b".repeat(5000));
        let shown = render(&text, 5000, 5001);
        assert!(shown.lines().all(|l| l.chars().count() < 120), "{shown}");
        assert!(shown.contains('?'));
    }

    #[test]
    fn offsets_inside_a_character_or_past_the_end_do_not_panic() {
        for (s, e) in [(1, 1), (0, 1), (1, 99), (99, 99), (2, 1)] {
            render("é", s, e);
        }
    }

    #[test]
    fn quoted_line_breaks_stay_out_of_messages() {
        let d = Diagnostic::error(Span::new(0, 1), "found `a\nb`").with_help("not\tthis\r\n");
        assert_eq!(d.message, "found `a\u{fffd}b`");
        assert_eq!(d.help.as_deref(), Some("not this\u{fffd}\u{fffd}"));
    }

    #[test]
    fn long_quotations_are_cut() {
        let message = format!("there is no `{}` here", "é".repeat(1 << 20));
        let d = Diagnostic::error(Span::new(0, 1), message);
        assert!(d.message.starts_with("there is no `éé") && d.message.ends_with("éé` here"));
        assert_eq!(d.message.chars().count(), 601);
    }

    #[test]
    fn suggestions_for_long_names_are_not_looked_for() {
        // A table of their distances would take terabytes.
        let (a, b) = ("a".repeat(1 << 20), "b".repeat(1 << 20));
        assert_eq!(nearest(&a, [a.as_str(), &b]), None);
        assert_eq!(nearest("ab", [a.as_str(), "abc"]), Some("abc"));
    }

    #[test]
    fn suggestions_are_near() {
        let known = ["P_0.CS", "P_1.CS", "turn"];
        assert_eq!(nearest("P_0.SC", known), Some("P_0.CS"));
        assert_eq!(nearest("trun", known), Some("turn"));
        assert_eq!(nearest("elevator", known), None);
    }
}
