//! What the names of a Promela file stand for.
//!
//! A variable is a list of **leaves**: itself, or the scalar fields of its structure, each an array if there is an array
//! on the way to it. `a[2].b[3]` with `a` of 4 elements and `b` of 5 is element `2 * 5 + 3` of the leaf `a.b`.

use super::ast::BaseType;
use crate::report::Report;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_model::Type;
use std::sync::Arc;

/// What a leaf holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Unsigned(u8),
    Short,
    Int,
    /// A name of the list with that number.
    Mtype(usize),
    Chan,
}

impl Scalar {
    /// What is left of a value that is stored.
    pub fn store(self, value: i64) -> i64 {
        match self {
            Scalar::Unsigned(bits) => value & ((1 << bits) - 1),
            Scalar::Short => i64::from(value as i16),
            Scalar::Int => i64::from(value as i32),
            Scalar::Mtype(_) | Scalar::Chan => value & 255,
        }
    }

    pub fn word(self) -> String {
        match self {
            Scalar::Unsigned(1) => "bit".into(),
            Scalar::Unsigned(8) => "byte".into(),
            Scalar::Unsigned(n) => format!("unsigned of {n} bits"),
            Scalar::Short => "short".into(),
            Scalar::Int => "int".into(),
            Scalar::Mtype(_) => "mtype".into(),
            Scalar::Chan => "chan".into(),
        }
    }
}

/// A kind of channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// How many messages it holds; 0 for a rendezvous.
    pub capacity: u32,
    /// The fields of a message.
    pub fields: Vec<Scalar>,
}

/// How a leaf starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    Zero,
    /// Every element.
    Value(super::resolve::Value),
    List(Vec<super::resolve::Value>),
    /// Every element is a channel of its own.
    Channel(Arc<Signature>),
}

/// See the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub name: String,
    pub scalar: Scalar,
    /// The number of elements on each level of arrays.
    pub dimensions: Vec<u32>,
    pub start: Start,
    /// Is it ever written, but for its start?
    pub written: bool,
}

impl Leaf {
    pub fn length(&self) -> Option<u32> {
        let product = |all: u32, &n: &u32| all.saturating_mul(n);
        (!self.dimensions.is_empty()).then(|| self.dimensions.iter().fold(1, product))
    }
}

/// The shape of a variable or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar(Scalar),
    Struct(usize),
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub name: Arc<str>,
    pub shape: Shape,
    pub length: Option<u32>,
    /// Its first leaf, counted from that of the structure.
    pub first: usize,
    pub start: Start,
}

/// A structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Structure {
    pub name: Arc<str>,
    pub fields: Vec<Field>,
    pub leaves: usize,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub shape: Shape,
    pub length: Option<u32>,
    pub first: usize,
}

/// What a name outside of processes stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Variable(usize),
    /// A name of an mtype.
    Constant(i64),
    /// Its declaration was wrong; that has been said.
    Broken,
}

/// The variables of everybody, or of one proctype.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Store {
    pub variables: Vec<Variable>,
    pub leaves: Vec<Leaf>,
}

/// Everything global.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Globals {
    pub store: Store,
    pub names: FxHashMap<Arc<str>, Symbol>,
    pub structures: Vec<Structure>,
    /// The lists of mtypes whose variables are bytes ([`super::loose_mtypes`]).
    pub loose: FxHashSet<usize>,
    /// The names of each list of mtypes, the name with number 1 first.
    pub mtypes: Vec<(Arc<str>, Vec<Arc<str>>)>,
    pub proctypes: FxHashMap<Arc<str>, usize>,
}

impl Globals {
    /// The type of the cells of a leaf.
    pub fn ty(&self, scalar: Scalar) -> Type {
        match scalar {
            Scalar::Unsigned(bits) => Type::Int {
                bits,
                signed: false,
            },
            Scalar::Short => Type::SHORT,
            Scalar::Int => Type::INT,
            Scalar::Chan => Type::BYTE,
            Scalar::Mtype(list) if self.loose.contains(&list) => Type::BYTE,
            Scalar::Mtype(list) => {
                let names = self.mtypes.get(list).map(|m| &m.1[..]).unwrap_or(&[]);
                let names = names.iter().map(|n| n.to_string());
                Type::Enum {
                    names: std::iter::once("0".to_string()).chain(names).collect(),
                }
            }
        }
    }

    /// The shape that a type has; the width of an `unsigned` is given.
    pub fn shape(&self, ty: &BaseType, bits: Option<u8>, report: &mut Report) -> Option<Shape> {
        Some(Shape::Scalar(match ty {
            BaseType::Bit => Scalar::Unsigned(1),
            BaseType::Byte => Scalar::Unsigned(8),
            BaseType::Short => Scalar::Short,
            BaseType::Int => Scalar::Int,
            BaseType::Unsigned => Scalar::Unsigned(bits.unwrap_or(8)),
            BaseType::Chan => Scalar::Chan,
            BaseType::Mtype(kind) => {
                let kind = kind.as_deref().unwrap_or("_unnamed_");
                let list = self.mtypes.iter().position(|m| &*m.0 == kind);
                Scalar::Mtype(list.unwrap_or(usize::MAX))
            }
            BaseType::Struct(name) => {
                let found = self.structures.iter().position(|s| s.name == name.text);
                let Some(found) = found else {
                    let known = self.structures.iter().map(|s| &*s.name);
                    report.unknown(name, "type", known);
                    return None;
                };
                return Some(Shape::Struct(found));
            }
        }))
    }

    /// Appends the leaves of a variable or field.
    pub fn flatten(
        &self,
        name: &str,
        shape: &Shape,
        dimensions: &[u32],
        start: &Start,
        out: &mut Vec<Leaf>,
    ) {
        match shape {
            Shape::Scalar(scalar) => out.push(Leaf {
                name: name.to_string(),
                scalar: *scalar,
                dimensions: dimensions.to_vec(),
                start: start.clone(),
                written: false,
            }),
            Shape::Struct(s) => {
                for field in &self.structures[*s].fields {
                    let mut inner = dimensions.to_vec();
                    inner.extend(field.length);
                    let name = format!("{name}.{}", field.name);
                    self.flatten(&name, &field.shape, &inner, &field.start, out);
                }
            }
        }
    }

    /// How many leaves a shape has.
    pub fn leaves(&self, shape: &Shape) -> usize {
        match shape {
            Shape::Scalar(_) => 1,
            Shape::Struct(s) => self.structures[*s].leaves,
        }
    }
}
