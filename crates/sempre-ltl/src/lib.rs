//! LTL formulas: syntax, rewriting, classes, semantics on lasso words.
//!
//! This crate does not know automata: what needs a language (equivalence, the semantic classes)
//! lives in `sempre-translate`.

pub mod classes;
pub mod formula;
pub mod implication;
pub mod parse;
pub mod print;
pub mod simplify;

pub use classes::Facts;
pub use formula::{Formula, Formulas, Op};
pub use implication::Implication;
pub use parse::{ParseOptions, Parsed, parse, parse_lbt, parse_list};
pub use print::{Syntax, print};
pub use simplify::Simplifier;
