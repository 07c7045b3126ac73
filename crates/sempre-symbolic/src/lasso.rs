//! An accepting run from the fixpoint of [`crate::owcty`].
//!
//! In the fixpoint every state has a predecessor, and steps of every acceptance set behind it. So a strongly connected component
//! that nothing in the fixpoint leads into from outside is accepting, and one is found by going back: from some state,
//! what leads to it; if it leads back to all of that, that is the component, else we go on from a state it does not lead back to.
//!
//! The run goes from the initial states to the component, as short as possible, then around in it through a step of
//! each set, each time a shortest way. Ways are found by layers of images, and then back through the layers by preimages of
//! single states.

use crate::collect::Stop;
use crate::forest::{EMPTY, Forest, Kept, Node};
use crate::graph::Graph;
use crate::owcty::Hull;

/// A run of the product: vectors that start with the state of the automaton. The last of the cycle leads to its first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What happens once.
    pub prefix: Vec<Vec<u32>>,
    /// What happens for ever; not empty.
    pub cycle: Vec<Vec<u32>>,
    /// For the step from each state of the cycle, the acceptance set for whose sake it is taken, if there is one.
    pub wanted: Vec<Option<usize>>,
}

/// An accepting run; `None` if the fixpoint is empty.
///
/// # Errors
/// If there is no room, or it is time to stop.
pub fn accepting_run(
    forest: &mut Forest,
    product: &impl Graph,
    found: &Hull,
) -> Result<Option<Run>, Stop> {
    if forest.get(found.hull) == EMPTY {
        return Ok(None);
    }
    // A state of the fixpoint that is as near to the initial states as any.
    let (goal, within) = (forest.get(found.hull), forest.get(found.reachable));
    let near = way_to(forest, product, goal, within)?;
    let Some(start) = near.and_then(|mut way| way.pop()) else {
        return Ok(None);
    };
    let mut finder = Finder { forest, product };
    let component = finder.component(start, found.hull)?;
    let goal = finder.forest.get(component);
    let within = finder.forest.get(found.reachable);
    let Some(mut prefix) = way_to(finder.forest, product, goal, within)? else {
        return Ok(None);
    };
    let Some(first) = prefix.pop() else {
        return Ok(None);
    };
    let mut cycle = vec![first.clone()];
    let mut wanted = Vec::new();
    for set in 0..product.sets() {
        // Where a step of the set stays in the component.
        let c = finder.forest.get(component);
        let sources = product.preimage(finder.forest, c, Some(set), c)?;
        let sources = finder.forest.keep(sources);
        let here = cycle[cycle.len() - 1].clone();
        let from = finder.forest.singleton(&here)?;
        let (goal, c) = (finder.forest.get(sources), finder.forest.get(component));
        let Some(way) = finder.way(from, goal, c)? else {
            return Ok(None);
        };
        cycle.extend(way.into_iter().skip(1));
        wanted.resize(cycle.len() - 1, None);
        finder.forest.release(sources);
        let here = cycle[cycle.len() - 1].clone();
        let one = finder.forest.singleton(&here)?;
        let next = product.image(finder.forest, one, Some(set))?;
        let next = finder
            .forest
            .intersection(next, finder.forest.get(component))?;
        cycle.extend(finder.forest.first(next));
        wanted.push(Some(set));
    }
    // And back: by at least one step.
    let here = cycle[cycle.len() - 1].clone();
    if cycle.len() == 1 || here != first {
        let one = finder.forest.singleton(&here)?;
        let next = product.image(finder.forest, one, None)?;
        let next = finder
            .forest
            .intersection(next, finder.forest.get(component))?;
        let next = finder.forest.keep(next);
        let goal = finder.forest.singleton(&first)?;
        let (from, c) = (finder.forest.get(next), finder.forest.get(component));
        let Some(way) = finder.way(from, goal, c)? else {
            return Ok(None);
        };
        cycle.extend(way);
    }
    // Its end is its beginning.
    cycle.pop();
    wanted.resize(cycle.len(), None);
    Ok(Some(Run {
        prefix,
        cycle,
        wanted,
    }))
}

