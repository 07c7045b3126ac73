//! Lasso words as text: `a & !b; c; cycle{b; 1}`.
//!
//! Letters are separated by semicolons, the repeated ones are in `cycle{…}` at the end. Each letter is a Boolean
//! formula. The printed text has every proposition in every letter, so it is one word; a text that is read may leave
//! some open. [`parse_word`] keeps the formulas, each position being a set of letters; [`parse_letters`] chooses one
//! letter per position, the propositions false that need not be true.

use crate::formula::{Formula, Formulas, Op};
use crate::lasso::Letter;
use crate::parse::{ParseOptions, parse};
use crate::print::{Syntax, print};
use sempre_base::{Diagnostic, Lasso, Span};

/// The word as text, with every one of `propositions` in every letter; `1` if there is none.
pub fn print_word(arena: &mut Formulas, word: &Lasso<Letter>, propositions: &[usize]) -> String {
    let mut list = |letters: &[Letter]| {
        let texts: Vec<String> = letters
            .iter()
            .map(|letter| {
                let literals: Vec<Formula> = propositions
                    .iter()
                    .map(|&p| {
                        let f = arena.proposition_by_number(p);
                        if letter.holds(p) { f } else { arena.not(f) }
                    })
                    .collect();
                // In the order of `propositions`, which sorting by formulas would not preserve.
                match literals[..] {
                    [] => "1".to_string(),
                    [f] => print(arena, f, Syntax::Spot).to_string(),
                    _ => {
                        let f = arena.node(Op::And, &literals);
                        print(arena, f, Syntax::Spot).to_string()
                    }
                }
            })
            .collect();
        texts.join("; ")
    };
    let cycle = list(word.cycle());
    if word.prefix().is_empty() {
        format!("cycle{{{cycle}}}")
    } else {
        format!("{}; cycle{{{cycle}}}", list(word.prefix()))
    }
}

/// Reads a word whose letters are Boolean formulas.
pub fn parse_word(
    arena: &mut Formulas,
    text: &str,
    options: &ParseOptions,
) -> Result<Lasso<Formula>, Vec<Diagnostic>> {
    let read = read_word(arena, text, options)?;
    Ok(read.map(|&(f, _)| f))
}

/// Reads a word and chooses a letter where the text leaves several.
pub fn parse_letters(
    arena: &mut Formulas,
    text: &str,
    options: &ParseOptions,
) -> Result<Lasso<Letter>, Vec<Diagnostic>> {
    let read = read_word(arena, text, options)?;
    let mut errors = Vec::new();
    let word = read.map(|&(f, span)| match satisfying(arena, f) {
        Ok(Some(letter)) => letter,
        Ok(None) => {
            errors.push(Diagnostic::error(span, "no letter satisfies this"));
            Letter::new()
        }
        Err(TooHard) => {
            errors.push(
                Diagnostic::error(span, "this is too hard to find a letter for")
                    .with_help("write the letter as a conjunction of propositions"),
            );
            Letter::new()
        }
    });
    if errors.is_empty() {
        Ok(word)
    } else {
        Err(errors)
    }
}

fn read_word(
    arena: &mut Formulas,
    text: &str,
    options: &ParseOptions,
) -> Result<Lasso<(Formula, Span)>, Vec<Diagnostic>> {
    let (prefix, cycle) = split(text).map_err(|d| vec![d])?;
    let mut errors = Vec::new();
    let mut letters = |spans: Vec<Span>| {
        let mut out = Vec::with_capacity(spans.len());
        for span in spans {
            // Enough is enough for a text that is not a word at all.
            if errors.len() >= 20 {
                break;
            }
            match parse(arena, &text[span.start..span.end], options) {
                Ok(read) if arena.facts(read.formula).boolean() => out.push((read.formula, span)),
                Ok(_) => errors.push(
                    Diagnostic::error(span, "a letter has no temporal operators").with_help(
                        "a letter determines which propositions are true at one position",
                    ),
                ),
                Err(found) => errors.extend(found.into_iter().map(|mut d| {
                    d.span = Span::new(d.span.start + span.start, d.span.end + span.start);
                    d
                })),
            }
        }
        out
    };
    let (prefix, cycle) = (letters(prefix), letters(cycle));
    if errors.is_empty() {
        Ok(Lasso::new(prefix, cycle))
    } else {
        Err(errors)
    }
}

