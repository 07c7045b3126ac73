//! Bloemen, Laarman and van de Pol's check by any number of workers ("Multi-core on-the-fly SCC decomposition", PPoPP
//! 2016; with acceptance sets "Multi-core SCC-based LTL model checking", HVC 2016).
//!
//! Each worker searches the whole space depth-first, in an order of its own. Together they keep a union-find of the states
//! ([`UnionFind`]), whose sets are parts of strongly connected components: a worker that closes a cycle unites
//! the sets along it, so that all know. States of a set that are not yet explored are in its list, from which any worker that
//! has come to the set takes them. When a set has no such state, its component is explored, dead, and nobody enters it any more.
//! As soon as a set is in all acceptance sets there is an accepting run.
//!
//! Ours differs in four things. The recursion of the paper is a stack of frames, one for each state on the path, of which only
//! the first of each set takes states from the list; the other states of the set are on the path anyway. Edges to states
//! that only others are at are put off until the other edges of the state were followed: with luck their
//! components are dead by then. And acceptance may be a disjunction: one of several collections of sets ([`Wanted`]), and edges
//! in some sets may be avoided, which is what [`favoid`](super::favoid) needs. One worker alone takes no locks and keeps no lists ([`UnionFind::single_worker`]):
//! what it has met and not left is on its path.
//!
//! The run is found afterwards, by one worker, among the states of the set, which is strongly connected (I6).
//!
//! # Invariants
//! - **I1** Each state of a frame is in the set of the frame's first state, and there is an edge with the frame's marks from the
//!   state of the frame below to that first state.
//! - **I2** `roots` are the frames of sets: from one to the next all frames are in one set. The sets of two roots may
//!   be one because others united them.
//! - **I3** A state is taken from its list when a worker has followed all its edges: then their targets are dead, or in the
//!   same set. So the edges out of a dead set lead to dead sets, and a dead set is a whole component.
//! - **I4** A worker that is in the workers of a set that is not dead has a frame of that set. (The reverse fails while sets are
//!   being united; then a cycle is overlooked now and found later, when the worker comes by again.)
//! - **I5** The marks of an edge inside a set are added to the set before its source is taken from the list.
//! - **I6** When nobody is closing a cycle, each set is strongly connected by edges inside. So a worker looks for the set that its cycle
//!   begins in before it unites any, and then unites all from there on, whatever others do meanwhile and even if the search is over.
//!   If it looked while it unites, another could unite the sets of the last edge's two ends in between. The cycle would seem to be
//!   closed, and the way back would lead through states of other sets.
//!
//! The stack counted is the longest of the workers' stacks of frames.
//!
//! Cost: each state and each edge once by one worker; several workers may repeat what they do at the same time. 16 bytes per
//! state, and 4 more for every further 32 workers and every further 32 marks.

use super::crew::{Crew, Halt};
use super::emerson_lei::Judge;
use super::{Found, accepting_run, favoid};
use crate::marks::Marks;
use crate::per_state::Charge;
use crate::space::{Counters, Edge, Run, Space, Stop, Wanted};
use sempre_base::Random;
use sempre_store::UnionFind;
use sempre_store::union_find::Claim;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// See the module's documentation. One worker.
///
/// # Errors
/// If the search could not go on.
pub fn check<M: Marks>(
    space: &mut dyn Space<M>,
    counters: &mut Counters,
) -> Result<Option<Run<M>>, Stop> {
    let goal = [space.wanted()];
    let search = Search::new(space, 1, &goal);
    let crew = Crew::default();
    let ended = crew.alone(|| Worker::new(&search, &crew, space, 0).run());
    let found = search.into_run(space, ended, counters)?;
    Ok(found.map(|(run, _)| run))
}

/// A check by several workers, one for each space: all show the same graph. Cycles of any of the goals are looked for; none of these
/// may avoid anything.
///
/// # Errors
/// If the search could not go on, for any of the workers.
pub fn check_together<M: Marks, S: Space<M> + Send>(
    spaces: &mut [S],
    goals: &[Wanted<M>],
    counters: &mut Counters,
) -> Result<Option<Found<M>>, Stop> {
    debug_assert!(goals.iter().all(|g| g.avoid == M::NONE));
    let Some(first) = spaces.first() else {
        return Ok(None);
    };
    let search = Search::new(first, spaces.len(), goals);
    let crew = Crew::default();
    let ended = crew.together(spaces, |me, space| {
        Worker::new(&search, &crew, space, me).run()
    });
    search.into_run(&mut spaces[0], ended, counters)
}

