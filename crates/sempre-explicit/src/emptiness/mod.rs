//! Emptiness checks: is there a reachable cycle that is in all acceptance sets?
//!
//! | file | algorithm | acceptance | stack counted |
//! | --- | --- | --- | --- |
//! | [`cou99`] | Couvreur 1999, with the list of states to remove | generalised | depth-first stack and states to remove |
//! | [`cou99_norem`] | Couvreur 1999, as it was published | generalised | depth-first stack |
//! | [`cou99_shy_minus`] | the same, edges to known states first | generalised | as `cou99`, and edges that wait |
//! | [`cou99_shy`] | the same, edges of the last component | generalised | as `cou99`, and edges that wait |
//! | [`emerson_lei`] | Baier and others 2019 on top of `ufscc`, by any number of workers | any | the longest depth-first stack |
//! | [`favoid`] | Bloemen, Duret-Lutz and van de Pol 2019, by any number of workers | generalised Rabin | the longest depth-first stack |
//! | [`gv04`] | Geldenhuys and Valmari 2004 | one set | states of incomplete components |
//! | [`cndfs`] | Evangelista, Laarman, Petrucci and van de Pol 2012, by any number of workers | one set | both depth-first stacks of a worker |
//! | [`cvwy90`] | Courcoubetis, Vardi, Wolper and Yannakakis 1990 | one set | both depth-first stacks |
//! | [`se05`] | Schwoon and Esparza 2005 | one set | both depth-first stacks |
//! | [`tau03`] | Tauriainen 2003 | generalised | both depth-first stacks |
//! | [`tau03_opt`] | Couvreur, Duret-Lutz and Poitrenaud 2005 | generalised | both depth-first stacks |
//! | [`ta_two_pass`] | Geldenhuys and Hansen 2006 | testing automata | as `cou99` |
//! | [`weak_dfs`] | one depth-first search | weak | depth-first stack |
//! | [`ufscc`] | Bloemen, Laarman and van de Pol 2016, by any number of workers | generalised | the longest depth-first stack |
//!
//! What they share:
//!
//! | file | holds |
//! | --- | --- |
//! | `search_stack` | a depth-first stack |
//! | `crew` | workers that search together |
//! | `chain` | the chain of components of Couvreur's checks |
//! | [`accepting_run`] | short runs, in a component |
//! | `collecting_run` | short runs, from one state of an accepting cycle |
//! | [`nearby_run`] | shorter runs, near the initial states |

pub mod accepting_run;
mod chain;
pub mod cndfs;
mod collecting_run;
pub mod cou99;
pub mod cou99_norem;
pub mod cou99_shy;
pub mod cou99_shy_minus;
mod crew;
pub mod cvwy90;
pub mod emerson_lei;
pub mod favoid;
pub mod gv04;
pub mod nearby_run;
pub mod se05;
pub(crate) mod search_stack;
pub mod ta_two_pass;
pub mod tau03;
pub mod tau03_opt;
pub mod ufscc;
pub mod weak_dfs;

use crate::marks::Marks;
use crate::space::{Counters, Run, Space, Stop, Wanted};

/// How several Rabin pairs are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairs {
    /// One after the other, by all workers.
    #[default]
    OneByOne,
    /// At the same time, with the workers divided evenly.
    Parallel,
}

/// A run, and what was wanted of its cycle.
pub type Found<M> = (Run<M>, Wanted<M>);

/// The checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// [`cou99`].
    #[default]
    Cou99,
    /// [`cou99_norem`].
    Cou99Norem,
    /// [`cou99_shy_minus`].
    Cou99ShyMinus,
    /// [`cou99_shy`].
    Cou99Shy,
    /// [`gv04`].
    Gv04,
    /// [`cvwy90`].
    Cvwy90,
    /// [`se05`].
    Se05,
    /// [`tau03`].
    Tau03,
    /// [`tau03_opt`].
    Tau03Opt,
    /// [`weak_dfs`].
    Dfs,
    /// [`ta_two_pass`].
    TaTwoPass,
    /// [`ufscc`].
    Ufscc,
    /// [`cndfs`].
    Cndfs,
    /// [`favoid`].
    Favoid,
    /// [`emerson_lei`].
    EmersonLei,
}

