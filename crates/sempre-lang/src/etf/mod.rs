//! ETF, the Enumerated Table Format of LTSmin (Blom, van de Pol, Weber, CAV 2010): a model as tables.
//!
//! A text of sections, each entry on one line:
//!
//! ```text
//! begin state            the cells: name:sort …, `_` for what has no name
//! x:int P_0:P_0
//! end state
//! begin edge             the labels of edges, in the same way
//! action:action
//! end edge
//! begin init             one value for each cell
//! 0 1
//! end init
//! begin trans            a part of the transition relation: in/out where the cell is read or written,
//! * 1/0 0                * where it plays no role; then the values of the edge's labels
//! end trans
//! begin map big:bool     a state label: values of cells, or *, then the value of the label
//! 5 * 1
//! end map
//! begin sort P_0         the values of a sort; numbers in the tables count from 0
//! "idle"
//! "busy"
//! end sort
//! ```
//!
//! Numbers of a sort without values stand for themselves. A value is a word, a `"quoted text"`, or
//! `#616263#` in hexadecimal.
//!
//! Beyond LTSmin's description: several lines in `init` are several initial states, and an edge label
//! called `marks` holds the acceptance marks of the edge, one bit each; a number as its sort tells how many there are
//! (`marks:2`), else the highest that an edge has does. A sort whose values are all integers
//! makes cells that hold these integers; this is how negative values are written.

pub mod model;
pub mod reader;
mod sections;
pub mod writer;

#[cfg(test)]
mod tests;

pub use model::EtfModel;
pub use reader::read_etf;
pub use writer::{ExportError, write_etf};
