//! What the author wrote: the words of a step, and where they stand.
//!
//! A word of a process may come from an included file, from the body of a macro, or from that of an inline. Its token has the
//! **place** where it is written, a line of a file, and the **call** that brought it, which has a place and perhaps a call of its own.
//! From the tokens of a statement follows its text:
//! * what all of them came through is context: the text is that of the body, with the arguments put in;
//! * what only some of them came through is part of the statement as it was written: the call stands for them.
//!
//! So of `#define BUMP(v) v = v + N`, the step of `BUMP(x)` is `x = x + N`, and that of `y = MAX(x, 3)` is `y = MAX(x, 3)`.

use super::lexer::Token;
use crate::place::{Call, Place, Places};
use crate::report::shown;
use std::fmt;
use std::sync::Arc;

/// Statements with more words are cut anyway.
const WORDS: usize = 200;

/// The words of a step and where they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// In one line, not too long.
    pub text: String,
    /// Where it is written, and then the calls that brought it, the innermost first.
    pub places: Vec<Place>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, Places(&self.places))
    }
}

impl Written {
    /// What these tokens, of one statement, are in the words of the author; `None` of nothing.
    pub(super) fn new(tokens: &[Token]) -> Option<Self> {
        let first = tokens.first()?;
        let tokens = &tokens[..tokens.len().min(WORDS)];
        let mut context = chain(first);
        for token in tokens {
            let other = chain(token);
            let same = (context.iter().zip(&other))
                .take_while(|(a, b)| Arc::ptr_eq(a, b))
                .count();
            context.truncate(same);
        }
        let mut text = String::new();
        let mut place = None;
        let mut last: Option<&Arc<Call>> = None;
        for token in tokens {
            let inner = chain(token).get(context.len()).copied();
            let again = matches!((inner, last), (Some(a), Some(b)) if Arc::ptr_eq(a, b));
            last = inner;
            // The body of an inline comes after its call, whose words are there already.
            if again || inner.is_some_and(|call| !call.is_macro) {
                continue;
            }
            if token.gap && !text.is_empty() {
                text.push(' ');
            }
            text += inner.map_or(&*token.text, |call| &call.text);
            place = place.or(Some(inner.map_or(&token.place, |call| &call.place)));
        }
        let mut places = vec![place.unwrap_or(&first.place).clone()];
        places.extend(context.iter().rev().map(|call| call.place.clone()));
        Some(Self {
            text: shown(&text),
            places,
        })
    }

    /// The place as part of the name of a location.
    pub(super) fn location(&self) -> String {
        let (first, calls) = match self.places.split_first() {
            Some((first, calls)) => (first.to_string(), calls),
            None => (String::new(), &[][..]),
        };
        let numbers = calls.iter().map(|place| match &place.file {
            None => format!(" from {}", place.line),
            Some(_) => format!(" from {place}"),
        });
        numbers.fold(first, |all, number| all + &number)
    }

    /// The line where it is written.
    pub(super) fn line(&self) -> usize {
        self.places.first().map_or(0, |place| place.line)
    }
}

/// The calls that brought a token, the outermost first.
fn chain(token: &Token) -> Vec<&Arc<Call>> {
    let calls = std::iter::successors(token.call.as_ref(), |call| call.outer.as_ref());
    let mut all: Vec<&Arc<Call>> = calls.collect();
    all.reverse();
    all
}

/// Gives words the context of a call in whose body, or among whose arguments, they stand.
pub(super) struct Mover<'a> {
    /// The context of what is moved.
    pub from: Option<&'a Arc<Call>>,
    /// The call.
    pub to: &'a Arc<Call>,
    /// What stands for the parameters of an inline, in the texts of calls of macros in its body.
    pub arguments: &'a [(Arc<str>, String)],
    /// The calls that were moved already: words of one call stay together.
    pub moved: Vec<(Arc<Call>, Arc<Call>)>,
}

impl Mover<'_> {
    /// A token of an argument in place of a parameter; `is_first` of the argument.
    pub(super) fn argument(&mut self, token: &mut Token, parameter: &Token, is_first: bool) {
        token.place = parameter.place.clone();
        if is_first {
            token.gap = parameter.gap;
        }
        self.token(token);
    }

    /// A token of the body.
    pub(super) fn token(&mut self, token: &mut Token) {
        token.call = Some(self.call(token.call.as_ref()));
    }

    /// The context of a word that had this one.
    pub(super) fn call(&mut self, call: Option<&Arc<Call>>) -> Arc<Call> {
        let Some(call) = call.filter(|call| !self.from.is_some_and(|from| Arc::ptr_eq(from, call)))
        else {
            return Arc::clone(self.to);
        };
        if let Some((_, moved)) = self.moved.iter().find(|(old, _)| Arc::ptr_eq(old, call)) {
            return Arc::clone(moved);
        }
        let new = Arc::new(Call {
            outer: Some(self.call(call.outer.as_ref())),
            text: with_arguments(&call.text, self.arguments),
            ..(**call).clone()
        });
        self.moved.push((Arc::clone(call), Arc::clone(&new)));
        new
    }
}

/// A text in which arguments stand for parameters.
fn with_arguments(text: &Arc<str>, arguments: &[(Arc<str>, String)]) -> Arc<str> {
    if arguments.is_empty() {
        return Arc::clone(text);
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = &text[..];
    while let Some(first) = rest.chars().next() {
        let end = match is_name(first) {
            true => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        let argument = arguments.iter().find(|(name, _)| **name == *word);
        out += argument.map_or(word, |(_, argument)| argument);
        rest = after;
    }
    Arc::from(out)
}
