//! Writing formulas.
//!
//! The text can be read back by [`mod@crate::parse`] and gives the same formula, with two exceptions: SPIN has
//! neither `M` nor `xor`, which are written by their definitions, and LBT has only binary `&` and `|`, so a chain is
//! nested when it is read back exactly.
//!
//! Parentheses are placed as in Spot: none around a chain of one operator or under a unary one (`GFa`), always around
//! a binary operator below a different one (`a U (b U c)`), since few readers remember precedences. A proposition
//! that is not a plain name, or that would be read otherwise (`GFa`, `U`, `true`), is written in double quotes.

use crate::formula::{Formula, Formulas, Op};
use crate::parse::term::{canonical, requote};
use crate::parse::words::{binary_word, is_glued};
use rustc_hash::FxHashSet;
use std::fmt;

/// The syntaxes formulas are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `G(a -> Fb)`
    Spot,
    /// `[](a -> <>b)`
    Spin,
    /// `G i p0 F p1`
    Lbt,
    /// `□(a → ◇b)`
    Unicode,
}

/// `f` as text.
pub fn print(arena: &Formulas, f: Formula, syntax: Syntax) -> impl fmt::Display {
    Printed { arena, f, syntax }
}

struct Printed<'a> {
    arena: &'a Formulas,
    f: Formula,
    syntax: Syntax,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut writer = Writer {
            arena: self.arena,
            syntax: self.syntax,
            with_strong_release: match self.syntax {
                Syntax::Spin => with_strong_release(self.arena, self.f),
                _ => FxHashSet::default(),
            },
            todo: vec![Part::Formula(self.f)],
        };
        writer.run(out)
    }
}

/// A part that is still to be written; a stack instead of recursion, for deep formulas.
enum Part {
    Formula(Formula),
    /// An operand: parenthesised if it is a binary operator.
    Operand(Formula),
    Text(&'static str),
}

struct Writer<'a> {
    arena: &'a Formulas,
    syntax: Syntax,
    /// For SPIN: the subformulas that contain an `M`.
    with_strong_release: FxHashSet<Formula>,
    todo: Vec<Part>,
}

