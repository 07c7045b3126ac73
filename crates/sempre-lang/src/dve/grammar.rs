//! The grammar of expressions.
//!
//! Operators bind as in the grammar of DiVinE 2, from loose to tight:
//!
//! | operators | |
//! | --- | --- |
//! | `imply`, `->` | |
//! | `and` `&&` `or` `\|\|` | **alike**, from the left |
//! | `&` `\|` `^` | **alike**, from the left |
//! | `==` `!=` | |
//! | `<` `<=` `>` `>=` | |
//! | `<<` `>>` | |
//! | `+` `-` | |
//! | `*` `/` `%` | |
//! | `-` `~` `not` `!` | before their operand |
//!
//! So `a or b and c` is `(a or b) and c`, other than in C (and other than in tools that compile DVE to C).
//! Where the two readings differ, a warning asks for parentheses.
//!
//! `p->x` is a variable of `p` if the file has a process `p`, else an implication: process names are
//! collected before parsing.
//!
//! Trees are kept shallow, since everybody after us walks them by recursion: no more than
//! [`DEPTH`] levels, and long chains of `and` (or of `or`) become balanced trees, which evaluate in the
//! same order.

use super::ast::{Expression, Kind as Node};
use super::cursor::{Parsed, Parser};
use super::lexer::{Kind, Token};
use sempre_base::Diagnostic;
use sempre_model::{Binary, Unary};

/// The greatest depth of an expression.
pub(super) const DEPTH: usize = 1000;

/// An expression and the depth of its tree.
type Deep<'a> = (Expression<'a>, usize);

impl<'a> Parser<'a> {
    pub fn expression(&mut self) -> Parsed<Expression<'a>> {
        self.binary(0).map(|deep| deep.0)
    }

    /// Counts the levels of the recursion in `parse`.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= DEPTH {
            return self.too_deep();
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    fn too_deep<T>(&mut self) -> Parsed<T> {
        let message = format!("this expression has more than {DEPTH} levels");
        self.error(self.token.span, message)
    }

    /// Operators of at least this level, and their operands.
    fn binary(&mut self, level: u8) -> Parsed<Deep<'a>> {
        let first = self.unary()?;
        // What stands to the left: operands that one operator joins, to be balanced if it may be.
        let mut run = vec![first];
        let mut joined: Option<Binary> = None;
        let mut loosest = None;
        while let Some((found, op)) = operator(&self.token) {
            if found < level {
                break;
            }
            let mark = self.advance();
            let right = self.deeper(|p| p.binary(found + 1))?;
            self.warn_about_binding(&mut loosest, op, mark);
            let grows = joined == Some(op) && matches!(op, Binary::And | Binary::Or);
            if !grows && let Some(op) = joined {
                let left = balanced(op, run);
                run = vec![left];
            }
            if right.1.max(run[0].1) >= DEPTH {
                return self.too_deep();
            }
            run.push(right);
            joined = Some(op);
        }
        Ok(match joined {
            Some(op) => balanced(op, run),
            None => run.remove(0),
        })
    }

    /// Warns if C would bind `op` tighter than an operator before it in the same chain.
    fn warn_about_binding(
        &mut self,
        loosest: &mut Option<(u8, &'a str)>,
        op: Binary,
        mark: Token<'a>,
    ) {
        let in_c = match op {
            Binary::Or | Binary::BitOr => 0,
            Binary::BitXor => 1,
            Binary::And | Binary::BitAnd => 2,
            _ => {
                *loosest = None;
                return;
            }
        };
        match *loosest {
            Some((before, text)) if before < in_c => {
                let message = format!(
                    "`{text}` and `{}` bind alike in DVE, so what is to the left is taken together",
                    mark.text
                );
                let warning = Diagnostic::warning(mark.span, message);
                let help = "write parentheses to say which is meant";
                self.diagnostics.push(warning.with_help(help));
            }
            _ => *loosest = Some((in_c, mark.text)),
        }
    }

    fn unary(&mut self) -> Parsed<Deep<'a>> {
        let op = match self.token.text {
            "-" => Unary::Negate,
            "not" | "!" => Unary::Not,
            "~" => Unary::Complement,
            _ => return self.primary(),
        };
        let start = self.advance().span.start;
        let (operand, depth) = self.deeper(Self::unary)?;
        if depth >= DEPTH {
            return self.too_deep();
        }
        let span = self.since(start);
        let kind = Node::Unary(op, Box::new(operand));
        Ok((Expression { kind, span }, depth + 1))
    }

    fn primary(&mut self) -> Parsed<Deep<'a>> {
        let token = self.token;
        let start = token.span.start;
        let mut depth = 1;
        let kind = match token.kind {
            Kind::Number => {
                self.advance();
                match token.text.parse::<i32>() {
                    Ok(n) => Node::Number(i64::from(n)),
                    Err(_) => {
                        let message = format!("numbers go up to {}", i32::MAX);
                        return self.error(token.span, message);
                    }
                }
            }
            Kind::Quoted => {
                self.advance();
                Node::Quoted(&token.text[1..token.text.len() - 1])
            }
            Kind::Name if token.text == "true" || token.text == "false" => {
                self.advance();
                Node::Number(i64::from(token.text == "true"))
            }
            Kind::Name => {
                let name = self.name("an expression")?;
                if self.eat(".") {
                    let member = self.name("a location")?;
                    Node::Dot(name, member, self.index(&mut depth)?)
                } else if self.at("->") && self.processes.contains(name.text) {
                    self.advance();
                    let member = self.name("a variable of the process")?;
                    Node::Foreign(name, member, self.index(&mut depth)?)
                } else {
                    match self.index(&mut depth)? {
                        Some(index) => Node::Element(name, index),
                        None => Node::Name(name),
                    }
                }
            }
            Kind::Mark if token.text == "(" => {
                self.advance();
                let (mut inner, depth) = self.deeper(|p| p.binary(0))?;
                self.expect(")")?;
                inner.span = self.since(start);
                return Ok((inner, depth));
            }
            _ => return self.expected("an expression"),
        };
        let span = self.since(start);
        Ok((Expression { kind, span }, depth))
    }

    fn index(&mut self, depth: &mut usize) -> Parsed<Option<Box<Expression<'a>>>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let (index, below) = self.deeper(|p| p.binary(0))?;
        self.expect("]")?;
        *depth = below + 1;
        Ok(Some(Box::new(index)))
    }
}

