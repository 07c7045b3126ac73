//! State tables: a packed state in, a dense index out, and back.
//!
//! This crate does not know what a state means. It is, besides the compiler of `sempre-jit`, the only
//! home of `unsafe`, each block with its reason.
//!
//! | file | holds |
//! | --- | --- |
//! | [`store`] | [`Store`]: the table that suits the width of a state, and [`Batch`], how engines talk to it |
//! | [`flat`] | [`Flat`]: a lock-free set of keys of one or two words |
//! | [`tree`] | [`Tree`]: tree compression of longer states on top of flat tables |
//! | [`index_array`] | [`IndexArray`]: a number per state, beside the table |
//! | [`union_find`] | [`UnionFind`]: sets of states that several workers unite, beside the table |
//! | [`budget`] | [`Budget`]: the memory that all tables of a search may take together |
//! | `gate` | many readers of a table, now and then one that replaces it |
//! | `chunked` | arrays that grow and never move |
//! | `memory` | zeroed memory in large pages |
//! | `slots` | the hash index of a flat table |

pub mod budget;
mod chunked;
pub mod flat;
mod gate;
pub mod index_array;
#[cfg(all(loom, test))]
mod loom_models;
mod memory;
mod slots;
pub mod store;
mod sync;
pub mod tree;
pub mod union_find;

pub use budget::{Budget, Full};
pub use flat::{Flat, Found};
pub use index_array::IndexArray;
pub use store::{Batch, StateIndex, Store, StoreWorker};
pub use tree::Tree;
pub use union_find::UnionFind;
