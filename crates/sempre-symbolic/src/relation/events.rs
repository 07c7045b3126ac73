//! The relations of events, learned on demand.

use crate::dd::cache::{Operation, key};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, UNIT};
use crate::dd::shape::Shape;
use crate::relation::conjuncts::Conjunct;
use crate::relation::model::{ConjunctUse, Model};
use sempre_base::Stop;

/// Relations over more cells are queried only for states that pass the smaller conditions.
const MAX_UNFILTERED_CELLS: usize = 2;

impl Model<'_> {
    /// The relation of a group, if it is complete for all values that have occurred.
    pub(crate) fn ready(&mut self, forest: &mut Forest, group: u32) -> Result<Option<Node>, Stop> {
        let now = Some(self.learner.values.occurrences);
        if self.groups[group as usize].checked_at != now {
            let (mut changed, mut ready) = (false, true);
            for i in 0..self.groups[group as usize].events.len() {
                let event = self.groups[group as usize].events[i] as usize;
                let mut complete = true;
                for u in &self.events[event].uses {
                    let partial = &mut self.partial_relations[u.partial as usize];
                    complete &= partial.learn_all(forest, &mut self.learner)?;
                }
                if complete {
                    changed |= self.join_conjuncts(forest, event)?;
                }
                ready &= complete;
            }
            if changed {
                self.update_group_relation(forest, group)?;
            }
            self.groups[group as usize].checked_at = now;
            self.groups[group as usize].is_complete = ready;
        }
        let group = &self.groups[group as usize];
        Ok(group.is_complete.then(|| forest.get(group.relation)))
    }

    fn update_group_relation(&mut self, forest: &mut Forest, group: u32) -> Result<(), Stop> {
        let base = forest.stack.len();
        for &event in &self.groups[group as usize].events {
            forest.push(forest.get(self.events[event as usize].relation));
        }
        let all = forest.union_of_stack(base)?;
        forest.set(self.groups[group as usize].relation, all);
        Ok(())
    }

    /// Learns the relation of a group for a set whose vectors start at the group's top level, and returns it.
    pub(crate) fn prepare(
        &mut self,
        forest: &mut Forest,
        group: u32,
        set: Node,
    ) -> Result<Node, Stop> {
        let key = [key(Operation::Prepared, group), set, EMPTY];
        if forest.cache.get(&key).is_none() {
            let mut changed = false;
            for i in 0..self.groups[group as usize].events.len() {
                let event = self.groups[group as usize].events[i];
                changed |= self.prepare_event(forest, event as usize, set)?;
            }
            if changed {
                self.update_group_relation(forest, group)?;
            }
            forest.cache.put(&key, UNIT);
        }
        Ok(forest.get(self.groups[group as usize].relation))
    }

    /// The same for one event. Returns whether its relation has changed.
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
            let ConjunctUse { partial, reads, .. } = event.uses[i];
            let complete = self.tracks_values
                && self.partial_relations[partial as usize].learn_all(forest, &mut self.learner)?;
            let cells = self.partial_relations[partial as usize].cells.len();
            if !complete
                && cells > MAX_UNFILTERED_CELLS
                && !self.partial_relations[partial as usize].is_complete()
            {
                // Filters the set by the conjuncts before this one.
                while filters < done {
                    let before = event.uses[event.by_size[filters]];
                    let filter = &self.partial_relations[before.partial as usize];
                    filters += 1;
                    let unconditional =
                        matches!(&filter.conjunct, Conjunct::Effect(c, _) if c.is_empty());
                    if unconditional {
                        continue;
                    }
                    let set = forest.stack[base].1;
                    let (relation, failing) = (filter.relation, filter.failing);
                    let mut less =
                        forest.restrict_inner(set, forest.get(relation), before.shape)?;
                    if forest.get(failing) != EMPTY {
                        // States where the filter itself fails stay: another conjunct may rule them out.
                        forest.push(less);
                        let bad = forest.restrict_inner(set, forest.get(failing), before.reads)?;
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
            let partial = &mut self.partial_relations[partial as usize];
            if !complete {
                partial.learn(forest, &mut self.learner, set, reads)?;
            }
            if forest.get(partial.relation) == EMPTY && forest.get(partial.failing) == EMPTY {
                break;
            }
        }
        forest.stack.truncate(base);
        self.join_conjuncts(forest, number)
    }

    /// Rebuilds the relation of an event from its conjuncts if these have changed. Returns whether it has changed.
    fn join_conjuncts(&mut self, forest: &mut Forest, event: usize) -> Result<bool, Stop> {
        let event = &mut self.events[event];
        let partial_relations = &self.partial_relations;
        let version = (event.uses.iter())
            .map(|u| u64::from(partial_relations[u.partial as usize].version))
            .sum();
        if version == event.version {
            return Ok(false);
        }
        event.version = version;
        let mut joined = (UNIT, Shape::END);
        for &i in &event.by_size {
            let other = &event.uses[i];
            let relation = forest.get(partial_relations[other.partial as usize].relation);
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
}
