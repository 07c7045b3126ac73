//! A program as sets and relations.
//!
//! Each cell is a level of the diagrams, in a static order ([`crate::relation::force`]). Each action, or variant of one
//! ([`crate::relation::split`]), is an event: the conjunction of its parts ([`crate::relation::conjuncts`]), which are learned from the sets that
//! it is fired on ([`crate::relation::partial_relation`]). Events with the same levels in the same modes are fired together, as one group.
//!
//! Invariant: before a group is fired on a set, all its parts know the values that occur in the set, so its relation
//! is exact there. Relations are known for values that do not occur together, too, where it costs less to ask than to find out.
//! Relations only grow, and no row that is learned later is about states that were asked for
//! before; so results of operations stay right.

use crate::dd::cache::{Operation, key};
use crate::dd::forest::{EMPTY, Forest, Kept, Node, UNIT};
use crate::dd::shape::{Mode, Shape};
use crate::dd::unique_table::Stop;
use crate::relation::conjuncts::parts;
use crate::relation::force::force;
use crate::relation::linear::Condition;
use crate::relation::partial_relation::{Learner, Meaning, Part};
use crate::relation::reordering::SecondThoughts;
use crate::relation::split::variants;
use rustc_hash::FxHashMap;
use sempre_model::Interpreter;
use sempre_model::ir::Program;

/// Parts with more cells are asked only about states that the smaller conditions let through.
const CHEAP: usize = 2;

/// A part of an event.
#[derive(Clone, Copy, Debug)]
struct Use {
    part: u32,
    /// Of its relation, from the top of the event on.
    shape: Shape,
    /// Of what it reads.
    reads: Shape,
}

/// One action, or a variant of one.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The number of the action.
    pub action: u32,
    /// The highest level that it touches.
    pub top: u32,
    uses: Vec<Use>,
    /// In which order parts are learned and joined: those of few cells first.
    by_size: Vec<usize>,
    /// Of its relation, from `top` on.
    pub shape: Shape,
    pub relation: Kept,
    /// The versions of its parts, added up, when it was made.
    version: u64,
}

/// Events that are fired together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub top: u32,
    pub shape: Shape,
    pub events: Vec<u32>,
    pub relation: Kept,
    /// How many values had occurred in all cells when its parts were last looked at.
    looked_at: Option<usize>,
    /// Are its parts known for all combinations of these?
    is_ready: bool,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct Model<'p> {
    program: &'p Program,
    /// The cell of each level.
    order: Vec<u32>,
    /// The level of each cell.
    levels: Vec<u32>,
    parts: Vec<Part>,
    pub(crate) events: Vec<Event>,
    pub(crate) groups: Vec<Group>,
    /// The groups with each top.
    pub(crate) at_level: Vec<Vec<u32>>,
    pub(crate) learner: Learner<'p>,
    /// Is it noted which values occur?
    pub(crate) notes_values: bool,
    pub(crate) second_thoughts: SecondThoughts,
}

/// Something erroneous in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The state.
    pub state: Vec<i64>,
    /// The action that fails, or none if the state does not meet an assertion.
    pub action: Option<u32>,
    /// What is wrong.
    pub message: String,
}

impl<'p> Model<'p> {
    /// The model of a program, with its cells in this order, or in one of ours. Nothing is known of its relations yet.
    ///
    /// # Panics
    /// If the order does not have each cell once, or the program has an atomic register: its steps are not those of single
    /// actions.
    pub fn new(forest: &mut Forest, program: &'p Program, order: Option<Vec<u32>>) -> Self {
        assert!(
            program.atomic.is_none(),
            "atomic steps are not relations of actions"
        );
        let actions = variants(program);
        let meanings: Vec<Vec<Meaning>> = (actions.iter())
            .map(|(_, action)| parts(program, action, &actions))
            .collect();
        let order = order.unwrap_or_else(|| good_order(program, &meanings));
        let mut levels = vec![u32::MAX; program.cells()];
        for (level, &cell) in order.iter().enumerate() {
            levels[cell as usize] = level as u32;
        }
        assert!(
            order.len() == levels.len() && !levels.contains(&u32::MAX),
            "an order has each cell once"
        );
        let mut model = Self {
            program,
            at_level: vec![Vec::new(); order.len()],
            order,
            levels,
            parts: Vec::new(),
            events: Vec::new(),
            groups: Vec::new(),
            learner: Learner::new(program),
            notes_values: false,
            second_thoughts: SecondThoughts::None,
        };
        let mut known: FxHashMap<String, u32> = FxHashMap::default();
        let mut groups: FxHashMap<(u32, Shape), u32> = FxHashMap::default();
        for ((action, _), meanings) in actions.iter().zip(meanings) {
            model.add_event(forest, *action, meanings, &mut known, &mut groups);
        }
        model
    }

