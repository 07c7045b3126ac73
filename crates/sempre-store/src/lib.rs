//! State tables: from a packed state to a dense index, and back.
//!
//! This crate does not depend on the meaning of states. Besides the compiler in `sempre-jit` it is the only crate
//! with `unsafe`, each block with its reason.
//!
//! | file | holds |
//! | --- | --- |
//! | [`store`] | [`Store`]: the table that suits the width of a state, and [`Batch`], the interface to engines |
//! | `flat` | a lock-free set of keys of one or two words |
//! | `keys`, `packed`, `split` | the keys of a flat table: as words, or in few bits |
//! | `tree` | tree compression of longer states on top of flat tables |
//! | `index_array` | [`IndexArray`]: a number per state, beside the table |
//! | [`union_find`] | [`UnionFind`]: sets of states that several workers unite, beside the table |
//! | [`budget`] | [`Budget`]: the memory that all tables of a search share |
//! | `gate` | many readers of a table, and now and then a worker that replaces it |
//! | `chunked`, `arena` | arrays that grow and never move, of equal and of any length |
//! | `memory` | zeroed memory in large pages |
//! | [`reserve`], [`signals`] | for binaries: a global allocator with a reserve; signals that request termination |
//! | `slots`, `rehash` | the hash index of a flat table, and how workers fill a larger one together |

mod arena;
pub mod budget;
mod changed;
mod chunked;
mod flat;
mod gate;
pub(crate) mod index_array;
mod keys;
#[cfg(all(loom, test))]
mod loom_models;
mod memory;
mod packed;
mod rehash;
pub mod reserve;
pub mod signals;
mod slots;
mod split;
pub mod store;
mod sync;
mod tree;
pub mod union_find;

pub use budget::{Budget, Full};
pub use flat::Found;
pub use index_array::IndexArray;
pub use memory::in_large_pages;
pub use store::{Batch, StateIndex, Store, StoreWorker};
pub use union_find::UnionFind;
