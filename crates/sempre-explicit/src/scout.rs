//! Bounded searches beside a check, for runs that it would meet late.
//!
//! Depth-first searches of large products dive: where a counter goes up to 100,000, so does their stack, and an accepting
//! cycle of two steps beside the initial state is met last. Or they dive in the wrong direction, and another order of the actions
//! would have found a run at once. Scouts try that, whenever the check has expanded four times as many states as the
//! last time:
//!
//! - The *ball* of the states nearest to the initial ones grows to an eighth of the number of states expanded, and Couvreur's
//!   check searches it. An accepting run inside the ball is one of the whole space.
//! - From a larger number on, *excursions* search the space anew, each with a sixteenth of that number of states, in other
//!   orders: one that prefers what the automaton waits for, one drawn for each state, four drawn for all actions. They get a quarter instead when the check dives, that is, when
//!   hardly a state that it expands has no new successor: then it is far from closing anything.
//!
//! That they find nothing says nothing, and the check goes on. Scouts stand between a check and its space: checks need not know of
//! them. They cost no thread, and what they find does not depend on time.
//!
//! # Invariants
//! - **I1** `order` holds all states met by the breadth-first search, in its order; `rank` is their place in it.
//! - **I2** The first `starts.len()` states of the order are expanded; their edges, whose targets are ranks, are in
//!   `edges`, those of state i from `starts[i]` on.
//!
//! Cost: up to half of the states more are expanded, four thirds of that in the worst case; beside a dive, more than
//! the check itself.

use crate::emptiness::cou99;
use crate::explore::Reason;
use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::product::Order;
use crate::property::Kind;
use crate::space::{Counters, Edge, Run, RunStep, Space, Stop};
use sempre_store::Budget;
use std::sync::Arc;

/// Usually scouts first look around when so many states were expanded.
pub const FIRST: u64 = 4096;
/// It looks around again when so many times as many were.
const PACE: u64 = 4;
/// The ball has one state for so many that were expanded.
const SHARE: u64 = 8;
/// Excursions have one state for so many that were expanded, and begin at so many times the first look around.
const EXCURSIONS: u64 = 16;
/// The same beside a dive: when less than one in so many states that were expanded has no new successor.
const DIVE: (u64, u64) = (4, 64);
/// Excursions in orders drawn for all actions, each time.
const PERMUTATIONS: u64 = 4;
/// Of a state that was not met.
const UNSEEN: u32 = u32::MAX;

/// Makes an excursion in this order, of so many states. Has it found a run?
pub type Excursion<'a> = &'a mut dyn FnMut(Order, u64) -> Result<bool, Stop>;

/// See the module's documentation.
pub struct Scout<'a, M: Marks> {
    space: &'a mut dyn Space<M>,
    excursion: Excursion<'a>,
    first: u64,
    seed: u64,
    expanded: u64,
    /// The greatest number of a state met by the check, and how many it has expanded without meeting a greater one.
    greatest: u32,
    barren: u64,
    next: u64,
    order: Vec<u32>,
    rank: PerState<u32>,
    starts: Vec<usize>,
    edges: Vec<Edge<M>>,
    initial: usize,
    charge: Charge,
    found: Option<Run<M>>,
}

impl<'a, M: Marks> Scout<'a, M> {
    /// A scout that first looks around when `first` states, at least one, were expanded.
    pub fn new(space: &'a mut dyn Space<M>, excursion: Excursion<'a>, first: u64) -> Self {
        let budget = space.budget();
        Self {
            space,
            excursion,
            first: first.max(1),
            seed: 0,
            expanded: 0,
            greatest: 0,
            barren: 0,
            next: first.max(1),
            order: Vec::new(),
            rank: PerState::new(UNSEEN, &budget),
            starts: Vec::new(),
            edges: Vec::new(),
            initial: 0,
            charge: Charge::new(&budget),
            found: None,
        }
    }

    /// The run that the scout has found in its ball. The check that it found it beside has stopped.
    pub fn into_found(self) -> Option<Run<M>> {
        self.found
    }

    fn meet(&mut self, state: u32) -> Result<u32, Stop> {
        let rank = self.rank.get(state);
        if rank != UNSEEN {
            return Ok(rank);
        }
        let rank = self.order.len() as u32;
        self.rank.set(state, rank)?;
        self.order.push(state);
        Ok(rank)
    }

