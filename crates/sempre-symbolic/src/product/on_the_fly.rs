//! Products on the fly: relations, truth of propositions and deadlocks are learned from the states that are expanded.
//!
//! [`crate::product::symbolic_product`] needs the relations of all events, hence all states of the model first. Here
//! successors can be computed for any set of product states, for searches that may end early:
//! [`crate::search::bounded`], [`crate::search::partial_traversal`].
//!
//! The automaton's states are explicit, the model's are sets, as in the hybrid products of Duret-Lutz, Klai,
//! Poitrenaud, Thierry-Mieg, *Self-loop aggregation product* (ATVA 2011): there is no relation of the product. For a
//! state of the automaton, the states of the model are split by the propositions that its edges read; parts with the
//! same edges are united again. A testing automaton reads changes, so both ends of a step are split.
//!
//! Invariant: for expanded states, all steps, the truth of propositions, deadlocks and idle processes are known. For
//! other states the knowledge is correct but incomplete. So each step of an explored part is a step of the product.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::dd::shape::Shape;
use crate::product::automaton::{Automaton, accepts_all, valuations_over};
use crate::product::graph::Steps;
use crate::product::options::Deadlock;
use crate::relation::model::Model;
use sempre_base::Stop;
use sempre_model::Expr;

/// For automaton states that read more propositions, the valuations are not enumerated.
const MAX_ENUMERATED: u32 = 10;

/// A relation of the model and its shape from the first level on.
type Relation = (Root, Shape);

/// A relation of steps: its highest level, its shape from there on, and its shape from the first level on.
#[derive(Clone, Copy, Debug)]
struct Step {
    relation: Root,
    top: usize,
    low: Shape,
    whole: Shape,
}

/// An edge of the automaton: its target, and its acceptance sets.
type Edge = (u32, u64);

/// A product on the fly.
pub(crate) struct OnTheFly<'a> {
    pub propositions: &'a [Expr],
    pub automaton: &'a dyn Automaton,
    /// The initial states.
    pub initial: Root,
    steps: Vec<Step>,
    /// For fairness: the steps of each process, and the states in which it is not enabled.
    pub own: Vec<Vec<Relation>>,
    idle: Vec<Root>,
    /// Deadlocks, if they stutter.
    deadlocks: Option<Root>,
    /// For each proposition, the values of its cells that make it false, and those that make it true.
    truth: Vec<([Root; 2], Shape)>,
    /// A state of the automaton from which every infinite run is accepted, if there is one.
    pub accepts_all: Option<u32>,
    /// Whether some edge may lead from one state of the automaton to another.
    pub successors: Vec<Vec<bool>>,
}

