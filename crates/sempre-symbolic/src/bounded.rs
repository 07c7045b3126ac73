//! Accepting runs near the initial states, without knowing all states of the model first.
//!
//! [`crate::product`] needs the relations of all events, so the states of the model come first, all of them. Most violations are near
//! the initial states, and some automata let only a small part of the model through. Here the product is searched level by level and
//! on the fly: what events do, where propositions hold and which states are deadlocks is learned from the states of the last level. Now
//! and then what has been found so far is taken for the whole product, and asked for an accepting run ([`crate::owcty`]).
//!
//! The automaton's states are taken one by one, the model's in sets, as in the hybrid products of Duret-Lutz, Klai, Poitrenaud,
//! Thierry-Mieg, *Self-loop aggregation product* (ATVA 2011): no relation of the product is made. From a state of the automaton, the
//! states of the model are split by the propositions that its edges read; those with the same edges go on together. A testing
//! automaton is asked for what changes, so both ends of a step are split.
//!
//! Invariants:
//! * I1: relations, truth of propositions, deadlocks and idle processes are known for all levels but the last; of the last, what is known is
//!   right, but not all. So each step of the part that was found is one of the product, and all are known but those from the last level.
//! * I2: a cycle that was not there at the last attempt has a state in the levels since, that one's last included. So an attempt
//!   begins with what these lead to.
//!
//! Cost: attempts take at most as many nodes as levels do, but for the last one. Worse than saturation where the first levels have large
//! diagrams, or the nearest accepting cycle is far; so it takes turns with it ([`crate::baton`]).

use crate::check::{Outcome, first_fault};
use crate::collect::Stop;
use crate::forest::{EMPTY, Forest, Kept, Node};
use crate::graph::{Graph, Steps, chaining};
use crate::lasso::back_through;
use crate::model::Model;
use crate::observer::{Observer, accepts_all, letters_over};
use crate::owcty::{Hull, fixpoint};
use crate::product::Deadlock;
use crate::shape::Shape;
use crate::violation::{violation, violation_after};
use sempre_model::Expr;

/// The states of an automaton that read more propositions than this are not asked about every valuation.
const MANY: u32 = 10;

/// A relation of the model and its shape from the first level on.
type Relation = (Kept, Shape);

/// An edge of the automaton: where it leads, and its acceptance sets.
type Edge = (u32, u64);

/// The part of the product that was found so far.
struct Bounded<'a> {
    observer: &'a dyn Observer,
    initial: Kept,
    /// All states that were found.
    found: Kept,
    steps: Vec<Relation>,
    /// Steps of each process, and states in which it is not enabled, if runs are to be fair.
    own: Vec<Vec<Relation>>,
    idle: Vec<Kept>,
    /// Deadlocks, if they stutter.
    deadlocks: Option<Kept>,
    /// For each proposition, the values of its cells that make it false, and those that make it true.
    truth: Vec<([Kept; 2], Shape)>,
    accepts_all: Option<u32>,
    /// The states to which the edges of each state of the automaton may lead.
    leads: Vec<Vec<bool>>,
}

