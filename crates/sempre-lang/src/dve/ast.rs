//! What is written in a DVE file, before anybody asks what the names mean.

use crate::report::Named;
use sempre_base::Span;
use sempre_model::{Binary, Unary};

/// A name where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The name.
    pub text: &'a str,
    /// Where.
    pub span: Span,
}

impl Named for Name<'_> {
    fn named(&self) -> (&str, Span) {
        (self.text, self.span)
    }
}

/// An expression where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression<'a> {
    /// What it is.
    pub kind: Kind<'a>,
    /// From its first word to its last.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A number, `true`, `false`.
    Number(i64),
    /// A location in quotes, without them (propositions only).
    Quoted(&'a str),
    /// A variable or constant; in a proposition also a process.
    Name(Name<'a>),
    /// An element of an array.
    Element(Name<'a>, Box<Expression<'a>>),
    /// `P.s`: is the process in the location? In a proposition also `P.v` and `P.v[i]`, its variable.
    Dot(Name<'a>, Name<'a>, Option<Box<Expression<'a>>>),
    /// `P->v`, `P->v[i]`: a variable of a process.
    Foreign(Name<'a>, Name<'a>, Option<Box<Expression<'a>>>),
    /// One operand.
    Unary(Unary, Box<Expression<'a>>),
    /// Two operands.
    Binary(Binary, Box<Expression<'a>>, Box<Expression<'a>>),
}

/// The type of a variable, or of one part of what a channel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// 0 to 255.
    Byte,
    /// −32768 to 32767.
    Int,
}

/// The value that a variable starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initializer<'a> {
    /// `= e`
    One(Expression<'a>),
    /// `= {e, e, …}`
    Many(Vec<Expression<'a>>, Span),
}

/// A declared variable or constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// What it, or each element, holds.
    pub scalar: Scalar,
    /// `const`?
    pub constant: bool,
    /// Number of elements of an array.
    pub length: Option<Expression<'a>>,
    /// Where it starts.
    pub initializer: Option<Initializer<'a>>,
}

/// A declared channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// The types of the parts of a message, if they are declared.
    pub types: Option<Vec<Scalar>>,
    /// Number of messages it can hold; `None` if no brackets are written.
    pub capacity: Option<Expression<'a>>,
}

/// `sync c!…` or `sync c?…`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sync<'a> {
    /// The channel.
    pub channel: Name<'a>,
    /// Does it send?
    pub sends: bool,
    /// What it sends, or where it puts what it receives.
    pub values: Vec<Expression<'a>>,
    /// From the channel to the last value.
    pub span: Span,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition<'a> {
    /// Where it starts; for `-> t` the start of the one before, with that span.
    pub from: Name<'a>,
    /// Where it leads.
    pub to: Name<'a>,
    /// When it can be taken.
    pub guard: Option<Expression<'a>>,
    /// The channel it waits for.
    pub sync: Option<Sync<'a>>,
    /// `place = value`, in order.
    pub effects: Vec<(Expression<'a>, Expression<'a>)>,
    /// The whole of it.
    pub span: Span,
}

/// When an infinite run is accepted, by the locations that it visits again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acceptance<L> {
    /// One of these.
    Buchi(Vec<L>),
    /// One of each set.
    GeneralizedBuchi(Vec<Vec<L>>),
    /// Exactly one of these sets.
    Muller(Vec<Vec<L>>),
    /// The pairs of a Rabin condition, `(first; second)` as the file writes them.
    Rabin(Vec<(Vec<L>, Vec<L>)>),
    /// The pairs of a Streett condition, as the file writes them.
    Streett(Vec<(Vec<L>, Vec<L>)>),
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// Its variables and constants.
    pub declarations: Vec<Declaration<'a>>,
    /// Its locations.
    pub states: Vec<Name<'a>>,
    /// Where it starts.
    pub initial: Option<Name<'a>>,
    /// Committed locations.
    pub committed: Vec<Name<'a>>,
    /// What it accepts, if it says.
    pub acceptance: Option<Acceptance<Name<'a>>>,
    /// What must hold in a location.
    pub assertions: Vec<(Name<'a>, Expression<'a>)>,
    /// Its transitions.
    pub transitions: Vec<Transition<'a>>,
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File<'a> {
    /// Variables and constants of all.
    pub declarations: Vec<Declaration<'a>>,
    /// Channels.
    pub channels: Vec<Channel<'a>>,
    /// Processes.
    pub processes: Vec<Process<'a>>,
    /// Do all processes step together?
    pub synchronous: bool,
    /// The property process.
    pub property: Option<Name<'a>>,
}

impl<L> Acceptance<L> {
    /// The same condition over other names of the locations.
    pub fn map<M>(self, f: &mut impl FnMut(L) -> M) -> Acceptance<M> {
        fn set<L, M>(set: Vec<L>, f: &mut impl FnMut(L) -> M) -> Vec<M> {
            set.into_iter().map(f).collect()
        }
        type Pairs<L> = Vec<(Vec<L>, Vec<L>)>;
        fn pairs<L, M>(pairs: Pairs<L>, f: &mut impl FnMut(L) -> M) -> Pairs<M> {
            (pairs.into_iter())
                .map(|(a, b)| (set(a, f), set(b, f)))
                .collect()
        }
        match self {
            Acceptance::Buchi(s) => Acceptance::Buchi(set(s, f)),
            Acceptance::GeneralizedBuchi(s) => {
                Acceptance::GeneralizedBuchi(s.into_iter().map(|s| set(s, f)).collect())
            }
            Acceptance::Muller(s) => Acceptance::Muller(s.into_iter().map(|s| set(s, f)).collect()),
            Acceptance::Rabin(p) => Acceptance::Rabin(pairs(p, f)),
            Acceptance::Streett(p) => Acceptance::Streett(pairs(p, f)),
        }
    }
}
