//! The texts of a drawing: how wide they are, where long ones are broken, and how they are written as XML.
//!
//! Texts are set in a font whose characters are all of one width, so that their widths are known here without the font.

use std::fmt::Write;

/// The width of a character, and the height of a line.
pub(super) const CHARACTER: f64 = 7.4;
pub(super) const LINE: f64 = 15.0;

/// The text with everything replaced that means something to a browser.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push(' '),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A piece of a line: text, or the numbers of acceptance sets.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Marks(Vec<u32>),
}

/// The pieces of a line. Numbers in discs are the characters of [`super::marks`], which few fonts have.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, c) in line.char_indices() {
        let set = match c as u32 {
            0x24ff => 0,
            code @ 0x2776..=0x277f => code - 0x2776 + 1,
            code @ 0x24eb..=0x24f4 => code - 0x24eb + 11,
            _ => continue,
        };
        if start < at {
            out.push(Piece::Text(&line[start..at]));
        }
        start = at + c.len_utf8();
        match out.last_mut() {
            Some(Piece::Marks(sets)) => sets.push(set),
            _ => out.push(Piece::Marks(vec![set])),
        }
    }
    if start < line.len() {
        out.push(Piece::Text(&line[start..]));
    }
    out
}

fn braces(sets: &[u32]) -> String {
    let numbers: Vec<String> = sets.iter().map(u32::to_string).collect();
    format!("{{{}}}", numbers.join(","))
}

/// The characters of a line as it is drawn. Some characters are as wide as two.
pub(super) fn characters(line: &str) -> usize {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum(),
        Piece::Marks(sets) => braces(sets).len(),
    };
    pieces(line).iter().map(piece).sum()
}

/// Ideographs, syllables of Korean, and pictures.
fn is_wide(c: char) -> bool {
    matches!(c as u32, 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0x1f000..=0x3ffff)
}

pub(super) fn width(line: &str) -> f64 {
    characters(line) as f64 * CHARACTER
}

pub(super) fn widest(lines: &[String]) -> f64 {
    lines.iter().map(|l| width(l)).fold(0.0, f64::max)
}

/// With what the operators of formulas and labels begin.
const OPERATORS: [char; 12] = ['∧', '∨', '&', '|', '-', '<', 'U', 'R', 'W', 'M', '→', '↔'];

/// The text in lines of at most so many characters: broken before an operator, else at a space, else anywhere.
pub(super) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while characters(rest) > most {
        // The end of what has room, and the last good places before it.
        let (mut used, mut end) = (0, 0);
        let (mut operator, mut space) = (None, None);
        for (at, c) in rest.char_indices() {
            if c == ' ' && at > 0 {
                space = Some(at);
                if rest[at + 1..].starts_with(OPERATORS) {
                    operator = Some(at);
                }
            }
            used += characters(c.encode_utf8(&mut [0; 4]));
            if used > most {
                break;
            }
            end = at + c.len_utf8();
        }
        // A line of which most would be empty is worse than one that ends behind an operator.
        let good = operator.filter(|&at| 3 * at > end).or(space);
        let end = good
            .unwrap_or(end)
            .max(rest.chars().next().map_or(1, char::len_utf8));
        out.push(rest[..end].trim_end().to_string());
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() || out.is_empty() {
        out.push(rest.to_string());
    }
    out
}

/// A line as XML, numbers of acceptance sets in their own class.
pub(super) fn marked(line: &str) -> String {
    let mut out = String::new();
    for piece in pieces(line) {
        let _ = match piece {
            Piece::Text(text) => write!(out, "{}", escaped(text)),
            Piece::Marks(sets) => write!(out, "<tspan class=\"mark\">{}</tspan>", braces(&sets)),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    #[test]
    fn discs_are_numbers_in_braces() {
        assert_eq!(
            marked("a < b ⓿❷⓫"),
            "a &lt; b <tspan class=\"mark\">{0,2,11}</tspan>"
        );
        assert_eq!(characters("a < b ⓿❷⓫"), 14);
        assert_eq!(characters("状"), 2);
    }

    #[test]
    fn lines_end_before_operators() {
        assert_eq!(wrapped("aaa ∧ bbb ∧ ccc ⓿", 12), ["aaa ∧ bbb", "∧ ccc ⓿"]);
        assert_eq!(wrapped("x y z", 3), ["x y", "z"]);
        assert_eq!(wrapped("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(wrapped("", 3), [""]);
        assert_eq!(
            wrapped("状状", 1),
            ["状", "状"],
            "nothing is lost, nothing loops"
        );
    }

    /// Lines are short, and nothing but spaces is lost.
    #[test]
    fn nothing_is_lost() {
        let mut random = Random::new(3);
        for _ in 0..2_000 {
            let letters = ["a", "bb", " ", " ∧ ", " ∨ ", "⓿", "状", "¬", " U "];
            let text: String = (0..random.below(30))
                .map(|_| letters[random.below(letters.len())])
                .collect();
            let most = 2 + random.below(12);
            let lines = wrapped(&text, most);
            let bare = |text: &str| text.replace(' ', "");
            assert_eq!(bare(&lines.concat()), bare(&text));
            for line in &lines {
                // Discs that meet are joined, so each alone is as wide as it gets.
                let room = most.max(3);
                assert!(characters(line) <= room, "{line:?} {most} {text:?}");
            }
        }
    }
}
