//! An accepting run from the fixpoint of [`crate::search::owcty`].
//!
//! In the fixpoint, every state has a predecessor, and is reachable from steps of every acceptance set. So the search
//! goes backwards from a state, layer by layer, to steps of one set after another. If the state leads to where these
//! begin, the cycle is closed. Otherwise they are in earlier components, and the search continues there. (Clarke,
//! Grumberg, McMillan, Zhao, *Efficient generation of counterexamples and witnesses*, DAC 1995, reversed: their
//! fixpoint contains what leads to cycles, ours what cycles lead to.) No component is computed: it may be the whole
//! product although the cycle is short.
//!
//! The run leads from the initial states to the nearest step of the first set, if that is on a cycle, and around the
//! cycle. Paths are shortest ones, found by layers of images, and then by preimages of single states back through the
//! layers. Layers may have much larger diagrams than the sets that saturation finds. So after [`SHORTEST_PATH_BUDGET`]
//! nodes, the search continues by chaining, whose paths need not be shortest.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::dd::set_accumulator::SetAccumulator;
use crate::product::graph::{Graph, Steps};
use crate::search::owcty::FairHull;
use sempre_base::Stop;

/// Nodes after which the search for a shortest path ends.
const SHORTEST_PATH_BUDGET: u64 = 1 << 22;

/// A run of the product: vectors that start with the state of the automaton. The last state of the cycle leads to its
/// first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProductRun {
    /// The states before the cycle.
    pub prefix: Vec<Vec<u32>>,
    /// The states of the cycle; not empty.
    pub cycle: Vec<Vec<u32>>,
    /// For the step from each state of the cycle, the acceptance set that it contributes, if it was chosen for one.
    pub contributes: Vec<Option<usize>>,
}

/// An accepting run; `None` if the fixpoint is empty.
///
/// # Errors
/// If a limit is reached.
pub(crate) fn accepting_run(
    forest: &mut Forest,
    product: &impl Graph,
    found: &FairHull,
) -> Result<Option<ProductRun>, Stop> {
    if forest.get(found.hull) == EMPTY {
        return Ok(None);
    }
    let Some((mut prefix, first)) = path_to_hull(forest, product, found)? else {
        return Ok(None);
    };
    let mut finder = RunFinder { forest, product };
    let mut start = first.clone();
    let (mut cycle, mut contributes) = loop {
        match finder.cycle_through(&start, found.hull)? {
            CycleSearch::Closed(cycle, contributes) => break (cycle, contributes),
            CycleSearch::Earlier(earlier) => start = earlier,
            CycleSearch::Nothing => return Ok(None),
        }
    };
    if start != first {
        let goal = forest.set_of(&mut cycle.clone())?;
        let inside = forest.get(found.reachable);
        let Some(path) = path_to(forest, product, goal, inside)? else {
            return Ok(None);
        };
        prefix = path;
        let last = prefix.pop();
        let place = cycle.iter().position(|v| Some(v) == last.as_ref());
        let place = place.unwrap_or(0);
        cycle.rotate_left(place);
        contributes.rotate_left(place);
    }
    Ok(Some(ProductRun {
        prefix,
        cycle,
        contributes,
    }))
}

/// The nearest step of the first acceptance set in the fixpoint: the path to its source, and its target. Without
/// acceptance sets, the path to the nearest state of the fixpoint, and that state.
fn path_to_hull(
    forest: &mut Forest,
    product: &impl Graph,
    found: &FairHull,
) -> Result<Option<(Path, Vec<u32>)>, Stop> {
    let hull = forest.get(found.hull);
    let goal = match product.sets() {
        0 => hull,
        _ => product.preimage(forest, hull, Steps::Accepting(0), hull)?,
    };
    let inside = forest.get(found.reachable);
    let Some(mut path) = path_to(forest, product, goal, inside)? else {
        return Ok(None);
    };
    let first = match path.last() {
        Some(last) if product.sets() > 0 => {
            let one = forest.singleton(last)?;
            let next = product.image(forest, one, Steps::Accepting(0))?;
            let next = forest.intersection(next, forest.get(found.hull))?;
            forest.first(next)
        }
        _ => path.pop(),
    };
    Ok(first.map(|first| (path, first)))
}