/// Searches until it has an answer. Tells the answer, and the states of the product that were found.
///
/// # Errors
/// If there is no room, or it is time to stop.
pub(crate) fn search(
    forest: &mut Forest,
    model: &mut Model<'_>,
    propositions: &[Expr],
    observer: &dyn Observer,
    deadlock: Deadlock,
    fair: bool,
) -> Result<(Outcome, Kept), Stop> {
    let mut bounded = Bounded::new(forest, model, propositions, observer, deadlock, fair)?;
    let mut levels = vec![bounded.initial];
    // The first level since the last attempt, and the nodes of levels and of attempts.
    let mut since = 0;
    let (mut searching, mut trying) = (0, 0);
    loop {
        let begin = forest.made();
        let fresh = forest.get(levels[levels.len() - 1]);
        let certain = bounded.certain(forest, fresh)?;
        if let Some(state) = forest.first(certain) {
            let way = back_through(forest, &bounded, &levels, state)?;
            if let Some(outcome) = violation_after(forest, model, &way)? {
                return Ok((outcome, bounded.found));
            }
            // Something fails: a run that goes on is looked for as any other.
            bounded.accepts_all = None;
        }
        let fresh = forest.get(levels[levels.len() - 1]);
        let is_done = fresh == EMPTY;
        if !is_done {
            bounded.learn(forest, model, propositions, fresh)?;
            let fresh = forest.get(levels[levels.len() - 1]);
            let next = bounded.step(forest, Some((model, propositions)), fresh, Steps::All)?;
            let new = forest.difference(next, forest.get(bounded.found))?;
            levels.push(forest.keep(new));
            forest.add(bounded.found, new)?;
        }
        let middle = forest.made();
        searching += middle - begin;
        if is_done || trying <= searching {
            if let Some(outcome) = bounded.attempt(forest, model, &levels[since..])? {
                return Ok((outcome, bounded.found));
            }
            since = levels.len() - 1;
            trying += forest.made() - middle;
        }
        if is_done {
            let visited = match forest.get(bounded.found) {
                EMPTY => EMPTY,
                found => forest.guarded(&[found], |f| f.union_of_downs(found))?,
            };
            let fault = first_fault(forest, model, visited, propositions)?;
            let outcome = fault.map_or(Outcome::Empty, Outcome::Failed);
            return Ok((outcome, bounded.found));
        }
    }
}

