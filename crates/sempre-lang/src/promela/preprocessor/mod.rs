//! What the C preprocessor does to a model, word by word.
//!
//! `#define` with and without parameters, `#undef`, `#ifdef`, `#ifndef`, `#if` and `#elif` with integer
//! expressions and `defined`, `#else`, `#endif`, `#include "file"` and `<file>`, `#error`, `#warning`; `#line` and `#pragma` mean nothing.
//! A file in quotes is looked for in the folder of the file that includes it, then in the folders of [`Setup`].
//! Words and not characters are replaced, so every word of the result has a place in the text: its own, or that of
//! the name of the macro that brought it. Words of an included file have the place of its name.
//!
//! SPIN takes the end of a line for a `;` where a statement can end, and reads what the C preprocessor writes: what a macro
//! stands for starts a line if the macro's name does, arguments are on one line, and nothing between parentheses starts a line.
//!
//! As in C, `##` joins two words, `#` in front of a parameter makes a text of its argument, and the arguments for `...` are
//! `__VA_ARGS__`.

mod condition;
mod expansion;
#[cfg(test)]
mod tests;

use super::lexer::{Kind, Token, words};
use super::parser::UNITS;
use crate::place::Place;
use condition::Condition;
use expansion::parameters;
use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Span};
use std::sync::Arc;

/// Finds the text of an included file; `None` if there is none.
pub type Include<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What the command line says to the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Macros, in their order.
    pub macros: Vec<Preset>,
    /// Folders in which included files are looked for.
    pub folders: Vec<String>,
}

/// A macro of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preset {
    /// `-D`: `NAME`, which stands for 1, or `NAME=VALUE`.
    Define(String),
    /// `-U`
    Undefine(String),
}

impl Preset {
    /// The name of the macro.
    pub fn name(&self) -> &str {
        match self {
            Preset::Define(text) => text.split(['=', '(']).next().unwrap_or(text),
            Preset::Undefine(name) => name,
        }
    }
}

/// What the file is called in which macros of the command line are defined.
const COMMAND_LINE: &str = "command line";
/// More words than these are refused: macros can grow without end.
const WORDS: usize = 4_000_000;
/// Files in files, macros in macros.
const DEPTH: usize = 100;

#[derive(Clone, Debug)]
struct Macro {
    parameters: Option<Vec<Arc<str>>>,
    body: Vec<Token>,
}

struct Preprocessor<'i> {
    macros: FxHashMap<Arc<str>, Arc<Macro>>,
    include: Include<'i>,
    folders: &'i [String],
    out: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    /// Words that were looked at.
    made: usize,
    full: bool,
}

/// A branch of a conditional.
struct Branch {
    /// Was a branch taken, this or an earlier one?
    taken: bool,
    /// Is this one?
    active: bool,
    start: Span,
}

/// The macros of a file, where it ends.
#[derive(Clone, Debug, Default)]
pub struct Macros(FxHashMap<Arc<str>, Arc<Macro>>);

impl Macros {
    /// Is it the name of a macro without parameters?
    pub fn contains(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|m| m.parameters.is_none())
    }

    /// The words with macros replaced.
    ///
    /// # Errors
    /// What is wrong with their arguments.
    pub fn expand(&self, words: &[Token]) -> Result<Vec<Token>, Vec<Diagnostic>> {
        let mut p = Preprocessor::new(self.clone(), &|_| None, &[]);
        let mut out = Vec::new();
        p.expand(words, &mut out);
        match p.diagnostics.is_empty() {
            true => Ok(out),
            false => Err(p.diagnostics),
        }
    }
}

/// The words of a model after all directives, of which the last is [`Kind::End`]; what is wrong; and its macros.
pub fn preprocess(
    text: &str,
    include: Include<'_>,
    setup: &Setup,
) -> (Vec<Token>, Vec<Diagnostic>, Macros) {
    let mut p = Preprocessor::new(Macros::default(), include, &setup.folders);
    for preset in &setup.macros {
        match preset {
            Preset::Define(text) => {
                let line = match text.split_once('=') {
                    Some((name, value)) => format!("#define {name} {value}"),
                    None => format!("#define {text} 1"),
                };
                p.file(&line, Some((Span::new(0, 0), COMMAND_LINE)), "", 0);
            }
            Preset::Undefine(name) => {
                p.macros.remove(name.as_str());
            }
        }
    }
    p.file(text, None, "", 0);
    join_lines(&mut p.out);
    let end = Span::new(text.len(), text.len());
    p.out.push(Token {
        kind: Kind::End,
        text: Arc::from(""),
        span: end,
        starts_line: true,
        spaced: true,
        gap: true,
        place: Place::default(),
        call: None,
    });
    (p.out, p.diagnostics, Macros(p.macros))
}

