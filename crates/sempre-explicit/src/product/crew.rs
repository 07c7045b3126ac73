//! Products for several workers.
//!
//! Each has a product of its own, all of which show the same states. What is known of a state's
//! propositions is written by each worker that finds the state, before it tells anybody of it. When a value leaves its bits the
//! search ends ([`Reason::Overflow`](crate::explore::Reason::Overflow)): numbers would not stay what they are. It has to begin anew, with the wider system that
//! the contexts know of.

use super::order::ordered;
use super::union_of_leaves::UnionOfLeaves;
use super::{Limits, Product};
use crate::marks::Marks;
use sempre_model::system::System;
use sempre_store::Batch;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// What all workers count together, now and then.
#[derive(Default)]
pub(super) struct Common {
    pub(super) expanded: AtomicU64,
    pub(super) transitions: AtomicU64,
}

impl<S: System, M: Marks> Product<'_, S, M> {
    /// Products for so many workers, at least one, which share the states. The first one tells progress.
    pub fn crew(mut self, workers: usize) -> Vec<Self> {
        self.in_crew = true;
        let others: Vec<Self> = (1..workers)
            .map(|_| Self {
                given: self.given,
                wider: None,
                observer: self.observer,
                shape: self.shape,
                limits: Limits {
                    progress: None,
                    ..self.limits
                },
                begin: self.begin,
                told: self.told,
                patience: 0,
                peak: 0,
                budget: Arc::clone(&self.budget),
                worker: self.store.worker(),
                store: Arc::clone(&self.store),
                common: Arc::clone(&self.common),
                in_crew: true,
                batch: Batch::new(),
                context: ordered(self.given, self.shape.order),
                packing: self.packing,
                leaves: self.leaves.clone(),
                united: UnionOfLeaves::default(),
                guide: self.guide.clone(),
                observed: Arc::clone(&self.observed),
                found: Vec::new(),
                models: Vec::new(),
                waiting: Vec::new(),
                actions: Vec::new(),
                first_process: self.first_process,
                sets: self.sets,
                state: self.state.clone(),
                model: self.model.clone(),
                valuation: self.valuation.clone(),
                scratch: self.scratch.clone(),
                steps: Vec::new(),
                counted: (0, 0),
                told_of: (0, 0),
                widenings: 0,
                failure: None,
            })
            .collect();
        let mut all = vec![self];
        all.extend(others);
        all
    }
}
