//! The control flow of `for`, `select` and `unless`, which SPIN makes of simpler elements.

use super::ast::{
    Argument, BaseType, Declaration, Declarator, Expression, ExpressionKind, Name, Reference,
    Statement, StatementKind, Test,
};
use super::body::Builder;
use super::flow::{El, Jump, Kind, Label, is_block};
use super::resolve::{Cell, Value};
use sempre_base::Span;
use sempre_model::ir::Binary;

impl Builder<'_> {
    /// `select` between a few constants is a choice between assignments, outside of inlines and if the name of the
    /// variable has no underscore: so SPIN does it.
    pub fn enumerated(
        &mut self,
        variable: &Reference,
        from: &Expression,
        to: &Expression,
        span: Span,
    ) -> Option<Option<(El, bool)>> {
        let (ExpressionKind::Number(from), ExpressionKind::Number(to)) = (&from.kind, &to.kind)
        else {
            return None;
        };
        let [(name, None)] = variable.parts.as_slice() else {
            return None;
        };
        let plain = name.text.chars().all(|c| c.is_ascii_alphanumeric());
        if !self.inlines.is_empty() || !plain || *from < 0 || !(0..=32).contains(&(to - from)) {
            return None;
        }
        let options = (*from..=*to).map(|n| {
            let kind = ExpressionKind::Number(n);
            let kind = StatementKind::Assign(variable.clone(), Expression { kind, span });
            vec![Statement {
                kind,
                span,
                written: None,
            }]
        });
        let options: Vec<Vec<Statement>> = options.collect();
        Some(self.selection(&options, false, span))
    }

    /// `for`, or `select` if there is no body. Its element is the loop behind the first assignment: there a label of the statement
    /// stands, so that a jump to it does not start again from the first value. That is how SPIN (6.5.2) builds it.
    pub fn counting(
        &mut self,
        cell: Cell,
        from: Value,
        to: Value,
        inside: Option<&[Statement]>,
        span: Span,
    ) -> Option<(El, bool)> {
        let read = || Box::new(Value::Read(cell.clone()));
        self.add(Kind::Assign(Some(cell.clone()), from), span);
        self.flow.breaks.push(None);
        self.loops.push(self.flow.breaks.len() - 1);
        let round = self.open();
        let op = match inside {
            Some(_) => Binary::LessEqual,
            None => Binary::Less,
        };
        let condition = Value::Binary(op, read(), Box::new(to));
        self.add(Kind::Condition(condition), span);
        if let Some(inside) = inside {
            self.scoped(inside);
        }
        let next = Value::Binary(Binary::Add, read(), Box::new(Value::Number(1)));
        self.add(Kind::Assign(Some(cell.clone()), next), span);
        self.close();
        let leave = self.open();
        if inside.is_some() {
            self.add(Kind::Else, span);
        }
        if let Some(&n) = self.loops.last() {
            self.add(Kind::Goto(Jump::Break(n)), span);
        }
        self.close();
        Some((self.chosen(vec![leave, round], true, span), true))
    }

    /// `for` over the messages of a channel: each is taken and put back, as many as the channel holds. Loops of one block share
    /// a counter, as in SPIN.
    pub fn messages(
        &mut self,
        variable: &Reference,
        channel: &Reference,
        inside: &[Statement],
        span: Span,
    ) -> Option<(El, bool)> {
        let at = |kind| Expression { kind, span };
        let name = Name {
            text: "for'".into(),
            span,
        };
        let counter = Reference {
            parts: vec![(name.clone(), None)],
            span,
        };
        let known = (self.scopes.stack.last()).is_some_and(|s| s.contains_key(&name.text));
        if !known {
            self.declaration(&Declaration {
                ty: BaseType::Int,
                hidden: false,
                items: vec![Declarator {
                    name,
                    length: None,
                    bits: None,
                    initial: None,
                }],
                span,
            });
        }
        let whole = at(ExpressionKind::Reference(variable.clone()));
        let take = Argument::Reference(variable.clone());
        let take = StatementKind::Receive(channel.clone(), vec![take], false, false);
        let put = StatementKind::Send(channel.clone(), vec![whole], false);
        let made = |kind| Statement {
            kind,
            span,
            written: None,
        };
        let mut body: Vec<Statement> = [take, put].map(made).into();
        body.extend(inside.iter().cloned());
        let held = at(ExpressionKind::Channel(Test::Len, channel.clone()));
        let one = at(ExpressionKind::Number(1));
        let last = at(ExpressionKind::Binary(
            Binary::Subtract,
            Box::new(held),
            Box::new(one),
        ));
        let start = self.assignment(&counter, &at(ExpressionKind::Number(0)));
        let last = self.value(&last);
        start.and_then(|(cell, from)| self.counting(cell, from, last, Some(&body), span))
    }

    pub fn unless(
        &mut self,
        main: &Statement,
        escape: &Statement,
        span: Span,
    ) -> Option<(El, bool)> {
        if self.in_step > 0 {
            self.report
                .error(span, "`unless` does not stand in a `d_step`");
        }
        // A label in front of a block is a label of the whole.
        if let StatementKind::Label(name, Some(inner)) = &main.kind
            && matches!(
                inner.kind,
                StatementKind::Block(..) | StatementKind::Atomic(_) | StatementKind::DStep(_)
            )
        {
            let s = self.open();
            let inner = self.unless(inner, escape, span)?;
            debug_assert!(inner.1);
            self.close();
            let e = self.flow.element(Kind::Block(s), span);
            self.flow.labels.push(Label {
                name: name.text.clone(),
                inlines: self.inlines.clone(),
                element: e,
            });
            return Some((e, false));
        }
        let mut parts = Vec::new();
        for part in [main, escape] {
            let s = self.open();
            match &part.kind {
                StatementKind::Block(inside, _) if is_block(part) => self.scoped(inside),
                _ => {
                    self.statement(part);
                }
            }
            self.close();
            self.flow.sequences[s].first?;
            parts.push(s);
        }
        let e = self.flow.element(Kind::Unless(parts[0], parts[1]), span);
        let target = self.flow.element(Kind::Dot, span);
        for &s in &parts {
            self.flow.append(target, s, span);
        }
        self.flow.attach_escape(parts[0], parts[1]);
        let current = self.current();
        self.flow.append(e, current, span);
        self.flow.append(target, current, span);
        Some((e, true))
    }
}
