//! A depth-first stack: states, the edges that they were entered by, and the edges that are still to be followed.
//!
//! # Invariants
//! - **I1** The edges still to be followed are in one list, those of each state together and in the order of the
//!   stack, the next one last. So following an edge is a pop, and memory is given back as the search proceeds.
//! - **I2** `frames[i + 1]` was entered by an edge from `frames[i]` with the marks it keeps. So any part of the stack
//!   is a path of the space.
//!
//! Successors of a state are computed all at once, when it is pushed; which of them the search has traversed is its
//! own matter to count.

use crate::marks::Marks;
use crate::per_state::Charge;
use crate::space::{Edge, RunStep, Space, Stop};
use sempre_store::Budget;
use std::sync::Arc;

struct Frame<M> {
    state: u32,
    /// The marks of the edge that it was entered by.
    marks: M,
    /// I1: where its edges begin.
    edges: usize,
}

/// What a search does next.
pub(crate) enum Step<M> {
    /// It follows an edge of the state at the top.
    Met(Edge<M>),
    /// It has left the state that was at the top and had been entered by this edge, since all its edges were followed.
    Left(Edge<M>),
    /// The stack is empty.
    Done,
}

/// Where a state is, for a search that remembers no more of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The search has not met it.
    Unseen,
    /// On the stack.
    Stack,
    /// The search has left it.
    Left,
}

/// See the module's documentation.
pub(crate) struct SearchStack<M> {
    frames: Vec<Frame<M>>,
    edges: Vec<Edge<M>>,
    charge: Charge,
}

impl<M: Marks> SearchStack<M> {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            frames: Vec::new(),
            edges: Vec::new(),
            charge: Charge::new(budget),
        }
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    /// The state at the top.
    pub(crate) fn top(&self) -> Option<u32> {
        self.frames.last().map(|f| f.state)
    }

    /// The state at a position.
    pub(crate) fn state(&self, position: usize) -> u32 {
        self.frames[position].state
    }

    /// The marks of the edge by which the state at the top was entered.
    pub(crate) fn top_marks(&self) -> M {
        self.frames.last().map_or(M::NONE, |f| f.marks)
    }

    /// Enters a state by an edge (from the state at the top).
    pub(crate) fn push(&mut self, space: &mut dyn Space<M>, edge: Edge<M>) -> Result<(), Stop> {
        let edges = self.edges.len();
        debug_assert!(self.frames.last().is_none_or(|f| f.edges <= edges), "I1");
        space.expand(edge.target, &mut self.edges)?;
        self.edges[edges..].reverse();
        self.frames.push(Frame {
            state: edge.target,
            marks: edge.marks,
            edges,
        });
        self.charge.cover(
            self.frames.capacity() * size_of::<Frame<M>>()
                + self.edges.capacity() * size_of::<Edge<M>>(),
        )?;
        Ok(())
    }

    /// Follows the next edge of the state at the top; `None` if there is none any more.
    #[inline]
    pub(crate) fn follow(&mut self) -> Option<Edge<M>> {
        let begin = self.frames.last()?.edges;
        if self.edges.len() > begin {
            self.edges.pop()
        } else {
            None
        }
    }

    /// Follows the next edge of the state at the top, or leaves the state if there is none any more.
    #[inline]
    pub(crate) fn step(&mut self) -> Step<M> {
        match self.follow() {
            Some(edge) => Step::Met(edge),
            None => self.pop().map_or(Step::Done, Step::Left),
        }
    }

    /// The edges of the state at the top that are still to be followed, the next one last.
    pub(crate) fn waiting(&mut self) -> &mut [Edge<M>] {
        let begin = self.frames.last().map_or(0, |f| f.edges);
        &mut self.edges[begin..]
    }

    /// Number of edges still to be followed, of all states.
    pub(crate) fn all_waiting(&self) -> usize {
        self.edges.len()
    }

    /// Forgets all but the first `count` of [`SearchStack::waiting`].
    pub(crate) fn keep_waiting(&mut self, count: usize) {
        let begin = self.frames.last().map_or(0, |f| f.edges);
        self.edges.truncate(begin + count);
    }

    /// Leaves the state at the top; tells the edge by which it was entered.
    pub(crate) fn pop(&mut self) -> Option<Edge<M>> {
        let frame = self.frames.pop()?;
        self.edges.truncate(frame.edges);
        Some(Edge {
            target: frame.state,
            marks: frame.marks,
        })
    }

    /// Where a state is on the stack.
    pub(crate) fn position(&self, state: u32) -> Option<usize> {
        self.frames.iter().rposition(|f| f.state == state)
    }

    /// The path along the stack from this position to the top (I2).
    pub(crate) fn steps(&self, from: usize) -> impl Iterator<Item = RunStep<M>> + '_ {
        self.frames[from..].windows(2).map(|two| RunStep {
            state: two[0].state,
            edge: Edge {
                target: two[1].state,
                marks: two[1].marks,
            },
        })
    }

    /// The path along the stack from this position to the top, and on by an edge of the state there.
    pub(crate) fn path(&self, from: usize, edge: Edge<M>) -> Vec<RunStep<M>> {
        let mut path: Vec<RunStep<M>> = self.steps(from).collect();
        let state = self.top().unwrap_or(edge.target);
        path.push(RunStep { state, edge });
        path
    }
}
