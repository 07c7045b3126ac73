//! Replacing macros.
//!
//! The algorithm is that of D. Prosser's notes for the first standard of C: each word has a **hide set**, the macros that it
//! comes from and that are not replaced in it again; what a macro stands for is read again together with the words after
//! it, so that it may end with the name of a macro whose arguments come later. Arguments are replaced on their own
//! before they are put in, but beside `#` and `##`.

use super::{DEPTH, Macro, Preprocessor, WORDS};
use crate::place::Call;
use crate::promela::lexer::{Kind, Token};
use crate::promela::written::Mover;
use sempre_base::Span;
use std::rc::Rc;
use std::sync::Arc;

/// What the last parameter of a macro with `...` is called.
pub(super) const REST: &str = "__VA_ARGS__";

/// A word and its hide set.
#[derive(Clone)]
pub(super) struct Word {
    pub token: Token,
    hidden: Rc<Vec<Arc<str>>>,
}

impl Preprocessor<'_> {
    /// Appends the words of a line, or of several, with macros replaced.
    pub(super) fn expand(&mut self, line: &[Token], out: &mut Vec<Token>) {
        let mut open = Vec::new();
        self.expand_after(&mut open, line, out);
        self.not_closed(&open);
    }

    /// The same with `open` in front: a macro whose arguments are not closed yet, which is left there if they still are not.
    /// There may be directives among arguments.
    pub(super) fn expand_after(
        &mut self,
        open: &mut Vec<Word>,
        line: &[Token],
        out: &mut Vec<Token>,
    ) {
        let nothing = Rc::new(Vec::new());
        let mut words = std::mem::take(open);
        words.extend(line.iter().map(|token| Word {
            token: token.clone(),
            hidden: Rc::clone(&nothing),
        }));
        let expanded = self.expanded(words, 0, open);
        out.extend(expanded.into_iter().map(|word| word.token));
    }

    /// Complains about a macro whose arguments are not closed.
    pub(super) fn not_closed(&mut self, open: &[Word]) {
        if let Some(word) = open.first() {
            let message = "the arguments of this macro are not closed";
            self.error(word.token.span, message);
        }
    }

    /// An argument, with macros replaced.
    fn argument(&mut self, words: &[Word], depth: usize) -> Vec<Word> {
        let mut open = Vec::new();
        let expanded = self.expanded(words.to_vec(), depth + 1, &mut open);
        self.not_closed(&open);
        expanded
    }

    fn expanded(&mut self, mut rest: Vec<Word>, depth: usize, open: &mut Vec<Word>) -> Vec<Word> {
        let mut out = Vec::new();
        rest.reverse();
        while let Some(word) = rest.pop() {
            sempre_base::checkpoint();
            self.made += 1;
            if self.full {
                return out;
            }
            if self.made > WORDS || depth > DEPTH {
                self.full = true;
                self.error(word.token.span, "macros make this model too long");
                return out;
            }
            let name = &word.token.text;
            let found = (word.token.kind == Kind::Name && !word.hidden.contains(name))
                .then(|| self.macros.get(name).cloned())
                .flatten();
            let Some(found) = found else {
                out.push(word);
                continue;
            };
            let call = |text: Arc<str>| Call {
                text,
                place: word.token.place.clone(),
                is_macro: true,
                outer: word.token.call.clone(),
            };
            let body = match &found.parameters {
                None => {
                    let mut hidden = (*word.hidden).clone();
                    hidden.push(name.clone());
                    let call = Arc::new(call(name.clone()));
                    self.substituted(&found, &[], &[], hidden, &call, depth)
                }
                Some(parameters) => {
                    if !rest.last().is_some_and(|w| w.token.is("(")) {
                        out.push(word);
                        continue;
                    }
                    let span = word.token.span;
                    let Some((mut arguments, closing)) = arguments(&mut rest) else {
                        rest.push(word);
                        rest.reverse();
                        *open = rest;
                        return out;
                    };
                    if let Err(given) = fit(&mut arguments, parameters) {
                        let n = parameters.len();
                        let message = format!("macro `{name}` has {n} parameters, not {given}");
                        self.error(span, message);
                        return out;
                    }
                    let call = Arc::new(call(call_text(name, &arguments)));
                    let both = |m: &&Arc<str>| closing.hidden.contains(m);
                    let mut hidden: Vec<Arc<str>> =
                        word.hidden.iter().filter(both).cloned().collect();
                    hidden.push(name.clone());
                    self.substituted(&found, parameters, &arguments, hidden, &call, depth)
                }
            };
            // What a macro stands for starts a line if its name does; the next word, if it stands for nothing.
            let starts_line = word.token.starts_line;
            let first = rest.len() + body.len();
            for mut new in body.into_iter().rev() {
                new.token.span = word.token.span;
                let is_first = rest.len() + 1 == first;
                new.token.starts_line = starts_line && is_first;
                if is_first {
                    new.token.gap = word.token.gap;
                }
                rest.push(new);
            }
            if starts_line && let Some(next) = rest.last_mut() {
                next.token.starts_line = true;
            }
        }
        out
    }

    /// The body of a macro with its arguments put in.
    fn substituted(
        &mut self,
        found: &Macro,
        parameters: &[Arc<str>],
        arguments: &[Vec<Word>],
        hidden: Vec<Arc<str>>,
        call: &Arc<Call>,
        depth: usize,
    ) -> Vec<Word> {
        sempre_base::checkpoint();
        let nothing = Rc::new(Vec::new());
        let plain = |token: &Token| Word {
            token: Token {
                call: Some(Arc::clone(call)),
                ..token.clone()
            },
            hidden: Rc::clone(&nothing),
        };
        let mut mover = Mover {
            from: call.outer.as_ref(),
            to: call,
            arguments: &[],
            moved: Vec::new(),
        };
        let mut placed = |mut words: Vec<Word>, parameter: &Token| {
            for (i, word) in words.iter_mut().enumerate() {
                mover.argument(&mut word.token, parameter, i == 0);
            }
            words
        };
        let parameter = |token: &Token| match token.kind {
            Kind::Name => parameters.iter().position(|p| *p == token.text),
            _ => None,
        };
        let body = &found.body;
        let joins = |j: usize| body.get(j).is_some_and(|t| t.is("##"));
        let mut out: Vec<Word> = Vec::new();
        let mut j = 0;
        while let Some(token) = body.get(j) {
            let next = body.get(j + 1).and_then(parameter);
            if let (true, Some(p)) = (token.is("#"), next) {
                out.push(plain(&text_of(&arguments[p], token)));
                j += 2;
                continue;
            }
            // `, ## __VA_ARGS__`: without arguments, there is no comma either.
            let rest = body.get(j + 2).filter(|t| &*t.text == REST);
            if token.is(",")
                && joins(j + 1)
                && let Some(p) = rest.and_then(parameter)
            {
                if !arguments[p].is_empty() {
                    out.push(plain(token));
                    out.extend(placed(self.argument(&arguments[p], depth), token));
                }
                j += 3;
                continue;
            }
            match parameter(token) {
                Some(p) if joins(j + 1) || j > 0 && joins(j - 1) => {
                    if arguments[p].is_empty() {
                        // Its place beside `##`.
                        let mut empty = plain(token);
                        empty.token.text = Arc::from("");
                        out.push(empty);
                    }
                    out.extend(placed(arguments[p].clone(), token));
                }
                Some(p) => out.extend(placed(self.argument(&arguments[p], depth), token)),
                None => out.push(plain(token)),
            }
            j += 1;
        }
        let mut out = joined(out);
        let whole = Rc::new(hidden);
        for word in &mut out {
            if word.hidden.is_empty() {
                word.hidden = Rc::clone(&whole);
            } else {
                let mut all = (*word.hidden).clone();
                all.extend(whole.iter().filter(|m| !word.hidden.contains(m)).cloned());
                word.hidden = Rc::new(all);
            }
        }
        out
    }
}