    fn add_event(
        &mut self,
        forest: &mut Forest,
        action: u32,
        meanings: Vec<Meaning>,
        known: &mut FxHashMap<String, u32>,
        groups: &mut FxHashMap<(u32, Shape), u32>,
    ) {
        let numbers: Vec<u32> = (meanings.into_iter())
            .map(|meaning| {
                *known.entry(format!("{meaning:?}")).or_insert_with(|| {
                    let part = Part::new(forest, self.program, meaning, &self.levels);
                    self.parts.push(part);
                    self.parts.len() as u32 - 1
                })
            })
            .collect();
        let parts = &self.parts;
        let first = |&p: &u32| parts[p as usize].cells.first();
        let top = (numbers.iter().filter_map(first))
            .map(|&(cell, _)| self.levels[cell as usize])
            .min()
            .unwrap_or(0);
        let uses: Vec<Use> = (numbers.iter())
            .map(|&part| {
                let p = &parts[part as usize];
                Use {
                    part,
                    shape: forest.shape(&p.modes(&self.levels, top)),
                    reads: forest.shape(&p.read_modes(&self.levels, top)),
                }
            })
            .collect();
        let mut by_size: Vec<usize> = (0..uses.len()).collect();
        by_size.sort_by_key(|&i| parts[uses[i].part as usize].cells.len());
        let shape = by_size.iter().fold(Shape::END, |shape, &i| {
            (forest.joined_shape(shape, uses[i].shape))
                .expect("pieces of an effect write different cells")
        });
        let writes = numbers.iter().any(|&p| parts[p as usize].writes());
        let number = self.events.len() as u32;
        self.events.push(Event {
            action,
            top,
            uses,
            by_size,
            shape,
            relation: forest.keep(EMPTY),
            version: 0,
        });
        if writes {
            let group = *groups.entry((top, shape)).or_insert_with(|| {
                let group = self.groups.len() as u32;
                self.groups.push(Group {
                    top,
                    shape,
                    events: Vec::new(),
                    relation: forest.keep(EMPTY),
                    looked_at: None,
                    is_ready: false,
                });
                self.at_level[top as usize].push(group);
                group
            });
            self.groups[group as usize].events.push(number);
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The cell of each level.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The level of each cell.
    pub fn levels(&self) -> &[u32] {
        &self.levels
    }

    /// Number of groups of events.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// The set of the initial states.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn initial(&mut self, forest: &mut Forest) -> Result<Node, Stop> {
        let program = self.program;
        let mut vectors: Vec<Vec<u32>> = program.initial.iter().map(|s| self.encode(s)).collect();
        forest.set_of(&mut vectors)
    }

    /// A state as a vector.
    pub fn encode(&mut self, state: &[i64]) -> Vec<u32> {
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
    pub fn decode(&self, vector: &[u32]) -> Vec<i64> {
        let mut state = vec![0; self.order.len()];
        for (&cell, &number) in self.order.iter().zip(vector) {
            state[cell as usize] = self.learner.values.value(cell, number);
        }
        state
    }

    /// A value occurs at a level.
    #[inline]
    pub(crate) fn occurs(&mut self, level: u32, number: u32) {
        let cell = self.order[level as usize];
        self.learner.values.occurs(cell, number);
    }

    /// Is there a better order?
    ///
    /// # Errors
    /// If there is.
    #[inline]
    pub(crate) fn reconsider(&mut self, forest: &Forest) -> Result<(), Stop> {
        (self.second_thoughts).consider(forest, self.program, &self.order)
    }

    /// The relation of a group, if it is known for whatever has occurred.
    pub(crate) fn ready(&mut self, forest: &mut Forest, group: u32) -> Result<Option<Node>, Stop> {
        let now = Some(self.learner.values.occurrences);
        if self.groups[group as usize].looked_at != now {
            let (mut changed, mut ready) = (false, true);
            for i in 0..self.groups[group as usize].events.len() {
                let event = self.groups[group as usize].events[i] as usize;
                let mut known = true;
                for u in &self.events[event].uses {
                    let part = &mut self.parts[u.part as usize];
                    known &= part.learn_all(forest, &mut self.learner)?;
                }
                if known {
                    changed |= self.join_parts(forest, event)?;
                }
                ready &= known;
            }
            if changed {
                self.unite_events(forest, group)?;
            }
            self.groups[group as usize].looked_at = now;
            self.groups[group as usize].is_ready = ready;
        }
        let group = &self.groups[group as usize];
        Ok(group.is_ready.then(|| forest.get(group.relation)))
    }

    fn unite_events(&mut self, forest: &mut Forest, group: u32) -> Result<(), Stop> {
        let base = forest.stack.len();
        for &event in &self.groups[group as usize].events {
            forest.push(forest.get(self.events[event as usize].relation));
        }
        let all = forest.union_of_stack(base)?;
        forest.set(self.groups[group as usize].relation, all);
        Ok(())
    }

    /// Learns what a group does to the vectors of a set, which start at the group's top. Its relation.
    pub(crate) fn prepare(
        &mut self,
        forest: &mut Forest,
        group: u32,
        set: Node,
    ) -> Result<Node, Stop> {
        let key = [key(Operation::Learned, group), set, EMPTY];
        if forest.cache.get(&key).is_none() {
            let mut changed = false;
            for i in 0..self.groups[group as usize].events.len() {
                let event = self.groups[group as usize].events[i];
                changed |= self.prepare_event(forest, event as usize, set)?;
            }
            if changed {
                self.unite_events(forest, group)?;
            }
            forest.cache.put(&key, UNIT);
        }
        Ok(forest.get(self.groups[group as usize].relation))
    }

    /// The same for one event; whether its relation has changed.
    pub(crate) fn prepare_event(
        &mut self,
        forest: &mut Forest,
        event: usize,
        set: Node,
    ) -> Result<bool, Stop> {
        let number = event;
        let event = &self.events[event];
        let base = forest.stack.len();
        forest.push(set);
        let mut filters = 0;
        for (done, &i) in event.by_size.iter().enumerate() {
            let Use { part, reads, .. } = event.uses[i];
            let known = self.notes_values
                && self.parts[part as usize].learn_all(forest, &mut self.learner)?;
            let cells = self.parts[part as usize].cells.len();
            if !known && cells > CHEAP && !self.parts[part as usize].is_complete() {
                // What the parts before let through.
                while filters < done {
                    let before = event.uses[event.by_size[filters]];
                    let filter = &self.parts[before.part as usize];
                    filters += 1;
                    let unconditional =
                        matches!(&filter.meaning, Meaning::Effect(c, _) if c.is_empty());
                    if unconditional {
                        continue;
                    }
                    let set = forest.stack[base].1;
                    let (relation, failed) = (filter.relation, filter.failed);
                    let mut less =
                        forest.restrict_inner(set, forest.get(relation), before.shape)?;
                    if forest.get(failed) != EMPTY {
                        // What fails here may be kept from failing by another part.
                        forest.push(less);
                        let bad = forest.restrict_inner(set, forest.get(failed), before.reads)?;
                        forest.push(bad);
                        less = forest.union_inner(less, bad)?;
                    }
                    forest.stack.truncate(base);
                    forest.push(less);
                }
            }
            let set = forest.stack[base].1;
            if set == EMPTY {
                break;
            }
            let part = &mut self.parts[part as usize];
            if !known {
                part.learn(forest, &mut self.learner, set, reads)?;
            }
            if forest.get(part.relation) == EMPTY && forest.get(part.failed) == EMPTY {
                break;
            }
        }
        forest.stack.truncate(base);
        self.join_parts(forest, number)
    }

    /// Makes the relation of an event if its parts have changed; whether it has changed.
    fn join_parts(&mut self, forest: &mut Forest, event: usize) -> Result<bool, Stop> {
        let event = &mut self.events[event];
        let parts = &self.parts;
        let version = (event.uses.iter())
            .map(|u| u64::from(parts[u.part as usize].version))
            .sum();
        if version == event.version {
            return Ok(false);
        }
        event.version = version;
        let mut joined = (UNIT, Shape::END);
        for &i in &event.by_size {
            let other = &event.uses[i];
            let relation = forest.get(parts[other.part as usize].relation);
            forest.push(joined.0);
            let result = forest.join(joined, (relation, other.shape))?;
            forest.pop();
            if result == EMPTY {
                joined.0 = EMPTY;
                break;
            }
            let shape = forest.joined_shape(joined.1, other.shape);
            joined = (result, shape.expect("they were joined before"));
        }
        let changed = joined.0 != forest.get(event.relation);
        forest.set(event.relation, joined.0);
        Ok(changed)
    }

    /// A shape from an event's top on, as one from the first level on.
    pub(crate) fn whole_shape(&self, forest: &mut Forest, shape: Shape, top: u32) -> Shape {
        (0..top).fold(shape, |shape, _| forest.shapes.prepend(Mode::Skip, shape))
    }

    /// The vectors of a set from a level on: what is above does not matter.
    pub(crate) fn below(&self, forest: &mut Forest, set: Node, top: u32) -> Result<Node, Stop> {
        let base = forest.stack.len();
        let mut set = set;
        for _ in 0..top {
            if set == EMPTY {
                break;
            }
            forest.stack.truncate(base);
            forest.push(set);
            set = forest.union_of_downs(set)?;
        }
        forest.stack.truncate(base);
        Ok(set)
    }

    /// The states of a set in which something is erroneous, by what that is. All relations must be known for the set.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn faults(&mut self, forest: &mut Forest, set: Node) -> Result<Vec<Fault>, Stop> {
        let mut faults = Vec::new();
        for i in 0..self.events.len() {
            let node = self.failing(forest, i, set)?;
            if let Some(vector) = forest.first(node) {
                let state = self.decode(&vector);
                let action = self.events[i].action;
                let steps = Interpreter::new(self.program).successors(&state);
                let error =
                    (steps.into_iter()).find_map(|(a, step)| step.err().filter(|_| a == action));
                let message = error.map_or_else(
                    || "an erroneous step".to_string(),
                    |e| e.show(self.program).to_string(),
                );
                faults.push(Fault {
                    state,
                    action: Some(action),
                    message,
                });
            }
        }
        for (condition, name) in &self.program.assertions {
            let good = self.satisfying(forest, set, condition)?;
            let bad = forest.difference(set, good)?;
            if let Some(vector) = forest.first(bad) {
                faults.push(Fault {
                    state: self.decode(&vector),
                    action: None,
                    message: format!("assertion failed: {name}"),
                });
            }
        }
        Ok(faults)
    }

    /// Has no part ever failed, for whatever values it was asked about?
    pub(crate) fn never_fails(&self, forest: &Forest) -> bool {
        (self.parts.iter()).all(|p| forest.get(p.failed) == EMPTY)
    }

    /// The states of a set in which an event fails.
    pub(crate) fn failing(
        &self,
        forest: &mut Forest,
        event: usize,
        set: Node,
    ) -> Result<Node, Stop> {
        let event = &self.events[event];
        let base = forest.stack.len();
        let found = forest.keep(EMPTY);
        for (k, failing) in event.uses.iter().enumerate() {
            let part = &self.parts[failing.part as usize];
            if forest.get(part.failed) == EMPTY {
                continue;
            }
            let shape = self.whole_shape(forest, failing.reads, event.top);
            let mut bad = forest.restrict(set, forest.get(part.failed), shape)?;
            let is_condition = |m: &Meaning| !matches!(m, Meaning::Effect(..));
            for (j, other) in event.uses.iter().enumerate() {
                let before = &self.parts[other.part as usize];
                // Conditions that come later are not evaluated any more.
                let matters = if is_condition(&part.meaning) {
                    j < k
                } else {
                    j != k
                };
                if !matters || bad == EMPTY {
                    continue;
                }
                forest.push(bad);
                let shape = self.whole_shape(forest, other.shape, event.top);
                let good = forest.restrict(bad, forest.get(before.relation), shape)?;
                bad = if is_condition(&before.meaning) {
                    good
                } else {
                    // Another piece may fail as well: what is wrong is wrong all the same.
                    forest.push(good);
                    let shape = self.whole_shape(forest, other.reads, event.top);
                    let worse = forest.restrict(bad, forest.get(before.failed), shape)?;
                    forest.union(good, worse)?
                };
                forest.stack.truncate(base);
            }
            let all = forest.union(forest.get(found), bad)?;
            forest.set(found, all);
        }
        let all = forest.get(found);
        forest.release(found);
        Ok(all)
    }

    /// The states of a set in which an expression is true; not those in which it has no value.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn satisfying(
        &mut self,
        forest: &mut Forest,
        set: Node,
        expr: &sempre_model::Expr,
    ) -> Result<Node, Stop> {
        let (relation, shape) = self.condition(forest, set, expr)?;
        forest.restrict(set, relation, shape)
    }

