//! PNML, the Petri Net Markup Language (ISO/IEC 15909-2): place/transition nets.
//!
//! * [`reader`]: a document to a [`PetriNet`](crate::petri_net::PetriNet), with its complaints.
//! * [`writer`]: a net as a document.
//! * [`propositions`]: conditions on markings in a net's own names.
//! * [`properties`]: the formulas of the Model Checking Contest, in XML.
//! * [`xml`]: what they share.

pub mod properties;
pub mod propositions;
pub mod reader;
pub mod writer;
mod xml;

#[cfg(test)]
mod tests;

pub use properties::{Asked, Property, read_properties};
pub use propositions::NetScope;
pub use reader::read_pnml;
pub use writer::write_pnml;
