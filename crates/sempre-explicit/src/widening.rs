//! Going on after a value has left its bits.
//!
//! All workers have halted. The wider system is made from their contexts, the stored states are translated in
//! the order of their indices into a new store, and all that is known by index follows. If there were gaps in
//! the indices (where workers had not used up their blocks), they close.

use crate::frontier::{Queues, Run};
use sempre_model::system::System;
use sempre_store::{Batch, Budget, Full, IndexArray, StateIndex, Store};
use std::ops::Range;
use std::sync::Arc;

/// States that are entered at once.
const BATCH: usize = 256;

/// A system with room for all that had none, or `None` if no context knows of anything.
pub(crate) fn wider<S: System>(system: &S, contexts: &[S::Context]) -> Option<S> {
    contexts.iter().fold(None, |wide: Option<S>, context| {
        wide.as_ref().unwrap_or(system).widen(context).or(wide)
    })
}

/// Why states could not be translated.
pub(crate) enum Lost {
    /// There is no room for two stores.
    Memory,
    /// Two states became one: the wider system has no room for what the old one had room for.
    States,
}

impl From<Full> for Lost {
    fn from(Full: Full) -> Self {
        Self::Memory
    }
}

/// Old indices to new ones.
pub(crate) struct Renumbering {
    /// Ranges of old indices, ascending, and the new index of each one's first.
    ranges: Vec<(Range<u32>, u32)>,
}

impl Renumbering {
    fn new(ranges: Vec<Range<u32>>) -> Self {
        let mut first = 0;
        let ranges = ranges
            .into_iter()
            .map(|range| {
                let new = first;
                first += range.end - range.start;
                (range, new)
            })
            .collect();
        Self { ranges }
    }

    pub(crate) fn index(&self, old: StateIndex) -> StateIndex {
        let after = self
            .ranges
            .partition_point(|(range, _)| range.start <= old.0);
        let (range, first) = &self.ranges[after - 1];
        debug_assert!(range.contains(&old.0));
        StateIndex(first + (old.0 - range.start))
    }

    /// The states of a run are stored, hence in one range.
    fn run(&self, run: Run) -> Run {
        Run {
            start: self.index(StateIndex(run.start)).0,
            len: run.len,
        }
    }

    pub(crate) fn queues(&self, queues: &mut Queues) {
        for run in queues.current.iter_mut().chain(&mut queues.next) {
            *run = self.run(*run);
        }
    }

    pub(crate) fn parents(
        &self,
        old: &IndexArray,
        budget: &Arc<Budget>,
    ) -> Result<IndexArray, Full> {
        let new = IndexArray::new(Arc::clone(budget));
        for (range, first) in &self.ranges {
            for (index, target) in range.clone().zip(*first..) {
                if let Some(parent) = old.get(StateIndex(index)).checked_sub(1) {
                    let parent = self.index(StateIndex(parent));
                    new.set(StateIndex(target), parent.0 + 1)?;
                }
            }
        }
        Ok(new)
    }
}

/// The stored states, in the order of their indices, as states of the wider system.
pub(crate) fn translate<S: System>(
    old: &S,
    new: &S,
    store: &Store,
    budget: &Arc<Budget>,
) -> Result<(Store, Renumbering), Lost> {
    let each =
        |from: &[u64], moved: Option<&[u32]>, to: &mut [u64], changed: &mut Vec<u32>| match moved {
            None => new.translate(old, from, to),
            Some(words) => new.translate_changed(old, from, words, to, changed),
        };
    rewrite(store, (new.width(), new.spare_bits()), budget, each)
}

/// A store of states of so many words, with so many spare bits in a word, with what `each` makes of the stored states, in the order of their
/// indices. If states are wide, `each` is given the words in which a state may differ from the one before, and says in
/// which words the translations may differ.
pub(crate) fn rewrite(
    store: &Store,
    (width, spare): (usize, (usize, u32)),
    budget: &Arc<Budget>,
    mut each: impl FnMut(&[u64], Option<&[u32]>, &mut [u64], &mut Vec<u32>),
) -> Result<(Store, Renumbering), Lost> {
    let target = Store::with_spare_bits(width, spare, budget)?;
    let mut worker = target.worker();
    let mut batch = Batch::new();
    let (mut from, mut to) = (vec![0; store.width()], vec![0; width]);
    let ranges = store.indices();
    let (mut reader, mut changed, mut first) = (Batch::new(), Vec::new(), true);
    for index in ranges.iter().cloned().flatten() {
        if target.is_wide() {
            reader.clear();
            store.read_parent(StateIndex(index), &mut from, &mut reader);
            let moved = (!first && store.is_wide()).then(|| reader.changed_words());
            each(&from, moved, &mut to, &mut changed);
            if moved.is_none() {
                changed.clear();
                changed.extend(0..width as u32);
            }
            target.insert_next(&mut worker, &mut batch, &to, &changed)?;
            first = false;
            continue;
        }
        store.read(StateIndex(index), &mut from);
        each(&from, None, &mut to, &mut changed);
        batch.push(&to);
        if batch.len() == BATCH {
            target.insert_batch(&mut worker, &mut batch)?;
            batch.clear();
        }
    }
    if !target.is_wide() {
        target.insert_batch(&mut worker, &mut batch)?;
    }
    drop(worker);
    if store.len() != target.len() {
        return Err(Lost::States);
    }
    Ok((target, Renumbering::new(ranges)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_close() {
        let renumbering = Renumbering::new(vec![0..10, 20..25, 40..41]);
        let new: Vec<u32> = [0, 9, 20, 24, 40]
            .into_iter()
            .map(|i| renumbering.index(StateIndex(i)).0)
            .collect();
        assert_eq!(new, [0, 9, 10, 14, 15]);
        let run = renumbering.run(Run { start: 21, len: 3 });
        assert_eq!(run, Run { start: 11, len: 3 });
    }
}
