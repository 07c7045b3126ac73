//! Garbage collection, growth and limits.
//!
//! When there is no place for a node, what is reachable from kept nodes and the stack is marked, the rest goes to a list
//! of free places, and the unique table is built again. If more than an eighth is alive, the capacity doubles, and
//! the cache with it, as long as that keeps within the memory: dead nodes are not worthless, since the cache knows what
//! they were good for, and they come back to life. If even then hardly anything is free, or several collections one
//! after another have freed little, the operation ends with [`Stop::Memory`], a value, and the forest can still be used: a search that
//! collects again and again for a few free places would hardly come to an end.
//!
//! Cost of a collection: linear in the nodes and the cache. A collection that frees little is followed by growth, so the
//! total is linear in the nodes made.

use crate::dd::cache::Cache;
use crate::dd::forest::{EMPTY, Entry, Forest, NONE, Node, UNIT};
use crate::turns::Baton;
use sempre_base::stop::{self, Cancel};
use sempre_store::in_large_pages;
use std::time::Instant;

pub use sempre_base::Stop;

/// When to give up.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes that nodes, tables and caches may take.
    pub memory: Option<usize>,
    /// When time is up.
    pub deadline: Option<Instant>,
    /// Stops it.
    pub interrupt: Option<Cancel>,
}

impl Limits {
    /// Of the memory, nodes may have five eighths and results three.
    fn most_nodes(&self) -> usize {
        self.memory.map_or(LARGEST, |m| m / 8 * 5 / BYTES)
    }

    pub(crate) fn most_places(&self) -> usize {
        let most = self.memory.map_or(PLACES, |m| m / 8 * 3 / PLACE);
        // A power of two that is not larger.
        let most = most.clamp(1 << 6, PLACES) + 1;
        most.next_power_of_two() / 2
    }
}

/// Nodes between two looks at the clock.
const PATIENCE: u32 = 1 << 16;
/// Capacity at the start.
const CAPACITY: usize = 1 << 20;
/// Nodes have 32-bit numbers.
const LARGEST: usize = 1 << 31;
/// Bytes for each node of the capacity: itself, its bucket (up to two), its mark.
const BYTES: usize = size_of::<Entry>() + 8 + 1;
/// So many collections one after another that free less than a quarter are enough.
const POOR: u32 = 4;
/// Bytes for each place in the cache.
const PLACE: usize = 16;
/// More places than these help nobody.
const PLACES: usize = 1 << 27;

/// Limits and counters.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    limits: Limits,
    /// Nodes that may be made before a collection.
    pub capacity: usize,
    pub peak: usize,
    pub collections: u64,
    until_look: u32,
    /// Held while it works, if another search has turns, too.
    baton: Option<Baton>,
    looks: u64,
    /// The work that the baton was told of, and questions to caches that are no more.
    told: u64,
    asked: u64,
    /// Work is given up after so many nodes, for a while.
    patience: u64,
    /// How many collections have freed less than a quarter of a capacity that cannot grow, one after another.
    poor: u32,
    /// For tests: collect before every so many new nodes.
    stress: Option<(u32, u32)>,
}

impl Control {
    pub fn new(limits: Limits) -> Self {
        let capacity = limits
            .memory
            .map_or(CAPACITY, |m| (m / BYTES).min(CAPACITY));
        Self {
            limits,
            capacity: capacity.max(16),
            peak: 0,
            collections: 0,
            until_look: PATIENCE,
            baton: None,
            looks: 0,
            told: 0,
            asked: 0,
            patience: u64::MAX,
            poor: 0,
            stress: None,
        }
    }

    #[inline]
    pub fn stress_due(&mut self) -> bool {
        match &mut self.stress {
            None => false,
            Some((left, every)) => {
                *left -= 1;
                let due = *left == 0;
                if due {
                    *left = *every;
                }
                due
            }
        }
    }
}

