//! The unique table: making nodes, garbage collection, growth.
//!
//! When there is no free entry, a collection marks what is reachable from the roots and the stack, puts the rest on a
//! free list, and rebuilds the unique table. If more than an eighth is alive, the capacity doubles, and the cache with
//! it, within the memory limit. Dead nodes have a use until then: cached results name them, and they come back to life
//! when the result is needed. If hardly anything is free after growing, or several consecutive collections freed
//! little, the operation ends with [`Stop::Memory`]. This is a value: the forest stays usable. Collecting again and
//! again for a few free entries would take forever.
//!
//! Cost of a collection: linear in the nodes and the cache. A collection that frees little is followed by growth, so
//! the total cost is linear in the nodes made.

use crate::dd::control::{MAX_NODES, MAX_UNPRODUCTIVE};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Entry, NONE, Node, UNIT, hash};
use sempre_base::Stop;
use sempre_store::in_large_pages;

impl Forest {
    /// The set of the vectors that start with `value` and continue in `down`, and of the vectors of `right`, whose
    /// first values are all greater.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn make(&mut self, value: u32, down: Node, right: Node) -> Result<Node, Stop> {
        debug_assert!(right != UNIT, "vectors of different lengths");
        debug_assert!(
            right == EMPTY || value < self.entry(right).value,
            "I1: {value} before {}",
            self.entry(right).value
        );
        self.tick()?;
        if down == EMPTY {
            return Ok(right);
        }
        let hash = hash(value, down, right);
        let mut bucket = hash as usize & (self.buckets.len() - 1);
        let mut at = self.buckets[bucket];
        while at != NONE {
            let e = &self.entries[at as usize];
            if e.value == value && e.down == down && e.right == right {
                return Ok(at);
            }
            at = e.next;
        }
        if self.free == NONE && self.entries.len() >= self.control.capacity
            || self.control.stress_due()
        {
            self.make_room(down, right)?;
            bucket = hash as usize & (self.buckets.len() - 1);
        }
        let entry = Entry {
            value,
            down,
            right,
            next: self.buckets[bucket],
        };
        let node = if self.free != NONE {
            let node = self.free;
            self.free = self.entries[node as usize].next;
            self.free_count -= 1;
            self.entries[node as usize] = entry;
            node
        } else {
            if self.entries.len() == self.entries.capacity() {
                self.entries.reserve(self.entries.len());
                in_large_pages(&mut self.entries);
            }
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        };
        self.buckets[bucket] = node;
        if self.entries.len() > self.buckets.len() {
            self.grow_buckets();
        }
        Ok(node)
    }

    /// Makes a list of the stack's entries from `base` on, in increasing order of values, followed by `tail`, whose
    /// values are greater.
    pub(crate) fn list_from_stack(&mut self, base: usize, tail: Node) -> Result<Node, Stop> {
        let mut node = tail;
        while self.stack.len() > base {
            let (value, down, was) = self.stack[self.stack.len() - 1];
            let old = self.entry(was);
            // Often this is the end of an operand's list. Then no lookup is needed.
            node = if old.right == node && old.down == down && old.value == value {
                self.tick()?;
                was
            } else {
                self.make(value, down, node)?
            };
            self.stack.pop();
        }
        Ok(node)
    }

    /// Collects garbage, and grows the capacity if little was freed.
    #[cold]
    pub(crate) fn make_room(&mut self, down: Node, right: Node) -> Result<(), Stop> {
        self.push(down);
        self.push(right);
        let living = self.collect();
        self.pop();
        self.pop();
        let capacity = self.control.capacity;
        if living > capacity / 8 {
            let most = self.control.limits.max_nodes();
            let target = (2 * capacity).min(most).min(MAX_NODES);
            if target > capacity {
                self.grow(target);
            }
        }
        // With only a few free entries, the next collection would follow at once.
        let capacity = self.control.capacity;
        if living > capacity - capacity / 16 {
            return Err(Stop::Memory);
        }
        self.control.unproductive = match living > capacity - capacity / 4 {
            true => self.control.unproductive + 1,
            false => 0,
        };
        if self.control.unproductive >= MAX_UNPRODUCTIVE {
            self.control.unproductive = 0;
            return Err(Stop::Memory);
        }
        Ok(())
    }

    fn grow(&mut self, capacity: usize) {
        self.control.capacity = capacity;
        // The exact size: a vector that doubles by itself may exceed the limit.
        if self.control.limits.memory.is_some() {
            let more = capacity.saturating_sub(self.entries.len());
            self.entries.reserve_exact(more);
            in_large_pages(&mut self.entries);
        }
        self.grow_cache((capacity + 1).next_power_of_two() / 2);
    }

    /// Doubles the buckets.
    #[cold]
    pub(crate) fn grow_buckets(&mut self) {
        let count = 2 * self.buckets.len();
        let mut buckets = Vec::with_capacity(count);
        in_large_pages(&mut buckets);
        buckets.resize(count, NONE);
        self.buckets = buckets;
        // With fewer cache entries than nodes, results are evicted before they are used.
        self.grow_cache(2 * self.buckets.len());
        let mask = self.buckets.len() - 1;
        for i in 2..self.entries.len() {
            let entry = &mut self.entries[i];
            // Free entries have no `down`.
            if entry.down != NONE {
                let hash = hash(entry.value, entry.down, entry.right);
                let bucket = &mut self.buckets[hash as usize & mask];
                entry.next = *bucket;
                *bucket = i as u32;
            }
        }
    }

    /// Collects garbage. Returns the number of live nodes.
    pub(crate) fn collect(&mut self) -> usize {
        self.control.peak = self.control.peak.max(self.nodes());
        self.control.collections += 1;
        let mut marked = vec![0u64; self.entries.len().div_ceil(64)];
        let mut todo: Vec<Node> = Vec::new();
        todo.extend(self.roots.iter().copied());
        todo.extend(self.stack.iter().map(|&(_, n, _)| n));
        while let Some(mut node) = todo.pop() {
            // Follows the list; the nodes below go on the stack.
            while node > UNIT && marked[node as usize / 64] >> (node % 64) & 1 == 0 {
                marked[node as usize / 64] |= 1 << (node % 64);
                let e = self.entry(node);
                todo.push(e.down);
                node = e.right;
            }
        }
        let is_alive = |n: Node| marked[n as usize / 64] >> (n % 64) & 1 == 1;
        self.list_index.clear();
        self.cache.retain(is_alive);
        self.ternary_cache.retain(is_alive);
        self.buckets.fill(NONE);
        self.free = NONE;
        self.free_count = 0;
        let mask = self.buckets.len() - 1;
        for i in (2..self.entries.len()).rev() {
            let entry = &mut self.entries[i];
            if marked[i / 64] >> (i % 64) & 1 == 1 {
                let hash = hash(entry.value, entry.down, entry.right);
                let bucket = &mut self.buckets[hash as usize & mask];
                entry.next = *bucket;
                *bucket = i as u32;
            } else {
                *entry = Entry {
                    next: self.free,
                    ..Entry::default()
                };
                self.free = i as u32;
                self.free_count += 1;
            }
        }
        self.nodes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::control::Limits;

    /// If most nodes are alive, the forest gives up after a few collections; if fewer are alive, it continues.
    #[test]
    fn collections_that_free_little_do_not_go_on() {
        let limits = Limits {
            memory: Some(64 << 10),
            ..Limits::default()
        };
        let mut forest = Forest::new(limits);
        let capacity = forest.control.capacity;
        let mut root = Vec::new();
        for value in 0..capacity as u32 * 8 / 10 {
            let node = forest.make(value, UNIT, EMPTY).unwrap();
            root.push(forest.protect(node));
        }
        let garbage = |forest: &mut Forest, count: usize| {
            (0..count as u32).try_for_each(|i| {
                let value = 1_000_000 + i + 1_000_000 * forest.control.collections as u32;
                forest.make(value, UNIT, EMPTY).map(drop)
            })
        };
        assert_eq!(garbage(&mut forest, 100 * capacity), Err(Stop::Memory));
        assert_eq!(forest.collections(), u64::from(MAX_UNPRODUCTIVE));
        for half in root.drain(..capacity / 2) {
            forest.unprotect(half);
        }
        assert_eq!(garbage(&mut forest, 20 * capacity), Ok(()));
    }
}
