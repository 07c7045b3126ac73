//! From expressions as written to expressions of the IR.
//!
//! Names are resolved (of the process first, then of all), constants are replaced by their values and
//! operations on constants are carried out, as the IR would. What cannot be right is an error; what
//! can, but only by luck (a constant that does not fit, a constant index outside its array, a constant
//! division by zero) is a warning.

use super::ast::{Expression, Kind, Name, Scalar};
use super::symbols::{Symbol, Symbols};
use crate::report::Report;
use crate::report::shown;
use sempre_base::{Diagnostic, Span};
use sempre_model::ir::VariableId;
use sempre_model::{Binary, Expr, Place, Unary};

/// Where an expression stands.
pub(super) struct Resolver<'s> {
    pub symbols: &'s Symbols,
    pub report: &'s mut Report,
    /// The process it stands in.
    pub process: Option<usize>,
    /// Is it a proposition, with the spellings of [`super::propositions`]?
    pub proposition: bool,
}

impl Resolver<'_> {
    /// The expression; anything if it is wrong, which is then in the report.
    pub fn value(&mut self, e: &Expression<'_>) -> Expr {
        sempre_base::checkpoint();
        match &e.kind {
            Kind::Number(n) => Expr::Constant(*n),
            Kind::Quoted(text) => {
                let message = format!("`{}` is not compared with a process", shown(text));
                self.wrong(e.span, message)
            }
            Kind::Name(name) => self.read(*name, None, e.span),
            Kind::Element(name, index) => self.read(*name, Some(index), e.span),
            Kind::Dot(process, member, index) => self.dot(*process, *member, index.as_deref()),
            Kind::Foreign(process, member, index) => {
                self.foreign(*process, *member, index.as_deref())
            }
            Kind::Unary(op, operand) => match (op, self.value(operand)) {
                (Unary::Negate, Expr::Constant(a)) => Expr::Constant(a.wrapping_neg()),
                (Unary::Complement, Expr::Constant(a)) => Expr::Constant(!a),
                (Unary::Not, Expr::Constant(a)) => Expr::Constant(i64::from(a == 0)),
                (op, a) => Expr::Unary(*op, Box::new(a)),
            },
            Kind::Binary(op, left, right) => {
                if self.proposition
                    && matches!(op, Binary::Equal | Binary::NotEqual)
                    && let Some(test) = self.location_test(*op, left, right)
                {
                    return test;
                }
                let (a, b) = (self.value(left), self.value(right));
                if let (Binary::Divide | Binary::Modulo, Expr::Constant(0)) = (op, &b) {
                    self.report
                        .warning(right.span, "a division by zero is an erroneous step");
                }
                if let (Expr::Constant(a), Expr::Constant(b)) = (&a, &b)
                    && let Some(value) = op.apply(*a, *b)
                {
                    return Expr::Constant(value);
                }
                Expr::binary(*op, a, b)
            }
        }
    }

    /// A value that is known now.
    pub fn constant(&mut self, e: &Expression<'_>) -> Option<i64> {
        let before = self.report.errors();
        match self.value(e) {
            Expr::Constant(n) => (self.report.errors() == before).then_some(n),
            _ => {
                self.wrong(e.span, "this must be a constant");
                None
            }
        }
    }

    /// A place that an effect may write, and what it holds.
    pub fn place(&mut self, e: &Expression<'_>) -> Option<(Place, Scalar)> {
        let (name, index) = match &e.kind {
            Kind::Name(name) => (*name, None),
            Kind::Element(name, index) => (*name, Some(&**index)),
            Kind::Foreign(process, ..) => {
                let process = shown(process.text);
                self.wrong(
                    e.span,
                    format!("only process `{process}` itself can change its variables"),
                );
                return None;
            }
            _ => {
                self.wrong(
                    e.span,
                    "only a variable or an element of an array can be changed",
                );
                return None;
            }
        };
        match self.symbols.lookup(self.process, name.text) {
            Some(&Symbol::Variable { id, length, scalar }) => {
                let place = self.element(name, id, length, index, e.span)?;
                Some((place, scalar))
            }
            Some(Symbol::Constant(_) | Symbol::Table(..)) => {
                let message = format!("`{}` is a constant", shown(name.text));
                self.wrong(name.span, message);
                None
            }
            _ => {
                self.read(name, index, e.span);
                None
            }
        }
    }

    fn wrong(&mut self, span: Span, message: impl Into<String>) -> Expr {
        self.report.error(span, message);
        Expr::FALSE
    }

    fn read(&mut self, name: Name<'_>, index: Option<&Expression<'_>>, span: Span) -> Expr {
        let symbols = self.symbols;
        match symbols.lookup(self.process, name.text) {
            Some(symbol) => self.read_symbol(name, symbol, index, span),
            None if symbols.process(name.text).is_some() => {
                let message = format!("`{}` is a process", shown(name.text));
                let help = if self.proposition {
                    "ask where it is: `P.s` or `P == \"s\"`"
                } else {
                    "ask whether it is in a location with `P.s`"
                };
                self.report
                    .push(Diagnostic::error(name.span, message).with_help(help));
                Expr::FALSE
            }
            None if symbols.pending.contains(name.text) => {
                let message = format!("`{}` has no value yet here", shown(name.text));
                let help = "constants are computed from top to bottom; they cannot be defined by \
                            themselves or in a circle";
                self.report
                    .push(Diagnostic::error(name.span, message).with_help(help));
                Expr::FALSE
            }
            None => {
                let local = self.process.map(|p| symbols.processes[p].scope.keys());
                let known = (local.into_iter().flatten())
                    .chain(symbols.globals.keys())
                    .map(String::as_str)
                    .chain(symbols.process_names());
                self.report.unknown(&name, "variable", known);
                Expr::FALSE
            }
        }
    }

    fn read_symbol(
        &mut self,
        name: Name<'_>,
        symbol: &Symbol,
        index: Option<&Expression<'_>>,
        span: Span,
    ) -> Expr {
        match symbol {
            Symbol::Broken => Expr::FALSE,
            Symbol::Constant(_) if index.is_some() => {
                self.wrong(span, format!("`{}` is not an array", shown(name.text)))
            }
            Symbol::Constant(n) => Expr::Constant(*n),
            Symbol::Channel(_) => self.wrong(
                span,
                format!("`{}` is a channel, which has no value", shown(name.text)),
            ),
            Symbol::Variable { id, length, .. } => self
                .element(name, *id, *length, index, span)
                .map_or(Expr::FALSE, Expr::Read),
            Symbol::Table(id, values) => {
                let length = Some(values.len() as u32);
                match self.element(name, *id, length, index, span) {
                    Some(Place::Element(id, index)) => match *index {
                        Expr::Constant(i) => {
                            match usize::try_from(i).ok().and_then(|i| values.get(i)) {
                                Some(value) => Expr::Constant(*value),
                                None => Expr::Read(Place::Element(id, index)),
                            }
                        }
                        _ => Expr::Read(Place::Element(id, index)),
                    },
                    _ => Expr::FALSE,
                }
            }
        }
    }

    fn element(
        &mut self,
        name: Name<'_>,
        id: VariableId,
        length: Option<u32>,
        index: Option<&Expression<'_>>,
        span: Span,
    ) -> Option<Place> {
        match (length, index) {
            (None, None) => Some(Place::Scalar(id)),
            (None, Some(_)) => {
                self.wrong(span, format!("`{}` is not an array", shown(name.text)));
                None
            }
            (Some(_), None) => {
                // So DiVinE 2 reads it, and models rely on it.
                let name = shown(name.text);
                let message = format!("`{name}` is an array; alone it means `{name}[0]`");
                self.report.warning(span, message);
                Some(Place::Element(id, Box::new(Expr::Constant(0))))
            }
            (Some(n), Some(index)) => {
                let value = self.value(index);
                if let Expr::Constant(i) = value
                    && !(0..i64::from(n)).contains(&i)
                {
                    let name = shown(name.text);
                    let message = format!("index {i} is outside `{name}`, which has {n} elements");
                    // A wrong step in a model can be what is looked for; a wrong proposition cannot.
                    if self.proposition {
                        self.report.error(index.span, message);
                    } else {
                        self.report.warning(index.span, message);
                    }
                }
                Some(Place::Element(id, Box::new(value)))
            }
        }
    }

    /// The number in `processes` of a process of the program; complains if there is none.
    fn known_process(&mut self, name: Name<'_>) -> Option<usize> {
        let symbols = self.symbols;
        match symbols.process_index.get(name.text) {
            Some(&p) if symbols.processes[p].location.is_some() => Some(p),
            Some(_) => {
                let name_shown = shown(name.text);
                let message = format!("`{name_shown}` is the property, not a part of the system");
                self.report.error(name.span, message);
                None
            }
            None => {
                self.report
                    .unknown(&name, "process", symbols.process_names());
                None
            }
        }
    }

    /// `process in state`, as 0 or 1.
    fn in_state(location: VariableId, state: u32, op: Binary) -> Expr {
        Expr::binary(op, Expr::variable(location), Expr::Constant(state.into()))
    }

    fn dot(&mut self, process: Name<'_>, member: Name<'_>, index: Option<&Expression<'_>>) -> Expr {
        let Some(p) = self.known_process(process) else {
            return Expr::FALSE;
        };
        let symbols = &self.symbols.processes[p];
        let Some(location) = symbols.location else {
            return Expr::FALSE;
        };
        let span = process.span.to(member.span);
        if index.is_none()
            && let Some(&state) = symbols.states.get(member.text)
        {
            return Self::in_state(location, state, Binary::Equal);
        }
        if let Some(symbol) = symbols.scope.get(member.text) {
            if self.proposition {
                return self.read_symbol(member, symbol, index, span);
            }
            let (p, v) = (shown(process.text), shown(member.text));
            let message = format!("`{v}` is a variable of `{p}`, not a location");
            let help = format!("write `{p}->{v}`");
            self.report
                .push(Diagnostic::error(span, message).with_help(help));
            return Expr::FALSE;
        }
        self.unknown_member(p, member)
    }

    fn unknown_member(&mut self, process: usize, member: Name<'_>) -> Expr {
        let symbols = &self.symbols.processes[process];
        let mut what = format!("location of process `{}` called", shown(&symbols.name));
        let mut known: Vec<&str> = symbols.states.keys().map(String::as_str).collect();
        if self.proposition {
            what = format!(
                "location or variable of process `{}` called",
                shown(&symbols.name)
            );
            known.extend(symbols.scope.keys().map(String::as_str));
        }
        self.report.unknown(&member, &what, known);
        Expr::FALSE
    }

    fn foreign(
        &mut self,
        process: Name<'_>,
        member: Name<'_>,
        index: Option<&Expression<'_>>,
    ) -> Expr {
        let Some(p) = self.known_process(process) else {
            return Expr::FALSE;
        };
        let symbols = &self.symbols.processes[p];
        if let Some(symbol) = symbols.scope.get(member.text) {
            return self.read_symbol(member, symbol, index, process.span.to(member.span));
        }
        let what = format!("variable of process `{}` called", shown(process.text));
        let known = symbols.scope.keys().map(String::as_str);
        self.report.unknown(&member, &what, known);
        Expr::FALSE
    }

    /// `P == "s"` with the sides in any order; quotes may be missing. `None` if it is no such test.
    fn location_test(
        &mut self,
        op: Binary,
        left: &Expression<'_>,
        right: &Expression<'_>,
    ) -> Option<Expr> {
        let (process, state) = match (self.bare_process(left), self.bare_process(right)) {
            (Some(p), _) => (p, right),
            (_, Some(p)) => (p, left),
            _ => return None,
        };
        let symbols = &self.symbols.processes[process];
        let name = match &state.kind {
            Kind::Quoted(text) => Name {
                text,
                span: state.span,
            },
            Kind::Name(name) => *name,
            _ => return None,
        };
        Some(match (symbols.states.get(name.text), symbols.location) {
            (Some(&state), Some(location)) => Self::in_state(location, state, op),
            _ => {
                let what = format!("location of process `{}` called", shown(&symbols.name));
                let known = symbols.states.keys().map(String::as_str);
                self.report.unknown(&name, &what, known);
                Expr::FALSE
            }
        })
    }

    /// The process that an expression is just the name of.
    fn bare_process(&self, e: &Expression<'_>) -> Option<usize> {
        match &e.kind {
            Kind::Name(name) if self.symbols.lookup(self.process, name.text).is_none() => {
                self.symbols.process(name.text)?;
                self.symbols.process_index.get(name.text).copied()
            }
            _ => None,
        }
    }
}
