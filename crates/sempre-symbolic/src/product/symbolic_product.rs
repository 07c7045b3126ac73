//! Symbolic products of a model and a property automaton.
//!
//! Ben Salem, Duret-Lutz, Kordon, Thierry-Mieg, *Symbolic model checking of stutter-invariant properties using generalized
//! testing automata*, TACAS 2014. The state of the automaton is one variable, at the top of the diagrams.
//!
//! * **TGBA** (Definition 5): a step of the model and an edge of the automaton whose label holds in the source. Every
//!   step looks at the automaton's variable.
//! * **TGTA** (Definitions 8 to 10): the steps of the model are split by what they change. Those that change no proposition
//!   do not mention the automaton's variable at all (equation 1), so that saturation works below it; the others move
//!   together with it. To an acceptance set belong the former where the automaton rests in a state whose self-loop is
//!   in the set.
//! * **Fairness** ([`crate::product::fairness`]) adds an acceptance set for each process, whose steps the automaton does not choose.
//! * **Deadlocks** that stutter are steps from a state to itself. They change nothing.
//!
//! How ours differs: the relations come from the IR and not from tables, and are known when the model's states are; what a step
//! changes is found by joins with the conditions of the propositions before and after it, not row by row. An event that writes no
//! cell of a proposition is stuttering as it is, and keeps its small support.

use crate::dd::forest::{EMPTY, Forest, Kept, Node, UNIT};
use crate::dd::natural::Natural;
use crate::dd::shape::{Mode, Shape};
use crate::dd::unique_table::Stop;
use crate::product::automaton::{Observer, accepts_all};
use crate::product::fairness::Fair;
use crate::product::graph::{Graph, Steps, chaining};
use crate::product::self_loops::{SelfLoops, Turns};
use crate::reach::fixed_events::KnownEvents;
use crate::relation::model::Model;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_model::Expr;
use sempre_model::footprint::reads_of;

/// What becomes of runs that end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlock {
    /// They repeat their last state for ever.
    #[default]
    Stutter,
    /// They do not count.
    Drop,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Product {
    /// The initial states.
    pub initial: Kept,
    steps: Vec<Relation>,
    /// The steps of each acceptance set of the automaton.
    accepting: Vec<Vec<Relation>>,
    /// Those of each process, if runs are to be fair.
    fair: Vec<Fair>,
    /// A state of the automaton that accepts whatever comes, if runs need only go on.
    accepts_all: Option<u32>,
    /// Relations of steps that change no proposition, and all; of the model alone.
    stuttering: Vec<Relation>,
    moving: Vec<Relation>,
    /// The same as `steps`, for saturation.
    events: KnownEvents,
    reachability: Reachability,
    /// Of an automaton that reads valuations.
    loops: Option<(SelfLoops, Turns)>,
}

/// How reachability in a product is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reachability {
    /// By saturation under the self-loops of the automaton, if it reads valuations; else by saturation.
    #[default]
    SelfLoops,
    /// By saturation of the product.
    Saturation,
    /// By chaining.
    Chaining,
}

/// Of which runs a product is made, and how it is searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// What becomes of runs that end.
    pub deadlock: Deadlock,
    /// A run counts only if each process that is enabled for ever from some point on moves again and again.
    pub fair: bool,
    /// How reachability is computed.
    pub reachability: Reachability,
}

/// A relation and its shape from the automaton's level on.
pub(crate) type Relation = (Kept, Shape);

/// What steps belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// The product.
    All,
    /// An acceptance set of the automaton.
    Set(u32),
    /// A process.
    Process(usize),
}

impl Target {
    /// The acceptance set that an edge of the automaton must be in.
    fn wanted(self) -> Option<u32> {
        match self {
            Target::Set(set) => Some(set),
            Target::All | Target::Process(_) => None,
        }
    }
}

