//! Conditions of `#if`: integers, and names that are not defined, which are 0.

use super::DEPTH;
use crate::promela::lexer::{Kind, Token};

/// The expression of an `#if`.
pub(super) struct Condition<'a> {
    pub words: &'a [Token],
    pub at: usize,
    pub depth: usize,
}

impl Condition<'_> {
    pub fn value(&mut self, least: usize) -> Option<i64> {
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