impl Writer<'_> {
    fn run(&mut self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        while let Some(part) = self.todo.pop() {
            match part {
                Part::Text(text) => out.write_str(text)?,
                Part::Formula(f) if self.syntax == Syntax::Lbt => self.prefix(f, out)?,
                Part::Formula(f) => self.infix(f, out)?,
                Part::Operand(f) if self.is_binary(f) => {
                    out.write_str("(")?;
                    self.todo.push(Part::Text(")"));
                    self.todo.push(Part::Formula(f));
                }
                Part::Operand(f) => self.todo.push(Part::Formula(f)),
            }
        }
        Ok(())
    }

    fn is_binary(&self, f: Formula) -> bool {
        match self.arena.op(f) {
            // Written as `!(f <-> g)`, which is unary.
            Op::Xor => self.syntax != Syntax::Spin,
            Op::True | Op::False | Op::Proposition => false,
            Op::Not | Op::Next | Op::Finally | Op::Globally => false,
            _ => true,
        }
    }

    fn infix(&mut self, f: Formula, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arena = self.arena;
        let op = arena.op(f);
        let operands = arena.operands(f);
        match op {
            Op::True | Op::False => out.write_str(self.sign(op)),
            Op::Proposition => out.write_str(&name(arena, f)),
            Op::Not | Op::Next | Op::Finally | Op::Globally => {
                let operand = operands[0];
                out.write_str(self.sign(op))?;
                let constant = operand.is_constant();
                if constant {
                    // `X0` is too easily taken for a name.
                    out.write_str("(")?;
                    self.todo.push(Part::Text(")"));
                } else if self.needs_space(op, operand) {
                    out.write_str(" ")?;
                }
                self.todo.push(Part::Operand(operand));
                Ok(())
            }
            Op::Xor if self.syntax == Syntax::Spin => {
                out.write_str("!(")?;
                self.todo.push(Part::Text(")"));
                self.chain(operands, " <-> ");
                Ok(())
            }
            Op::StrongRelease if self.with_strong_release.contains(&operands[1]) => {
                // f M g = !(!f W !g): no operand twice, for each level would double the text.
                out.write_str("!(!")?;
                self.todo.push(Part::Text(")"));
                self.chain(operands, " W !");
                Ok(())
            }
            Op::StrongRelease if self.syntax == Syntax::Spin => {
                // f M g = g U (f && g)
                self.todo.push(Part::Text(")"));
                self.chain(operands, " && ");
                self.todo.push(Part::Text(" U ("));
                self.todo.push(Part::Operand(operands[1]));
                Ok(())
            }
            _ => {
                self.chain(operands, self.sign(op));
                Ok(())
            }
        }
    }

    /// Queues `f sign g sign …`.
    fn chain(&mut self, operands: &[Formula], sign: &'static str) {
        for (i, &g) in operands.iter().enumerate().rev() {
            self.todo.push(Part::Operand(g));
            if i > 0 {
                self.todo.push(Part::Text(sign));
            }
        }
    }

    /// True if the operator would form one token with the following text.
    fn needs_space(&self, op: Op, operand: Formula) -> bool {
        let letter = self.sign(op).ends_with(|c: char| c.is_ascii_alphabetic());
        if !letter {
            return false;
        }
        let arena = self.arena;
        match arena.op(operand) {
            Op::Proposition => {
                let text = name(arena, operand);
                // SPIN itself does not split `Xa`.
                self.syntax == Syntax::Spin && !text.starts_with('"')
                    || !text.starts_with(|c: char| c == '"' || c.is_ascii_lowercase())
            }
            Op::Next => self.syntax == Syntax::Spin,
            _ => false,
        }
    }

    fn prefix(&mut self, f: Formula, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arena = self.arena;
        let op = arena.op(f);
        let operands = arena.operands(f);
        if op == Op::Proposition {
            let text = arena.name(arena.proposition_number(f));
            let digits = text.strip_prefix('p').unwrap_or("");
            return if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
                out.write_str(text)
            } else {
                out.write_str(&quoted(text))
            };
        }
        // A chain of n operands has n - 1 signs in front: `& & a b c`.
        for i in 0..operands.len().saturating_sub(1).max(1) {
            if i > 0 {
                out.write_str(" ")?;
            }
            out.write_str(self.sign(op))?;
        }
        for &g in operands.iter().rev() {
            self.todo.push(Part::Formula(g));
            self.todo.push(Part::Text(" "));
        }
        Ok(())
    }

    fn sign(&self, op: Op) -> &'static str {
        let [spot, spin, lbt, unicode] = match op {
            Op::True => ["1", "true", "t", "⊤"],
            Op::False => ["0", "false", "f", "⊥"],
            Op::Proposition => [""; 4],
            Op::Not => ["!", "!", "!", "¬"],
            Op::Next => ["X", "X", "X", "○"],
            Op::Finally => ["F", "<>", "F", "◇"],
            Op::Globally => ["G", "[]", "G", "□"],
            Op::And => [" & ", " && ", "&", " ∧ "],
            Op::Or => [" | ", " || ", "|", " ∨ "],
            Op::Implies => [" -> ", " -> ", "i", " → "],
            Op::Equiv => [" <-> ", " <-> ", "e", " ↔ "],
            Op::Xor => [" xor ", " xor ", "^", " ⊕ "],
            Op::Until => [" U ", " U ", "U", " U "],
            Op::Release => [" R ", " V ", "V", " R "],
            Op::WeakUntil => [" W ", " W ", "W", " W "],
            Op::StrongRelease => [" M ", " M ", "M", " M "],
        };
        match self.syntax {
            Syntax::Spot => spot,
            Syntax::Spin => spin,
            Syntax::Lbt => lbt,
            Syntax::Unicode => unicode,
        }
    }
}

/// The subformulas of `f` in which `M` occurs.
fn with_strong_release(arena: &Formulas, f: Formula) -> FxHashSet<Formula> {
    let mut found = FxHashSet::default();
    for g in arena.subformulas(f) {
        if arena.op(g) == Op::StrongRelease || arena.operands(g).iter().any(|h| found.contains(h)) {
            found.insert(g);
        }
    }
    found
}

/// A proposition as the infix syntaxes have it.
fn name(arena: &Formulas, f: Formula) -> String {
    let text = arena.name(arena.proposition_number(f));
    if is_plain(text) {
        text.to_string()
    } else {
        quoted(text)
    }
}

/// `text` in double quotes; `P == "CS"` as `"P == 'CS'"`, which is read back the same, if it is.
fn quoted(text: &str) -> String {
    if text.contains('"') {
        let single = text.replace('"', "'");
        if !text.contains(['\'', '\\']) && canonical(&single) == text {
            return requote(&single);
        }
    }
    requote(text)
}