/// What a product is made from.
pub(crate) struct Builder<'a, 'p> {
    pub forest: &'a mut Forest,
    model: &'a mut Model<'p>,
    states: Node,
    /// For each proposition, the values of its cells that make it true, and those that make it false.
    truth: Vec<[Relation; 2]>,
    cells: Vec<Vec<u32>>,
    /// The events that take part, if not all.
    only: Option<&'a [bool]>,
}

impl Product {
    /// The product of a model, whose reachable `states` and among these `deadlocks` are known and kept, and an automaton. With
    /// `only`, it has the steps of some of the model's events.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn new(
        forest: &mut Forest,
        model: &mut Model<'_>,
        (states, deadlocks): (Node, Node),
        propositions: &[Expr],
        observer: &dyn Observer,
        only: Option<&[bool]>,
        manner: Manner,
    ) -> Result<Self, Stop> {
        let Manner {
            deadlock,
            fair,
            reachability,
        } = manner;
        let program = model.program();
        let cells = propositions.iter().map(|p| reads_of(program, p)).collect();
        let mut builder = Builder {
            forest,
            model,
            states,
            truth: Vec::new(),
            cells,
            only,
        };
        for p in propositions {
            builder.proposition(p)?;
        }
        let levels = builder.model.order().len() + 1;
        let letters = builder.letters()?;
        let initial = builder.initial(&letters, observer)?;
        let mut groups = builder.events(None)?;
        // All cells are read, none is written.
        let mut modes = vec![Mode::Read; levels];
        modes[0] = Mode::Skip;
        let states_shape = builder.forest.shape(&modes);
        if deadlock == Deadlock::Stutter && deadlocks != EMPTY {
            groups.push(((builder.forest.keep(deadlocks), states_shape), u64::MAX));
        }
        let processes = if fair { program.processes.len() } else { 0 };
        let mut product = Product {
            initial,
            steps: Vec::new(),
            accepting: vec![Vec::new(); observer.sets() as usize],
            fair: Vec::new(),
            accepts_all: None,
            stuttering: Vec::new(),
            moving: Vec::new(),
            events: KnownEvents::new(levels, 1),
            reachability,
            loops: None,
        };
        let b = &mut builder;
        let sets = (0..observer.sets()).map(Target::Set);
        let targets: Vec<Target> = std::iter::once(Target::All).chain(sets).collect();
        let mut changes = FxHashSet::default();
        product.add_groups(b, &groups, &letters, observer, &targets, &mut changes)?;
        if reachability == Reachability::SelfLoops && !observer.is_testing() {
            product.loops = Some((SelfLoops::new(b, observer, &groups)?, Turns::new()));
        }
        for process in 0..processes {
            let (idle, own) = (
                b.model.idle(b.forest, states, process)?,
                Target::Process(process),
            );
            product.fair.push(Fair {
                own: Vec::new(),
                idle: b.forest.keep(idle),
                shape: states_shape,
            });
            let groups = b.events(Some(process))?;
            product.add_groups(b, &groups, &letters, observer, &[own], &mut changes)?;
        }
        // Where a step fails there may be no other.
        if deadlock == Deadlock::Stutter && !fair && b.model.never_fails(b.forest) {
            let read: Vec<u64> = match observer.is_testing() {
                true => changes.into_iter().chain([0]).collect(),
                false => letters.iter().map(|l| l.0).collect(),
            };
            let accepts = |&q: &u32| accepts_all(observer, q, read.iter().copied());
            product.accepts_all = (0..observer.states()).find(accepts);
        }
        if !b.forest.has_few_shapes() {
            product.loops = None;
            product.events.family = 0;
        }
        builder.forest.forget_families();
        Ok(product)
    }

    fn add_groups(
        &mut self,
        b: &mut Builder<'_, '_>,
        groups: &[(Relation, u64)],
        letters: &[(u64, Relation)],
        observer: &dyn Observer,
        targets: &[Target],
        changes: &mut FxHashSet<u64>,
    ) -> Result<(), Stop> {
        if observer.is_testing() {
            self.testing(b, groups, observer, targets, changes)
        } else {
            self.buchi(b, groups, letters, observer, targets)
        }
    }

    /// Definition 5.
    fn buchi(
        &mut self,
        b: &mut Builder<'_, '_>,
        groups: &[(Relation, u64)],
        letters: &[(u64, Relation)],
        observer: &dyn Observer,
        targets: &[Target],
    ) -> Result<(), Stop> {
        for &target in targets {
            let wanted = target.wanted();
            // The automaton's edges, each with the condition on the source.
            let mut labelled: Option<Relation> = None;
            for &(letter, condition) in letters {
                let edges = b.edges(observer, letter, wanted)?;
                let part = b.join(edges, condition)?;
                labelled = Some(match labelled {
                    None => part,
                    Some(all) => b.unite(all, part)?,
                });
            }
            let Some(labelled) = labelled else { continue };
            for &(group, _) in groups {
                let relation = b.join(group, labelled)?;
                self.add(b, relation, target)?;
            }
        }
        Ok(())
    }

    /// Definition 10, split as in equation 1.
    fn testing(
        &mut self,
        b: &mut Builder<'_, '_>,
        groups: &[(Relation, u64)],
        observer: &dyn Observer,
        targets: &[Target],
        changes: &mut FxHashSet<u64>,
    ) -> Result<(), Stop> {
        for &(group, visible) in groups {
            let is_deadlock = visible == u64::MAX;
            let parts = if is_deadlock {
                vec![(0, group)]
            } else {
                b.changes(group, visible)?
            };
            for (change, relation) in parts {
                if b.forest.get(relation.0) == EMPTY {
                    continue;
                }
                changes.insert(change);
                if targets.contains(&Target::All) && !is_deadlock {
                    self.moving.push(relation);
                    if change == 0 {
                        self.stuttering.push(relation);
                    }
                }
                for &target in targets {
                    let wanted = target.wanted();
                    let steps = match (change, wanted) {
                        (0, None) => relation,
                        (0, Some(set)) => {
                            let resting = b.resting(observer, set)?;
                            b.join(relation, resting)?
                        }
                        _ => {
                            let edges = b.edges(observer, change, wanted)?;
                            b.join(relation, edges)?
                        }
                    };
                    self.add(b, steps, target)?;
                }
            }
        }
        Ok(())
    }

    /// Adds steps; those with the same shape are fired together.
    fn add(
        &mut self,
        b: &mut Builder<'_, '_>,
        (relation, shape): Relation,
        target: Target,
    ) -> Result<(), Stop> {
        if b.forest.get(relation) == EMPTY {
            return Ok(());
        }
        let known = match target {
            Target::Set(set) => &self.accepting[set as usize],
            Target::Process(process) => &self.fair[process].own,
            Target::All => &self.steps,
        };
        if let Some(same) = known.iter().find(|a| a.1 == shape) {
            let (all, more) = (b.forest.get(same.0), b.forest.get(relation));
            let all = b.forest.union(all, more)?;
            b.forest.set(same.0, all);
            return Ok(());
        }
        let arrow = (b.forest.keep(b.forest.get(relation)), shape);
        match target {
            Target::Set(set) => self.accepting[set as usize].push(arrow),
            Target::Process(process) => self.fair[process].own.push(arrow),
            Target::All => {
                self.events.add(b.forest, arrow.0, shape);
                self.steps.push(arrow);
            }
        }
        Ok(())
    }

    /// Number of steps of the model from a set of its states, and of those among them that change no proposition; only if the automaton
    /// reads changes.
    pub fn stuttering(&self, forest: &Forest, states: Node) -> (Natural, Natural) {
        let count = |relations: &[Relation]| {
            let mut sum = Natural::from(0u64);
            for &(relation, shape) in relations {
                let (_, shape) = forest.shapes.parts(shape);
                sum.add(&forest.count_steps(states, forest.get(relation), shape));
            }
            sum
        };
        (count(&self.moving), count(&self.stuttering))
    }

    pub(crate) fn image_by(
        &self,
        forest: &mut Forest,
        set: Node,
        relations: &[Relation],
    ) -> Result<Node, Stop> {
        let from = forest.keep(set);
        let all = forest.keep(EMPTY);
        for &(relation, shape) in relations {
            let more = forest.image(forest.get(from), forest.get(relation), shape)?;
            forest.add(all, more)?;
        }
        forest.release(from);
        let result = forest.get(all);
        forest.release(all);
        Ok(result)
    }

    pub(crate) fn preimage_by(
        &self,
        forest: &mut Forest,
        set: Node,
        relations: &[Relation],
        universe: Node,
    ) -> Result<Node, Stop> {
        let (to, within) = (forest.keep(set), forest.keep(universe));
        let all = forest.keep(EMPTY);
        for &(relation, shape) in relations {
            let (to, within) = (forest.get(to), forest.get(within));
            let more = forest.preimage(to, forest.get(relation), shape, within)?;
            forest.add(all, more)?;
        }
        forest.release(to);
        forest.release(within);
        let result = forest.get(all);
        forest.release(all);
        Ok(result)
    }
}

