//! A system with some of its propositions, in another order.
//!
//! A program is compiled once with the propositions of all properties; a search on the fly for one of them evaluates those
//! that it needs.

use sempre_base::Random;
use sempre_model::system::{Sink, System};

enum Held<'a, S> {
    Given(&'a S),
    Wider(S),
}

/// See the module's documentation.
pub struct Selected<'a, S> {
    system: Held<'a, S>,
    propositions: Vec<u32>,
}

impl<'a, S> Selected<'a, S> {
    /// The system with these propositions, by the numbers by which it knows them.
    pub fn new(system: &'a S, propositions: &[u32]) -> Self {
        Self {
            system: Held::Given(system),
            propositions: propositions.to_vec(),
        }
    }

    /// The system.
    pub fn system(&self) -> &S {
        match &self.system {
            Held::Given(system) => system,
            Held::Wider(system) => system,
        }
    }
}

impl<S: System> System for Selected<'_, S> {
    type Context = S::Context;

    fn context(&self) -> S::Context {
        self.system().context()
    }

    fn width(&self) -> usize {
        self.system().width()
    }

    fn initial(&self, context: &mut S::Context, each: &mut dyn FnMut(&[u64])) {
        self.system().initial(context, each);
    }

    fn successors(&self, context: &mut S::Context, state: &[u64], sink: &mut impl Sink) {
        self.system().successors(context, state, sink);
    }

    fn holds(&self, context: &mut S::Context, state: &[u64], proposition: usize) -> bool {
        let own = self.propositions[proposition] as usize;
        self.system().holds(context, state, own)
    }

    fn distance(&self, context: &mut S::Context, state: &[u64], proposition: usize) -> u64 {
        let own = self.propositions[proposition] as usize;
        self.system().distance(context, state, own)
    }

    fn is_visible(&self, action: u32) -> bool {
        self.system().is_visible(action)
    }

    fn marks(&self) -> u32 {
        self.system().marks()
    }

    fn spare_bits(&self) -> (usize, u32) {
        self.system().spare_bits()
    }

    fn processes(&self) -> usize {
        self.system().processes()
    }

    fn action_processes(&self, action: u32) -> &[u32] {
        self.system().action_processes(action)
    }

    fn enabled_processes(&self, context: &mut S::Context, state: &[u64], enabled: &mut [u64]) {
        self.system().enabled_processes(context, state, enabled);
    }

    fn action_name(&self, action: u32) -> String {
        self.system().action_name(action)
    }

    fn show(&self, state: &[u64]) -> Vec<(String, String)> {
        self.system().show(state)
    }

    fn permute(&self, context: &mut S::Context, random: &mut Random) {
        self.system().permute(context, random);
    }

    fn widen(&self, context: &S::Context) -> Option<Self> {
        Some(Self {
            system: Held::Wider(self.system().widen(context)?),
            propositions: self.propositions.clone(),
        })
    }

    fn translate(&self, old: &Self, state: &[u64], out: &mut [u64]) {
        self.system().translate(old.system(), state, out);
    }

    fn translate_changed(
        &self,
        old: &Self,
        state: &[u64],
        words: &[u32],
        out: &mut [u64],
        changed: &mut Vec<u32>,
    ) {
        (self.system()).translate_changed(old.system(), state, words, out, changed);
    }
}
