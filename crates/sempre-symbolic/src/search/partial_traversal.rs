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
use crate::dd::node::{EMPTY, Node, Root};
use crate::dd::set_accumulator::SetAccumulator;
use crate::product::on_the_fly::OnTheFly;
use crate::relation::model::Model;
use crate::search::explored_part::{AcceptAll, ExploredPart};
use crate::search::outcome::Outcome;
use crate::search::owcty::FairHull;
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
    Random,
}

const CHOICES: [Choice; 3] = [Choice::First, Choice::Last, Choice::Random];

/// A place on the way down.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// What is expanded.
    part: Root,
    /// What was found by its events so far, and waits.
    waiting: Root,
    /// How many parts of the steps were taken, and the first one.
    taken: usize,
    first: usize,
}

/// Dives that take turns.
pub(crate) struct PartialTraversals {
    traversals: [PartialTraversal; 3],
    turn: usize,
    /// When the turn began.
    since: u64,
    share: u64,
}

impl PartialTraversals {
    /// All at the top. Turns have so many nodes, if not as many as usual.
    pub fn new(forest: &mut Forest, product: &OnTheFly<'_>, share: Option<u64>) -> Self {
        let share = share.unwrap_or(SHARE);
        let dive = |choice| PartialTraversal::new(forest, product, choice, share);
        Self {
            traversals: CHOICES.map(dive),
            turn: 0,
            since: forest.nodes_made(),
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
        let answer = self.traversals[self.turn].advance(forest, model, product)?;
        if answer.is_none() && forest.nodes_made() - self.since > self.share {
            self.turn = (self.turn + 1) % self.traversals.len();
            self.since = forest.nodes_made();
        }
        Ok(answer)
    }

    /// What the one has expanded whose turn it is.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn found(&mut self, forest: &mut Forest) -> Result<Root, Stop> {
        self.traversals[self.turn].found(forest)
    }
}

/// One of them.
struct PartialTraversal {
    choice: Choice,
    /// All states that it has expanded.
    expanded: SetAccumulator,
    levels: Vec<Level>,
    /// Those that were met again since the last attempt.
    revisited: Root,
    random: Random,
    /// Nodes after which it is given up, if it draws lots.
    share: u64,
    /// The layers that have stayed since the last attempt near the bottom.
    stayed: usize,
    /// The nodes that its expansions have taken, attempts near the bottom, and attempts at all.
    search_nodes: u64,
    check_nodes: [u64; 2],
}

impl PartialTraversal {
    fn new(forest: &mut Forest, product: &OnTheFly<'_>, choice: Choice, share: u64) -> Self {
        let top = Level {
            part: forest.protect(EMPTY),
            waiting: forest.protect(forest.get(product.initial)),
            taken: product.parts(),
            first: 0,
        };
        Self {
            choice,
            expanded: SetAccumulator::default(),
            levels: vec![top],
            revisited: forest.protect(EMPTY),
            random: Random::new(1),
            share,
            stayed: 0,
            search_nodes: 0,
            check_nodes: [0; 2],
        }
    }

    /// Begins at the top again.
    fn restart(&mut self, forest: &mut Forest, product: &OnTheFly<'_>) {
        let levels = self.levels.drain(..).flat_map(|l| [l.part, l.waiting]);
        for root in levels.chain([self.revisited]) {
            forest.unprotect(root);
        }
        std::mem::take(&mut self.expanded).unprotect(forest);
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
        let begin = forest.nodes_made();
        if let Some(outcome) = self.expand_next(forest, model, product)? {
            return Ok(Some(outcome));
        }
        self.search_nodes += forest.nodes_made() - begin;
        let is_done = self.levels.is_empty();
        for near in [true, false] {
            let check_nodes = &self.check_nodes[usize::from(!near)];
            if forest.get(self.revisited) == EMPTY || !is_done && *check_nodes > self.search_nodes {
                continue;
            }
            let begin = forest.nodes_made();
            if let Some((part, hull)) = self.attempt(forest, product, near && !is_done)? {
                return Ok(Some(part.run(forest, model, &hull)?));
            }
            self.check_nodes[usize::from(!near)] += forest.nodes_made() - begin;
        }
        if is_done {
            let part = self.whole(forest, product)?;
            return Ok(Some(part.exhausted(forest, model)?));
        }
        let is_over = self.search_nodes + self.check_nodes[0] + self.check_nodes[1] > self.share;
        if matches!(self.choice, Choice::Random) && is_over {
            self.restart(forest, product);
        }
        Ok(None)
    }

    /// All that it has expanded.
    fn found(&mut self, forest: &mut Forest) -> Result<Root, Stop> {
        let all = self.expanded.union(forest)?;
        Ok(forest.protect(all))
    }

