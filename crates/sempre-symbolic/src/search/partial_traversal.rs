//! Accepting runs far from the initial states: depth first, a few states at a time.
//!
//! Some violations are thousands of steps away, and what lies between is too much for any set. So here a few states are expanded, by one
//! event after the other; then a few of the states that this leads to. What else an event has found, and what other events may find, waits until there is nothing new further down. Partial traversals are Ravi and Somenzi's
//! (*High-density reachability analysis*, ICCAD 1995), who keep what is dense to find all states; here it is kept small, to get far.
//!
//! What is chosen first decides nearly everything, so there are three dives in turns. One takes what comes first, and one what comes last;
//! one draws lots, is given up when it has taken its share without an answer, and begins at the top with other lots and twice the share.
//! One that has seen the whole product has an answer.
//!
//! Invariant: a cycle whose steps were all taken, and that was not there at the last attempt, has an expanded state that was met again
//! since: where the step leads from the one of its states that was expanded last. So an attempt begins there, and is cheap where little
//! was met again.
//!
//! Cycles are often short, and close near the bottom of a dive: so most attempts look only at the layers since the last one, and at as many
//! before them; few at all that was expanded.
//!
//! Cost: attempts of both kinds take about as many nodes as expansions do, each dive as many as the others, those that were given up included.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Kept, Node};
use crate::dd::set_accumulator::Growing;
use crate::product::on_the_fly::OnTheFly;
use crate::relation::model::Model;
use crate::search::explored_part::{Certain, Part};
use crate::search::outcome::Outcome;
use crate::search::owcty::Hull;
use sempre_base::Random;
use sempre_base::Stop;

/// Nodes of a turn, and of the first dive that draws lots.
const SHARE: u64 = 1 << 18;

/// Which events are taken first, and which of the states that wait are expanded next.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// The first event in the order of the model, and the first state in the order of values, with the last state of the automaton.
    First,
    /// The last ones; with each state of the automaton one.
    Last,
    /// Those that are drawn; with each state of the automaton one.
    Drawn,
}

const CHOICES: [Choice; 3] = [Choice::First, Choice::Last, Choice::Drawn];

/// A place on the way down.
#[derive(Clone, Copy, Debug)]
struct Layer {
    /// What is expanded.
    part: Kept,
    /// What was found by its events so far, and waits.
    rest: Kept,
    /// How many parts of the steps were taken, and the first one.
    taken: usize,
    first: usize,
}

/// Dives that take turns.
pub(crate) struct Dives {
    dives: [Dive; 3],
    turn: usize,
    /// When the turn began.
    since: u64,
    share: u64,
}

impl Dives {
    /// All at the top. Turns have so many nodes, if not as many as usual.
    pub fn new(forest: &mut Forest, product: &OnTheFly<'_>, share: Option<u64>) -> Self {
        let share = share.unwrap_or(SHARE);
        let dive = |choice| Dive::new(forest, product, choice, share);
        Self {
            dives: CHOICES.map(dive),
            turn: 0,
            since: forest.made(),
            share,
        }
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
        let answer = self.dives[self.turn].advance(forest, model, product)?;
        if answer.is_none() && forest.made() - self.since > self.share {
            self.turn = (self.turn + 1) % self.dives.len();
            self.since = forest.made();
        }
        Ok(answer)
    }

    /// What the one has expanded whose turn it is.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn found(&mut self, forest: &mut Forest) -> Result<Kept, Stop> {
        self.dives[self.turn].found(forest)
    }
}

/// One of them.
struct Dive {
    choice: Choice,
    /// All states that it has expanded.
    expanded: Growing,
    layers: Vec<Layer>,
    /// Those that were met again since the last attempt.
    again: Kept,
    random: Random,
    /// Nodes after which it is given up, if it draws lots.
    share: u64,
    /// The layers that have stayed since the last attempt near the bottom.
    stayed: usize,
    /// The nodes that its expansions have taken, attempts near the bottom, and attempts at all.
    searching: u64,
    trying: [u64; 2],
}

impl Dive {
    fn new(forest: &mut Forest, product: &OnTheFly<'_>, choice: Choice, share: u64) -> Self {
        let top = Layer {
            part: forest.keep(EMPTY),
            rest: forest.keep(forest.get(product.initial)),
            taken: product.parts(),
            first: 0,
        };
        Self {
            choice,
            expanded: Growing::default(),
            layers: vec![top],
            again: forest.keep(EMPTY),
            random: Random::new(1),
            share,
            stayed: 0,
            searching: 0,
            trying: [0; 2],
        }
    }

    /// Begins at the top again.
    fn surface(&mut self, forest: &mut Forest, product: &OnTheFly<'_>) {
        let layers = self.layers.drain(..).flat_map(|l| [l.part, l.rest]);
        for kept in layers.chain([self.again]) {
            forest.release(kept);
        }
        std::mem::take(&mut self.expanded).release(forest);
        *self = Self {
            random: self.random.clone(),
            ..Self::new(forest, product, self.choice, 2 * self.share)
        };
    }

