//! The grammar of expressions and, with the operators of temporal logic, of formulas.
//!
//! Operators bind as in C. In a formula the temporal operators with two operands bind tighter than `&&` and looser than
//! `|`, from the left, as in SPIN; `->` and `<->` are loosest; those with one operand bind like `!`.

use super::ast::{
    Argument, Expression, ExpressionKind as Kind, Name, Reference, Remote, Temporal, Test,
};
use super::cursor::{Parsed, Parser};
use super::lexer;
use sempre_base::Span;
use sempre_model::ir::{Binary, Unary};

const LEVELS: [&[(&str, Binary)]; 10] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And), ("/\\", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    &[
        ("<", Binary::Less),
        ("<=", Binary::LessEqual),
        (">", Binary::Greater),
        (">=", Binary::GreaterEqual),
    ],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[
        ("*", Binary::Multiply),
        ("/", Binary::Divide),
        ("%", Binary::Modulo),
    ],
];

fn at(kind: Kind, span: Span) -> Expression {
    Expression { kind, span }
}

impl Parser {
    pub fn expression(&mut self) -> Parsed<Expression> {
        self.deeper(|p| {
            if p.formula {
                p.implication()
            } else {
                p.level(0)
            }
        })
    }

    fn implication(&mut self) -> Parsed<Expression> {
        let mut left = self.level(0)?;
        loop {
            let op = if self.at("->") || self.at("implies") {
                Temporal::Implies
            } else if self.at("<->") || self.at("equivalent") {
                Temporal::Equivalent
            } else {
                return Ok(left);
            };
            self.advance();
            let right = self.level(0)?;
            let span = left.span.to(right.span);
            left = at(Kind::Temporal(op, vec![left, right]), span);
        }
    }

    fn level(&mut self, level: usize) -> Parsed<Expression> {
        let Some(operators) = LEVELS.get(level) else {
            return self.operand();
        };
        let mut left = match level {
            1 if self.formula => self.until()?,
            _ => self.level(level + 1)?,
        };
        loop {
            // `c?<x>` ends with a mark that is an operator elsewhere.
            let found = operators.iter().find(|(text, _)| self.at(text));
            let Some(&(_, op)) = found else {
                return Ok(left);
            };
            // `<>` in a formula is no comparison.
            if self.formula && self.at("<") && self.ahead(1).is(">") && !self.ahead(1).spaced {
                return Ok(left);
            }
            // `x = y ⏎ -z > 0` is two statements.
            if self.at_new_statement("-") {
                return Ok(left);
            }
            self.advance();
            let right = match level {
                1 if self.formula => self.until()?,
                _ => self.level(level + 1)?,
            };
            let span = left.span.to(right.span);
            left = at(Kind::Binary(op, Box::new(left), Box::new(right)), span);
        }
    }

    fn until(&mut self) -> Parsed<Expression> {
        let mut left = self.level(2)?;
        loop {
            let op = match &*self.token().text {
                "U" | "until" | "stronguntil" => Temporal::Until,
                "V" | "R" | "release" => Temporal::Release,
                "W" | "weakuntil" => Temporal::WeakUntil,
                _ => return Ok(left),
            };
            if self.token().kind != lexer::Kind::Name {
                return Ok(left);
            }
            self.advance();
            let right = self.level(2)?;
            let span = left.span.to(right.span);
            left = at(Kind::Temporal(op, vec![left, right]), span);
        }
    }

    fn temporal(&mut self) -> Option<Temporal> {
        if !self.formula {
            return None;
        }
        let two = |a: &str, b: &str| self.at(a) && self.ahead(1).is(b) && !self.ahead(1).spaced;
        let (op, words) = if two("[", "]") {
            (Temporal::Always, 2)
        } else if two("<", ">") {
            (Temporal::Eventually, 2)
        } else {
            let op = match &*self.token().text {
                "always" => Temporal::Always,
                "eventually" => Temporal::Eventually,
                "X" | "next" => Temporal::Next,
                _ => return None,
            };
            // A variable may be called so.
            if self.ahead(1).kind == lexer::Kind::Mark
                && !["(", "!", "[", "<", "-", "~"].contains(&&*self.ahead(1).text)
            {
                return None;
            }
            (op, 1)
        };
        for _ in 0..words {
            self.advance();
        }
        Some(op)
    }

    fn operand(&mut self) -> Parsed<Expression> {
        self.deeper(|p| p.operand_here())
    }