/// The level of a binary operator and what it is.
fn operator(token: &Token<'_>) -> Option<(u8, Binary)> {
    if !matches!(token.kind, Kind::Mark | Kind::Name) {
        return None;
    }
    Some(match token.text {
        "imply" | "->" => (0, Binary::Implies),
        "and" | "&&" => (1, Binary::And),
        "or" | "||" => (1, Binary::Or),
        "&" => (2, Binary::BitAnd),
        "|" => (2, Binary::BitOr),
        "^" => (2, Binary::BitXor),
        "==" => (3, Binary::Equal),
        "!=" => (3, Binary::NotEqual),
        "<" => (4, Binary::Less),
        "<=" => (4, Binary::LessEqual),
        ">" => (4, Binary::Greater),
        ">=" => (4, Binary::GreaterEqual),
        "<<" => (5, Binary::ShiftLeft),
        ">>" => (5, Binary::ShiftRight),
        "+" => (6, Binary::Add),
        "-" => (6, Binary::Subtract),
        "*" => (7, Binary::Multiply),
        "/" => (7, Binary::Divide),
        "%" => (7, Binary::Modulo),
        _ => return None,
    })
}

/// The operands joined by an associative operator (or just two by any), as a tree of least depth. The
/// first operand may be deep; it stays near the root, so that the whole is not much deeper than it.
fn balanced<'a>(op: Binary, mut operands: Vec<Deep<'a>>) -> Deep<'a> {
    let join = |(left, l): Deep<'a>, (right, r): Deep<'a>| {
        let span = left.span.to(right.span);
        let kind = Node::Binary(op, Box::new(left), Box::new(right));
        (Expression { kind, span }, l.max(r) + 1)
    };
    while operands.len() > 1 {
        let mut pairs = operands.into_iter();
        let mut next = Vec::with_capacity(pairs.len() / 2 + 1);
        while let Some(left) = pairs.next() {
            next.push(match pairs.next() {
                Some(right) => join(left, right),
                None => left,
            });
        }
        operands = next;
    }
    operands.remove(0)
}

