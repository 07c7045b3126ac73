//! Work and limits of a forest: what is polled while nodes are made, and computations with a bound of their own.

use crate::dd::cache::Cache;
use crate::dd::control::{Limits, PATIENCE};
use crate::dd::forest::Forest;
use crate::dd::node::EMPTY;
use crate::turns::Baton;
use sempre_base::Stop;
use sempre_base::stop;
use std::time::Instant;

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

    /// Gives the cache so many places, a power of two, if it has fewer and there is memory.
    pub(crate) fn grow_cache(&mut self, places: usize) {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::node::{Kept, UNIT};

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
}
