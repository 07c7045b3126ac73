//! Boolean expressions over a model's names: the propositions of nets, tables and graphs.
//!
//! ```text
//! condition  = choice [ ("->" | "=>" | "implies") condition ]
//! choice     = both { ("||" | "|" | "or") both }
//! both       = relation { ("&&" | "&" | "and") relation }
//! relation   = sum [ ("==" | "=" | "!=" | "<" | "<=" | ">" | ">=") sum ]
//! sum        = product { ("+" | "-") product }
//! product    = factor { "*" factor }
//! factor     = ("!" | "not" | "-") factor | number | "true" | "false" | "(" condition ")"
//!            | name | quoted | name "(" argument { "," argument } ")"
//! ```
//!
//! A name is letters, digits and `_`, with parts `.name` and `[number]`; LTSmin's `\.`, `\[`, `\]` are read
//! as the characters behind the backslash. Any text in single or double quotes is a name too. Names that
//! are declared win over the words `and`, `or`, `not`, `true`, `false`, `implies` where a name can stand.
//!
//! What names mean is a [`Scope`]'s business. In `x == word`, the word may be a value of `x` instead of a
//! name: the name of an enumeration's value, say.
//!
//! Sums and chains are kept flat and lowered to balanced trees, so that depth is limited by nesting alone,
//! which is limited itself.

use sempre_base::{Diagnostic, Span};
use sempre_model::ir::{Binary, Expr, Unary};

/// What a name stands for.
pub struct Operand<'a> {
    /// Its value; as a condition, "not 0".
    pub value: Expr,
    /// What `name == word` means for words that are not themselves names; `None` if it has no such values.
    pub equals: Option<Equals<'a>>,
}

/// What `name == word` means for a word.
pub type Equals<'a> = Box<dyn Fn(&str) -> Option<Expr> + 'a>;

impl Operand<'_> {
    /// A number.
    pub fn number(value: Expr) -> Self {
        Self {
            value,
            equals: None,
        }
    }
}

/// The names of a model.
pub trait Scope {
    /// What a name stands for; otherwise what to say about it (`there is no place …`), perhaps with help.
    fn name(&self, name: &str) -> Result<Operand<'_>, (String, Option<String>)>;

    /// What a call means; `None` if there is no such function. Arguments are names with their places.
    fn call(
        &self,
        function: &str,
        arguments: &[(String, Span)],
    ) -> Option<Result<Expr, Diagnostic>> {
        let _ = (function, arguments);
        None
    }

    /// The functions, for messages.
    fn functions(&self) -> &'static [&'static str] {
        &[]
    }
}

/// Nesting of parentheses and signs.
const MAX_NESTING: usize = 200;

