//! The Hanoi Omega-Automata format, versions 1 and 1.1 (Babiak, Blahoudek, Duret-Lutz, Klein, Křetínský, Müller,
//! Parker, Strejček, CAV 2015): a complete reader and a writer.
//!
//! * `lexer`: text to tokens with spans, in linear time.
//! * `expressions`: Boolean labels and acceptance conditions.
//! * [`reader`]: the automata of a stream, with as many errors as possible.
//! * `properties`: the claims of `properties:` and `acc-name:` lines, compared with the automaton.
//! * [`acceptance_name`]: the standard's names for conditions.
//! * [`writer`]: an automaton as text.
//!
//! Alternating automata (`0&1`) are read, not written: see [`alternating`](crate::alternating).

pub(crate) mod acceptance_name;
mod body;
mod expressions;
pub(crate) mod header;
mod item;
mod lexer;
mod properties;
pub mod reader;
mod source;
pub mod writer;

pub use acceptance_name::acceptance_name;
pub use reader::{Highlights, HoaItem, HoaReader, read_hoa};
pub use writer::{AcceptancePlace, HoaOptions, Known, write_hoa};
