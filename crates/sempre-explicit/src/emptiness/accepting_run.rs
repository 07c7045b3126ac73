//! Short accepting runs, by breadth-first searches.
//!
//! Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005, section 5), after Latvala and Heljanko: inside an accepting
//! component, from one of its states, a breadth-first search finds the nearest edge in a set still missing, the next
//! one goes on from there, and when all sets are seen a last one leads home. Then one more finds a
//! shortest path from an initial state to any state of the cycle, where the cycle then begins.
//!
//! The result is short, not shortest: a shortest cycle through several sets is NP-hard to find.
//!
//! Cost: each search at most the size of the component, one for each set and one more; then one over the states
//! that the check has visited.

use crate::marks::Marks;
use crate::per_state::{Charge, PerState};
use crate::space::{Counters, Edge, Run, RunStep, Space, Stop, Wanted};

const UNSEEN: u32 = u32::MAX;
const ROOT: u32 = u32::MAX - 1;

/// Breadth-first search that can be used again and again.
pub(crate) struct Bfs<M> {
    parent: PerState<u32>,
    /// All states seen, in the order in which they were.
    queue: Vec<u32>,
    edges: Vec<Edge<M>>,
    charge: Charge,
}

impl<M: Marks> Bfs<M> {
    pub(crate) fn new(space: &dyn Space<M>) -> Self {
        let budget = space.budget();
        Self {
            parent: PerState::new(UNSEEN, &budget),
            queue: Vec::new(),
            edges: Vec::new(),
            charge: Charge::new(&budget),
        }
    }

    /// A shortest path from one of `from` whose last edge is the first that `goal` takes (with its source), through
    /// states that `inside` allows.
    pub(crate) fn path(
        &mut self,
        space: &mut dyn Space<M>,
        from: &[u32],
        inside: &dyn Fn(u32) -> bool,
        goal: &dyn Fn(u32, &Edge<M>) -> bool,
        visited: &mut u64,
    ) -> Result<Option<Vec<RunStep<M>>>, Stop> {
        self.path_avoiding(space, from, inside, M::NONE, goal, visited)
    }

    /// The same by edges that are in none of the sets `avoid`.
    fn path_avoiding(
        &mut self,
        space: &mut dyn Space<M>,
        from: &[u32],
        inside: &dyn Fn(u32) -> bool,
        avoid: M,
        goal: &dyn Fn(u32, &Edge<M>) -> bool,
        visited: &mut u64,
    ) -> Result<Option<Vec<RunStep<M>>>, Stop> {
        for &s in &self.queue {
            self.parent.set(s, UNSEEN)?;
        }
        self.queue.clear();
        for &s in from {
            self.parent.set(s, ROOT)?;
            self.queue.push(s);
        }
        let mut at = 0;
        while at < self.queue.len() {
            let state = self.queue[at];
            at += 1;
            *visited += 1;
            self.edges.clear();
            space.expand(state, &mut self.edges)?;
            for i in 0..self.edges.len() {
                let edge = self.edges[i];
                if !inside(edge.target) || edge.marks.intersects(avoid) {
                    continue;
                }
                if goal(state, &edge) {
                    let mut path = vec![RunStep { state, edge }];
                    self.trace(space, state, avoid, &mut path)?;
                    return Ok(Some(path));
                }
                if self.parent.get(edge.target) == UNSEEN {
                    self.parent.set(edge.target, state)?;
                    self.queue.push(edge.target);
                }
            }
            self.charge.cover(self.queue.capacity() * 4)?;
        }
        Ok(None)
    }

    /// Completes a path, given by its last step, along parents.
    fn trace(
        &mut self,
        space: &mut dyn Space<M>,
        mut state: u32,
        avoid: M,
        path: &mut Vec<RunStep<M>>,
    ) -> Result<(), Stop> {
        loop {
            let parent = self.parent.get(state);
            if parent == ROOT {
                path.reverse();
                return Ok(());
            }
            path.push(step_between(space, parent, state, avoid)?);
            state = parent;
        }
    }
}

/// The first step from one state to another, in none of the sets `avoid`.
pub(crate) fn step_between<M: Marks>(
    space: &mut dyn Space<M>,
    from: u32,
    to: u32,
    avoid: M,
) -> Result<RunStep<M>, Stop> {
    let mut edges = Vec::new();
    space.expand(from, &mut edges)?;
    let edge = *(edges.iter())
        .find(|e| e.target == to && !e.marks.intersects(avoid))
        .expect("an edge that was seen before");
    Ok(RunStep { state: from, edge })
}

