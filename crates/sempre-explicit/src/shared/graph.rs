//! The states and steps of a system as arrays, forwards and backwards.
//!
//! Of each state there are its class (states of a class have the same truth of all propositions, see [`super::exploration`]), its
//! successors and its predecessors; nothing of what a state looks like.
//!
//! # Invariants
//! - **I1** The successors of a state are those of the system; a state without any has itself, if runs that end repeat their last state and none of its
//!   steps is erroneous.

use crate::per_state::{Charge, PerState};
use sempre_store::{Budget, Full};
use std::sync::Arc;

/// What is kept of each state during the exploration.
pub(super) struct Steps {
    class: PerState<u32>,
    /// The number of the last step of each state, plus one.
    ends: PerState<u32>,
    targets: PerState<u32>,
    count: u32,
    /// States with an erroneous step, in order.
    erroneous: Vec<u32>,
    budget: Arc<Budget>,
    charge: Charge,
}

impl Steps {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            class: PerState::new(0, budget),
            ends: PerState::new(0, budget),
            targets: PerState::new(0, budget),
            count: 0,
            erroneous: Vec::new(),
            budget: Arc::clone(budget),
            charge: Charge::new(budget),
        }
    }

    pub(super) fn set_class(&mut self, state: u32, class: u32) -> Result<(), Full> {
        self.class.set(state, class)
    }

    /// A step of the state is erroneous.
    pub(super) fn fail(&mut self, state: u32) -> Result<(), Full> {
        if self.erroneous.last() != Some(&state) {
            self.erroneous.push(state);
        }
        (self.charge).cover(self.erroneous.capacity() * size_of::<u32>())
    }

    /// The targets of the steps of the states from `first` on; `ends` says how many there are up to each state.
    pub(super) fn add(
        &mut self,
        first: u32,
        ends: &[u32],
        targets: impl Iterator<Item = u32>,
    ) -> Result<(), Full> {
        let begin = self.count;
        for target in targets {
            self.targets.set(self.count, target)?;
            self.count = self.count.checked_add(1).ok_or(Full)?;
        }
        for (state, end) in (first..).zip(ends) {
            self.ends.set(state, begin + end)?;
        }
        Ok(())
    }
}

/// The whole graph.
pub struct Graph<'g> {
    steps: &'g Steps,
    pub(super) initial: &'g [u32],
    pub(super) states: u32,
    /// The truth of the propositions in each class.
    pub(super) classes: Vec<Box<[u64]>>,
    /// Do runs that end repeat their last state?
    stutter: bool,
    /// Where the predecessors of each state begin, and where those of the last one end.
    begins: Vec<u32>,
    sources: Vec<u32>,
    _charge: Charge,
}

impl<'g> Graph<'g> {
    /// The graph of so many states.
    ///
    /// # Errors
    /// If there is no memory for the predecessors.
    pub(super) fn new(
        steps: &'g Steps,
        initial: &'g [u32],
        states: u32,
        classes: Vec<Box<[u64]>>,
        stutter: bool,
    ) -> Result<Self, Full> {
        let mut charge = Charge::new(&steps.budget);
        let most = 2 * states as usize + steps.count as usize + 1;
        charge.cover(most * size_of::<u32>())?;
        let mut graph = Self {
            steps,
            initial,
            states,
            classes,
            stutter,
            begins: vec![0; states as usize + 1],
            sources: Vec::new(),
            _charge: charge,
        };
        // Counting sort by targets: first where each list ends, then backwards.
        let mut begins = std::mem::take(&mut graph.begins);
        for state in 0..states {
            graph.each_target(state, |target| begins[target as usize] += 1);
        }
        let mut total = 0u32;
        for begin in &mut begins {
            total = total.checked_add(*begin).ok_or(Full)?;
            *begin = total;
        }
        let mut sources = vec![0; total as usize];
        for state in (0..states).rev() {
            graph.each_target(state, |target| {
                let place = &mut begins[target as usize];
                *place -= 1;
                sources[*place as usize] = state;
            });
        }
        graph.begins = begins;
        graph.sources = sources;
        Ok(graph)
    }

    /// Number of states.
    pub fn states(&self) -> u64 {
        self.states.into()
    }

    #[inline]
    pub(super) fn class(&self, state: u32) -> u32 {
        self.steps.class.get(state)
    }

    pub(super) fn is_erroneous(&self, state: u32) -> bool {
        self.steps.erroneous.binary_search(&state).is_ok()
    }

    /// The successors, each as often as there are steps to it.
    #[inline]
    pub(super) fn each_target(&self, state: u32, mut each: impl FnMut(u32)) {
        let begin = state
            .checked_sub(1)
            .map_or(0, |before| self.steps.ends.get(before));
        let end = self.steps.ends.get(state);
        for i in begin..end {
            each(self.steps.targets.get(i));
        }
        // I1.
        if begin == end && self.stutter && !self.is_erroneous(state) {
            each(state);
        }
    }

    /// The predecessors, each as often as there are steps from it.
    #[inline]
    pub(super) fn sources(&self, state: u32) -> &[u32] {
        let (begin, end) = (self.begins[state as usize], self.begins[state as usize + 1]);
        &self.sources[begin as usize..end as usize]
    }
}

/// The truth of some of the propositions.
pub(super) fn selected(letter: &[u64], propositions: &[u32]) -> Vec<u64> {
    let mut own = vec![0; propositions.len().div_ceil(64).max(1)];
    for (i, &p) in propositions.iter().enumerate() {
        own[i / 64] |= (letter[p as usize / 64] >> (p % 64) & 1) << (i % 64);
    }
    own
}
