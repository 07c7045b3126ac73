//! The product as emptiness checks see it.

use super::order::shuffle;
use super::{Observer, Order, Product};
use crate::marks::Marks;
use crate::property::Kind;
use crate::space::{Edge, Space, Stop, Wanted};
use sempre_model::system::System;
use sempre_omega::Acceptance;
use sempre_store::Budget;
use std::sync::Arc;

impl<S: System, M: Marks> Space<M> for Product<'_, S, M> {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        self.batch.clear();
        self.found.clear();
        let system = self.wider.as_ref().unwrap_or(self.given);
        let mut models: Vec<Vec<u64>> = Vec::new();
        system.initial(&mut self.context, &mut |state| models.push(state.to_vec()));
        let levels = self.levels();
        for model in models {
            let states: Vec<u32> = match self.observer {
                Observer::Property(property) => property.initial().to_vec(),
                Observer::Testing(testing) => {
                    let system = self.wider.as_ref().unwrap_or(self.given);
                    let (count, valuation) = (testing.propositions(), &mut self.valuation);
                    system.valuation(&mut self.context, &model, count, valuation);
                    let observed = testing.observe(valuation);
                    let states: Vec<u32> = testing.beginning(observed).collect();
                    self.found.extend(states.iter().map(|_| observed as u32));
                    states
                }
            };
            for q in states {
                self.packing
                    .join(&model, u64::from(q) * levels, &mut self.scratch);
                self.batch.push(&self.scratch);
            }
        }
        self.enter()?;
        let mut initial: Vec<u32> = self.batch.found().iter().map(|f| f.index).collect();
        let mut seen = rustc_hash::FxHashSet::default();
        initial.retain(|&i| seen.insert(i));
        Ok(initial)
    }

    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<M>>) -> Result<(), Stop> {
        if self.patience == 0 {
            self.look_up()?;
        }
        self.patience -= 1;
        let (value, leaf) = self.ask(state)?;
        if !self.waiting.is_empty() {
            self.combine(state, value, leaf);
        }
        self.enter()?;
        self.counted.0 += 1;
        self.counted.1 += self.steps.len() as u64;
        let begin = edges.len();
        let found = self.batch.found().iter();
        edges.extend((found.zip(&self.steps)).map(|(found, &(marks, _))| Edge {
            target: found.index,
            marks,
        }));
        if let Order::Shuffled(seed) | Order::Directed(seed) = self.shape.order {
            shuffle(&mut edges[begin..], seed ^ u64::from(state));
            if self.guide.is_some() {
                edges[begin..].sort_by_cached_key(|edge| self.rate(edge.target));
            }
        }
        Ok(())
    }

    /// Those of the automaton; each must be in the sets of the model and of fairness, too.
    fn goals(&self) -> Vec<Wanted<M>> {
        match self.observer {
            Observer::Property(property) if !property.is_generalized_buchi() => {
                let others = M::all(self.sets).minus(M::all(property.sets()));
                let each = property
                    .clauses()
                    .unwrap_or(&[])
                    .iter()
                    .map(|clause| Wanted {
                        all: others.union(M::from_words(clause.inf.words())),
                        avoid: M::from_words(clause.fin.words()),
                    });
                each.collect()
            }
            _ => vec![self.wanted()],
        }
    }

    fn condition(&self) -> Acceptance {
        let (first, own) = match self.observer {
            Observer::Property(property) => (property.sets(), Some(property.condition().clone())),
            Observer::Testing(_) => (0, None),
        };
        let others = (first..self.sets()).map(Acceptance::Inf);
        Acceptance::and(own.into_iter().chain(others))
    }

    fn sets(&self) -> u32 {
        if self.shape.degeneralized {
            1
        } else {
            self.sets
        }
    }

    fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }

    /// That of the automaton's component, unless there are other acceptance sets than the automaton's.
    fn kind(&mut self, state: u32) -> Kind {
        let Observer::Property(property) = self.observer else {
            return Kind::Mixed;
        };
        match property.kind(self.automaton_state(state)) {
            Kind::Weak | Kind::Terminal if self.sets > property.sets() => Kind::Mixed,
            kind => kind,
        }
    }

    fn accepted(&mut self) {
        self.limits.states = None;
    }

    fn livelock(&mut self, state: u32) -> bool {
        match self.observer {
            Observer::Property(_) => false,
            Observer::Testing(testing) => testing.livelock(self.automaton_state(state)),
        }
    }
}