impl<'a> Bounded<'a> {
    fn new(
        forest: &mut Forest,
        model: &mut Model<'_>,
        propositions: &[Expr],
        observer: &'a dyn Observer,
        deadlock: Deadlock,
        fair: bool,
    ) -> Result<Self, Stop> {
        let program = model.program();
        let relation = |forest: &mut Forest, model: &Model<'_>, event: usize| {
            let e = &model.events[event];
            let shape = model.whole_shape(forest, e.shape, e.top);
            (e.relation, shape)
        };
        let mut steps = Vec::new();
        for g in &model.groups {
            let shape = model.whole_shape(forest, g.shape, g.top);
            steps.push((g.relation, shape));
        }
        for event in model.silent_events() {
            steps.push(relation(forest, model, event));
        }
        let processes = if fair { program.processes.len() } else { 0 };
        let mut own = Vec::new();
        for process in 0..processes {
            let events = (0..model.events.len()).filter(|&e| model.takes_part(e, process));
            own.push(events.map(|e| relation(forest, model, e)).collect());
        }
        let mut truth = Vec::new();
        for p in propositions {
            let (_, shape) = model.reads(forest, p);
            truth.push(([forest.keep(EMPTY), forest.keep(EMPTY)], shape));
        }
        let goes_on = deadlock == Deadlock::Stutter && !fair;
        let states = 0..observer.states();
        let few = |q: u32| observer.reads(q).count_ones() <= MANY;
        let sink = |q: u32| few(q) && accepts_all(observer, q, letters_over(observer.reads(q)));
        let leads = (states.clone())
            .map(|q| {
                let mut leads = vec![!few(q); observer.states() as usize];
                if few(q) {
                    for letter in letters_over(observer.reads(q)) {
                        for (to, _) in observer.edges(q, letter) {
                            leads[to as usize] = true;
                        }
                    }
                }
                leads
            })
            .collect();
        let bounded = Self {
            observer,
            initial: forest.keep(EMPTY),
            found: forest.keep(EMPTY),
            steps,
            own,
            idle: (0..processes).map(|_| forest.keep(EMPTY)).collect(),
            deadlocks: (deadlock == Deadlock::Stutter).then(|| forest.keep(EMPTY)),
            truth,
            accepts_all: states.clone().find(|&q| goes_on && sink(q)),
            leads,
        };
        let start = model.initial(forest)?;
        let start = forest.keep(start);
        let begin = forest.get(start);
        bounded.learn_truth(forest, model, propositions, begin)?;
        let begin = forest.get(start);
        for (letter, part) in bounded.split(forest, begin, bounded.all())? {
            for q in observer.initial(letter) {
                bounded.add(forest, bounded.initial, q, forest.get(part))?;
            }
            forest.release(part);
        }
        forest.release(start);
        forest.set(bounded.found, forest.get(bounded.initial));
        Ok(bounded)
    }

    /// All propositions.
    fn all(&self) -> u64 {
        (0..self.truth.len()).fold(0, |all, p| all | 1 << p)
    }

    /// Adds states of the model with a state of the automaton to a set.
    fn add(&self, forest: &mut Forest, set: Kept, q: u32, states: Node) -> Result<(), Stop> {
        let more = forest.make(q, states, EMPTY)?;
        forest.add(set, more)?;
        Ok(())
    }

    /// Learns all there is to know about the steps from a set of the product.
    fn learn(
        &self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        propositions: &[Expr],
        set: Node,
    ) -> Result<(), Stop> {
        let states = forest.guarded(&[set], |f| f.union_of_downs(set))?;
        let states = forest.keep(states);
        self.learn_truth(forest, model, propositions, forest.get(states))?;
        model.prepare_at_once(forest, forest.get(states))?;
        if let Some(kept) = self.deadlocks {
            let stuck = model.deadlocks(forest, forest.get(states))?;
            forest.add(kept, stuck)?;
        }
        for (process, &kept) in self.idle.iter().enumerate() {
            let idle = model.idle(forest, forest.get(states), process)?;
            forest.add(kept, idle)?;
        }
        forest.release(states);
        Ok(())
    }

    /// Learns where propositions hold, of some states of the model. Where they have no value they do not.
    fn learn_truth(
        &self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        propositions: &[Expr],
        states: Node,
    ) -> Result<(), Stop> {
        let states = forest.keep(states);
        for (p, &([fails, holds], shape)) in propositions.iter().zip(&self.truth) {
            let (now, _) = model.condition(forest, forest.get(states), p)?;
            let now = forest.keep(now);
            let seen = forest.project(forest.get(states), shape)?;
            let not = forest.difference(seen, forest.get(now))?;
            forest.add(fails, not)?;
            forest.add(holds, forest.get(now))?;
            forest.release(now);
        }
        forest.release(states);
        Ok(())
    }

    /// Splits states of the model by some propositions. The parts are kept.
    fn split(&self, forest: &mut Forest, states: Node, by: u64) -> Result<Vec<(u64, Kept)>, Stop> {
        let mut parts = vec![(0, forest.keep(states))];
        for (p, &(truth, shape)) in self.truth.iter().enumerate() {
            if by >> p & 1 == 0 {
                continue;
            }
            let mut next = Vec::with_capacity(parts.len());
            for (letter, part) in parts {
                for (value, holds) in truth.into_iter().enumerate() {
                    let now = forest.get(part);
                    let some = forest.restrict(now, forest.get(holds), shape)?;
                    if some != EMPTY {
                        next.push((letter | (value as u64) << p, forest.keep(some)));
                    }
                }
                forest.release(part);
            }
            parts = next;
        }
        Ok(parts)
    }

    /// Splits states of the model by the edges that the automaton has for them in one of its states, if any.
    fn by_edges(
        &self,
        forest: &mut Forest,
        q: u32,
        states: Node,
    ) -> Result<Vec<(Vec<Edge>, Kept)>, Stop> {
        let mut classes: Vec<(Vec<Edge>, Kept)> = Vec::new();
        for (letter, part) in self.split(forest, states, self.observer.reads(q))? {
            let edges = self.observer.edges(q, letter);
            let same = classes.iter().find(|(e, _)| *e == edges);
            match same.map(|(_, kept)| *kept) {
                Some(kept) => {
                    forest.add(kept, forest.get(part))?;
                    forest.release(part);
                }
                None if edges.is_empty() => forest.release(part),
                None => classes.push((edges, part)),
            }
        }
        Ok(classes)
    }

    /// The process for whose sake steps are taken.
    fn due_to(&self, of: Steps) -> Option<usize> {
        match of {
            Steps::Of(set) => self.process_of(set),
            Steps::All | Steps::Part(_) => None,
        }
    }

    /// Where the edges of an acceptance set lead, or all.
    fn targets(&self, edges: &[Edge], of: Steps) -> Vec<u32> {
        let wanted = |marks: u64| match of {
            Steps::Of(set) if self.process_of(set).is_none() => marks >> set & 1 == 1,
            _ => true,
        };
        let edges = edges.iter().filter(|(_, marks)| wanted(*marks));
        let mut targets: Vec<u32> = edges.map(|(to, _)| *to).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// The successors of a set, by the steps of an acceptance set or by all; with a model, what is not known of them yet is learned.
    fn step(
        &self,
        forest: &mut Forest,
        mut model: Option<(&mut Model<'_>, &[Expr])>,
        set: Node,
        of: Steps,
    ) -> Result<Node, Stop> {
        let from = forest.keep(set);
        let all = forest.keep(EMPTY);
        let rows: Vec<(u32, Node)> = forest.list(set).collect();
        for (q, states) in rows {
            if self.observer.is_testing() {
                for (before, part) in self.split(forest, states, self.all())? {
                    let next = self.model_image(forest, forest.get(part), of)?;
                    let next = forest.keep(next);
                    if let Some((model, propositions)) = &mut model {
                        self.learn_truth(forest, model, propositions, forest.get(next))?;
                    }
                    for (after, into) in self.split(forest, forest.get(next), self.all())? {
                        let edges = self.observer.edges(q, before ^ after);
                        for to in self.targets(&edges, of) {
                            self.add(forest, all, to, forest.get(into))?;
                        }
                        forest.release(into);
                    }
                    forest.release(next);
                    forest.release(part);
                }
            } else {
                for (edges, part) in self.by_edges(forest, q, states)? {
                    let targets = self.targets(&edges, of);
                    if !targets.is_empty() {
                        let next = self.model_image(forest, forest.get(part), of)?;
                        let next = forest.keep(next);
                        for to in targets {
                            self.add(forest, all, to, forest.get(next))?;
                        }
                        forest.release(next);
                    }
                    forest.release(part);
                }
            }
        }
        forest.release(from);
        let result = forest.get(all);
        forest.release(all);
        Ok(result)
    }

    /// The successors of states of the model by steps that may belong to an acceptance set.
    fn model_image(&self, forest: &mut Forest, states: Node, of: Steps) -> Result<Node, Stop> {
        let from = forest.keep(states);
        let all = forest.keep(EMPTY);
        let source = match self.due_to(of) {
            None => states,
            Some(process) => {
                for &(relation, shape) in &self.own[process] {
                    let more = forest.image(forest.get(from), forest.get(relation), shape)?;
                    forest.add(all, more)?;
                }
                forest.intersection(forest.get(from), forest.get(self.idle[process]))?
            }
        };
        let source = forest.keep(source);
        for &(relation, shape) in &self.steps {
            let more = forest.image(forest.get(source), forest.get(relation), shape)?;
            forest.add(all, more)?;
        }
        if let Some(deadlocks) = self.deadlocks {
            let stay = forest.intersection(forest.get(from), forest.get(deadlocks))?;
            forest.add(all, stay)?;
        }
        let result = forest.get(all);
        for kept in [from, all, source] {
            forest.release(kept);
        }
        Ok(result)
    }

    /// The predecessors of states of the model, within others, by steps that may belong to an acceptance set.
    fn model_preimage(
        &self,
        forest: &mut Forest,
        states: Node,
        of: Steps,
        within: Node,
    ) -> Result<Node, Stop> {
        let (to, universe) = (forest.keep(states), forest.keep(within));
        let all = forest.keep(EMPTY);
        let by = |forest: &mut Forest, relations: &[Relation], all: Kept| -> Result<(), Stop> {
            for &(relation, shape) in relations {
                let (to, within) = (forest.get(to), forest.get(universe));
                let more = forest.preimage(to, forest.get(relation), shape, within)?;
                forest.add(all, more)?;
            }
            Ok(())
        };
        by(forest, &self.steps, all)?;
        if let Some(process) = self.due_to(of) {
            let idle = forest.get(self.idle[process]);
            let before = forest.intersection(forest.get(all), idle)?;
            forest.set(all, before);
            by(forest, &self.own[process], all)?;
        }
        if let Some(deadlocks) = self.deadlocks {
            let stay = forest.intersection(forest.get(to), forest.get(deadlocks))?;
            let stay = forest.intersection(stay, forest.get(universe))?;
            forest.add(all, stay)?;
        }
        let result = forest.get(all);
        for kept in [to, universe, all] {
            forest.release(kept);
        }
        Ok(result)
    }

    /// Looks for an accepting run in what was found, with a state in one of these levels.
    fn attempt(
        &self,
        forest: &mut Forest,
        model: &Model<'_>,
        levels: &[Kept],
    ) -> Result<Option<Outcome>, Stop> {
        let start = forest.keep(EMPTY);
        for &level in levels {
            forest.add(start, forest.get(level))?;
        }
        let all = self.reach(forest, forest.get(start))?;
        forest.release(start);
        let hull = fixpoint(forest, self, all)?;
        if forest.get(hull) == EMPTY {
            forest.release(hull);
            return Ok(None);
        }
        let hull = Hull {
            reachable: self.found,
            hull,
            is_certain: false,
        };
        Ok(Some(violation(forest, model, self, &hull)?))
    }
}

impl Graph for Bounded<'_> {
    fn initial(&self) -> Kept {
        self.initial
    }

    fn sets(&self) -> usize {
        self.observer.sets() as usize + self.own.len()
    }

    fn process_of(&self, set: usize) -> Option<usize> {
        set.checked_sub(self.observer.sets() as usize)
    }

    fn accepts_all(&self) -> Option<u32> {
        self.accepts_all
    }

    /// They are not taken apart: that would split the states again for each part.
    fn parts(&self) -> usize {
        1
    }

    fn image(&self, forest: &mut Forest, set: Node, of: Steps) -> Result<Node, Stop> {
        let next = self.step(forest, None, set, of)?;
        forest.intersection(next, forest.get(self.found))
    }

    fn preimage(
        &self,
        forest: &mut Forest,
        set: Node,
        of: Steps,
        universe: Node,
    ) -> Result<Node, Stop> {
        let (to, within) = (forest.keep(set), forest.keep(universe));
        let all = forest.keep(EMPTY);
        let targets: Vec<(u32, Node)> = forest.list(set).collect();
        let sources: Vec<(u32, Node)> = forest.list(universe).collect();
        for (q, after) in targets {
            let parts = match self.observer.is_testing() {
                true => self.split(forest, after, self.all())?,
                false => vec![(0, forest.keep(after))],
            };
            for &(from, within) in sources
                .iter()
                .filter(|s| self.leads[s.0 as usize][q as usize])
            {
                for &(letter, part) in &parts {
                    let before = self.model_preimage(forest, forest.get(part), of, within)?;
                    let before = forest.keep(before);
                    let sources = match self.observer.is_testing() {
                        false => self.by_edges(forest, from, forest.get(before))?,
                        true => (self
                            .split(forest, forest.get(before), self.all())?
                            .into_iter())
                        .map(|(l, part)| (self.observer.edges(from, l ^ letter), part))
                        .collect(),
                    };
                    for (edges, part) in sources {
                        if self.targets(&edges, of).contains(&q) {
                            self.add(forest, all, from, forest.get(part))?;
                        }
                        forest.release(part);
                    }
                    forest.release(before);
                }
            }
            for (_, part) in parts {
                forest.release(part);
            }
        }
        let result = forest.get(all);
        for kept in [to, within, all] {
            forest.release(kept);
        }
        Ok(result)
    }

    fn reach(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        chaining(forest, self, set)
    }
}