    fn advance(
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
        for near in [true, false] {
            let trying = &self.trying[usize::from(!near)];
            if forest.get(self.again) == EMPTY || !is_done && *trying > self.searching {
                continue;
            }
            let begin = forest.made();
            if let Some((part, hull)) = self.attempt(forest, product, near && !is_done)? {
                return Ok(Some(part.run(forest, model, &hull)?));
            }
            self.trying[usize::from(!near)] += forest.made() - begin;
        }
        if is_done {
            let part = self.whole(forest, product)?;
            return Ok(Some(part.nothing(forest, model)?));
        }
        let is_over = self.searching + self.trying[0] + self.trying[1] > self.share;
        if matches!(self.choice, Choice::Drawn) && is_over {
            self.surface(forest, product);
        }
        Ok(None)
    }

    /// All that it has expanded.
    fn found(&mut self, forest: &mut Forest) -> Result<Kept, Stop> {
        let all = self.expanded.all(forest)?;
        Ok(forest.keep(all))
    }

    fn whole<'a>(
        &mut self,
        forest: &mut Forest,
        product: &'a OnTheFly<'a>,
    ) -> Result<Part<'a>, Stop> {
        let found = self.found(forest)?;
        Ok(Part { product, found })
    }

    /// Looks for accepting cycles near the bottom, or among all that was expanded.
    fn attempt<'a>(
        &mut self,
        forest: &mut Forest,
        product: &'a OnTheFly<'a>,
        near: bool,
    ) -> Result<Option<(Part<'a>, Hull)>, Stop> {
        let part = match near {
            false => self.whole(forest, product)?,
            true => {
                let count = self.layers.len();
                let first = self.stayed.saturating_sub(count - self.stayed + 1);
                self.stayed = count;
                let mut last = Growing::default();
                for layer in &self.layers[first..] {
                    last.add(forest, forest.get(layer.part))?;
                }
                let found = last.all(forest)?;
                let found = forest.keep(found);
                last.release(forest);
                Part { product, found }
            }
        };
        let start = forest.intersection(forest.get(self.again), forest.get(part.found))?;
        let start = forest.keep(start);
        let patience = match self.layers.is_empty() {
            true => u64::MAX,
            false => self.searching.max(SHARE),
        };
        let hull = forest.within(patience, |forest| part.hull(forest, forest.get(start)))?;
        forest.release(start);
        forest.release(part.found);
        match hull {
            // The way there leads through all.
            Some(Some(hull)) => {
                let part = self.whole(forest, product)?;
                let reachable = part.found;
                return Ok(Some((part, Hull { reachable, ..hull })));
            }
            Some(None) if !near => forest.set(self.again, EMPTY),
            Some(None) | None => {}
        }
        Ok(None)
    }

    /// Expands a few of the states that wait, or that one more event leads to.
    fn descend(
        &mut self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        product: &mut OnTheFly<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let parts = product.parts();
        while let Some(layer) = self.layers.last_mut() {
            let Layer { part, rest, .. } = *layer;
            let new = self.expanded.lacks(forest, forest.get(rest))?;
            forest.set(rest, new);
            if new != EMPTY {
                return self.push(forest, model, product, rest);
            }
            if layer.taken == parts {
                forest.release(part);
                forest.release(rest);
                self.layers.pop();
                self.stayed = self.stayed.min(self.layers.len());
                continue;
            }
            let next = match self.choice {
                Choice::First => layer.taken,
                Choice::Last => parts - 1 - layer.taken,
                Choice::Drawn => (layer.first + layer.taken) % parts,
            };
            layer.taken += 1;
            let next = product.expand_by(forest, model, part, next)?;
            if next != EMPTY {
                forest.set(rest, next);
                let new = self.expanded.lacks(forest, next)?;
                let again = forest.difference(forest.get(rest), new)?;
                forest.add(self.again, again)?;
            }
        }
        Ok(None)
    }

    /// Goes one layer down.
    fn push(
        &mut self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        product: &mut OnTheFly<'_>,
        rest: Kept,
    ) -> Result<Option<Outcome>, Stop> {
        let some = self.choose(forest, forest.get(rest))?;
        let part = forest.keep(some);
        self.expanded.add(forest, some)?;
        product.learn(forest, model, forest.get(part))?;
        // All that leads to it is on the way.
        let found = part;
        let whole = Part { product, found };
        // What is at the top has nothing before it.
        let before = self.layers.iter().skip(1).map(|l| l.part);
        match whole.certain_run(forest, model, before, part)? {
            Certain::Violated(outcome) => return Ok(Some(outcome)),
            Certain::Fails => product.accepts_all = None,
            Certain::Nothing => {}
        }
        self.layers.push(Layer {
            part,
            rest: forest.keep(EMPTY),
            taken: 0,
            first: self.random.below(product.parts()),
        });
        Ok(None)
    }

    /// Some of the states that wait.
    fn choose(&mut self, forest: &mut Forest, rest: Node) -> Result<Node, Stop> {
        let mut rows: Vec<(u32, Node)> = forest.list(rest).collect();
        // Further on in the automaton is nearer to acceptance.
        if let Choice::First = self.choice {
            rows.drain(..rows.len() - 1);
        }
        let mut vectors = Vec::with_capacity(rows.len());
        for (q, states) in rows {
            let vector = match self.choice {
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
