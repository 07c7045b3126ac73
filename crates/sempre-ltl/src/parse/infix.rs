//! The infix syntaxes, by operator precedence (Floyd 1963) with an explicit stack.
//!
//! From loosest to tightest: `->` and `<->` (right), `|`, `xor`, `&` (left), `U R W M` (right), the unary operators,
//! comparisons. There is no recursion, so that no text overflows the stack, and the reader is always in one of two
//! states, *an operand is expected* or *an operator is expected*, which permits clear messages and simple error
//! recovery: a missing operand or operator is reported and inserted.
//!
//! The meaning of a word depends on its position, see `words`; for the operators of other logics see `foreign`.
//!
//! The result is a postfix program; a text with errors does not change the arena.

use super::foreign::Found;
use super::lexer::{Lexeme, Token, lex};
use super::program::{Item, MAX_DEPTH, MAX_ERRORS, ParseOptions, Program};
use super::reader::{Entry, Reader};
use super::term::{Term, Terms, canonical, unbrace, unquote};
use super::words::{Meaning, binary_word, connective};
use crate::formula::Op;
use sempre_base::{Diagnostic, Span};

/// The most open operators and parentheses; a bound on memory for adversarial texts.
const MAX_OPEN: usize = 4 * MAX_DEPTH as usize;

/// Reads a formula in infix syntax.
pub(super) fn read(text: &str, options: &ParseOptions) -> Program {
    let (tokens, errors) = lex(text, MAX_ERRORS);
    let clean = term_groups(&tokens);
    let mut reader = Reader {
        text,
        tokens,
        clean,
        options,
        lexed_well: errors.is_empty(),
        at: 0,
        stack: Vec::new(),
        program: Program {
            errors,
            ..Program::default()
        },
    };
    reader.run();
    reader.program
}