    fn go_out(&mut self) -> Result<bool, Stop> {
        if self.expanded < EXCURSIONS * self.first {
            return Ok(false);
        }
        let (share, few) = DIVE;
        let dives = self.barren < self.expanded / few;
        let size = self.expanded / if dives { share } else { EXCURSIONS };
        self.seed += 1;
        for order in [Order::Directed(self.seed), Order::Shuffled(self.seed)] {
            if (self.excursion)(order, size)? {
                return Ok(true);
            }
        }
        for i in 0..PERMUTATIONS {
            let seed = PERMUTATIONS * self.seed + i;
            if (self.excursion)(Order::Permuted(seed), size)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn look_around(&mut self, size: usize) -> Result<bool, Stop> {
        if self.order.is_empty() {
            for state in self.space.initial()? {
                self.meet(state)?;
            }
            self.initial = self.order.len();
        }
        while self.starts.len() < size.min(self.order.len()) {
            let begin = self.edges.len();
            let state = self.order[self.starts.len()];
            self.space.expand(state, &mut self.edges)?;
            for i in begin..self.edges.len() {
                self.edges[i].target = self.meet(self.edges[i].target)?;
            }
            self.starts.push(begin);
            self.charge.cover(
                self.order.capacity() * size_of::<u32>()
                    + self.starts.capacity() * size_of::<usize>()
                    + self.edges.capacity() * size_of::<Edge<M>>(),
            )?;
        }
        let mut ball = Ball {
            starts: &self.starts,
            edges: &self.edges,
            initial: self.initial,
            sets: self.space.sets(),
            budget: self.space.budget(),
        };
        let found = cou99::check(&mut ball, &mut Counters::default())?;
        let real = |steps: Vec<RunStep<M>>| -> Vec<RunStep<M>> {
            (steps.into_iter())
                .map(|step| RunStep {
                    state: self.order[step.state as usize],
                    edge: Edge {
                        target: self.order[step.edge.target as usize],
                        marks: step.edge.marks,
                    },
                })
                .collect()
        };
        self.found = found.map(|run| Run {
            prefix: real(run.prefix),
            cycle: real(run.cycle),
        });
        Ok(self.found.is_some())
    }
}

/// The ball as a space of its own (I2). States at its rim have no edges.
struct Ball<'a, M> {
    starts: &'a [usize],
    edges: &'a [Edge<M>],
    initial: usize,
    sets: u32,
    budget: Arc<Budget>,
}

impl<M: Marks> Space<M> for Ball<'_, M> {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        Ok((0..self.initial as u32).collect())
    }

    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<M>>) -> Result<(), Stop> {
        if let Some(&begin) = self.starts.get(state as usize) {
            let end = self.starts.get(state as usize + 1);
            edges.extend_from_slice(&self.edges[begin..end.copied().unwrap_or(self.edges.len())]);
        }
        Ok(())
    }

    fn sets(&self) -> u32 {
        self.sets
    }

    fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }
}

impl<M: Marks> Space<M> for Scout<'_, M> {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        self.space.initial()
    }

    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<M>>) -> Result<(), Stop> {
        self.expanded += 1;
        if self.expanded == self.next {
            self.next *= PACE;
            if self.look_around(self.expanded.div_ceil(SHARE) as usize)? || self.go_out()? {
                // The check ends; whoever called it asks the scout first.
                return Err(Stop(Reason::Interrupted));
            }
        }
        let begin = edges.len();
        self.space.expand(state, edges)?;
        let greatest = (edges[begin..].iter()).fold(self.greatest, |g, e| g.max(e.target));
        self.barren += u64::from(greatest == self.greatest);
        self.greatest = greatest;
        Ok(())
    }

    fn sets(&self) -> u32 {
        self.space.sets()
    }

    fn budget(&self) -> Arc<Budget> {
        self.space.budget()
    }

    fn kind(&mut self, state: u32) -> Kind {
        self.space.kind(state)
    }

    fn livelock(&mut self, state: u32) -> bool {
        self.space.livelock(state)
    }

    /// From now on the check shows its run; scouts stay at home.
    fn accepted(&mut self) {
        self.next = u64::MAX;
        self.space.accepted();
    }
}
