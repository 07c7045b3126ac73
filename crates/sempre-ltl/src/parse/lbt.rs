//! The prefix syntax of LBT (Rönkkö) as LBTT and Spot extend it: `! X F G` before one operand,
//! `& | ^ i e U V R W M` before two, `t`, `f`, and propositions that are names or quoted text.
//! Tokens are separated by white space where letters would touch.

use super::program::{Item, MAX_ERRORS, Program};
use super::term::{canonical, excerpt, unquote};
use crate::formula::Op;
use sempre_base::{Diagnostic, Span};

enum Word {
    Operator(Op, u32),
    Constant(bool),
    Name(String),
}

/// Reads a formula in LBT's syntax.
pub(super) fn read(text: &str) -> Program {
    let mut program = Program::default();
    // Operators that wait for operands, with the number they still need.
    let mut waiting: Vec<(Op, u32, Span, u32)> = Vec::new();
    let mut complete = false;
    let mut at = 0;
    while program.errors.len() < MAX_ERRORS {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = &text[at..];
        if rest.is_empty() {
            break;
        }
        let length = token_length(rest);
        let span = Span::new(at, at + length);
        at += length;
        let Some(word) = classify(&rest[..length], span, &mut program) else {
            continue;
        };
        if complete {
            program.errors.push(
                Diagnostic::error(
                    span,
                    format!(
                        "the formula is complete before `{}`",
                        excerpt(&rest[..length])
                    ),
                )
                .with_help("in prefix syntax `& a b` is the conjunction of `a` and `b`"),
            );
            return program;
        }
        match word {
            Word::Operator(op, arity) => {
                waiting.push((op, arity, span, arity));
                continue;
            }
            Word::Constant(value) => program.items.push(Item::Constant(value)),
            Word::Name(name) => {
                let number = program.propositions.len() as u32;
                program.propositions.push((name, span));
                program.items.push(Item::Proposition(number));
            }
        }
        complete = true;
        while let Some((op, missing, span, arity)) = waiting.last_mut() {
            *missing -= 1;
            if *missing > 0 {
                complete = false;
                break;
            }
            program.items.push(Item::Apply(*op, *arity, *span));
            waiting.pop();
        }
    }
    if !complete && program.errors.is_empty() {
        let end = Span::new(text.len(), text.len());
        program.errors.push(match waiting.last() {
            Some(&(_, missing, span, _)) => {
                let sign = &text[span.start..span.end];
                let operands = if missing == 1 { "operand" } else { "operands" };
                Diagnostic::error(span, format!("`{sign}` lacks {missing} {operands}"))
                    .with_help("in prefix syntax the operands follow their operator")
            }
            None => Diagnostic::error(end, "there is no formula here"),
        });
    }
    program
}

/// Bytes of the token at the start of `text`, which is not empty and starts with no white space.
fn token_length(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    if text.starts_with('"') {
        let bytes = text.as_bytes();
        let mut i = 1;
        while i < bytes.len() && bytes[i] != b'"' {
            i += if bytes[i] == b'\\' { 2 } else { 1 };
        }
        return if i < bytes.len() { i + 1 } else { text.len() };
    }
    let word: usize = text
        .chars()
        .take_while(|&c| c.is_alphanumeric() || c == '_' || c == '.')
        .map(char::len_utf8)
        .sum();
    word.max(first)
}

fn classify(token: &str, span: Span, program: &mut Program) -> Option<Word> {
    Some(match token {
        "!" => Word::Operator(Op::Not, 1),
        "X" => Word::Operator(Op::Next, 1),
        "F" => Word::Operator(Op::Finally, 1),
        "G" => Word::Operator(Op::Globally, 1),
        "&" => Word::Operator(Op::And, 2),
        "|" => Word::Operator(Op::Or, 2),
        "^" => Word::Operator(Op::Xor, 2),
        "i" => Word::Operator(Op::Implies, 2),
        "e" => Word::Operator(Op::Equiv, 2),
        "U" => Word::Operator(Op::Until, 2),
        "V" | "R" => Word::Operator(Op::Release, 2),
        "W" => Word::Operator(Op::WeakUntil, 2),
        "M" => Word::Operator(Op::StrongRelease, 2),
        "t" => Word::Constant(true),
        "f" => Word::Constant(false),
        _ if token.starts_with('"') => {
            let closed = token.len() > 1 && token.ends_with('"');
            let name = closed.then(|| canonical(&unquote(token)));
            match name {
                Some(name) if !name.is_empty() => Word::Name(name),
                _ => {
                    let message = if closed {
                        "this proposition has no text"
                    } else {
                        "this quotation mark is never closed"
                    };
                    program.errors.push(Diagnostic::error(span, message));
                    return None;
                }
            }
        }
        _ if token.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
            Word::Name(token.to_string())
        }
        _ => {
            program.errors.push(
                Diagnostic::error(
                    span,
                    format!("`{}` has no meaning in prefix syntax", excerpt(token)),
                )
                .with_help("operators: ! & | ^ i e X F G U V W M; constants: t f"),
            );
            return None;
        }
    })
}