/// The places of the letters of the prefix and of the cycle.
fn split(text: &str) -> Result<(Vec<Span>, Vec<Span>), Diagnostic> {
    let whole = Span::new(0, text.len());
    let mut prefix = pieces(text, whole);
    let end = Span::new(text.len(), text.len());
    let missing = || {
        Diagnostic::error(end, "the word has no cycle")
            .with_help("end it with the letters that repeat: `cycle{…}`")
    };
    let is_cycle = |span: &Span| {
        text[span.start..span.end]
            .strip_prefix("cycle")
            .is_some_and(|rest| rest.trim_start().starts_with('{'))
    };
    let last = prefix.pop().ok_or_else(missing)?;
    if let Some(&early) = prefix.iter().find(|s| is_cycle(s)) {
        return Err(Diagnostic::error(early, "nothing can come after the cycle"));
    }
    if !is_cycle(&last) {
        return Err(missing());
    }
    let body = &text[last.start..last.end];
    let open = body.find('{').map_or(0, |i| last.start + i + 1);
    if !body.ends_with('}') || last.end <= open {
        let brace = Span::new(open - 1, open);
        return Err(Diagnostic::error(brace, "the cycle is not closed").with_help("add `}`"));
    }
    Ok((prefix, pieces(text, Span::new(open, last.end - 1))))
}

/// `span` cut at semicolons outside quotes and braces, white space trimmed.
fn pieces(text: &str, span: Span) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let (mut quote, mut depth) = (None, 0usize);
    let mut start = span.start;
    let mut cut = |from: usize, to: usize| {
        let piece = &text[from..to];
        let trimmed = piece.trim();
        let from = from + (piece.len() - piece.trim_start().len());
        out.push(Span::new(from, from + trimmed.len()));
    };
    let mut i = span.start;
    while i < span.end {
        match (bytes[i], quote) {
            (b, Some(q)) if b == q => quote = None,
            (b'\\', Some(_)) => i += 1,
            (_, Some(_)) => {}
            (b @ (b'"' | b'\''), None) => quote = Some(b),
            (b'{', None) => depth += 1,
            (b'}', None) => depth = depth.saturating_sub(1),
            (b';', None) if depth == 0 => {
                cut(start, i);
                start = i + 1;
            }
            _ => {}
        }
        i += 1;
    }
    cut(start, span.end);
    out
}

struct TooHard;

/// The most partial letters that are tried.
const BUDGET: usize = 100_000;

/// A letter that satisfies the Boolean formula `f`, with few propositions true.
fn satisfying(arena: &Formulas, f: Formula) -> Result<Option<Letter>, TooHard> {
    let order = arena.subformulas(f);
    let propositions = arena.propositions_of(f);
    // Values of the first propositions; depth-first, false before true.
    let mut chosen: Vec<bool> = Vec::new();
    for _ in 0..BUDGET {
        match partial(arena, &order, &propositions, &chosen) {
            Some(true) => {
                let pairs = propositions.iter().zip(&chosen);
                return Ok(Some(pairs.filter(|p| *p.1).map(|p| *p.0).collect()));
            }
            None => chosen.push(false),
            Some(false) => loop {
                match chosen.pop() {
                    None => return Ok(None),
                    Some(true) => {}
                    Some(false) => {
                        chosen.push(true);
                        break;
                    }
                }
            },
        }
    }
    Err(TooHard)
}