impl Graph for Product {
    fn initial(&self) -> Kept {
        self.initial
    }

    /// Those of the automaton come first.
    fn sets(&self) -> usize {
        self.accepting.len() + self.fair.len()
    }

    fn process_of(&self, set: usize) -> Option<usize> {
        set.checked_sub(self.accepting.len())
    }

    fn accepts_all(&self) -> Option<u32> {
        self.accepts_all
    }

    fn parts(&self) -> usize {
        self.steps.len()
    }

    fn image(&self, forest: &mut Forest, set: Node, steps: Steps) -> Result<Node, Stop> {
        match steps {
            Steps::All => self.image_by(forest, set, &self.steps),
            Steps::Part(i) => self.image_by(forest, set, &self.steps[i..=i]),
            Steps::Of(n) => match self.process_of(n) {
                None => self.image_by(forest, set, &self.accepting[n]),
                Some(process) => self.fair[process].image(self, forest, set),
            },
        }
    }

    fn preimage(
        &self,
        forest: &mut Forest,
        set: Node,
        steps: Steps,
        universe: Node,
    ) -> Result<Node, Stop> {
        match steps {
            Steps::All => self.preimage_by(forest, set, &self.steps, universe),
            Steps::Part(i) => self.preimage_by(forest, set, &self.steps[i..=i], universe),
            Steps::Of(n) => match self.process_of(n) {
                None => self.preimage_by(forest, set, &self.accepting[n], universe),
                Some(process) => self.fair[process].preimage(self, forest, set, universe),
            },
        }
    }