impl Forest {
    /// Looks at the clock now and then.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), Stop> {
        self.control.until_look -= 1;
        if self.control.until_look == 0 {
            self.control.until_look = PATIENCE;
            if self.cache.is_small() {
                self.grow_cache(2 * self.cache.len());
            }
            if self.wide_cache.is_small() && 4 * self.wide_cache.len() <= self.cache.len() {
                self.wide_cache.resize(2 * self.wide_cache.len());
            }
            self.control.looks += 1;
            self.look()?;
            let work = self.work();
            let since = work - self.control.told;
            self.control.told = work;
            if let Some(baton) = &self.control.baton {
                baton.worked(since)?;
            }
            if self.made() > self.control.patience {
                return Err(Stop::Cancelled);
            }
        }
        Ok(())
    }

    /// Counts work that makes no nodes, but takes as long as making so many.
    ///
    /// # Errors
    /// If it is time to stop.
    pub(crate) fn labour(&mut self, nodes: u64) -> Result<(), Stop> {
        (0..nodes).try_for_each(|_| self.tick())
    }

    /// The work so far: nodes that were made or found to be there, and questions to the caches, which take longer where they are large.
    pub(crate) fn work(&self) -> u64 {
        self.made() + self.control.asked + self.cache.asked() + self.wide_cache.asked()
    }

    /// So many nodes were made so far, or found to be there.
    pub(crate) fn made(&self) -> u64 {
        let since = PATIENCE - self.control.until_look;
        self.control.looks * u64::from(PATIENCE) + u64::from(since)
    }

    /// Works for about so many nodes; `None` if that was not enough. What was kept meanwhile is released then.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub(crate) fn within<T>(
        &mut self,
        nodes: u64,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        if nodes == 0 {
            return Ok(None);
        }
        let (slots, unused) = (self.kept.len(), self.unused_kept.clone());
        let base = self.stack.len();
        // Others may be impatient, too.
        let outer = self.control.patience;
        self.control.patience = self.made().saturating_add(nodes).min(outer);
        let result = work(self);
        let is_over = self.made() > self.control.patience && self.made() <= outer;
        self.control.patience = outer;
        match result {
            Ok(result) => Ok(Some(result)),
            Err(Stop::Cancelled) if is_over => {
                self.look()?;
                self.stack.truncate(base);
                self.release_since(slots, unused);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// As [`Forest::within`], but what was kept meanwhile is released whatever comes of it.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub(crate) fn scratch<T>(
        &mut self,
        nodes: u64,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        let (slots, unused) = (self.kept.len(), self.unused_kept.clone());
        let result = self.within(nodes, work);
        self.release_since(slots, unused);
        result
    }

    /// Releases what was kept since there were so many kept nodes, these of them unused.
    fn release_since(&mut self, slots: usize, unused: Vec<u32>) {
        self.kept.truncate(slots);
        for &slot in &unused {
            self.kept[slot as usize] = EMPTY;
        }
        self.unused_kept = unused;
    }

    /// From now on it works while it holds this baton.
    pub(crate) fn take_turns(&mut self, baton: Option<Baton>) {
        self.control.baton = baton;
    }

    /// Is it time to stop?
    ///
    /// # Errors
    /// If it is.
    #[cold]
    pub fn look(&self) -> Result<(), Stop> {
        let limits = &self.control.limits;
        if let Some(stop) = stop::poll(limits.interrupt.as_ref()) {
            return Err(stop);
        }
        if limits.deadline.is_some_and(|d| Instant::now() > d) {
            return Err(Stop::Time);
        }
        Ok(())
    }

    /// Other limits from now on; the capacity stays at least what it is.
    pub fn set_limits(&mut self, limits: Limits) {
        self.control.limits = limits;
    }

    /// Bytes that the limits leave.
    pub(crate) fn spare(&self) -> usize {
        let memory = self.control.limits.memory.unwrap_or(usize::MAX);
        memory.saturating_sub(self.bytes())
    }

    /// Forgets all results of operations, and takes no more memory for them than at the beginning.
    pub(crate) fn drop_results(&mut self) {
        self.control.asked += self.cache.asked() + self.wide_cache.asked();
        self.cache = Cache::new(self.cache.len().min(1 << 16));
        self.wide_cache = Cache::new(1 << 6);
    }

    /// Forgets all results of operations.
    pub(crate) fn forget_all(&mut self) {
        self.cache.clear();
        self.wide_cache.clear();
    }

    /// Begins to count anew: how many nodes there were at most, how many collections.
    pub(crate) fn forget_counts(&mut self) {
        self.control.peak = 0;
        self.control.collections = 0;
    }

    /// For tests: collects garbage before every `every`th new node.
    pub fn stress(&mut self, every: u32) {
        self.control.stress = Some((every, every));
    }

    /// Collects garbage, and grows if too little of it was found.
    #[cold]
    pub(crate) fn make_room(&mut self, down: Node, right: Node) -> Result<(), Stop> {
        self.push(down);
        self.push(right);
        let living = self.collect();
        self.pop();
        self.pop();
        let capacity = self.control.capacity;
        if living > capacity / 8 {
            let most = self.control.limits.most_nodes();
            let wanted = (2 * capacity).min(most).min(LARGEST);
            if wanted > capacity {
                self.grow(wanted);
            }
        }
        // With a few free places there would be a collection every few nodes.
        let capacity = self.control.capacity;
        if living > capacity - capacity / 16 {
            return Err(Stop::Memory);
        }
        self.control.poor = match living > capacity - capacity / 4 {
            true => self.control.poor + 1,
            false => 0,
        };
        if self.control.poor >= POOR {
            self.control.poor = 0;
            return Err(Stop::Memory);
        }
        Ok(())
    }

    fn grow(&mut self, capacity: usize) {
        self.control.capacity = capacity;
        // Exactly: a vector that doubles by itself may go beyond the limit.
        if self.control.limits.memory.is_some() {
            let more = capacity.saturating_sub(self.entries.len());
            self.entries.reserve_exact(more);
            in_large_pages(&mut self.entries);
        }
        self.grow_cache((capacity + 1).next_power_of_two() / 2);
    }

    /// More buckets, when there are many more nodes.
    #[cold]
    pub(crate) fn grow_buckets(&mut self) {
        let count = 2 * self.buckets.len();
        let mut buckets = Vec::with_capacity(count);
        in_large_pages(&mut buckets);
        buckets.resize(count, NONE);
        self.buckets = buckets;
        // With fewer results than nodes, what is asked for next has been forgotten.
        self.grow_cache(2 * self.buckets.len());
        let mask = self.buckets.len() - 1;
        for i in 2..self.entries.len() {
            let entry = &mut self.entries[i];
            // Free places have nothing below.
            if entry.down != NONE {
                let hash = crate::dd::forest::hash(entry.value, entry.down, entry.right);
                let bucket = &mut self.buckets[hash as usize & mask];
                entry.next = *bucket;
                *bucket = i as u32;
            }
        }
    }

    /// Gives the cache so many places, a power of two, if it has fewer and there is memory.
    fn grow_cache(&mut self, places: usize) {
        let places = places.min(self.control.limits.most_places());
        if places > self.cache.len() {
            self.cache.resize(places);
        }
    }

    /// Room for results of operations on three nodes.
    pub(crate) fn want_wide_cache(&mut self) {
        if self.wide_cache.len() <= 1 << 6 {
            let size = (self.cache.len() / 4).max(1 << 12);
            self.wide_cache.resize(size);
        }
    }

    /// Collects garbage; the number of nodes that are left.
    pub fn collect(&mut self) -> usize {
        self.control.peak = self.control.peak.max(self.nodes());
        self.control.collections += 1;
        let mut marked = vec![0u64; self.entries.len().div_ceil(64)];
        let mut todo: Vec<Node> = Vec::new();
        todo.extend(self.kept.iter().copied());
        todo.extend(self.stack.iter().map(|&(_, n, _)| n));
        while let Some(mut node) = todo.pop() {
            // Along the list; what is below waits.
            while node > UNIT && marked[node as usize / 64] >> (node % 64) & 1 == 0 {
                marked[node as usize / 64] |= 1 << (node % 64);
                let e = self.entry(node);
                todo.push(e.down);
                node = e.right;
            }
        }
        let is_alive = |n: Node| marked[n as usize / 64] >> (n % 64) & 1 == 1;
        self.long_lists.clear();
        self.cache.retain(is_alive);
        self.wide_cache.retain(is_alive);
        self.buckets.fill(NONE);
        self.free = NONE;
        self.free_count = 0;
        let mask = self.buckets.len() - 1;
        for i in (2..self.entries.len()).rev() {
            let entry = &mut self.entries[i];
            if marked[i / 64] >> (i % 64) & 1 == 1 {
                let hash = crate::dd::forest::hash(entry.value, entry.down, entry.right);
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
    use crate::dd::forest::Kept;

    /// Work that is given up leaves the forest as it was; work that is not leaves what it kept.
    #[test]
    fn work_within_limits() {
        let mut forest = Forest::new(Limits::default());
        let mine = forest.keep(UNIT);
        let unused = forest.keep(UNIT);
        forest.release(unused);
        let work = |forest: &mut Forest, count: u32| -> Result<Kept, Stop> {
            let kept = [UNIT; 3].map(|node| forest.keep(node));
            for value in 0..count {
                forest.push(UNIT);
                let node = forest.make(value, UNIT, EMPTY)?;
                forest.set(kept[2], node);
                forest.pop();
            }
            forest.release(kept[0]);
            forest.release(kept[1]);
            Ok(kept[2])
        };
        let living = |forest: &Forest| forest.kept.len() - forest.unused_kept.len();
        let nodes = 3 * PATIENCE;
        let begin = forest.made();
        let nothing = forest.within(u64::from(nodes), |f| work(f, 2 * nodes));
        assert_eq!(nothing.map(|x| x.is_some()), Ok(false));
        assert!(forest.made() - begin <= u64::from(nodes + PATIENCE));
        assert_eq!((living(&forest), forest.stack.len()), (1, 0));
        let some = forest.within(u64::from(nodes), |f| work(f, nodes / 2));
        let kept = some.unwrap().expect("it is enough");
        assert_eq!((living(&forest), forest.get(mine)), (2, UNIT));
        let last = forest.first(forest.get(kept));
        assert_eq!(last, Some(vec![nodes / 2 - 1]));
        // Nobody is impatient any more.
        assert!(work(&mut forest, 3 * nodes).is_ok());
    }

    /// Where most nodes live, a few collections are enough to see that there is no room; with fewer of them alive there is.
    #[test]
    fn collections_that_free_little_do_not_go_on() {
        let limits = Limits {
            memory: Some(64 << 10),
            ..Limits::default()
        };
        let mut forest = Forest::new(limits);
        let capacity = forest.control.capacity;
        let mut kept = Vec::new();
        for value in 0..capacity as u32 * 8 / 10 {
            let node = forest.make(value, UNIT, EMPTY).unwrap();
            kept.push(forest.keep(node));
        }
        let garbage = |forest: &mut Forest, count: usize| {
            (0..count as u32).try_for_each(|i| {
                let value = 1_000_000 + i + 1_000_000 * forest.control.collections as u32;
                forest.make(value, UNIT, EMPTY).map(drop)
            })
        };
        assert_eq!(garbage(&mut forest, 100 * capacity), Err(Stop::Memory));
        assert_eq!(forest.collections(), u64::from(POOR));
        for half in kept.drain(..capacity / 2) {
            forest.release(half);
        }
        assert_eq!(garbage(&mut forest, 20 * capacity), Ok(()));
    }
}
