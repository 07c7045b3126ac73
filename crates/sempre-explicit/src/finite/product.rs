//! The product of a system and a finite automaton, as a system.
//!
//! A state is one of the system and one of the automaton, which has read it already: the automaton reads the states that
//! the system *enters*. (In products with ω-automata it reads those that the system leaves.) So a prefix is known to be bad
//! when its last state is found, before that state is expanded, and what the automaton rejects is never stored. There
//! are at most as many states as in the other product, since the automaton's part is a function of what it would be
//! there.
//!
//! Being a system, it goes through whatever takes one: the exploration with many workers, and, with an automaton that has
//! one state and observes nothing, the searches of one thread. Its steps have one mark, which says that the state they
//! lead to completes a bad prefix.
//!
//! # Deadlocks
//! A state without successors is repeated if runs that end are to go on in their last state, and the automaton reads it
//! again: a bad prefix may need that. Otherwise it has no successors here, either.
//!
//! # Letters
//! The propositions are evaluated in each state that is told, not once for each that is stored; but an action that writes
//! none of their variables leaves the letter as it was.

use super::FiniteProperty;
use crate::product::packing::Packing;
use sempre_base::Random;
use sempre_model::system::{Failure, Sink, Step, System};

/// The action of a deadlock that repeats itself.
pub(super) const STUTTER: u32 = u32::MAX;

enum Held<'a, S> {
    Given(&'a S),
    Wider(S),
}

/// See the module's documentation.
pub struct FiniteProduct<'a, S> {
    system: Held<'a, S>,
    property: &'a FiniteProperty,
    /// Do deadlocks repeat themselves?
    stutter: bool,
    packing: Packing,
}

/// What a worker scribbles on.
pub struct FiniteContext<C> {
    system: C,
    model: Vec<u64>,
    joined: Vec<u64>,
    letter: Vec<u64>,
    before: Vec<u64>,
    told: Vec<u64>,
    actions: Vec<u32>,
    /// The words in which the successors differ from the state that is left, if that was said of all of them, and where they
    /// end.
    words: Vec<u32>,
    ends: Vec<usize>,
}

impl<'a, S: System> FiniteProduct<'a, S> {
    /// The product.
    pub fn new(system: &'a S, property: &'a FiniteProperty, stutter: bool) -> Self {
        Self {
            system: Held::Given(system),
            property,
            stutter,
            packing: Packing::new(system, u64::from(property.table().states())),
        }
    }

    /// The system whose states are in it.
    pub fn system(&self) -> &S {
        match &self.system {
            Held::Given(system) => system,
            Held::Wider(system) => system,
        }
    }

    /// The wider system, if there is one.
    pub fn into_wider(self) -> Option<S> {
        match self.system {
            Held::Given(_) => None,
            Held::Wider(system) => Some(system),
        }
    }

    /// A lower bound on the number of steps from a state to one that has accepted; 0 for such a state alone.
    pub(super) fn distance(&self, state: &[u64]) -> u32 {
        self.property.distance(self.packing.value(state) as u32)
    }

    /// The parts of a state: that of the system, and that of the automaton.
    pub fn split(&self, state: &[u64]) -> (Vec<u64>, u32) {
        let mut model = vec![0; self.packing.model];
        let value = self.packing.split(state, &mut model);
        (model, value as u32)
    }
}

