//! Symbolic products of a model and a property automaton.
//!
//! Ben Salem, Duret-Lutz, Kordon, Thierry-Mieg, *Symbolic model checking of stutter-invariant properties using
//! generalized testing automata*, TACAS 2014. The state of the automaton is one variable, at the top of the diagrams.
//!
//! * **TGBA** (Definition 5): a step of the model together with an edge of the automaton whose label holds in the
//!   source. Every step reads the automaton's variable.
//! * **TGTA** (Definitions 8 to 10): the model's steps are split by what they change. Steps that change no proposition
//!   do not mention the automaton's variable (equation 1), so saturation works below it; the others move together with
//!   the automaton. An acceptance set contains steps of the first kind where the automaton stays in a state whose
//!   self-loop is in the set.
//! * **Fairness** ([`crate::product::fairness`]) adds an acceptance set for each process, whatever the automaton does.
//! * **Deadlocks** that stutter are steps from a state to itself. They change nothing.
//!
//! How ours differs: the relations come from the IR and not from tables, and are known once the model's states are;
//! steps are split by joins with the conditions of the propositions before and after them, not row by row. An event
//! that writes no cell of a proposition is a stuttering one, and keeps its small support.

use crate::dd::forest::Forest;
use crate::dd::natural::Natural;
use crate::dd::node::{EMPTY, Node, Root};
use crate::dd::shape::Mode;
use crate::product::automaton::{Automaton, accepts_all};
use crate::product::builder::Builder;
use crate::product::fairness::ProcessFairness;
use crate::product::faster_first::FasterFirst;
use crate::product::graph::{Graph, Steps, chaining};
use crate::product::options::{Deadlock, ProductOptions, Reachability};
use crate::product::relations::{Relation, image_by, preimage_by};
use crate::product::self_loops::SelfLoops;
use crate::reach::fixed_events::FixedEvents;
use crate::relation::model::Model;
use rustc_hash::FxHashSet;
use sempre_base::Stop;
use sempre_model::Expr;

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Product {
    /// The initial states.
    pub initial: Root,
    steps: Vec<Relation>,
    /// The steps of each acceptance set of the automaton.
    accepting: Vec<Vec<Relation>>,
    /// The acceptance set of each process, if runs are to be fair.
    fair: Vec<ProcessFairness>,
    /// A state of the automaton from which every infinite run is accepted, if all runs are infinite.
    accepts_all: Option<u32>,
    /// The steps of the model alone that change no proposition, and all its steps.
    stuttering: Vec<Relation>,
    model_steps: Vec<Relation>,
    /// The same as `steps`, for saturation.
    events: FixedEvents,
    reachability: Reachability,
    /// For an automaton that reads valuations.
    loops: Option<(SelfLoops, FasterFirst)>,
}

/// The owner of a set of steps.
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
    fn acceptance_set(self) -> Option<u32> {
        match self {
            Target::Set(set) => Some(set),
            Target::All | Target::Process(_) => None,
        }
    }
}