    fn operand_here(&mut self) -> Parsed<Expression> {
        let start = self.token().span;
        if let Some(op) = self.temporal() {
            let inside = self.operand()?;
            let span = start.to(inside.span);
            return Ok(at(Kind::Temporal(op, vec![inside]), span));
        }
        for (text, op) in [
            ("!", Unary::Not),
            ("-", Unary::Negate),
            ("~", Unary::Complement),
        ] {
            if self.eat(text) {
                let inside = self.operand()?;
                let span = start.to(inside.span);
                return Ok(match (op, inside.kind) {
                    (Unary::Negate, Kind::Number(n)) => at(Kind::Number(-n), span),
                    (_, kind) => {
                        let inside = at(kind, inside.span);
                        at(Kind::Unary(op, Box::new(inside)), span)
                    }
                });
            }
        }
        // `!!x` is two negations here.
        if self.eat("!!") {
            let inside = self.operand()?;
            let span = start.to(inside.span);
            let once = at(Kind::Unary(Unary::Not, Box::new(inside)), span);
            return Ok(at(Kind::Unary(Unary::Not, Box::new(once)), span));
        }
        if self.at("(") {
            return self.parenthesis(start);
        }
        let token = self.token().clone();
        match token.kind {
            lexer::Kind::Number => {
                self.advance();
                let Some(n) = number(&token.text) else {
                    return self.error(start, "this number cannot be read");
                };
                Ok(at(Kind::Number(n), start))
            }
            lexer::Kind::Character => {
                self.advance();
                Ok(at(Kind::Number(character(&token.text)), start))
            }
            lexer::Kind::Name => self.word(&token.text, start),
            _ => self.expected("an expression"),
        }
    }

    fn parenthesis(&mut self, start: Span) -> Parsed<Expression> {
        self.expect("(")?;
        // `(condition -> then : otherwise)`, which in a formula would be an implication.
        let formula = self.formula;
        let mut inside = self.expression()?;
        if !formula && self.eat("->") {
            let then = self.expression()?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            let end = self.expect(")")?;
            let parts = (Box::new(inside), Box::new(then), Box::new(otherwise));
            return Ok(at(Kind::If(parts.0, parts.1, parts.2), start.to(end)));
        }
        let end = self.expect(")")?;
        inside.span = start.to(end);
        Ok(inside)
    }

    fn word(&mut self, word: &str, start: Span) -> Parsed<Expression> {
        let test = match word {
            "len" => Some(Test::Len),
            "full" => Some(Test::Full),
            "nfull" => Some(Test::NotFull),
            "empty" => Some(Test::Empty),
            "nempty" => Some(Test::NotEmpty),
            _ => None,
        };
        if let Some(test) = test {
            self.advance();
            self.expect("(")?;
            let channel = self.reference()?;
            let end = self.expect(")")?;
            return Ok(at(Kind::Channel(test, channel), start.to(end)));
        }
        match word {
            "true" | "skip" => {
                self.advance();
                Ok(at(Kind::Number(1), start))
            }
            "false" => {
                self.advance();
                Ok(at(Kind::Number(0), start))
            }
            "timeout" => {
                self.advance();
                Ok(at(Kind::Timeout, start))
            }
            "np_" => {
                self.advance();
                Ok(at(Kind::NonProgress, start))
            }
            "run" => {
                self.advance();
                let name = self.name("the name of a proctype")?;
                let arguments = self.arguments()?;
                let priority = self.priority(0)?;
                let span = start.to(self.last);
                Ok(at(Kind::Run(name, arguments, priority.map(|p| p.0)), span))
            }
            "get_priority" => {
                self.advance();
                self.expect("(")?;
                let process = self.expression()?;
                let end = self.expect(")")?;
                Ok(at(Kind::Priority(Box::new(process)), start.to(end)))
            }
            "set_priority" => self.error(start, "`set_priority` is a statement and has no value"),
            "enabled" | "pc_value" => self.refused(&format!("`{word}` is not supported")),
            "c_expr" => self.refused("embedded C code is not supported"),
            "eval" => self.error(start, "`eval` only stands among the arguments of a receive"),
            _ => self.named(),
        }
    }

    /// Complains about what is a part of the language, but not read.
    pub fn refused<T>(&mut self, message: &str) -> Parsed<T> {
        let span = self.token().span;
        self.error(span, message)
    }

    /// `priority n`, if it is there, and where; `n` is `least` to 255.
    pub fn priority(&mut self, least: u8) -> Parsed<Option<(u8, Span)>> {
        if !self.at("priority") {
            return Ok(None);
        }
        let start = self.advance().span;
        if self.token().kind != lexer::Kind::Number {
            return self.expected("a number");
        }
        let word = self.advance();
        match word.text.parse::<u8>() {
            Ok(n) if n >= least => Ok(Some((n, start.to(word.span)))),
            _ => self.error(word.span, "a priority is a number from 1 to 255"),
        }
    }

