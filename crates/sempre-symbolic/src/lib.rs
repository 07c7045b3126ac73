//! Symbolic engines: sets of states as decision diagrams.
//!
//! This crate knows no language, no LTL, no explicit store and no printing.
//!
//! | file | holds |
//! | --- | --- |
//! | [`forest`] | the diagrams: nodes, unique table, what is protected |
//! | [`cache`] | results of operations |
//! | [`collect`] | garbage collection, growth, limits |
//! | [`sets`] | union, intersection, difference |
//! | [`shape`] | which levels a relation reads and writes |
//! | [`project`] | projection onto some levels |
//! | [`image`] | successors by a relation |
//! | [`preimage`] | predecessors by a relation |
//! | [`join`] | the conjunction of two relations |
//! | [`vectors`] | single vectors in and out |
//! | [`count`] | number of vectors, of steps, of nodes |
//! | `growing` | sets that grow by many small ones |
//! | `long_lists` | places in long lists |
//! | [`natural`] | natural numbers without a limit |
//! | [`restrict`] | the domain of a relation within a set |
//! | [`saturate`] | least fixpoints from the bottom of the diagrams up |
//! | `known_events` | the same by events whose relations are known |
//! | [`order`] | which cell is at which level |
//! | `second_order` | another order, for searches that turn out to be long |
//! | [`split`] | actions with one variant for each value of their indices |
//! | `conjuncts` | an action as a conjunction of parts |
//! | `part` | relations over a few cells, learned where they are needed |
//! | [`model`] | a program as sets and relations |
//! | `linear` | conditions on sums |
//! | `enabled` | deadlocks, number of steps |
//! | `clock` | the time that a thread has worked |
//! | [`reach`] | all states that a program can come to |
//! | `breadth_first` | the same, level by level |
//! | `beside` | a breadth-first search beside a saturation that gets long |
//! | [`after`] | the steps of a relation after which a condition holds |
//! | [`observer`] | what a product asks of a property automaton |
//! | [`graph`] | what is asked of a product |
//! | [`product`] | products with TGBA and TGTA |
//! | `self_loops` | reachability in products with TGBA |
//! | `on_the_fly` | the same, of states as they are met |
//! | `bounded` | accepting runs near the initial states, on the fly |
//! | `dive` | accepting runs far from them |
//! | `climb`, `terrain` | the same by single states, without diagrams |
//! | `endless` | a short run that goes on without end |
//! | `baton` | searches that take turns |
//! | `fair` | weak fairness, as acceptance sets |
//! | [`owcty`] | is there an accepting run? |
//! | `fewer_events` | the same with fewer events, where a run is hard to find |
//! | [`lasso`] | an accepting run |
//! | `violation` | the same as a run of the program |
//! | [`mod@check`] | a check from end to end |

pub mod after;
mod baton;
mod beside;
mod bounded;
mod breadth_first;
pub mod cache;
pub mod check;
mod climb;
mod clock;
pub mod collect;
mod conjuncts;
pub mod count;
mod dive;
mod enabled;
mod endless;
mod fair;
mod fewer_events;
pub mod forest;
pub mod graph;
mod growing;
pub mod image;
pub mod join;
mod known_events;
pub mod lasso;
mod linear;
mod long_lists;
pub mod model;
pub mod natural;
pub mod observer;
mod on_the_fly;
pub mod order;
pub mod owcty;
mod part;
pub mod preimage;
pub mod product;
pub mod project;
pub mod reach;
pub mod restrict;
pub mod saturate;
mod second_order;
mod self_loops;
pub mod sets;
pub mod shape;
pub mod split;
mod terrain;
pub mod vectors;
mod violation;

pub use collect::{Limits, Stop};
pub use forest::{Forest, Kept, Node};
pub use model::{Fault, Model};
pub use natural::Natural;
pub use reach::{Exploration, Strategy};
pub use saturate::Firing;
pub use shape::{Mode, Shape};
