//! Input languages, one module each, all lowering into the program IR of `sempre-model`.
//!
//! This crate knows no engine.
