//! The nested depth-first search of several workers (Evangelista, Laarman, Petrucci and van de Pol, "Improved multi-core nested
//! depth-first search", ATVA 2012), as a second opinion that shares nothing with the search for components.
//!
//! Each worker makes a nested search of its own: a *blue* one that looks for accepting nodes, and from each of these, when it leaves
//! it, a *red* one that looks for the blue search's stack, whose nodes are *cyan*. Workers tell each other which nodes are done:
//! blue when a blue search has left them, red when a red search has found nothing from there. A red search must wait,
//! before it makes known what it has visited, for the red searches from accepting nodes that it met: they belong
//! to others and might be needed.
//!
//! Ours differs in that acceptance is on edges: a node is a state and whether it was entered by an accepting edge, and is accepting
//! if so. The run is found afterwards, from one state of an accepting cycle.
//!
//! # Invariants
//! - **I1** The cyan nodes of a worker are those on its blue stack; each accepting one was entered by an accepting edge.
//! - **I2** A node is blue when all its successors are blue, or cyan for the worker that made it blue.
//! - **I3** A red node is on no accepting cycle that has yet to be found.
//!
//! The stack counted is both stacks of a worker, at most.
//!
//! Cost: nodes are up to twice as many as states, each visited by a blue and a red search; several workers may repeat what they do at the
//! same time. Four bytes per state, and one per state and worker. One acceptance set: with more, the product counts through them.

use super::accepting_run;
use super::collecting_run;
use super::crew::{Crew, Halt};
use super::search_stack::SearchStack;
use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, Run, Space, Stop, Wanted};
use sempre_base::Random;
use sempre_store::{IndexArray, StateIndex};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Of a state, for all: somebody has met it.
const MET: u32 = 1;
/// Of a node that was not entered by an accepting edge; for the other node of the state, one place to the left.
const BLUE: u32 = 2;
const RED: u32 = 8;
/// Of a node, for one worker: on the blue stack; visited by the red search.
const CYAN: u8 = 1;
const PINK: u8 = 4;

/// See the module's documentation. One worker.
///
/// # Errors
/// If the search could not go on.
pub fn check<M: Marks>(
    space: &mut dyn Space<M>,
    counters: &mut Counters,
) -> Result<Option<Run<M>>, Stop> {
    let search = Search::new(space);
    let crew = Crew::default();
    let ended = crew.alone(|| Worker::new(&search, &crew, space, 0).run());
    search.into_run(space, ended, counters)
}

/// A check by several workers, one for each space: all show the same graph.
///
/// # Errors
/// If the search could not go on, for any of the workers.
pub fn check_together<M: Marks, S: Space<M> + Send>(
    spaces: &mut [S],
    counters: &mut Counters,
) -> Result<Option<super::Found<M>>, Stop> {
    let Some(first) = spaces.first() else {
        return Ok(None);
    };
    let search = Search::new(first);
    let crew = Crew::default();
    let ended = crew.together(spaces, |me, space| {
        Worker::new(&search, &crew, space, me).run()
    });
    let wanted: Wanted<M> = spaces[0].wanted();
    let run = search.into_run(&mut spaces[0], ended, counters)?;
    Ok(run.map(|run| (run, wanted)))
}

/// What workers share.
struct Search {
    colours: IndexArray,
    /// A state of an accepting cycle.
    found: Mutex<Option<u32>>,
    states: AtomicU64,
    transitions: AtomicU64,
    repeated: AtomicU64,
    max_stack: AtomicU64,
}

impl Search {
    fn new<M: Marks>(space: &(impl Space<M> + ?Sized)) -> Self {
        debug_assert!(space.sets() <= 1);
        Self {
            colours: IndexArray::new(space.budget()),
            found: Mutex::new(None),
            states: AtomicU64::new(0),
            transitions: AtomicU64::new(0),
            repeated: AtomicU64::new(0),
            max_stack: AtomicU64::new(0),
        }
    }

    /// When all workers have ended: the run, if one has found a state for it.
    fn into_run<M: Marks>(
        self,
        space: &mut dyn Space<M>,
        ended: Result<(), Stop>,
        counters: &mut Counters,
    ) -> Result<Option<Run<M>>, Stop> {
        counters.states += self.states.into_inner();
        counters.transitions += self.transitions.into_inner();
        counters.repeated += self.repeated.into_inner();
        counters.max_stack = counters.max_stack.max(self.max_stack.into_inner());
        let Some(home) = self.found.into_inner().unwrap_or_default() else {
            return ended.map(|()| None);
        };
        let colours = &self.colours;
        let met = |s: u32| colours.get(StateIndex(s)) & MET != 0;
        let all = space.all();
        if all == M::NONE {
            // Any cycle will do.
            let inside = |s: u32| met(s);
            let wanted = space.wanted();
            let cycle = accepting_run::cycle_in_component(space, &inside, home, wanted, counters)?;
            return accepting_run::with_prefix(space, &met, cycle).map(Some);
        }
        collecting_run::run(space, &met, &|e| e.marks, all, home, counters).map(Some)
    }
}

/// A state, and whether it was entered by an accepting edge.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Node {
    state: u32,
    accepting: bool,
}

/// One worker.
struct Worker<'a, M: Marks> {
    search: &'a Search,
    crew: &'a Crew,
    space: &'a mut dyn Space<M>,
    me: usize,
    all: M,
    blue: SearchStack<M>,
    red: SearchStack<M>,
    own: PerState<u8>,
    /// The nodes that the red search has visited.
    visited: Vec<Node>,
    random: Random,
    charge: Charge,
    counters: Counters,
}

