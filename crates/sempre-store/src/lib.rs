//! State tables: a packed state in, a dense index out, and back.
//!
//! This crate does not know what a state means. It is, besides the compiler of `sempre-jit`, the only
//! home of `unsafe`, each block with its reason.