/// The truth of the last formula of `order` if the values of the first propositions decide it.
fn partial(
    arena: &Formulas,
    order: &[Formula],
    propositions: &[usize],
    chosen: &[bool],
) -> Option<bool> {
    let mut value = rustc_hash::FxHashMap::default();
    let mut last = None;
    for &g in order {
        let get = |i: usize| value[&arena.operand(g, i)];
        let all = |wanted: bool| {
            let mut known = true;
            for h in arena.operands(g) {
                match value[h] {
                    Some(v) if v != wanted => return Some(!wanted),
                    Some(_) => {}
                    None => known = false,
                }
            }
            known.then_some(wanted)
        };
        let both = |f: fn(bool, bool) -> bool| Some(f(get(0)?, get(1)?));
        last = match arena.op(g) {
            Op::True => Some(true),
            Op::False => Some(false),
            Op::Proposition => {
                let at = propositions
                    .binary_search(&arena.proposition_number(g))
                    .ok()?;
                chosen.get(at).copied()
            }
            Op::Not => get(0).map(|v: bool| !v),
            Op::And => all(true),
            Op::Or => all(false),
            Op::Implies => match (get(0), get(1)) {
                (Some(false), _) | (_, Some(true)) => Some(true),
                (Some(true), Some(false)) => Some(false),
                _ => None,
            },
            Op::Equiv => both(|x, y| x == y),
            Op::Xor => both(|x, y| x != y),
            _ => unreachable!("letters are Boolean"),
        };
        value.insert(g, last);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::holds;
    use crate::random::RandomFormula;
    use sempre_base::Random;

    fn read(text: &str) -> Result<String, String> {
        let mut arena = Formulas::new();
        match parse_letters(&mut arena, text, &ParseOptions::default()) {
            Ok(word) => {
                let all: Vec<usize> = (0..arena.names().len()).collect();
                Ok(print_word(&mut arena, &word, &all))
            }
            Err(errors) => Err(format!("{}: {}", errors[0].span.start, errors[0].message)),
        }
    }

    #[test]
    fn words() {
        for (given, wanted) in [
            (
                "a & !b; c; cycle{b; 1}",
                "a & !b & !c; !a & !b & c; cycle{!a & b & !c; !a & !b & !c}",
            ),
            ("cycle{1}", "cycle{1}"),
            ("cycle { a | b ; !(a -> b) }", "cycle{!a & b; a & !b}"),
            (
                "\"x;y\"; cycle{{p -> q}; 'a{b'}",
                "\"x;y\" & !\"p -> q\" & !\"a{b\"; cycle{!\"x;y\" & \"p -> q\" & !\"a{b\"; !\"x;y\" & !\"p -> q\" & \"a{b\"}",
            ),
        ] {
            assert_eq!(read(given).as_deref(), Ok(wanted));
            assert_eq!(read(wanted).as_deref(), Ok(wanted));
        }
    }

    #[test]
    fn mistakes() {
        for (given, wanted) in [
            ("", "0: the word has no cycle"),
            ("a; b", "4: the word has no cycle"),
            ("cycle{a}; b", "0: nothing can come after the cycle"),
            ("cycle{a} b", "5: the cycle is not closed"),
            ("cycle{a", "5: the cycle is not closed"),
            ("cycle{", "5: the cycle is not closed"),
            ("cycle{}", "6: there is no formula here"),
            ("a; cycle{b; F a}", "12: a letter has no temporal operators"),
            ("a & !a; cycle{b}", "0: no letter satisfies this"),
            ("a b; cycle{b}", "2: expected an operator, found `b`"),
        ] {
            assert_eq!(read(given), Err(wanted.to_string()), "{given}");
        }
    }

    /// A chosen letter satisfies its formula, and there is none only if there is none.
    #[test]
    fn choice_agrees_with_a_truth_table() {
        let mut arena = Formulas::new();
        let mut r = Random::new(4);
        let shape = RandomFormula {
            exact: true,
            sizes: 1..=20,
            ..RandomFormula::new(4)
        }
        .boolean();
        for _ in 0..500 {
            let f = shape.draw(&mut arena, &mut r);
            let satisfied = |arena: &Formulas, letter: &Letter| {
                holds(arena, f, &Lasso::new(Vec::new(), vec![letter.clone()]))
            };
            let some = (0..16usize).any(|bits| {
                let letter = (0..arena.names().len())
                    .filter(|p| bits >> p & 1 == 1)
                    .collect();
                satisfied(&arena, &letter)
            });
            match satisfying(&arena, f) {
                Ok(Some(letter)) => assert!(satisfied(&arena, &letter)),
                Ok(None) => assert!(!some),
                Err(TooHard) => panic!("four propositions are not hard"),
            }
        }
    }

    #[test]
    fn soup_does_not_panic() {
        let mut r = Random::new(9);
        let pieces = [
            "a", "!b", ";", "cycle", "{", "}", "\"", "'", "\\", "é", " ", "&", "cycle{", "1",
        ];
        for _ in 0..20_000 {
            let text: String = (0..r.below(12)).map(|_| *r.pick(&pieces)).collect();
            let _ = read(&text);
        }
    }
}