impl Algorithm {
    /// All of them, with their names.
    pub const ALL: [(Algorithm, &'static str); 15] = [
        (Algorithm::Cou99, "cou99"),
        (Algorithm::Cou99Norem, "cou99-norem"),
        (Algorithm::Cou99ShyMinus, "cou99-shy-minus"),
        (Algorithm::Cou99Shy, "cou99-shy"),
        (Algorithm::Gv04, "gv04"),
        (Algorithm::Cvwy90, "cvwy90"),
        (Algorithm::Se05, "se05"),
        (Algorithm::Tau03, "tau03"),
        (Algorithm::Tau03Opt, "tau03-opt"),
        (Algorithm::Dfs, "dfs"),
        (Algorithm::TaTwoPass, "ta-two-pass"),
        (Algorithm::Ufscc, "ufscc"),
        (Algorithm::Cndfs, "cndfs"),
        (Algorithm::Favoid, "favoid"),
        (Algorithm::EmersonLei, "emerson-lei"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(a, _)| *a == self)
            .map_or("", |(_, name)| name)
    }

    /// Does it take only one acceptance set, so that the product must be degeneralised?
    pub fn needs_one_set(self) -> bool {
        matches!(self, Self::Gv04 | Self::Cvwy90 | Self::Se05 | Self::Cndfs)
    }

    /// Does it take only products in which the kind of a state's component ([`Space::kind`]) tells which cycles are
    /// accepting?
    pub fn needs_weak(self) -> bool {
        self == Self::Dfs
    }

    /// Is it made for products with testing automata that have livelock accepting states?
    pub fn needs_livelock(self) -> bool {
        self == Self::TaTwoPass
    }

    /// Does it decide every product with generalised Büchi acceptance (degeneralised, if it needs one set)?
    pub fn is_general(self) -> bool {
        !self.needs_weak() && !self.needs_livelock()
    }

    /// Does it take acceptance that is a choice between collections of sets ([`Space::goals`])?
    pub fn takes_choice(self) -> bool {
        self == Self::Ufscc || self.takes_avoidance()
    }

    /// Does it take acceptance with sets that are to be avoided, too?
    pub fn takes_avoidance(self) -> bool {
        matches!(self, Self::Favoid | Self::EmersonLei)
    }

    /// Can several workers do it together?
    pub fn takes_workers(self) -> bool {
        self == Self::Cndfs || self.takes_choice()
    }

    /// Runs it, by one worker: an accepting run, or `None` if there is none.
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
            Self::Cou99Norem => cou99_norem::check(space, counters),
            Self::Cou99ShyMinus => cou99_shy_minus::check(space, counters),
            Self::Cou99Shy => cou99_shy::check(space, counters),
            Self::Gv04 => gv04::check(space, counters),
            Self::Cvwy90 => cvwy90::check(space, counters),
            Self::Se05 => se05::check(space, counters),
            Self::Tau03 => tau03::check(space, counters),
            Self::Tau03Opt => tau03_opt::check(space, counters),
            Self::Dfs => weak_dfs::check(space, counters),
            Self::TaTwoPass => ta_two_pass::check(space, counters),
            Self::Ufscc => ufscc::check(space, counters),
            Self::Cndfs => cndfs::check(space, counters),
            // For generalised Büchi acceptance they come to the same.
            Self::Favoid | Self::EmersonLei => ufscc::check(space, counters),
        }
    }

    /// Runs it by several workers, one for each space, if it can be done so ([`Algorithm::takes_workers`]), and else by the
    /// first: an accepting run, with what is wanted of its cycle, or `None` if there is none. All spaces show the same graph.
    ///
    /// # Errors
    /// If the search could not go on.
    pub fn run_together<M: Marks, S: Space<M> + Send>(
        self,
        spaces: &mut [S],
        pairs: Pairs,
        counters: &mut Counters,
    ) -> Result<Option<Found<M>>, Stop> {
        let Some(first) = spaces.first_mut() else {
            return Ok(None);
        };
        let (wanted, goals) = (first.wanted(), first.goals());
        match self {
            Self::Ufscc => ufscc::check_together(spaces, &goals, counters),
            Self::Cndfs => cndfs::check_together(spaces, counters),
            Self::Favoid => favoid::check_together(spaces, &goals, pairs, counters),
            Self::EmersonLei => {
                let condition = first.condition();
                emerson_lei::check_together(spaces, &condition, counters)
            }
            _ => Ok(self.run(first, counters)?.map(|run| (run, wanted))),
        }
    }
}
