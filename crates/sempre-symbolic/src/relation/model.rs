//! A program as sets and relations.
//!
//! Each cell is a level of the diagrams, in a static order ([`crate::relation::force`]). Each action, or variant of one
//! ([`crate::relation::split`]), is an event: the conjunction of its conjuncts ([`crate::relation::conjuncts`]), which
//! are learned from the sets that the event is fired on ([`crate::relation::partial_relation`]). Events with the same
//! levels in the same modes are fired together, as a group.
//!
//! Invariant: before a group is fired on a set, its conjuncts have been learned for all values that occur in the set,
//! so its relation is exact there. Relations may also be learned for values that do not occur together, where a query
//! costs less than a projection. Relations only grow, and no later row is about states that were queried before; so
//! cached results stay correct.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::dd::shape::{Mode, Shape};
use crate::relation::conjuncts::{Conjunct, conjuncts, footprint};
use crate::relation::force::force;
use crate::relation::partial_relation::PartialRelation;
use crate::relation::relation_learner::RelationLearner;
use crate::relation::reordering::Reordering;
use crate::relation::split::variants;
use rustc_hash::FxHashMap;
use sempre_base::Stop;
use sempre_model::ir::Program;

/// The use of a conjunct by an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConjunctUse {
    pub partial: u32,
    /// The shape of its relation, from the top of the event on.
    pub shape: Shape,
    /// The shape of what it reads.
    pub reads: Shape,
}

/// One action, or a variant of one.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The number of the action.
    pub action: u32,
    /// The highest level that it touches.
    pub top: u32,
    pub uses: Vec<ConjunctUse>,
    /// The conjuncts in the order in which they are learned and joined: those of few cells first.
    pub by_size: Vec<usize>,
    /// The shape of its relation, from `top` on.
    pub shape: Shape,
    pub relation: Root,
    /// The sum of the conjuncts' versions from which the relation was made.
    pub version: u64,
}

/// Events that are fired together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub top: u32,
    pub shape: Shape,
    pub events: Vec<u32>,
    pub relation: Root,
    /// The number of occurrences of values when its conjuncts were last checked.
    pub checked_at: Option<usize>,
    /// Whether its conjuncts were learned for all combinations of these.
    pub is_complete: bool,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub(crate) struct Model<'p> {
    pub(crate) program: &'p Program,
    /// The cell of each level.
    pub(crate) order: Vec<u32>,
    /// The level of each cell.
    pub(crate) levels: Vec<u32>,
    pub(crate) partial_relations: Vec<PartialRelation>,
    pub(crate) events: Vec<Event>,
    pub(crate) groups: Vec<Group>,
    /// The groups with each top level.
    pub(crate) at_level: Vec<Vec<u32>>,
    pub(crate) learner: RelationLearner<'p>,
    /// Whether occurrences of values are recorded.
    pub(crate) tracks_values: bool,
    pub(crate) reordering: Reordering,
}

impl<'p> Model<'p> {
    /// The model of a program with this variable order, or with one from FORCE. No relation is learned yet.
    ///
    /// # Panics
    /// If the order does not contain each cell once, or the program has an atomic register: its steps are not those of
    /// single actions.
    pub(crate) fn new(forest: &mut Forest, program: &'p Program, order: Option<Vec<u32>>) -> Self {
        assert!(
            program.atomic.is_none(),
            "atomic steps are not steps of single actions"
        );
        let actions = variants(program);
        let conjuncts: Vec<Vec<Conjunct>> = (actions.iter())
            .map(|(_, action)| conjuncts(program, action, &actions))
            .collect();
        let order = order.unwrap_or_else(|| force_order(program, &conjuncts));
        let mut levels = vec![u32::MAX; program.cells()];
        for (level, &cell) in order.iter().enumerate() {
            levels[cell as usize] = level as u32;
        }
        assert!(
            order.len() == levels.len() && !levels.contains(&u32::MAX),
            "the order must contain each cell once"
        );
        let mut model = Self {
            program,
            at_level: vec![Vec::new(); order.len()],
            order,
            levels,
            partial_relations: Vec::new(),
            events: Vec::new(),
            groups: Vec::new(),
            learner: RelationLearner::new(program),
            tracks_values: false,
            reordering: Reordering::None,
        };
        let mut indices: FxHashMap<String, u32> = FxHashMap::default();
        let mut groups: FxHashMap<(u32, Shape), u32> = FxHashMap::default();
        for ((action, _), conjuncts) in actions.iter().zip(conjuncts) {
            model.add_event(forest, *action, conjuncts, &mut indices, &mut groups);
        }
        model
    }

