//! The improved generalised nested depth-first search of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005, Fig. 6),
//! "Tau03 opt".
//!
//! For any number of acceptance sets. As in [`tau03`](super::tau03), sets are taken along edges to the states that
//! can be reached, but at once when an edge has been explored, and with the early ends of [`se05`](super::se05):
//! states on the stack are cyan, and an edge to a cyan state closes a cycle. Which sets the cycle is in is known from
//! *weights*, too: the number of edges on the stack in each set, now and when the cyan state was entered.
//!
//! # Invariants
//! - **I1** `weight[f]` is the number of edges in set f by which the states on the stack were entered, and
//!   `weights` holds for each of these states, in the order of the stack, what it was when the state was entered.
//! - **I2** A state that was seen is cyan as long as it is on the stack, and then its position there is known.
//!
//! The stack counted is the states of both stacks; the target of the edge that closes the cycle is counted once
//! more, as in the paper.
//!
//! Accepting run: `collecting_run` from the state at the top of the blue stack.
//!
//! Cost: each state at most once in the blue search and once for each set in red ones, and so for edges. Eight bytes
//! per state and more with many sets; four bytes for each set and state on the stack.

use super::collecting_run;
use super::search_stack::SearchStack;
use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, Run, Space, Stop};

const WHITE: u32 = u32::MAX;
const BLUE: u32 = u32::MAX - 1;

/// What is known of a state: H in the figure.
#[derive(Clone, Copy)]
struct Known<M> {
    /// [`WHITE`], [`BLUE`], or its position on the stack (I2).
    place: u32,
    seen: M,
}

struct Search<'a, M> {
    space: &'a mut dyn Space<M>,
    counters: &'a mut Counters,
    all: M,
    sets: usize,
    known: PerState<Known<M>>,
    blue: SearchStack<M>,
    red: SearchStack<M>,
    weight: Vec<u32>,
    weights: Vec<u32>,
    charge: Charge,
}

/// See the module's documentation.
///
/// # Errors
/// If the search could not go on.
pub fn check<M: Marks>(
    space: &mut dyn Space<M>,
    counters: &mut Counters,
) -> Result<Option<Run<M>>, Stop> {
    let budget = space.budget();
    let initial = space.initial()?;
    let (all, sets) = (space.all(), space.sets() as usize);
    let white = Known {
        place: WHITE,
        seen: M::NONE,
    };
    let mut search = Search {
        space,
        counters,
        all,
        sets,
        known: PerState::new(white, &budget),
        blue: SearchStack::new(&budget),
        red: SearchStack::new(&budget),
        weight: vec![0; sets],
        weights: Vec::new(),
        charge: Charge::new(&budget),
    };
    for state in initial {
        if search.known.get(state).place == WHITE && search.blue(state)? {
            let home = search.blue.top().unwrap_or(state);
            let visited = |s| search.known.get(s).place != WHITE;
            let marks = |edge: &Edge<M>| edge.marks;
            let (space, counters) = (search.space, search.counters);
            return collecting_run::run(space, &visited, &marks, all, home, counters).map(Some);
        }
    }
    Ok(None)
}

impl<M: Marks> Search<'_, M> {
    /// Lines t23 to t38. Is a cycle found?
    fn blue(&mut self, initial: u32) -> Result<bool, Stop> {
        let mut new = Some(Edge::to(initial));
        loop {
            if let Some(edge) = new.take() {
                self.enter(edge)?;
            }
            // An edge that was met, or is left.
            let edge = match self.blue.follow() {
                Some(edge) => {
                    self.counters.transitions += 1;
                    if self.known.get(edge.target).place == WHITE {
                        new = Some(edge);
                        continue;
                    }
                    edge
                }
                None => match self.leave()? {
                    Some(edge) => edge,
                    None => return Ok(false),
                },
            };
            let Some(state) = self.blue.top() else {
                continue;
            };
            let take = self.known.get(state).seen.union(edge.marks);
            if self.propagate(state, take, edge)? {
                return Ok(true);
            }
        }
    }

    /// Lines t24, t25, t28 and t29.
    fn enter(&mut self, edge: Edge<M>) -> Result<(), Stop> {
        self.counters.states += 1;
        let known = Known {
            place: self.blue.len() as u32,
            seen: M::NONE,
        };
        self.known.set(edge.target, known)?;
        for (set, weight) in self.weight.iter_mut().enumerate() {
            *weight += u32::from(edge.marks.contains(set as u32));
        }
        self.weights.extend_from_slice(&self.weight);
        self.charge
            .cover(self.weights.capacity() * size_of::<u32>())?;
        self.blue.push(self.space, edge)?;
        self.counters.stack(self.blue.len());
        Ok(())
    }

    /// Lines t32, t33, t36 and t37.
    fn leave(&mut self) -> Result<Option<Edge<M>>, Stop> {
        let Some(edge) = self.blue.pop() else {
            return Ok(None);
        };
        let seen = self.known.get(edge.target).seen;
        self.known.set(edge.target, Known { place: BLUE, seen })?;
        for (set, weight) in self.weight.iter_mut().enumerate() {
            *weight -= u32::from(edge.marks.contains(set as u32));
        }
        self.weights.truncate(self.blue.len() * self.sets);
        Ok(Some(edge))
    }

    /// The part of line t15 about weights: the sets of the stack's edges above this position (I1).
    fn sets_above(&self, place: u32) -> M {
        debug_assert_eq!(self.weights.len(), self.blue.len() * self.sets, "I1");
        let then = &self.weights[place as usize * self.sets..][..self.sets];
        (self.weight.iter().zip(then).enumerate())
            .filter(|(_, (now, then))| now > then)
            .fold(M::NONE, |sets, (set, _)| sets.union(M::single(set as u32)))
    }

    /// Lines t12 to t21 and t40 to t44, as one loop: the red stack holds the calls of `dfs_red`. Is a cycle found?
    fn propagate(&mut self, state: u32, take: M, edge: Edge<M>) -> Result<bool, Stop> {
        let mut state = state;
        let mut edge = edge;
        loop {
            let Known { place, seen } = self.known.get(edge.target);
            if place < BLUE {
                let sets = self.known.get(state).seen.union(take).union(seen);
                // The weights cost more to look at; seldom do they matter without the others.
                if sets.includes(self.all) || sets.union(self.sets_above(place)).includes(self.all)
                {
                    self.counters.stack(self.blue.len() + self.red.len() + 1);
                    return Ok(true);
                }
            }
            if place != WHITE && !seen.includes(take) {
                let seen = seen.union(take);
                self.known.set(edge.target, Known { place, seen })?;
                self.red.push(self.space, edge)?;
                self.counters.stack(self.blue.len() + self.red.len());
            }
            loop {
                let Some(top) = self.red.top() else {
                    return Ok(false);
                };
                if let Some(next) = self.red.follow() {
                    self.counters.transitions += 1;
                    (state, edge) = (top, next);
                    break;
                }
                self.red.pop();
            }
        }
    }
}
