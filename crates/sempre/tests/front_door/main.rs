//! The real binary, as people run it: what it prints, what it complains about, its exit statuses. One program for all of it, since
//! each has the whole of sempre in it.

mod automaton;
mod bench;
mod binary;
mod broken_models;
mod check;
mod check_auto;
mod check_many;
mod check_output;
mod check_properties;
mod check_safety;
mod complaints;
mod cross;
mod crosscheck;
mod explore;
mod explore_symbolic;
mod formula;
mod help;
mod limits;
mod mcc;
mod random;
mod readme;
mod report;
mod safety;
mod schema;
mod translate;
mod wide;
mod words;