/// The condition that a text says. Spans are in the text.
pub fn parse_condition(text: &str, scope: &dyn Scope) -> Result<Expr, Vec<Diagnostic>> {
    let tokens = lex(text).map_err(|e| vec![e])?;
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        nesting: 0,
        scope,
    };
    let tree = parser.condition().map_err(|e| vec![e])?;
    if parser.at < tokens.len() {
        return Err(vec![parser.expected("an operator or the end")]);
    }
    let mut errors = Vec::new();
    let expr = lower(&tree, scope, &mut errors);
    match errors.is_empty() {
        true => Ok(expr),
        false => Err(errors),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(i64),
    /// Bare.
    Name(String),
    Quoted(String),
    Sign(&'static str),
}

/// Longer signs first; the second spelling is the meaning.
const SIGNS: [(&str, &str); 22] = [
    ("&&", "&&"),
    ("/\\", "&&"),
    ("||", "||"),
    ("\\/", "||"),
    ("->", "->"),
    ("=>", "->"),
    ("==", "=="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("&", "&&"),
    ("|", "||"),
    ("=", "=="),
    ("<", "<"),
    (">", ">"),
    ("!", "!"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("(", "("),
    (")", ")"),
    (",", ","),
];

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn lex(text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let token = if c == '"' || c == '\'' {
            let Some(end) = rest[1..].find(c) else {
                let place = Span::new(start, start + 1);
                return Err(Diagnostic::error(place, "this quote is never closed"));
            };
            at += end + 2;
            Token::Quoted(rest[1..=end].to_string())
        } else if is_name_part(c) {
            let name = bare_name(text, &mut at);
            match name.parse() {
                _ if !name.bytes().all(|b| b.is_ascii_digit()) => Token::Name(name),
                Ok(number) => Token::Number(number),
                Err(_) => {
                    let place = Span::new(start, at);
                    return Err(Diagnostic::error(place, "this number is too large"));
                }
            }
        } else if let Some((sign, meaning)) = SIGNS.iter().find(|(s, _)| rest.starts_with(s)) {
            at += sign.len();
            Token::Sign(meaning)
        } else {
            let place = Span::new(start, start + c.len_utf8());
            return Err(Diagnostic::error(
                place,
                format!("unexpected character `{c}`"),
            ));
        };
        tokens.push((token, Span::new(start, at)));
    }
    Ok(tokens)
}

/// Reads `a.b[2]`, or `a\.b\[2\]`, from `at`.
fn bare_name(text: &str, at: &mut usize) -> String {
    let mut name = String::new();
    let word = |at: &mut usize, name: &mut String| {
        let start = *at;
        while let Some(c) = text[*at..].chars().next().filter(|&c| is_name_part(c)) {
            *at += c.len_utf8();
        }
        name.push_str(&text[start..*at]);
    };
    word(at, &mut name);
    loop {
        let mut ahead = *at;
        let skip = |ahead: &mut usize, c: char| {
            if text[*ahead..].starts_with('\\') && text[*ahead + 1..].starts_with(c) {
                *ahead += 1;
            }
            let found = text[*ahead..].starts_with(c);
            *ahead += usize::from(found);
            found
        };
        if skip(&mut ahead, '.') {
            let mut part = String::from(".");
            word(&mut ahead, &mut part);
            if part.len() == 1 {
                return name;
            }
            name.push_str(&part);
        } else if skip(&mut ahead, '[') {
            let mut part = String::from("[");
            word(&mut ahead, &mut part);
            if part.len() == 1 || !skip(&mut ahead, ']') {
                return name;
            }
            part.push(']');
            name.push_str(&part);
        } else {
            return name;
        }
        *at = ahead;
    }
}

enum Tree {
    Number(i64),
    Name(String, Span),
    Call(String, Vec<(String, Span)>, Span),
    Unary(Unary, Box<Tree>),
    Binary(Binary, Box<Tree>, Box<Tree>),
    /// Two or more operands of an associative operator.
    Chain(Binary, Vec<Tree>),
    /// Two or more summands, each with "is it subtracted".
    Sum(Vec<(bool, Tree)>),
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [(Token, Span)],
    at: usize,
    nesting: usize,
    scope: &'t dyn Scope,
}

impl Parser<'_> {
    fn place(&self) -> Span {
        let end = Span::new(self.text.len(), self.text.len());
        self.tokens.get(self.at).map_or(end, |(_, s)| *s)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let place = self.place();
        let found = match self.text.get(place.start..place.end) {
            Some(text) if !text.is_empty() => format!("`{text}`"),
            _ => "the end".to_string(),
        };
        Diagnostic::error(place, format!("expected {what}, found {found}"))
    }

    /// Takes a sign, or the word that means it, if it is next.
    fn eat(&mut self, sign: &str) -> bool {
        let next = match self.tokens.get(self.at) {
            Some((Token::Sign(s), _)) => s,
            Some((Token::Name(word), _)) => match word.as_str() {
                "and" => "&&",
                "or" => "||",
                "implies" => "->",
                _ => return false,
            },
            _ => return false,
        };
        let found = next == sign;
        self.at += usize::from(found);
        found
    }

    fn chain(
        &mut self,
        sign: &str,
        op: Binary,
        part: impl Fn(&mut Self) -> Result<Tree, Diagnostic>,
    ) -> Result<Tree, Diagnostic> {
        let mut parts = vec![part(self)?];
        while self.eat(sign) {
            parts.push(part(self)?);
        }
        match parts.len() {
            1 => Ok(parts.swap_remove(0)),
            _ => Ok(Tree::Chain(op, parts)),
        }
    }

    fn condition(&mut self) -> Result<Tree, Diagnostic> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("nesting deeper than {MAX_NESTING} is not supported");
            return Err(Diagnostic::error(self.place(), message));
        }
        let left = self.chain("||", Binary::Or, |p| {
            p.chain("&&", Binary::And, Self::relation)
        })?;
        let tree = match self.eat("->") {
            true => {
                let right = self.condition()?;
                Tree::Binary(Binary::Implies, Box::new(left), Box::new(right))
            }
            false => left,
        };
        self.nesting -= 1;
        Ok(tree)
    }

    fn relation(&mut self) -> Result<Tree, Diagnostic> {
        let left = self.sum()?;
        let op = match self.tokens.get(self.at) {
            Some((Token::Sign("=="), _)) => Binary::Equal,
            Some((Token::Sign("!="), _)) => Binary::NotEqual,
            Some((Token::Sign("<="), _)) => Binary::LessEqual,
            Some((Token::Sign(">="), _)) => Binary::GreaterEqual,
            Some((Token::Sign("<"), _)) => Binary::Less,
            Some((Token::Sign(">"), _)) => Binary::Greater,
            _ => return Ok(left),
        };
        self.at += 1;
        let right = self.sum()?;
        Ok(Tree::Binary(op, Box::new(left), Box::new(right)))
    }

    fn sum(&mut self) -> Result<Tree, Diagnostic> {
        let product = |p: &mut Self| p.chain("*", Binary::Multiply, Self::factor);
        let mut parts = vec![(false, product(self)?)];
        loop {
            let minus = match self.tokens.get(self.at) {
                Some((Token::Sign("+"), _)) => false,
                Some((Token::Sign("-"), _)) => true,
                _ => break,
            };
            self.at += 1;
            parts.push((minus, product(self)?));
        }
        match parts.len() {
            1 => Ok(parts.swap_remove(0).1),
            _ => Ok(Tree::Sum(parts)),
        }
    }

    fn factor(&mut self) -> Result<Tree, Diagnostic> {
        let Some((token, place)) = self.tokens.get(self.at).cloned() else {
            return Err(self.expected("a name or a number"));
        };
        let prefix = match &token {
            Token::Sign("!") => Some(Unary::Not),
            Token::Sign("-") => Some(Unary::Negate),
            Token::Name(word) if word == "not" && self.scope.name(word).is_err() => {
                Some(Unary::Not)
            }
            _ => None,
        };
        if let Some(op) = prefix {
            self.at += 1;
            self.nesting += 1;
            if self.nesting > MAX_NESTING {
                let message = format!("nesting deeper than {MAX_NESTING} is not supported");
                return Err(Diagnostic::error(place, message));
            }
            // `!x == 1` negates the comparison nowhere: signs bind tightest.
            let operand = self.factor()?;
            self.nesting -= 1;
            return Ok(Tree::Unary(op, Box::new(operand)));
        }
        match token {
            Token::Number(n) => {
                self.at += 1;
                Ok(Tree::Number(n))
            }
            Token::Sign("(") => {
                self.at += 1;
                let inside = self.condition()?;
                match self.eat(")") {
                    true => Ok(inside),
                    false => Err(self.expected("`)`")),
                }
            }
            Token::Quoted(name) => {
                self.at += 1;
                Ok(Tree::Name(name, place))
            }
            Token::Name(name) => {
                self.at += 1;
                if matches!(self.tokens.get(self.at), Some((Token::Sign("("), _))) {
                    self.at += 1;
                    return self.arguments(name, place);
                }
                match name.as_str() {
                    "true" if self.scope.name(&name).is_err() => Ok(Tree::Number(1)),
                    "false" if self.scope.name(&name).is_err() => Ok(Tree::Number(0)),
                    _ => Ok(Tree::Name(name, place)),
                }
            }
            Token::Sign(_) => Err(self.expected("a name or a number")),
        }
    }

    fn arguments(&mut self, function: String, place: Span) -> Result<Tree, Diagnostic> {
        let mut arguments = Vec::new();
        loop {
            match self.tokens.get(self.at) {
                Some((Token::Name(name) | Token::Quoted(name), span)) => {
                    arguments.push((name.clone(), *span));
                    self.at += 1;
                }
                _ => return Err(self.expected("a name")),
            }
            if self.eat(")") {
                let end = self.tokens[self.at - 1].1;
                return Ok(Tree::Call(function, arguments, place.to(end)));
            }
            if !self.eat(",") {
                return Err(self.expected("`,` or `)`"));
            }
        }
    }
}