#[cfg(test)]
mod tests {
    use super::super::lexer::Lexer;
    use super::super::parser::parse_expression;
    use super::*;
    use rustc_hash::FxHashSet;
    use sempre_base::Random;

    fn parse(text: &str) -> Result<Expression<'_>, Vec<Diagnostic>> {
        parse_expression(Lexer::new(text), ["P"].into_iter().collect())
    }

    fn show(e: &Expression<'_>) -> String {
        let index = |i: &Option<Box<Expression<'_>>>| match i {
            Some(i) => format!("[{}]", show(i)),
            None => String::new(),
        };
        match &e.kind {
            Node::Number(n) => n.to_string(),
            Node::Quoted(s) => format!("'{s}'"),
            Node::Name(n) => n.text.to_string(),
            Node::Element(n, i) => format!("{}[{}]", n.text, show(i)),
            Node::Dot(p, m, i) => format!("{}.{}{}", p.text, m.text, index(i)),
            Node::Foreign(p, m, i) => format!("{}->{}{}", p.text, m.text, index(i)),
            Node::Unary(op, a) => format!("{op:?}({})", show(a)),
            Node::Binary(op, a, b) => format!("{op:?}({}, {})", show(a), show(b)),
        }
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(show(&parse(text).unwrap()), expected, "{text}");
    }

    #[test]
    fn operators_bind_as_in_divine() {
        check("a + b * c - d", "Subtract(Add(a, Multiply(b, c)), d)");
        check(
            "not a == b & 1",
            "BitAnd(Equal(Not(a), b), 1)", // `not` is tight, `&` loose
        );
        check("a && b or c imply d", "Implies(Or(And(a, b), c), d)");
        check(
            "a << 1 < -b[~i]",
            "Less(ShiftLeft(a, 1), Negate(b[Complement(i)]))",
        );
        check("a -> b -> c", "Implies(Implies(a, b), c)");
        check("P->v[1] + P.s", "Add(P->v[1], P.s)");
        check("p->v and w", "Implies(p, And(v, w))");
    }

    #[test]
    fn a_reading_unlike_that_of_c_is_told() {
        for (text, warned) in [
            ("a or b and c", true),
            ("a and b or c", false),
            ("a or (b and c)", false),
            ("a | b & c", true),
            ("a & b | c", false),
            ("a || b == c && d", true),
            ("a || (b || c) -> d && e", false),
        ] {
            let mut parser = Parser::new(Lexer::new(text), FxHashSet::default());
            assert!(parser.expression().is_ok());
            assert_eq!(!parser.diagnostics.is_empty(), warned, "{text}");
        }
        let mut parser = Parser::new(Lexer::new("a or b and c"), FxHashSet::default());
        let e = parser.expression().unwrap();
        assert_eq!(show(&e), "And(Or(a, b), c)");
    }

    /// The value of `numbers[0] ops[0] numbers[1] …`: split at the loosest operator, the last of
    /// them, again and again.
    fn reference(numbers: &[i64], ops: &[&str]) -> Option<i64> {
        const LEVELS: [&[&str]; 8] = [
            &["imply", "->"],
            &["and", "&&", "or", "||"],
            &["&", "|", "^"],
            &["==", "!="],
            &["<", "<=", ">", ">="],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "/", "%"],
        ];
        let level = |op: &str| LEVELS.iter().position(|l| l.contains(&op)).unwrap();
        let Some(loosest) = ops.iter().map(|op| level(op)).min() else {
            return Some(numbers[0]);
        };
        let at = ops.iter().rposition(|op| level(op) == loosest).unwrap();
        let a = reference(&numbers[..=at], &ops[..at]);
        let b = reference(&numbers[at + 1..], &ops[at + 1..]);
        let bit = |b: bool| Some(i64::from(b));
        let (a, b) = (a?, b?);
        match ops[at] {
            "imply" | "->" => bit(a == 0 || b != 0),
            "and" | "&&" => bit(a != 0 && b != 0),
            "or" | "||" => bit(a != 0 || b != 0),
            "&" => Some(a & b),
            "|" => Some(a | b),
            "^" => Some(a ^ b),
            "==" => bit(a == b),
            "!=" => bit(a != b),
            "<" => bit(a < b),
            "<=" => bit(a <= b),
            ">" => bit(a > b),
            ">=" => bit(a >= b),
            "<<" => Some(a << (b & 63)),
            ">>" => Some(a >> (b & 63)),
            "+" => Some(a.wrapping_add(b)),
            "-" => Some(a.wrapping_sub(b)),
            "*" => Some(a.wrapping_mul(b)),
            "/" => a.checked_div(b),
            "%" => a.checked_rem(b),
            op => panic!("{op}"),
        }
    }

    #[test]
    fn random_expressions_have_the_value_of_the_table() {
        const OPS: [&str; 22] = [
            "imply", "->", "and", "&&", "or", "||", "&", "|", "^", "==", "!=", "<", "<=", ">",
            ">=", "<<", ">>", "+", "-", "*", "/", "%",
        ];
        let mut random = Random::new(1);
        let mut compared = 0;
        for _ in 0..3000 {
            let n = 1 + random.below(12);
            let numbers: Vec<i64> = (0..n).map(|_| random.below(9) as i64).collect();
            let few: Vec<&str> = (0..3).map(|_| *random.pick(&OPS)).collect();
            let ops: Vec<&str> = (1..n).map(|_| *random.pick(&few)).collect();
            let mut text = numbers[0].to_string();
            for (op, n) in ops.iter().zip(&numbers[1..]) {
                text += &format!(" {op} {n}");
            }
            // The whole way, through the initial value of a 16-bit variable.
            let Some(value) = reference(&numbers, &ops) else {
                continue;
            };
            let file = format!("int x = {text}; process p {{ state s; init s; }} system async;");
            let model = super::super::read("t", &file).unwrap();
            let expected = i64::from(value as i16);
            assert_eq!(model.program.initial[0][0], expected, "{text}");
            compared += 1;
        }
        assert!(compared > 2000);
    }

    #[test]
    fn long_chains_are_shallow_and_in_order() {
        fn depth(e: &Expression<'_>) -> usize {
            match &e.kind {
                Node::Binary(_, a, b) => 1 + depth(a).max(depth(b)),
                _ => 1,
            }
        }
        fn leaves<'a>(e: &'a Expression<'_>, into: &mut Vec<&'a str>) {
            match &e.kind {
                Node::Binary(_, a, b) => {
                    leaves(a, into);
                    leaves(b, into);
                }
                Node::Name(n) => into.push(n.text),
                _ => panic!(),
            }
        }
        for n in [1, 2, 3, 7, 100, 50_000] {
            let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
            let text = names.join(" && ");
            let e = parse(&text).unwrap();
            assert!(depth(&e) <= 18);
            let mut found = Vec::new();
            leaves(&e, &mut found);
            assert_eq!(found, names);
        }
    }

    #[test]
    fn depth_has_a_limit() {
        for deep in [
            "(",
            "-",
            "a[",
            "1+(",
            "1 -> 1 && 1 & 1 == 1 < 1 << 1 + 1 * (",
        ] {
            let errors = parse(&deep.repeat(20_000)).unwrap_err();
            assert_eq!(errors.len(), 1);
            assert!(errors[0].message.contains("levels"), "{deep} {errors:?}");
        }
        assert!(parse(&vec!["1"; 5000].join(" + ")).is_err());
        let fine = format!("{}1{}", "(".repeat(900), ")".repeat(900));
        assert!(parse(&fine).is_ok());
        assert!(parse(&vec!["1"; 900].join(" - ")).is_ok());
    }

    #[test]
    fn errors_say_what_was_expected() {
        let at = |text: &str| {
            let e = parse(text).unwrap_err().remove(0);
            (e.span.start, e.span.end, e.message)
        };
        assert_eq!(
            at("a + ;"),
            (4, 5, "expected an expression, found `;`".to_string())
        );
        assert_eq!(at("(a"), (2, 2, "expected `)`, found the end".to_string()));
        assert_eq!(
            at("a + guard"),
            (
                4,
                9,
                "expected an expression, found the keyword `guard`".to_string()
            )
        );
        assert_eq!(
            at("a $$ b"),
            (
                2,
                4,
                "expected an operator or the end, found `$$`, which is no word of DVE".to_string()
            )
        );
        assert_eq!(
            at("99999999999"),
            (0, 11, "numbers go up to 2147483647".to_string())
        );
    }
}
