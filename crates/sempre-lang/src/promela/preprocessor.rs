//! What the C preprocessor does to a model, word by word.
//!
//! `#define` with and without parameters, `#undef`, `#ifdef`, `#ifndef`, `#if` and `#elif` with integer
//! expressions and `defined`, `#else`, `#endif`, `#include "file"`, `#error`; `#line` and `#pragma` mean nothing.
//! Words and not characters are replaced, so every word of the result has a place in the text: its own, or that of
//! the name of the macro that brought it. Words of an included file have the place of its name.
//!
//! As in C, the name of a macro is not replaced again inside of what it stands for, and arguments are replaced
//! before they are put in. `##` joins two words; `#` in front of a parameter is not read.

use super::lexer::{Kind, Token, words};
use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Span};
use std::sync::Arc;

/// Finds the text of an included file; `None` if there is none.
pub type Include<'a> = &'a dyn Fn(&str) -> Option<String>;

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
    out: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
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
        let mut p = Preprocessor::new(self.clone(), &|_| None);
        let mut out = Vec::new();
        p.expand(words, &mut Vec::new(), &mut out, None);
        match p.diagnostics.is_empty() {
            true => Ok(out),
            false => Err(p.diagnostics),
        }
    }
}

/// The words of a model after all directives, of which the last is [`Kind::End`]; what is wrong; and its macros.
pub fn preprocess(text: &str, include: Include<'_>) -> (Vec<Token>, Vec<Diagnostic>, Macros) {
    let mut p = Preprocessor::new(Macros::default(), include);
    p.file(text, None, 0);
    let end = Span::new(text.len(), text.len());
    p.out.push(Token {
        kind: Kind::End,
        text: Arc::from(""),
        span: end,
        starts_line: true,
        spaced: true,
    });
    (p.out, p.diagnostics, Macros(p.macros))
}

impl<'i> Preprocessor<'i> {
    fn new(macros: Macros, include: Include<'i>) -> Self {
        Self {
            macros: macros.0,
            include,
            out: Vec::new(),
            diagnostics: Vec::new(),
            full: false,
        }
    }
}