/// The expression of a tree; after a complaint, any.
fn lower(tree: &Tree, scope: &dyn Scope, errors: &mut Vec<Diagnostic>) -> Expr {
    match tree {
        Tree::Number(n) => Expr::Constant(*n),
        Tree::Name(name, place) => match scope.name(name) {
            Ok(operand) => operand.value,
            Err((message, help)) => {
                let error = Diagnostic::error(*place, message);
                errors.push(match help {
                    Some(help) => error.with_help(help),
                    None => error,
                });
                Expr::FALSE
            }
        },
        Tree::Call(function, arguments, place) => match scope.call(function, arguments) {
            Some(Ok(expr)) => expr,
            Some(Err(error)) => {
                errors.push(error);
                Expr::FALSE
            }
            None => {
                let known = scope.functions().join("`, `");
                let error = Diagnostic::error(*place, format!("there is no function `{function}`"));
                errors.push(match known.is_empty() {
                    true => error,
                    false => error.with_help(format!("functions are `{known}`")),
                });
                Expr::FALSE
            }
        },
        Tree::Unary(op, a) => Expr::Unary(*op, Box::new(lower(a, scope, errors))),
        Tree::Binary(op @ (Binary::Equal | Binary::NotEqual), a, b) => {
            if let Some(equal) = word_comparison(a, b, scope).or(word_comparison(b, a, scope)) {
                return match op {
                    Binary::Equal => equal,
                    _ => Expr::Unary(Unary::Not, Box::new(equal)),
                };
            }
            Expr::binary(*op, lower(a, scope, errors), lower(b, scope, errors))
        }
        Tree::Binary(op, a, b) => {
            Expr::binary(*op, lower(a, scope, errors), lower(b, scope, errors))
        }
        Tree::Chain(op, parts) => {
            let parts = parts.iter().map(|p| lower(p, scope, errors)).collect();
            Expr::balanced(*op, parts).unwrap_or(Expr::TRUE)
        }
        Tree::Sum(parts) => {
            let (mut plus, mut minus) = (Vec::new(), Vec::new());
            for (subtracted, part) in parts {
                let part = lower(part, scope, errors);
                match subtracted {
                    true => minus.push(part),
                    false => plus.push(part),
                }
            }
            let plus = Expr::balanced(Binary::Add, plus).unwrap_or(Expr::Constant(0));
            match Expr::balanced(Binary::Add, minus) {
                Some(minus) => Expr::binary(Binary::Subtract, plus, minus),
                None => plus,
            }
        }
    }
}

