//! A testing automaton, compiled for search.
//!
//! It looks at what changes between a state and the next ([`sempre_omega::testing`]). All kinds become one: a table from
//! state and changeset to marked edges, with an edge for the empty changeset, too, that stays where it is.
//!
//! * **TGTA.** The marks are the automaton's own.
//! * **TA.** Set 0 is on edges that leave Büchi accepting states, set 1 on edges that change something: a run that
//!   is in both infinitely often is accepted. That leaves the runs that rest in a livelock accepting state,
//!   which the product tells apart ([`Space::livelock`](crate::space::Space::livelock)).
//! * **Single-pass TA.** As TA, and resting in the livelock state, which has no other successors, is in both sets. So one
//!   kind of acceptance does for both.

use crate::property::PropertyError;
use sempre_omega::testing::{EdgeTable, Initial, Ta, TestingEdge, Tgta};

/// The set of edges that leave Büchi accepting states.
const BUCHI: u64 = 1;
/// The set of edges that change something.
const CHANGE: u64 = 2;

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct TestingProperty {
    initial: Vec<Initial>,
    table: EdgeTable,
    sets: u32,
    livelock: Vec<bool>,
    two_passes: bool,
    /// The system's number of each observed proposition.
    observed: Vec<u32>,
    propositions: usize,
}

impl TestingProperty {
    /// A TGTA. `propositions` tells for each proposition of the system the variable by which the automaton calls it.
    ///
    /// # Errors
    /// If the automaton observes something else.
    pub fn tgta(t: &Tgta, propositions: &[u32]) -> Result<Self, PropertyError> {
        Self::new(
            t.initial.clone(),
            t.table.clone(),
            t.sets,
            vec![false; t.states()],
            &t.propositions,
            propositions,
        )
    }

    /// A TA, for the check in two passes.
    ///
    /// # Errors
    /// If the automaton observes something else.
    pub fn ta(t: &Ta, propositions: &[u32]) -> Result<Self, PropertyError> {
        let resting = |s: usize| if t.buchi[s] { BUCHI } else { 0 };
        let table = marked(t, resting);
        let livelock = t.livelock.clone();
        let initial = t.initial.clone();
        let new = Self::new(initial, table, 2, livelock, &t.propositions, propositions)?;
        Ok(Self {
            two_passes: true,
            ..new
        })
    }

    /// A TA whose livelock accepting states have no successors, for a check in one pass.
    ///
    /// # Errors
    /// If the automaton observes something else.
    pub fn single_pass(t: &Ta, propositions: &[u32]) -> Result<Self, PropertyError> {
        let resting = |s: usize| match (t.livelock[s], t.buchi[s]) {
            (true, _) => BUCHI | CHANGE,
            (false, true) => BUCHI,
            (false, false) => 0,
        };
        let table = marked(t, resting);
        let livelock = vec![false; t.states()];
        Self::new(
            t.initial.clone(),
            table,
            2,
            livelock,
            &t.propositions,
            propositions,
        )
    }

    fn new(
        initial: Vec<Initial>,
        table: EdgeTable,
        sets: u32,
        livelock: Vec<bool>,
        observed: &[u32],
        propositions: &[u32],
    ) -> Result<Self, PropertyError> {
        let observed = (observed.iter())
            .map(|variable| {
                let place = propositions.iter().position(|p| p == variable);
                place
                    .map(|p| p as u32)
                    .ok_or(PropertyError::Proposition(*variable))
            })
            .collect::<Result<Vec<u32>, _>>()?;
        Ok(Self {
            initial,
            table,
            sets,
            livelock,
            two_passes: false,
            observed,
            propositions: propositions.len(),
        })
    }

    /// Number of states.
    pub fn states(&self) -> u32 {
        self.table.states() as u32
    }

    /// Number of transitions, those that stay where they are not counted.
    pub fn transitions(&self) -> usize {
        self.table.all().iter().filter(|e| e.changeset != 0).count()
    }

    /// Number of acceptance sets.
    pub fn sets(&self) -> u32 {
        self.sets
    }

    /// Number of propositions of the system.
    pub fn propositions(&self) -> usize {
        self.propositions
    }

    /// Is it made for a check in two passes, that is, does it accept by livelock?
    pub fn has_livelock(&self) -> bool {
        self.two_passes
    }

    /// Is the state livelock accepting?
    pub fn livelock(&self, state: u32) -> bool {
        self.livelock[state as usize]
    }

    /// The observed part of a valuation of the system's propositions.
    #[inline]
    pub fn observe(&self, valuation: &[u64]) -> u64 {
        (self.observed.iter().enumerate()).fold(0, |seen, (bit, &p)| {
            seen | (valuation[p as usize / 64] >> (p % 64) & 1) << bit
        })
    }

    /// The propositions that are observed.
    pub fn observed(&self) -> &[u32] {
        &self.observed
    }

    /// The states to begin with.
    pub fn beginning(&self, observed: u64) -> impl Iterator<Item = u32> + '_ {
        let first = self.initial.partition_point(|i| i.valuation < observed);
        (self.initial[first..].iter())
            .take_while(move |i| i.valuation == observed)
            .map(|i| i.state)
    }

    /// The edges of a state for what changes.
    #[inline]
    pub fn edges(&self, state: u32, changeset: u64) -> &[TestingEdge] {
        self.table.get(state, changeset)
    }
}

/// The edges of a TA with their marks, and for each state one that stays there, with those of `resting`.
fn marked(t: &Ta, resting: impl Fn(usize) -> u64) -> EdgeTable {
    let lists = (0..t.states())
        .map(|s| {
            let leaving = CHANGE | if t.buchi[s] { BUCHI } else { 0 };
            let changing = t.table.of(s as u32).iter().map(|e| TestingEdge {
                marks: leaving,
                ..*e
            });
            let rest = TestingEdge {
                changeset: 0,
                to: s as u32,
                marks: resting(s),
            };
            changing.chain([rest]).collect()
        })
        .collect();
    EdgeTable::new(lists, t.propositions.len())
}
