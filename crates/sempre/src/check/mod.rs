//! Does every run of a model satisfy a property, and if not, which does not?
//!
//! | file | holds |
//! | --- | --- |
//! | [`property`] | what is to be checked: a formula, or the automaton of its violations, bound to a model |
//! | [`sources`] | where properties come from: formulas, lists, the XML of the contest, automata, DVE files |
//! | [`embedded`] | the property process of a DVE file as an automaton |
//! | [`failures`] | failed assertions, erroneous steps, and ends where none should be |
//! | [`strategy`] | which automaton and which emptiness check, and why |
//! | [`translation`] | the automaton of the violations, within a limit of time |
//! | `finite_violations` | the finite automaton of the bad prefixes of a safety property |
//! | [`settings`] | by which means, within which limits |
//! | [`checker`] | a check from end to end |
//! | `conclusion` | from the end of a search to the verdict |
//! | [`several`] | several properties of one model, checked together |
//! | `parts` | a conjunction as its parts |
//! | [`symbolic`] | a check with the symbolic engine |
//! | [`portfolio`] | a check with both engines at the same time |
//! | [`reachability`] | questions about nets: walks, the state equation, engines on what matters of the net |
//! | `program_walk` | walks through programs that are no nets |
//! | [`replay`] | evidence: a run that was confirmed without the help of the search |
//! | [`bad_prefix`] | is a finite word one that no continuation can save? |
//! | [`verdict`] | what is known at the end |
//!
//! ```
//! use sempre::check::{Checker, Fairness, Settings, Verdict, sources};
//! use sempre::lang::model::{Language, Model};
//! let text = "process P { state idle, busy; init idle; trans idle -> busy {}, busy -> idle {}; } system async;";
//! let (model, _) = Model::read(Language::Dve, "tiny", text).unwrap();
//! let property = sources::formula(&model, "G(P.busy -> F P.idle)").unwrap();
//! let checker = Checker::new(model.program(), Fairness::None).unwrap();
//! let report = checker.check(&property, &Settings::default()).unwrap();
//! assert!(matches!(report.verdict, Verdict::Holds(_)));
//! ```

pub mod bad_prefix;
pub mod checker;
mod conclusion;
pub mod embedded;
pub mod failures;
pub(crate) mod finite_violations;
pub(crate) mod parts;
pub mod portfolio;
pub(crate) mod program_walk;
pub mod property;
pub mod reachability;
pub mod replay;
pub mod settings;
pub mod several;
pub mod sources;
pub mod strategy;
pub mod symbolic;
pub mod translation;
pub mod verdict;

pub use checker::Checker;
pub use property::{Asked, Claim, Property, Proposition};
pub use reachability::Method;
pub use replay::{Evidence, Moment};
pub use settings::{Engine, Fairness, Settings};
pub use strategy::AutomatonKind;
pub use symbolic::{Reachability, SymbolicAlgorithm, SymbolicSettings};
pub use verdict::{Cause, CheckError, Exhausted, Report, Verdict, answer_word, is_yes};