    fn whole<'a>(
        &mut self,
        forest: &mut Forest,
        product: &'a OnTheFly<'a>,
    ) -> Result<ExploredPart<'a>, Stop> {
        let found = self.found(forest)?;
        Ok(ExploredPart { product, found })
    }

    /// Looks for accepting cycles near the bottom, or among all that was expanded.
    fn attempt<'a>(
        &mut self,
        forest: &mut Forest,
        product: &'a OnTheFly<'a>,
        near: bool,
    ) -> Result<Option<(ExploredPart<'a>, FairHull)>, Stop> {
        let part = match near {
            false => self.whole(forest, product)?,
            true => {
                let count = self.levels.len();
                let first = self.stayed.saturating_sub(count - self.stayed + 1);
                self.stayed = count;
                let mut last = SetAccumulator::default();
                for level in &self.levels[first..] {
                    last.add(forest, forest.get(level.part))?;
                }
                let found = last.union(forest)?;
                let found = forest.protect(found);
                last.unprotect(forest);
                ExploredPart { product, found }
            }
        };
        let start = forest.intersection(forest.get(self.revisited), forest.get(part.found))?;
        let start = forest.protect(start);
        let budget = match self.levels.is_empty() {
            true => u64::MAX,
            false => self.search_nodes.max(SHARE),
        };
        let hull = forest.with_budget(budget, |forest| part.hull(forest, forest.get(start)))?;
        forest.unprotect(start);
        forest.unprotect(part.found);
        match hull {
            // The way there leads through all.
            Some(Some(hull)) => {
                let part = self.whole(forest, product)?;
                let reachable = part.found;
                return Ok(Some((part, FairHull { reachable, ..hull })));
            }
            Some(None) if !near => forest.set(self.revisited, EMPTY),
            Some(None) | None => {}
        }
        Ok(None)
    }

    /// Expands a few of the states that wait, or that one more event leads to.
    fn expand_next(
        &mut self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        product: &mut OnTheFly<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let parts = product.parts();
        while let Some(level) = self.levels.last_mut() {
            let Level { part, waiting, .. } = *level;
            let new = self.expanded.missing(forest, forest.get(waiting))?;
            forest.set(waiting, new);
            if new != EMPTY {
                return self.push_level(forest, model, product, waiting);
            }
            if level.taken == parts {
                forest.unprotect(part);
                forest.unprotect(waiting);
                self.levels.pop();
                self.stayed = self.stayed.min(self.levels.len());
                continue;
            }
            let next = match self.choice {
                Choice::First => level.taken,
                Choice::Last => parts - 1 - level.taken,
                Choice::Random => (level.first + level.taken) % parts,
            };
            level.taken += 1;
            let next = product.expand_part(forest, model, part, next)?;
            if next != EMPTY {
                forest.set(waiting, next);
                let new = self.expanded.missing(forest, next)?;
                let revisited = forest.difference(forest.get(waiting), new)?;
                forest.union_into(self.revisited, revisited)?;
            }
        }
        Ok(None)
    }

    /// Goes one layer down.
    fn push_level(
        &mut self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        product: &mut OnTheFly<'_>,
        waiting: Root,
    ) -> Result<Option<Outcome>, Stop> {
        let some = self.choose(forest, forest.get(waiting))?;
        let part = forest.protect(some);
        self.expanded.add(forest, some)?;
        product.learn(forest, model, forest.get(part))?;
        // All that leads to it is on the way.
        let found = part;
        let whole = ExploredPart { product, found };
        // What is at the top has nothing before it.
        let before = self.levels.iter().skip(1).map(|l| l.part);
        match whole.accept_all_run(forest, model, before, part)? {
            AcceptAll::Violated(outcome) => return Ok(Some(outcome)),
            AcceptAll::Fails => product.accepts_all = None,
            AcceptAll::Nothing => {}
        }
        self.levels.push(Level {
            part,
            waiting: forest.protect(EMPTY),
            taken: 0,
            first: self.random.below(product.parts()),
        });
        Ok(None)
    }

    /// Some of the states that wait.
    fn choose(&mut self, forest: &mut Forest, waiting: Node) -> Result<Node, Stop> {
        let mut rows: Vec<(u32, Node)> = forest.list(waiting).collect();
        // Further on in the automaton is nearer to acceptance.
        if let Choice::First = self.choice {
            rows.drain(..rows.len() - 1);
        }
        let mut vectors = Vec::with_capacity(rows.len());
        for (q, states) in rows {
            let vector = match self.choice {
                Choice::First => forest.first(states),
                Choice::Last => forest.last(states),
                Choice::Random => forest.random_vector(states, &mut self.random),
            };
            let with = |v: Vec<u32>| std::iter::once(q).chain(v).collect();
            vectors.extend(vector.map(with));
        }
        forest.set_of(&mut vectors)
    }
}
