//! Partial traversal: accepting runs far from the initial states, depth-first, a few states at a time.
//!
//! Some violations are thousands of steps away, with too many states in between for any set. So this search expands a
//! few states, by one event after another, and continues with a few of their successors. The other successors, and the
//! other events, wait until there is nothing new further down. Partial traversals are by Ravi and Somenzi
//! (*High-density reachability analysis*, ICCAD 1995), who choose dense subsets to find all states; here the subsets
//! are small, to get far.
//!
//! The first choices decide nearly everything, so there are three traversals in turns. One chooses what comes first,
//! one what comes last. The third chooses at random, and restarts with new random choices and twice its share of nodes
//! when it has used its share. A traversal that has explored the explored product decides it.
//!
//! Invariant: a cycle whose steps have all been taken, and that did not exist at the last check, has an expanded state
//! that was revisited since: the target of the step from its last expanded state. So a check starts there, and is cheap
//! if few states were revisited.
//!
//! Cycles are often short, and close near the deepest level. So most checks consider only the levels since the last
//! check, and as many before them; few consider all expanded states.
//!
//! Cost: checks of both kinds take about as many nodes as expansions, and each traversal as many as the others,
//! including those before restarts.

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

/// Nodes of a turn, and of the first random traversal.
const SHARE: u64 = 1 << 18;

/// Which events are taken first, and which of the waiting states are expanded next.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// The first event in the order of the model, and the first state in lexicographic order with the last state of the
    /// automaton.
    First,
    /// The last event, and the last state; one for each state of the automaton.
    Last,
    /// A random event, and a random state; one for each state of the automaton.
    Random,
}

const CHOICES: [Choice; 3] = [Choice::First, Choice::Last, Choice::Random];

/// A level of the traversal.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The expanded states.
    part: Root,
    /// Successors found by its events so far, which wait.
    waiting: Root,
    /// How many parts of the steps were taken, and the first of them.
    taken: usize,
    first: usize,
}

/// Traversals that take turns.
pub(crate) struct PartialTraversals {
    traversals: [PartialTraversal; 3],
    turn: usize,
    /// Nodes made when the turn began.
    since: u64,
    share: u64,
}

impl PartialTraversals {
    /// All traversals at the initial states. Turns have this many nodes, or the default.
    pub(crate) fn new(forest: &mut Forest, product: &OnTheFly<'_>, share: Option<u64>) -> Self {
        let share = share.unwrap_or(SHARE);
        let traversal = |choice| PartialTraversal::new(forest, product, choice, share);
        Self {
            traversals: CHOICES.map(traversal),
            turn: 0,
            since: forest.nodes_made(),
            share,
        }
    }

    /// Expands a few states. Returns the outcome if it is decided.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn advance(
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

    /// The states that the current traversal has expanded.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn found(&mut self, forest: &mut Forest) -> Result<Root, Stop> {
        self.traversals[self.turn].found(forest)
    }
}

/// One traversal.
struct PartialTraversal {
    choice: Choice,
    /// All expanded states.
    expanded: SetAccumulator,
    levels: Vec<Level>,
    /// States revisited since the last check.
    revisited: Root,
    random: Random,
    /// Nodes before a random traversal restarts.
    share: u64,
    /// The levels that are unchanged since the last check near the deepest level.
    stayed: usize,
    /// Nodes made by expansions, by checks near the deepest level, and by checks of all states.
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

    /// Restarts at the initial states.
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
            if let Some((part, hull)) = self.find_hull(forest, product, near && !is_done)? {
                return Ok(Some(part.run(forest, model, &hull)?));
            }
            self.check_nodes[usize::from(!near)] += forest.nodes_made() - begin;
        }
        if is_done {
            let part = self.all_expanded(forest, product)?;
            return Ok(Some(part.exhausted(forest, model)?));
        }
        let is_over = self.search_nodes + self.check_nodes[0] + self.check_nodes[1] > self.share;
        if matches!(self.choice, Choice::Random) && is_over {
            self.restart(forest, product);
        }
        Ok(None)
    }

    /// All expanded states.
    fn found(&mut self, forest: &mut Forest) -> Result<Root, Stop> {
        let all = self.expanded.union(forest)?;
        Ok(forest.protect(all))
    }

    fn all_expanded<'a>(
        &mut self,
        forest: &mut Forest,
        product: &'a OnTheFly<'a>,
    ) -> Result<ExploredPart<'a>, Stop> {
        let found = self.found(forest)?;
        Ok(ExploredPart { product, found })
    }

    /// Checks for accepting cycles near the deepest level, or among all expanded states.
    fn find_hull<'a>(
        &mut self,
        forest: &mut Forest,
        product: &'a OnTheFly<'a>,
        near: bool,
    ) -> Result<Option<(ExploredPart<'a>, FairHull)>, Stop> {
        let part = match near {
            false => self.all_expanded(forest, product)?,
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
            // The path to the cycle may use all expanded states.
            Some(Some(hull)) => {
                let part = self.all_expanded(forest, product)?;
                let reachable = part.found;
                return Ok(Some((part, FairHull { reachable, ..hull })));
            }
            Some(None) if !near => forest.set(self.revisited, EMPTY),
            Some(None) | None => {}
        }
        Ok(None)
    }

    /// Expands a few of the waiting states, or takes the next event.
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

    /// Adds a level.
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
        // All states on the path are in the levels.
        let found = part;
        let explored = ExploredPart { product, found };
        // The first level has no expanded states.
        let before = self.levels.iter().skip(1).map(|l| l.part);
        match explored.accept_all_run(forest, model, before, part)? {
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

    /// Some of the waiting states.
    fn choose(&mut self, forest: &mut Forest, waiting: Node) -> Result<Node, Stop> {
        let mut rows: Vec<(u32, Node)> = forest.list(waiting).collect();
        // Later states of the automaton are nearer to acceptance.
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