/// A path from the initial states to a set, within another set, both ends included: a shortest one, within the budget.
///
/// # Errors
/// If a limit is reached.
pub(crate) fn path_to(
    forest: &mut Forest,
    product: &impl Graph,
    goal: Node,
    inside: Node,
) -> Result<Option<Path>, Stop> {
    let initial = forest.get(product.initial());
    RunFinder { forest, product }.path(initial, goal, inside)
}

/// A path through layers of images to a state of the last layer.
pub(crate) fn path_through_layers(
    forest: &mut Forest,
    product: &impl Graph,
    layers: &[Root],
    last: Vec<u32>,
) -> Result<Path, Stop> {
    let mut back = vec![last];
    for &layer in layers.iter().rev().skip(1) {
        let one = forest.singleton(&back[back.len() - 1])?;
        let universe = forest.get(layer);
        let before = product.preimage(forest, one, Steps::All, universe)?;
        back.extend(forest.first(before));
    }
    back.reverse();
    Ok(back)
}

/// The result of going backwards from a state through a step of each acceptance set.
enum CycleSearch {
    /// A cycle that starts with the state, and for the step from each of its states the acceptance set that it
    /// contributes.
    Closed(Vec<Vec<u32>>, Vec<Option<usize>>),
    /// The state does not lead to the states behind it, such as this one.
    Earlier(Vec<u32>),
    /// There is no such path.
    Nothing,
}

/// States, each of which leads to the next.
type Path = Vec<Vec<u32>>;

/// The search for a shortest path exceeds its budget.
struct BudgetExceeded;

struct RunFinder<'a, G> {
    forest: &'a mut Forest,
    product: &'a G,
}

