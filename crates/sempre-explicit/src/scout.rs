//! Bounded searches beside a check, for runs that it would meet late.
//!
//! Depth-first searches of large products dive: where a counter goes up to 100,000, so does their stack, and an accepting
//! cycle of two steps beside the initial state is met last. Or they dive in the wrong direction, and another order of the actions
//! would have found a run at once. Scouts try that, whenever the check has expanded four times as many states as the
//! last time:
//!
//! - The [ball](crate::ball) of the states nearest to the initial ones grows to an eighth of the number of states expanded, and Couvreur's
//!   check searches it. An accepting run inside the ball is one of the whole space.
//! - From a larger number on, *excursions* search the space anew, each with a sixteenth of that number of states, in other
//!   orders: one that prefers what the automaton waits for, one drawn for each state, four drawn for all actions. They get a quarter instead when the check dives, that is, when
//!   hardly a state that it expands has no new successor: then it is far from closing anything.
//!
//! That they find nothing says nothing, and the check goes on. Scouts stand between a check and its space: checks need not know of
//! them. They cost no thread, and what they find does not depend on time.
//!
//! Cost: up to half of the states more are expanded, four thirds of that in the worst case; beside a dive, more than
//! the check itself.

use crate::ball::Ball;
use crate::emptiness::cou99;
use crate::explore::Reason;
use crate::marks::Marks;
use crate::product::Order;
use crate::property::Kind;
use crate::space::{Counters, Edge, Run, Space, Stop};
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
    ball: Ball<M>,
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
            ball: Ball::new(&budget),
            found: None,
        }
    }

    /// The run that the scout has found in its ball. The check that it found it beside has stopped.
    pub fn into_found(self) -> Option<Run<M>> {
        self.found
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
        self.ball.grow(self.space, size, usize::MAX - 1)?;
        let expanded = self.ball.sizes().last().copied().unwrap_or(0);
        let mut inner = self.ball.inner(expanded, self.space.all());
        let found = cou99::check(&mut inner, &mut Counters::default())?;
        self.found = found.map(|run| self.ball.outside(run));
        Ok(self.found.is_some())
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