/// A shortest way from the initial states to a set, the ends included, within another.
///
/// # Errors
/// If there is no room, or it is time to stop.
pub(crate) fn way_to(
    forest: &mut Forest,
    product: &impl Graph,
    goal: Node,
    within: Node,
) -> Result<Option<Vec<Vec<u32>>>, Stop> {
    let initial = forest.get(product.initial());
    Finder { forest, product }.way(initial, goal, within)
}

/// A way through layers of images to a state of the last one.
pub(crate) fn back_through(
    forest: &mut Forest,
    product: &impl Graph,
    layers: &[Kept],
    last: Vec<u32>,
) -> Result<Vec<Vec<u32>>, Stop> {
    let mut back = vec![last];
    for &layer in layers.iter().rev().skip(1) {
        let one = forest.singleton(&back[back.len() - 1])?;
        let universe = forest.get(layer);
        let before = product.preimage(forest, one, None, universe)?;
        back.extend(forest.first(before));
    }
    back.reverse();
    Ok(back)
}

struct Finder<'a, G> {
    forest: &'a mut Forest,
    product: &'a G,
}

impl<G: Graph> Finder<'_, G> {
    /// A component that nothing in the set leads into from outside.
    fn component(&mut self, start: Vec<u32>, set: Kept) -> Result<Kept, Stop> {
        let mut start = start;
        let universe = self.forest.keep(self.forest.get(set));
        loop {
            let one = self.forest.singleton(&start)?;
            let back = self.closure(one, universe, false)?;
            let one = self.forest.singleton(&start)?;
            let both = self.closure(one, back, true)?;
            let rest = self
                .forest
                .difference(self.forest.get(back), self.forest.get(both))?;
            match self.forest.first(rest) {
                None => {
                    self.forest.release(both);
                    self.forest.release(universe);
                    return Ok(back);
                }
                Some(next) => {
                    // All that leads to it is here, too.
                    self.forest.set(universe, rest);
                    start = next;
                }
            }
            self.forest.release(back);
            self.forest.release(both);
        }
    }

    /// What a set leads to within another, or what leads to it; kept.
    fn closure(&mut self, set: Node, within: Kept, forward: bool) -> Result<Kept, Stop> {
        let all = self.forest.keep(set);
        let fresh = self.forest.keep(set);
        while self.forest.get(fresh) != EMPTY {
            let (now, universe) = (self.forest.get(fresh), self.forest.get(within));
            let next = if forward {
                let next = self.product.image(self.forest, now, None)?;
                self.forest.intersection(next, self.forest.get(within))?
            } else {
                self.product.preimage(self.forest, now, None, universe)?
            };
            let new = self.forest.difference(next, self.forest.get(all))?;
            self.forest.set(fresh, new);
            let union = self.forest.union(self.forest.get(all), new)?;
            self.forest.set(all, union);
        }
        self.forest.release(fresh);
        Ok(all)
    }

    /// A shortest way from one set to another, the ends included, within a third.
    fn way(&mut self, from: Node, to: Node, within: Node) -> Result<Option<Vec<Vec<u32>>>, Stop> {
        let goal = self.forest.keep(to);
        let universe = self.forest.keep(within);
        let seen = self.forest.keep(from);
        let mut layers = vec![self.forest.keep(from)];
        let mut last = None;
        while let Some(&layer) = layers.last() {
            let now = self.forest.get(layer);
            if now == EMPTY {
                break;
            }
            let met = self.forest.intersection(now, self.forest.get(goal))?;
            if let Some(vector) = self.forest.first(met) {
                last = Some(vector);
                break;
            }
            let now = self.forest.get(layer);
            let next = self.product.image(self.forest, now, None)?;
            let next = self.forest.intersection(next, self.forest.get(universe))?;
            let new = self.forest.difference(next, self.forest.get(seen))?;
            layers.push(self.forest.keep(new));
            let union = self.forest.union(self.forest.get(seen), new)?;
            self.forest.set(seen, union);
        }
        let mut way = None;
        if let Some(vector) = last {
            way = Some(back_through(self.forest, self.product, &layers, vector)?);
        }
        for layer in layers {
            self.forest.release(layer);
        }
        for kept in [goal, universe, seen] {
            self.forest.release(kept);
        }
        Ok(way)
    }
}