    fn reach(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        if self.reachability == Reachability::Chaining {
            return chaining(forest, self, set);
        }
        let Some((loops, turns)) = &self.loops else {
            return self.events.saturate(forest, set, 0);
        };
        let kept = forest.keep(set);
        let found = turns.reach(
            forest,
            |forest| loops.reach(forest, self, forest.get(kept)),
            |forest| self.events.saturate(forest, forest.get(kept), 0),
        )?;
        forest.release(kept);
        Ok(found)
    }
}

impl Builder<'_, '_> {
    /// Finds out where a proposition holds. Where it has no value it does not.
    fn proposition(&mut self, p: &Expr) -> Result<(), Stop> {
        let (node, shape) = self.model.condition(self.forest, self.states, p)?;
        let holds = self.forest.keep(node);
        let all = self.forest.project(self.states, shape)?;
        let fails = self.forest.difference(all, self.forest.get(holds))?;
        let fails = self.forest.keep(fails);
        let shape = self.forest.shapes.prepend(Mode::Skip, shape);
        self.truth.push([(fails, shape), (holds, shape)]);
        Ok(())
    }

    /// Do all events of the model take part?
    pub fn has_all_events(&self) -> bool {
        self.only.is_none()
    }

    /// Number of levels, the automaton's included.
    pub fn levels(&self) -> usize {
        self.model.order().len() + 1
    }

