//! Any acceptance condition, by any number of workers, on the fly.
//!
//! The generic recursion of Baier, Blahoudek, Duret-Lutz, Klein, Müller and Strejček ("Generic emptiness check for fun and
//! profit", ATVA 2019; after Emerson and Lei, 1987) is made for automata that are there. Here the components come from
//! [`ufscc`](super::ufscc), while it makes them:
//! - as soon as the marks of a set satisfy the condition there is an accepting run, whatever else may be found. With a `Fin` in the
//!   condition and several workers that is only likely: one of them may have united sets and not yet have added the marks of
//!   the edges in between. Then the worker looks into the set before it says so, and goes on if there is nothing;
//! - when a component is dead, has a cycle, and its marks do not satisfy the condition though some of them might, one of the workers that
//!   were in it looks into it. Inside, marks that do not occur are filled in (their `Inf` is false, their `Fin`
//!   true). A `Fin` that must hold cuts its edges, and the pieces are looked at again; if none must, one is
//!   picked and both ways are tried.
//!
//! # Invariants
//! - **I1** Of each dead component with a cycle one worker, and only one, looks whether there is an accepting run inside. (A worker that
//!   was in the component comes by when it leaves its first frame of it.)
//!   All marks inside are known then ([`ufscc`](super::ufscc), I5).
//! - **I2** A piece is strongly connected without the edges that were cut. So a piece whose marks satisfy the condition has a cycle with exactly
//!   these marks.
//!
//! Cost: as `ufscc`, and the components that are looked into are expanded once more and kept, 8 bytes per edge and more for wider
//! marks, while that is done; then as the recursion: linear for generalised Büchi, polynomial for generalised Rabin, Streett
//! and parity conditions, exponential in the number of `Fin`s in general, where the problem is NP-complete. Not done: one component
//! is looked into by one worker alone.

use super::crew::{Crew, Halt};
use super::ufscc::{Search, Worker};
use super::{Found, accepting_run};
use crate::explore::Reason;
use crate::marks::Marks;
use crate::per_state::Charge;
use crate::space::{Counters, Edge, Space, Stop, Wanted};
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_omega::{Acceptance, Mark};
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// See the module's documentation. One worker for each space; all show the same graph.
///
/// # Errors
/// If the search could not go on, for any of the workers.
pub fn check_together<M: Marks, S: Space<M> + Send>(
    spaces: &mut [S],
    condition: &Acceptance,
    counters: &mut Counters,
) -> Result<Option<Found<M>>, Stop> {
    let Some(first) = spaces.first() else {
        return Ok(None);
    };
    let judge = Judge {
        condition,
        sets: first.sets(),
        begun: Mutex::default(),
        found: Mutex::default(),
    };
    let mut search = Search::new(first, spaces.len(), &[]);
    search.judge = Some(&judge);
    let crew = Crew::default();
    let ended = crew.together(spaces, |me, space| {
        Worker::new(&search, &crew, space, me).run()
    });
    let space = &mut spaces[0];
    search.count(counters);
    let found = lock(&judge.found).take();
    let piece = match found {
        None => return ended.map(|()| None),
        Some(Accepting::Piece(piece)) => piece,
        Some(Accepting::Set(state)) => {
            // All have stopped: the set is strongly connected (`ufscc`, I6).
            let sets = &search.sets;
            let inside = |s: u32| sets.is_visited(s) && sets.same(s, state);
            space.accepted();
            let found = look_into(space, &inside, state, condition)?;
            let lost = "the marks of a set satisfy the condition, and no run does";
            found.ok_or_else(|| Stop(Reason::Panic(lost.to_string())))?
        }
    };
    counters.cycle_space = piece.states.len() as u64;
    let (inside, start) = (|s: u32| piece.states.contains(&s), piece.start);
    let cycle = accepting_run::cycle_in_component(space, &inside, start, piece.wanted, counters)?;
    let run = accepting_run::with_prefix(space, &|s| search.sets.is_visited(s), cycle)?;
    Ok(Some((run, piece.wanted)))
}

/// What decides about sets and components.
pub(super) struct Judge<'a, M> {
    condition: &'a Acceptance,
    sets: u32,
    /// The roots of the components that somebody looks into, or has (I1).
    begun: Mutex<FxHashSet<u32>>,
    found: Mutex<Option<Accepting<M>>>,
}

/// Where an accepting run is.
enum Accepting<M> {
    /// In the set of this state.
    Set(u32),
    /// In this piece.
    Piece(Piece<M>),
}

struct Piece<M> {
    states: FxHashSet<u32>,
    start: u32,
    /// All marks that occur in it; edges that were cut are avoided.
    wanted: Wanted<M>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn mark<M: Marks>(marks: M, sets: u32) -> Mark {
    (0..sets).filter(|&s| marks.contains(s)).collect()
}

impl<M: Marks> Judge<'_, M> {
    /// The number of the mark of sets that have a cycle.
    pub(super) fn cyclic(&self) -> u32 {
        self.sets
    }

