//! Symbolic engines: sets of states as decision diagrams.
//!
//! This crate knows no language, no LTL, no explicit store and no printing.
//!
//! A module uses modules in the rows above, or further left in its row, and no others. So there are no cycles, and each
//! module can be read after those before it.
//!
//! | folder | modules |
//! | --- | --- |
//! | – | `turns` searches that take turns; `thread_clock` CPU time; `deep_stack` a stack for deep recursion |
//! | `dd`: list decision diagrams, without a model | `natural` numbers of unlimited size; `node` node numbers and contents; `cache` results of operations; `control` limits and counters; `list_index` long lists; `shape` the levels that a relation reads and writes; `forest` the diagrams and their roots; `budget` polling, work; `unique_table` making nodes, garbage collection; `sets` union, intersection, difference; `vectors` in and out; `project`, `image`, `restrict`, `preimage`, `join`, `steps_into` operations with relations; `count`; `set_accumulator` sets built from many small ones |
//! | `relation`: programs as relations | `force` variable orders; `reordering` for long searches; `split` actions by values of indices; `conjuncts` of an action; `values` numbering; `linear` conditions on sums; `relation_learner` rows from the interpreter; `partial_relation` relations over a few cells; `model` a program; `events` their relations; `conditions` on states; `faults` errors; `enabled` deadlocks, transitions |
//! | [`reach`]: reachable states | `progress` reports; `saturation`; `fixed_events` whose relations do not grow; `breadth_first` search; `interleaved_bfs` with a saturation; `states` by each strategy; `explore` with counts |
//! | [`product`]: products with a property automaton | `automaton`, `graph` interfaces; `options`; `relations` images by several; `faster_first` of two computations; `builder` parts of a product; `fairness` acceptance sets; `self_loops` reachability in products with a TGBA; `symbolic_product` with TGBA and TGTA; `on_the_fly` products |
//! | [`search`]: emptiness checks and accepting runs | `options`; `outcome`; `owcty` One Way Catch Them Young; `accepting_run` of a product; `explicit_lasso` of a program; `violation` a run of the program; `search_context`, `directed` search with restarts; `explored_part` of a product; `bounded` search; `partial_traversal`; `underapproximation` a run by few events; `prepared` the check over all states; `check` algorithms in turns |

#![warn(unreachable_pub)]

mod dd;
mod deep_stack;
pub mod product;
pub mod reach;
mod relation;
pub mod search;
mod thread_clock;
mod turns;

pub use dd::control::Limits;
pub use dd::natural::Natural;
pub use relation::faults::Fault;
pub use sempre_base::Stop;