/// Takes the arguments of a macro from the words to come, which start with their parenthesis; and the closing parenthesis. Takes
/// nothing if they are not closed. They stand on one line.
fn arguments(rest: &mut Vec<Word>) -> Option<(Vec<Vec<Word>>, Word)> {
    sempre_base::checkpoint();
    let mut depth = 0;
    let end = rest.iter().rposition(|word| {
        depth += i32::from(word.token.is("(")) - i32::from(word.token.is(")"));
        depth == 0
    })?;
    let mut all = vec![Vec::new()];
    let mut list = rest.split_off(end);
    list.pop();
    list.reverse();
    let closing = list.pop()?;
    for mut word in list {
        if word.token.is("(") {
            depth += 1;
        } else if word.token.is(")") {
            depth -= 1;
        } else if word.token.is(",") && depth == 0 {
            all.push(Vec::new());
            continue;
        }
        word.token.starts_line = false;
        if let Some(last) = all.last_mut() {
            last.push(word);
        }
    }
    Some((all, closing))
}

/// Makes one argument for each parameter; how many there are if that cannot be.
fn fit(arguments: &mut Vec<Vec<Word>>, parameters: &[Arc<str>]) -> Result<(), usize> {
    if parameters.is_empty() && matches!(arguments.as_slice(), [only] if only.is_empty()) {
        arguments.clear();
    }
    if parameters.last().is_some_and(|p| &**p == REST) {
        let named = parameters.len() - 1;
        if arguments.len() == named {
            arguments.push(Vec::new());
        }
        while arguments.len() > named + 1 {
            let Some(last) = arguments.pop() else { break };
            if let Some(before) = arguments.last_mut() {
                let place = before.last().or(last.first()).cloned();
                before.extend(place.map(|mut comma| {
                    comma.token.kind = Kind::Mark;
                    comma.token.text = Arc::from(",");
                    comma.token.spaced = false;
                    comma
                }));
                before.extend(last);
            }
        }
    }
    match arguments.len() {
        n if n == parameters.len() => Ok(()),
        n => Err(n),
    }
}

