//! What a Promela file says, as it is written.

use super::lexer::Token;
use super::written::Written;
use crate::report::Named;
use sempre_base::Span;
use sempre_model::ir::{Binary, Unary};
use std::sync::Arc;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: Arc<str>,
    /// Its place.
    pub span: Span,
}

impl Named for Name {
    fn named(&self) -> (&str, Span) {
        (&self.text, self.span)
    }
}

/// The type of a variable, parameter or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseType {
    /// `bit` and `bool`.
    Bit,
    /// `byte` and `pid`.
    Byte,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned x : n`; the width is with the variable.
    Unsigned,
    /// `mtype`, perhaps with the name of its list.
    Mtype(Option<Arc<str>>),
    /// `chan`
    Chan,
    /// A `typedef`.
    Struct(Name),
}

/// Operators of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Temporal {
    Always,
    Eventually,
    Next,
    Until,
    Release,
    WeakUntil,
    Implies,
    Equivalent,
}

/// A test of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Test {
    Len,
    Full,
    NotFull,
    Empty,
    NotEmpty,
}

/// `a[i].b[j]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The names and their indices.
    pub parts: Vec<(Name, Option<Box<Expression>>)>,
    /// All of it.
    pub span: Span,
}

/// What is read of another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remote {
    /// `P[i]@label`
    Label(Name),
    /// `P[i]:v`
    Variable(Name, Option<Box<Expression>>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its place.
    pub span: Span,
}

/// See [`Expression`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ExpressionKind {
    Number(i64),
    Reference(Reference),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// With its priority.
    Run(Name, Vec<Expression>, Option<u8>),
    /// `get_priority(e)`
    Priority(Box<Expression>),
    Channel(Test, Reference),
    /// `c?[…]`, or `c??[…]` if the last is true.
    Poll(Reference, Vec<Argument>, bool),
    Timeout,
    NonProgress,
    Remote(Name, Option<Box<Expression>>, Remote),
    Temporal(Temporal, Vec<Expression>),
}

/// An argument of a receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A variable that takes the value, a name of an mtype that must be equal, or `_`.
    Reference(Reference),
    /// A value that must be equal: a number, or `eval(…)`.
    Match(Expression),
}

/// How a variable starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// `= e`
    Value(Expression),
    /// `= {e, …}`
    List(Vec<Expression>),
    /// `= [n] of {…}`
    Channel(Expression, Vec<BaseType>),
}

/// One variable of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarator {
    /// Its name.
    pub name: Name,
    /// The number of elements.
    pub length: Option<Expression>,
    /// The width of an `unsigned`.
    pub bits: Option<u8>,
    /// How it starts.
    pub initial: Option<Initial>,
}

/// Variables of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The type.
    pub ty: BaseType,
    /// Is it marked `hidden`?
    pub hidden: bool,
    /// The variables.
    pub items: Vec<Declarator>,
    /// All of it.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Its place.
    pub span: Span,
    /// What the author wrote; nothing if the statement is made of others, or is part of a larger one.
    pub(crate) written: Option<Arc<Written>>,
}

/// Statements one after the other.
pub type Sequence = Vec<Statement>;

/// See [`Statement`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum StatementKind {
    Declaration(Declaration),
    /// Channels that only this process receives from (`xr`), or sends to (`xs`: true).
    Exclusive(Vec<Reference>, bool),
    Assign(Reference, Expression),
    /// `set_priority(process, priority)`
    SetPriority(Expression, Expression),
    /// Channel, arguments, `!!`?
    Send(Reference, Vec<Expression>, bool),
    /// Channel, arguments, `??`?, `<…>`?
    Receive(Reference, Vec<Argument>, bool, bool),
    Expression(Expression),
    Else,
    Assert(Expression),
    /// What is printed, with the quotes, if it is text, and the values in it.
    Print(Option<Arc<str>>, Vec<Expression>),
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    Goto(Name),
    Break,
    Atomic(Sequence),
    DStep(Sequence),
    /// A block; true if it is the body of an `inline`.
    Block(Sequence, bool),
    Unless(Box<Statement>, Box<Statement>),
    Label(Name, Option<Box<Statement>>),
    /// `for (x : a .. b) { … }`
    For(Reference, Expression, Expression, Sequence),
    /// `for (x in a) { … }`
    ForIn(Reference, Reference, Sequence),
    /// `select (x : a .. b)`
    Select(Reference, Expression, Expression),
}

/// A `proctype`, `init` or `never`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proctype {
    /// Its name; `init` for the initial process.
    pub name: Name,
    /// How many of it there are from the start.
    pub active: Option<Expression>,
    /// Its parameters.
    pub parameters: Vec<Declaration>,
    /// `priority n`
    pub priority: Option<(u8, Span)>,
    /// `provided (…)`
    pub provided: Option<Expression>,
    /// What it does.
    pub body: Sequence,
    /// Its closing brace.
    pub end: Span,
    /// What the author wrote there.
    pub(crate) end_written: Option<Arc<Written>>,
}

/// An `ltl` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// What it says.
    pub formula: Expression,
}

/// An `inline`: its parameters and the words of its body, braces included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inline {
    /// The parameters.
    pub parameters: Vec<Arc<str>>,
    /// The body.
    pub body: Vec<Token>,
}

/// A `trace` or `notrace`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTrace {
    /// Is it a `notrace`?
    pub negated: bool,
    /// What it watches for.
    pub body: Proctype,
}

impl EventTrace {
    /// The word that it starts with.
    pub fn word(&self) -> &'static str {
        if self.negated { "notrace" } else { "trace" }
    }
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The lists of mtype names, each with the name of its kind.
    pub mtypes: Vec<(Option<Arc<str>>, Vec<Name>)>,
    /// The structures.
    pub typedefs: Vec<(Name, Vec<Declaration>)>,
    /// The global variables.
    pub globals: Vec<Declaration>,
    /// The processes, `init` among them, in the order of the file.
    pub proctypes: Vec<Proctype>,
    /// The never claims.
    pub claims: Vec<Proctype>,
    /// The event trace.
    pub trace: Option<EventTrace>,
    /// The formulas.
    pub formulas: Vec<Formula>,
}
