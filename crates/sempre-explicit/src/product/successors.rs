//! What the system tells of a state, on its way into the product.

use super::packing::Packing;
use crate::marks::Marks;
use sempre_model::system::{Failure, Sink, Step};
use sempre_store::Batch;

/// Where successors go.
pub(super) enum Way<'a, M> {
    /// Straight into the batch, each with each of these edges of the automaton.
    Direct {
        edges: &'a [(u32, M)],
        packing: Packing,
        scratch: &'a mut [u64],
        batch: &'a mut Batch,
        /// Are states wide?
        wide: bool,
    },
    /// Into a list of words, because what the automaton does depends on the successor.
    Collect(&'a mut Vec<u64>),
}

/// See the module's documentation.
pub(super) struct Successors<'a, M> {
    pub(super) way: Way<'a, M>,
    /// The marks and the action of each successor.
    pub(super) steps: &'a mut Vec<(M, u32)>,
    /// The first set of the model's own edges.
    pub(super) first_mark: u32,
    pub(super) any: bool,
    pub(super) failure: Option<Failure>,
    /// The actions that failed.
    pub(super) failing: Vec<u32>,
    pub(super) overflow: bool,
}

impl<M: Marks> Successors<'_, M> {
    /// The marks of the model's own edge.
    #[inline]
    fn marks(&self, step: Step) -> M {
        match step.marks {
            0 => M::NONE,
            word => M::from_word(word, self.first_mark),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, action: u32, marks: M, state: &[u64]) {
        match &mut self.way {
            Way::Direct {
                edges,
                packing,
                scratch,
                batch,
                ..
            } => {
                for &(to, mark) in *edges {
                    packing.join(state, u64::from(to), scratch);
                    batch.push(scratch);
                    self.steps.push((mark.union(marks), action));
                }
            }
            Way::Collect(models) => {
                models.extend_from_slice(state);
                self.steps.push((marks, action));
            }
        }
    }
}

impl<M: Marks> Sink for Successors<'_, M> {
    #[inline]
    fn successor(&mut self, step: Step, state: &[u64]) {
        self.any = true;
        self.add(step.action, self.marks(step), state);
    }

    fn changed(&mut self, step: Step, state: &[u64], words: &[u32]) {
        let marks = self.marks(step);
        let Way::Direct {
            edges,
            packing,
            batch,
            wide: true,
            ..
        } = &mut self.way
        else {
            return self.successor(step, state);
        };
        self.any = true;
        for &(to, mark) in *edges {
            let value = |word| packing.joined(state, u64::from(to), word as usize);
            batch.push_changes(packing.words(words).map(|word| (word, value(word))));
            self.steps.push((mark.union(marks), step.action));
        }
    }

    fn failure(&mut self, failure: Failure) {
        self.failing.extend(failure.action);
        self.failure.get_or_insert(failure);
    }

    fn overflow(&mut self) {
        self.overflow = true;
    }
}
