//! In which order a product tells the successors of a state.

use super::Product;
use super::observer::Observer;
use crate::marks::Marks;
use crate::property::Kind;
use sempre_base::Random;
use sempre_model::system::System;
use sempre_omega::distance_heuristic::{DistanceHeuristic, MAX_PROPOSITIONS};

/// In which order the successors of a state are told; always the same for the same state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// That of the system.
    #[default]
    System,
    /// Drawn anew for each state: a walk that wanders about.
    Shuffled(u64),
    /// Drawn once for all actions ([`System::permute`]): a walk that insists.
    Permuted(u64),
    /// Those first that are nearest to what the automaton waits for ([`DistanceHeuristic`]), those that are equally near in an order drawn
    /// for each state: a walk that climbs. If nothing is known of that, as `Shuffled`.
    Directed(u64),
}

/// A context that tells successors in this order.
pub(super) fn ordered<S: System>(system: &S, order: Order) -> S::Context {
    let mut context = system.context();
    if let Order::Permuted(seed) = order {
        system.permute(&mut context, &mut Random::new(seed));
    }
    context
}

/// Any order, always the same for the same seed.
pub(super) fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    random.shuffle(items);
}

/// What an observer waits for, if it can be told.
pub(super) fn guide(observer: Observer<'_>) -> Option<DistanceHeuristic> {
    match observer {
        Observer::Property(property) => {
            let edges = |q: u32, letter: u64| {
                let letter = [letter];
                let edges = property.enabled(q, &letter);
                edges.map(|e| (e.to, !e.mark.is_empty())).collect()
            };
            let kinds = (0..property.states()).map(|q| property.kind(q));
            let rejecting: Vec<bool> = kinds.map(|k| k == Kind::Rejecting).collect();
            DistanceHeuristic::new(property.propositions(), &edges, &rejecting)
        }
        // Rest in a livelock is no edge.
        Observer::Testing(testing) if testing.has_livelock() => None,
        Observer::Testing(testing) => {
            let edges = |q: u32, letter: u64| {
                let edges = testing.edges(q, testing.observe(&[letter])).iter();
                edges.map(|e| (e.to, e.marks)).collect()
            };
            let count = [
                testing.states(),
                testing.propositions() as u32,
                testing.sets(),
            ];
            DistanceHeuristic::of_generalized_buchi(count, &edges)
        }
    }
}

impl<S: System, M: Marks> Product<'_, S, M> {
    /// How good it is to be in a state, the less the better.
    pub(super) fn rate(&mut self, state: u32) -> Option<(u32, u64)> {
        let q = self.automaton_state(state);
        let guide = self.guide.as_ref()?;
        let system = self.wider.as_ref().unwrap_or(self.given);
        let count = self.observer.propositions();
        system.valuation(&mut self.context, &self.model, count, &mut self.valuation);
        let mut costs = [0; MAX_PROPOSITIONS];
        for (p, cost) in costs[..count].iter_mut().enumerate() {
            *cost = system.distance(&mut self.context, &self.model, p);
        }
        let stays = match self.observer {
            Observer::Property(_) => self.valuation[0],
            Observer::Testing(_) => 0,
        };
        Some(guide.estimate(q, stays, &costs[..count]))
    }
}