/// `name == word`, where the word is a value of what the name stands for.
fn word_comparison(name: &Tree, word: &Tree, scope: &dyn Scope) -> Option<Expr> {
    let (Tree::Name(name, _), Tree::Name(word, _)) = (name, word) else {
        return None;
    };
    scope.name(name).ok()?.equals?(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::evaluate;
    use sempre_base::Source;
    use sempre_model::ir::VariableId;

    /// `a`, `b`, `c.d[2]`, `or` are cells 0 to 3; `a` has the values `red` and `green`.
    struct Few;

    impl Scope for Few {
        fn name(&self, name: &str) -> Result<Operand<'_>, (String, Option<String>)> {
            let i = ["a", "b", "c.d[2]", "or"].iter().position(|n| *n == name);
            let i = i.ok_or_else(|| (format!("there is no `{name}`"), None))?;
            let value = Expr::variable(VariableId(i as u32));
            let equals: Option<Equals<'_>> = (i == 0).then(|| {
                let value = value.clone();
                let equals = move |word: &str| {
                    let word = ["red", "green"].iter().position(|w| *w == word)?;
                    Some(Expr::equal(value.clone(), Expr::Constant(word as i64)))
                };
                Box::new(equals) as Equals<'_>
            });
            Ok(Operand { value, equals })
        }
    }

    fn value(text: &str, state: [i64; 4]) -> i64 {
        evaluate(&parse_condition(text, &Few).unwrap(), &state)
    }

    #[test]
    fn operators_bind_as_usual() {
        let s = [1, 2, 3, 0];
        for (text, expected) in [
            ("a + b * c.d[2]", 7),
            ("a - b - c\\.d\\[2\\]", -4),
            ("a - (b - 3)", 2),
            ("(2 <= a + b) and not (b < a)", 1),
            ("!a || b == 2 && a > 5", 0),
            ("a -> b -> a == 0", 0),
            ("a=red", 0),
            ("a != 'red'", 1),
            ("green == a", 1),
            ("true && \"c.d[2]\" >= 3", 1),
            ("or or false", 0),
            ("-a + 2", 1),
        ] {
            assert_eq!(value(text, s), expected, "{text}");
        }
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let check = |text: &str, expected: &str| {
            let errors = parse_condition(text, &Few).unwrap_err();
            let shown: String = errors
                .iter()
                .map(|e| {
                    let (_, column) = Source::new("t", text).line_column(e.span.start);
                    format!("{column}: {}; ", e.message)
                })
                .collect();
            assert_eq!(shown, expected, "{text}");
        };
        check("a <", "4: expected a name or a number, found the end; ");
        check("x + a == y", "1: there is no `x`; 10: there is no `y`; ");
        check("a ? b", "3: unexpected character `?`; ");
        check("(a", "3: expected `)`, found the end; ");
        check("a b", "3: expected an operator or the end, found `b`; ");
        check("f(a)", "1: there is no function `f`; ");
        check("\"a", "1: this quote is never closed; ");
        check("99999999999999999999", "1: this number is too large; ");
        check(
            "a < b < c",
            "7: expected an operator or the end, found `<`; ",
        );
    }

    #[test]
    fn long_is_fine_and_deep_is_refused() {
        let long = vec!["a"; 100_000].join(" + ");
        assert_eq!(value(&long, [1, 0, 0, 0]), 100_000);
        for deep in ["(", "!", "a -> ", "-("] {
            assert!(parse_condition(&(deep.repeat(100_000) + "a"), &Few).is_err());
        }
    }
}