    /// A state of a set in which an expression has no value, if there is one.
    pub(crate) fn without_value(
        &mut self,
        forest: &mut Forest,
        set: Node,
        expr: &sempre_model::Expr,
    ) -> Result<Option<Vec<i64>>, Stop> {
        let (cells, shape) = self.reads(forest, expr);
        let seen = forest.project(set, shape)?;
        let learner = &mut self.learner;
        let mut rows = rows_where(forest, seen, |row| !learner.has_value(expr, &cells, row))?;
        let bad = forest.set_of(&mut rows)?;
        let states = forest.restrict(set, bad, shape)?;
        Ok(forest.first(states).map(|v| self.decode(&v)))
    }

    /// The cells that an expression reads, in the order of levels, and the shape of what only reads these.
    pub(crate) fn reads(
        &self,
        forest: &mut Forest,
        expr: &sempre_model::Expr,
    ) -> (Vec<u32>, Shape) {
        let mut cells = sempre_model::footprint::reads_of(self.program, expr);
        cells.sort_by_key(|&c| self.levels[c as usize]);
        let reads = cells.iter().map(|&c| (c, Mode::Read));
        let shape = forest.shape(&crate::relation::partial_relation::spread(
            reads,
            &self.levels,
            0,
        ));
        (cells, shape)
    }