impl<'i> Preprocessor<'i> {
    fn new(macros: Macros, include: Include<'i>, folders: &'i [String]) -> Self {
        Self {
            macros: macros.0,
            include,
            folders,
            out: Vec::new(),
            diagnostics: Vec::new(),
            made: 0,
            full: false,
        }
    }
}

impl Preprocessor<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    /// One file, which lies in `folder`; `included` is where, and as what.
    fn file(&mut self, text: &str, included: Option<(Span, &str)>, folder: &str, depth: usize) {
        let mut all = words(text);
        if let Some((span, path)) = included {
            let path: Arc<str> = Arc::from(path);
            for token in &mut all {
                token.span = span;
                token.place.file = Some(Arc::clone(&path));
            }
        }
        self.without_stray_ends(&mut all);
        let mut branches: Vec<Branch> = Vec::new();
        let mut open = Vec::new();
        let mut at = 0;
        while all[at].kind != Kind::End && !self.full {
            let token = &all[at];
            if token.starts_line && token.is("#") {
                let end = (at + 1..all.len())
                    .find(|&i| all[i].starts_line || all[i].kind == Kind::End)
                    .unwrap_or(all.len() - 1);
                self.directive(&all[at + 1..end], token.span, &mut branches, folder, depth);
                at = end;
            } else if branches.iter().all(|b| b.active) {
                let end = (at + 1..all.len())
                    .find(|&i| all[i].kind == Kind::End || all[i].starts_line && all[i].is("#"))
                    .unwrap_or(all.len() - 1);
                let mut expanded = Vec::new();
                self.expand_after(&mut open, &all[at..end], &mut expanded);
                self.out.append(&mut expanded);
                at = end;
            } else {
                at += 1;
            }
        }
        self.not_closed(&open);
        for branch in branches {
            self.error(branch.start, "this conditional has no `#endif`");
        }
    }

    /// SPIN skips a `*/` that ends no comment.
    fn without_stray_ends(&mut self, all: &mut Vec<Token>) {
        let mut owed = false;
        all.retain_mut(|token| {
            if token.is("*/") {
                let message = "this ends no comment; it is skipped";
                self.diagnostics
                    .push(Diagnostic::warning(token.span, message));
                owed |= token.starts_line;
                return false;
            }
            token.starts_line |= std::mem::take(&mut owed);
            true
        });
    }

    fn directive(
        &mut self,
        line: &[Token],
        hash: Span,
        branches: &mut Vec<Branch>,
        folder: &str,
        depth: usize,
    ) {
        sempre_base::checkpoint();
        let Some(word) = line.first() else {
            return;
        };
        let active = branches.iter().all(|b| b.active);
        let outer = branches.iter().rev().skip(1).all(|b| b.active);
        let rest = &line[1..];
        match &*word.text {
            "ifdef" | "ifndef" => {
                let Some(name) = rest.first().filter(|t| t.kind == Kind::Name) else {
                    return self.error(word.span, format!("`#{}` needs a name", word.text));
                };
                let defined = self.macros.contains_key(&name.text);
                let taken = defined == (&*word.text == "ifdef");
                branches.push(Branch {
                    taken,
                    active: taken,
                    start: hash.to(word.span),
                });
            }
            "if" => {
                let taken = active && self.condition(rest, word.span);
                branches.push(Branch {
                    taken,
                    active: taken,
                    start: hash.to(word.span),
                });
            }
            "elif" | "else" => {
                let earlier = branches.last().map(|b| b.taken);
                let Some(earlier) = earlier else {
                    let message = format!("`#{}` without `#if`", word.text);
                    return self.error(word.span, message);
                };
                let holds =
                    !earlier && outer && (&*word.text == "else" || self.condition(rest, word.span));
                if let Some(branch) = branches.last_mut() {
                    branch.active = holds;
                    branch.taken |= holds;
                }
            }
            "endif" => {
                if branches.pop().is_none() {
                    self.error(word.span, "`#endif` without `#if`");
                }
            }
            _ if !active => {}
            "define" => self.define(rest, word.span),
            "undef" => {
                if let Some(name) = rest.first() {
                    self.macros.remove(&name.text);
                }
            }
            "include" => self.included(rest, word.span, folder, depth),
            "error" => {
                let message: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                self.error(word.span, format!("#error {}", message.join(" ")));
            }
            "warning" => {
                let message: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                let message = format!("#warning {}", message.join(" "));
                self.diagnostics
                    .push(Diagnostic::warning(word.span, message));
            }
            "line" | "pragma" | "ident" => {}
            _ if word.kind == Kind::Number => {}
            other => {
                let message = format!("`#{other}` is no directive that is read");
                self.error(hash.to(word.span), message);
            }
        }
    }

    fn define(&mut self, rest: &[Token], at: Span) {
        let Some(name) = rest.first().filter(|t| t.kind == Kind::Name) else {
            return self.error(at, "`#define` needs a name");
        };
        let mut body = &rest[1..];
        let mut names = None;
        if let Some(open) = body.first()
            && open.is("(")
            && !open.spaced
        {
            let Some(close) = body.iter().position(|t| t.is(")")) else {
                return self.error(open.span, "the parameters of this macro are not closed");
            };
            names = match parameters(&body[1..close]) {
                Ok(names) => Some(names),
                Err(wrong) => return self.error(wrong, "expected the name of a parameter"),
            };
            body = &body[close + 1..];
        }
        let body = body.to_vec();
        let found = Macro {
            parameters: names,
            body,
        };
        self.macros.insert(name.text.clone(), Arc::new(found));
    }

    fn included(&mut self, rest: &[Token], at: Span, folder: &str, depth: usize) {
        // In angles, words make up a name.
        let angles = rest.first().is_some_and(|t| t.is("<"));
        let (file, span) = match (rest, rest.iter().position(|t| t.is(">"))) {
            ([name, ..], _) if name.kind == Kind::Text => {
                (name.text.trim_matches('"').to_string(), name.span)
            }
            ([first, .., last], Some(end)) if angles && end > 1 => {
                let file: Vec<&str> = rest[1..end].iter().map(|t| &*t.text).collect();
                (file.concat(), first.span.to(last.span))
            }
            _ => return self.error(at, "expected `#include \"file\"` or `#include <file>`"),
        };
        if depth >= DEPTH {
            return self.error(span, "too many files include each other");
        }
        let own = (!angles).then_some(folder);
        let folders = own
            .into_iter()
            .chain(self.folders.iter().map(String::as_str));
        let paths = folders.map(|folder| match folder {
            _ if file.starts_with('/') => file.clone(),
            "" => file.clone(),
            folder => format!("{}/{file}", folder.trim_end_matches('/')),
        });
        let include = self.include;
        let found = { paths }.find_map(|path| Some((include(&path)?, path)));
        match found {
            Some((text, path)) => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                self.file(&text, Some((span, &path)), folder, depth + 1);
            }
            None => self.error(span, format!("the file `{file}` cannot be read")),
        }
    }

    /// The value of the condition of `#if`.
    fn condition(&mut self, line: &[Token], at: Span) -> bool {
        // `defined X` first, since X must not be replaced.
        let mut known = Vec::new();
        let mut i = 0;
        while i < line.len() {
            if line[i].is("defined") {
                let in_parentheses = line.get(i + 1).is_some_and(|t| t.is("("));
                let name = line.get(i + 1 + usize::from(in_parentheses));
                let defined = name.is_some_and(|n| self.macros.contains_key(&n.text));
                let mut number = line[i].clone();
                number.kind = Kind::Number;
                number.text = Arc::from(if defined { "1" } else { "0" });
                known.push(number);
                i += if in_parentheses { 4 } else { 2 };
            } else {
                known.push(line[i].clone());
                i += 1;
            }
        }
        let mut expanded = Vec::new();
        self.expand(&known, &mut expanded);
        let mut condition = Condition {
            words: &expanded,
            at: 0,
            depth: 0,
        };
        match condition.value(0) {
            Some(value) if condition.at == expanded.len() => value != 0,
            _ => {
                self.error(at, "this condition cannot be read");
                false
            }
        }
    }
}

/// Between parentheses, no word starts a line. A unit of the file does, in case that a parenthesis is not closed.
fn join_lines(words: &mut [Token]) {
    let mut depth = 0_usize;
    for token in words {
        if token.starts_line && UNITS.contains(&&*token.text) {
            depth = 0;
        }
        token.starts_line &= depth == 0;
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
        }
    }
}
