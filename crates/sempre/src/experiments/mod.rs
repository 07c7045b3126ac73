//! The experiments of the papers, run again with our own engines. Each prints the tables of its paper in their
//! layout, as text, as CSV and as a page to look at.
//!
//! | file | paper |
//! | --- | --- |
//! | [`emptiness`], [`emptiness_models`] | Couvreur, Duret-Lutz, Poitrenaud: On-the-fly emptiness checks for generalized Büchi automata, SPIN 2005 |
//! | [`safety`], [`safety_formulas`], [`safety_models`] | Latvala: Efficient model checking of safety properties, SPIN 2003 |
//! | [`testing_automata`] | Ben Salem, Duret-Lutz, Kordon: Generalized Büchi automata versus testing automata for model checking, SUMo 2011 |
//! | [`symbolic`] | Ben Salem, Duret-Lutz, Kordon, Thierry-Mieg: Symbolic model checking of stutter-invariant properties using generalized testing automata, TACAS 2014 |
//! | [`rabin`], [`rabin_tables`], [`reference_set`] | Bloemen, Duret-Lutz, van de Pol: Model checking with generalized Rabin and Fin-less automata, STTT 2019 |
//! | [`page`] | tables and charts as text, CSV, HTML and SVG |

mod cut_system;
pub mod emptiness;
pub mod emptiness_models;
mod graph_system;
pub mod page;
mod plain_degeneralization;
mod product_of_2005;
pub mod rabin;
pub mod rabin_tables;
pub mod reference_set;
pub mod safety;
pub mod safety_formulas;
pub mod safety_models;
mod shy_counts;
pub mod symbolic;
pub mod testing_automata;
mod translation_of_2005;