/// What workers share.
pub(super) struct Search<'a, M> {
    pub(super) sets: UnionFind,
    goals: &'a [Wanted<M>],
    /// Decides instead of the goals, if there is one.
    pub(super) judge: Option<&'a Judge<'a, M>>,
    /// Edges in one of these are not followed.
    pub(super) avoid: M,
    pub(super) workers: usize,
    /// A state of an accepting set, and which goal it meets.
    found: Mutex<Option<(u32, Wanted<M>)>>,
    states: AtomicU64,
    transitions: AtomicU64,
    avoided: AtomicU64,
    repeated: AtomicU64,
    max_stack: AtomicU64,
}

impl<'a, M: Marks> Search<'a, M> {
    /// All goals avoid the same.
    pub(super) fn new(
        space: &(impl Space<M> + ?Sized),
        workers: usize,
        goals: &'a [Wanted<M>],
    ) -> Self {
        Self {
            // One mark more, for the judge.
            sets: match workers {
                1 => UnionFind::single_worker(space.sets() + 1, &space.budget()),
                _ => UnionFind::new(workers, space.sets() + 1, &space.budget()),
            },
            goals,
            judge: None,
            avoid: goals.first().map_or(M::NONE, |g| g.avoid),
            workers,
            found: Mutex::new(None),
            states: AtomicU64::new(0),
            transitions: AtomicU64::new(0),
            avoided: AtomicU64::new(0),
            repeated: AtomicU64::new(0),
            max_stack: AtomicU64::new(0),
        }
    }

    /// Adds what all workers have counted, when they have ended.
    pub(super) fn count(&self, counters: &mut Counters) {
        counters.states += self.states.load(Relaxed);
        counters.transitions += self.transitions.load(Relaxed);
        counters.avoided += self.avoided.load(Relaxed);
        counters.repeated += self.repeated.load(Relaxed);
        counters.max_stack = counters.max_stack.max(self.max_stack.load(Relaxed));
    }

    /// When all workers have ended: the run, if one has found a set for it.
    pub(super) fn into_run(
        self,
        space: &mut dyn Space<M>,
        ended: Result<(), Stop>,
        counters: &mut Counters,
    ) -> Result<Option<Found<M>>, Stop> {
        self.count(counters);
        let found = self.found.into_inner().unwrap_or_default();
        let Some((start, wanted)) = found else {
            return ended.map(|()| None);
        };
        // I6.
        let sets = &self.sets;
        let inside = |s: u32| sets.is_visited(s) && sets.same(s, start);
        let cycle = accepting_run::cycle_in_component(space, &inside, start, wanted, counters)?;
        let run = accepting_run::with_prefix(space, &|s| sets.is_visited(s), cycle)?;
        Ok(Some((run, wanted)))
    }
}

struct Frame<M> {
    /// The state whose edges are followed.
    state: u32,
    /// I1.
    marks: M,
    /// Where its edges begin.
    edges: usize,
    /// The first of these so many were put off.
    put_off: usize,
    /// They are not put off any more.
    again: bool,
}

/// One worker.
pub(super) struct Worker<'a, M: Marks> {
    pub(super) search: &'a Search<'a, M>,
    pub(super) crew: &'a Crew,
    pub(super) space: &'a mut dyn Space<M>,
    me: usize,
    frames: Vec<Frame<M>>,
    /// Edges still to be followed, those of each frame together, the next one last.
    edges: Vec<Edge<M>>,
    /// I2.
    roots: Vec<usize>,
    /// Where the targets of edges to be avoided go, with one state that is there; and the last of these.
    pub(super) later: Option<(&'a UnionFind, u32)>,
    pub(super) last_kept: Option<u32>,
    random: Random,
    charge: Charge,
    counters: Counters,
    /// Marks on their way to and from the sets.
    words: [Vec<u32>; 2],
    /// Does any cycle matter, even if it has no marks?
    any_cycle: bool,
    /// Marks that were judged last.
    judged: Option<M>,
}

impl<M: Marks> Drop for Worker<'_, M> {
    fn drop(&mut self) {
        let (search, counters) = (self.search, &self.counters);
        // Relaxed: read when all workers have ended.
        search.states.fetch_add(counters.states, Relaxed);
        search.transitions.fetch_add(counters.transitions, Relaxed);
        search.avoided.fetch_add(counters.avoided, Relaxed);
        search.repeated.fetch_add(counters.repeated, Relaxed);
        search.max_stack.fetch_max(counters.max_stack, Relaxed);
    }
}

