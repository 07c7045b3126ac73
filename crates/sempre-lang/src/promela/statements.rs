//! The grammar of statements.
//!
//! `;` and `->` separate statements. After what ends with `}`, `fi` or `od`, after `else`, and at the end of a line outside
//! of parentheses, a separator may be missing. SPIN's reader puts a `;` wherever a line ends with a word that can end a
//! statement. Here a word that cannot start a statement continues the one of the line before; SPIN refuses that.

use super::ast::{Expression, ExpressionKind, Sequence, Statement, StatementKind as Kind};
use super::cursor::{Parsed, Parser};
use super::lexer::{self, Token};
use super::written::{Mover, Written};
use crate::place::Call;
use sempre_base::{Diagnostic, Span};
use std::sync::Arc;

impl Parser {
    /// `{ … }`: the statements and the closing brace.
    pub fn body(&mut self) -> Parsed<(Sequence, Span)> {
        let opening = self.expect("{")?;
        let sequence = self.sequence(opening)?;
        let end = self.expect("}")?;
        Ok((sequence, end))
    }

    fn ends_sequence(&self) -> bool {
        ["}", "::", "fi", "od"].iter().any(|t| self.at(t)) || self.at_end()
    }

    /// Statements up to what ends them; at least one.
    fn sequence(&mut self, opening: Span) -> Parsed<Sequence> {
        self.sequences += 1;
        let all = self.sequence_here(opening);
        self.sequences -= 1;
        all
    }

    fn sequence_here(&mut self, opening: Span) -> Parsed<Sequence> {
        let mut all = Vec::new();
        loop {
            while self.at(";") || self.at("->") {
                self.advance();
            }
            if self.ends_sequence() {
                break;
            }
            let left = self.token().span;
            match self.step(&mut all) {
                Ok(()) => {}
                Err(failed) if self.gave_up() || self.at_end() => return Err(failed),
                Err(_) => {
                    self.recover(left);
                    continue;
                }
            }
            if self.ends_sequence() || self.at(";") || self.at("->") {
                continue;
            }
            let closed = self.last_closes;
            if !closed && !self.token().starts_line {
                let _ = self.expected::<()>("`;`");
                self.recover(left);
            }
        }
        if all.is_empty() && !self.at_end() {
            self.report(Diagnostic::error(
                opening,
                "a sequence needs at least one statement",
            ));
        }
        Ok(all)
    }

    /// After an error: to the end of the statement.
    fn recover(&mut self, failed_at: Span) {
        if self.token().span == failed_at && !self.ends_sequence() {
            self.advance();
        }
        let mut depth = 0;
        while !self.at_end() {
            if depth == 0 && (self.ends_sequence() || self.at(";")) {
                return;
            }
            let token = self.token();
            let opens = ["{", "if", "do"].iter().any(|t| token.is(t));
            let closes = ["}", "fi", "od"].iter().any(|t| token.is(t));
            depth += i32::from(opens) - i32::from(closes);
            if token.starts_line && (token.is("proctype") || token.is("active")) {
                return;
            }
            self.advance();
        }
    }

    fn step(&mut self, all: &mut Sequence) -> Parsed<()> {
        sempre_base::checkpoint();
        self.last_closes = false;
        let start = self.token().span;
        let word = self.words_read();
        if self.at_declaration() {
            let declaration = self.declaration()?;
            let span = declaration.span;
            all.push(Statement {
                kind: Kind::Declaration(declaration),
                span,
                written: self.written_from(word),
            });
            return Ok(());
        }
        if self.at("xr") || self.at("xs") {
            let sends = self.at("xs");
            self.advance();
            let mut channels = vec![self.reference()?];
            while self.eat(",") {
                channels.push(self.reference()?);
            }
            let span = start.to(self.last);
            all.push(Statement {
                kind: Kind::Exclusive(channels, sends),
                span,
                written: None,
            });
            return Ok(());
        }
        let mut statement = self.statement()?;
        while self.eat("unless") {
            let escape = self.statement()?;
            let span = start.to(self.last);
            statement = Statement {
                kind: Kind::Unless(Box::new(statement), Box::new(escape)),
                span,
                written: self.word_written(word),
            };
        }
        all.push(statement);
        Ok(())
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.deeper(|p| {
            let start = p.token().span;
            let word = p.words_read();
            p.last_closes = false;
            let kind = p.statement_kind()?;
            let span = start.to(p.last);
            p.last_closes |= matches!(
                kind,
                Kind::Else
                    | Kind::If(_)
                    | Kind::Do(_)
                    | Kind::Atomic(_)
                    | Kind::DStep(_)
                    | Kind::Block(..)
                    | Kind::For(..)
                    | Kind::ForIn(..)
            );
            let written = match kind {
                Kind::If(_) | Kind::Do(_) | Kind::Atomic(_) | Kind::Block(..) => {
                    p.word_written(word)
                }
                Kind::Label(..) | Kind::Unless(..) => None,
                Kind::For(..) | Kind::ForIn(..) => p.head_from(word),
                _ => p.written_from(word),
            };
            Ok(Statement {
                kind,
                span,
                written,
            })
        })
    }