/// For each token that is an opening parenthesis: the token after the closing one, if there is one and the content
/// could be a term; 0 otherwise.
fn term_groups(tokens: &[Lexeme]) -> Vec<u32> {
    let mut after = vec![0; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    // Everything opened before the last foreign token is not a term: one number instead of a flag
    // on each open parenthesis.
    let mut last_foreign = None;
    for (i, t) in tokens.iter().enumerate() {
        match t.token {
            Token::Open => open.push(i),
            Token::Close => {
                if let Some(start) = open.pop()
                    && last_foreign.is_none_or(|f| f < start)
                {
                    after[start] = i as u32 + 1;
                }
            }
            token if token.in_term() => {}
            _ => last_foreign = Some(i),
        }
    }
    after
}

impl Reader<'_> {
    fn run(&mut self) {
        // A text without valid tokens gets no further diagnostics.
        if self.program.errors.len() >= MAX_ERRORS {
            return;
        }
        loop {
            self.operand();
            // An operator is expected.
            loop {
                if self.program.errors.len() >= MAX_ERRORS {
                    return;
                }
                if self.stack.len() > MAX_OPEN {
                    return self.too_deep();
                }
                if self.at >= self.tokens.len() {
                    return self.finish();
                }
                if self.operator() {
                    break;
                }
            }
        }
    }

    fn too_deep(&mut self) {
        let span = match self.stack.last() {
            Some(&(Entry::Open(span) | Entry::Unary(_, span) | Entry::Binary(_, span, _))) => span,
            None => self.here(),
        };
        self.error(Diagnostic::error(
            span,
            format!("more than {MAX_OPEN} operators and parentheses are open here"),
        ));
    }

    /// Reads unary operators and opening parentheses up to and with a leaf.
    fn operand(&mut self) {
        while self.stack.len() <= MAX_OPEN {
            let here = self.here();
            let unary = match self.peek(0) {
                Some(Token::Not) => Op::Not,
                Some(Token::Next) => Op::Next,
                Some(Token::Finally) => Op::Finally,
                Some(Token::Globally) => Op::Globally,
                Some(Token::Open) if !self.group_is_term() => {
                    self.stack.push(Entry::Open(here));
                    self.at += 1;
                    continue;
                }
                Some(Token::Word) => match self.foreign_operator() {
                    Found::Operator => continue,
                    Found::Operand => return,
                    Found::Nothing => match self.meaning() {
                        Meaning::Unary(letters) => {
                            self.split(letters);
                            continue;
                        }
                        Meaning::Not => Op::Not,
                        Meaning::Constant(value) => return self.constant(value),
                        Meaning::Binary => return self.missing_operand(),
                        Meaning::Name => return self.proposition(),
                    },
                },
                Some(Token::Number | Token::Open | Token::Minus) => return self.proposition(),
                Some(Token::Quoted | Token::Braced) => return self.text_proposition(),
                Some(Token::True) => return self.constant(true),
                Some(Token::False) => return self.constant(false),
                _ => return self.missing_operand(),
            };
            self.stack.push(Entry::Unary(unary, here));
            self.at += 1;
        }
    }

    /// True at `(` if it opens a term: the content can be one, and the token after it requires one.
    fn group_is_term(&self) -> bool {
        let after = self.clean[self.at] as usize;
        after > 0
            && self.tokens.get(after).is_some_and(|t| {
                t.token.comparison().is_some() || matches!(t.token, Token::Plus | Token::Minus)
            })
    }

    // --- leaves -----------------------------------------------------------------------------

    fn constant(&mut self, value: bool) {
        self.program.items.push(Item::Constant(value));
        self.at += 1;
    }

    fn text_proposition(&mut self) {
        if self.peek(0) == Some(Token::Quoted) && self.joins_term(1) {
            return self.proposition();
        }
        let span = self.here();
        let token = self.source(span);
        let content = if self.peek(0) == Some(Token::Quoted) {
            unquote(token)
        } else {
            unbrace(token)
        };
        let name = canonical(&content);
        self.at += 1;
        if name.is_empty() {
            self.error(Diagnostic::error(span, "this proposition has no text"));
            self.imagine();
        } else {
            self.leaf(name, span);
        }
    }

    /// A name, a call, or a comparison.
    fn proposition(&mut self) {
        let first = self.at;
        let start = self.here();
        let mut terms = Terms {
            text: self.text,
            tokens: &self.tokens,
            at: first,
        };
        let left = terms.term(0);
        let stop = terms.at;
        let left = match left {
            Ok(left) => left,
            Err(e) => {
                self.error(e);
                self.skip_term(first, stop.max(first + 1));
                return self.imagine();
            }
        };
        self.at = stop;
        let so_far = start.to(self.tokens[stop - 1].span());
        let sign = self.peek(0).and_then(Token::comparison);
        let Some(sign) = sign else {
            return self.bare(left, so_far);
        };
        if self.peek(0) == Some(Token::Assign) {
            if let Some(value) = self.wring_value(&left) {
                self.at += 2;
                let span = so_far.to(self.tokens[self.at - 1].span());
                return self.wring(left.text, value, span);
            }
            let d =
                Diagnostic::error(self.here(), "`=` is not a comparison").with_help("write `==`");
            self.error(d);
        }
        self.at += 1;
        let mut terms = Terms {
            text: self.text,
            tokens: &self.tokens,
            at: self.at,
        };
        let right = terms.term(0);
        let stop = terms.at;
        match right {
            Ok(right) => {
                self.at = stop;
                let span = start.to(self.tokens[stop - 1].span());
                self.leaf(format!("{} {sign} {}", left.text, right.text), span);
                if self.peek(0).and_then(Token::comparison).is_some() {
                    let d = Diagnostic::error(self.here(), "comparisons cannot be chained")
                        .with_help("join two comparisons with `&`");
                    self.error(d);
                    self.skip_comparison();
                }
            }
            Err(e) => {
                self.error(e);
                self.skip_term(first, stop);
                self.imagine();
            }
        }
    }

    /// A term that no comparison follows.
    fn bare(&mut self, term: Term, span: Span) {
        if term.number && term.text == "1" {
            self.program.items.push(Item::Constant(true));
        } else if term.number && term.text == "0" {
            self.program.items.push(Item::Constant(false));
        } else if term.number || term.compound {
            let what = if term.number {
                "a number is not a formula"
            } else {
                "a sum is not a formula"
            };
            self.error(
                Diagnostic::error(span, what)
                    .with_help("compare it with something (`==`, `!=`, `<`, `<=`, `>`, `>=`)"),
            );
            self.imagine();
        } else if term.text.starts_with('"') && term.text.ends_with('"') {
            self.leaf(canonical(&unquote(&term.text)), span);
        } else {
            self.leaf(term.text, span);
        }
    }

    /// Continues behind a term that starts at `first` and has an error at `from`: leaves its parentheses and skips
    /// tokens that cannot start something else.
    fn skip_term(&mut self, first: usize, from: usize) {
        let mut open = 0usize;
        self.at = first;
        while let Some(token) = self.peek(0)
            && (self.at < from || open > 0)
        {
            match token {
                Token::Open => open += 1,
                Token::Close if open > 0 => open -= 1,
                Token::Close if self.at >= from => break,
                _ => {}
            }
            self.at += 1;
        }
        while self.peek(0).is_some_and(|t| {
            t.comparison().is_some()
                || matches!(
                    t,
                    Token::Number
                        | Token::Plus
                        | Token::Minus
                        | Token::OpenBracket
                        | Token::CloseBracket
                        | Token::Dot
                        | Token::At
                        | Token::Comma
                        | Token::Quoted
                )
        }) {
            self.at += 1;
        }
    }

    /// Skips a comparison sign that has no business here, and the term on its right.
    fn skip_comparison(&mut self) {
        let mut terms = Terms {
            text: self.text,
            tokens: &self.tokens,
            at: self.at + 1,
        };
        let _ = terms.term(0);
        let stop = terms.at;
        self.skip_term(self.at + 1, stop);
    }

    fn missing_operand(&mut self) {
        // The lexer may have consumed the operand, and has reported that.
        if self.at >= self.tokens.len() && !self.lexed_well {
            return self.imagine();
        }
        let found = self.found();
        let mut d = Diagnostic::error(self.here(), format!("expected a formula, found {found}"));
        if let Some(help) = self.foreign_sign(self.at) {
            d = d.with_help(help);
        } else if let Some(word) = self.tokens.get(self.at).filter(|t| t.token == Token::Word) {
            let word = self.source(word.span());
            d = d.with_help(format!(
                "if `{word}` is a name here, write it in double quotes"
            ));
        } else if self.tokens.is_empty() {
            d = Diagnostic::error(self.here(), "there is no formula here");
        } else if let Some(&(Entry::Unary(_, span) | Entry::Binary(_, span, _))) = self.stack.last()
        {
            d = d.with_help(format!(
                "`{}` needs an operand on its right",
                self.source(span)
            ));
        } else if let Some(Entry::Open(_)) = self.stack.last()
            && self.at < self.tokens.len()
        {
            d = d.with_help("something is missing after the parenthesis");
        }
        self.error(d);
        self.imagine();
        // A token that can neither be an operator nor close anything would be reported again.
        match self.peek(0) {
            Some(t) if self.binary().is_some() || t == Token::Close => {}
            Some(t) if t.comparison().is_some() => self.skip_comparison(),
            Some(_) => self.at += 1,
            None => {}
        }
    }

    // --- operators --------------------------------------------------------------------------

    fn binary(&self) -> Option<Op> {
        Some(match self.peek(0)? {
            Token::And => Op::And,
            Token::Or => Op::Or,
            Token::Xor => Op::Xor,
            Token::Implies => Op::Implies,
            Token::Equiv => Op::Equiv,
            Token::Until => Op::Until,
            Token::Release => Op::Release,
            Token::WeakUntil => Op::WeakUntil,
            Token::StrongRelease => Op::StrongRelease,
            Token::Word => {
                let word = self.source(self.here());
                binary_word(word).or_else(|| connective(word))?
            }
            _ => return None,
        })
    }

    /// Reads the token after an operand; true if an operand is expected next.
    fn operator(&mut self) -> bool {
        self.split_operator();
        let here = self.here();
        if let Some(op) = self.binary() {
            self.push_binary(op, here);
            self.at += 1;
            return true;
        }
        let Some(token) = self.peek(0) else {
            return false;
        };
        if token == Token::Close {
            self.close(here);
            return false;
        }
        if token.comparison().is_some() {
            let help = if token == Token::Assign || token == Token::Equal {
                "formulas are compared with `<->`; `==` compares names and numbers"
            } else {
                "only names, numbers and sums of them can be compared"
            };
            self.error(
                Diagnostic::error(here, "a comparison needs a term on its left").with_help(help),
            );
            self.skip_comparison();
            return false;
        }
        if let Some(d) = self.foreign_infix() {
            self.error(d);
            self.at += 1;
            self.push_binary(Op::And, here);
            return true;
        }
        if self.starts_operand(0) {
            let found = self.found();
            let help = match self.source(here) {
                "AND" => "write `&`",
                "OR" => "write `|`",
                "iff" => "write `<->`",
                _ => (self.foreign_sign(self.at + 1))
                    .unwrap_or("put `&`, `|`, `->` or another operator between the two formulas"),
            };
            self.error(
                Diagnostic::error(here, format!("expected an operator, found {found}"))
                    .with_help(help),
            );
            if help.starts_with("write") {
                self.at += 1;
            }
            self.push_binary(Op::And, here);
            return true;
        }
        let found = self.found();
        self.error(Diagnostic::error(
            here,
            format!("expected an operator or the end of the formula, found {found}"),
        ));
        self.at += 1;
        false
    }

    fn push_binary(&mut self, op: Op, span: Span) {
        let level = precedence(op);
        let right = right_associative(op);
        loop {
            match self.stack.last_mut() {
                Some(Entry::Binary(top, _, count))
                    if *top == op && matches!(op, Op::And | Op::Or) =>
                {
                    *count += 1;
                    return;
                }
                Some(Entry::Unary(..)) => self.reduce(),
                Some(Entry::Binary(top, ..))
                    if precedence(*top) > level || (precedence(*top) == level && !right) =>
                {
                    self.reduce();
                }
                _ => break,
            }
        }
        self.stack.push(Entry::Binary(op, span, 1));
    }

    /// Applies the operator on top of the stack.
    fn reduce(&mut self) {
        match self.stack.pop() {
            Some(Entry::Unary(op, span)) => self.program.items.push(Item::Apply(op, 1, span)),
            Some(Entry::Binary(op, span, count)) => {
                self.program.items.push(Item::Apply(op, count + 1, span));
            }
            Some(Entry::Open(_)) | None => {}
        }
    }

    fn close(&mut self, here: Span) {
        self.at += 1;
        loop {
            match self.stack.last() {
                Some(Entry::Open(_)) => {
                    self.stack.pop();
                    return;
                }
                Some(_) => self.reduce(),
                None => {
                    return self.error(
                        Diagnostic::error(here, "there is no `(` for this `)`")
                            .with_help("remove it, or open a parenthesis before"),
                    );
                }
            }
        }
    }

    fn finish(&mut self) {
        let mut open = Vec::new();
        while let Some(entry) = self.stack.last() {
            if let Entry::Open(span) = *entry {
                open.push(span);
                self.stack.pop();
            } else {
                self.reduce();
            }
        }
        // A quotation mark that swallowed the end of the text swallowed the `)` too.
        if self.lexed_well {
            for &span in open.iter().rev() {
                if self.program.errors.len() >= MAX_ERRORS {
                    break;
                }
                self.error(
                    Diagnostic::error(span, "this parenthesis is never closed")
                        .with_help("add a closing `)`"),
                );
            }
        }
    }
}

fn precedence(op: Op) -> u8 {
    match op {
        Op::Implies | Op::Equiv => 1,
        Op::Or => 2,
        Op::Xor => 3,
        Op::And => 4,
        Op::Until | Op::Release | Op::WeakUntil | Op::StrongRelease => 5,
        _ => 6,
    }
}

fn right_associative(op: Op) -> bool {
    matches!(op, Op::Implies | Op::Equiv) || op.is_binary_temporal()
}
