//! The narrow interface between models and engines.
//!
//! A [`System`] is an immutable description shared by all workers. The mutable data of a worker are its
//! [`System::Context`]. A state is a slice of [`System::width`] machine words, whatever they mean; equal states are
//! equal slices.
//!
//! Programs in the IR implement it (interpreted or compiled), and so can a user's own type: the required methods are
//! the first five, the others have defaults that are right for plain systems.
//!
//! # Widening
//! A system may pack states into fewer bits than values can need. If a value has no room, `successors` calls
//! [`Sink::overflow`], stops, and keeps the value in the context. The driver then
//! 1. discards the events of this state, and stops its workers;
//! 2. makes the wider system, `system = system.widen(context)`, for each context in turn: a context of an earlier
//!    system is valid for this, though for nothing else, and one without overflow gives `None`;
//! 3. translates the states it has stored, in their order, by [`System::translate`] into a store of the new
//!    [`System::width`] (numbers of states then stay the same), makes new contexts, and continues with the states
//!    that are not expanded yet, this one among them.
//!
//! The next overflow is handled in the same way. Ranges at least double, so there are few.

use sempre_base::Random;

/// The label of an edge between states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number of the action, for [`System::action_name`] and [`System::action_processes`].
    pub action: u32,
    /// Acceptance marks of the model's own edge, one bit each; 0 for most models.
    pub marks: u64,
}

/// An error of an action in a state, or a violated condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// The action that failed; `None` for a condition on states.
    pub action: Option<u32>,
    /// A description.
    pub message: String,
}

/// The receiver of the successors of a state.
pub trait Sink {
    /// An edge to a state.
    fn successor(&mut self, step: Step, state: &[u64]);
    /// An edge to a state that differs from the source state in these words at most, which are sorted. By default
    /// this is [`Sink::successor`].
    fn changed(&mut self, step: Step, state: &[u64], words: &[u32]) {
        let _ = words;
        self.successor(step, state);
    }
    /// An erroneous step: there is no successor, and the failure must be reported.
    fn failure(&mut self, failure: Failure);
    /// A value has no room in the layout: the layout must widen ([`System::widen`]), and the events of this state
    /// must be discarded.
    fn overflow(&mut self);
}

/// A model. See the module's documentation.
pub trait System: Send + Sync {
    /// The scratch space of one worker.
    type Context: Send;

    /// A fresh scratch space.
    fn context(&self) -> Self::Context;

    /// Number of words of a state.
    fn width(&self) -> usize;

    /// The initial states, one or more.
    fn initial(&self, context: &mut Self::Context, each: &mut dyn FnMut(&[u64]));

    /// Passes the successors of a state to the sink, in an order that depends on the state alone.
    fn successors(&self, context: &mut Self::Context, state: &[u64], sink: &mut impl Sink)
    where
        Self: Sized;

    /// Is the proposition with that number true in the state?
    fn holds(&self, context: &mut Self::Context, state: &[u64], proposition: usize) -> bool;

    /// Writes the truth of the propositions `0..count` in the state, one bit each, to `out`, which has room for them.
    /// All at once is often cheaper than one by one.
    fn valuation(&self, context: &mut Self::Context, state: &[u64], count: usize, out: &mut [u64]) {
        out.fill(0);
        for p in 0..count {
            out[p / 64] |= u64::from(self.holds(context, state, p)) << (p % 64);
        }
    }

    /// The distance of the state from one in which the proposition has the other value, in a measure of the system's
    /// choice, at least one. It directs searches ([`crate::distance`]) and decides nothing.
    fn distance(&self, context: &mut Self::Context, state: &[u64], proposition: usize) -> u64 {
        let _ = (context, state, proposition);
        1
    }

    /// May the action change the truth of a proposition?
    fn is_visible(&self, action: u32) -> bool {
        let _ = action;
        true
    }

    /// Number of acceptance marks that the model's own edges can carry ([`Step::marks`]). Only runs that see each of
    /// them infinitely often are considered.
    fn marks(&self) -> u32 {
        0
    }

    /// A word of a state, and the number of its highest bits that are zero in every state: a search may store data of
    /// its own there.
    fn spare_bits(&self) -> (usize, u32) {
        (0, 0)
    }

    /// The number of processes, for fairness; 0 if the model has none.
    fn processes(&self) -> usize {
        0
    }

    /// The processes that take part in an action.
    fn action_processes(&self, action: u32) -> &[u32] {
        let _ = action;
        &[]
    }

    /// The processes that have an enabled action in the state, one bit each, added to `enabled`, which has a bit for
    /// each process.
    fn enabled_processes(&self, context: &mut Self::Context, state: &[u64], enabled: &mut [u64])
    where
        Self: Sized,
    {
        struct Collect<'a, S: System> {
            system: &'a S,
            enabled: &'a mut [u64],
        }
        impl<S: System> Sink for Collect<'_, S> {
            fn successor(&mut self, step: Step, _: &[u64]) {
                for &p in self.system.action_processes(step.action) {
                    self.enabled[p as usize / 64] |= 1 << (p % 64);
                }
            }
            fn failure(&mut self, _: Failure) {}
            fn overflow(&mut self) {}
        }
        let mut sink = Collect {
            system: self,
            enabled,
        };
        self.successors(context, state, &mut sink);
    }

    /// The name of an action, for reports.
    fn action_name(&self, action: u32) -> String {
        action.to_string()
    }

    /// The variables of a state with their values, for reports.
    fn show(&self, state: &[u64]) -> Vec<(String, String)> {
        state
            .iter()
            .enumerate()
            .map(|(i, w)| (format!("word {i}"), w.to_string()))
            .collect()
    }

    /// Sets another order of successors, chosen by `random`, so that workers that start in different places overlap
    /// less. Does nothing by default.
    fn permute(&self, context: &mut Self::Context, random: &mut Random) {
        let _ = (context, random);
    }

    /// After an overflow recorded in `context`: the same model with room for that value, too. `None` if none is
    /// recorded, as in systems that never overflow. See the module's documentation.
    fn widen(&self, context: &Self::Context) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = context;
        None
    }

    /// Translates a state of `old`, from which this system was made by widening, perhaps several times.
    fn translate(&self, old: &Self, state: &[u64], out: &mut [u64])
    where
        Self: Sized,
    {
        let _ = old;
        out.copy_from_slice(state);
    }

    /// [`System::translate`] for a state that differs in these words at most from the one that was translated to
    /// `out` before. The words of `out` that may change are written to `changed`, in order.
    fn translate_changed(
        &self,
        old: &Self,
        state: &[u64],
        words: &[u32],
        out: &mut [u64],
        changed: &mut Vec<u32>,
    ) where
        Self: Sized,
    {
        let _ = words;
        let before = out.to_vec();
        self.translate(old, state, out);
        changed.clear();
        changed.extend((0..out.len() as u32).filter(|&w| out[w as usize] != before[w as usize]));
    }
}
