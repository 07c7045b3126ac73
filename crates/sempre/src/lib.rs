//! The front door of `sempre` for Rust programs: the crates below under short names, and the
//! [`Workbench`], which holds what they need together.
//!
//! ```
//! use sempre::{Workbench, translate::translator::Options};
//! let mut bench = Workbench::new();
//! let f = bench.parse("G(request -> F grant)").unwrap();
//! let a = bench.translate(f, Options::default());
//! assert_eq!(a.states(), 2);
//! ```

pub mod automata;
pub mod check;
pub mod contest;
pub mod cpu_time;
pub mod cross;
pub mod crosscheck;
pub mod experiments;
pub mod memory;
pub mod monitor;
pub mod reasons;
pub mod report;
pub mod sequence_chart;
pub mod shown_run;
pub mod state_text;
pub mod step_text;
pub mod trace_lines;
pub mod trail;
pub mod word;
pub mod workbench;

pub use sempre_base as base;
pub use sempre_explicit as explicit;
pub use sempre_jit as jit;
pub use sempre_lang as lang;
pub use sempre_ltl as ltl;
pub use sempre_model as model;
pub use sempre_net as net;
pub use sempre_omega as omega;
pub use sempre_symbolic as symbolic;
pub use sempre_translate as translate;
pub use workbench::Workbench;