impl Preprocessor<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    /// One file; `place` is where it was included.
    fn file(&mut self, text: &str, place: Option<Span>, depth: usize) {
        let mut all = words(text);
        if let Some(span) = place {
            for token in &mut all {
                token.span = span;
            }
        }
        let mut branches: Vec<Branch> = Vec::new();
        let mut at = 0;
        while all[at].kind != Kind::End && !self.full {
            let token = &all[at];
            if token.starts_line && token.is("#") {
                let end = (at + 1..all.len())
                    .find(|&i| all[i].starts_line || all[i].kind == Kind::End)
                    .unwrap_or(all.len() - 1);
                self.directive(&all[at + 1..end], token.span, &mut branches, depth);
                at = end;
            } else if branches.iter().all(|b| b.active) {
                // A macro's arguments may span lines, but not a directive.
                let end = (at + 1..all.len())
                    .find(|&i| all[i].kind == Kind::End || all[i].starts_line && all[i].is("#"))
                    .unwrap_or(all.len() - 1);
                let mut expanded = Vec::new();
                self.expand(&all[at..end], &mut Vec::new(), &mut expanded, None);
                self.out.append(&mut expanded);
                at = end;
            } else {
                at += 1;
            }
        }
        for branch in branches {
            self.error(branch.start, "this conditional has no `#endif`");
        }
    }

    fn directive(&mut self, line: &[Token], hash: Span, branches: &mut Vec<Branch>, depth: usize) {
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
            "include" => self.included(rest, word.span, depth),
            "error" => {
                let message: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                self.error(word.span, format!("#error {}", message.join(" ")));
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
        let mut parameters = None;
        if let Some(open) = body.first()
            && open.is("(")
            && !open.spaced
        {
            let Some(close) = body.iter().position(|t| t.is(")")) else {
                return self.error(open.span, "the parameters of this macro are not closed");
            };
            let names = body[1..close].iter().filter(|t| !t.is(","));
            if let Some(wrong) = names.clone().find(|t| t.kind != Kind::Name) {
                return self.error(wrong.span, "expected the name of a parameter");
            }
            parameters = Some(names.map(|t| t.text.clone()).collect());
            body = &body[close + 1..];
        }
        let body = body.to_vec();
        self.macros
            .insert(name.text.clone(), Arc::new(Macro { parameters, body }));
    }

    fn included(&mut self, rest: &[Token], at: Span, depth: usize) {
        let Some(name) = rest.first().filter(|t| t.kind == Kind::Text) else {
            return self.error(at, "expected `#include \"file\"`");
        };
        if depth >= DEPTH {
            return self.error(name.span, "too many files include each other");
        }
        let file = name.text.trim_matches('"').to_string();
        match (self.include)(&file) {
            Some(text) => self.file(&text, Some(name.span), depth + 1),
            None => self.error(name.span, format!("the file `{file}` cannot be read")),
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
        self.expand(&known, &mut Vec::new(), &mut expanded, None);
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

    /// Replaces macros. `hidden` are those in whose bodies we are; `place` is the name that all of it stands for.
    fn expand(
        &mut self,
        line: &[Token],
        hidden: &mut Vec<Arc<str>>,
        out: &mut Vec<Token>,
        place: Option<Span>,
    ) {
        let mut i = 0;
        while i < line.len() && !self.full {
            let token = &line[i];
            i += 1;
            if out.len() + self.out.len() > WORDS || hidden.len() > DEPTH {
                self.full = true;
                let span = place.unwrap_or(token.span);
                return self.error(span, "macros make this model too long");
            }
            let found = (token.kind == Kind::Name && !hidden.contains(&token.text))
                .then(|| self.macros.get(&token.text).cloned())
                .flatten();
            let Some(found) = found else {
                let mut token = token.clone();
                token.span = place.unwrap_or(token.span);
                out.push(token);
                continue;
            };
            let span = place.unwrap_or(token.span);
            let body = match &found.parameters {
                None => found.body.clone(),
                Some(parameters) => {
                    if !line.get(i).is_some_and(|t| t.is("(")) {
                        let mut token = token.clone();
                        token.span = span;
                        out.push(token);
                        continue;
                    }
                    let Some((arguments, end)) = arguments(line, i) else {
                        self.error(span, "the arguments of this macro are not closed");
                        return;
                    };
                    i = end;
                    let given = match arguments.as_slice() {
                        [only] if only.is_empty() && parameters.is_empty() => 0,
                        all => all.len(),
                    };
                    if given != parameters.len() {
                        let name = &token.text;
                        let n = parameters.len();
                        let message = format!("macro `{name}` has {n} parameters, not {given}");
                        self.error(span, message);
                        return;
                    }
                    self.substituted(&found, parameters, &arguments, hidden)
                }
            };
            hidden.push(token.text.clone());
            self.expand(&joined(body), hidden, out, Some(span));
            hidden.pop();
        }
    }

    fn substituted(
        &mut self,
        found: &Macro,
        parameters: &[Arc<str>],
        arguments: &[Vec<Token>],
        hidden: &mut Vec<Arc<str>>,
    ) -> Vec<Token> {
        let mut body = Vec::new();
        for (j, word) in found.body.iter().enumerate() {
            match parameters.iter().position(|p| *p == word.text) {
                Some(p) if word.kind == Kind::Name => {
                    let beside = |k: Option<&Token>| k.is_some_and(|t| t.is("##"));
                    if beside(found.body.get(j + 1)) || j > 0 && beside(found.body.get(j - 1)) {
                        body.extend(arguments[p].iter().cloned());
                    } else {
                        self.expand(&arguments[p], hidden, &mut body, None);
                    }
                }
                _ => body.push(word.clone()),
            }
        }
        body
    }
}

/// The arguments of a macro from the parenthesis at `open`, and where the words after them start.
fn arguments(line: &[Token], open: usize) -> Option<(Vec<Vec<Token>>, usize)> {
    let mut all = vec![Vec::new()];
    let mut depth = 0;
    for (i, token) in line.iter().enumerate().skip(open) {
        if token.is("(") {
            depth += 1;
            if depth == 1 {
                continue;
            }
        } else if token.is(")") {
            depth -= 1;
            if depth == 0 {
                return Some((all, i + 1));
            }
        } else if token.is(",") && depth == 1 {
            all.push(Vec::new());
            continue;
        }
        if let Some(last) = all.last_mut() {
            last.push(token.clone());
        }
    }
    None
}

/// Words beside `##` made one.
fn joined(body: Vec<Token>) -> Vec<Token> {
    if !body.iter().any(|t| t.is("##")) {
        return body;
    }
    let mut out: Vec<Token> = Vec::new();
    let mut join = false;
    for token in body {
        if token.is("##") {
            join = true;
        } else if let (true, Some(last)) = (join, out.last_mut()) {
            last.text = Arc::from(format!("{}{}", last.text, token.text));
            join = false;
        } else {
            join = false;
            out.push(token);
        }
    }
    out
}

/// The expression of an `#if`.
struct Condition<'a> {
    words: &'a [Token],
    at: usize,
    depth: usize,
}

impl Condition<'_> {
    fn value(&mut self, least: usize) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        const LEVELS: [&[&str]; 6] = [
            &["||"],
            &["&&"],
            &["==", "!="],
            &["<", "<=", ">", ">="],
            &["+", "-"],
            &["*", "/", "%"],
        ];
        let mut left = self.operand()?;
        while let Some(token) = self.words.get(self.at) {
            let Some(level) = LEVELS.iter().position(|l| l.contains(&&*token.text)) else {
                break;
            };
            if level < least {
                break;
            }
            self.at += 1;
            let right = self.value(level + 1)?;
            let truth = i64::from;
            left = match &*token.text {
                "||" => truth(left != 0 || right != 0),
                "&&" => truth(left != 0 && right != 0),
                "==" => truth(left == right),
                "!=" => truth(left != right),
                "<" => truth(left < right),
                "<=" => truth(left <= right),
                ">" => truth(left > right),
                ">=" => truth(left >= right),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        self.depth -= 1;
        Some(left)
    }

    fn operand(&mut self) -> Option<i64> {
        let token = self.words.get(self.at)?;
        self.at += 1;
        match token.kind {
            Kind::Number => token.text.parse().ok(),
            // What is not defined is 0.
            Kind::Name => Some(0),
            _ if token.is("!") => Some(i64::from(self.unary()? == 0)),
            _ if token.is("-") => Some(self.unary()?.wrapping_neg()),
            _ if token.is("(") => {
                let value = self.value(0)?;
                let closed = self.words.get(self.at)?.is(")");
                self.at += 1;
                closed.then_some(value)
            }
            _ => None,
        }
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let value = self.operand();
        self.depth -= 1;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let include = |name: &str| (name == "a.h").then(|| "#define A 5\nin A".to_string());
        let (words, diagnostics, _) = preprocess(text, &include);
        assert_eq!(diagnostics, [], "{text}");
        let found: Vec<&str> = words.iter().map(|t| &*t.text).collect();
        assert_eq!(found.join(" ").trim(), expected, "{text}");
    }

    #[test]
    fn macros_are_replaced() {
        check("#define N 3\nN+N", "3 + 3");
        check("#define f(a,b) a*b\nf(x+1, f(2,3)) f", "x + 1 * 2 * 3 f");
        check("#define f (a)\nf(b)", "( a ) ( b )");
        check("#define x x+y\n#define y x\nx", "x + x");
        check("#define cat(a,b) a ## b\ncat(u,v)", "uv");
        check("#define g() 7\ng()", "7");
        check("#define two 1 + \\\n 1\ntwo", "1 + 1");
        check("#define N 1\n#undef N\nN", "N");
        check("#include \"a.h\"\nA", "in 5 5");
    }

    #[test]
    fn conditionals_are_obeyed() {
        check("#ifdef X\na\n#else\nb\n#endif\nc", "b c");
        check(
            "#define X\n#ifndef X\na\n#ifdef X\nd\n#endif\n#elif 1\nb\n#else\nc\n#endif",
            "b",
        );
        check("#if defined(Y) || 2*3 == 6 && !0\na\n#endif", "a");
        check("#if 0\n#if 1\na\n#else\nb\n#endif\n#endif\nc", "c");
    }

    #[test]
    fn what_is_wrong_is_told_at_its_place() {
        for (text, at) in [
            ("#ifdef X\na", "#ifdef"),
            ("#else", "else"),
            ("#endif", "endif"),
            ("#include \"b.h\"", "\"b.h\""),
            ("#include <b.h>", "include"),
            ("#define f(a) a\nf(1,2)", "f"),
            ("#define f(a) a\nf(1", "f"),
            ("#define 3", "define"),
            ("#if (1\n#endif", "if"),
            ("#if 1/0\n#endif", "if"),
            ("#error no", "error"),
            ("#foo", "#foo"),
        ] {
            let diagnostics = preprocess(text, &|_| None).1;
            let span = diagnostics.first().expect(text).span;
            assert_eq!(&text[span.start..span.end], at, "{text}");
        }
        let bomb = "#define a b b\n#define b c c\n#define c d d d d\n".to_string();
        let words = preprocess(&(bomb + "a"), &|_| None).0;
        assert_eq!(words.len(), 17);
    }
}
