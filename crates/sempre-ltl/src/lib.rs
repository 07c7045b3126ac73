//! LTL formulas: syntax, rewriting, classes, semantics on lasso words.
//!
//! This crate does not depend on automata: operations on languages (equivalence, the semantic classes) are in
//! `sempre-translate`.

pub mod classes;
pub mod formula;
pub mod implication;
pub mod lasso;
pub mod nnf;
mod op;
pub mod parse;
pub mod patterns;
pub mod print;
pub mod random;
pub mod relabel;
pub mod samples;
pub mod shrink;
pub mod simplify;
pub mod word;

pub use classes::Facts;
pub use formula::{Formula, Formulas, Op};
pub use implication::Implication;
pub use lasso::{Evaluation, Letter, evaluate, evaluate_with, holds};
pub use nnf::{nnf, nnf_exact};
pub use parse::{ParseOptions, Parsed, parse, parse_lbt, parse_list};
pub use print::{Syntax, print};
pub use random::RandomFormula;
pub use simplify::Simplifier;
