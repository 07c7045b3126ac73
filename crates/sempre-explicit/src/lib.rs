//! Explicit-state engines.
//!
//! This crate knows no language, no LTL and no printing.
