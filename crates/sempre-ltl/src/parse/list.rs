//! Files with one formula per line.
//!
//! A line may start with a name: `liveness: G(req -> F ack)` or `liveness := …`; no formula begins with a name and a
//! colon, so this is unambiguous. Blank lines are skipped, and everything from `#` or `//` on, except in quotes or
//! braces. An error in a line does not affect the others.

use super::program::{MAX_ERRORS, ParseOptions};
use super::{Parsed, parse};
use crate::formula::Formulas;
use sempre_base::{Diagnostic, Span};

/// One formula of a list.
#[derive(Clone, Debug)]
pub struct ListItem {
    /// The name in front of the formula.
    pub name: Option<String>,
    /// The formula; its spans are those of the whole text.
    pub formula: Parsed,
    /// The line, from 1.
    pub line: usize,
}

/// Reads a list of formulas. Returns the formulas that could be read, and all diagnostics.
pub fn parse_list(
    arena: &mut Formulas,
    text: &str,
    options: &ParseOptions,
) -> (Vec<ListItem>, Vec<Diagnostic>) {
    let mut items = Vec::new();
    let mut errors = Vec::new();
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        let base = start;
        start += line.len() + 1;
        let line = &line[..code_length(line)];
        if line
            .trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
            .is_empty()
        {
            continue;
        }
        let (name, skip) = name_in_front(line);
        let shift = |s: &mut Span| {
            s.start += base + skip;
            s.end += base + skip;
        };
        match parse(arena, &line[skip..], options) {
            Ok(mut formula) => {
                formula.propositions.iter_mut().for_each(|(_, s)| shift(s));
                formula.warnings.iter_mut().for_each(|d| shift(&mut d.span));
                items.push(ListItem {
                    name,
                    formula,
                    line: number + 1,
                });
            }
            Err(mut found) => {
                found.iter_mut().for_each(|d| shift(&mut d.span));
                errors.extend(found);
                if errors.len() >= MAX_ERRORS {
                    errors.truncate(MAX_ERRORS);
                    break;
                }
            }
        }
    }
    (items, errors)
}

/// Bytes of `line`, one of a list of formulas, before a comment.
pub fn code_length(line: &str) -> usize {
    let bytes = line.as_bytes();
    let (mut quote, mut braces) = (None, 0usize);
    let mut i = 0;
    while i < bytes.len() {
        match (bytes[i], quote) {
            (b'\\', _) => i += 1,
            (b, Some(q)) if b == q => quote = None,
            (_, Some(_)) => {}
            (b @ (b'"' | b'\''), None) if braces == 0 => quote = Some(b),
            (b'{', None) => braces += 1,
            (b'}', None) => braces = braces.saturating_sub(1),
            (b'#', None) if braces == 0 => return i,
            (b'/', None) if braces == 0 && bytes.get(i + 1) == Some(&b'/') => return i,
            // `/\` is a conjunction: its backslash escapes nothing.
            (b'/', None) if bytes.get(i + 1) == Some(&b'\\') => i += 1,
            _ => {}
        }
        i += 1;
    }
    bytes.len()
}

/// The name in front of a formula, and the bytes it takes with its colon.
fn name_in_front(line: &str) -> (Option<String>, usize) {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let length: usize = trimmed
        .chars()
        .take_while(|&c| c.is_alphanumeric() || "_.-".contains(c))
        .map(char::len_utf8)
        .sum();
    let name = &trimmed[..length];
    let rest = trimmed[length..].trim_start();
    let colon = trimmed.len() - rest.len();
    if length == 0 {
        (None, 0)
    } else if rest.starts_with(":=") {
        (Some(name.to_string()), indent + colon + 2)
    } else if rest.starts_with(':') {
        (Some(name.to_string()), indent + colon + 1)
    } else {
        (None, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::{Syntax, print};

    #[test]
    fn names_comments_and_mistakes() {
        let mut arena = Formulas::new();
        let text = "# head\r\n\r\nlive: G(a -> F b) // why\r\nsafe-1 := [] !bad # note\n\
                    a /\\ b\n{x # y} & \"p//q\"\nbroken: a &\n  F a\n";
        let (items, errors) = parse_list(&mut arena, text, &ParseOptions::default());
        let read: Vec<_> = items
            .iter()
            .map(|i| {
                let f = print(&arena, i.formula.formula, Syntax::Spot).to_string();
                (i.line, i.name.as_deref(), f)
            })
            .collect();
        let wanted = [
            (3, Some("live"), "G(a -> Fb)"),
            (4, Some("safe-1"), "G!bad"),
            (5, None, "a & b"),
            (6, None, "\"x # y\" & \"p//q\""),
            (8, None, "Fa"),
        ];
        assert_eq!(read, wanted.map(|(l, n, f)| (l, n, f.to_string())));
        assert_eq!(errors.len(), 1);
        let (line, _) = sempre_base::Source::new("t", text).line_column(errors[0].span.start);
        assert_eq!(line, 7);
        let (_, span) = items[0].formula.propositions[1];
        assert_eq!(&text[span.start..span.end], "b");
    }
}
