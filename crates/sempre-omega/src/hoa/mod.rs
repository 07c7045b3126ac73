//! The Hanoi Omega-Automata format, versions 1 and 1.1 (Babiak, Blahoudek, Duret-Lutz, Klein, Křetínský, Müller,
//! Parker, Strejček, CAV 2015): a complete reader and a writer.
//!
//! * [`lexer`]: text to tokens with spans, in linear time.
//! * [`expressions`]: Boolean labels and acceptance conditions.
//! * [`reader`]: automata out of a stream of them, with every error it can find.
//! * [`properties`]: what a `properties:` or `acc-name:` line promises, compared with what is there.
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