impl Product {
    /// The product of a model with an automaton. The model's reachable `states`, and the `deadlocks` among them, are
    /// roots. With `only`, the product has the steps of these events.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn new(
        forest: &mut Forest,
        model: &mut Model<'_>,
        (states, deadlocks): (Node, Node),
        propositions: &[Expr],
        automaton: &dyn Automaton,
        only: Option<&[bool]>,
        options: ProductOptions,
    ) -> Result<Self, Stop> {
        let ProductOptions {
            deadlock,
            fair,
            reachability,
        } = options;
        let program = model.program();
        let mut builder = Builder::new(forest, model, states, propositions, only)?;
        let levels = builder.levels();
        let letters = builder.letters()?;
        let initial = builder.initial(&letters, automaton)?;
        let mut groups = builder.events(None)?;
        // Reads all cells, writes none.
        let mut modes = vec![Mode::Read; levels];
        modes[0] = Mode::Skip;
        let states_shape = builder.forest.shape(&modes);
        if deadlock == Deadlock::Stutter && deadlocks != EMPTY {
            groups.push(((builder.forest.protect(deadlocks), states_shape), u64::MAX));
        }
        let processes = if fair { program.processes.len() } else { 0 };
        let mut product = Product {
            initial,
            steps: Vec::new(),
            accepting: vec![Vec::new(); automaton.sets() as usize],
            fair: Vec::new(),
            accepts_all: None,
            stuttering: Vec::new(),
            model_steps: Vec::new(),
            events: FixedEvents::new(levels, 1),
            reachability,
            loops: None,
        };
        let b = &mut builder;
        let sets = (0..automaton.sets()).map(Target::Set);
        let targets: Vec<Target> = std::iter::once(Target::All).chain(sets).collect();
        let mut changes = FxHashSet::default();
        product.add_groups(b, &groups, &letters, automaton, &targets, &mut changes)?;
        if reachability == Reachability::SelfLoops && !automaton.is_testing() {
            product.loops = Some((SelfLoops::new(b, automaton, &groups)?, FasterFirst::new()));
        }
        for process in 0..processes {
            let (idle, own) = (
                b.model.idle(b.forest, states, process)?,
                Target::Process(process),
            );
            product.fair.push(ProcessFairness {
                own: Vec::new(),
                idle: b.forest.protect(idle),
                shape: states_shape,
            });
            let groups = b.events(Some(process))?;
            product.add_groups(b, &groups, &letters, automaton, &[own], &mut changes)?;
        }
        // A state whose step fails may have no other step.
        if deadlock == Deadlock::Stutter && !fair && b.model.never_fails(b.forest) {
            let read: Vec<u64> = match automaton.is_testing() {
                true => changes.into_iter().chain([0]).collect(),
                false => letters.iter().map(|l| l.0).collect(),
            };
            let accepts = |&q: &u32| accepts_all(automaton, q, read.iter().copied());
            product.accepts_all = (0..automaton.states()).find(accepts);
        }
        if !b.forest.has_few_shapes() {
            product.loops = None;
            product.events.family = 0;
        }
        builder.forest.clear_family_results();
        Ok(product)
    }

    fn add_groups(
        &mut self,
        b: &mut Builder<'_, '_>,
        groups: &[(Relation, u64)],
        letters: &[(u64, Relation)],
        automaton: &dyn Automaton,
        targets: &[Target],
        changes: &mut FxHashSet<u64>,
    ) -> Result<(), Stop> {
        if automaton.is_testing() {
            self.add_tgta_steps(b, groups, automaton, targets, changes)
        } else {
            self.add_tgba_steps(b, groups, letters, automaton, targets)
        }
    }

    /// Definition 5.
    fn add_tgba_steps(
        &mut self,
        b: &mut Builder<'_, '_>,
        groups: &[(Relation, u64)],
        letters: &[(u64, Relation)],
        automaton: &dyn Automaton,
        targets: &[Target],
    ) -> Result<(), Stop> {
        for &target in targets {
            let acceptance_set = target.acceptance_set();
            // The automaton's edges, each with the condition on the source.
            let mut labelled: Option<Relation> = None;
            for &(letter, condition) in letters {
                let edges = b.edges(automaton, letter, acceptance_set)?;
                let part = b.join(edges, condition)?;
                labelled = Some(match labelled {
                    None => part,
                    Some(all) => b.unite(all, part)?,
                });
            }
            let Some(labelled) = labelled else { continue };
            for &(group, _) in groups {
                let relation = b.join(group, labelled)?;
                self.add_steps(b, relation, target)?;
            }
        }
        Ok(())
    }

    /// Definition 10, split as in equation 1.
    fn add_tgta_steps(
        &mut self,
        b: &mut Builder<'_, '_>,
        groups: &[(Relation, u64)],
        automaton: &dyn Automaton,
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
                    self.model_steps.push(relation);
                    if change == 0 {
                        self.stuttering.push(relation);
                    }
                }
                for &target in targets {
                    let acceptance_set = target.acceptance_set();
                    let steps = match (change, acceptance_set) {
                        (0, None) => relation,
                        (0, Some(set)) => {
                            let resting_states = b.resting_states(automaton, set)?;
                            b.join(relation, resting_states)?
                        }
                        _ => {
                            let edges = b.edges(automaton, change, acceptance_set)?;
                            b.join(relation, edges)?
                        }
                    };
                    self.add_steps(b, steps, target)?;
                }
            }
        }
        Ok(())
    }

    /// Adds steps to their owner; steps with the same shape are united.
    fn add_steps(
        &mut self,
        b: &mut Builder<'_, '_>,
        (relation, shape): Relation,
        target: Target,
    ) -> Result<(), Stop> {
        if b.forest.get(relation) == EMPTY {
            return Ok(());
        }
        let same_owner = match target {
            Target::Set(set) => &self.accepting[set as usize],
            Target::Process(process) => &self.fair[process].own,
            Target::All => &self.steps,
        };
        if let Some(same) = same_owner.iter().find(|a| a.1 == shape) {
            let (all, more) = (b.forest.get(same.0), b.forest.get(relation));
            let all = b.forest.union(all, more)?;
            b.forest.set(same.0, all);
            return Ok(());
        }
        let step = (b.forest.protect(b.forest.get(relation)), shape);
        match target {
            Target::Set(set) => self.accepting[set as usize].push(step),
            Target::Process(process) => self.fair[process].own.push(step),
            Target::All => {
                self.events.add(b.forest, step.0, shape);
                self.steps.push(step);
            }
        }
        Ok(())
    }

    /// Number of the model's steps from a set of its states, and of those among them that change no proposition; for
    /// testing automata only.
    pub(crate) fn stuttering(&self, forest: &Forest, states: Node) -> (Natural, Natural) {
        let count = |relations: &[Relation]| {
            let mut sum = Natural::from(0u64);
            for &(relation, shape) in relations {
                let (_, shape) = forest.shapes.parts(shape);
                sum.add(&forest.count_steps(states, forest.get(relation), shape));
            }
            sum
        };
        (count(&self.model_steps), count(&self.stuttering))
    }
}

impl Graph for Product {
    fn initial(&self) -> Root {
        self.initial
    }

    /// The automaton's sets come first.
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
            Steps::All => image_by(forest, set, &self.steps),
            Steps::Part(i) => image_by(forest, set, &self.steps[i..=i]),
            Steps::Accepting(n) => match self.process_of(n) {
                None => image_by(forest, set, &self.accepting[n]),
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
            Steps::All => preimage_by(forest, set, &self.steps, universe),
            Steps::Part(i) => preimage_by(forest, set, &self.steps[i..=i], universe),
            Steps::Accepting(n) => match self.process_of(n) {
                None => preimage_by(forest, set, &self.accepting[n], universe),
                Some(process) => self.fair[process].preimage(self, forest, set, universe),
            },
        }
    }

    fn reach(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        if self.reachability == Reachability::Chaining {
            return chaining(forest, self, set);
        }
        let Some((loops, schedule)) = &self.loops else {
            return self.events.saturate(forest, set, 0);
        };
        let root = forest.protect(set);
        let found = schedule.reach(
            forest,
            |forest| loops.reach(forest, self, forest.get(root)),
            |forest| self.events.saturate(forest, forest.get(root), 0),
        )?;
        forest.unprotect(root);
        Ok(found)
    }
}