/// The text that `#` makes of an argument.
fn text_of(argument: &[Word], place: &Token) -> Token {
    let mut text = String::from("\"");
    for (i, Word { token, .. }) in argument.iter().enumerate() {
        if i > 0 && token.spaced {
            text.push(' ');
        }
        let quoted = matches!(token.kind, Kind::Text | Kind::Character);
        for c in token.text.chars() {
            if quoted && matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text.push('"');
    Token {
        kind: Kind::Text,
        text: Arc::from(text),
        ..place.clone()
    }
}

/// Words beside `##` made one.
fn joined(body: Vec<Word>) -> Vec<Word> {
    if !body.iter().any(|w| w.token.is("##")) {
        return body;
    }
    let mut out: Vec<Word> = Vec::new();
    let mut join = false;
    for word in body {
        if word.token.is("##") {
            join = true;
        } else if let (true, Some(last)) = (join, out.last_mut()) {
            let last = &mut last.token;
            if last.text.is_empty() {
                last.kind = word.token.kind;
            }
            last.text = Arc::from(format!("{}{}", last.text, word.token.text));
            join = false;
        } else {
            join = false;
            out.push(word);
        }
    }
    out.retain(|w| !w.token.text.is_empty());
    out
}

/// A call as it is written, in one line.
fn call_text(name: &str, arguments: &[Vec<Word>]) -> Arc<str> {
    let mut text = format!("{name}(");
    for (i, argument) in arguments.iter().enumerate() {
        if i > 0 {
            text += ", ";
        }
        for (k, Word { token, .. }) in argument.iter().enumerate() {
            if k > 0 && token.gap {
                text.push(' ');
            }
            text += &token.text;
        }
    }
    text.push(')');
    Arc::from(text)
}

/// The place of a macro's parameter list, and its names; the last is [`REST`] if it ends with `...`.
pub(super) fn parameters(list: &[Token]) -> Result<Vec<Arc<str>>, Span> {
    let mut names = Vec::new();
    let mut words = list.iter().filter(|t| !t.is(","));
    while let Some(word) = words.next() {
        match word.kind {
            Kind::Name => names.push(word.text.clone()),
            // `...` is read as two marks.
            _ if word.is("..") && words.next().is_some_and(|t| t.is(".")) => {
                names.push(Arc::from(REST));
                return match words.next() {
                    None => Ok(names),
                    Some(more) => Err(more.span),
                };
            }
            _ => return Err(word.span),
        }
    }
    Ok(names)
}
