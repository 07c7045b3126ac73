//! Emptiness checks: is there a reachable cycle that is in all acceptance sets?
//!
//! | file | algorithm | acceptance | stack counted |
//! | --- | --- | --- | --- |
//! | [`cou99`] | Couvreur 1999, with the list of states to remove | generalised | depth-first stack and states to remove |

pub mod accepting_run;
pub mod cou99;

use crate::marks::Marks;
use crate::space::{Counters, Run, Space, Stop};

/// The checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// [`cou99`].
    #[default]
    Cou99,
}

impl Algorithm {
    /// All of them, with their names.
    pub const ALL: [(Algorithm, &'static str); 1] = [(Algorithm::Cou99, "cou99")];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(a, _)| *a == self)
            .map_or("", |(_, name)| name)
    }

    /// Does it take only one acceptance set, so that the product must be degeneralised?
    pub fn needs_one_set(self) -> bool {
        false
    }

    /// Runs it: an accepting run, or `None` if there is none.
    ///
    /// # Errors
    /// If the search could not go on.
    pub fn run<M: Marks>(
        self,
        space: &mut dyn Space<M>,
        counters: &mut Counters,
    ) -> Result<Option<Run<M>>, Stop> {
        match self {
            Self::Cou99 => cou99::check(space, counters),
        }
    }
}
