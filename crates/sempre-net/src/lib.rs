//! Reachability questions about place/transition nets: is there a run to a marking that meets a condition?
//!
//! A net is a program whose actions test and change tokens by constants ([`Net::of`] recognises one). Its transition
//! relation is linear: a marking is the initial one plus, for each transition, its change times the number of its
//! firings. This permits two methods that need no set of states.
//!
//! | file | holds |
//! | --- | --- |
//! | [`net`] | the net as vectors; which programs are nets; the program of a net |
//! | [`condition`] | conditions on markings: linear inequalities, conjunctions, disjunctions |
//! | [`question`] | a net with a condition; removes what cannot influence the condition |
//! | [`walk`] | random, directed and guided runs: a run that meets the condition is a witness |
//! | [`tableau`] | linear programs in exact integers, for the state equation |
//! | [`state_equation`] | no solution, no run: a proof that the condition is unreachable; a solution guides walks |
//! | [`certificate`] | such a proof, and its check |
//! | [`witness`] | replay of paths, and shorter ones |
//! | `numbered_condition` | conditions whose inequalities are numbered, with values stored outside |
//! | `structure` | traps and unmarkable places, which exclude spurious solutions |
//!
//! This crate uses neither properties nor engines: a question is a condition on markings.

pub mod certificate;
pub mod condition;
pub mod net;
mod numbered_condition;
pub mod question;
pub mod state_equation;
mod structure;
pub mod tableau;
pub mod walk;
pub mod witness;

pub use certificate::Proof;
pub use condition::{Condition, Linear};
pub use net::{Net, Transition};
pub use question::Question;
