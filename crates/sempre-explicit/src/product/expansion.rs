//! From a state of the product to its successors.
//!
//! The system is asked for its successors ([`ask`](Product::ask)). Where the automaton's part depends on nothing but the state that is left,
//! they go straight into the batch of states to enter. With a testing automaton, or with levels, they wait until each has got its
//! part ([`combine`](Product::combine)). The batch is entered into the table at once ([`enter`](Product::enter)).

use super::successors::{Successors, Way};
use super::{Deadlock, Observer, Product};
use crate::marks::Marks;
use crate::space::Stop;
use sempre_model::system::System;
use sempre_store::StateIndex;

/// The action of a deadlock that repeats itself.
pub(super) const STUTTER: u32 = u32::MAX;

impl<S: System, M: Marks> Product<'_, S, M> {
    /// The successors of a state: into the batch, if the automaton's part is known, with `steps` beside it; else
    /// into `models`, with `waiting` beside it. Tells the automaton's part of the state, and its leaf.
    pub(super) fn ask(&mut self, state: u32) -> Result<(u64, usize), Stop> {
        loop {
            self.batch.clear();
            self.steps.clear();
            self.waiting.clear();
            self.models.clear();
            self.store
                .read_parent(StateIndex(state), &mut self.state, &mut self.batch);
            let value = self.packing.split(&self.state, &mut self.model);
            let levels = self.levels();
            let system = self.wider.as_ref().unwrap_or(self.given);
            let mut leaf = 0;
            if let Observer::Property(property) = self.observer {
                let count = property.propositions();
                if count > 0 {
                    system.valuation(&mut self.context, &self.model, count, &mut self.valuation);
                }
                let q = (value / levels) as u32;
                leaf = match property.is_split(q) {
                    false => property.leaf(q, &self.valuation) as usize,
                    true => (self.united).of_state(property, q, &self.valuation, &mut self.leaves),
                };
                if self.leaves[leaf].is_empty() {
                    return Ok((value, leaf));
                }
            }
            let direct =
                matches!(self.observer, Observer::Property(_)) && !self.shape.degeneralized;
            let (way, steps) = match direct {
                true => {
                    let way = Way::Direct {
                        edges: &self.leaves[leaf],
                        packing: self.packing,
                        scratch: &mut self.scratch,
                        batch: &mut self.batch,
                        wide: self.store.is_wide(),
                    };
                    (way, &mut self.steps)
                }
                false => (Way::Collect(&mut self.models), &mut self.waiting),
            };
            let mut sink = Successors {
                way,
                steps,
                first_mark: self.observer.sets(),
                any: false,
                failure: None,
                failing: Vec::new(),
                overflow: false,
            };
            system.successors(&mut self.context, &self.model, &mut sink);
            if sink.overflow {
                self.widen()?;
                continue;
            }
            let stuck = !sink.any && sink.failing.is_empty();
            if stuck && self.shape.deadlock == Deadlock::Stutter {
                let marks = M::all(self.sets).minus(M::all(self.observer.sets()));
                sink.add(STUTTER, marks, &self.model);
            }
            let failing = sink.failing;
            if let Some(failure) = sink.failure {
                self.failure.get_or_insert((state, failure));
            }
            if let Observer::Property(property) = self.observer
                && !property.movers().is_empty()
            {
                let mut steps = std::mem::take(&mut self.steps);
                self.add_movers(property.movers(), &mut steps);
                self.steps = steps;
            }
            if self.shape.fair && !stuck {
                let mut steps = match direct {
                    true => std::mem::take(&mut self.steps),
                    false => std::mem::take(&mut self.waiting),
                };
                self.add_fairness(&mut steps, &failing);
                match direct {
                    true => self.steps = steps,
                    false => self.waiting = steps,
                }
            }
            return Ok((value, leaf));
        }
    }

    /// Successors that wait get their automaton's part and go into the batch.
    pub(super) fn combine(&mut self, state: u32, value: u64, leaf: usize) {
        let levels = self.levels();
        let (q, level) = ((value / levels) as u32, (value % levels) as u32);
        self.found.clear();
        let waiting = std::mem::take(&mut self.waiting);
        let models = std::mem::take(&mut self.models);
        let before = self.observed.get(StateIndex(state));
        for (i, &(marks, action)) in waiting.iter().enumerate() {
            let width = self.packing.model;
            let model = &models[i * width..(i + 1) * width];
            match self.observer {
                Observer::Property(_) => {
                    for e in 0..self.leaves[leaf].len() {
                        let (to, mark) = self.leaves[leaf][e];
                        self.put(model, to, level, mark.union(marks), action);
                    }
                }
                Observer::Testing(testing) => {
                    let system = self.wider.as_ref().unwrap_or(self.given);
                    let now = if action == STUTTER || !system.is_visible(action) {
                        before
                    } else {
                        let (count, valuation) = (testing.propositions(), &mut self.valuation);
                        system.valuation(&mut self.context, model, count, valuation);
                        testing.observe(valuation) as u32
                    };
                    for edge in testing.edges(q, u64::from(before ^ now)) {
                        let mark = M::from_word(edge.marks, 0);
                        self.put(model, edge.to, level, mark.union(marks), action);
                        self.found.push(now);
                    }
                }
            }
        }
        self.waiting = waiting;
        self.models = models;
    }

    /// Puts a successor into the batch, lifted to its level if the product is degeneralised.
    #[inline]
    fn put(&mut self, model: &[u64], to: u32, level: u32, marks: M, action: u32) {
        let to = u64::from(to);
        let (value, marks) = match self.shape.degeneralized {
            true => {
                let (level, marks) = self.lift(level, marks);
                (to * self.levels() + u64::from(level), marks)
            }
            false => (to, marks),
        };
        self.packing.join(model, value, &mut self.scratch);
        self.batch.push(&self.scratch);
        self.steps.push((marks, action));
    }

    /// Enters the batch, and keeps what was observed in its states.
    pub(super) fn enter(&mut self) -> Result<(), Stop> {
        self.store.insert_batch(&mut self.worker, &mut self.batch)?;
        if let Observer::Testing(_) = self.observer {
            for (found, &observed) in self.batch.found().iter().zip(&self.found) {
                let index = StateIndex(found.index);
                // Who has entered a state may not yet have got as far as this.
                if self.observed.get(index) != observed {
                    self.observed.set(index, observed)?;
                }
            }
        }
        Ok(())
    }
}
