//! What emptiness checks search: a graph whose states are numbers, whose edges carry marks, and which is made while it
//! is searched.
//!
//! The checks know nothing else. Products of a system and a property are such spaces ([`crate::product`]), and so
//! are the small graphs that tests use.

use crate::explore::Reason;
use crate::marks::Marks;
use crate::property::Kind;
use sempre_omega::Acceptance;
use sempre_store::{Budget, Full};
use std::sync::Arc;

/// An edge of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<M> {
    /// Where it leads.
    pub target: u32,
    /// The acceptance sets it is in.
    pub marks: M,
}

impl<M: Marks> Edge<M> {
    /// An edge in no set, as which a search enters the state that it begins with.
    pub fn to(target: u32) -> Self {
        let marks = M::NONE;
        Self { target, marks }
    }
}

/// A search cannot go on; its result is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop(pub Reason);

impl From<Full> for Stop {
    fn from(_: Full) -> Self {
        Stop(Reason::Memory)
    }
}

/// Which cycles are wanted: those in all of some sets, and in none of others. A generalised Rabin pair, by another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<M> {
    /// Its edges together are in these.
    pub all: M,
    /// None of its edges is in one of these.
    pub avoid: M,
}

/// A graph that is made on the fly. Is there a cycle, reachable from an initial state, whose edges together are
/// in all acceptance sets? That is what a check answers.
pub trait Space<M: Marks> {
    /// The initial states, each once.
    fn initial(&mut self) -> Result<Vec<u32>, Stop>;

    /// Appends the edges that leave a state, always the same in the same order. States are numbered as they
    /// are met, from 0 and without gaps.
    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<M>>) -> Result<(), Stop>;

    /// Number of acceptance sets.
    fn sets(&self) -> u32;

    /// The memory that everything the check keeps is charged to.
    fn budget(&self) -> Arc<Budget>;

    /// What the component of a state tells of the cycles through it. `Mixed`, the default, tells nothing.
    fn kind(&mut self, state: u32) -> Kind {
        let _ = state;
        Kind::Mixed
    }

    /// Is the state one in which a run that rests there for ever, by edges that are not in set 1, is accepted? Only in
    /// products with testing automata ([`crate::testing_property`]).
    fn livelock(&mut self, state: u32) -> bool {
        let _ = state;
        false
    }

    /// There is an accepting run; what is expanded from now on is to show it, and no bound on the search holds for that.
    fn accepted(&mut self) {}

    /// All acceptance sets.
    fn all(&self) -> M {
        M::all(self.sets())
    }

    /// The cycles of accepting runs, of any of these kinds. Checks that do not take a choice look for those in all
    /// acceptance sets only, and are not asked to search other spaces.
    fn goals(&self) -> Vec<Wanted<M>> {
        vec![self.wanted()]
    }

    /// The marks of accepting cycles, in one condition; it need not be known as goals.
    fn condition(&self) -> Acceptance {
        let each = self.goals().into_iter().map(|goal| {
            let of = |marks: M, atom: fn(u32) -> Acceptance| {
                (0..self.sets())
                    .filter(move |&s| marks.contains(s))
                    .map(atom)
            };
            Acceptance::and(of(goal.all, Acceptance::Inf).chain(of(goal.avoid, Acceptance::Fin)))
        });
        Acceptance::or(each.collect::<Vec<_>>())
    }

    /// The cycles in all acceptance sets.
    fn wanted(&self) -> Wanted<M> {
        Wanted {
            all: self.all(),
            avoid: M::NONE,
        }
    }
}

/// A state and the edge by which a run leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunStep<M> {
    /// The state.
    pub state: u32,
    /// The edge.
    pub edge: Edge<M>,
}

/// An accepting run: a path from an initial state to a cycle that is in all sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<M> {
    /// From an initial state to the first state of the cycle; may be empty.
    pub prefix: Vec<RunStep<M>>,
    /// The cycle.
    pub cycle: Vec<RunStep<M>>,
}

/// What a check counts, as Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005, section 3) define it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Distinct states visited.
    pub states: u64,
    /// Edges traversed, each as often as it was.
    pub transitions: u64,
    /// The largest size of the stack; each check says what it counts as one.
    pub max_stack: u64,
    /// States visited to find the cycle of the accepting run, each as often as it was.
    pub cycle_states: u64,
    /// The number of states that the cycle was looked for in.
    pub cycle_space: u64,
    /// States that a second pass visited again; not among `states`.
    pub second_states: u64,
    /// Edges that a second pass traversed; among `transitions`, too.
    pub second_transitions: u64,
    /// Edges among `transitions` that were not followed, since they are in sets to be avoided.
    pub avoided: u64,
    /// States that several workers visited, each as often as it was without need.
    pub repeated: u64,
    /// Did only the second pass find the accepting run?
    pub only_second: bool,
}

impl Counters {
    /// The stack has this size now.
    #[inline]
    pub(crate) fn stack(&mut self, size: usize) {
        self.max_stack = self.max_stack.max(size as u64);
    }
}
