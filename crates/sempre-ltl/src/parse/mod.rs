//! Reading formulas.
//!
//! [`parse`] reads Spot's, SPIN's and the mathematical infix spellings with one grammar (`infix`), [`parse_lbt`] the
//! prefix syntax of LBT, [`parse_list`] files with one formula per line. Atomic propositions may be expressions in a
//! model's terms; `term` defines them and computes the canonical text of each, which is its name in the arena.
//!
//! A text with errors yields diagnostics, as many as possible, and does not change the arena. Formulas deeper than
//! [`MAX_DEPTH`] are refused, because many operations on formulas recurse over their depth.

mod foreign;
mod infix;
mod lbt;
mod lexer;
mod list;
mod program;
mod reader;
pub(crate) mod term;
pub(crate) mod words;

pub use list::{ListItem, code_length, parse_list};

use crate::formula::{Formula, Formulas};
use program::{Item, MAX_ERRORS, Program};
pub use program::{MAX_DEPTH, ParseOptions};
use sempre_base::{Diagnostic, Span};

/// A formula that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// Number and place of each occurrence of a proposition, in the order of the text.
    pub propositions: Vec<(usize, Span)>,
    /// Parts that may not mean what the author intended.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a formula in any of the infix syntaxes.
///
/// ```
/// use sempre_ltl::{Formulas, parse::{parse, ParseOptions}, print::{print, Syntax}};
/// let mut arena = Formulas::new();
/// let read = parse(&mut arena, "[](req -> <>ack) && P_0.CS U x[2] != 5", &ParseOptions::default()).unwrap();
/// assert_eq!(print(&arena, read.formula, Syntax::Spot).to_string(), r#"G(req -> Fack) & (P_0.CS U "x[2] != 5")"#);
/// ```
pub fn parse(
    arena: &mut Formulas,
    text: &str,
    options: &ParseOptions,
) -> Result<Parsed, Vec<Diagnostic>> {
    build(arena, infix::read(text, options), options.exact)
}

/// Reads a formula in LBT's prefix syntax.
pub fn parse_lbt(
    arena: &mut Formulas,
    text: &str,
    options: &ParseOptions,
) -> Result<Parsed, Vec<Diagnostic>> {
    build(arena, lbt::read(text), options.exact)
}

/// The name that a proposition with this text gets in an arena: for the text of an `AP` of a HOA file, say, where
/// LTSmin writes `P_1!='p9'` for `P_1 != "p9"`.
pub fn canonical_name(text: &str) -> String {
    term::canonical(text)
}

/// Checks the program and runs it.
fn build(
    arena: &mut Formulas,
    mut program: Program,
    exact: bool,
) -> Result<Parsed, Vec<Diagnostic>> {
    if program.errors.is_empty()
        && let Some(place) = too_deep(&program.items)
    {
        program.errors.push(
            Diagnostic::error(
                place,
                format!("the formula is nested more than {MAX_DEPTH} levels deep"),
            )
            .with_help("write `&` and `|` without parentheses: a chain of them is one level"),
        );
    }
    if !program.errors.is_empty() {
        program.errors.truncate(MAX_ERRORS);
        program.errors.sort_by_key(|d| d.span);
        return Err(program.errors);
    }
    let mut propositions = Vec::with_capacity(program.propositions.len());
    let mut stack: Vec<Formula> = Vec::new();
    for item in &program.items {
        let f = match *item {
            Item::Constant(value) => arena.constant(value),
            Item::Proposition(i) => {
                let (name, span) = &program.propositions[i as usize];
                let f = arena.proposition(name);
                propositions.push((arena.proposition_number(f), *span));
                f
            }
            Item::Apply(op, arity, _) => {
                let from = stack.len() - arity as usize;
                let f = if exact {
                    arena.node(op, &stack[from..])
                } else {
                    arena.make(op, &stack[from..])
                };
                stack.truncate(from);
                f
            }
        };
        stack.push(f);
    }
    debug_assert_eq!(stack.len(), 1, "a program leaves one formula");
    Ok(Parsed {
        formula: stack[0],
        propositions,
        warnings: program.warnings,
    })
}

/// The place of an operator that is too far up, if there is one.
fn too_deep(items: &[Item]) -> Option<Span> {
    let mut stack: Vec<u32> = Vec::new();
    for item in items {
        if let Item::Apply(_, arity, span) = *item {
            let from = stack.len() - arity as usize;
            let depth = stack.drain(from..).max().unwrap_or(0) + 1;
            if depth > MAX_DEPTH {
                return Some(span);
            }
            stack.push(depth);
        } else {
            stack.push(0);
        }
    }
    None
}

#[cfg(test)]
mod tests;