    /// Where some propositions have one of these valuations.
    pub fn condition(&mut self, about: u64, letters: &[u64]) -> Result<Relation, Stop> {
        let mut all: Option<Relation> = None;
        for letter in letters {
            let mut part = (self.forest.keep(UNIT), Shape::END);
            for p in (0..self.truth.len()).filter(|p| about >> p & 1 == 1) {
                let value = (letter >> p & 1) as usize;
                part = self.join(part, self.truth[p][value])?;
            }
            all = Some(match all {
                None => part,
                Some(all) => self.unite(all, part)?,
            });
        }
        Ok(all.unwrap_or((self.forest.keep(EMPTY), Shape::END)))
    }

    /// The steps of a relation from where a condition holds to where it holds again.
    pub fn steps_within(&mut self, group: Relation, condition: Relation) -> Result<Relation, Stop> {
        let from = self.join(group, condition)?;
        let condition = (self.forest.get(condition.0), condition.1);
        let into = self
            .forest
            .steps_into((self.forest.get(from.0), from.1), condition)?;
        Ok((self.forest.keep(into), from.1))
    }

    fn join(&mut self, a: Relation, b: Relation) -> Result<Relation, Stop> {
        let (x, y) = (self.forest.get(a.0), self.forest.get(b.0));
        let node = self.forest.join((x, a.1), (y, b.1))?;
        let shape = self.forest.joined_shape(a.1, b.1);
        Ok((
            self.forest.keep(node),
            shape.expect("only the automaton writes its variable"),
        ))
    }

    fn unite(&mut self, a: Relation, b: Relation) -> Result<Relation, Stop> {
        debug_assert_eq!(a.1, b.1);
        let node = self
            .forest
            .union(self.forest.get(a.0), self.forest.get(b.0))?;
        Ok((self.forest.keep(node), a.1))
    }

    /// The valuations that occur, each with its condition.
    fn letters(&mut self) -> Result<Vec<(u64, Relation)>, Stop> {
        let mut letters = vec![(0, (self.forest.keep(UNIT), Shape::END))];
        for p in 0..self.truth.len() {
            let mut next = Vec::new();
            for (letter, relation) in letters {
                for value in [0, 1] {
                    let part = self.join(relation, self.truth[p][value])?;
                    // From the model's first level on.
                    let (_, shape) = self.forest.shapes.parts(part.1);
                    let node = self.forest.get(part.0);
                    if self.forest.restrict(self.states, node, shape)? != EMPTY {
                        next.push((letter | (value as u64) << p, part));
                    }
                }
            }
            letters = next;
        }
        Ok(letters)
    }

    fn initial(
        &mut self,
        letters: &[(u64, Relation)],
        observer: &dyn Observer,
    ) -> Result<Kept, Stop> {
        let start = self.model.initial(self.forest)?;
        let start = self.forest.keep(start);
        let all = self.forest.keep(EMPTY);
        for &(letter, (condition, shape)) in letters {
            let (_, shape) = self.forest.shapes.parts(shape);
            let here = self.forest.get(start);
            let here = self
                .forest
                .restrict(here, self.forest.get(condition), shape)?;
            let here = self.forest.keep(here);
            for q in observer.initial(letter) {
                let one = self.forest.make(q, self.forest.get(here), EMPTY)?;
                self.forest.add(all, one)?;
            }
            self.forest.release(here);
        }
        self.forest.release(start);
        Ok(all)
    }