impl<'a, M: Marks> Worker<'a, M> {
    pub(super) fn new(
        search: &'a Search<'a, M>,
        crew: &'a Crew,
        space: &'a mut dyn Space<M>,
        me: usize,
    ) -> Self {
        Self {
            search,
            crew,
            me,
            frames: Vec::new(),
            edges: Vec::new(),
            roots: Vec::new(),
            later: None,
            last_kept: None,
            random: Random::new(me as u64),
            charge: Charge::new(&space.budget()),
            counters: Counters::default(),
            words: [vec![0; M::WORDS + 1], vec![0; M::WORDS + 1]],
            any_cycle: search.judge.is_some() || search.goals.iter().any(|g| g.all == M::NONE),
            judged: None,
            space,
        }
    }

    pub(super) fn run(mut self) -> Result<(), Halt> {
        let mut initial = self.space.initial()?;
        self.arrange(&mut initial);
        for state in initial {
            self.explore(state)?;
        }
        Ok(())
    }

    /// An order of its own for each worker. The last comes first.
    fn arrange<T>(&mut self, items: &mut [T]) {
        match self.me {
            0 => items.reverse(),
            1 => {}
            _ => {
                self.random.shuffle(items);
            }
        }
    }

    /// Explores all that can be reached from a state, unless it is dead.
    pub(super) fn explore(&mut self, state: u32) -> Result<(), Halt> {
        debug_assert!(self.frames.is_empty(), "one search after the other");
        self.search.sets.reserve(state)?;
        let (claim, first) = self.search.sets.claim(state, self.me, false);
        self.counters.states += u64::from(first);
        if claim == Claim::New {
            self.enter(state, M::NONE, first)?;
        }
        while let Some(frame) = self.frames.last_mut() {
            self.crew.look()?;
            if self.edges.len() > frame.edges + frame.put_off {
                self.follow()?;
            } else if frame.put_off > 0 {
                frame.put_off = 0;
                frame.again = true;
            } else {
                self.leave()?;
            }
        }
        Ok(())
    }

    /// A frame for a state that was claimed.
    fn enter(&mut self, state: u32, marks: M, first: bool) -> Result<(), Halt> {
        self.counters.repeated += u64::from(!first);
        self.roots.push(self.frames.len());
        self.frames.push(Frame {
            state,
            marks,
            edges: self.edges.len(),
            put_off: 0,
            again: self.search.workers == 1,
        });
        self.counters.stack(self.frames.len());
        self.expand(state)
    }

    fn expand(&mut self, state: u32) -> Result<(), Halt> {
        let begin = self.edges.len();
        self.space.expand(state, &mut self.edges)?;
        for edge in &self.edges[begin..] {
            self.search.sets.prefetch(edge.target);
        }
        let mut edges = std::mem::take(&mut self.edges);
        self.arrange(&mut edges[begin..]);
        self.edges = edges;
        self.charge.cover(
            self.frames.capacity() * size_of::<Frame<M>>()
                + self.edges.capacity() * size_of::<Edge<M>>()
                + (self.roots.capacity()) * size_of::<usize>(),
        )?;
        Ok(())
    }

    /// Follows the next edge of the last frame.
    #[inline]
    fn follow(&mut self) -> Result<(), Halt> {
        let (Some(frame), Some(edge)) = (self.frames.last_mut(), self.edges.pop()) else {
            return Ok(());
        };
        let (sets, target) = (&self.search.sets, edge.target);
        if edge.marks.intersects(self.search.avoid) {
            self.counters.transitions += 1;
            self.counters.avoided += 1;
            sets.reserve(target)?;
            if let Some((later, anchor)) = self.later
                && !sets.is_dead(target)
            {
                favoid::keep(later, anchor, target)?;
                self.last_kept = Some(target);
            }
            return Ok(());
        }
        sets.reserve(target)?;
        self.counters.transitions += 1;
        let (claim, first) = sets.claim(target, self.me, !frame.again);
        self.counters.states += u64::from(first);
        match claim {
            Claim::Dead => Ok(()),
            Claim::New => self.enter(target, edge.marks, first),
            Claim::Cycle => self.close(edge),
            Claim::Others => {
                self.counters.transitions -= 1;
                let place = frame.edges + frame.put_off;
                self.edges.push(edge);
                let last = self.edges.len() - 1;
                self.edges.swap(place, last);
                frame.put_off += 1;
                Ok(())
            }
        }
    }