impl<S: System> System for FiniteProduct<'_, S> {
    type Context = FiniteContext<S::Context>;

    fn context(&self) -> Self::Context {
        let words = self.property.table().propositions().div_ceil(64).max(1);
        FiniteContext {
            system: self.system().context(),
            model: vec![0; self.packing.model],
            joined: vec![0; self.packing.width],
            letter: vec![0; words],
            before: vec![0; words],
            told: Vec::new(),
            actions: Vec::new(),
            words: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn width(&self) -> usize {
        self.packing.width
    }

    fn spare_bits(&self) -> (usize, u32) {
        self.packing.spare
    }

    fn initial(&self, context: &mut Self::Context, each: &mut dyn FnMut(&[u64])) {
        let (table, system) = (self.property.table(), self.system());
        context.told.clear();
        let (told, mut count) = (&mut context.told, 0);
        system.initial(&mut context.system, &mut |state| {
            told.extend_from_slice(state);
            count += 1;
        });
        let width = self.packing.model;
        for i in 0..count {
            let model = &context.told[i * width..(i + 1) * width];
            let letter = &mut context.letter;
            if table.propositions() > 0 {
                system.valuation(&mut context.system, model, table.propositions(), letter);
            }
            for &q in table.initial() {
                for edge in table.enabled(q, letter) {
                    self.packing
                        .join(model, u64::from(edge.to), &mut context.joined);
                    each(&context.joined);
                }
            }
        }
    }

    fn successors(&self, context: &mut Self::Context, state: &[u64], sink: &mut impl Sink) {
        let (table, system) = (self.property.table(), self.system());
        let q = self.packing.split(state, &mut context.model) as u32;
        context.told.clear();
        context.actions.clear();
        context.words.clear();
        context.ends.clear();
        let mut collect = Collect {
            told: &mut context.told,
            actions: &mut context.actions,
            words: &mut context.words,
            ends: &mut context.ends,
            sink: &mut *sink,
            erroneous: false,
            overflow: false,
        };
        system.successors(&mut context.system, &context.model, &mut collect);
        let (erroneous, overflow) = (collect.erroneous, collect.overflow);
        if overflow {
            return;
        }
        if context.actions.is_empty() && !erroneous && self.stutter {
            context.actions.push(STUTTER);
            context.told.extend_from_slice(&context.model);
            context.ends.push(0);
        }
        let listed = context.ends.len() == context.actions.len();
        let count = table.propositions();
        // Who has accepted reads no more.
        let blind = count == 0 || self.property.is_final(q);
        let mut known = false;
        let mut changed = Vec::new();
        let width = self.packing.model;
        for (i, &action) in context.actions.iter().enumerate() {
            let model = &context.told[i * width..(i + 1) * width];
            let visible = action != STUTTER && system.is_visible(action);
            let letter = if blind {
                &context.letter
            } else if visible {
                system.valuation(&mut context.system, model, count, &mut context.letter);
                &context.letter
            } else {
                if !known {
                    let before = &mut context.before;
                    system.valuation(&mut context.system, &context.model, count, before);
                    known = true;
                }
                &context.before
            };
            for edge in table.enabled(q, letter) {
                let marks = u64::from(!edge.mark.is_empty());
                self.packing
                    .join(model, u64::from(edge.to), &mut context.joined);
                let step = Step { action, marks };
                if listed {
                    let begin = i.checked_sub(1).map_or(0, |i| context.ends[i]);
                    let words = self.packing.words(&context.words[begin..context.ends[i]]);
                    changed.clear();
                    changed.extend(words);
                    sink.changed(step, &context.joined, &changed);
                } else {
                    sink.successor(step, &context.joined);
                }
            }
        }
    }

    /// The propositions are the automaton's matter; from outside there are none.
    fn holds(&self, _: &mut Self::Context, _: &[u64], _: usize) -> bool {
        false
    }

    fn is_visible(&self, _: u32) -> bool {
        false
    }

    fn marks(&self) -> u32 {
        1
    }

    fn permute(&self, context: &mut Self::Context, random: &mut Random) {
        self.system().permute(&mut context.system, random);
    }

    fn widen(&self, context: &Self::Context) -> Option<Self> {
        let wide = self.system().widen(&context.system)?;
        let values = u64::from(self.property.table().states());
        Some(Self {
            packing: Packing::new(&wide, values),
            system: Held::Wider(wide),
            property: self.property,
            stutter: self.stutter,
        })
    }

    fn translate(&self, old: &Self, state: &[u64], out: &mut [u64]) {
        let (model, q) = old.split(state);
        let mut wide = vec![0; self.packing.model];
        self.system().translate(old.system(), &model, &mut wide);
        self.packing.join(&wide, u64::from(q), out);
    }
}

/// Keeps successors until the automaton reads them; what is wrong is told at once.
struct Collect<'a, K> {
    told: &'a mut Vec<u64>,
    actions: &'a mut Vec<u32>,
    words: &'a mut Vec<u32>,
    ends: &'a mut Vec<usize>,
    sink: &'a mut K,
    erroneous: bool,
    overflow: bool,
}

impl<K: Sink> Sink for Collect<'_, K> {
    #[inline]
    fn successor(&mut self, step: Step, state: &[u64]) {
        self.told.extend_from_slice(state);
        self.actions.push(step.action);
    }

    fn changed(&mut self, step: Step, state: &[u64], words: &[u32]) {
        self.successor(step, state);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
    }

    fn failure(&mut self, failure: Failure) {
        self.erroneous |= failure.action.is_some();
        self.sink.failure(failure);
    }

    fn overflow(&mut self) {
        self.overflow = true;
        self.sink.overflow();
    }
}