/// A cycle as it is wanted through `start` and states that `inside` allows, found set by set; `None` if that leads to a
/// place from which there is no way on, or takes more than `longest` steps.
fn cycle_through<M: Marks>(
    space: &mut dyn Space<M>,
    bfs: &mut Bfs<M>,
    inside: &dyn Fn(u32) -> bool,
    start: u32,
    wanted: Wanted<M>,
    longest: usize,
    counters: &mut Counters,
) -> Result<Option<Vec<RunStep<M>>>, Stop> {
    let mut missing = wanted.all;
    let mut cycle: Vec<RunStep<M>> = Vec::new();
    let mut at = start;
    while missing != M::NONE || at != start || cycle.is_empty() {
        let goal = |_: u32, edge: &Edge<M>| {
            if missing == M::NONE {
                edge.target == start
            } else {
                edge.marks.intersects(missing)
            }
        };
        let visited = &mut counters.cycle_states;
        let found = bfs.path_avoiding(space, &[at], inside, wanted.avoid, &goal, visited)?;
        let Some(path) = found else {
            return Ok(None);
        };
        for step in path {
            missing = missing.minus(step.edge.marks);
            at = step.edge.target;
            cycle.push(step);
        }
        if cycle.len() > longest {
            return Ok(None);
        }
    }
    Ok(Some(cycle))
}

/// A cycle as it is wanted through `start`, in the component that `inside` describes, which must be strongly connected
/// and in the wanted sets by its inner edges, without those to avoid.
pub(crate) fn cycle_in_component<M: Marks>(
    space: &mut dyn Space<M>,
    inside: &dyn Fn(u32) -> bool,
    start: u32,
    wanted: Wanted<M>,
    counters: &mut Counters,
) -> Result<Vec<RunStep<M>>, Stop> {
    space.accepted();
    let mut bfs = Bfs::new(space);
    let cycle = cycle_through(space, &mut bfs, inside, start, wanted, usize::MAX, counters)?;
    Ok(cycle.expect("a strongly connected component in all sets"))
}

/// The run that goes around a cycle, with a shortest prefix through states that `visited` allows.
pub(crate) fn with_prefix<M: Marks>(
    space: &mut dyn Space<M>,
    visited: &dyn Fn(u32) -> bool,
    mut cycle: Vec<RunStep<M>>,
) -> Result<Run<M>, Stop> {
    space.accepted();
    let initial = space.initial()?;
    let on_cycle: rustc_hash::FxHashSet<u32> = cycle.iter().map(|s| s.state).collect();
    let (prefix, entry) = match initial.iter().find(|s| on_cycle.contains(s)) {
        Some(&s) => (Vec::new(), s),
        None => {
            let goal = |_: u32, e: &Edge<M>| on_cycle.contains(&e.target);
            let path = Bfs::new(space).path(space, &initial, visited, &goal, &mut 0)?;
            let path = path.expect("the check came from an initial state");
            let entry = path[path.len() - 1].edge.target;
            (path, entry)
        }
    };
    let first = cycle.iter().position(|s| s.state == entry);
    cycle.rotate_left(first.expect("the entry is on the cycle"));
    Ok(Run { prefix, cycle })
}

/// Tries to make a run shorter: the cycle is looked for again from each of its states, and the shortest run of all is kept.
pub(crate) fn shorten<M: Marks>(
    space: &mut dyn Space<M>,
    run: Run<M>,
    wanted: Wanted<M>,
) -> Result<Run<M>, Stop> {
    let length = |run: &Run<M>| run.prefix.len() + run.cycle.len();
    let mut best = run.clone();
    let mut bfs = Bfs::new(space);
    let counters = &mut Counters::default();
    for start in run.cycle.iter().map(|s| s.state) {
        // A search that leaves the component finds no way back and does not count.
        let shorter = length(&best) - 1;
        let cycle = cycle_through(space, &mut bfs, &|_| true, start, wanted, shorter, counters)?;
        if let Some(cycle) = cycle {
            let candidate = with_prefix(space, &|_| true, cycle)?;
            if length(&candidate) < length(&best) {
                best = candidate;
            }
        }
    }
    Ok(best)
}