    fn statement_kind(&mut self) -> Parsed<Kind> {
        let word = self.token().clone();
        let start = word.span;
        match &*word.text {
            "if" => {
                self.advance();
                Ok(Kind::If(self.options("fi", start)?))
            }
            "do" => {
                self.advance();
                Ok(Kind::Do(self.options("od", start)?))
            }
            "atomic" => {
                self.advance();
                Ok(Kind::Atomic(self.body()?.0))
            }
            "d_step" => {
                self.advance();
                Ok(Kind::DStep(self.body()?.0))
            }
            "{" => Ok(Kind::Block(self.body()?.0, false)),
            "goto" => {
                self.advance();
                Ok(Kind::Goto(self.name("a label")?))
            }
            "break" => {
                self.advance();
                Ok(Kind::Break)
            }
            "else" => {
                self.advance();
                Ok(Kind::Else)
            }
            "assert" => {
                self.advance();
                let condition = self.expression()?;
                Ok(match self.ignore_assertions {
                    true => Kind::Print(None, vec![condition]),
                    false => Kind::Assert(condition),
                })
            }
            "printf" => {
                self.advance();
                self.expect("(")?;
                if self.token().kind != lexer::Kind::Text {
                    return self.expected("a text in quotes");
                }
                let format = self.advance().text;
                let mut values = Vec::new();
                while self.eat(",") {
                    values.push(self.expression()?);
                }
                self.expect(")")?;
                Ok(Kind::Print(Some(format), values))
            }
            "printm" => {
                self.advance();
                self.expect("(")?;
                let value = self.expression()?;
                self.expect(")")?;
                Ok(Kind::Print(Some("\"%e\"".into()), vec![value]))
            }
            "for" => self.for_loop(),
            "select" => {
                self.advance();
                self.expect("(")?;
                let variable = self.reference()?;
                self.expect(":")?;
                let from = self.expression()?;
                self.expect("..")?;
                let to = self.expression()?;
                self.expect(")")?;
                Ok(Kind::Select(variable, from, to))
            }
            "c_code" | "c_expr" | "c_decl" => self.refused("embedded C code is not supported"),
            "set_priority" => {
                self.advance();
                self.expect("(")?;
                let process = self.expression()?;
                self.expect(",")?;
                let priority = self.expression()?;
                self.expect(")")?;
                Ok(Kind::SetPriority(process, priority))
            }
            "return" => self.refused("inlines that return a value are not supported"),
            "inline" | "proctype" | "typedef" | "never" | "ltl" if word.starts_line => {
                self.expected("a statement or `}`")
            }
            _ if Self::is_name(&word) => self.named_statement(&word),
            _ => Ok(Kind::Expression(self.expression()?)),
        }
    }

    fn options(&mut self, end: &str, start: Span) -> Parsed<Vec<Sequence>> {
        let mut all = Vec::new();
        if !self.at("::") {
            return self.expected("`::`");
        }
        while self.at("::") {
            let opening = self.advance().span;
            all.push(self.sequence(opening)?);
        }
        if !self.at(end) {
            if self.at_end() {
                return self.error(start, format!("this has no `{end}`"));
            }
            return self.expected(&format!("`::` or `{end}`"));
        }
        self.advance();
        Ok(all)
    }

    fn for_loop(&mut self) -> Parsed<Kind> {
        self.advance();
        self.expect("(")?;
        let variable = self.reference()?;
        if self.eat(":") {
            let from = self.expression()?;
            self.expect("..")?;
            let to = self.expression()?;
            self.expect(")")?;
            while self.eat(";") || self.eat("->") {}
            let body = self.body()?.0;
            return Ok(Kind::For(variable, from, to, body));
        }
        if !self.eat("in") {
            return self.expected("`:` or `in`");
        }
        let array = self.reference()?;
        self.expect(")")?;
        while self.eat(";") || self.eat("->") {}
        let body = self.body()?.0;
        Ok(Kind::ForIn(variable, array, body))
    }

    /// How many words a reference takes from here on.
    fn reference_length(&self) -> usize {
        let mut n = 1;
        loop {
            if self.ahead(n).is("[") {
                let mut depth = 0;
                loop {
                    let token = self.ahead(n);
                    if token.kind == lexer::Kind::End {
                        return n;
                    }
                    depth += i32::from(token.is("[")) - i32::from(token.is("]"));
                    n += 1;
                    if depth == 0 {
                        break;
                    }
                }
            }
            if self.ahead(n).is(".") && Self::is_name(self.ahead(n + 1)) {
                n += 2;
            } else {
                return n;
            }
        }
    }