    /// Do these marks satisfy the condition?
    pub(super) fn likes(&self, marks: M) -> bool {
        self.condition.accepts(&mark(marks, self.sets))
    }

    /// Is there an accepting run in a dead component, which has these marks and a cycle? `false` also if somebody else looks (I1).
    pub(super) fn bury(
        &self,
        space: &mut dyn Space<M>,
        inside: &dyn Fn(u32) -> bool,
        root: u32,
        marks: M,
    ) -> Result<bool, Stop> {
        let possible = self.condition.restrict_to(&mark(marks, self.sets));
        if possible == Acceptance::False || !lock(&self.begun).insert(root) {
            return Ok(false);
        }
        self.look(space, inside, root)
    }

    /// Is there an accepting run among these states?
    fn look(
        &self,
        space: &mut dyn Space<M>,
        inside: &dyn Fn(u32) -> bool,
        start: u32,
    ) -> Result<bool, Stop> {
        let found = look_into(space, inside, start, self.condition)?;
        let any = found.is_some();
        if let Some(piece) = found {
            lock(&self.found).get_or_insert(Accepting::Piece(piece));
        }
        Ok(any)
    }
}

/// The edges inside a component, whose states are numbered anew.
struct Component<M> {
    states: Vec<u32>,
    /// Those of state i from `starts[i]` on.
    edges: Vec<Edge<M>>,
    starts: Vec<usize>,
    /// The piece that a state is in now.
    piece: Vec<u32>,
}

impl<M: Marks> Component<M> {
    fn new(
        space: &mut dyn Space<M>,
        inside: &dyn Fn(u32) -> bool,
        start: u32,
        charge: &mut Charge,
    ) -> Result<Self, Stop> {
        let mut number: FxHashMap<u32, u32> = FxHashMap::default();
        number.insert(start, 0);
        let mut component = Self {
            states: vec![start],
            edges: Vec::new(),
            starts: Vec::new(),
            piece: Vec::new(),
        };
        let Self {
            states,
            edges,
            starts,
            ..
        } = &mut component;
        while starts.len() < states.len() {
            let begin = edges.len();
            space.expand(states[starts.len()], edges)?;
            let mut kept = begin;
            for i in begin..edges.len() {
                let mut edge = edges[i];
                if inside(edge.target) {
                    let next = states.len() as u32;
                    let known = *number.entry(edge.target).or_insert(next);
                    if known == next {
                        states.push(edge.target);
                    }
                    edge.target = known;
                    edges[kept] = edge;
                    kept += 1;
                }
            }
            edges.truncate(kept);
            starts.push(begin);
            charge.cover(
                states.capacity() * 40
                    + edges.capacity() * size_of::<Edge<M>>()
                    + starts.capacity() * size_of::<usize>(),
            )?;
        }
        component.starts.push(component.edges.len());
        component.piece = vec![0; component.states.len()];
        Ok(component)
    }

    fn edges(&self, state: u32) -> &[Edge<M>] {
        &self.edges[self.starts[state as usize]..self.starts[state as usize + 1]]
    }

    /// The edges of a state inside its piece, without those with these marks.
    fn inner(&self, state: u32, cut: M) -> impl Iterator<Item = &Edge<M>> {
        let piece = self.piece[state as usize];
        (self.edges(state).iter())
            .filter(move |e| self.piece[e.target as usize] == piece && !e.marks.intersects(cut))
    }

    /// The strongly connected parts of a piece without edges with these marks (Tarjan's algorithm).
    fn parts(&self, states: &[u32], cut: M) -> Vec<Vec<u32>> {
        // Zero is not seen, `DONE` is in a part; else the place in the order of the search.
        const DONE: u32 = u32::MAX;
        let mut order: FxHashMap<u32, u32> = FxHashMap::default();
        let mut low: Vec<u32> = Vec::new();
        let mut stack: Vec<u32> = Vec::new();
        let mut parts = Vec::new();
        let mut frames: Vec<(u32, usize)> = Vec::new();
        for &start in states {
            if order.contains_key(&start) {
                continue;
            }
            let mut new = Some(start);
            loop {
                if let Some(state) = new.take() {
                    let rank = low.len() as u32;
                    order.insert(state, rank);
                    low.push(rank);
                    stack.push(state);
                    frames.push((state, self.starts[state as usize]));
                }
                let Some((state, next)) = frames.last_mut() else {
                    break;
                };
                let state = *state;
                let rank = order[&state] as usize;
                if *next < self.starts[state as usize + 1] {
                    let edge = &self.edges[*next];
                    *next += 1;
                    let same = self.piece[edge.target as usize] == self.piece[state as usize];
                    if same && !edge.marks.intersects(cut) {
                        match order.get(&edge.target) {
                            None => new = Some(edge.target),
                            Some(&DONE) => {}
                            Some(&other) => low[rank] = low[rank].min(other),
                        }
                    }
                    continue;
                }
                frames.pop();
                if low[rank] as usize == rank {
                    let from = stack.iter().rposition(|&s| s == state).unwrap_or(0);
                    let part = stack.split_off(from);
                    for s in &part {
                        order.insert(*s, DONE);
                    }
                    parts.push(part);
                } else if let Some((below, _)) = frames.last() {
                    let below = order[below] as usize;
                    low[below] = low[below].min(low[rank]);
                }
            }
        }
        parts
    }
}

