//! Questions about all events together: deadlocks, idle processes, number of transitions.
//!
//! A diagram is traversed from the bottom up, and an event is considered at the highest level that it touches: the
//! levels above do not matter to it. So each node is visited once, with the events of its level only.

use crate::dd::count::{Count, CountError, Tables};
use crate::dd::forest::Forest;
use crate::dd::natural::Natural;
use crate::dd::node::{EMPTY, Node, UNIT};
use crate::relation::model::Model;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::Stop;

impl Model<'_> {
    /// The events with each top level.
    fn events_by_level(&self) -> Vec<Vec<usize>> {
        let mut by_level = vec![Vec::new(); self.order().len()];
        for (i, e) in self.events.iter().enumerate() {
            // In a program without cells, events have no level.
            if let Some(events) = by_level.get_mut(e.top as usize) {
                events.push(i);
            }
        }
        by_level
    }

    /// Learns the relations of all events for a set of states.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn prepare_all(&mut self, forest: &mut Forest, set: Node) -> Result<(), Stop> {
        let root = forest.protect(set);
        let mut now: FxHashSet<Node> = FxHashSet::from_iter([set]);
        for events in self.events_by_level() {
            for &event in &events {
                for &node in &now {
                    self.prepare_event(forest, event, node)?;
                }
            }
            let downs = now.iter().flat_map(|&n| forest.list(n).map(|(_, d)| d));
            now = downs.collect();
        }
        forest.unprotect(root);
        Ok(())
    }

    /// The events that write nothing. They are in no group.
    pub(crate) fn events_without_writes(&self) -> Vec<usize> {
        let mut is_silent = vec![true; self.events.len()];
        for &event in self.groups.iter().flat_map(|g| &g.events) {
            is_silent[event as usize] = false;
        }
        (0..self.events.len()).filter(|&e| is_silent[e]).collect()
    }

    /// Learns the relations of all events for a set of states, and updates those of the groups. Each event is queried
    /// once, for the union of the nodes at its top level: faster than [`Model::prepare_all`] for small sets.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn prepare_by_level(&mut self, forest: &mut Forest, set: Node) -> Result<(), Stop> {
        let below = forest.protect(set);
        let silent = self.events_without_writes();
        for level in 0..self.order().len() {
            for i in 0..self.at_level[level].len() {
                let group = self.at_level[level][i];
                self.prepare(forest, group, forest.get(below))?;
            }
            let here = |&&e: &&usize| self.events[e].top as usize == level;
            let events: Vec<usize> = silent.iter().filter(here).copied().collect();
            for event in events {
                self.prepare_event(forest, event, forest.get(below))?;
            }
            let now = forest.get(below);
            if now != EMPTY {
                let next = forest.with_protected(&[now], |f| f.union_of_children(now))?;
                forest.set(below, next);
            }
        }
        forest.unprotect(below);
        Ok(())
    }

    /// Learns the relations of all events for a single state, and updates those of the groups. Skips relations that are
    /// complete for all values that have occurred, including this state's.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn prepare_single_state(
        &mut self,
        forest: &mut Forest,
        path: &[(u32, Node)],
    ) -> Result<(), Stop> {
        for (level, &(value, _)) in path.iter().enumerate() {
            self.occurs(level as u32, value);
        }
        for group in 0..self.groups.len() as u32 {
            if self.ready(forest, group)?.is_none() {
                let top = self.groups[group as usize].top as usize;
                self.prepare(forest, group, path[top].1)?;
            }
        }
        for event in self.events_without_writes() {
            let top = self.events[event].top as usize;
            self.prepare_event(forest, event, path[top].1)?;
        }
        Ok(())
    }

    /// The states of a set in which no action is enabled. The relations must have been learned for the set.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn deadlocks(&mut self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        if self.order().is_empty() {
            let deadlocked_below = self.events.iter().all(|e| forest.get(e.relation) == EMPTY);
            return Ok(if deadlocked_below { set } else { EMPTY });
        }
        let events = self.events_by_level();
        let mut deadlocked = FxHashMap::default();
        let base = forest.stack.len();
        let deadlocked_below = self.deadlocked_below(forest, set, 0, &events, &mut deadlocked);
        forest.stack.truncate(base);
        let deadlocked_below = deadlocked_below?;
        // A step that fails is a step, too.
        let rest = forest.protect(deadlocked_below);
        for i in 0..self.events.len() {
            let failing = self.failing(forest, i, forest.get(rest))?;
            let less = forest.difference(forest.get(rest), failing)?;
            forest.set(rest, less);
        }
        let result = forest.get(rest);
        forest.unprotect(rest);
        Ok(result)
    }

    /// Whether a process takes part in an event.
    pub(crate) fn involves(&self, event: usize, process: usize) -> bool {
        let action = &self.program().actions[self.events[event].action as usize];
        action.processes.iter().any(|p| p.0 as usize == process)
    }

    /// The states of a set in which no action of a process is enabled. The relations must have been learned for the
    /// set.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn idle(
        &mut self,
        forest: &mut Forest,
        set: Node,
        process: usize,
    ) -> Result<Node, Stop> {
        let rest = forest.protect(set);
        for i in 0..self.events.len() {
            if !self.involves(i, process) {
                continue;
            }
            let e = &self.events[i];
            let (relation, shape, top) = (forest.get(e.relation), e.shape, e.top);
            let shape = self.shape_from_top(forest, shape, top);
            let enabled = forest.restrict(forest.get(rest), relation, shape)?;
            let less = forest.difference(forest.get(rest), enabled)?;
            forest.set(rest, less);
            let failing = self.failing(forest, i, forest.get(rest))?;
            let less = forest.difference(forest.get(rest), failing)?;
            forest.set(rest, less);
        }
        let idle = forest.get(rest);
        forest.unprotect(rest);
        Ok(idle)
    }

    /// The vectors in which no event from this level on is enabled. Memoised results stay on the stack.
    fn deadlocked_below(
        &self,
        forest: &mut Forest,
        node: Node,
        level: usize,
        events: &[Vec<usize>],
        deadlocked: &mut FxHashMap<Node, Node>,
    ) -> Result<Node, Stop> {
        if node <= UNIT {
            return Ok(node);
        }
        if let Some(&deadlocked_below) = deadlocked.get(&node) {
            return Ok(deadlocked_below);
        }
        let mut list = Vec::new();
        for (value, down) in forest.list(node).collect::<Vec<_>>() {
            let down = self.deadlocked_below(forest, down, level + 1, events, deadlocked)?;
            if down != EMPTY {
                list.push((value, down));
            }
        }
        // The list's nodes are memoised results, hence on the stack.
        let mut deadlocked_below = EMPTY;
        for &(value, down) in list.iter().rev() {
            deadlocked_below = forest.make(value, down, deadlocked_below)?;
        }
        for &event in &events[level] {
            if deadlocked_below == EMPTY {
                break;
            }
            let e = &self.events[event];
            forest.push(deadlocked_below);
            let enabled =
                forest.restrict_inner(deadlocked_below, forest.get(e.relation), e.shape)?;
            forest.push(enabled);
            deadlocked_below = forest.difference_inner(deadlocked_below, enabled)?;
            forest.pop();
            forest.pop();
        }
        // Both are protected: the number of a dead node could be reused.
        forest.push(node);
        forest.push(deadlocked_below);
        deadlocked.insert(node, deadlocked_below);
        Ok(deadlocked_below)
    }

    /// Number of transitions from a set of states: one for each enabled action, or row of a table. The relations must
    /// have been learned for the set.
    ///
    /// # Errors
    /// If the tables exceed the memory limit.
    pub(crate) fn transitions(&self, forest: &Forest, set: Node) -> Result<Natural, Stop> {
        if self.order().is_empty() {
            let steps = self
                .events
                .iter()
                .filter(|e| forest.get(e.relation) != EMPTY);
            return Ok(Natural::from(if set == EMPTY {
                0
            } else {
                steps.count() as u64
            }));
        }
        match self.steps_from::<u128>(forest, set) {
            Ok(number) => return Ok(Natural::from(number)),
            Err(lack) => lack.stop_unless_overflow()?,
        }
        self.steps_from::<Natural>(forest, set)
            .map_err(|_| Stop::Memory)
    }

    /// Goes from the bottom level up and event by event, so that the table of one event exists at a time.
    fn steps_from<N: Count>(&self, forest: &Forest, set: Node) -> Result<N, CountError> {
        let mut levels: Vec<Vec<Node>> = Vec::new();
        let mut now: FxHashSet<Node> = FxHashSet::from_iter([set]);
        now.remove(&EMPTY);
        for _ in self.order() {
            levels.push(now.iter().copied().collect());
            let downs = now.iter().flat_map(|&n| forest.list(n).map(|(_, d)| d));
            now = downs.collect();
        }
        let mut tables = Tables::<N>::new(forest.remaining_bytes());
        // Numbers of steps by all events from a node's level on.
        let mut below: FxHashMap<Node, N> = FxHashMap::default();
        let events = self.events_by_level();
        for (nodes, events) in levels.iter().zip(&events).rev() {
            let mut sums: Vec<N> = Vec::with_capacity(nodes.len());
            for &node in nodes {
                let mut sum = N::zero();
                for steps in forest.list(node).filter_map(|(_, d)| below.get(&d)) {
                    sum.increase(steps)
                        .then_some(())
                        .ok_or(CountError::Overflow)?;
                }
                sums.push(sum);
            }
            for &event in events {
                let e = &self.events[event];
                let relation = forest.get(e.relation);
                for (sum, &node) in sums.iter_mut().zip(nodes) {
                    let steps = forest.steps_with(node, relation, e.shape, &mut tables)?;
                    sum.increase(&steps)
                        .then_some(())
                        .ok_or(CountError::Overflow)?;
                }
                tables.forget_steps();
            }
            below = nodes.iter().copied().zip(sums).collect();
        }
        Ok(below.remove(&set).unwrap_or_else(N::zero))
    }
}