    /// A condition as a relation that only reads: the values that make it true, of those that occur in a set of states.
    pub(crate) fn condition(
        &mut self,
        forest: &mut Forest,
        set: Node,
        expr: &sempre_model::Expr,
    ) -> Result<(Node, Shape), Stop> {
        let (cells, shape) = self.reads(forest, expr);
        let seen = forest.project(set, shape)?;
        if let Some(condition) = Condition::of(self.program, expr) {
            forest.push(seen);
            let values = &self.learner.values;
            let found = condition.select(forest, values, &cells, seen);
            forest.pop();
            if let Some(found) = found? {
                return Ok((found, shape));
            }
        }
        let learner = &mut self.learner;
        let mut rows = rows_where(forest, seen, |row| learner.holds(expr, &cells, row))?;
        Ok((forest.set_of(&mut rows)?, shape))
    }
}

/// The vectors of a set that are asked for; nothing is made meanwhile.
fn rows_where(
    forest: &Forest,
    set: Node,
    mut wanted: impl FnMut(&[u32]) -> bool,
) -> Result<Vec<Vec<u32>>, Stop> {
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for (i, row) in forest.vectors(set).enumerate() {
        // There may be more of them than anybody can look at.
        if i % 4096 == 0 {
            forest.look()?;
            if rows.len() * (size_of::<Vec<u32>>() + 4 * row.len()) > forest.spare() {
                return Err(Stop::Memory);
            }
        }
        if wanted(&row) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The order that FORCE finds.
fn good_order(program: &Program, meanings: &[Vec<Meaning>]) -> Vec<u32> {
    let supports: Vec<Vec<u32>> = (meanings.iter())
        .map(|parts| {
            let mut cells: Vec<u32> = (parts.iter())
                .flat_map(|m| {
                    let f = crate::relation::partial_relation::footprint(program, m);
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