impl<'a> OnTheFly<'a> {
    /// A product with its initial states.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn new(
        forest: &mut Forest,
        model: &mut Model<'_>,
        propositions: &'a [Expr],
        automaton: &'a dyn Automaton,
        (deadlock, fair): (Deadlock, bool),
    ) -> Result<Self, Stop> {
        let program = model.program();
        let relation = |forest: &mut Forest, model: &Model<'_>, event: usize| {
            let e = &model.events[event];
            let shape = model.shape_from_top(forest, e.shape, e.top);
            (e.relation, shape)
        };
        let groups = (model.groups.iter()).map(|g| (g.relation, g.shape, g.top));
        let silent = (model.events_without_writes().into_iter()).map(|e| &model.events[e]);
        let steps = (groups.chain(silent.map(|e| (e.relation, e.shape, e.top))))
            .map(|(relation, low, top)| Step {
                relation,
                top: top as usize,
                low,
                whole: model.shape_from_top(forest, low, top),
            })
            .collect();
        let processes = if fair { program.processes.len() } else { 0 };
        let mut own = Vec::new();
        for process in 0..processes {
            let events = (0..model.events.len()).filter(|&e| model.involves(e, process));
            own.push(events.map(|e| relation(forest, model, e)).collect());
        }
        let mut truth = Vec::new();
        for p in propositions {
            let (_, shape) = model.reads(forest, p);
            truth.push(([forest.protect(EMPTY), forest.protect(EMPTY)], shape));
        }
        let goes_on = deadlock == Deadlock::Stutter && !fair;
        let states = 0..automaton.states();
        let few = |q: u32| automaton.reads(q).count_ones() <= MAX_ENUMERATED;
        let sink =
            |q: u32| few(q) && accepts_all(automaton, q, valuations_over(automaton.reads(q)));
        let successors = (states.clone())
            .map(|q| {
                let mut successors = vec![!few(q); automaton.states() as usize];
                if few(q) {
                    for letter in valuations_over(automaton.reads(q)) {
                        for (to, _) in automaton.edges(q, letter) {
                            successors[to as usize] = true;
                        }
                    }
                }
                successors
            })
            .collect();
        let product = Self {
            propositions,
            automaton,
            initial: forest.protect(EMPTY),
            steps,
            own,
            idle: (0..processes).map(|_| forest.protect(EMPTY)).collect(),
            deadlocks: (deadlock == Deadlock::Stutter).then(|| forest.protect(EMPTY)),
            truth,
            accepts_all: states.clone().find(|&q| goes_on && sink(q)),
            successors,
        };
        let start = model.initial(forest)?;
        let start = forest.protect(start);
        let begin = forest.get(start);
        product.learn_truth(forest, model, begin)?;
        let begin = forest.get(start);
        for (letter, part) in product.split(forest, begin, product.all())? {
            for q in automaton.initial(letter) {
                product.add(forest, product.initial, q, forest.get(part))?;
            }
            forest.unprotect(part);
        }
        forest.unprotect(start);
        Ok(product)
    }

    /// All propositions.
    pub(crate) fn all(&self) -> u64 {
        (0..self.truth.len()).fold(0, |all, p| all | 1 << p)
    }

    /// Adds states of the model, paired with a state of the automaton, to a set.
    pub(crate) fn add(
        &self,
        forest: &mut Forest,
        set: Root,
        q: u32,
        states: Node,
    ) -> Result<(), Stop> {
        let more = forest.make(q, states, EMPTY)?;
        forest.union_into(set, more)?;
        Ok(())
    }

    /// Learns a set, and returns its successors.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn expand(
        &self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        set: Root,
    ) -> Result<Node, Stop> {
        self.learn(forest, model, forest.get(set))?;
        self.step(forest, Some(model), forest.get(set), Steps::All)
    }

    /// Number of parts into which the steps are partitioned; the last one is stuttering in deadlocks.
    pub(crate) fn parts(&self) -> usize {
        self.steps.len() + 1
    }

    /// The successors of a set by one part of the steps. The set must have been learned.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn expand_part(
        &self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        set: Root,
        part: usize,
    ) -> Result<Node, Stop> {
        self.step(forest, Some(model), forest.get(set), Steps::Part(part))
    }

    /// Learns everything about the steps from a set of the product.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn learn(
        &self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        set: Node,
    ) -> Result<(), Stop> {
        let states = forest.with_protected(&[set], |f| f.union_of_children(set))?;
        let states = forest.protect(states);
        self.learn_truth(forest, model, forest.get(states))?;
        let has_step = match forest.single_path(forest.get(states)) {
            Some(path) => {
                model.prepare_single_state(forest, &path)?;
                self.has_step(forest, &path)?
            }
            None => {
                model.prepare_by_level(forest, forest.get(states))?;
                false
            }
        };
        if let Some(root) = self.deadlocks
            && !has_step
        {
            let stuck = model.deadlocks(forest, forest.get(states))?;
            forest.union_into(root, stuck)?;
        }
        for (process, &root) in self.idle.iter().enumerate() {
            let idle = model.idle(forest, forest.get(states), process)?;
            forest.union_into(root, idle)?;
        }
        forest.unprotect(states);
        Ok(())
    }

    /// Learns where propositions are true in a set of model states. Where they have no value they count as false.
    fn learn_truth(
        &self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        states: Node,
    ) -> Result<(), Stop> {
        let states = forest.protect(states);
        for (p, &([fails, holds], shape)) in self.propositions.iter().zip(&self.truth) {
            let (now, _) = model.condition(forest, forest.get(states), p)?;
            let now = forest.protect(now);
            let seen = forest.project(forest.get(states), shape)?;
            let not = forest.difference(seen, forest.get(now))?;
            forest.union_into(fails, not)?;
            forest.union_into(holds, forest.get(now))?;
            forest.unprotect(now);
        }
        forest.unprotect(states);
        Ok(())
    }

    /// Splits model states by some propositions. The parts are roots.
    pub(crate) fn split(
        &self,
        forest: &mut Forest,
        states: Node,
        by: u64,
    ) -> Result<Vec<(u64, Root)>, Stop> {
        let mut parts = vec![(0, forest.protect(states))];
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
                        next.push((letter | (value as u64) << p, forest.protect(some)));
                    }
                }
                forest.unprotect(part);
            }
            parts = next;
        }
        Ok(parts)
    }

    /// Splits model states by the edges of an automaton state that they enable; states without edges are dropped.
    pub(crate) fn split_by_edges(
        &self,
        forest: &mut Forest,
        q: u32,
        states: Node,
    ) -> Result<Vec<(Vec<Edge>, Root)>, Stop> {
        let mut classes: Vec<(Vec<Edge>, Root)> = Vec::new();
        for (letter, part) in self.split(forest, states, self.automaton.reads(q))? {
            let edges = self.automaton.edges(q, letter);
            let same = classes.iter().find(|(e, _)| *e == edges);
            match same.map(|(_, root)| *root) {
                Some(root) => {
                    forest.union_into(root, forest.get(part))?;
                    forest.unprotect(part);
                }
                None if edges.is_empty() => forest.unprotect(part),
                None => classes.push((edges, part)),
            }
        }
        Ok(classes)
    }

    /// The process whose fairness an acceptance set expresses; none for the automaton's own sets.
    pub(crate) fn process_of(&self, set: usize) -> Option<usize> {
        set.checked_sub(self.automaton.sets() as usize)
    }

    /// The process whose fairness these steps express.
    fn fairness_process(&self, of: Steps) -> Option<usize> {
        match of {
            Steps::Accepting(set) => self.process_of(set),
            Steps::All | Steps::Part(_) => None,
        }
    }

    /// The targets of the edges of an acceptance set, or of all edges.
    pub(crate) fn targets(&self, edges: &[Edge], of: Steps) -> Vec<u32> {
        let in_set = |marks: u64| match of {
            Steps::Accepting(set) if self.process_of(set).is_none() => marks >> set & 1 == 1,
            _ => true,
        };
        let edges = edges.iter().filter(|(_, marks)| in_set(*marks));
        let mut targets: Vec<u32> = edges.map(|(to, _)| *to).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// The successors of a set by some steps. With a model, the propositions are learned for the successors, if the
    /// automaton is a testing automaton.
    pub(crate) fn step(
        &self,
        forest: &mut Forest,
        mut model: Option<&mut Model<'_>>,
        set: Node,
        of: Steps,
    ) -> Result<Node, Stop> {
        let from = forest.protect(set);
        let all = forest.protect(EMPTY);
        let rows: Vec<(u32, Node)> = forest.list(set).collect();
        for (q, states) in rows {
            if self.automaton.is_testing() {
                for (before, part) in self.split(forest, states, self.all())? {
                    let next = self.model_image(forest, forest.get(part), of)?;
                    let next = forest.protect(next);
                    if let Some(model) = &mut model {
                        self.learn_truth(forest, model, forest.get(next))?;
                    }
                    for (after, into) in self.split(forest, forest.get(next), self.all())? {
                        let edges = self.automaton.edges(q, before ^ after);
                        for to in self.targets(&edges, of) {
                            self.add(forest, all, to, forest.get(into))?;
                        }
                        forest.unprotect(into);
                    }
                    forest.unprotect(next);
                    forest.unprotect(part);
                }
            } else {
                for (edges, part) in self.split_by_edges(forest, q, states)? {
                    let targets = self.targets(&edges, of);
                    if !targets.is_empty() {
                        let next = self.model_image(forest, forest.get(part), of)?;
                        let next = forest.protect(next);
                        for to in targets {
                            self.add(forest, all, to, forest.get(next))?;
                        }
                        forest.unprotect(next);
                    }
                    forest.unprotect(part);
                }
            }
        }
        forest.unprotect(from);
        let result = forest.get(all);
        forest.unprotect(all);
        Ok(result)
    }

    /// Whether a single state has a successor.
    fn has_step(&self, forest: &mut Forest, path: &[(u32, Node)]) -> Result<bool, Stop> {
        for step in &self.steps {
            let (state, relation) = (path[step.top].1, forest.get(step.relation));
            if forest.image(state, relation, step.low)? != EMPTY {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The successors of a single state. An image starts at the top level of its relation, so disabled steps cost
    /// nothing above it.
    fn image_of_single(
        &self,
        forest: &mut Forest,
        path: &[(u32, Node)],
        steps: &[Step],
    ) -> Result<Node, Stop> {
        let base = forest.stack.len();
        for step in steps {
            let (state, relation) = (path[step.top].1, forest.get(step.relation));
            let mut next = forest.image_inner(state, relation, step.low)?;
            if next != EMPTY {
                for &(value, _) in path[..step.top].iter().rev() {
                    next = forest.make(value, next, EMPTY)?;
                }
                forest.push(next);
            }
        }
        forest.union_of_stack(base)
    }

    /// The successors of model states by steps that may belong to an acceptance set.
    fn model_image(&self, forest: &mut Forest, states: Node, of: Steps) -> Result<Node, Stop> {
        let from = forest.protect(states);
        let all = forest.protect(EMPTY);
        let source = match self.fairness_process(of) {
            None => states,
            Some(process) => {
                for &(relation, shape) in &self.own[process] {
                    let more = forest.image(forest.get(from), forest.get(relation), shape)?;
                    forest.union_into(all, more)?;
                }
                forest.intersection(forest.get(from), forest.get(self.idle[process]))?
            }
        };
        let source = forest.protect(source);
        let now = forest.get(source);
        let steps = match of {
            Steps::Part(part) => self.steps.get(part..=part).unwrap_or(&[]),
            Steps::All | Steps::Accepting(_) => &self.steps,
        };
        if let Some(path) = forest.single_path(now) {
            let more = forest.with_protected(&[], |f| self.image_of_single(f, &path, steps))?;
            forest.union_into(all, more)?;
        } else {
            for step in steps {
                let more = forest.image(now, forest.get(step.relation), step.whole)?;
                forest.union_into(all, more)?;
            }
        }
        let stays = match of {
            Steps::Part(part) => part == self.steps.len(),
            Steps::All | Steps::Accepting(_) => true,
        };
        if let Some(deadlocks) = self.deadlocks
            && stays
        {
            let stay = forest.intersection(forest.get(from), forest.get(deadlocks))?;
            forest.union_into(all, stay)?;
        }
        let result = forest.get(all);
        for root in [from, all, source] {
            forest.unprotect(root);
        }
        Ok(result)
    }

    /// The predecessors of model states, within others, by steps that may belong to an acceptance set.
    pub(crate) fn model_preimage(
        &self,
        forest: &mut Forest,
        states: Node,
        of: Steps,
        inside: Node,
    ) -> Result<Node, Stop> {
        let (to, universe) = (forest.protect(states), forest.protect(inside));
        let all = forest.protect(EMPTY);
        let by = |forest: &mut Forest, (relation, shape): Relation| -> Result<(), Stop> {
            let (to, inside) = (forest.get(to), forest.get(universe));
            let more = forest.preimage(to, forest.get(relation), shape, inside)?;
            forest.union_into(all, more)
        };
        for step in &self.steps {
            by(forest, (step.relation, step.whole))?;
        }
        if let Some(process) = self.fairness_process(of) {
            let idle = forest.get(self.idle[process]);
            let before = forest.intersection(forest.get(all), idle)?;
            forest.set(all, before);
            for &relation in &self.own[process] {
                by(forest, relation)?;
            }
        }
        if let Some(deadlocks) = self.deadlocks {
            let stay = forest.intersection(forest.get(to), forest.get(deadlocks))?;
            let stay = forest.intersection(stay, forest.get(universe))?;
            forest.union_into(all, stay)?;
        }
        let result = forest.get(all);
        for root in [to, universe, all] {
            forest.unprotect(root);
        }
        Ok(result)
    }
}