    /// The automaton's edges for a letter, of an acceptance set or all.
    fn edges(
        &mut self,
        observer: &dyn Observer,
        letter: u64,
        wanted: Option<u32>,
    ) -> Result<Relation, Stop> {
        let mut rows = Vec::new();
        for q in 0..observer.states() {
            for (to, marks) in observer.edges(q, letter) {
                if wanted.is_none_or(|set| marks >> set & 1 == 1) {
                    rows.push(vec![q, to]);
                }
            }
        }
        let node = self.forest.set_of(&mut rows)?;
        let shape = self.forest.shape(&[Mode::ReadWrite]);
        Ok((self.forest.keep(node), shape))
    }

    /// The automaton's states whose self-loop for no change is in a set.
    fn resting(&mut self, observer: &dyn Observer, set: u32) -> Result<Relation, Stop> {
        let mut rows: Vec<Vec<u32>> = (0..observer.states())
            .filter(|&q| {
                let mut loops = observer.edges(q, 0).into_iter();
                loops.any(|(_, marks)| marks >> set & 1 == 1)
            })
            .map(|q| vec![q])
            .collect();
        let node = self.forest.set_of(&mut rows)?;
        let shape = self.forest.shape(&[Mode::Read]);
        Ok((self.forest.keep(node), shape))
    }

    /// The model's events, or those in which a process takes part: those with the same shape together, each with the
    /// propositions that it may change.
    fn events(&mut self, process: Option<usize>) -> Result<Vec<(Relation, u64)>, Stop> {
        let mut groups: Vec<(Relation, u64)> = Vec::new();
        let mut known: FxHashMap<Shape, usize> = FxHashMap::default();
        for i in 0..self.model.events.len() {
            let (relation, shape, top) = {
                let e = &self.model.events[i];
                (self.forest.get(e.relation), e.shape, e.top)
            };
            let takes_part = process.is_none_or(|p| self.model.takes_part(i, p))
                && self.only.is_none_or(|only| only[i]);
            if relation == EMPTY || !takes_part {
                continue;
            }
            let shape = self.model.whole_shape(self.forest, shape, top + 1);
            if let Some(&g) = known.get(&shape) {
                let kept = groups[g].0.0;
                self.forest.add(kept, relation)?;
                continue;
            }
            let modes = self.forest.modes(shape);
            let writes = |cell: &u32| {
                let level = self.model.levels()[*cell as usize] as usize + 1;
                modes.get(level).is_some_and(|&m| m > Mode::Read)
            };
            let visible = (self.cells.iter().enumerate())
                .filter(|(_, cells)| cells.iter().any(writes))
                .fold(0, |v, (p, _)| v | 1 << p);
            known.insert(shape, groups.len());
            groups.push(((self.forest.keep(relation), shape), visible));
        }
        Ok(groups)
    }

    /// The steps of a group by what they change (Definition 9).
    fn changes(&mut self, group: Relation, visible: u64) -> Result<Vec<(u64, Relation)>, Stop> {
        let mut parts = vec![(0, group)];
        for p in 0..self.truth.len() {
            if visible >> p & 1 == 0 {
                continue;
            }
            let mut next = Vec::new();
            for (change, relation) in parts {
                let mut split: [Option<Relation>; 2] = [None, None];
                for before in [0, 1] {
                    let from = self.join(relation, self.truth[p][before])?;
                    for after in [0, 1] {
                        let node = self.forest.get(from.0);
                        let (condition, shape) = self.truth[p][after];
                        let condition = (self.forest.get(condition), shape);
                        let into = self.forest.steps_into((node, from.1), condition)?;
                        let into = (self.forest.keep(into), from.1);
                        let place = &mut split[usize::from(before != after)];
                        *place = Some(match *place {
                            None => into,
                            Some(all) => self.unite(all, into)?,
                        });
                    }
                }
                let [same, changed] = split;
                next.extend(same.map(|r| (change, r)));
                next.extend(changed.map(|r| (change | 1 << p, r)));
            }
            next.retain(|(_, r)| self.forest.get(r.0) != EMPTY);
            parts = next;
        }
        Ok(parts)
    }
}