    fn add_event(
        &mut self,
        forest: &mut Forest,
        action: u32,
        conjuncts: Vec<Conjunct>,
        indices: &mut FxHashMap<String, u32>,
        groups: &mut FxHashMap<(u32, Shape), u32>,
    ) {
        let numbers: Vec<u32> = (conjuncts.into_iter())
            .map(|conjunct| {
                *indices.entry(format!("{conjunct:?}")).or_insert_with(|| {
                    let partial =
                        PartialRelation::new(forest, self.program, conjunct, &self.levels);
                    self.partial_relations.push(partial);
                    self.partial_relations.len() as u32 - 1
                })
            })
            .collect();
        let partial_relations = &self.partial_relations;
        let first = |&p: &u32| partial_relations[p as usize].cells.first();
        let top = (numbers.iter().filter_map(first))
            .map(|&(cell, _)| self.levels[cell as usize])
            .min()
            .unwrap_or(0);
        let uses: Vec<ConjunctUse> = (numbers.iter())
            .map(|&partial| {
                let p = &partial_relations[partial as usize];
                ConjunctUse {
                    partial,
                    shape: forest.shape(&p.modes(&self.levels, top)),
                    reads: forest.shape(&p.read_modes(&self.levels, top)),
                }
            })
            .collect();
        let mut by_size: Vec<usize> = (0..uses.len()).collect();
        by_size.sort_by_key(|&i| partial_relations[uses[i].partial as usize].cells.len());
        let shape = by_size.iter().fold(Shape::END, |shape, &i| {
            (forest.joined_shape(shape, uses[i].shape))
                .expect("parts of an effect write different cells")
        });
        let writes = numbers
            .iter()
            .any(|&p| partial_relations[p as usize].writes());
        let number = self.events.len() as u32;
        self.events.push(Event {
            action,
            top,
            uses,
            by_size,
            shape,
            relation: forest.protect(EMPTY),
            version: 0,
        });
        if writes {
            let group = *groups.entry((top, shape)).or_insert_with(|| {
                let group = self.groups.len() as u32;
                self.groups.push(Group {
                    top,
                    shape,
                    events: Vec::new(),
                    relation: forest.protect(EMPTY),
                    checked_at: None,
                    is_complete: false,
                });
                self.at_level[top as usize].push(group);
                group
            });
            self.groups[group as usize].events.push(number);
        }
    }

    /// The program.
    pub(crate) fn program(&self) -> &'p Program {
        self.program
    }

    /// The cell of each level.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The level of each cell.
    pub(crate) fn levels(&self) -> &[u32] {
        &self.levels
    }

    /// Number of groups of events.
    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// The set of the initial states.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn initial(&mut self, forest: &mut Forest) -> Result<Node, Stop> {
        let program = self.program;
        let mut vectors: Vec<Vec<u32>> = program.initial.iter().map(|s| self.encode(s)).collect();
        forest.set_of(&mut vectors)
    }

    /// A state as a vector.
    pub(crate) fn encode(&mut self, state: &[i64]) -> Vec<u32> {
        let values = &mut self.learner.values;
        (self.order.iter())
            .map(|&cell| {
                let number = values.number(cell, state[cell as usize]);
                values.occurs(cell, number);
                number
            })
            .collect()
    }

    /// A vector as a state.
    pub(crate) fn decode(&self, vector: &[u32]) -> Vec<i64> {
        let mut state = vec![0; self.order.len()];
        for (&cell, &number) in self.order.iter().zip(vector) {
            state[cell as usize] = self.learner.values.value(cell, number);
        }
        state
    }

    /// Records that a value occurs at a level.
    #[inline]
    pub(crate) fn occurs(&mut self, level: u32, number: u32) {
        let cell = self.order[level as usize];
        self.learner.values.occurs(cell, number);
    }

    /// Checks whether it is time to look for a better order.
    ///
    /// # Errors
    /// If there is one.
    #[inline]
    pub(crate) fn consider_reordering(&mut self, forest: &Forest) -> Result<(), Stop> {
        (self.reordering).consider(forest, self.program, &self.order)
    }

    /// Turns a shape from an event's top level on into one from the first level on.
    pub(crate) fn shape_from_top(&self, forest: &mut Forest, shape: Shape, top: u32) -> Shape {
        (0..top).fold(shape, |shape, _| forest.shapes.prepend(Mode::Skip, shape))
    }

    /// The suffixes of a set's vectors from a level on.
    pub(crate) fn suffixes(&self, forest: &mut Forest, set: Node, top: u32) -> Result<Node, Stop> {
        let base = forest.stack.len();
        let mut set = set;
        for _ in 0..top {
            if set == EMPTY {
                break;
            }
            forest.stack.truncate(base);
            forest.push(set);
            set = forest.union_of_children(set)?;
        }
        forest.stack.truncate(base);
        Ok(set)
    }
}

/// The order that FORCE finds.
fn force_order(program: &Program, conjuncts: &[Vec<Conjunct>]) -> Vec<u32> {
    let supports: Vec<Vec<u32>> = (conjuncts.iter())
        .map(|partial_relations| {
            let mut cells: Vec<u32> = (partial_relations.iter())
                .flat_map(|m| {
                    let f = footprint(program, m);
                    f.reads.into_iter().chain(f.may_write)
                })
                .collect();
            cells.sort_unstable();
            cells.dedup();
            cells
        })
        .collect();
    force(program.cells(), &supports)
}
