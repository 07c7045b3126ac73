//! What the programs that measure have in common.

pub mod campaign;
pub mod figures;
pub mod measure;
pub mod pairs;
pub mod peers;
pub mod promela_files;