impl<G: Graph> RunFinder<'_, G> {
    /// A path from a state back to itself, through a step of each acceptance set.
    fn cycle_through(&mut self, start: &[u32], hull: Root) -> Result<CycleSearch, Stop> {
        let one = self.forest.singleton(start)?;
        let first = self.forest.protect(one);
        let mut now = first;
        // Without acceptance sets, the cycle has at least one step.
        let kinds: Vec<Steps> = match self.product.sets() {
            0 => vec![Steps::All],
            count => (0..count).map(Steps::Accepting).collect(),
        };
        let mut stages = Vec::new();
        for steps in kinds {
            let (layers, sources) = self.back_to(now, steps, hull)?;
            if self.forest.get(sources) == EMPTY {
                return Ok(CycleSearch::Nothing);
            }
            stages.push((steps, layers));
            now = sources;
        }
        let path = self.path_back([first, now, hull])?;
        let found = match path {
            None => match self.forest.first(self.forest.get(now)) {
                Some(earlier) => CycleSearch::Earlier(earlier),
                None => CycleSearch::Nothing,
            },
            Some(path) => self.close_cycle(path, &stages)?,
        };
        let layers = stages.into_iter().flat_map(|(_, layers)| layers);
        for root in layers.chain([now]) {
            self.forest.unprotect(root);
        }
        Ok(found)
    }

    /// Goes backwards from a set, layer by layer, until some of `steps` lead into the last layer. Returns the layers,
    /// the set first, and the sources of these steps, as roots.
    fn back_to(&mut self, from: Root, steps: Steps, hull: Root) -> Result<(Vec<Root>, Root), Stop> {
        let mut seen = SetAccumulator::default();
        let start = self.forest.get(from);
        seen.add(self.forest, start)?;
        let mut layers = vec![from];
        let sources = loop {
            let (now, universe) = (
                self.forest.get(layers[layers.len() - 1]),
                self.forest.get(hull),
            );
            let sources = self.product.preimage(self.forest, now, steps, universe)?;
            let now = self.forest.get(layers[layers.len() - 1]);
            if sources != EMPTY || now == EMPTY {
                break self.forest.protect(sources);
            }
            let universe = self.forest.get(hull);
            let next = self
                .product
                .preimage(self.forest, now, Steps::All, universe)?;
            let new = seen.add(self.forest, next)?;
            layers.push(self.forest.protect(new));
        };
        seen.unprotect(self.forest);
        Ok((layers, sources))
    }

    /// A path from a state forward to states that lead to it, if there is one.
    fn path_back(&mut self, question: [Root; 3]) -> Result<Option<Path>, Stop> {
        match self.shortest_path(question)? {
            Ok(path) => Ok(path),
            Err(BudgetExceeded) => {
                // Everything reachable from a state of the fixpoint is in it, and saturation computes it.
                let [from, goal, _] = question;
                let from = self.forest.get(from);
                let all = self.product.reach(self.forest, from)?;
                match self.forest.intersection(all, self.forest.get(goal))? {
                    EMPTY => Ok(None),
                    _ => self.path_by_chaining(question),
                }
            }
        }
    }

    /// Continues the path through the stages: by a step of one kind, and through its layers to the sources of the next
    /// kind.
    fn close_cycle(
        &mut self,
        path: Path,
        stages: &[(Steps, Vec<Root>)],
    ) -> Result<CycleSearch, Stop> {
        let mut cycle = path;
        let mut contributes = vec![None; cycle.len() - 1];
        for (steps, layers) in stages.iter().rev() {
            let set = match steps {
                Steps::Accepting(set) => Some(*set),
                Steps::All | Steps::Part(_) => None,
            };
            let mut step = (*steps, set);
            for &layer in layers.iter().rev() {
                let one = self.forest.singleton(&cycle[cycle.len() - 1])?;
                let next = self.product.image(self.forest, one, step.0)?;
                let next = self.forest.intersection(next, self.forest.get(layer))?;
                let Some(next) = self.forest.first(next) else {
                    return Ok(CycleSearch::Nothing);
                };
                cycle.push(next);
                contributes.push(step.1);
                step = (Steps::All, None);
            }
        }
        // The last state is the first one again.
        cycle.pop();
        Ok(CycleSearch::Closed(cycle, contributes))
    }

    /// A path from one set to another within a third, both ends included: a shortest one, within the budget.
    fn path(&mut self, from: Node, to: Node, inside: Node) -> Result<Option<Path>, Stop> {
        let root = [from, to, inside].map(|set| self.forest.protect(set));
        let path = match self.shortest_path(root)? {
            Ok(path) => path,
            Err(BudgetExceeded) => self.path_by_chaining(root)?,
        };
        for set in root {
            self.forest.unprotect(set);
        }
        Ok(path)
    }

    /// A shortest path, by layers of images and back through them.
    fn shortest_path(
        &mut self,
        [from, goal, universe]: [Root; 3],
    ) -> Result<Result<Option<Path>, BudgetExceeded>, Stop> {
        let begin = self.forest.nodes_made();
        let mut seen = SetAccumulator::default();
        let start = self.forest.get(from);
        seen.add(self.forest, start)?;
        let mut layers = vec![self.forest.protect(self.forest.get(from))];
        let mut found = Ok(None);
        while let Some(&layer) = layers.last() {
            let now = self.forest.get(layer);
            if now == EMPTY {
                break;
            }
            let common = self.forest.intersection(now, self.forest.get(goal))?;
            if let Some(vector) = self.forest.first(common) {
                let path = path_through_layers(self.forest, self.product, &layers, vector)?;
                found = Ok(Some(path));
                break;
            }
            if self.forest.nodes_made() - begin > SHORTEST_PATH_BUDGET && self.product.parts() > 1 {
                found = Err(BudgetExceeded);
                break;
            }
            let now = self.forest.get(layer);
            let next = self.product.image(self.forest, now, Steps::All)?;
            let next = self.forest.intersection(next, self.forest.get(universe))?;
            let new = seen.add(self.forest, next)?;
            layers.push(self.forest.protect(new));
        }
        seen.unprotect(self.forest);
        for root in layers {
            self.forest.unprotect(root);
        }
        Ok(found)
    }

    /// A path by chaining, one part of the steps after another. It has at most one step for each time a part found new
    /// states. The path is shortened at the end.
    fn path_by_chaining(
        &mut self,
        [from, goal, universe]: [Root; 3],
    ) -> Result<Option<Path>, Stop> {
        // The states found before each application of a part that found new ones.
        let mut sets: Vec<(Root, usize)> = Vec::new();
        let all = self.forest.protect(self.forest.get(from));
        let common = self
            .forest
            .intersection(self.forest.get(from), self.forest.get(goal))?;
        let mut last = self.forest.first(common);
        let (mut part, mut unchanged) = (0, 0);
        while last.is_none() && unchanged < self.product.parts() {
            let now = self.forest.get(all);
            let more = self.product.image(self.forest, now, Steps::Part(part))?;
            let more = self.forest.intersection(more, self.forest.get(universe))?;
            let more = self.forest.protect(more);
            let now = self.forest.get(all);
            let union = self.forest.union(now, self.forest.get(more))?;
            unchanged += 1;
            if union != now {
                unchanged = 0;
                sets.push((self.forest.protect(now), part));
                self.forest.set(all, union);
                let common = (self.forest.get(more), self.forest.get(goal));
                let common = self.forest.intersection(common.0, common.1)?;
                last = self.forest.first(common);
            }
            self.forest.unprotect(more);
            part = (part + 1) % self.product.parts();
        }
        let path = match last {
            None => None,
            Some(vector) => {
                let mut back = vec![vector];
                loop {
                    let here = &back[back.len() - 1];
                    // The sets grow, so the first one that contains the state is found by binary search.
                    let forest = &self.forest;
                    let missing =
                        |&(set, _): &(Root, usize)| !forest.contains(forest.get(set), here);
                    let first = sets.partition_point(missing);
                    let Some(&(before, part)) = first.checked_sub(1).map(|i| &sets[i]) else {
                        break;
                    };
                    let one = self.forest.singleton(here)?;
                    let universe = self.forest.get(before);
                    let steps = Steps::Part(part);
                    let sources = self.product.preimage(self.forest, one, steps, universe)?;
                    match self.forest.first(sources) {
                        Some(source) => back.push(source),
                        None => return Ok(None),
                    }
                }
                back.reverse();
                Some(self.shortcut(back)?)
            }
        };
        for root in sets.into_iter().map(|(set, _)| set).chain([all]) {
            self.forest.unprotect(root);
        }
        Ok(path)
    }

    /// Shortens a path: from each state, goes to the last one that a single step leads to.
    fn shortcut(&mut self, path: Path) -> Result<Path, Stop> {
        let mut short: Path = Vec::new();
        let mut at = 0;
        while at + 1 < path.len() {
            let one = self.forest.singleton(&path[at])?;
            let next = self.product.image(self.forest, one, Steps::All)?;
            let later = (at + 1..path.len()).rev();
            let last = later
                .into_iter()
                .find(|&i| self.forest.contains(next, &path[i]));
            short.push(path[at].clone());
            at = last.unwrap_or(at + 1);
        }
        short.extend(path.last().cloned());
        Ok(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::control::Limits;
    use crate::dd::shape::{Mode, Shape};
    use crate::product::graph::chaining;
    use sempre_base::Random;

    /// A random graph of vectors of two numbers, its steps partitioned into a few parts.
    struct RandomGraph {
        edges: Vec<(usize, usize, usize)>,
        parts: Vec<Root>,
        shape: Shape,
        initial: Root,
    }

    const WIDTH: usize = 5;
    const STATES: usize = 30;
    const PARTS: usize = 3;

    fn vector(n: usize) -> Vec<u32> {
        vec![(n / WIDTH) as u32, (n % WIDTH) as u32]
    }

    impl RandomGraph {
        fn new(r: &mut Random, forest: &mut Forest) -> Self {
            let count = 30 + r.below(60);
            let mut draw = || (r.below(PARTS), r.below(STATES), r.below(STATES));
            let edges: Vec<_> = (0..count).map(|_| draw()).collect();
            let mut parts = Vec::new();
            for part in 0..PARTS {
                let mine = edges.iter().filter(|e| e.0 == part);
                // Values read and written, level by level.
                let row = |&(_, a, b): &(usize, usize, usize)| {
                    let (a, b) = (vector(a), vector(b));
                    vec![a[0], b[0], a[1], b[1]]
                };
                let mut rows: Vec<Vec<u32>> = mine.map(row).collect();
                let relation = forest.set_of(&mut rows).unwrap();
                parts.push(forest.protect(relation));
            }
            let first = forest.singleton(&vector(0)).unwrap();
            Self {
                edges,
                parts,
                shape: forest.shape(&[Mode::ReadWrite, Mode::ReadWrite]),
                initial: forest.protect(first),
            }
        }

        fn chosen(&self, steps: Steps) -> std::ops::Range<usize> {
            match steps {
                Steps::Part(i) => i..i + 1,
                _ => 0..PARTS,
            }
        }
    }

    impl Graph for RandomGraph {
        fn initial(&self) -> Root {
            self.initial
        }
        fn sets(&self) -> usize {
            0
        }
        fn process_of(&self, _: usize) -> Option<usize> {
            None
        }
        fn accepts_all(&self) -> Option<u32> {
            None
        }
        fn parts(&self) -> usize {
            PARTS
        }
        fn image(&self, forest: &mut Forest, set: Node, steps: Steps) -> Result<Node, Stop> {
            let mut all = EMPTY;
            for i in self.chosen(steps) {
                let more = forest.image(set, forest.get(self.parts[i]), self.shape)?;
                all = forest.union(all, more)?;
            }
            Ok(all)
        }
        fn preimage(
            &self,
            forest: &mut Forest,
            set: Node,
            steps: Steps,
            universe: Node,
        ) -> Result<Node, Stop> {
            let mut all = EMPTY;
            for i in self.chosen(steps) {
                let relation = forest.get(self.parts[i]);
                let more = forest.preimage(set, relation, self.shape, universe)?;
                all = forest.union(all, more)?;
            }
            Ok(all)
        }
        fn reach(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
            chaining(forest, self, set)
        }
    }

    /// Distances from the first state within some states, by the definition.
    fn distances(graph: &RandomGraph, inside: &[bool]) -> Vec<Option<usize>> {
        let mut distance = vec![None; STATES];
        distance[0] = Some(0);
        for length in 0..STATES {
            for &(_, a, b) in &graph.edges {
                if distance[a] == Some(length) && inside[b] && distance[b].is_none() {
                    distance[b] = Some(length + 1);
                }
            }
        }
        distance
    }

    #[test]
    fn paths() {
        let mut r = Random::new(12);
        let (mut longer, mut none) = (0, 0);
        for _ in 0..1000 {
            let mut forest = Forest::new(Limits::default());
            let graph = RandomGraph::new(&mut r, &mut forest);
            let inside: Vec<bool> = (0..STATES).map(|n| n == 0 || r.chance(0.9)).collect();
            let mut vectors = (0..STATES)
                .filter(|&n| inside[n])
                .map(vector)
                .collect::<Vec<_>>();
            let universe = forest.set_of(&mut vectors).unwrap();
            let universe = forest.protect(universe);
            let distance = distances(&graph, &inside);
            let inner: Vec<usize> = (0..STATES).filter(|&n| inside[n]).collect();
            let to = *r.pick(&inner);
            let goal = forest.singleton(&vector(to)).unwrap();
            let goal = forest.protect(goal);
            let everywhere = distances(&graph, &[true; STATES]);
            let start = forest.get(graph.initial);
            let all = graph.reach(&mut forest, start).unwrap();
            for (n, distance) in everywhere.iter().enumerate() {
                assert_eq!(forest.contains(all, &vector(n)), distance.is_some());
            }
            let mut finder = RunFinder {
                forest: &mut forest,
                product: &graph,
            };
            let question = [graph.initial, goal, universe];
            let shortest = finder.shortest_path(question).unwrap().ok().unwrap();
            let chained = finder.path_by_chaining(question).unwrap();
            assert_eq!(shortest.as_ref().map(|w| w.len() - 1), distance[to]);
            assert_eq!(chained.is_some(), shortest.is_some());
            none += usize::from(chained.is_none());
            let (Some(shortest), Some(chained)) = (shortest, chained) else {
                continue;
            };
            longer += usize::from(chained.len() > shortest.len());
            for path in [shortest, chained] {
                assert_eq!(
                    (path[0].clone(), path[path.len() - 1].clone()),
                    (vector(0), vector(to))
                );
                for pair in path.windows(2) {
                    let step = |&&(_, a, b): &&(usize, usize, usize)| {
                        vector(a) == pair[0] && vector(b) == pair[1] && inside[b]
                    };
                    assert!(graph.edges.iter().any(|e| step(&e)));
                }
            }
        }
        assert!(longer > 20 && none > 50, "{longer} {none}");
    }
}