    /// An edge leads to a set on the stack (I4): all sets from that one on are one.
    fn close(&mut self, edge: Edge<M>) -> Result<(), Halt> {
        let sets = &self.search.sets;
        // I6: where it begins is found out before anything is united.
        let mut begin = self.roots.len() - 1;
        while !sets.same(edge.target, self.frames[self.roots[begin]].state) {
            // Others may have explored it meanwhile, and by I3 all that leads there.
            if sets.is_dead(edge.target) {
                return Ok(());
            }
            begin = begin.checked_sub(1).expect("I4");
        }
        let mut marks = edge.marks;
        for pair in self.roots[begin..].windows(2).rev() {
            let (below, top) = (&self.frames[pair[0]], &self.frames[pair[1]]);
            // I1, I2: both sets are on a cycle.
            marks = marks.union(top.marks);
            sets.unite(below.state, top.state);
        }
        // Most cycles are inside a set and tell nothing new.
        let told = marks != M::NONE || self.any_cycle || begin + 1 < self.roots.len();
        self.roots.truncate(begin + 1);
        match told {
            true => self.mark(edge.target, marks),
            false => Ok(()),
        }
    }

    /// Adds marks to a set (I5), and looks whether it is accepting.
    fn mark(&mut self, state: u32, marks: M) -> Result<(), Halt> {
        let [add, seen] = &mut self.words;
        for (i, word) in add.iter_mut().enumerate().take(M::WORDS) {
            *word = marks.word(i);
        }
        let judge = self.search.judge;
        if let Some(judge) = judge {
            let cyclic = judge.cyclic();
            add[cyclic as usize / 32] |= 1 << (cyclic % 32);
        }
        self.search.sets.add_marks(state, add, seen);
        let seen = M::from_parts(&seen[..M::WORDS]);
        if let Some(judge) = judge {
            let new = self.judged != Some(seen);
            self.judged = Some(seen);
            return match new && judge.likes(seen) {
                true => self.look_at(judge, state),
                false => Ok(()),
            };
        }
        match (self.search.goals.iter()).find(|goal| seen.includes(goal.all)) {
            None => Ok(()),
            Some(&goal) => {
                let found = self.search.found.lock();
                let mut found = found.unwrap_or_else(std::sync::PoisonError::into_inner);
                found.get_or_insert((state, goal));
                Err(self.crew.over())
            }
        }
    }

    /// The marks of the set of a state, and whether it has one more, with this number.
    pub(super) fn marks_of(&mut self, state: u32, more: u32) -> (M, bool) {
        let [add, seen] = &mut self.words;
        add.fill(0);
        self.search.sets.add_marks(state, add, seen);
        let has = seen[more as usize / 32] >> (more % 32) & 1 == 1;
        (M::from_parts(&seen[..M::WORDS]), has)
    }

    /// A state of the set of a state that is still to be explored. If there is only one worker, all of the set was on the path.
    fn another(&self, state: u32) -> Option<u32> {
        if self.search.workers > 1 {
            return self.search.sets.pick(state);
        }
        self.search.sets.finish(state);
        None
    }

    /// All edges of the last frame's state were followed.
    fn leave(&mut self) -> Result<(), Halt> {
        let (sets, alone) = (&self.search.sets, self.search.workers == 1);
        let last = self.frames.len() - 1;
        let Frame { state, marks, .. } = self.frames[last];
        let below = last.checked_sub(1).map(|b| self.frames[b].state);
        if let Some(below) = below {
            // It is likely to be left soon.
            sets.prefetch(below);
        }
        if !alone {
            // I3.
            sets.remove(state);
        }
        let is_root = self.roots.last() == Some(&last);
        // Alone, I2 has no exceptions.
        if !is_root || !alone && below.is_some_and(|below| sets.same(below, state)) {
            // The frame below is of the same set.
            self.frames.pop();
            if is_root {
                // Others have united them; the edge in between was not known to be inside (I5).
                self.roots.pop();
                self.mark(state, marks)?;
            }
        } else if let Some(busy) = self.another(state) {
            let frame = &mut self.frames[last];
            frame.state = busy;
            frame.again = self.search.workers == 1;
            self.counters.repeated += 1;
            return self.expand(busy);
        } else {
            self.roots.pop();
            self.frames.pop();
            if let Some(judge) = self.search.judge {
                self.bury(judge, state)?;
            }
        }
        // Others may be done with the state below.
        if self.search.workers > 1
            && let Some(frame) = self.frames.last_mut()
            && self.search.sets.is_explored(frame.state)
        {
            self.edges.truncate(frame.edges);
            frame.put_off = 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
