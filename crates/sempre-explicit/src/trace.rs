//! Paths from an initial state.

use sempre_model::system::{Failure, Sink, Step, System};
use sempre_store::{IndexArray, StateIndex, Store};

/// A finite path: one step less than states. The first state is initial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The states, packed as the system that was explored packs them.
    pub states: Vec<Vec<u64>>,
    /// What leads from each state to the next.
    pub steps: Vec<Step>,
}

/// The first step from a state to a given one.
fn step_between<S: System>(
    system: &S,
    context: &mut S::Context,
    from: &[u64],
    to: &[u64],
) -> Option<Step> {
    struct First<'a> {
        to: &'a [u64],
        step: Option<Step>,
    }
    impl Sink for First<'_> {
        fn successor(&mut self, step: Step, state: &[u64]) {
            if self.step.is_none() && state == self.to {
                self.step = Some(step);
            }
        }
        fn failure(&mut self, _: Failure) {}
        fn overflow(&mut self) {}
    }
    let mut sink = First { to, step: None };
    system.successors(context, from, &mut sink);
    sink.step
}

/// The path to a state along its parents (`0` for an initial state, otherwise the parent's index plus
/// one). `None` if the parents do not fit the system, which would be an error in the search.
pub(crate) fn along_parents<S: System>(
    system: &S,
    store: &Store,
    parents: &IndexArray,
    mut index: StateIndex,
) -> Option<Trace> {
    let mut states = Vec::new();
    loop {
        let mut state = vec![0; store.width()];
        store.read(index, &mut state);
        states.push(state);
        match parents.get(index).checked_sub(1) {
            Some(parent) => index = StateIndex(parent),
            None => break,
        }
    }
    states.reverse();
    let mut context = system.context();
    let steps = states
        .windows(2)
        .map(|two| step_between(system, &mut context, &two[0], &two[1]))
        .collect::<Option<_>>()?;
    Some(Trace { states, steps })
}