    /// What starts with a name: a label, a call of an inline, an assignment, a communication, or an expression.
    fn named_statement(&mut self, word: &Token) -> Parsed<Kind> {
        if self.ahead(1).is("(") && self.inlines.contains_key(&word.text) {
            return self.inline_call();
        }
        if self.ahead(1).is(":") && !self.processes.contains(&word.text) {
            let name = self.name("a label")?;
            self.expect(":")?;
            if self.ends_sequence() || self.at(";") || self.at("->") {
                return Ok(Kind::Label(name, None));
            }
            if self.at_declaration() {
                let span = name.span;
                return self.error(span, "a label does not stand before a declaration");
            }
            let statement = self.statement()?;
            return Ok(Kind::Label(name, Some(Box::new(statement))));
        }
        let n = self.reference_length();
        let (after, next) = (self.ahead(n).clone(), self.ahead(n + 1).clone());
        match &*after.text {
            // `x ⏎ !y` is two conditions.
            "!" | "!!" if after.starts_line => Ok(Kind::Expression(self.expression()?)),
            "=" => {
                let target = self.reference()?;
                self.advance();
                if self.ahead(1).is("(") && self.inlines.contains_key(&self.token().text) {
                    return self.refused("inlines that return a value are not supported");
                }
                Ok(Kind::Assign(target, self.expression()?))
            }
            "++" | "--" => {
                let target = self.reference()?;
                let span = self.advance().span;
                let op = match &*after.text {
                    "++" => sempre_model::Binary::Add,
                    _ => sempre_model::Binary::Subtract,
                };
                let old = Expression {
                    kind: ExpressionKind::Reference(target.clone()),
                    span: target.span,
                };
                let one = Expression {
                    kind: ExpressionKind::Number(1),
                    span,
                };
                let span = target.span.to(span);
                let kind = ExpressionKind::Binary(op, Box::new(old), Box::new(one));
                Ok(Kind::Assign(target, Expression { kind, span }))
            }
            "!" | "!!" => {
                let channel = self.reference()?;
                self.advance();
                let mut values = vec![self.expression()?];
                if self.at("(") && !self.at_new_statement("(") {
                    values.extend(self.arguments()?);
                }
                while self.eat(",") {
                    values.push(self.expression()?);
                }
                Ok(Kind::Send(channel, values, &*after.text == "!!"))
            }
            "?" | "??" if !next.is("[") => {
                let channel = self.reference()?;
                self.advance();
                let keeps = self.eat("<");
                let arguments = self.receive_arguments()?;
                if keeps {
                    self.expect(">")?;
                }
                let random = &*after.text == "??";
                Ok(Kind::Receive(channel, arguments, random, keeps))
            }
            _ => Ok(Kind::Expression(self.expression()?)),
        }
    }

    fn inline_call(&mut self) -> Parsed<Kind> {
        let name = self.advance();
        let Some(inline) = self.inlines.get(&name.text).cloned() else {
            return self.expected("an inline");
        };
        self.expect("(")?;
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0;
        loop {
            if self.at_end() {
                return self.error(name.span, "the arguments of this call are not closed");
            }
            let token = self.advance();
            if depth == 0 && token.is(")") {
                break;
            }
            if depth == 0 && token.is(",") {
                arguments.push(Vec::new());
                continue;
            }
            let opens = ["(", "[", "{"].iter().any(|t| token.is(t));
            let closes = [")", "]", "}"].iter().any(|t| token.is(t));
            depth += i32::from(opens) - i32::from(closes);
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        let (n, given) = (inline.parameters.len(), arguments.len());
        if n != given {
            let span = name.span.to(self.last);
            let message = format!("`{}` takes {n} arguments, not {given}", name.text);
            return self.error(span, message);
        }
        let call = Arc::new(Call {
            text: name.text.clone(),
            place: name.place.clone(),
            is_macro: false,
            outer: name.call.clone(),
        });
        let shown = |words: &Vec<Token>| Written::new(words).map_or_else(String::new, |w| w.text);
        let texts: Vec<(Arc<str>, String)> = (inline.parameters.iter().cloned())
            .zip(arguments.iter().map(shown))
            .collect();
        let mut of_body = Mover {
            from: None,
            to: &call,
            arguments: &texts,
            moved: Vec::new(),
        };
        let mut body: Vec<Token> = Vec::new();
        let mut starts_line = false;
        for token in &inline.body {
            let first = body.len();
            starts_line |= token.starts_line;
            match (inline.parameters.iter()).position(|p| *p == token.text) {
                Some(i) if token.kind == lexer::Kind::Name => {
                    let place = of_body.call(token.call.as_ref());
                    let mut of_argument = Mover {
                        from: name.call.as_ref(),
                        to: &place,
                        arguments: &[],
                        moved: Vec::new(),
                    };
                    for (k, word) in arguments[i].iter().enumerate() {
                        let mut word = word.clone();
                        of_argument.argument(&mut word, token, k == 0);
                        body.push(word);
                    }
                }
                _ => {
                    let mut word = token.clone();
                    of_body.token(&mut word);
                    body.push(word);
                }
            }
            // An argument starts a line if its parameter does.
            if let Some(word) = body.get_mut(first) {
                word.starts_line = starts_line;
                starts_line = false;
            }
        }
        if !self.push(body) {
            return self.error(name.span, "inlines make this model too long");
        }
        let (sequence, _) = self.deeper(Self::body)?;
        self.last = name.span;
        Ok(Kind::Block(sequence, true))
    }
}
