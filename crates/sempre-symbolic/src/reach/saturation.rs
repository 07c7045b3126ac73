//! Saturation: a least fixpoint from the bottom of the diagrams up.
//!
//! Computes the smallest set that contains a given one and is closed under all events. Ciardo, Lüttgen, Siminiceanu,
//! *Saturation: an efficient iteration strategy for symbolic state-space generation*, TACAS 2001, with relations that
//! grow while they are used as in *Saturation unbound*, TACAS 2003.
//!
//! An event belongs to the highest level that it touches. A node is saturated if it is closed under the events of its
//! level and of all levels below. Saturating a node first saturates its children, then fires the events of its level
//! until nothing changes; nodes that firing makes at lower levels are saturated before they are used. So small local
//! fixpoints come first, and the large intermediate sets of breadth-first search hardly ever exist.
//!
//! A union of saturated sets is saturated, since an event applies to single states. Results of [`Saturation::fire`]
//! depend on all events, so each family of events has its own cache keys.
//!
//! **Per value or whole.** The events of a level can be fired on its whole list, or for one value after another
//! ([`Firing`]). On the whole list, sets grow in few large steps; per value, events are fired again only for what
//! changed. Neither suits all models, so `Auto` decides for each node by the length of its list.
//!
//! Depth of recursion: two calls for each level.

use crate::dd::cache::{NUMBER_LIMIT, Operation, key};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, UNIT};
use crate::dd::shape::{COPY, Mode, Shape};
use sempre_base::Stop;
use std::collections::VecDeque;

/// How the events of a level are fired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Firing {
    /// Depends on the length of the list.
    #[default]
    Auto,
    /// For one value after another.
    Values,
    /// On the whole list.
    Whole,
}

/// A source of events.
pub(crate) trait Events {
    /// The events that belong to a level.
    fn at(&self, level: u32) -> &[u32];
    /// The first level from which on there are no events.
    fn end(&self) -> u32;
    /// The relation of an event and its shape from the event's level on, if the relation is complete for all values
    /// that have occurred.
    fn ready(&mut self, forest: &mut Forest, event: u32) -> Result<Option<(Node, Shape)>, Stop>;
    /// The relation of an event, learned for a set, and its shape from the event's level on. The caller protects the
    /// set.
    fn prepare(
        &mut self,
        forest: &mut Forest,
        event: u32,
        set: Node,
    ) -> Result<(Node, Shape), Stop>;
    /// Records that a vector has this value at this level.
    fn occurs(&mut self, level: u32, value: u32);
    /// Called regularly during the search. An error ends it.
    fn progress(&mut self, forest: &Forest) -> Result<(), Stop>;
}

/// Longer lists are fired as a whole.
const LONG_LIST: usize = 16;

/// One computation of a fixpoint.
pub(crate) struct Saturation<'a, E> {
    pub forest: &'a mut Forest,
    pub events: &'a mut E,
    pub firing: Firing,
    /// The family of the events: results of different families have different cache keys.
    pub family: u32,
}

/// Bits of a shape's number in a cache key, below the family's.
const SHAPE_BITS: u32 = 20;
/// Families are below this. Family 0 has the model's own events.
pub(crate) const FAMILY_LIMIT: u32 = NUMBER_LIMIT >> SHAPE_BITS;

impl Forest {
    /// Removes cached results of all families but the model's own, so that new families can take their numbers.
    pub(crate) fn clear_family_results(&mut self) {
        // With too many shapes, all families share one number.
        let own = if self.has_few_shapes() { 1 } else { 0 };
        self.cache.remove(Operation::Saturate, own << 1..);
        self.cache.remove(Operation::Fire, own << SHAPE_BITS..);
    }

    /// Whether shapes are few enough for cache keys with families.
    pub(crate) fn has_few_shapes(&self) -> bool {
        self.shapes.count() < 1 << SHAPE_BITS
    }
}