/// A piece of a component whose marks satisfy the condition. Others may enlarge the component meanwhile: what is looked at is what was
/// met inside.
fn look_into<M: Marks>(
    space: &mut dyn Space<M>,
    inside: &dyn Fn(u32) -> bool,
    start: u32,
    condition: &Acceptance,
) -> Result<Option<Piece<M>>, Stop> {
    let mut charge = Charge::new(&space.budget());
    let sets = space.sets();
    let mut component = Component::new(space, inside, start, &mut charge)?;
    let all: Vec<u32> = (0..component.states.len() as u32).collect();
    // I2: some edges may have been outside when they were met, and their targets inside later.
    let whole = Rc::new(condition.clone());
    let mut tasks: Vec<_> = (component.parts(&all, M::NONE).into_iter())
        .map(|part| (Rc::new(part), Rc::clone(&whole), M::NONE))
        .collect();
    let mut number = 0;
    while let Some((states, condition, cut)) = tasks.pop() {
        number += 1;
        for &s in states.iter() {
            component.piece[s as usize] = number;
        }
        let (mut marks, mut cyclic) = (M::NONE, false);
        for &s in states.iter() {
            for edge in component.inner(s, cut) {
                marks = marks.union(edge.marks);
                cyclic = true;
            }
        }
        if !cyclic {
            continue;
        }
        let seen = mark(marks, sets);
        let condition = condition.restrict_to(&seen);
        if condition.accepts(&seen) {
            // I2.
            let name = |&s: &u32| component.states[s as usize];
            return Ok(Some(Piece {
                start: name(&states[0]),
                states: states.iter().map(name).collect(),
                wanted: Wanted {
                    all: marks,
                    avoid: cut,
                },
            }));
        }
        let mut more = match condition {
            Acceptance::False => continue,
            Acceptance::Or(parts) => {
                let each = parts.into_iter().rev();
                tasks.extend(each.map(|p| (Rc::clone(&states), Rc::new(p), cut)));
                continue;
            }
            Acceptance::Fin(_) | Acceptance::And(_) => required(&condition),
            Acceptance::True | Acceptance::Inf(_) => continue,
        };
        if more.is_empty() {
            // No Fin is a conjunct: both ways.
            let Some(f) = condition.sets_used().1.iter().next() else {
                continue;
            };
            let without = condition.map(&mut |atom| match atom {
                Acceptance::Fin(i) if *i == f => Acceptance::False,
                other => other.clone(),
            });
            tasks.push((Rc::clone(&states), Rc::new(without), cut));
            more = Mark::single(f);
        }
        let cut = cut.union(M::from_words(more.words()));
        let condition = Rc::new(condition);
        for part in component.parts(&states, cut) {
            tasks.push((Rc::new(part), Rc::clone(&condition), cut));
        }
    }
    Ok(None)
}

/// The sets whose `Fin` is a conjunct of the condition.
fn required(condition: &Acceptance) -> Mark {
    let of = |part: &Acceptance| match part {
        Acceptance::Fin(i) => Some(*i),
        _ => None,
    };
    match condition {
        Acceptance::And(parts) => parts.iter().filter_map(of).collect(),
        other => of(other).into_iter().collect(),
    }
}

impl<M: Marks> Worker<'_, M> {
    /// The marks of the set of a state, which has a cycle, satisfy the condition: is there an accepting run?
    pub(super) fn look_at(&mut self, judge: &Judge<'_, M>, state: u32) -> Result<(), Halt> {
        if self.search.workers == 1 || !judge.condition.uses_fin() {
            lock(&judge.found).get_or_insert(Accepting::Set(state));
            return Err(self.crew.over());
        }
        let sets = &self.search.sets;
        let inside = |s: u32| sets.is_visited(s) && sets.same(s, state);
        match judge.look(self.space, &inside, state)? {
            true => Err(self.crew.over()),
            false => Ok(()),
        }
    }

    /// The worker leaves a dead component: is there an accepting run inside?
    pub(super) fn bury(&mut self, judge: &Judge<'_, M>, state: u32) -> Result<(), Halt> {
        let (marks, cyclic) = self.marks_of(state, judge.cyclic());
        if cyclic {
            let (sets, root) = (&self.search.sets, self.search.sets.root(state));
            let inside = |s: u32| sets.is_visited(s) && sets.same(s, root);
            if judge.bury(self.space, &inside, root, marks)? {
                return Err(self.crew.over());
            }
        }
        Ok(())
    }
}
