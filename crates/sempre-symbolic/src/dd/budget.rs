//! Work and limits of a forest: polling while nodes are made, and computations with a node budget.

use crate::dd::cache::Cache;
use crate::dd::control::{Limits, POLL_INTERVAL};
use crate::dd::forest::Forest;
use crate::dd::node::EMPTY;
use crate::turns::Participant;
use sempre_base::Stop;
use sempre_base::stop;
use std::time::Instant;

impl Forest {
    /// Counts a node; polls limits every [`POLL_INTERVAL`] nodes.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), Stop> {
        self.control.until_poll -= 1;
        if self.control.until_poll == 0 {
            self.control.until_poll = POLL_INTERVAL;
            if self.cache.is_too_small() {
                self.grow_cache(2 * self.cache.len());
            }
            if self.ternary_cache.is_too_small() && 4 * self.ternary_cache.len() <= self.cache.len()
            {
                self.ternary_cache.resize(2 * self.ternary_cache.len());
            }
            self.control.polls += 1;
            self.poll()?;
            let work = self.work();
            let since = work - self.control.reported;
            self.control.reported = work;
            if let Some(participant) = &self.control.participant {
                participant.add_work(since)?;
            }
            if self.nodes_made() > self.control.node_budget {
                return Err(Stop::Cancelled);
            }
        }
        Ok(())
    }

    /// Counts work that makes no nodes but takes as long as making this many.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn charge(&mut self, nodes: u64) -> Result<(), Stop> {
        (0..nodes).try_for_each(|_| self.tick())
    }

    /// The work so far: nodes made or found, and cache lookups, which cost more in large caches.
    pub(crate) fn work(&self) -> u64 {
        self.nodes_made()
            + self.control.past_lookups
            + self.cache.lookups()
            + self.ternary_cache.lookups()
    }

    /// Nodes made or found in the unique table so far.
    pub(crate) fn nodes_made(&self) -> u64 {
        let since = POLL_INTERVAL - self.control.until_poll;
        self.control.polls * u64::from(POLL_INTERVAL) + u64::from(since)
    }

    /// Runs a computation with a budget of about this many nodes; `None` if the budget did not suffice. Roots that the
    /// computation added are then removed.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn with_budget<T>(
        &mut self,
        nodes: u64,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        if nodes == 0 {
            return Ok(None);
        }
        let (slots, unused) = (self.roots.len(), self.free_roots.clone());
        let base = self.stack.len();
        // An enclosing computation may have a smaller budget.
        let outer = self.control.node_budget;
        self.control.node_budget = self.nodes_made().saturating_add(nodes).min(outer);
        let result = work(self);
        let is_over = self.nodes_made() > self.control.node_budget && self.nodes_made() <= outer;
        self.control.node_budget = outer;
        match result {
            Ok(result) => Ok(Some(result)),
            Err(Stop::Cancelled) if is_over => {
                self.poll()?;
                self.stack.truncate(base);
                self.release_roots_since(slots, unused);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Like [`Forest::with_budget`], but always removes the roots that the computation added.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn scratch_with_budget<T>(
        &mut self,
        nodes: u64,
        work: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        let (slots, unused) = (self.roots.len(), self.free_roots.clone());
        let result = self.with_budget(nodes, work);
        self.release_roots_since(slots, unused);
        result
    }

    /// Removes the roots added since there were `slots` slots, of which `unused` were free.
    fn release_roots_since(&mut self, slots: usize, unused: Vec<u32>) {
        self.roots.truncate(slots);
        for &slot in &unused {
            self.roots[slot as usize] = EMPTY;
        }
        self.free_roots = unused;
    }

    /// Makes the forest take turns as this participant.
    pub(crate) fn set_participant(&mut self, participant: Option<Participant>) {
        self.control.participant = participant;
    }

    /// Polls the deadline and the cancellation flag.
    ///
    /// # Errors
    /// If it is.
    #[cold]
    pub(crate) fn poll(&self) -> Result<(), Stop> {
        let limits = &self.control.limits;
        if let Some(stop) = stop::poll(limits.interrupt.as_ref()) {
            return Err(stop);
        }
        if limits.deadline.is_some_and(|d| Instant::now() > d) {
            return Err(Stop::Time);
        }
        Ok(())
    }

    /// Replaces the limits. The capacity does not shrink.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.control.limits = limits;
    }

    /// Bytes left within the memory limit.
    pub(crate) fn remaining_bytes(&self) -> usize {
        let memory = self.control.limits.memory.unwrap_or(usize::MAX);
        memory.saturating_sub(self.bytes())
    }

    /// Clears the caches and gives back most of their memory.
    pub(crate) fn shrink_caches(&mut self) {
        self.control.past_lookups += self.cache.lookups() + self.ternary_cache.lookups();
        self.cache = Cache::new(self.cache.len().min(1 << 16));
        self.ternary_cache = Cache::new(1 << 6);
    }

    /// Clears the caches.
    pub(crate) fn clear_caches(&mut self) {
        self.cache.clear();
        self.ternary_cache.clear();
    }

    /// Resets the peak number of nodes and the number of collections.
    pub(crate) fn reset_counters(&mut self) {
        self.control.peak = 0;
        self.control.collections = 0;
    }

    /// For tests: collects garbage before every `every`th new node.
    #[cfg(test)]
    pub(crate) fn stress(&mut self, every: u32) {
        self.control.stress = Some((every, every));
    }

    /// Grows the cache to this many entries, a power of two, if memory allows and it is smaller.
    pub(crate) fn grow_cache(&mut self, places: usize) {
        let places = places.min(self.control.limits.max_cache_entries());
        if places > self.cache.len() {
            self.cache.resize(places);
        }
    }

    /// Allocates the cache of ternary operations.
    pub(crate) fn ensure_ternary_cache(&mut self) {
        if self.ternary_cache.len() <= 1 << 6 {
            let size = (self.cache.len() / 4).max(1 << 12);
            self.ternary_cache.resize(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::node::{Root, UNIT};

    /// A computation that exceeds its budget leaves the forest unchanged; otherwise its roots stay.
    #[test]
    fn work_within_limits() {
        let mut forest = Forest::new(Limits::default());
        let mine = forest.protect(UNIT);
        let unused = forest.protect(UNIT);
        forest.unprotect(unused);
        let work = |forest: &mut Forest, count: u32| -> Result<Root, Stop> {
            let root = [UNIT; 3].map(|node| forest.protect(node));
            for value in 0..count {
                forest.push(UNIT);
                let node = forest.make(value, UNIT, EMPTY)?;
                forest.set(root[2], node);
                forest.pop();
            }
            forest.unprotect(root[0]);
            forest.unprotect(root[1]);
            Ok(root[2])
        };
        let living = |forest: &Forest| forest.roots.len() - forest.free_roots.len();
        let nodes = 3 * POLL_INTERVAL;
        let begin = forest.nodes_made();
        let nothing = forest.with_budget(u64::from(nodes), |f| work(f, 2 * nodes));
        assert_eq!(nothing.map(|x| x.is_some()), Ok(false));
        assert!(forest.nodes_made() - begin <= u64::from(nodes + POLL_INTERVAL));
        assert_eq!((living(&forest), forest.stack.len()), (1, 0));
        let some = forest.with_budget(u64::from(nodes), |f| work(f, nodes / 2));
        let root = some.unwrap().expect("it is enough");
        assert_eq!((living(&forest), forest.get(mine)), (2, UNIT));
        let last = forest.first(forest.get(root));
        assert_eq!(last, Some(vec![nodes / 2 - 1]));
        // No budget applies any more.
        assert!(work(&mut forest, 3 * nodes).is_ok());
    }
}
