//! The states nearest to the initial ones, as a space of their own.
//!
//! A breadth-first search keeps what it expands, so that a check, or several, can search the states nearest to the initial
//! ones without asking the whole space again. An accepting run inside the ball is one of the whole space.
//!
//! # Invariants
//! - **I1** `order` holds all states met, in the order of a breadth-first search; `rank` is their place in it.
//! - **I2** The first `starts.len()` states of the order are expanded; their edges, whose targets are ranks, are in
//!   `edges`, those of state i from `starts[i]` on.
//! - **I3** `spheres[d]` is the number of states at most `d` steps away; the last is not expanded as a whole.

use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::space::{Edge, Run, RunStep, Space, Stop};
use sempre_store::Budget;
use std::sync::Arc;

/// Of a state that was not met.
const UNSEEN: u32 = u32::MAX;

/// See the module's documentation.
pub(crate) struct Ball<M> {
    order: Vec<u32>,
    rank: PerState<u32>,
    starts: Vec<usize>,
    edges: Vec<Edge<M>>,
    spheres: Vec<usize>,
    charge: Charge,
    budget: Arc<Budget>,
}

impl<M: Marks> Ball<M> {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            order: Vec::new(),
            rank: PerState::new(UNSEEN, budget),
            starts: Vec::new(),
            edges: Vec::new(),
            spheres: Vec::new(),
            charge: Charge::new(budget),
            budget: Arc::clone(budget),
        }
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

    /// Expands states until there are `size` of them, all there are, or all that are at most `radius` steps away.
    pub(crate) fn grow(
        &mut self,
        space: &mut dyn Space<M>,
        size: usize,
        radius: usize,
    ) -> Result<(), Stop> {
        if self.order.is_empty() {
            for state in space.initial()? {
                self.meet(state)?;
            }
            self.spheres.push(self.order.len());
        }
        while self.starts.len() < size.min(self.order.len()) && self.spheres.len() <= radius + 1 {
            let begin = self.edges.len();
            let state = self.order[self.starts.len()];
            space.expand(state, &mut self.edges)?;
            for i in begin..self.edges.len() {
                self.edges[i].target = self.meet(self.edges[i].target)?;
            }
            self.starts.push(begin);
            if self.spheres.last() == Some(&self.starts.len()) {
                self.spheres.push(self.order.len());
            }
            self.charge.cover(
                self.order.capacity() * size_of::<u32>()
                    + self.starts.capacity() * size_of::<usize>()
                    + self.edges.capacity() * size_of::<Edge<M>>(),
            )?;
        }
        Ok(())
    }

    /// Sizes of balls inside this one that are expanded as a whole, from the smallest to the largest: one for each
    /// distance, and what there is of the last.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let expanded = self.starts.len();
        let whole = self.spheres.iter().copied().filter(|&s| s < expanded);
        whole.chain([expanded]).collect()
    }

    /// The first `size` states, all of them expanded, as a space in which runs in all of `sets` are looked for.
    pub(crate) fn inner(&self, size: usize, sets: M) -> InnerBall<'_, M> {
        InnerBall {
            ball: self,
            size,
            sets,
            without: M::NONE,
        }
    }

    /// The run of the whole space that a run of the ball is.
    pub(crate) fn outside(&self, run: Run<M>) -> Run<M> {
        let real = |steps: Vec<RunStep<M>>| -> Vec<RunStep<M>> {
            let number = |rank: u32| self.order[rank as usize];
            (steps.into_iter())
                .map(|step| RunStep {
                    state: number(step.state),
                    edge: Edge {
                        target: number(step.edge.target),
                        marks: step.edge.marks,
                    },
                })
                .collect()
        };
        Run {
            prefix: real(run.prefix),
            cycle: real(run.cycle),
        }
    }
}

/// Some states of a ball, numbered by their ranks, and the edges between them.
pub(crate) struct InnerBall<'a, M> {
    ball: &'a Ball<M>,
    size: usize,
    sets: M,
    without: M,
}

impl<M: Marks> InnerBall<'_, M> {
    /// Leaves out the edges in any of these sets; then all states are initial, since all were reached, by whatever edges.
    pub(crate) fn without(mut self, avoid: M) -> Self {
        self.without = avoid;
        self
    }
}

impl<M: Marks> Space<M> for InnerBall<'_, M> {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        let initial = self.ball.spheres.first().copied().unwrap_or(0);
        let all = self.without != M::NONE;
        let count = if all { self.size } else { initial };
        Ok((0..count.min(self.size) as u32).collect())
    }

    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<M>>) -> Result<(), Stop> {
        let Ball {
            starts, edges: all, ..
        } = self.ball;
        let end = starts.get(state as usize + 1).copied();
        let own = &all[starts[state as usize]..end.unwrap_or(all.len())];
        let inside =
            |e: &&Edge<M>| (e.target as usize) < self.size && !e.marks.intersects(self.without);
        edges.extend(own.iter().filter(inside));
        Ok(())
    }

    /// As many as there can be; it is [`all`](Space::all) that tells which of them are wanted.
    fn sets(&self) -> u32 {
        M::CAPACITY
    }

    fn all(&self) -> M {
        self.sets
    }

    fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.ball.budget)
    }
}