/// True if `text` is read as the proposition `text` wherever it stands.
fn is_plain(text: &str) -> bool {
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.split('.').all(word)
        && !text.bytes().all(|b| b"FGX".contains(&b))
        && binary_word(text).is_none()
        && !is_glued(text)
        && !["true", "false", "tt", "ff"]
            .iter()
            .any(|k| text.eq_ignore_ascii_case(k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso::{Letter, holds};
    use crate::parse::{ParseOptions, parse, parse_lbt};
    use crate::random::RandomFormula;
    use sempre_base::{Lasso, Random};

    /// The printed text is read back, in every syntax.
    #[test]
    fn print_and_parse() {
        let mut arena = Formulas::new();
        let mut r = Random::new(17);
        let names = [
            "a",
            "p1",
            "X",
            "U",
            "GFa",
            "true",
            "tt",
            "1",
            "x == 3",
            "P_0.CS",
            "s == \"CS\"",
            "Busy",
            "_x",
            "F0",
            "a b",
            "back\\slash",
            "é",
            "x[2]",
            "xor",
            "not",
            "and",
            "or",
            "s == \"it's\"",
            "say \"hi\"",
            "FGX",
            "i",
            "t",
        ];
        for round in 0..4000 {
            let mut shape = RandomFormula {
                sizes: 1..=20,
                names: names.map(String::from).to_vec(),
                exact: round % 2 == 0,
                ..RandomFormula::new(names.len())
            };
            let options = ParseOptions {
                exact: shape.exact,
                known: None,
            };
            let f = shape.draw(&mut arena, &mut r);
            for syntax in [Syntax::Spot, Syntax::Unicode, Syntax::Lbt] {
                let text = print(&arena, f, syntax).to_string();
                let read = if syntax == Syntax::Lbt {
                    parse_lbt(&mut arena, &text, &options)
                } else {
                    parse(&mut arena, &text, &options)
                };
                assert_eq!(read.map(|p| p.formula), Ok(f), "{text}");
            }
            shape.set_priority(Op::Xor, 0);
            shape.set_priority(Op::StrongRelease, 0);
            let f = shape.draw(&mut arena, &mut r);
            let text = print(&arena, f, Syntax::Spin).to_string();
            let read = parse(&mut arena, &text, &options);
            assert_eq!(read.map(|p| p.formula), Ok(f), "{text}");
        }
    }

    #[test]
    fn what_spin_lacks_is_expanded() {
        let mut arena = Formulas::new();
        let mut spin = |text: &str| {
            let options = ParseOptions::default();
            let f = parse(&mut arena, text, &options).unwrap().formula;
            print(&arena, f, Syntax::Spin).to_string()
        };
        assert_eq!(spin("G(a -> F b) & X X c"), "[](a -> <>b) && X X c");
        assert_eq!(spin("a M (b xor c)"), "!(b <-> c) U (a && !(b <-> c))");
        assert_eq!(spin("!(a M b) | 0 R c"), "!(b U (a && b)) || []c");
        assert_eq!(spin("a R true & F \"x y\""), "<>\"x y\"");
        assert_eq!(spin("a M (b M c)"), "!(!a W !(c U (b && c)))");
        assert_eq!(spin("(a M b) M c"), "c U ((b U (a && b)) && c)");
        let nested = "a M ".repeat(3000) + "b";
        assert!(spin(&nested).len() < 50_000);
    }

    /// Operators that SPIN lacks are written by their definitions, with the same semantics.
    #[test]
    fn the_definitions_mean_the_same() {
        let mut arena = Formulas::new();
        let mut r = Random::new(18);
        let mut shape = RandomFormula::new(2);
        shape.sizes = 3..=15;
        shape.set_priority(Op::StrongRelease, 10);
        shape.set_priority(Op::Xor, 3);
        for _ in 0..500 {
            let f = shape.draw(&mut arena, &mut r);
            let text = print(&arena, f, Syntax::Spin).to_string();
            let g = parse(&mut arena, &text, &ParseOptions::default())
                .unwrap()
                .formula;
            for _ in 0..5 {
                let mut letters = |n: usize| -> Vec<Letter> {
                    let draw = |_| {
                        let mut letter = Letter::new();
                        (0..2)
                            .filter(|_| r.chance(0.5))
                            .for_each(|p| letter.insert(p));
                        letter
                    };
                    (0..n).map(draw).collect()
                };
                let word = Lasso::new(letters(2), letters(3));
                assert_eq!(holds(&arena, f, &word), holds(&arena, g, &word), "{text}");
            }
        }
    }
}