    /// `(e, …)`
    pub fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        self.expect("(")?;
        let mut all = Vec::new();
        if !self.at(")") {
            all.push(self.expression()?);
            while self.eat(",") {
                all.push(self.expression()?);
            }
        }
        self.expect(")")?;
        Ok(all)
    }

    /// A variable, a poll of a channel, or something of another process.
    fn named(&mut self) -> Parsed<Expression> {
        let start = self.token().span;
        if self.processes.contains(&self.token().text)
            && (self.ahead(1).is("[") || self.ahead(1).is("@") || self.ahead(1).is(":"))
        {
            return self.remote(start);
        }
        let reference = self.reference()?;
        let random = self.at("??");
        if (random || self.at("?")) && self.ahead(1).is("[") {
            self.advance();
            self.advance();
            let arguments = self.receive_arguments()?;
            let end = self.expect("]")?;
            return Ok(at(Kind::Poll(reference, arguments, random), start.to(end)));
        }
        let span = reference.span;
        Ok(at(Kind::Reference(reference), span))
    }

    fn remote(&mut self, start: Span) -> Parsed<Expression> {
        let name = self.name("the name of a process")?;
        let mut index = None;
        if self.eat("[") {
            index = Some(Box::new(self.expression()?));
            self.expect("]")?;
        }
        let remote = if self.eat("@") {
            Remote::Label(self.name("a label")?)
        } else if self.eat(":") || self.eat(".") {
            let variable = self.name("a variable")?;
            let mut element = None;
            if self.eat("[") {
                element = Some(Box::new(self.expression()?));
                self.expect("]")?;
            }
            Remote::Variable(variable, element)
        } else {
            return self.expected("`@` or `:`");
        };
        let span = start.to(self.last);
        Ok(at(Kind::Remote(name, index, remote), span))
    }

    /// `a[i].b[j]`
    pub fn reference(&mut self) -> Parsed<Reference> {
        let start = self.token().span;
        let mut parts = Vec::new();
        loop {
            let name: Name = self.name("a variable")?;
            let mut index = None;
            // `[]` is an operator of formulas.
            if self.at("[") && !(self.formula && self.ahead(1).is("]")) {
                self.advance();
                let formula = std::mem::replace(&mut self.formula, false);
                let inside = self.expression();
                self.formula = formula;
                index = Some(Box::new(inside?));
                self.expect("]")?;
            }
            parts.push((name, index));
            if !self.eat(".") {
                break;
            }
        }
        let span = start.to(self.last);
        Ok(Reference { parts, span })
    }

    /// The arguments of a receive.
    pub fn receive_arguments(&mut self) -> Parsed<Vec<Argument>> {
        let mut all = Vec::new();
        if self.at("(") {
            self.advance();
            all = self.deeper(Self::receive_arguments)?;
            self.expect(")")?;
            return Ok(all);
        }
        loop {
            all.push(self.receive_argument()?);
            if self.eat(",") {
                continue;
            }
            if !self.at_new_statement("(") && self.eat("(") {
                let more = self.deeper(Self::receive_arguments)?;
                all.extend(more);
                self.expect(")")?;
            }
            return Ok(all);
        }
    }

    fn receive_argument(&mut self) -> Parsed<Argument> {
        let start = self.token().span;
        if self.eat("eval") {
            self.expect("(")?;
            let value = self.expression()?;
            self.expect(")")?;
            return Ok(Argument::Match(value));
        }
        let token = self.token().clone();
        let negative = self.eat("-");
        let token = if negative {
            self.token().clone()
        } else {
            token
        };
        let value = match (token.kind, &*token.text) {
            (lexer::Kind::Number, text) => number(text),
            (lexer::Kind::Character, text) => Some(character(text)),
            (_, "true" | "skip") => Some(1),
            (_, "false") => Some(0),
            _ if negative => return self.expected("a number"),
            _ => return Ok(Argument::Reference(self.reference()?)),
        };
        self.advance();
        let Some(value) = value else {
            return self.error(start, "this number cannot be read");
        };
        let value = if negative { -value } else { value };
        Ok(Argument::Match(at(
            Kind::Number(value),
            start.to(self.last),
        )))
    }
}

fn number(text: &str) -> Option<i64> {
    let value: i64 = text.parse().ok()?;
    (value <= i64::from(u32::MAX)).then_some(value)
}

/// The number of a character, which is in quotes.
fn character(text: &str) -> i64 {
    let mut inside = text.chars().skip(1);
    match (inside.next(), inside.next()) {
        (Some('\\'), Some('n')) => 10,
        (Some('\\'), Some('t')) => 9,
        (Some('\\'), Some('r')) => 13,
        (Some('\\'), Some(c)) if c != '\'' => i64::from(u32::from(c)),
        (Some(c), _) => i64::from(u32::from(c)),
        _ => 0,
    }
}
