//! Accepting runs far from the initial states: depth first, a few states at a time.
//!
//! Some violations are thousands of steps away, and what lies between is too much for any set. So here only a part of what a step has
//! found is expanded, a few states with each state of the automaton; then a part of what these lead to; the rest waits until there is
//! nothing new further down. Partial traversals are Ravi and Somenzi's (*High-density reachability analysis*, ICCAD 1995), who keep
//! what is dense to find all states; here it is kept small, to get far.
//!
//! A dive that has taken its share without an answer is given up, and another begins at the top with other states and twice the share:
//! what is chosen first decides nearly everything. One that has seen the whole product has an answer.
//!
//! Invariant: a cycle that was not there at the last attempt has a state that was met again since: where the step leads from the one of
//! its states that was expanded last. So an attempt begins there, and is cheap where little was met again.
//!
//! Cost: attempts take about as many nodes as expansions do, dives that were given up as many as the last one.

use crate::check::Outcome;
use crate::collect::Stop;
use crate::forest::{EMPTY, Forest, Kept, Node};
use crate::model::Model;
use crate::on_the_fly::{Certain, OnTheFly, Part};
use sempre_base::Random;

/// Nodes of the first dives.
const SHARE: u64 = 1 << 18;

/// Which of the states that wait are expanded next; with each state of the automaton some.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// The first, in the order of values.
    First,
    /// The last.
    Last,
    /// One that is drawn.
    Drawn,
}

const CHOICES: [Choice; 3] = [Choice::First, Choice::Last, Choice::Drawn];

/// One dive after another.
pub(crate) struct Dives {
    /// All states that the last one has found.
    pub found: Kept,
    /// What is expanded on the way down, and what else was found there.
    layers: Vec<(Kept, Kept)>,
    /// States that were met again since the last attempt.
    again: Kept,
    random: Random,
    /// How many dives were given up, and after how many nodes the first ones are.
    given_up: usize,
    share: u64,
    /// The nodes that this one's expansions and attempts have taken.
    searching: u64,
    trying: u64,
}

impl Dives {
    /// The first one, at the top.
    pub fn new(forest: &mut Forest, product: &OnTheFly<'_>, share: Option<u64>) -> Self {
        let initial = forest.get(product.initial);
        Self {
            found: forest.keep(initial),
            layers: vec![(forest.keep(EMPTY), forest.keep(initial))],
            again: forest.keep(EMPTY),
            random: Random::new(1),
            given_up: 0,
            share: share.unwrap_or(SHARE),
            searching: 0,
            trying: 0,
        }
    }

    /// Begins at the top again.
    fn surface(&mut self, forest: &mut Forest, product: &OnTheFly<'_>) {
        for kept in self.layers.drain(..).flat_map(|(a, b)| [a, b]) {
            forest.release(kept);
        }
        forest.release(self.found);
        forest.release(self.again);
        *self = Self {
            given_up: self.given_up + 1,
            random: self.random.clone(),
            ..Self::new(forest, product, Some(self.share))
        };
    }

    /// Expands a few states. An answer, if there is one.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn advance(
        &mut self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        product: &mut OnTheFly<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let begin = forest.made();
        if let Some(outcome) = self.descend(forest, model, product)? {
            return Ok(Some(outcome));
        }
        self.searching += forest.made() - begin;
        let is_done = self.layers.is_empty();
        let part = Part {
            product,
            found: self.found,
        };
        let begin = forest.made();
        if forest.get(self.again) != EMPTY && (is_done || self.trying <= self.searching) {
            let patience = if is_done {
                u64::MAX
            } else {
                self.searching.max(self.share)
            };
            let again = self.again;
            let hull = forest.within(patience, |forest| part.hull(forest, forest.get(again)))?;
            match hull {
                Some(Some(hull)) => return Ok(Some(part.run(forest, model, &hull)?)),
                Some(None) => forest.set(again, EMPTY),
                None => {}
            }
        }
        self.trying += forest.made() - begin;
        if is_done {
            return Ok(Some(part.nothing(forest, model)?));
        }
        if self.searching + self.trying > self.share << (self.given_up / CHOICES.len()) {
            self.surface(forest, product);
        }
        Ok(None)
    }

    /// Expands a part of the last layer that has something left.
    fn descend(
        &mut self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        product: &mut OnTheFly<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        while let Some(&(part, rest)) = self.layers.last()
            && forest.get(rest) == EMPTY
        {
            forest.release(part);
            forest.release(rest);
            self.layers.pop();
        }
        let Some(&(part, rest)) = self.layers.last() else {
            return Ok(None);
        };
        let some = self.choose(forest, forest.get(rest))?;
        forest.set(part, some);
        let less = forest.difference(forest.get(rest), some)?;
        forest.set(rest, less);
        let next = product.expand(forest, model, part)?;
        let next = forest.keep(next);
        let known = forest.intersection(forest.get(next), forest.get(self.found))?;
        forest.add(self.again, known)?;
        let new = forest.difference(forest.get(next), forest.get(self.found))?;
        forest.set(next, new);
        forest.add(self.found, new)?;
        let found = self.found;
        let whole = Part { product, found };
        let parts = self.layers.iter().map(|l| l.0);
        match whole.certain_run(forest, model, parts, next)? {
            Certain::Violated(outcome) => return Ok(Some(outcome)),
            Certain::Fails => product.accepts_all = None,
            Certain::Nothing => {}
        }
        self.layers.push((forest.keep(EMPTY), next));
        Ok(None)
    }

    /// Some of what waits, with each state of the automaton one.
    fn choose(&mut self, forest: &mut Forest, rest: Node) -> Result<Node, Stop> {
        let mut vectors = Vec::new();
        for (q, states) in forest.list(rest) {
            let vector = match CHOICES[self.given_up % CHOICES.len()] {
                Choice::First => forest.first(states),
                Choice::Last => forest.last(states),
                Choice::Drawn => forest.drawn(states, &mut self.random),
            };
            let with = |v: Vec<u32>| std::iter::once(q).chain(v).collect();
            vectors.extend(vector.map(with));
        }
        forest.set_of(&mut vectors)
    }
}
