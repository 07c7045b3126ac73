//! The program IR compiled to native code in process.
//!
//! This crate knows no input language. Like `sempre-store` it may use `unsafe`, each block with its
//! reason.
