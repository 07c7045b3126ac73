//! ω-automata with any Inf/Fin acceptance on their edges: formats, operations, reductions.
//!
//! This crate knows neither LTL nor models.

pub mod acceptance;
pub mod acceptance_dnf;
pub mod accepting_run;
pub mod automaton;
pub mod bdd;
pub mod complement;
pub mod complete;
pub mod degeneralize;
pub mod determinize;
pub mod emptiness;
pub mod fin_less;
pub mod finite;
pub mod generalized_rabin;
pub mod hoa;
pub mod inclusion;
pub mod isomorphism;
mod labels;
pub mod lbtt;
pub mod mark;
pub mod membership;
pub mod never_claim;
pub mod paritize;
pub mod picture;
pub mod product;
pub mod rabin_by_component;
pub mod random;
pub mod remove_fin;
pub mod residual_merge;
pub mod scc;
pub mod scc_filter;
pub mod simplify_acceptance;
pub mod simulation;
pub mod state_simulation;
pub mod stats;
pub mod stream;
pub mod stutter;
pub mod sum;
pub mod testing;
pub mod transient_pruning;
pub mod wdba;
pub mod word;

pub use acceptance::Acceptance;
pub use automaton::{Alphabet, Automaton, Edge};
pub use bdd::{Bdd, Bdds, Literal};
pub use finite::FiniteAutomaton;
pub use hoa::{HoaItem, HoaOptions, read_hoa, write_hoa};
pub use lbtt::{read_lbtt, write_lbtt};
pub use mark::Mark;
pub use never_claim::{read_never_claims, write_never_claim};
pub use picture::{Picture, picture};
pub use scc::Sccs;
pub use stats::Stats;
pub use stream::{Format, detect_format, read_automata};
pub use word::{Letter, Word};