impl<M: Marks> Drop for Worker<'_, M> {
    fn drop(&mut self) {
        let (search, counters) = (self.search, &self.counters);
        // Relaxed: read when all workers have ended.
        search.states.fetch_add(counters.states, Relaxed);
        search.transitions.fetch_add(counters.transitions, Relaxed);
        search.repeated.fetch_add(counters.repeated, Relaxed);
        search.max_stack.fetch_max(counters.max_stack, Relaxed);
    }
}

impl<'a, M: Marks> Worker<'a, M> {
    fn new(search: &'a Search, crew: &'a Crew, space: &'a mut dyn Space<M>, me: usize) -> Self {
        let budget = space.budget();
        Self {
            search,
            crew,
            me,
            all: space.all(),
            blue: SearchStack::new(&budget),
            red: SearchStack::new(&budget),
            own: PerState::new(0, &budget),
            visited: Vec::new(),
            random: Random::new(me as u64),
            charge: Charge::new(&budget),
            counters: Counters::default(),
            space,
        }
    }

    fn node(&self, edge: &Edge<M>) -> Node {
        Node {
            state: edge.target,
            accepting: edge.marks.includes(self.all),
        }
    }

    fn is(&self, node: Node, colour: u32) -> bool {
        self.search.colours.read(StateIndex(node.state)) & colour << u32::from(node.accepting) != 0
    }

    fn make(&self, node: Node, colour: u32) -> Result<(), Halt> {
        let bit = colour << u32::from(node.accepting);
        self.search.colours.raise(StateIndex(node.state), bit)?;
        Ok(())
    }

    fn is_own(&self, node: Node, colour: u8) -> bool {
        self.own.get(node.state) & colour << u32::from(node.accepting) != 0
    }

    fn flip_own(&mut self, node: Node, colour: u8) -> Result<(), Halt> {
        let bits = self.own.get(node.state) ^ colour << u32::from(node.accepting);
        self.own.set(node.state, bits)?;
        Ok(())
    }

    fn found(&self, home: u32) -> Halt {
        let found = self.search.found.lock();
        let mut found = found.unwrap_or_else(std::sync::PoisonError::into_inner);
        found.get_or_insert(home);
        self.crew.over()
    }

    /// An order of its own for each worker. The last comes first.
    fn arrange(random: &mut Random, me: usize, stack: &mut SearchStack<M>) {
        let edges = stack.waiting();
        match me {
            0 => {}
            1 => edges.reverse(),
            _ => {
                random.shuffle(edges);
            }
        }
    }

    fn run(mut self) -> Result<(), Halt> {
        let mut initial = self.space.initial()?;
        if self.me % 2 == 1 {
            initial.reverse();
        }
        for target in initial {
            let marks = M::NONE;
            let edge = Edge { target, marks };
            if !self.is(self.node(&edge), BLUE) {
                self.enter(edge)?;
                self.search_blue()?;
            }
        }
        Ok(())
    }

    /// A new state of the blue stack.
    fn enter(&mut self, edge: Edge<M>) -> Result<(), Halt> {
        let before = self.search.colours.raise(StateIndex(edge.target), MET)?;
        match before & MET {
            0 => self.counters.states += 1,
            _ => self.counters.repeated += 1,
        }
        self.flip_own(self.node(&edge), CYAN)?;
        self.blue.push(self.space, edge)?;
        Self::arrange(&mut self.random, self.me, &mut self.blue);
        self.counters.stack(self.blue.len());
        Ok(())
    }

    fn search_blue(&mut self) -> Result<(), Halt> {
        while let Some(state) = self.blue.top() {
            self.crew.look()?;
            let accepting = self.blue.top_marks().includes(self.all);
            let top = Node { state, accepting };
            let Some(edge) = self.blue.follow() else {
                // I2.
                self.make(top, BLUE)?;
                if accepting {
                    self.search_red(Edge {
                        target: state,
                        marks: self.blue.top_marks(),
                    })?;
                }
                self.flip_own(top, CYAN)?;
                self.blue.pop();
                continue;
            };
            self.counters.transitions += 1;
            let node = self.node(&edge);
            if self.is_own(node, CYAN) {
                // I1.
                if accepting || node.accepting {
                    return Err(self.found(edge.target));
                }
            } else if !self.is(node, BLUE) {
                self.enter(edge)?;
            }
        }
        Ok(())
    }

    fn search_red(&mut self, from: Edge<M>) -> Result<(), Halt> {
        let seed = self.node(&from);
        self.visited.clear();
        let mut new = Some(from);
        loop {
            if let Some(edge) = new.take() {
                let node = self.node(&edge);
                self.flip_own(node, PINK)?;
                self.visited.push(node);
                self.charge
                    .cover(self.visited.capacity() * size_of::<Node>())?;
                self.red.push(self.space, edge)?;
                Self::arrange(&mut self.random, self.me, &mut self.red);
                self.counters.stack(self.blue.len() + self.red.len());
            }
            self.crew.look()?;
            let Some(edge) = self.red.follow() else {
                self.red.pop();
                if self.red.len() == 0 {
                    break;
                }
                continue;
            };
            self.counters.transitions += 1;
            let node = self.node(&edge);
            if self.is_own(node, CYAN) {
                // I1: from there the blue stack leads to the seed.
                return Err(self.found(edge.target));
            }
            if !self.is_own(node, PINK) && !self.is(node, RED) {
                new = Some(edge);
            }
        }
        for i in 0..self.visited.len() {
            let node = self.visited[i];
            while node.accepting && node != seed && !self.is(node, RED) {
                self.crew.look()?;
                std::thread::yield_now();
            }
        }
        for i in 0..self.visited.len() {
            let node = self.visited[i];
            // I3.
            self.make(node, RED)?;
            self.flip_own(node, PINK)?;
        }
        Ok(())
    }
}