impl<E: Events> Saturation<'_, E> {
    /// The closure of a set whose vectors start at this level.
    pub(crate) fn saturate(&mut self, node: Node, level: u32) -> Result<Node, Stop> {
        if node <= UNIT || level >= self.events.end() {
            return Ok(node);
        }
        // The length of the vectors determines the level, so the key need not contain it.
        let key = [key(Operation::Saturate, self.family << 1), node, EMPTY];
        if let Some(cached) = self.forest.cache.get(&key) {
            return Ok(cached);
        }
        let base = self.forest.stack.len();
        let mut at = node;
        while at != EMPTY {
            let e = self.forest.entry(at);
            let down = self.saturate(e.down, level + 1)?;
            self.forest.stack.push((e.value, down, at));
            at = e.right;
        }
        let closed = self.forest.list_from_stack(base, EMPTY)?;
        let result = self.fixpoint(closed, level)?;
        self.forest.cache.put(&key, result);
        self.forest.cache.put(&[key[0], result, EMPTY], result);
        Ok(result)
    }

    /// Fires the events of the level until nothing changes. The list's children are saturated.
    fn fixpoint(&mut self, node: Node, level: u32) -> Result<Node, Stop> {
        if node <= UNIT || level >= self.events.end() || self.events.at(level).is_empty() {
            return Ok(node);
        }
        let key = [key(Operation::Saturate, self.family << 1 | 1), node, EMPTY];
        if let Some(cached) = self.forest.cache.get(&key) {
            return Ok(cached);
        }
        let by_value = match self.firing {
            Firing::Values => true,
            Firing::Whole => false,
            Firing::Auto => self.forest.list(node).take(LONG_LIST + 1).count() <= LONG_LIST,
        };
        self.forest.push(node);
        let result = if by_value {
            self.fire_values(node, level)?
        } else {
            self.fire_whole(node, level)?
        };
        self.forest.pop();
        self.events.progress(self.forest)?;
        self.forest.cache.put(&key, result);
        self.forest.cache.put(&[key[0], result, EMPTY], result);
        Ok(result)
    }

    fn fire_whole(&mut self, node: Node, level: u32) -> Result<Node, Stop> {
        let count = self.events.at(level).len();
        let mut node = node;
        self.forest.push(node);
        // Until a whole round changes nothing.
        let mut unchanged = 0;
        let mut i = 0;
        while unchanged < count {
            let event = self.events.at(level)[i];
            let (relation, shape) = match self.events.ready(self.forest, event)? {
                Some(ready) => ready,
                None => self.events.prepare(self.forest, event, node)?,
            };
            // Learning replaces an event's relation; the one in use must stay.
            self.forest.push(relation);
            let more = self.fire_list(node, relation, shape, level)?;
            self.forest.push(more);
            let all = self.forest.union_inner(node, more)?;
            self.forest.pop();
            self.forest.pop();
            if all == node {
                unchanged += 1;
            } else {
                // The event may be enabled again by its own successors.
                unchanged = 0;
                node = all;
                self.forest.pop();
                self.forest.push(node);
            }
            i = (i + 1) % count;
        }
        self.forest.pop();
        Ok(node)
    }

    fn fire_values(&mut self, node: Node, level: u32) -> Result<Node, Stop> {
        let base = self.forest.stack.len();
        // The values in the order of their discovery, each with its child, on the stack.
        let mut at = node;
        while at != EMPTY {
            let e = self.forest.entry(at);
            self.forest.stack.push((e.value, e.down, at));
            at = e.right;
        }
        let mut queue: VecDeque<usize> = (0..self.forest.stack.len() - base).collect();
        let mut queued = vec![true; queue.len()];
        let count = self.events.at(level).len();
        while let Some(i) = queue.pop_front() {
            queued[i] = false;
            let value = self.forest.stack[base + i].0;
            let mut e = 0;
            while e < count {
                let down = self.forest.stack[base + i].1;
                let event = self.events.at(level)[e];
                let (relation, shape) = match self.events.ready(self.forest, event)? {
                    Some(ready) => ready,
                    None => {
                        // The event is learned for this value only.
                        let single = self.forest.make(value, down, EMPTY)?;
                        self.forest.push(single);
                        let prepared = self.events.prepare(self.forest, event, single)?;
                        self.forest.pop();
                        prepared
                    }
                };
                let (mode, rest) = self.forest.shapes.parts(shape);
                let mut write = relation;
                if mode == Mode::Read || mode == Mode::ReadWrite {
                    while write != EMPTY && self.forest.entry(write).value < value {
                        write = self.forest.entry(write).right;
                    }
                    if write == EMPTY || self.forest.entry(write).value != value {
                        e += 1;
                        continue;
                    }
                    if mode == Mode::ReadWrite {
                        write = self.forest.entry(write).down;
                    }
                }
                // Learning replaces an event's relation; the one in use must stay, and so must the set.
                self.forest.push(relation);
                self.forest.push(down);
                let mut again = false;
                while write != EMPTY {
                    let w = self.forest.entry(write);
                    write = if mode == Mode::Read { EMPTY } else { w.right };
                    let target = match mode {
                        Mode::Read => value,
                        _ if w.value == COPY => value,
                        _ => w.value,
                    };
                    let more = self.fire(down, w.down, rest, level + 1)?;
                    if more == EMPTY {
                        continue;
                    }
                    let values = &self.forest.stack[base..base + queued.len()];
                    let place = values.iter().position(|&(v, ..)| v == target);
                    let place = place.unwrap_or_else(|| {
                        self.events.occurs(level, target);
                        // Below the entries that protect the operands.
                        self.forest
                            .stack
                            .insert(base + queued.len(), (target, EMPTY, EMPTY));
                        queued.push(false);
                        queued.len() - 1
                    });
                    self.forest.push(more);
                    let old = self.forest.stack[base + place].1;
                    let all = self.forest.union_inner(old, more)?;
                    self.forest.pop();
                    if all != old {
                        self.forest.stack[base + place].1 = all;
                        if place == i {
                            again = true;
                        } else if !queued[place] {
                            queued[place] = true;
                            queue.push_back(place);
                        }
                    }
                }
                self.forest.pop();
                self.forest.pop();
                if again && !queued[i] {
                    queued[i] = true;
                    queue.push_back(i);
                }
                e += 1;
            }
        }
        self.forest.list_from_unsorted_stack(base)
    }

    /// The successors of a saturated set by a relation, saturated.
    fn fire(&mut self, set: Node, relation: Node, shape: Shape, level: u32) -> Result<Node, Stop> {
        if set == EMPTY || relation == EMPTY {
            return Ok(EMPTY);
        }
        if shape == Shape::END {
            return Ok(set);
        }
        let number = self.family << SHAPE_BITS | shape.0;
        let key = [key(Operation::Fire, number), set, relation];
        if let Some(cached) = self.forest.cache.get(&key) {
            return Ok(cached);
        }
        let list = self.fire_list(set, relation, shape, level)?;
        let result = self.fixpoint(list, level)?;
        self.forest.cache.put(&key, result);
        Ok(result)
    }

    /// The successors of a saturated set by a relation, saturated below the first level.
    fn fire_list(
        &mut self,
        set: Node,
        relation: Node,
        shape: Shape,
        level: u32,
    ) -> Result<Node, Stop> {
        if set == EMPTY || relation == EMPTY {
            return Ok(EMPTY);
        }
        let (mode, rest) = self.forest.shapes.parts(shape);
        let base = self.forest.stack.len();
        let result = match mode {
            Mode::Skip => {
                let mut at = set;
                while at != EMPTY {
                    let e = self.forest.entry(at);
                    let down = self.fire(e.down, relation, rest, level + 1)?;
                    if down != EMPTY {
                        self.forest.stack.push((e.value, down, at));
                    }
                    at = e.right;
                }
                self.forest.list_from_stack(base, EMPTY)?
            }
            Mode::Read | Mode::ReadWrite => {
                let (mut x, mut y) = (set, relation);
                while x != EMPTY && y != EMPTY {
                    let (p, q) = (self.forest.entry(x), self.forest.entry(y));
                    if p.value <= q.value {
                        x = p.right;
                    }
                    if q.value <= p.value {
                        y = q.right;
                    }
                    if p.value != q.value {
                        continue;
                    }
                    if mode == Mode::Read {
                        let down = self.fire(p.down, q.down, rest, level + 1)?;
                        if down != EMPTY {
                            self.forest.stack.push((p.value, down, EMPTY));
                        }
                        continue;
                    }
                    let mut write = q.down;
                    while write != EMPTY {
                        let w = self.forest.entry(write);
                        let down = self.fire(p.down, w.down, rest, level + 1)?;
                        if down != EMPTY {
                            self.events.occurs(level, w.value);
                            self.forest.stack.push((w.value, down, EMPTY));
                        }
                        write = w.right;
                    }
                }
                if mode == Mode::Read {
                    self.forest.list_from_stack(base, EMPTY)?
                } else {
                    self.forest.list_from_unsorted_stack(base)?
                }
            }
            Mode::Write => {
                let below = self.forest.union_of_children(set)?;
                self.forest.push(below);
                let mut write = relation;
                while write != EMPTY {
                    let w = self.forest.entry(write);
                    write = w.right;
                    if w.value == COPY {
                        let mut at = set;
                        while at != EMPTY {
                            let e = self.forest.entry(at);
                            let down = self.fire(e.down, w.down, rest, level + 1)?;
                            if down != EMPTY {
                                self.forest.stack.push((e.value, down, EMPTY));
                            }
                            at = e.right;
                        }
                    } else {
                        let down = self.fire(below, w.down, rest, level + 1)?;
                        if down != EMPTY {
                            self.events.occurs(level, w.value);
                            self.forest.stack.push((w.value, down, EMPTY));
                        }
                    }
                }
                self.forest.list_from_unsorted_stack(base + 1)?
            }
        };
        self.forest.stack.truncate(base);
        Ok(result)
    }
}
