//! The languages of formulas and of the automata made from them, compared with the semantics on words
//! and, exactly, with a tableau that has nothing in common with the constructions under test.

mod obligations;
mod published;
mod rewriting;
mod tableau;
mod testing;
mod translator;
mod words;
