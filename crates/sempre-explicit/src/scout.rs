//! A bounded breadth-first search beside a check.
//!
//! Depth-first searches of large products dive: where a counter goes up to 100,000, so does their stack, and an accepting
//! cycle of two steps beside the initial state is met last. A scout looks there first. It keeps the *ball* of
//! the states nearest to the initial ones, with their edges; whenever the check has expanded four times as many states as
//! the last time, the ball grows to an eighth of that number, and Couvreur's check searches it. An accepting run inside the ball is
//! one of the whole space. That there is none says nothing, and the check goes on.
//!
//! The scout stands between a check and its space: checks need not know of it.
//!
//! # Invariants
//! - **I1** `order` holds all states met by the breadth-first search, in its order; `rank` is their place in it.
//! - **I2** The first `starts.len()` states of the order are expanded; their edges, whose targets are ranks, are in
//!   `edges`, those of state i from `starts[i]` on.
//!
//! Cost: an eighth of the states more are expanded, and the ball is searched about one and a third times.

use crate::emptiness::cou99;
use crate::explore::Reason;
use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::property::Kind;
use crate::space::{Counters, Edge, Run, RunStep, Space, Stop};
use sempre_store::Budget;
use std::sync::Arc;

/// The scout first looks around when so many states were expanded.
const FIRST: u64 = 4096;
/// It looks around again when so many times as many were.
const PACE: u64 = 4;
/// The ball has one state for so many that were expanded.
const SHARE: u64 = 8;
/// Of a state that was not met.
const UNSEEN: u32 = u32::MAX;

/// See the module's documentation.
pub struct Scout<'a, M: Marks> {
    space: &'a mut dyn Space<M>,
    expanded: u64,
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
    /// A scout that has not looked around yet.
    pub fn new(space: &'a mut dyn Space<M>) -> Self {
        let budget = space.budget();
        Self {
            space,
            expanded: 0,
            next: FIRST,
            order: Vec::new(),
            rank: PerState::new(UNSEEN, &budget),
            starts: Vec::new(),
            edges: Vec::new(),
            initial: 0,
            charge: Charge::new(&budget),
            found: None,
        }
    }

    /// The run that the scout has found. The check that it found it beside has stopped.
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
            if self.look_around((self.expanded / SHARE) as usize)? {
                // The check ends; whoever called it asks the scout first.
                return Err(Stop(Reason::Interrupted));
            }
        }
        self.space.expand(state, edges)
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
}
