//! List decision diagrams: nodes, garbage collection, operations on sets and relations. Knows no model.

pub(crate) mod budget;
pub(crate) mod cache;
pub(crate) mod control;
pub(crate) mod count;
pub(crate) mod forest;
pub(crate) mod image;
pub(crate) mod join;
pub(crate) mod list_index;
pub(crate) mod natural;
pub(crate) mod node;
pub(crate) mod preimage;
pub(crate) mod project;
pub(crate) mod restrict;
pub(crate) mod set_accumulator;
pub(crate) mod sets;
pub(crate) mod shape;
pub(crate) mod steps_into;
pub(crate) mod unique_table;
pub(crate) mod vectors;

#[cfg(test)]
mod tests;
